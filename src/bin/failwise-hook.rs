//! The hook: one payload on stdin, one JSON object or nothing on stdout, always exit 0.
//!
//! It takes no arguments, because old clients drop them: the mode is `hook_event_name` on stdin.

#![expect(clippy::disallowed_methods, reason = "an executable: environment, clock and exit are its own")]

use std::io::{Read, Write};
use std::process::ExitCode;

use failwise::hook::{Outside, Reply, answer};
use failwise::host::payload::MAX_BYTES;
use failwise::redact::redact;
use failwise::text::{blanked, one_line};

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == "--version") {
        let _ = writeln!(std::io::stdout(), "failwise-hook {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    // A panic's own message may quote what a user's command printed: only its place is named. Nothing is unwound in a
    // release build, so the exit code is seen to here.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tell(&format!("internal error at {place}; the call is not recorded"));
        std::process::exit(0);
    }));
    let reply = run();
    if let Some(line) = reply.stderr {
        tell(&one_line(&redact(&line), 1000));
    }
    if let Some(json) = reply.stdout {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(json.as_bytes()).and_then(|()| out.flush());
    }
    ExitCode::SUCCESS
}

fn run() -> Reply {
    let mut input = Vec::new();
    if let Err(error) = std::io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_end(&mut input) {
        return Reply { stdout: None, stderr: Some(format!("stdin cannot be read: {error}")) };
    }
    let now = failwise::time::stamp(chrono::Utc::now());
    answer(&input, &Outside { env: &|name| std::env::var_os(name), now: &now })
}

/// One line for the person who debugs hooks. Where stderr is closed or full, there is nobody to tell.
fn tell(line: &str) {
    let line = format!("failwise-hook: {}\n", blanked(line));
    let _ = std::io::stderr().write_all(line.as_bytes());
}
