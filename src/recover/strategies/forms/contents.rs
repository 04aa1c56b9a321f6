//! What lies here is something else than the call takes it for: a packed file with another name, an archive of another kind,
//! a first line that names no program, a table with a name like the one asked for, files one folder further.

use crate::model::FindingKind as K;
use crate::names::only_close;
use crate::programs::Trait;
use crate::recover::case::{Case, join};
use crate::recover::look::FileKind;
use crate::recover::strategies::lines::{Mended, Own, raw};
use crate::recover::strategies::programs::is_slip;
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::{file_name, quoted};

/// Ways to mend a line, the surest first. Each rests on a look.
pub(super) const WAYS: &[fn(&Case<'_>) -> Option<Mended>] = &[
    as_other_archive,
    as_it_is_packed,
    unpacked,
    unpacked_for_code,
    interpreter_like_it,
    table_like_it,
    dashed_file,
    library_here,
    module_of_package,
    pattern_elsewhere,
];

/// Endings by which a name says that its file is packed.
const PACKED: &[&str] = &[".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".lzma", ".Z"];

/// What unpacks a file whose name does not say that it is packed.
fn hidden_packer(case: &Case<'_>, path: &str) -> Option<&'static str> {
    match case.kind(path)? {
        FileKind::Packed(packer) if !PACKED.iter().any(|ending| path.ends_with(ending)) => Some(packer),
        _ => None,
    }
}

/// A packed file that a program reads as it is: it gets what is in it.
fn unpacked(case: &Case<'_>) -> Option<Mended> {
    let reads = |word: &&PlacedWord| {
        word.is_literal && matches!(word.role, WordRole::Argument | WordRole::Target) && !opens_packed(case, word)
    };
    let mut read = case.words.iter().filter(reads);
    let (word, packer) = read.find_map(|word| Some((word, hidden_packer(case, &word.text)?)))?;
    // The shell hands what stands in brackets on as a file.
    let made = format!("<({packer} -dc {})", quoted_word(&word.text));
    let line = case.edited_line(vec![(word.range.clone(), made)])?;
    let why = format!("{} is packed by `{packer}`, whatever its name says", quoted(&word.text, 80));
    Some(Mended { line, why, does: "Unpack it on the way" })
}

/// Whether the program of a word knows packed files itself.
fn opens_packed(case: &Case<'_>, word: &PlacedWord) -> bool {
    let of_it = Own::all(case).find(|own| own.program.command == word.command);
    of_it.is_some_and(|own| ["tar", "gzip", "gunzip", "zcat", "zgrep", "unzip", "file"].contains(&own.name))
}

/// A packed file whose name stands in code: the code gets an unpacked copy.
fn unpacked_for_code(case: &Case<'_>) -> Option<Mended> {
    let line = case.failed.line.as_deref()?;
    let code = case.words.iter().filter(|word| word.role == WordRole::Argument && word.text.contains(['"', '\'']));
    let named = code.flat_map(|word| word.text.split(['"', '\''])).filter(|name| name.contains('.'));
    let mut named = named.filter(|path| line.matches(*path).count() == 1);
    let (path, packer) = named.find_map(|path| Some((path, hidden_packer(case, path)?)))?;
    let (stem, ending) = path.rsplit_once('.')?;
    let copy = format!("{stem}.plain.{ending}");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if case.kind(&copy).is_some() || !path.chars().all(is_plain) {
        return None;
    }
    let line = format!("{packer} -dc {path} > {copy} && {}", line.replacen(path, &copy, 1));
    let why = format!("{} is packed by `{packer}`, whatever its name says", quoted(path, 80));
    Some(Mended { line, why, does: "Read an unpacked copy" })
}

/// An archive of one kind that the other's program is to open. What is there is not overwritten unless the call said so.
fn as_other_archive(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["unzip", "tar"])?;
    let is_zip = |word: &&&PlacedWord| case.kind(&word.text) == Some(FileKind::Zip);
    let is_tar = |word: &&&PlacedWord| matches!(case.kind(&word.text), Some(FileKind::Packed(_) | FileKind::Tar));
    let of_zip = own.name == "unzip";
    let archive = if of_zip { own.args.iter().find(is_tar) } else { own.args.iter().find(is_zip) }?;
    let (mut folder, mut others, mut lists, mut overwrites) = (None, Vec::new(), false, false);
    let mut args = own.args.iter();
    while let Some(word) = args.next() {
        match word.text.as_str() {
            text if text == archive.text => {}
            "-d" | "-C" => folder = Some(args.next()?.text.as_str()),
            "-o" if of_zip => overwrites = true,
            "-q" | "-n" if of_zip => {}
            "-l" if of_zip => lists = true,
            letters if !of_zip && others.is_empty() && letters.trim_start_matches('-').contains(['x', 't']) => {
                lists = letters.contains('t');
            }
            text if text.starts_with('-') => return None,
            text => others.push(text),
        }
    }
    let mut words = match (of_zip, lists, overwrites) {
        (true, true, _) => vec!["tar", "-tf"],
        (true, false, true) => vec!["tar", "-xf"],
        (true, false, false) => vec!["tar", "-xkf"],
        (false, true, _) => vec!["unzip", "-l"],
        (false, false, _) => vec!["unzip", "-n"],
    };
    words.push(&archive.text);
    words.extend(folder.iter().flat_map(|folder| [if of_zip { "-C" } else { "-d" }, folder]));
    words.extend(others);
    let first = folder.filter(|_| of_zip).map(|folder| format!("{} && ", line_of(["mkdir", "-p", "--", folder])));
    let made = first.unwrap_or_default() + &line_of(words);
    let line = case.edited_line(vec![(own.program.range.start..own.end(), made)])?;
    let kind = if of_zip { "a tar archive" } else { "a zip archive" };
    let why = format!("{} is {kind}, whatever its name says", quoted(&archive.text, 80));
    Some(Mended { line, why, does: "Open it by the program of its kind" })
}

/// Programs that unpack a stream, each with the kind that it reads.
const UNPACKERS: &[(&str, &str)] = &[
    ("gunzip", "gzip"),
    ("gzip", "gzip"),
    ("bunzip2", "bzip2"),
    ("bzip2", "bzip2"),
    ("unxz", "xz"),
    ("xz", "xz"),
    ("zstd", "zstd"),
];

/// A packed file that is opened as if another program had packed it, or as packed although it is not. What comes of it is named
/// without the ending, and nothing is overwritten.
fn as_it_is_packed(case: &Case<'_>) -> Option<Mended> {
    let own = Own::all(case).find(|own| own.name == "tar" || UNPACKERS.iter().any(|(name, _)| own.is(name)))?;
    let files = own.args.iter().copied().filter(|word| word.is_literal && !word.text.starts_with('-'));
    let (word, kind) = files.map(|word| (word, case.kind(&word.text))).find_map(|(word, kind)| match kind? {
        kind @ (FileKind::Packed(_) | FileKind::Tar) => Some((word, kind)),
        _ => None,
    })?;
    let (edit, is) = if own.name == "tar" {
        // Without a letter tar finds out by itself how an archive is packed.
        let letters = own.args.first().filter(|word| word.is_literal && !word.text.starts_with("--"))?;
        let kept: String = letters.text.chars().filter(|letter| !matches!(letter, 'z' | 'j' | 'J')).collect();
        let is_opened = kept != letters.text && kept.contains(['x', 't']);
        let is = if kind == FileKind::Tar { "not packed" } else { "packed in another way" };
        is_opened.then(|| ((letters.range.clone(), kept), is.to_owned()))?
    } else {
        let FileKind::Packed(packer) = kind else { return None };
        let (_, reads) = UNPACKERS.iter().find(|(name, _)| own.is(name))?;
        let (stem, ending) = word.text.rsplit_once('.')?;
        if packer == *reads || stem.is_empty() || ending.contains('/') || case.kind(stem).is_some() {
            return None;
        }
        let made = format!("{packer} -dc < {} > {}", quoted_word(&word.text), quoted_word(stem));
        ((own.program.range.start..own.end(), made), format!("packed by `{packer}`"))
    };
    let line = case.edited_line(vec![edit])?;
    let why = format!("{} is {is}, whatever its name says", quoted(&word.text, 80));
    Some(Mended { line, why, does: "Open it as it is packed" })
}

/// A file whose name begins with a dash, which its program takes for an option.
fn dashed_file(case: &Case<'_>) -> Option<Mended> {
    let is_file = |word: &&PlacedWord| {
        word.is_literal && word.text.len() > 1 && word.text.starts_with('-') && case.kind(&word.text).is_some()
    };
    let words = case.words.iter().filter(|word| word.role == WordRole::Argument).filter(is_file);
    let edits: Vec<_> = words.map(|word| (word.range.clone(), quoted_word(&format!("./{}", word.text)))).collect();
    let line = case.edited_line(edits)?;
    let why = "a file here is called so, and its program takes the name for an option".to_owned();
    Some(Mended { line, why, does: "Name the file with its folder" })
}

/// A shared library that lies in the project, where the loader does not look.
fn library_here(case: &Case<'_>) -> Option<Mended> {
    let is_library = |word: &&str| word.contains(".so") && !word.contains('/');
    // The loader says in one line that it misses a library, a file and a program.
    let name = case.findings().find_map(|finding| finding.line.split([' ', ':']).find(is_library))?;
    let found = case.looks.find(&|other| other == name);
    let [path] = &found[..] else { return None };
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let start = Own::all(case).next()?.program.range.start;
    let line = case.edited_line(vec![(start..start, format!("LD_LIBRARY_PATH={} ", quoted_word(folder)))])?;
    let why = format!("the library lies in {}, where the loader does not look", quoted(folder, 80));
    Some(Mended { line, why, does: "Show the loader the folder" })
}

/// A file of a Python package that was given as a script, though it imports from its package.
fn module_of_package(case: &Case<'_>) -> Option<Mended> {
    case.finding(K::Traceback)?;
    let own = Own::of(case, &["python"])?;
    let word = own.args.first().filter(|word| word.is_literal && !word.text.starts_with(['/', '.', '-']))?;
    let module = word.text.strip_suffix(".py").filter(|path| path.contains('/'))?.replace('/', ".");
    let text = case.looks.text(&case.at(&word.text))?;
    if !text.lines().any(|line| line.starts_with("from .")) {
        return None;
    }
    let line = case.edited_line(vec![(word.range.clone(), format!("-m {}", quoted_word(&module)))])?;
    let why = format!("{} imports from its package", quoted(&word.text, 80));
    Some(Mended { line, why, does: "Run it as a module of its package" })
}

/// A script whose first line names a program that is not there, and one with a name like it is.
fn interpreter_like_it(case: &Case<'_>) -> Option<Mended> {
    let is_script = |word: &&PlacedWord| word.role == WordRole::Program && word.is_literal && word.text.contains('/');
    let mut scripts = case.words.iter().filter(is_script);
    let (word, words) = scripts.find_map(|word| match case.kind(&word.text)? {
        FileKind::Script(words) => Some((word, words)),
        _ => None,
    })?;
    let first = words.first()?;
    let is_env = file_name(first) == "env";
    let named =
        words.iter().skip(usize::from(is_env)).map(|word| file_name(word)).find(|word| !word.starts_with('-'))?;
    let programs = case.looks.programs();
    let meant = if !programs.iter().any(|program| program == named) {
        only_close(named, programs.iter().map(String::as_str)).filter(|near| is_slip(named, near))?
    } else if !is_env && case.looks.kind(first).is_none() {
        named
    } else {
        return None;
    };
    let line = case.edited_line(vec![(word.range.clone(), line_of([meant, &word.text]))])?;
    let why = format!("the first line of {} names {}, and `{meant}` exists", quoted(&word.text, 80), quoted(first, 40));
    let why = if is_env { why.replacen(&quoted(first, 40), &quoted(named, 40), 1) } else { why };
    Some(Mended { line, why, does: "Let the intended program read the script" })
}

/// Words before the name of a table.
const BEFORE_A_TABLE: &[&str] = &["from", "join", "into", "update", "table"];

/// A table that the database file does not have, and one with a name like it: `user` for `users`.
fn table_like_it(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["sqlite"])?;
    let literal = || own.args.iter().filter(|word| word.is_literal && !word.text.starts_with('-'));
    let tables = literal().find_map(|word| tables_of(&case.looks.beginning(&case.at(&word.text))?))?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for word in literal() {
        let mut parts = word.text.split_inclusive(|c: char| !is_name(c)).peekable();
        let mut at = 0;
        while let Some(part) = parts.next() {
            at += part.len();
            let before = part.trim_end().to_ascii_lowercase();
            let Some(name) = parts.peek().map(|next| next.trim_end_matches(|c: char| !is_name(c))) else { break };
            if !BEFORE_A_TABLE.contains(&before.as_str()) || name.is_empty() {
                continue;
            }
            if tables.iter().any(|table| table.eq_ignore_ascii_case(name)) {
                continue;
            }
            let near = only_close(name, tables.iter().map(String::as_str))?;
            let (head, rest) = (word.text.get(..at)?, word.text.get(at + name.len()..)?);
            let made = quoted_word(&format!("{head}{near}{rest}"));
            let line = case.edited_line(vec![(word.range.clone(), made)])?;
            let why = format!("the database has no table {}, and has {}", quoted(name, 60), quoted(near, 60));
            return Some(Mended { line, why, does: "Ask for the existing table" });
        }
    }
    None
}

/// The tables that the first pages of a database of SQLite declare; None for anything else.
fn tables_of(beginning: &str) -> Option<Vec<String>> {
    if !beginning.starts_with("SQLite format 3") {
        return None;
    }
    let lower = beginning.to_ascii_lowercase();
    let declared = lower.match_indices("create table ").filter_map(|(at, words)| {
        let rest = beginning.get(at + words.len()..)?.trim_start_matches(['"', '`', '[', '\'']);
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        (!name.is_empty()).then_some(name)
    });
    Some(declared.collect())
}

/// A pattern that fits no file here, and files one folder up, or in the only folder below that has some. Only for programs
/// that look: others would do something to files that nobody named.
fn pattern_elsewhere(case: &Case<'_>) -> Option<Mended> {
    let only_looks = case.commands().all(|command| command.is(Trait::Looks));
    let is_pattern = |word: &&PlacedWord| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./*?".contains(c);
        word.role == WordRole::Argument
            && word.text.contains(['*', '?'])
            && !word.text.starts_with(['-', '/'])
            && word.text.chars().all(is_plain)
            && raw(case, word) == word.text
    };
    let word = case.words.iter().find(is_pattern).filter(|_| only_looks && case.looks.is_looking())?;
    let (below, pattern) = word.text.rsplit_once('/').unwrap_or((".", &word.text));
    let fits = |folder: &str| {
        let names = case.looks.names(&case.at(&join(folder, below)));
        let is_seen = |name: &str| !name.starts_with('.') || pattern.starts_with('.');
        names.iter().any(|name| is_seen(&name.name) && fast_glob::glob_match(pattern, &name.name))
    };
    if fits(".") {
        return None;
    }
    let is_up = |up: &&str| case.looks.is_own(&case.at(up)) && fits(up);
    let up = ["..", "../.."].into_iter().find(is_up).map(str::to_owned);
    let folder = up.or_else(|| {
        let folders = case.looks.names(&case.at(".")).into_iter().filter(|name| name.is_dir);
        let mut fitting = folders.map(|folder| folder.name).filter(|name| !name.starts_with('.') && fits(name));
        fitting.next().filter(|_| fitting.next().is_none())
    })?;
    let made = join(&quoted_word(&folder), &word.text);
    let line = case.edited_line(vec![(word.range.clone(), made.clone())])?;
    let why = format!("no file here fits {}, and in {} some do", quoted(&word.text, 60), quoted(&folder, 60));
    Some(Mended { line, why, does: "Look where the files are" })
}
