//! Secrets whose name stands beside them without a sign between: in the next field, on the next line, in a cell of a
//! table, in an element of XML, behind a word of SQL or of a command that sets something.

use super::assignment::{indent_of, long_enough};
use super::behind;
use super::bytes::{
    JUDGED, count, goes_on, goes_on_in_any_case, is_base64, is_blank, is_quote, is_visible, is_word, judged_end,
    line_end, mixes_digits, part, run_end, run_start,
};
use super::name::{Doubt, Named, row_of};
use super::value::{self, SecretValue};
use super::{Secret, name_of_secret};
use crate::programs::{self, Trait};

/// How far from its name a value is looked for.
const NEAR: usize = 512;

/// The secret beside a name that no `:` or `=` follows. `closed` is behind the quotation mark that ends the name.
pub(super) fn beside(bytes: &[u8], named: &Named<'_>, closed: usize) -> Option<Secret> {
    let next = run_end(bytes, closed, is_blank);
    let is_quoted = closed > named.end;
    let secret = match bytes.get(next) {
        Some(b'/') if next == closed && named.is_password() => behind::link(bytes, next + 1),
        Some(b'>') if next == closed => element(bytes, named, closed),
        Some(b'<') if next == closed => next_element(bytes, named, closed),
        // `preshared-key <(echo X)`
        Some(b'<') if goes_on(bytes, next, b"<(echo ") => taken(bytes, named, &SecretValue::read(bytes, next + 7)),
        Some(b' ' | b'\t') => None,
        Some(b')') if is_quoted && next == closed && named.quote(bytes) != Some(b'`') => {
            typed_into(bytes, named, closed)
        }
        Some(b',' | b')')
            if (!is_quoted || named.quote(bytes) == Some(b'`'))
                && next == closed
                && !part(bytes, 0, named.start).ends_with(b"{") =>
        {
            inserted_value(bytes, named).or_else(|| value_field(bytes, named, next))
        }
        // `{default_pass,<<"X">>}`, `{password, "X"}` of Erlang.
        Some(b',') if next == closed && part(bytes, 0, named.start).ends_with(b"{") => {
            let open = run_end(bytes, next + 1, |byte| is_blank(byte) || byte == b'<');
            quoted_value(bytes, named, open, |text| long_enough(named, text))
        }
        Some(b',') if is_quoted => argument_after(bytes, named, next).or_else(|| value_field(bytes, named, next)),
        Some(b',') if next == closed => value_field(bytes, named, next),
        // `variable "admin_password" { default = "X" }`, `password { value: "X" }`
        Some(b'{') => first_value(bytes, named, next)
            .filter(|secret| is_quoted || value::is_odd(part(bytes, secret.start, secret.end))),
        // `s:8:"password";s:9:"X";`
        Some(b';') if is_quoted && goes_on(bytes, next, b";s:") => {
            let open = run_end(bytes, next + 3, |byte| byte.is_ascii_digit() || byte == b':');
            quoted_value(bytes, named, open, |text| long_enough(named, text))
        }
        // A part of a form: `name="password"`, a line without anything, and the value.
        Some(b'\n' | b'\r') if is_quoted && part(bytes, 0, named.start).ends_with(b" name=\"") => {
            let start = run_end(part(bytes, 0, bytes.len().min(next + 4)), next, |byte| matches!(byte, b'\n' | b'\r'));
            let is_apart = count(part(bytes, next, start), b'\n') == 2;
            let value = SecretValue::line(part(bytes, 0, bytes.len().min(start + NEAR)), start);
            is_apart.then(|| taken(bytes, named, &value))?
        }
        Some(0xe2) if goes_on(bytes, next, "›".as_bytes()) => {
            let value = SecretValue::read(bytes, run_end(bytes, next + 3, is_blank));
            if value::is_odd(value.text(bytes)) { taken(bytes, named, &value) } else { None }
        }
        _ if next > closed && named.row.kind == "cookie" && bytes.get(closed) == Some(&b'\t') => {
            taken(bytes, named, &SecretValue::read(bytes, next))
        }
        Some(0xe2) if next > closed && LEADS.iter().any(|lead| goes_on(bytes, next, lead.as_bytes())) => {
            word_after(bytes, named, next)
        }
        // `ENV["DB_PASSWORD"] || "X"`
        Some(b'|' | b'?') if goes_on(bytes, next + 1, b"| ") || goes_on(bytes, next, b"?? ") => {
            quoted_value(bytes, named, run_end(bytes, next + 2, is_blank), value::is_odd)
        }
        Some(b'|' | 0xe2) => cell(bytes, named, next),
        None | Some(b'\n' | b'\r') => counted_below(bytes, named, next)
            .or_else(|| value_field(bytes, named, next))
            .or_else(|| below_variable(bytes, named, next)),
        Some(byte) if is_quoted && is_quote(*byte) && next > closed => {
            let value = SecretValue::read(bytes, next);
            let is_set = sets(bytes, named) || goes_on(bytes, closed - 1, b"]");
            let text = value.text(bytes);
            if is_set && (value::is_odd(text) || named.is_password() && value::is_chosen(text)) {
                taken(bytes, named, &value)
            } else {
                value_field(bytes, named, next)
            }
        }
        _ if is_quoted => value_field(bytes, named, next),
        Some(_) if next > closed => word_after(bytes, named, next),
        _ => None,
    };
    secret
        .or_else(|| if is_quoted { value_before(bytes, named).or_else(|| attribute_value(bytes, named)) } else { None })
        .or_else(|| {
            // `<wsse:Password Type="a">X</wsse:Password>`
            let is_named = next > closed && matches!(part(bytes, 0, named.start).last(), Some(b'<' | b':'));
            let close = judged_end(bytes, closed, |byte| !matches!(byte, b'>' | b'<' | b'\n'));
            (is_named && goes_on(bytes, close, b">")).then(|| element(bytes, named, close))?
        })
}

/// `1) "password"` and `2) "X"`, `password`, `V 12` and `X`: what stores that print each name and value on lines of their own.
fn counted_below(bytes: &[u8], named: &Named<'_>, end: usize) -> Option<Secret> {
    let line = end + 1;
    let number = judged_end(bytes, line, |byte| byte.is_ascii_digit());
    let is_numbered = number > line && goes_on(bytes, number, b") \"") && bytes.get(end - 1) == Some(&b'"');
    let length =
        if goes_on(bytes, line, b"V ") { judged_end(bytes, line + 2, |byte| byte.is_ascii_digit()) } else { line };
    let value = match () {
        () if is_numbered => SecretValue::read(bytes, number + 2),
        () if goes_on(bytes, length, b"\n") && named.is_password() => {
            SecretValue::line(part(bytes, 0, bytes.len().min(length + NEAR)), length + 1)
        }
        () => return None,
    };
    long_enough(named, value.text(bytes)).then(|| taken(bytes, named, &value))?
}

/// `AWS_SECRET_ACCESS_KEY` alone on its line, and the value below, which is no other variable.
fn below_variable(bytes: &[u8], named: &Named<'_>, end: usize) -> Option<Secret> {
    let is_alone =
        named.is_environment() && named.begins_line(bytes) && !goes_on(bytes, named.start.wrapping_sub(2), b"- ");
    let secret = is_alone.then(|| on_next_line(bytes, named, end, true))??;
    part(bytes, secret.start, secret.end).iter().any(u8::is_ascii_lowercase).then_some(secret)
}

