//! `failwise decide`: what happens now, after a verdict.

use std::io::Write;
use std::path::PathBuf;

use failwise::decide::{DecisionFacts, Question, decide};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::State;
use failwise::journal::{HISTORY, Journal, Ledger};
use failwise::model::{Decision, Ids, Operation, PlanFacts, SiblingEdit, Verdict};
use failwise::place::Place;
use failwise::plan::PlanTree;
use failwise::recollect::{RecordedVerdict, WantedVerdict, verdict_in};
use failwise::redact::redact_printed;
use failwise::shell::line_of;
use failwise::signature::LONGEST_OPERATION;
use failwise::text::many;

use crate::inputs::from_stdin;
use crate::style::{Format, Style, nothing_yet, print_json, shown, write_rows};

const AFTER_HELP: &str = "\
The verdict on stdin needs only `class` and `node_id`; unknown fields are ignored. Each failure is \
decided once: later calls print the same decision and count no second retry. In plan trees, and where a retry may \
pass, the hook has decided already.

Exit codes: 0 decided, also that no verdict is recorded yet, 1 none of that node, 3 not a failure (`action` is none), 64 \
wrong command line, 65 no verdict on stdin, 74 a file could not be read or written.

Examples:
  failwise decide --last --format text
  echo '{\"class\":\"F1\",\"node_id\":\"TASK-00101\",\"operation\":\"git push\"}' |
    failwise decide --dry-run";

/// Decide the next step after a verdict: retry, fix, replan, arbitrate, or ask a person
///
/// Reads a verdict on stdin, or with --last the last one of the history; prints the decision as JSON and appends it to
/// the history. The same verdict, history, plan and time give the same decision. It does not retry or change anything.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DecideArgs {
    /// Decide on the last verdict of the history instead of one on stdin
    #[arg(long)]
    last: bool,
    /// Take the last verdict of this plan node, session or subagent from the history
    #[arg(long, value_name = "ID")]
    node: Option<String>,
    /// The plan tree to read instead of the project's
    #[arg(long, value_name = "DIR")]
    plans: Option<PathBuf>,
    /// Append nothing to the history
    #[arg(long)]
    dry_run: bool,
    /// Output format; by default text on a terminal, JSON in a pipe
    #[arg(long, value_enum)]
    format: Option<Format>,
}

pub(crate) fn run(args: &DecideArgs) -> crate::CommandOutcome {
    let place = crate::place()?;
    let is_kept = args.last || args.node.is_some();
    let Some(decision) = (if is_kept { from_history(args, &place)? } else { Some(on_given(args, &place)?) }) else {
        let reason =
            "no verdict is recorded here; the hook records one when a call fails, and `failwise doctor` checks it";
        return nothing_yet(Format::for_scripts(args.format), reason);
    };
    print(args, &decision)?;
    Ok(if decision.class.is_none() { Exit::NotFailure } else { Exit::Ok })
}

/// A verdict, and what the history holds of its failure.
struct AskedVerdict {
    question: Question,
    command: Option<String>,
    /// Whether the one test that failed is known to pass and fail by chance.
    flaky: bool,
    plan: Option<PlanFacts>,
    ids: Ids,
}

fn on_given(args: &DecideArgs, place: &Place) -> Result<Decision, crate::CommandFailure> {
    let next = "pass the answer of `failwise classify`, or take the last one with --last";
    let question = question_of(&from_stdin("there is no verdict on stdin", next)?)?;
    if question.class.is_none() {
        let (plan, state) = (PlanFacts::default(), State::new(&question.node));
        return Ok(decide(&question, &facts(&plan, &state, &[], (None, false)), "").decision);
    }
    let recorded = match question.history_ref.as_deref() {
        Some(id) => verdict_in(place, WantedVerdict::OfFailure(id))?,
        None => None,
    };
    if let Some(found) = recorded {
        return answer_to(args, place, question, found);
    }
    // An operation is not the call: folder and variables are taken off it.
    let ids = Ids { tool_use: question.tool_use_id.clone(), ..Ids::default() };
    settled_decision(args, place, AskedVerdict { question, command: None, flaky: false, plan: None, ids })
}

