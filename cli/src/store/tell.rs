//! From the rows of the base to what is known of a project, and to the files that hooks search.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::base::{Base, SourceKind};
use super::fault::StoreFault;
use super::root;
use super::row::{KnownPatterns, RowKind, learn, told_of, value};
use super::status::FailureStatus;
use super::team::team_news;
use super::word::{BY_PERSON, PersonWord, Saying, heed};
use crate::digest::hex16;
use crate::gate::{GateContext, KnownNames, prose};
use crate::knowledge::{
    CaseReport, Fix, HeardRow, Known, KnownFix, LONGEST_WORDS, Learned, LessonKind, Planned, RecurringLine, Scope,
    Signs, Words, case_fix_key, case_key, judge, line_about, month_alone, say, say_case_fix, say_flaky,
    say_seen_before, with_a_line,
};
use crate::place::Env;
use crate::project::known_names;
use crate::recall::{OF_USER, RECALL, RecallLesson, put, put_line, told_lines};
use crate::recover::{PlanPast, Went};
use crate::test_runs::{CaseHealth, Evidence};
use crate::text::{many, quoted};
use crate::time::stamp_at;

/// In how many projects a fix has to have worked before another one hears of it.
const PROJECTS: usize = 2;
/// The most lessons that are kept of one failure: the best.
const MOST: usize = 4;

/// What is known of a project, or of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The failures, the costliest first.
    pub known: Vec<Known>,
    /// The fine signatures of those of which nothing is told.
    pub muted: BTreeSet<String>,
    /// When each failure was met, by its fine signature, in milliseconds since 1970, oldest first.
    pub met: BTreeMap<String, Vec<u64>>,
    /// What agents were told.
    pub told: ToldCounts,
    /// The recovery strategies that agents followed, oldest first.
    pub planned: Vec<Planned>,
    /// The sessions that taught each fix, the last one last.
    sessions: BTreeMap<String, Vec<String>>,
    /// The sessions that met each failure, the last one last.
    met_in: BTreeMap<String, Vec<String>>,
    /// In how many projects each fix worked that another project may hear of.
    projects: BTreeMap<String, usize>,
    /// Whether another machine sent counts.
    has_team: bool,
}

impl Memory {
    /// What the base knows of a project, of all without one, at a moment in milliseconds since 1970. What only the team's file
    /// knows is left out with `own_only`.
    pub fn read(base: &Base, project: Option<&str>, own_only: bool, now: u64) -> Result<Self, StoreFault> {
        // What another machine sent is told in the project that it was taken in for, and in no other.
        let is_wanted = |kind: SourceKind| match kind {
            SourceKind::Team => !own_only,
            SourceKind::Import => project.is_some(),
            _ => true,
        };
        let (mut learned, mut words, mut has_team) = (Learned::default(), Vec::new(), false);
        let mut patterns = KnownPatterns::new();
        let mut worked_in: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        base.each_row(project, |kind, row| {
            has_team |= kind == SourceKind::Team && row.kind == RowKind::Sum;
            if is_wanted(kind) {
                learn(&mut learned, &mut patterns, &row);
                if row.kind == RowKind::Tried
                    && let Some(tried) = learned.tried.last().filter(|tried| tried.worked && tried.fix.id == row.what)
                {
                    worked_in.entry(tried.fix.id.clone()).or_default().insert(row.project);
                } else if row.kind == RowKind::Word {
                    words.push(row);
                }
            }
        })?;
        let names = project.map(|project| tracked_of(base, project)).transpose()?;
        let mut learned = told_of(learned, names.as_ref(), now);
        let projects = worked_in.into_iter().map(|(fix, projects)| (fix, projects.len())).collect();
        let muted = heed(words.iter(), &mut learned);
        let mut met: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut met_in = BTreeMap::new();
        for failure in &learned.met {
            met.entry(failure.pattern.fine.clone()).or_default().push(failure.at);
            add(&mut met_in, &failure.pattern.fine, &failure.session);
        }
        let known = judge(&learned, now);
        let (told, sessions) = (ToldCounts::of(&learned), sessions_of(&learned));
        Ok(Self { known, muted, met, told, sessions, planned: learned.planned, met_in, projects, has_team })
    }

    /// How the recovery strategies went that agents followed against a failure, by their names.
    pub fn strategies(&self, fine: &str) -> BTreeMap<String, Went> {
        PlanPast::default().counted(&self.planned, fine, "").on_signature
    }

