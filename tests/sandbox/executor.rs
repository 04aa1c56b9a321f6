//! A small executor of the client's tools: a step of a plan is done literally, as an agent does it that understands nothing.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a helper of tests, which may fail them")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A scratch folder, and what was read in it.
pub(crate) struct Scene {
    folder: TempDir,
    read: Mutex<BTreeSet<PathBuf>>,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) enum Bash {
    Ended(i32, String),
    TimedOut(String),
}

/// Whether a program of this name is there.
pub(crate) fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The largest file that is read whole, in bytes: about the client's limit of tokens.
const LARGEST: usize = 100_000;

/// What goes on in the background is waited for: it has no limit of its own.
fn limit_of(args: &Value) -> u64 {
    let own = args["timeout"].as_u64().filter(|_| args["run_in_background"] != true);
    own.unwrap_or(60_000).min(60_000)
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), read: Mutex::default() }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder().join(path)
    }

    pub(crate) fn note_read(&self, path: &str) {
        self.read.lock().unwrap().insert(self.path(path));
    }

    pub(crate) fn bash(&self, line: &str, limit_ms: u64) -> Bash {
        self.bash_with(line, limit_ms, &[])
    }

    pub(crate) fn bash_with(&self, line: &str, limit_ms: u64, variables: &[(&str, &str)]) -> Bash {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command = self.command("bash");
        command.args(["-c", line]).envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(log.reopen().unwrap()).stderr(log.reopen().unwrap()).process_group(0);
        // Both streams are appended to one file, as the client does.
        let file = fs::OpenOptions::new().append(true).open(log.path()).unwrap();
        command.stdout(file.try_clone().unwrap()).stderr(file);
        let mut child = command.spawn().unwrap();
        let end = Instant::now() + Duration::from_millis(limit_ms);
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if Instant::now() >= end => break None,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let text = || fs::read_to_string(log.path()).unwrap_or_default();
        if let Some(status) = status {
            return Bash::Ended(status.code().unwrap_or(-1), text());
        }
        let group = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = child.wait();
        Bash::TimedOut(text())
    }

    /// A program in the folder, with a home of its own.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let home = self.folder().join(".home");
        let _ = fs::create_dir(&home);
        let kept = ["PATH", "CARGO_HOME", "RUSTUP_HOME", "GOROOT", "LANG"];
        let own: Vec<(&str, OsString)> =
            kept.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
        let real = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        command.env_clear().envs(own).current_dir(self.folder());
        for (name, below) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            if std::env::var_os(name).is_none() {
                command.env(name, real.join(below));
            }
        }
        command
            .env("HOME", &home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("TERM", "dumb")
            .env("GOFLAGS", "-mod=mod")
            .env("XDG_STATE_HOME", home.join("state"));
        command
    }

    /// The plan for a payload.
    pub(crate) fn recover(&self, payload: &Value) -> Value {
        let mut command = self.command(env!("CARGO_BIN_EXE_failwise"));
        let mut child = command
            .args(["recover", "--probe"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        child.wait().unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{errors} for {payload}"))
    }

    /// Calls a tool as the client would.
    pub(crate) fn call(&self, tool: &str, args: &Value) -> Result<String, String> {
        let text = |key: &str| args[key].as_str().unwrap_or_default();
        match tool {
            "Bash" => match self.bash(text("command"), limit_of(args)) {
                Bash::Ended(0, printed) => Ok(printed),
                Bash::Ended(code, printed) => Err(format!("Exit code {code}\n{printed}")),
                Bash::TimedOut(printed) => Err(format!("Command timed out\n{printed}")),
            },
            "Read" => self.read(text("file_path"), args),
            "Edit" => self.edit(text("file_path"), text("old_string"), text("new_string")),
            "Write" => {
                let path = self.path(text("file_path"));
                fs::create_dir_all(path.parent().unwrap()).map_err(|error| error.to_string())?;
                fs::write(path, text("content")).map(|()| String::new()).map_err(|error| error.to_string())
            }
            "Glob" => self.glob(text("pattern"), &self.path(text("path"))),
            "Grep" => {
                let line = "grep -rnE -e \"$PATTERN\" -- \"$FOLDER\"";
                match self.bash_with(line, 60_000, &[("PATTERN", text("pattern")), ("FOLDER", text("path"))]) {
                    Bash::Ended(0 | 1, printed) => Ok(printed),
                    other => Err(format!("{other:?}")),
                }
            }
            other => Err(format!("<tool_use_error>Error: No such tool available: {other}</tool_use_error>")),
        }
    }

    fn read(&self, path: &str, args: &Value) -> Result<String, String> {
        let path = self.path(path);
        if path.is_dir() {
            return Err("EISDIR: illegal operation on a directory, read".to_owned());
        }
        let Ok(text) = fs::read_to_string(&path) else { return Err("File does not exist.".to_owned()) };
        let from = usize::try_from(args["offset"].as_u64().unwrap_or(1)).unwrap();
        let limit = args["limit"].as_u64().map_or(usize::MAX, |limit| usize::try_from(limit).unwrap());
        let part: Vec<&str> = text.lines().skip(from.saturating_sub(1)).take(limit).collect();
        let part = part.join("\n");
        if part.len() > LARGEST {
            return Err(format!(
                "File content ({} tokens) exceeds maximum allowed tokens (25000). Use offset and limit parameters to read specific portions of the file, or search for specific content instead of reading the whole file.",
                part.len() / 4
            ));
        }
        self.read.lock().unwrap().insert(path);
        Ok(part)
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Result<String, String> {
        let path = self.path(path);
        if !self.read.lock().unwrap().contains(&path) {
            return Err(
                "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
                    .to_owned(),
            );
        }
        let text = fs::read_to_string(&path).map_err(|_| "File does not exist.".to_owned())?;
        match text.matches(old).count() {
            0 => Err(format!("<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>")),
            1 => {
                fs::write(&path, text.replacen(old, new, 1)).map(|()| String::new()).map_err(|error| error.to_string())
            }
            n => Err(format!(
                "<tool_use_error>Found {n} matches of the string to replace, but replace_all is false.</tool_use_error>"
            )),
        }
    }

    /// Names that a pattern fits: `*`, `**/NAME`.
    fn glob(&self, pattern: &str, folder: &Path) -> Result<String, String> {
        if !folder.is_dir() {
            return Err(format!("Directory does not exist: {}", folder.display()));
        }
        let depth = if pattern.starts_with("**/") { "" } else { "-maxdepth 1" };
        let name = pattern.trim_start_matches("**/");
        let line = format!("find \"$FOLDER\" -mindepth 1 {depth} -name \"$NAME\" -not -path '*/.home*'");
        match self.bash_with(&line, 60_000, &[("FOLDER", folder.to_str().unwrap()), ("NAME", name)]) {
            Bash::Ended(0, printed) => Ok(printed),
            other => Err(format!("{other:?}")),
        }
    }
}
