//! `failwise ship`: verdicts for a fleet, written out or posted.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::{HISTORY, read_small};
use failwise::place::home_of;
use failwise::replay::{FailureRow, Replay};
use failwise::ship::{
    PostFault, RecordMaker, SentMark, ShipContent, ShipMarks, ShipRecord, ShipSettings, ShipTo, envelope, marks_file,
    post, ship_settings, split,
};
use failwise::store::{BaseLock, histories, machine};
use serde_json::{Map, Value, json};

use crate::inputs;
use crate::style::{shown, shown_path};

/// How long a sending may take.
const LONGEST: Duration = Duration::from_mins(10);

/// Send verdicts to your company's collector, or write them: OpenTelemetry logs
///
/// With -o it writes records and opens no connection. Without, it posts the same bytes to the address of `[ship]` in
/// ~/.config/failwise/config.toml or /etc/failwise/config.toml; no project and no variable can name it. Without that setting
/// nothing is ever sent. Records hold ids, numbers and, unless `content = "ids"`, names of programs; never prompts, files or
/// the environment.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 refused, or no address is set, 64 wrong command line, 65 the settings are unreadable, \
        69 the receiver refused a request, 74 a file could not be read or written, 75 the receiver was not reached: run it \
        again later.\n\nExamples:\n  failwise ship -o -              every byte that would be sent\n  failwise ship --new             \
        post what is new, as cron or a CI step does\n  failwise ship --format jsonl -o verdicts.jsonl ~/.claude/projects"
)]
pub(crate) struct ShipArgs {
    /// Sessions, histories or folders of them; by default your own histories
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Leave out older sessions: a duration such as 30d, or a date
    #[arg(long, value_name = "TIME", conflicts_with = "new")]
    since: Option<String>,
    /// Only what is new since the last time, of your own histories
    #[arg(long, conflicts_with = "paths")]
    new: bool,
    /// Format of what is written: requests of OTLP/JSON, or one flat object a record
    #[arg(long, value_enum, default_value = "otlp", requires = "output")]
    format: ShipFormat,
    /// Write to a file, or to standard output with -, and send nothing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Keyed hashes in place of people, machines and projects
    #[arg(long)]
    anonymise: bool,
    /// Run at the lowest priority
    #[arg(long, hide = true)]
    nice: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShipFormat {
    /// For collectors
    Otlp,
    /// For engines and scripts
    Jsonl,
}

/// The settings, as an error of a person's own.
fn checked_settings() -> Result<Option<ShipSettings>, Error> {
    ship_settings(&crate::env).map_err(|why| Error::unreadable(why).hint("docs/fleet.md shows the file"))
}

pub(crate) fn run(args: &ShipArgs) -> crate::CommandOutcome {
    let settings = checked_settings()?;
    if args.nice {
        crate::kb::give_way();
    }
    let file = marks_file(&crate::env).ok_or_else(|| Error::usage("no home folder is known").hint("set HOME"))?;
    let maker = maker(settings.as_ref(), args.anonymise)?;
    let resource = resource(settings.as_ref(), &maker)?;
    if let Some(output) = &args.output {
        return write_records(args, output, &maker, &resource, &file);
    }
    let Some(settings) = settings else {
        return Err(Error::refused("nothing is sent: no address is set")
            .hint("set `to` in the table [ship] of ~/.config/failwise/config.toml, or write records with -o FILE")
            .into());
    };
    let (address, headers) = settings
        .target(&crate::env, &project_settings())
        .map_err(|why| Error::refused(why).hint("name the address itself in `ship.to`"))?;
    let Some(_lock) = BaseLock::take(&file, Duration::ZERO)? else {
        inputs::warn("another sending is at work, so this one leaves it to that one");
        return Ok(Exit::Ok);
    };
    let mut sending = Sending {
        address,
        headers,
        until: Instant::now() + LONGEST,
        marks: ShipMarks::read(&file),
        file: file.clone(),
        sent: 0,
        refused: 0,
    };
    let ended = if args.new {
        each_new(&mut sending, &maker, &resource, &file)
    } else {
        collected(args, &maker).and_then(|records| sending.send(&records, &resource))
    };
    if let Err(Undone::Later(why)) = &ended {
        sending.marks.fault = Some(why.clone());
    } else {
        sending.marks.fault = None;
    }
    sending.marks.last = Some(crate::now());
    sending.marks.keep(&file)?;
    inputs::warn(&format!("{} records sent to {}", sending.sent, shown(&sending.address, 200)));
    match ended {
        Err(Undone::Failed(failure)) => Err(failure),
        Err(Undone::Later(why)) => Err(Error::exhausted(why).hint("what is left is sent the next time").into()),
        Ok(()) if sending.refused > 0 => {
            Err(Error::unavailable(format!("the receiver refused {} records", sending.refused))
                .hint("failwise doctor names them")
                .into())
        }
        Ok(()) => Ok(Exit::Ok),
    }
}

/// Why a sending did not end.
enum Undone {
    /// It may pass later.
    Later(String),
    /// Something of this machine's.
    Failed(crate::CommandFailure),
}

impl From<crate::CommandFailure> for Undone {
    fn from(failure: crate::CommandFailure) -> Self {
        Self::Failed(failure)
    }
}

impl From<std::io::Error> for Undone {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.into())
    }
}