/// `<input name="password" value="X">`: another attribute of the element.
fn attribute_value(bytes: &[u8], named: &Named<'_>) -> Option<Secret> {
    const VALUES: [&[u8]; 2] = [b" value=", b" content="];
    let floor = named.start.saturating_sub(NEAR);
    let open = run_start(bytes, named.start, floor, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    let close = judged_end(bytes, named.end, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    if open == 0 || bytes.get(open - 1) != Some(&b'<') {
        return None;
    }
    let find = |value: &&[u8]| {
        let at = part(bytes, open, close).windows(value.len()).position(|word| word == *value)?;
        Some(at + value.len())
    };
    let Some(at) = VALUES.iter().find_map(find) else {
        return if goes_on(bytes, close, b">") { element(bytes, named, close) } else { None };
    };
    quoted_value(bytes, named, open + at, |text| value::is_odd(text) || value::is_phrase(text))
}

/// `page.locator("#password").fill("X")`: what is done with the thing of that name.
fn typed_into(bytes: &[u8], named: &Named<'_>, bracket: usize) -> Option<Secret> {
    let verb = bracket + 2;
    let open = judged_end(bytes, verb, is_word);
    let is_call = goes_on(bytes, bracket, b").") && open > verb && goes_on(bytes, open, b"(");
    is_call.then(|| quoted_value(bytes, named, open + 1, value::is_odd))?
}

/// `INSERT INTO users (name, password) VALUES ('ann', 'X')`: the value in the column's place.
fn inserted_value(bytes: &[u8], named: &Named<'_>) -> Option<Secret> {
    let floor = named.start.saturating_sub(NEAR);
    let open = run_start(bytes, named.start, floor, |byte| !matches!(byte, b'(' | b')' | b'\n'));
    let before = part(bytes, floor, open);
    before.windows(6).any(|word| word.eq_ignore_ascii_case(b" into ")).then_some(())?;
    let number = count(part(bytes, open, named.start), b',');
    let near = part(bytes, 0, bytes.len().min(named.end + NEAR));
    let values = part(near, named.end, near.len()).windows(6).position(|word| word.eq_ignore_ascii_case(b"values"))?;
    let mut at = run_end(near, named.end + values, |byte| byte != b'(') + 1;
    for _ in 0..number {
        at = run_end(near, at, is_blank);
        at = match near.get(at) {
            Some(quote) if is_quote(*quote) => value::quoted_end(near, at + 1, *quote) + 1,
            _ => at,
        };
        at = run_end(near, at, |byte| !matches!(byte, b',' | b')')) + 1;
    }
    quoted_value(near, named, run_end(near, at, is_blank), |_| true)
}

/// `Personal access token created`, a line without anything or a frame, and the token alone on its line.
pub(super) fn announced_token(bytes: &[u8], named: &Named<'_>) -> Option<Secret> {
    let end = judged_end(bytes, named.end, |byte| byte != b'\n');
    let start =
        run_end(part(bytes, 0, bytes.len().min(end + NEAR)), end, |byte| byte.is_ascii_whitespace() || byte >= 0x80);
    let stop = judged_end(bytes, start, is_visible);
    let text = part(bytes, start, stop);
    let is_key = named.name.ends_with(b"key") && text.len() >= 40 && text.iter().all(|byte| is_base64(*byte));
    let apart = goes_on(bytes, end, b"\n\n") || bytes.get(end + 1).is_some_and(|byte| *byte >= 0x80) || is_key;
    let apart = apart || named.end == end && value::is_dense(text) || text.len() >= 32 && value::is_mixed(text);
    let rest = judged_end(bytes, stop, |byte| is_blank(byte) || byte >= 0x80);
    let alone = bytes.get(rest).is_none_or(|byte| *byte == b'\n');
    let sure =
        value::is_odd(text) && (text.len() >= 20 && mixes_digits(text) || named.is_password() && text.len() >= 8);
    (apart && alone && sure && !value::is_code(text) && (is_key || !text.contains(&b'/')))
        .then(|| taken(bytes, named, &SecretValue { start, end: stop, quote: Some(b'\n') }))?
}

/// `use X as the password`: what a sentence says first.
pub(super) fn said_before(bytes: &[u8], named: &Named<'_>) -> Option<Secret> {
    const AS: &[&[u8]] = &[b" as the ", b" as your ", b" as its ", b" as a ", b" as "];
    let before = part(bytes, 0, named.start);
    let lead = AS.iter().find(|words| before.ends_with(words)).filter(|_| named.is_password())?;
    let goes_on_with = part(bytes, named.end, named.end + 5);
    let is_whole = goes_on_with.first().is_none_or(|byte| *byte != b' ') || goes_on_with == b" for ";
    let stop = named.start - lead.len();
    let end = stop - usize::from(bytes.get(stop.wrapping_sub(1)).is_some_and(|byte| is_quote(*byte)));
    let quote = bytes.get(end).copied().filter(|byte| is_quote(*byte) && end < stop);
    let start = run_start(bytes, end, end.saturating_sub(JUDGED), |byte| {
        quote.map_or(is_visible(byte), |quote| byte != quote && byte != b'\n')
    });
    let text = part(bytes, start, end);
    let is_one = choice_at(part(bytes, 0, end), start, true) == Some(end) || quote.is_some() && value::is_phrase(text);
    (is_whole && is_one).then(|| taken(bytes, named, &SecretValue { start, end, quote }))?
}

/// The value beside what says that it is secret: `"Type": "SecureString", "Value": "X"`.
pub(super) fn value_near(bytes: &[u8], at: usize) -> Option<Secret> {
    let (open, close) = object_around(bytes, at);
    let start = value_behind_label(bytes, at, close).or_else(|| value_behind_label(bytes, open, at))?;
    let value = SecretValue::read(bytes, start);
    let text = value.text(bytes);
    let is_one = value::is_odd(text) && text.len() >= 8 || !goes_on(bytes, at, b"\"name") && value::is_chosen(text);
    let sure = value.quote.is_some() && is_one && !value::is_placeholder(text);
    sure.then_some(Secret { start: value.start, end: value.end, kind: "secret" })
}

/// The values of a section: `[admins]`, and `ann = X` in the lines below; of a block, `secrets:`, what looks random.
pub(super) fn section_values(bytes: &[u8], at: usize) -> Vec<Secret> {
    let may_be_other = goes_on(bytes, at, b"[users]") || goes_on(bytes, at, b"[credentials]");
    let is_of_users = goes_on(bytes, at, b"chpasswd:");
    let block = (!goes_on(bytes, at, b"[")).then(|| indent_of(bytes, at));
    let near = part(bytes, 0, bytes.len().min(at + NEAR));
    let mut found = Vec::new();
    let mut line = line_end(near, at) + 1;
    while line < near.len() && !goes_on(near, line, b"[") && block.is_none_or(|outer| indent_of(near, line) > outer) {
        let end = line_end(near, line);
        let sign = run_end(near, line, |byte| !matches!(byte, b'=' | b'\n') && (block.is_none() || byte != b':'));
        let value = SecretValue::read(near, run_end(near, sign + 1, is_blank));
        let text = value.text(near);
        let sure = match block {
            Some(_) => value::is_dense(text) || is_of_users && (value::is_odd(text) || value::is_chosen(text)),
            None => !may_be_other || value::is_odd(text) && value::is_strong(text) && !text.contains(&b'/'),
        };
        if sign < end && !value::is_placeholder(text) && text.len() >= 6 && sure {
            found.push(Secret { start: value.start, end: value.end, kind: "password" });
        }
        line = end + 1;
    }
    found
}

/// Codes that let one in again, in the lines below the word of them.
pub(super) fn recovery_codes(bytes: &[u8], at: usize) -> Vec<Secret> {
    let near = part(bytes, 0, bytes.len().min(at + NEAR));
    let mut found = Vec::new();
    let mut next = line_end(near, at);
    while next < near.len() && found.len() < 32 {
        let start = run_end(near, next, |byte| !byte.is_ascii_alphanumeric());
        let end = run_end(near, start, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        // Two groups of digits: `9092 5637`.
        let second = run_end(near, end + 1, |byte| byte.is_ascii_digit());
        let is_two = goes_on(near, end, b" ") && second > end + 1 && second - end - 1 == end - start;
        let is_two = is_two && end - start >= 4 && part(near, start, end).iter().all(u8::is_ascii_digit);
        let end = if is_two { second } else { end };
        let text = part(near, start, end);
        let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
        let groups = text.split(|byte| matches!(byte, b'-' | b' ')).map(<[u8]>::len);
        let is_code = text.len() >= 8
            && (digits > 1
                || digits > 0 && text.contains(&b'-')
                || text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-') && count(text, b'-') > 1)
            && groups.clone().max() == groups.min();
        if is_code {
            found.push(Secret { start, end, kind: "recovery_code" });
        } else if text.len() > 3 {
            break;
        }
        next = end.max(start + 1);
    }
    found
}

/// The sign between a name and its value, behind what may stand between: `Token (hidden):`, `Password ....:`.
pub(super) fn sign_behind(bytes: &[u8], closed: usize) -> usize {
    // `["token":protected]=>`
    let shown = [&b":protected"[..], b":private"].into_iter().find(|word| goes_on(bytes, closed, word));
    let closed = shown.map_or(closed, |word| run_end(bytes, closed + word.len(), |byte| byte == b']'));
    let sign = run_end(bytes, closed, is_blank);
    let next = match bytes.get(sign) {
        Some(b'(' | b'[') if sign > closed => {
            let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_');
            judged_end(bytes, sign + 1, inside) + 1
        }
        Some(b'.') if goes_on(bytes, sign, b"...") => judged_end(bytes, sign, |byte| byte == b'.' || is_blank(byte)),
        _ => return sign,
    };
    let is_closed = matches!(next.checked_sub(1).and_then(|last| bytes.get(last)), Some(b')' | b']' | b'.' | b' '));
    if is_closed && goes_on(bytes, next, b":") { next } else { sign }
}

/// `user ann pass X`: the word behind a user's.
pub(super) fn beside_user(bytes: &[u8], named: &Named<'_>, next: usize) -> Option<Secret> {
    // `the pass is X`
    let said = if goes_on(bytes, next, b"is ") { 3 } else { 0 };
    let next = next + said;
    let value = SecretValue::read(bytes, next);
    let text = value.text(bytes);
    let is_below = named.begins_line(bytes) && is_below_user(bytes, named);
    let sure = value::is_odd(text) && (value.quote.is_some() || choice_at(bytes, next, true).is_some())
        || value.quote.is_some() && value::is_phrase(text)
        || is_below && value::is_chosen(text)
        || said > 0 && value::is_long_choice(text);
    ((said > 0 || is_below || is_behind_user(bytes, named)) && sure).then(|| taken(bytes, named, &value))?
}

/// Whether a user is named before on the line: `user ann`, `-u ann`.
fn is_behind_user(bytes: &[u8], named: &Named<'_>) -> bool {
    let before = part(bytes, named.start.saturating_sub(48), named.start);
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_user = |word: &[u8]| matches!(word, b"user" | b"username" | b"login" | b"account" | b"u");
    line.split(|byte| !is_word(*byte)).any(is_user)
}

/// Where the line goes on behind a few words: `log in as ann`.
fn behind_words(bytes: &[u8], from: usize) -> usize {
    const FEW: &[&[u8]] = &[b"in ", b"as ", b"with ", b"are ", b"digest "];
    let mut at = run_end(bytes, from, |byte| is_blank(byte) || byte == b':');
    while let Some(word) = FEW.iter().find(|word| goes_on(bytes, at, word)) {
        at += word.len();
    }
    at
}

/// `log in as ann / X`: what stands behind a user's name behind the words at `at`.
pub(super) fn behind_sign_in(bytes: &[u8], at: usize) -> Option<Secret> {
    behind_user(bytes, behind_words(bytes, judged_end(bytes, at, |byte| !matches!(byte, b' ' | b'\n'))))
}

/// `ann / X`, `ann:X`, `ann, X`: what stands behind a user's name.
pub(super) fn behind_user(bytes: &[u8], start: usize) -> Option<Secret> {
    let start = start + usize::from(matches!(bytes.get(start), Some(b'[' | b'(' | b'\'' | b'"')));
    let user = judged_end(bytes, start, |byte| is_word(byte) || matches!(byte, b'.' | b'-' | b'@' | b'+'));
    let next = judged_end(bytes, user, |byte| matches!(byte, b' ' | b'/' | b':' | b','));
    let divided = matches!(part(bytes, user, next), b"/" | b":" | b" / " | b" : " | b", " | b": ");
    if user == start || !divided {
        return None;
    }
    let word = judged_end(bytes, next, |byte| is_visible(byte) && byte != b')' && byte != b']');
    let is_last = part(bytes, user, next) == b" / " && bytes.get(word).is_none_or(|byte| !is_blank(*byte));
    let text = part(bytes, next, word);
    let chosen = || (is_last && value::is_chosen(text) || value::is_long_choice(text)).then_some(word);
    choice_at(bytes, next, true).or_else(chosen).map(|end| Secret { start: next, end, kind: "password" })
}

/// Where the password that begins at `start` ends, if it looks like one that was chosen or made: no name, no version, and
/// no hash where nothing says that it is one.
fn choice_at(bytes: &[u8], start: usize, is_said: bool) -> Option<usize> {
    let in_choice =
        |byte: u8| is_visible(byte) && !is_quote(byte) && !matches!(byte, b',' | b';' | b'|' | b')' | b']' | b'\\');
    let end = judged_end(bytes, start, in_choice);
    let text = part(bytes, start, end);
    let has = |class: fn(&u8) -> bool| text.iter().any(class);
    let mixed = has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && (is_said || has(u8::is_ascii_uppercase) || value::holds_sign(text))
        && text.first().is_some_and(|first| !first.is_ascii_digit() || !text.contains(&b'-'));
    let sure = mixed
        && (if is_said { 6 } else { 8 }..=64).contains(&text.len())
        && !has(|byte| matches!(byte, b'/' | b':' | b'=' | b'<' | b'>' | b'(' | b'[' | b'{'))
        && !value::is_placeholder(text)
        && (is_said || !value::names_code(text))
        && !value::is_field(text);
    sure.then_some(end)
}

/// A password beside an address of mail, the sign of which is at `at`: in the next field, cell or item of a list.
pub(super) fn beside_mail(bytes: &[u8], at: usize) -> Option<Secret> {
    let in_name = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'-' | b'+');
    let user = run_start(bytes, at, at.saturating_sub(64), in_name);
    let end = judged_end(bytes, at + 1, in_name);
    let word = run_start(bytes, at, at.saturating_sub(96), |byte| is_visible(byte) && !is_quote(byte));
    // `corp/ann:X@host`
    let login = run_end(part(bytes, 0, at), word, |byte| in_name(byte) || matches!(byte, b'/' | b'\\'));
    let is_one = || {
        choice_at(part(bytes, 0, at), login + 1, true) == Some(at)
            || value::is_long_choice(part(bytes, login + 1, at)) && !goes_on(bytes, at, b"@sha")
    };
    if login > word && goes_on(bytes, login, b":") && is_one() {
        return Some(Secret { start: login + 1, end: at, kind: "password" });
    }
    let top = part(bytes, at + 1, end).rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_address = user < at && top.len() >= 2 && top.len() < end - at - 1 && top.iter().all(u8::is_ascii_alphabetic);
    if !is_address {
        return None;
    }
    let mut at = end;
    for hop in 0..2 {
        let between = |byte: u8| is_blank(byte) || is_quote(byte) || matches!(byte, b':' | b';' | b',' | b'|' | b'/');
        let item = judged_end(bytes, at, |byte| byte == b'\n' || byte == b' ');
        let next = if goes_on(bytes, at, b"\n") && goes_on(bytes, item, b"- ") {
            item + 2
        } else {
            judged_end(bytes, at, between)
        };
        let divider = part(bytes, at, next);
        // In an object of JSON the next text is the name of another field.
        let names_field = hop > 0 && divider.contains(&b'"');
        if divider.iter().all(|byte| *byte == b' ' || is_quote(*byte)) || names_field || divider.len() > 24 {
            return None;
        }
        if let Some(end) = choice_at(bytes, next, false) {
            return Some(Secret { start: next, end, kind: "password" });
        }
        at = judged_end(bytes, next, in_name);
    }
    None
}

/// Words in the names of files that hold secrets.
#[rustfmt::skip]
const SECRET_FILES: &[&[u8]] = &[
    b"auth", b"secret", b"secrets", b"token", b"tokens", b"pass", b"password", b"passwords", b"passwd", b"passphrase", b"pw",
    b"pwd", b"pwds", b"cred", b"creds", b"credential", b"credentials", b"login", b"logins", b"pin", b"unseal", b"apikey",
    b"keyfile", b"pgpass",
];

/// Whether a path is that of a file of secrets, by its name.
pub fn names_secrets(path: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        ".env", ".git-credentials", ".netrc", ".npmrc", ".pgpass", ".pypirc", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa",
    ];
    const ENDINGS: &[&str] = &["env", "jks", "kdbx", "key", "p12", "pem", "pfx"];
    const EXAMPLES: &[&str] = &["dist", "example", "sample", "template"];
    let name = crate::text::file_name(path.trim_end_matches('/'));
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_environment = name.starts_with(".env.");
    !EXAMPLES.contains(&ending)
        && (is_environment || NAMES.contains(&name) || ENDINGS.contains(&ending) || names_secret_file(path.as_bytes()))
}

/// Whether a file's name says that a secret is all that is in it.
pub(super) fn names_secret_file(path: &[u8]) -> bool {
    let base = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    let base = base.strip_prefix(b".").unwrap_or(base);
    let dot = base.iter().rposition(|byte| *byte == b'.').unwrap_or(base.len());
    let (stem, ending) = (part(base, 0, dot), part(base, dot + 1, base.len()));
    let plain = matches!(ending, b"" | b"txt" | b"bin" | b"dat");
    let says = |name: &[u8]| {
        row_of(name).is_some()
            || name
                .split(|byte| !byte.is_ascii_alphanumeric())
                .any(|word| SECRET_FILES.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    let in_folder =
        path.split(|byte| *byte == b'/').rev().skip(1).any(|folder| matches!(folder, b"secret" | b"secrets"));
    plain && (says(stem) || in_folder) || ending == b"key" || !plain && says(ending)
}

/// The last command of a line, where it shows a file whose name says that secrets are in it.
/// Where the output begins with one word, it may be any command of the line.
pub(super) fn shown_secrets(line: &str, is_word: bool) -> Option<&str> {
    let commands = line.rsplit(['\n', ';', '&', '|']).map(str::trim);
    commands.take(if is_word { usize::MAX } else { 1 }).find(|command| asks_for_secret(command))
}

/// Whether the first word of an output may be a secret that a command was asked for.
fn may_be_answer(word: &[u8]) -> bool {
    let is_signed =
        matches!(word.first(), None | Some(b'{' | b'[' | b'<' | b'-' | b'/' | b'.')) || word.ends_with(b":");
    let is_told = value::is_odd(word) || value::is_chosen(word) && !value::tells_state(word);
    !is_signed
        && is_told
        && !value::is_placeholder(word)
        && (!word.contains(&b'/') || word.len() >= 20 && mixes_digits(word))
}

/// Programs that make passwords, or keep them and print one.
#[rustfmt::skip]
const KEEPERS: &[&str] = &[
    "apg", "bw", "diceware", "gopass", "keepassxc-cli", "kwallet-query", "lpass", "op", "pass", "pwgen", "secret-tool", "xkcdpass",
];

/// Whether what a command prints is a secret.
fn asks_for_secret(command: &str) -> bool {
    #[rustfmt::skip]
    const ASKED: &[&str] = &[
        "secret", "secrets", "password", "passwd", "pass", "requirepass", "keyvault", "token", "genkey", "genpsk", "rand",
        "generate",
    ];
    let Some((program, words)) = command.split_once(' ') else { return false };
    let path = words.rsplit(' ').next().unwrap_or_default();
    let is = |what| programs::find(program).is_some_and(|known| known.has(what));
    // `vault kv get secret/a`, `aws ecr get-login-password`: what is printed answers it.
    let names = |word: &str| {
        let is_asked = |own: &str| ASKED.iter().any(|part| own.eq_ignore_ascii_case(part));
        word.split(|sign: char| !sign.is_ascii_alphanumeric()).any(is_asked) || row_of(word.as_bytes()).is_some()
    };
    // An option asks for one by its value only: `-field=password`.
    let asks = |word: &str| match word.split_once('=').filter(|_| word.starts_with('-')) {
        Some((_, value)) => names(value),
        None => !word.starts_with('-') && names(word),
    };
    let is_shown = matches!(program, "echo" | "printenv") || words.contains("key:generate");
    let is_other =
        || [Trait::Filters, Trait::Interpreter, Trait::Looks, Trait::VersionControl].iter().any(|other| is(*other));
    names_secret_file(path.as_bytes()) && is(Trait::Shows)
        || !is(Trait::Shows) && (KEEPERS.contains(&program) || words.split(' ').any(asks) && (is_shown || !is_other()))
}

/// The secrets in a file that a command shows whose name says that they are there: `cat auth.txt`, `==> token <==`; or in what
/// a command at a prompt was asked for: `$ vault kv get -field=password secret/a`.
pub(super) fn shown_secrets_below(bytes: &[u8], at: usize) -> Vec<Secret> {
    let mut found = Vec::new();
    let at = at + usize::from(bytes[at] == b'\n');
    let end = judged_end(bytes, at, |byte| byte != b'\n');
    let line = part(bytes, at, end).trim_ascii_end();
    let (line, is_heading) = match line.strip_suffix(b" <==") {
        Some(line) => (line, true),
        None => (line, false),
    };
    let begins = at == 0 || bytes.get(at - 1).is_some_and(|before| !is_word(*before));
    let redirected = !is_heading && line.iter().any(|byte| matches!(byte, b'<' | b'>' | b'|' | b';' | b'&'));
    let path = line.rsplit(|byte| is_blank(*byte)).next().unwrap_or_default();
    let path = path.strip_suffix(b"\"").or(path.strip_suffix(b"'")).unwrap_or(path);
    let in_path = |byte: u8| is_word(byte) || matches!(byte, b'/' | b'\\' | b'.' | b'-' | b'~' | b':');
    let is_path = path.iter().all(|byte| in_path(*byte));
    let first = part(bytes, end + 1, judged_end(bytes, end + 1, |byte| byte != b'\n' && byte != b' '));
    let asks = |command: &str| {
        shown_secrets(command.trim_start_matches(['~', '$', '#', '%', ' ']), true).is_some()
            || value::is_odd(first) && name_of_secret(command).is_some()
    };
    let is_asked = matches!(line.first(), Some(b'$' | b'~'))
        && first.len() >= 5
        && !goes_on(bytes, end + 1 + first.len(), b" ")
        && std::str::from_utf8(line).is_ok_and(asks);
    if !goes_on(bytes, end, b"\n") || !is_asked && (!begins || redirected || !is_path || !names_secret_file(path)) {
        return found;
    }
    let near = part(bytes, 0, bytes.len().min(end + NEAR));
    let mut next = end + 1;
    let mut lines = part(near, next, near.len()).split(|byte| *byte == b'\n').take(3);
    let is_short = is_asked || lines.any(|line| line.is_empty() || line.contains(&b' '));
    let mut answered = 0;
    for _ in 0..if is_asked { 16 } else { 4 } {
        let stop = line_end(near, next);
        let text = part(near, next, stop);
        let quote = usize::from(text.len() > 1 && text.first() == Some(&b'"') && text.last() == Some(&b'"'));
        let (start, end) = (next + quote, stop - quote);
        let text = part(near, start, end);
        // Of an answer all lines are of one length: `$ pwgen -s 20 2`.
        if text.is_empty() || answered > 0 && answered != text.len() {
            found.extend(quoted_in_line(near, next, stop));
            break;
        }
        let is_word = !text.iter().any(|byte| is_blank(*byte) || is_quote(*byte));
        let is_one = value::is_odd(text) || is_short && value::is_chosen(text) && !value::is_plain(text);
        let sure = is_one && !value::is_placeholder(text) && !value::is_code(text) && !value::is_path(text);
        if is_word && sure && !text.windows(3).any(|three| three == b"://") && (!is_asked || may_be_answer(text)) {
            found.push(Secret { start, end, kind: "secret" });
            answered = if is_asked { text.len() } else { 0 };
        } else if !is_word {
            found.extend(quoted_in_line(near, next, stop));
        }
        next = run_end(near, stop, |byte| byte == b'\r') + 1;
    }
    found
}

/// `ann * "X" *`: the text on a line of a file of secrets to which no sign gives another name.
fn quoted_in_line(bytes: &[u8], line: usize, end: usize) -> Option<Secret> {
    let open = line + part(bytes, line, end).windows(2).position(|two| two == b" \"")?;
    let value = SecretValue::read(part(bytes, 0, end), open + 1);
    let text = value.text(bytes);
    let is_named =
        open.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|byte| matches!(byte, b':' | b'=' | b','));
    let sure = value::is_odd(text) && value::is_strong(text) && !value::is_placeholder(text) && !text.contains(&b'/');
    (sure && !is_named).then_some(Secret { start: value.start, end: value.end, kind: "secret" })
}

/// The value at `at`, where it is quoted and is one.
fn quoted_value(bytes: &[u8], named: &Named<'_>, at: usize, is_one: impl Fn(&[u8]) -> bool) -> Option<Secret> {
    let value = SecretValue::read(bytes, at);
    (value.quote.is_some() && is_one(value.text(bytes))).then(|| taken(bytes, named, &value))?
}

fn taken(bytes: &[u8], named: &Named<'_>, value: &SecretValue) -> Option<Secret> {
    let text = value.text(bytes);
    (!text.is_empty() && !value::is_placeholder(text) && !value::is_plain(text) && !value::is_path(text))
        .then(|| Secret { start: value.start, end: value.whole_end(bytes), kind: named.row.kind })
}

/// `<name>fs.secret.key</name><value>X</value>`, `<key>password</key><string>X</string>`.
fn next_element(bytes: &[u8], named: &Named<'_>, close: usize) -> Option<Secret> {
    let near = part(bytes, 0, bytes.len().min(close + NEAR));
    let is_name = |byte: u8| is_word(byte) || byte == b'-';
    let ended = run_end(near, close + 2, is_name);
    if !goes_on(near, close, b"</") || !goes_on(near, ended, b">") {
        return None;
    }
    let next = run_end(near, ended + 1, |byte| byte.is_ascii_whitespace());
    let opened = run_end(near, next + 1, is_name);
    if !goes_on(near, next, b"<") || opened == next + 1 || !goes_on(near, opened, b">") {
        return None;
    }
    let start = run_end(near, opened + 1, |byte| byte.is_ascii_whitespace());
    let end = run_end(near, start, |byte| byte != b'<' && byte != b'\n');
    let text = part(near, start, end);
    let sure = goes_on(near, end, b"</") && (named.row.doubt != Doubt::Much || value::is_strong(text));
    sure.then(|| taken(bytes, named, &SecretValue { start, end, quote: Some(b'<') }))?
}

/// `<password>X</password>`, `<property name="password">X</property>`.
fn element(bytes: &[u8], named: &Named<'_>, close: usize) -> Option<Secret> {
    let before = part(bytes, named.start.saturating_sub(NEAR.min(48)), named.start);
    if !before.contains(&b'<') || before.ends_with(b"/") {
        return None;
    }
    let mut start = run_end(bytes, close + 1, |byte| byte.is_ascii_whitespace());
    // `<Password><Value>X</Value>`
    let opened = judged_end(bytes, start + 1, is_word);
    if goes_on(bytes, start, b"<") && opened > start + 1 && goes_on(bytes, opened, b">") {
        start = opened + 1;
    }
    let close = judged_end(bytes, start, |byte| byte != b'<');
    let end = run_start(bytes, close, start, |byte| byte.is_ascii_whitespace());
    let start = run_start(bytes, end, start, |byte| byte != b'\n');
    let text = part(bytes, start, end);
    if !goes_on(bytes, close, b"</")
        || value::is_message(text) && !value::is_phrase(text)
        || (named.row.doubt == Doubt::Much && !value::is_strong(text))
    {
        return None;
    }
    taken(bytes, named, &SecretValue { start, end, quote: Some(b'<') })
}

/// The last quoted argument between brackets that open at `open`: `WithAPIKey("X")`, `auth=("user", "X")`.
pub(super) fn last_argument(bytes: &[u8], named: &Named<'_>, open: usize) -> Option<Secret> {
    let arguments = call_arguments(bytes, open)?;
    let last = (*arguments.last()?)?;
    let texts = arguments.iter().flatten().count();
    let text = last.text(bytes);
    let sure = value::is_odd(text) && (value::is_strong(text) || named.is_password() || !text.is_ascii() || texts > 1)
        || value::is_phrase(text)
        || (named.is_password() && (named.name.len() > 8 || named.is_environment())
            || texts > 1 && named.names_login())
            && value::is_chosen(text);
    sure.then(|| taken(bytes, named, &last))?
}

/// The arguments between brackets that open at `open`: the text of each that is quoted.
pub(super) fn call_arguments(bytes: &[u8], open: usize) -> Option<Vec<Option<SecretValue>>> {
    let near = part(bytes, 0, bytes.len().min(open + NEAR));
    let mut all = Vec::new();
    let mut at = open + 1;
    loop {
        at = run_end(near, at, |byte| byte.is_ascii_whitespace() || byte == b',');
        match near.get(at) {
            Some(b')' | b']') => break,
            Some(byte) if is_quote(*byte) || is_word(*byte) => {
                let value = SecretValue::read(near, at);
                let end = if value.quote.is_some() {
                    value.end + 1
                } else {
                    run_end(near, at, |byte| is_word(byte) || byte == b'.')
                };
                all.push(value.quote.map(|_| value));
                // `"X".toCharArray()`, `"X".into()`
                let called = run_end(near, end + 1, is_word);
                let is_called = value.quote.is_some() && goes_on(near, end, b".") && goes_on(near, called, b"()");
                at = if is_called { called + 2 } else { end.max(at + 1) };
            }
            _ => return None,
        }
    }
    Some(all)
}

/// `login: [ann, X]`, `"apikey": [{"key": "value", "value": "X"}]`: the last of a list, or the object in it that names a value.
pub(super) fn in_list(bytes: &[u8], named: &Named<'_>, open: usize) -> Option<Secret> {
    let near = part(bytes, 0, bytes.len().min(open + NEAR));
    let close = run_end(near, open, |byte| byte != b']');
    let first = run_end(near, open + 1, |byte| byte.is_ascii_whitespace());
    if goes_on(near, first, b"{") {
        let label = [&b"\"key\": \"value\""[..], b"\"key\":\"value\""];
        let place = |word: &&[u8]| part(near, first, close).windows(word.len()).position(|part| part == *word);
        let at = first + label.iter().find_map(place)? + 8;
        let value = SecretValue::read(near, value_behind_label(near, at, close)?);
        return value::is_strong(value.text(near)).then(|| taken(bytes, named, &value))?;
    }
    let end = run_start(near, close, open + 1, |byte| is_blank(byte) || is_quote(byte));
    let start = run_start(near, end, open + 1, |byte| !is_blank(byte) && !is_quote(byte) && byte != b',');
    let before = part(near, open + 1, start);
    let text = part(near, start, end);
    let is_pair = count(before, b',') == 1 && !before.contains(&b'[') && goes_on(near, close, b"]");
    let sure =
        is_pair && value::is_odd(text) && value::is_strong(text) && !value::is_code(text) && !text.contains(&b'/');
    sure.then(|| taken(bytes, named, &SecretValue { start, end, quote: Some(b'"') }))?
}

/// `"root_password": {"value": "X"}`.
pub(super) fn first_value(bytes: &[u8], named: &Named<'_>, open: usize) -> Option<Secret> {
    let start = value_behind_label(bytes, open, object_around(bytes, open + 1).1)?;
    quoted_value(bytes, named, start, |text| long_enough(named, text))
}

/// The texts of a list or an object that a name of secrets leads to: `"api_keys": ["X", "Y"]`, `"oauth": {"host": "X"}`.
pub(super) fn listed_secrets(bytes: &[u8], named: &Named<'_>) -> Vec<Secret> {
    let mut found = Vec::new();
    let near = part(bytes, 0, bytes.len().min(named.end + NEAR));
    let close = run_end(part(near, 0, near.len().min(named.end + 2)), named.end, is_quote);
    let sign = run_end(part(near, 0, near.len().min(close + 2)), close, is_blank);
    let open = run_end(part(near, 0, near.len().min(sign + 4)), sign + 1, |byte| byte.is_ascii_whitespace());
    let is_list = goes_on(near, open, b"[");
    let is_object = close > named.end && goes_on(near, open, b"{") && named.row.ending == "auth";
    if !matches!(near.get(sign), Some(b':' | b'=')) || !is_list && !is_object {
        return found;
    }
    let close = run_end(near, open, |byte| byte != b']' && byte != b'}');
    let mut at = open + 1;
    while let Some(quote) = part(near, at, close).iter().position(|byte| is_quote(*byte)) {
        let value = SecretValue::read(near, at + quote);
        let text = value.text(near);
        let is_chosen = is_list
            && named.name.ends_with(b"s")
            && (value::is_odd(text) || named.is_password() && value::is_chosen(text));
        if (value::is_dense(text) || is_chosen) && !value::is_code(text) {
            found.extend(taken(near, named, &value));
        }
        at = value.end.max(at + quote) + 1;
    }
    found
}

/// The answer to a question of a mail server in base64, which is asked at `at`.
pub(super) fn answer_to_mail(bytes: &[u8], at: usize) -> Option<Secret> {
    let line = judged_end(bytes, at, |byte| byte != b'\n' && byte != b'\r');
    let end = line_end(part(bytes, 0, bytes.len().min(line + NEAR)), line + 1);
    let start = run_start(bytes, end, line + 1, is_visible);
    (end - start >= 6).then_some(Secret { start, end, kind: "password" })
}

/// `define('DB_PASSWORD', 'X')`, `setenv("API_TOKEN", "X")`: the next argument of a call.
pub(super) fn argument_after(bytes: &[u8], named: &Named<'_>, comma: usize) -> Option<Secret> {
    let quote = bytes.get(comma.checked_sub(1)?).copied().filter(|byte| is_quote(*byte));
    let text =
        run_start(bytes, named.start, named.start.saturating_sub(48), |byte| Some(byte) != quote && byte != b'\n');
    let before = run_start(bytes, text.saturating_sub(1), text.saturating_sub(8), is_blank);
    let open = before.checked_sub(1).and_then(|before| bytes.get(before));
    // `fill_in 'Password', with: 'X'`
    let with = if goes_on(bytes, comma, b", with: ") { b" with: ".len() } else { 0 };
    let start = run_end(bytes, comma + 1 + with, is_blank);
    let may_be_other = with == 0 && !matches!(open, Some(b'(' | b'['));
    if may_be_other && open != Some(&b',') || !bytes.get(start).is_some_and(|byte| is_quote(*byte)) {
        return None;
    }
    let value = SecretValue::read(bytes, start);
    let text = value.text(bytes);
    let sure = named.is_environment() && named.row.doubt != Doubt::Much
        || named.is_password() && (value::is_long_choice(text) || with > 0 && value::is_chosen(text));
    // `buildConfigField "String", "API_KEY", "X"`
    let is_random = text.len() >= 20 && mixes_digits(text) && value::is_strong(text);
    (!may_be_other && (sure || value::is_odd(text)) || is_random).then(|| taken(bytes, named, &value))?
}

/// The name stands in a field of its own, and its value in the field after it: `name: X`, `value: Y`.
fn value_field(bytes: &[u8], named: &Named<'_>, from: usize) -> Option<Secret> {
    let near = part(bytes, 0, bytes.len().min(from + NEAR));
    let start = run_end(near, from, |byte| {
        byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b',' | b'-' | b'+' | b'\\')
    });
    let (start, end) = passed_over(near, start);
    if !ends_with_value(part(near, start, end)) {
        return None;
    }
    let sign = run_end(near, end, |byte| is_blank(byte) || is_quote(byte) || byte == b'\\');
    if !matches!(bytes.get(sign), Some(b':' | b'=')) {
        return None;
    }
    let value = SecretValue::read(bytes, run_end(near, sign + 1, is_blank));
    let text = value.text(bytes);
    let strong = named.row.doubt != Doubt::Much || named.is_environment() || value::is_odd(text);
    (strong && !value::is_message(text)).then(|| taken(bytes, named, &value))?
}

/// The field that begins at `start`, or the one `value` in a line or two below it that are fields, too.
fn passed_over(near: &[u8], start: usize) -> (usize, usize) {
    let field = |start: usize| (start, run_end(near, start, is_word));
    let is_value = |(start, end): (usize, usize)| ends_with_value(part(near, start, end));
    let first = field(start);
    let mut at = first;
    for _ in 0..3 {
        if is_value(at) {
            return at;
        }
        let end = line_end(near, at.0);
        let line = part(near, at.1, end);
        let is_field = matches!(line.trim_ascii_start().first(), Some(b':' | b'='));
        let next = run_end(near, end, |byte| byte.is_ascii_whitespace());
        let next = if goes_on(near, next, b"+ ") { run_end(near, next + 1, is_blank) } else { next };
        if !is_field || goes_on(near, next, b"- ") || next == end {
            break;
        }
        at = field(next);
    }
    first
}

/// The same with the value first, or with others between: `"value": "Y", "description": null, "name": "X"`.
fn value_before(bytes: &[u8], named: &Named<'_>) -> Option<Secret> {
    let floor = named.start.saturating_sub(NEAR);
    let skip = |at: usize, class: fn(u8) -> bool| run_start(bytes, at, floor, class);
    // `"Name": "/prod/db/password"`
    let named_at = skip(named.start, |byte| is_word(byte) || matches!(byte, b'/' | b'-' | b'.'));
    let field = skip(skip(named_at, is_around), is_word);
    let label = part(bytes, field, run_end(bytes, field, is_word));
    if !NAME_LABELS.iter().any(|known| label.eq_ignore_ascii_case(known)) {
        return None;
    }
    let (open, close) = object_around(bytes, named.start);
    let start = value_behind_label(bytes, open, close).filter(|_| part(bytes, 0, open).ends_with(b"{"))?;
    quoted_value(bytes, named, start, |text| long_enough(named, text) && !value::is_message(text))
}

/// Where what stands in the same braces as `at` begins and ends.
fn object_around(bytes: &[u8], at: usize) -> (usize, usize) {
    let in_object = |byte: u8| !matches!(byte, b'{' | b'}');
    let close = run_end(part(bytes, 0, bytes.len().min(at + NEAR)), at, in_object);
    (run_start(bytes, at, at.saturating_sub(NEAR), in_object), close)
}

/// What the label of a name is in an object of a name and a value, and that of the value.
const NAME_LABELS: &[&[u8]] =
    &[b"name", b"key", b"k", b"parameterkey", b"field", b"label", b"id", b"title", b"property", b"variable", b"header"];
const VALUE_LABELS: &[&[u8]] = &[b"value", b"v", b"val", b"content", b"contents", b"default", b"result"];

/// `value`, `secretValue`.
fn ends_with_value(label: &[u8]) -> bool {
    label.len().checked_sub(5).is_some_and(|at| goes_on_in_any_case(label, at, b"value"))
}

/// Where the value begins behind the first label of one.
fn value_behind_label(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    let near = part(bytes, 0, to);
    let mut at = from;
    while at < near.len() {
        let start = run_end(near, at, |byte| !is_word(byte));
        at = run_end(near, start, is_word);
        let label = part(near, start, at);
        let sign = run_end(near, at, |byte| is_quote(byte) || is_blank(byte));
        let is_one = VALUE_LABELS.iter().any(|known| label.eq_ignore_ascii_case(known)) || ends_with_value(label);
        if is_one && matches!(near.get(sign), Some(b':' | b'=')) {
            return Some(run_end(bytes, sign + 1, is_blank));
        }
    }
    None
}

fn is_around(byte: u8) -> bool {
    byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b':' | b'=' | b'\\')
}

/// The next cell of a table's row.
fn cell(bytes: &[u8], named: &Named<'_>, bar: usize) -> Option<Secret> {
    let start = bar + bar_length(bytes, bar)?;
    // In a pattern, bars stand between words without blanks.
    if !bytes.get(bar - 1).is_some_and(|byte| is_blank(*byte)) || !bytes.get(start).is_some_and(|byte| is_blank(*byte))
    {
        return None;
    }
    let start = run_end(bytes, start, is_blank);
    let start = start + usize::from(bytes.get(start) == Some(&b'`'));
    let end = run_start(bytes, cell_end(bytes, start), start, |byte| byte == b'`');
    let text = part(bytes, start, end);
    let sure = named.is_environment() || named.is_password();
    // `| Password | X |`: a row of a name and a value.
    let rest = run_end(bytes, end, |byte| is_blank(byte) || byte == b'`');
    let is_pair = goes_on(bytes, rest, b"|\n") || goes_on(bytes, rest, b"|") && rest + 1 == bytes.len();
    let is_last = (is_pair || bytes.get(end).is_none_or(|byte| *byte == b'\n')) && named.begins_line(bytes);
    let chosen = (named.is_environment() || is_last) && named.is_password() && value::is_chosen(text);
    let odd = value::is_odd(text) && (sure || value::is_strong(text)) || sure && value::is_phrase(text) || chosen;
    (odd && !value::is_code(text) && !(named.row.doubt == Doubt::Much && value::names_code(text)))
        .then(|| taken(bytes, named, &SecretValue { start, end, quote: Some(b'|') }))?
}

/// How long the bar between two cells is.
fn bar_length(bytes: &[u8], at: usize) -> Option<usize> {
    let bars: [&[u8]; 4] = [b"|", "│".as_bytes(), "┃".as_bytes(), "║".as_bytes()];
    bars.iter().find(|bar| goes_on(bytes, at, bar)).map(|bar| bar.len())
}

fn cell_end(bytes: &[u8], start: usize) -> usize {
    let near = part(bytes, 0, bytes.len().min(start + NEAR));
    let mut end = start;
    while near.get(end).is_some_and(|byte| *byte != b'\n')
        && !(bytes.get(end.wrapping_sub(1)) == Some(&b' ') && bar_length(bytes, end).is_some())
    {
        end += 1;
    }
    run_start(bytes, end, start, |byte| byte.is_ascii_whitespace())
}

/// `PASSWORD 'X'`, `configure set NAME X`, `#define NAME "X"`, `password for ann: X`, `password is X`.
fn word_after(bytes: &[u8], named: &Named<'_>, next: usize) -> Option<Secret> {
    if sets(bytes, named) {
        let option = ["-v ", "-w ", "--value "];
        let next = next + option.iter().find(|word| goes_on(bytes, next, word.as_bytes())).map_or(0, |word| word.len());
        return taken(bytes, named, &SecretValue::read(bytes, next));
    }
    // `#define WIFI_SECRET "X"`
    if part(bytes, 0, named.start).ends_with(b"#define ") {
        return quoted_value(bytes, named, next, |_| true);
    }
    // `PASSWORD FROM 'X' TO 'Y'`, `PASSWORD ann = X`
    if named.name == b"PASSWORD" {
        let word = judged_end(bytes, next, is_word);
        if goes_on(bytes, next, b"FROM '") {
            return quoted_value(bytes, named, next + 5, |_| true);
        }
        if word > next && goes_on(bytes, word, b" = ") && bytes[next].is_ascii_lowercase() {
            return taken(bytes, named, &SecretValue::read(bytes, word + 3));
        }
    }
    // `SET PASSWORD FOR 'ann'@'%' = 'X'`
    if named.name == b"PASSWORD" && goes_on(bytes, next, b"FOR ") {
        let sign = judged_end(bytes, next, |byte| !matches!(byte, b'=' | b'\n'));
        return quoted_value(bytes, named, run_end(bytes, sign + 1, is_blank), |_| true);
    }
    if let Some(answer) = prompted(bytes, named, next) {
        return Some(answer);
    }
    // `var dbPassword string = "X"`
    let typed = run_end(part(bytes, 0, bytes.len().min(next + 24)), next, is_word);
    let typed = if goes_on(bytes, next, b"As String") { next + 9 } else { typed };
    if typed > next && goes_on(bytes, typed, b" = ") && bytes.get(typed + 3).is_some_and(|byte| is_quote(*byte)) {
        let is_one = |text: &[u8]| value::is_odd(text) || named.is_password() && value::is_chosen(text);
        return quoted_value(bytes, named, typed + 3, is_one);
    }
    if named.names_login()
        && let Some(secret) = behind_user(bytes, behind_words(bytes, next))
    {
        return Some(secret);
    }
    said_after(bytes, named, next)
}

/// `Your new API key is: X`, `secret 0 X` of a switch, `password X` on a line: a name in a sentence or a command of words.
fn said_after(bytes: &[u8], named: &Named<'_>, next: usize) -> Option<Secret> {
    // A path ends with its name.
    if part(bytes, 0, named.start).ends_with(b"/") && !named.is_slashed(bytes) {
        return None;
    }
    // `Your new API key is:`, and the key two lines below.
    let said = next + 2 + usize::from(goes_on(bytes, next, b"is:"));
    if goes_on(bytes, next, b"is") && judged_end(bytes, said, is_blank) == line_end(bytes, next) {
        return on_next_line(bytes, named, said, true);
    }
    // `Token created. Please copy it:`, `Please use the following password to proceed:`
    let told = judged_end(bytes, next, |byte| byte != b'\n' && byte != b'\r' && byte != b'=' && byte != b'"');
    if part(bytes, next, told).ends_with(b":") && told - next < 90 && matches!(bytes.get(told), Some(b'\n' | b'\r')) {
        return on_next_line(bytes, named, told, true);
    }
    // `RSA key 3FEF...`: a fingerprint tells which key it is.
    let text = part(bytes, next, judged_end(bytes, next, |byte| byte.is_ascii_hexdigit()));
    if named.row.kind == "api_key" && matches!(text.len(), 16 | 32 | 40) && !text.iter().any(u8::is_ascii_lowercase) {
        return None;
    }
    // `sentinel auth-pass NAME X`
    if named.name == b"auth-pass" {
        let second = run_end(bytes, judged_end(bytes, next, is_visible), is_blank);
        return taken(bytes, named, &SecretValue::read(bytes, second));
    }
    if of_entry(bytes, named) {
        return taken(bytes, named, &SecretValue::read(bytes, next));
    }
    // `secret 0 X` of a switch, `rootpw --plaintext X`, `/v DefaultPassword /t REG_SZ /d X`
    let qualified = ["0 ", "5 ", "7 ", "--plaintext ", "/t REG_SZ /d ", "/d ", "REG_SZ "];
    let level = qualified.iter().find(|word| goes_on(bytes, next, word.as_bytes())).map_or(0, |word| word.len());
    let next = run_end(bytes, next + level, is_blank);
    // `is X`, `is: X`, `is : X`
    let says = |word: &&str| {
        let bare = word.trim_end();
        let sign = [": ", " : ", " "].iter().find(|sign| goes_on(bytes, next + bare.len(), sign.as_bytes()))?;
        goes_on(bytes, next, bare.as_bytes()).then_some(bare.len() + sign.len())
    };
    let said = SAID.iter().chain(LEADS).find_map(says).unwrap_or(0);
    let leads = LEADS.iter().any(|word| goes_on(bytes, next, word.as_bytes()));
    let is_arrow = goes_on(bytes, next, b"->") || goes_on(bytes, next, "→".as_bytes());
    let mut value = SecretValue::read(bytes, next + said);
    // The sentence ends behind it.
    let is_closed = said > 0 && value.quote.is_none() && value.text(bytes).ends_with(b".");
    value.end -=
        usize::from(is_closed && line_end(part(bytes, 0, bytes.len().min(value.end + 1)), value.end) == value.end);
    let text = value.text(bytes);
    let upper = named.is_environment() && named.is_password();
    if value.quote.is_some() && bytes.get(value.start.saturating_sub(2)) != Some(&b':') {
        let before = part(bytes, 0, named.start);
        // `login with password "X"`, and a keyword of a Lisp: `:password "X"`.
        let is_line = named.begins_line(bytes) && line_end(bytes, value.end) < value.end + 3;
        let is_given = before.ends_with(b"with ") || before.ends_with(b":") || is_line || is_behind_user(bytes, named);
        let given = is_given && value::is_chosen(text) || said > 0 && value::is_long_choice(text);
        let sure = if named.is_password() {
            upper || value::is_odd(text) || value::is_phrase(text) || given
        } else {
            value::is_strong(text) && text.iter().any(u8::is_ascii_uppercase)
        };
        return (sure && (given || !value::is_message(text))).then(|| taken(bytes, named, &value))?;
    }
    let row = said == 0 && named.is_password() && named.begins_line(bytes) && named.dashes == 0;
    let apart = next - named.end > 1;
    let end = run_end(bytes, value.end, |byte| is_blank(byte) || said > 0 && (is_quote(byte) || byte == b'.'));
    let ends = bytes.get(end).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
    let is_plain = !text.iter().any(|byte| matches!(byte, b'/' | b'=' | b':' | b'>' | b'{' | b'('));
    let odd = is_plain && named.row.doubt != Doubt::Much && value::is_odd(text);
    let strong = value::is_strong(text);
    let letters = text.iter().all(u8::is_ascii_alphabetic);
    let names_next =
        text.ends_with(b">") || text.iter().position(|byte| *byte == b'=').is_some_and(|at| at + 2 < text.len());
    // A choice of somebody's in the middle of a command: `password Lantern-harbor7868 ifname wlan0`.
    let numbered = text.iter().filter(|byte| byte.is_ascii_digit()).count() > 2 && !text.contains(&b'.');
    // `rootpw X`, `user ann insecure-password X`: the name is no word of a sentence.
    let is_jargon = named.name.ends_with(b"pw")
        || named.name.iter().any(|byte| matches!(byte, b'-' | b'_'))
        || named
            .name
            .windows(2)
            .any(|two| two[0].is_ascii_alphabetic() && two[1].is_ascii_uppercase() && !named.is_environment());
    let is_free = named.is_password() && ends && value::is_chosen(text);
    let before = part(bytes, named.start.saturating_sub(JUDGED), named.start);
    let is_given = before.windows(5).any(|word| word == b".pdf ") || is_behind_user(bytes, named);
    let of_user = before.ends_with(b" ") && is_given;
    let is_new = [&b"new "[..], b"temporary ", b"initial ", b"generated "]
        .iter()
        .any(|word| named.start >= word.len() && goes_on_in_any_case(bytes, named.start - word.len(), word));
    // `set passwd X` of a switch.
    let before = part(bytes, named.start.saturating_sub(32), named.start);
    let is_set_alone = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii() == b"set";
    let is_verb = [&b"set"[..], b"reset", b"change"].iter().any(|verb| named.name.starts_with(verb));
    let sure = (row && ends && (apart || value::is_odd(text) || is_free && (is_jargon || is_below_user(bytes, named))))
        || (level > 0 && ends && value::is_chosen(text))
        || (said == 0 && is_free && (is_verb && is_jargon || value::is_humped_choice(text)))
        || (said == 0 && is_jargon && is_free && of_user)
        || (said == 0 && is_free && part(bytes, 0, named.start).ends_with(b"with ") && !value::is_plain(text))
        || (said == 0 && is_free && is_set_alone)
        || (said > 0
            && is_free
            && !leads
            && (named.is_foreign() && !value::tells_state(text)
                || is_new
                || part(bytes, next, next + said).ends_with(b" to ")))
        || (said > 0 && !leads && named.is_password() && value::is_humped_choice(text))
        || (said == 0 && named.name == b"password" && strong && (ends && !names_next || odd && numbered))
        || (said == 0 && odd && ends && (strong || named.is_password() && letters))
        || (said > 0 && odd && (ends || !leads && mixes_digits(text) && strong))
        || (said > 0 && (!leads || is_arrow) && value::is_dense(text))
        || (said == 0 && value::is_dense(text) && text.len() >= 24)
        || (apart && ends && named.begins_line(bytes) && strong);
    let is_long = named.is_password() && value::is_long_choice(text);
    let is_long = is_long && (said > 0 || ends && is_behind_user(bytes, named));
    (is_long || sure && !value::is_code(text) && !text.starts_with(b"(")).then(|| taken(bytes, named, &value))?
}

/// Whether the line above names a user, as settings of mail and networks have it: `user ann`.
fn is_below_user(bytes: &[u8], named: &Named<'_>) -> bool {
    let above = part(bytes, named.start.saturating_sub(JUDGED), named.start);
    let line = above.rsplit(|byte| *byte == b'\n').nth(1).unwrap_or_default().trim_ascii();
    [&b"user "[..], b"username ", b"login ", b"account ", b"name "]
        .iter()
        .any(|word| goes_on_in_any_case(line, 0, word))
        && count(line, b' ') == 1
}

/// What stands between a name and its value in a sentence.
#[rustfmt::skip]
const SAID: &[&str] = &[
    "was set to ", "has been set to ", "has been changed to ", "has been reset to ", "is set to ", "was changed to ", "changed to ", "reset to ", "is ", "was ", "= ", "es ", "est ", "ist ", "used ", "é ", "è ", "är ", "jest ", "lautet ", "este ", "set to ", "is now ", "will be ",
];
/// The same, where the value has to end the line.
const LEADS: &[&str] = &["-> ", "→ ", "— ", "– ", "to "];

/// Whether the name is what a command sets: `aws configure set NAME`, `setx NAME`, `git config --global NAME`.
fn sets(bytes: &[u8], named: &Named<'_>) -> bool {
    let line = run_start(bytes, named.start, named.start.saturating_sub(160), |byte| {
        byte != b'\n' && byte != b';' && byte != b'|'
    });
    let all = part(bytes, line, named.start);
    // A registry's address is before the name in the settings of a package manager.
    let before = part(all, 0, run_start(all, all.len(), 0, is_visible));
    let mut words =
        before.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty() && !word.starts_with(b"-")).rev();
    let last = words.next().unwrap_or_default();
    let before = words.next().unwrap_or_default();
    // `etcdctl put /app/db_password X`
    let stores = |word: &[u8]| matches!(word, b"put" | b"write" | b"modify" | b"--set" | b"set-env");
    let is_short = count(all, b' ') < 8 && named.dashes == 0 && named.is_password();
    let last = last.strip_prefix(b"'").or(last.strip_prefix(b"\"")).unwrap_or(last);
    matches!(last, b"ENV" | b"setx" | b"SETX" | b"setenv" | b"config:set" | b"env:set")
        || (last == b"set" && WHOSE.contains(&before))
        // `set -x NAME X` of a shell.
        || (last == b"set" && all.windows(2).any(|two| two == b" -"))
        || (last == b"config" && (before == b"git" || before.ends_with(b"npm")))
        || (is_short && all.split(|byte| is_blank(*byte)).any(stores))
}

