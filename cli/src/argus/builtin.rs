//! The six patterns that are known from the beginning. Ids, signatures and patterns are the contract's; the advice is its
//! advice in English.

use super::category::FailureCategory;

/// What is known of a category before anything was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name.
    pub id: &'static str,
    /// What it is about.
    pub category: FailureCategory,
    /// What such failures say, for people.
    pub pattern: &'static str,
    /// What it is, in a few words.
    pub description: &'static str,
    /// What to do.
    pub suggested_fix: &'static str,
}

/// All of them.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        id: "builtin-conn-refused",
        category: FailureCategory::ConnectionRefused,
        pattern: "ECONNREFUSED *:*",
        description: "Service connection refused",
        suggested_fix: "The service may not be up yet: give its health check a longer startPeriod",
    },
    BuiltIn {
        id: "builtin-timeout",
        category: FailureCategory::Timeout,
        pattern: "ETIMEDOUT / timeout exceeded",
        description: "Request or operation timed out",
        suggested_fix: "Look at how slowly the service answers, or raise the timeout",
    },
    BuiltIn {
        id: "builtin-container-oom",
        category: FailureCategory::ContainerOom,
        pattern: "OOMKilled = true",
        description: "Container was killed for want of memory",
        suggested_fix: "Raise the container's memory limit, or let it use less memory",
    },
    BuiltIn {
        id: "builtin-http-error",
        category: FailureCategory::HttpError,
        pattern: "returned 5xx",
        description: "Server answered with an error",
        suggested_fix: "The fault is on the server's side: find the cause in the container's log",
    },
    BuiltIn {
        id: "builtin-mock-mismatch",
        category: FailureCategory::MockMismatch,
        pattern: "mock unexpected request",
        description: "Mock saw a request that it does not know",
        suggested_fix: "The mock has no route for this request: complete its routes",
    },
    BuiltIn {
        id: "builtin-assertion",
        category: FailureCategory::AssertionMismatch,
        pattern: "expected .* to (equal|match|be)",
        description: "Expectation did not hold",
        suggested_fix: "Check whether the expectation or the service's value is wrong",
    },
];

impl BuiltIn {
    /// The one of a category, where there is one.
    pub fn of(category: FailureCategory) -> Option<&'static Self> {
        BUILT_IN.iter().find(|built_in| built_in.category == category)
    }

    /// What stands in the place of a signature: `builtin::CATEGORY`.
    pub fn signature(&self) -> String {
        format!("builtin::{}", self.category)
    }

    /// The one that an id or a signature names.
    pub fn named(name: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|built_in| built_in.id == name || built_in.signature() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_named_after_its_category() {
        assert_eq!(BUILT_IN.len(), 6);
        for built_in in BUILT_IN {
            assert_eq!(BuiltIn::of(built_in.category), Some(built_in));
            assert_eq!(BuiltIn::named(built_in.id), Some(built_in));
            assert_eq!(BuiltIn::named(&built_in.signature()), Some(built_in));
        }
        for category in [FailureCategory::Unknown, FailureCategory::ContainerCrash, FailureCategory::NetworkError] {
            assert_eq!(BuiltIn::of(category), None);
        }
    }
}
