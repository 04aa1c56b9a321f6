//! Pairs of failures under `tests/pairs/`, signed by the path that the hook takes, against labels that people gave.
//! `cargo test --test reading signature_pairs -- --nocapture` prints the figures, `PAIRS=development` the wrong pairs of a file.
//! Pairs of real failures are of third parties and no part of the project: where the folder that `FAILWISE_DATA` names
//! holds `pairs-tune.jsonl`, they are measured too.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads its pairs; a broken one ends it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::path::Path;

use crate::data_folder::data_folder;
use failwise::engine::{Scene, observe};
use failwise::host::payload::{self, PayloadKind};
use failwise::model::Signature;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: String,
    fine_same: bool,
    coarse_same: bool,
    kind: String,
    why: String,
    a: Side,
    b: Side,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Side {
    tool_name: String,
    /// A shell's command, or the path of a file tool.
    input: String,
    error_text: String,
}

/// A pair of real failures, as `pairs-tune.jsonl` holds it.
#[derive(Deserialize)]
struct RealPair {
    a: String,
    b: String,
    verdict: String,
    same_kind: bool,
    a_tool_name: String,
    a_input: String,
    a_error_text: String,
    b_tool_name: String,
    b_input: String,
    b_error_text: String,
}

impl RealPair {
    fn into_pair(self) -> Pair {
        let kind = self.kind().to_owned();
        Pair {
            id: format!("{} {}", self.a, self.b),
            fine_same: self.verdict == "same",
            coarse_same: self.same_kind,
            kind,
            why: self.a_input.chars().take(60).collect(),
            a: Side { tool_name: self.a_tool_name, input: self.a_input, error_text: self.a_error_text },
            b: Side { tool_name: self.b_tool_name, input: self.b_input, error_text: self.b_error_text },
        }
    }

    /// Where the calls came from: other agents write their tools small, Windows shows in its shell and its drives.
    fn kind(&self) -> &'static str {
        let sides = [(&self.a_tool_name, &self.a_error_text), (&self.b_tool_name, &self.b_error_text)];
        let is_windows = |(tool, text): &(&String, &String)| *tool == "PowerShell" || text.contains(":\\");
        let is_small = |(tool, _): &(&String, &String)| {
            tool.starts_with(|c: char| c.is_ascii_lowercase()) && !tool.starts_with("mcp__")
        };
        match () {
            () if sides.iter().any(is_windows) => "windows",
            () if sides.iter().any(is_small) => "other agents",
            () => "claude code",
        }
    }
}

/// Signs a side as the hook does, and says what the reading saw.
fn signed(side: &Side) -> (Signature, String) {
    let input = match side.tool_name.to_ascii_lowercase().as_str() {
        "read" | "edit" | "write" | "multiedit" => json!({"file_path": side.input}),
        "grep" | "glob" => json!({"pattern": side.input}),
        _ => json!({"command": side.input}),
    };
    let payload = json!({"hook_event_name": "PostToolUseFailure", "session_id": "pairs", "cwd": "/home/dev/project",
        "tool_name": side.tool_name, "tool_use_id": "pair", "tool_input": input, "error": side.error_text});
    let payload = payload.to_string();
    let payload = payload::parse(payload.as_bytes()).unwrap();
    let PayloadKind::Call(call) = &payload.kind else { panic!("{} is no call", side.input) };
    let scene =
        Scene { node: "main", ts: "2030-01-01T00:00:00Z", worktree: None, red_phase: false, expected_failures: &[] };
    let event = observe(call, &scene);
    let execution = event.execution().unwrap();
    let saw = serde_json::to_string(&execution.reading).unwrap();
    (execution.signature.clone().unwrap_or_else(Signature::none), saw)
}

fn pairs(name: &str) -> Vec<Pair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How often "the same" was said rightly, wrongly, and not said wrongly.
#[derive(Default, Clone, Copy)]
struct Score {
    right: u32,
    merged: u32,
    split: u32,
    apart: u32,
}

impl Score {
    fn count(&mut self, wanted: bool, given: bool) {
        match (wanted, given) {
            (true, true) => self.right += 1,
            (false, true) => self.merged += 1,
            (true, false) => self.split += 1,
            (false, false) => self.apart += 1,
        }
    }

