//! Failures that differ in a word or two: log lines and messages that no recogniser knows, grouped by their templates.

use std::collections::BTreeMap;

use crate::model::Category;
use crate::replay::{Analysis, SignatureSummary};
use crate::signature::{KindTree, coarse};

/// Failures of several signatures whose lines have one template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike<'a> {
    /// What kind of error they are.
    pub category: Category,
    /// What their lines share, with masks for the rest.
    pub template: String,
    /// Their signatures, the most frequent first.
    pub signatures: Vec<&'a SignatureSummary>,
}

impl Alike<'_> {
    /// How often they were met together.
    pub fn failures(&self) -> u64 {
        self.signatures.iter().map(|it| it.failures).sum()
    }
}

/// The groups of two signatures or more, the largest first.
pub fn alike(analysis: &Analysis) -> Vec<Alike<'_>> {
    let mut tree = KindTree::default();
    let mut groups: BTreeMap<(Category, usize), Vec<&SignatureSummary>> = BTreeMap::new();
    for signature in &analysis.signatures {
        if let Some(excerpt) = &signature.excerpt {
            groups.entry((signature.category, tree.group_of(&coarse(excerpt)))).or_default().push(signature);
        }
    }
    let several = groups.into_iter().filter(|(_, members)| members.len() > 1);
    let mut alike: Vec<Alike<'_>> = several
        .map(|((category, group), signatures)| Alike { category, template: tree.template(group), signatures })
        .collect();
    alike.sort_by(|a, b| b.failures().cmp(&a.failures()).then_with(|| a.template.cmp(&b.template)));
    alike
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::alike;
    use crate::replay::{Analysis, SignatureSummary};

    fn signature(fine: &str, category: &str, excerpt: Option<&str>, failures: u64) -> SignatureSummary {
        let zero = json!({"calls": 0, "turns": 0, "wall_ms": 0, "tokens": crate::model::Usage::default()});
        let mut all = json!({"signature": fine, "coarse": fine, "class": "F2", "category": category, "operation": "make",
            "excerpt": excerpt, "failures": failures, "episodes": 1, "unresolved": 0, "sessions": 1, "first_ts": null,
            "last_ts": null});
        all.as_object_mut().unwrap().extend(zero.as_object().unwrap().clone());
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn signatures_of_one_template_stand_together_within_their_category() {
        let lines = [
            ("a1", "runtime_error", Some("lease of captain on pier 7 has run out"), 2),
            ("a2", "runtime_error", Some("lease of bosun on pier 9 has run out"), 3),
            ("a3", "config_or_state", Some("lease of cook on pier 9 has run out"), 9),
            ("a4", "runtime_error", Some("no light in the harbour"), 4),
            ("a5", "runtime_error", None, 4),
        ];
        let signatures = lines.map(|(fine, category, excerpt, n)| signature(fine, category, excerpt, n)).into();
        let mut analysis = Analysis { signatures, ..Analysis::default() };
        analysis.totals.failed = 18;
        let found = alike(&analysis);
        let [group] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((group.template.as_str(), group.failures()), ("lease of <*> on pier <n> has run out", 5));
        assert_eq!(group.signatures.len(), 2);
        let page = crate::report::markdown(&analysis, &crate::report::ReportLead::default());
        assert!(page.contains("| `lease of <*> on pier <n> has run out` | runtime error | 5 | 2 |"), "{page}");
    }
}
