//! Calls with more text or more names than the system takes at once: the program reads the file itself, or gets the names
//! in portions.

use std::ops::Range;

use super::super::case::{Case, Offer};
use super::super::look::FileKind;
use super::super::step::Step;
use super::lines::{Own, behind, raw};
use super::sources::{reads_option, source};
use crate::shell::{PlacedWord, WordRole, placed_words, quoted_word};
use crate::text::quoted;

/// What the system says of a call that is too long.
const SAYS: &[&str] = &["Argument list too long", "E2BIG", "Arg list too long"];

pub(super) fn shorter_call(case: &Case<'_>, line: &str) -> Option<Offer> {
    case.says(SAYS).then(|| from_the_file(case).or_else(|| in_portions(case, line)))?
}

/// How a program is told to read a file for what it takes as a word: the program, its option (none where the word stands
/// alone), and what stands in the place of both, with the file in the place of `FILE`. What begins with `<` stands at the
/// end of the program's words.
const READS_FILE: &[(&str, &[&str], &str)] = &[
    ("curl", &["-d", "--data", "--data-raw", "--data-binary", "--data-ascii"], "--data-binary @FILE"),
    ("curl", &["--json"], "--json @FILE"),
    ("git", &["-m", "--message"], "-F FILE"),
    ("gh", &["-b", "--body"], "--body-file FILE"),
    ("gh", &["-n", "--notes"], "--notes-file FILE"),
    ("psql", &["-c", "--command"], "-f FILE"),
    ("mysql", &["-e", "--execute"], "< FILE"),
    ("mariadb", &["-e", "--execute"], "< FILE"),
    ("sqlite", &[""], "< FILE"),
    ("python", &["-c"], "FILE"),
    ("node", &["-e", "--eval"], "FILE"),
    ("ruby", &["-e"], "FILE"),
    ("perl", &["-e"], "FILE"),
    ("awk", &[""], "-f FILE"),
    ("sed", &["", "-e", "--expression"], "-f FILE"),
    ("grep", &["", "-e", "--regexp"], "-f FILE"),
    ("rg", &["", "-e", "--regexp"], "-f FILE"),
    ("jq", &[""], "-f FILE"),
    ("jq", &["--arg"], "--rawfile NAME FILE"),
    ("jq", &["--argjson"], "--slurpfile NAME FILE"),
    ("kubectl", &["-p", "--patch"], "--patch-file FILE"),
    ("ansible-playbook", &["-e", "--extra-vars"], "-e @FILE"),
];

/// Ends by which a program names the option that takes a file for what another option takes as a word.
const FILE_ENDS: &[&str] = &["-file", "_file", "-from-file", "-path"];
/// Options under which programs take a file, whatever the word is called.
const FILE_OPTIONS: &[&str] = &["--from-file", "--input-file"];

/// A word that is all that a file holds, with the option before it.
struct Held<'c> {
    own: Own<'c>,
    word: &'c PlacedWord,
    file: String,
    /// The option, empty where the word stands alone.
    option: String,
    /// The words from the option on.
    range: Range<usize>,
    /// What stands between the option and the word, where a name does.
    name: &'c str,
}

/// The file of `"$(cat FILE)"` and `"$(< FILE)"`: without quotes it stands for many words.
fn held_file(raw: &str) -> Option<String> {
    let raw = raw.strip_prefix('"')?.strip_suffix('"')?;
    let inner = raw
        .strip_prefix("$(")
        .and_then(|raw| raw.strip_suffix(')'))
        .or_else(|| raw.strip_prefix('`').and_then(|raw| raw.strip_suffix('`')))?;
    let path = inner.trim().strip_prefix("cat ").or_else(|| inner.trim().strip_prefix('<'))?;
    match placed_words(path.trim())?.as_slice() {
        [word] if word.is_literal && !word.text.starts_with('-') && word.role == WordRole::Program => {
            Some(word.text.clone())
        }
        _ => None,
    }
}

