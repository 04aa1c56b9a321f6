//! Values assigned to a name that says it is secret: `DB_PASSWORD=...`, `"token": "..."`, `password: ...`, headers.

use super::Secret;
use super::bytes::{
    goes_on, goes_on_in_any_case, is_blank, is_quote, is_visible, is_word, judged_end, line_end, mixes_digits, part,
    run_end, run_start,
};

/// How much a value must look like a secret before it is taken for one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// The name says it all: any value.
    None,
    /// The name is also a word of programs: a value of some length.
    Some,
    /// The name is a common word: a value of some length with digits, or a long one.
    Much,
}

/// What a name ends with when its value is secret.
struct Name {
    ending: &'static str,
    kind: &'static str,
    doubt: Doubt,
    /// Whether something must be before the ending: `DB_PASS`, not `pass`.
    compound: bool,
}

const fn name(ending: &'static str, kind: &'static str, doubt: Doubt) -> Name {
    Name { ending, kind, doubt, compound: false }
}

const fn compound(ending: &'static str, kind: &'static str) -> Name {
    Name { ending, kind, doubt: Doubt::Some, compound: true }
}

/// Endings in lower case without separators: `api_key`, `apiKey`, `API-KEY` and `api key` are one row.
#[rustfmt::skip]
const NAMES: &[Name] = &[
    name("password",       "password", Doubt::None),
    name("passwd",         "password", Doubt::None),
    name("passphrase",     "password", Doubt::None),
    name("pwd",            "password", Doubt::None),
    compound("pass",       "password"),
    name("secret",         "secret",   Doubt::Some),
    name("apikey",         "api_key",  Doubt::Some),
    name("accesskey",      "api_key",  Doubt::Some),
    name("secretkey",      "api_key",  Doubt::Some),
    name("privatekey",     "api_key",  Doubt::Some),
    name("signingkey",     "api_key",  Doubt::Some),
    name("encryptionkey",  "api_key",  Doubt::Some),
    name("masterkey",      "api_key",  Doubt::Some),
    name("accountkey",     "api_key",  Doubt::Some),
    name("servicekey",     "api_key",  Doubt::Some),
    name("authkey",        "api_key",  Doubt::Some),
    name("servicerolekey", "api_key",  Doubt::Some),
    name("secretkeybase",  "api_key",  Doubt::Some),
    name("token",          "token",    Doubt::Much),
    name("jwt",            "token",    Doubt::Much),
    name("jsessionid",     "cookie",   Doubt::Much),
    name("phpsessid",      "cookie",   Doubt::Much),
    name("connect.sid",    "cookie",   Doubt::Much),
    name("authcode",       "secret",   Doubt::Much),
    name("xamzsignature",  "secret",   Doubt::Much),
    name("sig",            "secret",   Doubt::Much),
    name("_auth",          "secret",   Doubt::Much),
    name("auth",           "secret",   Doubt::Much),
];

/// For each last letter of the endings, of `Authorization` and of `Cookie`, the letters before it: one bit a letter.
const LAST_LETTERS: [u32; 32] = last_letters();

const fn last_letters() -> [u32; 32] {
    let mut table = [0; 32];
    admit(&mut table, b"authorization");
    admit(&mut table, b"cookie");
    let mut row = 0;
    while row < NAMES.len() {
        admit(&mut table, NAMES[row].ending.as_bytes());
        row += 1;
    }
    table
}

const fn admit(table: &mut [u32; 32], ending: &[u8]) {
    table[(ending[ending.len() - 1] & 31) as usize] |= 1 << (ending[ending.len() - 2] & 31);
}

/// Whether a name that ends with these letters may be of interest.
fn may_be_secret(name: &[u8]) -> bool {
    let [.., before, last] = name else { return false };
    last.is_ascii_alphabetic() && LAST_LETTERS[usize::from(last & 31)] >> (before & 31) & 1 == 1
}

