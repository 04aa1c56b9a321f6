//! The history as a file: what is appended, what is folded again, and what must not be touched.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "looks at the files, as other hands would")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use failwise::digest::checksum;
use failwise::engine::failure_of;
use failwise::history::{Body, Classified, Effect, Event, Execution, HistoryFacts, Line, State, parse};
use failwise::journal::{Journal, Ledger};
use failwise::model::{
    Category, Ids, Object, ObjectKind, Operation, Outcome, Phase, PlanFacts, Proof, Reading, RunResult, Signature,
};
use serde_json::json;
use tempfile::TempDir;

const NODE: &str = "session/s1/agent/a1";
const SIBLING: &str = "session/s1/agent/a2";

/// A journal in a folder of its own.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The journal's folder, which does not exist before the first use.
    fn dir(&self) -> PathBuf {
        self.folder.path().join("p/history")
    }

    fn file(&self) -> PathBuf {
        self.dir().join("history.jsonl")
    }

    fn begin(&self) -> Ledger {
        Journal::in_dir(&self.dir()).begin().unwrap()
    }

    fn append(&self, mut events: Vec<Event>) -> Vec<Event> {
        self.begin().append(&mut events).unwrap();
        events
    }

    fn state(&self, node: &str) -> State {
        State::clone(&self.begin().state(node))
    }

    /// The state as it is after everything derived was deleted.
    fn rebuilt(&self, node: &str) -> State {
        fs::remove_dir_all(self.dir().join("state")).unwrap();
        self.state(node)
    }

    /// Adds to the file as another program would.
    fn by_other_hands(&self, text: &str) {
        let mut file = File::options().append(true).create(true).open(self.file()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    /// Every line of the file as an event; each must be one. Only where hooks wrote without the lock may a line be
    /// empty: one that sees the beginning of another's write takes it for a torn line, and starts on a new one.
    fn events(&self) -> Vec<Event> {
        let text = self.text();
        let lines = text.lines().filter(|line| !line.is_empty());
        let events: Vec<Event> =
            lines.map(|line| event_in(line).unwrap_or_else(|| panic!("no event: {line}"))).collect();
        assert!(text.lines().count() == events.len() || events.iter().any(|event| event.unlocked), "an empty line");
        events
    }
}

fn event_in(line: &str) -> Option<Event> {
    match parse(line.as_bytes()) {
        Line::Event(event) => Some(*event),
        _ => None,
    }
}

fn failed(node: &str, call: &str) -> Event {
    let ids = Ids { session: Some("s1".to_owned()), tool_use: Some(call.to_owned()), ..Ids::default() };
    let id = format!("{:0>16}", call.len());
    let execution = Execution {
        phase: Some(Phase::Call),
        tool: Some("Bash".to_owned()),
        outcome: Some(Outcome::Failed),
        operation: Some(Operation("pytest -q".to_owned())),
        effect: Effect::Shell,
        text: Some("1 failed — Straße\n".to_owned()),
        reading: Some(Reading {
            runner: Some("pytest".to_owned()),
            result: RunResult::Failed,
            category: Category::TestFailure,
            objects: vec![Object { kind: ObjectKind::Test, name: "tests/test_quota.py::test_burst".to_owned() }],
            proof: Proof::Parsed,
            ..Reading::unrecognised()
        }),
        signature: Some(Signature { fine: "5d1c0a7be2f49836".to_owned(), ..Signature::none() }),
        ..Execution::default()
    };
    Event::new(id, "2026-03-01T10:00:00.000Z", node, &ids, Body::ExecutionFailed(Box::new(execution)))
}

fn line(event: &Event) -> String {
    serde_json::to_string(event).unwrap() + "\n"
}

fn attempts(state: &State) -> u32 {
    state.episodes.last().map_or(0, |episode| episode.attempts)
}

#[test]
fn events_are_whole_lines_and_private() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(NODE, "b")]);
    place.append(vec![failed(NODE, "c")]);
    let calls: Vec<_> = place.events().into_iter().map(|event| event.tool_use_id.unwrap()).collect();
    assert_eq!(calls, ["a", "b", "c"]);
    assert!(place.text().ends_with("}\n"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in [place.folder.path().join("p"), place.dir(), place.dir().join("state")] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    let files = [place.dir(), place.dir().join("state")].into_iter().flat_map(|dir| fs::read_dir(dir).unwrap());
    for file in files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_torn_tail_gets_its_newline_and_costs_no_event() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let whole = line(&failed(NODE, "torn"));
    place.by_other_hands(&whole[..whole.len() / 2]);
    place.append(vec![failed(NODE, "b")]);
    let text = place.text();
    let lines: Vec<bool> = text.lines().map(|line| event_in(line).is_some()).collect();
    assert_eq!(lines, [true, false, true]);
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 2);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn a_last_line_without_its_newline_is_an_event_all_the_same() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    place.by_other_hands(line(&failed(NODE, "b")).trim_end());
    assert_eq!(attempts(&place.state(NODE)), 2);
    place.append(vec![failed(NODE, "c")]);
    assert_eq!(place.events().len(), 3);
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 3);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn a_line_that_other_hands_write_in_two_parts_is_folded_once_it_is_whole() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let whole = line(&failed(NODE, "b"));
    let (one, two) = whole.split_at(40);
    place.by_other_hands(one);
    assert_eq!(attempts(&place.state(NODE)), 1, "half a line says nothing");
    place.by_other_hands(two);
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 2);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn a_state_that_is_rebuilt_equals_the_one_that_was_kept() {
    let place = Place::new();
    for number in 0..30 {
        let node = if number % 3 == 0 { SIBLING } else { NODE };
        let mut event = failed(node, &format!("call-{number}"));
        let mut execution = event.execution().unwrap().clone();
        if number % 5 == 4 {
            execution.effect = Effect::Files;
            execution.files_touched = vec![format!("/srv/app/{number}.py")];
        }
        event.body = if number % 7 == 6 {
            execution.outcome = Some(Outcome::Succeeded);
            Body::ExecutionCompleted(Box::new(execution))
        } else {
            Body::ExecutionFailed(Box::new(execution))
        };
        place.append(vec![event]);
    }
    let kept = [place.state(NODE), place.state(SIBLING)];
    assert!(kept.iter().all(|state| !state.recent.is_empty() && !state.changes.is_empty()));
    assert_eq!(kept[0], place.rebuilt(NODE));
    assert_eq!(kept[1], place.rebuilt(SIBLING));
}

