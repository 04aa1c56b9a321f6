//! A name in the line that its program does not know, and the only one like it of those that it can mean: what the program
//! itself lists, the keys and tables of the files that the line names, files and branches that are here, the options of the
//! program's help, the accounts of the machine.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::super::case::Case;
use super::super::look::FileKind;
use super::lines::{Mended, Own, is_written, raw};
use super::paths::{missing, named_alike};
use super::programs::is_slip;
use super::sources::what_builds;
use crate::model::{Category, FindingKind as K};
use crate::names::{apart, only_begun, only_close};
use crate::programs::base_name;
use crate::programs::words::{EVERYWHERE, SAME_BRANCH};
use crate::shell::{PlacedWord, WordRole};
use crate::text::{file_name, quoted};

/// The most names that a file is asked for.
const MOST_NAMES: usize = 5_000;
/// The most parts of a line that are looked at.
const MOST_PARTS: usize = 200;

/// A part of the line that may be a name: an identifier, or one with the signs of paths and options.
#[derive(Clone)]
struct NamePart<'c> {
    text: &'c str,
    range: Range<usize>,
    word: &'c PlacedWord,
}

/// Names that can be meant, with what they are.
struct Vocabulary {
    what: &'static str,
    names: Vec<String>,
    /// Whether only a slip of the hand is taken for one of them.
    is_strict: bool,
    kind: NameKind,
}

/// What the names of a vocabulary are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Plain,
    /// Only words of their own are taken for one of them.
    Words,
    /// Branches and tags, of which one may only go on: `v1.2.0` for `v1.2`.
    Refs,
    /// Paths, of which only the last name may be known: `pkg-1.2/README` for `README`.
    Paths,
}

impl Vocabulary {
    fn of(what: &'static str, names: Vec<String>) -> Self {
        Self { what, names, is_strict: false, kind: NameKind::Plain }
    }

    fn strict(what: &'static str, names: Vec<String>) -> Self {
        Self { is_strict: true, ..Self::of(what, names) }
    }
}

/// The line with the wrong name replaced by the one that is there.
pub(super) fn with_known_name(case: &Case<'_>) -> Option<Mended> {
    if !case.looks.is_looking() || case.finds(&[K::ConnectionRefused, K::AuthExpired, K::AuthMissing, K::AccessRefused])
    {
        return None;
    }
    let parts = wrong_parts(case);
    let of_data = || of_vocabularies(case, &parts, OF_THE_WORK);
    let is_path = missing(case).is_some_and(|missing| missing.word.is_some());
    let of_machine = || {
        let is_file = |part: &&NamePart<'_>| case.kind(&part.word.text).is_some();
        let parts: Vec<NamePart<'_>> = parts.iter().filter(|part| !is_file(part)).cloned().collect();
        of_vocabularies(case, &parts, &[machine_names]).filter(|_| !is_path)
    };
    of_data().or_else(|| path_here(case, &parts)).or_else(of_machine)
}

/// The first part of which one of these vocabularies knows the only name like it.
fn of_vocabularies(case: &Case<'_>, parts: &[NamePart<'_>], all: &[fn(&Case<'_>) -> Vocabulary]) -> Option<Mended> {
    all.iter().find_map(|vocabulary| {
        let vocabulary = vocabulary(case);
        let is_known = |text: &str| vocabulary.names.iter().any(|name| name == text);
        let is_file = |part: &NamePart<'_>| case.kind(&part.word.text).is_some();
        let may_be = |part: &&NamePart<'_>| {
            !is_known(part.text) && !is_file(part) && (vocabulary.kind != NameKind::Words || is_word(part))
        };
        let mut wrong = parts.iter().filter(may_be);
        let (part, near) = wrong.find_map(|part| Some((part, near_of(&vocabulary, part.text)?)))?;
        replaced(case, part, near, &vocabulary)
    })
}

/// Whether a part is a word of its own, or all behind a sign of equality.
fn is_word(part: &NamePart<'_>) -> bool {
    let text = &part.word.text;
    let bare = text.trim_matches(['"', '\'']);
    part.text.starts_with('-') || bare == part.text || bare.ends_with(&format!("={}", part.text))
}

