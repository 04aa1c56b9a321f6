//! The lines of an output that recognisers know.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use crate::model::{Category, Status, ToolCall, ToolKind};
use crate::text::{begins_in_any_case, offset_in};

use super::clean::without_task_mark;
use super::index::{Hit, ROWS, scan};
use super::involved::Involved;
use super::judge::by_name;
use super::pattern::{Captures, MAX_LINE, captures};
use super::resolve::{RUNS, distinct, same_place};
use super::row::{Reach, ReadingRow, Role, RowScope, ToolTable, idle};
use super::spoken::{is_of_commit, is_own_word};
use super::tables::TOOLS;

/// A line that a row matched.
#[derive(Clone, Copy)]
pub(super) struct Found<'t> {
    /// The row's number over all tables: lower ones have priority.
    pub(super) id: usize,
    pub(super) tool: &'static ToolTable,
    pub(super) row: &'static ReadingRow,
    pub(super) reach: Reach,
    /// The whole line, trimmed, without the task's mark.
    pub(super) line: &'t str,
    pub(super) captures: Captures<'t>,
    /// Where the needle stands in the text.
    pub(super) at: usize,
}

impl Found<'_> {
    pub(super) fn tells(&self) -> bool {
        matches!(self.row.role, Role::Finding | Role::Weak | Role::Failed)
    }
}

/// The row of a line that counts tests, all of which were left out.
static NOTHING_RAN: ReadingRow = idle("");

/// How often one row is verified, how often one that names passed tests, and the most lines that all rows keep.
const PER_ROW: u8 = 64;
const PASSED_TESTS: u8 = 16;
const IN_ALL: usize = 512;

/// How surely the call used the tool.
fn reach(call: &ToolCall<'_>, involved: Option<&Involved>, number: usize, tool: &ToolTable) -> Reach {
    match (&tool.scope, involved) {
        (RowScope::Kinds(kinds), _) => {
            if kinds.contains(&call.tool.kind) {
                Reach::Direct
            } else {
                Reach::Never
            }
        }
        (_, Some(involved)) => involved.reach(number),
        // A script's report does not say which command it was: any may have been, but a tool that has to be named was not.
        (RowScope::Runs(_, Reach::Direct), None) => Reach::Never,
        (RowScope::Runs(_, weakest), None) if call.tool.kind == ToolKind::Shell => *weakest,
        (RowScope::Last(_), None) if call.tool.kind == ToolKind::Shell => Reach::Loose,
        (RowScope::Shell, None) if call.tool.kind == ToolKind::Shell => Reach::Direct,
        (_, None) => Reach::Never,
    }
}

/// Every line that a row of an involved tool matches, in the order of the text.
pub(super) fn collect<'t>(call: &ToolCall<'_>, involved: Option<&Involved>, text: &'t str) -> Vec<Found<'t>> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut search = LineSearch { text, found: Vec::new() };
    let reach = |number, tool: &ToolTable| reach(call, involved, number, tool);
    search.look(|number, tool| if is_last(tool) { Reach::Never } else { reach(number, tool) });
    // What any program may say is worth a second look only at a failure that no runner explains.
    if matches!(call.status, Status::Failed | Status::Refused) && !search.found.iter().any(explains) {
        search.look(|number, tool| if is_last(tool) { reach(number, tool) } else { Reach::Never });
    }
    let mut found = search.found;
    // Of the rows that know one line, the first of the tables stands first.
    found.sort_by_key(|f| (f.line.as_ptr() as usize, f.id));
    leave_skipped(text, involved, &mut found);
    leave_idle(text, &mut found);
    found
}

/// A line that says that there was nothing to run, or that all of it was left out, is neither a pass nor a
/// finding, though it may begin as one. Nor is the end of a build that counts no test a pass.
fn leave_idle(text: &str, found: &mut Vec<Found<'_>>) {
    let ran_none =
        |f: &&mut Found<'_>| leaves_out_all(f.line, Some(text).filter(|_| f.tool.usual == Category::TestFailure));
    found.iter_mut().filter(|f| f.row.role == Role::Passed).filter(ran_none).for_each(|f| f.row = &NOTHING_RAN);
    let idle: Vec<_> = found.iter().filter(|f| f.row.role == Role::Idle).map(|f| f.line.as_ptr()).collect();
    if !idle.is_empty() {
        let counts = |f: &Found<'_>| f.row.role != Role::Passed || f.line.bytes().any(|byte| byte.is_ascii_digit());
        let is_of_idle = |f: &Found<'_>| {
            matches!(f.row.role, Role::Passed | Role::TestPassed | Role::Finding) && idle.contains(&f.line.as_ptr())
        };
        found.retain(|f| counts(f) && !is_of_idle(f));
    }
}

