//! What the project makes itself: files that are built, programs that it declares, folders from which it is run.

use super::super::case::{Case, Offer, Offered, join, name_of, parent};
use super::super::look::{FileKind, Moved};
use super::super::step::{Deed, Step};
use super::manifests::{declared_here, manifest_of, node_manifest_here};
use super::paths;
use super::programs::{interpreter, missing as missing_program};
use crate::names::{MAKEFILES, declared, node_manifest};
use crate::shell::{WordRole, line_of, quoted_word};
use crate::text::quoted;

/// Folders that a build fills.
const BUILT: &[&str] = &[
    "dist",
    "build",
    "out",
    "lib",
    "gen",
    "generated",
    ".next",
    "public",
    "target",
    "bin",
    "output",
    "_build",
    "site",
    "coverage",
    "www",
    "es",
    "cjs",
    "esm",
];

/// The file that the output says is not there, from the call's folder: the call's own, else one that a program asked for.
pub(in super::super) fn missing_file(case: &Case<'_>) -> Option<String> {
    const MARKS: &[(&str, &str)] = &[
        ("No such file or directory: '", "'"),
        ("No such file or directory: \"", "\""),
        ("no such file or directory, open '", "'"),
        ("no such file or directory, stat '", "'"),
        ("no such file or directory, scandir '", "'"),
        ("Cannot find module '", "'"),
        ("open ", ": no such file or directory"),
        ("No such file or directory @ rb_sysopen - ", ""),
        ("No such file or directory - ", ""),
        ("can't open file '", "'"),
        ("Can't open ", ": No such file"),
        ("cannot open ", ": No such file"),
        ("cannot open '", "'"),
        ("No rule to make target '", "'"),
        ("cannot access '", "'"),
        ("Could not open input file: ", ""),
    ];
    let told = MARKS
        .iter()
        .find_map(|(before, after)| case.between(before, after))
        .map(|path| path.trim_matches(['\'', '"', '`']));
    // A shell says it the other way round.
    let shells = || {
        let line = case
            .text()
            .lines()
            .find(|line| line.ends_with(": No such file or directory") || line.ends_with(": not found"))?;
        line.strip_suffix(": No such file or directory")
            .or_else(|| line.strip_suffix(": not found"))?
            .rsplit(": ")
            .next()
    };
    let path = told.or_else(shells).filter(|path| path.len() <= 500 && !path.contains(['\n', '\0']))?;
    let below = case.failed.cwd.as_deref().and_then(|cwd| path.strip_prefix(cwd)?.strip_prefix('/')).unwrap_or(path);
    let below = below.strip_prefix("./").unwrap_or(below);
    let is_path = !below.is_empty() && !below.starts_with(['/', '-', '~', '@']) && below.contains(['/', '.']);
    is_path.then(|| below.to_owned())
}

fn is_part(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(at, _)| {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        !is_word(text.get(..at).and_then(|before| before.chars().next_back()))
            && !is_word(text.get(at + part.len()..).and_then(|after| after.chars().next()))
    })
}

/// The rules of a Makefile: a target and its recipe.
fn rules(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if line.starts_with('\t') {
            if let Some((_, recipe)) = found.last_mut() {
                recipe.push_str(line);
                recipe.push('\n');
            }
        } else if let Some((head, _)) = line.split_once(':').filter(|(head, rest)| {
            !head.starts_with(['#', ' ', '.']) && !rest.starts_with('=') && !head.contains(['=', '$', '%'])
        }) {
            found.push((head.split_whitespace().next().unwrap_or_default().to_owned(), String::new()));
        }
    }
    found
}

