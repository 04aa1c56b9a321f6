//! An edit that does not find its text: the hook says where the file has the same text but for white space, and by what it
//! differs, or nothing. What it says is applied to the edit's text here, by its words and by what the history keeps.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "builds projects on disk and starts the executables")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use failwise::model::Misfit;
use serde_json::{Value, json};
use tempfile::TempDir;

const NOT_FOUND: &str = "String to replace not found in file.\nString: ";

/// Every call has an id of its own.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// A project, and beside it what is not its own.
struct Ground {
    dir: TempDir,
}

impl Ground {
    fn new() -> Self {
        let ground = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(ground.project().join(".git")).unwrap();
        fs::create_dir_all(ground.outside()).unwrap();
        ground
    }

    fn with(path: &str, text: impl AsRef<[u8]>) -> Self {
        let ground = Self::new();
        ground.write(path, text);
        ground
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, program: &str, arguments: &[&str], input: &str) -> String {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("HOME", self.dir.path()).current_dir(self.project());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What the agent hears of a payload.
    fn hears(&self, payload: &Value) -> String {
        let mut payload = payload.clone();
        payload["session_id"] = "s-1".into();
        payload["cwd"] = json!(self.project());
        let out = self.run(env!("CARGO_BIN_EXE_failwise-hook"), &[], &payload.to_string());
        if out.is_empty() {
            return out;
        }
        let answer: Value = serde_json::from_str(&out).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    fn fails(&self, tool: &str, input: &Value) -> String {
        self.hears(&failed(tool, input, NOT_FOUND))
    }

    /// An edit of a file by its path below the project, or from the root.
    fn edits(&self, path: &str, old: &str) -> String {
        self.fails("Edit", &json!({ "file_path": self.project().join(path), "old_string": old, "new_string": "x" }))
    }

    fn history(&self) -> PathBuf {
        find(self.dir.path(), "history.jsonl").unwrap()
    }

    /// Where the history says that the text was seen.
    fn seen(&self) -> Option<Misfit> {
        let history = fs::read_to_string(self.history()).unwrap();
        let events = history.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.filter_map(|event| serde_json::from_value(event["misfit"].clone()).ok()).next_back()
    }
}

fn failed(tool: &str, input: &Value, error: &str) -> Value {
    json!({
        "hook_event_name": "PostToolUseFailure", "tool_name": tool, "tool_input": input, "tool_use_id": format!("t{}", CALLS.fetch_add(1, Relaxed)),
        "error": error, "is_interrupt": false,
    })
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_name() == name {
                return Some(entry.path());
            }
            open.extend(Some(entry.path()).filter(|path| path.is_dir() && !path.is_symlink()));
        }
    }
    None
}

/// A file of a language: its name, what its lines are indented with, how they end, and its lines.
struct Language {
    name: &'static str,
    unit: &'static str,
    end: &'static str,
    lines: Vec<String>,
}

fn languages() -> [Language; 4] {
    let go = |n: usize| {
        let (a, b) = (format!("func total{n}(items []Item) int {{"), format!("\tsum := {n}"));
        let [c, d] = ["\tfor _, item := range items {", "\t\tsum += item.Price * "].map(str::to_owned);
        vec![a, b, c, format!("{d}{n}"), "\t}".to_owned(), String::new(), format!("\treturn sum + {n}"), "}".to_owned()]
    };
    let python = |n: usize| {
        vec![
            format!("class Cart{n}(Base):"),
            format!("    def total_{n}(self):"),
            "        for item in self.items:".to_owned(),
            format!("            yield item.price * {n}"),
            String::new(),
            format!("    def clear_{n}(self):"),
            format!("        self.note = 'cart {n}'"),
            String::new(),
        ]
    };
    let script = |n: usize| {
        vec![
            format!("export function total{n}(items: Item[]): number {{"),
            format!("  const factor = {n};"),
            "  return items.map((item) => {".to_owned(),
            format!("    return item.price * {n};"),
            "  });".to_owned(),
            String::new(),
            format!("  // end of total {n}"),
            "}".to_owned(),
        ]
    };
    // Tabs, with spaces behind them where lines go on.
    let c = |n: usize| {
        vec![
            format!("static int total_{n}(struct cart *cart)"),
            "{".to_owned(),
            format!("\tint sum = {n};"),
            format!("\tif (cart && cart->count > {n})"),
            format!("\t\treturn add(sum,"),
            format!("\t\t           cart->price + {n});"),
            format!("\treturn sum - {n};"),
            "}".to_owned(),
        ]
    };
    let lines = |block: &dyn Fn(usize) -> Vec<String>| (0..6).flat_map(block).collect();
    [
        Language { name: "src/cart.go", unit: "\t", end: "\n", lines: lines(&go) },
        Language { name: "cart.py", unit: "    ", end: "\n", lines: lines(&python) },
        Language { name: "web/cart.ts", unit: "  ", end: "\r\n", lines: lines(&script) },
        Language { name: "lib/cart.c", unit: "\t", end: "\n", lines: lines(&c) },
    ]
}