/// What is on stdin comes from outside: what is kept of it is cut and without secrets.
fn question_of(input: &[u8]) -> Result<Question, Error> {
    let object = |value: serde_json::Value| match value {
        // The answer for a call that is no failure names no node.
        serde_json::Value::Object(mut fields) if fields.get("class").is_some_and(serde_json::Value::is_null) => {
            fields.entry("node_id").or_insert_with(|| "".into());
            serde_json::Value::Object(fields)
        }
        value => value,
    };
    let no_verdict = |what: &str| {
        Error::unreadable(format!("stdin is no verdict: {}", shown(&redact_printed(what), 200)))
            .hint("give the answer of `failwise classify`, or take the last one of the history with --last")
    };
    let value: serde_json::Value = serde_json::from_slice(input).map_err(|error| no_verdict(&error.to_string()))?;
    if !value.is_object() {
        return Err(no_verdict("it is not one JSON object"));
    }
    let read = serde_json::from_value::<Question>(object(value));
    let question = read.map_err(|error| no_verdict(&error.to_string()))?;
    let short = |text: &str, most: usize| {
        let clean = redact_printed(text);
        clean.get(..clean.floor_char_boundary(most)).unwrap_or_default().to_owned()
    };
    let name = |text: Option<String>| text.map(|text| short(&text, 200));
    Ok(Question {
        node: short(&question.node, 200),
        operation: Operation(short(&question.operation.0, LONGEST_OPERATION)),
        episode: name(question.episode),
        conflict_id: name(question.conflict_id),
        tool_use_id: name(question.tool_use_id),
        history_ref: name(question.history_ref),
        evidence: question.evidence.iter().take(1).map(|seen| short(seen, 200)).collect(),
        ..question
    })
}

/// The verdict on a failure of the history by its event, and the decision: as it was made, else as it would be now. Nothing is
/// appended.
pub(crate) fn of_failure(place: &Place, id: &str) -> Result<Option<(Verdict, Decision)>, crate::CommandFailure> {
    let args = DecideArgs { last: true, node: None, plans: None, dry_run: true, format: Some(Format::Json) };
    let Some(found) = verdict_in(place, WantedVerdict::OfFailure(id))? else {
        return Ok(None);
    };
    let verdict = found.verdict.clone();
    let decision = answer_to(&args, place, Question::from(&verdict), found)?;
    Ok(Some((verdict, decision)))
}

/// None where no verdict is recorded.
fn from_history(args: &DecideArgs, place: &Place) -> Result<Option<Decision>, crate::CommandFailure> {
    let wanted = args.node.as_deref();
    let found = verdict_in(place, wanted.map_or(WantedVerdict::Last, WantedVerdict::OfNode))?;
    let Some(found) = found else {
        let unknown = |node| {
            let error = Error::refused(format!("{} has no verdict of {}", place.dir.display(), shown(node, 80)));
            error.hint("`failwise watch --once` shows who failed")
        };
        return wanted.map_or(Ok(None), |node| Err(unknown(node).into()));
    };
    let question = Question::from(&found.verdict);
    answer_to(args, place, question, found).map(Some)
}

/// Answers about a failure that the history holds: one failure has one decision.
fn answer_to(
    args: &DecideArgs,
    place: &Place,
    question: Question,
    found: RecordedVerdict,
) -> Result<Decision, crate::CommandFailure> {
    if let Some(decision) = found.decided {
        return Ok(decision);
    }
    let question = found.completed(question);
    let (command, flaky) = found.of_its_call(&crate::env, place);
    let RecordedVerdict { plan, ids, .. } = found;
    settled_decision(args, place, AskedVerdict { question, command, flaky, plan, ids })
}

