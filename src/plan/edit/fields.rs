//! What only commands ask of the fields of a node's front matter.

use crate::conflicts::overlap::Planned;
use crate::model::{ConstraintKind, pattern_problem};
use crate::plan::fields::{CONSTRAINTS, Field, constraints, is_usable, words, wrong};
use crate::plan::front_matter::{FrontMatter, Value};

/// The names of constraints.
pub fn constraint_names() -> impl Iterator<Item = &'static str> {
    CONSTRAINTS.iter().map(|(name, _)| *name)
}

/// The kind of constraint that a name stands for.
pub fn constraint_kind(name: &str) -> Option<ConstraintKind> {
    CONSTRAINTS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// The constraints that a node sets. A pattern of paths that cannot be used would protect nothing, and is told too.
pub(super) fn sound_constraints(front: &FrontMatter, key: &str) -> Field<Vec<(ConstraintKind, String)>> {
    let Some(found) = constraints(front)? else { return Ok(None) };
    let mut patterns = found.iter().filter(|(kind, _)| kind.takes_a_pattern());
    match patterns.find_map(|(_, pattern)| Some((pattern, pattern_problem(pattern)?))) {
        Some((pattern, problem)) => {
            Err(wrong(front, key, &format!("has `{}`, which {problem}", pattern.escape_debug())))
        }
        None => Ok(Some(found)),
    }
}

/// The planned files of a list with the functions in them, where it names them: the forms of [`paths`](crate::plan::fields::paths).
pub(super) fn planned(front: &FrontMatter, key: &str, most: usize) -> Field<Vec<Planned>> {
    let Some(list) = front.value(key)? else { return Ok(None) };
    let planned = |item: &Value| {
        let path = item.word().or_else(|| item.get("path")?.word())?;
        let path = path.trim_start_matches("./");
        let functions = item.get("functions").map(words).into_iter().flatten();
        is_usable(path)
            .then(|| Planned { path: path.to_owned(), functions: functions.take(most).map(str::to_owned).collect() })
    };
    Ok(Some(list.items().iter().filter_map(planned).take(most).collect()))
}

#[cfg(test)]
mod tests {
    use super::{FrontMatter, constraints, sound_constraints};

    #[test]
    fn a_pattern_that_protects_nothing_is_told_to_commands_and_takes_no_other_with_it() {
        let front = FrontMatter::of(
            "---\nid: A\nconstraints:\n  protected_files: [LICENSE, '!x']\n  forbidden_commands: ['! make']\n---\n",
        )
        .unwrap();
        let trouble = sound_constraints(&front, "constraints").unwrap_err();
        assert_eq!(trouble.line, 3);
        assert!(trouble.what.starts_with("`constraints` has `!x`, which begins with `!`"), "{}", trouble.what);
        assert_eq!(constraints(&front).unwrap().unwrap().len(), 3, "hooks go on with the others");
    }
}
