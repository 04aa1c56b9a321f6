//! The client as a program: starting it, following it, ending it and what it left behind, and judging how it ended.

mod judge;

pub use judge::Judge;
