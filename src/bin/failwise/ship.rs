//! `failwise ship`: verdicts for a fleet, written out or posted.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::host::head::SessionSetting;
use failwise::journal::{HistoryParts, read_small};
use failwise::place::{home_of, project_name};
use failwise::replay::Replay;
use failwise::sessions;
use failwise::ship::{
    HistoryStep, LogsRequest, PostFault, ProjectFacts, Receiver, RecordMaker, RefusedRequest, RequestMaker, SentMark,
    SharedAttributes, ShipContent, ShipMarks, ShipRecord, ShipSettings, ShipTo, marks_file, ship_settings,
    unasked_settings,
};
use failwise::store::{BaseLock, histories, machine, place_of};
use failwise::text::many;
use failwise::time::stamp_of;
use serde_json::json;

use crate::inputs;
use crate::people;
use crate::style::{shown, shown_path};

/// How long a sending may take.
const LONGEST: Duration = Duration::from_mins(10);

/// Send verdicts to your company's collector, or write them: OpenTelemetry logs
///
/// With -o it writes records and opens no connection. Without, it posts the same bytes to the address of `[ship]` in
/// ~/.config/failwise/config.toml or /etc/failwise/config.toml; no project and no variable can name it. Without that setting
/// nothing is ever sent. Records hold ids, numbers and, unless `content = "ids"`, names of programs; never prompts, files or
/// the environment.
#[derive(Debug, Default, clap::Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 refused, or no address is set, 64 wrong command line, 65 the settings are unreadable, \
        69 the receiver refused a request, or is none, 74 a file could not be read or written, 75 the receiver was not reached: run it \
        again later.\n\nExamples:\n  failwise ship -o -              every byte that would be sent\n  failwise ship --new             \
        post what is new, as cron or a CI step does\n  failwise ship --format jsonl -o verdicts.jsonl ~/.claude/projects"
)]
pub(crate) struct ShipArgs {
    /// Sessions, histories or folders of them; by default your own histories
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Leave out older sessions: a duration such as 30d, or a date
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "new")]
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
    /// How much of anybody's words: where it is sent, no more than the settings allow
    #[arg(long, value_name = "WHAT", value_parser = ["ids", "names", "lines"], conflicts_with = "refused")]
    content: Option<String>,
    /// Keyed hashes in place of people, machines and projects
    #[arg(long)]
    anonymise: bool,
    /// Send what the receiver refused again, or drop it
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["paths", "since", "new", "output", "anonymise"])]
    refused: Option<RefusedVerb>,
    /// Run at the lowest priority
    #[arg(long, hide = true)]
    nice: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RefusedVerb {
    /// Once the receiver takes it
    Send,
    /// Only for people
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ShipFormat {
    /// For collectors
    #[default]
    Otlp,
    /// For engines and scripts
    Jsonl,
}

pub(crate) fn run(args: &ShipArgs) -> crate::CommandOutcome {
    let file = marks_file(&crate::env).ok_or_else(|| Error::usage("no home folder is known").hint("set HOME"))?;
    if args.refused == Some(RefusedVerb::Drop) {
        people::not_for_agents("data purge")?;
        let Some(_lock) = only_one(&file)? else { return Ok(Exit::Ok) };
        let dropped = ShipMarks::drop_refused(&file)?;
        inputs::warn(&format!("{} dropped", many(dropped as u64, "refused request", "refused requests")));
        return Ok(Exit::Ok);
    }
    let settings = if args.nice { unasked_settings(&crate::env) } else { ship_settings(&crate::env) };
    let mut settings = settings.map_err(|why| Error::unreadable(why).hint("docs/fleet.md shows the file"))?;
    let asked = args.content.as_ref().and_then(|word| serde_json::from_value(json!(word)).ok());
    if let Some(asked) = asked {
        if args.output.is_none() && asked > settings.content {
            let hint = "set `content` in the table [ship] of the settings, or write records with -o FILE";
            return Err(Error::refused("the settings allow less than that to be sent").hint(hint).into());
        }
        settings.content = asked;
    }
    if args.nice {
        crate::kb::give_way();
    }
    if let Some(output) = &args.output {
        return write_records(&Shipment::of(args, &settings, &file)?, output);
    }
    if settings.to.is_none() {
        return Err(Error::refused("nothing is sent: `to` names no address, or is off")
            .hint("set `to` in the table [ship] of ~/.config/failwise/config.toml, or write records with -o FILE")
            .into());
    }
    let receiver = Receiver::of(&settings, &crate::env, &project_settings())
        .map_err(|why| Error::refused(why).hint("docs/fleet.md shows the file"))?;
    let Some(_lock) = only_one(&file)? else { return Ok(Exit::Ok) };
    let mut sending = Sending {
        receiver,
        content: settings.content,
        until: Instant::now() + LONGEST,
        requests: RequestMaker::default(),
        marks: ShipMarks::read(&file),
        file: file.clone(),
        sent: 0,
        refused: 0,
    };
    let address = shown(&sending.receiver.address, 200);
    if args.refused.is_some() {
        let ended = sending.again();
        inputs::warn(&format!(
            "{} sent to {address}",
            many(sending.sent as u64, "refused request", "refused requests")
        ));
        return exit_of(ended, sending.refused, "requests", "failwise ship --refused drop deletes them");
    }
    let ended = Shipment::of(args, &settings, &file)?.all(&mut sending);
    sending.marks.fault =
        if let Err(Undone::Later(why) | Undone::Misdirected(why)) = &ended { Some(why.clone()) } else { None };
    if sending.sent > 0 {
        sending.marks.last = Some(crate::now());
    }
    sending.marks.keep(&file)?;
    inputs::warn(&format!("{} records sent to {address}", sending.sent));
    exit_of(ended, sending.refused, "records", "failwise doctor names them")
}

/// The lock of all sendings; None, said, where another one is at work.
fn only_one(file: &Path) -> Result<Option<BaseLock>, crate::CommandFailure> {
    let lock = BaseLock::take(file, Duration::ZERO)?;
    if lock.is_none() {
        inputs::warn("another sending is at work, so this one leaves it to that one");
    }
    Ok(lock)
}

/// What a sending comes to; `hint` is the next step where the receiver refused some of these.
fn exit_of(ended: Result<(), Undone>, refused: u64, of_what: &str, hint: &str) -> crate::CommandOutcome {
    match ended {
        Err(Undone::Failed(failure)) => Err(failure),
        Err(Undone::Later(why)) => Err(Error::exhausted(why).hint("what is left is sent the next time").into()),
        Err(Undone::Misdirected(why)) => {
            Err(Error::unavailable(why).hint("check `to` and `headers`; what is left is sent the next time").into())
        }
        Ok(()) if refused > 0 => {
            Err(Error::unavailable(format!("the receiver refused {refused} {of_what}")).hint(hint.to_owned()).into())
        }
        Ok(()) => Ok(Exit::Ok),
    }
}

/// Why a sending did not end.
enum Undone {
    /// It may pass later.
    Later(String),
    /// It passes once a person has mended where it goes to.
    Misdirected(String),
    /// Something of this machine's.
    Failed(crate::CommandFailure),
}

impl<E: Into<crate::CommandFailure>> From<E> for Undone {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

/// Where records go.
trait RecordSink {
    /// Takes a record, with what it shares with others.
    fn put(&mut self, record: &ShipRecord, shared: &SharedAttributes) -> Result<(), Undone>;

    /// All records so far are to be there; then a history was sent up to a mark.
    fn reached(&mut self, mark: Option<(&Path, &SentMark)>) -> Result<(), Undone>;
}

struct Sending {
    receiver: Receiver,
    content: ShipContent,
    until: Instant,
    requests: RequestMaker,
    marks: ShipMarks,
    file: PathBuf,
    sent: usize,
    refused: u64,
}

impl Sending {
    fn send(&mut self, request: &LogsRequest) -> Result<(), Undone> {
        match self.receiver.post(&request.body, self.until) {
            Ok(posted) => {
                let refused = posted.refused.min(request.records as u64);
                self.sent += request.records - usize::try_from(refused).unwrap_or_default();
                self.refused += refused;
                if refused > 0 {
                    self.marks.partly = (self.marks.partly.0 + refused, shown(&posted.words, 200));
                    inputs::warn(&format!("{refused} records were refused: {}", shown(&posted.words, 200)));
                }
                Ok(())
            }
            Err(PostFault::Refused(status)) => {
                self.refused += request.records as u64;
                Ok(self.marks.put_aside(&self.file, &request.body, status, self.content)?)
            }
            Err(fault) => Err(self.undone(fault)),
        }
    }

    /// What was refused once more, oldest first; what is taken is deleted.
    fn again(&mut self) -> Result<(), Undone> {
        for request in RefusedRequest::all(&self.file) {
            if request.content > self.content {
                let why = "`content` no longer allows all of it; failwise ship --refused drop deletes it";
                inputs::warn(&format!("{}: {why}", shown_path(&request.file)));
                self.refused += 1;
                continue;
            }
            let body = fs_err::read_to_string(&request.file)?;
            match self.receiver.post(&body, self.until) {
                Ok(_) => {
                    self.sent += 1;
                    fs_err::remove_file(&request.file)?;
                }
                Err(PostFault::Refused(_)) => self.refused += 1,
                Err(fault) => return Err(self.undone(fault)),
            }
        }
        Ok(())
    }

    fn undone(&self, fault: PostFault) -> Undone {
        let told = |why: String| format!("{}: {why}", shown(&self.receiver.address, 200));
        match fault {
            PostFault::Refused(status) => Undone::Misdirected(told(format!("it answered {status}"))),
            PostFault::Misdirected(why) => Undone::Misdirected(told(why)),
            PostFault::Later(why) => Undone::Later(told(why)),
        }
    }
}

impl RecordSink for Sending {
    fn put(&mut self, record: &ShipRecord, shared: &SharedAttributes) -> Result<(), Undone> {
        let full = self.requests.add(record, shared);
        full.map_or(Ok(()), |request| self.send(&request))
    }

    fn reached(&mut self, mark: Option<(&Path, &SentMark)>) -> Result<(), Undone> {
        if let Some(request) = self.requests.finish() {
            self.send(&request)?;
        }
        if let Some((dir, mark)) = mark {
            self.marks.histories.insert(dir.to_string_lossy().into_owned(), mark.clone());
            self.marks.keep(&self.file)?;
        }
        Ok(())
    }
}

/// Records that are written and not sent.
struct WrittenRecords<W> {
    out: W,
    format: ShipFormat,
    requests: RequestMaker,
    count: usize,
}

impl<W: Write> RecordSink for WrittenRecords<W> {
    fn put(&mut self, record: &ShipRecord, shared: &SharedAttributes) -> Result<(), Undone> {
        self.count += 1;
        match self.format {
            ShipFormat::Otlp => {
                if let Some(request) = self.requests.add(record, shared) {
                    writeln!(self.out, "{}", request.body)?;
                }
                self.requests.give_out(&mut self.out)?;
            }
            ShipFormat::Jsonl => writeln!(self.out, "{}", record.flat(shared))?,
        }
        Ok(())
    }

    fn reached(&mut self, _: Option<(&Path, &SentMark)>) -> Result<(), Undone> {
        if let Some(request) = self.requests.finish() {
            writeln!(self.out, "{}", request.body)?;
        }
        Ok(())
    }
}

/// What is asked for, and what all records of this machine share.
struct Shipment<'a> {
    args: &'a ShipArgs,
    maker: RecordMaker,
    machine: SharedAttributes,
    /// How far each history was sent before; nothing where all of it is asked for.
    marks: ShipMarks,
    /// The first moment that is asked for, RFC 3339 UTC.
    since: Option<String>,
}

impl<'a> Shipment<'a> {
    fn of(args: &'a ShipArgs, settings: &ShipSettings, file: &Path) -> Result<Self, Error> {
        let hidden_by = if args.anonymise { Some(failwise::project::machine_key(&crate::env)?) } else { None };
        let home = home_of(&crate::env).and_then(|home| home.into_os_string().into_string().ok());
        let maker = RecordMaker { content: settings.content, home, hidden_by };
        let mut shared = vec![
            ("service.name", json!("failwise")),
            ("service.version", json!(env!("CARGO_PKG_VERSION"))),
            ("host.id", json!(maker.name("host", &machine(&crate::env)?))),
            ("os.type", json!(std::env::consts::OS)),
        ];
        shared.extend(
            crate::setup::plugin_version().map(|version| ("failwise.plugin.version", json!(shown(&version, 60)))),
        );
        shared.extend(settings.person.as_ref().map(|person| ("failwise.person", json!(maker.name("person", person)))));
        let since = args.since.as_deref().map(inputs::since_of).transpose()?.and_then(stamp_of);
        let marks = if args.new { ShipMarks::read(file) } else { ShipMarks::default() };
        Ok(Self { args, maker, machine: shared, marks, since })
    }

    fn all(&self, sink: &mut dyn RecordSink) -> Result<(), Undone> {
        if !self.args.paths.is_empty() {
            return self.sessions(sink);
        }
        for (dir, project) in histories(&crate::env, crate::place().ok().as_ref()) {
            self.history(&dir, &project, sink)?;
        }
        Ok(())
    }

    /// The records of an own history, of the new part where that is asked for.
    fn history(&self, dir: &Path, project: &str, sink: &mut dyn RecordSink) -> Result<(), Undone> {
        let Ok(parts) = HistoryParts::of(dir) else { return Ok(()) };
        let mut mark = self.marks.of(dir, &parts);
        if mark.length >= parts.length {
            return Ok(());
        }
        let root_of = |cwd: &str| {
            let place = place_of(&crate::env, Path::new(cwd))?;
            (project_name(&place.project) == project).then(|| place.project.to_string_lossy().into_owned())
        };
        let mut known: Option<(String, ProjectFacts)> = None;
        let replay = replays()?;
        while let Some(step) = HistoryStep::behind(&mark, &parts, root_of)? {
            if let Some(root) = step.new.root.as_ref().filter(|root| known.as_ref().is_none_or(|it| it.0 != **root)) {
                known = Some((root.clone(), ProjectFacts::of(Path::new(root))));
            }
            let mut settings = BTreeMap::<String, SessionSetting>::new();
            let mut ended = Ok(());
            step.records(&parts, &self.maker, replay(), |record| {
                let root = known.as_ref().map(|(root, _)| root.as_str());
                let setting =
                    settings.entry(record.session.clone()).or_insert_with(|| setting_of(root, &record.session));
                // A linked worktree has a branch of its own.
                let is_known = setting.branch.is_some() || !step.new.in_worktrees.contains(&record.session);
                let facts = known.as_ref().filter(|_| is_known).map(|(_, facts)| facts);
                if ended.is_ok() {
                    ended = self.put(record, facts, setting, sink);
                }
            })?;
            ended?;
            let reached = step.mark();
            sink.reached(Some((dir, &reached)))?;
            mark = reached;
        }
        Ok(())
    }

    /// The records of sessions and histories that a person names.
    fn sessions(&self, sink: &mut dyn RecordSink) -> Result<(), Undone> {
        let found = inputs::find(&self.args.paths, self.args.since.as_deref())?;
        let mut ended = Ok(());
        inputs::replay_each(&found, None, replays()?, |number, replayed| {
            let Some(session) = found.sessions.get(number).filter(|_| ended.is_ok()) else { return };
            let root = session.begins_in().and_then(|cwd| Some(place_of(&crate::env, Path::new(&cwd))?.project));
            let facts = root.map(|root| ProjectFacts::of(&root).without_branch());
            let setting = session.run_with();
            let verdicts = replayed.rows.iter().filter_map(|row| self.maker.verdict(row));
            let mut records = verdicts.chain(self.maker.sums(&replayed.analysis, ""));
            ended = records.try_for_each(|record| self.put(&record, facts.as_ref(), &setting, sink));
        })?;
        ended?;
        sink.reached(None)
    }

    fn put(
        &self,
        record: &ShipRecord,
        facts: Option<&ProjectFacts>,
        setting: &SessionSetting,
        sink: &mut dyn RecordSink,
    ) -> Result<(), Undone> {
        if self.since.as_ref().is_some_and(|since| record.at < *since) {
            return Ok(());
        }
        let mut shared = self.machine.clone();
        shared.extend(facts.unwrap_or(&ProjectFacts::default()).attributes(&self.maker, record, setting));
        sink.put(record, &shared)
    }
}

/// What makes the replay of each session.
fn replays() -> Result<impl Fn() -> Replay + Sync, crate::CommandFailure> {
    let chosen = inputs::settings(None)?;
    let rules = crate::replay::known_ruleset("default")?;
    Ok(move || Replay::new(rules).with_settings(Arc::clone(&chosen)))
}

/// How a session of a project was run, as Claude Code's own file of it says, where that is there.
fn setting_of(root: Option<&str>, session: &str) -> SessionSetting {
    let file = root.and_then(|root| crate::data::session_file(root, session));
    let found = file.and_then(|file| sessions::find(&[file], None).ok());
    found.and_then(|found| Some(found.sessions.first()?.run_with())).unwrap_or_default()
}

fn write_records(shipment: &Shipment<'_>, output: &Path) -> crate::CommandOutcome {
    let failed = |undone| match undone {
        Undone::Failed(failure) => failure,
        Undone::Later(why) | Undone::Misdirected(why) => Error::io(why).into(),
    };
    let write = |out: &mut dyn Write| -> Result<usize, crate::CommandFailure> {
        let out = std::io::BufWriter::new(out);
        let mut written =
            WrittenRecords { out, format: shipment.args.format, requests: RequestMaker::default(), count: 0 };
        shipment.all(&mut written).map_err(failed)?;
        written.out.flush()?;
        Ok(written.count)
    };
    if output == Path::new("-") {
        let count = write(&mut std::io::stdout().lock())?;
        if std::io::stdout().is_terminal() {
            inputs::warn(&format!("{count} records; nothing was sent"));
        }
        return Ok(Exit::Ok);
    }
    let count = crate::outputs::replace_by(output, write)?;
    inputs::warn(&format!("{count} records in {}", shown_path(output)));
    Ok(Exit::Ok)
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
    if !matches!(unasked_settings(&crate::env), Ok(ShipSettings { to: Some(ShipTo::Address(_)), .. })) {
        return;
    }
    // What does not pass is kept in the marks, and named by `failwise doctor`.
    let _ = run(&ShipArgs { new: true, nice: true, ..ShipArgs::default() });
}

/// Where records go, when that was last, and how many wait: for `config` and `doctor`.
#[derive(Debug, Default, serde::Serialize)]
pub(crate) struct ShipState {
    /// The address, or `env`; None where the settings cannot be read, or only name a key.
    pub(crate) to: Option<String>,
    /// The file that says so.
    source: PathBuf,
    /// Whether hooks start sendings there: not with `env`, nor by a file of the user's where `HOME` is not the user's home.
    by_hooks: bool,
    /// How much of anybody's words goes along.
    content: ShipContent,
    /// When something was sent last.
    last: Option<String>,
    /// How many verdicts wait.
    waiting: u64,
    /// The certificates that vouch for the receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    ca_file: Option<PathBuf>,
    /// The key of `--anonymise`, where the settings name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_file: Option<PathBuf>,
    /// Whether a proxy is named; it may hold a key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    proxy: bool,
    /// What is wrong with the settings or with the last sending.
    pub(crate) problem: Option<String>,
    /// The next step, where there is a problem.
    #[serde(skip)]
    pub(crate) next: &'static str,
}

impl ShipState {
    /// All but the problem in one line; where there is nothing else, the problem.
    pub(crate) fn line(&self) -> String {
        let key = self.key_file.as_ref().map(|file| format!("anonymise key {}", file.display()));
        let Some(to) = &self.to else { return self.problem.clone().or(key).unwrap_or_default() };
        let last = self.last.as_ref().map_or_else(|| "never".to_owned(), |last| format!("at {last}"));
        let way = if self.proxy { " by a proxy" } else { "" };
        let mut line = format!("{to}{way} ({}), last {last}, {} verdicts wait", self.source.display(), self.waiting);
        let why = if to == "env" { "a person starts what `env` sends" } else { "HOME is not this user's home" };
        let hooks = (!self.by_hooks).then(|| format!("hooks send nothing: {why}"));
        for more in hooks.into_iter().chain(key) {
            line.push_str("; ");
            line.push_str(&more);
        }
        line
    }
}

/// The state of what is sent; None where nothing is set.
pub(crate) fn ship_state() -> Option<ShipState> {
    let settings = match ship_settings(&crate::env) {
        Ok(settings) => settings,
        Err(why) => {
            let next = "docs/fleet.md shows the file";
            return Some(ShipState { problem: Some(why), next, ..ShipState::default() });
        }
    };
    let is_address = matches!(settings.to, Some(ShipTo::Address(_)));
    let by_hooks = is_address && unasked_settings(&crate::env).is_ok_and(|unasked| unasked.to == settings.to);
    let ShipSettings { to, content, ca_file, key_file, proxy, file: source, .. } = settings;
    if to.is_none() && key_file.is_none() {
        return None;
    }
    let to = to.map(|to| match to {
        ShipTo::Address(address) => address,
        ShipTo::Env => "env".to_owned(),
    });
    let file = marks_file(&crate::env).unwrap_or_default();
    let marks = ShipMarks::read(&file);
    let waiting = histories(&crate::env, None).iter().map(|(dir, _)| marks.waiting(dir)).sum();
    let refused = RefusedRequest::all(&file);
    let (problem, next) = if let Some(fault) = marks.fault {
        (Some(fault), "failwise ship --new says why")
    } else if let Some(last) = refused.last() {
        let let_go = if marks.let_go > 0 { format!(", {} older ones let go", marks.let_go) } else { String::new() };
        let many = many(refused.len() as u64, "request was refused", "requests were refused");
        let bytes: u64 = refused.iter().map(|request| request.bytes).sum();
        let said = format!("{many} (last with {}, {} KB){let_go}", last.status, bytes.div_ceil(1024));
        (Some(said), "failwise ship --refused send, or --refused drop")
    } else if marks.partly.0 > 0 {
        let refused = many(marks.partly.0, "record was refused", "records were refused");
        (Some(format!("{refused}: {}", marks.partly.1)), "failwise ship --refused drop forgets them")
    } else {
        (None, "")
    };
    let (last, proxy) = (marks.last, proxy.is_some());
    Some(ShipState { to, source, by_hooks, content, last, waiting, ca_file, key_file, proxy, problem, next })
}
