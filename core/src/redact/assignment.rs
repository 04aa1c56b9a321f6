//! Values assigned to a name that says it is secret: `DB_PASSWORD=...`, `"token": "..."`, `password: ...`, headers.

use super::Secret;
use super::bytes::{
    count, goes_on, goes_on_in_any_case, is_blank, is_quote, is_visible, is_word, judged_end, line_end, mixes_digits,
    part, run_end, run_start,
};
use super::name::{Doubt, Named};
use super::value::{self, SecretValue};

/// How a value is set apart from the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AssignmentForm {
    /// By quotation marks.
    Quoted,
    /// By its name, as a shell, a URL or a connection string joins them.
    Tight,
    /// By the line, on which nothing else stands.
    Alone,
    /// Not at all: it may be the next word of a sentence.
    Loose,
}

/// Where a value begins and how it is joined to its name.
pub(super) struct Joint {
    pub(super) start: usize,
    /// Whether nothing is between the sign and the value.
    tight: bool,
    pub(super) colon: bool,
}

/// Skips `=`, `:=`, `=>`, `:` and blanks, from the sign at `at`. Comparisons and paths of modules assign nothing.
pub(super) fn joint(bytes: &[u8], at: usize) -> Option<Joint> {
    let previous = at.checked_sub(1).and_then(|before| bytes.get(before));
    let next = bytes.get(at + 1);
    let colon = bytes.get(at) == Some(&b':');
    if matches!(previous, Some(b'=' | b'!' | b'<' | b'>' | b':')) {
        return None;
    }
    let sign = match (colon, next) {
        (true, Some(b':')) => return None,
        (false, Some(b'=' | b'~')) if compares(bytes, at) => return None,
        (true, Some(b'=')) | (false, Some(b'>')) => 2,
        _ => 1,
    };
    // `**Password:** X`
    let is_bold =
        colon && goes_on(bytes, at + sign, b"** ") && bytes.get(at + sign + 3).is_some_and(|byte| is_visible(*byte));
    let bold = if is_bold { 2 } else { 0 };
    let start = run_end(bytes, at + sign + bold, is_blank);
    // An anchor and a tag of YAML stand before its value.
    let behind_mark = |start: usize| {
        let mark = run_end(bytes, start, |byte| is_word(byte) || matches!(byte, b'&' | b'!'));
        let is_mark = colon
            && (goes_on(bytes, start, b"&") && !goes_on(bytes, mark, b" = ")
                || goes_on(bytes, start, b"!!str")
                || goes_on(bytes, start, b"!unsafe"));
        if is_mark && goes_on(bytes, mark, b" ") { mark + 1 } else { start }
    };
    let start = behind_mark(behind_mark(start));
    let spaced = previous.is_some_and(|byte| is_blank(*byte)) || start > at + sign;
    Some(Joint { start, tight: sign == 1 && !spaced, colon: colon && sign == 1 })
}

/// The same for what joins them in East Asian text.
pub(super) fn wide_joint(bytes: &[u8], at: usize) -> Option<Joint> {
    const SIGNS: &[&str] = &["：", "＝", "是", "为", "為", "は", "는", "은"];
    let mut start = at;
    while let Some(sign) = SIGNS.iter().find(|sign| goes_on(bytes, start, sign.as_bytes())) {
        start += sign.len();
    }
    let start = run_end(bytes, start, |byte| is_blank(byte) || start > at && byte == b':');
    (start > at).then_some(Joint { start, tight: false, colon: true })
}

/// The sign behind the type of what is declared: `apiKey: String = "X"`.
pub(super) fn behind_type(bytes: &[u8], joint: &Joint) -> Option<usize> {
    let in_type =
        |byte: u8| is_word(byte) || matches!(byte, b'&' | b'<' | b'>' | b'[' | b']' | b'?' | b'\'' | b' ' | b':');
    let starts = bytes.get(joint.start).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'&');
    let sign = if joint.colon && starts {
        run_end(part(bytes, 0, bytes.len().min(joint.start + 40)), joint.start, in_type)
    } else {
        return None;
    };
    let is_set = goes_on(bytes, sign, b"= \"") || goes_on(bytes, sign, b"= '");
    (is_set && sign > joint.start).then_some(sign)
}

