//! Where records go: the machine's file, else the user's own. No variable and no file of a project says it, because the client
//! gives a project's `env` to whatever it starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::record::ShipContent;
use crate::journal::read_small;
use crate::place::{Env, home_of};

/// The file of the machine, which wins.
const MANAGED: &str = "/etc/failwise/config.toml";
/// The user's file below the home folder.
const OWN: &str = ".config/failwise/config.toml";
/// What `to` is where nothing is to be sent, in the machine's file by nobody.
const OFF: &str = "off";
/// The most that is read of such a file.
const LARGEST: u64 = 64 * 1024;
/// The path of logs behind the address of a receiver.
const LOGS: &str = "/v1/logs";

/// Where records go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShipTo {
    /// To this address.
    Address(String),
    /// To where the standard variables of OpenTelemetry say, when a person starts it.
    Env,
}

/// What is sent, where to, how, and as whose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShipSettings {
    /// Where to; None where nothing is sent.
    pub to: Option<ShipTo>,
    /// How much of anybody's words: no more than any of the files allows.
    pub content: ShipContent,
    /// Whose records these are, where they want to be named.
    pub person: Option<String>,
    /// Headers of each request, such as a key: those beside the address.
    pub headers: BTreeMap<String, String>,
    /// The certificates that vouch for the receiver, in place of the public ones.
    pub ca_file: Option<PathBuf>,
    /// The proxy that requests go through.
    pub proxy: Option<String>,
    /// The key of `--anonymise`, in place of this machine's own.
    pub key_file: Option<PathBuf>,
    /// The file that names the address.
    pub file: PathBuf,
}

#[derive(Deserialize)]
struct ConfigFile {
    ship: Option<ShipTable>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShipTable {
    to: Option<String>,
    content: Option<ShipContent>,
    person: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    ca_file: Option<PathBuf>,
    proxy: Option<String>,
    key_file: Option<PathBuf>,
}

/// What the machine's file and the user's own say.
///
/// # Errors
/// What is wrong with a file, in words for a person.
pub fn ship_settings(env: Env<'_>) -> Result<ShipSettings, String> {
    settings_below(home_of(env))
}

/// The same for a sending that nobody asked for: a project can set `HOME` for whatever the client starts, so that the user's
/// own file counts only where `HOME` is what the system knows as this user's home.
///
/// # Errors
/// What is wrong with a file, in words for a person.
pub fn unasked_settings(env: Env<'_>) -> Result<ShipSettings, String> {
    settings_below(home_of(env).filter(|home| is_home_of_user(home)))
}

/// Whether the password database names this folder as the user's home.
#[cfg(unix)]
fn is_home_of_user(home: &Path) -> bool {
    use uzers::os::unix::UserExt;
    let Some(user) = uzers::get_user_by_uid(uzers::get_current_uid()) else { return false };
    let (known, home) = (std::fs::canonicalize(user.home_dir()), std::fs::canonicalize(home));
    known.ok().zip(home.ok()).is_some_and(|(known, home)| known == home)
}

#[cfg(not(unix))]
fn is_home_of_user(_: &Path) -> bool {
    true
}

fn settings_below(home: Option<PathBuf>) -> Result<ShipSettings, String> {
    let mut tables = Vec::new();
    for file in std::iter::once(PathBuf::from(MANAGED)).chain(home.map(|home| home.join(OWN))) {
        if std::fs::symlink_metadata(&file).is_err() {
            continue;
        }
        let text = read_small(&file, LARGEST).ok_or_else(|| format!("{} is no small regular file", file.display()))?;
        tables.extend(parsed_table(&file, &text)?.map(|table| (file, table)));
    }
    joined(tables)
}

/// The tables as one, of which the first wins, but for the content: what one of them allows, no other raises.
fn joined(tables: Vec<(PathBuf, ShipTable)>) -> Result<ShipSettings, String> {
    let most = tables.iter().filter_map(|(_, table)| table.content).min();
    let mut all = ShipSettings { content: most.unwrap_or_default(), ..ShipSettings::default() };
    let mut is_named = false;
    for (file, table) in tables {
        all.person = all.person.or(table.person);
        all.proxy = all.proxy.or(table.proxy);
        all.ca_file = all.ca_file.or(table.ca_file);
        all.key_file = all.key_file.or(table.key_file);
        let Some(to) = table.to.filter(|_| !is_named) else { continue };
        is_named = true;
        all.to = match &*to {
            OFF => None,
            "env" => Some(ShipTo::Env),
            address => Some(ShipTo::Address(logs_address(address).map_err(|why| fault_of_file(&file, &why))?)),
        };
        // Of two files the one that names the address says what is sent where neither asks for less.
        all.content = all.content.min(table.content.unwrap_or_default());
        (all.headers, all.file) = (table.headers, file);
    }
    Ok(all)
}

fn parsed_table(file: &Path, text: &str) -> Result<Option<ShipTable>, String> {
    // The words of the parser show the line, which may hold a key.
    let config: ConfigFile = toml::from_str(text)
        .map_err(|error| fault_of_file(file, error.message().lines().next().unwrap_or_default()))?;
    let named = config.ship.iter().flat_map(|table| [("ca_file", &table.ca_file), ("key_file", &table.key_file)]);
    for (name, path) in named {
        // A relative path would lie in whatever project a command is started in.
        if path.as_ref().is_some_and(|path| !path.is_absolute()) {
            return Err(fault_of_file(file, &format!("ship.{name} is no absolute path")));
        }
    }
    Ok(config.ship)
}

fn fault_of_file(file: &Path, why: &str) -> String {
    format!("{}: {why}", file.display())
}

/// The address of a receiver's logs.
fn logs_address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let rest = rest.ok_or("ship.to is no address that begins with https:// or http://, and not `env` or `off`")?;
    if rest.split('/').next().is_some_and(|host| host.contains('@') || host.is_empty()) {
        return Err("ship.to has a name or key in it, or no host; keys belong in [ship.headers]".to_owned());
    }
    let text = text.trim_end_matches('/');
    Ok(if text.ends_with(LOGS) { text.to_owned() } else { format!("{text}{LOGS}") })
}

