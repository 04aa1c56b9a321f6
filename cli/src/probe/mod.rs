//! Looks at the machine for recovery plans: read-only, each bounded, two seconds together. Nothing below the project is
//! ever started; only a program on `PATH` outside of it is asked for its help.

#![expect(clippy::disallowed_methods, reason = "an edge: folders, files and the clock are read here")]

mod archive;
mod held;
mod help;
mod kind;
mod refs;
mod running;

use std::cell::OnceCell;
use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use crate::journal::read_small;
use crate::place::is_executable;
use crate::programs::words;
use crate::recover::look::{FileKind, Holder, ListeningProcess, MachineLooks, Name, Refs};

/// All looks of one plan together.
const TOGETHER: Duration = Duration::from_secs(2);
/// The most names of a folder.
const MOST_NAMES: usize = 1_000;
/// The most of a file that is read as text, in bytes.
const MOST_TEXT: u64 = 1024 * 1024;
/// The most entries that a search below the project looks at, and the most that it returns.
const MOST_ENTRIES: usize = 50_000;
const MOST_FOUND: usize = 50;
/// How deep a search goes.
const DEEPEST: usize = 12;
/// The most programs on `PATH`.
const MOST_PROGRAMS: usize = 20_000;

/// The most of a file's beginning, in bytes.
const MOST_BEGINNING: u64 = 64 * 1024;
/// Folders that tools fill: what stands in them is nobody's own.
const FILLED: &[&str] = &[
    "node_modules",
    "target",
    ".git",
    ".hg",
    ".svn",
    "dist",
    "build",
    "out",
    ".venv",
    "venv",
    "env",
    "__pycache__",
    ".tox",
    ".mypy_cache",
    ".pytest_cache",
    ".cache",
    ".next",
    ".nuxt",
    ".gradle",
    ".idea",
    "vendor",
    "Pods",
    "DerivedData",
    ".terraform",
    ".direnv",
    "coverage",
];

/// A look at the machine from the folder that a call ran in.
pub struct Probe {
    folder: PathBuf,
    project: PathBuf,
    path: Vec<PathBuf>,
    /// Whether nothing outside the project is looked at, but for programs, ports and who holds a lock.
    stays_inside: bool,
    until: Instant,
    programs: OnceCell<Vec<String>>,
    entries: OnceCell<Vec<(String, String)>>,
}

impl Probe {
    /// Looks from the folder `folder` of the project `project`; `path` is the value of `PATH`. The time begins now.
    pub fn new(folder: PathBuf, project: PathBuf, path: Option<&std::ffi::OsStr>) -> Self {
        let path =
            path.map(|path| std::env::split_paths(path).filter(|dir| dir.is_absolute()).collect()).unwrap_or_default();
        Self {
            folder,
            project,
            path,
            stays_inside: false,
            until: Instant::now() + TOGETHER,
            programs: OnceCell::new(),
            entries: OnceCell::new(),
        }
    }

    /// The same with no look at a file or folder outside the project, wherever a link leads.
    #[must_use]
    pub fn inside_only(mut self) -> Self {
        self.stays_inside = true;
        self
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// A path as it is opened: plain, without `~`, of at most 4 KiB.
    fn real(&self, path: &str) -> Option<PathBuf> {
        if self.is_over() || path.is_empty() || path.len() > 4096 || path.contains('\0') || path.starts_with('~') {
            return None;
        }
        let path = self.folder.join(path);
        (!self.stays_inside || self.is_inside(&path)).then_some(path)
    }

    /// Whether a path, or where it would be, lies below the project.
    fn is_inside(&self, path: &Path) -> bool {
        let is_plain = path.components().all(|part| part != Component::ParentDir);
        // Of what is not there the folder above it says where it would be.
        let there = || path.ancestors().find(|above| fs::symlink_metadata(above).is_ok());
        if is_plain { there().is_some_and(|there| self.is_own(there)) } else { self.is_own(path) }
    }

    /// Whether a path lies below the project, with all links followed: texts of other places are not read.
    fn is_own(&self, path: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        real(path).zip(real(&self.project)).is_some_and(|(path, project)| path.starts_with(project))
    }

    /// What a program of the closed list prints when it is asked for help.
    fn printed_help(&self, program: &str, subcommand: Option<&str>) -> Option<String> {
        let asks = words::help_call(program, subcommand)?;
        // What stands in the project may be anybody's: it is never started.
        let is_foreign = |path: &PathBuf| {
            is_executable(path) && !self.is_own(path) && path.parent().is_some_and(|folder| !self.is_own(folder))
        };
        let path = self.path.iter().map(|folder| folder.join(program)).find(|path| path.exists()).filter(is_foreign)?;
        help::of(&path, &asks, self.until)
    }

    /// Every entry below the call's folder, nearest first: its path and its name.
    fn entries(&self) -> &[(String, String)] {
        self.entries.get_or_init(|| self.walked())
    }

    fn walked(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if self.stays_inside && !self.is_own(&self.folder) {
            return found;
        }
        let mut left = VecDeque::from([(String::new(), 0)]);
        let mut seen = 0;
        while let Some((below, depth)) = left.pop_front() {
            let Ok(entries) = fs::read_dir(self.folder.join(&below)) else { continue };
            let mut own: Vec<(String, bool)> = entries
                .take(MOST_ENTRIES)
                .flatten()
                .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?.is_dir())))
                .collect();
            seen += own.len();
            own.sort();
            for (name, is_dir) in own {
                let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
                // Links to folders are not followed: `file_type` does not.
                if is_dir && depth < DEEPEST && !FILLED.contains(&name.as_str()) {
                    left.push_back((path.clone(), depth + 1));
                }
                found.push((path, name));
            }
            if seen >= MOST_ENTRIES || self.is_over() {
                break;
            }
        }
        found
    }
}

