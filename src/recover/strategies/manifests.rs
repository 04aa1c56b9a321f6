//! The files that say what a project can run, and the folders where they stand.

use serde_json::Value;

use super::super::case::{Case, Offer, Offered, join, parent};
use super::super::step::Step;
use crate::names::{self, MAKEFILES, declared, node_manifest};
use crate::shell::{WordRole, quoted_word};
use crate::text::quoted;

/// What a program says where its manifest is missing, and the names of the manifest.
struct Lacking {
    programs: &'static [&'static str],
    says: &'static [&'static str],
    manifests: &'static [&'static str],
}

const LACKING: &[Lacking] = &[
    Lacking {
        programs: &["npm", "pnpm", "yarn", "bun", "npx"],
        says: &[
            "could not read package.json",
            "no package.json",
            "couldn't find a package.json",
            "find a package.json",
            "ENOENT: no such file or directory, open '",
        ],
        manifests: &["package.json"],
    },
    Lacking {
        programs: &["npm", "pnpm", "yarn", "bun"],
        says: &["Missing script:", "missing script:", "Couldn't find a script named", "Script not found"],
        manifests: &["package.json"],
    },
    Lacking { programs: &["ninja"], says: &["loading 'build.ninja'"], manifests: &["build.ninja"] },
    Lacking {
        programs: &["ctest"],
        says: &["no tests were found", "no test configuration file found"],
        manifests: &["CTestTestfile.cmake"],
    },
    Lacking {
        programs: &["meson"],
        says: &["neither source directory", "does not contain a build file"],
        manifests: &["meson.build"],
    },
    Lacking { programs: &["dotnet"], says: &["specify a project or solution file"], manifests: &["*.sln", "*.csproj"] },
    Lacking {
        programs: &["cargo"],
        says: &["could not find `Cargo.toml`", "manifest path `Cargo.toml` does not exist"],
        manifests: &["Cargo.toml"],
    },
    Lacking {
        programs: &["go"],
        says: &["go.mod file not found", "cannot find main module", "no go files in", "does not contain main module"],
        manifests: &["go.mod"],
    },
    Lacking {
        programs: &["make", "gmake"],
        says: &["no makefile found", "No rule to make target"],
        manifests: MAKEFILES,
    },
    Lacking { programs: &["just"], says: &["no justfile found"], manifests: &["justfile", "Justfile", ".justfile"] },
    Lacking {
        programs: &["docker", "docker-compose", "podman"],
        says: &["no configuration file provided", "can't find a suitable configuration file"],
        manifests: &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"],
    },
    Lacking {
        programs: &["docker", "podman"],
        says: &["failed to read dockerfile", "unable to prepare context"],
        manifests: &["Dockerfile"],
    },
    Lacking { programs: &["git"], says: &["not a git repository"], manifests: &[".git"] },
    Lacking { programs: &["composer"], says: &["could not find a composer.json"], manifests: &["composer.json"] },
    Lacking { programs: &["bundle"], says: &["could not locate gemfile"], manifests: &["Gemfile"] },
    Lacking { programs: &["rake"], says: &["no rakefile found"], manifests: &["Rakefile", "rakefile"] },
    Lacking {
        programs: &["mvn", "mvnw"],
        says: &["there is no pom in this directory", "no pom in this directory"],
        manifests: &["pom.xml"],
    },
    Lacking {
        programs: &["gradle", "gradlew"],
        says: &["does not contain a gradle build"],
        manifests: &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"],
    },
    Lacking {
        programs: &["poetry", "uv", "pip", "pip3", "python", "python3"],
        says: &[
            "could not find a pyproject.toml",
            "no `pyproject.toml` found",
            "neither 'setup.py' nor 'pyproject.toml' found",
            "does not appear to be a python project",
        ],
        manifests: &["pyproject.toml", "setup.py"],
    },
    Lacking {
        programs: &["pip", "pip3", "python", "python3"],
        says: &["could not open requirements file"],
        manifests: &["requirements.txt"],
    },
    Lacking {
        programs: &["python", "python3"],
        says: &["can't open file 'manage.py'", "/manage.py': [errno 2]"],
        manifests: &["manage.py"],
    },
    Lacking {
        programs: &["cmake"],
        says: &["does not appear to contain cmakelists.txt"],
        manifests: &["CMakeLists.txt"],
    },
    Lacking { programs: &["terraform", "tofu"], says: &["no configuration files"], manifests: &["main.tf"] },
    Lacking { programs: &["tsc"], says: &["cannot find a tsconfig.json"], manifests: &["tsconfig.json"] },
    Lacking { programs: &["task"], says: &["no taskfile found"], manifests: &["Taskfile.yml", "Taskfile.yaml"] },
    Lacking { programs: &["mix"], says: &["could not find a mix.project"], manifests: &["mix.exs"] },
];

