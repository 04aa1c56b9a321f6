//! The surroundings of a call, and what only commands do with them: they compile a project's own readings and secrets, make
//! a history the user's own, and keep this machine's key.

use std::path::{Path, PathBuf};

use crate::classify::Ruleset;
use crate::compiled::keep_form;
use crate::engine::States;
use crate::gate::KnownNames;
use crate::history::{Line, parse};
use crate::journal::{Journal, put_private, read_lines, read_small};
use crate::names::declared;
use crate::own::{Compiled, Form, FormKind, OfSettings, compile};
use crate::place::{Env, Place, keep, state_root, trusted};
use crate::settings::{Problem, Settings, without_own};
use crate::ship::ship_settings;
use crate::tracked::tracked;
use crate::trust::fingerprint;

pub use failwise_core::project::*;

/// What a history says of all nodes, read from its parts, oldest first. None where it has none.
///
/// # Errors
/// When a part cannot be read.
pub fn past_of(parts: &[PathBuf], ruleset: &Ruleset) -> std::io::Result<Option<States>> {
    let mut states = States::new(ruleset);
    let mut base = 0;
    for part in parts {
        let mut end = 0;
        read_lines(part, |at, line| {
            end = at + line.len() as u64;
            if let Line::Event(event) = parse(line) {
                states.step(&event, base + at);
            }
        })?;
        base += end;
    }
    Ok((!parts.is_empty()).then_some(states))
}

/// A project's own readings and secrets, compiled, and why some of them cannot be. Of a file that nobody trusts yet only the
/// latter.
pub fn compiled_of(env: Env<'_>, place: &Place) -> (Compiled, Vec<Problem>) {
    let Some((path, text)) = place.settings_file() else { return (Compiled::default(), Vec::new()) };
    let written = Settings::of_file(&path, &text).0;
    let compiled = compile(&written.readings.value, &written.secrets.value);
    let problem = |(line, why): &(usize, String)| Problem::of_own(format!("{}:{line}", path.display()), why.clone());
    let problems = compiled.problems.iter().map(problem).collect();
    let is_trusted = trusted(env, &place.project).holds(&text);
    (if is_trusted { compiled } else { Compiled::default() }, problems)
}

/// Keeps a project's own readings and secrets for the hook, compiled, as far as the person trusts them.
///
/// # Errors
/// When they cannot be written.
pub fn keep_compiled(env: Env<'_>, place: &Place) -> std::io::Result<()> {
    let record = trusted(env, &place.project);
    let Some((_, text)) = place.settings_file().filter(|(_, text)| record.holds(text)) else { return Ok(()) };
    let (Compiled { readings, secrets, .. }, _) = compiled_of(env, place);
    let file = OfSettings { fingerprint: &fingerprint(&text), text: &text, rest: &without_own(&text) };
    // Readings are kept wherever there is anything to keep, so that the hook need not read what was compiled.
    let is_any = !readings.is_empty() || !secrets.is_empty();
    let of_readings = Form::of_readings(&file, &readings).filter(|_| is_any);
    let of_secrets = Form::of_secrets(&file, &secrets).filter(|_| !secrets.is_empty());
    keep_form(env, &text, FormKind::Readings, of_readings.as_ref())?;
    keep_form(env, &text, FormKind::Secrets, of_secrets.as_ref())
}

/// Makes the history in a folder this user's own, what is in it included. One that git tracks is left as it is: nothing may
/// be appended to it.
///
/// # Errors
/// When a file cannot be read or written.
pub fn own_history(env: Env<'_>, dir: &Path, now: &str) -> std::io::Result<()> {
    let mut record = trusted(env, dir);
    record.tracked = is_tracked(dir);
    let id = record.history.get_or_insert_with(|| random_id(now)).clone();
    if !record.tracked {
        Journal::in_dir(dir).begin_as(&id, now)?;
    }
    keep(env, &record)
}

/// The key that makes names unknown to others: that of the settings, which the machines of a company share, else this machine's
/// own, made at its first use, and private.
///
/// # Errors
/// When the file of the settings has no key, no home is known, or the own key cannot be kept.
pub fn machine_key(env: Env<'_>) -> std::io::Result<String> {
    let is_key = |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(shared) = ship_settings(env).map_err(std::io::Error::other)?.key_file {
        let key = read_small(&shared, 1024).map(|text| text.trim().to_owned()).filter(is_key);
        let why =
            || format!("{} has no key of 64 hexadecimal digits: `openssl rand -hex 32` makes one", shared.display());
        return key.ok_or_else(|| std::io::Error::other(why()));
    }
    let unknown = || std::io::Error::other("no home folder is known for the key: set HOME or XDG_STATE_HOME");
    let path = key_file(env).ok_or_else(unknown)?;
    if let Some(key) = read_small(&path, 64).filter(is_key) {
        return Ok(key);
    }
    let key = [random_id("key"), random_id(&path.to_string_lossy())].concat();
    put_private(&path, key.as_bytes())?;
    Ok(key)
}

/// The most manifests that are read for their names, and the most of one, in bytes.
const MOST_MANIFESTS: usize = 64;
const MOST_MANIFEST: u64 = 256 * 1024;

/// The names of the tracked files of the worktree in this folder and of the targets and scripts in them, for the gate; none
/// where they are not known.
pub fn known_names(root: &Path) -> KnownNames {
    let mut names = KnownNames::default();
    let mut manifests = Vec::new();
    let see = |path: &str| {
        names.see(path);
        if manifests.len() < MOST_MANIFESTS && declared(path, "{\"scripts\": {}}").is_some() {
            manifests.push(path.to_owned());
        }
    };
    if tracked(root, see).is_none() {
        return KnownNames::default();
    }
    let declared_in = |path: &String| declared(path, &read_small(&root.join(path), MOST_MANIFEST)?);
    manifests.iter().filter_map(declared_in).flatten().for_each(|name| names.see(&name.replace(':', "/")));
    names
}

/// Where this machine's own key is, once it was used.
pub fn key_file(env: Env<'_>) -> Option<PathBuf> {
    Some(state_root(env)?.join("anonymise.key"))
}

/// 32 hexadecimal digits that nobody can guess: the keys of a hash map come from the system's random numbers.
pub(crate) fn random_id(seed: &str) -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let random = || RandomState::new().build_hasher().finish().to_string();
    let seed = [random(), random(), random(), random(), seed.to_owned(), std::process::id().to_string()];
    fingerprint(&seed.join(" ")).chars().take(32).collect()
}
