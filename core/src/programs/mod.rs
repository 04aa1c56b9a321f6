//! What is known of programs: one row a program or subcommand, and one way to find it.
//!
//! Every part that asks what a command is (whether it only looks, runs the project's tasks, waits, answers by its status,
//! changes something elsewhere ...) asks here, so that no two of them disagree. The words are those of a command line that
//! was taken apart already; this room knows no shell.

pub mod calls;
#[rustfmt::skip]
mod effects;
mod fixer;
pub mod input;
pub mod manifests;
mod part;
pub mod reach;
pub mod stand_ins;
mod table;
pub mod words;

pub use effects::{EFFECTS, OutsideEffect};
pub use fixer::{fixes, is_of_style, looking, only_looks_at_style, writing};
pub use part::{LEAVES_OUT, RUNS_NONE, Run};
use table::PROGRAMS;

use crate::model::Category;

/// What can be said of a program or subcommand in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Trait {
    /// It changes nothing and runs nothing of the project, save by the words of [`Fact::Writes`].
    Looks,
    /// It runs nothing of the project: it moves files, or speaks to a service. So does what only looks.
    Apart,
    /// It runs tasks of the project, which its words name.
    Tasks,
    /// It also compiles and tests by itself.
    Compiles,
    /// It runs programs of which it is not the runner: in a container, in an environment, when a file changes.
    Hosts,
    /// Without a task it runs the checks.
    ChecksAlone,
    /// Whatever its words, it runs checks.
    Checks,
    /// It may run hooks of version control.
    Hooks,
    /// It is version control: what it says of names and places is about the state that it keeps.
    VersionControl,
    /// It does a piece of work: when it fails, what was asked for is not there.
    Works,
    /// It is a shell: a script may stand in its words.
    Shell,
    /// Its first word is a script of shell commands.
    RunsScript,
    /// Its first word may be a script: of the project, or of another tool as in `php vendor/bin/phpunit`.
    Interpreter,
    /// Its code may stand in its words.
    TakesCode,
    /// It is also installed under names that hold a version: `python3.11`, `clang-18`.
    Versioned,
    /// Its `-m` names a program.
    Modules,
    /// Alone it waits for what is typed.
    Waits,
    /// It ends when it is ended.
    Endless,
    /// With `-f` it ends when it is ended.
    Follows,
    /// Its first words name what is started.
    Starts,
    /// `-i` and `-w` mean something of its own.
    OwnLetters,
    /// It ends what it starts at a time limit.
    Limits,
    /// It ends other programs.
    Kills,
    /// It runs what follows as another user.
    Elevates,
    /// What follows may be a script of the project by its name: `hatch run test`.
    RunsScripts,
    /// Its status 1 is an answer: nothing found, a difference, no.
    Answers,
    /// It tells of what failed elsewhere: no line that it prints is the cause of its own status.
    Quotes,
    /// It is asked about things that may not exist.
    MayMiss,
    /// It would say so if it had failed, or cannot fail.
    Harmless,
    /// It only prepares the shell or tells of the end: the work stands beside it.
    Prepares,
    /// It shows a part of what the stage before it prints.
    Displays,
    /// It shows files.
    Shows,
    /// Without a name it only lists.
    ListsAlone,
    /// It asks for a state or waits for one: it fails many times before it passes.
    Polls,
    /// It speaks to a cloud: verbs among its words say whether it asks or changes something there.
    Cloud,
    /// It makes a request whose method and body stand in its words.
    AsksByWords,
    /// Its output ends with one result of the whole run.
    Closes,
    /// A check or build that never fails without a word, so that no word is a pass where it could be read.
    Silent,
    /// A task runner whose last word is that a task failed, where one did.
    TellsLast,
    /// It connects to the machine that its words name.
    Connects,
    /// It changes nothing of what the program that it starts does.
    Transparent,
    /// What it starts works in the same folder, on the same files.
    StartsHere,
    /// It makes work known to others: from then on a hidden failure is theirs too.
    HandsOver,
    /// It prints its words.
    Prints,
    /// It changes the folder in which what follows runs.
    Enters,
    /// It lists the names in a folder.
    ListsNames,
    /// It runs programs of an image, whatever this machine has.
    Containers,
    /// It runs the line in its words on another machine.
    RunsElsewhere,
    /// Its first word names a kind of thing, and its second what is done with it.
    NounFirst,
    /// It shows each command as it stands before it starts it.
    ShowsCalls,
    /// Its first word is a filter of data, as of jq.
    Filters,
    /// What it changes elsewhere is made again by the next call.
    MadeAgain,
    /// It tests packages: words name their folders, `./...` all below, and what it prints names a file without its folder.
    TestsPackages,
    /// Its words name revisions that have to be known here.
    NamesRevisions,
    /// It goes to another branch, or makes one to go to.
    GoesToBranch,
    /// It begins a repository of its own: what follows is no work on the one around it.
    BeginsRepository,
    /// It sends commits to another repository.
    Pushes,
    /// It sets changes aside that are not committed, or takes them back.
    SetsAside,
    /// It changes, makes or takes away the files that its words name.
    Alters,
    /// It prints its help for `--help`, and for that of a subcommand, and does nothing else then.
    AnswersHelp,
    /// It prints nothing where it succeeds, if it is not asked to.
    Quiet,
}