/// The name of a vocabulary that a wrong one means.
fn near_of<'v>(vocabulary: &'v Vocabulary, wrong: &str) -> Option<&'v str> {
    let is_option = wrong.starts_with('-');
    let is_small = |name: &str| !name.contains(|c: char| c.is_ascii_uppercase());
    let has_small =
        is_small(wrong) && vocabulary.names.iter().any(|name| is_small(name) && apart(wrong, name).is_some());
    let names = || {
        vocabulary
            .names
            .iter()
            .map(String::as_str)
            .filter(move |name| name.starts_with('-') == is_option && (!has_small || is_small(name)))
    };
    let bare = wrong.trim_start_matches('-');
    if bare.len() < 3 || bare.bytes().all(|byte| !byte.is_ascii_alphabetic()) {
        return None;
    }
    // Another number is another version, and no slip of the hand.
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_meant = |near: &&str| digits(near) == digits(wrong) && (!vocabulary.is_strict || is_slip(wrong, near));
    let near = only_close(wrong, names()).filter(is_meant);
    // `--silen` for `--silent`, `--raw` for `--raw-output`.
    let begun = || {
        only_begun(wrong, names())
            .filter(|near| is_option || vocabulary.kind == NameKind::Refs && near.starts_with(wrong))
    };
    let placed = || {
        let mut same = names().filter(|name| vocabulary.kind == NameKind::Paths && file_name(name) == file_name(wrong));
        same.next().filter(|_| same.next().is_none())
    };
    near.or_else(begun).or_else(placed)
}

fn replaced(case: &Case<'_>, part: &NamePart<'_>, near: &str, vocabulary: &Vocabulary) -> Option<Mended> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@+%".contains(c);
    if !near.chars().all(is_plain) || near.starts_with('-') && !part.text.starts_with('-') {
        return None;
    }
    // Other names of the line that differ from one of these by their separators only are meant by them, too.
    let folded = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
    let is_known = |text: &str| vocabulary.names.iter().any(|name| name.eq_ignore_ascii_case(text));
    let mut edits = vec![(part.range.clone(), near.to_owned())];
    for other in parts_of(case).iter().filter(|other| other.text == part.text && other.range != part.range) {
        edits.push((other.range.clone(), near.to_owned()));
    }
    let may_differ =
        |other: &&NamePart<'_>| other.text.len() > 3 && !other.text.starts_with('-') && !is_known(other.text);
    for other in parts_of(case).iter().filter(may_differ) {
        let same = vocabulary.names.iter().find(|name| folded(name) == folded(other.text) && *name != near);
        let is_apart = edits.iter().all(|(range, _)| range.end <= other.range.start || other.range.end <= range.start);
        edits.extend(same.filter(|_| is_apart).map(|name| (other.range.clone(), name.clone())));
    }
    let line = case.edited_line(edits)?;
    let why = format!(
        "{} is unknown, and {} is the closest name: {}",
        quoted(part.text, 80),
        quoted(near, 80),
        vocabulary.what
    );
    Some(Mended { line, why, does: "Use the existing name" })
}

/// The parts of the line that what was printed names; options that are refused without a name come last.
fn wrong_parts<'c>(case: &'c Case<'_>) -> Vec<NamePart<'c>> {
    let is_silent = case.printed().is_blank();
    let complaints: Vec<&str> =
        case.failed.line_that_matters().into_iter().chain(case.findings().map(|finding| finding.line)).collect();
    let is_program = |part: &NamePart<'_>| {
        let subcommand = case.arguments_of(part.word).find(|word| !word.text.starts_with('-'));
        part.text == part.word.text
            && subcommand.is_some_and(|word| std::ptr::eq(word, part.word))
            && case.command().is_some_and(|command| {
                command.known.is_some_and(|known| known.subcommands.iter().any(|row| row.words == part.text))
            })
    };
    let is_named = |text: &str| {
        let bare = text.trim_start_matches('-');
        let bare = if bare.is_empty() { text } else { bare };
        complaints.iter().any(|line| stands_in(bare, line))
    };
    parts_of(case).into_iter().filter(|part| !is_silent && !is_program(part) && is_named(part.text)).collect()
}

/// Whether a name stands in a line as a whole.
fn stands_in(name: &str, line: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(name).any(|(at, name)| {
        !is_letter(line.get(..at).and_then(|before| before.chars().next_back()))
            && !is_letter(line.get(at + name.len()..).and_then(|after| after.chars().next()))
    })
}

