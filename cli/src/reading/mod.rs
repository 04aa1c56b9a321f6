//! What only commands read in an output: what a program proposes and lists (`suggestions`), the places that a failed run names
//! (`run_places`), the command to go on with (`printed`), and the signs of a failed test case (`case_signs`).

mod case_signs;
mod printed;
mod run_places;
mod suggestions;

pub use case_signs::{CaseSign, case_signs, says_where};
pub use printed::Printed;
pub use run_places::{SourcePlace, is_of_others, is_of_tests};

pub use failwise_core::reading::*;
