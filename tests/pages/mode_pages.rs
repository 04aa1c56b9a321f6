//! The pages of the failure modes: their form, and that each case is answered as it says.

use failwise::diagnose::pages::{PAGES, page};
use failwise::diagnose::{MODES, Mode};
use failwise::score::pages::{FIRES, PageKind, SILENT, cases};

#[test]
fn every_case_is_diagnosed_as_its_page_says() {
    crate::page_cases::check(|kind| matches!(kind, PageKind::Mode(_)));
}

#[test]
fn every_mode_has_one_page_in_its_form() {
    assert_eq!(PAGES.len(), MODES.len());
    for mode in MODES {
        let Some(page) = page(mode.id()) else { panic!("§{} has no page", mode.id()) };
        assert!(page.name.starts_with(&format!("{:02}-", mode.id())), "{}", page.name);
        assert!(
            page.text.starts_with(&format!("# §{:02} {}\n", mode.id(), mode.title())),
            "{} has another title",
            page.name
        );
        let headings: Vec<&str> = page.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let claimed = !matches!(mode, Mode::Observability | Mode::KnowledgePackaging);
        let wanted = ["Agent workaround", "Limitation", FIRES, SILENT];
        let wanted: Vec<&str> = wanted.into_iter().filter(|heading| claimed || *heading != FIRES).collect();
        let own: Vec<&str> = headings.into_iter().filter(|heading| claimed || *heading != FIRES).collect();
        assert_eq!(own, wanted, "{}", page.name);
        for heading in ["Agent workaround", "Limitation"] {
            assert!(page.section(heading).len() > 20, "{}: {heading} is empty", page.name);
        }
    }
}

#[test]
fn every_mode_that_is_claimed_has_firing_cases_and_near_misses() {
    for mode in MODES.iter().filter(|mode| !matches!(mode, Mode::Observability | Mode::KnowledgePackaging)) {
        let Some(page) = page(mode.id()) else { panic!("§{} has no page", mode.id()) };
        let cases = cases(page.text).unwrap_or_else(|fault| panic!("{}: {fault}", page.name));
        let count = |heading: &str| cases.iter().filter(|case| case.heading == heading).count();
        assert!(count(FIRES) >= 3, "{} fires {} times", page.name, count(FIRES));
        assert!(count(SILENT) >= 2, "{} has {} near misses", page.name, count(SILENT));
    }
}

#[test]
fn stubs_are_no_modes() {
    assert!([0, 36, 39, 48, 78].into_iter().all(|id| Mode::of(id).is_none()));
    assert_eq!(MODES.len(), 74);
    assert!(MODES.windows(2).all(|pair| matches!(pair, [a, b] if a < b)));
}
