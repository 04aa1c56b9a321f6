//! One engine: the same recorded payloads, with the same lines before them, through the hook, `failwise classify` and
//! `failwise replay`, which must agree in every field of [`COMPARED`].
//!
//! Played are all cases below `tests/golden/` and the scenes of this file: with settings, with a plan, with siblings,
//! background work, batches, prompts and stops.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and reads the cases")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::feeding::feed;
use serde_json::{Value, json};

/// The fields of a verdict that the three must agree in. `retry_after_ms` is left out: where a service names a time of day,
/// it depends on the time of the call, which `classify` does not know.
const COMPARED: &[&str] = &[
    "outcome",
    "class",
    "class_name",
    "rule",
    "ruleset",
    "category",
    "confidence",
    "recommended_action",
    "routes_to",
    "operation",
    "signature",
    "attempt",
    "unchanged_retries",
    "evidence",
    "node_id",
    "parent_node_id",
    "episode",
    "tool_use_id",
];
/// What names an error of the model's API is made from its time, because such an error has no id.
const NAMED_BY_TIME: &[&str] = &["episode"];
/// The fields of a call that is no failure of the work.
const COMPARED_OF_NO_FAILURE: &[&str] = &["outcome", "class", "tool_use_id"];

/// A project, and what happens in it.
struct Scene {
    name: String,
    files: Vec<(String, String)>,
    payloads: Vec<(Value, Vec<(String, String)>)>,
}

/// A project on the disk, with a history that has begun.
struct Stage {
    home: tempfile::TempDir,
}

/// What the hook recorded of one call.
#[derive(Debug)]
struct Recorded {
    completed: Value,
    verdict: Option<Value>,
}

impl Scene {
    fn new(name: &str, files: &[(&str, &str)], payloads: Vec<Value>) -> Self {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let payloads = payloads.into_iter().map(|payload| (payload, Vec::new())).collect();
        Self { name: name.to_owned(), files, payloads }
    }

    /// A case of `tests/golden/sessions/`: the payloads of its steps.
    fn of_session(path: &Path) -> Self {
        let case: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let pairs = |value: &Value| -> Vec<(String, String)> {
            let pairs = value.as_object().into_iter().flatten();
            pairs.map(|(key, value)| (key.clone(), text(value))).collect()
        };
        let steps = case["steps"].as_array().unwrap().iter().filter(|step| step["stdin"].is_object());
        // The stage has one history for all steps.
        let env = |step: &Value| {
            pairs(&step["env"]).into_iter().filter(|(name, _)| name.starts_with("FAILWISE_") && name != "FAILWISE_DIR")
        };
        let payloads = steps.map(|step| (step["stdin"].clone(), env(step).collect())).collect();
        Self { name: path.display().to_string(), files: pairs(&case["files"]), payloads }
    }

    /// A case of `tests/golden/host/`: one payload.
    fn of_payload(path: &Path) -> Self {
        let case: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        Self::new(&path.display().to_string(), &[], vec![case["payload"].clone()])
    }

    /// Whether a log of payloads holds all that the hook knew: it holds no plan, and no events of scripts.
    fn is_a_log(&self) -> bool {
        let has_plan = self.files.iter().any(|(name, _)| name.starts_with(".claude/plans/"));
        !has_plan && self.payloads.iter().all(|(payload, _)| payload["hook_event_name"].is_string())
    }

    fn play(&self) {
        let stage = Stage::new(&self.files);
        let mut live = Vec::new();
        for (payload, env) in &self.payloads {
            let payload = stage.fill(&payload.to_string());
            let asked = stage.classify(&payload, env);
            let recorded = stage.hook(&payload, env);
            for recorded in &recorded {
                if let Some(answer) = asked.as_ref().map(|asked| answer_to(asked, recorded)) {
                    recorded.agrees(answer, &format!("{}: hook and classify", self.name));
                }
            }
            live.extend(recorded);
        }
        self.agrees_replayed(&live, &stage.replay(&[stage.history().to_str().unwrap()]), "a replay of the history");
        if self.is_a_log() {
            let payloads = self.payloads.iter().map(|(payload, _)| payload.clone());
            let log = std::iter::once(begins()).chain(payloads).map(|payload| stage.fill(&payload.to_string()) + "\n");
            fs::write(stage.path("log.jsonl"), log.collect::<String>()).unwrap();
            let rows = stage.replay(&[stage.path("log.jsonl").to_str().unwrap()]);
            self.agrees_replayed(&live, &rows, "a replay of the payloads");
        }
    }

