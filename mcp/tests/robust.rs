//! What a server has to survive: junk, clients that vanish, many of them at once, a base that goes away in the middle.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]
#![expect(clippy::disallowed_methods, reason = "starts servers and looks at the files they leave")]

mod world;

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use world::{World, case};

fn asked(world: &World, name: &str) -> Value {
    json!({ "projectPath": world.project(), "runId": "run-1", "caseName": name })
}

/// What is no protocol is passed over or refused, and the next question is answered.
#[test]
fn junk_between_questions_is_survived() {
    let world = World::with_run();
    let mut server = world.server();
    let junk: [&[u8]; 14] = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"hello",
        b"\xff\xfe\x00\x01",
        b"\"\\ud800\"",
        br#"{"jsonrpc":"2.0"}"#,
        br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":{},"method":7,"params":[]}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
    ];
    for line in junk {
        server.write(line);
        let data = server.data("argus_diagnose", &asked(&world, "health-check"));
        assert_eq!(data["category"], "CONNECTION_REFUSED", "{}", String::from_utf8_lossy(&line[..line.len().min(80)]));
    }
    let unknown = server.ask("no/such/method", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    assert!(server.ask("tools/call", &json!({ "name": "no_such_tool" }))["error"].is_object());
    assert!(server.ask("tools/call", &json!({ "name": 7 }))["error"].is_object());
    assert!(server.ask("resources/read", &json!({ "uri": "file:///etc/passwd" }))["error"].is_object());
    server.end();
}