#[test]
fn a_shorter_history_is_folded_anew() {
    let place = Place::new();
    for call in ["a", "b", "c"] {
        place.append(vec![failed(NODE, call), failed(SIBLING, call)]);
    }
    let first = place.text().lines().next().unwrap().to_owned() + "\n";
    fs::write(place.file(), &first).unwrap();
    assert_eq!(attempts(&place.state(NODE)), 1);
    assert_eq!(place.state(SIBLING), State::new(SIBLING), "nothing of the other node is left");
}

#[test]
fn another_file_in_its_place_is_folded_anew() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let other = place.dir().join("other");
    fs::write(&other, line(&failed(NODE, "x")).repeat(5)).unwrap();
    fs::rename(&other, place.file()).unwrap();
    assert_eq!(attempts(&place.state(NODE)), 5);
    fs::remove_file(place.file()).unwrap();
    assert_eq!(place.state(NODE), State::new(NODE), "a history that was deleted starts again");
}

#[test]
fn what_other_hands_wrote_is_folded_in() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    place.by_other_hands(&format!("\n{}not json\n{}", line(&failed(NODE, "b")), line(&failed(SIBLING, "c"))));
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 2);
    assert_eq!(attempts(&place.state(SIBLING)), 1);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn what_other_hands_wrote_under_our_lock_is_folded_in_once() {
    // A hook that could not have the lock appends all the same, at any moment.
    for (foreign, own) in [("x", "a-call-with-a-longer-name"), ("a-call-with-a-longer-name", "x")] {
        let place = Place::new();
        place.append(vec![failed(NODE, "first")]);
        let mut ledger = place.begin();
        place.by_other_hands(&line(&failed(NODE, foreign)));
        ledger.append(&mut [failed(NODE, own)]).unwrap();
        assert_eq!(attempts(&ledger.state(NODE)), 3);
        drop(ledger);
        let kept = place.state(NODE);
        assert_eq!(attempts(&kept), 3);
        assert_eq!(kept, place.rebuilt(NODE));
    }
}

#[test]
fn a_long_gap_is_read_from_its_end_and_said_so() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let foreign = line(&failed(SIBLING, "x"));
    place.by_other_hands(&line(&failed(NODE, "lost")));
    place.by_other_hands(&foreign.repeat(1024 * 1024 / foreign.len() + 2));
    place.by_other_hands(&line(&failed(NODE, "b")));
    let mut ledger = place.begin();
    assert!(ledger.is_truncated(NODE));
    assert_eq!(attempts(&ledger.state(NODE)), 2, "the one far behind is not read");
    ledger.append(&mut [failed(NODE, "c")]).unwrap();
    drop(ledger);
    assert!(place.events().last().unwrap().history_truncated);
    place.append(vec![failed(NODE, "d"), failed("session/s2", "x")]);
    let truncated: Vec<bool> = place.events().iter().rev().take(2).map(|event| event.history_truncated).collect();
    assert_eq!(truncated, [true, true], "nor is what was before of any other node");
    place.append(vec![passed(NODE, "e")]);
    place.append(vec![failed(NODE, "f")]);
    let truncated: Vec<bool> = place.events().iter().rev().take(2).map(|event| event.history_truncated).collect();
    assert_eq!(truncated, [false, true], "what is open from here on is known");
}

/// Attempts that lie more than 1 MiB behind, and a sibling's failures in front of them.
fn with_old_attempts(mebibytes: usize) -> Place {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(NODE, "b")]);
    let foreign = line(&failed(SIBLING, "x"));
    let share = foreign.repeat(512 * 1024 / foreign.len());
    for _ in 0..2 * mebibytes {
        place.by_other_hands(&share);
        drop(place.begin());
    }
    place.by_other_hands(&foreign.repeat(10));
    assert_eq!(attempts(&place.state(NODE)), 2);
    place
}

fn lose_states(place: &Place) {
    fs::remove_dir_all(place.dir().join("state")).unwrap();
}

fn tear_states(place: &Place) {
    for entry in fs::read_dir(place.dir().join("state")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read(&path).unwrap();
        fs::write(path, &text[..text.len() / 2]).unwrap();
    }
}

fn lose_the_record(place: &Place) {
    fs::remove_file(place.dir().join("history.lock")).unwrap();
}

const LOSSES: [fn(&Place); 3] = [lose_states, tear_states, lose_the_record];

#[test]
fn attempts_are_found_behind_a_lost_state() {
    for lose in LOSSES {
        let place = with_old_attempts(2);
        lose(&place);
        place.append(vec![failed(NODE, "c")]);
        assert_eq!(attempts(&place.state(NODE)), 3);
        assert!(!place.events().last().unwrap().history_truncated);
    }
}

#[test]
fn what_is_too_far_behind_a_lost_state_is_said_until_it_ends() {
    for lose in LOSSES {
        let place = with_old_attempts(9);
        lose(&place);
        // Two hooks: the first must not be the only one that says it.
        for id in ["c", "d"] {
            place.append(vec![failed(NODE, id)]);
            assert!(place.events().last().unwrap().history_truncated, "{id}");
        }
        place.append(vec![passed(NODE, "e")]);
        place.append(vec![failed(NODE, "f")]);
        assert!(!place.events().last().unwrap().history_truncated);
    }
}

#[test]
fn a_node_that_is_new_is_not_taken_for_one_that_was_lost() {
    let place = with_old_attempts(9);
    lose_states(&place);
    place.append(vec![failed("session/s1/agent/new", "a")]);
    assert!(!place.events().last().unwrap().history_truncated);
}

