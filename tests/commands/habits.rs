//! What people are used to from other commands: help in front, `--json`, `-q`, `--color`, settings by a command, completions.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and reads what they wrote")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

struct Person {
    home: TempDir,
}

impl Person {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("work/.git")).unwrap();
        Self { home }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.args(arguments).env_clear().env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin");
        command.current_dir(self.path("work")).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn refuses(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn example() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/session.jsonl").to_str().unwrap().to_owned()
}

#[test]
fn help_may_stand_in_front() {
    let person = Person::new();
    assert_eq!(person.says(&["help", "kb", "list"]), person.says(&["kb", "list", "--help"]));
    assert_eq!(person.says(&["help"]), person.says(&["--help"]));
}

#[test]
fn json_is_short_for_its_format() {
    let person = Person::new();
    let session = example();
    for arguments in [&["kb"][..], &["config"], &["doctor"], &["data", "show"], &["report", &session], &["lessons"]] {
        let short = person.run(&[arguments, &["--json"]].concat()).stdout;
        assert!(serde_json::from_slice::<Value>(&short).is_ok(), "{arguments:?}");
        assert_eq!(short, person.run(&[arguments, &["--format", "json"]].concat()).stdout, "{arguments:?}");
    }
    let lines = person.says(&["replay", &session, "--json"]);
    assert!(serde_json::from_str::<Value>(&lines).is_ok());
    person.refuses(&["kb", "--json", "--format", "text"], 64);
}

/// Every object has the version of its shape; a list has it in each of its rows.
#[test]
fn every_json_says_its_version() {
    let person = Person::new();
    let session = example();
    let asked = [
        "config",
        "config get guard",
        "doctor",
        "data show",
        "data rotate",
        "data purge --all --yes",
        "kb",
        "kb list",
        "tests",
        "tests list",
        "tests flaky",
        "tests compare",
        "lessons",
        "lessons --adopted",
        "stats",
        "why",
        "decide --last --dry-run",
        "plan status",
        "plan validate",
        "workflow list",
        "workflow show",
        "rules list",
        "rules test modes/10",
        "allow --yes",
        "trust --show",
        "",
    ];
    let of_session = ["report SESSION", "replay SESSION", "lessons SESSION", "show 5d0c1f8e SESSION"];
    for words in asked.into_iter().chain(of_session) {
        let words = words.replace("SESSION", &session);
        let arguments: Vec<&str> = words.split_whitespace().chain(["--json"]).collect();
        let output = person.run(&arguments);
        let value: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words}: {error}: {output:?}"));
        let rows = value.as_array().cloned().unwrap_or_else(|| vec![value]);
        assert!(rows.iter().all(|row| !row["schema_version"].is_null()), "{words}: {rows:?}");
    }
}

#[test]
fn quiet_leaves_the_answer_and_errors() {
    let person = Person::new();
    let (session, page) = (example(), person.path("page.html"));
    let report = ["report", &session, "-o", page.to_str().unwrap()];
    assert!(String::from_utf8_lossy(&person.run(&report).stderr).contains("written: "));
    let quiet = person.run(&[&report[..], &["-q"]].concat());
    assert!(quiet.status.success() && quiet.stderr.is_empty() && quiet.stdout.is_empty(), "{quiet:?}");
    assert!(person.refuses(&["-q", "show", "gone"], 1).contains("gone"));
}

#[test]
fn colour_is_as_asked() {
    let person = Person::new();
    let session = example();
    let coloured = |arguments: &[&str]| person.says(arguments).contains('\u{1b}');
    assert!(!coloured(&["report", &session]));
    assert!(coloured(&["report", &session, "--color", "always"]));
    assert!(coloured(&["--color=always", "report", &session]));
    assert!(!coloured(&["report", &session, "--color", "never"]));
    assert!(coloured(&["report", "--help", "--color=always"]));
}

