//! The delay that the other side asks for: `Retry-After: 40`, `try again in 20s`, `resets in 3 minutes`.

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
];

/// Longest delay that is believed: a day.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// The delay in milliseconds, where the text states one.
pub(super) fn asked_delay(text: &str) -> Option<u64> {
    text.lines().filter(|line| line.len() < 2000).find_map(in_line)
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
    use super::asked_delay;

    #[test]
    fn delays_are_read() {
        for (text, delay) in [
            ("x\nRetry-After: 40\n", Some(40_000)),
            ("Please try again in 20s.", Some(20_000)),
            ("try again in 1m30.5s", Some(90_500)),
            ("limit resets in 2 minutes", Some(120_000)),
            ("retry after 3 hours, please", Some(10_800_000)),
            ("{\"retry_after\": 5}", Some(5_000)),
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
