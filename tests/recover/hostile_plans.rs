//! Names from anywhere never change what a step does: plans are made from hostile words, and their lines are run by a real
//! shell in a folder where whatever else ran would leave a mark.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests start a shell and make folders")]
#![expect(clippy::unwrap_used, reason = "a helper that cannot do its work ends the test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::executor::Scene;
use failwise::host::recovery::{Asked, read};
use failwise::probe::Probe;
use failwise::recover::look::{Blind, MachineLooks};
use failwise::recover::result::RecoveryPlan;
use failwise::recover::{Failed, PlanPast, PlanQuestion, STRATEGIES, Tools, Went, plan, score};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

fn planned(payload: &Value, looks: &dyn MachineLooks, past: &PlanPast) -> Option<RecoveryPlan> {
    let Ok(Asked::Calls(calls)) = read(payload.to_string().as_bytes()) else { return None };
    let asked = calls.first()?;
    let failed = Failed::asked(asked)?;
    let tools = Tools::of(&asked.tool, asked.tools.as_deref(), asked.is_contract);
    let now = "2026-03-01T09:00:00.000Z";
    Some(plan(&PlanQuestion { failed: &failed, tools: &tools, looks, past, now, limit: STRATEGIES.len() }))
}

/// Every line that a plan would run.
fn lines(plan: &RecoveryPlan) -> impl Iterator<Item = &str> {
    let all = plan.primary_strategy.iter().chain(&plan.fallback_strategies);
    let steps = all.flat_map(|strategy| &strategy.steps);
    steps.filter_map(|step| ["command", "script"].iter().find_map(|key| step.args.get(*key)?.as_str()))
}

/// What leaves a mark when it is run, around any name.
fn hostile() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "$(touch pwned)",
        "`touch pwned`",
        "; touch pwned;",
        "\ntouch pwned\n",
        "' ; touch pwned ; '",
        "\" ; touch pwned ; \"",
        "-rf",
        "--help",
        "a b",
        "é",
        "| touch pwned",
        "&& touch pwned",
        "\\",
        "$HOME",
        "*",
        "~",
        "\u{fffd}",
        "{a,b}",
        "!",
        "x",
        "<(touch pwned)",
        "\t",
        "#",
        "main.rs",
        "/",
    ]);
    (prop::collection::vec(parts, 1..5), any::<bool>()).prop_map(|(parts, is_long)| {
        let name = parts.concat();
        if is_long { format!("{name}{}", "y".repeat(10_000)) } else { name }
    })
}

/// The word as an agent that quotes well writes it.
fn single(word: &str) -> String {
    format!("'{}'", word.replace('\0', "").replace('\'', r"'\''"))
}

fn bash(name: &str, line: &str, error: &str, folder: &Path) -> Value {
    json!({ "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": folder, "tool_name": name, "tool_input": { "command": line }, "error": error })
}

/// Payloads that hold the word in a command, a file, a branch, an address, a script or an output.
fn payloads(word: &str, folder: &Path) -> Vec<Value> {
    let quoted = single(word);
    vec![
        bash("Bash", &format!("cat {quoted}"), &format!("Exit code 1\ncat: {word}: No such file or directory"), folder),
        bash(
            "Bash",
            &format!("echo x > {quoted}"),
            &format!("Exit code 1\nbash: {word}: No such file or directory"),
            folder,
        ),
        bash("Bash", &format!("{quoted} --now"), &format!("Exit code 127\nbash: {word}: command not found"), folder),
        bash(
            "Bash",
            &format!("git checkout {quoted}"),
            &format!("Exit code 1\nerror: pathspec '{word}' did not match any file(s) known to git"),
            folder,
        ),
        bash("Bash", &format!("git clone {quoted}"), "Exit code 127\nbash: git: command not found", folder),
        bash(
            "Bash",
            &format!("git clone 'https://github.com/a/{}'", word.replace('\'', "")),
            "Exit code 127\nbash: git: command not found",
            folder,
        ),
        bash(
            "Bash",
            &format!("npm run {quoted}"),
            &format!("Exit code 1\nnpm error Missing script: \"{word}\""),
            folder,
        ),
        bash("Bash", &format!("grep {quoted} a.txt"), "Exit code 2\ngrep: Unmatched ( or \\(", folder),
        bash(
            "Bash",
            &format!("cargo build {quoted}"),
            &format!(
                "Exit code 1\nerror: unexpected argument '{word}' found\n\n  tip: a similar argument exists: '{word}x'"
            ),
            folder,
        ),
        bash(
            "Bash",
            "git push",
            &format!("Exit code 128\nfatal: no upstream\n\n    git push --set-upstream origin {word}\n"),
            folder,
        ),
        bash("Bash", "python3 app.py", &format!("Exit code 1\nModuleNotFoundError: No module named '{word}'"), folder),
        bash("Bash", "make", &format!("Exit code 2\nmake: *** No rule to make target '{word}'.  Stop."), folder),
        bash("Bash", "git merge topic", &format!("Exit code 1\nCONFLICT (content): Merge conflict in {word}"), folder),
        bash(
            "Bash",
            "cargo test",
            &format!(
                "Exit code 101\ntest {word} ... FAILED\n\nfailures:\n    {word}\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out"
            ),
            folder,
        ),
        json!({ "toolCall": { "function": { "name": "read_file", "arguments": { "file": word } } }, "error": { "message": "No such file", "code": "ENOENT" }, "availableTools": ["run_bash"] }),
        json!({ "toolCall": { "function": { "name": "code_search", "arguments": { "query": word, "path": word } } }, "error": { "message": "Unknown tool: code_search" }, "availableTools": ["run_bash"] }),
    ]
}

