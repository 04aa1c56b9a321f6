//! The work itself: tests, compilers, linters, scripts, hooks and checks.

use super::super::case::{Case, Offer, Offered, join};
use super::super::step::{Deed, PlanStep};
use super::tested::{is_of_tests, look_at_data, look_at_source};
use crate::model::{Category, FindingKind, ObjectKind};
use crate::shell::{line_of, quoted_word};
use crate::text::quoted;

/// A place in a file that the output names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourcePlace {
    /// As the output writes it.
    pub(super) file: String,
    /// From 1.
    pub(super) line: u64,
}

/// The places that a line of an output names: `src/a.rs:3:20`, `a.ts(3,5)`, `File "x.py", line 3`.
pub(super) fn places(line: &str) -> Vec<SourcePlace> {
    // A checker names a file of the package where the package itself does not build: it says nothing of its lines.
    if line.contains(": : # ") || line.contains(": could not import ") {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some((before, after)) = line.split_once("\", line ")
        && let Some((_, file)) = before.split_once("File \"")
        && let Ok(number) = after.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().parse()
    {
        found.push(SourcePlace { file: file.to_owned(), line: number });
    }
    // A shell names the script, then the line.
    if let Some((file, after)) = line.split_once(": line ").or_else(|| line.split_once(": "))
        && !file.contains([' ', '"', '\''])
        && file.contains(['.', '/'])
        && file.contains(char::is_alphabetic)
        && !file.contains("//")
        && let Some((number, _)) = after.split_once(": ")
        && let Ok(number) = number.parse()
    {
        found.push(SourcePlace { file: file.trim_start_matches("./").to_owned(), line: number });
    }
    // PHP and Perl write the number in words.
    for (file, number) in [(" in ", " on line "), (" at ", " line ")] {
        if let Some((before, after)) = line.rsplit_once(number)
            && let Some((_, file)) = before.rsplit_once(file)
            && !file.contains([' ', '"', '\''])
            && file.contains(['.', '/'])
            && let Ok(number) = after.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().parse()
        {
            found.push(SourcePlace { file: file.to_owned(), line: number });
        }
    }
    for word in line.split([' ', '\t', ',']).filter(|word| word.len() <= 1024) {
        let word = word.trim_start_matches(['(', '[', '"', '\'', '`']);
        let split = word
            .find([':', '('])
            .map(|at| (word.get(..at).unwrap_or_default(), word.get(at + 1..).unwrap_or_default()));
        let Some((file, rest)) = split else { continue };
        let number = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().parse::<u64>();
        let is_file = file.contains('.')
            && !file.starts_with('-')
            && !file.contains("//")
            && file.rsplit('.').next().is_some_and(|ending| {
                (1..=6).contains(&ending.len()) && ending.bytes().any(|b| b.is_ascii_alphabetic())
            });
        if let (true, Ok(number)) = (is_file, number)
            && number > 0
        {
            found.push(SourcePlace { file: file.trim_start_matches("./").to_owned(), line: number });
        }
    }
    found
}

/// Folders of libraries and interpreters.
const ELSEWHERE: &[&str] = &[
    "node_modules",
    "site-packages",
    "/usr/lib",
    "/rustc/",
    ".cargo/registry",
    "<frozen",
    "/usr/local/lib",
    "/usr/local/go",
    "node:internal",
    "dist-packages",
    "/lib/ruby/",
    "/lib/python",
    "/lib/node_modules/",
    "/go/pkg/mod/",
    "/.rustup/",
    "/.pyenv/",
    "/installs/",
    "/Frameworks/",
];

/// Whether a file belongs to a library or an interpreter, or is made up by one.
pub(super) fn is_elsewhere(file: &str) -> bool {
    file.starts_with('<') || ELSEWHERE.iter().any(|part| file.contains(part))
}

fn is_own(file: &str) -> bool {
    !is_elsewhere(file)
}

/// The project's own places: none of a library, nothing made up by an interpreter.
pub(super) fn own_places(case: &Case<'_>) -> Vec<SourcePlace> {
    let all = lines_that_speak(case.text()).flat_map(places);
    let own =
        all.filter(|place| !ELSEWHERE.iter().any(|part| place.file.contains(part)) && !place.file.starts_with('<'));
    own.take(200).collect()
}

/// The lines of an output without what tests wrote to the error stream, which vitest prints below a head of its own up to an
/// empty line: passing tests, too, write of errors that they provoked.
fn lines_that_speak(text: &str) -> impl Iterator<Item = &str> {
    let mut is_of_test = false;
    text.lines().filter(move |line| {
        is_of_test = line.starts_with("stderr | ") || is_of_test && !line.trim().is_empty();
        !is_of_test
    })
}

/// The place that a failed test names: in a file of tests, where the output names one, behind the test's own name.
fn place_of_test(case: &Case<'_>) -> Option<SourcePlace> {
    let of_tests = |place: &SourcePlace| is_of_tests(&place.file);
    let test = case.failed.object(ObjectKind::Test);
    let behind = test.and_then(|test| case.text().split_once(test)).map_or(case.text(), |(_, behind)| behind);
    let mut places =
        behind.lines().filter(|line| !line.contains("[warn]")).flat_map(places).filter(|place| is_own(&place.file));
    if let Some(place) = failed_in_go(behind).or_else(|| failed_in_go(case.text())) {
        return Some(place);
    }
    places
        .find(of_tests)
        .or_else(|| own_places(case).into_iter().find(of_tests))
        .or_else(|| own_places(case).into_iter().next())
}

/// The place of a Go test's first line that speaks of a failure: it writes what it only logs in the same form.
fn failed_in_go(text: &str) -> Option<SourcePlace> {
    const SAYS: &[&str] = &["expected", "should", "want", "got ", "failed", "error", "not ", "incorrect", "wrong"];
    let speaks = |line: &&str| {
        let said = line.split_once("_test.go:").map(|(_, said)| said.to_ascii_lowercase());
        said.is_some_and(|said| SAYS.iter().any(|word| said.contains(word)))
    };
    text.lines().filter(speaks).flat_map(places).find(|place| place.file.ends_with("_test.go"))
}

/// The folder of the package whose tests failed, where a run of Go's tests tells it: the only one that it was asked for, or
/// the only one below it that the runner says failed.
fn only_go_folder(case: &Case<'_>) -> Option<String> {
    let command = case.commands().find(|command| command.runs("go test"))?;
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
    let mut failed = case.text().lines().filter_map(|line| line.strip_prefix("FAIL\t")?.split_whitespace().next());
    let package = failed.next().filter(|_| !above.is_empty() && failed.next().is_none())?;
    let at = format!("{package}/").rfind(&format!("/{above}/"))?;
    package.get(at + 1..).map(str::to_owned)
}

/// The folder of the only package whose script ran, as its manager prints it: pnpm behind the script's name, npm where it says
/// which failed.
fn package_folder<'c>(case: &'c Case<'_>, file: &str) -> Option<&'c str> {
    let named = |line: &'c str| {
        let behind_the_script = || line.strip_prefix("> ")?.split(' ').nth(2).filter(|_| line.contains('@'));
        let of_the_failed = || line.strip_prefix("npm error path ");
        behind_the_script().or_else(of_the_failed).filter(|path| path.starts_with('/') && path.len() <= 1024)
    };
    let mut folders: Vec<&str> = case.text().lines().filter_map(named).collect();
    folders.sort_unstable();
    folders.dedup();
    let [folder] = folders.as_slice() else { return None };
    // A path that begins with the package's own folder is from the project's.
    let is_whole = file.starts_with('/') || file.starts_with("../");
    let first = file.split('/').next().unwrap_or_default();
    let is_above = folder.split('/').any(|part| part == first);
    let is_own = case.failed.cwd.as_deref().is_none_or(|cwd| cwd.trim_end_matches('/') != *folder);
    (!is_whole && !is_above && is_own && case.folder().is_empty()).then_some(*folder)
}

