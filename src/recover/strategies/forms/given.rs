//! Arguments that are given in another way than the program takes them: at another place, in other words, without the quotes
//! that hold them together.

use crate::programs::words::{FILE_LAST, ONE_DASH};
use std::ops::Range;

use crate::recover::case::{Case, between};
use crate::recover::look::FileKind;
use crate::recover::strategies::lines::{Mended, Own, behind, raw};
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

/// Ways to mend a line, the surest first.
pub(super) const WAYS: &[fn(&Case<'_>) -> Option<Mended>] = &[
    behind_dashes,
    option_of_another,
    joined_words,
    dash_in_value,
    number_in_digits,
    date_in_form,
    swapped,
    moved_option,
    as_called_elsewhere,
    as_the_example_goes_on,
    one_at_a_time,
];

/// What tools say of an option that they do not know.
const UNKNOWN: &[&str] = &[
    "unknown option",
    "unknown switch",
    "unknown predicate",
    "unknown argument",
    "unrecognized",
    "unexpected argument",
    "wasn't expected",
    "invalid option",
    "bad option",
    "no such option",
    "not defined",
    "is unknown",
    "illegal option",
    "ambiguous argument",
    "may not specify more than one",
    "filename not matched",
    "not a valid option",
];

/// The program, an option that others have for what is meant, and its own. None behind the program: as the last word of the
/// pair says, `=` at the end of the own one where its value stands behind that sign.
#[rustfmt::skip]
const OPTIONS: &[(&str, &str, &str)] = &[
    ("git switch", "-b", "-c"), ("du", "--depth", "--max-depth"), ("jq", "--raw", "--raw-output"), ("cargo add", "-D", "--dev"),
];

/// An option that another program, or another platform, has for the same.
fn option_of_another(case: &Case<'_>) -> Option<Mended> {
    if !case.says(UNKNOWN) {
        return None;
    }
    let (own, word, right) = Own::all(case).find_map(|own| {
        own.args.iter().find_map(|word| {
            let name = word.text.split('=').next().filter(|name| name.starts_with('-'))?;
            let row = OPTIONS.iter().find(|(program, wrong, _)| *wrong == name && runs(&own, program));
            let one_dash = || {
                let is_it = ONE_DASH.contains(&own.name) && name.starts_with("--") && name.len() > 3;
                is_it.then(|| name.strip_prefix('-')).flatten()
            };
            let right = row.map(|(_, _, right)| *right).or_else(one_dash)?;
            Some((own.name.to_owned(), *word, right.to_owned()))
        })
    })?;
    let value = word.text.split_once('=').map(|(_, value)| value);
    let made = match value {
        None => right.clone(),
        Some(value) if right.starts_with("--") => quoted_word(&format!("{right}={value}")),
        Some(value) if right.is_empty() => quoted_word(value),
        Some(value) => format!("{right} {}", quoted_word(value)),
    };
    let line = case.edited_line(vec![(word.range.clone(), made)])?;
    let why = format!("{own} has no option {}, and has {} for it", quoted(&word.text, 60), quoted(&right, 40));
    Some(Mended { line, why, does: "Use the program's own option" })
}

/// Whether it is this program with these words among its own.
fn runs(own: &Own<'_>, words: &str) -> bool {
    let mut words = words.split(' ');
    words.next().is_some_and(|program| own.is(program)) && words.all(|word| own.word(word).is_some())
}

/// What the program hands on stands behind `--`, as it says itself.
fn behind_dashes(case: &Case<'_>) -> Option<Mended> {
    let name = case.between("tip: to pass '", "' as a value, use '-- ")?;
    let own = Own::of(case, &["cargo"]).filter(|own| own.word("--").is_none())?;
    let hands_on = own.word("test").or_else(|| own.word("run")).or_else(|| own.word("bench"))?;
    let is_it =
        |word: &&&PlacedWord| word.range.start > hands_on.range.start && word.text.split('=').next() == Some(name);
    let word = own.args.iter().find(is_it)?;
    let text = raw(case, word).to_owned();
    let line = case.edited_line(vec![(word.range.clone(), String::new()), behind(own.end(), &format!("-- {text}"))])?;
    let why = format!("{} is an option of what is run, and not of cargo", quoted(name, 60));
    Some(Mended { line, why, does: "Hand the option on behind `--`" })
}

/// A text of several words that no quotes hold together: `git commit -m fix the bug`.
fn joined_words(case: &Case<'_>) -> Option<Mended> {
    let of_git = || {
        let lines = case.text().lines().filter(|line| line.starts_with("error: pathspec '"));
        let words: Vec<String> =
            lines.filter_map(|line| between(line, "pathspec '", "' did not match")).map(str::to_owned).collect();
        (!words.is_empty() && case.runs("git commit")).then_some(words)
    };
    let of_parsers = || {
        let rest = case.between("unrecognized arguments: ", "")?;
        Some(rest.split(' ').map(str::to_owned).collect())
    };
    let wrong: Vec<String> = of_git().or_else(of_parsers)?;
    let is_text = |word: &String| !word.is_empty() && !word.starts_with('-') && case.kind(word).is_none();
    if !wrong.iter().all(is_text) {
        return None;
    }
    let words: Vec<&PlacedWord> = case.words.iter().collect();
    let at = words.windows(wrong.len()).position(|run| {
        run.iter().zip(&wrong).all(|(word, wrong)| word.text == *wrong && word.role == WordRole::Argument)
    })?;
    let (option, first) = (words.get(at.checked_sub(2)?)?, words.get(at - 1)?);
    let run = words.get(at - 1..at + wrong.len())?;
    let is_bare = |word: &&PlacedWord| word.is_literal && raw(case, word) == word.text && word.command == first.command;
    let is_value = option.text.starts_with('-') && !option.text.contains('=') && !first.text.starts_with('-');
    if !is_value || !run.iter().all(is_bare) {
        return None;
    }
    let text = run.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" ");
    let place = first.range.start..run.last()?.range.end;
    let why = format!("the shell made several words of {}", quoted(&text, 80));
    let line = case.edited_line(vec![(place, quoted_word(&text))])?;
    Some(Mended { line, why, does: "Quote the text" })
}

