//! One command of a pipeline: its program, words, assignments and redirections.

use crate::programs::calls::Call;
use crate::programs::{self, Fact, OutsideEffect, Program, Trait};

/// One command of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// The last part of the program's path, without wrappers (`sudo`, `npx`, `python -m` ...). Empty for a compound
    /// command and for bare assignments.
    pub program: String,
    /// The program as written.
    pub raw: String,
    /// The words after the program, without quotes.
    pub args: Vec<String>,
    /// `NAME=value` before the program, also those given to `env`.
    pub assignments: Vec<(String, String)>,
    /// Redirections in the order in which they are written.
    pub redirections: Vec<Redirection>,
    /// What the program is started by, outermost first: `sudo`, `uv run`.
    pub wrappers: Vec<String>,
    /// Whether a word after the program holds a pattern that the shell expands.
    pub globs: bool,
    /// What is known of the program.
    pub known: Option<&'static Program>,
}

#[cfg(test)]
thread_local! {
    /// How often this thread asked whether a command writes a file, which looks at all of its redirections.
    pub(crate) static ASKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// The descriptor before the sign, where one is written. `&>` has none.
    pub descriptor: Option<u8>,
    /// What it does.
    pub kind: RedirectionKind,
    /// The file, descriptor or word behind the sign.
    pub target: String,
}

impl Redirection {
    /// Whether it gives the program something to read.
    pub fn is_input(&self) -> bool {
        use RedirectionKind::{HereDocument, HereString, Read};
        matches!(self.kind, Read | HereDocument | HereString) && self.target != "/dev/null"
    }
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `<`
    Read,
    /// `>`, `>|`
    Write,
    /// `>>`
    Append,
    /// `&>`, `&>>`
    Both,
    /// `>&1`, `<&3`
    Duplicate,
    /// `<<`, with the body as target.
    HereDocument,
    /// `<<<`
    HereString,
}

impl Command {
    /// The words after the program that are neither options nor the values of the program's own leading options.
    pub fn subcommands(&self) -> impl Iterator<Item = &str> {
        programs::subcommands(self.known, &self.args)
    }

    /// The words after the program that are said to it: of an interpreter none behind its script, module or code.
    pub fn own_args(&self) -> &[String] {
        self.args.get(..programs::own_words(self.known, &self.args)).unwrap_or(&self.args)
    }

    /// The name of the program without its version: `python` for `python3.11`, `gradle` for `gradlew`.
    pub fn name(&self) -> &str {
        self.known.map_or(&self.program, |program| program.words)
    }

    /// Whether this is known of the program, or of the subcommand that is called.
    pub fn is(&self, asked: Trait) -> bool {
        self.known.is_some_and(|program| program.has_as_called(asked, &self.args))
    }

    /// Whether this is known of the program itself, whatever its words.
    pub fn program_is(&self, asked: Trait) -> bool {
        self.known.is_some_and(|program| program.has(asked))
    }

    /// Whether it is known which subcommands of the program run hooks.
    pub fn tells_of_hooks(&self) -> bool {
        self.known.is_some_and(|program| program.has_below(Trait::Hooks))
    }

