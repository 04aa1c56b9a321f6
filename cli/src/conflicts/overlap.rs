//! Whether two nodes are in each other's way, from what they plan and from what they changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use super::policy::Compatibility;
use super::{ConflictKind, Layer, Overlap};
use crate::history::{absolute, covers, is_ignored};

/// The most files and functions that a finding names.
const MOST_NAMED: usize = 32;
/// The most works with other functions in a file that are mentioned with one of them.
const MOST_MENTIONED: usize = 8;
/// How sure it is that nodes which name the same file share it.
const SAME_FILE: f64 = 1.0;
/// How sure a comparison of functions is: names are matched, the language is not parsed.
const BY_FUNCTIONS: f64 = 0.85;

/// A part of the project that a node plans to touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPaths {
    /// A file, or a folder for all in it, relative to the project.
    pub path: String,
    /// The functions in it; empty for the whole file.
    pub functions: Vec<String>,
}

/// What a node plans and did, in paths relative to the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeWork {
    /// What it plans to touch, shared with the tree: there may be thousands of nodes.
    pub planned: Arc<[PlannedPaths]>,
    /// What it really changed.
    pub changed: Vec<String>,
}

impl NodeWork {
    /// Whether the node plans or changed this file.
    pub fn names(&self, file: &str) -> bool {
        self.planned.iter().any(|planned| covers(&planned.path, file)) || self.changed.iter().any(|path| path == file)
    }
}

/// What two nodes share.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedWork {
    /// How deep they are in each other's way.
    pub layer: Layer,
    /// What they share.
    pub kind: ConflictKind,
    /// Where.
    pub overlap: Overlap,
    /// How sure that is.
    pub confidence: f64,
}

/// What two nodes share in one file.
enum Shared {
    /// The file, and nothing more is known.
    File,
    /// These functions, or a region without a name.
    Functions(Vec<String>),
    /// The file, with different functions.
    Other,
}

/// Compares two nodes. Files that tools write, and those that `ignored` names, do not count. `regions` tells of a file
/// that both changed whether their changes meet; None where nobody knows.
pub fn compare(
    one: &NodeWork,
    other: &NodeWork,
    ignored: &[String],
    regions: impl Fn(&str) -> Option<bool>,
) -> Option<SharedWork> {
    let touched = Touched::of([one, other], ignored);
    let met = touched.met_by(0, |_| true);
    shared_work(met.get(&1)?, regions)
}

/// Who touches what of some works, by path: whom a work meets is found by its paths, without a look at all the others.
#[derive(Debug)]
pub struct Touched {
    places: BTreeMap<Arc<str>, TouchedPath>,
    /// The paths of each work.
    paths: Vec<Vec<Arc<str>>>,
}

/// A path that is touched.
#[derive(Debug)]
struct TouchedPath {
    /// Whether it is nobody's: written by tools, or ignored by a setting.
    is_ignored: bool,
    /// By whom, in the works' order.
    by: Vec<Touch>,
    /// By function the places in `by` that name it, in order, and the places of those that name none.
    named: Vec<(Arc<str>, usize)>,
    whole: Vec<usize>,
}

/// What one work does at a path.
#[derive(Debug)]
struct Touch {
    work: usize,
    /// The functions that it names, in order; empty for the whole file.
    functions: Box<[Arc<str>]>,
    /// Whether it changed the path already.
    has_changed: bool,
}

/// A file that two works touch: one of them may name a folder above it.
#[derive(Debug, Clone, Copy)]
pub struct Meeting<'a> {
    file: &'a str,
    functions: [&'a [Arc<str>]; 2],
    /// Whether both changed the file already: only then can it be compared line by line.
    both_changed: bool,
}

