//! Failwise makes a coding agent wise about its failures.
//!
//! ```text
//! stdin         host/           reading/            model           journal/, plan/     classify/        journal/, host/
//! hook JSON -> ToolCall   ->  Reading (runner,  -> FailureEvent -> Facts (event,    -> RULES, first -> Verdict: a line in
//!              (wire names     result, category,   (None when it    episode, node,      match wins      history.jsonl, JSON
//!               end here)      line, objects)       did not fail)   siblings, plan)                     on stdout
//! ```
//!
//! Every arrow is one function, every box one type. The line is written once, in `engine`: the hook, `failwise classify`
//! and replay take the same step. Executables use every room below; a room uses rooms of its own layer
//! and of those beneath it.
//!
//! | room | layer | content |
//! | --- | --- | --- |
//! | `src/hook.rs` | edge | one payload in, one answer out: joins host, project, engine and journal |
//! | `src/project.rs` | edge | the surroundings of a call: its project's settings, plan and node |
//! | `src/arbiter/` | edge | carries out decisions on conflicts: joins the plan, the log of conflicts, git and journal; feature `cli` |
//! | `src/store/` | edge | the database of lessons: SQLite, the learner, shared files, and the files that hooks search; feature `cli` |
//! | `src/sessions/` | edge | finding and reading sessions: kinds of files, gzip, order of time, copies, threads; feature `cli` |
//! | `src/client/` | edge | the client as a program: starting, following and ending it with all its processes; feature `cli` |
//! | `src/notify.rs` | edge | starts the person's own program, and `failwise` in the background |
//! | `src/place/` | edge | the places of a project, its history, plan tree, settings and the user's sessions, and their trust |
//! | `src/compiled.rs` | edge | the store of projects' compiled readings and secrets |
//! | `src/recollect.rs` | edge | the past for a recovery plan, from the history and the database, and the record of the plan; feature `cli` |
//! | `src/recall/` | edge | known fixes, as flat files that the learner writes and a hook searches after a failure |
//! | `src/plan/` | edge | the plan tree: read by the hook within tight bounds; `edit/`, feature `cli`: read whole and changed by commands |
//! | `src/journal/` | edge | `history.jsonl`: the locked append, and the state next to it |
//! | `src/llm.rs` | edge | the one place that may ask a model: only on `failwise diagnose --llm`; feature `cli` |
//! | `src/ship/` | edge | verdicts as OpenTelemetry log records, written out, or posted to where the user's own settings say; feature `cli` |
//! | `src/host/` | edge | the clients' JSON in and out, a folder each: nothing else knows their names |
//! | `src/probe/` | edge | read-only looks at the machine for recovery plans: names, manifests, kinds of files, holders, running processes, renames in git, `--help`; feature `cli` |
//! | `src/near.rs` | edge | looks for the only name close to a missing one: among tracked files, or in a manifest |
//! | `src/tracked.rs` | edge | the names that git tracks, read from its index without git |
//! | `src/seen_file.rs` | edge | looks for the text of a failed edit in its file |
//! | `src/git.rs` | edge | git's answers on a worktree, read-only |
//! | `src/engine/` | capability | the one step that hook, `classify` and `replay` share: from a call to its events and messages |
//! | `src/replay/` | capability | transcripts and histories as the same calls again: rows, episodes with their ends and costs, loops, comparisons |
//! | `src/report/` | capability | an analysis as a page, Markdown, CSV and a few lines, with the page's own style and script; feature `cli` |
//! | `src/changes/` | capability | the changes that end recurring failures: what recurs in sessions, ranked, as lines and permission rules; feature `cli` |
//! | `src/watch/` | capability | the live view of a project: events in, rows out; feature `cli` |
//! | `src/stream/` | capability | the client's input and output: command files made into prompts, streams read to their results; feature `cli` |
//! | `src/stats.rs` | capability | the few numbers of a project: events in, numbers out; feature `cli` |
//! | `src/workflow/` | capability | workflows: their steps, the types of outputs, the state of a run; feature `cli` |
//! | `src/score/` | capability | the accuracy of the rules: the cases of their pages, labelled calls, groups of log lines; feature `cli` |
//! | `src/argus/` | capability | a failed test case by the inherited contract: its categories, readable patterns, the answer; feature `cli` |
//! | `src/advice/` | capability | messages to the agent and the person, and open failures |
//! | `src/guard/` | capability | the calls that may not run again |
//! | `src/decide/` | capability | the planner's step: retries, checks, replans, escalation, and the commands its agents may run unasked |
//! | `src/diagnose/` | capability | failure modes of command-line tools: the table of their evidence, and their texts |
//! | `src/forms/` | capability | what programs take instead of a given call: one table of forms, and edits of command lines |
//! | `src/conflicts/` | capability | conflicts between nodes: their kinds, detection, decision and log lines |
//! | `src/gate/` | capability | what may leave the history: the words of lessons and texts that hold no secret and reach nowhere |
//! | `src/knowledge/` | capability | failure memory: the rows of sessions, their lessons, and when and how these are reported |
//! | `src/test_runs/` | capability | test runs: read from runners' files, compared, and their flaky cases; feature `cli` |
//! | `src/names/` | capability | close names: existing names near a missing one, and the names that manifests declare |
//! | `src/edits/` | capability | texts that an edit did not find: the place of the same text apart from white space, and the difference |
//! | `src/recover/` | capability | ways past a failure: strategies, their order, the five whys; feature `cli` |
//! | `src/classify/` | capability | the two tables of rules and their conditions |
//! | `src/history/` | capability | the history as values: its events, the state they fold into, the facts that rules read |
//! | `src/reading/` | capability | the content of the output, and the outcome of the call |
//! | `src/signature/` | capability | fingerprints of errors, identities of calls; groups of log lines with the feature `cli` |
//! | `src/shell/` | capability | a parsed command line: its programs, and statuses hidden by a pipe |
//! | `src/programs/` | capability | facts about programs: one row a program or subcommand |
//! | `src/own/` | capability | a project's own readings and secrets: patterns compiled by the commands, followed by the hook without a compiler |
//! | `src/redact/` | capability | removal of secrets, before anything is stored, hashed or shown |
//! | `src/settings.rs` | capability | every setting with its source |
//! | `src/prices.rs` | capability | the cost of a model's tokens: a dated table, and the prices of settings |
//! | `src/trust.rs` | capability | trusted contents and histories of a project, and its rights without trust |
//! | `src/model/` | values | the common values, one type a file |
//! | `src/text/` | values | text for people and agents: one line, cut, quoted, numbers with their nouns; the name at the end of a path |
//! | `src/time/` | values | times and durations, read and printed |
//! | `src/front_matter.rs` | values | the YAML block at the head of a file, read field by field |
//! | `src/digest.rs` | values | hashes as short text: names, identities and checksums |
//! | `src/error.rs` | values | errors of commands, with a hint and an exit code |
//! | `src/exit.rs` | values | the exit codes of commands |

