//! What recurs, and what worked: lists, and one failure with all that is known of it.

use std::collections::BTreeMap;
use std::io::Write;

use failwise::error::Error;
use failwise::knowledge::{Known, KnownFix, month_alone};
use failwise::place::project_name;
use failwise::report::TeamFailure;
use failwise::store::{FailureStatus, Memory};
use failwise::text::{many, short, spoken, start};
use failwise::time::{short_age, stamp_at};
use serde_json::{Value, json};

use crate::inputs::id_of;
use crate::style::{Format, PrintArgs, Style, shown, write_more, write_rows};

/// The version of a row's own fields. Rows of version 1 lack how episodes ended, and by whom and which model they were met.
const ROW_VERSION: u32 = 2;
/// How many failures are listed for people.
const LISTED: usize = 20;

/// List recurring failures, the costliest first
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "The JSON is described by schemas/kb.schema.json.\n\nExamples:\n  failwise kb list\n  failwise kb list --match cargo --all"
)]
pub(crate) struct KbListArgs {
    /// Only failures with these words in their command, line, category or id
    #[arg(long = "match", value_name = "WORDS")]
    matching: Option<String>,
    /// Include muted failures, and those of which nothing is known but that they happened once
    #[arg(long)]
    all: bool,
    /// Whose failures these are, for lists of several people
    #[arg(long, value_name = "NAME")]
    person: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// Show everything known about one failure
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise kb show 8146\n  failwise kb show 8146 --json")]
pub(crate) struct KbShowArgs {
    /// The failure: the beginning of its id, as in `failwise kb list` and in messages to agents
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn list(args: &KbListArgs) -> crate::CommandOutcome {
    let place = crate::place()?;
    let (_, memory) = super::memory(&place)?;
    let now = super::now();
    let matching = args.matching.as_ref().map(|words| words.to_lowercase());
    let is_wanted = |known: &&Known| {
        let status = memory.status(known, now);
        let recurs = known.sessions > 1 || known.shared_occurrences > 0 || known.fixes.iter().any(KnownFix::tellable);
        // A script gets everything, and says itself what it wants.
        let is_listed = args.all || args.print.format == Format::Json || (recurs && status != FailureStatus::Muted);
        is_listed && matching.as_deref().is_none_or(|words| matches(known, words))
    };
    let mut known: Vec<&Known> = memory.known.iter().filter(is_wanted).collect();
    // What has no fix on several machines first, then what is new or came back; inside, as they cost.
    known.sort_by_key(|known| (!costs_all(known), !memory.status(known, now).is_news()));
    let patterns: Vec<Value> =
        known.iter().map(|known| pattern_json(known, &memory, now, args.person.as_deref())).collect();
    let value = json!({ "schema_version": 1, "patterns": patterns });
    super::answer(args.print.format, &value, |out| print_list(out, &known, &memory, now))
}

/// Whether the team says that it comes back, and nobody knows a fix.
fn costs_all(known: &Known) -> bool {
    known.shared_occurrences > 0 && !known.fixes.iter().any(KnownFix::tellable)
}

/// What costs the team of this folder's project and has no fix, the costliest first, for a report.
pub(crate) fn costs_the_team() -> Vec<TeamFailure> {
    let place = crate::place().ok();
    let Some(memory) = place.and_then(|place| super::known_now(Some(&project_name(&place.project)))) else {
        return Vec::new();
    };
    let is_meant = |known: &&Known| costs_all(known) && !memory.muted.contains(&known.pattern.fine);
    memory.known.iter().filter(is_meant).take(LISTED).map(team_failure).collect()
}

fn team_failure(known: &Known) -> TeamFailure {
    let (call, category) = (shown(&known.pattern.operation, 60), spoken(known.pattern.category.as_str()));
    let failures = known.occurrences + known.shared_occurrences;
    let times = many(failures, "failure", "failures");
    TeamFailure {
        id: id(known).to_owned(),
        signature: known.pattern.fine.clone(),
        failures,
        tokens: known.cost.tokens.total() + known.shared_tokens,
        line: format!("`{call}`: {category}, {times} {}, and no fix is known", in_all(known)),
    }
}

fn matches(known: &Known, words: &str) -> bool {
    let pattern = &known.pattern;
    let line = pattern.line.as_deref().unwrap_or_default();
    let fields = [pattern.operation.as_str(), line, pattern.category.as_str(), &pattern.fine];
    fields.iter().any(|field| field.to_lowercase().contains(words))
}

fn print_list(out: &mut dyn Write, known: &[&Known], memory: &Memory, now: u64) -> std::io::Result<()> {
    let style = Style::for_stdout();
    if known.is_empty() {
        return writeln!(
            out,
            "Nothing recurs in this folder's project yet. `failwise kb learn --transcripts` reads the sessions that the \
             clients keep; after that, an empty list means that no failure of this project came back."
        );
    }
    for known in known.iter().take(LISTED) {
        let status = memory.status(known, now);
        let mark = if status.is_news() { style.yellow(status.as_str()) } else { style.dim(status.as_str()) };
        writeln!(out, "{}  {}  {mark}", style.bold(id(known)), shown(&known.pattern.operation, 80))?;
        writeln!(
            out,
            "      {}, {}, last {}, {} tokens",
            spoken(known.pattern.category.as_str()),
            times_met(known),
            match month_alone(known.last_seen) {
                Some(month) => format!("in {month}"),
                None => format!("{} ago", short_age(now.saturating_sub(known.last_seen) / 1000)),
            },
            short(known.cost.tokens.total() + known.shared_tokens),
        )?;
        if let Some(fix) = known.best() {
            writeln!(out, "      {}", style.green(&fix_line(fix)))?;
        }
    }
    write_more(out, ("", known.len(), LISTED), ": failwise kb list --format json")
}

/// How often it was met here, and how many sessions met it on how many machines: of people nothing is known.
fn times_met(known: &Known) -> String {
    let sessions = many(known.sessions, "session", "sessions");
    let here = format!("{} in {sessions}", many(known.occurrences, "time", "times"));
    match (known.sessions > 0, known.machines) {
        (_, 0) => here,
        (true, _) => format!("{here}, {} in all", in_all(known)),
        (false, _) => format!("{}, never here", in_all(known)),
    }
}

/// How many sessions met it on how many machines, this one included.
fn in_all(known: &Known) -> String {
    let sessions = many(known.sessions + known.shared_sessions, "session", "sessions");
    let machines = known.machines + u64::from(known.sessions > 0);
    format!("in {sessions} on {}", many(machines, "machine", "machines"))
}

/// A fix in one line: its kind, its words and its counts.
fn fix_line(fix: &KnownFix) -> String {
    let words = shown(&fix.fix.words.line(), 120);
    let name = spoken(fix.fix.kind().as_str());
    let words = if words.is_empty() { String::new() } else { format!(" {words}") };
    // Of what never worked the memory's prior is no confidence.
    let sure = if fix.worked > 0 { format!(", confidence {:.2}", fix.confidence) } else { String::new() };
    format!("{name}{words}  ({} of {}{sure})", fix.worked, fix.tried)
}

pub(crate) fn id(known: &Known) -> &str {
    start(&known.pattern.fine, 8)
}

/// What helped against failures, in any project, by their signatures.
pub(crate) fn fixes() -> BTreeMap<String, String> {
    let known = super::known_now(None).map(|memory| memory.known).unwrap_or_default();
    let helped = |it: &Known| {
        it.fixes.iter().filter(|fix| fix.worked > 0).max_by(|a, b| a.confidence.total_cmp(&b.confidence)).map(fix_line)
    };
    known.iter().filter_map(|it| Some((it.pattern.fine.clone(), helped(it)?))).collect()
}

/// The one failure that an id names.
///
/// # Errors
/// When it names none, or several.
pub(crate) fn failure_by_id<'m>(memory: &'m Memory, id: &str) -> Result<&'m Known, Error> {
    let id = &id_of(id)?;
    let is_it = |known: &&Known| known.pattern.fine.starts_with(id);
    let found: Vec<&Known> = memory.known.iter().filter(is_it).collect();
    let name = shown(id, 40);
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::refused(format!("no failure of this project has the id {name}"))
            .hint("failwise kb list --all lists them; failwise kb learn --transcripts learns from your sessions")),
        all => Err(crate::inputs::ambiguous_id(id, &all.iter().map(|it| shown(&it.pattern.fine, 40)).collect())),
    }
}