#[test]
fn a_verdict_that_missed_an_event_is_followed_by_a_doubt() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    for (foreign, reason) in [
        (unlocked(failed(NODE, "b")), Some("another event of this node came in between")),
        (unlocked(edited(SIBLING, "/p/x.rs")), Some("a sibling changed a file in between")),
        (unlocked(edited("session/s2/agent/a1", "/p/x.rs")), None),
        (unlocked(failed(SIBLING, "x")), None),
    ] {
        let before = place.events().len();
        let mut ledger = place.begin();
        place.by_other_hands(&line(&foreign));
        ledger.append(&mut with_verdict(failed(NODE, &format!("c{before}")))).unwrap();
        drop(ledger);
        // The next hook has nothing to add.
        drop(place.begin());
        let events = place.events();
        let new = &events[before..];
        assert_eq!(new[2].verdict().map(|verdict| verdict.episode.as_str()), Some("e"));
        assert_eq!(
            doubts(new),
            reason.map(|reason| (new[2].id.clone(), reason.to_owned())).into_iter().collect::<Vec<_>>()
        );
    }
    assert_eq!(attempts(&place.state(NODE)), 6);
    assert_eq!(place.state(NODE), place.rebuilt(NODE));
}

/// A hook without the lock cannot say it: whoever folds its lines in does.
#[test]
fn a_verdict_made_without_the_lock_is_doubted_by_the_next_hook() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let length = || fs::metadata(place.file()).unwrap().len();
    for knows in [true, false] {
        let before = length();
        place.append(vec![failed(NODE, &format!("b-{knows}"))]);
        let read_to = Some(if knows { length() } else { before });
        let verdict = with_verdict(failed(NODE, &format!("c-{knows}"))).into_iter();
        let verdict: Vec<Event> = verdict.map(|event| Event { read_to, ..unlocked(event) }).collect();
        place.by_other_hands(&verdict.iter().map(line).collect::<String>());
        place.append(vec![failed(SIBLING, "x")]);
        let reason = "another event of this node came in between".to_owned();
        let expected: Vec<_> = (!knows).then(|| (verdict[1].id.clone(), reason)).into_iter().collect();
        assert_eq!(doubts(&place.events()), expected);
    }
}

/// The run of the same tests that passes.
fn passed(node: &str, call: &str) -> Event {
    let mut event = failed(node, call);
    let mut execution = event.execution().unwrap().clone();
    execution.outcome = Some(Outcome::Succeeded);
    execution.signature = None;
    let reading = execution.reading.as_mut().unwrap();
    (reading.result, reading.category) = (RunResult::Passed, Category::Unknown);
    reading.objects.clear();
    event.body = Body::ExecutionCompleted(Box::new(execution));
    event
}

fn edited(node: &str, file: &str) -> Event {
    let execution = Execution {
        phase: Some(Phase::Call),
        tool: Some("Edit".to_owned()),
        outcome: Some(Outcome::Succeeded),
        effect: Effect::Files,
        files_touched: vec![file.to_owned()],
        ..Execution::default()
    };
    let ids = Ids { tool_use: Some(format!("edit of {file} by {node}")), ..Ids::default() };
    Event::new("edit".to_owned(), "t", node, &ids, Body::ExecutionCompleted(Box::new(execution)))
}

fn unlocked(event: Event) -> Event {
    Event { unlocked: true, ..event }
}

/// A failure and a verdict on it, as one hook writes them.
fn with_verdict(failure: Event) -> Vec<Event> {
    let verdict = json!({
        "class": "F2", "class_name": "local-logic", "confidence": 0.9, "evidence": [], "recommended_action": "self_heal",
        "node_id": failure.node, "parent_node_id": null, "schema_version": 1, "outcome": "failed", "rule": "r",
        "ruleset": "default", "category": "test_failure", "signature": {"fine": "f", "coarse": "c", "version": 1},
        "operation": "pytest -q", "episode": "e", "attempt": 1, "unchanged_retries": 0, "retry_after_ms": null,
        "tool_use_id": failure.tool_use_id, "history_ref": failure.id,
    });
    let classified = Classified { verdict: Some(serde_json::from_value(verdict).unwrap()), ..Classified::default() };
    let id = format!("verdict on {:?}", failure.tool_use_id);
    let body = Body::FailureClassified(Box::new(classified));
    let event = Event::new(id, "t", &failure.node, &failure.ids(), body);
    vec![failure, event]
}

/// Which verdicts are in doubt, and why.
fn doubts(events: &[Event]) -> Vec<(String, String)> {
    let doubt = |event: &Event| match &event.body {
        Body::VerdictInDoubt { verdict_id, reason } => Some((verdict_id.clone()?, reason.clone()?)),
        _ => None,
    };
    events.iter().filter_map(doubt).collect()
}

#[test]
fn lines_of_a_newer_version_are_skipped() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    place.by_other_hands(&line(&Event { v: Event::VERSION + 1, ..failed(NODE, "b") }));
    place.by_other_hands("{\"v\":9,\"event\":{\"kind\":\"unheard of\"},\"node\":7}\n");
    assert_eq!(attempts(&place.append_and_state("c")), 2);
}

#[test]
fn records_of_older_plan_trees_are_accepted_and_counted() {
    let place = Place::new();
    let node = "TASK-00007";
    place.append(vec![failed(node, "a")]);
    place.by_other_hands(concat!(
        "{\"ts\":\"2025-11-02T08:31:02.114Z\",\"node\":\"TASK-00007\",\"event\":\"execution_failed\",\"tool\":\"Bash\",",
        "\"exit_code\":101,\"actor\":\"hook\"}\n",
        "{\"ts\":\"2025-11-02T08:32:00Z\",\"node\":\"TASK-00007\",\"event\":\"execution_failed\",\"tool\":null,",
        "\"exit_code\":null,\"actor\":\"hook\"}\n",
        "{\"ts\":\"2025-11-02T08:32:30Z\",\"event\":\"execution_completed\",\"node\":\"TASK-00007\",\"exit_code\":0}\n",
        "{\"ts\":\"2025-11-02T08:33:00Z\",\"verb\":\"replan\",\"target\":\"TASK-00007\",\"reason\":\"drift\",\"revision\":2}\n",
        "{\"ts\":\"2025-11-02T08:34:00Z\",\"node\":\"TASK-00007\",\"from\":\"active\",\"to\":\"blocked\",\"trigger\":\"x\"}\n",
        "{\"ts\":\"2025-11-02T08:35:00Z\",\"verb\":\"plan_create\",\"node\":\"TASK-00007\",\"agent\":\"architect\"}\n",
        "{\"ts\":\"2025-11-02T08:36:00Z\",\"event\":\"session_start\",\"active\":{\"task\":\"TASK-00007\"}}\n",
    ));
    let state = place.state(node);
    let last: Vec<bool> = state.recent.iter().map(|call| call.failed).collect();
    assert_eq!(last, [true, true, true, false]);
    let failure = failed(node, "b");
    let failure_event = failure_of(&failure).unwrap();
    let facts = HistoryFacts::gather(&failure_event, &failure.id, &PlanFacts::default(), &state, &[], None);
    assert_eq!(facts.node_failures, 4, "this one and three before it");
    assert_eq!((facts.attempt, facts.unchanged_retries), (2, 1), "that the node was stopped lets no call pass");
    assert_eq!(state, place.rebuilt(node));
}

