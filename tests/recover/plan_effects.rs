//! No plan does what the failed call did not: nothing is deleted, published or written over by a step that nobody asked for,
//! also not by the script or target that it runs.

use std::collections::BTreeMap;

use failwise::host::recovery::read_call;
use failwise::recover::look::{FileKind, MachineLooks, Name};
use failwise::recover::pages::PAGES;
use failwise::recover::result::RecoveryPlan;
use failwise::recover::{Failed, PlanPast, PlanQuestion, Tools, plan};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Lines that change something for good or elsewhere, each with what gives it away.
const HARM: &[(&str, &str)] = &[
    ("rm -rf cache", "rm -rf cache"),
    ("$(RM) -r out", "$(RM) -r out"),
    ("@-rm -f state.db", "rm -f state.db"),
    ("git push --force", "git push --force"),
    ("cd dist && npm publish", "npm publish"),
    ("kubectl apply -f k8s/", "kubectl apply"),
    ("terraform apply -auto-approve", "terraform apply"),
    ("dropdb prod", "dropdb prod"),
    ("git clean -fdx", "git clean -fdx"),
    ("curl -X DELETE https://api.example.com/v1/all", "-X DELETE"),
    ("find . -name '*.log' -delete", "-delete"),
    ("sudo systemctl restart web", "sudo systemctl"),
];

/// Lines that look, build or test.
const WORK: &[&str] = &[
    "cargo build --release",
    "@echo done",
    "pytest -q",
    "mkdir -p out",
    "cp -r assets out/",
    "$(CC) -c main.c -o main.o",
    "node build.js",
    "sed -i s/a/b/ version.txt",
];

/// What is there: files with their texts.
#[derive(Default)]
struct Files(BTreeMap<String, String>);

impl Files {
    fn path(path: &str) -> &str {
        let path = path.strip_prefix("/srv/app").map_or(path, |rest| rest.trim_start_matches('/'));
        path.trim_start_matches("./").trim_end_matches('/')
    }
}

impl MachineLooks for Files {
    fn is_looking(&self) -> bool {
        true
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        let path = Self::path(path);
        let below = format!("{path}/");
        if matches!(path, "" | ".") || self.0.keys().any(|own| own.starts_with(&below)) {
            return Some(FileKind::Dir);
        }
        let text = self.0.get(path)?;
        let first = text.strip_prefix("#!").and_then(|text| text.lines().next());
        Some(first.map_or(FileKind::Text, |line| FileKind::Script(line.split(' ').map(str::to_owned).collect())))
    }

    fn names(&self, folder: &str) -> Vec<Name> {
        let folder = Self::path(folder);
        let below = if matches!(folder, "" | ".") { String::new() } else { format!("{folder}/") };
        let rest = self.0.keys().filter_map(|path| path.strip_prefix(&below));
        let name = |rest: &str| match rest.split_once('/') {
            Some((name, _)) => Name { name: name.to_owned(), is_dir: true },
            None => Name { name: rest.to_owned(), is_dir: false },
        };
        let mut names: Vec<Name> = rest.map(name).collect();
        names.dedup();
        names
    }

    fn text(&self, path: &str) -> Option<String> {
        self.0.get(Self::path(path)).cloned()
    }

    fn find(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let is_wanted = |path: &&String| wanted(path.rsplit('/').next().unwrap_or_default());
        self.0.keys().filter(is_wanted).cloned().collect()
    }
}

fn planned(files: &Files, payload: &Value) -> Option<RecoveryPlan> {
    let asked = read_call(payload.to_string().as_bytes()).ok()?;
    let failed = Failed::asked(&asked)?;
    let tools = Tools::of(&asked.tool, asked.tools.as_deref(), asked.is_contract);
    let past = PlanPast::default();
    let now = "2026-03-01T09:00:00.000Z";
    Some(plan(&PlanQuestion { failed: &failed, tools: &tools, looks: files, past: &past, now, limit: 99 }))
}

fn bash(command: &str, error: &str) -> Value {
    json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/app", "tool_name": "Bash",
        "tool_input": { "command": command }, "error": error,
    })
}

/// Every command line of a plan.
fn lines(plan: &RecoveryPlan) -> Vec<String> {
    let all = plan.primary_strategy.iter().chain(&plan.fallback_strategies);
    let steps = all.flat_map(|strategy| &strategy.steps);
    steps.filter_map(|step| step.args.get("command")?.as_str().map(str::to_owned)).collect()
}

/// A call that fails before it begins, the file that has what it asks for, and whether a line starts that.
struct Situation {
    payload: Value,
    files: Files,
    starts: fn(&str) -> bool,
}

