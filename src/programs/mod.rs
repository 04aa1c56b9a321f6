//! What is known of programs: one row a program or subcommand, and one way to find it.
//!
//! Every part that asks what a command is (whether it only looks, runs the project's tasks, waits, answers by its status,
//! changes something elsewhere ...) asks here, so that no two of them disagree. The words are those of a command line that
//! was taken apart already; this room knows no shell.

#[rustfmt::skip]
mod effects;
mod table;

#[cfg(test)]
mod moved;

pub use effects::{EFFECTS, Effect};
pub use table::PROGRAMS;

use crate::model::Category;

/// What can be said of a program or subcommand in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Trait {
    /// It changes nothing, whatever its words.
    Looks,
    /// It runs nothing of the project: it looks, moves files, or speaks to a service.
    Apart,
    /// It runs tasks written elsewhere.
    Tasks,
    /// Its words name tasks of the project.
    NamedTasks,
    /// Without a task it runs the checks.
    ChecksAlone,
    /// Whatever its words, it runs checks.
    Checks,
    /// It may run hooks of version control.
    Hooks,
    /// It does a piece of work: when it fails, what was asked for is not there.
    Works,
    /// It is a shell: a script may stand in its words.
    Shell,
    /// Its first word is a script of shell commands.
    RunsScript,
    /// Its first word may be the script of another tool: `php vendor/bin/phpunit`.
    Interpreter,
    /// Its first word is a script that its name tells of.
    NamedScript,
    /// It only hands the script in its words on.
    HandsOn,
    /// Its code may stand in its words.
    TakesCode,
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
    /// It is asked about things that may not exist.
    MayMiss,
    /// It would say so if it had failed, or cannot fail.
    Harmless,
    /// It does nothing about a failure before it.
    Speaks,
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
    /// It speaks to a cloud: verbs among its words say whether it changes something there.
    Cloud,
    /// It speaks to a cloud: verbs among its words say whether it only asks.
    CloudAsked,
    /// It makes a request whose method and body stand in its words.
    AsksByWords,
    /// Its output ends with one result of the whole run.
    Closes,
    /// It makes work known to others: from then on a hidden failure is theirs too.
    HandsOver,
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
    traits: u64,
    /// Options that take the next word, so that it is not read as a subcommand.
    pub values: &'static [&'static str],
    /// What it may have changed elsewhere although it failed.
    pub effect: Option<&'static Effect>,
    /// What else is known.
    pub facts: &'static [Fact],
    /// Its subcommands of which more is known.
    pub subcommands: &'static [Self],
}

const fn row(words: &'static str) -> Program {
    Program { words, traits: 0, values: &[], effect: None, facts: &[], subcommands: &[] }
}

impl Program {
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

    const fn changes(mut self, effect: &'static Effect) -> Self {
        self.effect = Some(effect);
        self
    }

    const fn facts(mut self, facts: &'static [Fact]) -> Self {
        self.facts = facts;
        self
    }

    const fn with(mut self, subcommands: &'static [Self]) -> Self {
        self.subcommands = subcommands;
        self
    }

    /// Whether this is said of it.
    pub const fn has(&self, asked: Trait) -> bool {
        self.traits & asked.bit() != 0
    }
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

/// What is known of the program of this name.
pub fn find(name: &str) -> Option<&'static Program> {
    let at = PROGRAMS.binary_search_by(|program| program.words.cmp(name)).ok()?;
    PROGRAMS.get(at)
}
