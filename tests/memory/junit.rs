//! JUnit files: those that fifteen runners really wrote (`tests/junit/`), and those that nobody should write.

#![expect(clippy::disallowed_methods, reason = "reads the files of runners")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::Read;
use std::time::{Duration, Instant};

use failwise::test_runs::{CaseStatus, ContainerEnd, JunitRefusal, MOST_CASES, Report, TestCase, read};

fn report_of(runner: &str) -> Report {
    let file = format!("{}/tests/junit/{runner}.xml", env!("CARGO_MANIFEST_DIR"));
    read(std::fs::File::open(&file).unwrap()).unwrap_or_else(|refusal| panic!("{file}: {refusal}"))
}

fn case<'r>(report: &'r Report, suite: &str, name: &str) -> &'r TestCase {
    let found = report.cases.iter().find(|case| case.suite == suite && case.name == name);
    found.unwrap_or_else(|| panic!("no {suite} > {name} in {:#?}", report.cases))
}

fn parsed(xml: &str) -> Result<Report, JunitRefusal> {
    read(xml.as_bytes())
}

#[test]
fn what_each_runner_wrote_is_counted_as_it_counts() {
    // Passed, failed, skipped, and those that passed and failed in one run.
    for (runner, counts) in [
        ("bats", [1, 1, 1, 0]),
        ("ctest", [2, 3, 3, 0]),
        ("gotestsum", [3, 5, 1, 0]),
        ("gotestsum-rerun", [3, 3, 1, 1]),
        ("gradle", [1, 4, 2, 0]),
        ("gtest", [1, 1, 2, 0]),
        // Two suites of it, one of them in a file that is no JavaScript, and one pass at the second try, of which it says nothing.
        ("jest", [4, 2, 1, 0]),
        // What is not run stands in its counts only.
        ("mocha", [3, 4, 0, 0]),
        ("nextest", [2, 2, 0, 1]),
        ("node", [3, 2, 2, 0]),
        // The process of the only file was killed: nothing is known of its tests.
        ("node-crash", [0, 1, 0, 0]),
        ("phpunit", [3, 2, 2, 0]),
        ("playwright", [4, 2, 2, 0]),
        ("pytest", [5, 3, 2, 0]),
        // The worker was killed in one test, and another one went on (`pytest -n 1`).
        ("pytest-crash", [2, 1, 0, 0]),
        ("surefire", [2, 3, 2, 1]),
        ("unittest", [1, 3, 1, 0]),
        ("vitest", [3, 3, 2, 0]),
    ] {
        let report = report_of(runner);
        let count = |status| report.cases.iter().filter(|case| case.status == status).count();
        let flaky = report.cases.iter().filter(|case| case.is_flaky()).count();
        let found = [count(CaseStatus::Passed), count(CaseStatus::Failed), count(CaseStatus::Skipped), flaky];
        assert_eq!(found, counts, "{runner}: {:#?}", report.cases);
        assert!(report.duration_ms.is_some(), "{runner}");
        // phpunit, `node --test` and Surefire write no time.
        assert_eq!(report.at.is_none(), matches!(runner, "phpunit" | "node" | "node-crash" | "surefire"), "{runner}");
        assert!(report.cases.iter().all(|case| !case.name.is_empty()), "{runner}");
    }
}

