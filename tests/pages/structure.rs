//! The rooms of `src/`: no cycle among them, dependencies that point one way, and pages that show them as they are.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test reads the sources and fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, from the bottom up: a room uses rooms of its own layer and of those below.
const LAYERS: [&str; 3] = ["values", "capability", "edge"];

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
    let (architecture, library) = (page("ARCHITECTURE.md"), without_marks(&page("src/lib.rs")));
    let told = rows(&architecture);
    assert_eq!(told, rows(&library), "the tables of rooms in ARCHITECTURE.md and src/lib.rs");
    let names: Vec<String> = told.iter().map(|row| row.room.clone()).collect();
    let met: BTreeSet<String> = names.iter().cloned().collect();
    assert_eq!(met.len(), names.len(), "a room stands twice: {names:?}");
    assert_eq!(met, rooms(), "the rooms that are told, and those that are there");
    for row in &told {
        let is_sentence = row.holds.len() > 20 && !row.holds.contains(". ");
        assert!(is_sentence, "{} is told in one sentence: {}", row.room, row.holds);
    }
    let picture = library.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(architecture.contains(picture), "the straight line of src/lib.rs is not the one of ARCHITECTURE.md");
}

#[test]
fn circles_and_arrows_are_read_from_sources() {
    let used = |text: &str| uses(text, &["a", "b", "c"].map(str::to_owned).into());
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

/// The rows of a page's table of rooms: `` | `src/room/` | layer | what it holds | ``.
fn rows(page: &str) -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.splitn(3, " | ").collect();
        let [path, layer, holds] = cells.try_into().ok()?;
        let room = path.strip_prefix("`src/")?.strip_suffix('`')?;
        let layer = LAYERS.iter().position(|known| *known == layer)?;
        let is_there = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room).exists();
        assert!(is_there, "src/{room} is not there");
        Some(Row { room: room_of(Path::new(room)), layer, holds: holds.to_owned() })
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

/// The room of a path below `src/`.
fn room_of(path: &Path) -> String {
    let first = path.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

fn rooms() -> BTreeSet<String> {
    let rooms = sources().into_iter().map(|(file, _)| room_of(&file));
    rooms.filter(|room| room != "lib").collect()
}

/// The library's files, relative to `src/`, with their text. Files of tests alone are left out.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut open = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let own = path.strip_prefix(&root).unwrap().to_owned();
            if path.is_dir() && own != Path::new("bin") {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !own.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((own, text));
            }
        }
    }
    found
}

fn graph() -> Graph {
    let rooms = rooms();
    let mut graph = Graph::new();
    for (file, text) in sources() {
        let room = room_of(&file);
        let own = graph.entry(room.clone()).or_default();
        for used in uses(&text, &rooms).into_iter().filter(|used| *used != room && room != "lib") {
            own.entry(used).or_insert_with(|| file.display().to_string());
        }
    }
    graph
}

/// The rooms that a file's text names behind `crate::`, without its comments and without its tests, which stand at its end.
fn uses(text: &str, rooms: &BTreeSet<String>) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut found = BTreeSet::new();
    for behind in code.split("crate::").skip(1) {
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