/// Whether text before a `:` or `=` may end with the name of a secret, by its last two bytes. Too little of it, and
/// blanks or quotation marks, may hide one.
pub(super) fn may_name(before: &[u8]) -> bool {
    match before {
        [.., letter, last] if last.is_ascii_alphanumeric() => may_be_secret(&[*letter, *last]),
        [] | [_] => true,
        [.., last] => is_blank(*last) || is_quote(*last) || matches!(last, b']' | b'\\'),
    }
}

/// The name before a `:` or `=`, as it is in the text.
struct Assigned<'a> {
    name: &'a [u8],
    /// Whether only marks of lists and quotations are before it on its line.
    begins_line: bool,
    /// The quotation mark that is before the name, where there is one.
    quote: Option<u8>,
}

/// The secret value assigned at this `:` or `=`.
pub(super) fn at(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let assigned = assigned(bytes, at, floor)?;
    let value = value_start(bytes, at)?;
    if let Some(header) = header(assigned.name) {
        return header(bytes, value.start, &assigned);
    }
    let row = row_of(assigned.name)?;
    if is_directory_variable(assigned.name) {
        return None;
    }
    let value = AssignedValue::read(bytes, &assigned, &value)?;
    let secret = value.is_secret(bytes, row) && !value.repeats(assigned.name);
    secret.then(|| Secret { start: value.start, end: value.whole_end(bytes), kind: row.kind })
}

/// The kind and doubt that a name on a command line (`--password`) stands for.
pub(super) fn kind_of(name: &[u8]) -> Option<&'static str> {
    row_of(name).map(|row| row.kind)
}

fn row_of(name: &[u8]) -> Option<&'static Name> {
    let last = name.last()?.to_ascii_lowercase();
    NAMES.iter().filter(|row| row.ending.as_bytes().last() == Some(&last)).find(|row| ends_with(name, row))
}

fn ends_with(name: &[u8], row: &Name) -> bool {
    let mut end = name.len();
    for wanted in row.ending.bytes().rev() {
        match before(name, end, wanted) {
            Some(next) => end = next,
            None => return false,
        }
    }
    let rest = part(name, 0, end);
    !row.compound || rest.last().is_some_and(|byte| matches!(byte, b'_' | b'-' | b'.') || starts_hump(name, end, *byte))
}

/// `dbPass`: a capital after a small letter begins a word of its own.
fn starts_hump(name: &[u8], at: usize, before: u8) -> bool {
    before.is_ascii_lowercase() && name.get(at).is_some_and(u8::is_ascii_uppercase)
}

/// Where the wanted letter is before `end`, one separator aside.
fn before(name: &[u8], end: usize, wanted: u8) -> Option<usize> {
    let last = end.checked_sub(1)?;
    let byte = name.get(last)?.to_ascii_lowercase();
    if byte == wanted {
        return Some(last);
    }
    let further = last.checked_sub(1)?;
    let skips = matches!(byte, b'_' | b'-' | b'.' | b' ') && name.get(further)?.to_ascii_lowercase() == wanted;
    skips.then_some(further)
}

/// The shell's own variables for directories end like a password's name.
fn is_directory_variable(name: &[u8]) -> bool {
    matches!(name, b"PWD" | b"OLDPWD" | b"INIT_CWD")
}

const LONGEST_NAME: usize = 64;

fn assigned(bytes: &[u8], at: usize, floor: usize) -> Option<Assigned<'_>> {
    let floor = floor.max(at.saturating_sub(LONGEST_NAME));
    let closed = name_end(bytes, at, floor);
    if !may_be_secret(part(bytes, floor, closed)) {
        return None;
    }
    let start = run_start(bytes, closed, floor, |byte| is_word(byte) || matches!(byte, b'-' | b'.'));
    let start = with_word_before(bytes, start, closed, floor);
    let quote = part(bytes, floor, start).last().copied().filter(|byte| is_quote(*byte));
    Some(Assigned { name: part(bytes, start, closed), begins_line: begins_line(bytes, start, floor), quote })
}

