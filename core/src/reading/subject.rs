//! Which command of a line a failure is of.

use crate::model::{ObjectKind, Reading};
use crate::programs::Trait;
use crate::shell::{At, Command, Script};
use crate::text::file_name;

/// The command of a line that failed, as far as it can be told from its output. `could`: whether the end of the call leaves
/// it open that the command at this place did.
///
/// The deciding line names it, at its beginning or as what the shell did not find; else another line does; else the output
/// shows its use (`git pull <remote>`); else it is of the runner that was recognised. Of several the last, and where nothing
/// tells, the last that does more than to show or prepare.
pub fn failed_command(
    script: &Script,
    reading: Option<&Reading>,
    texts: &[&str],
    could: impl Fn(At) -> bool,
) -> Option<At> {
    if script.programs().nth(1).is_none() {
        return script.last_at();
    }
    let runner = reading.and_then(|reading| reading.runner.as_deref());
    let works = |command: &Command| ![Trait::Displays, Trait::Prepares, Trait::Harmless].iter().any(|t| command.is(*t));
    let speaks = |command: &Command| {
        let name = command.program.as_str();
        let is_said = |text: &&&str| [":", " > "].iter().any(|sign| text.contains(&[name, sign].concat()));
        texts.iter().filter(is_said).any(|text| text.lines().any(|line| begins_with_name(line, name)))
    };
    let signs: [&dyn Fn(&Command) -> bool; 4] = [
        &speaks,
        &|command| texts.iter().any(|text| shows_use(text, command)),
        &|command| works(command) && runner.is_some_and(|runner| command.runs(runner) || runner == command.name()),
        &works,
    ];
    // The status of a pipe is that of its last command, and the client may have seen more.
    let of = |sign: &dyn Fn(&Command) -> bool, anywhere: bool| {
        let is_it =
            |(at, command): &(At, &Command)| (anywhere || could(*at)) && !command.program.is_empty() && sign(command);
        script.programs().filter(is_it).last().map(|(at, _)| at)
    };
    let named = |anywhere: bool| named_command(script, reading?, |at| anywhere || could(at));
    let found = |anywhere: bool| named(anywhere).or_else(|| signs.iter().find_map(|sign| of(*sign, anywhere)));
    found(false).or_else(|| found(true)).or_else(|| of(&|_| true, false)).or_else(|| script.last_at())
}

/// The command that the deciding line names: as what the shell did not find, else at its beginning. Of several the last, or
/// the one whose task the line names: `make: *** [Makefile:8: export] Error 1`.
pub(super) fn named_command(script: &Script, reading: &Reading, could: impl Fn(At) -> bool) -> Option<At> {
    let line = reading.line.as_deref()?;
    let missing = reading.objects.iter().find(|object| object.kind == ObjectKind::Program);
    let is_missing =
        |command: &Command| missing.is_some_and(|object| command.raw == object.name || command.program == object.name);
    let speaks =
        |command: &Command| begins_with_name(line, &command.program) || is_shells_word_of(line, &command.program);
    let last = |sign: &dyn Fn(&Command) -> bool| {
        let is_it = |(at, command): &(At, &Command)| !command.program.is_empty() && sign(command) && could(*at);
        script.programs().filter(is_it).last().map(|(at, _)| at)
    };
    let names_task = |command: &Command| {
        let is_part = |part: &str| command.subcommands().any(|task| task == part);
        speaks(command) && line.split([' ', '[', ']']).skip(1).any(is_part)
    };
    last(&is_missing).or_else(|| last(&names_task)).or_else(|| last(&speaks))
}

/// Whether a program begins a line with its own name, alone or behind a path: `cp: cannot stat`, `bin/sum.sh: line 4: x`,
/// `nox > Session lint failed.`.
pub fn begins_with_name(line: &str, program: &str) -> bool {
    let rest = line.strip_prefix(program).or_else(|| {
        let (path, rest) = line.split_once(':')?;
        path.ends_with(program).then(|| line.get(path.len()..)).flatten().filter(|_| !rest.is_empty())
    });
    !program.is_empty() && rest.is_some_and(|rest| rest.starts_with(':') || rest.starts_with(" > "))
}

/// Whether the shell says the line of a command of its own: `bash: line 1: cd: tides: No such file or directory`.
fn is_shells_word_of(line: &str, program: &str) -> bool {
    let is_shells = line.split(':').next().is_some_and(|shell| file_name(shell).ends_with("sh"));
    is_shells && line.split(": ").skip(1).take(2).any(|part| part == program)
}

/// Whether the output says how the command's subcommand is used: `See git-pull(1) for details.`
fn shows_use(text: &str, command: &Command) -> bool {
    let shows = |word: &str| {
        let page = format!("{}-{word}(", command.program);
        let form = format!("    {} {word} <", command.program);
        text.contains(&page) || text.contains(&form)
    };
    command.subcommands().next().is_some_and(shows)
}
