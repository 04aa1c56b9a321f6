//! Calls whose words the program refuses: an unknown subcommand or flag, a value, their number, their order, their syntax.

#![expect(clippy::items_after_statements, reason = "a list of words stands where it is read")]

use crate::model::{Category, FindingKind, Stream, ToolKind};
use crate::programs::Trait;
use crate::programs::words::GLOBAL;
use crate::reading::finding_of_line;
use crate::reading::pattern::captures;

use super::Mode as M;
use super::facts::{Facts, has_word, matches_any};
use super::past::shown_document;
use super::row::{Pattern, Row, Seen, When, failed, means, patterns, says};

/// The rows.
pub(super) const ROWS: &[Row] = &[
    // Which word is refused decides which mode it is.
    failed(M::McpStaleness, 94, refused_by_wrapper),
    failed(M::ArtifactDrift, 95, told_by_artifact),
    failed(M::DocumentationDrift, 95, told_by_guide),
    failed(M::SchemaDiscoverability, 94, refused_schema),
    failed(M::ConfigShadowing, 96, refused_unasked),
    failed(M::OutputFormat, 93, refused_json),
    failed(M::ArgumentOrder, 92, misplaced_flag),
    failed(M::HallucinationInputs, 91, similar_flag),
    failed(M::CommandTree, 93, unknown_subcommand),
    failed(M::SingleArity, 92, surplus_words),
    failed(M::ConditionalArgs, 90, missing_words),
    failed(M::Composition, 93, missing_behind_pipe),
    failed(M::Composition, 91, refused_dash),
    failed(M::ArgValidation, 91, refused_value),
    failed(M::ArgValidation, 84, unknown_flag).last(),
    failed(M::ApiTranslationLoss, 95, unknown_field),
    failed(M::HallucinationInputs, 92, encoded_value),
    failed(M::HallucinationInputs, 92, empty_value),
    failed(M::HallucinationInputs, 95, address_for_host),
    failed(M::ApiTranslationLoss, 92, split_value),
    failed(M::HallucinationInputs, 86, suggested_value).last(),
    failed(M::InputSyntax, 90, refused_input),
    failed(M::OutputFormat, 92, refused_by_parser),
    says(M::JsonlDefault, 96, "*Extra data: line # column 1"),
    says(M::JsonlDefault, 95, "*trailing characters at line 2 column 1"),
    says(M::JsonlDefault, 95, "*Unexpected non-whitespace character after JSON"),
    failed(M::SchemaStability, 90, missing_field),
    // Too little to be a match: worth a question.
    means(M::HallucinationInputs, 45, &[Category::RemoteNotFound, Category::PathNotFound]),
    means(M::ConditionalArgs, 40, &[Category::BadArguments]),
    // What the shell makes of the line.
    says(M::ShellInjection, 95, "*unexpected EOF while looking for matching"),
    says(M::ShellInjection, 94, "*Unterminated quoted string"),
    says(M::ShellInjection, 94, "*^(unmatched) \""),
    says(M::ShellInjection, 93, "*syntax error near unexpected token").only(|facts| !is_other_shell(facts)),
    says(M::ShellInjection, 93, "*parse error near ").only(|facts| facts.call.tool.kind == ToolKind::Shell),
    failed(M::ShellInjection, 94, ran_quoted_text).when(When::Any),
    says(M::GlobExpansion, 94, "*no matches found: "),
    says(M::ArgumentOrder, 94, "*paths must precede expression")
        .only(|facts| facts.command().is_none_or(|command| !command.globs)),
    says(M::GlobExpansion, 95, "*paths must precede expression")
        .only(|facts| facts.command().is_some_and(|command| command.globs)),
    says(M::GlobExpansion, 94, "*possible unquoted pattern")
        .only(|facts| facts.command().is_some_and(|command| command.globs)),
    says(M::GlobExpansion, 94, "*ambiguous redirect"),
    says(M::GlobExpansion, 94, "*Argument list too long"),
    says(M::GlobExpansion, 94, "*binary operator expected")
        .only(|facts| facts.is_program(&["[", "test"]) || facts.script.is_some()),
    says(M::GlobExpansion, 92, "*^(no such file or directory)").only(raw_pattern),
    says(M::GlobExpansion, 92, "*^(file not found)").only(raw_pattern),
    failed(M::GlobExpansion, 92, split_path),
];

/// What is said of a word that a program does not know, with the word as an object.
const UNKNOWN_FLAG: &[Pattern] = patterns![
    "*^(unknown flag): {name}",
    "*^(unknown shorthand flag): '{name}' in {name}",
    "*^(unknown option): {name}",
    "*^(unknown option) '{name}'",
    "*^(unknown option) \"{name}\"",
    "*^(unknown option) `{name}`",
    "*^(unknown option) {name}",
    "*^(unknown options): {name}",
    "*^(unrecognized option) '{name}'",
    "*^(unrecognized option) `{name}'",
    "*^(unrecognized option): {name}",
    "*^(unrecognized option) \"{name}\"",
    "*^(unrecognised option) '{name}'",
    "*^(unrecognized argument): {name}",
    "*^(unrecognized arguments): {name}",
    "*^(unrecognised arguments): {name}",
    "*^(unexpected argument) '{name}'",
    "*^(unexpected option) {name}",
    "*^(no such option): {name}",
    "*^(no such option) '{name}'",
    "*^(invalid option) -- '{name}'",
    "*^(invalid option): {name}",
    "*^(invalid option) '{name}'",
    "*^(illegal option) -- {name}",
    "*^(bad option): {name}",
    "*^(bad flag) {name}",
    "*^(unknown argument): {name}",
    "*^(unknown argument) '{name}'",
    "*^(unknown argument): '{name}'",
    "*^(unknown arguments): {name}",
    "*^(flag provided but not defined): {name}",
    "*^(option) '{name}' ^(is not recognized)",
    "*^(option) {name}: ^(is unknown)",
    "*^(option) {name} ^(not recognized)",
    "*^(unknown switch) `{name}'",
    "*^(unknown parameter) {name}",
    "*^(unrecognized parameter) {name}",
    "*^(invalid flag) {name}",
    "*^(unsupported option) {name}",
    "*^(unsupported flag) {name}",
    "*^(found argument) '{name}' ^(which wasn't expected)",
    "*^(unknown long option) '{name}'",
    "*^(unrecognized command-line option) '{name}'",
    "*^(unrecognized command-line option) ‘{name}’",
    "*^(option) {name} ^(not recognized)",
    "*^(Unknown cli config) \"{name}\"",
    "*^(unknown or unexpected option): {name}",
    "*^(unknown optional) {name}",
    "*^(unknown variable) '{name}'",
];

