//! Words, operators and redirections of a command line, in one pass.

use super::{Dialect, RedirectionKind};

/// What the lexer hands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellToken<'a> {
    Word(ShellWord<'a>),
    /// A redirection sign; its target is the next word, except for here-documents, whose body comes with
    /// [`Lexer::body`] once the line has ended.
    Redirect(Option<u8>, RedirectionKind),
    And,
    Or,
    Semicolon,
    /// `;;`, `;&`, `;;&` of `case`.
    CaseEnd,
    Newline,
    Ampersand,
    Pipe,
    Open,
    Close,
    /// `(( ... ))`, whole.
    Arithmetic,
}

/// One word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ShellWord<'a> {
    pub(super) text: String,
    /// Whether any part was quoted, so that it is no keyword.
    pub(super) quoted: bool,
    pub(super) glob: bool,
    /// The scripts of its `$( )`, backticks and `<( )`.
    pub(super) inner: Vec<&'a str>,
}

/// A here-document that waits for its body.
struct OpenHereDocument {
    delimiter: String,
    tabs: bool,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    pending: Vec<OpenHereDocument>,
    bodies: Vec<&'a str>,
    /// A quote, bracket or here-document never ended.
    pub(super) unclosed: bool,
}

/// The bytes that end a run of plain ones.
const ENDS_PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let signs = b"\\'\"`$ \t\r\n;&|()<>*?[";
    let mut sign = 0;
    while sign < signs.len() {
        table[signs[sign] as usize] = true;
        sign += 1;
    }
    table
};

