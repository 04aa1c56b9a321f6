//! Settings that are missing, where the project itself says what they are.

use super::super::case::{Case, Offer, Offered, join, name_of, parent};
use super::super::look::FileKind;
use super::super::step::{Deed, PlanStep};
use super::paths::missing;
use crate::model::ObjectKind;
use crate::shell::line_of;
use crate::text::quoted;

/// The names under which a project brings an example of a file.
fn examples(name: &str) -> Vec<String> {
    let words = ["example", "sample", "template", "dist", "default", "defaults"];
    let behind = words.iter().map(|word| format!("{name}.{word}"));
    let before = words.iter().map(|word| format!("{word}.{name}"));
    let inside = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(stem, ending)| {
        words
            .iter()
            .flat_map(move |word| [format!("{stem}.{word}.{ending}"), format!("{stem}-{word}.{ending}")])
            .collect::<Vec<_>>()
    });
    behind.chain(before).chain(inside.into_iter().flatten()).collect()
}

pub(in super::super) fn copy_the_example(case: &Case<'_>) -> Offered {
    if !case.looks.is_looking() || !case.is_whole() {
        return Err("nothing was looked at: --probe finds an example");
    }
    let of_line = missing(case).map(|missing| missing.path);
    let printed = case.failed.object(ObjectKind::File).map(str::to_owned);
    let paths = of_line.into_iter().chain(printed).chain(case.printed().file_names().map(str::to_owned));
    let found = paths.filter(|path| case.kind(path).is_none()).find_map(|path| {
        let folder = parent(&path);
        let example = examples(name_of(&path))
            .into_iter()
            .map(|name| join(&folder, &name))
            .find(|path| matches!(case.kind(path), Some(FileKind::Text | FileKind::Other)))?;
        Some((path, example))
    });
    let (path, example) = found.ok_or("the project brings no example of what is missing")?;
    let copy = case.in_folder(&line_of(["cp", "-n", "--", &example, &path]));
    let state = format!("{} does not exist, and the project has {}", quoted(&path, 80), quoted(&example, 80));
    let steps = vec![
        PlanStep::new(
            format!("Copy {}", quoted(&example, 80)),
            Deed::Run(copy),
            "The file exists, with the example's values",
        ),
        PlanStep::work("Repeat the call", case.again(), "It finds its settings"),
    ];
    Ok(Offer::explained(state, steps))
}