/// The name of an option that is quoted with its value.
fn stem(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// The flag that the program refuses, with the line that says so.
fn refused_flag<'t>(facts: &Facts<'t>) -> Option<(Stream, &'t str, String)> {
    if facts.displays() && !facts.lines().any(|(stream, _)| stream == Stream::Stderr) && facts.reading.is_none() {
        return None;
    }
    let unknown = facts.possible(UNKNOWN_FLAG);
    if unknown.is_empty() {
        return None;
    }
    facts.lines().take(200).find_map(|(stream, line)| {
        let word = unknown.iter().find_map(|pattern| captures(pattern, line)?.object)?;
        let word = word.trim_matches(|c: char| "'\"`.,;:)".contains(c));
        // Programs that name a single letter mean the option `-x`; a word without a dash is no flag.
        let flag = if word.starts_with('-') {
            word.to_owned()
        } else if line.to_ascii_lowercase().contains("invalid option --")
            || line.to_ascii_lowercase().contains("illegal option --")
            || line.contains("shorthand")
        {
            format!("-{}", word.trim_matches('\''))
        } else if facts.has_word(&[&format!("--{}", stem(word))]) {
            format!("--{}", stem(word))
        } else if facts.has_word(&[&format!("-{word}")]) {
            format!("-{word}")
        } else {
            return None;
        };
        Some((stream, line, flag))
    })
}

#[expect(clippy::unnecessary_wraps, reason = "a shape answers with it")]
fn seen((stream, line, _): (Stream, &str, String)) -> Option<Seen> {
    Some(Seen::line(stream, line))
}

/// What is said of a subcommand that a program does not know.
const UNKNOWN_COMMAND: &[Pattern] = patterns![
    "*^(unknown command)",
    "*^(unknown subcommand)",
    "*^(unknown sub-command)",
    "*^(invalid command)",
    "*^(invalid subcommand)",
    "*^(no such command)",
    "*^(no such subcommand)",
    "*^(unrecognized subcommand)",
    "*^(unrecognized command)",
    "*^(unrecognised command)",
    "*^(is not a) {word} ^(command)",
    "*^(command) {name} ^(not found)$",
    "*^(command) {name} ^(is not defined)",
    "*^(there are no commands defined)",
    "*^(missing script): {object}",
    "*^(Command) \"{name}\" ^(not found)",
    "*^(is not a known command)",
    "*^(not a valid command)",
    "*^(unknown task) ",
    "*^(unknown verb)",
    "*^(unknown operation)",
    "*^(No such sub-command)",
    "*^(undefined command)",
    "*^(The command) \"{name}\" ^(is not)",
    "*^(unknown action)",
    "*^(could not find task)",
    "*^(task) '{name}' ^(not found)",
    "*^(Task) {name} ^(does not exist)",
    "*^(no task) {name} ^(found)",
    "*^(Don't know how to build task)",
    "*^(invalid operation) ",
    "*^(object) \"{name}\" ^(is unknown)",
    "*^(requested command) {name} ^(does not exist)",
];

fn unknown_subcommand(facts: &Facts<'_>) -> Option<Seen> {
    // The shell's own word for a missing program is another thing.
    let of_shell = |line: &str| line.ends_with(": command not found") || line.starts_with("command not found: ");
    // Of a flag that takes one of several values argparse says the flag; of a subcommand the place.
    let choice = |line: &str| {
        let lower = line.to_ascii_lowercase();
        lower.contains("invalid choice") && !lower.contains("argument -") && !lower.contains("argument --")
    };
    let unknown = facts.possible(UNKNOWN_COMMAND);
    let may_choose = facts.sift().may_hold_word("invalid choice");
    if unknown.is_empty() && !may_choose {
        return None;
    }
    let (stream, line) = facts.lines().take(200).find(|(_, line)| {
        !of_shell(line)
            && finding_of_line(line).is_none_or(|found| found.kind != FindingKind::UnknownOption)
            && (may_choose && choice(line) || matches_any(&unknown, line))
    })?;
    (facts.call.exit_code != Some(127)).then(|| Seen::line(stream, line))
}

/// The flags by which programs would describe themselves.
const SCHEMA: &[&str] = &[
    "--schema",
    "--manifest",
    "--describe",
    "--introspect",
    "--json-schema",
    "--help-json",
    "--openapi",
    "--capabilities",
    "--spec",
];
const SCHEMA_WORDS: &[&str] = &["schema", "manifest", "introspect", "describe-commands", "capabilities"];

fn refused_schema(facts: &Facts<'_>) -> Option<Seen> {
    if let Some(refused) = refused_flag(facts).filter(|(_, _, flag)| SCHEMA.contains(&flag.as_str())) {
        return seen(refused);
    }
    let asked = facts.operands().next().is_some_and(|word| SCHEMA_WORDS.contains(&word));
    asked.then(|| unknown_subcommand(facts))?
}

