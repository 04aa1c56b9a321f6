//! The same work by a program that is there, where its words can be said in the other's.

use super::super::case::Case;
use super::manifests::manifest_of;
use crate::names::declared;
use crate::shell::{Command, PlacedWord, line_of};

/// A line that does what a missing program was to do, and the words for why.
pub(super) fn translated(case: &Case<'_>, name: &str) -> Option<(String, &'static str)> {
    let command = case.commands().find(|command| command.raw == name)?;
    let word = case.word_of(command)?;
    let own: Vec<&PlacedWord> = case.arguments_of(word).collect();
    let has = |program: &str| !case.looks.is_looking() || case.looks.programs().iter().any(|other| other == program);
    let operands: Vec<&str> = own.iter().map(|word| &*word.text).filter(|word| !word.starts_with('-')).collect();
    let options: Vec<&str> = own.iter().map(|word| &*word.text).filter(|word| word.starts_with('-')).collect();
    if own.iter().any(|word| !word.is_literal) {
        return None;
    }
    let (made, why) = match name {
        "tree" if has("find") && options.is_empty() => {
            (find(operands.first().copied(), &["-not", "-path", "*/.git/*"]), "`find` lists the same names")
        }
        "tree" if has("find") && options == ["-L"] && !operands.is_empty() => (
            find(operands.get(1).copied(), &["-maxdepth", operands[0], "-not", "-path", "*/.git/*"]),
            "`find` lists the same names",
        ),
        "fd" | "fdfind" if has("find") => (fd(&operands, &options)?, "`find` finds the same names"),
        "rg" | "ag" | "ack" if has("grep") => (search(&operands, &options)?, "`grep -r` finds the same lines"),
        "wget" if has("curl") && options.iter().all(|option| *option == "-q") && operands.len() == 1 => {
            (line_of(["curl", "-fsSLO", operands[0]]), "`curl` fetches the same file")
        }
        "wget" if has("curl") && options.contains(&"-O") && operands.len() == 2 => {
            (line_of(["curl", "-fsSL", "-o", operands[0], operands[1]]), "`curl` fetches the same file")
        }
        "unzip"
            if has("python3")
                && !operands.is_empty()
                && options.iter().all(|option| matches!(*option, "-q" | "-o" | "-d" | "-qo" | "-oq")) =>
        {
            let into = if options.contains(&"-d") { *operands.get(1)? } else { "." };
            (line_of(["python3", "-m", "zipfile", "-e", operands[0], into]), "Python unpacks the same archive")
        }
        "zip"
            if has("python3")
                && operands.len() > 1
                && options.iter().all(|option| matches!(*option, "-r" | "-q" | "-rq" | "-qr")) =>
        {
            (line_of(["python3", "-m", "zipfile", "-c"].iter().chain(&operands)), "Python packs the same archive")
        }
        "jq" if has("python3") && operands.first() == Some(&".") && options.is_empty() => {
            (line_of(["python3", "-m", "json.tool"].iter().chain(&operands[1..])), "Python prints the same JSON")
        }
        "dos2unix" if has("sed") && !operands.is_empty() && options.is_empty() => {
            (line_of(["sed", "-i", "s/\\r$//"].iter().chain(&operands)), "`sed` takes the same signs away")
        }
        "yarn" | "pnpm" | "bun" if has("npm") => (by_npm(case, name, command)?, "`npm` runs the same scripts"),
        "poetry" | "uv" | "pipenv" => (in_environment(case, &own)?, "the project's own environment holds it"),
        _ => return None,
    };
    Some((made, why))
}

fn find(folder: Option<&str>, tests: &[&str]) -> String {
    line_of(["find", &place(folder.unwrap_or("."))].into_iter().chain(tests.iter().copied()))
}

/// A path that no program takes for an option.
fn place(path: &str) -> String {
    if path.starts_with('-') { format!("./{path}") } else { path.to_owned() }
}