/// What is before `set` where a program keeps what follows.
#[rustfmt::skip]
const WHOSE: &[&[u8]] = &[
    b"configure", b"user-secrets", b"config", b"secret", b"secrets", b"env", b"vars", b"variable", b"variables", b"parameter",
];

/// An entry of a `.netrc` on one line: `machine HOST login USER password X`.
fn of_entry(bytes: &[u8], named: &Named<'_>) -> bool {
    let before = part(bytes, named.start.saturating_sub(NEAR), named.start);
    let mut words = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).rev();
    named.name == b"password"
        && words.nth(1) == Some(b"login")
        && words.nth(1).is_some_and(|word| word.ends_with(b"machine"))
}

/// `[sudo] password for ann: X`: what was typed at a prompt.
fn prompted(bytes: &[u8], named: &Named<'_>, next: usize) -> Option<Secret> {
    const OF: &[&str] = &["for ", "of ", "für ", "de ", "del ", "do ", "du ", "per ", "pour "];
    let next = if goes_on(bytes, next, b"is generated ") { next + b"is generated ".len() } else { next };
    if !named.is_password() {
        return None;
    }
    if !OF.iter().any(|word| goes_on(bytes, next, word.as_bytes())) {
        return behind_label(bytes, named, next);
    }
    let whom = judged_end(bytes, next, |byte| byte != b'\n');
    let says = |at: usize| {
        let word = SAID.iter().chain(&["to "]).find(|word| goes_on(bytes, at, word.as_bytes()))?;
        goes_on(bytes, at - 1, b" ").then_some(at + word.len())
    };
    let said = (next + 1..whom).find_map(says);
    let colon = part(bytes, next, whom).windows(2).position(|two| two == b": ").map(|at| next + at + 2);
    let Some(start) = colon.or(said) else {
        // `Generated password for ann`, and a line without anything.
        return if goes_on(bytes, whom, b"\n\n") { on_next_line(bytes, named, whom, true) } else { None };
    };
    let value = SecretValue::read(bytes, start);
    let end = run_end(bytes, value.end, is_blank);
    let alone = bytes.get(end).is_none_or(|byte| matches!(byte, b'\n' | b'\r')) && value.quote.is_none();
    let text = value.text(bytes);
    let is_told = alone && part(bytes, 0, start).ends_with(b" to ") && value::is_chosen(text);
    let sure = alone && (colon.is_some() || value::is_odd(text))
        || colon.is_none() && (is_told || value::is_long_choice(text) || choice_at(bytes, start, true).is_some());
    sure.then(|| taken(bytes, named, &value))?
}