fn held<'c>(case: &'c Case<'_>) -> Option<Held<'c>> {
    let mut found = Own::all(case).flat_map(|own| {
        let words: Vec<(usize, String, &str)> = own
            .args
            .iter()
            .enumerate()
            .filter_map(|(at, word)| {
                let raw = raw(case, word);
                let (option, value) = match raw.split_once('=') {
                    Some((option, value)) if option.starts_with('-') && !option.contains(['"', '$']) => (option, value),
                    _ => ("", raw),
                };
                Some((at, held_file(value)?, option))
            })
            .collect();
        words.into_iter().map(move |(at, file, option)| (own.clone(), at, file, option.to_owned()))
    });
    let (own, at, file, joined) = found.next()?;
    if found.next().is_some() || case.kind(&file).is_none() {
        return None;
    }
    let word = *own.args.get(at)?;
    let before = |back: usize| at.checked_sub(back).and_then(|at| own.args.get(at)).copied();
    let names = own.name == "jq" && before(2).is_some_and(|word| matches!(&*word.text, "--arg" | "--argjson"));
    let option = if joined.is_empty() { before(if names { 2 } else { 1 }) } else { None };
    let option = option.filter(|option| option.text.starts_with('-') && option.text.len() > 1);
    let start = option.map_or(word.range.start, |option| option.range.start);
    let name = if names { before(1).map_or("", |word| &*word.text) } else { "" };
    let text = option.map_or(joined, |option| option.text.clone());
    Some(Held { range: start..word.range.end, own, word, file, option: text, name })
}

/// The program reads the file itself in place of a word that holds all of it.
fn from_the_file(case: &Case<'_>) -> Option<Offer> {
    let held = held(case)?;
    let file = quoted_word(&held.file);
    let known = READS_FILE.iter().find(|(program, options, _)| {
        held.own.is(program) && (options.contains(&&*held.option) || options.contains(&"") && !takes_word(&held.option))
    });
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut put = |form: &str| {
        let text = form.replace("NAME", held.name).replace("FILE", &file);
        if form.starts_with('<') {
            edits.push((held.range.clone(), String::new()));
            edits.push(behind(held.own.end(), &text));
        } else {
            edits.push((held.range.clone(), text));
        }
    };
    match known {
        Some((_, options, form)) if options.contains(&"") && !options.contains(&&*held.option) => {
            // The letters before a word that stands alone stay.
            let kept = raw_range(case, held.range.start..held.word.range.start)?;
            put(&format!("{kept}{form}"));
        }
        Some((_, _, form)) => put(form),
        None => put(&told_form(case, &held)?),
    }
    if held.option == "--argjson" {
        // The variable holds a list of the file's values, of which there is one.
        for word in held.own.args.iter().filter(|word| word.range != held.word.range) {
            let own = raw(case, word);
            let name = format!("${}", held.name);
            if own.contains(&format!("{{{name}")) {
                return None;
            }
            if own.contains(&name) {
                edits.push((word.range.clone(), indexed(own, &name)));
            }
        }
    }
    let deed = case.again_edited(edits)?;
    let why = format!("{} is longer than a call may be, and the program reads files itself", quoted(&held.file, 80));
    Some(
        Offer::new(why.clone(), vec![Step::work("Let the program read the file", deed, "It takes all of it")])
            .seen(why),
    )
}

/// Whether an option is one that takes the next word: long, and without a value of its own.
fn takes_word(option: &str) -> bool {
    option.starts_with("--")
}

fn raw_range<'c>(case: &'c Case<'_>, range: Range<usize>) -> Option<&'c str> {
    case.failed.line.as_deref()?.get(range)
}

/// A text with `[0]` behind each whole name.
fn indexed(text: &str, name: &str) -> String {
    let mut made = String::with_capacity(text.len() + 8);
    let mut from = 0;
    for (at, _) in text.match_indices(name) {
        let end = at + name.len();
        let is_whole =
            !text.get(end..).and_then(|rest| rest.chars().next()).is_some_and(|c| c.is_alphanumeric() || c == '_');
        made.push_str(text.get(from..end).unwrap_or_default());
        made.push_str(if is_whole { "[0]" } else { "" });
        from = end;
    }
    made.push_str(text.get(from..).unwrap_or_default());
    made
}

/// How the project's own script, or the program's help, says that it takes a file.
fn told_form(case: &Case<'_>, held: &Held<'_>) -> Option<String> {
    let own = source(case).map(|source| source.text);
    let text = own.or_else(|| case.looks.help(&held.own.program.text, &[]))?;
    let option = &held.option;
    let long = || FILE_ENDS.iter().map(|end| format!("{option}{end}")).filter(|_| option.starts_with("--"));
    let other = FILE_OPTIONS.iter().map(|option| (*option).to_owned());
    if let Some(named) = long().chain(other).find(|named| named != option && reads_option(&text, named)) {
        return Some(format!("{named} FILE"));
    }
    let takes_at =
        ["startswith(\"@\")", "startswith('@')", "startsWith(\"@\")", "startsWith('@')", "start_with?(\"@\")"];
    if !option.is_empty() && takes_at.iter().any(|words| text.contains(words)) {
        return Some(format!("{option} @FILE"));
    }
    let reads_input = ["sys.stdin", "process.stdin", "/dev/stdin", "STDIN", "$stdin", "readFileSync(0"];
    let reads_input = reads_input.iter().any(|words| text.contains(words));
    (option.is_empty() && reads_input && held.own.args.len() <= 2).then(|| "< FILE".to_owned())
}

