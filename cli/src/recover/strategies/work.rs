//! The work itself: tests, compilers, linters, scripts, hooks and checks.

use super::super::case::{Case, Offer, Offered, braced, join};
use super::super::look::FileKind;
use super::super::step::{Deed, PlanStep};
use super::mends::without_import;
use super::paths::is_read_from;
use super::tested::{look_at_data, look_at_source};
use crate::model::{Category, FindingKind, ObjectKind};
use crate::programs::words::ALONE;
use crate::programs::{Trait, are_of};
use crate::reading::{SourcePlace, is_of_others, is_of_tests};
use crate::redact::names_secrets;
use crate::shell::{line_of, quoted_word};
use crate::text::quoted;

/// The folder of the package whose tests failed, where the run tells it: the only one that it was asked for, or
/// the only one below it that the runner says failed.
fn folder_of_package(case: &Case<'_>) -> Option<String> {
    let command = case.commands().find(|command| command.is(Trait::TestsPackages))?;
    let mut folders = command.args.iter().filter(|arg| arg.starts_with("./") || *arg == ".");
    let Some(folder) = folders.next() else {
        // Without one it is the folder where it ran; a package by its whole name may be anywhere.
        let is_here = !command.args.iter().any(|arg| arg.contains('/') && !arg.starts_with('-'));
        return is_here.then(String::new);
    };
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let Some(above) = folder.strip_suffix("...").map(|above| above.trim_end_matches('/')) else {
        return Some(folder.to_owned()).filter(|_| folders.next().is_none());
    };
    let mut failed = case.printed().failed_packages(None);
    let package = failed.next().filter(|_| !above.is_empty() && failed.next().is_none())?;
    let at = format!("{package}/").rfind(&format!("/{above}/"))?;
    package.get(at + 1..).map(str::to_owned)
}

/// The folder of the only package whose script ran, where a path of the output is from it.
fn package_folder<'c>(case: &'c Case<'_>, file: &str) -> Option<&'c str> {
    let folders = case.printed().script_folders();
    let [folder] = folders.as_slice() else { return None };
    // A path that begins with the package's own folder is from the project's.
    let is_whole = file.starts_with('/') || file.starts_with("../");
    let first = file.split('/').next().unwrap_or_default();
    let is_above = folder.split('/').any(|part| part == first);
    let is_own = case.failed.cwd.as_deref().is_none_or(|cwd| cwd.trim_end_matches('/') != *folder);
    (!is_whole && !is_above && is_own && case.folder().is_empty()).then_some(*folder)
}

/// A look at a place: it is read where its path is whole, else found by its name. Some runners print the bare name, or a path
/// from a folder of their own.
fn look_at(case: &Case<'_>, file: &str, line: Option<u64>, before: u64, shows: &str) -> PlanStep {
    let from = line.map(|line| line.saturating_sub(before).max(1));
    let is_there = case.kind(file).is_some();
    // Some runners name a file from a folder of their own: the call names it whole.
    let whole = case
        .words
        .iter()
        .map(|word| word.text.trim_start_matches("./"))
        .find(|word| word.ends_with(&format!("/{file}")));
    let file = whole.filter(|_| !is_there).unwrap_or(file);
    let runs_packages = || case.commands().any(|command| command.is(Trait::TestsPackages));
    let tests_packages = |runner: &str| are_of(runner, Trait::TestsPackages);
    let is_bare =
        !file.contains('/') && (runs_packages() || case.failed.reading.runner.as_deref().is_some_and(tests_packages));
    let whole = folder_of_package(case).filter(|_| is_bare).map(|folder| join(&folder, file));
    let file = whole.as_deref().unwrap_or(file);
    let of_package = package_folder(case, file).map(|folder| join(folder, file));
    let is_package = of_package.is_some();
    let file = of_package.as_deref().unwrap_or(file);
    let is_partial = is_bare && whole.is_none()
        || file.starts_with("../")
        || !is_package && !file.starts_with('/') && case.printed().runs_in_workspaces();
    let path = if is_partial && !is_there {
        let name = crate::text::file_name(file);
        let found = case.looks.find(&|other| other == name);
        let [only] = found.as_slice() else {
            let deed = Deed::Find { name: name.to_owned() };
            return PlanStep::new(format!("Find {}", quoted(name, 100)), deed, "The file that the error speaks of");
        };
        only.clone()
    } else {
        case.at(file)
    };
    PlanStep::new(format!("Read {}", quoted(file, 100)), Deed::Read { path, from }, shows)
}

