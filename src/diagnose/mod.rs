//! Failure modes of command-line tools.

pub mod forms;
