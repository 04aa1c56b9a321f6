//! The answer of a diagnosis, made from what the base counts. Names, order and nulls are the contract's.

use serde::Serialize;

use super::builtin::BuiltIn;
use super::category::FailureCategory;
use crate::gate::GateContext;
use crate::knowledge::is_tellable;
use crate::time::stamp_at;

/// What the base knows of one exact pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownCaseRow {
    /// Its category.
    pub category: FailureCategory,
    /// SHA-256 of the pattern, in hexadecimal digits.
    pub signature: String,
    /// The readable pattern.
    pub pattern: String,
    /// How often it was diagnosed.
    pub occurrences: u64,
    /// How many fixes were reported for it.
    pub tried: u64,
    /// How many of these worked.
    pub resolutions: u64,
    /// When it was met first, in milliseconds since 1970.
    pub first_seen: u64,
    /// When it was met last, in milliseconds since 1970.
    pub last_seen: u64,
}

/// What the base counts of a category: patterns no fix of which worked yet, and what was reported for the built-in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CategoryCounts {
    /// How often these patterns were diagnosed.
    pub occurrences: u64,
    /// How many fixes were reported.
    pub tried: u64,
    /// How many of these worked.
    pub resolutions: u64,
    /// When the category was met first, in milliseconds since 1970.
    pub first_seen: u64,
    /// When the category was met last, in milliseconds since 1970.
    pub last_seen: u64,
}

/// A fix that was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixRecord {
    /// Its id.
    pub id: String,
    /// The run of the case.
    pub run: String,
    /// The case.
    pub case: String,
    /// What was done: one line, redacted.
    pub words: String,
    /// Whether it worked.
    pub success: bool,
    /// When it was reported, in milliseconds since 1970.
    pub at: u64,
}

/// What the base knows of a failed case, this diagnosis counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// The exact pattern.
    pub row: KnownCaseRow,
    /// Whether this diagnosis met it first.
    pub is_new: bool,
    /// The fixes that were reported for it, newest first, at most [`MOST_WEIGHED`].
    pub fixes: Vec<FixRecord>,
    /// What its category counts.
    pub category: CategoryCounts,
    /// The fixes that its category counts, newest first, at most [`MOST_FIXES`].
    pub category_fixes: Vec<FixRecord>,
}

/// The most fixes that an answer lists.
pub const MOST_FIXES: usize = 10;
/// The most fixes of a pattern that are weighed for its suggestion: older ones have been tried often enough to show in these.
pub const MOST_WEIGHED: usize = 100;

/// The answer to `argus_diagnose`: `data` of the contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// The category of this failure.
    pub category: FailureCategory,
    /// The signature of this failure.
    pub signature: String,
    /// The readable pattern of this failure.
    pub signature_pattern: String,
    /// The pattern that answers; null only where nothing matched.
    pub pattern: Option<KnownPattern>,
    /// What to do.
    pub suggested_fix: Option<String>,
    /// How sure that is.
    pub confidence: Option<f64>,
    /// What was tried, newest first.
    pub fix_history: Vec<SuggestedFix>,
    /// Whether nothing matched, and the pattern was made.
    pub is_new_pattern: bool,
}

/// A known pattern: its twelve fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownPattern {
    /// Of a built-in its name, else made from the signature.
    pub id: String,
    /// Its category.
    pub category: FailureCategory,
    /// Of a built-in `builtin::CATEGORY`, else the signature.
    pub signature: String,
    /// The readable pattern.
    pub signature_pattern: String,
    /// What it is, in a few words.
    pub description: String,
    /// What to do; null where nothing is known.
    pub suggested_fix: Option<String>,
    /// (resolutions + 1) / (fixes tried + 2); null where nothing was tried and it is no built-in.
    pub confidence: Option<f64>,
    /// How often it was diagnosed.
    pub occurrences: u64,
    /// How many fixes worked.
    pub resolutions: u64,
    /// Where it is known from.
    pub source: PatternSource,
    /// ISO 8601 in UTC; null where it was never met.
    pub first_seen_at: Option<String>,
    /// ISO 8601 in UTC; null where it was never met.
    pub last_seen_at: Option<String>,
}

/// Where a pattern is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternSource {
    /// It is known from the beginning.
    BuiltIn,
    /// It was met.
    Learned,
}

/// A fix in an answer: its seven fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedFix {
    /// Its id.
    pub id: String,
    /// The pattern that answers.
    pub pattern_id: String,
    /// The run of the case.
    pub run_id: String,
    /// The case.
    pub case_name: String,
    /// What was done.
    pub fix_description: String,
    /// Whether it worked.
    pub success: bool,
    /// ISO 8601 in UTC.
    pub created_at: Option<String>,
}