impl Touched {
    /// What these works touch; they are numbered from 0. Files that tools write, and those that `ignored` names, are no
    /// place to meet.
    pub fn of<'a>(works: impl IntoIterator<Item = &'a NodeWork>, ignored: &[String]) -> Self {
        let mut touched = Self { places: BTreeMap::new(), paths: Vec::new() };
        let mut names: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut shared = |name: &str| {
            let known = names.get(name).map_or_else(|| name.into(), Arc::clone);
            names.insert(Arc::clone(&known));
            known
        };
        for (number, work) in works.into_iter().enumerate() {
            let own = work.touched();
            let mut paths = Vec::with_capacity(own.len());
            let changed: BTreeSet<String> = work.changed.iter().map(|path| absolute(path, None)).collect();
            for (path, functions) in own {
                let has_changed = changed.contains(&path);
                let known = touched.places.get_key_value(path.as_str()).map(|(path, _)| Arc::clone(path));
                let path = known.unwrap_or_else(|| path.into());
                paths.push(Arc::clone(&path));
                let new = |path: &Arc<str>| TouchedPath {
                    is_ignored: is_ignored(path, ignored),
                    by: Vec::new(),
                    named: Vec::new(),
                    whole: Vec::new(),
                };
                let place = touched.places.entry(path).or_insert_with_key(new);
                let functions: Box<[Arc<str>]> = functions.iter().map(|name| shared(name)).collect();
                place.named.extend(functions.iter().map(|name| (Arc::clone(name), place.by.len())));
                place.whole.extend(functions.is_empty().then_some(place.by.len()));
                place.by.push(Touch { work: number, functions, has_changed });
            }
            touched.paths.push(paths);
        }
        touched.places.values_mut().for_each(|place| place.named.sort_unstable());
        touched
    }

    /// The `wanted` works that touch a file which this one touches too, by number, with where they meet.
    pub fn met_by(&self, work: usize, wanted: impl Fn(usize) -> bool) -> BTreeMap<usize, Vec<Meeting<'_>>> {
        let mut met: BTreeMap<usize, Vec<Meeting<'_>>> = BTreeMap::new();
        for path in self.paths.get(work).into_iter().flatten() {
            let Some((path, place)) = self.places.get_key_value(path) else { continue };
            let Some(own) = place.touch_of(work) else { continue };
            // Of two paths the deeper one is the file.
            let above = covering(path).filter_map(|above| self.places.get(above)).map(|above| (path, place, above));
            let below = self.below(path).map(|(below, place)| (below, place, place));
            for (file, of_file, place) in above.chain(below).filter(|(_, of_file, _)| !of_file.is_ignored) {
                for other in place.by.iter().filter(|other| other.work != work && wanted(other.work)) {
                    let both_changed = [work, other.work].iter().all(|work| of_file.is_changed_by(*work));
                    let functions = [&*own.functions, &*other.functions];
                    met.entry(other.work).or_default().push(Meeting { file, functions, both_changed });
                }
            }
        }
        met
    }

    /// Of the works before this one those that it has to be told apart from, by number, with where they meet: at each place the
    /// last one that is in the way of all that the others there are in the way of. So many works that touch one file are a
    /// line and no net. `stands` says of another work whether it may run at the same time (true), comes first anyway (false)
    /// or is no neighbour. At most `steps` are looked at.
    pub fn met_before(
        &self,
        work: usize,
        steps: &mut usize,
        stands: impl Fn(usize) -> Option<bool>,
    ) -> BTreeMap<usize, Vec<Meeting<'_>>> {
        let mut met: BTreeMap<usize, Vec<Meeting<'_>>> = BTreeMap::new();
        for path in self.paths.get(work).into_iter().flatten() {
            let Some((path, place)) = self.places.get_key_value(path) else { continue };
            let Some(own) = place.touch_of(work) else { continue };
            let above = covering(path).filter_map(|above| self.places.get(above));
            let above = above.map(|above| (path, place, above, true));
            let below = self.below(path).map(|(below, place)| (below, place, place, false));
            // What comes before this one is behind it already.
            let mut floor = None;
            for (file, of_file, place, is_above) in above.chain(below).filter(|(_, of_file, ..)| !of_file.is_ignored) {
                let mut at = place.by.partition_point(|touch| touch.work < work);
                let mut mentioned = 0;
                loop {
                    // Of those that plan other functions the nearest are mentioned; behind them only who is in the way counts.
                    let is_any = own.functions.is_empty() || mentioned < MOST_MENTIONED;
                    let before = if is_any { at.checked_sub(1) } else { place.related_before(at, &own.functions) };
                    let Some((before, other)) = before.and_then(|at| Some((at, place.by.get(at)?))) else { break };
                    at = before;
                    *steps = steps.saturating_sub(1);
                    if *steps == 0 || floor.is_some_and(|floor| other.work <= floor) {
                        break;
                    }
                    let Some(is_free) = stands(other.work) else { continue };
                    let both_changed = [work, other.work].iter().all(|work| of_file.is_changed_by(*work));
                    let functions = [&*own.functions, &*other.functions];
                    let is_whole = functions.iter().any(|functions| functions.is_empty());
                    let names = |function: &Arc<str>| other.functions.binary_search(function).is_ok();
                    let is_apart = !is_whole && !own.functions.iter().any(names);
                    mentioned += usize::from(is_free && is_apart);
                    if is_free {
                        met.entry(other.work).or_default().push(Meeting { file, functions, both_changed });
                    }
                    let covers = other.functions.is_empty() || !is_whole && own.functions.iter().all(names);
                    if covers && !both_changed {
                        floor = if is_above { floor.max(Some(other.work)) } else { floor };
                        break;
                    }
                }
            }
        }
        met
    }

    /// The places below a folder.
    fn below(&self, folder: &str) -> impl Iterator<Item = (&Arc<str>, &TouchedPath)> {
        let prefix = if folder.ends_with('/') { folder.to_owned() } else { format!("{folder}/") };
        let behind = self.places.range::<str, _>((Bound::Excluded(prefix.as_str()), Bound::Unbounded));
        behind.take_while(move |(path, _)| path.starts_with(&prefix))
    }
}