#[test]
fn a_word_that_people_try_is_answered_with_the_one_they_mean() {
    let person = Person::new();
    for (tried, meant) in [
        (&["plan", "start"][..], "failwise plan claim"),
        (&["plan", "start", "TASK-1"], "failwise plan claim"),
        (&["status"], "failwise watch --once"),
        (&["uninstall"], "failwise setup --remove"),
        (&["off"], "failwise config set failwise off"),
        (&["report", "--html"], "failwise report -o report.html"),
        (&["7a37c25b"], "failwise show 7a37c25b"),
        (&["lessson"], "failwise lessons"),
        (&["report", "--anonymize"], "--anonymise"),
    ] {
        let said = person.refuses(tried, 64);
        assert!(said.ends_with(&format!("did you mean: {meant}\n")), "{tried:?}: {said}");
    }
    for (tried, lists) in [
        (&["zebra"][..], "failwise --help lists all commands"),
        (&["plan", "zebra"], "failwise plan --help lists all commands"),
        (&["report", "--zebra"], "failwise report --help lists all options"),
    ] {
        let said = person.refuses(tried, 64);
        assert!(said.ends_with(&format!("{lists}\n")) && !said.contains("to pass"), "{tried:?}: {said}");
    }
    assert!(person.refuses(&["config", "get"], 64).contains("known: failwise, advice"));
    for output in ["-", "."] {
        let said = person.refuses(&["report", &example(), "-o", output], 64);
        assert!(said.lines().count() > 1, "{said}");
    }
    let said = person.refuses(&["report", &example(), "--format", "csv", "-o", "x.json"], 64);
    assert!(said.contains("differ") && !person.path("work/x.json").exists(), "{said}");
    let said = person.refuses(&["--since", "7d", "show", "8d7a6c18"], 64);
    assert!(said.contains("options stand behind the command: failwise show 8d7a6c18 --since 7d"), "{said}");
    let said = person.refuses(&["--project", "x", "doctor"], 64);
    assert!(said.contains("`doctor` does not take --project x; failwise doctor --help lists"), "{said}");
}

