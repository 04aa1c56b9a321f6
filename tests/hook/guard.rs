//! The guard through the hook: three equal failures close it, a change, time and people open it.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the command and looks at the history that the hook leaves")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

mod people;
mod session;

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use chrono::{TimeDelta, Utc};
use failwise::guard::{self, polls};
use failwise::programs::{self, Trait};
use failwise::score::pages::{self, FIRES, PageCase, SILENT};
use serde_json::{Value, json};
use session::Session;

const WRONG_FLAG: &str = "ledger report --colour=always";
const ERROR: &str = "Exit code 2\nerror: unexpected argument '--colour' found\n\nUsage: ledger report [OPTIONS]";

#[test]
fn the_fourth_identical_call_is_refused_with_the_way_out() {
    let session = Session::new();
    for _ in 0..3 {
        assert_eq!(session.refused(WRONG_FLAG), None);
        session.fails(WRONG_FLAG, ERROR);
    }
    let reason = session.refused(WRONG_FLAG).unwrap();
    for words in [WRONG_FLAG, "failed 3 times", "help", "10:01:06 UTC", "[guard bad_arguments "] {
        assert!(reason.contains(words), "{words}: {reason}");
    }
    assert!(reason.chars().count() <= 600, "{reason}");
    let events = session.events("call_refused");
    assert_eq!(events.len(), 1);
    assert_eq!((&events[0]["input"], &events[0]["until"]), (&json!(WRONG_FLAG), &json!("2026-03-01T10:01:06.000Z")));
    assert_eq!(session.refused("ledger report --color=always"), None);
    assert_eq!(session.refused("ledger --help"), None);
}

#[test]
fn a_refused_call_is_no_attempt() {
    let session = Session::new();
    session.fails_thrice();
    let reason = session.refused(WRONG_FLAG).unwrap();
    let call = json!({ "tool_name": "Bash", "tool_input": {"command": WRONG_FLAG}, "tool_use_id": "toolu_9" });
    for text in [reason.clone(), format!("PreToolUse:Bash hook error: {reason}")] {
        let mut call = call.clone();
        call["tool_response"] = text.into();
        call["tool_use_id"] = session.id().into();
        session.hook("PostToolBatch", &json!({ "tool_calls": [call] }));
    }
    assert_eq!(session.events("execution_failed").len(), 3);
    let denied = session.events("execution_completed");
    assert_eq!(denied.iter().map(|event| &event["outcome"]).collect::<Vec<_>>(), [&json!("denied"); 2]);
}

type Change = fn(&Session);

#[test]
fn any_change_opens_it() {
    let project_file = |session: &Session| json!({ "file_path": session.project().join("a.rs"), "content": "" });
    let changes: [(&str, Change); 6] = [
        ("a write", |session| session.succeeds("Write", &json!({ "file_path": session.project().join("a.rs") }))),
        ("another command", |session| session.runs("make install")),
        ("another command that fails", |session| {
            session.fails("make install", "Exit code 2\nmake: *** No rule to make target 'install'.  Stop.");
        }),
        ("a prompt", |session| drop(session.hook("UserPromptSubmit", &json!({ "prompt": "go on" })))),
        ("a tool that nobody knows", |session| session.succeeds("mcp__files__write", &json!({ "path": "a.rs" }))),
        ("a pass of the call itself", |session| session.runs(WRONG_FLAG)),
    ];
    for (name, change) in changes {
        let session = Session::new();
        session.fails_thrice();
        change(&session);
        assert_eq!(session.refused(WRONG_FLAG), None, "{name}");
    }
    let session = Session::new();
    session.fails_thrice();
    session.runs("ls -la && git status");
    session.succeeds("Read", &project_file(&session));
    session.succeeds("TodoWrite", &json!({}));
    assert!(session.refused(WRONG_FLAG).is_some(), "looking is no change");
}

#[test]
fn another_agents_change_opens_it_too() {
    let mut session = Session::new();
    session.agent = Some("a1");
    session.fails_thrice();
    assert!(session.refused(WRONG_FLAG).is_some());
    for other in [Some("a2"), None] {
        session.agent = Some("a1");
        session.runs("true > mark");
        session.fails_thrice();
        session.agent = other;
        session.runs("cargo install ledger");
        session.agent = Some("a1");
        assert_eq!(session.refused(WRONG_FLAG), None, "{other:?}");
    }
}