struct Sending {
    address: String,
    headers: std::collections::BTreeMap<String, String>,
    until: Instant,
    marks: ShipMarks,
    file: PathBuf,
    sent: usize,
    refused: u64,
}

impl Sending {
    fn send(&mut self, records: &[ShipRecord], resource: &Map<String, Value>) -> Result<(), Undone> {
        for part in split(records, resource) {
            let body = envelope(part, resource);
            match post(&self.address, &self.headers, &body, self.until) {
                Ok(posted) => {
                    self.sent += part.len();
                    self.refused += posted.refused;
                    if posted.refused > 0 {
                        inputs::warn(&format!(
                            "{} records were refused: {}",
                            posted.refused,
                            shown(&posted.words, 200)
                        ));
                    }
                }
                Err(PostFault::Refused(status)) => {
                    self.refused += part.len() as u64;
                    self.marks.put_aside(&self.file, &body, status, &crate::now())?;
                }
                Err(PostFault::Later(why)) => {
                    return Err(Undone::Later(format!("{}: {why}", shown(&self.address, 200))));
                }
            }
        }
        Ok(())
    }
}

/// Sends what is new of each history, and moves its mark when all of it was taken.
fn each_new(
    sending: &mut Sending,
    maker: &RecordMaker,
    resource: &Map<String, Value>,
    file: &Path,
) -> Result<(), Undone> {
    for (dir, _) in histories(&crate::env, crate::place().ok().as_ref()) {
        let mark = sending.marks.of(&dir);
        let (_, lines) = mark.waiting(&dir);
        if lines <= mark.line {
            continue;
        }
        let records = new_of_history(&dir, &mark, lines, maker)?;
        sending.send(&records, resource)?;
        let at = records.iter().map(|record| record.at.clone()).max().unwrap_or_default().max(mark.at.clone());
        sending.marks.histories.insert(dir.to_string_lossy().into_owned(), SentMark { line: lines, at, ..mark });
        sending.marks.keep(file)?;
    }
    Ok(())
}

/// What is new of a history up to a line.
fn new_of_history(
    dir: &Path,
    mark: &SentMark,
    lines: u64,
    maker: &RecordMaker,
) -> Result<Vec<ShipRecord>, crate::CommandFailure> {
    let is_new = |row: &FailureRow| {
        let is_current = row.file.ends_with(HISTORY);
        (mark.line == 0 || is_current && row.line > mark.line) && (!is_current || row.line <= lines)
    };
    records_of(&[dir.to_owned()], None, maker, &mark.at, is_new)
}

/// The records of what was asked for.
fn collected(args: &ShipArgs, maker: &RecordMaker) -> Result<Vec<ShipRecord>, Undone> {
    let paths = if args.paths.is_empty() {
        histories(&crate::env, crate::place().ok().as_ref()).into_iter().map(|(dir, _)| dir).collect()
    } else {
        args.paths.clone()
    };
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    Ok(records_of(&paths, args.since.as_deref(), maker, "", |_| true)?)
}

fn records_of(
    paths: &[PathBuf],
    since: Option<&str>,
    maker: &RecordMaker,
    from: &str,
    is_new: impl Fn(&FailureRow) -> bool,
) -> Result<Vec<ShipRecord>, crate::CommandFailure> {
    let found = inputs::find(paths, since)?;
    let chosen = inputs::settings(None)?;
    let rules = crate::replay::known_ruleset("default")?;
    let mut records = Vec::new();
    let replay = || Replay::new(rules).with_settings(std::sync::Arc::clone(&chosen));
    inputs::replay_each(&found, replay, |_, replayed| {
        records.extend(maker.records(&replayed.rows, &replayed.analysis, from, &is_new));
    })?;
    Ok(records)
}

