//! Files and calls that are a small step from what is meant: a comma too many, blanks for a tab, lines that end as
//! elsewhere.

use super::super::case::{Case, Offer, Offered, between};
use super::super::look::FileKind;
use super::super::step::{Deed, Step};
use super::programs::interpreter;
use crate::shell::{WordRole, quoted_word};
use crate::text::quoted;

/// The most lines of a file that one change replaces.
const MOST_LINES: usize = 60;

pub(in super::super) fn mend_the_file(case: &Case<'_>) -> Offered {
    if !case.looks.is_looking() || !case.is_whole() {
        return Err("the file was not looked at: --probe shows it");
    }
    let (path, text, made, what) = of_make(case)
        .or_else(|| of_json(case))
        .or_else(|| of_yaml(case))
        .ok_or("no file is a small step from what is read")?;
    let (old, new, from) = change(&text, &made).ok_or("what is to be changed is not one place of the file")?;
    let steps = vec![
        Step::new(
            format!("Read {}", quoted(&path, 80)),
            Deed::Read { path: path.clone(), from: Some(from.saturating_sub(10).max(1)) },
            "The place",
        ),
        Step::new(what, Deed::Edit { path: path.clone(), old, new }, "The file is one that is read"),
        Step::work("Make the call again", case.again(), "The error is gone"),
    ];
    let state = format!("{}: {}", quoted(&path, 80), crate::text::small(what));
    Ok(Offer::new(state.clone(), steps).doing(format!("{what} in {}", quoted(&path, 80))).seen(state))
}

/// The lines that differ as one change: what stands there, exactly once, what is to stand there, and the first line's number.
fn change(text: &str, made: &str) -> Option<(String, String, u64)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (text.lines().collect(), made.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let mut from = head;
    loop {
        let (was, is) = (old.get(from..old.len() - tail)?, new.get(from..new.len() - tail)?);
        if was.is_empty() || was.len() > MOST_LINES {
            return None;
        }
        let was = was.join("\n");
        if text.matches(&*was).count() == 1 {
            return Some((was, is.join("\n"), u64::try_from(from).ok()? + 1));
        }
        from = from.checked_sub(1)?;
    }
}

type Mended = (String, String, String, &'static str);

/// A recipe of make whose lines begin with blanks.
fn of_make(case: &Case<'_>) -> Option<Mended> {
    let line = case.text().lines().find(|line| line.contains("missing separator"))?;
    let file = line.split(':').find(|part| case.kind(part.trim()) == Some(FileKind::Text))?.trim();
    let path = case.at(file);
    let text = case.looks.text(&path)?;
    let mut is_in_rule = false;
    let mut made = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let is_rule = blanks == 0 && line.contains(':') && !line.contains(":=") && !line.starts_with(['#', '\t']);
        let ends = blanks == 0 && !line.starts_with(['\t', '#']) && !line.trim().is_empty();
        is_in_rule = is_rule || is_in_rule && !ends;
        if is_in_rule && blanks > 0 && !line.trim().is_empty() {
            made.push('\t');
            made.push_str(line.trim_start_matches(' '));
        } else {
            made.push_str(line);
        }
    }
    (made != text).then_some((path, text, made, "Begin the lines of recipes with a tab"))
}

/// A JSON file with a comma too many or too few, or comments where none may be.
fn of_json(case: &Case<'_>) -> Option<Mended> {
    const SAYS: &[&str] = &[
        "json",
        "unexpected token",
        "trailing comma",
        "expecting ',' delimiter",
        "expecting property name",
        "illegal trailing",
        "parse error",
        "expected ',' or '}'",
        "double-quoted property name",
    ];
    if !case.says(SAYS) {
        return None;
    }
    let printed = case.text().split(|c: char| c.is_whitespace() || "'\"`(),;".contains(c));
    let printed = printed.map(|word| word.trim_end_matches([':', '.']));
    let words = case.words.iter().map(|word| word.text.as_str());
    let is_json = |word: &&str| word.ends_with(".json") && word.len() <= 1024;
    let mut paths: Vec<String> = printed.chain(words).filter(is_json).map(|path| case.at(path)).collect();
    paths.push(case.at("package.json"));
    // A script reads a file that neither the line nor the error names.
    paths.extend(
        case.looks
            .find(&|name| name.ends_with(".json"))
            .into_iter()
            .filter(|path| !path.contains("node_modules/"))
            .take(20),
    );
    paths.into_iter().find_map(|path| {
        let text = case.looks.text(&path)?;
        let error = serde_json::from_str::<serde_json::Value>(&text).err()?;
        let is_read = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        let spare = without_spare_commas(&text);
        if is_read(&spare) {
            return Some((path, text, spare, "Take out the comma before the closing bracket"));
        }
        let made = with_comma(&text, error.line());
        if let Some(made) = made.filter(|made| is_read(made)) {
            return Some((path, text, made, "Put the missing comma"));
        }
        let plain: String = text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with("//")).collect();
        let plain = without_spare_commas(&plain);
        is_read(&plain).then_some((path, text, plain, "Take out the comments, which JSON has none of"))
    })
}

