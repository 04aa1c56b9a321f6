//! What a program that no recogniser knows says of its own failure: its sentences, read as subject and predicate from small
//! closed classes of words ([`table`]). Every program words the same few errors in its own way, and nearly all of them
//! with the same few words.
//!
//! Only the program's own lines are read: those that begin with an error mark, the line above the usage, the first and the
//! last three; never a line of a log, a test or a quotation.

mod index;
mod kind_table;
mod kinds;
mod lines;
mod places;
mod table;
mod tokens;

use std::ops::Range;

use crate::model::{Category as C, FindingKind, Object, ObjectKind};
use crate::text::{cut, offset_in};

use super::met::ListedWord;
use super::spoken::{is_on_the_way, is_warning, says_itself};
use super::status;
use index::{Begun, Index};
use kinds::kind_of;
pub(super) use kinds::{finding_in, findings_in};
use lines::{Counted, Lines};
pub(super) use lines::{begins_as_error, case_behind};
pub(super) use places::names_place;
use places::{is_of_source, names_line, tells_place};
use table::{FLAG, NAME, PATH, ROWS, SETTING, SentenceRow};
use tokens::{Token, tokens};

/// What a sentence tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told<'t> {
    pub(super) category: C,
    /// The line that tells it.
    pub(super) line: &'t str,
    /// What the sentence is about, where it has a name.
    pub(super) object: Option<Object>,
    /// Why an identical retry may pass.
    pub(super) transient: Option<&'static str>,
}

/// What the text of a program that failed tells in plain words, where it does. `checks`: its name says that it checks
/// files, so that a list of places needs no count.
pub(super) fn told(text: &str, checks: bool) -> Option<Told<'_>> {
    told_among(text, checks, &|_| false)
}

/// The same, where it is known what ran: a line is spoken, wherever it stands, that begins with the name of such a program.
pub(super) fn told_among<'t>(text: &'t str, checks: bool, ran: &dyn Fn(&str) -> bool) -> Option<Told<'t>> {
    let lines = Lines::of(text);
    // What stands in a usage text describes, and complains of nothing.
    let own: Vec<&str> =
        if lines.begin_with_usage() { lines.complaints(ran).collect() } else { lines.spoken(ran).collect() };
    let checked = lines.says_it_checks(&own);
    let checks = checks || checked.is_some();
    let result = lines.counted(checks);
    match result {
        Some(Counted::Tests(line)) => {
            let is_of_checker = checks && line.to_ascii_lowercase().contains("checks");
            return Some(plain(if is_of_checker { C::LintError } else { C::TestFailure }, line));
        }
        Some(Counted::Findings(line)) if checks => return Some(plain(C::LintError, line)),
        _ => {}
    }
    let of_line = |line| match sentence(line) {
        // Of a checker it is a finding.
        Some(told) if checks && told.category != C::ConfigOrState && names_line(line) => {
            Some(plain(C::LintError, line))
        }
        Some(told) if checked.is_some() && told.category == C::BadArguments && !is_about_the_call(line) => {
            Some(plain(C::LintError, line))
        }
        // An argument that stands in a line of a file is none.
        Some(told) if told.category == C::BadArguments && names_line(line) => Some(plain(C::CompileError, line)),
        _ if is_of_source(line, text) => Some(plain(C::CompileError, line)),
        told => told,
    };
    // What a checker quotes of a file is no word of its own.
    let told = if checks { lines.complaints(ran).find_map(of_line) } else { own.iter().copied().find_map(of_line) };
    let of_file = if checks { C::LintError } else { C::CompileError };
    let at_line = || own.iter().find(|line| names_line(line) && is_bad(line)).map(|line| plain(of_file, line));
    let listed = || match result {
        Some(Counted::Findings(line)) => Some(plain(C::LintError, line)),
        _ => None,
    };
    let asks = || lines.shows_usage().or_else(|| lines.prompt()).map(|line| plain(C::BadArguments, line));
    let at_place = || own.iter().find(|line| tells_place(line, text)).map(|line| plain(of_file, line));
    let is_checked = || checked.map(|line| plain(C::LintError, line));
    let warned = || only_warning(text).and_then(sentence);
    told.or_else(at_line).or_else(listed).or_else(asks).or_else(at_place).or_else(is_checked).or_else(warned)
}