pub(in super::super) fn read_the_place(case: &Case<'_>) -> Offered {
    if case.category() == Category::TestFailure
        && let Some(place) = case.printed().place_of_test(case.failed.object(ObjectKind::Test))
    {
        let mut steps = vec![look_at(case, &place.file, Some(place.line), 15, "The lines that the error speaks of")];
        steps.extend(look_at_source(case, &place));
        return Ok(Offer::new(format!("the output names {}", quoted(&place.file, 100)), steps));
    }
    if let Some(offer) = without_import(case) {
        return Ok(offer);
    }
    let places = case.printed().places();
    // A traceback of Python names the place that failed last, most others first.
    let is_python = case.finding(FindingKind::Traceback).is_some();
    let named = |place: &&SourcePlace| {
        case.failed.reading.files.iter().any(|file| place.file.ends_with(file.trim_start_matches("./")))
    };
    let chosen = if is_python {
        places.iter().rev().find(named).or(places.last())
    } else {
        places.iter().find(named).or(places.first())
    };
    // A package stands among the files of some runners.
    let named_file =
        case.failed.reading.files.iter().find(|file| !is_of_others(file) && crate::text::file_name(file).contains('.'));
    let (file, line) = match (chosen, named_file) {
        (Some(place), _) => (place.file.clone(), Some(place.line)),
        (None, Some(file)) => (file.clone(), None),
        (None, None) => match data_file(case) {
            Some((file, line)) => (file, line),
            None => return Err("the output names no file of the project"),
        },
    };
    if case.looks.is_looking() && case.kind(&file).is_none() && file.contains('/') && !file.starts_with(['/', '.']) {
        return Err("the file that the output names is not there");
    }
    if case.category() == Category::ConfigOrState && (line.is_none() || names_secrets(&file)) {
        return Err("the output names no line of settings");
    }
    let mut steps = vec![look_at(case, &file, line, 15, "The lines that the error speaks of")];
    if let Some(place) = chosen {
        steps.extend(if is_of_tests(&file) { look_at_source(case, place) } else { look_at_data(case, place) });
    }
    Ok(Offer::new(format!("the output names {}", quoted(&file, 100)), steps))
}

/// The file of data that the line reads, where what reads it says that it cannot: JSON, YAML, TOML and tables.
fn data_file(case: &Case<'_>) -> Option<(String, Option<u64>)> {
    const ENDINGS: &[&str] = &[".yml", ".yaml", ".json", ".toml", ".csv", ".xml", ".ini", ".sql", ".jsonl", ".tf"];
    const KINDS: &[FindingKind] = &[FindingKind::BadSyntax, FindingKind::ShellSyntax];
    let printed = case.printed();
    let own =
        |file: &&str| ENDINGS.iter().any(|ending| file.ends_with(ending)) && case.kind(file) == Some(FileKind::Text);
    if let Some(file) = printed.file_names().find(|file| own(file) && !names_secrets(file)) {
        return Some((file.to_owned(), None));
    }
    if !case.finds(KINDS) {
        return None;
    }
    // What is fed in goes before what is named.
    let line = case.failed.line.as_deref().unwrap_or_default();
    let (fed, named): (Vec<_>, Vec<_>) = case.words.iter().partition(|word| is_read_from(line, word));
    let words = fed.into_iter().chain(named).flat_map(|word| word.text.split(['\'', '"', '(', ')', ',', ' ', '=']));
    let mut files = words.filter(|word| {
        ENDINGS.iter().any(|ending| word.ends_with(ending))
            && word.len() <= 1024
            && !word.starts_with('-')
            && !word.contains(['*', '$'])
    });
    let file = files.find(|file| !case.looks.is_looking() || case.kind(file) == Some(FileKind::Text))?;
    let number = case.named(FindingKind::BadSyntax).and_then(|number| number.parse().ok());
    Some((file.to_owned(), number.filter(|line| *line > 0)))
}

/// How one test is run alone, by what the reader calls its runner.
fn alone(case: &Case<'_>, test: &str) -> Option<String> {
    let command = case.command()?;
    let runner = case.failed.reading.runner.as_deref().unwrap_or_default();
    let (_, form) = ALONE.iter().find(|(name, _)| runner.starts_with(name) || command.runs(name))?;
    let last = test.rsplit(" > ").next().unwrap_or(test);
    let last = last.rsplit(" › ").next().unwrap_or(last).trim();
    let mut words: Vec<String> = Vec::new();
    for word in form.split(' ') {
        match word {
            "TEST" => words.push(test.to_owned()),
            "NAME" => words.push(last.to_owned()),
            "NODE" => words.push(case.printed().node_of_test(test).unwrap_or(test).to_owned()),
            // Minitest writes `CartTest#test_total`.
            "METHOD" => words.push(last.rsplit('#').next().unwrap_or(last).to_owned()),
            "PATTERN" => words.push(format!("^{}$", test.split('/').next().unwrap_or(test))),
            "PLACE" => words.push(whole_name(case, test)),
            "FILE" => words.extend(test_file(case).map(str::to_owned)),
            "SCRIPT" => words.push(command.args.iter().find(|arg| arg.ends_with(".rb"))?.clone()),
            "FLAGS" => words.extend(build_flags(case, form).into_iter().map(str::to_owned)),
            "PACKAGE" => words.push(package(case, test)),
            word => words.push(word.to_owned()),
        }
    }
    Some(line_of(words))
}

