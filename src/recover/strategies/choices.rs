//! Names that the output itself lists as those that are taken, and the one of them that was meant by a word of the call or of
//! a file that the output speaks of.

use std::ops::Range;

use super::super::case::{Case, Offer};
use super::super::step::{Deed, Step};
use super::names::is_name;
use super::told::edit_line;
use super::work::own_places;
use crate::names::{MAKEFILES, only_close};
use crate::shell::{PlacedWord, WordRole, quoted_word};
use crate::text::quoted;

/// Words before a list of what is taken, each at the beginning of a word, in small letters.
const CUES: &[&str] = &[
    "choose",
    "choice",
    "possible",
    "valid",
    "allowed",
    "accept",
    "available",
    "known",
    "support",
    "permitted",
    "one of",
    "any of",
    "must be",
    "should be",
    "can be",
    "may be",
    "expect",
    "recogni",
    "registered",
    "existing",
    "defined",
    "declared",
    "configured",
    "legal",
    "not in ",
    "candidates",
    "options are",
    "options:",
    "use ",
];

/// Words with which a program refuses one that it was given, in small letters.
const REFUSES: &[&str] = &[
    "invalid",
    "unknown",
    "unrecogni",
    "not valid",
    "not a valid",
    "unsupported",
    "not supported",
    "not allowed",
    "must be",
    "should be",
    "choose",
    "no such",
    "did you mean",
    "does not exist",
    "doesn't exist",
    "not one of",
    "illegal",
    "not in ",
    "expected one of",
    "expects one of",
    "not known",
    "no match",
    "not recogni",
    "not accept",
    "bad ",
    "wrong",
    "not a ",
    "cannot find",
    "can't find",
    "not found",
    "unexpected",
    "undefined",
    "not defined",
    "not permitted",
    "no task",
    "no target",
];

/// The most names of a list: longer ones are no choice.
const MOST: usize = 80;

/// The longest line that is read, in bytes.
const LONGEST: usize = 4096;

/// How far from the list the word may stand that is none of it, in lines.
const NEAR: usize = 3;

/// Names that mean the same, where a tool takes one of them.
const SAME: &[&[&str]] = &[
    &["js", "javascript", "node", "nodejs"],
    &["ts", "typescript"],
    &["py", "python", "python3"],
    &["rb", "ruby"],
    &["rs", "rust"],
    &["go", "golang"],
    &["cpp", "c++", "cxx"],
    &["cs", "csharp", "c#"],
    &["sh", "shell", "bash"],
    &["yml", "yaml"],
    &["md", "markdown"],
    &["htm", "html"],
    &["jpg", "jpeg"],
    &["txt", "text", "plain"],
    &["gz", "gzip"],
    &["tgz", "tar.gz"],
    &["prod", "production", "prd"],
    &["dev", "development", "devel"],
    &["stg", "stage", "staging"],
    &["warn", "warning", "warnings"],
    &["err", "error", "errors"],
    &["crit", "critical"],
    &["db", "database"],
    &["pg", "postgres", "postgresql", "psql", "pgsql"],
    &["sqlite", "sqlite3"],
    &["mongo", "mongodb"],
    &["k8s", "kubernetes"],
    &["true", "yes", "on", "1", "enabled", "always"],
    &["false", "no", "off", "0", "disabled", "never"],
    &["win", "windows", "win32"],
    &["mac", "macos", "darwin", "osx"],
    &["x64", "amd64", "x86_64", "x86-64"],
    &["arm64", "aarch64"],
    &["asc", "ascending"],
    &["desc", "descending"],
    &["quiet", "silent"],
    &["utf8", "utf-8"],
    &["remove", "delete", "rm", "del"],
    &["list", "ls"],
    &["show", "view", "get"],
    &["create", "new", "add"],
];

/// Names that an output lists in one place.
struct List {
    /// The line that it begins in, from 0.
    at: usize,
    names: Vec<String>,
}

/// All names that the output lists as those that are taken.
pub(super) fn listed(text: &str) -> Vec<String> {
    lists(text).into_iter().flat_map(|list| list.names).collect()
}

