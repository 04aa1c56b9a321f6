//! Grouping accuracy: whether lines of one template, and no others, have one normal form.

use std::collections::HashMap;

use serde::Serialize;

use super::Share;

/// How lines were grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Grouping {
    /// Lines whose predicted group holds exactly the lines of their true group.
    pub lines: Share,
    /// True groups.
    pub events: usize,
    /// Predicted groups.
    pub groups: usize,
}

/// Compares groups; a pair is a line's predicted and true group.
pub fn grouping<'a>(lines: &'a [(String, String)]) -> Grouping {
    let mut events: HashMap<&str, u32> = HashMap::new();
    let mut groups: HashMap<&str, (u32, Option<&str>)> = HashMap::new();
    for (group, event) in lines {
        *events.entry(event).or_default() += 1;
        let (size, of) = groups.entry(group).or_insert((0, Some(event)));
        *size += 1;
        *of = of.filter(|of| of == event);
    }
    let mut share = Share { right: 0, all: u32::try_from(lines.len()).unwrap_or(u32::MAX) };
    let whole = |(size, of): &&(u32, Option<&'a str>)| of.is_some_and(|event| events.get(event) == Some(size));
    share.right = groups.values().filter(whole).map(|(size, _)| size).sum();
    Grouping { lines: share, events: events.len(), groups: groups.len() }
}

#[cfg(test)]
mod tests {
    use super::{Grouping, grouping};
    use crate::score::Share;

    fn of(lines: &[(&str, &str)]) -> Grouping {
        let lines: Vec<_> = lines.iter().map(|(group, event)| ((*group).to_owned(), (*event).to_owned())).collect();
        grouping(&lines)
    }

    #[test]
    fn a_line_is_right_only_in_a_group_that_is_whole_and_pure() {
        let split = [("a1", "E1"), ("a2", "E1"), ("b", "E2"), ("b", "E2")];
        assert_eq!(of(&split), Grouping { lines: Share { right: 2, all: 4 }, events: 2, groups: 3 });
        let merged = [("a", "E1"), ("a", "E1"), ("a", "E2"), ("c", "E3")];
        assert_eq!(of(&merged), Grouping { lines: Share { right: 1, all: 4 }, events: 3, groups: 2 });
        // One stray line spoils its new group and the one it left.
        let stray = [("a", "E1"), ("b", "E1"), ("b", "E2"), ("c", "E3")];
        assert_eq!(of(&stray).lines, Share { right: 1, all: 4 });
        assert_eq!(of(&[]).lines, Share::default());
    }
}
