//! Which run of a check is a part of a wider one, so that a pass of the wider one is a pass of it too.

use std::borrow::Cow;

use crate::model::Category;

use super::{Fact, Program, Trait, after_name};

/// A program with the words of its call.
#[derive(Debug, Clone, Copy)]
pub struct Run<'w> {
    /// What is known of the program.
    pub program: &'static Program,
    /// Its words.
    pub args: &'w [String],
}

/// The part of everything that a run looks at.
struct Part<'w> {
    /// Options that leave something out, with what they are given.
    filters: Vec<(&'w str, &'w str)>,
    /// Options that make more of it or other: build tags, features, settings.
    variants: Vec<(&'w str, &'w str)>,
    /// What it was told to look at; empty where it looks at everything.
    targets: Vec<Cow<'w, str>>,
    /// Whether a target stands for what lies below it.
    below: bool,
    /// Whether targets are paths.
    of_paths: bool,
}

/// Options of a filter that take no value.
const FLAGS: &[&str] = &[
    "-short",
    "-c",
    "--last-failed",
    "--changed",
    "--staged",
    "--onlyChanged",
    "-o",
    "--lib",
    "--bins",
    "--doc",
    "--no-run",
    "--no-build",
    "--exit-zero",
    "--list",
];
/// Options that name what is left out.
#[rustfmt::skip]
pub const LEAVES_OUT: &[&str] = &[
    "--deselect", "--exclude", "--exclude-regex", "--exclude-tags", "--exclude-task", "--grep-invert", "--ignore",
    "--ignore-glob", "--skip", "-E", "-LE", "-skip", "-x",
];
/// Options by which nothing is run: it is listed or built.
pub const RUNS_NONE: &[&str] = &["--list", "--no-run", "-c", "-list"];
/// Options that choose what is run of what is compiled: of compile errors they leave nothing out.
const CHOOSE: &[&str] = &["-run", "-skip", "-bench", "-short", "-c", "-list"];
/// Options that add to what is looked at: what a run with them finds, one without them may not see.
const ADDS: &[&str] = &[
    "-tags",
    "--tags",
    "--features",
    "--all-features",
    "--all-targets",
    "--tests",
    "--benches",
    "-race",
    "--workspace",
];
/// Options that make another check of it.
const SETTINGS: &[&str] = &["-c", "--config", "--config-file", "--rcfile", "--configuration"];
/// Options that stand for the same part as another program's.
const SCOPES: &[&str] = &["--filter", "-F", "-w", "--workspace", "-p"];

impl<'w> Run<'w> {
    /// Whether whatever this run can find of this category, the wider one finds too: `go test -run X ./a` is a part of
    /// `go test ./...`, and of compile errors `cargo check` is a part of `cargo test`. What a task runs only its output
    /// tells: `runners` are the programs that the wider run's output is of. `folder` is where this run stands below the
    /// directory of the wider one.
    pub fn is_part_of(&self, wide: &Run<'_>, of: Category, runners: &[String], folder: &str) -> bool {
        if wide.program.has(Trait::Tasks) && !self.program.has(Trait::Tasks) {
            let adds = self.args.iter().any(|word| ADDS.contains(&option(word).0));
            return !adds
                && wide.is_whole_task()
                && runners.iter().any(|runner| after_name(runner, self.program.words).is_some());
        }
        let (Some((own, row)), Some((mut all, wide_row))) = (self.part(), wide.part()) else { return false };
        if of == Category::CompileError {
            all.filters.retain(|(name, _)| !CHOOSE.contains(name));
        }
        let same = row == wide_row || wide_row.facts.iter().any(|fact| includes(fact, row.words, of));
        self.program == wide.program && same && own.moved_below(folder).is_some_and(|own| own.lies_in(&all))
    }

    /// Whether two runs of one program may find the same failure of this category; None where nothing is known of them.
    pub fn may_meet(&self, other: &Run<'_>, of: Category, folder: &str) -> Option<bool> {
        let ((own, row), (all, other_row)) = (self.part()?, other.part()?);
        let finds = |row: &Program, other: &Program| row.facts.iter().any(|fact| includes(fact, other.words, of));
        let related = row == other_row || finds(row, other_row) || finds(other_row, row);
        let meets = |own: Part<'_>| own.covers_any_of(&all) && !own.is_filtered_away_from(&all);
        (self.program == other.program).then(|| related && own.moved_below(folder).is_none_or(meets))
    }

    /// Whether both are of one subcommand; also where nothing is known of one of them.
    pub fn is_like(&self, other: &Run<'_>) -> bool {
        self.part().zip(other.part()).is_none_or(|((_, own), (_, other))| own == other)
    }

    /// The options by which the run leaves something out, with what they are given.
    pub fn filters(&self) -> Vec<(&'w str, &'w str)> {
        self.part().map(|(part, _)| part.filters).unwrap_or_default()
    }

    /// Whether the run looks at everything that its program looks at by itself.
    pub fn is_whole(&self) -> bool {
        self.part()
            .is_none_or(|(part, _)| part.filters.is_empty() && part.targets.is_empty() && part.variants.is_empty())
    }