#[test]
fn cases_are_told_apart_and_errors_begin_with_what_went_wrong() {
    let pytest = report_of("pytest");
    let failed = case(&pytest, "test_sums", "test_fails");
    assert_eq!(failed.error_line().as_deref(), Some("AssertionError: sums differ"));
    // A fixture that broke after a failure is the same case again.
    let late = case(&pytest, "test_sums", "test_late");
    assert_eq!((late.attempts, late.failed_attempts), (2, 2));

    let nextest = report_of("nextest");
    let retried = case(&nextest, "sums", "retried");
    assert_eq!((retried.status, retried.attempts, retried.failed_attempts), (CaseStatus::Passed, 2, 1));
    assert!(retried.error.as_deref().is_some_and(|error| error.contains("not yet")), "{retried:?}");
    let aborts = case(&nextest, "sums", "aborts");
    assert_eq!((aborts.status, aborts.attempts, aborts.failed_attempts), (CaseStatus::Failed, 2, 2));

    let surefire = report_of("surefire");
    let retried = case(&surefire, "shop.SumsTest", "retried");
    assert_eq!((retried.status, retried.attempts, retried.failed_attempts), (CaseStatus::Passed, 2, 1));
    assert_eq!(retried.error_line().as_deref(), Some("expected:<2> but was:<1>"));
    let fails = case(&surefire, "shop.SumsTest", "fails");
    assert_eq!((fails.status, fails.attempts, fails.failed_attempts), (CaseStatus::Failed, 2, 2));
    let slow = case(&report_of("gradle"), "shop.SumsTest", "slow").error_line();
    assert!(slow.is_some_and(|line| line.ends_with("test timed out after 50 milliseconds")));

    let go = report_of("gotestsum-rerun");
    let retried = case(&go, "example.com/sums", "TestRetried");
    assert_eq!((retried.status, retried.attempts, retried.failed_attempts), (CaseStatus::Passed, 2, 1));

    let failed = case(&report_of("gotestsum"), "example.com/sums", "TestFails").error_line();
    assert_eq!(failed.as_deref(), Some("sums_test.go:4: got 3, want 2"));
    let vitest = case(&report_of("vitest"), "sums.test.js", "sums > fails").error_line();
    assert_eq!(vitest.as_deref(), Some("expected 3 to be 2 // Object.is equality"), "the message before the text");

    let phpunit = case(&report_of("phpunit"), "SumsTest", "testErrors").error_line();
    assert_eq!(phpunit.as_deref(), Some("RuntimeException: no database"), "not the name of the test");
    let panics = case(&report_of("gotestsum"), "example.com/sums/crash", "TestPanics").error_line();
    assert_eq!(panics.as_deref(), Some("panic: assignment to entry in nil map [recovered]"));

    // The same tests in two browsers are no attempts.
    let playwright = report_of("playwright");
    assert_eq!(case(&playwright, "one > sums.spec.js", "sums › fails").attempts, 1);
    assert_eq!(case(&playwright, "two > sums.spec.js", "sums › fails").attempts, 1);

    // A class that is the end of the name says nothing: mocha's.
    let mocha = report_of("mocha");
    assert_eq!(case(&mocha, "inner", "sums inner works").status, CaseStatus::Passed);
    let hook = case(&mocha, "hooks", "hooks \"before all\" hook for \"is not reached\"");
    assert_eq!(hook.error_line().as_deref(), Some("no database"));
    // What was killed says so, or at least which file it was.
    let killed = case(&report_of("pytest-crash"), "test_crash", "test_ends").error_line();
    assert!(killed.is_some_and(|line| line.contains("worker 'gw0' crashed")));
    let killed = case(&report_of("node-crash"), "", "/home/dev/app/a.test.mjs").error.clone();
    assert!(killed.is_some_and(|error| error.contains("signal: 'SIGKILL'")));

    // Suites in suites, without a class.
    assert_eq!(case(&report_of("node"), "sums > inner", "works").status, CaseStatus::Passed);
    assert_eq!(case(&report_of("jest"), "sums", "sums inner works").status, CaseStatus::Passed);
    // Where a failure says nothing, the output does.
    assert_eq!(case(&report_of("ctest"), "(empty)", "fails").error.as_deref(), Some("expected 2, got 3"));
    assert_eq!(case(&report_of("vitest"), "", "broken.test.js").status, CaseStatus::Failed);
    // An attempt that failed as the one before is told once.
    let again = case(&report_of("vitest"), "sums.test.js", "sums > fails each time").error.clone().unwrap();
    assert_eq!(again.matches("Expected").count(), 1, "{again}");
}

