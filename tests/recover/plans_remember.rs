//! What recovery plans remember, through the executables: a plan is recorded, the hook tells what became of it, and the next
//! plan knows.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at their files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::feeding::feed;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home folder with a project in it, whose `package.json` has a script `test`.
struct Machine {
    home: TempDir,
    settings: Vec<(&'static str, String)>,
}

const MISSING: &str =
    "Exit code 1\nnpm error Missing script: \"tset\"\nnpm error\nnpm error Did you mean this?\nnpm error   npm test";

impl Machine {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("shop/.git")).unwrap();
        fs::write(home.path().join("shop/package.json"), r#"{"name":"shop","scripts":{"test":"jest"}}"#).unwrap();
        Self { home, settings: Vec::new() }
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("shop")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin").current_dir(self.project());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    fn failwise(&self, arguments: &[&str], input: &str) -> Output {
        feed(self.command(env!("CARGO_BIN_EXE_failwise")).args(arguments), input)
    }

    /// The plan of `failwise recover`, with nothing on stderr.
    fn plan(&self, arguments: &[&str]) -> Value {
        self.plan_of("", arguments)
    }

    fn plan_of(&self, input: &str, arguments: &[&str]) -> Value {
        let output = self.failwise(&[&["recover"], arguments].concat(), input);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn payload(&self, session: &str, id: &str, command: &str, error: Option<&str>) -> Value {
        let mut payload = json!({
            "session_id": session, "cwd": self.project(), "tool_name": "Bash", "tool_use_id": id,
            "tool_input": { "command": command },
        });
        if let Some(error) = error {
            payload["hook_event_name"] = "PostToolUseFailure".into();
            payload["error"] = error.into();
        } else {
            payload["hook_event_name"] = "PostToolUse".into();
            payload["tool_response"] = json!({ "stdout": "ok\n", "stderr": "" });
        }
        payload
    }

    fn hook(&self, payload: &Value) {
        let output = feed(&mut self.command(env!("CARGO_BIN_EXE_failwise-hook")), payload.to_string());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }

    fn call(&self, session: &str, id: &str, command: &str, error: Option<&str>) {
        self.hook(&self.payload(session, id, command, error));
    }

    fn prompt(&self, session: &str) {
        self.hook(&json!({
            "hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": self.project(), "prompt": "go on",
        }));
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        let Some(folder) = fs::read_dir(self.state().join("projects")).ok().and_then(|mut it| it.next()) else {
            return Vec::new();
        };
        let text = fs::read_to_string(folder.unwrap().path().join("history.jsonl")).unwrap_or_default();
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.filter(|event| event["event"] == kind).collect()
    }

    fn state(&self) -> PathBuf {
        self.home.path().join(".local/state/failwise")
    }

    /// The names of the strategies of a plan, the best first.
    fn names(plan: &Value) -> Vec<String> {
        let fallbacks = plan["fallbackStrategies"].as_array().unwrap();
        let all = plan.get("primaryStrategy").into_iter().chain(fallbacks);
        all.map(|strategy| strategy["name"].as_str().unwrap().to_owned()).collect()
    }

    fn strategies(&self) -> Value {
        let listed = self.failwise(&["kb", "list", "--format", "json"], "");
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        listed["patterns"][0]["strategies"].clone()
    }
}

const TOLD: &[&str] = &["--last", "--probe", "--record"];

#[test]
fn a_plan_is_recorded_with_its_failure_and_completed_when_the_mended_call_passes() {
    let machine = Machine::new();
    machine.call("s", "c1", "npm run tset", Some(MISSING));
    let plan = machine.plan(TOLD);
    assert_eq!(plan["primaryStrategy"]["steps"][0]["args"]["command"], "npm run test");
    let failed = &machine.events("execution_failed")[0];
    let reflections = machine.events("diagnostic_reflection");
    let reflection = &reflections[0]["reflection"];
    assert_eq!(
        (reflections.len(), &reflections[0]["session"], &reflections[0]["tool_use_id"]),
        (1, &json!("s"), &json!("c1"))
    );
    assert_eq!((&reflection["plan"], &reflection["failure"]), (&plan["id"], &failed["id"]));
    assert_eq!(reflection["why_chain"], json!({ "why1": plan["whyChain"]["why1"], "why5": plan["whyChain"]["why5"] }));
    assert_eq!(
        json!([
            reflection["failed_tool"],
            reflection["root_cause_category"],
            reflection["confidence"],
            reflection["alternatives_count"],
            reflection["can_recover"],
            reflection["recovery_strategy"],
            reflection["iteration"]
        ]),
        json!(["Bash", "bad_arguments", 0.95, 3, true, "use_suggested_name", 1])
    );
    let attempts = machine.events("recovery_attempt");
    let attempt = &attempts[0]["attempt"];
    assert_eq!((attempts.len(), &attempt["plan"], &attempt["signature"]), (1, &plan["id"], &plan["signature"]));
    assert_eq!(
        json!([
            attempt["error_category"],
            attempt["strategy_name"],
            attempt["strategy_description"],
            attempt["confidence"],
            attempt["confidence_boosted"],
            attempt["estimated_iterations"],
            attempt["steps_count"],
            attempt["fallback_count"],
            attempt["has_learned_patterns"]
        ]),
        json!(["bad_arguments", "use_suggested_name", "Use `test`, which exists", 0.9, false, 1, 1, 2, false])
    );
    assert_eq!(
        attempt["strategies"][0],
        json!({ "name": "use_suggested_name", "steps": ["npm run test"], "performs": "npm run test" })
    );

    // What is run beside it says nothing.
    machine.call("s", "c2", "ls", None);
    machine.call("other", "c3", "npm run test", None);
    assert_eq!(machine.events("recovery_complete"), [Value::Null; 0]);
    machine.call("s", "c4", "npm run test 2>&1 | tail -5", None);
    assert_eq!(machine.events("recovery_complete"), [Value::Null; 0], "a pipe hides how it ended");
    machine.call("s", "c5", "npm run test", None);
    let completed = machine.events("recovery_complete");
    let complete = &completed[0]["complete"];
    assert_eq!((completed.len(), &complete["plan"]), (1, &plan["id"]));
    assert_eq!(
        json!([
            complete["strategy_name"],
            complete["followed"],
            complete["success"],
            complete["signature"],
            complete["error_category"],
            complete["actual_iterations"]
        ]),
        json!(["use_suggested_name", true, true, plan["signature"], "bad_arguments", 3])
    );
    machine.call("s", "c6", "npm run test", None);
    assert_eq!(machine.events("recovery_complete").len(), 1, "a plan ends once");
}

#[test]
fn what_was_followed_and_failed_is_not_offered_again_and_after_two_only_a_question_is_left() {
    let machine = Machine::new();
    let fails = |id: &str| machine.call("s", id, "npm run tset", Some(MISSING));
    fails("c1");
    let first = machine.plan(TOLD);
    assert_eq!(Machine::names(&first)[0], "use_suggested_name");
    // The same call once more is no following of the plan.
    fails("c2");
    assert_eq!(Machine::names(&machine.plan(TOLD)), Machine::names(&first));
    machine.call("s", "c3", "npm run test", Some("Exit code 1\n1 failed, 3 passed\nFAIL src/sum.test.js"));
    assert_eq!(machine.events("recovery_complete")[0]["complete"]["success"], false);
    fails("c4");
    let second = machine.plan(TOLD);
    let names = Machine::names(&second);
    assert!(!names.contains(&"use_suggested_name".to_owned()), "{names:?}");
    let dropped = second["dropped"].as_array().unwrap();
    assert!(dropped.iter().any(|it| it["name"] == "use_suggested_name" && it["reason"] == "it already failed here"));
    // From outside, and without a record, it is known as well.
    let payload = machine.payload("s", "c4", "npm run tset", Some(MISSING)).to_string();
    assert_eq!(Machine::names(&machine.plan_of(&payload, &["--probe"])), names);

    // The second that is followed and does not help, too: it only looks, so the failure itself says so.
    assert_eq!(names[0], "list_declared_names");
    machine.hook(&json!({
        "hook_event_name": "PostToolBatch", "session_id": "s", "cwd": machine.project(),
        "tool_calls": [{ "tool_name": "Read", "tool_use_id": "c5", "tool_response": "{}",
            "tool_input": { "file_path": machine.project().join("package.json") } }],
    }));
    fails("c6");
    let completed = machine.events("recovery_complete");
    assert_eq!(completed.last().unwrap()["complete"]["strategy_name"], "list_declared_names");
    let third = machine.plan(TOLD);
    assert_eq!(Machine::names(&third), ["ask_user_for_help"]);
    assert_eq!(third["errorClassification"]["canRecover"], false);
    machine.prompt("s");
    fails("c7");
    let last = machine.failwise(&["recover", "--last"], "");
    assert_eq!(last.status.code(), Some(3));
    let last: Value = serde_json::from_slice(&last.stdout).unwrap();
    assert_eq!((&last["hasRecoveryPlan"], &last["suggestUserAction"]), (&json!(false), &json!(true)));

    // Another session that meets it knows, and once it passed everything may be tried again: the counts say how.
    machine.call("t", "d1", "npm run tset", Some(MISSING));
    assert_eq!(Machine::names(&machine.plan(&["--node", "session/t"])), [""; 0]);
    machine.call("t", "d2", "npm run tset", None);
    machine.call("t", "d3", "npm run tset", Some(MISSING));
    let anew = machine.plan(&["--last", "--probe"]);
    assert_eq!(anew["primaryStrategy"]["name"], "use_suggested_name");
    // Once followed, not worked: 2 (0 + 1) / (1 + 2) of 0.9.
    assert_eq!(anew["primaryStrategy"]["confidence"], 0.6);
}

#[test]
fn after_two_attempts_a_person_is_asked_once_and_then_nothing_is_said() {
    let machine = Machine::new();
    let fails = |id: &str| machine.call("s", id, "npm run tset", Some(MISSING));
    fails("c1");
    machine.plan(TOLD);
    machine.call("s", "c2", "npm run test", Some("Exit code 1\n1 failed, 3 passed\nFAIL src/sum.test.js"));
    fails("c3");
    assert_eq!(Machine::names(&machine.plan(TOLD))[0], "list_declared_names");
    machine.hook(&json!({
        "hook_event_name": "PostToolBatch", "session_id": "s", "cwd": machine.project(),
        "tool_calls": [{ "tool_name": "Read", "tool_use_id": "c4", "tool_response": "{}",
            "tool_input": { "file_path": machine.project().join("package.json") } }],
    }));
    fails("c5");
    assert_eq!(Machine::names(&machine.plan(TOLD)), ["ask_user_for_help"]);
    // Nobody answered. The question was put, and is not put again, however often the call fails.
    for id in ["c6", "c7", "c8"] {
        fails(id);
        let output = machine.failwise(&[&["recover"], TOLD].concat(), "");
        assert_eq!(output.status.code(), Some(3), "{id}");
        let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(plan["hasRecoveryPlan"], false, "{id}");
    }
}

#[test]
fn outcomes_feed_the_memory_and_a_rebuilt_one_knows_the_same() {
    let machine = Machine::new();
    for (number, works) in [true, true, false].into_iter().enumerate() {
        let session = format!("s{number}");
        machine.call(&session, &format!("{session}-1"), "npm run tset", Some(MISSING));
        machine.plan(TOLD);
        let fault = "Exit code 1\n1 failed, 3 passed\nFAIL src/sum.test.js";
        machine.call(&session, &format!("{session}-2"), "npm run test", (!works).then_some(fault));
    }
    let known = machine.strategies();
    assert_eq!(known, json!([{ "name": "use_suggested_name", "tried": 3, "worked": 2 }]));
    let id = machine.events("recovery_attempt")[0]["attempt"]["signature"].as_str().unwrap()[..8].to_owned();
    let shown = machine.failwise(&["kb", "show", &id], "");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("plan use_suggested_name  (2 of 3 worked)"), "{shown}");
    let rows = || {
        let base = failwise::store::Base::open(&machine.state().join("base.sqlite")).unwrap();
        base.rows(None).unwrap().iter().map(|(_, row)| serde_json::to_string(row).unwrap()).collect::<Vec<_>>()
    };
    let before = rows();
    assert!(machine.failwise(&["kb", "rebuild"], "").status.success());
    assert!(rows() == before, "other rows");
    assert_eq!(machine.strategies(), known);

