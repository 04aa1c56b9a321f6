//! Which of the tracked files and folders a path that is not there may have meant.

use super::alike::{apart, only_meant};
use crate::model::NearName;

/// The tracked files and folders that fit a missing path: the only one whose path ends in it, else the only one of the same
/// name elsewhere, of the same name with another ending beside it, or of a name like it beside it. They are seen one by one,
/// so that no list of them is kept.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what was asked for, and what was seen: each by itself")]
pub struct Fitting<'w> {
    wanted: &'w str,
    folder: &'w str,
    name: &'w str,
    files: bool,
    folders: bool,
    only: Option<(String, &'static str)>,
    several: bool,
    /// The one whose path ends in the missing one.
    longer: Option<(String, &'static str)>,
    /// Whether there are several, or one beside it may be meant as well.
    is_doubtful: bool,
    /// Whether it is only away, or in a submodule, whose files are not seen.
    is_away: bool,
    /// The longest beginning that the missing name shares with one beside it that does not fit.
    rival: usize,
    /// Whether something is tracked in the folder where it is missing.
    has_folder: bool,
}

impl<'w> Fitting<'w> {
    /// What fits a missing path, relative to the folder that the tracked ones are relative to. `is_folder` where only a folder
    /// can have been meant; a name with an ending means a file.
    pub fn new(wanted: &'w str, is_folder: bool) -> Self {
        let (folder, name) = parted(wanted);
        let files = !is_folder;
        let folders = is_folder || !name.trim_start_matches('.').contains('.');
        let (is_away, has_folder) = (name.is_empty(), folder.is_empty());
        Self {
            wanted,
            folder,
            name,
            files,
            folders,
            only: None,
            several: false,
            longer: None,
            is_doubtful: folder.is_empty(),
            is_away,
            rival: 0,
            has_folder,
        }
    }

    /// Takes one tracked file, and with it the folders that it is in.
    pub fn see(&mut self, tracked: &str) {
        // What is tracked as a whole and holds the path is a submodule, whose files are not seen.
        self.is_away |= self.wanted.strip_prefix(tracked).is_some_and(|rest| rest.starts_with('/'));
        self.has_folder |= tracked.strip_prefix(self.folder).is_some_and(|rest| rest.starts_with('/'));
        if self.folders {
            for (end, _) in tracked.match_indices('/') {
                self.take(&tracked[..end], "folder");
            }
        }
        if self.files || tracked == self.wanted {
            self.take(tracked, "file");
        }
    }

    fn take(&mut self, path: &str, word: &'static str) {
        let (folder, name) = parted(path);
        let is_beside = folder == self.folder;
        let fits =
            name == self.name || is_beside && (has_other_ending(self.name, name) || apart(self.name, name).is_some());
        if is_beside && !fits {
            let shared = self.name.bytes().zip(name.bytes()).take_while(|(one, other)| one == other);
            self.rival = self.rival.max(shared.count());
        }
        let is_it =
            |seen: &Option<(String, &'static str)>| seen.as_ref().is_some_and(|(only, of)| only == path && *of == word);
        if !fits || is_it(&self.only) || is_it(&self.longer) {
            return;
        }
        // What is tracked at the very place is only away: no other one is the only one of that name.
        self.is_away |= path == self.wanted;
        let is_longer = path.strip_suffix(self.wanted).is_some_and(|before| before.ends_with('/'));
        self.is_doubtful |= is_beside || is_longer && self.longer.is_some();
        if is_longer {
            self.longer = Some((path.to_owned(), word));
        }
        self.several |= self.only.is_some();
        self.only = Some((path.to_owned(), word));
    }

    /// Whether the folder of a namesake is the one that was meant: with folders between that were left out; or, where the folder
    /// that was given is none, without some of those, or with one of a name like it; or the folder beside it. A namesake in
    /// another package is no slip of the one that was meant, nor one that every folder may have.
    fn leads_to(&self, folder: &str) -> bool {
        let given: Vec<&str> = self.folder.split_terminator('/').collect();
        let found: Vec<&str> = folder.split_terminator('/').collect();
        let mut others = given.iter().zip(&found).filter(|(one, other)| one != other);
        let mut is_like = || {
            given.len() == found.len()
                && others.next().is_some_and(|(one, other)| apart(one, other).is_some())
                && others.next().is_none()
        };
        let is_sibling = || {
            let parents = given.split_last().zip(found.split_last()).map(|((_, own), (_, other))| own == other);
            parents == Some(true) && !is_usual(self.name)
        };
        is_part_of_way(&given, &found)
            || is_sibling()
            || !self.has_folder && (is_part_of_way(&found, &given) || is_like())
    }

    /// The only one that fits; None where there is none or more than one, and where nobody mistypes the one for the other.
    pub fn only(self) -> Option<NearName> {
        if self.is_away {
            return None;
        }
        let longer = self.longer.as_ref().filter(|_| !self.is_doubtful);
        let (path, word) = longer.or_else(|| self.only.as_ref().filter(|_| !self.several))?;
        let (folder, name) = parted(path);
        if folder != self.folder && !self.leads_to(folder) {
            return None;
        }
        // `list.rs` for `list_row.rs`, with `list_item.rs` beside it.
        let begins = stem_of(self.name).starts_with(stem_of(name)) && self.rival >= stem_of(name).len();
        if begins && name != self.name && !has_other_ending(self.name, name) {
            return None;
        }
        let is_meant = name == self.name
            || has_other_ending(self.name, name)
            || only_meant(self.name, std::iter::once(name)).is_some();
        is_meant.then(|| NearName {
            missing: self.wanted.to_owned(),
            name: path.clone(),
            word: (*word).into(),
            place: None,
        })
    }
}

/// Whether all of these are among the others, in the same order.
fn is_part_of_way(few: &[&str], all: &[&str]) -> bool {
    let mut all = all.iter();
    few.iter().all(|one| all.any(|other| other == one))
}

/// Whether any folder may have a file of the name, so that it is no slip to look for it in another one.
fn is_usual(name: &str) -> bool {
    #[rustfmt::skip]
    const USUAL: &[&str] = &[
        "changelog", "common", "config", "conftest", "dockerfile", "index", "layout", "lib", "license", "main", "makefile",
        "mod", "package", "page", "readme", "route", "setup", "state", "test", "tests", "types", "utils",
    ];
    let stem = name.trim_matches('_').split('.').next().unwrap_or_default().to_ascii_lowercase();
    stem.is_empty() || stem == "init" || USUAL.contains(&stem.as_str())
}

/// The folder and the name of a path; an empty folder for a name alone.
fn parted(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn has_other_ending(one: &str, other: &str) -> bool {
    let stems = one.rsplit_once('.').zip(other.rsplit_once('.'));
    stems.is_some_and(|((one, _), (other, _))| one == other && !one.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn only(wanted: &str, is_folder: bool, tracked: &[&str]) -> Option<String> {
        let mut fitting = Fitting::new(wanted, is_folder);
        for path in tracked {
            fitting.see(path);
        }
        fitting.only().map(|near| format!("{} {}", near.word, near.name))
    }

    #[test]
    fn the_only_one_that_fits() {
        for (wanted, is_folder, tracked, fits) in [
            ("cli/ops.go", false, &["cli/root.go", "cli/strategy/ops.go"][..], Some("file cli/strategy/ops.go")),
            ("docs/README.md", false, &["README.md"], Some("file README.md")),
            ("cli/session/phase.go", false, &["session/phase.go"], Some("file session/phase.go")),
            ("cli/gemini/gemini.go", false, &["cli/agent/gemini/gemini.go"], Some("file cli/agent/gemini/gemini.go")),
            // The folder beside it, and the only path that ends so.
            (
                "todos/pending/cart-note.md",
                false,
                &["todos/done/cart-note.md", "todos/pending/a.md"],
                Some("file todos/done/cart-note.md"),
            ),
            ("cli/chunking/chunking.go", false, &["cli/agent/chunking.go"], Some("file cli/agent/chunking.go")),
            (
                "session/state.go",
                false,
                &["cmd/cli/session/state.go", "cmd/cli/state.go"],
                Some("file cmd/cli/session/state.go"),
            ),
            ("session/state.go", false, &["a/session/state.go", "b/session/state.go"], None),
            ("session/state.go", false, &["a/session/state.go", "session/state.ts", "b/state.go"], None),
            ("session/state.go", false, &["a/session/state.go", "session/state.go"], None),
            (".golangci.yml", false, &[".golangci.yaml", "main.go"], Some("file .golangci.yaml")),
            ("src/app.js", false, &["src/app.tsx"], Some("file src/app.tsx")),
            ("src/mian.rs", false, &["src/lib.rs", "src/main.rs"], Some("file src/main.rs")),
            ("srcs/api/routes.ts", false, &["src/api/routes.ts"], Some("file src/api/routes.ts")),
            ("package", true, &["README.md", "packages/web/a.ts", "packages/api/b.ts"], Some("folder packages")),
            ("web", false, &["packages/web/a.ts", "packages/web/b.ts"], Some("folder packages/web")),
            // A namesake elsewhere is another one.
            ("docs/README.md", false, &["README.md", "docs/a.md"], None),
            ("apps/web/README.md", false, &["apps/api/README.md"], None),
            ("node_modules/x/vault", true, &["crypto/vault/a.ts"], None),
            ("cli/agent/claude/agent.go", false, &["cli/agent/agent.go", "cli/agent/claude/claude.go"], None),
            ("tests/common.go", false, &["strategy/common.go"], None),
            // What begins alike stands beside it.
            ("cli/manual_commit", false, &["cli/manual_commit.go", "cli/manual_commit_hooks.go"], None),
            ("ui/FileListRow.tsx", false, &["ui/FileList.tsx", "ui/FileListItem.tsx"], None),
            // Several, by one way or by two.
            ("cli/ops.go", false, &["a/ops.go", "b/ops.go"], None),
            ("src/app.js", false, &["src/app.ts", "src/app.css"], None),
            ("src/mian.rs", false, &["src/main.rs", "old/mian.rs"], None),
            ("lib", false, &["a/lib", "b/lib/x"], None),
            // Tracked, and only away.
            ("a/ops.go", false, &["a/ops.go", "b/ops.go"], None),
            ("a", true, &["a", "b/a/x"], None),
            // In a submodule.
            ("sub/x/ops.go", false, &["a/ops.go", "sub"], None),
            // Another kind, and what nobody mistypes.
            ("web", true, &["packages/web"], None),
            ("ops.go", false, &["ops.go.d/x", "a/ops.go/x"], None),
            ("db/0005.sql", false, &["db/0004.sql"], None),
            ("a.c", false, &["b.c"], None),
            (".env", false, &[".npmrc"], None),
            ("", false, &["a"], None),
        ] {
            assert_eq!(only(wanted, is_folder, tracked).as_deref(), fits, "{wanted}");
        }
    }

    fn path() -> impl Strategy<Value = String> {
        let part = proptest::sample::select(&["src", "lib", "main", "mian", "web", "api1", "api2"][..]);
        let ending = proptest::sample::select(&["", ".rs", ".ts", ".tsx"][..]);
        (proptest::collection::vec(part, 1..4), ending).prop_map(|(parts, ending)| parts.join("/") + ending)
    }

    proptest! {
        /// What is told is tracked, fits, and nothing else of the tree does; the order says nothing.
        #[test]
        fn the_told_name_is_the_only_fitting_one(
            wanted in path(), is_folder: bool, tree in proptest::collection::btree_set(path(), 0..12),
        ) {
            let mut tracked: Vec<&str> = tree.iter().map(String::as_str).collect();
            let told = only(&wanted, is_folder, &tracked);
            tracked.reverse();
            prop_assert_eq!(&only(&wanted, is_folder, &tracked), &told);
            let folders = tree.iter().flat_map(|path| path.match_indices('/').map(|(end, _)| &path[..end]));
            let wants_file = !is_folder && wanted.contains('.');
            let mut all: Vec<String> = folders.filter(|_| !wants_file).map(|folder| format!("folder {folder}")).collect();
            all.extend(tree.iter().filter(|_| !is_folder).map(|file| format!("file {file}")));
            all.sort();
            all.dedup();
            let fits = |path: &str| {
                let ((folder, name), (of, wanted)) = (parted(path), parted(&wanted));
                let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
                let has_ending = name.contains('.') && wanted.contains('.');
                name == wanted
                    || folder == of && (has_ending && stem(name) == stem(wanted) || apart(wanted, name).is_some())
            };
            let fitting: Vec<&String> = all.iter().filter(|path| fits(path.split_once(' ').unwrap().1)).collect();
            let is_beside = |path: &&&String| parted(path.split_once(' ').unwrap().1).0 == parted(&wanted).0;
            let longer: Vec<&&String> = fitting.iter().filter(|path| path.ends_with(&format!("/{wanted}"))).collect();
            let is_longer = longer.len() == 1 && wanted.contains('/') && !fitting.iter().any(|path| is_beside(&path));
            if let Some(told) = told.as_ref().filter(|_| is_longer) {
                prop_assert_eq!(longer[0], &told);
            } else if let Some(told) = &told {
                prop_assert_eq!(&fitting, &[told]);
            } else {
                // One that lies deeper in the folder that was given.
                let is_deeper = |path: &str| {
                    let ((folder, name), (of, wanted)) = (parted(path), parted(&wanted));
                    name == wanted && folder != of && (of.is_empty() || folder.starts_with(&format!("{of}/")))
                };
                let is_told = fitting.len() == 1 && is_deeper(fitting[0].split_once(' ').unwrap().1);
                let is_held = tree.iter().any(|path| wanted == *path || wanted.starts_with(&format!("{path}/")));
                prop_assert!(!is_told || is_held);
            }
        }
    }
}
