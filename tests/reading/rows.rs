//! Every row of the recognisers was met, not imagined: a case of a page or a capture holds a line that it matches.
//! `cargo test --test reading rows -- --nocapture` lists the rows that nothing here meets.

#![cfg(feature = "cli")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads the repository's captures; a broken one ends it"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use failwise::host::labelled::payload_of;
use failwise::host::payload::{self, PayloadKind};
use failwise::model::ToolCall;
use failwise::reading::{rows, rows_met};
use failwise::score::Labelled;
use failwise::score::pages::{self, PAGES, cases, readings};
use serde_json::{Value, json};

/// How many rows nothing in the repository meets. The number may only fall: whoever adds a row adds its case.
const UNMET: usize = 317;

#[test]
fn a_row_has_a_case_or_a_capture() {
    let mut met = BTreeSet::new();
    pages_of_readings(&mut met);
    pages_of_rules(&mut met);
    captures(&mut met);
    pairs(&mut met);
    goldens(&mut met);
    let unmet: Vec<_> = rows().filter(|row| !met.contains(&row.number)).collect();
    for row in &unmet {
        println!("{}: {}", row.tool, row.pattern);
    }
    println!("{} of {} rows are met by nothing here", unmet.len(), rows().count());
    assert!(
        unmet.len() <= UNMET,
        "{} rows without a case, {UNMET} before: give each new row a case in rules/readings/, \
         `cargo test --test reading rows -- --nocapture` lists them",
        unmet.len()
    );
    assert_eq!(unmet.len(), UNMET, "fewer than before: lower UNMET to hold what was reached");
}

/// The numbers of the rows that were met.
type Met = BTreeSet<usize>;

fn pages_of_readings(met: &mut Met) {
    for page in PAGES.iter().filter(|page| page.kind == pages::PageKind::Reading) {
        for case in cases(page.text).unwrap() {
            met.extend(rows_met(&readings::call(&case.json)));
        }
    }
}

/// Cases of rules tell an event; those that tell a text are read as the call that it came from.
fn pages_of_rules(met: &mut Met) {
    for page in PAGES.iter().filter(|page| page.kind == pages::PageKind::Class) {
        for case in cases(page.text).unwrap() {
            let event = &case.json["event"];
            if let Some(text) = event["text"].as_str() {
                let tool = event["tool"].as_str().unwrap_or("Bash");
                meet(met, &failure(tool, event["operation"].as_str().unwrap_or("make check"), text));
            }
        }
    }
}

fn captures(met: &mut Met) {
    for line in lines("tests/corpus") {
        meet(met, &payload_of(&Labelled::parse(line.as_bytes()).unwrap()));
    }
}

/// Pairs of failures; the pairs of a failure and its pass have no sides.
fn pairs(met: &mut Met) {
    for line in lines("tests/pairs") {
        let pair: Value = serde_json::from_str(&line).unwrap();
        for side in [&pair["a"], &pair["b"]].into_iter().filter(|side| side.is_object()) {
            let text = |key: &str| side[key].as_str().unwrap();
            meet(met, &failure(text("tool_name"), text("input"), text("error_text")));
        }
    }
}

/// Payloads stand in golden cases alone and as the steps of a session.
fn goldens(met: &mut Met) {
    for folder in ["host", "sessions"] {
        for path in files(&format!("tests/golden/{folder}"), "json") {
            let case: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            let steps = case["steps"].as_array().into_iter().flatten().map(|step| &step["stdin"]);
            steps
                .chain([&case["payload"]])
                .filter(|payload| payload.is_object())
                .for_each(|payload| meet(met, payload));
        }
    }
}

fn failure(tool: &str, input: &str, text: &str) -> Value {
    let key = if tool == "Bash" { "command" } else { "file_path" };
    json!({"hook_event_name": "PostToolUseFailure", "session_id": "rows", "cwd": "/home/dev/project", "tool_name": tool,
        "tool_use_id": "call", "tool_input": { key: input }, "error": text})
}

fn meet(met: &mut Met, payload: &Value) {
    let bytes = payload.to_string();
    let payload = payload::parse(bytes.as_bytes()).unwrap();
    met.extend(calls(&payload.kind).iter().flat_map(rows_met));
}

fn calls<'c>(kind: &'c PayloadKind<'c>) -> &'c [ToolCall<'c>] {
    match kind {
        PayloadKind::Call(call)
        | PayloadKind::Report(call)
        | PayloadKind::ApiError(call)
        | PayloadKind::Background { call, .. } => std::slice::from_ref(call),
        PayloadKind::Batch(calls) => calls,
        _ => &[],
    }
}

fn lines(folder: &str) -> Vec<String> {
    let texts = files(folder, "jsonl").into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}
