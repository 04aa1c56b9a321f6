//! The hook where the machine is in trouble: an event is written, or a line on stderr tells that it is not; the exit
//! code is 0, and the next hook finds everything in order.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and looks at the files it leaves")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use failwise::digest::hex16;
use serde_json::{Value, json};
use tempfile::TempDir;

struct Bench {
    dir: TempDir,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project/.git")).unwrap();
        Self { dir }
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("history")
    }

    /// A shell that ends as the hook, after what it was told.
    fn start(&self, id: &str, before: &str, stderr: Stdio) -> Child {
        let payload = json!({
            "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": self.project(), "tool_name": "Bash",
            "hook_event_name": "PostToolUseFailure", "tool_input": {"command": "make run-runner"}, "tool_use_id": id,
            "error": "Exit code 2\nmake: *** No rule to make target 'run-runner'.  Stop.", "is_interrupt": false,
        });
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{before}\nexec \"$0\"")).arg(env!("CARGO_BIN_EXE_failwise-hook"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.dir.path());
        command.env("FAILWISE_DIR", self.folder()).current_dir(self.dir.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        child
    }

    fn hook(&self, id: &str, before: &str) -> Output {
        self.start(id, before, Stdio::piped()).wait_with_output().unwrap()
    }

    /// The lines of the history that are events.
    fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder().join("history.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn is_written(&self, id: &str) -> bool {
        self.events().iter().any(|event| event["tool_use_id"] == id && event["event"] == "execution_failed")
    }

    /// How often the failure was counted at the last verdict.
    fn attempts(&self) -> u64 {
        self.events().iter().rev().find_map(|event| event["verdict"]["attempt"].as_u64()).unwrap_or_default()
    }

    /// Runs the hook in trouble: written, or reported; true for written.
    fn survives(&self, id: &str, before: &str) -> bool {
        let output = self.hook(id, before);
        assert_eq!(output.status.code(), Some(0), "{id}: {output:?}");
        assert!(output.stdout.is_empty() || serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{output:?}");
        let written = self.is_written(id);
        assert_ne!(written, !output.stderr.is_empty(), "{id}: written or reported, not both: {output:?}");
        written
    }
}

/// The hook's end, where it comes within seconds although its input stays open.
fn ends_with_open_input(mut hook: Child) -> Option<Output> {
    let input = hook.stdin.take();
    for _ in 0..200 {
        if hook.try_wait().unwrap().is_some() {
            drop(input);
            return hook.wait_with_output().ok();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    hook.kill().unwrap();
    None
}

#[test]
fn an_input_that_stays_open_is_not_waited_for() {
    let bench = Bench::new();
    let start = |text: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
        command.env_clear().env("HOME", bench.dir.path()).env("FAILWISE_DIR", bench.folder());
        let mut hook = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        hook.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
        hook
    };
    let payload = json!({
        "session_id": "s-1", "cwd": bench.project(), "tool_name": "Bash", "hook_event_name": "PostToolUseFailure",
        "tool_input": {"command": "make run-runner"}, "tool_use_id": "open", "error": "Exit code 2", "is_interrupt": false,
    });
    let whole = ends_with_open_input(start(&format!("{payload}\n"))).expect("it ends at the end of the object");
    assert!(whole.status.success() && bench.is_written("open"));
    let half = &payload.to_string().replace("open", "half")[..60];
    for text in ["", half] {
        let ended = ends_with_open_input(start(text)).expect("it ends when it has waited");
        assert!(ended.status.success() && !ended.stderr.is_empty());
    }
}

/// A client under load writes late, and in pieces.
#[test]
fn a_late_payload_is_not_lost() {
    let bench = Bench::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
    command.env_clear().env("HOME", bench.dir.path()).env("FAILWISE_DIR", bench.folder());
    let mut hook = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let payload = json!({
        "session_id": "s-1", "cwd": bench.project(), "tool_name": "Bash", "hook_event_name": "PostToolUseFailure",
        "tool_input": {"command": "make run-runner"}, "tool_use_id": "late", "error": "Exit code 2", "is_interrupt": false,
    })
    .to_string();
    let (first, rest) = payload.split_at(payload.len() / 2);
    for part in [first, rest] {
        std::thread::sleep(Duration::from_millis(700));
        hook.stdin.as_mut().unwrap().write_all(part.as_bytes()).unwrap();
    }
    assert!(hook.wait_with_output().unwrap().status.success());
    assert!(bench.is_written("late"));
}

#[test]
fn the_table_of_descriptors_is_full() {
    // A plain build is linked dynamically: it cannot start where its loader finds no descriptor. The static executable
    // that is installed reports there too.
    let starts = |limit: &i32| {
        let line = format!("ulimit -n {limit} && exec /bin/true");
        Command::new("sh").args(["-c", &line]).stdin(Stdio::piped()).output().unwrap().status.success()
    };
    for limit in (4..=12).filter(starts) {
        let bench = Bench::new();
        assert!(bench.survives("before", ""));
        let written = bench.survives("now", &format!("ulimit -n {limit}"));
        assert_eq!(written, limit > 4, "{limit}: one for the lock, one for the history");
        assert!(bench.survives("after", ""));
        assert_eq!(bench.attempts(), 2 + u64::from(written), "{limit}: what could not be read was not taken for new");
    }
}

/// The system ends a process that writes beyond the limit, unless it sees to that. A write may be cut behind the failure and
/// before its verdict: then it is both written and reported.
#[test]
fn files_may_not_grow() {
    let mut outcomes = Vec::new();
    for limit in 0..=16 {
        let bench = Bench::new();
        assert!(bench.survives("before", ""));
        let output = bench.hook("now", &format!("ulimit -f {limit}"));
        assert_eq!(output.status.code(), Some(0), "{limit}: {output:?}");
        assert!(output.stdout.is_empty() || serde_json::from_slice::<Value>(&output.stdout).is_ok(), "{output:?}");
        let (written, reported) = (bench.is_written("now"), !output.stderr.is_empty());
        assert!(written || reported, "{limit}: lost without a word");
        assert!(bench.survives("after", ""), "{limit}");
        assert_eq!(bench.attempts(), 2 + u64::from(written), "{limit}");
        outcomes.push((written, reported));
    }
    assert_eq!((outcomes[0], outcomes[16]), ((false, true), (true, false)), "{outcomes:?}");
}

#[test]
fn the_working_directory_is_gone() {
    let bench = Bench::new();
    let gone = bench.dir.path().join("gone");
    let before = format!("mkdir {0} && cd {0} && rmdir {0}", gone.display());
    assert!(bench.survives("now", &before));
    fs::remove_dir_all(bench.project()).unwrap();
    assert!(bench.survives("then", &before), "nor is there a project any more");
    assert_eq!(bench.attempts(), 2);
}

#[test]
fn the_folder_is_read_only() {
    let bench = Bench::new();
    assert!(bench.survives("before", ""));
    let folders = [bench.folder().join("state"), bench.folder()];
    let close =
        |mode| folders.iter().for_each(|dir| fs::set_permissions(dir, fs::Permissions::from_mode(mode)).unwrap());
    close(0o500);
    // Files that are there can be written, and states cannot be replaced.
    assert!(bench.survives("first", ""));
    assert!(bench.survives("second", ""));
    close(0o700);
    assert!(bench.survives("after", ""));
    assert_eq!(bench.attempts(), 4, "states that could not be kept are made again");
}

#[test]
fn a_folder_stands_where_a_file_should_be() {
    let state = format!("state/{}-{}.json", &hex16(&["session/s-1"])[..8], hex16(&["session/s-1/agent/a1"]));
    for (name, can_be_written) in [("history.jsonl", false), ("history.lock", false), (state.as_str(), true)] {
        let bench = Bench::new();
        let path = bench.folder().join(name);
        fs::create_dir_all(&path).unwrap();
        for id in ["first", "second", "third"] {
            assert_eq!(bench.survives(id, ""), can_be_written, "{name}");
        }
        let _ = fs::remove_dir(&path);
        assert!(bench.survives("after", ""), "{name}");
        assert_eq!(bench.attempts(), if can_be_written { 4 } else { 1 }, "{name}");
    }
}

/// A process that has the lock and was stopped; ended with this value.
struct Stopped(Child);

impl Stopped {
    fn with_lock(lock: &Path) -> Option<Self> {
        let script = "exec 9>>\"$0\" && flock 9 && echo held && kill -STOP $$";
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(lock).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut line).unwrap();
        let stopped = Self(child);
        (line == "held\n").then_some(stopped)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_stopped_process_has_the_lock() {
    let bench = Bench::new();
    assert!(bench.survives("before", ""));
    let Some(stopped) = Stopped::with_lock(&bench.folder().join("history.lock")) else {
        eprintln!("no flock(1) here: nothing was tested");
        return;
    };
    for id in ["first", "second"] {
        let started = Instant::now();
        assert!(bench.survives(id, ""));
        assert!(started.elapsed() < Duration::from_secs(2), "the agent waits no longer than it must");
    }
    drop(stopped);
    assert!(bench.survives("after", ""));
    let unlocked: Vec<bool> = bench.events().iter().map(|event| event["unlocked"] == true).collect();
    // A failure and its verdict, and from the third equal one on what was decided.
    assert_eq!(unlocked, [false, false, true, true, true, true, true, false, false, false]);
    assert_eq!(bench.attempts(), 4);
}

#[test]
fn nobody_hears_it() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let bench = Bench::new();
    fs::create_dir_all(bench.folder().join("history.jsonl")).unwrap();
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for (what, before) in [("a full stderr", ""), ("no stderr", "exec 2>&-"), ("no stdout", "exec 1>&-")] {
        let output = bench.start("now", before, full()).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{what}");
    }
    fs::remove_dir(bench.folder().join("history.jsonl")).unwrap();
    for id in ["first", "second", "third"] {
        let output = bench.start(id, "exec >/dev/full", Stdio::piped()).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "a full stdout");
        assert!(bench.is_written(id));
    }
}
