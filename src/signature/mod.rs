//! Fingerprints of errors and the canonical identity of calls.

mod identity;
mod kind;
mod normalise;
mod operation;
mod sign;
#[cfg(feature = "cli")]
mod tree;

pub use normalise::{Context, LONGEST, coarse, fine, fine_in};
pub use operation::{LONGEST_OPERATION, operation, operation_of_command};
pub use sign::{CallContext, sign};
#[cfg(feature = "cli")]
pub use tree::KindTree;
