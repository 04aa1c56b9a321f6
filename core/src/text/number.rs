//! Numbers as people read them.

/// A whole number with its thousands apart.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 call`, `2 calls`.
pub fn many(number: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { more })
}

/// A large number in a few characters.
pub fn short(number: u64) -> String {
    let rounded = |unit: u64| number.saturating_add(unit / 2) / unit;
    let tenths = |unit: u64| format!("{}.{}", rounded(unit / 10) / 10, rounded(unit / 10) % 10);
    match number {
        0..10_000 => count(number),
        10_000..999_500 => format!("{} k", rounded(1_000)),
        999_500..999_950_000 => format!("{} M", tenths(1_000_000)),
        _ => format!("{} G", tenths(1_000_000_000)),
    }
}

/// A part of a whole in per cent. Nothing of nothing is 0.
pub fn share(part: u64, all: u64) -> String {
    let percent = (u128::from(part) * 200 + u128::from(all)).checked_div(2 * u128::from(all)).unwrap_or_default();
    if part > 0 && percent == 0 { "< 1 %".to_owned() } else { format!("{percent} %") }
}

/// Four places behind the point: enough to tell numbers apart, and the same on every machine.
pub fn rounded(number: f64) -> f64 {
    rounded_to(number, 10_000.0)
}

/// The same to so many parts of one.
pub fn rounded_to(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

/// A wire word as it is spoken.
pub fn spoken(word: &str) -> String {
    word.replace('_', " ").replace("vcs", "version control")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_size() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [9_999, 10_499, 10_500, 999_499, 999_500, 1_999_999, 999_950_000, u64::MAX].map(short),
            ["9,999", "10 k", "11 k", "999 k", "1.0 M", "2.0 M", "1.0 G", "18446744073.7 G"]
        );
        assert_eq!(
            [(0, 0), (1, 3), (2, 3), (1, 1_000), (0, 7), (7, 7), (u64::MAX, u64::MAX)].map(|(a, b)| share(a, b)),
            ["0 %", "33 %", "67 %", "< 1 %", "0 %", "100 %", "100 %"]
        );
        assert_eq!(many(1, "call", "calls"), "1 call");
    }
}
