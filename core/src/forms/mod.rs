//! What a program takes instead of what was given: one row a form, by program and subcommand, for the failure modes against
//! which it helps.
//!
//! Every option and variable in the table stands in the program's own help text or manual page: `tests/reading/forms.rs` holds each
//! row to the texts recorded in `tests/forms_help/`.

mod edit;
mod placed;
mod table;

pub use edit::{LineEdit, behind, with_edits};
pub use table::FORMS;

use crate::model::{Finding, FindingKind, Mode};
use crate::programs::stand_ins::SAME;
use crate::programs::{self, own_words};
use crate::shell::{PlacedWord, WordRole, placed_words};
use placed::PlacedCall;
use std::ops::Range;

/// What has to change in a call so that it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormChange {
    /// Options are added.
    Flag,
    /// Variables are set for this call.
    Variable,
    /// Another subcommand, another order of words or another program.
    Form,
    /// Standard input comes from a file, from a pipe or from nowhere.
    Input,
}

/// Where the text of a row goes in the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormPlace {
    /// Behind the subcommand, or behind the program where the row is about every call of it.
    Behind,
    /// Behind the program, whatever the subcommand.
    First,
    /// Behind the last word.
    Last,
    /// Before the program.
    Before,
    /// In the place of these words; an empty text takes them out.
    Instead(&'static str),
    /// In the place of the whole call: `{program}` is the program as it was written, `{rest}` all words behind it, `{head}` the
    /// words from the program to the subcommand, `{args}` those behind that.
    Whole(&'static str),
    /// Only who knows what the call is for can write it.
    Nowhere,
}

/// A row: what works for calls of a program in failure modes.
#[derive(Debug, PartialEq, Eq)]
pub struct FormRow {
    /// The program's name without folder and version: `python` for `/usr/bin/python3.11`.
    pub program: &'static str,
    /// Subcommands, each of words with blanks between them; one that is empty stands for every call of the program.
    pub subcommands: &'static [&'static str],
    /// The failure modes.
    pub modes: &'static [Mode],
    /// What the program prints where it needs the form, one of these.
    findings: &'static [FindingKind],
    /// What changes.
    pub change: FormChange,
    /// The change as a person would type it: options, variables, or the whole other form. Words in capitals and `...` stand
    /// for what only the caller knows.
    pub text: &'static str,
    /// What the change does, in one sentence; of a form that what was printed asks for, why it is needed.
    pub note: &'static str,
    /// Whether the form only makes the call end where it would wait: no help to one that ended by itself.
    pub only_ends: bool,
    /// The program's version and the day on which the form was run against a failure that it mends, with the result that was
    /// asked for (`scripts/forms_run.py`); empty of a form that was not run, of which nobody says that it works.
    pub ran: &'static str,
    place: FormPlace,
    /// Words that the working form leaves out.
    without: &'static [&'static str],
}

/// A row, and the one of its subcommands that a call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkingForm {
    /// The row.
    pub row: &'static FormRow,
    /// The subcommand; empty where the row is about every call of its program.
    pub subcommand: &'static str,
}

/// The subcommands of a row about every call of its program.
const ANY: &[&str] = &[""];

const fn row(
    program: &'static str,
    subcommands: &'static [&'static str],
    modes: &'static [Mode],
    (change, place): (FormChange, FormPlace),
    (text, note): (&'static str, &'static str),
) -> FormRow {
    FormRow {
        program,
        subcommands,
        modes,
        findings: &[],
        change,
        text,
        note,
        only_ends: false,
        ran: "",
        place,
        without: &[],
    }
}

/// Options that a program asks for by what it prints.
const fn needed(
    program: &'static str,
    subcommands: &'static [&'static str],
    findings: &'static [FindingKind],
    text: &'static str,
    note: &'static str,
) -> FormRow {
    FormRow { findings, ..flag(program, subcommands, &[], text, note) }
}

