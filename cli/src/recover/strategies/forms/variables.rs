//! A variable of the environment that a script wants, and that a file of the project sets: the call gets it.

use crate::recover::case::{Case, join};
use crate::recover::strategies::lines::{Mended, Own};
use crate::recover::strategies::sources::source;
use crate::redact::redact_printed;
use crate::shell::quoted_word;
use crate::text::quoted;

/// Files in which a project shows a setting, behind those that are named as an environment.
const SHOWS_SETTINGS: &[&str] = &[
    "README.md",
    "README.rst",
    "README",
    "Makefile",
    "docker-compose.yml",
    "compose.yaml",
    "package.json",
    "CONTRIBUTING.md",
];
/// The most variables that are set for a call.
const MOST_SET: usize = 12;

/// The call with the variables that its script reads, as the project's own file sets them.
pub(super) fn with_variables(case: &Case<'_>) -> Option<Mended> {
    if !case.looks.is_looking() {
        return None;
    }
    let lines = case.failed.line_that_matters().into_iter().chain(case.findings().map(|finding| finding.line));
    let is_sign = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words: Vec<&str> = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let is_name = |word: &&&str| {
        word.len() > 2 && word.starts_with(|c: char| c.is_ascii_uppercase()) && word.chars().all(is_sign)
    };
    let wanted = words.iter().filter(is_name).find_map(|name| Some((*name, file_with(case, name)?)));
    let (name, (file, text)) = wanted?;
    let own = Own::all(case).last()?;
    let script = source(case).map(|source| source.text).unwrap_or_default();
    let mut set = Vec::new();
    for (key, value) in variables_in(&text) {
        let is_read = (key == name || script.contains(key)) && is_meant(value);
        let is_given = case.words.iter().any(|word| word.text.starts_with(&format!("{key}=")));
        if is_read && !is_given && set.len() < MOST_SET && !set.iter().any(|(other, _)| *other == key) {
            set.push((key, shown_value(case, &file, key, value)));
        }
    }
    let made: Vec<String> = set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let start = own.program.range.start;
    let line = case.edited_line(vec![(start..start, made.join(" ") + " ")]).filter(|_| !set.is_empty())?;
    let why = format!("{name} is not set, and {} shows it", quoted(&file, 60));
    Some(Mended { line, why, does: "Set the variables as the project's own file does" })
}

/// The first file of the project that sets a variable, and its text.
fn file_with(case: &Case<'_>, name: &str) -> Option<(String, String)> {
    let is_environment = |file: &str| {
        file == ".envrc"
            || file.starts_with(".env")
            || file.ends_with(".env")
            || matches!(file, "env.sh" | "setenv.sh" | "environment")
    };
    let here = case.looks.names(&case.at(".")).into_iter().filter(|name| !name.is_dir).map(|name| name.name);
    let mut files: Vec<String> = here.filter(|file| is_environment(file)).collect();
    // The person's own values go before those of an example.
    files.sort_by_key(|file| {
        (["example", "sample", "template", "dist"].iter().any(|word| file.contains(word)), file.len())
    });
    files.extend(SHOWS_SETTINGS.iter().map(|file| (*file).to_owned()));
    let texts = files.into_iter().filter_map(|file| Some((case.looks.text(&case.at(&file))?, file)));
    texts
        .map(|(text, file)| (file, text))
        .find(|(_, text)| variables_in(text).any(|(key, value)| key == name && is_meant(value)))
}

/// Whether a value is one to work with: none that stands for another, and none of a place where others work.
fn is_meant(value: &str) -> bool {
    const NEVER: &[&str] = &["prod", "live", "changeme", "change_me", "your", "xxx", "todo", "example.", "..."];
    let lower = value.to_ascii_lowercase();
    !value.is_empty() && !NEVER.iter().any(|word| lower.contains(word))
}

/// The `NAME=value` of a text: of each line the first.
fn variables_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_sign = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.lines().take(5_000).filter_map(move |line| {
        let own = line.trim().trim_start_matches(['-', '$', '`', ' ']);
        let own = own.strip_prefix("export ").unwrap_or(own);
        let (key, rest) = own.split_once('=').or_else(|| own.split_once(": "))?;
        let value = rest.trim().trim_start_matches(['"', '\'']).split(['"', '\'', ' ', '`', '#']).next()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
        (key.len() > 2 && key.chars().all(is_sign) && value.chars().all(is_plain)).then_some((key, value))
    })
}

/// The value as it stands in the call: of what may be a secret the call itself reads it.
fn shown_value(case: &Case<'_>, file: &str, key: &str, value: &str) -> String {
    let shown = format!("{key}={value}");
    if redact_printed(&shown) == shown && value.len() < 200 {
        return quoted_word(value);
    }
    let path = quoted_word(&join(&case.folder(), file));
    format!("\"$(sed -n \"s/^\\(export \\)*{key}=//p\" {path} | head -n 1 | tr -d \"\\\"'\")\"")
}