/// Options of programs that start another one: behind that one's name they are refused by it.
const BEFORE_PROGRAM: &[(&str, &[&str])] = &[
    ("strace", &["-e", "-f", "-o", "-c", "-s"]),
    ("ltrace", &["-e", "-f", "-o", "-c"]),
    ("timeout", &["-k", "-s", "--kill-after", "--signal", "--preserve-status"]),
    ("watch", &["-n", "-d"]),
];

/// An option of the program that started the one which refuses it: it stands behind that one's name.
fn is_of_starter(facts: &Facts<'_>, flag: &str) -> bool {
    let Some(command) = facts.command() else { return false };
    let starts = |starter: &&str| {
        let wraps = command.wrappers.iter().any(|wrapper| wrapper.rsplit('/').next() == Some(starter));
        // A starter that is not taken off the line has the program among its own words.
        let behind = || command.args.iter().skip_while(|arg| arg.starts_with('-')).any(|arg| arg == flag);
        wraps || command.name() == *starter && behind()
    };
    BEFORE_PROGRAM.iter().any(|(starter, options)| options.contains(&flag) && starts(starter))
}

/// A flag behind a positional word, where an unknown flag is refused.
fn misplaced_flag(facts: &Facts<'_>) -> Option<Seen> {
    let refused = refused_flag(facts)?;
    if is_of_starter(facts, &refused.2) {
        return seen(refused);
    }
    let command = facts.command()?;
    let bare = |arg: &String| {
        arg.split('=').next().unwrap_or_default() == refused.2 || arg.starts_with(&refused.2) && refused.2.len() == 2
    };
    let at = command.args.iter().position(bare)?;
    // The subcommand itself stands before every flag of its own: what counts is a second word.
    let before = command.args.iter().take(at).filter(|arg| !arg.starts_with('-')).count();
    let own = refused.2 != "--dry-run" && !SCHEMA.contains(&refused.2.as_str());
    let known_global = command.known.is_some_and(|program| program.values.contains(&refused.2.as_str()));
    let global = before >= 1 && (known_global || GLOBAL.contains(&(command.name(), refused.2.as_str())));
    // Before the subcommand stands what only the subcommand knows.
    let lists = || facts.lines().any(|(_, line)| line.starts_with('{') && line.contains(','));
    let has_commands = || {
        lists()
            || facts.line_with(&["<command>", "command [args]", "global option", "tip: '", " {", "] command"]).is_some()
    };
    let followed = command
        .args
        .iter()
        .skip(at + 1)
        .any(|arg| arg.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !arg.starts_with('-'));
    let too_early = before == 0 && followed && has_commands();
    (own && (global || too_early || before >= 2 && !names_similar(facts))).then(|| seen(refused))?
}

/// An option that is refused and that nobody gave: a file of settings or a variable adds it.
fn refused_unasked(facts: &Facts<'_>) -> Option<Seen> {
    const RUN_OTHERS: &[Trait] = &[
        Trait::Tasks,
        Trait::Compiles,
        Trait::Hosts,
        Trait::Hooks,
        Trait::Shell,
        Trait::RunsScript,
        Trait::RunsScripts,
        Trait::Interpreter,
        Trait::VersionControl,
    ];
    let unknown = facts.possible(UNKNOWN_FLAG);
    let (script, command) = (facts.script?, facts.command()?);
    // Who runs other programs passes their errors on, and what is substituted is not seen.
    let runs_others = RUN_OTHERS.iter().any(|kind| command.is(*kind)) || command.is_by_path();
    let plain = script.programs().count() == 1 && command.wrappers.is_empty() && command.inner_script().is_none();
    if unknown.is_empty() || runs_others || !plain {
        return None;
    }
    let given = facts.call.command()?;
    if given.contains(['$', '`']) {
        return None;
    }
    let (stream, line, word) = facts.lines().take(20).find_map(|(stream, line)| {
        let word = unknown.iter().find_map(|pattern| captures(pattern, line)?.object)?;
        Some((stream, line, word))
    })?;
    let name = stem(word.trim_matches(|c: char| "'\"`.,;:)-".contains(c)));
    // A letter of a cluster, or a word that the program cut, cannot be told from one that was not given.
    let whole = name.len() >= 4 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    (whole && !given.contains(name)).then(|| Seen {
        words: Some(format!("the call does not hold `{}`", crate::text::start(name, 40))),
        line: Some((stream, line.to_owned())),
    })
}

/// An option for JSON that the program does not have: what it prints is for people alone.
fn refused_json(facts: &Facts<'_>) -> Option<Seen> {
    let refused = refused_flag(facts).filter(|(_, _, flag)| flag == "--json")?;
    (facts.asks_json() && !facts.is_program(&["jq"]) && !names_similar(facts)).then(|| seen(refused))?
}

/// Whether the program names what it took a word for.
fn names_similar(facts: &Facts<'_>) -> bool {
    const HINTS: &[&str] = &[
        "a similar argument exists",
        "did you mean",
        "similar option",
        "maybe you meant",
        "perhaps you meant",
        "closest match",
        "most similar",
    ];
    facts.line_with(HINTS).is_some()
}

fn similar_flag(facts: &Facts<'_>) -> Option<Seen> {
    names_similar(facts).then(|| seen(refused_flag(facts)?))?
}

fn unknown_flag(facts: &Facts<'_>) -> Option<Seen> {
    if let Some(refused) = refused_flag(facts) {
        return seen(refused);
    }
    let reading = facts.reading.as_ref()?;
    let is_usage = reading.category == Category::BadArguments && !facts.displays();
    let line = reading.line.as_deref().filter(|_| is_usage)?;
    Some(Seen::line(stream_of(facts, line), line))
}

/// The stream that a line of the reading stands in.
pub(super) fn stream_of(facts: &Facts<'_>, line: &str) -> Stream {
    let start = crate::text::start(line, 60);
    facts.lines().find(|(_, own)| own.starts_with(start)).map_or(Stream::Either, |(stream, _)| stream)
}

