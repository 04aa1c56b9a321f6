//! What the system or a service refuses.

use serde_json::Value;

use super::super::case::{Case, Offer, Offered, name_of};
use super::super::look::FileKind;
use super::super::step::{Deed, PlanStep};
use super::programs::interpreter;
use crate::model::{ObjectKind, ToolKind};
use crate::shell::{WordRole, line_of};
use crate::text::quoted;

/// The inherited contract's own folder for what may be written.
const CONTRACT_SANDBOX: &str = ".forgekeeper/sandbox";

pub(in super::super) fn try_sandbox_directory(case: &Case<'_>) -> Offered {
    let file = case.failed.file.as_deref().ok_or("no file tool was refused")?;
    if case.failed.kind != ToolKind::Write {
        return Err("only what writes a whole file can be done elsewhere");
    }
    let sandbox = match &case.failed.sandbox {
        Some(folder) => folder.trim_end_matches('/').to_owned(),
        None if case.is_contract() => CONTRACT_SANDBOX.to_owned(),
        None => return Err("no sandbox is named: --sandbox DIR"),
    };
    let name = name_of(file);
    if name.is_empty() || name == ".." || file.starts_with(&format!("{sandbox}/")) {
        return Err("the file has no name of its own outside the sandbox");
    }
    let path = format!("{sandbox}/{name}");
    let key = ["file", "file_path", "path"]
        .into_iter()
        .find(|key| case.failed.args.contains_key(*key))
        .ok_or("its arguments are not known")?;
    let verify = if case.is_contract() {
        Deed::List(sandbox.clone())
    } else {
        // The client's tool that lists does not show a folder that is empty, and fails on one that is not there.
        Deed::Run(format!("{} && {}", line_of(["mkdir", "-p", "--", &sandbox]), line_of(["ls", "-ld", "--", &sandbox])))
    };
    let steps = vec![
        PlanStep::new("List sandbox directory to verify access", verify, "Sandbox directory accessible"),
        PlanStep::work(
            "Retry operation with sandbox-relative path",
            case.again_changing(&[(key, Value::String(path))]),
            "Operation succeeds in sandbox",
        ),
    ];
    Ok(Offer::new(format!("{} lies outside what may be written", quoted(file, 100)), steps)
        .seen(format!("writing {} was refused", quoted(file, 100))))
}

/// The script that may not be run.
fn refused_script<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    let named = case.failed.object(ObjectKind::File).or(case.failed.object(ObjectKind::Program));
    let is_script = |word: &str| word.contains('/') && !word.ends_with('/');
    let words = case.words.iter().filter(|word| word.is_literal).filter(|word| {
        // What starts others has the program among its own words.
        word.role == WordRole::Program
            || word.role == WordRole::Argument && matches!(case.kind(&word.text), Some(FileKind::Script(_)))
    });
    let mut programs = words.map(|word| word.text.as_str()).filter(|word| is_script(word));
    programs.find(|word| named.is_none_or(|named| named == *word) || case.printed().names(word))
}

pub(in super::super) fn run_with_interpreter(case: &Case<'_>) -> Offered {
    if case.failed.exit_code.is_some_and(|code| !matches!(code, 123 | 126)) {
        return Err("it is not the right to run it that is missing");
    }
    let script = refused_script(case).ok_or("the line starts no script by its path")?;
    // A script that may be run and was refused is kept from running, and one that nobody may change was locked up.
    if case.looks.mode(&case.at(script)).is_some_and(|mode| mode & 0o111 != 0 || mode & 0o222 == 0) {
        return Err("its rights are not those of a file that only lacks the right to be run");
    }
    // A shell reads a text without a first line of that kind itself.
    let plain = || (case.kind(script) == Some(FileKind::Text) && !name_of(script).contains('.')).then_some("sh");
    let interpreter = interpreter(case, script).or_else(plain).ok_or("the script's language is not known")?;
    let argument = case.words.iter().find(|word| word.role == WordRole::Argument && word.text == script);
    let word = case.program_word(script).or(argument).ok_or("the line does not start it once")?;
    let text = line_of(interpreter.split(' ').chain([script]));
    let step = case.again_with_text(word, &text).ok_or("its command line is not whole")?;
    let state = format!("{} is not executable", quoted(script, 100));
    Ok(Offer::explained(
        state,
        vec![PlanStep::work(format!("Let `{interpreter}` read the script"), step, "The script runs")],
    )
    .doing(format!("Run the script by `{interpreter}`, which needs no right to execute"))
    .guessing())
}
