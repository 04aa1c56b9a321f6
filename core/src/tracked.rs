//! What git's own files in a project say, git not started: the names that it tracks, from the index, and whether a commit was
//! made, from the log of `HEAD`. What is larger than the bounds, split, sparse or of another form than is known here says
//! nothing.

use std::path::{Path, PathBuf};

use crate::journal::{read_end, read_small, read_small_bytes};

/// The largest index that is read, in bytes.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// The most names of an index.
const MOST_NAMES: u32 = 100_000;
/// The most of the file that tells where a linked worktree's index lies.
const MOST_LINK: u64 = 8 * 1024;
/// The longest path.
const LONGEST: usize = 4096;
/// How much of the end of the log of `HEAD` is read, in bytes: some twenty lines.
const LOG_LOOKED_AT: usize = 4 * 1024;

/// Shows the tracked files of the worktree in this folder, one by one, as paths relative to it; what is no UTF-8 in a name
/// stands there as the sign for that. None where they are not known, or not all of them: what was shown until then counts for
/// nothing.
pub fn tracked(root: &Path, mut see: impl FnMut(&str)) -> Option<()> {
    let bytes = read_small_bytes(&git_folder(root)?.join("index"), MOST_BYTES)?;
    // By the length of the names of objects: SHA-1, SHA-256.
    let hash = [20, 32].into_iter().find(|hash| read_index(&bytes, *hash, |_| {}).is_some())?;
    read_index(&bytes, hash, |name| see(&String::from_utf8_lossy(name)))
}

/// Whether a commit was made in the worktree in this folder at or after a time in seconds since 1970. None where that is not
/// known: there is no log of `HEAD`, or what can be seen of it begins later.
pub fn committed_since(root: &Path, since: i64) -> Option<bool> {
    let log = read_end(&git_folder(root)?.join("logs/HEAD"), LOG_LOOKED_AT).ok()?;
    // `OLD NEW NAME <MAIL> SECONDS ZONE<tab>commit (amend): SUBJECT`
    let entry = |line: &str| {
        let (who, what) = line.split_once('\t')?;
        let (_, time) = who.rsplit_once("> ")?;
        let seconds: i64 = time.split(' ').next()?.parse().ok()?;
        Some((seconds, what.starts_with("commit")))
    };
    let entries: Vec<(i64, bool)> = log.lines().filter_map(entry).collect();
    let is_made = entries.iter().any(|(at, is_commit)| *at >= since && *is_commit);
    (is_made || entries.iter().any(|(at, _)| *at < since)).then_some(is_made)
}

/// Where git keeps what it knows of a worktree: its `.git`, or what that file names.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let Some(link) = read_small(&git, MOST_LINK) else { return Some(git) };
    let folder = link.strip_prefix("gitdir:")?.trim();
    Some(root.join(folder))
}

/// Shows the names in an index; None of one that is not whole and of a known form.
fn read_index(bytes: &[u8], hash: usize, mut see: impl FnMut(&[u8])) -> Option<()> {
    /// What stands of a file before its object's name.
    const STAT: usize = 40;
    /// In the flags the name's length, which says no more of a longer one, and that more flags follow.
    const NAME: u16 = 0x0fff;
    const EXTENDED: u16 = 0x4000;
    let (content, _) = bytes.split_at_checked(bytes.len().checked_sub(hash)?)?;
    let mut rest = content.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let count = number(&mut rest).filter(|count| (2..=4).contains(&version) && *count <= MOST_NAMES)?;
    let mut path = Vec::new();
    for _ in 0..count {
        let begins = rest.len();
        take(&mut rest, STAT + hash)?;
        let flags = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
        if flags & EXTENDED != 0 {
            take(&mut rest, 2).filter(|_| version > 2)?;
        }
        // From version 4 on a name tells what it shares with the one before it.
        let kept = if version == 4 { path.len().checked_sub(varint(&mut rest)?)? } else { 0 };
        let end = rest.iter().take(LONGEST).position(|byte| *byte == 0)?;
        path.truncate(kept);
        path.extend_from_slice(take(&mut rest, end)?);
        let is_as_long = path.len().min(usize::from(NAME)) == usize::from(flags & NAME);
        if !is_as_long || !(1..=LONGEST).contains(&path.len()) {
            return None;
        }
        let padded = if version == 4 { 1 } else { 8 - (begins - rest.len()) % 8 };
        take(&mut rest, padded).filter(|zeros| zeros.iter().all(|zero| *zero == 0))?;
        see(&path);
    }
    // What begins with a small letter has to be understood: a split or a sparse index.
    while !rest.is_empty() {
        take(&mut rest, 4).filter(|name| name.iter().all(u8::is_ascii_uppercase))?;
        let size = number(&mut rest)?;
        take(&mut rest, usize::try_from(size).ok()?)?;
    }
    Some(())
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(take(rest, 4)?.try_into().ok()?))
}

