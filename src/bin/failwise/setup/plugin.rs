//! The plugin's folder: its files, which are inside this executable, and the executables next to it.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use failwise::digest::checksum;
use failwise::error::Error;
use failwise::journal::read_small;
use serde_json::Value;

/// A file of the plugin, by its path there.
struct PluginFile {
    path: &'static str,
    text: &'static str,
}

const FILES: &[PluginFile] = include!(concat!(env!("OUT_DIR"), "/plugin.rs"));
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The manifest, which comes last: its version says that the rest is complete.
const MANIFEST: &str = ".claude-plugin/plugin.json";
/// The server's place in the plugin, without what the system adds to executables.
const SERVER: &str = "mcp/plugin/bin/failwise-mcp";

/// What this command would install: its files and the executables next to it.
pub(super) struct PluginParts {
    executables: Vec<(String, PathBuf)>,
    version: String,
}

impl PluginParts {
    /// The hook is next to this executable, `own`; the server too, where `installed` has one or `with_server`
    /// asks for it.
    ///
    /// # Errors
    /// When one is missing, cannot be read or is of another version.
    pub(super) fn of(own: &Path, installed: &Path, with_server: bool) -> Result<Self, Error> {
        let folder = own.parent().unwrap_or(own);
        let hook = folder.join(executable("failwise-hook"));
        check_hook(&hook)?;
        let mut executables =
            vec![(executable("bin/failwise"), own.to_owned()), (executable("bin/failwise-hook"), hook)];
        let server = executable(SERVER);
        if with_server || installed.join(&server).exists() {
            let places =
                [folder.join(executable("failwise-mcp")), folder.join("..").join(&server), installed.join(&server)];
            let found = places.into_iter().find(|place| place.is_file()).ok_or_else(|| {
                Error::unavailable(format!("there is no failwise-mcp in {}", folder.display()))
                    .hint("take an archive that has it, or run ./install.sh --mcp in a clone of Failwise")
            })?;
            executables.push((server, found));
        }
        let mut sums: Vec<u64> =
            FILES.iter().flat_map(|file| [file.path, file.text]).map(|part| checksum(part.as_bytes())).collect();
        for (path, from) in &executables {
            sums.extend([checksum(path.as_bytes()), checksum(&fs_err::read(from)?)]);
        }
        let sums: Vec<u8> = sums.into_iter().flat_map(u64::to_le_bytes).collect();
        // The client takes a changed plugin for an update only when its version differs, so the content becomes a part of it.
        let version = format!("{VERSION}+{:08x}", checksum(&sums) & 0xffff_ffff);
        Ok(Self { executables, version })
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    pub(super) fn has_server(&self) -> bool {
        self.executables.len() > 2
    }

    /// Puts the plugin into its place. Running sessions go on calling the installed path, so each file is replaced by a rename
    /// of its own, and the path is never missing.
    ///
    /// # Errors
    /// When a file cannot be written; the next run completes it.
    pub(super) fn put(&self, plugin: &Path) -> Result<(), Error> {
        let stage = stage_of(plugin);
        remove_folder(&stage)?;
        for file in FILES {
            let to = stage.join(file.path);
            make_parent(&to)?;
            fs_err::write(&to, self.stamped(file).as_bytes())?;
        }
        for (path, from) in &self.executables {
            let to = stage.join(path);
            make_parent(&to)?;
            fs_err::copy(from, &to)?;
            make_executable(&to)?;
        }
        if !plugin.exists() {
            fs_err::rename(&stage, plugin)?;
            return Ok(());
        }
        let new = files_below(&stage);
        let old = files_below(plugin);
        for file in new.iter().filter(|file| *file != Path::new(MANIFEST)) {
            make_parent(&plugin.join(file))?;
            put_over(&stage.join(file), &plugin.join(file))?;
        }
        for file in old.iter().filter(|file| !new.contains(file)) {
            fs_err::remove_file(plugin.join(file))?;
        }
        fs_err::rename(stage.join(MANIFEST), plugin.join(MANIFEST))?;
        remove_folder(&stage)?;
        remove_empty(plugin);
        Ok(())
    }

    fn stamped<'f>(&self, file: &'f PluginFile) -> Cow<'f, str> {
        if file.path.ends_with("plugin.json") {
            let version = |version: &str| format!("\"version\": \"{version}\"");
            return file.text.replacen(&version(VERSION), &version(&self.version), 1).into();
        }
        file.text.into()
    }
}

