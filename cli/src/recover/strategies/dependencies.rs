//! A package or module that is missing.

use super::super::case::{Case, Offer, Offered, join};
use super::super::step::{Deed, PlanStep};
use super::programs::missing as missing_program;
use crate::model::{Category, FindingKind as Kind, ObjectKind};
use crate::programs::words::INSTALLS_BY;
use crate::programs::{Trait, find};
use crate::shell::{line_of, quoted_word};
use crate::text::quoted;

/// The module that the output names.
fn module<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    let named = case.named(Kind::MissingModule);
    named.or_else(|| case.failed.object(ObjectKind::Module)).filter(|name| name.len() <= 200)
}

/// The folders where a project keeps its own Python.
const ENVIRONMENTS: &[&str] = &[".venv", "venv", "env"];

fn environment(case: &Case<'_>) -> Option<String> {
    let ups = ["", "..", "../.."];
    let near = ups.iter().find_map(|up| {
        let mut places = ENVIRONMENTS.iter().map(|name| join(up, name));
        places.find(|place| case.kind(&join(place, "bin/python")).is_some())
    });
    // An environment of another name, or of a part of the project.
    near.or_else(|| {
        let is_one = |path: &String| case.looks.kind(&join(path, "bin/python")).is_some();
        let top = case.looks.names(&case.at(".")).into_iter().filter(|name| name.is_dir).map(|name| name.name);
        let below = case.looks.find(&|name| ENVIRONMENTS.contains(&name));
        let mut found: Vec<String> =
            if case.folder().is_empty() { top.chain(below).filter(is_one).collect() } else { Vec::new() };
        found.dedup();
        <[String; 1]>::try_from(found).ok().map(|[only]| only)
    })
}

/// Whether the environment holds a module.
fn holds(case: &Case<'_>, environment: &str, module: &str) -> bool {
    let lib = case.at(&join(environment, "lib"));
    let top = module.split('.').next().unwrap_or(module);
    case.looks.names(&lib).iter().filter(|name| find(&name.name).is_some_and(|own| own.has(Trait::Modules))).any(
        |python| {
            let names = case.looks.names(&format!("{lib}/{}/site-packages", python.name));
            names.iter().any(|name| {
                name.name == top || name.name == format!("{top}.py") || name.name.starts_with(&format!("{top}."))
            })
        },
    )
}

pub(super) fn project_interpreter(case: &Case<'_>) -> Offered {
    let module = module(case).ok_or("the output names no module")?;
    let environment = environment(case).ok_or("the project has no Python of its own")?;
    if !holds(case, &environment, module) {
        return Err("the project's own Python does not have the module either");
    }
    let command = case.command().ok_or("no command was run")?;
    let word = case.program_word(&command.raw).ok_or("the line does not start it once")?;
    let shown = if environment.starts_with("..") || environment.starts_with('/') {
        environment.clone()
    } else {
        format!("./{environment}")
    };
    let own = format!("{shown}/bin/{}", command.raw);
    let has = |name: &str| case.kind(&join(&environment, &format!("bin/{name}"))).is_some();
    let plain = !command.raw.contains('/');
    let made = if plain && command.is(Trait::Modules) {
        line_of([format!("{shown}/bin/python")])
    } else if plain && has(&command.raw) {
        line_of([own])
    } else if plain && !command.raw.is_empty() {
        line_of([&format!("{shown}/bin/python"), "-m", &command.raw])
    } else {
        return Err("it is not started by a name");
    };
    let step = case.again_with_text(word, &made).ok_or("its command line is not whole")?;
    let state = format!("the module {} is in `{environment}`, and the call ran another Python", quoted(module, 60));
    Ok(Offer::explained(state, vec![PlanStep::work("Run it by the project's own Python", step, "The module is found")])
        .doing(format!("Run it by the Python of `{environment}`, which has the module")))
}

/// The words that install what is needed by a program, in the order in which they are chosen, with their manifests.
pub(super) fn installs(program: &str) -> impl Iterator<Item = (&'static [&'static str], &'static str)> + '_ {
    INSTALLS_BY.iter().filter(move |(_, _, needed)| needed.contains(&program)).map(|(names, words, _)| (*names, *words))
}