/// A value that begins with a dash, which only `=` tells from an option.
fn dash_in_value(case: &Case<'_>) -> Option<Mended> {
    let told = || case.between("To specify an option argument starting with a dash use '", "=");
    let named =
        || case.between("error: argument ", ": expected one argument").and_then(|names| names.rsplit('/').next());
    let option = named().or_else(told).filter(|option| option.starts_with("--"))?;
    let at = case.words.iter().position(|word| word.text == option && word.role == WordRole::Argument)?;
    let (word, value) = (case.words.get(at)?, case.words.get(at + 1)?);
    let is_value = value.command == word.command && value.text.starts_with('-') && !value.text.starts_with("--");
    if !is_value || value.text.len() < 2 {
        return None;
    }
    let made = format!("{}={}", raw(case, word), raw(case, value));
    let line = case.edited_line(vec![(word.range.start..value.range.end, made)])?;
    let why = format!("the value {} begins with a dash, and is taken for an option", quoted(&value.text, 60));
    Some(Mended { line, why, does: "Bind the value to its option by `=`" })
}

const NUMBERS: &[&str] =
    &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// A number in words, with signs between its digits, or with the sign of its unit.
fn number_in_digits(case: &Case<'_>) -> Option<Mended> {
    let marks = [
        ("invalid int value: '", "'"),
        ("invalid float value: '", "'"),
        ("invalid value '", "'"),
        ("invalid value \"", "\""),
        ("invalid literal for int() with base 10: '", "'"),
        ("invalid number of lines: ‘", "’"),
        ("invalid time interval ‘", "’"),
        ("is not a number: ", ""),
        ("not a valid integer: ", ""),
        ("not a valid number: ", ""),
    ];
    let wrong = marks.iter().find_map(|(before, after)| case.between(before, after))?.trim_matches(['\'', '"']);
    let says = ["int value", "float value", "integer", "number", "digit", "parse error", "base 10", "time interval"];
    if !case.says(&says) {
        return None;
    }
    let word = only_value(case, wrong)?;
    let made = of_float(case, wrong)
        .or_else(|| in_digits(wrong, case.says(&["seconds", "timeout", "interval", "delay", "wait"])))?;
    let text = word.text.strip_suffix(wrong)?;
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(&format!("{text}{made}")))])?;
    let why = format!("{} is no number that the program reads", quoted(wrong, 40));
    Some(Mended { line, why, does: "Write the number in digits" })
}

