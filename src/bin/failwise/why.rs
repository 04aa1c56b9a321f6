//! `failwise why`: one answer to "why did this fail?", put together of those of `classify`, `decide`, `diagnose`, `recover` and
//! `kb`.

use std::io::Write;

use failwise::diagnose::result::{DiagnoseResult, Match};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::is_session;
use failwise::journal::Journal;
use failwise::model::{Category, Decision, DecisionAction, MetMode, ToolInput, Verdict};
use failwise::place::Place;
use failwise::recollect::{KeptFailure, LATELY, SessionTrace, WantedFailure, failure_in, recalled, trace_to};
use failwise::recover::call;
use failwise::recover::result::{PlannedStrategy, RecoveryPlan};
use failwise::report;
use failwise::text::{many, one_line, quoted, spoken, start};
use failwise::time::{clock_name, minute};
use serde::Serialize;

use crate::recover::MadePlan;
use crate::style::{Format, Style, print_json, text_page, write_rows};

/// Explain the newest failure: what is known, and what to do
///
/// ID names another failure: its session or plan node, or at least 4 characters of its signature, its event or its call. Messages,
/// reports and the history print them. Within a session of Claude Code only failures of that session are looked at.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It joins the answers of `classify`, `decide`, `diagnose` and `recover`, and computes nothing of its own; nothing is changed, and nothing \
is sent anywhere. Output: text on a terminal, else one JSON object with `verdict`, `decision`, `diagnosis` and `plan` \
(schemas/why.schema.json).

Exit codes: 0 an answer, also that nothing failed, 1 nothing has this ID, 64 wrong command line, 74 the history could not be read.

Examples:
  failwise why
  failwise why --probe    with a read-only look at the machine
  failwise why 3a91 --format json | jq .plan.primaryStrategy")]
pub(crate) struct WhyArgs {
    /// A failure: at least 4 characters of its ID
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Examine the machine for facts that the plan needs
    #[arg(long)]
    probe: bool,
    /// Record the plan in the project's history, so that its outcome counts
    #[arg(long)]
    record: bool,
    /// Output format; by default text on a terminal, JSON in a pipe
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// The whole answer.
#[derive(Serialize)]
struct WholeAnswer<'a> {
    schema_version: u32,
    failure: WhyFailure<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    diagnosis: DiagnoseResult,
    plan: &'a RecoveryPlan,
    /// What hooks tell of it.
    #[serde(skip)]
    known: Option<String>,
}

/// What failed.
#[derive(Serialize)]
struct WhyFailure<'a> {
    /// Its event in the history.
    id: &'a str,
    /// When, RFC 3339 UTC.
    at: &'a str,
    node: &'a str,
    session: Option<&'a str>,
    tool: &'a str,
    /// The call as it may be shown.
    call: &'a str,
    exit_code: Option<i32>,
    /// The line of the output that matters.
    line: Option<&'a str>,
    /// Whether the same operation passed since.
    passed_since: bool,
    /// Whether it is a chain of which a part has run by now.
    #[serde(skip)]
    is_chain: bool,
    /// The parts of its `&&` chain that passed before the one that failed, where that one is known.
    ran: Vec<&'a str>,
    /// What is left of the chain, where that is known.
    left: Option<String>,
    /// Whether it waited for input until the limit ended it.
    #[serde(skip)]
    waited: bool,
}

