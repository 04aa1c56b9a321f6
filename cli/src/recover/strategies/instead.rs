//! The same work by a program that is there, where its words can be said in the other's.

use super::super::case::Case;
use super::super::look::FileKind;
use super::manifests::{declared_here, manifest_of};
use crate::names::declared;
use crate::shell::{Command, PlacedWord, line_of};

/// A line that does what a missing program was to do with the scripts and environments that lie here, and the words for why.
pub(super) fn translated(case: &Case<'_>, name: &str) -> Option<(String, &'static str)> {
    let command = case.commands().find(|command| command.raw == name)?;
    let own: Vec<&PlacedWord> = case.arguments_of(case.word_of(command)?).collect();
    if own.iter().any(|word| !word.is_literal) {
        return None;
    }
    match name {
        "yarn" | "pnpm" | "bun" => Some((by_npm(case, name, command)?, "`npm` runs the same scripts")),
        "poetry" | "uv" | "pipenv" => Some((in_environment(case, &own)?, "the project's own environment contains it")),
        _ => None,
    }
}

/// A script of the project, or its installation, by the manager that comes with Node.
fn by_npm(case: &Case<'_>, name: &str, command: &Command) -> Option<String> {
    let is_there = !case.looks.is_looking() || case.looks.programs().iter().any(|own| own == "npm");
    let scripts = declared("package.json", &manifest_of(case, "npm")?).unwrap_or_default();
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let (script, rest) = match args.as_slice() {
        [] if name == "yarn" => return Some("npm install".to_owned()),
        ["install" | "i"] => return Some("npm install".to_owned()),
        ["run" | "run-script", script, rest @ ..] | [script, rest @ ..] => (*script, rest),
        [] => return None,
    };
    if !is_there || !scripts.iter().any(|own| own == script) {
        return None;
    }
    let behind: &[&str] = if rest.is_empty() || rest.first() == Some(&"--") { &[] } else { &["--"] };
    Some(line_of(["npm", "run", script].iter().chain(behind).chain(rest)))
}

/// What `poetry run`, `uv run` and `pipenv run` start, from the environment that they would start it in.
fn in_environment(case: &Case<'_>, own: &[&PlacedWord]) -> Option<String> {
    let [run, program, rest @ ..] = own else { return None };
    let is_own = |path: &String| case.kind(path).is_some();
    let path = [".venv", "venv"].iter().map(|folder| format!("{folder}/bin/{}", program.text)).find(is_own);
    let is_there = |name: &str| case.looks.programs().iter().any(|own| own == name);
    let made = match path {
        Some(path) => format!("./{path}"),
        // Without an environment of the project's own it is run as it stands.
        None if program.text.ends_with(".py") && is_own(&program.text) && is_there("python3") => {
            return (run.text == "run")
                .then(|| line_of(["python3", &program.text].into_iter().chain(rest.iter().map(|word| &*word.text))));
        }
        None if is_there(&program.text) => program.text.clone(),
        None => return None,
    };
    (run.text == "run").then(|| line_of([&*made].into_iter().chain(rest.iter().map(|word| &*word.text))))
}

/// What runs a package, a target or a script of the project by its name.
pub(super) fn as_module(case: &Case<'_>, name: &str) -> Option<String> {
    let is_there = |program: &&str| case.looks.programs().iter().any(|own| own == program);
    let mut tasks = [("make", "make"), ("npm", "npm run"), ("just", "just"), ("task", "task")].into_iter();
    let declares = |program: &str| is_there(&program) && declared_here(case, program).iter().any(|own| own == name);
    if let Some((_, call)) = tasks.find(|(program, _)| declares(program)) {
        return Some(line_of(call.split(' ').chain([name])));
    }
    let command = format!("cmd/{name}");
    if case.kind(&command) == Some(FileKind::Dir) && manifest_of(case, "go").is_some() && is_there(&"go") {
        return Some(line_of(["go", "run", &format!("./{command}")]));
    }
    let python = ["python3", "python"].into_iter().find(is_there)?;
    let module = name.replace('-', "_");
    let is_package =
        |folder: &str| case.kind(&super::super::case::join(folder, &format!("{module}/__main__.py"))).is_some();
    if is_package("") {
        return Some(line_of([python, "-m", &module]));
    }
    None
}
