//! Values: where one ends, and what stands in place of one.

use super::bytes::{
    JUDGED, count, goes_on, goes_on_in_any_case, is_blank, is_quote, is_visible, is_word, mixes_digits, part, run_end,
};
use super::name::row_of;

/// A value as it is in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct SecretValue {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The quotation mark around it.
    pub(super) quote: Option<u8>,
}

impl SecretValue {
    /// The value that begins at `at`, quoted or not.
    pub(super) fn read(bytes: &[u8], at: usize) -> Self {
        let at = wrapped(bytes, at).unwrap_or(at);
        let at = at + string_prefix(bytes, at);
        let escape = run_end(bytes, at, |byte| byte == b'\\');
        match bytes.get(escape).copied().filter(|byte| is_quote(*byte)) {
            Some(quote) => {
                let tripled = [quote; 2];
                let is_tripled = goes_on(bytes, escape + 1, &tripled);
                let start = escape + 1 + if is_tripled { 2 } else { 0 };
                // A text in three marks may begin on the next line.
                let start = start + usize::from(is_tripled && goes_on(bytes, start, b"\n"));
                Self { start, end: quoted_end(bytes, start, quote), quote: Some(quote) }
            }
            None => Self { start: at, end: bare_end(part(bytes, 0, bytes.len().min(at + JUDGED)), at), quote: None },
        }
    }

    /// The end of the whole value: what was read to judge it may be its beginning only.
    pub(super) fn whole_end(&self, bytes: &[u8]) -> usize {
        if self.quote.is_none() && self.end + 4 >= self.start + JUDGED { bare_end(bytes, self.start) } else { self.end }
    }

    /// The value that ends with the line.
    pub(super) fn line(bytes: &[u8], at: usize) -> Self {
        let end = run_end(bytes, at, |byte| !matches!(byte, b'\n' | b'\r'));
        Self { start: at, end, quote: None }
    }

    pub(super) fn text<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        part(bytes, self.start, self.end)
    }
}

/// `Some("...")`, `[]byte("...")`, `['...']`: where the quoted value begins that something is around.
fn wrapped(bytes: &[u8], at: usize) -> Option<usize> {
    let near = part(bytes, at, bytes.len().min(at + 40));
    let in_wrapping = |byte: u8| is_word(byte) || matches!(byte, b'[' | b']' | b':' | b'.' | b'(' | b'{' | b' ');
    let open = near.iter().position(|byte| !in_wrapping(*byte))?;
    let around = part(near, 0, open);
    let opens = matches!(
        around,
        b"[" | b"Some("
            | b"Optional("
            | b"Just "
            | b"[]string{"
            | b"HeaderValue { inner: String("
            | b"[]byte("
            | b"Secret("
            | b"SecretStr("
            | b"b("
    );
    (opens && near.get(open).is_some_and(|byte| is_quote(*byte))).then_some(at + open)
}

/// `N'...'` of SQL, `b"..."` of Python: one letter before the quotation mark.
fn string_prefix(bytes: &[u8], at: usize) -> usize {
    let prefixed = matches!(bytes.get(at), Some(b'N' | b'E' | b'b' | b'r' | b'f' | b'u' | b'@'));
    usize::from(prefixed && bytes.get(at + 1).is_some_and(|byte| is_quote(*byte)))
}

/// A quoted value ends at its quotation mark, or, cut, at the line's end.
pub(super) fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        // How a shell writes a quotation mark between such ones.
        if quote == b'\'' && goes_on(bytes, at, b"'\\''") {
            at += 4;
            continue;
        }
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

/// In JSON inside a string, the escaped quotation mark is the end of the value that began with one.
fn ends_escaped_value(bytes: &[u8], start: usize, at: usize, quote: u8) -> bool {
    let began_escaped = start >= 2 && bytes.get(start - 2) == Some(&b'\\');
    began_escaped && bytes.get(at + 1) == Some(&quote)
}