impl MachineLooks for Probe {
    fn is_looking(&self) -> bool {
        true
    }

    fn is_own(&self, path: &str) -> bool {
        self.real(path).is_some_and(|path| Self::is_own(self, &path))
    }

    fn is_own_place(&self, path: &str) -> bool {
        // Of what is not there the folder above it says where it would be.
        let path = self.real(path);
        path.as_deref()
            .and_then(|path| path.ancestors().find(|above| above.exists()))
            .is_some_and(|path| Self::is_own(self, path))
    }

    #[cfg(unix)]
    fn mode(&self, path: &str) -> Option<u32> {
        Some(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(self.real(path)?).ok()?.permissions()) & 0o7777)
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        kind::of(&self.real(path)?)
    }

    fn link(&self, path: &str) -> Option<String> {
        let own = self.folder.join(path);
        let target = fs::read_link(&own).ok()?.into_os_string().into_string().ok()?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_plain = !path.starts_with(['/', '~']) && !path.contains("..") && !target.contains("..");
        (is_plain && !target.starts_with('/'))
            .then(|| if folder.is_empty() { target.clone() } else { format!("{folder}/{target}") })
    }

    fn names(&self, folder: &str) -> Vec<Name> {
        let Some(folder) = self.real(folder) else { return Vec::new() };
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let names = entries.flatten().take(MOST_NAMES);
        let mut names: Vec<Name> = names
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                Some(Name { name, is_dir: entry.path().is_dir() })
            })
            .collect();
        names.sort();
        names
    }

    fn text(&self, path: &str) -> Option<String> {
        let path = self.real(path)?;
        let about = fs::metadata(&path).ok()?;
        if !about.is_file() || about.len() > MOST_TEXT || !self.is_own(&path) {
            return None;
        }
        let mut text = String::new();
        File::open(path).ok()?.take(MOST_TEXT).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn find(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        self.entries().iter().filter(|(_, name)| wanted(name)).take(MOST_FOUND).map(|(path, _)| path.clone()).collect()
    }

    fn programs(&self) -> &[String] {
        self.programs.get_or_init(|| {
            let mut names = BTreeSet::new();
            for folder in &self.path {
                let Ok(entries) = fs::read_dir(folder) else { continue };
                names.extend(
                    entries.flatten().take(MOST_PROGRAMS).filter_map(|entry| entry.file_name().into_string().ok()),
                );
                if names.len() >= MOST_PROGRAMS || self.is_over() {
                    break;
                }
            }
            names.into_iter().collect()
        })
    }

    fn program_at_home(&self, name: &str) -> Option<String> {
        /// Folders that tools install programs into, and that a shell without the user's profile does not search.
        const FOLDERS: &[&str] =
            &[".local/bin", ".cargo/bin", "go/bin", ".npm-global/bin", ".bun/bin", ".deno/bin", ".rbenv/shims", "bin"];
        let home = std::env::home_dir().filter(|_| !self.stays_inside && !self.is_over())?;
        let is_there = |folder: &&&str| is_executable(&home.join(folder).join(name));
        FOLDERS.iter().find(is_there).map(|folder| format!("~/{folder}/{name}"))
    }

    fn help(&self, program: &str, subcommand: Option<&str>) -> Option<String> {
        /// The most that is read of what shells complete, in bytes.
        const MOST_COMPLETED: u64 = 256 * 1024;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
        if self.is_over() || program.is_empty() || !program.chars().all(is_name) {
            return None;
        }
        let completed = read_small(&Path::new(words::COMPLETIONS).join(program), MOST_COMPLETED);
        let help = self.printed_help(program, subcommand);
        Some([help, completed].into_iter().flatten().collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
    }

    fn members(&self, path: &str) -> Option<Vec<String>> {
        archive::listed_names(&self.real(path)?, self.until)
    }

    fn accounts(&self) -> Vec<String> {
        if self.stays_inside || self.is_over() {
            return Vec::new();
        }
        let read = |path| read_small(Path::new(path), MOST_TEXT).unwrap_or_default();
        let tables = read("/etc/passwd") + &read("/etc/group");
        tables.lines().filter_map(|line| line.split(':').next()).map(str::to_owned).collect()
    }

    fn port(&self, port: u16) -> Option<Holder> {
        if self.is_over() { None } else { held::port(port) }
    }

    fn free_port(&self, from: u16) -> Option<u16> {
        (from.max(1024)..from.max(1024).saturating_add(100)).find(|port| held::is_free(*port))
    }

    fn lock(&self, path: &str) -> Option<Holder> {
        held::lock(&self.real(path)?, self.until)
    }

    fn refs(&self, folder: &str) -> Refs {
        let folder = self.real(if folder.is_empty() { "." } else { folder });
        // The repository of a worktree, a submodule or a folder above lies elsewhere.
        let is_here = |folder: &PathBuf| {
            let git = folder.ancestors().map(|above| above.join(".git")).find(|git| git.exists());
            !self.stays_inside || git.is_some_and(|git| git.is_dir() && self.is_own(&git))
        };
        folder.filter(is_here).and_then(|folder| refs::of(&folder)).unwrap_or_default()
    }

    fn running(&self) -> Vec<ListeningProcess> {
        let Ok(project) = fs::canonicalize(&self.project) else { return Vec::new() };
        running::below(&project, self.until)
    }

    fn beginning(&self, path: &str) -> Option<String> {
        let path = self.real(path)?;
        if !fs::metadata(&path).ok()?.is_file() || !self.is_own(&path) {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MOST_BEGINNING).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
