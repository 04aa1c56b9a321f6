//! A change as a person would write it.

use super::ChangeKind;
use crate::gate::{self, GateContext};
use crate::knowledge::{PatternRow, Words, why_not_told, why_not_unasked};
use crate::text::file_name;
use crate::time::duration;

/// The longest line, in characters.
pub const LONGEST_LINE: usize = 120;

/// Edits of one session fail in one way, whatever file they are of. What the client says of any project's edits is no lesson.
pub(super) const TABS: &str = "tabs";

/// What a commit hook is called by that does not say its command.
pub(super) const HOOK: &str = "hook";

/// The most rules that one line names.
const MOST_RULES: usize = 5;

/// What a line is made from, beside its matter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineFacts<'a> {
    /// The form that worked.
    pub(super) works: Option<&'a str>,
    /// Whether a folder was looked for.
    pub(super) is_folder: bool,
    /// Whether the program ran elsewhere in the project.
    pub(super) has_run: bool,
    /// How long the check takes, in milliseconds.
    pub(super) took_ms: u64,
    /// The rules that are broken again and again, those of most sessions first.
    pub(super) rules: &'a [&'a str],
}

/// The line for CLAUDE.md; None where it would be too long or untrue, or may not leave the history.
pub(super) fn line_of(kind: ChangeKind, matter: &str, facts: LineFacts<'_>) -> Option<String> {
    let LineFacts { works, is_folder, has_run, took_ms, rules } = facts;
    let (matter, folder) = matter.rsplit_once(" #").unwrap_or((matter, ""));
    let name = matter.split_once(' ').filter(|_| kind == ChangeKind::Tool).map_or(matter, |(_, name)| name);
    // An option is judged behind its call.
    let call = matter.rsplit_once(' ').map_or("", |(call, _)| call);
    let as_run = |form: &str| if form.starts_with('-') { format!("{call} {form}") } else { form.to_owned() };
    let is_call = is_call(kind);
    let may_work = |form: &str| {
        let (call, _) = form.rsplit_once(" #").unwrap_or((form, ""));
        may_leave(is_call, &as_run(call), true) && may_be_told(kind, matter, call)
    };
    let told = |all: &[&'_ str]| -> Vec<String> {
        all.iter().filter(|rule| may_leave(is_call, rule, false)).map(|rule| (*rule).to_owned()).collect()
    };
    // Of an owner the line is judged: no call is made of it.
    let works = works.filter(|form| form.is_empty() || kind == ChangeKind::Repository || may_work(form));
    if !may_leave(is_call, name, false) {
        return None;
    }
    let lines = match kind {
        ChangeKind::Form => form_lines(matter, works),
        ChangeKind::Path => path_lines(matter, works, is_folder),
        ChangeKind::Large => vec![
            format!("`{matter}` is too large to read at once; search it, then read the lines you need."),
            format!("`{matter}` is too large to read at once."),
        ],
        ChangeKind::Tool => {
            let (noun, name) = matter.split_once(' ')?;
            vec![format!("There is no {noun} `{name}`; do not call it.")]
        }
        ChangeKind::Program if has_run => works
            .map(|form| format!("Run `{matter}` as `{form}`; by itself it may not be on PATH."))
            .into_iter()
            .collect(),
        ChangeKind::Program => {
            let other = works.map(|form| format!("`{matter}` is not on PATH; use `{form}`."));
            other.into_iter().chain([format!("`{matter}` is not on PATH; ask before you need it.")]).collect()
        }
        ChangeKind::Variable => vec![format!("`{matter}` is not set; ask for it before you run what reads it.")],
        ChangeKind::Login => {
            vec![format!("`{matter}` can fail until a person unlocks a key or logs in; stop and ask for it.")]
        }
        ChangeKind::SlowCheck => vec![format!(
            "Write the output of `{matter}` to a file once and read that; a run takes {}.",
            duration(took_ms - took_ms % 1000)
        )],
        ChangeKind::Fixer => {
            let fixer = works?;
            vec![format!("Run `{fixer}` before `{matter}`; it fixes most of what it finds.")]
        }
        ChangeKind::HookRule | ChangeKind::LintRule => rule_lines(kind, matter, &told(rules)),
        ChangeKind::Wrapper => wrapper_lines(matter, rules, told),
        ChangeKind::Glob => vec![format!(
            "{matter} expands `?` and `*` in arguments and fails where no file matches; quote URLs and versions."
        )],
        ChangeKind::Edit if matter == TABS => {
            vec!["Files are indented with tabs; an edit with too few tabs is refused, so copy them exactly.".to_owned()]
        }
        ChangeKind::Idle => {
            let pass = format!("`{matter}` can run no tests and pass");
            let instead = works.map(|form| match form.rsplit_once(" #") {
                Some((form, folder)) => format!("{pass}; use `{form}` in `{folder}`."),
                None => format!("{pass}; use `{form}`."),
            });
            instead
                .into_iter()
                .chain([format!("{pass}; see in its output which tests ran."), format!("{pass}.")])
                .collect()
        }
        ChangeKind::Stray => {
            vec![format!("`{matter}` also covers `{folder}`, which is not this project's code; ignore failures there.")]
        }
        ChangeKind::Folder => {
            vec!["The shell stays in the folder of the last `cd`; use absolute paths, or `cd` back first.".to_owned()]
        }
        ChangeKind::Blocked => vec![format!("A hook refuses `{matter}`; do not call it.")],
        ChangeKind::Repository => match works {
            Some(full) => vec![format!("The repository is `{full}`; do not guess its owner.")],
            None => vec![format!("Do not guess who owns `{matter}`: `git remote -v` says it.")],
        },
        ChangeKind::Flaky => vec![format!("`{matter}` is flaky; run it once more before you look for a cause.")],
        ChangeKind::Red => vec![format!("`{matter}` was red before any change; it is not yours to fix unasked.")],
        ChangeKind::Edit | ChangeKind::Refusal => return None,
    };
    let is_fit = |line: &String| {
        line.chars().count() <= LONGEST_LINE && gate::prose(line, &GateContext::default()) == line.as_str()
    };
    lines.into_iter().find(is_fit)
}

