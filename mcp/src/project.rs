//! The project that a call is about.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use failwise::journal::Journal;
use failwise::place::{Place, client_folder, find, project_name};
use failwise::project::{compiled_of, settings_of};
use failwise::redact::also_redact;
use failwise::settings::{Power, RecallFrom, Settings};
use failwise::store::imports_of;

use crate::answer::{Code, ToolError};
use crate::desk::{Desk, env};

/// A project of which something is recorded.
pub(crate) struct Project {
    /// Where its history and files are.
    pub(crate) place: Place,
    /// Its name in the base.
    pub(crate) name: String,
    settings: Settings,
}

impl Project {
    /// The project of a folder: itself, where something is recorded for it, else the one around it.
    ///
    /// # Errors
    /// When Failwise is switched off there, when it is no folder, and when nothing is recorded for it.
    pub(crate) fn open(desk: &mut Desk, path: &str) -> Result<Self, ToolError> {
        let path = Path::new(path);
        let is_folder = path.is_absolute() && path.is_dir();
        let places: Vec<Place> = if is_folder { places_of(path) } else { Vec::new() };
        switched_off(places.first())?;
        for place in places {
            let name = project_name(&place.project);
            if is_recorded(desk, &place, &name)? {
                let (settings, _) = settings_of(&env, Some(&place));
                desk.hide_once(&name, || also_redact(compiled_of(&env, &place).0.secrets));
                return Ok(Self { place, name, settings });
            }
        }
        let why = if is_folder { "nothing is recorded for" } else { "not an absolute path of a folder:" };
        Err(ToolError::new(Code::SessionNotFound, &format!("{why} {}", path.display())))
    }

    /// The project that a call names, else the one that the client works in.
    ///
    /// # Errors
    /// As [`Project::open`].
    pub(crate) fn named_or_own(desk: &mut Desk, path: Option<&str>) -> Result<Self, ToolError> {
        if let Some(path) = path {
            return Self::open(desk, path);
        }
        let own = client_folder(&env, std::env::current_dir)?;
        Self::open(desk, &own.to_string_lossy())
    }

    /// Whether what worked before may be told.
    pub(crate) fn tells_fixes(&self) -> bool {
        self.settings.recall.value != RecallFrom::Off
    }

    /// Whether only what this user's sessions know may be told.
    pub(crate) fn tells_own_only(&self) -> bool {
        self.settings.recall.value == RecallFrom::Own
    }
}

/// Where a call asks for a look at files.
pub(crate) struct Ground {
    /// The folder that it names, else the one that the client works in.
    pub(crate) folder: PathBuf,
    /// The project that the folder belongs to.
    pub(crate) place: Option<Place>,
    /// Whether it is a project: the client's, or one of which something is recorded.
    pub(crate) is_project: bool,
}

/// The ground of a call.
///
/// # Errors
/// When it is no folder, when Failwise is switched off there, and when it is named and no project.
pub(crate) fn ground_of(desk: &mut Desk, path: Option<&str>) -> Result<Ground, ToolError> {
    let own = client_folder(&env, std::env::current_dir)?;
    let folder = path.map_or_else(|| own.clone(), PathBuf::from);
    let refused = |why: &str| Err(ToolError::new(Code::SessionNotFound, &format!("{why} {}", folder.display())));
    if !folder.is_absolute() || !folder.is_dir() {
        return refused("not an absolute path of a folder:");
    }
    let mut places = places_of(&folder);
    switched_off(places.first())?;
    let mut is_project = is_inside(&folder, &own);
    for place in &places {
        is_project = is_project || is_recorded(desk, place, &project_name(&place.project))?;
    }
    if !is_project && path.is_some() {
        return refused("not the client's project, and nothing is recorded for");
    }
    // The project around it, where only that has a history.
    let at = places.iter().position(|place| !Journal::in_dir(&place.dir).parts().is_empty()).unwrap_or_default();
    let place = (at < places.len()).then(|| places.swap_remove(at));
    switched_off(place.as_ref())?;
    if let Some(place) = &place {
        desk.hide_once(&project_name(&place.project), || also_redact(compiled_of(&env, place).0.secrets));
    }
    Ok(Ground { folder, place, is_project })
}

/// Whether a folder lies in the client's, wherever links lead. A client that was started in the user's home or above it has
/// no project.
fn is_inside(folder: &Path, own: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(own) = real(own) else { return false };
    let home = env("HOME").and_then(|home| real(Path::new(&home)));
    let is_place = own.parent().is_some() && home.is_none_or(|home| !home.starts_with(&own));
    is_place && real(folder).is_some_and(|folder| folder.starts_with(&own))
}

/// Refuses where Failwise is switched off.
///
/// # Errors
/// When it is.
pub(crate) fn switched_off(place: Option<&Place>) -> Result<(), ToolError> {
    let power = settings_of(&env, place).0.power;
    if power.value == Power::Off {
        let why = format!("Failwise is switched off ({}), so nothing is recorded", power.source);
        return Err(ToolError::new(Code::HistoryDisabled, &why));
    }
    Ok(())
}

/// The project that the folder is, as a client names it, and the one whose folder is the nearest above it.
fn places_of(path: &Path) -> Vec<Place> {
    let without = |name: &str| if name == "CLAUDE_PROJECT_DIR" { None } else { env(name) };
    let as_given = |name: &str| {
        if name == "CLAUDE_PROJECT_DIR" { Some(OsString::from(path.as_os_str())) } else { env(name) }
    };
    let mut places: Vec<Place> = find(&as_given, Some(path)).into_iter().collect();
    places.extend(
        find(&without, Some(path)).filter(|nearest| Some(&nearest.project) != places.first().map(|own| &own.project)),
    );
    places
}

fn is_recorded(desk: &mut Desk, place: &Place, name: &str) -> Result<bool, ToolError> {
    let has_imports = imports_of(&env, name).is_ok_and(|imports| imports.is_file());
    // One folder for the histories of all projects says nothing of any but the client's.
    let is_shared = env("FAILWISE_DIR").is_some_and(|dir| !dir.is_empty());
    let is_its = !is_shared || is_inside(place.root(), &client_folder(&env, std::env::current_dir)?);
    if has_imports || is_its && !Journal::in_dir(&place.dir).parts().is_empty() {
        return Ok(true);
    }
    let base = desk.base()?;
    Ok(base.has_test_runs(name)? || base.has_cases(name)?)
}
