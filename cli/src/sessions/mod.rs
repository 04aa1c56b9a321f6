//! The sessions that a person points at: finding files, telling what they are, and reading them as sessions.
//!
//! `find` walks folders and groups files: a session file with its subagents' files and its copies is one session, and so
//! is a history with its older parts. `Session::read` gives what a session tells in order of time, and `each` reads many
//! sessions at once. No file is held in memory, and the result does not depend on the number of threads or on the order
//! in which files were found.

mod each;
mod find;
mod format;
mod group;
mod input;
mod lines;
mod merge;
mod play;
mod read;

pub use each::each;
pub use find::{FoundFiles, LeftOut, find};
pub use format::FileFormat;
pub use group::{Session, SourceFile};
pub use lines::{LineReader, MAX_LINE_BYTES};
pub use read::{FileRead, Item};
