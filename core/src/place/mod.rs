//! Where a project's history and its plan tree are, and whether this user trusts them. Hook and commands share [`find`].
//! An edge above journal and plan.

mod standing;

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::digest::hex16;
use crate::journal::{HISTORY, Journal, STATE, make_private_dir, put_private, read_small};
use crate::plan::PlanTree;
use crate::redact::redact;
use crate::settings::PROJECT_FILE;
use crate::text;
use standing::{Standing, standing};
pub use standing::{TrustedLines, keep, link_below, trusted, trusts_plan};
pub use standing::{forget_lines, trust_lines, trusted_before};

/// The environment as a function, so that the caller says what it may read.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Where a project's history lives, and what was found on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder that holds `history.jsonl`.
    pub dir: PathBuf,
    /// Why that folder: shown by `failwise doctor`.
    pub reason: &'static str,
    /// The project that the history belongs to; a linked worktree's is the main worktree.
    pub project: PathBuf,
    /// The plan tree, where there is one that this user trusts.
    pub plans: Option<PathBuf>,
    /// The plan tree that came with the project and is not trusted: no hook reads it.
    pub foreign_plans: Option<PathBuf>,
    /// The linked git worktree, outside the main one.
    pub worktree: Option<PathBuf>,
}

impl Place {
    /// The folder that the calls' files are in: the linked worktree, else the project.
    pub fn root(&self) -> &Path {
        self.worktree.as_deref().unwrap_or(&self.project)
    }

    /// The project's settings file and its text, where it is a small regular file and no link leads to it.
    pub fn settings_file(&self) -> Option<(PathBuf, String)> {
        let path = self.project.join(PROJECT_FILE);
        let text = read_small(&path, SETTINGS_LIMIT)?;
        link_below(&self.project, &path).is_none().then_some((path, text))
    }

    /// What a file of the team's holds, [`TEAM_FILES`], where it is a regular file of at most 1 MiB and no link leads to it.
    pub fn team_file(&self, name: &str) -> Option<String> {
        let path = self.project.join(name);
        let text = read_small(&path, LARGEST_TEAM)?;
        link_below(&self.project, &path).is_none().then_some(text)
    }

    /// The folders of the project that hold a history which this user's Failwise began, whether git tracks it or not.
    pub fn own_histories(&self, env: Env<'_>) -> Vec<PathBuf> {
        self.folders_of_histories().into_iter().filter(|dir| trusted(env, dir).history.is_some()).collect()
    }

    /// The folders of the project that hold a history which this user's Failwise did not begin; the tree's own where the
    /// tree is trusted.
    pub fn foreign_histories(&self, env: Env<'_>) -> Vec<PathBuf> {
        let folders = self.folders_of_histories().into_iter();
        let is_foreign = |dir: &PathBuf| {
            let is_there = fs::symlink_metadata(dir.join(HISTORY)).is_ok();
            is_there && !trusted(env, dir).tracked && !standing(env, dir).holds_own_history
        };
        folders.filter(is_foreign).collect()
    }

    fn folders_of_histories(&self) -> Vec<PathBuf> {
        let folders = self.plans.clone().into_iter().chain([own_folder(&self.project)]);
        folders.filter(|dir| is_dir(dir) && link_below(&self.project, &dir.join(STATE)).is_none()).collect()
    }

    /// The first part of the way to what Failwise keeps in a project that is a link, so that it counts as absent.
    pub fn link(&self) -> Option<PathBuf> {
        let plans = PLAN_FOLDERS.iter().map(|folder| self.project.join(folder).join(STATE));
        let others = [own_folder(&self.project).join(STATE), self.project.join(PROJECT_FILE)];
        plans.chain(others).find_map(|path| link_below(&self.project, &path))
    }

    /// Where changes of a plan tree are recorded: in the tree, where its history is this user's own.
    pub fn history_of(&self, env: Env<'_>, plans: &Path) -> PathBuf {
        let in_tree = Some(plans) != self.plans.as_deref() && standing(env, plans).holds_own_history;
        if in_tree { plans.to_owned() } else { self.dir.clone() }
    }
}

/// Whether a file is one that can be started: regular, and somebody may run it.
#[expect(clippy::disallowed_methods, reason = "an edge: what is there is looked at")]
pub fn is_executable(file: &Path) -> bool {
    let Ok(about) = fs::metadata(file) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        about.is_file() && about.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    about.is_file()
}

