//! Holds the files that the client and other programs read (manifest, hooks, skill, schemas, example) to the code.

#![expect(clippy::disallowed_methods, reason = "reads the repository's own files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use failwise::conflicts::ArbitrationDecision;
use failwise::decide::permit;
use failwise::history::{
    Body, CaseNote, Classified, Effect, Event, EventKind, Execution, GuardedCall, Line, PlanEvent, Proposed,
    RecoveryAttempt, Reflection, StateChange, StepSummary, parse,
};
use failwise::model::{
    Action, Ancestor, Basis, Budgets, Category, Check, CheckEnd, Class, Confidence, Constraint, ConstraintKind,
    Decision, DecisionAction, Dependency, Difference, ForeignArtifact, Host, Ids, Intent, KnownConflict, MetMode,
    Misfit, Mutation, NearName, NextCommand, NotFailure, Object, ObjectKind, Operation, Outcome, Phase, PlanFacts,
    Proof, Reading, RunResult, SiblingEdit, Signature, Stash, Status, Tool, ToolCall, ToolInput, Topic, Transient,
    Unreached, Verdict,
};
use failwise::settings::{SETTINGS, Setting, Settings};
#[cfg(unix)]
use failwise::shell::Script;
use serde_json::Value;

/// Events that client 2.1.59 knows. One that it does not know silences every hook of the file it stands in.
const KNOWN_TO_OLD_CLIENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn words(values: &Value) -> BTreeSet<&str> {
    values.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

// --- manifest and hooks ---

#[test]
fn the_manifest_states_the_version_of_the_package() {
    assert_eq!(json(".claude-plugin/plugin.json")["version"], env!("CARGO_PKG_VERSION"));
}

/// A key that a client does not know makes it refuse the whole plugin. Only `userConfig` is newer than this list, and
/// `failwise setup` takes it out where the client asks for that.
#[test]
fn the_manifest_uses_only_keys_that_old_clients_accept() {
    let manifest = json(".claude-plugin/plugin.json");
    let accepted = ["name", "version", "description", "author", "license", "keywords", "hooks", "userConfig"]
        .into_iter()
        .collect();
    assert!(keys(&manifest).is_subset(&accepted), "{:?}", keys(&manifest));
    for (name, option) in manifest["userConfig"].as_object().unwrap() {
        assert_eq!(keys(option), ["type", "title", "description", "default"].into_iter().collect(), "{name}");
    }
}

/// `failwise setup` takes the options out by these two lines.
#[test]
fn the_options_stand_where_the_installer_looks_for_them() {
    let manifest = text(".claude-plugin/plugin.json");
    let (_, options) = manifest.split_once("\n  \"userConfig\": {\n").unwrap();
    assert!(options.contains("\n  },\n"));
}

/// Every setting that an option sets is offered, and no other; with the default and all the words that the code knows.
#[test]
fn the_options_are_those_of_the_settings() {
    let options = &json(".claude-plugin/plugin.json")["userConfig"];
    let (defaults, _) = Settings::resolve(&|_| None, None);
    let offered = SETTINGS.iter().zip(defaults.rows()).filter(|(setting, _)| setting.plugin.is_some());
    let offered: Vec<(&Setting, String)> = offered.map(|(setting, (_, default, _))| (setting, default)).collect();
    assert_eq!(keys(options), offered.iter().map(|(setting, _)| setting.key).collect());
    for (setting, default) in offered {
        let option = &options[setting.key];
        // The client knows no option without a value: an empty one counts as not set.
        assert_eq!(option["default"], if default == "none" { "" } else { &default }, "{}", setting.key);
        for word in setting.takes.split('`').skip(1).step_by(2) {
            assert!(option["title"].as_str().unwrap().contains(word), "{}: {word}", setting.key);
        }
    }
}

/// `failwise config` shows every setting, and no other.
#[cfg(unix)]
#[test]
fn every_setting_is_shown() {
    let home = tempfile::tempdir().unwrap();
    let config = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_failwise"));
        let command = command.arg("config").args(arguments).env_clear().env("HOME", home.path());
        String::from_utf8(command.current_dir(home.path()).output().unwrap().stdout).unwrap()
    };
    let known: BTreeSet<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
    assert_eq!(keys(&serde_json::from_str::<Value>(&config(&["--format", "json"])).unwrap()["settings"]), known);
    let text = config(&[]);
    let shown = text.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "history");
    assert_eq!(shown.collect::<BTreeSet<_>>(), known);
}