fn fd(operands: &[&str], options: &[&str]) -> Option<String> {
    if !options.is_empty() {
        // The kind of file and the ending are the options that are used most.
        let (kind, rest) = match (options, operands) {
            (["-e"], [ending, rest @ ..]) => (vec!["-name".to_owned(), format!("*.{ending}")], rest),
            (["-t"], ["f", rest @ ..]) => (vec!["-type".to_owned(), "f".to_owned()], rest),
            (["-t"], ["d", rest @ ..]) => (vec!["-type".to_owned(), "d".to_owned()], rest),
            _ => return None,
        };
        let name = rest.first().map(|name| vec!["-iname".to_owned(), format!("*{name}*")]).unwrap_or_default();
        let words: Vec<&str> = kind.iter().chain(&name).map(String::as_str).collect();
        return plain(rest.first().unwrap_or(&"")).then(|| find(rest.get(1).copied(), &words));
    }
    let name = operands.first().filter(|name| plain(name))?;
    Some(find(operands.get(1).copied(), &["-not", "-path", "*/.git/*", "-iname", &format!("*{name}*")]))
}

/// Whether letters mean the same in a pattern of names.
fn plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-_. ".contains(c))
}

fn search(operands: &[&str], options: &[&str]) -> Option<String> {
    const SAME: &[&str] =
        &["-i", "-l", "-n", "-w", "-c", "-v", "-F", "-q", "-o", "--files-with-matches", "--ignore-case"];
    let (pattern, places) = operands.split_first()?;
    if !options.iter().all(|option| SAME.contains(option)) {
        return None;
    }
    let kind: &[&str] = if options.contains(&"-F") { &["-rn"] } else { &["-rnE"] };
    let places: Vec<String> =
        if places.is_empty() { vec![".".to_owned()] } else { places.iter().map(|path| place(path)).collect() };
    let behind = ["--exclude-dir=.git", "-e", pattern, "--"];
    let words = ["grep"].iter().chain(kind).chain(options).chain(&behind);
    Some(line_of(words.map(|word| (*word).to_owned()).chain(places)))
}

/// A script of the project, or its installation, by the manager that comes with Node.
fn by_npm(case: &Case<'_>, name: &str, command: &Command) -> Option<String> {
    let scripts = declared("package.json", &manifest_of(case, "npm")?).unwrap_or_default();
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let (script, rest) = match args.as_slice() {
        [] if name == "yarn" => return Some("npm install".to_owned()),
        ["install" | "i"] => return Some("npm install".to_owned()),
        ["run" | "run-script", script, rest @ ..] | [script, rest @ ..] => (*script, rest),
        [] => return None,
    };
    if !scripts.iter().any(|own| own == script) {
        return None;
    }
    let behind: &[&str] = if rest.is_empty() || rest.first() == Some(&"--") { &[] } else { &["--"] };
    Some(line_of(["npm", "run", script].iter().chain(behind).chain(rest)))
}

/// What `poetry run`, `uv run` and `pipenv run` start, from the environment that they would start it in.
fn in_environment(case: &Case<'_>, own: &[&PlacedWord]) -> Option<String> {
    let [run, program, rest @ ..] = own else { return None };
    let is_own = |path: &String| case.kind(path).is_some();
    let path = [".venv", "venv"].iter().map(|folder| format!("{folder}/bin/{}", program.text)).find(is_own);
    let is_there = |name: &str| case.looks.programs().iter().any(|own| own == name);
    let made = match path {
        Some(path) => format!("./{path}"),
        // Without an environment of the project's own it is run as it stands.
        None if program.text.ends_with(".py") && is_own(&program.text) && is_there("python3") => {
            return (run.text == "run")
                .then(|| line_of(["python3", &program.text].into_iter().chain(rest.iter().map(|word| &*word.text))));
        }
        None if is_there(&program.text) => program.text.clone(),
        None => return None,
    };
    (run.text == "run").then(|| line_of([&*made].into_iter().chain(rest.iter().map(|word| &*word.text))))
}

/// A package of the project that Python runs by its name.
pub(super) fn as_module(case: &Case<'_>, name: &str) -> Option<String> {
    let python =
        ["python3", "python"].into_iter().find(|python| case.looks.programs().iter().any(|own| own == python))?;
    let module = name.replace('-', "_");
    let is_package =
        |folder: &str| case.kind(&super::super::case::join(folder, &format!("{module}/__main__.py"))).is_some();
    if is_package("") {
        return Some(line_of([python, "-m", &module]));
    }
    None
}