/// `==` and `=~` compare, but where a value that begins with the second sign is joined to its name.
fn compares(bytes: &[u8], at: usize) -> bool {
    let beside =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_none_or(|byte| !is_visible(*byte) || is_quote(*byte));
    beside(at.checked_sub(1)) || beside(Some(at + 2)) || matches!(bytes.get(at + 2), Some(b'=' | b'/' | b'0'..=b'9'))
}

/// The secret that is assigned to the name, where `joint` says.
pub(super) fn value_of(bytes: &[u8], named: &Named<'_>, joint: &Joint) -> Option<Secret> {
    let value = SecretValue::read(bytes, joint.start);
    // `password = "X" -> "Y"`: what a plan changes.
    let changed = value.quote.is_some() && goes_on(bytes, value.end + 1, b" -> \"");
    let end = if changed { SecretValue::read(bytes, value.end + 5).end } else { value.end };
    let value = SecretValue { end, ..value };
    let value =
        in_quotes(bytes, named, joint, &value).or_else(|| to_line_end(bytes, named, joint, &value)).unwrap_or(value);
    let text = value.text(bytes);
    // `'secret:rotate'`: a task of that name.
    let is_task = joint.tight && joint.colon && named.name.eq_ignore_ascii_case(named.row.ending.as_bytes());
    if is_task && !named.is_password() && named.quote(bytes).is_some_and(|quote| bytes.get(value.end) == Some(&quote)) {
        let is_word = text.iter().all(u8::is_ascii_lowercase) && !value::is_long_choice(text);
        if is_word {
            return None;
        }
    }
    if (joint.tight || joint.colon) && value.quote.is_some_and(|quote| closes(bytes, named, joint, &value, quote)) {
        return None;
    }
    let form = form_of(bytes, named, joint, &value);
    let environment = named.is_environment() && !joint.colon;
    // An environment holds values only, never code.
    let secret = !value::is_placeholder(text)
        && if environment && joint.tight {
            !value::is_path(text) && !counts(named, text)
        } else {
            tells(bytes, named, &value, form)
        };
    secret.then(|| Secret { start: value.start, end: value.whole_end(bytes), kind: named.row.kind })
}

/// `'DB_PASSWORD=some words of it'`: what is quoted together with its name goes on over blanks.
fn in_quotes(bytes: &[u8], named: &Named<'_>, joint: &Joint, value: &SecretValue) -> Option<SecretValue> {
    let quote = named.quote(bytes).filter(|_| joint.tight && value.quote.is_none())?;
    if !bytes.get(value.end).is_some_and(|byte| is_blank(*byte)) {
        return None;
    }
    let end = value::quoted_end(bytes, value.start, quote);
    let whole = SecretValue { start: value.start, end, quote: None };
    (bytes.get(end) == Some(&quote) && value::is_phrase(whole.text(bytes))).then_some(whole)
}

/// `password = some words of it`: in a file of settings the value goes on to the end of the line.
fn to_line_end(bytes: &[u8], named: &Named<'_>, joint: &Joint, value: &SecretValue) -> Option<SecretValue> {
    if value.quote.is_some()
        || named.row.doubt == Doubt::Much
        || !bytes.get(value.end).is_some_and(|byte| is_blank(*byte))
    {
        return None;
    }
    let line = part(bytes, 0, bytes.len().min(value.start + 256));
    let end = run_start(line, line_end(line, value.start), value.start, is_blank);
    let whole = SecretValue { start: value.start, end, quote: Some(b'\n') };
    let text = whole.text(bytes);
    let is_one = value::is_grouped(text)
        || named.is_password() && named.begins_line(bytes) && value::is_phrase(text)
        || (!joint.tight || joint.colon)
            && (named.is_password() || mixes_digits(text))
            && value::is_chosen(text)
            && is_label(bytes, named);
    is_one.then_some(whole)
}

/// `"password=" + value`: the quotation mark behind the sign ends the text that the name is in.
fn closes(bytes: &[u8], named: &Named<'_>, joint: &Joint, value: &SecretValue, quote: u8) -> bool {
    let line = run_start(bytes, named.start, named.start.saturating_sub(160), |byte| byte != b'\n');
    let before = part(bytes, line, named.start);
    let behind = bytes
        .get(value.start)
        .is_none_or(|byte| !is_visible(*byte) || matches!(byte, b'+' | b',' | b')' | b';' | b'.' | b']'));
    // A name with a quotation mark behind it is a whole text: `"token": "+y3F"`.
    let is_whole = bytes.get(named.end) == Some(&quote);
    behind && !is_whole && count(before, quote) % 2 == 1 && (joint.colon || !before.ends_with(&[quote]))
}

