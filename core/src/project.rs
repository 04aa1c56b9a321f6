//! What stands around a call: the settings of its project, its plan, and whose node it is. An edge that the hook and
//! `failwise classify` share.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::compiled::form_of;
use crate::engine::Surroundings;
use crate::git;
use crate::history::{is_session, session_node, session_parent};
use crate::host::payload::{self, Payload, PayloadKind};
use crate::host::said::{spent_since, words_after};
use crate::journal::{Journal, make_private_dir, read_end};
use crate::model::{Category, Misfit, NearName, PlanFacts, Recalled, Sought, is_node_id};
use crate::names::MissingName;
use crate::near::near_name;
use crate::notify::start_own;
use crate::own::{Form, FormKind, Readings, Secrets};
use crate::place::{Env, Place, TEAM_FILES, TrustedLines, keep, own_program, project_folder, state_root, trusted};
use crate::plan::PlanTree;
use crate::recall::{OF_USER, RECALL, is_due, is_flaky, look_up, take_line};
use crate::redact::{also_redact, redact};
use crate::seen_file::misfit_of;
use crate::settings::{Problem, RecallFrom, Settings, SettingsFile, Weakening};
use crate::tracked::committed_since;
use crate::trust::{Trusted, fingerprint, said_by};

/// How much of a session's end is searched for what the agent said, in bytes.
const WORDS_LOOKED_AT: usize = 256 * 1024;
/// How much of it is looked through for what was spent.
const TURNS_LOOKED_AT: usize = 2 * 1024 * 1024;

/// What stands around a call.
pub struct Project<'a> {
    env: Env<'a>,
    place: Option<&'a Place>,
    /// The plan tree, where there is one.
    pub tree: Option<PlanTree>,
    /// Whether there is a history to read.
    pub has_history: bool,
    /// What the hook was given, where it was.
    pub payload: Option<&'a [u8]>,
    settings: OnceCell<Settings>,
    file: OnceCell<Option<(PathBuf, String)>>,
    trusted: OnceCell<Trusted>,
    readings: OnceCell<Option<(String, Readings)>>,
}

impl<'a> Project<'a> {
    /// The project of a place, with a plan tree that may be another one than the place's own.
    pub fn new(env: Env<'a>, place: Option<&'a Place>, tree: Option<PlanTree>) -> Self {
        Self {
            env,
            place,
            tree,
            has_history: true,
            payload: None,
            settings: OnceCell::new(),
            file: OnceCell::new(),
            trusted: OnceCell::new(),
            readings: OnceCell::new(),
        }
    }

    /// Hides the project's own secrets from now on, and says whether it has any.
    pub fn hides_own(&self) -> bool {
        let secrets = self.form(FormKind::Secrets).map(Secrets::of).filter(|secrets| !secrets.is_empty());
        secrets.map(also_redact).is_some()
    }

    /// The project's own readings, and what else its settings file says, where they are compiled and trusted.
    fn readings(&self) -> Option<&(String, Readings)> {
        let readings = || {
            let form = self.form(FormKind::Readings)?;
            Some((form.rest().to_owned(), Readings::of(form)))
        };
        self.readings.get_or_init(readings).as_ref()
    }

    fn form(&self, kind: FormKind) -> Option<Form> {
        let (_, text) = self.file()?;
        form_of(self.env, text, kind, || self.trusted())
    }

    /// The project's settings file.
    fn file(&self) -> Option<&(PathBuf, String)> {
        self.file.get_or_init(|| self.place?.settings_file()).as_ref()
    }

    fn trusted(&self) -> &Trusted {
        let of_project = |place: &Place| trusted(self.env, &place.project);
        self.trusted.get_or_init(|| self.place.map(of_project).unwrap_or_default())
    }

