//! What only people do: one list for the hook and the commands. A courtesy between tools, no boundary: who has a shell can do
//! what its user can do.

use crate::model::{ToolCall, ToolInput};
use crate::shell::{Command, Script};

/// A command that is a person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeopleCommand {
    /// Its words behind the name of the executable.
    pub words: &'static str,
    /// What it does; completes "only a person may ...".
    pub may: &'static str,
    /// Without this option, or without a word that names a file (`FILE`), anybody may; empty where nobody else may.
    pub with: &'static str,
    /// With this option it only shows; empty where it never does.
    pub without: &'static str,
}

const fn row(words: &'static str, may: &'static str) -> PeopleCommand {
    PeopleCommand { words, may, with: "", without: "" }
}

/// Every such command.
pub const PEOPLE_COMMANDS: &[PeopleCommand] = &[
    row("allow", "open the guard"),
    PeopleCommand { without: "--show", ..row("trust", "trust what came with a project") },
    row("kb report-fix", "say what fixed a failure"),
    row("kb mute", "mute a failure"),
    row("kb unmute", "unmute a failure"),
    row("kb forget", "forget a failure"),
    row("kb import", "take in another machine's lessons"),
    PeopleCommand { with: "FILE", ..row("kb learn", "learn from a file of their choice") },
    PeopleCommand { without: "--dry-run", ..row("data purge", "delete what is recorded") },
    row("config set", "change a setting"),
    row("config unset", "change a setting"),
    row("data init", "move what is recorded, and with it what the guard counted"),
    row("init", "move what is recorded, and with it what the guard counted"),
    PeopleCommand { with: "--apply", ..row("diagnose", "write rules that the client loads") },
    PeopleCommand { with: "--without-check", ..row("plan done", "end a node without its check") },
    PeopleCommand { with: "--write", ..row("lessons", "write lines that the client loads") },
    PeopleCommand { with: "--write", ..row("kb lessons", "write lines that the client loads") },
];

/// The executable.
const NAME: &str = "failwise";
/// Programs that show their words, or look for them.
const SHOW: &[&str] = &["echo", "printf", "man", "which", "type"];

/// What a person may do with a command, by its words behind the name; None where anybody may.
pub fn only_for_people<S: AsRef<str>>(args: &[S]) -> Option<&'static PeopleCommand> {
    // `--color never kb import`, `data --color never purge`: whether an option has a value is not looked up.
    let words = || args.iter().map(AsRef::as_ref);
    let is_option = |word: &str| word.starts_with('-');
    let opens = |word: &str| word.starts_with("--") && !word.contains('=');
    let before = std::iter::once("").chain(words());
    let plain: Vec<&str> = words().filter(|word| !is_option(word)).collect();
    let without_values: Vec<&str> =
        words().zip(before).filter(|(word, before)| !is_option(word) && !opens(before)).map(|(word, _)| word).collect();
    let has = |option: &str| args.iter().any(|arg| arg.as_ref().split('=').next() == Some(option));
    PEOPLE_COMMANDS.iter().find(|command| {
        let words = command.words.split(' ').count();
        let is_it = |given: &Vec<&str>| {
            let is_with = match command.with {
                "" => true,
                "FILE" => given.len() > words,
                option => has(option),
            };
            is_with && given.len() >= words && command.words.split(' ').eq(given.iter().copied().take(words))
        };
        (is_it(&plain) || is_it(&without_values))
            && (command.without.is_empty() || !has(command.without))
            && !has("--help")
    })
}

/// Whether a call may be one of a person's: a look at the words, before anything is parsed.
pub fn may_be_for_people(call: &ToolCall<'_>) -> bool {
    matches!(&call.input, ToolInput::Command { command, .. } if command.contains(NAME))
}