/// The text without commas before a closing bracket; what stands in strings stays.
fn without_spare_commas(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            in_string = true;
        } else if c == ',' && text.get(at + 1..).is_some_and(|rest| rest.trim_start().starts_with(['}', ']'])) {
            continue;
        }
        made.push(c);
    }
    made
}

/// The text with a comma at the end of the last line with something on it before this one.
fn with_comma(text: &str, line: usize) -> Option<String> {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let before =
        (0..line.checked_sub(1)?).rev().find(|at| lines.get(*at).is_some_and(|line| !line.trim().is_empty()))?;
    let line = lines.get_mut(before)?;
    let end = line.trim_end().len();
    line.insert(end, ',');
    Some(lines.join("\n"))
}

/// A YAML file with tabs where blanks are to stand.
fn of_yaml(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&[
        "found character '\\t'",
        "found character \"\\t\"",
        "tab character",
        "tabs cannot be used",
        "cannot start any token",
        "found a tab",
    ]) {
        return None;
    }
    let printed = case
        .text()
        .split(|c: char| c.is_whitespace() || "'\"`(),;".contains(c))
        .map(|word| word.trim_end_matches([':', '.']));
    let words = case.words.iter().map(|word| word.text.as_str());
    let is_yaml = |word: &&str| (word.ends_with(".yml") || word.ends_with(".yaml")) && word.len() <= 1024;
    let found = case.looks.find(&|name| name.ends_with(".yml") || name.ends_with(".yaml"));
    let paths = printed.chain(words).filter(is_yaml).map(|path| case.at(path)).chain(found.into_iter().take(20));
    paths.into_iter().find_map(|path| {
        let text = case.looks.text(&path)?;
        let mut made = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let rest = line.trim_start_matches([' ', '\t']);
            let indent = line.get(..line.len() - rest.len()).unwrap_or_default();
            made.push_str(&indent.replace('\t', "  "));
            made.push_str(rest);
        }
        (made != text).then_some((path, text, made, "Write blanks for tabs"))
    })
}

/// What a shell says of lines that end with a carriage return.
const RETURNS: &[&str] = &["\\r", "^M", "\r", "bad interpreter", "required file not found"];

pub(in super::super) fn read_without_returns(case: &Case<'_>) -> Offered {
    let said = case.says(RETURNS) || case.failed.exit_code == Some(127) || case.failed.exit_code == Some(2);
    let is_script = |word: &&crate::shell::PlacedWord| {
        word.is_literal
            && matches!(word.role, WordRole::Program | WordRole::Argument)
            && case
                .looks
                .text(&case.at(&word.text))
                .is_some_and(|text| text.lines().next().is_some() && text.contains("\r\n"))
    };
    let word = case
        .words
        .iter()
        .find(is_script)
        .filter(|_| said)
        .ok_or("no script has lines that end with a carriage return")?;
    let language = interpreter(case, &word.text).ok_or("the script's language is not known")?;
    let text = case.looks.text(&case.at(&word.text)).unwrap_or_default();
    let is_shell = matches!(language, "bash" | "sh" | "zsh" | "dash");
    let in_front = if word.role == WordRole::Program { format!("{language} ") } else { String::new() };
    let file = quoted_word(&word.text);
    let step = if !is_shell {
        // Other languages read such lines; it is the first line that the system does not.
        if word.role != WordRole::Program {
            return Err("the language reads such lines");
        }
        case.again_with_text(word, &format!("{language} {file}"))
    } else if text.contains("$0") || text.contains("BASH_SOURCE") || language != "bash" {
        // It asks where it stands: a copy stands beside it.
        let copy = quoted_word(&format!("{}.lf.sh", word.text.trim_end_matches(".sh")));
        let again = case.again_with_text(word, &format!("{in_front}{copy}")).ok_or("its command line is not whole")?;
        let Deed::Again { args, .. } = again else { return Err("its command line is not whole") };
        let key = case.failed.command_key.as_deref().unwrap_or("command");
        let line = args.get(key).and_then(serde_json::Value::as_str).ok_or("its command line is not whole")?;
        case.again_with(format!("tr -d \"\\r\" < {file} > {copy} && {line}"))
    } else {
        case.again_with_text(word, &format!("{in_front}<(tr -d \"\\r\" < {file})"))
    };
    let step = step.ok_or("its command line is not whole")?;
    let state = format!("the lines of {} end with a carriage return, as on Windows", quoted(&word.text, 80));
    Ok(Offer::new(state.clone(), vec![Step::work("Run it without the carriage returns", step, "The script runs")])
        .seen(state))
}