/// A fraction with the comma of another country: `0,5`.
fn of_float(case: &Case<'_>, wrong: &str) -> Option<String> {
    let (whole, rest) = wrong.split_once(',').filter(|_| case.says(&["float value"]))?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(whole) && is_number(rest) && rest.len() != 3).then(|| format!("{whole}.{rest}"))
}

/// The word of the line that is this value, or ends in it behind `=`.
fn only_value<'c>(case: &'c Case<'_>, value: &str) -> Option<&'c PlacedWord> {
    let is_it = |word: &&PlacedWord| {
        let own = word.text.split_once('=').map_or(&*word.text, |(_, value)| value);
        word.is_literal && word.role == WordRole::Argument && (word.text == value || own == value)
    };
    let mut found = case.words.iter().filter(is_it);
    found.next().filter(|_| found.next().is_none())
}

fn in_digits(wrong: &str, counts_seconds: bool) -> Option<String> {
    let lower = wrong.to_ascii_lowercase();
    if let Some(number) = NUMBERS.iter().position(|word| *word == lower) {
        return Some(number.to_string());
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = wrong.replace(['_', ',', '\''], "");
    let grouped = wrong.split(['_', ',', '\'']).skip(1).all(|part| part.len() == 3);
    if plain != wrong && grouped && is_number(&plain) {
        return Some(plain);
    }
    let whole = wrong.strip_suffix(".0").filter(|whole| is_number(whole));
    let seconds = ["seconds", "secs", "sec", "s"].iter().find_map(|unit| lower.strip_suffix(unit));
    let seconds = seconds.map(str::trim_end).filter(|number| counts_seconds && is_number(number));
    whole.map(str::to_owned).or_else(|| seconds.map(str::to_owned))
}

/// A day in another form than the year, month and day with dashes that are asked for.
fn date_in_form(case: &Case<'_>) -> Option<Mended> {
    let says = [
        "%Y-%m-%d",
        "YYYY-MM-DD",
        "Invalid isoformat string",
        "ISO 8601",
        "invalid date",
        "time data '",
        "<lambda> value",
        "iso date",
    ];
    if !case.says(&says) {
        return None;
    }
    let is_own = |word: &&PlacedWord| word.is_literal && word.role == WordRole::Argument;
    let (word, before, made) = case.words.iter().filter(is_own).find_map(|word| {
        let (before, value) = match word.text.split_once('=') {
            Some((name, value)) => (format!("{name}="), value),
            None => (String::new(), &*word.text),
        };
        let named = case.text().contains(value);
        Some((word, before, in_dashes(value)?)).filter(|_| named)
    })?;
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(&format!("{before}{made}")))])?;
    let why = format!("the program asks for a day as {}", quoted(&made, 20));
    Some(Mended { line, why, does: "Write the day in the form that is asked for" })
}

/// `2024/3/5` and `20240305` as `2024-03-05`; `5.3.2024`, where the day comes first. None where the month may be the day.
fn in_dashes(value: &str) -> Option<String> {
    let compact = (value.len() == 8 && value.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| [value.get(..4), value.get(4..6), value.get(6..)].map(Option::unwrap_or_default).to_vec());
    let parts = compact.unwrap_or_else(|| value.split(['/', '.', '-']).collect());
    let [a, b, c] = parts.as_slice() else { return None };
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let (year, month, day) = match (a.len(), c.len()) {
        (4, _) => (number(a)?, number(b)?, number(c)?),
        (_, 4) if value.contains('.') || number(a)? > 12 => (number(c)?, number(b)?, number(a)?),
        (_, 4) if number(b)? > 12 => (number(c)?, number(a)?, number(b)?),
        _ => return None,
    };
    let made = format!("{year:04}-{month:02}-{day:02}");
    ((1..=12).contains(&month) && (1..=31).contains(&day) && made != value).then_some(made)
}

