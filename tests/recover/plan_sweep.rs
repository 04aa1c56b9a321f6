//! Plans for every failing call of recorded sessions and labelled calls, where there are any: `FAILWISE_DATA`, else
//! `../shared/data`. No plan repeats the call, destroys anything, or needs a tool that is not there; and where the session
//! shows what passed next, it is counted how often the first plan is that. `cargo test --test recover plan_sweep -- --nocapture`
//! prints the counts; `FAILWISE_LOT=SEED` prints fifty plans by lot besides.

#![expect(clippy::disallowed_methods, reason = "a test reads its data from a folder")]
#![expect(clippy::print_stdout, reason = "plans are read by a person")]
#![expect(clippy::unwrap_used, reason = "a broken row ends the test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::data_folder::data_folder;
use failwise::host::recovery::{Asked, read};
use failwise::recover::look::Blind;
use failwise::recover::result::{PlannedStep, RecoveryPlan};
use failwise::recover::{CLIENT, Failed, PlanPast, PlanQuestion, STRATEGIES, Tools, plan, text};
use failwise::shell::Script;
use serde_json::{Value, json};

/// A call of a session and how it ended.
#[derive(Clone)]
struct Call {
    tool: String,
    input: Value,
    cwd: Option<String>,
    failed: bool,
    text: String,
}

/// A failing call, and the calls that came after it.
struct Failing {
    from: String,
    call: Call,
    after: Vec<Call>,
}

fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// The calls of a transcript in the order in which they ended.
fn calls(transcript: &str) -> Vec<Call> {
    let mut begun: BTreeMap<String, (String, Value)> = BTreeMap::new();
    let mut ended = Vec::new();
    for line in transcript.lines() {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        for part in entry["message"]["content"].as_array().into_iter().flatten() {
            match part["type"].as_str() {
                Some("tool_use") => {
                    let (id, tool) =
                        (part["id"].as_str().unwrap_or_default(), part["name"].as_str().unwrap_or_default());
                    begun.insert(id.to_owned(), (tool.to_owned(), part["input"].clone()));
                }
                Some("tool_result") => {
                    let Some((tool, input)) = begun.remove(part["tool_use_id"].as_str().unwrap_or_default()) else {
                        continue;
                    };
                    let cwd = entry["cwd"].as_str().map(str::to_owned);
                    let failed = part["is_error"] == true;
                    ended.push(Call { tool, input, cwd, failed, text: content(&part["content"]) });
                }
                _ => {}
            }
        }
    }
    ended
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn text_of(path: &Path) -> String {
    let mut text = String::new();
    let file = fs::File::open(path).unwrap();
    if path.extension().is_some_and(|ending| ending == "gz") {
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    } else {
        { file }.read_to_string(&mut text).unwrap();
    }
    text
}

fn failing(data: &Path) -> Vec<Failing> {
    let mut all = Vec::new();
    for path in files(&data.join("transcripts")).into_iter().chain(files(&data.join("sessions"))) {
        if !path.to_string_lossy().contains(".jsonl") {
            continue;
        }
        let calls = calls(&text_of(&path));
        let from = path.file_name().unwrap().to_string_lossy().into_owned();
        for (at, call) in calls.iter().enumerate().filter(|(_, call)| call.failed) {
            let after = calls[at + 1..].iter().take(40).cloned().collect();
            all.push(Failing { from: from.clone(), call: call.clone(), after });
        }
    }
    for name in ["failures-tune.jsonl", "failures-tune-2.jsonl"] {
        let rows = fs::read_to_string(data.join(name)).unwrap_or_default();
        for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            if row["marked_failed"] == true {
                all.push(Failing { from: name.to_owned(), call: labelled(&row), after: Vec::new() });
            }
        }
    }
    all
}

/// A labelled row as the call that it tells of.
fn labelled(row: &Value) -> Call {
    let tool = match row["tool_name"].as_str().unwrap_or_default() {
        "bash" => "Bash",
        "edit" => "Edit",
        "read" => "Read",
        "write" => "Write",
        other => other,
    };
    let input = match (&row["input"], tool) {
        (Value::String(text), "Bash") => json!({ "command": text }),
        // The row shows the beginning of an edit's text behind the path.
        (Value::String(text), "Read" | "Edit" | "Write") => {
            json!({ "file_path": text.split(" old_string=").next().unwrap_or(text) })
        }
        (Value::Object(object), _) => Value::Object(object.clone()),
        (other, _) => json!({ "input": other }),
    };
    let text = row["error_text"].as_str().unwrap_or_default().to_owned();
    Call { tool: tool.to_owned(), input, cwd: None, failed: true, text }
}

