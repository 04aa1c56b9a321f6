//! Whether a line only looks at things.

use super::{Command, Script};

/// Programs that change nothing, whatever their words.
const VIEWERS: &[&str] = &[
    "ls",
    "cat",
    "bat",
    "head",
    "tail",
    "less",
    "more",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "wc",
    "stat",
    "file",
    "tree",
    "du",
    "df",
    "pwd",
    "cd",
    "pushd",
    "popd",
    "echo",
    "printf",
    "true",
    "false",
    ":",
    "test",
    "[",
    "[[",
    "which",
    "whereis",
    "type",
    "command",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "diff",
    "cmp",
    "comm",
    "cut",
    "tr",
    "uniq",
    "nl",
    "column",
    "fold",
    "rev",
    "tac",
    "paste",
    "join",
    "jq",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "shasum",
    "cksum",
    "date",
    "whoami",
    "id",
    "uname",
    "hostname",
    "env",
    "printenv",
    "ps",
    "pgrep",
    "lsof",
    "free",
    "uptime",
    "sleep",
    "wait",
    "seq",
    "expr",
    "nm",
    "ldd",
    "otool",
    "objdump",
    "readelf",
    "tokei",
    "cloc",
    "exa",
    "eza",
    "fd",
    "fzf",
    "z",
    "man",
    "info",
    "history",
    "jobs",
    "read",
    "set",
    "shopt",
    "export",
    "local",
    "unset",
    "exit",
];

/// Subcommands of other programs that change nothing.
const LOOKS: &[(&str, &[&[&str]])] = &[
    (
        "git",
        &[
            &["status"],
            &["log"],
            &["diff"],
            &["show"],
            &["blame"],
            &["grep"],
            &["ls-files"],
            &["ls-tree"],
            &["ls-remote"],
            &["rev-parse"],
            &["rev-list"],
            &["describe"],
            &["shortlog"],
            &["reflog"],
            &["cat-file"],
            &["merge-base"],
            &["name-rev"],
            &["for-each-ref"],
            &["stash", "list"],
            &["stash", "show"],
            &["remote", "show"],
            &["worktree", "list"],
            &["check-ignore"],
            &["whatchanged"],
            &["count-objects"],
            &["var"],
            &["version"],
        ],
    ),
    (
        "gh",
        &[
            &["pr", "view"],
            &["pr", "list"],
            &["pr", "diff"],
            &["pr", "checks"],
            &["pr", "status"],
            &["issue", "view"],
            &["issue", "list"],
            &["run", "view"],
            &["run", "list"],
            &["run", "watch"],
            &["release", "list"],
            &["release", "view"],
            &["repo", "view"],
            &["auth", "status"],
            &["search"],
        ],
    ),
    (
        "docker",
        &[&["ps"], &["images"], &["logs"], &["inspect"], &["compose", "ps"], &["compose", "logs"], &["version"]],
    ),
    ("kubectl", &[&["get"], &["describe"], &["logs"], &["top"], &["version"], &["explain"]]),
    ("cargo", &[&["tree"], &["metadata"], &["search"]]),
    ("npm", &[&["ls"], &["list"], &["view"], &["outdated"], &["why"]]),
    ("go", &[&["list"], &["version"], &["env"], &["doc"]]),
    ("systemctl", &[&["status"], &["is-active"], &["list-units"]]),
];

/// Subcommands that only list when no name follows, and the options that they may carry.
const BARE_LISTS: &[&str] = &["branch", "tag", "remote"];
const LIST_OPTIONS: &[&str] = &["-a", "-v", "-vv", "-r", "-l", "--list", "--all", "--show-current", "--sort"];

/// Words by which an otherwise harmless program changes something.
const WRITERS: &[(&str, &[&str])] = &[
    ("find", &["-delete", "-exec", "-execdir", "-ok", "-fprint", "-fprintf", "-fls"]),
    ("sort", &["-o", "--output"]),
    ("date", &["-s", "--set"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("hostname", &["-F"]),
];

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

fn only_looks(command: &Command) -> bool {
    let program = command.program.as_str();
    if command.wrappers.iter().any(|w| w == "sudo" || w == "doas") || command.is_by_path() {
        return false;
    }
    if WRITERS.iter().any(|(name, words)| *name == program && command.args.iter().any(|a| words.contains(&a.as_str())))
    {
        return false;
    }
    match program {
        "find" | "sort" | "awk" | "gawk" => true,
        "sed" | "perl" | "yq" => {
            program == "sed" && !command.has_letter('i') && !command.args.iter().any(|a| a.starts_with("--in-place"))
        }
        _ if super::wrappers::is_shell(program) => command.inner_script().is_some(),
        _ if asks_version(command) => true,
        _ => VIEWERS.contains(&program) || looks(command) || lists(command),
    }
}

fn asks_version(command: &Command) -> bool {
    matches!(command.args.as_slice(), [only] if only == "--version" || only == "--help" || only == "-V")
}

fn looks(command: &Command) -> bool {
    LOOKS.iter().filter(|(name, _)| *name == command.program).flat_map(|(_, subcommands)| *subcommands).any(|words| {
        let mut own = command.subcommands();
        words.iter().all(|word| own.next() == Some(word))
    }) && !command.has_arg("--output")
}

fn lists(command: &Command) -> bool {
    let Some((first, rest)) = command.args.split_first() else { return false };
    command.program == "git"
        && BARE_LISTS.contains(&first.as_str())
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
