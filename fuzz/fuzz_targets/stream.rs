//! A stream of the client, taken in as a whole and line by line.
#![no_main]

use failwise::stream::{CommandExecution, Ending, Extractor, OutsideCause, notes};
use libfuzzer_sys::fuzz_target;

fn extracted<'b>(blocks: impl Iterator<Item = &'b [u8]>) -> CommandExecution {
    let mut extractor = Extractor::default();
    blocks.for_each(|block| extractor.take(block));
    CommandExecution::new(extractor.finish(), OutsideCause::default())
}

fuzz_target!(|input: &[u8]| {
    let whole = extracted(std::iter::once(input));
    let lines = extracted(input.split_inclusive(|byte| *byte == b'\n'));
    assert_eq!(whole.result_text, lines.result_text);
    assert_eq!(whole.session_id, lines.session_id);
    assert_eq!((whole.ending(), whole.results), (lines.ending(), lines.results));
    assert!(whole.ending() != Ending::Text || whole.result_text.is_some());
    assert!(whole.success || whole.error_message.is_some());
    let printed = serde_json::to_string(&whole).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&printed).is_ok_and(|value| value.is_object()));
    for note in input.split(|byte| *byte == b'\n').flat_map(notes) {
        assert!(!note.line(1).contains(char::is_control));
    }
});
