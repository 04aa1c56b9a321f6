//! `failwise rules`: the tables that decide, and how right they are on labelled calls.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use failwise::classify::{Answer, RULESETS};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::host::payload::{self, Kind};
use failwise::journal::read_lines;
use serde::{Deserialize, Serialize};

use crate::classify::{Classifier, Past};
use crate::replay::known_ruleset;
use crate::style::Style;

/// Show the rules, or score them on labelled calls
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The rulesets row by row, in the order in which they decide
    List {
        /// How they are printed
        #[arg(long, value_enum, default_value = "table")]
        format: Format,
    },
    /// Score a file of labelled calls (JSONL; the format is in CONTRIBUTING.md)
    Score {
        /// The labelled calls
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How the score is printed
        #[arg(long, value_enum, default_value = "table")]
        format: Format,
        /// Rules that decide: default or classic
        #[arg(long, default_value = "default", value_name = "NAME")]
        ruleset: String,
        /// Also list the rows that were decided wrongly
        #[arg(long)]
        errors: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// One JSON value
    Json,
}

pub(crate) fn run(args: Args) -> crate::Outcome {
    match args.command {
        Command::List { format } => list(format),
        Command::Score { file, format, ruleset, errors } => score(&file, format, &ruleset, errors),
    }
}

fn list(format: Format) -> crate::Outcome {
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    let rows = RULESETS.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)));
    if format == Format::Json {
        let rows: Vec<serde_json::Value> = rows
            .map(|(set, rule)| {
                serde_json::json!({"ruleset": set.name, "rule": rule.id, "class": rule.class, "confidence": rule.confidence,
                    "recommended_action": rule.action, "asks": rule.asks})
            })
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&rows)?)?;
        return Ok(Exit::Ok);
    }
    let mut shown = "";
    for (set, rule) in rows {
        if shown != set.name {
            writeln!(out, "{}", style.bold(set.name))?;
            shown = set.name;
        }
        let class = rule.class.map_or("--", failwise::model::Class::as_str);
        writeln!(out, "  {class}  {:<27} {:.2}  {}", rule.id, rule.confidence.value(), style.dim(rule.asks))?;
    }
    Ok(Exit::Ok)
}

/// A labelled call.
#[derive(Debug, Deserialize)]
struct Labelled {
    id: String,
    tool_name: Option<String>,
    input: Option<serde_json::Value>,
    error_text: String,
    /// Whether the client reported an error; false is a masked failure or a success.
    marked_failed: bool,
    /// F1, F2, F6; ENV, USAGE (failed, class F2); POLICY, NOTFAIL, INTERRUPT (an outcome); OK (a success).
    class_single: String,
    root_cause: Option<String>,
}

/// Right ones of all.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Share {
    right: u32,
    all: u32,
}

impl Share {
    fn count(&mut self, right: bool) {
        self.all += 1;
        self.right += u32::from(right);
    }

    fn percent(self) -> f64 {
        if self.all == 0 { 0.0 } else { 100.0 * f64::from(self.right) / f64::from(self.all) }
    }
}

/// How right a ruleset is on a file.
#[derive(Debug, Default, Serialize)]
struct Score {
    ruleset: String,
    rows: u32,
    outcome: Share,
    class: Share,
    category: Share,
    f1_true: u32,
    f1_false: u32,
    f1_missed: u32,
    masked: Share,
    false_alarms: Share,
    /// Wanted to given, with counts.
    confusion: BTreeMap<String, BTreeMap<String, u32>>,
    errors: Vec<Wrong>,
}

#[derive(Debug, Serialize)]
struct Wrong {
    id: String,
    wanted: String,
    given: String,
}

/// What was given for a row, reduced to what is scored.
struct Given {
    outcome: &'static str,
    class: Option<&'static str>,
    category: &'static str,
}

fn score(file: &Path, format: Format, ruleset: &str, errors: bool) -> crate::Outcome {
    let mut score = Score { ruleset: ruleset.to_owned(), ..Score::default() };
    let classifier = Classifier::stateless(known_ruleset(ruleset)?);
    let mut fault = None;
    let mut number = 0;
    read_lines(file, |_, line| {
        number += 1;
        if line.trim_ascii().is_empty() || fault.is_some() {
            return;
        }
        match serde_json::from_slice::<Labelled>(line) {
            Ok(row) => match given(&classifier, &row) {
                Ok(given) => score.add(&row, &given),
                Err(error) => fault = Some(error),
            },
            Err(error) => {
                fault = Some(
                    Error::unreadable(format!("{} line {number}: {error}", file.display()))
                        .hint("each line is a labelled call; CONTRIBUTING.md names the fields"),
                );
            }
        }
    })
    .map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
    if let Some(error) = fault {
        return Err(error.into());
    }
    if !errors {
        score.errors.clear();
    }
    print(&score, format)?;
    Ok(Exit::Ok)
}

fn given(classifier: &Classifier<'_>, row: &Labelled) -> Result<Given, Error> {
    let payload = payload_of(row).to_string();
    let payload = payload::parse(payload.as_bytes()).map_err(|error| Error::unreadable(error.to_string()))?;
    let Kind::Call(call) = &payload.kind else { return Err(Error::unreadable("a row is no call")) };
    Ok(match classifier.answer(call, &Past::default())?.answer {
        Answer::Verdict(verdict) => Given {
            outcome: verdict.outcome.as_str(),
            class: Some(verdict.class.as_str()),
            category: verdict.category.as_str(),
        },
        Answer::NotFailure(not) => Given { outcome: not.outcome.as_str(), class: None, category: "" },
    })
}

