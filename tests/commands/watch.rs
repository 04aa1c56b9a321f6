//! `failwise stats` and `failwise watch` as whole executables: the status line, lines as they come, and the terminal.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and reads the repository's own files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const SESSION: &str = "5d0c1f8e-3a64-4b1e-9b57-2f6c90e7a114";
const NO_RULE: &str = "Exit code 2\nmake: *** No rule to make target 'stations/harwich.csv', needed by 'chart'.  Stop.";
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn command(executable: &str, home: &Path) -> Command {
    let mut command = Command::new(executable);
    command.env_clear().env("HOME", home).env("FAILWISE_DIR", home.join("h")).current_dir(home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn given(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Lets the hook record a call that failed, or passed.
fn record(home: &Path, id: &str, agent: Option<&str>, shell: &str, failure: Option<&str>) {
    let event = if failure.is_some() { "PostToolUseFailure" } else { "PostToolUse" };
    let mut payload = json!({"session_id": SESSION, "cwd": home, "hook_event_name": event, "tool_name": "Bash",
        "tool_use_id": id, "tool_input": {"command": shell}});
    match failure {
        Some(error) => payload["error"] = error.into(),
        None => payload["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false}),
    }
    if let Some(agent) = agent {
        payload["agent_id"] = agent.into();
    }
    let output = given(command(env!("CARGO_BIN_EXE_failwise-hook"), home), payload.to_string().as_bytes());
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// The JSON that the client gives a status line.
fn status_input(home: &Path) -> Value {
    json!({"hook_event_name": "Status", "session_id": SESSION, "transcript_path": "/tmp/t.jsonl", "cwd": home,
        "model": {"id": "m", "display_name": "M"}, "workspace": {"current_dir": home, "project_dir": home},
        "version": "2.1.329", "cost": {"total_cost_usd": 0.01}})
}

fn status_line(home: &Path, input: &[u8]) -> String {
    let mut line = command(env!("CARGO_BIN_EXE_failwise"), home);
    line.args(["stats", "--statusline"]);
    let output = given(line, input);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_status_line_tells_what_is_open_and_is_empty_when_all_is_well() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let input = status_input(home).to_string();
    assert_eq!(status_line(home, input.as_bytes()), "");
    for id in ["t1", "t2", "t3"] {
        record(home, id, None, "make chart", Some(NO_RULE));
    }
    assert_eq!(status_line(home, input.as_bytes()), "failwise: 1 open · make chart x3 unchanged\n");
    let no_module = "Exit code 1\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'";
    record(home, "t4", Some("af31"), "python3 s.py", Some(no_module));
    assert_eq!(status_line(home, input.as_bytes()), "failwise: 2 open · make chart x3 unchanged\n");
    let other = input.replace(SESSION, "a7e2b904-11c3-4d0a-8d1e-6b0f3c5d7e21");
    assert_eq!(status_line(home, other.as_bytes()), "", "another session has nothing open");
    record(home, "t5", None, "make chart", None);
    record(home, "t6", Some("af31"), "python3 s.py", None);
    assert_eq!(status_line(home, input.as_bytes()), "");
}

/// In a plan tree failures belong to nodes: the active one, and those that the session claimed.
#[test]
fn the_status_line_follows_a_session_to_the_nodes_of_a_plan() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let plans = home.join(".claude/plans");
    fs::create_dir_all(&plans).unwrap();
    fs::write(plans.join("active.json"), r#"{"active":{"task":"TASK-00001"}}"#).unwrap();
    crate::trusting::trust(home, home);
    let input = status_input(home).to_string();
    for id in ["t1", "t2"] {
        record(home, id, None, "make chart", Some(NO_RULE));
    }
    assert_eq!(status_line(home, input.as_bytes()), "failwise: 1 open · make chart x2 unchanged\n");
    let bound = json!({"v": 1, "id": "b1", "ts": "2026-03-14T09:00:00Z", "event": "node_bound",
        "node": format!("session/{SESSION}"), "session": SESSION, "target": "TASK-00002"});
    let mut history = fs::OpenOptions::new().append(true).open(home.join("h/history.jsonl")).unwrap();
    writeln!(history, "{bound}").unwrap();
    // The hook that comes next folds in what other hands appended.
    record(home, "t3", None, "git status", None);
    assert_eq!(status_line(home, input.as_bytes()), "", "it works on another node now");
    record(home, "t4", None, "make chart", Some(NO_RULE));
    assert_eq!(status_line(home, input.as_bytes()), "failwise: 1 open\n");
}

#[test]
fn a_status_line_never_fails() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    record(home, "t1", None, "make chart", Some(NO_RULE));
    let huge = format!("{{\"session_id\":\"{}\"}}", "x".repeat(2 * 1024 * 1024));
    let strange = json!({"session_id": SESSION, "workspace": 3, "cwd": ["x"]}).to_string();
    let hostile = json!({"session_id": "../../etc/passwd\u{0}", "cwd": "/nonexistent\u{0}"}).to_string();
    for input in ["", "{", "null", "[]", "{\"session_id\":7}", &huge, &hostile] {
        assert_eq!(status_line(home, input.as_bytes()), "", "{}", input.get(..40).unwrap_or(input));
    }
    assert_eq!(status_line(home, &[0xff, 0xfe, 0]), "");
    assert_eq!(status_line(home, strange.as_bytes()), "", "without a folder there is no project");
    fs::remove_dir_all(home.join("h/state")).unwrap();
    fs::write(home.join("h/state"), "no folder").unwrap();
    assert_eq!(status_line(home, status_input(home).to_string().as_bytes()), "");
}

/// What the page tells people to put into the client's settings is a command that works.
#[test]
fn the_documented_setting_is_the_command() {
    let page = fs::read_to_string(root().join("docs/watch.md")).unwrap();
    let block = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let setting: Value = serde_json::from_str(block).unwrap();
    assert_eq!(setting["statusLine"]["type"], "command");
    let line = setting["statusLine"]["command"].as_str().unwrap();
    let arguments: Vec<&str> = line.strip_prefix("failwise ").unwrap().split(' ').collect();
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    record(home, "t1", None, "make chart", Some(NO_RULE));
    let mut documented = command(env!("CARGO_BIN_EXE_failwise"), home);
    documented.args(arguments);
    let output = given(documented, status_input(home).to_string().as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "failwise: 1 open\n");
    let help = fs::read_to_string(root().join("src/bin/failwise/stats.rs")).unwrap();
    assert!(help.contains(line), "the command's own help names another one");
}

/// The screen on the page is the stored one.
#[test]
fn the_page_shows_the_screen() {
    let page = fs::read_to_string(root().join("docs/watch.md")).unwrap();
    let screen = fs::read_to_string(root().join("tests/screens/usual.txt")).unwrap();
    let shown = screen.split("\n\nEVENTS").next().unwrap();
    assert!(page.contains(shown), "docs/watch.md shows another screen");
    let list = fs::read_to_string(root().join("tests/screens/list.txt")).unwrap();
    let rows: String = list.lines().take(6).flat_map(|line| [line, "\n"]).collect();
    assert!(page.contains(&rows), "docs/watch.md shows another list");
}

// --- lines --------------------------------------------------------------------------------------------------

/// A child that is ended with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn lines_come_while_hooks_append_and_through_a_rotation() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    record(home, "t1", None, "make chart", Some(NO_RULE));
    let mut watch = command(env!("CARGO_BIN_EXE_failwise"), home);
    watch.args(["watch", "--last", "1"]);
    let mut child = Ended(watch.spawn().unwrap());
    let lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let (send, seen) = std::sync::mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| send.send(line)));
    let next = || seen.recv_timeout(PATIENCE).unwrap();
    // The first column is the time.
    assert_eq!(&next()[8..], "  5d0c1f         F2  bad arguments       make chart");
    record(home, "t2", None, "make chart", Some(NO_RULE));
    assert_eq!(&next()[8..], "  5d0c1f         F2  bad arguments       make chart  (x2 unchanged)");
    let mut rotate = command(env!("CARGO_BIN_EXE_failwise"), home);
    rotate.args(["data", "rotate"]);
    assert!(given(rotate, b"").status.success());
    record(home, "t3", None, "make chart", None);
    assert_eq!(&next()[8..], "  5d0c1f         --  passes again        make chart  (after 2 failures)");
}

#[test]
fn nobody_listening_ends_it_without_a_word() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("h")).unwrap();
    fs::copy(root().join("tests/screens/history.jsonl"), home.join("h/history.jsonl")).unwrap();
    let mut watch = command(env!("CARGO_BIN_EXE_failwise"), home);
    watch.args(["watch", "--once", "--last", "100"]);
    let mut child = watch.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn what_is_asked_for_in_vain_is_said() {
    let home = tempfile::tempdir().unwrap();
    for (arguments, exit, says) in [
        (&["watch", "--project", "/nonexistent"][..], 1, "give the project's folder"),
        (&["stats", "--session", ""], 1, "the session's id is empty"),
        (&["stats", "--session", "-"], 65, "stdin names no session"),
        (&["stats", "--statusline", "--format", "json"], 64, "leave out one of them"),
    ] {
        let mut asked = command(env!("CARGO_BIN_EXE_failwise"), home.path());
        asked.args(arguments);
        let output = given(asked, b"");
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(says), "{output:?}");
    }
}