#[test]
fn what_is_no_regular_file_is_left_alone() {
    type Put = fn(&Path, &Path);
    let link: Put = |path, other| symlink(other, path).unwrap();
    let broken: Put = |path, _| symlink("nowhere", path).unwrap();
    let folder: Put = |path, _| fs::create_dir(path).unwrap();
    let pipe: Put = |path, _| {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    for name in ["history.jsonl", "history.lock"] {
        for (what, put) in [("link", link), ("broken link", broken), ("folder", folder), ("pipe", pipe)] {
            let place = Place::new();
            fs::create_dir_all(place.dir()).unwrap();
            let other = place.folder.path().join("other");
            fs::write(&other, "theirs\n").unwrap();
            put(&place.dir().join(name), &other);
            let started = Instant::now();
            assert!(Journal::in_dir(&place.dir()).begin().is_err(), "{what} as {name}");
            assert!(started.elapsed() < Duration::from_secs(2), "{what} as {name} makes it wait");
            assert_eq!(fs::read_to_string(&other).unwrap(), "theirs\n", "{what} as {name}");
            assert!(!place.folder.path().join("nowhere").exists() && !place.dir().join("nowhere").exists());
            assert!(!place.dir().join("state").exists(), "{what} as {name}");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    // Not even root makes a file there.
    assert!(Journal::in_dir(Path::new("/proc/self/history")).begin().is_err());
    let place = Place::new();
    let dir = place.folder.path().join("closed");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, Permissions::from_mode(0o500)).unwrap();
    let is_closed = File::create(dir.join("probe")).is_err();
    let begun = Journal::in_dir(&dir).begin();
    assert_eq!(begun.is_err(), is_closed, "root may write there, others may not");
    // A file stands where a folder is needed.
    fs::write(place.folder.path().join("file"), "").unwrap();
    assert!(Journal::in_dir(&place.folder.path().join("file/history")).begin().is_err());
}

#[test]
fn a_state_that_cannot_be_kept_does_not_stop_the_history() {
    let place = Place::new();
    fs::create_dir_all(place.dir()).unwrap();
    fs::write(place.dir().join("state"), "in the way").unwrap();
    for number in 1..=3 {
        let mut ledger = place.begin();
        assert_eq!(attempts(&ledger.state(NODE)), number - 1);
        // That the state was not kept may be told; the event is recorded all the same.
        let _ = ledger.append(&mut [failed(NODE, &format!("call-{number}"))]);
        assert_eq!(place.events().len(), number as usize);
    }
}

#[test]
fn a_damaged_state_is_made_again_however_it_is_met() {
    let damage = |place: &Place| {
        for entry in fs::read_dir(place.dir().join("state")).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.extension().is_some_and(|extension| extension == "json") {
                fs::write(entry, "{\"v\":1,\"node\":").unwrap();
            }
        }
    };
    let place = || {
        let place = Place::new();
        place.append(vec![failed(NODE, "a"), failed(SIBLING, "b")]);
        place.append(vec![failed(NODE, "c"), failed(SIBLING, "d")]);
        damage(&place);
        place
    };
    let asked = place();
    assert_eq!(attempts(&asked.state(NODE)), 2, "by asking for it");
    assert_eq!(attempts(&asked.state(SIBLING)), 2, "by asking for it");

    let appended = place();
    appended.append(vec![failed(NODE, "e")]);
    assert_eq!(attempts(&appended.state(NODE)), 3, "by appending without asking");
    assert_eq!(attempts(&appended.state(SIBLING)), 2);

    let beside = place();
    let siblings = beside.begin().siblings(NODE, &[SIBLING.to_owned()]);
    assert_eq!(siblings.iter().map(attempts).collect::<Vec<_>>(), [2], "as a sibling that the plan names");
    let beside = place();
    let mut ledger = beside.begin();
    ledger.siblings(NODE, &[SIBLING.to_owned()]);
    ledger.append(&mut [failed(NODE, "e")]).unwrap();
    drop(ledger);
    assert_eq!(attempts(&beside.state(SIBLING)), 2, "after the sibling was asked for and a line was appended");

    let gap = place();
    gap.by_other_hands(&line(&failed(NODE, "e")));
    assert_eq!(attempts(&gap.state(NODE)), 3, "by reading what other hands wrote");
}

#[test]
fn a_state_of_another_version_is_made_again() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    for entry in fs::read_dir(place.dir().join("state")).unwrap().map(|entry| entry.unwrap().path()) {
        let text = fs::read_to_string(&entry).unwrap();
        let other = text.lines().next().unwrap().replacen(&format!("{{\"v\":{},", State::VERSION), "{\"v\":0,", 1);
        let other = other.replace(r#""attempts":1"#, r#""attempts":7"#);
        fs::write(entry, format!("{other}\n{:016x}\n", checksum(other.as_bytes()))).unwrap();
    }
    assert_eq!(attempts(&place.state(NODE)), 1);
}

#[test]
fn without_the_lock_events_are_appended_soon_and_folded_in_later() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let (dir, (locked, is_locked), (done, is_done)) = (place.dir(), mpsc::channel(), mpsc::channel::<()>());
    let holder = std::thread::spawn(move || {
        let lock = File::options().write(true).open(dir.join("history.lock")).unwrap();
        lock.lock().unwrap();
        locked.send(()).unwrap();
        let _ = is_done.recv();
    });
    is_locked.recv().unwrap();
    let started = Instant::now();
    let mut ledger = place.begin();
    assert_eq!(attempts(&ledger.state(NODE)), 1);
    let mut events = [failed(NODE, "b")];
    ledger.append(&mut events).unwrap();
    let waited = started.elapsed();
    assert!(waited >= Duration::from_millis(50), "it waits for the lock first: {waited:?}");
    assert!(waited < Duration::from_millis(500), "a held lock must not stop the agent: {waited:?}");
    assert!(events[0].unlocked);
    assert_eq!(attempts(&ledger.state(NODE)), 2, "the same hook counts on");
    drop(ledger);
    done.send(()).unwrap();
    holder.join().unwrap();
    assert_eq!(place.events().iter().map(|event| event.unlocked).collect::<Vec<_>>(), [false, true]);
    let after = place.append_and_state("c");
    assert_eq!(attempts(&after), 3);
    assert!(!place.events()[2].unlocked);
    assert_eq!(after, place.rebuilt(NODE));
}

