//! Secrets out of text before it is stored, hashed or shown.
//!
//! One pass from left to right that stops only at landmarks ([`landmark`]): beginnings of known tokens, names that say
//! that their value is secret, programs that take secrets, a few signs. So ordinary text costs a few instructions a byte.
//! What is beside a landmark is judged by certainty: behind a name that says it all, everything goes but a closed list of
//! placeholders ([`value`]). A mark holds the kind of the secret and nothing made from the secret.

mod assignment;
mod behind;
mod bytes;
pub mod call;
mod credentials;
mod hidden;
mod landmark;
mod manifest;
mod more;
mod name;
mod neighbour;
mod packages;
mod private_key;
mod table;
#[cfg(test)]
mod tests;
mod token;
mod trace;
mod value;
mod view;

use std::borrow::Cow;
use std::ops::Range;

use bytes::{is_quote, part, run_end};
use landmark::Look;
use more::without_more;
pub use more::{also_redact, hidden_by};
use name::Named;
pub use neighbour::names_secrets;
pub use trace::trace_without_secrets;
use view::View;

/// A secret in a text: where it stands and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Secret {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// The text with each secret replaced by `[redacted:<kind>]`, those of [`also_redact`] first; borrowed when there is none.
///
/// Redact before cutting: a token whose known beginning was cut off can no longer be distinguished from other text.
/// Redacting twice changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = without_more(text);
    for _ in 0..ROUNDS {
        let secrets = SecretScan::over(clean.as_bytes());
        if secrets.is_empty() {
            break;
        }
        clean = Cow::Owned(without(&clean, secrets.iter().map(|secret| (secret.start..secret.end, secret.kind))));
    }
    clean
}

/// The same for text that a program printed: terminal sequences are taken out first, as one may be within a secret. Where
/// other signs that nobody sees hide a secret, they are taken out, too.
pub fn redact_printed(text: &str) -> Cow<'_, str> {
    if !hidden::may_hide(text.as_bytes()) {
        return redact(text);
    }
    match hidden::without_sequences(text) {
        Cow::Borrowed(text) => redact_seen(text),
        Cow::Owned(text) => Cow::Owned(redact_seen(&text).into_owned()),
    }
}

fn redact_seen(text: &str) -> Cow<'_, str> {
    if let Some(seen) = hidden::as_seen(text)
        && let Cow::Owned(clean) = redact(&seen)
    {
        return Cow::Owned(clean);
    }
    redact(text)
}

/// The same for a value whose name is known, such as a field of a tool's input: one that `name="value"` would hide is
/// hidden as a whole.
pub fn redact_value<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    // What could end the quoted value early is blanked, so that the value is judged as a whole.
    let closes = |c| matches!(c, '"' | '\\' | '\n' | '\r');
    let quiet: String = value.chars().map(|c| if closes(c) { ' ' } else { c }).collect();
    let assigned = format!("{name}=\"{quiet}\"");
    let clean = redact(&assigned);
    let whole = clean.get(name.len() + 2..).filter(|clean| clean.starts_with("[redacted:") && clean.ends_with("]\""));
    match whole.and_then(|mark| mark.strip_suffix('"')) {
        Some(mark) if !mark.contains(' ') => Cow::Owned(mark.to_owned()),
        _ => redact_printed(value),
    }
}

/// The word of a text that names a password or token: `Password` of `Password field`.
pub fn name_of_secret(text: &str) -> Option<&str> {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    words.filter(|word| !word.is_empty()).find(|word| name::row_of(word.as_bytes()).is_some())
}

/// A secret inside another's value can hide the other until its mark is there. Text without secrets takes one.
const ROUNDS: usize = 4;

/// The text with a mark at each of these places, which stand in their order.
fn without<'k>(text: &str, secrets: impl Iterator<Item = (Range<usize>, &'k str)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (place, kind) in secrets {
        out.push_str(text.get(done..place.start).unwrap_or_default());
        out.push_str("[redacted:");
        out.push_str(kind);
        out.push(']');
        done = place.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// The pass over the text and what it has found.
struct SecretScan<'a> {
    bytes: &'a [u8],
    /// Where the last secret, or the last name that was looked at, ends: nothing before it is looked at again.
    floor: usize,
    /// Where the last command line that was taken apart ends.
    command_end: usize,
    /// Where the rows of the last table end that a heading was found above, and where the heading's line ends.
    table: (usize, usize),
    /// Where the last file ends whose kind was told by a word within.
    document: usize,
    /// From where to where tools have put something around what is there.
    dressed: Option<(usize, usize)>,
    /// Up to where nothing like that is.
    plain: usize,
    found: Vec<Secret>,
}

