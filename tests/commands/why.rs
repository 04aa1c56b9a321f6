//! `failwise why` after failures that the hook recorded: about the newest of them, in ten lines, with the answers of the commands
//! that it joins.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and writes a project")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::feeding::feed;

/// A project with a history.
struct Shop {
    root: tempfile::TempDir,
}

impl Shop {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("shop/.git")).unwrap();
        fs::write(root.path().join("shop/package.json"), r#"{"name":"shop","scripts":{"test":"true"}}"#).unwrap();
        Self { root }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.root.path());
        command.env("FAILWISE_DIR", self.root.path().join("state")).current_dir(self.root.path().join("shop"));
        command
    }

    /// A call of a session, as the client tells the hook; None for one that passed.
    fn call(&self, session: &str, id: usize, line: &str, error: Option<&str>) {
        let mut payload = json!({
            "session_id": session, "cwd": self.root.path().join("shop"), "tool_name": "Bash",
            "tool_input": {"command": line}, "tool_use_id": format!("toolu_{id}"), "hook_event_name": "PostToolUse",
            "tool_response": {"stdout": "", "stderr": "", "interrupted": false},
        });
        if let Some(error) = error {
            payload["hook_event_name"] = json!("PostToolUseFailure");
            payload["error"] =
                json!(if error.starts_with("Exit code") { error.to_owned() } else { format!("Exit code 1\n{error}") });
        }
        feed(&mut self.command(env!("CARGO_BIN_EXE_failwise-hook")), payload.to_string());
    }

    fn failwise(&self, args: &[&str], session: Option<&str>) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_failwise"));
        command.envs(session.map(|session| ("CLAUDE_CODE_SESSION_ID", session))).args(args).output().unwrap()
    }

    fn text(&self, args: &[&str], session: Option<&str>) -> (String, i32) {
        let output = self.failwise(&[&["why", "--format", "text"], args].concat(), session);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_slice(&self.failwise(args, None).stdout).unwrap()
    }
}

const TETS: &str =
    "npm error Missing script: \"tets\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run";
const EDITOR: &str =
    "error: Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.";

/// Ten failures, each known by its command and by a word of its own line.
const TEN: &[(&str, &str)] = &[
    ("npm run tets", TETS),
    ("git commit", EDITOR),
    ("cp big.bin full/big.bin", "cp: error writing 'full/big.bin': No space left on device"),
    ("python3 app.py", "ModuleNotFoundError: No module named 'yaml'"),
    ("git push origin main", "fatal: 'origin' does not appear to be a git repository"),
    ("curl -sS http://127.0.0.1:9/items", "curl: (7) Failed to connect to 127.0.0.1 port 9: Connection refused"),
    ("make chart", "make: *** No rule to make target 'chart'.  Stop."),
    ("gh api /orgs/o/teams", "HTTP 403: Resource not accessible by personal access token"),
    ("orders refund 7", "order 7 was refunded by Ada"),
    ("cat notes.txt", "cat: notes.txt: No such file or directory"),
];