pub(in super::super) fn install_project_dependencies(case: &Case<'_>) -> Offered {
    let command = case.command().ok_or("no command was run")?;
    let installs_by = |name: &str, words: &str| words.split(' ').next() == Some(name);
    let is_manager = |name: &str| INSTALLS_BY.iter().any(|(_, words, _)| installs_by(name, words));
    if missing_program(case).is_some_and(is_manager) {
        return Err("what installs is missing itself");
    }
    if case.category() == Category::CommandNotFound
        && missing_program(case)
            .is_none_or(|name| name == command.raw && installs(name).all(|(_, words)| words != "npm install"))
    {
        return Err("what is missing is no dependency of the project");
    }
    if !case.is_whole() {
        return Err("its arguments are not whole");
    }
    if let Some(steps) = python_steps(case) {
        return Ok(steps);
    }
    let wanted = module(case).filter(|name| name.starts_with(['.', '/']));
    if wanted.is_some() {
        return Err("what is missing is a file of the project's own");
    }
    let install = if case.looks.is_looking() {
        let has = |names: &[&str]| names.iter().any(|name| case.kind(name).is_some());
        let found = installs(command.name()).find(|(names, _)| has(names));
        found.ok_or("no manifest here names what this program needs")?.1
    } else {
        let own = installs(command.name()).filter(|(_, words)| installs_by(command.name(), words)).last();
        // Whether there is a lock is not known.
        own.and_then(|(_, words)| words.split(" --").next())
            .ok_or("nothing was looked at: --probe finds the manifest")?
    };
    if command.runs(install) || case.failed.line.as_deref().is_some_and(|line| line.trim() == install) {
        return Err("installing is what failed");
    }
    let what = module(case).map_or_else(|| "what it needs".to_owned(), |name| quoted(name, 60));
    let steps = vec![
        PlanStep::new("Install what the manifest names", Deed::Run(case.in_folder(install)), "It is installed"),
        PlanStep::work("Repeat the call", case.again(), "It finds what it needs"),
    ];
    Ok(Offer::new(format!("the project has a manifest, and {what} is not installed"), steps)
        .seen(format!("{what} is not installed")))
}

/// Python's packages go into an environment of the project's own, never into the system's.
fn python_steps(case: &Case<'_>) -> Option<Offer> {
    let module = case.named(Kind::MissingModule)?;
    let requirements = case.looks.text(&case.at("requirements.txt"))?;
    let plain = |name: &str| name.to_ascii_lowercase().replace(['-', '.'], "_");
    let top = plain(module.split('.').next()?);
    let names = requirements
        .lines()
        .map(|line| line.split(['=', '<', '>', '~', '!', ' ', '[', ';', '@', '#']).next().unwrap_or_default());
    let is_named = names.clone().any(|name| plain(name) == top)
        || requirements.lines().any(|line| line.starts_with(['.', '/']) || line.starts_with("-e"));
    if !is_named {
        return None;
    }
    let command = case.command()?;
    let word = case.program_word(&command.raw)?;
    let environment = environment(case);
    let place = environment.clone().unwrap_or_else(|| ".venv".to_owned());
    let shown = if place.starts_with("..") { place } else { format!("./{place}") };
    let python = line_of([format!("{shown}/bin/python")]);
    let from = super::services::wheels(case).map(|folder| format!(" --no-index --find-links {}", quoted_word(&folder)));
    let install = format!("{python} -m pip install{} -r requirements.txt", from.unwrap_or_default());
    let install = if environment.is_some() { install } else { format!("python3 -m venv .venv && {install}") };
    let made = if command.is(Trait::Modules) { python } else { format!("{python} -m {}", quoted_word(&command.raw)) };
    let again = case.again_with_text(word, &made)?;
    let steps = vec![
        PlanStep::new(
            "Install what requirements.txt names into the project's own environment",
            Deed::Run(case.in_folder(&install)),
            "It is installed",
        ),
        PlanStep::work("Run it by that Python", again, "The module is found"),
    ];
    Some(
        Offer::new(format!("requirements.txt names {}, and it is not installed", quoted(module, 60)), steps)
            .seen(format!("the module {} is not installed for this Python", quoted(module, 60))),
    )
}
