//! The rooms of `core/` and `cli/`: no cycle among them, dependencies that point one way, and pages that show them as they are.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test reads the sources and fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, from the bottom up: a room uses rooms of its own layer and of those below.
const LAYERS: [&str; 3] = ["values", "capability", "edge"];

/// The packages with rooms, from the bottom up. `crate::` means a room of the own package first, then one of those below.
const PACKAGES: [&str; 2] = ["core", "cli"];

/// What each room uses, with a file that does.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn no_rooms_depend_on_each_other_in_a_circle() {
    let circle = circle(&graph());
    assert!(circle.is_empty(), "a circle of rooms: {}", circle.join(", "));
}

#[test]
fn dependencies_point_one_way() {
    let layers: BTreeMap<String, usize> =
        rows(&page("ARCHITECTURE.md")).into_iter().map(|row| (row.room, row.layer)).collect();
    let wrong: Vec<String> = arrows(&graph())
        .filter(|(from, to, _)| layers[*from] < layers[*to])
        .map(|(from, to, file)| {
            format!("{from} ({}) uses {to} ({}) in {file}", LAYERS[layers[from]], LAYERS[layers[to]])
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn both_pictures_show_every_room_with_one_sentence() {
    let architecture = page("ARCHITECTURE.md");
    let libraries = PACKAGES.map(|package| without_marks(&page(&format!("{package}/src/lib.rs"))));
    let told = rows(&architecture);
    let by_library: Vec<Row> = libraries.iter().flat_map(|library| rows(library)).collect();
    assert_eq!(told, by_library, "the tables of rooms in ARCHITECTURE.md and in the two `lib.rs`");
    let names: Vec<String> = told.iter().map(|row| row.room.clone()).collect();
    let met: BTreeSet<String> = names.iter().cloned().collect();
    assert_eq!(met.len(), names.len(), "a room stands twice: {names:?}");
    assert_eq!(met, rooms(), "the rooms that are told, and those that are there");
    for row in &told {
        let is_sentence = row.holds.len() > 20 && !row.holds.contains(". ");
        assert!(is_sentence, "{} is told in one sentence: {}", row.room, row.holds);
    }
    let picture = libraries[0].split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(architecture.contains(picture), "the straight line of core/src/lib.rs is not the one of ARCHITECTURE.md");
}

#[test]
fn circles_and_arrows_are_read_from_sources() {
    let used = |text: &str| uses(text, "crate::", &["a", "b", "c"].map(str::to_owned).into());
    assert_eq!(used("use crate::a::X;\nfn f() { crate::b::g() }"), ["a", "b"]);
    assert_eq!(used("use crate::{a::X, c::{self, Y}, other};"), ["a", "c"]);
    assert_eq!(used("// crate::a\n/// [`crate::b`]\nuse crate::cc::X;"), [""; 0]);
    assert_eq!(used("use crate::a::X;\n#[cfg(test)]\nmod tests { use crate::b::Y; }"), ["a"]);
    let graph = |arrows: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in arrows {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned(), format!("{from}.rs"));
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), [""; 0]);
    let found = circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]));
    assert_eq!(found, ["b uses c in b.rs", "c uses b in c.rs"]);
}

/// A row of the table of rooms.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    room: String,
    layer: usize,
    holds: String,
}

/// The rows of a page's table of rooms: `` | `core/src/room/` | layer | what it holds | ``.
fn rows(page: &str) -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.splitn(3, " | ").collect();
        let [path, layer, holds] = cells.try_into().ok()?;
        let path = path.strip_prefix('`')?.strip_suffix('`').filter(|path| path.contains("/src/"))?;
        let layer = LAYERS.iter().position(|known| *known == layer)?;
        let is_there = Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists();
        assert!(is_there, "{path} is not there");
        Some(Row { room: room_of(Path::new(path)), layer, holds: holds.to_owned() })
    };
    page.lines().filter_map(row).collect()
}

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The text of a library's own documentation.
fn without_marks(library: &str) -> String {
    let lines = library.lines().filter_map(|line| line.strip_prefix("//!"));
    lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
}