/// Decides and appends under the lock, so that two that ask at once do not take the same retry.
fn settled_decision(args: &DecideArgs, place: &Place, asked: AskedVerdict) -> Result<Decision, crate::CommandFailure> {
    let AskedVerdict { question, command, flaky, plan, ids } = asked;
    let edit = plan.as_ref().and_then(|plan| plan.changed_by.clone());
    let mut now_known = plan_facts(args, place, &question.node)?;
    if let Some((plan, edit)) = now_known.as_mut().zip(edit) {
        // The other node may have ended since.
        plan.changed_by = Some(SiblingEdit { feature: edit.feature.clone(), ..plan.edit_by(&edit.node, &edit.file) });
    }
    let plan = now_known.or(plan).unwrap_or_else(|| PlanFacts { node: question.node.clone(), ..PlanFacts::default() });
    let (now, of_call) = (crate::now(), (command.as_deref(), flaky));
    if args.dry_run && !place.dir.join(HISTORY).is_file() {
        let state = State::new(&question.node);
        return Ok(decide(&question.completed(&state), &facts(&plan, &state, &[], of_call), &now).decision);
    }
    let mut ledger: Ledger = Journal::in_dir(&place.dir).begin_locked()?;
    let state = ledger.state(&question.node);
    let question = question.completed(&state);
    let others: Vec<State> =
        question.needs(&plan, &state).into_iter().map(|node| State::clone(&ledger.state(node))).collect();
    let settled = decide(&question, &facts(&plan, &state, &others, of_call), &now);
    if !args.dry_run {
        ledger.append(&mut settled.events(&ids, &now))?;
    }
    Ok(settled.decision)
}

/// What a decision looks at; of the call the command that is offered, and whether its test is flaky.
fn facts<'a>(
    plan: &'a PlanFacts,
    state: &'a State,
    others: &'a [State],
    (command, flaky): (Option<&'a str>, bool),
) -> DecisionFacts<'a> {
    DecisionFacts { plan, state, others, command, deviation: None, flaky }
}

/// The plan as it is now, where the node is in it: its budgets may have changed since the verdict.
fn plan_facts(args: &DecideArgs, place: &Place, node: &str) -> Result<Option<PlanFacts>, Error> {
    let tree = match (&args.plans, &place.plans) {
        (Some(dir), _) => Some(PlanTree::open(dir).map_err(|error| crate::plan::change_error(&error.into()))?),
        (None, Some(dir)) => PlanTree::open(dir).ok(),
        (None, None) => None,
    };
    Ok(tree.map(|tree| tree.facts(node)).filter(|facts| facts.tier.is_some()))
}

fn print(args: &DecideArgs, decision: &Decision) -> Result<(), crate::CommandFailure> {
    if Format::for_scripts(args.format) == Format::Json {
        return print_json(decision).map(drop);
    }
    let mut out = crate::style::text_page(Format::Text);
    let style = Style::for_stdout();
    let class = decision.class.map(|class| format!(" {}", class.as_str())).unwrap_or_default();
    let call = shown(&decision.operation.0, 70);
    let action = decision.action.as_str();
    let action = decision.class.map_or_else(|| style.bold(action), |class| style.class(class, action));
    writeln!(out, "{action}{class}  {call}")?;
    let target = if decision.target_node == decision.node_id { "" } else { &*decision.target_node };
    let head = [
        ("target", shown(target, 80)),
        ("attempt", decision.attempt.to_string()),
        ("not before", decision.not_before.clone().unwrap_or_default()),
    ];
    let budgets = &decision.budgets;
    let left = [
        ("retry", "retries", budgets.retries),
        ("retry of the project", "retries of the project", budgets.project_retries),
        ("replan", "replans", budgets.replans),
    ];
    let left = left.into_iter().filter_map(|(one, more, count)| Some(("left", many(count?.into(), one, more))));
    write_rows(&mut out, 12, head.into_iter().chain(left))?;
    for reason in &decision.reasons {
        writeln!(out, "  {}", style.dim(&shown(reason, 200)))?;
    }
    let commands = decision.next_commands.iter().map(|next| {
        let command = next.shell.clone().unwrap_or_else(|| line_of(&next.argv));
        let background = if next.background { " (in the background)" } else { "" };
        ("run", format!("{}{background}", shown(&command, 300)))
    });
    Ok(write_rows(&mut out, 12, commands)?)
}