/// Whether scripts of several packages ran, each in its own folder, so that a path of the output is from one of them.
fn runs_in_workspaces(case: &Case<'_>, file: &str) -> bool {
    let is_head = |line: &&str| {
        line.strip_prefix("> ")
            .is_some_and(|rest| rest.split(' ').next().is_some_and(|name| name.trim_start_matches('@').contains('@')))
    };
    !file.starts_with('/') && case.text().lines().filter(is_head).take(2).count() == 2
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
    let runner = case.failed.reading.runner.as_deref().unwrap_or_default();
    let is_of_go = !file.contains('/') && (case.runs("go test") || runner.starts_with("go test"));
    let whole = only_go_folder(case).filter(|_| is_of_go).map(|folder| join(&folder, file));
    let file = whole.as_deref().unwrap_or(file);
    let of_package = package_folder(case, file).map(|folder| join(folder, file));
    let is_package = of_package.is_some();
    let file = of_package.as_deref().unwrap_or(file);
    let is_partial =
        is_of_go && whole.is_none() || file.starts_with("../") || !is_package && runs_in_workspaces(case, file);
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
        && let Some(place) = place_of_test(case)
    {
        let mut steps = vec![look_at(case, &place.file, Some(place.line), 15, "The lines that the error speaks of")];
        steps.extend(look_at_source(case, &place));
        return Ok(Offer::new(format!("the output names {}", quoted(&place.file, 100)), steps));
    }
    let places = own_places(case);
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
        case.failed.reading.files.iter().find(|file| is_own(file) && crate::text::file_name(file).contains('.'));
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
    let mut steps = vec![look_at(case, &file, line, 15, "The lines that the error speaks of")];
    if let Some(place) = chosen {
        steps.extend(if is_of_tests(&file) { look_at_source(case, place) } else { look_at_data(case, place) });
    }
    Ok(Offer::new(format!("the output names {}", quoted(&file, 100)), steps))
}

