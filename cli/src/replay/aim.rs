//! What a call was about, as far as its words tell: whether a later call did what a failed one wanted, or at least
//! concerned it.

use std::collections::BTreeSet;

use crate::history::{Effect, Execution, covers};
use crate::model::{Category, Tool, ToolKind};
use crate::programs::manifests::manifests_named;
use crate::programs::{Program, Trait, base_name};
use crate::shell::{Command, Fate, Loss, Script};

/// The shortest word by which two calls are about one thing.
const SHORTEST: usize = 3;
/// How many digits a port has that somebody chose.
const PORT: std::ops::RangeInclusive<usize> = 3..=5;
/// The most words that are kept of a call.
const MOST: usize = 64;

/// What a call was about.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the call")]
#[derive(Debug, Clone, Default)]
pub(super) struct CallAim {
    kind: Option<ToolKind>,
    /// The programs that did the work, each with its subcommand.
    programs: BTreeSet<String>,
    /// Paths, their last parts and these without an ending, names, hosts.
    words: BTreeSet<String>,
    /// What version control was asked for: `gc`, `stash pop`.
    version_works: BTreeSet<String>,
    /// Ports of hosts, and other numbers of their length.
    ports: BTreeSet<String>,
    /// Whether it only finds out what there is: a listing, a search, a question for help.
    finds: bool,
    /// Whether it may have changed something.
    changes: bool,
    /// Whether it checks.
    checks: bool,
    /// Whether it asks for the state of something elsewhere.
    polls: bool,
    /// Whether it records what version control was at, or gives it up.
    commits: bool,
    gives_up: bool,
    /// The files in which its program keeps what it was to add.
    manifests: &'static [&'static str],
}

impl CallAim {
    /// What a call was about, by its tool and its words. `typed` is the whole line, where what is kept of it is cut and the whole
    /// is known; `proven` leaves out the commands of a line whose failure a later one hides.
    pub(super) fn of(execution: &Execution, typed: &str, proven: bool) -> Self {
        let kind = Tool::named(execution.tool.as_deref().unwrap_or_default()).kind;
        let mut aim = Self { kind: Some(kind), changes: execution.effect != Effect::None, ..Self::default() };
        aim.checks = !execution.checks.is_empty();
        let input = execution.input.as_deref().unwrap_or_default();
        if kind == ToolKind::Shell {
            aim.finds = true;
            aim.read_line(if typed.is_empty() { input } else { typed }, proven);
            // What was typed is kept up to a bound, and what it comes to up to another.
            let is_cut = execution.input_altered && typed.is_empty();
            if let Some(operation) = execution.operation.as_ref().filter(|_| is_cut) {
                aim.read_line(&operation.0, proven);
            }
        } else {
            aim.finds = kind == ToolKind::Search;
            aim.add_words(input.split_whitespace());
        }
        // Pages of one site tell of one thing.
        if kind == ToolKind::Web {
            let hosts = input.split("://").skip(1).filter_map(|rest| rest.split(['/', ' ', '?', '#']).next());
            aim.add_words(hosts);
        }
        // The folder that all calls share says nothing of one.
        if let Some(cwd) = execution.cwd.as_deref() {
            aim.words.retain(|word| !cwd.split('/').any(|part| part == word) && !cwd.starts_with(word.as_str()));
        }
        aim
    }

    /// What a failed call was about: what its error names, too.
    pub(super) fn of_failed(execution: &Execution) -> Self {
        let mut aim = Self::of(execution, "", false);
        let objects = execution.reading.iter().flat_map(|reading| &reading.objects);
        aim.add_words(objects.map(|object| object.name.as_str()));
        aim
    }

    /// What a failed check was about: the names in its words and in its error.
    pub(super) fn of_failed_check(execution: &Execution) -> Self {
        let mut aim = Self::of_failed(execution);
        aim.words.retain(|word| is_name(word));
        let reading = execution.reading.iter();
        let files = reading.clone().flat_map(|reading| &reading.files).map(String::as_str);
        let objects = reading.flat_map(|reading| &reading.objects).map(|object| object.name.as_str());
        aim.add_words(files.chain(objects));
        aim
    }

