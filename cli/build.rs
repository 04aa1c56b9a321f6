//! Writes the lists of the pages under `rules/`, so that `failwise rules test` carries them.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folder and kind.
const FOLDERS: &[(&str, &str)] = &[("classes", "Class"), ("readings", "Reading")];
/// Folders whose pages are only shown: their cases are played by the tests.
const SHOWN: &[&str] = &["advice", "argus", "knowledge", "workflow"];

fn main() -> io::Result<()> {
    let rules = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../rules");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("pages.rs");
    let mut list = "&[\n".to_owned();
    for (folder, kind) in FOLDERS {
        println!("cargo::rerun-if-changed=../rules/{folder}");
        for path in pages(&rules.join(folder))? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let page = format!("/../rules/{folder}/{name}.md");
            // Relative to the project, so that a list that was written before the project was moved still holds.
            let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {page:?}))");
            let row = format!("Page {{ kind: PageKind::{kind}, name: {name:?}, text: {text} }},");
            writeln!(list, "    {row}").map_err(io::Error::other)?;
        }
    }
    fs::write(out, list + "]\n")?;
    shown(&rules)?;
    modes(&rules.join("modes"))?;
    strategies(&rules.join("strategies"))
}

/// Folder and name of each page that is only shown, and its text.
fn shown(rules: &Path) -> io::Result<()> {
    let mut list = "&[\n".to_owned();
    for folder in SHOWN {
        println!("cargo::rerun-if-changed=../rules/{folder}");
        for path in pages(&rules.join(folder))? {
            let path = format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            let page = format!("/../rules/{path}.md");
            let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {page:?}))");
            writeln!(list, "    ({path:?}, {text}),").map_err(io::Error::other)?;
        }
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("shown.rs"), list + "]\n")
}

/// The pages of the recovery strategies, which are found by their names.
fn strategies(folder: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed=../rules/strategies");
    let mut list = "&[\n".to_owned();
    for path in pages(folder)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let page = format!("/../rules/strategies/{name}.md");
        let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {page:?}))");
        writeln!(list, "    StrategyPage {{ name: {name:?}, text: {text} }},").map_err(io::Error::other)?;
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("strategies.rs"), list + "]\n")
}

/// The pages of the failure modes, which are found by their numbers: `10-interactivity.md`.
fn modes(folder: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed=../rules/modes");
    let mut list = "&[\n".to_owned();
    for path in pages(folder)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let number = name.split('-').next().and_then(|digits| digits.parse::<u8>().ok());
        let number = number.ok_or_else(|| io::Error::other(format!("rules/modes/{name}.md has no number")))?;
        let page = format!("/../rules/modes/{name}.md");
        let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {page:?}))");
        writeln!(list, "    ModePage {{ id: {number}, name: {name:?}, text: {text} }},").map_err(io::Error::other)?;
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("modes.rs"), list + "]\n")
}

fn pages(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") && !path.ends_with("README.md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}