/// The hook payload that a labelled call stands for.
fn payload_of(row: &Labelled) -> serde_json::Value {
    let tool = row.tool_name.as_deref().unwrap_or("Bash");
    let key = match tool.to_ascii_lowercase().as_str() {
        "read" | "edit" | "write" | "multiedit" => "file_path",
        "grep" | "glob" => "pattern",
        _ => "command",
    };
    let input = match &row.input {
        Some(object @ serde_json::Value::Object(_)) => object.clone(),
        Some(text) => serde_json::json!({ key: text }),
        None => serde_json::json!({ key: "" }),
    };
    let mut payload = serde_json::json!({
        "session_id": format!("labelled-{}", row.id), "cwd": "/home/dev/project", "tool_name": tool, "tool_input": input,
        "tool_use_id": row.id,
    });
    let more = if row.marked_failed {
        serde_json::json!({"hook_event_name": "PostToolUseFailure", "error": row.error_text})
    } else {
        serde_json::json!({"hook_event_name": "PostToolUse",
            "tool_response": {"stdout": row.error_text, "stderr": "", "interrupted": false, "isImage": false}})
    };
    if let (Some(payload), serde_json::Value::Object(more)) = (payload.as_object_mut(), more) {
        payload.extend(more);
    }
    payload
}

impl Score {
    fn add(&mut self, row: &Labelled, given: &Given) {
        self.rows += 1;
        let wanted = row.class_single.as_str();
        let shown = given.class.unwrap_or(given.outcome);
        *self.confusion.entry(wanted.to_owned()).or_default().entry(shown.to_owned()).or_default() += 1;
        if wanted == "OK" {
            return self.false_alarms.count(given.class.is_some());
        }
        let cause = row.root_cause.as_deref().unwrap_or("unknown");
        let right_category = given.category == cause;
        if !row.marked_failed {
            self.masked.count(given.outcome == "masked_failure");
            return self.note(row, given, given.outcome == "masked_failure" && right_category);
        }
        let (outcome, class) = (outcome_is_right(wanted, given), class_is_right(wanted, given));
        self.outcome.count(outcome);
        self.class.count(class);
        let failed = wanted_outcome(wanted).is_none();
        if failed {
            self.category.count(right_category);
        }
        self.f1_true += u32::from(wanted == "F1" && given.class == Some("F1"));
        self.f1_false += u32::from(wanted != "F1" && given.class == Some("F1"));
        self.f1_missed += u32::from(wanted == "F1" && given.class != Some("F1"));
        self.note(row, given, class && (!failed || right_category));
    }

    fn note(&mut self, row: &Labelled, given: &Given, right: bool) {
        if !right {
            let cause = row.root_cause.as_deref().unwrap_or("");
            let wanted = format!("{} {cause}", row.class_single);
            let given = format!("{} {} {}", given.outcome, given.class.unwrap_or("--"), given.category);
            self.errors.push(Wrong { id: row.id.clone(), wanted, given });
        }
    }
}

/// Outcomes that a label demands; None where the label means that the work failed.
fn wanted_outcome(label: &str) -> Option<&'static [&'static str]> {
    match label {
        "POLICY" => Some(&["denied"]),
        "NOTFAIL" => Some(&["benign_non_zero"]),
        "INTERRUPT" => Some(&["interrupted", "cascade"]),
        _ => None,
    }
}

fn outcome_is_right(label: &str, given: &Given) -> bool {
    wanted_outcome(label).unwrap_or(&["failed", "masked_failure"]).contains(&given.outcome)
}

fn class_is_right(label: &str, given: &Given) -> bool {
    outcome_is_right(label, given)
        && match label {
            "POLICY" | "NOTFAIL" | "INTERRUPT" => true,
            "F1" => given.class == Some("F1"),
            // A merge conflict without a known other node is F2 by definition.
            "F6" => given.class == Some("F6") || given.category == "merge_conflict",
            _ => !matches!(given.class, None | Some("F1" | "F6")),
        }
}

fn print(score: &Score, format: Format) -> Result<(), crate::Failure> {
    let mut out = std::io::stdout().lock();
    if format == Format::Json {
        writeln!(out, "{}", serde_json::to_string_pretty(score)?)?;
        return Ok(());
    }
    let style = Style::for_stdout();
    writeln!(out, "{}", style.bold(&format!("ruleset {}, {} rows", score.ruleset, score.rows)))?;
    for (name, share) in [
        ("outcome", score.outcome),
        ("class", score.class),
        ("category", score.category),
        ("masked found", score.masked),
        ("false alarms", score.false_alarms),
    ] {
        if share.all > 0 {
            writeln!(out, "  {name:<13} {:5.1} %  ({} of {})", share.percent(), share.right, share.all)?;
        }
    }
    writeln!(out, "  {:<13} {} right, {} false, {} missed", "F1", score.f1_true, score.f1_false, score.f1_missed)?;
    for (wanted, given) in &score.confusion {
        let given: Vec<String> = given.iter().map(|(given, count)| format!("{given} {count}")).collect();
        writeln!(out, "  {}", style.dim(&format!("{wanted:<10} -> {}", given.join(", "))))?;
    }
    for wrong in &score.errors {
        let line = format!("{} wanted {}, given {}", wrong.id, wrong.wanted, wrong.given);
        writeln!(out, "  {}", crate::style::shown(&line, 160))?;
    }
    Ok(())
}