/// Every part of the line that may be a name, the longest first.
fn parts_of<'c>(case: &'c Case<'_>) -> Vec<NamePart<'c>> {
    const SIGNS: &[&str] = &["_-./@+", "_-", "_"];
    let mut parts: Vec<NamePart<'c>> = Vec::new();
    for signs in SIGNS {
        // What is written to is made, whatever it is called, and an address has no letter that may be another.
        let is_asked = |word: &&PlacedWord| {
            let is_pattern = !word.is_literal && word.text.contains(['*', '?']);
            word.role != WordRole::Program && !is_written(case, word) && !word.text.contains("://") && !is_pattern
        };
        for word in case.words.iter().filter(is_asked) {
            let written = raw(case, word);
            let is_part = |c: char| c.is_alphanumeric() || signs.contains(c);
            let mut at = 0;
            for text in written.split(|c| !is_part(c)) {
                let start = crate::text::offset_in(text, written).unwrap_or(at);
                at = start + text.len();
                let range = word.range.start + start..word.range.start + at;
                let is_new = !parts.iter().any(|other| other.range == range);
                // What the shell puts in is not written here.
                let is_variable = written.get(..start).is_some_and(|before| before.ends_with(['$', '{']));
                if text.len() >= 3 && is_new && !is_variable && parts.len() < MOST_PARTS {
                    parts.push(NamePart { text, range, word });
                }
            }
        }
    }
    parts
}

