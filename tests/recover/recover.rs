//! `failwise recover` from the executable: the inherited document's examples and scenarios, what its code did otherwise,
//! inputs, formats and exit codes.

#![expect(clippy::disallowed_methods, reason = "tests start the executable and make folders")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }
}

fn recover_in(folder: &Path, input: &[u8], args: &[&str]) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .arg("recover")
        .args(args)
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env_remove("CLAUDE_PROJECT_DIR")
        .env_remove("FAILWISE_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn recover(input: &Value, args: &[&str]) -> Answer {
    let folder = TempDir::new().unwrap();
    recover_in(folder.path(), input.to_string().as_bytes(), args)
}

#[expect(clippy::needless_pass_by_value, reason = "the calls read better with what they make")]
fn call(tool: &str, arguments: Value, error: Value, tools: &[&str]) -> Value {
    let mut asked = json!({ "toolCall": { "function": { "name": tool, "arguments": arguments } }, "error": error });
    if !tools.is_empty() {
        asked["availableTools"] = json!(tools);
    }
    asked
}

const ALL: &[&str] = &["run_bash", "read_dir", "read_file", "write_file"];

fn clone(tools: &[&str]) -> Value {
    let line = "git clone https://github.com/gatewaybuddy/forgekeeper";
    call(
        "run_bash",
        json!({ "script": line }),
        json!({ "message": "bash error (exit 127): git: command not found", "code": 127, "stderr": "bash: git: command not found", "command": line }),
        tools,
    )
}

fn denied() -> Value {
    call(
        "write_file",
        json!({ "file": "/etc/config.txt", "content": "test configuration" }),
        json!({ "message": "permission denied", "code": "EACCES" }),
        &["write_file", "read_dir", "read_file"],
    )
}

fn timed_out() -> Value {
    call(
        "run_bash",
        json!({ "script": "find . -name \"*.js\"", "timeout_ms": 10000 }),
        json!({ "message": "timeout", "code": "ETIMEDOUT" }),
        &["run_bash"],
    )
}

fn missing_file() -> Value {
    call(
        "read_file",
        json!({ "file": "config.yaml" }),
        json!({ "message": "No such file", "code": "ENOENT" }),
        &["read_file", "read_dir", "run_bash"],
    )
}

/// Name, confidence and iterations of a strategy.
fn head(strategy: &Value) -> Value {
    json!([strategy["name"], strategy["confidence"], strategy["estimatedIterations"]])
}

fn near(score: &Value, wanted: f64) -> bool {
    (score.as_f64().unwrap() - wanted).abs() < 0.005
}

fn calls(strategy: &Value) -> Vec<Value> {
    strategy["steps"].as_array().unwrap().iter().map(|step| json!([step["tool"], step["args"]])).collect()
}

#[test]
fn the_first_example_clones_without_git() {
    let answer = recover(&clone(ALL), &[]);
    assert_eq!(answer.code, 0);
    let plan = answer.json();
    assert_eq!(plan["rootCause"]["category"], "command_not_found");
    assert_eq!(plan["rootCause"]["confidence"], 0.95);
    assert_eq!(
        plan["errorClassification"],
        json!({ "type": "command_not_found", "severity": "recoverable", "canRecover": true })
    );
    let primary = &plan["primaryStrategy"];
    assert_eq!(head(primary), json!(["curl_download_and_extract", 0.9, 3]));
    assert!(near(&primary["score"], 1.30), "{primary}");
    assert_eq!(primary["description"], "Download repository tarball via curl and extract with tar");
    assert_eq!(
        calls(primary),
        [
            json!(["run_bash", { "script": "curl -L https://github.com/gatewaybuddy/forgekeeper/archive/refs/heads/main.tar.gz -o forgekeeper.tar.gz" }]),
            json!(["run_bash", { "script": "tar -xzf forgekeeper.tar.gz" }]),
            json!(["read_dir", { "dir": "./forgekeeper-main" }]),
        ]
    );
    let steps = primary["steps"].as_array().unwrap();
    assert_eq!(steps[0]["action"], "Download repository tarball from GitHub");
    assert_eq!(steps[0]["expectedOutcome"], "forgekeeper.tar.gz file created");
    let names: Vec<Value> = plan["fallbackStrategies"].as_array().unwrap().iter().map(head).collect();
    assert_eq!(names, [json!(["try_alternative_command", 0.6, 2]), json!(["ask_user_for_setup", 0.8, 1])]);
    assert!(near(&plan["fallbackStrategies"][1]["score"], 0.48));
    assert_eq!(plan["maxRecoveryAttempts"], 2);
    for (why, words) in
        [("why1", "exit code 127"), ("why2", "git: command not found"), ("why4", "`git`"), ("why5", "command -v git")]
    {
        assert!(plan["whyChain"][why].as_str().unwrap().contains(words), "{}", plan["whyChain"]);
    }
}