/// A constructor of rows whose change is of one kind.
macro_rules! rows_of {
    ($($name:ident = $kind:ident, $place:ident;)*) => {
        $(const fn $name(
            program: &'static str,
            subcommands: &'static [&'static str],
            modes: &'static [Mode],
            text: &'static str,
            note: &'static str,
        ) -> FormRow {
            row(program, subcommands, modes, (FormChange::$kind, FormPlace::$place), (text, note))
        })*
    };
}

rows_of! {
    flag = Flag, Behind;
    variable = Variable, Before;
    form = Form, Nowhere;
    input = Input, Nowhere;
}

impl FormRow {
    const fn at(mut self, place: FormPlace) -> Self {
        self.place = place;
        self
    }

    const fn instead(self, given: &'static str) -> Self {
        self.at(FormPlace::Instead(given))
    }

    const fn anew(self, template: &'static str) -> Self {
        self.at(FormPlace::Whole(template))
    }

    const fn first(self) -> Self {
        self.at(FormPlace::First)
    }

    const fn last(self) -> Self {
        self.at(FormPlace::Last)
    }

    const fn never(self) -> Self {
        self.at(FormPlace::Nowhere)
    }

    const fn without(mut self, words: &'static [&'static str]) -> Self {
        self.without = words;
        self
    }

    const fn ran(mut self, ran: &'static str) -> Self {
        self.ran = ran;
        self
    }

    const fn only_ends(mut self) -> Self {
        self.only_ends = true;
        self
    }

    /// The row with each of its subcommands.
    pub fn forms(&'static self) -> impl Iterator<Item = WorkingForm> {
        self.subcommands.iter().map(move |subcommand| WorkingForm { row: self, subcommand })
    }

    /// Whether a program that prints this needs the form. Of an option that it does not know the row is about that one.
    pub fn answers(&self, finding: &Finding<'_>) -> bool {
        let bare = |word: &str| word.trim_start_matches('-').to_owned();
        let is_named = match self.place {
            FormPlace::Instead(given) if finding.kind == FindingKind::UnknownOption => {
                finding.name.is_some_and(|name| bare(name) == bare(given))
            }
            _ => true,
        };
        is_named && self.findings.contains(&finding.kind)
    }

    /// What stays of a word: nothing of one that the row leaves out or that it adds itself, and of letters that share a dash
    /// those that the row does not leave out.
    fn kept(&self, word: &str) -> String {
        // `--follow=name` goes with `--follow`.
        let name = word.split_once('=').filter(|_| word.starts_with("--")).map_or(word, |(name, _)| name);
        let stays = if self.without.contains(&name) { String::new() } else { self.fewer_letters(word) };
        let is_added = stays.starts_with('-') && stays == self.text;
        if is_added { String::new() } else { stays }
    }

    /// A word of letters that share a dash without those that the row leaves out; any other word as it is.
    fn fewer_letters(&self, word: &str) -> String {
        let is_letters = |rest: &&str| rest.len() > 1 && rest.bytes().all(|byte| byte.is_ascii_alphabetic());
        let Some(letters) = word.strip_prefix('-').filter(is_letters) else { return word.to_owned() };
        let goes = |letter: char| {
            self.without.iter().any(|out| out.strip_prefix('-').is_some_and(|own| own.chars().eq([letter])))
        };
        let stays: String = letters.chars().filter(|letter| !goes(*letter)).collect();
        if stays.is_empty() { stays } else { format!("-{stays}") }
    }
}

impl WorkingForm {
    /// Program and subcommand.
    pub fn call(&self) -> String {
        joined([self.row.program, self.subcommand])
    }

