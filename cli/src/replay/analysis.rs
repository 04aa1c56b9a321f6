//! What replayed sessions come to: counters, sessions, episodes, loops. Values, and how two of them become one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Category, Class, Cost, Host, Money, Outcome, Phase, Signature, Usage, words};

/// What replayed sessions come to. Identical sessions give identical bytes, in whatever order they were joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The version of this shape: [`Analysis::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What was read.
    pub generated_from: GeneratedFrom,
    /// The sums over all sessions.
    pub totals: Counters,
    /// Sessions, oldest first.
    pub sessions: Vec<SessionSummary>,
    /// Episodes, oldest first.
    pub episodes: Vec<EpisodeSummary>,
    /// Loops, oldest first.
    pub loops: Vec<Loop>,
    /// Fine signatures, the most frequent first.
    pub signatures: Vec<SignatureSummary>,
    /// Days in UTC, oldest first. Only days on which a call ended.
    pub days: Vec<Day>,
    /// Failures of the work, oldest first.
    pub failures: Vec<Failure>,
    /// Models, the costliest first.
    #[serde(default)]
    pub models: Vec<ModelSummary>,
    /// Lines and results that could not be used, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// How many items the lists leave out, by list: each keeps its latest [`Analysis::MOST`]. The totals count all.
    pub left_out: BTreeMap<String, u64>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GeneratedFrom {
    /// Files.
    pub files: u64,
    /// Sessions.
    pub sessions: u64,
    /// The first time that anything tells, RFC 3339 UTC.
    pub first_ts: Option<String>,
    /// The last one.
    pub last_ts: Option<String>,
}

/// The counters of one session, or of all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Calls that ended, those that succeeded included. The later end of background work is an end of its own.
    pub calls: u64,
    /// Calls that failed, those of `masked` included.
    pub failed: u64,
    /// Of them those that failed behind a status of 0.
    pub masked: u64,
    /// Calls whose non-zero status is an answer.
    pub benign: u64,
    /// Calls that a person, a rule, a hook or a permission refused.
    pub denied: u64,
    /// Calls that were cancelled because one beside them failed.
    pub cascade: u64,
    /// Calls that a person stopped.
    pub interrupted: u64,
    /// Verdicts by class.
    pub classes: BTreeMap<Class, u64>,
    /// Verdicts by category.
    pub categories: BTreeMap<Category, u64>,
    /// Episodes.
    pub episodes: u64,
    /// Episodes that were open when the data ended.
    pub episodes_open: u64,
    /// Episodes by how they ended.
    pub endings: BTreeMap<Ended, u64>,
    /// Loops.
    pub loops: u64,
    /// Failures that repeated the call and its error with nothing changed in between.
    pub unchanged_retries: u64,
    /// Answers of the model.
    pub turns: u64,
    /// Answers of the model while an episode of their node lasted.
    pub turns_in_failure: u64,
    /// Tokens.
    pub tokens: Usage,
    /// Tokens of those turns.
    pub tokens_in_failure: Usage,
    /// What tokens cost, as far as prices are known.
    #[serde(default)]
    pub money: Money,
    /// What those of these turns cost.
    #[serde(default)]
    pub money_in_failure: Money,
    /// Tokens of models of which no price is known: they are in no sum of money.
    #[serde(default)]
    pub unpriced_tokens: u64,
    /// The time that was worked, in milliseconds: see `docs/replay.md`.
    pub wall_ms: u64,
    /// The part of it in which an episode lasted.
    pub wall_ms_in_failure: u64,
    /// Subagents that ended in an error of the model's API or with a failed check.
    pub dead_subagents: u64,
    /// What Failwise would have told the agent, and how often.
    pub advices: u64,
    /// What the guard would have refused; null where that was not asked.
    pub guard: Option<Savings>,
}

