//! The confidence of each rule, from how often it was right where it decided.

use std::collections::BTreeMap;

use failwise::classify::{DEFAULT, Rule};
use failwise::score::Share;

use super::tally::class_is_right;
use super::{GivenAnswer, Labelled, count};

/// A rule that decided fewer rows keeps the inherited number.
const FEWEST: u32 = 30;

/// The most that is claimed, in hundredths: no rule is certain.
const MOST: u32 = 99;

/// The inherited numbers, in hundredths. A rule that came later takes that of its class.
const INHERITED: &[(&str, u32)] = &[
    ("not-a-failure", 99),
    ("conflict-reported", 95),
    ("transient-failure", 95),
    ("constraint-violated", 65),
    ("repeated-failure", 75),
    ("sibling-change", 80),
    ("recognised-error", 85),
    ("plan-deviation", 80),
    ("recognised-error-unchanged", 75),
    ("unknown-local", 85),
    ("unrecognised", 55),
];

/// How often each rule of the ruleset `default` was right where it decided.
#[derive(Debug, Default)]
pub(crate) struct Precision(BTreeMap<String, Share>);

/// Where the confidence of a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfidenceSource {
    /// The lower bound of its measured precision.
    Measured,
    /// The inherited number, because it decided too few rows.
    Inherited,
    /// A number that means "not sure", whatever is measured.
    Fixed,
}

/// The confidence of a rule, and what it rests on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfidenceRow {
    /// The rule's id.
    pub(crate) rule: &'static str,
    /// The rows that it decided, and those of them whose class or outcome is as labelled.
    pub(crate) cases: Share,
    /// In hundredths, so that it is compared without rounding.
    pub(crate) confidence_hundredths: u32,
    /// Where it comes from.
    pub(crate) source: ConfidenceSource,
}

impl Precision {
    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Labelled, given: &GivenAnswer) {
        count(self.0.entry(given.rule.clone()).or_default(), class_is_right(row.label, given));
    }

    /// Each rule of the ruleset `default`, in its order.
    pub(crate) fn rows(&self) -> Vec<ConfidenceRow> {
        DEFAULT.rules.iter().map(|rule| self.row(rule)).collect()
    }

    fn row(&self, rule: &Rule) -> ConfidenceRow {
        let cases = self.0.get(rule.id).copied().unwrap_or_default();
        let inherited = INHERITED.iter().find(|(id, _)| *id == rule.id).map_or(0, |(_, number)| *number);
        let fallback = DEFAULT.rules.last().is_some_and(|last| last.id == rule.id);
        let (confidence_hundredths, source) = match cases.interval_of(1.0) {
            _ if fallback => (inherited, ConfidenceSource::Fixed),
            Some((low, _)) if cases.all >= FEWEST => (hundredths(low), ConfidenceSource::Measured),
            _ => (inherited, ConfidenceSource::Inherited),
        };
        ConfidenceRow { rule: rule.id, cases, confidence_hundredths, source }
    }
}

/// Rounded down, so that no more is claimed than was measured.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of at most 1")]
fn hundredths(low: f64) -> u32 {
    ((low * 100.0).floor() as u32).min(MOST)
}

/// The text of `rules/confidence.md` with a table of these rows in the place of its own.
pub(crate) fn page(text: &str, rows: &[ConfidenceRow]) -> String {
    let is_row = |line: &&str| line.starts_with("| [");
    let before = text.lines().take_while(|line| !is_row(line)).map(str::to_owned);
    let after = text.lines().skip_while(|line| !is_row(line)).skip_while(is_row).map(str::to_owned);
    before.chain(rows.iter().map(ConfidenceRow::line)).chain(after).map(|line| line + "\n").collect()
}

impl ConfidenceRow {
    fn line(&self) -> String {
        let Share { right, all } = self.cases;
        let precision = self.cases.value().map_or("-".to_owned(), |share| format!("{share:.3}"));
        let interval =
            self.cases.interval_of(1.0).map_or("-".to_owned(), |(low, high)| format!("{low:.3} to {high:.3}"));
        let confidence = f64::from(self.confidence_hundredths) / 100.0;
        let source = match self.source {
            ConfidenceSource::Measured => "measured",
            ConfidenceSource::Inherited if all == 0 => "inherited: no cases",
            ConfidenceSource::Inherited => "inherited: too few cases",
            ConfidenceSource::Fixed => "fixed: it knows nothing",
        };
        let rule = self.rule;
        format!(
            "| [{rule}](classes/{rule}.md) | {all} | {right} | {precision} | {interval} | {confidence:.2} | {source} |"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{ConfidenceRow, ConfidenceSource, INHERITED, Precision, hundredths};
    use crate::labelled::{GivenAnswer, Labelled};
    use failwise::classify::DEFAULT;
    use failwise::model::{Class, Outcome};

    fn rows(rule: &str, right: u32, wrong: u32) -> ConfidenceRow {
        let line = br#"{"id":"r","error_text":"","marked_failed":true,"class_single":"F1","root_cause":"network"}"#;
        let row = Labelled::parse(line).unwrap();
        let given = |class| GivenAnswer {
            outcome: Outcome::Failed,
            class: Some(class),
            category: row.category(),
            basis: None,
            likely: None,
            object: None,
            rule: rule.to_owned(),
        };
        let mut precision = Precision::default();
        (0..right).for_each(|_| precision.add(&row, &given(Class::F1)));
        (0..wrong).for_each(|_| precision.add(&row, &given(Class::F2)));
        precision.rows().into_iter().find(|row| row.rule == rule).unwrap()
    }

    #[test]
    fn a_rule_with_enough_cases_takes_the_lower_bound() {
        let measured = rows("transient-failure", 40, 0);
        assert_eq!((measured.confidence_hundredths, measured.source), (91, ConfidenceSource::Measured));
        let unsure = rows("transient-failure", 30, 30);
        assert_eq!((unsure.confidence_hundredths, unsure.source), (37, ConfidenceSource::Measured));
    }

    #[test]
    fn too_few_cases_and_the_fallback_keep_their_number() {
        let few = rows("transient-failure", 29, 0);
        assert_eq!((few.confidence_hundredths, few.source), (95, ConfidenceSource::Inherited));
        let fallback = rows("unrecognised", 900, 0);
        assert_eq!((fallback.confidence_hundredths, fallback.source), (55, ConfidenceSource::Fixed));
    }

    #[test]
    fn no_rule_is_certain_and_none_is_left_out() {
        assert_eq!((hundredths(1.0), hundredths(0.999)), (99, 99));
        let ids: Vec<&str> = INHERITED.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, DEFAULT.rules.iter().map(|rule| rule.id).collect::<Vec<_>>());
    }
}
