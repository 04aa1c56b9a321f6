//! Figures of the judgement on a folder of labelled calls, where there is one: `FAILWISE_DATA`, else `../shared/data`.
//! Run with `cargo test --test reading tune_data -- --include-ignored --nocapture`; `FAILWISE_ERRORS=1` prints every wrong row.

#![expect(clippy::disallowed_methods, reason = "a test reads its data from a folder")]
#![expect(clippy::unwrap_used, reason = "a broken row ends the test")]

use std::borrow::Cow;

use crate::data_folder::data_folder;
use crate::labelled::{Labelled, Score, answer};
use failwise::classify::{CLASSIC, DEFAULT, Ruleset};
use failwise::model::{Category, Outcome, Status, Tool, ToolCall, ToolInput, ToolKind};
use failwise::reading::judge;
use serde_json::Value;

/// What the client adds to a text, taken off as the edge does.
struct Wire<'a> {
    status: Status,
    exit_code: Option<i32>,
    timed_out_after_ms: Option<u64>,
    text: Cow<'a, str>,
}

fn wire(text: &str, failed: bool) -> Wire<'_> {
    let mut wire =
        Wire { status: Status::Succeeded, exit_code: None, timed_out_after_ms: None, text: Cow::Borrowed(text) };
    if !failed {
        return wire;
    }
    wire.status = status_of(text);
    if wire.status != Status::Failed {
        return wire;
    }
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(code) = lines.first().and_then(|l| l.strip_prefix("Exit code ")).and_then(|c| c.parse().ok()) {
        wire.exit_code = Some(code);
        lines.remove(0);
    }
    if let Some(code) =
        lines.last().and_then(|l| l.strip_prefix("Command exited with code ")).and_then(|c| c.parse().ok())
    {
        wire.exit_code = Some(code);
        lines.pop();
    }
    if lines.first().is_some_and(|l| l.starts_with("Command timed out after ")) {
        wire.timed_out_after_ms = Some(60_000);
        lines.remove(0);
    }
    let plain = lines.join("\n").replace("<tool_use_error>", "").replace("</tool_use_error>", "");
    wire.text = Cow::Owned(plain);
    wire
}

fn status_of(text: &str) -> Status {
    if text.contains("Sibling tool call errored") {
        Status::Cascade
    } else if text.starts_with("[Request interrupted by user") {
        Status::Interrupted
    } else if text.contains("doesn't want to proceed with this tool use")
        || text.contains("Permission for this tool use was denied")
    {
        Status::Denied
    } else {
        Status::Failed
    }
}

fn call<'a>(tool: &str, input: &'a str, wire: Wire<'a>) -> ToolCall<'a> {
    let tool = Tool::named(match tool {
        "edit" => "Edit",
        "read" => "Read",
        "write" => "Write",
        other => other,
    });
    let input = match tool.kind {
        ToolKind::Shell => ToolInput::Command { command: Cow::Borrowed(input), background: false },
        ToolKind::Read | ToolKind::Edit | ToolKind::Write => ToolInput::file(Cow::Borrowed(input)),
        _ => ToolInput::Other { summary: input.chars().take(300).collect() },
    };
    ToolCall {
        exit_code: wire.exit_code,
        text: wire.text,
        timed_out_after_ms: wire.timed_out_after_ms,
        ..ToolCall::new(tool, input, wire.status)
    }
}

fn score(text: &str, ruleset: &'static Ruleset) -> Score {
    let mut score = Score::of(ruleset.name);
    for line in text.lines() {
        let row = Labelled::parse(line.as_bytes()).unwrap();
        score.add(&row, &answer(&row, ruleset).unwrap());
    }
    score
}

