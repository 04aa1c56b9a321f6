//! What the manifests of a project declare by name: scripts, targets, recipes, tasks.

use serde_json::Value;

use crate::text::file_name;

/// The names of a Makefile, in the order in which make looks for them.
pub const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// The names of scripts or targets that a manifest declares; None for a manifest that declares none by name.
pub fn declared(path: &str, text: &str) -> Option<Vec<String>> {
    let name = file_name(path);
    Some(match name {
        "package.json" | "composer.json" => {
            let manifest: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
            manifest.get("scripts")?.as_object()?.keys().cloned().collect()
        }
        _ if MAKEFILES.contains(&name) => targets(text),
        "justfile" | "Justfile" | ".justfile" => recipes(text),
        "Taskfile.yml" | "Taskfile.yaml" => tasks(text),
        _ => return None,
    })
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

/// The recipes of a justfile.
fn recipes(text: &str) -> Vec<String> {
    let heads = text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '[', '@']));
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
    fn manifests_declare_names() {
        for (path, text, wanted) in [
            ("package.json", r#"{"scripts": {"build": "x", "test:unit": "y"}}"#, &["build", "test:unit"][..]),
            (
                "a/Makefile",
                ".PHONY: all\nCC := gcc\nall: main.o\n\tcc -o x\nmain.o: main.c\n%.x: y\nlint fmt:\n",
                &["all", "fmt", "lint", "main.o"],
            ),
            ("justfile", "set x := 'y'\nv := \"1\"\nbuild:\n  cargo build\ntest name='x': build\n", &["build", "test"]),
            (
                "Taskfile.yml",
                "version: 3\ntasks:\n  build:\n    cmds:\n      - x\n  test:\n    cmds: []\n",
                &["build", "test"],
            ),
        ] {
            assert_eq!(declared(path, text).unwrap(), wanted, "{path}");
        }
        assert_eq!(declared("go.mod", "module x"), None);
        assert_eq!(declared("package.json", "{"), None);
    }
}
