//! JUnit XML as runners write it: one dialect each, read by what they share.
//!
//! What differs, from files that they wrote: the root is `testsuites` (pytest, jest, vitest, mocha, `node --test`, nextest,
//! phpunit, bats, playwright, gotestsum) or one `testsuite` (Surefire, Gradle, ctest); suites stand inside suites (phpunit, node), and
//! cases outside of any (node); `classname` is a class (pytest, Surefire), a package (gotestsum), a file (vitest, bats), the
//! name again or the end of it (jest, ctest, mocha), or the word `test` (node); retries are elements of a case (`rerunFailure`, `flakyFailure`:
//! Surefire, nextest), or the case again (pytest, gotestsum, Gradle). Nothing outside the document is read: an entity that it
//! declares stays as it is written.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::bounded::{Bounded, LONGEST_TEXT};
use super::container;
use super::run::{CaseStatus, ContainerEnd, TestCase};
use crate::reading::clean::clean;
use crate::redact::redact;
use crate::text::one_line;
use crate::time::{Time, parse};

/// The most cases that a run may have.
pub const MOST_CASES: usize = 100_000;
/// The most bytes that the names and suites of a run may have together.
const MOST_NAMES: usize = 12 * 1024 * 1024;
/// How many bytes of errors are kept of a run: those behind go without.
const MOST_ERRORS: usize = 8 * 1024 * 1024;
/// How deep elements may stand in one another.
const DEEPEST: usize = 64;

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// When the run began, in milliseconds since 1970, where it says so. A time without a zone is taken for UTC.
    pub at: Option<u64>,
    /// How long it took, in milliseconds, where it says so.
    pub duration_ms: Option<u64>,
    /// Its cases, in its order.
    pub cases: Vec<TestCase>,
    /// Whether it counts failures or errors that it gives no case for.
    pub failed_elsewhere: bool,
}

impl Report {
    /// Joins what another part of the same run says: a file for each class.
    pub fn join(&mut self, other: Self) {
        self.at = self.at.into_iter().chain(other.at).min();
        self.duration_ms = match (self.duration_ms, other.duration_ms) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.failed_elsewhere |= other.failed_elsewhere;
        self.cases.extend(other.cases);
    }

    /// Makes one case of what its parts call the same. To be done once, when all are joined.
    #[must_use]
    pub fn joined(mut self) -> Self {
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        let mut cases: Vec<TestCase> = Vec::with_capacity(self.cases.len());
        for case in self.cases {
            let place = *known.entry((case.suite.clone(), case.name.clone())).or_insert(cases.len());
            match cases.get_mut(place) {
                Some(first) => again(first, case),
                None => cases.push(case),
            }
        }
        self.cases = cases;
        self
    }
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunitRefusal {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there.
    pub why: String,
}

impl fmt::Display for JunitRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

/// Reads a file.
///
/// # Errors
/// When it is no JUnit file, is not whole, or is too much of one.
pub fn read(from: impl Read) -> Result<Report, JunitRefusal> {
    let mut reader = Reader::from_reader(Bounded::new(from));
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.allow_dangling_amp = true;
    let mut document = JunitDocument::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        // A parser that waits for the end of something has come to the end of the file: the line where it began tells more.
        let begun = reader.get_ref().line();
        let refusal = |line, why: String| JunitRefusal { line, why };
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => {
                let line = reader.get_ref().line();
                return document.end().map_err(|why| refusal(line, why));
            }
            Ok(event) => {
                document.event(&event).map_err(|why| refusal(reader.get_ref().line(), why))?;
            }
            Err(error) => return Err(refusal(begun, parser_words(&error))),
        }
    }
}

/// What a parser says, in words for people.
fn parser_words(error: &quick_xml::Error) -> String {
    match error {
        quick_xml::Error::Io(error) => error.to_string(),
        error => one_line(&error.to_string(), 200),
    }
}

/// A document as far as it was read.
#[derive(Default)]
struct JunitDocument {
    open: Vec<OpenElement>,
    suites: Vec<Suite>,
    case: Option<JunitCase>,
    report: Report,
    /// The suite element that each case was found in first, by its place in `report.cases`.
    found_in: Vec<u32>,
    /// The places of cases by a hash of what they are called.
    known: HashMap<u64, Vec<u32>>,
    /// What tells suite elements from one another, by their number: their name and their host.
    elements: Vec<Identity>,
    numbers: HashMap<Identity, u32>,
    hash: RandomState,
    /// How long the outermost suites took.
    took: u64,
    names: usize,
    errors: usize,
    has_begun: bool,
}

