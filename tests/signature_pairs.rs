//! Pairs of failures under `tests/pairs/`, signed by the path that the hook takes, against labels that people gave.
//! `cargo test --test signature_pairs -- --nocapture` prints the figures, `PAIRS=development` the wrong pairs of a file.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads its pairs; a broken one ends it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::path::Path;

use failwise::engine::{Scene, observe};
use failwise::host::payload::{self, Kind};
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

/// Signs a side as the hook does, and says what the reading saw.
fn signed(side: &Side) -> (Signature, String) {
    let input = match side.tool_name.as_str() {
        "Bash" => json!({"command": side.input}),
        _ => json!({"file_path": side.input}),
    };
    let payload = json!({"hook_event_name": "PostToolUseFailure", "session_id": "pairs", "cwd": "/home/dev/project",
        "tool_name": side.tool_name, "tool_use_id": "pair", "tool_input": input, "error": side.error_text});
    let payload = payload.to_string();
    let payload = payload::parse(payload.as_bytes()).unwrap();
    let Kind::Call(call) = &payload.kind else { panic!("{} is no call", side.input) };
    let scene =
        Scene { node: "main", ts: "2030-01-01T00:00:00Z", worktree: None, red_phase: false, expected_failures: &[] };
    let event = observe(call, &scene);
    let execution = event.execution().unwrap();
    let saw = serde_json::to_string(&execution.reading).unwrap();
    let signature = execution.signature.clone().unwrap_or_else(|| panic!("no failure: {}", side.error_text));
    (signature, saw)
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

/// Scores a file of pairs: fine, coarse, and the figures to print.
fn scored(name: &str) -> (Score, Score, String) {
    let mut told = String::new();
    let (mut fine, mut coarse) = (Score::default(), Score::default());
    let mut kinds: BTreeMap<String, (Score, Score)> = BTreeMap::new();
    let shows = std::env::var("PAIRS").is_ok_and(|shown| name.starts_with(&shown));
    for pair in pairs(name) {
        let ((a, saw_a), (b, saw_b)) = (signed(&pair.a), signed(&pair.b));
        let (is_fine, is_coarse) = (a.fine == b.fine, a.coarse == b.coarse);
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
    writeln!(told, "{name}\n  fine   {fine}\n  coarse {coarse}").unwrap();
    for (kind, (fine, coarse)) in kinds {
        writeln!(told, "    {kind:18} fine {fine}; coarse {coarse}").unwrap();
    }
    (fine, coarse, told)
}

#[test]
fn failures_are_told_apart_as_people_do() {
    let scores = ["development.jsonl", "held-out.jsonl"].map(|name| (name, scored(name)));
    for (name, (fine, coarse, told)) in scores {
        println!("{told}");
        assert!(fine.precision() >= 0.90 && fine.recall() >= 0.85, "{name}, fine: {fine}");
        assert!(coarse.precision() >= 0.98 && coarse.recall() >= 0.80, "{name}, coarse: {coarse}");
    }
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