fn planned(call: &Call) -> Option<(Failed, RecoveryPlan)> {
    let payload = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": call.cwd, "tool_name": call.tool,
        "tool_input": call.input, "tool_use_id": "t", "error": call.text,
    });
    let Ok(Asked::Calls(calls)) = read(payload.to_string().as_bytes()) else { return None };
    let asked = calls.first()?;
    let failed = Failed::asked(asked)?;
    let tools = Tools::of(&asked.tool, None, false);
    let past = PlanPast::default();
    let now = "2026-03-01T09:00:00.000Z";
    let question =
        PlanQuestion { failed: &failed, tools: &tools, looks: &Blind, past: &past, now, limit: STRATEGIES.len() };
    let plan = plan(&question);
    Some((failed, plan))
}

/// Calls that no plan brings in: those that take work away, end what others run, get around a check or raise a right.
const NEVER: &[&str] = &[
    "rm",
    "rmdir",
    "shred",
    "dd",
    "kill",
    "pkill",
    "killall",
    "sudo",
    "chmod",
    "chown",
    "truncate",
    "mkfs",
    "reset --hard",
    "clean -",
    "push --force",
    "push -f",
    "branch -D",
    "stash drop",
    "stash clear",
    "checkout -- ",
    "--no-verify",
    "--force",
    "system prune",
    "volume rm",
];

fn brings_harm(line: &str, failed: &str) -> Option<&'static str> {
    let words = |text: &str| format!(" {} ", text.split_whitespace().collect::<Vec<_>>().join(" "));
    let (line, failed) = (words(line), words(failed));
    let holds = |text: &str, harm: &str| {
        text.match_indices(harm).any(|(at, _)| {
            text[..at].ends_with([' ', ';', '|', '&', '(']) && text[at + harm.len()..].starts_with([' ', ';', '|'])
                || harm.contains([' ', '-']) && text.contains(harm)
        })
    };
    NEVER.iter().copied().find(|harm| holds(&line, harm) && !holds(&failed, harm))
}

fn line_of(step: &PlannedStep) -> Option<&str> {
    step.args.get("command").and_then(Value::as_str)
}

/// The words of a line without its folder, its display and what only throws errors away.
fn form(line: &str) -> Vec<String> {
    let script = Script::parse(line);
    let beside =
        |name: &str| matches!(name, "cd" | "tail" | "head" | "grep" | "echo" | "sleep" | "set" | "true" | "cat");
    let own = script.programs().map(|(_, command)| command).filter(|command| !beside(command.name()));
    own.flat_map(|command| std::iter::once(command.raw.clone()).chain(command.args.clone())).collect()
}

/// What a line works with: its last program that does not only show, and the first word behind it.
fn operation(line: &str) -> Option<String> {
    let script = Script::parse(line);
    let beside =
        |name: &str| matches!(name, "cd" | "tail" | "head" | "grep" | "echo" | "sleep" | "set" | "true" | "cat");
    let own = script.programs().map(|(_, command)| command).filter(|command| !beside(command.name())).last()?;
    Some(format!("{} {}", own.name(), own.subcommands().next().unwrap_or_default()))
}

