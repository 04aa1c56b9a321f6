//! What people are used to from other commands: `help CMD`, `--json`, `--color`, `-q`, and words that other programs have.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::builder::ArgPredicate;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ColorChoice, Command};

use failwise::error::Error;
use failwise::model::is_node_id;
use failwise::names::only_close;

use crate::inputs;
use crate::style::{Colour, shown};

static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// The words of the command line, the executable first; `help CMD` stands there as `CMD --help`.
pub(crate) fn words() -> &'static [OsString] {
    WORDS.get_or_init(|| with_help_behind(std::env::args_os().collect()))
}

fn with_help_behind(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
        // `help help` asks for what there is.
        words.retain(|word| word != "help");
    }
    words
}

/// The command line that also takes `--json` wherever `--format` knows JSON. It is hidden, as it says nothing new.
pub(crate) fn with_json(command: Command) -> Command {
    let knows = |arg: &Arg| {
        let values = arg.get_possible_values();
        ["json", "jsonl"].into_iter().find(|word| values.iter().any(|value| value.matches(word, false)))
    };
    let json = command.get_arguments().find(|arg| arg.get_id() == "format").and_then(knows);
    let command = match json {
        Some(word) => {
            let json = Arg::new("json").long("json").action(ArgAction::SetTrue).hide(true).conflicts_with("format");
            command.mut_arg("format", |arg| arg.default_value_if("json", ArgPredicate::IsPresent, word)).arg(json)
        }
        None => command,
    };
    command.mut_subcommands(with_json)
}

/// The colour of help and of wrong use, which are printed before anything is parsed.
pub(crate) fn colour_of_help() -> ColorChoice {
    let mut words = words().iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let asked = words.find_map(|word| word.strip_prefix("--color")).map(|rest| rest.strip_prefix('='));
    let word = asked.and_then(|word| word.or_else(|| words.next()));
    match word.and_then(|word| <Colour as clap::ValueEnum>::from_str(word, false).ok()) {
        Some(Colour::Always) => ColorChoice::Always,
        Some(Colour::Never) => ColorChoice::Never,
        Some(Colour::Auto) | None => ColorChoice::Auto,
    }
}

