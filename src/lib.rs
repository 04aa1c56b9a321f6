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
//! | room | layer | what it holds |
//! | --- | --- | --- |
//! | `src/hook.rs` | edge | one payload in, one answer out: joins host, project, engine and journal |
//! | `src/project.rs` | edge | what surrounds a call: its project's settings, its plan, and whose node it is |
//! | `src/arbiter/` | edge | carries out what is decided of conflicts: joins the plan, the log of conflicts, git and journal; feature `cli` |
//! | `src/store/` | edge | the base of what sessions taught: SQLite, the learner, what machines share, and the files that hooks search; feature `cli` |
//! | `src/sessions/` | edge | finding and reading what a person points at: kinds of files, gzip, order of time, copies, threads; feature `cli` |
//! | `src/client/` | edge | the client as a program: starting and following it, ending it with all that it left running; feature `cli` |
//! | `src/notify.rs` | edge | starts the person's own program, and `failwise` beside the hook |
//! | `src/place/` | edge | where a project, its history, its plan tree, its settings and the user's sessions lie, and how they stand |
//! | `src/compiled.rs` | edge | where the compiled readings and secrets of projects are kept |
//! | `src/recollect.rs` | edge | what a recovery plan knows of the past, from the history and the base, and the record of the plan itself; feature `cli` |
//! | `src/recall/` | edge | what worked before, as flat files that a hook searches after a failure and the learner writes |
//! | `src/plan/` | edge | the plan tree: read by the hook within tight bounds; `edit/`, feature `cli`: read whole and changed by commands |
//! | `src/journal/` | edge | `history.jsonl`: the locked append, and the state kept beside it |
//! | `src/llm.rs` | edge | the one place that may ask a model: only on `failwise diagnose --llm`; feature `cli` |
//! | `src/host/` | edge | Claude Code's JSON in and out: nothing else knows its names |
//! | `src/probe/` | edge | read-only looks at the machine for recovery plans: names, manifests, kinds of files, holders, running processes, what git says became of a file, `--help`; feature `cli` |
//! | `src/near.rs` | edge | looks for the only name that a missing one may have meant: among the tracked ones, or in a manifest |
//! | `src/tracked.rs` | edge | the names that git tracks, read from its index without git |
//! | `src/seen_file.rs` | edge | looks at the file of an edit that failed: where its text stands all the same |
//! | `src/git.rs` | edge | what git knows of a worktree: started with arguments only, changing nothing |
//! | `src/engine/` | capability | the one step that hook, `classify` and `replay` share: from a call to its events and what is said |
//! | `src/replay/` | capability | transcripts and histories as the same calls again: rows, episodes with their ends and costs, loops, comparisons |
//! | `src/report/` | capability | an analysis as a page, Markdown, CSV and a few lines, with the page's own style and script; feature `cli` |
//! | `src/watch/` | capability | what goes on in a project: events in, rows out; feature `cli` |
//! | `src/stream/` | capability | what goes into the client and what comes out: command files made into prompts, streams read to their results; feature `cli` |
//! | `src/stats.rs` | capability | the few numbers of a project: events in, numbers out; feature `cli` |
//! | `src/workflow/` | capability | workflows: their steps, what outputs must be, the state of a run; feature `cli` |
//! | `src/score/` | capability | how right the rules are: the cases of their pages, labelled calls, groups of log lines; feature `cli` |
//! | `src/argus/` | capability | a failed test case by the inherited contract: its categories, readable patterns, the answer; feature `cli` |
//! | `src/advice/` | capability | what the agent and the person read, and what is open |
//! | `src/guard/` | capability | which call is not let run again |
//! | `src/decide/` | capability | the planner's step: retries, checks, replans, escalation, and which commands of its agents run unasked |
//! | `src/diagnose/` | capability | failure modes of command-line tools: the table of their signs, and what is said of them |
//! | `src/conflicts/` | capability | conflicts between nodes: what one is, how it is found, which side gives way, what the lines of their log say |
//! | `src/knowledge/` | capability | failure memory: the rows that sessions teach, what is known by them, when it is told and in what words |
//! | `src/test_runs/` | capability | test runs: what one is, read from the files that runners write, compared, and which cases are flaky; feature `cli` |
//! | `src/names/` | capability | names that were probably meant: what is close to one that is not there, and what manifests declare |
//! | `src/edits/` | capability | texts that an edit did not find: where the same text stands but for white space, and by what it differs |
//! | `src/recover/` | capability | ways past a failure: strategies, their order, the five whys; feature `cli` |
//! | `src/classify/` | capability | the two tables of rules and their conditions |
//! | `src/history/` | capability | the history as values: its events, the state they fold into, the facts that rules read |
//! | `src/reading/` | capability | what the output says, and what became of the call |
//! | `src/signature/` | capability | fingerprints of errors, identities of calls; groups of log lines with the feature `cli` |
//! | `src/shell/` | capability | a command line taken apart: what runs, what a pipe hides |
//! | `src/programs/` | capability | what is known of programs: one row a program or subcommand |
//! | `src/own/` | capability | a project's own readings and secrets: patterns compiled by the commands, followed by the hook without a compiler |
//! | `src/redact/` | capability | secrets out, before anything is stored, hashed or shown |
//! | `src/settings.rs` | capability | every setting with its source |
//! | `src/trust.rs` | capability | what of a project may give orders: trusted contents and histories, and what counts without trust |
//! | `src/model/` | values | the values that everything speaks in, one type a file |
//! | `src/text/` | values | text as it is shown to people and agents: one line, cut, quoted, numbers with their nouns; the name at the end of a path |
//! | `src/time/` | values | times and durations, read and printed |
//! | `src/front_matter.rs` | values | the YAML block at the head of a file, read field by field |
//! | `src/digest.rs` | values | hashes as short text: names, identities and checksums |
//! | `src/error.rs` | values | why a command ends without its answer, with a hint and an exit code |
//! | `src/exit.rs` | values | the exit codes of commands |

pub mod advice;
#[cfg(feature = "cli")]
pub mod arbiter;
#[cfg(feature = "cli")]
pub mod argus;
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
mod front_matter;
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