/// A test with the place that the runner prints in brackets behind its name: `test_sum (test_a.T.test_sum)`, before Python
/// 3.11 without the name behind.
fn whole_name(case: &Case<'_>, test: &str) -> String {
    match case.printed().in_brackets(test) {
        Some(place) if place.ends_with(&format!(".{test}")) => place.to_owned(),
        Some(place) => format!("{place}.{test}"),
        None => test.to_owned(),
    }
}

/// The only file of tests that the call names.
fn test_file<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    let is_file = |word: &&crate::shell::PlacedWord| {
        let name = crate::text::file_name(&word.text);
        word.is_literal && !word.text.starts_with('-') && (name.contains(".test.") || name.contains(".spec."))
    };
    let mut files = case.words.iter().filter(is_file);
    files.next().filter(|_| files.next().is_none()).map(|word| &*word.text)
}

/// The options of a run of tests that say what is built: of the call, or of the line that a task prints.
fn build_flags<'c>(case: &'c Case<'_>, form: &str) -> Vec<&'c str> {
    let runner = form.split(" FLAGS").next().unwrap_or_default();
    let own = case.commands().find(|command| command.runs(runner));
    let words: Vec<&str> = match own {
        Some(command) => command.args.iter().map(String::as_str).collect(),
        None => case.printed().printed_call(runner).into_iter().flat_map(str::split_whitespace).collect(),
    };
    let is_kept = |word: &&str| {
        matches!(*word, "-race" | "-short" | "-mod=mod" | "-mod=vendor")
            || word.starts_with("-tags=") && word.len() <= 100
    };
    words.into_iter().filter(is_kept).collect()
}

/// The package of a failed test: the one that the runner says failed where it is one, else that of the call, else all.
fn package(case: &Case<'_>, test: &str) -> String {
    let plain = |package: &&str| {
        package.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte)) && !package.starts_with('-')
    };
    let told = case.printed().failed_packages(Some(test)).next().filter(plain);
    let own = || {
        let command = case.commands().find(|command| command.is(Trait::TestsPackages))?;
        command.args.iter().map(String::as_str).find(|arg| arg.starts_with("./"))
    };
    told.or_else(own).unwrap_or("./...").to_owned()
}

/// Whether the call ran just this test and printed all of it.
fn ran_alone(case: &Case<'_>, test: &str) -> bool {
    let top = test.split(['/', ':']).next().unwrap_or(test);
    case.commands().any(|command| {
        let names = command.args.iter().any(|arg| {
            arg.trim_start_matches("-run=").trim_matches(['^', '$']) == top || arg.ends_with(&format!("::{test}"))
        });
        names && (command.has_arg("-v") || command.has_arg("-vv") || command.has_arg("--nocapture"))
    })
}

pub(in super::super) fn run_failed_test_alone(case: &Case<'_>) -> Offered {
    let test = case.failed.object(ObjectKind::Test).ok_or("the output names no test")?;
    if test.starts_with('-') || test.contains('\n') || test.contains('…') {
        return Err("the test's name is not whole");
    }
    let line = alone(case, test).ok_or("how this runner runs one test alone is not known")?;
    if case.failed.line.as_deref() == Some(&line) || ran_alone(case, test) {
        return Err("the test ran alone already");
    }
    let alone = PlanStep::new(
        format!("Run {} alone, with all that it prints", quoted(test, 80)),
        Deed::Run(case.in_folder(&line)),
        "The values that differ, or a pass: then the tests disturb each other",
    );
    let mut steps = Vec::new();
    if let Some(place) = case.printed().place_of_test(Some(test)) {
        steps.push(look_at(case, &place.file, Some(place.line), 20, "What the test expects, and why"));
        steps.extend(look_at_source(case, &place));
    }
    // The run fails as long as the test does: nothing stands behind it.
    steps.push(alone);
    Ok(Offer::new(format!("{} failed among others", quoted(test, 80)), steps))
}

/// What marks the lines of a test run that say what failed.
const SAYS_WHAT_FAILED: &str =
    "^[[:space:]]*(--- FAIL|FAIL|FAILED|panic:|not ok)|_test\\.go:[0-9]+:|AssertionError|Error:|✗|✕|×|❯ .*test";

pub(super) fn show_what_failed(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if case.failed.object(ObjectKind::Test).is_some() {
        return Err("the output names the test that failed");
    }
    if crate::decide::may_have_taken_effect(line) || line.contains("grep") || line.contains('\n') {
        return Err("the output cannot be cut down to what failed");
    }
    let script = case.script.as_ref().filter(|script| !script.incomplete).ok_or("its command line is not whole")?;
    if script.pipelines.iter().any(|pipeline| pipeline.commands.len() > 1) {
        return Err("the output goes through a pipe already");
    }
    let made = format!("{} 2>&1 | grep -E -A 12 {} | head -n 150", braced(line), quoted_word(SAYS_WHAT_FAILED));
    let step = case.again_with(made).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "what failed is lost among other output",
        vec![PlanStep::new(
            "Run it once more, and show only what failed",
            step,
            "The names of the tests that failed, and why",
        )],
    ))
}
