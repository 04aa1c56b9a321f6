//! The processes that a run left running: finding them, and ending them.
//!
//! A tool's shell has a session of its own, and commands in the background outlive the client, so that no process group
//! holds them all. They are known by the run's id in the environment that they began with, and as children of others.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long a process has to end after it was asked to.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// How long a process takes at most to be gone once it was killed.
const KILLED: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(20);
/// The most characters of a command that are shown.
const COMMAND: usize = 120;

/// The variable that holds a run's id, for the client and all that it starts.
pub const RUN: &str = "FAILWISE_RUN";

/// A process that a run left running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// What runs, as it was started: one line without secrets.
    pub command: String,
}

/// A process among all others.
#[derive(Debug, Clone, Copy)]
struct Entry {
    pid: i32,
    parent: i32,
    /// When it began, in ticks since the machine did; 0 where that is not known.
    began: u64,
}

/// How a process is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessEnding {
    /// It is asked, and may put things in order first.
    Asked,
    /// It has no say.
    Killed,
}

/// Which processes belong to a run.
#[derive(Debug, Clone, Copy)]
pub struct Family<'a> {
    /// The run's id.
    pub run: &'a str,
    /// A process whose children all belong to the run if they began after it did.
    pub adopter: Option<(i32, u64)>,
}

/// The processes of a run that still run, apart from this one.
pub fn left(family: &Family<'_>) -> Vec<Process> {
    members(family).into_iter().map(|pid| Process { pid, command: list::command(pid) }).collect()
}

fn members(family: &Family<'_>) -> BTreeSet<i32> {
    let own = std::process::id().cast_signed();
    let all = list::all();
    let adopted =
        |process: &Entry| family.adopter.is_some_and(|(pid, since)| process.parent == pid && process.began >= since);
    let mut members: BTreeSet<i32> = all
        .iter()
        .filter(|process| adopted(process) || list::began_with(process.pid, RUN, family.run))
        .map(|process| process.pid)
        .collect();
    members.remove(&own);
    loop {
        let is_new = |process: &&Entry| {
            members.contains(&process.parent) && !members.contains(&process.pid) && process.pid != own
        };
        let more: Vec<i32> = all.iter().filter(is_new).map(|process| process.pid).collect();
        if more.is_empty() {
            return members;
        }
        members.extend(more);
    }
}

/// Ends the processes of a run: asks them, and kills what has not gone in time. Gives what was there.
pub fn end(family: &Family<'_>) -> Vec<Process> {
    let found = left(family);
    let mut asked = BTreeSet::new();
    for (ending, time) in [(ProcessEnding::Asked, GRACE), (ProcessEnding::Killed, KILLED)] {
        let since = Instant::now();
        loop {
            let still = members(family);
            if still.is_empty() {
                return found;
            }
            // What began meanwhile is asked too; what is killed is killed again, as it may just have begun.
            for pid in still {
                if ending == ProcessEnding::Killed || asked.insert(pid) {
                    end_one(pid, ending);
                }
            }
            if since.elapsed() >= time {
                break;
            }
            thread::sleep(POLL);
        }
    }
    found
}

/// Ends a process by a signal; one that is gone is no error.
#[cfg(unix)]
pub(super) fn end_one(pid: i32, ending: ProcessEnding) {
    use rustix::process::{Pid, Signal, kill_process};

    let signal = if ending == ProcessEnding::Killed { Signal::KILL } else { Signal::TERM };
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

/// Ends a process with its children: no program without a window can be asked here.
#[cfg(not(unix))]
pub(super) fn end_one(pid: i32, _: ProcessEnding) {
    let _ = std::process::Command::new("taskkill").args(["/F", "/T", "/PID", &pid.to_string()]).output();
}

pub(super) use list::own_beginning;

#[cfg(target_os = "linux")]
mod list {
    use super::{COMMAND, Entry};
    use crate::redact::redact;
    use crate::text::one_line;

    /// Every process that runs; those that only wait to be reaped are none.
    pub(super) fn all() -> Vec<Entry> {
        let entries = fs_err::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| self::entry(entry.file_name().to_str()?.parse().ok()?)).collect()
    }

    /// When this process began, for a [`super::Family`].
    pub(in crate::client) fn own_beginning() -> u64 {
        entry(std::process::id().cast_signed()).map_or(0, |own| own.began)
    }

    fn entry(pid: i32) -> Option<Entry> {
        let stat = fs_err::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything; fields are counted behind it.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let (state, parent, began) = (fields.first()?, fields.get(1)?, fields.get(19)?);
        if matches!(*state, "Z" | "X") {
            return None;
        }
        Some(Entry { pid, parent: parent.parse().ok()?, began: began.parse().ok()? })
    }

    pub(super) fn command(pid: i32) -> String {
        let line = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        one_line(&redact(&line), COMMAND)
    }

    /// Whether a process began with this value in its environment.
    pub(super) fn began_with(pid: i32, name: &str, value: &str) -> bool {
        let wanted = format!("{name}={value}");
        let environment = fs_err::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    }
}

#[cfg(not(target_os = "linux"))]
mod list {
    use std::process::Command;

    use super::{COMMAND, Entry};
    use crate::redact::redact;
    use crate::text::one_line;

    /// Every process that runs, as the system's own program lists them.
    pub(super) fn all() -> Vec<Entry> {
        let list = if cfg!(windows) {
            said_by_powershell("Get-CimInstance Win32_Process | % { \"$($_.ProcessId) $($_.ParentProcessId) R\" }")
        } else {
            said_by("ps", &["-A", "-o", "pid=,ppid=,stat="])
        };
        list.lines().filter_map(parsed).collect()
    }

    pub(super) fn command(pid: i32) -> String {
        let line = if cfg!(windows) {
            said_by_powershell(&format!("(Get-CimInstance Win32_Process -Filter 'ProcessId={pid}').CommandLine"))
        } else {
            said_by("ps", &["-p", &pid.to_string(), "-o", "command="])
        };
        one_line(&redact(&line), COMMAND)
    }

    fn said_by_powershell(command: &str) -> String {
        said_by("powershell", &["-NoProfile", "-NonInteractive", "-Command", command])
    }

    fn said_by(program: &str, args: &[&str]) -> String {
        let output = Command::new(program).args(args).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
    }

    fn parsed(line: &str) -> Option<Entry> {
        let mut words = line.split_whitespace();
        let (pid, parent, state) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?);
        (!state.starts_with('Z')).then_some(Entry { pid, parent, began: 0 })
    }

    /// It is not looked for here: a child that began before this process does not happen.
    pub(in crate::client) fn own_beginning() -> u64 {
        0
    }

    /// The environment of others is not shown here: only children are known.
    pub(super) fn began_with(_: i32, _: &str, _: &str) -> bool {
        false
    }
}
