//! What the fields of a node's front matter mean.

use crate::front_matter::{FrontMatter, Trouble, YamlValue};
use crate::model::{ConstraintKind, NodeStatus, is_node_id};

/// The longest path, command, package or check that is kept.
const LONGEST_WORD: usize = 300;

/// The fields of a constraint mapping.
#[rustfmt::skip]
pub const CONSTRAINTS: &[(&str, ConstraintKind)] = &[
    ("forbidden_paths",        ConstraintKind::ForbiddenPath),
    ("forbidden_commands",     ConstraintKind::ForbiddenCommand),
    ("forbidden_dependencies", ConstraintKind::ForbiddenDependency),
    ("protected_files",        ConstraintKind::ProtectedFile),
    ("required_checks",        ConstraintKind::RequiredCheck),
];

/// A field of front matter: None where it is not there.
pub type Field<T> = Result<Option<T>, Trouble>;

/// A field that is one word.
pub fn word(front: &FrontMatter, key: &str) -> Field<String> {
    match front.value(key)? {
        None => Ok(None),
        Some(YamlValue::Word(word)) => Ok(Some(word)),
        Some(_) => Err(wrong(front, key, "is not one word")),
    }
}

/// The node's status, where it is one that is known here.
pub fn status(front: &FrontMatter) -> Field<NodeStatus> {
    Ok(word(front, "status")?.as_deref().and_then(NodeStatus::from_word))
}

/// A field that is the id of a node.
pub fn id(front: &FrontMatter, key: &str) -> Field<String> {
    match word(front, key)? {
        Some(word) if !is_node_id(&word) => Err(wrong(front, key, "is not an id")),
        word => Ok(word),
    }
}

/// A field that counts something.
pub fn count(front: &FrontMatter, key: &str) -> Field<u32> {
    match word(front, key)? {
        None => Ok(None),
        Some(word) => word.parse().map(Some).map_err(|_| wrong(front, key, "is not a count")),
    }
}

/// The ids of a list: `[A, B]`, `- A`, `- id: A`. What is no id is left out.
pub fn ids(front: &FrontMatter, key: &str, most: usize) -> Field<Vec<String>> {
    let list = front.value(key)?;
    Ok(list.map(|list| names_below(&list, "id").filter(|id| is_node_id(id)).take(most).map(str::to_owned).collect()))
}

/// The paths of a list: `[a, b]`, `[{path: a}]`, `- path: a`, without `./` before them.
pub fn paths(front: &FrontMatter, key: &str, most: usize) -> Field<Vec<String>> {
    let list = front.value(key)?;
    Ok(list.map(|list| {
        let paths = names_below(&list, "path").map(|path| path.trim_start_matches("./"));
        paths.filter(|path| is_usable(path)).take(most).map(str::to_owned).collect()
    }))
}

/// The constraints that a node sets. A name that is no constraint is reported: a misspelt one would protect nothing.
pub fn constraints(front: &FrontMatter) -> Field<Vec<(ConstraintKind, String)>> {
    const KEY: &str = "constraints";
    let Some(value) = front.value(KEY)? else { return Ok(None) };
    let mut found = Vec::new();
    for set in value.items() {
        let YamlValue::Map(pairs) = set else { return Err(wrong(front, KEY, "is not a mapping")) };
        for (name, values) in pairs {
            let Some((_, kind)) = CONSTRAINTS.iter().find(|(known, _)| known == name) else {
                return Err(wrong(front, KEY, &format!("has no `{}`", name.escape_debug())));
            };
            found.extend(words(values).map(|word| (*kind, word.to_owned())));
        }
    }
    Ok(Some(found))
}

/// The words of a list that may be kept.
pub fn words(values: &YamlValue) -> impl Iterator<Item = &str> {
    values.items().iter().filter_map(YamlValue::word).filter(|word| is_usable(word))
}

/// The items that are words, or mappings that hold a word under `key`.
fn names_below<'a>(list: &'a YamlValue, key: &'a str) -> impl Iterator<Item = &'a str> {
    list.items().iter().filter_map(move |item| item.word().or_else(|| item.get(key)?.word()))
}

/// Whether a path, command, package or check may be kept.
pub fn is_usable(word: &str) -> bool {
    (1..=LONGEST_WORD).contains(&word.len()) && !word.chars().any(char::is_control)
}

/// What is wrong with a field, with its line.
pub fn wrong(front: &FrontMatter, key: &str, what: &str) -> Trouble {
    Trouble { line: front.line(key), what: format!("`{key}` {what}") }
}

#[cfg(test)]
mod tests {
    use super::{constraints, count, id, ids, paths, word};
    use crate::{front_matter::FrontMatter, model::ConstraintKind};

    fn front(block: &str) -> FrontMatter {
        FrontMatter::of(&format!("---\n{block}\n---\n")).unwrap()
    }

    #[test]
    fn artifacts_have_three_forms() {
        for block in [
            "artifacts: [src/a.rs, ./src/b.rs]",
            "artifacts: [{path: src/a.rs, functions: [f]}, {path: src/b.rs}]",
            "artifacts:\n  - path: src/a.rs\n    functions: [f, g]\n  - path: src/b.rs",
            "artifacts:\n- src/a.rs\n- path: src/b.rs\n- functions: [h]\n- \"bad\\npath\"",
        ] {
            assert_eq!(paths(&front(block), "artifacts", 32).unwrap().unwrap(), ["src/a.rs", "src/b.rs"], "{block}");
        }
        assert_eq!(paths(&front("artifacts: [a, b, c]"), "artifacts", 2).unwrap().unwrap(), ["a", "b"]);
        assert_eq!(paths(&front("artifacts: []"), "artifacts", 2).unwrap().unwrap(), [""; 0]);
        assert_eq!(paths(&front("id: x"), "artifacts", 2).unwrap(), None);
    }

    #[test]
    fn ids_and_counts_are_strict() {
        let front =
            front("id: ../x\nparent: A-1\nrevision: 3\nfailed_attempts: -1\nbudget: lots\ndeps: [A-2, a/b, {id: A-3}]");
        assert_eq!(id(&front, "parent").unwrap().as_deref(), Some("A-1"));
        assert_eq!(id(&front, "id").unwrap_err().what, "`id` is not an id");
        assert_eq!(count(&front, "revision").unwrap(), Some(3));
        assert_eq!(count(&front, "failed_attempts").unwrap_err().line, 5);
        assert!(count(&front, "budget").is_err());
        assert_eq!(ids(&front, "deps", 16).unwrap().unwrap(), ["A-2", "A-3"]);
        assert!(word(&front, "deps").is_err());
    }

    #[test]
    fn constraints_are_a_mapping() {
        let front = front(
            "constraints:\n  forbidden_paths: [legacy/**, vendor]\n  required_checks: make check\n  protected_files: []",
        );
        let expected = [
            (ConstraintKind::ForbiddenPath, "legacy/**".to_owned()),
            (ConstraintKind::ForbiddenPath, "vendor".to_owned()),
            (ConstraintKind::RequiredCheck, "make check".to_owned()),
        ];
        assert_eq!(constraints(&front).unwrap().unwrap(), expected);
    }

    #[test]
    fn a_misspelt_constraint_is_told() {
        let trouble = constraints(&front("id: A\nconstraints: {forbidden_path: [x]}")).unwrap_err();
        assert_eq!((trouble.line, trouble.what.as_str()), (3, "`constraints` has no `forbidden_path`"));
        assert!(constraints(&front("constraints: be nice")).is_err());
    }
}