/// The file of a project that holds what its team knows of failures, below its root.
pub const TEAM_FILE: &str = ".claude/failwise-known.jsonl";
/// The file of a project that holds what its team knows of test cases, below its root.
pub const TEAM_TESTS: &str = ".claude/failwise-tests.jsonl";
/// Both files.
pub const TEAM_FILES: [&str; 2] = [TEAM_FILE, TEAM_TESTS];
/// The largest such file that is read, in bytes.
pub const LARGEST_TEAM: u64 = 1024 * 1024;
/// Where a project keeps its plan tree: the current place, then the one of older releases.
const PLAN_FOLDERS: &[&str] = &[".claude/plans", ".aura/plans"];
/// The most of a settings file that is read.
const SETTINGS_LIMIT: u64 = 64 * 1024;
/// Where in the state directory histories are, one folder for each project.
const PROJECTS: &str = "projects";
/// Why a history is in the user's state directory.
const IN_STATE: &str = "the user's state directory";
/// The most folders that are looked through upwards.
const LEVELS: usize = 64;
/// The most of a `.git` file that is read.
const GIT_FILE_LIMIT: u64 = 4096;

/// Finds where the history of a payload lives. `cwd` is the payload's, never the process's own. None when nothing names
/// a project or a home.
pub fn find(env: Env<'_>, cwd: Option<&Path>) -> Option<Place> {
    let home = home_of(env);
    let start = absolute(env, "CLAUDE_PROJECT_DIR");
    let given = start.is_some();
    // A relative one would be looked for below the hook's own directory, which says nothing of the call's.
    let cwd = cwd.filter(|cwd| cwd.is_absolute());
    let start = start.or_else(|| cwd.map(Path::to_path_buf))?;
    let (root, is_linked) = nearest(&start, home.as_deref()).unwrap_or((&start, false));
    let worktree = if is_linked { main_worktree(root).map(|main| (root.to_path_buf(), main)) } else { None };
    let here = if given { start.clone() } else { root.to_path_buf() };
    let project = match &worktree {
        Some((root, main)) => here.strip_prefix(root).map_or_else(|_| main.clone(), |rest| join(main, rest)),
        None => here,
    };
    let plans = find_plans(env, &project).map(|plans| (standing(env, &plans), plans));
    let (dir, reason) = folder(env, &project, plans.as_ref())?;
    let (plans, foreign_plans) = match plans {
        Some((Standing { binds: true, .. }, plans)) => (Some(plans), None),
        found => (None, found.map(|(_, plans)| plans)),
    };
    let worktree = worktree.map(|(root, _)| root).or_else(|| own_worktree(&project, cwd.filter(|cwd| *cwd != start)?));
    Some(Place { dir, reason, project, plans, foreign_plans, worktree })
}

/// The folder that is meant where none is named: the client's project, else the one that a process was started in.
///
/// # Errors
/// When that one cannot be told.
pub fn client_folder(env: Env<'_>, here: impl FnOnce() -> std::io::Result<PathBuf>) -> std::io::Result<PathBuf> {
    absolute(env, "CLAUDE_PROJECT_DIR").map_or_else(here, Ok)
}

/// The linked worktree of the project that a call works in. The client names the session's project even for a subagent
/// that it gave a worktree of its own.
fn own_worktree(project: &Path, cwd: &Path) -> Option<PathBuf> {
    let (root, is_linked) = nearest(cwd, None)?;
    let main = if is_linked { main_worktree(root) } else { None }?;
    // A worktree of some other repository is no place of this project, wherever the agent went.
    project.starts_with(main).then(|| root.to_path_buf())
}

/// Where a new plan tree of the project is.
pub fn new_plan(env: Env<'_>, project: &Path) -> PathBuf {
    let named = env("AF_PLANS_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    join(project, named.as_deref().unwrap_or(Path::new(PLAN_FOLDERS[0])))
}

/// Makes the project's own folder for its history, which ignores itself, and returns it.
///
/// # Errors
/// When the folder cannot be made, or a link leads to it.
pub fn init(project: &Path) -> std::io::Result<PathBuf> {
    let dir = own_folder(project);
    if let Some(link) = link_below(project, &dir) {
        let what = format!("{} is a link, and nothing is written behind a link of a project", link.display());
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, what));
    }
    make_private_dir(&dir)?;
    let ignored = dir.join(".gitignore");
    // By a rename: what lies there may be a link.
    put_private(&ignored, b"*\n")?;
    Ok(dir)
}

