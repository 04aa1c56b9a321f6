//! Fingerprints of errors and the canonical identity of calls.

mod identity;
mod kind;
mod normalise;
mod operation;
mod sign;

pub use normalise::{Context, LONGEST, coarse, fine, fine_in};
pub use operation::{LONGEST_OPERATION, operation, operation_of_command, program_name};
pub use sign::{CallContext, sign};
