//! In what few ways the file's text may differ from that of the edit.

use std::collections::BTreeMap;
use std::ops::Range;

use super::folded::plain;
use crate::model::{Difference, Unit, indentation};

/// How many spaces a tab may stand for.
const WIDTHS: [usize; 4] = [4, 2, 8, 3];
/// The most lines that are named for one difference.
const NAMED: usize = 3;

/// A line of the file and the same line of the edit, without their line ends.
#[derive(Clone, Copy)]
struct Pair<'a> {
    number: u64,
    own: &'a str,
    given: &'a str,
}

impl Pair<'_> {
    fn is_blank(&self) -> bool {
        self.given.trim().is_empty()
    }

    /// What both begin with.
    fn indents(&self) -> (&str, &str) {
        (indentation(self.own).0, indentation(self.given).0)
    }

    /// The white space that ends both.
    fn trails(&self) -> (&str, &str) {
        let trail = |line: &str| line.len() - line.trim_end().len();
        let of = |line| -> &str { str::get(line, line.len() - trail(line)..).unwrap_or_default() };
        (of(self.own), of(self.given))
    }
}

/// What may make `given` the text at a place of the file, the plainest first; to be tried. Nothing where the lines are not
/// the same.
pub(super) fn possible_differences(text: &str, place: &Range<usize>, given: &str, first: u64) -> Vec<Vec<Difference>> {
    let core = given.trim();
    let lead = given.len() - given.trim_start().len();
    let (own_lines, own_is_cut) = lines_around(text, place);
    let (given_lines, _) = lines_around(given, &(lead..lead + core.len()));
    if own_lines.len() != given_lines.len() {
        return Vec::new();
    }
    let ends = line_ends(text, place, given);
    let numbered = (first..).zip(own_lines.iter().zip(&given_lines));
    let without_cr = |line: &&'_ str| -> usize { line.strip_suffix('\r').unwrap_or(line).len() };
    let pairs: Vec<Pair<'_>> = numbered
        .map(|(number, (own, given))| Pair {
            number,
            own: own.get(..without_cr(own)).unwrap_or_default(),
            given: given.get(..without_cr(given)).unwrap_or_default(),
        })
        .collect();
    let Some(signs) = signs(&pairs) else { return Vec::new() };
    // Where the edit's text ends within a line, what the file has behind it is no matter.
    let ends_within = given.get(lead + core.len()..).is_none_or(|tail| !tail.contains('\n'));
    let Some(trails) = trails(&pairs, ends_within) else { return Vec::new() };
    let rest: Vec<Difference> = signs.into_iter().chain(trails).chain(ends).collect();
    // Where the edit's text begins within a line, its first line has no indentation that could differ.
    let is_open = own_is_cut || pairs.first().is_some_and(|pair| pair.indents().1.is_empty());
    let moved = indents(&pairs, own_is_cut, is_open);
    moved.into_iter().map(|moved| moved.into_iter().chain(rest.clone()).collect()).collect()
}

/// The whole lines around a place, and whether other text comes before it in its first line. What comes behind it is cut.
fn lines_around<'t>(text: &'t str, place: &Range<usize>) -> (Vec<&'t str>, bool) {
    let before = text.get(..place.start).unwrap_or_default();
    let from = before.rfind('\n').map_or(0, |at| at + 1);
    let is_cut = !before.get(from..).unwrap_or_default().trim().is_empty();
    let behind = text.get(place.end..).unwrap_or_default();
    let rest = behind.split('\n').next().unwrap_or_default();
    let to = if rest.trim().is_empty() { place.end + rest.len() } else { place.end };
    let from = if is_cut { place.start } else { from };
    (text.get(from..to).unwrap_or_default().split('\n').collect(), is_cut)
}

/// The other line ends, where all lines of both have one kind.
fn line_ends(text: &str, place: &Range<usize>, given: &str) -> Option<Difference> {
    let behind = text.get(place.end..)?;
    let end = behind.find('\n').map_or(text.len(), |at| place.end + at + 1);
    let all = |text: &str| {
        let (ends, crlf) = (text.matches('\n').count(), text.matches("\r\n").count());
        (ends > 0 && (crlf == 0 || crlf == ends)).then_some(crlf > 0)
    };
    match (all(text.get(place.start..end)?)?, all(given)?) {
        (true, false) => Some(Difference::Crlf),
        (false, true) => Some(Difference::Lf),
        _ => None,
    }
}

