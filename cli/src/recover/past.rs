//! What is known of how strategies went before.

use std::collections::{BTreeMap, BTreeSet};

use crate::knowledge::{KnownFix, Planned, Words};

/// How often a strategy was tried against a failure, and worked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Went {
    /// How often it was followed.
    pub tried: u32,
    /// How often what it was followed for then passed.
    pub worked: u32,
}

impl Went {
    /// The share that worked; None where it was never tried.
    pub fn share(self) -> Option<f64> {
        (self.tried > 0).then(|| f64::from(self.worked) / f64::from(self.tried))
    }

    fn add(&mut self, worked: bool) {
        self.tried = self.tried.saturating_add(1);
        self.worked = self.worked.saturating_add(u32::from(worked));
    }
}

/// What worked in earlier sessions, and may be told.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedFix {
    /// Its id in the memory.
    pub id: String,
    /// What it says.
    pub words: Words,
    /// How often it was tried.
    pub tried: u64,
    /// How often it worked.
    pub worked: u64,
    /// How likely it is to work, as the memory reckons it.
    pub confidence: f64,
    /// The folder that its paths are relative to.
    pub root: Option<String>,
}

impl LearnedFix {
    /// A fix of the memory, in a project's folder.
    pub fn of(known: &KnownFix, root: Option<String>) -> Self {
        Self {
            id: known.fix.id.clone(),
            words: known.fix.words.clone(),
            tried: known.tried,
            worked: known.worked,
            confidence: known.confidence,
            root,
        }
    }

    /// Whether its record puts it before all that is only likely: as sure as two tries of which both worked, lately.
    pub fn is_proven(&self) -> bool {
        self.confidence >= 0.75
    }
}

/// What is known of strategies before a plan is made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanPast {
    /// Strategies that were tried for this very failure, and did not help: they are not offered again.
    pub failed: Vec<String>,
    /// Counts on this signature.
    pub on_signature: BTreeMap<String, Went>,
    /// Counts on this category, where the signature has none.
    pub on_category: BTreeMap<String, Went>,
    /// What worked in earlier sessions, the best first.
    pub learned: Vec<LearnedFix>,
}

impl PlanPast {
    /// Takes the counts of strategies that were followed, each plan once.
    #[must_use]
    pub fn counted<'p>(
        mut self,
        planned: impl IntoIterator<Item = &'p Planned>,
        signature: &str,
        category: &str,
    ) -> Self {
        let mut seen = BTreeSet::new();
        for one in planned.into_iter().filter(|one| one.category == category || one.fine == signature) {
            if !seen.insert((&one.session, &one.plan)) {
                continue;
            }
            if one.fine == signature {
                self.on_signature.entry(one.strategy.clone()).or_default().add(one.worked);
            }
            if one.category == category {
                self.on_category.entry(one.strategy.clone()).or_default().add(one.worked);
            }
        }
        self
    }

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

    /// Where the counts put a strategy, whatever its score: first what worked three times on this signature and more often
    /// than not, last what failed twice on it and did not work more often.
    pub fn standing(&self, name: &str) -> PlanStanding {
        let Went { tried, worked } = self.on_signature.get(name).copied().unwrap_or_default();
        let failed = tried.saturating_sub(worked);
        if worked >= 3 && worked > failed {
            PlanStanding::Worked
        } else if failed >= 2 {
            PlanStanding::Failed
        } else {
            PlanStanding::Open
        }
    }
}

/// Where counts put a strategy, the last first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanStanding {
    /// It failed twice on this signature.
    Failed,
    /// Its score says where it stands.
    Open,
    /// It is what worked in earlier sessions, surely.
    Learned,
    /// It worked three times on this signature.
    Worked,
}
