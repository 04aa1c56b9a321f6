//! `failwise arbitrate`: decide which side of a conflict gives way.

use std::io::Write;
use std::path::PathBuf;

use failwise::arbiter::{ArbiterDesk, ConflictScene, DeskTopic};
use failwise::conflicts::Conflict;
use failwise::conflicts::policy::Arbitration;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::model::Class;
use failwise::place::{Place, find};
use serde::Deserialize;

use crate::inputs::from_stdin;
use crate::style::{Format, Style, print_pretty, shown, write_rows};

/// Decide which of two conflicting plan nodes gives way, and carry out automatic decisions
///
/// The table is rules/workflow/conflict-arbitration-policy.md: exactly one decision a call. While the blocker works,
/// the other node is frozen. Once it is done, its real changes in git decide whether the other node continues as
/// planned. A resolved conflict stays unchanged.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 decided by the table, or resolved already; 1 a person has to decide, or there is no such conflict or no plan tree; 64 wrong \
    command line, 65 unreadable input, 74 a file could not be read or written.\n\n\
                        Examples:\n  failwise arbitrate CONFLICT-1f0c2a9b\n  \
                        failwise classify < payload.json | failwise arbitrate"
)]
pub(crate) struct ArbitrateArgs {
    /// The conflict; by default an id, a conflict's record or a verdict of class F6 from stdin
    id: Option<String>,
    /// Decide, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Output format; by default text on a terminal, JSON in a pipe
    #[arg(long, value_enum)]
    format: Option<Format>,
}

pub(crate) fn run(args: &ArbitrateArgs) -> crate::CommandOutcome {
    run_at(&Seat::here()?, args)
}

/// The same for a plan tree that is known.
pub(crate) fn run_at(seat: &Seat, args: &ArbitrateArgs) -> crate::CommandOutcome {
    let about = match &args.id {
        Some(id) => DeskTopic::Id(id.clone()),
        None => topic_from_stdin()?,
    };
    let answer = at_desk(seat, |desk| desk.arbitrate(about, args.dry_run))?;
    print(&answer, Format::for_scripts(args.format))?;
    let is_settled = answer.automatic || answer.resolution.is_some();
    Ok(if is_settled { Exit::Ok } else { Exit::Differs })
}

/// The plan tree whose conflicts are worked on.
pub(crate) struct Seat {
    pub(crate) place: Place,
    /// The plan tree.
    pub(crate) plans: PathBuf,
    /// The folder of its history.
    pub(crate) history: PathBuf,
}

impl Seat {
    /// The plan tree of the project that the person is in.
    fn here() -> Result<Self, Error> {
        let place = find(&crate::env, Some(&crate::here()?));
        if let Some(foreign) = place.as_ref().and_then(|place| place.foreign_plans.as_deref()) {
            return Err(crate::plan::untrusted(foreign));
        }
        let found = place.and_then(|place| Some((place.plans.clone()?, place)));
        let missing = || Error::refused("there is no plan tree here").hint("`failwise plan init` makes one");
        let (plans, place) = found.ok_or_else(missing)?;
        Ok(Self { history: place.dir.clone(), plans, place })
    }
}

/// Opens the desk of a plan tree.
pub(crate) fn at_desk<T>(seat: &Seat, work: impl FnOnce(&mut ArbiterDesk<'_>) -> Result<T, Error>) -> Result<T, Error> {
    on_scene(seat, |scene| work(&mut ArbiterDesk::open(scene)?))
}

/// Looks at the plan tree with the project's settings, now.
pub(crate) fn on_scene<T>(seat: &Seat, work: impl FnOnce(ConflictScene<'_>) -> Result<T, Error>) -> Result<T, Error> {
    let Seat { place, plans, history } = seat;
    let ignored = crate::config::settings_of(Some(place)).0.ignored();
    let now = crate::now();
    let scene =
        ConflictScene { project: &place.project, plans, history, ignored: &ignored, now: &now, ids: crate::caller() };
    work(scene)
}

/// What a verdict says of a conflict.
#[derive(Deserialize)]
struct ConflictVerdict {
    class: Class,
    node_id: String,
    #[serde(default)]
    evidence: Vec<String>,
}

#[derive(Deserialize)]
struct NamedConflict {
    conflict_id: String,
}

fn topic_from_stdin() -> Result<DeskTopic, Error> {
    let input = from_stdin("no conflict is given", "failwise arbitrate CONFLICT-ID; see --help")?;
    let text = str::from_utf8(&input).map_err(|_| unknown())?.trim();
    if !text.starts_with('{') {
        let id = text.trim_matches('"');
        return if id.is_empty() || id.contains(char::is_whitespace) {
            Err(unknown())
        } else {
            Ok(DeskTopic::Id(id.to_owned()))
        };
    }
    if let Ok(verdict) = serde_json::from_str::<ConflictVerdict>(text) {
        return match verdict.class {
            Class::F6 => Ok(DeskTopic::Verdict { evidence: verdict.evidence, node: verdict.node_id }),
            class => Err(Error::unreadable(format!("the verdict is {}, and only F6 is a conflict", class.as_str()))
                .hint("failwise decide answers the others")),
        };
    }
    if let Ok(record) = serde_json::from_str::<Conflict>(text) {
        return Ok(DeskTopic::Record(Box::new(record)));
    }
    serde_json::from_str::<NamedConflict>(text).map(|named| DeskTopic::Id(named.conflict_id)).map_err(|_| unknown())
}

fn unknown() -> Error {
    Error::unreadable("stdin is not a conflict's id, its record or a verdict")
        .hint("echo CONFLICT-ID | failwise arbitrate")
}

/// Prints an arbitration.
pub(crate) fn print(answer: &Arbitration, format: Format) -> Result<(), crate::CommandFailure> {
    if format == Format::Json {
        return print_pretty(answer).map(drop);
    }
    let mut out = crate::style::text_page(Format::Text);
    let style = Style::for_stdout();
    let who = if answer.automatic { "by the table" } else { "for a person" };
    let decision = style.bold(answer.decision.as_str());
    writeln!(out, "{}  {decision}  {}", shown(&answer.conflict_id, 80), style.dim(who))?;
    let side = |side: &Option<String>| shown(side.as_deref().unwrap_or("unknown"), 80);
    let done = if answer.applied { "changed" } else { "would" };
    let next = answer.next_commands.iter().map(|command| {
        ("next", format!("{}  {}", shown(&command.argv.join(" "), 200), style.dim(&shown(&command.why, 120))))
    });
    let rows = [("waits", side(&answer.proposed)), ("blocker", side(&answer.blocker))].into_iter();
    let rows = rows.chain(answer.reasons.iter().map(|reason| ("because", shown(reason, 200))));
    let rows = rows.chain(answer.actions.iter().map(|action| (done, shown(action, 200))));
    let rows = rows.chain(answer.resolution.iter().map(|resolution| ("over", shown(resolution, 80)))).chain(next);
    Ok(write_rows(&mut out, 8, rows)?)
}
