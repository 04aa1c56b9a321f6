//! Fingerprints of errors and the canonical identity of calls.

mod normalise;

pub use normalise::{Context, LONGEST, coarse, fine, fine_in};