fn write_records(
    args: &ShipArgs,
    output: &Path,
    maker: &RecordMaker,
    resource: &Map<String, Value>,
    file: &Path,
) -> crate::CommandOutcome {
    let records = if args.new {
        let marks = ShipMarks::read(file);
        let mut all = Vec::new();
        for (dir, _) in histories(&crate::env, crate::place().ok().as_ref()) {
            let mark = marks.of(&dir);
            all.extend(new_of_history(&dir, &mark, u64::MAX, maker)?);
        }
        all
    } else {
        collected(args, maker).map_err(|undone| match undone {
            Undone::Failed(failure) => failure,
            Undone::Later(why) => Error::io(why).into(),
        })?
    };
    let lines: Vec<String> = match args.format {
        ShipFormat::Otlp => split(&records, resource).into_iter().map(|part| envelope(part, resource)).collect(),
        ShipFormat::Jsonl => records.iter().map(|record| record.flat(resource).to_string()).collect(),
    };
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    if output == Path::new("-") {
        std::io::stdout().lock().write_all(text.as_bytes())?;
        if std::io::stdout().is_terminal() {
            inputs::warn(&format!("{} records; nothing was sent", records.len()));
        }
        return Ok(Exit::Ok);
    }
    crate::outputs::replace(output, &text)?;
    inputs::warn(&format!("{} records in {}", records.len(), shown_path(output)));
    Ok(Exit::Ok)
}

fn maker(settings: Option<&ShipSettings>, anonymise: bool) -> Result<RecordMaker, Error> {
    let hidden_by = if anonymise { Some(failwise::project::machine_key(&crate::env)?) } else { None };
    let home = home_of(&crate::env).and_then(|home| home.into_os_string().into_string().ok());
    let content = settings.map_or_else(ShipContent::default, |settings| settings.content);
    Ok(RecordMaker { content, home, hidden_by })
}

/// What all records of this machine share.
fn resource(settings: Option<&ShipSettings>, maker: &RecordMaker) -> Result<Map<String, Value>, Error> {
    let mut all = Map::new();
    all.insert("service.name".to_owned(), json!("failwise"));
    all.insert("service.version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    all.insert("host.id".to_owned(), json!(maker.name("host", &machine(&crate::env)?)));
    all.insert("os.type".to_owned(), json!(std::env::consts::OS));
    if let Some(person) = settings.and_then(|settings| settings.person.as_deref()) {
        all.insert("failwise.person".to_owned(), json!(maker.name("person", person)));
    }
    Ok(all)
}

/// The settings files of the project, which may set variables for whatever the client starts.
fn project_settings() -> Vec<String> {
    let Ok(place) = crate::place() else { return Vec::new() };
    let files = [".claude/settings.json", ".claude/settings.local.json"].map(|name| place.project.join(name));
    let there = files.iter().filter(|file| std::fs::symlink_metadata(file).is_ok());
    there.map(|file| read_small(file, 1024 * 1024).unwrap_or_else(|| "unreadable".to_owned())).collect()
}

/// Starts a sending where the settings name an address: a learner does so at its end, which hooks start beside them.
pub(crate) fn after_learning() {
    let is_wanted = matches!(ship_settings(&crate::env), Ok(Some(ShipSettings { to: ShipTo::Address(_), .. })));
    if !is_wanted {
        return;
    }
    let args = ShipArgs {
        paths: Vec::new(),
        since: None,
        new: true,
        format: ShipFormat::Otlp,
        output: None,
        anonymise: false,
        nice: true,
    };
    // What does not pass is kept in the marks, and named by `failwise doctor`.
    let _ = run(&args);
}

/// Where records go, when that was last, and how many wait: for `config` and `doctor`. None where nothing is set.
pub(crate) fn ship_state() -> Option<(Result<String, String>, Option<String>)> {
    let settings = match ship_settings(&crate::env) {
        Ok(settings) => settings?,
        Err(why) => return Some((Err(why), None)),
    };
    let marks = marks_file(&crate::env).map(|file| ShipMarks::read(&file)).unwrap_or_default();
    let waiting: u64 = histories(&crate::env, None).iter().map(|(dir, _)| marks.of(dir).waiting(dir).0).sum();
    let to = match &settings.to {
        ShipTo::Address(address) => address.clone(),
        ShipTo::Env => "env".to_owned(),
    };
    let last = marks.last.map_or_else(|| "never".to_owned(), |last| format!("at {last}"));
    let says = format!("{to} ({}), last {last}, {waiting} verdicts wait", settings.file.display());
    let refused =
        marks.refused.last().map(|last| format!("{} requests were refused, the last one: {last}", marks.refused.len()));
    Some((Ok(says), marks.fault.or(refused)))
}
