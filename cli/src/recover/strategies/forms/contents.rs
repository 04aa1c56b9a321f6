//! What lies here is something else than the call takes it for: a packed file with another name, an archive of another kind,
//! a first line that names no program, a table with a name like the one asked for, files one folder further.

use super::converted::{PACKED, converted};
use super::order::{
    class_of_file, file_of_folder, folder_first, from_its_folder, letters_of_archive, script_of_module,
};
use super::scripts::{module_kind, other_language, with_library};
use super::search_paths::with_search_path;
use super::variables::with_variables;
use crate::model::FindingKind as K;
use crate::names::only_close;
use crate::programs::Trait;
use crate::recover::case::{Case, join};
use crate::recover::look::FileKind;
use crate::recover::strategies::lines::{Mended, Own, raw};
use crate::recover::strategies::programs::{is_slip, without_version};
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::{file_name, quoted};

/// Ways to mend a line, the surest first. Each rests on a look.
pub(super) const WAYS: &[fn(&Case<'_>) -> Option<Mended>] = &[
    as_other_archive,
    as_it_is_packed,
    printed_plain,
    interpreter_like_it,
    converted,
    dashed_file,
    module_of_package,
    pattern_elsewhere,
    script_of_module,
    class_of_file,
    letters_of_archive,
    folder_first,
    with_variables,
    with_search_path,
    from_its_folder,
    file_of_folder,
    other_language,
    module_kind,
    with_library,
];

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
    let is_single = of_zip
        && matches!(case.kind(&archive.text), Some(FileKind::Packed(_)))
        && case.looks.members(&case.at(&archive.text)).is_some_and(|names| names.is_empty());
    if let (true, Some(FileKind::Packed(packer))) = (is_single, case.kind(&archive.text)) {
        let stem = archive.text.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| case.kind(stem).is_none())?;
        let made = format!("{packer} -dc < {} > {}", quoted_word(&archive.text), quoted_word(stem));
        let line = case.edited_line(vec![(own.program.range.start..own.end(), made)])?;
        let why = format!("{} is a file packed by `{packer}`, and no archive", quoted(&archive.text, 80));
        return (packer == "gzip").then_some(Mended { line, why, does: "Unpack it as it is packed" });
    }
    words.push(&archive.text);
    words.extend(folder.iter().flat_map(|folder| [if of_zip { "-C" } else { "-d" }, folder]));
    words.extend(others);
    let first = folder.filter(|_| of_zip).map(|folder| format!("{} && ", line_of(["mkdir", "-p", "--", folder])));
    let made = first.unwrap_or_default() + &line_of(words);
    let line = case.edited_line(vec![(own.program.range.start..own.end(), made)])?;
    let kind = if of_zip { "a tar archive" } else { "a zip archive" };
    let why = format!("{} is {kind}, despite its name", quoted(&archive.text, 80));
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

/// A file that `zcat` is to unpack, and that is not packed so.
fn printed_plain(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["zcat", "bzcat", "xzcat", "zstdcat"])?;
    let reader = |kind| match kind {
        FileKind::Text => Some(("cat", "not compressed")),
        FileKind::Packed("gzip") => Some(("zcat", "packed by `gzip`")),
        FileKind::Packed("bzip2") => Some(("bzcat", "packed by `bzip2`")),
        FileKind::Packed("xz") => Some(("xzcat", "packed by `xz`")),
        FileKind::Packed(_) => Some(("zstdcat", "packed by `zstd`")),
        FileKind::Zip => Some(("unzip -p", "a zip archive")),
        _ => None,
    };
    let mut words = own.args.iter().filter(|word| word.is_literal);
    let (word, (reader, is)) = words.find_map(|word| Some((word, reader(case.kind(&word.text)?)?)))?;
    let line = case.edited_line(vec![(own.program.range.clone(), reader.to_owned())])?;
    let why = format!("{} is {is}, despite its name", quoted(&word.text, 80));
    (reader != own.name).then_some(Mended { line, why, does: "Print it as it is packed" })
}

