//! What machines share: one line a fix and machine, with counts by month, so that no two machines write one line, merging
//! takes the larger number, and no order matters. Only fields that Failwise builds its sentences from, each looked at as a
//! stranger's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::base::{Base, SourceKind};
use super::counts;
use super::fault::StoreFault;
use super::root;
use super::row::{RowKind, StoredRow, is_of_a_clock, learned_of, told_of, value};
use super::signed;
use super::tell::tracked_of;
use super::word::heed;
use crate::digest::hex16;
use crate::gate::{GateContext, GateReason, prose};
use crate::journal::{put_private, read_small};
use crate::knowledge::{
    Fix, Known, KnownFix, LONGEST_WORDS, Learned, OpenSum, PatternRow, Sum, Words, judge, shared_pattern,
    why_not_leaving, why_not_told,
};
use crate::model::{Category, Signature};
use crate::place::{Env, home_of};
use crate::programs::known_call;
use crate::project::random_id;
use crate::redact::redact;
use crate::text::is_invisible;
use crate::time::{since_1970, stamp_at};

/// The largest export that is taken in, in bytes.
pub const LARGEST_IMPORT: u64 = 64 * 1024 * 1024;

/// The version of a line.
const VERSION: u32 = 1;
/// The name of the file that holds this machine's id, in the state directory.
const MACHINE: &str = "machine";
/// How long the id of a machine is, in hexadecimal digits.
const ID: usize = 16;
/// The longest command and the longest line of a pattern, in characters.
const LONGEST_TEXT: usize = 300;
/// More tries of one fix in one month than any machine has.
const MOST_TRIES: u64 = 100_000;
/// More tokens than one failure costs a machine in a month.
const MOST_TOKENS: u64 = 1_000_000_000;

/// A line: a fix, what it is about, and its counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedLine {
    v: u32,
    words: Words,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    object: bool,
    pattern: PatternRow,
    /// By machine and month: tried, worked, sessions.
    counts: MonthCounts,
}

impl SharedLine {
    fn fix(&self) -> Fix {
        Fix::new(self.words.clone(), self.object, &self.pattern)
    }

    /// What it says, for a person who is asked to trust it: the call, the words, and why they would not be told by themselves.
    pub fn described(&self) -> (String, String, Option<&'static str>) {
        let context = GateContext::default();
        let hides = || why_not_leaving(&self.words, &self.pattern, &context).map(GateReason::as_str);
        let why = why_not_told(&self.words, &self.pattern, &context).or_else(hides);
        (self.pattern.operation.clone(), self.words.line(), why)
    }

    /// A line for each machine that it counts: older releases wrote one for all.
    fn by_machine(self) -> impl Iterator<Item = (LineKey, Self)> {
        let id = self.fix().id;
        let Self { v, words, object, pattern, counts } = self;
        counts.into_iter().map(move |(machine, months)| {
            let key = [pattern.fine.clone(), id.clone(), machine.clone()];
            let counts = BTreeMap::from([(machine, months)]);
            (key, Self { v, words: words.clone(), object, pattern: pattern.clone(), counts })
        })
    }

    /// Takes the larger numbers of both; of two texts for the same pattern the one that comes later as text.
    fn merge(&mut self, other: Self) {
        take_larger(&mut self.counts, other.counts);
        let text = |pattern: &PatternRow| serde_json::to_string(pattern).unwrap_or_default();
        if text(&other.pattern) > text(&self.pattern) {
            self.pattern = other.pattern;
        }
    }

    /// Whether every field is one that Failwise itself would have written.
    fn is_sound(&self, now: u64) -> bool {
        let PatternRow { fine, coarse, version, operation, line, runner, .. } = &self.pattern;
        let texts = [Some(operation), line.as_ref(), runner.as_ref()];
        let counts = are_counts(&self.counts, now, |[tried, worked, sessions]| {
            *tried <= MOST_TRIES && worked <= tried && sessions <= tried
        });
        self.v == VERSION
            && Signature::is_made(*version)
            && [fine, coarse].into_iter().all(|signature| is_hex_id(signature))
            && texts.into_iter().flatten().all(|text| is_text(text, LONGEST_TEXT))
            && are_words(&self.words)
            && counts
    }

