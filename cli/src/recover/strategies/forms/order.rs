//! Words of a call in another order than its program reads them, and files that lie where the call does not run.

use crate::model::FindingKind as K;
use crate::programs::Trait;
use crate::programs::words::{COPIES, FILLS};
use crate::recover::case::{Case, join, parent};
use crate::recover::look::FileKind;
use crate::recover::strategies::lines::{Mended, Own, behind, raw};
use crate::recover::strategies::sources::is_of_script;
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

/// Letters of `tar` that take a word, in front of others: the word behind them is another one's.
pub(super) fn letters_of_archive(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["tar"])?;
    let letters = own.args.first().filter(|word| word.is_literal && !word.text.starts_with("--"))?;
    let others: String = letters.text.chars().filter(|letter| *letter != 'f').collect();
    let made = format!("{others}f");
    if !letters.text.contains('f') || made == letters.text || letters.text.len() > 8 {
        return None;
    }
    let line = case.edited_line(vec![(letters.range.clone(), made)]).filter(|_| letters.text.starts_with('-'))?;
    let why = "`f` takes the letters behind it for the name of the archive".to_owned();
    Some(Mended { line, why, does: "Let `f` be the last letter" })
}

/// A folder that stands behind the conditions of a search.
pub(super) fn folder_first(case: &Case<'_>) -> Option<Mended> {
    case.finding(K::MisplacedPath)?;
    let own = Own::of(case, &["find"])?;
    let is_folder = |word: &&&PlacedWord| word.is_literal && case.kind(&word.text) == Some(FileKind::Dir);
    let folder = own.args.iter().skip(1).find(is_folder)?;
    let edits = vec![(folder.range.clone(), String::new()), behind(own.program.range.end, raw(case, folder))];
    let line = case.edited_line(edits)?;
    let why = "the folder is behind the conditions".to_owned();
    Some(Mended { line, why, does: "Name the folder first" })
}

/// Signs in a script that it writes files.
const WRITES: &[&str] = &["write", "put_contents", "'w", "\"w", "'a'", "\"a\"", "dump(", "to_csv", "save", " > ", ">>"];

/// A script that opens a file by a path that only fits from another folder: it runs there.
pub(super) fn from_its_folder(case: &Case<'_>) -> Option<Mended> {
    if !case.looks.is_looking() {
        return None;
    }
    let is_script = |word: &PlacedWord| {
        word.is_literal && case.kind(&word.text).is_some() && !matches!(case.kind(&word.text), Some(FileKind::Dir))
    };
    let own = Own::all(case).last()?;
    let starts = own.program.text.contains('/') && is_script(own.program)
        || own.args.first().is_some_and(|word| is_of_script(&word.text) && is_script(word));
    let before = case.words.iter().filter(|word| word.role == WordRole::Program && word.command < own.program.command);
    let only_enters = before.clone().all(|word| word.text == "cd");
    if !starts || !only_enters || case.finding(K::MissingFile).is_none() && case.finding(K::NotThere).is_none() {
        return None;
    }
    let here = case.folder();
    let in_line = |path: &str| case.words.iter().any(|word| word.text.contains(path));
    let paths = case.named(K::MissingFile).into_iter().chain(case.printed().file_names());
    let is_gone = |path: &&str| !path.starts_with(['/', '~']) && !in_line(path) && case.kind(path).is_none();
    let (path, folder) = paths.filter(is_gone).find_map(|path| {
        let found = case.looks.find(&|name| name == crate::text::file_name(path));
        let folders = found.iter().filter_map(|found| {
            let folder = found.strip_suffix(path)?;
            (folder.is_empty() || folder.ends_with('/')).then(|| folder.trim_end_matches('/').to_owned())
        });
        let folders: Vec<String> = folders.collect();
        <[String; 1]>::try_from(folders).ok().map(|[folder]| (path, folder))
    })?;
    let script = if own.program.text.contains('/') { own.program } else { own.args.first()? };
    // From another folder than its own a script would leave there what it writes.
    let is_its_own = parent(&join(&here, &script.text)) == if folder.is_empty() { "." } else { &folder };
    let text = case.looks.text(&case.at(&script.text)).unwrap_or_default().to_ascii_lowercase();
    if !is_its_own && !path.contains('/') && WRITES.iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let (there, back) = (way_to(&here, &folder)?, way_to(&folder, &here)?);
    let mut edits =
        vec![(own.program.range.start..own.program.range.start, format!("{} && ", line_of(["cd", &there])))];
    for word in case.words.iter().filter(|word| word.command == own.program.command && word.is_literal) {
        let is_path = word.role == WordRole::Target
            || word.text.contains('/') && word.role == WordRole::Program
            || case.kind(&word.text).is_some();
        if !is_path || word.text.starts_with(['/', '~', '-']) {
            continue;
        }
        let whole = join(&here, word.text.trim_start_matches("./"));
        let below = whole.strip_prefix(&format!("{folder}/")).filter(|_| !folder.is_empty()).map(str::to_owned);
        let made = below.unwrap_or_else(|| if folder.is_empty() { whole.clone() } else { join(&back, &word.text) });
        let made = if word.role == WordRole::Program && !made.contains('/') { format!("./{made}") } else { made };
        if word.range.start == own.program.range.start {
            edits.clear();
            edits.push((word.range.clone(), format!("{} && {}", line_of(["cd", &there]), quoted_word(&made))));
        } else {
            edits.push((word.range.clone(), quoted_word(&made)));
        }
    }
    let line = case.edited_line(edits)?;
    let place = if folder.is_empty() { ".".to_owned() } else { folder };
    let why = format!("{} is in {}, and the script looks for it where it runs", quoted(path, 80), quoted(&place, 80));
    Some(Mended { line, why, does: "Run it where its files are" })
}

