//! The words that Claude Code takes for the arguments of a command: those of the first command of the text behind its
//! name, read as a shell would, with the client's own ways where the text is no command line.
//!
//! `docs/dev/real-client.md` says how these ways were found; `tests/real_client/templates.json` holds them to the client.

/// Words that stand before a command without being one.
const BEFORE_COMMANDS: &[&str] =
    &["if", "then", "elif", "else", "fi", "do", "done", "while", "until", "esac", "!", "{", "}"];
/// Words that stand before a name and a command.
const BEFORE_NAMES: &[&str] = &["for", "select", "function"];
/// Commands whose words are declarations to the client, not arguments.
const DECLARE: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// The words of the first command of a text, without leading assignments, redirections, expansions and comments. Where it
/// holds no command, what stands between blanks.
pub fn argument_words(text: &str) -> Vec<String> {
    let mut reader = Reader { text, at: 0, words: Vec::new() };
    reader.command();
    let mut words = reader.words;
    if words.is_empty() {
        words = text.split(is_blank).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    }
    for word in words.iter_mut().filter(|word| word.starts_with('!')) {
        word.insert(0, '\\');
    }
    words
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    words: Vec<String>,
}

/// What a word turned out to be.
enum Piece {
    Word(String),
    /// An expansion that stands alone: no word, unless it is the command itself.
    Expansion(String),
    /// A substitution that stands alone: it ends what is read, unless it is the command itself.
    Substitution(String),
    /// An assignment before the command.
    Assignment,
    /// No word at all.
    Nothing,
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, what: &str) -> bool {
        let there = self.rest().starts_with(what);
        self.at += if there { what.len() } else { 0 };
        there
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
            self.at += blanks;
            if !self.eat("\\\n") && !self.eat("\\\r\n") && blanks == 0 {
                return;
            }
        }
    }

    fn command(&mut self) {
        while self.before() {}
        if self.rest().starts_with('[') {
            // The client reads a test here, and loses its first word.
            self.at += if self.rest().starts_with("[[") { 2 } else { 1 };
            self.skip_blanks();
            let _ = self.word();
        }
        while let Some(c) = self.next_sign() {
            match c {
                // The head of a function: the command is inside.
                '(' if self.rest().starts_with("()") && self.words.len() == 1 => {
                    self.at += 2;
                    self.words.clear();
                    while self.before() {}
                }
                '(' => {
                    if !self.skip_parentheses() {
                        return;
                    }
                }
                '<' if self.rest().starts_with("<<<") => {
                    self.at += 3;
                    self.skip_blanks();
                    let _ = self.word();
                }
                '\n' | ';' | '&' | '|' | '#' | ')' | '<' | '>' => return,
                _ if self.is_redirection() => return,
                _ => {
                    let piece = self.word();
                    if !self.keep(piece) {
                        return;
                    }
                }
            }
        }
    }

    /// The next character that is no blank.
    fn next_sign(&mut self) -> Option<char> {
        self.skip_blanks();
        self.peek()
    }

    /// Takes in a word of the command; tells whether more may follow.
    fn keep(&mut self, piece: Piece) -> bool {
        let is_command = self.words.is_empty();
        match piece {
            Piece::Word(word) => {
                let declares = is_command && DECLARE.contains(&word.as_str());
                self.words.push(word);
                !declares
            }
            Piece::Expansion(text) | Piece::Substitution(text) if is_command => {
                self.words.push(text);
                true
            }
            Piece::Expansion(_) | Piece::Assignment | Piece::Nothing => true,
            Piece::Substitution(_) => false,
        }
    }

    /// Skips one thing that may stand before a command; tells whether there was one.
    fn before(&mut self) -> bool {
        self.skip_blanks();
        let start = self.at;
        match self.peek() {
            Some('(') if self.rest().starts_with("((") => {
                let is_closed = self.skip_parentheses();
                self.at = if is_closed { self.at } else { self.text.len() };
            }
            Some('\n' | ';' | '&' | '|' | '(') => self.at += 1,
            Some('<' | '>') => self.redirection(),
            Some(_) if self.is_redirection() => self.redirection(),
            Some(_) => {
                let rest = self.rest();
                let end = rest.find(|c| is_blank(c) || c == ';').unwrap_or(rest.len());
                let first = rest.get(..end).unwrap_or_default();
                if BEFORE_COMMANDS.contains(&first) {
                    self.at += end;
                } else if BEFORE_NAMES.contains(&first) || first == "case" {
                    self.at += end;
                    self.skip_head(first);
                } else if is_assignment(first) && !matches!(self.word(), Piece::Assignment) {
                    self.at = self.text.len();
                }
            }
            None => {}
        }
        self.at > start
    }

    /// Skips the name behind `for` and its like, and with `in` everything up to the command.
    fn skip_head(&mut self, keyword: &str) {
        self.skip_blanks();
        self.skip_to_blank();
        self.skip_blanks();
        let has_in = self.rest().strip_prefix("in").is_some_and(|rest| rest.starts_with(is_blank));
        let behind = match (keyword, has_in) {
            ("case", true) => self.rest().find(')').map(|at| at + 1),
            ("case", false) => None,
            (_, true) => self.rest().find("do ").map(|at| at + 3),
            (_, false) => Some(0),
        };
        // A head that is not whole is no command at all.
        self.at = behind.map_or(self.text.len(), |behind| self.at + behind);
    }

    /// Whether a number stands here that is joined to a redirection.
    fn is_redirection(&self) -> bool {
        let rest = self.rest();
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < rest.len() && behind.starts_with(['<', '>'])
    }

    fn redirection(&mut self) {
        let rest = self.rest();
        let behind =
            rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['<', '>', '&', '|', '-']);
        self.at += rest.len() - behind.len();
        self.skip_blanks();
        let _ = self.word();
    }

    /// Skips a parenthesis with all that it holds; tells whether it is closed.
    fn skip_parentheses(&mut self) -> bool {
        let mut depth = 0_usize;
        for (at, c) in self.rest().char_indices() {
            match c {
                '(' => depth += 1,
                ')' if depth == 1 => {
                    self.at += at + 1;
                    return true;
                }
                ')' => depth -= 1,
                _ => {}
            }
        }
        false
    }

    fn skip_to_blank(&mut self) {
        let rest = self.rest();
        self.at += rest.find(is_blank).unwrap_or(rest.len());
    }

    /// The word that begins here.
    fn word(&mut self) -> Piece {
        let start = self.at;
        let mut word = String::new();
        let mut alone = None;
        while let Some(c) = self.peek().filter(|c| !ends_word(*c) && !self.rest().starts_with("\\\n")) {
            let from = self.at;
            let whole = match c {
                '\'' => self.single_quoted(&mut word),
                '"' => self.double_quoted(&mut word),
                '\\' => self.escaped(&mut word),
                '`' => self.bracketed(1, "`", &mut word),
                '$' => self.dollar(&mut word),
                // A brace begins a list to the client: nothing behind it is a quote.
                '{' => {
                    let rest = self.rest();
                    let list = rest.get(..rest.find(ends_word).unwrap_or(rest.len())).unwrap_or_default();
                    word.push_str(list);
                    self.at += list.len();
                    true
                }
                c => {
                    word.push(c);
                    self.at += c.len_utf8();
                    true
                }
            };
            if !whole {
                // A quote that never ends: the rest is one word as it is written. A substitution that never ends is none.
                self.at = self.text.len();
                return match c {
                    '\'' | '"' => Piece::Word(self.text.get(start..).unwrap_or_default().to_owned()),
                    _ => Piece::Nothing,
                };
            }
            if from == start {
                alone = Some((c, self.at));
            }
        }
        let written = self.text.get(start..self.at).unwrap_or_default();
        match alone {
            Some(('`', end)) if end == self.at => Piece::Substitution(word),
            Some(('$', end)) if end == self.at && written.starts_with("$(") && !written.starts_with("$((") => {
                Piece::Substitution(word)
            }
            Some(('$', end)) if end == self.at && is_expansion(written) => Piece::Expansion(word),
            _ if self.words.is_empty() && is_assignment(written) => Piece::Assignment,
            _ => Piece::Word(word),
        }
    }

    fn single_quoted(&mut self, word: &mut String) -> bool {
        let Some((inside, _)) = self.rest().get(1..).and_then(|rest| rest.split_once('\'')) else { return false };
        word.push_str(inside);
        self.at += inside.len() + 2;
        true
    }

    /// What stands in double quotes stays as it is written, escapes as well.
    fn double_quoted(&mut self, word: &mut String) -> bool {
        self.at += 1;
        let start = self.at;
        while let Some(c) = self.peek() {
            let whole = match c {
                '"' => {
                    word.push_str(self.text.get(start..self.at).unwrap_or_default());
                    self.at += 1;
                    return true;
                }
                '\\' => {
                    self.at += 1 + self.rest().chars().nth(1).map_or(0, char::len_utf8);
                    true
                }
                '`' => self.bracketed(1, "`", &mut String::new()),
                '$' if self.rest().starts_with("$(") => self.bracketed(2, ")", &mut String::new()),
                c => {
                    self.at += c.len_utf8();
                    true
                }
            };
            if !whole {
                return false;
            }
        }
        false
    }

    /// A backslash and what it escapes; none at the end.
    fn escaped(&mut self, word: &mut String) -> bool {
        self.at += 1;
        let Some(c) = self.peek() else { return !word.is_empty() };
        self.at += c.len_utf8();
        word.push(c);
        true
    }

    /// A `$` and what belongs to it, as it is written; `$"` is a dollar sign before a quote.
    fn dollar(&mut self, word: &mut String) -> bool {
        let rest = self.rest();
        match rest.chars().nth(1) {
            Some('(') => self.bracketed(2, ")", word),
            Some('{') => self.bracketed(2, "}", word),
            Some('[') => self.bracketed(2, "]", word),
            Some('\'') => self.bracketed(2, "'", word),
            _ => {
                let name = rest.get(1..).unwrap_or_default();
                let length = 1 + name_length(name);
                word.push_str(rest.get(..length).unwrap_or_default());
                self.at += length;
                true
            }
        }
    }

    /// A part up to its closing sign, as it is written.
    fn bracketed(&mut self, opening: usize, closing: &str, word: &mut String) -> bool {
        let rest = self.rest();
        let Some(end) = closing_of(rest, opening, closing) else { return false };
        word.push_str(rest.get(..end).unwrap_or_default());
        self.at += end;
        true
    }
}

/// Where a bracket that is open behind `opening` bytes ends.
fn closing_of(text: &str, opening: usize, closing: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < opening) {
        if closing.starts_with(c) {
            depth -= 1;
        } else if matches!((c, closing), ('(', ")") | ('{', "}")) {
            depth += 1;
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}

fn ends_word(c: char) -> bool {
    is_blank(c) || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// How long the name of an expansion is: one digit or sign, or letters, digits and `_`.
fn name_length(text: &str) -> usize {
    match text.chars().next() {
        Some(c) if c.is_ascii_digit() || "@*#?!$-".contains(c) => 1,
        Some(_) => text.find(|c: char| !is_name(c)).unwrap_or(text.len()),
        None => 0,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `$` is followed by something that it expands.
fn is_expansion(written: &str) -> bool {
    written.len() > 1
}

/// `NAME=`, `NAME+=` or `NAME[...]=` at the beginning.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, index)| if index.ends_with(']') { name } else { "" });
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
