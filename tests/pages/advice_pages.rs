//! The pages under `rules/advice/`: each case is played through the hook, and the agent hears what it says, word for word.
//! `<id>` stands for the beginning of a signature, which is the build's.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "reads the pages, and writes them where it is told to")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::rule_page::{check, pages};
use failwise::hook::{Outside, answer};
use failwise::knowledge::Signs;
use failwise::place::{find, project_folder};
use failwise::recall::{RECALL, RecallLesson, put};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What happens, and what the agent hears of it, in order.
#[derive(Deserialize, Serialize, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// Files of the project, by their paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) files: BTreeMap<String, String>,
    /// What is known of the case's first failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) knows: Option<Knows>,
    pub(crate) steps: Vec<Step>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    says: Vec<String>,
}

/// A lesson, as the learner keeps it.
#[derive(Deserialize, Serialize, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Knows {
    words: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    needs: Vec<String>,
    /// The session that taught it; another one where it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Whether it holds for every failure of the kind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    object: bool,
    /// Whether it only says that earlier sessions met the failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    seen_before: bool,
}

impl Knows {
    /// Two days before the cases.
    const LAST: u64 = 1_772_179_200_000;

    pub(crate) fn put(&self, home: &Path, signature: &Value) {
        let env = |name: &str| (name == "HOME").then(|| OsString::from(home));
        let place = find(&env, Some(&home.join("project"))).unwrap();
        let folder = project_folder(&env, &place).unwrap();
        let of = |name: &str| signature[name].as_str().unwrap().to_owned();
        let lesson = RecallLesson {
            id: "0123abcd".to_owned(),
            signature: of(if self.object { "coarse" } else { "fine" }),
            is_coarse: self.object,
            words: self.words.clone(),
            signs: Signs { needed: self.needs.clone(), ..Signs::default() },
            last_worked: Self::LAST,
            is_of_team: false,
            if_asked: false,
            seen_before: self.seen_before,
            sessions: vec![self.session.clone().unwrap_or_else(|| "s-0".to_owned())],
        };
        put(&folder.join(RECALL), folder.file_name().unwrap().to_str().unwrap(), &[lesson]).unwrap();
    }
}

/// The first failure of steps, by its signature.
pub(crate) fn signature_of(case: &Case) -> Value {
    let home = tempfile::tempdir().unwrap();
    played(case, home.path());
    let history = fs::read_to_string(home.path().join("history/history.jsonl")).unwrap();
    let events = history.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.map(|event| event["signature"].clone()).find(|signature| !signature.is_null()).unwrap()
}

/// A call that failed or printed something, or a person's prompt.
#[derive(Deserialize, Serialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    /// A command for the shell tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bash: Option<String>,
    /// A file that is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<String>,
    /// The text that the edit is to replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// Another tool, and its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<(String, Value)>,
    /// What a person says.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// What the agent says when it stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    stops: Option<String>,
    /// A subagent, and what it answered to the agent that called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<(String, String)>,
    /// The error, where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fails: Option<String>,
    /// The limit in milliseconds at which it was moved to the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    hangs: Option<u64>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    took: Option<u64>,
    /// The output, where it did not.
    #[serde(skip_serializing_if = "String::is_empty")]
    prints: String,
    /// The subagent, inside one.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// Seconds since the step before; 5 where it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<u64>,
}

impl Step {
    pub(crate) fn payload(&self, number: usize, project: &Path) -> Value {
        let at = |path: &str| project.join(path).to_string_lossy().into_owned();
        let call = match (&self.bash, &self.edit, &self.tool) {
            (Some(command), ..) => Some(("Bash", json!({ "command": command }))),
            (_, Some(path), _) => {
                let old = self.old.clone().unwrap_or_else(|| number.to_string());
                Some(("Edit", json!({ "file_path": at(path), "old_string": old, "new_string": "x" })))
            }
            (.., Some((tool, input))) => Some((tool.as_str(), input.clone())),
            _ => None,
        };
        if let Some(words) = &self.stops {
            return json!({ "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": words });
        }
        if let Some((agent, words)) = &self.answers {
            let content = json!([{ "type": "text", "text": words }]);
            return json!({
                "hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_use_id": format!("t{number}"),
                "tool_input": { "description": "work", "prompt": "work" },
                "tool_response": { "status": "completed", "agentId": agent, "content": content },
            });
        }
        let Some((tool, input)) = call else {
            return json!({ "hook_event_name": "UserPromptSubmit", "prompt": self.prompt });
        };
        let mut payload = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": format!("t{number}") });
        if let Some(error) = &self.fails {
            payload["hook_event_name"] = "PostToolUseFailure".into();
            payload["error"] = error.clone().into();
        } else {
            payload["hook_event_name"] = "PostToolUse".into();
            payload["tool_response"] = json!({ "stdout": self.prints, "stderr": "" });
            if let Some(limit) = self.hangs {
                payload["tool_response"]["timedOutAfterMs"] = limit.into();
                payload["tool_response"]["backgroundTaskId"] = format!("b{number}").into();
            }
        }
        if let Some(took) = self.took {
            payload["duration_ms"] = took.into();
        }
        payload
    }
}