/// `TESTS_PASS=12`, `REQUIRE_PASSWORD=true`: a number of things, or whether there are any.
fn counts(named: &Named<'_>, text: &[u8]) -> bool {
    named.row.compound && text.iter().all(u8::is_ascii_digit) || matches!(text, b"true" | b"false" | b"yes" | b"no")
}

fn form_of(bytes: &[u8], named: &Named<'_>, joint: &Joint, value: &SecretValue) -> AssignmentForm {
    if value.quote.is_some() {
        return AssignmentForm::Quoted;
    }
    if joint.tight && (!joint.colon || named.dashes == 2 || named.is_slashed(bytes)) {
        return AssignmentForm::Tight;
    }
    // A header or a field between quotation marks of its own ends with them.
    let around = named.quote(bytes).is_some_and(|quote| bytes.get(value.end) == Some(&quote));
    if around || (named.begins_line(bytes) && ends_line(bytes, value.end)) {
        AssignmentForm::Alone
    } else {
        AssignmentForm::Loose
    }
}

/// Whether only what tells whose it is stands before a name on its line: `ann@h's password:`, `Generated password:`.
fn is_label(bytes: &[u8], named: &Named<'_>) -> bool {
    let line = run_start(bytes, named.start, named.start.saturating_sub(48), |byte| byte != b'\n');
    let before = part(bytes, line, named.start);
    let in_label = |byte: &u8| is_word(*byte) || matches!(byte, b' ' | b'@' | b'.' | b'\'' | b'-') || *byte >= 0x80;
    named.begins_line(bytes)
        || named.dashes == 0
            && count(before, b' ') < 5
            && before.ends_with(b" ")
            && before.iter().all(in_label)
            && !before.split(|byte| *byte == b' ').any(|word| value::is_said(word) && !is_of_prompt(word))
}

