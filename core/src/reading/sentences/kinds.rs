//! Which kinds of finding a line tells, by what it is about and what it says of it. Programs word the same few things in
//! their own ways, and nearly all of them with the same few words.

use crate::model::{Finding, FindingKind};
use crate::text::{file_name, offset_in};

use super::index::{Begun, Index};
use super::kind_table::{KindRow, ROWS, WANTED};
use super::table::FLAG;
use super::tokens::{Token, tokens};
use super::{ListedWord, met_words};
use super::{by_status, is_meant, phrase_end, sentence_row, word_behind_module};

use FindingKind as K;

/// How many words may stand between the two.
const NEAR: usize = 6;

const SAYS: [&[&str]; ROWS.len()] = super::index::says_of!(ROWS);

static INDEX: Index<{ super::index::count(&SAYS) }> = Index::of(&SAYS);

/// The longest name of anything.
const LONGEST_NAME: usize = 200;

/// What a line tells, where it tells a thing of a kind.
pub(in super::super) fn finding_in(line: &str) -> Option<Finding<'_>> {
    let line = sentence_of(line);
    if let Some(finding) = by_signs(line) {
        return Some(finding);
    }
    let words = tokens(line);
    Some(holding_rows(line, &words, &INDEX.begun_by(&words)).next()?.finding(line, &words))
}

/// The kind of what a line of these words tells.
pub(super) fn kind_of(line: &str, words: &[Token<'_>]) -> Option<FindingKind> {
    let line = sentence_of(line);
    by_signs(line)
        .map(|finding| finding.kind)
        .or_else(|| holding_rows(line, words, &INDEX.begun_by(words)).next().map(|row| row.kind))
}

/// All that a line tells, each kind once: what the rows say, and what a status, a category or the letters say.
pub(in super::super) fn findings_in(line: &str) -> Vec<Finding<'_>> {
    let line = sentence_of(line);
    let words = tokens(line);
    let begun = INDEX.begun_by(&words);
    let told = holding_rows(line, &words, &begun).map(|row| row.finding(line, &words));
    let mut found: Vec<Finding<'_>> = by_signs(line).into_iter().chain(told).collect();
    let holds = |kind| found.iter().any(|finding| finding.kind == kind);
    let is_bare = matches!(&*words, [only] if matches!(only.written, "401" | "403"));
    let of_status = || by_status(line).and_then(|(category, _)| K::of_status(category));
    let by_number = || if is_bare { Some(K::AccessRefused) } else { of_status() };
    let by_words = || sentence_row(&words).and_then(|row| K::of_category(row.category));
    // Nobody who refuses a connection, and no host without an address, is reached.
    let by_absence = (holds(K::ConnectionRefused) || holds(K::UnresolvedHost)).then_some(K::Unreachable);
    // Who only waited too long may have reached the other side.
    let by_category = by_absence.or_else(by_number).or_else(by_words).filter(|_| !holds(K::TimedOut));
    let by_letters = is_in_other_letters(line, &words).then_some(K::OtherLanguage);
    found.extend(by_category.into_iter().chain(by_letters).map(|kind| Finding { kind, line, name: None, meant: None }));
    found.sort_by_key(|finding| finding.kind);
    found.dedup_by_key(|finding| finding.kind);
    found
}

/// A line that is longer than a sentence holds data.
fn sentence_of(line: &str) -> &str {
    const LONGEST: usize = 400;
    line.get(..LONGEST).unwrap_or(line)
}

/// Whether a program says its error in letters that English has not: names in quotes and paths may hold any.
fn is_in_other_letters(line: &str, words: &[Token<'_>]) -> bool {
    let has_other = |token: &Token<'_>| {
        !token.is_path && !token.is_quoted && token.written.chars().any(|c| c.is_alphabetic() && !c.is_ascii())
    };
    !line.is_ascii() && words.first().is_some_and(|first| first.names_next) && words.iter().skip(1).any(has_other)
}