pub(crate) fn run(args: &WhyArgs) -> crate::CommandOutcome {
    let format = Format::for_scripts(args.format);
    let place = crate::place()?;
    let Some(mut failure) = failure_of(args, &place)? else { return none(format, &place) };
    let mut seen = trace_to(&place, &failure)?;
    if args.id.is_none()
        && seen.passed_since
        && let Some(open) = open_check(&place, &failure.node)?
    {
        (seen, failure) = (trace_to(&place, &open)?, open);
    }
    let SessionTrace { mut trace, passed_since } = seen;
    let (verdict, decision) = crate::decide::of_failure(&place, &failure.id)?.unzip();
    failure.failed.wait_ms = decision.as_ref().and_then(crate::recover::decided_wait);
    let known = recalled(&crate::env, &place, &failure.failed, &failure.ids, &crate::now());
    let known = known.filter(|known| !known.seen_before).map(|known| known.words);
    let made = MadePlan::of_kept(place, failure.clone(), args.probe)?;
    let plan = made.plan();
    let chain = failure.failed.chain();
    let left = chain.as_ref().zip(failure.failed.line.as_deref()).and_then(|(chain, line)| chain.left_of(line));
    let is_chain = chain.is_some();
    // A form is one of what has to run, and not of what has run.
    if let Some((ToolInput::Command { command, .. }, left)) =
        trace.calls.last_mut().map(|call| &mut call.input).zip(left.as_ref())
    {
        *command = left.clone().into();
    }
    let diagnosis = crate::diagnose::of_last(trace);
    let ran = chain.map(|chain| chain.ran).unwrap_or_default();
    let answer = WholeAnswer {
        schema_version: 1,
        failure: WhyFailure {
            id: &failure.id,
            at: &failure.at,
            node: &failure.node,
            session: failure.ids.session.as_deref(),
            tool: &failure.failed.tool,
            call: failure.failed.file.as_deref().unwrap_or(&failure.failed.shown),
            exit_code: failure.failed.exit_code,
            line: failure.failed.reading.line.as_deref(),
            passed_since,
            is_chain,
            ran,
            left,
            waited: failure.failed.category == Category::Timeout
                && failure.failed.met.as_ref().is_some_and(MetMode::waits),
        },
        verdict,
        decision,
        diagnosis,
        plan,
        known,
    };
    match format {
        Format::Json => print_json(&answer).map(drop)?,
        Format::Text => answer.print(&mut text_page(Format::Text), Style::for_stdout())?,
    }
    if args.record {
        made.record();
    }
    Ok(Exit::Ok)
}

fn failure_of(args: &WhyArgs, place: &Place) -> Result<Option<KeptFailure>, crate::CommandFailure> {
    let Some(id) = args.id.as_deref() else {
        let session = crate::caller().session;
        let wanted = session.as_deref().map_or(WantedFailure::Newest, WantedFailure::OfSession);
        return Ok(failure_in(place, wanted)?);
    };
    let id = crate::inputs::id_of(id)?;
    if let Some(failure) = failure_in(place, WantedFailure::Named(&id))? {
        return Ok(Some(failure));
    }
    let name = one_line(&id, 40);
    let hint = if crate::show::has(&id)? {
        format!("no event of the plugin has it; of your sessions it is known: failwise show {name}")
    } else {
        "`failwise report --last` lists the newest session's".to_owned()
    };
    Err(Error::refused(format!("no failure of this project is called `{name}`")).hint(hint).into())
}

/// The newest check of a node that is open: it asks for more than what has passed.
fn open_check(place: &Place, node: &str) -> Result<Option<KeptFailure>, Error> {
    let states = Journal::in_dir(&place.dir).peek_session(node);
    let checks = states.iter().flat_map(|state| &state.episodes).filter(|it| it.category.is_of_check());
    let fine = checks.max_by_key(|it| it.last_at).and_then(|it| it.fines.last());
    Ok(fine.map(|fine| failure_in(place, WantedFailure::Named(fine))).transpose()?.flatten())
}

/// Whether more of the history stands before what is looked through without an ID.
fn is_cut(place: &Place) -> bool {
    Journal::in_dir(&place.dir)
        .parts()
        .iter()
        .filter_map(|part| part.metadata().ok())
        .map(|part| part.len())
        .sum::<u64>()
        > LATELY
}