    /// The row of the check that is run, and the part that its words name.
    fn part(&self) -> Option<(Part<'w>, &'static Program)> {
        let subcommand = self.program.called(self.args).find(|row| narrows(row).is_some());
        let row = subcommand.unwrap_or(self.program);
        let (by, all) = narrows(row)?;
        let mut named = subcommand.map_or(0, |row| row.words.split(' ').count());
        let below = !all.contains(&"./...");
        let (filters, variants, targets) = (Vec::new(), Vec::new(), Vec::new());
        let mut part = Part { filters, variants, targets, below, of_paths: !all.is_empty() };
        let mut everything = false;
        let mut words = self.args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let (name, value) = option(word);
            // What a program calls a filter is one, whatever another program means by it: `gradle test --tests X`.
            if !by.contains(&name) && (ADDS.contains(&name) || SETTINGS.contains(&name)) {
                let takes = value.is_empty() && matches!(name, "-tags" | "--tags" | "--features" | "-c" | "--config");
                part.variants.push((name, if takes { words.next().unwrap_or_default() } else { value }));
            } else if by.contains(&name) {
                let takes = value.is_empty() && !FLAGS.contains(&name);
                part.filters.push((name, if takes { words.next().unwrap_or_default() } else { value }));
            } else if word.starts_with('-') {
                if self.program.values.contains(&word) {
                    words.next();
                }
            } else if named > 0 {
                named -= 1;
            } else if all.contains(&word) {
                everything = true;
            } else {
                part.targets.push(Cow::Borrowed(word));
            }
        }
        if everything {
            part.targets.clear();
        } else if !below && part.targets.is_empty() {
            // Without a word it is the package of the directory alone.
            part.targets.push(Cow::Borrowed("."));
        }
        Some((part, row))
    }

    /// Whether a task is run as the project wrote it, without words that would narrow it.
    pub fn is_whole_task(&self) -> bool {
        self.args.iter().all(|word| word != "--" && !word.contains(['/', '.']) && !SCOPES.contains(&option(word).0))
    }
}

impl Part<'_> {
    fn lies_in(&self, wide: &Self) -> bool {
        let covered = |target: &Cow<'_, str>| wide.targets.iter().any(|all| covers(all, target, wide.below));
        let everything = wide.targets.is_empty();
        let kept =
            |(name, value): &(&str, &str)| self.filters.iter().any(|(own, given)| own == name && holds(value, given));
        let added = |variant: &(&str, &str)| wide.variants.contains(variant);
        let set = |variant: &(&str, &str)| !SETTINGS.contains(&variant.0) || self.variants.contains(variant);
        wide.filters.iter().all(kept)
            && self.variants.iter().all(added)
            && wide.variants.iter().all(set)
            && (everything || !self.targets.is_empty() && self.targets.iter().all(covered))
    }

    fn covers_any_of(&self, other: &Self) -> bool {
        let meet = |a: &str, b: &str| covers(a, b, self.below) || covers(b, a, self.below);
        self.targets.is_empty()
            || other.targets.is_empty()
            || self.targets.iter().any(|a| other.targets.iter().any(|b| meet(a, b)))
    }

    /// Whether both name tests by one option, and none of them in common.
    fn is_filtered_away_from(&self, other: &Self) -> bool {
        let apart = |(name, value): &(&str, &str)| {
            let same = other.filters.iter().filter(|(own, _)| own == name);
            same.clone().next().is_some()
                && same.clone().all(|(_, given)| {
                    !holds(value, given) && !holds(given, value) && is_plain(value) && is_plain(given)
                })
        };
        self.filters.iter().any(apart)
    }

    /// The same part as it is named from a directory above.
    fn moved_below(mut self, folder: &str) -> Option<Self> {
        if folder.is_empty() {
            return Some(self);
        }
        if !self.of_paths {
            return None;
        }
        let below = if self.below { "" } else { "/..." };
        if self.targets.is_empty() {
            self.targets.push(Cow::Owned([folder, below].concat()));
        } else {
            for target in &mut self.targets {
                *target = Cow::Owned([folder, "/", plain(target)].concat());
            }
        }
        Some(self)
    }
}

/// The name of an option, and the value that stands in the same word.
fn option(word: &str) -> (&str, &str) {
    word.split_once('=').filter(|_| word.starts_with('-')).unwrap_or((word, ""))
}

/// Whether what the narrow pattern selects the wide one selects too: the same, one more alternative, or a beginning.
fn holds(wide: &str, narrow: &str) -> bool {
    let covered = |name: &str| {
        wide.split('|')
            .any(|all| all == name || is_plain(all) && !all.is_empty() && name.trim_start_matches('^').starts_with(all))
    };
    wide == narrow || narrow.split('|').all(covered)
}

/// Whether a pattern is plain names only.
fn is_plain(pattern: &str) -> bool {
    pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'|' | b'/' | b'^' | b'$'))
}

/// A path without what may be left out of it.
fn plain(target: &str) -> &str {
    let target = target.trim_start_matches("./").trim_end_matches('/');
    if target == "." { "" } else { target }
}

