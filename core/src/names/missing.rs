//! Which name of a failed call is not there, and where names like it would stand.

use super::manifests::{
    CARGO_BENCHES, CARGO_BINS, CARGO_EXAMPLES, CARGO_FEATURES, CARGO_TESTS, COMPOSER_SCRIPTS, Declared, JUST_RECIPES,
    MAKE_TARGETS, NODE_SCRIPTS, PDM_SCRIPTS, POE_TASKS, POETRY_SCRIPTS, TASKS, UV_SCRIPTS,
};
use crate::history::absolute;
use crate::model::{Category, ObjectKind, Reading, ToolKind};
use crate::programs::{self, Trait};
use crate::shell::{At, Command, Script};

/// A name that a failed call gives and that was not found.
#[derive(Debug, Clone)]
pub struct MissingName {
    /// The name as the call gives it; of a file the absolute path.
    pub name: String,
    /// The folder that the call ran in, absolute.
    pub folder: String,
    /// What it would name.
    pub what: MissingKind,
}

/// What a name would name.
#[derive(Debug, Clone, Copy)]
pub enum MissingKind {
    /// A file or folder.
    Path {
        /// Whether only a folder can have been meant.
        is_folder: bool,
    },
    /// What a manifest in the call's folder declares.
    Declared(&'static Declared),
}

/// A failed call, as far as a missing name is found in it.
#[derive(Debug, Clone, Copy)]
pub struct FailedLookup<'a> {
    /// What the tool does.
    pub kind: ToolKind,
    /// The command line or the target's path, whole and byte for byte.
    pub input: &'a str,
    /// The folder of the call, absolute.
    pub cwd: &'a str,
    /// What its output says.
    pub reading: &'a Reading,
}

/// The name that is missing; None where the output names no word of the call, or one that is not looked for here.
pub fn missing(failing: &FailedLookup<'_>) -> Option<MissingName> {
    match (failing.kind, failing.reading.category) {
        (ToolKind::Read | ToolKind::Edit, Category::PathNotFound) => {
            let name = absolute(failing.input, Some(failing.cwd));
            Some(MissingName { name, folder: failing.cwd.to_owned(), what: MissingKind::Path { is_folder: false } })
        }
        (ToolKind::Search, Category::PathNotFound) => {
            let name = absolute(searched(failing.input)?, Some(failing.cwd));
            Some(MissingName { name, folder: failing.cwd.to_owned(), what: MissingKind::Path { is_folder: false } })
        }
        (ToolKind::Shell, Category::PathNotFound) => missing_path(failing),
        (ToolKind::Shell, Category::BadArguments | Category::CommandNotFound) => missing_declared(failing),
        _ => None,
    }
}

/// The path that a search goes through, by what is kept of its input; None where that names none, or may name several.
pub fn searched(input: &str) -> Option<&str> {
    let mut paths = input.split(' ').filter_map(|word| word.strip_prefix("path="));
    paths.next().filter(|path| is_plain_path(path) && paths.next().is_none())
}

/// The script, target or the like that a command line asks for and its output names.
fn missing_declared(failing: &FailedLookup<'_>) -> Option<MissingName> {
    let script = Script::parse(failing.input);
    let line = failing.reading.line.as_deref()?;
    let (at, name, declared) = script.programs().filter(|_| !script.incomplete).find_map(|(at, command)| {
        let mut asked = asked(command, failing.input).into_iter();
        let (name, declared) = asked.find(|(name, _)| line_words(line).any(|word| word == name))?;
        Some((at, name, declared))
    })?;
    Some(MissingName { name, folder: folder_of(&script, at, failing.cwd)?, what: MissingKind::Declared(declared) })
}