/// Where the name before a sign ends: blanks, quotation marks and the bracket of a subscript are behind it.
fn name_end(bytes: &[u8], at: usize, floor: usize) -> usize {
    if part(bytes, floor, at).last().is_some_and(u8::is_ascii_alphanumeric) {
        return at;
    }
    let end = run_start(bytes, at, floor, is_blank);
    let subscript = usize::from(part(bytes, floor, end).ends_with(b"\"]") || part(bytes, floor, end).ends_with(b"']"));
    run_start(bytes, end - subscript, floor, |byte| is_quote(byte) || byte == b'\\')
}

/// `API key: ...`: the name of a key may be two words.
fn with_word_before(bytes: &[u8], start: usize, end: usize, floor: usize) -> usize {
    if !part(bytes, start, end).eq_ignore_ascii_case(b"key") || start <= floor || bytes.get(start - 1) != Some(&b' ') {
        return start;
    }
    run_start(bytes, start - 1, floor, is_word)
}

/// Where a value begins and how it is joined to its name.
struct ValueStart {
    start: usize,
    /// Whether nothing is between the sign and the value, as in a shell, a URL and a connection string.
    tight: bool,
    colon: bool,
}

/// Skips `=`, `:=`, `=>`, `:` and blanks. Comparisons and paths of modules assign nothing.
fn value_start(bytes: &[u8], at: usize) -> Option<ValueStart> {
    let previous = at.checked_sub(1).and_then(|before| bytes.get(before));
    let next = bytes.get(at + 1);
    let colon = bytes.get(at) == Some(&b':');
    if matches!(previous, Some(b'=' | b'!' | b'<' | b'>' | b':')) {
        return None;
    }
    let sign = match (colon, next) {
        (true, Some(b':')) | (false, Some(b'=' | b'~')) => return None,
        (true, Some(b'=')) | (false, Some(b'>')) => 2,
        _ => 1,
    };
    let start = run_end(bytes, at + sign, is_blank);
    let spaced = previous.is_some_and(|byte| is_blank(*byte)) || start > at + sign;
    Some(ValueStart { start, tight: sign == 1 && !spaced && !colon, colon: colon && sign == 1 })
}

/// How a value is set apart from the text around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By quotation marks.
    Quoted,
    /// By its name, as a shell, a URL or a connection string joins them.
    Tight,
    /// By the line, on which nothing else stands.
    Alone,
    /// Not at all: it may be the next word of a sentence.
    Loose,
}

/// A value as it is in the text.
struct AssignedValue<'a> {
    text: &'a [u8],
    start: usize,
    end: usize,
    form: Form,
    /// The name is an environment variable's.
    environment: bool,
}

impl<'a> AssignedValue<'a> {
    fn read(bytes: &'a [u8], assigned: &Assigned<'a>, from: &ValueStart) -> Option<Self> {
        let environment = is_environment(assigned.name) && !from.colon;
        let escape = run_end(bytes, from.start, |byte| byte == b'\\');
        let quote = bytes.get(escape).copied().filter(|byte| is_quote(*byte));
        let start = if quote.is_some() { escape + 1 } else { from.start };
        let end = match quote {
            Some(quote) => quoted_end(bytes, start, quote),
            None if environment && from.tight => shell_word_end(bytes, start, judged_end),
            None => judged_end(bytes, start, is_bare),
        };
        let form = match quote {
            Some(_) => Form::Quoted,
            None if from.tight => Form::Tight,
            None if assigned.begins_line && ends_line(bytes, end) && !(from.colon && is_typed(bytes, end)) => {
                Form::Alone
            }
            None => Form::Loose,
        };
        let text = part(bytes, start, end);
        (!text.is_empty()).then_some(Self { text, start, end, form, environment })
    }