    fn read_line(&mut self, line: &str, proven: bool) {
        let script = Script::parse(line);
        for (at, command) in script.programs() {
            let is_lost = || matches!(script.status_of(at), Fate::Lost(Loss::Followed));
            if proven && is_lost() && script.status_printed_by(at).is_none() {
                continue;
            }
            if let Some(inner) = command.inner_script() {
                self.read_line(inner, proven);
                continue;
            }
            let versions = command.program_is(Trait::VersionControl);
            // The folder of `git -C` says nothing of what it is to do.
            let args = command.args.iter().map(String::as_str).filter(|_| !versions);
            self.add_words(args.chain(command.subcommands().filter(|_| versions)));
            self.add_written(command);
            self.add_words(command.redirections.iter().map(|redirection| redirection.target.as_str()));
            if command.is(Trait::Prepares) || command.is(Trait::Displays) {
                continue;
            }
            if command.program_is(Trait::VersionControl) {
                let records = command.is(Trait::Hooks) && command.is(Trait::HandsOver) && command.effect().is_none();
                self.commits |= records || command.has_arg("--continue");
                self.gives_up |= ["--abort", "--skip", "--quit"].iter().any(|word| command.has_arg(word));
            }
            self.polls |= command.is(Trait::Polls);
            if command.is(Trait::Works) && command.subcommands().any(|word| matches!(word, "add" | "remove")) {
                self.manifests = manifests_named(command.name());
            }
            let asks = |arg: &String| matches!(arg.as_str(), "--help" | "-h" | "help" | "--version");
            self.finds &= command.args.iter().any(asks) || command.is(Trait::Looks) && !command.is(Trait::Shows);
            let name = base_name(command.name());
            self.programs.insert(name.to_owned());
            let has_subcommands = command.known.is_some_and(|program| !program.subcommands.is_empty());
            let subcommand = command.subcommands().next().filter(|_| has_subcommands);
            self.programs.extend(subcommand.map(|word| format!("{name} {word}")));
            if versions && let Some(words) = whole_subcommand(command) {
                self.version_works.insert(words);
            }
        }
    }

    /// The files that code in the words of a command names, where it writes any.
    fn add_written(&mut self, command: &Command) {
        let targets = command.redirections.iter().map(|redirection| &redirection.target);
        let is_code = |text: &&str| command.is(Trait::TakesCode) && text.contains("write");
        let code = command.args.iter().chain(targets).map(String::as_str).filter(is_code);
        let words = code.flat_map(|text| text.split(|sign: char| sign.is_whitespace() || "'\"`(),;".contains(sign)));
        self.add_words(words.filter(|word| word.contains('.') && word.contains(char::is_alphanumeric)));
    }