/// Eight hooks at a time decide and append, `rounds` times each, each keeping the lock for a while; the lines they leave.
fn in_parallel(place: &Place, rounds: u32, keep: Duration) -> Vec<Event> {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for number in 0..rounds {
                    let mut ledger = place.begin();
                    let mut event = failed(NODE, &format!("call-{thread}-{number}"));
                    // What a hook decides, kept where the order can be read again.
                    event.execution_mut().unwrap().failed_attempts = Some(attempts(&ledger.state(NODE)) + 1);
                    std::thread::sleep(keep);
                    ledger.append(&mut [event]).unwrap();
                }
            });
        }
    });
    let events = place.events();
    let mut calls: Vec<_> = events.iter().map(|event| event.tool_use_id.clone().unwrap()).collect();
    calls.sort();
    calls.dedup();
    assert_eq!((events.len(), calls.len()), (8 * rounds as usize, 8 * rounds as usize), "no line is lost or torn");
    events
}

/// The attempts that were decided under the lock, in the file's order.
fn decided(events: &[Event]) -> Vec<u32> {
    let locked: Vec<u32> =
        events.iter().filter(|e| !e.unlocked).map(|e| e.execution().unwrap().failed_attempts.unwrap()).collect();
    assert!(locked.is_sorted_by(|one, next| one < next), "two hooks took themselves for the same attempt: {locked:?}");
    locked
}

#[test]
fn parallel_hooks_take_turns() {
    let place = Place::new();
    let events = in_parallel(&place, 50, Duration::ZERO);
    let locked = decided(&events);
    // A very slow machine may let the lock's time run out; then the lines say so.
    if locked.len() == events.len() {
        assert_eq!(locked, (1..=400).collect::<Vec<u32>>());
    }
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 400);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn hooks_that_cannot_wait_are_counted_all_the_same() {
    let place = Place::new();
    let events = in_parallel(&place, 5, Duration::from_millis(20));
    assert!(events.iter().any(|event| event.unlocked), "eight that keep it for 20 ms cannot all have it in 50 ms");
    decided(&events);
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 40);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn siblings_are_the_other_agents_of_the_session_or_those_named() {
    let place = Place::new();
    let nodes = ["session/s1", NODE, SIBLING, "session/s2/agent/a1", "TASK-00007"];
    place.append(nodes.iter().map(|node| failed(node, "x")).collect());
    let ids = |states: Vec<State>| states.into_iter().map(|state| state.node).collect::<Vec<_>>();
    assert_eq!(ids(place.begin().siblings(NODE, &[])), [SIBLING]);
    assert_eq!(ids(place.begin().siblings("session/s1", &[])), [""; 0]);
    let named = ["TASK-00007".to_owned(), "TASK-99999".to_owned()];
    assert_eq!(ids(place.begin().siblings("TASK-00008", &named)), ["TASK-00007"]);
}

#[test]
fn the_siblings_are_those_that_began_last_whatever_else_is_in_the_folder() {
    let place = Place::new();
    let agent = |number: usize| format!("session/s1/agent/b{number:02}");
    for number in 0..20 {
        place.append(vec![failed(&agent(number), "x")]);
    }
    // Whoever lists the folder meets these: states of the same session by their names, that cannot be read.
    let state = place.dir().join("state");
    let one = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .find(|name| fs::read_to_string(state.join(name)).unwrap().contains("agent/b07"));
    let one = one.unwrap().into_string().unwrap();
    let group = one.split_once('-').unwrap().0;
    let others: Vec<PathBuf> = (0..40).map(|number| state.join(format!("{group}-{number:016x}.json"))).collect();
    for other in &others {
        fs::write(other, "torn").unwrap();
    }
    let last: Vec<String> = (4..20).map(agent).collect();
    let names = |states: Vec<State>| states.into_iter().map(|state| state.node).collect::<Vec<_>>();
    assert_eq!(names(place.begin().siblings(&agent(2), &[])), last);
    assert_eq!(names(place.begin().siblings(&agent(19), &[])), last[..15]);
    place.append(vec![failed("session/s1/agent/b99", "x")]);
    assert!(others.iter().all(|other| fs::read_to_string(other).unwrap() == "torn"), "nobody looked at them");
    lose_states(&place);
    assert_eq!(place.begin().siblings(&agent(2), &[]).len(), 16, "the list is made again");
    tear_states(&place);
    place.append(vec![failed(&agent(2), "y")]);
    assert_eq!(place.begin().siblings(&agent(2), &[]).len(), 16, "and where an agent's state was torn, too");
}

/// Makes the states look as if they were last written so long ago, but for the newest ones.
fn age_states(place: &Place, age: Duration, newest: usize) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(place.dir().join("state")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().skip(newest) {
        File::options().write(true).open(path).unwrap().set_modified(std::time::SystemTime::now() - age).unwrap();
    }
}

