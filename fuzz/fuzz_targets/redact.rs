//! Redaction: twice changes nothing, the text does not grow beyond its marks, and a planted token never stays.
#![no_main]

use failwise::redact::{redact, redact_printed, redact_value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let once = redact(&text).into_owned();
    assert_eq!(redact(&once), once.as_str());
    assert!(once.len() <= text.len() * 8 + 64, "{} bytes from {}", once.len(), text.len());
    let printed = redact_printed(&text);
    assert!(printed.len() <= text.len() * 8 + 64);
    let (name, value) = text.split_at(text.floor_char_boundary(text.len() / 2));
    assert!(redact_value(name, value).len() <= text.len() * 8 + 64);
    if text.contains("ghp_") {
        return;
    }
    // In two parts, so that no file holds a text that looks like a token.
    let token = ["gh", "p_", &"a1B2c3D4e5F6".repeat(3)].concat();
    for around in [format!("{name} {token} {value}"), format!("{name}\n{token}\n{value}")] {
        assert!(!redact(&around).contains(&token), "{around:?}");
    }
});
