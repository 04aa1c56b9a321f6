//! Text as it is shown to people and agents.

mod line;
mod number;

pub use line::{blanked, cut, head, is_invisible, one_line, quoted, start, tail};
pub use number::{count, many, share, short, spoken};