/// What stands between a form that is refused and the tool that did its work.
const WITH_TOOL: &str = " => ";

/// By what name it is kept that a tool did the work of a form that is refused.
pub(super) fn with_tool(form: &str, tool: &str) -> String {
    format!("{form}{WITH_TOOL}{tool}")
}

/// What a program that is put before commands refuses, with the tool that does it where one is known.
fn wrapper_lines(matter: &str, rules: &[&str], told: impl Fn(&[&str]) -> Vec<String>) -> Vec<String> {
    let tool_of = |form: &str| rules.iter().find_map(|rule| rule.strip_prefix(&with_tool(form, "")));
    let forms: Vec<&str> = rules.iter().copied().filter(|rule| !rule.contains(WITH_TOOL)).collect();
    let forms = told(&forms);
    let is_any = forms.iter().any(|form| tool_of(form).is_some());
    let named = |form: &String| match tool_of(form) {
        Some(tool) => format!("`{form}` (use {tool})"),
        None => format!("`{form}`"),
    };
    let line = |many: usize| {
        let told = forms.iter().take(many).map(named).collect::<Vec<_>>().join(", ");
        format!("`{matter}` wraps commands here and refuses {told}.")
    };
    (1..=forms.len().min(MOST_RULES)).rev().filter(|_| is_any).map(line).collect()
}

/// Lines on the rules that code breaks: as many as have room, and their codes where the names behind them have none.
fn rule_lines(kind: ChangeKind, matter: &str, rules: &[String]) -> Vec<String> {
    let may_shorten = rules.iter().all(|rule| !rule.starts_with('@'));
    let of_many = |many: usize| {
        let told = |is_code: bool| {
            let code = |rule: &'_ String| rule.split('/').next().unwrap_or_default().to_owned();
            let named = rules.iter().take(many).map(|rule| if is_code { code(rule) } else { rule.clone() });
            named.map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", ")
        };
        let it = if many == 1 { "it" } else { "them" };
        let (begins, ends) = match kind {
            ChangeKind::LintRule => (format!("`{matter}` fails most often on"), "follow them as you write".to_owned()),
            _ if matter == HOOK => ("The commit hook refuses".to_owned(), format!("check for {it} before you commit")),
            _ => (format!("The commit hook (`{matter}`) refuses"), format!("check for {it} before you commit")),
        };
        let codes = may_shorten.then(|| format!("{begins} {}; {ends}.", told(true)));
        [format!("{begins} {}; {ends}.", told(false)), format!("{begins} {}.", told(false))].into_iter().chain(codes)
    };
    (1..=rules.len().min(MOST_RULES)).rev().flat_map(of_many).collect()
}