impl TouchedPath {
    fn touch_of(&self, work: usize) -> Option<&Touch> {
        let at = self.by.binary_search_by_key(&work, |touch| touch.work).ok()?;
        self.by.get(at)
    }

    /// The last touch before one that names the whole file or one of these functions.
    fn related_before(&self, at: usize, functions: &[Arc<str>]) -> Option<usize> {
        let last = |name: &Arc<str>| {
            let behind = self.named.partition_point(|(own, place)| (own, *place) < (name, at));
            self.named.get(behind.checked_sub(1)?).filter(|(own, _)| own == name).map(|(_, place)| *place)
        };
        let whole = self.whole.partition_point(|place| *place < at).checked_sub(1);
        let whole = whole.and_then(|behind| self.whole.get(behind)).copied();
        functions.iter().filter_map(last).chain(whole).max()
    }

    fn is_changed_by(&self, work: usize) -> bool {
        self.touch_of(work).is_some_and(|touch| touch.has_changed)
    }
}

/// A path and the folders above it: all that [`covers`] it.
fn covering(path: &str) -> impl Iterator<Item = &str> {
    let above = path.rmatch_indices('/').filter_map(|(at, _)| path.get(..at.max(1)));
    std::iter::once(path).chain(above.filter(move |above| *above != path))
}