/// Whether a call runs what only people do, in the foreground or not, itself or in the words of another program.
pub fn is_for_people(call: &ToolCall<'_>) -> Option<&'static PeopleCommand> {
    let ToolInput::Command { command: line, .. } = &call.input else { return None };
    let script = Script::parse(line);
    let names_it = |command: &Command| line.contains(NAME) && command.raw.starts_with('$');
    script.programs().find_map(|(_, command)| {
        if command.name() == NAME || names_it(command) {
            return only_for_people(&command.args);
        }
        let is_shown = command.only_looks() || SHOW.contains(&command.name());
        // Another program runs it: `xargs failwise trust`, a line for an interpreter. What else stands in quotes is a text.
        let before = std::iter::once("").chain(command.args.iter().map(String::as_str));
        let is_run = |(word, before): &(&String, &str)| !word.contains(' ') || takes_code(before);
        let words = command.args.iter().zip(before).filter(is_run).map(|(word, _)| word.as_str());
        if is_shown { None } else { in_words(&words.collect::<Vec<_>>()) }
    })
}

/// Whether what follows an option is code: `-c`, `-qc`, `-e`, `--eval`, `--command`.
fn takes_code(option: &str) -> bool {
    let is_short = option.starts_with('-') && !option.starts_with("--") && option.ends_with(['c', 'e']);
    is_short || ["--eval", "--command", "--exec", "--run"].contains(&option)
}

fn in_words(args: &[&str]) -> Option<&'static PeopleCommand> {
    let text = args.join(" ");
    let is_sign = |sign: char| matches!(sign, '\'' | '"' | '(' | ')' | ',' | '[' | ']' | ';' | ' ' | '&' | '|');
    let words: Vec<&str> = text.split(is_sign).filter(|word| !word.is_empty()).collect();
    let starts = words.iter().enumerate().filter(|(_, word)| word.rsplit('/').next() == Some(NAME));
    starts.filter_map(|(at, _)| words.get(at + 1..)).find_map(only_for_people)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Status, Tool};

    fn refused(line: &str, background: bool) -> Option<&'static str> {
        let input = ToolInput::Command { command: line.to_owned().into(), background };
        let call = ToolCall::new(Tool::named("Bash"), input, Status::Succeeded);
        may_be_for_people(&call).then(|| is_for_people(&call)).flatten().map(|command| command.words)
    }

    #[test]
    fn every_row_is_refused_in_many_spellings() {
        for row in PEOPLE_COMMANDS {
            let tail = match row.with {
                "FILE" => " notes.jsonl".to_owned(),
                "" => String::new(),
                option => format!(" {option}"),
            };
            let call = format!("{}{tail}", row.words);
            for spelling in [
                format!("failwise {call}"),
                format!("  failwise   {call} --yes"),
                format!("cd x && failwise {call}"),
                format!("failwise --color never {call}"),
                format!("failwise {}", call.replacen(' ', " --color never ", 1)),
                format!("/usr/local/bin/failwise {call}"),
                format!("~/.local/bin/failwise {call}"),
                format!("./bin/failwise {call}"),
                format!("\"failwise\" {call}"),
                format!("'failwise' {call}"),
                format!("\\failwise {call}"),
                format!("command failwise {call}"),
                format!("exec failwise {call}"),
                format!("env -u CLAUDECODE failwise {call} --yes"),
                format!("CLAUDECODE= failwise {call}"),
                format!("bash -c 'failwise {call}'"),
                format!("sh -c \"failwise {call} --yes\""),
                format!("eval failwise {call}"),
                format!("true | failwise {call}"),
                format!("(failwise {call})"),
                format!("if true; then failwise {call}; fi"),
                format!("timeout 5 failwise {call}"),
                format!("nohup failwise {call} &"),
                format!("echo x | xargs failwise {call}"),
                format!("f=failwise; $f {call}"),
                format!("script -qc 'failwise {call}' /dev/null"),
                format!("python3 -c \"import os; os.system('failwise {call}')\""),
            ] {
                assert_eq!(refused(&spelling, false), Some(row.words), "{spelling}");
                assert_eq!(refused(&spelling, true), Some(row.words), "{spelling}, in the background");
            }
        }
    }

    #[test]
    fn what_shows_or_speaks_of_it_is_let_through() {
        for line in [
            "echo failwise allow",
            "grep -rn 'failwise trust' docs",
            "failwise trust --show",
            "failwise trust --help",
            "failwise kb learn --nice",
            "failwise kb learn",
            "failwise kb export --team",
            "failwise kb list --match trust",
            "failwise data show",
            "failwise diagnose --last",
            "failwise lessons",
            "failwise config",
            "git allow failwise",
            "cargo run --bin failwise",
            "git commit -m 'docs: say what failwise trust asks'",
            "git commit -am 'failwise trust --yes'",
            "gh pr create --title x --body 'run failwise trust --yes once'",
            "sed -i 's/failwise allow/failwise allow it/' a.md",
        ] {
            assert_eq!(refused(line, false), None, "{line}");
        }
    }
}
