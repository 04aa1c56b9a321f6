//! What people are used to from other commands: `help CMD`, `--json`, `--color`, `-q`, and words that other programs have.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use clap::builder::ArgPredicate;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ColorChoice, Command};

use failwise::error::Error;
use failwise::model::is_node_id;
use failwise::names::only_close;
use failwise::shell::quoted_word;

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

/// What people mean by words that they try: the command that they try them with, the words to type, and all that are tried for these; `ID` is a
/// node of a plan. All else the parser's own hint is good enough for.
#[rustfmt::skip]
const MEANT: &[(&str, &str, &[&str])] = &[
    ("",              "failwise watch --once",            &["status", "today", "stat", "statistics"]),
    ("",              "failwise watch",                   &["live", "top", "blocks"]),
    ("",              "failwise watch --plain",           &["tail"]),
    ("",              "failwise report",                  &["list", "ls", "history", "sessions", "trends", "session"]),
    ("",              "failwise",                         &["cost", "costs", "usage", "summary", "month", "monthly"]),
    ("",              "failwise report --week",           &["week", "weekly", "--week"]),
    ("",              "failwise report --open",           &["open", "dashboard", "page", "web", "--open"]),
    ("",              "failwise report -o report.html",   &["-o", "--output"]),
    ("",              "failwise report --last",           &["--last"]),
    ("",              "failwise stats --statusline",      &["statusline", "--statusline"]),
    ("",              "failwise why",                     &["explain", "last", "error", "errors", "fix", "retry"]),
    ("",              "failwise lessons",                 &["advice", "changes", "lesson", "suggest"]),
    ("",              "failwise lessons --write",         &["adopt"]),
    ("",              "failwise kb",                      &["memory"]),
    ("",              "failwise kb list --match",         &["search", "find"]),
    ("",              "failwise kb learn",                &["learn"]),
    ("",              "failwise kb forget",               &["forget"]),
    ("",              "failwise kb export",               &["export"]),
    ("",              "failwise kb import",               &["import"]),
    ("",              "failwise tests flaky",             &["flaky"]),
    ("",              "failwise setup",                   &["init", "install", "update", "upgrade", "completion", "completions", "self"]),
    ("",              "failwise setup --remove",          &["uninstall", "remove"]),
    ("",              "failwise doctor",                  &["check"]),
    ("",              "failwise config",                  &["settings"]),
    ("",              "failwise config set",              &["set"]),
    ("",              "failwise config get",              &["get"]),
    ("",              "failwise data purge",              &["purge", "delete", "clear", "reset"]),
    ("",              "failwise --version",               &["version"]),
    ("",              "failwise config set failwise off", &["off", "disable", "stop"]),
    ("",              "failwise config unset failwise",   &["on", "enable"]),
    ("",              "failwise --since 1d",              &["daily"]),
    ("",              "failwise replay",                  &["log", "logs"]),
    ("",              "failwise --help",                  &["man"]),
    ("",              "failwise config unset",            &["undo"]),
    ("",              "failwise report --compare",        &["compare"]),
    ("",              "failwise report --format md",      &["pr"]),
    ("show",          "failwise report --last",           &["--last"]),
    ("why",           "failwise why ID",                  &["--session"]),
    ("doctor",        "failwise setup",                   &["--fix"]),
    ("classify",      "failwise classify",                &["--file"]),
    ("report",        "failwise report -o report.html",   &["--html"]),
    ("report",        "failwise report --format md",      &["--md"]),
    ("report",        "failwise report --format csv",     &["--csv"]),
    ("why",           "failwise why",                     &["--last"]),
    ("lessons",       "failwise lessons --write",         &["--apply"]),
    ("lessons",       "failwise lessons --write --only ID", &["adopt"]),
    ("lessons",       "failwise lessons",                 &["list"]),
    ("lessons",       "failwise show ID",                 &["show"]),
    ("config",        "failwise config",                  &["list", "ls", "show"]),
    ("config",        "failwise config unset",            &["remove"]),
    ("data",          "failwise data show",               &["list", "ls"]),
    ("data",          "failwise data purge",              &["delete", "clean"]),
    ("kb",            "failwise kb list",                 &["ls"]),
    ("kb",            "failwise kb list --match",         &["search", "find"]),
    ("kb",            "failwise kb report-fix",           &["add"]),
    ("kb",            "failwise kb forget",               &["delete", "remove", "rm"]),
    ("plan",          "failwise plan status",             &["ls", "graph", "progress", "search"]),
    ("plan",          "failwise plan claim",              &["start", "take", "assign"]),
    ("plan",          "failwise plan done",               &["finish", "complete", "close"]),
    ("plan",          "failwise plan init",               &["new", "create", "mission"]),
    ("plan",          "failwise plan validate",           &["check"]),
    ("plan",          "failwise plan undo",               &["revert", "reset"]),
    ("plan",          "failwise plan set ID discarded",   &["remove", "delete", "cancel", "drop", "skip"]),
    ("plan",          "failwise plan set ID planned",     &["release", "unclaim", "unblock"]),
    ("plan",          "failwise plan tree",               &["import"]),
    ("plan",          "failwise plan tree --print",       &["export"]),
    ("plan",          "failwise plan expand",             &["split", "move"]),
    ("plan",          "failwise plan edit",               &["update", "rename"]),
    ("plan",          "failwise plan show ID --history",  &["log", "history"]),
    ("plan",          "failwise plan thaw",               &["unfreeze", "resume"]),
    ("plan",          "failwise plan show",               &["view", "get", "info"]),
    ("plan",          "failwise plan status --open",      &["todo"]),
    ("plan",          "failwise plan set ID blocked",     &["block"]),
    ("plan",          "failwise plan set ID archived",    &["archive"]),
    ("plan",          "failwise plan freeze",             &["pause"]),
    ("plan",          "failwise plan promote",            &["note", "comment"]),
    ("plan",          "failwise plan --help",             &["help"]),
    ("plan next",     "failwise plan claim",              &["ID", "--task"]),
    ("plan next",     "failwise plan next --story",       &["--feature"]),
    ("plan validate", "failwise plan show",               &["ID"]),
    ("plan add",      "failwise plan add --intent",       &["--title"]),
    ("plan add",      "failwise plan add --parent",       &["--story"]),
    ("plan add",      "failwise plan add --artifact",     &["--file"]),
    ("plan edit",     "failwise plan edit --intent",      &["--title"]),
    ("plan edit",     "failwise plan edit --artifact",    &["--file"]),
    ("plan status",   "failwise plan status --node",      &["--story"]),
    ("rules",         "failwise rules list",              &["ls"]),
    ("rules",         "failwise rules test",              &["check"]),
    ("tests",         "failwise tests list",              &["ls"]),
    ("tests",         "failwise tests import",            &["add"]),
    ("tests",         "failwise tests compare",           &["diff"]),
    ("workflow",      "failwise workflow list",           &["ls"]),
    ("workflow",      "failwise workflow show",           &["status"]),
    ("workflow",      "failwise workflow run",            &["start"]),
    ("workflow",      "failwise workflow resume",         &["continue"]),
];

