//! Bytes of a text: the classes that secrets are told apart by, and walks over them.

/// A letter, digit or underscore of ASCII: other characters, such as typographic quotation marks, end a word.
pub(super) const fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

const WORD: [bool; 256] = words();

const fn words() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Where the run of bytes of one class that begins at `at` ends.
pub(super) fn run_end(bytes: &[u8], at: usize, class: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().position(|byte| !class(*byte)).unwrap_or(rest.len());
    #[cfg(test)]
    count_steps(length);
    at + length
}

/// How much of a value is looked at to judge it. Without a bound, a line of rejected values would cost its square.
pub(super) const JUDGED: usize = 256;

/// Where the run of bytes of one class that begins at `at` ends, or a bound that is enough to judge it.
pub(super) fn judged_end(bytes: &[u8], at: usize, class: impl Fn(u8) -> bool) -> usize {
    run_end(part(bytes, 0, bytes.len().min(at.saturating_add(JUDGED))), at, class)
}

/// Where the run of bytes of one class that ends at `end` begins; never before `floor`.
pub(super) fn run_start(bytes: &[u8], end: usize, floor: usize, class: impl Fn(u8) -> bool) -> usize {
    let before = bytes.get(floor..end).unwrap_or_default();
    let length = before.iter().rev().position(|byte| !class(*byte)).unwrap_or(before.len());
    #[cfg(test)]
    count_steps(length);
    end - length
}

/// The bytes from `start` to `end`.
pub(super) fn part(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    bytes.get(start..end).unwrap_or_default()
}

/// How often a sign is in a text.
pub(super) fn count(text: &[u8], sign: u8) -> usize {
    text.iter().fold(0, |all, byte| all + usize::from(*byte == sign))
}

/// Whether the text goes on with these bytes.
pub(super) fn goes_on(bytes: &[u8], at: usize, with: &[u8]) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(with))
}

/// Whether the text goes on with these letters in any case.
pub(super) fn goes_on_in_any_case(bytes: &[u8], at: usize, with: &[u8]) -> bool {
    bytes.get(at..at + with.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(with))
}

/// A blank within a line.
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// A byte that is no white space.
pub(super) fn is_visible(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
}

/// A quotation mark of a shell, JSON or a programming language.
pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// A byte of base64, either alphabet.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Whether the value holds both a digit and a letter.
pub(super) fn mixes_digits(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
}

/// Where the line that `at` is in ends.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    run_end(bytes, at, |byte| byte != b'\n' && byte != b'\r')
}

/// Where the client's truncation mark that begins at `at`, white space before it included, ends.
pub(super) fn mark_end(bytes: &[u8], at: usize) -> Option<usize> {
    let open = run_end(bytes, at, |byte| byte.is_ascii_whitespace());
    let number = open + MARK_OPEN.len();
    let close = run_end(bytes, number, |byte| byte.is_ascii_digit());
    let whole = goes_on(bytes, open, MARK_OPEN) && close > number && goes_on(bytes, close, MARK_CLOSE);
    whole.then(|| run_end(bytes, close + MARK_CLOSE.len(), |byte| byte.is_ascii_whitespace()))
}

/// Where the mark whose words begin at `at`, white space after it included, ends.
pub(super) fn mark_close(bytes: &[u8], at: usize) -> Option<usize> {
    let words = MARK_CLOSE.trim_ascii_start();
    goes_on(bytes, at, words).then(|| run_end(bytes, at + words.len(), |byte| byte.is_ascii_whitespace()))
}

/// Where the mark whose words begin at `at` begins.
pub(super) fn mark_start(bytes: &[u8], at: usize, floor: usize) -> Option<usize> {
    mark_close(bytes, at)?;
    let number = run_start(bytes, run_start(bytes, at, floor, is_blank), floor, |byte| byte.is_ascii_digit());
    part(bytes, floor, number).ends_with(MARK_OPEN).then(|| number - MARK_OPEN.len())
}

const MARK_OPEN: &[u8] = b"... [";
const MARK_CLOSE: &[u8] = b" characters truncated] ...";

#[cfg(test)]
thread_local! {
    /// How many bytes the walks of this thread went over.
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
fn count_steps(length: usize) {
    STEPS.with(|steps| steps.set(steps.get() + length));
}

/// How many bytes walks go over while `work` is done.
#[cfg(test)]
pub(super) fn steps_of(work: impl FnOnce()) -> usize {
    let before = STEPS.with(std::cell::Cell::get);
    work();
    STEPS.with(std::cell::Cell::get) - before
}
