//! The pages of the rules: their cases are decided as they say, and their tables equal the code's.

#![expect(clippy::disallowed_methods, reason = "reads the pages, and writes the tables where it is told to")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};

use failwise::classify::{Answer, Facts, RULESETS, Rule, Ruleset, classify, explain};
use failwise::history::HistoryFacts;
use failwise::host::payload::{self, Kind};
use failwise::model::{Category, FailureEvent, Outcome, PlanFacts, Reading};
use failwise::observe::{Scene, observe};
use serde_json::{Value, json};

const FIRES: &str = "Fires";
const SILENT: &str = "Stays silent";

/// One fenced case of a page.
struct Case {
    heading: String,
    sentence: String,
    json: Value,
}

#[test]
fn every_case_is_decided_as_its_page_says() {
    let mut faults = Vec::new();
    for (set, rule) in rows() {
        for case in cases(rule.id) {
            if let Err(fault) = check(&case, rule, set) {
                faults.push(format!("{}, under \"{}\", \"{}\": {fault}", rule.id, case.heading, case.sentence));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let entries = fs::read_dir(root().join("rules/classes")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = names.filter(|name| name != "README.md").collect();
    let mut wanted: Vec<String> = rows().map(|(_, rule)| format!("{}.md", rule.id)).collect();
    pages.sort();
    wanted.sort();
    assert_eq!(pages, wanted);
}

#[test]
fn every_page_has_its_headings_and_enough_cases() {
    for (set, rule) in rows() {
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
    assert_table("skills/failure-classifier/SKILL.md", "table", &table);
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
    for (rule, case) in rows().flat_map(|(_, rule)| cases(rule.id).into_iter().map(move |case| (rule, case))) {
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
    let Kind::Call(call) = &payload.kind else { panic!("{} is no call", event.operation) };
    let scene = Scene { node: "session/s1", ts: "", worktree: None, red_phase: false, expected_failures: &[] };
    let seen = observe(call, &scene).failure().unwrap();
    (seen.outcome, seen.reading.category, transient(&seen.reading))
}

/// Whether a retry may pass, and the wait that was asked for.
type Retry = (bool, Option<u64>);

fn transient(reading: &Reading) -> Retry {
    (reading.transient.is_some(), reading.transient.as_ref().and_then(|transient| transient.retry_after_ms))
}

fn check(case: &Case, rule: &Rule, set: &Ruleset) -> Result<(), String> {
    let known = ["event", "history", "plan", "decided_by", "expect"];
    if let Some(key) = case.json.as_object().unwrap().keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("a case has no field `{key}`"));
    }
    let (event, history, plan) = facts(&case.json)?;
    let facts = Facts { event: &event, history: &history, plan: &plan };
    let explained = explain(&facts, set);
    let decided = explained.iter().find(|explained| explained.holds).map(|explained| explained.rule).unwrap();
    let holds = explained.iter().any(|explained| explained.rule == rule.id && explained.holds);
    let named = case.json["decided_by"].as_str();
    match case.heading.as_str() {
        FIRES if decided != rule.id => return Err(format!("was decided by {decided}")),
        SILENT if decided == rule.id => return Err("the rule fired".to_owned()),
        SILENT if holds && named.is_none() => return Err(format!("it holds and is outranked by {decided}: say so")),
        _ => {}
    }
    if named.is_some_and(|named| named != decided) {
        return Err(format!("was decided by {decided}"));
    }
    let answer = classify(&facts, set, Some("0123456789abcdef"));
    if let Answer::Verdict(verdict) = &answer
        && verdict.rule != decided
    {
        return Err(format!("explained as {decided}, decided by {}", verdict.rule));
    }
    let answer = serde_json::to_value(&answer).unwrap();
    for (field, wanted) in case.json["expect"].as_object().into_iter().flatten() {
        if answer.get(field) != Some(wanted) {
            return Err(format!("{field} is {}, not {wanted}", answer.get(field).unwrap_or(&Value::Null)));
        }
    }
    Ok(())
}

/// The base facts, with a case laid over them. A field that the types do not have is a mistake of the page.
fn facts(case: &Value) -> Result<(FailureEvent, HistoryFacts, PlanFacts), String> {
    let event = json!({
        "tool": "Bash", "outcome": "failed", "operation": "make check", "exit_code": 2, "text": "it did not work",
        "reading": { "result": "failed", "category": "unknown" },
        "signature": { "fine": "5d1c0a7be2f49836", "coarse": "71e8aa02c4b95d3f", "version": 1 },
        "ids": { "session": "s1", "agent": null, "tool_use": "call-1" }, "node": "TASK-00007"
    });
    let history = json!({ "episode": "a1b2c3d4", "attempt": 1, "node_failures": 1 });
    let plan = json!({ "node": "TASK-00007", "parent": "STORY-0003" });
    Ok((read(event, &case["event"])?, read(history, &case["history"])?, read(plan, &case["plan"])?))
}

fn read<T: serde::de::DeserializeOwned + serde::Serialize>(mut base: Value, over: &Value) -> Result<T, String> {
    merge(&mut base, over);
    let value: T = serde_json::from_value(base).map_err(|error| error.to_string())?;
    let back = serde_json::to_value(&value).unwrap();
    match lost(over, &back) {
        Some(key) => Err(format!("there is no fact `{key}`")),
        None => Ok(value),
    }
}

/// The first field that was given and that no type took.
fn lost<'a>(given: &'a Value, taken: &Value) -> Option<&'a str> {
    given.as_object().into_iter().flatten().find_map(|(key, value)| match taken.get(key) {
        None => (!value.is_null()).then_some(key.as_str()),
        Some(taken) => lost(value, taken),
    })
}

fn merge(base: &mut Value, over: &Value) {
    match (base, over) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(key) {
                    Some(inner) if inner.is_object() && value.is_object() => merge(inner, value),
                    _ => drop(base.insert(key.clone(), value.clone())),
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
}

fn cases(id: &str) -> Vec<Case> {
    let (mut heading, mut sentence, mut fence) = (String::new(), String::new(), None::<String>);
    let mut found = Vec::new();
    for line in page(id).lines() {
        match &mut fence {
            Some(json) if line == "```" => {
                let json = serde_json::from_str(json).unwrap_or_else(|e| panic!("{id}, \"{sentence}\": {e}"));
                found.push(Case { heading: heading.clone(), sentence: std::mem::take(&mut sentence), json });
                fence = None;
            }
            Some(json) => *json += line,
            None if line == "```json" => fence = Some(String::new()),
            None if line.starts_with("## ") => {
                line.trim_start_matches("## ").clone_into(&mut heading);
                sentence.clear();
            }
            None if line.is_empty() => {}
            None if sentence.is_empty() => line.clone_into(&mut sentence),
            None => sentence = format!("{sentence} {line}"),
        }
    }
    assert!(fence.is_none(), "{id} ends inside a case");
    found
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
    assert_eq!(shown, table, "{} is behind the code: UPDATE=1 cargo test --test rule_pages", path.display());
}

fn class(rule: &Rule) -> &'static str {
    rule.class.map_or("-", failwise::model::Class::as_str)
}

fn action(rule: &Rule) -> String {
    let word = serde_json::to_value(rule.action).unwrap();
    rule.class.map_or("-", |_| word.as_str().unwrap()).to_owned()
}

fn rows() -> impl Iterator<Item = (&'static Ruleset, &'static Rule)> {
    RULESETS.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)))
}

fn page(id: &str) -> String {
    fs::read_to_string(root().join(format!("rules/classes/{id}.md"))).unwrap_or_else(|e| panic!("{id}: {e}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
