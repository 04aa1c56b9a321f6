//! One call within the text of a command line: its words as they were written, and what stands around it.

use super::name_of;

/// A call and what stands around it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call<'l> {
    /// The line up to the program.
    pub(super) before: &'l str,
    /// The program as it was written; with the toolchain in `cargo +nightly`.
    pub(super) program: &'l str,
    /// The words behind it up to the end of the subcommand, with their quotes.
    pub(super) head: Vec<&'l str>,
    /// The words behind those.
    pub(super) args: Vec<&'l str>,
    /// The line from the end of the last word: redirections and other calls.
    pub(super) behind: &'l str,
}

/// So many places where the program is named are looked at: the time of a long line stays in proportion to its length.
const MOST: usize = 64;

impl<'l> Call<'l> {
    /// The first call of the program with the subcommand: where the program stands at the beginning of a command, else
    /// anywhere, as behind `sudo` or `timeout 60`.
    pub(super) fn find(line: &'l str, program: &str, subcommand: &str) -> Option<Self> {
        let commands = commands(line);
        let begins = |command: &&[Span]| command.iter().position(|span| !is_assignment(&line[span.start..span.end]));
        let at_beginning = commands.iter().filter_map(|command| Some((command, begins(&command.as_slice())?)));
        let anywhere = commands.iter().flat_map(|command| (0..command.len()).map(move |at| (command, at)));
        let named = at_beginning.chain(anywhere).filter(|(command, at)| {
            let span = command[*at];
            name_of(&line[span.start..span.end]) == program
        });
        named.take(MOST).find_map(|(command, at)| Self::at(line, &command[at..], subcommand))
    }

    /// The call whose words these are, if it has the subcommand.
    fn at(line: &'l str, spans: &[Span], subcommand: &str) -> Option<Self> {
        let text = |span: &Span| &line[span.start..span.end];
        let first = spans.first()?;
        let count = 1 + usize::from(spans.get(1).is_some_and(|span| text(span).starts_with('+')));
        let mut head: Vec<&str> = spans[count..].iter().map(text).collect();
        let mut at = 0;
        for own in subcommand.split_ascii_whitespace() {
            at += 1 + head[at..].iter().position(|word| *word == own)?;
        }
        let args = head.split_off(at);
        let (before, behind) = (&line[..first.start], &line[spans.last()?.end..]);
        Some(Self { before, program: &line[first.start..spans[count - 1].end], head, args, behind })
    }
}

/// Where a word stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: usize,
    end: usize,
}

/// The words of each simple command up to its first redirection. What stands in quotes, in `$(...)` and behind a
/// backslash is part of its word.
fn commands(line: &str) -> Vec<Vec<Span>> {
    let bytes = line.as_bytes();
    let mut commands = vec![Vec::new()];
    let (mut at, mut is_over) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' => at += 1,
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            b'<' | b'>' => (at, is_over) = (at + 1, true),
            // `>&1` and `&>` join descriptors: the command goes on.
            b'&' if at > 0 && matches!(bytes[at - 1], b'<' | b'>') => at += 1,
            b'&' if bytes.get(at + 1) == Some(&b'>') => at += 1,
            b'\n' | b';' | b'|' | b'&' | b'(' | b')' => {
                (at, is_over) = (at + 1, false);
                commands.push(Vec::new());
            }
            _ => {
                let end = word_end(bytes, at);
                let is_descriptor =
                    matches!(bytes.get(end), Some(b'<' | b'>')) && bytes[at..end].iter().all(u8::is_ascii_digit);
                if !is_over
                    && !is_descriptor
                    && let Some(command) = commands.last_mut()
                {
                    command.push(Span { start: at, end });
                }
                at = end;
            }
        }
    }
    commands
}

/// The end of the word that begins here; at least one byte further.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        at = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => break,
            b'\\' => at + 2,
            b'\'' | b'`' => past(bytes, at + 1, byte),
            b'"' => past(bytes, at + 1, b'"'),
            b'$' if bytes.get(at + 1) == Some(&b'(') => past_substitution(bytes, at + 2),
            _ => at + 1,
        };
    }
    at.clamp(start + 1, bytes.len())
}

/// Behind the closing quote, or the end of the line.
fn past(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        at += if byte == b'\\' && quote != b'\'' { 2 } else { 1 };
        if byte == quote {
            break;
        }
    }
    at
}

/// Behind the parenthesis that closes a substitution, or the end of the line.
fn past_substitution(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 1);
    while let Some(&byte) = bytes.get(at) {
        at = match byte {
            b'\'' | b'"' => past(bytes, at + 1, byte),
            b'\\' => at + 2,
            _ => at + 1,
        };
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Whether a word is `NAME=value`.
fn is_assignment(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name) && !name.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of the call that is found: before, program, head, args, behind.
    fn parts<'l>(line: &'l str, program: &str, subcommand: &str) -> Option<(&'l str, String, &'l str)> {
        let call = Call::find(line, program, subcommand)?;
        let words = [&[call.program], call.head.as_slice(), &["/"], call.args.as_slice()].concat();
        Some((call.before, words.join("|"), call.behind))
    }

    #[test]
    fn calls_are_found_among_others() {
        let commit = |line| parts(line, "git", "commit");
        assert_eq!(commit("git commit"), Some(("", "git|commit|/".to_owned(), "")));
        assert_eq!(
            commit("git add . && git -C 'a b' commit -a; ls"),
            Some(("git add . && ", "git|-C|'a b'|commit|/|-a".to_owned(), "; ls"))
        );
        assert_eq!(
            commit("A=1 sudo -u me /usr/bin/git commit >out 2>&1"),
            Some(("A=1 sudo -u me ", "/usr/bin/git|commit|/".to_owned(), " >out 2>&1"))
        );
        assert_eq!(commit("echo git\ngit commit \\\n  -a"), Some(("echo git\n", "git|commit|/|-a".to_owned(), "")));
        assert_eq!(commit("(git commit)"), Some(("(", "git|commit|/".to_owned(), ")")));
        assert_eq!(commit("git log; commit"), None);
        assert_eq!(commit("echo 'git commit'"), None);
    }

    #[test]
    fn words_keep_their_quotes() {
        let args = |line| parts(line, "psql", "").map(|(_, words, _)| words);
        assert_eq!(args(r#"psql "a | b" c\ d"#).as_deref(), Some(r#"psql|/|"a | b"|c\ d"#));
        assert_eq!(args("psql $(cat 'x)' (y) z) `a b`").as_deref(), Some("psql|/|$(cat 'x)' (y) z)|`a b`"));
        assert_eq!(args("psql 'a").as_deref(), Some("psql|/|'a"));
        assert_eq!(args("psql 2>x").as_deref(), Some("psql|/"));
        assert_eq!(args("cargo +x; psql +y z").as_deref(), Some("psql +y|/|z"));
    }

    #[test]
    fn no_text_makes_it_fail() {
        let pieces = ["git", " ", "\\", "é", "'", "\"", "$(", ")", "`", "\n", "2>&1", "&", "&>", "|", "#", "=", "\0"];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let line = [first, second, third, "git", second].concat();
                    if let Some(call) = Call::find(&line, "git", "") {
                        assert!(line.starts_with(call.before) && line.ends_with(call.behind), "{line:?}");
                    }
                }
            }
        }
    }
}