/// What is said of words beyond those that a program takes.
const SURPLUS: &[Pattern] = patterns![
    "*^(unrecognized arguments): {name}",
    "*^(unrecognised arguments): {name}",
    "*^(accepts) # ^(arg)*^(received) #",
    "*^(accepts) {word} # ^(arg)*^(received) #",
    "*^(accepts at most) # ^(arg)",
    "*^(accepts no arg)",
    "*^(too many positional) ",
    "*^(too many arguments)",
    "*^(extra operand)",
    "*^(extra argument)",
    "*^(unexpected extra argument)",
    "*^(got unexpected extra)",
    "*^(unexpected argument) '{name}'",
    "*^(unexpected positional) ",
    "*^(only one) * ^(allowed)",
    "*^(only one) * ^(can be specified)",
    "*^(exactly one) ^(argument)",
    "*^(exactly 1) ^(argument)",
    "*^(expected 1 argument)",
    "*^(expected one argument), got #",
    "*^(requires exactly) # ^(argument)",
    "*^(requires at most) # ^(argument)",
    "*^(requires at most) # ^(arg)",
    "*^(takes) # ^(positional argument)",
    "*^(takes no argument)",
    "*^(multiple) * ^(not supported)",
    "*^(Expected) # ^(argument), ^(but got) #",
    "*^(expected) # ^(arguments), got #",
    "*^(too many args)",
    "*^(unexpected arguments): {name}",
    "*^(does not take any argument)",
    "*^(found argument) '{name}' ^(which wasn't expected)",
    "*^(too many) {word}$",
    "*^(arguments maximum)",
    "*^(unknown options): {name}",
    "*^(exactly one) {word} ^(is required), got #",
    "*^(too many) {word} ^(arguments)",
    "*^(too many) {word} ^(files)",
    "*^(only a single) * ^(may be) ",
];

fn surplus_words(facts: &Facts<'_>) -> Option<Seen> {
    let surplus = facts.possible(SURPLUS);
    if surplus.is_empty() {
        return None;
    }
    let (stream, line, word) = facts.lines().take(200).find_map(|(stream, line)| {
        let found = surplus.iter().find_map(|pattern| captures(pattern, line))?;
        Some((stream, line, found.object.unwrap_or_default()))
    })?;
    // A flag is refused for what it is, and a shell's `cd` for a word that fell apart.
    let is_flag = word.starts_with('-');
    let words = facts.operands().count();
    let of_shell = facts.is_program(&["cd", "[", "test", "pushd"]);
    let python_call = line.to_ascii_lowercase().ends_with("requests")
        || line.starts_with("TypeError")
        || line.contains(" in call to ");
    (!is_flag && words >= 2 && !of_shell && !python_call).then(|| Seen::line(stream, line))
}

/// What is said of words that a program lacks.
const MISSING: &[Pattern] = patterns![
    "*^(missing required) ",
    "*^(required flag) ",
    "*^(required option) ",
    "*^(required argument) ",
    "*^(arguments are required): {object}",
    "*^(arguments were not provided)",
    "*^(is required when) ",
    "*^(is required if) ",
    "*^(is required with) ",
    "*^(must be specified)",
    "*^(must be provided)",
    "*^(must also) ",
    "*^(you must specify) ",
    "*^(you must provide) ",
    "*^(must specify) ",
    "*^(must provide) ",
    "*^(missing argument)",
    "*^(name required)$",
    "*^(flag) {word} ^(is required)",
    "*^(missing operand)",
    "*^(missing parameter)",
    "*^(missing option)",
    "*^(missing file operand)",
    "*^(missing destination)",
    "*^(requires an argument)",
    "*^(requires a value)",
    "*^(requires at least) # ^(arg)",
    "*^(expected at least one) ",
    "*^(requires) --{word}",
    "*^(not enough arguments)",
    "*^(too few arguments)",
    "*^(no) {object} ^(specified)",
    "*^(a value is required for) ",
    "*^(argument missing)",
    "*^(Missing option) ",
    "*^(Missing argument) ",
    "*^(Missing parameter) ",
    "*^(not enough positional) ",
    "*^(at least one of) * ^(required)",
    "*^(needs) {word} ^(argument)",
    "*^(exactly one of) * ^(required)",
    "*^(option requires an argument)",
    "*^(expected one argument)$",
    "*^(expected at least) # ^(argument)",
    "*^(specify at least one) ",
    "*^(either) {name} ^(or) {name} ^(must be)",
    "*^(either) {name} ^(or) {name} ^(is required)",
    "*^(one of the arguments) * ^(is required)",
    "*^(either) --{word} ^(must be) ",
    "*^(must give at least one) ",
    "*^(required flag(s)) ",
    "*^(either) --{word} ^(or) --{word}",
    "*^(must be used with) --",
    "*^(must be used together with) ",
    "*^(can only be used with) ",
    "*^(is only valid with) ",
    "*^(requires that) --",
    "*^(please specify) ",
    "*^(please provide) ",
    "*^(must be supplied)",
    "*^(must be given)",
    "*^(must supply) ",
    "*^(need to specify) ",
    "*^(need to provide) ",
    "*^(not enough) {word} ^(arguments)",
    "*^(not enough) * ^(specified)",
    "*^(no) {word} ^(given)$",
    "*^(no) {word} ^(supplied)$",
    "*^(is mandatory)",
];

fn missing_line<'t>(facts: &Facts<'t>) -> Option<(Stream, &'t str)> {
    facts.line_like(MISSING, 200)
}

