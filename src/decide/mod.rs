//! The planner's step: what happens now, after a verdict. Pure: the tree, the history and the time are arguments.

pub mod arbitrate;
pub mod overlap;
pub mod regions;
