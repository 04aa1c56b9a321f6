//! What the client's own files say about plugins and hooks.

use std::path::{Path, PathBuf};

use failwise::journal::read_small;
use failwise::place::home_of;
use serde_json::Value;

use crate::style::shown;

/// The name of the marketplace that `failwise setup` makes, and of its first plugin.
pub(crate) const NAME: &str = "failwise";
/// The largest of the client's files that is read, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The client's settings and its records of plugins and marketplaces.
pub(crate) struct Wiring {
    pub(crate) home: Option<PathBuf>,
    /// Settings files that exist, most general first, with what they hold.
    pub(crate) settings: Vec<(PathBuf, Value)>,
    /// Settings files that hold no JSON.
    pub(crate) broken: Vec<PathBuf>,
    pub(crate) installed: Value,
    marketplaces: Value,
}

/// A plugin of this name that the client has installed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WiredPlugin<'w> {
    /// `failwise@MARKETPLACE`.
    pub(crate) id: &'w str,
    pub(crate) marketplace: &'w str,
    /// The folder that the client keeps it in.
    pub(crate) root: PathBuf,
    /// For whom it is installed: `user`, `project`, `local`.
    pub(crate) scope: &'w str,
}

impl Wiring {
    pub(crate) fn look(project: Option<&Path>) -> Self {
        let home = client_home();
        let mut files = vec![PathBuf::from("/etc/claude-code/managed-settings.json")];
        files.extend(home.as_ref().map(|home| home.join("settings.json")));
        if let Some(project) = project {
            files.extend(["settings.json", "settings.local.json"].map(|name| project.join(".claude").join(name)));
        }
        let mut settings = Vec::new();
        let mut broken = Vec::new();
        for file in files {
            match read_json(&file) {
                Some(Ok(value)) => settings.push((file, value)),
                Some(Err(())) => broken.push(file),
                None => {}
            }
        }
        let record = |name: &str| {
            let record = home.as_ref().and_then(|home| read_json(&home.join("plugins").join(name)));
            record.and_then(Result::ok).unwrap_or(Value::Null)
        };
        let (installed, marketplaces) = (record("installed_plugins.json"), record("known_marketplaces.json"));
        Self { home, settings, broken, installed, marketplaces }
    }

    /// Whether some settings file has the plugin enabled; the last word counts.
    pub(crate) fn enabled(&self) -> Option<bool> {
        let said = |settings: &Value| {
            let plugins = settings.get("enabledPlugins")?.as_object()?;
            plugins.iter().find(|(name, _)| is_failwise(name)).and_then(|(_, value)| value.as_bool())
        };
        self.settings.iter().rev().find_map(|(_, settings)| said(settings))
    }

    /// Every plugin of this name, from whatever marketplace, as the client recorded it.
    pub(crate) fn plugins(&self) -> Vec<WiredPlugin<'_>> {
        let Some(plugins) = self.installed.get("plugins").and_then(Value::as_object) else { return Vec::new() };
        let wired = |(id, entry): (_, _)| {
            let id: &String = id;
            let (_, marketplace) = id.split_once('@').filter(|(name, _)| *name == NAME)?;
            let entry: &Value = entry;
            let entry = entry.as_array().and_then(|entries| entries.last()).unwrap_or(entry);
            let word = |key: &str| entry.get(key).and_then(Value::as_str);
            let root = PathBuf::from(word("installPath")?);
            Some(WiredPlugin { id, marketplace, root, scope: word("scope").unwrap_or("user") })
        };
        plugins.iter().filter_map(wired).collect()
    }

    /// What the client's settings make of a variable for what it starts, and the file that says it: of their own ones, or by an
    /// option of the plugin. The last word counts.
    pub(crate) fn set(&self, name: &str) -> Option<(&Path, String)> {
        let option = name.strip_prefix("CLAUDE_PLUGIN_OPTION_").map(str::to_ascii_lowercase);
        let said = |settings: &Value| match &option {
            None => settings.get("env")?.get(name).cloned(),
            Some(option) => {
                let plugins = settings.get("pluginConfigs")?.as_object()?;
                let (_, own) = plugins.iter().find(|(id, _)| is_failwise(id))?;
                own.get("options")?.get(option).cloned()
            }
        };
        match self.settings.iter().rev().find_map(|(path, settings)| Some((path, said(settings)?)))? {
            (path, Value::String(word)) => Some((path, word)),
            (_, Value::Null) => None,
            (path, other) => Some((path, other.to_string())),
        }
    }

    /// Whether a marketplace is the folder, or is not known; none of another place is.
    pub(crate) fn is_from(&self, marketplace: &str, folder: &Path) -> bool {
        let Some(source) = self.marketplaces.get(marketplace).and_then(|known| known.get("source")) else {
            return marketplace == NAME;
        };
        let Some(path) = source.get("path").and_then(Value::as_str).map(Path::new) else { return false };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        real(path) == real(folder)
    }

    /// Settings files whose own hooks run the hook besides the plugin.
    pub(crate) fn hooked_by_hand(&self) -> Vec<&Path> {
        self.settings
            .iter()
            .filter(|(_, settings)| {
                settings.get("hooks").is_some_and(|hooks| hooks.to_string().contains("failwise-hook"))
            })
            .map(|(path, _)| path.as_path())
            .collect()
    }
}

impl WiredPlugin<'_> {
    /// The command that removes it, and its marketplace where that has the name of the one that `failwise setup` makes.
    pub(crate) fn removal(&self) -> String {
        let scope = if self.scope == "user" { String::new() } else { format!(" --scope {}", self.scope) };
        let marketplace = if self.marketplace == NAME { " && claude plugin marketplace remove failwise" } else { "" };
        shown(&format!("claude plugin uninstall {}{scope}{marketplace}", self.id), 200)
    }
}

fn is_failwise(id: &str) -> bool {
    id.split('@').next() == Some(NAME)
}

/// The folder of the client's own files of this user.
pub(crate) fn client_home() -> Option<PathBuf> {
    let named = crate::env("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    named.or_else(|| Some(home_of(&crate::env)?.join(".claude")))
}

/// None where there is no file; an error where it holds no JSON.
fn read_json(path: &Path) -> Option<Result<Value, ()>> {
    let text = read_small(path, LARGEST)?;
    Some(serde_json::from_str(&text).map_err(|_| ()))
}