    /// Whether a command line has the form already: its first option, or its first variable.
    pub fn is_in(&self, line: &str) -> bool {
        let name = |word: &str| match word.split_once('=') {
            // Another value of the variable is what the form is against.
            Some((_, value)) if self.row.change == FormChange::Variable && !self.row.text.contains("...") => {
                format!("{}={value}", word.split('=').next().unwrap_or_default())
            }
            Some((name, _)) => name.to_owned(),
            None => word.to_owned(),
        };
        let text = self.row.text;
        match self.row.change {
            FormChange::Flag | FormChange::Variable => {
                let first = text.split_ascii_whitespace().next().map(name);
                line.split_ascii_whitespace().any(|word| first == Some(name(word)))
            }
            FormChange::Form | FormChange::Input => {
                let call = PlacedCall::find(line, self.row.program, self.subcommand);
                line.contains(text) && call.is_none_or(|call| self.left_out(&call).is_empty())
            }
        }
    }

    /// Whether a word of its text is left to be filled in: one in capitals, or `...`.
    pub fn is_to_be_filled(&self) -> bool {
        let value = |word: &'static str| word.split_once('=').map_or(word, |(_, value)| value);
        let is_name = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let text = self.row.text;
        text.contains("...") || text.split(' ').map(value).any(|word| word.split(['-', '/', ':']).any(is_name))
    }

    /// The command line with this row's call in its working form, everything else as it was. None where the line does not
    /// hold the call, and where the form cannot be made from the call alone: no word of a call is ever lost, save those
    /// that the row leaves out.
    ///
    /// Quotes stay as they were written. Words in capitals and `...` in the row's text are left for the caller to fill in.
    pub fn working(&self, line: &str) -> Option<String> {
        let call = PlacedCall::find(line, self.row.program, self.subcommand)?;
        // Of an option that is given twice the program takes one, and nobody knows which was meant.
        let own = own_words(programs::find(self.row.program), &call.texts());
        let is_given = |option: &str| self.kept_words(&call).any(|(at, word)| at < own && word == option);
        let mut added = self.row.text.split(' ').filter(|word| word.starts_with('-'));
        if !matches!(self.row.place, FormPlace::Instead(_)) && added.any(is_given) {
            return None;
        }
        let mut edits = self.left_out(&call);
        match self.row.place {
            FormPlace::Behind => edits.push(behind(call.head_end(), self.row.text)),
            FormPlace::First => edits.push(behind(call.program.end, self.row.text)),
            FormPlace::Before => {
                let mut others = self.other_values(line, &call).into_iter();
                match others.next() {
                    Some(other) => edits.push((other, self.row.text.to_owned())),
                    None => edits.push((call.program.start..call.program.start, format!("{} ", self.row.text))),
                }
                edits.extend(others.map(|other| (other, String::new())));
            }
            FormPlace::Instead(given) => edits.push((call.range_of(given)?, self.row.text.to_owned())),
            // What stands behind `--` is no option of this program.
            FormPlace::Last if !self.kept_words(&call).any(|(_, word)| word == "--") => {
                edits.push(behind(call.end(), self.row.text));
            }
            FormPlace::Whole(template) if self.holds_all(template, &call) => {
                edits = vec![(call.program.start..call.end(), self.filled(template, &call))];
            }
            // A call that a word of its own made wait works without that word.
            FormPlace::Last | FormPlace::Whole(_) if !edits.is_empty() => {}
            FormPlace::Last | FormPlace::Whole(_) | FormPlace::Nowhere => return None,
        }
        with_edits(line, edits).filter(|made| made != line)
    }

    /// The form of any call, as a person would type it.
    pub fn typed(&self) -> String {
        match self.row.change {
            FormChange::Flag => joined([&*self.call(), self.row.text]),
            FormChange::Variable => joined([self.row.text, &*self.call()]),
            FormChange::Form | FormChange::Input => self.row.text.to_owned(),
        }
    }

    /// The same, of a call that does not have the first word of the form yet.
    pub fn needed(&self, line: &str) -> Option<String> {
        let first = self.row.text.split(' ').next().unwrap_or_default();
        let call = PlacedCall::find(line, self.row.program, self.subcommand)?;
        let is_new = matches!(self.row.place, FormPlace::Instead(_)) || !call.texts().contains(&first);
        if is_new { self.working(line) } else { None }
    }

