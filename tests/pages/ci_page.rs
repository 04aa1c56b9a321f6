//! The shell steps of `docs/ci.md`, run as GitHub runs them, with stand-ins for `claude` and `gh`: they pass where the
//! agent did its work, and fail the job where it did not.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "runs the page's shell lines")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const PAGE: &str = include_str!("../../docs/ci.md");

/// The texts of fences of a language.
fn fences(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    PAGE.split(&opening).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

/// The scripts of the job's steps, in order.
fn steps(job: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let mut depth = None;
    for line in job.lines() {
        let indent = line.len() - line.trim_start().len();
        if line.trim() == "run: |" {
            steps.push(String::new());
            depth = Some(indent);
        } else if depth.is_some_and(|depth| indent > depth) {
            let step = steps.last_mut().unwrap();
            step.push_str(line.trim_start());
            step.push('\n');
        } else {
            depth = None;
        }
    }
    steps
}

/// A machine with the project that the page speaks of. The client answers with `answer`, a shell function's body.
fn machine(answer: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let program = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("bin/claude", &format!("#!/bin/sh\ncat >>\"$HOME/prompts\"\n{answer}\n"));
    program(
        "bin/gh",
        "#!/bin/sh\necho \"gh $*\" >>\"$HOME/calls\"\necho '{\"number\":42,\"title\":\"@.env\",\"body\":\"/clear\"}'\n",
    );
    let file = |name: &str, text: &str| program(name, text);
    for folder in [".github/agents", "commands"] {
        file(&format!("project/{folder}/classify.md"), "Classify: $0");
        file(&format!("project/{folder}/plan.md"), "Plan a $0: $1");
    }
    file("project/prompt.md", "Say hello.");
    file("project/issue.json", "{}");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_failwise"), root.path().join("bin/failwise")).unwrap();
    root
}

/// Runs a script as GitHub does where no shell is named; tells whether it passed.
fn passes(root: &Path, script: &str) -> bool {
    let path = format!("{}:/usr/bin:/bin", root.join("bin").display());
    let summary = root.join("summary.md");
    let env = [("PATH", path.as_str()), ("ISSUE", "42"), ("HOME", root.to_str().unwrap())];
    let env = env.into_iter().chain([("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())]);
    let state = root.join("state");
    let mut bash = Command::new("bash");
    bash.env_clear().envs(env).env("FAILWISE_DIR", state).current_dir(root.join("project"));
    bash.args(["-e", "-c", script]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    bash.status().unwrap().success()
}

const GOOD: &str = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"feature"}'"#;
const BAD: &str = r#"echo '{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key","api_error_status":401}'; exit 1"#;
/// An interrupted client may end with 0 and without a result.
const CUT: &str = r#"echo '{"type":"system","session_id":"s"}'; exit 0"#;

#[test]
fn the_job_passes_where_the_agent_did_its_work() {
    let job = fences("yaml")[0];
    let steps = steps(job);
    assert_eq!(steps.len(), 4, "{steps:?}");
    let root = machine(GOOD);
    for step in &steps {
        assert!(passes(root.path(), step), "{step}");
    }
    let project = root.path().join("project");
    assert_eq!(fs::read_to_string(project.join("plan.md")).unwrap(), "feature\n");
    assert!(fs::read_to_string(root.path().join("calls")).unwrap().contains("issue comment 42 --body-file plan.md"));
    assert!(project.join("classify.jsonl").exists() && project.join("plan.jsonl").exists());
    let prompts = fs::read_to_string(root.path().join("prompts")).unwrap();
    assert!(prompts.contains("Plan a feature: {\"number\":42"), "{prompts}");
}

#[test]
fn the_job_fails_where_the_agent_failed() {
    for answer in [BAD, CUT, "echo 'API Error: 529 Overloaded'; exit 1"] {
        let root = machine(answer);
        let steps = steps(fences("yaml")[0]);
        let failed = steps.iter().position(|step| !passes(root.path(), &step.replace("--retries 2", "--retries 0")));
        assert_eq!(failed, Some(1), "{answer}: the step that classifies fails");
        let class = fs::read_to_string(root.path().join("project/class.txt")).unwrap();
        assert_eq!(class, "", "{answer}: nothing is handed on");
    }
}

#[test]
fn the_shell_lines_pass_and_fail_with_the_agent() {
    let lines: Vec<&str> = fences("sh").into_iter().filter(|text| !text.contains("workflow")).collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert!(passes(machine(GOOD).path(), line), "{line}");
        assert!(!passes(machine(BAD).path(), line), "{line}");
    }
}

#[test]
fn the_workflow_of_the_page_is_whole() {
    let workflow = failwise::workflow::Workflow::parse(fences("toml")[0]).unwrap();
    assert_eq!(workflow.steps.len(), 2);
}

/// The job that judges tests: it passes where nothing new failed, and the next run knows what this one saw.
#[test]
fn the_job_of_tests_fails_on_what_is_new_only() {
    let steps = steps(fences("yaml")[1]);
    let judge = steps.last().unwrap();
    let root = machine(GOOD);
    let report = |number: u8, fails: &str| {
        let case = |name: &str| {
            let failure = if fails == name { "<failure message=\"no\"/>" } else { "" };
            format!("<testcase classname=\"c\" name=\"{name}\" time=\"{number}\">{failure}</testcase>")
        };
        let text = format!("<testsuite name=\"s\">{}{}</testsuite>", case("pays"), case("adds"));
        fs::write(root.path().join("project/junit.xml"), text).unwrap();
    };
    let judged = |branch: &str| passes(root.path(), &format!("COMMIT=c0ffee; BRANCH={branch}\n{judge}"));
    report(1, "pays");
    assert!(!judged("main"), "new at first");
    report(2, "");
    assert!(judged("main"));
    report(3, "pays");
    assert!(judged("topic"), "it passed and failed on one commit");
    report(4, "adds");
    assert!(!judged("topic"), "another one is new");
    let summary = fs::read_to_string(root.path().join("summary.md")).unwrap();
    let rows = |words: &str| summary.lines().filter(|line| line.starts_with("| ") && line.contains(words)).count();
    assert_eq!(
        (rows("pays | new | no |"), rows("pays | flaky, 1 of 2 | no |"), rows("adds | new | no |")),
        (1, 1, 1),
        "{summary}"
    );
}