/// What the agent hears in all steps of a case.
fn heard(case: &Case) -> Vec<String> {
    let home = tempfile::tempdir().unwrap();
    if let Some(knows) = &case.knows {
        knows.put(home.path(), &signature_of(case));
    }
    let said = played(case, home.path());
    let tags = tags(&home.path().join("history/history.jsonl"));
    said.iter().map(|text| tags.iter().fold(text.clone(), |text, tag| text.replace(tag, " <id>]"))).collect()
}

/// Makes the project of a case below a home folder.
pub(crate) fn laid_out(case: &Case, home: &Path) -> PathBuf {
    let project = home.join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    for (path, text) in &case.files {
        let path = project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    if !case.files.is_empty() {
        crate::tracking::track(&project);
    }
    project
}

fn played(case: &Case, home: &Path) -> Vec<String> {
    let project = laid_out(case, home);
    let known = [
        ("HOME", home.to_owned()),
        ("FAILWISE_DIR", home.join("history")),
        ("FAILWISE_STOP_CHECK", PathBuf::from("tell")),
    ];
    let env = |name: &str| known.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    let mut seconds = 0;
    let mut said = Vec::new();
    for (number, step) in case.steps.iter().enumerate() {
        seconds += step.after.unwrap_or(5);
        let now = format!("2026-03-01T08:{:02}:{:02}.000Z", seconds / 60, seconds % 60);
        let mut payload = step.payload(number, &project);
        payload["session_id"] = "s-1".into();
        payload["cwd"] = json!(project);
        payload["agent_id"] = json!(step.agent);
        let reply = answer(payload.to_string().as_bytes(), &Outside { env: &env, now: &now });
        assert_eq!(reply.stderr, None);
        let reply: Value = reply.stdout.map_or(Value::Null, |line| serde_json::from_str(&line).unwrap());
        let context = reply["hookSpecificOutput"]["additionalContext"].as_str();
        said.extend(context.map(|text| text.replace(project.to_str().unwrap(), "/srv/shop")));
    }
    said
}

/// How the sentences about the failures of a history end: with the beginning of the fine signature.
fn tags(history: &Path) -> Vec<String> {
    let history = fs::read_to_string(history).unwrap_or_default();
    let events = history.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let fine = |event: Value| event["signature"]["fine"].as_str().map(|fine| format!(" {}]", &fine[..4]));
    events.filter_map(fine).collect()
}

/// `UPDATE=1` writes what is said now into the pages.
#[test]
fn every_case_is_answered_as_its_page_says() {
    check("advice", |case: &Case| Case { says: heard(case), ..case.clone() });
}

#[test]
fn every_kind_of_sentence_has_a_page_with_cases_and_near_misses() {
    let mut named: Vec<String> = Vec::new();
    for page in pages("advice") {
        let (name, [fires, silent]) = (page.name(), page.cases());
        assert!(!fires.is_empty() && !silent.is_empty(), "{name}: a case that fires and a near miss");
        let says = |fence: &str| !serde_json::from_str::<Case>(fence).unwrap().says.is_empty();
        assert!(fires.into_iter().all(says), "{name}: a case that fires says nothing");
        named.push(name.replace('-', "_"));
    }
    let schema = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/history.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut topics: Vec<&str> =
        schema["properties"]["topic"]["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    // Only a plan tree has a plan to drift from or to contradict: `tests/golden/sessions/a-plan-tree.json`.
    topics.retain(|topic| !matches!(*topic, "drift" | "constraint"));
    // What is said at the end of a turn is about no one failure.
    topics.extend(["stale", "unnamed"]);
    topics.sort_unstable();
    assert_eq!(named, topics);
}
