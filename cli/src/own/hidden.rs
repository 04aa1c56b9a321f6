//! What a project's own secrets hide in a text.

use proptest::prelude::*;

use super::{WrittenSecret, compile};
use crate::redact::hidden_by;

fn hidden(patterns: &[&str], text: &str) -> String {
    let written = patterns.iter().map(|pattern| WrittenSecret {
        pattern: (*pattern).to_owned(),
        kind: "own".to_owned(),
        line: 1,
    });
    let compiled = compile(&[], &written.collect::<Vec<_>>());
    assert_eq!(compiled.problems, []);
    hidden_by(&compiled.secrets, text).unwrap_or_else(|| text.to_owned())
}

#[test]
fn a_mark_stands_in_the_place_of_each() {
    assert_eq!(hidden(&["ORB-[0-9]+"], "a ORB-1, ORB-22é\nORB-"), "a [redacted:own], [redacted:own]é\nORB-");
    assert_eq!(hidden(&["red", "own\\]", "ted:[a-z]+"], "[redacted:own] red"), "[redacted:own] [redacted:own]");
    assert_eq!(hidden(&["key=.+"], "key=[redacted:token]"), "[redacted:own]");
}

proptest! {
    #[test]
    fn twice_changes_nothing(text in "(ORB-[0-9]{1,3}|\\[redacted:own\\]|redacted|red|own\\]?|key=| |\n|\\PC){0,20}") {
        for patterns in [&["ORB-[0-9]+", "red"][..], &["own.", "key=\\S*"], &["redacted:own", ":own\\]"]] {
            let once = hidden(patterns, &text);
            prop_assert_eq!(hidden(patterns, &once), once, "{:?}", text);
        }
    }
}