#[test]
fn the_second_example_writes_into_the_sandbox() {
    let plan = recover(&denied(), &[]).json();
    assert_eq!(
        (&plan["rootCause"]["category"], &plan["rootCause"]["confidence"]),
        (&json!("permission_denied"), &json!(0.9))
    );
    let primary = &plan["primaryStrategy"];
    assert_eq!(head(primary), json!(["try_sandbox_directory", 0.9, 2]));
    assert!(near(&primary["score"], 1.59));
    assert_eq!(
        calls(primary),
        [
            json!(["read_dir", { "dir": ".forgekeeper/sandbox" }]),
            json!(["write_file", { "file": ".forgekeeper/sandbox/config.txt", "content": "test configuration" }]),
        ]
    );
    let asks = plan["fallbackStrategies"]
        .as_array()
        .unwrap()
        .iter()
        .find(|other| other["name"] == "ask_user_for_permissions")
        .unwrap();
    assert!(near(&asks["score"], 0.48));
}

#[test]
fn the_third_example_lists_and_with_a_look_reads_the_file_that_is_meant() {
    let plan = recover(&missing_file(), &[]).json();
    assert_eq!(head(&plan["primaryStrategy"]), json!(["verify_path_with_listing", 0.9, 2]));
    assert!(near(&plan["primaryStrategy"]["score"], 1.59));
    assert_eq!(calls(&plan["primaryStrategy"]), [json!(["read_dir", { "dir": "." }])]);
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("config")).unwrap();
    std::fs::write(folder.path().join("config/config.yaml"), "a: 1\n").unwrap();
    let plan = recover_in(folder.path(), missing_file().to_string().as_bytes(), &["--probe"]).json();
    let steps = calls(&plan["primaryStrategy"]);
    assert_eq!(steps, [json!(["read_dir", { "dir": "." }]), json!(["read_file", { "file": "config/config.yaml" }])]);
    assert_eq!(plan["primaryStrategy"]["steps"][1]["performs"], "operation");
}

#[test]
fn the_fourth_example_searches_less_and_has_more_time() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let plan = recover_in(folder.path(), timed_out().to_string().as_bytes(), &["--probe"]).json();
    let primary = &plan["primaryStrategy"];
    assert_eq!(head(primary), json!(["reduce_scope", 0.8, 2]));
    assert!(near(&primary["score"], 1.41));
    assert_eq!(
        calls(primary),
        [json!(["run_bash", { "script": "find ./src -name \"*.js\" -maxdepth 3", "timeout_ms": 20000 }])]
    );
    // Where nothing is looked at, no folder is made up.
    let plan = recover(&timed_out(), &[]).json();
    assert_eq!(
        calls(&plan["primaryStrategy"]),
        [json!(["run_bash", { "script": "find . -name \"*.js\" -maxdepth 3", "timeout_ms": 20000 }])]
    );
}

#[test]
fn the_fifth_example_lists_with_a_tool_that_exists() {
    let plan =
        recover(&call("repo_browser", json!({}), json!({ "message": "Unknown tool: repo_browser" }), ALL), &[]).json();
    let primary = &plan["primaryStrategy"];
    assert_eq!(head(primary), json!(["use_alternative_tool", 0.7, 1]));
    assert_eq!(primary["description"], "Try using: run_bash, read_dir, read_file");
    assert!(near(&primary["score"], 1.75));
    assert_eq!(calls(primary), [json!(["read_dir", { "dir": "." }])]);
    assert_eq!(plan["errorClassification"]["type"], "tool_not_found");
}