/// A value without quotation marks ends at a blank, at what closes the text around it, or where the next field begins.
fn bare_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        let stops = match byte {
            b'"' | b'\'' | b'`' => true,
            b'\\' => {
                bytes.get(end + 1).is_none_or(|next| matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'\n'))
            }
            b'<' => bytes.get(end + 1) == Some(&b'/'),
            b';' | b'&' | b',' | b'|' => end > start && separates(bytes, end),
            _ => !is_visible(byte),
        };
        if stops {
            break;
        }
        end += 1;
    }
    without_closing(bytes, start, end)
}

/// Signs at a value's end that close what is around it are no part of it.
fn without_closing(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut stop = end;
    while let Some(last) = part(bytes, start, stop).last() {
        let opening = match last {
            b')' => b'(',
            b'}' => b'{',
            b']' => b'[',
            b';' | b',' | b'|' | b'&' => 0,
            _ => break,
        };
        let inner = part(bytes, start, stop);
        if opening != 0 && count(inner, opening) >= count(inner, *last) {
            break;
        }
        stop -= 1;
    }
    if stop == start { end } else { stop }
}

/// Whether a sign between two fields is one: the next field begins behind it, or nothing.
fn separates(bytes: &[u8], at: usize) -> bool {
    let next = run_end(bytes, at + 1, |byte| byte == bytes[at]);
    let name = part(bytes, next, bytes.len().min(next + 48));
    let word = name
        .iter()
        .position(|byte| !(is_word(*byte) || matches!(byte, b'-' | b'.' | b'+') || *byte == b' ' && bytes[at] == b';'))
        .unwrap_or(name.len());
    let field = word > 0 && matches!(name.get(word), Some(b'=' | b':'));
    field || next > at + 1 || bytes.get(next).is_none_or(|byte| !is_visible(*byte) || is_quote(*byte) || *byte == b'\\')
}

/// Variables, templates, masks and marks: what is there instead of a secret. Each is told by its whole form, as passwords
/// begin with any sign.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let Some(first) = value.first() else { return true };
    let filled =
        value.iter().all(|byte| byte == first) && (matches!(first, b'x' | b'X') || first.is_ascii_punctuation());
    let signs = value.len() <= 3 && value.iter().all(u8::is_ascii_punctuation);
    filled
        || signs
        || value.starts_with(b"[redacted")
        || goes_on_in_any_case(value, 0, b"redacted")
        || [&b"..."[..], b".*", b"[^", b"\\S", b"\\w"].iter().any(|start| value.starts_with(start))
        || value.ends_with(b"...")
        || value.ends_with(b"xxxx")
        || value.ends_with(b"XXXX")
        || value.ends_with("…".as_bytes())
        || value.starts_with("•".as_bytes())
        || is_variable(value)
        || is_bracketed(value)
        || is_format(value)
        || names_its_place(value)
}

/// `$NAME`, `${...}`, `$(...)`, `$1`, `@name`, `:name`, `%NAME%`, `!Ref name`.
fn is_variable(value: &[u8]) -> bool {
    match value {
        // `${NAME:X}`, `${NAME:-X}`: what is taken where the variable is not set.
        [b'$', b'{', rest @ ..] => {
            let default =
                || rest.iter().position(|byte| *byte == b':').map(|colon| part(rest, colon + 1, rest.len() - 1));
            rest.windows(2).any(|two| two == b":?")
                || rest.contains(&b'}') && !default().is_some_and(|text| !text.contains(&b'{') && is_odd(text))
        }
        [b'$', b'(', rest @ ..] => rest.contains(&b')') || is_identifier(rest),
        [b'$', b'$' | b'*' | b'@' | b'#' | b'?' | b'!'] => true,
        // `$_POST['name']`
        [b'$', b'_', rest @ ..] if rest.contains(&b'[') => true,
        [b'$', rest @ ..] => {
            is_identifier(rest.strip_prefix(b"$").unwrap_or(rest))
                || rest.iter().all(u8::is_ascii_digit)
                || goes_on_in_any_case(rest, 0, b"env:")
        }
        [b'@' | b':', rest @ ..] => {
            is_identifier(rest) && rest.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_')
        }
        [b'%', name @ .., b'%'] => is_identifier(name),
        [b'!', rest @ ..] => TAGS.iter().any(|tag| rest.starts_with(tag)),
        _ => false,
    }
}