    /// What may be told, as lessons.
    fn lessons(&self, scope: Scope, is_of_team: impl Fn(&KnownFix) -> bool) -> Vec<RecallLesson> {
        let mut lessons = Vec::new();
        let mut met = BTreeSet::new();
        for known in self.speakable() {
            for fix in known.fixes.iter().filter(|fix| fix.tellable()).take(MOST) {
                let signature = if fix.fix.object { &known.pattern.coarse } else { &known.pattern.fine };
                let is_known = || self.projects.get(&fix.fix.id).is_some_and(|projects| *projects >= PROJECTS);
                let travels = scope != Scope::Elsewhere || known.travels(fix) && is_known();
                if travels && met.insert((signature, &fix.fix.id)) {
                    lessons.push(self.lesson(known, fix, scope, is_of_team(fix)));
                }
            }
            if let Some((fix, words)) = say_seen_before(known).filter(|_| scope == Scope::Project) {
                lessons.push(self.seen_before(known, fix, words));
            }
        }
        lessons
    }

    fn seen_before(&self, known: &Known, fix: Fix, words: String) -> RecallLesson {
        RecallLesson {
            id: fix.id,
            signature: known.pattern.fine.clone(),
            words,
            last_worked: known.last_seen,
            seen_before: true,
            sessions: self.met_in.get(&known.pattern.fine).cloned().unwrap_or_default(),
            ..RecallLesson::default()
        }
    }

    fn lesson(&self, known: &Known, fix: &KnownFix, scope: Scope, is_of_team: bool) -> RecallLesson {
        let pattern = &known.pattern;
        // A standing failure is taught by the sessions that met it.
        let sessions = match fix.fix.kind() {
            LessonKind::Standing => self.met_in.get(&pattern.fine),
            _ => self.sessions.get(&fix.fix.id),
        };
        RecallLesson {
            id: fix.fix.id.clone(),
            signature: if fix.fix.object { pattern.coarse.clone() } else { pattern.fine.clone() },
            is_coarse: fix.fix.object,
            words: say(known, fix, if is_of_team { Scope::Team } else { scope }),
            signs: fix.signs(),
            last_worked: fix.last_worked.unwrap_or_default(),
            is_of_team,
            if_asked: fix.found_at_once,
            sessions: sessions.cloned().unwrap_or_default(),
            ..RecallLesson::default()
        }
    }
}

/// The names that a project tracks, where its folder is known.
pub(super) fn tracked_of(base: &Base, project: &str) -> Result<KnownNames, StoreFault> {
    let root = base.root(project)?;
    Ok(root.map(|root| known_names(Path::new(&root))).unwrap_or_default())
}

/// How often agents were told what worked before, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ToldCounts {
    /// How often they were told.
    pub told: u64,
    /// How often they did it within the next calls.
    pub followed: u64,
    /// How often it worked then.
    pub worked: u64,
}

impl ToldCounts {
    fn of(learned: &Learned) -> Self {
        let worked: BTreeSet<(&str, &str)> = learned
            .tried
            .iter()
            .filter(|tried| tried.worked)
            .map(|tried| (tried.session.as_str(), tried.fix.id.as_str()))
            .collect();
        let count =
            |condition: &dyn Fn(&HeardRow) -> bool| learned.heard.iter().filter(|it| condition(it)).count() as u64;
        Self {
            told: learned.heard.len() as u64,
            followed: count(&|heard| heard.followed),
            worked: count(&|heard| heard.followed && worked.contains(&(heard.session.as_str(), heard.fix.as_str()))),
        }
    }
}

fn sessions_of(learned: &Learned) -> BTreeMap<String, Vec<String>> {
    let mut sessions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for tried in learned.tried.iter().filter(|tried| tried.session != BY_PERSON) {
        add(&mut sessions, &tried.fix.id, &tried.session);
    }
    sessions
}

fn add(sessions: &mut BTreeMap<String, Vec<String>>, of: &str, session: &String) {
    let known = sessions.entry(of.to_owned()).or_default();
    if known.last() != Some(session) {
        known.push(session.clone());
    }
}

/// Where the recall file of a project is.
///
/// # Errors
/// When nothing names a home.
pub fn recall_of(env: Env<'_>, project: &str) -> Result<PathBuf, StoreFault> {
    Ok(root(env)?.join("projects").join(project).join(RECALL))
}

