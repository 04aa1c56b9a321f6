//! The facts of one node, gathered from the files around it.

use std::collections::BTreeSet;

use super::{
    active::{self, Active},
    fields,
    survey::Survey,
};
use crate::conflicts;
use crate::decide::tier_budget;
use crate::model::{
    Ancestor, Constraint, Dependency, ForeignArtifact, KnownConflict, NodeStatus, PlanFacts, overrun_of,
};

const MOST_ANCESTORS: usize = 8;
/// The longest status that is kept of a node above: the longest that means anything has nine letters.
const LONGEST_STATUS: usize = 32;
const MOST_SIBLINGS: usize = 32;
const MOST_ARTIFACTS: usize = 32;
const MOST_CONSTRAINTS: usize = 32;
const MOST_DEPENDENCIES: usize = 16;
const MOST_DEPENDENCY_ARTIFACTS: usize = 16;
const MOST_FOREIGN: usize = 64;
/// The deepest tier that sets constraints: a feature.
pub(super) const CONSTRAINING_TIER: u8 = 2;
/// The tier that is made of tasks.
const STORY: u8 = 3;
/// The tier that plans files: a task.
const TASK: u8 = 4;
/// What is said of a dependency whose file or status is not there.
const UNSTATED: &str = "unknown";

/// Which planned files of other stories and features are looked for.
#[derive(Clone, Copy)]
pub(super) enum Among<'a> {
    /// All.
    All,
    /// Those that have the name of one of these files, whatever their folder.
    Files(&'a [String]),
}

impl<'a> Among<'a> {
    fn names(self) -> Option<Vec<&'a str>> {
        match self {
            Self::All => None,
            Self::Files(files) => {
                Some(files.iter().map(|file| name_of(file)).filter(|name| !name.is_empty()).collect())
            }
        }
    }
}