/// `body` is what the script or target of the name `check` runs, in a file below the folder or of its own.
fn situation(kind: usize, body: &[String]) -> Situation {
    // Only make has marks and variables of its own.
    let plain = |line: &String| line.trim_start_matches(['@', '-']).replace("$(RM)", "rm").replace("$(CC)", "cc");
    let body: &[String] = &if kind < 3 { body.to_vec() } else { body.iter().map(plain).collect() };
    let indented = |lines: &[String], by: &str| lines.iter().flat_map(|line| [by, line, "\n"]).collect::<String>();
    let npm = "npm error code ENOENT\nnpm error path /srv/app/package.json\nnpm error enoent Could not read \
               package.json: Error: ENOENT: no such file or directory, open '/srv/app/package.json'";
    let make = "Exit code 2\nmake: *** No rule to make target 'check'.  Stop.";
    // Half of the work is what the target needs, or what it starts by name.
    let (needed, own) = body.split_at(body.len() / 2);
    let (command, error, path, text) = match kind {
        0 => ("make check", make.to_owned(), "svc/Makefile", format!("check:\n{}", indented(body, "\t"))),
        1 => (
            "make check",
            make.to_owned(),
            "svc/Makefile",
            format!("prep:\n{}\ncheck: prep\n{}", indented(needed, "\t"), indented(own, "\t")),
        ),
        2 => (
            "make check",
            make.to_owned(),
            "svc/Makefile",
            format!("check:\n\t$(MAKE) prep\n{}\nprep:\n{}", indented(own, "\t"), indented(needed, "\t")),
        ),
        3 => (
            "npm run check",
            format!("Exit code 254\n{npm}"),
            "svc/package.json",
            json!({ "scripts": { "check": own.join(" && "), "precheck": needed.join(" && ") } }).to_string(),
        ),
        _ => (
            "./check.sh",
            "Exit code 126\nbash: line 1: ./check.sh: Permission denied".to_owned(),
            "check.sh",
            format!("#!/bin/bash\n{}", indented(body, "")),
        ),
    };
    let files = Files([(path.to_owned(), text), ("docs/x.md".to_owned(), String::new())].into());
    let starts = if kind < 4 { |line: &str| line.contains("svc") } else { |line: &str| line.contains("bash ./check") };
    Situation { payload: bash(command, &error), files, starts }
}

fn work() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(select(WORK).prop_map(str::to_owned), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn what_changes_something_is_never_started(kind in 0..5usize, mut body in work(), harm in select(HARM), at in 0..5usize) {
        body.insert(at.min(body.len()), harm.0.to_owned());
        let Situation { payload, files, starts } = situation(kind, &body);
        let plan = planned(&files, &payload).unwrap();
        for line in lines(&plan) {
            prop_assert!(!starts(&line), "{line} runs {body:?}");
        }
        prop_assert!(plan.has_recovery_plan);
    }

    #[test]
    fn what_only_works_is_started(kind in 0..5usize, body in work()) {
        let Situation { payload, files, starts } = situation(kind, &body);
        let plan = planned(&files, &payload).unwrap();
        let first = plan.primary_strategy.as_ref().unwrap();
        let line = first.steps.last().and_then(|step| step.args.get("command")?.as_str()).unwrap_or_default();
        prop_assert!(starts(line), "{line}: {body:?} {first:?}");
    }

    #[test]
    fn no_other_file_is_written_over(
        folder in "[a-z]{3,8}", other in "[a-z]{3,8}", name in "[a-z]{3,8}\\.csv", arrow in select(&[">", ">>", "2>", ">|"][..]),
    ) {
        prop_assume!(folder != other);
        let command = format!("sort in.csv {arrow} {folder}/{name}");
        let error = format!("Exit code 1\nbash: line 1: {folder}/{name}: No such file or directory");
        let texts = [("in.csv", "a"), (&name, "only copy"), (&format!("{other}/{name}"), "only copy")];
        let files = Files(texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect());
        for line in lines(&planned(&files, &bash(&command, &error)).unwrap()) {
            let target = line.rsplit_once('>').map(|(_, target)| target.trim_start_matches('|').trim());
            prop_assert!(target.is_none_or(|target| target == format!("{folder}/{name}") || target == "/dev/null"), "{line}");
        }
    }

    #[test]
    fn no_folder_is_made_outside_the_project(
        root in select(&["/media", "/mnt", "/srv/app2", "/opt", "/home/dev/other", "~"][..]), disk in "[a-z]{3,8}",
    ) {
        let target = format!("{root}/{disk}/dump.sql");
        let error = format!("Exit code 1\ncp: cannot create regular file '{target}': No such file or directory");
        let files = Files([("dump.sql".to_owned(), "x".to_owned())].into());
        for line in lines(&planned(&files, &bash(&format!("cp dump.sql {target}"), &error)).unwrap()) {
            prop_assert!(!line.contains("mkdir"), "{line}");
        }
    }

    #[test]
    fn a_commit_takes_only_the_one_changed_file(
        names in prop::collection::btree_set("[a-z]{3,8}\\.(rs|py|md)", 1..5),
        special in prop::option::of(select(&["modified:   .env", "modified:   secrets.yml", "deleted:    src/a.rs"][..])),
    ) {
        let mut changes: Vec<String> = names.iter().map(|name| format!("modified:   {name}")).collect();
        if let Some(special) = special {
            changes.remove(0);
            changes.push(special.to_owned());
        }
        let error = format!(
            "Exit code 1\nOn branch main\nChanges not staged for commit:\n  (use \"git add <file>...\" to update what will \
             be committed)\n\t{}\n\nno changes added to commit (use \"git add\" and/or \"git commit -a\")",
            changes.join("\n\t"),
        );
        let files = Files(names.iter().map(|name| (name.clone(), String::new())).collect());
        let plan = planned(&files, &bash("git commit -m \"raise the limit\"", &error)).unwrap();
        let stages = |line: &String| line.contains("git add") || line.contains(" -a") && line.contains("git commit");
        let staging: Vec<String> = lines(&plan).into_iter().filter(stages).collect();
        if special.is_none() && names.len() == 1 {
            prop_assert_eq!(staging, vec![format!("git add -- {}", names.first().unwrap())]);
        } else {
            prop_assert!(staging.is_empty(), "{staging:?}");
        }
    }
}