fn lists(text: &str) -> Vec<List> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.len() <= LONGEST) {
        found.extend(super::names::meant(line).map(|name| List { at, names: vec![name] }));
        // A row of a help says what an option does.
        if line.trim_start().strip_prefix('-').is_some_and(|rest| !rest.starts_with(' ')) {
            continue;
        }
        for rest in behind_cues(line) {
            let opened = opened(rest);
            let names = if opened.trim().is_empty() { below(&lines[at + 1..]) } else { names_of(opened) };
            // One name alone is no choice.
            if (2..=MOST).contains(&names.len()) {
                found.push(List { at, names });
            }
        }
    }
    found
}

/// What stands behind each cue of a line.
fn behind_cues(line: &str) -> Vec<&str> {
    // The letters of ASCII fold in place: both lines have the same length.
    let lower = line.to_ascii_lowercase();
    // `Commands: lint, format`
    let plurals = lower.match_indices("s: ").map(|(at, sign)| at + sign.len());
    let mut places: Vec<usize> = CUES
        .iter()
        .flat_map(|cue| lower.match_indices(cue).map(move |(at, _)| (at, at + cue.len())))
        .filter(|(at, _)| !lower.get(..*at).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric())))
        .map(|(_, end)| end)
        .chain(plurals)
        .collect();
    places.sort_unstable();
    places.iter().filter_map(|at| line.get(*at..)).collect()
}

/// The list behind a cue: behind a colon, in brackets, or behind a word that goes before lists.
fn opened(rest: &str) -> &str {
    /// Letters between a cue and its list: `values for the option are`.
    const BETWEEN: usize = 48;
    let near = |sign: &str| rest.find(sign).filter(|at| *at <= BETWEEN).map(|at| at + sign.len());
    // Behind a comma the list has begun already.
    let is_before_list = |at: &usize| *at <= BETWEEN && !rest.get(..*at).is_some_and(|before| before.contains(','));
    let sign = rest.find([':', '(', '[', '{', '\'', '"', '`', '‘', '“']).filter(is_before_list);
    let behind = match sign.and_then(|at| rest.get(at..)) {
        Some(list) if list.starts_with(['\'', '"', '`', '‘', '“']) => list,
        Some(list) => list.get(1..).unwrap_or_default(),
        None => {
            let word = [" from ", " of ", " are ", " is ", " be "].iter().filter_map(|word| near(word)).min();
            let list = word.and_then(|at| rest.get(at..)).unwrap_or(rest);
            // Words between blanks alone are a sentence.
            if list.contains([',', '|']) || list.contains(" or ") || list.trim().is_empty() { list } else { "." }
        }
    };
    // A colon may stand before a bracket: `one of: ['a', 'b']`.
    behind.trim_start_matches([' ', '[', '(', '{', ':'])
}

/// Names between commas, bars or blanks, up to what is none.
fn names_of(list: &str) -> Vec<String> {
    let list = list.replace(" (default)", "");
    let end = list.find(['(', ')', ']', '}', ';']).unwrap_or(list.len());
    let list = list.get(..end).unwrap_or_default();
    let list = list.split(". ").next().unwrap_or_default();
    let parts = list.replace(" or ", ",").replace(" and ", ",").replace(" | ", ",");
    let is_parted = parts.contains([',', '|']);
    let mut names = Vec::new();
    for part in parts.split(|c: char| c == ',' || c == '|' || !is_parted && c == ' ') {
        let part = part.trim();
        let part = part.strip_prefix("or ").or_else(|| part.strip_prefix("and ")).unwrap_or(part);
        if part.is_empty() {
            continue;
        }
        let name = part.split_whitespace().next().unwrap_or_default();
        let name =
            name.trim_matches(['\'', '"', '`', '‘', '’', '“', '”']).trim_end_matches(['.', '?', '!', ':', '\'', '"']);
        if !is_name(name) {
            break;
        }
        names.push(name.to_owned());
        // Behind the last name the sentence may go on.
        if is_parted && part.contains(' ') {
            break;
        }
    }
    names
}

