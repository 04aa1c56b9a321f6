//! Where an output says that it failed: places in sources, packages of tests, folders of scripts.

use super::Printed;
use crate::text::file_name;

/// The most places that are kept.
const MOST: usize = 200;

/// A place in a file that the output names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// As the output writes it.
    pub file: String,
    /// From 1.
    pub line: u64,
}

/// The places that a line of an output names: `src/a.rs:3:20`, `a.ts(3,5)`, `File "x.py", line 3`.
fn places(line: &str) -> Vec<SourcePlace> {
    // A checker names a file of the package where the package itself does not build: it says nothing of its lines.
    if line.contains(": : # ") || line.contains(": could not import ") {
        return Vec::new();
    }
    let is_plain = |file: &str| !file.contains([' ', '"', '\'']) && file.contains(['.', '/']);
    let mut found = Vec::new();
    let mut add = |file: &str, line: Option<u64>| {
        found.extend(line.map(|line| SourcePlace { file: file.to_owned(), line }));
    };
    if let Some((before, after)) = line.split_once("\", line ")
        && let Some((_, file)) = before.split_once("File \"")
    {
        add(file, leading_number(after));
    }
    // A shell names the script, then the line.
    if let Some((file, after)) = line.split_once(": line ").or_else(|| line.split_once(": "))
        && is_plain(file)
        && file.contains(char::is_alphabetic)
        && !file.contains("//")
        && let Some((number, _)) = after.split_once(": ")
    {
        add(file.trim_start_matches("./"), number.parse().ok());
    }
    // PHP and Perl write the number in words.
    for (file, number) in [(" in ", " on line "), (" at ", " line ")] {
        if let Some((before, after)) = line.rsplit_once(number)
            && let Some((_, file)) = before.rsplit_once(file)
            && is_plain(file)
        {
            add(file, leading_number(after));
        }
    }
    for word in line.split([' ', '\t', ',']).filter(|word| word.len() <= 1024) {
        let word = word.trim_start_matches(['(', '[', '"', '\'', '`']);
        let Some((file, rest)) = word.split_once([':', '(']) else { continue };
        let is_ending =
            |ending: &str| (1..=6).contains(&ending.len()) && ending.bytes().any(|b| b.is_ascii_alphabetic());
        let is_file = file.rsplit_once('.').is_some_and(|(_, ending)| is_ending(ending))
            && !file.starts_with('-')
            && !file.contains("//");
        if is_file {
            add(file.trim_start_matches("./"), leading_number(rest).filter(|line| *line > 0));
        }
    }
    found
}

