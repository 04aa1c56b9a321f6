//! Whether a failure contradicts what an ancestor demands.

use super::Facts;
use crate::model::{Constraint, ConstraintKind, Object, ObjectKind, Operation, PlanFacts, path_matches};

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
                Some(format!("`{written}` was changed before, and fails now"))
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
            let file = files.iter().find(|file| path_matches(value, plan.in_project(file)))?;
            Some(format!("`{file}` was touched"))
        }
        ConstraintKind::ForbiddenCommand => operation.begins_with(value).then(|| format!("`{operation}` was run")),
        ConstraintKind::ForbiddenDependency | ConstraintKind::RequiredCheck => None,
    }
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