/// The first words of the lines below, as far as they are set off or hold one word.
fn below(lines: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for line in lines {
        let own = line.trim();
        let is_set_off = line.starts_with([' ', '\t', '-', '*', '•']) || own.split_whitespace().count() == 1;
        if own.is_empty() && names.is_empty() {
            continue;
        }
        if own.is_empty() || !is_set_off {
            break;
        }
        let own = own.trim_start_matches(['-', '*', '•', ' ']);
        if own.contains(", ") {
            names.extend(names_of(own));
            continue;
        }
        let name = own.split_whitespace().next().unwrap_or_default();
        let name = name.trim_matches(['\'', '"', '`', ',', ':']);
        if is_name(name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The one of a list that was meant by a word that is none of it: the same but for case and separators, another word for the
/// same, its abbreviation or its beginning, or close in its letters. None where two may have been.
pub(super) fn of_list<'n>(wrong: &str, names: &'n [String]) -> Option<&'n str> {
    if names.iter().any(|name| name == wrong) {
        return None;
    }
    let folded = |name: &str| name.replace(['-', '_', '.', ' '], "").to_ascii_lowercase();
    let own = folded(wrong);
    let only = |fits: &dyn Fn(&str) -> bool| {
        let mut found = names.iter().filter(|name| fits(&folded(name)));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first.as_str())
    };
    let same = SAME.iter().find(|group| group.iter().any(|name| folded(name) == own));
    let is_same = |name: &str| same.is_some_and(|group| group.iter().any(|other| folded(other) == name));
    // A word is more than its first letters, so that `in` is not `input`.
    let begins = |name: &str| own.len() >= 3 && name.starts_with(&own);
    let goes_on = |name: &str| name.len() >= 3 && own.starts_with(name) && own.len() <= name.len() + 3;
    let alike = only(&|name| name == own);
    // Of one letter only the case is sure.
    if alike.is_some() || wrong.len() < 2 {
        return alike;
    }
    only(&is_same)
        .or_else(|| only(&begins))
        .or_else(|| only(&goes_on))
        .or_else(|| only_close(wrong, names.iter().map(String::as_str)))
        .or_else(|| only(&|name| is_abbreviation(&own, name)))
}

/// Whether a word has the first letter and, in their order, some others of a longer one: `prd` of `production`.
fn is_abbreviation(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    let is_within = short.chars().all(|c| letters.any(|other| other == c));
    short.len() >= 3 && long.len() > short.len() && is_within && short.chars().next() == long.chars().next()
}

/// A word where a listed one was meant.
struct Meant {
    wrong: String,
    name: String,
}

/// The words near a list for which one of it can have been meant, those in quotes first.
fn meant(text: &str, is_quoted: bool) -> Vec<Meant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Meant> = Vec::new();
    let lists = lists(text);
    let is_taken =
        |word: &str| lists.iter().any(|list| list.names.len() > 1 && list.names.iter().any(|name| name == word));
    for list in &lists {
        let near = lines.iter().skip(list.at.saturating_sub(NEAR)).take(2 * NEAR + 1);
        let refuses = |line: &&str| {
            let lower = line.to_ascii_lowercase();
            REFUSES.iter().any(|words| lower.contains(words))
        };
        if !near.clone().any(refuses) {
            continue;
        }
        let words: Vec<&str> =
            near.flat_map(|line| if is_quoted { in_quotes(line) } else { bare_words(line) }).collect();
        for wrong in words {
            let Some(name) = of_list(wrong, &list.names).filter(|_| !is_taken(wrong)) else { continue };
            if !found.iter().any(|own| own.wrong == wrong && own.name == name) {
                found.push(Meant { wrong: wrong.to_owned(), name: name.to_owned() });
            }
        }
    }
    found
}

/// The names between quotes.
fn in_quotes(line: &str) -> Vec<&str> {
    let parts: Vec<&str> = line.split(['\'', '"', '`', '‘', '’', '“', '”']).collect();
    parts.into_iter().skip(1).filter(|part| is_name(part)).collect()
}

/// The words of a line without the signs around them.
pub(super) fn bare_words(line: &str) -> Vec<&str> {
    let words = line.split(|c: char| c.is_whitespace() || "'\"`,;()[]{}|=<>".contains(c));
    words.map(|word| word.trim_end_matches(['.', ':', '?', '!'])).filter(|word| is_name(word)).collect()
}

