//! Whether a call did the work of a failed one in another form: another option, path, folder or program in front.

use crate::history::Execution;
use crate::model::{Category, Operation, Reading};
use crate::shell::Script;
use crate::text::file_name;

/// What lies in how something is called, so that another form of the call may do the work.
pub(super) const CATEGORIES: &[Category] = &[
    Category::BadArguments,
    Category::CommandNotFound,
    Category::PathNotFound,
    Category::ShellSyntax,
    Category::RemoteNotFound,
    Category::ToolUnavailable,
];
/// How many calls after the failure the other form may come.
pub(super) const WITHIN: u64 = 5;

/// The most words of a failed call that its other form lacks, and the most that it adds.
const MOST_GONE: usize = 2;
const MOST_NEW: usize = 3;
/// The most words that stand in front of a program: a runner and its option, as in `python -m`.
const IN_FRONT: usize = 2;
/// A tool's summary names what each word is for: `path=/srv/a`.
const NAMES: &[&str] = &["path=", "file_path=", "url=", "glob=", "pattern="];

/// A failed call, as far as other forms of it are told by it.
#[derive(Debug)]
pub(super) struct Failed {
    words: Vec<String>,
    is_file_tool: bool,
    error: String,
}

impl Failed {
    /// A call whose failure lies in how it was called; None for any other, and for more than one command.
    pub(super) fn of(execution: &Execution) -> Option<Self> {
        let reading = execution.reading.as_ref().filter(|reading| CATEGORIES.contains(&reading.category))?;
        let operation = execution.operation.as_ref()?;
        let is_file_tool = tool_and_target(operation, execution).is_some();
        Some(Self { words: words(operation, execution)?, is_file_tool, error: error(execution, reading) })
    }

    /// Whether a call that succeeded does the same work in another form.
    pub(super) fn is_replaced_by(&self, execution: &Execution) -> bool {
        let Some(operation) = execution.operation.as_ref() else { return false };
        let same_kind = self.is_file_tool == tool_and_target(operation, execution).is_some();
        same_kind && words(operation, execution).is_some_and(|words| self.is_done_by(&words))
    }

    fn is_done_by(&self, words: &[String]) -> bool {
        if !has_program_of(&self.words, words) {
            return false;
        }
        let (gone, new) = (without(&self.words, words), without(words, &self.words));
        // The same program by another path is no other word.
        let (gone, new) = (without_program(&gone, &new), without_program(&new, &gone));
        let kept = self.words.len() - gone.len();
        let is_close = 2 * kept >= self.words.len() && gone.len() <= MOST_GONE && new.len() <= MOST_NEW;
        let is_other = !(gone.is_empty() && new.is_empty() && self.words == words);
        is_close
            && is_other
            && (gone.is_empty() || gone.iter().any(|word| self.names(word)))
            && gone.iter().filter(|word| is_path(word)).all(|path| new.iter().any(|other| stands_for(path, other)))
    }

    /// Whether the error names a word of the call.
    fn names(&self, word: &str) -> bool {
        let (value, name) = (value_of(word), last_part(value_of(word)));
        [word, value, name].iter().any(|part| part.len() > 1 && self.error.contains(part))
    }
}

/// The words of a single command, or those of another tool's call: its name and what it was given.
fn words(operation: &Operation, execution: &Execution) -> Option<Vec<String>> {
    if let Some((tool, target)) = tool_and_target(operation, execution) {
        return Some(std::iter::once(tool).chain(target.split_whitespace()).map(str::to_owned).collect());
    }
    let script = Script::parse(&operation.0);
    let [pipeline] = script.pipelines.as_slice() else { return None };
    let [command] = pipeline.commands.as_slice() else { return None };
    let words = std::iter::once(&command.raw).chain(&command.args).cloned();
    Some(words.collect()).filter(|_| !script.incomplete && !command.raw.is_empty())
}

/// The tool and what it was given, of a call that is no shell command.
fn tool_and_target<'a>(operation: &'a Operation, execution: &Execution) -> Option<(&'a str, &'a str)> {
    operation.0.split_once(':').filter(|(tool, _)| execution.tool.as_deref() == Some(tool))
}

fn error(execution: &Execution, reading: &Reading) -> String {
    let objects = reading.objects.iter().map(|object| object.name.as_str());
    let texts = reading.line.as_deref().into_iter().chain(execution.text.as_deref()).chain(objects);
    texts.collect::<Vec<_>>().join("\n")
}

/// Whether both run the same program, or one of them behind a word or two in front.
fn has_program_of(words: &[String], others: &[String]) -> bool {
    let name = |words: &[String]| words.first().map(|word| last_part(word).to_owned());
    let behind = |words: &[String], of: &Option<String>| {
        words.iter().skip(1).take(IN_FRONT).any(|word| of.as_deref() == Some(last_part(word)))
    };
    let (program, other) = (name(words), name(others));
    program == other || behind(words, &other) || behind(others, &program)
}

/// The words that others lack, each as often as it is missing.
fn without<'a>(words: &'a [String], others: &[String]) -> Vec<&'a str> {
    let mut left: Vec<&str> = others.iter().map(String::as_str).collect();
    let mut missing = Vec::new();
    for word in words {
        match left.iter().position(|other| other == word) {
            Some(index) => drop(left.swap_remove(index)),
            None => missing.push(word.as_str()),
        }
    }
    missing
}

