//! The text of the project that a call runs.

use super::super::case::{Case, Offer, parent};
use super::super::look::FileKind;
use super::super::step::{Deed, PlanStep};
use super::dependencies::installs;
use super::manifests::{asked_for, node_script};
use super::paths::in_other_letters;
use crate::model::ObjectKind;
use crate::names::{declared, lines_run_by};
use crate::programs::manifests::{MAKEFILES, manifests_named};
use crate::programs::words::interpreter_of;
use crate::shell::{WordRole, line_of, placed_words};
use crate::text::quoted;

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

/// The file that a source of the project names in other letters than it has: the source is edited.
pub(super) fn named_in_other_letters(case: &Case<'_>) -> Option<Offer> {
    let named = case.failed.object(ObjectKind::File).filter(|_| case.looks.is_looking())?;
    let there = in_other_letters(case, named)?;
    // As long an end of the path as the source writes.
    let ends =
        named.match_indices('/').map(|(at, _)| at + 1).chain([0]).filter(|at| named.get(*at..) != there.get(*at..));
    let mut starts: Vec<usize> = ends.collect();
    starts.sort_unstable();
    let sources = case.printed().file_names().filter(|file| *file != named && case.looks.is_own(&case.at(file)));
    let (source, line, at) = sources.take(20).find_map(|file| {
        let text = case.looks.text(&case.at(file))?;
        let at = *starts.iter().find(|at| named.get(**at..).is_some_and(|end| text.matches(end).count() == 1))?;
        let line = text.split_inclusive('\n').find(|line| named.get(at..).is_some_and(|end| line.contains(end)))?;
        (text.matches(line).count() == 1).then(|| (file, line.to_owned(), at))
    })?;
    let (written, meant) = (named.get(at..)?, there.get(at..)?);
    let path = case.at(source);
    let steps = vec![
        PlanStep::new(
            format!("Read {}", quoted(source, 100)),
            Deed::Read { path: path.clone(), from: None },
            "The line that names the file",
        ),
        PlanStep::new(
            "Name the file as it is written",
            Deed::Edit { path, new: line.replace(written, meant), old: line },
            "The source names the existing file",
        ),
        PlanStep::work("Repeat the call", case.again(), "It finds the file"),
    ];
    let state = format!("{} does not exist, and {} does", quoted(written, 100), quoted(meant, 100));
    Some(Offer::explained(state, steps).doing("Name the file in its own letters"))
}

/// What makes a file that is not there, as a manifest of the folder says.
pub(super) fn what_builds(case: &Case<'_>, path: &str) -> Option<Offer> {
    let path = path.trim_start_matches("./");
    let line = by_cargo(case, path).or_else(|| by_target(case, path)).or_else(|| by_script(case, path))?;
    let steps = vec![
        PlanStep::new("Build what is missing", Deed::Run(case.in_folder(&line)), "The file is made"),
        PlanStep::work("Repeat the call", case.again(), "It finds what was built"),
    ];
    let state = format!("{} does not exist, and {} builds it", quoted(path, 100), quoted(&line, 60));
    (case.is_whole() && case.kind(path).is_none())
        .then(|| Offer::explained(state, steps).doing("Build the missing file"))
}

fn by_cargo(case: &Case<'_>, path: &str) -> Option<String> {
    case.kind("Cargo.toml")?;
    match path.strip_prefix("target/")?.split_once('/')? {
        ("debug", _) => Some("cargo build".to_owned()),
        ("release", _) => Some("cargo build --release".to_owned()),
        _ => None,
    }
}

/// The target of a Makefile that is the file, or whose lines name it as their output.
fn by_target(case: &Case<'_>, path: &str) -> Option<String> {
    let file = MAKEFILES.iter().find(|name| case.kind(name).is_some())?;
    let text = case.looks.text(&case.at(file))?;
    let writes = |line: &String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.windows(2).any(|two| matches!(two, ["-o" | ">", made] if made.trim_start_matches("./") == path))
    };
    let makes = |name: &&String| lines_run_by(file, &text, Some(name)).is_some_and(|lines| lines.iter().any(writes));
    let targets = declared(file, &text)?;
    let is_it = |name: &&String| **name == path;
    targets.iter().find(is_it).or_else(|| targets.iter().find(makes)).map(|name| line_of(["make", name]))
}

/// The script `build` of a package, for a file in the folder that it fills.
fn by_script(case: &Case<'_>, path: &str) -> Option<String> {
    let (folder, _) = path.split_once('/')?;
    let text = case.looks.text(&case.at("package.json")).filter(|_| case.kind(&parent(path)).is_none())?;
    let lines = lines_run_by("package.json", &text, Some("build"))?;
    let is_word =
        |line: &String| line.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).any(|word| word == folder);
    let is_here = |names: &[&str]| names.iter().any(|name| case.kind(name).is_some());
    let (_, install) = installs("npm").find(|(names, _)| is_here(names))?;
    let runner = install.split(' ').next()?;
    lines.iter().any(is_word).then(|| format!("{runner} run build"))
}