/// Words that people try, behind the command that they try them with, and what they mean; `ID` is a node of a plan. All else the parser's own hint is
/// good enough for.
#[rustfmt::skip]
const MEANT: &[(&str, &str, &str)] = &[
    ("",          "status",     "failwise watch --once"),
    ("",          "today",      "failwise watch --once"),
    ("",          "live",       "failwise watch"),
    ("",          "top",        "failwise watch"),
    ("",          "tail",       "failwise watch --plain"),
    ("",          "list",       "failwise report"),
    ("",          "ls",         "failwise report"),
    ("",          "history",    "failwise report"),
    ("",          "sessions",   "failwise report"),
    ("",          "cost",       "failwise"),
    ("",          "usage",      "failwise"),
    ("",          "summary",    "failwise"),
    ("",          "week",       "failwise report --week"),
    ("",          "open",       "failwise report --open"),
    ("",          "dashboard",  "failwise report --open"),
    ("",          "page",       "failwise report --open"),
    ("",          "explain",    "failwise why"),
    ("",          "last",       "failwise why"),
    ("",          "error",      "failwise why"),
    ("",          "fix",        "failwise why"),
    ("",          "retry",      "failwise why"),
    ("",          "advice",     "failwise lessons"),
    ("",          "changes",    "failwise lessons"),
    ("",          "adopt",      "failwise lessons --write"),
    ("",          "memory",     "failwise kb"),
    ("",          "search",     "failwise kb"),
    ("",          "flaky",      "failwise tests flaky"),
    ("",          "install",    "failwise setup"),
    ("",          "update",     "failwise setup"),
    ("",          "upgrade",    "failwise setup"),
    ("",          "uninstall",  "failwise setup --remove"),
    ("",          "remove",     "failwise setup --remove"),
    ("",          "check",      "failwise doctor"),
    ("",          "settings",   "failwise config"),
    ("",          "set",        "failwise config set"),
    ("",          "get",        "failwise config get"),
    ("",          "purge",      "failwise data purge"),
    ("",          "delete",     "failwise data purge"),
    ("",          "version",    "failwise --version"),
    ("",          "off",        "failwise config set failwise off"),
    ("",          "disable",    "failwise config set failwise off"),
    ("",          "stop",       "failwise config set failwise off"),
    ("",          "on",         "failwise config unset failwise"),
    ("",          "enable",     "failwise config unset failwise"),
    ("",          "month",      "failwise"),
    ("",          "monthly",    "failwise"),
    ("",          "daily",      "failwise --since 1d"),
    ("",          "trends",     "failwise report"),
    ("",          "log",        "failwise replay"),
    ("",          "lesson",     "failwise lessons"),
    ("",          "clear",      "failwise data purge"),
    ("",          "reset",      "failwise data purge"),
    ("",          "completion", "failwise setup"),
    ("",          "man",        "failwise --help"),
    ("",          "undo",       "failwise config unset"),
    ("",          "session",    "failwise report"),
    ("",          "blocks",     "failwise watch"),
    ("",          "weekly",     "failwise report --week"),
    ("",          "compare",    "failwise report --compare"),
    ("",          "completions", "failwise setup"),
    ("",          "self",       "failwise setup"),
    ("",          "pr",         "failwise report --format md"),
    ("show",      "--last",     "failwise report --last"),
    ("why",       "--session",  "failwise why ID"),
    ("doctor",    "--fix",      "failwise setup"),
    ("classify",  "--file",     "failwise classify"),
    ("report",    "--html",     "failwise report -o report.html"),
    ("report",    "--md",       "failwise report --format md"),
    ("report",    "--csv",      "failwise report --format csv"),
    ("why",       "--last",     "failwise why"),
    ("lessons",   "--apply",    "failwise lessons --write"),
    ("config",    "list",       "failwise config"),
    ("config",    "ls",         "failwise config"),
    ("config",    "show",       "failwise config"),
    ("config",    "remove",     "failwise config unset"),
    ("data",      "list",       "failwise data show"),
    ("data",      "ls",         "failwise data show"),
    ("data",      "delete",     "failwise data purge"),
    ("data",      "clean",      "failwise data purge"),
    ("kb",        "ls",         "failwise kb list"),
    ("kb",        "add",        "failwise kb report-fix"),
    ("kb",        "delete",     "failwise kb forget"),
    ("kb",        "remove",     "failwise kb forget"),
    ("plan",      "ls",         "failwise plan status"),
    ("plan",      "start",      "failwise plan claim"),
    ("plan",      "take",       "failwise plan claim"),
    ("plan",      "finish",     "failwise plan done"),
    ("plan",      "complete",   "failwise plan done"),
    ("plan",      "close",      "failwise plan done"),
    ("plan",      "new",        "failwise plan init"),
    ("plan",      "create",     "failwise plan init"),
    ("plan",      "check",      "failwise plan validate"),
    ("plan",      "revert",     "failwise plan undo"),
    ("plan",      "assign",     "failwise plan claim"),
    ("plan",      "remove",     "failwise plan set ID discarded"),
    ("plan",      "delete",     "failwise plan set ID discarded"),
    ("plan",      "release",    "failwise plan set ID planned"),
    ("plan",      "import",     "failwise plan tree"),
    ("plan",      "export",     "failwise plan tree --print"),
    ("plan",      "split",      "failwise plan expand"),
    ("plan",      "update",     "failwise plan edit"),
    ("plan",      "rename",     "failwise plan edit"),
    ("plan",      "log",        "failwise plan show ID --history"),
    ("plan",      "history",    "failwise plan show ID --history"),
    ("plan",      "unfreeze",   "failwise plan thaw"),
    ("plan",      "view",       "failwise plan show"),
    ("plan",      "get",        "failwise plan show"),
    ("plan",      "info",       "failwise plan show"),
    ("plan",      "graph",      "failwise plan status"),
    ("plan",      "progress",   "failwise plan status"),
    ("plan",      "todo",       "failwise plan status --open"),
    ("plan",      "search",     "failwise plan status"),
    ("plan",      "mission",    "failwise plan init"),
    ("plan",      "unclaim",    "failwise plan set ID planned"),
    ("plan",      "block",      "failwise plan set ID blocked"),
    ("plan",      "cancel",     "failwise plan set ID discarded"),
    ("plan",      "drop",       "failwise plan set ID discarded"),
    ("plan",      "skip",       "failwise plan set ID discarded"),
    ("plan",      "archive",    "failwise plan set ID archived"),
    ("plan",      "pause",      "failwise plan freeze"),
    ("plan",      "resume",     "failwise plan thaw"),
    ("plan",      "unblock",    "failwise plan set ID planned"),
    ("plan",      "reset",      "failwise plan undo"),
    ("plan",      "note",       "failwise plan promote"),
    ("plan",      "comment",    "failwise plan promote"),
    ("plan",      "move",       "failwise plan expand"),
    ("plan",      "help",       "failwise plan --help"),
    ("plan next", "ID",         "failwise plan claim"),
    ("plan next", "--task",     "failwise plan claim"),
    ("plan next", "--feature",  "failwise plan next --story"),
    ("plan validate", "ID",     "failwise plan show"),
    ("plan add",  "--title",    "failwise plan add --intent"),
    ("plan add",  "--story",    "failwise plan add --parent"),
    ("plan add",  "--file",     "failwise plan add --artifact"),
    ("plan edit", "--title",    "failwise plan edit --intent"),
    ("plan edit", "--file",     "failwise plan edit --artifact"),
    ("plan status", "--story",  "failwise plan status --node"),
    ("rules",     "ls",         "failwise rules list"),
    ("rules",     "check",      "failwise rules test"),
    ("tests",     "ls",         "failwise tests list"),
    ("tests",     "add",        "failwise tests import"),
    ("tests",     "diff",       "failwise tests compare"),
    ("workflow",  "ls",         "failwise workflow list"),
    ("workflow",  "status",     "failwise workflow show"),
    ("workflow",  "start",      "failwise workflow run"),
    ("workflow",  "continue",   "failwise workflow resume"),
];

