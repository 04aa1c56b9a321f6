//! A shell command line as its parts: which programs it runs, how they are joined, and whose status it reports.

mod command;
mod directory;
mod host;
mod lexer;
mod parser;
mod put;
mod read_only;
mod status;
mod words;
mod wrappers;

#[cfg(test)]
pub(crate) use command::ASKED;
pub use command::{Command, Redirection, RedirectionKind};
pub use put::{PlacedWord, WordRole, line_of, placed_words, quoted_word, with_words};
pub use status::{Fate, Loss, PrintedStatus};
pub use words::argument_words;

use parser::{List, Options};

/// The most bytes of a command line that are looked at.
pub const MAX_BYTES: usize = 64 * 1024;
/// The most pipelines that a script keeps.
pub const MAX_PIPELINES: usize = 256;
/// The most commands that a script keeps, in pipes and out of them.
pub const MAX_COMMANDS: usize = 512;
/// The most words that a command keeps.
pub const MAX_WORDS: usize = 256;
/// How deep substitutions and `sh -c` scripts are followed.
pub const MAX_DEPTH: usize = 3;

/// A parsed command line. Pipelines of subshells, loops, substitutions and `sh -c` scripts are in the same list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// The pipelines: those of the line in the order in which they are written, each before its own inside; those of
    /// substitutions and inner scripts after the line that holds them.
    pub pipelines: Vec<Pipeline>,
    /// Whether the line itself turns `pipefail` on somewhere.
    pub pipefail: bool,
    /// Whether more was written than is kept, or a quote, bracket or here-document never ends.
    pub incomplete: bool,
    lists: Vec<List>,
    /// How many commands the pipelines hold.
    commands: usize,
}

/// Commands joined by pipes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// The stages, first to last. A compound command (`( )`, `{ }`, `if`, `for` ...) is one stage without a program.
    pub commands: Vec<Command>,
    /// How it is joined to the pipeline before it in the same list.
    pub join: Join,
    /// Whether its status is turned round by `!`.
    pub negated: bool,
    /// Where it stands.
    pub nesting: Nesting,
    options: Options,
    background: bool,
    list: usize,
}

/// How a pipeline is joined to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// The first of its list.
    First,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
    /// After `;` or a line's end.
    Then,
    /// After `&`: the one before goes on in the background.
    Background,
}

/// Where a pipeline stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    /// In the line itself.
    Top,
    /// In `( )`.
    Subshell,
    /// In `{ }`, or the branch of an `if` or `case`.
    Block,
    /// In the body of a loop.
    Loop,
    /// In the condition of an `if`, `while` or `until`.
    Condition,
    /// In the definition of a function.
    Function,
    /// In `$( )`, backticks or `<( )`.
    Substitution,
    /// In the script that `sh -c`, `eval` or a here-document hands to a shell.
    Inner,
}

/// The place of a command in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// The index of the pipeline.
    pub pipeline: usize,
    /// The index of the command in it.
    pub stage: usize,
}

/// How quoting works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// `sh`, `bash`, `zsh`.
    #[default]
    Posix,
    /// `PowerShell`: the backtick quotes and the backslash does not.
    PowerShell,
}

impl Dialect {
    /// The dialect of a shell tool.
    pub fn of_tool(name: &str) -> Self {
        if name == "PowerShell" { Self::PowerShell } else { Self::Posix }
    }
}

impl Script {
    /// Parses a line of `sh`, `bash` or `zsh`. Never fails: what cannot be understood is taken as plain words.
    pub fn parse(text: &str) -> Self {
        Self::parse_as(text, Dialect::Posix)
    }

    /// Parses a line of the given shell.
    pub fn parse_as(text: &str, dialect: Dialect) -> Self {
        parser::parse(text, dialect)
    }