#[test]
fn ten_lines_say_what_failed_and_what_to_do() {
    let shop = Shop::new();
    shop.call("s-1", 1, "npm run tets", Some(TETS));
    let (text, code) = shop.text(&["--probe"], Some("s-1"));
    assert_eq!(code, 0);
    assert!((6..=13).contains(&text.lines().count()), "{text}");
    for word in
        ["`npm run tets` failed, status 1", "it says  `npm error Missing script", "cause", "npm run test", "not"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    shop.call("s-1", 2, "git commit", Some(EDITOR));
    let (text, _) = shop.text(&[], None);
    assert!(text.contains("tool     §62") && text.contains("git commit -m"), "{text}");
    assert!(!text.contains("since"), "{text}");
    shop.call("s-1", 3, "git commit", None);
    let (text, _) = shop.text(&[], None);
    assert!(text.contains("`git commit` failed") && text.contains("since    the same call passed"), "{text}");
}

#[test]
fn what_has_passed_since_needs_no_plan_and_an_open_check_comes_first() {
    let shop = Shop::new();
    shop.call("s-1", 1, "git commit", Some(EDITOR));
    shop.call("s-1", 2, "git commit", None);
    let (text, _) = shop.text(&[], Some("s-1"));
    assert!(text.contains("since    the same call passed"), "{text}");
    for word in ["plan", "next", "not", "cause"] {
        assert!(!text.contains(&format!("  {word:<8} ")), "{word}: {text}");
    }
    let cargo =
        "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:5\nerror: could not compile `shop`";
    shop.call("s-1", 3, "cargo check", Some(cargo));
    shop.call("s-1", 4, "git push origin main", Some("fatal: 'origin' does not appear to be a git repository"));
    shop.call("s-1", 5, "git push origin main", None);
    for session in [Some("s-1"), None] {
        let (text, _) = shop.text(&[], session);
        assert!(text.starts_with("`cargo check` failed") && text.contains("  next "), "{text}");
    }
    let plan = serde_json::from_slice::<Value>(&shop.failwise(&["recover", "--last", "--json"], None).stdout).unwrap();
    assert!(plan["schema_version"] == 1 && plan["hasRecoveryPlan"].is_boolean(), "{plan}");
}

#[test]
fn the_object_holds_what_the_other_commands_print() {
    let shop = Shop::new();
    shop.call("s-1", 1, "git commit", Some(EDITOR));
    // Where nobody looks, it is JSON.
    let why = shop.json(&["why"]);
    assert_eq!(why["verdict"]["history_ref"], why["failure"]["id"]);
    assert_eq!(why["diagnosis"], shop.json(&["diagnose", "--last"]));
    let decision = shop.json(&["decide", "--last", "--dry-run"]);
    assert_eq!(why["decision"]["action"], decision["action"]);
    let plan = shop.json(&["recover", "--last"]);
    for field in ["whyChain", "rootCause", "primaryStrategy", "fallbackStrategies", "signature"] {
        assert_eq!(why["plan"][field], plan[field], "{field}");
    }
}

#[test]
fn it_is_about_the_newest_of_ten_sessions_and_of_thirty_failures() {
    let shop = Shop::new();
    for (at, (line, error)) in TEN.iter().enumerate() {
        shop.call(&format!("s-{at}"), at, line, Some(error));
        let (text, _) = shop.text(&[], None);
        assert!(text.starts_with(&format!("`{line}` failed")), "{line}: {text}");
        let said = text.lines().nth(1).unwrap();
        let told = |own: &str| own.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(error.lines().any(|own| said.contains(&told(own))), "{line}: {text}");
        let others = TEN.iter().filter(|(other, _)| other != line);
        assert!(others.clone().all(|(other, _)| !text.contains(&format!("`{other}`"))), "{line}: {text}");
    }
    let shop = Shop::new();
    for at in 0..30 {
        let (line, error) = TEN[at * 7 % TEN.len()];
        shop.call("s-1", at, line, Some(error));
    }
    let (line, _) = TEN[29 * 7 % TEN.len()];
    assert!(shop.text(&[], Some("s-1")).0.starts_with(&format!("`{line}` failed")));
}

#[test]
fn a_call_that_hung_is_found_by_the_tag_that_the_hook_gives() {
    let shop = Shop::new();
    let payload = json!({
        "session_id": "s-1", "cwd": shop.root.path().join("shop"), "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "GIT_EDITOR=vi git rebase -i HEAD~1"}, "hook_event_name": "PostToolUse",
        "tool_response": {"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1", "timedOutAfterMs": 120_000},
    });
    let told = feed(&mut shop.command(env!("CARGO_BIN_EXE_failwise-hook")), payload.to_string()).stdout;
    let told = String::from_utf8(told).unwrap();
    let (_, tag) = told.split_once("[§62 ").unwrap();
    for args in [&[][..], &[&tag[..4]]] {
        let (text, code) = shop.text(args, None);
        assert!(code == 0 && text.starts_with("`GIT_EDITOR=vi git rebase -i HEAD~1` failed"), "{text}");
        assert!(text.contains("tool     §62") && text.contains("plan     none"), "{text}");
    }
    assert_eq!(shop.json(&["diagnose", "--last"])["matches"][0]["failure_mode_id"], 62);
}

#[test]
fn a_failure_is_asked_for_by_its_session_or_its_id() {
    let shop = Shop::new();
    assert_eq!(shop.text(&[], None), ("No answer: the history of this project has no failure; `failwise` and `failwise report --last` show what your sessions hold.\n".to_owned(), 0));
    shop.call("s-1", 1, "npm run tets", Some(TETS));
    shop.call("s-2", 2, "git commit", Some(EDITOR));
    assert!(shop.text(&[], Some("s-1")).0.starts_with("`npm run tets` failed"));
    let (text, code) = shop.text(&[], Some("s-3"));
    assert_eq!(code, 0);
    assert!(text.starts_with("No answer: this session has no failure.\nThe project's newest: failwise why "), "{text}");
    let why = shop.json(&["why", "toolu_1"]);
    assert_eq!(why["failure"]["call"], "npm run tets");
    for id in [&why["failure"]["id"], &why["verdict"]["signature"]["fine"], &why["failure"]["node"]] {
        let id = id.as_str().unwrap();
        let id = if id.contains('/') { id } else { &id[..4] };
        assert!(shop.text(&[id], Some("s-3")).0.starts_with("`npm run tets` failed"), "{id}");
    }
    let id = why["verdict"]["signature"]["fine"].as_str().unwrap()[..8].to_uppercase();
    assert!(shop.text(&[&format!("[unchanged {id}]")], Some("s-3")).0.starts_with("`npm run tets` failed"), "{id}");
    for (id, code) in [("zzzz", 1), ("abc", 1)] {
        assert_eq!(shop.failwise(&["why", id], None).status.code(), Some(code), "{id}");
    }
}

#[test]
fn without_a_history_it_names_the_command_that_shows_a_session() {
    let shop = Shop::new();
    let (root, folder) = (shop.root.path().join("shop"), shop.root.path().join(".claude/projects/-shop"));
    fs::create_dir_all(&folder).unwrap();
    let day = (chrono::Utc::now() - chrono::TimeDelta::days(1)).format("%Y-%m-%d").to_string();
    let text = include_str!("../../examples/session.jsonl").replace("/home/robin/tidepool", root.to_str().unwrap());
    fs::write(folder.join("5d0c1f8e-3a64-4b1e-9b57-2f6c90e7a114.jsonl"), text.replace("2026-03-14", &day)).unwrap();
    let (said, code) = shop.text(&[], None);
    let id = said.trim_end().strip_suffix('.').unwrap().rsplit_once("failwise show ").unwrap().1;
    assert_eq!((code, shop.failwise(&["show", id], None).status.code()), (0, Some(0)), "{said}");
    let refused = shop.failwise(&["why", id], None);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && told.contains(&format!("failwise show {id}")), "{told}");
}

