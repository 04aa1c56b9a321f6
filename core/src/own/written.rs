//! Readings and secrets as a project's settings file writes them.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::is_kind;
use crate::model::Category;
use crate::text::{blanked, start};

/// The longest pattern and the longest name of a program, in bytes.
const LONGEST_PATTERN: usize = 1000;
const LONGEST_PROGRAM: usize = 200;

/// A `[[reading]]` of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenReading {
    /// The pattern of the line, in the syntax of the crate `regex`.
    pub pattern: String,
    /// What kind of error the line tells of.
    pub category: Category,
    /// The group of the pattern that names what failed.
    pub object: Option<Group>,
    /// The beginning of the command that prints such lines; None for any.
    pub program: Option<String>,
    /// In which line of the settings file it begins.
    pub line: usize,
}

/// A `[[redact]]` of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenSecret {
    /// The pattern of the secret, in the syntax of the crate `regex`.
    pub pattern: String,
    /// What kind of secret it is: what stands in its place.
    pub kind: String,
    /// In which line of the settings file it begins.
    pub line: usize,
}

/// A group of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group {
    /// By its number, from 1 on.
    Number(usize),
    /// By its name.
    Name(String),
}

/// The reading that a table writes in this line of the file, or why it is none.
///
/// # Errors
/// In words: what is wrong, and what to write.
pub fn reading_of(table: &DeTable<'_>, line: usize) -> Result<WrittenReading, String> {
    known_keys(table, &["match", "category", "object", "program"])?;
    let pattern = pattern_of(table)?;
    let word = text_of(table, "category")?.ok_or("`category` is missing; docs/settings.md lists them")?;
    let category = Category::from_word(&word).filter(|category| *category != Category::Unknown);
    let category =
        category.ok_or_else(|| format!("`{}` is no category; docs/settings.md lists them", short_words(&word)))?;
    let program = text_of(table, "program")?;
    if program.as_ref().is_some_and(|program| !is_program(program)) {
        return Err("`program` is no beginning of a command; write `program = \"make\"` or \"npm run\"".to_owned());
    }
    Ok(WrittenReading { pattern, category, object: object_group(table)?, program, line })
}

/// The secret that a table writes in this line of the file, or why it is none.
///
/// # Errors
/// In words: what is wrong, and what to write.
pub fn secret_of(table: &DeTable<'_>, line: usize) -> Result<WrittenSecret, String> {
    known_keys(table, &["match", "kind"])?;
    let pattern = pattern_of(table)?;
    let kind = text_of(table, "kind")?.ok_or("`kind` is missing; write a word such as `kind = \"license_key\"`")?;
    if !is_kind(&kind) {
        let wrong = "small letters of ASCII, digits, `_` and `-`, at most 40, a letter first";
        return Err(format!("`{}` is no kind; write {wrong}", short_words(&kind)));
    }
    Ok(WrittenSecret { pattern, kind, line })
}

fn known_keys(table: &DeTable<'_>, known: &[&str]) -> Result<(), String> {
    let unknown = table.keys().map(Spanned::get_ref).find(|key| !known.contains(&key.as_ref()));
    match unknown {
        Some(key) => Err(format!("no key `{}` here; there are `{}`", short_words(key), known.join("`, `"))),
        None => Ok(()),
    }
}

fn pattern_of(table: &DeTable<'_>) -> Result<String, String> {
    let pattern = text_of(table, "match")?.ok_or("`match` is missing; write `match = '...'`")?;
    if pattern.is_empty() || pattern.len() > LONGEST_PATTERN {
        return Err(format!("`match` is no pattern of 1 to {LONGEST_PATTERN} bytes"));
    }
    Ok(pattern)
}

fn object_group(table: &DeTable<'_>) -> Result<Option<Group>, String> {
    let number = |number: &str| number.parse().ok().filter(|number| *number > 0).map(Group::Number);
    let Some(value) = table.get("object") else { return Ok(None) };
    let group = match value.get_ref() {
        DeValue::Integer(written) => number(written.as_str()),
        DeValue::String(name) => Some(Group::Name(name.to_string())),
        _ => None,
    };
    let wrong = || "`object` is no group; write its number from 1 on, or its name in quotation marks".to_owned();
    group.map(Some).ok_or_else(wrong)
}

fn text_of(table: &DeTable<'_>, key: &str) -> Result<Option<String>, String> {
    match table.get(key).map(Spanned::get_ref) {
        None => Ok(None),
        Some(DeValue::String(text)) => Ok(Some(text.to_string())),
        Some(other) => Err(format!("`{key}` is of the type {}; write `{key} = '...'`", other.type_str())),
    }
}

fn is_program(program: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && (c == ' ' || !c.is_whitespace());
    (1..=LONGEST_PROGRAM).contains(&program.len())
        && program.chars().all(is_plain)
        && program.split(' ').all(|word| !word.is_empty())
}

/// A stranger's words, cut and cleaned so that they stay on the line.
pub fn short_words(words: &str) -> String {
    blanked(start(words, 60))
}