/// YAML's marks for a value that is elsewhere.
const TAGS: &[&[u8]] = &[b"Ref", b"Sub", b"GetAtt", b"secret", b"vault", b"env_var", b"ENV", b"ImportValue"];

/// A word that people choose for a variable: of one case, or of humps. Random letters take turns more often.
pub(super) fn is_identifier(name: &[u8]) -> bool {
    if name.is_empty() || name[0].is_ascii_digit() || !name.iter().all(|byte| is_word(*byte) || *byte == b'.') {
        return false;
    }
    let letters = part(name, 0, run_start_of_digits(name));
    let number = part(name, letters.len(), name.len());
    if number.len() > 2 && letters.contains(&b'_') && letters[0].is_ascii_uppercase() && !SIZES.contains(&number) {
        return false;
    }
    if letters.iter().any(u8::is_ascii_digit) {
        return letters.iter().all(|byte| !byte.is_ascii_lowercase()) && name.contains(&b'_');
    }
    let single = !letters.iter().any(u8::is_ascii_lowercase) || !letters.iter().any(u8::is_ascii_uppercase);
    single || is_humped(letters)
}

/// A variable, a function or a type, of whose letters a number may be part: `userPassword`, `Uint8Array`, `secp256k1`.
pub(super) fn names_code(name: &[u8]) -> bool {
    if is_joined_phrase(name) {
        return false;
    }
    let letters: Vec<u8> = name.iter().copied().filter(|byte| !byte.is_ascii_digit()).take(JUDGED).collect();
    let digits = || name.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let numbers = digits().count();
    // A long number is a year or a choice of somebody's, but for the sizes that names of ciphers hold.
    if digits().any(|digits| digits.len() > 2 && !SIZES.contains(&digits)) {
        return false;
    }
    let single = !letters.iter().any(u8::is_ascii_uppercase);
    name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && is_identifier(&letters)
        && numbers <= 1 + usize::from(single)
}

const SIZES: &[&[u8]] = &[b"128", b"192", b"224", b"256", b"384", b"512", b"509", b"1024", b"2048", b"4096", b"25519"];

/// Words that names of variables and types hold, and passphrases of words seldom.
#[rustfmt::skip]
const CODE_WORDS: &[&[u8]] = &[
    b"access", b"api", b"app", b"arg", b"args", b"array", b"auth", b"body", b"bool", b"bytes", b"char", b"client", b"code",
    b"column", b"conf", b"config", b"context", b"cookie", b"credential", b"credentials", b"csrf", b"current", b"data", b"db",
    b"default", b"digest", b"encoded", b"encoder", b"encrypted", b"env", b"error", b"expected", b"field", b"file", b"form", b"generate",
    b"get", b"handler", b"hash", b"hashed", b"header", b"id", b"index", b"info", b"input", b"int", b"is", b"item", b"json",
    b"jwt", b"key", b"list", b"load", b"login", b"map", b"model", b"name", b"new", b"node", b"number", b"oauth", b"object",
    b"opts", b"option", b"optional", b"options", b"or", b"param", b"params", b"parse", b"parser", b"pass", b"passwd", b"password",
    b"path", b"plain", b"ptr", b"pw", b"pwd", b"random", b"raw", b"read", b"ref", b"refresh", b"req", b"request", b"res",
    b"response", b"result", b"row", b"schema", b"secret", b"self", b"session", b"set", b"setting", b"settings", b"state", b"str",
    b"string", b"struct", b"temp", b"test", b"text", b"this", b"tmp", b"to", b"token", b"type", b"uint", b"url", b"user",
    b"username", b"val", b"validator", b"value", b"values", b"var", b"variable", b"vec", b"with",
];