/// What two works share, from where they meet. `regions` tells of a file that both changed whether their changes meet; None
/// where nobody knows.
pub fn shared_work(meetings: &[Meeting<'_>], regions: impl Fn(&str) -> Option<bool>) -> Option<SharedWork> {
    let mut shared: BTreeMap<&str, Shared> = BTreeMap::new();
    for Meeting { file, functions: [one, other], both_changed } in meetings {
        let regions = || if *both_changed { regions(file) } else { None };
        merge(&mut shared, file, in_file(one, other, regions));
    }
    finding(&shared)
}

impl NodeWork {
    /// Every path with its functions. A changed file that the plan names keeps the plan's functions.
    fn touched(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut touched: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut whole = BTreeSet::new();
        for PlannedPaths { path, functions } in &*self.planned {
            let path = absolute(path, None);
            if functions.is_empty() {
                whole.insert(path.clone());
            }
            touched.entry(path).or_default().extend(functions.iter().map(|name| plain_name(name).to_owned()));
        }
        for path in &self.changed {
            touched.entry(absolute(path, None)).or_default();
        }
        // A plan that names the file as a whole somewhere means the whole file.
        touched.iter_mut().filter(|(path, _)| whole.contains(*path)).for_each(|(_, functions)| functions.clear());
        touched.remove("");
        touched
    }
}

fn in_file(one: &[Arc<str>], other: &[Arc<str>], regions: impl Fn() -> Option<bool>) -> Shared {
    if one.is_empty() || other.is_empty() {
        return match regions() {
            Some(true) => Shared::Functions(Vec::new()),
            Some(false) => Shared::Other,
            None => Shared::File,
        };
    }
    let both: Vec<String> = one.iter().filter(|name| other.contains(name)).map(ToString::to_string).collect();
    if both.is_empty() { Shared::Other } else { Shared::Functions(both) }
}

/// A file that was met twice, by way of a folder, keeps the stronger finding; of functions all that were met.
fn merge<'a>(shared: &mut BTreeMap<&'a str, Shared>, file: &'a str, found: Shared) {
    let rank = |shared: &Shared| match shared {
        Shared::File => 2,
        Shared::Functions(_) => 1,
        Shared::Other => 0,
    };
    match (shared.get_mut(file), found) {
        (Some(Shared::Functions(known)), Shared::Functions(more)) => {
            known.extend(more);
            known.sort_unstable();
            known.dedup();
        }
        (Some(known), found) if rank(known) >= rank(&found) => {}
        (_, found) => {
            shared.insert(file, found);
        }
    }
}

/// A file of which nothing more is known decides: what cannot be told apart is taken for the same.
fn finding(shared: &BTreeMap<&str, Shared>) -> Option<SharedWork> {
    if shared.is_empty() {
        return None;
    }
    let files = |is: fn(&Shared) -> bool| -> Vec<String> {
        shared.iter().filter(|(_, shared)| is(shared)).map(|(file, _)| (*file).to_owned()).take(MOST_NAMED).collect()
    };
    let as_a_whole = files(|shared| matches!(shared, Shared::File));
    if !as_a_whole.is_empty() {
        let overlap = Overlap { files: as_a_whole, functions: None };
        return Some(SharedWork { layer: Layer::L1, kind: ConflictKind::FileOverlap, overlap, confidence: SAME_FILE });
    }
    let mut functions = BTreeSet::new();
    for found in shared.values() {
        if let Shared::Functions(names) = found {
            functions.extend(names.iter().cloned());
        }
    }
    let met = files(|shared| matches!(shared, Shared::Functions(_)));
    let (kind, files) = if met.is_empty() {
        (ConflictKind::OtherFunctions, files(|_| true))
    } else {
        (ConflictKind::FunctionOverlap, met)
    };
    let functions = Some(functions.into_iter().take(MOST_NAMED).collect());
    Some(SharedWork { layer: Layer::L2, kind, overlap: Overlap { files, functions }, confidence: BY_FUNCTIONS })
}

/// A function's own name: `Ledger::append(self)` is `append`.
fn plain_name(function: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = function.split('(').next().unwrap_or(function).trim_end_matches(|c| !is_word(c));
    name.rsplit(|c| !is_word(c)).next().unwrap_or(name)
}

/// A file that a node changed, by what git and the history tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The file, relative to the project.
    pub path: String,
    /// The names that the changed lines and what encloses them hold; None where they cannot be read.
    pub names: Option<BTreeSet<String>>,
    /// Whether the history tells of another node that changed it, and not of this one.
    pub by_another: bool,
}

