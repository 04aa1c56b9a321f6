//! Paths as words of a lesson: relative to where the session began, and which of two may stand for the other.

use crate::history::absolute;
use crate::text::file_name;

/// A tool's summary names what each word is for: `path=/srv/a`.
pub(super) const NAMES: &[&str] = &["path=", "file_path=", "url=", "glob=", "pattern="];

/// The folder that a session began in. The same project lies elsewhere for another person and in another worktree.
#[derive(Debug, Clone, Copy, Default)]
pub struct Root<'a>(pub Option<&'a str>);

impl Root<'_> {
    /// The path relative to the root; as it is, where it does not lie below.
    pub fn relative(&self, path: &str, cwd: Option<&str>) -> String {
        let Some(root) = self.0.map(|root| root.trim_end_matches('/')).filter(|root| root.len() > 1) else {
            return path.to_owned();
        };
        let whole = absolute(path, cwd.or(Some(root)));
        match whole.strip_prefix(root) {
            Some("") => ".".to_owned(),
            Some(inside) if inside.starts_with('/') => inside[1..].to_owned(),
            _ => path.to_owned(),
        }
    }

    /// A word of a call, its path made relative where it is one.
    pub fn relative_word(&self, word: &str, cwd: Option<&str>) -> String {
        let value = value_of(word);
        if !is_path(value) || value.contains("://") || value.starts_with('~') {
            return word.to_owned();
        }
        let name = word.strip_suffix(value).unwrap_or_default();
        // A word with a slash may be a name of something else, such as a branch: only below the root it is surely a path.
        let is_elsewhere = cwd.is_some_and(|cwd| self.0.is_some_and(|root| cwd.trim_end_matches('/') != root));
        let is_surely_path = value.starts_with('/') || is_elsewhere && is_file(value);
        if !is_surely_path {
            return format!("{name}{}", value.strip_prefix("./").filter(|rest| rest.contains('/')).unwrap_or(value));
        }
        format!("{name}{}", self.relative(value, cwd))
    }
}

/// Whether a path stands where another one stood: the same name or stem elsewhere or with another ending, or the folder
/// above.
pub(super) fn stands_for(gone: &str, new: &str) -> bool {
    let (gone, new) = (value_of(gone).trim_end_matches('/'), value_of(new).trim_end_matches('/'));
    let stem = |path: &str| last_part(path).split('.').find(|part| !part.is_empty()).map(str::to_owned);
    is_above(new, gone) || (stem(gone).is_some() && stem(gone) == stem(new))
}

/// The same, as far as somebody else may be told: of a name that many folders have, one of the two folders has to lie in
/// the other; of two endings only the last part may differ; and a word of the same stem beside it does.
pub(super) fn replaces(gone: &str, new: &str) -> bool {
    let (gone, new) = (value_of(gone).trim_end_matches('/'), value_of(new).trim_end_matches('/'));
    if gone == new {
        return false;
    }
    if is_same_name(gone, new) {
        let ((folder, name), (other, _)) = (split(gone), split(new));
        let is_within = |inner: &str, outer: &str| inner.starts_with(outer) || outer == ".";
        let is_common = COMMON.contains(&name.split('.').next().unwrap_or_default());
        return !is_common || is_within(folder, other) || is_within(other, folder);
    }
    is_above(new, gone) || is_other_ending(gone, new) || is_same_word_beside(gone, new)
}

/// Names, without their endings, that files of many folders have.
const COMMON: &[&str] = &[
    "index",
    "main",
    "mod",
    "lib",
    "page",
    "layout",
    "route",
    "types",
    "utils",
    "README",
    "package",
    "tsconfig",
    "Cargo",
    "Makefile",
    "Dockerfile",
    "__init__",
    "conftest",
    "go",
    "pom",
    "build",
    "setup",
    "config",
    "constants",
    "styles",
];

/// Whether both end in the same name.
pub(super) fn is_same_name(gone: &str, new: &str) -> bool {
    !last_part(gone).is_empty() && last_part(value_of(gone)) == last_part(value_of(new))
}

/// Whether a folder is the one above a path.
fn is_above(folder: &str, path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(above, _)| !above.is_empty() && above == folder)
}

/// `.golangci.yml`, `.golangci.yaml`
fn is_other_ending(gone: &str, new: &str) -> bool {
    let stem =
        |path: &str| last_part(path).rsplit_once('.').map(|(stem, _)| stem.to_owned()).filter(|it| !it.is_empty());
    stem(gone).is_some() && stem(gone) == stem(new) && is_file(gone) && is_file(new)
}

/// The shortest beginning that two forms of a word share, and the longest ending of one: `logging.go`, `logger.go`.
const STEM: usize = 4;
const ENDING: usize = 3;

fn is_same_word_beside(gone: &str, new: &str) -> bool {
    let ((folder, gone), (other, new)) = (split(gone), split(new));
    let (Some((gone, ending)), Some((new, other_ending))) = (gone.rsplit_once('.'), new.rsplit_once('.')) else {
        return false;
    };
    let shared = gone.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
    let is_ending = |name: &str| {
        let rest = name.get(shared..).unwrap_or("-");
        rest.len() <= ENDING && rest.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    folder == other && ending == other_ending && shared >= STEM && is_ending(gone) && is_ending(new)
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Whether a word looks like a path.
pub(super) fn is_path(word: &str) -> bool {
    let value = value_of(word);
    !value.starts_with('-') && (value.contains('/') || is_file(value))
}

/// Whether a path ends in a file's name with an ending.
fn is_file(value: &str) -> bool {
    let ending = last_part(value).rsplit_once('.');
    let ending = ending.filter(|(name, ending)| !name.is_empty() && (1..=5).contains(&ending.len()));
    ending.is_some_and(|(_, ending)| ending.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// What is given under a name: `path=/srv/a` is `/srv/a`.
pub(super) fn value_of(word: &str) -> &str {
    NAMES.iter().find_map(|name| word.strip_prefix(name)).unwrap_or(word)
}

/// The name at the end of a path, whether or not a slash follows it.
pub(super) fn last_part(path: &str) -> &str {
    file_name(path.trim_end_matches('/'))
}