/// Writes the files that hooks search: of these projects, and the user's. `has_program` says whether a program is installed.
///
/// # Errors
/// When the base cannot be read, or a file cannot be written.
pub fn tell(
    base: &Base,
    env: Env<'_>,
    projects: &BTreeSet<String>,
    now: u64,
    has_program: impl Fn(&str) -> bool,
) -> Result<(), StoreFault> {
    if projects.is_empty() {
        return Ok(());
    }
    for project in projects {
        let own = Memory::read(base, Some(project), true, now)?;
        let mut lessons = lessons_of(&own, base, project, now)?;
        lessons.extend(case_lessons(base, project, now)?);
        lessons.extend(flaky_lessons(base, project)?);
        let file = recall_of(env, project)?;
        put(&file, project, &lessons)?;
        let mut told = told_lines(&file);
        let recurring = line_about(own.speakable(), &told, now);
        let news = team_news(base, env, project, &mut told, now)?;
        put_line(&file, [news, recurring].into_iter().flatten().reduce(RecurringLine::and), told)?;
    }
    let everywhere = Memory::read(base, None, true, now)?;
    let programs: BTreeMap<&str, &str> = everywhere
        .known
        .iter()
        .map(|known| (known.pattern.fine.as_str(), known.pattern.operation.split(' ').next().unwrap_or_default()))
        .collect();
    let mut lessons = everywhere.lessons(Scope::Elsewhere, |_| false);
    lessons.retain(|lesson| programs.get(lesson.signature.as_str()).is_some_and(|program| has_program(program)));
    Ok(put(&root(env)?.join(RECALL), OF_USER, &lessons)?)
}

/// What hooks of a project are to find: what its own sessions know, then what only the team's file knows.
fn lessons_of(own: &Memory, base: &Base, project: &str, now: u64) -> Result<Vec<RecallLesson>, StoreFault> {
    let mut lessons = own.lessons(Scope::Project, |_| false);
    if own.has_team {
        let known: BTreeSet<(String, String)> =
            lessons.iter().map(|lesson| (lesson.signature.clone(), lesson.id.clone())).collect();
        let more = Memory::read(base, Some(project), false, now)?.lessons(Scope::Project, |_| true);
        lessons.extend(more.into_iter().filter(|it| !known.contains(&(it.signature.clone(), it.id.clone()))));
    }
    Ok(lessons)
}

/// What hooks are to find of test cases for which a fix was reported.
fn case_lessons(base: &Base, project: &str, now: u64) -> Result<Vec<RecallLesson>, StoreFault> {
    let mut reports = base.case_reports(project)?;
    let rows = base.said(project)?;
    let said = rows.iter().filter(|row| row.kind == RowKind::Word).filter_map(value::<PersonWord>);
    let confirmed: BTreeSet<String> =
        said.filter_map(|word| if let Saying::Confirmed(id) = word.said { Some(id) } else { None }).collect();
    for report in reports.iter_mut().filter(|report| confirmed.contains(&report.id)) {
        (report.confirmed, report.by_person) = (true, true);
    }
    let names = tracked_of(base, project)?;
    let context = GateContext { names: Some(&names), ..GateContext::default() };
    let mut by_fix: BTreeMap<[&str; 3], Vec<&CaseReport>> = BTreeMap::new();
    for report in &reports {
        by_fix.entry([&report.case, &report.signature, &report.words]).or_default().push(report);
    }
    let mut told: Vec<_> = by_fix
        .into_iter()
        .filter_map(|([case, _, words], reports)| {
            let sign = reports.first()?.sign().filter(|_| prose(case, &context) == case)?;
            Some((case, words, sign, CaseReport::told(&reports, &context, now)?, &reports.last()?.id))
        })
        .collect();
    told.sort_by(|one, other| other.3.confidence().total_cmp(&one.3.confidence()));
    let mut lessons = Vec::new();
    for (case, words, sign, counts, id) in told {
        let health = base.health_of_case(project, case)?;
        let spelled: BTreeSet<String> = health.iter().flat_map(CaseHealth::spellings).collect();
        let mut sessions = Vec::new();
        for case in &health {
            sessions.extend(base.sessions_of_case(project, &case.name, &case.suite)?);
        }
        lessons.extend(spelled.iter().map(|name| RecallLesson {
            id: id.get(..8).unwrap_or_default().to_owned(),
            signature: format!("{:016x}", case_fix_key(name)),
            is_coarse: true,
            words: say_case_fix(case, words, counts.worked(), counts.tried()),
            signs: Signs { printed: vec![sign.to_owned()], ..Signs::default() },
            last_worked: counts.last_worked().unwrap_or_default(),
            sessions: sessions.clone(),
            ..RecallLesson::default()
        }));
    }
    Ok(lessons)
}