    /// The linked git worktree, outside the main one.
    pub fn worktree(&self) -> Option<Cow<'a, str>> {
        Some(self.place?.worktree.as_ref()?.to_string_lossy())
    }

    /// The node that a payload belongs to: the one that it names itself; of the plan the one that its session or subagent
    /// claimed, else the one that the environment names, else the active task; without all that the session or subagent.
    /// A subagent that claimed nothing works for who started it. `bound` tells what a session or subagent claimed.
    pub fn node_of(&self, payload: &Payload<'_>, bound: impl Fn(&str) -> Option<String>) -> String {
        let ids = &payload.ids;
        let of_agent = |agent: Option<&str>| session_node(ids.session.as_deref(), agent);
        let reported = match &payload.kind {
            PayloadKind::Report(call) => call.reported.node.clone(),
            _ => None,
        };
        let in_plan = |tree: &PlanTree| {
            let bound_above = || ids.agent.as_ref().and_then(|_| bound(&of_agent(None)));
            let named = || (self.env)("FAILWISE_NODE")?.into_string().ok().filter(|id| is_node_id(id));
            let claimed = bound(&of_agent(ids.agent.as_deref())).or_else(bound_above);
            claimed.or_else(named).or_else(|| tree.active().map(str::to_owned))
        };
        let node = reported.or_else(|| self.tree.as_ref().and_then(in_plan));
        node.unwrap_or_else(|| of_agent(ids.agent.as_deref()))
    }
}

impl Surroundings for Project<'_> {
    fn settings(&self) -> &Settings {
        self.settings.get_or_init(|| {
            // What is compiled need not be read again.
            let (compiled, file) = (self.readings(), self.file());
            let file = file.map(|(path, text)| match compiled {
                Some((rest, _)) => SettingsFile { path, text: rest, is_trusted: true },
                None => SettingsFile { path, text, is_trusted: self.trusted().holds(text) },
            });
            Settings::resolve(&text_env(self.env), file).0
        })
    }

    fn own_readings(&self) -> Option<&Readings> {
        self.readings().map(|(_, readings)| readings).filter(|readings| !readings.is_empty())
    }

    fn recall(&self, sought: &Sought<'_>) -> Option<Recalled> {
        let from = self.settings().recall.value;
        if from == RecallFrom::Off {
            return None;
        }
        let own_only = from == RecallFrom::Own;
        let of_project = || {
            let folder = project_folder(self.env, self.place?)?;
            look_up(&folder.join(RECALL), folder.file_name()?.to_str()?, sought, own_only)
        };
        // What other projects taught is about how an installed tool is called, and nothing else.
        let is_of_tool = matches!(sought.category, Category::BadArguments | Category::CommandNotFound);
        let of_user = || look_up(&state_root(self.env)?.join(RECALL), OF_USER, sought, own_only);
        of_project().or_else(|| if is_of_tool { of_user() } else { None })
    }

    fn near(&self, missing: &MissingName) -> Option<NearName> {
        near_name(self.place?.root(), missing)
    }

    fn misfit(&self, call: Option<&str>) -> Option<Misfit> {
        misfit_of(self.place?.root(), self.payload?, call)
    }

    fn words_after(&self, call: &str) -> Option<String> {
        let file = payload::transcript_of(self.payload?)?;
        words_after(&read_end(Path::new(&file), WORDS_LOOKED_AT).ok()?, call)
    }

    fn committed_since(&self, since: i64) -> Option<bool> {
        committed_since(self.place?.root(), since)
    }

    fn spent(&self, since: &str) -> Option<u64> {
        let file = payload::transcript_of(self.payload?)?;
        // A file in which no answer is known tells nothing.
        Some(spent_since(&read_end(Path::new(&file), TURNS_LOOKED_AT).ok()?, since)).filter(|tokens| *tokens > 0)
    }

    fn is_flaky(&self, test: &str) -> bool {
        let is_on = self.settings().recall.value != RecallFrom::Off;
        is_on && self.place.is_some_and(|place| knows_flaky(self.env, place, test))
    }

    fn plan(&self, node: &str, files: &[String]) -> PlanFacts {
        let facts = match &self.tree {
            Some(tree) if !is_session(node) => tree.facts_about(node, files),
            _ => PlanFacts {
                node: node.to_owned(),
                parent: session_parent(node).map(str::to_owned),
                ..PlanFacts::default()
            },
        };
        let root = self.place.and_then(|place| place.root().to_str());
        PlanFacts { root: root.map(|root| redact(root).into_owned()), ..facts }
    }

    fn has_history(&self) -> bool {
        self.has_history
    }
}

/// Whether a test of a project is known to pass and fail by chance.
pub fn knows_flaky(env: Env<'_>, place: &Place, test: &str) -> bool {
    let known = || {
        let folder = project_folder(env, place)?;
        Some(is_flaky(&folder.join(RECALL), folder.file_name()?.to_str()?, test))
    };
    known().unwrap_or_default()
}

