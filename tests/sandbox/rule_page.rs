//! Pages whose cases are played by a test: a title, a heading for cases that fire and one for near misses, each case as JSON
//! between fences.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a helper of tests, which may fail them")]

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

const HEADINGS: [&str; 2] = ["Fires", "Stays silent"];

pub(crate) struct Page {
    path: PathBuf,
    text: String,
}

/// The pages of a folder of `rules/`, by their names.
pub(crate) fn pages(folder: &str) -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| Page { text: fs::read_to_string(&path).unwrap(), path }).collect()
}

impl Page {
    pub(crate) fn name(&self) -> &str {
        self.path.file_stem().unwrap().to_str().unwrap()
    }

    /// The cases that fire and the near misses, on a page of the form that all have.
    pub(crate) fn cases(&self) -> [Vec<&str>; 2] {
        let name = self.name();
        assert!(self.text.starts_with(&format!("# {name}\n\n")), "{name} has another title");
        let sections: Vec<&str> = self.text.split("\n## ").skip(1).collect();
        let headings: Vec<&str> = sections.iter().map(|section| section.lines().next().unwrap()).collect();
        assert_eq!(headings, HEADINGS, "{name}");
        [fences(sections[0]).collect(), fences(sections[1]).collect()]
    }
}

/// The texts between the fences of a section.
fn fences(section: &str) -> impl Iterator<Item = &str> {
    section.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap())
}

/// Plays every case of a folder's pages. `played` gives the case as it came out; where that is another one than the page's,
/// the test fails, and `UPDATE=1` writes it into the page.
pub(crate) fn check<C: Serialize + DeserializeOwned>(folder: &str, played: impl Fn(&C) -> C) {
    let update = std::env::var_os("UPDATE").is_some();
    let mut faults = Vec::new();
    for Page { path, text } in pages(folder) {
        let mut updated = text.clone();
        for fence in fences(&text) {
            let case = serde_json::from_str(fence).unwrap_or_else(|e| panic!("{}: {e}\n{fence}", path.display()));
            let pretty = |case: &C| serde_json::to_string_pretty(case).unwrap() + "\n";
            let (wanted, came_out) = (pretty(&case), pretty(&played(&case)));
            if came_out != wanted {
                faults.push(format!("{}: came out as\n{came_out}for\n{fence}", path.display()));
                updated = updated.replace(fence, &came_out);
            }
        }
        if update {
            fs::write(path, updated).unwrap();
        }
    }
    assert!(update || faults.is_empty(), "{}", faults.join("\n"));
}
