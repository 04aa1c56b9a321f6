//! What the project's own text says that a call can be told: options and variables that a script reads.

use super::super::case::Case;
use super::super::look::FileKind;
use super::super::step::Deed;
use super::manifests::{asked_for, node_script};
use crate::names::MAKEFILES;
use crate::shell::{PlacedWord, WordRole, placed_words, quoted_word};

/// The text of the project that a command runs.
pub(in super::super) struct Source {
    /// Its path, from the call's folder.
    pub(in super::super) path: String,
    /// What it holds.
    pub(in super::super) text: String,
    /// The number of the command in the line.
    number: usize,
    /// What stands before options that are handed on.
    handed: &'static str,
    /// Whether variables stand behind the program, as those of make do.
    is_make: bool,
}

/// A setting that a source reads.
pub(in super::super) enum Setting {
    /// An option, with its value behind it.
    Flag(String),
    /// A variable of the environment, or of make.
    Variable(String),
}

impl Setting {
    /// As it is written with a value.
    pub(in super::super) fn with(&self, value: &str) -> String {
        match self {
            Self::Flag(name) => format!("{name} {}", quoted_word(value)),
            Self::Variable(name) => format!("{name}={}", quoted_word(value)),
        }
    }
}

/// The script or Makefile of the project that the failed command runs.
pub(in super::super) fn source(case: &Case<'_>) -> Option<Source> {
    let command = case.command()?;
    let word = case.word_of(command)?;
    let number = word.command;
    let made = |path: String, handed, is_make| {
        let text = case.looks.text(&path)?;
        Some(Source { path, text, number, handed, is_make })
    };
    match command.name() {
        "make" | "gmake" => {
            let file = MAKEFILES.iter().find(|name| case.kind(name).is_some())?;
            made(case.at(file), "", true)
        }
        "npm" | "pnpm" | "yarn" | "bun" => {
            let line = node_script(case, &asked_for(case)?)?;
            let words = placed_words(&line)?;
            let file = words.iter().find(|word| word.role != WordRole::Target && is_script(case, &word.text))?;
            made(case.at(&file.text), if command.name() == "npm" { " --" } else { "" }, false)
        }
        _ => {
            let mut own = std::iter::once(word).chain(case.arguments_of(word)).filter(|word| word.is_literal);
            let script = own.find(|word| is_script(case, &word.text))?;
            made(case.at(&script.text), "", false)
        }
    }
}

/// Whether a word is a script of the project.
fn is_script(case: &Case<'_>, word: &str) -> bool {
    const ENDINGS: &[&str] = &["sh", "bash", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "go"];
    if word.starts_with('-') || word.len() > 1024 {
        return false;
    }
    match case.kind(word) {
        Some(FileKind::Script(_)) => true,
        Some(FileKind::Text) => word.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending)),
        _ => false,
    }
}

impl Source {
    /// The setting that the source reads: one of these options, else a variable of which this is true.
    pub(in super::super) fn setting(&self, flags: &[&str], is_it: &dyn Fn(&str) -> bool) -> Option<Setting> {
        let flag = flags.iter().find(|flag| !self.is_make && reads_option(&self.text, flag));
        let flag = flag.map(|flag| Setting::Flag((*flag).to_owned()));
        flag.or_else(|| self.variables().into_iter().find(|name| is_it(name)).map(Setting::Variable))
    }

    /// The variables that the source reads.
    fn variables(&self) -> Vec<String> {
        const READ: &[&str] = &[
            "process.env.",
            "process.env[",
            "os.environ[",
            "os.environ.get(",
            "os.getenv(",
            "getenv(",
            "ENV[",
            "ENV.fetch(",
            "env::var(",
            "Getenv(",
            "LookupEnv(",
            "${",
            "$ENV{",
            "$(",
            "Deno.env.get(",
        ];
        let mut found: Vec<String> = Vec::new();
        for mark in READ {
            for (at, _) in self.text.match_indices(mark) {
                let rest = self.text.get(at + mark.len()..).unwrap_or_default();
                let name = name_at(rest.trim_start_matches(['"', '\'']));
                if name.len() >= 3 {
                    found.push(name);
                }
            }
        }
        if self.is_make {
            let heads = self.text.lines().filter_map(|line| line.split_once("?=").or_else(|| line.split_once('=')));
            found.extend(
                heads
                    .map(|(name, _)| name.trim_end_matches([':', ' ']).to_owned())
                    .filter(|name| name_at(name) == *name),
            );
        }
        found
    }

    /// The failed call with settings of the source.
    pub(in super::super) fn again(&self, case: &Case<'_>, settings: &[(Setting, String)]) -> Option<Deed> {
        let mut edits = Vec::new();
        let own = |word: &&PlacedWord| word.command == self.number && word.role != WordRole::Target;
        let end = case.words.iter().filter(own).map(|word| word.range.end).max()?;
        let start =
            case.words.iter().find(|word| word.command == self.number && word.role == WordRole::Program)?.range.start;
        let has_end = case.words.iter().any(|word| word.command == self.number && word.text == "--");
        for (setting, value) in settings {
            let made = setting.with(value);
            match setting {
                Setting::Flag(_) if has_end => edits.push((end..end, format!(" {made}"))),
                Setting::Flag(_) => edits.push((end..end, format!("{} {made}", self.handed))),
                Setting::Variable(_) if self.is_make => edits.push((end..end, format!(" {made}"))),
                Setting::Variable(_) => edits.push((start..start, format!("{made} "))),
            }
        }
        case.again_edited(edits)
    }
}

/// The name of a variable that a text begins with: capitals, digits and `_`.
fn name_at(text: &str) -> String {
    let name: String = text.chars().take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_').collect();
    if name.starts_with(|c: char| c.is_ascii_uppercase()) { name } else { String::new() }
}

/// Whether a text names an option as a whole word.
pub(super) fn reads_option(text: &str, flag: &str) -> bool {
    text.match_indices(flag).any(|(at, _)| {
        let after = text.get(at + flag.len()..).and_then(|rest| rest.chars().next());
        let before = text.get(..at).and_then(|rest| rest.chars().next_back());
        !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}