    /// The end of the whole value: what was read to judge it may be its beginning only.
    fn whole_end(&self, bytes: &[u8]) -> usize {
        match self.form {
            Form::Quoted => self.end,
            Form::Tight if self.environment => shell_word_end(bytes, self.start, run_end),
            _ => run_end(bytes, self.start, is_bare),
        }
    }

    fn is_secret(&self, bytes: &[u8], row: &Name) -> bool {
        if is_placeholder(self.text) || is_path(self.text) || is_plain(self.text) || self.is_code(bytes) {
            return false;
        }
        let number = self.text.iter().all(u8::is_ascii_digit);
        if number && (row.compound || (self.text.len() < 4 && !self.environment)) {
            return false;
        }
        let sure = self.form != Form::Loose;
        if self.environment && sure {
            return true;
        }
        match row.doubt {
            Doubt::None => (sure && !is_sentence(self.text)) || is_dense(self.text),
            Doubt::Some => (sure && self.text.len() >= 6 && !is_sentence(self.text)) || is_dense(self.text),
            Doubt::Much => (sure && is_strong(self.text)) || is_dense(self.text),
        }
    }

    /// An expression that yields the value: a call, a field, a variable. Environments hold values only.
    fn is_code(&self, bytes: &[u8]) -> bool {
        if self.form == Form::Quoted || self.environment {
            return false;
        }
        let called = matches!(bytes.get(self.end), Some(b'(' | b'[' | b'{'));
        called
            || self.text.iter().any(|byte| matches!(byte, b'(' | b'[' | b'{'))
            || is_field(self.text)
            || row_of(self.text).is_some()
    }

    /// `password: password` says nothing, and keyword arguments look like this; an environment's value is one.
    fn repeats(&self, name: &[u8]) -> bool {
        !self.environment && self.text.eq_ignore_ascii_case(name)
    }
}

fn is_environment(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// A quoted value ends at its quotation mark, or, cut, at the line's end.
fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if byte == quote || byte == b'\n' || byte == b'\r' {
            break;
        }
        let escaped = byte == b'\\' && bytes.get(at + 1).is_some_and(|next| matches!(*next, b'\\') || *next == quote);
        if escaped && ends_escaped_value(bytes, start, at, quote) {
            break;
        }
        at += 1 + usize::from(escaped);
    }
    at
}

type Walk = fn(&[u8], usize, fn(u8) -> bool) -> usize;

/// In JSON inside a string, the escaped quotation mark is the end of the value that began with one.
fn ends_escaped_value(bytes: &[u8], start: usize, at: usize, quote: u8) -> bool {
    let began_escaped = start >= 2 && bytes.get(start - 2) == Some(&b'\\');
    began_escaped && bytes.get(at + 1) == Some(&quote)
}

fn shell_word_end(bytes: &[u8], start: usize, walk: Walk) -> usize {
    let end = walk(bytes, start, |byte| is_visible(byte) && !is_quote(byte));
    let tail = part(bytes, start, end)
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b';' | b'&' | b'|' | b',' | b')' | b'}' | b']' | b'\\'));
    end - tail.count()
}

/// A byte of a value without quotation marks.
fn is_bare(byte: u8) -> bool {
    is_visible(byte)
        && !is_quote(byte)
        && !matches!(byte, b',' | b';' | b'&' | b')' | b']' | b'}' | b'<' | b'>' | b'|' | b'\\')
}

fn begins_line(bytes: &[u8], name: usize, floor: usize) -> bool {
    let opens = |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b'-' | b'{' | b',' | b'+' | b'|');
    let start = run_start(bytes, name, floor, opens);
    start == 0 || part(bytes, floor, start).last().is_some_and(|byte| matches!(byte, b'\n' | b'\r' | b';'))
}

/// `token: Token;`: a field's type in a programming language.
fn is_typed(bytes: &[u8], end: usize) -> bool {
    bytes.get(end) == Some(&b';')
}