/// Where a new plugin is collected. What a killed run left there is of no use.
pub(super) fn stage_of(plugin: &Path) -> PathBuf {
    plugin.with_extension("new")
}

/// Whether a folder is a plugin that this command filled: nothing else is ever replaced or removed.
pub(super) fn is_ours(plugin: &Path) -> bool {
    let is_link = fs_err::symlink_metadata(plugin).is_ok_and(|meta| meta.is_symlink());
    !is_link && manifest(plugin).is_some_and(|manifest| manifest["name"] == "failwise")
}

/// The version of the plugin in a folder.
pub(super) fn version_in(plugin: &Path) -> Option<String> {
    manifest(plugin)?["version"].as_str().map(str::to_owned)
}

fn manifest(plugin: &Path) -> Option<Value> {
    serde_json::from_str(&read_small(&plugin.join(MANIFEST), 64 * 1024)?).ok()
}

/// Takes the options out of the manifest, for clients that refuse a plugin that has some.
pub(super) fn drop_options(plugin: &Path) -> Result<(), Error> {
    let path = plugin.join(MANIFEST);
    let text = read_small(&path, 64 * 1024).unwrap_or_default();
    let Some((head, (_, tail))) =
        text.split_once("  \"userConfig\": {\n").and_then(|(head, rest)| Some((head, rest.split_once("\n  },\n")?)))
    else {
        return Ok(());
    };
    crate::outputs::replace(&path, &format!("{head}{tail}"))?;
    Ok(())
}

/// The name of an executable as the system has it.
pub(super) fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// The server of the plugin in a folder.
pub(super) fn server_in(plugin: &Path) -> PathBuf {
    plugin.join(executable(SERVER))
}

fn check_hook(hook: &Path) -> Result<(), Error> {
    let answer = Command::new(hook).arg("--version").stdin(Stdio::null()).output();
    let missing =
        |why: String| Error::unavailable(why).hint("take an archive of this version as a whole, or run ./install.sh");
    let answer = answer.map_err(|error| missing(format!("{} does not run: {error}", hook.display())))?;
    let said = String::from_utf8_lossy(&answer.stdout);
    if said.trim() == format!("failwise-hook {VERSION}") {
        return Ok(());
    }
    let said = crate::style::shown(&said, 60);
    Err(missing(format!("{} answers {said:?}, and this is failwise {VERSION}", hook.display())))
}

/// Puts a file into the place of one that may run: Windows lets such a file be moved, not replaced. What was moved is gone
/// after the next update.
fn put_over(from: &Path, to: &Path) -> io::Result<()> {
    let first = fs_err::rename(from, to);
    if first.is_err() && cfg!(windows) {
        fs_err::rename(to, to.with_extension("old"))?;
        return fs_err::rename(from, to);
    }
    first
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs_err::create_dir_all)
}

fn make_executable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    let _ = path;
    Ok(())
}

/// Removes a folder with all in it, where there is one.
pub(super) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs_err::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Every file and link below a folder, by its path there.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    files.filter_map(|entry| entry.path().strip_prefix(folder).ok().map(Path::to_owned)).collect()
}

fn remove_empty(folder: &Path) {
    let entries = walkdir::WalkDir::new(folder).min_depth(1).contents_first(true).into_iter().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_type().is_dir()) {
        // One with something in it stays.
        let _ = std::fs::remove_dir(entry.path());
    }
}
