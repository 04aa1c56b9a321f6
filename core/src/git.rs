//! What git knows of a worktree: an edge that starts git and reads its answer. Nothing is written: no lock is taken, no
//! hook, monitor, filter, external difference or text conversion of the repository is run, and nothing is fetched. An
//! answer is bounded in time and length; one that is not whole is none.

#![expect(clippy::disallowed_methods, reason = "an edge: git is a process")]

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long one answer may take.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The most of an answer that is read.
const LONGEST_ANSWER: u64 = 4 * 1024 * 1024;
/// The first arguments of every call.
const CAREFUL: &[&str] = &[
    "--no-optional-locks",
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    // A folder of the project that holds the files of a bare repository, and a configuration with commands.
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.quotePath=false",
];
/// What of the environment would lead git elsewhere.
const ELSEWHERE: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
];

/// A folder in a worktree. Paths that it answers are relative to the folder.
#[derive(Debug, Clone)]
pub struct Worktree {
    dir: PathBuf,
    /// Settings that take the place of the repository's own filters, each a key and its value.
    filters: Vec<(String, String)>,
    /// How long one answer may take.
    wait: Duration,
}

impl Worktree {
    /// The folder, where git takes it for part of a worktree.
    pub fn at(dir: &Path) -> Option<Self> {
        let worktree = Self::unasked(dir);
        let answer = worktree.ask(&["rev-parse", "--is-inside-work-tree"])?;
        let filters = worktree.filters().filter(|_| answer.trim() == "true")?;
        Some(Self { filters, ..worktree })
    }

    /// The folder, for questions that look at no file of it and so need no filter.
    fn unasked(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), filters: Vec::new(), wait: LONGEST_WAIT }
    }

    /// What git is to take for the filters that the repository names: what the user or the system says of them, or nothing.
    /// A filter of the user's own, such as `git lfs install` makes, goes on as it is, and files are compared as ever.
    fn filters(&self) -> Option<Vec<(String, String)>> {
        // A repository without any filter answers as one that has nothing to say: with an exit of 1.
        let all = self.ask_or(&["config", "--null", "--show-scope", "--get-regexp", r"^filter\."], 1)?;
        Some(neutral(&all))
    }

    /// Where the folder is in its worktree: empty at the top.
    pub fn prefix(&self) -> Option<PathBuf> {
        Some(PathBuf::from(self.ask(&["rev-parse", "--show-prefix"])?.trim_end_matches('\n')))
    }

    /// The commit that is checked out in the worktree.
    pub fn head(&self) -> Option<String> {
        self.commit("HEAD")
    }

    /// The branch that is checked out; None where a commit is.
    pub fn branch(&self) -> Option<String> {
        let answer = self.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        Some(answer.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// The commit where this worktree and another commit parted: that commit itself where the worktree builds upon it.
    pub fn parted_from(&self, commit: &str) -> Option<String> {
        let commit = if is_commit(commit) { self.commit(commit)? } else { return None };
        let base = self.ask(&["merge-base", &commit, "HEAD"])?;
        Some(base.trim().to_owned()).filter(|base| is_commit(base))
    }

    /// The files that differ from a commit, committed or not, and those that git does not know yet.
    pub fn changed_since(&self, commit: &str) -> Option<Vec<String>> {
        if !is_commit(commit) {
            return None;
        }
        let mut known = vec!["diff", "--name-only", "-z", "--no-renames"];
        known.extend(DIFF);
        known.extend([commit, "--"]);
        let known = self.ask(&known)?;
        let new = self.ask(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        let files = known.split('\0').chain(new.split('\0'));
        Some(files.filter(|file| !file.is_empty()).map(str::to_owned).collect())
    }

    /// The difference of one file from a commit, without the lines around. Empty for a file that git does not know.
    pub fn difference(&self, commit: &str, file: &str) -> Option<String> {
        if !is_commit(commit) {
            return None;
        }
        let mut arguments = vec!["diff", "-U0", "--no-color", "--no-renames"];
        arguments.extend(DIFF);
        arguments.extend([commit, "--", file]);
        self.ask(&arguments)
    }

    /// Whether git tracks any of these files and folders.
    fn tracks(&self, files: &[&str]) -> Option<bool> {
        let known = self.ask(&[&["ls-files", "--cached", "-z", "--"], files].concat())?;
        Some(!known.is_empty())
    }

    fn commit(&self, name: &str) -> Option<String> {
        let commit =
            self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])?;
        Some(commit.trim().to_owned()).filter(|commit| is_commit(commit))
    }

    /// The whole answer. None where git is not there, takes too long, says too much or says that it cannot.
    fn ask(&self, arguments: &[&str]) -> Option<String> {
        self.ask_or(arguments, 0)
    }

    /// The same, where another exit than 0 is an answer too.
    fn ask_or(&self, arguments: &[&str], also: i32) -> Option<String> {
        let mut command = Command::new("git");
        command.args(CAREFUL).arg("-C").arg(&self.dir).args(arguments);
        for name in ELSEWHERE {
            command.env_remove(name);
        }
        // No translated words, no question for a password, no download of objects that a partial clone lacks.
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_NO_LAZY_FETCH", "1");
        // The objects that a commit names, and none that the repository would have in their place.
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
        // What an older git fetches all the same runs the repository's own transport: none is allowed.
        command.env("GIT_ALLOW_PROTOCOL", "none");
        // In the environment, because a filter's name may hold any sign.
        command.env("GIT_CONFIG_COUNT", self.filters.len().to_string());
        for (number, (key, value)) in self.filters.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{number}"), key).env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let answer = answer_of(&mut child, self.wait);
        if answer.is_none() {
            // It may have ended since, which is as good.
            let _ = child.kill();
        }
        let ended = child.wait().ok()?;
        let is_answer = ended.success() || ended.code().is_some_and(|code| code == also);
        String::from_utf8(answer.filter(|_| is_answer)?).ok()
    }
}

