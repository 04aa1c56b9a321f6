//! What only people do: one list for the hook and the commands. A courtesy between tools, no boundary: who has a shell can do
//! what its user can do.

use crate::model::{ToolCall, ToolInput};
use crate::programs::Trait;
use crate::shell::{Redirection, RedirectionKind, Script};
use crate::text::file_name;

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
    PeopleCommand { with: "--apply", ..row("diagnose", "write rules that the client loads") },
    PeopleCommand { with: "--without-check", ..row("plan done", "end a node without its check") },
    PeopleCommand { with: "--write", ..row("lessons", "write lines that the client loads") },
    PeopleCommand { with: "--write", ..row("kb lessons", "write lines that the client loads") },
];

/// The executable.
const NAME: &str = "failwise";
/// Programs that show their words, or look for them.
const SHOW: &[&str] = &["echo", "printf", "man", "which", "type"];

/// What a person may do with a command of a line, by its words behind the name; None where anybody may.
fn only_for_people<S: AsRef<str>>(args: &[S], line: &str) -> Option<&'static PeopleCommand> {
    // `--color never kb import`, `data --color never purge`: whether an option has a value is not looked up.
    let words = || args.iter().map(AsRef::as_ref);
    let is_option = |word: &str| word.starts_with('-');
    let opens = |word: &str| word.starts_with("--") && !word.contains('=');
    let before = std::iter::once("").chain(words());
    let plain: Vec<&str> = words().filter(|word| !is_option(word)).collect();
    let without_values: Vec<&str> =
        words().zip(before).filter(|(word, before)| !is_option(word) && !opens(before)).map(|(word, _)| word).collect();
    let may_have = |option: &str| words().any(|word| may_be(word.split('=').next().unwrap_or_default(), option, line));
    let has = |option: &str| words().any(|word| word == option);
    PEOPLE_COMMANDS.iter().find(|command| {
        let words = command.words.split(' ').count();
        let is_it = |given: &Vec<&str>| {
            let is_with = match command.with {
                "" => true,
                "FILE" => given.len() > words,
                option => may_have(option),
            };
            let mut both = command.words.split(' ').zip(given);
            is_with && given.len() >= words && both.all(|(word, given)| may_be(given, word, line))
        };
        (is_it(&plain) || is_it(&without_values))
            && (command.without.is_empty() || !has(command.without))
            && !has("--help")
    })
}

/// Whether a call may be one of a person's: a look at the words, before anything is parsed.
pub fn may_be_for_people(call: &ToolCall<'_>) -> bool {
    matches!(&call.input, ToolInput::Command { command, .. } if command.contains(NAME) || may_become(command))
}

/// Whether a shell may make the executable's name of a word of a line that does not name it.
fn may_become(line: &str) -> bool {
    let ends = |sign: char| sign.is_ascii_whitespace() || matches!(sign, ';' | '|' | '&' | '(' | ')' | '<' | '>');
    // Nearly all words hold another letter, and no sign that makes one.
    let is_other = |sign: char| sign.is_ascii_alphanumeric() && !NAME.contains(sign);
    let may_become = |word: &str| {
        let is_made = word.contains(['{', '[', '$', '\\']) || !file_name(word).contains(is_other);
        is_made && word.contains(SIGNS) && unbraced(word).iter().any(|word| may_be(file_name(word), NAME, ""))
    };
    line.contains("$'") || line.split(ends).any(may_become)
}

/// What a call runs that only people do, in the foreground or not, itself or in the words of another program.
pub fn is_for_people(call: &ToolCall<'_>) -> Option<&'static PeopleCommand> {
    let ToolInput::Command { command: line, .. } = &call.input else { return None };
    let script = Script::parse(line);
    script.programs().find_map(|(at, command)| {
        let words: Vec<String> =
            std::iter::once(&command.raw).chain(&command.args).flat_map(|it| unbraced(it)).collect();
        let (program, args) = words.split_first()?;
        if may_be(file_name(program), NAME, line) || command.name() == NAME {
            return only_for_people(args, line);
        }
        let is_code = |one: &Redirection| command.is(Trait::Shell) && one.kind == RedirectionKind::HereString;
        let feeds = script.readers(at).any(|reader| reader.is(Trait::Shell) && reader.inner_script().is_none());
        let is_shown = (command.only_looks() || SHOW.contains(&command.name())) && !feeds;
        // Another program runs it: `xargs failwise trust`, a line for an interpreter. What else stands in quotes is a text.
        let before = std::iter::once("").chain(command.args.iter().map(String::as_str));
        let is_run = |(word, before): &(&String, &str)| feeds || !word.contains(' ') || takes_code(before);
        let own = command.args.iter().zip(before).filter(is_run).map(|(word, _)| word.as_str()).filter(|_| !is_shown);
        let read = command.redirections.iter().filter(|one| feeds || is_code(one)).map(|one| one.target.as_str());
        in_words(&own.chain(read).collect::<Vec<_>>(), line)
    })
}

/// Whether what follows an option is code: `-c`, `-qc`, `-e`, `--eval`, `--command`.
fn takes_code(option: &str) -> bool {
    let is_short = option.starts_with('-') && !option.starts_with("--") && option.ends_with(['c', 'e']);
    is_short || ["--eval", "--command", "--exec", "--run"].contains(&option)
}

fn in_words(args: &[&str], line: &str) -> Option<&'static PeopleCommand> {
    let text = args.join(" ").replace("\\n", " ");
    let is_sign = |sign: char| matches!(sign, '\'' | '"' | '(' | ')' | ',' | '[' | ']' | ';' | ' ' | '&' | '|' | '\n');
    let words: Vec<&str> = text.split(is_sign).filter(|word| !word.is_empty()).collect();
    let starts = words.iter().enumerate().filter(|(_, word)| file_name(word) == NAME);
    starts.filter_map(|(at, _)| words.get(at + 1..)).find_map(|args| only_for_people(args, line))
}

