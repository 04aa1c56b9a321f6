//! Every page under `rules/readings` holds cases; every case is judged as the page says.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads pages and the names of the tables; a broken one ends it"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use failwise::host::recovery::read_call;
use failwise::score::pages::{PAGES, Page, PageKind};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(ending).map(str::to_owned))
        .collect()
}

#[test]
fn every_family_has_its_page() {
    let tables: BTreeSet<String> = names(&root().join("core/src/reading/tables"), ".rs")
        .into_iter()
        .filter(|n| n != "mod")
        .map(|n| n.replace('_', "-"))
        .collect();
    let pages = names(&root().join("rules/readings"), ".md");
    assert_eq!(tables.difference(&pages).collect::<Vec<_>>(), Vec::<&String>::new(), "families without a page");
}

#[test]
fn every_case_is_judged_as_its_page_says() {
    let mut wrong = Vec::new();
    let mut met = BTreeSet::new();
    for page in PAGES.iter().filter(|page| page.kind == PageKind::Reading) {
        met.insert(page.name.to_owned());
        assert!(
            page.text.lines().nth(2).is_some_and(|sentence| sentence.ends_with('.')),
            "{}: one sentence below the title",
            page.name
        );
        let checked = page.check(read_call);
        let fires = checked.cases - checked.near_misses;
        assert!(fires >= 2 && checked.near_misses >= 2, "{}: two cases that fire, two that stay silent", page.name);
        wrong.extend(checked.faults.into_iter().map(|f| format!("{}, {}: {}", page.name, f.case, f.difference)));
    }
    assert_eq!(met, names(&root().join("rules/readings"), ".md"), "the executable carries the pages of the folder");
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

/// The same output with the line ends of Windows says the same.
#[test]
fn every_case_is_judged_the_same_with_other_line_ends() {
    let output = regex::Regex::new(r#""text": *"(?:[^"\\]|\\.)*""#).unwrap();
    let (mut wrong, mut changed) = (Vec::new(), 0);
    for page in PAGES.iter().filter(|page| page.kind == PageKind::Reading) {
        let text = output.replace_all(page.text, |found: &regex::Captures<'_>| {
            changed += usize::from(found[0].contains(r"\n"));
            // A backslash before it makes it two signs of the output.
            found[0].replace(r"\\n", "\u{0}").replace(r"\n", r"\r\n").replace('\0', r"\\n")
        });
        let page = Page { text: Box::leak(text.into_owned().into_boxed_str()), ..*page };
        let checked = page.check(read_call);
        wrong.extend(checked.faults.into_iter().map(|f| format!("{}, {}: {}", page.name, f.case, f.difference)));
    }
    assert!(changed > 500, "{changed} outputs of several lines");
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}