/// The settings of a place, and what could not be understood: of the environment, and of the project's file where it is
/// a small regular one, as far as the person trusts it.
pub fn settings_of(env: Env<'_>, place: Option<&Place>) -> (Settings, Vec<Problem>) {
    let file = place.and_then(|place| Some((place.settings_file()?, trusted(env, &place.project))));
    let file =
        file.as_ref().map(|((path, text), trusted)| SettingsFile { path, text, is_trusted: trusted.holds(text) });
    Settings::resolve(&text_env(env), file)
}

/// The environment's values that are text.
pub fn text_env(env: Env<'_>) -> impl Fn(&str) -> Option<String> {
    move |name| env(name).and_then(|value| value.into_string().ok())
}

/// What of a project waits for a person's trust: no hook takes it for theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// What its settings file would weaken.
    pub settings: Vec<Weakening>,
    /// Its plan tree.
    pub plan: Option<PathBuf>,
    /// Folders with a history that this user's Failwise did not begin; the plan tree's own is not named again.
    pub histories: Vec<PathBuf>,
    /// The team's files of known failures and test cases, each with its lines that are new.
    pub team: Vec<(&'static str, String)>,
    /// What tells one such content from another one.
    identity: String,
}

impl Waiting {
    /// What waits in a place.
    pub fn of(env: Env<'_>, place: &Place) -> Self {
        let file = place.settings_file();
        let settings: Vec<Weakening> = match &file {
            Some(_) => settings_of(env, Some(place)).0.waiting().cloned().collect(),
            None => Vec::new(),
        };
        let plan = place.foreign_plans.clone();
        let histories = place.foreign_histories(env);
        let text = file.map(|(_, text)| text).filter(|_| !settings.is_empty()).unwrap_or_default();
        let team = new_lines(env, place);
        let folders: Vec<Cow<'_, str>> = plan.iter().chain(&histories).map(|dir| dir.to_string_lossy()).collect();
        let team_text: String = team.iter().flat_map(|(_, text)| ["\0", text]).collect();
        let identity = fingerprint(&format!("{text}\0{}{team_text}", folders.join("\0")));
        Self { settings, plan, histories, team, identity }
    }

    /// Whether nothing waits.
    pub fn is_nothing(&self) -> bool {
        self.settings.is_empty() && self.plan.is_none() && self.histories.is_empty() && self.team.is_empty()
    }

    /// One line for the person, with nothing of the project's own words but the names of settings.
    pub fn line(&self) -> Option<String> {
        if self.is_nothing() {
            return None;
        }
        let mut keys: Vec<&str> = self.settings.iter().map(|one| one.key).collect();
        keys.dedup();
        let plan = self.plan.as_ref().map(|_| "a plan tree".to_owned());
        let settings = (!keys.is_empty()).then(|| format!("settings ({})", keys.join(", ")));
        let records = (!self.histories.is_empty()).then(|| "records of other sessions".to_owned());
        let team = (!self.team.is_empty()).then(|| "a team's file of known failures".to_owned());
        let parts: Vec<String> = [plan, settings, records, team].into_iter().flatten().collect();
        let what = parts.join(" and ");
        Some(format!(
            "Failwise: this project brings {what} that you have not trusted, so they do not count. `failwise trust` shows them and asks."
        ))
    }
}

/// The lines of the team's files that the person was not asked about, each file with its own. Where the default branch speaks
/// for the team, nobody is asked about what is checked out.
fn new_lines(env: Env<'_>, place: &Place) -> Vec<(&'static str, String)> {
    let files: Vec<_> = TEAM_FILES.into_iter().filter_map(|name| Some((name, place.team_file(name)?))).collect();
    if files.is_empty() || trusted(env, &place.project).team_origin.is_some() {
        return Vec::new();
    }
    let known = TrustedLines::of(env, &place.project);
    let new = files.into_iter().map(|(name, text)| (name, known.of_file(&text, false)));
    new.filter(|(_, lines)| lines.lines().any(|line| said_by(line).is_some())).collect()
}