fn none(format: Format, place: &Place) -> crate::CommandOutcome {
    let is_session = crate::caller().session.is_some();
    let reason = if is_session {
        "this session has no failure".to_owned()
    } else if is_cut(place) {
        let size = LATELY / (1024 * 1024);
        format!("the last {size} MiB of this project's history have no failure; `failwise why ID` looks further back")
    } else {
        let newest = crate::show::newest_of(&place.project)?.map(|episode| {
            let (call, id) = (quoted(&report::call_of(&episode), 100), one_line(&episode.id, 40));
            format!("; of its sessions the newest failure is {call}: failwise show {id}")
        });
        let next = "; `failwise` and `failwise report --last` show what your sessions hold";
        format!("the history of this project has no failure{}", newest.unwrap_or_else(|| next.to_owned()))
    };
    match format {
        Format::Json => print_json(&serde_json::json!({ "schema_version": 1, "failure": null, "reason": reason }))?,
        Format::Text => {
            let mut out = text_page(Format::Text);
            writeln!(out, "No answer: {reason}.")?;
            if is_session && let Some(newest) = failure_in(place, WantedFailure::Newest)? {
                writeln!(out, "The project's newest: failwise why {}", start(&newest.failed.signature.fine, 8))?;
            }
            Exit::Ok
        }
    };
    Ok(Exit::Ok)
}

/// The longest line of the answer.
const LINE: usize = 300;
/// How many steps of the plan are shown.
const STEPS: usize = 3;

/// What is to be looked at, of a reason that says why, too: `it may have taken effect (push): compare ...`.
fn what_to_check(why: &str) -> String {
    let found = why.split_once("): ").map(|(_, look)| format!(": {}", look.trim_end_matches(')')));
    found.unwrap_or_else(|| why.to_owned())
}

