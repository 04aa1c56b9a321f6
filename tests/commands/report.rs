//! `failwise report` and `failwise` alone: what is written where, in which form, and how it ends.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and looks at the files it leaves")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use failwise::replay::{Analysis, Replay};
use regex::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::data_folder::data_folder;

const EXAMPLE: &str = include_str!("../../examples/session.jsonl");
const ID: &str = "5d0c1f8e-3a64-4b1e-9b57-2f6c90e7a114";

/// A person's home with the client's folder of sessions.
struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The example as a session of yesterday with another id: today its hours may still be to come.
    fn session(&self, id: &str) -> PathBuf {
        let folder = self.path(".claude/projects/-home-robin-tidepool");
        fs::create_dir_all(&folder).unwrap();
        let day = (chrono::Utc::now() - chrono::TimeDelta::days(1)).format("%Y-%m-%d").to_string();
        let file = folder.join(format!("{id}.jsonl"));
        let text = EXAMPLE.replace(ID, id).replace("2026-03-14", &day).replace("toolu_01", &format!("toolu_{id}"));
        fs::write(&file, text).unwrap();
        file
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, &[])
    }

    fn run_with(&self, arguments: &[&str], environment: &[(&str, &Path)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.env_clear().env("HOME", self.dir.path()).envs(environment.iter().copied());
        command.args(arguments).current_dir(self.dir.path()).stdin(Stdio::null()).output().unwrap()
    }

    fn kept(&self) -> PathBuf {
        self.path(".local/state/failwise/readings")
    }
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn alone_it_tells_what_matters_in_twelve_lines() {
    let home = Home::new();
    let nothing = out(&home.run(&[]));
    assert!(
        nothing.lines().count() == 1 && nothing.contains("~/.claude/projects"),
        "one sentence says where: {nothing}"
    );
    assert!(nothing.contains("--since 365d"), "and how to look further back: {nothing}");
    assert!(!home.kept().exists());
    home.session("11111111-0000-4000-8000-000000000001");
    home.session("11111111-0000-4000-8000-000000000002");
    let told = out(&home.run(&[]));
    assert!(told.contains("2 sessions of 1 project: tidepool 2"), "{told}");
    assert!(told.contains("16 of 38 calls (42 %), 2 of them behind an exit status of 0"), "{told}");
    assert!(!told.contains("do first") && told.contains("next "), "{told}");
    assert!(told.contains("waste ") && told.contains("development "), "{told}");
    assert!(told.contains("no session of the 30 days before"), "{told}");
    assert!(told.lines().count() <= 12, "{told}");
}

#[test]
fn a_stretch_of_time_stands_beside_the_one_before() {
    let home = Home::new();
    home.session("11111111-0000-4000-8000-000000000001");
    let older = home.session("11111111-0000-4000-8000-000000000002");
    let days_ago = |days| chrono::Utc::now() - chrono::TimeDelta::days(days);
    let text = fs::read_to_string(&older).unwrap();
    let text = text.replace(&days_ago(1).format("%Y-%m-%d").to_string(), &days_ago(11).format("%Y-%m-%d").to_string());
    fs::write(&older, text).unwrap();
    let file = fs::File::options().write(true).open(&older).unwrap();
    file.set_modified(days_ago(9).into()).unwrap();
    let told = out(&home.run(&["--since", "7d"]));
    assert!(told.contains("1 session of 1 project") && told.contains("8 of 19 calls"), "{told}");
    let waste = told.lines().find(|line| line.starts_with("  waste ")).unwrap();
    let rates: Vec<&str> =
        waste.split_whitespace().filter(|word| word.parse::<f64>().is_ok() && word.contains('.')).collect();
    assert!(
        waste.contains("the 7 days before") && rates.len() == 2 && rates[0] == rates[1],
        "the same session: {waste}"
    );
    // A copy is newer than what it tells.
    file.set_modified(std::time::SystemTime::now()).unwrap();
    let copied = out(&home.run(&["--since", "7d"]));
    assert_eq!(copied.lines().find(|line| line.starts_with("  waste ")), Some(waste));
    assert!(out(&home.run(&["--since", "30d"])).contains("2 sessions"));
    assert_eq!(home.run(&["--since", "soon"]).status.code(), Some(64));
}

#[test]
fn sessions_of_a_folder_are_those_that_lie_there() {
    let home = Home::new();
    let other = home.session("11111111-0000-4000-8000-000000000001");
    let own = home.path("code/tidepool");
    fs::create_dir_all(own.join(".git")).unwrap();
    let there =
        home.path(".claude/projects").join(own.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    let session = |id: &str| {
        let text = fs::read_to_string(&other).unwrap().replace("11111111-0000-4000-8000-000000000001", id);
        fs::create_dir_all(&there).unwrap();
        fs::write(there.join(format!("{id}.jsonl")), text.replace("/home/robin/tidepool", own.to_str().unwrap()))
            .unwrap();
        there.join(format!("{id}.jsonl"))
    };
    session("11111111-0000-4000-8000-000000000002");
    let gone = session("11111111-0000-4000-8000-000000000003");
    let read = |arguments: &[&str]| {
        let said = out(&home.run(arguments));
        said.lines().find(|line| line.starts_with("  read")).unwrap().to_owned()
    };
    assert!(read(&[]).contains("3 sessions"), "{}", read(&[]));
    let folder = ["--project", own.to_str().unwrap()];
    assert!(read(&folder).contains("2 sessions"), "{}", read(&folder));
    fs::remove_file(gone).unwrap();
    fs::remove_file(&other).unwrap();
    assert!(read(&[]).contains("1 session of"), "{}", read(&[]));
    assert!(read(&folder).contains("1 session of"), "{}", read(&folder));
}

#[test]
fn what_was_spent_what_is_open_and_the_first_step_are_named() {
    let home = Home::new();
    let session = home.session("11111111-0000-4000-8000-000000000001");
    let path = session.to_str().unwrap();
    let json: Value = serde_json::from_str(&out(&home.run(&["report", path, "--json"]))).unwrap();
    let spent = failwise::time::duration(json["account"]["all"]["wall_ms"].as_u64().unwrap());
    let text = out(&home.run(&["report", path]));
    let line = |name: &str| text.lines().find(|line| line.starts_with(&format!("  {name}"))).unwrap_or_default();
    assert!(line("waste").contains(&format!("of {spent} spent;")), "{text}");
    let id = line("unresolved").rsplit_once('[').unwrap().1.trim_end_matches(']');
    assert!(out(&home.run(&["show", id, path])).contains(id), "{text}");
    let markdown = out(&home.run(&["report", path, "--format", "md"]));
    assert!(!markdown.contains("in failures |"), "sums that stand nowhere else: {markdown}");
    for episode in json["episodes"].as_array().unwrap().iter().filter(|it| it["ended"] == "put_aside") {
        assert!(markdown.contains(&format!("`{}` |", episode["id"].as_str().unwrap())), "{markdown}");
    }
    let returning = json["signatures"].as_array().unwrap().iter().filter(|it| it["sessions"].as_u64() > Some(1));
    assert_eq!(markdown.contains("### Failures that return"), returning.count() > 0, "{markdown}");
}

#[test]
fn a_session_that_nobody_wrote_to_is_not_read_again() {
    let home = Home::new();
    let file = home.session("11111111-0000-4000-8000-000000000001");
    home.session("11111111-0000-4000-8000-000000000002");
    let first = out(&home.run(&[]));
    let folder = home.path(".local/state/failwise/readings");
    let kept: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 2);
    for file in &kept {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(out(&home.run(&[])), first);
    // What is kept is believed: so the second run did not read the sessions.
    let changed = |from: &str, to: &str| {
        for file in &kept {
            fs::write(file, fs::read_to_string(file).unwrap().replace(from, to)).unwrap();
        }
    };
    changed("\"calls\":19,\"failed\"", "\"calls\":190,\"failed\"");
    assert!(out(&home.run(&[])).contains("of 380 calls"), "{}", out(&home.run(&[])));
    // A file of another version, or a torn one, is made anew.
    changed("1 0.", "0 0.");
    assert_eq!(out(&home.run(&[])), first);
    fs::write(&kept[0], "1 0.").unwrap();
    assert_eq!(out(&home.run(&[])), first);
    // A session that went on is read again.
    let mut text = fs::read_to_string(&file).unwrap();
    text += "\n";
    fs::write(&file, text).unwrap();
    changed("\"calls\":19,\"failed\"", "\"calls\":190,\"failed\"");
    assert!(out(&home.run(&[])).contains("of 209 calls"), "{}", out(&home.run(&[])));
    assert!(out(&home.run(&["data", "show"])).contains("readings"));
    out(&home.run(&["data", "purge", "--sums", "--yes"]));
    assert!(!folder.exists());
}

#[test]
fn what_is_kept_is_shown_and_taken_away() {
    let home = Home::new();
    home.session("11111111-0000-4000-8000-000000000001");
    out(&home.run(&[]));
    let show = || -> Value { serde_json::from_str(&out(&home.run(&["data", "show", "--format", "json"]))).unwrap() };
    assert_eq!(show()["readings"]["sessions"], 1);
    assert!(out(&home.run(&["data", "show"])).contains("readings"));
    let dry = out(&home.run(&["data", "purge", "--sums", "--dry-run"]));
    assert!(dry.contains("would be deleted") && home.kept().exists());
    assert_eq!(home.run(&["data", "purge", "--sums"]).status.code(), Some(64), "nobody could be asked");
    out(&home.run(&["data", "purge", "--sums", "--yes"]));
    assert_eq!(show()["readings"], Value::Null);
}

#[test]
fn the_ending_of_the_file_says_the_format() {
    let home = Home::new();
    let session = home.session("11111111-0000-4000-8000-000000000001");
    let session = session.to_str().unwrap();
    let beginnings = [
        ("a.html", "<!doctype html>"),
        ("a.md", "## What the failures cost"),
        ("a.csv", "ts,session,project,"),
        ("a.json", "{\n"),
        ("a.txt", "  read "),
    ];
    for (name, beginning) in beginnings {
        out(&home.run(&["report", session, "-o", name]));
        let text = fs::read_to_string(home.path(name)).unwrap();
        assert!(text.starts_with(beginning), "{name}: {}", &text[..40]);
    }
    let unknown = home.run(&["report", session, "-o", "a.pdf"]);
    assert_eq!(unknown.status.code(), Some(64));
    assert!(err(&unknown).contains("--format"));
    out(&home.run(&["report", session, "-o", "b", "--format", "md"]));
    let nowhere = home.run(&["report", session, "-o", "no/such/folder/a.md"]);
    assert_eq!(nowhere.status.code(), Some(74));
    assert!(err(&nowhere).contains("no/such/folder/a.md"));
}

#[test]
fn identical_sessions_give_identical_bytes() {
    let home = Home::new();
    home.session("11111111-0000-4000-8000-000000000001");
    home.session("11111111-0000-4000-8000-000000000002");
    for format in ["html", "md", "csv", "json", "text"] {
        let written = || out(&home.run(&["report", ".claude/projects", "--format", format]));
        assert_eq!(written(), written(), "{format}");
    }
}

#[test]
fn the_last_session_is_the_newest() {
    let home = Home::new();
    let old = home.session("11111111-0000-4000-8000-000000000001");
    let text = fs::read_to_string(&old).unwrap();
    fs::write(&old, text.replace("T09:", "T07:")).unwrap();
    home.session("11111111-0000-4000-8000-000000000002");
    let told = out(&home.run(&["report", "--last"]));
    assert!(told.contains("000000000002") && !told.contains("000000000001"), "{told}");
    assert!(told.contains("8 of 19 calls"), "{told}");
    // A copy is newer than what it tells.
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(5);
    fs::File::options().write(true).open(&old).unwrap().set_modified(later).unwrap();
    assert_eq!(out(&home.run(&["report", "--last"])), told);
    assert!(told.contains("open") && told.contains("do first"), "{told}");
    let json: Value = serde_json::from_str(&out(&home.run(&["report", "--last", "--format", "json"]))).unwrap();
    assert_eq!(json["generated_from"]["sessions"], 1);
    assert_eq!(json["totals"]["calls"], 19);
    assert!(!home.kept().exists(), "one session is not the last 30 days");
}

#[test]
fn the_last_session_ends_with_what_to_do_next() {
    let home = Home::new();
    let session = home.session("11111111-0000-4000-8000-000000000001");
    assert!(out(&home.run(&["report", "--last"])).lines().last().unwrap().trim_start().starts_with("do first"));
    let calm = fs::read_to_string(&session).unwrap().lines().take(1).collect::<String>();
    fs::write(&session, calm).unwrap();
    assert!(out(&home.run(&["report", "--last"])).contains("failwise report PATH"), "no call");
    fs::write(&session, calm_session()).unwrap();
    let told = out(&home.run(&["report", "--last"]));
    assert!(told.contains("nothing, in 1 call"), "{told}");
    assert!(told.lines().last().unwrap().trim_start().starts_with("next"), "{told}");
}

/// A session of yesterday in which nothing failed.
fn calm_session() -> String {
    let ts = (chrono::Utc::now() - chrono::TimeDelta::days(1)).to_rfc3339();
    let line = |role: &str, content: Value| {
        let message = json!({"role": role, "content": [content]});
        json!({"type": role, "sessionId": ID, "cwd": "/home/robin/tidepool", "timestamp": ts, "message": message})
            .to_string()
    };
    let called =
        line("assistant", json!({"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}));
    let ended =
        line("user", json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "a", "is_error": false}));
    format!("{called}\n{ended}\n")
}

/// A page has the output of the calls that it links to, and JSON has none.
#[test]
fn the_page_alone_has_outputs_at_their_ends() {
    let home = Home::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let lines = (0..400).fold(String::new(), |lines, number| lines + &format!("\\nline {number:04} of it"));
    let failing =
        calm_session().replace("\"content\":\"a\"", &format!("\"content\":\"Exit code 2\\nls: {secret}{lines}\""));
    let folder = home.path(".claude/projects/-home-robin-tidepool");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{ID}.jsonl")), failing.replace("\"is_error\":false", "\"is_error\":true")).unwrap();
    let page = out(&home.run(&["report", "--format", "html"]));
    assert!(page.contains("line 0399 of it") && !page.contains("line 0200 of it"), "{}", page.len());
    assert!(!page.contains(secret), "redacted");
    assert!(!out(&home.run(&["report", "--json"])).contains("line 0398 of it"));
    assert!(!out(&home.run(&["report", "--anonymise", "--format", "html"])).contains("line 0398 of it"));
}

/// A history holds many sessions, and what the hook alone recorded may be newer than all transcripts.
#[test]
fn the_last_session_may_be_one_of_a_history() {
    let home = Home::new();
    let folder = home.path(".local/state/failwise/projects/tidepool-0123456789abcdef");
    fs::create_dir_all(&folder).unwrap();
    let day = (chrono::Utc::now() - chrono::TimeDelta::days(1)).format("%Y-%m-%d").to_string();
    let history = include_str!("../screens/history.jsonl").replace("2026-03-14", &day);
    fs::write(folder.join("history.jsonl"), &history).unwrap();
    let transcript = home.session("11111111-0000-4000-8000-000000000001");
    let text = fs::read_to_string(&transcript).unwrap();
    fs::write(&transcript, text.replace("T09:", "T07:")).unwrap();
    for arguments in [&["report", "--last"][..], &["report", "--last", "."]] {
        let told = out(&home.run(arguments));
        let session = told.lines().next().unwrap();
        let is_newest = |id: &&&str| session.contains(**id);
        let id = ["5d0c1f8e-3a64-4b1e-9b57-2f6c90e7a114", "a7e2b904-11c3-4d0a-8d1e-6b0f3c5d7e21"];
        let newest = *id.iter().find(is_newest).unwrap_or_else(|| panic!("{told}"));
        let calls = history.lines().filter(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let event = line["event"].as_str().unwrap();
            line["session"] == newest && ["execution_completed", "execution_failed"].contains(&event)
        });
        let calls = calls.count();
        assert!(told.contains(&format!(" of {calls} calls")), "{calls}: {told}");
    }
}