/// What is said of few programs, and in more than a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// The real program follows, after the options and so many words of its own.
    Wraps(usize),
    /// The real program follows the first of these words.
    WrapsAfter(&'static [&'static str]),
    /// This status is an answer where one of these words is given; with any words where there are none.
    Status(i32, &'static [&'static str]),
    /// This status always means this.
    Code(i32, Category),
    /// By this status it says that it does not trust the other side's certificate.
    Untrusted(i32),
    /// The recogniser of what its own code says when it fails.
    Language(&'static str),
    /// A check that looks at a part only: by these options or by words that name it; these words name everything.
    Narrows(&'static [&'static str], &'static [&'static str]),
    /// A check that finds everything of this category that these checks of the same program find.
    Includes(Category, &'static [&'static str]),
    /// The endings of the files that it looks at, or runs.
    Sources(&'static [&'static str]),
    /// By these words it changes something although else it only looks.
    Writes(&'static [&'static str]),
    /// These options give a request a body, and so make it a POST.
    Bodies(&'static [&'static str]),
}

/// What is known of a program, or of one of its subcommands.
#[derive(Debug)]
pub struct Program {
    /// The program's name; of a subcommand its words, separated by blanks. One that begins with `-` may stand anywhere.
    pub words: &'static str,
    /// The program that this is only another name of.
    same_as: Option<&'static str>,
    traits: u64,
    /// What is said of some of its subcommands: of most programs nothing, and none has to be looked at.
    traits_below: u64,
    /// Options that take the next word, so that it is not read as a subcommand.
    pub values: &'static [&'static str],
    /// What it may have changed elsewhere although it failed.
    pub effect: Option<&'static OutsideEffect>,
    /// What else is known.
    pub facts: &'static [Fact],
    /// Its subcommands of which more is known.
    pub subcommands: &'static [Self],
}

const fn row(words: &'static str) -> Program {
    Program {
        words,
        same_as: None,
        traits: 0,
        traits_below: 0,
        values: &[],
        effect: None,
        facts: &[],
        subcommands: &[],
    }
}

const fn same(name: &'static str, program: &'static str) -> Program {
    Program { same_as: Some(program), ..row(name) }
}

impl Program {
    /// Whether a run of its tests finds what does not compile: of `go` and `cargo`, not of a type checker that stands alone.
    pub fn tests_compile(&self) -> bool {
        let includes = |fact: &Fact| matches!(fact, Fact::Includes(Category::CompileError, _));
        self.has(Trait::Tasks) || self.subcommands.iter().any(|row| row.facts.iter().any(includes))
    }