/// The signs of which a shell makes something else.
const SIGNS: &[char] = &['*', '?', '[', '{', '\\', '\'', '"', '$', '`'];
/// The most words that are made of one by its braces, and the longest one that is looked at, in bytes.
const MOST_WORDS: usize = 64;
const LONGEST_WORD: usize = 256;

/// The words that a shell makes of one by its braces.
fn unbraced(word: &str) -> Vec<String> {
    let (mut open, mut done) = (vec![word.to_owned()], Vec::new());
    while let Some(word) = open.pop() {
        let may_have = word.len() <= LONGEST_WORD && open.len() + done.len() < MOST_WORDS;
        match Some(&word).filter(|_| may_have).and_then(|word| choices_of(word)) {
            Some((front, choices, back)) => open.extend(choices.iter().rev().map(|it| [front, it, back].concat())),
            None => done.push(word),
        }
    }
    done
}

/// What stands before the first braces with a choice, the choices, and what stands behind; of a row of signs any.
fn choices_of(word: &str) -> Option<(&str, Vec<&str>, &str)> {
    word.match_indices('{').find_map(|(at, _)| {
        let (front, inner) = (word.get(..at)?, word.get(at + 1..)?);
        let (mut depth, mut from, mut choices) = (0_usize, 0, Vec::new());
        for (place, sign) in inner.char_indices() {
            match sign {
                '{' => depth += 1,
                ',' if depth == 0 => {
                    choices.push(inner.get(from..place)?);
                    from = place + 1;
                }
                '}' if depth == 0 => {
                    let last = inner.get(from..place)?;
                    let is_row = choices.is_empty() && last.contains("..");
                    choices.push(if is_row { "*" } else { last });
                    let is_choice = (is_row || choices.len() > 1) && !front.ends_with('$');
                    return is_choice.then_some((front, choices, inner.get(place + 1..)?));
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        None
    })
}

/// Whether a shell may make `name` of a word without braces: quotes are nothing, a pattern is any name that it fits, and a
/// variable or another command's output anything beside letters of its own, and alone what the line names.
fn may_be(word: &str, name: &str, line: &str) -> bool {
    if word == name || !word.contains(SIGNS) || word.len() > LONGEST_WORD {
        return word == name;
    }
    let (mut pattern, mut rest) = (String::new(), word);
    let (mut is_filled, mut has_own) = (false, false);
    while let Some(sign) = rest.chars().next() {
        let after = rest.get(sign.len_utf8()..).unwrap_or_default();
        rest = match sign {
            '\'' | '"' => after,
            '$' | '`' => {
                is_filled = true;
                pattern.push('*');
                behind_filled(sign, after)
            }
            '\\' => {
                let (behind, is_coded) = behind_code(after);
                pattern.extend(is_coded.then_some('?'));
                behind
            }
            // Braces without a choice are themselves.
            '{' | '}' => return false,
            _ => {
                has_own |= !matches!(sign, '*' | '?');
                pattern.push(sign);
                after
            }
        };
    }
    let is_named = !is_filled || has_own || line.contains(name);
    is_named && !pattern.starts_with('!') && fast_glob::glob_match(&pattern, name)
}

/// What stands behind a variable or a command whose output is put in, given the sign that it begins with.
fn behind_filled(sign: char, after: &str) -> &str {
    let end = match after.chars().next() {
        _ if sign == '`' => after.find('`').map_or(after.len(), |at| at + 1),
        Some('{') => after.find('}').map_or(after.len(), |at| at + 1),
        Some('(') => after.rfind(')').map_or(after.len(), |at| at + 1),
        Some('@' | '*' | '#' | '?' | '!' | '-') => 1,
        _ => after.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count(),
    };
    after.get(end..).unwrap_or_default()
}

/// What stands behind a sign that is written by its number (`\x66`, `\146`), and whether it is so written.
fn behind_code(after: &str) -> (&str, bool) {
    let digits = |text: &str, most: usize, is: fn(&u8) -> bool| text.bytes().take(most).take_while(is).count();
    let length = match after.strip_prefix(['x', 'u']) {
        Some(hex) => digits(hex, if after.starts_with('x') { 2 } else { 4 }, u8::is_ascii_hexdigit) + 1,
        None => digits(after, 3, u8::is_ascii_digit),
    };
    (after.get(length..).unwrap_or_default(), length > usize::from(after.starts_with(['x', 'u'])))
}
