//! What only commands read or make of the clients' JSON: `recovery` reads what a plan is asked for, `labelled` makes the payload
//! that a labelled call stands for.

pub mod labelled;
pub mod recovery;

pub use failwise_core::host::*;
