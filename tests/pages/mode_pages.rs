//! The pages of the failure modes: their form, and that each case is answered as it says.

use std::borrow::Cow;

use failwise::diagnose::pages::{PAGES, page};
use failwise::diagnose::{MODES, Mode, diagnose};
use failwise::model::{Output, ToolInput, Trace, TracedCall};
use failwise::score::pages::{FIRES, PageKind, SILENT, cases};
use serde_json::Value;

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

/// The modes of a call that failed.
fn modes_of(command: &str, stdout: &str, stderr: &str) -> Vec<Mode> {
    let call = TracedCall {
        input: ToolInput::Command { command: Cow::Borrowed(command), background: false },
        output: Output::Apart { stdout: Cow::Borrowed(stdout), stderr: Cow::Borrowed(stderr) },
        exit_code: Some(3),
        ..TracedCall::new()
    };
    diagnose(&Trace { calls: vec![call] }).findings.iter().map(|finding| finding.mode).collect()
}

/// What makes a mode is a line of error of the program that failed: the same words in a warning, in a file that is shown, in a
/// usage's list of options and in a text of the call make none.
#[test]
fn a_sign_counts_only_in_a_line_of_error() {
    const FAILED: &str = "tides: step 3 ended with 7\n";
    const MISSING: &str = "cat: gone.log: No such file or directory\n";
    let errors = |case: &Value| -> Vec<String> {
        let of_call = |call: &Value| call["stderr"].as_str().unwrap_or_default().lines().map(str::to_owned).collect();
        case["calls"].as_array().into_iter().flatten().flat_map(|call| -> Vec<String> { of_call(call) }).collect()
    };
    let is_sentence = |line: &String| {
        let is_plain =
            !line.contains("password prompt") && !line.contains(['\'', '"', '\\', '`', '$', '\u{1b}', '\r', '│']);
        // Of the program that shows the file it is a word of its own, and a request that ends with a colon goes on below.
        let is_own = line.starts_with("cat: ") || line.trim_end().ends_with(':');
        is_plain && !is_own && line.trim().len() > 16 && line.trim().len() < 200 && line.trim().contains(' ')
    };
    // A secret is shown wherever it stands.
    let shows_secret = |page: &str| page.starts_with("24-") || page.starts_with("42-");
    let all = PAGES
        .iter()
        .filter(|page| !shows_secret(page.name))
        .flat_map(|page| cases(page.text).unwrap().into_iter().map(|case| (page.name, case)));
    let signs = all.filter(|(_, case)| case.heading == FIRES).flat_map(|(page, case)| {
        errors(&case.json).into_iter().filter(is_sentence).map(move |line| (page, line.trim().to_owned()))
    });
    let (alone, shown) = (modes_of("tides sync", "", FAILED), modes_of("cat a.log gone.log", "", MISSING));
    let (mut tried, mut faults) = (0, Vec::new());
    for (page, sign) in signs {
        let told = [
            ("a warning", modes_of("tides sync", "", &format!("warning: {sign}\n{FAILED}")), &alone),
            ("a file", modes_of("cat a.log gone.log", &format!("{sign}\n"), MISSING), &shown),
            ("a usage", modes_of("tides sync", "", &format!("{FAILED}  --fast   {sign}\n")), &alone),
            ("the call", modes_of(&format!("tides note \"{sign}\""), "", &format!("+ note {sign}\n{FAILED}")), &alone),
        ];
        tried += 1;
        faults.extend(told.into_iter().filter(|(_, modes, without)| modes != *without).map(|(place, modes, _)| {
            format!("{page}: in {place}: {sign:?} makes {:?}", modes.iter().map(|mode| mode.id()).collect::<Vec<_>>())
        }));
    }
    assert!(tried > 200, "{tried} signs");
    assert!(faults.is_empty(), "{} of {tried} signs:\n{}", faults.len(), faults.join("\n"));
}