/// Two words in each other's place: the file where the name is taken, the pattern where the file is.
fn swapped(case: &Case<'_>) -> Option<Mended> {
    let (first, second) = swapped_choice(case).or_else(|| file_first(case)).or_else(|| base_last(case))?;
    let edits =
        vec![(first.range.clone(), raw(case, second).to_owned()), (second.range.clone(), raw(case, first).to_owned())];
    let why = format!("{} and {} stand in each other's place", quoted(&first.text, 60), quoted(&second.text, 60));
    Some(Mended { line: case.edited_line(edits)?, why, does: "Put the two words in their order" })
}

/// A word that is none of the listed names, beside another that is one.
fn swapped_choice<'c>(case: &'c Case<'_>) -> Option<(&'c PlacedWord, &'c PlacedWord)> {
    let wrong = case.between("invalid choice: '", "'")?;
    let names = crate::reading::listed_names(case.text());
    let own = |word: &&PlacedWord| word.role == WordRole::Argument && word.is_literal && !word.text.starts_with('-');
    let at = case.words.iter().position(|word| own(&word) && word.text == wrong)?;
    let word = case.words.get(at)?;
    let is_option = |at: usize| at > 0 && case.words.get(at - 1).is_some_and(|before| before.text.starts_with('-'));
    let mut others = case.words.iter().enumerate().filter(|(other, named)| {
        own(named) && named.command == word.command && *other > at && names.contains(&named.text) && !is_option(*other)
    });
    let (_, other) = others.next().filter(|_| others.next().is_none() && !is_option(at))?;
    Some((word, other))
}

fn file_first<'c>(case: &'c Case<'_>) -> Option<(&'c PlacedWord, &'c PlacedWord)> {
    let own = Own::of(case, FILE_LAST)?;
    let plain: Vec<&PlacedWord> = own.args.iter().copied().filter(|word| !word.text.starts_with('-')).collect();
    let [file, other] = plain.as_slice() else { return None };
    let takes_other = own
        .args
        .iter()
        .any(|word| matches!(&*word.text, "-e" | "-f" | "--regexp" | "--file" | "--from-file" | "--arg"));
    let is_wrong = case.kind(&file.text).is_some() && case.kind(&other.text).is_none();
    (is_wrong && !takes_other && file.is_literal).then_some((*file, *other))
}

/// `sqlite3` takes its base before what it does.
fn base_last<'c>(case: &'c Case<'_>) -> Option<(&'c PlacedWord, &'c PlacedWord)> {
    let own = Own::all(case).find(|own| own.is("sqlite3"))?;
    let plain: Vec<&PlacedWord> = own.args.iter().copied().filter(|word| !word.text.starts_with('-')).collect();
    let [does, base] = plain.as_slice() else { return None };
    let is_line = does.text.contains(' ') || does.text.starts_with('.');
    (is_line && base.is_literal && case.kind(&base.text).is_some()).then_some((*does, *base))
}

/// Options that stand before a subcommand only, by what the program says.
const BEFORE: &[(&str, &[&str])] =
    &[("git", &["-C", "--git-dir", "--work-tree", "--no-pager"]), ("terraform", &["-chdir"])];

/// An option that stands on the wrong side of the subcommand.
fn moved_option(case: &Case<'_>) -> Option<Mended> {
    moved_before(case).or_else(|| moved_behind(case))
}