/// The only file of a folder that was given in its place.
pub(super) fn file_of_folder(case: &Case<'_>) -> Option<Mended> {
    let is_told =
        case.printed().is_blank() || case.finding(K::IsDirectory).is_some() || case.printed().misses_database();
    let writes = Own::all(case).any(|own| {
        COPIES.contains(&own.name)
            || FILLS.contains(&own.name)
            || own.is("rm")
            || own.args.iter().any(|word| matches!(&*word.text, "-r" | "-R" | "--recursive"))
            || case.commands().all(|command| command.is(Trait::Displays) || command.is(Trait::ListsNames))
    });
    let is_folder = |word: &&PlacedWord| {
        word.is_literal && word.role == WordRole::Argument && case.kind(&word.text) == Some(FileKind::Dir)
    };
    let word = case.words.iter().find(is_folder).filter(|_| is_told && !writes)?;
    let names = case.looks.names(&case.at(&word.text));
    let [only] = names.as_slice() else { return None };
    let made = format!("{}/{}", word.text.trim_end_matches('/'), only.name);
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(&made))]).filter(|_| !only.is_dir)?;
    let why = format!("{} is a folder, and {} is the only file in it", quoted(&word.text, 80), quoted(&only.name, 80));
    Some(Mended { line, why, does: "Name the file" })
}

/// The way from one folder to another, both below the call's.
fn way_to(from: &str, to: &str) -> Option<String> {
    if from == to || from.starts_with(['/', '.']) || to.starts_with(['/', '.']) {
        return None;
    }
    let (from, to): (Vec<&str>, Vec<&str>) = (
        from.split('/').filter(|part| !part.is_empty()).collect(),
        to.split('/').filter(|part| !part.is_empty()).collect(),
    );
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let ups = from.len() - same;
    let mut way: Vec<&str> = std::iter::repeat_n("..", ups).collect();
    way.extend(to.iter().skip(same));
    Some(way.join("/"))
}

/// A file that Python was to find as a module, by its path: it is a script.
pub(super) fn script_of_module(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["python"])?;
    let flag = own.word("-m")?;
    let at = own.args.iter().position(|word| std::ptr::eq(*word, flag))?;
    let module = own.args.get(at + 1).filter(|word| word.text.contains('/') || word.text.ends_with(".py"))?;
    case.kind(&module.text).filter(|kind| *kind != FileKind::Dir)?;
    let line = case.edited_line(vec![(flag.range.clone(), String::new())])?;
    let why = format!("{} is the path of a file, and no name of a module", quoted(&module.text, 80));
    Some(Mended { line, why, does: "Run the file" })
}

/// The class of a file of Java, which is started by its name.
pub(super) fn class_of_file(case: &Case<'_>) -> Option<Mended> {
    /// Where tools of Java put what they compile.
    const CLASSES: &[&str] =
        &["out", "target/classes", "build/classes/java/main", "build/classes", "classes", "bin", "build", "."];
    let own = Own::of(case, &["java"])?;
    if let Some(word) = own.args.iter().find(|word| word.is_literal && word.text.ends_with(".class")) {
        case.kind(&word.text).filter(|_| parent(&word.text) == ".")?;
        let line = case.edited_line(vec![(word.range.clone(), quoted_word(word.text.trim_end_matches(".class")))])?;
        let why = "Java takes the name of a class, and no file".to_owned();
        return Some(Mended { line, why, does: "Name the class" });
    }
    let is_told =
        |word: &&&PlacedWord| !word.text.starts_with('-') && case.printed().names(&format!("class {}", word.text));
    let class = own.args.iter().filter(|word| word.is_literal).find(is_told)?;
    let file = format!("{}.class", class.text.replace('.', "/"));
    let folder = CLASSES.iter().find(|folder| case.kind(&join(folder, &file)).is_some())?;
    let at = own.args.iter().position(|word| matches!(&*word.text, "-cp" | "-classpath" | "--class-path"));
    let edit = match at.and_then(|at| own.args.get(at + 1)) {
        Some(path) => (path.range.clone(), (*folder).to_owned()),
        None => behind(own.program.range.end, &format!("-cp {folder}")),
    };
    let why = format!("the class is in {}, where Java does not look", quoted(folder, 60));
    Some(Mended { line: case.edited_line(vec![edit])?, why, does: "Name the folder of the class" })
}
