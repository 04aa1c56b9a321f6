//! Dates, clock times and durations.

use super::Masked;
use super::cursor::{Cursor, is_digit, is_word};
use super::number::decimal_end;

const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: &[&str] = &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const ZONES: &[&str] = &["UTC", "GMT", "CET", "CEST", "EST", "EDT", "PST", "PDT", "AM", "PM", "am", "pm"];

/// Units directly behind a number.
const SHORT_UNITS: &[&str] = &["ns", "us", "µs", "μs", "ms", "s", "m", "h"];

/// Units that may also be behind a blank.
const LONG_UNITS: &[&str] = &[
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "hour",
    "hours",
    "msec",
    "millisecond",
    "milliseconds",
];

/// Exactly `count` digits.
fn exact_digits(at: Cursor<'_>, count: usize) -> Option<usize> {
    let end = at.run_within(count + 1, is_digit);
    (end - at.at == count).then_some(end)
}

/// One or two digits.
fn few_digits(at: Cursor<'_>) -> Option<usize> {
    exact_digits(at, 2).or_else(|| exact_digits(at, 1))
}

/// Year, month and day in either order and with the usual separators, and a clock time behind it.
pub(super) fn date(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let end = year_first(at).or_else(|| year_last(at))?;
    at.ends_at(end).then_some(())?;
    Some(Masked::new(zoned(at.moved_to(with_clock(at.moved_to(end)))), "<time>"))
        .filter(|mask| at.ends_at(mask.end))
        .or_else(|| Some(Masked::new(end, "<time>")))
        .filter(|mask| at.ends_at(mask.end) || at.moved_to(mask.end).byte() == Some(b'T'))
}

fn year_first(at: Cursor<'_>) -> Option<usize> {
    let year = at.moved_to(exact_digits(at, 4)?);
    let sign = year.byte().filter(|byte| matches!(byte, b'-' | b'/'))?;
    let month = year.moved_to(exact_digits(year.moved_to(year.at + 1), 2)?);
    let day = if month.byte() == Some(sign) { exact_digits(month.moved_to(month.at + 1), 2)? } else { return None };
    Some(with_letter_clock(at.moved_to(day)))
}

/// `T` joins a clock time to a date.
fn with_letter_clock(day: Cursor<'_>) -> usize {
    let clock = day.moved_to(day.at + 1);
    if day.byte() == Some(b'T') { clock_end(clock).map_or(day.at, |end| zoned(clock.moved_to(end))) } else { day.at }
}

fn year_last(at: Cursor<'_>) -> Option<usize> {
    let first = at.moved_to(few_digits(at)?);
    let sign = first.byte().filter(|byte| *byte == b'/' || (*byte == b'.' && first.at - at.at == 2))?;
    let second = first.moved_to(first.at + 1);
    let second = second.moved_to(few_digits(second).or_else(|| month_end(second))?);
    let year = second.moved_to(second.at + 1);
    if second.byte() == Some(sign) { exact_digits(year, 4) } else { None }
}

fn month_end(at: Cursor<'_>) -> Option<usize> {
    MONTHS.iter().any(|month| at.goes_on(month.as_bytes())).then_some(at.at + 3)
}

/// Past the clock time that is behind a date.
fn with_clock(date: Cursor<'_>) -> usize {
    let comma = date.moved_to(date.at + usize::from(date.byte() == Some(b',')));
    let joined = matches!(comma.byte(), Some(b' ' | b':' | b'_'));
    let clock = comma.moved_to(comma.at + 1);
    if joined { clock_end(clock).unwrap_or(date.at) } else { date.at }
}

/// Hours, minutes and seconds, with their fraction.
pub(super) fn clock(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let end = clock_end(at)?;
    Some(Masked::new(zoned(at.moved_to(end)), "<time>")).filter(|mask| at.ends_at(mask.end))
}

fn clock_end(at: Cursor<'_>) -> Option<usize> {
    let hours = at.moved_to(few_digits(at)?);
    let sign = hours.byte().filter(|byte| matches!(byte, b':' | b'_'))?;
    let minutes = hours.moved_to(exact_digits(hours.moved_to(hours.at + 1), 2)?);
    if minutes.byte() != Some(sign) {
        return spelled_half(at, minutes);
    }
    let seconds = minutes.moved_to(exact_digits(minutes.moved_to(minutes.at + 1), 2)?);
    let fraction = seconds.moved_to(seconds.at + 1);
    let fractional = matches!(seconds.byte(), Some(b'.' | b',' | b'_')) && fraction.byte().is_some_and(is_digit);
    Some(if fractional { fraction.run(is_digit) } else { seconds.at })
}

/// Hours and minutes alone are a time only with the half of the day behind them.
fn spelled_half(at: Cursor<'_>, minutes: Cursor<'_>) -> Option<usize> {
    let half = [&b" AM"[..], b" PM", b" am", b" pm"].iter().any(|half| minutes.goes_on(half));
    (half && at.ends_at(minutes.at)).then_some(minutes.at)
}

