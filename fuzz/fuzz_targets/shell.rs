//! Command lines: reading them is bounded, and an operation is a bounded line that names itself.
#![no_main]

use failwise::shell::{Dialect, Script};
use failwise::signature::{LONGEST_OPERATION, operation_of_command};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    for dialect in [Dialect::Posix, Dialect::PowerShell] {
        let script = Script::parse_as(&text, dialect);
        let _ = script.is_read_only();
        for (at, command) in script.programs() {
            assert!(script.get(at).is_some_and(|found| found.program == command.program));
        }
        if let Some(at) = script.last_at() {
            assert!(script.get(at).is_some());
        }
    }
    let operation = operation_of_command(&text).0;
    assert!(operation.len() <= LONGEST_OPERATION, "{} bytes", operation.len());
    let again = operation_of_command(&text).0;
    assert_eq!(operation, again);
});