// --- the terminal -------------------------------------------------------------------------------------------

/// Runs a shell script on a terminal of its own and types into it once the screen stands; None where `script` is missing.
fn on_a_terminal(home: &Path, shell: &str, keys: &str) -> Option<String> {
    let mut script = command("script", home);
    script.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TERM", "xterm-256color");
    script.env("FAILWISE_BIN", env!("CARGO_BIN_EXE_failwise")).args(["-qec", shell, "/dev/null"]);
    let mut child = match script.spawn() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        spawned => Ended(spawned.unwrap()),
    };
    let mut stdin = child.0.stdin.take().unwrap();
    let mut stdout = child.0.stdout.take().unwrap();
    let (send, seen) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read) = std::io::Read::read(&mut stdout, &mut bytes) {
            if read == 0 || send.send(bytes[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    let (until, mut output, mut typed) = (Instant::now() + PATIENCE, Vec::new(), false);
    while let Ok(bytes) = seen.recv_timeout(until.saturating_duration_since(Instant::now())) {
        output.extend(bytes);
        if !typed && String::from_utf8_lossy(&output).contains("q quit") {
            stdin.write_all(keys.as_bytes()).unwrap();
            stdin.flush().unwrap();
            typed = true;
        }
    }
    assert!(Instant::now() < until, "it did not end: {}", String::from_utf8_lossy(&output));
    Some(String::from_utf8_lossy(&output).into_owned())
}

/// The screen is left, the cursor is shown, and the terminal's settings are as they were.
fn assert_given_back(output: &str, exit: &str) {
    let left = output.rfind("\u{1b}[?1049l").unwrap_or_else(|| panic!("the screen was not left: {output:?}"));
    assert!(output.find("\u{1b}[?1049h").unwrap() < left);
    assert!(
        output.rfind("\u{1b}[?25h").unwrap() > output.rfind("\u{1b}[?25l").unwrap(),
        "the cursor is hidden: {output:?}"
    );
    let settings: Vec<&str> = output.split("settings=").skip(1).filter_map(|rest| rest.split(';').next()).collect();
    assert_eq!(settings.len(), 2, "{output:?}");
    assert_eq!(settings[0], settings[1], "the terminal's settings were changed");
    assert!(output.contains(&format!("exit={exit};")), "{output:?}");
}

fn watched(home: &Path) {
    fs::create_dir(home.join("h")).unwrap();
    fs::copy(root().join("tests/screens/history.jsonl"), home.join("h/history.jsonl")).unwrap();
}

const SHELL: &str =
    "stty cols 80 rows 24; echo \"settings=$(stty -g);\"; RUN; echo \"exit=$?;\"; echo \"settings=$(stty -g);\"";

#[test]
fn keys_are_obeyed_and_the_terminal_is_given_back() {
    for keys in ["q", "\u{3}", "?xcaq", "/make\rjkq"] {
        let home = tempfile::tempdir().unwrap();
        watched(home.path());
        let shell = SHELL.replace("RUN", "\"$FAILWISE_BIN\" watch --all");
        let Some(output) = on_a_terminal(home.path(), &shell, keys) else { return };
        assert!(output.contains("make chart"), "{output:?}");
        assert_given_back(&output, "0");
    }
}

#[test]
fn a_process_that_is_told_to_end_gives_the_terminal_back() {
    let home = tempfile::tempdir().unwrap();
    watched(home.path());
    // The process ends by the signal that it is sent while the screen stands, not by a key.
    let run = "(sleep 2; kill -TERM $(cat pid)) & sh -c 'echo $$ >pid; exec \"$FAILWISE_BIN\" watch --all'";
    let Some(output) = on_a_terminal(home.path(), &SHELL.replace("RUN", run), "") else { return };
    assert_given_back(&output, "0");
}

/// A terminal inside `tmux`, with a server of its own that ends with it.
struct Pane {
    home: tempfile::TempDir,
}

impl Pane {
    fn tmux(&self, arguments: &[&str]) -> std::io::Result<Output> {
        let mut tmux = command("tmux", self.home.path());
        tmux.env_remove("FAILWISE_DIR").env("PATH", std::env::var_os("PATH").unwrap_or_default());
        tmux.env("TERM", "xterm-256color").env("TZ", "UTC").env("LC_ALL", "C.UTF-8");
        tmux.arg("-S").arg(self.home.path().join("tmux")).args(arguments).output()
    }

    fn type_keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "0"][..], keys].concat()).unwrap();
    }

    /// The screen once these words are on it.
    fn screen_with(&self, words: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.tmux(&["capture-pane", "-p", "-t", "0"]).unwrap();
            let screen = String::from_utf8_lossy(&screen.stdout).into_owned();
            if screen.contains(words) {
                return screen;
            }
            assert!(Instant::now() < until, "{words} never came: {screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}

/// Two projects, chosen by keys in a real terminal; an event is shown with what the agent was told.
#[test]
fn projects_are_walked_through_in_tmux() {
    let pane = Pane { home: tempfile::tempdir().unwrap() };
    let projects = pane.home.path().join(".local/state/failwise/projects");
    let history = fs::read_to_string(root().join("tests/screens/history.jsonl")).unwrap();
    for (name, lines) in [("harbour-1a2b3c4d", 1), ("tidepool-5e6f7a8b", 1000)] {
        fs::create_dir_all(projects.join(name)).unwrap();
        let part: String = history.lines().take(lines).flat_map(|line| [line, "\n"]).collect();
        fs::write(projects.join(name).join("history.jsonl"), part).unwrap();
    }
    let line = format!("{} watch --all; echo ended-$?; sleep 60", env!("CARGO_BIN_EXE_failwise"));
    match pane.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", &line]) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        started => assert!(started.unwrap().status.success()),
    }
    let list = pane.screen_with("2 projects");
    assert!(list.find("tidepool").unwrap() < list.find("harbour").unwrap(), "{list}");
    pane.type_keys(&["j", "k", "Enter"]);
    pane.screen_with("failwise watch  tidepool");
    pane.type_keys(&["/", "n", "p", "m", "Enter", "k", "Up", "Enter"]);
    let event = pane.screen_with("Any key goes back");
    assert!(event.contains("npm error code E429") && event.contains("sleep 40"), "{event}");
    pane.type_keys(&["Escape"]);
    pane.screen_with("only \"npm\"");
    pane.type_keys(&["Left"]);
    pane.screen_with("2 projects");
    pane.type_keys(&["G", "Enter"]);
    pane.screen_with("failwise watch  harbour");
    pane.type_keys(&["q"]);
    pane.screen_with("ended-0");
}

/// What people read has their words: nothing of it is a field's name or an event's, but in backticks and in what was run.
#[test]
fn nothing_that_people_read_is_in_words_of_machines() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let session = include_str!("../../examples/session.jsonl");
    let folder = home.join(".claude/projects/-home-robin-tidepool");
    fs::create_dir_all(&folder).unwrap();
    let day = (chrono::Utc::now() - chrono::TimeDelta::days(1)).format("%Y-%m-%d").to_string();
    fs::write(folder.join("s.jsonl"), session.replace("2026-03-14", &day)).unwrap();
    for id in ["t1", "t2", "t3", "t4"] {
        record(home, id, None, "make chart", Some(NO_RULE));
    }
    let stop = json!({"session_id": SESSION, "cwd": home, "hook_event_name": "Stop", "stop_hook_active": false});
    let told = given(command(env!("CARGO_BIN_EXE_failwise-hook"), home), stop.to_string().as_bytes());
    assert!(String::from_utf8(told.stdout).unwrap().contains("has not passed since"));
    let says = |arguments: &[&str]| {
        let mut failwise = command(env!("CARGO_BIN_EXE_failwise"), home);
        failwise.args(arguments);
        let output = given(failwise, b"");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    says(&["kb", "learn", "--transcripts"]);
    let list = says(&["kb", "list", "--all"]);
    let id = list.split_whitespace().next().unwrap();
    says(&["kb", "mute", id, "--yes"]);
    let machine = regex::Regex::new(r"\b[a-z]+_[a-z_]+\b").unwrap();
    let quoted = regex::Regex::new("`[^`]*`").unwrap();
    let commands: &[&[&str]] = &[
        &[],
        &["report"],
        &["report", "--last"],
        &["report", "--week"],
        &["show", "5d0c"],
        &["show", "8d7a6c18"],
        &["watch", "--once", "--last", "50"],
        &["stats"],
        &["why", "--format", "text"],
        &["kb", "list", "--all"],
        &["kb", "show", id],
        &["data", "show"],
        &["lessons", "--all-projects"],
        &["tests"],
    ];
    for arguments in commands {
        let said = says(arguments);
        let plain = quoted.replace_all(&said, "");
        let words = plain.split_whitespace().filter(|word| !word.contains('/'));
        let strange: Vec<&str> = words.filter(|word| machine.is_match(word) && !session.contains(*word)).collect();
        assert!(strange.is_empty(), "{arguments:?}: {strange:?} in\n{said}");
    }
    let watched = says(&["watch", "--once", "--last", "50"]);
    assert!(watched.contains("the agent stopped, and a failure is still open"), "{watched}");
    assert!(watched.contains(&format!("failure {id}")), "{watched}");
    assert!(says(&["why", "--format", "text"]).contains("next     try another way"), "no words of plans without one");
}