impl Language {
    fn text(&self) -> String {
        self.lines.iter().fold(String::new(), |mut text, line| {
            let _ = write!(text, "{line}{}", self.end);
            text
        })
    }
}

/// How an agent gets the white space of these lines wrong, or the file has it otherwise; the edit's lines.
fn changed(change: usize, language: &mut Language, place: std::ops::Range<usize>) -> Vec<String> {
    let unit = language.unit;
    let own = language.lines[place.clone()].to_vec();
    let each = |change: &dyn Fn(&str) -> String| {
        let filled = |line: &String| if line.is_empty() { String::new() } else { change(line) };
        own.iter().map(filled).collect::<Vec<_>>()
    };
    let other = |line: &str| {
        let body = line.trim_start_matches('\t');
        let tabs = line.len() - body.len();
        let spaces = body.len() - body.trim_start_matches(' ').len();
        if unit == "\t" {
            format!("{}{body}", "    ".repeat(tabs))
        } else {
            format!("{}{}", "\t".repeat(spaces / unit.len()), body.trim_start_matches(' '))
        }
    };
    match change {
        0 => each(&|line| line.strip_prefix(unit).unwrap_or(line).to_owned()),
        1 => each(&|line| format!("{unit}{line}")),
        2 => each(&|line| format!("{unit}{unit}{line}")),
        3 => each(&other),
        4 => each(&|line| other(&format!("{unit}{line}"))),
        5 => each(&|line| format!("{line}  ")),
        6 => {
            language.lines[place.start + 1] += "   ";
            own
        }
        7 => {
            language.end = "\r\n";
            each(&|line| line.strip_prefix(unit).unwrap_or(line).to_owned())
        }
        8 => {
            let at = place.start + 1;
            language.lines[at] = without_breaks(&own[1]) + "\u{2019}";
            let mut given = own;
            given[1] += "'";
            given
        }
        _ if language.end == "\n" => {
            language.end = "\r\n";
            own
        }
        _ => {
            language.end = "\n";
            own.iter().map(|line| format!("{line}\r")).collect()
        }
    }
}

/// A line with non-breaking spaces behind its indentation.
fn without_breaks(line: &str) -> String {
    let body = line.trim_start();
    line[..line.len() - body.len()].to_owned() + &body.replace(' ', "\u{a0}")
}

/// The edit's text as the words of the sentence change it.
fn by_words(said: &str, given: &str, first: u64) -> String {
    let (_, differs) = said.rsplit_once(" [").unwrap().0.split_once("at line").unwrap();
    let mut lines: Vec<String> = given.split('\n').map(str::to_owned).collect();
    let mut end = "\n";
    for words in differs.trim_end_matches('.').split("; ").skip(1) {
        let count = |words: &str| -> usize {
            let number = words.split(' ').next().unwrap();
            if number == "one" { 1 } else { number.parse().unwrap() }
        };
        let sign = if words.contains(" tab") { "\t" } else { " " };
        let between =
            |from: &str, to: &str| words.split_once(from).and_then(|(_, rest)| rest.split_once(to)).unwrap().0;
        for (number, line) in (first..).zip(&mut lines).filter(|(_, line)| !line.is_empty()) {
            if words.contains("begins with ") {
                let named = |list: &str| list.split([' ', ',']).any(|word| word.parse() == Ok(number));
                let is_left = words.contains("after the first") && number == first
                    || words.contains(" but line") && named(between("but line", "begins"));
                let what = sign.repeat(count(between("begins with ", " than yours")));
                *line = match words.ends_with("more than yours") {
                    _ if is_left => line.clone(),
                    true => what + line,
                    false => line.strip_prefix(&what).unwrap().to_owned(),
                };
            } else if words.contains("for every tab") {
                *line = line.replace('\t', &" ".repeat(count(between("with ", " spaces"))));
            } else if words.contains("one tab for every") {
                *line = line.replace(&" ".repeat(count(between("every ", " spaces"))), "\t");
            } else if let Some(rest) = words.strip_prefix(&format!("line {number} ends in ")) {
                *line += &sign.repeat(count(rest));
            } else if words.contains("end in LF") {
                *line = line.trim_end_matches('\r').to_owned();
            } else if words.contains("no trailing") {
                *line = line.trim_end().to_owned();
            } else if words.starts_with(&format!("line {number} has a non-breaking")) {
                *line = without_breaks(line);
            } else if words.starts_with(&format!("line {number} has \u{2019}")) {
                *line = line.replace('\'', "\u{2019}");
            }
        }
        if words.contains("end in CRLF") {
            end = "\r\n";
        }
    }
    lines.join(end)
}