#[test]
fn a_time_before_is_none_where_its_sessions_are_those_of_the_time_itself() {
    let home = Home::new();
    let file = home.session("11111111-0000-4000-8000-000000000001");
    let text = fs::read_to_string(&file).unwrap();
    // Another session without a call begins the file, as after a session was gone on with.
    let first = text.lines().next().unwrap().replace("11111111-0000", "22222222-0000");
    fs::write(&file, format!("{first}\n{text}")).unwrap();
    let told = out(&home.run(&["--since", "7d"]));
    assert!(told.contains("no session of the 7 days before"), "{told}");
}

#[test]
fn both_ways_to_ask_for_a_stretch_of_time_give_the_same_waste() {
    let home = Home::new();
    home.session("11111111-0000-4000-8000-000000000001");
    let older = home.session("11111111-0000-4000-8000-000000000002");
    let days_ago = |days| (chrono::Utc::now() - chrono::TimeDelta::days(days)).format("%Y-%m-%d").to_string();
    fs::write(&older, fs::read_to_string(&older).unwrap().replace(&days_ago(1), &days_ago(6))).unwrap();
    let figure = |arguments: &[&str], line: &str| {
        let told = out(&home.run(arguments));
        let line = told.lines().find(|it| it.starts_with(line)).unwrap();
        let pattern = Regex::new(r"([0-9.]+) (?:wasteful )?failures per 100 calls").unwrap();
        let found = pattern.captures_iter(line).last().unwrap_or_else(|| panic!("{told}"));
        found[1].to_owned()
    };
    let since = figure(&["report", "--since", "4d"], "  waste ");
    assert_eq!(figure(&["report", "--compare", "4d"], "  after "), since);
    assert_eq!(figure(&["report", "--compare", "4d"], "  before "), since, "the same session");
}

