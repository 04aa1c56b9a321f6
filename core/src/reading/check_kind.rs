//! What kind of check a command line runs.

use super::involved::{Involved, Nature};
use super::judge::by_name;
use super::row::ToolTable;
use crate::model::Category;
use crate::programs::{self, Trait};
use crate::shell::{At, Command, Script};

/// What people call a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckKind {
    /// It runs tests.
    Tests,
    /// It looks for what is against a style.
    Lint,
    /// It compares types, and makes nothing.
    Types,
    /// It compiles.
    Build,
    /// A hook of a commit or push.
    Hook,
    /// Checks that run elsewhere.
    Ci,
    /// A check, whose name does not say of what.
    Any,
}

impl CheckKind {
    /// The kind of check that a command line runs.
    pub fn of_words(line: &str) -> Option<Self> {
        let script = Script::parse(line);
        let (_, command) = script.programs().last()?;
        let names = |known: &[&str]| {
            let words = std::iter::once(command.name()).chain(command.subcommands());
            words.flat_map(task_parts).any(|part| known.contains(&part))
        };
        let words: Vec<String> = std::iter::once(&command.program).chain(&command.args).cloned().collect();
        match usual_failure(&script) {
            Category::CompileError if programs::is_of_style(&words) => Some(Self::Lint),
            Category::TestFailure => Some(Self::Tests),
            Category::CompileError if names(&["test", "tests", "spec"]) => Some(Self::Tests),
            Category::LintError => Some(Self::Lint),
            Category::CompileError if names(&["build", "compile"]) => Some(Self::Build),
            Category::CompileError if names(&["typecheck", "types", "type"]) => Some(Self::Types),
            Category::CompileError => {
                Some(if command.subcommands().next().is_some() { Self::Build } else { Self::Types })
            }
            _ if names(&["check", "checks", "verify", "validate", "ci"]) => Some(Self::Any),
            _ => None,
        }
    }

    /// What the result was of, where the words of a task leave it open.
    pub const fn of_result(category: Category) -> Option<Self> {
        match category {
            Category::TestFailure => Some(Self::Tests),
            Category::LintError => Some(Self::Lint),
            Category::CompileError => Some(Self::Any),
            _ => None,
        }
    }
}

/// What a failure of the last command of a line would be if no line of its output told.
fn usual_failure(script: &Script) -> Category {
    let last = script.programs().last();
    last.map_or(Category::Unknown, |(at, command)| usual_of(&Involved::of(script), at, command))
}

/// What a failure of a command would be if no line of its output told: by its program, else by the words of the task.
/// `RuntimeError` or `Unknown` where neither says it.
pub(super) fn usual_of(involved: &Involved<'_>, at: At, command: &Command) -> Category {
    if command.is(Trait::Tasks) {
        return by_name(command);
    }
    let is_own = |tool: &&ToolTable| tool.usual != Category::Unknown && involved.direct(tool).any(|own| own == at);
    let exact = involved.tools().filter(is_own).max_by_key(|tool| involved.exactness(tool, at));
    match (exact, involved.natures().find(|(own, _)| *own == at)) {
        (Some(tool), _) => tool.usual,
        (None, Some((_, Nature::Task { .. }))) => by_name(command),
        _ => Category::Unknown,
    }
}

/// `test:unit` is `test` and `unit`.
fn task_parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|sign: char| !sign.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_tells_the_kind() {
        for (line, kind) in [
            ("go test ./...", Some(CheckKind::Tests)),
            ("pytest tests/api", Some(CheckKind::Tests)),
            ("make test", Some(CheckKind::Tests)),
            ("mix test", Some(CheckKind::Tests)),
            ("cargo test", Some(CheckKind::Tests)),
            ("zig build test", Some(CheckKind::Tests)),
            ("bun run test", Some(CheckKind::Tests)),
            ("npm run lint:fix", Some(CheckKind::Lint)),
            ("cargo clippy", Some(CheckKind::Lint)),
            ("go vet ./...", Some(CheckKind::Lint)),
            ("eslint .", Some(CheckKind::Lint)),
            ("tsc --noEmit", Some(CheckKind::Types)),
            ("bun run typecheck", Some(CheckKind::Types)),
            ("npm run build", Some(CheckKind::Build)),
            ("cargo build", Some(CheckKind::Build)),
            ("cargo check", Some(CheckKind::Build)),
            ("./gradlew check", Some(CheckKind::Any)),
            ("make check", Some(CheckKind::Any)),
            ("git push", None),
            ("git show HEAD:a.go", None),
            ("pnpm install", None),
            ("cat test.log", None),
            ("", None),
        ] {
            assert_eq!(CheckKind::of_words(line), kind, "{line}");
        }
    }
}