    /// Where the call gives other values to the variables of the form.
    fn other_values(&self, line: &str, call: &PlacedCall<'_>) -> Vec<Range<usize>> {
        let words = placed_words(line).unwrap_or_default();
        let program = words.iter().find(|word| word.range.start == call.program.start).map(|word| word.command);
        let is_other = |word: &&PlacedWord| {
            let own = word.text.split_once('=').map(|(name, _)| format!("{name}="));
            word.role == WordRole::Assignment
                && Some(word.command) == program
                && word.range.end < call.program.start
                && own.is_some_and(|own| self.row.text.split(' ').any(|set| set.starts_with(&own)))
        };
        words.iter().filter(is_other).map(|word| word.range.clone()).collect()
    }

    /// What the form leaves out of the words of a call. What is said to the script of an interpreter stays as it is.
    fn left_out(&self, call: &PlacedCall<'_>) -> Vec<LineEdit> {
        let own = call.words.iter().take(own_words(programs::find(self.row.program), &call.texts()));
        let changed = own.filter_map(|range| {
            let (word, kept) = (call.text(range), self.row.kept(call.text(range)));
            (kept != word).then(|| (range.clone(), kept))
        });
        changed.collect()
    }

    /// The words behind the program that stay, with their places among all.
    fn kept_words(&self, call: &PlacedCall<'_>) -> impl Iterator<Item = (usize, String)> {
        let own = own_words(programs::find(self.row.program), &call.texts());
        let kept = |(at, word): (usize, &str)| {
            let kept = if at < own { self.row.kept(word) } else { word.to_owned() };
            (at, kept)
        };
        let kept: Vec<(usize, String)> = call.texts().into_iter().enumerate().map(kept).collect();
        kept.into_iter().filter(|(_, word)| !word.is_empty())
    }

    /// Whether the template has a place for every word, and one where it means what it meant.
    fn holds_all(&self, template: &str, call: &PlacedCall<'_>) -> bool {
        let has = |hole: &str| template.contains(hole);
        let is_head = |place: usize| place < call.head;
        let words: Vec<(usize, String)> = self.kept_words(call).collect();
        let has_all_args = words.iter().all(|(at, _)| is_head(*at)) || has("{args}") || has("{rest}");
        let head = joined(words.iter().filter(|(at, _)| is_head(*at)).map(|(_, word)| word.as_str()));
        let has_all_head = head == self.subcommand || has("{head}") || has("{rest}");
        // Options of one program are not another's.
        let is_option = |word: &str| word.starts_with(['-', '+']);
        let fits_program = has("{program}") || has("{head}") || !words.iter().any(|(_, word)| is_option(word));
        // What stands behind `--` is no option of this program.
        let is_open = template.ends_with("{rest}") || template.ends_with("{args}");
        let ends_open = is_open || !words.iter().any(|(_, word)| word == "--");
        has_all_args && has_all_head && fits_program && ends_open
    }

    /// The template with its holes filled; a hole that nothing goes into takes its blank along.
    fn filled(&self, template: &str, call: &PlacedCall<'_>) -> String {
        let (head, args): (Vec<_>, Vec<_>) = self.kept_words(call).partition(|(at, _)| *at < call.head);
        let words = |words: &[(usize, String)]| joined(words.iter().map(|(_, word)| word.as_str()));
        let program = call.text(&call.program);
        let (head, args) = (words(&head), words(&args));
        joined(template.split(' ').map(|word| match word {
            "{program}" => program.to_owned(),
            "{head}" => joined([program, head.as_str()]),
            "{rest}" => joined([&head, &args]),
            "{args}" => args.clone(),
            own => own.to_owned(),
        }))
    }
}