/// Without the first word where others begin with the same program by another path.
fn without_program<'a>(words: &[&'a str], others: &[&str]) -> Vec<&'a str> {
    let same = words.first().zip(others.first()).is_some_and(|(word, other)| {
        (word.contains('/') || other.contains('/')) && last_part(word) == last_part(other) && !word.contains('.')
    });
    words.iter().skip(usize::from(same)).copied().collect()
}

/// Whether a path stands where another one stood: the same name or stem elsewhere or with another ending, or the folder
/// above.
fn stands_for(gone: &str, new: &str) -> bool {
    let (gone, new) = (value_of(gone).trim_end_matches('/'), value_of(new).trim_end_matches('/'));
    let above = gone.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty());
    let stem = |path: &str| last_part(path).split('.').find(|part| !part.is_empty()).map(str::to_owned);
    above == Some(new) || (stem(gone).is_some() && stem(gone) == stem(new))
}

fn is_path(word: &str) -> bool {
    let value = value_of(word);
    let ending = value.rsplit_once('.').filter(|(name, ending)| !name.is_empty() && (1..=5).contains(&ending.len()));
    !value.starts_with('-')
        && (value.contains('/')
            || ending.is_some_and(|(_, ending)| ending.bytes().all(|byte| byte.is_ascii_alphabetic())))
}

/// What is given under a name: `path=/srv/a` is `/srv/a`.
fn value_of(word: &str) -> &str {
    NAMES.iter().find_map(|name| word.strip_prefix(name)).unwrap_or(word)
}

fn last_part(path: &str) -> &str {
    file_name(path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Outcome;
    use crate::signature::operation_of_command;

    fn shell(command: &str) -> Execution {
        Execution {
            tool: Some("Bash".to_owned()),
            operation: Some(operation_of_command(command)),
            outcome: Some(Outcome::Succeeded),
            ..Execution::default()
        }
    }

    fn tool(name: &str, target: &str) -> Execution {
        let operation = Some(Operation(format!("{name}:{target}")));
        Execution { tool: Some(name.to_owned()), operation, ..Execution::default() }
    }

    fn failed(execution: Execution, category: Category, error: &str) -> Option<Failed> {
        let reading = Reading { category, line: Some(error.to_owned()), ..Reading::unrecognised() };
        Failed::of(&Execution { reading: Some(reading), ..execution })
    }

    #[test]
    fn another_form_of_the_call_does_its_work() {
        use Category as C;
        for (call, category, error, other) in [
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr diff 104 --name-only"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr diff 104"),
            ("rg x src/a.rs", C::PathNotFound, "src/a.rs: No such file", "rg x lib/a.rs"),
            ("rg x src/deep/er", C::PathNotFound, "src/deep/er: No such file", "rg x src/deep"),
            ("cat .golangci.yml", C::PathNotFound, "cat: .golangci.yml: No such file", "cat .golangci.yaml"),
            ("beds check a.py", C::CommandNotFound, "beds: command not found", "garden beds check a.py"),
            ("beds check a.py", C::CommandNotFound, "beds: command not found", "./tools/beds check a.py"),
            ("head --lines 3 notes.txt", C::BadArguments, "illegal option --lines", "head -n 3 notes.txt"),
        ] {
            let failed = failed(shell(call), category, error).unwrap();
            assert!(failed.is_replaced_by(&shell(other)), "{call} -> {other}");
        }
        let read = failed(tool("Read", "/srv/logging/logging.go"), C::PathNotFound, "File does not exist.").unwrap();
        assert!(!read.is_replaced_by(&tool("Read", "/srv/logging/logger.go")), "neither stem nor name nor folder");
        let named = "File does not exist: /srv/commands/resume.go";
        let read = failed_read(named);
        assert!(read.is_replaced_by(&tool("Read", "/srv/resume.go")));
    }

    fn failed_read(error: &str) -> Failed {
        failed(tool("Read", "/srv/commands/resume.go"), Category::PathNotFound, error).unwrap()
    }

    #[test]
    fn what_only_looks_like_another_form_does_not() {
        use Category as C;
        for (call, category, error, other) in [
            // The word that went is not the one that the error names.
            ("make chart FAST=1", C::BadArguments, "No rule to make target 'chart'", "make chart SLOW=1"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr view 104 --json x --jq y"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr diff 104 && gh pr view"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "git diff --name-only"),
            ("rg x src/a.rs", C::PathNotFound, "src/a.rs: No such file", "rg x lib/b.rs"),
            ("rg x src/a.rs", C::PathNotFound, "src/a.rs: No such file", "rg x src/a.rs"),
            ("cat a b c d", C::PathNotFound, "cat: a: No such file", "cat e f g d"),
        ] {
            let failed = failed(shell(call), category, error).unwrap();
            assert!(!failed.is_replaced_by(&shell(other)), "{call} -> {other}");
        }
        assert!(failed(shell("cargo test"), C::TestFailure, "a").is_none(), "a check is no matter of words");
        assert!(failed(shell("cd x; ls a && ls b"), C::PathNotFound, "ls: a").is_none(), "two commands");
        assert!(!failed_read("File does not exist: /srv/commands/resume.go").is_replaced_by(&shell("cat resume.go")));
    }
}
