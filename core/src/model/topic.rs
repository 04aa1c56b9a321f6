//! What kind of sentence the agent was told.

use serde::{Deserialize, Serialize};

/// What kind of sentence the agent was told: of an episode each is said once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// What worked when the same failure was met in an earlier session.
    Known,
    /// Work lies in a stash that could not be taken back.
    StashKept,
    /// A tool of the client cannot start.
    DeadTool,
    /// A rebase, merge or the like stopped half-way for a passing reason.
    Stopped,
    /// The call met a property of its tool, and another form of it works.
    WorkingForm,
    /// It asked a question that nobody answered, and its status is 0.
    Unanswered,
    /// Another process holds a lock of git.
    Locked,
    /// A retry may pass.
    Transient,
    /// A retry came before its time.
    TooEarly,
    /// A host did not answer again.
    NoAnswer,
    /// A long run failed, and what was shown of it names no cause.
    SlowRun,
    /// The retries are over.
    RetriesOver,
    /// It may have taken effect: look first.
    CheckFirst,
    /// A retry has to wait for longer than the agent should.
    LongWait,
    /// The text of an edit stands in its file but for white space.
    EditText,
    /// A name that the call gives is not there, and one like it is.
    NearName,
    /// A linter's finding lies in a file that the session did not edit.
    Untouched,
    /// A person has to unlock what signs.
    Unlock,
    /// A file is too large for the tool in any piece.
    TooLarge,
    /// The same failure again, and nothing changed.
    Repeated,
    /// The same failure a third time, and edits did not change it.
    ThirdTime,
    /// The same refusal of a call a third time.
    SameMessage,
    /// Most of the changed files are not in the plan.
    Drift,
    /// Another agent changed what fails.
    Beside,
    /// It contradicts the plan.
    Constraint,
    /// Another agent is the other side.
    Conflict,
    /// A check failed behind a status of 0 and was not seen to pass.
    #[default]
    Hidden,
}
