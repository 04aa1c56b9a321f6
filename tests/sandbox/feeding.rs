//! An executable that is given something to read.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Starts a command, gives it this to read, and waits for its end.
pub(crate) fn feed(command: &mut Command, input: impl AsRef<[u8]>) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref();
    std::thread::scope(|scope| {
        // A command line that is refused is not read from, and the hook may answer before it has read everything.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}
