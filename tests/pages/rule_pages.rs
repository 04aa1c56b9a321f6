//! The pages of the rules: their cases are decided as they say, and their tables equal the code's.

#![expect(clippy::disallowed_methods, reason = "reads the pages, and writes the tables where it is told to")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};

use failwise::classify::{RULESETS, Rule};
use failwise::engine::{Scene, failure_of, observe};
use failwise::host::payload::{self, PayloadKind};
use failwise::model::{Category, FailureEvent, Outcome, Reading};
use failwise::score::pages::classes::{facts, rules};
use failwise::score::pages::{self, FIRES, PAGES, PageCase, SILENT};
use serde_json::json;

#[test]
fn every_case_is_decided_as_its_page_says() {
    crate::page_cases::check(|kind| kind == pages::PageKind::Class);
}

#[test]
fn the_executable_carries_the_pages_of_the_folder() {
    let mut carried: Vec<&str> =
        PAGES.iter().filter(|p| p.kind == pages::PageKind::Class).map(|page| page.name).collect();
    let mut wanted: Vec<&str> = rules().map(|(_, rule)| rule.id).collect();
    carried.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(carried, wanted);
    for page in PAGES {
        assert_eq!(page.text, fs::read_to_string(root().join(format!("rules/{}.md", page.path()))).unwrap());
    }
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let entries = fs::read_dir(root().join("rules/classes")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = names.filter(|name| name != "README.md").collect();
    let mut wanted: Vec<String> = rules().map(|(_, rule)| format!("{}.md", rule.id)).collect();
    pages.sort();
    wanted.sort();
    assert_eq!(pages, wanted);
}

#[test]
fn every_page_has_its_headings_and_enough_cases() {
    for (set, rule) in rules() {
        let page = page(rule.id);
        assert!(page.starts_with(&format!("# {}\n\n", rule.id)), "{} has another title", rule.id);
        let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, [FIRES, SILENT], "{}", rule.id);
        for heading in headings {
            let count = cases(rule.id).iter().filter(|case| case.heading == heading).count();
            // Nothing can make the row without an algorithm fire.
            let least = match set.name {
                "default" => 2,
                _ => usize::from(rule.id != "classic-intent" || heading == SILENT),
            };
            assert!(count >= least, "{} has {count} cases under \"{heading}\"", rule.id);
        }
        let sentences: Vec<String> = cases(rule.id).into_iter().map(|case| case.sentence).collect();
        for sentence in &sentences {
            assert!(sentence.ends_with(':'), "{}: \"{sentence}\" does not introduce its case", rule.id);
            assert_eq!(sentences.iter().filter(|other| *other == sentence).count(), 1, "{}: {sentence}", rule.id);
        }
    }
}

#[test]
fn the_skill_shows_the_rows_of_the_code() {
    let default = RULESETS.iter().find(|set| set.name == "default").unwrap();
    let head = ["| rule | class | recommended action |".to_owned(), "| --- | --- | --- |".to_owned()];
    let rows = default.rules.iter().map(|rule| format!("| {} | {} | {} |", rule.id, class(rule), action(rule)));
    let table = head.into_iter().chain(rows).map(|row| row + "\n").collect::<String>();
    assert_table("planner/skills/failure-classifier/SKILL.md", "table", &table);
}

#[test]
fn the_overview_of_the_pages_shows_the_rows_of_the_code() {
    for set in RULESETS {
        let head = ["| rule | asks | class | confidence | recommended action |", "| --- | --- | --- | --- | --- |"];
        let rows = set.rules.iter().map(|rule| {
            let confidence = rule.class.map_or("-".to_owned(), |_| format!("{:.2}", rule.confidence.value()));
            let (asks, class, action) = (rule.asks.replace('|', "\\|"), class(rule), action(rule));
            format!("| [{id}]({id}.md) | {asks} | {class} | {confidence} | {action} |", id = rule.id)
        });
        let table = head.map(str::to_owned).into_iter().chain(rows).map(|row| row + "\n").collect::<String>();
        assert_table("rules/classes/README.md", set.name, &table);
    }
}

