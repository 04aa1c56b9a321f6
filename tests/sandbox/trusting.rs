//! What a person does before agents work in a project that came with files: they trust it.

#![expect(clippy::disallowed_methods, reason = "starts the executable")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::path::Path;
use std::process::{Command, Stdio};

/// Trusts all that is in a project, as the person whose home folder this is.
pub(crate) fn trust(home: &Path, project: &Path) {
    let mut failwise = Command::new(env!("CARGO_BIN_EXE_failwise"));
    failwise.args(["trust", "--yes"]).env_clear().env("HOME", home).current_dir(project);
    failwise.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = failwise.stdin(Stdio::null()).output().unwrap();
    let nothing_waits = String::from_utf8_lossy(&output.stdout).contains("nothing waits");
    assert!(output.status.success() || nothing_waits, "{}", String::from_utf8_lossy(&output.stderr));
}
