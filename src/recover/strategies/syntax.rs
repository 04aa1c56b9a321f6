//! A line that the shell, or a small language inside it, does not understand.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, Step};
use super::lines::Mended;
use crate::shell::{PlacedWord, Script, WordRole, quoted_word, with_words};
use crate::text::quoted;

pub(in super::super) fn fix_syntax(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let ways: &[fn(&Case<'_>, &str) -> Option<Mended>] = &[
        literal_pattern,
        bracketed_path,
        signs_of_equality,
        spaces_in_a_name,
        signs_in_a_name,
        closed_code,
        closed,
        without_returns,
        in_bash,
        assigned,
        spaced_test,
        quoted_pattern,
        equal_and_not,
        text_with_backticks,
        quoted_key,
    ];
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
    if command.has_letter('F') || command.has_arg("--extended-regexp") || command.has_arg("--perl-regexp") {
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
    let is_extended = |other: &&PlacedWord| {
        other.text.starts_with('-')
            && !other.text.starts_with("--")
            && other.text.contains(['E', 'P', 'G'])
            && other.range.end < pattern.range.start
    };
    if let Some(flags) = case.arguments_of(word).find(is_extended) {
        // The letters that make it a pattern become the one that makes it letters.
        let plain = flags.text.replace(['P', 'G'], "E").replacen('E', "F", 1);
        let made = with_words(line, &[(flags, &plain), (pattern, &letters)]);
        let why = format!("{} is searched for as a pattern, and its brackets do not match", quoted(&pattern.text, 80));
        return Some(Mended { line: made, why, does: "Search for the letters as they are" });
    }
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
        let stands = part.contains(['(', '[']) && case.looks.is_looking() && case.kind(part).is_some();
        let is_meant = named.as_deref().map_or(is_path && part.contains('(') || stands, |named| part == named);
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

/// A name with blanks that no quotes hold together, where such a name is there.
fn spaces_in_a_name(case: &Case<'_>, line: &str) -> Option<Mended> {
    if !case.looks.is_looking() || !case.says(&["No such file or directory", "too many arguments", "no such file"]) {
        return None;
    }
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
            let (start, end) = (first.range.start, run.last()?.range.end);
            let made = format!("{}{}{}", line.get(..start)?, quoted_word(&name), line.get(end..)?);
            let why = format!("the name {} holds blanks, and the shell took it for several", quoted(&name, 80));
            return Some(Mended { line: made, why, does: "Quote the name" });
        }
    }
    None
}

/// A name that is there and holds signs of the shell, as it stands in the line.
fn signs_in_a_name(case: &Case<'_>, line: &str) -> Option<Mended> {
    const SAYS: &[&str] =
        &["syntax error near unexpected token", "unexpected EOF while looking", "Syntax error:", "parse error near"];
    if !case.looks.is_looking() || !case.says(SAYS) {
        return None;
    }
    let there = case.looks.names(".").into_iter().map(|name| name.name);
    let mut named =
        there.filter(|name| name.contains(['(', ')', '\'', '&', ';']) && line.matches(name.as_str()).count() == 1);
    let name = named.next().filter(|_| named.next().is_none())?;
    let at = line.find(&name)?;
    let (before, after) = (line.get(..at)?, line.get(at + name.len()..)?);
    let is_bare =
        before.ends_with(' ') && (after.is_empty() || after.starts_with(' ')) && !before.contains(['"', '\'']);
    let why = format!("the name {} holds signs of the shell", quoted(&name, 80));
    is_bare.then(|| Mended { line: format!("{before}{}{after}", quoted_word(&name)), why, does: "Quote the name" })
}

/// Brackets of a program that stands in the line itself, which were never closed.
fn closed_code(case: &Case<'_>, line: &str) -> Option<Mended> {
    const SAYS: &[&str] = &[
        "was never closed",
        "unexpected end of input",
        "Unexpected end of input",
        "unexpected EOF while parsing",
        "missing ) after argument list",
        "unexpected newline or end of string",
        "missing } near end of file",
        "unexpected $end",
        "unexpected INVALID_CHARACTER",
        "Missing right curly",
        "unexpected end-of-input",
        "expecting '}'",
        "unterminated `s' command",
        "unterminated substitute",
    ];
    const CODE: &[&str] = &["-c", "-e", "--eval", "-p", "-pe", "-ne", "-E", "-r"];
    if !case.says(SAYS) {
        return None;
    }
    let command = case.commands().find(|command| {
        matches!(
            command.name(),
            "python" | "node" | "perl" | "ruby" | "php" | "awk" | "gawk" | "mawk" | "jq" | "sed" | "lua"
        )
    })?;
    let own: Vec<&PlacedWord> = case.arguments_of(case.word_of(command)?).collect();
    let by_flag = own.iter().position(|word| CODE.contains(&word.text.as_str())).and_then(|at| own.get(at + 1));
    let code = by_flag.or_else(|| {
        let is_small = matches!(command.name(), "awk" | "gawk" | "mawk" | "jq" | "sed");
        own.iter().find(|word| is_small && !word.text.starts_with('-'))
    })?;
    let made = closed_text(&code.text, command.name())?;
    let line = with_words(line, &[(code, &made)]);
    let why = "what the code in the line opens is never closed".to_owned();
    code.is_literal.then_some(Mended { line, why, does: "Close what the code opens" })
}

/// The code with what is open at its end closed; None where nothing is, or what closes another thing stands in it.
fn closed_text(code: &str, program: &str) -> Option<String> {
    if program == "sed" {
        let sign = code.strip_prefix('s')?.chars().next().filter(|sign| !sign.is_alphanumeric())?;
        return (code.matches(sign).count() == 2).then(|| format!("{code}{sign}"));
    }
    let trimmed = code.trim_end();
    if program == "jq" && trimmed.ends_with('|') {
        return Some(trimmed.trim_end_matches('|').trim_end().to_owned());
    }
    let mut open = Vec::new();
    let mut quote = None;
    let mut signs = code.chars();
    while let Some(c) = signs.next() {
        match (quote, c) {
            (_, '\\') => {
                signs.next();
            }
            (Some(end), c) if c == end => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, ')' | ']' | '}') if open.pop() != Some(c) => return None,
            _ => {}
        }
    }
    if quote.is_some() || open.is_empty() {
        return None;
    }
    Some(code.chars().chain(open.into_iter().rev()).collect())
}