    // The history of these sessions is gone: the memory alone counts, on the signature.
    let folder = fs::read_dir(machine.state().join("projects")).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(folder.join("history.jsonl")).unwrap();
    fs::remove_dir_all(folder.join("state")).unwrap();
    let payload = machine.payload("new", "n", "npm run tset", Some(MISSING)).to_string();
    let counted = machine.plan_of(&payload, &["--probe"]);
    // 0.9 x 2 (2 + 1) / (3 + 2), capped at 1.
    assert_eq!(counted["primaryStrategy"]["confidence"], 1.0);
    // What a person had forgotten counts no more.
    assert!(machine.failwise(&["kb", "forget", &id, "--yes"], "").status.success());
    assert_eq!(machine.plan_of(&payload, &["--probe"])["primaryStrategy"]["confidence"], 0.9);
}

#[test]
fn counts_of_the_category_speak_where_the_signature_has_none() {
    let machine = Machine::new();
    for (number, script) in ["tset", "tets"].into_iter().enumerate() {
        let session = format!("s{number}");
        let missing = MISSING.replace("tset", script);
        machine.call(&session, &session, &format!("npm run {script}"), Some(&missing));
        machine.plan(TOLD);
        machine.call(&session, &format!("{session}-2"), "npm run test", None);
    }
    let missing = MISSING.replace("tset", "teest");
    let payload = machine.payload("s9", "n", "npm run teest", Some(&missing)).to_string();
    let plan = machine.plan_of(&payload, &["--probe"]);
    // 0.9 x 2 (2 + 1) / (2 + 2) is more than 1.
    assert_eq!(plan["primaryStrategy"]["confidence"], 1.0);
    assert_eq!(machine.events("recovery_attempt")[1]["attempt"]["historical_success_rate"], 1.0);
    assert_eq!(machine.events("recovery_attempt")[1]["attempt"]["confidence_boosted"], true);
}