/// The default branch of a clone's `origin`, as it was fetched last.
#[derive(Debug, Clone)]
pub struct FetchedBranch {
    worktree: Worktree,
    /// Its name, such as `origin/main`.
    pub name: String,
    /// Its commit.
    pub commit: String,
}

/// Where that branch is looked for: what the remote calls its default first.
const DEFAULTS: [&str; 3] = ["refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"];
/// What all branches of that remote begin with.
const FETCHED: &str = "refs/remotes/";
/// The most authors that are asked for.
const MOST_AUTHORS: &str = "--max-count=100";

impl FetchedBranch {
    /// The branch that a folder's repository knows, which is looked at again at each call. The outer None is no answer of git.
    pub fn of(dir: &Path) -> Option<Option<Self>> {
        let worktree = Worktree::unasked(dir);
        let format = "--format=%(refname) %(objecttype) %(objectname) %(symref)";
        let answer = worktree.ask(&[&["for-each-ref", format], &DEFAULTS[..]].concat())?;
        let rows: Vec<Vec<&str>> = answer.lines().map(|line| line.split(' ').collect()).collect();
        let found = DEFAULTS.iter().find_map(|name| {
            let row = rows.iter().find(|row| row.first() == Some(name))?;
            let &[_, "commit", commit, target] = row.as_slice() else { return None };
            // The remote's own name for its default is a link to one of its branches.
            let name = if target.is_empty() { name } else { target };
            let short = name.strip_prefix(FETCHED).filter(|short| short.starts_with("origin/"))?;
            is_commit(commit).then(|| (short.to_owned(), commit.to_owned()))
        });
        Some(found.map(|(name, commit)| Self { worktree, name, commit }))
    }

    /// What a file of the folder holds there: a regular one of at most `most` bytes, no link and no other repository's.
    pub fn file(&self, path: &str, most: u64) -> Option<String> {
        let entry = self.worktree.ask(&["ls-tree", "-l", "-z", &self.commit, "--", path])?;
        let words: Vec<&str> = entry.split(['\0', '\t']).next()?.split_whitespace().collect();
        let &["100644" | "100755", "blob", object, size] = words.as_slice() else { return None };
        let is_small = size.parse::<u64>().is_ok_and(|size| size <= most);
        if is_small && is_commit(object) { self.worktree.ask(&["cat-file", "blob", object]) } else { None }
    }

    /// Who wrote the commits behind another one that changed these files, each once, the last first. Names that git was told:
    /// anybody's words.
    pub fn authors(&self, since: &str, files: &[&str]) -> Option<Vec<String>> {
        let span = if is_commit(since) { format!("{since}..{}", self.commit) } else { return None };
        let log = ["log", "-z", "--format=%an", "--no-show-signature", "--no-mailmap", "--no-patch", MOST_AUTHORS];
        let answer = self.worktree.ask(&[&log, &[span.as_str(), "--"][..], files].concat())?;
        let mut names: Vec<String> = Vec::new();
        for name in answer.split('\0').filter(|name| !name.is_empty()) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Some(names)
    }
}

/// Where the `origin` of a folder's repository is, as its settings say; None where there is none.
pub fn origin_of(dir: &Path) -> Option<String> {
    let answer = Worktree::unasked(dir).ask(&["config", "--null", "--get", "remote.origin.url"])?;
    answer.strip_suffix('\0').filter(|url| !url.is_empty()).map(str::to_owned)
}

