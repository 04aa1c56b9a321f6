//! Sixty made-up sessions of four projects over thirty days. The same time gives the same bytes.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

/// How many sessions there are, and over how many days.
const SESSIONS: u64 = 60;
const DAYS: i64 = 30;

/// A session's file: its place below the client's folder of projects, and its lines.
pub(crate) struct MadeSession {
    /// `FOLDER/ID.jsonl`.
    pub(crate) place: String,
    /// The transcript.
    pub(crate) text: String,
}

/// A call with what came of it.
struct Step {
    tool: &'static str,
    input: Value,
    result: String,
    failed: bool,
    /// How long it took, in seconds.
    took: u64,
}

/// Numbers that look random and are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.roll(high - low)
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        let at = self.roll(of.len() as u64);
        usize::try_from(at).ok().and_then(|at| of.get(at)).copied().unwrap_or_default()
    }
}

/// A project: its name, its language's check, and what goes wrong in it again and again.
struct Project {
    name: &'static str,
    files: &'static [&'static str],
    check: &'static str,
    passes: &'static str,
    /// The exit code and the output of a red check; `TEST` and `FILE` stand for the case and its file.
    fails: (u8, &'static str),
    tests: &'static [&'static str],
    /// In how many of a hundred sessions each mistake of the habit happens, with what is done next.
    habits: &'static [(u64, Habit)],
}

#[derive(Clone, Copy)]
enum Habit {
    WrongRunner,
    WrongPython,
    UnknownFlag,
    WrongFolder,
    Refused,
    Missing,
    Locked,
}

const PROJECTS: &[Project] = &[
    Project {
        name: "harbour-api",
        files: &["src/routes/berths.ts", "src/tides/forecast.ts", "src/db/migrations.ts", "test/berths.test.ts"],
        check: "bun run test",
        passes: "bun test v1.3.1\n\n 41 pass\n 0 fail\nRan 41 tests across 9 files. [812.00ms]",
        fails: (
            1,
            "bun test v1.3.1\n\nFILE:\nerror: expect(received).toBe(expected)\n\nExpected: 200\nReceived: 404\n\n(fail) TEST [3.12ms]\n\n 40 pass\n 1 fail\nRan 41 tests across 9 files. [840.00ms]",
        ),
        tests: &["berths > rejects a taken berth", "forecast > rounds to the minute", "migrations > runs twice"],
        habits: &[(62, Habit::WrongRunner), (30, Habit::UnknownFlag), (34, Habit::Refused)],
    },
    Project {
        name: "tidepool",
        files: &["src/tables.rs", "src/lib.rs", "src/station.rs", "tests/tables.rs"],
        check: "cargo test",
        passes: "running 23 tests\ntest result: ok. 23 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.31s",
        fails: (
            101,
            "running 23 tests\ntest TEST ... FAILED\n\nfailures:\n\n---- TEST stdout ----\n\nthread 'TEST' panicked at FILE:44:9:\nassertion `left == right` failed\n  left: 3\n right: 4\n\nfailures:\n    TEST\n\ntest result: FAILED. 22 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.30s\n\nerror: test failed, to rerun pass `--lib`",
        ),
        tests: &[
            "tables::tests::wraps_at_midnight",
            "station::tests::reads_a_station",
            "tables::tests::orders_by_time",
        ],
        habits: &[(26, Habit::WrongFolder), (20, Habit::Locked), (14, Habit::UnknownFlag)],
    },
    Project {
        name: "almanac",
        files: &["almanac/moon.py", "almanac/cli.py", "scripts/stations.py", "tests/test_moon.py"],
        check: "pytest -q",
        passes: "..................                                                       [100%]\n18 passed in 0.44s",
        fails: (
            1,
            ".................F                                                       [100%]\n=================================== FAILURES ===================================\n>       assert phase == 3\nE       assert 2 == 3\n\nFILE:31: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_moon.py::TEST - assert 2 == 3\n1 failed, 17 passed in 0.47s",
        ),
        tests: &["test_full_moon", "test_axis_starts_at_low_water", "test_leap_second"],
        habits: &[(58, Habit::WrongPython), (30, Habit::Missing), (12, Habit::Refused)],
    },
    Project {
        name: "lighthouse",
        files: &["lamp/lamp.go", "lamp/dawn.go", "cmd/lighthouse/main.go", "lamp/lamp_test.go"],
        check: "go test ./...",
        passes: "?   \tlighthouse/cmd/lighthouse\t[no test files]\nok  \tlighthouse/lamp\t0.214s",
        fails: (
            1,
            "--- FAIL: TEST (0.00s)\n    FILE:27: dawn came at 04:12, want 04:11\nFAIL\nFAIL\tlighthouse/lamp\t0.209s\nFAIL",
        ),
        tests: &["TestDawn", "TestLampTurns", "TestFog"],
        habits: &[(24, Habit::UnknownFlag), (22, Habit::WrongFolder)],
    },
];

impl Project {
    fn file(&self, dice: &mut Dice) -> String {
        format!("/home/robin/{}/{}", self.name, dice.pick(self.files))
    }

