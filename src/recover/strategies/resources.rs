//! Memory, disk and limits, and settings that are missing.

use super::super::case::{Case, Offer, Offered, join};
use super::super::step::{Deed, Step};
use crate::shell::{Command, Nesting, PlacedWord, Script, WordRole, line_of};
use crate::text::quoted;

/// Files in which a project says what it is to be set up with.
const TOLD: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    "config.example.toml",
    "config.example.yaml",
    "config.example.json",
    "README.md",
];

pub(in super::super) fn look_at_settings(case: &Case<'_>) -> Offered {
    if case.says(&["not trusted", "is untrusted", "is blocked", "direnv allow"]) {
        return Err("what a project brings is trusted only by a person");
    }
    let told = TOLD.iter().map(|name| join(&case.folder(), name)).find(|path| case.looks.kind(path).is_some());
    let step = match told {
        Some(path) => Step::new(
            format!("Read {}", quoted(&path, 60)),
            Deed::Read { path, from: None },
            "What is to be set, and how",
        ),
        // Names only: values may be secrets.
        None => Step::new(
            "Look which settings are there, by name",
            Deed::Run("env | cut -d= -f1 | sort; ls -A".to_owned()),
            "Whether the setting is there",
        ),
    };
    Ok(Offer::new("the project says what it needs to be set", vec![step]))
}

pub(in super::super) fn show_what_was_hidden(case: &Case<'_>) -> Offered {
    if super::ask::is_sealed(case) {
        return Err("only the password or key opens it, which a person has");
    }
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if crate::decide::may_have_taken_effect(line) {
        return Err("making it again might do something twice");
    }
    let reads = |word: &PlacedWord| line.get(..word.range.start).is_some_and(|head| head.trim_end().ends_with('<'));
    let is_null = |word: &&PlacedWord| word.role == WordRole::Target && word.text == "/dev/null" && !reads(word);
    let script = case.script.as_ref().ok_or("no command was run")?;
    if let Some(made) = without_display(case, script, line) {
        let step = case.again_with(made).ok_or("its command line is not whole")?;
        let why = "a pipe showed only a part of what was printed";
        return Ok(Offer::new(
            why,
            vec![Step::work("Make the call with all of its output", step, "The error's own words")],
        ));
    }
    let nulls: Vec<_> = case.words.iter().filter(is_null).map(|word| (word, "/dev/stdout")).collect();
    if nulls.is_empty() {
        return Err("nothing of its output was hidden");
    }
    let step = case.again_replacing(&nulls).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "its errors were thrown away",
        vec![Step::work("Make the call with its errors shown", step, "The error's own words")],
    ))
}

/// The line without the stages at its end that only show a part of what the stage before them prints.
fn without_display(case: &Case<'_>, script: &Script, line: &str) -> Option<String> {
    let shows = |command: &Command| matches!(command.name(), "tail" | "head" | "grep");
    let last = script.pipelines.last()?;
    let is_plain = script.pipelines.iter().all(|pipeline| {
        pipeline.nesting == Nesting::Top && pipeline.commands.iter().all(|command| !command.program.is_empty())
    });
    if !is_plain || last.commands.len() < 2 || !last.commands.iter().skip(1).all(shows) {
        return None;
    }
    let number: usize = script.pipelines.iter().rev().skip(1).map(|pipeline| pipeline.commands.len()).sum();
    let end = case.words.iter().filter(|word| word.command == number).map(|word| word.range.end).max()?;
    let head = line.get(..end)?.trim_end().trim_end_matches("2>&1").trim_end();
    Some(format!("{head} 2>&1"))
}