    /// What else is known of the program and the subcommand that is called.
    pub fn facts(&self) -> impl Iterator<Item = &'static Fact> {
        self.known.into_iter().flat_map(|program| program.facts_of(&self.args))
    }

    /// Whether its program says by this status that it does not trust the other side's certificate.
    pub fn distrusts_by(&self, code: i32) -> bool {
        let mut codes = self.facts_like(|fact| matches!(fact, Fact::Untrusted(_)));
        codes.any(|fact| matches!(fact, Fact::Untrusted(own) if *own == code))
    }

    /// Of that, what is of such a kind.
    pub fn facts_like(&self, is_like: fn(&Fact) -> bool) -> impl Iterator<Item = &'static Fact> {
        self.known.into_iter().flat_map(move |program| program.facts_like(&self.args, is_like))
    }

    /// What the command may have changed elsewhere although it failed, and the words that say so.
    pub fn effect(&self) -> Option<(&'static OutsideEffect, String)> {
        self.known?.effect_of(&self.args)
    }

    /// Whether the program is the first word and its subcommands begin with the others: `runs("cargo test")` holds for
    /// `cargo +nightly --locked test --lib`.
    pub fn runs(&self, words: &str) -> bool {
        programs::after_name(words, self.name())
            .is_some_and(|rest| programs::go_on(self.subcommands(), &self.args, rest))
    }

    /// Whether it is one of these calls.
    pub fn is_one_of(&self, calls: &[Call]) -> bool {
        let first = self.name().as_bytes().first();
        let is_run = |words: &&str| words.as_bytes().first() == first && self.runs(words);
        let may_be = |call: &&Call| call.words.iter().any(is_run);
        let given = |options: &[&str]| options.iter().any(|option| self.has_option(option));
        let has = |options: &[&str]| options.is_empty() || given(options);
        calls.iter().filter(may_be).any(|call| has(call.with) && has(call.also) && !given(call.without))
    }

    /// Whether the program is given this word or option, alone, with its value or as a letter among others: `-m` in `-am`.
    pub fn has_option(&self, option: &str) -> bool {
        let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
        self.own_args().iter().any(|arg| {
            let letters = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
            let is_among = |letter: &str| letters.starts_with(letter) || letters.len() < 4 && letters.contains(letter);
            arg == option || arg.split_once('=').is_some_and(|(name, _)| name == option) || letter.is_some_and(is_among)
        })
    }

    /// Whether one of the words after the program is this one.
    pub fn has_arg(&self, word: &str) -> bool {
        self.args.iter().any(|arg| arg == word)
    }

    /// Whether it is an interpreter that gets its code as a word: `python -c`, `node -e`.
    pub fn takes_code_word(&self) -> bool {
        self.is(Trait::TakesCode) && (self.has_letter('c') || self.has_letter('e'))
    }

    /// Whether a short option letter of the program is given, alone or in a cluster: `-q` in `-iq`.
    pub fn has_letter(&self, letter: char) -> bool {
        self.own_args()
            .iter()
            .any(|arg| arg.len() > 1 && arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter))
    }

    /// Whether it shows what is added to a file or log, until somebody ends it: `tail -F`, `kubectl logs --follow`.
    pub fn follows(&self) -> bool {
        let has_long = || self.own_args().iter().any(|arg| arg == "--follow");
        self.is(Trait::Follows) && (self.has_letter('f') || self.has_letter('F') || has_long())
    }

    /// Whether its output goes into a file.
    pub fn writes_a_file(&self) -> bool {
        #[cfg(test)]
        ASKED.with(|asked| asked.set(asked.get() + 1));
        let is_device = |target: &str| target.starts_with("/dev/") || matches!(target, "NUL" | "$null");
        self.outputs().any(|redirection| !is_device(&redirection.target))
    }

    /// Whether its output goes into a file or a device, and to nobody who reads it.
    pub fn redirects_output(&self) -> bool {
        self.outputs().next().is_some()
    }

    fn outputs(&self) -> impl Iterator<Item = &Redirection> {
        use RedirectionKind::{Append, Both, Write};
        self.redirections.iter().filter(|redirection| matches!(redirection.kind, Write | Append | Both))
    }

    /// Whether its output goes into this file.
    pub fn writes_to(&self, path: &str) -> bool {
        self.writes_a_file() && self.redirections.iter().any(|r| r.target == path && r.kind != RedirectionKind::Read)
    }

    /// Whether its error output is thrown away.
    pub fn silences_errors(&self) -> bool {
        self.redirections
            .iter()
            .any(|r| r.target == "/dev/null" && (r.kind == RedirectionKind::Both || r.descriptor == Some(2)))
    }

    /// Whether its input is in the line itself.
    pub fn reads_here_document(&self) -> bool {
        self.redirections.iter().any(|r| matches!(r.kind, RedirectionKind::HereDocument | RedirectionKind::HereString))
    }

    /// Whether the program is a script or binary named by a path of the project or elsewhere, not by a name on `PATH`.
    pub fn is_by_path(&self) -> bool {
        self.raw.contains('/') && !["/usr/", "/bin/", "/opt/", "/sbin/"].iter().any(|dir| self.raw.starts_with(dir))
    }

    /// The line that `ssh` runs on another machine, where it is one word.
    fn remote_script(&self) -> Option<&str> {
        let values = self.known.map_or(&[][..], |program| program.values);
        let mut words = self.args.iter().map(String::as_str).peekable();
        while let Some(word) = words.next_if(|word| word.starts_with('-')) {
            if values.contains(&word) {
                words.next();
            }
        }
        let line = words.nth(1)?;
        words.next().is_none().then_some(line).filter(|line| line.contains(' '))
    }

    /// The script in the words of a shell (`bash -c`, `eval`, `nix-shell --run`), where there is one.
    pub fn inner_script(&self) -> Option<&str> {
        if self.is(Trait::Shell) {
            return self.shell_script();
        }
        if self.is(Trait::RunsElsewhere) {
            return self.remote_script();
        }
        let after = |option: &str| self.args.iter().skip_while(|a| *a != option).nth(1).map(String::as_str);
        match self.program.as_str() {
            "eval" => self.args.first().filter(|_| self.args.len() == 1).map(String::as_str),
            "nix-shell" => after("--run").or_else(|| after("--command")),
            "su" => after("-c"),
            _ => None,
        }
    }

    fn shell_script(&self) -> Option<&str> {
        let mut words = self.args.iter();
        while let Some(word) = words.next() {
            if word == "-o" || word == "+o" || word == "-O" {
                words.next();
            } else if word.starts_with('-') && !word.starts_with("--") && word.ends_with('c') {
                return words.next().map(String::as_str);
            } else if !word.starts_with('-') {
                return None;
            }
        }
        self.redirections.iter().find(|r| r.kind == RedirectionKind::HereDocument).map(|r| r.target.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Script;

    fn command(text: &str) -> super::Command {
        Script::parse(text).pipelines[0].commands[0].clone()
    }

    #[test]
    fn a_prefix_is_matched_past_options() {
        assert!(command("cargo +nightly --locked test --lib").runs("cargo test"));
        assert!(command("git -C /srv/repo -c a.b=c status --short").runs("git status"));
        assert!(!command("git -C status log").runs("git status"));
        assert!(!command("cargo build").runs("cargo test"));
        assert!(!command("echo cargo test").runs("cargo test"));
    }

    #[test]
    fn redirections_are_told_apart() {
        assert!(command("ls > out.txt").writes_a_file());
        assert!(!command("ls >/dev/null 2>&1").writes_a_file());
        assert!(command("ls 2>/dev/null").silences_errors());
        assert!(!command("ls >/dev/null").silences_errors());
        assert!(command("ls &>/dev/null").silences_errors());
        assert!(command("cat <<< hello").reads_here_document());
    }

    #[test]
    fn option_letters_are_found_in_clusters() {
        assert!(command("grep -iq x f").has_letter('q'));
        assert!(!command("grep --quiet x f").has_letter('q'));
    }
}