/// How deep brackets and quotes may nest inside one word before the rest is taken as one.
const MAX_NEST: usize = 64;

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, dialect, pending: Vec::new(), bodies: Vec::new(), unclosed: false }
    }

    /// The bodies of the here-documents that ended with the last line, oldest first.
    pub(super) fn take_bodies(&mut self) -> Vec<&'a str> {
        std::mem::take(&mut self.bodies)
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to.min(self.bytes.len())).unwrap_or("")
    }

    pub(super) fn next(&mut self) -> Option<ShellToken<'a>> {
        self.skip_blanks();
        let byte = *self.bytes.get(self.at)?;
        match byte {
            b'\n' => {
                self.at += 1;
                self.read_bodies();
                Some(ShellToken::Newline)
            }
            // `<(` begins a word: a process substitution, not a redirection.
            b'<' | b'>' if self.peek(1) != b'(' => Some(self.redirect(None)),
            b'0'..=b'9' if matches!(self.peek(1), b'<' | b'>') => {
                self.at += 1;
                Some(self.redirect(Some(byte - b'0')))
            }
            _ => Some(self.operator(byte).unwrap_or_else(|| ShellToken::Word(self.word()))),
        }
    }

    /// The same with the place of what is handed out.
    pub(super) fn next_placed(&mut self) -> Option<(std::ops::Range<usize>, ShellToken<'a>)> {
        self.skip_blanks();
        let start = self.at;
        let token = self.next()?;
        Some((start..self.at, token))
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.dialect) {
                (b' ' | b'\t' | b'\r', _) => self.at += 1,
                (b'\\', Dialect::Posix) | (b'`', Dialect::PowerShell) if self.peek(1) == b'\n' => self.at += 2,
                (b'\\', Dialect::Posix) if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
                // Only where a word could begin: `a#b` is one word, and its sign is read with it.
                (b'#', _) => self.at = self.line_end(self.at),
                _ => return,
            }
        }
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        from + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
    }

    fn operator(&mut self, byte: u8) -> Option<ShellToken<'a>> {
        let (token, length) = match (byte, self.peek(1)) {
            (b'&', b'&') => (ShellToken::And, 2),
            (b'&', b'>') => {
                let append = self.peek(2) == b'>';
                (ShellToken::Redirect(None, RedirectionKind::Both), if append { 3 } else { 2 })
            }
            (b'&', _) => (ShellToken::Ampersand, 1),
            (b'|', b'|') => (ShellToken::Or, 2),
            (b'|', b'&') => (ShellToken::Pipe, 2),
            (b'|', _) => (ShellToken::Pipe, 1),
            (b';', b';') => (ShellToken::CaseEnd, if self.peek(2) == b'&' { 3 } else { 2 }),
            (b';', b'&') => (ShellToken::CaseEnd, 2),
            (b';', _) => (ShellToken::Semicolon, 1),
            (b'(', b'(') => return Some(self.double_paren()),
            (b'(', _) => (ShellToken::Open, 1),
            (b')', _) => (ShellToken::Close, 1),
            _ => return None,
        };
        self.at += length;
        Some(token)
    }

    /// `((` opens arithmetic when it closes with `))`, else two subshells.
    fn double_paren(&mut self) -> ShellToken<'a> {
        let (end, closed) = self.skip(self.at + 1, Nest::Paren);
        if closed && self.bytes.get(end.saturating_sub(2)) == Some(&b')') && end > self.at + 3 {
            self.at = end;
            return ShellToken::Arithmetic;
        }
        self.at += 1;
        ShellToken::Open
    }

    fn redirect(&mut self, descriptor: Option<u8>) -> ShellToken<'a> {
        let (kind, length) = match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'<', b'<', b'<') => (RedirectionKind::HereString, 3),
            (b'<', b'<', next) => {
                self.at += if next == b'-' { 3 } else { 2 };
                let pending = self.delimiter(next == b'-');
                self.pending.push(pending);
                return ShellToken::Redirect(descriptor, RedirectionKind::HereDocument);
            }
            (b'<' | b'>', b'&', _) => (RedirectionKind::Duplicate, 2),
            (b'<', b'>', _) => (RedirectionKind::Read, 2),
            (b'<', ..) => (RedirectionKind::Read, 1),
            (_, b'>', _) => (RedirectionKind::Append, 2),
            (_, b'|', _) => (RedirectionKind::Write, 2),
            _ => (RedirectionKind::Write, 1),
        };
        self.at += length;
        ShellToken::Redirect(descriptor, kind)
    }

    fn delimiter(&mut self, tabs: bool) -> OpenHereDocument {
        let (delimiter, end) = read_delimiter(self.bytes, self.at);
        self.at = end;
        OpenHereDocument { delimiter, tabs }
    }

    fn read_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let (body_end, next) = end_of_body(self.bytes, start, &pending);
            self.unclosed |= body_end.is_none();
            self.bodies.push(self.slice(start, body_end.unwrap_or(next)));
            self.at = next;
        }
    }

    /// Whether a here-document still waits for its body at the end.
    pub(super) fn finish(&mut self) {
        self.unclosed |= !self.pending.is_empty();
    }

    fn word(&mut self) -> ShellWord<'a> {
        let mut word = ShellWord::default();
        loop {
            let start = self.at;
            match self.peek(0) {
                b'<' | b'>' if self.peek(1) == b'(' => self.substitution(2, &mut word),
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>' => return word,
                0 if self.at >= self.bytes.len() => return word,
                b'(' if word.text.is_empty() || self.peek(1) == b')' => return word,
                b'(' => {
                    self.bracketed(1, Nest::Paren, &mut word);
                }
                b'\'' => self.single_quoted(&mut word),
                b'"' => self.double_quoted(&mut word),
                b'`' if self.dialect == Dialect::PowerShell => self.escaped(&mut word),
                b'\\' if self.dialect == Dialect::Posix => self.escaped(&mut word),
                b'`' => self.backticks(&mut word),
                b'$' => self.dollar(&mut word),
                byte => {
                    word.glob |= matches!(byte, b'*' | b'?' | b'[') && !(byte == b'[' && word.text.is_empty());
                    self.plain(&mut word, |byte| ENDS_PLAIN[usize::from(byte)]);
                }
            }
            // Every arm moves on; this keeps a mistake in one from becoming an endless loop.
            if self.at == start {
                self.at += 1;
            }
        }
    }

    /// One byte, whatever it is, and those behind it until one ends them.
    fn plain(&mut self, word: &mut ShellWord<'a>, ends: impl Fn(u8) -> bool) {
        let start = self.at;
        let rest = self.bytes.get(start + 1..).unwrap_or(&[]);
        let run = rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len());
        self.at = start + 1 + run;
        word.text.push_str(self.slice(start, self.at));
    }

    fn escaped(&mut self, word: &mut ShellWord<'a>) {
        let next = self.slice(self.at + 1, self.bytes.len()).chars().next();
        self.at += 1 + next.map_or(0, char::len_utf8);
        if let Some(next) = next.filter(|c| *c != '\n') {
            word.quoted = true;
            word.text.push(next);
        }
    }

    fn single_quoted(&mut self, word: &mut ShellWord<'a>) {
        let start = self.at + 1;
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let end = rest.iter().position(|b| *b == b'\'');
        self.unclosed |= end.is_none();
        let end = start + end.unwrap_or(rest.len());
        word.quoted = true;
        word.text.push_str(self.slice(start, end));
        self.at = end + 1;
    }

    fn double_quoted(&mut self, word: &mut ShellWord<'a>) {
        word.quoted = true;
        self.at += 1;
        loop {
            match self.peek(0) {
                0 if self.at >= self.bytes.len() => {
                    self.unclosed = true;
                    return;
                }
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' if self.dialect == Dialect::Posix => self.escaped_in_quotes(word),
                b'`' if self.dialect == Dialect::PowerShell => self.escaped(word),
                b'`' => self.backticks(word),
                b'$' => self.dollar(word),
                _ => self.plain(word, |byte| b"\\\"`$".contains(&byte)),
            }
        }
    }

    fn escaped_in_quotes(&mut self, word: &mut ShellWord<'a>) {
        match self.peek(1) {
            b'"' | b'\\' | b'$' | b'`' => {
                word.text.push(char::from(self.peek(1)));
                self.at += 2;
            }
            b'\n' => self.at += 2,
            _ => {
                word.text.push('\\');
                self.at += 1;
            }
        }
    }

    fn dollar(&mut self, word: &mut ShellWord<'a>) {
        match (self.peek(1), self.peek(2)) {
            (b'(', b'(') => {
                self.bracketed(2, Nest::Paren, word);
            }
            (b'(', _) => self.substitution(2, word),
            (b'{', _) => {
                self.bracketed(2, Nest::Brace, word);
            }
            (b'\'', _) if !word.quoted => {
                self.at += 1;
                self.ansi_quoted(word);
            }
            _ => {
                word.text.push('$');
                self.at += 1;
            }
        }
    }

    fn ansi_quoted(&mut self, word: &mut ShellWord<'a>) {
        let start = self.at + 1;
        let mut end = start;
        while end < self.bytes.len() && self.bytes.get(end) != Some(&b'\'') {
            end += if self.bytes.get(end) == Some(&b'\\') { 2 } else { 1 };
        }
        self.unclosed |= end >= self.bytes.len();
        word.quoted = true;
        word.text.push_str(self.slice(start, end));
        self.at = (end + 1).min(self.bytes.len().max(start));
    }

    fn substitution(&mut self, opening: usize, word: &mut ShellWord<'a>) {
        let start = self.at + opening;
        let end = self.bracketed(opening, Nest::Paren, word);
        word.inner.push(self.slice(start, end));
    }

    fn backticks(&mut self, word: &mut ShellWord<'a>) {
        let start = self.at + 1;
        let end = self.bracketed(1, Nest::Backtick, word);
        word.inner.push(self.slice(start, end));
    }

    /// Takes a bracketed part into the word as written; returns where its inside ends.
    fn bracketed(&mut self, opening: usize, nest: Nest, word: &mut ShellWord<'a>) -> usize {
        let start = self.at;
        let (end, closed) = self.skip(start + opening, nest);
        self.unclosed |= !closed;
        word.text.push_str(self.slice(start, end));
        self.at = end;
        if closed { end.saturating_sub(1) } else { end }
    }

    fn skip(&self, from: usize, nest: Nest) -> (usize, bool) {
        Skipper { bytes: self.bytes, at: from, stack: vec![nest], pending: Vec::new() }.run()
    }
}

