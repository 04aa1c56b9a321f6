//! Nearly every row of the recognisers and every word of the tables of sentences was met, not imagined: a case of a page, a
//! capture or a real call holds a line that it matches.
//! `cargo test --test reading rows -- --nocapture` lists the rows that nothing here meets.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads the repository's captures; a broken one ends it"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use failwise::forms::{FORMS, FormRow, rows_for};
use failwise::host::payload::{self, PayloadKind};
use failwise::model::ToolCall;
use failwise::reading::{ListedWord, listed_words, rows, rows_met, words_met};
use failwise::score::pages::{self, PAGES, cases, readings};
use failwise::shell::Script;
use serde_json::{Value, json};

use crate::data_folder::data_folder;
use crate::labelled::{Labelled, payload_of};
use crate::wordings::{THINGS, WORDINGS};

/// A table whose rows count what nothing meets: its name, and what of it is unmet in the repository alone and with real
/// calls beside it, where the folder is there. The numbers may only fall: whoever adds a row or a word adds its case. The
/// calls are no part of the repository and may grow, so the second number is a bound only.
const UNMET: [(&str, usize, usize); 4] =
    [("rows", 145, 152), ("words of sentences", 80, 70), ("words of kinds", 124, 102), ("working forms", 23, 23)];

/// The most of a table that nothing may meet where the real calls are there: one in ten.
const SHARE: usize = 10;

#[test]
fn a_row_has_a_case_or_a_capture() {
    let mut texts = Texts::default();
    let mut rows_here = BTreeSet::new();
    pages_of_readings(&mut rows_here);
    pages_of_rules(&mut rows_here);
    captures(&mut rows_here);
    pairs(&mut rows_here);
    goldens(&mut rows_here);
    texts.of_repository();
    Unmet::of(&rows_here, &texts).hold(UNMET.map(|(table, here, _)| (table, here)), 1, true);
    let Some(folder) = data_folder() else { return };
    let real = files(&folder, "jsonl").into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    for line in real.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
        let call: Value = serde_json::from_str(&line).unwrap();
        match Labelled::parse(line.as_bytes()) {
            Ok(labelled) => meet(&mut rows_here, &payload_of(&labelled)),
            Err(_) if call["error_text"].is_string() => {
                let text = |key: &str| call[key].as_str().unwrap_or_default();
                meet(&mut rows_here, &failure(text("tool_name"), text("input"), text("error_text")));
            }
            Err(_) => {}
        }
        texts.add(&call);
    }
    Unmet::of(&rows_here, &texts).hold(UNMET.map(|(table, _, with_data)| (table, with_data)), SHARE, false);
}

/// The fields of cases and calls that hold what a program printed.
const PRINTED: &[&str] =
    &["text", "error", "error_text", "stderr", "stdout", "stderr_tail", "output", "message", "content", "result"];

/// What of each table nothing meets, with how many there are.
struct Unmet([(Vec<String>, usize); 4]);

impl Unmet {
    fn of(rows_met: &Met, texts: &Texts) -> Self {
        let unmet = rows().filter(|row| !rows_met.contains(&row.number));
        let of_rows = (unmet.map(|row| format!("{}: {}", row.tool, row.pattern)).collect(), rows().count());
        let of_words = |listed: Vec<ListedWord>, met: &BTreeSet<ListedWord>| {
            let listed: BTreeSet<ListedWord> = listed.into_iter().collect();
            let unmet = listed.difference(met).map(|(list, word)| format!("{word}, among {}", list.join("|")));
            (unmet.collect(), listed.len())
        };
        let [sentences, kinds] = listed_words();
        let [of_sentences, of_kinds] = texts.words_met();
        let forms = texts.forms_met();
        let unmet = FORMS.iter().filter(|row| !forms.contains(&form(row)));
        let unmet = unmet.map(|row| format!("{} {:?}: {}", row.program, row.subcommands, row.text)).collect();
        let of_forms = (unmet, FORMS.len());
        Self([of_rows, of_words(sentences, &of_sentences), of_words(kinds, &of_kinds), of_forms])
    }