/// The settings of filters by which nothing of the repository runs, from all settings of filters: scope, then key and
/// value, each ended by a NUL. Whatever comes from elsewhere than user and system is set back to what those say.
fn neutral(all: &str) -> Vec<(String, String)> {
    let parts: Vec<&str> = all.split('\0').collect();
    let rows = parts.chunks_exact(2).filter_map(|row| {
        let [scope, setting] = row else { return None };
        // A key without a value stands alone.
        let (key, value) = setting.split_once('\n').unwrap_or((setting, "true"));
        Some((matches!(*scope, "global" | "system"), key, value))
    });
    let rows: Vec<(bool, &str, &str)> = rows.collect();
    let of_repository = rows.iter().filter(|(is_users, ..)| !is_users).filter_map(|(_, key, _)| filter_of(key));
    let names: BTreeSet<&str> = of_repository.collect();
    let of_user =
        |key: &str| rows.iter().rev().find(|(is_users, known, _)| *is_users && *known == key).map(|row| row.2);
    let settings = names
        .into_iter()
        .flat_map(|name| FILTER_KEYS.iter().map(move |(last, nothing)| (format!("{name}.{last}"), *nothing)));
    settings
        .map(|(key, nothing)| {
            let value = of_user(&key).unwrap_or(nothing).to_owned();
            (key, value)
        })
        .collect()
}

/// What a filter sets, and what says that it does nothing.
const FILTER_KEYS: &[(&str, &str)] = &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

/// The filter that a key belongs to: `filter.lfs` of `filter.lfs.clean`.
fn filter_of(key: &str) -> Option<&str> {
    key.rsplit_once('.').map(|(filter, _)| filter).filter(|filter| filter.contains('.'))
}

/// Whether git tracks any of these files and folders of a folder. What it does not answer, it does not track.
pub fn tracks(dir: &Path, files: &[&str]) -> bool {
    Worktree::unasked(dir).tracks(files).unwrap_or_default()
}

/// The arguments of every `git diff`.
const DIFF: &[&str] = &["--relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

fn answer_of(child: &mut Child, wait: Duration) -> Option<Vec<u8>> {
    let out = child.stdout.take()?;
    let (done, is_done) = mpsc::channel();
    // Read beside the wait: an answer longer than the pipe would else keep git waiting for us, and us for it.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // One byte more than is allowed shows that there was more.
        let read = out.take(LONGEST_ANSWER + 1).read_to_end(&mut bytes);
        done.send(read.ok().map(|_| bytes))
    });
    let bytes = is_done.recv_timeout(wait).ok()??;
    (bytes.len() as u64 <= LONGEST_ANSWER).then_some(bytes)
}

