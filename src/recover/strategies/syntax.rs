//! A line that the shell, or a small language inside it, does not understand.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, Step};
use crate::shell::{PlacedWord, Script, quoted_word, with_words};
use crate::text::quoted;

pub(in super::super) fn fix_syntax(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let ways: &[fn(&Case<'_>, &str) -> Option<Mended>] =
        &[literal_pattern, bracketed_path, signs_of_equality, closed, in_bash];
    let found = ways
        .iter()
        .find_map(|way| way(case, line))
        .filter(|mended| mended.line != line && !Script::parse(&mended.line).incomplete);
    let mended = found.ok_or("which sign is wrong cannot be told from the line")?;
    let step = case.again_with(mended.line).ok_or("its command line is not whole")?;
    Ok(Offer::new(mended.why.clone(), vec![Step::work(mended.does, step, "The shell understands the line")])
        .doing(mended.does)
        .seen(mended.why))
}

struct Mended {
    line: String,
    why: String,
    does: &'static str,
}

/// A search for letters that the program takes for a pattern.
fn literal_pattern(case: &Case<'_>, line: &str) -> Option<Mended> {
    const SAYS: &[&str] = &[
        "Unmatched ( or",
        "Unmatched [",
        "Unmatched ) or",
        "unmatched",
        "regex parse error",
        "unclosed group",
        "Invalid preceding regular expression",
        "unclosed character class",
        "brackets ([ ]) not balanced",
        "parentheses not balanced",
        "repetition quantifier",
    ];
    if !case.says(SAYS) {
        return None;
    }
    let command = case.commands().find(|command| matches!(command.program.as_str(), "grep" | "egrep" | "rg" | "ag"))?;
    if command
        .args
        .iter()
        .any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(['E', 'P', 'F', 'G']))
        || command.has_arg("--extended-regexp")
    {
        return None;
    }
    let word = case.word_of(command)?;
    let before = line.get(..word.range.start)?;
    let pattern = case.arguments_of(word).find(|other| !other.text.starts_with('-'))?;
    // What a pattern alone can say is lost as letters.
    if !pattern.is_literal || pattern.text.contains(['*', '^', '$', '|', '+']) {
        return None;
    }
    let letters = pattern.text.replace('\\', "");
    let program = if command.program == "egrep" { "grep" } else { &*command.program };
    let made = with_words(line, &[(pattern, &letters)]);
    // The program stands before its pattern: its place is the same in both lines.
    let after = made.get(word.range.end..)?;
    let why = format!("{} is searched for as a pattern, and its brackets do not match", quoted(&pattern.text, 80));
    Some(Mended { line: format!("{before}{program} -F{after}"), why, does: "Search for the letters as they are" })
}

/// A path with brackets that the shell reads as its own signs.
fn bracketed_path(case: &Case<'_>, line: &str) -> Option<Mended> {
    let named = case.between("no matches found: ", "").map(str::to_owned);
    let is_syntax = case.says(&[
        "syntax error near unexpected token `('",
        "syntax error near unexpected token `)'",
        "parse error near `)'",
        "parse error near `('",
        "\"(\" unexpected",
        "Syntax error: \"(\" unexpected",
        "word unexpected (expecting \")\")",
    ]);
    if named.is_none() && !is_syntax {
        return None;
    }
    let mut made = String::with_capacity(line.len() + 8);
    let mut is_changed = false;
    for (at, part) in line.split(' ').enumerate() {
        if at > 0 {
            made.push(' ');
        }
        let is_path = part.contains('/')
            && (part.contains('(') && part.contains(')') || part.contains('[') && part.contains(']'))
            && !part.contains(['\'', '"', '$', '`', ';', '|', '&', '<', '>', '=', '\\', '\n']);
        let is_meant = named.as_deref().map_or(is_path && part.contains('('), |named| part == named);
        if is_meant {
            made.push_str(&quoted_word(part));
            is_changed = true;
        } else {
            made.push_str(part);
        }
    }
    is_changed.then(|| Mended {
        line: made,
        why: "the path holds brackets, which the shell takes for its own".to_owned(),
        does: "Quote the path",
    })
}

/// A word of `=` alone, which zsh takes for the path of a program.
fn signs_of_equality(case: &Case<'_>, line: &str) -> Option<Mended> {
    if !case.says(&["= not found"]) {
        return None;
    }
    let is_it = |word: &&PlacedWord| {
        word.text.len() > 1 && word.text.starts_with('=') && line.get(word.range.clone()) == Some(&*word.text)
    };
    let words: Vec<_> = case.words.iter().filter(is_it).collect();
    let mut made = line.to_owned();
    for word in words.iter().rev() {
        made.replace_range(word.range.clone(), &format!("'{}'", word.text.replace('\'', "")));
    }
    let why = "zsh takes a word that begins with `=` for the path of a program".to_owned();
    (!words.is_empty()).then_some(Mended { line: made, why, does: "Quote the word" })
}

/// A quote or block that was never closed.
fn closed(case: &Case<'_>, line: &str) -> Option<Mended> {
    const SAYS: &[&str] = &[
        "unexpected EOF while looking for matching",
        "unterminated quoted string",
        "unmatched '",
        "unmatched \"",
        "unexpected end of file",
        "parse error near `\\n'",
        "end of file unexpected",
    ];
    if !case.says(SAYS) {
        return None;
    }
    let why = "a quote or block of the line is never closed";
    let mended = |line: String, does| Some(Mended { line, why: why.to_owned(), does });
    if line.matches('\'').count() % 2 == 1 {
        let letters = apostrophes(line);
        if letters != line && !Script::parse(&letters).incomplete {
            return mended(letters, "Let the apostrophe be a letter");
        }
    }
    let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == ';').collect();
    let count = |word: &str| words.iter().filter(|own| **own == word).count();
    for (opens, closes) in [("if", "fi"), ("do", "done"), ("case", "esac")] {
        let made = format!("{}; {closes}", line.trim_end().trim_end_matches(';'));
        if count(opens) == count(closes) + 1 && !Script::parse(&made).incomplete {
            return mended(made, "Close the block");
        }
    }
    if !Script::parse(line).incomplete {
        return None;
    }
    ["\"", "'", ")", "\")", "}"]
        .iter()
        .map(|end| format!("{line}{end}"))
        .find(|made| !Script::parse(made).incomplete)
        .and_then(|made| mended(made, "Close what was opened"))
}