/// `password has been reset to: X`, `password temporanea: X`: a name that goes on for a few words, and the end of the line.
fn behind_label(bytes: &[u8], named: &Named<'_>, next: usize) -> Option<Secret> {
    let in_label = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'-');
    let colon = run_end(part(bytes, 0, bytes.len().min(next + 48)), next, in_label);
    let words = part(bytes, next, colon);
    let value = SecretValue::read(bytes, run_end(bytes, colon + 1, is_blank));
    let text = value.text(bytes);
    let is_alone = matches!(bytes.get(value.end), None | Some(b'\n' | b'\r')) && goes_on(bytes, colon, b": ");
    let is_negative =
        |word: &[u8]| matches!(word, b"not" | b"failed" | b"invalid" | b"error" | b"required" | b"must" | b"cannot");
    let is_told = count(words, b' ') < 5 && !words.split(|byte| *byte == b' ').any(is_negative);
    let is_one = value::is_odd(text) && !value::is_code(text)
        || value::is_chosen(text) && [&b" to"[..], b"is", b"lautet"].iter().any(|word| words.ends_with(word));
    (is_alone && is_told && is_one).then(|| taken(bytes, named, &value))?
}

/// What was typed at a prompt, or stands on the line below its name.
pub(super) fn on_next_line(bytes: &[u8], named: &Named<'_>, from: usize, colon: bool) -> Option<Secret> {
    let start = run_end(part(bytes, 0, bytes.len().min(from + NEAR)), from, |byte| byte.is_ascii_whitespace());
    // A dump of PHP: `string(20) "X"`.
    if goes_on(bytes, start, b"string(") {
        let open = judged_end(bytes, start, |byte| byte != b'"' && byte != b'\n');
        return goes_on(bytes, open, b"\"").then(|| taken(bytes, named, &SecretValue::read(bytes, open)))?;
    }
    let value = SecretValue::line(part(bytes, 0, bytes.len().min(start + NEAR)), start);
    let text = value.text(bytes).trim_ascii_end();
    if goes_on(bytes, start, b"- ") && named.names_login() {
        return item_below(bytes, named, start);
    }
    let nested = text.ends_with(b":") || text.windows(2).any(|two| two == b": ") || text.starts_with(b"- ");
    let single = !text.iter().any(|byte| is_blank(*byte));
    // A key of groups of digits, and a code of digits only.
    if colon
        && named.is_password()
        && single
        && text.len() >= 20
        && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
    {
        return taken(bytes, named, &SecretValue { start, end: start + text.len(), quote: Some(b'\n') });
    }
    let deeper = indent_of(bytes, start) > indent_of(bytes, named.start);
    let sure = if named.is_password() && named.begins_line(bytes) && !deeper {
        value::is_odd(text) || !named.name[0].is_ascii_lowercase()
    } else {
        value::is_strong(text) && value::is_odd(text)
    };
    let is_phrase = value::is_phrase(text) && named.name.ends_with(b"phrase");
    let is_choice = !deeper && value::is_long_choice(text);
    let told = colon && (single && (sure || is_choice) || is_phrase);
    let told = told && !nested && !value::is_code(text) && !value::is_message(text);
    let value = SecretValue { start, end: start + text.len(), quote: Some(b'\n') };
    told.then(|| taken(bytes, named, &value))?
}

