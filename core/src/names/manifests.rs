//! What the manifests of a project declare by name: scripts, targets, recipes, tasks.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::programs::manifests::MAKEFILES;
use crate::text::file_name;

/// One kind of name, and the manifests that declare it.
#[derive(Debug)]
pub struct Declared {
    /// The names of the manifest, in the order in which the tool looks for them.
    pub manifests: &'static [&'static str],
    /// What such a name is called.
    pub word: &'static str,
    /// The names in a manifest's text; None of one that declares none, or that cannot be read.
    pub names: fn(&str) -> Option<Vec<String>>,
}

const fn declares(
    manifests: &'static [&'static str],
    word: &'static str,
    names: fn(&str) -> Option<Vec<String>>,
) -> Declared {
    Declared { manifests, word, names }
}

const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];
const TASKFILES: &[&str] = &["Taskfile.yml", "Taskfile.yaml"];
const CARGO: &[&str] = &["Cargo.toml"];
const PYPROJECT: &[&str] = &["pyproject.toml"];
/// Where a pyproject.toml keeps the scripts that every tool runs.
const PROJECT_SCRIPTS: &[&str] = &["project", "scripts"];

pub(super) static NODE_SCRIPTS: Declared = declares(&["package.json"], "script", scripts);
pub(super) static COMPOSER_SCRIPTS: Declared = declares(&["composer.json"], "script", scripts);
pub(super) static MAKE_TARGETS: Declared = declares(MAKEFILES, "target", |text| Some(targets(text)));
pub(super) static JUST_RECIPES: Declared = declares(JUSTFILES, "recipe", |text| Some(recipes(text)));
pub(super) static TASKS: Declared = declares(TASKFILES, "task", |text| Some(tasks(text)));
pub(super) static CARGO_FEATURES: Declared = declares(CARGO, "feature", |text| keys(text, &[&["features"]]));
pub(super) static CARGO_BINS: Declared = declares(CARGO, "binary", |text| names_in_tables(text, "bin"));
pub(super) static CARGO_TESTS: Declared = declares(CARGO, "test", |text| names_in_tables(text, "test"));
pub(super) static CARGO_EXAMPLES: Declared = declares(CARGO, "example", |text| names_in_tables(text, "example"));
pub(super) static CARGO_BENCHES: Declared = declares(CARGO, "benchmark", |text| names_in_tables(text, "bench"));
pub(super) static UV_SCRIPTS: Declared = declares(PYPROJECT, "script", |text| keys(text, &[PROJECT_SCRIPTS]));
pub(super) static POETRY_SCRIPTS: Declared =
    declares(PYPROJECT, "script", |text| keys(text, &[PROJECT_SCRIPTS, &["tool", "poetry", "scripts"]]));
pub(super) static PDM_SCRIPTS: Declared =
    declares(PYPROJECT, "script", |text| keys(text, &[PROJECT_SCRIPTS, &["tool", "pdm", "scripts"]]));
pub(super) static POE_TASKS: Declared = declares(PYPROJECT, "task", |text| keys(text, &[&["tool", "poe", "tasks"]]));

/// The names of scripts or targets that a manifest declares; None for a manifest that declares none by name.
pub fn declared(path: &str, text: &str) -> Option<Vec<String>> {
    let name = file_name(path);
    Some(match name {
        "package.json" | "composer.json" => scripts(text)?,
        _ if MAKEFILES.contains(&name) => targets(text),
        _ if JUSTFILES.contains(&name) => recipes(text),
        _ if TASKFILES.contains(&name) => tasks(text),
        _ => return None,
    })
}

