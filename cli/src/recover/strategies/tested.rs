//! What stands behind a place that the output names: the source of what a test calls, and the data that a script reads.

use super::super::case::{Case, join, parent};
use super::super::step::{Deed, PlanStep};
use crate::model::FindingKind as Kind;
use crate::reading::{SourcePlace, is_of_tests};
use crate::text::{file_name, quoted};

/// How many lines of a test around the one that failed may hold the call that is tested.
const AROUND: usize = 20;
/// How many sources are looked into.
const MOST_FILES: usize = 60;

/// A look at the source of what a test calls: of what it asserts nearest to the line that failed.
pub(super) fn look_at_source(case: &Case<'_>, place: &SourcePlace) -> Option<PlanStep> {
    let text = case.looks.text(&case.at(&place.file))?;
    let ending = file_name(&place.file).rsplit_once('.')?.1;
    let lines: Vec<&str> = text.lines().collect();
    let at = usize::try_from(place.line).ok()?.checked_sub(1).filter(|at| *at < lines.len())?;
    let mut names: Vec<&str> = Vec::new();
    if begins_test(lines[at]) {
        // Some runners name the test's own first line.
        names.extend(
            lines[at + 1..].iter().take(AROUND).take_while(|line| !begins_test(line)).flat_map(|line| called(line)),
        );
    }
    for line in lines[at.saturating_sub(AROUND)..=at].iter().rev() {
        names.extend(called(line));
        if begins_test(line) {
            break;
        }
    }
    let is_source =
        |name: &str| name.rsplit_once('.').is_some_and(|(_, own)| is_alike(own, ending)) && !is_of_tests(name);
    let mut files = case.looks.find(&is_source);
    // What the test names itself goes before what only has the same name.
    files.sort_by_key(|file| {
        let stem = file_name(file).split('.').next().unwrap_or_default();
        !lines.iter().any(|line| holds_word(line, stem))
    });
    let sources: Vec<(String, String)> =
        files.into_iter().take(MOST_FILES).filter_map(|file| Some((case.looks.text(&file)?, file))).collect();
    let (name, file, number) = names.into_iter().find_map(|name| {
        sources.iter().find_map(|(text, file)| {
            let number = (1..).zip(text.lines()).find(|(_, line)| defines(line, name)).map(|(number, _)| number)?;
            Some((name, file, number))
        })
    })?;
    Some(PlanStep::new(
        format!("Read {} in {}", quoted(name, 60), quoted(file, 100)),
        Deed::Read { path: file.clone(), from: Some(u64::saturating_sub(number, 5).max(1)) },
        "What the test calls: the test may be right",
    ))
}

fn is_alike(own: &str, ending: &str) -> bool {
    const SCRIPTS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];
    own == ending || SCRIPTS.contains(&own) && SCRIPTS.contains(&ending)
}

fn begins_test(line: &str) -> bool {
    const BEGIN: &[&str] = &["def test", "it(", "test(", "it \"", "it '", "func Test", "fn ", "public void ", "@test"];
    BEGIN.iter().any(|begin| line.trim_start().starts_with(begin))
}

/// The names that a line calls, without those of assertions.
fn called(line: &str) -> Vec<&str> {
    let opens = line.match_indices(['(', '!']).map(|(at, _)| at);
    let names = opens.filter_map(|at| {
        let before = line.get(..at)?;
        let from = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        before.get(from..)
    });
    let is_assertion = |name: &&str| {
        let small = name.to_ascii_lowercase();
        ["assert", "expect", "test", "should", "raises", "describe"].iter().any(|begin| small.starts_with(begin))
    };
    names.filter(|name| name.len() >= 2 && !is_assertion(name)).collect()
}

fn holds_word(line: &str, word: &str) -> bool {
    !word.is_empty() && words_at(line, word).next().is_some()
}

