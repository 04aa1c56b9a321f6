//! The folders where programs stand that are not always on `PATH`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::place::is_executable;

/// Below the user's home; `*` is any one folder.
const OF_USER: &[&str] = &[
    ".local/bin",
    "bin",
    ".cargo/bin",
    "go/bin",
    ".npm-global/bin",
    ".npm-packages/bin",
    ".yarn/bin",
    ".bun/bin",
    ".deno/bin",
    ".volta/bin",
    ".local/share/pnpm",
    ".local/share/mise/shims",
    ".asdf/shims",
    ".pyenv/shims",
    ".rbenv/shims",
    ".poetry/bin",
    ".dotnet/tools",
    ".nvm/versions/node/*/bin",
    ".sdkman/candidates/*/current/bin",
];
const OF_SYSTEM: &[&str] = &[
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
    "/usr/local/go/bin",
    "/usr/games",
    "/opt/homebrew/bin",
    "/snap/bin",
    "/usr/lib/postgresql/*/bin",
];
/// The most folders that one `*` stands for.
const MOST: usize = 200;

/// The first place of a program that may be run.
pub(super) fn place_of(program: &str) -> Option<String> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let own = home.iter().flat_map(|home| OF_USER.iter().map(|folder| home.join(folder)));
    let folders = own.chain(OF_SYSTEM.iter().map(PathBuf::from));
    let paths = folders.flat_map(|folder| spread(&folder)).map(|folder| folder.join(program));
    paths.into_iter().find(|path| is_executable(path))?.into_os_string().into_string().ok()
}

/// The folders that a pattern stands for, the last by its name first: of versions, the newest as a rule.
fn spread(folder: &Path) -> Vec<PathBuf> {
    let Some((before, after)) = folder.to_str().and_then(|text| text.split_once("/*/")) else {
        return vec![folder.to_owned()];
    };
    let entries = fs::read_dir(before).into_iter().flatten().flatten().take(MOST);
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path().join(after)).collect();
    found.sort();
    found.reverse();
    found
}