/// How many lines are looked at for the counts of a result.
const NEAR: usize = 8;

/// The line with those around it that count too: `# tests 2`, `# pass 0`, or `Ran 2 tests`, an empty line, `OK (skipped=2)`.
fn closing_counts<'t>(text: &'t str, line: &'t str) -> &'t str {
    let Some(start) = offset_in(line, text) else { return line };
    let (Some(before), Some(after)) = (text.get(..start), text.get(start + line.len()..)) else { return line };
    let counts = |near: &&str| near.trim().is_empty() || near.bytes().any(|byte| byte.is_ascii_digit());
    let length = |size: usize, near: &str| size + near.len();
    let first = start - before.split_inclusive('\n').rev().take(NEAR).take_while(counts).fold(0, length);
    let last = start + line.len() + after.split_inclusive('\n').take(NEAR).take_while(counts).fold(0, length);
    text.get(first..last).unwrap_or(line)
}

/// How many tests a result counts.
#[derive(Default, Clone, Copy)]
struct TestCounts {
    all: Option<u64>,
    left_out: u64,
    passed: Option<u64>,
}

impl TestCounts {
    fn of(lines: &str) -> Self {
        const ALL: &[&str] = &["test", "run", "ran", "example", "spec", "scenario"];
        const LEFT_OUT: &[&str] = &["skip", "pend", "todo", "ignored", "excluded"];
        let mut counts = Self::default();
        for part in lines.split([',', '\n']).filter(|part| !part.contains('%')) {
            let words = part.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            let Some(count) = words.clone().find_map(|word| word.parse::<u32>().ok()).map(u64::from) else { continue };
            let is =
                |starts: &[&str]| words.clone().any(|word| starts.iter().any(|start| begins_in_any_case(word, start)));
            let is_result = counts.all.is_some() || counts.passed.is_some();
            if is_result && is(LEFT_OUT) {
                counts.left_out += count;
            } else if is(&["pass"]) {
                counts.passed = Some(counts.passed.unwrap_or_default() + count);
            }
            if is(ALL) {
                counts.all.get_or_insert(count);
            }
        }
        counts
    }
}

/// Whether a result says that no test ran, in its line or, where `around` is its text, in the ones beside it: `3 examples, 0
/// failures, 3 pending`.
fn leaves_out_all(line: &str, around: Option<&str>) -> bool {
    let own = TestCounts::of(line);
    if own.passed.is_some_and(|count| count > 0) {
        return false;
    }
    let lines = around.map(|text| closing_counts(text, line));
    let near = lines.map_or(own, TestCounts::of);
    let none_is_left = || own.all.or(near.all) == Some(near.left_out);
    near.left_out > 0 && near.passed.map_or_else(none_is_left, |passed| passed == 0)
        || lines.is_some_and(|lines| counts_no_test(line).or_else(|| counts_no_test(lines)) == Some(true))
}

/// Whether every count of tests in these lines is 0, where there is one: `0 tests, 0 failures`, `ℹ pass 0`.
fn counts_no_test(lines: &str) -> Option<bool> {
    const AFTER: &str =
        " test tests spec specs example examples scenario scenarios pass passed passing successes runs ";
    const BEFORE: &str = " test tests pass passed run ";
    let is_one =
        |word: &str, of: &str| of.split(' ').any(|other| !other.is_empty() && word.eq_ignore_ascii_case(other));
    // `00:04` is a time.
    let number = |word: &str| word.parse::<u64>().ok().filter(|_| word == "0" || !word.starts_with('0'));
    let mut none = None;
    for part in lines.split([',', ';', '|', '/', '\n']) {
        let words = words_and_numbers(part);
        for (at, pair) in words.windows(2).enumerate() {
            let [first, second] = pair else { continue };
            let next = words.get(at + 2).copied().unwrap_or_default();
            // `0 tests failed` counts something else.
            let is_of_others = begins_in_any_case(next, "fail");
            let count = if is_one(second, AFTER) && !is_of_others {
                number(first)
            } else if is_one(first, BEFORE) && !is_of_others && !is_one(next, AFTER) {
                number(second)
            } else {
                None
            };
            match count {
                Some(0) => none = Some(true),
                Some(_) => return Some(false),
                None => {}
            }
        }
    }
    none
}

