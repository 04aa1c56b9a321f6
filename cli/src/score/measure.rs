//! Precision, recall and F1 of each word that can be answered.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::share::ratio;
use crate::text::rounded;

/// How right one word is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measure {
    /// How often it was wanted.
    pub support: u32,
    /// How often it was given.
    pub given: u32,
    /// How often it was given where it was wanted.
    pub right: u32,
}

impl Measure {
    /// The share of the given ones that are right; None where it was never given.
    pub fn precision(self) -> Option<f64> {
        ratio(self.right, self.given)
    }

    /// The share of the wanted ones that were found; None where it was never wanted.
    pub fn recall(self) -> Option<f64> {
        ratio(self.right, self.support)
    }

    /// The harmonic mean of both; 0 where it was only given or only wanted.
    pub fn f1(self) -> f64 {
        ratio(2 * self.right, self.support + self.given).unwrap_or_default()
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ShownMeasure {
            support: u32,
            given: u32,
            right: u32,
            precision: Option<f64>,
            recall: Option<f64>,
            f1: f64,
        }
        let shown = ShownMeasure {
            support: self.support,
            given: self.given,
            right: self.right,
            precision: self.precision().map(rounded),
            recall: self.recall().map(rounded),
            f1: rounded(self.f1()),
        };
        shown.serialize(serializer)
    }
}

/// How right every word is that was wanted or given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures(pub BTreeMap<&'static str, Measure>);

impl Measures {
    /// Adds a row: what was wanted and what was given, where there is such a word.
    pub fn count(&mut self, wanted: Option<&'static str>, given: Option<&'static str>) {
        if let Some(wanted) = wanted {
            self.0.entry(wanted).or_default().support += 1;
        }
        if let Some(given) = given {
            let measure = self.0.entry(given).or_default();
            measure.given += 1;
            measure.right += u32::from(wanted == Some(given));
        }
    }

    /// The mean of the words' F1: a rare word weighs as much as a frequent one. A word that was given and never wanted
    /// counts as 0. None where there are no words.
    pub fn macro_f1(&self) -> Option<f64> {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        (count > 0).then(|| self.0.values().map(|measure| measure.f1()).sum::<f64>() / f64::from(count))
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            macro_f1: Option<f64>,
            each: &'a BTreeMap<&'static str, Measure>,
        }
        Shown { macro_f1: self.macro_f1().map(rounded), each: &self.0 }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::{Measure, Measures};

    #[test]
    fn a_rare_word_weighs_as_much_as_a_frequent_one() {
        let mut measures = Measures::default();
        (0..8).for_each(|_| measures.count(Some("often"), Some("often")));
        measures.count(Some("often"), Some("rare"));
        measures.count(Some("rare"), Some("rare"));
        assert_eq!(measures.0["rare"], Measure { support: 1, given: 2, right: 1 });
        let wanted = f64::midpoint(2.0 * 8.0 / 17.0, 2.0 / 3.0);
        assert!((measures.macro_f1().unwrap() - wanted).abs() < 1e-12);
    }

    #[test]
    fn a_word_that_was_only_given_or_only_wanted_counts_as_nothing() {
        let mut measures = Measures::default();
        measures.count(None, Some("alarm"));
        measures.count(Some("missed"), None);
        measures.count(None, None);
        assert_eq!((measures.0["alarm"].precision(), measures.0["alarm"].recall()), (Some(0.0), None));
        assert_eq!((measures.0["missed"].precision(), measures.0["missed"].recall()), (None, Some(0.0)));
        assert_eq!(measures.macro_f1(), Some(0.0));
        assert_eq!(Measures::default().macro_f1(), None);
    }
}