/// Where a word stands whole in a text.
fn whole_places(text: &str, word: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let places = text.match_indices(word).map(|(at, _)| at..at + word.len());
    places
        .filter(|range| {
            !text.get(..range.start).is_some_and(|before| before.ends_with(is_part))
                && !text.get(range.end..).is_some_and(|after| after.starts_with(is_part))
        })
        .collect()
}

/// The call or the file with the listed name in the place of the one that is not taken.
pub(super) fn from_list(case: &Case<'_>) -> Option<Offer> {
    if !case.is_shell() || !case.is_whole() || !case.says(REFUSES) || is_of_the_work(case) {
        return None;
    }
    let quoted = meant(case.text(), true);
    in_line(case, &quoted)
        .or_else(|| in_line(case, &meant(case.text(), false)))
        .or_else(|| in_line(case, &unsaid(case)))
        .or_else(|| in_file(case, &quoted))
        .or_else(|| in_file(case, &meant(case.text(), false)))
}

/// Whether the program took the call and found something in what it worked on: the names that it lists are none of the call's.
fn is_of_the_work(case: &Case<'_>) -> bool {
    use crate::model::Category::{
        CommitHookFailed, CompileError, LintError, MergeConflict, Network, RemoteNotFound, TestFailure, VcsState,
    };
    let of_work = matches!(
        case.category(),
        CommitHookFailed | CompileError | LintError | MergeConflict | Network | RemoteNotFound | TestFailure | VcsState
    );
    of_work && !case.says(&["invalid choice", "possible values", "choose from", "must be one of", "did you mean"])
}

/// Words of the call for which one of a list can have been meant, where the output does not repeat the wrong one.
fn unsaid(case: &Case<'_>) -> Vec<Meant> {
    let lists = lists(case.text());
    let mut found = Vec::new();
    for word in values(case) {
        let value = word.text.split_once('=').map_or(&*word.text, |(_, value)| value);
        if case.kind(value).is_some() || value.starts_with('-') || case.text().contains(value) {
            continue;
        }
        let names = lists.iter().filter_map(|list| of_list(value, &list.names));
        found.extend(names.map(|name| Meant { wrong: value.to_owned(), name: name.to_owned() }));
    }
    found
}

/// The words of the line that are no programs: arguments, and variables that are set before one.
fn values<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c PlacedWord> {
    case.words.iter().filter(|word| word.is_literal && matches!(word.role, WordRole::Argument | WordRole::Assignment))
}

fn in_line(case: &Case<'_>, meant: &[Meant]) -> Option<Offer> {
    let mut found: Option<(&PlacedWord, Range<usize>, &Meant)> = None;
    for meant in meant {
        for word in values(case) {
            // The file that is run or read is no choice.
            if case.kind(&word.text).is_some() {
                continue;
            }
            for range in whole_places(&word.text, &meant.wrong) {
                // The name of a variable that is set is no value.
                if word.role == WordRole::Assignment && word.text.find('=').is_none_or(|sign| range.start < sign) {
                    continue;
                }
                let is_other = |(own, own_range, own_meant): &(&PlacedWord, Range<usize>, &Meant)| {
                    own.range != word.range || *own_range != range || own_meant.name != meant.name
                };
                if found.as_ref().is_some_and(is_other) {
                    return None;
                }
                found = Some((word, range, meant));
            }
        }
    }
    let (word, range, meant) = found?;
    let made = format!("{}{}{}", word.text.get(..range.start)?, meant.name, word.text.get(range.end..)?);
    if made.starts_with('-') != word.text.starts_with('-') {
        return None;
    }
    let text = match made.split_once('=') {
        Some((name, value)) if word.role == WordRole::Assignment => format!("{name}={}", quoted_word(value)),
        _ => quoted_word(&made),
    };
    let deed = case.again_edited(vec![(word.range.clone(), text)])?;
    let step = Step::work(format!("Use {} in its place", quoted(&meant.name, 80)), deed, "The call is understood");
    Some(offer(meant, vec![step]))
}

