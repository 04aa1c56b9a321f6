//! A path that is not there.

use serde_json::Value;

use super::super::case::{Case, Offer, Offered, join, name_of, parent};
use super::super::look::{FileKind, Name};
use super::super::step::{Deed, PlanStep};
use super::lines::is_written;
use super::sources::{named_in_other_letters, what_builds};
use crate::model::{Category, FindingKind as Kind, ObjectKind, ToolKind};
use crate::names::{apart, only_close};
use crate::programs::words::{CONVERTERS, COPIES, FILLS, OUTPUTS};
use crate::programs::{Trait, find};
use crate::redact::names_secrets;
use crate::shell::{PlacedWord, WordRole, line_of};
use crate::text::quoted;

/// A missing path as the call names it, and its word in the line.
pub(in super::super) struct MissingPath<'c> {
    /// As the call writes it.
    pub(in super::super) path: String,
    /// Its word, where the call is a line.
    pub(in super::super) word: Option<&'c PlacedWord>,
}

/// The path that is missing: the target of a file tool, else the word of the line that the output names and, where it can
/// be looked at, that is not there.
pub(in super::super) fn missing<'c>(case: &'c Case<'_>) -> Option<MissingPath<'c>> {
    if let Some(file) = &case.failed.file {
        return Some(MissingPath { path: file.clone(), word: None });
    }
    let named = case.failed.object(ObjectKind::File);
    if let Some(program) = silent_program(case) {
        return Some(MissingPath { path: program.text.clone(), word: Some(program) });
    }
    let is_named = |path: &str| {
        named.is_some_and(|named| same_path(named, path)) && case.finding(Kind::NoProject).is_none()
            || case.findings().any(|found| {
                let is_other = found.name.is_some_and(|name| !same_path(name, path) && !same_path(path, name));
                GONE.contains(&found.kind) && found.line.contains(path) && !is_other
            })
    };
    let is_gone = |path: &str| !case.looks.is_looking() || case.kind(path).is_none();
    let words = case.words.iter().filter(|word| word.is_literal && word.role != WordRole::Assignment);
    let mut found = words.filter_map(|word| {
        // A test stands behind `::`.
        let path = word.text.split("::").next()?;
        let is_path = path.contains(['/', '.'])
            || named == Some(path)
            || case.findings().any(|found| found.kind == Kind::MissingFile && found.name == Some(path))
            || word.role == WordRole::Argument
                && [Trait::Enters, Trait::ListsNames].iter().any(|own| is_said_to(case, word, *own));
        let fits = is_path
            && !path.starts_with('-')
            && !path.contains("://")
            && path.len() <= 1024
            && !matches!(path, "." | "..");
        (fits && is_named(path) && is_gone(path)).then(|| MissingPath { path: path.to_owned(), word: Some(word) })
    });
    let Some(first) = found.next() else {
        // Of a line that is not whole, or whose words the shell makes, only the output tells.
        let is_made =
            case.words.is_empty() || case.words.iter().any(|word| !word.is_literal && word.role == WordRole::Argument);
        let plain = named.filter(|path| {
            let is_path = if case.words.is_empty() { path.contains('/') } else { path.starts_with('/') };
            is_made && is_path && path.len() <= 1024 && is_gone(path)
        });
        return plain
            .filter(|_| case.category() == Category::PathNotFound)
            .map(|path| MissingPath { path: path.to_owned(), word: None });
    };
    // Of two words of which one is the end of the other the output names the longer one.
    let mut found: Vec<MissingPath<'c>> = std::iter::once(first).chain(found).collect();
    let longest =
        |path: &str, all: &[MissingPath<'_>]| !all.iter().any(|other| other.path.ends_with(&format!("/{path}")));
    let kept: Vec<bool> = found.iter().map(|one| longest(&one.path, &found)).collect();
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(true));
    let mut found = found.into_iter();
    let first = found.next()?;
    // The one that the reader took for the object goes before others.
    if named.is_some_and(|named| same_path(named, &first.path)) {
        return Some(first);
    }
    Some(found.find(|other| named.is_some_and(|named| same_path(named, &other.path))).unwrap_or(first))
}

