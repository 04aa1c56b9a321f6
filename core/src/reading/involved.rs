//! Which commands of a line could have printed what a recogniser knows.

use crate::model::Category;
use crate::programs::{self, Fact, Run, Trait};
use crate::shell::{At, Command, Fate, Loss, Script};

use super::row::{Reach, RowScope, ToolTable};
use super::tables::TOOLS;

/// A command line with what each of its commands may run.
pub(super) struct Involved<'s> {
    pub(super) script: &'s Script,
    ran: Vec<RanProgram>,
}

/// A command of the line.
struct RanProgram {
    at: At,
    /// What becomes of its status: asked for each tool, and found by a walk over the line.
    fate: Fate,
    nature: Nature,
    /// Whether its first word may be the script of another tool.
    interprets: bool,
    /// Whether it compiles and tests by itself.
    compiles: bool,
    /// What the words begin with that it may run: most recognisers are passed over by them.
    letters: Letters,
}

/// A set of what words begin with: the first two letters of each.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    fn of_first<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        Self(words.fold(0, |set, word| set | Self::bit(word)))
    }

    /// What a word begins with, of which some share one; a single letter is followed by nothing.
    const fn bit(word: &str) -> u64 {
        let (first, second) = match word.as_bytes() {
            [] => return 0,
            [first] | [first, b' ', ..] => (*first, 0),
            [first, second, ..] => (*first, *second),
        };
        1 << ((first as usize * 7 + second as usize * 3) % 64)
    }

    fn has_first_of(self, word: &str) -> bool {
        self.0 & Self::bit(word) != 0
    }

    /// Those that the programs of a tool begin with.
    const fn of_tool(tool: &ToolTable) -> Self {
        let (RowScope::Runs(programs, _) | RowScope::Last(programs)) = tool.scope else { return Self(0) };
        let (mut letters, mut at) = (0, 0);
        while at < programs.len() {
            letters |= Self::bit(programs[at]);
            at += 1;
        }
        Self(letters)
    }
}

/// The first letters of each tool's programs.
static LETTERS: [Letters; TOOLS.len()] = {
    let mut letters = [Letters(0); TOOLS.len()];
    let mut at = 0;
    while at < TOOLS.len() {
        letters[at] = Letters::of_tool(TOOLS[at]);
        at += 1;
    }
    letters
};

/// What a command may run besides itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// Nothing: it looks, moves files, or speaks to a service.
    Plain,
    /// A task runner or script; whether its words speak of tests, checks or builds.
    Task { checks: bool },
    /// Hooks of version control.
    Hooks,
    /// A program of the project.
    Program,
}

/// Parts of a task's or script's name that speak of tests, checks or builds.
const CHECK_WORDS: &[&str] = &[
    "test",
    "spec",
    "check",
    "lint",
    "build",
    "compile",
    "type",
    "tsc",
    "verify",
    "validate",
    "fmt",
    "format",
    "e2e",
    "unit",
    "coverage",
    "quality",
    "precommit",
    "pre-commit",
    "clippy",
    "vet",
    "ci",
    "all",
];

/// Whether the command does nothing about a failure before it. What a shell's script does stands beside the shell.
fn only_speaks(command: &Command) -> bool {
    command.only_looks() && !command.is(Trait::Shell)
}

fn is_log(path: &str) -> bool {
    let name = base(path);
    !path.starts_with('-') && [".log", ".out", ".txt"].iter().any(|ending| name.ends_with(ending))
}

impl<'i> Involved<'i> {
    pub(super) fn of(script: &'i Script) -> Self {
        let ran = script.programs().map(|(at, command)| RanProgram::of(script, at, command)).collect();
        Self { script, ran }
    }

    /// What becomes of the status of the command at this place.
    pub(super) fn status_of(&self, at: At) -> Fate {
        let place = |at: At| (at.pipeline, at.stage);
        let known = self.ran.binary_search_by_key(&place(at), |ran| place(ran.at)).ok();
        known.and_then(|known| self.ran.get(known)).map_or_else(|| self.script.status_of(at), |ran| ran.fate)
    }

