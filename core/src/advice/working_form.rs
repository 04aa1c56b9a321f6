//! A call that met a property of its tool, such as a prompt that nobody answers, and the form of it that works.

use super::agent::EXCERPT;
use crate::diagnose::form_against;
use crate::forms::WorkingForm;
use crate::model::MetMode;
use crate::text::{quoted, quoted_exactly, small};

/// What the agent is told: `call` is the call as the agent knows it, `line` its command line as far as that is kept as it
/// was given. Where the table has no form that works, it is told of a call that waits for an answer only.
pub(super) fn sentence(met: &MetMode, call: &str, line: Option<&str>) -> Option<String> {
    let what = what_it_met(met.id)?;
    let Some(form) = form_against(met) else {
        return met
            .waits()
            .then(|| format!("{call} {what}. Give in the call what it asks for: unchanged it waits again."));
    };
    Some(format!("{call} {what}. {} {}: {}", lead(met.id, form), form_text(form, line), small(form.row.note)))
}

/// What the call did, as a clause behind its name: of modes in which the form can be known to change how the call ends.
fn what_it_met(id: u8) -> Option<&'static str> {
    let met = match id {
        10 => "asks for an answer or a terminal, and nobody sits at one",
        11 => "was still running when its time was up",
        37 => "opened a prompt of its own and waits for commands",
        50 => "reads standard input, and nothing comes",
        62 => "opens an editor, and waits for input",
        71 => "asks before it installs, and nobody answers",
        _ => return None,
    };
    Some(met)
}

/// What stands before the form: one that ends what goes on by itself does not do the same as the call, and of one that was not
/// run nobody knows that it works.
fn lead(id: u8, form: WorkingForm) -> &'static str {
    match id {
        11 => "Instead:",
        _ if form.row.ran.is_empty() => "It takes:",
        _ => "What works:",
    }
}

/// The form, made of the call where that is possible and short enough, else as the table has it.
fn form_text(form: WorkingForm, line: Option<&str>) -> String {
    let whole = line.and_then(|line| form.working(line));
    whole.and_then(|made| quoted_exactly(&made, EXCERPT)).unwrap_or_else(|| quoted(&form.typed(), EXCERPT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(id: u8, program: &str, subcommand: &str) -> MetMode {
        MetMode { id, program: program.to_owned(), subcommand: subcommand.to_owned(), decided: true }
    }

    #[test]
    fn the_form_is_made_of_the_call_where_that_is_known_whole() {
        let commit = met(62, "git", "commit");
        let said = |line| sentence(&commit, "`git commit`", line).unwrap_or_default();
        assert!(said(Some("git add . && git commit")).contains("What works: `git add . && git commit -m \"...\"`: "));
        assert!(said(None).contains("What works: `git commit -m \"...\"`: "), "{}", said(None));
        let long = format!("git commit {}", "a".repeat(200));
        assert!(said(Some(&long)).contains("What works: `git commit -m \"...\"`: "));
    }

    #[test]
    fn a_call_that_waits_is_not_to_be_made_unchanged_although_no_form_is_known() {
        let said = sentence(&met(62, "unheard-of", ""), "`unheard-of`", None);
        assert!(said.is_some_and(|said| said.contains("opens an editor") && said.contains("unchanged it waits again")));
    }

    #[test]
    fn nothing_is_said_where_no_form_is_known() {
        assert_eq!(sentence(&met(11, "unheard-of", ""), "`unheard-of`", None), None);
        assert_eq!(sentence(&met(200, "git", "commit"), "`git commit`", None), None);
    }
}
