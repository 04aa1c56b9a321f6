//! Times as the data write them, to compare.

use chrono::{DateTime, NaiveDate, NaiveTime};

/// Milliseconds since 1970 of a time as RFC 3339 writes it; None for anything else.
pub(super) fn millis(ts: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(ts).ok().map(|time| time.timestamp_millis())
}

/// The time, in milliseconds since 1970, that a person means by a span before `now` such as `30d`, `12h` or `2w`, or by a
/// date such as `2026-03-01` (UTC).
pub fn since(text: &str, now: i64) -> Option<i64> {
    if let Ok(date) = text.parse::<NaiveDate>() {
        return Some(date.and_time(NaiveTime::MIN).and_utc().timestamp_millis());
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let hours = match unit {
        "h" => 1,
        "d" => 24,
        "w" => 7 * 24,
        _ => return None,
    };
    let number: i64 = number.parse().ok().filter(|number| *number > 0)?;
    number.checked_mul(hours * 3_600_000).and_then(|span| now.checked_sub(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_dates_are_understood() {
        let day = 86_400_000;
        assert_eq!(since("2d", 10 * day), Some(8 * day));
        assert_eq!((since("1w", 10 * day), since("12h", day)), (Some(3 * day), Some(day / 2)));
        assert_eq!(since("1970-01-03", 0), Some(2 * day));
        for text in ["", "d", "0d", "-1d", "30", "3y", "30\u{fc}", "99999999999999999999d", "9223372036854775807w"] {
            assert_eq!(since(text, day), None, "{text}");
        }
    }
}