    fn agrees_replayed(&self, live: &[Recorded], rows: &[Value], what: &str) {
        let failed: Vec<&Recorded> = live.iter().filter(|recorded| recorded.verdict.is_some()).collect();
        let rows: Vec<&Value> = rows.iter().filter(|row| !row["class"].is_null()).collect();
        assert_eq!(rows.len(), failed.len(), "{}: {what}: {rows:#?}", self.name);
        for (recorded, row) in failed.iter().zip(rows) {
            recorded.agrees(row, &format!("{}: hook and {what}", self.name));
            assert_eq!(row["differs"], Value::Null, "{}: {what}", self.name);
        }
    }
}

impl Stage {
    fn new(files: &[(String, String)]) -> Self {
        let stage = Self { home: tempfile::tempdir().unwrap() };
        fs::create_dir_all(stage.path("project/.git")).unwrap();
        for (name, text) in files {
            let path = stage.path("project").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, stage.fill(text)).unwrap();
        }
        let binds = |name: &str| name.ends_with("active.json") || name.ends_with("failwise.toml");
        if files.iter().any(|(name, _)| binds(name)) {
            crate::trusting::trust(stage.home.path(), &stage.path("project"));
        }
        stage.hook(&stage.fill(&begins().to_string()), &[]);
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn history(&self) -> PathBuf {
        self.path("history/history.jsonl")
    }

    fn fill(&self, text: &str) -> String {
        text.replace("${PROJECT}", self.path("project").to_str().unwrap())
    }

    fn run(&self, executable: &str, arguments: &[&str], env: &[(String, String)], input: &str) -> Output {
        let mut command = Command::new(executable);
        command.args(arguments).env_clear().env("HOME", self.home.path()).current_dir(self.path("project"));
        command.env("FAILWISE_DIR", self.path("history"));
        command.envs(env.iter().map(|(name, value)| (name, self.fill(value))));
        feed(&mut command, input)
    }

