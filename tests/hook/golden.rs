//! Plays every case under `tests/golden/sessions/` through the real executables: one JSON file a case, so that a new
//! case needs no Rust. The shape is described in `tests/golden/README.md`.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and reads the cases")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::feeding::feed;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    says: String,
    #[serde(default)]
    files: std::collections::BTreeMap<String, String>,
    /// Whether the person left what is in the project untrusted.
    #[serde(default)]
    untrusted: bool,
    steps: Vec<Step>,
    #[serde(default)]
    history: Option<Vec<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default = "hook")]
    run: String,
    #[serde(default)]
    stdin: Value,
    #[serde(default)]
    env: std::collections::BTreeMap<String, String>,
    expect: Expectation,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Expectation {
    exit: i32,
    /// Part of the JSON on stdout.
    json: Option<Value>,
    /// Texts that stand in the output.
    says: Vec<String>,
    /// Nothing is printed.
    silent: bool,
}

fn hook() -> String {
    "failwise-hook".to_owned()
}

/// A session's folder with the project in it; `${PROJECT}` in a case names it.
struct Stage {
    home: tempfile::TempDir,
}

impl Stage {
    fn new(case: &Case) -> Self {
        let home = tempfile::tempdir().unwrap();
        let stage = Self { home };
        fs::create_dir_all(stage.project().join(".git")).unwrap();
        // The first session on this machine is long past.
        let kept = stage.home.path().join(".local/state/failwise");
        fs::create_dir_all(&kept).unwrap();
        fs::write(kept.join("welcomed"), "").unwrap();
        for (name, text) in &case.files {
            let path = stage.project().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let binds = |name: &String| name.ends_with("active.json") || name.ends_with("failwise.toml");
        if !case.untrusted && case.files.keys().any(binds) {
            crate::trusting::trust(stage.home.path(), &stage.project());
        }
        stage
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn history(&self) -> PathBuf {
        self.home.path().join("history")
    }

    fn fill(&self, text: &str) -> String {
        text.replace("${PROJECT}", self.project().to_str().unwrap())
            .replace("${HISTORY}", self.history().join("history.jsonl").to_str().unwrap())
    }

    fn run(&self, step: &Step) -> Output {
        let line = self.fill(&step.run);
        let mut words = line.split(' ');
        let executable = match words.next().unwrap() {
            "failwise" => env!("CARGO_BIN_EXE_failwise"),
            "failwise-hook" => env!("CARGO_BIN_EXE_failwise-hook"),
            other => panic!("no executable `{other}`"),
        };
        let mut command = Command::new(executable);
        command.args(words).env_clear().env("HOME", self.home.path()).current_dir(self.home.path());
        command.env("FAILWISE_DIR", self.history()).envs(step.env.iter().map(|(name, value)| (name, self.fill(value))));
        let input = match &step.stdin {
            Value::String(text) => self.fill(text),
            other => self.fill(&other.to_string()),
        };
        feed(&mut command, &input)
    }
}

/// Whether `part` stands in `whole`: an object's named fields, a list's items one by one, anything else as it is.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| holds(whole.get(key).unwrap_or(&Value::Null), part))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| holds(whole, part))
        }
        _ => whole == part,
    }
}

fn play(path: &Path) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let case: Case = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(!case.says.is_empty(), "{name} says what it shows");
    let stage = Stage::new(&case);
    for (number, step) in case.steps.iter().enumerate() {
        let output = stage.run(step);
        let out = String::from_utf8(output.stdout).unwrap();
        let at = format!("{name}, step {}: {out}{}", number + 1, String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(step.expect.exit), "{at}");
        assert!(!step.expect.silent || out.is_empty(), "{at}: should be silent");
        for text in &step.expect.says {
            assert!(out.contains(text.as_str()), "{at}: should say `{text}`");
        }
        if let Some(part) = &step.expect.json {
            let whole: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{at}: {e}"));
            assert!(holds(&whole, part), "{at}: should hold {part}");
        }
    }
    if let Some(expected) = &case.history {
        let text = fs::read_to_string(stage.history().join("history.jsonl")).expect("a history was written");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), expected.len(), "{name}: {text}");
        for (line, part) in lines.iter().zip(expected) {
            assert!(holds(line, part), "{name}: {line} should hold {part}");
        }
    }
}

#[test]
fn every_session_plays_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sessions");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 8, "cases went missing");
    for path in &cases {
        play(path);
    }
}
