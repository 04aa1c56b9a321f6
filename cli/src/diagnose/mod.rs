//! The pages of the failure modes, a diagnosis as it is printed, and the file of rules that it can be kept in.

pub mod pages;
pub mod result;
pub mod rules_file;

pub use failwise_core::diagnose::*;
