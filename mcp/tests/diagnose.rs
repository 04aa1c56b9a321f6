//! `argus_diagnose` and `report_fix` over the protocol: the contract's acceptance rows, its codes, and what its first
//! implementation got wrong.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]
#![expect(clippy::disallowed_methods, reason = "starts the server and looks at the files it leaves")]

mod world;

use serde_json::{Value, json};
use world::{Server, World, case};

fn asked(world: &World, run: &str, case: &str) -> Value {
    json!({ "projectPath": world.project(), "runId": run, "caseName": case })
}

fn reported(world: &World, case: &str, words: &str, success: bool) -> Value {
    json!({
        "projectPath": world.project(), "runId": "run-1", "caseName": case, "fixDescription": words, "success": success,
    })
}

fn with(mut asked: Value, name: &str, value: Value) -> Value {
    asked[name] = value;
    asked
}

#[test]
fn a_known_failure_is_answered_with_its_pattern() {
    let world = World::with_run();
    let mut server = world.server();
    let data = server.data("argus_diagnose", &asked(&world, "run-1", "health-check"));
    assert_eq!(data["category"], "CONNECTION_REFUSED");
    assert_eq!(data["signaturePattern"], "CONNECTION_REFUSED::health-check::connect ECONNREFUSED <IP>:<PORT>");
    assert_eq!(data["signature"].as_str().map(str::len), Some(64));
    assert_eq!(data["pattern"]["id"], "builtin-conn-refused");
    assert_eq!(data["pattern"]["occurrences"], 1);
    assert_eq!(data["confidence"], 0.5);
    assert_eq!(data["isNewPattern"], false);
    let report = server.data("report_fix", &reported(&world, "health-check", "raised startPeriod to 30s", true));
    assert_eq!((&report["previousConfidence"], &report["resolutions"]), (&json!(0.5), &json!(1)));
    let again = server.data("argus_diagnose", &asked(&world, "run-1", "health-check"));
    assert_eq!(again["suggestedFix"], "an agent reported: raised startPeriod to 30s");
    assert_eq!(again["fixHistory"][0]["fixDescription"], again["suggestedFix"]);
    assert_eq!(again["pattern"]["occurrences"], 2);
    assert_eq!(again["fixHistory"][0]["patternId"], again["pattern"]["id"]);
    assert_eq!(again["fixHistory"][0]["id"], report["fixRecordId"]);
    server.end();
}

#[test]
fn an_unknown_failure_is_new_once_and_kept() {
    let world = World::with_run();
    let mut server = world.server();
    let first = server.data("argus_diagnose", &asked(&world, "run-1", "api-test"));
    assert_eq!(first["signaturePattern"], "UNKNOWN::api-test::unexpected error <HASH>");
    for name in ["pattern", "suggestedFix", "confidence"] {
        assert_eq!(first[name], Value::Null, "{name}");
    }
    assert_eq!((&first["isNewPattern"], &first["fixHistory"]), (&json!(true), &json!([])));
    let mut other = world.server();
    let second = other.data("argus_diagnose", &asked(&world, "run-1", "api-test"));
    assert_eq!((&second["isNewPattern"], &second["pattern"]["occurrences"]), (&json!(false), &json!(2)));
}