/// A folder of the project counts only with a history that this user's Failwise began: any clone may bring one.
fn folder(env: Env<'_>, project: &Path, plans: Option<&(Standing, PathBuf)>) -> Option<(PathBuf, &'static str)> {
    if let Some(dir) = absolute(env, "FAILWISE_DIR") {
        return Some((dir, "FAILWISE_DIR"));
    }
    if let Some((_, plans)) = plans.filter(|(standing, _)| standing.binds && standing.holds_own_history) {
        return Some((plans.clone(), "the project's plan tree"));
    }
    if let Some(own) = own_history(env, project) {
        return Some((own, "the project's own folder, made by `failwise data init`"));
    }
    Some((state_folder(env, project)?, IN_STATE))
}

fn own_history(env: Env<'_>, project: &Path) -> Option<PathBuf> {
    let own = own_folder(project);
    let is_there = is_dir(&own) && link_below(project, &own).is_none();
    (is_there && standing(env, &own).holds_own_history).then_some(own)
}

/// Other folders that hold a history of the project: from before `failwise data init`, a plan tree or `FAILWISE_DIR`.
pub fn elsewhere(env: Env<'_>, place: &Place) -> Vec<PathBuf> {
    let own = Some(own_folder(&place.project));
    let plans = place.plans.clone().or_else(|| place.foreign_plans.clone());
    let folders = [plans, own, state_folder(env, &place.project)].into_iter().flatten();
    let folders = folders.filter(|dir| *dir != place.dir && link_below(&place.project, dir).is_none());
    folders.filter(|dir| !Journal::in_dir(dir).stored().is_empty()).collect()
}

/// The file in a project's folder of the state directory that keeps the runs of tests which were imported.
pub const IMPORTS: &str = "imports.jsonl";

/// The file in a project's folder of the state directory that keeps which changes a person adopted.
pub const ADOPTED: &str = "adopted.jsonl";

/// The project of a session by the folder that it began in: its key, and what people call it. All worktrees of a repository
/// are one project, by its main worktree; of a folder that is gone its name without the part of a worktree.
pub fn session_project(env: Env<'_>, root: &str) -> (String, String) {
    let name = |path: &Path| {
        path.file_name().map_or_else(|| "unknown".to_owned(), |name| redact(&name.to_string_lossy()).into_owned())
    };
    let here = Path::new(text::project_folder(root));
    // What the client says of its own project is not about this session.
    let env = |name: &str| if name == "CLAUDE_PROJECT_DIR" { None } else { env(name) };
    match find(&env, Some(here)).filter(|_| here.is_dir()) {
        Some(place) => (place.project.to_string_lossy().into_owned(), name(&place.project)),
        None => (name(here), name(here)),
    }
}

/// The name of a project's folder in the state directory: what it is known by where its folder is not at hand.
pub fn project_name(project: &Path) -> String {
    folder_name(project)
}

/// The project's folder in the user's state directory, wherever its history is.
pub fn project_folder(env: Env<'_>, place: &Place) -> Option<PathBuf> {
    // Nearly always it is known already, and a name costs more than all else.
    if place.reason == IN_STATE { Some(place.dir.clone()) } else { state_folder(env, &place.project) }
}

fn state_folder(env: Env<'_>, project: &Path) -> Option<PathBuf> {
    Some(state_root(env)?.join(PROJECTS).join(folder_name(project)))
}

/// Where the clients beside Claude Code keep session files: the variable that names their own folder, where there is one, the
/// name of that below the home folder, and the folder in it.
const OTHER_CLIENTS: &[(Option<&str>, &str, &str)] = &[
    (Some("CODEX_HOME"), ".codex", "sessions"),
    (None, ".copilot", "session-state"),
    (None, ".gemini", "tmp"),
    (None, ".qwen", "projects"),
];

/// The folders that hold what the user's own sessions left: the clients' session files and the histories in the state
/// directory. Only those that exist.
pub fn session_folders(env: Env<'_>) -> Vec<PathBuf> {
    let client = match absolute(env, "CLAUDE_CONFIG_DIR") {
        Some(dir) => vec![dir.join("projects")],
        None => home_of(env).map_or_else(Vec::new, |home| {
            [".claude/projects", ".config/claude/projects"].map(|folder| home.join(folder)).to_vec()
        }),
    };
    let others = OTHER_CLIENTS.iter().filter_map(|(variable, below_home, sessions)| {
        let named = variable.and_then(|variable| absolute(env, variable));
        Some(named.or_else(|| Some(home_of(env)?.join(below_home)))?.join(sessions))
    });
    let own = [state_root(env).map(|dir| dir.join(PROJECTS)), absolute(env, "FAILWISE_DIR")];
    client.into_iter().chain(others).chain(own.into_iter().flatten()).filter(|dir| dir.is_dir()).collect()
}