/// How an `npm` script is run, by the lock that is there.
fn manager(case: &Case<'_>) -> &'static str {
    let locks = [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun"), ("bun.lock", "bun")];
    let own = locks
        .iter()
        .find(|(lock, program)| case.kind(lock).is_some() && case.looks.programs().iter().any(|name| name == program));
    own.map_or("npm", |(_, program)| program)
}

/// Scripts that make what is missing by their names.
fn makes(name: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "gen",
        "build",
        "compile",
        "make",
        "prepare",
        "bootstrap",
        "setup",
        "init",
        "create",
        "seed",
        "codegen",
        "render",
        "migrate",
    ];
    BEGINNINGS.iter().any(|beginning| name.to_ascii_lowercase().starts_with(beginning))
}

/// The line that makes a file of the project.
fn maker(case: &Case<'_>, path: &str) -> Option<String> {
    if let Some(folder) = submodule_of(case, path) {
        return Some(line_of(["git", "submodule", "update", "--init", "--", &folder]));
    }
    let name = name_of(path);
    let names_it = |text: &str| is_part(text, path) || name.len() >= 5 && is_part(text, name);
    let is_own = |target: &str| case.words.iter().any(|word| word.role == WordRole::Argument && word.text == target);
    if let Some(text) = manifest_of(case, "make") {
        let rules = rules(&text);
        let exact = rules.iter().find(|(target, _)| target.trim_start_matches("./") == path);
        let by_recipe = || rules.iter().find(|(target, recipe)| !is_own(target) && names_it(recipe));
        if let Some((target, _)) = exact.or_else(by_recipe) {
            return Some(line_of(["make", target]));
        }
    }
    let first = path.split('/').next().unwrap_or_default();
    let is_built = path.contains('/') && BUILT.contains(&first);
    if let Some(text) = case.looks.text(&case.at("package.json")) {
        let manifest = node_manifest(&text)?;
        let scripts = manifest.get("scripts").and_then(|scripts| scripts.as_object());
        let of_line = |line: &serde_json::Value| line.as_str().unwrap_or_default().to_owned();
        let runs = |name: &str, line: &str| {
            !is_own(name) && !line.contains("start") && !line.starts_with(&format!("node {path}"))
        };
        let by_line = scripts
            .iter()
            .flat_map(|scripts| scripts.iter())
            .find(|(name, line)| makes(name) && runs(name, &of_line(line)) && names_it(&of_line(line)));
        let by_name = || {
            let names = ["build", "compile", "prepare", "generate", "codegen"];
            names.iter().find_map(|name| scripts?.get_key_value(*name)).filter(|(name, _)| is_built && !is_own(name))
        };
        if let Some((name, _)) = by_line.or_else(by_name) {
            return Some(line_of([manager(case), "run", name]));
        }
    }
    if let Some(rest) = path.strip_prefix("target/").filter(|_| case.kind("Cargo.toml").is_some()) {
        return Some(if rest.starts_with("release/") { "cargo build --release" } else { "cargo build" }.to_owned());
    }
    if first == "build" && is_built && case.kind("CMakeLists.txt").is_some() {
        return Some("cmake -S . -B build && cmake --build build".to_owned());
    }
    if first == "bin" && is_built && case.kind("go.mod").is_some() {
        let package = if case.kind(&format!("cmd/{name}")) == Some(FileKind::Dir) {
            format!("./cmd/{name}")
        } else {
            ".".to_owned()
        };
        return Some(line_of(["go", "build", "-o", path, &package]));
    }
    if is_built && let Some(text) = manifest_of(case, "make") {
        let target = rules(&text)
            .into_iter()
            .map(|(target, _)| target)
            .find(|target| matches!(&**target, "build" | "all" | "compile" | "generate" | "gen") && !is_own(target));
        if let Some(target) = target {
            return Some(line_of(["make", &target]));
        }
    }
    by_script(case, &|text| names_it(text))
}

/// A script of the project that makes things by its name, and whose text says so of this one.
fn by_script(case: &Case<'_>, says: &dyn Fn(&str) -> bool) -> Option<String> {
    const ENDINGS: &[&str] = &[".sh", ".py", ".js", ".mjs", ".rb", ".pl", ".bash"];
    let found = case.looks.find(&|name| makes(name) && ENDINGS.iter().any(|ending| name.ends_with(ending)));
    let is_run = |path: &str| case.words.iter().any(|word| case.at(&word.text) == path);
    let mut scripts =
        found.into_iter().filter(|path| !is_run(path) && case.looks.text(path).is_some_and(|text| says(&text)));
    let script = scripts.next()?;
    if scripts.next().is_some() || !case.folder().is_empty() {
        return None;
    }
    let program = interpreter(case, &script)?;
    Some(line_of([program, &script]))
}

/// Targets that bring a base up to its schema.
const SCHEMA: &[&str] = &[
    "migrate",
    "db-migrate",
    "db:migrate",
    "migrations",
    "db-init",
    "db:init",
    "init-db",
    "initdb",
    "init_db",
    "db:setup",
    "db-setup",
    "db:create",
    "schema",
    "db:push",
    "db-schema",
    "setup-db",
];

fn schema_maker(case: &Case<'_>) -> Option<String> {
    let of = |file: &str| declared(file, &case.looks.text(&case.at(file))?).map(|names| (file.to_owned(), names));
    let manifests = MAKEFILES.iter().copied().chain(["package.json", "justfile", "Taskfile.yml"]).filter_map(of);
    for (file, names) in manifests {
        if let Some(name) = SCHEMA.iter().find(|wanted| names.iter().any(|name| name == *wanted)) {
            return Some(match &*file {
                "package.json" => line_of([manager(case), "run", name]),
                "justfile" => line_of(["just", name]),
                "Taskfile.yml" => line_of(["task", name]),
                _ => line_of(["make", name]),
            });
        }
    }
    if case.kind("manage.py").is_some() {
        return Some("python3 manage.py migrate".to_owned());
    }
    if case.kind("alembic.ini").is_some() {
        return Some("alembic upgrade head".to_owned());
    }
    by_script(case, &|text| text.to_ascii_lowercase().contains("create table") || text.contains(".sql"))
        .or_else(|| by_migrations(case))
}

/// Whether a name is that of a base of SQLite.
pub(super) fn is_base(name: &str) -> bool {
    [".db", ".sqlite", ".sqlite3", ".db3"].iter().any(|end| name.ends_with(end))
}

/// The table that the output says is not there, in small letters.
pub(super) fn missing_table(case: &Case<'_>) -> Option<String> {
    let name = case.between("no such table: ", "")?.rsplit('.').next()?;
    Some(name.trim_end_matches([')', '\'', '"']).to_lowercase())
}

/// The only base of SQLite that is named, else the only one of the project.
fn base_of(case: &Case<'_>) -> Option<String> {
    let named = case.words.iter().find(|word| word.is_literal && is_base(&word.text)).map(|word| case.at(&word.text));
    named.or_else(|| <[String; 1]>::try_from(case.looks.find(&is_base)).ok().map(|[only]| only))
}

/// A base that reads as this many bytes of text, or fewer, was seen whole.
const SEEN_WHOLE: usize = 60_000;

/// The only other base of the project that has the table.
pub(super) fn base_with(case: &Case<'_>, base: &str, table: &str) -> Option<String> {
    let has_it = |path: &String| {
        path != base && case.looks.beginning(path).is_some_and(|text| tables_of(&text).iter().any(|name| name == table))
    };
    let found: Vec<String> = case.looks.find(&is_base).into_iter().take(20).filter(has_it).collect();
    <[String; 1]>::try_from(found).ok().map(|[only]| only)
}

/// Whether a base has no table at all, as one that was made by its name being written.
pub(super) fn is_bare(case: &Case<'_>, base: &str) -> bool {
    case.looks.beginning(base).is_some_and(|text| text.len() <= SEEN_WHOLE && tables_of(&text).is_empty())
}

/// The tables that a text of SQL makes.
fn tables_of(sql: &str) -> Vec<String> {
    let lower = sql.to_ascii_lowercase();
    let rests = lower.split("create table").skip(1);
    let name = |rest: &str| {
        let rest = rest.trim_start().trim_start_matches("if not exists").trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default().trim_matches(['"', '`', '[', ']', '\'']).to_owned()
    };
    rests.map(name).collect()
}

/// The files of SQL that bring a base of SQLite as far as the table that it lacks: all that are numbered where it has no
/// table at all, else those before it whose tables it does not have either.
fn by_migrations(case: &Case<'_>) -> Option<String> {
    let table = missing_table(case)?;
    let base = base_of(case)?;
    if !case.looks.programs().iter().any(|name| name == "sqlite3") {
        return None;
    }
    let found = case.looks.find(&|name| name.ends_with(".sql") && !name.contains("down"));
    let read: Vec<(String, String)> =
        found.into_iter().filter_map(|path| case.looks.text(&path).map(|text| (path, text))).collect();
    let makers: Vec<&(String, String)> = read.iter().filter(|(_, text)| tables_of(text).contains(&table)).collect();
    let [(maker, _)] = makers.as_slice() else { return None };
    // The base's own schema stands at its beginning, as text.
    let beginning = case.looks.beginning(&base).unwrap_or_default();
    let held = tables_of(&beginning);
    // Of a large base the schema may stand further behind; and an empty one may be a slip beside the one that is meant.
    if held.is_empty() && (beginning.len() > SEEN_WHOLE || base_with(case, &base, &table).is_some()) {
        return None;
    }
    let folder = parent(maker);
    let mut files: Vec<&(String, String)> = read
        .iter()
        .filter(|(path, text)| {
            let tables = tables_of(text);
            let lacks = !tables.is_empty() && tables.iter().all(|name| !held.contains(name));
            // A base without a table was brought up to nothing yet.
            parent(path) == folder
                && if held.is_empty() { path == maker || is_numbered(path) } else { path <= maker && lacks }
        })
        .collect();
    files.sort();
    let takes_away = |text: &str| {
        let lower = text.to_ascii_lowercase();
        ["drop ", "delete ", "truncate ", "update "].iter().any(|word| lower.contains(word))
    };
    if files.is_empty() || files.len() > 50 || files.iter().any(|(_, text)| takes_away(text)) {
        return None;
    }
    let paths = files.iter().map(|(path, _)| quoted_word(path)).collect::<Vec<_>>().join(" ");
    Some(format!("cat -- {paths} | {}", line_of(["sqlite3", "-bail", &base])))
}

/// Whether a file stands in an order by the number that its name begins with.
fn is_numbered(path: &str) -> bool {
    name_of(path).starts_with(|c: char| c.is_ascii_digit() || c == 'V')
}

/// Commands that tools tell to run first, and that prepare no more than that.
const PREPARE: &[&str] = &[
    "go mod vendor",
    "go mod download",
    "terraform init",
    "tofu init",
    "prisma generate",
    "bundle install",
    "composer install",
    "poetry install",
    "npm install",
    "npm ci",
    "pnpm install",
    "yarn install",
    "bun install",
    "mix deps.get",
    "flutter pub get",
    "dart pub get",
    "dotnet restore",
    "cargo fetch",
    "git submodule update --init",
    "git submodule update --init --recursive",
    "autoreconf -i",
    "autoreconf -fi",
    "alembic upgrade head",
    "python manage.py migrate",
    "python3 manage.py migrate",
    "uv sync",
];

/// A command that the output tells to run before, as words of a line.
fn told_first(case: &Case<'_>) -> Option<Vec<String>> {
    const MARKS: &[&str] = &[
        "run ", "run: ", "Run ", "Run: ", "execute ", "Execute ", "running ", "with ", "try ", "Try ", "call ", "use ",
    ];
    for line in case.text().lines().filter(|line| line.len() <= 1_000) {
        for mark in MARKS {
            for (at, _) in line.match_indices(mark) {
                let rest = line.get(at + mark.len()..).unwrap_or_default().trim_start();
                let told = match rest.chars().next() {
                    Some(sign @ ('`' | '\'' | '"')) => rest.get(1..).and_then(|rest| rest.split(sign).next()),
                    _ => rest.split([',', ';', '(', ')', '.', '`', '"']).next().map(|told| {
                        if rest.starts_with("./") { rest.split([' ', ',', ';']).next().unwrap_or(told) } else { told }
                    }),
                };
                let words: Vec<&str> = told.unwrap_or_default().split_whitespace().collect();
                if let Some(words) = as_told(case, &words) {
                    return Some(words);
                }
            }
        }
    }
    None
}

/// Words of a sentence that stand behind a command. Others make it another command: `npm install -g npm`.
const SENTENCE: &[&str] = &["first", "before", "to", "and", "again", "in", "then", "or", "for", "from"];

/// The words of a command that the project declares, or that only prepares; words of the sentence behind it are left out.
fn as_told(case: &Case<'_>, words: &[&str]) -> Option<Vec<String>> {
    let owned = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    let declares = |file: &str, name: &str| {
        case.looks
            .text(&case.at(file))
            .and_then(|text| declared(file, &text))
            .is_some_and(|names| names.iter().any(|own| own == name))
    };
    let is_script = |path: &str| {
        path.contains(['/', '.'])
            && !path.starts_with(['/', '-', '~'])
            && !path.contains("..")
            && matches!(case.kind(path), Some(FileKind::Script(_) | FileKind::Text))
    };
    match words {
        ["make" | "gmake", target, ..] if MAKEFILES.iter().any(|file| declares(file, target)) => owned(&words[..2]),
        ["npm" | "pnpm" | "yarn" | "bun", "run", script, ..] if declares("package.json", script) => owned(&words[..3]),
        ["yarn" | "pnpm", script, ..] if declares("package.json", script) => owned(&words[..2]),
        ["just", recipe, ..] if declares("justfile", recipe) => owned(&words[..2]),
        ["task", task, ..] if declares("Taskfile.yml", task) => owned(&words[..2]),
        ["bash" | "sh" | "python" | "python3" | "node" | "ruby" | "perl", script, ..] if is_script(script) => {
            owned(&words[..2])
        }
        ["npx", rest @ ..] if PREPARE.iter().any(|known| starts(rest, known)) => {
            Some(["npx", "--no-install"].iter().chain(rest.iter().take(2)).map(|word| (*word).to_owned()).collect())
        }
        [script, ..] if script.contains('/') && is_script(script) => {
            let plain = script.trim_start_matches("./");
            match (case.kind(script), interpreter(case, plain)) {
                (Some(FileKind::Script(_)), None) => owned(&words[..1]),
                (_, Some(program)) => Some(vec![program.to_owned(), plain.to_owned()]),
                _ => None,
            }
        }
        _ => {
            let known = PREPARE.iter().filter(|known| starts(words, known)).max_by_key(|known| known.len())?;
            if words.get(known.split(' ').count()).is_some_and(|next| !SENTENCE.contains(next)) {
                return None;
            }
            Some(known.split(' ').map(str::to_owned).collect())
        }
    }
}

fn starts(words: &[&str], known: &str) -> bool {
    let mut own = words.iter();
    known.split(' ').all(|part| own.next() == Some(&part))
}

pub(in super::super) fn do_what_is_told_first(case: &Case<'_>) -> Offered {
    if !case.looks.is_looking() || !case.is_whole() {
        return Err("nothing was looked at: --probe finds what is told");
    }
    let words = told_first(case).ok_or("the output tells of nothing to be done first")?;
    let line = line_of(&words);
    if case.failed.line.as_deref().is_some_and(|own| own.contains(&line)) {
        return Err("what is told is what failed");
    }
    if is_grave(&line) {
        return Err("by its name it does more than prepare");
    }
    let steps = vec![
        Step::new(format!("Run {}", quoted(&line, 100)), Deed::Run(case.in_folder(&line)), "What was missing is there"),
        Step::work("Make the call again", case.again(), "It passes"),
    ];
    let state = format!("the output itself tells to run {} first", quoted(&line, 100));
    Ok(Offer::new(state.clone(), steps).seen(state))
}

pub(in super::super) fn look_at_the_link(case: &Case<'_>) -> Offered {
    let missing = paths::missing(case).ok_or("the output names no path of the call")?;
    let whole = case.at(&missing.path);
    // A folder on the way may be the link.
    let mut path = whole.clone();
    let leads_nowhere = |path: &str| {
        let is_named = case.looks.names(&parent(path)).iter().any(|other| other.name == name_of(path));
        is_named && case.looks.kind(path).is_none()
    };
    for _ in 0..4 {
        if leads_nowhere(&path) || !path.contains('/') {
            break;
        }
        path = parent(&path);
    }
    if !leads_nowhere(&path) {
        return Err("the path is no link that leads nowhere");
    }
    let target = line_of(["readlink", "-m", "--", &path]);
    let line = format!("{}; {target}; ls -A -- \"$(dirname -- \"$({target})\")\"", line_of(["ls", "-ld", "--", &path]));
    let state = format!("{} is a link, and what it leads to is not there", quoted(&path, 100));
    Ok(Offer::new(
        state.clone(),
        vec![Step::new("Look where the link leads", Deed::Run(line), "The path that is not there")],
    )
    .seen(state))
}

pub(in super::super) fn look_at_the_schema(case: &Case<'_>) -> Offered {
    if !case.says(&["no such column", "no such table", "has no column named"]) {
        return Err("no base lacks a table or column");
    }
    let base = base_of(case).ok_or("no single base is named")?;
    let line = line_of(["sqlite3", "-readonly", &base, ".schema"]);
    Ok(Offer::new(
        "the base says which tables and columns it has",
        vec![Step::new("Look which tables and columns there are", Deed::Run(line), "The names that exist")],
    ))
}

/// Whether a line of the project does more than make something here, by the names in it.
fn is_grave(line: &str) -> bool {
    const GRAVE: &[&str] = &[
        "deploy", "publish", "release", "push", "clean", "drop", "reset", "destroy", "delete", "remove", "prod",
        "purge", "wipe",
    ];
    let lower = line.to_ascii_lowercase();
    GRAVE.iter().any(|word| lower.contains(word)) && !lower.starts_with("cargo build")
}

/// The submodule that a missing path lies in: its folder is there, and empty.
fn submodule_of(case: &Case<'_>, path: &str) -> Option<String> {
    let modules = case.looks.text(&case.at(".gitmodules"))?;
    let folders = modules.lines().filter_map(|line| line.trim().strip_prefix("path = "));
    let own = folders.into_iter().find(|folder| path.starts_with(&format!("{folder}/")))?;
    (case.looks.names(&case.at(own)).len() <= 1).then(|| own.to_owned())
}

pub(in super::super) fn build_what_is_missing(case: &Case<'_>) -> Offered {
    if !case.looks.is_looking() || !case.is_whole() {
        return Err("nothing was looked at: --probe finds what makes it");
    }
    let (what, line) = if case.says(&["no such table", "relation \"", "doesn't exist in table", "Undefined table"]) {
        let line = schema_maker(case).ok_or("nothing of the project is known to make the schema")?;
        ("the schema of the base".to_owned(), line)
    } else {
        let path = missing_file(case)
            .or_else(|| paths::missing(case).map(|missing| missing.path))
            .ok_or("the output names no file that is missing")?;
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        if case.kind(&path).is_some() || path.starts_with('/') {
            return Err("what is missing is not the project's");
        }
        let line = maker(case, &path).ok_or("nothing of the project is known to make it")?;
        (quoted(&path, 100), line)
    };
    if case.failed.line.as_deref().is_some_and(|own| own.trim() == line) {
        return Err("making it is what failed");
    }
    if is_grave(&line) {
        return Err("by its name it does more than make something here");
    }
    let steps = vec![
        Step::new(format!("Make {what}"), Deed::Run(case.in_folder(&line)), "It is there"),
        Step::work("Make the call again", case.again(), "It finds what it needs"),
    ];
    let state = format!("{what} is not there yet, and {} makes it", quoted(&line, 100));
    Ok(Offer::new(state.clone(), steps).seen(state))
}

/// What a script says where it is run from another folder than it was written for.
pub(in super::super) fn run_from_its_folder(case: &Case<'_>) -> Offered {
    if !case.looks.is_looking() || !case.is_whole() || !case.folder().is_empty() {
        return Err("nothing was looked at: --probe finds the folder");
    }
    let path = missing_file(case).ok_or("the output names no file that a program asked for")?;
    let is_calls = |word: &crate::shell::PlacedWord| word.text == path || word.text.trim_start_matches("./") == path;
    if case.kind(&path).is_some() || case.words.iter().any(is_calls) {
        return Err("the file is one of the call's own words");
    }
    let name = name_of(&path);
    let found = case.looks.find(&|other| other == name);
    let end = format!("/{path}");
    let mut folders: Vec<&str> = found.iter().filter_map(|other| other.strip_suffix(&*end)).collect();
    folders.dedup();
    let [folder] = folders.as_slice() else { return Err("no single folder of the project has it there") };
    let below = format!("{folder}/");
    // Paths of the line are those of the folder where it ran.
    let mut edits = Vec::new();
    for word in case.words.iter().filter(|word| word.is_literal && word.role != WordRole::Assignment) {
        let text = word.text.strip_prefix("./").unwrap_or(&word.text);
        if case.kind(text).is_none() || !text.contains(['/', '.']) || text.starts_with('/') {
            continue;
        }
        let made = match text.strip_prefix(&below) {
            Some(rest) if word.role == WordRole::Program => quoted_word(&format!("./{rest}")),
            Some(rest) => quoted_word(rest),
            None => format!("\"$OLDPWD\"/{}", quoted_word(text)),
        };
        edits.push((word.range.clone(), made));
    }
    edits.push((0..0, format!("cd {} && ", quoted_word(folder))));
    let step = case.again_edited(edits).ok_or("its command line is not whole")?;
    let state = format!("{} is there in {}", quoted(&path, 80), quoted(folder, 80));
    Ok(Offer::new(
        state.clone(),
        vec![Step::work(format!("Run it from {}", quoted(folder, 80)), step, "It finds its files")],
    )
    .seen(state))
}

/// What git knows of a path that is not there any more.
pub(in super::super) fn look_where_it_went(case: &Case<'_>) -> Offered {
    let missing = paths::missing(case).ok_or("the output names no path of the call")?;
    let cwd = case.failed.cwd.as_deref().unwrap_or_default();
    let own = missing.path.strip_prefix(cwd).and_then(|rest| rest.strip_prefix('/')).unwrap_or(&missing.path);
    if own.starts_with('/') || cwd.is_empty() {
        return Err("the path is not below the folder where it ran");
    }
    let path = case.at(own);
    match case.looks.moved(&path).ok_or("git knows of nothing that stood there")? {
        Moved::To(to) => {
            let here = case.folder();
            let shown = if here.is_empty() {
                to.clone()
            } else {
                to.strip_prefix(&format!("{here}/")).unwrap_or(&to).to_owned()
            };
            let shown = if missing.path.starts_with('/') { join(cwd, &to) } else { shown };
            let step = paths::again_at(case, &missing, &shown).ok_or("its arguments are not whole")?;
            let state = format!("git knows that {} is {} now", quoted(own, 100), quoted(&to, 100));
            Ok(Offer::new(
                state.clone(),
                vec![Step::work(
                    format!("Do it with {}", quoted(&to, 100)),
                    step,
                    "It works with the file that is there",
                )],
            )
            .seen(state))
        }
        Moved::GoneWith(commit) => {
            let look = format!(
                "{} && {}",
                line_of(["git", "log", "-n", "1", "--format=%h %s", &commit]),
                line_of(["git", "show", &format!("{commit}^:./{path}")])
            );
            let state = format!("a commit took {} away", quoted(own, 100));
            Ok(Offer::new(
                state.clone(),
                vec![Step::new(
                    "Look which commit took it away, and what it held",
                    Deed::Run(look),
                    "Why it is gone, and its last text",
                )],
            )
            .seen(state))
        }
    }
}

/// What is packed beside the path that is missing, and how it is unpacked.
const PACKED: &[(&str, &[&str])] = &[
    (".gz", &["gzip", "-dk", "--"]),
    (".bz2", &["bzip2", "-dk", "--"]),
    (".xz", &["xz", "-dk", "--"]),
    (".zst", &["zstd", "-d", "--"]),
];

pub(in super::super) fn unpack_it_first(case: &Case<'_>) -> Offered {
    let path = paths::missing(case)
        .map(|missing| missing.path)
        .or_else(|| missing_file(case))
        .ok_or("the output names no path")?;
    let row = PACKED.iter().find(|(ending, _)| case.kind(&format!("{path}{ending}")).is_some());
    let (ending, words) = row.ok_or("nothing packed stands beside it")?;
    if !case.is_whole() {
        return Err("its arguments are not whole");
    }
    let packed = format!("{}{ending}", case.at(&path));
    let line = line_of(words.iter().copied().chain([&*packed]));
    let state = format!("{} is there, packed", quoted(&packed, 100));
    let steps = vec![
        Step::new("Unpack it, and keep what it was packed in", Deed::Run(line), "The file is there"),
        Step::work("Make the call again", case.again(), "It reads the file"),
    ];
    Ok(Offer::new(state.clone(), steps).seen(state))
}

/// A program that the project declares or builds itself.
pub(in super::super) fn run_the_projects_own(case: &Case<'_>) -> Offered {
    let name = missing_program(case).ok_or("the output does not name the program")?;
    let word = case.program_word(name).ok_or("the line does not start it once by this name")?;
    let made = own_program(case, name).ok_or("the project declares no such program")?;
    let step = case.again_with_text(word, &made).ok_or("its command line is not whole")?;
    let state = format!("the project itself has {}", quoted(name, 60));
    Ok(Offer::new(
        state.clone(),
        vec![Step::work(format!("Run it as {}", quoted(&made, 120)), step, "The command runs")],
    )
    .seen(state))
}

fn own_program(case: &Case<'_>, name: &str) -> Option<String> {
    let plain = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
            && !name.starts_with('-')
    };
    if !plain(name) {
        return None;
    }
    let text = |file: &str| case.looks.text(&case.at(file));
    let python = [".venv/bin/python", "venv/bin/python"]
        .iter()
        .find(|path| case.kind(path).is_some())
        .map_or("python3", |path| path);
    if let Some(manifest) = node_manifest_here(case) {
        let own = manifest.get("bin").and_then(|bin| {
            bin.get(name).or(Some(bin).filter(|_| manifest["name"] == name))?.as_str().map(str::to_owned)
        });
        if let Some(path) = own.filter(|path| case.kind(path).is_some()) {
            return Some(line_of(["node", &path]));
        }
        if manifest.get("scripts").and_then(|scripts| scripts.get(name)).is_some() {
            return Some(format!("{} run {} --", manager(case), quoted_word(name)));
        }
    }
    for file in ["pyproject.toml", "setup.cfg", "setup.py"] {
        if let Some((module, function)) = text(file).and_then(|text| entry_point(&text, name)) {
            let top = module.split('.').next()?.to_owned();
            let path = if case.kind(&format!("src/{top}")).is_some() { "PYTHONPATH=src " } else { "" };
            let code = format!("import sys; from {module} import {function}; sys.exit({function}())");
            return Some(format!("{path}{python} -c {}", quoted_word(&code)));
        }
    }
    let cargo = text("Cargo.toml").is_some_and(|text| {
        text.lines().any(|line| {
            line.trim()
                .strip_prefix("name")
                .is_some_and(|rest| rest.trim_start_matches([' ', '=']).trim_matches('"') == name)
        })
    });
    if cargo || case.kind("Cargo.toml").is_some() && case.kind(&format!("src/bin/{name}.rs")).is_some() {
        return Some(format!("cargo run --quiet --bin {} --", quoted_word(name)));
    }
    if case.kind("go.mod").is_some() && case.kind(&format!("cmd/{name}")) == Some(FileKind::Dir) {
        return Some(line_of(["go", "run", &format!("./cmd/{name}")]));
    }
    for folder in ["", "src"] {
        if case.kind(&join(folder, &format!("{name}/__main__.py"))).is_some() {
            let path = if folder.is_empty() { "" } else { "PYTHONPATH=src " };
            return Some(format!("{path}{python} -m {}", quoted_word(name)));
        }
    }
    if declared_here(case, "make").iter().any(|own| own == name) {
        return Some(line_of(["make", name]));
    }
    // `release` for `scripts/release.sh`.
    let found = case.looks.find(&|other| {
        other.rsplit_once('.').is_some_and(|(stem, ending)| {
            stem == name && matches!(ending, "sh" | "py" | "js" | "mjs" | "rb" | "pl" | "bash")
        })
    });
    let own: Vec<&String> = found
        .iter()
        .filter(|path| {
            matches!(parent(path).as_str(), "." | "scripts" | "script" | "bin" | "tools" | "hack" | "dev" | "ci")
        })
        .collect();
    let [path] = own.as_slice() else { return None };
    Some(line_of([interpreter(case, path)?, path]))
}

/// The module and function behind a name that a package of Python declares as a program.
fn entry_point(text: &str, name: &str) -> Option<(String, String)> {
    let line = text.lines().find(|line| {
        line.trim().trim_matches(['"', '\'', ',', '[']).trim_start().starts_with(name)
            && line.contains('=')
            && line.contains(':')
    })?;
    let (head, target) = line.split_once('=')?;
    if head.trim().trim_matches(['"', '\'', '[']) != name {
        return None;
    }
    let (module, function) = target.trim().trim_matches(['"', '\'', ',', ']', ' ']).split_once(':')?;
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (is_name(module) && is_name(function)).then(|| (module.to_owned(), function.to_owned()))
}