/// The ten scenarios of the document's own suite, by their names there.
#[test]
fn the_ten_scenarios_hold() {
    let plan = |input: &Value| recover(input, &[]).json();
    // git clone failure: curl fallback; complete git clone flow.
    let cloned = plan(&clone(ALL));
    let steps = calls(&cloned["primaryStrategy"]);
    assert_eq!(cloned["primaryStrategy"]["name"], "curl_download_and_extract");
    assert!(steps.len() >= 2 && steps.iter().any(|step| step[0] == "run_bash"));
    assert!(steps[0][1]["script"].as_str().unwrap().contains("gatewaybuddy/forgekeeper"));
    assert!(steps[0][1]["script"].as_str().unwrap().contains(".tar.gz"));
    assert!(steps[1][1]["script"].as_str().unwrap().starts_with("tar "));
    assert!(cloned["primaryStrategy"]["confidence"].as_f64().unwrap() >= 0.8);
    // permission denied: sandbox path; completes.
    let refused = plan(&denied());
    assert!(calls(&refused["primaryStrategy"]).iter().any(|step| step[0] == "read_dir"));
    // tool not found: alternative tools.
    let missing = plan(&call("repo_browser", json!({}), json!({ "message": "Unknown tool: repo_browser" }), ALL));
    let description = missing["primaryStrategy"]["description"].as_str().unwrap().to_owned();
    assert!(description.contains("read_dir") || description.contains("run_bash"));
    // timeout: reduce scope.
    assert_eq!(plan(&timed_out())["primaryStrategy"]["name"], "reduce_scope");
    // file not found: verify path.
    assert_eq!(plan(&missing_file())["primaryStrategy"]["name"], "verify_path_with_listing");
    // filters by available tools.
    let unable = plan(&clone(&["read_file", "write_file"]));
    assert_eq!(unable["primaryStrategy"]["name"], "ask_user_for_setup");
    assert_eq!(unable["errorClassification"]["canRecover"], false);
    // provides fallback strategies; every step has an expected outcome.
    let short = plan(&clone(&["run_bash", "read_dir"]));
    assert!(!short["fallbackStrategies"].as_array().unwrap().is_empty());
    let all = std::iter::once(&short["primaryStrategy"]).chain(short["fallbackStrategies"].as_array().unwrap());
    for step in all.flat_map(|strategy| strategy["steps"].as_array().unwrap()) {
        assert!(step["action"].as_str().is_some_and(|text| !text.is_empty()), "{step}");
        assert!(step["expectedOutcome"].as_str().is_some_and(|text| !text.is_empty()), "{step}");
        assert!(step["args"].is_object(), "{step}");
    }
}

/// Each place where the inherited code did otherwise than its document: the code's answer fails here.
#[test]
fn the_inherited_code_is_not_repeated() {
    let plan = |input: &Value| recover(input, &[]).json();
    let told = |plan: &Value| -> Vec<Value> {
        std::iter::once(&plan["primaryStrategy"])
            .chain(plan["fallbackStrategies"].as_array().unwrap())
            .cloned()
            .collect()
    };
    // It ranked a longer limit before a smaller scope, and did not raise the limit.
    let slow = told(&recover(&timed_out(), &["--limit", "9"]).json());
    assert_eq!(slow[0]["name"], "reduce_scope");
    let longer = slow.iter().find(|other| other["name"] == "increase_timeout").unwrap();
    assert_eq!((longer["confidence"].as_f64(), near(&longer["score"], 1.25)), (Some(0.5), true));
    assert_eq!(longer["steps"][0]["args"]["timeout_ms"], 20000);
    // It called the very tool that does not exist.
    let unknown = call("repo_browser", json!({}), json!({ "message": "Unknown tool: repo_browser" }), ALL);
    assert!(told(&plan(&unknown)).iter().flat_map(calls).all(|step| step[0] != "repo_browser"));
    // It gave steps to the first strategy only.
    assert!(told(&plan(&clone(ALL))).iter().all(|strategy| !strategy["steps"].as_array().unwrap().is_empty()));
    // It said that a full disk can be recovered from without anybody.
    let full = call(
        "write_file",
        json!({ "file": "a", "content": "b" }),
        json!({ "message": "no space left on device", "code": "ENOSPC" }),
        &["write_file"],
    );
    let full = plan(&full);
    assert_eq!(
        full["errorClassification"],
        json!({ "type": "disk_full", "severity": "user_action_required", "canRecover": false })
    );
    // It called arguments mended that were the same.
    let same = call("read_file", json!({ "limit": 1 }), json!({ "message": "Missing required parameter: file" }), ALL);
    assert!(told(&plan(&same)).iter().all(|strategy| strategy["name"] != "fix_parameter_types"));
    // It took the root for the folder of the process.
    let top =
        call("read_file", json!({ "file": "/x.toml" }), json!({ "message": "No such file", "code": "ENOENT" }), ALL);
    assert_eq!(calls(&plan(&top)["primaryStrategy"]), [json!(["read_dir", { "dir": "/" }])]);
    // It did not read arguments that came as text.
    let mut text = timed_out();
    text["toolCall"]["function"]["arguments"] = json!("{\"script\": \"find . -name x\", \"timeout_ms\": 1000}");
    assert_eq!(
        calls(&plan(&text)["primaryStrategy"]),
        [json!(["run_bash", { "script": "find . -name x -maxdepth 3", "timeout_ms": 2000 }])]
    );
    // It found the strategy for a clone only in `error.command`.
    let mut bare = clone(ALL);
    bare["error"].as_object_mut().unwrap().remove("command");
    assert_eq!(plan(&bare)["primaryStrategy"]["name"], "curl_download_and_extract");
    // It repeated a call that the person had refused.
    let refused = call(
        "run_bash",
        json!({ "script": "rm -rf build" }),
        json!({ "message": "rejected", "code": "APPROVAL_REJECTED" }),
        ALL,
    );
    let answer = recover(&refused, &[]);
    assert_eq!((answer.code, &answer.json()["hasRecoveryPlan"]), (3, &json!(false)));
    // It read a port for a rate limit and a decisive code for nothing.
    let port = call("run_bash", json!({ "script": "x" }), json!({ "message": "listening on 4290", "code": 1 }), ALL);
    assert_ne!(plan(&port)["rootCause"]["category"], "rate_limit");
    let refused = call("read_file", json!({ "file": "x" }), json!({ "message": "x", "code": "ECONNREFUSED" }), ALL);
    assert!(plan(&refused)["rootCause"]["confidence"].as_f64().unwrap() > 0.3);
    // A quote in an address reached the shell.
    let mut hostile = clone(ALL);
    let line = "git clone 'https://github.com/a/b\"; touch pwned'";
    hostile["toolCall"]["function"]["arguments"]["script"] = json!(line);
    assert!(told(&plan(&hostile)).iter().all(|strategy| strategy["name"] != "curl_download_and_extract"));
}

