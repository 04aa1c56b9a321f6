//! The processes that run in a folder of the project: read from `/proc`, where there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Instant;

use super::held::{LISTENS, name_of, processes};
use crate::recover::look::ListeningProcess;

/// The most of them that are told.
const MOST: usize = 20;
/// The most files that a process is looked at for.
const MOST_FILES: usize = 4_096;

pub(super) fn below(project: &Path, until: Instant) -> Vec<ListeningProcess> {
    let own = ancestors();
    let listening = listening();
    let is_below = |pid: &u32| {
        Instant::now() < until
            && !own.contains(pid)
            && fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(project))
    };
    let found = processes().filter(is_below).take(MOST);
    let mut found: Vec<ListeningProcess> = found
        .filter_map(|pid| Some(ListeningProcess { pid, name: name_of(pid)?, ports: ports_of(pid, &listening) }))
        .collect();
    found.sort_by_key(|running| running.pid);
    found
}

/// This process and those that started it: the agent and its shell run in the project, too.
fn ancestors() -> BTreeSet<u32> {
    let mut own = BTreeSet::new();
    let mut pid = std::process::id();
    while pid > 1 && own.insert(pid) {
        let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { break };
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        let Some(parent) = parent else { break };
        pid = parent;
    }
    own
}

/// The ports that are listened on, by the number of their socket.
fn listening() -> BTreeMap<String, u16> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].iter().filter_map(|table| fs::read_to_string(table).ok());
    let mut ports = BTreeMap::new();
    for table in tables {
        for line in table.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (Some(address), Some(&state), Some(inode)) = (fields.get(1), fields.get(3), fields.get(9)) else {
                continue;
            };
            let port = address.rsplit_once(':').and_then(|(_, port)| u16::from_str_radix(port, 16).ok());
            if let Some(port) = port.filter(|_| state == LISTENS) {
                ports.insert(format!("socket:[{inode}]"), port);
            }
        }
    }
    ports
}

fn ports_of(pid: u32, listening: &BTreeMap<String, u16>) -> Vec<u16> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten().take(MOST_FILES);
    let targets = files.filter_map(|file| fs::read_link(file.path()).ok()?.into_os_string().into_string().ok());
    let mut ports: Vec<u16> = targets.filter_map(|target| listening.get(&target).copied()).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}