/// Past the zones and offsets behind a time: `Z`, `+01:00`, ` +0000 UTC`, ` AM`.
fn zoned(time: Cursor<'_>) -> usize {
    let mut end = time.at;
    if time.byte() == Some(b'Z') {
        return end + 1;
    }
    for _ in 0..3 {
        let sign = time.moved_to(end + usize::from(time.moved_to(end).byte() == Some(b' ')));
        match offset_end(sign).or_else(|| zone_end(sign)) {
            Some(next) if time.ends_at(next) => end = next,
            _ => break,
        }
    }
    end
}

fn offset_end(at: Cursor<'_>) -> Option<usize> {
    let hours = at.moved_to(at.at + 1);
    if !matches!(at.byte(), Some(b'+' | b'-')) {
        return None;
    }
    let colon = exact_digits(hours, 2).filter(|end| at.moved_to(*end).byte() == Some(b':'));
    exact_digits(hours, 4).or_else(|| exact_digits(at.moved_to(colon? + 1), 2))
}

fn zone_end(at: Cursor<'_>) -> Option<usize> {
    ZONES.iter().find(|zone| at.goes_on(zone.as_bytes())).map(|zone| at.at + zone.len())
}

/// `Jan 2 15:04:05`, `Mon, 02 Jan 2006 15:04:05 GMT`, `Mon Jan 2 15:04:05 UTC 2006`.
pub(super) fn named_date(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let from = after_day_name(at);
    let day = after_month(from).or_else(|| day_and_month(from))?;
    let end = with_clock(day);
    let timed = end > day.at;
    let end = zoned(at.moved_to(if timed { end } else { day.at }));
    let year = year_behind(at.moved_to(end));
    let end = with_clock(at.moved_to(year.unwrap_or(end)));
    let told = timed || year.is_some();
    if told && at.ends_at(end) { Some(Masked::new(zoned(at.moved_to(end)), "<time>")) } else { None }
}

/// `E0203 04:05:06.123456 812 watch.go:41]`: level, month and day, clock and process in one.
pub(super) fn level_and_date(at: Cursor<'_>) -> Option<Masked> {
    let day = at.moved_to(at.at + 1);
    let blank = at.moved_to(exact_digits(day, 4)?);
    if !at.is_start() || !matches!(at.byte(), Some(b'I' | b'W' | b'E' | b'F')) || blank.byte() != Some(b' ') {
        return None;
    }
    let end = clock_end(blank.moved_to(blank.at + 1))?;
    let process = at.moved_to(end + 1);
    let close = process.run(is_digit);
    let is_named = at.moved_to(end).byte() == Some(b' ') && close > process.at && at.ends_at(close);
    Some(Masked::new(if is_named { close } else { end }, "<time>")).filter(|mask| at.ends_at(mask.end))
}

fn after_day_name(at: Cursor<'_>) -> Cursor<'_> {
    let named = DAYS.iter().any(|day| at.goes_on(day.as_bytes()));
    let comma = at.moved_to(at.at + 3);
    let blank = comma.moved_to(comma.at + usize::from(comma.byte() == Some(b',')));
    if named && blank.byte() == Some(b' ') { blank.moved_to(blank.at + 1) } else { at }
}

fn after_month(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let blank = at.moved_to(month_end(at)?);
    let day = blank.moved_to(blank.at + 1);
    if blank.byte() == Some(b' ') { few_digits(day).map(|end| day.moved_to(end)) } else { None }
}

fn day_and_month(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let blank = at.moved_to(few_digits(at)?);
    let month = blank.moved_to(blank.at + 1);
    if blank.byte() == Some(b' ') { month_end(month).map(|end| month.moved_to(end)) } else { None }
}

fn year_behind(at: Cursor<'_>) -> Option<usize> {
    let comma = at.moved_to(at.at + usize::from(at.byte() == Some(b',')));
    let year = comma.moved_to(comma.at + 1);
    if comma.byte() == Some(b' ') { exact_digits(year, 4).filter(|end| at.ends_at(*end)) } else { None }
}

/// `12ms`, `1.23 s`, `2m 0.0s`, `5 seconds`.
pub(super) fn duration(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let mut end = unit_end(at, SHORT_UNITS).or_else(|| blank_unit_end(at))?;
    loop {
        let next = at.moved_to(end + usize::from(at.moved_to(end).byte() == Some(b' ')));
        match unit_end(next, SHORT_UNITS).or_else(|| blank_unit_end(next)) {
            Some(further) => end = further,
            None => break,
        }
    }
    at.ends_at(end).then_some(Masked { end, words: "<dur>" })
}

fn unit_end(at: Cursor<'_>, units: &[&str]) -> Option<usize> {
    let unit = at.moved_to(at.byte().filter(u8::is_ascii_digit).map(|_| decimal_end(at))?);
    let end = unit.run_within(16, |byte| is_word(byte) && !is_digit(byte));
    units.iter().any(|known| known.as_bytes() == unit.to(end)).then_some(end)
}

fn blank_unit_end(at: Cursor<'_>) -> Option<usize> {
    if let Some(end) = unit_end(at, LONG_UNITS) {
        return Some(end);
    }
    let number = at.moved_to(at.byte().filter(u8::is_ascii_digit).map(|_| decimal_end(at))?);
    let unit = number.moved_to(number.at + 1);
    let end = unit.run_within(16, is_word);
    let known = number.byte() == Some(b' ') && LONG_UNITS.iter().any(|known| known.as_bytes() == unit.to(end));
    known.then_some(end)
}