fn name_of(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// Gathers what the tree says of `node`. Near files are read before far ones, so that the bound on reading costs the
/// far ones.
pub(super) fn gather(
    survey: &mut Survey<'_>,
    active: &Active,
    conflict_log: &str,
    node: &str,
    among: Among<'_>,
) -> PlanFacts {
    let open = conflicts::unresolved(conflict_log, node);
    let Some(place) = survey.locate(node) else {
        return PlanFacts { node: node.to_owned(), conflict: open, ..PlanFacts::default() };
    };
    let status = survey.field(place, |front| fields::word(front, "status"));
    let phase = survey.field(place, |front| fields::word(front, "phase"));
    let (siblings, active_siblings) = siblings(survey, place);
    PlanFacts {
        node: node.to_owned(),
        parent: survey.parent_id(place),
        tier: tier(survey, place),
        ancestors: ancestors(survey, place),
        artifacts: artifacts(survey, place, MOST_ARTIFACTS),
        red_phase: active.is_red_for(node) || phase.is_some_and(|phase| active::is_red(&phase)),
        constraints: constraints(survey, place),
        depends_on: dependencies(survey, place),
        siblings,
        active_siblings,
        // The history knows these, not the plan.
        changed_by: None,
        failed_children: None,
        conflict: frozen_by(survey, place, status.as_deref().and_then(NodeStatus::from_word), conflict_log, node)
            .or(open),
        children: story_tasks(survey, place, node),
        failed_attempts: survey.field(place, |front| fields::count(front, "failed_attempts")),
        revisions: revisions(survey, place),
        token_overrun: token_overrun(survey, place),
        budget: budget_at_work(survey, place),
        foreign_artifacts: foreign_artifacts(survey, place, among),
        status,
        // The project and its settings know them, not the plan.
        ignored_paths: Vec::new(),
        root: None,
    }
}

fn tier(survey: &mut Survey<'_>, place: usize) -> Option<u8> {
    let stated = survey.field(place, |front| fields::count(front, "tier"));
    let stated = stated.and_then(|tier| u8::try_from(tier).ok()).filter(|tier| *tier <= TASK);
    stated.or_else(|| survey.place(place).map(|place| place.tier))
}

fn ancestors(survey: &mut Survey<'_>, place: usize) -> Vec<Ancestor> {
    let own = tier(survey, place).filter(|tier| *tier < TASK).map(|_| place);
    let above = survey.ancestors(place);
    own.into_iter().chain(above).filter_map(|place| ancestor(survey, place)).take(MOST_ANCESTORS).collect()
}

fn ancestor(survey: &mut Survey<'_>, place: usize) -> Option<Ancestor> {
    let (id, tier) = (survey.id(place)?, tier(survey, place)?);
    let status = survey.field(place, |front| fields::word(front, "status"));
    let status = status.filter(|status| status.len() <= LONGEST_STATUS);
    Some(Ancestor { id, tier, status, replans_left: replans_left(survey, place, tier) })
}

/// The current pair of fields states what is left; the older one states the whole and what was used. A node that states
/// neither has what its tier has.
fn replans_left(survey: &mut Survey<'_>, place: usize, tier: u8) -> u32 {
    let mut count = |key| survey.field(place, |front| fields::count(front, key));
    if let Some(left) = count("replan_budget_remaining") {
        return left;
    }
    let whole = count("replan_budget_total").or_else(|| count("replan_budget")).unwrap_or(tier_budget(tier));
    whole.saturating_sub(count("replan_count").unwrap_or(0))
}

fn artifacts(survey: &mut Survey<'_>, place: usize, most: usize) -> Vec<String> {
    survey.field(place, |front| fields::paths(front, "artifacts", most)).unwrap_or_default()
}

/// A feature's own constraints bind work on the feature itself as well.
fn constraints(survey: &mut Survey<'_>, place: usize) -> Vec<Constraint> {
    let mut found = Vec::new();
    for above in std::iter::once(place).chain(survey.ancestors(place)) {
        if survey.place(above).is_some_and(|place| place.tier <= CONSTRAINING_TIER) {
            found.extend(constraints_of(survey, above));
        }
    }
    found.truncate(MOST_CONSTRAINTS);
    found
}

fn constraints_of(survey: &mut Survey<'_>, place: usize) -> Vec<Constraint> {
    let Some(from) = survey.id(place) else { return Vec::new() };
    let set = survey.field(place, fields::constraints).unwrap_or_default();
    set.into_iter().take(MOST_CONSTRAINTS).map(|(kind, value)| Constraint { from: from.clone(), kind, value }).collect()
}

fn dependencies(survey: &mut Survey<'_>, place: usize) -> Vec<Dependency> {
    let ids = survey.field(place, |front| fields::ids(front, "depends_on", MOST_DEPENDENCIES));
    ids.unwrap_or_default().into_iter().map(|id| dependency(survey, id)).collect()
}

fn dependency(survey: &mut Survey<'_>, id: String) -> Dependency {
    let place = survey.locate(&id);
    let status = place.and_then(|place| survey.field(place, |front| fields::word(front, "status")));
    let artifacts = place.map(|place| artifacts(survey, place, MOST_DEPENDENCY_ARTIFACTS)).unwrap_or_default();
    Dependency { id, status: status.unwrap_or_else(|| UNSTATED.to_owned()), artifacts }
}

/// The siblings, and those of them that are being worked on.
fn siblings(survey: &mut Survey<'_>, place: usize) -> (Vec<String>, Vec<String>) {
    let parent = survey.parent_id(place);
    let (mut found, mut active) = (Vec::new(), Vec::new());
    for other in survey.beside(place) {
        if found.len() < MOST_SIBLINGS && survey.is_node(other) && survey.parent_id(other) == parent {
            let id = survey.id(other);
            let is_active = survey.field(other, fields::status) == Some(NodeStatus::Active);
            active.extend(id.clone().filter(|_| is_active));
            found.extend(id);
        }
    }
    (found, active)
}

/// The tasks of a story, and whether their front matter counts a failure.
fn story_tasks(survey: &mut Survey<'_>, place: usize, node: &str) -> Vec<(String, bool)> {
    if tier(survey, place) != Some(STORY) {
        return Vec::new();
    }
    let feature = survey.place(place).and_then(|place| place.feature);
    let mut found = survey.all(|other| other.tier == TASK && other.feature == feature);
    found.retain(|task| survey.parent_id(*task).as_deref() == Some(node));
    let has_failed = |survey: &mut Survey<'_>, task| {
        survey.field(task, |front| fields::count(front, "failed_attempts")).is_some_and(|count| count > 0)
    };
    found
        .into_iter()
        .take(MOST_SIBLINGS)
        .filter_map(|task| Some((survey.id(task)?, has_failed(survey, task))))
        .collect()
}