/// A packed file that is opened as if another program had packed it, or as packed although it is not. What comes of it is named
/// without the ending, and nothing is overwritten.
fn as_it_is_packed(case: &Case<'_>) -> Option<Mended> {
    let unpacks = |own: &Own<'_>| {
        let is_asked = |word: &str| word == "--decompress" || !word.starts_with("--") && word.contains('d');
        own.name.contains("un") || own.args.iter().any(|arg| arg.text.starts_with('-') && is_asked(&arg.text))
    };
    let is_packer = |own: &Own<'_>| UNPACKERS.iter().any(|(name, _)| own.is(name)) && unpacks(own);
    let own = Own::all(case).find(|own| own.name == "tar" || is_packer(own))?;
    let files = own.args.iter().copied().filter(|word| word.is_literal && !word.text.starts_with('-'));
    let plain = files.clone().find(|word| case.kind(&word.text) == Some(FileKind::Text));
    if let Some(word) = plain.filter(|_| own.name != "tar") {
        let (stem, _) = word.text.rsplit_once('.').unwrap_or((&word.text, ""));
        let prints = own.args.iter().any(|arg| matches!(&*arg.text, "-c" | "-dc" | "--stdout"));
        let made = if prints { line_of(["cat", &word.text]) } else { line_of(["cp", "-n", "--", &word.text, stem]) };
        let line = case.edited_line(vec![(own.program.range.start..own.end(), made)])?;
        let why = format!("{} is not compressed, despite its name", quoted(&word.text, 80));
        return (prints || case.kind(stem).is_none()).then_some(Mended { line, why, does: "Take it as it is" });
    }
    let (word, kind) = files.map(|word| (word, case.kind(&word.text))).find_map(|(word, kind)| match kind? {
        kind @ (FileKind::Packed(_) | FileKind::Tar) => Some((word, kind)),
        _ => None,
    })?;
    let (edit, is) = if own.name == "tar" {
        // Without a letter tar finds out by itself how an archive is packed.
        let letters = own.args.first().filter(|word| word.is_literal && !word.text.starts_with("--"))?;
        let kept: String = letters.text.chars().filter(|letter| !matches!(letter, 'z' | 'j' | 'J')).collect();
        // A letter that fits the archive is not why it failed.
        let packs = |letter| match letter {
            'z' => "gzip",
            'j' => "bzip2",
            'J' => "xz",
            _ => "",
        };
        let fits = letters.text.chars().any(|letter| kind == FileKind::Packed(packs(letter)));
        let is_opened = kept != letters.text && kept.contains(['x', 't']) && !fits;
        let is = if kind == FileKind::Tar { "not packed" } else { "packed in another way" };
        is_opened.then(|| ((letters.range.clone(), kept), is.to_owned()))?
    } else {
        let FileKind::Packed(packer) = kind else { return None };
        let (_, reads) = UNPACKERS.iter().find(|(name, _)| own.is(name))?;
        let (stem, ending) = word.text.rsplit_once('.')?;
        let is_unknown = packer == *reads && PACKED.iter().all(|packed| packed.trim_start_matches('.') != ending);
        let opens = packer != *reads || is_unknown && own.args.iter().any(|arg| arg.text.starts_with("-d"));
        if !opens || stem.is_empty() || ending.contains('/') || case.kind(stem).is_some() {
            return None;
        }
        let made = format!("{packer} -dc < {} > {}", quoted_word(&word.text), quoted_word(stem));
        ((own.program.range.start..own.end(), made), format!("packed by `{packer}`"))
    };
    let line = case.edited_line(vec![edit])?;
    let why = format!("{} is {is}, despite its name", quoted(&word.text, 80));
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
    let is_gone = case.looks.kind(first).is_none();
    let is_env = file_name(first) == "env" || is_gone && words.len() > 1 && is_slip(file_name(first), "env");
    let named =
        words.iter().skip(usize::from(is_env)).map(|word| file_name(word)).find(|word| !word.starts_with('-'))?;
    let programs = case.looks.programs();
    let meant = if !programs.iter().any(|program| program == named) {
        let same = without_version(case, named);
        same.or_else(|| only_close(named, programs.iter().map(String::as_str)).filter(|near| is_slip(named, near)))?
    } else if file_name(first) != "env" && is_gone {
        named
    } else {
        return None;
    };
    let line = case.edited_line(vec![(word.range.clone(), line_of([meant, &word.text]))])?;
    let why = format!("the first line of {} names {}, and `{meant}` exists", quoted(&word.text, 80), quoted(first, 40));
    let why = if file_name(first) == "env" { why.replacen(&quoted(first, 40), &quoted(named, 40), 1) } else { why };
    Some(Mended { line, why, does: "Let the intended program read the script" })
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
    let below = |above: &&str| {
        let folders = case.looks.names(&case.at(above)).into_iter().filter(|name| name.is_dir);
        let folders = folders.filter(|name| !name.name.starts_with('.')).map(|name| join(above, &name.name));
        let mut fitting = folders.filter(|folder| fits(folder));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    let beside = || Some("..").filter(|up| case.looks.is_own(&case.at(up))).and_then(|up| below(&up));
    let folder = up.or_else(|| below(&".")).or_else(beside)?;
    let made = join(&quoted_word(&folder), &word.text);
    let line = case.edited_line(vec![(word.range.clone(), made.clone())])?;
    let why = format!("no file here fits {}, and in {} some do", quoted(&word.text, 60), quoted(&folder, 60));
    Some(Mended { line, why, does: "Look where the files are" })
}