    fn precision(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.merged).max(1))
    }

    fn recall(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.split).max(1))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { right, merged, split, apart } = self;
        let (precision, recall) = (self.precision(), self.recall());
        write!(f, "P {precision:.3} R {recall:.3} (same {right}, merged {merged}, split {split}, apart {apart})")
    }
}

/// Scores the pairs of a file: fine, coarse, how many pairs are of no failure, and the figures to print.
fn scored(name: &str, pairs: Vec<Pair>) -> (Score, Score, usize, String) {
    let mut told = String::new();
    let (mut fine, mut coarse) = (Score::default(), Score::default());
    let mut unsigned = 0;
    let mut kinds: BTreeMap<String, (Score, Score)> = BTreeMap::new();
    let shows = std::env::var("PAIRS").is_ok_and(|shown| name.starts_with(&shown));
    for pair in pairs {
        let ((a, saw_a), (b, saw_b)) = (signed(&pair.a), signed(&pair.b));
        // What did not fail (refused, cancelled, answered) has no signature that could be the same.
        if a == Signature::none() && b == Signature::none() {
            unsigned += 1;
            continue;
        }
        let is_vague = a.vague || b.vague;
        let (is_fine, is_coarse) = (a.fine == b.fine && !is_vague, a.coarse == b.coarse);
        fine.count(pair.fine_same, is_fine);
        coarse.count(pair.coarse_same, is_coarse);
        let kind = kinds.entry(pair.kind.clone()).or_default();
        kind.0.count(pair.fine_same, is_fine);
        kind.1.count(pair.coarse_same, is_coarse);
        if shows && (is_fine, is_coarse) != (pair.fine_same, pair.coarse_same) {
            let wanted = (pair.fine_same, pair.coarse_same);
            let given = (is_fine, is_coarse);
            let Pair { id, why, .. } = &pair;
            writeln!(told, "{id} ({why}): wanted {wanted:?}, given {given:?}\n  {saw_a}\n  {saw_b}").unwrap();
        }
    }
    writeln!(told, "{name}\n  fine   {fine}\n  coarse {coarse}\n  no failures: {unsigned}").unwrap();
    for (kind, (fine, coarse)) in kinds {
        writeln!(told, "    {kind:18} fine {fine}; coarse {coarse}").unwrap();
    }
    (fine, coarse, unsigned, told)
}

#[test]
fn failures_are_told_apart_as_people_do() {
    let scores = ["development.jsonl", "held-out.jsonl"].map(|name| (name, scored(name, pairs(name))));
    for (name, (fine, coarse, unsigned, told)) in scores {
        println!("{told}");
        assert_eq!(unsigned, 0, "{name} holds calls that did not fail");
        assert!(fine.precision() >= 0.90 && fine.recall() >= 0.85, "{name}, fine: {fine}");
        assert!(coarse.precision() >= 0.98 && coarse.recall() >= 0.80, "{name}, coarse: {coarse}");
    }
}

#[test]
fn real_failures_are_told_apart_as_people_do() {
    let path = data_folder().map(|folder| folder.join("pairs-tune.jsonl")).filter(|path| path.is_file());
    let Some(text) = path.map(|path| std::fs::read_to_string(path).unwrap()) else { return };
    let pairs = text.lines().map(|line| serde_json::from_str::<RealPair>(line).unwrap().into_pair()).collect();
    let (fine, coarse, _, told) = scored("pairs-tune.jsonl", pairs);
    println!("{told}");
    assert!(fine.precision() >= 0.90 && fine.recall() >= 0.80, "fine: {fine}");
    assert!(coarse.precision() >= 0.90, "coarse: {coarse}");
}

#[test]
fn pairs_are_labelled_completely_and_once() {
    let all: Vec<Pair> = ["development.jsonl", "held-out.jsonl"].into_iter().flat_map(pairs).collect();
    let ids: BTreeSet<&str> = all.iter().map(|pair| pair.id.as_str()).collect();
    assert_eq!(ids.len(), all.len());
    assert!(all.iter().filter(|pair| !pair.fine_same).count() >= 100);
    let kinds = ["equal-when-masked", "near", "cross-tool", "coarse-only"];
    for pair in &all {
        assert!(kinds.contains(&pair.kind.as_str()) && !pair.why.is_empty(), "{}", pair.id);
        assert!(pair.coarse_same || !pair.fine_same, "{}: the same failure is of the same kind", pair.id);
    }
}
