//! Which run of a check is a part of a wider one, so that a pass of the wider one is a pass of it too.

use crate::model::Category;

use super::{Fact, Program, Trait, go_on, subcommands};

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
    /// Options that leave something out, each followed by its value.
    filters: Vec<&'w str>,
    /// What it was told to look at; empty where it looks at everything.
    targets: Vec<&'w str>,
    /// Whether a target stands for what lies below it.
    below: bool,
}

impl<'w> Run<'w> {
    /// Whether whatever this run can find of this category, the wider one finds too: `go test -run X ./a` is a part of
    /// `go test ./...`, and of compile errors `cargo check` is a part of `cargo test`. What a task runs only its output
    /// tells: `runner` is the program that the wider run's output is of.
    pub fn is_part_of(&self, wide: &Run<'_>, of: Category, runner: Option<&str>) -> bool {
        if wide.program.has(Trait::Tasks) && !self.program.has(Trait::Tasks) {
            return wide.is_whole_task() && runner == Some(self.program.words);
        }
        let (Some((own, row)), Some((all, wide_row))) = (self.part(), wide.part()) else { return false };
        let same = row == wide_row || wide_row.facts.iter().any(|fact| includes(fact, row.words, of));
        self.program == wide.program && same && own.lies_in(&all)
    }

    /// The row of the check that is run, and the part that its words name.
    fn part(&self) -> Option<(Part<'w>, &'static Program)> {
        let called = |row: &&Program| go_on(subcommands(Some(self.program), self.args), self.args, row.words);
        let subcommand = self.program.subcommands.iter().filter(called).find(|row| narrows(row).is_some());
        let row = subcommand.unwrap_or(self.program);
        let (by, all) = narrows(row)?;
        let mut named = subcommand.map_or(0, |row| row.words.split(' ').count());
        let mut part = Part { filters: Vec::new(), targets: Vec::new(), below: !all.contains(&"./...") };
        let mut words = self.args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if by.contains(&word) {
                part.filters.push(word);
                part.filters.extend(words.next());
            } else if word.starts_with('-') {
                part.filters.extend(word.split('=').next().filter(|option| by.contains(option)).map(|_| word));
                if self.program.values.contains(&word) {
                    words.next();
                }
            } else if named > 0 {
                named -= 1;
            } else if !all.contains(&word) {
                part.targets.push(word);
            }
        }
        Some((part, row))
    }

    /// Whether a task is run as the project wrote it, without words that would narrow it.
    fn is_whole_task(&self) -> bool {
        self.args.iter().all(|word| word != "--" && !word.contains(['/', '.']))
    }
}

impl Part<'_> {
    fn lies_in(&self, wide: &Self) -> bool {
        let covered = |target: &&str| wide.targets.iter().any(|all| covers(all, target, wide.below));
        let everything = wide.targets.is_empty();
        wide.filters.iter().all(|filter| self.filters.contains(filter))
            && (everything || !self.targets.is_empty() && self.targets.iter().all(covered))
    }
}

/// Whether a target is the other one, or lies below it: a file in a folder, a test in a file.
fn covers(wide: &str, narrow: &str, below: bool) -> bool {
    let plain = |target: &'_ str| target.trim_start_matches("./").trim_end_matches('/').to_owned();
    let (folder, all_below) = match wide.strip_suffix("/...") {
        Some(folder) => (plain(folder), true),
        None => (plain(wide), below),
    };
    let narrow = plain(narrow);
    narrow == folder
        || all_below && narrow.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/') || rest.starts_with("::"))
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
        run(narrow.leak()).is_part_of(&run(wide.leak()), of, runner)
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
