//! A script in another language, dialect or kind of module than what reads it, by its name and its text.

use crate::model::{Category, FindingKind as K};
use crate::programs::words::{C_COMPILERS, LINKED, PLAIN_SHELLS, SCRIPT_BY_OPTION, interpreter_of};
use crate::recover::case::{Case, parent};
use crate::recover::look::FileKind;
use crate::recover::strategies::lines::{Mended, Own};
use crate::shell::{PlacedWord, quoted_word};
use crate::text::quoted;

/// A script whose name or text says that another program reads it: one without a first line that the shell took for its own,
/// one of bash that `sh` read, a source of C++ that a compiler of C links.
pub(super) fn other_language(case: &Case<'_>) -> Option<Mended> {
    let text_of = |word: &PlacedWord| case.looks.text(&case.at(&word.text));
    let own = Own::all(case).last()?;
    let is_plain = own.program.text.contains('/') && case.kind(&own.program.text) == Some(FileKind::Text);
    if let Some(reader) = interpreter_of(&own.program.text).filter(|reader| is_plain && !is_shell(reader)) {
        let line = case.edited_line(vec![(own.program.range.start..own.program.range.start, format!("{reader} "))])?;
        let why = format!("{} has no first line that names its language", quoted(&own.program.text, 80));
        return Some(Mended { line, why, does: "Let its language read it" });
    }
    let is_told = matches!(case.category(), Category::ShellSyntax | Category::BadArguments)
        || case.finds(&[K::ShellSyntax, K::WrongShell, K::IllegalOption, K::MissingProgram, K::BadValue]);
    let plain = PLAIN_SHELLS.contains(&own.name);
    let script = own.args.first().copied().filter(|word| plain && word.is_literal).or_else(|| {
        let by_first_line = matches!(case.kind(&own.program.text), Some(FileKind::Script(words)) if words.iter().any(|word| word.ends_with("/sh") || word == "dash"));
        by_first_line.then_some(own.program)
    });
    if let Some(script) = script.filter(|_| is_told)
        && text_of(script).is_some_and(|text| is_of_bash(&text))
    {
        let edit = if std::ptr::eq(script, own.program) {
            (script.range.start..script.range.start, "bash ".to_owned())
        } else {
            (own.program.range.clone(), "bash".to_owned())
        };
        let why = format!("{} is written for bash, and `sh` reads it", quoted(&script.text, 80));
        return Some(Mended { line: case.edited_line(vec![edit])?, why, does: "Let bash read the script" });
    }
    by_its_ending(case)
}

/// A library of the system that the linker was not told of.
pub(super) fn with_library(case: &Case<'_>) -> Option<Mended> {
    let name = case.printed().unlinked_function()?;
    let own = Own::all(case).find(|own| C_COMPILERS.iter().any(|(plain, other)| own.is(plain) || own.is(other)))?;
    let begins = |beginnings: &&&[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
    let (option, _) = LINKED.iter().find(|(_, beginnings)| begins(&beginnings))?;
    let line =
        case.edited_line(vec![(own.end()..own.end(), format!(" {option}"))]).filter(|_| own.word(option).is_none())?;
    let why = format!("{} is in a library that the linker takes by `{option}`", quoted(name, 60));
    Some(Mended { line, why, does: "Link the library" })
}

/// A script that another language reads than its ending says: `bash build.py`, `awk -f rules.sed`.
fn by_its_ending(case: &Case<'_>) -> Option<Mended> {
    let is_there = |program: &str| case.looks.programs().iter().any(|own| own == program);
    let (own, word, reader) = Own::all(case).find_map(|own| {
        let by_option = SCRIPT_BY_OPTION.contains(&own.name);
        let at = if by_option { own.args.iter().position(|word| word.text == "-f")? + 1 } else { 0 };
        let word = own.args.get(at).copied().filter(|word| word.is_literal && case.kind(&word.text).is_some())?;
        let ending = word.text.rsplit_once('.')?.1;
        let reader = if by_option {
            SCRIPT_BY_OPTION.iter().copied().find(|name| *name == ending)
        } else {
            let reads_scripts = crate::programs::find(own.name).is_some_and(|known| {
                known.has(crate::programs::Trait::Interpreter) || known.has(crate::programs::Trait::Shell)
            });
            interpreter_of(&word.text).filter(|_| reads_scripts)
        };
        let reader =
            reader.filter(|reader| !own.is(reader) && own.name != reader.trim_end_matches('3') && is_there(reader))?;
        (!is_shell(reader) || !is_shell(own.name)).then_some((own, word, reader))
    })?;
    let line = case.edited_line(vec![(own.program.range.clone(), reader.to_owned())])?;
    let why = format!("{} is a script of `{reader}`, by its ending", quoted(&word.text, 80));
    Some(Mended { line, why, does: "Let its language read it" })
}

fn is_shell(reader: &str) -> bool {
    matches!(reader, "bash" | "sh" | "zsh" | "dash")
}

/// Whether a script has what only bash reads: tests in two brackets, arrays, pipefail.
fn is_of_bash(text: &str) -> bool {
    text.lines().map(str::trim).filter(|line| !line.starts_with('#')).any(|line| {
        line.contains("[[ ")
            || line.contains("pipefail")
            || line.contains("=(")
            || line.contains("<(")
            || line.contains("${!")
            || line.starts_with("function ")
    })
}

/// A source of Node in the other kind of module than its name or manifest says: a copy with the ending of its kind.
pub(super) fn module_kind(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["node"])?;
    let is_source =
        |word: &&&PlacedWord| word.is_literal && [".js", ".cjs", ".mjs"].iter().any(|end| word.text.ends_with(end));
    let word = own.args.iter().find(is_source)?;
    let text = case.looks.text(&case.at(&word.text))?;
    let imports = text
        .lines()
        .any(|line| line.starts_with("import ") && line.contains(['"', '\'']) || line.starts_with("export "));
    let requires = text.contains("require(") || text.contains("module.exports");
    let (stem, ending) = word.text.rsplit_once('.')?;
    let manifest = case.looks.text(&case.at(&format!("{}/package.json", parent(&word.text))));
    let is_module = ending == "mjs"
        || ending == "js" && manifest.is_some_and(|text| text.replace(' ', "").contains("\"type\":\"module\""));
    let kind = match (imports, requires, is_module) {
        (true, false, false) => "mjs",
        (false, true, true) => "cjs",
        _ => return None,
    };
    let copy = format!("{stem}.{kind}");
    if case.kind(&copy).is_some() || case.category() == Category::PathNotFound {
        return None;
    }
    let start = own.program.range.start;
    let first = format!("cp -n -- {} {} && ", quoted_word(&word.text), quoted_word(&copy));
    let line = case.edited_line(vec![(start..start, first), (word.range.clone(), quoted_word(&copy))])?;
    let is = if kind == "mjs" { "an ES module" } else { "a module of CommonJS" };
    let why = format!("{} is {is}, and Node takes it for the other kind", quoted(&word.text, 80));
    Some(Mended { line, why, does: "Run a copy with the ending of its kind" })
}
