//! The files in which a program reads what a project is made of: without one of them in its folder it cannot begin.

use super::base_name;

/// GNU make's own files, in its order.
pub const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Programs, and the names of their manifests in the order in which they look for them.
const MANIFESTS: &[(&[&str], &[&str])] = &[
    (&["npm", "pnpm", "yarn", "bun", "npx"], &["package.json"]),
    (&["make", "gmake"], MAKEFILES),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["composer"], &["composer.json"]),
    (&["ninja"], &["build.ninja"]),
    (&["ctest"], &["CTestTestfile.cmake"]),
    (&["meson"], &["meson.build"]),
    (&["dotnet"], &["*.sln", "*.csproj"]),
    (&["cargo"], &["Cargo.toml"]),
    (&["go"], &["go.mod"]),
    (
        &["docker compose", "docker-compose", "podman"],
        &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"],
    ),
    (&["docker"], &["Dockerfile"]),
    (&["git"], &[".git"]),
    (&["bundle"], &["Gemfile"]),
    (&["rake"], &["Rakefile", "rakefile"]),
    (&["mvn", "mvnw"], &["pom.xml"]),
    (&["gradle", "gradlew"], &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"]),
    (&["pip", "pip3"], &["requirements.txt", "pyproject.toml", "setup.py"]),
    (&["python", "python3"], &["manage.py", "pyproject.toml", "setup.py"]),
    (&["poetry", "uv"], &["pyproject.toml", "setup.py"]),
    (&["cmake"], &["CMakeLists.txt"]),
    (&["terraform", "tofu"], &["main.tf"]),
    (&["tsc"], &["tsconfig.json"]),
    (&["mix"], &["mix.exs"]),
];

/// The manifests of the program of which it is true that a command runs it.
pub fn manifests_of(runs: &dyn Fn(&str) -> bool) -> Option<&'static [&'static str]> {
    MANIFESTS.iter().find(|(programs, _)| programs.iter().any(|name| runs(name))).map(|(_, names)| *names)
}

/// The manifests of a program; none where it needs none.
pub fn manifests_named(program: &str) -> &'static [&'static str] {
    let row = MANIFESTS.iter().find(|(programs, _)| programs.contains(&base_name(program)));
    row.map_or(&[], |(_, names)| names)
}
