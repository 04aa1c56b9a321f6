//! `failwise lessons`: the changes that end recurring failures, and what those that were adopted did.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use failwise::changes::{
    AdoptedChange, ChangeAct, ChangeEffect, ChangeEvidence, EffectSide, EffectWord, MetSession, ProjectChange, changes,
    effect, says_already, says_otherwise, with_line, with_rule,
};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::read_small;
use failwise::place::{Place, project_folder, session_project};
use failwise::redact::redact;
use failwise::replay::Replay;
use failwise::report::{Lesson, LessonEvidence};
use failwise::sessions::FoundFiles;
use failwise::store::{adopt, adopted};
use failwise::text::{count, many};
use failwise::time::{millis, since_1970, wall_day};
use serde_json::{Value, json};

use crate::habits;
use crate::inputs::{self, OfHost};
use crate::people;
use crate::report::MONTH;
use crate::style::{Format, PrintArgs, Style, print_pretty, shown, shown_path, text_page};
use crate::wiring::client_home;

/// What `--since` takes for the time around each adopted change.
const SINCE_ADOPTED: &str = "ADOPTED";
/// How long before an adoption sessions count, in milliseconds: four weeks.
const BEFORE_MS: i64 = 28 * 24 * 60 * 60 * 1000;
/// The largest CLAUDE.md or settings file that is read, in bytes.
const LARGEST_PAGE: u64 = 512 * 1024;
/// Where a project says what its agents should know.
const PAGES: &[&str] = &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "QWEN.md"];
/// Where a project allows commands; the first is the one that rules are written to.
const PERMISSIONS: &[&str] = &[".claude/settings.json", ".claude/settings.local.json"];

/// List changes that end recurring failures: lines, rules, tasks
///
/// It reads this project's sessions of the last 30 days and ranks what failed in at least two of them. What your CLAUDE.md
/// says already is left out. With a PATH it reads the same inputs as `failwise replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    failwise lessons                   the changes for this project\n  \
    failwise lessons --all-projects    those of every project\n  \
    failwise lessons --write           show the diff, and ask once\n  \
    failwise lessons --write --only 8d7a6c18    one change, from any folder\n  \
    failwise lessons --adopted         before and after each adopted change\n\n\
    Exit codes: 0 done, also if nothing recurs, 1 refused to an agent, or not agreed, 64 wrong command line, 65 \
    unreadable input, 74 a file could not be read or written.\n\n\
    The JSON is described by schemas/lessons.schema.json.")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(crate) struct LessonsArgs {
    /// Transcripts, histories, or folders of them; by default your own sessions
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Leave out older sessions: a duration such as 30d, 12h or 2w, or a date such as 2026-03-01; `adopted` is --adopted
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// Include every project
    #[arg(long, conflicts_with = "project")]
    all_projects: bool,
    /// Only the project with this name
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Compare the four weeks before and after each adopted change
    #[arg(long, conflicts_with = "write")]
    adopted: bool,
    /// Show the diff of CLAUDE.md and .claude/settings.json, ask, and write; only for people
    #[arg(long, conflicts_with_all = ["all_projects", "project"])]
    write: bool,
    /// With --write: only these changes, by their ids
    #[arg(long, value_name = "ID", value_delimiter = ',', requires = "write")]
    only: Vec<String>,
    /// With --write: do not ask, for your own scripts
    #[arg(long, requires = "write")]
    yes: bool,
    #[command(flatten)]
    of: OfHost,
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn run(args: &LessonsArgs) -> crate::CommandOutcome {
    let tried = args.paths.first().filter(|path| !path.exists()).and_then(|path| path.to_str());
    if let Some((word, meant)) = tried.and_then(|word| Some((word, habits::meant_by("lessons", |it| it == word)?))) {
        let id = args.paths.get(1).map_or_else(|| "ID".to_owned(), |id| shown_path(id));
        let error = Error::usage(format!("`failwise lessons` has no command `{word}`"));
        return Err(error.hint(format!("did you mean: {}", meant.replace("ID", &id))).into());
    }
    if args.write {
        people::only_people("lessons", args.yes)?;
    }
    let asks_adopted = args.adopted || args.since.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(SINCE_ADOPTED));
    if asks_adopted {
        return before_and_after(args);
    }
    let met = args.met(args.since.as_deref())?;
    let scope = args.scope(&met)?;
    let now = crate::kb::now();
    let all = changes_of(&met, now, |change| scope.holds(&change.project_key));
    if args.write {
        let only = args.only.iter().map(|id| inputs::id_of(id)).collect::<Result<Vec<_>, _>>()?;
        for id in &only {
            let named: BTreeSet<String> =
                all.iter().filter(|change| change.id.starts_with(id)).map(|change| change.id.clone()).collect();
            if named.is_empty() {
                let error = Error::refused(format!("no change of {} has the id `{}`", scope.name, shown(id, 40)));
                let hint = "`failwise lessons --all-projects` lists them: give the same PATH and --since; an adopted one is in no list";
                return Err(error.hint(hint).into());
            }
            if named.len() > 1 {
                return Err(inputs::ambiguous_id(id, &named).into());
            }
        }
        let is_wanted = |it: &&ProjectChange| only.is_empty() || only.iter().any(|id| it.id.starts_with(id));
        let wanted: Vec<&ProjectChange> = all.iter().filter(is_wanted).collect();
        let place = if args.only.is_empty() { crate::place()? } else { place_of_all(&wanted)? };
        return write_files(args, &place, &met, wanted);
    }
    if args.print.format == Format::Json {
        return print_pretty(&answer(&all, &met, &scope));
    }
    print(&all, &met, &scope)?;
    Ok(Exit::Ok)
}

