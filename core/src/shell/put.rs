//! Words put into a command line: quoted so that a shell reads each as exactly this word, and the places of the words
//! that stand in one, so that a single word can be replaced while the rest stays as it was written.

use std::ops::Range;

use super::lexer::{Lexer, ShellToken};
use super::parser::assignment;
use super::{Dialect, MAX_BYTES};

/// A word as a POSIX shell reads it back, whatever it holds: bare where every sign is plain, between double quotes where
/// none of them means anything there, else between single quotes. NUL, which no word of a process can hold, is left out.
/// Of a word that may stand first in a command, [`line_of`] and [`with_words`] know more.
pub fn quoted_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    let harmless = |c: char| !c.is_control() && !"\"\\$`!".contains(c);
    // zsh puts the path of a program in the place of `=program`.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        word.to_owned()
    } else if word.chars().all(harmless) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\0', "").replace('\'', r"'\''"))
    }
}

/// A line of words, each quoted, the first as a program.
pub fn line_of<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let quoted = |(at, word): (usize, W)| {
        if at == 0 { quoted_program(word.as_ref()) } else { quoted_word(word.as_ref()) }
    };
    words.into_iter().enumerate().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Words that begin or end a part of the shell's own language where a program stands.
const RESERVED: &[&str] = &[
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "end",
    "esac",
    "fi",
    "for",
    "foreach",
    "function",
    "if",
    "in",
    "nocorrect",
    "noglob",
    "repeat",
    "select",
    "then",
    "time",
    "until",
    "while",
];

/// A word as the name of a program: what a shell would read there as an assignment, as a word of its language or as a job
/// is quoted, which makes it a name.
fn quoted_program(word: &str) -> String {
    let means_more = assignment(word).is_some() || RESERVED.contains(&word) || word.starts_with('%');
    match quoted_word(word) {
        bare if means_more && bare == word => format!("\"{word}\""),
        quoted => quoted,
    }
}

/// A word of a line, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedWord {
    /// The word without its quotes.
    pub text: String,
    /// Where it stands in the line, with its quotes.
    pub range: Range<usize>,
    /// What it is in its command.
    pub role: WordRole,
    /// Whether it means just its letters: nothing in it is expanded by the shell.
    pub is_literal: bool,
    /// The number of its command in the line.
    pub command: usize,
}

/// What a word is in its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordRole {
    /// `NAME=value` before the program.
    Assignment,
    /// The program.
    Program,
    /// A word after it.
    Argument,
    /// The file of a redirection.
    Target,
}

/// The words of a line of `sh`, in their order; None where a quote, bracket or here-document never ends, or the line is
/// longer than what is looked at.
pub fn placed_words(line: &str) -> Option<Vec<PlacedWord>> {
    if line.len() > MAX_BYTES {
        return None;
    }
    let mut lexer = Lexer::new(line, Dialect::Posix);
    let mut words = Vec::new();
    let (mut command, mut has_program, mut is_target) = (0, false, false);
    while let Some((range, token)) = lexer.next_placed() {
        match token {
            ShellToken::Word(word) => {
                let raw = line.get(range.clone()).unwrap_or_default();
                let role = match (is_target, has_program) {
                    (true, _) => WordRole::Target,
                    (false, true) => WordRole::Argument,
                    (false, false) if !word.quoted && assignment(&word.text).is_some() => WordRole::Assignment,
                    (false, false) => WordRole::Program,
                };
                has_program |= role == WordRole::Program;
                is_target = false;
                let is_literal = !word.glob && word.inner.is_empty() && !expands(raw);
                words.push(PlacedWord { text: word.text, range, role, is_literal, command });
            }
            // The body of a here-document is no word.
            ShellToken::Redirect(_, kind) => is_target = kind != super::RedirectionKind::HereDocument,
            _ => {
                command += usize::from(has_program);
                (has_program, is_target) = (false, false);
            }
        }
    }
    lexer.finish();
    (!lexer.unclosed).then_some(words)
}

