//! Questions to the person.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use super::super::why::{call_of, open_question};
use super::programs::missing;
use crate::diagnose::form_against;
use crate::model::{Category, FindingKind as Kind, MetMode, ObjectKind};
use crate::text::quoted;

/// Whether only a password or key that a person has opens what was to be read.
pub(super) fn is_sealed(case: &Case<'_>) -> bool {
    case.finding(Kind::Sealed).is_some()
}

/// Whether a person or a terminal is wanted: then what there is around the call does not matter.
pub(super) fn is_asked(case: &Case<'_>) -> bool {
    case.finds(&[Kind::Sealed, Kind::NoTerminal])
        || case.failed.met.as_ref().is_some_and(MetMode::waits)
        || open_question(case).is_some()
}

/// What was done and what it said, for a question.
fn told_failure(case: &Case<'_>) -> String {
    let said = case
        .failed
        .line_that_matters()
        .map_or_else(|| "it printed nothing".to_owned(), |line| format!("it printed {}", quoted(line, 200)));
    format!("{} failed: {said}", call_of(case))
}

/// The question where a program puts one that an agent cannot answer.
const BY_A_PERSON: &str =
    "Nobody can answer it here. Will you run it in a terminal, or where does it get the answer from?";

fn asking(case: &Case<'_>, question: &str, why: &str) -> Offered {
    let text = format!("{}. {question}", told_failure(case));
    Ok(Offer::new(why, vec![PlanStep::new("Ask the user", Deed::Ask(text), "An answer that says how to continue")]))
}

pub(in super::super) fn ask_user_for_setup(case: &Case<'_>) -> Offered {
    let is_program = case.category() == Category::CommandNotFound;
    let name = if is_program { missing(case) } else { case.failed.object(ObjectKind::Module) };
    let what = name.map_or_else(|| "what is missing".to_owned(), |name| quoted(name, 60));
    asking(
        case,
        &format!("Can {what} be installed here, or do you prefer another way?"),
        "what is not there may have to be installed by a person",
    )
}

pub(in super::super) fn ask_user_for_permissions(case: &Case<'_>) -> Offered {
    let question =
        if is_asked(case) { BY_A_PERSON } else { "May I do this here? If so, as which user; if not, where?" };
    asking(case, question, "only a person can give rights")
}

pub(in super::super) fn ask_user_for_help(case: &Case<'_>) -> Offered {
    let met = case.failed.met.as_ref().filter(|met| met.waits()).and_then(form_against);
    if let Some(form) = met.filter(|_| case.category() == Category::Timeout) {
        let form = case.failed.line.as_deref().and_then(|line| form.working(line)).unwrap_or_else(|| form.typed());
        let question = format!("It waits for input. What should stand in {}?", quoted(&form, 120));
        return asking(case, &question, "it waits for input, so more time does not help");
    }
    let question = match case.category() {
        _ if is_asked(case) && !is_sealed(case) => BY_A_PERSON,
        _ if is_sealed(case) => "It is encrypted. Which password or key opens it, and how will I get it?",
        Category::ResourceBusy => "Another process has it, or left it behind. Should I wait, or will you free it?",
        Category::ResourceExhausted if case.commands().any(|command| command.runs("ulimit")) => {
            "The call's own `ulimit` is too low. How far may I raise it?"
        }
        Category::ResourceExhausted => "Which space, memory or limit may I use?",
        Category::RateLimit => "How long should I wait, or can I use another account or mirror?",
        Category::Network | Category::ServiceError => "Is the network or service down, or can I use another address?",
        Category::MergeConflict => "Which side is right, or what should the result be?",
        Category::TestFailure => "Is the test or the code right?",
        Category::ConfigOrState => "Which setting is right here?",
        Category::RemoteNotFound => "What is it called there?",
        Category::PathNotFound => "Where is it, or should I create it?",
        Category::Timeout => "May it take longer, or is a smaller part enough?",
        _ => "How should I continue?",
    };
    asking(case, question, "a person knows what the machine does not show")
}
