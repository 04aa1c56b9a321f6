//! Fingerprints of errors and the canonical identity of calls.

mod normalise;
mod sign;

pub use normalise::{Context, LONGEST, coarse, fine, fine_in};
pub use sign::sign;