    /// How surely the line runs the tool of this number.
    pub(super) fn reach(&self, number: usize) -> Reach {
        let (Some(tool), Some(letters)) = (TOOLS.get(number), LETTERS.get(number)) else { return Reach::Never };
        // Of most tools the first letters tell that no command names them.
        let named = |ran: &RanProgram| ran.letters.0 & letters.0 != 0;
        let nearest = |programs: &'static [&'static str]| {
            let reach = if self.ran.iter().any(named) {
                self.runners(programs).map(|(_, reach)| reach).min()
            } else {
                self.ran.iter().map(RanProgram::reach).min()
            };
            reach.unwrap_or(Reach::Never)
        };
        match tool.scope {
            RowScope::Kinds(_) => Reach::Never,
            RowScope::Shell => Reach::Direct,
            RowScope::Last(programs) => nearest(programs),
            RowScope::Runs(programs, weakest) => {
                let reach = nearest(programs);
                let near = reach <= weakest || reach == Reach::Beside && weakest == Reach::Task;
                if near { reach } else { Reach::Never }
            }
        }
    }

    /// Whether a failure of the tool inside the line can be hidden by its status: the tool or a task that checks stands
    /// where its status is lost, and nowhere where it is kept.
    pub(super) fn hides(&self, tool: &ToolTable) -> bool {
        let RowScope::Runs(programs, _) = tool.scope else { return false };
        let direct: Vec<At> = self.runners(programs).filter(|(_, r)| *r == Reach::Direct).map(|(at, _)| at).collect();
        let is_lost = |at: At| self.status_of(at) != Fate::Kept && !self.is_tried_again(at);
        if !direct.is_empty() {
            return direct.into_iter().any(is_lost);
        }
        self.natures().any(|(at, nature)| nature == Nature::Task { checks: true } && is_lost(at))
    }

    /// Whether the same check was tried again where it failed, and the line tells how that ended: a status of 0 is the pass
    /// of one of both. `npm test || npm test -- --retry`
    pub(super) fn is_tried_again(&self, at: At) -> bool {
        let mut tries = std::iter::successors(self.second_try(at), |again| self.second_try(*again));
        tries.any(|again| self.status_of(again) == Fate::Kept)
    }

    /// Where the check at this place is tried again when it failed.
    fn second_try(&self, at: At) -> Option<At> {
        let again = self.script.second_try(at)?;
        is_same_check(self.script.get(at)?, self.script.get(again)?).then_some(again)
    }

    /// Whether the last result of the tool is that of the line: one command alone runs it, by name and once, or the same
    /// check again only when the first failed.
    pub(super) fn runs_once(&self, tool: &ToolTable) -> bool {
        let tasks = self.natures().any(|(_, nature)| matches!(nature, Nature::Task { .. }));
        let runs: Vec<At> = self.direct(tool).collect();
        !tasks
            && !runs.is_empty()
            && !runs.iter().any(|at| self.script.repeats(*at))
            && runs.windows(2).all(|pair| matches!(pair, [first, again] if self.second_try(*first) == Some(*again)))
    }

    /// Whether a command that does a piece of work stands where its status is lost, and nothing is done about that.
    pub(super) fn loses_work(&self, tool: &ToolTable) -> bool {
        let lost = |at: At| match self.status_of(at) {
            Fate::Lost(Loss::Or) => self.alternative_only_speaks(at),
            Fate::Lost(Loss::Negated | Loss::Condition | Loss::Defined) | Fate::Kept => false,
            Fate::Lost(_) => true,
        };
        self.direct(tool).any(|at| lost(at) && self.script.get(at).is_some_and(|c| c.is(Trait::Works)))
    }

    /// Whether nothing is done about a failure but to speak of it: `npm publish || echo "not published"`.
    pub(super) fn alternative_only_speaks(&self, at: At) -> bool {
        self.script.alternative(at).is_some_and(only_speaks)
    }

    /// Whether the line shows a log that it did not write: what that says is of another run.
    pub(super) fn shows_old_log(&self) -> bool {
        let shows = |c: &Command| c.is(Trait::Shows);
        let showers = self.script.programs().filter(|(at, c)| at.stage == 0 && shows(c));
        showers.flat_map(|(_, c)| &c.args).any(|arg| is_log(arg) && !self.writes(arg))
    }

    /// Whether a command of the line writes to this file.
    fn writes(&self, path: &str) -> bool {
        let tees = |c: &Command| c.program == "tee" && c.args.iter().any(|arg| arg == path);
        self.script.programs().any(|(_, c)| c.writes_to(path) || tees(c))
            || self.script.pipelines.iter().flat_map(|p| &p.commands).any(|c| c.writes_to(path))
    }

    /// Whether all files that the command shows were written by the line.
    pub(super) fn shows_what_it_wrote(&self, command: &Command) -> bool {
        let mut files = command.args.iter().filter(|arg| is_log(arg)).peekable();
        files.peek().is_some() && files.all(|file| self.writes(file))
    }

    /// Whether a command of the line shows what this one writes to a file.
    pub(super) fn shows_own_output(&self, command: &Command) -> bool {
        let shown = |c: &Command| c.is(Trait::Shows) && c.args.iter().any(|arg| is_log(arg) && command.writes_to(arg));
        self.script.programs().any(|(_, c)| shown(c))
    }

    /// Whether the line does nothing but show what stands in files, and its status is of none that shows.
    pub(super) fn only_shows(&self) -> bool {
        let shows = |(_, c): (At, &Command)| c.is(Trait::Shows);
        let looks =
            |(at, c): (At, &Command)| shows((at, c)) || c.only_looks() && (c.is(Trait::Prepares) || c.args.is_empty());
        self.script.programs().all(looks)
            && self.script.programs().any(shows)
            && !self.script.programs().last().is_some_and(shows)
    }

    /// Whether a line of the output begins with the name of a program of the line, or of a shell.
    pub(super) fn speaks(&self, line: &str) -> bool {
        let name = line.split(':').next().map_or("", base);
        name.ends_with("sh") || name == "(eval)" || self.script.programs().any(|(_, c)| c.program == name)
    }

    /// Whether the line numbers or counts the lines that it shows.
    pub(super) fn numbers_lines(&self) -> bool {
        self.script.programs().any(|(at, c)| match c.name() {
            "uniq" => c.has_letter('c'),
            "grep" | "rg" => at.stage > 0 && c.has_letter('n'),
            "cat" => c.has_letter('n'),
            "nl" => true,
            _ => false,
        })
    }

    fn runners<'s>(&'s self, programs: &'static [&'static str]) -> impl Iterator<Item = (At, Reach)> + 's {
        self.ran.iter().filter_map(move |ran| {
            let command = self.script.get(ran.at)?;
            let direct = programs.iter().any(|words| ran.runs(command, words));
            Some((ran.at, if direct { Reach::Direct } else { ran.reach() }))
        })
    }

    /// The tools that the line may name: of all others [`Self::direct`] finds nothing.
    pub(super) fn tools(&self) -> impl Iterator<Item = &'static ToolTable> {
        let letters = self.ran.iter().fold(0, |letters, ran| letters | ran.letters.0);
        TOOLS.iter().zip(&LETTERS).filter(move |(_, own)| own.0 & letters != 0).map(|(tool, _)| *tool)
    }

    /// The commands that run this tool by name.
    pub(super) fn direct(&self, tool: &ToolTable) -> impl Iterator<Item = At> {
        let programs = match tool.scope {
            RowScope::Runs(programs, _) => programs,
            _ => &[],
        };
        self.runners(programs).filter(|(_, reach)| *reach == Reach::Direct).map(|(at, _)| at)
    }

    /// Whether nothing but one script of a shell runs anything: what ran in it is told by its output alone.
    pub(super) fn is_one_script(&self) -> bool {
        let mut runs = self.natures().filter(|(_, nature)| *nature != Nature::Plain);
        let one = runs.next().and_then(|(at, _)| self.command(at));
        runs.next().is_none() && one.is_some_and(|command| is_script(command) || is_shell_script(&command.program))
    }

    /// Whether some command begins with these words.
    pub(super) fn direct_words(&self, words: &str) -> bool {
        self.ran.iter().any(|ran| self.script.get(ran.at).is_some_and(|command| ran.runs(command, words)))
    }

    /// How many words of the command at this place the tool's longest beginning names.
    pub(super) fn exactness(&self, tool: &ToolTable, at: At) -> usize {
        let (RowScope::Runs(programs, _), Some(command)) = (&tool.scope, self.script.get(at)) else { return 0 };
        let interprets = command.is(Trait::Interpreter);
        programs
            .iter()
            .filter(|words| runs(command, interprets, words))
            .map(|words| words.split(' ').count())
            .max()
            .unwrap_or(0)
    }

    /// The commands that may run tests, checks or builds, by task or by name, with their nature.
    pub(super) fn natures(&self) -> impl Iterator<Item = (At, Nature)> {
        self.ran.iter().map(|ran| (ran.at, ran.nature))
    }

    pub(super) fn command(&self, at: At) -> Option<&Command> {
        self.script.get(at)
    }

    /// What was run last with its status kept, before what only displays or prepares.
    pub(super) fn last_kept(&self) -> Option<(At, Nature)> {
        let kept = |(at, _): &(_, Nature)| self.status_of(*at) == Fate::Kept;
        let mut last = None;
        for run in self.natures().filter(kept) {
            if run.1 != Nature::Plain || last.is_none_or(|(_, nature)| nature == Nature::Plain) {
                last = Some(run);
            }
        }
        last
    }

    /// Whether a command of git that may run hooks is what was run last.
    pub(super) fn ends_in_hooks(&self) -> bool {
        self.last_kept().is_some_and(|(_, nature)| nature == Nature::Hooks)
    }

    /// Whether every command that may have run something is git itself.
    pub(super) fn only_hooks(&self) -> bool {
        !self.ran.iter().any(|ran| matches!(ran.nature, Nature::Task { .. } | Nature::Program))
    }
}

