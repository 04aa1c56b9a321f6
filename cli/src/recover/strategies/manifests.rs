//! The files that say what a project can run, and the folders where they stand.

use super::super::case::{Case, Offer, Offered, join, name_of, parent};
use super::super::effects::has_effect;
use super::super::step::PlanStep;
use crate::model::{FindingKind as Kind, ObjectKind};
use crate::names::{self, declared, node_manifest};
use crate::programs::Trait;
use crate::programs::manifests::{manifests_named, manifests_of};
use crate::redact::names_secrets;
use crate::shell::{Command, WordRole, quoted_word};
use crate::text::quoted;

pub(in super::super) fn run_in_manifest_folder(case: &Case<'_>) -> Offered {
    let command = case.command().ok_or("no command was run")?;
    let asks_a_name = case.named(Kind::UnknownScript).is_some();
    let told = own_file(case, command);
    if !asks_a_name && case.finding(Kind::NoProject).is_none() && told.is_none() {
        return Err("the output does not say that a manifest is missing");
    }
    let known = manifests_of(&|name| command.runs(name) || command.name() == name);
    let manifests: Vec<&str> = known.map_or_else(|| told.into_iter().collect(), <[&str]>::to_vec);
    if manifests.is_empty() {
        return Err("the manifest of this program is not known");
    }
    if !case.looks.is_looking() {
        return Err("nothing was looked at: --probe finds the manifest");
    }
    let here = case.folder();
    let is_here = manifests.iter().any(|name| case.kind(name).is_some());
    let wanted = asked_for(case);
    if is_here && !asks_a_name && command.name() != "go" {
        return Err("the manifest is in the folder where it ran");
    }
    let mut found = case.looks.find(&|name| manifests.contains(&name));
    // What tools build stands in folders that no search goes into.
    let built = BUILD_FOLDERS.iter().flat_map(|folder| manifests.iter().map(move |name| join(folder, name)));
    found.extend(built.filter(|path| case.kind(path).is_some()));
    found.sort();
    found.dedup();
    let declares = |path: &String| {
        wanted.as_deref().is_none_or(|wanted| {
            case.looks
                .text(path)
                .is_none_or(|text| declared(path, &text).is_none_or(|names| names.iter().any(|name| name == wanted)))
        })
    };
    let mut folders: Vec<String> = found
        .iter()
        .filter(|path| !path.contains("node_modules/") && declares(path))
        .map(|path| parent(path))
        .filter(|folder| *folder != here && !(here.is_empty() && folder == "."))
        .collect();
    folders.dedup();
    if folders.is_empty() && !is_here {
        // Above the folder where it ran.
        let ups = ["..", "../..", "../../.."].iter().map(|up| join(&here, up));
        folders
            .extend(ups.into_iter().find(|up| manifests.iter().any(|name| case.looks.kind(&join(up, name)).is_some())));
    }
    let folder = match folders.as_slice() {
        [folder] => folder,
        [] => return Err("no manifest that has it was found"),
        _ => return Err("several folders have such a manifest"),
    };
    let names_a_path = |word: &&crate::shell::PlacedWord| {
        word.role == WordRole::Argument && word.text.contains('/') && case.kind(&word.text).is_some()
    };
    if case.words.iter().any(|word| names_a_path(&word)) {
        return Err("the line names paths from the folder where it ran");
    }
    let cd = case.words.iter().rfind(|word| word.role == WordRole::Program && word.text == "cd");
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    // An option that names a folder is none to stand behind another `cd`.
    if command.args.iter().any(|arg| matches!(arg.as_str(), "-C" | "--prefix" | "--cwd" | "--dir" | "--directory")) {
        return Err("the line names another folder by an option");
    }
    let step = match cd.and_then(|cd| case.arguments_of(cd).next()) {
        Some(place) if !here.is_empty() => case.again_replacing(&[(place, folder)]),
        _ => case.again_with(format!("cd {} && {line}", quoted_word(folder))),
    };
    let step = step.ok_or("its command line is not whole")?;
    let stands_there = |name: &&&str| case.looks.kind(&join(folder, name)).is_some();
    let manifest = join(folder, manifests.iter().find(stands_there).or(manifests.first()).unwrap_or(&""));
    let state = format!("the {} that it needs is in {}", name_of(&manifest), quoted(folder, 100));
    if has_effect(case, &format!("cd {} && {line}", quoted_word(folder))) {
        let why = format!("{state}, and {} may publish, delete or change something", quoted(line, 100));
        let look = PlanStep::read(&manifest, "What the call would do there");
        return Ok(Offer::new(why, vec![look]).doing("Read what it would do there, then ask").seen(state));
    }
    Ok(Offer::explained(
        state,
        vec![PlanStep::work(format!("Run it in {}", quoted(folder, 100)), step, "It finds its manifest")],
    )
    .doing(format!("Run it in {}, where its manifest is", quoted(folder, 100))))
}

/// The file that the program says it lacks and that the call does not name: its own settings.
fn own_file<'c>(case: &'c Case<'_>, command: &Command) -> Option<&'c str> {
    let named = case.findings().filter(|found| found.kind == Kind::MissingFile).filter_map(|found| found.name);
    let is_own = |name: &&str| {
        let is_bare = name.len() <= 100 && !name.contains(['/', '\\', ' ', '*', '$']);
        is_bare && name.contains('.') && !names_secrets(name) && !case.words.iter().any(|word| word.text.contains(name))
    };
    // What runs a script, or works on a path, would not find that from there.
    let is_script = command.is(Trait::Interpreter) || command.is(Trait::Shell) || command.raw.contains('/');
    let works_on = case.words.iter().any(|word| word.role == WordRole::Argument && case.kind(&word.text).is_some());
    named.chain(case.failed.object(ObjectKind::File)).find(is_own).filter(|_| !is_script && !works_on)
}

/// Folders that builds are usually made in.
const BUILD_FOLDERS: &[&str] = &["build", "out", "_build", "builddir", "cmake-build-debug", "cmake-build-release"];

/// The script or target that the line asks for.
pub(in super::super) fn asked_for(case: &Case<'_>) -> Option<String> {
    names::asked_for(case.command()?).map(str::to_owned)
}

/// The text of the file that a program reads its scripts or targets from, in the folder where the failed command ran.
pub(super) fn manifest_of(case: &Case<'_>, program: &str) -> Option<String> {
    manifests_named(program).iter().find_map(|name| case.looks.text(&case.at(name)))
}

/// The line of a script in the package.json of that folder.
pub(super) fn node_script(case: &Case<'_>, name: &str) -> Option<String> {
    Some(node_manifest(&manifest_of(case, "npm")?)?.get("scripts")?.get(name)?.as_str()?.to_owned())
}

/// The scripts or targets that a program finds in the folder where the failed command ran.
pub(super) fn declared_here(case: &Case<'_>, program: &str) -> Vec<String> {
    let read = |name: &&str| declared(name, &case.looks.text(&case.at(name))?);
    manifests_named(program).iter().find_map(read).unwrap_or_default()
}