fn state_files(place: &Place) -> usize {
    fs::read_dir(place.dir().join("state")).unwrap().count()
}

#[test]
fn states_that_nobody_uses_are_taken_away_where_there_are_many() {
    const DAY: Duration = Duration::from_hours(24);
    let place = Place::new();
    let journal = Journal::in_dir(&place.dir());
    let now = std::time::SystemTime::now;
    assert_eq!(journal.tidy(now()).unwrap(), 0);
    assert!(!place.dir().exists(), "nothing is made where nothing is");
    place.append((0..500).map(|number| failed(&format!("session/s{number}"), "x")).collect());
    age_states(&place, 30 * DAY, 0);
    assert_eq!((journal.tidy(now()).unwrap(), state_files(&place)), (0, 500), "few are left alone");
    place.append((500..700).map(|number| failed(&format!("session/s{number}"), "x")).collect());
    assert_eq!((journal.tidy(now()).unwrap(), state_files(&place)), (500, 200));
    place.append((700..1100).map(|number| failed(&format!("session/s{number}"), "x")).collect());
    age_states(&place, DAY / 2, 0);
    assert_eq!(journal.tidy(now()).unwrap(), 0, "what may be in use stays");
    age_states(&place, 2 * DAY, 0);
    assert_eq!((journal.tidy(now()).unwrap(), state_files(&place)), (88, 512));
    // What comes back all the same is known.
    place.append(vec![failed("session/s7", "y")]);
    assert_eq!(attempts(&place.state("session/s7")), 2);
    place.append(vec![failed("session/new", "y")]);
    assert_eq!(attempts(&place.state("session/new")), 1);
}

#[test]
fn peeking_takes_no_lock_and_writes_nothing() {
    let place = Place::new();
    let journal = Journal::in_dir(&place.dir());
    assert!(journal.peek(NODE).is_none());
    assert!(!place.dir().exists());
    place.append(vec![failed(NODE, "a")]);
    let held = place.begin();
    assert_eq!(journal.peek(NODE).map(|state| attempts(&state)), Some(1));
    drop(held);
}

impl Place {
    fn append_and_state(&self, call: &str) -> State {
        self.append(vec![failed(NODE, call)]);
        self.state(NODE)
    }
}

/// A time of the command line's clock.
fn at(clock: &str) -> chrono::NaiveDateTime {
    format!("2026-03-01T{clock}").parse().unwrap()
}

impl Place {
    fn rotate(&self, clock: &str) -> Option<PathBuf> {
        Journal::in_dir(&self.dir()).rotate(at(clock)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let stored = Journal::in_dir(&self.dir()).stored();
        stored.iter().map(|stored| stored.path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn open_episodes_survive_a_rotation() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(NODE, "b")]);
    let before = place.state(NODE);
    let text = place.text();
    let segment = place.rotate("10:00:00").unwrap();
    assert_eq!(segment.file_name().unwrap(), "history-20260301T100000Z.jsonl");
    assert_eq!(fs::read_to_string(&segment).unwrap(), text);
    assert_eq!(place.text(), "");
    assert_eq!(place.state(NODE), before, "nothing is forgotten");
    let after = place.append_and_state("c");
    assert_eq!(attempts(&after), 3);
    assert_eq!(after, place.rebuilt(NODE), "the segment is read where the state is gone");
    assert_eq!(place.rotate("10:00:00").unwrap().file_name().unwrap(), "history-20260301T100001Z.jsonl");
    let after = place.append_and_state("d");
    assert_eq!(attempts(&after), 4);
    assert_eq!(after, place.rebuilt(NODE), "two segments are read in their order");
}

#[test]
fn a_rotation_that_was_cut_off_is_finished_by_the_next_hook() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(NODE, "b")]);
    fs::rename(place.file(), place.dir().join("history-20260301T100000Z.jsonl")).unwrap();
    let after = place.append_and_state("c");
    assert_eq!(attempts(&after), 3);
    assert_eq!(after, place.rebuilt(NODE));
}

#[test]
fn a_torn_line_goes_into_the_segment_and_nothing_is_welded_to_it() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    place.by_other_hands("{\"v\":1,\"id\":\"torn");
    let segment = place.rotate("10:00:00").unwrap();
    assert!(fs::read_to_string(&segment).unwrap().ends_with("torn\n"));
    let after = place.append_and_state("b");
    assert_eq!(attempts(&after), 2);
    assert_eq!(after, place.rebuilt(NODE));
}

#[test]
fn places_are_the_same_where_an_older_segment_was_deleted() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let oldest = place.rotate("10:00:00").unwrap();
    place.append(vec![edited(NODE, "/p/x.rs"), failed(NODE, "b")]);
    place.rotate("11:00:00");
    place.append(vec![failed(SIBLING, "c")]);
    let kept = place.state(NODE);
    fs::remove_file(oldest).unwrap();
    place.tear(NODE);
    let restored = place.state(NODE);
    assert_eq!((attempts(&kept), attempts(&restored)), (2, 1));
    assert_eq!((restored.covered, &restored.changes), (kept.covered, &kept.changes));
}

#[test]
fn nothing_is_put_aside_where_nothing_is() {
    let place = Place::new();
    assert_eq!(place.rotate("10:00:00"), None);
    assert!(!place.dir().exists());
    place.append(vec![failed(NODE, "a")]);
    assert!(place.rotate("10:00:00").is_some());
    assert_eq!(place.rotate("10:00:01"), None);
}

#[test]
fn long_segments_are_read_from_their_end_and_said_so() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let foreign = line(&failed(SIBLING, "x"));
    place.by_other_hands(&foreign.repeat(8 * 1024 * 1024 / foreign.len() + 2));
    place.by_other_hands(&line(&failed(NODE, "b")));
    place.rotate("10:00:00");
    place.append(vec![failed(NODE, "c")]);
    fs::remove_dir_all(place.dir().join("state")).unwrap();
    let mut ledger = place.begin();
    assert_eq!(attempts(&ledger.state(NODE)), 2, "the one far behind is not read");
    assert!(ledger.is_truncated(NODE));
}