impl RanProgram {
    fn of(script: &Script, at: At, command: &Command) -> Self {
        // A program that nobody knows may start what its first word names.
        let interprets = command.is(Trait::Interpreter) || command.known.is_none() && !command.is_by_path();
        let own_script = command.subcommands().next().filter(|_| interprets).map(base);
        let starters = command.wrappers.iter().map(String::as_str);
        let started = started_by_find(command);
        let letters = Letters::of_first(starters.chain(own_script).chain(started).chain([command.name()]));
        // What is started for one file after the other tells nobody how it ended.
        let is_each = started.is_some() && command.args.iter().any(|arg| arg == ";");
        Self {
            at,
            fate: if is_each { Fate::Lost(Loss::Loop) } else { script.status_of(at) },
            nature: nature(command),
            interprets,
            compiles: command.is(Trait::Compiles),
            letters,
        }
    }

    /// How surely it runs a tool that it does not name.
    fn reach(&self) -> Reach {
        match self.nature {
            Nature::Plain => Reach::Never,
            Nature::Task { .. } if self.compiles => Reach::Beside,
            Nature::Task { .. } => Reach::Task,
            Nature::Hooks => Reach::Hook,
            Nature::Program => Reach::Loose,
        }
    }

    /// Whether the command begins with these words.
    fn runs(&self, command: &Command, words: &str) -> bool {
        self.letters.has_first_of(words) && runs(command, self.interprets, words)
    }
}

