//! A line that the shell, or a small language inside it, does not understand.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use super::lines::{Mended, Own, raw};
use super::mends::read_without_returns;
use crate::model::{Category, FindingKind as Kind};
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
        torn_address,
        wider_pattern,
        signs_of_equality,
        spaces_in_a_name,
        torn_expression,
        torn_text,
        expanded_pattern,
        signs_in_a_name,
        closed,
        equal_and_not,
        another_delimiter,
        whole_names,
        home_in_quotes,
        names_by_line,
        too_many_names,
        plain_pattern,
        quoted_key,
        path_in_expression,
    ];
    let is_whole = |mended: &Mended| mended.line != line && !Script::parse(&mended.line).incomplete;
    let found = ways.iter().find_map(|way| way(case, line).filter(is_whole));
    let mended = found.ok_or("the line does not show which character is wrong")?;
    let step = case.again_with(mended.line).ok_or("its command line is not whole")?;
    Ok(Offer::explained(mended.why, vec![PlanStep::work(mended.does, step, "The shell understands the line")])
        .doing(mended.does))
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

/// An address whose `&` ends the command, as the shell reads it.
fn torn_address(_: &Case<'_>, line: &str) -> Option<Mended> {
    let at = line.find("://")?;
    let start = line.get(..at)?.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let ends = |c: char| c.is_whitespace() || "'\"<>|;()`$".contains(c);
    let end = line.get(at..)?.find(ends).map_or(line.len(), |end| at + end);
    let address = line.get(start..end)?.trim_end_matches('&');
    let is_torn = address.split_once('?').is_some_and(|(_, query)| query.contains('&') && !query.contains("&&"));
    let is_bare = is_torn && address.starts_with(|c: char| c.is_ascii_alphabetic());
    let made = format!("{}{}{}", line.get(..start)?, quoted_word(address), line.get(start + address.len()..)?);
    let why = "the address contains an `&`, at which the shell ends the command".to_owned();
    is_bare.then_some(Mended { line: made, why, does: "Quote the address" })
}