impl<'a> SecretScan<'a> {
    /// The secrets of a text, in their order: those in it as it is, and as it reads without its dress.
    fn over(bytes: &'a [u8]) -> Vec<Secret> {
        let mut scan = Self::of(bytes);
        if let Some(dressed) = scan.dressed
            && let Some(view) = View::of(bytes, dressed)
        {
            let undressed = SecretScan::of(&view.bytes).in_order();
            // Escaped source and lines of a search are code more often than output.
            let is_sure = |secret: &Secret| {
                let text = part(bytes, secret.start, secret.end);
                let is_random = || text.iter().any(u8::is_ascii_digit) && !text.contains(&b'@');
                !text.starts_with(b"$") && (secret.kind == "password" || is_random())
            };
            scan.found.extend(undressed.into_iter().filter_map(|secret| view.in_whole(secret)).filter(is_sure));
        }
        scan.in_order()
    }

    fn of(bytes: &'a [u8]) -> Self {
        let mut scan = Self {
            bytes,
            floor: 0,
            command_end: 0,
            table: (0, 0),
            document: 0,
            dressed: None,
            plain: 0,
            found: Vec::new(),
        };
        if bytes.starts_with(b"$ ") {
            scan.found.extend(neighbour::shown_secrets_below(bytes, 0));
        }
        let mut at = 0;
        while let Some(place) = landmark::next(bytes, at) {
            for (start, look) in landmark::here(bytes, place) {
                // What has a form of its own may hold the name of a secret.
                if start >= scan.floor || look.has_own_form() {
                    scan.look(start, look);
                }
            }
            at = scan.floor.max(place + 1);
        }
        token::marked(bytes, &mut scan.found);
        scan
    }

    fn look(&mut self, at: usize, look: Look) {
        let (bytes, floor) = (self.bytes, self.floor);
        if look.may_be_dressed() {
            self.note_dress(at);
        }
        let secret = match look {
            Look::Name => return self.name(at),
            Look::Foreign => return self.foreign_name(at),
            Look::Program => return self.command_line(at),
            Look::List => return,
            Look::Document(read) => return self.document(at, read),
            Look::Cut => return self.cut(at),
            Look::Behind(row) => return self.behind(row, at),
            Look::Several(find) => return self.found.extend(find(bytes, at)),
            Look::Token(number) => {
                let token = token::of_family(number, bytes, at);
                let beside = token.and_then(|token| token::beside_key(bytes, token));
                self.take(token);
                beside
            }
            Look::One(find) | Look::Own(find) => find(bytes, at),
            Look::From(find) => find(bytes, at, floor),
        };
        self.take(secret);
    }

    /// Whether something was put around a landmark: it is looked at again without that.
    fn note_dress(&mut self, at: usize) {
        if let Some((_, last)) = &mut self.dressed {
            *last = at;
        } else if at >= self.plain {
            self.dressed = view::is_dressed(self.bytes, at).then_some((at, at));
            self.plain = at + view::NEAR / 2;
        }
    }

    fn take(&mut self, secret: Option<Secret>) {
        if let Some(secret) = secret {
            self.floor = self.floor.max(secret.end);
            self.found.push(secret);
        }
    }

    /// A name of another language, before a value that is no word.
    fn foreign_name(&mut self, at: usize) {
        if let Some(named) = Named::foreign(self.bytes, at, self.floor) {
            self.named(&named);
        }
    }

    /// A name that says that its value is secret.
    fn name(&mut self, at: usize) {
        if let Some(named) = Named::around(self.bytes, at, self.floor) {
            self.named(&named);
        }
    }