/// A package.json or composer.json, also behind a byte order mark.
pub fn node_manifest(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// The scripts of a package.json or composer.json.
fn scripts(text: &str) -> Option<Vec<String>> {
    Some(node_manifest(text)?.get("scripts")?.as_object()?.keys().cloned().collect())
}

/// The keys of these tables of a TOML file; None where none of them is there.
fn keys(text: &str, tables: &[&[&str]]) -> Option<Vec<String>> {
    let file = DeTable::parse(text).ok()?;
    let mut names = None;
    for path in tables {
        let mut table = Some(file.get_ref());
        for key in *path {
            table = table.and_then(|table| table.get(*key)).and_then(|value| value.get_ref().as_table());
        }
        if let Some(table) = table {
            names.get_or_insert_with(Vec::new).extend(table.keys().map(|key| key.get_ref().to_string()));
        }
    }
    names
}

/// The lines that a script or target runs, with those of what it needs or names first; without a name those of the first
/// target. None where the manifest does not say.
pub fn lines_run_by(path: &str, text: &str, name: Option<&str>) -> Option<Vec<String>> {
    let blocks = blocks(path, text)?;
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (names, _)) in blocks.iter().enumerate() {
        for name in names {
            named.entry(name).or_default().push(at);
        }
    }
    let is_ordered = Path::new(path).extension() != Some("json".as_ref());
    let first =
        || blocks.iter().filter(|_| is_ordered).find_map(|(names, _)| names.iter().find(|name| !name.starts_with('.')));
    let mut left = vec![name.map(str::to_owned).or_else(|| first().cloned())?];
    let mut lines = Vec::new();
    while let Some(name) = left.pop() {
        for block in named.remove(&*name).unwrap_or_default().into_iter().filter_map(|at| blocks.get(at)) {
            left.extend(block.1.iter().flat_map(|line| line.split([' ', '\t', '[', ']', ',', ';'])).map(str::to_owned));
            lines.extend(block.1.iter().cloned());
        }
    }
    Some(lines)
}

/// What a manifest declares: names, and the lines below them. What a target needs is its first line.
fn blocks(path: &str, text: &str) -> Option<Vec<(Vec<String>, Vec<String>)>> {
    let file = file_name(path);
    if matches!(file, "package.json" | "composer.json") {
        let lines = |script: &Value| match script {
            Value::Array(lines) => lines.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            line => line.as_str().map(str::to_owned).into_iter().collect(),
        };
        // What npm runs before and behind a script has its name.
        let names = |name: &String| {
            let around = ["pre", "post"].iter().filter_map(|part| name.strip_prefix(part)).map(str::to_owned);
            std::iter::once(name.clone()).chain(around).collect()
        };
        let manifest = node_manifest(text)?;
        return Some(
            manifest.get("scripts")?.as_object()?.iter().map(|(n, script)| (names(n), lines(script))).collect(),
        );
    }
    let is_known = [MAKEFILES, JUSTFILES, TASKFILES].iter().any(|files| files.contains(&file));
    let indent = if TASKFILES.contains(&file) { "  " } else { "" };
    let mut blocks: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for line in text.lines().filter(|_| is_known) {
        let head = line.strip_prefix(indent).filter(|head| !head.starts_with([' ', '\t', '#']));
        match head.and_then(|head| head.trim_start_matches('@').split_once(':')) {
            Some((_, value)) if value.trim_start_matches(':').starts_with('=') => {}
            Some((names, needs)) => {
                let names = names.split_whitespace().map(str::to_owned).collect();
                blocks.push((names, vec![needs.replace(';', " ; ")]));
            }
            None if line.starts_with([' ', '\t']) => {
                blocks.last_mut().into_iter().for_each(|(_, lines)| lines.push(line.trim().to_owned()));
            }
            None => {}
        }
    }
    is_known.then_some(blocks)
}

/// The names of an array of tables of a Cargo.toml, such as `[[bin]]`.
fn names_in_tables(text: &str, array: &str) -> Option<Vec<String>> {
    let file = DeTable::parse(text).ok()?;
    let DeValue::Array(entries) = file.get_ref().get(array)?.get_ref() else { return None };
    let name = |entry: &DeValue<'_>| Some(entry.as_table()?.get("name")?.get_ref().as_str()?.to_owned());
    Some(entries.iter().filter_map(|entry| name(entry.get_ref())).collect())
}

/// The targets of a Makefile that a person would name.
fn targets(text: &str) -> Vec<String> {
    let heads = text.lines().filter(|line| !line.starts_with(['\t', ' ', '#']));
    let heads = heads
        .filter_map(|line| line.split_once(':').filter(|(_, rest)| !rest.starts_with('=') && !rest.starts_with(":=")));
    let names = heads.flat_map(|(names, _)| names.split_whitespace());
    let mut names: Vec<String> = names
        .filter(|name| !name.starts_with('.') && !name.contains(['%', '$', '=', '?', '+']))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The recipes of a justfile. `@` before the name keeps a recipe from being printed.
fn recipes(text: &str) -> Vec<String> {
    let heads = text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '[']));
    let heads = heads.map(|line| line.strip_prefix('@').unwrap_or(line));
    let heads = heads.filter_map(|line| line.split_once(':').filter(|(_, rest)| !rest.starts_with('=')));
    let names = heads.filter_map(|(head, _)| head.split_whitespace().next());
    names
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)))
        .map(str::to_owned)
        .collect()
}

