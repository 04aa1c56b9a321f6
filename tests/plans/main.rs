//! Plan trees: decisions, conflicts, and commands that change them.

#[path = "../sandbox/feeding.rs"]
mod feeding;
#[path = "../sandbox/trusting.rs"]
mod trusting;

mod arbitrate;
mod broken;
mod clones;
mod crowd;
mod decide;
mod everyday;
mod held;
mod outline;
mod plan_commands;
mod plan_tree;
mod replans;
mod revise;
mod rulings;
mod waiting;
mod wrong_uses;