#[test]
fn every_code_has_its_case() {
    let world = World::with_run();
    let mut server = world.server();
    for (run, case, code) in [
        ("run-xyz", "health-check", "RUN_NOT_FOUND"),
        ("run-1", "no such case", "CASE_NOT_FOUND"),
        ("run-1", "passes", "CASE_NOT_FAILED"),
        ("run-1", "waits", "CASE_NOT_FAILED"),
    ] {
        assert_eq!(server.code("argus_diagnose", &asked(&world, run, case)), code, "{run} {case}");
    }
    let envelope = server.call("argus_diagnose", &asked(&world, "run-xyz", "health-check"));
    assert_eq!(envelope["error"]["message"], "Test run 'run-xyz' not found in history");
    std::fs::create_dir(world.home().join("quiet")).unwrap();
    for path in [world.home().join("quiet"), world.home().join("gone"), world.home().join("failed.xml"), "shop".into()]
    {
        let asked = json!({ "projectPath": path, "runId": "run-1", "caseName": "health-check" });
        assert_eq!(server.code("argus_diagnose", &asked), "SESSION_NOT_FOUND", "{}", path.display());
    }
    let missing = json!({ "projectPath": world.project(), "runId": 7 });
    assert_eq!(server.code("argus_diagnose", &missing), "INVALID_ARGUMENTS");
    let mut off = world.server_with(&[("FAILWISE", "off")]);
    for path in [world.project(), world.home().join("empty")] {
        let asked = json!({ "projectPath": path, "runId": "run-1", "caseName": "health-check" });
        assert_eq!(off.code("argus_diagnose", &asked), "HISTORY_DISABLED");
    }
    assert!(!world.history().contains("case_diagnosed"), "what was refused is not counted");
}

#[test]
fn a_folder_of_a_project_is_the_project() {
    let world = World::with_run();
    let mut server = world.server();
    let asked = json!({ "projectPath": world.project().join("src"), "runId": "run-1", "caseName": "sums" });
    let data = server.data("argus_diagnose", &asked);
    assert_eq!(data["category"], "ASSERTION_MISMATCH", "404 is a line");
    assert_eq!(
        data["signaturePattern"],
        "ASSERTION_MISMATCH::sums::expected 5 to equal 6 at src/sums.js:<LINE>:<LINE>"
    );
}

#[test]
fn a_failure_lowers_confidence_and_a_success_never_does() {
    let world = World::with_run();
    let mut server = world.server();
    server.data("argus_diagnose", &asked(&world, "run-1", "api-test"));
    let mut last = 0.0;
    let again = |server: &mut Server, run: &str| {
        server.data("report_fix", &with(reported(&world, "api-test", "restarted it", true), "runId", json!(run)))
    };
    for number in 0..4 {
        let run = format!("again-{number}");
        world.put(&run, 1_790_000_100_000 + number, &[case("api-test", "unexpected error a1b2c3d4e5f6")]);
        let report = again(&mut server, &run);
        let now = report["updatedConfidence"].as_f64().unwrap();
        assert!(now > last, "{number}: {now} after {last}");
        assert_eq!(report["resolutions"], number + 1);
        last = now;
        for _ in 0..30 {
            assert_eq!(again(&mut server, &run)["updatedConfidence"].as_f64(), Some(now), "said again");
        }
        let told = server.data("argus_diagnose", &asked(&world, "run-1", "api-test"));
        assert_eq!(told["confidence"].as_f64(), Some(now));
    }
    let report = server.data("report_fix", &reported(&world, "api-test", "prayed", false));
    assert!(report["updatedConfidence"].as_f64().unwrap() < last);
    let told = server.data("argus_diagnose", &asked(&world, "run-1", "api-test"));
    assert_eq!(told["suggestedFix"], "an agent reported: restarted it");
    assert_eq!(told["fixHistory"][0]["success"], false, "the newest comes first");
}

#[test]
fn a_pattern_can_be_named_in_place_of_a_case() {
    let world = World::with_run();
    let mut server = world.server();
    let signature = server.data("argus_diagnose", &asked(&world, "run-1", "silent"))["signature"].clone();
    let by = |signature: &Value| json!({ "projectPath": world.project(), "signature": signature, "fixDescription": "spoke" });
    let report = server.data("report_fix", &by(&signature));
    assert_eq!((&report["category"], &report["isNewPattern"]), (&json!("UNKNOWN"), &json!(false)));
    assert_eq!(server.code("report_fix", &by(&json!("0123456789abcdef0123"))), "PATTERN_NOT_FOUND");
    assert_eq!(server.code("report_fix", &by(&json!("%"))), "PATTERN_NOT_FOUND");
    assert_eq!(server.code("report_fix", &reported(&world, "passes", "nothing", true)), "CASE_NOT_FAILED");
    let marked =
        json!({ "projectPath": world.project(), "signature": signature, "fixDescription": "an agent reported: spoke" });
    assert_eq!(server.data("report_fix", &marked)["resolutions"], 1, "the mark is no part of the words");
    let neither = json!({ "projectPath": world.project(), "fixDescription": "x" });
    assert_eq!(server.code("report_fix", &neither), "INVALID_ARGUMENTS");
    let empty = json!({ "projectPath": world.project(), "signature": signature, "fixDescription": " \n " });
    assert_eq!(server.code("report_fix", &empty), "INVALID_ARGUMENTS");
}

