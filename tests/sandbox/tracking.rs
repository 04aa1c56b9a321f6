//! Makes a folder a repository of git that tracks all its files.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a helper of tests, which may fail them")]

use std::path::Path;
use std::process::Command;

/// Git's index of this folder holds every file in it.
pub(crate) fn track(folder: &Path) {
    for arguments in [&["init", "-q"][..], &["add", "-A", "-f", "."]] {
        let mut git = Command::new("git");
        git.current_dir(folder).args(["-c", "core.safecrlf=false"]).args(arguments);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    }
}
