//! `plan_recovery` over the protocol: the command's plans, records only where asked, no look outside the project.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]
#![expect(clippy::disallowed_methods, reason = "starts the server and the executables, and makes files")]

mod world;

use serde_json::{Value, json};
use world::World;

const MISSING: &str =
    "npm error Missing script: \"tset\"\nnpm error\nnpm error Did you mean this?\nnpm error   npm test";

fn with_scripts() -> World {
    let world = World::with_run();
    std::fs::write(world.project().join("package.json"), r#"{"name":"shop","scripts":{"test":"jest"}}"#).unwrap();
    world
}

fn mistyped(world: &World) -> Value {
    json!({ "projectPath": world.project(), "command": "npm run tset", "output": MISSING, "exitCode": 1 })
}

fn with(mut asked: Value, name: &str, value: Value) -> Value {
    asked[name] = value;
    asked
}

fn steps(plan: &Value) -> Vec<Value> {
    plan["primaryStrategy"]["steps"].as_array().unwrap().iter().map(|step| step["args"].clone()).collect()
}

#[test]
fn a_command_a_call_and_the_newest_failure_are_planned_for() {
    let world = with_scripts();
    let mut server = world.server();
    let plan = server.data("plan_recovery", &mistyped(&world));
    assert_eq!((&plan["hasRecoveryPlan"], &plan["rootCause"]["category"]), (&json!(true), &json!("bad_arguments")));
    assert_eq!(steps(&plan), [json!({ "command": "npm run test" })]);
    assert!(plan.get("notes").is_none(), "{plan}");
    // Without a look nobody knows which script is there.
    let blind = server.data("plan_recovery", &with(mistyped(&world), "probe", json!(false)));
    assert_eq!(blind["whyChain"]["why1"], plan["whyChain"]["why1"]);
    assert!(blind["whyChain"]["why3"].as_str().unwrap() != plan["whyChain"]["why3"].as_str().unwrap(), "{blind}");
    // The inherited contract, with its tools' names.
    let contract = json!({
        "projectPath": world.project(), "tools": ["run_bash", "read_dir", "read_file", "write_file"],
        "toolCall": { "function": { "name": "read_file", "arguments": "{\"file\": \"package.jsn\"}" } },
        "error": { "message": "No such file", "code": "ENOENT" },
    });
    let plan = server.data("plan_recovery", &contract);
    assert_eq!(plan["primaryStrategy"]["name"], "verify_path_with_listing");
    assert_eq!(steps(&plan), [json!({ "dir": "." }), json!({ "file": "package.json" })]);
    let other = with(contract, "tried", json!(["verify_path_with_listing"]));
    assert_ne!(server.data("plan_recovery", &other)["primaryStrategy"]["name"], "verify_path_with_listing");
    // What a person refused gets no plan, and is an answer all the same.
    let refused = json!({
        "projectPath": world.project(), "toolCall": { "name": "run_bash", "arguments": { "script": "rm -rf x" } },
        "error": { "message": "rejected", "code": "APPROVAL_REJECTED" },
    });
    let none = server.data("plan_recovery", &refused);
    assert_eq!((&none["hasRecoveryPlan"], &none["suggestUserAction"]), (&json!(false), &json!(true)));
    let last = json!({ "projectPath": world.project(), "last": true });
    assert_eq!(server.data("plan_recovery", &last)["reason"], "the history of this project has no failure");
    assert_eq!(world.history(), "", "nothing was recorded");
    server.end();
}

#[test]
fn a_plan_is_recorded_where_asked_and_the_next_one_knows_what_became_of_it() {
    let world = with_scripts();
    let mut server = world.server_with(&[("CLAUDE_CODE_SESSION_ID", "s")]);
    let call = |id: &str, command: &str, error: Option<&str>| {
        let mut payload = json!({
            "session_id": "s", "cwd": world.project(), "tool_name": "Bash", "tool_use_id": id,
            "tool_input": { "command": command }, "hook_event_name": "PostToolUse",
            "tool_response": { "stdout": "ok", "stderr": "" },
        });
        if let Some(error) = error {
            payload["hook_event_name"] = "PostToolUseFailure".into();
            payload["error"] = format!("Exit code 1\n{error}").into();
        }
        hook(&world, &payload);
    };
    call("c1", "npm run tset", Some(MISSING));
    let last = json!({ "projectPath": world.project(), "last": true });
    server.data("plan_recovery", &last);
    assert!(!world.history().contains("recovery_attempt"), "nobody asked for a record");
    let plan = server.data("plan_recovery", &with(last.clone(), "record", json!(true)));
    let attempt = event(&world, "recovery_attempt");
    assert_eq!((&attempt["attempt"]["plan"], &attempt["session"]), (&plan["id"], &json!("s")));
    assert_eq!(event(&world, "diagnostic_reflection")["reflection"]["recovery_strategy"], "use_suggested_name");
    call("c2", "npm run test", Some("1 failed, 3 passed\nFAIL src/sum.test.js"));
    assert_eq!(event(&world, "recovery_complete")["complete"]["success"], false);
    let next = server.data("plan_recovery", &with(mistyped(&world), "record", json!(true)));
    assert_ne!(next["primaryStrategy"]["name"], "use_suggested_name");
    // By the client's session it is the same failure.
    assert_eq!(event(&world, "recovery_attempt")["attempt"]["failure"], attempt["attempt"]["failure"]);
    server.end();
}

#[test]
fn why_a_call_failed_is_one_answer_about_the_newest_or_the_named_one() {
    let world = with_scripts();
    let mut server = world.server();
    let of = |id: Option<&str>| json!({ "projectPath": world.project(), "id": id });
    assert_eq!(server.data("why_failed", &of(None))["failure"], Value::Null);
    let fails = |session: &str, command: &str, error: &str| {
        hook(
            &world,
            &json!({
                "session_id": session, "cwd": world.project(), "tool_name": "Bash", "tool_use_id": session,
                "tool_input": { "command": command }, "hook_event_name": "PostToolUseFailure",
                "error": format!("Exit code 1\n{error}"),
            }),
        );
    };
    fails("s1", "npm run tset", MISSING);
    fails("s2", "cat notes.md", "cat: notes.md: No such file or directory");
    let newest = server.data("why_failed", &of(None));
    assert_eq!((&newest["failure"]["call"], &newest["failure"]["exitCode"]), (&json!("cat notes.md"), &json!(1)));
    assert_eq!(newest["failure"]["line"], "cat: notes.md: No such file or directory");
    assert_eq!((&newest["verdict"]["class"], &newest["verdict"]["category"]), (&json!("F2"), &json!("path_not_found")));
    let history = world.history();
    let events = history.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let first = events.into_iter().find(|event| event["event"] == "execution_failed").unwrap();
    let named = server.data("why_failed", &of(first["id"].as_str()));
    assert_eq!(named["failure"]["call"], "npm run tset");
    assert_eq!(steps(&named["plan"]), [json!({ "command": "npm run test" })]);
    assert_eq!(
        (&named["decision"]["action"], &newest["decision"]["action"]),
        (&json!("self_heal"), &json!("self_heal"))
    );
    // What is only likely of the tool is left to `failwise diagnose`.
    assert_eq!((&named["diagnosis"]["matches"], named["diagnosis"]["no_match"].as_bool()), (&json!([]), Some(true)));
    assert!(named.to_string().len() < 3_000, "{}", named.to_string().len());
    let unknown = json!({ "projectPath": world.project(), "nosuch": 1 });
    assert_eq!(server.code("why_failed", &unknown), "INVALID_ARGUMENTS");
    assert_eq!(server.code("why_failed", &of(Some("0000000000"))), "INVALID_ARGUMENTS");
    let own = world.server_with(&[("CLAUDE_CODE_SESSION_ID", "s1")]).data("why_failed", &of(None));
    assert_eq!(own["failure"]["call"], "npm run tset", "only the client's session is asked about");
    server.end();
}

#[test]
fn only_the_clients_project_and_recorded_ones_are_looked_at() {
    let world = with_scripts();
    let other = world.home().join("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    std::fs::write(other.join("package.json"), r#"{"name":"other","scripts":{"test":"jest"}}"#).unwrap();
    std::os::unix::fs::symlink(&other, world.project().join("link")).unwrap();
    let elsewhere = |path: &std::path::Path| with(mistyped(&world), "projectPath", json!(path));
    let mut server = world.server();
    for path in [
        &other,
        world.home(),
        std::path::Path::new("/"),
        &world.project().join("../other"),
        &world.project().join("link"),
    ] {
        assert_eq!(server.code("plan_recovery", &elsewhere(path)), "SESSION_NOT_FOUND", "{}", path.display());
    }
    assert_eq!(steps(&server.data("plan_recovery", &elsewhere(&world.project().join("src")))).len(), 1);
    // Once something is recorded there, it may be asked about.
    let failed = json!({
        "session_id": "s", "cwd": other, "tool_name": "Bash", "tool_use_id": "c1", "tool_input": { "command": "npm run tset" },
        "hook_event_name": "PostToolUseFailure", "error": format!("Exit code 1\n{MISSING}"),
    });
    hook(&world, &failed);
    assert_eq!(steps(&server.data("plan_recovery", &elsewhere(&other))), [json!({ "command": "npm run test" })]);
    // A server that was started in no project looks at nothing, and says so.
    let mut homeless = world.server_with(&[("CLAUDE_PROJECT_DIR", world.home().to_str().unwrap())]);
    std::fs::copy(world.project().join("package.json"), world.home().join("package.json")).unwrap();
    let mut asked = mistyped(&world);
    asked.as_object_mut().unwrap().remove("projectPath");
    let plan = homeless.data("plan_recovery", &asked);
    assert_ne!(plan["primaryStrategy"]["steps"][0]["args"]["command"], "npm run test", "{plan}");
    assert!(plan["notes"][0].as_str().unwrap().contains("nothing was looked at"), "{plan}");
}

#[test]
fn nothing_outside_the_named_folder_is_looked_at() {
    let world = with_scripts();
    let outside = world.home().join("other");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("package.json"), r#"{"name":"other","scripts":{"test":"jest"}}"#).unwrap();
    std::fs::write(outside.join("config.yaml"), "a: 1").unwrap();
    std::os::unix::fs::symlink(&outside, world.project().join("link")).unwrap();
    let mut server = world.server();
    let there = world.home().join("other").to_str().unwrap().to_owned();
    // By the folder that the call ran in, by its own words, and through a link.
    let ran_there = with(mistyped(&world), "cwd", json!(there));
    let by_cd = with(mistyped(&world), "command", json!(format!("cd {there} && npm run tset")));
    let by_link = with(mistyped(&world), "command", json!("cd link && npm run tset"));
    for asked in [ran_there, by_cd, by_link] {
        let plan = server.data("plan_recovery", &asked);
        assert!(!plan["whyChain"]["why3"].as_str().unwrap().contains("is there"), "{asked}: {plan}");
        assert_ne!(plan["primaryStrategy"]["name"], "use_suggested_name", "{asked}");
    }
    for file in [format!("{there}/confg.yaml"), "../other/confg.yaml".to_owned(), "link/confg.yaml".to_owned()] {
        let asked = json!({
            "projectPath": world.project(), "toolCall": { "name": "Read", "arguments": { "file_path": file } },
            "error": { "message": "File does not exist.", "code": "ENOENT" },
        });
        let plan = server.data("plan_recovery", &asked);
        assert!(!plan.to_string().contains("config.yaml"), "{file}: {plan}");
    }
    server.end();
}

#[test]
fn wrong_arguments_have_their_code() {
    let world = with_scripts();
    let mut server = world.server();
    let both = with(mistyped(&world), "last", json!(true));
    let relative = with(mistyped(&world), "cwd", json!("shop"));
    let none = json!({ "projectPath": world.project() });
    let call = json!({ "projectPath": world.project(), "toolCall": { "arguments": {} } });
    let large = with(mistyped(&world), "output", json!("x".repeat(1024 * 1024 + 1)));
    let number = with(mistyped(&world), "tools", json!(7));
    for asked in [both, relative, none, call, large, number] {
        let shown = asked.to_string().chars().take(200).collect::<String>();
        assert_eq!(server.code("plan_recovery", &asked), "INVALID_ARGUMENTS", "{shown}");
    }
    let gone = with(mistyped(&world), "projectPath", json!(world.home().join("gone")));
    assert_eq!(server.code("plan_recovery", &gone), "SESSION_NOT_FOUND");
    let mut off = world.server_with(&[("FAILWISE", "off")]);
    assert_eq!(off.code("plan_recovery", &mistyped(&world)), "HISTORY_DISABLED");
}

#[test]
fn what_cannot_be_read_or_recorded_is_a_note() {
    let world = with_scripts();
    std::fs::create_dir_all(world.history_file()).unwrap();
    std::fs::write(world.base(), "this is no base, and longer than the head of one").unwrap();
    let mut server = world.server();
    let plan = server.data("plan_recovery", &with(mistyped(&world), "record", json!(true)));
    assert_eq!(plan["hasRecoveryPlan"], true);
    let notes = plan["notes"].to_string();
    assert!(notes.contains("base.sqlite is damaged") && notes.contains("the plan is not recorded"), "{notes}");
    server.end();
}

/// The last event of a kind.
fn event(world: &World, kind: &str) -> Value {
    let events: Vec<Value> = world.history().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.into_iter().rfind(|event| event["event"] == kind).unwrap_or_else(|| panic!("no {kind}"))
}

/// Plays a payload through the library's hook: the server's own package has no executable of it.
fn hook(world: &World, payload: &Value) {
    let home = world.home().to_owned();
    let env = move |name: &str| match name {
        "HOME" => Some(home.clone().into_os_string()),
        "XDG_STATE_HOME" => Some(home.join("state").into_os_string()),
        _ => None,
    };
    let now = failwise::time::stamp(chrono::Utc::now());
    let reply =
        failwise::hook::answer(payload.to_string().as_bytes(), &failwise::hook::Outside { env: &env, now: &now });
    assert_eq!(reply.stderr, None);
}
