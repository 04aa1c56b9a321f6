//! Names that were probably meant: close in their letters, and the only one that is.

/// Whether a name, however close, is that of another thing: a different number, or a different word between separators
/// (`backup-20261120`, `feat/y`, `min_size`), which no slip of the hand explains.
pub fn is_other(wanted: &str, name: &str) -> bool {
    let digits = |name: &str| {
        let mut digits: Vec<char> = name.chars().filter(char::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    let parts = |name: &str| {
        let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.map(folded).collect::<Vec<_>>()
    };
    let (own, others, number) = (parts(wanted), parts(name), digits(wanted));
    let is_word = |(own, other): (&Vec<char>, &Vec<char>)| distance(own, other) <= own.len().max(other.len()) / 3;
    !number.is_empty() && number != digits(name)
        || own.len() > 1 && own.len() == others.len() && !own.iter().zip(&others).all(is_word)
}

/// The only name that is close to the wanted one; None where several are as close, or none is.
pub fn only_close<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut best: Option<(usize, &str)> = None;
    let mut is_tied = false;
    for name in names {
        if name == wanted {
            return None;
        }
        let Some(distance) = apart(wanted, name).filter(|_| !is_other(wanted, name)) else { continue };
        match best {
            Some((least, other)) if distance == least => is_tied |= other != name,
            Some((least, _)) if distance > least => {}
            _ => (best, is_tied) = (Some((distance, name)), false),
        }
    }
    best.filter(|_| !is_tied).map(|(_, name)| name)
}

/// The only name that may have been meant: no other one is close at all, however far. None where the wanted name itself is
/// there. For who may say nothing that is only likely: names of one or two letters are all alike.
pub fn only_meant<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// Letters that a name needs before its ending.
    const LETTERS: usize = 3;
    let mut only = None;
    for name in names {
        if name == wanted || apart(wanted, name).is_some() && only.replace(name).is_some() {
            return None;
        }
    }
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).chars().count();
    only.filter(|name| stem(wanted) >= LETTERS && stem(name) >= LETTERS && !is_other(wanted, name))
}

/// How far two names are apart, where they are close enough for one to have been meant by the other: 0 differ in case and
/// separators only, else the number of letters, at most a third of the longer name; one word inside another counts 3.
pub fn apart(wanted: &str, name: &str) -> Option<usize> {
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
    let most = (longer / 3).clamp(1, 3);
    if longer >= 3 && least_distance(&folded_wanted, &folded_name) <= most {
        let distance = distance(&folded_wanted, &folded_name);
        if distance <= most {
            return Some(distance);
        }
    }
    // `tests` for `test:unit`: a whole part of the one is the other.
    let is_part =
        |whole: &str, part: &str| part.len() >= 3 && whole.split([':', '-', '_', '.', '/']).any(|p| p == part);
    (is_part(name, wanted) || is_part(wanted, name)).then_some(3)
}

/// The only name that begins as the wanted one does, for at least three letters and two thirds of the shorter: `docs` for
/// `documentation`, `numeric-sort` for `numerical`. Numbers are other names, but where one only goes on: `v1.2.0` for `v1.2`.
pub fn only_begun<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let begun = |name: &str| {
        let same = wanted.chars().zip(name.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        let bare = |text: &str| text.trim_start_matches('-').len();
        let (shorter, same) = (bare(wanted).min(bare(name)), same.saturating_sub(wanted.len() - bare(wanted)));
        (same >= 3 && same * 3 >= shorter * 2).then_some(same)
    };
    let goes_on = |name: &str| name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(['.', '-']));
    let mut best: Option<(usize, &str)> = None;
    let mut is_tied = false;
    for name in names {
        match (begun(name), best) {
            (Some(same), Some((most, other))) if same == most => is_tied |= other != name,
            (Some(same), Some((most, _))) if same < most => {}
            (Some(same), _) => (best, is_tied) = (Some((same, name)), false),
            (None, _) => {}
        }
    }
    let (_, name) = best.filter(|(_, name)| !is_tied && *name != wanted)?;
    (goes_on(name) || digits(wanted) == digits(name)).then_some(name)
}

fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|c| !"-_".contains(*c)).flat_map(char::to_lowercase).collect()
}

/// What the distance cannot fall below: the letters that only one of them has, in whatever order. Most names of a folder are
/// passed over by it, for less than the distance costs.
fn least_distance(a: &[char], b: &[char]) -> usize {
    // Two letters may share a place: that only lowers the bound.
    let mut counts = [0_i16; 64];
    let mut count = |letters: &[char], by: i16| {
        for letter in letters {
            if let Some(count) = counts.get_mut(*letter as usize % 64) {
                *count += by;
            }
        }
    };
    count(a, 1);
    count(b, -1);
    let sum = |sign: i16| counts.iter().map(|count| (count * sign).max(0)).sum::<i16>();
    usize::try_from(sum(1).max(sum(-1))).unwrap_or_default()
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_bound_passes_no_close_name_over(a in "[a-d\u{e9}Q]{0,12}", b in "[a-d\u{e9}Q]{0,12}") {
            let (a, b) = (folded(&a), folded(&b));
            prop_assert!(least_distance(&a, &b) <= distance(&a, &b));
        }
    }

    #[test]
    fn the_only_one_that_can_have_been_meant() {
        for (wanted, names, meant) in [
            ("tets", &["test", "lint"][..], Some("test")),
            ("mian.rs", &["main.rs", "lib.rs"], Some("main.rs")),
            ("Config.toml", &["config.toml"], Some("config.toml")),
            ("unit", &["test:unit", "lint"], Some("test:unit")),
            // Several are close, though one is closer.
            ("tests", &["test", "tests-e2e"], None),
            ("unit", &["test:unit", "lint:unit"], None),
            ("main.rs", &["main.rs", "mian.rs"], None),
            ("0005.sql", &["0004.sql"], None),
            ("step2.md", &["step3.md"], None),
            ("a.c", &["b.c"], None),
            ("deploy", &["test"], None),
            ("", &["a"], None),
        ] {
            assert_eq!(only_meant(wanted, names.iter().copied()), meant, "{wanted}");
        }
    }

    #[test]
    fn the_only_one_that_begins_so() {
        for (wanted, names, meant) in [
            ("documentation", &["docs", "clean", "all"][..], Some("docs")),
            ("--numerical", &["--numeric-sort", "--number", "--reverse"], Some("--numeric-sort")),
            ("v1.2", &["v1.1.0", "v1.2.0"], Some("v1.2.0")),
            ("v1.2", &["v1.20"], None),
            ("test", &["test:unit", "test:e2e"], None),
            ("deploy", &["deployed", "deploys"], None),
            ("do", &["docs"], None),
        ] {
            assert_eq!(only_begun(wanted, names.iter().copied()), meant, "{wanted}");
        }
    }

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