#[test]
fn forty_edits_that_fail_by_white_space_are_placed_and_their_offset_is_right() {
    let mut told = 0;
    for number in 0..languages().len() {
        for change in 0..10 {
            let mut language = languages().into_iter().nth(number).unwrap();
            // Of the third block of lines.
            let place = 17 + change % 2..23;
            let given = changed(change, &mut language, place.clone()).join("\n");
            let text = language.text();
            let context = format!("{} change {change}: {given:?}", language.name);
            assert!(!text.contains(&given), "{context}");
            let ground = Ground::with(language.name, &text);
            let path = ground.project().join(language.name);
            let edit = json!({ "old_string": given, "new_string": "x", "replace_all": change == 2 });
            let said = match change % 3 {
                0 => {
                    let input = json!({ "file_path": path, "old_string": given, "new_string": "x" });
                    ground.hears(&json!({ "hook_event_name": "PostToolBatch", "tool_calls": [
                        { "tool_name": "Read", "tool_use_id": "t0", "tool_input": { "file_path": path }, "tool_response": "1\ta" },
                        { "tool_name": "Edit", "tool_use_id": "t1", "tool_input": input,
                          "tool_response": format!("<tool_use_error>{NOT_FOUND}{given}</tool_use_error>") },
                    ]}))
                }
                1 => ground.fails(
                    "MultiEdit",
                    &json!({ "file_path": path, "edits": [
                        { "old_string": language.lines[40].trim_start(), "new_string": "first\nsecond" }, edit,
                    ]}),
                ),
                _ => {
                    let mut input = edit;
                    input["file_path"] = json!(path);
                    ground.fails("Edit", &input)
                }
            };
            let lines = format!("the same text occurs once, at lines {}-{}; ", place.start + 1, place.end);
            assert!(said.contains(&lines), "{context}\n{said}\n{text}");
            assert!(said.starts_with(&format!("`{}`: ", path.display())) && said.chars().count() <= 600, "{said}");
            let seen = ground.seen().unwrap();
            assert_eq!((seen.first, seen.last), (place.start as u64 + 1, place.end as u64), "{context}");
            told += 1;
            // How many tabs stand before the spaces of a line that goes on cannot be said for all lines at once.
            if number == 3 && matches!(change, 3 | 4) {
                assert!(said.contains("; it differs from yours in white space only."), "{context}\n{said}");
                continue;
            }
            for own in [seen.applied(&given), by_words(&said, &given, seen.first)] {
                assert_eq!(text.matches(&own).count(), 1, "{context}\n{said}\n{own:?}");
            }
        }
    }
    assert_eq!(told, 40);
}

const GO: &str = "package cart\n\nfunc total() int {\n\tsum := 0\n\tif sum > 1 {\n\t\tsum++\n\t}\n\treturn sum\n}\n";