/// A program that is named by its path and was not found, where what the shell said of it was hidden.
fn silent_program<'c>(case: &'c Case<'_>) -> Option<&'c PlacedWord> {
    let is_hidden = case.failed.exit_code == Some(127) && case.printed().is_blank();
    let mut programs = case.words.iter().filter(|word| word.role == WordRole::Program && word.text.contains('/'));
    programs.next().filter(|word| is_hidden && word.is_literal && programs.next().is_none())
}

/// The kinds of finding that name a path which is not there.
const GONE: &[Kind] =
    &[Kind::MissingFile, Kind::MissingProgram, Kind::MissingModule, Kind::UnknownPathspec, Kind::UnknownRef];

fn same_path(a: &str, b: &str) -> bool {
    let plain = |path: &str| path.trim_start_matches("./").trim_end_matches('/').to_owned();
    let (a, b) = (plain(a), plain(b));
    a == b || a.ends_with(&format!("/{b}"))
}

/// The folder that is listed: the nearest above the path that is there.
fn nearest_folder(case: &Case<'_>, path: &str) -> String {
    let mut folder = parent(path);
    if case.looks.is_looking() {
        for _ in 0..32 {
            if case.kind(&folder) == Some(FileKind::Dir) || folder == "." || folder == "/" {
                break;
            }
            folder = parent(&folder);
        }
    }
    folder
}

/// Folders whose contents no plan takes for what was meant.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, ".git" | "node_modules"))
}

/// The only thing that is named alike: in the same folder by its letters, else elsewhere below the project by its name. Files
/// of secrets are never guessed.
pub(in super::super) fn named_alike(case: &Case<'_>, path: &str) -> Option<String> {
    alike(case, path).filter(|near| !names_secrets(near))
}

fn alike(case: &Case<'_>, path: &str) -> Option<String> {
    let name = name_of(path);
    if name.is_empty() || name.starts_with("..") {
        return None;
    }
    // Of a link that leads nowhere it is what it was to lead to.
    if let Some(target) = case.link(path).filter(|target| target != path && case.link(target).is_none()) {
        return alike(case, &target);
    }
    if let Some(there) = in_other_letters(case, path) {
        return Some(there);
    }
    if let Some(from_here) = from_another_folder(case, path) {
        return Some(from_here);
    }
    let folder = parent(path);
    let wants_dir = path.ends_with('/');
    let here = case.folder();
    let found_all = case.looks.find(&|other| other == name);
    let mut found = found_all.iter().filter(|other| !is_hidden(other));
    // The very name elsewhere says more than a name that is like it here.
    if let (Some(only), None) = (found.next(), found.next()) {
        return Some(path_from(&here, only, path, case));
    }
    if let Some(best) = longest_end(&found_all, path) {
        return Some(path_from(&here, best, path, case));
    }
    let names = case.looks.names(&case.at(&folder));
    let wants_file = name.contains('.') && !wants_dir;
    let names = names.iter().filter(|other| (!wants_dir || other.is_dir) && !(wants_file && other.is_dir));
    if let Some(near) = only_close(name, names.map(|other| other.name.as_str())) {
        let is_bare = folder == "." && !path.starts_with("./");
        return Some(if is_bare { near.to_owned() } else { join_shown(&folder, near) });
    }
    // The same name with another ending, the only one.
    if let Some((stem, _)) = name.rsplit_once('.').filter(|(stem, _)| stem.len() >= 3) {
        let mut others = case
            .looks
            .names(&case.at(&folder))
            .into_iter()
            .filter(|other| !other.is_dir && other.name.rsplit_once('.').is_some_and(|(other, _)| other == stem));
        if let Some(only) = others.next().filter(|_| others.next().is_none()).filter(|only| is_like(&only.name, name)) {
            let is_bare = folder == "." && !path.starts_with("./");
            return Some(if is_bare { only.name } else { join_shown(&folder, &only.name) });
        }
    }
    // Folders on the way are mistyped: `srcs/main.rs` for `src/main.rs`.
    let close = |wanted: &str, names: &[Name]| {
        only_close(wanted, names.iter().map(|other| other.name.as_str())).map(str::to_owned)
    };
    if let Some(there) = walked(case, path, close).filter(|_| folder != "." && !wants_dir) {
        return Some(there);
    }
    // What was put aside under a longer name, as logs are.
    let is_longer = |other: &str| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let longer = case.looks.find(&|other| apart(name, other) == Some(0) || is_longer(other));
    let [only] = longer.as_slice() else { return None };
    (!wants_dir && !name.starts_with('.') && !is_hidden(only)).then(|| path_from(&here, only, path, case))
}