/// The words to type in the place of one that was tried as a command, or as an option, behind these.
pub(crate) fn meant_by(behind: &str, is_tried: impl Fn(&str) -> bool) -> Option<&'static str> {
    let row = MEANT.iter().find(|(of, _, words)| *of == behind && words.iter().any(|word| is_tried(word)));
    row.map(|(_, meant, _)| *meant)
}

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

/// The example of a command's help that gives it more than its name, the option that is missing, and most words of the line.
fn example(command: &Command, name: &str, missing: &str) -> Option<String> {
    let help = command.get_after_help()?.to_string();
    let (_, lines) = help.split_once("Examples:")?;
    let lines = lines.lines().map(|line| line.trim().split("  ").next().unwrap_or_default());
    let option = missing.split(' ').next().filter(|word| word.starts_with('-')).unwrap_or_default();
    let is_longer = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    let given: Vec<&str> = lines.filter(is_longer).filter(|line| line.contains(option)).collect();
    // Of several kinds the one that was asked for.
    let is_typed = |word: &&str| words().iter().any(|typed| typed == *word);
    let nearest = given.iter().rev().max_by_key(|line| line.split(' ').filter(is_typed).count())?;
    Some(format!("as in: {}", nearest.trim_end_matches([' ', '\\'])))
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
    let of_all = ["--version", "-V"].contains(&tried.as_str()).then_some("failwise --version");
    let row = meant_by(&behind, is_tried).or(of_all).map(str::to_owned);
    let path = Path::new(tried);
    let tried = shown(tried, 60);
    let hint = match kind {
        ContextKind::InvalidSubcommand => {
            let looks_like_id = behind.is_empty() && tried.len() >= 8 && tried.chars().all(inputs::is_of_id);
            let names = command.get_subcommands().filter(|it| !it.is_hide_set()).map(Command::get_name);
            let close = || only_close(&tried, names).map(|name| format!("{behind} {name}"));
            let near = || if looks_like_id { Some(format!("show {tried}")) } else { close() };
            let readers = [("", "report"), ("workflow", "workflow run")];
            let reader = readers.iter().find(|(of, _)| behind == *of).map(|(_, reader)| *reader);
            let reads = reader.filter(|_| path.exists()).map(|reader| format!("{reader} {}", quoted_word(&tried)));
            row.or_else(|| reads.or_else(near).map(|words| format!("failwise {}", words.trim_start())))
        }
        _ if ["--json", "--format"].contains(&&*tried) => {
            let said = format!("`failwise {behind}` has one output format");
            return Some(
                Error::usage(said).hint(format!("leave out {tried}; failwise {behind} --help says what it prints")),
            );
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
        let is_of = |arg: &Arg, option: &str| match option.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => arg.get_short().is_some_and(|short| option == format!("-{short}")),
        };
        let mut options = words.split(' ').filter(|word| word.starts_with('-'));
        options.all(|option| option == "--version" || command.get_arguments().any(|arg| is_of(arg, option)))
    }

    #[test]
    fn what_was_meant_is_a_command_and_what_was_tried_is_none() {
        for (behind, meant, words) in MEANT {
            assert!(known(meant), "{meant}");
            for word in *words {
                let tried = format!("failwise {behind} {word}").replace("  ", " ").replace(" ID", " TASK-00001");
                // `lessons` takes paths, which a word is only where nothing is called so.
                assert!(*behind == "lessons" || !known(&tried), "{tried} is a command");
            }
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
