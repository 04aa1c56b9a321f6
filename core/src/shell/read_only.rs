//! Whether a line only looks at things.

use crate::programs::words::IN_PLACE;
use crate::programs::{self, Fact, Trait};

use super::{Command, Script};

impl Script {
    /// Whether every command of the line only looks: viewers and searchers, no redirection into a file. An empty line and
    /// one that was not read to its end do not.
    pub fn is_read_only(&self) -> bool {
        !self.incomplete
            && self.programs().next().is_some()
            && self.pipelines.iter().flat_map(|p| &p.commands).all(|c| !c.writes_a_file())
            && self.programs().all(|(_, command)| command.only_looks())
    }
}

/// Options that a list of branches, tags or remotes may carry.
const LIST_OPTIONS: &[&str] = &["-a", "-v", "-vv", "-r", "-l", "--list", "--all", "--show-current", "--sort"];

impl Command {
    /// Whether it changes nothing. A shell with its script in its words does not: the script's commands are beside it.
    pub fn only_looks(&self) -> bool {
        let as_another = || self.wrappers.iter().any(|wrapper| programs::are_of(wrapper, Trait::Elevates));
        let of_program = || asks_version(self) || self.program_is(Trait::Looks) || looks(self) || lists(self);
        let hands_on = || self.is(Trait::Shell) && self.inner_script().is_some();
        !self.is_by_path() && (of_program() || hands_on()) && !writes(self) && !as_another()
    }
}

fn writes(command: &Command) -> bool {
    let gives = |word: &str| command.args.iter().any(|arg| arg.split('=').next() == Some(word));
    let by_word = command.facts_like(|fact| matches!(fact, Fact::Writes(_))).any(|fact| match fact {
        Fact::Writes(words) => words.iter().any(|word| gives(word)),
        _ => false,
    });
    by_word || IN_PLACE.iter().any(|(program, letter)| command.name() == *program && command.has_letter(*letter))
}

fn asks_version(command: &Command) -> bool {
    matches!(command.args.as_slice(), [only] if only == "--version" || only == "--help" || only == "-V")
}

fn looks(command: &Command) -> bool {
    command.is(Trait::Looks) && !command.has_arg("--output")
}

fn lists(command: &Command) -> bool {
    let Some((first, rest)) = command.args.split_first() else { return false };
    command.is(Trait::ListsAlone)
        && !first.starts_with('-')
        && rest.iter().all(|arg| LIST_OPTIONS.contains(&arg.as_str()))
}

#[cfg(test)]
mod tests {
    use super::Script;

    #[test]
    fn looking() {
        for text in [
            "ls -la && cat a | head -3",
            "cd x && git log --oneline -5 2>/dev/null",
            "git -C a diff --stat | grep x",
            "rg -n foo src || true",
            "find . -name '*.rs' | xargs grep -l x",
            "for f in a b; do cat $f; done",
            "git branch -a",
            "bash -c 'ls | wc -l'",
            "node --version",
            "bash --version",
            "zgrep x a.gz",
            "sed -n 1,20p a.rs",
            "gh pr checks 12",
        ] {
            assert!(Script::parse(text).is_read_only(), "{text}");
        }
    }

    #[test]
    fn changing() {
        for text in [
            "",
            "ls > out",
            "make",
            "cat a; rm b",
            "sed -i s/a/b/ f",
            "sed --in-place=.old s/a/b/ f",
            "sort --output=b a",
            "find . -delete",
            "git branch new",
            "git checkout main",
            "git stash",
            "sudo cat /etc/shadow",
            "./ls",
            "echo $(rm x)",
            "bash -c 'rm x'",
            "bash run.sh",
            "grep 'a",
            "cat <(touch x)",
        ] {
            assert!(!Script::parse(text).is_read_only(), "{text}");
        }
    }
}
