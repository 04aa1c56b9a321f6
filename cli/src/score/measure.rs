//! How right each word is that can be answered.

use std::collections::BTreeMap;

use super::share::ratio;

/// How often each word was wanted or given, and how often both at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures(pub(super) BTreeMap<&'static str, Measure>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Measure {
    wanted: u32,
    given: u32,
    right: u32,
}

impl Measures {
    /// Adds a row: what was wanted and what was given, where there is such a word.
    pub fn count(&mut self, wanted: Option<&'static str>, given: Option<&'static str>) {
        if let Some(wanted) = wanted {
            self.0.entry(wanted).or_default().wanted += 1;
        }
        if let Some(given) = given {
            let measure = self.0.entry(given).or_default();
            measure.given += 1;
            measure.right += u32::from(wanted == Some(given));
        }
    }

    /// The mean of the words' F1, the harmonic mean of precision and recall: a rare word weighs as much as a frequent one. A
    /// word that was given and never wanted counts as 0. None where there are no words.
    pub fn macro_f1(&self) -> Option<f64> {
        let f1 = |it: &Measure| ratio(2 * it.right, it.wanted + it.given).unwrap_or_default();
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        (count > 0).then(|| self.0.values().map(f1).sum::<f64>() / f64::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::Measures;

    #[test]
    fn a_rare_word_weighs_as_much_as_a_frequent_one() {
        let mut measures = Measures::default();
        assert_eq!(measures.macro_f1(), None);
        (0..8).for_each(|_| measures.count(Some("often"), Some("often")));
        measures.count(Some("often"), Some("rare"));
        measures.count(Some("rare"), Some("rare"));
        let wanted = f64::midpoint(2.0 * 8.0 / 17.0, 2.0 / 3.0);
        assert!((measures.macro_f1().unwrap() - wanted).abs() < 1e-12);
    }
}
