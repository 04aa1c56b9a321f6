//! Calls that go on for ever because a word of theirs says so: they are made without it.

use std::ops::Range;

use super::super::case::{Case, Offer, Offered};
use super::super::step::Step;
use super::manifests::{asked_for, node_manifest_here};
use crate::model::Category;
use crate::programs::base_name;
use crate::shell::{PlacedWord, WordRole, placed_words, quoted_word};
use crate::text::quoted;

/// Words that let any program go on for ever.
const WATCHES: &[&str] = &["--watch", "--watchAll", "--watch-all", "--follow", "--looponfail"];

/// What lets a program go on for ever: the program and its subcommand, and letters of a cluster or whole words.
struct Follower {
    program: &'static str,
    subcommand: &'static str,
    letters: &'static str,
    words: &'static [&'static str],
}

const fn follows(
    program: &'static str,
    subcommand: &'static str,
    letters: &'static str,
    words: &'static [&'static str],
) -> Follower {
    Follower { program, subcommand, letters, words }
}

const FOLLOWERS: &[Follower] = &[
    follows("tail", "", "fF", &["--retry"]),
    follows("journalctl", "", "f", &[]),
    follows("dmesg", "", "wW", &["--follow-new"]),
    follows("docker", "logs", "f", &[]),
    follows("docker-compose", "logs", "f", &[]),
    follows("podman", "logs", "f", &[]),
    follows("nerdctl", "logs", "f", &[]),
    follows("kubectl", "logs", "f", &[]),
    follows("oc", "logs", "f", &[]),
    follows("kubectl", "get", "w", &["--watch-only"]),
    follows("heroku", "logs", "t", &["--tail"]),
    follows("vercel", "logs", "f", &[]),
    follows("inotifywait", "", "m", &["--monitor"]),
    follows("tsc", "", "w", &[]),
    follows("vue-tsc", "", "w", &[]),
    follows("rollup", "", "w", &[]),
    follows("webpack", "", "w", &["watch"]),
    follows("sass", "", "w", &[]),
    follows("tailwindcss", "", "w", &[]),
    follows("postcss", "", "w", &[]),
    follows("babel", "", "w", &[]),
    follows("mocha", "", "w", &[]),
    follows("ava", "", "w", &[]),
    follows("pytest", "", "f", &[]),
    follows("tsx", "watch", "", &["watch"]),
    follows("stylus", "", "w", &[]),
    follows("free", "", "s", &[]),
];

/// Programs that make a call again and again: with how many words of their own before it.
const AGAIN: &[&str] = &["watch", "nodemon", "viddy", "hwatch"];

/// What a program that would go on is told so that it ends.
const ENDS: &[(&str, &str, &str)] = &[
    ("vitest", "", "run"),
    ("ping", "", "-c 4"),
    ("ping6", "", "-c 4"),
    ("top", "", "-b -n 1"),
    ("kubectl rollout", "status", "--watch=false"),
];

/// How many of the last lines are shown where a call follows a file.
const LAST_LINES: u32 = 100;

type Edit = (Range<usize>, String);

pub(in super::super) fn run_without_following(case: &Case<'_>) -> Offered {
    if !case.is_whole() || !case.is_shell() {
        return Err("its command line is not whole");
    }
    if case.category() == Category::Unknown && !case.says(&["timed out"]) {
        return Err("nothing shows that it went on for ever");
    }
    let last = case.words.last().map_or(0, |word| word.command);
    let found = (0..=last).find_map(|number| {
        let own: Vec<&PlacedWord> = case
            .words
            .iter()
            .filter(|word| word.command == number && matches!(word.role, WordRole::Program | WordRole::Argument))
            .collect();
        edits_of(&own)
    });
    let (deed, what) = match found {
        Some((edits, what)) => (case.again_edited(edits), what),
        None => of_a_script(case).ok_or("no word of it lets it go on for ever")?,
    };
    let step = deed.ok_or("its command line is not whole")?;
    let state = format!("{} lets it go on until it is ended", quoted(&what, 60));
    let step = Step::work("Make the call so that it ends by itself", step, "What there is so far, and the end");
    Ok(Offer::new(state.clone(), vec![step]).seen(state))
}

