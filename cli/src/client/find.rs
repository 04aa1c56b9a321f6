//! Where the client is.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::place::{Env, is_executable};

/// The variable that names the client's executable.
const NAMED: &str = "CLAUDE_BIN";
/// The client's own name.
const NAME: &str = "claude";

/// The client's executable: what `CLAUDE_BIN` names, else `claude` on the path.
///
/// # Errors
/// When there is none.
pub fn find_client(env: Env<'_>) -> Result<PathBuf, Error> {
    let path = env("PATH").unwrap_or_default();
    let named = env(NAMED).filter(|named| !named.is_empty());
    let word = named.as_deref().unwrap_or(OsStr::new(NAME));
    in_path(word, &path).ok_or_else(|| match &named {
        Some(named) => Error::unavailable(format!("{NAMED} names `{}`, which is not executable", named.display()))
            .hint("set it to the full path of Claude Code's executable, or unset it"),
        None => Error::unavailable("Claude Code was not found: no `claude` on the path")
            .hint(format!("install it, or set {NAMED} to the full path of its executable")),
    })
}

/// What a command may be called by less than its file's name.
const ENDINGS: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ""] } else { &[""] };

/// The executable that a word means, as a shell finds it.
pub fn in_path(word: &OsStr, path: &OsStr) -> Option<PathBuf> {
    let word = Path::new(word);
    if word.components().count() > 1 {
        return is_executable(word).then(|| word.to_owned());
    }
    let named = |ending: &str| {
        let mut name = word.as_os_str().to_owned();
        name.push(ending);
        name
    };
    let files = |folder: PathBuf| ENDINGS.iter().map(move |ending| folder.join(named(ending)));
    std::env::split_paths(path).flat_map(files).find(|file| is_executable(file))
}