/// A case that tells a shell call's text and its category is met, not imagined: the text reads so.
#[test]
fn cases_with_a_text_are_read_as_they_say() {
    let mut faults = Vec::new();
    let mut checked = 0;
    for (rule, case) in rules().flat_map(|(_, rule)| cases(rule.id).into_iter().map(move |case| (rule, case))) {
        let given = &case.json["event"];
        let (event, ..) = facts(&case.json).unwrap();
        if given["text"].is_null() || given["reading"]["category"].is_null() || event.tool != "Bash" {
            continue;
        }
        let reading = &event.reading;
        let said = (event.outcome, reading.category, transient(reading));
        let read = read_as_a_call(&event);
        checked += 1;
        if read != said {
            faults.push(format!("{}, \"{}\": said {said:?}, read {read:?}", rule.id, case.sentence));
        }
    }
    assert!(checked >= 10, "only {checked} cases tell their text");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// What the hook would read in the call that an event tells of. A masked failure is one whose status a pipe took.
fn read_as_a_call(event: &FailureEvent) -> (Outcome, Category, Retry) {
    let masked = event.outcome == Outcome::MaskedFailure;
    let command = if masked { format!("{} | tail -5", event.operation) } else { event.operation.to_string() };
    let payload = json!({
        "hook_event_name": if masked { "PostToolUse" } else { "PostToolUseFailure" },
        "session_id": "s1", "cwd": "/srv/app", "tool_name": "Bash", "tool_use_id": "call-1",
        "tool_input": { "command": command },
        "error": format!("Exit code {}\n{}", event.exit_code.unwrap_or(1), event.text),
        "tool_response": { "stdout": event.text, "stderr": "", "interrupted": false, "isImage": false },
    });
    let payload = payload.to_string();
    let payload = payload::parse(payload.as_bytes()).unwrap();
    let PayloadKind::Call(call) = &payload.kind else { panic!("{} is no call", event.operation) };
    let scene = Scene { node: "session/s1", ts: "", worktree: None, red_phase: false, expected_failures: &[] };
    let seen = failure_of(&observe(call, &scene)).unwrap();
    (seen.outcome, seen.reading.category, transient(&seen.reading))
}

/// Whether a retry may pass, and the wait that was asked for.
type Retry = (bool, Option<u64>);

fn transient(reading: &Reading) -> Retry {
    (reading.transient.is_some(), reading.transient.as_ref().and_then(|transient| transient.retry_after_ms))
}

fn cases(id: &str) -> Vec<PageCase> {
    pages::cases(&page(id)).unwrap_or_else(|fault| panic!("{id}: {fault}"))
}

/// Asserts that a file holds `table` between its two marks; `UPDATE=1` writes it there.
fn assert_table(path: &str, mark: &str, table: &str) {
    let (begin, end) = (format!("<!-- {mark}:begin -->\n"), format!("<!-- {mark}:end -->"));
    let path = root().join(path);
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{} has no {begin}", path.display()));
    let (shown, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{} has no {end}", path.display()));
    if shown != table && std::env::var_os("UPDATE").is_some() {
        return fs::write(&path, format!("{before}{begin}{table}{end}{after}")).unwrap();
    }
    assert_eq!(shown, table, "{} is behind the code: UPDATE=1 cargo test --test pages rule_pages", path.display());
}

fn class(rule: &Rule) -> &'static str {
    rule.class.map_or("-", failwise::model::Class::as_str)
}

fn action(rule: &Rule) -> String {
    let word = serde_json::to_value(rule.action).unwrap();
    rule.class.map_or("-", |_| word.as_str().unwrap()).to_owned()
}

fn page(id: &str) -> String {
    fs::read_to_string(root().join(format!("rules/classes/{id}.md"))).unwrap_or_else(|e| panic!("{id}: {e}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
