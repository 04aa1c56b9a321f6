//! A line that the shell, or a small language inside it, does not understand.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use super::lines::{Mended, Own, raw};
use super::mends::read_without_returns;
use crate::model::FindingKind as Kind;
use crate::programs::Trait;
use crate::shell::{PlacedWord, Script, WordRole, quoted_word, with_words};
use crate::text::quoted;

pub(in super::super) fn fix_syntax(case: &Case<'_>) -> Offered {
    if let Ok(offer) = read_without_returns(case) {
        return Ok(Offer { confidence: Some(0.95), ..offer });
    }
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let ways: &[fn(&Case<'_>, &str) -> Option<Mended>] = &[
        bracketed_path,
        signs_of_equality,
        spaces_in_a_name,
        signs_in_a_name,
        closed,
        equal_and_not,
        another_delimiter,
        whole_names,
    ];
    let found = ways
        .iter()
        .find_map(|way| way(case, line))
        .filter(|mended| mended.line != line && !Script::parse(&mended.line).incomplete);
    let mended = found.ok_or("the line does not show which character is wrong")?;
    let step = case.again_with(mended.line).ok_or("its command line is not whole")?;
    Ok(Offer::new(mended.why.clone(), vec![PlanStep::work(mended.does, step, "The shell understands the line")])
        .doing(mended.does)
        .seen(mended.why))
}

/// A path with brackets that the shell reads as its own signs.
fn bracketed_path(case: &Case<'_>, line: &str) -> Option<Mended> {
    let named = case.named(Kind::NoMatch);
    let is_syntax = case.finding(Kind::ShellSyntax).is_some();
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
        let stands = part.contains(['(', '[']) && case.looks.is_looking() && case.kind(part).is_some();
        let is_meant = named.map_or(is_path && part.contains('(') || stands, |named| part == named);
        if is_meant {
            made.push_str(&quoted_word(part));
            is_changed = true;
        } else {
            made.push_str(part);
        }
    }
    is_changed.then(|| Mended {
        line: made,
        why: "the path contains brackets, which the shell interprets".to_owned(),
        does: "Quote the path",
    })
}

/// An expression of `sed` whose text brings the stroke that divides it: `s/ROOT/$PWD/`.
fn another_delimiter(case: &Case<'_>, line: &str) -> Option<Mended> {
    let own = Own::of(case, &["sed"])?;
    let is_it = |written: &str| {
        let bare = written.trim_matches('"');
        bare.len() + 2 == written.len()
            && bare.starts_with("s/")
            && bare.contains('$')
            && bare.matches('/').count() == 3
    };
    let word = own.args.iter().find(|word| is_it(raw(case, word)))?;
    let other = ['|', '#', ','].into_iter().find(|sign| !raw(case, word).contains(*sign))?;
    let mut made = line.to_owned();
    made.replace_range(word.range.clone(), &raw(case, word).replace('/', &other.to_string()));
    Some(Mended {
        line: made,
        why: "the value of the variable contains the sign that divides the expression".to_owned(),
        does: "Divide the expression by another sign",
    })
}

/// A loop's variable without quotes, whose value has blanks: the shell makes several words of it.
fn whole_names(case: &Case<'_>, line: &str) -> Option<Mended> {
    case.finding(Kind::MissingFile)?;
    let names = line.split("for ").skip(1).filter_map(|rest| rest.split_once(" in ")).map(|(name, _)| name);
    let names: Vec<String> = names.map(|name| format!("${name}")).collect();
    let is_bare =
        |word: &&PlacedWord| word.role == WordRole::Argument && names.iter().any(|name| raw(case, word) == name);
    let words: Vec<_> = case.words.iter().filter(is_bare).collect();
    let mut made = line.to_owned();
    for word in words.iter().rev() {
        made.replace_range(word.range.clone(), &format!("\"{}\"", raw(case, word)));
    }
    Some(Mended {
        line: made,
        why: "a name has a blank, and the shell makes several words of it".to_owned(),
        does: "Quote the variable",
    })
}

/// A word of `=` alone, which zsh takes for the path of a program.
fn signs_of_equality(case: &Case<'_>, line: &str) -> Option<Mended> {
    case.finding(Kind::EqualsWord)?;
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
    case.finding(Kind::Unclosed)?;
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

/// A name with blanks that no quotes hold together, where such a name is there.
fn spaces_in_a_name(case: &Case<'_>, line: &str) -> Option<Mended> {
    case.finding(Kind::MissingFile).filter(|_| case.looks.is_looking())?;
    let bare = |word: &&PlacedWord| {
        word.is_literal && word.role != WordRole::Assignment && line.get(word.range.clone()) == Some(&*word.text)
    };
    let words: Vec<&PlacedWord> = case.words.iter().collect();
    for (at, first) in words.iter().enumerate().filter(|(_, word)| bare(word) && word.role == WordRole::Argument) {
        for more in (1..=4).rev() {
            let Some(run) = words.get(at..=at + more) else { continue };
            let fits =
                run.iter().all(|word| bare(word) && word.command == first.command && word.role == WordRole::Argument);
            let name = run.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" ");
            // The folder of a `cd` is told from where the line begins.
            if !fits || case.looks.kind(&name).is_none() && case.kind(&name).is_none() {
                continue;
            }
            let made = case.edited_line(vec![(first.range.start..run.last()?.range.end, quoted_word(&name))])?;
            let why = format!("the name {} contains spaces, and the shell split it", quoted(&name, 80));
            return Some(Mended { line: made, why, does: "Quote the name" });
        }
    }
    None
}