/// The words and numbers of a line, without its signs.
fn words_and_numbers(line: &str) -> Vec<&str> {
    let words = line.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '.'));
    words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect()
}

/// Whether a line says that there was no test: `No tests ran.`, `NO TESTS RAN`, `1..0`.
fn says_no_test(line: &str) -> bool {
    const THEN: &[&str] = &["ran", "run", "found", "executed", "to", "were", "files", "is", "collected"];
    let is = |word: &str, other: &str| word.eq_ignore_ascii_case(other);
    let words = words_and_numbers(line);
    let is_none = |(at, pair): (usize, &[&str])| {
        let follows = words.get(at + 2).is_none_or(|next| THEN.iter().any(|then| is(next, then)));
        matches!(pair, [no, test] if is(no, "no") && (is(test, "test") || is(test, "tests"))) && follows
    };
    matches!(words.as_slice(), ["1..0", ..]) || words.windows(2).enumerate().any(is_none)
}

/// Whether the last lines of a text say that no test ran.
pub(super) fn ends_without_tests(text: &str) -> bool {
    let last = || text.lines().rev().filter(|line| !line.trim().is_empty()).take(NEAR);
    let lines = last().last().and_then(|line| text.get(offset_in(line, text)?..)).unwrap_or_default();
    counts_no_test(lines).unwrap_or_else(|| last().any(says_no_test))
}

/// A run that names tests as skipped and none as passed, and counts no more than these, is no pass.
fn leave_skipped(text: &str, involved: Option<&Involved>, found: &mut [Found<'_>]) {
    let skipped = found.iter().filter(|f| f.row.role == Role::TestSkipped);
    let runners = distinct(skipped.filter(|f| runs_tests(f.tool, involved)).map(|f| f.tool.name));
    for runner in runners {
        let (mut skips, mut passes, mut end, mut last) = (0, false, "", None);
        for f in found.iter_mut().filter(|f| f.tool.name == runner && !same_place(f.line, end)) {
            match f.row.role {
                Role::TestSkipped => {
                    skips += 1;
                    let is_named = || f.line.starts_with("ok ") && names_passed_point(text);
                    passes = passes || is_named() || runs_elsewhere(f.line, text);
                    last = Some(f);
                }
                Role::TestPassed => passes = true,
                Role::Passed | Role::Failed | Role::Idle => {
                    end = f.line;
                    let counts = TestCounts::of(end);
                    let counts_more = counts.passed.is_some_and(|passed| passed > 0) || counts.all > Some(skips);
                    if skips > 0 && !passes && !counts_more {
                        f.row = &NOTHING_RAN;
                    }
                    (skips, passes, last) = (0, false, None);
                }
                _ => {}
            }
        }
        if let Some(last) = last.filter(|_| !passes && end.is_empty()) {
            last.row = &NOTHING_RAN;
        }
    }
}

/// Whether a tool does nothing but run tests, or the line asks it for nothing else: a build that ends well was compiled.
fn runs_tests(tool: &ToolTable, involved: Option<&Involved>) -> bool {
    let asked = involved.into_iter().flat_map(|involved| involved.direct(tool).filter_map(|at| involved.command(at)));
    tool.usual == Category::TestFailure || asked.map(by_name).any(|of| of == Category::TestFailure)
}

/// Whether a line of the Test Anything Protocol names a test that ran and passed.
fn names_passed_point(text: &str) -> bool {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("ok ")).any(|point| {
        let is_left_out =
            |(_, word): (_, &str)| ["skip", "todo"].iter().any(|it| begins_in_any_case(word.trim_start(), it));
        point.starts_with(|sign: char| sign.is_ascii_digit()) && !point.rsplit_once('#').is_some_and(is_left_out)
    })
}

