//! `failwise run` and `failwise workflow` with a stand-in for the client: exit codes, retries, limits, what is left
//! running, the state of a run. What the real client does is in `real_client/steps.py`.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and reads what it leaves")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A person's machine: a project, a history, and a client that does what a script says.
struct Desk {
    root: tempfile::TempDir,
}

impl Desk {
    /// The script gets the prompt in `$PROMPT`, the number of its start in `$N`, and functions for the lines of a stream.
    fn new(script: &str) -> Self {
        Self::bare(&format!("begin\n{script}"))
    }

    /// The same of a client whose stream has not begun.
    fn bare(script: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let desk = Self { root };
        fs::create_dir_all(desk.path("project/.git")).unwrap();
        let head = r#"#!/bin/bash
N=$(($(cat "$DESK/starts" 2>/dev/null || echo 0) + 1)); echo $N >"$DESK/starts"
PROMPT=$(cat); printf '%s' "$PROMPT" >"$DESK/prompt.$N"; echo "$*" >>"$DESK/argv"
printf '%s\n' "${CLAUDE_CODE_MAX_RETRIES-none} $FAILWISE_RUN" >>"$DESK/env"
ID=0000000$N-1111-2222-3333-444444444444
begin() { echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$ID\"}"; }
tool() { echo '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"Bash","input":{"command":"make"}}]}}'; }
good() { echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$1\",\"total_cost_usd\":0.4}"; }
bad() { echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"$1\",\"terminal_reason\":\"api_error\",\"api_error_status\":$2}"; exit 1; }
"#;
        let client = desk.path("claude");
        fs::write(&client, format!("{head}{script}\n")).unwrap();
        fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path("project").join(name), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.env_clear().envs([("PATH", "/usr/local/bin:/usr/bin:/bin")]);
        command.env("HOME", self.root.path()).env("DESK", self.root.path()).env("FAILWISE_DIR", self.path("state"));
        command.env("CLAUDE_BIN", self.path("claude")).current_dir(self.path("project")).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn failwise(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a prompt; gives stdout, stderr and the exit code.
    fn run(&self, args: &[&str]) -> (String, String, i32) {
        self.write("c.md", "Do $0.");
        told(&self.failwise(&[&["run", "c.md", "it"], args].concat()))
    }

    fn starts(&self) -> u32 {
        self.read("starts").trim().parse().unwrap()
    }

    fn events(&self) -> Vec<Value> {
        self.read("state/history.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn runs(&self) -> Value {
        let listed = self.failwise(&["workflow", "list", "--format", "json"]);
        serde_json::from_slice(&listed.stdout).unwrap()
    }

    fn states(&self) -> Vec<Value> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.path("state/workflows"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .collect();
        files.sort();
        files.iter().map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
    }
}

fn told(output: &Output) -> (String, String, i32) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap_or(-1))
}

fn wait_for(what: impl Fn() -> bool) -> bool {
    let since = Instant::now();
    while since.elapsed() < Duration::from_secs(15) {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn is_alive(pid_file: &Path) -> bool {
    let pid = fs::read_to_string(pid_file).unwrap_or_default();
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !pid.trim().is_empty() && stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[test]
fn a_step_prints_its_clean_text_and_leaves_one_event() {
    let desk = Desk::new("good done");
    assert_eq!(desk.run(&["--", "--model", "m-1"]), ("done\n".to_owned(), String::new(), 0));
    assert_eq!(desk.read("prompt.1"), "Do it.");
    assert_eq!(desk.read("argv").trim(), "-p --output-format stream-json --verbose --model m-1");
    let env = desk.read("env");
    let (retries, run) = env.trim().split_once(' ').unwrap();
    assert_eq!((retries, run.len()), ("2", 16));
    let events = desk.events();
    assert_eq!((events.len(), &events[0]["event"]), (1, &json!("step_ended")));
    assert_eq!((&events[0]["step"]["run"], &events[0]["step"]["name"]), (&json!(run), &json!("c")));
    assert_eq!((&events[0]["step"]["has_result"], &events[0]["step"]["cost_usd"]), (&json!(true), &json!(0.4)));
    let stats = desk.failwise(&["stats", "--format", "json"]);
    let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
    let today = &stats["today"];
    assert_eq!((&today["steps"], &today["results"], &today["failures"]), (&json!(1), &json!(1), &json!(0)));
}

#[test]
fn a_persons_own_number_of_retries_stays() {
    let desk = Desk::new("good done");
    desk.write("c.md", "x");
    desk.command(&["run", "c.md"]).env("CLAUDE_CODE_MAX_RETRIES", "7").output().unwrap();
    assert!(desk.read("env").starts_with("7 "));
}

#[test]
fn how_a_client_ends_is_the_exit_code() {
    for (script, args, code, word) in [
        ("good ''", &[][..], 0, ""),
        ("bad 'Invalid API key' 401", &[], 1, "[F2 auth_required]"),
        ("bad 'Credit balance is too low' 402", &[], 1, "[F2 resource_exhausted]"),
        ("bad 'API Error: 529 Overloaded' 529", &["--retries", "0"], 75, "[F1 service_error]"),
        ("echo '{\"type\":\"result\",\"result\":null}'", &[], 4, "no text"),
        ("exit 0", &["--retries", "0"], 4, "cut off"),
        ("good x; exit 3", &["--retries", "0"], 1, "exit code 3"),
        ("sleep 600", &["--idle-timeout", "1s"], 75, "said nothing for 1 s"),
        ("sleep 600", &["--timeout", "1"], 75, "the time for this run is up"),
        (
            "good x; echo '{\"type\":\"result\",\"subtype\":\"error_max_budget_usd\",\"is_error\":true,\"errors\":[\"over\"],\"total_cost_usd\":1}'; exit 1",
            &["--max-cost-usd", "0.5"],
            75,
            "--max-cost-usd",
        ),
    ] {
        let desk = Desk::new(script);
        let (stdout, stderr, exit) = desk.run(args);
        assert_eq!(exit, code, "{script}: {stderr}");
        assert_eq!(stdout, if code == 0 { "\n" } else { "" }, "{script}");
        assert!(stderr.contains(word), "{script}: {stderr}");
        let (json, ..) = desk.run(&[args, &["--format", "json"]].concat());
        let execution: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(execution["success"], json!(code == 0 || word == "no text"), "{script}: {execution}");
    }
}

/// How a client ended that gave no result: the script, whether its stream began, the exit code, what the first line of stderr
/// says, and how often it was started.
const MATRIX: &[(&str, bool, i32, &str, u32)] = &[
    (
        "echo \"error: unknown option '--nope-flag'\" >&2; exit 1",
        false,
        1,
        "the client ended with exit code 1 without a stream: error: unknown option '--nope-flag'",
        1,
    ),
    (
        "printf 'Error: Invalid MCP configuration:\\nMCP config file not found: /srv/absent.json\\n' >&2; exit 1",
        false,
        1,
        "Error: Invalid MCP configuration:; MCP config file not found: /srv/absent.json",
        1,
    ),
    (
        "echo 'Error processing settings: Unexpected token } in JSON' >&2; exit 1",
        false,
        1,
        "Error processing settings",
        1,
    ),
    (
        "echo \"error: option '--permission-mode <mode>' argument 'bogus' is invalid. Allowed choices are plan.\" >&2; exit 1",
        false,
        1,
        "argument 'bogus' is invalid",
        1,
    ),
    ("echo \"error: option '--model <model>' argument missing\" >&2; exit 1", false, 1, "argument missing", 1),
    (
        "echo 'orders: a new word for an old fault' >&2; exit 7",
        false,
        1,
        "exit code 7 without a stream: orders: a new",
        1,
    ),
    ("bad 'Credit balance is too low' null", true, 1, "Credit balance is too low", 1),
    ("bad 'Credit balance is too low' 400", true, 1, "Credit balance is too low", 1),
    ("bad 'Invalid API key · Please run /login' null", true, 1, "Please run /login", 1),
    ("kill -SEGV $$", false, 1, "the client was ended by SIGSEGV without a stream", 1),
    ("kill -SEGV $$", true, 1, "the client was ended by SIGSEGV without a result", 1),
    ("kill -KILL $$", false, 1, "try 2 of 4", 2),
    ("kill -KILL $$", true, 1, "the client was ended by SIGKILL without a result; try 2 of 4", 2),
    ("good done; kill -KILL $$", true, 0, "", 1),
    (
        "echo 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory' >&2; kill -ABRT $$",
        true,
        1,
        "ended by SIGABRT without a result: FATAL ERROR: Reached heap limit",
        1,
    ),
    ("(ulimit -v 200000; python3 -c 'x = bytearray(1 << 30)') || exit $?", false, 1, "MemoryError", 1),
    (
        "echo '{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"num_turns\":0,\"errors\":[\"--resume requires a valid session ID\"]}'; exit 1",
        false,
        1,
        "the run failed: --resume requires a valid session ID",
        1,
    ),
    ("echo 'usage: claude [options]'; exit 2", false, 1, "exit code 2 without a stream: usage: claude [options]", 1),
    ("echo 'plain words'", false, 0, "", 1),
    ("true", false, 1, "the client ended with exit code 0 without a stream", 1),
];

#[test]
fn a_client_that_cannot_start_says_why_and_is_not_started_again() {
    for (script, begins, code, word, starts) in MATRIX {
        let desk = if *begins { Desk::new(script) } else { Desk::bare(script) };
        let (stdout, stderr, exit) = desk.run(&[]);
        assert_eq!((exit, desk.starts()), (*code, *starts), "{script}: {stderr}");
        assert!(stderr.lines().next().unwrap_or_default().contains(word), "{script}: {stderr}");
        assert_eq!(stdout.is_empty(), *code != 0, "{script}: {stdout}");
    }
    // What may pass is tried again, and only then is it 75.
    let desk = Desk::bare("echo 'API Error: Unable to connect to API (ECONNREFUSED)' >&2; exit 1");
    let (_, stderr, exit) = desk.run(&["--retries", "0"]);
    assert_eq!(exit, 75, "{stderr}");
    let desk = Desk::bare("echo 'error: unknown option --token=ghp_0123456789abcdefghijABCDEFGHIJ012345' >&2; exit 1");
    let (_, stderr, _) = desk.run(&[]);
    assert!(stderr.contains("unknown option") && !stderr.contains("ghp_"), "{stderr}");
}

#[test]
fn a_retried_attempt_keeps_its_class_in_history() {
    let desk = Desk::new("[ $N = 1 ] && bad 'API Error: 529 Overloaded' 529; good done");
    let (stdout, stderr, exit) = desk.run(&[]);
    assert_eq!((stdout.as_str(), exit), ("done\n", 0), "{stderr}");
    let step = &desk.events()[0]["step"];
    assert_eq!(
        (&step["success"], &step["attempts"], &step["class"]),
        (&json!(true), &json!(2), &json!("F1")),
        "{step}"
    );
}

#[test]
fn no_client_and_no_prompt_are_told_before_anything_starts() {
    let desk = Desk::new("good x");
    desk.write("c.md", " \n");
    assert_eq!(told(&desk.failwise(&["run", "c.md"])).2, 64);
    assert_eq!(told(&desk.failwise(&["run", "absent.md"])).2, 74);
    assert_eq!(told(&desk.failwise(&["run", "c.md", "--", "--output-format", "text"])).2, 64);
    desk.write("c.md", "x");
    let absent = desk.command(&["run", "c.md"]).env("CLAUDE_BIN", "/nonexistent/claude").output().unwrap();
    assert_eq!(told(&absent).2, 69);
    let absent = desk.command(&["run", "c.md"]).env_remove("CLAUDE_BIN").output().unwrap();
    assert_eq!(told(&absent).2, 69);
    assert!(!desk.path("starts").exists());
}

#[test]
fn a_crash_is_tried_once_more_and_a_session_with_tools_goes_on() {
    let desk = Desk::new("if [ $N = 1 ]; then tool; kill -9 $$; fi; good done");
    let (stdout, stderr, exit) = desk.run(&[]);
    assert_eq!((stdout.as_str(), exit), ("done\n", 0), "{stderr}");
    assert!(stderr.contains("try 2 of 4"), "{stderr}");
    let argv = desk.read("argv");
    assert!(argv.lines().nth(1).unwrap().ends_with("--resume 00000001-1111-2222-3333-444444444444"), "{argv}");
    assert!(desk.read("prompt.2").contains("continue from there"));
    // Without a tool it begins anew.
    let desk = Desk::new("if [ $N = 1 ]; then kill -9 $$; fi; good done");
    assert_eq!(desk.run(&[]).2, 0);
    assert_eq!(desk.read("prompt.2"), "Do it.");
    // And not for ever.
    let desk = Desk::new("kill -9 $$");
    assert_eq!((desk.run(&[]).2, desk.starts()), (1, 2));
}

#[test]
fn retries_and_cost_are_counted_over_all_attempts() {
    let desk = Desk::new("bad 'API Error: 500' 500");
    let begun = Instant::now();
    let (_, stderr, exit) = desk.run(&["--timeout", "4s"]);
    assert_eq!(exit, 75, "{stderr}");
    assert!(begun.elapsed() < Duration::from_secs(8), "the wait was no part of the time");
    let desk = Desk::new("good x");
    desk.run(&["--max-cost-usd", "1.5"]);
    assert!(desk.read("argv").contains("--max-budget-usd 1.5000"));
}

#[test]
fn what_a_run_left_running_is_ended() {
    // Until the new process has become the program, it is named by the script that started it.
    let script = |end: &str| {
        let wait = "until grep -q sleep /proc/$!/cmdline; do :; done";
        format!("setsid sleep 600 >/dev/null 2>&1 & {wait}; echo $! >\"$DESK/left\"; {end}")
    };
    let failed = Desk::new(&script("bad 'Invalid API key' 401"));
    let (_, stderr, _) = failed.run(&[]);
    assert!(stderr.contains("ended a leftover process"), "{stderr}");
    assert!(!is_alive(&failed.path("left")));
    let ended = Desk::new(&script("good done"));
    let (stdout, stderr, exit) = ended.run(&[]);
    assert_eq!((stdout.as_str(), exit), ("done\n", 0));
    assert!(stderr.contains("ended a leftover process") && !is_alive(&ended.path("left")), "{stderr}");
}

fn signalled(desk: &Desk, signal: &str) -> (Child, Duration) {
    desk.write("c.md", "x");
    let child = desk.command(&["run", "c.md"]).spawn().unwrap();
    assert!(wait_for(|| desk.path("left").exists() && is_alive(&desk.path("left"))));
    let begun = Instant::now();
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    (child, begun.elapsed())
}

#[test]
fn a_signal_ends_the_client_with_all_that_it_started() {
    let script = "setsid sleep 600 >/dev/null 2>&1 & echo $! >\"$DESK/left\"; sleep 600";
    for (signal, code) in [("-INT", Some(130)), ("-TERM", Some(143)), ("-KILL", None)] {
        let desk = Desk::new(script);
        let (mut child, _) = signalled(&desk, signal);
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        assert!(wait_for(|| !is_alive(&desk.path("left"))), "{signal}: something is left");
    }
}

#[test]
fn a_signal_that_is_to_be_ignored_ends_nothing() {
    let desk = Desk::new("echo $$ >\"$DESK/left\"; sleep 2; good done");
    desk.write("c.md", "x");
    let mut shell = desk.command(&[]);
    let line = format!("trap '' HUP; exec {} run c.md", env!("CARGO_BIN_EXE_failwise"));
    let mut nohup = Command::new("sh");
    nohup
        .args(["-c", &line])
        .current_dir(desk.path("project"))
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    nohup.envs(shell.env("LANG", "C").get_envs().filter_map(|(name, value)| Some((name, value?))));
    let child = nohup.spawn().unwrap();
    assert!(wait_for(|| desk.path("left").exists()));
    Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.stdout.as_slice(), output.status.code()), (b"done\n".as_slice(), Some(0)));
}

// --- workflows --------------------------------------------------------------------------------------------

const TWO_STEPS: &str = r#"
name = "pair"
inputs = ["what"]

[[step]]
name = "ask"
command = "ask.md"
arguments = ["{what}"]
output = "one_of:yes,no"
if_rejected = "Unknown answer: {output}"

[[step]]
name = "tell"
command = "tell.md"
arguments = ["{ask}", "{what}"]
output = "text"
"#;

fn pair(script: &str) -> Desk {
    let desk = Desk::new(script);
    desk.write("pair.toml", TWO_STEPS);
    desk.write("ask.md", "---\ndialect: adw\n---\nASK $1");
    desk.write("tell.md", "---\ndialect: adw\n---\nTELL $1 $2");
    desk
}

#[test]
fn a_step_gets_clean_text_only() {
    let desk = pair("case $PROMPT in ASK*) good '  yes\\n';; *) good fine;; esac");
    let (stdout, stderr, exit) = told(&desk.failwise(&["workflow", "run", "pair.toml", "what=$1 @.env"]));
    assert_eq!((stdout.as_str(), exit), ("fine\n", 0), "{stderr}");
    assert_eq!(desk.read("prompt.2"), "TELL yes $1 \\@.env");
    let state = &desk.states()[0];
    assert_eq!((&state["inputs"], &state["outputs"]), (&json!({}), &json!({})), "nothing is kept as it was");
    let mode = fs::metadata(desk.path("state/workflows")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    // Of a finished run, resume prints the result and starts nothing.
    assert_eq!(told(&desk.failwise(&["workflow", "resume"])).0, "fine\n");
    assert_eq!(desk.starts(), 2);
}

/// A text of somebody else's may begin with the sign of a file: `KEY:=TEXT` is the text.
#[test]
fn a_text_that_begins_with_the_sign_of_a_file_is_given_as_it_is() {
    let desk = pair("case $PROMPT in ASK*) good yes;; *) good fine;; esac");
    let (_, stderr, exit) = told(&desk.failwise(&["workflow", "run", "pair.toml", "what:=@/etc/hostname"]));
    assert_eq!((desk.read("prompt.1").as_str(), exit), ("ASK \\@/etc/hostname", 0), "{stderr}");
    let (listed, ..) = told(&desk.failwise(&["workflow", "list"]));
    assert!(!listed.contains("--dangerously-skip-permissions"), "{listed}");
    let flags = ["workflow", "run", "pair.toml", "what=x", "--", "--dangerously-skip-permissions"];
    assert_eq!(told(&desk.failwise(&flags)).2, 0);
    let (listed, ..) = told(&desk.failwise(&["workflow", "list"]));
    assert_eq!(listed.matches("--dangerously-skip-permissions").count(), 1, "{listed}");
    let shown: Value =
        serde_json::from_slice(&desk.failwise(&["workflow", "show", "--format", "json"]).stdout).unwrap();
    assert_eq!(shown["skips_permissions"], true);
}

#[test]
fn the_classifiers_output_is_exactly_its_word_and_the_planner_sees_no_stream() {
    let desk = Desk::new("case $PROMPT in *'what kind of work'*) good /feature;; *) bad 'Invalid API key' 401;; esac");
    let issue = json!({"number": 7, "title": "Add $ARGUMENTS and $1"}).to_string();
    let (_, _, exit) = told(&desk.failwise(&["workflow", "run", "work-order", &format!("issue={issue}")]));
    assert_eq!(exit, 1);
    let runs = desk.runs();
    assert_eq!(runs[0]["steps"][0]["output"], "/feature");
    let prompt = desk.read("prompt.2");
    assert!(!prompt.contains("\"type\"") && prompt.ends_with(&issue), "{prompt}");
    assert_eq!(prompt.matches("$ARGUMENTS").count(), 1, "only the issue's own");
    assert_eq!(runs[0]["steps"][1]["agent_name"], "planner_feature");
    // A failed step keeps its own error.
    assert_eq!(runs[0]["steps"][1]["error_message"], "Invalid API key");
}

#[test]
fn an_answer_that_cannot_be_used_is_asked_for_once_more() {
    let desk = pair("case $PROMPT in ASK*) good 'Well, yes';; *'cannot be used'*) good yes;; *) good fine;; esac");
    let (stdout, stderr, exit) = told(&desk.failwise(&["workflow", "run", "pair.toml", "what=x"]));
    assert_eq!((stdout.as_str(), exit), ("fine\n", 0), "{stderr}");
    assert!(desk.read("prompt.2").contains("it is none of yes, no"));
    assert!(desk.read("argv").lines().nth(1).unwrap().contains("--resume 00000001-"));
    let desk = pair("good maybe");
    let (stdout, stderr, exit) = told(&desk.failwise(&["workflow", "run", "pair.toml", "what=x"]));
    assert_eq!((stdout.as_str(), exit, desk.starts()), ("", 1, 2), "{stderr}");
    let step = &desk.runs()[0]["steps"][0];
    assert_eq!((&step["error_message"], &step["class"]), (&json!("Unknown answer: maybe"), &json!("F2")));
}

#[test]
fn a_failed_run_goes_on_where_it_failed_with_the_exit_code_of_its_step() {
    let desk = pair(
        "case $PROMPT in ASK*) good yes;; *) [ -e \"$DESK/well\" ] || bad 'Invalid API key' 401; good fine;; esac",
    );
    let run = desk.failwise(&["workflow", "run", "pair.toml", "what=token ghp_0123456789abcdefghijABCDEFGHIJ012345"]);
    assert_eq!(told(&run).2, 1);
    assert_eq!(desk.runs()[0]["status"], "failed");
    let shown = desk.failwise(&["workflow", "show", "--format", "json"]);
    assert!(!told(&shown).0.contains("ghp_"));
    assert_eq!(told(&desk.failwise(&["workflow", "resume"])).2, 1);
    fs::write(desk.path("well"), "").unwrap();
    let (stdout, _, exit) = told(&desk.failwise(&["workflow", "resume"]));
    assert_eq!((stdout.as_str(), exit), ("fine\n", 0));
    assert_eq!(desk.starts(), 4, "the first step ran once");
    let status: Vec<Value> = desk.events().iter().map(|event| event["step"]["name"].clone()).collect();
    assert_eq!(status, ["ask", "tell", "tell", "tell"]);
}

#[test]
fn flags_that_the_client_refused_are_told_and_mended_on_resume() {
    let desk = pair("");
    let client = desk.read("claude").replace(
        "\nbegin\n",
        "\ncase $* in *--nope*) echo \"error: unknown option '--nope'\" >&2; exit 1;; esac\nbegin\ncase $PROMPT in ASK*) good yes;; *) good fine;; esac\n",
    );
    fs::write(desk.path("claude"), client).unwrap();
    let (_, stderr, exit) = told(&desk.failwise(&["workflow", "run", "pair.toml", "what=x", "--", "--nope"]));
    assert_eq!((exit, desk.starts()), (1, 1), "{stderr}");
    assert!(stderr.contains("failed") && stderr.contains("unknown option '--nope'"), "{stderr}");
    let (shown, ..) = told(&desk.failwise(&["workflow", "show"]));
    assert!(shown.contains("without a stream: error: unknown option '--nope'"), "{shown}");
    assert_eq!(told(&desk.failwise(&["workflow", "resume", "--", "--output-format", "text"])).2, 64);
    let (stdout, stderr, exit) = told(&desk.failwise(&["workflow", "resume", "--", "--model", "m-1"]));
    assert_eq!((stdout.as_str(), exit), ("fine\n", 0), "{stderr}");
    assert!(desk.read("argv").lines().last().unwrap().ends_with("--verbose --model m-1"));
}

#[test]
fn a_killed_run_repeats_no_finished_step_and_a_second_process_is_refused() {
    let desk = pair("case $PROMPT in ASK*) good yes;; *) [ -e \"$DESK/well\" ] || sleep 600; good fine;; esac");
    let mut first = desk.command(&["workflow", "run", "pair.toml", "what=x"]).spawn().unwrap();
    assert!(wait_for(|| desk.path("starts").exists() && desk.starts() == 2));
    let (_, stderr, exit) = told(&desk.failwise(&["workflow", "resume"]));
    assert_eq!(exit, 1, "{stderr}");
    assert!(stderr.contains(&format!("process {}", first.id())), "{stderr}");
    first.kill().unwrap();
    first.wait().unwrap();
    fs::write(desk.path("well"), "").unwrap();
    let (stdout, stderr, exit) = told(&desk.failwise(&["workflow", "resume"]));
    assert_eq!((stdout.as_str(), exit, desk.starts()), ("fine\n", 0, 3), "{stderr}");
}

#[test]
fn what_cannot_run_is_told_before_the_first_step() {
    let desk = pair("good yes");
    desk.write("bad.toml", "name = \"x\"\n[[step]]\nname = \"a\"\ncommand = \"absent.md\"");
    desk.write("worse.toml", "name = ");
    for (args, code) in [
        (&["bad.toml"][..], 65),
        (&["worse.toml"], 65),
        (&["absent.toml"], 74),
        (&["nothing"], 1),
        (&["pair.toml"], 64),
        (&["pair.toml", "what=x", "other=y"], 64),
        (&["pair.toml", "what"], 64),
        (&["pair.toml", "what=@absent.txt"], 74),
        (&["work-order", "order=x"], 64),
    ] {
        let done = told(&desk.failwise(&[&["workflow", "run"], args].concat()));
        assert_eq!((done.2, done.0.as_str()), (code, ""), "{args:?}: {}", done.1);
    }
    assert_eq!(told(&desk.failwise(&["workflow", "resume"])).2, 1);
    assert!(!desk.path("starts").exists());
}

#[test]
fn a_dry_run_prints_prompts_and_starts_nothing() {
    let desk = pair("good yes");
    let (stdout, _, exit) = told(&desk.failwise(&["workflow", "run", "pair.toml", "what=x", "--dry-run"]));
    assert_eq!(exit, 0);
    assert!(stdout.contains("ASK x\n") && stdout.contains("TELL {ask} x\n"), "{stdout}");
    assert!(!desk.path("starts").exists() && !desk.path("state/workflows").exists());
}

#[test]
fn kept_values_stay_and_a_purge_takes_all() {
    let desk = pair("good yes");
    desk.failwise(&["workflow", "run", "pair.toml", "what=x", "--keep"]);
    assert_eq!(desk.states()[0]["inputs"], json!({"what": "x"}));
    let purged = desk.failwise(&["data", "purge", "--all", "--yes", "--format", "json"]);
    let purged: Value = serde_json::from_slice(&purged.stdout).unwrap();
    let kinds: Vec<&Value> = purged["deleted"].as_array().unwrap().iter().map(|file| &file["kind"]).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "workflow").count(), 2, "{purged}");
    assert!(!desk.path("state/workflows").exists());
}