/// The path as it is here, where only small and capital letters differ.
pub(super) fn in_other_letters(case: &Case<'_>, path: &str) -> Option<String> {
    walked(case, path, |wanted, names| {
        let mut same = names.iter().filter(|other| other.name.to_lowercase() == wanted.to_lowercase());
        same.next().filter(|_| same.next().is_none()).map(|other| other.name.clone())
    })
}

/// The path with every part that is not there by the name that fits it. None where one has none, and of what is there.
fn walked(case: &Case<'_>, path: &str, fits: impl Fn(&str, &[Name]) -> Option<String>) -> Option<String> {
    let cwd = case.failed.cwd.as_deref().unwrap_or_default();
    let (mut at, rest) = match path.strip_prefix('/') {
        Some(_) => (cwd.to_owned(), path.strip_prefix(cwd)?.strip_prefix('/')?),
        None => (String::new(), path),
    };
    let mut is_other = false;
    for part in rest.split('/').filter(|part| !matches!(*part, "" | ".")) {
        let next = join(&at, part);
        at = if part == ".." || case.kind(&next).is_some() {
            next
        } else {
            is_other = true;
            let folder = if at.is_empty() { "." } else { &at };
            join(&at, &fits(part, &case.looks.names(&case.at(folder)))?)
        };
    }
    let at = if path.starts_with("./") { format!("./{at}") } else { at };
    is_other.then_some(at)
}

/// Endings of the same kind of file.
const KINDS: &[&[&str]] = &[
    &["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"],
    &["yml", "yaml", "json", "toml", "ini", "cfg", "conf", "json5", "jsonc"],
    &["md", "rst", "txt", "adoc", "mdx", "markdown"],
    &["c", "cc", "cpp", "cxx", "h", "hpp", "hh"],
    &["htm", "html", "xhtml"],
    &["jpg", "jpeg", "png", "svg", "webp", "gif"],
    &["css", "scss", "sass", "less"],
    &["csv", "tsv", "jsonl", "ndjson"],
    &["sh", "bash", "zsh"],
    &["py", "pyi"],
];

/// Whether two names end as the same kind of file does.
fn is_like(a: &str, b: &str) -> bool {
    let ending = |name: &str| name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    KINDS.iter().any(|kind| kind.contains(&&*ending(a)) && kind.contains(&&*ending(b)))
}

/// Of several paths with the same name the one that ends most as the missing one does, where that is more than its name.
fn longest_end<'f>(found: &'f [String], path: &str) -> Option<&'f str> {
    let own: Vec<&str> = path.split('/').rev().collect();
    let common = |other: &str| other.split('/').rev().zip(&own).take_while(|(a, b)| a == *b).count();
    let found = found.iter().filter(|other| !is_hidden(other));
    let best = found.clone().map(|other| common(other)).max().filter(|common| *common > 1)?;
    let mut ends = found.filter(|other| common(other) == best);
    ends.next().filter(|_| ends.next().is_none()).map(String::as_str)
}