fn ends_line(bytes: &[u8], end: usize) -> bool {
    let rest = run_end(bytes, end, |byte| is_blank(byte) || matches!(byte, b',' | b';' | b'}'));
    bytes.get(rest).is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'#' | b'|'))
}

/// Variables, templates, masks and marks: what is there instead of a secret.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let Some(first) = value.first() else { return true };
    let opens = matches!(
        first,
        b'$' | b'<' | b'{' | b'[' | b'(' | b'%' | b'*' | b'@' | b'!' | b'|' | b'=' | b':' | b'?' | b'#'
    );
    let filled = value.iter().all(|byte| byte == first) && matches!(first, b'x' | b'X' | b'.' | b'-' | b'_');
    (opens && !is_dense(value))
        || value == b"["
        || filled
        || value.starts_with(b"[redacted:")
        || value.starts_with(b"REDACTED")
        || value.starts_with(b"...")
        || names_its_place(value)
}

const PLACES: &[&str] = &[
    "process.env",
    "os.environ",
    "os.getenv",
    "env.",
    "env:",
    "secrets.",
    "vault:",
    "op://",
    "your-",
    "your_",
    "env(",
];

fn names_its_place(value: &[u8]) -> bool {
    PLACES.iter().any(|place| goes_on_in_any_case(value, 0, place.as_bytes()))
}

/// `--password PASSWORD`: in a usage text the value's name is where the value would be.
pub(super) fn is_value_name(value: &[u8]) -> bool {
    let name = part(value, 0, run_end(value, 0, |byte| byte.is_ascii_uppercase() || byte == b'_'));
    let rest = part(value, name.len(), value.len());
    row_of(name).is_some() && rest.iter().all(|byte| matches!(byte, b']' | b')' | b'}' | b','))
}

/// A path to a file that holds the secret, not the secret.
pub(super) fn is_path(value: &[u8]) -> bool {
    let rooted = value.starts_with(b"/") && (part(value, 1, value.len()).contains(&b'/') || !mixes_digits(value));
    let drive = value.get(1..3).is_some_and(|rest| rest == b":\\" || rest == b":/");
    let relative = value.starts_with(b"./") || value.starts_with(b"../") || value.starts_with(b"~/");
    rooted || drive || relative
}

/// Words that stand for a type, a state or a rule where a secret would be: schemas, forms, type errors.
const PLAIN: &[&str] = &[
    "string",
    "str",
    "text",
    "number",
    "integer",
    "int",
    "bool",
    "boolean",
    "bytes",
    "any",
    "object",
    "unknown",
    "never",
    "option",
    "optional",
    "required",
    "missing",
    "invalid",
    "empty",
    "null",
    "nil",
    "none",
    "true",
    "false",
    "undefined",
    "varchar",
    "hidden",
    "yes",
    "no",
    "not",
    "is",
    "must",
    "was",
    "redacted",
    "self",
    "this",
    "default",
];

fn is_plain(value: &[u8]) -> bool {
    let word = part(value, 0, run_end(value, 0, |byte| byte.is_ascii_alphabetic()));
    let ends = word.len() == value.len()
        || value.get(word.len()).is_some_and(|byte| matches!(byte, b' ' | b'(' | b'[' | b'|' | b'?' | b'<'));
    ends && PLAIN.iter().any(|plain| word.eq_ignore_ascii_case(plain.as_bytes()))
}

/// Three words or more of letters: a message about the secret.
fn is_sentence(value: &[u8]) -> bool {
    value.split(|byte| *byte == b' ').nth(2).is_some() && value.iter().all(|byte| !byte.is_ascii_digit())
}

/// `config.db.password`, `request.form`: a field of something.
fn is_field(value: &[u8]) -> bool {
    let named = value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'?'));
    named && value.contains(&b'.')
}

