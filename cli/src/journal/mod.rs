//! What only commands read of histories: the parts of one from a place on, and what they keep of sessions that they read.

#![expect(clippy::disallowed_methods, reason = "an edge: the history is a file")]

mod parts;
mod readings;

pub use parts::{HistoryParts, NewSessions};
pub use readings::KeptReadings;

pub use failwise_core::journal::*;
