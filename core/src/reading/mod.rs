//! What a call's output says, and whether it really failed.
//!
//! One pass over a bounded part of the text finds the lines that recognisers know (`index`, `pattern`); a recogniser is
//! believed only when the call could have run its tool (`involved`); the order of the tables says which line is the cause
//! (`tables`, `resolve`); a fault of the network that a log or test merely holds is none (`spoken`); a tool's own error that none knows is read by its plain words
//! (`words`), a program's by its sentences (`sentences`); what became of each command of the line is told by status, result or silence (`parts`, `silence`); status and command say whether that is a failure at all (`judge`, `answers`, `limits`), and the last words of a program whose status is lost
//! whether that hides one (`hidden`, `endings`); what a program asks of nobody is a question whatever follows it (`question`); PowerShell's records tell what they are themselves (`powershell`).

mod answers;
mod check_kind;
pub mod clean;
mod collect;
mod delay;
mod endings;
mod finding;
mod given;
mod hidden;
mod index;
mod involved;
mod judge;
mod limits;
mod met;
mod own;
mod parts;
pub(crate) mod pattern;
mod powershell;
mod question;
mod recovery;
mod resolve;
mod row;
mod sentences;
mod silence;
mod spoken;
mod status;
mod subject;
mod tables;
mod unreached;
mod words;

pub use check_kind::CheckKind;
pub(crate) use delay::delay_until;
pub use finding::{findings, findings_of_line};
pub use hidden::refused_commit;
pub use judge::{BY_HOOK, Judgement, UNPERMITTED, judge, judge_script, own_limit, read, script_of};
pub use limits::is_endless;
pub use met::{ListedWord, RowId, listed_words, rows, rows_met, words_met};
pub use own::judge_by_own;
pub use parts::{By, CallPart, End, asks_about_itself};
pub use question::{asked_before_end, asks_at_end, question_in, unanswered_in};
pub(crate) use recovery::STASH_POP;
pub use recovery::named_step;
pub(crate) use resolve::is_inline;
pub use silence::shown_scripts;
pub use spoken::{is_warning, names_commit};
pub use status::http_status;
pub use subject::{begins_with_name, failed_command};