/// A number as git packs offsets: seven bits a byte, each further byte one more than that.
fn varint(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    for place in 0..4 {
        let [byte] = *take(rest, 1)? else { return None };
        number = (number + usize::from(place > 0)) << (if place > 0 { 7 } else { 0 }) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes a repository")]
mod tests {
    use std::fs;
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn git(dir: &Path, arguments: &[&str]) {
        let config = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.splitIndex=false"];
        let mut command = Command::new("git");
        command.args(config).arg("-C").arg(dir).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let out = command.output().unwrap();
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    }

    const NAMES: &[&str] = &["a", "b/c.rs", "b/c/d.rs", "b/c/e \u{e9}.rs", "zz"];

    fn repository(form: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q", &format!("--object-format={form}")]);
        for name in NAMES {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, *name).unwrap();
        }
        fs::write(dir.path().join("untracked"), "").unwrap();
        git(dir.path(), &["add", "a", "b", "zz"]);
        git(dir.path(), &["commit", "-qm", "one"]);
        dir
    }

    fn names(root: &Path) -> Option<Vec<String>> {
        let mut names = Vec::new();
        tracked(root, |name| names.push(name.to_owned())).map(|()| names)
    }

    #[test]
    fn every_version_and_both_hashes_are_read() {
        for form in ["sha1", "sha256"] {
            let dir = repository(form);
            assert_eq!(names(dir.path()).unwrap(), NAMES, "{form}");
            for version in ["4", "2"] {
                git(dir.path(), &["update-index", "--index-version", version]);
                assert_eq!(names(dir.path()).unwrap(), NAMES, "{form} {version}");
            }
            // What is only meant to be added asks for version 3.
            git(dir.path(), &["add", "-N", "untracked"]);
            let index = fs::read(dir.path().join(".git/index")).unwrap();
            assert_eq!(index[7], 3);
            assert!(names(dir.path()).unwrap().contains(&"untracked".to_owned()));
        }
    }

    #[test]
    fn a_linked_worktree_has_an_index_of_its_own() {
        let dir = repository("sha1");
        let linked = dir.path().join("linked");
        git(dir.path(), &["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
        git(&linked, &["rm", "-q", "zz"]);
        assert_eq!(names(&linked).unwrap(), NAMES[..4]);
        assert_eq!(names(dir.path()).unwrap(), NAMES);
    }

    #[test]
    fn a_commit_is_known_by_the_log_of_its_worktree() {
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let begun = since_1970.as_secs().cast_signed();
        let dir = repository("sha1");
        assert_eq!(committed_since(dir.path(), begun), Some(true));
        assert_eq!(committed_since(dir.path(), begun + 100), Some(false));
        let linked = dir.path().join("linked");
        git(dir.path(), &["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
        // What only moves `HEAD` is no commit, and a log that begins with it says nothing of before.
        assert_eq!(committed_since(&linked, begun), None);
        assert_eq!(committed_since(&linked, begun + 100), Some(false));
        git(&linked, &["commit", "-q", "--allow-empty", "-m", "two"]);
        assert_eq!(committed_since(&linked, begun), Some(true));
        assert_eq!(committed_since(tempfile::tempdir().unwrap().path(), begun), None);
        let log = dir.path().join(".git/logs/HEAD");
        for text in ["", "\t", "> x\tcommit: a", "a <b> 99999999999999999999 +0000\tcommit: a", "\u{fffd}> 5\tcommit"] {
            fs::write(&log, text).unwrap();
            let is_known = text.ends_with("5\tcommit");
            assert_eq!(committed_since(dir.path(), 100).is_some(), is_known, "{text}");
        }
    }

    #[test]
    fn what_holds_not_all_names_says_nothing() {
        let dir = repository("sha1");
        git(dir.path(), &["update-index", "--split-index"]);
        assert_eq!(names(dir.path()), None);
        let sparse = repository("sha1");
        git(sparse.path(), &["sparse-checkout", "set", "--cone", "--sparse-index", "b/c"]);
        let index = fs::read(sparse.path().join(".git/index")).unwrap();
        let is_sparse = index.windows(4).any(|word| word == b"sdir");
        assert_eq!(names(sparse.path()).is_none(), is_sparse);
        for text in ["", "DIRC", "gitdir: /dev/zero", "x"] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(".git"), text).unwrap();
            assert_eq!(names(dir.path()), None, "{text}");
        }
        assert_eq!(names(tempfile::tempdir().unwrap().path()), None);
    }

    /// An index of version 2 or 4 as git would write it, but for the checksum.
    fn index(version: u8, names: &[String]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0".to_vec();
        bytes.push(version);
        bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        let mut before = "";
        for name in names {
            let begins = bytes.len();
            bytes.extend([7; 60]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            let shared = name.bytes().zip(before.bytes()).take_while(|(one, other)| one == other).count();
            if version == 4 {
                bytes.push(u8::try_from(before.len() - shared).unwrap());
                bytes.extend(&name.as_bytes()[shared..]);
                bytes.push(0);
            } else {
                bytes.extend(name.as_bytes());
                bytes.extend(vec![0; 8 - (bytes.len() - begins) % 8]);
            }
            before = name;
        }
        bytes.extend([9; 20]);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Vec<String>> {
        let mut names = Vec::new();
        read_index(bytes, 20, |name| names.push(String::from_utf8_lossy(name).into_owned())).map(|()| names)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in proptest::collection::btree_set("[a-c]{1,3}(/[a-c]{1,40}){0,2}", 0..8)) {
            let names: Vec<String> = names.into_iter().collect();
            for version in [2, 4] {
                prop_assert_eq!(read(&index(version, &names)), Some(names.clone()));
            }
        }

        /// No bytes end it but by an answer, and no answer holds more than the bounds.
        #[test]
        fn hostile_bytes_are_survived(
            names in proptest::collection::btree_set("[a-c]{1,3}(/[a-c]{1,40}){0,2}", 0..8),
            version in proptest::sample::select(&[2_u8, 4][..]),
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            cut in any::<prop::sample::Index>(), is_cut: bool,
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let mut bytes = index(version, &names);
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if is_cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            for hash in [20, 32] {
                let _ = read_index(&bytes, hash, |name| assert!((1..=2 * LONGEST).contains(&name.len())));
            }
        }
    }
}