/// Where names are looked up, the surest first. Each is asked only where those before it know none.
const OF_THE_WORK: &[fn(&Case<'_>) -> Vocabulary] =
    &[told_names, table_names, data_names, member_names, ref_names, module_names, line_names];
fn told_names(case: &Case<'_>) -> Vocabulary {
    let mut names: Vec<String> = case.printed().suggested_name().into_iter().collect();
    if names.is_empty() {
        names = case.printed().listed_names();
        if case.printed().shows_usage() {
            names.extend(case.printed().long_flags());
        }
    }
    // What repeats the call is no other name.
    names.retain(|name| !case.words.iter().any(|word| word.text == *name));
    Vocabulary::of("the program lists it", names)
}

/// The words of the line itself: a name is written twice, and once wrong.
fn line_names(case: &Case<'_>) -> Vocabulary {
    let is_code = |word: &&PlacedWord| word.role == WordRole::Argument && word.text.contains([' ', '(', ';']);
    let is_tied = case.commands().count() > 1;
    let parts = parts_of(case).into_iter();
    let names = parts.filter(|part| is_tied || is_code(&part.word)).map(|part| part.text.to_owned()).collect();
    Vocabulary::strict("the line itself has it", names)
}

/// The files that the line or what was printed names, as far as they lie in the project.
fn named_files(case: &Case<'_>) -> Vec<String> {
    let of_line = parts_of(case).into_iter().map(|part| part.text.to_owned());
    // `tests.test_sum.TestSum.test_two` of Python.
    let of_module = parts_of(case).into_iter().filter(|part| !part.text.contains('/')).flat_map(|part| {
        let ends = part.text.match_indices('.').map(|(at, _)| at).chain([part.text.len()]);
        ends.filter_map(|end| Some(format!("{}.py", part.text.get(..end)?.replace('.', "/")))).collect::<Vec<_>>()
    });
    let printed = case.printed().file_names().map(str::to_owned).chain(of_module);
    let mut seen = BTreeSet::new();
    let is_file = |path: &String| {
        path.contains('.') && !path.starts_with('-') && seen.insert(path.clone()) && case.looks.is_own(&case.at(path))
    };
    of_line.chain(printed).filter(is_file).filter(|path| case.kind(path).is_some()).take(8).collect()
}

/// The keys, tables, columns, sections and functions that the files of the line have.
fn data_names(case: &Case<'_>) -> Vocabulary {
    let mut names = Vec::new();
    for path in named_files(case) {
        if !matches!(case.kind(&path), Some(FileKind::Text | FileKind::Script(_) | FileKind::Other)) {
            continue;
        }
        let Some(text) = case.looks.beginning(&case.at(&path)) else { continue };
        let is_database = text.starts_with("SQLite format 3");
        names.extend(if is_database { schema_names(&text) } else { declared_names(&path, &text) });
    }
    names.sort();
    names.dedup();
    names.truncate(MOST_NAMES);
    Vocabulary::of("the file of the call has it", names)
}

/// The tables of the databases of the line, where one is missing, else their columns as well.
fn table_names(case: &Case<'_>) -> Vocabulary {
    let databases = named_files(case).into_iter().filter_map(|path| case.looks.beginning(&case.at(&path)));
    let texts = databases.filter(|text| text.starts_with("SQLite format 3"));
    let names = if case.printed().misses_table() {
        texts.flat_map(|text| created_tables(&text)).collect()
    } else {
        texts.flat_map(|text| schema_names(&text)).collect()
    };
    Vocabulary::strict("the database has it", names)
}

/// The tables that a database of SQLite declares.
fn created_tables(beginning: &str) -> Vec<String> {
    let lower = beginning.to_ascii_lowercase();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let behind = |at: usize| beginning.get(at + "create table".len()..);
    let tables = lower.match_indices("create table").filter_map(|(at, _)| behind(at));
    let names = tables.filter_map(|rest| rest.split(|c| !is_name(c)).find(|name| !name.is_empty()));
    names.map(str::to_owned).collect()
}

/// Words of SQL that stand in a declaration.
const SQL: &[&str] =
    &["create", "table", "integer", "text", "real", "primary", "key", "not", "null", "default", "unique", "references"];

/// The names that a database of SQLite declares.
fn schema_names(beginning: &str) -> Vec<String> {
    let lower = beginning.to_ascii_lowercase();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declared = lower.match_indices("create table").flat_map(|(at, _)| {
        let text = beginning.get(at..).unwrap_or_default();
        let end = text.find(|c: char| c.is_control() && !c.is_whitespace()).unwrap_or(text.len()).min(4096);
        text.get(..end)
            .unwrap_or_default()
            .split(move |c| !is_name(c))
            .filter(|name| name.len() > 1 && !SQL.contains(&&*name.to_ascii_lowercase()))
    });
    declared.map(str::to_owned).collect()
}

/// What a file of data or sources declares.
fn declared_names(path: &str, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>().take(100).map_while(Result::ok);
    for value in values.filter(|value| value.is_object() || value.is_array()) {
        keys_of(&value, 0, &mut names);
    }
    if !names.is_empty() {
        return names;
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let plain = |text: &str| {
        let name = text.trim_matches(|c: char| !is_name(c));
        (!name.is_empty() && name.len() <= 100 && name.chars().all(is_name)).then(|| name.to_owned())
    };
    if is_table(path) {
        let head = text.lines().next().unwrap_or_default().trim_start_matches('\u{feff}');
        return head.split([',', ';', '\t', '|']).filter_map(plain).collect();
    }
    for line in text.lines().take(20_000) {
        let own = line.trim_start();
        if let Some(section) = own.strip_prefix('[') {
            names.extend(section.split(['.', ']']).filter_map(plain));
        } else if let Some((key, _)) = own.split_once([':', '=']) {
            let key = key.strip_prefix("export ").unwrap_or(key).trim_start_matches("- ");
            names.extend(plain(key.trim_end_matches(['(', ')', ' ', '?', '+', '!'])));
        }
        let mut words = own.split(|c: char| !is_name(c));
        let declares = |word: &&str| {
            matches!(*word, "def" | "class" | "function" | "sub" | "fn" | "func" | "const" | "let" | "var")
        };
        if words.by_ref().take(4).any(|word| declares(&word)) {
            names.extend(words.next().and_then(plain));
        } else if let Some((name, _)) = own.split_once("()") {
            names.extend(plain(name).filter(|_| !name.contains(' ')));
        }
    }
    names
}

fn is_table(path: &str) -> bool {
    [".csv", ".tsv", ".psv"].iter().any(|end| path.to_ascii_lowercase().ends_with(end))
}

fn keys_of(value: &Value, depth: usize, names: &mut Vec<String>) {
    /// Deeper than any data that people write.
    const DEEPEST: usize = 32;
    if depth > DEEPEST || names.len() > MOST_NAMES {
        return;
    }
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                names.push(key.clone());
                keys_of(value, depth + 1, names);
            }
        }
        Value::Array(list) => list.iter().take(100).for_each(|value| keys_of(value, depth + 1, names)),
        _ => {}
    }
}

/// The names of the project's own modules.
fn module_names(case: &Case<'_>) -> Vocabulary {
    let mut names = Vec::new();
    let is_of_module =
        matches!(case.category(), Category::DependencyMissing | Category::CompileError | Category::TestFailure);
    if case.finding(K::MissingModule).is_some() || is_of_module {
        let found = case.looks.find(&|name| SOURCES.iter().any(|end| name.ends_with(end)));
        names.extend(found.iter().filter_map(|path| file_name(path).rsplit_once('.')).map(|(stem, _)| stem.to_owned()));
    }
    Vocabulary::strict("the project has this module", names)
}

/// Endings of sources that are loaded by their names.
const SOURCES: &[&str] = &[".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pm", ".lua", ".php"];

