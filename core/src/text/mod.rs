//! Text as it is shown to people and agents, and paths as they stand in it.

mod line;
mod number;
mod part;
mod path;

pub use line::{
    blanked, capital, cut, head, holds_word, is_invisible, is_plain, one_line, quoted, quoted_exactly, small, start,
    tail,
};
pub use number::{count, many, rounded, rounded_to, share, short, spoken};
pub use part::{before, begins_in_any_case, offset_in, without_mark};
pub use path::{file_name, is_plain_path, project_folder};
