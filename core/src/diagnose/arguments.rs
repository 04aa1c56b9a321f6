//! Calls whose words the program refuses: an unknown subcommand or flag, a value, their number, their order, their syntax.

#![expect(clippy::items_after_statements, reason = "a list of words stands where it is read")]

use crate::model::{Category, Finding, Stream, ToolKind};
use crate::programs::Trait;
use crate::programs::words::GLOBAL;

use crate::text::{begins_in_any_case, file_name};

use super::Mode as M;
use super::facts::{CallFacts, has_word};
use super::network::{is_of_the_work, not_a_test};
use super::past::shown_document;
use super::row::{ModeRow, Seen, When, failed, finds, means};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::JsonlDefault, 96, K::SeveralValues),
    failed(M::GlobExpansion, 91, split_by_the_shell),
    finds(M::ShellInjection, 95, K::Unclosed),
    finds(M::ShellInjection, 93, K::ShellSyntax).only(is_of_this_shell),
    finds(M::GlobExpansion, 94, K::NoMatch),
    finds(M::GlobExpansion, 94, K::ManyNames),
    finds(M::ArgumentOrder, 94, K::MisplacedPath).only(|facts| !globs(facts)),
    finds(M::GlobExpansion, 95, K::MisplacedPath).only(globs),
    finds(M::GlobExpansion, 92, K::RawPattern).only(raw_pattern),
    // Which word is refused decides which mode it is.
    failed(M::McpStaleness, 94, refused_by_wrapper),
    failed(M::ArtifactDrift, 95, told_by_artifact),
    failed(M::DocumentationDrift, 95, told_by_guide),
    failed(M::SchemaDiscoverability, 94, refused_schema),
    failed(M::ConfigShadowing, 96, refused_unasked),
    failed(M::OutputFormat, 93, refused_json),
    failed(M::ArgumentOrder, 92, misplaced_flag),
    failed(M::ArgumentOrder, 92, flag_for_subcommand),
    failed(M::HallucinationInputs, 91, similar_flag),
    failed(M::CommandTree, 93, unknown_subcommand),
    failed(M::SingleArity, 92, surplus_words),
    failed(M::ConditionalArgs, 90, missing_words),
    failed(M::Composition, 93, missing_behind_pipe),
    failed(M::Composition, 91, refused_dash),
    failed(M::ArgValidation, 91, refused_value),
    failed(M::CommandTree, 92, refused_first_word),
    failed(M::ArgValidation, 90, refused_word),
    failed(M::ArgValidation, 84, unknown_flag).last(),
    failed(M::ApiTranslationLoss, 95, unknown_field),
    failed(M::HallucinationInputs, 92, encoded_value),
    failed(M::HallucinationInputs, 92, empty_value),
    failed(M::HallucinationInputs, 95, address_for_host),
    failed(M::ApiTranslationLoss, 92, split_value),
    failed(M::HallucinationInputs, 86, suggested_value).last(),
    failed(M::InputSyntax, 90, refused_input),
    failed(M::InputSyntax, 89, broken_file),
    failed(M::OutputFormat, 92, refused_by_parser),
    failed(M::SchemaStability, 90, missing_field),
    // Too little to be a match: worth a question.
    means(M::HallucinationInputs, 45, &[Category::RemoteNotFound, Category::PathNotFound]),
    means(M::ConditionalArgs, 40, &[Category::BadArguments]),
    // What the shell makes of the line.
    failed(M::ShellInjection, 94, ran_quoted_text).when(When::Any),
    failed(M::GlobExpansion, 92, split_path),
];

/// The name of an option that is quoted with its value.
fn stem(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// The flag that the program refuses, with the line that says so.
fn refused_flag<'t>(facts: &CallFacts<'t>) -> Option<(Stream, &'t str, String)> {
    if facts.displays() && !facts.lines().any(|(stream, _)| stream == Stream::Stderr) && facts.reading.is_none() {
        return None;
    }
    facts.found_without(K::UnknownOption, K::BadSyntax).find_map(|(stream, finding)| {
        let word = finding.name?;
        // Programs that name a single letter mean the option `-x`; a word without a dash is no flag.
        let (letter, long) = (format!("-{word}"), format!("--{}", stem(word)));
        let flag = match word {
            _ if word.starts_with('-') => word.to_owned(),
            _ if word.len() == 1 => letter,
            _ if facts.has_word(&[&long]) => long,
            _ if facts.has_word(&[&letter]) => letter,
            _ => return None,
        };
        Some((stream, finding.line, flag))
    })
}