#[test]
fn no_project_is_no_project() {
    let home = Home::new();
    home.session("11111111-0000-4000-8000-000000000001");
    let other = home.session("11111111-0000-4000-8000-000000000002");
    let text = fs::read_to_string(&other).unwrap().replace("\"cwd\":", "\"cwx\":");
    fs::create_dir_all(home.path(".claude/projects/x")).unwrap();
    fs::write(home.path(".claude/projects/x/11111111-0000-4000-8000-000000000002.jsonl"), text).unwrap();
    fs::remove_file(other).unwrap();
    let told = out(&home.run(&[]));
    assert!(told.contains("2 sessions of 1 project: tidepool 1, 1 without one"), "{told}");
    assert!(out(&home.run(&["report"])).contains("2 sessions of 1 project,"));
    let money = |arguments: &[&str]| {
        let json: Value = serde_json::from_str(&out(&home.run(arguments))).unwrap();
        (json["totals"].clone(), json["failures"].as_array().unwrap().len())
    };
    assert_eq!(money(&["--json"]), money(&["report", "--json"]));
}

#[test]
fn what_cannot_be_read_is_told() {
    let home = Home::new();
    fs::create_dir_all(home.path("empty")).unwrap();
    let empty = home.run(&["report", "empty"]);
    assert_eq!(empty.status.code(), Some(65), "{}", err(&empty));
    assert_eq!(home.run(&["report", "missing.jsonl"]).status.code(), Some(74));
}

