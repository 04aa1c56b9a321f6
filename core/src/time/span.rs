//! Spans of time: as people type them, as programs print them, as they are shown.

use crate::text::count;

/// The units that a person types behind a whole number, with their milliseconds.
const TYPED: &[(&str, u64)] =
    &[("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 24 * 3_600_000), ("w", 7 * 24 * 3_600_000)];

/// A span as a person types it, a whole number with one of these units, in milliseconds: `90s`, `10m`, `12h`, `30d`, `4w`.
pub fn typed(text: &str, units: &str) -> Option<u64> {
    let (unit, length) = TYPED.iter().find(|(unit, _)| units.contains(unit) && text.ends_with(unit))?;
    let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
    Some(u64::from(number) * length)
}

/// The span at the beginning of what a program printed, in milliseconds, and what follows it: `1.5s`, `20 seconds`,
/// `10000 milliseconds.`. A number without a unit is of `bare` milliseconds each, where that is given.
pub fn first_span(text: &str, bare: Option<f64>) -> Option<(f64, &str)> {
    let digits = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, rest) = text.split_at_checked(digits)?;
    let number: f64 = number.trim_end_matches('.').parse().ok()?;
    let rest = rest.trim_start_matches(' ');
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = rest.split_at_checked(letters)?;
    let unit = if word.is_empty() { bare? } else { unit(word)? };
    Some((number * unit, rest))
}

fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000.0,
        _ => return None,
    })
}

/// A span as people read it: `12 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(milliseconds: u64) -> String {
    let seconds = (milliseconds + 500) / 1_000;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{} h {minutes} min", count(hours)),
    }
}

/// An age in two to four characters: `12s`, `5m`, `3h`, `20d`.
pub fn short_age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_spans_are_whole_numbers_with_an_allowed_unit() {
        assert_eq!((typed("90s", "smh"), typed("24h", "smh")), (Some(90_000), Some(86_400_000)));
        assert_eq!((typed("2w", "hdw"), typed("0d", "hdw")), (Some(1_209_600_000), Some(0)));
        for text in ["", "m", "10", "1d", "-1m", "4294967296h", "1\u{e9}", "1.5h", "1 h"] {
            assert_eq!(typed(text, "smh"), None, "{text}");
        }
    }

    #[test]
    fn printed_spans_are_read_with_their_rest() {
        let read = |text, bare| first_span(text, bare).map(|(ms, rest)| (ms.to_string(), rest));
        assert_eq!(read("1.5s, then", None), Some(("1500".to_owned(), ", then")));
        assert_eq!(read("10000 milliseconds.", None), Some(("10000".to_owned(), ".")));
        assert_eq!(read("120000ms", None), Some(("120000".to_owned(), "")));
        assert_eq!(read("40\"}", Some(1_000.0)), Some(("40000".to_owned(), "\"}")));
        for text in ["40", "", "s", "3 weeks", ". s", "-1 s"] {
            assert_eq!(read(text, None), None, "{text}");
        }
    }

    #[test]
    fn spans_are_short() {
        assert_eq!(
            [0, 1_499, 61_000, 3_600_000, 400_000_000].map(duration),
            ["0 s", "1 s", "1 min 1 s", "1 h 0 min", "111 h 6 min"]
        );
        let ages = [0, 59, 60, 3_599, 3_600, 86_399, 86_400, 8_640_000].map(short_age);
        assert_eq!(ages, ["0s", "59s", "1m", "59m", "1h", "23h", "1d", "100d"]);
    }
}
