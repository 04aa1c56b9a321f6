//! The matcher for one line.
//!
//! | in a pattern | matches |
//! | --- | --- |
//! | a blank | one or more blanks or tabs |
//! | `#` | a number |
//! | `%` | a number other than zero |
//! | `*` | anything, also nothing |
//! | `{object}` `{msg}` | anything, at least one character |
//! | `{nested}` | the same, with ` › ` or ` > ` inside |
//! | `{name}` | without blanks or quotes |
//! | `{word}` | letters, digits and `_ - . / @ : +` |
//! | `{type}` | the same, and it names no object |
//! | `{rule}` | the same, with `-` or `/` inside |
//! | `{code}` | capital letters, then digits |
//! | `{setting}` | capital letters, digits and `_`, with `_` inside |
//! | `{package}` | the same, but no relative or absolute path |
//! | `{file}` | a path without blanks or quotes |
//! | `{path}` | a path with blanks |
//! | `{shell}` | the name of a shell |
//! | `{status:429}` | that number as the status of an HTTP answer, with its reason ([`super::status`]) |
//! | `{status:5}` | the same, any that begins with these digits |
//! | `^x` | this letter, small or capital |
//! | `^(words)` | these letters, each small or capital |
//! | `$` at the end | the end of the line |
//! | `\` | the next character itself |
//!
//! A pattern begins at the line's first character that is not blank; without `$` the line may go on. Runs are as short
//! as possible. The work for one line is bounded, whatever it holds.

use super::status;

/// What a line gave to the captures of its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Captures<'a> {
    pub(crate) object: Option<&'a str>,
    pub(crate) file: Option<&'a str>,
}

/// The most bytes of a line that are looked at.
pub(super) const MAX_LINE: usize = 1024;

/// The most comparisons that one line costs.
const BUDGET: u32 = 8 * 1024;

/// The captures of a line that matches.
pub(crate) fn captures<'a>(pattern: &str, line: &'a str) -> Option<Captures<'a>> {
    let line = line.trim_ascii();
    let mut matcher = Matcher { line, bytes: line.as_bytes(), budget: BUDGET, found: Captures::default() };
    matcher.at(pattern.as_bytes(), 0).then_some(matcher.found)
}

/// The digits of the name `status:429`.
fn status_digits(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(STATUS)
}

/// Whether the sign stands for itself in a pattern, wherever it is.
const fn is_plain(byte: u8) -> bool {
    !matches!(byte, b'*' | b'{' | b'$' | b' ' | b'#' | b'%' | b'^' | b'\\')
}

/// The letters behind `^`, and the pattern after them.
fn folded(pattern: &[u8]) -> (&[u8], &[u8]) {
    match pattern.strip_prefix(b"(").and_then(|inner| Some((inner, inner.iter().position(|b| *b == b')')?))) {
        Some((inner, end)) => (inner.get(..end).unwrap_or(&[]), inner.get(end + 1..).unwrap_or(&[])),
        None => pattern.split_at(pattern.len().min(1)),
    }
}

/// How the name of a status begins.
pub(super) const STATUS: &[u8] = b"status:";

struct Matcher<'a> {
    line: &'a str,
    bytes: &'a [u8],
    budget: u32,
    found: Captures<'a>,
}