/// Whether a part of a name is a word of code: `userPassword`, `password1`, `SecretString`.
pub(super) fn has_code_word(name: &[u8]) -> bool {
    let mut word: Vec<u8> = Vec::with_capacity(16);
    let is_one =
        |word: &[u8]| CODE_WORDS.contains(&word) || is_said(word) || PLAIN.iter().any(|plain| word == plain.as_bytes());
    let mut was = b'_';
    for byte in name.iter().copied().take(JUDGED) {
        let rises = was.is_ascii_lowercase() && byte.is_ascii_uppercase();
        if !byte.is_ascii_alphabetic() || rises {
            if is_one(&word) {
                return true;
            }
            word.clear();
        }
        if byte.is_ascii_alphabetic() {
            word.push(byte.to_ascii_lowercase());
        }
        was = byte;
    }
    is_one(&word)
}

/// What is said of a password, in the languages of its names: no password is one of these words.
#[rustfmt::skip]
const SAID: &[&str] = &[
    "incorrecta", "incorrecto", "incorreta", "incorreto", "incorrecte", "invalida", "invalide", "invalido", "falsch", "errada",
    "errata", "errato", "requerida", "requerido", "obrigatoria", "obligatoria", "obligatoire", "oublie", "expirada", "vergessen",
    "generiert", "expire", "requis", "onjuist", "ongeldig", "verkeerd", "vereist", "verplicht", "forkert", "feil",
    "wrong", "weak", "strong", "short", "blank", "changed", "reset", "updated", "stored", "encrypted", "protected", "accepted",
    "denied", "rejected", "mismatch", "match", "matches", "again", "sorry", "aborted", "authenticating", "provided", "given",
    "found", "needed", "length", "minimum", "maximum", "characters", "letters", "digits", "policy", "rules", "strength",
    "unchanged", "verified", "correct", "available", "supported", "used", "use", "using", "try", "reused", "compromised", "same",
    "unavailable", "deprecated", "validation", "based", "only", "less", "auto", "file", "ignored", "disabled", "enabled",
    "cleartext", "clear", "visible", "should", "have", "if", "this", "that", "as", "by", "when", "after", "before", "will",
    "can", "contain", "contains", "example", "placeholder", "files", "changeme", "removed", "cleared", "saved", "created", "generated",
];

/// One word or several behind the name of a password that somebody may have chosen: none of them is code, a type, a state or
/// part of a sentence about it.
pub(super) fn is_chosen(value: &[u8]) -> bool {
    let value = part(value, 0, value.len().min(JUDGED)).trim_ascii();
    let tells = |word: &[u8]| {
        let plain = part(word, 0, run_end(word, 0, |byte| !matches!(byte, b'.' | b',' | b';' | b':' | b'?' | b'!')));
        has_code_word(word)
            || matches!(word[0], b'-' | b'\\')
            || SAID.iter().any(|said| plain.eq_ignore_ascii_case(said.as_bytes()))
    };
    let mut words = value.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let several = value.contains(&b' ');
    let in_code =
        |byte: &u8| matches!(byte, b'(' | b')' | b'{' | b'}' | b'|' | b'=' | b'/' | b'"' | b'`' | b':' | b'[');
    let telling = several && (value.iter().any(in_code) || matches!(value.last(), Some(b'.' | b',')))
        || value.first() == Some(&b'#')
        || value.last() == Some(&b':');
    let is_version = value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') && value.contains(&b'.');
    value.len() >= 5
        && value.is_ascii()
        && !telling
        && !is_version
        && !words.any(tells)
        && !value.windows(3).any(|three| three == b"://")
}

