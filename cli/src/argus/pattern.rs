//! The readable pattern of an error: what varies from run to run is replaced by names in angle brackets, the rest stays for
//! people to read. One pass from left to right, so that nothing replaced is looked at again.

use sha2::{Digest, Sha256};

use crate::digest::hex;

/// SHA-256 of a pattern, 64 lower-case hexadecimal digits.
pub fn signature_of(pattern: &str) -> String {
    hex(&Sha256::digest(pattern.as_bytes()), 32)
}

/// A line with `<UUID>`, `<TIMESTAMP>`, `<IP>`, `<PORT>`, `<HASH>`, `<ADDR>`, `<ID>`, `<TMP>`, `<LINE>`, `<DURATION>`, `<SIZE>`
/// and `<NUM>` for what varies, and `4xx` or `5xx` for a status.
pub fn readable(line: &str) -> String {
    let mut reader = PatternReader { line, at: 0, shown: String::with_capacity(line.len()) };
    while let Some(next) = reader.rest().chars().next() {
        if !reader.replaces(next) {
            reader.shown.push(next);
            reader.at += next.len_utf8();
        }
    }
    reader.shown
}

struct PatternReader<'l> {
    line: &'l str,
    at: usize,
    shown: String,
}

impl<'l> PatternReader<'l> {
    fn rest(&self) -> &'l str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> &'l str {
        self.line.get(..self.at).unwrap_or_default()
    }

    /// Replaces what begins here, if it is something that varies.
    fn replaces(&mut self, next: char) -> bool {
        match next {
            ':' => self.after_colon(),
            '/' => self.segment(),
            _ if self.before().ends_with(is_word) => false,
            '[' => self.bracketed_address(),
            _ if next.is_ascii_hexdigit() => self.token(),
            _ => false,
        }
    }

    fn put(&mut self, length: usize, shown: &str) -> bool {
        self.at += length;
        self.shown.push_str(shown);
        true
    }

    /// A number after a colon: of an address a port, of a file a line.
    fn after_colon(&mut self) -> bool {
        let rest = self.rest();
        if !self.before().ends_with(is_word)
            && let Some(length) = v6(rest)
        {
            return self.put(length, "<IP>");
        }
        let number = digits(rest.get(1..).unwrap_or_default());
        let after = rest.get(1 + number..).unwrap_or_default();
        if number == 0 || number > 6 || after.starts_with(is_word) {
            return false;
        }
        let is_decimal = after.strip_prefix('.').is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
        let place = place_before(self.before(), &self.shown);
        match place {
            Some(PortOwner::Host) if number >= 2 && !is_decimal => self.put(1 + number, ":<PORT>"),
            Some(PortOwner::Name) if number >= 4 && !is_decimal => self.put(1 + number, ":<PORT>"),
            Some(PortOwner::File) => self.put(1 + number, ":<LINE>"),
            _ => false,
        }
    }

    /// A part of a path or of an address: a number, a hash, a temporary name.
    fn segment(&mut self) -> bool {
        let rest = self.rest();
        let segment = rest.get(1..).unwrap_or_default();
        let length = segment.find(|c: char| !(is_word(c) || c == '-')).unwrap_or(segment.len());
        let (segment, after) = segment.split_at(length);
        // What goes on with a dot or a colon is a file's name or a place, and `10/12` a progress.
        let goes_on = after.strip_prefix(['.', ':']).is_some_and(|after| after.starts_with(is_word));
        let is_progress = self.before().ends_with(|c: char| c.is_ascii_digit()) && !self.shown.ends_with('>');
        if segment.is_empty() {
            return false;
        }
        if self.shown.ends_with("/tmp") && self.before().ends_with("/tmp") {
            return self.put(1 + length, "/<TMP>");
        }
        if uuid_length(segment) == Some(segment.len()) && !goes_on {
            return self.put(1 + length, "/<UUID>");
        }
        if goes_on || is_progress {
            return false;
        }
        if segment.bytes().all(|b| b.is_ascii_digit()) {
            return self.put(1 + length, "/<ID>");
        }
        is_hash(segment, 8) && self.put(1 + length, "/<HASH>")
    }

    fn bracketed_address(&mut self) -> bool {
        let rest = self.rest().get(1..).unwrap_or_default();
        match v6(rest) {
            Some(length) if rest.get(length..).is_some_and(|after| after.starts_with(']')) => {
                self.put(length + 2, "<IP>")
            }
            _ => false,
        }
    }

    /// A word that begins with a hexadecimal digit.
    fn token(&mut self) -> bool {
        let rest = self.rest();
        if let Some(length) = v4(rest) {
            return !self.is_version() && self.put(length, "<IP>");
        }
        if let Some((length, shown)) = TOKENS.iter().find_map(|(find, shown)| Some((find(rest)?, shown))) {
            return self.put(length, shown);
        }
        self.number()
    }

    fn is_version(&self) -> bool {
        let before = self.before().trim_end();
        ["version", "Version"].iter().any(|word| before.ends_with(word))
    }