pub(crate) fn show(args: &KbShowArgs) -> crate::CommandOutcome {
    let place = crate::place()?;
    let (base, mut memory) = super::memory(&place)?;
    let mut root = base.root(&project_name(&place.project))?;
    // What a report of all projects names is known in any folder.
    if failure_by_id(&memory, &args.id).is_err()
        && let Some(all) = super::known_now(None).filter(|all| failure_by_id(all, &args.id).is_ok())
    {
        (memory, root) = (all, None);
    }
    let known = failure_by_id(&memory, &args.id)?;
    let now = super::now();
    let value = json!({ "schema_version": 1, "patterns": [pattern_json(known, &memory, now, None)] });
    super::answer(args.print.format, &value, |out| print_one(out, known, &memory, root.as_deref(), now))
}

fn print_one(out: &mut dyn Write, known: &Known, memory: &Memory, root: Option<&str>, now: u64) -> std::io::Result<()> {
    let style = Style::for_stdout();
    let pattern = &known.pattern;
    writeln!(out, "{}  {}", style.bold(id(known)), shown(&pattern.operation, 200))?;
    let rows = [
        ("line", pattern.line.as_ref().map(|line| shown(line, 300)).unwrap_or_default()),
        ("category", spoken(pattern.category.as_str())),
        ("status", memory.status(known, now).as_str().to_owned()),
        ("seen", times_met(known)),
        ("first", stamp_at(known.first_seen).unwrap_or_default()),
        ("last", stamp_at(known.last_seen).unwrap_or_default()),
        ("project", root.map(|root| shown(root, 200)).unwrap_or_default()),
    ];
    write_rows(out, 9, rows)?;
    for fix in &known.fixes {
        let told = many(fix.told, "time", "times");
        let state =
            fix.why_not.map_or_else(|| style.green("mentioned"), |why| style.dim(&format!("not mentioned: {why}")));
        writeln!(out, "  fix {}  {}", fix.fix.id, fix_line(fix))?;
        writeln!(out, "      {state}; reported {told}, followed {}", fix.followed)?;
    }
    for (name, went) in memory.strategies(&pattern.fine) {
        writeln!(out, "  plan {}  ({} of {} worked)", shown(&name, 60), went.worked, went.tried)?;
    }
    Ok(())
}