/// A script whose lines end as on another platform: the shell that runs it is given it without the signs.
fn without_returns(case: &Case<'_>, line: &str) -> Option<Mended> {
    const SAYS: &[&str] = &[
        "required file not found",
        "bad interpreter",
        "$'\\r'",
        "\r",
        "unexpected end of file",
        "No such file or directory",
        "end of file unexpected",
        "word unexpected",
    ];
    if !case.says(SAYS) {
        return None;
    }
    let command = case.command()?;
    let word = case.word_of(command)?;
    let is_shell = matches!(command.program.as_str(), "sh" | "bash" | "dash" | "zsh");
    let script = if is_shell { case.arguments_of(word).find(|arg| !arg.text.starts_with('-'))? } else { word };
    let text = case.looks.text(&case.at(&script.text)).filter(|text| text.contains("\r\n"))?;
    let first = text.lines().next().unwrap_or_default();
    let why = "the script's lines end with carriage returns, which belong to another platform".to_owned();
    let shell = ["bash", "zsh", "dash"].into_iter().find(|shell| first.contains(shell)).unwrap_or("sh");
    let shell = if is_shell { &*command.program } else { shell };
    let path = quoted_word(&script.text);
    let made = format!("{shell} -c \"$(tr -d '\\r' < {path})\" {path}");
    let other = ["python", "node", "ruby", "perl"].iter().any(|name| first.contains(name));
    if !is_shell && (other || !first.starts_with("#!")) {
        return None;
    }
    let start = if is_shell { word.range.start } else { script.range.start };
    let line = format!("{}{made}{}", line.get(..start)?, line.get(script.range.end..)?);
    Some(Mended { line, why, does: "Run it without the carriage returns" })
}

/// An assignment with blanks around its sign.
fn assigned(case: &Case<'_>, line: &str) -> Option<Mended> {
    if !case.says(&["command not found", ": not found"]) {
        return None;
    }
    let words: Vec<&PlacedWord> = case.words.iter().collect();
    let [name, sign, value] = words.windows(3).find_map(|three| match three {
        [name, sign, value] if name.role == WordRole::Program && sign.text == "=" && name.command == value.command => {
            Some([*name, *sign, *value])
        }
        _ => None,
    })?;
    let is_name = !name.text.is_empty() && name.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let _ = sign;
    let made = format!("{}={}", line.get(..name.range.end)?, line.get(value.range.start..)?);
    let why = format!("the shell takes {} for a program: an assignment has no blanks", quoted(&name.text, 60));
    is_name.then_some(Mended { line: made, why, does: "Assign without blanks" })
}

