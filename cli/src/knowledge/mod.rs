//! Failure memory: what sessions teach of failures, and when it is worth telling.
//!
//! A session's events give rows ([`Learned`], by [`Learner`]): failures that were met, fixes that stood between two runs,
//! checks that passed. From the rows of all sessions comes what is known of a failure ([`Known`], by [`judge`]), with
//! counts, gates and order, and what an agent is told of it ([`say`]). Nothing here reads a file or a clock.

mod backtest;
mod between;
mod counts;
mod deed;
pub mod instead;
mod known;
mod learner;
mod leaving;
mod lesson;
mod never;
mod place;
mod recurring;
mod reported;
mod row;
mod say;

pub use backtest::{BacktestPast, Recollections};
pub use counts::{Counts, HALF_LIFE_MS};
pub use deed::LessonDeed;
pub use failwise_core::knowledge::{
    AGO, RecurringLine, Signs, case_fix_key, case_key, fill, may_stand_in_a_command, month_alone, why_not_unasked,
};
pub use instead::is_plain_word;
pub use known::{Known, KnownFix, LONGEST_WORDS, LessonIndex, judge};
pub use learner::{Learner, Taught};
pub use leaving::{shared_pattern, why_not_leaving, without_hidden};
pub use lesson::{Fix, LessonKind, Words};
pub use never::why_not_told;
pub use place::Root;
pub use recurring::{line_about, with_a_line};
pub use reported::{CaseReport, is_tellable};
pub use row::{HeardRow, Learned, Met, OpenSum, Passed, PatternRow, Planned, Sum, Tried};
pub use say::{Scope, say, say_case_fix, say_flaky, say_seen_before};