/// The row that speaks of a call most closely: of its subcommand before of its program.
///
/// `program` is the last part of the program's path, `subcommands` the words behind it that are no options.
pub fn find(program: &str, subcommands: &[&str], mode: Mode) -> Option<WorkingForm> {
    let speaks = |form: &WorkingForm| {
        let mut words = form.subcommand.split_ascii_whitespace().enumerate();
        form.row.modes.contains(&mode) && words.all(|(at, word)| subcommands.get(at) == Some(&word))
    };
    let found = rows_for(program).flat_map(FormRow::forms).filter(speaks).max_by_key(|form| form.subcommand.len());
    // `python manage.py migrate`: the script is the program.
    found.or_else(|| match subcommands {
        [script, rest @ ..]
            if script.rsplit_once('.').is_some_and(|(_, ending)| ending == "py") && is_known(name_of(script)) =>
        {
            find(script, rest, mode)
        }
        _ => None,
    })
}

/// All rows of a program.
pub fn rows_for(program: &str) -> std::slice::Iter<'static, FormRow> {
    let name = name_of(program);
    let start = FORMS.partition_point(|row| row.program < name);
    let rows = FORMS.get(start..).unwrap_or_default();
    rows.get(..rows.partition_point(|row| row.program == name)).unwrap_or_default().iter()
}

/// Whether the table has a program of this name.
fn is_known(name: &str) -> bool {
    FORMS.binary_search_by(|row| row.program.cmp(name)).is_ok()
}

/// The name under which the table has a program: without its folder and its version, and not by another name of it.
fn name_of(program: &str) -> &str {
    let own = program.rsplit('/').next().unwrap_or(program);
    // `create-vite@latest`
    let own = own.split_once('@').map_or(own, |(name, _)| name);
    if is_known(own) {
        return own;
    }
    let bare = own.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    SAME.iter().find(|(other, _)| *other == bare).map_or(bare, |(_, name)| name)
}