const GH: &str = "unknown flag: --stat\n\nUsage:  gh pr diff [<number> | <url> | <branch>] [flags]\n\nFlags:\n      \
    --color string   Use color in diff output\n      --name-only      Display only names of changed files\n";
const REJECTED: &str = "[main 1a2b3c4] x\nTo github.com:o/shop.git\n ! [rejected]        main -> main (fetch first)\nerror: \
    failed to push some refs to 'github.com:o/shop.git'\nhint: Updates were rejected because the remote contains work that you do not";
const STORE: &str = " ERR_PNPM_UNEXPECTED_STORE  Unexpected store location\n\nIf you want to use the new store location, \
    reinstall your dependencies with \"pnpm install\".\n(This error may happen if the node_modules was installed otherwise)";
const HUSKY: &str = "> shop@1.0.0 lint\n> eslint src\n\nsrc/a.js\n  3:7  error  'x' is never used  no-unused-vars\n\n\
    husky - pre-commit hook exited with code 1 (error)";

/// Failures whose first answer led elsewhere: what is said now, and what no longer is.
const LED_ELSEWHERE: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "curl -sS http://localhost:3000/health",
        "Exit code 7\ncurl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
        &["Nothing listens there on this machine", "sport = :3000"],
        &["--noproxy"],
    ),
    (
        "git commit -m tide",
        HUSKY,
        &["in the hook `npm run lint` failed", "1. Run what failed in the hook: `npm run lint`"],
        &[],
    ),
    (
        "git commit -m tide",
        "cargo fmt --check failed: run 'cargo fmt' before you commit",
        &["in the hook `cargo fmt` failed"],
        &["ls -A .husky"],
    ),
    ("gh pr diff 104 --stat", GH, &["lists what it takes: `--color`, `--name-only`", "`gh pr diff --help"], &[]),
    ("pnpm add zod", STORE, &["says  `ERR_PNPM_UNEXPECTED_STORE", "1. Run `pnpm install`"], &["This error may happen"]),
    (
        "curl -s http://localhost:3000/items | python3 -m json.tool",
        "Expecting value: line 1 column 1 (char 0)",
        &[
            "What `curl -s http://localhost:3000/items` printed is not the data",
            "{ curl -s http://localhost:3000/items; } 2>&1",
        ],
        &["The code in the call", "pwd && ls"],
    ),
    (
        "go test",
        "no Go files in /home/dev/shop",
        &["has none of the files that `go` needs", "go list ./..."],
        &["does not exist"],
    ),
    (
        "git add -A && git commit -m x && git push origin main",
        REJECTED,
        &["ran      `git add -A`, `git commit -m x` passed before it", "run what is left: `git push origin main`"],
        &["&& git push"],
    ),
    (
        "cd web && npm ci && curl -fsS https://r.example/x -o x",
        "Exit code 22\ncurl: (22) The requested URL returned error: 503",
        &[
            "ran      `npm ci` passed",
            "{ cd web && curl -fsS https://r.example/x -o x; }",
            "what is left of the call: `cd web && curl",
        ],
        &["`sleep 10 && { cd web && npm ci"],
    ),
    (
        "npm version patch && npm run build && npm publish",
        "v1.0.1\nnpm error code E503\nnpm error 503 Service Unavailable - PUT https://registry.example/shop",
        &["check whether the call took effect: see whether the registry has the version\n"],
        &["&& { npm version"],
    ),
    (
        "docker exec web jq . /app/x.json",
        "Exit code 127\nOCI runtime exec failed: exec failed: exec: \"jq\": executable file not found in $PATH: unknown",
        &["`jq` is not installed in the container"],
        &["command -v"],
    ),
    (
        "ls src/*.tsx",
        "ls: cannot access 'src/*.tsx': No such file or directory",
        &["A path does not exist"],
        &["put the pattern"],
    ),
];