/// What is too long or too deep to be read gets an error with its id, wherever in it that stands.
#[test]
fn a_message_that_is_not_read_gets_an_answer() {
    let world = World::with_run();
    let mut server = world.server();
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let params = format!(r#""method":"tools/call","params":{{"name":"x","arguments":{{"x":{}}}}}"#, deep(200_000));
    let long = "a".repeat(20_000_000);
    for (line, id, why) in [
        (format!(r#"{{"jsonrpc":"2.0","id":91,{params}}}"#), json!(91), "127 deep"),
        (format!(r#"{{{params},"jsonrpc":"2.0","id":"92"}}"#), json!("92"), "127 deep"),
        (format!(r#"{{"jsonrpc":"2.0","id":93,"method":"ping","params":{{"x":"{long}"}}}}"#), json!(93), "4 MiB"),
        (format!(r#"{{"method":"ping","params":{{"x":"{long}"}},"jsonrpc":"2.0","id":94}}"#), json!(94), "4 MiB"),
        (deep(200_000), Value::Null, "Invalid request"),
    ] {
        server.write(line.as_bytes());
        let answer = server.read();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(why), "{answer}");
    }
    // As deep as the parser goes it is a message like any other.
    server.write(format!(r#"{{"jsonrpc":"2.0","id":95,"method":"ping","params":{{"x":{}}}}}"#, deep(100)).as_bytes());
    assert_eq!(server.read()["id"], 95);
    let data = server.data("argus_diagnose", &asked(&world, "health-check"));
    assert_eq!(data["category"], "CONNECTION_REFUSED");
    server.end();
}

/// Junk before the client has begun, and none but junk: the server ends with its input, and says nothing but protocol.
#[test]
fn junk_in_place_of_a_beginning_ends_quietly() {
    let world = World::with_run();
    let inputs: [&[u8]; 5] = [
        b"",
        b"hello\n",
        b"\xff\xff\xff",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\nnull\n",
    ];
    for input in inputs {
        let mut command = world.command(env!("CARGO_BIN_EXE_failwise-mcp"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input);
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(5), "hangs on {}", String::from_utf8_lossy(input));
            std::thread::sleep(Duration::from_millis(5));
        }
        let (mut out, mut err) = (String::new(), String::new());
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        for line in out.lines() {
            assert_eq!(serde_json::from_str::<Value>(line).unwrap()["jsonrpc"], "2.0", "{line}");
        }
        assert!(!err.contains("panicked"), "{err}");
    }
}

/// A client that goes away in the middle of its question leaves a server that ends.
#[test]
fn a_client_may_vanish() {
    let world = World::with_run();
    let mut command = world.command(env!("CARGO_BIN_EXE_failwise-mcp"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let ask = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "argus_diagnose", "arguments": asked(&world, "health-check") } });
    // Nobody reads the answers.
    drop(child.stdout.take());
    let _ = write!(
        input,
        "{begin}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n{ask}\n{ask}\n{{\"jso"
    );
    drop(input);
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_secs(5), "it hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(!err.contains("panicked"), "{err}");
}

/// Eight clients, each with a server of its own, diagnose and report at once: nothing is lost and nothing counted twice.
#[test]
fn eight_clients_at_once_lose_nothing() {
    const CLIENTS: usize = 8;
    const EACH: usize = 25;
    let world = World::with_run();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let world = &world;
            scope.spawn(move || {
                let mut server = world.server();
                for number in 0..EACH {
                    server.data("argus_diagnose", &asked(world, "api-test"));
                    if number % 5 == 0 {
                        let mut report = asked(world, "api-test");
                        report["fixDescription"] = json!(format!("fix of client {client}"));
                        report["success"] = json!(client % 2 == 0);
                        server.data("report_fix", &report);
                    }
                }
                server.end();
            });
        }
    });
    let mut server = world.server();
    let data = server.data("argus_diagnose", &asked(&world, "api-test"));
    assert_eq!(data["pattern"]["occurrences"], CLIENTS * EACH + 1);
    assert_eq!(data["pattern"]["resolutions"], 1, "a case of a run is fixed once, in whatever words");
    // Half of them worked.
    assert_eq!(data["confidence"], 0.5);
    let history = world.history();
    let count = |kind: &str| history.lines().filter(|line| line.contains(&format!("\"event\":\"{kind}\""))).count();
    assert_eq!((count("case_diagnosed"), count("fix_reported")), (CLIENTS * EACH + 1, CLIENTS * EACH / 5));
}

/// Of two that meet a failure first at the same moment one is told that it is new, and the pattern stands once.
#[test]
fn two_that_race_make_one_pattern() {
    let world = World::with_run();
    for round in 0..5 {
        let name = format!("race-{round}");
        world.put(&format!("run-{name}"), 1_790_000_000_000, &[case(&name, "odd thing")]);
        let asked = json!({ "projectPath": world.project(), "runId": format!("run-{name}"), "caseName": name });
        let mut servers = [world.server(), world.server()];
        let new = std::thread::scope(|scope| {
            let asking = servers.each_mut().map(|server| {
                let asked = &asked;
                scope.spawn(move || server.data("argus_diagnose", asked)["isNewPattern"] == true)
            });
            asking.map(|thread| thread.join().unwrap()).into_iter().filter(|new| *new).count()
        });
        assert_eq!(new, 1, "round {round}");
        let third = world.server().data("argus_diagnose", &asked);
        assert_eq!(third["pattern"]["occurrences"], 3);
    }
}

/// Each trouble with the base is an answer, and the server goes on when it is over.
#[test]
fn a_base_that_goes_away_is_told() {
    let world = World::with_run();
    let mut server = world.server();
    server.data("argus_diagnose", &asked(&world, "api-test"));
    let (base, aside) = (world.base(), world.home().join("aside.sqlite"));
    // As a whole: what SQLite has not put into the base yet lies beside it.
    drop(failwise::store::Base::open(&base).unwrap());
    std::fs::rename(&base, &aside).unwrap();
    assert_eq!(server.code("argus_diagnose", &asked(&world, "api-test")), "INTERNAL_ERROR");
    std::fs::rename(&aside, &base).unwrap();
    let data = server.data("argus_diagnose", &asked(&world, "api-test"));
    assert_eq!(data["category"], "UNKNOWN");

    std::fs::write(&base, "this is no base ".repeat(1000)).unwrap();
    for _ in 0..3 {
        assert_eq!(server.code("argus_diagnose", &asked(&world, "api-test")), "INTERNAL_ERROR");
        assert_eq!(server.code("known_failures", &json!({ "projectPath": world.project() })), "INTERNAL_ERROR");
    }
    let listed = server.ask("tools/list", &json!({}));
    assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 5));
    server.end();
}

/// What a killed server had recorded and not counted is counted when the base learns, once.
#[test]
fn a_server_may_be_killed_at_any_time() {
    let world = World::with_run();
    let mut calls = 0;
    for round in 0..12 {
        let mut server = world.server();
        let until = Instant::now() + Duration::from_millis(3 * round);
        while Instant::now() < until {
            server.data("argus_diagnose", &asked(&world, "api-test"));
            calls += 1;
        }
        // The next question is on its way.
        let ask = json!({ "jsonrpc": "2.0", "id": 999, "method": "tools/call",
            "params": { "name": "argus_diagnose", "arguments": asked(&world, "api-test") } });
        server.write(ask.to_string().as_bytes());
        server.child.kill().unwrap();
    }
    let mut server = world.server();
    // A list learns first.
    server.data("known_failures", &json!({ "projectPath": world.project() }));
    let data = server.data("argus_diagnose", &asked(&world, "api-test"));
    let recorded = world.history().lines().filter(|line| line.contains("\"event\":\"case_diagnosed\"")).count();
    assert_eq!(data["pattern"]["occurrences"], recorded);
    assert!(recorded > calls, "{recorded} of {calls} answers");
}
