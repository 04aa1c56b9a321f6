//! Names that were probably meant: close in their letters, and the only one that is.

/// The only name that is close to the wanted one; None where several are as close, or none is.
pub(super) fn only_close<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut best: Option<(usize, &str)> = None;
    let mut is_tied = false;
    for name in names {
        if name == wanted {
            return None;
        }
        let Some(distance) = closeness(wanted, name) else { continue };
        match best {
            Some((least, other)) if distance == least => is_tied |= other != name,
            Some((least, _)) if distance > least => {}
            _ => (best, is_tied) = (Some((distance, name)), false),
        }
    }
    best.filter(|_| !is_tied).map(|(_, name)| name)
}

/// How far two names are apart, where they are close enough for one to have been meant by the other: 0 differ in case and
/// separators only, else the number of letters, at most a third of the longer name; one word inside another counts 3.
fn closeness(wanted: &str, name: &str) -> Option<usize> {
    /// Longer names than any that a person types.
    const LONGEST: usize = 200;
    if wanted.len() > LONGEST || name.len() > LONGEST || wanted.is_empty() || name.is_empty() {
        return None;
    }
    let (folded_wanted, folded_name) = (folded(wanted), folded(name));
    if folded_wanted == folded_name {
        return Some(0);
    }
    let longer = folded_wanted.len().max(folded_name.len());
    let distance = distance(&folded_wanted, &folded_name);
    if distance <= (longer / 3).clamp(1, 3) && longer >= 3 {
        return Some(distance);
    }
    // `tests` for `test:unit`: a whole part of the one is the other.
    let is_part =
        |whole: &str, part: &str| part.len() >= 3 && whole.split([':', '-', '_', '.', '/']).any(|p| p == part);
    (is_part(name, wanted) || is_part(wanted, name)).then_some(3)
}

/// How many letters two names are apart, whatever their case and separators.
pub(super) fn apart(a: &str, b: &str) -> Option<usize> {
    closeness(a, b)
}

fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|c| !"-_".contains(*c)).flat_map(char::to_lowercase).collect()
}

/// Letters to add, take out, change, or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        rows.rotate_left(1);
        let [before, last, row] = &mut rows;
        row.clear();
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let changed = at(last, j) + usize::from(x != y);
            let mut fewest = changed.min(at(last, j + 1) + 1).min(at(row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                fewest = fewest.min(at(before, j - 1) + 1);
            }
            row.push(fewest);
        }
    }
    rows[2].last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_was_meant() {
        for (wanted, names, meant) in [
            ("tests", &["test", "lint", "build"][..], Some("test")),
            ("tset", &["test", "lint"], Some("test")),
            ("gti", &["git", "gcc", "g++"], Some("git")),
            ("mian", &["main", "topic"], Some("main")),
            ("dryrun", &["dry-run", "run"], Some("dry-run")),
            ("unit", &["test:unit", "test:e2e"], Some("test:unit")),
            ("test", &["test:unit", "test:e2e"], None),
            ("deploy", &["test", "lint"], None),
            ("x", &["y"], None),
            ("main", &["main"], None),
            ("", &["a"], None),
        ] {
            assert_eq!(only_close(wanted, names.iter().copied()), meant, "{wanted}");
        }
    }
}
