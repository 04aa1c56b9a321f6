//! Failure memory as the hook needs it: whether a lesson is about a failed call, what is put into its sentence when it is said, and
//! what is never told unasked. The lessons themselves are made by the commands' part of this room.

mod fill;
pub mod never;
mod recurring;
mod signs;

pub use fill::{AGO, OBJECT, case_fix_key, case_key, fill, may_stand_in_a_command, month_alone};
pub use never::why_not_unasked;
pub use recurring::RecurringLine;
pub use signs::Signs;