#[test]
fn a_payload_is_joined_to_its_failure_in_the_history() {
    let machine = Machine::new();
    machine.call("s", "c1", "npm run tset", Some(MISSING));
    machine.call("s", "c2", "npm run tset", Some(MISSING));
    let payload = machine.payload("s", "c2", "npm run tset", Some(MISSING)).to_string();
    let plan = machine.plan_of(&payload, &["--record", "--probe"]);
    assert_eq!(plan["iteration"], 2);
    let attempt = &machine.events("recovery_attempt")[0];
    assert_eq!(attempt["attempt"]["failure"], machine.events("execution_failed")[1]["id"]);
    assert_eq!(attempt["attempt"]["episode"], machine.events("failure_classified")[1]["verdict"]["episode"]);
    machine.call("s", "c3", "npm run test", None);
    assert_eq!(machine.events("recovery_complete")[0]["complete"]["success"], true);

    // A failure event of the same session, without the call's id; and one that no history holds.
    let event = json!({ "tool": "Bash", "command": "npm run tset", "exit_code": 1, "stderr_tail": MISSING, "session_id": "s", "cwd": machine.project() });
    machine.plan_of(&event.to_string(), &["--record", "--probe"]);
    let unknown = json!({ "tool": "Bash", "command": "kubectl get pods", "exit_code": 127, "stderr_tail": "bash: kubectl: command not found", "session_id": "s", "cwd": machine.project() });
    machine.plan_of(&unknown.to_string(), &["--record"]);
    let attempts = machine.events("recovery_attempt");
    assert_eq!(attempts.len(), 3);
    assert!(attempts[1]["attempt"]["failure"].is_string() && attempts[2]["attempt"].get("failure").is_none());
    assert_eq!(attempts[2]["node"], "session/s");
}