    /// What `failwise classify` answers; None where the payload holds no call.
    fn classify(&self, payload: &str, env: &[(String, String)]) -> Option<Value> {
        let output = self.run(env!("CARGO_BIN_EXE_failwise"), &["classify"], env, payload);
        match output.status.code() {
            Some(0 | 3) => Some(serde_json::from_slice(&output.stdout).unwrap()),
            Some(65) => None,
            other => panic!("{other:?}: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }

    /// What the hook records of the calls of a payload.
    fn hook(&self, payload: &str, env: &[(String, String)]) -> Vec<Recorded> {
        let before = self.lines().len();
        let output = self.run(env!("CARGO_BIN_EXE_failwise-hook"), &[], env, payload);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let mut recorded: Vec<Recorded> = Vec::new();
        for line in self.lines().split_off(before) {
            match line["event"].as_str().unwrap() {
                "execution_completed" | "execution_failed" => {
                    recorded.push(Recorded { completed: line, verdict: None });
                }
                "failure_classified" => recorded.last_mut().unwrap().verdict = Some(line["verdict"].clone()),
                _ => {}
            }
        }
        recorded
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.history()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn replay(&self, arguments: &[&str]) -> Vec<Value> {
        let arguments = [&["replay", "--format", "jsonl"], arguments].concat();
        let output = self.run(env!("CARGO_BIN_EXE_failwise"), &arguments, &[], "");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Recorded {
    fn agrees(&self, answer: &Value, who: &str) {
        let (mine, fields) = match &self.verdict {
            Some(verdict) => (verdict, COMPARED),
            None => (&self.completed, COMPARED_OF_NO_FAILURE),
        };
        let is_api = self.completed["operation"].as_str().is_some_and(|operation| operation.starts_with("model_api:"));
        for field in fields.iter().filter(|field| !(is_api && NAMED_BY_TIME.contains(field))) {
            assert_eq!(mine[field], answer[field], "{who}: `{field}`\n{mine}\n{answer}");
        }
    }
}

/// Of the answers to a batch the one about this call.
fn answer_to<'a>(asked: &'a Value, recorded: &Recorded) -> &'a Value {
    let Some(answers) = asked.as_array() else { return asked };
    answers.iter().find(|answer| answer["tool_use_id"] == recorded.completed["tool_use_id"]).unwrap()
}

// --- payloads ---------------------------------------------------------------------------------------------

/// The end of a shell command that printed nothing.
fn shell(event: &str, id: &str, command: &str, cwd: &str) -> Value {
    json!({
        "hook_event_name": event, "session_id": "s-1", "cwd": cwd, "tool_name": "Bash", "tool_use_id": id,
        "tool_input": {"command": command},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "isImage": false},
    })
}

/// What begins every history, so that there is one.
fn begins() -> Value {
    passed("begin", "pwd")
}

fn passed(id: &str, command: &str) -> Value {
    shell("PostToolUse", id, command, "${PROJECT}")
}

fn failed(id: &str, command: &str, error: &str) -> Value {
    let mut payload = shell("PostToolUseFailure", id, command, "${PROJECT}");
    payload["error"] = error.into();
    payload
}

fn edited(id: &str, file: &str) -> Value {
    json!({
        "hook_event_name": "PostToolUse", "session_id": "s-1", "cwd": "${PROJECT}", "tool_name": "Edit",
        "tool_use_id": id, "tool_input": {"file_path": format!("${{PROJECT}}/{file}"), "old_string": "a", "new_string": "b"},
        "tool_response": {"filePath": format!("${{PROJECT}}/{file}")},
    })
}

fn by(agent: &str, mut payload: Value) -> Value {
    payload["agent_id"] = agent.into();
    payload["agent_type"] = "general-purpose".into();
    payload
}

fn news(event: &str, field: &str, value: Value) -> Value {
    let mut payload = json!({"hook_event_name": event, "session_id": "s-1", "cwd": "${PROJECT}"});
    payload[field] = value;
    payload
}

fn prompt(text: &str) -> Value {
    news("UserPromptSubmit", "prompt", text.into())
}

fn ended_in_background(task: &str, id: &str) -> Value {
    prompt(&format!(
        "<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{id}</tool-use-id>\n\
         <output-file>/nonexistent/tasks/{task}.output</output-file>\n<status>failed</status>\n\
         <summary>Background command \"probe\" failed with exit code 2</summary>\n</task-notification>"
    ))
}

const NO_RULE: &str = "Exit code 2\nmake: *** No rule to make target 'probe'.  Stop.";
const NOT_FOUND: &str = "Exit code 101\nerror[E0425]: cannot find value `tide` in this scope\n --> src/main.rs:3:5\n  |\n\n\
    error: could not compile `harbour` (bin \"harbour\") due to 1 previous error";
const SETTINGS: &str = "expected_failures = [\"make probe\"]\nignored_paths = [\"src/gen\"]\n";

/// A plan with an active task, a second one, and a constraint of the second one's feature.
fn plan() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            ".claude/plans/active.json",
            "{\"schema_version\": 1, \"active\": {\"mission\": \"MISSION\", \"initiative\": null, \"feature\": \"FEAT-1\", \
             \"story\": \"STORY-0001\", \"task\": \"TASK-00001\"}, \"frozen\": [], \"context_anchors\": {}}",
        ),
        (
            ".claude/plans/mission/mission.md",
            "---\nid: MISSION\ntier: 0\nintent: \"Tides\"\nchildren: [FEAT-1, FEAT-2]\n---\n",
        ),
        (
            ".claude/plans/features/FEAT-1_charts/feature.md",
            "---\nid: FEAT-1\ntier: 2\nparent: MISSION\nstatus: active\n---\n",
        ),
        (
            ".claude/plans/features/FEAT-1_charts/stories/STORY-0001_print/story.md",
            "---\nid: STORY-0001\ntier: 3\nparent: FEAT-1\nstatus: active\n---\n",
        ),
        (
            ".claude/plans/features/FEAT-1_charts/stories/STORY-0001_print/tasks/TASK-00001_columns/task.md",
            "---\nid: TASK-00001\ntier: 4\nparent: STORY-0001\nstatus: active\n---\n",
        ),
        (
            ".claude/plans/features/FEAT-2_feed/feature.md",
            "---\nid: FEAT-2\ntier: 2\nparent: MISSION\nstatus: active\nconstraints:\n  forbidden_commands: [\"git push\"]\n---\n",
        ),
        (
            ".claude/plans/features/FEAT-2_feed/stories/STORY-0002_send/story.md",
            "---\nid: STORY-0002\ntier: 3\nparent: FEAT-2\nstatus: active\n---\n",
        ),
        (
            ".claude/plans/features/FEAT-2_feed/stories/STORY-0002_send/tasks/TASK-00002_push/task.md",
            "---\nid: TASK-00002\ntier: 4\nparent: STORY-0002\nstatus: planned\n---\n",
        ),
    ]
}