/// Failwise's folder in the user's state directory.
pub fn state_root(env: Env<'_>) -> Option<PathBuf> {
    own_root(env, "XDG_STATE_HOME", ".local/state", cfg!(windows))
}

/// Failwise's folder in the user's data directory: where `failwise setup` puts the plugin.
pub fn data_root(env: Env<'_>) -> Option<PathBuf> {
    own_root(env, "XDG_DATA_HOME", ".local/share", cfg!(windows))
}

/// A folder of Failwise's own: below what the variable names, else below the home folder; on Windows below `LOCALAPPDATA`.
fn own_root(env: Env<'_>, variable: &str, below_home: &str, is_windows: bool) -> Option<PathBuf> {
    let local = || if is_windows { absolute(env, "LOCALAPPDATA") } else { None };
    let in_home = || Some(home_on(env, is_windows)?.join(below_home));
    Some(absolute(env, variable).or_else(local).or_else(in_home)?.join("failwise"))
}

/// The user's home folder.
pub fn home_of(env: Env<'_>) -> Option<PathBuf> {
    home_on(env, cfg!(windows))
}

/// On Windows `HOME` is what a shell made of it, and the client does not look at it.
fn home_on(env: Env<'_>, is_windows: bool) -> Option<PathBuf> {
    let profile = if is_windows { absolute(env, "USERPROFILE") } else { None };
    profile.or_else(|| absolute(env, "HOME"))
}

/// The absolute path that a variable names.
fn absolute(env: Env<'_>, name: &str) -> Option<PathBuf> {
    env(name).map(PathBuf::from).filter(|dir| dir.is_absolute())
}

/// The folder of a project that `failwise data init` makes.
pub fn own_folder(project: &Path) -> PathBuf {
    project.join(".claude/failwise")
}

/// A name that a person recognises and that no path can break out of: letters and digits of the last part, and a hash
/// of the whole.
fn folder_name(project: &Path) -> String {
    let whole = project.to_string_lossy();
    let last = project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let safe: String =
        // A folder may be named after a token, and the name shows in listings and reports.
        redact(&last).chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40).collect();
    let hash = hex16(&[&whole]);
    if safe.is_empty() { hash } else { format!("{safe}-{hash}") }
}

/// The nearest folder above that holds a `.git` or a plan tree, and whether its `.git` is a file, as a linked worktree's
/// is; never the home folder itself.
fn nearest<'p>(start: &'p Path, home: Option<&Path>) -> Option<(&'p Path, bool)> {
    start.ancestors().take(LEVELS).take_while(|dir| Some(*dir) != home).find_map(|dir| {
        let git = fs::symlink_metadata(dir.join(".git")).ok();
        let is_marked = git.is_some() || plan_in(dir, None).is_some();
        is_marked.then(|| (dir, git.is_some_and(|git| git.is_file())))
    })
}

fn find_plans(env: Env<'_>, project: &Path) -> Option<PathBuf> {
    let given =
        env("AF_PLANS_DIR").map(PathBuf::from).filter(|dir| !dir.as_os_str().is_empty()).map(|dir| join(project, &dir));
    plan_in(project, given.as_deref())
}

/// The folder of the project's plan tree: one with a valid `active.json`. `override_dir` is what the person set by
/// `AF_PLANS_DIR`, relative to `project` where it is relative; where it is set, it alone decides.
/// One behind a link below the project is none.
pub fn plan_in(project: &Path, override_dir: Option<&Path>) -> Option<PathBuf> {
    let is_plan = |dir: &PathBuf| PlanTree::is_in(dir) && link_below(project, dir).is_none();
    match override_dir {
        Some(dir) => Some(project.join(dir)).filter(is_plan),
        None => PLAN_FOLDERS.iter().map(|folder| project.join(folder)).find(is_plan),
    }
}