fn moved_before(case: &Case<'_>) -> Option<Mended> {
    let of_known = || {
        let own = Own::all(case).find(|own| BEFORE.iter().any(|(program, _)| own.is(program)))?;
        let (_, options) = BEFORE.iter().find(|(program, _)| own.is(program))?;
        let at = own.args.iter().position(|word| options.contains(&word.text.split('=').next().unwrap_or_default()))?;
        let word = *own.args.get(at)?;
        let takes = matches!(&*word.text, "-C" | "--git-dir" | "--work-tree");
        let is_dir = |value: &PlacedWord| case.looks.is_looking() && case.looks.kind(&value.text).is_some();
        let value = own.args.get(at + 1).copied().filter(|value| takes && is_dir(value));
        let is_behind = at > 0 && !own.args.first()?.text.starts_with('-');
        let last = value.unwrap_or(word).range.end;
        (is_behind && takes == value.is_some()).then_some((own.program.range.end, word.range.start..last))
    };
    let of_script = || {
        let (wrong, subcommands) = unknown_of_parser(case)?;
        let usage = usage(case.text())?;
        let words: Vec<&str> =
            usage.split(|c: char| c.is_whitespace() || "[]|".contains(c)).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|word| *word == wrong)?;
        let takes =
            words.get(at + 1).is_some_and(|next| next.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
        let place = case.words.iter().position(|word| word.text == wrong && word.role == WordRole::Argument)?;
        let word = case.words.get(place)?;
        let value = case.words.get(place + 1).filter(|value| takes && value.command == word.command);
        let subcommand =
            case.words.iter().find(|own| own.command == word.command && subcommands.contains(&own.text))?;
        let is_behind = subcommand.range.end <= word.range.start && takes == value.is_some();
        let last = value.unwrap_or(word).range.end;
        is_behind.then_some((subcommand.range.start - 1, word.range.start..last))
    };
    let (to, from) = of_known().or_else(of_script)?;
    moved(case, from, to, "before")
}

fn moved_behind(case: &Case<'_>) -> Option<Mended> {
    let of_script = || {
        let (wrong, subcommands) = unknown_of_parser(case)?;
        let word = case.words.iter().find(|word| word.text == wrong && word.role == WordRole::Argument)?;
        let script = case
            .words
            .iter()
            .filter(|own| own.command == word.command)
            .find_map(|own| case.looks.text(&case.at(&own.text)))?;
        let is_its = ["\"", "'"].iter().any(|sign| script.contains(&format!("{sign}{wrong}{sign}")));
        let next = case.words.iter().find(|own| own.command == word.command && own.range.start > word.range.start)?;
        (is_its && subcommands.contains(&next.text)).then(|| (next.range.end, word.range.clone()))
    };
    let of_cargo = || {
        // `tip: 'build --release' exists`
        let (subcommand, option) = case.between("tip: '", "' exists")?.split_once(' ')?;
        let own = Own::of(case, &["cargo"])?;
        let (word, subcommand) = (own.word(option)?, own.word(subcommand)?);
        Some((subcommand.range.end, word.range.clone()))
    };
    let of_others = || {
        let own = Own::of(case, &["go", "git", "pip", "npm"])?;
        let word = *own.args.first()?;
        let subcommand =
            own.args.get(1).filter(|word| word.text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'))?;
        let names_it = case.says(UNKNOWN) && case.text().contains(word.text.trim_start_matches('-'));
        let is_option = word.text.starts_with('-') && word.text.len() > 1 && !subcommand.text.starts_with('-');
        let is_known = crate::shell::Script::parse(&format!("{} {}", own.name, subcommand.text))
            .last()
            .and_then(|command| command.known)
            .is_some_and(|program| program.subcommands.iter().any(|known| known.words == subcommand.text));
        (names_it && is_option && is_known).then(|| (subcommand.range.end, word.range.clone()))
    };
    let (to, from) = of_script().or_else(of_cargo).or_else(of_others)?;
    moved(case, from, to, "behind")
}

fn moved(case: &Case<'_>, from: Range<usize>, to: usize, side: &str) -> Option<Mended> {
    let text = case.failed.line.as_deref()?.get(from.clone())?.to_owned();
    let why = format!("{} stands {side} the subcommand only", quoted(&text, 60));
    let line = case.edited_line(vec![(from, String::new()), behind(to, &text)])?;
    Some(Mended { line, why, does: "Put the option on its side of the subcommand" })
}

/// The option that a parser of Python does not know, and the subcommands of its usage.
fn unknown_of_parser<'c>(case: &'c Case<'_>) -> Option<(&'c str, Vec<String>)> {
    let wrong = case.between("error: unrecognized arguments: ", "")?.split(' ').next()?;
    let usage = usage(case.text())?;
    let inside = usage.rsplit_once('{')?.1.split_once('}')?.0;
    let subcommands = inside.split(',').map(str::to_owned).collect();
    wrong.starts_with("--").then_some((wrong, subcommands))
}