/// A test whose brackets stand at its words.
fn spaced_test(case: &Case<'_>, line: &str) -> Option<Mended> {
    if !case.says(&["missing `]'", "missing ']'", "[: missing", "command not found"]) {
        return None;
    }
    let is_joined = |word: &&PlacedWord| {
        word.text.len() > 1
            && (word.role == WordRole::Program && word.text.starts_with('[') && !word.text.starts_with("[[")
                || word.role == WordRole::Argument && word.text.ends_with(']') && !word.text.contains('['))
    };
    let joined: Vec<&PlacedWord> = case.words.iter().filter(is_joined).collect();
    let mut made = line.to_owned();
    for word in joined.iter().rev() {
        if word.role == WordRole::Program {
            made.insert(word.range.start + 1, ' ');
        } else {
            let at = word.range.end.checked_sub(1)?;
            made.insert(at, ' ');
        }
    }
    let why = "the brackets of a test are words of their own".to_owned();
    (!joined.is_empty() && joined.len() <= 2).then_some(Mended { line: made, why, does: "Set the brackets apart" })
}

/// A pattern that the shell expanded before `find` saw it.
fn quoted_pattern(case: &Case<'_>, line: &str) -> Option<Mended> {
    if !case.says(&["paths must precede expression", "possible unquoted pattern"]) {
        return None;
    }
    let is_bare = |word: &&PlacedWord| {
        word.role == WordRole::Argument
            && word.text.contains(['*', '?'])
            && line.get(word.range.clone()) == Some(&*word.text)
    };
    let words: Vec<_> = case.words.iter().filter(is_bare).map(|word| (word, word.text.as_str())).collect();
    let why = "the shell put names in the place of the pattern".to_owned();
    (!words.is_empty()).then(|| Mended { line: with_words(line, &words), why, does: "Quote the pattern" })
}