fn offer(meant: &Meant, steps: Vec<Step>) -> Offer {
    let (wrong, name) = (quoted(&meant.wrong, 80), quoted(&meant.name, 80));
    Offer::new(format!("the output lists what is taken, and {name} is the only one like {wrong}"), steps)
        .doing(format!("Use {name}, which is taken"))
        .seen(format!("{wrong} is not taken, and {name} is"))
}

/// Endings of files that people set things in.
const SETTINGS: &[&str] =
    &[".ini", ".toml", ".yml", ".yaml", ".json", ".cfg", ".conf", ".properties", ".json5", ".jsonc"];

/// Files that tools write, in which nobody sets anything.
const WRITTEN: &[&str] = &["package-lock.json", "composer.lock", "pnpm-lock.yaml", "npm-shrinkwrap.json"];

/// Most files that are looked through.
const FILES: usize = 40;

fn in_file(case: &Case<'_>, meant: &[Meant]) -> Option<Offer> {
    if meant.is_empty() || !case.looks.is_looking() {
        return None;
    }
    let found = only_place(case, meant, &named_files(case)).or_else(|| only_place(case, meant, &settings(case)))?;
    let (path, line, meant) = found;
    let text = case.looks.text(&path)?;
    let own = text.lines().nth(line - 1)?;
    let place = whole_places(own, &meant.wrong).into_iter().next()?;
    let made = format!("{}{}{}", own.get(..place.start)?, meant.name, own.get(place.end..)?);
    let (old, new) = edit_line(&text, line, &[made])?;
    let from = u64::try_from(line).ok()?.saturating_sub(15).max(1);
    let steps = vec![
        Step::new(
            format!("Read {}", quoted(&path, 80)),
            Deed::Read { path: path.clone(), from: Some(from) },
            "The line that is to be changed",
        ),
        Step::new(
            format!("Write {} in its place", quoted(&meant.name, 80)),
            Deed::Edit { path, old, new },
            "The file has the name that is taken",
        ),
        Step::work("Make the call again", case.again(), "It is understood"),
    ];
    Some(offer(meant, steps))
}

/// The one line of some files that holds one of the words: of a source only one that the output names by its number, for
/// elsewhere in it the word may be what is taken.
fn only_place<'m>(case: &Case<'_>, meant: &'m [Meant], files: &[String]) -> Option<(String, usize, &'m Meant)> {
    let places: Vec<(String, u64)> =
        own_places(case).into_iter().map(|place| (from_here(case, &place.file), place.line)).collect();
    // Where a compiler names what was meant, another strategy changes the source.
    let names_one = super::names::meant(case.text()).is_some();
    let mut found = None;
    for path in files {
        let Some(text) = case.looks.text(path) else { continue };
        let is_whole = is_settings(path) || MAKEFILES.contains(&crate::text::file_name(path));
        let is_told = |line: u64| !names_one && places.iter().any(|(file, told)| file == path && *told == line);
        for meant in meant {
            let is_comment =
                |line: &str| line.trim_start().starts_with(['#', ';']) || line.trim_start().starts_with("//");
            // Where the name that is taken stands beside it, the line is the list itself.
            let is_it = |own: &str| !is_comment(own) && whole_places(own, &meant.name).is_empty();
            let lines = (1..).zip(text.lines()).filter(|(line, own)| is_it(own) && (is_whole || is_told(*line)));
            for (line, own) in lines {
                match whole_places(own, &meant.wrong).len() {
                    0 => {}
                    1 if found.is_none() => found = Some((path.clone(), usize::try_from(line).ok()?, meant)),
                    _ => return None,
                }
            }
        }
    }
    found
}

/// A path as it is named from the call's folder: one file may be named in two ways.
fn from_here(case: &Case<'_>, file: &str) -> String {
    let path = case.at(file);
    let below =
        case.failed.cwd.as_deref().and_then(|cwd| path.strip_prefix(cwd.trim_end_matches('/'))?.strip_prefix('/'));
    below.unwrap_or(&path).to_owned()
}

