//! Files that are a small step from what is meant: an import too many, lines that end as elsewhere.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use super::programs::interpreter;
use crate::model::FindingKind;
use crate::reading::Printed;
use crate::shell::{WordRole, quoted_word};
use crate::text::quoted;

/// An import that nothing uses, where it is all that its line says: the line goes.
pub(super) fn without_import(case: &Case<'_>) -> Option<Offer> {
    let finding = case.finding(FindingKind::UnusedImport)?;
    let name = finding.name?;
    let place = Printed::of(finding.line).places().into_iter().next()?;
    let path = case.at(&place.file);
    let text = case.looks.text(&path)?;
    let line = text.split_inclusive('\n').nth(usize::try_from(place.line).ok()?.checked_sub(1)?)?;
    let mut words = line.trim().trim_end_matches(';').split_whitespace();
    let last = words.next_back()?.trim_matches(['"', '\'']);
    if last != name || words.any(|word| word != "import") || text.matches(line).count() != 1 {
        return None;
    }
    let read = Deed::Read { path: path.clone(), from: Some(place.line) };
    let edit = Deed::Edit { path, old: line.to_owned(), new: String::new() };
    let steps = vec![
        PlanStep::new(format!("Read {}", quoted(&place.file, 100)), read, "The import"),
        PlanStep::new("Delete the line of the import", edit, "The file does not import it"),
        PlanStep::work("Make the call again", case.again(), "It passes, or names the next error"),
    ];
    let why = format!("nothing in {} uses {}", quoted(&place.file, 100), quoted(name, 80));
    Some(Offer::explained(why, steps).doing("Delete the import that nothing uses"))
}

pub(super) fn read_without_returns(case: &Case<'_>) -> Offered {
    let may_be = case.failed.exit_code.is_none_or(|code| matches!(code, 2 | 126 | 127));
    let is_script = |word: &&crate::shell::PlacedWord| {
        word.is_literal
            && matches!(word.role, WordRole::Program | WordRole::Argument)
            && case.looks.text(&case.at(&word.text)).is_some_and(|text| text.contains("\r\n"))
    };
    let word = case
        .words
        .iter()
        .find(is_script)
        .filter(|_| may_be)
        .ok_or("no script has lines that end with a carriage return")?;
    let language = interpreter(case, &word.text).ok_or("the script's language is not known")?;
    let text = case.looks.text(&case.at(&word.text)).unwrap_or_default();
    let is_shell = matches!(language, "bash" | "sh" | "zsh" | "dash");
    let in_front = if word.role == WordRole::Program { format!("{language} ") } else { String::new() };
    let file = quoted_word(&word.text);
    let step = if !is_shell {
        // Other languages read such lines; it is the first line that the system does not.
        if word.role != WordRole::Program {
            return Err("the language reads such lines");
        }
        case.again_with_text(word, &format!("{language} {file}"))
    } else if text.contains("$0") || text.contains("BASH_SOURCE") || language != "bash" {
        // It asks where it stands: a copy stands beside it.
        let copy = quoted_word(&format!("{}.lf.sh", word.text.trim_end_matches(".sh")));
        let line = case.edited_line(vec![(word.range.clone(), format!("{in_front}{copy}"))]);
        line.and_then(|line| case.again_with(format!("tr -d \"\\r\" < {file} > {copy} && {line}")))
    } else {
        case.again_with_text(word, &format!("{in_front}<(tr -d \"\\r\" < {file})"))
    };
    let step = step.ok_or("its command line is not whole")?;
    let state = format!("the lines of {} end with a carriage return, as on Windows", quoted(&word.text, 80));
    Ok(Offer::explained(state, vec![PlanStep::work("Run it without the carriage returns", step, "The script runs")]))
}
