//! Words that start another program: `sudo`, `env`, `npx`, `uv run`, `python -m` ...

use crate::programs::{self, Fact, Program, Trait};

use super::parser::assignment;

/// Modules behind `python -m` that are no programs of their own: the interpreter stays the program.
const PLAIN_MODULES: &[&str] = &["json.tool", "http.server", "site", "this"];

/// How many wrappers are taken off one command.
const MAX_WRAPPERS: usize = 8;

/// A command's words without its wrappers.
pub(super) struct Stripped {
    pub(super) words: Vec<String>,
    pub(super) wrappers: Vec<String>,
    /// What is known of the program.
    pub(super) known: Option<&'static Program>,
}

/// Takes the wrappers off; the assignments they carry join the others.
pub(super) fn strip(mut words: Vec<String>, assignments: &mut Vec<(String, String)>) -> Stripped {
    let mut wrappers = Vec::new();
    let mut known = known_program(&words);
    for _ in 0..MAX_WRAPPERS {
        let Some((name, length)) = wrapper_at(known, &words) else { break };
        let own = inner_assignments(words.get(length..).unwrap_or(&[]), assignments);
        if length + own >= words.len() {
            break;
        }
        wrappers.push(name);
        words.drain(..length + own);
        known = known_program(&words);
    }
    Stripped { words, wrappers, known }
}

fn known_program(words: &[String]) -> Option<&'static Program> {
    programs::find(programs::base_name(words.first()?))
}

/// How many assignments are before the program.
fn inner_assignments(words: &[String], assignments: &mut Vec<(String, String)>) -> usize {
    let found = words.iter().map_while(|word| assignment(word));
    let before = assignments.len();
    assignments.extend(found);
    assignments.len() - before
}

/// The wrapper that the words begin with, and how many words belong to it.
fn wrapper_at(known: Option<&'static Program>, words: &[String]) -> Option<(String, usize)> {
    let program = known?;
    if program.has(Trait::Modules) {
        return python_module(words);
    }
    let own = words.get(1..)?;
    let wraps = |fact: &Fact| matches!(fact, Fact::Wraps(_) | Fact::WrapsAfter(_));
    let subcommand = program.subcommands.iter().find(|row| row.facts.iter().any(wraps) && begins(own, row.words));
    let row = subcommand.unwrap_or(program);
    let (name, taken) = match subcommand {
        Some(row) => (format!("{} {}", program.words, row.words), row.words.split(' ').count()),
        None => (program.words.to_owned(), 0),
    };
    let length = row.facts.iter().find_map(|fact| match fact {
        Fact::Wraps(_) if program.words == "command" && own.first().is_some_and(|w| w == "-v" || w == "-V") => None,
        Fact::Wraps(more) => Some(length_of(program, row.values, *more, own, taken)),
        Fact::WrapsAfter(marks) => Some(own.iter().position(|word| marks.contains(&word.as_str()))? + 1),
        _ => None,
    })?;
    Some((name, length + 1))
}

fn begins(own: &[String], words: &str) -> bool {
    let mut own = own.iter();
    words.split(' ').all(|word| own.next().is_some_and(|own| own == word))
}

/// How many of the words after the program belong to it: those that name the subcommand, its options with their values,
/// and `more` others.
fn length_of(program: &Program, values: &[&str], mut more: usize, own: &[String], taken: usize) -> usize {
    let mut at = taken;
    while let Some(word) = own.get(at) {
        if word == "--" {
            return at + 1 + more;
        } else if values.contains(&word.as_str()) {
            at += 2;
        } else if word.starts_with('-') && word.len() > 1 {
            at += 1;
        } else if more > 0 {
            more -= 1;
            at += 1;
        } else {
            break;
        }
    }
    // `mise exec node@22 -- npm test`: tools are before the double dash.
    if program.words == "mise" {
        return own.iter().position(|word| word == "--").map_or(at, |dash| dash + 1);
    }
    at
}

fn python_module(words: &[String]) -> Option<(String, usize)> {
    let at = words.iter().position(|word| word == "-m")?;
    let only_options = words.get(1..at)?.iter().all(|word| word.starts_with('-'));
    let module = words.get(at + 1)?;
    let plain = PLAIN_MODULES.contains(&module.as_str());
    (only_options && !plain).then(|| ("python -m".to_owned(), at + 1))
}

#[cfg(test)]
mod tests {
    use super::super::Script;

    fn effective(text: &str) -> (String, Vec<String>) {
        let command = Script::parse(text).pipelines[0].commands[0].clone();
        (command.program, command.wrappers)
    }

    #[test]
    fn the_program_behind_wrappers_is_found() {
        for (text, program, wrappers) in [
            (
                "sudo -u web env A=1 timeout -k 5 30 nice -n 5 pytest -q",
                "pytest",
                vec!["sudo", "env", "timeout", "nice"],
            ),
            ("npx --yes tsc --noEmit", "tsc", vec!["npx"]),
            ("pnpm exec vitest run", "vitest", vec!["pnpm exec"]),
            ("uv run --with httpx python -m pytest -x", "pytest", vec!["uv run", "python -m"]),
            ("docker compose exec -T web bundle exec rspec", "rspec", vec!["docker compose exec", "bundle exec"]),
            ("nix develop .#ci -c cargo test", "cargo", vec!["nix develop"]),
            ("mise exec node@22 -- npm test", "npm", vec!["mise exec"]),
            ("find . -name x", "find", vec![]),
            ("/usr/local/bin/python3.12 -m unittest", "unittest", vec!["python -m"]),
            ("kubectl exec -it web-0 -- ls /", "ls", vec!["kubectl exec"]),
        ] {
            let (found, stripped) = effective(text);
            assert_eq!(
                (found.as_str(), stripped),
                (program, wrappers.iter().map(ToString::to_string).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_wrapper_alone_stays_the_program() {
        for text in ["sudo", "env", "npx", "command -v rg", "time", "poetry run", "python -m json.tool"] {
            assert!(effective(text).1.is_empty(), "{text}");
        }
    }

    #[test]
    fn assignments_of_env_are_kept() {
        let command = Script::parse("A=1 env B=2 make").pipelines[0].commands[0].clone();
        let names: Vec<&str> = command.assignments.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!((command.program.as_str(), names), ("make", vec!["A", "B"]));
    }
}