/// How a command line is typed whose options stand before the command; where that takes none of them, its help.
pub(crate) fn behind_command(known: &Command) -> String {
    let words = words();
    let is_command = |word: &OsString| word.to_str().is_some_and(|name| known.find_subcommand(name).is_some());
    let at = words.iter().skip(1).position(is_command).map_or(words.len(), |at| at + 1);
    let moved: Vec<OsString> = words.iter().take(1).chain(&words[at..]).chain(&words[1..at]).cloned().collect();
    let said = |words: &[OsString]| words.iter().map(|word| shown(&word.to_string_lossy(), 60)).collect::<Vec<_>>();
    let name = said(words.get(at..=at).unwrap_or_default()).join(" ");
    let is_known = with_json(known.clone()).try_get_matches_from(&moved).is_ok();
    if is_known {
        format!("options stand behind the command: failwise {}", said(&moved[1..]).join(" "))
    } else {
        format!("`{name}` does not take {}; failwise {name} --help lists what it takes", said(&words[1..at]).join(" "))
    }
}

/// The command that the words up to one of them name, with these words.
fn command_until<'k>(known: &'k Command, until: &str) -> (&'k Command, String) {
    let words = words().iter().skip(1).filter_map(|word| word.to_str());
    let (mut command, mut behind) = (known, Vec::new());
    for word in words.take_while(|word| *word != until) {
        if let Some(inner) = command.find_subcommand(word) {
            (command, behind) = (inner, [behind, vec![word]].concat());
        }
    }
    (command, behind.join(" "))
}

