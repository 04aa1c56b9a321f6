//! Times and spans of time, read and printed. The time itself is always an argument.

mod moment;
mod span;

pub use moment::{
    Time, after, age_of, clock_name, millis, minute, moment, parse, show_by, since, since_1970, stamp, stamp_at,
    stamp_of, time_of_day, wall_day,
};
pub use span::{duration, first_span, short_age, typed};