/// The characters that differ within lines; None where more does than one white space or typographic character for another.
fn signs(pairs: &[Pair<'_>]) -> Option<Vec<Difference>> {
    let mut met: BTreeMap<(char, char), Vec<u64>> = BTreeMap::new();
    for pair in pairs {
        let (own, given) = (pair.own.trim(), pair.given.trim());
        let mut others = given.chars();
        for file in own.chars() {
            let given = others.next()?;
            let is_alike = file.is_whitespace() && given.is_whitespace() || plain(file) == plain(given);
            is_alike.then_some(())?;
            if file != given {
                let lines = met.entry((file, given)).or_default();
                if lines.last() != Some(&pair.number) {
                    lines.push(pair.number);
                }
            }
        }
        others.next().is_none().then_some(())?;
    }
    let named = |lines: Vec<u64>| if lines.len() > NAMED { Vec::new() } else { lines };
    let signs = met.into_iter().map(|((file, given), lines)| Difference::Sign { file, given, lines: named(lines) });
    Some(signs.collect::<Vec<_>>()).filter(|signs| signs.len() <= NAMED)
}

/// The white space that ends lines; None where that takes too many words.
fn trails(pairs: &[Pair<'_>], ends_within: bool) -> Option<Vec<Difference>> {
    let last = pairs.last().map(|pair| pair.number).filter(|_| ends_within);
    let is_open = |pair: &Pair<'_>| Some(pair.number) == last && pair.trails().1.is_empty();
    let differing = || pairs.iter().filter(|pair| !is_open(pair) && pair.trails().0 != pair.trails().1);
    if differing().all(|pair| pair.trails().0.is_empty()) {
        return Some(if differing().next().is_some() { vec![Difference::NoTrailing] } else { Vec::new() });
    }
    let trailing = |pair: &Pair<'_>| {
        let (own, given) = pair.trails();
        let (unit, count) = Unit::of(own).filter(|_| given.is_empty())?;
        Some(Difference::Trailing { line: pair.number, unit, count })
    };
    differing().map(trailing).collect::<Option<Vec<_>>>().filter(|trails| trails.len() <= NAMED)
}

/// The ways in which the indentation of the lines may differ, the plainest first. `is_cut` is whether the first line has none
/// in the file, `is_open` whether it need not be that of the file.
fn indents(pairs: &[Pair<'_>], is_cut: bool, is_open: bool) -> Vec<Vec<Difference>> {
    let first = pairs.first().map(|pair| pair.number).filter(|_| is_open);
    let pairs = pairs.iter().skip(usize::from(is_cut)).filter(|pair| !pair.is_blank());
    let pairs: Vec<Pair<'_>> = pairs.copied().collect();
    let tabs = WIDTHS.map(|spaces| Some(Difference::TabForSpaces { spaces }));
    let spaces = WIDTHS.map(|spaces| Some(Difference::SpacesForTab { spaces }));
    let ways = [None].into_iter().chain(tabs).chain(spaces);
    let mut found: Vec<Vec<Difference>> = ways
        .filter_map(|way| {
            let mut moved = offset(&pairs, way.as_ref(), first)?;
            if let Some(Difference::Deeper { except, .. } | Difference::Shallower { except, .. }) = moved.first_mut() {
                except.extend(first.filter(|_| is_cut));
            }
            Some(way.into_iter().chain(moved).collect())
        })
        .collect();
    found.sort_by_key(Vec::len);
    found
}

/// By what the lines begin with more or less, after their indentation was converted, but for a few that begin as given. None
/// where they differ in that; the line `first` may.
fn offset(pairs: &[Pair<'_>], way: Option<&Difference>, first: Option<u64>) -> Option<Vec<Difference>> {
    let mut met: Vec<(Option<Difference>, Vec<u64>)> = Vec::new();
    for pair in pairs {
        let (own, given) = pair.indents();
        let given = match way {
            Some(way) => way.converted(given)?,
            None => given.to_owned(),
        };
        let one = match (own.strip_suffix(&*given), given.strip_suffix(own)) {
            (Some(""), _) => None,
            (Some(more), _) => {
                Some(Unit::of(more).map(|(unit, count)| Difference::Deeper { unit, count, except: Vec::new() })?)
            }
            (_, Some(less)) => {
                Some(Unit::of(less).map(|(unit, count)| Difference::Shallower { unit, count, except: Vec::new() })?)
            }
            _ => return None,
        };
        let count = met.len();
        match met.iter_mut().find(|(known, _)| *known == one) {
            Some((_, lines)) => lines.push(pair.number),
            None if count == NAMED => return None,
            None => met.push((one, vec![pair.number])),
        }
    }
    met.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.len()));
    let mut met = met.into_iter();
    let Some((mut most, _)) = met.next() else { return Some(Vec::new()) };
    let mut others = Vec::new();
    for (one, lines) in met {
        let is_first = lines.iter().all(|line| Some(*line) == first);
        (one.is_none() || is_first).then(|| others.extend(lines))?;
    }
    match &mut most {
        Some(Difference::Deeper { except, .. } | Difference::Shallower { except, .. }) if others.len() < NAMED => {
            others.sort_unstable();
            *except = others;
        }
        _ if others.iter().all(|line| Some(*line) == first) => {}
        _ => return None,
    }
    Some(most.into_iter().collect())
}
