//! What is known of the project that a record is about: its repository, and the files that say how agents work in it, since
//! when they say so.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::record::{RecordMaker, SharedAttributes, ShipContent, ShipRecord};
use crate::digest::hex16;
use crate::git::{Worktree, origin_of};
use crate::host::head::SessionSetting;
use crate::journal::read_small;
use crate::redact::redact;
use crate::time::since_1970;

/// The most that is read of a file of instructions or settings.
const LARGEST: u64 = 1024 * 1024;
/// The files by whose change before and after are told, and what their hash is called.
const TOLD_BY: &[(&str, &[&str])] = &[
    ("failwise.instructions", &["CLAUDE.md", ".claude/CLAUDE.md"]),
    ("failwise.settings", &[".claude/settings.json", ".claude/settings.local.json"]),
];

/// What is known of a project. What changes is said of the time since it last did, as that before is not known.
#[derive(Debug, Clone, Default)]
pub struct ProjectFacts {
    /// The name of its folder.
    name: Option<String>,
    /// The address of its repository, as browsers have it.
    url: Option<String>,
    branch: Option<Since>,
    hashes: Vec<(&'static str, Since)>,
}

#[derive(Debug, Clone)]
struct Since {
    value: String,
    /// In milliseconds since 1970.
    at: u64,
}

impl ProjectFacts {
    /// Those of the project in a folder.
    pub fn of(root: &Path) -> Self {
        let (branch, url) = Worktree::at(root).map_or((None, None), |worktree| (worktree.branch(), origin_of(root)));
        let head = changed_at(&root.join(".git/HEAD"));
        let hash = |names: &[&str]| {
            let files = names.iter().map(|name| root.join(name));
            let texts: Vec<_> =
                files.filter_map(|file| Some((changed_at(&file)?, read_small(&file, LARGEST)?))).collect();
            let at = texts.iter().map(|(at, _)| *at).max()?;
            let texts: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
            Some(Since { value: hex16(&texts), at })
        };
        Self {
            name: root.file_name().map(|name| word(&name.to_string_lossy())),
            url: url.and_then(|url| repository_url(&url)),
            branch: branch.zip(head).map(|(value, at)| Since { value, at }),
            hashes: TOLD_BY.iter().filter_map(|(name, files)| Some((*name, hash(files)?))).collect(),
        }
    }

    /// The same without the branch: sessions that a person names may be older than what is checked out.
    #[must_use]
    pub fn without_branch(self) -> Self {
        Self { branch: None, ..self }
    }

    /// What is said beside a record, of a session that was run so.
    pub fn attributes(&self, maker: &RecordMaker, record: &ShipRecord, session: &SessionSetting) -> SharedAttributes {
        let at = since_1970(&record.at).unwrap_or_default();
        let held = |since: &Since| (since.at <= at).then(|| since.value.clone());
        let mut all = Vec::new();
        all.extend(session.client.as_ref().map(|version| ("failwise.client.version", json!(word(version)))));
        all.extend(self.hashes.iter().filter_map(|(name, since)| Some((*name, json!(held(since)?)))));
        if maker.content >= ShipContent::Names {
            let name = self.name.as_deref().filter(|_| !record.has("failwise.project"));
            all.extend(name.map(|name| ("failwise.project", json!(maker.name("project", name)))));
            let branch = session.branch.clone().or_else(|| self.branch.as_ref().and_then(held));
            all.extend(branch.map(|name| ("vcs.ref.head.name", json!(maker.name("branch", &word(&name))))));
            if let Some(url) = &self.url {
                let name = url.rsplit('/').next().unwrap_or_default();
                all.push(("vcs.repository.name", json!(maker.name("repository", name))));
                all.push(("vcs.repository.url.full", json!(maker.name("repository", url))));
            }
        }
        all
    }
}

/// A word of a file, short and without a secret.
fn word(text: &str) -> String {
    redact(text).chars().filter(|sign| !sign.is_control()).take(200).collect()
}

fn changed_at(file: &Path) -> Option<u64> {
    let meta = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    let since = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// The address of a repository for browsers, one for all ways to reach it: without a user, a key, a port of SSH and `.git`. None
/// of one on this machine.
fn repository_url(remote: &str) -> Option<String> {
    let (scheme, (host, path)) = match remote.split_once("://") {
        Some((scheme, rest)) => (scheme, rest.split_once('/')?),
        // As SSH has it: `user@host:path`. One letter is a drive of Windows.
        None => ("ssh", remote.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains('/'))?),
    };
    let path = path.split(['?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    let host = if scheme.starts_with("http") { host } else { host.split(':').next()? };
    let path = path.trim_matches('/').trim_end_matches(".git");
    let is_there = scheme != "file" && !host.is_empty() && !path.is_empty();
    let url = format!("https://{host}/{path}");
    (is_there && url.len() <= 300 && redact(&url) == url && !url.contains(char::is_whitespace)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_has_one_address_without_user_and_key() {
        for remote in [
            "https://github.example/acme/shop.git",
            "https://ann:ghp_0123456789abcdefghijABCDEFGHIJ456789@github.example/acme/shop",
            "git@github.example:acme/shop.git",
            "ssh://git@github.example:2222/acme/shop.git",
            "https://github.example/acme/shop/?token=abc#x",
        ] {
            assert_eq!(repository_url(remote).as_deref(), Some("https://github.example/acme/shop"), "{remote}");
        }
        for remote in
            ["/srv/git/shop.git", "../shop", "file:///home/ann/shop", "C:/shop", "https://host", "", "@:", "://"]
        {
            assert_eq!(repository_url(remote), None, "{remote}");
        }
        let in_path = "https://host.example/ghp_0123456789abcdefghijABCDEFGHIJ456789/shop";
        assert_eq!(repository_url(in_path), None);
    }
}