#[test]
fn after_a_look_the_work_may_pass_in_another_form() {
    let tried = |then: &str| {
        let machine = Machine::new();
        machine.call("s", "c1", "npm run tset", Some(MISSING));
        // Nothing is looked at, so that the plan can only say where to look.
        let payload = machine.payload("s", "c1", "npm run tset", Some(MISSING)).to_string();
        let plan = machine.plan_of(&payload, &["--record", "--tools", "Bash"]);
        let look = plan["primaryStrategy"]["steps"][0]["args"]["command"].as_str().unwrap().to_owned();
        assert!(plan["primaryStrategy"]["steps"][0].get("performs").is_none(), "{plan}");
        machine.call("s", "c2", &look, None);
        assert_eq!(machine.events("recovery_complete"), [Value::Null; 0], "a look alone is no success");
        machine.call("s", "c3", then, None);
        machine.strategies()
    };
    let worked = tried("npm run test");
    assert_eq!((&worked[0]["tried"], &worked[0]["worked"]), (&json!(1), &json!(1)), "{worked}");
    // What keeps the word that is wrong, and what is another program's, is other work.
    for other in ["npm run tset --if-present", "npm install", "yarn run test", "date"] {
        assert_eq!(tried(other), json!([]), "{other}");
    }
}

#[test]
fn what_ends_an_episode_otherwise_completes_the_plan_as_not_followed() {
    let machine = Machine::new();
    machine.call("s", "c1", "npm run tset", Some(MISSING));
    machine.plan(TOLD);
    machine.call("s", "c2", "npm run tset", None);
    let completed = machine.events("recovery_complete");
    let complete = &completed[0]["complete"];
    assert_eq!((&complete["followed"], &complete["success"]), (&json!(false), &json!(true)));
    assert_eq!(machine.strategies(), json!([]));
}

