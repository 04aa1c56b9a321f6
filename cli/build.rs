//! Writes the lists of the pages under `rules/`, so that `failwise rules test` carries them.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

/// Folder and kind.
const FOLDERS: &[(&str, &str)] = &[("classes", "Class"), ("readings", "Reading")];
/// Folders whose pages are only shown: their cases are played by the tests.
const SHOWN: &[&str] = &["advice", "argus", "knowledge", "workflow"];

fn main() -> io::Result<()> {
    let mut cases = Vec::new();
    for (folder, kind) in FOLDERS {
        for (name, text) in pages(folder)? {
            cases.push(format!("Page {{ kind: PageKind::{kind}, name: {name:?}, text: {text} }}"));
        }
    }
    put("pages.rs", &cases)?;
    let mut shown = Vec::new();
    for folder in SHOWN {
        for (name, text) in pages(folder)? {
            shown.push(format!("({:?}, {text})", format!("{folder}/{name}")));
        }
    }
    put("shown.rs", &shown)?;
    // Failure modes are found by their numbers: `10-interactivity.md`.
    let mut modes = Vec::new();
    for (name, text) in pages("modes")? {
        let number = name.split('-').next().and_then(|digits| digits.parse::<u8>().ok());
        let id = number.ok_or_else(|| io::Error::other(format!("rules/modes/{name}.md has no number")))?;
        modes.push(format!("ModePage {{ id: {id}, name: {name:?}, text: {text} }}"));
    }
    put("modes.rs", &modes)?;
    let strategies = pages("strategies")?.into_iter();
    let strategies = strategies.map(|(name, text)| format!("StrategyPage {{ name: {name:?}, text: {text} }}"));
    put("strategies.rs", &strategies.collect::<Vec<_>>())
}

/// Writes a list as an expression of Rust.
fn put(file: &str, rows: &[String]) -> io::Result<()> {
    let mut list = "&[\n".to_owned();
    for row in rows {
        writeln!(list, "    {row},").map_err(io::Error::other)?;
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(file), list + "]\n")
}

/// The pages of a folder below `rules/`: the name, and the expression that is its text.
fn pages(folder: &str) -> io::Result<Vec<(String, String)>> {
    println!("cargo::rerun-if-changed=../rules/{folder}");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("../rules").join(folder))? {
        files.push(entry?.path());
    }
    files.sort();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "md") && !file.ends_with("README.md"));
    let page = |file: &PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let page = format!("/../rules/{folder}/{name}.md");
        // Relative to the project, so that a list that was written before the project was moved still holds.
        let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {page:?}))");
        (name, text)
    };
    Ok(files.iter().map(page).collect())
}
