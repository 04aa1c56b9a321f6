//! Text as it is shown to people and agents.

mod number;

pub use number::{count, many, share, short, spoken};