/// What is wrong with a command line, and the next step. None where help is the answer.
pub(crate) fn wrong_use(error: &clap::Error, known: &Command) -> Option<Error> {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return None;
    }
    if let Some(error) = meant(error, known) {
        return Some(error);
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(shown(text, 100)),
        Some(ContextValue::Strings(all)) => Some(shown(&all.join(" and "), 100)),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg);
    let (command, behind) = command_until(known, "");
    let name = format!("failwise {behind}").trim_end().to_owned();
    let help = format!("{name} --help says what it takes");
    let (said, hint) = match (error.kind(), argument) {
        (ErrorKind::MissingRequiredArgument, Some(argument)) => {
            (format!("`{name}` needs {argument}"), example(command, &name, &argument).unwrap_or(help))
        }
        (ErrorKind::InvalidValue | ErrorKind::ValueValidation, Some(argument)) => {
            let said = match text(ContextKind::InvalidValue).filter(|value| !value.is_empty()) {
                Some(value) => format!("`{value}` is no value of {argument}"),
                None => format!("{argument} has no value"),
            };
            let taken = text(ContextKind::ValidValue)
                .filter(|taken| !taken.is_empty())
                .map(|taken| format!("take {}", taken.replace(" and ", ", ")));
            let why = || std::error::Error::source(error).map(|why| shown(&why.to_string(), 200));
            (said, taken.or_else(why).unwrap_or(help))
        }
        (ErrorKind::ArgumentConflict, Some(argument)) => match text(ContextKind::PriorArg) {
            Some(other) if other != argument => {
                (format!("{argument} and {other} exclude each other"), "leave out one of them".to_owned())
            }
            _ => (format!("{argument} is given twice"), "give it once".to_owned()),
        },
        (ErrorKind::UnknownArgument, Some(argument)) => (format!("`{name}` takes no `{argument}`"), help),
        _ => {
            let said = error.to_string();
            let first = said.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            (first, help)
        }
    };
    Some(Error::usage(said).hint(hint))
}

/// The first example of a command's help that gives it more than its name, and the option that is missing.
fn example(command: &Command, name: &str, missing: &str) -> Option<String> {
    let help = command.get_after_help()?.to_string();
    let (_, lines) = help.split_once("Examples:")?;
    let lines = lines.lines().map(|line| line.trim().split("  ").next().unwrap_or_default());
    let option = missing.split(' ').next().filter(|word| word.starts_with('-')).unwrap_or_default();
    let is_longer = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    let mut given = lines.filter(is_longer).filter(|line| line.contains(option));
    given.next().map(|line| format!("as in: {line}"))
}

