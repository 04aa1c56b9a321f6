//! The pages under `rules/`: their cases, and whether the code decides as they say.

mod case;
pub mod classes;
mod modes;
pub mod readings;
mod strategies;

pub use case::{FIRES, PageCase, SILENT, cases};

use serde::Serialize;

use crate::diagnose::pages as mode_pages;
use crate::recover::{AskedCall, pages as strategy_pages};

/// What reads the JSON of a failed call, as `host` does for commands.
pub type ReadCall = fn(&[u8]) -> Result<AskedCall, String>;

/// Every page of a rule or a reading, by kind and name.
pub const PAGES: &[Page] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Folder and name of every other page, whose cases are played through the hook, and its text.
const SHOWN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shown.rs"));

/// The text of the page that a person means: `classes/transient-failure`, `advice/known`, a mode also by its number, `modes/10`;
/// and each without its folder.
pub fn text_of(path: &str) -> Option<&'static str> {
    let is_it = |own: &str| own == path || own.rsplit('/').next() == Some(path);
    let shown = || SHOWN.iter().find(|(own, _)| is_it(own)).map(|(_, text)| *text);
    page_named(path).map(|page| page.text).or_else(shown)
}

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// A rule of a ruleset: `rules/classes`.
    Class,
    /// A reading of tools' output: `rules/readings`.
    Reading,
    /// A failure mode of this number: `rules/modes`.
    Mode(u8),
    /// A recovery strategy: `rules/strategies`.
    Strategy,
}

/// Every page: those of [`PAGES`], then those of the failure modes by number and of the strategies by name.
pub fn all() -> impl Iterator<Item = Page> {
    let mut modes: Vec<Page> = mode_pages::PAGES
        .iter()
        .map(|page| Page { kind: PageKind::Mode(page.id), name: page.name, text: page.text })
        .collect();
    modes.sort_by_key(|page| match page.kind {
        PageKind::Mode(id) => id,
        _ => 0,
    });
    let strategies =
        strategy_pages::PAGES.iter().map(|page| Page { kind: PageKind::Strategy, name: page.name, text: page.text });
    PAGES.iter().copied().chain(modes).chain(strategies)
}

/// The page with cases that a person means.
fn page_named(path: &str) -> Option<Page> {
    let mode = path.strip_prefix("modes/").unwrap_or(path).parse().ok();
    let is_it = |page: &Page| {
        page.path() == path || page.name == path || matches!(page.kind, PageKind::Mode(id) if mode == Some(id))
    };
    all().find(is_it)
}

/// A page with cases.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// What it is about.
    pub kind: PageKind,
    /// The file's name without its ending.
    pub name: &'static str,
    /// The whole text.
    pub text: &'static str,
}

/// How the code answers the cases of a page.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// Folder and name.
    pub page: String,
    /// All cases.
    pub cases: usize,
    /// Those under "Stays silent".
    pub near_misses: usize,
    /// Those that are answered as the page says.
    pub passed: usize,
    /// The others. A page that cannot be read has a fault and no cases.
    pub faults: Vec<Fault>,
}

/// A case that is answered otherwise than its page says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The heading and the sentence or command that tell the case from the others.
    pub case: String,
    /// What differs.
    pub difference: String,
}

impl Page {
    /// Folder and name, as a person types it.
    pub fn path(&self) -> String {
        let folder = match self.kind {
            PageKind::Class => "classes",
            PageKind::Reading => "readings",
            PageKind::Mode(_) => "modes",
            PageKind::Strategy => "strategies",
        };
        format!("{folder}/{}", self.name)
    }

    /// Runs every case.
    pub fn check(&self, read: ReadCall) -> Checked {
        let mut checked = Checked { page: self.path(), cases: 0, near_misses: 0, passed: 0, faults: Vec::new() };
        match cases(self.text) {
            Ok(cases) => cases.iter().for_each(|case| checked.count(case, self.answers(case, read))),
            Err(difference) => checked.faults.push(Fault { case: "the page".to_owned(), difference }),
        }
        checked
    }