/// The next call that passed and did what the failed one was to do: the same program and subcommand, or the same tool on
/// the same file.
fn passed_next(failing: &Failing) -> Option<&Call> {
    let line = |call: &Call| call.input["command"].as_str().map(str::to_owned);
    let file = |call: &Call| call.input["file_path"].as_str().map(str::to_owned);
    let wanted = line(&failing.call).and_then(|line| operation(&line));
    failing.after.iter().filter(|call| !call.failed && call.tool == failing.call.tool).find(|call| match &wanted {
        Some(wanted) => line(call).and_then(|line| operation(&line)).as_ref() == Some(wanted),
        None => file(call).is_some() && file(call).as_deref().map(name) == file(&failing.call).as_deref().map(name),
    })
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a step of a plan is the call that passed: the same words, or the same file and, of an edit, the same new text.
fn is_it(step: &PlannedStep, passed: &Call) -> bool {
    match (line_of(step), passed.input["command"].as_str()) {
        (Some(own), Some(theirs)) => form(own) == form(theirs),
        (None, None) => {
            let same = |key: &str| step.args.get(key) == passed.input.get(key);
            step.tool.as_deref() == Some(&*passed.tool) && same("file_path") && same("new_string")
        }
        _ => false,
    }
}

/// Whether the session looks where the plan looks first, within the next calls: the same file, folder or pattern.
fn looks_there(step: &PlannedStep, after: &[Call]) -> bool {
    let seen = |key: &str| step.args.get(key).and_then(Value::as_str);
    after.iter().take(6).any(|call| match (seen("file_path"), line_of(step)) {
        (Some(file), _) => call.input["file_path"].as_str().is_some_and(|own| name(own) == name(file)),
        (None, Some(line)) => call.input["command"].as_str().is_some_and(|own| form(own) == form(line)),
        _ => false,
    })
}

#[test]
fn no_plan_repeats_or_destroys_and_some_are_what_passed_next() {
    let Some(data) = data_folder() else { return };
    let all = failing(&data);
    let (mut made, mut act, mut look, mut asks) = (0, 0, 0, 0);
    let (mut known, mut hits, mut looked, mut seen) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for failing in &all {
        let Some((failed, plan)) = planned(&failing.call) else { continue };
        let Some(primary) = &plan.primary_strategy else { continue };
        made += 1;
        *first.entry(primary.name.clone()).or_default() += 1;
        for strategy in std::iter::once(primary).chain(&plan.fallback_strategies) {
            let same = |step: &PlannedStep| {
                step.tool.as_deref() == Some(&failing.call.tool)
                    && Value::Object(step.args.clone()) == failing.call.input
            };
            if strategy.steps.first().is_some_and(same) {
                wrong.push(format!("{}: {} repeats {}", failing.from, strategy.name, failing.call.input));
            }
            for step in &strategy.steps {
                let tool = step.tool.as_deref();
                if tool.is_some_and(|tool| !CLIENT.contains(&tool) && tool != failing.call.tool) {
                    wrong.push(format!("{}: {} needs {tool:?}", failing.from, strategy.name));
                }
                let own = failing.call.input["command"].as_str().unwrap_or_default();
                if let Some(harm) = line_of(step).and_then(|line| brings_harm(line, own)) {
                    wrong.push(format!("{}: {} brings `{harm}`: {:?}", failing.from, strategy.name, step.args));
                }
            }
        }
        let performs = primary.steps.iter().find(|step| step.performs.is_some());
        match performs {
            _ if primary.steps.iter().all(|step| step.tool.is_none()) => asks += 1,
            Some(step) => {
                act += 1;
                if let Some(passed) = passed_next(failing) {
                    known += 1;
                    hits += usize::from(is_it(step, passed));
                }
            }
            None => {
                look += 1;
                if !failing.after.is_empty() {
                    looked += 1;
                    seen += usize::from(primary.steps.iter().any(|step| looks_there(step, &failing.after)));
                }
            }
        }
        let _ = failed;
    }
    println!("{} failing calls, {made} plans: {act} act, {look} look, {asks} ask", all.len());
    println!("of the acting ones {known} with a pass of the same operation in the next 40 calls: {hits} are that call");
    println!("of the looking ones {looked} in sessions: {seen} look where the next 6 calls look");
    println!("first of the plans: {first:?}");
    if let Ok(seed) = std::env::var("FAILWISE_LOT") {
        by_lot(&all, seed.parse().unwrap());
    }
    assert!(wrong.is_empty(), "{} plans:\n{}", wrong.len(), wrong.join("\n"));
    assert!(made > 0, "the folder of data holds no failing call");
}

/// Prints fifty plans, drawn by a generator of Knuth's.
fn by_lot(all: &[Failing], seed: u64) {
    let mut state = seed;
    let mut drawn = Vec::new();
    let fits: Vec<&Failing> =
        all.iter().filter(|failing| planned(&failing.call).is_some_and(|(_, plan)| plan.has_recovery_plan)).collect();
    while drawn.len() < 50.min(fits.len()) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(state >> 33).unwrap() % fits.len();
        if !drawn.contains(&at) {
            drawn.push(at);
        }
    }
    for (number, at) in (1..).zip(drawn) {
        let failing = fits[at];
        let Some((_, plan)) = planned(&failing.call) else { continue };
        let shown: String = failing.call.text.chars().take(1500).collect();
        let input: String = failing.call.input.to_string().chars().take(700).collect();
        println!(
            "\n===== {number} {} {} {input}\n----- said:\n{shown}\n----- plan:\n{}",
            failing.from,
            failing.call.tool,
            text(&plan)
        );
        for call in failing.after.iter().take(3) {
            let input: String = call.input.to_string().chars().take(250).collect();
            println!("----- next ({}): {} {input}", if call.failed { "failed" } else { "passed" }, call.tool);
        }
    }
}
