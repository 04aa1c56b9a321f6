//! The delay that the other side asks for: `Retry-After: 40`, `try again in 20s`, `resets 3pm (UTC)`.

use chrono::{DateTime, Days, NaiveDateTime, NaiveTime, Utc};

/// Words before which the delay stands, in lower case.
const MARKS: &[&str] = &[
    "retry-after:",
    "retry after",
    "retry_after",
    "try again in",
    "retry in",
    "resets in",
    "reset in",
    "reset after",
    "available in",
    "please wait",
    "retrydelay",
    "retry_delay",
];

/// Words before which the moment stands, in lower case.
const MOMENT_MARKS: &[&str] = &[
    "retry-after:",
    "resets at",
    "resets",
    "reset at",
    "try again at",
    "available at",
    "x-ratelimit-reset:",
    "ratelimit-reset:",
];

/// Longest delay that is believed: a day.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// The delay in milliseconds, where the text states one.
pub(super) fn asked_delay(text: &str) -> Option<u64> {
    text.lines().filter(|line| line.len() < 2000).find_map(in_line)
}

/// The delay in milliseconds from now (a time in RFC 3339) to the moment that the text names in UTC. A clock without a
/// zone is of nobody knows where, and names none.
pub(crate) fn delay_until(text: &str, now: &str) -> Option<u64> {
    let now = now.parse::<DateTime<Utc>>().ok()?.naive_utc();
    let mut lines = text.lines().filter(|line| line.len() < 2000);
    let at = lines.find_map(|line| {
        let lower = line.to_ascii_lowercase();
        MOMENT_MARKS.iter().find_map(|mark| lower.split_once(mark).and_then(|(_, rest)| moment(rest.trim(), now)))
    })?;
    let wait = u64::try_from((at - now).num_milliseconds()).ok()?;
    (wait > 0).then_some(wait.min(LONGEST_MS))
}

/// `1790000000`, `wed, 21 oct 2026 07:28:00 gmt`, `2026-10-21t07:28:00z`, `2026-10-21 07:28:00 utc`, `3:30pm (utc)`.
fn moment(text: &str, now: NaiveDateTime) -> Option<NaiveDateTime> {
    let word = text.split([' ', ',', ';', ')']).next().unwrap_or("").trim_end_matches('.');
    if word.len() == 10 && word.bytes().all(|b| b.is_ascii_digit()) {
        return DateTime::from_timestamp(word.parse().ok()?, 0).map(|at| at.naive_utc());
    }
    if let Ok(at) = word.to_ascii_uppercase().parse::<DateTime<Utc>>() {
        return Some(at.naive_utc());
    }
    let (stated, _) = text.split_once("utc").or_else(|| text.split_once("gmt"))?;
    let stated = stated.trim_end_matches([' ', '(']);
    ["%a, %d %b %Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(stated, form).ok())
        .or_else(|| next(clock(stated)?, now))
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

fn in_line(line: &str) -> Option<u64> {
    // The marks are rare; the two letters that all of them hold are not worth a table.
    let lower = line.to_ascii_lowercase();
    MARKS.iter().find_map(|mark| lower.split_once(mark).and_then(|(_, rest)| duration(rest)))
}

/// `40`, ` 1.5s`, ` 20 seconds`, ` 3m 20s`. A bare number is seconds.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text.trim_start_matches([' ', ':', '"', '\'', '=']);
    let mut total = 0_u64;
    for _ in 0..4 {
        let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let Ok(number) = rest.get(..digits).unwrap_or("").trim_end_matches('.').parse::<f64>() else { break };
        rest = rest.get(digits..).unwrap_or("").trim_start_matches(' ');
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let Some(unit) = unit(rest.get(..letters).unwrap_or("")) else { break };
        total = total.saturating_add(milliseconds(number, unit));
        rest = rest.get(letters..).unwrap_or("").trim_start_matches([' ', ',']);
    }
    (total > 0).then_some(total.min(LONGEST_MS))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range first")]
fn milliseconds(number: f64, unit: f64) -> u64 {
    (number * unit).clamp(0.0, 86_400_000.0) as u64
}

fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "ms" | "millisecond" | "milliseconds" => 1.0,
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1000.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
        "h" | "hr" | "hour" | "hours" => 3_600_000.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{asked_delay, delay_until};

    #[test]
    fn moments_are_read() {
        for (text, minutes) in [
            ("You've hit your session limit · resets 3pm (UTC)", Some(180)),
            ("limit resets at 12:30 UTC", Some(30)),
            ("resets at 11:30 am (UTC)", Some(23 * 60 + 30)),
            ("Retry-After: Wed, 21 Oct 2026 12:05:00 GMT", Some(5)),
            ("rate limit resets at 2026-10-21T13:00:00Z.", Some(60)),
            ("Please try again at 2026-10-21 12:10 UTC", Some(10)),
            ("x-ratelimit-reset: 1792584600", Some(10)),
            ("Try again at 5:30 PM.", None),
            ("Retry-After: Wed, 21 Oct 2020 12:05:00 GMT", None),
            ("resets tomorrow (UTC)", None),
            ("x-ratelimit-reset: 59", None),
        ] {
            let wanted: Option<u64> = minutes.map(|m: u64| m * 60_000);
            assert_eq!(delay_until(text, "2026-10-21T12:00:00Z"), wanted, "{text}");
        }
        assert_eq!(delay_until("resets 3pm (UTC)", "yesterday"), None);
    }

    #[test]
    fn delays_are_read() {
        for (text, delay) in [
            ("x\nRetry-After: 40\n", Some(40_000)),
            ("Please try again in 20s.", Some(20_000)),
            ("try again in 1m30.5s", Some(90_500)),
            ("limit resets in 2 minutes", Some(120_000)),
            ("retry after 3 hours, please", Some(10_800_000)),
            ("{\"retry_after\": 5}", Some(5_000)),
            ("{\"retryDelay\": \"34s\"}", Some(34_000)),
            ("Please wait 45 seconds", Some(45_000)),
            ("Retry-After: Wed, 21 Oct", None),
            ("try again in a while", None),
            ("try again later", None),
            ("Retry-After: 0", None),
            ("try again in 99999999999999999999 hours", Some(86_400_000)),
        ] {
            assert_eq!(asked_delay(text), delay, "{text}");
        }
    }
}
