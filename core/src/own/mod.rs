//! A project's own readings and secrets: what its settings file writes, the compiled form of that, and how a text is held
//! against it.
//!
//! A pattern is taken apart once, by the crates that `regex` is made of (`compile`, feature `cli`). What comes of it is
//! kept as bytes (`form`), so that the hook carries no compiler and no tables of characters: it looks for the fixed words
//! of which every match holds one (`pattern`), and only around one of them it follows the program (`program`).

mod form;
pub mod pattern;
pub mod program;
pub mod readings;
pub mod secrets;
pub mod written;

pub use form::OfSettings;
pub use form::{Form, FormKind, LARGEST_FORM};
pub use pattern::{MOST, REACH};
pub use readings::{OwnTold, Readings};
pub use secrets::Secrets;
pub(crate) use written::short_words;
pub use written::{Group, WrittenReading, WrittenSecret, reading_of, secret_of};

/// The longest kind of a secret, in bytes.
const LONGEST_KIND: usize = 40;

/// Whether a word can be the kind of a secret: it is shown in the secret's place, so nothing can be hidden in it.
fn is_kind(word: &str) -> bool {
    word.len() <= LONGEST_KIND
        && word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}