/// The path in a command line that its output names; None where it stands there more than once.
fn missing_path(failing: &FailedLookup<'_>) -> Option<MissingName> {
    let script = Script::parse(failing.input);
    let mut found = None;
    for (at, command) in script.programs().filter(|_| !script.incomplete) {
        if !runs_here(command) || !is_own_line(failing.reading, command) {
            continue;
        }
        let Some(folder) = folder_of(&script, at, failing.cwd) else { continue };
        let is_folder = command.is(Trait::Enters);
        for word in &command.args {
            // Behind `::` stands a test.
            let path = word.split("::").next().filter(|path| is_plain_path(path));
            let path = path.map(|path| absolute(path, Some(&folder)));
            let Some(name) = path.filter(|path| names_path(failing.reading, path, &folder)) else { continue };
            if found.is_some() {
                return None;
            }
            found = Some(MissingName { name, folder: folder.clone(), what: MissingKind::Path { is_folder } });
        }
    }
    found
}

/// Whether a word is a path that the shell leaves as it is.
fn is_plain_path(word: &str) -> bool {
    let expands = |c: char| "$`*?[{\0".contains(c);
    !word.is_empty() && !word.starts_with(['-', '~']) && !word.contains(expands) && !word.contains("://")
}

/// Whether a command works on the files of this machine: what starts it may be elsewhere.
fn runs_here(command: &Command) -> bool {
    let starts_here = |name: &str| programs::find(name).is_some_and(|program| program.has(Trait::StartsHere));
    command.wrappers.iter().all(|wrapper| wrapper.split(' ').next().is_some_and(starts_here))
}

/// Whether the line that matters is this command's own: behind `ssh` another machine's `cat` speaks as the own one does.
fn is_own_line(reading: &Reading, command: &Command) -> bool {
    let by_runner = reading.runner.as_deref().is_some_and(|runner| command.runs(runner) || runner == command.name());
    by_runner || line_words(reading.line.as_deref().unwrap_or_default()).any(|word| word == command.program)
}

/// Whether an output names this absolute path, as it is read from a folder.
fn names_path(reading: &Reading, path: &str, folder: &str) -> bool {
    let files = reading.objects.iter().filter(|object| object.kind == ObjectKind::File);
    let names = files.map(|object| object.name.as_str());
    let words = line_words(reading.line.as_deref().unwrap_or_default());
    names.chain(words).any(|word| is_plain_path(word) && absolute(word, Some(folder)) == path)
}

/// The words of an error line without the signs that stand around names.
fn line_words(line: &str) -> impl Iterator<Item = &str> {
    let is_quote = |c: char| "'\"`\u{2018}\u{2019}\u{201c}\u{201d}".contains(c);
    let words = line.split(move |c: char| c.is_whitespace() || is_quote(c));
    words.map(|word| word.trim_end_matches([':', ',', '.', ';', ')']).trim_start_matches('('))
}

/// The folder that a command of the line ran in; None where only the shell knows it.
fn folder_of(script: &Script, at: At, cwd: &str) -> Option<String> {
    let mut folder = cwd.to_owned();
    for word in script.directories_before(at) {
        folder = is_plain_path(word).then(|| absolute(word, Some(&folder)))?;
    }
    folder.starts_with('/').then_some(folder)
}

/// What a command asks of manifests in its folder. Nothing where an option may name another folder or manifest.
fn asked(command: &Command, line: &str) -> Vec<(String, &'static Declared)> {
    let one = |name: Option<&str>, declared| name.map(|name| (name.to_owned(), declared)).into_iter().collect();
    if let [wrapper] = command.wrappers.as_slice() {
        let declared = match wrapper.as_str() {
            "uv run" => &UV_SCRIPTS,
            "poetry run" => &POETRY_SCRIPTS,
            "pdm run" => &PDM_SCRIPTS,
            _ => return Vec::new(),
        };
        let has_no_option = line.contains(&format!("{wrapper} {}", command.raw));
        return one(Some(&*command.raw).filter(|_| has_no_option), declared);
    }
    let declared = match command.name() {
        _ if !command.wrappers.is_empty() => return Vec::new(),
        "npm" | "pnpm" | "yarn" | "bun" => &NODE_SCRIPTS,
        "make" | "gmake" => &MAKE_TARGETS,
        "just" => &JUST_RECIPES,
        "task" => &TASKS,
        "composer" => &COMPOSER_SCRIPTS,
        "poe" => &POE_TASKS,
        "cargo" => return asked_of_cargo(command),
        _ => return Vec::new(),
    };
    let name = asked_for(command);
    let mut before = command.args.iter().map(String::as_str).take_while(|word| Some(*word) != name);
    one(name.filter(|_| before.all(|word| !word.starts_with('-') || stays(word))), declared)
}

