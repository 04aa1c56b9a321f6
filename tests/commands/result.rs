//! `failwise result` through the executable: streams of every kind and what they come to (`golden/result.json`), what holds
//! for every stream, and streams that were cut at every byte.

#![expect(clippy::disallowed_methods, reason = "starts the executable")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::process::{Command, Output};

use crate::feeding::feed;
use failwise::stream::{CommandExecution, Ending, Extractor, OutsideCause};
use proptest::prelude::*;
use serde_json::{Value, json};

fn result(args: &[&str], stream: &[u8]) -> Output {
    feed(Command::new(env!("CARGO_BIN_EXE_failwise")).arg("result").args(args), stream)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn stream_of(case: &Value) -> String {
    match &case["lines"] {
        Value::Array(lines) => lines.iter().flat_map(|line| [line.as_str().unwrap(), "\n"]).collect(),
        _ => case["stream"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn streams_come_to_what_is_written_beside_them() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../golden/result.json")).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let stream = stream_of(case);
        let args: Vec<&str> = case["args"].as_array().into_iter().flatten().map(|arg| arg.as_str().unwrap()).collect();
        let done = result(&args, stream.as_bytes());
        let told = text(&done.stderr);
        assert_eq!(text(&done.stdout), case["stdout"].as_str().unwrap(), "{name}: stdout; stderr {told}");
        assert_eq!(done.status.code().map(Value::from), Some(case["exit"].clone()), "{name}: exit; stderr {told}");
        assert!(done.status.success() || !told.is_empty(), "{name}: a failure says why");
        if let Some(part) = case["stderr"].as_str() {
            assert!(told.contains(part), "{name}: {told}");
        }
        let whole = result(&[&args[..], &["--format", "json"]].concat(), stream.as_bytes());
        assert_eq!(whole.status.code(), done.status.code(), "{name}: the exit code of JSON");
        let execution: Value = serde_json::from_slice(&whole.stdout).unwrap();
        assert_eq!(execution["stdout"], json!(stream), "{name}: the raw stream");
        for (path, expected) in case["json"].as_object().into_iter().flatten() {
            let found = execution.pointer(&format!("/{}", path.replace('.', "/"))).unwrap_or(&Value::Null);
            assert_eq!(found, expected, "{name}: {path}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_cost_themselves() {
    let stream = b"\xff\xfe garbage\n{\"type\":\"system\",\"session_id\":\"s\"}\n{\"type\":\"user\",\"x\":\"\xff\"}\n{\"type\":\"result\",\"result\":\"a\xffb\"}\n\x00\xff\n";
    let done = result(&[], stream);
    assert_eq!((text(&done.stdout).as_str(), done.status.code()), ("a\u{fffd}b\n", Some(0)));
}

#[test]
fn a_raw_stream_is_inline_up_to_a_mebibyte_and_whole_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let saved = dir.path().join("raw.jsonl");
    let line = format!("{{\"type\":\"user\",\"x\":\"{}\"}}\n", "y".repeat(1 << 20));
    let stream = format!("{line}{{\"type\":\"result\",\"result\":\"z\"}}\n");
    let done = result(&["--format", "json", "--save", saved.to_str().unwrap()], stream.as_bytes());
    let execution: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&execution["stdout"], &execution["result_text"]), (&Value::Null, &json!("z")));
    assert_eq!(std::fs::read_to_string(&saved).unwrap(), stream);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&saved).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_file_that_is_not_there_and_a_wrong_word_have_exit_codes_of_their_own() {
    let absent = result(&["/nonexistent/stream.jsonl"], b"");
    assert_eq!((absent.status.code(), absent.stdout.len()), (Some(74), 0));
    assert_eq!(result(&["--format", "xml"], b"").status.code(), Some(64));
}

#[test]
fn a_very_long_line_is_held_whole() {
    let long = "x".repeat(40 << 20);
    let done = result(&[], format!("{{\"type\":\"result\",\"result\":\"{long}\"}}").as_bytes());
    assert_eq!(done.stdout.len(), long.len() + 1);
}

/// What an extractor makes of a stream that arrives in these pieces, cut at line ends as a reader cuts them.
fn extracted(stream: &[u8]) -> CommandExecution {
    let mut extractor = Extractor::default();
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        extractor.take(line);
    }
    CommandExecution::new(extractor.finish(), OutsideCause::default())
}

const CUT: &str = concat!(
    "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n",
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"é \\\"result\\\"\"}]}}\n",
    "{\"is_error\":false,\"type\":\"result\",\"subtype\":\"success\",\"result\":\"the \\u00e9 text\"}\n",
    "{\"type\":\"system\",\"subtype\":\"status\"}\n",
);

#[test]
fn a_stream_cut_at_any_byte_gives_its_result_or_nothing() {
    let array = format!("[{}]", CUT.trim_end().replace('\n', ",\n"));
    for stream in [CUT, &array] {
        for cut in 0..=stream.len() {
            let execution = extracted(&stream.as_bytes()[..cut]);
            let is_whole = execution.ending() == Ending::Text;
            assert!(!is_whole || execution.result_text.as_deref() == Some("the é text"), "cut at {cut}");
            assert!(is_whole || execution.result_text.is_none(), "cut at {cut}: {:?}", execution.result_text);
        }
        assert_eq!(extracted(stream.as_bytes()).ending(), Ending::Text);
    }
}

#[test]
fn a_golden_stream_cut_at_any_byte_gives_one_of_its_results_or_nothing() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../golden/result.json")).unwrap();
    for case in cases.iter().filter(|case| case["args"].is_null()) {
        let stream = stream_of(case);
        let texts: Vec<Option<String>> = stream
            .split_inclusive('\n')
            .scan(String::new(), |so_far, line| {
                so_far.push_str(line);
                Some(extracted(so_far.as_bytes()).result_text)
            })
            .chain([extracted(stream.as_bytes()).result_text, None])
            .collect();
        for cut in 0..stream.len() {
            let found = extracted(&stream.as_bytes()[..cut]).result_text;
            // A result line is the last one whole before the cut, or the one that the cut left whole without its end.
            assert!(texts.contains(&found), "{}: cut at {cut}: {found:?}", case["name"]);
        }
    }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        "\\PC{0,20}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        proptest::collection::vec("[a-z\" ]{0,5}".prop_map(Value::from), 0..3).prop_map(Value::from),
    ]
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        value().prop_map(|value| json!({"type": "result", "result": value}).to_string()),
        value().prop_map(|value| json!({"type": "user", "message": {"type": "result", "result": value}}).to_string()),
        "\\PC{0,30}",
        Just("[1]".to_owned()),
        Just(String::new()),
    ]
}