/// The name and the host of a suite element.
type Identity = (Rc<str>, Rc<str>);

/// An element that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenElement {
    Root,
    Suite,
    Case,
    /// A failure or an error, and whether it is of the case's last attempt.
    Failure {
        is_last: bool,
    },
    Output,
    /// A failure behind the first one: of a soft assertion, or of another attempt, in the same words.
    Repeated,
    Other,
}

struct Suite {
    name: String,
    element: u32,
    /// How many cases were known when it began, so that those in it are told from the others.
    first: usize,
    /// How many failures and errors it counts.
    failures: u64,
    container: Option<ContainerEnd>,
    /// A failure of its own, outside of any case.
    own: Option<JunitFailure>,
}

/// A case that has begun.
#[derive(Default)]
struct JunitCase {
    name: String,
    class: String,
    took: Option<u64>,
    is_skipped: bool,
    /// The failure of its last attempt.
    failure: Option<JunitFailure>,
    /// The failure of an attempt before.
    earlier: Option<JunitFailure>,
    /// How many attempts before failed, or how many beside the last one.
    retried: u32,
    output: String,
    container: Option<ContainerEnd>,
}

#[derive(Default)]
struct JunitFailure {
    kind: String,
    message: String,
    text: String,
}

impl JunitDocument {
    fn event(&mut self, event: &Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(tag) => self.start(tag)?,
            Event::End(_) => self.close()?,
            Event::Text(text) => self.text(text),
            Event::CData(text) => self.text(text),
            Event::GeneralRef(name) => {
                let written = format!("&{};", &**name);
                let known = unescape(&written).map(std::borrow::Cow::into_owned);
                self.text(known.as_deref().unwrap_or(&written));
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        if self.open.len() >= DEEPEST {
            return Err(format!("elements are nested deeper than {DEEPEST}"));
        }
        let name = tag.local_name();
        let word = name.as_ref();
        if self.open.is_empty() {
            if self.has_begun {
                return Err("something follows the end of the report".to_owned());
            }
            if !matches!(word, "testsuites" | "testsuite") {
                return Err(format!("it is no JUnit report: it begins with <{}>", one_line(word, 40)));
            }
            self.has_begun = true;
        }
        let open = match (word, self.case.is_some()) {
            ("testsuites", false) => OpenElement::Root,
            ("testsuite", false) => OpenElement::Suite,
            ("testcase", false) => OpenElement::Case,
            ("failure" | "error", _) => OpenElement::Failure { is_last: true },
            ("rerunFailure" | "rerunError" | "flakyFailure" | "flakyError", true) => {
                OpenElement::Failure { is_last: false }
            }
            ("system-out" | "system-err", true) => OpenElement::Output,
            _ => OpenElement::Other,
        };
        let open = if self.has_failure(open) { OpenElement::Repeated } else { open };
        self.open.push(open);
        match open {
            OpenElement::Root => self.root(tag),
            OpenElement::Suite => self.suite(tag),
            OpenElement::Case => self.begin_case(tag)?,
            OpenElement::Failure { is_last } => self.failure(tag, is_last),
            OpenElement::Other => self.other(word, tag),
            OpenElement::Output | OpenElement::Repeated => {}
        }
        Ok(())
    }

    /// Whether the failure that an element tells of was told.
    fn has_failure(&self, open: OpenElement) -> bool {
        open == OpenElement::Failure { is_last: true }
            && match (&self.case, self.suites.last()) {
                (Some(case), _) => case.failure.is_some(),
                (None, suite) => suite.is_some_and(|suite| suite.own.is_some()),
            }
    }

    fn root(&mut self, tag: &BytesStart<'_>) {
        self.report.duration_ms = attribute(tag, "time").and_then(|time| millis_of(&time));
        self.began(tag);
    }

    fn began(&mut self, tag: &BytesStart<'_>) {
        // googletest gives what did not run the beginning of time.
        let moment = attribute(tag, "timestamp").and_then(|time| moment_of(&time)).filter(|at| *at > 0);
        if let Some(at) = moment {
            self.report.at = Some(self.report.at.map_or(at, |known| known.min(at)));
        }
    }

    fn suite(&mut self, tag: &BytesStart<'_>) {
        self.began(tag);
        if self.suites.is_empty() {
            self.took += attribute(tag, "time").and_then(|time| millis_of(&time)).unwrap_or_default();
        }
        let name = attribute(tag, "name").map(|name| kept_name(&name)).unwrap_or_default();
        let host = attribute(tag, "hostname").map(|name| kept_name(&name)).unwrap_or_default();
        let counted = |name| attribute(tag, name).and_then(|count| count.parse::<u64>().ok()).unwrap_or_default();
        let failures = counted("failures").saturating_add(counted("errors"));
        self.names += name.len() + host.len();
        let identity: Identity = (name.as_str().into(), host.into());
        let next = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        let element = *self.numbers.entry(identity.clone()).or_insert(next);
        if element == next {
            self.elements.push(identity);
        }
        let first = self.report.cases.len();
        self.suites.push(Suite { name, element, first, failures, container: None, own: None });
    }

    fn begin_case(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        if self.report.cases.len() >= MOST_CASES {
            return Err(format!("more than {MOST_CASES} cases"));
        }
        let name = attribute(tag, "name").unwrap_or_default();
        let said = [attribute(tag, "status"), attribute(tag, "result")];
        // What ctest and googletest say of a case that did not run, without an element for it.
        let not_run = ["disabled", "notrun", "skipped", "suppressed"];
        let is_skipped = said.iter().flatten().any(|said| not_run.iter().any(|word| said.eq_ignore_ascii_case(word)));
        self.case = Some(JunitCase {
            name: kept_name(&name),
            class: attribute(tag, "classname").map(|class| kept_name(&class)).unwrap_or_default(),
            took: attribute(tag, "time").and_then(|time| millis_of(&time)),
            is_skipped,
            ..JunitCase::default()
        });
        Ok(())
    }

    fn failure(&mut self, tag: &BytesStart<'_>, is_last: bool) {
        let failure = || JunitFailure {
            kind: attribute(tag, "type").unwrap_or_default(),
            message: attribute(tag, "message").unwrap_or_default(),
            text: String::new(),
        };
        match (&mut self.case, self.suites.last_mut()) {
            (Some(case), _) if is_last => {
                case.failure.get_or_insert_with(failure);
            }
            (Some(case), _) => {
                case.retried = case.retried.saturating_add(1);
                // The last one is told: it is nearest to what the case came to.
                case.earlier = Some(failure());
            }
            (None, Some(suite)) => {
                suite.own.get_or_insert_with(failure);
            }
            (None, None) => {}
        }
    }

    fn other(&mut self, word: &str, tag: &BytesStart<'_>) {
        match (word, &mut self.case) {
            ("skipped" | "ignored", Some(case)) => case.is_skipped = true,
            ("property", case) => {
                let value = attribute(tag, "value").unwrap_or_default();
                let end = container::of_property(&attribute(tag, "name").unwrap_or_default(), &value);
                let place = match (case, self.suites.last_mut()) {
                    (Some(case), _) => Some(&mut case.container),
                    (None, suite) => suite.map(|suite| &mut suite.container),
                };
                if let Some(place) = place {
                    *place = place.or(end);
                }
            }
            _ => {}
        }
    }

    /// Takes a text to the innermost element that has a use for it.
    fn text(&mut self, text: &str) {
        let Some(open) = self.open.iter().rev().find(|open| **open != OpenElement::Other) else { return };
        let place = match (open, &mut self.case) {
            (OpenElement::Output, Some(case)) => Some(&mut case.output),
            (OpenElement::Failure { is_last: true }, Some(case)) => {
                case.failure.as_mut().map(|failure| &mut failure.text)
            }
            (OpenElement::Failure { is_last: false }, Some(case)) => {
                case.earlier.as_mut().map(|failure| &mut failure.text)
            }
            (OpenElement::Failure { .. }, None) => {
                self.suites.last_mut().and_then(|suite| suite.own.as_mut()).map(|failure| &mut failure.text)
            }
            _ => None,
        };
        if let Some(place) = place {
            let room = LONGEST_TEXT.saturating_sub(place.len());
            place.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
        }
    }

    fn close(&mut self) -> Result<(), String> {
        match self.open.pop() {
            Some(OpenElement::Case) => {
                let case = self.case.take().unwrap_or_default();
                self.end_case(case)
            }
            Some(OpenElement::Suite) => self.end_suite(),
            _ => Ok(()),
        }
    }

    fn end_suite(&mut self) -> Result<(), String> {
        let Some(mut suite) = self.suites.pop() else { return Ok(()) };
        if let Some(failure) = suite.own.take() {
            let (name, class) = (suite.name.clone(), String::new());
            self.end_case(JunitCase { name, class, failure: Some(failure), ..JunitCase::default() })?;
        }
        let inside = self.report.cases.get_mut(suite.first..).unwrap_or_default();
        let is_told = inside.iter().any(|case| case.failed_attempts > 0);
        self.report.failed_elsewhere |= suite.failures > 0 && !is_told;
        for case in inside.iter_mut().filter(|case| case.failed_attempts > 0) {
            case.container = case.container.or(suite.container);
        }
        Ok(())
    }

    fn end_case(&mut self, case: JunitCase) -> Result<(), String> {
        let suite = self.suite_of(&case);
        let element = self.suites.last().map_or(u32::MAX, |suite| suite.element);
        let taken = self.taken(case, suite);
        self.names += taken.name.len() + taken.suite.len();
        if self.names > MOST_NAMES {
            return Err(format!("the names of its cases have more than {MOST_NAMES} bytes"));
        }
        let places = self.known.entry(self.hash.hash_one((&taken.suite, &taken.name))).or_default();
        let is_same = |place: u32| {
            let case = self.report.cases.get(place as usize);
            case.is_some_and(|case| case.name == taken.name && case.suite == taken.suite)
        };
        let is_here = |place: u32| self.found_in.get(place as usize) == Some(&element);
        let same = places.iter().copied().find(|place| is_here(*place) && is_same(*place));
        let known = same.and_then(|place| self.report.cases.get_mut(place as usize));
        if let Some(known) = known {
            again(known, taken);
        } else {
            places.push(u32::try_from(self.report.cases.len()).unwrap_or(u32::MAX));
            self.found_in.push(element);
            self.report.cases.push(taken);
        }
        Ok(())
    }

    /// What a case belongs to: its class, unless that says nothing; else the suites around it.
    fn suite_of(&self, case: &JunitCase) -> String {
        let is_of_name = |front: &str| front.is_empty() || front.ends_with(' ');
        let says_nothing = case.name.strip_suffix(case.class.as_str()).is_some_and(is_of_name) || case.class == "test";
        if !case.class.is_empty() && !says_nothing {
            return case.class.clone();
        }
        let names = self.suites.iter().map(|suite| suite.name.as_str()).filter(|name| !name.is_empty());
        let names: Vec<&str> = names.filter(|name| *name != case.name).collect();
        one_line(&names.join(" > "), TestCase::LONGEST_NAME)
    }

    fn taken(&mut self, case: JunitCase, suite: String) -> TestCase {
        let status = match () {
            () if case.failure.is_some() => CaseStatus::Failed,
            () if case.is_skipped => CaseStatus::Skipped,
            () => CaseStatus::Passed,
        };
        let has_failed = case.failure.is_some();
        let output = container::of_output(&case.output).filter(|_| has_failed);
        let container = case.container.or(output);
        let heading = format!("{}::{}", case.class, case.name);
        let error = case.failure.or(case.earlier).map(|failure| failure.error(&heading, &case.output));
        let error = error.filter(|error| !error.is_empty() && self.errors + error.len() <= MOST_ERRORS);
        self.errors += error.as_ref().map_or(0, String::len);
        TestCase {
            name: case.name,
            suite,
            status,
            duration_ms: case.took,
            attempts: case.retried.saturating_add(1),
            failed_attempts: case.retried.saturating_add(u32::from(has_failed)),
            error,
            container,
        }
    }

    fn end(mut self) -> Result<Report, String> {
        if !self.has_begun {
            return Err("it is empty".to_owned());
        }
        if let Some(open) = self.open.last() {
            let what = match open {
                OpenElement::Root => "testsuites",
                OpenElement::Suite => "testsuite",
                OpenElement::Case => "testcase",
                OpenElement::Failure { .. } | OpenElement::Output | OpenElement::Repeated | OpenElement::Other => {
                    "an element"
                }
            };
            return Err(format!("it ends inside of {what}, so the rest of it is missing"));
        }
        let is_told_apart = self.tell_apart();
        let added = self.report.cases.iter().filter_map(|case| case.duration_ms);
        let added = || added.fold(0, u64::saturating_add);
        let took = self.report.duration_ms.or(Some(self.took).filter(|took| *took > 0));
        self.report.duration_ms = took.or_else(|| Some(added()).filter(|took| *took > 0));
        // Names that were made longer may be those of others.
        Ok(if is_told_apart { self.report.joined() } else { self.report })
    }

    /// Where the same case stands in several suites, such as one for each browser, says of each in which. Whether there was any.
    fn tell_apart(&mut self) -> bool {
        let mut is_any = false;
        for places in self.known.values().filter(|places| places.len() > 1) {
            is_any = true;
            let elements: Vec<&Identity> = places
                .iter()
                .filter_map(|place| self.elements.get(*self.found_in.get(*place as usize)? as usize))
                .collect();
            let is_by_host = elements.iter().all(|(_, host)| !host.is_empty())
                && elements.windows(2).all(|two| matches!(two, [(_, one), (_, other)] if one != other));
            for place in places {
                let element = self.found_in.get(*place as usize).and_then(|it| self.elements.get(*it as usize));
                let (Some((name, host)), Some(case)) = (element, self.report.cases.get_mut(*place as usize)) else {
                    continue;
                };
                let apart: &str = if is_by_host { host } else { name };
                if !apart.is_empty() && apart != case.suite {
                    case.suite = one_line(&format!("{apart} > {}", case.suite), TestCase::LONGEST_NAME);
                }
            }
        }
        is_any
    }
}

/// Takes a case that stands in its suite again for another attempt at it; the last one counts.
fn again(known: &mut TestCase, case: TestCase) {
    if case.status == CaseStatus::Skipped {
        return;
    }
    if known.status == CaseStatus::Skipped {
        *known = case;
        return;
    }
    known.status = case.status;
    known.attempts = known.attempts.saturating_add(case.attempts);
    known.failed_attempts = known.failed_attempts.saturating_add(case.failed_attempts);
    known.duration_ms = match (known.duration_ms, case.duration_ms) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    known.error = case.error.or(known.error.take());
    known.container = case.container.or(known.container);
}

impl JunitFailure {
    /// Why it failed, in the runner's words: the message first, then what it says beside. `heading` is what the case is called
    /// by a runner that says it once more.
    fn error(&self, heading: &str, output: &str) -> String {
        // What gotestsum writes for each failure.
        let message = Some(self.message.trim()).filter(|message| *message != "Failed").unwrap_or_default();
        let text = self.text.trim();
        let first = message.lines().next().unwrap_or_default();
        let all = match (message, text) {
            ("", "") if self.kind.is_empty() => output.trim().to_owned(),
            ("", "") => self.kind.clone(),
            ("", text) => without_progress(text, heading).to_owned(),
            (message, "") => message.to_owned(),
            (_, text) if text.starts_with(first) => text.to_owned(),
            (message, text) => format!("{message}\n{text}"),
        };
        let redacted = redact(&clean(&all)).into_owned();
        crate::text::start(&redacted, TestCase::LONGEST_ERROR).trim_end().to_owned()
    }
}

/// A text without the lines in front that only say which test it is: those of `go test`, and the first one of phpunit.
fn without_progress<'t>(text: &'t str, heading: &str) -> &'t str {
    const PROGRESS: [&str; 5] = ["=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "--- FAIL: "];
    let is_heading = |rest: &str| rest.is_empty() || rest.starts_with(" (") || rest.starts_with(" with data set ");
    let is_progress = |line: &str| {
        PROGRESS.iter().any(|it| line.starts_with(it)) || line.strip_prefix(heading).is_some_and(is_heading)
    };
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('\n').filter(|(line, _)| is_progress(line)) {
        rest = after;
    }
    rest.trim()
}