/// A name that is there and holds signs of the shell, as it stands in the line.
fn signs_in_a_name(case: &Case<'_>, line: &str) -> Option<Mended> {
    case.finds(&[Kind::ShellSyntax, Kind::Unclosed]).then_some(())?;
    let there = case.looks.names(".").into_iter().map(|name| name.name);
    let mut named =
        there.filter(|name| name.contains(['(', ')', '\'', '&', ';']) && line.matches(name.as_str()).count() == 1);
    let name = named.next().filter(|_| named.next().is_none())?;
    let at = line.find(&name)?;
    let (before, after) = (line.get(..at)?, line.get(at + name.len()..)?);
    let is_bare =
        before.ends_with(' ') && (after.is_empty() || after.starts_with(' ')) && !before.contains(['"', '\'']);
    let why = format!("the name {} contains characters that the shell interprets", quoted(&name, 80));
    is_bare.then(|| Mended { line: format!("{before}{}{after}", quoted_word(&name)), why, does: "Quote the name" })
}

/// `!=` for jq, which some shells hand on as `\!=`.
fn equal_and_not(case: &Case<'_>, line: &str) -> Option<Mended> {
    case.finding(Kind::EscapedBang)?;
    // Others take a filter of jq behind an option.
    let is_filter = |word: &&PlacedWord| word.is_literal && word.role == WordRole::Argument && word.text.contains("!=");
    let takes_filters =
        case.commands().any(|command| command.is(Trait::Filters) || command.has_arg("--jq") || command.has_arg("-q"));
    let word = case.words.iter().find(is_filter).filter(|_| takes_filters)?;
    let mut made = word.text.replace("\\!=", "!=");
    while let Some(at) = made.find("!=") {
        let (before, after) = (made.get(..at)?.trim_end(), made.get(at + 2..)?.trim_start());
        let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '?');
        let from = before.len() - before.chars().rev().take_while(|c| is_path(*c)).map(char::len_utf8).sum::<usize>();
        let value = match after.strip_prefix('"') {
            Some(text) => {
                text.find(['"', '\\']).filter(|end| text.get(*end..).is_some_and(|rest| rest.starts_with('"')))? + 2
            }
            None => after.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))).unwrap_or(after.len()),
        };
        let (path, value, rest) = (before.get(from..)?, after.get(..value)?, after.get(value..)?);
        if path.is_empty() || value.is_empty() || rest.trim_start().starts_with(['+', '-', '*', '/', '(']) {
            return None;
        }
        made = format!("{}({path} == {value} | not){rest}", before.get(..from)?);
    }
    Some(Mended {
        line: with_words(line, &[(word, &made)]),
        why: "the shell put a backslash before the `!`".to_owned(),
        does: "Ask for what is not equal without a `!`",
    })
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

pub(in super::super) fn use_simpler_command(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if let Some(offer) = shape_of_data(case, line) {
        return Ok(offer);
    }
    if case.finding(Kind::UnsetVariable).is_some() {
        return Err("a variable is not set: the syntax is right");
    }
    let hides = |word: &PlacedWord| word.role == WordRole::Target && word.text == "/dev/null";
    if case.words.iter().any(hides) && case.printed().is_blank() {
        return Err("its output was discarded");
    }
    let check = Deed::Check(line.to_owned());
    let steps = vec![PlanStep::new(
        "Let the shell read the line without running it",
        check,
        "The place where it stops, or nothing where its quotes and blocks are whole",
    )];
    Ok(Offer::new("more than one part of the line can be wrong", steps)
        .doing("Check the line, then run it in smaller parts"))
}

/// A filter of jq that is not understood or does not fit: what the data look like is looked at first.
fn shape_of_data(case: &Case<'_>, line: &str) -> Option<Offer> {
    if case.finding(Kind::BadFilter).is_none() || crate::decide::may_have_taken_effect(line) {
        return None;
    }
    let by_option = case.words.iter().skip_while(|word| !matches!(word.text.as_str(), "--jq" | "-q")).nth(1);
    let of_jq = || {
        let command = case.commands().find(|command| command.is(Trait::Filters))?;
        case.arguments_of(case.word_of(command)?).find(|word| !word.text.starts_with('-'))
    };
    let filter = by_option.or_else(of_jq)?;
    let keys = "(if type == \"array\" then .[0] else . end) | if type == \"object\" then keys else . end";
    let deed = case.again_replacing(&[(filter, keys)])?;
    let look = PlanStep::new("Look what the data look like", deed, "The keys that a filter can name");
    Some(
        Offer::new("what is wrong with the filter shows by the data", vec![look])
            .doing("Look at the data, then write the filter in small parts"),
    )
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