/// Whether a word ends as adjectives and nouns of states do.
pub(super) fn tells_state(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const STATES: &[&str] = &[
        "ed", "ing", "ble", "ive", "ent", "ant", "ic", "al", "ary", "ory", "ous", "less", "ly", "ful", "tion", "ment", "ity", "text",
        "ado", "ada", "ido", "ida", "orio", "oria", "ario", "aria", "lich", "bar", "ert", "igt", "fen", "here", "else", "space", "ance", "ence",
    ];
    STATES.iter().any(|ending| word.ends_with(ending.as_bytes()))
}

/// A long word behind a verb, and none of a state: `quartzjuniper`.
pub(super) fn is_long_choice(value: &[u8]) -> bool {
    let word = value.strip_suffix(b".").unwrap_or(value);
    word.len() >= 11 && word.iter().all(u8::is_ascii_lowercase) && !tells_state(word) && is_chosen(word)
}

/// Two words or more that are joined, as no sentence has them: `GopherQuartz`.
pub(super) fn is_humped_choice(value: &[u8]) -> bool {
    let rises = value.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    value.len() >= 8
        && rises > 0
        && value.iter().all(u8::is_ascii_alphabetic)
        && is_identifier(value)
        && is_chosen(value)
}

/// Groups of one length with a blank between each two: `ZVVF 7Y3Y IP7I GCRA`, `3493 8079 1182`.
pub(super) fn is_grouped(value: &[u8]) -> bool {
    let mut groups = value.split(|byte| matches!(byte, b' ' | b'-'));
    let length = groups.clone().next().unwrap_or_default().len();
    (4..=8).contains(&length)
        && groups.clone().count() >= 3
        && value.iter().any(u8::is_ascii_digit)
        && groups.all(|group| {
            group.len() == length && group.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        })
}

/// Three words or more that are joined, none of them one of code: `JasperGraniteElbow`, `willow_zephyr_ferry`.
pub(super) fn is_joined_phrase(value: &[u8]) -> bool {
    if value.len() < 12 || !value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')) {
        return false;
    }
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut was = b'-';
    for byte in value.iter().copied().take(JUDGED) {
        let begins = matches!(was, b'_' | b'-') || was.is_ascii_lowercase() && byte.is_ascii_uppercase();
        if begins {
            words.push(Vec::new());
        }
        if byte.is_ascii_alphabetic() {
            words.last_mut().into_iter().for_each(|word| word.push(byte.to_ascii_lowercase()));
        }
        was = byte;
    }
    words.len() >= 3
        && words.iter().all(|word| word.len() >= 3 && !CODE_WORDS.contains(&word.as_slice()) && !is_said(word))
        && !PLAIN.iter().any(|plain| words.iter().any(|word| word.eq_ignore_ascii_case(plain.as_bytes())))
}

/// Whether a word is one of messages and labels.
pub(super) fn is_said(word: &[u8]) -> bool {
    MESSAGE.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Three words or more with blanks between them, as passphrases are: none of them tells something.
pub(super) fn is_phrase(value: &[u8]) -> bool {
    let value = part(value, 0, value.len().min(JUDGED));
    let mut number = 0;
    let all = value.split(|byte| *byte == b' ').all(|word| {
        number += 1;
        let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte >= 0x80).count();
        letters >= 3
            && word.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'!' | b'-'))
            && !is_said(word)
            && !PLAIN.iter().any(|plain| word.eq_ignore_ascii_case(plain.as_bytes()))
            && !CODE_WORDS.contains(&word)
    });
    all && (3..=24).contains(&number)
}

/// A type of two words or more: `SecretString`, `Uint8Array`.
pub(super) fn names_type(name: &[u8]) -> bool {
    let name = name.strip_prefix(b"&").unwrap_or(name);
    if is_joined_phrase(name) {
        return false;
    }
    let end = run_end(name, 0, is_word);
    let closed = end == name.len() || matches!(name[end], b')' | b'>' | b']' | b'}' | b'`');
    let name = if closed { part(name, 0, end) } else { name };
    let capital = name.first().is_some_and(u8::is_ascii_uppercase);
    let rises = name.windows(2).any(|two| !two[0].is_ascii_uppercase() && two[1].is_ascii_uppercase());
    capital && rises && names_code(name)
}