/// The path as it stands from the folder where it ran: written from the project's folder, from its root, from a home that
/// quotes hid from the shell, or with the other slashes.
fn from_another_folder(case: &Case<'_>, path: &str) -> Option<String> {
    if !case.looks.is_looking() {
        return None;
    }
    let slashed = path.replace('\\', "/");
    if slashed != path && case.kind(&slashed).is_some() {
        return Some(slashed);
    }
    // Only a file below a folder: a bare name of a path means nothing.
    let mut rest = path.trim_start_matches("./").trim_start_matches('/');
    if path.starts_with('/')
        && rest.contains('/')
        && case.looks.kind(rest).is_some()
        && !case.failed.cwd.as_deref().is_some_and(|cwd| path.starts_with(cwd))
    {
        return Some(rest.to_owned()).filter(|_| case.folder().is_empty());
    }
    if path.starts_with('/') {
        return None;
    }
    while let Some((first, below)) = rest.split_once('/') {
        // The folder itself was named once more.
        let is_here = name_of(&case.folder()) == first
            || case.folder().is_empty() && case.failed.cwd.as_deref().is_some_and(|cwd| name_of(cwd) == first);
        if is_here && case.kind(below).is_some() {
            return Some(below.to_owned());
        }
        rest = below;
    }
    ["..", "../..", "../../.."]
        .iter()
        .map(|up| join(up, path))
        .find(|path| case.kind(path).is_some() && (!case.folder().is_empty() || case.looks.is_own(path)))
}

fn join_shown(folder: &str, name: &str) -> String {
    match folder {
        "." => format!("./{name}"),
        "/" => format!("/{name}"),
        folder => format!("{folder}/{name}"),
    }
}

/// A path below the call's folder as the command that ran in `here` writes it; absolute where the missing one was.
fn path_from(here: &str, found: &str, missing: &str, case: &Case<'_>) -> String {
    if missing.starts_with('/')
        && let Some(cwd) = &case.failed.cwd
    {
        return join(cwd, found);
    }
    match found.strip_prefix(here).and_then(|rest| rest.strip_prefix('/')) {
        Some(below) if !here.is_empty() => below.to_owned(),
        _ if here.is_empty() || here.starts_with('/') => found.to_owned(),
        _ => join(&"../".repeat(here.split('/').count()), found),
    }
}

pub(in super::super) fn verify_path_with_listing(case: &Case<'_>) -> Offered {
    if case.finding(Kind::MissingProgram).is_some() && !case.is_shell() {
        return Err("the tool could not start its own program");
    }
    if case.finding(Kind::BrokenBuild).is_some() {
        return Err("the files exist, and their build constraints exclude them");
    }
    let Some(missing) = missing(case) else {
        return named_in_other_letters(case).ok_or("the output names no path of the call");
    };
    // Of a script the program that reads it may be missing, too.
    let is_started = missing.word.is_some_and(|word| word.role == WordRole::Program);
    if is_started && !case.looks.is_looking() && !case.printed().is_blank() {
        return Err("nobody looked whether the script or its program is missing");
    }
    let folder = nearest_folder(case, &missing.path);
    // Where the line's own `cd` failed, it was not in that folder.
    let is_cd = missing.word.is_some_and(|word| is_said_to(case, word, Trait::Enters));
    if let Some(offer) = there_already(case, &missing, is_cd) {
        return Ok(offer);
    }
    if let Some(offer) = told_file(case, &missing) {
        return Ok(offer.guessing());
    }
    if let Some(offer) = what_builds(case, &missing.path) {
        return Ok(offer);
    }
    // What lies on the way is not known where nothing was looked at.
    let is_blind = is_cd && !case.looks.is_looking() && !missing.path.starts_with(['/', '~']);
    let folder = if is_blind { ".".to_owned() } else { folder };
    let folder = if is_cd { folder } else { case.at(&folder) };
    let mut steps =
        vec![PlanStep::new("List parent directory", Deed::List(folder.clone()), "See available files in directory")];
    let mut offer_state = None;
    let has_right = |near: &str| case.looks.mode(&case.at(near)).is_some_and(|mode| mode & 0o111 != 0);
    // A source of the same name is no program.
    let runs = |near: &str| matches!(case.kind(near), Some(FileKind::Script(_) | FileKind::Binary)) || has_right(near);
    let near = named_alike(case, &missing.path).filter(|near| *near != missing.path && (!is_started || runs(near)));
    if let Some(near) = near {
        let again = again_at(case, &missing, &near);
        if let Some(deed) = again {
            // The client changes only what was read.
            if case.failed.kind == ToolKind::Edit {
                steps = vec![PlanStep::read(&near, "The existing file")];
            }
            steps.push(PlanStep::work(
                format!("Do it with {}", quoted(&near, 100)),
                deed,
                "It works with the existing file",
            ));
            offer_state = Some(format!(
                "{} does not exist; {} is the only similar name",
                quoted(&missing.path, 100),
                quoted(&near, 100)
            ));
        }
    } else if case.looks.find(&|other| other == name_of(&missing.path)).len() > 1
        && missing.word.is_none_or(|word| !is_written(case, word))
    {
        steps = search_for_file(case)?.steps;
    } else if case.looks.is_looking() && !has_like(case, name_of(&missing.path)) {
        offer_state = Some(format!("no file of the project has a name like {}", quoted(name_of(&missing.path), 100)));
    }
    let mut offer = Offer::new(format!("{} does not exist", quoted(&missing.path, 100)), steps);
    offer.state = offer_state;
    Ok(offer.guessing())
}