/// The main worktree of a linked one, found by reading its `.git` file.
fn main_worktree(root: &Path) -> Option<PathBuf> {
    let text = read_small(&root.join(".git"), GIT_FILE_LIMIT)?;
    let git_dir = join(root, Path::new(text.strip_prefix("gitdir:")?.trim()));
    // A repository may name any file here, a pipe among them.
    let common = read_small(&git_dir.join("commondir"), GIT_FILE_LIMIT)?;
    let common = join(&git_dir, Path::new(common.trim()));
    let main = common.parent()?;
    let is_main = common.file_name()? == ".git" && main != root;
    (is_main && lists(&common, &git_dir, root)).then(|| main.to_path_buf())
}

/// Whether a repository lists a worktree: anybody may write a `.git` file that names somebody else's repository, and only
/// that repository's own record names the worktree.
fn lists(common: &Path, git_dir: &Path, root: &Path) -> bool {
    let is_among = git_dir.parent() == Some(&common.join("worktrees"));
    let Some(text) = read_small(&git_dir.join("gitdir"), GIT_FILE_LIMIT).filter(|_| is_among) else { return false };
    let (listed, own) = (join(git_dir, Path::new(text.trim())), root.join(".git"));
    // The same file by another way: git writes paths without links.
    listed == own || fs::canonicalize(listed).ok().is_some_and(|listed| fs::canonicalize(own).ok() == Some(listed))
}

/// Joins two paths and takes `.` and `..` out by their spelling.
fn join(base: &Path, rest: &Path) -> PathBuf {
    let mut joined = PathBuf::new();
    for part in base.join(rest).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                joined.pop();
            }
            part => joined.push(part),
        }
    }
    joined
}