impl LessonsArgs {
    /// What the sessions met that are read, with their projects.
    fn met(&self, since: Option<&str>) -> Result<Vec<MetSession>, crate::CommandFailure> {
        met_in(&self.of.sessions(&self.paths, since, MONTH)?)
    }

    /// Which projects are asked about.
    fn scope(&self, met: &[MetSession]) -> Result<ProjectScope, Error> {
        if let Some(name) = &self.project {
            let named = |session: &&MetSession| session.project.1 == *name || session.project.0 == *name;
            let keys: BTreeSet<String> = met.iter().filter(named).map(|session| session.project.0.clone()).collect();
            if keys.is_empty() {
                let known: BTreeSet<String> = met.iter().map(|session| shown(&session.project.1, 40)).collect();
                return Err(inputs::unknown_project(name, &known));
            }
            return Ok(ProjectScope { keys: Some(keys), name: shown(name, 60) });
        }
        if self.all_projects || !self.only.is_empty() || !self.paths.is_empty() && !self.write {
            let name = if self.paths.is_empty() { "any project" } else { "what was named" };
            return Ok(ProjectScope { keys: None, name: name.to_owned() });
        }
        let (key, name) = session_project(&crate::env, &crate::place()?.project.to_string_lossy());
        Ok(ProjectScope { keys: Some(BTreeSet::from([key])), name: shown(&name, 60) })
    }
}

/// The projects that are asked about.
struct ProjectScope {
    /// Their keys; None for all.
    keys: Option<BTreeSet<String>>,
    name: String,
}

impl ProjectScope {
    fn holds(&self, key: &str) -> bool {
        self.keys.as_ref().is_none_or(|keys| keys.contains(key))
    }
}

/// Replays sessions and keeps what they met.
pub(crate) fn met_in(found: &FoundFiles) -> Result<Vec<MetSession>, crate::CommandFailure> {
    let ruleset = crate::replay::known_ruleset("default")?;
    let mut met = Vec::new();
    let replay = || Replay::new(ruleset).without_rows().with_changes();
    inputs::replay_each(found, None, replay, |_, replayed| met.extend(replayed.met))?;
    name_projects(&mut met, &mut BTreeMap::new());
    Ok(met)
}