    /// The line that this command alone is.
    pub fn of_command(command: &Command) -> Self {
        let pipeline = Pipeline {
            commands: vec![command.clone()],
            join: Join::First,
            negated: false,
            nesting: Nesting::Top,
            options: Options::default(),
            background: false,
            list: 0,
        };
        let lists = vec![List { parent: None, nesting: Nesting::Top }];
        Self { pipelines: vec![pipeline], lists, commands: 1, ..Self::default() }
    }

    /// The last command of the line itself: the one whose status the line reports when everything before it passed.
    pub fn last(&self) -> Option<&Command> {
        self.last_at().and_then(|at| self.get(at))
    }

    /// The place of [`Script::last`]. Of a compound command, the last command inside.
    pub fn last_at(&self) -> Option<At> {
        let mut at = self.last_of_list(|pipeline| pipeline.nesting == Nesting::Top)?;
        for _ in 0..MAX_PIPELINES {
            let inside = self.last_of_list(|pipeline| {
                matches!(pipeline.nesting, Nesting::Subshell | Nesting::Block | Nesting::Loop | Nesting::Inner)
                    && self.lists.get(pipeline.list).is_some_and(|list| list.parent == Some(at))
            });
            match inside {
                Some(inner) => at = inner,
                None => break,
            }
        }
        Some(at)
    }

    fn last_of_list(&self, belongs: impl Fn(&Pipeline) -> bool) -> Option<At> {
        let pipeline = self.pipelines.iter().rposition(belongs)?;
        let stage = self.pipelines.get(pipeline)?.commands.len().checked_sub(1)?;
        Some(At { pipeline, stage })
    }

    /// The command at a place.
    pub fn get(&self, at: At) -> Option<&Command> {
        self.pipelines.get(at.pipeline)?.commands.get(at.stage)
    }