    fn add_words<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        for word in words {
            let value = word.split_once('=').map_or(word, |(_, value)| value);
            if word.starts_with('-') && value == word {
                continue;
            }
            let value = value.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '.');
            let last = value.trim_end_matches('/').rsplit(['/', '\\', ':']).next().unwrap_or_default();
            let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
            if PORT.contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_digit()) && self.ports.len() < MOST {
                self.ports.insert(last.to_owned());
            }
            for word in [value, last, stem] {
                let is_address = word.matches('.').count() == 3;
                let tells =
                    word.len() >= SHORTEST && (is_address || word.bytes().any(|byte| byte.is_ascii_alphabetic()));
                if tells && self.words.len() < MOST {
                    self.words.insert(word.to_owned());
                }
            }
        }
    }

    /// Whether a later call is about the same thing, whatever came of it.
    pub(super) fn concerns(&self, later: &Self) -> bool {
        self.is_about(later) || self.shares_program(later) || self.asks_again(later)
    }

    /// Whether it asks for the state of something elsewhere.
    pub(super) fn asks(&self) -> bool {
        self.polls
    }

    /// Whether both name one thing. Tasks and subcommands of a check name none that a file tool looks for.
    pub(super) fn is_about(&self, later: &Self) -> bool {
        let names_any = self.kind == Some(ToolKind::Shell) || !later.checks;
        self.words.intersection(&later.words).any(|word| names_any || is_name(word))
    }

    /// Whether both ask one program for the state of something.
    pub(super) fn asks_again(&self, later: &Self) -> bool {
        self.polls && !self.programs.is_disjoint(&later.programs)
    }

    /// Whether a later call that succeeded did what this one wanted. `looked` is whether the agent has looked for that
    /// since, and so the next thing that it opens is what it found.
    pub(super) fn is_done_by(&self, later: &Self, category: Category, looked: bool) -> bool {
        let reads = |aim: &Self| matches!(aim.kind, Some(ToolKind::Read)) || aim.is_shown();
        match self.kind {
            Some(ToolKind::Edit | ToolKind::Write) => later.changes && self.is_about(later),
            Some(ToolKind::Read) if category == Category::TooLarge => later.opens(self.kind) && self.is_about(later),
            Some(ToolKind::Read) => reads(later) && (looked || self.is_about(later)),
            Some(ToolKind::Search) => {
                // What was asked wrongly, or by a tool that does not start, a search in a shell finds out.
                let is_tool = matches!(category, Category::BadArguments | Category::CommandNotFound);
                let searches = is_tool && later.finds && (self.is_about(later) || self.is_above(later));
                searches || (later.opens(self.kind) || later.kind == self.kind) && (looked || self.is_about(later))
            }
            Some(ToolKind::Shell) if self.is_elsewhere(later) => false,
            Some(ToolKind::Shell) if category == Category::CommandNotFound => {
                // Who asks where it is has not done it.
                self.concerns(later) && self.programs.is_disjoint(&later.words)
            }
            Some(ToolKind::Shell) if self.manifests.iter().any(|name| later.words.contains(*name)) => {
                later.kind == Some(ToolKind::Edit)
            }
            Some(ToolKind::Shell) if self.finds => {
                (later.finds || !later.changes) && (self.concerns(later) || looked && reads(later))
            }
            Some(ToolKind::Shell) => {
                // Who reads what a script stumbled over looks for the reason.
                let opens = later.opens(self.kind) && (category != Category::ScriptError || later.kind == self.kind);
                !later.finds && (self.shares_program(later) || self.is_about(later) && opens)
            }
            kind => {
                later.kind == kind && self.is_about(later)
                    || category == Category::ToolUnavailable && (!later.finds || !later.version_works.is_empty())
            }
        }
    }

    /// Whether both speak to one program or host, and want something else of it: another subcommand of version control,
    /// another port.
    pub(super) fn is_elsewhere(&self, later: &Self) -> bool {
        let other_port = || !self.ports.is_empty() && !later.ports.is_empty() && self.ports.is_disjoint(&later.ports);
        let other_work = || !self.version_works.is_empty() && !later.version_works.is_empty();
        other_port() || other_work() && self.version_works.is_disjoint(&later.version_works)
    }

    /// Whether a later call is at something below a folder that it names.
    fn is_above(&self, later: &Self) -> bool {
        self.paths().any(|folder| later.paths().any(|path| covers(folder, path)))
    }

    /// The absolute paths among its words.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| word.starts_with('/'))
    }

    /// Whether it records what version control was at.
    pub(super) fn commits(&self) -> bool {
        self.commits
    }

    /// Whether it gives that up.
    pub(super) fn gives_up(&self) -> bool {
        self.gives_up
    }

    /// Whether it only finds out what there is.
    pub(super) fn finds(&self) -> bool {
        self.finds
    }

    /// Whether it looks for something, or opens or changes one file.
    pub(super) fn is_at_files(&self) -> bool {
        let is_tool = matches!(self.kind, Some(ToolKind::Read | ToolKind::Edit | ToolKind::Write | ToolKind::Search));
        is_tool || self.kind == Some(ToolKind::Shell) && self.finds
    }

    fn is_shown(&self) -> bool {
        self.kind == Some(ToolKind::Shell) && !self.finds && !self.changes
    }

    fn opens(&self, kind: Option<ToolKind>) -> bool {
        !self.finds && (self.kind == kind || matches!(self.kind, Some(ToolKind::Read | ToolKind::Shell)))
    }

    /// Whether both run one program, and of one that has subcommands the same one where both name one.
    fn shares_program(&self, later: &Self) -> bool {
        let is_sub_of = |whole: &str, name: &str| whole.split_once(' ').is_some_and(|(program, _)| program == name);
        let names_sub = |aim: &Self, name: &str| aim.programs.iter().any(|whole| is_sub_of(whole, name));
        let mut shared = self.programs.intersection(&later.programs);
        shared.any(|name| name.contains(' ') || !(names_sub(self, name) && names_sub(later, name)))
    }
}

/// Whether a word of a check names something: tasks and subcommands say nothing of what is worked on.
fn is_name(word: &str) -> bool {
    word.contains(['/', '_', '.']) && !word.ends_with("...") || word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// The subcommand that is called; with the next word where it has subcommands of its own.
fn whole_subcommand(command: &Command) -> Option<String> {
    let mut words = command.subcommands();
    let first = words.next()?;
    let own = |row: &Program| row.words.split_once(' ').is_some_and(|(word, _)| word == first);
    let second = words.next().filter(|_| command.known.is_some_and(|program| program.subcommands.iter().any(own)));
    Some(second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}")))
}