    /// Whether its words hold no secret.
    fn is_open(&self, context: &GateContext<'_>) -> bool {
        !why_not_leaving(&self.words, &self.pattern, context).is_some_and(GateReason::hides)
    }

    /// The line without secrets, with `~` for this user's home, and of what failed only what is known of it: see
    /// [`shared_pattern`].
    fn cleaned(mut self, home: Option<&str>, context: &GateContext<'_>) -> Self {
        let clean = |text: &str| {
            let text = prose(&redact(text), context).into_owned();
            home.filter(|home| home.len() > 1).map_or(text.clone(), |home| text.replace(home, "~"))
        };
        self.pattern = shared_pattern(&self.pattern, &self.words, context);
        self.pattern.operation = clean(&self.pattern.operation);
        self.words = match self.words {
            Words::Note(words) => Words::Note(clean(&words)),
            words => words,
        };
        self
    }
}

/// A line of a failure that comes back and has no fix: nothing of its words, but the program where Failwise knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenLine {
    v: u32,
    fine: String,
    coarse: String,
    version: u32,
    category: Category,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    /// Failures, sessions, tokens.
    counts: MonthCounts,
}

impl OpenLine {
    fn of(pattern: &PatternRow) -> Self {
        Self {
            v: VERSION,
            fine: pattern.fine.clone(),
            coarse: pattern.coarse.clone(),
            version: pattern.version,
            category: pattern.category,
            program: known_call(&pattern.operation),
            counts: BTreeMap::new(),
        }
    }

    fn by_machine(mut self) -> impl Iterator<Item = (LineKey, Self)> {
        let counts = std::mem::take(&mut self.counts);
        counts.into_iter().map(move |(machine, months)| {
            let key = [self.fine.clone(), String::new(), machine.clone()];
            (key, Self { counts: BTreeMap::from([(machine, months)]), ..self.clone() })
        })
    }

    fn is_sound(&self, now: u64) -> bool {
        let is_known = |program: &String| known_call(program).as_ref() == Some(program);
        self.v == VERSION
            && Signature::is_made(self.version)
            && [&self.fine, &self.coarse].into_iter().all(|signature| is_hex_id(signature))
            && self.program.as_ref().is_none_or(is_known)
            && are_counts(&self.counts, now, |[failures, sessions, tokens]| {
                *failures <= MOST_TRIES && sessions <= failures && *tokens <= MOST_TOKENS
            })
    }
}

/// Three counts by machine and month.
type MonthCounts = BTreeMap<String, BTreeMap<String, [u64; 3]>>;

/// Whether counts are of machines and of months that have been, and each is one that somebody may count.
fn are_counts(counts: &MonthCounts, now: u64, is_count: impl Fn(&[u64; 3]) -> bool) -> bool {
    let is_past = |month: &str| middle_of(month).is_some_and(|at| is_of_a_clock(at, now));
    counts.keys().all(|machine| is_hex_id(machine))
        && counts.values().flatten().all(|(month, count)| is_past(month) && is_count(count))
}

/// Takes the larger numbers of both.
fn take_larger(known: &mut MonthCounts, more: MonthCounts) {
    for (machine, months) in more {
        let own = known.entry(machine).or_default();
        for (month, counts) in months {
            let known = own.entry(month).or_default();
            known.iter_mut().zip(counts).for_each(|(known, more)| *known = (*known).max(more));
        }
    }
}

/// By what lines are sorted and merged: the failure, the fix, the machine.
type LineKey = [String; 3];

/// What a shared file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharedFile {
    /// The lines that can be read and used, in their order.
    pub lines: Vec<SharedLine>,
    /// The failures that come back and have no fix, in their order.
    pub open: Vec<OpenLine>,
    /// How many lines cannot.
    pub skipped: u64,
    /// Whether git left a conflict in it. Both of its sides are among the lines.
    pub has_conflict: bool,
}

impl SharedFile {
    /// What a text holds. `now` is in milliseconds since 1970.
    pub fn read(text: &str, now: u64) -> Self {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Fix(Box<SharedLine>),
            Open(OpenLine),
        }
        let (mut file, mut lines, mut open) = (Self::default(), BTreeMap::new(), BTreeMap::new());
        let is_sound = |line: &Either| match line {
            Either::Fix(line) => line.is_sound(now),
            Either::Open(line) => line.is_sound(now),
        };
        (file.skipped, file.has_conflict) = sound_lines(text, is_sound, |line| match line {
            Either::Fix(line) => add(&mut lines, *line),
            Either::Open(line) => add_open(&mut open, line),
        });
        file.lines = lines.into_values().collect();
        file.open = open.into_values().collect();
        file
    }
}