impl ChangedFile {
    /// A file that surely was changed, nobody knows where in it.
    pub fn whole(path: &str) -> Self {
        Self { path: path.to_owned(), names: None, by_another: false }
    }
}

/// Whether a plan fits what the blocker really changed, and the files in which it does not or in which nobody knows.
/// None instead of changes means that git cannot tell.
pub fn compatibility(
    planned: &[PlannedPaths],
    changes: Option<&[ChangedFile]>,
    ignored: &[String],
) -> (Compatibility, Vec<String>) {
    let Some(changes) = changes else { return (Compatibility::Unknown, Vec::new()) };
    if planned.is_empty() {
        // A plan that names no file may touch any.
        return (Compatibility::Unknown, Vec::new());
    }
    let met: Vec<&ChangedFile> = changes
        .iter()
        .filter(|change| !is_ignored(&change.path, ignored) && planned.iter().any(|planned| planned.meets(change)))
        .collect();
    let files = |met: &[&ChangedFile]| met.iter().map(|change| change.path.clone()).take(MOST_NAMED).collect();
    if met.is_empty() {
        return (Compatibility::Compatible, Vec::new());
    }
    // Where the history says that somebody else changed a file, git's word for the whole worktree proves nothing.
    let own: Vec<&ChangedFile> = met.iter().copied().filter(|change| !change.by_another).collect();
    if own.is_empty() { (Compatibility::Unknown, files(&met)) } else { (Compatibility::Overlapping, files(&own)) }
}