/// What a text warns of that says nothing else: `strip: Warning: 'tides' is a directory`.
fn only_warning(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().filter(|line| is_warning(line))?;
    first.split_once("arning: ").map(|(_, warning)| warning).filter(|_| lines.all(is_warning))
}

/// The line that best stands for a text of which nothing is known: the first with an error mark, else the first with a place
/// of a file, else the last that is no hint, else the last.
pub(super) fn telling_line<'t>(text: &'t str, counts: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let lines = Lines::of(text);
    if let Some(marked) = lines.marked().find(|line| counts(line)) {
        return Some(marked);
    }
    let from_end: Vec<&str> = lines.own_from_end().filter(|line| counts(line)).collect();
    let placed = from_end.iter().rev().find(|line| names_place(line));
    placed.or(from_end.first()).copied().or_else(|| lines.last_word())
}

/// Whether the text is an error with the usage below it.
pub(super) fn ends_in_usage_below(text: &str, error: &str) -> bool {
    Lines::of(text).above_usage().is_some_and(|above| error.contains(above) || above.contains(error))
}

/// Whether the text of a program that tests or checks closes with the count of what failed.
pub(super) fn counts_failures(text: &str, runs: Runs) -> bool {
    match Lines::of(text).counted(runs.checks) {
        Some(Counted::Tests(_)) => runs.tests || runs.checks,
        Some(Counted::Findings(_)) => runs.checks,
        None => false,
    }
}

/// The line by which a program that tests or checks marks a case as failed.
pub(super) fn failed_case(text: &str, runs: Runs) -> Option<&str> {
    if runs.tests || runs.checks { Lines::of(text).marked_case() } else { None }
}

/// Whether the text closes with the count of what failed or was found.
pub(super) fn closes_with_count(text: &str) -> bool {
    Lines::of(text).closes_with_count()
}

/// What a program does by its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Runs {
    /// It runs tests.
    pub(super) tests: bool,
    /// It checks files.
    pub(super) checks: bool,
    /// It ends by itself: no task that may serve.
    pub(super) ends: bool,
}

/// What lies outside the code, and may be told of a program that ended with an error of its own.
pub(super) const OUTSIDE: &[C] = &[
    C::PathNotFound,
    C::PermissionDenied,
    C::DependencyMissing,
    C::ConfigOrState,
    C::AuthRequired,
    C::Network,
    C::ServiceError,
    C::RateLimit,
    C::ResourceBusy,
    C::ResourceExhausted,
    C::Timeout,
    C::CommandNotFound,
];

/// What an exception's own message tells, which counts before its type: `Error: the theme folder does not exist`. A fault
/// of the code (`TypeError`) is one whatever it says.
pub(super) fn told_by_exception(line: &str) -> Option<Told<'_>> {
    const OF_CODE: &[&str] = &[
        "Type",
        "Attribute",
        "Key",
        "Index",
        "Name",
        "Reference",
        "Assertion",
        "ZeroDivision",
        "Recursion",
        "Range",
        "NullReference",
        "NullPointer",
        "IndexOutOfBounds",
        "ClassCast",
        "InvalidCast",
        "IllegalState",
        "Import",
        "Arithmetic",
        "Syntax",
    ];
    let (name, message) = line.split_once(": ")?;
    let name = name.rsplit(['.', ' ', ':']).next().unwrap_or(name);
    let is_exception = ["Error", "Exception", "Failure", "Fault"].iter().any(|ending| name.ends_with(ending));
    let of_code =
        OF_CODE.iter().any(|kind| name.strip_prefix(kind).is_some_and(|rest| matches!(rest, "Error" | "Exception")));
    if !is_exception || of_code {
        return None;
    }
    let is_remote = |told: &Told<'_>| told.category == C::RemoteNotFound && message.contains("://");
    sentence(message).filter(|told| OUTSIDE.contains(&told.category) || is_remote(told))
}

