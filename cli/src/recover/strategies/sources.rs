//! The text of the project that a call runs.

use super::super::case::Case;
use super::super::look::FileKind;
use super::manifests::{asked_for, node_script};
use crate::programs::manifests::{MAKEFILES, manifests_named};
use crate::programs::words::interpreter_of;
use crate::shell::{WordRole, placed_words};

/// The text of the project that a command runs.
pub(in super::super) struct ScriptSource {
    /// Its path, from the call's folder.
    pub(in super::super) path: String,
    /// What it holds.
    pub(in super::super) text: String,
}

/// The script or Makefile of the project that the failed command runs.
pub(in super::super) fn source(case: &Case<'_>) -> Option<ScriptSource> {
    let command = case.command()?;
    let word = case.word_of(command)?;
    let made = |path: String| Some(ScriptSource { text: case.looks.text(&path)?, path });
    let manifests = manifests_named(command.name());
    if manifests == MAKEFILES {
        let file = manifests.iter().find(|name| case.kind(name).is_some())?;
        return made(case.at(file));
    }
    if manifests.contains(&"package.json") {
        let line = node_script(case, &asked_for(case)?)?;
        let words = placed_words(&line)?;
        let file = words.iter().find(|word| word.role != WordRole::Target && is_script(case, &word.text))?;
        return made(case.at(&file.text));
    }
    let mut own = std::iter::once(word).chain(case.arguments_of(word)).filter(|word| word.is_literal);
    let script = own.find(|word| is_script(case, &word.text))?;
    made(case.at(&script.text))
}

/// Whether a word is a script of the project.
fn is_script(case: &Case<'_>, word: &str) -> bool {
    if word.starts_with('-') || word.len() > 1024 {
        return false;
    }
    match case.kind(word) {
        Some(FileKind::Script(_)) => true,
        Some(FileKind::Text) => is_of_script(word),
        _ => false,
    }
}

/// Whether a name is that of a source which is run as it stands.
pub(super) fn is_of_script(name: &str) -> bool {
    interpreter_of(name).is_some() || name.ends_with(".ts") || name.ends_with(".go")
}