#[test]
fn retries_and_odd_words_of_other_dialects_are_understood() {
    let report = parsed(
        r#"<testsuite name="shop.CartTest" time="1,234.5" timestamp="2026-03-14T09:00:00+0100" hostname="a">
          <testcase name="adds" classname="shop.CartTest" time="0.5">
            <flakyFailure message="lost" type="java.io.IOException"><stackTrace>at a.b</stackTrace><system-out>x</system-out></flakyFailure>
            <flakyError message="lost again"/>
          </testcase>
          <testcase name="pays" classname="shop.CartTest">
            <failure message="no"><![CDATA[no
at a.b]]></failure><rerunFailure message="no"/>
          </testcase>
          <testcase name="ships" classname="shop.CartTest"><properties><property name="container.exitCode" value="137"/></properties>
            <error type="java.net.ConnectException"/><system-out>container db exited with code 1</system-out></testcase>
          <error message="the suite could not be torn down"/>
        </testsuite>"#,
    )
    .unwrap();
    assert_eq!(report.duration_ms, Some(1_234_500));
    assert_eq!(report.at, Some(1_773_475_200_000), "with a zone without a colon");
    let adds = case(&report, "shop.CartTest", "adds");
    assert_eq!((adds.status, adds.attempts, adds.failed_attempts), (CaseStatus::Passed, 3, 2));
    assert_eq!(adds.error.as_deref(), Some("lost again"));
    let pays = case(&report, "shop.CartTest", "pays");
    assert_eq!((pays.status, pays.attempts, pays.failed_attempts), (CaseStatus::Failed, 2, 2));
    assert_eq!(pays.error.as_deref(), Some("no\nat a.b"));
    let ships = case(&report, "shop.CartTest", "ships");
    assert_eq!(ships.container.map(ContainerEnd::as_str), Some("oom_killed"));
    assert_eq!(ships.error.as_deref(), Some("java.net.ConnectException"));
    // What the suite itself says is a case of its name.
    assert_eq!(case(&report, "", "shop.CartTest").status, CaseStatus::Failed);

    let empty = parsed("<testsuites><testsuite name='a' tests='0' errors='1'/></testsuites>").unwrap();
    assert!(empty.cases.is_empty() && empty.failed_elsewhere);
}

#[test]
fn secrets_control_characters_and_long_texts_are_not_kept() {
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let long = "x ".repeat(100_000);
    let report = parsed(&format!(
        "<testsuite name='s'><testcase name='with {token}' classname='c&#10;d\u{1b}[31m'>\
         <failure message='&#27;[31mtoken {token}'>{long}</failure></testcase></testsuite>"
    ))
    .unwrap();
    let [only] = report.cases.as_slice() else { panic!("{report:?}") };
    let all = format!("{only:?}");
    assert!(!all.contains(&token[4..]), "{all}");
    assert!(!all.contains("u{1b}") && !only.suite.contains('\n'), "{all}");
    assert_eq!(only.suite, "c d");
    assert!(only.error.as_deref().is_some_and(|error| error.chars().count() <= TestCase::LONGEST_ERROR));
}

#[test]
fn what_is_no_whole_report_is_refused_with_its_line() {
    for (xml, line, why) in [
        ("", 1, "it is empty"),
        ("\n\nnot XML at all", 3, "it is empty"),
        ("<html><body/></html>", 1, "it begins with <html>"),
        ("<testsuite>\n<testcase name='a'>\n<failure>cut of", 3, "it ends inside of"),
        ("<testsuite>\n<testcase name='a'/>\n<testcase na", 3, ""),
        ("<testsuite>\n</testsuites>", 2, ""),
        ("<testsuite/>\n<testsuite/>", 2, "something follows"),
    ] {
        let refusal = parsed(xml).unwrap_err();
        assert_eq!(refusal.line, line, "{xml:?}: {refusal}");
        assert!(refusal.why.contains(why) && !refusal.why.is_empty(), "{xml:?}: {refusal}");
    }
    let wide: Vec<u8> = "<testsuite/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read(wide.as_slice()).unwrap_err().why.contains("UTF-16"));
    let deep = "<testsuite>".repeat(100_000);
    assert!(parsed(&deep).unwrap_err().why.contains("deep"));
}

