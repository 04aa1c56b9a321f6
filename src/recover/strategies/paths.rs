//! A path that is not there.

use serde_json::Value;

use super::super::alike::only_close;
use super::super::case::{Case, Offer, Offered, join, name_of, parent};
use super::super::look::FileKind;
use super::super::step::{Deed, Step};
use crate::model::{ObjectKind, ToolKind};
use crate::shell::{PlacedWord, WordRole, line_of};
use crate::text::quoted;

/// A missing path as the call names it, and its word in the line.
pub(in super::super) struct Missing<'c> {
    /// As the call writes it.
    pub(in super::super) path: String,
    /// Its word, where the call is a line.
    pub(in super::super) word: Option<&'c PlacedWord>,
}

/// The path that is missing: the target of a file tool, else the word of the line that the output names and, where it can
/// be looked at, that is not there.
pub(in super::super) fn missing<'c>(case: &'c Case<'_>) -> Option<Missing<'c>> {
    if let Some(file) = &case.failed.file {
        return Some(Missing { path: file.clone(), word: None });
    }
    let named = case.failed.object(ObjectKind::File);
    let is_named = |path: &str| named.is_some_and(|named| same_path(named, path)) || case.text().contains(path);
    let is_gone = |path: &str| !case.looks.is_looking() || case.kind(path).is_none();
    let words = case.words.iter().filter(|word| word.is_literal && word.role != WordRole::Assignment);
    let mut found = words.filter_map(|word| {
        let path = path_of(&word.text);
        let is_path = path.contains(['/', '.'])
            || named == Some(path)
            || word.role == WordRole::Argument && is_after_cd(case, word);
        let fits = is_path
            && !path.starts_with('-')
            && !path.contains("://")
            && path.len() <= 1024
            && !matches!(path, "." | "..");
        (fits && is_named(path) && is_gone(path)).then(|| Missing { path: path.to_owned(), word: Some(word) })
    });
    let first = found.next()?;
    // The one that the reader took for the object goes before others.
    if named.is_some_and(|named| same_path(named, &first.path)) {
        return Some(first);
    }
    Some(found.find(|other| named.is_some_and(|named| same_path(named, &other.path))).unwrap_or(first))
}

fn is_after_cd(case: &Case<'_>, word: &PlacedWord) -> bool {
    case.words.iter().any(|other| {
        other.command == word.command
            && other.role == WordRole::Program
            && matches!(other.text.as_str(), "cd" | "ls" | "pushd")
    })
}

/// The path in a word: without the test behind `::`.
fn path_of(word: &str) -> &str {
    word.split("::").next().unwrap_or(word)
}

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
    case.at(&folder)
}

/// Folders whose contents no plan takes for what was meant.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, ".git" | "node_modules"))
}