#[test]
fn an_answer_leads_to_what_has_to_be_mended() {
    for (line, error, said, unsaid) in LED_ELSEWHERE {
        let shop = Shop::new();
        shop.call("s-1", 1, line, Some(error));
        let (text, _) = shop.text(&[], None);
        let answer = text.split_once('\n').unwrap().1;
        for word in *said {
            assert!(answer.contains(word), "{line}: {word}: {text}");
        }
        for word in *unsaid {
            assert!(!answer.contains(word), "{line}: {word}: {text}");
        }
    }
}

/// How many bytes a command read, with its libraries: of what ended the system adds it to the shell that waited for it.
#[cfg(target_os = "linux")]
fn bytes_read(shop: &Shop, args: &str) -> u64 {
    let line = format!("'{}' {args} >out; cat /proc/$$/io", env!("CARGO_BIN_EXE_failwise"));
    let output = shop.command("sh").args(["-c", &line]).output().unwrap();
    let counts = String::from_utf8(output.stdout).unwrap();
    counts.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_history_is_read_from_its_end() {
    let shop = Shop::new();
    shop.call("s-0", 1, "npm run tets", Some(TETS));
    let alone = bytes_read(&shop, "why");
    // Twenty megabytes of another session.
    shop.call("s-1", 2, "make all", None);
    let path = shop.root.path().join("state/history.jsonl");
    let passed = fs::read_to_string(&path).unwrap().lines().last().unwrap().to_owned() + "\n";
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(passed.repeat(20 * 1024 * 1024 / passed.len()).as_bytes()).unwrap();
    shop.call("s-2", 3, "git commit", Some(EDITOR));
    for (args, call) in [("why", "git commit"), ("why toolu_3", "git commit"), ("diagnose --last", "git commit")] {
        let more = bytes_read(&shop, args).saturating_sub(alone);
        let told = fs::read_to_string(shop.root.path().join("shop/out")).unwrap();
        assert!(more < 3 * 1024 * 1024 && told.contains(call), "{args}: {more} bytes more: {told}");
    }
    // What is asked for by its name is found wherever it stands.
    assert_eq!(shop.json(&["why", "toolu_1"])["failure"]["call"], "npm run tets");
    file.write_all(passed.repeat(9 * 1024 * 1024 / passed.len()).as_bytes()).unwrap();
    let (text, code) = shop.text(&[], None);
    assert_eq!(
        (text.as_str(), code),
        (
            "No answer: the last 8 MiB of this project's history have no failure; `failwise why ID` looks further back.\n",
            0
        )
    );
    assert!(shop.text(&["toolu_3"], None).0.starts_with("`git commit` failed"));
}

#[test]
fn nothing_is_recorded_unless_it_is_asked_for() {
    let shop = Shop::new();
    shop.call("s-1", 1, "npm run tets", Some(TETS));
    let history = || fs::read_to_string(shop.root.path().join("state/history.jsonl")).unwrap();
    let before = history();
    shop.text(&[], None);
    assert_eq!(history(), before);
    shop.text(&["--record", "--probe"], None);
    assert!(history().contains("diagnostic_reflection"));
}

#[test]
fn one_wait_is_said_by_all_who_say_one() {
    let shop = Shop::new();
    shop.call(
        "s1",
        1,
        "npm ci",
        Some("npm error code E429\nnpm error 429 Too Many Requests - GET https://registry.example/x"),
    );
    let why = shop.json(&["why", "--format", "json"]);
    let wait = why["decision"]["delay_ms"].as_u64().unwrap().div_ceil(1000);
    let step = |plan: &Value| plan["primaryStrategy"]["steps"][0]["args"]["command"].as_str().unwrap().to_owned();
    assert_eq!(step(&why["plan"]), format!("sleep {wait} && npm ci"), "{why}");
    assert_eq!(step(&shop.json(&["recover", "--last", "--format", "json"])), step(&why["plan"]));
    let way = why["diagnosis"]["matches"].to_string();
    assert!(!way.contains(" 60 s"), "{way}");
}

#[test]
fn what_the_program_itself_suggests_is_taken() {
    let shop = Shop::new();
    let said = "npm error Missing script: \"tset\"\nnpm error\nnpm error Did you mean this?\nnpm error   npm run test # run the \"test\" package script";
    shop.call("s1", 1, "npm run tset", Some(said));
    let (text, _) = shop.text(&[], None);
    assert!(text.contains("1. Use `test` instead: `npm run test`"), "{text}");
}

#[test]
fn a_push_that_was_refused_gets_one_advice() {
    let shop = Shop::new();
    let said = "To /srv/o.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to '/srv/o.git'";
    shop.call("s1", 1, "git commit -qm x && git push origin main", Some(said));
    let (text, _) = shop.text(&[], None);
    assert!(text.contains("`git pull --rebase origin main`") && !text.contains("--force"), "{text}");
    let below = text.split_once('\n').unwrap().1;
    assert!(!below.contains("git commit -qm x && "), "what has run stands in no form: {text}");
}
