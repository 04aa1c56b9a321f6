//! The plan tree, read whole and changed: [`edit::Tree`] reads it, [`edit::Editor`] changes it.

pub mod edit;

pub use failwise_core::plan::*;
