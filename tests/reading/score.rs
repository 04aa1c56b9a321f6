//! `failwise rules test` and `rules show` as commands, and the measurement that the confidence of each rule rests on.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and reads the repository's own files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use failwise::classify::{CLASSIC, DEFAULT, Ruleset};
use failwise::model::Confidence;
use serde_json::Value;

use crate::labelled::{ConfidenceSource, GivenAnswer, Labelled, Precision, Score, answer, page};

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

/// Each labelled call under `tests/corpus`, with what a ruleset answers.
fn corpus(ruleset: &'static Ruleset, mut row: impl FnMut(&Labelled, &GivenAnswer)) {
    for file in fs::read_dir(root().join("tests/corpus")).unwrap() {
        let file = file.unwrap().path();
        let text = fs::read_to_string(&file).unwrap_or_default();
        for line in text.lines().filter(|_| file.extension().is_some_and(|ending| ending == "jsonl")) {
            let labelled = Labelled::parse(line.as_bytes()).unwrap();
            row(&labelled, &answer(&labelled, ruleset).unwrap());
        }
    }
}

#[test]
fn the_page_and_the_table_hold_what_was_measured() {
    let mut precision = Precision::default();
    corpus(&DEFAULT, |row, given| precision.add(row, given));
    let rows = precision.rows();
    let path = root().join("rules/confidence.md");
    let shown = fs::read_to_string(&path).unwrap();
    let page = page(&shown, &rows);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
        return;
    }
    assert_eq!(shown, page, "behind the measurement: UPDATE=1 cargo test --test reading score");
    let (mut measured, mut wrong) = (0, Vec::new());
    for (rule, row) in DEFAULT.rules.iter().zip(&rows) {
        assert_eq!(row.rule, rule.id);
        measured += u32::from(row.source == ConfidenceSource::Measured);
        let number = u8::try_from(row.confidence_hundredths).unwrap();
        if rule.confidence != Confidence::hundredths(number) {
            wrong.push(format!("{}: the table says {:.2}, measured {number}", rule.id, rule.confidence.value()));
        }
    }
    assert!(measured >= 3, "{rows:?}");
    assert!(wrong.is_empty(), "core/src/classify/default.rs: {wrong:#?}");
}

#[test]
fn no_rule_is_certain() {
    let most = Confidence::hundredths(99);
    assert!(DEFAULT.rules.iter().all(|rule| rule.confidence <= most));
    assert_eq!(DEFAULT.rules.last().unwrap().confidence, Confidence::hundredths(55));
}

#[test]
fn both_rulesets_score_the_corpus_and_the_default_is_better() {
    let [default, classic] = [&DEFAULT, &CLASSIC].map(|ruleset| {
        let mut score = Score::of(ruleset.name);
        corpus(ruleset, |row, given| score.add(row, given));
        score
    });
    for (of, default, classic) in
        [("classes", default.class, classic.class), ("categories", default.category, classic.category)]
    {
        println!("{of}: default {default:?}, classic {classic:?}");
        assert!(default.value() >= classic.value(), "{of}");
    }
    assert_eq!(default.false_alarms.right, 0);
    assert_eq!(classic.masked_category.right, 0, "a status of 0 is never a failure to it");
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
