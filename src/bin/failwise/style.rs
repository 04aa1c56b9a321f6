//! How answers are printed: as text or JSON, with colour on a terminal that wants it.

use std::borrow::Cow;
use std::io::IsTerminal;

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Whether and how text is coloured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    colour: bool,
}

impl Style {
    /// Colour on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    pub(crate) fn for_stdout() -> Self {
        let wanted = crate::env("NO_COLOR").is_none_or(|value| value.is_empty());
        let dumb = crate::env("TERM").is_some_and(|term| term == "dumb");
        Self { colour: wanted && !dumb && std::io::stdout().is_terminal() }
    }

    /// No colour: for files.
    pub(crate) fn plain() -> Self {
        Self { colour: false }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// JSON as it may be shown on a terminal: what a string must not hold raw becomes an escape.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        let is_unseen = || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || failwise::text::is_invisible(c);
        // Most letters are of ASCII, where only control characters are not seen.
        if c.is_ascii() { c.is_ascii_control() && c != '\n' } else { is_unseen() }
    };
    // No early exit: the compiler makes vectors of that.
    let is_control = |byte: u8| byte.is_ascii_control() && byte != b'\n';
    let in_ascii = json.bytes().fold(false, |found, byte| found | is_control(byte));
    if !in_ascii && !non_ascii(json).any(hidden) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if hidden(c) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The letters of a text that ASCII does not have.
fn non_ascii(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text;
    std::iter::from_fn(move || {
        // Most parts of it are passed over as a whole.
        let part = rest.as_bytes().chunks(64).position(|part| !part.is_ascii())? * 64;
        let at = part + rest.as_bytes().get(part..)?.iter().position(|byte| !byte.is_ascii())?;
        let letter = rest.get(at..)?.chars().next()?;
        rest = rest.get(at + letter.len_utf8()..)?;
        Some(letter)
    })
}

/// Text from outside as it may be shown on a terminal.
pub(crate) fn shown(text: &str, limit: usize) -> String {
    failwise::text::one_line(text, limit)
}
