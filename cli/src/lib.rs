//! What only the commands and the server need, on top of the hook's library `failwise_core`, whose rooms are named here too:
//! whoever uses this library finds everything in it. A room that stands in both holds here what the hook never needs.
//!
//! | room | layer | content |
//! | --- | --- | --- |
//! | `cli/src/project.rs` | edge | the surroundings of a call for commands: own readings and secrets compiled, a history made the user's own, this machine's key |
//! | `cli/src/arbiter/` | edge | carries out decisions on conflicts: joins the plan, the log of conflicts, git and journal |
//! | `cli/src/plan/` | edge | the plan tree, read whole and changed |
//! | `cli/src/host/` | edge | what only commands read or make of clients' JSON: session files, traces, what a plan is asked for |
//! | `cli/src/journal/` | edge | the parts of a history from a place on, and what was read of each session |
//! | `cli/src/store/` | edge | the database of lessons: SQLite, the learner, shared files, and the files that hooks search |
//! | `cli/src/sessions/` | edge | finding and reading sessions: kinds of files, gzip, order of time, copies, threads |
//! | `cli/src/client/` | edge | the client as a program: starting, following and ending it with all its processes |
//! | `cli/src/recollect.rs` | edge | the past for a recovery plan, from the history and the database, and the record of the plan |
//! | `cli/src/llm.rs` | edge | the one place that may ask a model: only on `failwise diagnose --llm` |
//! | `cli/src/ship/` | edge | verdicts as OpenTelemetry log records, written out, or posted to where the user's own settings say |
//! | `cli/src/probe/` | edge | read-only looks at the machine for recovery plans: names, manifests, kinds of files, holders, running processes, renames in git, `--help` |
//! | `cli/src/diagnose/` | capability | the pages of failure modes, the printed diagnosis, and its file of rules |
//! | `cli/src/conflicts/` | capability | conflicts between nodes: found in their works, and decided |
//! | `cli/src/gate/` | capability | what may leave the history: the words of lessons and texts that hold no secret and reach nowhere |
//! | `cli/src/knowledge/` | capability | failure memory: the rows of sessions, their lessons, and when and how these are reported |
//! | `cli/src/reading/` | capability | proposals and places in an output, and the words of a failed test case: for recovery plans and test diagnoses |
//! | `cli/src/own/` | capability | a project's own patterns, compiled for the hook |
//! | `cli/src/replay/` | capability | transcripts and histories as the same calls again: rows, episodes with their ends and costs, loops, comparisons |
//! | `cli/src/report/` | capability | an analysis as a page, Markdown, CSV and a few lines, with the page's own style and script |
//! | `cli/src/changes/` | capability | the changes that end recurring failures: what recurs in sessions, ranked, as lines and permission rules |
//! | `cli/src/watch/` | capability | the live view of a project: events in, rows out |
//! | `cli/src/stream/` | capability | the client's input and output: command files made into prompts, streams read to their results |
//! | `cli/src/stats.rs` | capability | the few numbers of a project: events in, numbers out |
//! | `cli/src/workflow/` | capability | workflows: their steps, the types of outputs, the state of a run |
//! | `cli/src/score/` | capability | the cases of the rules' pages, and shares of rows with their intervals |
//! | `cli/src/argus/` | capability | a failed test case by the inherited contract: its categories, readable patterns, the answer |
//! | `cli/src/test_runs/` | capability | test runs: read from runners' files, compared, and their flaky cases |
//! | `cli/src/recover/` | capability | ways past a failure: strategies, their order, the five whys |
//! | `cli/src/error.rs` | values | errors of commands, with a hint and an exit code |
//! | `cli/src/exit.rs` | values | the exit codes of commands |

pub use failwise_core::{
    advice, classify, compiled, decide, digest, edits, engine, forms, front_matter, git, guard, history, hook, model,
    names, near, notify, place, prices, programs, recall, redact, seen_file, settings, shell, signature, text, time,
    tracked, trust,
};

pub mod arbiter;
pub mod argus;
pub mod changes;
pub mod client;
pub mod conflicts;
pub mod diagnose;
pub mod error;
pub mod exit;
pub mod gate;
pub mod host;
pub mod journal;
pub mod knowledge;
pub mod llm;
pub mod own;
pub mod plan;
pub mod probe;
pub mod project;
pub mod reading;
pub mod recollect;
pub mod recover;
pub mod replay;
pub mod report;
pub mod score;
pub mod sessions;
pub mod ship;
pub mod stats;
pub mod store;
pub mod stream;
pub mod test_runs;
pub mod watch;
pub mod workflow;