#[test]
fn the_marketplace_offers_all_plugins() {
    let market = json(".claude-plugin/marketplace.json");
    assert_eq!(market["name"], "failwise");
    let plugins = market["plugins"].as_array().unwrap();
    let sources: Vec<_> = plugins.iter().map(|plugin| plugin["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["./", "./planner", "./mcp/plugin"]);
    for (plugin, source) in plugins.iter().zip(sources) {
        let manifest = json(&format!("{source}/.claude-plugin/plugin.json"));
        assert_eq!(plugin["name"], manifest["name"]);
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "{source}");
    }
}

#[test]
fn the_base_hooks_name_only_events_that_old_clients_know() {
    let hooks = json("hooks/hooks.json");
    let known = KNOWN_TO_OLD_CLIENTS.iter().copied().collect();
    assert!(keys(&hooks["hooks"]).is_subset(&known));
    assert!(keys(&hooks["hooks"]).contains("PostToolUseFailure"));
}

#[test]
fn newer_events_stand_in_the_file_that_the_manifest_names() {
    assert_eq!(json(".claude-plugin/plugin.json")["hooks"], "./hooks/newer.json");
    let newer = json("hooks/newer.json");
    assert_eq!(keys(&newer["hooks"]), ["PostToolBatch", "StopFailure"].into_iter().collect());
    assert!(keys(&newer["hooks"]).iter().all(|event| !KNOWN_TO_OLD_CLIENTS.contains(event)));
}

/// Without arguments, because old clients drop them; of all tools, but for the success of one that the batch tells of.
#[test]
fn every_hook_starts_the_same_executable_within_seconds() {
    for file in ["hooks/hooks.json", "hooks/newer.json"] {
        for (event, entries) in json(file)["hooks"].as_object().unwrap() {
            assert_eq!(entries.as_array().unwrap().len(), 1, "{event}");
            // Files that were read come with their batch, so that no process starts for each of them.
            // The guard looks at shell commands, and a plan forbids edits too. The client itself refuses an edit whose
            // text is not there, before any hook hears of it.
            let matcher = match event.as_str() {
                "PostToolUse" => "^(?!Read$)".into(),
                "PreToolUse" => "Bash|Edit|MultiEdit|Write|NotebookEdit".into(),
                _ => Value::Null,
            };
            assert_eq!(entries[0]["matcher"], matcher, "{event}");
            let handler = &entries[0]["hooks"][0];
            assert_eq!(handler["type"], "command", "{event}");
            assert_eq!(handler["command"], "${CLAUDE_PLUGIN_ROOT}/bin/failwise-hook", "{event}");
            assert_eq!(handler["args"], serde_json::json!([]), "{event}");
            assert!(handler["timeout"].as_u64().is_some_and(|seconds| (1..=5).contains(&seconds)), "{event}");
        }
    }
}

/// The clients beside Claude Code: where the manifest stands, the file with its hooks, the hook's command, a second in the unit of
/// its time limits, and the events.
const OTHER_CLIENTS: &[(&str, &str, &str, u64, &[&str])] = &[
    (
        ".codex-plugin/plugin.json",
        "hooks/codex.json",
        "${CLAUDE_PLUGIN_ROOT}/bin/failwise-hook",
        1,
        &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
    ),
    (
        ".github/plugin/plugin.json",
        "hooks/copilot.json",
        "${CLAUDE_PLUGIN_ROOT}/bin/failwise-hook",
        1,
        &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"],
    ),
    (
        "gemini/gemini-extension.json",
        "gemini/hooks/hooks.json",
        "${extensionPath}/../bin/failwise-hook",
        1000,
        &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"],
    ),
];

/// A matcher that Codex cannot read drops its events, and one of Copilot keeps events away.
#[test]
fn other_clients_start_the_hook_at_every_event_of_theirs() {
    for (manifest, hooks, command, second, events) in OTHER_CLIENTS {
        let manifest = json(manifest);
        assert_eq!((&manifest["name"], &manifest["version"]), (&"failwise".into(), &env!("CARGO_PKG_VERSION").into()));
        if let Some(named) = manifest.get("hooks") {
            assert_eq!(named, &format!("./{hooks}"));
        }
        let file = json(hooks);
        assert_eq!(keys(&file["hooks"]), events.iter().copied().collect(), "{hooks}");
        for (event, entries) in file["hooks"].as_object().unwrap() {
            assert_eq!((entries.as_array().unwrap().len(), entries[0].get("matcher")), (1, None), "{hooks} {event}");
            assert_eq!(entries[0]["hooks"][0]["command"], *command, "{hooks} {event}");
            let timeout = entries[0]["hooks"][0]["timeout"].as_u64();
            assert!(timeout.is_some_and(|limit| (*second..=5 * second).contains(&limit)), "{hooks} {event}");
        }
    }
}

// --- skill ---

fn front_matter(page: &str) -> Vec<(&str, &str)> {
    let (head, _) = page.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    head.lines().map(|line| line.split_once(": ").unwrap()).collect()
}

/// A page whose front matter is damaged is loaded by no client, and nobody is told.
#[test]
fn skills_and_agents_say_what_they_are_for() {
    let mut pages = 0;
    for folder in ["skills", "planner/skills", "planner/agents"] {
        for entry in walkdir::WalkDir::new(root().join(folder)).into_iter().map(Result::unwrap) {
            if entry.path().extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let page = fs_err::read_to_string(entry.path()).unwrap();
            let matter = front_matter(&page);
            let value = |key: &str| matter.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
            let own = if folder.ends_with("skills") { entry.path().parent().unwrap() } else { entry.path() };
            assert_eq!(value("name"), own.file_stem().unwrap().to_str(), "{}", entry.path().display());
            // The client cuts description and occasion together at this length.
            let listing = value("description").unwrap().len() + value("when_to_use").unwrap_or("").len();
            assert!((40..1_500).contains(&listing), "{}: {listing}", entry.path().display());
            pages += 1;
        }
    }
    assert_eq!(pages, 9);
}

/// The longest a skill may be, in bytes: some 600 tokens.
const LONGEST_SKILL: usize = 2_400;

#[test]
fn one_skill_is_the_models_and_names_one_command() {
    let matter = |skill: &str| -> Vec<(String, String)> {
        let page = text(&format!("skills/{skill}/SKILL.md"));
        assert!(page.len() <= LONGEST_SKILL, "{skill}: {}", page.len());
        front_matter(&page).into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let mut skills: Vec<String> = fs_err::read_dir(root().join("skills"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    skills.sort();
    assert_eq!(skills, ["lessons", "report", "why"]);
    for skill in &skills {
        let matter = matter(skill);
        let value = |key: &str| matter.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone());
        // The model's skill is a person's command too; the others are people's alone.
        let for_people = (skill != "why").then(|| "true".to_owned());
        assert_eq!(value("disable-model-invocation"), for_people, "{skill}");
        assert_eq!(value("user-invocable"), None, "{skill}");
        assert_eq!(value("allowed-tools"), Some(format!("Bash(failwise {skill}:*)")), "{skill}");
    }
    let page = text("skills/why/SKILL.md");
    let named: BTreeSet<&str> =
        page.split("failwise ").skip(1).filter_map(|rest| rest.split([' ', '`', ':']).next()).collect();
    assert_eq!(named, BTreeSet::from(["why"]));
}

#[test]
fn skills_look_and_change_nothing() {
    let page = text("planner/skills/failure-classifier/SKILL.md");
    let matter = front_matter(&page);
    let value = |key: &str| matter.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
    assert_eq!(value("allowed-tools"), Some("Read, Grep, Glob, Bash"));
    assert_eq!(value("effort"), Some("low"));
    assert_eq!(value("user-invocable"), Some("false"));
}

/// The rows of the skill's decision table: rule, class, action.
fn skill_rows(page: &str) -> Vec<[&str; 3]> {
    let (_, after) = page.split_once("<!-- table:begin -->\n").unwrap();
    let (table, _) = after.split_once("<!-- table:end -->").unwrap();
    table.lines().skip(2).map(cells).collect()
}

fn cells(row: &str) -> [&str; 3] {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    cells.try_into().unwrap()
}

#[test]
fn the_skill_names_only_classes_and_actions_that_exist() {
    let page = text("planner/skills/failure-classifier/SKILL.md");
    let rows = skill_rows(&page);
    let ids: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(ids.len(), rows.len(), "a rule stands twice");
    assert_eq!(rows.first().copied(), Some(["not-a-failure", "-", "-"]));
    for [rule, class, action] in &rows[1..] {
        assert!(serde_json::from_value::<Class>((*class).into()).is_ok(), "{rule}: {class}");
        assert!(serde_json::from_value::<Action>((*action).into()).is_ok(), "{rule}: {action}");
    }
}

// --- schemas ---

#[test]
fn the_planner_knows_what_to_do_with_every_decision() {
    let page = text("planner/agents/master-planner.md");
    let told: BTreeSet<&str> = first_cells(&page).collect();
    assert_eq!(told, DecisionAction::ALL.into_iter().map(DecisionAction::as_str).collect());
}

#[test]
fn the_arbiter_knows_what_follows_from_every_decision() {
    let page = text("planner/agents/conflict-arbiter.md");
    let told: BTreeSet<&str> = first_cells(&page).collect();
    assert_eq!(told, ArbitrationDecision::ALL.into_iter().map(ArbitrationDecision::as_str).collect());
}

/// The words in the first column of the page's table.
fn first_cells(page: &str) -> impl Iterator<Item = &str> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once(" |"))
        .flat_map(|(words, _)| words.split(", "))
        .map(|word| word.trim_matches('`'))
}

const PLANNER_PAGES: &[&str] = &[
    "planner/README.md",
    "planner/agents/tree-planner.md",
    "planner/agents/master-planner.md",
    "planner/agents/replanner.md",
    "planner/agents/conflict-arbiter.md",
    "planner/skills/plan-status/SKILL.md",
];

/// What these pages name and the agents must not run unasked.
const FOR_PEOPLE: &[&str] = &["failwise plan init", "failwise plan undo", "failwise plan conflicts resolve"];

/// Every command line in the pages: what stands in backticks and is more than the name.
fn command_lines() -> impl Iterator<Item = (&'static str, String)> {
    PLANNER_PAGES.iter().flat_map(|page| {
        let text = text(page);
        let spans: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        spans.into_iter().filter(|span| span.starts_with("failwise ")).map(|line| (*page, line))
    })
}

#[test]
fn the_planners_agents_need_no_permission_for_their_commands() {
    let mut asked = BTreeSet::new();
    for (page, line) in command_lines() {
        let input = ToolInput::Command { command: line.as_str().into(), background: false };
        let permitted = permit::needs_no_permission("failwise-planner:replanner", &shell_call(input));
        let theirs = FOR_PEOPLE.iter().find(|words| line.starts_with(*words));
        assert_eq!(permitted, theirs.is_none(), "{page}: {line}");
        asked.extend(theirs);
    }
    assert_eq!(asked, FOR_PEOPLE.iter().collect());
}

fn shell_call(input: ToolInput<'_>) -> ToolCall<'_> {
    ToolCall::new(Tool::named("Bash"), input, Status::Succeeded)
}

#[test]
fn the_page_about_planning_lists_what_needs_no_permission() {
    let page = text("docs/planning.md");
    let (_, after) = page.split_once("<!-- permitted:begin -->\n").unwrap();
    let (list, _) = after.split_once("<!-- permitted:end -->").unwrap();
    let told: Vec<String> =
        list.lines().map(|line| line.trim_start_matches("- ").trim_matches('`').to_owned()).collect();
    let words = permit::commands().map(|words| format!("failwise {}", words.join(" ")));
    assert_eq!(told, words.collect::<Vec<_>>());
}

/// Run as they stand, the executable may refuse them, but never for their words. Of a command that is only named, there
/// must be help.
#[cfg(unix)]
#[test]
fn the_executable_understands_every_command_of_the_planners_pages() {
    let home = tempfile::tempdir().unwrap();
    let status = |arguments: &[String]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.args(arguments).env_clear().env("HOME", home.path()).current_dir(home.path());
        command.stdin(std::process::Stdio::null()).output().unwrap().status.code().unwrap()
    };
    let words = |line: &str| Script::parse(line).pipelines[0].commands[0].args.clone();
    for line in [
        "failwise plan init --intent books",
        "failwise plan add feature --parent MISSION --intent import",
        "failwise plan add story --parent FEAT-1 --intent parse --test-ref tests/parse.rs::parses",
    ] {
        assert_eq!(status(&words(line)), 0, "{line}");
    }
    assert_eq!(status(&words("failwise plan nonsense")), WRONG_COMMAND_LINE);
    for (page, line) in command_lines() {
        let mut words = words(&line.replace("CHOICE", "escalate").replace("ID", "STORY-0001"));
        if words.iter().all(|word| word.chars().all(char::is_lowercase)) {
            words.push("--help".to_owned());
        }
        let code = status(&words);
        assert_ne!(code, WRONG_COMMAND_LINE, "{page}: {line}");
    }
}

#[cfg(unix)]
const WRONG_COMMAND_LINE: i32 = 64;

fn verdict() -> Verdict {
    Verdict {
        basis: Some(Basis::Line),
        likely: Some(None),
        category_confidence: Some(Confidence::hundredths(95)),
        announced: Some(Intent::Red),
        class: Class::F6,
        class_name: Class::F6.name().to_owned(),
        confidence: Confidence::hundredths(95),
        evidence: vec!["conflict_id=CONF-0001".to_owned()],
        recommended_action: Action::Arbitrate,
        node_id: "TASK-00001".to_owned(),
        parent_node_id: Some("STORY-0001".to_owned()),
        routes_to: Some("conflict-arbiter".to_owned()),
        schema_version: Verdict::SCHEMA_VERSION,
        outcome: Outcome::Failed,
        rule: "conflict-reported".to_owned(),
        ruleset: "default".to_owned(),
        category: Category::MergeConflict,
        signature: signature(),
        operation: Operation("Bash: git merge topic".to_owned()),
        episode: "0123abcd".to_owned(),
        attempt: 1,
        unchanged_retries: 0,
        retry_after_ms: Some(1_000),
        tool_use_id: Some("toolu_01".to_owned()),
        history_ref: Some("e1".to_owned()),
    }
}

fn signature() -> Signature {
    Signature {
        fine: "0123456789abcdef".to_owned(),
        coarse: "fedcba9876543210".to_owned(),
        version: Signature::VERSION,
        vague: true,
    }
}

fn reading() -> Reading {
    Reading {
        runner: Some("git".to_owned()),
        result: RunResult::Failed,
        basis: Some(Basis::Guess),
        likely: Some(Category::VcsState),
        line: Some("CONFLICT (content): Merge conflict in src/lib.rs".to_owned()),
        files: vec!["src/lib.rs".to_owned()],
        objects: vec![Object { kind: ObjectKind::File, name: "src/lib.rs".to_owned() }],
        passed: vec!["a_test".to_owned()],
        skipped: vec!["b_test".to_owned()],
        transient: Some(Transient { hint: "http_429".to_owned(), retry_after_ms: Some(1) }),
        way_on: Some("git rebase --continue".to_owned()),
        unreached: Some(Unreached { host: "10.1.2.3".to_owned(), refused: true }),
        proof: Proof::Parsed,
        ..Reading::unrecognised()
    }
}

fn plan() -> PlanFacts {
    PlanFacts {
        node: "TASK-00001".to_owned(),
        parent: Some("STORY-0001".to_owned()),
        tier: Some(4),
        status: Some("active".to_owned()),
        ancestors: vec![Ancestor {
            id: "STORY-0001".to_owned(),
            tier: 3,
            status: Some("active".to_owned()),
            replans_left: 3,
        }],
        siblings: vec!["TASK-00002".to_owned()],
        active_siblings: Vec::new(),
        children: Vec::new(),
        failed_children: None,
        budget: None,
        changed_by: Some(SiblingEdit {
            node: "TASK-00002".to_owned(),
            file: "src/b.rs".to_owned(),
            active: true,
            feature: Some("FEAT-002".to_owned()),
        }),
        artifacts: vec!["src/lib.rs".to_owned()],
        red_phase: true,
        constraints: vec![Constraint {
            from: "MISSION".to_owned(),
            kind: ConstraintKind::ForbiddenPath,
            value: "vendor/**".to_owned(),
        }],
        depends_on: vec![Dependency {
            id: "TASK-00003".to_owned(),
            status: "done".to_owned(),
            artifacts: vec!["src/a.rs".to_owned()],
        }],
        foreign_artifacts: vec![ForeignArtifact {
            feature: "FEAT-002".to_owned(),
            path: "src/b.rs".to_owned(),
            task: "TASK-00002".to_owned(),
            active: true,
        }],
        conflict: Some(KnownConflict {
            id: "CONF-0001".to_owned(),
            with: Some("TASK-00002".to_owned()),
            blocks: true,
            files: vec!["src/b.rs".to_owned()],
        }),
        ignored_paths: vec!["gen/**".to_owned()],
        root: Some("/srv/app".to_owned()),
        failed_attempts: Some(1),
        revisions: Some(0),
        token_overrun: Some(0.5),
    }
}

/// Every field that a value prints is described, and every field that it always prints is required.
fn assert_describes(schema: &Value, full: &Value, sparse: &Value) {
    assert_eq!(keys(&schema["properties"]), keys(full));
    let always: BTreeSet<&str> = keys(sparse);
    assert_eq!(words(&schema["required"]), always);
}

#[test]
fn the_verdict_schema_describes_the_verdict() {
    let full = serde_json::to_value(verdict()).unwrap();
    let sparse = serde_json::to_value(Verdict {
        routes_to: None,
        basis: None,
        likely: None,
        category_confidence: None,
        announced: None,
        ..verdict()
    })
    .unwrap();
    let schema = json("schemas/verdict.schema.json");
    assert_describes(&schema, &full, &sparse);
    assert_eq!(schema["properties"]["schema_version"]["const"], Verdict::SCHEMA_VERSION);
    let named = serde_json::to_value(Signature { vague: false, ..signature() }).unwrap();
    assert_describes(&schema["$defs"]["signature"], &full["signature"], &named);
}

#[test]
fn the_schemas_list_the_words_of_the_code() {
    let verdict = json("schemas/verdict.schema.json");
    let history = json("schemas/history.schema.json");
    let categories: BTreeSet<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
    assert_eq!(words(&verdict["properties"]["category"]["enum"]), categories);
    for class in words(&verdict["properties"]["class"]["enum"]) {
        let class: Class = serde_json::from_value(class.into()).unwrap();
        assert!(words(&verdict["properties"]["class_name"]["enum"]).contains(class.name()));
    }
    for action in words(&verdict["properties"]["recommended_action"]["enum"]) {
        assert!(serde_json::from_value::<Action>(action.into()).is_ok(), "{action}");
    }
    for outcome in words(&history["properties"]["outcome"]["enum"]) {
        assert!(serde_json::from_value::<Outcome>(outcome.into()).is_ok(), "{outcome}");
    }
}

#[test]
fn the_schema_of_the_other_answer_describes_it() {
    let answer = NotFailure {
        class: None,
        outcome: Outcome::BenignNonZero,
        evidence: vec!["grep found nothing".to_owned()],
        schema_version: Verdict::SCHEMA_VERSION,
        tool_use_id: None,
    };
    let full = serde_json::to_value(answer).unwrap();
    assert_describes(&json("schemas/not-a-failure.schema.json"), &full, &full);
}

#[test]
fn the_history_schema_describes_what_an_event_holds() {
    let schema = json("schemas/history.schema.json");
    let sparse = serde_json::to_value(Reading::unrecognised()).unwrap();
    assert_describes(&schema["$defs"]["reading"], &serde_json::to_value(reading()).unwrap(), &sparse);
    let facts = serde_json::to_value(plan()).unwrap();
    assert_eq!(keys(&schema["$defs"]["plan"]["properties"]), keys(&facts));
    for (field, value) in facts.as_object().unwrap().iter().filter(|(_, value)| value.is_array()) {
        if let Some(first) = value[0].as_object() {
            let described = &schema["$defs"]["plan"]["properties"][field]["items"]["properties"];
            assert_eq!(keys(described), first.keys().map(String::as_str).collect(), "{field}");
        }
    }
    let events: Vec<Value> = full_events().iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    let held: BTreeSet<&str> = events.iter().flat_map(keys).collect();
    assert_eq!(keys(&schema["properties"]), held);
    let known: Vec<Value> = EventKind::ALL.iter().map(|kind| serde_json::to_value(kind).unwrap()).collect();
    let known: BTreeSet<&str> = known.iter().filter_map(Value::as_str).collect();
    assert_eq!(words(&schema["properties"]["event"]["enum"]), known);
    let checked: BTreeSet<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(checked, known, "full_events() lacks a kind, whose fields nobody looked at");
    let bare = Event::new(String::new(), "", "", &Ids::default(), Body::HookError { message: None });
    assert_eq!(words(&schema["required"]), keys(&serde_json::to_value(bare).unwrap()));
}

/// What is written is read as it was, whatever its kind.
#[test]
fn events_of_each_kind_come_back_from_their_lines() {
    for event in full_events() {
        let line = serde_json::to_string(&event).unwrap();
        assert_eq!(parse(line.as_bytes()), Line::Event(Box::new(event)), "{line}");
    }
}

/// Histories outlive builds: a line is written with the same fields in the same order as ever.
#[test]
fn lines_of_a_history_are_written_byte_for_byte_as_they_stand() {
    for line in text("tests/screens/history.jsonl").lines() {
        let Line::Event(event) = parse(line.as_bytes()) else { panic!("no event: {line}") };
        assert_eq!(serde_json::to_string(&event).unwrap(), line);
    }
}

/// A decision with every field set.
fn decision() -> Decision {
    Decision {
        action: DecisionAction::Retry,
        node_id: "TASK-00001".to_owned(),
        target_node: "TASK-00001".to_owned(),
        class: Some(Class::F1),
        operation: Operation("npm ci".to_owned()),
        episode: Some("0123abcd".to_owned()),
        attempt: 1,
        delay_ms: 7_000,
        not_before: Some("2026-03-01T10:00:07.000Z".to_owned()),
        budgets: Budgets { retries: Some(2), project_retries: Some(9), replans: Some(1) },
        mutation: Some(Mutation::ReDecompose),
        reasons: vec!["x".to_owned()],
        next_commands: vec![NextCommand {
            argv: vec!["x".to_owned()],
            shell: Some("sleep 7 && npm ci".to_owned()),
            background: true,
            timeout_ms: Some(600_000),
            why: "x".to_owned(),
        }],
        history_ref: Some("0123456789abcdef".to_owned()),
        schema_version: Decision::SCHEMA_VERSION,
    }
}

#[test]
fn the_decision_schema_describes_the_decision() {
    let schema = json("schemas/decision.schema.json");
    let full = serde_json::to_value(decision()).unwrap();
    assert_describes(&schema, &full, &full);
    let properties = &schema["properties"];
    assert_describes(&properties["budgets"], &full["budgets"], &full["budgets"]);
    let bare = serde_json::to_value(NextCommand::to("x")).unwrap();
    assert_describes(&properties["next_commands"]["items"], &full["next_commands"][0], &bare);
    let words: Vec<&str> = properties["action"]["enum"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(words, DecisionAction::ALL.map(DecisionAction::as_str));
    assert!(DecisionAction::ALL.is_sorted(), "the words stand in the order of severity");
    for word in properties["mutation"]["enum"].as_array().unwrap().iter().filter(|word| word.is_string()) {
        assert!(serde_json::from_value::<Mutation>(word.clone()).is_ok(), "{word}");
    }
}

fn full_case() -> Box<CaseNote> {
    Box::new(CaseNote {
        run: "x".to_owned(),
        name: "x".to_owned(),
        category: "UNKNOWN".to_owned(),
        signature: "x".to_owned(),
        pattern: "x".to_owned(),
        fix: Some("x".to_owned()),
        success: Some(true),
    })
}

fn full_execution() -> Box<Execution> {
    let text = || Some("x".to_owned());
    let texts = || vec!["x".to_owned()];
    Box::new(Execution {
        tool: text(),
        phase: Some(Phase::Call),
        outcome: Some(Outcome::Failed),
        evidence: texts(),
        operation: Some(Operation("git merge topic".to_owned())),
        input: text(),
        input_altered: true,
        cwd: text(),
        effect: Effect::Shell,
        exit_code: Some(1),
        text: text(),
        reading: Some(reading()),
        signature: Some(signature()),
        files_touched: texts(),
        wrote: texts(),
        cause: text(),
        conflict_id: text(),
        failed_attempts: Some(1),
        background_task: text(),
        call: text(),
        timeout_ms: Some(1000),
        met: Some(MetMode { id: 62, program: "git".to_owned(), subcommand: "commit".to_owned(), decided: true }),
        took_ms: Some(30_000),
        answered: text(),
        checks: vec![Check { words: texts(), dir: text(), end: CheckEnd::Failed, runners: texts(), fixes: true }],
        intent: Some(Intent::Baseline),
        parallel: true,
        stash: Some(Stash::Back),
        restored: texts(),
        changed: texts(),
        misfit: Some(Box::new(Misfit { first: 1, last: 2, differences: vec![Difference::Crlf], has_signs: true })),
    })
}

fn full_reflection() -> Box<Reflection> {
    let text = || Some("x".to_owned());
    Box::new(Reflection { failure: text(), episode: text(), recovery_strategy: text(), ..Reflection::default() })
}

fn full_attempt() -> Box<RecoveryAttempt> {
    let text = || Some("x".to_owned());
    Box::new(RecoveryAttempt {
        failure: text(),
        episode: text(),
        historical_success_rate: Some(0.5),
        named: vec!["x".to_owned()],
        strategies: vec![Proposed {
            name: "x".to_owned(),
            steps: vec![Operation("npm run test".to_owned())],
            performs: Some(Operation("npm run test".to_owned())),
            asks: true,
        }],
        ..RecoveryAttempt::default()
    })
}

/// An event of each kind with every field set.
fn full_events() -> Vec<Event> {
    let text = || Some("x".to_owned());
    let texts = || vec!["x".to_owned()];
    let classified = || {
        let (phase, plan, verdict) = (Some(Phase::Call), Some(plan()), Some(verdict()));
        Box::new(Classified {
            phase,
            plan,
            verdict,
            advised: true,
            topic: Some(Topic::Known),
            mode: Some(62),
            told: Some("0123abcd".to_owned()),
            near: Some(NearName {
                missing: "a".to_owned(),
                name: "b".to_owned(),
                word: "file".to_owned(),
                place: text(),
            }),
        })
    };
    let about = || PlanEvent { target: text(), conflict_id: text(), reason: text() };
    let call = || {
        let operation = Some(Operation("git merge topic".to_owned()));
        Box::new(GuardedCall { tool: text(), operation, input: text(), call: text(), reason: text(), until: text() })
    };
    let bodies = [
        Body::ExecutionCompleted(full_execution()),
        Body::ExecutionFailed(full_execution()),
        Body::FailureClassified(classified()),
        Body::VerdictInDoubt { verdict_id: text(), reason: text() },
        Body::AdviceGiven { episodes: texts() },
        Body::PersonTold { episodes: texts(), reason: text() },
        Body::Decision { decision: Some(Box::new(decision())) },
        Body::NodeBound { target: text() },
        Body::AgentEnded { target: text() },
        Body::FixReported(about()),
        Body::PatternMuted(about()),
        Body::PatternUnmuted(about()),
        Body::ConstraintViolated(about()),
        Body::ConflictDetected(about()),
        Body::ConflictArbitrated(about()),
        Body::ReplanProposed(about()),
        Body::ReplanRefusedBudget(about()),
        Body::FreezeApplied(about()),
        Body::ThawApplied(about()),
        Body::StateChanged { change: Some(StateChange::Prompt), reason: text() },
        Body::CallRefused(call()),
        Body::GuardOpened(call()),
        Body::HookError { message: text() },
        Body::StepEnded {
            step: Box::new(StepSummary {
                run: "x".to_owned(),
                workflow: text(),
                name: "x".to_owned(),
                success: true,
                has_result: true,
                attempts: 1,
                duration_ms: 1,
                cost_usd: Some(0.5),
                class: Some(Class::F1),
                category: Some(Category::Network),
                reason: text(),
            }),
        },
        Body::CaseDiagnosed { case: full_case() },
        Body::CaseFixReported { case: full_case() },
        Body::DiagnosticReflection { reflection: full_reflection() },
        Body::RecoveryAttempt { attempt: full_attempt() },
        Body::RecoveryComplete { complete: Box::default() },
        Body::HistoryBegun { history_id: text() },
    ];
    let ids = Ids { host: Host::Codex, session: text(), agent: text(), tool_use: text() };
    let event = |body| Event {
        worktree: text(),
        unlocked: true,
        read_to: Some(1),
        history_truncated: true,
        ..Event::new("x".to_owned(), "x", "x", &ids, body)
    };
    bodies.into_iter().map(event).collect()
}

// --- example session ---

struct ExampleCall {
    id: String,
    name: String,
}

fn blocks<'a>(line: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let content = line["message"]["content"].as_array();
    content.into_iter().flatten().filter(move |block| block["type"] == kind)
}

/// A replay pairs each result with its call, so the example has to do it, too.
#[test]
fn every_call_of_the_example_has_its_result_after_it() {
    let session = text("examples/session.jsonl");
    let mut open: Vec<ExampleCall> = Vec::new();
    let mut calls = 0;
    for line in session.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        for call in blocks(&line, "tool_use") {
            calls += 1;
            open.push(ExampleCall {
                id: call["id"].as_str().unwrap().to_owned(),
                name: call["name"].as_str().unwrap().to_owned(),
            });
        }
        for result in blocks(&line, "tool_result") {
            let id = result["tool_use_id"].as_str().unwrap();
            let at = open.iter().position(|call| call.id == id).unwrap_or_else(|| panic!("{id} answers no call"));
            open.remove(at);
        }
    }
    let unanswered: Vec<&str> = open.iter().map(|call| call.name.as_str()).collect();
    assert!(unanswered.is_empty(), "{unanswered:?}");
    assert!(calls >= 12, "{calls}");
}