/// Whether a line that names a place complains about it.
fn is_bad(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "bad",
        "error",
        "invalid",
        "failed",
        "missing",
        "unexpected",
        "duplicate",
        "mismatch",
        "undefined",
        "undeclared",
        "illegal",
        "unknown",
        "not",
    ];
    tokens(line).iter().any(|token| WORDS.contains(&token.word.as_str()))
}

fn plain(category: C, line: &str) -> Told<'_> {
    Told { category, line, object: None, transient: None }
}

/// Whether the words are about what was asked for on the command line, not about what a program holds.
pub(super) fn is_about_the_call(line: &str) -> bool {
    let asked = ["option", "argument", "arg", "command", "flag", "subcommand", "usage", "parameter"];
    tokens(line).iter().any(|token| token.is_flag || asked.iter().any(|word| token.word.trim_end_matches('s') == *word))
}

/// Whether it lies outside the program and its input: where a sentence in another tells it, that is the cause.
fn is_inner(category: C) -> bool {
    let is_given = matches!(category, C::PathNotFound | C::DependencyMissing | C::ConfigOrState | C::CommandNotFound);
    OUTSIDE.contains(&category) && !is_given
}

/// What one line says: of several sentences in it, each the reason of the one before, what the innermost tells of the world
/// outside. `failed to read a.toml: sandbox helper failed: Permission denied`
fn sentence(line: &str) -> Option<Told<'_>> {
    let outer = whole_sentence(line);
    let is_settled = outer.as_ref().is_some_and(|outer| is_inner(outer.category)) && by_status(line).is_none();
    if is_settled { outer } else { innermost_reason(line).or(outer) }
}

/// The reason that the innermost of several sentences gives, where it lies outside the program.
pub(super) fn innermost_reason(line: &str) -> Option<Told<'_>> {
    let inner = line.rmatch_indices(": ").take(INNER_SENTENCES);
    let inner = inner.filter_map(|(at, sign)| Some((at, line.get(at + sign.len()..)?)));
    // What is quoted alone is a value; a mark alone is no sentence in which another may stand.
    let told = inner
        .filter(|(at, inner)| {
            !inner.starts_with(['\'', '"', '`']) && line.get(..*at).is_some_and(|outer| outer.contains(' '))
        })
        .filter_map(|(at, inner)| Some((at, whole_sentence(inner)?)));
    let (at, told) = told.into_iter().next().filter(|(_, told)| is_inner(told.category))?;
    let lower = line.to_ascii_lowercase();
    let is_said = !is_on_the_way(told.category) || says_itself(lower.get(..at)?, &lower);
    is_said.then_some(Told { line, ..told })
}

/// How many sentences of a line are looked at from its end.
const INNER_SENTENCES: usize = 4;

/// The last of the reasons that are listed below an error: `Caused by:` and its lines.
pub(super) fn listed_reason(text: &str) -> Option<Told<'_>> {
    let (_, below) = text.rsplit_once("\nCaused by:").or_else(|| text.rsplit_once("\n  Caused by: "))?;
    let of_list = |line: &&str| line.trim().is_empty() || line.starts_with(' ');
    let last = below.lines().take_while(of_list).map(str::trim).filter(|line| !line.is_empty()).last()?;
    sentence(last).filter(|told| is_inner(told.category))
}