/// Says of each session which project it is of. `known`: what is known of folders so far.
pub(crate) fn name_projects(met: &mut [MetSession], known: &mut BTreeMap<String, (String, String)>) {
    for session in met {
        let root = session.root.clone().unwrap_or_default();
        if !known.contains_key(&root) {
            let (key, name) = session_project(&crate::env, &root);
            // Of two folders with one name the second is called by its parent, too.
            let is_taken = known.values().any(|(other, taken)| *taken == name && *other != key);
            let parent = Path::new(&key).parent().and_then(Path::file_name).filter(|_| is_taken);
            let name = parent.map_or(name.clone(), |parent| format!("{}/{name}", redact(&parent.to_string_lossy())));
            known.insert(root.clone(), (key, name));
        }
        session.project.clone_from(&known[&root]);
    }
}

/// The changes that sessions ask for, without what a project's own files say already and what its folder shows to be untrue.
pub(crate) fn changes_of(
    met: &[MetSession],
    now: u64,
    is_asked: impl Fn(&ProjectChange) -> bool,
) -> Vec<ProjectChange> {
    let keys: BTreeSet<&str> = met.iter().map(|session| session.project.0.as_str()).collect();
    let own = client_home().map(|folder| folder.join("CLAUDE.md"));
    let read = |name: &str, path: PathBuf| Some((name.to_owned(), read_small(&path, LARGEST_PAGE)?));
    let texts = |key: &str, names: &[&str]| -> Vec<(String, String)> {
        let folder = Path::new(key).is_absolute().then(|| Path::new(key));
        names.iter().filter_map(|name| read(name, folder?.join(name))).collect()
    };
    let own = own.and_then(|path| read("~/.claude/CLAUDE.md", path));
    let pages: BTreeMap<&str, Vec<(String, String)>> =
        keys.iter().map(|key| (*key, texts(key, PAGES).into_iter().chain(own.clone()).collect())).collect();
    let rules: BTreeMap<&str, Vec<(String, String)>> = keys.iter().map(|key| (*key, texts(key, PERMISSIONS))).collect();
    let pages_of = |change: &ProjectChange| pages.get(change.project_key.as_str()).into_iter().flatten();
    let mut all = changes(met, now, |change| {
        let key = change.project_key.as_str();
        let is_said = pages_of(change).any(|(_, page)| says_already(page, change));
        let is_allowed = |rule: &String| {
            rules.get(key).into_iter().flatten().any(|(_, text)| text.contains(&json!(rule).to_string()))
        };
        is_asked(change) && !is_said && !change.rule.as_ref().is_some_and(is_allowed) && !exists(change)
    });
    for change in &mut all {
        let mut wrong = pages_of(change).filter_map(|(name, page)| Some((name, says_otherwise(page, change)?)));
        if let (Some((name, number)), Some(line)) = (wrong.next(), &change.line) {
            change.line = Some(format!("Correct line {number} of {name}: {line}"));
            change.act = ChangeAct::Correction;
        }
    }
    all
}

/// Whether a path that was missing lies in the project's folder by now, or is that folder, looked for within itself.
fn exists(change: &ProjectChange) -> bool {
    let folder = Path::new(&change.project_key);
    let of_itself =
        || folder.parent().filter(|_| folder.file_name().is_some_and(|it| Path::new(&change.matter).starts_with(it)));
    let is_in = |folder: &Path| folder.join(&change.matter).exists();
    change.kind == failwise::changes::ChangeKind::Path
        && folder.is_absolute()
        && (is_in(folder) || of_itself().is_some_and(is_in))
}

// ---- what is printed ----

fn answer(all: &[ProjectChange], met: &[MetSession], scope: &ProjectScope) -> Value {
    let projects = projects_of(met, scope).into_iter().map(|(key, (name, sessions))| {
        let own: Vec<&ProjectChange> = all.iter().filter(|change| change.project_key == key).collect();
        json!({ "project": name, "sessions": sessions, "changes": own })
    });
    json!({ "schema_version": 2, "projects": projects.collect::<Vec<_>>() })
}