/// What somebody new to it tried, with the exit code and a part of the next step.
const WRONG_USES: &[(&str, i32, &str)] = &[
    ("report --md", 64, "did you mean: failwise report --format md"),
    ("--open", 64, "did you mean: failwise report --open"),
    ("-o x.html", 64, "did you mean: failwise report -o report.html"),
    ("--week", 64, "did you mean: failwise report --week"),
    ("--last", 64, "did you mean: failwise report --last"),
    ("--statusline", 64, "did you mean: failwise stats --statusline"),
    ("kb rm 8146", 64, "did you mean: failwise kb forget"),
    ("lessons adopt e8b6ebde", 64, "did you mean: failwise lessons --write --only e8b6ebde"),
    ("lessons list", 64, "did you mean: failwise lessons"),
    ("lessons show", 64, "did you mean: failwise show ID"),
    ("init", 64, "did you mean: failwise setup"),
    ("watch --session zzzz", 1, "nothing is recorded here of a session `zzzz`"),
    ("report --verbose", 64, "failwise report --help lists all options"),
    ("replay -n", 64, "failwise replay --help lists all options"),
    ("why --last", 64, "did you mean: failwise why"),
    ("classify -", 64, "`failwise classify` takes no `-`"),
    ("lessons --apply", 64, "did you mean: failwise lessons --write"),
    (".", 64, "did you mean: failwise report ."),
    ("workflow .", 64, "did you mean: failwise workflow run ."),
    ("disable", 64, "did you mean: failwise config set failwise off"),
    ("month", 64, "did you mean: failwise"),
    ("monthly", 64, "did you mean: failwise"),
    ("daily", 64, "did you mean: failwise --since 1d"),
    ("log", 64, "did you mean: failwise replay"),
    ("login", 64, "failwise --help lists all commands"),
    ("clear", 64, "did you mean: failwise data purge"),
    ("completion", 64, "did you mean: failwise setup"),
    ("undo", 64, "did you mean: failwise config unset"),
    ("man", 64, "did you mean: failwise --help"),
    ("reset", 64, "did you mean: failwise data purge"),
    ("trends", 64, "did you mean: failwise report"),
    ("lesson", 64, "did you mean: failwise lessons"),
    ("report --since 20261101", 64, "write 30d, 12h, 2w, yesterday"),
    ("report --since month", 64, "write 30d, 12h, 2w, yesterday"),
    ("report --since -3d", 64, "write 30d, 12h, 2w, yesterday"),
    ("tests --since 2999-01-01", 64, "write 30d, 12h, 2w, yesterday"),
    ("show 8d7", 1, "give at least 4 characters"),
    ("why 8d7", 1, "give at least 4 characters"),
    ("kb show 8d7", 1, "give at least 4 characters"),
    ("tests show 8d7", 1, "at least four digits"),
    ("watch --session= --once", 1, "shows ids"),
    ("report --since 0d", 64, "`0d` is no time that sessions can be from"),
    ("report --since 99999999999999d", 64, "is no time that sessions can be from"),
    ("report --since 2999-01-01", 64, "`2999-01-01` is in the future"),
    ("report --compare 2026-11-20..", 64, "write one date, as --compare 2026-03-01, or two"),
    ("report -o -", 64, "leave it out: the report goes to stdout"),
    ("report -o .", 64, "name a file in it, such as report.html"),
    ("config get", 64, "known: failwise, advice"),
    ("config set loudness high", 64, "known: failwise, advice"),
    ("allow", 1, "run it in a terminal of your own"),
    ("lessons --write", 1, "run it in a terminal of your own"),
    ("show", 64, "as in: failwise show 8d7a6c18"),
    ("show --last", 64, "did you mean: failwise report --last"),
    ("show 12345678 --json --json", 64, "give it once"),
    ("why 12345678 22334455", 64, "failwise why --help says what it takes"),
    ("why --session 12345678", 64, "did you mean: failwise why ID"),
    ("help help me", 64, "failwise --help lists all commands"),
    ("report --last --week", 64, "leave out one of them"),
    ("report --last --compare 7d", 64, "leave out one of them"),
    ("report --format xml", 64, "take text, html, md, csv, json"),
    ("report --format", 64, "take text, html, md, csv, json"),
    ("report --since", 64, "failwise report --help says what it takes"),
    ("report -o", 64, "failwise report --help says what it takes"),
    ("report --since yesterday --since 2d", 64, "give it once"),
    ("report --host cursor", 64, "known: claude, codex, copilot, gemini, qwen"),
    ("report --version", 64, "did you mean: failwise --version"),
    ("kb -V", 64, "did you mean: failwise --version"),
    ("report --json --format csv", 64, "leave out one of them"),
    ("--host cursor", 64, "known: claude, codex, copilot, gemini, qwen"),
    ("--project", 64, "failwise --help says what it takes"),
    ("--color blue", 64, "take auto, always, never"),
    ("--color", 64, "take auto, always, never"),
    ("--json why", 64, "failwise why --json"),
    ("watch --format json", 64, "take text, jsonl"),
    ("watch --project /etc/passwd --once", 1, "give the project's folder"),
    ("watch --project gone --once", 1, "give the project's folder"),
    ("lessons --only 12345678", 64, "as in: failwise lessons --write"),
    ("lessons --write --only 12345678 --yes", 1, "`failwise lessons --all-projects` lists them"),
    ("kb show", 64, "as in: failwise kb show"),
    ("kb mute", 64, "as in: failwise kb mute"),
    ("kb export --team folder", 64, "failwise kb export --help says what it takes"),
    ("tests import", 64, "as in: failwise tests import"),
    ("tests compare 12345678", 64, "as in: failwise tests compare"),
    ("config set advice", 64, "as in: failwise config set"),
    ("data purge", 64, "as in: failwise data purge"),
    ("data purge --older-than soon", 64, "write 30d, 12h or 4w"),
    ("data rotate now", 64, "failwise data rotate --help says what it takes"),
    ("replay", 64, "as in: failwise replay"),
    ("replay --format xml .", 64, "take table, json, jsonl, csv"),
    ("classify failure.json", 64, "failwise classify --help says what it takes"),
    ("classify --file failure.json", 64, "did you mean: failwise classify"),
    ("render", 64, "as in: failwise render"),
    ("run", 64, "as in: failwise run"),
    ("workflow run", 64, "as in: failwise workflow run"),
    ("plan init", 64, "as in: failwise plan init"),
    ("plan claim", 64, "as in: failwise plan claim"),
    ("setup --host cursor", 64, "known: claude, codex, copilot, gemini, qwen, all"),
    ("setup --remove --host", 64, "failwise setup --help says what it takes"),
    ("doctor --fix", 64, "did you mean: failwise setup"),
    ("doctor now", 64, "failwise doctor --help says what it takes"),
    ("stat", 64, "did you mean: failwise watch --once"),
    ("logs", 64, "did you mean: failwise replay"),
    ("costs", 64, "did you mean: failwise"),
    ("learn", 64, "did you mean: failwise kb learn"),
    ("forget 8146", 64, "did you mean: failwise kb forget"),
    ("ls", 64, "did you mean: failwise report"),
    ("history", 64, "did you mean: failwise report"),
    ("kb search cargo", 64, "did you mean: failwise kb list --match"),
    ("kb learn --json", 64, "leave out --json; failwise kb learn --help says what it prints"),
    ("rules show modes/10 --json", 64, "leave out --json"),
    ("show ab", 1, "give at least 4 characters"),
    ("blocks --live", 64, "did you mean: failwise watch"),
    ("session", 64, "did you mean: failwise report"),
    ("weekly", 64, "did you mean: failwise report --week"),
    ("completions zsh", 64, "did you mean: failwise setup"),
    ("self update", 64, "did you mean: failwise setup"),
    ("reprot", 64, "did you mean: failwise report"),
    ("kb shwo 12345678", 64, "did you mean: failwise kb show"),
    ("data pruge --all", 64, "did you mean: failwise data purge"),
    ("trust --revok", 64, "did you mean: --revoke"),
];