#[test]
fn near_misses_are_silent() {
    let go = || Ground::with("cart.go", GO);
    assert!(go().edits("cart.go", "if sum > 1 {\n\tsum++\n}").contains("lines 5-7"), "but this one");
    let twice = Ground::with("cart.go", format!("{GO}{GO}"));
    assert_eq!(twice.edits("cart.go", "if sum > 1 {\n\tsum++\n}"), "", "two places");
    let deeper = Ground::with("cart.go", format!("{GO}\n\t\t\tsum := 0\n"));
    assert_eq!(deeper.edits("cart.go", "    sum := 0"), "", "two places of other indentation");
    for (old, why) in [
        ("if sum > 2 {\n\tsum++\n}", "another number"),
        ("if sum > 1 {\n\tsum--\n}", "another sign"),
        ("    total()", "other words"),
        ("if 1 > sum {\n\tsum++\n}", "another order"),
        ("if sum > 1 {\n\tsum++\n\tsum++\n}", "a line more"),
        ("    um := 0", "a part of a word"),
        ("\tsum := 0\n", "there by now"),
        ("", "no text"),
        (" \n\t", "white space"),
    ] {
        assert_eq!(go().edits("cart.go", old), "", "{why}");
    }
    let large = Ground::with("cart.go", format!("{GO}{}", "// much\n".repeat(3 * 1024 * 128)));
    assert_eq!(large.edits("cart.go", "    sum := 0"), "", "3 MB");
    assert_eq!(Ground::with("cart.go", format!("{GO}\0")).edits("cart.go", "    sum := 0"), "", "binary");
    let bytes = [GO.as_bytes(), b"\xff\xfe"].concat();
    assert_eq!(Ground::with("cart.go", bytes).edits("cart.go", "    sum := 0"), "", "no UTF-8");
    let gone = go();
    fs::remove_file(gone.project().join("cart.go")).unwrap();
    assert_eq!(gone.edits("cart.go", "    sum := 0"), "", "no file");
    gone.write("cart.go/file", "");
    assert_eq!(gone.edits("cart.go", "    sum := 0"), "", "a folder");
    let changed = go();
    changed.write("cart.go", GO.replace("sum := 0", "sum := 7"));
    assert_eq!(changed.edits("cart.go", "    sum := 0"), "", "changed since");
}

#[test]
fn nothing_is_read_that_is_not_the_projects_own() {
    let ground = Ground::new();
    fs::write(ground.outside().join("cart.go"), GO).unwrap();
    symlink(ground.outside().join("cart.go"), ground.project().join("link.go")).unwrap();
    symlink(ground.outside(), ground.project().join("folder")).unwrap();
    let outside = ground.outside().join("cart.go");
    for path in ["link.go", "folder/cart.go", "../outside/cart.go", outside.to_str().unwrap()] {
        assert_eq!(ground.edits(path, "    sum := 0"), "", "{path}");
    }
    assert!(Command::new("mkfifo").arg(ground.project().join("pipe.go")).status().unwrap().success());
    assert_eq!(ground.edits("pipe.go", "    sum := 0"), "");
    // The same file, in the project.
    ground.write("cart.go", GO);
    assert!(ground.edits("cart.go", "    sum := 0").contains("line 4;"));
}

#[test]
fn other_failures_and_other_settings_look_at_nothing() {
    let input =
        |ground: &Ground| json!({ "file_path": ground.project().join("cart.go"), "old_string": "    sum := 0" });
    for error in ["File has not been read yet. Read it first before writing to it.", "EACCES: permission denied"] {
        let ground = Ground::with("cart.go", GO);
        assert_eq!(ground.hears(&failed("Edit", &input(&ground), error)), "", "{error}");
    }
    let ground = Ground::with("cart.go", GO);
    ground.write(".claude/failwise.toml", "advice = \"quiet\"\n");
    ground.run(env!("CARGO_BIN_EXE_failwise"), &["trust", "--yes"], "");
    assert_eq!(ground.fails("Edit", &input(&ground)), "");
    assert_eq!(ground.seen(), None);
    let ground = Ground::with("cart.go", GO);
    let edits = json!([{ "old_string": "\tsum := 0", "new_string": "\tsum := 1" }, { "old_string": "    sum := 0" }]);
    let path = ground.project().join("cart.go");
    assert_eq!(ground.fails("MultiEdit", &json!({ "file_path": path, "edits": edits })), "", "the place is taken");
}

