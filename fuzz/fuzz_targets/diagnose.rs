//! A trace of any shape: what is printed holds together, whatever comes in.
#![no_main]

use failwise::diagnose::diagnose;
use failwise::diagnose::result::DiagnoseResult;
use failwise::host::trace;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let given = trace::read(input);
    let diagnosis = diagnose(&given.trace);
    let result = DiagnoseResult::of(&diagnosis, &[]);
    assert_eq!(result.trace_insufficient, !result.suggested_context.is_empty());
    assert!([result.no_match, result.trace_insufficient, !result.matches.is_empty()].iter().filter(|flag| **flag).count() == 1);
    assert!(!result.trace_summary.contains('\n'));
    let mut before = f64::INFINITY;
    let mut seen = Vec::new();
    for found in &result.matches {
        assert!(found.confidence >= 0.8 && found.confidence <= before && !seen.contains(&found.failure_mode_id));
        assert!(found.memory.chars().count() <= 200 && found.skill_patch.chars().count() <= 200);
        assert!(!found.evidence.contains('\n') && !found.memory.contains('\n') && !found.skill_patch.contains('\n'));
        before = found.confidence;
        seen.push(found.failure_mode_id);
    }
});