    /// Whether its next word may be another program, a script or a line that it runs.
    pub fn runs_others(&self) -> bool {
        let wraps = |fact: &Fact| matches!(fact, Fact::Wraps(_) | Fact::WrapsAfter(_));
        let traits =
            [Trait::Shell, Trait::Interpreter, Trait::TakesCode, Trait::Limits, Trait::Elevates, Trait::RunsScript];
        traits.iter().any(|own| self.has(*own)) || self.facts.iter().any(wraps)
    }

    const fn is(mut self, traits: &[Trait]) -> Self {
        let mut at = 0;
        while at < traits.len() {
            self.traits |= traits[at].bit();
            at += 1;
        }
        self
    }

    const fn values(mut self, options: &'static [&'static str]) -> Self {
        self.values = options;
        self
    }

    const fn changes(mut self, effect: &'static OutsideEffect) -> Self {
        self.effect = Some(effect);
        self
    }

    const fn facts(mut self, facts: &'static [Fact]) -> Self {
        self.facts = facts;
        self
    }

    const fn with(mut self, subcommands: &'static [Self]) -> Self {
        let mut at = 0;
        while at < subcommands.len() {
            self.traits_below |= subcommands[at].traits;
            at += 1;
        }
        self.subcommands = subcommands;
        self
    }

    /// Whether one of its words may be a script or the code that it runs.
    fn takes_a_script(&self) -> bool {
        self.has(Trait::Interpreter) || self.has(Trait::TakesCode) && !self.has(Trait::Looks)
    }

    /// Whether an operand may be that script. What runs tasks, too, has subcommands: `bun test`, `deno run main.ts`.
    fn may_be_script(&self, word: &str) -> bool {
        !self.has(Trait::Tasks) || word.contains(['.', '/'])
    }

    /// Whether this is said of it.
    pub const fn has(&self, asked: Trait) -> bool {
        self.traits & asked.bit() != 0
    }

    /// Whether this is said of some of its subcommands, so that it is known to be said of no other.
    pub const fn has_below(&self, asked: Trait) -> bool {
        self.traits_below & asked.bit() != 0
    }

    /// Whether this is said of it, or of the subcommand that these words call.
    pub fn has_as_called<W: AsRef<str>>(&'static self, asked: Trait, args: &[W]) -> bool {
        self.has(asked) || self.has_below(asked) && self.called(args).any(|row| row.has(asked))
    }

    /// The rows of its subcommands that a call with these words is one of, in their order.
    fn called<'w, W: AsRef<str>>(&'static self, args: &'w [W]) -> impl Iterator<Item = &'static Self> + use<'w, W> {
        // Those that begin with an option stand first; of the others a row can only be one that begins with the first word.
        let (by_option, by_word) =
            self.subcommands.split_at(self.subcommands.partition_point(|row| row.words.starts_with('-')));
        let own = move || subcommands(Some(self), args);
        let first = own().next().unwrap_or_default();
        let begun = by_word.get(by_word.partition_point(|row| row.words < first)..).unwrap_or_default();
        let begun = begun.iter().take_while(move |row| after_name(row.words, first).is_some());
        by_option.iter().chain(begun).filter(move |row| go_on(own(), args, row.words))
    }

    /// What else is known of it, and of the subcommand that these words call.
    pub fn facts_of<'w, W: AsRef<str>>(
        &'static self,
        args: &'w [W],
    ) -> impl Iterator<Item = &'static Fact> + use<'w, W> {
        self.facts_like(args, |_| true)
    }

    /// Those of such a kind: a subcommand about which nothing like it is known is not compared with the words.
    pub fn facts_like<'w, W: AsRef<str>>(
        &'static self,
        args: &'w [W],
        is_like: fn(&Fact) -> bool,
    ) -> impl Iterator<Item = &'static Fact> + use<'w, W> {
        let below = self.called(args).flat_map(|row| row.facts);
        self.facts.iter().chain(below).filter(move |fact| is_like(fact))
    }

    /// What a call with these words may have changed elsewhere, and the row that says so.
    pub fn effect_of<W: AsRef<str>>(&'static self, args: &[W]) -> Option<(&'static OutsideEffect, String)> {
        let row = self.called(args).find(|row| row.effect.is_some());
        let of_subcommand = || Some((row?.effect?, format!("{} {}", self.words, row?.words)));
        of_subcommand().or_else(|| Some((self.effect?, self.words.to_owned())))
    }
}