/// What a line says that is one sentence.
fn whole_sentence(line: &str) -> Option<Told<'_>> {
    let words = tokens(line);
    if let Some((category, transient)) = by_status(line) {
        // A server of this machine that fails is the project's own; one that asks to wait means it.
        let waits = |hint: &&str| !is_local(line) || matches!(*hint, "http_429" | "http_503");
        return Some(Told { category, line, object: None, transient: transient.filter(waits) });
    }
    let Some(row) = sentence_row(&words).filter(|row| !is_on_the_way(row.category) || row.is_said(line, &words)) else {
        let kind = kind_of(line, &words).filter(|kind| *kind != FindingKind::MissingModule)?;
        let category = kind.category()?;
        return Some(Told { category, line, object: object_of(category, &words), transient: None });
    };
    // A task that is not there is no object of another machine.
    let is_task = || kind_of(line, &words) == Some(FindingKind::UnknownScript);
    if row.category == C::RemoteNotFound && is_task() {
        let object = object_of(C::BadArguments, &words);
        return Some(Told { category: C::BadArguments, line, object, transient: None });
    }
    let object = object_of(row.category, &words);
    let transient = row.transient.filter(|_| row.category == C::RateLimit || !is_local(line));
    Some(Told { category: row.category, line, object, transient })
}

