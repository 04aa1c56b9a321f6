//! Failwise makes a coding agent wise about its failures.
//!
//! ```text
//! stdin         host/           reading/            model           journal/, plan/     classify/        journal/, host/
//! hook JSON -> ToolCall   ->  Reading (runner,  -> FailureEvent -> Facts (event,    -> RULES, first -> Verdict: a line in
//!              (wire names     result, category,   (None when it    episode, node,      match wins      history.jsonl, JSON
//!               end here)      line, objects)       did not fail)   siblings, plan)                     on stdout
//! ```
//!
//! Every arrow is one function, every box one type. Dependencies point one way: executables, then edges (`host`,
//! `journal`, `plan`, `sessions`), then capabilities (`shell`, `reading`, `signature`, `classify`, `decide`, `advise`,
//! `replay`, `redact`, `report`, `score`, `stats`, `watch`), then `programs` (what is known of programs), then `model`.

pub mod advise;
pub mod classify;
#[cfg(feature = "cli")]
pub mod conflicts;
pub mod decide;
pub mod digest;
pub mod error;
pub mod exit;
#[cfg(feature = "cli")]
pub mod git;
pub mod history;
pub mod hook;
pub mod host;
pub mod journal;
pub mod model;
pub mod notify;
pub mod observe;
pub mod plan;
pub mod programs;
pub mod reach;
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
#[cfg(feature = "cli")]
pub mod watch;