/// Whether this is said of the program or subcommand that is called by exactly these words: `uv run`.
pub fn are_of(words: &str, asked: Trait) -> bool {
    let (name, rest) = words.split_once(' ').unwrap_or((words, ""));
    let of = |row: &Program| row.has(asked) && row.words == rest;
    find(name).is_some_and(|program| program.has(asked) || program.subcommands.iter().any(of))
}

/// The words that are neither options nor the values of the program's options.
pub fn subcommands<'w, W: AsRef<str>>(
    program: Option<&'static Program>,
    args: &'w [W],
) -> impl Iterator<Item = &'w str> + use<'w, W> {
    let values = program.map_or(&[][..], |program| program.values);
    let mut skip = false;
    args.iter().map(W::as_ref).filter(move |word| {
        let wanted = !skip && !word.starts_with('-') && !word.starts_with('+');
        skip = !skip && values.contains(word);
        wanted
    })
}

/// How many of the words are said to the program itself. The options of an interpreter end at its script, its module or its
/// code: what stands behind that is said to what runs there, and tells nothing of the interpreter.
pub fn own_words<W: AsRef<str>>(program: Option<&'static Program>, args: &[W]) -> usize {
    let Some(program) = program.filter(|program| program.takes_a_script()) else { return args.len() };
    let mut words = args.iter().map(W::as_ref).enumerate();
    while let Some((at, word)) = words.next() {
        if program.values.contains(&word) {
            words.next();
        } else if word == "-" || !word.starts_with(['-', '+']) && program.may_be_script(word) {
            return at + 1;
        }
    }
    args.len()
}

/// What follows the name of this program in these words.
pub fn after_name<'w>(words: &'w str, name: &str) -> Option<&'w str> {
    let rest = words.strip_prefix(name).filter(|_| !name.is_empty())?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

/// Whether the words of a call begin with these; an option among them may stand anywhere.
pub fn go_on<'w, W: AsRef<str>>(mut own: impl Iterator<Item = &'w str>, args: &[W], words: &str) -> bool {
    words.split_ascii_whitespace().all(|word| {
        if word.starts_with('-') { args.iter().any(|arg| arg.as_ref() == word) } else { own.next() == Some(word) }
    })
}

impl Trait {
    const fn bit(self) -> u64 {
        1 << self as u8
    }
}

/// Rows stand once: the same words are the same row.
impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for Program {}

/// What is known of the program of this name: the last part of its path. A name that holds a version, or one that is
/// spelt with capitals where the system does not care for them, is that of its program.
pub fn find(name: &str) -> Option<&'static Program> {
    let program = exactly(name).or_else(|| without_version(name)).or_else(|| without_capitals(name))?;
    match program.same_as {
        Some(other) => exactly(other),
        None => Some(program),
    }
}

/// Every row.
pub fn all() -> &'static [Program] {
    PROGRAMS
}

fn exactly(name: &str) -> Option<&'static Program> {
    let at = PROGRAMS.binary_search_by(|program| program.words.cmp(name)).ok()?;
    PROGRAMS.get(at)
}

/// `python3.11`, `node22`, `clang-18`
fn without_version(name: &str) -> Option<&'static Program> {
    let plain = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    if plain.len() == name.len() {
        return None;
    }
    exactly(plain.strip_suffix('-').unwrap_or(plain)).filter(|program| program.has(Trait::Versioned))
}