#[test]
fn hostile_text_is_inert_in_every_form() {
    let home = Home::new();
    let session = home.session("11111111-0000-4000-8000-000000000001");
    let hostile = r"<script>alert(1)</script> \u001b]0;owned\u0007 \u202e\u2066 =1+1 | `x` {{data}} No module named";
    let text = fs::read_to_string(&session).unwrap();
    // One failure that was moved on from, and the check that is open: what the digest shows.
    for word in ["No module named", "AssertionErr..."] {
        assert!(text.contains(word));
    }
    let text = text.replace("No module named", hostile).replace("AssertionErr...", hostile);
    fs::write(&session, text).unwrap();
    for format in ["html", "md", "csv", "json", "text"] {
        let written = out(&home.run(&["report", session.to_str().unwrap(), "--last", "--format", format]));
        let strange = |c: char| (c.is_control() && c != '\n') || failwise::text::is_invisible(c);
        let own = if format == "html" {
            written.replace(include_str!("../../cli/src/report/page/uplot.min.js"), "")
        } else {
            written
        };
        assert_eq!(own.chars().find(|c| strange(*c)), None, "{format}");
        assert!(own.contains("alert(1)"), "{format} shows it");
        if format == "html" {
            assert_eq!(own.matches("<script").count(), 3, "the page's own: data, library, script");
        }
        if format == "md" {
            assert!(own.lines().filter(|line| line.contains("alert(1)")).all(|line| line.contains("`` ")), "{own}");
        }
    }
}

