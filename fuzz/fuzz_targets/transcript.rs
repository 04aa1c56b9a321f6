//! A session file of the client that the first byte names: every line is counted once, and what it tells replays to bounded rows.
#![no_main]

use failwise::classify::DEFAULT;
use failwise::host::payload::PayloadKind;
use failwise::host::transcript::Transcript;
use failwise::model::Host;
use failwise::replay::Replay;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // Any other first byte is one of Claude Code's own lines.
    let named = input.split_first().filter(|(first, _)| usize::from(**first) < Host::ALL.len());
    let (host, input) = named.map_or((Host::Claude, input), |(first, rest)| (Host::ALL[usize::from(*first)], rest));
    let text = String::from_utf8_lossy(input);
    let mut transcript = Transcript::of(host);
    let mut replay = Replay::new(&DEFAULT);
    let (mut lines, mut calls) = (0, 0);
    for line in text.lines() {
        lines += 1;
        for entry in transcript.line(line) {
            let ts = entry.ts.as_deref().unwrap_or_default();
            assert!(ts.len() <= 40 && ts.is_ascii());
            let Some(kind) = entry.told.event() else { continue };
            match kind {
                PayloadKind::Call(call) => {
                    calls += 1;
                    replay.call(call, entry.marked_error, ts);
                }
                PayloadKind::ApiError(call) | PayloadKind::Report(call) => replay.call(call, entry.marked_error, ts),
                PayloadKind::Background { call, .. } => replay.background(call, ts),
                PayloadKind::Prompt { red_phase } => replay.prompt(&entry.ids, *red_phase, ts),
                _ => {}
            }
        }
    }
    let told = transcript.finish();
    assert_eq!(told.lines, lines);
    assert_eq!(told.calls, calls);
    let replayed = replay.finish();
    let totals = &replayed.analysis.totals;
    assert_eq!(totals.failed + totals.masked, replayed.analysis.failures.len() as u64);
    for row in replayed.rows {
        assert!(serde_json::to_string(&row).unwrap().len() < 64 * 1024);
    }
});