/// The texts that are not empty, with blanks between them.
fn joined<T: AsRef<str>>(parts: impl IntoIterator<Item = T>) -> String {
    let parts: Vec<T> = parts.into_iter().filter(|part| !part.as_ref().is_empty()).collect();
    parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mode::{AnsiLeakage, EditorTrap, HeadlessAuth, Interactivity, NoBatch, NoninteractiveInstall, Repl, Timeouts};

    fn every() -> impl Iterator<Item = WorkingForm> {
        FORMS.iter().flat_map(FormRow::forms)
    }

    fn found(call: &str, mode: Mode) -> Option<WorkingForm> {
        let (program, subcommands) = call.split_once(' ').unwrap_or((call, ""));
        find(program, &subcommands.split_ascii_whitespace().collect::<Vec<_>>(), mode)
    }

    fn working(call: &str, mode: Mode, line: &str) -> Option<String> {
        found(call, mode)?.working(line)
    }

    #[test]
    fn rows_are_in_order_and_each_is_found_by_its_own_call() {
        assert!(FORMS.is_sorted_by_key(|row| (row.program, row.subcommands)));
        for form in every() {
            for mode in form.row.modes {
                assert_eq!(found(&form.call(), *mode), Some(form), "{mode:?}");
            }
        }
    }

    #[test]
    fn every_row_says_what_it_does_in_one_line() {
        for row in FORMS {
            let (text, note) = (row.text, row.note);
            assert!(text.trim() == text && !text.contains('\n') && note.len() <= 120, "{row:?}");
            let is_sentence = note.starts_with(|c: char| c.is_ascii_uppercase()) && note.ends_with('.');
            assert_ne!(row.modes.is_empty(), row.findings.is_empty(), "{row:?}");
            assert_eq!(is_sentence, row.findings.is_empty(), "{note}");
            assert!(!text.is_empty() || matches!(row.place, FormPlace::Instead(_)), "{row:?}");
        }
    }

    #[test]
    fn a_form_keeps_the_words_of_the_call_and_is_another_call() {
        for form in every() {
            for tail in ["", " 'a b' c", " -q --deep=1 x", " -- y", " -f k -m n -e o --edit"] {
                let line = format!("X=1 {}{tail} | cat", form.call());
                let Some(made) = form.working(&line) else { continue };
                assert_ne!(made, line, "{form:?}");
                let gone = |word: &str| {
                    let given = if let FormPlace::Instead(given) = form.row.place { given } else { "" };
                    given.split(' ').any(|own| own == word) || form.row.kept(word) != word || form.call().contains(word)
                };
                let words = |line: &str| placed_words(line).unwrap_or_default().into_iter().map(|word| word.text);
                let left: Vec<String> = words(&made).collect();
                let lost: Vec<String> = words(&line).filter(|word| !left.contains(word) && !gone(word)).collect();
                assert!(lost.is_empty(), "{line} -> {made}: {lost:?}");
                let bare = form.working(&form.call()).unwrap_or_default();
                let times = |words: &[String], option: &str| words.iter().filter(|word| *word == option).count();
                let own: Vec<String> = words(&bare).collect();
                for option in form.row.text.split(' ').filter(|word| word.starts_with('-') && word.len() > 1) {
                    assert!(times(&left, option) <= times(&own, option).max(1), "{made}");
                }
            }
        }
    }

    #[test]
    fn every_template_renders() {
        for form in every() {
            let given = if let FormPlace::Instead(given) = form.row.place { given } else { "" };
            let given = if form.subcommand == given { "" } else { given };
            let call = joined([form.call(), given.to_owned(), form.row.without.join(" ")]);
            let made = form.working(&call);
            assert_eq!(made.is_none(), form.row.place == FormPlace::Nowhere, "{form:?}");
            let made = made.unwrap_or_default();
            assert!(!made.contains(['{', '}']) && !made.contains("  ") && made.trim() == made, "{made}");
            assert_ne!(made, call, "{form:?} changes nothing");
        }
    }

    #[test]
    fn a_form_may_only_end_the_wait() {
        for (call, mode, wanted) in [
            ("git", HeadlessAuth, true),
            ("ssh", Interactivity, true),
            ("curl", Timeouts, true),
            ("git commit", EditorTrap, false),
            ("tail", Timeouts, false),
            ("apt-get install", Interactivity, false),
        ] {
            assert_eq!(found(call, mode).map(|form| form.row.only_ends), Some(wanted), "{call} {mode:?}");
        }
    }

    #[test]
    fn a_form_may_be_in_the_call_already() {
        for (call, mode, line, wanted) in [
            ("tail", Timeouts, "tail -n 50 log", true),
            ("tail", Timeouts, "tail -f log", false),
            ("docker logs", Timeouts, "docker logs --tail=5 till", true),
            ("git rebase", EditorTrap, "GIT_EDITOR=true git rebase -i", true),
            ("git rebase", EditorTrap, "git rebase -i", false),
            ("git rebase", EditorTrap, "GIT_EDITOR=vi git rebase -i", false),
            ("vitest", Timeouts, "vitest run", true),
            ("vitest", Timeouts, "vitest", false),
        ] {
            assert_eq!(found(call, mode).map(|form| form.is_in(line)), Some(wanted), "{line}");
        }
    }

    #[test]
    fn the_nearest_row_speaks() {
        let text = |call, mode| found(call, mode).map(|form| form.row.text);
        assert_eq!(text("git commit", EditorTrap), Some("-m \"...\""));
        assert_eq!(text("git bundle", EditorTrap), Some("GIT_EDITOR=true"));
        assert_eq!(text("git commit", NoBatch), None);
        assert_eq!(text("gut commit", EditorTrap), None);
        for (call, other, mode) in [
            ("git", "git bundle", EditorTrap),
            ("python3.11", "python", Repl),
            ("vi file", "vim", EditorTrap),
            ("python3 manage.py migrate", "django-admin migrate", Interactivity),
        ] {
            assert!(found(call, mode).is_some_and(|form| Some(form) == found(other, mode)), "{call}");
        }
        assert_eq!(found("sqlite3", Repl).map(|form| form.row.program), Some("sqlite3"));
        assert!(rows_for("nothing-like-it").next().or_else(|| rows_for("").next()).is_none());
    }

    #[test]
    fn calls_are_made_to_work() {
        for (call, mode, line, expected) in [
            ("git commit", EditorTrap, "git commit", "git commit -m \"...\""),
            ("git commit", EditorTrap, "git -C a commit -a", "git -C a commit -m \"...\" -a"),
            ("git log", Interactivity, "git log --stat", "git --no-pager log --stat"),
            (
                "git rebase",
                EditorTrap,
                "git rebase -i main",
                "GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true git rebase -i main",
            ),
            (
                "apt-get install",
                NoninteractiveInstall,
                "sudo apt-get install jq",
                "sudo DEBIAN_FRONTEND=noninteractive apt-get install -y jq",
            ),
            (
                "git rebase",
                EditorTrap,
                "cd a && A=1 GIT_EDITOR=vi git rebase -i main",
                "cd a && A=1 GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true git rebase -i main",
            ),
            ("psql", Repl, "psql mydb", "psql mydb -c \"...\""),
            ("ssh", Interactivity, "ssh host", "ssh -o BatchMode=yes host"),
            ("docker run", Interactivity, "docker run -it --rm alpine sh", "docker run -i --rm alpine sh"),
            ("journalctl", Timeouts, "journalctl -fu nginx", "journalctl --no-pager -n 100 -u nginx"),
            ("tail", Timeouts, "cd logs && tail -f 'a b' 2>&1 | grep x", "cd logs && tail -n 50 'a b' 2>&1 | grep x"),
            ("tail", Timeouts, "tail --follow=name log", "tail -n 50 log"),
            ("python", Repl, "python3 -i", "python3 -c \"...\""),
            ("python", Repl, "python3 -i train.py", "python3 train.py"),
            ("python", Repl, "python3 -i train.py -i a.csv", "python3 train.py -i a.csv"),
            ("cargo build", AnsiLeakage, "cargo +nightly build", "cargo +nightly build --color never"),
            ("less", Interactivity, "less README", "head -n 200 README"),
            (
                "django-admin migrate",
                Interactivity,
                "python manage.py migrate app",
                "python manage.py migrate --noinput app",
            ),
            ("vitest", Timeouts, "npx vitest src", "npx vitest run src"),
        ] {
            assert_eq!(working(call, mode, line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_a_program_asks_for_is_put_in_once() {
        use FindingKind as K;
        for (kind, name, line, expected) in [
            (K::IsDirectory, None, "cp a b", Some("cp -r a b")),
            (K::IsDirectory, None, "grep x -r src", None),
            (K::UnknownOption, Some("A"), "sed -n 3p a | cat -A", Some("sed -n 3p a | cat -vet")),
            (K::UnknownOption, Some("Q"), "cat -A -Q", None),
            (K::InvalidValue, None, "find . -type file", Some("find . -type f")),
            (K::StaleLock, None, "cargo build --locked --release", Some("cargo build --release")),
            (K::Diverged, None, "git pull --ff-only", Some("git pull --rebase")),
            (K::Diverged, None, "git pull", Some("git pull --rebase")),
            (K::StaleLock, None, "npm ci --offline", Some("npm install --offline")),
            (K::Unclosed, None, "cat n | xargs echo", Some("cat n | xargs -d '\\n' echo")),
        ] {
            let finding = Finding { kind, line: "", name, meant: None };
            let mut answers = every().filter(|form| form.row.answers(&finding));
            let made = answers.find_map(|form| form.needed(line));
            assert_eq!(made.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_form_that_would_lose_a_word_is_not_made() {
        for (call, mode, line, why) in [
            ("less", Interactivity, "less -R README", "-R is not an option of head"),
            ("vite", Timeouts, "vite --port 3000", "--port is not an option of vite build"),
            ("jest", Timeouts, "jest -- pattern", "what stands behind -- is no option"),
            ("git commit", EditorTrap, "git status", "another subcommand"),
            ("git commit", EditorTrap, "git commit 'a", "the line is not whole"),
            ("git commit", EditorTrap, "", "no call"),
        ] {
            assert_eq!(working(call, mode, line), None, "{why}");
        }
    }
}
