//! What the agent and the person hear, and what is open.

pub mod agent;
mod commit;
mod edit_text;
mod last_words;
mod open;
pub mod person;
mod situation;
mod working_form;

pub use last_words::{is_among, sources_of};
