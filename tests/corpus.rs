//! Captures of real tools under `tests/corpus/`, judged by the path that the hook takes, against labels that people gave.
//! `tests/corpus/make.py` makes them; `written.jsonl` is written by hand, in the shape of tools that no package ships. `cargo test --test corpus -- --nocapture` prints the figures.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads its captures; a broken one ends it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use failwise::classify::{Answer, DEFAULT};
use failwise::history::State;
use failwise::host::payload::{self, Kind};
use failwise::model::PlanFacts;
use failwise::observe::{Scene, decide, observe};
use serde::Deserialize;
use serde_json::json;

/// A capture and its label: the form that `failwise rules score` reads.
#[derive(Deserialize)]
struct Row {
    id: String,
    tool: String,
    input: String,
    error_text: String,
    /// Whether the client marked it as an error.
    marked_failed: bool,
    /// F1, F2 (failed or masked), NOTFAIL (the status is an answer), OK.
    class_single: String,
    root_cause: Option<String>,
    /// The object that the episode is about.
    object: Option<String>,
}

/// What was given: outcome, class, category, primary object.
#[derive(Debug, PartialEq, Eq)]
struct Given {
    outcome: &'static str,
    class: Option<&'static str>,
    category: &'static str,
    object: Option<String>,
}

/// Rows that are judged otherwise than their label, each with the reason why that stays.
const ACCEPTED: &[(&str, &str)] = &[
    ("kotlinc-import", "the compiler says the same of any name that it does not know"),
    ("py-subprocess-nf", "a program that is missing reads like a file that is missing"),
    ("pt-ini", "the option stands in the settings, which only the line below tells"),
    ("g-fmt", "a list of names says nothing of what made it"),
    ("d-hugo-none", "the generator failed; its words for a missing file come second"),
    ("d-redis-type", "the client's answer is too short to be looked for"),
    ("d-pydset", "only the program knows that its model holds settings"),
    ("e-esp", "the tool names a module and means its own environment"),
    ("cargo-cmd", "cargo's subcommands are programs that may be missing"),
    ("rustup-tool", "a toolchain is installed like a package"),
    ("mypy-stub", "the missing package stands first and may explain the rest"),
    ("mypy-stub|or", "the missing package stands first and may explain the rest"),
    ("elixir-script", "the compiler speaks of inline code as of a file"),
    ("pip-503", "pip does not say what the index answered"),
    ("pip-429", "pip does not say what the index answered"),
    ("oxlint|true", "the text of denied warnings is that of allowed ones"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

fn rows() -> Vec<Row> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let text: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn given(row: &Row) -> Given {
    let mut payload = json!({"session_id": row.id, "cwd": "/home/dev/project", "tool_name": "Bash", "tool_use_id": row.id,
        "tool_input": {"command": row.input}});
    let more = if row.marked_failed {
        json!({"hook_event_name": "PostToolUseFailure", "error": row.error_text})
    } else {
        json!({"hook_event_name": "PostToolUse",
            "tool_response": {"stdout": row.error_text, "stderr": "", "interrupted": false, "isImage": false}})
    };
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let bytes = payload.to_string();
    let payload = payload::parse(bytes.as_bytes()).unwrap();
    let Kind::Call(call) = &payload.kind else { panic!("{} is no call", row.id) };
    let scene =
        Scene { node: "main", ts: "2030-01-01T00:00:00Z", worktree: None, red_phase: false, expected_failures: &[] };
    let event = observe(call, &scene).event;
    let reading = event.reading.clone().unwrap();
    let decided = decide(&event, &PlanFacts::default(), &State::default(), &[], &DEFAULT);
    let class = decided.and_then(|decided| match decided.answer {
        Answer::Verdict(verdict) => Some(verdict.class.as_str()),
        Answer::NotFailure(_) => None,
    });
    Given {
        outcome: event.outcome.unwrap().as_str(),
        class,
        category: reading.category.as_str(),
        object: reading.primary_object().map(|object| object.name.clone()),
    }
}

/// What the label demands: outcome, class, and the category of what failed.
fn wanted(row: &Row) -> (&'static str, Option<&str>, Option<&str>) {
    match (row.class_single.as_str(), row.marked_failed) {
        ("OK", _) => ("succeeded", None, None),
        ("NOTFAIL", _) => ("benign_non_zero", None, None),
        (class, true) => ("failed", Some(class), row.root_cause.as_deref()),
        (class, false) => ("masked_failure", Some(class), row.root_cause.as_deref()),
    }
}

#[derive(Default)]
struct Share(u32, u32);

impl Share {
    fn count(&mut self, right: bool) {
        self.0 += u32::from(right);
        self.1 += 1;
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

#[test]
fn captures_are_judged_as_people_labelled_them() {
    let rows = rows();
    let accepted: BTreeMap<&str, &str> = ACCEPTED.iter().copied().collect();
    let (mut outcome, mut class, mut category, mut object) =
        (Share::default(), Share::default(), Share::default(), Share::default());
    let mut kinds: BTreeMap<&str, Share> = BTreeMap::new();
    let (mut wrong, mut mended) = (Vec::new(), Vec::new());
    for row in &rows {
        let given = given(row);
        let (o, c, k) = wanted(row);
        let right_object = row.object.as_ref().is_none_or(|wanted| given.object.as_ref() == Some(wanted));
        outcome.count(given.outcome == o);
        class.count(given.class == c);
        if let Some(k) = k {
            category.count(given.category == k);
        }
        if row.object.is_some() {
            object.count(right_object);
        }
        kinds.entry(o).or_default().count(given.outcome == o);
        let right = given.outcome == o && given.class == c && k.is_none_or(|k| given.category == k) && right_object;
        match (right, accepted.contains_key(row.id.as_str())) {
            (false, false) => {
                let excerpt: String = row.error_text.chars().take(1200).collect();
                wrong.push(format!(
                    "{} ($ {})\n  wanted {o} {c:?} {k:?} {:?}\n  given {given:?}\n{excerpt}\n",
                    row.id, row.input, row.object
                ));
            }
            (true, true) => mended.push(row.id.clone()),
            _ => {}
        }
    }
    let tools: BTreeSet<&str> = rows.iter().map(|row| row.tool.as_str()).collect();
    println!(
        "{} captures of {} tools: outcome {outcome}, class {class}, category {category}, object {object}",
        rows.len(),
        tools.len()
    );
    for (kind, share) in &kinds {
        println!("  {kind}: {share}");
    }
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
    assert!(mended.is_empty(), "now right, take them off the list: {mended:?}");
}
