//! What `failwise-hook` is linked from: it starts at every tool call, so nothing that costs a start may get into it.

#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test that asks cargo")]

use std::collections::BTreeSet;
use std::process::Command;

/// Packages that the hook must never pay for.
const TOO_HEAVY: &[&str] = &[
    "aho-corasick",
    "clap",
    "crossterm",
    "libsqlite3-sys",
    "ratatui",
    "regex",
    "regex-automata",
    "regex-lite",
    "reqwest",
    "ring",
    "rmcp",
    "rusqlite",
    "rustls",
    "sqlx",
    "tokio",
    "tracing-subscriber",
    "ureq",
];

/// The packages that the hook is linked from, by `cargo tree`.
fn packages(edges: &str, format: &str, selected: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "--locked", "--offline", "--edges", edges, "--prefix", "none", "--format", format];
    let output = Command::new(env!("CARGO"))
        .args(tree)
        .args(selected.iter().flat_map(|package| ["--package", package]))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn the_hook_links_nothing_heavy() {
    let linked = packages("normal", "{p}", &["failwise-hook"]);
    let is_linked = |package: &str| linked.iter().any(|linked| linked.split(' ').next() == Some(package));
    assert!(is_linked("serde_json"), "cargo tree tells nothing: {linked:?}");
    for package in TOO_HEAVY {
        assert!(!is_linked(package), "failwise-hook is linked from {package}");
    }
}

/// The list above would notice: what only the commands need is in the tree of the commands.
#[test]
fn the_commands_do_link_what_the_hook_does_not() {
    assert!(packages("normal", "{lib}", &["failwise"]).contains("clap"));
}

/// A package of which those built later ask for more features would be compiled a second time for them.
#[test]
fn what_is_compiled_for_the_hook_serves_commands_and_server() {
    let built = |selected: &[&str]| packages("normal,build", "{p} {f}", selected);
    let (hook, commands) = (built(&["failwise-hook"]), built(&["failwise"]));
    let all = built(&["failwise", "failwise-mcp"]);
    let again: Vec<&String> = hook.difference(&commands).chain(commands.difference(&all)).collect();
    let again: Vec<&&String> = again.iter().filter(|package| !package.starts_with("failwise-hook v")).collect();
    assert!(again.is_empty(), "name in Cargo.toml the features that the other executables ask for: {again:#?}");
}
