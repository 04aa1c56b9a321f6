//! What a program says of itself when it is asked for help: started by its absolute path, without a shell, with nothing on
//! stdin and a home of its own, for a second, read to 64 KiB.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(1);
const MOST: u64 = 64 * 1024;

pub(super) fn of(program: &Path, subcommands: &[&str], until: Instant) -> Option<String> {
    let home = Home::new()?;
    let mut command = Command::new(program);
    command.args(subcommands).arg("--help").current_dir(&home.0);
    command
        .env_clear()
        .env("HOME", &home.0)
        .env("TERM", "dumb")
        .env("NO_COLOR", "1")
        .env("PAGER", "cat")
        .env("LC_ALL", "C");
    command
        .env("XDG_CONFIG_HOME", &home.0)
        .env("XDG_CACHE_HOME", &home.0)
        .env("GIT_PAGER", "cat")
        .env("MANPAGER", "cat");
    command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // What it starts ends with it.
        command.process_group(0);
    }
    let mut child = command.spawn().ok()?;
    let readers: Vec<_> = [child.stdout.take().map(boxed), child.stderr.take().map(boxed)]
        .into_iter()
        .flatten()
        .map(|stream| thread::spawn(move || read(stream)))
        .collect();
    let end = until.min(Instant::now() + LONGEST);
    let mut is_ended = false;
    while Instant::now() < end {
        if matches!(child.try_wait(), Ok(Some(_))) {
            is_ended = true;
            break;
        }
        thread::sleep(Duration::from_millis(3));
    }
    // Also where it ended: what it left running holds the streams.
    end_group(&mut child);
    let texts: Vec<String> = readers.into_iter().filter_map(|reader| reader.join().ok()).collect();
    let text = texts.join("\n");
    (is_ended || !text.trim().is_empty()).then_some(text)
}

fn boxed<R: Read + Send + 'static>(stream: R) -> Box<dyn Read + Send> {
    Box::new(stream)
}

fn read(stream: Box<dyn Read + Send>) -> String {
    let mut bytes = Vec::new();
    let _ = stream.take(MOST).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn end_group(child: &mut std::process::Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// A folder that is a home for a second, and goes.
struct Home(std::path::PathBuf);

impl Home {
    fn new() -> Option<Self> {
        let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos();
        let folder = std::env::temp_dir().join(format!("failwise-help-{}-{nanos}", std::process::id()));
        std::fs::create_dir(&folder).ok()?;
        Some(Self(folder))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