/// `!=` for jq, which some shells hand on as `\!=`.
fn equal_and_not(case: &Case<'_>, line: &str) -> Option<Mended> {
    if !case.says(&["\\!="]) || !case.says(&["jq"]) {
        return None;
    }
    // Others take a filter of jq behind an option.
    let is_filter = |word: &&PlacedWord| word.is_literal && word.role == WordRole::Argument && word.text.contains("!=");
    let takes_filters =
        case.commands().any(|command| command.name() == "jq" || command.has_arg("--jq") || command.has_arg("-q"));
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

/// A text for people in double quotes, as Markdown: the shell runs what stands between its backticks.
fn text_with_backticks(case: &Case<'_>, line: &str) -> Option<Mended> {
    const TEXTS: &[&str] = &["--comment", "--body", "-b", "-m", "--message", "--title", "-t", "--notes", "-n"];
    let raw = |word: &PlacedWord| line.get(word.range.clone()).unwrap_or_default();
    let pairs = case.words.windows(2);
    let texts = pairs.filter(|pair| matches!(pair, [option, _] if TEXTS.contains(&option.text.as_str())));
    let word =
        texts.filter_map(<[PlacedWord]>::last).find(|word| raw(word).starts_with('"') && raw(word).contains('`'))?;
    let inside = raw(word).strip_prefix('"')?.strip_suffix('"')?;
    // What else the shell would put in is meant.
    let has_own = |text: &str| text.replace("\\$", "").contains('$') || text.replace("\\\"", "").contains('"');
    // A substitution that works is meant: the shell complains of one that is none.
    let is_none = |code: &str| {
        let name = code.split_whitespace().next().unwrap_or_default();
        let said =
            [format!("{name}: command not found"), format!("command not found: {name}"), format!(" {name}: not found")];
        !name.is_empty() && said.iter().any(|said| case.text().contains(said.as_str()))
    };
    let codes = inside.split('`').skip(1).step_by(2);
    let is_text = case.says(&["in command substitution"]) || codes.map(|code| code.trim_end_matches('\\')).any(is_none);
    if !is_text || has_own(inside) || !case.runs("gh") && !case.runs("git") && !case.runs("glab") {
        return None;
    }
    let text = ["`", "\"", "$"].iter().fold(inside.to_owned(), |text, sign| text.replace(&format!("\\{sign}"), sign));
    Some(Mended {
        line: with_words(line, &[(word, &text)]),
        why: "the shell runs what stands between backticks in double quotes".to_owned(),
        does: "Quote the text so that the shell leaves it alone",
    })
}

/// A key with a dash, which jq takes for a subtraction; a list that is asked for a key.
fn quoted_key(case: &Case<'_>, line: &str) -> Option<Mended> {
    let command = case.commands().find(|command| command.name() == "jq")?;
    let own = case.arguments_of(case.word_of(command)?);
    let filter = own.into_iter().find(|word| !word.text.starts_with('-') && word.is_literal)?;
    let (made, why) = if case.says(&["/0 is not defined"]) {
        (with_quoted_keys(&filter.text)?, "a key with a dash is quoted, else jq subtracts")
    } else if case.says(&["Cannot index array with"]) {
        let key = case
            .between("Cannot index array with \"", "\"")
            .or_else(|| case.between("Cannot index array with string \"", "\""))?;
        let plain = format!(".{key}");
        let at = filter.text.find(&plain).filter(|_| filter.text.matches(&plain).count() == 1)?;
        let (before, after) = (filter.text.get(..at)?, filter.text.get(at..)?);
        let each = if before.is_empty() { ".[]" } else { "[]" };
        (format!("{before}{each}{after}"), "it is a list, and each of its entries has the key")
    } else {
        return None;
    };
    Some(Mended {
        line: with_words(line, &[(filter, &made)]),
        why: why.to_owned(),
        does: "Write the filter as jq reads it",
    })
}

fn with_quoted_keys(filter: &str) -> Option<String> {
    let is_sign = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut made = String::with_capacity(filter.len() + 8);
    let mut rest = filter;
    while let Some(at) = rest.find('.') {
        let (before, after) = rest.split_at(at + 1);
        made.push_str(before);
        let key: String = after.chars().take_while(|c| is_sign(*c)).collect();
        if key.contains('-') && key.starts_with(char::is_alphabetic) && !key.ends_with('-') {
            made.extend(["\"", &key, "\""]);
        } else {
            made.push_str(&key);
        }
        rest = after.get(key.len()..)?;
    }
    made.push_str(rest);
    (made != filter).then_some(made)
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
    if let Some(offer) = shape_of_data(case, line) {
        return Ok(offer);
    }
    if case.says(&[": unbound variable", ": parameter not set"]) {
        return Err("a variable is not set: the line is read as it was meant");
    }
    let is_silent = || case.text().lines().all(|line| line.trim().is_empty() || line.starts_with("Exit code "));
    let hides = |word: &PlacedWord| word.role == WordRole::Target && word.text == "/dev/null";
    if case.words.iter().any(hides) && is_silent() {
        return Err("what it said was thrown away");
    }
    let check = Deed::Check(line.to_owned());
    let steps = vec![Step::new(
        "Let the shell read the line without running it",
        check,
        "The place where it stops, or nothing where its quotes and blocks are whole",
    )];
    Ok(Offer::new("the line holds more than one thing that can be wrong", steps)
        .doing("Check the line, then run it in smaller parts"))
}

/// A filter of jq that is not understood or does not fit: what the data look like is looked at first.
fn shape_of_data(case: &Case<'_>, line: &str) -> Option<Offer> {
    if !case.says(&["jq expression", "jq: error"]) || crate::decide::may_have_taken_effect(line) {
        return None;
    }
    let by_option = case.words.iter().skip_while(|word| !matches!(word.text.as_str(), "--jq" | "-q")).nth(1);
    let of_jq = || {
        let command = case.commands().find(|command| command.name() == "jq")?;
        case.arguments_of(case.word_of(command)?).find(|word| !word.text.starts_with('-'))
    };
    let filter = by_option.or_else(of_jq)?;
    let keys = "(if type == \"array\" then .[0] else . end) | if type == \"object\" then keys else . end";
    let deed = case.again_replacing(&[(filter, keys)])?;
    let look = Step::new("Look what the data look like", deed, "The keys that a filter can name");
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