#[test]
fn sessions_that_are_older_than_a_month_are_not_passed_over_in_silence() {
    let home = Home::new();
    let file = home.session("11111111-0000-4000-8000-000000000001");
    fs::write(&file, EXAMPLE).unwrap();
    assert!(out(&home.run(&[])).contains("--since 365d"));
    assert!(out(&home.run(&["report", "--last"])).contains("8 of 19 calls"), "the newest is the newest, however old");
    let far = home.run(&["report", "--since", "2026-01-01"]);
    assert!(out(&far).contains("8 of 19 calls") && err(&far).is_empty(), "{}", err(&far));
}

#[test]
fn a_call_that_is_no_shell_command_is_told_with_its_tool() {
    let home = Home::new();
    let session = home.session("11111111-0000-4000-8000-000000000001");
    let path = session.to_str().unwrap();
    let text = out(&home.run(&["report", path, "--format", "md"]));
    assert!(text.contains("`Edit /home/robin/tidepool/src/tables.rs`"), "{text}");
    assert!(text.contains("`make chart"), "a shell command stands alone: {text}");
    let json: Value = serde_json::from_str(&out(&home.run(&["report", path, "--format", "json"]))).unwrap();
    let tools: Vec<&str> = json["episodes"].as_array().unwrap().iter().filter_map(|it| it["tool"].as_str()).collect();
    assert!(tools.contains(&"Edit") && tools.contains(&"Bash"), "{tools:?}");
}

