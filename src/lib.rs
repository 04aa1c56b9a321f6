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
//! and replay take the same step. Dependencies point one way: executables, then edges (`hook`, `project`, `host`,
//! `journal`, `place`, `plan`, `sessions`), then capabilities (`engine`, `shell`, `reading`, `signature`, `classify`, `decide`,
//! `guard`, `advice`, `replay`, `redact`, `report`, `score`, `stats`, `watch`), then `programs` (what is known of programs), then `model`.

pub mod advice;
#[cfg(feature = "cli")]
pub mod arbiter;
pub mod classify;
pub mod conflicts;
pub mod decide;
pub mod digest;
pub mod engine;
pub mod error;
pub mod exit;
#[cfg(feature = "cli")]
pub mod git;
pub mod guard;
pub mod history;
pub mod hook;
pub mod host;
pub mod journal;
pub mod model;
pub mod notify;
pub mod place;
pub mod plan;
pub mod programs;
pub mod project;
pub mod reading;
pub mod redact;
pub mod replay;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
pub mod score;
#[cfg(feature = "cli")]
pub mod sessions;
pub mod settings;
pub mod shell;
pub mod signature;
#[cfg(feature = "cli")]
pub mod stats;
pub mod text;
pub mod time;
#[cfg(feature = "cli")]
pub mod watch;