#[test]
fn what_worked_in_an_earlier_session_is_a_strategy_first_by_its_record() {
    const FLAG: &str = "Exit code 1\nunknown flag: --stat\n\nUsage:  gh pr diff [<number> | <url> | <branch>] [flags]";
    let machine = Machine::new();
    let mends = |session: &str| {
        machine.call(session, &format!("{session}-1"), "gh pr diff 104 --stat", Some(FLAG));
        machine.call(session, &format!("{session}-2"), "gh pr diff 104 --name-only", None);
        assert!(machine.failwise(&["kb", "learn"], "").status.success());
    };
    mends("one");
    machine.call("three", "three-1", "gh pr diff 7 --stat", Some(FLAG));
    let once = machine.plan(TOLD);
    let learned = once["primaryStrategy"].clone();
    assert_eq!((&learned["name"], &learned["confidence"]), (&json!("use_what_worked"), &json!(0.6667)));
    assert_eq!(learned["steps"][0]["args"]["command"], "gh pr diff 7 --name-only");
    assert_eq!(machine.events("recovery_attempt")[0]["attempt"]["has_learned_patterns"], true);
    mends("two");
    let of_third = &["--node", "session/three"];
    let twice = machine.plan(of_third);
    assert_eq!(
        (&twice["primaryStrategy"]["name"], &twice["primaryStrategy"]["confidence"]),
        (&json!("use_what_worked"), &json!(0.75))
    );
    // The session that taught it is not told it.
    let own = machine.payload("one", "one-1", "gh pr diff 104 --stat", Some(FLAG)).to_string();
    assert!(!Machine::names(&machine.plan_of(&own, &[])).contains(&"use_what_worked".to_owned()));
    // What is muted, or where nothing is to be recalled, is not told either.
    let id = twice["signature"].as_str().unwrap()[..8].to_owned();
    assert!(machine.failwise(&["kb", "mute", &id, "--yes"], "").status.success());
    assert!(!Machine::names(&machine.plan(of_third)).contains(&"use_what_worked".to_owned()));
    assert!(machine.failwise(&["kb", "unmute", &id, "--yes"], "").status.success());
    assert!(Machine::names(&machine.plan(of_third)).contains(&"use_what_worked".to_owned()));
    let machine = Machine { settings: vec![("FAILWISE_RECALL", "off".to_owned())], ..machine };
    assert!(!Machine::names(&machine.plan(of_third)).contains(&"use_what_worked".to_owned()));
}

#[test]
fn nothing_secret_is_recorded() {
    let machine = Machine::new();
    let token = "ghp_0123456789abcdefABCDEF0123456789abcd";
    let error = format!("Exit code 1\nfatal: Authentication failed for 'https://x:{token}@example.com/a.git/'");
    machine.call("s", "c1", &format!("git push https://x:{token}@example.com/a.git main"), Some(&error));
    machine.plan(&["--last", "--record"]);
    let payload =
        machine.payload("s", "c1", &format!("git push https://x:{token}@example.com/a.git main"), Some(&error));
    machine.plan_of(&payload.to_string(), &["--record"]);
    for kind in ["diagnostic_reflection", "recovery_attempt"] {
        let events = machine.events(kind);
        assert_eq!(events.len(), 2);
        assert!(events.iter().all(|event| !event.to_string().contains(token)), "{events:?}");
    }
}