#[expect(clippy::unnecessary_wraps, reason = "a shape answers with it")]
fn seen((stream, line, _): (Stream, &str, String)) -> Option<Seen> {
    Some(Seen::line(stream, line))
}

fn unknown_subcommand(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.call.exit_code == Some(127) {
        return None;
    }
    // Of a flag that takes one of several values argparse says the flag; of a subcommand the place.
    let of_flag = facts.finding(K::UnknownOption);
    // What a program that the call starts makes of its own words is no word of the call. `Invalid choice` names none.
    let is_of_call = |finding: &Finding<'_>| {
        // A program that takes a flag for its subcommand wants the flag elsewhere.
        if finding.name.is_some_and(|name| name.starts_with('-')) {
            return false;
        }
        let names_none = || finding.name.is_none_or(|name| name.eq_ignore_ascii_case("valid"));
        names_none() || finding.line.split_whitespace().any(|word| facts.holds_word(word))
    };
    let unknown = [K::UnknownSubcommand, K::UnknownScript].into_iter().flat_map(|kind| facts.found(kind));
    let seen =
        { unknown }.find(|(_, finding)| is_of_call(finding)).map(|(stream, found)| Seen::line(stream, found.line));
    seen.filter(|seen| of_flag.as_ref().is_none_or(|flag| flag.line != seen.line))
}

/// A word of the call that the program refuses, with the line that says so: what is refused has to be a word that was given.
fn refused_operand<'t>(facts: &CallFacts<'t>) -> Option<(Stream, Finding<'t>)> {
    let is_given = |name: &str| name.len() > 1 && !name.starts_with('-') && facts.names_in_call(name);
    // What lies outside of the program is not refused, but missing there.
    let is_of_call =
        facts.is_of(&[Category::BadArguments, Category::ConfigOrState, Category::Unknown]) && !facts.displays();
    let mut refused = facts.found(K::RefusedWord).filter(|_| is_of_call);
    refused.find(|(_, found)| found.name.is_some_and(is_given))
}

/// The first word of the call, where a subcommand stands: a plain name and no file.
fn refused_first_word(facts: &CallFacts<'_>) -> Option<Seen> {
    let (stream, found) = refused_operand(facts)?;
    let is_plain =
        |word: &str| word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_:".contains(&b));
    // Of a runner of tasks every word is one.
    let runs_tasks = facts.command()?.is(Trait::Tasks);
    let mut words = facts.command()?.args.iter().filter(|arg| !arg.starts_with('-'));
    let first = words.find(|arg| !runs_tasks || found.name == Some(arg))?;
    let is_value = facts.found(K::InvalidValue).any(|(_, value)| value.line == found.line);
    (found.name == Some(first) && is_plain(first) && !is_value && facts.finding(K::MissingFile).is_none())
        .then(|| Seen::line(stream, found.line))
}