/// Whether anything of the project has a name that is close to this one, or goes on behind it.
fn has_like(case: &Case<'_>, name: &str) -> bool {
    !case.looks.find(&|other| apart(name, other).is_some() || other.starts_with(name)).is_empty()
}

/// The file of the same folder that the client itself takes for the one that was meant.
fn told_file(case: &Case<'_>, missing: &MissingPath<'_>) -> Option<Offer> {
    let name = case.printed().suggested_name().filter(|name| missing.word.is_none() && !name.contains(['/', ' ']))?;
    let path = join_shown(&parent(&missing.path), &name);
    let again = again_at(case, missing, &path)?;
    let mut steps = Vec::new();
    if case.failed.kind == ToolKind::Edit {
        steps.push(PlanStep::read(&path, "The existing file"));
    }
    steps.push(PlanStep::work(format!("Do it with {}", quoted(&path, 100)), again, "It works with the existing file"));
    let state = format!("{} does not exist; the client suggests {}", quoted(&missing.path, 100), quoted(&name, 100));
    Some(Offer::explained(state, steps))
}

/// A line that names the folder that it runs in from above.
fn there_already(case: &Case<'_>, missing: &MissingPath<'_>, is_cd: bool) -> Option<Offer> {
    let path = missing.path.trim_start_matches("./").trim_end_matches('/');
    let twice = || path.contains('/') && case.printed().names(&format!("/{path}/{path}"));
    let is_here =
        is_cd && case.failed.cwd.as_deref().is_some_and(|cwd| cwd.trim_end_matches('/').ends_with(&format!("/{path}")));
    if path.starts_with(['/', '~']) || !is_here && !twice() {
        return None;
    }
    let deed = case.again_replacing(&[(missing.word?, ".")])?;
    let state = format!("the call runs in {} already", quoted(path, 100));
    let step = PlanStep::work("Stay in the folder", deed, "The command runs where it was to run");
    Some(Offer::explained(state, vec![step]))
}

/// The failed call with another path in the place of the missing one.
pub(in super::super) fn again_at(case: &Case<'_>, missing: &MissingPath<'_>, path: &str) -> Option<Deed> {
    if let Some(word) = missing.word {
        let rest = word.text.get(missing.path.len()..).unwrap_or_default();
        let safe = if path.starts_with('-') { format!("./{path}{rest}") } else { format!("{path}{rest}") };
        return case.again_replacing(&[(word, &safe)]);
    }
    // A whole file is written where it was asked for.
    if !matches!(case.failed.kind, ToolKind::Read | ToolKind::Edit | ToolKind::Search) && case.failed.tool != "read_dir"
    {
        return None;
    }
    let key = ["file", "file_path", "path", "dir"]
        .into_iter()
        .find(|key| case.failed.args.get(*key).and_then(Value::as_str) == Some(&*missing.path))?;
    Some(case.again_changing(&[(key, Value::String(path.to_owned()))]))
}

