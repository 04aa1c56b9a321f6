//! Whether a line only looks at things.

use crate::programs::{self, Fact, Trait};

use super::{Command, Script};

impl Script {
    /// Whether every command of the line only looks: viewers and searchers, no redirection into a file. An empty line and
    /// one that was not read to its end do not.
    pub fn is_read_only(&self) -> bool {
        !self.incomplete
            && self.programs().next().is_some()
            && self.pipelines.iter().flat_map(|p| &p.commands).all(|c| !c.writes_a_file())
            && self.programs().all(|(_, command)| only_looks(command))
    }
}

/// Options that a list of branches, tags or remotes may carry.
const LIST_OPTIONS: &[&str] = &["-a", "-v", "-vv", "-r", "-l", "--list", "--all", "--show-current", "--sort"];

fn only_looks(command: &Command) -> bool {
    let program = command.name();
    let as_another = command.wrappers.iter().any(|wrapper| programs::says(wrapper, Trait::Elevates));
    if as_another || command.is_by_path() || writes(command) {
        return false;
    }
    match program {
        "find" | "sort" | "awk" => true,
        "sed" | "perl" | "yq" => {
            program == "sed" && !command.has_letter('i') && !command.args.iter().any(|a| a.starts_with("--in-place"))
        }
        _ if command.is(Trait::Shell) => command.inner_script().is_some(),
        _ if asks_version(command) => true,
        _ => looks(command) || lists(command),
    }
}

fn writes(command: &Command) -> bool {
    command.facts().any(|fact| match fact {
        Fact::Writes(words) => words.iter().any(|word| command.has_arg(word)),
        _ => false,
    })
}

fn asks_version(command: &Command) -> bool {
    matches!(command.args.as_slice(), [only] if only == "--version" || only == "--help" || only == "-V")
}

fn looks(command: &Command) -> bool {
    let whole = command.known.is_some_and(|program| program.has(Trait::Looks));
    whole || command.is(Trait::Looks) && !command.has_arg("--output")
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