/// The tasks of a Taskfile: the keys one step below `tasks:`.
fn tasks(text: &str) -> Vec<String> {
    let below = text.lines().skip_while(|line| line.trim_end() != "tasks:").skip(1);
    let below = below.take_while(|line| line.is_empty() || line.starts_with([' ', '#']));
    let keys = below.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '#'])));
    keys.filter_map(|key| key.split_once(':')).map(|(key, _)| key.trim_matches(['"', '\'']).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_runs_its_own_lines_and_those_of_what_it_needs() {
        let make =
            "CC := gcc\nall: lib\n\t@$(CC) y.c\nlib:\n\tar z.a\nclean:\n\trm -rf out\nfresh: clean all\nx: ; rm x\n";
        let node = r#"{"scripts": {"a": "npm run b", "b": "x", "prea": "y", "c": "z"}}"#;
        let task = "tasks:\n  a:\n    deps: [b]\n    cmds:\n      - x\n  b:\n    cmds: [y]\n  c:\n    cmds: [z]\n";
        for (path, text, name, has, has_not) in [
            ("Makefile", make, None, "ar z.a", "rm -rf out"),
            ("Makefile", make, Some("fresh"), "rm -rf out", "rm x"),
            ("Makefile", make, Some("x"), "rm x", "ar z.a"),
            ("justfile", "@a b='c': d\n  x\nd:\n  y\nz:\n  w\n", Some("a"), "y", "w"),
            ("web/package.json", node, Some("a"), "y", "z"),
            ("web/package.json", node, Some("a"), "x", "z"),
            ("Taskfile.yml", task, Some("a"), "cmds: [y]", "cmds: [z]"),
        ] {
            let lines = lines_run_by(path, text, name).unwrap();
            let is_in = |part: &str| lines.iter().any(|line| line.trim().ends_with(part));
            assert!(is_in(has) && !is_in(has_not), "{path} {name:?}: {lines:?}");
        }
        assert_eq!(lines_run_by("build.ninja", "a: b", Some("a")), None);
        assert_eq!(lines_run_by("Makefile", "a: b a\n\t$(MAKE) b\nb: a\n", Some("a")).unwrap().len(), 3);
    }

    #[test]
    fn manifests_declare_names() {
        for (path, text, wanted) in [
            ("package.json", r#"{"scripts": {"build": "x", "test:unit": "y"}}"#, &["build", "test:unit"][..]),
            (
                "a/Makefile",
                ".PHONY: all\nCC := gcc\nall: main.o\n\tcc -o x\nmain.o: main.c\n%.x: y\nlint fmt:\n",
                &["all", "fmt", "lint", "main.o"],
            ),
            (
                "justfile",
                "set x := 'y'\nv := \"1\"\nbuild:\n  cargo build\ntest name='x': build\n@lint:\n  x\n",
                &["build", "test", "lint"],
            ),
            (
                "Taskfile.yml",
                "version: 3\ntasks:\n  build:\n    cmds:\n      - x\n  test:\n    cmds: []\n",
                &["build", "test"],
            ),
        ] {
            assert_eq!(declared(path, text).unwrap(), wanted, "{path}");
        }
        for (declared, text, wanted) in [
            (&CARGO_FEATURES, "[features]\nserver = []\n'client' = [\"server\"]\n", &["client", "server"][..]),
            (&CARGO_BINS, "[[bin]]\nname = \"a\"\n[[bin]]\npath = \"x\"\n[[bin]]\nname = \"b\"\n", &["a", "b"]),
            (&UV_SCRIPTS, "[project.scripts]\nserve = \"a:b\"\n[tool.poetry.scripts]\nx = \"y\"\n", &["serve"]),
            (
                &POETRY_SCRIPTS,
                "[project.scripts]\nserve = \"a:b\"\n[tool.poetry.scripts]\nx = \"y\"\n",
                &["serve", "x"],
            ),
            (&POE_TASKS, "[tool.poe.tasks]\ntest = \"pytest\"\nlint.cmd = \"ruff\"\n", &["lint", "test"]),
        ] {
            let mut names = (declared.names)(text).unwrap();
            names.sort();
            assert_eq!(names, wanted, "{text}");
        }
        for declared in [&CARGO_FEATURES, &CARGO_BINS, &PDM_SCRIPTS, &NODE_SCRIPTS] {
            for text in ["", "[", "{", "[features", "features = 1", "bin = 1", "[]", "{\"scripts\": [1]}"] {
                assert_eq!((declared.names)(text), None, "{text}");
            }
        }
        assert_eq!(declared("go.mod", "module x"), None);
        assert_eq!(declared("package.json", "{"), None);
    }
}