/// The files of the project that the output or the call names.
pub(super) fn named_files(case: &Case<'_>) -> Vec<String> {
    let places = own_places(case).into_iter().map(|place| place.file);
    let words = case.text().split(|c: char| c.is_whitespace() || "'\"`,;()[]{}=<>".contains(c));
    let said = words.map(|word| word.split(':').next().unwrap_or(word).trim_end_matches(['.', '?', '!']).to_owned());
    let said = said.filter(|word| word.len() <= 400 && (word.contains(['.', '/']) || MAKEFILES.contains(&&**word)));
    let called = values(case).map(|word| word.text.split_once('=').map_or(&*word.text, |(_, value)| value).to_owned());
    let mut files: Vec<String> = Vec::new();
    for file in places.chain(said).chain(called) {
        let path = from_here(case, &file);
        let is_new = !files.contains(&path) && files.len() < FILES;
        if is_new && !super::work::is_elsewhere(&path) && case.looks.text(&path).is_some() {
            files.push(path);
        }
    }
    files
}

/// The files of the project that things are set in.
pub(super) fn settings(case: &Case<'_>) -> Vec<String> {
    let mut files = case.looks.find(&is_settings);
    files.truncate(FILES);
    files
}

/// Whether people set things in a file, by its name.
pub(super) fn is_settings(file: &str) -> bool {
    SETTINGS.iter().any(|ending| file.ends_with(ending)) && !WRITTEN.contains(&crate::text::file_name(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_in_the_words_of_tools() {
        for (text, names) in [
            ("argument --mode: invalid choice: 'fats' (choose from 'fast', 'slow')", &["fast", "slow"][..]),
            ("argument --mode: invalid choice: 'fats' (choose from fast, slow)", &["fast", "slow"]),
            ("a.ini: unknown key 'x' in [build] (known keys: input_dir, minify)", &["input_dir", "minify"]),
            (
                "error: invalid value 'x' for '--color <C>'\n  [possible values: auto, always, never]",
                &["auto", "always", "never"],
            ),
            ("ValueError: bad solver: must be one of ['lbfgs', 'sag']", &["lbfgs", "sag"]),
            ("unknown variant `x`, expected `a1` or `b1`", &["a1", "b1"]),
            ("unknown field `x`, expected one of `name`, `version`, `size`", &["name", "version", "size"]),
            ("Input should be 'a1', 'b1' or 'c1' [type=literal_error]", &["a1", "b1", "c1"]),
            ("x is not one of 'a1', 'b1'.", &["a1", "b1"]),
            ("Allowed choices are a1, b1.", &["a1", "b1"]),
            ("Unknown env: x. Available environments: staging, production", &["staging", "production"]),
            ("unknown target x\navailable targets:\n  web\n  api   the service\n\nmore", &["web", "api"]),
            ("use json|yaml", &["json", "yaml"]),
            ("supported formats are: csv, json and xml", &["csv", "json", "xml"]),
            ("no such thing", &[]),
        ] {
            assert!(
                names.is_empty() && listed(text).is_empty() || lists(text).iter().any(|list| list.names == names),
                "{text}: {:?}",
                listed(text)
            );
        }
    }

    #[test]
    fn the_one_of_a_list_that_was_meant() {
        for (wrong, names, meant) in [
            ("prod", &["staging", "production"][..], Some("production")),
            ("prd", &["staging", "production"], Some("production")),
            ("js", &["javascript", "json", "python"], Some("javascript")),
            ("info", &["DEBUG", "INFO"], Some("INFO")),
            ("info", &["information", "error"], Some("information")),
            ("yml", &["yaml", "json"], Some("yaml")),
            ("dry_run", &["dry-run", "run"], Some("dry-run")),
            ("users", &["user", "group"], Some("user")),
            ("test", &["testing", "latest"], Some("testing")),
            ("tset", &["test", "build"], Some("test")),
            // One of them, and two that may have been meant.
            ("prod", &["prod", "production"], None),
            ("prod", &["prod-eu", "prod-us"], None),
            ("local", &["staging", "production"], None),
            ("in", &["input", "output"], None),
        ] {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(of_list(wrong, &names), meant, "{wrong}");
        }
    }
}
