//! Points in time: as events carry them, as people type them, as tools name them.

use std::sync::OnceLock;

use chrono::{
    DateTime, Datelike, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeDelta, Utc,
};

use super::span::typed;

/// A point in time.
pub type Time = DateTime<Utc>;

/// The time that RFC 3339 text tells. None for anything else, and for years that have no four digits in UTC: as text they
/// would not be in the order of times.
pub fn parse(ts: &str) -> Option<Time> {
    let time = DateTime::parse_from_rfc3339(ts).ok()?.to_utc();
    (0..=9999).contains(&time.year()).then_some(time)
}

/// A time as events carry it: RFC 3339 UTC with milliseconds. Its order as text is the order of times.
pub fn stamp(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Milliseconds since 1970 of RFC 3339 text.
pub fn millis(ts: &str) -> Option<i64> {
    parse(ts).map(|time| time.timestamp_millis())
}

/// Milliseconds since 1970 of RFC 3339 text. None for a time before that.
pub fn since_1970(ts: &str) -> Option<u64> {
    u64::try_from(millis(ts)?).ok()
}

/// The time so many milliseconds after 1970, or before it, as events carry it.
pub fn stamp_of(ms: i64) -> Option<String> {
    DateTime::UNIX_EPOCH.checked_add_signed(TimeDelta::try_milliseconds(ms)?).map(stamp)
}

/// The time so many milliseconds after 1970, as events carry it.
pub fn stamp_at(ms: u64) -> Option<String> {
    stamp_of(i64::try_from(ms).ok()?)
}

/// The time so many milliseconds after another one.
pub fn after(time: Time, ms: u64) -> Option<Time> {
    time.checked_add_signed(TimeDelta::try_milliseconds(i64::try_from(ms).ok()?)?)
}

/// How many seconds ago the time of an event was; 0 for one to come, because clocks jump.
pub fn age_of(ts: &str, now: Time) -> Option<u64> {
    let seconds = (now - parse(ts)?).num_seconds();
    Some(u64::try_from(seconds).unwrap_or(0))
}

/// How far the clock that people are shown is from UTC at a moment, in milliseconds since 1970.
type WallClock = fn(i64) -> FixedOffset;
static SHOWN: OnceLock<WallClock> = OnceLock::new();

/// From now on people are shown times by this clock; by UTC without one.
pub fn show_by(clock: WallClock) {
    let _ = SHOWN.set(clock);
}

/// What the clock is called that people are shown times by.
pub fn clock_name() -> &'static str {
    let is_utc = |clock: &WallClock| [0, 15_638_400_000].iter().all(|ms| clock(*ms).local_minus_utc() == 0);
    if SHOWN.get().is_none_or(is_utc) { "UTC" } else { "local time" }
}

/// RFC 3339 text as `2026-03-14 09:00:07`, by the clock that people are shown.
fn on_the_wall(ts: &str) -> String {
    let by = |time: Time| SHOWN.get().map(|clock| time.with_timezone(&clock(time.timestamp_millis())).to_rfc3339());
    parse(ts).and_then(by).as_deref().unwrap_or(ts).chars().take(19).collect::<String>().replacen('T', " ", 1)
}

/// The same as `2026-03-14 09:00`.
pub fn minute(ts: &str) -> String {
    on_the_wall(ts).chars().take(16).collect()
}

/// The same as `09:00:07`.
pub fn time_of_day(ts: &str) -> String {
    on_the_wall(ts).chars().skip(11).collect()
}

/// The same as `2026-03-14`.
pub fn wall_day(ts: &str) -> String {
    minute(ts).chars().take(10).collect()
}

/// The time, in milliseconds since 1970, that a person means by a span before `now` such as `30d`, `-12h` or `2w`, by a month or
/// a date such as `2026-03-01`, by `yesterday` or by `2026-03-01 09:30`, all on a clock with this offset, or by RFC 3339 text.
pub fn since(text: &str, now: i64, offset: FixedOffset) -> Option<i64> {
    let today = DateTime::from_timestamp_millis(now)?.with_timezone(&offset).date_naive();
    let date = match text {
        "today" => Some(today),
        "yesterday" => today.pred_opt(),
        _ => [text.to_owned(), format!("{text}-01")].iter().find_map(|text| text.parse::<NaiveDate>().ok()),
    };
    if let Some(date) = date {
        return date.and_time(NaiveTime::MIN).and_local_timezone(offset).single().map(|at| at.timestamp_millis());
    }
    let clock = |form: &&str| NaiveDateTime::parse_from_str(text, form).ok();
    let clock = ["%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"].iter().find_map(clock);
    let at = clock.and_then(|at| at.and_local_timezone(offset).single()).map(|at| at.timestamp_millis());
    at.or_else(|| millis(text)).or_else(|| {
        let span = typed(text.strip_prefix('-').unwrap_or(text), "hdw").filter(|span| *span > 0)?;
        now.checked_sub(i64::try_from(span).ok()?)
    })
}