impl ShipSettings {
    /// The address and the headers of requests. With `env` the standard variables say both, but for those that a settings file
    /// of the project sets: `project` are the contents of these files.
    ///
    /// # Errors
    /// When no usable variable names an address.
    pub fn target(&self, env: Env<'_>, project: &[String]) -> Result<(String, BTreeMap<String, String>), String> {
        if let Some(ShipTo::Address(address)) = &self.to {
            return Ok((address.clone(), self.headers.clone()));
        }
        let set_by_project = |name: &str| {
            project.iter().any(|text| {
                // A file that cannot be read may set anything.
                serde_json::from_str::<Value>(text).map_or(true, |it| it["env"].get(name).is_some())
            })
        };
        let own = |name: &str| {
            let value = env(name)?.into_string().ok().filter(|value| !value.is_empty())?;
            (!set_by_project(name)).then_some(value)
        };
        let logs = own("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT");
        let all = || own("OTEL_EXPORTER_OTLP_ENDPOINT").map(|it| format!("{}{LOGS}", it.trim_end_matches('/')));
        let to = logs.or_else(all).ok_or("no variable OTEL_EXPORTER_OTLP_ENDPOINT of your own names an address")?;
        logs_address(&to)?;
        let headers = own("OTEL_EXPORTER_OTLP_LOGS_HEADERS").or_else(|| own("OTEL_EXPORTER_OTLP_HEADERS"));
        let pairs = headers.as_deref().unwrap_or_default().split(',').filter_map(|pair| pair.split_once('='));
        let mut headers: BTreeMap<String, String> =
            pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().replace("%20", " "))).collect();
        headers.extend(self.headers.clone());
        Ok((to, headers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined_of(managed: &str, own: &str) -> Result<ShipSettings, String> {
        let tables = [("managed", managed), ("own", own)].map(|(file, text)| {
            let table = parsed_table(Path::new(file), &format!("[ship]\n{text}"))?;
            Ok((PathBuf::from(file), table.unwrap_or_default()))
        });
        joined(tables.into_iter().collect::<Result<_, String>>()?)
    }

    #[test]
    fn no_file_sends_more_than_another_allows() {
        let to = "to = 'http://collector'";
        for (managed, own, content) in [
            ("content = 'ids'", &*format!("{to}\ncontent = 'lines'"), ShipContent::Ids),
            ("content = 'lines'", to, ShipContent::Names),
            ("content = 'lines'", &format!("{to}\ncontent = 'lines'"), ShipContent::Lines),
            (&format!("{to}\ncontent = 'lines'"), "", ShipContent::Lines),
            (&format!("{to}\ncontent = 'lines'"), "content = 'ids'", ShipContent::Ids),
            (to, "content = 'lines'", ShipContent::Names),
            ("content = 'ids'", "", ShipContent::Ids),
            ("", "", ShipContent::Names),
        ] {
            assert_eq!(joined_of(managed, own).unwrap().content, content, "{managed} | {own}");
        }
    }

    #[test]
    fn the_machines_file_wins_and_headers_stay_with_their_address() {
        let own = "to = 'http://own'\nproxy = 'http://own:1'\nperson = 'ann'\n[ship.headers]\na = 'own'";
        let joined = joined_of("to = 'http://company'\nproxy = 'http://company:1'\nca_file = '/etc/ca'", own).unwrap();
        assert_eq!(joined.to, Some(ShipTo::Address("http://company/v1/logs".to_owned())));
        assert_eq!((joined.proxy.as_deref(), joined.person.as_deref()), (Some("http://company:1"), Some("ann")));
        assert!(joined.headers.is_empty() && joined.file == Path::new("managed"), "{joined:?}");
        assert_eq!(joined_of("to = 'off'", own).unwrap().to, None);
    }

    #[test]
    fn a_path_is_a_whole_one_and_a_wrong_word_is_told_without_the_line() {
        for (text, wanted) in [
            ("ca_file = 'ca.pem'", "own: ship.ca_file is no absolute path"),
            ("key_file = '~/key'", "own: ship.key_file is no absolute path"),
            (
                "to = 'ftp://x'",
                "own: ship.to is no address that begins with https:// or http://, and not `env` or `off`",
            ),
        ] {
            assert_eq!(joined_of("", text).unwrap_err(), wanted);
        }
        let said = joined_of("", "[ship.headers]\nauthorization = \"k3y").unwrap_err();
        assert!(said.starts_with("own: ") && !said.contains("k3y"), "{said}");
    }
}