/// A path from where one is: `tests/e2e/.env`.
pub(super) fn is_relative_path(value: &[u8]) -> bool {
    value.contains(&b'/')
        && value.split(|byte| matches!(byte, b'/' | b'.' | b'-')).all(|name| name.is_empty() || names_code(name))
}

fn run_start_of_digits(name: &[u8]) -> usize {
    name.len() - name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()
}

/// `dbPassword`, `HTTPServer`: few changes from small letters to capitals for its length.
fn is_humped(letters: &[u8]) -> bool {
    let rises = letters.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    let short = letters.windows(3).filter(|three| {
        three[0].is_ascii_uppercase() && three[1].is_ascii_lowercase() && three[2].is_ascii_uppercase()
    });
    rises * 4 <= letters.len() && short.count() <= letters.len() / 8 && !is_wild(letters, 2)
}

/// For each letter, which ones follow it in words: a bit a letter. Counted over the names and words of real sessions.
#[rustfmt::skip]
const FOLLOWERS: [u32; 26] = [
    0x1fe_bd7f, 0x11e_593f, 0x11e_cdbf, 0x136_697f, 0x1ff_f9ff, 0x11e_493f, 0x16_79d5, 0x11e_7111, 0x2ae_fc7f,
    0x14_4011, 0x14_2151, 0x13c_e93f, 0x1c_d91b, 0x17e_ffff, 0x1fe_fd7f, 0x11e_c9dd, 0x10_0000, 0x17e_fd7f,
    0x15d_fdb5, 0x15e_f9fd, 0xe_f97f, 0x4111, 0x6_6991, 0x8_8115, 0xc_f917, 0x111,
];

/// How often a letter follows another as in no word; where a part of a name begins, any may.
fn oddities(letters: &[u8]) -> usize {
    let follows = |two: &[u8]| {
        let [first, second] = [two[0], two[1]].map(|byte| (byte | 0x20).wrapping_sub(b'a'));
        FOLLOWERS.get(usize::from(first)).is_none_or(|known| second >= 26 || known >> second & 1 == 1)
    };
    let begins = |two: &[u8]| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase();
    letters.windows(2).filter(|two| !begins(two) && !follows(two)).count()
}

/// Letters in an order that no language has.
fn is_wild(letters: &[u8], least: usize) -> bool {
    let odd = oddities(part(letters, 0, letters.len().min(JUDGED)));
    odd >= least && odd * 5 > letters.len()
}

/// `<your password>`, `{{ name }}`, `{name}`, `(known after apply)`, `[hidden]`: closed by the sign's partner.
fn is_bracketed(value: &[u8]) -> bool {
    match value {
        [b'<', rest @ ..] => {
            rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'%' | b'/' | b'|'))
                && (rest.contains(&b'>') || is_words(rest))
        }
        [b'{', b'%', rest @ ..] => rest.ends_with(b"%}") || !rest.ends_with(b"}"),
        [b'{', b'{' | b'}', ..] | [b'(', b'(', .., b')', b')'] | [b'#' | b'@', b'{', .., b'}'] => true,
        [b'{', name @ .., b'}'] => {
            !name.contains(&b'"')
                && (is_identifier(name) || name.iter().any(|byte| matches!(byte, b'.' | b'(' | b'!' | b'{')))
        }
        [b'(', words @ .., b')'] | [b'[', words @ .., b']'] => {
            words.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'_' | b'-' | b'.' | b','))
        }
        _ => false,
    }
}

/// Letters of one case, as people write what is to be filled in: `your-password`, `TOKEN`.
fn is_words(text: &[u8]) -> bool {
    let plain = text.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    plain && !(text.iter().skip(1).any(u8::is_ascii_uppercase) && text.iter().any(u8::is_ascii_lowercase))
}