    /// Work in which nothing fails.
    fn calm(&self, dice: &mut Dice) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..dice.between(4, 9) {
            let file = self.file(dice);
            steps.push(match dice.roll(5) {
                0 => shell("git status --short", " M README.md", 0, 1),
                1 => shell("git diff --stat", " 2 files changed, 14 insertions(+), 3 deletions(-)", 0, 1),
                2 => call(
                    "Grep",
                    json!({ "pattern": dice.pick(&["tide", "station", "dawn"]), "output_mode": "files_with_matches" }),
                    &file,
                ),
                3 => edit(&file),
                _ => call("Read", json!({ "file_path": file }), "     1\tfirst line\n     2\tsecond line\n"),
            });
        }
        steps.push(shell(self.check, self.passes, 0, dice.between(3, 16)));
        steps
    }

    /// A check that is red, and becomes green: no waste, but the work itself.
    fn red(&self, dice: &mut Dice) -> Vec<Step> {
        let (case, file) = (dice.pick(self.tests), dice.pick(self.files));
        let (code, text) = self.fails;
        let text = text.replace("TEST", case).replace("FILE", file);
        let path = format!("/home/robin/{}/{file}", self.name);
        // The change that it finds fault with.
        let mut steps = vec![edit(&path), shell(self.check, &text, code, dice.between(4, 18))];
        for _ in 0..dice.roll(2) {
            steps.extend([call("Read", json!({ "file_path": path }), "     1\tfirst line\n"), edit(&path)]);
            steps.push(shell(self.check, &text, code, dice.between(4, 18)));
        }
        steps.extend([edit(&path), shell(self.check, self.passes, 0, dice.between(3, 16))]);
        steps
    }

    /// A red check that a pipe hides, and a commit over it.
    fn hidden(&self, dice: &mut Dice) -> Vec<Step> {
        let (_, text) = self.fails;
        let text = text.replace("TEST", dice.pick(self.tests)).replace("FILE", dice.pick(self.files));
        let lines: Vec<&str> = text.lines().collect();
        let end = lines.iter().skip(lines.len().saturating_sub(5)).copied().collect::<Vec<_>>().join("\n");
        vec![
            shell(&format!("{} 2>&1 | tail -5", self.check), &end, 0, dice.between(4, 18)),
            shell("git commit -qam 'Round to the minute'", "", 0, 1),
        ]
    }
}

impl Habit {
    fn steps(self, project: &Project, dice: &mut Dice) -> Vec<Step> {
        match self {
            Self::WrongRunner => vec![
                shell(
                    "rtk bun run test",
                    "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>",
                    2,
                    1,
                ),
                shell("bun run test", project.passes, 0, 9),
            ],
            Self::WrongPython => {
                let again = dice.roll(3) == 0;
                let missing =
                    || shell("python scripts/stations.py", "/bin/bash: line 1: python: command not found", 127, 1);
                let mut steps = vec![missing()];
                steps.extend(again.then(missing));
                steps.push(shell("python3 scripts/stations.py", "41 stations", 0, 2));
                steps
            }
            Self::UnknownFlag => vec![
                shell(
                    "gh pr diff 104 --stat",
                    "unknown flag: --stat\n\nUsage:  gh pr diff [<number> | <url> | <branch>] [flags]",
                    1,
                    1,
                ),
                shell("gh pr diff 104 --name-only", dice.pick(project.files), 0, 2),
            ],
            Self::WrongFolder => {
                let line = format!("cd {} && ls", project.name);
                let error = format!("/bin/bash: line 1: cd: {}: No such file or directory", project.name);
                vec![shell(&line, &error, 1, 1), shell("ls", "README.md\nsrc\ntests", 0, 1)]
            }
            Self::Refused => {
                let result = "This command requires approval".to_owned();
                vec![Step { result, ..shell("gh pr view 104 --json title,state", "", 1, 1) }]
            }
            Self::Missing => vec![
                shell(
                    "python3 scripts/stations.py --positions",
                    "Traceback (most recent call last):\n  File \"scripts/stations.py\", line 3, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'",
                    1,
                    1,
                ),
                shell("pip install pyyaml", "Successfully installed pyyaml-6.0.2", 0, 6),
                shell("python3 scripts/stations.py --positions", "41 stations", 0, 2),
            ],
            Self::Locked => vec![shell(
                "git commit -m 'Wrap at midnight'",
                "error: gpg failed to sign the data\nfatal: failed to write commit object",
                128,
                1,
            )],
        }
    }
}

