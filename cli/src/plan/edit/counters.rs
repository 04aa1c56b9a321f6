//! `.counters.json`: the highest number that an id of each family was given.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::disk;
use crate::plan::{PlanError, files};

/// The file's name.
pub(super) const COUNTERS: &str = ".counters.json";

/// The families of ids of nodes: what is before the number, and how many digits it has. The mission has none.
pub(super) const FAMILIES: [(&str, usize); 5] = [("", 0), ("INIT", 3), ("FEAT", 1), ("STORY", 4), ("TASK", 5)];

/// The highest numbers that were given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct IdCounters {
    #[serde(default = "one")]
    schema_version: u32,
    #[serde(default)]
    updated_at: String,
    #[serde(rename = "counters")]
    highest: BTreeMap<String, u64>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

fn one() -> u32 {
    1
}

impl IdCounters {
    /// Reads the file; a tree without one has given no numbers.
    pub(super) fn read(dir: &Path) -> Result<Self, PlanError> {
        let file = dir.join(COUNTERS);
        if !disk::exists(&file) {
            return Ok(Self { schema_version: 1, ..Self::default() });
        }
        let text = files::read(&file)?;
        serde_json::from_str(&text).map_err(|error| PlanError::json(file, &error))
    }

    /// The highest number that a family was given.
    pub(super) fn highest(&self, family: &str) -> u64 {
        self.highest.get(family).copied().unwrap_or_default()
    }

    /// Gives the next number, which is higher than every one that is in use.
    pub(super) fn next(&mut self, family: &str, highest_used: u64, now: &str) -> u64 {
        let next = self.highest(family).max(highest_used).saturating_add(1);
        self.highest.insert(family.to_owned(), next);
        now.clone_into(&mut self.updated_at);
        next
    }

    /// Gives no number up to this one any more.
    pub(super) fn at_least(&mut self, family: &str, number: u64) {
        if number > self.highest(family) {
            self.highest.insert(family.to_owned(), number);
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        text
    }
}

/// The family and number of an id, where it is of that form: `TASK-00012`.
pub(super) fn number_of(id: &str) -> Option<(&str, u64)> {
    let (family, digits) = id.split_once('-')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let known = FAMILIES.iter().any(|(name, _)| *name == family);
    (is_number && known).then(|| digits.parse().ok().map(|number| (family, number)))?
}

#[cfg(test)]
mod tests {
    use super::{IdCounters, number_of};

    #[test]
    fn a_number_is_given_once() {
        let mut counters: IdCounters =
            serde_json::from_str(r#"{"counters":{"TASK":7,"DEC":2},"note":"kept"}"#).unwrap();
        assert_eq!(counters.next("TASK", 3, "t"), 8);
        assert_eq!(counters.next("TASK", 20, "t"), 21, "a node that was made by hand");
        assert_eq!(counters.next("STORY", 0, "t"), 1);
        let text = String::from_utf8(counters.to_bytes()).unwrap();
        assert!(text.contains("\"note\": \"kept\"") && text.contains("\"DEC\": 2"), "{text}");
    }

    #[test]
    fn only_numbers_of_known_families_count() {
        assert_eq!(number_of("TASK-00012"), Some(("TASK", 12)));
        assert_eq!(number_of("FEAT-A"), None);
        assert_eq!(number_of("JIRA-1234"), None);
        assert_eq!(number_of("TASK-99999999999999999999999"), None);
        assert_eq!(number_of("MISSION"), None);
    }
}