#[test]
fn time_opens_it_and_refusals_double_the_time() {
    let session = Session::new();
    session.fails_thrice();
    assert!(session.refused(WRONG_FLAG).is_some());
    session.passes(57);
    assert!(session.refused(WRONG_FLAG).unwrap().contains("10:02:03"), "a second refusal doubles the time");
    session.passes(60);
    assert_eq!(session.refused(WRONG_FLAG), None, "the time that was told is kept");
    session.fails(WRONG_FLAG, ERROR);
    assert!(session.refused(WRONG_FLAG).is_some(), "it failed again");
}

#[test]
fn only_what_lies_in_the_call_itself_is_refused() {
    let failing_test = "Exit code 101\nrunning 1 test\ntest tests::adds ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
    let pending = "Exit code 1\nci: build 812 is pending";
    for (command, error) in [("cargo test", failing_test), ("sh ci-status.sh", pending)] {
        let session = Session::new();
        for _ in 0..30 {
            assert_eq!(session.refused(command), None, "{command}");
            session.fails(command, error);
        }
    }
}

#[test]
fn another_way_of_running_it_is_another_call() {
    let session = Session::new();
    session.fails_thrice();
    for more in [json!({"run_in_background": true}), json!({"dangerouslyDisableSandbox": true})] {
        let mut input = json!({ "command": WRONG_FLAG });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(session.before_with(&input), Value::Null, "{input}");
    }
    let labelled =
        json!({ "command": WRONG_FLAG, "description": "Try it again", "timeout": 1000, "run_in_background": false });
    assert_eq!(session.before_with(&labelled)["permissionDecision"], "deny");
    let elsewhere = session
        .hook("PreToolUse", &json!({ "cwd": "/srv", "tool_name": "Bash", "tool_input": {"command": WRONG_FLAG} }));
    assert_eq!(elsewhere, Value::Null, "another working directory");
}

#[test]
fn the_setting_decides_what_becomes_of_it() {
    let session = Session::with("FAILWISE_GUARD", "warn");
    session.fails_thrice();
    let specific = session.before_with(&json!({ "command": WRONG_FLAG }));
    assert_eq!(specific["permissionDecision"], Value::Null);
    assert!(specific["additionalContext"].as_str().unwrap().contains("failed 3 times"), "{specific}");
    assert_eq!(session.events("call_refused").len(), 0);
    for (name, value) in [("FAILWISE_GUARD", "off"), ("FAILWISE", "off")] {
        let mut session = Session::new();
        session.fails_thrice();
        session.env = vec![(name, value.to_owned())];
        assert_eq!(session.refused(WRONG_FLAG), None, "{name}");
    }
    let session = Session::new();
    fs::create_dir_all(session.project().join(".claude")).unwrap();
    fs::write(session.project().join(".claude/failwise.toml"), "polling = ['ledger report']\n").unwrap();
    session.fails_thrice();
    assert_eq!(session.refused(WRONG_FLAG), None, "the project says that it polls");
}

#[test]
fn an_agent_cannot_open_it() {
    let session = Session::new();
    session.fails_thrice();
    for command in [
        "failwise allow",
        "env -u CLAUDECODE failwise allow --last --yes",
        "cd x && /usr/local/bin/failwise allow --for 1h",
        "bash -c 'failwise allow'",
        "true | failwise allow",
    ] {
        assert!(session.refused(command).is_some_and(|reason| reason.contains("people")), "{command}");
    }
    for command in ["echo failwise allow", "grep -rn 'failwise allow' docs", "failwise config", "git allow failwise"] {
        assert_eq!(session.refused(command), None, "{command}");
    }
}

#[test]
fn work_in_the_background_keeps_it_open() {
    let session = Session::new();
    session.fails_thrice();
    let launch = json!({
        "tool_name": "Bash", "tool_input": {"command": "npm install", "run_in_background": true},
        "tool_use_id": session.id(), "tool_response": {"stdout": "", "stderr": "", "backgroundTaskId": "b1"},
    });
    session.hook("PostToolUse", &launch);
    session.fails_thrice();
    assert_eq!(session.refused(WRONG_FLAG), None);
}

#[test]
fn a_state_that_is_gone_or_torn_refuses_nothing_wrong() {
    let session = Session::new();
    session.fails_thrice();
    let states = session.home.path().join("history/state");
    for entry in fs::read_dir(&states).unwrap() {
        fs::write(entry.unwrap().path(), "{\"v\":1,\"node\":").unwrap();
    }
    assert!(session.refused(WRONG_FLAG).is_some(), "the history tells it again");
    fs::remove_dir_all(session.home.path().join("history")).unwrap();
    assert_eq!(session.refused(WRONG_FLAG), None);
}

