//! What each strategy looks for and does, by what it is about. Each function answers for one row of the table: an offer
//! with steps, or why there is none here.

#![expect(clippy::unnecessary_wraps, reason = "every function is that of a row, and has its type")]
#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names on PATH and in outputs are told letter by letter"
)]

pub(super) mod arguments;
pub(super) mod ask;
pub(super) mod dependencies;
pub(super) mod edits;
pub(super) mod forms;
mod instead;
pub(super) mod learned;
mod lines;
pub(super) mod looks;
pub(super) mod manifests;
pub(super) mod mends;
pub(super) mod names;
pub(super) mod paths;
pub(super) mod programs;
pub(super) mod refused;
pub(super) mod repositories;
pub(super) mod resources;
pub(super) mod services;
pub(super) mod settings;
pub(super) mod sources;
pub(super) mod syntax;
mod tested;
pub(super) mod time;
pub(super) mod tools;
pub(super) mod vcs;
mod vocabulary;
pub(super) mod work;