/// What the guard would have refused and saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Savings {
    /// Calls that it would have refused.
    pub refused: u64,
    /// Calls that it would have saved.
    pub calls_saved: u64,
    /// Tokens that the model would not have spent.
    pub tokens_saved: u64,
    /// Time that would not have been worked, in milliseconds.
    pub wall_ms_saved: u64,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionSummary {
    /// The client's session; `unknown` where the data names none.
    pub id: String,
    /// The last part of the working directory.
    pub project: Option<String>,
    /// Whose it is, where that was said when it was analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The client that it was a session of, where that is not Claude Code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// The file that tells of it first.
    pub file: String,
    /// The first time that it tells, RFC 3339 UTC.
    pub started: Option<String>,
    /// The last one.
    pub ended: Option<String>,
    /// How many agents worked in it: the session's own, and its subagents.
    pub agents: u64,
    /// Whether no more than its sums are known, as in kept analyses of sessions whose file was gone: it counts in no account
    /// of costs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sums_only: bool,
    /// Its counters.
    #[serde(flatten)]
    pub counters: Counters,
    /// What was called, by tool; no part of the JSON.
    #[serde(skip)]
    pub tools: BTreeMap<String, ToolCounts>,
    /// What each model read and wrote; no part of the JSON.
    #[serde(skip)]
    pub models: BTreeMap<String, Usage>,
}

/// How the calls of one tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolCounts {
    /// All of them.
    pub calls: u64,
    /// Those that failed, and said so.
    pub failed: u64,
    /// Those that failed behind an exit status of 0.
    pub masked: u64,
    /// Those that a person or a rule refused.
    pub denied: u64,
}

words! {
    /// How an episode ended.
    #[derive(Default)]
    pub enum Ended {
        /// By a proven pass after an edit.
        FixedByEdit = "fixed_by_edit",
        /// By a proven pass after a shell command that may have changed something, and no edit.
        FixedByShell = "fixed_by_shell",
        /// By a proven pass with nothing changed, of what was not called wrongly.
        ByItself = "by_itself",
        /// Another form of the call did its work: another option, path or folder, or a program in front.
        Replaced = "replaced",
        /// It was no check and was not passed: the agent went on without it.
        MovedOn = "moved_on",
        /// A check that was not seen to pass: the agent turned to something else, or ended.
        PutAside = "put_aside",
        /// A check that had not passed when the data ended, and was worked on until then.
        #[default]
        Open = "open",
        /// A check that its own session did not see pass, and a later one of the project did.
        PassedElsewhere = "passed_elsewhere",
        /// A check that its own session did not see pass, and that did not exist in a later one of the project.
        Gone = "gone",
        /// It was meant to fail, and did.
        Announced = "announced",
    }
}

words! {
    /// What is known of the last run of a check that was not seen to pass.
    pub enum LastRun {
        /// It failed once, and nobody of the session ran it again.
        NotRunAgain = "not_run_again",
        /// It was run again, and failed.
        FailedAgain = "failed_again",
        /// It was run again, and the result was not to be seen.
        NotSeen = "not_seen",
    }
}

impl LastRun {
    /// The words for people, after how the episode ended.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotRunAgain => "not run again",
            Self::FailedAgain => "failed at its last run",
            Self::NotSeen => "run again, result not seen",
        }
    }
}

impl Ended {
    /// The words for people, behind a number of episodes or after a call.
    pub fn words(self) -> &'static str {
        match self {
            Self::FixedByEdit => "fixed by an edit",
            Self::FixedByShell => "fixed by a command",
            Self::ByItself => "passed by itself",
            Self::Replaced => "done another way",
            Self::MovedOn => "moved on without it",
            Self::PutAside => "put aside",
            Self::Open => "worked on to the end",
            Self::PassedElsewhere => "passed in another session",
            Self::Gone => "there no more",
            Self::Announced => "failed as announced",
        }
    }

    /// Whether it is a check that was not seen to pass.
    pub fn is_unresolved(self) -> bool {
        matches!(self, Self::PutAside | Self::Open)
    }
}