#[test]
fn a_rotation_waits_for_its_turn() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let ledger = place.begin();
    let (dir, (done, is_done)) = (place.dir(), mpsc::channel());
    let rotation = std::thread::spawn(move || {
        let rotated = Journal::in_dir(&dir).rotate(at("10:00:00")).unwrap();
        done.send(()).unwrap();
        rotated
    });
    assert!(is_done.recv_timeout(Duration::from_millis(200)).is_err(), "a hook is at work");
    drop(ledger);
    assert!(rotation.join().unwrap().is_some());
}

#[test]
fn only_what_is_failwises_own_is_taken_away() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    place.rotate("10:00:00");
    place.append(vec![failed(NODE, "b")]);
    let theirs = ["plan.md", "history-notes.jsonl", "state/notes.json", "active.json"];
    for name in theirs {
        fs::write(place.dir().join(name), "theirs").unwrap();
    }
    let journal = Journal::in_dir(&place.dir());
    journal.remove(&journal.stored()).unwrap();
    assert_eq!(place.names(), [""; 0]);
    for name in theirs {
        assert_eq!(fs::read_to_string(place.dir().join(name)).unwrap(), "theirs", "{name}");
        fs::remove_file(place.dir().join(name)).unwrap();
    }
    assert_eq!(attempts(&place.append_and_state("c")), 1, "it starts again");
    journal.remove(&journal.stored()).unwrap();
    assert!(!place.dir().exists(), "an empty folder goes too");
}

#[test]
fn a_hook_that_waited_for_a_purge_starts_again_with_the_others() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let old = File::options().write(true).open(place.dir().join("history.lock")).unwrap();
    old.lock().unwrap();
    let (dir, (begun, has_begun)) = (place.dir(), mpsc::channel());
    let waiting = std::thread::spawn(move || {
        begun.send(()).unwrap();
        let mut ledger = Journal::in_dir(&dir).begin().unwrap();
        ledger.append(&mut [failed(NODE, "b")]).unwrap();
    });
    has_begun.recv().unwrap();
    std::thread::sleep(Duration::from_millis(10));
    fs::remove_dir_all(place.dir()).unwrap();
    let other = place.begin();
    drop(old);
    waiting.join().unwrap();
    assert!(place.events()[0].unlocked, "the lock that it waited for guards nothing any more");
    drop(other);
    assert_eq!(attempts(&place.append_and_state("c")), 2);
}

#[test]
fn a_state_that_a_killed_process_wrote_in_part_is_made_again() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(NODE, "b")]);
    let states = || fs::read_dir(place.dir().join("state")).unwrap().map(|entry| entry.unwrap().path());
    let before: Vec<_> = states().map(|path| fs::read(path).unwrap()).collect();
    place.append(vec![failed(NODE, "c")]);
    for (path, before) in states().zip(before) {
        let now = fs::read(&path).unwrap();
        fs::write(&path, [&now[..now.len() / 2], &before[now.len() / 2..]].concat()).unwrap();
    }
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 3);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn states_that_were_taken_away_one_by_one_are_made_again() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    for entry in fs::read_dir(place.dir().join("state")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    place.append(vec![failed(NODE, "b")]);
    assert_eq!(attempts(&place.state(NODE)), 2, "by appending without asking");
}

#[test]
fn a_clock_that_goes_back_changes_no_order() {
    let place = Place::new();
    for (call, ts) in [("a", "2031-01-01T00:00:00.000Z"), ("b", "2026-01-01T00:00:00.000Z"), ("c", "")] {
        place.append(vec![Event { ts: ts.to_owned(), ..failed(NODE, call) }]);
    }
    let calls: Vec<_> = place.events().into_iter().map(|event| event.tool_use_id.unwrap()).collect();
    assert_eq!(calls, ["a", "b", "c"]);
    let kept = place.state(NODE);
    assert_eq!(attempts(&kept), 3);
    assert_eq!(kept, place.rebuilt(NODE));
}

#[test]
fn a_node_whose_state_is_in_the_way_costs_no_event() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let state = place.dir().join("state");
    let own = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some());
    let own = own.unwrap();
    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    for number in 2..=4 {
        assert_eq!(attempts(&place.append_and_state(&format!("call-{number}"))), number);
    }
    fs::remove_dir(&own).unwrap();
    assert_eq!(attempts(&place.append_and_state("last")), 5);
}

impl Place {
    fn state_files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.dir().join("state")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    fn state_file(&self, node: &str) -> PathBuf {
        let own = format!("\"node\":\"{node}\"");
        self.state_files().into_iter().find(|path| fs::read_to_string(path).unwrap().contains(&own)).unwrap()
    }

    fn tear(&self, node: &str) {
        let path = self.state_file(node);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, &text[..text.len() / 2]).unwrap();
    }
}

#[test]
fn a_single_state_that_was_taken_away_is_made_again() {
    for asks in [true, false] {
        let place = Place::new();
        place.append(vec![failed(NODE, "a"), failed(SIBLING, "b")]);
        place.append(vec![failed("session/s2", "c")]);
        fs::remove_file(place.state_file(NODE)).unwrap();
        if asks {
            assert_eq!(attempts(&place.state(NODE)), 1);
        }
        place.append(vec![failed(NODE, "d")]);
        assert_eq!(attempts(&place.state(NODE)), 2);
        assert_eq!(attempts(&place.state(SIBLING)), 1);
    }
}

#[test]
fn a_new_node_among_others_costs_no_refold() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    // What only a state knows tells whether the states were made again.
    let path = place.state_file(NODE);
    let text = fs::read_to_string(&path).unwrap();
    let marked = text.lines().next().unwrap().replace("\"attempts\":1", "\"attempts\":7");
    fs::write(&path, format!("{marked}\n{:016x}\n", checksum(marked.as_bytes()))).unwrap();
    for node in [SIBLING, "session/s2", "session/s3"] {
        assert_eq!(place.state(node), State::new(node));
        place.append(vec![failed(node, "b")]);
    }
    assert_eq!(attempts(&place.state(NODE)), 7);
}