/// Words that lead to a label: `Enter your password: X`.
fn is_of_prompt(word: &[u8]) -> bool {
    [&b"your"[..], b"the", b"enter"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn ends_line(bytes: &[u8], end: usize) -> bool {
    let rest = run_end(bytes, end, |byte| is_blank(byte) || matches!(byte, b',' | b';' | b'}' | b'\r'));
    bytes.get(rest).is_none_or(|byte| matches!(byte, b'\n' | b'#' | b'|')) || goes_on(bytes, rest, b"\\n")
}

/// Whether a value is a name that begins with its own: `PASSWORD: 'passwordFactor'`.
fn goes_on_from_name(named: &Named<'_>, text: &[u8]) -> bool {
    text.split_at_checked(named.name.len()).is_some_and(|(name, more)| {
        name.eq_ignore_ascii_case(named.name)
            && name.last().is_some_and(u8::is_ascii_lowercase)
            && more.first().is_some_and(u8::is_ascii_uppercase)
            && more.iter().all(u8::is_ascii_alphabetic)
    })
}

/// Whether what is assigned is the secret, and no type, message, code or word about it.
fn tells(bytes: &[u8], named: &Named<'_>, value: &SecretValue, form: AssignmentForm) -> bool {
    let text = value.text(bytes);
    if value::is_path(text)
        || value::is_plain(text)
        || text.eq_ignore_ascii_case(named.name)
        || goes_on_from_name(named, text)
        || counts(named, text)
    {
        return false;
    }
    let number = text.iter().all(u8::is_ascii_digit);
    // `?page_token=&limit=50`: the value is empty.
    let is_next = text.starts_with(b"&") && text.contains(&b'=') && bytes.get(value.start - 1) == Some(&b'=');
    if number && text.len() < 4 || is_next {
        return false;
    }
    if form == AssignmentForm::Quoted {
        let elsewhere = named.row.doubt == Doubt::Much && value::is_relative_path(text);
        return !elsewhere
            && (!value::is_message(text)
                || value::is_phrase(text)
                || value.quote == Some(b'\n')
                || is_setting(bytes, named, value) && mixes_digits(text))
            && long_enough(named, text);
    }
    // Behind the name of a secret a word is code by its shape or by a word of code in it: `Tarn_Wolke83` is neither.
    let is_chosen = named.row.doubt != Doubt::Much && is_choice(text)
        || named.is_password() && (in_record(bytes, named, value) || is_free_choice(bytes, named, value, form));
    if !is_chosen
        && (value::is_code(text)
            || is_typed(bytes, value, form)
            || (form != AssignmentForm::Tight && value::names_type(text)))
    {
        return false;
    }
    if named.row.doubt == Doubt::Much && value::is_relative_path(text) {
        return false;
    }
    match form {
        AssignmentForm::Loose if named.row.doubt == Doubt::Much => {
            value::is_dense(text)
                || text.len() >= 12
                    && !text.starts_with(b"!!")
                    && value::holds_sign(text)
                    && mixes_digits(text)
                    && ends_line(bytes, value.end)
                || text.len() >= 16 && value::is_mixed(text) && ends_line(bytes, value.end) && is_label(bytes, named)
        }
        // A line of its own beside a user's or a host's, as settings have it.
        AssignmentForm::Alone if named.is_password() && text.len() >= 6 => true,
        AssignmentForm::Loose if named.is_password() && value::is_long_choice(text) => true,
        AssignmentForm::Loose => value::is_dense(text) || is_chosen || !number && value::is_odd(text),
        AssignmentForm::Tight | AssignmentForm::Alone | AssignmentForm::Quoted => long_enough(named, text),
    }
}

/// `password="some 1 of it"` alone on its line, as files of settings have it, and messages do not.
fn is_setting(bytes: &[u8], named: &Named<'_>, value: &SecretValue) -> bool {
    named.is_password()
        && matches!(part(bytes, named.end, value.start), [b'=', _])
        && named.begins_line(bytes)
        && bytes.get(value.end + 1).is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Whether a value that may have been chosen is one by its place: alone behind its label, in braces of its own, or joined to its
/// name with digits or signs that no variable has.
fn is_free_choice(bytes: &[u8], named: &Named<'_>, value: &SecretValue, form: AssignmentForm) -> bool {
    let text = value.text(bytes);
    let next = bytes.get(value.end);
    let is_alone = next.is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'\\'));
    // `password= X`, as programs of Windows take it.
    let is_windows = bytes.get(named.end) == Some(&b'=') && value.start == named.end + 2 && is_alone;
    let odd = mixes_digits(text) || value::holds_sign(text);
    let is_closed = match (next, named.start.checked_sub(1).and_then(|before| bytes.get(before))) {
        (Some(b'}'), before) => matches!(before, Some(b'{' | b' ')),
        (Some(b')'), Some(b'(')) => true,
        // `Access denied (using password: X)`
        (Some(b')'), _) => {
            let line = run_start(bytes, named.start, named.start.saturating_sub(48), |byte| byte != b'\n');
            let open = part(bytes, line, named.start).rsplit(|byte| *byte == b'(').next().unwrap_or_default();
            odd && named.start - line > open.len() && open.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ')
        }
        _ => false,
    };
    let called = text.iter().any(|byte| matches!(byte, b'(' | b'['));
    value::is_chosen(text)
        && !(called || value::is_field(text) && !odd)
        && match form {
            AssignmentForm::Tight => odd,
            _ => is_alone && is_label(bytes, named) || is_closed || is_windows,
        }
}

/// `{user: ann, password: tarnwolke}`, `User ID=sa;Password=tarnwolke;`: a word in the same record as a user's name, and in
/// no call.
fn in_record(bytes: &[u8], named: &Named<'_>, value: &SecretValue) -> bool {
    const USERS: &[&[u8]] = &[b"user", b"User", b"uid", b"Uid", b"UID", b"login", b"Login", b"name"];
    let text = value.text(bytes);
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_chosen = (5..=32).contains(&text.len()) && text.iter().all(in_word);
    // `{Host:db User:ann Password:tarnwolke Port:5432}`
    let field = judged_end(bytes, value.end + 1, is_word);
    let is_printed = goes_on(bytes, value.end, b" ") && field > value.end + 1 && goes_on(bytes, field, b":");
    let is_ended = is_printed
        || matches!(bytes.get(value.end), None | Some(b',' | b';' | b'}' | b']' | b')'))
        || goes_on(bytes, value.end, b" }");
    if !is_chosen || !is_ended || value::has_code_word(text) || value::is_plain(text) {
        return false;
    }
    // `Password=tarnwolke;Database=x`, `--set password=tarnwolke,create=true`
    let next = run_end(bytes, value.end + 1, |byte| byte.is_ascii_alphabetic() || byte == b' ');
    let line = run_start(bytes, named.start, named.start.saturating_sub(96), |byte| byte != b'\n');
    let before = part(bytes, line, named.start);
    let divides = match bytes.get(value.end) {
        Some(b';') => true,
        Some(b',') => !before.contains(&b'(') && bytes.get(value.end + 1) != Some(&b' '),
        _ => false,
    };
    if divides && next > value.end + 1 && goes_on(bytes, next, b"=") {
        return true;
    }
    let names_user = |word: &&[u8]| {
        let is_one = |at: usize| {
            let sign = run_end(before, at + word.len(), |byte| byte.is_ascii_alphabetic() || byte == b' ');
            goes_on(before, at, word) && matches!(before.get(sign), Some(b'=' | b':'))
        };
        (0..before.len()).any(is_one)
    };
    // `DbConfig(user=ann, password=tarnwolke)`: what a log prints of an object, and no call.
    let open = before.iter().rposition(|byte| *byte == b'(');
    let is_printed = open.is_none_or(|open| {
        let begin = run_start(before, open, 0, is_word);
        let fields = part(before, open, before.len());
        before[begin].is_ascii_uppercase() && !fields.iter().any(|byte| is_quote(*byte)) && !fields.contains(&b'.')
    });
    is_printed && USERS.iter().any(names_user)
}

/// A comparison with the text of a secret: `assert cfg.api_key == 'X'`.
pub(super) fn compared(bytes: &[u8], named: &Named<'_>, sign: usize) -> Option<Secret> {
    let start = run_end(bytes, sign, |byte| byte == b'=' || byte == b' ');
    let value = SecretValue::read(bytes, start);
    let text = value.text(bytes);
    let sure = value::is_dense(text) || named.is_password() && value::is_strong(text) && mixes_digits(text);
    (goes_on(bytes, sign, b"==") && value.quote.is_some() && sure && !value::is_placeholder(text)).then_some(Secret {
        start: value.start,
        end: value.end,
        kind: named.row.kind,
    })
}

/// A word of letters and digits in which nothing is code: two digits at least, and no call, path or type.
fn is_choice(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    text.len() >= 6
        && digits >= 2
        && digits < text.len()
        && text.first().is_some_and(u8::is_ascii_alphabetic)
        && text.iter().all(|byte| is_word(*byte) || matches!(byte, b'.' | b'-'))
        && !value::has_code_word(text)
}

pub(super) fn long_enough(named: &Named<'_>, text: &[u8]) -> bool {
    match named.row.doubt {
        Doubt::None => true,
        Doubt::Some => text.len() >= 6,
        Doubt::Much => value::is_strong(text) || value::is_dense(text),
    }
}

/// `token: Token;`, `password: userPassword,`: a type or a variable in a programming language.
fn is_typed(bytes: &[u8], value: &SecretValue, form: AssignmentForm) -> bool {
    let more = matches!(bytes.get(value.end), Some(b';' | b',' | b')' | b'<' | b'[' | b'(' | b'?' | b'|' | b'}'));
    let text = value.text(bytes);
    let more = more && !value::is_joined_phrase(text);
    more && if form == AssignmentForm::Tight { value::is_identifier(text) } else { value::names_code(text) }
}

/// A block of lines that is the value: `password: |` and what is indented below.
pub(super) fn block(bytes: &[u8], named: &Named<'_>, at: usize) -> Option<Secret> {
    let end = line_end(part(bytes, 0, bytes.len().min(at + 8)), at);
    let folded = matches!(
        part(bytes, at, end).trim_ascii_end(),
        [b'|' | b'>'] | [b'|' | b'>', b'-' | b'+' | b'0'..=b'9'] | [b'|' | b'>', b'0'..=b'9', b'-' | b'+']
    );
    if !folded {
        return None;
    }
    let indent = indent_of(bytes, named.start);
    let start = run_end(bytes, end, |byte| byte.is_ascii_whitespace());
    if start >= bytes.len() || indent_of(bytes, start) <= indent {
        return None;
    }
    let mut last = line_end(bytes, start);
    loop {
        let next = run_end(bytes, last, |byte| byte.is_ascii_whitespace());
        if next >= bytes.len() || indent_of(bytes, next) <= indent {
            let text = part(bytes, start, last);
            return (!value::is_placeholder(text)).then_some(Secret { start, end: last, kind: named.row.kind });
        }
        last = line_end(bytes, next);
    }
}

/// How far the line of `at` is indented; `at` is within 256 bytes of its beginning, or it counts as far.
pub(super) fn indent_of(bytes: &[u8], at: usize) -> usize {
    let begin = run_start(bytes, at, at.saturating_sub(256), |byte| byte != b'\n');
    run_end(bytes, begin, is_blank) - begin
}

/// A header whose value has a form of its own.
pub(super) fn header(bytes: &[u8], named: &[u8], quote: Option<u8>, start: usize) -> Option<Secret> {
    let ends =
        |ending: &[u8]| named.len().checked_sub(ending.len()).is_some_and(|at| goes_on_in_any_case(named, at, ending));
    if ends(b"authorization") {
        return authorization(bytes, start);
    }
    if ends(b"cookie") { cookie(bytes, start, quote) } else { None }
}

/// Where a header's value begins, and the quotation mark that ends it: its own, or the one around the whole header.
fn header_value(bytes: &[u8], start: usize, around: Option<u8>) -> (usize, Option<u8>) {
    let escape = run_end(bytes, start, |byte| byte == b'\\');
    match bytes.get(escape).copied().filter(|byte| is_quote(*byte)) {
        Some(quote) => (escape + 1, Some(quote)),
        None => (start, around),
    }
}

/// Schemes whose one token follows; the others carry parameters to the end of the header.
const SCHEMES: [&str; 8] = ["bearer", "basic", "token", "apikey", "api-key", "ssws", "negotiate", "ntlm"];

fn authorization(bytes: &[u8], start: usize) -> Option<Secret> {
    let (start, _) = header_value(bytes, start, None);
    // `sso-key X`, `Splunk X`: a scheme may be somebody's own.
    let end = judged_end(bytes, start, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    let is_scheme =
        |scheme: &str| goes_on(bytes, end, b" ") && part(bytes, start, end).eq_ignore_ascii_case(scheme.as_bytes());
    let kind = if is_scheme("bearer") { "bearer" } else { "authorization" };
    let from = if end > start && goes_on(bytes, end, b" ") { end + 1 } else { start };
    let judged = judged_end(bytes, from, is_header_token);
    let token = part(bytes, from, judged);
    let closed = token.len() >= 8 && ends_header(bytes, judged) && SCHEMES.into_iter().any(is_scheme);
    let secret = !value::is_placeholder(token) && (value::is_strong(token) || closed);
    secret.then(|| Secret { start: from, end: run_end(bytes, from, is_header_token), kind })
}

fn is_header_token(byte: u8) -> bool {
    is_visible(byte) && !is_quote(byte) && !matches!(byte, b'\\' | b',')
}

fn ends_header(bytes: &[u8], end: usize) -> bool {
    bytes.get(end).is_none_or(|byte| is_quote(*byte) || matches!(byte, b'\n' | b'\r' | b'\\'))
}

/// Names of cookies that say what somebody likes, and what is told of a cookie.
#[rustfmt::skip]
const HARMLESS: &[&[u8]] = &[
    b"theme", b"lang", b"locale", b"consent", b"path", b"expires", b"max-age", b"domain", b"samesite", b"httponly",
    b"secure", b"",
];

fn cookie(bytes: &[u8], start: usize, around: Option<u8>) -> Option<Secret> {
    let (start, quote) = header_value(bytes, start, around);
    let sign = judged_end(bytes, start, |byte| is_word(byte) || matches!(byte, b'-' | b'.'));
    let text = part(bytes, sign + 1, judged_end(bytes, sign + 1, |byte| is_visible(byte) && byte != b';'));
    if sign == start || !goes_on(bytes, sign, b"=") || value::is_placeholder(text) {
        return None;
    }
    let end = quote.map_or_else(|| line_end(bytes, start), |quote| value::quoted_end(bytes, start, quote));
    let named = |field: &[u8]| part(field, 0, run_end(field, 0, |byte| byte != b'=')).trim_ascii().to_ascii_lowercase();
    let harmless = |field: &[u8]| HARMLESS.contains(&named(field).as_slice());
    if part(bytes, start, end).split(|byte| *byte == b';').all(harmless) {
        return None;
    }
    Some(Secret { start, end, kind: "cookie" })
}
