//! Ends and costs of episodes, against those of a reader, where the sessions are there: `FAILWISE_DATA`, else
//! `../shared/data`. `cargo test --test commands episodes -- --nocapture` prints the figures.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "starts the executable and reads the labels")]

use std::collections::HashMap;
use std::process::Command;

use serde_json::Value;

use crate::data_folder::data_folder;

/// How many of the 60 by lot are told right; these may only rise.
const OVER_OR_NOT: usize = 59;
const ENDS: usize = 57;
const TURNS: usize = 55;

#[test]
fn episodes_end_where_a_reader_says() {
    let Some(analysis) = replayed() else { return };
    let episodes = by_call(&analysis);
    let labels = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/episodes/ends.jsonl")).unwrap();
    let (mut rows, mut over, mut ends, mut turns) = (0, 0, 0, 0);
    for label in labels.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if !label["sets"].as_array().unwrap().contains(&"lot".into()) {
            continue;
        }
        rows += 1;
        let Some(told) = episodes.get(label["first"].as_str().unwrap()) else { continue };
        let says = |value: &Value, words: &[&str]| words.contains(&value["ended"].as_str().unwrap_or_default());
        let passed = says(&label, &["passed", "replaced"]);
        let agrees = says(told, &["fixed_by_edit", "fixed_by_shell", "by_itself", "replaced"]) == passed;
        let end = &told["end"]["tool_use_id"];
        let doubt = label["end_doubt"].as_array().is_some_and(|doubt| doubt.contains(end));
        over += usize::from(agrees);
        ends += usize::from(agrees && (!passed || *end == label["end"] || doubt));
        // An end that a reader could defend has its own turns.
        let defended = end.as_str().map_or(&Value::Null, |end| &label["doubt_turns"][end]);
        let theirs = if defended.is_null() { &label["turns"] } else { defended };
        let (mine, theirs) = (told["turns"].as_f64().unwrap(), theirs.as_f64().unwrap());
        turns += usize::from((mine - theirs).abs() <= 0.2 * theirs);
    }
    println!("of {rows} by lot: over or not {over}, the call that ended it {ends}, turns within a fifth {turns}");
    assert_eq!(rows, 60);
    assert!(over >= OVER_OR_NOT && ends >= ENDS && turns >= TURNS, "{over}, {ends}, {turns}");
}

#[test]
fn what_failures_cost_never_exceeds_the_session() {
    let Some(analysis) = replayed() else { return };
    let mut booked: HashMap<&str, u64> = HashMap::new();
    for episode in analysis["episodes"].as_array().unwrap() {
        *booked.entry(episode["session"].as_str().unwrap()).or_default() +=
            episode["booked"]["turns"].as_u64().unwrap();
    }
    for session in analysis["sessions"].as_array().unwrap() {
        let own = booked.get(session["id"].as_str().unwrap()).copied().unwrap_or_default();
        assert_eq!(session["turns_in_failure"].as_u64().unwrap(), own, "{session}");
        for (part, all) in [("turns_in_failure", "turns"), ("wall_ms_in_failure", "wall_ms")] {
            assert!(session[part].as_u64() <= session[all].as_u64(), "{part}: {session}");
        }
    }
}

fn by_call(analysis: &Value) -> HashMap<&str, &Value> {
    let episodes = analysis["episodes"].as_array().unwrap().iter();
    let mut by_call = HashMap::new();
    for episode in episodes {
        for call in episode["tool_use_ids"].as_array().unwrap() {
            by_call.entry(call.as_str().unwrap()).or_insert(episode);
        }
    }
    by_call
}

fn replayed() -> Option<Value> {
    let sessions = data_folder().map(|data| data.join("sessions")).filter(|folder| folder.is_dir())?;
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["replay", "--format", "json", "--settings", "none"])
        .arg(&sessions)
        .env("FAILWISE_DIR", tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    Some(serde_json::from_slice(&output.stdout).unwrap())
}