/// A look on the other machine, where the line ran there.
fn elsewhere(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.name() == "ssh")?;
    let script = case.arguments_of(case.word_of(command)?).last().filter(|arg| arg.text.contains(' '))?;
    let folder = script
        .text
        .strip_prefix("cd ")
        .and_then(|rest| rest.split([' ', ';', '&']).next())
        .filter(|folder| !folder.contains(['$', '`', '"', '\'']));
    let look = folder
        .map_or_else(|| "pwd && ls -A".to_owned(), |folder| format!("{} && pwd && ls -A", line_of(["cd", folder])));
    let line = case.failed.line.as_deref()?;
    let made = format!("{}{}", line.get(..script.range.start)?, crate::shell::quoted_word(&look));
    let start = case.word_of(command)?.range.start;
    let deed = case.again_with(made.get(start..)?.to_owned())?;
    Some(Offer::new(
        "it ran on another machine",
        vec![Step::new("Look what is there", deed, "The folder on the other machine, and its names")],
    ))
}

/// The place of a script of the project that prints what was printed.
fn where_it_is_said(case: &Case<'_>) -> Option<Offer> {
    let command = case.command()?;
    let is_script = |word: &&PlacedWord| {
        let ending = word.text.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_named =
            matches!(ending, "sh" | "bash" | "zsh" | "py" | "rb" | "pl" | "js" | "mjs" | "cjs" | "ts" | "php");
        word.is_literal && is_named && word.text.len() <= 1024
    };
    let program = case.word_of(command)?;
    let script = is_script(&program).then_some(program).or_else(|| case.arguments_of(program).find(is_script))?;
    let said = case.failed.line_that_matters()?.trim_matches(|c: char| !c.is_alphanumeric());
    // What varies is not written in the script: its first words up to a figure, a path or a quote are.
    let words = said.split(['"', '\'', '`', ':', '/', '(', '[', '=']).map(str::trim);
    let words = words.map(|part| part.trim_end_matches(|c: char| c.is_ascii_digit()).trim());
    let text = words.filter(|part| part.contains(' ') && part.len() >= 8).max_by_key(|part| part.len())?;
    let deed = Deed::Search { text: text.to_owned(), folder: case.at(&script.text) };
    let shows = "The lines that say so, and what they ask for";
    let step = Step::new(format!("Find where the script says {}", quoted(text, 60)), deed, shows);
    Some(Offer::new("the script itself says it", vec![step]))
}

/// What a checker of Go could not load does not build: the compiler says why. A circle of imports is told by its packages.
fn what_does_not_build(case: &Case<'_>) -> Option<Offer> {
    let line = if case.says(&["failed to load packages", "could not load export data", "failed to load package"]) {
        "go build ./... 2>&1 | head -n 60"
    } else if case.says(&["build constraints exclude all Go files"]) {
        "grep -rnE \"^//go:build \" --include=*.go . | head -n 100"
    } else if case.says(&["no Go files in", "no packages loaded from"]) {
        "go list ./... | head -n 100"
    } else if case.says(&["import cycle not allowed"]) {
        "go list -e -f '{{.ImportPath}}: {{join .Imports \" \"}}' ./... | head -n 100"
    } else {
        return None;
    };
    let look = Step::new(
        "Let Go say which packages it cannot build",
        Deed::Run(case.in_folder(line)),
        "The packages, and what they import or lack",
    );
    Some(Offer::new("the packages do not fit together", vec![look]))
}

pub(in super::super) fn look_around(case: &Case<'_>) -> Offered {
    if super::ask::is_sealed(case) {
        return Err("only the password or key opens it, which a person has");
    }
    if !case.is_shell() && case.failed.file.is_none() {
        return Err("it ran in no folder");
    }
    if let Some(offer) = elsewhere(case).or_else(|| what_does_not_build(case)).or_else(|| where_it_is_said(case)) {
        return Ok(offer);
    }
    let name = case
        .command()
        .map(|command| command.raw.clone())
        .filter(|name| !name.is_empty() && !name.contains(['$', '`', '\n']) && name.len() <= 100);
    let asks = name.map(|name| format!("; {} || true", line_of(["command", "-v", &name]))).unwrap_or_default();
    let line = case.in_folder(&format!("pwd && ls -A{asks}"));
    Ok(Offer::new(
        "where it ran, and what is there, is not known",
        vec![Step::new(
            "Look where it ran and what is there",
            Deed::Run(line),
            "The folder, its names, and where the program is",
        )],
    ))
}