pub(in super::super) fn search_for_file(case: &Case<'_>) -> Offered {
    let missing = missing(case).ok_or("the output names no path of the call")?;
    let name = name_of(&missing.path);
    if name.is_empty() || name.len() > 200 {
        return Err("the path ends in no name");
    }
    let find = PlanStep::new(
        format!("Find files named {}", quoted(name, 100)),
        Deed::Find { name: name.to_owned() },
        "Its path, or none",
    );
    Ok(Offer::new(format!("{} may be in another folder", quoted(name, 100)), vec![find]))
}

pub(in super::super) fn make_the_folder(case: &Case<'_>) -> Offered {
    if !case.is_whole() {
        return Err("its command line is not whole");
    }
    if case.category() == Category::BadArguments {
        return Err("the output names no missing folder");
    }
    // A right that is missing says nothing of what is there.
    let is_refused = case.finding(Kind::AccessRefused).is_some() || case.printed().names("ermission denied");
    if !case.looks.is_looking() && is_refused && !case.finds(GONE) {
        return Err("access was refused, which does not mean that the folder is missing");
    }
    let folder = folder_to_make(case).ok_or("the call writes into no missing folder")?;
    if matches!(folder.as_str(), "." | "/" | "") || folder.contains("..") && !case.looks.is_looking() {
        return Err("the folder has no name of its own");
    }
    if case.looks.is_looking() && case.kind(&folder).is_some() {
        return Err("the folder exists");
    }
    let at = case.at(&folder);
    // Elsewhere it may be the place of a disk that is not mounted, or somebody else's.
    let is_own = lies_below(case, &at) && !at.contains("..") || case.looks.is_looking() && case.looks.is_own_place(&at);
    if !is_own && !at.starts_with("/tmp/") {
        return Err("the folder lies outside the project: a person decides whether it is created");
    }
    let close = |wanted: &str, names: &[Name]| {
        let folders = names.iter().filter(|name| name.is_dir).map(|name| &*name.name);
        only_close(wanted, folders).map(str::to_owned)
    };
    if walked(case, &at, close).is_some() {
        return Err("a folder that exists has a name like it");
    }
    let state = format!("the folder {} does not exist", quoted(&at, 100));
    Ok(Offer::explained(
        state,
        vec![
            PlanStep::new("Create the folder", Deed::Run(line_of(["mkdir", "-p", "--", &at])), "The folder exists"),
            PlanStep::work("Repeat the call", case.again(), "The file is written"),
        ],
    ))
}

/// The folder of a file that the call names and writes, and that is not there.
fn folder_to_make(case: &Case<'_>) -> Option<String> {
    if !case.is_shell() {
        return None;
    }
    of_the_line(case).or_else(|| of_a_program(case))
}