/// Whether the second command checks all that the first one does, by their words.
fn is_same_check(first: &Command, again: &Command) -> bool {
    if first.name() != again.name() || first.program.is_empty() {
        return false;
    }
    let same_words = first.subcommands().eq(again.subcommands());
    let Some(program) = first.known else { return same_words };
    let [narrow, wide] = [first, again].map(|command| Run { program, args: &command.args });
    let of = Category::TestFailure;
    narrow.is_part_of(&wide, of, &[], "") || same_words && narrow.may_meet(&wide, of, "") != Some(false)
}

/// Whether the command, the script that its interpreter runs, or what starts it begins with these words.
fn runs(command: &Command, interprets: bool, words: &str) -> bool {
    let started_by = |wrapper: &String| wrapper.split(' ').next() == Some(words);
    if let Some(rest) = programs::after_name(words, command.name()) {
        return programs::go_on(command.subcommands(), &command.args, rest);
    }
    if command.wrappers.iter().any(started_by) || started_by_find(command) == Some(words) {
        return true;
    }
    if !interprets {
        return false;
    }
    let mut own = command.subcommands();
    let script = own.next().map_or("", base);
    programs::after_name(words, script).is_some_and(|rest| programs::go_on(own, &command.args, rest))
}

/// The program that `find` starts: `find . -name "*.json" -exec jq . {} \;`.
fn started_by_find(command: &Command) -> Option<&str> {
    let starts = |word: &String| matches!(word.as_str(), "-exec" | "-execdir");
    let program = command.args.iter().skip_while(|word| !starts(word)).nth(1)?;
    let takes = |fact: &Fact| matches!(fact, Fact::Writes(options) if options.contains(&"-exec"));
    command.facts_like(takes).next().map(|_| base(program))
}

fn base(path: &str) -> &str {
    crate::text::file_name(path)
}

fn nature(command: &Command) -> Nature {
    let program = command.program.as_str();
    if command.tells_of_hooks() {
        return if command.is(Trait::Hooks) { Nature::Hooks } else { Nature::Plain };
    }
    if speaks_of_checks(program) && is_run_by_name(command) {
        return Nature::Task { checks: true };
    }
    let is_apart = command.program_is(Trait::Apart) || command.program_is(Trait::Looks);
    if is_apart && !is_script(command) {
        return Nature::Plain;
    }
    if command.is(Trait::Tasks) || command.is(Trait::Hosts) || is_shell_script(program) {
        return Nature::Task { checks: checks(command) };
    }
    if is_script(command) {
        return Nature::Task { checks: command.subcommands().next().is_some_and(speaks_of_checks) };
    }
    let is_named = command.is_by_path() && speaks_of_checks(program);
    if is_named || is_test_script(command) || is_told_to_test(command) {
        return Nature::Task { checks: true };
    }
    Nature::Program
}