/// A name as it is kept.
fn kept_name(name: &str) -> String {
    let name = redact(&one_line(&clean(name), TestCase::LONGEST_NAME)).into_owned();
    // What stands for a secret may be longer than the secret.
    crate::text::start(&name, TestCase::LONGEST_NAME).trim_end().to_owned()
}

/// The value of an attribute, its entities replaced where they are XML's own.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)?;
    let raw = found.value;
    Some(unescape(&raw).map_or_else(|_| raw.to_string(), std::borrow::Cow::into_owned))
}

/// A span in seconds as milliseconds: `0.012`, `1,234.5`.
fn millis_of(seconds: &str) -> Option<u64> {
    let plain = if seconds.contains('.') { seconds.replace(',', "") } else { seconds.replace(',', ".") };
    let seconds: f64 = plain.trim().parse().ok()?;
    let is_span = seconds.is_finite() && (0.0..=1e9).contains(&seconds);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 10^12")]
    is_span.then_some((seconds * 1000.0).round() as u64)
}

/// A moment as runners write it: RFC 3339, with and without a zone.
fn moment_of(text: &str) -> Option<u64> {
    let text = text.trim().replacen(' ', "T", 1);
    let zoned = || parse(&text);
    let without_colon = || {
        let (head, zone) = text.split_at_checked(text.len().checked_sub(5)?)?;
        let (hours, minutes) = zone.split_at_checked(3)?;
        parse(&format!("{head}{hours}:{minutes}"))
    };
    let at: Time = zoned().or_else(without_colon).or_else(|| parse(&format!("{text}Z")))?;
    u64::try_from(at.timestamp_millis()).ok()
}