/// Apostrophes between letters as letters: `'don't'` becomes `'don'\''t'`.
fn apostrophes(line: &str) -> String {
    let signs: Vec<char> = line.chars().collect();
    let mut made = String::with_capacity(line.len() + 8);
    let mut is_double = false;
    for (at, c) in signs.iter().enumerate() {
        let letter = |at: Option<usize>| at.and_then(|at| signs.get(at)).is_some_and(|c| c.is_alphabetic());
        is_double ^= *c == '"';
        if *c == '\'' && !is_double && letter(at.checked_sub(1)) && letter(Some(at + 1)) {
            made.push_str(r"'\''");
        } else {
            made.push(*c);
        }
    }
    made
}

/// What only bash understands, where a plainer shell ran it.
fn in_bash(case: &Case<'_>, line: &str) -> Option<Mended> {
    if !case.says(&[
        "Bad substitution",
        "[[: not found",
        "Syntax error: redirection unexpected",
        "source: not found",
        "Syntax error: \"(\" unexpected",
        "declare: not found",
        "shopt: not found",
        "Illegal option -o pipefail",
    ]) {
        return None;
    }
    let why = "the line is written for bash, and a plainer shell ran it".to_owned();
    let command = case.command()?;
    if matches!(command.program.as_str(), "sh" | "dash") && !command.args.is_empty() {
        let word = case.word_of(command)?;
        let (before, after) = (line.get(..word.range.start)?, line.get(word.range.end..)?);
        return Some(Mended { line: format!("{before}bash{after}"), why, does: "Run it by bash" });
    }
    let is_script = command.is_by_path();
    let made = if is_script {
        let word = case.program_word(&command.raw)?;
        format!("{}bash {}", line.get(..word.range.start)?, line.get(word.range.start..)?)
    } else {
        format!("bash -c {}", quoted_word(line))
    };
    Some(Mended { line: made, why, does: "Run it by bash" })
}

pub(in super::super) fn use_simpler_command(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let check = Deed::Check(line.to_owned());
    let steps = vec![Step::new(
        "Let the shell read the line without running it",
        check,
        "The place where it stops, or nothing where its quotes and blocks are whole",
    )];
    Ok(Offer::new("the line holds more than one thing that can be wrong", steps)
        .doing("Check the line, then run it in smaller parts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apostrophe_becomes_a_letter() {
        assert_eq!(apostrophes("echo 'don't' \"it's\""), "echo 'don'\\''t' \"it's\"");
        assert!(!Script::parse(&apostrophes("git commit -m 'don't panic'")).incomplete);
    }
}
