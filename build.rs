//! Writes the list of the plugin's files, so that `failwise setup` carries them.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

/// The files of the plugins, and the example that an installation replays.
const PLUGIN: &[&str] = &[
    ".claude-plugin",
    ".codex-plugin",
    ".github/plugin",
    "gemini",
    "hooks",
    "skills",
    "planner",
    "mcp/plugin/.claude-plugin",
    "mcp/plugin/.mcp.json",
    "mcp/plugin/README.md",
    "examples/session.jsonl",
    "README.md",
    "LICENSE",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

/// Every file of [`PLUGIN`], by its path in the plugin.
fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files: Vec<String> = Vec::new();
    let mut left: Vec<String> = PLUGIN.iter().rev().map(|part| (*part).to_owned()).collect();
    while let Some(part) = left.pop() {
        println!("cargo::rerun-if-changed={part}");
        if !root.join(&part).is_dir() {
            files.push(part);
            continue;
        }
        for entry in fs::read_dir(root.join(&part))? {
            left.push(format!("{part}/{}", entry?.file_name().to_string_lossy()));
        }
    }
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in files {
        let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/\", {file:?}))");
        writeln!(list, "    PluginFile {{ path: {file:?}, text: {text} }},").map_err(io::Error::other)?;
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("plugin.rs"), list + "]\n")
}