#[test]
fn only_what_was_read_of_the_project_goes_with_it() {
    let home = Home::new();
    let project = home.path("tidepool");
    fs::create_dir_all(project.join(".git")).unwrap();
    let session = |folder: &str, id: &str| {
        let from = home.session(id);
        let to = home.path(".claude/projects").join(folder);
        fs::create_dir_all(&to).unwrap();
        fs::rename(&from, to.join(from.file_name().unwrap())).unwrap();
    };
    let own = project.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    session(&own, "11111111-0000-4000-8000-000000000001");
    session("-elsewhere-tidepool", "11111111-0000-4000-8000-000000000002");
    out(&home.run(&[]));
    let purge = |more: &[&str]| {
        let arguments = [&["data", "purge", "--all", "--format", "json"][..], more].concat();
        home.run_with(&arguments, &[("CLAUDE_PROJECT_DIR", &project)])
    };
    let deleted = |output: &Output| serde_json::from_str::<Value>(&out(output)).unwrap();
    let readings = || fs::read_dir(home.kept()).unwrap().count();
    let dry = purge(&["--dry-run"]);
    let listed = deleted(&dry)["deleted"].as_array().unwrap().iter().filter(|file| file["kind"] == "readings").count();
    assert_eq!((listed, readings()), (1, 2), "{dry:?}");
    assert_eq!(purge(&[]).status.code(), Some(64), "nobody could be asked");
    out(&purge(&["--yes"]));
    assert_eq!(readings(), 1, "those of the other project stay");
}

#[test]
fn a_week_is_ten_lines_to_send() {
    let home = Home::new();
    let none = out(&home.run(&["report", "--week"]));
    assert!(none.starts_with("No session with a call was found") && none.lines().count() == 1, "{none}");
    home.session("11111111-0000-4000-8000-000000000001");
    home.session("11111111-0000-4000-8000-000000000002");
    let week = out(&home.run(&["report", "--week"]));
    assert!(
        week.starts_with("## What failures cost from 2") && week.contains("- Calls: 38; the week before 0"),
        "{week}"
    );
    assert!(week.contains("- Waste: ") && week.contains("- Development loops: "), "{week}");
    assert!(!week.contains("- Change: "), "what recurs is a red test, and work: {week}");
    assert!(week.lines().filter(|line| !line.is_empty()).count() <= 10, "{week}");
    let file = home.path("week.md");
    out(&home.run(&["report", "--week", "-o", file.to_str().unwrap()]));
    assert_eq!(fs::read_to_string(file).unwrap(), week);
    fs::write(home.path("old.jsonl"), EXAMPLE).unwrap();
    let newest = out(&home.run(&["report", "--week", home.path("old.jsonl").to_str().unwrap()]));
    assert!(newest.contains("cost from 2026-03-09 to 2026-03-14"), "the newest week that a path holds: {newest}");
}