/// What is open while a bracketed part is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nest {
    Paren,
    Brace,
    Quote,
    Backtick,
}

/// Finds the end of a bracketed part, minding quotes, comments and here-documents inside.
struct Skipper<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Nest>,
    pending: Vec<OpenHereDocument>,
}

impl Skipper<'_> {
    fn run(mut self) -> (usize, bool) {
        while let (Some(byte), Some(top)) = (self.bytes.get(self.at).copied(), self.stack.last().copied()) {
            if self.stack.len() > MAX_NEST {
                return (self.bytes.len(), false);
            }
            self.step(byte, top);
        }
        (self.at.min(self.bytes.len()), self.stack.is_empty())
    }

    fn step(&mut self, byte: u8, top: Nest) {
        let next = self.bytes.get(self.at + 1).copied();
        let mut length = 1;
        match (top, byte) {
            (_, b'\\') => length = 2,
            (Nest::Quote, b'"') | (Nest::Paren, b')') | (Nest::Brace, b'}') | (Nest::Backtick, b'`') => {
                self.stack.pop();
            }
            (Nest::Backtick, _) => {}
            (_, b'$') if next == Some(b'(') => {
                self.stack.push(Nest::Paren);
                length = 2;
            }
            (_, b'$') if next == Some(b'{') => {
                self.stack.push(Nest::Brace);
                length = 2;
            }
            (_, b'`') => self.stack.push(Nest::Backtick),
            (Nest::Quote, _) => {}
            (_, b'"') => self.stack.push(Nest::Quote),
            (_, b'\'') if !self.in_quotes() => length = self.quoted_length(),
            (Nest::Paren, b'(') => self.stack.push(Nest::Paren),
            (Nest::Paren, b'#') if self.at_word_start() => length = self.to_line_end(),
            (Nest::Paren, b'<') if next == Some(b'<') => length = self.here_document(),
            (Nest::Paren, b'\n') => length = self.bodies(),
            _ => {}
        }
        self.at += length;
    }

    /// Whether the innermost brace is in double quotes, where a single quote is a plain character.
    fn in_quotes(&self) -> bool {
        matches!(self.stack.as_slice(), [.., Nest::Quote, Nest::Brace])
    }

    fn quoted_length(&self) -> usize {
        let rest = self.bytes.get(self.at + 1..).unwrap_or(&[]);
        rest.iter().position(|b| *b == b'\'').map_or(rest.len() + 1, |end| end + 2)
    }

    fn at_word_start(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|i| self.bytes.get(i));
        before.is_none_or(|b| b" \t\n;(&|".contains(b))
    }

    fn to_line_end(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
    }

    fn here_document(&mut self) -> usize {
        if self.bytes.get(self.at + 2) == Some(&b'<') {
            return 3;
        }
        let tabs = self.bytes.get(self.at + 2) == Some(&b'-');
        let (delimiter, end) = read_delimiter(self.bytes, self.at + if tabs { 3 } else { 2 });
        // An empty word is a shift inside arithmetic, or broken.
        if !delimiter.is_empty() && !delimiter.starts_with(|c: char| c.is_ascii_digit()) {
            self.pending.push(OpenHereDocument { delimiter, tabs });
        }
        (end - self.at).max(2)
    }

    fn bodies(&mut self) -> usize {
        let mut next = self.at + 1;
        for pending in std::mem::take(&mut self.pending) {
            next = end_of_body(self.bytes, next, &pending).1;
        }
        next - self.at
    }
}