fn form_lines(matter: &str, works: Option<&str>) -> Vec<String> {
    let (call, last) = matter.rsplit_once(' ').unwrap_or((matter, ""));
    if last.starts_with('-') {
        let without = format!("`{call}` has no `{last}`.");
        return works
            .map(|new| match new {
                "" => format!("`{call}` has no `{last}`; it works without."),
                new if !new.starts_with('-') => format!("Use `{new}`, not `{matter}`."),
                new => format!("`{call}` has no `{last}`; use `{new}`."),
            })
            .into_iter()
            .chain([without])
            .collect();
    }
    let with = works.map(|form| format!("{} `{form}`; `{matter}` does not exist.", purpose_of(form)));
    with.into_iter().chain([format!("`{matter}` does not exist.")]).collect()
}

fn path_lines(matter: &str, works: Option<&str>, is_folder: bool) -> Vec<String> {
    let noun = match (is_folder, file_name(matter).contains('.')) {
        (true, _) => "folder",
        (false, true) => "file",
        (false, false) => "file or folder",
    };
    let with = works.and_then(|path| {
        if !is_folder {
            return Some(format!("There is no {noun} `{matter}`; it is `{path}`."));
        }
        // What was read in its place may be a file.
        let folder = if file_name(path).contains('.') { path.rsplit_once('/')?.0 } else { path };
        Some(format!("There is no {noun} `{matter}`; look in `{folder}`."))
    });
    with.into_iter().chain([format!("There is no {noun} `{matter}`.")]).collect()
}

/// What a call is for, as far as its last word says it.
fn purpose_of(form: &str) -> &'static str {
    match form.rsplit([' ', ':']).next().unwrap_or_default() {
        "test" | "tests" => "Run tests with",
        "lint" => "Lint with",
        "build" => "Build with",
        "typecheck" => "Check types with",
        _ => "Use",
    }
}

/// Whether what failed is a call, and no path, name or rule.
fn is_call(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::Form
            | ChangeKind::Program
            | ChangeKind::SlowCheck
            | ChangeKind::Login
            | ChangeKind::Fixer
            | ChangeKind::Idle
            | ChangeKind::Stray
            | ChangeKind::HookRule
            | ChangeKind::LintRule
            | ChangeKind::Wrapper
            | ChangeKind::Blocked
    )
}

/// Whether a form may be told to be run in the place of what failed: what memory asks of the same lesson.
fn may_be_told(kind: ChangeKind, matter: &str, form: &str) -> bool {
    let (gone, new): (Vec<&str>, Vec<&str>) = (matter.split(' ').collect(), form.split(' ').collect());
    let without = |words: &[&str], others: &[&str]| -> Vec<String> {
        words.iter().filter(|word| !others.contains(word)).map(|word| (*word).to_owned()).collect()
    };
    let words = match kind {
        // Options stand behind the call that has them.
        ChangeKind::Form if form.starts_with('-') => {
            let gone = gone.last().map(|word| (*word).to_owned()).into_iter().collect();
            Words::Instead { gone, new: without(&new, &[]) }
        }
        ChangeKind::Form | ChangeKind::Program => {
            Words::Instead { gone: without(&gone, &new), new: without(&new, &gone) }
        }
        ChangeKind::Fixer => return why_not_unasked(form, Some(matter)).is_none(),
        _ => return true,
    };
    let pattern = PatternRow { operation: matter.to_owned(), ..PatternRow::nothing() };
    why_not_told(&words, &pattern, &GateContext::default()).is_none()
}

/// Whether words of a line may leave the history. What failed may as far as it holds no secret; what is to be run instead has
/// to pass the whole gate: what starts, fetches or opens something is nothing to be told by itself.
fn may_leave(is_call: bool, words: &str, is_to_be_run: bool) -> bool {
    // A path or a name is judged as what a harmless program is given.
    let given: Vec<&str> = if is_call { words.split(' ').collect() } else { vec!["cd", words] };
    match gate::may_leave(&given, &GateContext::default()) {
        Ok(()) => true,
        Err(why) => !is_to_be_run && !why.hides(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_read_instead_names_its_folder() {
        let first = |works| path_lines("cmd/commands", Some(works), true).remove(0);
        assert_eq!(first("cmd/resume.go"), "There is no folder `cmd/commands`; look in `cmd`.");
        assert_eq!(first("cmd/cli"), "There is no folder `cmd/commands`; look in `cmd/cli`.");
        assert_eq!(first("resume.go"), "There is no folder `cmd/commands`.");
    }
}