fn is_dir(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// The `failwise` beside the executable that runs, where there is one.
pub fn own_program() -> Option<PathBuf> {
    let name = if cfg!(windows) { "failwise.exe" } else { "failwise" };
    Some(std::env::current_exe().ok()?.with_file_name(name)).filter(|beside| beside.is_file())
}

/// The same by its full path, as a person's shell takes it: the link to it need not be on anybody's PATH. None where its path
/// holds a sign that some shell might take for its own.
pub fn own_command() -> Option<String> {
    let path = own_program()?.into_os_string().into_string().ok()?;
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-+@".contains(sign);
    path.chars().all(is_plain).then_some(path)
}

/// A path without links, as people and clients write it.
///
/// # Errors
/// When it cannot be looked at.
pub fn real_path(path: &Path) -> std::io::Result<PathBuf> {
    fs::canonicalize(path).map(plain_path)
}

/// On Windows a path without links begins with a prefix that nobody writes.
fn plain_path(path: PathBuf) -> PathBuf {
    let below_drive = path.to_str().and_then(|path| path.strip_prefix(r"\\?\")).filter(|path| !path.starts_with("UNC"));
    below_drive.map(PathBuf::from).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "builds folders")]

    use super::*;

    fn env_of(pairs: &[(&str, &Path)]) -> impl Fn(&str) -> Option<OsString> + use<> {
        let pairs: Vec<(String, OsString)> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), value.as_os_str().to_owned())).collect();
        move |name| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn a_project_is_found_upwards_and_home_is_none() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        fs::create_dir_all(home.join(".git")).unwrap();
        fs::create_dir_all(home.join("p/.git")).unwrap();
        fs::create_dir_all(home.join("p/src/deep")).unwrap();
        fs::create_dir_all(home.join("q")).unwrap();
        let env = env_of(&[("HOME", home)]);
        let place = find(&env, Some(&home.join("p/src/deep"))).unwrap();
        assert_eq!(place.project, home.join("p"));
        assert!(place.dir.starts_with(home.join(".local/state/failwise/projects")));
        // The home folder holds a .git of its own, which is nobody's project.
        assert_eq!(find(&env, Some(&home.join("q"))).unwrap().project, home.join("q"));
    }

    #[test]
    fn windows_has_folders_of_its_own() {
        let (home, profile, local, state) = ("/home/r", "/c/Users/r", "/c/Users/r/AppData/Local", "/s");
        let env = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(&str, &Path)> = pairs.iter().map(|(name, value)| (*name, Path::new(*value))).collect();
            env_of(&pairs)
        };
        let all = env(&[("HOME", home), ("USERPROFILE", profile), ("LOCALAPPDATA", local)]);
        let root = |env: Env<'_>, is_windows| own_root(env, "XDG_STATE_HOME", ".local/state", is_windows);
        assert_eq!(root(&all, false).unwrap(), Path::new("/home/r/.local/state/failwise"));
        assert_eq!(root(&all, true).unwrap(), Path::new("/c/Users/r/AppData/Local/failwise"));
        assert_eq!(home_on(&all, false).unwrap(), Path::new(home));
        assert_eq!(home_on(&all, true).unwrap(), Path::new(profile));
        let profile_alone = env(&[("USERPROFILE", profile)]);
        assert_eq!(root(&profile_alone, true).unwrap(), Path::new("/c/Users/r/.local/state/failwise"));
        assert_eq!(root(&profile_alone, false), None, "another system's variable names nothing here");
        let chosen = env(&[("XDG_STATE_HOME", state), ("LOCALAPPDATA", local)]);
        assert_eq!(root(&chosen, true).unwrap(), Path::new("/s/failwise"));
    }

    #[test]
    fn a_path_is_given_as_people_write_it() {
        let plain = |path: &str| plain_path(PathBuf::from(path)).into_os_string().into_string().unwrap();
        assert_eq!(plain(r"\\?\C:\Users\r\shop"), r"C:\Users\r\shop");
        assert_eq!(plain(r"\\?\UNC\server\share"), r"\\?\UNC\server\share", "without it, another folder is meant");
        assert_eq!(plain("/home/r/shop"), "/home/r/shop");
    }

    #[test]
    fn a_linked_worktree_shares_the_main_history() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let git_dir = root.join("main/.git/worktrees/w");
        fs::create_dir_all(&git_dir).unwrap();
        fs::create_dir_all(root.join("w")).unwrap();
        fs::write(root.join("w/.git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        fs::write(git_dir.join("commondir"), "../..\n").unwrap();
        assert_eq!(find(&env_of(&[("HOME", root)]), Some(&root.join("w"))).unwrap().worktree, None, "not listed");
        fs::write(git_dir.join("gitdir"), format!("{}\n", root.join("w/.git").display())).unwrap();
        let home = root.join("home");
        let env = env_of(&[("HOME", &home)]);
        let linked = find(&env, Some(&root.join("w"))).unwrap();
        let main = find(&env, Some(&root.join("main"))).unwrap();
        assert_eq!(linked.dir, main.dir);
        assert_eq!(linked.worktree, Some(root.join("w")));
        assert_eq!(main.worktree, None);
    }

    #[test]
    fn a_subagents_own_worktree_is_found_although_the_session_names_the_project() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let (main, other) = (root.join("main"), root.join("other"));
        let (own, foreign) = (main.join(".claude/worktrees/agent-a1"), main.join("vendor/other"));
        for (repository, worktree) in [(&main, &own), (&other, &foreign)] {
            let git_dir = repository.join(".git/worktrees/w");
            fs::create_dir_all(&git_dir).unwrap();
            fs::create_dir_all(worktree.join("src")).unwrap();
            fs::write(worktree.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
            fs::write(git_dir.join("commondir"), "../..\n").unwrap();
            fs::write(git_dir.join("gitdir"), format!("{}\n", worktree.join(".git").display())).unwrap();
        }
        let env = env_of(&[("HOME", &root.join("home")), ("CLAUDE_PROJECT_DIR", &main)]);
        let session = find(&env, Some(&main)).unwrap();
        assert_eq!(session.worktree, None);
        let subagent = find(&env, Some(&own.join("src"))).unwrap();
        assert_eq!(subagent.worktree, Some(own));
        assert_eq!((subagent.project, subagent.dir), (session.project, session.dir));
        assert_eq!(find(&env, Some(&foreign)).unwrap().worktree, None);
    }

    #[cfg(unix)]
    #[test]
    fn a_worktree_that_names_a_pipe_is_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir_all(root.join("w")).unwrap();
        fs::write(root.join("w/.git"), "gitdir: ../fake\n").unwrap();
        fs::create_dir_all(root.join("fake")).unwrap();
        let pipe = root.join("fake/commondir");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (done, is_done) = std::sync::mpsc::channel();
        let (env, cwd) = (env_of(&[("HOME", &root.join("home"))]), root.join("w"));
        std::thread::spawn(move || done.send(find(&env, Some(&cwd)).unwrap().worktree));
        assert_eq!(is_done.recv_timeout(std::time::Duration::from_secs(5)), Ok(None));
    }

    #[test]
    fn a_hostile_folder_name_stays_one_folder() {
        let name = folder_name(Path::new("/a/..%2f..\u{202e}\n"));
        assert!(!name.contains(['/', '.', '%', '\n']));
    }
}