#[test]
fn what_was_tried_is_not_proposed_again_and_after_two_only_a_question_is_left() {
    let with = |tried: &[&str]| {
        let mut input = clone(ALL);
        input["tried"] = json!(tried);
        recover(&input, &[])
    };
    let once = with(&["curl_download_and_extract"]).json();
    assert_eq!(once["primaryStrategy"]["name"], "try_alternative_command");
    let twice = with(&["curl_download_and_extract", "try_alternative_command"]).json();
    assert_eq!(twice["primaryStrategy"]["name"], "ask_user_for_setup");
    assert_eq!(twice["errorClassification"]["canRecover"], false);
    let all = with(&["curl_download_and_extract", "try_alternative_command", "ask_user_for_setup"]);
    assert_eq!(all.code, 3);
    assert_eq!(all.json()["suggestUserAction"], true);
}

#[test]
fn inputs_and_exit_codes_are_as_promised() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let code = |input: &[u8], args: &[&str]| recover_in(here, input, args).code;
    assert_eq!(code(b"", &[]), 65);
    assert_eq!(code(b"no json", &[]), 65);
    assert_eq!(code(b"[]", &[]), 65);
    assert_eq!(code(b"{\"a\":1}", &[]), 65);
    assert_eq!(code(&vec![b' '; 1024 * 1024 + 1], &[]), 65);
    assert_eq!(code(b"{}", &["--limit", "0"]), 64);
    let nothing = recover_in(here, b"", &["--last"]);
    assert_eq!((nothing.code, nothing.json()["hasRecoveryPlan"].clone()), (0, json!(false)));
    assert_eq!(nothing.json()["schema_version"], 1);
    assert_eq!(nothing.json()["suggestUserAction"], true);
    // A hook payload keeps the client's names.
    let payload = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": here, "tool_name": "Read",
        "tool_input": { "file_path": here.join("a.txt") }, "error": "File does not exist.",
    });
    let plan = recover_in(here, payload.to_string().as_bytes(), &[]).json();
    assert_eq!(plan["primaryStrategy"]["steps"][0]["tool"], "Glob");
    let only = recover_in(here, payload.to_string().as_bytes(), &["--tools", "Bash"]).json();
    assert_eq!(only["primaryStrategy"]["steps"][0]["tool"], "Bash");
    // The failure event of scripts.
    let event = json!({ "tool": "Bash", "command": "kubectl get pods", "exit_code": 127, "stderr_tail": "bash: kubectl: command not found" });
    assert_eq!(
        recover_in(here, event.to_string().as_bytes(), &[]).json()["rootCause"]["category"],
        "command_not_found"
    );
    // What passed needs no plan.
    let passed = json!({ "tool": "Bash", "command": "true", "exit_code": 0 });
    assert_eq!(code(passed.to_string().as_bytes(), &[]), 3);
}