/// The rows that hold of a line, in the table's order. `begun` are the phrases of which a word of it is the first.
fn holding_rows<'r>(
    line: &'r str,
    words: &'r [Token<'_>],
    begun: &'r [Begun],
) -> impl Iterator<Item = &'static KindRow> + use<'r> {
    begun.chunk_by(|one, next| one.row == next.row).filter_map(move |begun| {
        let row = ROWS.get(usize::from(begun.first()?.row))?;
        (row.is_signed(line) && row.holds(words, begun) && !row.is_other(words)).then_some(row)
    })
}

/// A part of a name of the code is no word of a sentence: `EditorTheme`, `test_prompt`.
fn is_about_word(token: &Token<'_>, word: &str) -> bool {
    let is_whole = token.is_flag || token.written.len() <= token.word.len() + 1;
    is_whole && (is_meant(token, word) || file_name(&token.word) == word)
}

fn is_wanting(token: &Token<'_>) -> bool {
    WANTED.contains(&&*token.word)
}

fn is_other_word(token: &Token<'_>, word: &str) -> bool {
    token.word == *word || token.is_flag && word == FLAG
}

/// The phrases and words of the table that hold of a line, each with its list.
pub(super) fn met_in(line: &str) -> Vec<ListedWord> {
    let line = sentence_of(line);
    let words = tokens(line);
    let mut met = Vec::new();
    for begun in INDEX.begun_by(&words) {
        let Some(row) = ROWS.get(usize::from(begun.row)).filter(|row| row.is_signed(line)) else { continue };
        if row.holds(&words, &[begun]) {
            met.extend(row.says.get(usize::from(begun.said)).map(|phrase| (row.says, *phrase)));
            met.extend(met_words(row.about, &words, is_about_word));
            met.extend(met_words(row.unless, &words, is_other_word));
        }
    }
    met
}

/// All phrases and words of the table, each with its list.
pub(super) fn listed() -> impl Iterator<Item = ListedWord> {
    let lists = ROWS.iter().flat_map(|row| [row.says, row.about, row.unless]);
    lists.flat_map(|list| list.iter().map(move |word| (list, *word)))
}

/// What a line tells by signs that are no part of a word.
fn by_signs(line: &str) -> Option<Finding<'_>> {
    let finding = |kind, name| Some(Finding { kind, line, name, meant: None });
    if line.ends_with("= not found") {
        return finding(K::EqualsWord, None);
    }
    if line.contains("\\!=") {
        return finding(K::EscapedBang, None);
    }
    // dash names itself and mostly the number of the line: `sh: 1: black: not found`.
    let (before, name) = line.strip_suffix(": not found")?.rsplit_once(": ")?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_shell = before.ends_with("sh") || before.rsplit(": ").next().is_some_and(is_number);
    let name = Some(name).filter(|name| !name.is_empty());
    if is_shell && !name.unwrap_or_default().contains(' ') { finding(K::MissingProgram, name) } else { None }
}