/// Whether a task of a build that ran nothing ran in another of its projects: `> Task :app:test NO-SOURCE`, `> Task :lib:test`.
fn runs_elsewhere(line: &str, text: &str) -> bool {
    let Some((task, _)) = line.rsplit_once(' ').filter(|_| line.starts_with("> Task :")) else { return false };
    let name = task.rsplit(':').next().unwrap_or_default();
    let ran = |line: &str| {
        let mut words = line.strip_prefix("> Task :")?.split_whitespace();
        let is_it = words.next()?.rsplit(':').next() == Some(name);
        Some(is_it && !matches!(words.next(), Some("NO-SOURCE" | "SKIPPED")))
    };
    text.lines().any(|line| ran(line) == Some(true))
}

fn is_last(tool: &ToolTable) -> bool {
    matches!(tool.scope, RowScope::Last(_))
}

/// Whether a runner that the line names, or that a task of it starts, tells what failed.
fn explains(found: &Found<'_>) -> bool {
    matches!(found.row.role, Role::Finding | Role::Failed)
        && found.reach != Reach::Loose
        && RUNS.contains(&found.tool.usual)
}

/// A text with what was found in it.
struct LineSearch<'t> {
    text: &'t str,
    found: Vec<Found<'t>>,
}

impl LineSearch<'_> {
    /// Adds what the rows of the tools within reach match.
    fn look(&mut self, reach: impl Fn(usize, &ToolTable) -> Reach) {
        let Self { text, found } = self;
        // Most tools are never asked for: their words do not stand in the text.
        let known = [const { Cell::new(None) }; TOOLS.len()];
        let reach_of = |tool: usize| {
            let (Some(known), Some(asked)) = (known.get(tool), TOOLS.get(tool)) else { return Reach::Never };
            let reach = known.get().unwrap_or_else(|| reach(tool, asked));
            known.set(Some(reach));
            reach
        };
        let mut seen = [0; ROWS];
        let mut place = LinePlace::default();
        let believes = |tool| reach_of(tool) != Reach::Never;
        scan(text.as_bytes(), believes, |hit| {
            let (Some(tool), Some(row)) = (hit.tool(), hit.row()) else { return };
            if found.len() >= IN_ALL || is_spent(&mut seen, &hit, row.role) {
                return;
            }
            place.move_to(text, hit.at);
            let reach = reach_of(hit.tool);
            let doubted = reach == Reach::Loose || is_last(tool);
            let matched = place
                .matches(hit.id, row)
                .filter(|(line, _)| !is_of_commit(line) && (!doubted || is_own_word(row, line)));
            found.extend(matched.map(|(line, captures)| Found {
                id: hit.id,
                tool,
                row,
                reach,
                line,
                captures,
                at: hit.at,
            }));
        });
    }
}

/// Whether the row has been verified often enough. A result is looked for to the end: the last one counts too.
fn is_spent(seen: &mut [u8; ROWS], hit: &Hit, role: Role) -> bool {
    let limit = match role {
        Role::Failed | Role::Passed | Role::Idle => u8::MAX,
        Role::TestPassed => PASSED_TESTS,
        _ => PER_ROW,
    };
    seen.get_mut(hit.id).is_none_or(|count| {
        *count = count.saturating_add(1);
        *count > limit
    })
}

/// The line of the last hit, trimmed, with and without the task's mark: most hits stand in the line of the one before.
#[derive(Default)]
struct LinePlace<'t> {
    /// The part of the text for which the line is known.
    known: Range<usize>,
    line: &'t str,
    unmarked: OnceCell<Option<&'t str>>,
    /// What the rows of earlier hits said: many lines hold a needle twice.
    told: Vec<(usize, Option<MatchedRow<'t>>)>,
}

/// A line, and what a row's captures are in it.
type MatchedRow<'t> = (&'t str, Captures<'t>);

impl<'t> LinePlace<'t> {
    fn move_to(&mut self, text: &'t str, at: usize) {
        if self.known.contains(&at) {
            return;
        }
        let whole = line_at(text, at).unwrap_or_default();
        // Of a longer line, each place sees another part.
        let known = if whole.len() < MAX_LINE / 2 {
            offset_in(whole, text).map(|start| start..start + whole.len())
        } else {
            None
        };
        self.known = known.unwrap_or_default();
        self.line = without_blanks(whole);
        self.unmarked = OnceCell::new();
        self.told.clear();
    }