/// A failure event that a script sends about another task than the active one.
fn reported(node: &str) -> Value {
    json!({
        "tool": "Bash", "command": "git push origin main", "exit_code": 1, "cwd": "${PROJECT}", "session_id": "s-1",
        "stderr_tail": " ! [rejected] main -> main (fetch first)\nerror: failed to push some refs", "node_id": node,
    })
}

// --- the tests --------------------------------------------------------------------------------------------

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 20, "cases went missing");
    cases
}

#[test]
fn golden_sessions_are_told_the_same_three_times() {
    for path in cases("sessions") {
        Scene::of_session(&path).play();
    }
}

#[test]
fn golden_payloads_are_told_the_same_three_times() {
    for path in cases("host") {
        Scene::of_payload(&path).play();
    }
}

#[test]
fn settings_count_everywhere() {
    let files = [(".claude/failwise.toml", SETTINGS)];
    let payloads = vec![
        failed("t1", "make probe", NO_RULE),
        failed("t2", "make other", NO_RULE),
        by("a2", passed("t3", "true")),
        by("a1", edited("t4", "src/gen/tide.rs")),
        by("a1", edited("t5", "src/main.rs")),
        by("a2", failed("t6", "cargo build", &NOT_FOUND.replace("src/main.rs", "src/gen/tide.rs"))),
        by("a2", failed("t7", "cargo build", NOT_FOUND)),
    ];
    let scene = Scene::new("settings", &files, payloads);
    scene.play();
    let stage = Stage::new(&scene.files);
    let probe = stage.fill(&scene.payloads[0].0.to_string());
    let answer = stage.classify(&probe, &[]).unwrap();
    assert_eq!((&answer["class"], &answer["outcome"]), (&Value::Null, &json!("benign_non_zero")));
}

#[test]
fn settings_count_for_work_in_the_background() {
    let files = [(".claude/failwise.toml", SETTINGS)];
    let launched = |id: &str, command: &str, task: &str| {
        let mut payload = passed(id, command);
        payload["tool_response"]["backgroundTaskId"] = task.into();
        payload
    };
    let payloads = vec![
        launched("t1", "make probe", "b1"),
        launched("t2", "make other", "b2"),
        ended_in_background("b1", "t1"),
        ended_in_background("b2", "t2"),
    ];
    Scene::new("background", &files, payloads).play();
}