/// The first item that looks like a password, of two or three in a list below a name: `auth:`, `- ann`, `- X`.
fn item_below(bytes: &[u8], named: &Named<'_>, start: usize) -> Option<Secret> {
    let near = part(bytes, 0, bytes.len().min(start + NEAR));
    let mut at = start;
    for _ in 0..3 {
        if !goes_on(near, at, b"- ") {
            break;
        }
        let item = run_end(near, at + 2, is_quote);
        if let Some(end) = choice_at(near, item, true).filter(|end| line_end(near, item) - end < 2) {
            return taken(bytes, named, &SecretValue { start: item, end, quote: Some(b'\n') });
        }
        at = run_end(near, line_end(near, item), |byte| byte.is_ascii_whitespace());
    }
    None
}

/// How many rows of a table are looked at below the line of its names.
const TABLE: usize = 2048;

/// The column of a table whose heading is the name: of a database's client, or separated by commas. Says where the rows
/// end; the heading's own line begins them.
pub(super) fn column(bytes: &[u8], named: &Named<'_>, found: &mut Vec<Secret>) -> Option<(usize, usize)> {
    let Some(table) = Table::below(bytes, named) else { return aligned(bytes, named, found) };
    let number = count(part(bytes, table.heading.0, named.start), table.sign);
    let mut row = table.rows;
    for _ in 0..TABLE {
        let stop = line_end(part(bytes, 0, bytes.len().min(row + 2 * NEAR)), row);
        let line = part(bytes, row, stop);
        if count(line, table.sign) < table.signs {
            break;
        }
        let before: usize = line.split(|byte| *byte == table.sign).take(number).map(|cell| cell.len() + 1).sum();
        let cell = line.split(|byte| *byte == table.sign).nth(number).unwrap_or_default();
        let text = cell.trim_ascii();
        let start = row + before + (cell.len() - cell.trim_ascii_start().len());
        let sure = if named.is_password() { !value::is_message(text) } else { value::is_strong(text) };
        let value = SecretValue { start, end: start + text.len(), quote: Some(table.sign) };
        found.extend(sure.then(|| taken(bytes, named, &value)).flatten());
        row = run_end(bytes, stop, |byte| byte == b'\r') + 1;
        if row >= bytes.len() {
            break;
        }
    }
    Some((table.heading.1, row))
}