/// The edits that let a command end, and the word that lets it go on.
fn edits_of(own: &[&PlacedWord]) -> Option<(Vec<Edit>, String)> {
    let name = |word: &&&PlacedWord| base_name(&word.text).to_owned();
    // A program in front, such as `timeout 5`, takes words of its own.
    let (at, program) = own
        .iter()
        .enumerate()
        .find(|(_, word)| {
            let name = base_name(&word.text);
            FOLLOWERS.iter().any(|row| row.program == name)
                || AGAIN.contains(&name)
                || ENDS.iter().any(|(program, _, _)| program.split(' ').next() == Some(name))
        })
        .or_else(|| own.iter().enumerate().next())?;
    let program = (*program).clone();
    let rest = own.get(at + 1..).unwrap_or_default();
    if AGAIN.contains(&base_name(&program.text)) {
        let inner = start_of_inner(rest)?;
        let made = match (base_name(&program.text), rest.get(inner)) {
            ("nodemon", Some(script)) if script.text.ends_with(".js") => format!("node {}", quoted_word(&script.text)),
            (_, Some(first)) if first.text.contains(' ') => first.text.clone(),
            (_, Some(first)) => quoted_word(&first.text),
            (_, None) => return None,
        };
        let end = rest.get(inner)?.range.end;
        return Some((vec![(program.range.start..end, made)], program.text));
    }
    let mut edits: Vec<Edit> = Vec::new();
    let mut what = None;
    let program_name = name(&&&program);
    let row = FOLLOWERS.iter().find(|row| {
        row.program == program_name
            && (row.subcommand.is_empty() || rest.iter().any(|word| word.text == row.subcommand))
    });
    for word in rest {
        let text = &word.text;
        let plain = text.split('=').next().unwrap_or(text);
        let is_off = text.ends_with("=false") || text.ends_with("=0");
        let is_word = WATCHES.contains(&plain) || row.is_some_and(|row| row.words.contains(&plain));
        if is_word && !is_off {
            edits.push((word.range.clone(), String::new()));
            what.get_or_insert_with(|| text.clone());
        } else if let Some(row) = row.filter(|_| is_cluster(text, row.map_or("", |row| row.letters))) {
            let left: String = text.chars().filter(|c| !row.letters.contains(*c)).collect();
            let left = if left == "-" { String::new() } else { quoted_word(&left) };
            edits.push((word.range.clone(), left));
            what.get_or_insert_with(|| text.clone());
        }
    }
    if program_name == "tail" && what.is_some() {
        lengthen(&program, rest, &mut edits);
    }
    if what.is_none()
        && let Some((_, subcommand, told)) = ENDS.iter().find(|(known, subcommand, _)| {
            let mut words = known.split(' ');
            words.next() == Some(&program_name)
                && words.all(|word| rest.iter().any(|own| own.text == word))
                && (subcommand.is_empty() || rest.iter().any(|own| own.text == *subcommand))
        })
    {
        let first = told.split(' ').next().unwrap_or_default();
        if rest.iter().any(|word| word.text.starts_with(first)) {
            return None;
        }
        let at = rest.iter().find(|word| word.text == *subcommand).map_or(program.range.end, |word| word.range.end);
        return Some((vec![(at..at, format!(" {told}"))], program.text));
    }
    what.map(|what| (edits, what))
}

/// Whether a word is a cluster of letters with one of these in it: `-fn`, `-f`, and not `--file` or `-n20`.
fn is_cluster(text: &str, letters: &str) -> bool {
    let Some(cluster) = text.strip_prefix('-') else { return false };
    let head: String = cluster.chars().take_while(char::is_ascii_alphabetic).collect();
    !head.is_empty()
        && head.len() <= 3
        && cluster.chars().skip(head.len()).all(|c| c.is_ascii_digit())
        && head.chars().any(|c| letters.contains(c))
}