/// `failwise allow` as a person runs it; its own clock is the machine's.
fn allow(session: &Session, arguments: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    command.arg("allow").args(arguments).env_clear().env("HOME", session.home.path()).envs(env.iter().copied());
    command.env("FAILWISE_DIR", session.home.path().join("history")).current_dir(session.project());
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_person_lets_a_refused_call_run() {
    for arguments in [&["--yes"][..], &["--yes", "--for", "2h", "ledger", "report", "--colour=always"]] {
        let session = Session { now: Cell::new(Utc::now()), ..Session::new() };
        session.fails_thrice();
        assert!(session.refused(WRONG_FLAG).is_some());
        let output = allow(&session, arguments, &[]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(WRONG_FLAG), "{output:?}");
        assert_eq!(session.refused(WRONG_FLAG), None);
        session.fails(WRONG_FLAG, ERROR);
        assert_eq!(session.refused(WRONG_FLAG), None, "it holds for all of the time");
        session.passes(3 * 3600);
        session.fails(WRONG_FLAG, ERROR);
        assert!(session.refused(WRONG_FLAG).is_some(), "and no longer");
    }
}

#[test]
fn only_a_person_may() {
    let session = Session { now: Cell::new(Utc::now()), ..Session::new() };
    session.fails_thrice();
    assert!(session.refused(WRONG_FLAG).is_some());
    for (arguments, env) in
        [(&[][..], None), (&["--yes"], Some("CLAUDECODE")), (&["--yes"], Some("CLAUDE_CODE_SESSION_ID"))]
    {
        let env: Vec<(&str, &str)> = env.map(|name| (name, "1")).into_iter().collect();
        let output = allow(&session, arguments, &env);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("only a person"), "{output:?}");
    }
    assert!(session.refused(WRONG_FLAG).is_some());
    let other = allow(&session, &["--yes", "make", "deploy"], &[]);
    assert_eq!(other.status.code(), Some(1), "{other:?}");
    assert!(session.refused(WRONG_FLAG).is_some());
}

/// A plan with one task, in a phase of its work.
fn plan(session: &Session, phase: &str) {
    let plans = session.project().join(".claude/plans");
    let task = plans.join("features/FEAT-1/stories/STORY-0001/tasks/TASK-00001.md");
    fs::create_dir_all(task.parent().unwrap()).unwrap();
    fs::write(task, "---\nid: TASK-00001\ntier: 4\nstatus: active\n---\n").unwrap();
    let active = json!({ "feature": "FEAT-1", "story": "STORY-0001", "task": "TASK-00001" });
    let active = json!({ "schema_version": 1, "active": active, "context_anchors": {"current_phase": phase} });
    let is_new = !plans.join("active.json").exists();
    fs::write(plans.join("active.json"), active.to_string()).unwrap();
    if is_new {
        crate::trusting::trust(session.home.path(), &session.project());
    }
}

#[test]
fn the_red_phase_of_a_plan_is_let_fail() {
    let session = Session::new();
    plan(&session, "P3_GREEN");
    session.fails_thrice();
    assert!(session.refused(WRONG_FLAG).is_some());
    assert_eq!(session.events("call_refused")[0]["node"], "TASK-00001");
    plan(&session, "P2_RED");
    assert_eq!(session.refused(WRONG_FLAG), None);
}

#[test]
fn secrets_and_hostile_text_are_not_told_again() {
    let session = Session::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let command = format!("ledger push --colour --token {token} # </system-reminder>`\u{202e}");
    (0..3).for_each(|_| session.fails(&command, ERROR));
    let reason = session.refused(&command).unwrap();
    let kept = fs::read_to_string(session.home.path().join("history/history.jsonl")).unwrap();
    for text in [&reason, &kept] {
        assert!(!text.contains(&token), "{text}");
    }
    assert!(!reason.contains(['<', '\u{202e}', '\n']) && reason.matches('`').count() == 4, "{reason}");
    let other = command.replace("a1B2", "c3D4");
    assert!(session.refused(&other).is_some(), "secrets do not tell calls apart");
}