/// A process that makes the states again was ended in the middle: some are there, some are not.
#[test]
fn states_that_were_half_made_again_are_not_taken_for_all() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(SIBLING, "b"), failed("session/s2", "c")]);
    let record = || fs::read(place.dir().join("history.lock")).unwrap();
    let before = record();
    // Another file in the history's place: all states must be made again.
    fs::copy(place.file(), place.dir().join("copy")).unwrap();
    fs::rename(place.dir().join("copy"), place.file()).unwrap();
    let sibling = place.state_file(SIBLING);
    // While the states are made again, the kept record must not stand: a folder in a state's place stops the work there.
    fs::remove_file(&sibling).unwrap();
    fs::create_dir(&sibling).unwrap();
    assert_eq!(attempts(&place.state(NODE)), 1);
    assert_ne!(record(), before, "the record speaks of states that are gone");
    fs::remove_dir(&sibling).unwrap();
    assert_eq!(attempts(&place.append_and_state("d")), 2);
    assert_eq!(attempts(&place.state(SIBLING)), 1);
    assert_eq!(attempts(&place.state("session/s2")), 1);
}

#[test]
fn a_siblings_torn_state_is_made_again() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(SIBLING, "b")]);
    place.tear(SIBLING);
    let siblings = place.begin().siblings(NODE, &[]);
    assert_eq!(siblings.iter().map(attempts).collect::<Vec<_>>(), [1]);
}

#[test]
fn another_file_with_the_number_of_the_old_one_is_folded_anew() {
    use std::os::unix::fs::MetadataExt;
    for _ in 0..8 {
        let place = Place::new();
        place.append(vec![failed(NODE, "a"), failed(NODE, "b")]);
        let (old, length) = (fs::metadata(place.file()).unwrap(), place.text().len());
        fs::remove_file(place.file()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let foreign = line(&failed(SIBLING, "c")).repeat(3);
        assert!(foreign.len() > length);
        place.by_other_hands(&foreign);
        let new = fs::metadata(place.file()).unwrap();
        if new.ino() == old.ino() && new.created().is_err() {
            continue;
        }
        assert_eq!(place.state(NODE), State::new(NODE), "nothing of the old history is left");
        assert_eq!(attempts(&place.state(SIBLING)), 3);
    }
}

#[test]
fn a_history_that_was_written_over_by_a_longer_one_is_folded_anew() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(NODE, "b")]);
    let foreign = line(&failed(SIBLING, "a call with a longer name")).repeat(3);
    assert_ne!(foreign.as_bytes()[place.text().len() - 1], b'\n');
    fs::write(place.file(), foreign).unwrap();
    assert_eq!(place.state(NODE), State::new(NODE));
    assert_eq!(attempts(&place.state(SIBLING)), 3);
}

#[test]
fn a_record_that_was_cut_says_nothing() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let lock = place.dir().join("history.lock");
    let old = fs::read(&lock).unwrap();
    place.append(vec![failed(NODE, "bb")]);
    let new = fs::read(&lock).unwrap();
    // The record is 128 bytes long; what is behind it are the marks of the states.
    for cut in 0..=160 {
        fs::write(&lock, [&new[..cut], &old[cut..]].concat()).unwrap();
        let kept = place.state(NODE);
        assert_eq!(attempts(&kept), 2, "cut at {cut}");
    }
}

/// A crash behind the append leaves an older record, and states of any age between it and the end.
#[test]
fn an_older_record_folds_nothing_twice() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(SIBLING, "b")]);
    let lock = place.dir().join("history.lock");
    let old = fs::read(&lock).unwrap();
    place.append(vec![failed(NODE, "c")]);
    place.append(vec![failed("session/s2", "d")]);
    fs::write(&lock, old).unwrap();
    for (node, expected) in [(NODE, 2), (SIBLING, 1), ("session/s2", 1)] {
        assert_eq!(attempts(&place.state(node)), expected, "{node}");
    }
}

#[test]
fn the_lock_may_be_deleted_while_it_is_held() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    let mut holder = place.begin();
    fs::remove_file(place.dir().join("history.lock")).unwrap();
    place.append(vec![failed(NODE, "b"), failed(SIBLING, "c")]);
    holder.append(&mut [failed(NODE, "d")]).unwrap();
    drop(holder);
    for (node, expected) in [(NODE, 3), (SIBLING, 1)] {
        assert_eq!(attempts(&place.state(node)), expected, "{node}");
    }
}

/// States and record of a backup belong together; a history that went on since is folded in.
#[test]
fn a_backup_of_all_but_the_history_is_caught_up_with() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(SIBLING, "b")]);
    let derived: Vec<PathBuf> = [place.state_files(), vec![place.dir().join("history.lock")]].concat();
    let backup: Vec<_> = derived.iter().map(|path| (path, fs::read(path).unwrap())).collect();
    place.append(vec![failed(NODE, "c")]);
    place.append(vec![failed("session/s2", "d")]);
    for (path, bytes) in backup {
        fs::write(path, bytes).unwrap();
    }
    for (node, expected) in [(NODE, 2), (SIBLING, 1), ("session/s2", 1)] {
        assert_eq!(attempts(&place.state(node)), expected, "{node}");
    }
}

#[test]
fn peeking_at_a_torn_state_makes_it_again() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a")]);
    place.tear(NODE);
    let peeked = Journal::in_dir(&place.dir()).peek(NODE);
    assert_eq!(peeked.map(|state| attempts(&state)), Some(1));
}

#[test]
fn without_the_lock_siblings_are_as_the_history_has_them() {
    let place = Place::new();
    place.append(vec![failed(NODE, "a"), failed(SIBLING, "b")]);
    let held = place.begin();
    place.by_other_hands(&line(&failed(SIBLING, "c")));
    place.by_other_hands(&line(&failed("session/s1/agent/a3", "d")));
    let siblings = place.begin().siblings(NODE, &[]);
    let mut seen: Vec<_> = siblings.iter().map(|state| (state.node.as_str(), attempts(state))).collect();
    seen.sort_unstable();
    assert_eq!(seen, [(SIBLING, 2), ("session/s1/agent/a3", 1)]);
    drop(held);
}
