//! Settings that are missing, where the project itself says what they are.

use super::super::case::{Case, Offer, Offered, join, name_of, parent};
use super::super::look::FileKind;
use super::super::step::{Deed, Step};
use super::paths::missing;
use crate::model::ObjectKind;
use crate::shell::{line_of, quoted_word};
use crate::text::quoted;

/// The names under which a project brings an example of a file.
fn examples(name: &str) -> Vec<String> {
    let words = ["example", "sample", "template", "dist", "default", "defaults"];
    let behind = words.iter().map(|word| format!("{name}.{word}"));
    let before = words.iter().map(|word| format!("{word}.{name}"));
    let inside = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(stem, ending)| {
        words
            .iter()
            .flat_map(move |word| [format!("{stem}.{word}.{ending}"), format!("{stem}-{word}.{ending}")])
            .collect::<Vec<_>>()
    });
    behind.chain(before).chain(inside.into_iter().flatten()).collect()
}

pub(in super::super) fn copy_the_example(case: &Case<'_>) -> Offered {
    if !case.looks.is_looking() || !case.is_whole() {
        return Err("nothing was looked at: --probe finds an example");
    }
    let of_line = missing(case).map(|missing| missing.path);
    let printed = case.failed.object(ObjectKind::File).map(str::to_owned);
    let signs = |c: char| c.is_whitespace() || "'\"`‘’(),:".contains(c);
    let in_text = case
        .text()
        .split(signs)
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.len() <= 200 && word.contains('.') && word.len() > 2 && !word.contains("//"));
    let paths = of_line.into_iter().chain(printed).chain(in_text.take(200).map(str::to_owned));
    let found = paths.filter(|path| case.kind(path).is_none()).find_map(|path| {
        let folder = parent(&path);
        let example = examples(name_of(&path))
            .into_iter()
            .map(|name| join(&folder, &name))
            .find(|path| matches!(case.kind(path), Some(FileKind::Text | FileKind::Other)))?;
        Some((path, example))
    });
    let (path, example) = found.ok_or("the project brings no example of what is missing")?;
    let copy = case.in_folder(&line_of(["cp", "-n", "--", &example, &path]));
    let state = format!("{} is not there, and the project brings {}", quoted(&path, 80), quoted(&example, 80));
    let steps = vec![
        Step::new(
            format!("Copy {}", quoted(&example, 80)),
            Deed::Run(copy),
            "The file is there, with the example's values",
        ),
        Step::work("Make the call again", case.again(), "It finds its settings"),
    ];
    Ok(Offer::new(state.clone(), steps).seen(state))
}

/// Files in which a project keeps what its variables are set to.
const ENVIRONMENTS: &[&str] = &[".env", ".env.local", ".env.development", ".env.test"];

/// Files that say what those are like.
const EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template"];

/// The variable that the output says is not set.
fn variable<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    const UNSET: &[(&str, &str)] = &[
        ("KeyError: '", "'"),
        ("key not found: \"", "\""),
        (": ", ": unbound variable"),
        (": ", ": parameter not set"),
        ("environment variable ", " is not set"),
        ("environment variable ", " not set"),
        ("environment variable: ", ""),
        ("Environment variable ", " is not set"),
        ("environment variable `", "`"),
        ("environment variable '", "'"),
        ("Missing environment variable ", ""),
        ("missing required environment variable ", ""),
        ("Environment variable not found: ", ""),
    ];
    let before = |line: &'c str| {
        line.strip_suffix(" is not set")
            .or_else(|| line.strip_suffix(" must be set"))
            .or_else(|| line.strip_suffix(" is required"))
    };
    let found = UNSET.iter().find_map(|(start, end)| case.between(start, end));
    let found = found.or_else(|| case.text().lines().find_map(before));
    let name = found?.rsplit([' ', ':']).next()?.trim_matches(['\'', '"', '`', '$', '.']);
    let is_name = name.len() > 2
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then_some(name)
}