#[test]
fn a_batch_counts_its_calls_one_after_the_other() {
    let entry = |id: &str, command: &str, text: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id, "tool_response": text});
    let entries = [
        entry("t1", "make other", NO_RULE),
        entry("t2", "make other", NO_RULE),
        entry("t3", "make probe", NO_RULE),
        entry("t4", "make other", NO_RULE),
    ];
    let mut batch = news("PostToolBatch", "tool_calls", entries.to_vec().into());
    batch["session_id"] = "s-2".into();
    Scene::new("batch", &[(".claude/failwise.toml", SETTINGS)], vec![batch]).play();
}

#[test]
fn prompts_and_stops_count_everywhere() {
    let payloads = vec![
        failed("t1", "make other", NO_RULE),
        failed("t2", "make other", NO_RULE),
        news("Stop", "stop_hook_active", false.into()),
        prompt("go on"),
        failed("t3", "make other", NO_RULE),
        failed("t4", "cargo build", NOT_FOUND),
        news("SessionStart", "source", "compact".into()),
        edited("t5", "src/main.rs"),
        failed("t6", "cargo build", NOT_FOUND),
        passed("t7", "cargo build"),
        news("Stop", "stop_hook_active", true.into()),
        failed("t8", "cargo build", NOT_FOUND),
    ];
    Scene::new("prompts and stops", &[(".claude/failwise.toml", "stop_check = 'tell'\n")], payloads).play();
}

#[test]
fn a_plan_counts_everywhere() {
    let payloads = vec![
        failed("t1", "make other", NO_RULE),
        failed("t2", "git push origin main", "Exit code 1\n ! [rejected] main -> main (fetch first)"),
        failed("t3", "make other", NO_RULE),
        reported("TASK-00002"),
        reported("TASK-00002"),
        reported("TASK-00099"),
    ];
    Scene::new("a plan", &plan(), payloads).play();
}

#[test]
fn an_event_that_names_a_node_is_judged_by_the_facts_of_that_node() {
    let stage = Stage::new(&Scene::new("", &plan(), Vec::new()).files);
    let answer = stage.classify(&stage.fill(&reported("TASK-00002").to_string()), &[]).unwrap();
    assert_eq!(answer["node_id"], "TASK-00002");
    assert_eq!(answer["parent_node_id"], "STORY-0002", "not the active node's parent");
    assert_eq!((&answer["class"], &answer["rule"]), (&json!("F5"), &json!("constraint-violated")));
}

/// The event of scripts says neither where it comes from nor in which session: the directory and the client know.
#[test]
fn an_event_without_a_directory_or_a_session_is_one_of_where_it_is_sent() {
    let stage = Stage::new(&[(".claude/failwise.toml".to_owned(), SETTINGS.to_owned())]);
    let failing =
        |command: &str| json!({"tool": "Bash", "command": command, "exit_code": 2, "stderr_tail": NO_RULE}).to_string();
    let once = failed("t1", "make other", NO_RULE);
    stage.hook(&stage.fill(&once.to_string()), &[]);
    let own = stage.path("project");
    let classify = |dir: &Path, env: &[(&str, &str)], event: &str| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.arg("classify").env_clear().env("HOME", stage.home.path()).current_dir(dir).envs(env.iter().copied());
        serde_json::from_slice(&feed(&mut command, event).stdout).unwrap()
    };
    let history = stage.path("history");
    let history = ("FAILWISE_DIR", history.to_str().unwrap());
    let session = ("CLAUDE_CODE_SESSION_ID", "s-1");
    assert_eq!(classify(&own, &[history, session], &failing("make other"))["attempt"], 2);
    assert_eq!(classify(&own, &[history], &failing("make other"))["attempt"], 1, "another session");
    assert_eq!(
        classify(&own, &[history], &failing("make probe"))["outcome"],
        "benign_non_zero",
        "the project's settings"
    );
    let project = ("CLAUDE_PROJECT_DIR", own.to_str().unwrap());
    let elsewhere = stage.home.path();
    assert_eq!(classify(elsewhere, &[history, project], &failing("make probe"))["outcome"], "benign_non_zero");
    assert_eq!(classify(elsewhere, &[history], &failing("make probe"))["outcome"], "failed");
    // The hook never takes its own directory for the payload's: without one nothing names a project.
    let hook = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
    let mut command = hook;
    command.env_clear().env("HOME", stage.home.path()).current_dir(&own);
    let output = feed(&mut command, failing("make probe"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("neither a project nor a home folder is known"));
}