#[test]
fn wrong_uses_end_with_what_is_wrong_and_the_next_step() {
    let person = Person::new();
    for (tried, code, next) in WRONG_USES {
        let arguments: Vec<&str> = tried.split(' ').collect();
        let said = person.refuses(&arguments, *code);
        assert!(said.starts_with("failwise: ") && said.contains(next), "{tried}: {said}");
        assert!(said.lines().count() == 2 && said.lines().all(|line| line.chars().count() <= 200), "{tried}: {said}");
    }
}

#[test]
fn what_is_empty_is_one_sentence() {
    let person = Person::new();
    for words in ["report", "report --week", "watch --once", "plan status", "why", ""] {
        let output = person.run(&words.split_whitespace().collect::<Vec<_>>());
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(0), 1), "{words}: {said}");
    }
    assert!(
        person.says(&["trust"]).contains("nothing waits")
            && person.says(&["trust", "--show"]).contains("nothing waits")
    );
    assert!(!person.path("work/.claude").exists());
    person.refuses(&["init"], 64);
    assert!(!person.path("work/.claude").exists(), "an old name moves no recording");
}

#[test]
fn one_project_is_reported_alone() {
    let person = Person::new();
    let session = |project: &str, id: &str| {
        let folder = person.path(".claude/projects").join(project);
        fs::create_dir_all(&folder).unwrap();
        let text = fs::read_to_string(example()).unwrap().replace("/home/ann/tidepool", &format!("/srv/{project}"));
        let now = (chrono::Utc::now() - chrono::TimeDelta::days(1)).format("%Y-%m-%dT").to_string();
        let text =
            regex::Regex::new(r#""timestamp":"[0-9-]+T"#).unwrap().replace_all(&text, format!("\"timestamp\":\"{now}"));
        let own = regex::Regex::new(r#""sessionId":"[^"]*""#).unwrap();
        let text = own.replace_all(&text, format!("\"sessionId\":\"{id}\"")).into_owned();
        let own = regex::Regex::new(r#""cwd":"[^"]*""#).unwrap();
        let text = own.replace_all(&text, format!("\"cwd\":\"/srv/{project}\"")).into_owned();
        fs::write(folder.join(format!("{id}.jsonl")), text).unwrap();
    };
    session("harbour", "11111111-3a64-4b1e-9b57-2f6c90e7a114");
    session("tidepool", "22222222-3a64-4b1e-9b57-2f6c90e7a114");
    let sessions = |arguments: &[&str]| {
        let value: Value = serde_json::from_str(&person.says(arguments)).unwrap();
        value["sessions"].as_array().unwrap().len()
    };
    assert_eq!(sessions(&["--json"]), 2);
    assert_eq!(sessions(&["--json", "--project", "harbour"]), 1);
    assert_eq!(sessions(&["report", "--json", "--project", "tidepool"]), 1);
    let said = person.refuses(&["--project", "nowhere"], 1);
    assert!(said.contains("known: harbour, tidepool"), "{said}");
    assert!(person.says(&["--project", "harbour"]).contains("What failures cost since"));
}

#[test]
fn a_setting_is_set_and_unset_and_all_else_of_the_file_stays() {
    let person = Person::new();
    let own = person.path(".claude/settings.json");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    person.says(&["config", "set", "failwise", "off"]);
    let said = person.says(&["config", "set", "advice", "quiet"]);
    assert!(said.contains("undo: failwise config unset advice"), "{said}");
    person.says(&["config", "unset", "failwise"]);
    person.says(&["config", "unset", "advice"]);
    assert_eq!(fs::read_to_string(&own).unwrap(), "{}\n", "nothing is left behind");
    let before = "{\n  \"model\": \"opus\",\n  \"env\": { \"A\": \"1\" }\n}\n";
    fs::write(&own, before).unwrap();
    assert!(person.says(&["config", "set", "advice", "quiet"]).contains(own.to_str().unwrap()));
    assert_eq!(person.says(&["config", "get", "advice"]), "quiet\n");
    person.says(&["config", "set", "failwise", "off"]);
    assert_eq!(person.says(&["config", "get", "failwise"]), "off\n");
    let text = fs::read_to_string(&own).unwrap();
    assert!(text.starts_with("{\n  \"model\": \"opus\",\n  \"env\": { \"A\": \"1\""), "{text}");
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["pluginConfigs"]["failwise@failwise"]["options"]["advice"], "quiet");
    assert_eq!(value["env"]["FAILWISE"], "off");
    let named = format!("the hook does nothing ({})", own.display());
    assert!(String::from_utf8(person.run(&["doctor"]).stdout).unwrap().contains(&named));
    let config: Value = serde_json::from_str(&person.says(&["config", "--json"])).unwrap();
    assert_eq!(config["settings"]["advice"]["source"], own.to_str().unwrap());
    person.says(&["config", "unset", "failwise"]);
    assert_eq!(person.says(&["config", "get", "failwise"]), "on\n");
    assert!(person.says(&["config", "unset", "failwise"]).contains("is not set"));

    let project = person.path("work/.claude/failwise.toml");
    assert!(person.says(&["config", "set", "--project", "guard", "off"]).contains("failwise trust"));
    let text = fs::read_to_string(&project).unwrap();
    fs::write(&project, format!("# ours\n{text}")).unwrap();
    person.says(&["config", "set", "polling", "gh run watch", "make wait"]);
    let text = fs::read_to_string(&project).unwrap();
    assert_eq!(text, "# ours\nguard = \"off\"\npolling = [\"gh run watch\", \"make wait\"]\n");
    person.says(&["config", "unset", "--project", "guard"]);
    assert_eq!(fs::read_to_string(&project).unwrap(), "# ours\npolling = [\"gh run watch\", \"make wait\"]\n");
}

#[test]
fn who_asks_what_failures_cost_is_told_that_it_is_off() {
    let person = Person::new();
    assert!(!person.says(&[]).contains("It is off"));
    person.says(&["config", "set", "failwise", "off"]);
    let said = person.says(&[]);
    assert!(
        said.contains("It is off: the hook does nothing") && said.contains("failwise config unset failwise"),
        "{said}"
    );
}

#[test]
fn a_setting_that_cannot_be_is_refused_with_the_next_step() {
    let person = Person::new();
    assert!(person.refuses(&["config", "set", "loudness", "high"], 64).contains("known: failwise, advice"));
    assert!(person.refuses(&["config", "set", "advice", "loud"], 64).contains("quiet"));
    assert!(person.refuses(&["config", "set", "--project", "guard", "maybe"], 64).contains("block"));
    assert!(person.refuses(&["config", "set", "--project", "failwise", "off"], 64).contains("--project"));
    person.refuses(&["config", "set", "--project", "reading", "x"], 65);
    assert!(!person.path("work/.claude/failwise.toml").exists() && !person.path(".claude/settings.json").exists());
    let mut agent = person.command(&["config", "set", "guard", "off"]);
    assert_eq!(agent.env("CLAUDECODE", "1").output().unwrap().status.code(), Some(1));
    fs::create_dir_all(person.path(".claude")).unwrap();
    fs::write(person.path(".claude/settings.json"), "[]").unwrap();
    person.refuses(&["config", "set", "guard", "off"], 65);
    assert_eq!(fs::read_to_string(person.path(".claude/settings.json")).unwrap(), "[]");
}

#[test]
fn a_page_is_opened_by_the_persons_program() {
    let person = Person::new();
    let session = example();
    let opener = person.path("opener");
    fs::write(
        &opener,
        "#!/bin/sh\nprintf %s \"$1\" > \"$HOME/opened.tmp\" && mv \"$HOME/opened.tmp\" \"$HOME/opened\"\n",
    )
    .unwrap();
    Command::new("chmod").arg("+x").arg(&opener).status().unwrap();
    let mut command = person.command(&["report", &session, "--open"]);
    assert!(command.env("BROWSER", &opener).output().unwrap().status.success());
    let shown = person.path("opened");
    let begun = std::time::Instant::now();
    while !shown.exists() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let page = fs::read_to_string(shown).unwrap();
    assert!(fs::read_to_string(page).unwrap().starts_with("<!doctype html>"));
    let nothing = person.command(&["report", &session, "--open"]).env("PATH", "/nowhere").output().unwrap();
    assert_eq!(nothing.status.code(), Some(69), "{nothing:?}");
    fs::rename(&opener, person.path("xdg-open")).unwrap();
    let no_display = person.command(&["report", &session, "--open"]).env("PATH", person.home.path()).output().unwrap();
    assert_eq!(no_display.status.code(), Some(69), "{no_display:?}");
}

/// What takes long is not done where its answer can be written nowhere: the input, which cannot be read either, is not met.
#[test]
fn the_place_of_an_output_is_tried_first() {
    let person = Person::new();
    let said = person.refuses(&["report", "gone.jsonl", "-o", "gone/page.html"], 74);
    assert!(said.contains("gone/page.html"), "{said}");
    let kept = person.path("work/kept.html");
    fs::write(&kept, "before").unwrap();
    person.refuses(&["report", "gone.jsonl", "-o", "kept.html"], 74);
    assert_eq!(fs::read_to_string(&kept).unwrap(), "before");
    person.refuses(&["report", "gone.jsonl", "-o", "new.html"], 74);
    assert!(!person.path("work/new.html").exists());
}

/// The first session on a machine says that Failwise is on, and no later one does, in whatever project.
#[test]
fn the_first_session_of_a_machine_is_told_that_it_is_on() {
    let person = Person::new();
    let start = |power: &str| {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
        hook.env_clear().env("HOME", person.home.path()).env("PATH", "/usr/bin:/bin").env("FAILWISE", power);
        let mut child =
            hook.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir(person.path("work")).spawn().unwrap();
        let payload = serde_json::json!({
            "session_id": "5d0c1f8e-3a64-4b1e-9b57-2f6c90e7a114", "cwd": person.path("work"),
            "hook_event_name": "SessionStart", "source": "startup",
        });
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    assert_eq!(start("off"), "");
    let first: Value = serde_json::from_str(&start("on")).unwrap();
    assert!(first["systemMessage"].as_str().unwrap().starts_with("Failwise is on; after some work try `failwise`."));
    assert_eq!(start("on"), "");
}
