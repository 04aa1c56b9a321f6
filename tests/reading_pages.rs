//! Every page under `rules/readings` holds cases; every case is judged as the page says.

#![expect(clippy::disallowed_methods, reason = "the test reads pages and the names of the tables")]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use failwise::model::{Ids, Outcome, Phase, Reading, Reported, Status, Tool, ToolCall, ToolInput, ToolKind};
use failwise::reading::{Judgement, judge};
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(ending).map(str::to_owned))
        .collect()
}

struct Case {
    page: String,
    fires: bool,
    json: Value,
}

/// The fenced JSON blocks of a page, each under the heading it stands below.
fn cases(page: &str, text: &str) -> Vec<Case> {
    let mut found = Vec::new();
    let (mut heading, mut block): (&str, Option<String>) = ("", None);
    for line in text.lines() {
        match (&mut block, line) {
            (None, "```json") => block = Some(String::new()),
            (Some(json), "```") => {
                let json = serde_json::from_str(json).unwrap_or_else(|e| panic!("{page}: {e}: {json}"));
                assert!(matches!(heading, "Fires" | "Stays silent"), "{page}: a case stands under `{heading}`");
                found.push(Case { page: page.to_owned(), fires: heading == "Fires", json });
                block = None;
            }
            (Some(json), line) => {
                json.push_str(line);
                json.push('\n');
            }
            (None, line) => heading = line.strip_prefix("## ").unwrap_or(heading),
        }
    }
    found
}

fn call(json: &Value) -> ToolCall<'_> {
    let text = |key: &str| json[key].as_str();
    let tool = Tool::named(text("tool").unwrap_or("Bash"));
    let input = match tool.kind {
        ToolKind::Shell => {
            ToolInput::Command { command: Cow::Borrowed(text("command").unwrap_or("")), background: false }
        }
        ToolKind::Read | ToolKind::Edit | ToolKind::Write => {
            ToolInput::File { path: Cow::Borrowed(text("path").unwrap_or("")) }
        }
        _ => ToolInput::Other { summary: text("summary").unwrap_or("").to_owned() },
    };
    let status = match text("status") {
        Some("succeeded") => Status::Succeeded,
        Some("refused") => Status::Refused,
        _ => Status::Failed,
    };
    ToolCall {
        tool,
        input,
        ids: Ids::default(),
        cwd: None,
        phase: Phase::Call,
        status,
        exit_code: json["exit"].as_i64().and_then(|code| i32::try_from(code).ok()),
        text: Cow::Borrowed(text("text").unwrap_or("")),
        timed_out_after_ms: json["timed_out_ms"].as_u64(),
        truncated: false,
        background_task: None,
        exit_meaning: None,
        reported: Reported::default(),
    }
}

/// What of the judgement differs from what the page expects.
fn differences(expect: &Value, judgement: &Judgement) -> Vec<String> {
    let Judgement { outcome, reading, .. } = judgement;
    let all = expect.as_object().unwrap();
    all.iter()
        .filter_map(|(key, wanted)| {
            let found = field(key, *outcome, reading);
            (found != *wanted).then(|| format!("{key}: expected {wanted}, found {found}"))
        })
        .collect()
}

fn field(key: &str, outcome: Outcome, reading: &Reading) -> Value {
    match key {
        "outcome" => outcome.as_str().into(),
        "category" => reading.category.as_str().into(),
        "runner" => reading.runner.clone().into(),
        "result" => serde_json::to_value(reading.result).unwrap(),
        "proof" => serde_json::to_value(reading.proof).unwrap(),
        "line" => reading.line.clone().into(),
        "file" => reading.files.first().cloned().into(),
        "object" => reading.primary_object().map(|o| o.name.clone()).into(),
        "kind" => serde_json::to_value(reading.primary_object().map(|o| o.kind)).unwrap(),
        "objects" => reading.objects.iter().map(|o| o.name.clone()).collect::<Vec<_>>().into(),
        "passed" => reading.passed.clone().into(),
        "transient" => reading.transient.as_ref().map(|t| t.hint.clone()).into(),
        "retry_after_ms" => reading.transient.as_ref().and_then(|t| t.retry_after_ms).into(),
        other => panic!("no field `{other}`"),
    }
}

/// A case that fires is a failure with a category or a hint; one that stays silent is none, or expects no hint.
fn is_in_its_place(case: &Case) -> bool {
    let expect = &case.json["expect"];
    let outcome = expect["outcome"].as_str().unwrap_or("");
    if case.fires {
        matches!(outcome, "failed" | "masked_failure" | "benign_non_zero" | "denied")
    } else {
        !outcome.is_empty()
    }
}

#[test]
fn every_family_has_its_page() {
    let tables: BTreeSet<String> = names(&root().join("src/reading/tables"), ".rs")
        .into_iter()
        .filter(|n| n != "mod")
        .map(|n| n.replace('_', "-"))
        .collect();
    let pages = names(&root().join("rules/readings"), ".md");
    assert_eq!(tables.difference(&pages).collect::<Vec<_>>(), Vec::<&String>::new(), "families without a page");
}

#[test]
fn every_case_is_judged_as_its_page_says() {
    let folder = root().join("rules/readings");
    let mut wrong = Vec::new();
    for page in names(&folder, ".md") {
        let text = std::fs::read_to_string(folder.join(format!("{page}.md"))).unwrap();
        assert!(
            text.lines().nth(2).is_some_and(|sentence| sentence.ends_with('.')),
            "{page}: one sentence below the title"
        );
        let cases = cases(&page, &text);
        for fires in [true, false] {
            assert!(
                cases.iter().filter(|c| c.fires == fires).count() >= 2,
                "{page}: two cases that fire, two that stay silent"
            );
        }
        for case in &cases {
            assert!(
                is_in_its_place(case),
                "{}: expects too little, or stands in the wrong half: {}",
                case.page,
                case.json
            );
            let differences = differences(&case.json["expect"], &judge(&call(&case.json), false));
            if !differences.is_empty() {
                wrong.push(format!("{}: {}\n  {}", case.page, case.json["command"], differences.join("\n  ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}