    fn answers(&self, case: &PageCase, read: ReadCall) -> Result<(), String> {
        match self.kind {
            PageKind::Class => classes::check(case, self.name),
            PageKind::Reading => readings::check(case),
            PageKind::Mode(id) => modes::check(case, id),
            PageKind::Strategy => strategies::check(case, self.name, read),
        }
    }
}

impl Checked {
    fn count(&mut self, case: &PageCase, answer: Result<(), String>) {
        self.cases += 1;
        self.near_misses += usize::from(case.heading == SILENT);
        match answer {
            Ok(()) => self.passed += 1,
            Err(difference) => self.faults.push(Fault { case: case.title(), difference }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AskedCall, Page, PageKind};

    const GOOD: &str = "# x\n\nIt is x.\n\n## Fires\n\nNobody knows it:\n\n```json\n{ \"expect\": { \"class\": \"F2\" } }\n```\n\n## Stays silent\n\nIt passed:\n\n```json\n{ \"event\": { \"outcome\": \"succeeded\" }, \"decided_by\": \"not-a-failure\" }\n```\n";

    /// These pages have no cases of strategies.
    fn unread(_: &[u8]) -> Result<AskedCall, String> {
        Err("nothing is read".to_owned())
    }

    fn page(text: &'static str, kind: PageKind) -> Page {
        Page { kind, name: "unknown-local", text }
    }

    #[test]
    fn cases_are_counted_and_what_differs_is_told() {
        let checked = page(GOOD, PageKind::Class).check(unread);
        assert_eq!((checked.cases, checked.near_misses, checked.passed), (2, 1, 2), "{:?}", checked.faults);
        let wrong: &'static str = GOOD.replace("\"F2\"", "\"F1\"").leak();
        let checked = page(wrong, PageKind::Class).check(unread);
        assert_eq!((checked.cases, checked.passed), (2, 1));
        assert_eq!(checked.faults[0].case, "Fires: Nobody knows it");
        assert!(checked.faults[0].difference.contains("\"F2\", not \"F1\""), "{:?}", checked.faults);
    }

    #[test]
    fn a_page_that_cannot_be_read_is_a_fault() {
        for (text, words) in [
            ("## Fires\n\n```json\n{ \"expect\": \n```\n", "EOF"),
            ("## Fires\n\n```json\n{}\n", "ends inside a case"),
            ("no cases", "no cases"),
        ] {
            let checked = page(text, PageKind::Class).check(unread);
            assert_eq!(checked.cases, 0);
            assert!(checked.faults[0].difference.contains(words), "{:?}", checked.faults);
        }
    }

    #[test]
    fn a_case_that_says_what_nobody_checks_is_a_fault() {
        for (kind, json, words) in [
            (PageKind::Class, r#"{"evnt": {}}"#, "`evnt`"),
            (PageKind::Class, r#"{"event": {"exit": 1}}"#, "`exit`"),
            (PageKind::Reading, r#"{"command": "make", "expect": {"outcome": "failed", "colour": "red"}}"#, "`colour`"),
            (PageKind::Reading, r#"{"command": "make", "expect": {"category": "unknown"}}"#, "outcome"),
            (PageKind::Reading, r#"{"command": "make", "exit": 0, "expect": {"outcome": "failed"}}"#, "succeeded"),
            (PageKind::Reading, r#"{"command": "make", "exti": 2, "expect": {"outcome": "failed"}}"#, "`exti`"),
        ] {
            let text = format!("## Fires\n\nIt is so:\n\n```json\n{json}\n```\n");
            let checked = page(text.leak(), kind).check(unread);
            assert_eq!((checked.cases, checked.passed), (1, 0), "{json}");
            assert!(checked.faults[0].difference.contains(words), "{:?}", checked.faults);
        }
    }
}
