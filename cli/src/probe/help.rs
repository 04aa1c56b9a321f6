//! What a program says of itself when it is asked for help: started by its absolute path, without a shell, with nothing on
//! stdin and a home of its own, for a second, read to 64 KiB.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(1);
const MOST: u64 = 64 * 1024;
/// How long the end of the streams is waited for when the program has ended: what it left running may hold them.
const REST: Duration = Duration::from_millis(50);

pub(super) fn of(program: &Path, asks: &[&str], until: Instant) -> Option<String> {
    let home = Home::new()?;
    let mut command = Command::new(program);
    command.args(asks).current_dir(&home.0);
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
    let (sender, parts) = mpsc::channel();
    for (number, stream) in [child.stdout.take().map(boxed), child.stderr.take().map(boxed)].into_iter().enumerate() {
        let Some(stream) = stream else { continue };
        let sender = sender.clone();
        thread::spawn(move || read(stream, number, &sender));
    }
    drop(sender);
    let end = until.min(Instant::now() + LONGEST);
    let mut is_ended = false;
    while Instant::now() < end {
        if matches!(child.try_wait(), Ok(Some(_))) {
            is_ended = true;
            break;
        }
        thread::sleep(Duration::from_millis(3));
    }
    end_group(&mut child);
    let text = joined(&parts);
    (is_ended || !text.trim().is_empty()).then_some(text)
}

/// What the streams held, standard output first.
fn joined(parts: &mpsc::Receiver<(usize, Vec<u8>)>) -> String {
    let end = Instant::now() + REST;
    let mut texts = [Vec::new(), Vec::new()];
    while let Ok((number, bytes)) = parts.recv_timeout(end.saturating_duration_since(Instant::now())) {
        if let Some(text) = texts.get_mut(number) {
            text.extend(bytes);
        }
    }
    texts.map(|text| String::from_utf8_lossy(&text).into_owned()).join("\n")
}

fn boxed<R: Read + Send + 'static>(stream: R) -> Box<dyn Read + Send> {
    Box::new(stream)
}

/// Hands on what a stream gives, as it comes.
fn read(stream: Box<dyn Read + Send>, number: usize, to: &mpsc::Sender<(usize, Vec<u8>)>) {
    let mut stream = stream.take(MOST);
    let mut part = vec![0; 8 * 1024];
    while let Ok(read @ 1..) = stream.read(&mut part) {
        if to.send((number, part.get(..read).unwrap_or_default().to_vec())).is_err() {
            return;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_leaves_something_running_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("leaves");
        std::fs::write(&program, "#!/bin/sh\nsetsid sleep 20 &\necho usage: leaves [--all]\n").unwrap();
        let mut rights = std::fs::metadata(&program).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o700);
        std::fs::set_permissions(&program, rights).unwrap();
        let begun = Instant::now();
        let help = of(&program, &["--help"], begun + Duration::from_secs(2));
        assert!(help.is_some_and(|help| help.contains("usage: leaves [--all]")));
        assert!(begun.elapsed() < Duration::from_secs(10), "what it left holds the stream for 20 s");
    }
}