/// Managers of versions that list those which hold a program: what stands before the list, and the variable that chooses.
const MANAGERS: &[(&str, &str)] = &[
    ("command exists in these Python versions", "PYENV_VERSION"),
    ("command exists in these Ruby versions", "RBENV_VERSION"),
    ("command exists in these Node versions", "NODENV_VERSION"),
    ("command exists in these Go versions", "GOENV_VERSION"),
    ("command exists in these Perl versions", "PLENV_VERSION"),
    ("command exists in these PHP versions", "PHPENV_VERSION"),
    ("Consider adding one of the following versions", ""),
];

/// A version that a manager names itself as one that holds the program.
fn listed_version(case: &Case<'_>) -> Option<Offer> {
    let line = case.failed.line.as_deref()?;
    let mut lines = case.text().lines();
    let variable = lines.find_map(|own| MANAGERS.iter().find(|(mark, _)| own.contains(mark)).map(|(_, name)| *name))?;
    let is_version = |text: &str| {
        text.len() <= 60
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+/".contains(&byte))
    };
    let listed: Vec<&str> = lines.map(str::trim).take_while(|own| !own.is_empty()).collect();
    // The newest stands last.
    let (variable, version) = if variable.is_empty() {
        // `nodejs 18.0.0`: the plugin gives the variable its name.
        let (plugin, version) = listed.last()?.split_once(' ')?;
        let is_name = !plugin.is_empty() && plugin.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (is_name.then(|| format!("ASDF_{}_VERSION", plugin.to_ascii_uppercase().replace('-', "_")))?, version.trim())
    } else {
        (variable.to_owned(), *listed.last()?)
    };
    if !is_version(version) || line.contains(&variable) {
        return None;
    }
    let step = case.again_with(format!("export {variable}={version} && {line}"))?;
    let state = format!("the version `{version}`, which the manager of versions names, is not chosen here");
    let step = Step::work(format!("Choose the version `{version}` for this call"), step, "The command runs");
    Some(Offer::new(state.clone(), vec![step]).seen(state))
}

/// A version of a language that the output asks for, by a program of that version on `PATH`.
pub(in super::super) fn use_the_version_asked_for(case: &Case<'_>) -> Offered {
    const BEFORE: &[&str] = &[
        "Python >=",
        "Python>=",
        "python_requires >=",
        "requires Python >= ",
        "requires Python ",
        "requires python ",
        "needs Python ",
        "Python ",
    ];
    if let Some(offer) = listed_version(case) {
        return Ok(offer);
    }
    let needed = case.text().lines().find_map(|line| {
        if !line.to_ascii_lowercase().contains("requires")
            && !line.contains("needs")
            && !line.contains(">=")
            && !line.contains("or newer")
            && !line.contains("or later")
        {
            return None;
        }
        BEFORE.iter().find_map(|mark| {
            let rest = between(line, mark, "")?.trim_start_matches(['>', '=', ' ', '~', '^']);
            let (major, rest) = rest.split_once('.')?;
            let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
            Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
        })
    });
    let (major, minor) = needed.ok_or("the output asks for no version")?;
    let command = case.command().ok_or("no command was run")?;
    let word = case
        .program_word(&command.raw)
        .filter(|word| word.text.starts_with("python"))
        .ok_or("the line starts no Python by its name")?;
    let versions = case
        .looks
        .programs()
        .iter()
        .filter_map(|name| name.strip_prefix(&format!("python{major}."))?.parse::<u32>().ok());
    let best = versions.filter(|own| *own >= minor).min().ok_or("no Python of that version is on PATH")?;
    let made = format!("python{major}.{best}");
    let step = case.again_with_text(word, &made).ok_or("its command line is not whole")?;
    let state = format!("it needs Python {major}.{minor}, and `{made}` is on PATH");
    Ok(Offer::new(state.clone(), vec![Step::work(format!("Run it by `{made}`"), step, "The version fits")]).seen(state))
}