    /// A number by itself.
    fn number(&mut self) -> bool {
        let rest = self.rest();
        let length = digits(rest);
        let after = rest.get(length..).unwrap_or_default();
        if length == 0
            || self.before().ends_with(['.', ',']) && self.before().len() > 1 && ends_in_decimal(self.before())
        {
            return false;
        }
        let fraction = after.strip_prefix('.').map_or(0, |after| match digits(after) {
            0 => 0,
            digits => digits + 1,
        });
        let whole = length + fraction;
        let after = rest.get(whole..).unwrap_or_default();
        if let Some((unit, shown)) = unit(after) {
            return self.put(whole + unit, shown);
        }
        if after.starts_with(is_word) || after.strip_prefix('.').is_some_and(|after| after.starts_with(is_word)) {
            return false;
        }
        let named = name_before(self.before());
        match named {
            Some(shown) if fraction == 0 => self.put(length, shown),
            _ if length == 3 && fraction == 0 && rest.starts_with('4') => self.put(length, "4xx"),
            _ if length == 3 && fraction == 0 && rest.starts_with('5') => self.put(length, "5xx"),
            _ if length >= 4 => self.put(whole, "<NUM>"),
            _ => false,
        }
    }
}

/// How long what begins a text is, if it is something of a kind.
type Find = fn(&str) -> Option<usize>;

/// What may stand as a word of its own, in the order in which it is looked for.
const TOKENS: &[(Find, &str)] = &[
    (uuid_length, "<UUID>"),
    (timestamp, "<TIMESTAMP>"),
    (clock, "<TIMESTAMP>"),
    (v6, "<IP>"),
    (address, "<ADDR>"),
    (hash, "<HASH>"),
];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Whether a text ends in the first half of a decimal number or of a version.
fn ends_in_decimal(before: &str) -> bool {
    before.get(..before.len() - 1).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
}

fn bounded(text: &str, length: usize) -> Option<usize> {
    let after = text.get(length..)?;
    (!after.starts_with(is_word)).then_some(length)
}

fn uuid_length(text: &str) -> Option<usize> {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    let mut at = 0;
    for (number, length) in GROUPS.into_iter().enumerate() {
        if number > 0 {
            at += text.get(at..)?.starts_with('-').then_some(1)?;
        }
        let group = text.get(at..at + length)?;
        at += group.bytes().all(|b| b.is_ascii_hexdigit()).then_some(length)?;
    }
    bounded(text, at)
}

/// A date, with a time and an offset where they stand there.
fn timestamp(text: &str) -> Option<usize> {
    let date = shaped(text, "dddd-dd-dd")?;
    let rest = text.get(date..)?;
    let time = rest.strip_prefix(['T', ' ']).and_then(time_of_day);
    let Some(time) = time else { return bounded(text, date) };
    let mut at = date + 1 + time;
    let rest = text.get(at..)?;
    let offset = shaped(rest, "+dd:dd").or_else(|| shaped(rest, "-dd:dd")).or_else(|| shaped(rest, "+dddd"));
    at += if rest.starts_with('Z') { 1 } else { offset.unwrap_or(0) };
    bounded(text, at)
}

fn clock(text: &str) -> Option<usize> {
    bounded(text, time_of_day(text)?)
}

/// A time with its seconds, and parts of them.
fn time_of_day(text: &str) -> Option<usize> {
    let whole = shaped(text, "dd:dd:dd")?;
    let fraction = text.get(whole..)?.strip_prefix(['.', ',']).map_or(0, digits);
    Some(if fraction > 0 { whole + 1 + fraction } else { whole })
}

/// The length of the shape, where the text begins with it: `d` is a digit, everything else itself.
fn shaped(text: &str, shape: &str) -> Option<usize> {
    let text = text.as_bytes().get(..shape.len())?;
    let fits =
        text.iter().zip(shape.bytes()).all(|(b, shape)| if shape == b'd' { b.is_ascii_digit() } else { *b == shape });
    fits.then_some(shape.len())
}

fn v4(text: &str) -> Option<usize> {
    let mut at = 0;
    for octet in 0..4 {
        if octet > 0 {
            at += text.get(at..)?.starts_with('.').then_some(1)?;
        }
        let rest = text.get(at..)?;
        let length = digits(rest);
        rest.get(..length)?.parse::<u8>().ok()?;
        at += length;
    }
    let more = text.get(at..)?.strip_prefix('.').is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    if more { None } else { bounded(text, at) }
}

/// An address of version 6: hexadecimal groups with `::` among them, or all eight.
fn v6(text: &str) -> Option<usize> {
    let length = text.find(|c: char| !(c.is_ascii_hexdigit() || c == ':')).unwrap_or(text.len());
    let found = text.get(..length)?;
    // A colon that ends it belongs to the sentence.
    let found = if found.ends_with("::") { found } else { found.strip_suffix(':').unwrap_or(found) };
    let groups = found.split(':').filter(|group| !group.is_empty());
    let (mut count, mut fits) = (0, true);
    for group in groups {
        count += 1;
        fits &= group.len() <= 4;
    }
    let is_it = found.contains("::") && count >= 1 || count == 8;
    let has_digit = found.bytes().any(|b| b.is_ascii_digit());
    if is_it && fits && has_digit { bounded(text, found.len()) } else { None }
}

