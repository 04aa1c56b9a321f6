//! A failed test case by the inherited contract of `argus_diagnose`: its own ten categories, the readable pattern and its
//! signature, the six patterns that are known from the beginning, and the answer made from what the base counts. Only the
//! MCP server speaks these words; verdicts have categories of their own.

mod answer;
mod builtin;
mod category;
mod pattern;
mod rule;

pub use answer::{
    CategoryCounts, Diagnosis, FixRecord, KnownCaseRow, KnownPattern, MOST_FIXES, MOST_WEIGHED, Matched, PatternSource,
    SuggestedFix, answer, confidence, learned_id, without_report_mark,
};
pub use builtin::{BUILT_IN, BuiltIn};
pub use category::FailureCategory;
pub use pattern::{readable, signature_of};
pub use rule::{ArgusRule, CaseFailure, ClassifiedCase, RULES, classify};

use crate::text::one_line;

/// The longest name of a case in a pattern, in characters.
const LONGEST_NAME: usize = 300;

/// A failed case, classified and signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// What kind of failure it is.
    pub category: FailureCategory,
    /// SHA-256 of the pattern, 64 hexadecimal digits.
    pub signature: String,
    /// `CATEGORY::case::line`, with what varies between runs replaced by names in angle brackets.
    pub pattern: String,
}

/// Classifies a failed case and signs it.
pub fn sign(case: &str, failure: &CaseFailure<'_>) -> Signed {
    let ClassifiedCase { category, line, .. } = classify(failure);
    let name = one_line(case, LONGEST_NAME);
    let pattern = format!("{category}::{name}::{}", readable(&line));
    Signed { category, signature: signature_of(&pattern), pattern }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(case: &str, error: &str) -> Signed {
        sign(case, &CaseFailure { error, ..CaseFailure::default() })
    }

    #[test]
    fn signatures_are_sha_256_of_the_pattern() {
        // The values of the inherited implementation, where its pattern is the same.
        for (case, error, signature) in [
            (
                "hc",
                "ECONNREFUSED 10.0.0.1:3000/api",
                "4f73cffc0c2fe7ffc963b79d2e0199c9bd67e35263297d8f24ea5b166e73e847",
            ),
            (
                "hc",
                "ECONNREFUSED 192.168.1.1:3000/api",
                "4f73cffc0c2fe7ffc963b79d2e0199c9bd67e35263297d8f24ea5b166e73e847",
            ),
            ("api-test", "request timeout", "c918eee1595656dba1b6257ed8f9464bd95d349b17fe77eb53f6263b3f27185a"),
            ("test", "error", "fde957e8034c33e951e55344707c469d3ee174ea16f043cf7405b3797f05c8b1"),
        ] {
            assert_eq!(signed(case, error).signature, signature, "{error}");
        }
        assert_ne!(signed("a", "timeout").signature, signed("b", "timeout").signature);
    }

    #[test]
    fn names_and_texts_stay_on_one_line() {
        let signed = signed("a\nb\u{202e}c", "one\u{1b}[31m red\u{1b}[0m\nsecond line");
        assert_eq!(signed.pattern.lines().count(), 1);
        assert!(!signed.pattern.contains('\u{1b}') && !signed.pattern.contains('\u{202e}'), "{}", signed.pattern);
    }
}