pub(in super::super) fn set_the_variable(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if let Some(offer) = letters(case, line) {
        return Ok(offer);
    }
    let name = variable(case).ok_or("the output names no variable that is not set")?;
    let folder = case.folder();
    let sets = |path: &String| {
        case.looks.text(path).is_some_and(|text| {
            text.lines().any(|line| line.trim_start_matches("export ").starts_with(&format!("{name}=")))
        })
    };
    // What an example leaves to be filled in is no value.
    let is_filled = |path: &String| {
        let text = case.looks.text(path).unwrap_or_default();
        let value =
            text.lines().find_map(|line| line.trim_start_matches("export ").strip_prefix(name)?.strip_prefix('='));
        let holes = ["change", "xxx", "your", "todo", "secret", "replace", "example.com", "..."];
        value.is_some_and(|value| {
            let value = value.trim().to_ascii_lowercase();
            !value.is_empty() && !value.contains(['<', '$', '`']) && !holes.iter().any(|hole| value.contains(hole))
        })
    };
    let own = ENVIRONMENTS.iter().map(|file| join(&folder, file)).find(sets);
    let example = || EXAMPLES.iter().map(|file| join(&folder, file)).find(is_filled);
    let file = own.or_else(example).ok_or("no file of the project sets it")?;
    // One that is missing is seldom alone: all are taken over, where the shell makes one word of each.
    let text = case.looks.text(&file).unwrap_or_default();
    if !EXAMPLES.iter().any(|example| file.ends_with(example)) && has_plain_settings(&text) {
        let every = format!("sed -n 's/^\\(export \\)*\\([A-Za-z0-9_]*=\\)/\\2/p' {}", quoted_word(&file));
        let step = case.again_with(format!("export $({every}) && {line}")).ok_or("its command line is not whole")?;
        let state = format!("`{name}` is not set, and {} sets it", quoted(&file, 60));
        let steps = vec![Step::work(format!("Set what {} sets", quoted(&file, 60)), step, "It finds the variable")];
        return Ok(Offer::new(state.clone(), steps).seen(state));
    }
    // The one value is taken over, by a program that runs nothing of the file.
    let value = format!("sed -n 's/^\\(export \\)*{name}=//p' {} | head -n 1 | tr -d '\"'", quoted_word(&file));
    let step =
        case.again_with(format!("export {name}=\"$({value})\" && {line}")).ok_or("its command line is not whole")?;
    let state = format!("`{name}` is not set, and {} sets it", quoted(&file, 60));
    Ok(Offer::new(
        state.clone(),
        vec![Step::work(format!("Set `{name}` from {}", quoted(&file, 60)), step, "It finds the variable")],
    )
    .seen(state))
}

/// Whether a file sets several variables, each to one plain word, and none that changes which programs run.
fn has_plain_settings(text: &str) -> bool {
    const OWN: &[&str] = &["PATH", "IFS", "ENV", "BASH_ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "SHELLOPTS", "PS4"];
    let is_plain = |line: &str| {
        let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=').unwrap_or_default();
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        begins
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !OWN.contains(&name)
            && value.chars().all(|c| c.is_alphanumeric() || "_-./:@%+,=".contains(c))
    };
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let several = lines.clone().take(2).count() == 2;
    several && lines.all(is_plain)
}

/// Texts in letters that the environment does not allow.
fn letters(case: &Case<'_>, line: &str) -> Option<Offer> {
    let (setting, is_set) = if case.says(&["'ascii' codec can't"]) {
        ("PYTHONUTF8=1", line.contains("PYTHONUTF8"))
    } else if case.says(&[
        "invalid byte sequence in US-ASCII",
        "invalid multibyte char (US-ASCII)",
        "illegal byte sequence",
    ]) {
        ("LC_ALL=C.UTF-8", line.contains("LC_ALL"))
    } else if case.says(&["TERM environment variable not set", "'unknown': I need something more specific"]) {
        ("TERM=xterm", false)
    } else if case.says(&["ERR_OSSL_EVP_UNSUPPORTED"]) {
        ("NODE_OPTIONS=--openssl-legacy-provider", line.contains("NODE_OPTIONS"))
    } else {
        return None;
    };
    let step = case.again_with(format!("export {setting} && {line}")).filter(|_| !is_set)?;
    let why = format!("the environment lacks `{setting}`");
    Some(Offer::new(why.clone(), vec![Step::work(format!("Set `{setting}`"), step, "It ends")]).seen(why))
}