/// What stands before and behind each whole word of a line.
fn words_at<'l>(line: &'l str, word: &'l str) -> impl Iterator<Item = (&'l str, &'l str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).filter_map(move |(at, _)| {
        let (before, behind) = (line.get(..at)?, line.get(at + word.len()..)?);
        (!before.ends_with(is_part) && !behind.starts_with(is_part)).then_some((before, behind))
    })
}

/// Whether a line says what a name is, in the forms of usual languages.
pub(super) fn defines(line: &str, name: &str) -> bool {
    const WORDS: &[&str] = &["def", "fn", "func", "function", "class", "sub", "fun", "defp", "struct", "function*"];
    let is_flow = ["if ", "for ", "while ", "return ", "switch ", "}", "//", "#", "*"];
    words_at(line, name).any(|(before, behind)| {
        let last = before.split_whitespace().next_back().unwrap_or_default();
        let behind = behind.trim_start();
        let is_value =
            matches!(last, "const" | "let" | "var" | "exports." | "module.exports.") && behind.starts_with(['=', ':']);
        let is_method = last == "def" || before.ends_with("def self.") || before.starts_with("func (");
        let is_body = behind.starts_with('(')
            && line.trim_end().ends_with('{')
            && !before.contains(['=', '(', '.', '"'])
            && !is_flow.iter().any(|word| line.trim_start().starts_with(word));
        WORDS.contains(&last) || is_value || is_method && behind.starts_with('(') || is_body
    })
}

/// Endings of data that a script reads.
const DATA: &[&str] = &[".json", ".jsonl", ".csv", ".tsv", ".yaml", ".yml", ".toml", ".ini", ".xml"];

/// A look at the only file of data that a source names, where the source failed over a value of it.
pub(super) fn look_at_data(case: &Case<'_>, place: &SourcePlace) -> Option<PlanStep> {
    case.finds(&[Kind::BadValue]).then_some(())?;
    let text = case.looks.text(&case.at(&place.file))?;
    let words = text.split(['"', '\'', '`']);
    let is_data =
        |word: &&str| DATA.iter().any(|end| word.ends_with(end)) && !word.contains(['*', '{', '$', '\n', ' ']);
    let beside = |word: &str| join(&parent(&place.file), word);
    let mut found: Vec<String> = words
        .filter(is_data)
        .filter(|word| !word.starts_with(['/', '-', '~']))
        .filter_map(|word| [word.to_owned(), beside(word)].into_iter().find(|path| case.kind(path).is_some()))
        .collect();
    found.sort();
    found.dedup();
    let [file] = found.as_slice() else { return None };
    let shows = "The entry that is not like the others";
    let does = format!("Look at {}", quoted(file, 100));
    let path = case.at(file);
    let holds = |value: &&str| case.looks.text(&path).is_some_and(|text| text.contains(*value));
    let deed = match case.named(Kind::BadValue).filter(holds) {
        Some(value) => Deed::Search { text: value.to_owned(), folder: path },
        None => Deed::Read { path, from: Some(1) },
    };
    Some(PlanStep::new(does, deed, shows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_from_a_call() {
        for (line, is_one) in [
            ("def slug(text):", true),
            ("    def self.slug(text)", true),
            ("func (s *Site) slug(text string) string {", true),
            ("pub fn slug(text: &str) -> String {", true),
            ("export const slug = (text) => text", true),
            ("exports.slug = (text) => text", true),
            ("  slug(text) {", true),
            ("static String slug(String text) {", true),
            ("x = slug(text)", false),
            ("if (slug(text)) {", false),
            ("while (slug(list)) {", false),
            ("def slugs(text):", false),
        ] {
            assert_eq!(defines(line, "slug"), is_one, "{line}");
        }
    }

    #[test]
    fn names_of_assertions_are_not_called() {
        assert_eq!(called("self.assertEqual(len(page(items)), 10)"), ["len", "page"]);
        assert_eq!(called("expect(slug('A b')).toBe('a-b')"), ["slug", "toBe"]);
    }
}