/// What hooks are to find of tests that pass and fail by chance, whatever they fail with.
fn flaky_lessons(base: &Base, project: &str) -> Result<Vec<RecallLesson>, StoreFault> {
    let mut lessons = Vec::new();
    let names = tracked_of(base, project)?;
    let context = GateContext { names: Some(&names), ..GateContext::default() };
    let cases = base.test_health(project, |case| case.is_flaky)?;
    // What a case is called may hold what it was given.
    for case in cases.into_iter().filter(|case| prose(&case.name, &context) == case.name.as_str()) {
        // A runner need not print what a case belongs to. Where another one has its name, nobody knows which is meant.
        let others = base.health_of_case(project, &case.name)?;
        let is_one = others.iter().all(|other| other.is_flaky || other.suite.is_empty());
        let names = case.spellings().into_iter().filter(|name| is_one || *name != case.name);
        let keys: BTreeSet<u64> = names.map(|name| case_key(&name)).collect();
        let evidence = case.evidence.map(Evidence::words).unwrap_or_default();
        let sessions = base.sessions_of_case(project, &case.name, &case.suite)?;
        lessons.extend(keys.into_iter().map(|key| RecallLesson {
            id: hex16(&["flaky", &case.suite, &case.name]).get(..8).unwrap_or_default().to_owned(),
            signature: format!("{key:016x}"),
            is_coarse: true,
            words: say_flaky(&case.name, evidence, case.failed, case.runs),
            sessions: sessions.clone(),
            ..RecallLesson::default()
        }));
    }
    Ok(lessons)
}

/// Whether a program lies in one of the folders that are searched for programs.
pub fn is_installed(path: Option<&std::ffi::OsStr>, program: &str) -> bool {
    let is_name = !program.is_empty() && !program.contains('/');
    let folders = path.map(std::env::split_paths).into_iter().flatten().filter(|folder| folder.is_absolute());
    is_name && folders.map(|folder| folder.join(program)).any(|file| file.is_file())
}

/// A line for a project's own page, so that the failure need not be met again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLine {
    /// The failure.
    pub id: String,
    /// The line.
    pub text: String,
    /// What it rests on.
    pub evidence: String,
}

impl Memory {
    /// How a failure stands.
    pub fn status(&self, known: &Known, now: u64) -> FailureStatus {
        let fine = &known.pattern.fine;
        if self.muted.contains(fine) {
            return FailureStatus::Muted;
        }
        FailureStatus::of(self.met.get(fine).map(Vec::as_slice).unwrap_or_default(), now)
    }

    /// What may be told, as lines for people, the costliest first: each fix once.
    pub fn lines(&self) -> Vec<PageLine> {
        with_a_line(self.speakable()).filter_map(|(known, fix)| page_line(known, fix)).collect()
    }

    /// The failures of which something may be told.
    fn speakable(&self) -> impl Iterator<Item = &Known> {
        self.known.iter().filter(|known| !self.muted.contains(&known.pattern.fine))
    }
}

fn page_line(known: &Known, fix: &KnownFix) -> Option<PageLine> {
    let quoted = |words: &str| quoted(words, LONGEST_WORDS);
    let call = quoted(&known.pattern.operation);
    let text = match &fix.fix.words {
        Words::Instead { gone, new } => match (gone.as_slice(), new.as_slice()) {
            ([], new) => format!("{call} fails here: it works with {}", quoted(&new.join(" "))),
            (gone, []) => format!("{call} fails here: it works without {}", quoted(&gone.join(" "))),
            (gone, new) => {
                format!("{call} fails here: use {} in place of {}", quoted(&new.join(" ")), quoted(&gone.join(" ")))
            }
        },
        Words::Folder(folder) => format!("{call} works in {}", quoted(folder)),
        Words::Command(commands) => format!("where {call} fails, run {} first", quoted(&commands.join(" && "))),
        Words::Flaky => format!("{call} is flaky: run it again before looking for a cause"),
        Words::Note(note) => format!("where {call} fails: {note}"),
        // That something is red is no rule to work by.
        Words::Standing => return None,
    };
    let day = |at| Some(stamp_at(at)?.get(..10)?.to_owned());
    let last = fix.last_worked.and_then(|at| month_alone(at).or_else(|| day(at)));
    let last = last.map(|last| format!(", last {last}")).unwrap_or_default();
    let sessions = many(known.sessions, "session", "sessions");
    let says = if fix.seen_here { "" } else { "others say " };
    let evidence = format!("failed in {sessions}; {says}{} of {} worked{last}", fix.worked, fix.tried);
    let id = known.pattern.fine.get(..8).unwrap_or_default().to_owned();
    Some(PageLine { id, text, evidence })
}