/// The usage that a parser of Python prints, in one line.
fn usage(text: &str) -> Option<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with("usage: "));
    let lines: Vec<&str> =
        lines.take_while(|line| line.starts_with("usage: ") || line.starts_with(' ')).map(str::trim).collect();
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// A script that takes one file, called with several: one call for each.
fn one_at_a_time(case: &Case<'_>) -> Option<Mended> {
    let rest: Vec<&str> = case.between("error: unrecognized arguments: ", "")?.split(' ').collect();
    let line = case.failed.line.as_deref()?;
    let own = Own::all(case).last()?;
    let at = own.args.iter().position(|word| Some(&&*word.text) == rest.first())?;
    let run = own.args.get(at.checked_sub(1)?..)?;
    let is_file =
        |word: &&&PlacedWord| word.is_literal && case.kind(&word.text).is_some_and(|kind| kind != FileKind::Dir);
    let is_rest = run.iter().skip(1).map(|word| &*word.text).eq(rest.iter().copied());
    // What is written to by name would be written over by each call.
    let writes =
        line.contains('>') || own.args.iter().any(|word| word.text.starts_with("-o") || word.text.starts_with("--out"));
    let stem = |word: &PlacedWord| word.text.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let is_alike = run.iter().all(|word| stem(word) == stem(run[0]));
    if at < 2
        || !is_rest
        || writes
        || !is_alike
        || !run.iter().all(|word| is_file(&word))
        || own.end() != line.trim_end().len()
    {
        return None;
    }
    let call = line.get(own.program.range.start..run.first()?.range.start)?;
    let files = line_of(run.iter().map(|word| &*word.text));
    let before = line.get(..own.program.range.start)?;
    let made = format!("{before}for file in {files}; do {call}\"$file\" || exit 1; done");
    let why = "it takes one file, and was given several".to_owned();
    Some(Mended { line: made, why, does: "Call it once for each file" })
}

/// Files that show how a project's own programs are called.
const SHOWS_CALLS: &[&str] =
    &["README.md", "README.rst", "README", "README.txt", "Makefile", "package.json", "CONTRIBUTING.md", "justfile"];

/// An option that is required, with the value that the project's own examples give it.
fn as_called_elsewhere(case: &Case<'_>) -> Option<Mended> {
    let marks = [
        ("the following arguments are required: ", ""),
        ("Missing option '", "'"),
        ("required option '", "'"),
        ("required flag(s) \"", "\" not set"),
        ("Missing required argument: ", ""),
        ("missing required option: ", ""),
        ("missing required argument: ", ""),
    ];
    let said = marks.iter().find_map(|(before, after)| case.between(before, after))?;
    let names: Vec<String> = said
        .split(", ")
        .map(|name| name.split(' ').next().and_then(|names| names.rsplit('/').next()).unwrap_or_default().to_owned())
        .map(|name| if case.says(&["required flag(s)"]) { format!("--{name}") } else { name })
        .collect();
    if !case.looks.is_looking() || !names.iter().all(|name| name.starts_with("--")) {
        return None;
    }
    let own = Own::all(case).last()?;
    let script = own.args.iter().map(|word| &*word.text).find(|word| word.contains('.') && case.kind(word).is_some());
    let script = crate::text::file_name(script.unwrap_or(&own.program.text)).to_owned();
    let texts: Vec<String> = SHOWS_CALLS.iter().filter_map(|name| case.looks.text(&case.at(name))).collect();
    let calls: Vec<&str> = texts.iter().flat_map(|text| text.lines()).filter(|line| line.contains(&*script)).collect();
    let mut words = Vec::new();
    for name in &names {
        words.push(name.clone());
        words.push(only_value_of(&calls, name)?);
    }
    let line = case.edited_line(vec![behind(own.end(), &line_of(&words))])?;
    let why = format!("the project's own calls of {} give {}", quoted(&script, 60), quoted(&words.join(" "), 80));
    Some(Mended { line, why, does: "Give what is required, as the project's own calls do" })
}

