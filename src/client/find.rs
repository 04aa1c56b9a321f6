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

/// The executable that a word means, as a shell finds it.
pub fn in_path(word: &OsStr, path: &OsStr) -> Option<PathBuf> {
    let word = Path::new(word);
    if word.components().count() > 1 {
        return is_executable(word).then(|| word.to_owned());
    }
    std::env::split_paths(path).map(|folder| folder.join(word)).find(|file| is_executable(file))
}