#[test]
fn entities_stay_as_they_are_written() {
    let laughs: String = (1..10).fold("<!ENTITY e0 \"ha\">".to_owned(), |all, n| {
        format!("{all}<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10))
    });
    let report = parsed(&format!(
        "<?xml version=\"1.0\"?><!DOCTYPE t [{laughs}<!ENTITY out SYSTEM \"file:///etc/passwd\">]>\
         <testsuite name='s'><testcase name='&e9;'><failure>&e9; &out; &lt;&#65;&amp; &</failure></testcase></testsuite>"
    ))
    .unwrap();
    let [only] = report.cases.as_slice() else { panic!("{report:?}") };
    assert_eq!(only.name, "&e9;");
    assert_eq!(only.error.as_deref(), Some("&e9; &out; <A& &"));
}

#[test]
fn other_encodings_are_read_or_their_bytes_replaced() {
    let mut latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><testsuite name='s'><testcase name='caf".to_vec();
    latin.extend([0xE9]);
    latin.extend(b"'/></testsuite>");
    assert_eq!(read(latin.as_slice()).unwrap().cases[0].name, "café");
    let broken = [b"<testsuite name='s'><testcase name='a".as_slice(), &[0xFF, 0xC3], b"'/></testsuite>"].concat();
    assert_eq!(read(broken.as_slice()).unwrap().cases[0].name, "a\u{fffd}\u{fffd}");
    assert_eq!(parsed("\u{feff}<testsuite name='s'><testcase name='é'/></testsuite>").unwrap().cases[0].name, "é");
}

/// The beginning, so many times the middle, the end.
struct Endless {
    parts: [&'static [u8]; 3],
    times: u64,
    at: usize,
    part: usize,
}

impl Endless {
    fn of(begin: &'static str, middle: &'static str, times: u64, end: &'static str) -> Self {
        Self { parts: [begin.as_bytes(), middle.as_bytes(), end.as_bytes()], times, at: 0, part: 0 }
    }
}

impl Read for Endless {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let mut read = 0;
        while read < to.len() && self.part < 3 {
            let rest = &self.parts[self.part][self.at..];
            let count = rest.len().min(to.len() - read);
            to[read..read + count].copy_from_slice(&rest[..count]);
            (read, self.at) = (read + count, self.at + count);
            if self.at == self.parts[self.part].len() {
                self.at = 0;
                if self.part == 1 && self.times > 1 {
                    self.times -= 1;
                } else {
                    self.part += 1;
                }
            }
        }
        Ok(read)
    }
}

#[test]
fn huge_files_are_read_in_linear_time_and_little_memory() {
    const MB: u64 = 1 << 20;
    const CASE: &str = "<testcase name='t'><failure>";
    const END: &str = "</failure></testcase></testsuite>";
    let began = Instant::now();
    for (begin, middle, end) in [
        (CASE, "a line of a log\n", END),
        (CASE, "]]]]]]]]]]]]]]]]", END),
        ("<testcase name='t'><system-out><![CDATA[", "a line of a log\n", "]]></system-out></testcase></testsuite>"),
        ("<testcase name='t'><system-out><![CDATA[", "]a]]a]]]]a]]]]]\n", "]]></system-out></testcase></testsuite>"),
        ("<testcase name='t'/><!--", " - - - -> ]]> -\n", "--></testsuite>"),
        ("<testcase name='t'><failure message='", "an endless value", "'/></testcase></testsuite>"),
    ] {
        let whole: &'static str = Box::leak(format!("<testsuite name='s'>\n{begin}").into_boxed_str());
        let report = read(Endless::of(whole, middle, 8 * MB / 16, end)).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(report.cases.len(), 1, "{middle}");
    }
    let refused = |begin, middle: &'static str, times| {
        let refusal = read(Endless::of(begin, middle, times, "</testsuite>")).unwrap_err();
        refusal.to_string()
    };
    assert!(refused("<testsuite name='s'", " a='b'\n", MB).contains("a tag is longer"));
    assert!(refused("<!DOCTYPE t [", "<!ENTITY a 'b'>\n", MB).contains("a tag is longer"));
    let cases = MOST_CASES as u64 + 1;
    // The same name is the same case: names differ by their suites here.
    let many = refused("<testsuite name='s'>", "<testsuite><testcase name='t'/>\n", cases);
    assert!(many.contains("deep"), "{many}");
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

#[test]
fn lines_are_counted_through_what_is_left_out() {
    let xml = format!("<testsuite name='s'><testcase name='t'><failure>{}</failure>\n<broken", "log\n".repeat(50_000));
    let refusal = parsed(&xml).unwrap_err();
    assert_eq!(refusal.line, 50_002, "{refusal}");
}

#[test]
fn too_many_cases_are_refused() {
    let cases: Vec<String> =
        (0..=MOST_CASES).map(|number| format!("<testcase name='t{number}' classname='c'/>\n")).collect();
    let xml = format!("<testsuite name='s'>\n{}</testsuite>", cases.concat());
    let refusal = parsed(&xml).unwrap_err();
    assert!(refusal.why.contains("more than"), "{refusal}");
    assert_eq!(refusal.line, MOST_CASES as u64 + 2);
}
