//! Conflicts as only commands see them: found among the works of nodes (`board`, by `overlap` of files and by `regions` in one),
//! and decided by the table of `policy`.

pub mod board;
pub mod overlap;
pub mod policy;
pub mod regions;

pub use failwise_core::conflicts::*;
