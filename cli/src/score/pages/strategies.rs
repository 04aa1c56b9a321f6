//! A case of a recovery strategy's page: a failed call and what is seen of the machine, and whether the strategy is offered
//! for it, with which calls.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::case::known;
use super::{FIRES, PageCase, ReadCall};
use crate::knowledge::Counts;
use crate::recover::look::{FileKind, Holder, ListeningProcess, MachineLooks, Name, Refs};
use crate::recover::{Failed, LearnedFix, PlanPast, PlanQuestion, STRATEGIES, Tools, plan, why_not};

/// The fields that a case and what it sees may have.
const FIELDS: &[&str] = &["tool", "input", "error", "asks", "seen", "tools", "sandbox", "steps", "first", "learned"];
const SEEN: &[&str] = &["files", "kinds", "programs", "ports", "locks", "branches", "remotes", "running", "links"];
/// The folder that the calls of pages run in.
const FOLDER: &str = "/srv/app";

/// Whether the strategy is offered as its page says; the error says what differs.
pub(super) fn check(case: &PageCase, strategy: &str, read: ReadCall) -> Result<(), String> {
    known(&case.json, FIELDS)?;
    if let Some(seen) = case.json.get("seen") {
        known(seen, SEEN)?;
    }
    let asked = read(&recover_input(&case.json))?;
    let mut failed = Failed::asked(&asked).ok_or("the call cannot be judged")?;
    failed.sandbox = case.json["sandbox"].as_str().map(str::to_owned);
    let given: Option<Vec<String>> =
        case.json["tools"].as_array().map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    let tools = Tools::of(&asked.tool, given.as_deref().or(asked.tools.as_deref()), asked.is_contract);
    let seen = case.json.get("seen").map(SeenMachine::of);
    let looks: &dyn MachineLooks = seen.as_ref().map_or(&crate::recover::look::Blind, |seen| seen as &dyn MachineLooks);
    let past = PlanPast { learned: learned(&case.json)?, ..PlanPast::default() };
    let question = PlanQuestion {
        failed: &failed,
        tools: &tools,
        looks,
        past: &past,
        now: "2026-03-01T09:00:00.000Z",
        limit: STRATEGIES.len(),
    };
    let plan = plan(&question);
    let told: Vec<_> = plan.primary_strategy.iter().chain(&plan.fallback_strategies).collect();
    let place = told.iter().position(|told| told.name == strategy);
    let names = || told.iter().map(|told| told.name.as_str()).collect::<Vec<_>>().join(", ");
    let why = || {
        let why = why_not(&question, strategy);
        why.unwrap_or_else(|| format!("it is not for {}", plan.root_cause.category))
    };
    match (case.heading == FIRES, place) {
        (false, None) => Ok(()),
        (false, Some(_)) => Err(format!("it is among: {}", names())),
        (true, None) => Err(format!("it is not among: {} ({})", names(), why())),
        (true, Some(at)) => {
            if case.json["first"] == true && at > 0 {
                return Err(format!("it is not the first of: {}", names()));
            }
            let steps: Vec<Value> =
                told[at].steps.iter().map(|step| json!({ "tool": step.tool, "args": step.args })).collect();
            match case.json.get("steps") {
                Some(wanted) if *wanted != Value::Array(steps.clone()) => {
                    Err(format!("its steps are {}", Value::Array(steps)))
                }
                _ => Ok(()),
            }
        }
    }
}

/// What worked before: `{"words", "tried", "worked"}`, the words as the memory keeps them.
fn learned(case: &Value) -> Result<Vec<LearnedFix>, String> {
    let Some(learned) = case.get("learned") else { return Ok(Vec::new()) };
    known(learned, &["words", "tried", "worked"])?;
    let words = serde_json::from_value(learned["words"].clone()).map_err(|error| error.to_string())?;
    let count = |name: &str| learned[name].as_u64().unwrap_or(1);
    let (tried, worked) = (count("tried"), count("worked"));
    let mut counts = Counts::default();
    counts.add(tried, worked, 0, 0);
    let confidence = counts.confidence();
    Ok(vec![LearnedFix { id: "0a1b2c3d".to_owned(), words, tried, worked, confidence, root: Some(FOLDER.to_owned()) }])
}

/// What the case gives to `failwise recover`.
fn recover_input(case: &Value) -> Vec<u8> {
    let given = case.get("asks").cloned().unwrap_or_else(|| {
        json!({
            "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": FOLDER,
            "tool_name": case["tool"].as_str().unwrap_or("Bash"), "tool_input": case["input"], "error": case["error"],
        })
    });
    given.to_string().into_bytes()
}