/// A pattern of another engine, whose option the program itself names.
fn wider_pattern(case: &Case<'_>, _: &str) -> Option<Mended> {
    let own = Own::of(case, &["rg"]).filter(|_| case.printed().names("--pcre2"))?;
    let line = case.edited_line(vec![super::lines::behind(own.program.range.end, "-P")])?;
    let why = "the pattern is of Perl, and `rg` names the option that reads it".to_owned();
    Some(Mended { line, why, does: "Read the pattern as Perl does" })
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

/// A `~` that quotes hide from the shell.
fn home_in_quotes(case: &Case<'_>, line: &str) -> Option<Mended> {
    let is_hidden = |word: &&PlacedWord| word.text.starts_with("~/") && raw(case, word).starts_with(['"', '\'']);
    let word = case.words.iter().find(is_hidden)?;
    let mut made = line.to_owned();
    made.replace_range(word.range.clone(), &format!("~/{}", quoted_word(word.text.trim_start_matches("~/"))));
    let why = "the shell leaves a `~` in quotes as it is".to_owned();
    Some(Mended { line: made, why, does: "Leave the `~` outside the quotes" })
}

/// Names with blanks that `xargs` takes apart.
fn names_by_line(case: &Case<'_>, _: &str) -> Option<Mended> {
    case.finds(&[Kind::MissingFile, Kind::Unclosed]).then_some(())?;
    let own = Own::of(case, &["xargs"])?;
    let is_split = case
        .looks
        .find(&|name| name.contains([' ', '\'', '"']))
        .iter()
        .any(|path| path.split(' ').all(|part| case.printed().names(part)) || path.contains(['\'', '"']));
    let has_own = own.args.iter().any(|word| matches!(&*word.text, "-0" | "-d" | "--null" | "--delimiter"));
    let line = case.edited_line(vec![super::lines::behind(own.program.range.end, "-d '\\n'")])?;
    let why = "a name has a blank, and `xargs` makes several of it".to_owned();
    (is_split && !has_own).then_some(Mended { line, why, does: "Take a whole line for a name" })
}

/// A pattern for more names than a program takes at once: it is called for as many as it takes, until all are done.
fn too_many_names(case: &Case<'_>, _: &str) -> Option<Mended> {
    case.finding(Kind::ManyNames)?;
    // What makes one thing of all names would make another of each part.
    let only_looks = case.commands().all(|command| command.is(Trait::Looks) || command.is(Trait::Displays));
    let own = Own::all(case).last().filter(|_| only_looks)?;
    let is_pattern =
        |word: &&&PlacedWord| raw(case, word).contains(['*', '?']) && !raw(case, word).contains(['"', '\'', '$']);
    let word = own.args.iter().find(is_pattern).filter(|word| word.range.end == own.end())?;
    let start = own.program.range.start;
    let first = format!("printf '%s\\0' {} | xargs -0 ", raw(case, word));
    let line = case.edited_line(vec![(start..start, first), (word.range.clone(), String::new())])?;
    let why = "the names are more than one call takes".to_owned();
    Some(Mended { line, why, does: "Hand the names on in parts" })
}

/// A pattern that is meant letter by letter: its text stands in the file.
fn plain_pattern(case: &Case<'_>, _: &str) -> Option<Mended> {
    let own = Own::of(case, crate::programs::words::SEARCHERS)?;
    let [pattern, files @ ..] = &own.args.iter().filter(|word| !word.text.starts_with('-')).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let holds =
        |word: &&&&PlacedWord| case.looks.text(&case.at(&word.text)).is_some_and(|text| text.contains(&pattern.text));
    files.iter().find(holds).filter(|_| pattern.text.contains(['(', '[', '*', '+', '?', '{', '\\']))?;
    let others = own.args.iter().filter(|word| matches!(&*word.text, "-E" | "-P" | "-G"));
    let mut edits: Vec<_> = others.map(|word| (word.range.clone(), String::new())).collect();
    edits.push(super::lines::behind(own.program.range.end, "-F"));
    let line = case.edited_line(edits)?;
    let why = format!("{} is in the file letter by letter, and is no expression", quoted(&pattern.text, 60));
    Some(Mended { line, why, does: "Search for the text itself" })
}

/// A key with a dash in a filter of jq, which takes it for a minus.
fn quoted_key(case: &Case<'_>, _: &str) -> Option<Mended> {
    let own = Own::of(case, &["jq"])?;
    let filter = own.args.iter().find(|word| word.text.starts_with('.') && word.is_literal)?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut keys = filter.text.split(|c: char| !is_letter(c)).filter(|key| key.contains('-') && key.len() > 2);
    let key = keys.next().filter(|_| keys.next().is_none() && !filter.text.contains('"'))?;
    let texts = own.args.iter().filter_map(|word| case.looks.text(&case.at(&word.text)));
    texts.into_iter().find(|text| text.contains(&format!("\"{key}\"")))?;
    let made = filter.text.replacen(&format!(".{key}"), &format!(".\"{key}\""), 1);
    let line = case.edited_line(vec![(filter.range.clone(), quoted_word(&made))])?;
    let why = format!("{} has a dash, and jq takes it for a minus", quoted(key, 60));
    (made != filter.text).then_some(Mended { line, why, does: "Quote the key" })
}

/// An expression of `sed` with a path in it: divided where its first part stands in the file.
fn path_in_expression(case: &Case<'_>, _: &str) -> Option<Mended> {
    let own = Own::of(case, &["sed"])?;
    let word = own
        .args
        .iter()
        .find(|word| word.is_literal && word.text.starts_with("s/") && word.text.matches('/').count() > 3)?;
    let (body, flags) = word.text.strip_prefix("s/")?.rsplit_once('/')?;
    let texts: Vec<String> = own.args.iter().filter_map(|word| case.looks.text(&case.at(&word.text))).collect();
    let stands = |pattern: &str| {
        let mut parts =
            pattern.split(".*").flat_map(|part| part.split(['^', '$', '\\'])).filter(|part| !part.is_empty());
        !pattern.is_empty() && texts.iter().any(|text| parts.all(|part| text.contains(part)))
    };
    let splits = body.match_indices('/').filter_map(|(at, _)| Some((body.get(..at)?, body.get(at + 1..)?)));
    let (pattern, new) = splits.clone().rev().find(|(pattern, _)| stands(pattern))?;
    // Where a shorter part stands elsewhere, too, nobody knows which of the two was meant.
    let times = |pattern: &str| texts.iter().map(|text| text.matches(pattern).count()).sum::<usize>();
    if splits.into_iter().any(|(other, _)| other.len() < pattern.len() && times(other) > times(pattern)) {
        return None;
    }
    let sign = ['|', '#', ','].into_iter().find(|sign| !word.text.contains(*sign))?;
    let line = case
        .edited_line(vec![(word.range.clone(), quoted_word(&format!("s{sign}{pattern}{sign}{new}{sign}{flags}")))])?;
    let why = "the expression contains the sign that divides it".to_owned();
    Some(Mended { line, why, does: "Divide the expression by another sign" })
}

/// A loop's variable without quotes, whose value has blanks: the shell makes several words of it.
fn whole_names(case: &Case<'_>, line: &str) -> Option<Mended> {
    case.finding(Kind::MissingFile)?;
    let names = line.split("for ").skip(1).filter_map(|rest| rest.split_once(" in ")).map(|(name, _)| name);
    let names: Vec<String> = names.map(|name| format!("${name}")).collect();
    let is_bare =
        |word: &&PlacedWord| word.role == WordRole::Argument && names.iter().any(|name| raw(case, word) == name);
    let words: Vec<_> = case.words.iter().filter(is_bare).collect();
    if case.looks.is_looking() && case.looks.find(&|name| name.contains(' ')).is_empty() {
        return None;
    }
    let mut made = line.to_owned();
    for word in words.iter().rev() {
        made.replace_range(word.range.clone(), &format!("\"{}\"", raw(case, word)));
    }
    // A listing is taken apart at its blanks, the names that a pattern fits are not.
    if let Some((before, rest)) = made.clone().split_once("$(ls ")
        && let Some((pattern, after)) = rest.split_once(')')
        && pattern.contains('*')
        && !pattern.starts_with('-')
    {
        made = format!("{before}{pattern}{after}");
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
    if line.matches('\'').count() == 1 && !line.contains('"') {
        return mended(line.replace('\'', "\\'"), "Let the apostrophe be a letter");
    }
    // What follows the text is the shell's own: a redirection, a pipe, another command.
    let opened = line.rfind(['"', '\'']);
    let ends = [" > ", " >> ", " 2>", " | ", " && ", " || ", "; "];
    let end = opened.and_then(|at| ends.iter().filter_map(|end| Some(at + line.get(at..)?.find(end)?)).min());
    if let (Some(at), Some(end)) = (opened, end) {
        let sign = line.get(at..=at).unwrap_or_default();
        let made = format!("{}{sign}{}", line.get(..end).unwrap_or_default(), line.get(end..).unwrap_or_default());
        if !Script::parse(&made).incomplete {
            return mended(made, "Close what was opened");
        }
    }
    ["\"", "'", ")", "\")", "}"]
        .iter()
        .map(|end| format!("{line}{end}"))
        .find(|made| !Script::parse(made).incomplete)
        .and_then(|made| mended(made, "Close what was opened"))
}

/// A name with blanks that no quotes hold together, where such a name is there.
fn spaces_in_a_name(case: &Case<'_>, line: &str) -> Option<Mended> {
    let is_told = case.finds(&[Kind::MissingFile, Kind::SurplusArgument]) || case.category() == Category::ShellSyntax;
    (is_told && case.looks.is_looking()).then_some(())?;
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

/// An expression of `sed` without quotes that blanks tear: its words are put together until it is whole.
fn torn_expression(case: &Case<'_>, line: &str) -> Option<Mended> {
    let own = Own::of(case, &["sed"])?;
    let begins =
        |word: &&PlacedWord| word.is_literal && raw(case, word).starts_with("s/") && word.text.matches('/').count() < 3;
    let at = own.args.iter().position(begins)?;
    let first = own.args.get(at)?;
    let run = own.args.iter().skip(at + 1).take(8).find_map(|last| {
        let text = line.get(first.range.start..last.range.end)?;
        (text.matches('/').count() == 3).then_some((text, last.range.end))
    });
    let (text, end) = run.filter(|(text, _)| !text.contains(['\'', '"', '\\', '$']))?;
    let made = case.edited_line(vec![(first.range.start..end, quoted_word(text))])?;
    Some(Mended {
        line: made,
        why: "the shell split the expression at its blanks".to_owned(),
        does: "Quote the expression",
    })
}

/// A text of several words without quotes: a message, or a pattern that stands so in the file.
fn torn_text(case: &Case<'_>, line: &str) -> Option<Mended> {
    const TEXTS: &[&str] = &["-m", "-am", "--message", "--title", "--body", "--subject"];
    let bare = |word: &&&PlacedWord| {
        word.is_literal && !word.text.starts_with('-') && line.get(word.range.clone()) == Some(&*word.text)
    };
    let is_gone = |word: &PlacedWord| case.kind(&word.text).is_none();
    Own::all(case).find_map(|own| {
        let at = own.args.iter().position(|word| TEXTS.contains(&&*word.text));
        let is_message = at.is_some()
            && crate::programs::find(own.name)
                .is_some_and(|known| known.has(Trait::VersionControl) || !known.subcommands.is_empty());
        let first = if is_message { at? + 1 } else { own.args.iter().position(|word| !word.text.starts_with('-'))? };
        let run: Vec<&PlacedWord> = own.args.iter().skip(first).take_while(|word| bare(word)).copied().collect();
        let searches = crate::programs::words::SEARCHERS.contains(&own.name);
        let torn = |words: usize| {
            let text = run.get(..words)?.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" ");
            let is_told =
                run.get(1..words)?.iter().all(|word| is_gone(word)) && case.printed().names(&run.get(1)?.text);
            let stands = || {
                own.args
                    .last()
                    .and_then(|file| case.looks.text(&case.at(&file.text)))
                    .is_some_and(|file| file.contains(&text))
            };
            (is_told && (is_message && words == run.len() || searches && stands())).then_some((text, words))
        };
        let (text, words) = (2..=run.len().min(16)).rev().find_map(torn)?;
        let made =
            case.edited_line(vec![(run.first()?.range.start..run.get(words - 1)?.range.end, quoted_word(&text))])?;
        Some(Mended { line: made, why: "the shell split the text at its blanks".to_owned(), does: "Quote the text" })
    })
}

/// A pattern that its program was to have, and that the shell replaced by the names of files: one of them is complained of.
fn expanded_pattern(case: &Case<'_>, _: &str) -> Option<Mended> {
    const TAKE_PATTERNS: &[&str] =
        &["-name", "-iname", "-path", "-ipath", "-wholename", "--include", "--exclude", "-x", "-i"];
    let is_pattern = |word: &&PlacedWord| {
        raw(case, word) == word.text && word.text.contains(['*', '?']) && !word.text.contains(['/', '$', '{'])
    };
    let names = case.looks.names(&case.at("."));
    let is_told = |word: &PlacedWord| {
        names.iter().any(|name| fast_glob::glob_match(&word.text, &name.name) && case.printed().names(&name.name))
    };
    let edits: Vec<_> = Own::all(case)
        .flat_map(|own| {
            let pairs = own
                .args
                .iter()
                .zip(own.args.iter().skip(1))
                .filter(|(option, _)| TAKE_PATTERNS.contains(&&*option.text));
            pairs.map(|(_, word)| *word).filter(is_pattern).filter(|word| is_told(word)).collect::<Vec<_>>()
        })
        .map(|word| (word.range.clone(), quoted_word(&word.text)))
        .collect();
    let line = case.edited_line(edits.clone()).filter(|_| !edits.is_empty())?;
    Some(Mended {
        line,
        why: "the shell replaced the pattern by the names of files".to_owned(),
        does: "Quote the pattern",
    })
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