/// What a person is told when a session starts: what waits for their trust, once for each content, else which failures come
/// back, once for each lesson, else that Failwise is on, once a machine. Looks as well whether git
/// tracks the records, which no later call asks.
pub fn welcome(env: Env<'_>, place: &Place, now: &str) -> Option<String> {
    for dir in place.own_histories(env) {
        // What cannot be kept is found out again at the next start.
        let _ = look_after(env, &dir, now);
    }
    compile_later(env, place);
    learn_later(env, place, now);
    what_waits(env, place).or_else(|| what_comes_back(env, place)).or_else(|| first_words(env))
}

/// The file in the state directory that says that the person knows of Failwise.
pub const WELCOMED: &str = "welcomed";

/// The first words to a person, where nothing was said before on this machine.
#[expect(clippy::disallowed_methods, reason = "an edge: the empty file is the record")]
fn first_words(env: Env<'_>) -> Option<String> {
    let root = state_root(env)?;
    make_private_dir(&root).ok()?;
    std::fs::OpenOptions::new().write(true).create_new(true).open(root.join(WELCOMED)).ok()?;
    Some("Failwise is on; after some work try `failwise`. `FAILWISE=off` switches it off.".to_owned())
}

/// What waits for the person's trust, where they were not told of it.
fn what_waits(env: Env<'_>, place: &Place) -> Option<String> {
    let waiting = Waiting::of(env, place);
    let line = waiting.line()?;
    let mut record = trusted(env, &place.project);
    if record.told.as_ref() == Some(&waiting.identity) {
        return None;
    }
    record.told = Some(waiting.identity);
    let _ = keep(env, &record);
    Some(line)
}

/// Which failures come back and have a line for the project's page, where the person was not told of them. Whoever turned
/// recall off has no such line from then on.
fn what_comes_back(env: Env<'_>, place: &Place) -> Option<String> {
    let line = take_line(&project_folder(env, place)?)?;
    (settings_of(env, Some(place)).0.recall.value != RecallFrom::Off).then_some(line)
}

/// Has what the project says of its own lines and secrets compiled, where nobody did so since the file changed. The hook
/// itself carries no compiler, and does not wait for one.
fn compile_later(env: Env<'_>, place: &Place) {
    let settings = settings_of(env, Some(place)).0;
    let project = Project::new(env, Some(place), None);
    let lacks = |kind, count: usize| count > 0 && project.form(kind).is_none();
    let (readings, secrets) = (settings.readings.value.len(), settings.secrets.value.len());
    let is_missing = lacks(FormKind::Readings, readings + secrets) || lacks(FormKind::Secrets, secrets);
    if is_missing && let Some(program) = own_program() {
        start_own(&program, &["config"], &place.project, env);
    }
}

/// Has what is new in the history learned, where it has grown and nobody did so just now. No hook waits for it.
fn learn_later(env: Env<'_>, place: &Place, now: &str) {
    let is_wanted = || settings_of(env, Some(place)).0.recall.value != RecallFrom::Off;
    if let Some(program) = own_program().filter(|_| is_wanted() && is_due(env, place, now)) {
        start_own(&program, &["kb", "learn", "--nice"], &place.project, env);
    }
}

/// Looks whether git tracks the records in a folder whose history is this user's own, and keeps the answer. A history that
/// somebody took away begins anew.
///
/// # Errors
/// When something cannot be written.
pub fn look_after(env: Env<'_>, dir: &Path, now: &str) -> std::io::Result<()> {
    let record = Trusted { tracked: is_tracked(dir), ..trusted(env, dir) };
    if let Some(id) = record.history.as_ref().filter(|_| !record.tracked) {
        Journal::in_dir(dir).begin_missing(id, now)?;
    }
    if record == trusted(env, dir) { Ok(()) } else { keep(env, &record) }
}

/// Whether git tracks the records in a folder: then they stay as they are, no hook reads them, and what happens from now on
/// is recorded elsewhere. Starts git.
pub fn is_tracked(dir: &Path) -> bool {
    git::tracks(dir, RECORDS)
}

/// The files of a history that git must not track.
const RECORDS: &[&str] = &["history.jsonl", "history.lock", "state"];
/// What takes records out of git and leaves them where they are, and what makes them count then.
pub const UNTRACK: &str =
    "there: git rm -r --cached --ignore-unmatch history.jsonl history.lock state; then failwise trust";