#[test]
fn analyses_of_several_people_become_one() {
    let home = Home::new();
    let analysis = |id: &str, arguments: &[&str]| {
        let session = home.session(id);
        let file = home.path(&format!("{}.json", &id[35..]));
        let all = [&["report", session.to_str().unwrap(), "-o", file.to_str().unwrap()][..], arguments].concat();
        assert!(home.run(&all).status.success());
        file.to_str().unwrap().to_owned()
    };
    let ann = analysis("11111111-0000-4000-8000-000000000001", &["--person", "ann"]);
    let other = analysis("11111111-0000-4000-8000-000000000002", &[]);
    let both = out(&home.run(&["report", &ann, &other, "--format", "json"]));
    let both: Value = serde_json::from_str(&both).unwrap();
    assert_eq!((&both["totals"]["calls"], &both["generated_from"]["sessions"]), (&38.into(), &2.into()));
    let people: Vec<&str> =
        both["sessions"].as_array().unwrap().iter().filter_map(|it| it["person"].as_str()).collect();
    assert_eq!(people, ["ann", "2"], "who does not say it goes by the name of the file");
    let week = out(&home.run(&["report", &ann, &other, "--week"]));
    assert!(week.contains("- Failures by person: 2 6 in 1 session, ann 6 in 1 session"), "{week}");
    let one = out(&home.run(&["report", &ann, &other, "--person", "ann"]));
    assert!(one.contains("8 of 19 calls"), "{one}");
    let nobody = home.run(&["report", &ann, &other, "--person", "eve"]);
    assert!(nobody.status.code() == Some(1) && err(&nobody).contains("known: 2, ann"), "{}", err(&nobody));
    let twice = home.run(&["report", &ann, &ann]);
    assert!(twice.status.code() == Some(64) && err(&twice).contains("once"), "{}", err(&twice));
    fs::write(home.path("x.json"), "{}").unwrap();
    let other = home.path("x.json").to_str().unwrap().to_owned();
    assert_eq!(home.run(&["report", &other]).status.code(), Some(65));
    for order in [[&ann, &other], [&other, &ann]] {
        let mixed = home.run(&["report", order[0], order[1]]);
        let said = err(&mixed);
        assert!(mixed.status.code() == Some(65) && said.contains("x.json is no analysis"), "{said}");
        assert!(!said.contains("1.json"), "the other is good: {said}");
    }
}

