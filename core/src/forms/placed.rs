//! One call within the text of a command line: the places of its words.

use std::ops::Range;

use super::name_of;
use crate::shell::{PlacedWord, WordRole, placed_words};

/// A call in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlacedCall<'l> {
    line: &'l str,
    /// The program as it was written; with the toolchain in `cargo +nightly`.
    pub(super) program: Range<usize>,
    /// The words behind it up to the first redirection, with their quotes.
    pub(super) words: Vec<Range<usize>>,
    /// How many of them end with the subcommand.
    pub(super) head: usize,
}

/// So many places where the program is named are looked at: the time of a long line stays in proportion to its length.
const MOST: usize = 64;

impl<'l> PlacedCall<'l> {
    /// The first call of the program with the subcommand: where the program stands at the beginning of a command, else
    /// anywhere, as behind `sudo` or `timeout 60`.
    pub(super) fn find(line: &'l str, program: &str, subcommand: &str) -> Option<Self> {
        let words = placed_words(line)?;
        let is_at = |begins: bool| move |word: &&PlacedWord| begins == (word.role == WordRole::Program);
        let all = || words.iter().filter(|word| matches!(word.role, WordRole::Program | WordRole::Argument));
        let candidates = all().filter(is_at(true)).chain(all().filter(is_at(false)));
        let named = candidates.filter(|word| name_of(line.get(word.range.clone()).unwrap_or_default()) == program);
        named.take(MOST).find_map(|word| Self::at(line, word, &words, subcommand))
    }

    /// The call of this word, if it has the subcommand.
    fn at(line: &'l str, program: &PlacedWord, words: &[PlacedWord], subcommand: &str) -> Option<Self> {
        let mut end = program.range.end;
        let is_next = |word: &&PlacedWord| {
            let gap = line.get(end..word.range.start).unwrap_or("|");
            end = word.range.end;
            word.command == program.command && gap.chars().all(|c| c.is_whitespace() || c == '\\')
        };
        let behind = words.iter().skip_while(|word| word.range.start <= program.range.start);
        let mut ranges: Vec<Range<usize>> = behind.take_while(is_next).map(|word| word.range.clone()).collect();
        let text = |range: &Range<usize>| line.get(range.clone()).unwrap_or_default();
        let mut program = program.range.clone();
        if ranges.first().is_some_and(|range| text(range).starts_with('+')) {
            program.end = ranges.remove(0).end;
        }
        let mut head = 0;
        for own in subcommand.split_ascii_whitespace() {
            head += 1 + ranges.iter().skip(head).position(|range| text(range) == own)?;
        }
        Some(Self { line, program, words: ranges, head })
    }

    /// What stands at a place of the line.
    pub(super) fn text(&self, range: &Range<usize>) -> &'l str {
        self.line.get(range.clone()).unwrap_or_default()
    }

    /// The words behind the program.
    pub(super) fn texts(&self) -> Vec<&'l str> {
        self.words.iter().map(|range| self.text(range)).collect()
    }

    /// The place of these words, one behind the other.
    pub(super) fn range_of(&self, words: &str) -> Option<Range<usize>> {
        let wanted: Vec<&str> = words.split(' ').collect();
        let is_it = |found: &&[Range<usize>]| found.iter().zip(&wanted).all(|(range, word)| self.text(range) == *word);
        let found = self.words.windows(wanted.len()).find(is_it)?;
        Some(found.first()?.start..found.last()?.end)
    }

    /// Where the subcommand ends, or the program where the call has none.
    pub(super) fn head_end(&self) -> usize {
        self.words.iter().take(self.head).next_back().unwrap_or(&self.program).end
    }

    /// Where its last word ends.
    pub(super) fn end(&self) -> usize {
        self.words.last().unwrap_or(&self.program).end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of the call that is found: before, program, head, args, behind.
    fn parts<'l>(line: &'l str, program: &str, subcommand: &str) -> Option<(&'l str, String, &'l str)> {
        let call = PlacedCall::find(line, program, subcommand)?;
        let (head, args) = call.words.split_at(call.head);
        let text = |range: &Range<usize>| call.text(range);
        let words = std::iter::once(text(&call.program)).chain(head.iter().map(text));
        let words: Vec<&str> = words.chain(["/"]).chain(args.iter().map(text)).collect();
        Some((&line[..call.program.start], words.join("|"), &line[call.end()..]))
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
        assert_eq!(args("psql 'a"), None, "the line is not whole");
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
                    if let Some(call) = PlacedCall::find(&line, "git", "") {
                        assert_eq!(name_of(call.text(&call.program)), "git", "{line:?}");
                    }
                }
            }
        }
    }
}