impl WholeAnswer<'_> {
    /// What a colleague would say, in some ten lines. What comes from outside stands in backticks.
    fn print(&self, out: &mut impl Write, style: Style) -> std::io::Result<()> {
        let failure = &self.failure;
        let status = failure.exit_code.map(|code| format!(", status {code}")).unwrap_or_default();
        let verdict = self.verdict.as_ref().map(|verdict| {
            let attempt = if verdict.attempt > 1 { format!(", attempt {}", verdict.attempt) } else { String::new() };
            let fine = start(&verdict.signature.fine, 8);
            format!("{attempt} [{} {} {fine}]", verdict.class.as_str(), spoken(verdict.category.as_str()))
        });
        let head = format!("{} failed{status}, {} {}", quoted(failure.call, 160), minute(failure.at), clock_name());
        writeln!(out, "{}{}", style.bold(&head), verdict.unwrap_or_default())?;
        let ran = failure.ran.iter().map(|part| quoted(part, 100)).collect::<Vec<_>>().join(", ");
        let ran = failure.left.as_ref().map(|_| format!("{} passed before it", one_line(&ran, LINE)));
        let says = ("it says", failure.line.map(|line| quoted(line, LINE)).unwrap_or_default());
        if failure.passed_since {
            let since = "the same call passed: there is nothing left to do".to_owned();
            return write_rows(out, 8, [says, ("since", since)]);
        }
        let tool = self.diagnosis.matches.first().filter(|found| found.is_told).map(|found| self.property(found));
        let rows = [
            says,
            ("ran", ran.unwrap_or_default()),
            ("cause", one_line(&self.plan.root_cause.description, LINE)),
            ("known", self.known()),
            ("tool", tool.unwrap_or_default()),
        ];
        write_rows(out, 8, rows)?;
        self.print_plan(out)?;
        let (next, never) = self.next();
        write_rows(out, 8, [("next", next), ("not", never.to_owned())])
    }

    /// What worked against it before.
    fn known(&self) -> String {
        let learned = self.strategies().find(|strategy| strategy.name == "use_what_worked");
        let known = self.known.as_deref().or(learned.map(|known| &*known.why));
        known.map_or_else(|| "nothing that worked against it here".to_owned(), |known| one_line(known, LINE))
    }

    /// Whether the plan is a question.
    fn asks(&self) -> bool {
        self.plan.primary_strategy.iter().flat_map(|primary| &primary.steps).any(|step| step.tool.is_none())
    }

    fn strategies(&self) -> impl Iterator<Item = &PlannedStrategy> {
        self.plan.primary_strategy.iter().chain(&self.plan.fallback_strategies)
    }

    fn print_plan(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Some(primary) = &self.plan.primary_strategy else {
            return writeln!(
                out,
                "  plan     none: {}",
                one_line(self.plan.reason.as_deref().unwrap_or_default(), LINE)
            );
        };
        writeln!(out, "  plan     {}", one_line(&primary.why, LINE))?;
        for (number, step) in (1..).zip(primary.steps.iter().take(STEPS)) {
            writeln!(out, "        {number}. {}: {}", one_line(&step.action, 160), call(step))?;
        }
        match self.plan.fallback_strategies.len() as u64 {
            0 => Ok(()),
            more => writeln!(out, "           {}: see --format json", many(more, "more plan", "more plans")),
        }
    }

    /// What is done now, and what is not.
    fn next(&self) -> (String, &'static str) {
        use DecisionAction as A;
        if self.failure.waited {
            return ("make the call in a form that does not wait".to_owned(), "the same call again unchanged");
        }
        let Some(decision) = &self.decision else {
            let has_plan = self.plan.primary_strategy.is_some();
            let next = if has_plan { "follow the plan" } else { "make the call in a form that does not wait" };
            return (next.to_owned(), "the same call again unchanged");
        };
        let why = decision.reasons.first().map(|why| format!(" ({})", one_line(why, 160))).unwrap_or_default();
        match decision.action {
            A::Retry | A::SingleRetry => {
                let from = decision.not_before.as_deref().map(|time| format!(", not before {}", one_line(time, 40)));
                let call = self
                    .failure
                    .left
                    .as_deref()
                    .map(|left| format!("what is left of the call: {}", quoted(left, LINE)));
                let offered = || decision.next_commands.first().and_then(|next| next.shell.as_deref());
                let offered =
                    || offered().filter(|_| self.failure.is_chain).map(|shell| format!("run {}", quoted(shell, LINE)));
                let call = call.or_else(offered).unwrap_or_else(|| "the same call again".to_owned());
                let never = if self.asks() { "change code for it" } else { "change code for it, or ask a person" };
                (format!("{call}{}", from.unwrap_or_default()), never)
            }
            A::CheckFirst => (
                format!("check whether the call took effect{}", what_to_check(&why)),
                "the same call again before that",
            ),
            A::SingleRetryThenEscalate => ("the same call once more".to_owned(), "a second time; then ask a person"),
            A::None | A::SelfHeal | A::FixAndRerun => match (&self.failure.left, self.failure.is_chain) {
                (_, false) if self.asks() => {
                    ("ask the person, as the plan does".to_owned(), "run it again before anything is changed")
                }
                (_, false) if self.plan.primary_strategy.is_some() => {
                    ("follow the plan".to_owned(), "run the same call again before that")
                }
                (_, false) => {
                    ("fix the cause; only then run it again".to_owned(), "run it again before anything is changed")
                }
                (Some(left), true) => (
                    format!("fix the cause; then run what is left: {}", quoted(left, LINE)),
                    "run the whole line again",
                ),
                (None, true) => (
                    "fix the cause; then run the part that failed and those behind it".to_owned(),
                    "run the whole line again: parts of it may have passed",
                ),
            },
            A::Escalate | A::FreezeAndEscalate => {
                (format!("ask a person{why}"), "the same call again, or a way around it")
            }
            // The words of plans are for plans only.
            A::ReplanStory | A::ReplanFeature if is_session(self.failure.node) => {
                ("try another way: the same one failed again and again".to_owned(), "the same call again")
            }
            A::ReplanStory | A::ReplanFeature | A::Arbitrate => {
                (format!("{}{why}", spoken(decision.action.as_str())), "the same call again")
            }
        }
    }

    /// The property of the tool that stood in the way, and the form that works; of a chain of which nobody knows what failed
    /// none, as it would hold what has run.
    fn property(&self, found: &Match) -> String {
        let form = found.workaround.lines().next().filter(|_| !self.failure.is_chain || self.failure.left.is_some());
        let form = form.map(|form| format!(": {form}")).unwrap_or_default();
        one_line(&format!("§{} {}{form}", found.failure_mode_id, found.title), LINE)
    }
}