/// The delimiter word of a here-document without quotes, and where it ends.
fn read_delimiter(bytes: &[u8], from: usize) -> (String, usize) {
    let blanks = bytes.get(from..).unwrap_or(&[]).iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let start = from + blanks;
    let rest = bytes.get(start..).unwrap_or(&[]);
    let length = rest.iter().position(|b| b" \t\r\n;&|()<>".contains(b)).unwrap_or(rest.len());
    let raw = rest.get(..length).unwrap_or(&[]);
    let plain: Vec<u8> = raw.iter().copied().filter(|b| !b"'\"\\".contains(b)).collect();
    (String::from_utf8_lossy(&plain).into_owned(), start + length)
}

/// Where the body that begins at `from` ends (None: never), and where the line after its delimiter begins.
fn end_of_body(bytes: &[u8], from: usize, pending: &OpenHereDocument) -> (Option<usize>, usize) {
    let mut start = from;
    while start < bytes.len() {
        let rest = bytes.get(start..).unwrap_or(&[]);
        let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or(&[]);
        if is_delimiter(line, pending) {
            return (Some(start), start + length);
        }
        start += length + 1;
    }
    (None, bytes.len())
}

fn is_delimiter(line: &[u8], pending: &OpenHereDocument) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let tabs = if pending.tabs { line.iter().take_while(|b| **b == b'\t').count() } else { 0 };
    line.get(tabs..) == Some(pending.delimiter.as_bytes())
}