/// The projects that were met, by key: their names and how many sessions they had.
fn projects_of<'m>(met: &'m [MetSession], scope: &ProjectScope) -> BTreeMap<&'m str, (&'m str, u64)> {
    let mut projects: BTreeMap<&str, (&str, u64)> = BTreeMap::new();
    for session in met.iter().filter(|session| scope.holds(&session.project.0)) {
        projects.entry(&session.project.0).or_insert((&session.project.1, 0)).1 += 1;
    }
    projects
}

fn print(all: &[ProjectChange], met: &[MetSession], scope: &ProjectScope) -> std::io::Result<()> {
    let mut out = text_page(Format::Text);
    let style = Style::for_stdout();
    let projects = projects_of(met, scope);
    if projects.is_empty() {
        let every = ProjectScope { keys: None, name: String::new() };
        let next = match projects_of(met, &every).len() as u64 {
            0 => "`failwise lessons --since 365d` looks further back".to_owned(),
            others => {
                let others = many(others, "other project", "other projects");
                format!("`failwise lessons --all-projects` lists the changes of {others}")
            }
        };
        return match scope.keys {
            None => writeln!(out, "No session with a call was found in {}.", scope.name),
            Some(_) => writeln!(out, "No session of this folder's project ({}) was found; {next}.", scope.name),
        };
    }
    if all.is_empty() {
        let sessions: u64 = projects.values().map(|(_, sessions)| sessions).sum();
        let sessions = many(sessions, "session", "sessions");
        let mut adopted = adopted_anywhere();
        adopted.retain(|change| scope.holds(&change.project_key));
        let adopted = match adopted.len() as u64 {
            0 => String::new(),
            number => format!(" {} adopted: failwise lessons --adopted", many(number, "change is", "changes are")),
        };
        return writeln!(out, "Nothing that a change would end recurs in {sessions} of {}.{adopted}", scope.name);
    }
    let mut order: Vec<&str> = Vec::new();
    for change in all {
        if !order.contains(&change.project_key.as_str()) {
            order.push(&change.project_key);
        }
    }
    for (at, key) in order.into_iter().enumerate() {
        let Some((name, sessions)) = projects.get(key) else { continue };
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}, {}", style.bold(&shown(name, 60)), many(*sessions, "session", "sessions"))?;
        let own = || all.iter().filter(|change| change.project_key == key);
        // First what a report names first.
        let mut acts: Vec<_> = ACTS.iter().filter(|(act, _)| own().any(|change| change.act == *act)).collect();
        acts.sort_by_key(|(act, _)| own().position(|change| change.act == *act));
        for (act, title) in acts {
            writeln!(out, "  {}:", title.replace("{}", &pages_of(met, key).join(" and ")))?;
            for change in own().filter(|change| change.act == *act) {
                let text =
                    change.line.as_ref().or(change.rule.as_ref()).map(|text| shown(text, 200)).unwrap_or_default();
                writeln!(out, "    - {text}")?;
                writeln!(out, "      {}", style.dim(&evidence_line(change)))?;
            }
        }
    }
    writeln!(out, "\nAdopt them: failwise lessons --write in the project's folder, or --write --only ID anywhere")
}

/// What is printed above the changes of each kind of act, `{}` for the project's files of instructions.
const ACTS: &[(ChangeAct, &str)] = &[
    (ChangeAct::Correction, "To correct by hand"),
    (ChangeAct::Line, "For {}"),
    (ChangeAct::Person, "A person has to act; until then, for {}"),
    (ChangeAct::Rule, "For permissions.allow in .claude/settings.json"),
];