/// One failure that was worked on: from the answer that made its first failing call to the proven pass, or to the last
/// failure where none came.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EpisodeSummary {
    /// 8 hexadecimal digits.
    pub id: String,
    /// The client's session.
    pub session: String,
    /// The plan node, session or subagent that it belongs to.
    pub node: String,
    /// The highest class of its verdicts.
    pub class: Class,
    /// What kind of error it is.
    pub category: Category,
    /// What exactly fails, where that is known.
    pub object: Option<String>,
    /// The canonical name of the tool that failed last.
    #[serde(default)]
    pub tool: String,
    /// What was being done.
    pub operation: String,
    /// The call as given, redacted, at most 300 bytes.
    pub input: String,
    /// The fine signature of its last failure.
    pub signature: String,
    /// When it failed first, RFC 3339 UTC.
    pub first_ts: Option<String>,
    /// When it failed last.
    pub last_ts: Option<String>,
    /// When it passed, or when another form of the call did its work; null where neither happened.
    pub ended_ts: Option<String>,
    /// How often it failed.
    pub attempts: u32,
    /// Retries that changed nothing and failed the same way.
    pub unchanged_retries: u32,
    /// Whether any of its failures was masked.
    pub masked: bool,
    /// How it ended.
    pub ended: Ended,
    /// Of a check that was not seen to pass: what is known of its last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// What showed that it was over; of what was put aside the call by which the agent turned to something else. Null where
    /// nothing did.
    #[serde(default)]
    pub end: Option<EpisodeEnd>,
    /// What it cost from its first failure to its end. The answer with the call that ended it is none of that.
    #[serde(flatten)]
    pub cost: Cost,
    /// The part of that which stands in no other episode's `booked`: where several were worked on at once, the answer that
    /// failed in its own, the rest in one of them. Sums are made of these, so that they never exceed the session.
    #[serde(default)]
    pub booked: Cost,
    /// The part of `booked` which was waste, by kind.
    #[serde(default)]
    pub waste: BTreeMap<WasteKind, Cost>,
    /// The error line of its last failure, redacted.
    pub excerpt: Option<String>,
    /// What Failwise said of it, or would have said.
    pub advice: Vec<Advice>,
    /// Its failed calls, the first [`EpisodeSummary::MOST_CALLS`].
    pub tool_use_ids: Vec<String>,
}

impl EpisodeSummary {
    /// The most failed calls that an episode names.
    pub const MOST_CALLS: usize = 32;
    /// The most advices that an episode keeps.
    pub const MOST_ADVICES: usize = 8;

    /// How it ended, in words for people.
    pub fn ending(&self) -> String {
        let last_run = self.last_run.map(|run| format!(", {}", run.words())).unwrap_or_default();
        format!("{}{last_run}", self.ended.words())
    }

    /// Takes in what another agent of the session did about the same failure.
    pub(super) fn join(&mut self, other: Self) {
        self.class = self.class.max(other.class);
        self.last_ts = self.last_ts.take().max(other.last_ts);
        self.attempts += other.attempts;
        self.unchanged_retries += other.unchanged_retries;
        self.masked |= other.masked;
        self.cost = self.cost.plus(other.cost);
        self.booked = self.booked.plus(other.booked);
        for (kind, cost) in other.waste {
            let waste = self.waste.entry(kind).or_default();
            *waste = waste.plus(cost);
        }
        self.advice.extend(other.advice);
        self.advice.truncate(Self::MOST_ADVICES);
        self.tool_use_ids.extend(other.tool_use_ids);
        self.tool_use_ids.truncate(Self::MOST_CALLS);
        // What one of them passed has passed, and what failed unannounced has failed.
        let is_later = self.ended_ts.is_none() || other.ended_ts > self.ended_ts;
        if self.ended == Ended::Announced || is_later && other.ended != Ended::Announced {
            (self.ended, self.end, self.ended_ts) = (other.ended, other.end, other.ended_ts);
            // The other one failed after this one had.
            self.last_run = other.last_run.map(|run| run.max(LastRun::FailedAgain));
        }
    }
}

/// The call that showed that an episode was over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpisodeEnd {
    /// The call.
    pub tool_use_id: Option<String>,
    /// The tool's canonical name.
    pub tool: String,
    /// The call as given, redacted, at most 300 characters: the form that passed.
    pub call: String,
    /// The plan node, session or subagent that made it.
    pub node: String,
}

words! {
    /// Why work was waste and no development.
    pub enum WasteKind {
        /// Something was called wrongly: a path, an option, a program, the text of an edit.
        Usage = "usage",
        /// The call and its error were repeated with nothing changed in between.
        UnchangedRetry = "unchanged_retry",
        /// The same calls went round.
        Loop = "loop",
        /// A host that could not be reached.
        DeadHost = "dead_host",
        /// The client cancelled the calls beside one that failed.
        CancelledSibling = "cancelled_sibling",
    }
}