fn is_strong(value: &[u8]) -> bool {
    !value.contains(&b' ') && ((value.len() >= 8 && mixes_digits(value)) || value.len() >= 20)
}

/// Long, without blanks and punctuation, letters and digits: no word of a sentence.
fn is_dense(value: &[u8]) -> bool {
    let random = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'/' | b'=');
    let first = part(value, 0, run_end(value, 0, |byte| byte.is_ascii_alphanumeric()));
    let telling = first.len() == value.len() || first.iter().any(u8::is_ascii_uppercase);
    (value.len() >= 20 && mixes_digits(value) && value.iter().all(random))
        || (first.len() >= 20 && mixes_digits(first) && telling)
}

type Header = fn(&[u8], usize, &Assigned<'_>) -> Option<Secret>;

fn header(name: &[u8]) -> Option<Header> {
    let is =
        |ending: &[u8]| name.len().checked_sub(ending.len()).is_some_and(|at| goes_on_in_any_case(name, at, ending));
    match () {
        () if is(b"authorization") => Some(authorization),
        () if is(b"cookie") => Some(cookie),
        () => None,
    }
}

/// Where a header's value begins, and the quotation mark that ends it: its own, or the one around the whole header.
fn header_value(bytes: &[u8], start: usize, assigned: &Assigned<'_>) -> (usize, Option<u8>) {
    let escape = run_end(bytes, start, |byte| byte == b'\\');
    match bytes.get(escape).copied().filter(|byte| is_quote(*byte)) {
        Some(quote) => (escape + 1, Some(quote)),
        None => (start, assigned.quote),
    }
}

/// Schemes whose one token follows; the others carry parameters to the end of the header.
const SCHEMES: &[(&str, &str)] = &[
    ("Bearer ", "bearer"),
    ("Basic ", "authorization"),
    ("Token ", "authorization"),
    ("ApiKey ", "authorization"),
    ("Api-Key ", "authorization"),
    ("SSWS ", "authorization"),
    ("Negotiate ", "authorization"),
    ("NTLM ", "authorization"),
];

fn authorization(bytes: &[u8], start: usize, assigned: &Assigned<'_>) -> Option<Secret> {
    let (start, _) = header_value(bytes, start, assigned);
    let scheme = SCHEMES.iter().find(|(scheme, _)| goes_on_in_any_case(bytes, start, scheme.as_bytes()));
    let (kind, from) = scheme.map_or(("authorization", start), |(scheme, kind)| (*kind, start + scheme.len()));
    let judged = judged_end(bytes, from, is_header_token);
    let token = part(bytes, from, judged);
    let closed = scheme.is_some() && token.len() >= 8 && ends_header(bytes, judged);
    let secret = !is_placeholder(token) && (is_strong(token) || closed);
    secret.then(|| Secret { start: from, end: run_end(bytes, from, is_header_token), kind })
}

fn is_header_token(byte: u8) -> bool {
    is_visible(byte) && !is_quote(byte) && !matches!(byte, b'\\' | b',')
}

fn ends_header(bytes: &[u8], end: usize) -> bool {
    bytes.get(end).is_none_or(|byte| is_quote(*byte) || matches!(byte, b'\n' | b'\r' | b'\\'))
}

fn cookie(bytes: &[u8], start: usize, assigned: &Assigned<'_>) -> Option<Secret> {
    let (start, quote) = header_value(bytes, start, assigned);
    let sign = run_end(bytes, start, |byte| is_word(byte) || matches!(byte, b'-' | b'.'));
    let value = part(bytes, sign + 1, judged_end(bytes, sign + 1, is_visible));
    if sign == start || !goes_on(bytes, sign, b"=") || is_placeholder(value) {
        return None;
    }
    let end = quote.map_or_else(|| line_end(bytes, start), |quote| quoted_end(bytes, start, quote));
    Some(Secret { start, end, kind: "cookie" })
}
