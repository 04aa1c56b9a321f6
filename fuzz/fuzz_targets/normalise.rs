//! Text without what varies: normalising twice changes nothing, and it is a bounded, plain line.
#![no_main]

use failwise::model::Reading;
use failwise::signature::{Context, LONGEST, CallContext, coarse, fine, fine_in, sign};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    for once in [fine(&text), coarse(&text), fine_in(&text, &Context { cwd: Some("/srv/app") })] {
        assert!(once.len() <= LONGEST, "{} bytes", once.len());
        assert!(!once.contains(char::is_control), "{once:?}");
    }
    let once = fine(&text);
    assert_eq!(fine(&once), once);
    let once = coarse(&text);
    assert_eq!(coarse(&once), once);
    let origin = CallContext { operation: "make all", program: None, target: Some("/srv/app/x.rs"), cwd: Some("/srv/app") };
    let mut reading = Reading::unrecognised();
    let unread = sign(&origin, &reading, &text);
    reading.line = Some(text.chars().take(300).collect());
    for signature in [unread, sign(&CallContext::default(), &reading, &text)] {
        for digits in [&signature.fine, &signature.coarse] {
            assert!(digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    }
});