#[test]
fn the_text_is_the_contracts_and_the_event_has_every_field() {
    let text = recover(&clone(ALL), &["--format", "text"]).out;
    let places: Vec<usize> = [
        "Previous iteration failed",
        "Root Cause: ",
        "(confidence: 0.95)",
        "Why it happened:",
        "\n1. ",
        "\n5. ",
        "Recommended Recovery (Confidence: 0.9):",
        "Strategy: curl_download_and_extract",
        "Steps:",
        "  1. ",
        "  3. ",
        "Pattern to learn: ",
    ]
    .iter()
    .map(|words| text.find(words).unwrap_or_else(|| panic!("{words} is not in {text}")))
    .collect();
    assert!(places.is_sorted(), "{text}");
    let event = recover(&clone(ALL), &["--format", "event"]).json();
    for field in [
        "id",
        "ts",
        "actor",
        "act",
        "conv_id",
        "trace_id",
        "iter",
        "name",
        "status",
        "elapsed_ms",
        "type",
        "failed_tool",
        "root_cause_category",
        "confidence",
        "alternatives_count",
        "can_recover",
        "why_chain",
        "recovery_strategy",
    ] {
        assert!(event.get(field).is_some(), "{field}");
    }
    assert_eq!(event["alternatives_count"], 3);
    assert_eq!(event["why_chain"].as_object().unwrap().len(), 2);
    assert_eq!(event["recovery_strategy"], "curl_download_and_extract");
}

/// What real programs printed, and what is said of it.
#[test]
fn the_cause_is_what_was_printed() {
    let cause = |command: &str, exit: i32, error: &str| {
        let event = json!({
            "session_id": "s1", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "tool_input": { "command": command }, "error": format!("Exit code {exit}\n{error}"),
        });
        recover(&event, &[]).json()["rootCause"]["description"].as_str().unwrap_or_default().to_owned()
    };
    for (command, exit, error, wanted) in [
        (
            "curl -sS https://tides.example/",
            60,
            "curl: (60) SSL certificate problem: self-signed certificate",
            "The other side was reached, and its certificate is not trusted here",
        ),
        (
            "terraform apply",
            1,
            "Do you want to perform these actions?\n\n  Enter a value: ╷\n│ Error: error asking for approval: EOF",
            "It asks `Enter a value:`, and nobody answers",
        ),
        (
            "docker ps",
            1,
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
            "A service of the machine, such as its container daemon, is not reached: `unix:///var/run/docker.sock`",
        ),
        (
            "apt-get install -y tides",
            100,
            "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)",
            "Another process uses the resource: `/var/lib/dpkg/lock-frontend`",
        ),
        (
            "apt-get install -y tides",
            100,
            "Reading package lists...\nE: Unable to locate package tides",
            "No such package or version was found: `tides`",
        ),
        (
            "npm install",
            1,
            "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree",
            "No versions of the packages fit all that require them",
        ),
        (
            "ssh tides true",
            255,
            "Host key for tides has changed and you have requested strict checking.\nHost key verification failed.",
            "The host shows another key than the one that is kept for it",
        ),
        (
            "python3 -m http.server 8080",
            1,
            "OSError: [Errno 98] Address already in use",
            "Another process listens on port 8080",
        ),
        (
            "git pull",
            1,
            "error: Your local changes to the following files would be overwritten by merge:\n\ta.txt\nAborting",
            "Changes that are not committed would be lost",
        ),
        (
            "mkdir -p tides/new",
            1,
            "mkdir: cannot create directory ‘tides’: Not a directory",
            "What was to be a folder is a file: `tides`",
        ),
        (
            "openssl rsa -in a.pem -out b.pem",
            1,
            "Enter pass phrase for a.pem:\nCould not read private key from a.pem",
            "It asks `Enter pass phrase for a.pem:`, and nobody answers",
        ),
    ] {
        assert_eq!(cause(command, exit, error), wanted, "{command}");
    }
}
