//! The pages under `rules/argus/`: what each row of the table of a diagnosis decides, and what of a line is replaced.

use crate::rule_page::{check, pages};
use failwise::argus::{CaseFailure, ClassifiedCase, RULES, classify, sign};
use serde::{Deserialize, Serialize};

/// The page of the pattern, which is no row.
const PATTERN: &str = "pattern";
/// The page of what no row decides.
const UNKNOWN: &str = "unknown";
/// What the case is called in every pattern.
const NAME: &str = "check";

/// A failed case, as a result file tells of it, and what becomes of it.
#[derive(Deserialize, Serialize, Clone)]
#[serde(deny_unknown_fields)]
struct Case {
    error: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    container_status: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    oom_killed: bool,
    decided_by: Option<String>,
    pattern: String,
}

impl Case {
    fn played(&self) -> Self {
        let failure = CaseFailure {
            error: &self.error,
            status: self.status,
            container_status: self.container_status.as_deref(),
            oom_killed: self.oom_killed,
        };
        let ClassifiedCase { rule, .. } = classify(&failure);
        Self { decided_by: rule.map(str::to_owned), pattern: sign(NAME, &failure).pattern, ..self.clone() }
    }

    /// Whether the case fires on a page.
    fn fires(&self, page: &str) -> bool {
        match page {
            PATTERN => self.pattern.split_once(NAME).is_some_and(|(_, line)| line != format!("::{}", self.error)),
            UNKNOWN => self.decided_by.is_none(),
            rule => self.decided_by.as_deref() == Some(rule),
        }
    }
}

/// `UPDATE=1` writes what comes out now into the pages.
#[test]
fn every_case_is_decided_as_its_page_says() {
    check("argus", Case::played);
}

#[test]
fn every_row_has_a_page_whose_cases_it_decides_and_near_misses_that_it_does_not() {
    let mut named: Vec<String> = Vec::new();
    for page in pages("argus") {
        let (name, [fires, silent]) = (page.name(), page.cases());
        let does_fire = |fence: &str| serde_json::from_str::<Case>(fence).unwrap().fires(name);
        assert!(fires.len() >= 2 && silent.len() >= 2, "{name}: two cases that fire, and two near misses");
        assert_eq!(fires.iter().find(|fence| !does_fire(fence)), None, "{name}: a case that does not fire");
        assert_eq!(silent.iter().find(|fence| does_fire(fence)), None, "{name}: a near miss that fires");
        named.push(name.to_owned());
    }
    let mut rows: Vec<&str> = RULES.iter().map(|rule| rule.name).chain([PATTERN, UNKNOWN]).collect();
    rows.sort_unstable();
    assert_eq!(named, rows);
}