impl KindRow {
    fn finding<'t>(&self, line: &'t str, words: &[Token<'t>]) -> Finding<'t> {
        let short = |name: &&str| name.len() <= LONGEST_NAME;
        let (name, meant) = (self.name(line, words).filter(short), self.meant(words).filter(short));
        Finding { kind: self.kind, line, name, meant }
    }

    fn is_signed(&self, line: &str) -> bool {
        self.holding.is_empty() || self.holding.iter().any(|sign| line.contains(sign))
    }

    fn holds(&self, words: &[Token<'_>], begun: &[Begun]) -> bool {
        let is_about = |token: &Token<'_>| self.about.iter().any(|word| is_about_word(token, word));
        let said = begun.iter().filter_map(|begun| {
            let phrase = self.says.get(usize::from(begun.said))?;
            Some((begun.at, phrase_end(words, begun.at, phrase)?))
        });
        let near = |(at, end): (usize, usize)| {
            let from = at.saturating_sub(NEAR);
            let around = words.get(from..(end + NEAR).min(words.len())).unwrap_or_default();
            // An option behind such a word is not the one that is refused.
            let is_wanted = |at: usize| {
                self.kind == K::UnknownOption
                    && at.checked_sub(1).and_then(|before| around.get(before)).is_some_and(is_wanting)
            };
            self.about.is_empty()
                || around.iter().enumerate().any(|(at, token)| is_about(token) && !(token.is_flag && is_wanted(at)))
        };
        { said }.any(near)
    }

    /// Whether one of these words makes it be about something else.
    fn is_other(&self, words: &[Token<'_>]) -> bool {
        words.iter().any(|token| self.unless.iter().any(|word| is_other_word(token, word)))
    }

    /// What the sentence names, as it was printed: what stands in quotes, else behind the colon, else behind or before what
    /// is said of it.
    fn name<'t>(&self, line: &'t str, words: &[Token<'t>]) -> Option<&'t str> {
        let quoted = || words.iter().find(|token| token.is_quoted);
        let flag = || words.iter().find(|token| token.is_flag);
        let number = |token: &&Token<'_>| token.written.starts_with(|c: char| c.is_ascii_digit());
        let behind = |word: &str| words.iter().skip_while(|token| token.word != word).nth(1);
        let letter = || words.iter().find(|token| token.is_quoted && token.written.len() == 1);
        let token = match self.kind {
            K::ConnectionRefused => return address(line, words),
            K::NoMatch => return self.rest(line, words),
            K::Conflict if self.about.is_empty() => return self.rest(line, words),
            K::RefusedWord | K::NotThere => self.object(words),
            K::UnknownOption => letter().or_else(flag).or_else(quoted).or_else(|| self.placed(words)),
            K::SurplusArgument => flag().or_else(quoted).or_else(|| self.placed(words)),
            K::InvalidValue if self.about.is_empty() => quoted(),
            K::UnknownSubcommand
            | K::UnknownScript
            | K::UnknownRef
            | K::UnknownRemoteRef
            | K::UnknownPathspec
            | K::UnknownRemote
            | K::UnknownTool
            | K::UnresolvedHost
            | K::InvalidValue => self.told_last(words).or_else(quoted).or_else(|| self.placed(words)),
            K::MissingProgram => quoted()
                .or_else(|| behind("spawn").filter(|next| next.word != "sync").or_else(|| behind("sync")))
                .or_else(|| {
                    self.placed(words).filter(|token| !token.written.bytes().all(|byte| byte.is_ascii_digit()))
                }),
            K::MissingModule => quoted().or_else(|| word_behind_module(words)),
            K::UnusedImport => quoted(),
            K::UndefinedName => quoted().or_else(|| self.placed(words)),
            K::MissingOption | K::WrongType | K::IsDirectory => quoted().or_else(|| self.placed(words)),
            K::BranchExists | K::FolderExists | K::NotABranch | K::NotMerged | K::BadValue | K::UnknownField => {
                quoted()
            }
            K::RemoteAhead => {
                self.placed(words).filter(|_| words.first().is_some_and(|first| first.word == "rejected"))
            }
            K::TooLarge | K::ManyMatches => words.iter().find(number),
            K::BadSyntax => behind("line").filter(number),
            K::MissingFile => words.iter().find(|token| token.is_path).or_else(quoted),
            K::LockHeld => words.iter().find(|token| token.is_path),
            K::PortTaken => words.iter().rev().find(|token| token.written.bytes().any(|byte| byte.is_ascii_digit())),
            _ => None,
        };
        token.map(|token| token.written)
    }

    /// All that stands behind what is said.
    fn rest<'t>(&self, line: &'t str, words: &[Token<'t>]) -> Option<&'t str> {
        let said = |at| self.says.iter().find_map(|phrase| phrase_end(words, at, phrase));
        let last = words.get((0..words.len()).find_map(said)?.checked_sub(1)?)?;
        let rest = line.get(offset_in(last.written, line)? + last.written.len()..)?;
        Some(rest.trim_start_matches(':').trim()).filter(|rest| !rest.is_empty())
    }

    /// What it takes instead, as it was printed.
    fn meant<'t>(&self, words: &[Token<'t>]) -> Option<&'t str> {
        let is_number = |token: &&Token<'_>| token.written.starts_with(|c: char| c.is_ascii_digit());
        let token = match self.kind {
            K::WrongType if self.about.is_empty() => {
                words.iter().skip_while(|token| token.word != "be").skip(1).find(|token| token.word.len() > 2)
            }
            K::WrongType => words.iter().filter(|token| token.is_quoted).nth(1),
            K::TooLarge => words.iter().rfind(is_number),
            _ => None,
        };
        token.map(|token| token.written)
    }

    /// What the phrase is said of: what stands in quotes or behind a colon just after it, else the word just before or
    /// after it, whichever the phrase leaves open.
    fn object<'w, 't>(&self, words: &'w [Token<'t>]) -> Option<&'w Token<'t>> {
        let said = |at| Some((at, self.says.iter().find_map(|phrase| phrase_end(words, at, phrase))?));
        let (at, end) = (0..words.len()).find_map(said)?;
        let behind = words.get(end..(end + NEAR).min(words.len())).unwrap_or_default();
        let quoted = || behind.iter().find(|token| token.is_quoted);
        let named = || {
            let colon = behind.iter().position(|token| token.names_next)?;
            behind.get(colon + 1)
        };
        let before = || words.get(at.checked_sub(1)?).filter(|_| self.kind == K::NotThere);
        self.told_last(words).or_else(before).or_else(quoted).or_else(named).or_else(|| behind.first())
    }

    /// The word behind a colon that closes what is said: `package 'a' does not contain this feature: tides`.
    fn told_last<'w, 't>(&self, words: &'w [Token<'t>]) -> Option<&'w Token<'t>> {
        let said = |at| self.says.iter().find_map(|phrase| phrase_end(words, at, phrase));
        let end = (0..words.len()).find_map(said)?;
        words.get(end.checked_sub(1)?).filter(|last| last.names_next)?;
        words.get(end)
    }