proptest! {
    #[test]
    fn the_last_result_line_counts_whatever_stands_around_it(lines in proptest::collection::vec(line(), 0..12), crlf in any::<bool>()) {
        let end = if crlf { "\r\n" } else { "\n" };
        // The first line makes it a stream: what follows is skimmed.
        let stream = ["{\"type\":\"system\"}", end, &lines.join(end)].concat();
        let is_result = |line: &&String| {
            serde_json::from_str::<Value>(line).is_ok_and(|value| value.get("type") == Some(&json!("result")))
        };
        let results: Vec<&String> = lines.iter().filter(is_result).collect();
        let expected = results.last().map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            value["result"].as_str().map_or_else(|| value["result"].to_string(), str::to_owned)
        });
        let execution = extracted(stream.as_bytes());
        prop_assert_eq!(&execution.result_text, &expected);
        prop_assert_eq!(execution.results, results.len() as u64);
        // In one block as line by line.
        let mut whole = Extractor::default();
        whole.take(stream.as_bytes());
        prop_assert_eq!(CommandExecution::new(whole.finish(), OutsideCause::default()).result_text, expected);
    }

    #[test]
    fn no_bytes_bring_it_down(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), Just(b'"'), any::<u8>()], 0..300)) {
        let execution = extracted(&bytes);
        prop_assert!(execution.ending() != Ending::Text || execution.result_text.is_some());
    }
}
