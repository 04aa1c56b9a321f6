//! Ends and costs of episodes, against those of a reader, where the sessions are there: `FAILWISE_DATA`, else
//! `../shared/data`. `cargo test --test commands episodes -- --nocapture` prints the figures.

#![expect(clippy::disallowed_methods, reason = "starts the executable and reads the labels")]

use std::collections::HashMap;
use std::process::Command;

use serde_json::Value;

use crate::data_folder::data_folder;

/// How many of the 60 by lot are told right; these may only rise.
const OVER_OR_NOT: usize = 37;
const TURNS: usize = 29;

#[test]
fn episodes_end_where_a_reader_says() {
    let Some(sessions) = data_folder().map(|data| data.join("sessions")).filter(|folder| folder.is_dir()) else {
        return;
    };
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["replay", "--format", "json", "--settings", "none"])
        .arg(&sessions)
        .env("FAILWISE_DIR", tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    let analysis: Value = serde_json::from_slice(&output.stdout).unwrap();
    let episodes: HashMap<&str, &Value> = analysis["episodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|episode| (episode["tool_use_ids"][0].as_str().unwrap_or_default(), episode))
        .collect();
    let labels = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/episodes/ends.jsonl")).unwrap();
    let (mut rows, mut over, mut turns) = (0, 0, 0);
    for label in labels.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if !label["sets"].as_array().unwrap().contains(&"lot".into()) {
            continue;
        }
        rows += 1;
        let Some(told) = episodes.get(label["first"].as_str().unwrap()) else { continue };
        let says = |value: &Value, words: &[&str]| words.contains(&value["ended"].as_str().unwrap_or_default());
        let is_over = says(told, &["fixed_by_edit", "fixed_by_shell", "by_itself", "replaced"]);
        over += usize::from(is_over == says(&label, &["passed", "replaced"]));
        // Today the answer that holds the end is counted.
        let (mine, theirs) = (told["turns"].as_f64().unwrap(), label["turns_with_end"].as_f64().unwrap());
        turns += usize::from((mine - theirs).abs() <= 0.2 * theirs);
    }
    println!("of {rows} by lot: over or not {over}, turns within a fifth {turns}");
    assert_eq!(rows, 60);
    assert!(over >= OVER_OR_NOT && turns >= TURNS, "over or not {over} of {OVER_OR_NOT}, turns {turns} of {TURNS}");
}