impl Matcher<'_> {
    /// Whether the rest of the pattern matches from here. Recursion is as deep as the pattern has runs.
    fn at(&mut self, mut pattern: &[u8], mut at: usize) -> bool {
        while let Some((first, rest)) = pattern.split_first() {
            self.budget = self.budget.saturating_sub(1);
            if self.budget == 0 {
                return false;
            }
            let next = match first {
                b'*' => return self.run(ByteClass::Any, None, rest, at),
                b'{' => return self.capture(rest, at),
                b'$' if rest.is_empty() => return at == self.bytes.len(),
                b' ' => self.many(at, |b| matches!(b, b' ' | b'\t')),
                b'#' => self.many(at, |b| b.is_ascii_digit()),
                b'%' => self.many(at, |b| b.is_ascii_digit()).filter(|end| !self.is_zero(at, *end)),
                b'^' => {
                    let (folded, after) = folded(rest);
                    let here = self.bytes.get(at..at + folded.len());
                    if !here.is_some_and(|here| here.eq_ignore_ascii_case(folded)) {
                        return false;
                    }
                    (pattern, at) = (after, at + folded.len());
                    continue;
                }
                b'\\' => {
                    let Some((literal, after)) = rest.split_first() else { return false };
                    if self.bytes.get(at) != Some(literal) {
                        return false;
                    }
                    (pattern, at) = (after, at + 1);
                    continue;
                }
                literal => (self.bytes.get(at) == Some(literal)).then_some(at + 1),
            };
            let Some(next) = next else { return false };
            (pattern, at) = (rest, next);
        }
        true
    }

    fn many(&self, at: usize, is: impl Fn(u8) -> bool) -> Option<usize> {
        let count = self.bytes.get(at..)?.iter().take_while(|b| is(**b)).count();
        (count > 0).then_some(at + count)
    }

    fn is_zero(&self, from: usize, to: usize) -> bool {
        self.bytes.get(from..to).is_none_or(|digits| digits.iter().all(|b| *b == b'0'))
    }

    fn capture(&mut self, pattern: &[u8], at: usize) -> bool {
        let Some(end) = pattern.iter().position(|b| *b == b'}') else { return false };
        let (name, rest) = (pattern.get(..end).unwrap_or(&[]), pattern.get(end + 1..).unwrap_or(&[]));
        if let Some(digits) = status_digits(name) {
            return status::end(self.line, at, digits).is_some_and(|end| self.at(rest, end));
        }
        self.run(ByteClass::named(name), Some(name), rest, at)
    }

    fn run(&mut self, class: ByteClass, name: Option<&[u8]>, rest: &[u8], at: usize) -> bool {
        let shortest = at + usize::from(name.is_some());
        let longest = at + self.longest(class, at);
        if rest.is_empty() {
            return longest >= shortest && self.keep(class, name, at, longest);
        }
        let mut from = shortest;
        while let Some(end) = self.next_place(rest, from, longest) {
            match self.price_of_miss(rest, end) {
                Some(price) => self.budget = self.budget.saturating_sub(price),
                None if self.at(rest, end) => return self.keep(class, name, at, end),
                None => {}
            }
            if self.budget == 0 {
                break;
            }
            from = end + 1;
        }
        false
    }

    /// How many comparisons it takes to see that the pattern does not match here, where its first signs show that; None
    /// where all of it has to be looked at.
    fn price_of_miss(&self, pattern: &[u8], at: usize) -> Option<u32> {
        match pattern {
            [b'^', rest @ ..] => {
                let (letters, _) = folded(rest);
                let here = self.bytes.get(at..at + letters.len());
                (!here.is_some_and(|here| here.eq_ignore_ascii_case(letters))).then_some(1)
            }
            [first, second, ..] if is_plain(*first) && is_plain(*second) => {
                (self.bytes.get(at + 1) != Some(second)).then_some(2)
            }
            _ => None,
        }
    }

    /// The next place up to `longest` where the pattern's first sign can stand: most are passed over at the price of one
    /// comparison.
    fn next_place(&self, pattern: &[u8], from: usize, longest: usize) -> Option<usize> {
        let here = self.bytes.get(from..self.bytes.len().min(longest + 1))?;
        let found = match pattern {
            [b'{', b's', b't', b'a', b't', b'u', b's', b':', digit, ..] => here.iter().position(|b| b == digit),
            [b'*' | b'{', ..] => (from <= longest).then_some(0),
            [b'$'] => (longest == self.bytes.len()).then_some(here.len()),
            [b' ', ..] => here.iter().position(|b| matches!(b, b' ' | b'\t')),
            [b'#' | b'%', ..] => here.iter().position(u8::is_ascii_digit),
            [b'^', b'(', letter, ..] | [b'^', letter, ..] => here.iter().position(|b| b.eq_ignore_ascii_case(letter)),
            [b'\\', literal, ..] | [literal, ..] => here.iter().position(|b| b == literal),
            [] => None,
        };
        found.map(|found| from + found)
    }

    fn longest(&self, class: ByteClass, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        if class.holds_all() {
            return rest.len();
        }
        rest.iter().position(|b| !class.holds(*b)).unwrap_or(rest.len())
    }

    fn keep(&mut self, class: ByteClass, name: Option<&[u8]>, from: usize, to: usize) -> bool {
        let Some(text) = self.line.get(from..to) else { return name.is_none() };
        if !class.accepts(text) {
            return false;
        }
        match name {
            // Runs are kept from the last to the first: of several names the last counts, of several files the first.
            Some(b"object" | b"name" | b"word" | b"package" | b"nested" | b"rule" | b"code" | b"setting") => {
                self.found.object.get_or_insert(text.trim_ascii());
            }
            Some(b"file" | b"path") => self.found.file = Some(text.trim_ascii()),
            _ => {}
        }
        true
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Any,
    Solid,
    Word,
    Package,
    Nested,
    Rule,
    Code,
    Setting,
    File,
    Path,
    Shell,
}

impl ByteClass {
    fn named(name: &[u8]) -> Self {
        match name {
            b"name" => Self::Solid,
            b"word" | b"type" => Self::Word,
            b"package" => Self::Package,
            b"nested" => Self::Nested,
            b"rule" => Self::Rule,
            b"code" => Self::Code,
            b"setting" => Self::Setting,
            b"file" => Self::File,
            b"path" => Self::Path,
            b"shell" => Self::Shell,
            _ => Self::Any,
        }
    }

    fn holds_all(self) -> bool {
        matches!(self, Self::Any | Self::Nested)
    }