/// The number that a text begins with.
fn leading_number(text: &str) -> Option<u64> {
    text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Folders of libraries and interpreters.
const ELSEWHERE: &[&str] = &[
    "node_modules",
    "site-packages",
    "/usr/lib",
    "/rustc/",
    ".cargo/registry",
    "<frozen",
    "/usr/local/lib",
    "/usr/local/go",
    "node:internal",
    "dist-packages",
    "/lib/ruby/",
    "/lib/python",
    "/lib/node_modules/",
    "/go/pkg/mod/",
    "/.rustup/",
    "/.pyenv/",
    "/installs/",
    "../../../",
    "../sysdeps/",
    "/Frameworks/",
];

/// Whether a file belongs to a library or an interpreter, or is made up by one.
pub fn is_of_others(file: &str) -> bool {
    file.starts_with('<') || ELSEWHERE.iter().any(|part| file.contains(part))
}

/// Whether a file is one of tests, by its name.
pub fn is_of_tests(name: &str) -> bool {
    ["test", "spec", "Test"].iter().any(|part| file_name(name).contains(part))
}

/// The lines of an output without what tests wrote to the error stream, which vitest prints below a head of its own up to an
/// empty line: passing tests, too, write of errors that they provoked.
fn lines_that_speak(text: &str) -> impl Iterator<Item = &str> {
    let mut is_of_test = false;
    text.lines().filter(move |line| {
        is_of_test = line.starts_with("stderr | ") || is_of_test && !line.trim().is_empty();
        !is_of_test
    })
}

/// The place of a Go test's first line that speaks of a failure: it writes what it only logs in the same form.
fn failed_in_go(text: &str) -> Option<SourcePlace> {
    const SAYS: &[&str] = &["expected", "should", "want", "got ", "failed", "error", "not ", "incorrect", "wrong"];
    let speaks = |line: &&str| {
        let said = line.split_once("_test.go:").map(|(_, said)| said.to_ascii_lowercase());
        said.is_some_and(|said| SAYS.iter().any(|word| said.contains(word)))
    };
    text.lines().filter(speaks).flat_map(places).find(|place| place.file.ends_with("_test.go"))
}

impl<'t> Printed<'t> {
    /// The project's own places: none of a library, nothing made up by an interpreter.
    pub fn places(self) -> Vec<SourcePlace> {
        let all = lines_that_speak(self.text).flat_map(places);
        all.filter(|place| !is_of_others(&place.file)).take(MOST).collect()
    }

    /// The place that a failed test names: in a file of tests, where there is one, behind the test's own name.
    pub fn place_of_test(self, test: Option<&str>) -> Option<SourcePlace> {
        let of_tests = |place: &SourcePlace| is_of_tests(&place.file);
        let behind = self.behind(test);
        if let Some(place) = failed_in_go(behind).or_else(|| failed_in_go(self.text)) {
            return Some(place);
        }
        let lines = behind.lines().filter(|line| !line.contains("[warn]"));
        let mut near = lines.flat_map(places).filter(|place| !is_of_others(&place.file));
        near.find(of_tests).or_else(|| {
            let own = self.places();
            own.iter().find(|place| of_tests(place)).or(own.first()).cloned()
        })
    }

    /// The packages whose tests failed, as a run of Go's tests lists them; where a test is named, from behind it on.
    pub fn failed_packages(self, test: Option<&str>) -> impl Iterator<Item = &'t str> {
        let head = test.map(|test| format!("--- FAIL: {test}"));
        let ends = self.behind(head.as_deref()).lines().map(|line| line.rsplit("] ").next().unwrap_or(line));
        ends.filter_map(|line| line.strip_prefix("FAIL\t")?.split_whitespace().next())
    }

    /// The folders of packages whose scripts ran, as their manager prints them: pnpm behind the script's name, npm where it
    /// says which failed.
    pub fn script_folders(self) -> Vec<&'t str> {
        let named = |line: &'t str| {
            let behind_the_script = || line.strip_prefix("> ")?.split(' ').nth(2).filter(|_| line.contains('@'));
            let of_the_failed = || line.strip_prefix("npm error path ");
            behind_the_script().or_else(of_the_failed).filter(|path| path.starts_with('/') && path.len() <= 1024)
        };
        let mut folders: Vec<&str> = self.text.lines().filter_map(named).collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// Whether scripts of several packages ran, each in its own folder.
    pub fn runs_in_workspaces(self) -> bool {
        let is_head = |line: &&str| {
            let name = line.strip_prefix("> ").and_then(|rest| rest.split(' ').next());
            name.is_some_and(|name| name.trim_start_matches('@').contains('@'))
        };
        self.text.lines().filter(is_head).take(2).count() == 2
    }

    /// The words behind the name of a runner, where a task prints its call: `$ go test -race ./...`.
    pub fn printed_call(self, runner: &str) -> Option<&'t str> {
        let call = format!("$ {runner} ");
        self.text.lines().find_map(|line| Some(line.split_once(&call)?.1.trim()).filter(|rest| !rest.is_empty()))
    }

    /// What stands in brackets behind a name: `test_sum (test_a.T)`.
    pub fn in_brackets(self, name: &str) -> Option<&'t str> {
        let begun = format!("{name} (");
        let inside = |line: &'t str| Some(line.split_once(&begun)?.1.split_once(')')?.0.trim());
        self.text.lines().filter_map(inside).find(|inside| !inside.is_empty())
    }

    /// A test's name with the file and the classes before it, as pytest prints it: `tests/test_pay.py::test_pays`.
    pub fn node_of_test(self, name: &str) -> Option<&'t str> {
        let end = format!("::{name}");
        self.text.split_whitespace().find(|word| word.ends_with(&end) && !word.starts_with('-'))
    }

    /// The text behind the first that stands in it; all of it where there is none.
    fn behind(self, mark: Option<&str>) -> &'t str {
        mark.and_then(|mark| self.text.split_once(mark)).map_or(self.text, |(_, behind)| behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_the_file_that_is_printed_before_it() {
        let text = "FAILED tests/test_pay.py::TestPay::test_pays - assert 1 == 2\nFAILED --x::test_owes";
        let node = |name: &str| Printed::of(text).node_of_test(name);
        assert_eq!(node("test_pays"), Some("tests/test_pay.py::TestPay::test_pays"));
        assert_eq!((node("pays"), node("test_owes")), (None, None));
    }

    #[test]
    fn places_are_read_in_the_forms_of_tools() {
        let one = |line: &str| places(line).into_iter().next().map(|place| (place.file, place.line));
        for (line, file, number) in [
            (" --> src/main.rs:3:20", "src/main.rs", 3),
            ("PHP Parse error:  syntax error in /a/b.php on line 3", "/a/b.php", 3),
            ("Division by zero at tools/x.pl line 12.", "tools/x.pl", 12),
            ("src/a.ts(3,5): error TS2552: x", "src/a.ts", 3),
            ("  File \"app/x.py\", line 12, in f", "app/x.py", 12),
            ("./main.c:4:5: error: y", "main.c", 4),
            ("bin/push.sh: line 7: KEY: unbound variable", "bin/push.sh", 7),
            ("push.sh: 7: KEY: parameter not set", "push.sh", 7),
            ("CartTest#test_total [test/cart_test.rb:5]:", "test/cart_test.rb", 5),
        ] {
            assert_eq!(one(line), Some((file.to_owned(), number)), "{line}");
        }
        assert_eq!(one("at 10:20:30 https://x.example:80/a"), None);
    }
}
