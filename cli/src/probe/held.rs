//! Who holds a port or a lock: read from `/proc`, where there is one.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::Instant;

use crate::journal::read_small;
use crate::programs::{Trait, find};
use crate::recover::look::Holder;

/// The state of a socket that listens, as `/proc/net/tcp` writes it.
pub(super) const LISTENS: &str = "0A";
/// The longest lock that may name its holder, in bytes.
const LONGEST_LOCK: u64 = 4_096;
/// The most processes that are looked at.
const MOST: usize = 4_096;

pub(super) fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok()
}

pub(super) fn port(port: u16) -> Option<Holder> {
    let wanted = format!(":{port:04X}");
    let inode = ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let is_it = fields.get(1)?.ends_with(&wanted) && *fields.get(3)? == LISTENS;
            is_it.then(|| fields.get(9).map(|inode| (*inode).to_owned()))?
        })
    })?;
    let socket = format!("socket:[{inode}]");
    let pid = processes().find(|pid| opens(*pid, |target| target.as_os_str() == &*socket));
    Some(Holder { pid, name: pid.and_then(name_of), is_alive: true })
}

/// Who has the file open, or whom it names; a lock of git is held by a git that runs in its project.
pub(super) fn lock(path: &Path, until: Instant) -> Option<Holder> {
    let real = fs::canonicalize(path).ok()?;
    let told = read_small(&real, LONGEST_LOCK).and_then(|text| text.split_whitespace().next()?.parse::<u32>().ok());
    if let Some(pid) = told {
        return Some(Holder { pid: Some(pid), name: name_of(pid), is_alive: name_of(pid).is_some() });
    }
    let project = real.ancestors().find(|folder| folder.ends_with(".git")).and_then(Path::parent).map(Path::to_owned);
    let holds = |pid: &u32| {
        if Instant::now() >= until {
            return false;
        }
        let in_project = || {
            // The parts of git carry its name in front: `git-remote-https`.
            let keeps = |name: String| find(name.split('-').next()?).map(|program| program.has(Trait::VersionControl));
            let is_git = name_of(*pid).and_then(keeps) == Some(true);
            let cwd = fs::read_link(format!("/proc/{pid}/cwd")).ok();
            is_git && cwd.zip(project.as_ref()).is_some_and(|(cwd, project)| cwd.starts_with(project))
        };
        opens(*pid, |target| target == real) || in_project()
    };
    let is_seen = fs::metadata("/proc/self/fd").is_ok();
    let pid = processes().filter(|pid| *pid != std::process::id()).find(holds);
    match pid {
        Some(pid) => Some(Holder { pid: Some(pid), name: name_of(pid), is_alive: true }),
        None if is_seen && Instant::now() < until => Some(Holder::default()),
        None => None,
    }
}

pub(super) fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).take(MOST)
}

fn opens(pid: u32, is_it: impl Fn(&Path) -> bool) -> bool {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.take(MOST).filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| is_it(&target))
}

pub(super) fn name_of(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim().to_owned())
}