fn pattern_json(known: &Known, memory: &Memory, now: u64, person: Option<&str>) -> Value {
    let pattern = &known.pattern;
    let cost = known.cost;
    let strategies = memory.strategies(&pattern.fine).into_iter();
    let strategies = strategies.map(|(name, went)| json!({ "name": name, "tried": went.tried, "worked": went.worked }));
    json!({
        "row_version": ROW_VERSION,
        "id": id(known),
        "signature": { "fine": pattern.fine, "coarse": pattern.coarse, "version": pattern.version },
        "category": pattern.category.as_str(),
        "runner": pattern.runner,
        "operation": pattern.operation,
        "line": pattern.line,
        "status": memory.status(known, now).as_str(),
        "occurrences": known.occurrences,
        "sessions": known.sessions,
        "shared": {
            "sessions": known.shared_sessions, "machines": known.machines,
            "occurrences": known.shared_occurrences, "tokens": known.shared_tokens,
        },
        "first_seen": stamp_at(known.first_seen),
        "last_seen": stamp_at(known.last_seen),
        "cost": {
            "calls": cost.calls, "turns": cost.turns, "tokens": cost.tokens.total(), "wall_ms": cost.wall_ms,
        },
        "ended": known.ended,
        "tokens": cost.tokens.total(),
        "seconds": cost.wall_ms / 1000,
        "model": known.models,
        "person": person.map(|person| shown(person, 60)),
        "fixes": known.fixes.iter().map(fix_json).collect::<Vec<_>>(),
        "strategies": strategies.collect::<Value>(),
    })
}

fn fix_json(fix: &KnownFix) -> Value {
    json!({
        "id": fix.fix.id,
        "kind": fix.fix.kind().as_str(),
        "words": fix.fix.words.line(),
        "object": fix.fix.object,
        "tried": fix.tried,
        "worked": fix.worked,
        "confidence": (fix.confidence * 1000.0).round() / 1000.0,
        "sessions": fix.sessions,
        "last_worked": fix.last_worked.and_then(stamp_at),
        "told": fix.told,
        "followed": fix.followed,
        "tellable": fix.tellable(),
        "why_not": fix.why_not,
    })
}
