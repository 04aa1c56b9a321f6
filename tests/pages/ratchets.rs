//! What may only fall: figures of the sources that say how often one thing is known twice. Each is counted here with
//! regular expressions over the sources, comments and test modules left out, so that the trend counts and not the figure.
//! A change that lowers a figure lowers its bound in the same commit; none raises one but the two of lines, in a commit of
//! its own that says what for.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads the sources")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

/// What was counted when each bound was last lowered, in the order of [`count`].
const BOUNDS: &[(&str, usize)] = &[
    ("type names in two files", 3),
    ("lists of programs outside `programs/` and `reading/tables`", 2),
    ("entries of these lists", 18),
    ("comparisons with the name of a program", 8),
    ("files that name git", 29),
    ("looks at text outside `reading/`", 0),
    ("names of free functions in three files", 50),
    ("strategies", 45),
    ("lines of recover, diagnose and forms", 16_979),
    ("lines of src", 154_252),
];

/// Programs whose names make a list one of programs: what agents run most.
const PROGRAMS: &str = "git npm npx pnpm yarn bun cargo go pip pip3 python python3 node docker kubectl gh make curl wget ssh \
    mvn gradle pytest jest vitest tsc eslint sed grep awk find cat ls tail head psql mysql redis-cli terraform aws gcloud az \
    helm ruby bundle rake php composer dotnet java javac rustc rustup deno uv poetry conda apt apt-get brew systemctl sudo tar \
    zip unzip jq vim nano less more tmux ruff mypy black prettier webpack vite next playwright ansible ansible-playbook vagrant \
    bazel cmake ninja gcc g++ clang ld rsync scp sqlite3 mongo mongosh ffmpeg openssl gpg crontab xargs env bash sh zsh";

/// A source file by its path below `src` of its package, without comments and test module.
struct Source {
    path: String,
    text: String,
    lines: usize,
}

impl Source {
    fn is_in(&self, rooms: &[&str]) -> bool {
        rooms.iter().any(|room| self.path.starts_with(room))
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

fn sources() -> Vec<Source> {
    let packages = ["core", "cli", ""].map(|package| Path::new(env!("CARGO_MANIFEST_DIR")).join(package).join("src"));
    let tests = regex(r"#\[cfg\(test\)\]\s*\n(?:#\[.*\]\s*\n)*mod \w+ \{");
    let comment = regex(r"(?m)^\s*//.*$");
    let mut found = Vec::new();
    let mut folders = packages.to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = packages
                .iter()
                .find_map(|root| path.strip_prefix(root).ok())
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            if Path::new(&relative).extension() != Some("rs".as_ref()) {
                continue;
            }
            let whole = fs::read_to_string(&path).unwrap();
            let own = match tests.find(&whole) {
                _ if relative.ends_with("/tests.rs") => "",
                Some(module) => &whole[..module.start()],
                None => &whole,
            };
            let text = comment.replace_all(own, "").into_owned();
            found.push(Source { path: relative, text, lines: whole.lines().count() });
        }
    }
    found
}

/// How many of these names stand in at least so many files.
fn in_files(sources: &[Source], pattern: &str, files: usize) -> usize {
    let pattern = regex(pattern);
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        for found in pattern.captures_iter(&source.text) {
            places.entry(found.get(1).unwrap().as_str()).or_default().insert(&source.path);
        }
    }
    places.values().filter(|paths| paths.len() >= files).count()
}

fn matches_in<'s>(sources: impl Iterator<Item = &'s Source>, pattern: &str) -> usize {
    let pattern = regex(pattern);
    sources.map(|source| pattern.find_iter(&source.text).count()).sum()
}

/// The lists of programs, and their entries: constants of at least three texts, of which nearly a third begin with a program.
fn program_lists(sources: &[Source], programs: &BTreeSet<&str>) -> (usize, usize) {
    let list = regex(r"(?s)\b(?:const|static)\s+[A-Z_0-9]+\s*:[^=;]*=\s*(.*?);\n");
    let literal = regex(r#""((?:[^"\\]|\\.)*)""#);
    let (mut lists, mut entries) = (0, 0);
    for source in sources.iter().filter(|source| !source.is_in(&["programs/", "reading/tables"])) {
        for body in list.captures_iter(&source.text) {
            let words: Vec<&str> = literal
                .captures_iter(body.get(1).unwrap().as_str())
                .map(|text| text.get(1).unwrap().as_str().split_whitespace().next().unwrap_or_default())
                .collect();
            let known = words.iter().filter(|word| programs.contains(*word)).count();
            if words.len() >= 3 && known >= 2 && known * 10 >= words.len() * 3 {
                lists += 1;
                entries += words.len();
            }
        }
    }
    (lists, entries)
}

fn comparisons(sources: &[Source], programs: &BTreeSet<&str>) -> usize {
    let compared = [
        r#"(?:runs|is|name\(\)\s*==|program\s*==|runs_any|first_word|starts_with)\s*\(?\s*&?\[?\s*"([a-z][a-z0-9 +._-]*)""#,
        r#"(?:matches!\(\s*|match )\*?[\w.]*(?:name\(\)|name|program|program\.as_str\(\))(?:,\s*| \{\s*)"([a-z][^"]*)""#,
    ];
    let compared = compared.map(regex);
    let outside = sources.iter().filter(|source| !source.is_in(&["programs/", "reading/tables"]));
    let names_one = |text: &str| text.split(' ').next().is_some_and(|word| programs.contains(word));
    let count = |source: &Source| {
        let found = compared.iter().flat_map(|pattern| pattern.captures_iter(&source.text));
        found.filter(|found| names_one(found.get(1).unwrap().as_str())).count()
    };
    outside.map(count).sum()
}

fn count() -> Vec<usize> {
    let sources = sources();
    let programs: BTreeSet<&str> = PROGRAMS.split_whitespace().collect();
    let (lists, entries) = program_lists(&sources, &programs);
    let pages = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/strategies")).unwrap();
    let pages = pages.map(|page| page.unwrap().file_name().to_string_lossy().into_owned());
    let names_git = regex(r#""git(?: [^"]*)?""#);
    let lines = |rooms: &[&str]| sources.iter().filter(|source| source.is_in(rooms)).map(|source| source.lines).sum();
    vec![
        in_files(&sources, r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|type|union)\s+([A-Z]\w*)", 2),
        lists,
        entries,
        comparisons(&sources, &programs),
        sources.iter().filter(|source| names_git.is_match(&source.text)).count(),
        matches_in(
            sources.iter().filter(|source| !source.is_in(&["reading/", "redact/", "programs/"])),
            r"\b(?:says|between|says_any)\(",
        ),
        in_files(&sources, r"(?m)^(?:pub(?:\([^)]*\))?\s+)?(?:const\s+)?fn\s+(\w+)", 3),
        pages.filter(|name| Path::new(name).extension() == Some("md".as_ref()) && name != "README.md").count(),
        lines(&["recover/", "diagnose/", "forms/"]),
        lines(&[""]),
    ]
}

#[test]
fn what_may_only_fall_does_not_rise() {
    let counted = count();
    assert_eq!(counted.len(), BOUNDS.len());
    let mut risen = Vec::new();
    for ((what, bound), count) in BOUNDS.iter().zip(counted) {
        println!("{count:>7} of {bound:>7}  {what}");
        if count > *bound {
            risen.push(format!("{what}: {count}, and may be {bound}"));
        }
    }
    assert!(risen.is_empty(), "{}", risen.join("\n"));
}