/// `%s`, `%-10v`, `%(name)s`, `%{name}`.
fn is_format(value: &[u8]) -> bool {
    match value {
        [b'%', b'(' | b'{' | b'[', ..] => true,
        [b'%', flags @ .., b's' | b'd' | b'v' | b'q' | b'r' | b'x' | b'i' | b'u'] => {
            flags.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'#' | b'.' | b'*'))
        }
        _ => false,
    }
}

#[rustfmt::skip]
const PLACES: &[&str] = &[
    "process.env", "os.environ", "os.getenv", "import.meta", "env.", "env:", "env(", "secrets.", "vault:", "op://", "file:",
    "arn:aws:", "projects/", "your-", "your_", "my-secret", "changeme", "secretkeyref",
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

/// First folders of the paths that people write.
#[rustfmt::skip]
const FOLDERS: &[&[u8]] = &[
    b"etc", b"home", b"run", b"var", b"tmp", b"usr", b"opt", b"root", b"srv", b"mnt", b"dev", b"proc", b"app", b"Users",
    b"workspace", b"secrets", b"data", b"vault",
];
/// What a path begins with that leads from here or from the home folder.
const RELATIVE: &[&[u8]] = &[b"./", b"../", b"~/"];

/// A path to a file that holds the secret, not the secret.
pub(super) fn is_path(value: &[u8]) -> bool {
    let first = value.strip_prefix(b"/").and_then(|path| path.split_at_checked(path.iter().position(|b| *b == b'/')?));
    let rooted = first.is_some_and(|(folder, _)| FOLDERS.contains(&folder))
        || RELATIVE.iter().any(|start| value.starts_with(start));
    let drive = value.first().is_some_and(u8::is_ascii_alphabetic)
        && value.get(1..3).is_some_and(|rest| rest == b":\\" || rest == b":/");
    let plain = value.len() > 2
        && value.iter().all(|byte| is_word(*byte) || matches!(byte, b'/' | b'.' | b'-' | b'\\' | b':' | b'~' | b'@'));
    (rooted || drive) && plain
}

/// Words that stand for a type, a state or a rule where a secret would be: schemas, forms, type errors.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "string", "str", "text", "number", "integer", "int", "bool", "boolean", "bytes", "any", "object", "unknown", "never",
    "option", "optional", "required", "missing", "invalid", "empty", "null", "nil", "none", "true", "false", "undefined",
    "varchar", "hidden", "yes", "no", "not", "is", "must", "was", "self", "this", "default", "authentication",
    "incorrect", "expired", "array", "vec", "char", "date", "error", "ok", "set", "unset", "ask", "prompt", "password",
    "omitted", "masked", "sensitive", "const", "new", "await", "typeof", "func", "function", "fn", "struct", "void",
];

pub(super) fn is_plain(value: &[u8]) -> bool {
    let word = part(value, 0, run_end(value, 0, |byte| byte.is_ascii_alphabetic()));
    let rest = part(value, word.len(), value.len());
    let ends = rest.is_empty()
        || matches!(
            rest,
            [b' ' | b'?' | b'<', ..] | [b'[' | b'(', .., b']' | b')'] | [b';' | b',' | b'.' | b'|' | b'[']
        )
        || (rest.first() == Some(&b'(') && rest.iter().all(|byte| byte.is_ascii_digit() || *byte == b'('));
    ends && PLAIN.iter().any(|plain| word.eq_ignore_ascii_case(plain.as_bytes()))
}

/// Words of messages and of labels, which passphrases hold seldom.
#[rustfmt::skip]
const MESSAGE: &[&str] = &[
    "is", "must", "be", "not", "the", "a", "an", "your", "for", "to", "of", "in", "at", "too", "and", "or", "with", "was",
    "are", "has", "from", "on", "failed", "invalid", "required", "cannot", "should", "please", "enter", "least", "does",
];