/// The room of a file by its path in the project: `core/hook` of `core/src/hook.rs`.
fn room_of(path: &Path) -> String {
    let parts: Vec<&str> = path.components().map(|part| part.as_os_str().to_str().unwrap()).collect();
    [parts[0], parts[2].trim_end_matches(".rs")].join("/")
}

fn rooms() -> BTreeSet<String> {
    let rooms = sources().into_iter().map(|(file, _)| room_of(&file));
    rooms.filter(|room| !room.ends_with("/lib")).collect()
}

/// The files of the packages with their text, by their paths in the project. Files of tests alone are left out.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open: Vec<PathBuf> = PACKAGES.iter().map(|package| root.join(package).join("src")).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(root).unwrap().to_owned(), text));
            }
        }
    }
    found
}

fn graph() -> Graph {
    let rooms = rooms();
    let names: BTreeSet<String> = rooms.iter().map(|room| room.split('/').nth(1).unwrap().to_owned()).collect();
    let mut graph = Graph::new();
    for (file, text) in sources() {
        let room = room_of(&file);
        let Some(package) = PACKAGES.iter().position(|package| room.starts_with(package)) else { continue };
        // A room that goes on in a package above names the one below by its library.
        let mut used: Vec<String> =
            uses(&text, "failwise_core::", &names).iter().map(|name| format!("core/{name}")).collect();
        used.extend(uses(&text, "crate::", &names).iter().filter_map(|name| {
            let known = PACKAGES[..=package].iter().rev().map(|package| format!("{package}/{name}"));
            known.into_iter().find(|room| rooms.contains(room))
        }));
        if room.ends_with("/lib") {
            continue;
        }
        let own = graph.entry(room.clone()).or_default();
        for used in used.into_iter().filter(|used| *used != room) {
            own.entry(used).or_insert_with(|| file.display().to_string());
        }
    }
    graph
}

/// The rooms that a file's text names behind a library's name, without its comments and without its tests, which stand at its end.
fn uses(text: &str, library: &str, rooms: &BTreeSet<String>) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut found = BTreeSet::new();
    for behind in code.split(library).skip(1) {
        match behind.strip_prefix('{') {
            Some(list) => found.extend(heads(list)),
            None => found.extend(word(behind)),
        }
    }
    found.into_iter().filter(|name| rooms.contains(name)).collect()
}

/// The first words of the items of `{a::X, b::{Y, Z}}`.
fn heads(list: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut heads = Vec::new();
    for item in list.split_inclusive(['{', '}', ',']) {
        if depth == 0 {
            heads.extend(word(item.trim_start()));
        }
        match item.chars().last() {
            Some('{') => depth += 1,
            Some('}') if depth == 0 => break,
            Some('}') => depth -= 1,
            _ => {}
        }
    }
    heads
}

fn word(text: &str) -> Option<String> {
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

fn arrows(graph: &Graph) -> impl Iterator<Item = (&String, &String, &String)> {
    graph.iter().flat_map(|(from, used)| used.iter().map(move |(to, file)| (from, to, file)))
}

/// The arrows of all circles, each with a file; none where there is none.
fn circle(graph: &Graph) -> Vec<String> {
    let turns_back = |(from, to, _): &(&String, &String, &String)| reached(graph, to).contains(from);
    arrows(graph).filter(turns_back).map(|(from, to, file)| format!("{from} uses {to} in {file}")).collect()
}

/// Every room that a room leads to.
fn reached<'a>(graph: &'a Graph, from: &'a String) -> BTreeSet<&'a String> {
    let mut open = vec![from];
    let mut met = BTreeSet::new();
    while let Some(room) = open.pop() {
        let next = graph.get(room).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.filter(|room| met.insert(*room)));
    }
    met
}