fn missing_words(facts: &Facts<'_>) -> Option<Seen> {
    let (stream, line) = missing_line(facts)?;
    // Keys, tokens and people are missing in other ways.
    const OTHER: &[&str] = &[
        "token",
        "api key",
        "password",
        "credential",
        "scope",
        "module",
        "package",
        "terminal",
        "tty",
        "login",
        "interactive",
        "environment variable",
        "in json",
    ];
    let lower = line.to_ascii_lowercase();
    let surplus = ["maximum", ", got ", "received", "in call to"].iter().any(|word| lower.contains(word));
    let else_ = surplus || OTHER.iter().any(|word| lower.contains(word)) || behind_pipe(facts);
    (!else_).then(|| Seen::line(stream, line))
}

/// Whether the command that failed is behind a pipe.
fn behind_pipe(facts: &Facts<'_>) -> bool {
    facts.at().is_some_and(|at| at.stage > 0)
}

fn missing_behind_pipe(facts: &Facts<'_>) -> Option<Seen> {
    if let Some((stream, line)) = usage_line(facts).filter(|_| behind_pipe(facts) && takes_words_alone(facts)) {
        return Some(Seen::line(stream, line));
    }
    let (stream, line) = missing_line(facts).filter(|_| behind_pipe(facts))?;
    let reads = facts.command()?.is(Trait::Looks) && facts.is_program(&["jq", "grep", "sort", "awk", "sed"]);
    (!reads).then(|| Seen::line(stream, line))
}

/// Programs that take their objects from their words alone.
const NEVER_READ: &[&str] = &[
    "kill", "killall", "pkill", "rm", "rmdir", "cp", "mv", "ln", "mkdir", "touch", "chmod", "chown", "chgrp", "ls",
    "stat", "realpath", "basename", "dirname", "cd",
];

/// Whether the command behind a pipe takes nothing from it: what `xargs` starts gets its words from it.
fn takes_words_alone(facts: &Facts<'_>) -> bool {
    facts.is_program(NEVER_READ) && facts.command().is_some_and(|command| command.wrappers.is_empty())
}

/// A line with the usage of the program.
fn usage_line<'t>(facts: &Facts<'t>) -> Option<(Stream, &'t str)> {
    facts.line_with(&["usage: "]).filter(|(_, line)| line.len() < 300)
}

fn refused_dash(facts: &Facts<'_>) -> Option<Seen> {
    let has_dash = facts
        .command()
        .is_some_and(|command| command.has_arg("-") || command.args.iter().any(|arg| arg.ends_with("=-")));
    const SAYS: &[&str] = &["*'-'*", "*\"-\"*", "*`-`*", "*: -: *", "* -: *", "* - : *"];
    let (stream, line) = facts.lines().filter(|_| has_dash).find(|(_, line)| {
        matches_any(SAYS, line)
            && ["no such", "not found", "invalid", "unexpected", "cannot", "does not exist", "unknown", "not supported"]
                .iter()
                .any(|word| line.to_ascii_lowercase().contains(word))
    })?;
    Some(Seen::line(stream, line))
}

/// What is said of values.
const VALUES: &[Pattern] = patterns![
    "*^(invalid value) ",
    "*^(invalid choice): ",
    "*^(invalid int value)",
    "*^(invalid float value)",
    "*^(invalid argument)",
    "*^(invalid) {word} ^(value)",
    "*^(is not a valid) ",
    "*^(is not one of) ",
    "*^(must be one of) ",
    "*^(must be a) ",
    "*^(must be an) ",
    "*^(must be between) ",
    "*^(not a valid integer)",
    "*^(not an integer)",
    "*^(not a number)",
    "*^(invalid number) ",
    "*^(invalid line count)",
    "*^(invalid date)",
    "*^(invalid duration)",
    "*^(invalid time) ",
    "*^(invalid mode)",
    "*^(invalid format) ",
    "*^(invalid literal) ",
    "*^(bad argument)",
    "*^(invalid regex)",
    "*^(invalid range)",
    "*^(illegal line count)",
    "*^(invalid suffix)",
    "*^(invalid byte, character or field list)",
    "*^(invalid user)",
    "*^(invalid signal)",
    "*^(invalid parameter value)",
    "*^(unsupported value)",
    "*^(out of range)",
    "*^(parse error for flag)",
    "*^(strconv.Parse){word}: parsing",
    "*^(expected a number)",
    "*^(argument) {object}: ^(expected) ",
    "*^(argument) {object}: ^(invalid) ",
    "*^(cannot parse) '{object}' ^(as) ",
    "*^(unable to parse) ",
    "*^(invalid digit found in string)",
    "*^(unknown format) ",
    "*^(unknown value) ",
    "*^(unsupported format)",
    "*^(invalid file mode)",
    "*^(option must be)",
    "*^(as a number)",
    "*^(unknown argument to) ",
    "*^(allowed formats are)",
    "*^(is not a valid) ",
    "*^(Invalid operand) ",
    "*^(is not a valid choice)",
];

fn refused_value(facts: &Facts<'_>) -> Option<Seen> {
    let runs_code = facts
        .reading
        .as_ref()
        .is_some_and(|reading| matches!(reading.category, Category::TestFailure | Category::LintError));
    let own_value = |line: &str| {
        facts
            .command()
            .is_some_and(|command| command.args.iter().any(|arg| arg.len() > 1 && line.contains(&format!("'{arg}'"))))
    };
    let traced = |line: &str| facts.line_with(&["traceback (most recent call last)"]).is_some() && !own_value(line);
    let values = facts.possible(VALUES);
    if values.is_empty() {
        return None;
    }
    let (stream, line) =
        facts.lines().take(200).find(|(_, line)| !line.contains("): error") && matches_any(&values, line))?;
    let secret = ["token", "api key", "credential", "invalid json", "password"]
        .iter()
        .any(|word| line.to_ascii_lowercase().contains(word));
    let syntax = line.contains("parse error: ") || matches_any(&facts.possible(SYNTAX), line);
    (!runs_code && !syntax && !traced(line) && !secret && encoded_value(facts).is_none())
        .then(|| Seen::line(stream, line))
}

