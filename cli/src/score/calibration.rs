//! How well the two confidences of a verdict say how often it is right.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::share::ratio;
use super::tally::class_is_right;
use super::{GivenAnswer, Labelled, Share};
use crate::model::Basis;
use crate::text::rounded;

/// The calls that were called failures, with what decided them and whether it was right.
#[derive(Debug, Default)]
pub struct Calibration(Vec<Answered>);

#[derive(Debug)]
struct Answered {
    source: String,
    rule: String,
    basis: Option<Basis>,
    class_right: bool,
    category_right: bool,
}

/// The expected calibration error of both confidences: how far, on average, the stated number lies from the share that was
/// right, where the number of a call is measured on the other sources only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationError {
    /// Of the class, by rule.
    pub class: f64,
    /// Of the category, by basis; of a guess what is likely counts.
    pub category: f64,
    /// How many sources were left out, one after the other.
    pub sources: usize,
}

impl Calibration {
    /// Adds a row.
    pub fn add(&mut self, row: &Labelled, given: &GivenAnswer) {
        if given.class.is_none() {
            return;
        }
        self.0.push(Answered {
            source: row.source.clone().unwrap_or_default(),
            rule: given.rule.clone(),
            basis: given.basis,
            class_right: class_is_right(row.label, given),
            category_right: given.kind() == row.category(),
        });
    }

    /// The errors; None where all rows are of one source.
    pub fn errors(&self) -> Option<CalibrationError> {
        let sources: BTreeSet<&str> = self.0.iter().map(|row| row.source.as_str()).collect();
        let error = |key: &dyn Fn(&Answered) -> String, right: &dyn Fn(&Answered) -> bool| {
            let stated: Vec<(f64, bool)> =
                self.0.iter().filter_map(|row| Some((self.elsewhere(row, key, right)?, right(row)))).collect();
            rounded(expected_error(&stated))
        };
        (sources.len() > 1).then(|| CalibrationError {
            class: error(&|row| row.rule.clone(), &|row| row.class_right),
            category: error(&|row| format!("{:?}", row.basis), &|row| row.category_right),
            sources: sources.len(),
        })
    }

    /// How often rows of the same key were right in the other sources.
    fn elsewhere(
        &self,
        row: &Answered,
        key: &dyn Fn(&Answered) -> String,
        right: &dyn Fn(&Answered) -> bool,
    ) -> Option<f64> {
        let own = key(row);
        let mut share = Share::default();
        for other in self.0.iter().filter(|other| other.source != row.source && key(other) == own) {
            share.count(right(other));
        }
        share.value()
    }
}

/// Ten bins of the stated number; each counts by its rows.
fn expected_error(stated: &[(f64, bool)]) -> f64 {
    const BINS: usize = 10;
    let mut bins: BTreeMap<usize, (f64, Share)> = BTreeMap::new();
    for (number, right) in stated {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1")]
        let bin = ((number * 10.0) as usize).min(BINS - 1);
        let (sum, share) = bins.entry(bin).or_default();
        *sum += number;
        share.count(*right);
    }
    let all = u32::try_from(stated.len()).unwrap_or(u32::MAX);
    bins.values()
        .filter_map(|(sum, share)| {
            let mean = sum / f64::from(share.all);
            Some((mean - share.value()?).abs() * ratio(share.all, all)?)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_holds_elsewhere_is_no_error() {
        let row = |source: &str, right| Answered {
            source: source.to_owned(),
            rule: "r".to_owned(),
            basis: Some(Basis::Line),
            class_right: right,
            category_right: true,
        };
        let half = Calibration(vec![row("a", true), row("a", false), row("b", true), row("b", false)]);
        assert_eq!(half.errors().unwrap(), CalibrationError { class: 0.0, category: 0.0, sources: 2 });
        let unlike = Calibration(vec![row("a", true), row("a", true), row("b", false), row("b", false)]);
        assert!((unlike.errors().unwrap().class - 1.0).abs() < 1e-9);
        assert_eq!(Calibration(vec![row("a", true)]).errors(), None);
    }
}