/// The only thing that is named alike: in the same folder by its letters, else elsewhere below the project by its name.
pub(in super::super) fn named_alike(case: &Case<'_>, path: &str) -> Option<String> {
    let name = name_of(path);
    if name.is_empty() || name.starts_with("..") {
        return None;
    }
    let folder = parent(path);
    let wants_dir = path.ends_with('/');
    let here = case.folder();
    let found_all = case.looks.find(&|other| other == name);
    let mut found = found_all.iter().filter(|other| !is_hidden(other));
    // The very name elsewhere says more than a name that is like it here.
    if let Some(elsewhere) = found.next().filter(|_| found.next().is_none()) {
        return Some(relative(&here, elsewhere, path, case));
    }
    if let Some(best) = longest_end(&found_all, path) {
        return Some(relative(&here, best, path, case));
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
        let mut others = case.looks.names(&case.at(&folder)).into_iter().filter(|other| {
            !other.is_dir && other.name.rsplit_once('.').is_some_and(|(other, _)| other == stem)
        });
        if let Some(only) = others.next().filter(|_| others.next().is_none()).filter(|only| is_like(&only.name, name)) {
            let is_bare = folder == "." && !path.starts_with("./");
            return Some(if is_bare { only.name } else { join_shown(&folder, &only.name) });
        }
    }
    // A folder on the way is mistyped: `srcs/main.rs` for `src/main.rs`.
    let (first, rest) = path.trim_start_matches("./").split_once('/')?;
    let names = case.looks.names(&case.at("."));
    let near = only_close(first, names.iter().filter(|other| other.is_dir).map(|other| other.name.as_str()))?;
    let mended = format!("{near}/{rest}");
    case.kind(&mended).map(|_| mended)
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

fn join_shown(folder: &str, name: &str) -> String {
    match folder {
        "." => format!("./{name}"),
        "/" => format!("/{name}"),
        folder => format!("{folder}/{name}"),
    }
}

/// A path below the call's folder as the command that ran in `here` writes it; absolute where the missing one was.
fn relative(here: &str, found: &str, missing: &str, case: &Case<'_>) -> String {
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
    let missing = missing(case).ok_or("the output names no path of the call")?;
    let folder = nearest_folder(case, &missing.path);
    let mut steps =
        vec![Step::new("List parent directory", Deed::List(folder.clone()), "See available files in directory")];
    let mut offer_state = None;
    if let Some(near) = named_alike(case, &missing.path).filter(|near| *near != missing.path) {
        let again = again_at(case, &missing, &near);
        if let Some(deed) = again {
            steps.push(Step::work(
                format!("Do it with {}", quoted(&near, 100)),
                deed,
                "It works with the file that is there",
            ));
            offer_state = Some(format!(
                "{} is not there, and {} is, the only one named alike",
                quoted(&missing.path, 100),
                quoted(&near, 100)
            ));
        }
    } else if case.looks.is_looking() {
        offer_state = Some(format!("nothing named like {} is below the project", quoted(name_of(&missing.path), 100)));
    }
    let mut offer = Offer::new(format!("{} is not there", quoted(&missing.path, 100)), steps);
    offer.state = offer_state;
    Ok(offer)
}

/// The failed call with another path in the place of the missing one.
pub(in super::super) fn again_at(case: &Case<'_>, missing: &Missing<'_>, path: &str) -> Option<Deed> {
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
    let find = Step::new(
        format!("Find files named {}", quoted(name, 100)),
        Deed::Find { name: name.to_owned() },
        "Where it stands, or that it is nowhere",
    );
    Ok(Offer::new(format!("{} may stand elsewhere", quoted(name, 100)), vec![find]))
}

pub(in super::super) fn make_the_folder(case: &Case<'_>) -> Offered {
    let missing = missing(case).ok_or("the output names no path of the call")?;
    let word = missing.word.ok_or("a file tool makes its folders itself")?;
    let creates = word.role == WordRole::Target
        || case.says(&["cannot create", "cannot open output file", "can't create", "Can't create", "unable to create", "could not create", "failed to create"])
        || case.words.iter().any(|other| {
            other.command == word.command
                && other.role == WordRole::Program
                && matches!(other.text.as_str(), "touch" | "tee")
        });
    let folder = parent(&missing.path);
    if !creates || matches!(folder.as_str(), "." | "/") {
        return Err("the missing path is not one that is to be made");
    }
    if is_read_from(case, word) {
        return Err("the missing file is read, not written");
    }
    if !case.is_whole() {
        return Err("its command line is not whole");
    }
    let at = case.at(&folder);
    let state = format!("the folder {} is not there", quoted(&at, 100));
    Ok(Offer::new(
        state.clone(),
        vec![
            Step::new("Make the folder", Deed::Run(line_of(["mkdir", "-p", "--", &at])), "The folder is there"),
            Step::work("Make the call again", case.again(), "The file is written"),
        ],
    )
    .seen(state))
}

fn is_read_from(case: &Case<'_>, word: &PlacedWord) -> bool {
    let line = case.failed.line.as_deref().unwrap_or_default();
    word.role == WordRole::Target && line.get(..word.range.start).is_some_and(|before| before.trim_end().ends_with('<'))
}

pub(in super::super) fn list_the_directory(case: &Case<'_>) -> Offered {
    if !case.says(&["is a directory", "EISDIR"]) {
        return Err("nothing was a directory");
    }
    let folder = if let Some(file) = &case.failed.file {
        file.clone()
    } else {
        let named = case.failed.object(ObjectKind::File);
        let command = case.command().ok_or("no command was run")?;
        if !matches!(command.name(), "cat" | "head" | "tail" | "less" | "more" | "bat" | "wc") {
            return Err("the command does not only read");
        }
        let printed = case.text().lines().find_map(|line| {
            let (before, _) = line.split_once(": Is a directory")?;
            before.rsplit(": ").next()
        });
        let name = printed.or(named).ok_or("the output does not name it")?;
        let name = name.trim_matches(['\'', '"', '‘', '’']);
        name.strip_prefix("error reading '").unwrap_or(name).to_owned()
    };
    let step =
        Step::work(format!("List {}", quoted(&folder, 100)), Deed::List(case.at(&folder)), "The names in the folder");
    Ok(Offer::new(format!("{} is a folder", quoted(&folder, 100)), vec![step])
        .seen(format!("{} is a folder, not a file", quoted(&folder, 100))))
}