/// What a line has in it that deletes, publishes or forces.
const GIVES_AWAY: &[&str] = &[
    "rm ",
    "rmdir ",
    "unlink",
    "shred",
    "truncate",
    "mkfs",
    "dropdb",
    "git push",
    "--force",
    " -delete",
    "publish",
    "reset --hard",
    "git clean",
    "checkout --",
    "kubectl apply",
    "kubectl delete",
    "terraform apply",
    "DROP ",
    "DELETE",
    "kill ",
    "sudo ",
    "chmod ",
    "chown ",
    "-X POST",
    "deploy",
    "--no-verify",
    "commit --all",
    "commit -a",
];

/// The calls of all pages: what they see is made of the files that they name.
#[test]
fn no_plan_of_a_page_does_what_its_call_did_not() {
    let mut seen = 0;
    for page in PAGES {
        for block in page.text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let case: Value = serde_json::from_str(block).unwrap();
            let given = || {
                json!({
                    "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/app",
                    "tool_name": case["tool"].as_str().unwrap_or("Bash"), "tool_input": case["input"], "error": case["error"],
                })
            };
            let payload = case.get("asks").cloned().unwrap_or_else(given);
            let texts = case["seen"]["files"].as_object().into_iter().flatten();
            let text = |text: &Value| text.as_str().unwrap_or_default().to_owned();
            let files = Files(texts.map(|(path, own)| (path.clone(), text(own))).collect());
            let Some(plan) = planned(&files, &payload) else { continue };
            let own = payload.to_string();
            for line in lines(&plan) {
                seen += 1;
                let new = GIVES_AWAY.iter().find(|part| line.contains(*part) && !own.contains(*part));
                assert_eq!(new, None, "{}: {line}\n{own}", page.name);
            }
        }
    }
    assert!(seen > 300, "{seen} lines");
}

/// What the planner of the hook would look at before it repeats a call, no plan repeats unlooked either.
#[test]
fn what_may_have_been_sent_is_not_sent_again() {
    let error = "Exit code 1\nError: Connection timed out; try again later";
    let repeats = |payload: &Value, own: &str| {
        let plan = planned(&Files::default(), payload).unwrap();
        let all = plan.primary_strategy.iter().chain(&plan.fallback_strategies);
        let mut steps = all.flat_map(|strategy| strategy.steps.iter().filter(|step| step.performs.is_some()));
        steps.any(|step| serde_json::to_string(&step.args).unwrap().contains(own))
    };
    for line in [
        "celery -A app call send_invoice",
        "screen -dmS job ./move.sh",
        "tmux new-session -d ./move.sh",
        "at now -f job.txt",
        "batch < job.txt",
        "systemd-run ./move.sh",
        "nohup ./move.sh",
        "rq enqueue app.work",
        "sidetool sync",
    ] {
        assert!(!repeats(&bash(line, error), line), "{line}");
    }
    for line in ["curl -s https://example.com/a.json", "git fetch", "./fetch-data.sh"] {
        assert!(repeats(&bash(line, error), line), "{line}");
    }
    let server = |tool: &str| {
        json!({
            "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/app", "tool_name": tool,
            "tool_input": { "amount": "10" }, "error": "Connection timed out",
        })
    };
    assert!(!repeats(&server("mcp__pay__create_charge"), "amount"));
    assert!(repeats(&server("mcp__pay__list_charges"), "amount"));
}