/// Values that models write for others: encoded signs, a literal null, a line end.
fn encoded_value(facts: &Facts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let is_null = |arg: &str| matches!(arg, "null" | "undefined" | "None" | "NaN" | "[object Object]" | "nil");
    let encoded = |arg: &str| {
        arg.as_bytes().windows(3).any(|three| matches!(three, [b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() && a.is_ascii_digit()))
            && !arg.contains("://")
            && !arg.starts_with('+')
    };
    let value = |arg: &str| arg.split_once('=').map_or(arg, |(_, value)| value).to_owned();
    let traversal = |arg: &str| arg.contains("../../../") && !command.is(Trait::Looks);
    let query = |arg: &str| {
        arg.split_once('?').is_some_and(|(path, query)| {
            path.contains('.') && query.contains('=') && !arg.contains("://") && !command.globs
        })
    };
    let odd = command.args.iter().find(|arg| is_null(&value(arg)) || encoded(arg) || traversal(arg) || query(arg))?;
    const SAYS: &[&str] = &[
        "not found",
        "invalid",
        "does not exist",
        "no such",
        "unknown",
        "could not resolve",
        "cannot find",
        "404",
        "bad request",
        "not exist",
        "malformed",
        "did not match any",
        "can't open file",
    ];
    let (stream, line) = facts.line_with(SAYS)?;
    Some(Seen {
        words: Some(format!("the call contains the value `{}`", crate::text::start(odd, 40))),
        line: Some((stream, line.to_owned())),
    })
}

/// An address where the name of a host is wanted.
fn address_for_host(facts: &Facts<'_>) -> Option<Seen> {
    const SAYS: &[&str] = &[
        "lookup error",
        "could not resolve",
        "name or service not known",
        "nodename nor servname",
        "unknown host",
        "invalid host",
        "no such host",
        "bad hostname",
        "name resolution",
        "no address associated",
    ];
    let command = facts.command()?;
    let is_address = |word: &str| word.contains("://");
    let by_option = command.args.windows(2).any(|pair| {
        matches!(pair, [option, value] if matches!(option.as_str(), "-h" | "--host" | "--hostname") && is_address(value))
    }) || command.args.iter().any(|arg| {
        arg.split_once('=').is_some_and(|(option, value)| matches!(option, "--host" | "--hostname") && is_address(value))
    });
    let by_word = facts.is_program(&["ping", "ssh", "scp", "nc", "telnet", "traceroute", "dig", "nslookup", "host"])
        && facts.operands().any(is_address);
    let (stream, line) = facts.line_with(SAYS).filter(|_| by_option || by_word)?;
    Some(Seen {
        words: Some("an address is given in place of a host name".to_owned()),
        line: Some((stream, line.to_owned())),
    })
}

/// A piece of a value that fell apart at a comma: the program takes it for a name of its own.
fn split_value(facts: &Facts<'_>) -> Option<Seen> {
    const SAYS: &[Pattern] = patterns![
        "*^(invalid parameter) '{object}'",
        "*^(unknown parameter) '{object}'",
        "*^(invalid option) '{object}'",
        "*^(unknown option) '{object}'",
        "*^(unknown key) '{object}'",
        "*^(invalid key) '{object}'",
    ];
    let says = facts.possible(SAYS);
    let command = facts.command().filter(|_| !says.is_empty())?;
    let (stream, line, piece) = facts.lines().take(50).find_map(|(stream, line)| {
        Some((stream, line, says.iter().find_map(|pattern| captures(pattern, line)?.object)?))
    })?;
    let falls_apart = |arg: &String| arg.contains('=') && arg.split(',').skip(1).any(|part| part == piece);
    command
        .args
        .iter()
        .any(falls_apart)
        .then(|| Seen { words: Some("a comma in a value ends it".to_owned()), line: Some((stream, line.to_owned())) })
}

/// What a program of another language prints for no value, given as a word: the error quotes it.
fn empty_value(facts: &Facts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let word = command
        .args
        .iter()
        .flat_map(|arg| std::iter::once(arg.as_str()).chain(arg.rsplit([':', '/', '@']).next()))
        .find(|word| {
            matches!(*word, "undefined" | "NaN" | "[object Object]")
                || matches!(*word, "null" | "None") && command.has_arg(word)
        })?;
    let (stream, line) = facts.lines().find(|(_, line)| line.contains(word))?;
    Some(Seen::line(stream, line))
}

/// A value for which the program names the one that was meant.
fn suggested_value(facts: &Facts<'_>) -> Option<Seen> {
    const HINTS: &[&str] = &[
        "did you mean",
        "perhaps you meant",
        "maybe you meant",
        "most similar",
        "a similar name exists",
        "closest match",
    ];
    let compiles = facts.reading.as_ref().is_some_and(|reading| {
        matches!(reading.kind(), Category::CompileError | Category::TestFailure | Category::LintError)
    });
    let (stream, line) = facts.line_with(HINTS).filter(|_| !compiles && !facts.displays())?;
    Some(Seen::line(stream, line))
}

fn unknown_field(facts: &Facts<'_>) -> Option<Seen> {
    const SAYS: &[Pattern] = patterns![
        "*^(unknown field) ",
        "*^(unexpected field) ",
        "*^(invalid field) ",
        "*^(unknown key) ",
        "*^(invalid key) ",
        "*^(unknown property) ",
        "*^(unknown fields)",
        "*^(is not a valid field)",
        "*^(unknown parameter in input)",
        "*^(unknown column)",
        "*^(Unknown JSON field)",
        "*^(additional properties are not allowed)",
        "*^(no such field)",
        "*^(invalid property)",
        "*^(unknown parameter in) ",
        "*^(invalid label value)",
        "*^(unexpected key) ",
    ];
    let (stream, line) = facts.line_like(SAYS, 200)?;
    let of_call = facts.command().is_some_and(|command| {
        !command.is(Trait::Looks)
            && command.args.iter().any(|arg| {
                arg.starts_with("--") || matches!(arg.as_str(), "-f" | "-F" | "-d" | "-o" | "-p") || arg.contains('=')
            })
    });
    let compiles =
        facts.reading.as_ref().is_some_and(|r| matches!(r.category, Category::CompileError | Category::TestFailure));
    (of_call && !compiles).then(|| Seen::line(stream, line))
}

/// Whether the command carries a text of the kind that a strict parser reads.
fn carries_payload(facts: &Facts<'_>) -> bool {
    let Some(command) = facts.command() else { return false };
    let literal = |text: &str| {
        let text = text
            .trim_start()
            .split_once('=')
            .filter(|(name, _)| name.starts_with('-'))
            .map_or(text.trim_start(), |(_, value)| value);
        text.starts_with(['{', '['])
    };
    command.args.iter().any(|arg| literal(arg))
        || command.redirections.iter().any(|r| literal(&r.target))
        || has_word(
            command,
            &[
                "--config",
                "--data",
                "-d",
                "--json",
                "--payload",
                "--input",
                "--body",
                "--params",
                "--values",
                "--cli-input-json",
                "--data-raw",
            ],
        )
        || command.args.iter().chain(command.redirections.iter().map(|r| &r.target)).any(|word| is_document(word))
        || command.is(Trait::TakesCode)
            && command.args.iter().any(|code| code.contains("JSON.parse") || code.contains("json.loads"))
        || facts.is_program(&["python"]) && has_word(command, &["json.tool", "-m"])
}

/// What parsers say of text that is nearly right.
const SYNTAX: &[Pattern] = patterns![
    "*^(invalid json)",
    "*^(is not valid json)",
    "*^(not valid json)",
    "*^(malformed json)",
    "*^(unexpected token) *JSON",
    "*Unexpected token *is not valid JSON",
    "*Expected double-quoted property name",
    "*parse error: ",
    "*^(trailing comma)",
    "*Expecting property name",
    "*Expecting ',' delimiter",
    "*Expecting value: ",
    "*Expecting ':' delimiter",
    "*invalid character {object} looking for ",
    "*invalid character {object} after ",
    "*invalid character {object} in ",
    "*yaml: line #",
    "*TOML parse error",
    "*^(toml): ",
    "*JSONDecodeError",
    "*^(could not parse) * ^(json)",
    "*^(failed to parse) *^(json)",
    "*^(error parsing) *^(json)",
    "*^(error parsing) *^(yaml)",
    "*^(error parsing) *^(toml)",
    "*mapping values are not allowed",
    "*did not find expected ",
    "*found character that cannot start any token",
    "*YAMLException",
    "*Unexpected end of JSON input",
    "*unterminated string in JSON",
    "*^(json): ^(cannot unmarshal)",
    "*^(json parse error)",
    "*expected value at line # column #",
    "*key must be a string at line #",
    "*trailing characters at line #",
    "*Invalid JSON",
    "*INVALID_JSON",
    "*Bad control character in string literal",
    "*^(json syntax error)",
    "*tomllib.TOMLDecodeError",
    "*Error parsing JSON",
    "*not well-formed (invalid token)",
    "*while parsing a ",
    "*EJSONPARSE",
    "*^(invalid package.json)",
];

fn syntax_line<'t>(facts: &Facts<'t>) -> Option<(Stream, &'t str)> {
    facts.line_like(SYNTAX, 400)
}