    fn named(&mut self, named: &Named<'_>) {
        // `all tests pass`
        if named.name != b"pass" {
            self.note_dress(named.start);
        }
        self.floor = named.end;
        self.found.extend(neighbour::listed_secrets(self.bytes, named));
        // The kind in a mark names what is no longer there.
        if self.bytes.get(..named.start).is_some_and(|before| before.ends_with(b"[redacted:")) {
            return;
        }
        let closed = run_end(self.bytes, named.end, |byte| is_quote(byte) || matches!(byte, b'\\' | b']' | b'*'));
        let sign = neighbour::sign_behind(self.bytes, closed);
        let secret = match self.bytes.get(sign) {
            Some(b':' | b'=') => self.assigned(named, sign).or_else(|| {
                let quote = run_end(self.bytes, sign + 1, |byte| byte == b' ');
                neighbour::argument_after(self.bytes, named, quote + 1)
            }),
            Some(0xe3..=0xef) if let Some(joint) = assignment::wide_joint(self.bytes, sign) => {
                assignment::value_of(self.bytes, named, &joint)
            }
            Some(b'(') if sign == named.end => neighbour::last_argument(self.bytes, named, sign),
            Some(b'"' | b'\'') if named.row.kind == name::HEADER_OF_OWN_FORM && sign > closed => {
                assignment::header(self.bytes, named.name, None, sign)
            }
            Some(_) if named.dashes > 0 && closed == named.end => credentials::after_flag(self.bytes, named),
            // The verb of a sentence: only what is assigned, or a flag's, is a password.
            Some(byte)
                if closed == named.end
                    && *byte != b'>'
                    && !named.is_element(self.bytes)
                    && named.name.eq_ignore_ascii_case(b"pass") =>
            {
                neighbour::beside_user(self.bytes, named, sign)
            }
            _ => neighbour::beside(self.bytes, named, closed),
        };
        let is_one = |secret: &Secret| {
            let text = part(self.bytes, secret.start, secret.end);
            let says = named.says_password() || named.dashes > 0;
            // Behind a name in another script a word of ours is no word of a sentence.
            let is_said = named.name[0] < 0xce && value::is_said(text);
            value::is_odd(text) && (says || value::is_strong(text)) || says && value::is_chosen(text) && !is_said
        };
        let secret = secret.filter(|secret| !named.is_foreign() || is_one(secret));
        if secret.is_none() && !named.name.eq_ignore_ascii_case(b"pass") {
            self.found.extend(
                neighbour::announced_token(self.bytes, named).or_else(|| neighbour::said_before(self.bytes, named)),
            );
        }
        let in_table = (self.table.0..self.table.1).contains(&named.start);
        if secret.is_none()
            && !in_table
            && let Some(table) = neighbour::column(self.bytes, named, &mut self.found)
        {
            self.table = table;
        }
        self.take(secret);
    }

    fn assigned(&self, named: &Named<'_>, sign: usize) -> Option<Secret> {
        let Some(joint) = assignment::joint(self.bytes, sign) else {
            return assignment::compared(self.bytes, named, sign);
        };
        // `${DB_PASSWORD:?not set}`
        if sign == named.end && self.bytes.get(sign..sign + 2) == Some(b":?") {
            return None;
        }
        // `apiKey: String = "X"`
        let typed = assignment::behind_type(self.bytes, &joint);
        let joint = typed.and_then(|sign| assignment::joint(self.bytes, sign)).unwrap_or(joint);
        if named.row.kind == name::HEADER_OF_OWN_FORM {
            return assignment::header(self.bytes, named.name, named.quote(self.bytes), joint.start);
        }
        let first = match self.bytes.get(joint.start)? {
            // All tests pass: `make test`.
            b'`' if named.name.eq_ignore_ascii_case(b"pass") => return None,
            b'\n' | b'\r' => return neighbour::on_next_line(self.bytes, named, joint.start, joint.colon),
            b'[' => neighbour::in_list(self.bytes, named, joint.start),
            b'{' => neighbour::first_value(self.bytes, named, joint.start),
            b'(' => neighbour::last_argument(self.bytes, named, joint.start),
            b'|' | b'>' => assignment::block(self.bytes, named, joint.start),
            _ => None,
        };
        first
            .or_else(|| assignment::value_of(self.bytes, named, &joint))
            .or_else(|| if named.names_login() { neighbour::behind_user(self.bytes, joint.start) } else { None })
    }

    /// The rest of a command line that names a program.
    fn command_line(&mut self, at: usize) {
        if at >= self.command_end {
            self.command_end = credentials::on_command_line(self.bytes, at, self.command_end, &mut self.found);
        }
    }

    /// The secrets in their places behind some words.
    fn behind(&mut self, row: usize, at: usize) {
        let secrets = behind::secrets_of(self.bytes, row, at);
        self.floor = secrets.iter().map(|secret| secret.end).fold(self.floor, usize::max);
        self.found.extend(secrets);
    }

    fn document(&mut self, at: usize, read: fn(&[u8], usize, &mut Vec<Secret>) -> usize) {
        if at >= self.document {
            self.document = read(self.bytes, at, &mut self.found);
        }
    }

    /// What is left of secrets on both sides of the client's truncation mark.
    fn cut(&mut self, at: usize) {
        self.found.extend(token::beginning_before_mark(self.bytes, at, 0));
        let end = token::end_behind_mark(self.bytes, at);
        self.take(end);
    }

    /// The secrets by their places. Those that lie over one another are one.
    fn in_order(mut self) -> Vec<Secret> {
        let bytes = self.bytes;
        let rests: Vec<Secret> = self
            .found
            .iter()
            .filter(|secret| secret.kind != private_key::KIND)
            .filter_map(|secret| token::rest_behind_mark(bytes, *secret).or_else(|| token::rest_below(bytes, *secret)))
            .collect();
        self.found.extend(rests);
        self.found.sort_by_key(|secret| (secret.start, std::cmp::Reverse(secret.end)));
        self.found.dedup_by(|next, last| {
            let over = next.start < last.end;
            if over {
                last.end = last.end.max(next.end);
            }
            over
        });
        self.found
    }
}