/// What a case says can be seen.
struct SeenMachine {
    files: BTreeMap<String, String>,
    kinds: BTreeMap<String, FileKind>,
    programs: Vec<String>,
    ports: Vec<u16>,
    locks: BTreeMap<String, bool>,
    refs: Refs,
    running: Vec<ListeningProcess>,
    /// Links that lead nowhere.
    links: Vec<String>,
}

impl SeenMachine {
    fn of(seen: &Value) -> Self {
        let texts = |key: &str| -> BTreeMap<String, String> {
            let entries = seen[key].as_object().into_iter().flatten();
            entries.map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().to_owned())).collect()
        };
        let list = |key: &str| -> Vec<String> {
            seen[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let kind = |word: &str| match word {
            "gzip" => FileKind::Packed("gzip"),
            "zip" => FileKind::Zip,
            "tar" => FileKind::Tar,
            "binary" => FileKind::Binary,
            line => FileKind::Script(line.trim_start_matches("#!").split_whitespace().map(str::to_owned).collect()),
        };
        let branches = list("branches");
        let numbers = |list: &Value| -> Vec<u16> {
            let numbers = list.as_array().into_iter().flatten().filter_map(Value::as_u64);
            numbers.filter_map(|port| u16::try_from(port).ok()).collect()
        };
        // A process of the project, with the ports it listens on.
        let running = seen["running"].as_object().into_iter().flatten();
        let running =
            running.map(|(name, ports)| ListeningProcess { pid: 4243, name: name.clone(), ports: numbers(ports) });
        let locks = seen["locks"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(path, alive)| (path.clone(), alive == true))
            .collect();
        Self {
            files: texts("files"),
            kinds: texts("kinds").into_iter().map(|(path, word)| (path, kind(&word))).collect(),
            programs: list("programs"),
            ports: numbers(&seen["ports"]),
            locks,
            refs: Refs { branches, remotes: list("remotes"), ..Refs::default() },
            running: running.collect(),
            links: list("links"),
        }
    }

    /// Every path that is there: files first.
    /// What lies in the project: what lies in the user's home is found by its full path only.
    fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().chain(self.kinds.keys()).map(String::as_str).filter(|path| !path.starts_with('~'))
    }
}

fn plain(path: &str) -> &str {
    let path = path.strip_prefix(FOLDER).map_or(path, |rest| rest.trim_start_matches('/'));
    let path = path.trim_start_matches("./").trim_end_matches('/');
    if path == "." { "" } else { path }
}

impl MachineLooks for SeenMachine {
    fn is_looking(&self) -> bool {
        true
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        let path = plain(path);
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        if self.paths().any(|own| own.starts_with(&below) && own != path) {
            return Some(FileKind::Dir);
        }
        self.kinds.get(path).cloned().or_else(|| self.files.get(path).map(|_| FileKind::Text))
    }

    fn names(&self, folder: &str) -> Vec<Name> {
        let folder = plain(folder);
        let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut names: Vec<Name> = self
            .paths()
            .filter_map(|path| path.strip_prefix(&below))
            .map(|rest| match rest.split_once('/') {
                Some((name, _)) => Name { name: name.to_owned(), is_dir: true },
                None => Name { name: rest.to_owned(), is_dir: false },
            })
            .collect();
        names.extend(
            self.links
                .iter()
                .filter_map(|path| path.strip_prefix(&below))
                .map(|name| Name { name: name.to_owned(), is_dir: false }),
        );
        names.sort();
        names.dedup();
        names
    }

    fn text(&self, path: &str) -> Option<String> {
        self.files.get(plain(path)).cloned()
    }

    fn find(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let folders = self.paths().flat_map(|path| path.match_indices('/').map(move |(at, _)| &path[..at]));
        let mut found: Vec<String> = self
            .paths()
            .chain(folders)
            .filter(|path| wanted(crate::text::file_name(path)))
            .map(str::to_owned)
            .collect();
        found.sort();
        found.dedup();
        found
    }

    fn programs(&self) -> &[String] {
        &self.programs
    }

    fn program_at_home(&self, name: &str) -> Option<String> {
        let path = format!("~/.local/bin/{name}");
        self.kinds.contains_key(&path).then_some(path)
    }

    fn port(&self, port: u16) -> Option<Holder> {
        self.ports.contains(&port).then(|| Holder { pid: Some(4242), name: Some("node".to_owned()), is_alive: true })
    }

    fn free_port(&self, from: u16) -> Option<u16> {
        (from..from.saturating_add(10)).find(|port| !self.ports.contains(port))
    }

    fn lock(&self, path: &str) -> Option<Holder> {
        let is_alive = *self.locks.get(plain(path))?;
        Some(Holder { name: is_alive.then(|| "git".to_owned()), is_alive, pid: is_alive.then_some(4244) })
    }

    fn refs(&self, _: &str) -> Refs {
        self.refs.clone()
    }

    fn running(&self) -> Vec<ListeningProcess> {
        self.running.clone()
    }
}
