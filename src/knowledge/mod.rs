//! Failure memory: what sessions teach of failures, and when it is worth telling.
//!
//! A session's events give rows ([`Learned`]): failures that were met, fixes that stood between two runs, checks that
//! passed. From the rows of all sessions comes what is known of a failure ([`Known`]), with counts, gates and order.

mod known;
mod lesson;
mod row;

pub use known::{Known, KnownFix};
pub use lesson::{Fix, Kind, Words};
pub use row::{Heard, Learned, Met, Passed, Pattern, Sum, Tried};