/// Whether a target is the other one, or lies below it: a file in a folder, a test in a file.
fn covers(wide: &str, narrow: &str, below: bool) -> bool {
    let (folder, all_below) = match wide.strip_suffix("/...") {
        Some(folder) => (plain(folder), true),
        None => (plain(wide), below),
    };
    let narrow = plain(narrow.strip_suffix("/...").filter(|_| all_below).unwrap_or(narrow));
    // A package holds the files of its folder.
    let is_file = |rest: &str| rest.strip_prefix('/').is_some_and(|name| name.contains('.') && !name.contains('/'));
    let below = |rest: &str| if all_below { rest.starts_with(['/', ':']) } else { is_file(rest) };
    narrow == folder || narrow.strip_prefix(folder).is_some_and(below)
}

fn narrows(row: &Program) -> Option<(&'static [&'static str], &'static [&'static str])> {
    row.facts.iter().find_map(|fact| match fact {
        Fact::Narrows(by, all) => Some((*by, *all)),
        _ => None,
    })
}

fn includes(fact: &Fact, words: &str, of: Category) -> bool {
    matches!(fact, Fact::Includes(category, rows) if *category == of && rows.contains(&words))
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    fn is_part(narrow: &str, wide: &str, of: Category, runner: Option<&str>) -> bool {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (narrow, wide) = (words(narrow), words(wide));
        let run = |words: &'static [String]| Run { program: find(&words[0]).unwrap(), args: &words[1..] };
        let runners: Vec<String> = runner.map(str::to_owned).into_iter().collect();
        run(narrow.leak()).is_part_of(&run(wide.leak()), of, &runners, "")
    }

    #[test]
    fn a_narrower_run_is_a_part_of_the_wider_one() {
        for (narrow, wide) in [
            ("go test -run TestSum ./sums", "go test ./..."),
            ("go test ./sums", "go test ./sums/..."),
            ("go test -v ./sums", "go test ./sums"),
            ("cargo test sums", "cargo test"),
            ("cargo test -p ledger", "cargo test --workspace"),
            ("cargo test -p ledger sums", "cargo test -p ledger"),
            ("pytest tests/test_a.py::test_sum -x", "pytest"),
            ("pytest tests/test_a.py", "pytest -q tests/"),
            ("pytest -k sum", "pytest ."),
            ("ruff check a.py", "ruff check ."),
            ("eslint src/a.js", "eslint ."),
            ("eslint src/a.js", "eslint src"),
            ("mvn -q -Dtest=SumTest test", "mvn test"),
            ("./gradlew test --tests SumTest", "gradle test"),
            ("jest sums.test.js", "jest"),
            ("npx jest", "npx jest"),
        ] {
            let [narrow, wide] = [narrow, wide].map(|line| line.trim_start_matches("./").trim_start_matches("npx "));
            assert!(is_part(narrow, wide, Category::TestFailure, None), "{narrow} in {wide}");
        }
    }

    #[test]
    fn what_only_looks_like_a_part_is_none() {
        for (narrow, wide) in [
            ("go test ./...", "go test ./sums"),
            ("go test ./sums/deep", "go test ./sums"),
            ("go test ./other", "go test ./sums/..."),
            ("go test ./sums", "go test -run TestSum ./..."),
            ("cargo test", "cargo test sums"),
            ("cargo test -p ledger", "cargo test -p other"),
            ("cargo test", "cargo build"),
            ("pytest", "pytest -k sum"),
            ("pytest tests/test_a.py", "pytest tests/test_b.py"),
            ("pytest tests_old/test_a.py", "pytest tests"),
            ("eslint .", "eslint src/a.js"),
            ("mvn test", "mvn -Dtest=SumTest test"),
            ("jest sums.test.js", "vitest"),
            ("ls a", "ls"),
        ] {
            assert!(!is_part(narrow, wide, Category::TestFailure, None), "{narrow} in {wide}");
        }
    }

    #[test]
    fn some_checks_find_what_others_find() {
        use Category::{CompileError, TestFailure};
        for (narrow, wide, of, is) in [
            ("cargo check", "cargo build", CompileError, true),
            ("cargo check", "cargo test", CompileError, true),
            ("cargo build", "cargo nextest run", CompileError, true),
            ("cargo check", "cargo clippy", CompileError, true),
            ("cargo test", "cargo check", CompileError, false),
            ("cargo check -p ledger", "cargo test -p other", CompileError, false),
            ("go build ./sums", "go test ./...", CompileError, true),
            ("go vet ./sums", "go build ./...", CompileError, false),
            ("mvn test", "mvn verify", TestFailure, true),
            ("mvn verify", "mvn test", TestFailure, false),
        ] {
            assert_eq!(is_part(narrow, wide, of, None), is, "{narrow} in {wide}");
        }
    }

    #[test]
    fn a_task_contains_what_its_output_is_of() {
        let is = |wide: &str, runner| is_part("jest sums.test.js", wide, Category::TestFailure, runner);
        assert!(is("npm test", Some("jest")));
        assert!(is("make check", Some("jest")));
        assert!(!is("npm test", Some("vitest")));
        assert!(!is("npm test", None));
        assert!(!is("npm test -- other.test.js", Some("jest")));
    }
}