/// Whether a word names a file of the kind that a strict parser reads.
fn is_document(word: &str) -> bool {
    [".json", ".yaml", ".yml", ".toml", ".json5", ".jsonc"]
        .iter()
        .any(|ending| word.trim_matches(|c: char| "'\"`".contains(c)).ends_with(ending))
}

/// Whether code in the call runs another program or asks a service, and reads what comes back.
fn reads_answer_in_code(facts: &Facts<'_>) -> bool {
    facts.command().is_some_and(|command| {
        command.is(Trait::TakesCode)
            && command.args.iter().any(|code| {
                ["execSync", "subprocess", "popen", "fetch(", "urlopen", "spawnSync"]
                    .iter()
                    .any(|call| code.contains(call))
            })
    })
}

/// Whether the failing command reads what another one printed.
fn parses_other_output(facts: &Facts<'_>) -> bool {
    let Some(script) = facts.script else { return false };
    let writes_payload = |command: &crate::shell::Command| {
        matches!(command.name(), "echo" | "printf") || command.name() == "cat" && command.reads_here_document()
    };
    reads_answer_in_code(facts)
        || facts.at().is_some_and(|at| {
            at.stage > 0
                && script.programs().any(|(other, c)| {
                    other.pipeline == at.pipeline
                        && other.stage == 0
                        && !writes_payload(c)
                        && !(c.is(Trait::Shows) && c.args.iter().any(|arg| is_document(arg)))
                })
        })
}

fn refused_input(facts: &Facts<'_>) -> Option<Seen> {
    let (stream, line) = syntax_line(facts)?;
    let names_document = || {
        facts
            .lines()
            .take(60)
            .any(|(_, line)| line.split_whitespace().any(|word| is_document(word.trim_end_matches([',', ':', '.']))))
    };
    let fed_by_hand = || facts.at().is_some_and(|at| at.stage > 0) && !parses_other_output(facts);
    (!parses_other_output(facts)
        && (carries_payload(facts)
            || fed_by_hand()
            || facts.is_program(&["jq", "yq"])
            || facts.is_fed()
            || names_document())
        || facts.command().is_none())
    .then(|| Seen::line(stream, line))
}

fn refused_by_parser(facts: &Facts<'_>) -> Option<Seen> {
    let (stream, line) = syntax_line(facts)?;
    let more =
        ["Extra data: line 2", "trailing characters at line 2", "after JSON"].iter().any(|words| line.contains(words));
    (parses_other_output(facts) && !more).then(|| Seen::line(stream, line))
}

