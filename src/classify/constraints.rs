//! Whether a failure contradicts what an ancestor demands.

use super::Facts;
use crate::model::{Constraint, ConstraintKind, Object, ObjectKind, path_matches};

/// The first constraint, nearest ancestor first, that the failure contradicts. A required check contradicts nothing by
/// failing: it is what the agent is there to fix.
pub(super) fn contradicted(facts: &Facts<'_>) -> Option<String> {
    facts.plan.constraints.iter().find_map(|constraint| violation(constraint, facts))
}

fn violation(constraint: &Constraint, facts: &Facts<'_>) -> Option<String> {
    let event = facts.event;
    let value = constraint.value.as_str();
    let seen = match constraint.kind {
        ConstraintKind::ForbiddenPath | ConstraintKind::ProtectedFile => {
            let is_forbidden = |file: &&String| path_matches(value, facts.plan.in_project(file));
            let touched = event.files_touched.iter().find(is_forbidden).map(|file| format!("`{file}` was touched"));
            let written = || facts.history.own_named.iter().find(is_forbidden);
            touched.or_else(|| Some(format!("`{}` was changed before, and fails now", written()?)))
        }
        ConstraintKind::ForbiddenCommand => {
            event.operation.begins_with(value).then(|| format!("`{}` was run", event.operation))
        }
        ConstraintKind::ForbiddenDependency => {
            event.reading.objects.iter().find(|object| names_package(object, value)).map(|_| "it is used".to_owned())
        }
        ConstraintKind::RequiredCheck => None,
    }?;
    Some(format!("{} of {} forbids `{value}`: {seen}", word(constraint.kind), constraint.from))
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