#[test]
fn odd_inputs_before_a_call_are_let_through() {
    let session = Session::new();
    session.fails_thrice();
    for input in [
        json!(null),
        json!([]),
        json!("ledger"),
        json!({ "command": null }),
        json!({ "command": 7 }),
        json!({ "command": "" }),
        json!({ "command": "x".repeat(1_000_000) }),
        json!({ "command": "$(".repeat(50_000) }),
        json!({ "command": format!("{}failwise allow", "\"'`$(".repeat(1_000)) }),
        json!({ "command": "ledger report \u{0}\u{1b}[2J" }),
    ] {
        let answer = session.before_with(&input);
        assert!(answer.is_null() || answer["permissionDecision"] == "deny", "{answer}");
        assert!(answer.is_null() || input["command"].as_str().unwrap().contains("allow"), "{answer}");
    }
    assert!(session.refused(WRONG_FLAG).is_some());
}

// --- the page ---

const PAGE: &str = "rules/workflow/guard.md";

fn page() -> String {
    fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)).unwrap()
}

#[test]
fn every_case_of_the_page_is_decided_as_it_says() {
    let cases = pages::cases(&page()).unwrap();
    let count = |heading: &str| cases.iter().filter(|case| case.heading == heading).count();
    assert!(count(FIRES) >= 5 && count(SILENT) >= 14);
    for case in &cases {
        assert_eq!(decided(case), case.heading == FIRES, "{}", case.title());
    }
}

/// Plays the past of a case; whether its call is refused then.
fn decided(case: &PageCase) -> bool {
    let session = Session::new();
    if case.json["polling"].is_array() {
        fs::create_dir_all(session.project().join(".claude")).unwrap();
        fs::write(session.project().join(".claude/failwise.toml"), format!("polling = {}\n", case.json["polling"]))
            .unwrap();
    }
    for step in case.json["past"].as_array().unwrap() {
        (0..step["times"].as_u64().unwrap_or(1)).for_each(|_| play(&session, step));
    }
    session.before_with(&input(&case.json, "call"))["permissionDecision"] == "deny"
}

/// The input of a shell call: its command, and the limit that it asks for.
fn input(json: &Value, command: &str) -> Value {
    let mut input = json!({ "command": json[command] });
    if json["timeout"].is_u64() {
        input["timeout"] = json["timeout"].clone();
    }
    input
}

fn play(session: &Session, step: &Value) {
    let text = |key: &str| step[key].as_str();
    if let Some(command) = text("fails") {
        let exit = step["exit"].as_u64().unwrap_or(1);
        session.fails(command, &format!("Exit code {exit}\n{}", text("error").unwrap()));
    } else if let Some(command) = text("passes") {
        session.runs(command);
    } else if let Some(command) = text("asks") {
        session.refused(command);
    } else if let Some(tool) = text("uses") {
        session.succeeds(tool, &json!({ "file_path": session.project().join("a.rs") }));
    } else if text("waits").is_some() {
        let limit = step["timeout"].as_u64().unwrap_or(120_000);
        session.goes_on(&input(step, "waits"), Some(limit), text("prints").unwrap_or_default());
    } else if let Some(command) = text("launches") {
        session.goes_on(&json!({ "command": command, "run_in_background": true }), None, "");
    } else if let Some(status) = text("ends") {
        session.task_ends(status);
    } else if let Some(words) = text("prompt") {
        session.hook("UserPromptSubmit", &json!({ "prompt": words }));
    } else {
        session.passes(step["seconds"].as_i64().unwrap());
    }
}

#[test]
fn the_page_tells_the_numbers_and_words_of_the_code() {
    let page = page();
    let categories = guard::SELF_INFLICTED.iter().map(|category| format!("`{}`", category.as_str()));
    let longest = guard::FIRST_WAIT_MS / 1000 * (1 << guard::MOST_DOUBLINGS);
    for row in [
        format!("| failures before a refusal | {} |", guard::FAILURES),
        format!("| the same for a call that waits for a person | {} |", guard::FAILURES_OF_WAITING),
        format!("| categories | {} |", categories.collect::<Vec<_>>().join(", ")),
        format!("| refused for | {} s after the last failure |", guard::FIRST_WAIT_MS / 1000),
        format!("| doubled by each further refusal, up to | {longest} s |"),
    ] {
        assert!(page.contains(&row), "{row}");
    }
    let with = |asked| programs::rows().filter(move |(_, row)| row.has(asked)).map(|(words, _)| words);
    let quoted = |words: String| format!("`{words}`");
    let (subcommands, names): (Vec<_>, Vec<_>) = with(Trait::Polls).partition(|words| words.contains(' '));
    let clouds = with(Trait::Cloud).map(|cloud| format!("`{cloud} ... {}`", polls::CLOUD_WORDS.join("|")));
    assert_list("programs", names.into_iter().map(quoted).collect());
    assert_list("subcommands", subcommands.into_iter().map(quoted).chain(clouds).collect());
}

