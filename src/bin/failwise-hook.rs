//! The hook: one payload on stdin, one JSON object or nothing on stdout, always exit 0.
//!
//! It takes no arguments, because old clients drop them: the mode is `hook_event_name` on stdin.

#![expect(clippy::disallowed_methods, reason = "an executable: environment, clock and exit are its own")]

use std::io::Write;
#[cfg(unix)]
use std::os::fd::BorrowedFd;
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::time::{Duration, Instant};

use failwise_core::hook::{Outside, Reply, answer};
use failwise_core::host::payload::MAX_BYTES;
use failwise_core::redact::redact;
use failwise_core::text::{blanked, one_line};
#[cfg(unix)]
use rustix::io::{Errno, retry_on_intr};
#[cfg(unix)]
use rustix::process::{Resource, getrlimit};
#[cfg(unix)]
use signal_hook::consts::SIGXFSZ;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == "--version") {
        let _ = writeln!(std::io::stdout(), "failwise-hook {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    // A panic's own message may quote what a user's command printed: only its place is named. Nothing is unwound in a
    // release build, so the exit code is seen to here.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tell_debugger(&format!("internal error at {place}; the call is not recorded"));
        std::process::exit(0);
    }));
    #[cfg(unix)]
    outlive_a_file_size_limit();
    let reply = run();
    if let Some(line) = reply.stderr {
        tell_debugger(&one_line(&redact(&line), 1000));
    }
    if let Some(json) = reply.stdout {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(json.as_bytes()).and_then(|()| out.flush());
    }
    ExitCode::SUCCESS
}

/// Where files may not grow beyond a limit (`ulimit -f`), the write that would is answered by a signal that ends the process.
/// Once it is caught, the write fails as on a full disk.
#[cfg(unix)]
fn outlive_a_file_size_limit() {
    if getrlimit(Resource::Fsize).current.is_some() {
        // Where it cannot be caught, the hook may still do without such a write.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    }
}

fn run() -> Reply {
    let input = match payload() {
        Ok(input) => input,
        Err(error) => return Reply { stdout: None, stderr: Some(format!("stdin cannot be read: {error}")) },
    };
    let now = failwise_core::time::stamp(chrono::Utc::now());
    answer(&input, &Outside { env: &|name| std::env::var_os(name), now: &now })
}

/// How long the hook waits for its payload. A client under load may write late, and what it says then must not be lost; one
/// that keeps the stream open must not keep the work waiting. Clients end a hook after 5 s, by the hooks files: what is left
/// of that is enough for the lock and the work.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(3);
/// How much is read at once: what a pipe holds.
#[cfg(unix)]
const CHUNK: usize = 64 * 1024;

/// What stands on standard input: up to its end, to the end of the JSON object, or to the end of our patience.
#[cfg(unix)]
fn payload() -> std::io::Result<Vec<u8>> {
    use rustix::buffer::spare_capacity;
    let stdin = rustix::stdio::stdin();
    let until = Instant::now() + PATIENCE;
    let mut input = Vec::with_capacity(CHUNK);
    while input.len() <= MAX_BYTES {
        // Mostly the rest is there, or the stream has ended; only where we would have to wait is it worth asking whether
        // what we have is the whole object.
        if !is_ready(stdin, Duration::ZERO)? {
            let patience = until.saturating_duration_since(Instant::now());
            if is_one_object(&input) || !is_ready(stdin, patience)? {
                break;
            }
        }
        input.reserve(CHUNK / 2);
        match rustix::io::read(stdin, spare_capacity(&mut input)) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(input)
}

/// Whether something can be read within a time, the stream's end included.
#[cfg(unix)]
fn is_ready(stdin: BorrowedFd<'_>, patience: Duration) -> std::io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec { tv_sec: patience.as_secs().cast_signed(), tv_nsec: patience.subsec_nanos().into() };
    let mut asked = [PollFd::from_borrowed_fd(stdin, PollFlags::IN)];
    Ok(retry_on_intr(|| poll(&mut asked, Some(&timeout)))? > 0)
}

#[cfg(unix)]
fn is_one_object(input: &[u8]) -> bool {
    input.trim_ascii_end().ends_with(b"}") && serde_json::from_slice::<serde::de::IgnoredAny>(input).is_ok()
}

#[cfg(not(unix))]
fn payload() -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut input = Vec::new();
    std::io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_end(&mut input)?;
    Ok(input)
}

/// One line for the person who debugs hooks. Where stderr is closed or full, there is nobody to tell.
fn tell_debugger(line: &str) {
    let line = format!("failwise-hook: {}\n", blanked(line));
    let _ = std::io::stderr().write_all(line.as_bytes());
}
