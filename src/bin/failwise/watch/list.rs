//! The projects whose sessions are at work: a line each.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use failwise::journal::HISTORY;
use failwise::place::Place;
use failwise::time::Time;
use failwise::watch::{QUIET, WatchEntry};

use super::app::App;
use super::{HistoryNews, WatchedHistory};
use crate::style::shown;

/// How much of the end of each history is read for its line.
const BEGINNING: u64 = 512 * 1024;
/// The most projects that are listed, those with the newest events.
const MOST: usize = 50;
/// How often new projects are looked for.
const EVERY: Duration = Duration::from_secs(5);

/// A project and what is known of it.
pub(super) struct WatchedProject {
    pub(super) name: String,
    /// The folder of its history.
    pub(super) dir: PathBuf,
    source: WatchedHistory,
    last: Option<WatchEntry>,
}

/// A project as it is shown.
pub(super) struct ProjectRow {
    /// What people call it.
    pub(super) name: String,
    /// Its last event.
    pub(super) last: Option<WatchEntry>,
    /// Seconds since that.
    pub(super) age: Option<u64>,
    /// Its agents that are at work.
    pub(super) agents: usize,
    /// Its calls and failures in what was read.
    pub(super) calls: u64,
    pub(super) failures: u64,
    /// What is open.
    pub(super) open: usize,
}

/// All projects of this user that have a history.
#[derive(Default)]
pub(super) struct ProjectList {
    projects: Vec<WatchedProject>,
    looked: Option<(Instant, bool)>,
    /// The project that the person is in.
    own: Option<(String, PathBuf)>,
}

impl ProjectList {
    pub(super) fn of(own: Option<&Place>) -> Self {
        let own = own.map(|place| (super::name_of(place), place.dir.clone()));
        Self { own, ..Self::default() }
    }

    /// Looks for new projects, now and then.
    pub(super) fn refresh(&mut self, all: bool) {
        if self.looked.is_none_or(|(looked, of_all)| of_all != all || looked.elapsed() >= EVERY) {
            self.look(all);
            self.looked = Some((Instant::now(), all));
        }
    }

    /// Takes in what is new in all of them.
    pub(super) fn read(&mut self) -> std::io::Result<bool> {
        let mut is_new = false;
        for project in &mut self.projects {
            loop {
                match project.source.look()? {
                    HistoryNews::Entries(entries) => {
                        project.last = entries.into_iter().next_back().or(project.last.take());
                    }
                    HistoryNews::Restarted => project.last = None,
                    HistoryNews::Nothing => break,
                }
                is_new = true;
            }
        }
        Ok(is_new)
    }

    /// Looks for projects: those whose history was written within the hour, or all.
    fn look(&mut self, all: bool) {
        let folders = crate::inputs::project_folders();
        let now = SystemTime::now();
        let written =
            |dir: &PathBuf| dir.join(HISTORY).metadata().ok().filter(std::fs::Metadata::is_file)?.modified().ok();
        let is_active = |at: &SystemTime| all || now.duration_since(*at).is_ok_and(|age| age.as_secs() < QUIET);
        let own = self.own.clone();
        let found = own
            .into_iter()
            .chain(folders)
            .filter_map(|(name, dir)| Some((written(&dir).filter(is_active)?, name, dir)));
        let mut found: Vec<(SystemTime, String, PathBuf)> = found.collect();
        let mut seen = BTreeSet::new();
        found.retain(|(_, _, dir)| seen.insert(dir.canonicalize().unwrap_or_else(|_| dir.clone())));
        found.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        found.truncate(MOST);
        self.projects.retain(|project| found.iter().any(|(_, _, dir)| *dir == project.dir));
        for (_, name, dir) in found {
            if !self.projects.iter().any(|project| project.dir == dir) {
                self.add(&name, dir);
            }
        }
    }

    /// Lists a project, by its name and the folder of its history.
    pub(super) fn add(&mut self, name: &str, dir: PathBuf) {
        let source = WatchedHistory::begin(dir.clone(), BEGINNING, None);
        self.projects.push(WatchedProject { name: shown(name, 40), dir, source, last: None });
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.projects.len()
    }

    /// The places of those to show, the one with the newest event first.
    fn order(&self, app: &App) -> Vec<usize> {
        let text = |project: &WatchedProject| project.last.as_ref().map(|last| last.text.clone()).unwrap_or_default();
        let is_meant =
            |at: &usize| self.projects.get(*at).is_some_and(|project| app.matches(&[&project.name, &text(project)]));
        let mut order: Vec<usize> = (0..self.projects.len()).filter(is_meant).collect();
        let newest = |at: usize| self.projects.get(at).and_then(|it| Some(it.last.as_ref()?.ts.clone()));
        order.sort_by_key(|at| std::cmp::Reverse(newest(*at)));
        order
    }

    /// The chosen one.
    pub(super) fn chosen(&self, app: &App) -> Option<&WatchedProject> {
        self.projects.get(*self.order(app).get(app.chosen)?)
    }

    /// Those to show, the one with the newest event first.
    pub(super) fn rows(&self, app: &App, now: Time) -> Vec<ProjectRow> {
        let row = |at: usize| {
            let project = self.projects.get(at)?;
            let watch = &project.source.watch;
            let tally = watch.tally();
            Some(ProjectRow {
                name: project.name.clone(),
                age: project.last.as_ref().and_then(|last| failwise::time::age_of(&last.ts, now)),
                last: project.last.clone(),
                agents: watch.agents(now, app.all).len(),
                calls: tally.calls,
                failures: tally.failures,
                open: watch.open(now, app.all).len(),
            })
        };
        self.order(app).into_iter().filter_map(row).collect()
    }
}