#[test]
fn nothing_secret_is_kept_or_told() {
    let world = World::with_run();
    let mut server = world.server();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    let data = server.data("argus_diagnose", &asked(&world, "run-1", "leaky"));
    let report = reported(&world, "leaky", &format!("used\n{secret} \u{202e}instead"), true);
    server.data("report_fix", &report);
    let told = server.data("argus_diagnose", &asked(&world, "run-1", "leaky"));
    for text in [data.to_string(), told.to_string(), world.history()] {
        assert!(!text.contains(secret) && !text.contains('\u{202e}'), "{text}");
    }
    assert_eq!(told["suggestedFix"], Value::Null, "what hides something is no suggestion");
    let words = told["fixHistory"][0]["fixDescription"].as_str().unwrap();
    assert!(words.starts_with("an agent reported: used [redacted:") && words.ends_with("instead"), "{words}");
    let lost = json!({ "projectPath": world.project(), "runId": secret, "caseName": "x" });
    assert!(!server.call("argus_diagnose", &lost).to_string().contains(secret));
}

#[test]
fn known_fixes_are_not_told_where_recall_is_off() {
    let world = World::with_run();
    let mut server = world.server();
    server.data("report_fix", &reported(&world, "health-check", "started it first", true));
    let mut quiet = world.server_with(&[("FAILWISE_RECALL", "off")]);
    let data = quiet.data("argus_diagnose", &asked(&world, "run-1", "health-check"));
    assert_eq!((&data["suggestedFix"], &data["fixHistory"]), (&Value::Null, &json!([])));
    assert_eq!(data["category"], "CONNECTION_REFUSED");
}

#[test]
fn nothing_that_is_known_is_told_where_recall_is_off() {
    let world = World::with_run();
    let mut server = world.server();
    server.data("report_fix", &reported(&world, "api-test", "cleared the cache", true));
    let of_project = json!({ "projectPath": world.project(), "limit": 50 });
    let told = server.data("known_failures", &of_project);
    let fixes = |data: &Value| -> Vec<Value> {
        let failures = data["failures"].as_array().unwrap();
        failures.iter().map(|failure| json!([failure["suggestedFix"], failure["confidence"]])).collect()
    };
    assert!(fixes(&told).contains(&json!(["an agent reported: cleared the cache", 2.0 / 3.0])), "{told}");
    let mut quiet = world.server_with(&[("FAILWISE_RECALL", "off")]);
    let told = quiet.data("known_failures", &of_project);
    assert_eq!(fixes(&told), vec![json!([null, null]); 7], "six built-ins and the pattern: {told}");
    let counted = told["failures"].as_array().unwrap().iter().find(|failure| failure["source"] == "learned").unwrap();
    assert_eq!(counted["resolutions"], 1, "what was counted is told");
    let failed = json!({ "command": "pytest -q", "output": "FAILED tests/test_cart.py::test_pays - assert 1 == 2", "exitCode": 1 });
    assert_eq!(quiet.data("classify_failure", &failed)["recall"], Value::Null);
}

