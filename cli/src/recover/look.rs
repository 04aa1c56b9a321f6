//! What a plan may ask of the machine. The answers come from the edge `probe`; without it nothing is known.

/// Looks at the machine: read-only, each bounded. Paths are relative to the folder that the failed call ran in, or
/// absolute. What cannot be seen is not there: an answer is never a guess.
pub trait MachineLooks {
    /// Whether anything is looked at: else "not found" means nothing.
    fn is_looking(&self) -> bool {
        false
    }
    /// Whether a path lies below the project, wherever a link leads.
    fn is_own(&self, _path: &str) -> bool {
        true
    }
    /// Whether a path that need not be there would lie below the project.
    fn is_own_place(&self, _path: &str) -> bool {
        false
    }
    /// The rights of a file, as `chmod` takes them.
    fn mode(&self, _path: &str) -> Option<u32> {
        None
    }
    /// What stands at a path.
    fn kind(&self, _path: &str) -> Option<FileKind> {
        None
    }
    /// What a link below the project leads to, as a path from the same folder; None for what is no link.
    fn link(&self, _path: &str) -> Option<String> {
        None
    }
    /// The names in a folder, sorted; at most 1,000.
    fn names(&self, _folder: &str) -> Vec<Name> {
        Vec::new()
    }
    /// The text of a file below the project, at most 1 MiB.
    fn text(&self, _path: &str) -> Option<String> {
        None
    }
    /// The files and folders below the project whose name is wanted, the nearest first; those that tools make or fetch
    /// are left out.
    fn find(&self, _wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        Vec::new()
    }
    /// The names of the programs on `PATH`.
    fn programs(&self) -> &[String] {
        &[]
    }
    /// A program of this name in a folder of the user's own where tools install programs, as `~/.cargo/bin/NAME`.
    fn program_at_home(&self, _name: &str) -> Option<String> {
        None
    }
    /// What a program of a closed list prints when it is asked for help, as it lies on `PATH` outside the project.
    fn help(&self, _program: &str, _subcommand: Option<&str>) -> Option<String> {
        None
    }
    /// The names of what a file holds as an archive, at most 1,000. None where it could not be read.
    fn members(&self, _path: &str) -> Option<Vec<String>> {
        None
    }
    /// The names of the accounts and groups that this machine knows.
    fn accounts(&self) -> Vec<String> {
        Vec::new()
    }
    /// Who listens on a port of this machine.
    fn port(&self, _port: u16) -> Option<Holder> {
        None
    }
    /// The next port from here on that nobody listens on.
    fn free_port(&self, _from: u16) -> Option<u16> {
        None
    }
    /// Who has a file open or, where it names a process, holds it.
    fn lock(&self, _path: &str) -> Option<Holder> {
        None
    }
    /// The branches and remotes of the git repository of a folder, as its files name them.
    fn refs(&self, _folder: &str) -> Refs {
        Refs::default()
    }
    /// The processes that run in a folder of the project, without those that asked.
    fn running(&self) -> Vec<ListeningProcess> {
        Vec::new()
    }
    /// The beginning of a file below the project as text, at most 64 KiB, whatever bytes it holds.
    fn beginning(&self, path: &str) -> Option<String> {
        self.text(path)
    }
}

/// Nothing is looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blind;

impl MachineLooks for Blind {}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The name.
    pub name: String,
    /// Whether it is a folder.
    pub is_dir: bool,
}

/// What kind of thing a path names, by its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileKind {
    /// A folder.
    Dir,
    /// A script, with the words of its first line: `["/usr/bin/env", "python3"]`.
    Script(Vec<String>),
    /// A compressed stream of this program's kind: `gzip`, `bzip2`, `xz`, `zstd`.
    Packed(&'static str),
    /// A tar archive that is not compressed.
    Tar,
    /// A zip archive.
    Zip,
    /// A program of the machine.
    Binary,
    /// Text.
    Text,
    /// Anything else.
    Other,
}

/// Who holds something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The process, where it can be told.
    pub pid: Option<u32>,
    /// Its name.
    pub name: Option<String>,
    /// Whether it lives.
    pub is_alive: bool,
}

/// A process that runs in a folder of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListeningProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// The ports that it listens on.
    pub ports: Vec<u16>,
}

/// What a git repository names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refs {
    /// The local branches.
    pub branches: Vec<String>,
    /// The branches of remotes without the remote's name.
    pub remote_branches: Vec<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// The remotes.
    pub remotes: Vec<String>,
    /// The branch that is checked out.
    pub head: Option<String>,
    /// The branch that the first remote checks out by default.
    pub remote_head: Option<String>,
}
