//! Permission rules for commands that only look.

use std::collections::BTreeSet;

use crate::programs::words::{BY_OPTION, ONLY_READ};
use crate::programs::{self, Trait};
use crate::shell::{Command, Script};

/// The rules that let this line run unasked, where all of it only looks: `Bash(gh pr view:*)`. Each is for a subcommand
/// alone, of which no option writes or runs anything; what is for the whole program would let its siblings run.
pub fn rules_of(script: &Script) -> BTreeSet<String> {
    if !script.is_read_only() {
        return BTreeSet::new();
    }
    let commands = script.programs().map(|(_, command)| command);
    commands.filter_map(subcommand_of).map(|words| format!("Bash({words}:*)")).collect()
}

/// The program and subcommand that a command begins with, as they were typed.
fn subcommand_of(command: &Command) -> Option<String> {
    let program = programs::find(&command.raw).filter(|_| command.wrappers.is_empty())?;
    let typed = command.args.join(" ");
    let is_called = |row: &&programs::Program| {
        let words = format!("{} {}", program.words, row.words);
        row.has(Trait::Looks)
            && !row.words.starts_with('-')
            && programs::after_name(&typed, row.words).is_some()
            && !BY_OPTION.contains(&words.as_str())
    };
    let row = program.subcommands.iter().filter(is_called).max_by_key(|row| row.words.len())?;
    if !ONLY_READ.contains(&format!("{} {}", program.words, row.words).as_str()) {
        return None;
    }
    let has_effect_below = program.subcommands.iter().any(|other| {
        other.words != row.words && programs::after_name(other.words, row.words).is_some() && !other.has(Trait::Looks)
    });
    (!has_effect_below && row.effect.is_none()).then(|| format!("{} {}", command.raw, row.words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(line: &str) -> Vec<String> {
        rules_of(&Script::parse(line)).into_iter().collect()
    }

    #[test]
    fn what_only_looks_gets_a_rule_for_its_subcommand() {
        assert_eq!(rules("gh pr view 12 --json title 2>&1 | head -5"), ["Bash(gh pr view:*)"]);
        assert_eq!(rules("git status --short && gh pr checks"), ["Bash(gh pr checks:*)", "Bash(git status:*)"]);
    }

    #[test]
    fn what_writes_runs_or_shows_files_gets_none() {
        for line in [
            "gh pr merge 12",
            "gh pr view 12 && gh pr merge 12",
            "gh pr view 12 > notes",
            "git push",
            "git log --output=a",
            "git log -3",
            "git ls-remote --upload-pack=x y",
            "rg --pre x y",
            "cat .env",
            "env ls",
            "go env -w A=b",
            "kubectl get pods",
            "find . -name x",
            "sudo gh pr view 1",
            "gh --repo a/b pr view 1",
            "gh auth status --show-token",
            "",
        ] {
            assert!(rules(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn the_client_is_asked_about_each_rule() {
        let situation = include_str!("../../../tests/real_client/situations/proposed-rules-only-look.json");
        for words in ONLY_READ {
            assert!(situation.contains(&format!("\"Bash({words}:*)\"")), "{words}");
            assert!(situation.contains(&format!("\"command\": \"{words}\"")), "{words}");
        }
    }

    #[test]
    fn no_rule_covers_a_command_with_effect() {
        let all = programs::all();
        let rules: Vec<String> = all
            .iter()
            .flat_map(|program| program.subcommands.iter().map(|row| format!("{} {}", program.words, row.words)))
            .flat_map(|line| rules(&line))
            .collect();
        assert!(rules.len() > 10, "{rules:?}");
        for program in all {
            for row in program.subcommands.iter().filter(|row| !row.has(Trait::Looks) || row.effect.is_some()) {
                let line = format!("{} {}", program.words, row.words);
                for rule in &rules {
                    let prefix = rule.trim_start_matches("Bash(").trim_end_matches(":*)");
                    assert!(programs::after_name(&line, prefix).is_none(), "{rule} covers {line}");
                }
            }
        }
        let given: BTreeSet<&str> =
            rules.iter().map(|rule| rule.trim_start_matches("Bash(").trim_end_matches(":*)")).collect();
        assert_eq!(given, ONLY_READ.iter().copied().collect(), "each of them is a row that only looks");
    }
}
