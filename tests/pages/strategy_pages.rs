//! The pages of the recovery strategies: one for each, in its form, and each case answered as it says.

use failwise::recover::STRATEGIES;
use failwise::recover::pages::PAGES;
use failwise::score::pages::{FIRES, PageKind, SILENT, cases};

#[test]
fn every_case_is_planned_as_its_page_says() {
    crate::page_cases::check(|kind| kind == PageKind::Strategy);
}

#[test]
fn every_strategy_has_one_page_in_its_form() {
    assert_eq!(PAGES.len(), STRATEGIES.len());
    for strategy in STRATEGIES {
        let Some(page) = PAGES.iter().find(|page| page.name == strategy.name) else {
            panic!("{} has no page", strategy.name)
        };
        assert!(page.text.starts_with(&format!("# {}\n\n", strategy.name)), "{} has another title", page.name);
        let headings: Vec<&str> = page.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, [FIRES, SILENT], "{}", page.name);
        let cases = cases(page.text).unwrap_or_else(|fault| panic!("{}: {fault}", page.name));
        for heading in [FIRES, SILENT] {
            assert!(cases.iter().any(|case| case.heading == heading), "{} has no case under {heading}", page.name);
        }
    }
}