/// Programs that only read the files that they are given.
const READS: &[&str] = &["cat", "grep", "ls", "wc", "head", "tail", "md5sum", "sha256sum", "file", "du", "stat"];

/// More names than the system takes in one call.
fn in_portions(case: &Case<'_>, line: &str) -> Option<Offer> {
    let own = Own::all(case).find(|own| {
        let is_known = READS.contains(&own.name) || matches!(own.name, "cp" | "mv" | "tar" | "zip" | "git");
        is_known && own.args.iter().any(|arg| is_pattern(arg, line) || listed(arg, line).is_some())
    })?;
    let (many, rest): (Vec<&PlacedWord>, Vec<&PlacedWord>) =
        own.args.iter().partition(|arg| is_pattern(arg, line) || listed(arg, line).is_some());
    let patterns: Vec<&str> = many.iter().map(|arg| raw(case, arg)).collect();
    let rest: Vec<&str> = rest.iter().map(|arg| raw(case, arg)).collect();
    let names = match many.as_slice() {
        [one] if listed(one, line).is_some() => format!("{} | xargs", listed(one, line)?),
        _ if many.iter().any(|arg| listed(arg, line).is_some()) => return None,
        _ => format!("printf '%s\\0' {} | xargs -0", patterns.join(" ")),
    };
    let program = raw(case, own.program);
    let made = match (own.name, rest.as_slice()) {
        ("cp" | "mv", [options @ .., target]) => {
            let target_is_folder = own.args.last().is_some_and(|last| case.kind(&last.text) == Some(FileKind::Dir));
            if !target_is_folder || options.iter().any(|option| !option.starts_with('-')) {
                return None;
            }
            format!("{names} {program} {} -t {target} --", options.join(" ")).replace("  ", " ")
        }
        ("tar", [mode, archive]) if patterns.len() == 1 && names.starts_with("printf") && mode.contains('c') => {
            let mode = mode.trim_start_matches('-');
            format!("printf '%s\\0' {} | {program} --null -T - -{mode} {archive}", patterns.join(" "))
        }
        ("zip", [archive]) if names.starts_with("printf") => {
            format!("printf '%s\\n' {} | {program} {archive} -@", patterns.join(" "))
        }
        // Version control reads patterns itself.
        ("git", ["add", options @ ..]) if names.starts_with("printf") => {
            let quoted: Vec<String> = patterns.iter().map(|pattern| format!("'{pattern}'")).collect();
            format!("{program} add {} -- {}", options.join(" "), quoted.join(" ")).replace("  ", " ")
        }
        ("tar" | "zip" | "git" | "cp" | "mv", _) => return None,
        _ => format!("{names} {} --", [&[program], rest.as_slice()].concat().join(" ")),
    };
    let deed = case.again_with(format!("{}{made}{}", line.get(..own.program.range.start)?, line.get(own.end()..)?))?;
    let why = "there are more names than one call takes";
    Some(Offer::new(why, vec![Step::work("Give the names in portions", deed, "It ends for all of them")]).seen(why))
}

fn is_pattern(word: &PlacedWord, line: &str) -> bool {
    word.text.contains(['*', '?']) && line.get(word.range.clone()) == Some(&*word.text)
}

/// Programs whose output is a list of names, and that change nothing.
const LISTS: &[&str] = &["cat ", "find ", "ls", "fd ", "rg ", "grep ", "git ls-files", "git diff"];

/// The command whose output an unquoted word stands for.
fn listed<'l>(word: &PlacedWord, line: &'l str) -> Option<&'l str> {
    let inner = line.get(word.range.clone())?.strip_prefix("$(")?.strip_suffix(')')?.trim();
    let changes = ["-delete", "-exec", ">", ";", "&", "`", "$(", "\n"];
    let is_list = LISTS.iter().any(|program| inner.starts_with(program));
    (is_list && !changes.iter().any(|sign| inner.contains(sign))).then_some(inner)
}