/// The answer from what the base knows. The exact pattern answers once a fix of its own worked; before that the built-in of
/// its category, where there is one. `tells_fixes` is false where known fixes are not to be told.
pub fn answer(matched: &Matched, tells_fixes: bool) -> Diagnosis {
    let row = &matched.row;
    let built_in = BuiltIn::of(row.category).filter(|_| row.resolutions == 0);
    let (pattern, fixes) = match built_in {
        Some(built_in) => (Some(KnownPattern::built_in(built_in, &matched.category)), &matched.category_fixes),
        None if matched.is_new => (None, &matched.fixes),
        None => (Some(KnownPattern::learned(row, &matched.fixes)), &matched.fixes),
    };
    let without = |pattern| KnownPattern { suggested_fix: None, confidence: None, ..pattern };
    let pattern = if tells_fixes { pattern } else { pattern.map(without) };
    let pattern_id = pattern.as_ref().map(|pattern| pattern.id.clone()).unwrap_or_default();
    let told = fixes.iter().take(if tells_fixes { MOST_FIXES } else { 0 });
    Diagnosis {
        category: row.category,
        signature: row.signature.clone(),
        signature_pattern: row.pattern.clone(),
        suggested_fix: pattern.as_ref().and_then(|pattern| pattern.suggested_fix.clone()),
        confidence: pattern.as_ref().and_then(|pattern| pattern.confidence),
        fix_history: told.map(|fix| SuggestedFix::of(fix, &pattern_id)).collect(),
        is_new_pattern: pattern.is_none(),
        pattern,
    }
}

impl KnownPattern {
    /// A built-in with what its category counts.
    pub fn built_in(built_in: &BuiltIn, counts: &CategoryCounts) -> Self {
        Self {
            id: built_in.id.to_owned(),
            category: built_in.category,
            signature: built_in.signature(),
            signature_pattern: built_in.pattern.to_owned(),
            description: built_in.description.to_owned(),
            suggested_fix: Some(built_in.suggested_fix.to_owned()),
            confidence: Some(confidence(counts.resolutions, counts.tried)),
            occurrences: counts.occurrences,
            resolutions: counts.resolutions,
            source: PatternSource::BuiltIn,
            first_seen_at: seen(counts.first_seen),
            last_seen_at: seen(counts.last_seen),
        }
    }

    /// A pattern that was met, with its fixes, newest first.
    pub fn learned(row: &KnownCaseRow, fixes: &[FixRecord]) -> Self {
        Self {
            id: learned_id(&row.signature),
            category: row.category,
            signature: row.signature.clone(),
            signature_pattern: row.pattern.clone(),
            description: described(&row.pattern),
            suggested_fix: suggestion(fixes).map(|words| as_reported(&words)),
            confidence: (row.tried > 0).then(|| confidence(row.resolutions, row.tried)),
            occurrences: row.occurrences,
            resolutions: row.resolutions,
            source: PatternSource::Learned,
            first_seen_at: seen(row.first_seen),
            last_seen_at: seen(row.last_seen),
        }
    }
}

impl SuggestedFix {
    fn of(record: &FixRecord, pattern_id: &str) -> Self {
        Self {
            id: record.id.clone(),
            pattern_id: pattern_id.to_owned(),
            run_id: record.run.clone(),
            case_name: record.case.clone(),
            fix_description: as_reported(&record.words),
            success: record.success,
            created_at: seen(record.at),
        }
    }
}

/// The id of a pattern that was met: the same in a base that is made anew.
pub fn learned_id(signature: &str) -> String {
    format!("learned-{}", signature.get(..16).unwrap_or(signature))
}

/// What is left of a pattern without its category: the case and the line.
fn described(pattern: &str) -> String {
    pattern.split_once("::").map_or(pattern, |(_, rest)| rest).replacen("::", ": ", 1)
}

/// How likely the next fix is to work: the contract's formula, Laplace's rule with one success and one failure in advance.
#[expect(clippy::cast_precision_loss, reason = "counts of fixes, far below 2^52")]
pub fn confidence(resolutions: u64, tried: u64) -> f64 {
    (resolutions.min(tried) as f64 + 1.0) / (tried as f64 + 2.0)
}

/// Of the fixes that worked and that an agent may be told the one that did so most surely, the newest of equals.
fn suggestion(fixes: &[FixRecord]) -> Option<String> {
    let mut weighed: Vec<(&str, u64, u64)> = Vec::new();
    for fix in fixes {
        let words = fix.words.as_str();
        let known = weighed.iter().position(|(known, ..)| *known == words);
        let at = known.unwrap_or_else(|| {
            weighed.push((words, 0, 0));
            weighed.len() - 1
        });
        if let Some((_, worked, tried)) = weighed.get_mut(at) {
            *worked += u64::from(fix.success);
            *tried += 1;
        }
    }
    let is_told = |words: &str| is_tellable(words, &GateContext::default());
    let worked = weighed.into_iter().filter(|(words, worked, _)| *worked > 0 && is_told(words));
    // Of equals `max_by` takes the last one, which has to be the newest.
    let best = worked.rev().max_by(|(_, a, of), (_, b, among)| confidence(*a, *of).total_cmp(&confidence(*b, *among)));
    best.map(|(words, ..)| words.to_owned())
}

/// What stands before the words of a fix: nobody checked them.
const REPORTED: &str = "an agent reported: ";