/// Gives the lines of a shared file that are sound, and says how many are not and whether git left a conflict.
pub(super) fn sound_lines<L: for<'de> Deserialize<'de>>(
    text: &str,
    is_sound: impl Fn(&L) -> bool,
    mut each: impl FnMut(L),
) -> (u64, bool) {
    let (mut skipped, mut has_conflict) = (0, false);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if is_conflict_mark(line) {
            has_conflict = true;
            continue;
        }
        match serde_json::from_str::<L>(line).ok().filter(&is_sound) {
            Some(line) => each(line),
            None => skipped += 1,
        }
    }
    (skipped, has_conflict)
}

/// Whether a line is one that git puts around the sides of a conflict.
fn is_conflict_mark(line: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
        .iter()
        .any(|mark| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

fn add(lines: &mut BTreeMap<LineKey, SharedLine>, line: SharedLine) {
    for (key, line) in line.by_machine() {
        match lines.get_mut(&key) {
            Some(known) => known.merge(line),
            None => drop(lines.insert(key, line)),
        }
    }
}

fn add_open(lines: &mut BTreeMap<LineKey, OpenLine>, line: OpenLine) {
    for (key, line) in line.by_machine() {
        match lines.get_mut(&key) {
            Some(known) => take_larger(&mut known.counts, line.counts),
            None => drop(lines.insert(key, line)),
        }
    }
}

/// What the base knows of a project, merged with the lines of `before`, as lines in their order; what comes back without a
/// fix, too, if asked.
///
/// # Errors
/// When the base cannot be read, or this machine's id cannot be made.
pub fn exported(
    base: &Base,
    env: Env<'_>,
    project: &str,
    before: &str,
    with_open: bool,
    now: u64,
) -> Result<String, StoreFault> {
    let machine = machine(env)?;
    let rows = base.rows(Some(project))?;
    let rows = rows.iter().filter(|(kind, _)| *kind != SourceKind::Team).map(|(_, row)| row);
    let foreign: Vec<&StoredRow> = rows.clone().filter(|row| row.kind == RowKind::Sum).collect();
    let names = tracked_of(base, project)?;
    let context = GateContext { names: Some(&names), ..GateContext::default() };
    let mut learned = told_of(learned_of(rows.clone()), Some(&names), now);
    let muted = heed(rows, &mut learned);
    let home = home_of(env).and_then(|home| home.into_os_string().into_string().ok());
    let known = judge(&learned, now);
    let told = known.iter().flat_map(|known| &known.fixes).filter(|fix| fix.may_be_shared());
    let told: BTreeSet<&str> = told.map(|fix| fix.fix.id.as_str()).collect();
    let mut lines = BTreeMap::new();
    let all = own_lines(&learned, &machine).into_iter().chain(foreign.iter().filter_map(|row| shared_line(row)));
    for line in all.filter(|line| told.contains(line.fix().id.as_str()) && line.is_open(&context)) {
        let line = line.cleaned(home.as_deref(), &context);
        if line.is_sound(now) {
            add(&mut lines, line);
        }
    }
    let before = SharedFile::read(before, now);
    let mut open = BTreeMap::new();
    if with_open {
        let is_known = |fine: &str| before.open.iter().any(|line| line.fine == fine);
        let own = own_open(&learned, &muted, is_known, &machine, now).into_iter();
        own.filter(|line| line.is_sound(now)).for_each(|line| add_open(&mut open, line));
    }
    before.lines.into_iter().for_each(|line| add(&mut lines, line));
    before.open.into_iter().for_each(|line| add_open(&mut open, line));
    let texts = lines.values().map(serde_json::to_string).chain(open.values().map(serde_json::to_string));
    Ok(texts.flatten().flat_map(|line| [line, "\n".to_owned()]).collect())
}

/// What this machine met in several sessions, or in one where another machine met it, too, and nobody knows a fix for.
fn own_open(
    learned: &Learned,
    muted: &BTreeSet<String>,
    is_known: impl Fn(&str) -> bool,
    machine: &str,
    now: u64,
) -> Vec<OpenLine> {
    let comes_back = |known: &Known| {
        let fine = known.pattern.fine.as_str();
        let is_open = !muted.contains(fine) && !known.fixes.iter().any(KnownFix::tellable);
        is_open && known.sessions > u64::from(!is_known(fine) && known.shared_occurrences == 0)
    };
    let known = judge(learned, now).into_iter().filter(comes_back);
    let mut lines: BTreeMap<String, OpenLine> =
        known.map(|known| (known.pattern.fine.clone(), OpenLine::of(&known.pattern))).collect();
    let mut sessions = BTreeSet::new();
    for met in &learned.met {
        let (Some(line), Some(month)) = (lines.get_mut(&met.pattern.fine), month_of(met.at)) else { continue };
        let is_new = sessions.insert((&met.pattern.fine, &met.session, month.clone()));
        let counts = line.counts.entry(machine.to_owned()).or_default().entry(month).or_default();
        for (count, more) in counts.iter_mut().zip([1, u64::from(is_new), met.cost.tokens.total()]) {
            *count = count.saturating_add(more).min(MOST_TOKENS);
        }
    }
    lines.into_values().collect()
}

/// The counts of this machine's own sessions.
fn own_lines(learned: &Learned, machine: &str) -> Vec<SharedLine> {
    let patterns: BTreeMap<&str, &PatternRow> =
        learned.met.iter().map(|met| (met.pattern.fine.as_str(), &*met.pattern)).collect();
    let mut sessions: BTreeSet<(String, &str, String)> = BTreeSet::new();
    let mut lines: BTreeMap<String, SharedLine> = BTreeMap::new();
    for tried in &learned.tried {
        let (Some(pattern), Some(month)) = (patterns.get(tried.fine.as_str()), month_of(tried.at)) else { continue };
        let line = lines.entry(tried.fix.id.clone()).or_insert_with(|| SharedLine {
            v: VERSION,
            words: tried.fix.words.clone(),
            object: tried.fix.object,
            pattern: (*pattern).clone(),
            counts: BTreeMap::new(),
        });
        let is_new = sessions.insert((tried.fix.id.clone(), &tried.session, month.clone()));
        let counts = line.counts.entry(machine.to_owned()).or_default().entry(month).or_default();
        for (count, more) in counts.iter_mut().zip([true, tried.worked, is_new]) {
            *count += u64::from(more);
        }
    }
    lines.into_values().collect()
}

/// The counts of another machine for one month.
fn shared_line(row: &StoredRow) -> Option<SharedLine> {
    let sum: Sum = value(row)?;
    let counts = BTreeMap::from([(row.call.clone(), [sum.tried, sum.worked, sum.sessions])]);
    Some(SharedLine {
        v: VERSION,
        words: sum.fix.words.clone(),
        object: sum.fix.object,
        pattern: sum.pattern,
        counts: BTreeMap::from([(row.session.clone(), counts)]),
    })
}

/// The rows of a file, of other machines than this one: its own counts are those of its own sessions.
pub(super) fn rows_of(file: &SharedFile, project: &str, own: &str) -> Vec<StoredRow> {
    let mut rows = open_rows(&file.open, project, own);
    for line in &file.lines {
        let fix = line.fix();
        for (machine, months) in line.counts.iter().filter(|(machine, _)| *machine != own) {
            for (month, [tried, worked, sessions]) in months {
                let Some(at) = middle_of(month) else { continue };
                let (tried, worked, sessions) = (*tried, *worked, *sessions);
                let pattern = line.pattern.clone();
                let sum = Sum { fix: fix.clone(), pattern, at, tried, worked, sessions, machine: String::new() };
                // Counts only grow: of two for the same month the larger one knows more.
                let rank = signed(tried);
                rows.push(StoredRow::of(project, RowKind::Sum, [machine, month, &fix.id], rank, &sum));
            }
        }
    }
    rows
}

fn open_rows(lines: &[OpenLine], project: &str, own: &str) -> Vec<StoredRow> {
    let mut rows = Vec::new();
    for line in lines {
        let pattern = PatternRow {
            fine: line.fine.clone(),
            coarse: line.coarse.clone(),
            version: line.version,
            category: line.category,
            runner: None,
            operation: line.program.clone().unwrap_or_else(|| "another program".to_owned()),
            line: None,
            placed: false,
        };
        for (machine, months) in line.counts.iter().filter(|(machine, _)| *machine != own) {
            for (month, [failures, sessions, tokens]) in months {
                let Some(at) = middle_of(month) else { continue };
                let (failures, sessions, tokens, pattern) = (*failures, *sessions, *tokens, pattern.clone());
                let open = OpenSum { pattern, at, failures, sessions, tokens, machine: String::new() };
                let key = [machine.as_str(), month, &line.fine];
                rows.push(StoredRow::of(project, RowKind::Open, key, signed(failures), &open));
            }
        }
    }
    rows
}

/// Takes in what another machine exported, and says how many counts these are.
///
/// # Errors
/// When the base or the file of counts cannot be written.
pub fn import(base: &mut Base, env: Env<'_>, project: &str, file: &SharedFile) -> Result<usize, StoreFault> {
    let rows = rows_of(file, project, &machine(env)?);
    put_imported(base, &rows)?;
    Ok(rows.len())
}

/// Keeps rows that came from another machine, and writes the file of counts with them.
pub(super) fn put_imported(base: &mut Base, rows: &[StoredRow]) -> Result<(), StoreFault> {
    let path = base.path().to_owned();
    base.whole(|writer| {
        let source = writer.source(counts::name_of(SourceKind::Import), SourceKind::Import, "", "")?;
        writer.put(source, rows)?;
        counts::write(writer, &path)
    })
}

/// This machine's id: 16 hexadecimal digits that say nothing of it, made once. All runs of a CI are one machine, or each of
/// them would add lines of its own.
///
/// # Errors
/// When nothing names a home, or it cannot be kept.
pub fn machine(env: Env<'_>) -> Result<String, StoreFault> {
    if env("CI").is_some_and(|value| !value.is_empty()) {
        return Ok(hex16(&["all runs of a CI"]));
    }
    let path = root(env)?.join(MACHINE);
    let known = |path: &Path| read_small(path, 64).map(|text| text.trim().to_owned()).filter(|id| is_hex_id(id));
    if let Some(id) = known(&path) {
        return Ok(id);
    }
    let id: String = random_id("machine").chars().take(ID).collect();
    put_private(&path, format!("{id}\n").as_bytes())?;
    // Another process may have been quicker: what stands there now is the id.
    Ok(known(&path).unwrap_or(id))
}

fn is_hex_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a text is one line that hides nothing and holds no secret.
pub(super) fn is_text(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest
        && !text.chars().any(|c| c.is_control() || is_invisible(c))
        && redact(text) == *text
        && !text.contains("[redacted:")
}

/// Whether words of a lesson are words of a command, and no sentence to a reader.
fn are_words(words: &Words) -> bool {
    let is_word = |word: &String| is_text(word, LONGEST_WORDS / 2) && !word.is_empty() && word.bytes().all(is_of_word);
    let is_command = |command: &String| {
        is_text(command, LONGEST_WORDS) && command.bytes().all(|byte| byte == b' ' || is_of_word(byte))
    };
    let fits = words.line().chars().count() <= LONGEST_WORDS;
    fits && match words {
        Words::Instead { gone, new } => gone.len() <= 4 && new.len() <= 4 && gone.iter().chain(new).all(is_word),
        Words::Folder(folder) => {
            is_word(folder) && !folder.starts_with('/') && !folder.split('/').any(|part| part == "..")
        }
        Words::Command(commands) => (1..=4).contains(&commands.len()) && commands.iter().all(is_command),
        Words::Flaky | Words::Standing => true,
        Words::Note(note) => is_text(note, LONGEST_WORDS),
    }
}

/// Whether a byte stands in words that no shell takes for its own; braces are of `{object}`.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./:@=+,%~^{}".contains(&byte)
}

/// The month of a time in milliseconds since 1970, in UTC: `2026-03`.
fn month_of(at: u64) -> Option<String> {
    stamp_at(at)?.get(..7).map(str::to_owned)
}

/// The middle of a month, in milliseconds since 1970.
fn middle_of(month: &str) -> Option<u64> {
    let middle = since_1970(&format!("{month}-15T00:00:00Z"))?;
    (month.len() == 7).then_some(middle)
}