/// What several people's analyses say is to be changed is said of all of them together.
#[test]
fn changes_of_several_analyses_become_one_list() {
    let home = Home::new();
    let analysis = |id: &str, changes: Value| {
        let session = home.session(id);
        let file = home.path(&format!("{}.json", &id[35..]));
        out(&home.run(&["report", session.to_str().unwrap(), "-o", file.to_str().unwrap()]));
        let mut written: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        written["changes"] = changes;
        fs::write(&file, written.to_string()).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let change = |line: &str, failures: u64, money: f64| {
        json!({
            "id": "ab12cd34", "act": "line", "adopt": line, "line": format!("mill: {line}"), "calls": [],
            "evidence": format!("{failures} failures in 2 sessions"), "failures": failures, "sessions": 2, "money": money,
        })
    };
    let one = analysis("11111111-0000-4000-8000-000000000001", json!([change("Ebb", 3, 0.5), change("Flow", 2, 0.25)]));
    let two = analysis("11111111-0000-4000-8000-000000000002", json!([change("Flow", 4, 0.5), change("Neap", 9, 0.0)]));
    let all: Value = serde_json::from_str(&out(&home.run(&["report", &one, &two, "--format", "json"]))).unwrap();
    let told: Vec<&str> = all["changes"].as_array().unwrap().iter().filter_map(|it| it["evidence"].as_str()).collect();
    assert_eq!(told, ["6 failures in 4 sessions, $0.75", "3 failures in 2 sessions", "9 failures in 2 sessions"]);
    for format in [&["--week"][..], &["--format", "md"], &[]] {
        let said = out(&home.run(&[&["report", &one, &two][..], format].concat()));
        for line in ["mill: Ebb", "mill: Flow", "mill: Neap"] {
            assert!(said.contains(line), "{format:?}: {said}");
        }
    }
    let alone = out(&home.run(&["report", &two, "--week"]));
    assert!(alone.contains("mill: Neap") && !alone.contains("mill: Ebb"), "{alone}");
    // One of an older version has no numbers, and one of another may hold anything.
    let old =
        json!([{ "id": "a", "act": "line", "adopt": "b", "line": "mill: Old", "evidence": "2 failures", "calls": [] }]);
    let old = analysis("11111111-0000-4000-8000-000000000003", old);
    assert!(out(&home.run(&["report", &old])).contains("mill: Old"));
    let odd = analysis("11111111-0000-4000-8000-000000000004", json!([change("Ebb", u64::MAX, 1e300)]));
    assert!(out(&home.run(&["report", &odd, &one])).contains("mill: Ebb"));
}

/// Names that a text holds of people, machines and repositories.
fn names_in(text: &str) -> Vec<String> {
    let patterns = [
        r"/(?:Users|home)/([A-Za-z][\w.-]{2,})",
        r"github\.com[/:]([\w-]{3,})/([\w-]{3,})",
        r"https?://([\w-]+\.[\w.-]+)",
        r"\b([\w.-]{3,})@[\w-]+\.[a-z]",
        r"\brepos/([\w-]{3,})/([\w-]{3,})",
        r#""project": ?"([^"]{3,})""#,
    ];
    let found = |pattern: &str| -> Vec<String> {
        let pattern = Regex::new(pattern).unwrap();
        let groups = pattern
            .captures_iter(text)
            .flat_map(|found| found.iter().skip(1).flatten().map(|it| it.as_str().to_owned()).collect::<Vec<_>>());
        groups.collect()
    };
    patterns.into_iter().flat_map(found).collect()
}

/// Whether an output holds a name as a word.
fn holds(output: &str, name: &str) -> bool {
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
    output.match_indices(name).any(|(at, _)| {
        let (before, after) = (output[..at].chars().next_back(), output[at + name.len()..].chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[test]
fn what_is_anonymised_names_nobody() {
    let home = Home::new();
    let session = home.session("11111111-0000-4000-8000-000000000001");
    let session = session.to_str().unwrap();
    let formats = ["text", "md", "csv", "json", "html"];
    let outputs = formats
        .map(|format| out(&home.run(&["report", session, "--anonymise", "--person", "Robin", "--format", format])));
    let rows = ["jsonl", "csv", "json", "table"]
        .map(|format| out(&home.run(&["replay", session, "--anonymise", "--person", "Robin", "--format", format])));
    assert!(rows[0].lines().count() == 10 && rows[0].contains("\"person\":\"person-"), "{}", rows[0]);
    for output in outputs.iter().chain(&rows) {
        for name in ["robin", "Robin", "tidepool", "harwich", "wraps_at_midnight"] {
            assert!(!holds(output, name), "{name}: {}", &output[..output.len().min(2000)]);
        }
    }
    assert!(outputs[1].contains("8 of 19 calls") && outputs[1].contains("cargo test"), "{}", outputs[1]);
    let again = out(&home.run(&["report", session, "--anonymise", "--person", "Robin", "--format", "json"]));
    assert_eq!(outputs[3], again, "one key of the machine");
    let key = home.path(".local/state/failwise/anonymise.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_file(key).unwrap();
    assert_ne!(
        outputs[3],
        out(&home.run(&["report", session, "--anonymise", "--person", "Robin", "--format", "json"]))
    );
}

#[test]
fn nothing_of_anybody_is_left_of_real_sessions() {
    let Some(data) = data_folder() else { return };
    let ruleset = failwise::classify::ruleset("default").unwrap();
    let found = failwise::sessions::find(&[data.join("sessions")], None).unwrap();
    // A project may have the name of a program, or of a field.
    let rows = failwise::programs::all();
    let words = rows.iter().flat_map(|row| std::iter::once(row.words).chain(row.subcommands.iter().map(|it| it.words)));
    let fields =
        include_str!("../../schemas/analysis.schema.json").split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    let everybodys: std::collections::BTreeSet<&str> = words.flat_map(|it| it.split(' ')).chain(fields).collect();
    let mut names = 0;
    for session in &found.sessions {
        let mut replays = [Replay::new(ruleset).without_rows()];
        session.play(&mut replays, &0.into());
        let [replay] = replays;
        let analysis: Analysis = replay.finish().analysis;
        let plain = serde_json::to_string(&analysis).unwrap();
        let hidden = serde_json::to_string(&failwise::report::anonymised(analysis, "key")).unwrap();
        for name in names_in(&plain).iter().filter(|name| !everybodys.contains(name.as_str())) {
            names += 1;
            assert!(!holds(&hidden, name), "{name} in {}", session.files[0].name);
        }
    }
    assert!(names > 1000, "{names}");
}