/// Runs a line where no program that changes anything is on PATH but those that leave the mark.
fn run(line: &str, folder: &Path) {
    let bin = folder.join(".bin");
    let output = Command::new("/usr/bin/timeout")
        .args(["--kill-after=1", "2", "/bin/bash", "-c", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", &bin)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output();
    assert!(output.is_ok());
}

/// A folder with programs that do nothing, and `touch`, which leaves its mark.
fn trap() -> TempDir {
    let folder = TempDir::new().unwrap();
    let bin = folder.path().join(".bin");
    fs::create_dir(&bin).unwrap();
    for name in [
        "git", "npm", "cargo", "make", "python3", "grep", "curl", "tar", "ls", "find", "cat", "sed", "head", "mkdir",
        "sleep", "go", "sort", "tr", "id", "true",
    ] {
        let path = bin.join(name);
        fs::write(&path, "#!/bin/sh\n:\n").unwrap();
        let mut rights = fs::metadata(&path).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o755);
        fs::set_permissions(&path, rights).unwrap();
    }
    std::os::unix::fs::symlink("/usr/bin/touch", bin.join("touch")).unwrap();
    folder
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_name_becomes_a_command(word in hostile()) {
        let folder = trap();
        let path = folder.path();
        let name: String = word.chars().filter(|c| *c != '/' && *c != '\0').take(40).collect();
        // Names that are close to the word, for plans that look.
        let _ = fs::write(path.join(format!("{name}z")), "x");
        fs::write(path.join("package.json"), json!({ "scripts": { format!("{word}z"): "true" } }).to_string()).unwrap();
        fs::write(path.join("Makefile"), format!("all:\n\ttrue\n{}z:\n\ttrue\n", word.replace(['\n', ':'], ""))).unwrap();
        for payload in payloads(&word, path) {
            let probe = Probe::new(path.to_owned(), path.to_owned(), None);
            for plan in [planned(&payload, &Blind, &PlanPast::default()), planned(&payload, &probe, &PlanPast::default())].into_iter().flatten() {
                for line in lines(&plan) {
                    run(line, path);
                    prop_assert!(!path.join("pwned").exists(), "{line:?}\nof {payload}");
                }
            }
        }
    }

    #[test]
    fn what_is_known_of_strategies_never_leaves_its_bounds(
        counts in prop::collection::btree_map(prop::sample::select(STRATEGIES.iter().map(|s| s.name.to_owned()).collect::<Vec<_>>()), (0_u32..20, 0_u32..20), 0..40),
        failed in prop::collection::vec(prop::sample::select(STRATEGIES.iter().map(|s| s.name.to_owned()).collect::<Vec<_>>()), 0..6),
        at in 0_usize..16,
    ) {
        let counts: std::collections::BTreeMap<String, Went> = counts.into_iter().map(|(name, (tried, worked))| (name, Went { tried, worked })).collect();
        let past = PlanPast { failed: failed.clone(), on_signature: counts.clone(), on_category: counts, ..PlanPast::default() };
        let folder = Path::new("/nowhere");
        let payload = &payloads("src/mian.rs", folder)[at];
        let Some(plan) = planned(payload, &Blind, &past) else { return Ok(()) };
        let plain = planned(payload, &Blind, &PlanPast::default()).unwrap();
        prop_assert_eq!(&plan.error_classification.severity, &plain.error_classification.severity);
        let told: Vec<_> = plan.primary_strategy.iter().chain(&plan.fallback_strategies).collect();
        let acting = |name: &str| STRATEGIES.iter().any(|s| s.name == name && !s.asks);
        for strategy in &told {
            prop_assert!(strategy.confidence > 0.0 && strategy.confidence <= 1.0);
            prop_assert!(strategy.score <= 2.5);
            prop_assert!(!failed.contains(&strategy.name), "it was tried");
            if failed.iter().filter(|name| acting(name)).count() >= 2 {
                prop_assert!(!acting(&strategy.name), "only a person is asked after two attempts");
            }
        }
        // What failed twice and never worked is not first while anything else is left.
        if let [first, _, ..] = told.as_slice() {
            let went = past.on_signature.get(&first.name).copied().unwrap_or_default();
            let others_stand = told.iter().skip(1).any(|other| past.on_signature.get(&other.name).is_none_or(|went| went.tried < 2 || went.worked > 0));
            prop_assert!(!(went.tried >= 2 && went.worked == 0 && others_stand), "{}", first.name);
        }
    }
}

#[test]
fn the_trap_shows_what_runs() {
    let folder = trap();
    run("cat $(touch pwned)", folder.path());
    assert!(folder.path().join("pwned").exists());
}

#[test]
fn what_failed_twice_is_not_first_and_what_worked_three_times_is() {
    let payload = bash("Bash", "python -V", "Exit code 127\nbash: python: command not found", Path::new("/nowhere"));
    let first = |past: &PlanPast| planned(&payload, &Blind, past).unwrap().primary_strategy.unwrap();
    assert_eq!(first(&PlanPast::default()).name, "try_alternative_command");
    let went = |name: &str, tried, worked| PlanPast {
        on_signature: [(name.to_owned(), Went { tried, worked })].into(),
        ..PlanPast::default()
    };
    assert_eq!(first(&went("try_alternative_command", 2, 0)).name, "ask_user_for_setup");
    assert_eq!(first(&went("ask_user_for_setup", 3, 3)).name, "ask_user_for_setup");
    let worked = first(&went("try_alternative_command", 3, 3));
    assert!((worked.confidence - 0.96).abs() < 1e-9, "0.6 x 2 x 4 / 5");
    // Only on this signature: a category alone moves the confidence.
    let elsewhere = PlanPast {
        on_category: [("try_alternative_command".to_owned(), Went { tried: 2, worked: 0 })].into(),
        ..PlanPast::default()
    };
    assert!((first(&elsewhere).confidence - 0.3).abs() < 1e-9);
}

#[test]
fn scores_are_those_of_the_document() {
    for (confidence, iterations, tools, wanted) in [
        (0.9, 3, true, 1.2990),
        (0.6, 2, true, 1.0607),
        (0.8, 1, false, 0.4800),
        (0.7, 1, true, 1.7500),
        (0.6, 3, true, 0.8660),
        (0.9, 2, true, 1.5910),
        (0.8, 2, true, 2.0_f64.sqrt()),
        (0.7, 2, true, 1.2374),
        (1.0, 1, true, 2.5),
        (0.8, 1, true, 2.0),
        (0.4, 2, true, 2.0_f64.sqrt() / 2.0),
        (0.9, 1, false, 0.54),
    ] {
        assert!((score(confidence, iterations, tools) - wanted).abs() < 5e-5, "{confidence} {iterations} {tools}");
    }
}

// --- names that nobody gave ---

/// Failed calls with one file beside them, and the word that would be the near one: no step may run it.
const GUESSES: &[(&str, &str, &str, &str)] = &[
    (
        "prod.cfg",
        "sed -i 's/a/b/' prd.cfg",
        "Exit code 2\nsed: can't read prd.cfg: No such file or directory",
        "prod.cfg",
    ),
    ("new.cfg", "cp nw.cfg prod.cfg", "Exit code 1\ncp: cannot stat 'nw.cfg': No such file or directory", "new.cfg"),
    ("src/a", "mv srcc/a dst/", "Exit code 1\nmv: cannot stat 'srcc/a': No such file or directory", "src/a"),
    ("build/x", "rm -r buildd", "Exit code 1\nrm: cannot remove 'buildd': No such file or directory", "build"),
    (".env", "cat .evn", "Exit code 1\ncat: .evn: No such file or directory", ".env"),
    (
        "items.csv",
        "python3 -c \"import os; os.remove('item.csv')\"",
        "Exit code 1\nFileNotFoundError: [Errno 2] No such file or directory: 'item.csv'",
        "items.csv",
    ),
    ("deploy.sh", "bash deply.sh", "Exit code 127\nbash: deply.sh: No such file or directory", "deploy.sh"),
    ("a", "git push --forc", "Exit code 129\nerror: unknown option `forc'", "--force"),
    (
        "a",
        "git psuh",
        "Exit code 1\ngit: 'psuh' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tpush",
        "push",
    ),
    ("a", "pip install verbos", "Exit code 1\nERROR: No matching distribution found for verbos", "verbose"),
    (
        "a",
        "git clone https://h.example/x.git",
        "Exit code 128\nfatal: unable to access 'https://h.example/x.git/': server certificate verification failed.",
        "http://h.example/x.git",
    ),
    ("a", "git merge statu", "Exit code 1\nmerge: statu - not something we can merge", "status"),
];

#[test]
fn no_step_runs_a_name_that_nobody_gave_where_it_changes_something() {
    for (file, line, error, guess) in GUESSES {
        let scene = Scene::new();
        let path = scene.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a\n").unwrap();
        let plan = scene.recover(&bash("Bash", line, error, &scene.folder()));
        let all = plan["fallbackStrategies"].as_array().into_iter().flatten().chain([&plan["primaryStrategy"]]);
        let steps = all.flat_map(|strategy| strategy["steps"].as_array().into_iter().flatten());
        for command in steps.filter_map(|step| step["args"]["command"].as_str()) {
            let is_word = command.split([' ', '\'', '"', '(', ')']).any(|word| word == *guess);
            assert!(!is_word || command.starts_with("ls ") || command.contains("--help"), "{line}: {command}");
        }
    }
}