#[test]
fn a_base_made_anew_counts_the_same_where_nothing_is_learned() {
    let world = World::with_run();
    let off = [("FAILWISE_RECALL", "off")];
    // A call that the hook recorded names the project's folder, by which its settings are found.
    let call = json!({
        "v": 1, "id": "00000000000000e1", "ts": "2026-03-14T09:00:00.000Z", "node": "session:s", "session": "s",
        "event": "execution_completed", "cwd": world.project(),
    });
    std::fs::create_dir_all(world.history_file().parent().unwrap()).unwrap();
    std::fs::write(world.history_file(), format!("{call}\n")).unwrap();
    let mut server = world.server_with(&off);
    for _ in 0..2 {
        server.data("argus_diagnose", &asked(&world, "run-1", "api-test"));
    }
    server.data("report_fix", &reported(&world, "api-test", "cleared the cache", true));
    let learned = json!({ "projectPath": world.project(), "source": "learned" });
    let before = server.data("known_failures", &learned);
    assert_eq!((&before["failures"][0]["occurrences"], &before["failures"][0]["resolutions"]), (&2.into(), &1.into()));
    server.end();
    std::fs::remove_file(world.base()).unwrap();
    let mut server = world.server_with(&off);
    assert_eq!(server.data("known_failures", &learned), before);
    assert_eq!(server.data("known_failures", &learned), before, "each counts once");
    server.end();
    // Nothing is lost for the day on which all of it is learned.
    let mut server = world.server();
    assert_eq!(server.data("known_failures", &learned)["failures"][0]["occurrences"], 2);
}

#[test]
fn a_fix_that_was_reported_is_recalled_once_a_pass_confirms_it() {
    const CASE: &str = "test_ticks";
    const PRINTED: &str = "F\n=== FAILURES ===\nE   AssertionError: the clock moved by 31\n\
        === short test summary info ===\nFAILED tests/test_clock.py::test_ticks - AssertionError: the clock moved by 31\n\
        1 failed in 0.01s\n";
    let world = World::new();
    let error = "AssertionError: the clock moved by 30";
    world.put("run-1", 1_790_000_000_000, &[case(CASE, error)]);
    let mut server = world.server();
    let asked = json!({ "command": "pytest -q", "output": PRINTED, "exitCode": 1, "cwd": world.project() });
    assert_eq!(server.data("classify_failure", &asked)["recall"], Value::Null);
    for (words, success) in
        [("froze time in the fixture", true), ("raised the tolerance", false), ("git push --force", true)]
    {
        server.data("report_fix", &reported(&world, CASE, words, success));
    }
    assert_eq!(server.data("classify_failure", &asked)["recall"], Value::Null, "nobody saw it pass");
    world.put("run-2", 1_790_000_100_000, &[case(CASE, "passed")]);
    server.data("report_fix", &reported(&world, CASE, "froze time in the fixture", true));
    let words = server.data("classify_failure", &asked)["recall"]["words"].clone();
    let words = words.as_str().unwrap();
    assert!(
        words.contains("after what an agent reported: `froze time in the fixture` (1 of 1"),
        "one run counts once: {words}"
    );
    let other = PRINTED.replace("the clock moved by", "no such zone:");
    let other = json!({ "command": "pytest -q", "output": other, "exitCode": 1, "cwd": world.project() });
    let words = server.data("classify_failure", &other)["recall"]["words"].to_string();
    assert!(!words.contains("froze"), "it failed otherwise: {words}");

    let found = server.data("known_failures", &json!({ "projectPath": world.project(), "query": "FIXTURE" }));
    assert_eq!(found["total"], 1, "its case is found by the words of the fix");
    let suggested = found["failures"][0]["suggestedFix"].as_str().unwrap();
    assert!(suggested.starts_with("an agent reported: "), "{suggested}");
}

#[test]
fn arguments_and_frames_are_named_as_the_contracts() {
    let world = World::with_run();
    world.put("run-2", 1_790_000_100_000, &[case("sums", "passed"), case("passes", "passed")]);
    let mut server = world.server();
    let compared = server.data(
        "compare_runs",
        &json!({ "projectPath": world.project(), "baseRunId": "run-1", "compareRunId": "run-2" }),
    );
    assert_eq!(compared["fixed"][0]["name"], "sums");
    assert!(compared["removedCases"].is_array() && compared["run"]["durationMs"].is_u64(), "{compared}");
    let old = json!({ "project_path": world.project(), "baseRunId": "run-1", "runId": "run-2" });
    assert_eq!(server.data("compare_runs", &old), compared);
    assert_eq!(server.data("test_runs", &json!({ "projectPath": world.project() }))["hasMore"], false);
}
