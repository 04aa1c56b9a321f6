//! A project's own patterns, compiled into the program that the hook follows.

mod compile;
#[cfg(test)]
mod hidden;
#[cfg(test)]
mod tests;

pub use compile::{Compiled, compile};

pub use failwise_core::own::*;