/// Whether a path lies below the folder of the call.
fn lies_below(case: &Case<'_>, path: &str) -> bool {
    let below = |cwd: &str| path.strip_prefix(cwd.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
    !path.starts_with(['/', '~']) || case.failed.cwd.as_deref().is_some_and(below)
}

/// The folder of a word that the line writes to, which the output tells of.
fn of_the_line(case: &Case<'_>) -> Option<String> {
    let is_told = |path: &str| case.printed().names(path.trim_end_matches('/'));
    let gone = |folder: &str| !case.looks.is_looking() || case.kind(folder).is_none();
    let line = case.failed.line.as_deref().unwrap_or_default();
    let folder_of = |path: &str, is_folder: bool| if is_folder { path.to_owned() } else { parent(path) };
    for word in case.words.iter().filter(|word| word.is_literal) {
        if word.role == WordRole::Target && !is_read_from(line, word) && is_told(&word.text) {
            return Some(parent(&word.text));
        }
        let Some(program) = program_beside(case, word).filter(|_| word.role == WordRole::Argument) else { continue };
        let own: Vec<&PlacedWord> = case.arguments_of(word).collect();
        let at = own.iter().position(|other| std::ptr::eq(*other, word))?;
        let before = at.checked_sub(1).and_then(|at| own.get(at)).map_or("", |word| &*word.text);
        let operands = || own.iter().filter(|other| !other.text.starts_with('-'));
        let is_last = operands().next_back().is_some_and(|last| std::ptr::eq(*last, word)) && operands().count() > 1;
        let copies = (COPIES.contains(&program) || CONVERTERS.contains(&program)) && is_last;
        let writes = FILLS.contains(&program) && !word.text.starts_with('-');
        let option = OUTPUTS.iter().find(|(programs, option, _)| programs.contains(&program) && before == *option);
        let folder = match option {
            // Some say only that they could not write.
            Some((_, _, is_folder))
                if is_told(&word.text)
                    || case.finding(Kind::WritesFile).is_some()
                    || fails_beside(case, &word.text) =>
            {
                folder_of(&word.text, *is_folder)
            }
            None if (copies || writes) && is_told(&word.text) => {
                folder_of(&word.text, copies && (word.text.ends_with('/') || operands().count() > 2))
            }
            _ => continue,
        };
        if gone(&folder) {
            return Some(folder);
        }
    }
    None
}

/// Whether the output names another file of a folder that is not there: a linker writes under a name of its own first.
fn fails_beside(case: &Case<'_>, path: &str) -> bool {
    let names_one = || case.printed().file_names().any(|other| parent(other) == parent(path));
    case.looks.is_looking() && path.contains('/') && names_one()
}

/// The folder of the word of the line that its program could not write. What only the output names may be anything.
fn of_a_program(case: &Case<'_>) -> Option<String> {
    case.looks.is_looking().then_some(())?;
    case.finding(Kind::WritesFile)?;
    let words = case.words.iter().filter(|word| word.is_literal && word.role == WordRole::Argument);
    let is_path = |path: &&str| {
        path.contains('/')
            && path.len() <= 1024
            && !path.contains("://")
            && !path.starts_with('-')
            && !path.ends_with('/')
    };
    words.map(|word| word.text.as_str()).filter(is_path).find_map(|path| {
        let folder = parent(path);
        let is_told = case.findings().any(|found| found.line.contains(path));
        (is_told && case.kind(&folder).is_none() && case.kind(path).is_none() && lies_below(case, &folder))
            .then_some(folder)
    })
}

/// Whether a word is an argument of a program of which this is known.
fn is_said_to(case: &Case<'_>, word: &PlacedWord, asked: Trait) -> bool {
    program_beside(case, word).and_then(find).is_some_and(|program| program.has(asked))
}

/// The name of the program that a word is an argument of.
fn program_beside<'c>(case: &'c Case<'_>, word: &PlacedWord) -> Option<&'c str> {
    let is_its = |other: &&PlacedWord| other.command == word.command && other.role == WordRole::Program;
    case.words.iter().rfind(is_its).map(|program| crate::programs::base_name(&program.text))
}

/// Whether a word of a line is what is read from there, and not written to.
pub(in super::super) fn is_read_from(line: &str, word: &PlacedWord) -> bool {
    word.role == WordRole::Target && line.get(..word.range.start).is_some_and(|before| before.trim_end().ends_with('<'))
}

pub(in super::super) fn list_the_directory(case: &Case<'_>) -> Offered {
    let Some(finding) = case.finding(Kind::IsDirectory) else { return Err("nothing was a directory") };
    let is_dir = |path: &str| case.kind(path) == Some(FileKind::Dir);
    let started =
        case.words.iter().find(|word| word.role == WordRole::Program && word.text.contains('/') && is_dir(&word.text));
    let folder = if let Some(file) = &case.failed.file {
        file.clone()
    } else if let Some(word) = started {
        word.text.clone()
    } else {
        let named = case.failed.object(ObjectKind::File);
        let command = case.command().ok_or("no command was run")?;
        if !matches!(command.name(), "cat" | "head" | "tail" | "less" | "more" | "bat" | "wc") {
            return Err("the command does not only read");
        }
        finding.name.or(named).ok_or("the output does not name it")?.to_owned()
    };
    let step = PlanStep::work(
        format!("List {}", quoted(&folder, 100)),
        Deed::List(case.at(&folder)),
        "The names in the folder",
    );
    Ok(Offer::new(format!("{} is a folder", quoted(&folder, 100)), vec![step])
        .seen(format!("{} is a folder, not a file", quoted(&folder, 100))))
}