/// The same where only blanks are between the cells: `USER   TOKEN`.
fn aligned(bytes: &[u8], named: &Named<'_>, found: &mut Vec<Secret>) -> Option<(usize, usize)> {
    let before = part(bytes, named.start.saturating_sub(2), named.start);
    let behind = part(bytes, named.end, named.end + 2);
    let apart = matches!(before, [_, b'\t'] | b"  ") || matches!(behind, [b'\t', _] | b"  " | [b' ', 0x80..=0xff]);
    if !apart {
        return None;
    }
    let begin = run_start(bytes, named.start, named.start.saturating_sub(NEAR), |byte| byte != b'\n');
    let end = line_end(part(bytes, 0, bytes.len().min(named.end + NEAR)), named.end);
    let heading = part(bytes, begin, end);
    let plain = heading.iter().all(|byte| is_word(*byte) || is_blank(*byte) || *byte == b'-' || *byte >= 0x80);
    if !plain || !goes_on(bytes, end, b"\n") {
        return None;
    }
    // `│ initial password │`: a heading of several words.
    let own = part(heading, 0, named.start - begin);
    let divides = |two: &[u8]| matches!(two, b"  " | [_, b'\t'] | [0x80..=0xff, b' ']);
    let cell = own.windows(2).rposition(divides).map_or(named.start - begin, |place| place + 2);
    let tabs = heading.contains(&b'\t').then(|| count(part(bytes, begin, named.start), b'\t'));
    let ruler = run_end(bytes, end + 1, |byte| byte >= 0x80 || byte == b' ');
    let mut row = if goes_on(bytes, ruler, b"\n") && ruler > end + 1 { ruler + 1 } else { end + 1 };
    for _ in 0..64 {
        let stop = line_end(part(bytes, 0, bytes.len().min(row + NEAR)), row);
        let line = part(bytes, row, stop);
        let at = match tabs {
            Some(number) => line.split(|byte| *byte == b'\t').take(number).map(|cell| cell.len() + 1).sum(),
            None => cell,
        };
        let begins = at == 0 || line.get(at - 1).is_some_and(|byte| is_blank(*byte));
        if stop == row || at >= line.len() || !begins {
            break;
        }
        let start = row + at;
        let end = run_end(part(bytes, 0, stop), start, is_visible);
        let text = part(bytes, start, end);
        let is_choice = || tabs.is_some() && named.is_password() && value::is_chosen(text);
        let odd = value::is_odd(text) && (named.is_password() || value::is_strong(text)) || is_choice();
        let odd = odd && !value::is_code(text);
        let value = SecretValue { start, end, quote: Some(b'|') };
        found.extend(odd.then(|| taken(bytes, named, &value)).flatten());
        row = stop + 1;
    }
    Some((end, row))
}