/// The files in which the clients that worked in a project are given standing instructions.
fn pages_of(met: &[MetSession], project_key: &str) -> Vec<&'static str> {
    let own = met.iter().filter(|session| session.project.0 == project_key);
    let pages: BTreeSet<&str> = own.map(|session| session.host.instructions()).collect();
    pages.into_iter().collect()
}

/// The three changes of all projects that would spare most, the dearest first, which lead a report; none where nothing recurs
/// but work on checks.
pub(crate) fn costliest(met: &[MetSession], now: u64) -> Vec<Lesson> {
    let told = |change: ProjectChange| {
        let counted = lesson_evidence(&change);
        let (adopt, line) = match (change.line, change.rule) {
            (Some(line), _) => (line.clone(), line.trim_end_matches('.').to_owned()),
            (None, Some(rule)) => (rule.clone(), format!("allow {rule}")),
            (None, None) => return None,
        };
        Some(Lesson {
            line: format!("{}: {line}", change.project),
            evidence: counted.said(change.act, ""),
            counted,
            act: change.act,
            adopt,
            id: change.id,
            calls: change.failed_calls,
        })
    };
    let changes = changes_of(met, now, |_| true);
    // A report that calls all of it work and no waste has no change to lead with.
    let leads = changes.first().is_some_and(|change| change.is_waste);
    let mut chosen: Vec<ProjectChange> = changes.into_iter().filter(|_| leads).take(Lesson::MOST).collect();
    // In the order of what their lines tell.
    chosen.sort_by_key(|it| std::cmp::Reverse((it.is_waste, it.evidence.cost.money)));
    chosen.into_iter().filter_map(told).collect()
}

fn lesson_evidence(change: &ProjectChange) -> LessonEvidence {
    let ChangeEvidence { sessions, failures, cost, .. } = change.evidence;
    LessonEvidence { failures, sessions, money: cost.money }
}

/// What a change rests on, in a line.
pub(crate) fn evidence_line(change: &ProjectChange) -> String {
    let evidence = &change.evidence;
    let turns = if evidence.cost.turns == 0 {
        String::new()
    } else {
        format!(", {}", many(evidence.cost.turns, "turn", "turns"))
    };
    let tokens = match evidence.cost.tokens.total() {
        0 => String::new(),
        tokens => format!(", {} tokens", count(tokens)),
    };
    let last = evidence.last_ts.as_deref().map_or_else(|| "unknown".to_owned(), wall_day);
    format!("{}, last {last}  [{}]", lesson_evidence(change).said(change.act, &format!("{turns}{tokens}")), change.id)
}

// ---- writing ----

/// The project that changes are of, wherever the person is.
fn place_of_all(wanted: &[&ProjectChange]) -> Result<Place, Error> {
    let projects: BTreeSet<(&str, &str)> =
        wanted.iter().map(|change| (change.project_key.as_str(), change.project.as_str())).collect();
    let mut projects = projects.into_iter();
    match (projects.next(), projects.next()) {
        (Some((key, _)), None) if Path::new(key).is_dir() => crate::place_of(Some(Path::new(key))),
        (Some((key, _)), None) => {
            let lines: Vec<&str> = wanted.iter().filter_map(|it| it.line.as_deref().or(it.rule.as_deref())).collect();
            let by_hand = format!("put this where the project is now: {}", shown(&lines.join(" "), 300));
            Err(Error::refused(format!("{} is not there", shown(key, 200))).hint(by_hand))
        }
        _ => Err(Error::usage("these changes are of several projects").hint("adopt those of one project at a time")),
    }
}

