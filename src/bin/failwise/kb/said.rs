//! What people say of a failure: what fixed it, that nothing of it is to be told, that it is to be forgotten. Each is an
//! event of the project's history, so that a base that is made anew knows it.

use failwise::digest::hex16;
use failwise::error::Error;
use failwise::gate::{GateContext, prose};
use failwise::history::{Body, Event, HISTORY_NODE, PlanEvent};
use failwise::journal::Journal;
use failwise::knowledge::{Known, LONGEST_WORDS};
use failwise::model::Ids;
use failwise::place::{Place, project_name};
use failwise::redact::redact;
use failwise::store::{Base, CONFIRMS, FORGETS};
use failwise::text::one_line;
use serde_json::json;

use super::answers::{failure_by_id, id};
use crate::people;
use crate::style::{PrintArgs, shown};

/// Report the fix of a failure in your words, or confirm a learned one
///
/// Agents hear it when the failure comes back, in any later session. Only people can do this.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise kb report-fix 8146 \"run pnpm api:generate and stage what it wrote\"\n  \
                        failwise kb report-fix 8146 --fix 0a1b2c3d"
)]
pub(crate) struct ReportFixArgs {
    #[command(flatten)]
    pattern: PatternArgs,
    /// The fix, at most 200 characters
    #[arg(value_name = "WORDS", required_unless_present = "fix", conflicts_with = "fix")]
    words: Option<String>,
    /// A learned fix, or one that an agent reported of a test case, by its id
    #[arg(long, value_name = "FIX")]
    fix: Option<String>,
}

/// Stop mentioning a failure
#[derive(Debug, clap::Args)]
pub(crate) struct PatternArgs {
    /// The failure: the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// Skip the check for a person: for your own scripts
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn report_fix(args: &ReportFixArgs) -> crate::CommandOutcome {
    let said = "recorded; agents hear it when the failure comes back";
    say(&args.pattern, ("kb report-fix", said), Body::FixReported, |place, known| match (&args.fix, &args.words) {
        (Some(fix), _) => confirmed(place, known, fix).map(Some),
        (None, Some(words)) => noted(words).map(Some),
        (None, None) => Err(Error::usage("nothing was said").hint("give WORDS or --fix")),
    })
}

pub(crate) fn mute(args: &PatternArgs) -> crate::CommandOutcome {
    let said = "muted; `failwise kb unmute` takes it back";
    say(args, ("kb mute", said), Body::PatternMuted, |_, _| Ok(None))
}

pub(crate) fn unmute(args: &PatternArgs) -> crate::CommandOutcome {
    say(args, ("kb unmute", "is mentioned again"), Body::PatternUnmuted, |_, _| Ok(None))
}

pub(crate) fn forget(args: &PatternArgs) -> crate::CommandOutcome {
    let said = "forgotten; what happens from now on counts again";
    say(args, ("kb forget", said), Body::PatternMuted, |_, _| Ok(Some(FORGETS.to_owned())))
}

/// The fix that a person confirms: a learned one of the failure, or one that was reported of a test case.
fn confirmed(place: &Place, known: &Known, fix: &str) -> Result<String, Error> {
    let is_it = |id: &str| fix.len() >= 4 && id.starts_with(fix);
    let learned = known.fixes.iter().map(|known| &known.fix.id).find(|id| is_it(id)).cloned();
    let reported = || -> Result<Option<String>, Error> {
        let reports = Base::open(&super::base_path()?)?.case_reports(&project_name(&place.project))?;
        Ok(reports.into_iter().map(|report| report.id).find(|id| is_it(id)))
    };
    let found = if learned.is_some() { learned } else { reported()? };
    let found = found.ok_or_else(|| {
        Error::refused(format!("this failure has no fix {}", shown(fix, 40))).hint("failwise kb show lists its fixes")
    })?;
    Ok(format!("{CONFIRMS}{found}"))
}

fn noted(words: &str) -> Result<String, Error> {
    let words = one_line(&redact(words), LONGEST_WORDS + 1);
    if prose(&words, &GateContext::default()) != words.as_str() {
        return Err(Error::usage("a word in it looks random, as a secret does")
            .hint("agents hear these words: say it without that word"));
    }
    if words.trim().is_empty() || words.chars().count() > LONGEST_WORDS {
        return Err(Error::usage(format!("words of 1 to {LONGEST_WORDS} characters are needed"))
            .hint("say in one sentence what to do"));
    }
    // What names a fix is another kind of report.
    Ok(words.strip_prefix(CONFIRMS).map_or(words.clone(), |rest| format!("Fix: {rest}")))
}

/// Appends what a person says of a failure, and learns it at once; `told` is the answer.
fn say(
    args: &PatternArgs,
    (words, told): (&str, &str),
    body: fn(PlanEvent) -> Body,
    reason: impl FnOnce(&Place, &Known) -> Result<Option<String>, Error>,
) -> crate::CommandOutcome {
    people::only_people(words, args.yes)?;
    let place = &crate::place()?;
    let (_, memory) = super::memory(place)?;
    let known = failure_by_id(&memory, &args.id)?;
    let reason = reason(place, known)?;
    let (fine, ts) = (&known.pattern.fine, crate::now());
    let event_id = hex16(&["kb", fine, &ts, reason.as_deref().unwrap_or_default()]);
    let body = body(PlanEvent { target: Some(fine.clone()), reason, ..PlanEvent::default() });
    let event = Event::new(event_id, &ts, HISTORY_NODE, &Ids::default(), body);
    Journal::in_dir(&place.dir).begin()?.append(&mut [event])?;
    super::caught_up(place)?;
    let value = json!({ "schema_version": 1, "id": id(known), "done": told });
    super::answer(args.print.format, &value, |out| {
        writeln!(out, "{}  {}: {told}", id(known), shown(&known.pattern.operation, 80))
    })
}