/// A table: where the line of its headings is, where its rows begin, and the sign between its cells.
struct Table {
    heading: (usize, usize),
    rows: usize,
    sign: u8,
    /// How many of the signs are on a line.
    signs: usize,
}

impl Table {
    fn below(bytes: &[u8], named: &Named<'_>) -> Option<Self> {
        let sign =
            |at: Option<usize>, class: fn(u8) -> bool| at.and_then(|at| bytes.get(at)).is_none_or(|byte| class(*byte));
        let divides = |byte: u8| matches!(byte, b',' | b';' | b'|' | b' ' | b'"' | b'\n' | b'\r');
        if !sign(named.start.checked_sub(1), divides) || !sign(Some(named.end), divides) {
            return None;
        }
        let end = line_end(part(bytes, 0, bytes.len().min(named.end + NEAR)), named.end);
        let row = run_end(part(bytes, 0, bytes.len().min(end + 2)), end, |byte| matches!(byte, b'\r' | b'\n'));
        if row == end {
            return None;
        }
        let begin = run_start(bytes, named.start, named.start.saturating_sub(NEAR), |byte| byte != b'\n');
        let heading = part(bytes, begin, end);
        let comma = if heading.contains(&b';') { b';' } else { b',' };
        // What tells of a list may stand before it on its line.
        let first = part(heading, 0, run_end(heading, 0, |byte| byte != comma && byte != b'|' && byte != b'"'));
        let begin = begin + first.iter().rposition(|byte| *byte == b' ').map_or(0, |blank| blank + 1);
        let heading = part(bytes, begin, end);
        let ruler = part(bytes, row, line_end(part(bytes, 0, bytes.len().min(row + NEAR)), row));
        let has_rule = ruler.len() > 2 && ruler.iter().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b' ' | b':'));
        let is_quoted = heading.starts_with(b"\"");
        // `user;initial password`, and no sentence.
        let is_apart = !heading.windows(2).any(|two| two[0] == comma && two[1] == b' ');
        let in_name = |byte: u8| {
            is_word(byte)
                || byte == comma
                || byte >= 0x80
                || matches!(byte, b'-' | b'"')
                || (is_quoted || is_apart) && byte == b' '
        };
        let listed = heading.contains(&comma) && !heading.ends_with(b";") && heading.iter().all(|byte| in_name(*byte));
        let (sign, rows) = match () {
            () if has_rule && heading.contains(&b'|') => (b'|', row + ruler.len() + 1),
            () if listed && !has_rule => (comma, row),
            () => return None,
        };
        let signs = count(heading, sign);
        Some(Self { heading: (begin, end), rows, sign, signs })
    }
}
