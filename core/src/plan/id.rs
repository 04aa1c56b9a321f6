//! The file names that carry the ids of plan nodes.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::model::is_node_id;

/// The place of each id or path among others. It is here because what commands alone are made of is built for size, and
/// large plans ask for many.
#[derive(Debug, Default)]
pub struct IdPlaces(HashMap<String, usize>);

impl IdPlaces {
    /// None yet, with room for so many.
    pub fn with_room(many: usize) -> Self {
        Self(HashMap::with_capacity(many))
    }

    /// The place of one.
    pub fn get(&self, id: &str) -> Option<usize> {
        self.0.get(id).copied()
    }

    /// Keeps the place of one, unless it has one.
    pub fn keep(&mut self, id: &str, place: usize) {
        self.0.entry(id.to_owned()).or_insert(place);
    }

    /// All that have a place.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Whether a folder or file name, without its ending, carries this id: `ID`, or `ID_slug`.
pub fn carries(name: &str, id: &str) -> bool {
    name.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// The id that a name carries when its file does not state one: what is before the slug, which has no `_`.
pub fn carried_by(name: &str) -> Option<&str> {
    let id = name.rsplit_once('_').map_or(name, |(id, _)| id);
    is_node_id(id).then_some(id)
}

/// The order of names for people: numbers in them by their value, `FEAT-2` before `FEAT-10`.
pub fn natural_order(one: &str, other: &str) -> Ordering {
    let (mut a, mut b) = (one.as_bytes(), other.as_bytes());
    loop {
        let same = a.iter().zip(b).take_while(|(a, b)| a == b && !a.is_ascii_digit()).count();
        let ((first, after_first), (second, after_second)) = (digits_from(a, same), digits_from(b, same));
        if first.is_empty() || second.is_empty() {
            return a.get(same..).cmp(&b.get(same..)).then_with(|| one.cmp(other));
        }
        match worth(first).cmp(&worth(second)) {
            Ordering::Equal => (a, b) = (after_first, after_second),
            differ => return differ,
        }
    }
}

/// The digits from a place on, and what is behind them.
fn digits_from(name: &[u8], from: usize) -> (&[u8], &[u8]) {
    let rest = name.get(from..).unwrap_or_default();
    rest.split_at(rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// Digits in the order of what they are worth, however many they are.
fn worth(digits: &[u8]) -> (usize, &[u8]) {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    (digits.len() - zeros, digits.get(zeros..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{carried_by, carries, natural_order};

    #[test]
    fn numbers_are_ordered_by_their_value() {
        let mut names = ["FEAT-10_b", "FEAT-1_z", "FEAT-A", "FEAT-2", "MISSION", "FEAT-10_a", "é-3", "é-21", "FEAT-02"];
        names.sort_by(|one, other| natural_order(one, other));
        assert_eq!(
            names,
            ["FEAT-1_z", "FEAT-02", "FEAT-2", "FEAT-10_a", "FEAT-10_b", "FEAT-A", "MISSION", "é-3", "é-21"]
        );
    }

    proptest::proptest! {
        #[test]
        fn the_order_is_total(a in "[0-9aé_-]{0,6}", b in "[0-9aé_-]{0,6}", c in "[0-9aé_-]{0,6}") {
            proptest::prop_assert_eq!(natural_order(&a, &b), natural_order(&b, &a).reverse());
            proptest::prop_assert_eq!(natural_order(&a, &b).is_eq(), a == b);
            if natural_order(&a, &b).is_le() && natural_order(&b, &c).is_le() {
                proptest::prop_assert!(natural_order(&a, &c).is_le(), "{} {} {}", a, b, c);
            }
        }
    }

    #[test]
    fn names_carry_ids() {
        assert!(carries("FEAT-7_paper-feed", "FEAT-7"));
        assert!(carries("FEAT-7", "FEAT-7"));
        assert!(!carries("FEAT-70_paper-feed", "FEAT-7"));
        assert!(!carries("FEAT-7", "FEAT-7_paper"));
        assert_eq!(carried_by("FEAT-7_paper-feed"), Some("FEAT-7"));
        assert_eq!(carried_by("TASK-00007"), Some("TASK-00007"));
        assert_eq!(carried_by("_slug"), None);
    }
}