#[test]
fn a_verdict_says_where_no_history_was_read() {
    let stage = Stage::new(&[]);
    let event = stage.fill(&failed("t1", "make other", NO_RULE).to_string());
    let evidence = |answer: &Value| answer["evidence"].as_array().unwrap().clone();
    let known = stage.classify(&event, &[]).unwrap();
    assert!(evidence(&known).contains(&json!("first attempt")), "{known}");
    let nowhere = [("FAILWISE_DIR".to_owned(), "${PROJECT}/nowhere".to_owned())];
    let unknown = stage.classify(&event, &nowhere).unwrap();
    assert!(evidence(&unknown).contains(&json!("no history read")), "{unknown}");
    assert!(!unknown.to_string().contains("first attempt"), "{unknown}");
}

#[test]
fn a_replay_goes_by_the_settings_of_the_project_one_stands_in() {
    let stage = Stage::new(&[(".claude/failwise.toml".to_owned(), SETTINGS.to_owned())]);
    let foreign = stage.path("foreign");
    fs::create_dir_all(foreign.join(".git")).unwrap();
    fs::create_dir_all(foreign.join(".claude")).unwrap();
    fs::write(foreign.join(".claude/failwise.toml"), "expected_failures = [\"make other\"]\n").unwrap();
    let mut of_foreign = failed("t2", "make other", NO_RULE);
    of_foreign["cwd"] = foreign.to_str().unwrap().into();
    of_foreign["session_id"] = "s-2".into();
    let mut probed_there = failed("t3", "make probe", NO_RULE);
    probed_there["cwd"] = foreign.to_str().unwrap().into();
    probed_there["session_id"] = "s-2".into();
    let log = [failed("t1", "make probe", NO_RULE), of_foreign, probed_there];
    let log: Vec<String> = log.iter().map(|payload| stage.fill(&payload.to_string())).collect();
    let file = stage.path("log.jsonl");
    fs::write(&file, log.join("\n")).unwrap();
    let file = file.to_str().unwrap();
    let outcomes = |more: &[&str]| -> Vec<String> {
        let rows = stage.replay(&[&[file], more].concat());
        rows.iter().map(|row| row["outcome"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(outcomes(&[]), ["benign_non_zero", "failed", "failed"], "its own settings, for its own sessions");
    assert_eq!(outcomes(&["--settings", "none"]), ["failed", "failed", "failed"]);
    let given = foreign.join(".claude/failwise.toml");
    let given = ["--settings", given.to_str().unwrap()];
    assert_eq!(outcomes(&given), ["failed", "benign_non_zero", "failed"], "a file that is asked for counts for all");
    let report = |more: &[&str]| -> Value {
        let arguments = [&["report", file, "--format", "json"], more].concat();
        serde_json::from_slice(&stage.run(env!("CARGO_BIN_EXE_failwise"), &arguments, &[], "").stdout).unwrap()
    };
    let benign = |report: &Value| report["totals"]["benign"].clone();
    assert_eq!(benign(&report(&[])), 1);
    assert_eq!(benign(&report(&["--settings", "none"])), 0);
    let broken = stage.path("broken.toml");
    fs::write(&broken, "expected_failure = [\"x\"]\n").unwrap();
    for (settings, exit) in [(broken.to_str().unwrap(), 65), ("/nonexistent/failwise.toml", 74)] {
        let output = stage.run(env!("CARGO_BIN_EXE_failwise"), &["replay", file, "--settings", settings], &[], "");
        assert_eq!(output.status.code(), Some(exit), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stderr).contains(settings));
    }
}

// --- real sessions ----------------------------------------------------------------------------------------

/// Sessions of the folder that `FAILWISE_DATA` names, as payloads of hooks: `cargo test --test hook one_engine -- --include-ignored
/// --nocapture`. `classify` is asked about every call that a result marks as failed.
#[test]
#[ignore = "takes minutes, and needs the folder of sessions that FAILWISE_DATA names"]
fn real_sessions_are_told_the_same_three_times() {
    let Some(folder) = std::env::var_os("FAILWISE_DATA").map(PathBuf::from) else { return };
    let (mut sessions, mut compared) = (0, 0);
    for entry in fs::read_dir(folder.join("sessions")).unwrap() {
        let path = entry.unwrap().path();
        let mut text = String::new();
        let bytes = fs::File::open(&path).unwrap();
        std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(bytes), &mut text).unwrap();
        let payloads = payloads_of(&text);
        if payloads.is_empty() {
            continue;
        }
        let stage = Stage::new(&[]);
        let mut live = Vec::new();
        for payload in &payloads {
            let text = payload.to_string();
            let is_marked = payload["hook_event_name"] == "PostToolUseFailure";
            let asked = if is_marked { stage.classify(&text, &[]) } else { None };
            let recorded = stage.hook(&text, &[]);
            for (recorded, answer) in recorded.iter().filter_map(|recorded| Some((recorded, asked.as_ref()?))) {
                recorded.agrees(answer, &format!("{}: hook and classify", path.display()));
            }
            live.extend(recorded);
        }
        let scene = Scene::new(&path.display().to_string(), &[], payloads);
        scene.agrees_replayed(&live, &stage.replay(&[stage.history().to_str().unwrap()]), "a replay of the history");
        let log = std::iter::once(stage.fill(&begins().to_string()))
            .chain(scene.payloads.iter().map(|(payload, _)| payload.to_string()));
        fs::write(stage.path("log.jsonl"), log.map(|line| line + "\n").collect::<String>()).unwrap();
        let rows = stage.replay(&[stage.path("log.jsonl").to_str().unwrap()]);
        scene.agrees_replayed(&live, &rows, "a replay of the payloads");
        sessions += 1;
        compared += live.iter().filter(|recorded| recorded.verdict.is_some()).count();
    }
    println!("{compared} verdicts of {sessions} sessions agree");
    assert!(compared > 0);
}

/// What hooks were given in a session, made again from its transcript: the ends of its calls, and prompts.
fn payloads_of(transcript: &str) -> Vec<Value> {
    let mut calls = std::collections::BTreeMap::new();
    let mut payloads = Vec::new();
    for line in transcript.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let payload = |event: &str| {
            let mut payload = json!({"hook_event_name": event, "session_id": line["sessionId"], "cwd": line["cwd"]});
            if line["isSidechain"] == true {
                payload["agent_id"] = line["agentId"].clone();
                payload["agent_type"] = "general-purpose".into();
            }
            payload
        };
        let content = &line["message"]["content"];
        for block in content.as_array().into_iter().flatten() {
            if block["type"] == "tool_use" {
                calls.insert(block["id"].as_str().unwrap_or_default().to_owned(), block.clone());
                continue;
            }
            let Some(call) = block["tool_use_id"].as_str().and_then(|id| calls.remove(id)) else { continue };
            let failed = block["is_error"] == true;
            let mut end = payload(if failed { "PostToolUseFailure" } else { "PostToolUse" });
            end["tool_name"] = call["name"].clone();
            end["tool_input"] = call["input"].clone();
            end["tool_use_id"] = call["id"].clone();
            let (field, result) =
                if failed { ("error", &block["content"]) } else { ("tool_response", &line["toolUseResult"]) };
            end[field] = result.clone();
            payloads.push(end);
        }
        if let Some(text) = content.as_str().filter(|_| line["type"] == "user" && line["isMeta"] != true) {
            let mut prompt = payload("UserPromptSubmit");
            prompt["prompt"] = text.into();
            payloads.push(prompt);
        }
    }
    payloads
}
