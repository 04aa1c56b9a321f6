//! `failwise rules score` and `rules test` as commands, and the measurement that the confidence of each rule rests on.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and reads the repository's own files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use failwise::classify::{DEFAULT, RULESETS};
use failwise::model::Confidence;
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Exit code, stdout and stderr.
fn rules(arguments: &[&str]) -> (i32, String, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    let out = command.arg("rules").args(arguments).env_clear().env("HOME", home.path()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = rules(&[arguments, &["--format", "json"]].concat());
    assert_eq!(code, 0, "{error}");
    serde_json::from_str(&out).unwrap()
}

fn corpus() -> String {
    root().join("tests/corpus").to_str().unwrap().to_owned()
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const COMPILE: &str = r#"{"id":"c1","tool_name":"bash","input":"cargo build","error_text":"Exit code 101\nerror[E0425]: cannot find value `rate` in this scope\n --> src/bill.rs:4:9","marked_failed":true,"class_single":"F2","root_cause":"compile_error","note":"n"}"#;
const SEARCH: &str = r#"{"id":"s1","tool":"Bash","input":{"command":"grep -r settle src"},"error_text":"Exit code 1","marked_failed":true,"class_single":"NOTFAIL","root_cause":"no_match"}"#;
const MASKED: &str = r#"{"id":"m1","tool_name":"Bash","input":"cargo test | tail -3","error_text":"test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s","marked_failed":false,"class_single":"F2","root_cause":"test_failure"}"#;
const SUCCESS: &str = r#"{"id":"o1","tool_name":"Bash","input":"cargo test","error_text":"test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s","marked_failed":false,"class_single":"OK"}"#;
const MISLABELLED: &str = r#"{"id":"w1","tool_name":"Bash","input":"cargo build","error_text":"Exit code 101\nerror[E0425]: cannot find value `rate` in this scope","marked_failed":true,"class_single":"F1","root_cause":"network"}"#;

#[test]
fn the_page_and_the_table_hold_what_was_measured() {
    let (code, page, error) = rules(&["score", &corpus(), "--confidence"]);
    assert_eq!(code, 0, "{error}");
    let path = root().join("rules/confidence.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let shown = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(shown, page, "behind the measurement: UPDATE=1 cargo test --test reading score");
    let rows = json(&["score", &corpus(), "--confidence"]);
    let (mut measured, mut wrong) = (0, Vec::new());
    for (rule, row) in DEFAULT.rules.iter().zip(rows.as_array().unwrap()) {
        assert_eq!(row["rule"], rule.id);
        measured += u32::from(row["source"] == "measured");
        let number = u8::try_from(row["confidence_hundredths"].as_u64().unwrap()).unwrap();
        if rule.confidence != Confidence::hundredths(number) {
            wrong.push(format!("{}: the table says {:.2}, measured {number}", rule.id, rule.confidence.value()));
        }
    }
    assert!(measured >= 3, "{rows}");
    assert!(wrong.is_empty(), "core/src/classify/default.rs: {wrong:#?}");
}

#[test]
fn no_rule_is_certain() {
    let most = Confidence::hundredths(99);
    assert!(DEFAULT.rules.iter().all(|rule| rule.confidence <= most));
    assert_eq!(DEFAULT.rules.last().unwrap().confidence, Confidence::hundredths(55));
}

#[test]
fn a_score_counts_each_kind_of_row() {
    let folder = tempfile::tempdir().unwrap();
    let text = [COMPILE, "", SEARCH, MASKED, SUCCESS, MISLABELLED].join("\n");
    let path = file(folder.path(), "calls.jsonl", &text);
    let score = json(&["score", &path, "--errors"]);
    assert_eq!(score["rows"], 5);
    for (field, right, all) in
        [("outcome", 3, 3), ("class", 2, 3), ("category", 1, 2), ("masked", 1, 1), ("false_alarms", 0, 1)]
    {
        assert_eq!((&score[field]["right"], &score[field]["all"]), (&right.into(), &all.into()), "{field}");
    }
    assert_eq!(score["f1_missed"], 1);
    assert_eq!(score["confusion"]["F1"]["F2"], 1);
    assert_eq!(score["errors"][0]["id"], "w1");
    let f2 = &score["classes"]["each"]["F2"];
    assert_eq!((&f2["support"], &f2["given"], &f2["recall"]), (&2.into(), &3.into(), &1.0.into()));
    assert!((score["classes"]["macro_f1"].as_f64().unwrap() - (0.0 + 0.8 + 1.0 + 1.0) / 4.0).abs() < 0.001, "{score}");
    assert_eq!(json(&["score", &path])["errors"], Value::Array(Vec::new()));
    let (_, table, _) = rules(&["score", &path, "--errors"]);
    for words in ["macro", "66.7 %  20.8 to 93.9   (2 of 3)", "w1 wanted F1 network, given failed F2 compile_error"] {
        assert!(table.contains(words), "{words}\n{table}");
    }
}

#[test]
fn both_rulesets_score_the_corpus_and_the_default_is_better() {
    let [default, classic] = ["default", "classic"].map(|ruleset| json(&["score", &corpus(), "--ruleset", ruleset]));
    assert_eq!(RULESETS.len(), 2);
    let macro_f1 = |score: &Value, of: &str| score[of]["macro_f1"].as_f64().unwrap();
    for of in ["classes", "categories"] {
        println!("{of}: default {:.4}, classic {:.4}", macro_f1(&default, of), macro_f1(&classic, of));
        assert!(macro_f1(&default, of) >= macro_f1(&classic, of), "{of}");
    }
    assert_eq!(default["false_alarms"]["right"], 0);
    assert_eq!(classic["masked_category"]["right"], 0, "a status of 0 is never a failure to it");
}

#[test]
fn a_broken_row_is_named_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    for (row, words) in [
        ("{".to_owned(), "EOF"),
        ("[1]".to_owned(), "invalid"),
        (COMPILE.replace("\"F2\"", "\"F9\""), "F9"),
        (COMPILE.replace("compile_error", "typo_error"), "typo_error"),
        (COMPILE.replace("\"marked_failed\":true,", ""), "marked_failed"),
    ] {
        let path = file(folder.path(), "calls.jsonl", &format!("{SUCCESS}\n\n{row}\n{COMPILE}\n"));
        let (code, out, error) = rules(&["score", &path]);
        assert_eq!((code, out.as_str()), (65, ""), "{error}");
        assert!(error.contains("calls.jsonl line 3: ") && error.contains(words), "{error}");
    }
    assert_eq!(rules(&["score", &folder.path().join("none.jsonl").to_string_lossy()]).0, 74);
    assert_eq!(rules(&["score"]).0, 64);
    assert_eq!(rules(&["score", &corpus(), "--ruleset", "none"]).0, 64);
}

#[test]
fn the_cases_of_the_pages_pass_and_a_name_filters_them() {
    let all = json(&["test"]);
    assert_eq!(all["cases"], all["passed"]);
    assert!(all["near_misses"].as_u64() >= Some(100), "{}", all["near_misses"]);
    let one = json(&["test", "readings/rust"]);
    assert_eq!(one["pages"].as_array().unwrap().len(), 1);
    assert!(one["cases"].as_u64() < all["cases"].as_u64());
    let (code, _, error) = rules(&["test", "no-such-page"]);
    assert_eq!(code, 1, "{error}");
    let (code, table, _) = rules(&["test", "classes/transient-failure"]);
    assert_eq!((code, table.lines().count()), (0, 3), "{table}");
}

/// Two sets of own making: orders are told apart by their verb, and numbers are masked; in the second set a user's bare
/// name cannot be told from the text.
#[test]
fn log_lines_are_grouped_by_kind() {
    let folder = tempfile::tempdir().unwrap();
    let head = "LineId,Level,Content,EventId,EventTemplate\n";
    let orders = "1,INFO,order 71 paid in 12 ms,E1,order <*> paid in <*> ms\n2,INFO,order 72 paid in 9 ms,E1,t\n\
                  3,WARN,\"order 73, late\",E2,t\n4,WARN,\"order 74, late\",E2,t\n";
    let logins = "1,INFO,login of alice,E1,t\n2,INFO,login of bob,E1,t\n3,INFO,bye,E2,t\n";
    fs::create_dir(folder.path().join("Logins")).unwrap();
    file(&folder.path().join("Logins"), "Logins_2k.log_structured.csv", &format!("{head}{logins}"));
    file(folder.path(), "Orders_2k.log_structured.csv", &format!("{head}{orders}"));
    file(folder.path(), "Orders_2k.log_templates.csv", "EventId\n");
    let path = folder.path().to_str().unwrap().to_owned();
    let score = json(&["score", "--loghub", &path]);
    let sets = score["sets"].as_array().unwrap();
    assert_eq!(sets.len(), 2);
    assert_eq!(
        (&sets[0]["set"], &sets[0]["lines"]["right"], &sets[0]["groups"]),
        (&"Logins".into(), &1.into(), &3.into())
    );
    assert_eq!(
        (&sets[1]["set"], &sets[1]["lines"]["share"], &sets[1]["events"]),
        (&"Orders".into(), &1.0.into(), &2.into())
    );
    assert_eq!(score["average"], 0.6667);
    file(folder.path(), "Broken_2k.log_structured.csv", "a,b\n1,2\n");
    let (code, _, error) = rules(&["score", "--loghub", &path]);
    assert_eq!(code, 65);
    assert!(error.contains("Broken_2k") && error.contains("EventId"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(rules(&["score", "--loghub", empty.path().to_str().unwrap()]).0, 65);
}

#[test]
fn every_page_can_be_shown() {
    let pages = walkdir::WalkDir::new(root().join("rules")).min_depth(2).into_iter().map(Result::unwrap);
    let mut shown = 0;
    for page in pages.filter(|page| page.path().extension().is_some_and(|ending| ending == "md")) {
        let name = page.path().strip_prefix(root().join("rules")).unwrap().with_extension("");
        let name = name.to_str().unwrap();
        if !name.ends_with("README") {
            let text = fs::read_to_string(page.path()).unwrap();
            assert_eq!(failwise::score::pages::text_of(name), Some(text.as_str()), "{name}");
            shown += 1;
        }
    }
    assert!(shown > 200, "{shown}");
    assert!(rules(&["show", "advice/known"]).1.starts_with("# "));
}