fn address(text: &str) -> Option<usize> {
    let number = text.strip_prefix("0x")?;
    let length = number.bytes().take_while(u8::is_ascii_hexdigit).count();
    if length == 0 { None } else { bounded(text, length + 2) }
}

fn hash(text: &str) -> Option<usize> {
    let length = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    let length = bounded(text, length)?;
    let is_file = text.get(length..)?.strip_prefix('.').is_some_and(|after| after.starts_with(is_word));
    (is_hash(text.get(..length)?, 7) && !is_file).then_some(length)
}

/// Whether it is hexadecimal with digits and letters, as a hash is and hardly any word or number.
fn is_hash(text: &str, least: usize) -> bool {
    let has = |is: fn(&u8) -> bool| text.bytes().any(|b| is(&b));
    let is_hexadecimal = text.bytes().all(|b| b.is_ascii_hexdigit());
    text.len() >= least && is_hexadecimal && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// What a number behind a colon belongs to.
enum PortOwner {
    Host,
    /// A name without a dot: a service's or a word's.
    Name,
    File,
}

fn place_before(before: &str, shown: &str) -> Option<PortOwner> {
    if shown.ends_with("<IP>") || before.ends_with("<IP>") {
        return Some(PortOwner::Host);
    }
    if shown.ends_with(":<LINE>") {
        return Some(PortOwner::File);
    }
    let start = before.rfind(|c: char| !(is_word(c) || matches!(c, '.' | '-'))).map_or(0, |at| at + 1);
    let name = before.get(start..)?;
    let is_of_url = before.get(..start)?.ends_with("://") || before.get(..start)?.ends_with('@');
    if is_of_url || name.eq_ignore_ascii_case("localhost") {
        return if name.is_empty() { None } else { Some(PortOwner::Host) };
    }
    match name.rsplit_once('.') {
        None => name.starts_with(char::is_alphabetic).then_some(PortOwner::Name),
        Some((_, "com" | "org" | "net" | "io" | "dev" | "local" | "internal" | "test" | "example" | "svc" | "lan")) => {
            Some(PortOwner::Host)
        }
        Some((_, ending)) => ending.starts_with(char::is_alphabetic).then_some(PortOwner::File),
    }
}

/// The unit that a number has, with the blank before it.
fn unit(after: &str) -> Option<(usize, &'static str)> {
    const DURATIONS: &[&str] = &[
        "milliseconds",
        "millisecond",
        "microseconds",
        "seconds",
        "second",
        "minutes",
        "minute",
        "hours",
        "hour",
        "secs",
        "mins",
        "sec",
        "min",
        "ms",
        "µs",
        "us",
        "ns",
        "s",
        "m",
        "h",
    ];
    const SIZES: &[&str] = &["bytes", "byte", "KiB", "MiB", "GiB", "KB", "MB", "GB", "kB", "B"];
    let blank = usize::from(after.starts_with(' '));
    let word = after.get(blank..)?;
    let find = |units: &[&str]| {
        let is_it = |unit: &&&str| {
            // One letter is a unit only right behind its number.
            (blank == 0 || unit.len() > 1) && word.strip_prefix(**unit).is_some_and(|after| !after.starts_with(is_word))
        };
        units.iter().find(is_it).map(|unit| unit.len() + blank)
    };
    find(DURATIONS).map(|length| (length, "<DURATION>")).or_else(|| Some((find(SIZES)?, "<SIZE>")))
}

/// What the word before a number says that it is.
fn name_before(before: &str) -> Option<&'static str> {
    const NAMES: &[(&[&str], &str)] =
        &[(&["line", "lines", "column", "col"], "<LINE>"), (&["port"], "<PORT>"), (&["pid", "id"], "<ID>")];
    let before = before.trim_end_matches([' ', '=', ':', '#', '"']);
    let start = before.rfind(|c: char| !is_word(c)).map_or(0, |at| at + before.get(at..).map_or(1, first_length));
    let word = before.get(start..)?.to_ascii_lowercase();
    NAMES.iter().find(|(names, _)| names.contains(&word.as_str())).map(|(_, shown)| *shown)
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_line_is_read_to_its_end(line in "\\PC{0,80}") {
            let _ = readable(&line);
        }

        #[test]
        fn addresses_are_one_pattern(a in any::<[u8; 4]>(), port in 10u32..100_000, rest in "( after|/api|, then|\\))?") {
            let [b, c, d, e] = a;
            let line = format!("connect ECONNREFUSED {b}.{c}.{d}.{e}:{port}{rest}");
            prop_assert_eq!(readable(&line), format!("connect ECONNREFUSED <IP>:<PORT>{rest}"));
        }
    }
}
