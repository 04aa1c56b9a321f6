//! What is known of how strategies went before.

use std::collections::BTreeMap;

/// How often a strategy was tried against a failure, and worked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Went {
    /// How often it was tried.
    pub tried: u32,
    /// How often what it was tried for then passed.
    pub worked: u32,
}

/// What is known of strategies before a plan is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// Strategies that were tried for this very failure, and did not help: they are not offered again.
    pub failed: Vec<String>,
    /// Counts on this signature.
    pub on_signature: BTreeMap<String, Went>,
    /// Counts on this category, where the signature has none.
    pub on_category: BTreeMap<String, Went>,
}

impl Past {
    /// How a strategy went: on this signature, else on this category.
    pub fn of(&self, name: &str) -> Went {
        let own = self.on_signature.get(name).filter(|went| went.tried > 0);
        own.or_else(|| self.on_category.get(name)).copied().unwrap_or_default()
    }

    /// What the counts multiply a confidence by: 1 where nothing is known, below 2 whatever is.
    pub fn factor(&self, name: &str) -> f64 {
        let Went { tried, worked } = self.of(name);
        2.0 * (f64::from(worked.min(tried)) + 1.0) / (f64::from(tried) + 2.0)
    }

    /// Where the counts put a strategy, whatever its score: first (1) what worked three times on this signature and more
    /// often than not, behind all others that act (-1) what failed twice on it and never worked.
    pub fn standing(&self, name: &str) -> i8 {
        let Went { tried, worked } = self.on_signature.get(name).copied().unwrap_or_default();
        if worked >= 3 && worked.saturating_mul(2) > tried {
            1
        } else if tried >= 2 && worked == 0 {
            -1
        } else {
            0
        }
    }
}