pub mod advice;
#[cfg(feature = "cli")]
pub mod arbiter;
#[cfg(feature = "cli")]
pub mod argus;
#[cfg(feature = "cli")]
pub mod changes;
pub mod classify;
#[cfg(feature = "cli")]
pub mod client;
pub mod compiled;
pub mod conflicts;
pub mod decide;
pub mod diagnose;
pub mod digest;
pub mod edits;
pub mod engine;
pub mod error;
pub mod exit;
pub mod forms;
mod front_matter;
pub mod gate;
pub mod git;
pub mod guard;
pub mod history;
pub mod hook;
pub mod host;
pub mod journal;
pub mod knowledge;
#[cfg(feature = "cli")]
pub mod llm;
pub mod model;
pub mod names;
pub mod near;
pub mod notify;
pub mod own;
pub mod place;
pub mod plan;
pub mod prices;
#[cfg(feature = "cli")]
pub mod probe;
pub mod programs;
pub mod project;
pub mod reading;
pub mod recall;
#[cfg(feature = "cli")]
pub mod recollect;
#[cfg(feature = "cli")]
pub mod recover;
pub mod redact;
pub mod replay;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
pub mod score;
pub mod seen_file;
#[cfg(feature = "cli")]
pub mod sessions;
pub mod settings;
pub mod shell;
#[cfg(feature = "cli")]
pub mod ship;
pub mod signature;
#[cfg(feature = "cli")]
pub mod stats;
#[cfg(feature = "cli")]
pub mod store;
#[cfg(feature = "cli")]
pub mod stream;
#[cfg(feature = "cli")]
pub mod test_runs;
pub mod text;
pub mod time;
mod tracked;
pub mod trust;
#[cfg(feature = "cli")]
pub mod watch;
#[cfg(feature = "cli")]
pub mod workflow;