/// Any other word of the call.
fn refused_word(facts: &CallFacts<'_>) -> Option<Seen> {
    let (stream, found) = refused_operand(facts).filter(|_| refused_first_word(facts).is_none())?;
    facts.finding(K::BadSyntax).is_none().then(|| Seen::line(stream, found.line))
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

fn refused_schema(facts: &CallFacts<'_>) -> Option<Seen> {
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
fn is_of_starter(facts: &CallFacts<'_>, flag: &str) -> bool {
    let Some(command) = facts.command() else { return false };
    let starts = |starter: &&str| {
        let wraps = command.wrappers.iter().any(|wrapper| wrapper.rsplit('/').next() == Some(starter));
        // A starter that is not taken off the line has the program among its own words.
        let behind = || command.args.iter().skip_while(|arg| arg.starts_with('-')).any(|arg| arg == flag);
        wraps || command.name() == *starter && behind()
    };
    BEFORE_PROGRAM.iter().any(|(starter, options)| options.contains(&flag) && starts(starter))
}

/// Flags that programs with subcommands have before these.
const OF_MOST: &[&str] =
    &["--output", "--format", "--verbose", "--quiet", "--config", "--debug", "--profile", "--log-level", "--namespace"];

/// A flag of the call that the program takes for its subcommand.
fn flag_for_subcommand(facts: &CallFacts<'_>) -> Option<Seen> {
    let is_flag = |found: &Finding<'_>| found.name.is_some_and(|name| name.starts_with('-') && facts.has_word(&[name]));
    let (stream, found) = facts.found(K::UnknownSubcommand).find(|(_, found)| is_flag(found))?;
    Some(Seen::line(stream, found.line))
}

/// A flag behind a positional word, where an unknown flag is refused.
fn misplaced_flag(facts: &CallFacts<'_>) -> Option<Seen> {
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
    // That the program has it elsewhere has to be seen in its usage, or to be so with most.
    let is_listed = || {
        let names = |line: &str| line.split([' ', ',', '[', ']', '|', '=']).any(|word| word == refused.2);
        OF_MOST.contains(&&*refused.2) || facts.all_lines().iter().any(|(_, line)| *line != refused.1 && names(line))
    };
    let is_elsewhere = before >= 2 && !names_similar(facts) && is_listed();
    (own && (global || too_early || is_elsewhere)).then(|| seen(refused))?
}

/// An option that is refused and that nobody gave: a file of settings or a variable adds it.
fn refused_unasked(facts: &CallFacts<'_>) -> Option<Seen> {
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
    let (script, command) = (facts.script?, facts.command()?);
    // Who runs other programs passes their errors on, and what is substituted is not seen.
    let runs_others = RUN_OTHERS.iter().any(|kind| command.is(*kind)) || command.is_by_path();
    let plain = script.programs().count() == 1 && command.wrappers.is_empty() && command.inner_script().is_none();
    if runs_others || !plain {
        return None;
    }
    let given = facts.call.command()?;
    if given.contains(['$', '`']) {
        return None;
    }
    // A word that only stands beside what is said names nothing.
    let is_quoted =
        |line: &str, name: &str| ["'", "\"", "`"].iter().any(|quote| line.contains(&format!("{quote}{name}")));
    let is_surplus = |line: &str| facts.found(K::SurplusArgument).any(|(_, found)| found.line == line);
    let tells_name = |line: &str, name: &str| name.starts_with('-') || is_quoted(line, name) && !is_surplus(line);
    let is_asked_for = |line: &str| facts.found(K::MissingArgument).any(|(_, found)| found.line == line);
    let named = facts
        .found(K::UnknownOption)
        .filter(|(_, found)| !is_asked_for(found.line))
        .find_map(|(stream, found)| Some((stream, found.line, found.name?)));
    let (stream, line, word) = named.filter(|(_, line, name)| tells_name(line, name))?;
    let name = stem(word.trim_matches(|c: char| "'\"`.,;:)-".contains(c)));
    // A letter of a cluster, or a word that the program cut, cannot be told from one that was not given.
    let whole = name.len() >= 4 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    (whole && !given.contains(name)).then(|| Seen {
        words: Some(format!("the call does not hold `{}`", crate::text::start(name, 40))),
        line: Some((stream, line.to_owned())),
    })
}

/// An option for JSON that the program does not have: what it prints is for people alone.
fn refused_json(facts: &CallFacts<'_>) -> Option<Seen> {
    let refused = refused_flag(facts).filter(|(_, _, flag)| flag == "--json")?;
    (facts.asks_json() && !facts.is_program(&["jq"]) && !names_similar(facts)).then(|| seen(refused))?
}

/// Whether the program names what it took a word for.
fn names_similar(facts: &CallFacts<'_>) -> bool {
    facts.finding(K::NameSuggested).is_some()
}

fn similar_flag(facts: &CallFacts<'_>) -> Option<Seen> {
    names_similar(facts).then(|| seen(refused_flag(facts)?))?
}

fn unknown_flag(facts: &CallFacts<'_>) -> Option<Seen> {
    if let Some(refused) = refused_flag(facts) {
        return seen(refused);
    }
    // A usage says how the program is called, and nothing of this call.
    let reading = facts.reading.as_ref()?;
    let is_of_call = reading.category == Category::BadArguments && !facts.displays();
    let line = reading.line.as_deref().filter(|line| is_of_call && !begins_usage(line))?;
    let names_given = || line.split_whitespace().any(|word| word.len() > 1 && facts.names_in_call(word));
    let tells_of_call = || {
        [K::InvalidValue, K::SurplusArgument, K::UnknownSubcommand, K::UnknownOption]
            .iter()
            .any(|kind| facts.finding(*kind).is_some())
    };
    (names_given() || tells_of_call()).then(|| Seen::line(stream_of(facts, line), line))
}

/// Whether a line begins a usage.
fn begins_usage(line: &str) -> bool {
    begins_in_any_case(line, "usage")
}

/// The stream that a line of the reading stands in.
pub(super) fn stream_of(facts: &CallFacts<'_>, line: &str) -> Stream {
    let start = crate::text::start(line, 60);
    facts.lines().find(|(_, own)| own.starts_with(start)).map_or(Stream::Either, |(stream, _)| stream)
}

fn surplus_words(facts: &CallFacts<'_>) -> Option<Seen> {
    let (stream, found) = facts.found(K::SurplusArgument).find(|(_, found)| !wants_more(facts, found.line))?;
    // A flag is refused for what it is, and a shell's `cd` for a word that fell apart.
    let is_flag = found.name.is_some_and(|name| name.starts_with('-'));
    let of_shell = facts.is_program(&["cd", "[", "test", "pushd"]);
    (!is_flag && facts.operands().count() >= 2 && !of_shell).then(|| Seen::line(stream, found.line))
}

fn missing_words(facts: &CallFacts<'_>) -> Option<Seen> {
    // Where the same line refuses a word that was given, that word is what is wrong.
    let refused = refused_operand(facts).map(|(_, found)| found.line);
    let fewer = facts.found(K::SurplusArgument).filter(|(_, found)| wants_more(facts, found.line));
    let missing = facts.found(K::MissingArgument).filter(|(_, found)| Some(found.line) != refused);
    let mut missing = missing.chain(fewer).filter(|_| !behind_pipe(facts));
    let told = missing.next().map(|(stream, found)| Seen::line(stream, found.line));
    told.or_else(|| fewer_than_usage(facts))
}

/// How many words of the call are no option, and no subcommand that the line repeats.
fn given_words(facts: &CallFacts<'_>, line: &str) -> usize {
    let is_plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let repeats = |word: &&str| is_plain(word) && line.split([' ', '"', '\'']).any(|own| own == *word);
    facts.operands().skip_while(repeats).count()
}

/// Whether a line asks for more words than the call has: `"docker tag" requires exactly 2 arguments`.
fn wants_more(facts: &CallFacts<'_>, line: &str) -> bool {
    let number = |word: &str| match word {
        "one" => Some(1),
        "two" => Some(2),
        word => word.parse::<usize>().ok(),
    };
    let mut words = line.split_whitespace().zip(line.split_whitespace().skip(1));
    let wanted = words.find_map(|(first, next)| number(first).filter(|_| next.starts_with("arg")));
    wanted.is_some_and(|wanted| given_words(facts, line) < wanted)
}

/// A usage and nothing else, of a call with fewer words than it lists without brackets.
fn fewer_than_usage(facts: &CallFacts<'_>) -> Option<Seen> {
    let (stream, first) = facts.lines().next().filter(|(_, line)| begins_usage(line))?;
    let goes_on = |line: &str| line.starts_with(['[', '<', '(']) || line.contains(" ...");
    let lines: Vec<&str> = facts.lines().map(|(_, line)| line).take(12).collect();
    let (_, behind) = lines.split_first()?;
    if !behind.iter().all(|line| goes_on(line)) {
        return None;
    }
    let usage = lines.join(" ");
    let mut depth = 0_usize;
    let is_wanted = |word: &&str| {
        let opens = word.matches(['[', '(', '{']).count();
        let is_open = depth == 0 && opens == 0;
        depth = (depth + opens).saturating_sub(word.matches([']', ')', '}']).count());
        is_open && !word.starts_with(['-', '.', '|']) && !facts.holds_word(word)
    };
    let words = usage.get(6..)?.split_whitespace().filter(|word| file_name(word) != facts.program());
    let wanted = words.filter(is_wanted).count();
    let given = given_words(facts, &usage);
    (given < wanted && wanted <= 4).then(|| Seen::line(stream, first))
}

/// Whether the command that failed is behind a pipe.
fn behind_pipe(facts: &CallFacts<'_>) -> bool {
    facts.at().is_some_and(|at| at.stage > 0)
}

fn missing_behind_pipe(facts: &CallFacts<'_>) -> Option<Seen> {
    if let Some((stream, line)) = usage_line(facts).filter(|_| behind_pipe(facts) && takes_words_alone(facts)) {
        return Some(Seen::line(stream, line));
    }
    let reads = facts.command()?.is(Trait::Looks);
    facts.finding(K::MissingArgument).filter(|_| behind_pipe(facts) && !reads)
}

/// Programs that take their objects from their words alone.
const NEVER_READ: &[&str] = &[
    "kill", "killall", "pkill", "rm", "rmdir", "cp", "mv", "ln", "mkdir", "touch", "chmod", "chown", "chgrp", "ls",
    "stat", "realpath", "basename", "dirname", "cd",
];

/// Whether the command behind a pipe takes nothing from it: what `xargs` starts gets its words from it.
fn takes_words_alone(facts: &CallFacts<'_>) -> bool {
    facts.is_program(NEVER_READ) && facts.command().is_some_and(|command| command.wrappers.is_empty())
}

/// A line with the usage of the program.
fn usage_line<'t>(facts: &CallFacts<'t>) -> Option<(Stream, &'t str)> {
    facts.line_with(&["usage: "]).filter(|(_, line)| line.len() < 300)
}

fn refused_dash(facts: &CallFacts<'_>) -> Option<Seen> {
    let is_dash = |arg: &String| arg == "-" || arg.ends_with("=-");
    facts.finding(K::RefusedDash).filter(|_| facts.command().is_some_and(|command| command.args.iter().any(is_dash)))
}

fn refused_value(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.is_of(&[Category::TestFailure, Category::LintError]) || encoded_value(facts).is_some() {
        return None;
    }
    let own_value = |line: &str| {
        facts
            .command()
            .is_some_and(|command| command.args.iter().any(|arg| arg.len() > 1 && line.contains(&format!("'{arg}'"))))
    };
    let traced = facts.line_with(&["traceback (most recent call last)"]).is_some();
    let is_missing = |line: &str| facts.found(K::MissingArgument).any(|(_, found)| found.line == line);
    let mut values = facts.found_without(K::InvalidValue, K::BadSyntax);
    let (stream, Finding { line, .. }) =
        values.find(|(_, found)| !found.line.contains("): error") && !is_missing(found.line))?;
    (!traced || own_value(line)).then(|| Seen::line(stream, line))
}

/// Values that models write for others: encoded signs, a literal null, a line end.
fn encoded_value(facts: &CallFacts<'_>) -> Option<Seen> {
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
fn address_for_host(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let is_address = |word: &str| word.contains("://");
    let by_option = command.args.windows(2).any(|pair| {
        matches!(pair, [option, value] if matches!(option.as_str(), "-h" | "--host" | "--hostname") && is_address(value))
    }) || command.args.iter().any(|arg| {
        arg.split_once('=').is_some_and(|(option, value)| matches!(option, "--host" | "--hostname") && is_address(value))
    });
    let by_word = facts.is_program(&["ping", "ssh", "scp", "nc", "telnet", "traceroute", "dig", "nslookup", "host"])
        && facts.operands().any(is_address);
    let seen = facts.finding(K::Unreachable).filter(|_| by_option || by_word)?;
    Some(Seen { words: Some("an address is given in place of a host name".to_owned()), ..seen })
}

/// A piece of a value that fell apart at a comma: the program takes it for a name of its own.
fn split_value(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let pieces = [K::UnknownOption, K::UnknownField].into_iter().flat_map(|kind| facts.found(kind));
    let (stream, line, piece) = { pieces }.find_map(|(stream, found)| Some((stream, found.line, found.name?)))?;
    let falls_apart = |arg: &String| arg.contains('=') && arg.split(',').skip(1).any(|part| part == piece);
    command
        .args
        .iter()
        .any(falls_apart)
        .then(|| Seen { words: Some("a comma in a value ends it".to_owned()), line: Some((stream, line.to_owned())) })
}

/// What a program of another language prints for no value, given as a word: the error quotes it.
fn empty_value(facts: &CallFacts<'_>) -> Option<Seen> {
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
fn suggested_value(facts: &CallFacts<'_>) -> Option<Seen> {
    // What is suggested for a word of a file that the program read is the file's affair.
    let is_of_call = |line: &str| line.split([' ', '=', ',']).any(|word| word.len() > 2 && facts.names_in_call(word));
    let (stream, found) = facts.found(K::NameSuggested).find(|(_, found)| is_of_call(found.line))?;
    (!is_of_the_work(facts) && !facts.displays()).then(|| Seen::line(stream, found.line))
}

fn unknown_field(facts: &CallFacts<'_>) -> Option<Seen> {
    let of_call = facts.command().is_some_and(|command| {
        !command.is(Trait::Looks)
            && command.args.iter().any(|arg| {
                arg.starts_with("--") || matches!(arg.as_str(), "-f" | "-F" | "-d" | "-o" | "-p") || arg.contains('=')
            })
    });
    let compiles = facts.is_of(&[Category::CompileError, Category::TestFailure]);
    facts.finding(K::UnknownField).filter(|_| of_call && !compiles)
}

/// Whether the command carries a text of the kind that a strict parser reads.
fn carries_payload(facts: &CallFacts<'_>) -> bool {
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

/// Whether a word names a file of the kind that a strict parser reads.
fn is_document(word: &str) -> bool {
    [".json", ".yaml", ".yml", ".toml", ".json5", ".jsonc", ".xml", ".plist", ".service", ".cron"]
        .iter()
        .any(|ending| word.trim_matches(|c: char| "'\"`".contains(c)).ends_with(ending))
}

/// Whether code in the call runs another program or asks a service, and reads what comes back.
fn reads_answer_in_code(facts: &CallFacts<'_>) -> bool {
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
fn parses_other_output(facts: &CallFacts<'_>) -> bool {
    let Some(script) = facts.script else { return false };
    let writes_payload = |command: &crate::shell::Command| {
        command.is(Trait::Prints) || command.is(Trait::Shows) && command.reads_here_document()
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

fn refused_input(facts: &CallFacts<'_>) -> Option<Seen> {
    let seen = facts.finding(K::BadSyntax)?;
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
    .then_some(seen)
}

/// A file of the call that the program cannot read at one of its lines: no source, which a compiler or interpreter reads.
fn broken_file(facts: &CallFacts<'_>) -> Option<Seen> {
    const READ_SOURCES: &[Trait] =
        &[Trait::Compiles, Trait::Interpreter, Trait::Shell, Trait::TakesCode, Trait::Checks];
    let reads_sources = facts.command().is_none_or(|command| READ_SOURCES.iter().any(|what| command.is(*what)));
    if facts.displays() || facts.is_of(&[Category::TestFailure]) {
        return None;
    }
    let is_line = |word: &str| word.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let names_place = |line: &str| {
        line.split_whitespace().any(|word| {
            let at = word.split_once(':').filter(|(file, place)| file.contains('.') && is_line(place));
            at.is_some_and(|(file, _)| facts.names_in_call(file))
        }) || line.split_once(" line ").is_some_and(|(before, behind)| {
            is_line(behind) && before.split_whitespace().any(|word| word.contains('.') && facts.names_in_call(word))
        })
    };
    let refuses = [K::BadSyntax, K::RefusedWord, K::ShellSyntax].into_iter().flat_map(|kind| facts.found(kind));
    // The settings of a server have words of their own: one that it does not know is no broken syntax.
    let of_server = |line: &str| [".conf:", ".cfg:", ".cnf:"].iter().any(|end| line.contains(end));
    let is_word = |found: &Finding<'_>| found.line.contains("unknown ") && of_server(found.line);
    let told = { refuses }
        .find(|(_, found)| not_a_test(facts) && !reads_sources && !is_word(found) && names_place(found.line));
    // A line that begins with a place of a file of data says what is wrong there, whatever its words.
    let is_data = |file: &str| {
        let name = file.trim_matches(['"', '\'']);
        facts.names_in_call(name) && (is_document(name) || super::environment::is_settings_file(name))
    };
    let checks = facts.command().is_some_and(|command| command.is(Trait::Checks));
    let begins_there = |line: &str| {
        let place = || line.split_once(':').is_some_and(|(file, place)| is_data(file) && is_line(place));
        !checks && (["yaml: line ", "toml: line "].iter().any(|start| line.starts_with(start)) || place())
    };
    let told = told.map(|(stream, found)| (stream, found.line));
    let (stream, line) = told.or_else(|| facts.lines().find(|(_, line)| begins_there(line)))?;
    Some(Seen::line(stream, line))
}

fn refused_by_parser(facts: &CallFacts<'_>) -> Option<Seen> {
    let seen = facts.finding(K::BadSyntax)?;
    (parses_other_output(facts) && facts.finding(K::SeveralValues).is_none()).then_some(seen)
}

/// A field that what was read does not have.
fn missing_field(facts: &CallFacts<'_>) -> Option<Seen> {
    let seen = facts.finding(K::MissingField)?;
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
    reads_data.then_some(seen)
}

/// Whether the shell that ran the line complains, and no parser of data.
fn is_of_this_shell(facts: &CallFacts<'_>) -> bool {
    // `[error] c.json: SyntaxError: Unexpected token (2:10)`: a file was read, and no line of a shell.
    let of_file = |line: &str| {
        let before = line.split_once("SyntaxError").map_or("", |(before, _)| before);
        before.split_whitespace().any(|word| word.strip_suffix(':').is_some_and(|file| file.contains('.')))
    };
    let mut found = facts.found_without(K::ShellSyntax, K::BadSyntax);
    // An interpreter that was given a file speaks of that file.
    let is_of_script = |command: &crate::shell::Command| {
        let runs = command.is(Trait::Interpreter) || command.is(Trait::TakesCode);
        runs && command.subcommands().next().is_some_and(|word| word.contains('.') && !word.contains([' ', '(']))
    };
    !is_other_shell(facts) && !facts.command().is_some_and(is_of_script) && found.any(|(_, found)| !of_file(found.line))
}

/// A word that the shell itself made several words of, or none, which a builtin of it complains of.
fn split_by_the_shell(facts: &CallFacts<'_>) -> Option<Seen> {
    const SAYS: &[&str] = &[
        "[: too many arguments",
        "[: =: unary operator expected",
        "binary operator expected",
        "cd: too many arguments",
        ": ambiguous redirect",
        ": no match: ",
    ];
    let line = facts.call.command()?;
    let expands = line.contains('$') || line.contains('*');
    let (stream, said) = facts.line_with(SAYS).filter(|(_, said)| expands && said.contains("line "))?;
    Some(Seen::line(stream, said))
}

/// Whether the shell's complaint is about a script of another shell.
fn is_other_shell(facts: &CallFacts<'_>) -> bool {
    facts
        .command()
        .is_some_and(|command| command.is(Trait::Shell) && command.inner_script().is_none() && !command.args.is_empty())
}

/// Text in double quotes that the shell ran, because it held backticks or `$( )`.
fn ran_quoted_text(facts: &CallFacts<'_>) -> Option<Seen> {
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

/// Whether the command holds a pattern that the shell replaces.
fn globs(facts: &CallFacts<'_>) -> bool {
    facts.command().is_some_and(|command| command.globs)
}

/// Whether a pattern reached the program as it was written.
fn raw_pattern(facts: &CallFacts<'_>) -> bool {
    facts.command().is_some_and(|command| command.globs && command.args.iter().any(|arg| arg.contains(['*', '?'])))
}

/// A path with blanks that fell apart: two words of the call that follow each other do not exist.
fn split_path(facts: &CallFacts<'_>) -> Option<Seen> {
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
fn refused_by_wrapper(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.call.tool.kind != ToolKind::Mcp {
        return None;
    }
    const REFUSALS: &[K] =
        &[K::UnknownOption, K::SurplusArgument, K::UnknownSubcommand, K::UnknownField, K::MissingArgument];
    let (stream, found) = REFUSALS.iter().find_map(|kind| facts.found_without(*kind, K::InvalidValue).next())?;
    Some(Seen::line(stream, found.line))
}

/// A word that is refused, and that a document told of which was read before.
fn told_before<'f>(facts: &'f CallFacts<'_>) -> Option<(Seen, &'f str, bool)> {
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

fn told_by_artifact(facts: &CallFacts<'_>) -> Option<Seen> {
    told_before(facts).filter(|(_, _, made)| *made).map(|(seen, _, _)| seen)
}

fn told_by_guide(facts: &CallFacts<'_>) -> Option<Seen> {
    told_before(facts).filter(|(_, _, made)| !made).map(|(seen, _, _)| seen)
}