/// Whether a word is a commit's name in hexadecimal digits, and so neither an option nor an expression.
pub fn is_commit(word: &str) -> bool {
    (7..=64).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn git(dir: &Path, arguments: &[&str]) -> String {
        let config = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
        let mut command = Command::new("git");
        command.args(config).arg("-C").arg(dir).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let out = command.output().unwrap();
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    }

    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q"]);
        for file in ["a", "b", "gone"] {
            fs::write(dir.path().join(file), "1\n2\n3\n").unwrap();
        }
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("sub/c"), "1\n").unwrap();
        git(dir.path(), &["add", "-A"]);
        git(dir.path(), &["commit", "-qm", "one"]);
        dir
    }

    #[test]
    fn committed_uncommitted_and_unknown_files_are_changes() {
        let dir = repository();
        let at = Worktree::at(dir.path()).unwrap();
        let start = at.head().unwrap();
        assert_eq!(at.changed_since(&start).unwrap(), [""; 0]);
        fs::write(dir.path().join("a"), "1\nx\n3\n").unwrap();
        git(dir.path(), &["commit", "-qam", "two"]);
        fs::write(dir.path().join("b"), "y\n").unwrap();
        fs::remove_file(dir.path().join("gone")).unwrap();
        fs::write(dir.path().join("sub/\u{e9} new"), "").unwrap();
        let mut changed = at.changed_since(&start).unwrap();
        changed.sort();
        assert_eq!(changed, ["a", "b", "gone", "sub/\u{e9} new"]);
        assert!(at.difference(&start, "a").unwrap().contains("@@ -2 +2 @@"));
        let below = Worktree::at(&dir.path().join("sub")).unwrap();
        assert_eq!(below.prefix().unwrap(), Path::new("sub/"));
        assert_eq!(below.changed_since(&start).unwrap(), ["\u{e9} new"]);
    }

    #[test]
    fn what_is_no_commit_or_no_worktree_has_no_answer() {
        let dir = repository();
        let at = Worktree::at(dir.path()).unwrap();
        for word in ["", "HEAD", "--output=x", "main", "1234567", "0000000000000000000000000000000000000000", "abc"] {
            assert!(at.parted_from(word).is_none(), "{word}");
            assert!(at.changed_since(word).is_none_or(|files| files.is_empty() && is_commit(word)), "{word}");
        }
        assert!(Worktree::at(&dir.path().join("missing")).is_none());
        assert!(Worktree::at(tempfile::tempdir().unwrap().path()).is_none());
        assert_eq!(at.parted_from(&at.head().unwrap()), at.head());
    }

    #[test]
    fn a_repository_that_came_as_files_of_the_project_is_no_worktree() {
        let dir = repository();
        let inner = dir.path().join("vendor/inner");
        fs::create_dir_all(&inner).unwrap();
        git(&inner, &["init", "-q", "--bare"]);
        git(&inner, &["config", "core.bare", "false"]);
        git(&inner, &["config", "core.worktree", "."]);
        assert!(Worktree::at(&inner).is_none());
    }

    #[test]
    fn a_worktree_is_compared_from_where_it_parted() {
        let dir = repository();
        let at = Worktree::at(dir.path()).unwrap();
        let start = at.head().unwrap();
        let linked = dir.path().join("linked");
        git(dir.path(), &["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
        fs::write(dir.path().join("a"), "main\n").unwrap();
        git(dir.path(), &["commit", "-qam", "main goes on"]);
        let side = Worktree::at(&linked).unwrap();
        assert_eq!(side.parted_from(&at.head().unwrap()), Some(start));
    }

    #[test]
    fn a_filter_of_the_user_goes_on_and_one_of_the_repository_does_not() {
        let all = [
            "global",
            "filter.lfs.clean\ngit-lfs clean -- %f",
            "system",
            "filter.lfs.clean\nold",
            "global",
            "filter.lfs.required\ntrue",
        ];
        let all = |more: &[&str]| [&all, more].concat().join("\0") + "\0";
        assert_eq!(neutral(&all(&[])), []);
        assert_eq!(neutral(""), []);
        let theirs = all(&[
            "local",
            "filter.lfs.clean\nevil",
            "worktree",
            "filter.a.b.process\nevil",
            "local",
            "filter.c.required",
        ]);
        let set: Vec<String> = neutral(&theirs).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(
            set,
            [
                "filter.a.b.clean=",
                "filter.a.b.smudge=",
                "filter.a.b.process=",
                "filter.a.b.required=false",
                "filter.c.clean=",
                "filter.c.smudge=",
                "filter.c.process=",
                "filter.c.required=false",
                "filter.lfs.clean=old",
                "filter.lfs.smudge=",
                "filter.lfs.process=",
                "filter.lfs.required=true",
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_repository_runs_no_program_of_its_own() {
        use std::os::unix::fs::PermissionsExt;
        let dir = repository();
        let trap = dir.path().join("trap.sh");
        fs::write(&trap, "#!/bin/sh\ntouch \"$(dirname \"$0\")/sprung\"\n").unwrap();
        fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
        let trap = trap.to_str().unwrap();
        let start = git(dir.path(), &["rev-parse", "HEAD"]);
        let attributes = "a diff=trap filter=trap\nb filter=x=y.z\ngone filter=late\n";
        fs::write(dir.path().join(".git/info/attributes"), attributes).unwrap();
        let keys = ["core.fsmonitor", "diff.external", "diff.trap.command", "diff.trap.textconv", "filter.trap.clean"];
        for key in keys.into_iter().chain(["filter.trap.smudge", "filter.x=y.z.process"]) {
            git(dir.path(), &["config", key, trap]);
        }
        git(dir.path(), &["config", "filter.trap.required", "true"]);
        fs::write(dir.path().join("more"), format!("[filter \"late\"]\n\tclean = {trap}\n\trequired\n")).unwrap();
        git(dir.path(), &["config", "include.path", "../more"]);
        for file in ["a", "b", "gone"] {
            fs::write(dir.path().join(file), "other\n").unwrap();
        }
        let at = Worktree::at(dir.path()).unwrap();
        assert!(at.changed_since(&start).unwrap().contains(&"a".to_owned()));
        assert!(at.difference(&start, "a").unwrap().contains("+other"));
        assert!(!dir.path().join("sprung").exists());
    }
}