/// Whether a shell puts something else in the place of a part of the word.
fn expands(raw: &str) -> bool {
    let mut signs = raw.chars();
    let (mut single, mut double) = (false, false);
    let is_home = raw.starts_with('~');
    while let Some(c) = signs.next() {
        match c {
            '\\' if !single => {
                signs.next();
            }
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' | '`' if !single => return true,
            '{' if !single && !double => return true,
            _ => {}
        }
    }
    is_home
}

/// The line with other words in the place of some, quoted. The replacements come in the order of the line.
pub fn with_words(line: &str, replaced: &[(&PlacedWord, &str)]) -> String {
    let mut made = String::with_capacity(line.len() + 64);
    let mut from = 0;
    for (word, text) in replaced {
        made.push_str(line.get(from..word.range.start).unwrap_or_default());
        let quoted = if word.role == WordRole::Program { quoted_program(text) } else { quoted_word(text) };
        made.push_str(&quoted);
        from = word.range.end;
    }
    made.push_str(line.get(from..).unwrap_or_default());
    made
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Script;
    use super::*;

    #[test]
    fn a_word_is_quoted_only_as_far_as_it_must_be() {
        for (word, wanted) in [
            ("src/a.rs", "src/a.rs"),
            ("*.js", "\"*.js\""),
            ("a b", "\"a b\""),
            ("", "\"\""),
            ("it's", "\"it's\""),
            ("$(x)", "'$(x)'"),
            ("a\"b';", "'a\"b'\\'';'"),
            ("a\nb", "'a\nb'"),
            ("~", "\"~\""),
            ("A=1", "A=1"),
            ("=ls", "\"=ls\""),
        ] {
            assert_eq!(quoted_word(word), wanted);
        }
        assert_eq!(line_of(["git", "log", "a b"]), "git log \"a b\"");
    }

    #[test]
    fn the_first_word_of_a_command_is_always_a_program() {
        for program in ["A=1", "PATH+=x", "if", "time", "%1", "=ls", "a b", "{", "!"] {
            let line = line_of([program, "A=1", "if"]);
            let read = placed_words(&line).unwrap();
            assert_eq!((&*read[0].text, read[0].role), (program, WordRole::Program), "{line}");
            assert!(read[0].range.len() > program.len(), "{line} leaves it bare");
            assert_eq!(line[read[0].range.end..], *" A=1 if", "an argument means itself");
            let words = placed_words("env=1 tool x | tool").unwrap();
            let replaced = with_words("env=1 tool x | tool", &[(&words[1], program), (&words[3], program)]);
            let read: Vec<(WordRole, String)> =
                placed_words(&replaced).unwrap().into_iter().map(|word| (word.role, word.text)).collect();
            assert_eq!(read[1], (WordRole::Program, program.to_owned()), "{replaced}");
            assert_eq!(read[3], (WordRole::Program, program.to_owned()), "{replaced}");
        }
    }

    #[test]
    fn words_have_places_and_roles() {
        let line = "A=1 npm run tset -- \"x y\" > out.txt && cat $HOME *.c 'a b'";
        let words = placed_words(line).unwrap();
        let told: Vec<(&str, WordRole, usize, bool)> =
            words.iter().map(|word| (&*word.text, word.role, word.command, word.is_literal)).collect();
        assert_eq!(told[0], ("A=1", WordRole::Assignment, 0, true));
        assert_eq!(told[1], ("npm", WordRole::Program, 0, true));
        assert_eq!(told[3], ("tset", WordRole::Argument, 0, true));
        assert_eq!(told[6], ("out.txt", WordRole::Target, 0, true));
        assert_eq!(told[7], ("cat", WordRole::Program, 1, true));
        assert_eq!((told[8].3, told[9].3, told[10]), (false, false, ("a b", WordRole::Argument, 1, true)));
        assert_eq!(
            with_words(line, &[(&words[3], "te st")]),
            "A=1 npm run \"te st\" -- \"x y\" > out.txt && cat $HOME *.c 'a b'"
        );
        assert_eq!(placed_words("echo 'a"), None);
    }

    proptest! {
        #[test]
        fn every_word_comes_back(words in prop::collection::vec("\\PC{0,12}|[-$`\"'\\\\!;&|<> \n*?~{}()]{0,8}", 1..5)) {
            let line = format!("printf {}", line_of(&words));
            let read = placed_words(&line).unwrap();
            let read: Vec<&str> = read.iter().skip(1).map(|word| word.text.as_str()).collect();
            prop_assert_eq!(&read, &words.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert!(!Script::parse(&line).incomplete);
        }
    }
}