/// What was said, or would have been.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// When, RFC 3339 UTC.
    pub ts: Option<String>,
    /// The words.
    pub text: String,
}

/// The same calls again and again, at least one of them failing, and nothing gained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The client's session.
    pub session: String,
    /// The plan node, session or subagent that it belongs to.
    pub node: String,
    /// How many calls make one round: 1 is the same failing call again.
    pub period: u32,
    /// How many rounds.
    pub repeats: u32,
    /// The calls of a round, as operations.
    pub operations: Vec<String>,
    /// When its first call ended, RFC 3339 UTC.
    pub first_ts: Option<String>,
    /// When its last call ended.
    pub last_ts: Option<String>,
    /// What it cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// All failures with one fine signature. Failures that do not say what failed are in none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SignatureSummary {
    /// The fine signature.
    pub signature: String,
    /// The coarse one.
    pub coarse: String,
    /// The highest class of its verdicts.
    pub class: Class,
    /// What kind of error it is.
    pub category: Category,
    /// What was being done when it was met first.
    pub operation: String,
    /// The error line that was met first, redacted.
    pub excerpt: Option<String>,
    /// How often it was met.
    pub failures: u64,
    /// The episodes that ended, or ended up, with it.
    pub episodes: u64,
    /// Those of them that are checks and were not seen to pass.
    pub unresolved: u64,
    /// The sessions that met it.
    pub sessions: u64,
    /// When it was met first, RFC 3339 UTC.
    pub first_ts: Option<String>,
    /// When it was met last.
    pub last_ts: Option<String>,
    /// What those episodes cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// One day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Day {
    /// The day in UTC, such as `2026-02-15`.
    pub day: String,
    /// Calls that ended.
    pub calls: u64,
    /// Calls that failed, those of `masked` included.
    pub failed: u64,
    /// Of them those that failed behind a status of 0.
    pub masked: u64,
    /// Verdicts by class.
    pub classes: BTreeMap<Class, u64>,
    /// Answers of the model.
    pub turns: u64,
    /// Their tokens.
    pub tokens: Usage,
    /// What these cost, as far as prices are known.
    #[serde(default)]
    pub money: Money,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelSummary {
    /// Its name in the transcripts; `unknown` where they name none. In fast mode ` fast` stands behind it.
    pub model: String,
    /// Its answers.
    pub turns: u64,
    /// Their tokens.
    pub tokens: Usage,
    /// What these cost.
    pub money: Money,
    /// Whether a price is known for all of them.
    pub priced: bool,
    /// Whether these prices stand in the maker's own pages, or in settings.
    pub checked: bool,
    /// The tokens of which no price is known.
    pub unpriced_tokens: u64,
}

/// One failure of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The client's session.
    pub session: String,
    /// The plan node, session or subagent that it belongs to.
    pub node: String,
    /// The file that tells of it.
    pub file: String,
    /// The line in it, from 1.
    pub line: u64,
    /// When, RFC 3339 UTC.
    pub ts: Option<String>,
    /// Which end of the call.
    pub phase: Phase,
    /// `failed` or `masked_failure`.
    pub outcome: Outcome,
    /// Who acts next.
    pub class: Class,
    /// What kind of error it is.
    pub category: Category,
    /// The rule that decided.
    pub rule: String,
    /// The tool's canonical name.
    pub tool: String,
    /// What was being done.
    pub operation: String,
    /// The call as given, redacted, at most 300 bytes.
    pub input: String,
    /// The error line that matters, redacted.
    pub excerpt: Option<String>,
    /// Its episode.
    pub episode: String,
    /// Which failure of its episode it is.
    pub attempt: u32,
    /// How many retries in a row changed nothing.
    pub unchanged_retries: u32,
    /// Its fingerprint.
    pub signature: Signature,
    /// The call.
    pub tool_use_id: Option<String>,
    /// The model that made it; null where the data names none.
    #[serde(default)]
    pub model: Option<String>,
}
