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
//! | `core/src/hook.rs` | edge | one payload in, one answer out: joins host, project, engine and journal |
//! | `core/src/project.rs` | edge | the surroundings of a call: its project's settings, plan and node |
//! | `core/src/notify.rs` | edge | starts the person's own program, and `failwise` in the background |
//! | `core/src/place/` | edge | the places of a project, its history, plan tree, settings and the user's sessions, and their trust |
//! | `core/src/compiled.rs` | edge | the store of projects' compiled readings and secrets |
//! | `core/src/recall/` | edge | known fixes, as flat files that the learner writes and a hook searches after a failure |
//! | `core/src/plan/` | edge | the plan tree, read by the hook within tight bounds |
//! | `core/src/journal/` | edge | `history.jsonl`: the locked append, and the state next to it |
//! | `core/src/host/` | edge | the clients' JSON in and out, a folder each: nothing else knows their names |
//! | `core/src/near.rs` | edge | looks for the only name close to a missing one: among tracked files, or in a manifest |
//! | `core/src/tracked.rs` | edge | what git's own files say without git: the names that it tracks, and whether a commit was made |
//! | `core/src/seen_file.rs` | edge | looks for the text of a failed edit in its file |
//! | `core/src/git.rs` | edge | git's answers on a worktree, read-only |
//! | `core/src/engine/` | capability | the one step that hook, `classify` and `replay` share: from a call to its events and messages |
//! | `core/src/advice/` | capability | messages to the agent and the person, and open failures |
//! | `core/src/guard/` | capability | the calls that may not run again |
//! | `core/src/decide/` | capability | the planner's step: retries, checks, replans, escalation, and the commands its agents may run unasked |
//! | `core/src/diagnose/` | capability | failure modes of command-line tools: the table of their evidence, and their texts |
//! | `core/src/forms/` | capability | what programs take instead of a given call: one table of forms, and edits of command lines |
//! | `core/src/conflicts/` | capability | conflicts between nodes as values, and the lines of their log |
//! | `core/src/knowledge/` | capability | failure memory in the hook: lessons about a failure, and fixes never reported unasked |
//! | `core/src/names/` | capability | close names: existing names near a missing one, and the names that manifests declare |
//! | `core/src/edits/` | capability | texts that an edit did not find: the place of the same text apart from white space, and the difference |
//! | `core/src/classify/` | capability | the two tables of rules and their conditions |
//! | `core/src/history/` | capability | the history as values: its events, the state they fold into, the facts that rules read |
//! | `core/src/reading/` | capability | the content of the output, and the outcome of the call |
//! | `core/src/signature/` | capability | fingerprints of errors, identities of calls |
//! | `core/src/shell/` | capability | a parsed command line: its programs, and statuses hidden by a pipe |
//! | `core/src/programs/` | capability | facts about programs: one row a program or subcommand |
//! | `core/src/own/` | capability | a project's own readings and secrets: compiled patterns, followed without a compiler |
//! | `core/src/redact/` | capability | removal of secrets, before anything is stored, hashed or shown |
//! | `core/src/settings.rs` | capability | every setting with its source |
//! | `core/src/prices.rs` | capability | the cost of a model's tokens: a dated table, and the prices of settings |
//! | `core/src/trust.rs` | capability | trusted contents and histories of a project, and its rights without trust |
//! | `core/src/model/` | values | the common values, one type a file |
//! | `core/src/text/` | values | text for people and agents: one line, cut, quoted, numbers with their nouns; the name at the end of a path |
//! | `core/src/time/` | values | times and durations, read and printed |
//! | `core/src/front_matter.rs` | values | the YAML block at the head of a file, read field by field |
//! | `core/src/digest.rs` | values | hashes as short text: names, identities and checksums |

pub mod advice;
pub mod classify;
pub mod compiled;
pub mod conflicts;
pub mod decide;
pub mod diagnose;
pub mod digest;
pub mod edits;
pub mod engine;
pub mod forms;
pub mod front_matter;
pub mod git;
pub mod guard;
pub mod history;
pub mod hook;
pub mod host;
pub mod journal;
pub mod knowledge;
pub mod model;
pub mod names;
pub mod near;
pub mod notify;
pub mod own;
pub mod place;
pub mod plan;
pub mod prices;
pub mod programs;
pub mod project;
pub mod reading;
pub mod recall;
pub mod redact;
pub mod seen_file;
pub mod settings;
pub mod shell;
pub mod signature;
pub mod text;
pub mod time;
pub mod tracked;
pub mod trust;
