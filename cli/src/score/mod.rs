//! How right the rules are: on the cases of their pages, on calls that people labelled, on lines of logs.

mod calibration;
mod confidence;
mod given;
mod grouping;
mod labelled;
mod measure;
pub mod pages;
mod share;
mod tally;

pub use calibration::{Calibration, CalibrationError};
pub use confidence::{ConfidenceRow, ConfidenceSource, FEWEST, Precision, page};
pub use given::{GivenAnswer, given};
pub use grouping::{Grouping, grouping};
pub use labelled::{Label, Labelled};
pub use measure::{Measure, Measures};
pub use share::Share;
pub use tally::{Score, WrongRow};