    /// Whether the byte may stand in a run.
    fn holds(self, byte: u8) -> bool {
        match self {
            Self::Any | Self::Nested => true,
            Self::Solid => !byte.is_ascii_whitespace() && !b"\"'`".contains(&byte),
            Self::Word | Self::Package | Self::Rule => byte.is_ascii_alphanumeric() || b"_-./@:+".contains(&byte),
            Self::Code => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Setting => byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_',
            Self::File => !byte.is_ascii_whitespace() && !b"\"'`<>|".contains(&byte),
            Self::Path => !b"\"'`<>|".contains(&byte),
            Self::Shell => byte.is_ascii_alphanumeric() || b"/().-_".contains(&byte),
        }
    }

    /// Whether the run as a whole is one.
    fn accepts(self, text: &str) -> bool {
        match self {
            Self::Package => !text.starts_with(['.', '/']) && !text.starts_with("@/"),
            Self::Nested => text.contains(" › ") || text.contains(" > "),
            Self::Rule => text.contains(['-', '/']),
            Self::Code => {
                text.starts_with(|c: char| c.is_ascii_uppercase()) && text.ends_with(|c: char| c.is_ascii_digit())
            }
            Self::Setting => text.starts_with(|c: char| c.is_ascii_uppercase()) && text.contains('_'),
            Self::File => !text.starts_with("http"),
            Self::Shell => text.ends_with("sh") || text == "(eval)",
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of<'a>(pattern: &str, line: &'a str) -> Option<(Option<&'a str>, Option<&'a str>)> {
        captures(pattern, line).map(|c| (c.object, c.file))
    }

    #[test]
    fn captures_are_cut_out() {
        assert_eq!(of("{file}:#:#: error: {msg}", "  src/a.c:3:14: error: no such"), Some((None, Some("src/a.c"))));
        assert_eq!(of("test {object} ... FAILED$", "test a::b c ... FAILED  "), Some((Some("a::b c"), None)));
        assert_eq!(of("*No module named '{package}'", "E   X: No module named 'yaml'"), Some((Some("yaml"), None)));
        assert_eq!(of("Tests: % failed", "Tests:\t  2 failed, 1 passed"), Some((None, None)));
        assert_eq!(of("\\# fail %", "# fail 3"), Some((None, None)));
        assert_eq!(of("✗ {object}", "✗ größer"), Some((Some("größer"), None)));
        assert_eq!(of("{setting} is not set", "SHOP_URL is not set"), Some((Some("SHOP_URL"), None)));
    }

    #[test]
    fn a_letter_may_be_small_or_capital() {
        assert_eq!(of("*^not logged in", "You are not logged in"), Some((None, None)));
        assert_eq!(of("*^not logged in", "Error: Not logged in"), Some((None, None)));
        assert_eq!(of("*^not logged in", "Error: dot logged in"), None);
        assert_eq!(of("*^(error) *: {object}", "wget: ERROR 7: x"), Some((Some("x"), None)));
        assert_eq!(of("*^(error) *: {object}", "wget: ERR 7: x"), None);
        assert_eq!(of("*\\^ SC#", "    ^ SC2086"), Some((None, None)));
    }

    #[test]
    fn a_status_is_part_of_a_pattern() {
        assert_eq!(of("*{status:429}", "Error: got HTTP 429 from there"), Some((None, None)));
        assert_eq!(of("{type}: *{status:5}$", "upload: 503 Service Unavailable"), Some((None, None)));
        assert_eq!(
            of("curl: (22) *{status:5}", "curl: (22) The requested URL returned error: 502"),
            Some((None, None))
        );
        assert_eq!(of("{status:429}", "429 Too Many Requests"), Some((None, None)));
        assert_eq!(of("*{status:429}", "line 429: error"), None);
    }

    #[test]
    fn near_misses_do_not_match() {
        assert_eq!(of("% failed", "0 failed"), None);
        assert_eq!(of("% failed", "failed"), None);
        assert_eq!(of("Tests: % failed", "All Tests: 2 failed"), None);
        assert_eq!(of("ok$", "okay"), None);
        assert_eq!(of("Cannot find module '{package}'", "Cannot find module './config.js'"), None);
        assert_eq!(of("{shell}: {object}: command not found", "note: x: command not found"), None);
        assert_eq!(of("{file}:#: {msg}", "two words:3: x"), None);
        assert_eq!(of("KeyError: '{setting}'", "KeyError: 'TOTAL'"), None);
    }

    #[test]
    fn a_hostile_line_costs_a_bounded_amount() {
        let line = "a".repeat(MAX_LINE);
        assert_eq!(of("*a*a*a*a*a*a*ab", &line), None);
    }

    proptest! {
        #[test]
        fn no_line_panics(pattern in "[a-c#%*^()$ \\\\{}]{0,10}", line in "\\PC{0,40}") {
            let _ = captures(&pattern, &line);
        }

        #[test]
        fn a_capture_is_part_of_the_line(line in "[a-zé :]{0,30}") {
            if let Some(found) = captures("{object}:*", &line) {
                prop_assert!(line.contains(found.object.unwrap_or("")));
            }
        }
    }
}
