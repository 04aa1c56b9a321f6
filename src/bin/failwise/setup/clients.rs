//! The clients other than Claude Code: how each takes the plugin, by its own command.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use failwise::client::in_path;
use failwise::journal::read_small;
use failwise::model::Host;

/// For which clients `setup` registers the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostChoice {
    /// One client.
    One(Host),
    /// All whose commands are on `PATH`.
    All,
}

impl HostChoice {
    pub(super) fn includes(self, host: Host) -> bool {
        self == Self::All || self == Self::One(host)
    }

    /// Reads the word of an option.
    pub(super) fn of_word(word: &str) -> Result<Self, String> {
        if word == "all" { Ok(Self::All) } else { word.parse().map(Self::One).map_err(|said| format!("{said}, all")) }
    }
}

/// A client and its commands. `{plugin}` stands for the plugin's folder.
pub(crate) struct OtherClient {
    pub(crate) host: Host,
    program: &'static str,
    /// The commands that register the plugin, of which the last decides: the first may be refused where it is known already.
    pub(super) register: &'static [&'static [&'static str]],
    pub(super) unregister: &'static [&'static [&'static str]],
    /// What is left for a person to do before the first event arrives.
    pub(crate) then: &'static str,
}

const NEW_SESSION: &str = "work in a new session of it, then look again";

pub(crate) const OTHERS: &[OtherClient] = &[
    OtherClient {
        host: Host::Codex,
        program: "codex",
        register: &[&["plugin", "marketplace", "add", "{plugin}"], &["plugin", "add", "failwise@failwise"]],
        unregister: &[&["plugin", "remove", "failwise@failwise"], &["plugin", "marketplace", "remove", "failwise"]],
        then: "Codex runs no hook that a person has not reviewed: start `codex`, and answer or enter /hooks",
    },
    OtherClient {
        host: Host::Copilot,
        program: "copilot",
        register: &[&["plugin", "marketplace", "add", "{plugin}"], &["plugin", "install", "failwise@failwise"]],
        unregister: &[&["plugin", "uninstall", "failwise@failwise"], &["plugin", "marketplace", "remove", "failwise"]],
        then: NEW_SESSION,
    },
    OtherClient {
        host: Host::Gemini,
        program: "gemini",
        register: &[&["extensions", "link", "{plugin}/gemini", "--consent"]],
        unregister: &[&["extensions", "uninstall", "failwise"]],
        then: NEW_SESSION,
    },
    OtherClient {
        host: Host::Qwen,
        program: "qwen",
        register: &[],
        unregister: &[],
        then: "it has no command for hooks: put the lines of docs/hosts.md into its settings.json",
    },
];

/// The file next to the plugin that keeps the clients that were given it, a word a line.
pub(super) const GIVEN: &str = "hosts";

impl OtherClient {
    /// Its executable, where it is on `PATH`.
    pub(crate) fn executable(&self) -> Option<PathBuf> {
        in_path(self.program.as_ref(), &crate::env("PATH").unwrap_or_default())
    }

    /// A command of it, as a person types it and as it is run.
    pub(super) fn words(command: &[&str], plugin: &Path) -> Vec<String> {
        command.iter().map(|word| word.replace("{plugin}", &plugin.to_string_lossy())).collect()
    }

    pub(super) const fn program(&self) -> &'static str {
        self.program
    }
}

/// The clients that were given the plugin, by the record in Failwise's data directory.
pub(crate) fn given_hosts(base: &Path) -> BTreeSet<Host> {
    let record = read_small(&base.join(GIVEN), 4096).unwrap_or_default();
    record.lines().filter_map(|word| word.parse().ok()).collect()
}
