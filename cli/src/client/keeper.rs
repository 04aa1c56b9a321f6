//! The keeper: a process between a run and the client, so that the client and all that it started end when the run does,
//! even if the run is killed and can do nothing about it any more.

use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{io, thread};

use super::signals::Signals;
use super::tree::{self, Family};

/// How often the keeper looks whether its run is still there.
const LOOK: Duration = Duration::from_millis(100);

/// Runs a program in a session of its own, with the streams of this process, and gives its exit code as a shell does.
/// Ends it with all that it started when the process that started this one is gone, or a signal asks for it.
///
/// # Errors
/// When the program cannot be started.
pub fn keep(program: &OsString, args: &[OsString], run: &str) -> io::Result<i32> {
    let run_lives = watch_run();
    let signals = Signals::watch()?;
    adopt();
    let family = Family { run, adopter: Some((std::process::id().cast_signed(), tree::own_beginning())) };
    let mut child = Command::new(program).args(args).env(tree::RUN, run).spawn()?;
    let (ended, wait) = channel();
    thread::spawn(move || ended.send(child.wait()));
    loop {
        match wait.recv_timeout(LOOK) {
            Ok(status) => return Ok(code_of(status?)),
            Err(RecvTimeoutError::Timeout) if run_lives() && signals.seen().is_none() => {}
            Err(_) => {
                tree::end(&family);
                return wait.recv_timeout(LOOK).map_or(Ok(128), |status| Ok(code_of(status?)));
            }
        }
    }
}

/// Whether the process that started this one is still there, to be asked often. From here on a terminal's Ctrl-C reaches the
/// run alone, which ends the rest in order.
#[cfg(unix)]
fn watch_run() -> impl Fn() -> bool {
    use rustix::process::{getppid, setsid};

    let parent = getppid();
    let _ = setsid();
    move || getppid() == parent
}

/// The system does not tell: a run that is killed here leaves its client running.
#[cfg(not(unix))]
fn watch_run() -> impl Fn() -> bool {
    || true
}

/// Takes in what the client leaves behind, instead of the machine's first process.
pub(super) fn adopt() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

fn code_of(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(128)
}