impl PlannedPaths {
    fn meets(&self, change: &ChangedFile) -> bool {
        if !covers(&absolute(&self.path, None), &absolute(&change.path, None)) {
            return false;
        }
        match &change.names {
            Some(names) if !self.functions.is_empty() => {
                self.functions.iter().any(|function| names.contains(plain_name(function)))
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan(items: &[(&str, &[&str])]) -> Vec<PlannedPaths> {
        let planned = |(path, functions): &(&str, &[&str])| PlannedPaths {
            path: (*path).to_owned(),
            functions: functions.iter().map(|name| (*name).to_owned()).collect(),
        };
        items.iter().map(planned).collect()
    }

    fn work(items: &[(&str, &[&str])], changed: &[&str]) -> NodeWork {
        NodeWork { planned: plan(items).into(), changed: changed.iter().map(|path| (*path).to_owned()).collect() }
    }

    fn found(one: &NodeWork, other: &NodeWork) -> Option<(Layer, ConflictKind, Vec<String>)> {
        compare(one, other, &["gen".to_owned()], |_| None).map(|found| (found.layer, found.kind, found.overlap.files))
    }

    #[test]
    fn the_same_file_is_l1_and_different_files_are_nothing() {
        let one = work(&[("src/a.rs", &[])], &[]);
        let a = || vec!["src/a.rs".to_owned()];
        let l1 = Some((Layer::L1, ConflictKind::FileOverlap, a()));
        assert_eq!(found(&one, &work(&[("./src/a.rs", &[])], &[])), l1);
        assert_eq!(found(&one, &work(&[("src/", &[])], &[])), l1, "a folder covers its files");
        assert_eq!(found(&one, &work(&[], &["src/a.rs"])), l1, "what was changed counts without a plan");
        assert_eq!(found(&one, &work(&[("src/a.rs", &["f"])], &[])), l1, "one side names no function");
        assert_eq!(found(&one, &work(&[("src/b.rs", &[]), ("src/a.rs.bak", &[])], &[])), None);
        assert_eq!(found(&one, &NodeWork::default()), None);
    }

    /// The predecessor compared a file with itself, so that any two tasks on one file shared a function.
    #[test]
    fn the_same_file_with_other_functions_is_the_weaker_conflict() {
        let one = work(&[("src/a.rs", &["Book::open", "close()"])], &["src/a.rs"]);
        let other = |functions: &'static [&'static str]| work(&[("src/a.rs", functions)], &[]);
        let weaker = compare(&one, &other(&["read", "write"]), &[], |_| None).unwrap();
        assert_eq!((weaker.layer, weaker.kind), (Layer::L2, ConflictKind::OtherFunctions));
        let strong = compare(&one, &other(&["read", "open"]), &[], |_| None).unwrap();
        assert_eq!((strong.layer, strong.kind), (Layer::L2, ConflictKind::FunctionOverlap));
        assert_eq!(strong.overlap.functions.unwrap(), ["open"]);
    }

    #[test]
    fn changed_regions_tell_apart_what_no_plan_names() {
        let (one, other) = (work(&[], &["a.py"]), work(&[], &["a.py"]));
        let kind = |regions| compare(&one, &other, &[], |_| regions).unwrap().kind;
        assert_eq!(kind(Some(true)), ConflictKind::FunctionOverlap);
        assert_eq!(kind(Some(false)), ConflictKind::OtherFunctions);
        assert_eq!(kind(None), ConflictKind::FileOverlap);
    }

    /// Each names a function of its own, so that none hides those before it.
    #[test]
    fn works_with_other_functions_in_a_file_are_not_all_looked_at() {
        let works: Vec<NodeWork> = (0..2000)
            .map(|at| {
                let far = if matches!(at, 4 | 1999) { "far".to_owned() } else { format!("f{at}") };
                let functions = vec![far, format!("g{}", at / 10)];
                NodeWork { planned: [PlannedPaths { path: "a".to_owned(), functions }].into(), changed: Vec::new() }
            })
            .collect();
        let touched = Touched::of(&works, &[]);
        let mut steps = 100_000;
        let met: Vec<Vec<usize>> = (0..works.len())
            .map(|at| touched.met_before(at, &mut steps, |other| Some(other % 2 == 0)).into_keys().collect())
            .collect();
        assert!(steps > 0);
        let nearest = |from: usize| (from..).step_by(2).take(8);
        let own = |from: usize| (from..).step_by(2);
        assert_eq!(met[1005], nearest(984).chain(own(1000).take(3)).collect::<Vec<_>>());
        let behind = std::iter::once(4).chain(nearest(1974)).chain(own(1990).take(5));
        assert_eq!(met[1999], behind.collect::<Vec<_>>(), "however far the one is that names the same");
    }

    #[test]
    fn a_file_of_which_nothing_is_known_outweighs_the_others() {
        let one = work(&[("a", &["f"]), ("b", &[])], &[]);
        let other = work(&[("a", &["f"]), ("b", &[])], &[]);
        assert_eq!(found(&one, &other), Some((Layer::L1, ConflictKind::FileOverlap, vec!["b".to_owned()])));
    }

    #[test]
    fn generated_and_ignored_files_are_nobodys() {
        let one = work(&[("Cargo.lock", &[]), ("gen/a.ts", &[]), ("web/dist/x.js", &[])], &[]);
        assert_eq!(found(&one, &one.clone()), None);
    }

    fn change(path: &str, names: Option<&[&str]>, by_another: bool) -> ChangedFile {
        let names = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        ChangedFile { path: path.to_owned(), names, by_another }
    }

    #[test]
    fn compatibility_compares_the_blockers_changes_with_the_frozen_plan() {
        let planned = plan(&[("src/a.rs", &["open"]), ("docs", &[])]);
        let answer = |changes: &[ChangedFile]| compatibility(&planned, Some(changes), &[]).0;
        assert_eq!(answer(&[]), Compatibility::Compatible);
        assert_eq!(answer(&[change("src/b.rs", None, false)]), Compatibility::Compatible);
        assert_eq!(answer(&[change("src/a.rs", Some(&["close"]), false)]), Compatibility::Compatible);
        assert_eq!(answer(&[change("src/a.rs", Some(&["close", "open"]), false)]), Compatibility::Overlapping);
        assert_eq!(answer(&[change("src/a.rs", None, false)]), Compatibility::Overlapping);
        assert_eq!(answer(&[change("docs/x.md", Some(&[]), false)]), Compatibility::Overlapping);
        assert_eq!(answer(&[change("docs/Cargo.lock", None, false)]), Compatibility::Compatible);
    }

    #[test]
    fn what_git_cannot_tell_is_never_compatible() {
        let planned = plan(&[("src/a.rs", &[])]);
        assert_eq!(compatibility(&planned, None, &[]).0, Compatibility::Unknown);
        assert_eq!(compatibility(&[], Some(&[]), &[]).0, Compatibility::Unknown);
        let another = change("src/a.rs", None, true);
        assert_eq!(compatibility(&planned, Some(std::slice::from_ref(&another)), &[]).0, Compatibility::Unknown);
        let own = change("src/a.rs", None, false);
        let answer = compatibility(&planned, Some(&[another, own]), &[]);
        assert_eq!(answer.0, Compatibility::Overlapping);
    }

    /// Each path of one against each of the other, as the words above say it.
    fn one_by_one(one: &NodeWork, other: &NodeWork, ignored: &[String]) -> Option<SharedWork> {
        let mut shared: BTreeMap<&str, Shared> = BTreeMap::new();
        let (own, others) = (one.touched(), other.touched());
        let shared_names = |names: &BTreeSet<String>| names.iter().map(|name| name.as_str().into()).collect::<Vec<_>>();
        for (path, functions) in &own {
            for (other_path, other_functions) in &others {
                let file = if covers(path, other_path) { other_path } else { path };
                let do_meet = covers(path, other_path) || covers(other_path, path);
                if do_meet && !is_ignored(file, ignored) {
                    merge(
                        &mut shared,
                        file,
                        in_file(&shared_names(functions), &shared_names(other_functions), || None),
                    );
                }
            }
        }
        finding(&shared)
    }

    fn works() -> impl Strategy<Value = Vec<NodeWork>> {
        let path = "(/|[ab.-]{1,2}|gen|/?[ab]{1,2}(/[ab0.-]{1,2}){0,2}|Cargo.lock)";
        let planned = (path, prop::collection::vec("[fgh]", 0..3));
        let planned = planned.prop_map(|(path, functions)| PlannedPaths { path, functions });
        let work = (prop::collection::vec(planned, 0..5), prop::collection::vec(path, 0..3));
        prop::collection::vec(work.prop_map(|(planned, changed)| NodeWork { planned: planned.into(), changed }), 2..7)
    }

    proptest! {
        #[test]
        fn whom_a_work_meets_is_what_comparing_each_with_each_finds(works in works()) {
            let ignored = ["gen".to_owned()];
            let touched = Touched::of(&works, &ignored);
            for (number, one) in works.iter().enumerate() {
                let met = touched.met_by(number, |_| true);
                for (other, two) in works.iter().enumerate().filter(|(other, _)| *other != number) {
                    let found = met.get(&other).and_then(|met| shared_work(met, |_| None));
                    prop_assert_eq!(found, one_by_one(one, two, &ignored), "{:?} {:?}", one, two);
                }
                prop_assert!(!met.contains_key(&number));
            }
        }

        #[test]
        fn it_does_not_matter_who_is_asked_first(
            one in prop::collection::vec(("[ab]{1,2}(/[ab])?", prop::collection::vec("[fgh]", 0..3)), 0..4),
            other in prop::collection::vec(("[ab]{1,2}(/[ab])?", prop::collection::vec("[fgh]", 0..3)), 0..4),
        ) {
            let work = |items: Vec<(String, Vec<String>)>| NodeWork {
                planned: items.into_iter().map(|(path, functions)| PlannedPaths { path, functions }).collect(),
                changed: Vec::new(),
            };
            let (one, other) = (work(one), work(other));
            prop_assert_eq!(compare(&one, &other, &[], |_| None), compare(&other, &one, &[], |_| None));
        }
    }
}