/// Shows the diff of all files, asks once, writes, and remembers what was adopted.
fn write_files(
    args: &LessonsArgs,
    place: &Place,
    met: &[MetSession],
    wanted: Vec<&ProjectChange>,
) -> crate::CommandOutcome {
    let key = wanted.first().map(|change| change.project_key.clone()).unwrap_or_default();
    let (lines, rules): (Vec<&ProjectChange>, Vec<&ProjectChange>) =
        wanted.into_iter().filter(|it| it.act != ChangeAct::Correction).partition(|it| it.line.is_some());
    if lines.is_empty() && rules.is_empty() {
        writeln!(std::io::stdout(), "Nothing to write.")?;
        return Ok(Exit::Ok);
    }
    let root = place.root();
    let text_of = |path: &Path| Ok::<_, Error>(inputs::own_text(root, path, LARGEST_PAGE)?.unwrap_or_default());
    let pages = pages_of(met, &key).into_iter().map(|page| (page, &lines));
    let files = pages.chain(PERMISSIONS.iter().take(1).map(|name| (*name, &rules)));
    let mut planned = Vec::new();
    for (name, own) in files.filter(|(_, own)| !own.is_empty()) {
        let path = root.join(name);
        let before = text_of(&path)?;
        let mut after = before.clone();
        for change in own {
            let next = match (&change.line, &change.rule) {
                (Some(line), _) => Some(with_line(&after, line)),
                (None, Some(rule)) => with_rule(&after, rule),
                (None, None) => None,
            };
            let Some(next) = next else {
                return Err(Error::unreadable(format!("{name} is no settings file of the known form"))
                    .hint("put the rule into permissions.allow by hand")
                    .into());
            };
            after = next;
        }
        writeln!(std::io::stdout(), "{}", difference(name, &before, &after))?;
        planned.push((name, path, before, after));
    }
    let names = planned.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(" and ");
    if !args.yes && !people::agrees(&format!("Write this to {names} of {}?", shown(&root.to_string_lossy(), 200)))? {
        writeln!(std::io::stdout(), "Nothing was written.")?;
        return Ok(Exit::Differs);
    }
    // What was asked about is what is replaced: an editor may have saved meanwhile.
    for (name, path, before, _) in &planned {
        if text_of(path)? != *before {
            return Err(Error::io(format!("{name} changed meanwhile")).hint("run it again").into());
        }
    }
    for (_, path, _, after) in &planned {
        crate::outputs::put(path, after).map_err(Error::from)?;
        writeln!(std::io::stdout(), "written: {}", shown_path(path))?;
    }
    remember(place, lines.iter().chain(&rules))?;
    writeln!(std::io::stdout(), "What it does, after some sessions: failwise lessons --adopted")?;
    Ok(Exit::Ok)
}

/// The lines that differ, with two before and after them.
fn difference(name: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let left = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(old, new)| old == new).count();
    let part = |lines: &[&str], from: usize, to: usize, mark: &str| -> String {
        let lines = lines.get(from..to).unwrap_or_default().iter();
        lines.fold(String::new(), |text, line| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            text + "\n" + mark + &" ".repeat(indent.min(20)) + &shown(line, 300)
        })
    };
    [
        format!("--- {name}\n+++ {name}"),
        part(&old, same.saturating_sub(2), same, " "),
        part(&old, same, old.len() - tail, "-"),
        part(&new, same, new.len() - tail, "+"),
        part(&new, new.len() - tail, (new.len() - tail + 2).min(new.len()), " "),
    ]
    .concat()
}

fn remember<'c>(
    place: &Place,
    written: impl Iterator<Item = &'c &'c ProjectChange>,
) -> Result<(), crate::CommandFailure> {
    let Some(folder) = project_folder(&crate::env, place) else { return Ok(()) };
    let ts = crate::now();
    let new = written.map(|change| AdoptedChange {
        id: change.id.clone(),
        project_key: change.project_key.clone(),
        project: change.project.clone(),
        kind: change.kind,
        matter: change.matter.clone(),
        text: change.line.clone().or_else(|| change.rule.clone()).unwrap_or_default(),
        ts: ts.clone(),
    });
    Ok(adopt(&folder, new.collect())?)
}

// ---- before and after ----

