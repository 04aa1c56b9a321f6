//! The cases of the rules' pages, and shares of rows with the interval that their number allows.

pub mod pages;
mod share;

pub use share::Share;