/// What would have come is not there: more of what came already is shown.
fn lengthen(program: &PlacedWord, rest: &[&PlacedWord], edits: &mut Vec<Edit>) {
    let number = |text: &str| text.parse::<u32>().ok();
    for (at, word) in rest.iter().enumerate() {
        let text = word.text.trim_start_matches('-');
        let joined = text.strip_prefix("lines=").or_else(|| text.strip_prefix('n')).unwrap_or(text);
        if word.text.starts_with('-')
            && let Some(lines) = number(joined)
        {
            if lines < LAST_LINES {
                edits.push((word.range.clone(), format!("-n {LAST_LINES}")));
            }
            return;
        }
        let is_name = word.text == "--lines" || word.text.starts_with('-') && word.text.ends_with('n');
        if is_name && let Some(value) = rest.get(at + 1) {
            if number(&value.text).is_some_and(|lines| lines < LAST_LINES) {
                edits.push((value.range.clone(), LAST_LINES.to_string()));
            }
            return;
        }
        if word.text.starts_with("-c") || word.text.starts_with("--bytes") || word.text.starts_with('+') {
            return;
        }
    }
    edits.push((program.range.end..program.range.end, format!(" -n {LAST_LINES}")));
}

/// Where the call begins that is made again and again.
fn start_of_inner(rest: &[&PlacedWord]) -> Option<usize> {
    const VALUES: &[&str] =
        &["-n", "--interval", "-w", "--watch", "-e", "--ext", "-i", "--ignore", "-d", "--delay", "-s"];
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        if word.text == "--" {
            return Some(at + 1);
        }
        if !word.text.starts_with('-') {
            return Some(at);
        }
        at += 1 + usize::from(
            VALUES.contains(&word.text.as_str()) && !(word.text == "-d" || word.text == "-e" && at > 0),
        );
    }
    None
}

/// A script of package.json that goes on: another of its scripts that does the same once, else its own line without the
/// word that lets it go on.
fn of_a_script(case: &Case<'_>) -> Option<(Option<super::super::step::Deed>, String)> {
    let command = case.command()?;
    if !matches!(command.name(), "npm" | "pnpm" | "yarn" | "bun") {
        return None;
    }
    let name = asked_for(case)?;
    let manifest = node_manifest_here(case)?;
    let scripts = manifest.get("scripts")?.as_object()?;
    let line = scripts.get(&name)?.as_str()?;
    let words = placed_words(line)?;
    let goes_on = |words: &[PlacedWord]| {
        let own: Vec<&PlacedWord> = words.iter().filter(|word| word.role != WordRole::Target).collect();
        edits_of(&own)
    };
    let (edits, what) = goes_on(&words)?;
    let once = ["ci", "once", "run", "single", "nowatch", "no-watch"];
    let is_once = |other: &&String| {
        once.iter().any(|end| **other == format!("{name}:{end}") || **other == format!("{name}-{end}"))
            && scripts
                .get(*other)
                .and_then(|line| line.as_str())
                .and_then(placed_words)
                .is_some_and(|words| goes_on(&words).is_none())
    };
    let number = case.word_of(command)?.command;
    if let Some(other) = scripts.keys().find(is_once) {
        let is_name =
            |word: &&PlacedWord| word.command == number && word.role == WordRole::Argument && word.text == name;
        let word = case.words.iter().find(is_name)?;
        // `npm test` is short for `npm run test`.
        let before =
            case.words.iter().any(|word| word.command == number && matches!(&*word.text, "run" | "run-script"));
        let text = if before { quoted_word(other) } else { format!("run {}", quoted_word(other)) };
        return Some((case.again_with_text(word, &text), what));
    }
    let is_plain = words.iter().all(|word| word.is_literal && word.command == 0 && word.role != WordRole::Target);
    if !is_plain || case.words.iter().any(|word| word.command != 0) {
        return None;
    }
    let mut made = String::new();
    for word in &words {
        let text = match edits.iter().find(|(range, _)| *range == word.range) {
            Some((_, text)) if text.is_empty() => continue,
            Some((_, text)) => text.clone(),
            None if word.role == WordRole::Assignment => {
                let (name, value) = word.text.split_once('=')?;
                format!("{name}={}", quoted_word(value))
            }
            None => quoted_word(&word.text),
        };
        made.push_str(if made.is_empty() { "" } else { " " });
        made.push_str(&text);
        for (_, text) in edits.iter().filter(|(range, _)| range.start == word.range.end && range.is_empty()) {
            made.push_str(text);
        }
    }
    let made = format!("export PATH=\"$PWD\"/node_modules/.bin:\"$PATH\" && {made}");
    Some((case.again_with(made), what))
}