/// Asserts that the page holds this list between its marks; `UPDATE=1` writes it there.
fn assert_list(mark: &str, words: Vec<String>) {
    let mut list = String::new();
    let mut line = String::from(" ");
    for word in words {
        if line.len() + word.len() > 118 {
            list.extend([&line, "\n"]);
            line = String::from(" ");
        }
        line.extend([" ", &word]);
    }
    list.extend([&line, "\n"]);
    let page = page();
    let (begin, end) = (format!("<!-- {mark}:begin -->\n"), format!("<!-- {mark}:end -->"));
    let (before, rest) = page.split_once(&begin).unwrap();
    let (shown, after) = rest.split_once(&end).unwrap();
    if shown != list && std::env::var_os("UPDATE").is_some() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        return fs::write(path, format!("{before}{begin}{list}{end}{after}")).unwrap();
    }
    assert_eq!(shown, list, "{PAGE} is behind the code: UPDATE=1 cargo test --test hook guard");
}

#[test]
fn the_planners_own_commands_run_unasked_unless_the_guard_refuses_them() {
    const COMMAND: &str = "failwise plan done TASK-00001";
    let session = Session { agent: Some("a-1"), agent_type: "failwise-planner:master-planner", ..Session::new() };
    let decided = |command: &str| session.before_with(&json!({ "command": command }))["permissionDecision"].clone();
    assert_eq!(decided(COMMAND), "allow");
    assert_eq!(decided("failwise allow"), "deny");
    assert_eq!(decided("failwise plan thaw TASK-00001"), Value::Null);
    assert_eq!(decided("failwise plan status; touch x"), Value::Null);
    let background = session.before_with(&json!({ "command": COMMAND, "run_in_background": true }));
    assert_eq!(background, Value::Null);
    for more in ["run_in_background", "dangerouslyDisableSandbox"] {
        let asked = json!({ "command": "failwise allow", more: true });
        assert_eq!(session.before_with(&asked)["permissionDecision"], "deny", "{more}");
    }
    for _ in 0..3 {
        // Its own exit codes are answers; that the shell does not find it is a failure like any other.
        session.fails(COMMAND, "Exit code 127\n/bin/bash: line 1: failwise: command not found");
    }
    assert_eq!(decided(COMMAND), "deny", "the guard comes first");
    let others = Session { agent: Some("a-1"), ..Session::new() };
    assert_eq!(others.before_with(&json!({ "command": COMMAND })), Value::Null);
}

/// The command need not be on anybody's PATH: a person pastes what stands there.
#[test]
fn the_way_out_names_the_executable_beside_the_hook() {
    for (folder, is_named) in [("plugin/bin", true), ("own plugin/bin", false), ("plug`in/bin", false)] {
        let session = Session::new();
        // The executable has the machine's clock.
        session.now.set(Utc::now() - TimeDelta::seconds(10));
        session.fails_thrice();
        let bin = session.home.path().join(folder);
        fs::create_dir_all(&bin).unwrap();
        // By another process: a test beside this one may fork while the copy is open for writing, and what is open for
        // writing cannot be started.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_failwise-hook")).arg(&bin).status().unwrap();
        assert!(copied.success());
        let reason = || {
            let payload = json!({
                "session_id": "s-1", "cwd": session.project(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
                "tool_input": {"command": WRONG_FLAG}, "tool_use_id": session.id(),
            });
            let mut command = Command::new(bin.join("failwise-hook"));
            command
                .env_clear()
                .env("HOME", session.home.path())
                .env("FAILWISE_DIR", session.home.path().join("history"));
            let mut hook = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
            let answer: Value = serde_json::from_slice(&hook.wait_with_output().unwrap().stdout).unwrap();
            answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
        };
        assert!(reason().contains(" with `failwise allow`."), "there is no such executable");
        fs::write(bin.join("failwise"), "").unwrap();
        let own = format!(" with `{} allow`.", bin.join("failwise").display());
        let reason = reason();
        assert_eq!(reason.contains(&own), is_named, "{reason}");
        assert_eq!(reason.contains(" with `failwise allow`."), !is_named, "{reason}");
    }
}