/// What a command came to: its exit code, whether it gave a plan, and what it said on stderr.
fn came_to(output: &Output) -> (i32, bool, String) {
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), plan["hasRecoveryPlan"] == true, said)
}

#[test]
fn a_memory_that_cannot_be_read_is_said_and_the_plan_is_made() {
    let machine = Machine::new();
    machine.call("s", "c1", "npm run tset", Some(MISSING));
    fs::write(machine.state().join("base.sqlite"), "no base at all, and longer than the head of one").unwrap();
    let (code, has_plan, said) = came_to(&machine.failwise(&["recover", "--last"], ""));
    assert_eq!((code, has_plan), (0, true));
    assert!(said.contains("base.sqlite is damaged") && said.lines().count() == 1, "{said}");
}

#[test]
fn a_history_that_nobody_may_read_or_write_stops_only_what_needs_it() {
    let machine = Machine::new();
    machine.call("s", "c1", "npm run tset", Some(MISSING));
    let payload = machine.payload("s", "c1", "npm run tset", Some(MISSING)).to_string();
    let folder = fs::read_dir(machine.state().join("projects")).unwrap().next().unwrap().unwrap().path();
    let rights = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    // Who may do everything is stopped by no rights: then it is asked as nobody, of a copy that nobody can reach.
    let is_root = fs::metadata(machine.home.path()).unwrap().uid() == 0;
    let program = machine.home.path().join("failwise");
    // By another process: what this one has open for writing, a test that forks beside it may keep from being started.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_failwise")).arg(&program).status().unwrap().success());
    for folder in folder.ancestors().take_while(|above| above.starts_with(machine.home.path())) {
        rights(folder, 0o555);
    }
    let ask = |arguments: &[&str], input: &str| {
        let mut command = machine.command(program.to_str().unwrap());
        command.args(arguments);
        if is_root {
            command.uid(65534).gid(65534);
        }
        came_to(&feed(&mut command, input))
    };
    rights(&folder.join("history.jsonl"), 0);
    let (code, has_plan, said) = ask(&["recover", "--last"], "");
    assert_eq!((code, has_plan), (74, false));
    assert!(said.contains("history.jsonl"), "{said}");
    let (code, has_plan, said) = ask(&["recover", "--record"], &payload);
    assert_eq!((code, has_plan), (0, true));
    assert!(said.contains("the history could not be read") && said.contains("the plan is not recorded"), "{said}");
    rights(&folder.join("history.jsonl"), 0o444);
    let (code, has_plan, said) = ask(&["recover", "--last", "--record"], "");
    assert_eq!((code, has_plan), (0, true));
    assert!(said.contains("the plan is not recorded") && said.lines().count() == 1, "{said}");
    for folder in folder.ancestors().take_while(|above| above.starts_with(machine.home.path())) {
        rights(folder, 0o755);
    }
    assert_eq!(machine.events("recovery_attempt"), [Value::Null; 0]);
}

#[test]
fn switched_off_nothing_is_recorded() {
    let machine = Machine::new();
    machine.call("s", "c1", "npm run tset", Some(MISSING));
    let machine = Machine { settings: vec![("FAILWISE", "off".to_owned())], ..machine };
    let (code, has_plan, said) = came_to(&machine.failwise(&["recover", "--last", "--record"], ""));
    assert_eq!((code, has_plan), (0, true));
    assert!(said.contains("switched off"), "{said}");
    assert_eq!(machine.events("recovery_attempt"), [Value::Null; 0]);
}

#[test]
fn what_nobody_asked_to_record_leaves_no_trace() {
    let machine = Machine::new();
    machine.call("s", "c1", "npm run tset", Some(MISSING));
    machine.plan(&["--last", "--probe"]);
    assert_eq!(machine.events("diagnostic_reflection"), [Value::Null; 0]);
    // Of what a person refused nothing is recorded, as there is nothing to recover from.
    let refused = json!({
        "toolCall": { "function": { "name": "run_bash", "arguments": { "script": "rm -rf build" } } },
        "error": { "message": "rejected", "code": "APPROVAL_REJECTED" }, "cwd": machine.project(),
    });
    let output = machine.failwise(&["recover", "--record"], &refused.to_string());
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(machine.events("diagnostic_reflection"), [Value::Null; 0]);
}