    /// The word in the gap of what is said, else behind a colon, else next to what is said.
    fn placed<'w, 't>(&self, words: &'w [Token<'t>]) -> Option<&'w Token<'t>> {
        let said = |at| self.says.iter().find_map(|phrase| Some((at, phrase_end(words, at, phrase)?, *phrase)));
        let (at, end, phrase) = (0..words.len()).find_map(said)?;
        let is_about = |token: &Token<'_>| self.about.iter().any(|word| is_meant(token, word) || token.word == *word);
        let in_gap = || {
            let is_said = |token: &Token<'_>| phrase.split(' ').any(|part| part == token.word);
            words.get(at..end)?.iter().find(|token| !is_said(token)).filter(|_| phrase.contains('*'))
        };
        let names = |(place, token): &(usize, &Token<'_>)| token.names_next && (*place >= at || is_about(token));
        let behind_colon = || {
            let (place, _) = words.iter().enumerate().rfind(names)?;
            words.get(place + 1).filter(|_| !(at..end).contains(&(place + 1)))
        };
        let behind = || {
            let goes_on = words.get(end.checked_sub(1)?).is_some_and(|token| !token.ends);
            words.get(end..)?.iter().find(|token| !is_about(token)).filter(|_| goes_on)
        };
        let before = || words.get(..at)?.iter().rfind(|token| !is_about(token));
        in_gap().or_else(behind_colon).or_else(behind).or_else(before)
    }
}

/// The address in a line: `127.0.0.1:9`, else host and port with what stands between them: `localhost port 9`.
fn address<'t>(line: &'t str, words: &[Token<'t>]) -> Option<&'t str> {
    let is_port = |text: &str| (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let joined = |token: &&Token<'_>| token.written.rsplit_once(':').is_some_and(|(_, port)| is_port(port));
    let apart = || {
        let at = words.iter().position(|token| token.word == "port")?;
        let port = words.get(at + 1).filter(|token| is_port(token.written))?;
        let from = offset_in(words.get(at.saturating_sub(1))?.written, line)?;
        line.get(from..offset_in(port.written, line)? + port.written.len())
    };
    words.iter().find(joined).map(|token| token.written).or_else(apart)
}