/// The status of an HTTP answer, in whatever words.
fn by_status(line: &str) -> Option<(C, Option<&'static str>)> {
    const MEANINGS: &[(&str, C, Option<&str>)] = &[
        ("401", C::AuthRequired, None),
        ("403", C::AuthRequired, None),
        ("404", C::RemoteNotFound, None),
        ("408", C::Timeout, Some("http_408")),
        ("410", C::RemoteNotFound, None),
        ("425", C::ServiceError, Some("http_425")),
        ("429", C::RateLimit, Some("http_429")),
        ("501", C::ServiceError, None),
        ("503", C::ServiceError, Some("http_503")),
        ("5", C::ServiceError, Some("http_5xx")),
    ];
    let digit = |(at, c): (usize, char)| matches!(c, '4' | '5').then_some(at);
    line.char_indices().filter_map(digit).find_map(|at| {
        let is_it = |meaning: &&(&str, C, Option<&'static str>)| status::end(line, at, meaning.0.as_bytes()).is_some();
        MEANINGS.iter().find(is_it).map(|(_, category, hint)| (*category, *hint))
    })
}

/// Whether the other side is this machine: what runs here does not come back by waiting.
fn is_local(line: &str) -> bool {
    ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"].iter().any(|host| line.contains(host))
}

/// How many words may stand between what a sentence is about and what it says.
const NEAR: usize = 6;
/// The same where only the next words can be meant.
const TIGHT: usize = 2;
/// How many words the side counts for on which it seldom stands.
const OTHER_SIDE: usize = 2;
/// How many words a name counts for.
const NAMED: usize = 1;

const SAYS: [&[&str]; ROWS.len()] = index::says_of!(ROWS);

static INDEX: Index<{ index::count(&SAYS) }> = Index::of(&SAYS);

/// The first row that holds; of those that compete the one whose word stands nearest.
fn sentence_row(words: &[Token<'_>]) -> Option<&'static SentenceRow> {
    let begun = INDEX.begun_by(words);
    let mut holding = begun.chunk_by(|one, next| one.row == next.row).filter_map(|begun| {
        let row = ROWS.get(usize::from(begun.first()?.row))?;
        Some((row.distance(words, begun)?, row))
    });
    let first = holding.next()?;
    if !first.1.nearest {
        return Some(first.1);
    }
    std::iter::once(first)
        .chain(holding.filter(|(_, row)| row.nearest))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, row)| row)
}

/// The words of a list that words of a line are.
fn met_words(
    list: &'static [&'static str],
    words: &[Token<'_>],
    is_it: fn(&Token<'_>, &str) -> bool,
) -> impl Iterator<Item = ListedWord> {
    list.iter().filter(move |word| words.iter().any(|token| is_it(token, word))).map(move |word| (list, *word))
}

/// The phrases and words of both tables that hold of a line, those of the sentences first.
pub(super) fn met_in(line: &str) -> [Vec<ListedWord>; 2] {
    let words = tokens(line);
    let mut met = Vec::new();
    for begun in INDEX.begun_by(&words) {
        let Some(row) = ROWS.get(usize::from(begun.row)) else { continue };
        if row.distance(&words, &[begun]).is_some() {
            met.extend(row.says.get(usize::from(begun.said)).map(|phrase| (row.says, *phrase)));
            met.extend(met_words(row.about, &words, is_meant));
        }
    }
    [met, kinds::met_in(line)]
}

/// All phrases and words of both tables, those of the sentences first.
pub(super) fn listed() -> [Vec<ListedWord>; 2] {
    let lists = ROWS.iter().flat_map(|row| [row.says, row.about]);
    [lists.flat_map(|list| list.iter().map(move |word| (list, *word))).collect(), kinds::listed().collect()]
}

impl SentenceRow {
    /// Whether it is the line itself that says it, not a log, an assertion or a value in it.
    fn is_said(&self, line: &str, words: &[Token<'_>]) -> bool {
        let begins = |at: &usize| self.says.iter().any(|phrase| phrase_end(words, *at, phrase).is_some());
        let place = (0..words.len())
            .find(begins)
            .and_then(|at| words.get(at))
            .and_then(|token| offset_in(token.written, line))
            .unwrap_or_default();
        let lower = line.to_ascii_lowercase();
        says_itself(lower.get(..place).unwrap_or(&lower), &lower)
    }

    /// How far what the sentence is about stands from what it says, in words; None where the row does not hold. `begun`:
    /// its phrases of which the first word is there.
    fn distance(&self, words: &[Token<'_>], begun: &[Begun]) -> Option<usize> {
        let said = begun.iter().filter_map(|begun| {
            let phrase = *self.says.get(usize::from(begun.said))?;
            Some((phrase, begun.at, phrase_end(words, begun.at, phrase)?))
        });
        let near = |(phrase, at, end): (&str, usize, usize)| match self.about {
            [] => Some(0),
            _ => self.nearest_word(words, at..end, &Side::of(phrase)),
        };
        said.filter_map(near).min()
    }

    /// How far the nearest of the words that it is about stands from the phrase, in the same sentence.
    fn nearest_word(&self, words: &[Token<'_>], phrase: Range<usize>, side: &Side) -> Option<usize> {
        let inside = words.get(phrase.start + 1..phrase.end.saturating_sub(1)).unwrap_or_default();
        let before = words.iter().take(phrase.start).rev().take_while(|token| !token.ends).take(side.before);
        let last = words.get(phrase.end.saturating_sub(1));
        let goes_on = last.is_some_and(|token| !token.ends);
        let after = words.get(phrase.end..).unwrap_or_default();
        let length = after.iter().position(|token| token.ends).map_or(after.len(), |end| end + 1);
        let after = after.iter().take(if goes_on { length.min(side.after) } else { 0 });
        let named = last.is_some_and(|token| token.names_next);
        let of = |(distance, token): (usize, &Token<'_>)| {
            let meant = self.about.iter().find(|word| is_meant(token, word))?;
            // A word says more than the name beside it.
            Some(distance + if matches!(*meant, PATH | NAME) { NAMED } else { 0 })
        };
        if inside.iter().any(|token| self.about.iter().any(|word| is_meant(token, word))) {
            return Some(0);
        }
        let before = before.enumerate().filter_map(of).min().map(|distance| distance + side.lead);
        // A name behind `does not exist` is what it is about only where a colon says so: `not found in src/` has another.
        let may_name = |token: &Token<'_>| side.trail == 0 || named || !token.is_path && !token.is_quoted;
        let after = after.enumerate().filter(|(_, token)| may_name(token)).filter_map(of).min();
        before.into_iter().chain(after.map(|distance| distance + side.trail)).min()
    }
}

/// On which side of a phrase stands what it is about, and how far away it may.
struct Side {
    before: usize,
    after: usize,
    /// What a word before the phrase counts more, and one after it.
    lead: usize,
    trail: usize,
}

impl Side {
    /// `no such file`, `can not find the file`, but `the file does not exist`.
    fn of(phrase: &str) -> Self {
        const LEADING: &[&str] = &[
            "find",
            "locate",
            "open",
            "read",
            "load",
            "parse",
            "resolve",
            "stat",
            "access",
            "opening",
            "reading",
            "loading",
            "unknown",
            "unrecognized",
            "unrecognised",
            "invalid",
            "illegal",
            "unsupported",
            "unexpected",
            "ambiguous",
            "bad",
            "duplicate",
            "conflicting",
            "incorrect",
            "wrong",
            "many",
            "few",
            "enough",
        ];
        let last = phrase.rsplit(' ').next().unwrap_or(phrase);
        match phrase {
            "no such" => Self { before: 0, after: TIGHT, lead: 0, trail: 0 },
            "missing" => Self { before: TIGHT, after: TIGHT, lead: 0, trail: 0 },
            _ if LEADING.contains(&last) => Self { before: NEAR, after: NEAR, lead: OTHER_SIDE, trail: 0 },
            _ => Self { before: NEAR, after: NEAR, lead: 0, trail: OTHER_SIDE },
        }
    }
}

fn is_meant(token: &Token<'_>, word: &str) -> bool {
    match word {
        PATH => token.is_path,
        FLAG => token.is_flag,
        NAME => token.is_quoted,
        SETTING => token.is_setting,
        _ => !token.is_path && (token.word == *word || token.word.strip_suffix('s') == Some(word)),
    }
}

/// Where the phrase ends that begins at a word, if it does. `#` is a number, `*` one to three words.
fn phrase_end(words: &[Token<'_>], at: usize, phrase: &str) -> Option<usize> {
    // Nearly all end here: few words of a line begin a phrase.
    let first = words.get(at)?;
    if first.word.as_bytes().first() != phrase.as_bytes().first() || !phrase.starts_with(&first.word) {
        return None;
    }
    let mut end = at;
    let mut parts = phrase.split(' ');
    while let Some(part) = parts.next() {
        if part == "*" {
            let next = parts.next()?;
            let is_next = |place: &usize| words.get(*place).is_some_and(|token| is_part(token, next));
            end = (end + 1..=end + GAP).find(is_next)?;
        } else if !is_part(words.get(end)?, part) {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// The most words that a gap in a phrase holds.
const GAP: usize = 3;

fn is_part(token: &Token<'_>, part: &str) -> bool {
    match part {
        "#" => token.word.starts_with(|c: char| c.is_ascii_digit()),
        _ => !token.is_path && token.word == part,
    }
}

/// What the sentence is about by name: the path, the module, the option.
fn object_of(category: C, words: &[Token<'_>]) -> Option<Object> {
    let path = || words.iter().find(|token| token.is_path);
    let quoted = || words.iter().find(|token| token.is_quoted);
    let flag = || words.iter().find(|token| token.is_flag);
    let (kind, token) = match category {
        C::PathNotFound => (ObjectKind::File, path().or_else(quoted)?),
        C::PermissionDenied => (ObjectKind::File, path()?),
        C::DependencyMissing => (ObjectKind::Module, quoted().or_else(|| word_behind_module(words))?),
        C::CommandNotFound => (ObjectKind::Program, quoted()?),
        C::BadArguments => (ObjectKind::Flag, flag().or_else(quoted)?),
        _ => return None,
    };
    Some(Object { kind, name: cut(token.written, 200) })
}

/// The word that follows `module` or `package`.
fn word_behind_module<'w, 'l>(words: &'w [Token<'l>]) -> Option<&'w Token<'l>> {
    let is_kind = |token: &Token<'_>| {
        matches!(token.word.as_str(), "module" | "package" | "library" | "plugin" | "gem" | "named")
    };
    let at = words.iter().rposition(is_kind)?;
    let plain = ["not", "is", "could", "can", "was", "found", "missing", "or", "and", "required", "named", "to", "for"];
    words.get(at + 1).filter(|token| !plain.contains(&token.word.as_str()))
}

#[cfg(test)]
mod tests;
