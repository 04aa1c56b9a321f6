//! Starts a program and does not wait for it: the person's own with a message, and `failwise` itself. An edge.

#![expect(clippy::disallowed_methods, reason = "an edge: it starts a process")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::place::Env;

/// The variables that the program gets: enough to find a desktop or a mail program. The client's own environment holds
/// keys, so the rest is kept back.
const PASSED_ON: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "SYSTEMROOT",
    "USERPROFILE",
];

/// Starts a program and hands it one line on standard input. It has a process group of its own, no terminal and no output,
/// so that it outlives the hook and says nothing to the client; nothing ends it. Best effort: a program that cannot be
/// started must not stop the agent.
pub fn start_program(program: &Path, message: &str, env: Env<'_>) {
    let mut command = Command::new(program);
    apart(&mut command, PASSED_ON, env);
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return };
    if let Some(mut stdin) = child.stdin.take() {
        // A pipe holds far more than a message, so this does not wait for a program that never reads.
        let _ = stdin.write_all(message.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
    }
}

/// The variables that say to `failwise` which project and which state directory it is about, and whether it may learn.
const OF_PLACE: &[&str] = &[
    "HOME",
    "PATH",
    "XDG_STATE_HOME",
    "FAILWISE_BASE",
    "FAILWISE_DIR",
    "FAILWISE_RECALL",
    "CLAUDE_PLUGIN_OPTION_RECALL",
    "CLAUDE_PROJECT_DIR",
    "AF_PLANS_DIR",
    "SYSTEMROOT",
    "USERPROFILE",
    "LOCALAPPDATA",
];

/// Starts `failwise` with these arguments in a folder, in the same way and with nothing to read.
pub fn start_own(program: &Path, arguments: &[&str], folder: &Path, env: Env<'_>) {
    let _ = own(program, arguments, folder, env).spawn();
}

/// The same, and waits for its end, so long at most: then it is ended.
pub fn run_own(program: &Path, arguments: &[&str], folder: &Path, env: Env<'_>, most: Duration) {
    const LOOK: Duration = Duration::from_millis(10);
    let Ok(mut child) = own(program, arguments, folder, env).spawn() else { return };
    let since = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if since.elapsed() >= most {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        thread::sleep(LOOK);
    }
}

fn own(program: &Path, arguments: &[&str], folder: &Path, env: Env<'_>) -> Command {
    let mut command = Command::new(program);
    apart(&mut command, OF_PLACE, env);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// Only these variables, no output, and a process group of its own.
fn apart(command: &mut Command, passed_on: &[&str], env: Env<'_>) {
    command.env_clear().envs(passed_on.iter().filter_map(|name| Some((name, env(name)?))));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
}