/// Whether an option changes neither the folder nor the manifest.
fn stays(option: &str) -> bool {
    const STAYS: &[&str] = &["-s", "--silent", "-k", "-B", "-q", "--quiet", "--no-print-directory"];
    let is_jobs = |jobs: &str| jobs.bytes().all(|byte| byte.is_ascii_digit());
    STAYS.contains(&option) || option.strip_prefix("-j").is_some_and(is_jobs)
}

/// The targets and features that a cargo command names.
fn asked_of_cargo(command: &Command) -> Vec<(String, &'static Declared)> {
    const ELSEWHERE: &[&str] = &["-p", "--package", "--manifest-path", "--workspace", "--all", "-C"];
    const KINDS: &[(&str, &Declared)] = &[
        ("--bin", &CARGO_BINS),
        ("--test", &CARGO_TESTS),
        ("--example", &CARGO_EXAMPLES),
        ("--bench", &CARGO_BENCHES),
        ("--features", &CARGO_FEATURES),
        ("-F", &CARGO_FEATURES),
    ];
    let mut asked = Vec::new();
    let mut words = command.args.iter().map(String::as_str).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
        if ELSEWHERE.contains(&option) {
            return Vec::new();
        }
        if let Some((_, declared)) = KINDS.iter().find(|(kind, _)| *kind == option) {
            let value = value.or_else(|| words.next()).unwrap_or_default();
            asked.extend(value.split([',', ' ']).map(|name| (name.to_owned(), *declared)));
        }
    }
    asked
}

