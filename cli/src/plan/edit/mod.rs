//! The plan tree as commands read it, whole, and as they change it: as a whole or not at all.

mod checkpoint;
mod claims;
mod counters;
mod disk;
mod dispatch;
mod dispute;
mod document;
mod editor;
mod error;
mod freeze;
mod grow;
mod merged;
mod node;
mod outline;
mod pending;
mod proof;
mod replan;
mod revise;
mod scan;
mod steps;
#[cfg(test)]
mod tests;
mod tree;
mod undo;
mod validate;
mod wait;
mod working;

pub use claims::{HeardClaims, LeftClaim};
pub use dispatch::{PassedOver, TaskOffer};
pub use dispute::report;
pub use editor::{Change, Changed, Editor};
pub use error::ChangeError;
pub use freeze::Thaw;
pub use grow::{NewNode, constraint_of, init, together};
pub use merged::MergeSide;
pub use node::{Freeze, Node, Replans};
pub use outline::{Growth, Outline, ROOT};
pub use proof::Demand;
pub use replan::ReplanRequest;
pub use revise::NodeEdit;
pub use scan::look_at_each;
pub use steps::NodeEnd;
pub use tree::Tree;
pub use validate::{Invariant, Violation};
pub use wait::{Wait, WaitReason};