fn as_reported(words: &str) -> String {
    [REPORTED, words].concat()
}

/// The words of a fix, without the mark that an answer gave them.
pub fn without_report_mark(words: &str) -> &str {
    let mut words = words;
    while let Some(own) = words.strip_prefix(REPORTED.trim_end()) {
        words = own.trim_start();
    }
    words
}

fn seen(at: u64) -> Option<String> {
    if at == 0 { None } else { stamp_at(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u64 = 1_772_100_000_000;

    fn row(category: FailureCategory, occurrences: u64, resolutions: u64, tried: u64) -> KnownCaseRow {
        KnownCaseRow {
            category,
            signature: "a1b2c3d4e5f60718293a".to_owned(),
            pattern: format!("{category}::health-check::line of <NUM>"),
            occurrences,
            tried,
            resolutions,
            first_seen: AT,
            last_seen: AT + 1000,
        }
    }

    fn fix(words: &str, success: bool, at: u64) -> FixRecord {
        let (run, case) = ("run-1".to_owned(), "health-check".to_owned());
        FixRecord { id: format!("fix-{at}"), run, case, words: words.to_owned(), success, at }
    }

    fn matched(row: KnownCaseRow, is_new: bool, fixes: Vec<FixRecord>, category: CategoryCounts) -> Matched {
        let category_fixes = fixes.iter().filter(|fix| !fix.success).cloned().collect();
        Matched { row, is_new, fixes, category, category_fixes }
    }

    fn counts(occurrences: u64, resolutions: u64, tried: u64) -> CategoryCounts {
        CategoryCounts { occurrences, tried, resolutions, first_seen: AT, last_seen: AT }
    }

    #[test]
    fn what_nothing_matches_is_new_once() {
        let unknown = FailureCategory::Unknown;
        let first = answer(&matched(row(unknown, 1, 0, 0), true, vec![], counts(1, 0, 0)), true);
        assert!(first.is_new_pattern && first.pattern.is_none() && first.confidence.is_none());
        let again = answer(&matched(row(unknown, 2, 0, 0), false, vec![], counts(2, 0, 0)), true);
        let pattern = again.pattern.expect("the exact row");
        assert!(!again.is_new_pattern);
        assert_eq!((pattern.occurrences, pattern.confidence, pattern.suggested_fix), (2, None, None));
        assert_eq!(pattern.description, "health-check: line of <NUM>");
    }

    #[test]
    fn a_success_never_lowers_confidence_and_a_failure_does() {
        for tried in 0..50 {
            for worked in 0..=tried {
                assert!(confidence(worked + 1, tried + 1) >= confidence(worked, tried));
                assert!(confidence(worked, tried + 1) < confidence(worked, tried));
                assert!((0.0..=1.0).contains(&confidence(worked, tried)));
            }
        }
        // What cannot be: more worked than were tried.
        assert!(confidence(9, 1) < 1.0);
    }

    #[test]
    fn the_surest_fix_is_suggested() {
        let fixes = [fix("b", true, 5), fix("a", true, 4), fix("a", true, 3), fix("c", false, 2), fix("b", false, 1)];
        assert_eq!(suggestion(&fixes).as_deref(), Some("a"));
        assert_eq!(suggestion(&[fix("new", true, 2), fix("old", true, 1)]).as_deref(), Some("new"));
        assert_eq!(suggestion(&[fix("c", false, 2)]), None);
        // What nobody is told unasked is no suggestion, however new.
        let forced = [fix("pushed it by git push --force", true, 9), fix("a", true, 2)];
        assert_eq!(suggestion(&forced).as_deref(), Some("a"));
        assert_eq!(suggestion(&forced[..1]), None);
    }

    #[test]
    fn known_fixes_can_be_left_out() {
        let fixes = vec![fix("raise it", true, AT)];
        let told = answer(&matched(row(FailureCategory::Timeout, 2, 1, 1), false, fixes, counts(0, 0, 0)), false);
        assert_eq!((told.suggested_fix, told.confidence, told.fix_history), (None, None, vec![]));
        assert!(told.pattern.is_some_and(|pattern| pattern.suggested_fix.is_none()));
    }

    #[test]
    fn the_fields_are_the_contracts() {
        let fixes = vec![fix("raise it", true, AT)];
        let told = answer(&matched(row(FailureCategory::Timeout, 2, 1, 1), false, fixes, counts(0, 0, 0)), true);
        let json = serde_json::to_value(&told).expect("JSON");
        let names = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names.join(" ")
        };
        assert_eq!(
            sorted(names(&json)),
            "category confidence fixHistory isNewPattern pattern signature signaturePattern suggestedFix"
        );
        assert_eq!(
            sorted(names(&json["pattern"])),
            "category confidence description firstSeenAt id lastSeenAt occurrences resolutions signature signaturePattern source suggestedFix"
        );
        assert_eq!(
            sorted(names(&json["fixHistory"][0])),
            "caseName createdAt fixDescription id patternId runId success"
        );
        assert_eq!(json["pattern"]["lastSeenAt"], "2026-02-26T10:00:01.000Z");
    }
}
