//! What an agent said after a call, and what it spent, in the file of its session.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A line of the file, as far as it holds an agent's words, and what they cost.
#[derive(Deserialize, Default)]
#[serde(default)]
struct SaidLine {
    timestamp: String,
    message: SaidMessage,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SaidMessage {
    id: String,
    content: Vec<SaidPart>,
    usage: SaidTokens,
}

#[derive(Deserialize)]
struct SaidPart {
    text: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SaidTokens {
    #[serde(rename = "input_tokens")]
    input: u64,
    #[serde(rename = "cache_creation_input_tokens")]
    cache_creation: u64,
    #[serde(rename = "output_tokens")]
    output: u64,
}

fn told_answers<'l>(lines: impl Iterator<Item = &'l str>) -> impl Iterator<Item = SaidLine> {
    lines.filter(|line| line.contains("\"type\":\"assistant\"")).filter_map(|line| serde_json::from_str(line).ok())
}

/// The agent's words after the result of a call, by the end of its session's file; None where the call is not in it.
pub fn words_after(end: &str, call: &str) -> Option<String> {
    let result = end.rfind(&format!("\"tool_use_id\":\"{call}\""))?;
    let said = told_answers(end.get(result..)?.lines().skip(1));
    let words = said.flat_map(|line| line.message.content).filter_map(|part| part.text);
    Some(words.collect::<Vec<_>>().join("\n\n"))
}

/// The tokens that were read anew, written to the cache and written by the model since a time, by the end of a session's file.
pub fn spent_since(end: &str, since: &str) -> u64 {
    let told = told_answers(end.lines()).filter(|line| line.timestamp.as_str() >= since);
    // An answer is told in several lines, the last of which has all of it.
    let answers: BTreeMap<String, SaidTokens> = told.map(|line| (line.message.id, line.message.usage)).collect();
    let each = |used: &SaidTokens| [used.input, used.cache_creation, used.output];
    answers.values().flat_map(each).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_stand_after_the_result() {
        let line = |kind: &str, part: &str| format!(r#"{{"type":"{kind}","message":{{"content":[{part}]}}}}"#);
        let text = |words: &str| line("assistant", &format!(r#"{{"type":"text","text":"{words}"}}"#));
        let result = line("user", r#"{"tool_use_id":"t1","type":"tool_result","content":"x"}"#);
        let call = line("assistant", r#"{"type":"tool_use","id":"t2","name":"Bash","input":{}}"#);
        let end =
            [text("before"), result, text("These errors are pre-existing."), call, text("Now I commit.")].join("\n");
        assert_eq!(words_after(&end, "t1").as_deref(), Some("These errors are pre-existing.\n\nNow I commit."));
        assert_eq!(words_after(&end, "t9"), None);
    }

    #[test]
    fn an_answer_is_counted_once_and_since_the_claim() {
        let line = |id: &str, ts: &str, output: u64| {
            let usage = format!(
                r#"{{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":900,"output_tokens":{output}}}"#
            );
            format!(r#"{{"type":"assistant","timestamp":"{ts}","message":{{"id":"{id}","usage":{usage}}}}}"#)
        };
        let end = [line("m0", "2031-01-05T09:59:59.999Z", 1_000), line("m1", "2031-01-05T10:00:00.000Z", 1)];
        let end = [&end[..], &[line("m1", "2031-01-05T10:00:01.000Z", 7), line("m2", "2031-01-05T10:00:02.000Z", 4)]];
        assert_eq!(spent_since(&end.concat().join("\n"), "2031-01-05T10:00:00.000Z"), 20 + 17);
        assert_eq!(spent_since("}{\n\"type\":\"assistant\"", ""), 0);
    }

    proptest! {
        #[test]
        fn no_file_makes_it_fail(end in r#"[a-z"{}\[\]:,\n]{0,80}"#, call in "[a-z\"]{0,3}") {
            words_after(&end, &call);
            spent_since(&end, &call);
        }
    }
}