    fn matches(&mut self, id: usize, row: &ReadingRow) -> Option<MatchedRow<'t>> {
        if let Some((_, told)) = self.told.iter().find(|(row, _)| *row == id) {
            return *told;
        }
        let matched = self.matched(row);
        self.told.push((id, matched));
        matched
    }

    fn matched(&self, row: &ReadingRow) -> Option<MatchedRow<'t>> {
        if let Some(captures) = captures(row.pattern, self.line) {
            return Some((self.line, captures));
        }
        let line = (*self.unmarked.get_or_init(|| without_task_mark(self.line).map(str::trim_ascii)))?;
        captures(row.pattern, line).map(|captures| (line, captures))
    }
}

/// The line without the blanks around it. Those of other scripts (a thin space) are looked for only where one may stand.
fn without_blanks(line: &str) -> &str {
    let plain = line.trim_ascii();
    if plain.as_bytes().first().is_some_and(u8::is_ascii) { plain } else { plain.trim() }
}

/// The line around a place, at most [`MAX_LINE`] bytes of it.
fn line_at(text: &str, at: usize) -> Option<&str> {
    let lowest = text.floor_char_boundary(at.saturating_sub(MAX_LINE / 2));
    let before = text.as_bytes().get(lowest..at)?;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(lowest, |newline| lowest + newline + 1);
    let highest = text.floor_char_boundary(text.len().min(start + MAX_LINE));
    let after = text.as_bytes().get(at..highest)?;
    let end = after.iter().position(|b| *b == b'\n').map_or(highest, |newline| at + newline);
    text.get(start..end)
}

#[cfg(test)]
mod tests {
    use super::{leaves_out_all, line_at};

    proptest::proptest! {
        #[test]
        fn a_result_that_counts_none_but_left_out_tests_is_no_pass(run in 0..9_u32, skipped in 0..9_u32, todo in 0..9_u32) {
            let all = run + skipped + todo;
            let none_ran = run == 0;
            for line in [
                format!("{all} examples, 0 failures, {} pending", skipped + todo),
                format!("{all} runs, 0 assertions, 0 failures, 0 errors, {} skips", skipped + todo),
                format!("Tests run: {all}, Failures: 0, Errors: 0, Skipped: {}", skipped + todo),
                format!("{all} tests, 0 failures, {skipped} excluded, {todo} skipped"),
            ] {
                proptest::prop_assert_eq!(leaves_out_all(&line, Some(&line)), none_ran, "{}", line);
            }
            let left_out = skipped + todo;
            for (counts, line) in [
                (format!("ℹ tests {all}\nℹ suites 0\nℹ pass {run}\nℹ fail 0\nℹ skipped {skipped}\nℹ todo {todo}\n"), "ℹ fail 0"),
                (format!("-----\nRan {all} tests in 0.001s\n\nOK (skipped={left_out})\n"), "Ran "),
                (format!("\n {run} pass\n {left_out} skip\n 0 fail\nRan {all} tests across 1 file. [9.00ms]\n"), "0 fail"),
            ] {
                let text = format!("1 pass\n3 skipped\nThis is of another run.\nFinished in {left_out} s\n{counts}Done.\n4 passed\n");
                let line = text.lines().find(|near| near.contains(line)).unwrap_or_default();
                proptest::prop_assert_eq!(leaves_out_all(line, Some(&text)), none_ran, "{}", counts);
            }
            let line = format!("{skipped} skipped, {} passed, {todo} skipped", run + 1);
            proptest::prop_assert!(!leaves_out_all(&line, Some(&line)), "{}", line);
        }
    }

    #[test]
    fn lines_are_cut_out_whole_and_bounded() {
        assert_eq!(line_at("one\ntwo three\nfour", 6), Some("two three"));
        assert_eq!(line_at("one", 0), Some("one"));
        let long = format!("{}é{}", "a".repeat(3000), "b".repeat(3000));
        assert!(line_at(&long, 3001).is_none_or(|line| line.len() <= 1024));
    }
}
