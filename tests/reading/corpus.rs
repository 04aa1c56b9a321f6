//! Captures of real tools under `tests/corpus/`, judged by the path that the hook takes, against labels that people gave.
//! `tests/corpus/make.py` makes them; `written.jsonl` is written by hand, in the shape of tools that no package ships. `cargo test --test reading corpus -- --nocapture` prints the figures.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads its captures; a broken one ends it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use failwise::classify::DEFAULT;
use failwise::model::{Basis, Category, Class, Outcome};
use failwise::score::Share;
use serde::Deserialize;

use crate::labelled::{Label, Labelled, Score, answer, count};

/// What a capture says beyond its label.
#[derive(Deserialize)]
struct More {
    /// The program that printed it.
    tool: String,
    /// The object that the episode is about.
    object: Option<String>,
}

/// Rows that are judged otherwise than their label, each with the reason why that stays.
const ACCEPTED: &[(&str, &str)] = &[
    ("kotlinc-import", "the compiler says the same of any name that it does not know"),
    ("py-subprocess-nf", "a program that is missing reads like a file that is missing"),
    ("pt-ini", "the option stands in the settings, which only the line below tells"),
    ("g-fmt", "a list of names says nothing of what made it"),
    ("d-hugo-none", "the generator failed; its words for a missing file come second"),
    ("d-pydset", "only the program knows that its model holds settings"),
    ("e-esp", "the tool names a module and means its own environment"),
    ("cargo-cmd", "cargo's subcommands are programs that may be missing"),
    ("rustup-tool", "a toolchain is installed like a package"),
    ("mypy-stub", "the missing package stands first and may explain the rest"),
    ("mypy-stub|or", "the missing package stands first and may explain the rest"),
    ("elixir-script", "the compiler speaks of inline code as of a file"),
    ("pip-503", "pip does not say what the index answered"),
    ("pip-429", "pip does not say what the index answered"),
    ("pip-slow-q", "pip does not say what the index answered"),
    ("pip-reset", "pip does not say what the index answered"),
    ("curl-w-503", "a status that the line asked for and compares itself"),
    ("flock-n", "the words are the line's own"),
    ("cargo-closed", "cargo prints the same words for a port of another machine"),
    ("go-get-410", "the module proxy's answer is read like a broken import"),
    ("go-json", "events as JSON are not read"),
    ("oxlint|true", "the text of denied warnings is that of allowed ones"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

fn rows() -> Vec<(Labelled, More)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let text: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let row = |line: &str| (Labelled::parse(line.as_bytes()).unwrap(), serde_json::from_str(line).unwrap());
    text.lines().map(row).collect()
}

/// What the label demands: outcome, class, and the category of what failed.
fn wanted(row: &Labelled) -> (Outcome, Option<Class>, Option<Category>) {
    let class = match row.label {
        Label::F1 => Some(Class::F1),
        label if label.is_failure() => Some(Class::F2),
        _ => None,
    };
    let outcome = match (row.label, row.marked_failed) {
        (Label::Ok, _) => Outcome::Succeeded,
        (Label::NotFail, _) => Outcome::BenignNonZero,
        (Label::Policy, _) => Outcome::Denied,
        (Label::Interrupt, _) => Outcome::Interrupted,
        (_, true) => Outcome::Failed,
        (_, false) => Outcome::MaskedFailure,
    };
    (outcome, class, row.category())
}

#[test]
fn captures_are_judged_as_people_labelled_them() {
    let rows = rows();
    let accepted: BTreeMap<&str, &str> = ACCEPTED.iter().copied().collect();
    let mut score = Score::of(DEFAULT.name);
    let (mut object, mut guesses) = (Share::default(), Share::default());
    let mut kinds: BTreeMap<&str, Share> = BTreeMap::new();
    let (mut wrong, mut repaired) = (Vec::new(), Vec::new());
    for (row, more) in &rows {
        let given = answer(row, &DEFAULT).unwrap();
        score.add(row, &given);
        let (o, c, k) = wanted(row);
        let right_object = more.object.as_ref().is_none_or(|wanted| given.object.as_ref() == Some(wanted));
        if more.object.is_some() {
            count(&mut object, right_object);
        }
        count(kinds.entry(o.as_str()).or_default(), given.outcome == o);
        // A guess states no category; what it calls likely is held instead, and counted apart.
        let is_guess = given.basis == Some(Basis::Guess);
        if is_guess {
            count(&mut guesses, given.kind() == k);
        }
        let right = given.outcome == o && given.class == c && given.kind() == k && right_object;
        match (right, accepted.contains_key(row.id.as_str())) {
            (false, false) => {
                let excerpt: String = row.error_text.chars().take(1200).collect();
                wrong.push(format!(
                    "{} ($ {:?})\n  wanted {o:?} {c:?} {k:?} {:?}\n  given {given:?}\n{excerpt}\n",
                    row.id, row.input, more.object
                ));
            }
            (true, true) => repaired.push(row.id.clone()),
            _ => {}
        }
    }
    let tools: BTreeSet<&str> = rows.iter().map(|(_, more)| more.tool.as_str()).collect();
    println!("{} captures of {} tools", rows.len(), tools.len());
    let mut shares = vec![("outcome", score.outcome), ("class", score.class), ("category", score.category)];
    shares.extend([("object", object), ("guesses", guesses)]);
    shares.extend(kinds);
    for (name, Share { right, all }) in shares {
        println!("  {name}: {right}/{all}");
    }
    assert!(
        guesses.all * 100 <= score.category.all * 2,
        "{} of {} failures are guessed",
        guesses.all,
        score.category.all
    );
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
    assert!(repaired.is_empty(), "now right, take them off the list: {repaired:?}");
}