/// Whether what starts the program also runs scripts of the project by their names.
fn is_run_by_name(command: &Command) -> bool {
    command.wrappers.last().is_some_and(|wrapper| programs::are_of(wrapper, Trait::RunsScripts))
}

/// Whether the name is that of a shell's script.
fn is_shell_script(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| programs::find(ending).is_some_and(|shell| shell.has(Trait::Shell)))
}

/// Whether a shell runs a script that lies in a file.
fn is_script(command: &Command) -> bool {
    let in_words = || command.has_arg("-s") || command.inner_script().is_some();
    command.is(Trait::RunsScript) && command.subcommands().next().is_some() && !in_words()
}

/// Whether an interpreter runs a file that its name calls a test: `ruby test/cart_test.rb`.
fn is_test_script(command: &Command) -> bool {
    let script = command.subcommands().next().filter(|_| command.is(Trait::Interpreter)).map_or("", base);
    script.contains('.')
        && script.split(|c: char| !c.is_ascii_alphanumeric()).any(|p| matches!(p, "test" | "tests" | "spec"))
}

/// Whether a program that nobody knows is told to test by its first word: `cli.js test`.
fn is_told_to_test(command: &Command) -> bool {
    command.known.is_none() && command.subcommands().next() == Some("test")
}

fn checks(command: &Command) -> bool {
    speaks_of_checks(&command.program)
        || command.subcommands().any(speaks_of_checks)
        || names_no_task(command) && command.is(Trait::ChecksAlone)
        || command.is(Trait::Checks)
}

/// Whether only options and their numbers follow: `make -j 8`.
fn names_no_task(command: &Command) -> bool {
    command.args.iter().all(|a| a.starts_with('-') || a.bytes().all(|b| b.is_ascii_digit()))
}

fn speaks_of_checks(word: &str) -> bool {
    let name = base(word);
    let mut parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    // Short words count only as a whole part of the name: `ci` in `test:ci`, not in `pacific`.
    CHECK_WORDS
        .iter()
        .any(|check| if check.len() <= 3 { parts.clone().any(|p| p == *check) } else { name.contains(check) })
        || parts.any(|p| p == "tests")
}

#[cfg(test)]
mod tests {
    use super::super::tables::TOOLS;
    use super::*;

    fn natures(text: &str) -> Vec<Nature> {
        Involved::of(&Script::parse(text)).natures().map(|(_, n)| n).collect()
    }

    #[test]
    fn natures_are_told_apart() {
        let checks = Nature::Task { checks: true };
        for (text, nature) in [
            ("npm run test:unit", checks),
            ("mise run lint", checks),
            ("make", checks),
            ("make -k -j 8", checks),
            ("make deploy", Nature::Task { checks: false }),
            ("bash scripts/check.sh", checks),
            ("fish -x scripts/check.fish", checks),
            ("bash -eo pipefail scripts/check.sh", checks),
            ("bash -s check", Nature::Program),
            ("run.zsh", Nature::Task { checks: false }),
            ("./scripts/e2e", checks),
            ("yarn dev", Nature::Task { checks: false }),
            ("git commit -m x", Nature::Hooks),
            ("git log", Nature::Plain),
            ("cat test.log", Nature::Plain),
            ("./server", Nature::Program),
            ("gh run view 1 --log", Nature::Plain),
            ("npm run pacific", Nature::Task { checks: false }),
            ("ruby -Itest test/cart_test.rb", checks),
            ("node latest.js", Nature::Program),
        ] {
            assert_eq!(natures(text), [nature], "{text}");
        }
    }

    #[test]
    fn recognisers_name_programs_by_their_own_names() {
        for tool in TOOLS {
            let (RowScope::Runs(programs, _) | RowScope::Last(programs)) = tool.scope else { continue };
            for words in programs {
                let name = words.split(' ').next().unwrap();
                assert!(programs::find(name).is_none_or(|program| program.words == name), "{}: {words}", tool.name);
            }
        }
    }

    #[test]
    fn scripts_of_interpreters_are_the_tool() {
        let command = Script::parse("php vendor/bin/phpunit --filter x").last().unwrap().clone();
        assert!(runs(&command, true, "phpunit"));
        let command = Script::parse("python manage.py test app").last().unwrap().clone();
        assert!(runs(&command, true, "manage.py test"));
        assert!(!runs(&command, true, "pytest"));
        assert!(!runs(&command, false, "manage.py test"));
    }
}
