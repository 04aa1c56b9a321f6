//! Linters and formatters that change what they find, by their words: after one of them a finding may be gone, although the
//! check itself did not run again. The names of tasks and programs say it (`lint:fix`, `cargo fmt`, `gofmt`), so that one
//! that nobody has a row for is known too.

use super::base_name;

/// Options by which a linter or formatter writes what it would change.
const WRITES: &[&str] = &["--write", "--in-place", "--apply", "--autocorrect", "--auto-correct", "--autofix"];
/// Options by which a formatter only tells what it would change.
const LOOKS: &[&str] = &[
    "--check",
    "--diff",
    "-d",
    "-l",
    "--list",
    "--list-different",
    "--dry-run",
    "--verify-no-changes",
    "--check-formatted",
    "--set-exit-if-changed",
];
/// Parts of names that say that a task writes.
const FIXERS: &[&str] = &["fix", "fixes", "autofix", "black", "format", "formatter", "isort", "prettify", "write"];
/// Parts of names that say that it only looks.
const CHECKERS: &[&str] = &["check", "ci", "verify", "test", "diff"];

/// Whether a call changes what it finds: `eslint --fix`, `bun run lint:fix`, `cargo fmt`, `prettier --write`.
pub fn fixes(program: &str, args: &[String]) -> bool {
    let says = || {
        let names = || name_parts(program, args);
        names().any(is_fixer) && !names().any(|part| CHECKERS.contains(&part))
    };
    args.iter().any(|word| is_writing(word)) || says() && !only_looks_at_style(args)
}

/// The call that only looks for what this one fixes, where its words tell: `bun run lint` for `bun run lint:fix`.
pub fn looking(words: &[String]) -> Vec<String> {
    let is_named = |(name, part): &(&str, &str)| is_fixer(part) && !name.is_empty() && !name.contains(['/', '.']);
    let plain = |word: &String| {
        word.rsplit_once([':', '-']).filter(is_named).map_or(word.as_str(), |(name, _)| name).to_owned()
    };
    words.iter().filter(|word| !is_writing(word)).map(plain).collect()
}

fn is_writing(word: &str) -> bool {
    let option = option_of(word);
    option.starts_with("--fix") || WRITES.contains(&option)
}

/// Whether a formatter is asked to change nothing: `cargo fmt --check`.
pub fn only_looks_at_style(words: &[String]) -> bool {
    words.iter().any(|word| LOOKS.contains(&option_of(word)))
}

/// Whether the words name a linter or formatter.
pub fn is_of_style(words: &[String]) -> bool {
    let Some((program, args)) = words.split_first() else { return false };
    name_parts(program, args).any(|part| is_fixer(part) || part.ends_with("lint") || matches!(part, "style" | "clippy"))
}

/// The call that writes what a formatter was only asked to tell: `gofmt -w .` for `gofmt -l .`.
pub fn writing(program: &str, args: &[String]) -> Option<Vec<String>> {
    const FORMS: &[(&str, &str, &str)] = &[("gofmt", "-l", "-w")];
    let (_, looks, writes) =
        FORMS.iter().find(|(own, looks, _)| base_name(program) == *own && args.iter().any(|arg| arg == looks))?;
    let words = args.iter().map(|arg| if arg == looks { (*writes).to_owned() } else { arg.clone() });
    Some(std::iter::once(program.to_owned()).chain(words).collect())
}

fn is_fixer(part: &str) -> bool {
    FIXERS.contains(&part) || part.ends_with("fmt")
}

/// The name of an option without its value.
fn option_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// The parts of the program's name and of the words that are no paths and no options.
fn name_parts<'w>(program: &'w str, args: &'w [String]) -> impl Iterator<Item = &'w str> {
    let is_name = |word: &&str| !word.starts_with('-') && !word.contains(['/', '.']);
    let words = args.iter().map(String::as_str).filter(is_name);
    std::iter::once(base_name(program)).chain(words).flat_map(|word| word.split([':', '-', '_', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> bool {
        let mut words = line.split(' ').map(str::to_owned);
        let program = words.next().unwrap();
        fixes(&program, &words.collect::<Vec<_>>())
    }

    #[test]
    fn what_fixes_has_a_call_that_looks() {
        for (line, looks) in [
            ("bun run lint:fix", "bun run lint"),
            ("cargo clippy --fix --all", "cargo clippy --all"),
            ("make lint", "make lint"),
            ("eslint src/auto-fix", "eslint src/auto-fix"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(looking(&words).join(" "), looks);
        }
    }

    #[test]
    fn what_writes_is_told_from_what_looks() {
        for line in [
            "bun run lint:fix",
            "cargo fmt",
            "cargo clippy --fix --allow-dirty",
            "eslint . --fix",
            "prettier --write src",
            "npm run format",
            "make fmt",
            "ruff format .",
            "gofmt -w a.go",
            "nix fmt",
            "./scripts/format.sh",
            "biome check --write",
            "pnpm --filter web lint:fix",
        ] {
            assert!(of(line), "{line}");
        }
        for line in [
            "bun run lint",
            "cargo fmt --check",
            "cargo fmt --all -- --check",
            "eslint .",
            "eslint src/format/a.js",
            "prettier --check src",
            "npm run format:check",
            "npm run check-format",
            "ruff format --diff .",
            "gofmt -l .",
            "pytest tests/fix.py",
            "go test ./format",
        ] {
            assert!(!of(line), "{line}");
        }
    }
}
