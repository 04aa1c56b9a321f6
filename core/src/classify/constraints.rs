//! Whether a failure contradicts what an ancestor demands.

use super::Facts;
use crate::model::{Constraint, ConstraintKind, GateReason, Object, ObjectKind, Operation, PlanFacts, path_matches};
use crate::programs::reach;

/// How many words an installer's call has before what it installs: `python -m pip install`.
const LONGEST_INSTALLER: usize = 4;

/// The first constraint, nearest ancestor first, that the failure contradicts. A required check contradicts nothing by
/// failing: it is what the agent is there to fix.
pub(super) fn contradicted(facts: &Facts<'_>) -> Option<String> {
    facts.plan.constraints.iter().find_map(|constraint| violation(constraint, facts))
}

fn violation(constraint: &Constraint, facts: &Facts<'_>) -> Option<String> {
    let event = facts.event;
    let seen =
        breach(constraint, facts.plan, &event.operation, &event.files_touched).or_else(|| match constraint.kind {
            ConstraintKind::ForbiddenPath | ConstraintKind::ProtectedFile => {
                let is_forbidden = |file: &&String| path_matches(&constraint.value, facts.plan.in_project(file));
                let written = facts.history.own_named.iter().find(is_forbidden)?;
                Some(format!("`{}` was changed before, and fails now", facts.plan.in_project(written)))
            }
            ConstraintKind::ForbiddenDependency => {
                let used = event.reading.objects.iter().any(|object| names_package(object, &constraint.value));
                used.then(|| "it is used".to_owned())
            }
            _ => None,
        })?;
    Some(breach_words(constraint, &seen))
}

/// The first constraint that a call went against by what it did, and how.
pub fn violated<'a>(plan: &'a PlanFacts, operation: &Operation, files: &[String]) -> Option<(&'a Constraint, String)> {
    plan.constraints.iter().find_map(|constraint| {
        let seen = breach(constraint, plan, operation, files)?;
        Some((constraint, breach_words(constraint, &seen)))
    })
}

fn breach(constraint: &Constraint, plan: &PlanFacts, operation: &Operation, files: &[String]) -> Option<String> {
    let value = constraint.value.as_str();
    match constraint.kind {
        ConstraintKind::ForbiddenPath | ConstraintKind::ProtectedFile => {
            // Who takes a folder away takes what is below it.
            let folder = value.strip_suffix("/**").map(|folder| folder.trim_start_matches("./"));
            let is_it = |file: &&str| path_matches(value, file) || Some(file.trim_end_matches('/')) == folder;
            let file = files.iter().map(|file| plan.in_project(file)).find(is_it)?;
            Some(format!("`{file}` was touched"))
        }
        ConstraintKind::ForbiddenCommand => operation.begins_with(value).then(|| format!("`{operation}` was run")),
        ConstraintKind::ForbiddenDependency => {
            installs_forbidden(operation, value).then(|| format!("`{operation}` was run"))
        }
        ConstraintKind::RequiredCheck => None,
    }
}

/// Whether a call fetches a package by its name, with or without a version behind it.
fn installs_forbidden(operation: &Operation, package: &str) -> bool {
    let words = operation.0.as_str();
    let fetches =
        |called: &&str| reach::of(called).is_some_and(|reach| reach.only_named && reach.reason == GateReason::Fetches);
    let mut called = words.match_indices(' ').take(LONGEST_INSTALLER).filter_map(|(end, _)| words.get(..end));
    let is_it = |word: &str| {
        let rest = word.trim_matches(['"', '\'']).strip_prefix(package);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '=', '<', '>', '~', '!', '[', '^', ':']))
    };
    called.find(fetches).and_then(|called| words.get(called.len()..)).is_some_and(|rest| rest.split(' ').any(is_it))
}

fn breach_words(constraint: &Constraint, seen: &str) -> String {
    format!("{} of {} forbids `{}`: {seen}", word(constraint.kind), constraint.from, constraint.value)
}

fn word(kind: ConstraintKind) -> &'static str {
    match kind {
        ConstraintKind::ForbiddenPath => "forbidden_paths",
        ConstraintKind::ForbiddenCommand => "forbidden_commands",
        ConstraintKind::ForbiddenDependency => "forbidden_dependencies",
        ConstraintKind::ProtectedFile => "protected_files",
        ConstraintKind::RequiredCheck => "required_checks",
    }
}

fn names_package(object: &Object, package: &str) -> bool {
    object.kind == ObjectKind::Module && (object.name == package || object.name.starts_with(&format!("{package}/")))
}