    /// Every command with a program of its own, in order, with its place.
    pub fn programs(&self) -> impl Iterator<Item = (At, &Command)> {
        self.pipelines.iter().enumerate().flat_map(|(pipeline, p)| {
            p.commands
                .iter()
                .enumerate()
                .filter(|(_, command)| !command.program.is_empty())
                .map(move |(stage, command)| (At { pipeline, stage }, command))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn programs(text: &str) -> Vec<String> {
        Script::parse(text).programs().map(|(_, c)| c.program.clone()).collect()
    }

    #[test]
    fn lists_and_pipes_are_split() {
        let script = Script::parse("cd /srv/app && npm test 2>&1 | tail -5 || echo failed; ls &");
        assert_eq!(
            programs("cd /srv/app && npm test 2>&1 | tail -5 || echo failed; ls &"),
            ["cd", "npm", "tail", "echo", "ls"]
        );
        let joins: Vec<Join> = script.pipelines.iter().map(|p| p.join).collect();
        assert_eq!(joins, [Join::First, Join::And, Join::Or, Join::Then]);
        assert_eq!(script.last().unwrap().program, "ls");
        assert!(!script.incomplete);
    }

    #[test]
    fn quoting_comments_and_continuations() {
        let script = Script::parse("grep -n \"a | b && c\" 'it''s; here' plain\\ word \\\n  more # not; this\nwc");
        let grep = script.get(At { pipeline: 0, stage: 0 }).unwrap();
        assert_eq!(grep.args, ["-n", "a | b && c", "its; here", "plain word", "more"]);
        assert_eq!(script.last().unwrap().program, "wc");
        assert_eq!(programs("echo a#b"), ["echo"]);
    }

    #[test]
    fn here_documents_are_no_commands() {
        let text = "git commit -m \"$(cat <<'EOF'\nfix: it's (half done && rm -rf\n\nEOF\n)\" && git push";
        assert_eq!(programs(text), ["git", "git", "cat"]);
        let script = Script::parse("python3 - <<'PY' | head\nimport os; os.system('ls | wc')\nPY\necho done");
        assert_eq!(script.programs().map(|(_, c)| c.program.as_str()).collect::<Vec<_>>(), ["python3", "head", "echo"]);
        assert!(script.pipelines[0].commands[0].reads_here_document());
    }

    #[test]
    fn compound_commands_show_their_inside() {
        assert_eq!(programs("for f in *.rs; do rustfmt $f; done && echo ok"), ["rustfmt", "echo"]);
        assert_eq!(programs("if ! make -s; then echo bad; else ls; fi"), ["make", "echo", "ls"]);
        assert_eq!(programs("while read -r x; do echo $x; done < list.txt"), ["read", "echo"]);
        assert_eq!(programs("case $1 in a|b) make a;; *) make b;; esac; ls"), ["make", "make", "ls"]);
        assert_eq!(programs("(cd web && npm ci) | tee log"), ["tee", "cd", "npm"]);
        assert_eq!(programs("run() { go test ./...; }; run"), ["go", "run"]);
        assert_eq!(programs("[[ -f a && -d b ]] && cat a"), ["[[", "cat"]);
        assert_eq!(programs("((i++)); ls"), ["ls"]);
    }

    #[test]
    fn substitutions_and_inner_scripts_are_followed() {
        assert_eq!(programs("x=$(git rev-parse HEAD) && echo `date`"), ["echo", "git", "date"]);
        assert_eq!(programs("bash -lc 'cd x && pytest -q | tail -3'"), ["bash", "cd", "pytest", "tail"]);
        assert_eq!(programs("diff <(sort a) <(sort b)"), ["diff", "sort", "sort"]);
        assert_eq!(programs("echo $((1 + 2))"), ["echo"]);
    }

    #[test]
    fn broken_quoting_is_told() {
        for text in ["echo 'a", "echo \"a", "echo $(ls", "cat <<EOF\nx", "(ls", "echo `a"] {
            assert!(Script::parse(text).incomplete, "{text}");
        }
    }

    #[test]
    fn backticks_of_powershell_quote() {
        let script =
            Script::parse_as("Get-Content C:\\tmp\\a.txt | Select-String `\"x; ls C:\\dir", Dialect::PowerShell);
        assert_eq!(script.pipelines[0].commands[0].args, ["C:\\tmp\\a.txt"]);
        assert_eq!(script.last().unwrap().args, ["C:\\dir"]);
    }

    #[test]
    fn caps_hold() {
        let many = "a;".repeat(5_000);
        let script = Script::parse(&many);
        assert_eq!(script.pipelines.len(), MAX_PIPELINES);
        assert!(script.incomplete);
        for token in ["a|", "a|b&&", "(a)|"] {
            let script = Script::parse(&token.repeat(20_000));
            let commands: usize = script.pipelines.iter().map(|pipeline| pipeline.commands.len()).sum();
            assert!(commands <= MAX_COMMANDS + 2 && script.incomplete, "{token} {commands}");
        }
        let words = format!("echo {}", "w ".repeat(5_000));
        assert!(Script::parse(&words).last().unwrap().args.len() <= MAX_WORDS);
        let deep = "$(".repeat(30_000);
        assert!(Script::parse(&deep).incomplete);
        let parens = "(".repeat(60_000);
        assert!(Script::parse(&parens).incomplete);
    }

    proptest! {
        #[test]
        fn any_text_parses(text in "[-a-z $(){}\\[\\]`'\"\\\\|&;<>#=!\n*~0-9é]{0,200}") {
            let script = Script::parse(&text);
            for (at, command) in script.programs() {
                prop_assert!(script.get(at).is_some());
                let _ = (script.status_of(at), command.writes_a_file());
            }
            let _ = (script.last(), script.is_read_only());
            let _ = Script::parse_as(&text, Dialect::PowerShell);
        }

        #[test]
        fn plain_words_come_back(words in prop::collection::vec("[a-z0-9./_-]{1,8}", 1..6)) {
            let quoted: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
            let script = Script::parse(&format!("printf {}", quoted.join(" ")));
            prop_assert_eq!(&script.last().unwrap().args, &words);
        }
    }
}
