//! Lines of a history: what is read can be written and read again, and the state that they fold into is bounded.
#![no_main]

use failwise::history::{Line, State, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The first line says who began it, and nothing but an id.
    assert!(failwise::trust::begun_by(input).is_none_or(|id| failwise::trust::is_history_id(&id)));
    let mut state = State::new("n");
    let mut at = 0;
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        if let Line::Event(mut event) = parse(line) {
            "n".clone_into(&mut event.node);
            let written = serde_json::to_vec(&event).unwrap();
            match parse(&written) {
                Line::Event(again) => assert_eq!(again, event),
                other => panic!("{other:?} from {}", String::from_utf8_lossy(&written)),
            }
            state.step(&event, at);
            assert_bounded(&state);
            let folded = state.clone();
            // What was folded in already changes nothing.
            state.step(&event, at);
            assert_eq!(state, folded);
        }
        at += line.len() as u64;
    }
    let kept = serde_json::to_vec(&state).unwrap();
    assert_eq!(serde_json::from_slice::<State>(&kept).unwrap(), state);
});

fn assert_bounded(state: &State) {
    assert!(state.recent.len() <= State::RECENT);
    assert!(state.episodes.len() <= State::EPISODES);
    assert!(state.passes.len() <= State::EPISODES);
    assert!(state.background.len() <= State::EPISODES);
    assert!(state.changes.len() <= State::CHANGES);
    assert!(state.seen.len() <= State::SEEN);
    assert!(state.said.len() <= State::SAID);
    assert!(state.episodes.iter().all(|episode| episode.fines.len() <= 2));
}