/// What the archive of the line holds.
fn member_names(case: &Case<'_>) -> Vocabulary {
    let files = case.words.iter().filter(|word| word.is_literal && word.role == WordRole::Argument);
    let names = files.filter_map(|word| case.looks.members(&case.at(&word.text))).flatten().collect();
    Vocabulary { kind: NameKind::Paths, ..Vocabulary::of("the archive contains it", names) }
}

/// The branches, tags and remotes of the repository.
fn ref_names(case: &Case<'_>) -> Vocabulary {
    if !case.finds(&[K::UnknownRef, K::UnknownPathspec, K::UnknownRemote, K::UnknownRemoteRef]) {
        return Vocabulary::of("", Vec::new());
    }
    let refs = case.looks.refs(&case.folder());
    let names = refs.branches.into_iter().chain(refs.remote_branches).chain(refs.remotes).chain(refs.tags).collect();
    Vocabulary { kind: NameKind::Refs, ..Vocabulary::strict("the repository has it", names) }
}

/// What the help of the program that complains lists, else of the last: its options, and the words of one with subcommands.
pub(super) fn help_names(case: &Case<'_>) -> Vec<String> {
    let complains = |own: &Own<'_>| case.printed().names(&format!("{}:", own.name));
    let Some(own) = Own::all(case).find(complains).or_else(|| Own::all(case).last()) else { return Vec::new() };
    let name = base_name(&own.program.text);
    let subcommand = own.args.first().filter(|word| word.is_literal).map(|word| &*word.text);
    let of_sub = subcommand.filter(|_| {
        case.command().is_some_and(|command| command.known.is_some_and(|known| !known.subcommands.is_empty()))
    });
    let texts = [case.looks.help(name, of_sub), of_sub.and_then(|_| case.looks.help(name, None))];
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    // Words of its sentences are none of the call's.
    let is_name = |word: &&str| (3..=40).contains(&word.len()) && (word.starts_with('-') || of_sub.is_some());
    let words = texts.iter().flatten().flat_map(|text| text.split(|c| !is_part(c)).filter(is_name));
    let names: BTreeSet<&str> = words.map(|word| word.trim_end_matches('-')).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// Accounts of the machine, signals and encodings.
fn machine_names(case: &Case<'_>) -> Vocabulary {
    let everywhere = EVERYWHERE.iter().map(|name| (*name).to_owned());
    // An account is meant only where one is spoken of: `list` is one, and a name of anything.
    let says =
        |line: &str| ["user", "group", "account", "owner"].iter().any(|word| line.to_ascii_lowercase().contains(word));
    let speaks = case.failed.line_that_matters().into_iter().chain(case.findings().map(|found| found.line)).any(says);
    let accounts = if speaks { case.looks.accounts() } else { Vec::new() };
    let names = accounts.into_iter().chain(everywhere).collect();
    Vocabulary { kind: NameKind::Words, ..Vocabulary::strict("this machine has it", names) }
}

/// A path that is not here, in a word of which it is only a part: one that is named alike.
fn path_here(case: &Case<'_>, parts: &[NamePart<'_>]) -> Option<Mended> {
    let is_missing = |part: &&NamePart<'_>| {
        part.text.contains('.') && !part.text.starts_with(['-', '/']) && case.kind(part.text).is_none()
    };
    let found = parts.iter().filter(is_missing).find_map(|part| {
        let is_built = what_builds(case, part.text).is_some();
        let near = named_alike(case, part.text).filter(|near| near != part.text && !is_built)?;
        Some((part, near))
    });
    let (part, near) = found?;
    // A script that was run in its folder opens what it needs by its own name.
    let is_whole = part.range == part.word.range;
    (!is_whole || file_name(part.text) != file_name(&near) || part.text.contains('/')).then_some(())?;
    replaced(case, part, &near, &Vocabulary::of("it is in the project", Vec::new()))
}

/// The same of a branch within a revision or range: `main...HEAD` for `master...HEAD`.
pub(super) fn same_in_range(revision: &str, branches: &[String]) -> Option<String> {
    let names = revision.split(|c| "~^:@./".contains(c));
    let own = |name: &str| same_branch(name, branches).filter(|own| own != name);
    names.into_iter().find_map(|name| Some(revision.replacen(name, &own(name)?, 1)))
}

/// The branch of a repository that others call by another name: `main` for `master`.
pub(super) fn same_branch(wrong: &str, branches: &[String]) -> Option<String> {
    let group = SAME_BRANCH.iter().find(|group| group.contains(&wrong))?;
    let mut own = branches.iter().filter(|branch| group.contains(&branch.as_str()));
    own.next().filter(|_| own.next().is_none()).cloned()
}