pub(in super::super) fn run_in_manifest_folder(case: &Case<'_>) -> Offered {
    let command = case.command().ok_or("no command was run")?;
    let is_its = |row: &&Lacking| row.programs.contains(&command.name()) && case.says(row.says);
    let row = LACKING.iter().find(is_its).ok_or("the output does not say that a manifest is missing")?;
    if !case.looks.is_looking() {
        return Err("nothing was looked at: --probe finds the manifest");
    }
    let here = case.folder();
    let is_here = row.manifests.iter().any(|name| case.kind(name).is_some());
    let wanted = asked_for(case);
    let names_it = row.says.iter().any(|says| says.contains("script"));
    if is_here && row.manifests != MAKEFILES && command.name() != "go" && !names_it {
        return Err("the manifest is in the folder where it ran");
    }
    let mut found = case.looks.find(&|name| row.manifests.contains(&name));
    // What tools build stands in folders that no search goes into.
    let built = BUILD_FOLDERS.iter().flat_map(|folder| row.manifests.iter().map(move |name| join(folder, name)));
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
        folders.extend(
            ups.into_iter().find(|up| row.manifests.iter().any(|name| case.looks.kind(&join(up, name)).is_some())),
        );
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
    let names = row.manifests.first().copied().unwrap_or_default();
    let state = format!("the {names} that it needs is in {}", quoted(folder, 100));
    Ok(Offer::new(
        state.clone(),
        vec![Step::work(format!("Run it in {}", quoted(folder, 100)), step, "It finds its manifest")],
    )
    .doing(format!("Run it in {}, where its manifest is", quoted(folder, 100)))
    .seen(state))
}

/// Folders that builds are usually made in.
const BUILD_FOLDERS: &[&str] = &["build", "out", "_build", "builddir", "cmake-build-debug", "cmake-build-release"];

/// The script or target that the line asks for.
pub(in super::super) fn asked_for(case: &Case<'_>) -> Option<String> {
    names::asked_for(case.command()?).map(str::to_owned)
}

/// The files of names that a program looks for in its folder, in its order.
fn files_of(program: &str) -> &'static [&'static str] {
    match program {
        "npm" | "pnpm" | "yarn" | "bun" => &["package.json"],
        "make" | "gmake" => MAKEFILES,
        "just" => &["justfile", "Justfile", ".justfile"],
        "task" => &["Taskfile.yml", "Taskfile.yaml"],
        "composer" => &["composer.json"],
        _ => &[],
    }
}

/// The text of the file that a program reads its scripts or targets from, in the folder where the failed command ran.
pub(super) fn manifest_of(case: &Case<'_>, program: &str) -> Option<String> {
    files_of(program).iter().find_map(|name| case.looks.text(&case.at(name)))
}

/// The package.json of that folder.
pub(super) fn node_manifest_here(case: &Case<'_>) -> Option<Value> {
    node_manifest(&manifest_of(case, "npm")?)
}

/// The line of one of its scripts.
pub(super) fn node_script(case: &Case<'_>, name: &str) -> Option<String> {
    Some(node_manifest_here(case)?.get("scripts")?.get(name)?.as_str()?.to_owned())
}

/// The scripts or targets that a program finds in the folder where the failed command ran.
pub(super) fn declared_here(case: &Case<'_>, program: &str) -> Vec<String> {
    let read = |name: &&str| declared(name, &case.looks.text(&case.at(name))?);
    files_of(program).iter().find_map(read).unwrap_or_default()
}