/// A node that older scripts thawed keeps its `conflict_id`, so it counts for a frozen one only.
fn frozen_by(
    survey: &mut Survey<'_>,
    place: usize,
    status: Option<NodeStatus>,
    conflict_log: &str,
    node: &str,
) -> Option<KnownConflict> {
    if status != Some(NodeStatus::Frozen) {
        return None;
    }
    let id = survey.field(place, |front| fields::id(front, "conflict_id"))?;
    conflicts::frozen_by(conflict_log, node, &id)
}

/// A baseline above the revision is a plan that was set back: nothing can be said.
fn revisions(survey: &mut Survey<'_>, place: usize) -> Option<u32> {
    let now = survey.field(place, |front| fields::count(front, "revision"))?;
    let then = survey.field(place, |front| fields::count(front, "revision_at_status_active"))?;
    now.checked_sub(then)
}

fn token_overrun(survey: &mut Survey<'_>, place: usize) -> Option<f64> {
    let used = survey.field(place, |front| fields::count(front, "actual_tokens"))?;
    Some(overrun_of(used.into(), budget(survey, place)?))
}

fn budget(survey: &mut Survey<'_>, place: usize) -> Option<u32> {
    survey.field(place, |front| fields::count(front, "context_budget")).filter(|budget| *budget > 0)
}

fn budget_at_work(survey: &mut Survey<'_>, place: usize) -> Option<(u32, String)> {
    let budget = budget(survey, place)?;
    survey.field(place, fields::status).filter(|status| *status == NodeStatus::Active)?;
    Some((budget, survey.field(place, |front| fields::word(front, "started_at"))?))
}

/// A file that the own feature plans as well is shared, not another feature's. Of the own feature those of other stories,
/// and of the own story those of tasks at work.
fn foreign_artifacts(survey: &mut Survey<'_>, place: usize, among: Among<'_>) -> Vec<ForeignArtifact> {
    let Some(own) = survey.place(place).and_then(|place| place.feature) else { return Vec::new() };
    let names = among.names();
    if names.as_ref().is_some_and(Vec::is_empty) {
        return Vec::new();
    }
    let is_asked = |path: &str| names.as_ref().is_none_or(|names| names.contains(&name_of(path)));
    let story = survey.parent_id(place).filter(|_| tier(survey, place) == Some(TASK));
    let (mut shared, mut found) = (BTreeSet::new(), Vec::new());
    for task in tasks(survey, names.as_deref(), |feature| feature == own) {
        if story.is_some() && task != place {
            // Of the same story only what is in hand: who changed it says the rest.
            let is_beside = survey.parent_id(task) == story;
            let planned = planned_elsewhere(survey, task).into_iter();
            found.extend(planned.filter(|file| is_asked(&file.path) && (file.active || !is_beside)));
        }
        shared.extend(artifacts(survey, task, MOST_ARTIFACTS));
    }
    for task in tasks(survey, names.as_deref(), |feature| feature != own) {
        let planned = planned_elsewhere(survey, task).into_iter();
        found.extend(planned.filter(|file| is_asked(&file.path) && !shared.contains(&file.path)));
        if found.len() >= MOST_FOREIGN {
            break;
        }
    }
    found.truncate(MOST_FOREIGN);
    found
}

/// The tasks of the features that are asked for, without those whose front matter holds none of the names.
fn tasks(survey: &mut Survey<'_>, names: Option<&[&str]>, of: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut tasks = survey.all(|place| place.tier == TASK && place.feature.is_some_and(&of));
    if let Some(names) = names {
        tasks.retain(|task| survey.mentions(*task, names));
    }
    tasks
}

/// The files that a task plans, unless it was given up.
fn planned_elsewhere(survey: &mut Survey<'_>, task: usize) -> Vec<ForeignArtifact> {
    let paths = artifacts(survey, task, MOST_ARTIFACTS);
    let status = survey.field(task, fields::status);
    if paths.is_empty() || status == Some(NodeStatus::Discarded) {
        return Vec::new();
    }
    let feature = survey.place(task).and_then(|place| place.feature);
    let (Some(feature), Some(id)) = (feature.and_then(|feature| survey.id(feature)), survey.id(task)) else {
        return Vec::new();
    };
    let active = status == Some(NodeStatus::Active);
    let of_task = |path| ForeignArtifact { feature: feature.clone(), path, task: id.clone(), active };
    paths.into_iter().map(of_task).collect()
}