#[test]
fn links_between_the_pages_lead_somewhere() {
    let single =
        ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"];
    let pages = single.map(str::to_owned).into_iter().chain(pages_in("docs")).chain(pages_in("docs/dev"));
    for page in pages {
        for target in link_targets(&text(&page)) {
            let from = root().join(&page);
            let file = from.parent().unwrap_or(Path::new("")).join(target.split('#').next().unwrap_or_default());
            assert!(file.exists(), "{page} links to {target}");
        }
    }
}

/// The most words that a newcomer, and a user who looks something up, has to get through. A page of a new command may raise
/// the second by 1,200.
const WORDS_TO_READ: (usize, usize) = (1_200, 16_200);

#[test]
fn what_users_read_is_short() {
    let words = |page: &String| text(page).split_whitespace().count();
    let readme = words(&"README.md".to_owned());
    let docs: usize = pages_in("docs").map(|page| words(&page)).sum();
    assert!(readme <= WORDS_TO_READ.0 && docs <= WORDS_TO_READ.1, "README: {readme} words, docs: {docs} words");
}

/// The pages of a folder, by their paths in the repository.
fn pages_in(folder: &str) -> impl Iterator<Item = String> {
    let files =
        std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    files.filter(|name| Path::new(name).extension() == Some("md".as_ref())).map(move |name| format!("{folder}/{name}"))
}

/// Targets of Markdown links to files of the repository.
fn link_targets(page: &str) -> Vec<String> {
    let ends = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(target, _)| target.to_owned())
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .collect()
}
