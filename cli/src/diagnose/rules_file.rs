//! `.claude/rules/failwise.md`: what `failwise diagnose --apply` writes for the client to load. Every line there is paid for
//! in every session, so there are few, and each tag stands once.

use super::result::Match;
use super::say::{WITH, is_name};
use super::{Mode, ModeFinding};
use crate::forms::rows_for;

/// The most lines of ours that the file holds: beyond that the oldest goes.
pub const MOST: usize = 20;

/// The first line of a file that is made anew.
const HEAD: &str =
    "Rules written by `failwise diagnose --apply`, which replaces lines with a tag at the end and no others.";

/// Modes whose general way out is what the client does with every call.
const BY_THE_CLIENT: &[Mode] =
    &[Mode::Interactivity, Mode::Repl, Mode::StdinDeadlock, Mode::EditorTrap, Mode::NoninteractiveInstall];

/// A line for the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLine {
    /// `[gh §10]`
    pub tag: String,
    /// Memory and rule in one line, without the tag.
    pub text: String,
}

impl RuleLine {
    /// The line of a finding; None where its program's name may not be written down, and where the client does by itself what
    /// the line would say: it closes standard input, and sets an editor that does nothing.
    pub fn of(finding: &ModeFinding, told: &Match) -> Option<Self> {
        let form = finding.words.form(finding.mode);
        if form.map_or(BY_THE_CLIENT.contains(&finding.mode), |form| form.row.text.contains("GIT_EDITOR=true")) {
            return None;
        }
        let program = finding.words.program.as_deref().filter(|name| is_name(name))?;
        let tag = format!("[{program} §{}]", finding.mode.id());
        let text = format!("{} {}", told.skill_patch, told.memory);
        Some(Self { tag, text: text.split_whitespace().collect::<Vec<_>>().join(" ") })
    }

    /// As it stands in the file.
    pub fn shown(&self) -> String {
        format!("- {} {}", self.text, self.tag)
    }
}

/// The file's text with these lines: a tag stands once, the newest last; lines that stopped applying go, and lines without
/// a tag stay as they are.
pub fn applied(text: &str, lines: &[RuleLine]) -> String {
    let is_new = |tag: &str| lines.iter().any(|line| line.tag == tag);
    let mut kept: Vec<String> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for line in text.lines() {
        match tag_of(line) {
            Some((_, program, id)) if !applies(line, program, id) => {}
            Some((tag, ..)) if is_new(tag) || seen.contains(&tag) => {}
            Some((tag, ..)) => {
                seen.push(tag);
                kept.push(line.to_owned());
            }
            None => kept.push(line.to_owned()),
        }
    }
    if text.is_empty() {
        kept.extend([HEAD.to_owned(), String::new()]);
    }
    kept.extend(lines.iter().map(RuleLine::shown));
    let mut own = kept.iter().filter(|line| tag_of(line).is_some()).count();
    kept.retain(|line| {
        let goes = own > MOST && tag_of(line).is_some();
        own -= usize::from(goes);
        !goes
    });
    kept.join("\n") + "\n"
}

/// What an earlier version wrote before a form.
const WORKED_HERE: &str = " works here with `";

/// Whether a line of ours still holds: its mode is one, and a form that it names is one of the program's forms in that mode.
/// What a later version knows better goes with the version that wrote it.
fn applies(line: &str, program: &str, id: u8) -> bool {
    let named = WITH.iter().chain(&[WORKED_HERE]).find_map(|with| line.split_once(with));
    let named = named.and_then(|(_, rest)| rest.split_once('`'));
    let is_known = |text: &str, mode| rows_for(program).any(|row| row.modes.contains(&mode) && row.text == text);
    Mode::of(id).is_some_and(|mode| named.is_none_or(|(text, _)| is_known(text, mode)))
}

/// The tag at the end of a line of ours, its program and its mode.
fn tag_of(line: &str) -> Option<(&str, &str, u8)> {
    let inner = line.strip_prefix("- ")?.trim_end().strip_suffix(']')?;
    let start = line.rfind(" [")? + 1;
    let (program, id) = inner.rsplit_once('[')?.1.split_once(" §")?;
    let tag = line.get(start..)?.trim_end();
    is_name(program).then_some((tag, program, id.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(program: &str, id: u8, text: &str) -> RuleLine {
        RuleLine { tag: format!("[{program} §{id}]"), text: text.to_owned() }
    }

    #[test]
    fn a_tag_stands_once_and_a_second_time_changes_nothing() {
        let first = applied("", &[line("gh", 10, "a"), line("git", 62, "b")]);
        assert_eq!(applied(&first, &[line("git", 62, "b")]), first);
        let second = applied(&first, &[line("gh", 10, "other")]);
        assert_eq!(second.matches("[gh §10]").count(), 1);
        assert!(second.contains("- other [gh §10]") && second.contains("- b [git §62]"), "{second}");
    }

    #[test]
    fn lines_of_people_stay_and_lines_of_no_mode_go() {
        let text = "# Mine\n\n- always use tabs\n- x [gh §36]\n- y [gh §10] but mine\n";
        let after = applied(text, &[line("git", 62, "b")]);
        assert_eq!(after, "# Mine\n\n- always use tabs\n- y [gh §10] but mine\n- b [git §62]\n");
    }

    #[test]
    fn a_form_that_is_none_any_more_goes() {
        let old = "- x `git commit` works here with `--message-now`: y [git §62]\n";
        let holds = "- x `git commit` works here with `-m \"...\"`: y [git §62]\n";
        let general = "- Every call of `gh`: keep it short. `gh pr`: keep it short. [gh §4]\n";
        let text = format!("{old}{general}");
        assert_eq!(applied(&text, &[line("jq", 50, "b")]), format!("{general}- b [jq §50]\n"));
        assert_eq!(applied(holds, &[line("jq", 50, "b")]), format!("{holds}- b [jq §50]\n"));
    }

    #[test]
    fn there_are_few() {
        let mut text = String::new();
        for number in 0..30 {
            text = applied(&text, &[line(&format!("p{number}"), 10, "x")]);
        }
        assert_eq!(text.lines().filter(|line| tag_of(line).is_some()).count(), MOST);
        assert!(text.contains("[p29 §10]") && !text.contains("[p9 §10]"), "{text}");
    }
}