/// The one call of the project's own examples that goes on where this one ends.
fn as_the_example_goes_on(case: &Case<'_>) -> Option<Mended> {
    if !case.looks.is_looking() || !case.says(&["usage:"]) {
        return None;
    }
    let own = Own::all(case).last()?;
    let line = case.failed.line.as_deref()?;
    let given = line.get(own.program.range.start..own.end())?;
    let script = own.args.first().filter(|word| word.text.contains('.') && case.kind(&word.text).is_some());
    let is_called = script.map_or(own.program.text.contains('/'), |_| own.args.len() > 1);
    let texts: Vec<String> = SHOWS_CALLS.iter().filter_map(|name| case.looks.text(&case.at(name))).collect();
    let mut rests: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.trim().trim_start_matches(['$', '`', ' ', '@']).strip_prefix(given)?.strip_prefix(' '))
        .map(|rest| rest.trim_end_matches('`').trim())
        .collect();
    rests.sort_unstable();
    rests.dedup();
    let [rest] = rests.as_slice() else { return None };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || "-_./:@+,=".contains(c));
    if !is_called
        || words.is_empty()
        || words.len() > 8
        || !words.iter().all(is_plain)
        || own.end() != line.trim_end().len()
    {
        return None;
    }
    let line = case.edited_line(vec![behind(own.end(), &line_of(&words))])?;
    let why = format!("the project's own example goes on with {}", quoted(&words.join(" "), 80));
    Some(Mended { line, why, does: "Call it as the project's own example does" })
}

/// The one value that calls give an option.
fn only_value_of(calls: &[&str], name: &str) -> Option<String> {
    let is_plain = |value: &str| {
        !value.is_empty()
            && !value.starts_with('-')
            && value.chars().all(|c| c.is_alphanumeric() || "-_./:@+,".contains(c))
    };
    let values = calls.iter().filter_map(|line| {
        let rest = line.split_once(&format!(" {name}")).map(|(_, rest)| rest)?;
        let value =
            rest.strip_prefix(['=', ' '])?.split_whitespace().next()?.trim_end_matches(['`', '"', '\'', ',', '\\']);
        is_plain(value).then(|| value.to_owned())
    });
    let mut values: Vec<String> = values.collect();
    values.sort();
    values.dedup();
    values.pop().filter(|_| values.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_numbers_are_written_as_they_are_asked_for() {
        for (given, made) in [
            ("2024/3/5", Some("2024-03-05")),
            ("20240305", Some("2024-03-05")),
            ("5.3.2024", Some("2024-03-05")),
            ("31/01/2024", Some("2024-01-31")),
            ("01/31/2024", Some("2024-01-31")),
            // The month may be the day; no day at all; right as it is.
            ("03/05/2024", None),
            ("2024/13/05", None),
            ("2024-03-05", None),
            ("1.2", None),
        ] {
            assert_eq!(in_dashes(given).as_deref(), made, "{given}");
        }
        for (given, made) in [
            ("four", Some("4")),
            ("1,000", Some("1000")),
            ("10_000", Some("10000")),
            ("30s", Some("30")),
            ("3.0", Some("3")),
            ("1,5", None),
            ("10k", None),
            ("x", None),
        ] {
            assert_eq!(in_digits(given, true).as_deref(), made, "{given}");
        }
        assert_eq!(in_digits("30s", false), None);
    }
}