/// Words in a row that tell something of the secret, or are its label.
pub(super) fn is_message(value: &[u8]) -> bool {
    let value = part(value, 0, value.len().min(JUDGED));
    if !value.contains(&b' ') {
        return false;
    }
    let words = || value.split(|byte| *byte == b' ').map(<[u8]>::trim_ascii);
    let says = words().any(|word| MESSAGE.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())));
    let letters = value.iter().all(|byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'.' | b'?' | b'!' | b'\'' | b',' | b'-' | b':')
    });
    says || (letters && value.first().is_some_and(u8::is_ascii_uppercase))
}

/// An expression that yields the value: a call, a field, a variable that is named for it.
pub(super) fn is_code(value: &[u8]) -> bool {
    let name_end = run_end(value, 0, |byte| {
        is_word(byte) || matches!(byte, b'.' | b'?' | b':' | b'&' | b'*' | b'!' | b'-' | b'>')
    });
    let name = part(value, 0, name_end);
    let plain = !name.is_empty() && name.split(|byte| !is_word(*byte)).all(|word| word.is_empty() || names_code(word));
    let pair = matches!(value.get(name_end), Some(b'=')) && plain && names_code(part(value, name_end + 1, value.len()));
    let number = part(value, run_start_of_digits(value), value.len());
    let called = plain && matches!(value.get(name_end), Some(b'(' | b'[' | b'{' | b'<'));
    called
        || pair
        || is_field(value)
        || (plain && value.windows(2).any(|two| two == b"::"))
        || (value.split(|byte| *byte == b'-').all(is_identifier)
            && row_of(value).is_some()
            && (number.len() < 3 || SIZES.contains(&number)))
}

/// `config.db.password`, `request.form`: a field of something.
pub(super) fn is_field(value: &[u8]) -> bool {
    let named = value.iter().all(|byte| is_word(*byte) || matches!(byte, b'.' | b'?' | b'&' | b'*' | b'!'));
    let mut fields = value.split(|byte| !is_word(*byte));
    let few = |field: &[u8]| field.iter().filter(|byte| byte.is_ascii_digit()).count() < 2;
    named && value.contains(&b'.') && fields.all(|field| field.is_empty() || few(field) && names_code(field))
}

/// A sign that no word of a sentence, no name and no path holds.
pub(super) fn holds_sign(value: &[u8]) -> bool {
    value.iter().any(|byte| b"!@#$%^&*+=~?{[|<>".contains(byte))
}

/// Long, or with digits or signs between its letters.
pub(super) fn is_strong(value: &[u8]) -> bool {
    !value.contains(&b' ') && ((value.len() >= 8 && (mixes_digits(value) || holds_sign(value))) || value.len() >= 20)
}

/// A word that is none of a language: digits or signs are between its letters.
pub(super) fn is_odd(value: &[u8]) -> bool {
    value.len() >= 6
        && !value.iter().any(|byte| is_blank(*byte))
        && (mixes_digits(value)
            || is_joined_phrase(value)
            || !value.is_ascii() && value.iter().any(u8::is_ascii_alphabetic)
            || holds_sign(value) && value.iter().any(u8::is_ascii_alphanumeric)
            || value.iter().all(u8::is_ascii_alphabetic) && (!is_identifier(value) || is_wild(value, 4)))
}

/// Capitals, small letters and digits, two of each, and nothing else.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| value.iter().filter(|byte| class(byte)).count() > 1;
    has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && value.iter().all(u8::is_ascii_alphanumeric)
}

/// Long, without blanks and punctuation, letters and digits: no word of a sentence.
pub(super) fn is_dense(value: &[u8]) -> bool {
    let random = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'/' | b'=');
    let first = part(value, 0, run_end(value, 0, |byte| byte.is_ascii_alphanumeric()));
    let telling = first.len() == value.len() || first.iter().any(u8::is_ascii_uppercase);
    (value.len() >= 20 && mixes_digits(value) && value.iter().all(random))
        || (first.len() >= 20 && mixes_digits(first) && telling)
}