#[test]
fn figures() {
    let Some(folder) = data_folder() else { return };
    let text = std::fs::read_to_string(folder.join("failures-tune.jsonl")).unwrap();
    let [default, classic] = [&DEFAULT, &CLASSIC].map(|ruleset| score(&text, ruleset));
    for score in [&default, &classic] {
        println!(
            "{}: outcome {:?} class {:?} category {:?} masked {:?} masked category {:?}",
            score.ruleset, score.outcome, score.class, score.category, score.masked, score.masked_category,
        );
        if std::env::var_os("FAILWISE_ERRORS").is_some() {
            score.errors.iter().for_each(|wrong| println!("  {wrong}"));
        }
    }
    assert!(default.class.value() > classic.class.value());
}

/// A successful call of a transcript that is judged masked: printed, to be read by eye.
#[test]
#[ignore = "needs the data folder; prints alarms"]
fn alarms_in_transcripts() {
    let Some(folder) = data_folder() else { return };
    let (mut successes, mut alarms, mut failures) = (0, 0, 0);
    for entry in std::fs::read_dir(folder.join("transcripts")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut commands = std::collections::HashMap::new();
        for line in text.lines() {
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            for block in event["message"]["content"].as_array().into_iter().flatten() {
                if block["type"] == "tool_use" && block["name"] == "Bash" {
                    let command = block["input"]["command"].as_str().unwrap_or("").to_owned();
                    commands.insert(block["id"].as_str().unwrap_or("").to_owned(), command);
                }
                if block["type"] == "tool_result" {
                    let Some(command) = commands.get(block["tool_use_id"].as_str().unwrap_or("")) else { continue };
                    let output = match &block["content"] {
                        Value::String(text) => text.clone(),
                        Value::Array(parts) => {
                            parts.iter().filter_map(|p| p["text"].as_str()).collect::<Vec<_>>().join("\n")
                        }
                        _ => String::new(),
                    };
                    let failed = block["is_error"].as_bool().unwrap_or(false);
                    let judgement = judge(&call("Bash", command, wire(&output, failed)), false);
                    if failed {
                        failures += 1;
                        println!(
                            "FAILED {} {:?} {:?}\n   $ {command:.200}",
                            judgement.outcome.as_str(),
                            judgement.reading.category,
                            judgement.reading.line
                        );
                        if judgement.reading.category == Category::Unknown && judgement.outcome == Outcome::Failed {
                            println!("   {output:.300}");
                        }
                    } else {
                        successes += 1;
                        if judgement.outcome == Outcome::MaskedFailure {
                            alarms += 1;
                            println!(
                                "MASKED {:?} {:?}\n   $ {command:.300}",
                                judgement.reading.runner, judgement.evidence
                            );
                        }
                    }
                }
            }
        }
    }
    println!("{successes} successes, {alarms} judged masked, {failures} failures");
    assert!(successes > 0);
}

/// Nanoseconds for one judgement of a failing output, printed only.
#[test]
#[ignore = "prints times"]
fn cost() {
    let page = "   Compiling ledger v0.3.1 (/srv/ledger)\nrunning 40 tests\ntest money::adds_two_amounts ... ok\n";
    let fail = "test money::rounds ... FAILED\nthread 'money::rounds' panicked at src/money.rs:41:9:\ntest result: FAILED. 2 passed; 1 failed\n";
    for kilobytes in [1, 4, 16, 64, 1024] {
        let filler = page.repeat(kilobytes * 1024 / page.len());
        let text = format!("{filler}{fail}");
        let call = call("Bash", "cd /srv/ledger && cargo test --workspace 2>&1 | tail -50", wire(&text, false));
        let rounds = 2000 / kilobytes.min(100);
        let start = std::time::Instant::now();
        for _ in 0..rounds {
            assert_eq!(std::hint::black_box(judge(&call, false)).outcome, Outcome::MaskedFailure);
        }
        let each = start.elapsed().as_nanos() / u128::try_from(rounds).unwrap();
        println!("{kilobytes} KB: {each} ns, {} ns/KB", each / kilobytes as u128);
    }
}
