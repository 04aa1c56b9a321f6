//! How right the rules are: on the cases of their pages, on calls that people labelled.

mod confidence;
mod given;
mod labelled;
pub mod pages;
mod share;
mod tally;

pub use confidence::{ConfidenceRow, ConfidenceSource, Precision, page};
pub use given::{GivenAnswer, given};
pub use labelled::{Label, Labelled};
pub use share::Share;
pub use tally::{Score, WrongRow};
