//! What an agent said after a call, in the file of its session.

use serde::Deserialize;

/// A line of the file, as far as it holds an agent's words.
#[derive(Deserialize)]
struct SaidLine {
    message: SaidMessage,
}

#[derive(Deserialize)]
struct SaidMessage {
    content: Vec<SaidPart>,
}

#[derive(Deserialize)]
struct SaidPart {
    text: Option<String>,
}

/// The agent's words after the result of a call, by the end of its session's file; None where the call is not in it.
pub fn words_after(end: &str, call: &str) -> Option<String> {
    let result = end.rfind(&format!("\"tool_use_id\":\"{call}\""))?;
    let lines = end.get(result..)?.lines().skip(1).filter(|line| line.contains("\"type\":\"assistant\""));
    let said = lines.filter_map(|line| serde_json::from_str::<SaidLine>(line).ok());
    let words = said.flat_map(|line| line.message.content).filter_map(|part| part.text);
    Some(words.collect::<Vec<_>>().join("\n\n"))
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

    proptest! {
        #[test]
        fn no_file_makes_it_fail(end in r#"[a-z"{}\[\]:,\n]{0,80}"#, call in "[a-z\"]{0,3}") {
            words_after(&end, &call);
        }
    }
}
