//! What `failwise-hook` is linked from: it starts at every tool call, so nothing that costs a start may get into it.

#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test that asks cargo")]

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
fn packages(features: &[&str]) -> Vec<String> {
    let tree = ["tree", "--locked", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let output = Command::new(env!("CARGO"))
        .args(tree)
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_hook_links_nothing_heavy() {
    let linked = packages(&["--no-default-features"]);
    assert!(linked.contains(&"serde_json".to_owned()), "cargo tree tells nothing: {linked:?}");
    for package in TOO_HEAVY {
        assert!(!linked.iter().any(|linked| linked == package), "failwise-hook is linked from {package}");
    }
}

/// The list above would notice: what only the commands need is in the tree of the commands.
#[test]
fn the_commands_do_link_what_the_hook_does_not() {
    assert!(packages(&[]).contains(&"clap".to_owned()));
}
