//! The score of a ruleset on labelled calls, row by row.

use failwise::model::{Category, Class, Outcome};
use failwise::score::Share;

use super::{GivenAnswer, Label, Labelled, count};

/// How right a ruleset is on labelled calls.
///
/// Outcome, class and category are over the rows that the client reported as errors; masked failures and
/// successes have shares of their own.
#[derive(Debug, Default)]
pub(crate) struct Score {
    /// The ruleset that decided.
    pub(crate) ruleset: String,
    /// Outcomes that are as labelled.
    pub(crate) outcome: Share,
    /// Classes that are as labelled; where the work did not fail, outcomes.
    pub(crate) class: Share,
    /// Categories that are as labelled, of the calls that failed.
    pub(crate) category: Share,
    /// Masked failures that were found: the recall.
    pub(crate) masked: Share,
    /// Masked failures whose category is as labelled.
    pub(crate) masked_category: Share,
    /// Successes that were called failures: `right` counts the alarms.
    pub(crate) false_alarms: Share,
    /// The rows that were decided otherwise than labelled, with label and answer.
    pub(crate) errors: Vec<String>,
}

impl Score {
    /// The score of a ruleset before the first row.
    pub(crate) fn of(ruleset: &str) -> Self {
        Self { ruleset: ruleset.to_owned(), ..Self::default() }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Labelled, given: &GivenAnswer) {
        let right = match (row.label, row.marked_failed) {
            (Label::Ok, _) => self.success(given),
            (_, false) => self.masked(row, given),
            (_, true) => self.reported(row, given),
        };
        if !right {
            self.errors.push(wrong_row(row, given));
        }
    }

    fn success(&mut self, given: &GivenAnswer) -> bool {
        count(&mut self.false_alarms, given.class.is_some());
        given.class.is_none()
    }

    fn masked(&mut self, row: &Labelled, given: &GivenAnswer) -> bool {
        let found = given.outcome == Outcome::MaskedFailure;
        let category = given.category == row.category();
        count(&mut self.masked, found);
        count(&mut self.masked_category, category);
        found && category
    }

    fn reported(&mut self, row: &Labelled, given: &GivenAnswer) -> bool {
        let (class, category) = (class_is_right(row.label, given), given.category == row.category());
        count(&mut self.outcome, outcome_is_right(row.label, given));
        count(&mut self.class, class);
        if row.label.is_failure() {
            count(&mut self.category, category);
        }
        class && (category || !row.label.is_failure())
    }
}

fn wrong_row(row: &Labelled, given: &GivenAnswer) -> String {
    let cause = row.root_cause.as_deref().unwrap_or_default();
    let (class, category) = (given.class.map_or("--", Class::as_str), given.category.map(Category::as_str));
    let wanted = format!("{} {cause}", row.label.as_str());
    format!("{}: {wanted}, given {} {class} {}", row.id, given.outcome.as_str(), category.unwrap_or_default())
}

/// Whether the outcome is the one that the label demands.
fn outcome_is_right(label: Label, given: &GivenAnswer) -> bool {
    let outcome = given.outcome;
    match label {
        Label::Policy => outcome == Outcome::Denied,
        Label::NotFail => outcome == Outcome::BenignNonZero,
        Label::Interrupt => matches!(outcome, Outcome::Interrupted | Outcome::Cascade),
        Label::Ok => outcome == Outcome::Succeeded,
        _ => outcome.is_failure(),
    }
}

/// A merge conflict whose other side nobody knows is F2 by definition, and as good an answer as F6.
fn is_unnamed_conflict(label: Label, given: &GivenAnswer) -> bool {
    label == Label::F6 && given.category == Some(Category::MergeConflict)
}

/// Whether the class is the one that the label demands; where the work did not fail, whether the outcome is. Without a
/// history the classes F3 to F5 cannot be distinguished from F2.
pub(crate) fn class_is_right(label: Label, given: &GivenAnswer) -> bool {
    outcome_is_right(label, given)
        && match label.class() {
            Label::F1 => given.class == Some(Class::F1),
            Label::F6 => given.class == Some(Class::F6) || is_unnamed_conflict(label, given),
            label if label.is_failure() => !matches!(given.class, None | Some(Class::F1 | Class::F6)),
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::Score;
    use crate::labelled::{GivenAnswer, Labelled};
    use failwise::model::{Category, Class, Outcome};

    fn row(label: &str, cause: &str, marked_failed: bool) -> Labelled {
        let row = serde_json::json!({"id": "r", "error_text": "", "marked_failed": marked_failed, "class_single": label,
            "root_cause": cause});
        Labelled::parse(row.to_string().as_bytes()).unwrap()
    }

    fn given(outcome: Outcome, class: Option<Class>, cause: &str) -> GivenAnswer {
        GivenAnswer {
            outcome,
            class,
            category: Category::from_word(cause),
            basis: None,
            likely: None,
            object: None,
            rule: String::new(),
        }
    }

    fn score(rows: &[(Labelled, GivenAnswer)]) -> Score {
        let mut score = Score::of("default");
        for (row, given) in rows {
            score.add(row, given);
        }
        score
    }

    #[test]
    fn rows_that_were_reported_masked_and_plain_are_counted_apart() {
        let f2 = |outcome| given(outcome, Some(Class::F2), "test_failure");
        let score = score(&[
            (row("F2", "test_failure", true), f2(Outcome::Failed)),
            (row("F2", "test_failure", false), f2(Outcome::MaskedFailure)),
            (row("F2", "test_failure", false), given(Outcome::Succeeded, None, "")),
            (row("OK", "", false), given(Outcome::Succeeded, None, "")),
            (row("OK", "", false), f2(Outcome::MaskedFailure)),
        ]);
        assert_eq!((score.class.right, score.class.all), (1, 1));
        assert_eq!((score.masked.right, score.masked.all), (1, 2));
        assert_eq!((score.false_alarms.right, score.false_alarms.all), (1, 2));
        assert_eq!(score.errors.len(), 2);
    }

    #[test]
    fn a_merge_conflict_is_as_good_as_a_conflict() {
        let merge = || given(Outcome::Failed, Some(Class::F2), "merge_conflict");
        let score = score(&[
            (row("F6", "merge_conflict", true), merge()),
            (row("F6", "vcs_state", true), given(Outcome::Failed, Some(Class::F2), "vcs_state")),
        ]);
        assert_eq!(score.class.right, 1);
    }

    #[test]
    fn what_is_no_failure_is_right_by_its_outcome() {
        let score = score(&[
            (row("INTERRUPT", "", true), given(Outcome::Cascade, None, "")),
            (row("POLICY", "", true), given(Outcome::Denied, None, "")),
            (row("NOTFAIL", "no_match", true), given(Outcome::Failed, Some(Class::F2), "unknown")),
        ]);
        assert_eq!((score.outcome.right, score.outcome.all, score.category.all), (2, 3, 0));
    }
}