/// What is wrong with a word that is no command or no option, and the words to type in its place.
fn meant(error: &clap::Error, known: &Command) -> Option<Error> {
    let (what, kind) = match error.kind() {
        ErrorKind::InvalidSubcommand => ("command", ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => ("option", ContextKind::InvalidArg),
        _ => return None,
    };
    let Some(ContextValue::String(tried)) = error.get(kind) else { return None };
    let (command, behind) = command_until(known, tried);
    let is_node = is_node_id(tried) && !tried.starts_with('-') && tried.contains('-');
    let is_tried = |word: &str| word.eq_ignore_ascii_case(tried) || word == "ID" && is_node;
    let is_it = |row: &&(&str, &str, &str)| row.0 == behind && is_tried(row.1);
    let of_all = ["--version", "-V"].contains(&tried.as_str()).then(|| "failwise --version".to_owned());
    let row = MEANT.iter().find(is_it).map(|(.., meant)| (*meant).to_owned()).or(of_all);
    let tried = shown(tried, 60);
    let hint = match kind {
        ContextKind::InvalidSubcommand => {
            let looks_like_id = behind.is_empty() && tried.len() >= 8 && tried.chars().all(inputs::is_of_id);
            let names = command.get_subcommands().filter(|it| !it.is_hide_set()).map(Command::get_name);
            let close = || only_close(&tried, names).map(|name| format!("{behind} {name}"));
            let near = || if looks_like_id { Some(format!("show {tried}")) } else { close() };
            row.or_else(|| near().map(|words| format!("failwise {}", words.trim_start())))
        }
        _ if tried == "-" => {
            let hint = format!("leave it out; failwise {behind} --help says what is read");
            return Some(Error::usage(format!("`failwise {behind}` takes no `-`")).hint(hint));
        }
        // What follows `--` is for commands that take any words.
        _ if tried.starts_with('-') => {
            let names = command.get_arguments().filter(|it| !it.is_hide_set()).filter_map(Arg::get_long);
            row.or_else(|| only_close(tried.trim_start_matches('-'), names).map(|name| format!("--{name}")))
        }
        _ => {
            let said = format!("`failwise {behind}` takes no node");
            return row.map(|words| Error::usage(said).hint(format!("did you mean: {words}")));
        }
    };
    let said = format!("there is no {what} `{}`", format!("{behind} {tried}").trim_start());
    let help = format!("failwise {behind}").trim_end().to_owned();
    Some(Error::usage(said).hint(match hint {
        Some(words) => format!("did you mean: {words}"),
        None => format!("{help} --help lists all {what}s"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(words: &str) -> bool {
        let plain = words.split(' ').skip(1).take_while(|word| !word.starts_with('-') && *word != "ID");
        let mut command = crate::whole_command();
        for word in plain {
            let Some(next) = command.find_subcommand(word) else { return command.get_positionals().next().is_some() };
            command = next.clone();
        }
        let options = words.split(' ').filter_map(|word| word.strip_prefix("--"));
        options
            .into_iter()
            .all(|option| option == "version" || command.get_arguments().any(|arg| arg.get_long() == Some(option)))
    }

    #[test]
    fn what_was_meant_is_a_command_and_what_was_tried_is_none() {
        for (behind, word, meant) in MEANT {
            assert!(known(meant), "{meant}");
            let tried = format!("failwise {behind} {word}").replace("  ", " ").replace(" ID", " TASK-00001");
            assert!(!known(&tried), "{tried} is a command");
        }
    }

    #[test]
    fn every_help_has_two_examples_that_can_be_typed() {
        let mut commands = vec![crate::whole_command()];
        let mut seen = 0;
        while let Some(command) = commands.pop() {
            let inner = command.get_subcommands().filter(|inner| !["help", "keep"].contains(&inner.get_name()));
            commands.extend(inner.cloned());
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let name = command.get_display_name().unwrap_or_default().to_owned();
            let (_, shown) = text.split_once("Examples:").unwrap_or_default();
            for line in shown.lines().take_while(|line| line.is_empty() || line.starts_with("  ")) {
                assert!(line.chars().count() <= 78, "{name}: a terminal would break what is to be typed: {line}");
            }
            let shown = shown.replace("\\\n", "");
            let shown: Vec<&str> = shown
                .lines()
                .filter(|line| line.starts_with("  "))
                .filter_map(|line| Some(&line[line.find("failwise")?..]))
                .collect();
            assert!(shown.len() >= 2, "{name}: {shown:?}");
            for line in shown {
                let line = line.split("  ").next().unwrap_or_default().split(['|', ';', '<', '>', '&', '`']).next();
                let script = failwise::shell::Script::parse(line.unwrap_or_default());
                let words = script.programs().next().map(|(_, program)| program.args.clone()).unwrap_or_default();
                let words =
                    with_help_behind(std::iter::once("failwise".to_owned()).chain(words).map(OsString::from).collect());
                let parsed = crate::whole_command().try_get_matches_from(words);
                let error = parsed.err().filter(clap::Error::use_stderr).map(|error| error.to_string());
                assert_eq!(error, None, "{name}: {line:?}");
                seen += 1;
            }
        }
        assert!(seen > 140, "{seen}");
    }

    #[test]
    fn help_may_come_first() {
        let moved = |words: &[&str]| with_help_behind(words.iter().map(OsString::from).collect());
        assert_eq!(moved(&["failwise", "help", "kb", "list"]), ["failwise", "kb", "list", "--help"]);
        assert_eq!(moved(&["failwise", "help"]), ["failwise", "--help"]);
        assert_eq!(moved(&["failwise", "kb", "help"]), ["failwise", "kb", "help"]);
    }
}
