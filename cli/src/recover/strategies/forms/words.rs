//! Words of a call that its program takes in another form, where a listing or a usage tells it.

use crate::model::{Category, FindingKind as K};
use crate::programs::words::SEARCHERS;
use crate::programs::writing;
use crate::reading::is_of_tests;
use crate::recover::case::{Case, join, parent};
use crate::recover::strategies::lines::{Mended, Own, behind, raw};
use crate::recover::strategies::sources::source;
use crate::recover::strategies::tested::defines;
use crate::shell::{PlacedWord, Script, line_of, quoted_word};
use crate::text::{file_name, quoted};

/// Ways to mend a line, the surest first.
pub(super) const WAYS: &[fn(&Case<'_>) -> Option<Mended>] =
    &[leading_dash, node_of_test, fields_of_gh, with_definition, formatted, name_in_usage];

/// A word that begins with a dash and is no option: a text of `printf`, a pattern of `grep`.
fn leading_dash(case: &Case<'_>) -> Option<Mended> {
    case.finding(K::UnknownOption)?;
    if let Some(own) = Own::of(case, &["printf"])
        && own.args.first().is_some_and(|word| word.text.starts_with('-') && word.text != "-v" && word.text != "--")
    {
        let why = "the text begins with a dash, and `printf` takes it for an option".to_owned();
        let line = case.edited_line(vec![behind(own.program.range.end, "--")])?;
        return Some(Mended { line, why, does: "Say that no option follows" });
    }
    let own = Own::of(case, SEARCHERS)?;
    let is_pattern = |word: &&&PlacedWord| {
        let written = raw(case, word);
        word.text.starts_with('-')
            && (written.starts_with(['\'', '"']) || word.text.contains(['>', ' ', '<', '(', '|', '*']))
    };
    let word = own.args.iter().find(is_pattern)?;
    if own.args.iter().any(|word| matches!(&*word.text, "-e" | "--")) {
        return None;
    }
    let why = "the pattern begins with a dash, and the program takes it for an option".to_owned();
    let line = case.edited_line(vec![(word.range.start..word.range.start, "-e ".to_owned())])?;
    Some(Mended { line, why, does: "Say which word is the pattern" })
}

/// A field of `gh ... --json` that this command has not: the one that is called nearly so, else the others alone.
fn fields_of_gh(case: &Case<'_>) -> Option<Mended> {
    let finding = case.finding(K::UnknownField)?;
    let unknown = finding.name?;
    let own = Own::of(case, &["gh"])?;
    let at = own.args.iter().position(|word| word.text == "--json" || word.text.starts_with("--json="))?;
    let word = own.args.get(at).filter(|word| word.text.contains('=')).or_else(|| own.args.get(at + 1))?;
    let fields = word.text.strip_prefix("--json=").filter(|_| word.is_literal).or(Some(&*word.text))?;
    let list = case.printed().listed_below(finding.line);
    let near = crate::names::only_close(unknown, list.iter().copied());
    let mut kept: Vec<&str> = Vec::new();
    for field in fields.split(',') {
        let field = if list.contains(&field) { Some(field) } else { near.filter(|_| field == unknown) };
        kept.extend(field.filter(|field| !kept.contains(field)));
    }
    let option = if word.text.starts_with("--json=") { "--json=" } else { "" };
    let made = format!("{option}{}", kept.join(","));
    let line = (!kept.is_empty()).then(|| case.edited_line(vec![(word.range.clone(), quoted_word(&made))]))??;
    let why = format!("this command of gh has no field {}", quoted(unknown, 60));
    Some(Mended { line, why, does: "Ask for the fields that it has" })
}

/// A test behind `::` that its file has in another class, or in one: the only one of its name.
fn node_of_test(case: &Case<'_>) -> Option<Mended> {
    let is_told = |word: &&PlacedWord| word.is_literal && case.printed().names(&word.text);
    let mut nodes = case.words.iter().filter(is_told).filter_map(|word| Some((word, word.text.split_once("::")?)));
    let (word, (path, node)) = nodes.next_back()?;
    let text = case.looks.text(&case.at(path)).filter(|_| path.ends_with(".py"))?;
    let name = node.rsplit("::").next()?;
    let mut class = None;
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let is_outer = !line.starts_with(char::is_whitespace);
        if is_outer {
            class = line.strip_prefix("class ").and_then(|rest| rest.split(['(', ':']).next()).map(str::trim);
        }
        if defines(line, name) {
            found.push(class.map_or_else(|| name.to_owned(), |class| format!("{class}::{name}")));
        }
    }
    let [own] = found.as_slice() else { return None };
    let line = case.edited_line(vec![(word.range.clone(), line_of([format!("{path}::{own}")]))])?;
    let why = format!("{} has no {}, and {}", quoted(path, 80), quoted(node, 60), quoted(own, 60));
    (own != node).then_some(Mended { line, why, does: "Name the test as its file has it" })
}

/// A source that is compiled without the one of its folder that defines what it uses.
fn with_definition(case: &Case<'_>) -> Option<Mended> {
    let name = case.named(K::UndefinedName)?;
    let own = Own::all(case).last()?;
    let ending = |path: &str| file_name(path).rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let is_source =
        |word: &&&PlacedWord| word.is_literal && ending(&word.text).is_some() && case.kind(&word.text).is_some();
    let given = own.args.iter().rfind(is_source)?;
    let folder = parent(&given.text);
    let mut others = case.looks.names(&case.at(&folder)).into_iter().map(|other| other.name).filter(|other| {
        let is_alike = ending(other) == ending(&given.text) && !is_of_tests(other);
        let is_given = || own.args.iter().any(|word| file_name(&word.text) == other);
        let text = || case.looks.text(&case.at(&join(&folder, other)));
        is_alike && !is_given() && text().is_some_and(|text| text.lines().any(|line| defines(line, name)))
    });
    let other = others.next().filter(|_| others.next().is_none())?;
    let line = case.edited_line(vec![behind(given.range.end, &line_of([join(&folder, &other)]))])?;
    let why = format!("{} is defined in {}, which the call leaves out", quoted(name, 60), quoted(&other, 60));
    Some(Mended { line, why, does: "Compile the file that defines it, too" })
}

/// The formatter that a script of the project only asks, made to write first.
fn formatted(case: &Case<'_>) -> Option<Mended> {
    let script = Some(case).filter(|case| case.category() == Category::LintError).and_then(source)?;
    let parsed = Script::parse(&script.text);
    let fix = parsed.programs().find_map(|(_, command)| writing(&command.raw, &command.args))?;
    let line = format!("{} && {}", line_of(&fix), case.failed.line.as_deref()?);
    let why = format!("{} asks {} only what it would change", quoted(&script.path, 80), quoted(&fix[0], 40));
    Some(Mended { line, why, does: "Let the formatter write, then make the call again" })
}

/// A subcommand that the printed usage has under a name like it, or without the dashes it was given with.
fn name_in_usage(case: &Case<'_>) -> Option<Mended> {
    let names = case.printed().usage_names();
    let own = Own::all(case).filter(|own| own.args.iter().any(|word| word.is_literal)).last()?;
    let found = own.args.iter().filter(|word| word.is_literal).find_map(|word| {
        let bare = word.text.trim_start_matches('-');
        if names.contains(&&*word.text) {
            return None;
        }
        let right = if bare == word.text {
            crate::names::only_close(bare, names.iter().copied())
        } else {
            names.iter().copied().find(|name| *name == bare)
        };
        right.map(|right| (*word, right))
    });
    let (word, right) = found?;
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(right))])?;
    let why = format!("the usage lists {}, and no {}", quoted(right, 60), quoted(&word.text, 60));
    Some(Mended { line, why, does: "Use the name that the usage lists" })
}
