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

/// What is sent, where to, and as whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShipSettings {
    /// Where to.
    pub to: ShipTo,
    /// How much of anybody's words.
    pub content: ShipContent,
    /// Whose records these are, where they want to be named.
    pub person: Option<String>,
    /// Headers of each request, such as a key.
    pub headers: BTreeMap<String, String>,
    /// The file that says so.
    pub file: PathBuf,
}

#[derive(Deserialize)]
struct ConfigFile {
    ship: Option<ShipTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShipTable {
    to: Option<String>,
    #[serde(default)]
    content: ShipContent,
    person: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// What the machine's file or the user's own says; None where neither says where to.
///
/// # Errors
/// What is wrong with the file, in words for a person.
pub fn ship_settings(env: Env<'_>) -> Result<Option<ShipSettings>, String> {
    let own = home_of(env).map(|home| home.join(OWN));
    for file in std::iter::once(PathBuf::from(MANAGED)).chain(own) {
        if std::fs::symlink_metadata(&file).is_err() {
            continue;
        }
        let text = read_small(&file, LARGEST).ok_or_else(|| format!("{} is no small regular file", file.display()))?;
        let Some(ShipTable { to: Some(to), content, person, headers }) = parsed_table(&file, &text)? else { continue };
        let to = match &*to {
            OFF => return Ok(None),
            "env" => ShipTo::Env,
            address => ShipTo::Address(logs_address(address).map_err(|why| fault_of_file(&file, &why))?),
        };
        return Ok(Some(ShipSettings { to, content, person, headers, file }));
    }
    Ok(None)
}

fn parsed_table(file: &Path, text: &str) -> Result<Option<ShipTable>, String> {
    // The words of the parser show the line, which may hold a key.
    let config: ConfigFile = toml::from_str(text)
        .map_err(|error| fault_of_file(file, error.message().lines().next().unwrap_or_default()))?;
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
        if let ShipTo::Address(address) = &self.to {
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