    #[expect(clippy::print_stdout, reason = "the list is for people, with --nocapture")]
    fn hold(&self, bounds: [(&str, usize); 4], share: usize, exactly: bool) {
        for ((unmet, all), (table, bound)) in self.0.iter().zip(bounds) {
            for row in unmet {
                println!("{table}: {row}");
            }
            println!("{table}: nothing meets {} of {all}", unmet.len());
            assert!(
                unmet.len() <= bound && unmet.len() * share <= *all,
                "{table}: nothing meets {} of {all}, {bound} before: give each new row a case in rules/readings/, \
                 `cargo test --test reading rows -- --nocapture` lists them",
                unmet.len()
            );
            assert!(
                !exactly || unmet.len() == bound,
                "{table}: fewer than the {bound} before: lower UNMET to hold what was reached"
            );
        }
    }
}

/// The texts of cases and captures, and the command lines among them.
#[derive(Default)]
struct Texts {
    all: BTreeSet<String>,
    commands: BTreeSet<String>,
}

impl Texts {
    fn of_repository(&mut self) {
        for page in pages::all() {
            cases(page.text).unwrap().iter().for_each(|case| self.add(&case.json));
        }
        for folder in ["tests/corpus", "tests/pairs", "tests/golden/diagnose"] {
            for line in lines(folder) {
                self.add(&serde_json::from_str(&line).unwrap());
            }
        }
        for path in
            ["tests/golden/host", "tests/golden/sessions"].into_iter().flat_map(|folder| files(&here(folder), "json"))
        {
            self.add(&serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap());
        }
        for (command, _, text) in THINGS.iter().flat_map(|thing| thing.words) {
            self.commands.insert((*command).to_owned());
            self.all.insert((*text).to_owned());
        }
        self.all.extend(WORDINGS.iter().flat_map(|(_, _, texts)| *texts).map(|text| (*text).to_owned()));
    }

    /// All texts that a value holds.
    fn add(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            Value::Object(fields) => {
                let commands =
                    fields.iter().filter(|(key, _)| matches!(key.as_str(), "command" | "input" | "operation"));
                self.commands.extend(commands.filter_map(|(_, value)| value.as_str()).map(str::to_owned));
                for (key, value) in fields {
                    match value {
                        Value::String(text) if PRINTED.contains(&key.as_str()) => drop(self.all.insert(text.clone())),
                        other => self.add(other),
                    }
                }
            }
            _ => {}
        }
    }

    /// The forms of calls that somebody made, whatever became of them.
    fn forms_met(&self) -> BTreeSet<Form> {
        let mut met = BTreeSet::new();
        for script in self.commands.iter().filter(|line| line.len() < 2000).map(|line| Script::parse(line)) {
            for (_, command) in script.programs() {
                let words: Vec<&str> = [command.program.as_str()].into_iter().chain(command.subcommands()).collect();
                // `python manage.py migrate`, `npx vitest run`: what is started is the program.
                for words in [words.as_slice(), words.get(1..).unwrap_or_default()] {
                    let Some((program, words)) = words.split_first() else { continue };
                    let is_called = |called: &str| {
                        called
                            .split_ascii_whitespace()
                            .eq(words.iter().take(called.split_ascii_whitespace().count()).copied())
                    };
                    let rows = rows_for(program).filter(|row| row.subcommands.iter().any(|called| is_called(called)));
                    met.extend(rows.map(form));
                }
            }
        }
        met
    }

    fn words_met(&self) -> [BTreeSet<ListedWord>; 2] {
        let mut met = [BTreeSet::new(), BTreeSet::new()];
        let lines: BTreeSet<&str> = self.all.iter().flat_map(|text| text.lines()).map(str::trim).collect();
        for line in lines.into_iter().filter(|line| line.len() < 2000) {
            for (met, words) in met.iter_mut().zip(words_met(line)) {
                met.extend(words);
            }
        }
        met
    }
}

/// Program, subcommands, change and note: what tells rows of forms apart.
type Form = (&'static str, &'static [&'static str], &'static str, &'static str);

fn form(row: &FormRow) -> Form {
    (row.program, row.subcommands, row.text, row.note)
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
        for path in files(&here("tests/golden").join(folder), "json") {
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
    let texts = files(&here(folder), "jsonl").into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}