/// Waits and loops, which any project has now and then.
fn trouble(project: &Project, dice: &mut Dice) -> Vec<Step> {
    match dice.roll(4) {
        0 => vec![
            shell(
                "npm ci --prefix viewer",
                "npm error code E429\nnpm error 429 Too Many Requests - GET https://registry.example/tide\nnpm error retry-after: 40",
                1,
                9,
            ),
            shell("npm ci --prefix viewer", "added 214 packages in 8s", 0, 48),
        ],
        1 => {
            let error = "make: *** No rule to make target 'stations/harwich.csv', needed by 'chart'.  Stop.";
            (0..dice.between(2, 5)).map(|_| shell("make chart", error, 2, 1)).collect()
        }
        2 => {
            let file = project.file(dice);
            let input = json!({ "file_path": file, "old_string": "high water", "new_string": "low water" });
            let missed = "<tool_use_error>String to replace not found in file.\nString: high water</tool_use_error>";
            let miss = Step { tool: "Edit", input, result: missed.to_owned(), failed: true, took: 1 };
            vec![miss, call("Read", json!({ "file_path": file }), "     1\thigh  water\n"), edit(&file)]
        }
        _ => vec![shell(
            "curl -sS http://localhost:8080/health",
            "curl: (7) Failed to connect to localhost port 8080 after 0 ms: Couldn't connect to server",
            7,
            1,
        )],
    }
}

fn shell(command: &str, output: &str, code: u8, took: u64) -> Step {
    let result = if code == 0 { output.to_owned() } else { format!("Exit code {code}\n{output}") };
    Step { tool: "Bash", input: json!({ "command": command }), result, failed: code != 0, took }
}

fn call(tool: &'static str, input: Value, result: &str) -> Step {
    Step { tool, input, result: result.to_owned(), failed: false, took: 1 }
}

fn edit(file: &str) -> Step {
    let input = json!({ "file_path": file, "old_string": "high", "new_string": "low" });
    call("Edit", input, &format!("The file {file} has been updated."))
}

/// The sessions of the thirty days before `until`.
pub(crate) fn sessions(until: DateTime<Utc>) -> Vec<MadeSession> {
    let first = until - TimeDelta::days(DAYS);
    let mut dice = Dice(20_260_314);
    let gap = TimeDelta::days(DAYS).num_seconds() / i64::try_from(SESSIONS).unwrap_or(1);
    let begin = |number: u64, dice: &mut Dice| {
        let offset =
            i64::try_from(number).unwrap_or_default() * gap + i64::try_from(dice.roll(3600)).unwrap_or_default();
        first + TimeDelta::seconds(offset)
    };
    (0..SESSIONS)
        .filter_map(|number| {
            let at = begin(number, &mut dice);
            let project = PROJECTS.get(usize::try_from(dice.roll(PROJECTS.len() as u64)).ok()?)?;
            let mut steps = project.calm(&mut dice);
            for _ in 0..dice.between(2, 6) {
                steps.extend(match dice.roll(10) {
                    0 | 1 => project.red(&mut dice),
                    2 if dice.roll(3) == 0 => project.hidden(&mut dice),
                    3 if dice.roll(2) == 0 => trouble(project, &mut dice),
                    _ => project.calm(&mut dice),
                });
            }
            for (share, habit) in project.habits {
                if dice.roll(100) < *share {
                    steps.extend(habit.steps(project, &mut dice));
                    steps.extend(project.calm(&mut dice));
                }
            }
            Some(transcript(number, project, at, &steps, &mut dice))
        })
        .collect()
}

/// A session in the client's format, with what its turns cost.
fn transcript(number: u64, project: &Project, at: DateTime<Utc>, steps: &[Step], dice: &mut Dice) -> MadeSession {
    let id = format!("5d0c{number:04x}-3a64-4b1e-9b57-{:012x}", number + 1);
    let (mut clock, mut context, mut text, mut lines) = (at, 16_000, String::new(), 0);
    let mut line = |clock: DateTime<Utc>, kind: &str, message: Value| {
        lines += 1;
        let line = json!({
            "parentUuid": null, "isSidechain": false, "type": kind, "uuid": format!("{}{lines:012}", &id[..24]),
            "timestamp": clock.to_rfc3339_opts(SecondsFormat::Millis, true), "userType": "external",
            "cwd": format!("/home/robin/{}", project.name), "sessionId": id, "version": "2.1.329", "gitBranch": "main",
            "message": message,
        });
        text.push_str(&line.to_string());
        text.push('\n');
    };
    line(clock, "user", json!({ "role": "user", "content": "Go on with the next piece of work." }));
    for (at, step) in steps.iter().enumerate() {
        let call = format!("toolu_{number:02}x{at:04}");
        let written = dice.between(200, 1800);
        let usage = json!({
            "input_tokens": 6, "cache_creation_input_tokens": written, "cache_read_input_tokens": context,
            "output_tokens": dice.between(60, 700),
        });
        context += written;
        clock += TimeDelta::seconds(i64::try_from(dice.between(4, 25)).unwrap_or_default());
        let blocks = json!([{ "type": "tool_use", "id": call, "name": step.tool, "input": step.input }]);
        let id = format!("msg_{number:02}x{at:04}");
        line(
            clock,
            "assistant",
            json!({ "id": id, "role": "assistant", "model": "claude-sonnet-4-5", "content": blocks, "usage": usage }),
        );
        clock += TimeDelta::seconds(i64::try_from(step.took).unwrap_or_default());
        let blocks =
            json!([{ "type": "tool_result", "tool_use_id": call, "content": step.result, "is_error": step.failed }]);
        line(clock, "user", json!({ "role": "user", "content": blocks }));
    }
    MadeSession { place: format!("-home-robin-{}/{id}.jsonl", project.name), text }
}