fn without_capitals(name: &str) -> Option<&'static Program> {
    let has_capitals = name.bytes().any(|byte| byte.is_ascii_uppercase());
    has_capitals.then(|| exactly(&name.to_ascii_lowercase())).flatten()
}

/// The last part of a program's path, without the ending that Windows gives it.
pub fn base_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(path);
    [".exe", ".cmd", ".bat"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Every row with its whole words: `git`, `git push`.
pub fn rows() -> impl Iterator<Item = (String, &'static Program)> {
    PROGRAMS.iter().flat_map(|program| {
        let whole = |row: &'static Program| (format!("{} {}", program.words, row.words), row);
        std::iter::once((program.words.to_owned(), program)).chain(program.subcommands.iter().map(whole))
    })
}

/// The program of a call, and its subcommand, as far as the table has both: other words are somebody's.
pub fn known_call(operation: &str) -> Option<String> {
    let mut words = operation.split_whitespace();
    let name = words.next().filter(|word| find(word).is_some())?;
    let rows = all().iter().skip(all().partition_point(|row| row.words < name));
    let rows = rows.take_while(|row| row.words.starts_with(name)).filter(|row| after_name(row.words, name).is_some());
    let known = words.next().filter(|word| {
        let mut subcommands = rows.flat_map(|row| {
            let own = row.words.split(' ').nth(1);
            own.into_iter().chain(row.subcommands.iter().filter_map(|it| it.words.split(' ').next()))
        });
        subcommands.any(|known| known == *word)
    });
    Some(known.map_or_else(|| name.to_owned(), |word| format!("{name} {word}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(written: &str) -> Option<&'static str> {
        find(base_name(written)).map(|program| program.words)
    }

    #[test]
    fn a_version_a_path_and_an_ending_are_the_same_program() {
        for (written, program) in [
            ("python3.11", "python"),
            ("python3", "python"),
            ("/usr/bin/python2.7", "python"),
            ("pip3.12", "pip"),
            ("ruby3.2", "ruby"),
            ("node22", "node"),
            ("clang-18", "clang"),
            ("clang++-18", "clang++"),
            ("gcc-13", "gcc"),
            ("ghc-9.4.7", "ghc"),
            ("lua5.4", "lua"),
            ("pytest-3", "pytest"),
            ("./gradlew", "gradle"),
            ("gradlew.bat", "gradle"),
            ("C:\\Tools\\npm.cmd", "npm"),
            ("Make.exe", "make"),
            ("md5sum", "md5sum"),
            ("sqlite3", "sqlite3"),
            ("Select-String", "select-string"),
        ] {
            assert_eq!(name(written), Some(program), "{written}");
        }
        for own in ["test1", "make2", "cat.1", "pythonic", "3", "-18", "", "nodes"] {
            assert_eq!(name(own), None, "{own}");
        }
    }

    #[test]
    fn rows_stand_once_and_in_the_order_of_their_names() {
        let in_order = |rows: &[Program]| rows.windows(2).all(|pair| pair[0].words < pair[1].words);
        for pair in PROGRAMS.windows(2) {
            assert!(pair[0].words < pair[1].words, "{} stands before {}", pair[0].words, pair[1].words);
        }
        for program in PROGRAMS {
            assert!(in_order(program.subcommands), "{}", program.words);
            // What `called` skips by.
            assert!(program.subcommands.is_sorted_by_key(|row| !row.words.starts_with('-')), "{}", program.words);
            assert!(!program.words.contains(' '), "{}", program.words);
        }
    }

    #[test]
    fn another_name_leads_to_a_row_of_its_own() {
        for program in PROGRAMS {
            if let Some(other) = program.same_as {
                assert!(exactly(other).is_some_and(|meant| meant.same_as.is_none()), "{}", program.words);
                assert_eq!((program.traits, program.facts.len()), (0, 0), "{}", program.words);
            }
        }
    }
}