/// The script or target that a command asks for.
pub fn asked_for(command: &Command) -> Option<&str> {
    let mut words = command.subcommands();
    match command.name() {
        "npm" | "pnpm" | "yarn" | "bun" => match words.next()? {
            "run" | "run-script" => words.next(),
            own @ ("test" | "start") => Some(own),
            other => Some(other).filter(|_| command.name() != "npm"),
        },
        "make" | "gmake" | "just" | "task" | "rake" => words.find(|word| !word.contains('=')),
        "composer" => match words.next()? {
            "run" | "run-script" => words.next(),
            other => Some(other),
        },
        "poe" => words.next(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Basis, Object};

    fn reading(category: Category, line: &str, object: Option<&str>) -> Reading {
        let object = object.map(|name| Object { kind: ObjectKind::File, name: name.to_owned() });
        Reading {
            category,
            basis: Some(Basis::Line),
            line: Some(line.to_owned()),
            objects: object.into_iter().collect(),
            ..Reading::unrecognised()
        }
    }

    fn found(kind: ToolKind, input: &str, reading: &Reading) -> Option<(String, String, &'static str)> {
        let missing = missing(&FailedLookup { kind, input, cwd: "/p/web", reading })?;
        let what = match missing.what {
            MissingKind::Path { is_folder: true } => "folder",
            MissingKind::Path { is_folder: false } => "path",
            MissingKind::Declared(declared) => declared.word,
        };
        Some((missing.name, missing.folder, what))
    }

    fn declared(input: &str, line: &str) -> Option<(String, String, &'static str)> {
        found(ToolKind::Shell, input, &reading(Category::BadArguments, line, None))
    }

    fn path(input: &str, line: &str) -> Option<(String, String, &'static str)> {
        found(ToolKind::Shell, input, &reading(Category::PathNotFound, line, None))
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be nothing")]
    fn some(name: &str, folder: &str, what: &'static str) -> Option<(String, String, &'static str)> {
        Some((name.to_owned(), folder.to_owned(), what))
    }

    #[test]
    fn what_a_command_asks_of_a_manifest() {
        const NPM: &str = "npm error MissingName script: \"tets\"";
        const MAKE: &str = "make: *** No rule to make target 'tset'.  Stop.";
        for input in ["npm run tets", "npm run -s tets -- --watch", "npm run tets 2>&1 | tail -5"] {
            assert_eq!(declared(input, NPM), some("tets", "/p/web", "script"), "{input}");
        }
        assert_eq!(declared("cd ../api && npm run tets", NPM), some("tets", "/p/api", "script"));
        assert_eq!(declared("make -j4 tset", MAKE), some("tset", "/p/web", "target"));
        assert_eq!(
            declared("cargo b --features a,sevrer", "error: the package 'd' does not contain this feature: sevrer"),
            some("sevrer", "/p/web", "feature")
        );
        assert_eq!(declared("poetry run srever", "Command not found: srever"), some("srever", "/p/web", "script"),);
        for input in [
            "npm --prefix api run tets",
            "npm run -w api tets",
            "npm run build",
            "cd $DIR && npm run tets",
            "cd - && npm run tets",
            "cd ~/x && npm run tets",
            "npm run 'tets",
            "docker compose run web npm run tets",
            "echo tets",
        ] {
            assert_eq!(declared(input, NPM), None, "{input}");
        }
        for input in ["make -C sub tset", "make -f other.mk tset", "make all", "make tset.o"] {
            assert_eq!(declared(input, MAKE), None, "{input}");
        }
        assert_eq!(declared("cargo run -p x --bin srever", "error: no bin target named `srever`"), None);
    }

    #[test]
    fn what_path_of_a_command_is_not_there() {
        const CAT: &str = "cat: src/mian.rs: No such file or directory";
        assert_eq!(path("cat src/mian.rs", CAT), some("/p/web/src/mian.rs", "/p/web", "path"));
        assert_eq!(path("cd .. && cat src/mian.rs | head", CAT), some("/p/src/mian.rs", "/p", "path"));
        assert_eq!(
            path("python3 mian.py", "python3: can't open file '/p/web/mian.py': [Errno 2] No such file or directory"),
            some("/p/web/mian.py", "/p/web", "path")
        );
        assert_eq!(
            path("cd srcs && ls", "/bin/bash: line 1: cd: srcs: No such file or directory"),
            some("/p/web/srcs", "/p/web", "folder")
        );
        assert_eq!(
            path("pytest tests/test_mian.py::test_a", "pytest: ERROR: file or directory not found: tests/test_mian.py"),
            some("/p/web/tests/test_mian.py", "/p/web", "path")
        );
        for input in [
            "ssh host cat src/mian.rs",
            "docker exec c cat src/mian.rs",
            "kubectl exec pod -- cat src/mian.rs",
            "sudo -u other cat src/mian.rs",
            "cat src/*.rs",
            "cat \"$FILE\"",
            "head src/mian.rs",
            "cat src/mian.rs; cat src/mian.rs",
            "cd a && cat src/mian.rs; cd b && cat src/mian.rs",
        ] {
            assert_eq!(path(input, CAT), None, "{input}");
        }
        let gone = reading(Category::PathNotFound, "File does not exist.", None);
        assert_eq!(found(ToolKind::Read, "/p/web/a.rs", &gone), some("/p/web/a.rs", "/p/web", "path"));
        assert_eq!(
            found(ToolKind::Search, "glob=*.rs path=srcs/api pattern=fn main", &gone),
            some("/p/web/srcs/api", "/p/web", "path")
        );
        for input in ["pattern=fn main", "path=a pattern=x path=b", "path=$HOME pattern=x"] {
            assert_eq!(found(ToolKind::Search, input, &gone), None, "{input}");
        }
        assert_eq!(found(ToolKind::Write, "/p/web/a.rs", &gone), None);
        assert_eq!(found(ToolKind::Read, "/p/web/a.rs", &reading(Category::TooLarge, "", None)), None);
    }
}
