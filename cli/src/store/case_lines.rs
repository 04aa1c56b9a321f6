//! What other machines and the team's file say of test cases, as rows beside the lessons; exports of it.

use std::collections::BTreeMap;

use super::base::{Base, SourceKind};
use super::fault::StoreFault;
use super::row::{RowKind, StoredRow, value};
use super::shared::{is_text, put_imported, sound_lines};
use super::tell::tracked_of;
use crate::gate::{GateContext, prose};
use crate::test_runs::{CaseCounts, CaseLine, LONGEST_CASE_NAME, health, is_standing};
use crate::time::stamp_at;

/// Lines by suite and name.
pub type CaseLines = BTreeMap<(String, String), CaseLine>;

/// What a file of cases holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CaseFile {
    /// The lines that can be read and used.
    pub lines: CaseLines,
    /// How many lines cannot.
    pub skipped: u64,
    /// Whether git left a conflict in it. Both of its sides are among the lines.
    pub has_conflict: bool,
}

impl CaseFile {
    /// What a text holds.
    pub fn read(text: &str) -> Self {
        let mut lines = CaseLines::new();
        let is_sound = |line: &CaseLine| line.is_sound(|text| is_text(text, LONGEST_CASE_NAME));
        let (skipped, has_conflict) = sound_lines(text, is_sound, |line| add(&mut lines, line));
        Self { lines, skipped, has_conflict }
    }
}

fn add(lines: &mut CaseLines, line: CaseLine) {
    let CaseLine { suite, name, commits, .. } = line;
    let known = lines.entry((suite, name)).or_insert_with_key(|(suite, name)| CaseLine::of(suite, name));
    known.merge(commits);
}

/// The text of lines, in their order.
fn written(lines: &CaseLines) -> String {
    lines.values().filter_map(|line| Some(serde_json::to_string(line).ok()? + "\n")).collect()
}

/// What is known of a project's cases that ever failed, merged with the lines of `before`. Of a team's file only those with
/// evidence of chance, and those that stay red on the base branch.
///
/// # Errors
/// When the base cannot be read.
pub fn exported_cases(base: &Base, project: &str, before: &str, of_team: bool) -> Result<String, StoreFault> {
    let names = tracked_of(base, project)?;
    let context = GateContext { names: Some(&names), ..GateContext::default() };
    let mut lines = CaseLines::new();
    base.each_case(project, None, false, |name, suite, dids| {
        let is_flaky = || health(name, suite, dids).is_some_and(|health| health.is_flaky);
        if of_team && !is_standing(dids) && !is_flaky() {
            return;
        }
        let mut own: BTreeMap<String, CaseCounts> = BTreeMap::new();
        for did in dids.iter().filter(|did| did.run.complete && !did.run.is_outage() && did.ran()) {
            let at = stamp_at(did.run.at).unwrap_or_default();
            let counts = own.entry(CaseLine::key_of(did.run)).or_insert_with(|| CaseCounts {
                at: at.clone(),
                branch: None,
                passed: 0,
                failed: 0,
            });
            counts.at = at.max(std::mem::take(&mut counts.at));
            counts.branch = did.run.branch.clone().max(counts.branch.take());
            counts.failed += did.failed_attempts;
            counts.passed += did.attempts.saturating_sub(did.failed_attempts);
        }
        let mut line = CaseLine::of(suite, name);
        line.merge(own);
        // What a case is called may hold what it was given.
        let may_leave = prose(name, &context) == name && prose(suite, &context) == suite;
        if may_leave && line.is_sound(|text| is_text(text, LONGEST_CASE_NAME)) {
            add(&mut lines, line);
        }
    })?;
    CaseFile::read(before).lines.into_values().for_each(|line| add(&mut lines, line));
    Ok(written(&lines))
}

/// What stands between suite and name in a row's key: neither has more than one line.
const BETWEEN: char = '\n';

/// The rows of lines.
pub(super) fn case_rows(lines: &CaseLines, project: &str) -> Vec<StoredRow> {
    let mut rows = Vec::new();
    for line in lines.values() {
        let what = format!("{}{BETWEEN}{}", line.suite, line.name);
        for (commit, counts) in &line.commits {
            let rank = i64::from(counts.attempts());
            rows.push(StoredRow::of(project, RowKind::Case, [commit, "", &what], rank, counts));
        }
    }
    rows
}

/// Takes in the lines that another machine exported, and says of how many cases they are. The caller holds the lock.
///
/// # Errors
/// When the base or the file of counts cannot be written.
pub fn import_cases(base: &mut Base, project: &str, lines: CaseLines) -> Result<usize, StoreFault> {
    let taken = lines.len();
    let mut merged = base.shared_cases(project, None, false)?;
    for line in lines.into_values() {
        add(&mut merged, line);
    }
    let rows = case_rows(&merged, project);
    put_imported(base, &rows)?;
    Ok(taken)
}

impl Base {
    /// What other machines say of the cases of a project, or of those of one name; the team's file, too, if asked.
    pub(super) fn shared_cases(
        &self,
        project: &str,
        name: Option<&str>,
        with_team: bool,
    ) -> Result<CaseLines, StoreFault> {
        const ASKED: &str = "SELECT s.kind, l.session, l.what, l.body FROM lesson l
            JOIN source s ON s.id = l.source WHERE l.project = ?1 AND l.kind = 'case'";
        let mut lines = CaseLines::new();
        let rows = self.all(ASKED, [project], |row| {
            let texts: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
            Ok(texts)
        })?;
        for [kind, commit, what, body] in rows {
            let Some((suite, case)) = what.split_once(BETWEEN) else { continue };
            let is_wanted = name.is_none_or(|name| name == case) && (with_team || kind != SourceKind::Team.as_str());
            let row = StoredRow { body, ..StoredRow::of(project, RowKind::Case, ["", "", ""], 0, &()) };
            if let Some(counts) = value::<CaseCounts>(&row).filter(|_| is_wanted) {
                let mut line = CaseLine::of(suite, case);
                line.merge([(commit, counts)]);
                add(&mut lines, line);
            }
        }
        Ok(lines)
    }
}