/// The history holds lines and the kind of difference, nothing of the file; a replay says the same.
#[test]
fn a_replay_of_the_history_says_the_same() {
    let ground = Ground::with("cart.go", format!("{GO}// hunter-secret-word\n"));
    let said = ground.edits("cart.go", "if sum > 1 {\n\tsum++\n}");
    let history = ground.history();
    let kept = fs::read_to_string(&history).unwrap();
    assert!(
        kept.contains(r#""misfit":{"first":5,"last":7,"differences":[{"kind":"deeper","unit":"tab","count":1}]}"#),
        "{kept}"
    );
    assert!(!kept.contains("sum") && !kept.contains("hunter"), "{kept}");
    fs::remove_file(ground.project().join("cart.go")).unwrap();
    let history = history.to_str().unwrap();
    let replay = |more: &[&str]| ground.run(env!("CARGO_BIN_EXE_failwise"), &[&["replay", history], more].concat(), "");
    let listed: Value = serde_json::from_str(&replay(&["--said", "--format", "json"])).unwrap();
    assert_eq!((&listed["said"][0]["said"], &listed["said"][0]["kind"]), (&json!(said), &json!("edit_text")));
    replay(&["--check"]);
}

/// A transcript has no files: what they held is known by the session's own reads and edits.
#[test]
fn a_replay_of_a_transcript_knows_what_its_session_read() {
    let asked = |id: &str, tool: &str, input: Value| {
        json!({ "type": "assistant", "message": { "id": format!("m{id}"), "content": [
            { "type": "tool_use", "id": id, "name": tool, "input": input }] } })
    };
    let ended = |id: &str, is_error: bool, text: &str, result: Value| {
        json!({ "type": "user", "toolUseResult": result, "message": { "content": [
            { "type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": text }] } })
    };
    let edit = |old: &str| json!({ "file_path": "/p/cart.go", "old_string": old, "new_string": "y" });
    let fails = |id: &str, old: &str| {
        let text = format!("<tool_use_error>{NOT_FOUND}{old}</tool_use_error>");
        [asked(id, "Edit", edit(old)), ended(id, true, &text, json!("Error"))]
    };
    let lines = GO.matches('\n').count() + 1;
    let read =
        json!({ "type": "text", "file": { "content": GO, "startLine": 1, "numLines": lines, "totalLines": lines } });
    let done = json!({ "originalFile": GO, "oldString": "\tsum := 0\n", "newString": "\n", "userModified": false });
    let shell = |command: &str| {
        [asked("t9", "Bash", json!({ "command": command })), ended("t9", false, "", json!({ "stdout": "" }))]
    };
    let all = [
        &fails("t1", "    sum := 0")[..],
        &[asked("t2", "Read", json!({ "file_path": "/p/cart.go" })), ended("t2", false, "", read)],
        &fails("t3", "if sum > 1 {\n\tsum++\n}"),
        &fails("t4", "    if sum > 1 {"),
        &[asked("t5", "Edit", edit("\tsum := 0\n")), ended("t5", false, "", done)],
        &fails("t6", "    return sum"),
        &shell("gofmt -w cart.go"),
        &fails("t8", "    sum++"),
    ]
    .concat();
    let ground = Ground::new();
    let file = ground.dir.path().join("session.jsonl");
    let line = |(number, line): (usize, &Value)| {
        let mut line = line.clone();
        line["sessionId"] = "s-1".into();
        line["cwd"] = "/p".into();
        line["timestamp"] = format!("2026-03-01T08:00:{number:02}.000Z").into();
        line.to_string()
    };
    fs::write(&file, all.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")).unwrap();
    let arguments = ["replay", "--said", "--format", "json", file.to_str().unwrap()];
    let listed: Value = serde_json::from_str(&ground.run(env!("CARGO_BIN_EXE_failwise"), &arguments, "")).unwrap();
    let counted = json!({ "failed": 5, "undecidable": 2, "one_place": 3, "told": 3, "told_before": 0 });
    assert_eq!(listed["edits"], counted, "{listed}");
    let said: Vec<&str> = listed["said"].as_array().unwrap().iter().filter_map(|said| said["said"].as_str()).collect();
    assert!(
        said.iter().any(|said| said.contains("at lines 5-7; each of its non-blank lines begins with one tab more")),
        "{said:?}"
    );
    assert!(
        said.iter().any(|said| said.contains("at line 8; it is indented with one tab for every 4 spaces")),
        "{said:?}"
    );
}