/// The file of data that the line reads, where what reads it says that it cannot: JSON, YAML, TOML and tables.
fn data_file(case: &Case<'_>) -> Option<(String, Option<u64>)> {
    const ENDINGS: &[&str] = &[".yml", ".yaml", ".json", ".toml", ".csv", ".xml", ".ini", ".db", ".jsonl", ".tf"];
    const KINDS: &[FindingKind] = &[FindingKind::BadData, FindingKind::ShellSyntax];
    if !case.finds(KINDS) {
        return None;
    }
    let words = case.words.iter().flat_map(|word| word.text.split(['\'', '"', '(', ')', ',', ' ', '=']));
    let mut files = words.filter(|word| {
        ENDINGS.iter().any(|ending| word.ends_with(ending))
            && word.len() <= 1024
            && !word.starts_with('-')
            && !word.contains(['*', '$'])
    });
    let file = files.find(|file| !case.looks.is_looking() || case.kind(file).is_some())?;
    let number = case.named(FindingKind::BadData).and_then(|number| number.parse().ok());
    Some((file.to_owned(), number.filter(|line| *line > 0)))
}

/// How one test is run alone, by what the reader calls its runner.
fn alone(case: &Case<'_>, test: &str) -> Option<String> {
    let command = case.command()?;
    let runner = case.failed.reading.runner.as_deref().unwrap_or_default();
    let is = |name: &str| runner.starts_with(name) || command.runs(name);
    let last = test.rsplit(" > ").next().unwrap_or(test);
    let last = last.rsplit(" › ").next().unwrap_or(last).trim();
    Some(if is("cargo test") {
        line_of(["cargo", "test", test, "--", "--exact", "--nocapture"])
    } else if is("cargo nextest") {
        line_of(["cargo", "nextest", "run", test, "--no-capture"])
    } else if is("pytest") {
        line_of(["python3", "-m", "pytest", "-x", "-vv", test])
    } else if is("go test") {
        let top = test.split('/').next().unwrap_or(test);
        let pattern = format!("^{top}$");
        let words = ["go", "test"].into_iter().chain(go_flags(case)).map(str::to_owned);
        line_of(words.chain(["-count=1", "-v", "-run", &pattern].map(str::to_owned)).chain([go_package(case, test)]))
    } else if is("vitest") {
        line_of(["npx", "--no-install", "vitest", "run"].into_iter().chain(test_file(case)).chain(["-t", last]))
    } else if is("jest") {
        line_of(["npx", "--no-install", "jest"].into_iter().chain(test_file(case)).chain(["-t", last]))
    } else if is("python -m unittest") || is("unittest") {
        // It prints `test_sum (test_a.T.test_sum)`, before Python 3.11 without the name behind.
        let place = case.between(&format!("{test} ("), ")").unwrap_or_default();
        let whole = if place.ends_with(&format!(".{test}")) { place.to_owned() } else { format!("{place}.{test}") };
        line_of(["python3", "-m", "unittest", "-v", if place.is_empty() { test } else { &whole }])
    } else if command.name() == "ruby" {
        // Minitest writes `CartTest#test_total`.
        let name = last.rsplit('#').next().unwrap_or(last);
        line_of(["ruby", command.args.iter().find(|arg| arg.ends_with(".rb"))?, "-v", "-n", name])
    } else if is("rspec") {
        line_of(["bundle", "exec", "rspec", "-e", last])
    } else if is("phpunit") {
        line_of(["vendor/bin/phpunit", "--filter", last])
    } else if is("dotnet test") {
        line_of(["dotnet", "test", "--filter", test])
    } else {
        return None;
    })
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

/// The options of a run of Go's tests that say what is built: of the call, or of the line that a task prints.
fn go_flags<'c>(case: &'c Case<'_>) -> Vec<&'c str> {
    let printed = || case.between("$ go test ", "").map(|rest| rest.split_whitespace().collect::<Vec<_>>());
    let own = case
        .commands()
        .find(|command| command.runs("go test"))
        .map(|command| command.args.iter().map(String::as_str).collect());
    let words: Vec<&str> = own.or_else(printed).unwrap_or_default();
    let is_kept = |word: &&str| {
        matches!(*word, "-race" | "-short" | "-mod=mod" | "-mod=vendor")
            || word.starts_with("-tags=") && word.len() <= 100
    };
    words.into_iter().filter(is_kept).collect()
}

/// The package of a failed test of Go: the one that the runner says failed where it is one, else that of the call, else all.
fn go_package(case: &Case<'_>, test: &str) -> String {
    let name =
        |line: &str| line.strip_prefix("FAIL\t").and_then(|rest| rest.split_whitespace().next()).map(str::to_owned);
    let behind = case.text().split_once(&format!("--- FAIL: {test}")).map_or(case.text(), |(_, behind)| behind);
    let told = behind.lines().find_map(|line| name(line.rsplit("] ").next().unwrap_or(line)));
    let plain = |package: &String| {
        package.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte)) && !package.starts_with('-')
    };
    let own = || {
        let command = case.commands().find(|command| command.runs("go test"))?;
        command.args.iter().find(|arg| arg.starts_with("./")).cloned()
    };
    told.filter(plain).or_else(own).unwrap_or_else(|| "./...".to_owned())
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
    if let Some(place) = place_of_test(case) {
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
    let made = format!(
        "{{ {}\n}} 2>&1 | grep -E -A 12 {} | head -n 150",
        line.trim_end().trim_end_matches(';'),
        quoted_word(SAYS_WHAT_FAILED)
    );
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_the_forms_of_tools() {
        let one = |line: &str| places(line).into_iter().next().map(|place| (place.file, place.line));
        for (line, file, number) in [
            (" --> src/main.rs:3:20", "src/main.rs", 3),
            ("PHP Parse error:  syntax error in /a/b.php on line 3", "/a/b.php", 3),
            ("Division by zero at tools/x.pl line 12.", "tools/x.pl", 12),
            ("src/a.ts(3,5): error TS2552: x", "src/a.ts", 3),
            ("  File \"app/x.py\", line 12, in f", "app/x.py", 12),
            ("./main.c:4:5: error: y", "main.c", 4),
            ("bin/push.sh: line 7: KEY: unbound variable", "bin/push.sh", 7),
            ("push.sh: 7: KEY: parameter not set", "push.sh", 7),
            ("CartTest#test_total [test/cart_test.rb:5]:", "test/cart_test.rb", 5),
        ] {
            assert_eq!(one(line), Some((file.to_owned(), number)), "{line}");
        }
        assert_eq!(one("at 10:20:30 https://x.example:80/a"), None);
    }
}
