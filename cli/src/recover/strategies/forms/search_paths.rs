//! What a program looks for in its search path and does not find, though it lies in the project: the variable of the
//! environment that names one folder more.

use std::collections::BTreeSet;

use crate::model::{Category, FindingKind as K};
use crate::programs::words::{SEARCH_PATHS, SearchPath};
use crate::recover::case::{Case, join};
use crate::recover::look::FileKind;
use crate::recover::strategies::lines::{Mended, Own};
use crate::shell::quoted_word;
use crate::text::{file_name, quoted};

/// The most words of what was printed that are looked up.
const MOST_WORDS: usize = 80;

/// What a failure is called whose cause is a part that was not found.
const MISSES: &[Category] = &[
    Category::DependencyMissing,
    Category::PathNotFound,
    Category::CompileError,
    Category::ScriptError,
    Category::RuntimeError,
    Category::Unknown,
];

/// The call with the folder in the search path of its program.
pub(super) fn with_search_path(case: &Case<'_>) -> Option<Mended> {
    let is_refused =
        case.finds(&[K::UnknownOption, K::InvalidValue, K::MissingOption, K::UnknownSubcommand, K::MissingArgument]);
    if !case.looks.is_looking() || is_refused || !MISSES.contains(&case.category()) {
        return None;
    }
    let wanted = told_words(case);
    Own::all(case).find_map(|own| {
        let script = match case.kind(&own.program.text) {
            Some(FileKind::Script(words)) => {
                words.iter().skip(1).chain(words.first()).map(|word| file_name(word).to_owned()).next()
            }
            _ => None,
        };
        let name = script.as_deref().map_or(own.name, |name| name.trim_end_matches(|c: char| c.is_ascii_digit()));
        SEARCH_PATHS.iter().filter(|row| row.programs.contains(&name)).find_map(|row| {
            // What the call itself names is looked for by its path.
            let is_given =
                |part: &&String| case.words.iter().any(|word| word.text == **part && word.text.contains('.'));
            let (part, folder) = wanted
                .iter()
                .filter(|part| !is_given(part))
                .find_map(|word| Some((word, folder_with(case, row, word)?)))?;
            // Where it runs, it looks already: of a script it is the script's folder.
            let first = own.args.iter().find(|word| !word.text.starts_with('-'));
            let is_of_script = first.is_some_and(|word| word.text.contains('/')) && row.looks_beside;
            if folder == "." && !is_of_script {
                return None;
            }
            let is_set = case.words.iter().any(|word| word.text.starts_with(&format!("{}=", row.variable)));
            let here = case.folder();
            let place = if here.is_empty() { folder.clone() } else { join(case.failed.cwd.as_deref()?, &folder) };
            let value = quoted_word(&row.value.replace("{}", &place));
            let start = own.program.range.start;
            let line = case.edited_line(vec![(start..start, format!("{}={value} ", row.variable))])?;
            let why = format!(
                "{} is in {}, where {} does not look",
                quoted(part, 60),
                quoted(&folder, 80),
                quoted(own.name, 40)
            );
            (!is_set).then_some(Mended { line, why, does: "Name the folder to the program" })
        })
    })
}

/// The words of the lines that complain.
fn told_words(case: &Case<'_>) -> BTreeSet<String> {
    let lines = case.failed.line_that_matters().into_iter().chain(case.findings().map(|finding| finding.line));
    let words = lines.flat_map(|line| line.split(|c: char| c.is_whitespace() || "'\"`‘’(),;<>".contains(c)));
    let words = words.map(|word| word.trim_matches([':', '.'])).filter(|word| (2..=100).contains(&word.len()));
    words.take(MOST_WORDS).map(str::to_owned).collect()
}

/// The only folder of the project in which a part lies as a row looks for it.
fn folder_with(case: &Case<'_>, row: &SearchPath, word: &str) -> Option<String> {
    let stem = word.strip_prefix("-l").unwrap_or(word);
    let plain =
        stem.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:+".contains(c)) && !stem.starts_with(['/', '.']);
    let has_ending = row.ends.is_empty() || row.ends.iter().any(|end| stem.ends_with(end));
    if !plain || !has_ending {
        return None;
    }
    let path = if row.is_path { stem.replace("::", "/") } else { stem.replace("::", "/").replace('.', "/") };
    let top = if row.is_top { path.split('/').next().unwrap_or(&path) } else { &path };
    let ends: Vec<String> = row.files.iter().map(|file| file.replace("{}", top)).collect();
    let mut found = case.looks.find(&|name| ends.iter().any(|end| file_name(end) == name));
    // A folder is a part only where one is missing by that name: others have names of everyday words.
    let is_missed = case.named(K::MissingModule).is_some_and(|name| name.split('.').next() == Some(top));
    let is_part = |path: &str| file_name(path) != top || is_missed && case.looks.kind(path) == Some(FileKind::Dir);
    found.retain(|path| !row.is_top || is_part(path));
    let mut folders: Vec<&str> = found
        .iter()
        .filter_map(|found| ends.iter().find_map(|end| found.strip_suffix(end.as_str())))
        .filter(|folder| folder.is_empty() || folder.ends_with('/'))
        .map(|folder| if folder.is_empty() { "." } else { folder.trim_end_matches('/') })
        .collect();
    folders.dedup();
    let [folder] = folders.as_slice() else { return None };
    Some((*folder).to_owned())
}