/// A field that what was read does not have.
fn missing_field(facts: &Facts<'_>) -> Option<Seen> {
    const SAYS: &[Pattern] = patterns![
        "KeyError: ",
        "*Cannot index {object} with ",
        "*Cannot iterate over ",
        "TypeError: Cannot read propert",
        "*Cannot read properties of undefined",
        "*Cannot read properties of null",
        "*is not a function or its return value is not iterable",
        "FIELD_DEPRECATED",
        "TypeError: '{object}' object is not subscriptable",
        "TypeError: string indices must be",
        "TypeError: list indices must be",
        "*(KeyError)$",
        "*^(key not found): ",
    ];
    let (stream, line) = facts.line_like(SAYS, usize::MAX)?;
    // Only throw-away code that reads data: a fault of the project's own code is another thing.
    let reads_data = facts.is_program(&["jq", "yq"])
        || facts.command().is_some_and(|command| {
            command.is(Trait::TakesCode)
                && (has_word(command, &["-c", "-e", "--eval", "-p", "-pe", "-ne"]) || command.reads_here_document())
                && command
                    .args
                    .iter()
                    .chain(command.redirections.iter().map(|r| &r.target))
                    .any(|code| code.contains("json") || code.contains("JSON") || code.contains("yaml"))
        });
    reads_data.then(|| Seen::line(stream, line))
}

/// Whether the shell's complaint is about a script of another shell.
fn is_other_shell(facts: &Facts<'_>) -> bool {
    facts
        .command()
        .is_some_and(|command| command.is(Trait::Shell) && command.inner_script().is_none() && !command.args.is_empty())
}

/// Text in double quotes that the shell ran, because it held backticks or `$( )`.
fn ran_quoted_text(facts: &Facts<'_>) -> Option<Seen> {
    // An escaped backtick is a sign like any other.
    let command = facts.call.command()?.replace("\\`", "").replace("\\\"", "");
    let quoted = command.split('"').skip(1).step_by(2);
    let mut substituted = quoted.filter(|part| part.contains('`'));
    let part = substituted.next()?;
    let inner = part.split('`').nth(1)?.split_whitespace().next()?;
    let (stream, line) = facts
        .lines()
        .find(|(_, line)| line.contains("not found") && line.contains(inner) || line.contains(&format!("{inner}: ")))?;
    Some(Seen {
        words: Some("a backtick in double quotes ran as a command".to_owned()),
        line: Some((stream, line.to_owned())),
    })
}

/// Whether a pattern reached the program as it was written.
fn raw_pattern(facts: &Facts<'_>) -> bool {
    facts.command().is_some_and(|command| command.globs && command.args.iter().any(|arg| arg.contains(['*', '?'])))
        && facts.lines().any(|(_, line)| {
            line.contains(['*', '?'])
                && (line.contains("No such file or directory") || line.to_ascii_lowercase().contains("file not found"))
        })
}

/// A path with blanks that fell apart: two words of the call that follow each other do not exist.
fn split_path(facts: &Facts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let missing = |word: &str| {
        facts
            .lines()
            .any(|(_, line)| line.contains("No such file or directory") && line.contains(word) && word.len() > 1)
    };
    let pair = command.args.windows(2).find(|pair| {
        matches!(pair, [a, b] if !a.starts_with('-') && !b.starts_with('-') && !b.starts_with(['/', '.', '~']) && b.contains('.') && a.rsplit('/').next().is_some_and(|l| !l.contains('.') && !l.is_empty()) && missing(a) && missing(b))
    })?;
    let (stream, line) = facts.line_with(&["no such file or directory"])?;
    Some(Seen {
        words: Some(format!("`{}` and `{}` are in the same folder", pair.first()?, pair.get(1)?)),
        line: Some((stream, line.to_owned())),
    })
}

/// A flag or parameter that a wrapper of a tool server refuses.
fn refused_by_wrapper(facts: &Facts<'_>) -> Option<Seen> {
    if facts.call.tool.kind != ToolKind::Mcp {
        return None;
    }
    const SAYS: &[&str] = &[
        "unknown option",
        "unknown flag",
        "unrecognized argument",
        "unrecognized option",
        "missing required",
        "unexpected argument",
        "unknown command",
        "invalid option",
        "unknown argument",
        "required parameter",
    ];
    let (stream, line) = facts.line_with(SAYS)?;
    Some(Seen::line(stream, line))
}

/// A word that is refused, and that a document told of which was read before.
fn told_before<'f>(facts: &'f Facts<'_>) -> Option<(Seen, &'f str, bool)> {
    let several = facts.script.is_some_and(|script| script.programs().count() > 1);
    if !facts.past.has_documents() && !several {
        return None;
    }
    let (stream, line, word) = if let Some(refused) = refused_flag(facts) {
        refused
    } else {
        let seen = unknown_subcommand(facts)?.line?;
        let word = facts.subcommand()?.to_owned();
        let line = facts.lines().find(|(_, line)| *line == seen.1)?;
        (line.0, line.1, word)
    };
    if word.len() < 3 {
        return None;
    }
    let (document, made) = facts.past.document_with(&word).or_else(|| shown_document(facts, &word))?;
    let words = format!("{} complained of `{word}`", crate::text::start(document, 60));
    Some((Seen { words: Some(words), line: Some((stream, line.to_owned())) }, document, made))
}

fn told_by_artifact(facts: &Facts<'_>) -> Option<Seen> {
    told_before(facts).filter(|(_, _, made)| *made).map(|(seen, _, _)| seen)
}

fn told_by_guide(facts: &Facts<'_>) -> Option<Seen> {
    told_before(facts).filter(|(_, _, made)| !made).map(|(seen, _, _)| seen)
}
