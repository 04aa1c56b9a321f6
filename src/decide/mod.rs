//! The planner's step: what happens after a verdict, and what is not let happen again.

pub mod guard;
pub mod polls;
