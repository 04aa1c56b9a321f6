//! A report of a test runner, as a whole and byte by byte.
#![no_main]

use std::collections::BTreeSet;
use std::io::Read;

use failwise::test_runs::{Origin, TestCase, TestRun, read};
use libfuzzer_sys::fuzz_target;

/// Gives one byte at a time.
struct Drops<'b>(&'b [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let Some(((first, rest), place)) = self.0.split_first().zip(to.first_mut()) else { return Ok(0) };
        (*place, self.0) = (*first, rest);
        Ok(1)
    }
}

fuzz_target!(|input: &[u8]| {
    let whole = read(input);
    assert_eq!(whole, read(Drops(input)));
    let lines = input.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let report = match whole {
        Ok(report) => report,
        Err(refusal) => {
            assert!((1..=lines).contains(&refusal.line) && !refusal.why.is_empty());
            assert!(!refusal.why.contains(char::is_control));
            return;
        }
    };
    let mut known = BTreeSet::new();
    for case in &report.cases {
        for name in [&case.name, &case.suite] {
            assert!(name.chars().count() <= TestCase::LONGEST_NAME + 1 && !name.contains(char::is_control));
        }
        let error = case.error.as_deref().unwrap_or("x");
        assert!((1..=TestCase::LONGEST_ERROR).contains(&error.chars().count()));
        assert!(case.attempts >= 1 && case.failed_attempts <= case.attempts);
        assert!(known.insert((&case.suite, &case.name)), "twice: {case:?}");
        let line = serde_json::to_string(case).unwrap();
        assert_eq!(serde_json::from_str::<TestCase>(&line).unwrap(), *case);
    }
    let run = TestRun::imported(&Origin::default(), &report);
    assert_eq!(run.cases, run.passed + run.failed + run.skipped);
    let line = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<TestRun>(&line).unwrap(), run);
});