/// The moment that a tool names, in lower case: `1790000000`, `wed, 21 oct 2026 07:28:00 gmt`, `2026-10-21t07:28:00z`,
/// `2026-10-21 07:28:00 utc`, `3:30pm (utc)`. A clock without a zone is of nobody knows where, and names none.
pub fn moment(text: &str, now: Time) -> Option<Time> {
    let word = text.split([' ', ',', ';', ')']).next().unwrap_or("").trim_end_matches('.');
    if word.len() == 10 && word.bytes().all(|b| b.is_ascii_digit()) {
        return DateTime::from_timestamp(word.parse().ok()?, 0);
    }
    if let Ok(at) = word.to_ascii_uppercase().parse() {
        return Some(at);
    }
    let (stated, _) = text.split_once("utc").or_else(|| text.split_once("gmt"))?;
    let stated = stated.trim_end_matches([' ', '(']);
    ["%a, %d %b %Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(stated, form).ok())
        .or_else(|| next(clock(stated)?, now.naive_utc()))
        .map(|at| at.and_utc())
}

/// `3pm`, `3:30 pm`, `15:00`.
fn clock(text: &str) -> Option<NaiveTime> {
    let plain = text.trim_end_matches(['a', 'p', 'm', '.']).trim_end();
    let (hour, minute) = plain.split_once(':').unwrap_or((plain, "0"));
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match (text.contains('p'), text.contains('a')) {
        (true, _) => hour % 12 + 12,
        (_, true) => hour % 12,
        _ => hour,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

/// When the clock shows this the next time.
fn next(clock: NaiveTime, now: NaiveDateTime) -> Option<NaiveDateTime> {
    let today = now.date().and_time(clock);
    if today > now { Some(today) } else { today.checked_add_days(Days::new(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_form() {
        let normal = |ts: &str| parse(ts).map(stamp);
        assert_eq!(normal("2030-01-02T05:04:05.5+02:00").unwrap(), "2030-01-02T03:04:05.500Z");
        assert_eq!(normal("yesterday"), None);
        assert_eq!(normal("9999-12-31T23:00:00-05:00"), None, "a year of five digits in UTC");
        assert_eq!(millis("1970-01-01T00:00:01Z").and_then(stamp_of).as_deref(), Some("1970-01-01T00:00:01.000Z"));
        assert_eq!(since_1970("1970-01-01T00:00:01Z").and_then(stamp_at).as_deref(), Some("1970-01-01T00:00:01.000Z"));
        assert_eq!((since_1970("1969-12-31T23:59:59Z"), stamp_at(u64::MAX)), (None, None));
    }

    #[test]
    fn ages_are_never_negative() {
        let now = parse("2026-03-14T09:00:00Z").unwrap();
        assert_eq!(age_of("2026-03-14T08:59:00Z", now), Some(60));
        assert_eq!(age_of("2026-03-14T09:00:10Z", now), Some(0));
        assert_eq!(age_of("yesterday", now), None);
    }

    #[test]
    fn a_time_that_is_none_is_left_as_it_is() {
        assert_eq!(minute("2026-03-14T09:00:10Z"), "2026-03-14 09:00");
        assert_eq!(minute("sometime"), "sometime");
    }

    #[test]
    fn spans_and_dates_are_understood() {
        let day = 86_400_000;
        let hour_east = FixedOffset::east_opt(3600).unwrap();
        let since = |text, now| since(text, now, hour_east);
        assert_eq!((since("2d", 10 * day), since("-2d", 10 * day)), (Some(8 * day), Some(8 * day)));
        assert_eq!((since("1w", 10 * day), since("12h", day)), (Some(3 * day), Some(day / 2)));
        // The clock's day begins an hour before the one in UTC.
        let hour = day / 24;
        assert_eq!((since("1970-01-03", 0), since("1970-02", 0)), (Some(2 * day - hour), Some(31 * day - hour)));
        assert_eq!(
            (since("yesterday", 3 * day), since("today", 3 * day)),
            (Some(2 * day - hour), Some(3 * day - hour))
        );
        assert_eq!(since("today", 3 * day - hour), Some(3 * day - hour));
        assert_eq!((since("1970-01-03 01:00", 0), since("1970-01-03T00:00:00Z", 0)), (Some(2 * day), Some(2 * day)));
        for text in
            ["", "d", "-", "0d", "--1d", "30", "3y", "30\u{fc}", "99999999999999999999d", "9223372036854775807w"]
        {
            assert_eq!(since(text, day), None, "{text}");
        }
    }
}