fn before_and_after(args: &LessonsArgs) -> crate::CommandOutcome {
    let all = all_adopted(args)?;
    let first = all.iter().filter_map(|change| millis(&change.ts)).min();
    let from = first.and_then(|first| failwise::time::stamp_of(first - BEFORE_MS));
    let met = match &from {
        Some(from) => args.met(from.get(..10))?,
        None => Vec::new(),
    };
    let effects: Vec<ChangeEffect> =
        all.iter().filter_map(|change| Some(effect(&met, change, since_1970(&change.ts)?))).collect();
    if args.print.format == Format::Json {
        return print_pretty(&json!({ "schema_version": 2, "effects": effects }));
    }
    let mut out = text_page(Format::Text);
    if effects.is_empty() {
        writeln!(out, "No change was adopted yet; `failwise lessons --write` does that.")?;
    }
    for effect in &effects {
        let day = effect.adopted.ts.get(..10).unwrap_or_default();
        writeln!(out, "{}  [{} {day}]", shown(&effect.adopted.text, 200), effect.adopted.id)?;
        writeln!(out, "  before  {}", side(&effect.before))?;
        writeln!(out, "  after   {}", side(&effect.after))?;
        let why = match effect.effect {
            EffectWord::Fewer | EffectWord::More => ": the intervals do not overlap",
            EffectWord::Open => ": the intervals overlap",
            EffectWord::TooFew => "",
        };
        writeln!(out, "  {}{why}", effect.effect.said())?;
    }
    if !effects.is_empty() {
        writeln!(
            out,
            "\nFailures per 100 calls of the kind; in brackets the Wilson interval at 95 %, by how sessions differ."
        )?;
    }
    Ok(Exit::Ok)
}

/// What was adopted in any project, the oldest first.
pub(crate) fn adopted_anywhere() -> Vec<AdoptedChange> {
    let folders = inputs::project_folders().into_iter();
    let mut all: Vec<AdoptedChange> = folders.flat_map(|(_, folder)| adopted(&folder)).collect();
    all.sort_by(|one, other| (&one.ts, &one.id).cmp(&(&other.ts, &other.id)));
    all
}

/// What was adopted in the projects that are asked about.
fn all_adopted(args: &LessonsArgs) -> Result<Vec<AdoptedChange>, Error> {
    if args.all_projects || args.project.is_some() {
        let mut all = adopted_anywhere();
        all.retain(|change| {
            args.project.as_ref().is_none_or(|name| *name == change.project || *name == change.project_key)
        });
        return Ok(all);
    }
    let place = crate::place()?;
    Ok(project_folder(&crate::env, &place).map(|folder| adopted(&folder)).unwrap_or_default())
}

/// What each adopted change of any project did, as a sentence.
pub(crate) fn effects_told() -> Result<Vec<String>, crate::CommandFailure> {
    let all = adopted_anywhere();
    let Some(first) = all.iter().filter_map(|change| millis(&change.ts)).min() else { return Ok(Vec::new()) };
    let met = met_in(&OfHost::default().own_sessions(Some(first - BEFORE_MS))?)?;
    let told = all.iter().rev().filter_map(|change| {
        let effect = effect(&met, change, since_1970(&change.ts)?);
        let rate =
            |side: &EffectSide| side.share.map_or_else(|| "none".to_owned(), |rate| format!("{:.2}", rate * 100.0));
        let (before, after) = (rate(&effect.before), rate(&effect.after));
        let (text, said) = (change.text.trim_end_matches('.'), effect.effect.said());
        Some(format!("{text}: {said}; {before} failures per 100 calls of its kind before, {after} after"))
    });
    Ok(told.collect())
}

fn side(side: &EffectSide) -> String {
    let sessions = many(side.sessions, "session", "sessions");
    match (side.share, side.low.zip(side.high)) {
        (Some(share), Some((low, high))) => format!(
            "{:.2} [{:.2} to {:.2}], {} of {} calls in {sessions}",
            share * 100.0,
            low * 100.0,
            high * 100.0,
            side.right,
            side.all
        ),
        _ => format!("no calls in {sessions}"),
    }
}
