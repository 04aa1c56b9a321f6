//! The page of the arbitration policy: its table equals the code's, and its cases are decided as they say.

#![expect(clippy::disallowed_methods, reason = "reads the page, and writes its table where it is told to")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::PathBuf;

use failwise::conflicts::policy::{Compatibility, Dispute, NodeStanding, PolicyRow, ROWS, arbitrate};
use failwise::conflicts::{ArbitrationDecision, Layer};
use serde_json::Value;

const BEGIN: &str = "<!-- rows:begin -->\n";
const END: &str = "<!-- rows:end -->";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("rules/workflow/conflict-arbitration-policy.md")
}

fn page() -> String {
    fs::read_to_string(path()).unwrap()
}

fn words<T: Copy>(asked: &[T], word: fn(T) -> &'static str) -> String {
    asked.iter().map(|asked| word(*asked)).collect::<Vec<_>>().join(", ")
}

fn flag(asked: Option<bool>) -> &'static str {
    asked.map_or("", |asked| if asked { "yes" } else { "no" })
}

fn line(row: &PolicyRow) -> String {
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        row.name,
        row.limit.map_or("", |limit| limit.as_str()),
        words(row.layers, Layer::as_str),
        words(row.proposed, NodeStanding::as_str),
        words(row.blocker, NodeStanding::as_str),
        words(row.compatibility, Compatibility::as_str),
        flag(row.reorder),
        flag(row.budget),
        row.decision,
        if row.automatic { "arbiter" } else { "person" },
        row.reason,
    )
}

/// `UPDATE=1` writes the table into the page.
#[test]
fn the_page_shows_the_rows_of_the_code() {
    let head = "| row | limit | layer | proposed | blocker | fit | reorder | budget | decision | who | why |\n\
                | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    let table = head.to_owned() + &ROWS.iter().map(line).collect::<String>();
    let page = page();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path(), format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(shown, table);
}

#[test]
fn the_page_tells_what_each_decision_does() {
    let page = page();
    let (_, effects) = page.split_once("What a decision does:").unwrap();
    let (effects, _) = effects.split_once("\n## ").unwrap();
    for decision in ArbitrationDecision::ALL {
        let row = effects.lines().find(|line| line.starts_with(&format!("| {decision} |")));
        let row = row.unwrap_or_else(|| panic!("{decision} is not told"));
        assert_eq!(row.ends_with("| ends |"), decision.ends_the_conflict(), "{row}");
        assert_eq!(row.contains("frozen, "), decision.holds_the_proposed(), "{row}");
    }
}

#[test]
fn the_cases_are_decided_as_the_page_says() {
    let page = page();
    let cases: Vec<Value> = page
        .split("```json\n")
        .skip(1)
        .map(|case| serde_json::from_str(case.split_once("\n```").unwrap().0).unwrap())
        .collect();
    let mut decisions: Vec<String> = Vec::new();
    for case in &cases {
        let row = arbitrate(&dispute(case));
        let who = if row.automatic { "arbiter" } else { "person" };
        assert_eq!(case["is"], serde_json::json!([row.decision.as_str(), who]), "{case} was decided by {}", row.name);
        decisions.push(row.decision.as_str().to_owned());
    }
    for decision in ArbitrationDecision::ALL {
        assert!(decisions.iter().any(|met| met == decision.as_str()), "no case shows {decision}");
    }
}

fn dispute(case: &Value) -> Dispute {
    fn named<T: Copy>(all: &[T], word: fn(T) -> &'static str, wanted: &Value) -> T {
        *all.iter().find(|one| word(**one) == wanted).unwrap_or_else(|| panic!("{wanted} is no word of the table"))
    }
    Dispute {
        layer: named(&Layer::ALL, Layer::as_str, &case["layer"]),
        confidence: case["confidence"].as_f64().unwrap(),
        arbitrations: u32::try_from(case["arbitrations"].as_u64().unwrap()).unwrap(),
        only_arbitrations: false,
        proposed: named(&NodeStanding::ALL, NodeStanding::as_str, &case["proposed"]),
        blocker: named(&NodeStanding::ALL, NodeStanding::as_str, &case["blocker"]),
        compatibility: named(&Compatibility::ALL, Compatibility::as_str, &case["fit"]),
        reorder: case["reorder"] == true,
        budget: case["budget"] == true,
    }
}
