//! A project's own readings and secrets: patterns, a text, and where and how a byte of their compiled form is changed,
//! apart by a NUL.
#![no_main]

use failwise::model::Category;
use failwise::own::{Form, FormKind, Group, OfSettings, Readings, Secrets, WrittenReading, WrittenSecret, compile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    assert!(Form::read(input.to_vec(), FormKind::Secrets).is_none() || input.starts_with(b"FWFORM"));
    let mut parts = input.splitn(3, |byte| *byte == 0);
    let mut next = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (patterns, text, change) = (next(), next(), next());
    let (mut readings, mut secrets) = (Vec::new(), Vec::new());
    for (number, pattern) in patterns.lines().take(40).enumerate() {
        let (pattern, line) = (pattern.to_owned(), number + 1);
        let object = (number % 2 == 1).then_some(Group::Number(1));
        let category = Category::ServiceError;
        readings.push(WrittenReading { pattern: pattern.clone(), category, object, program: None, line });
        secrets.push(WrittenSecret { pattern, kind: "own".to_owned(), line });
    }
    let compiled = compile(&readings, &secrets);
    let file = OfSettings { fingerprint: "fingerprint", text: &patterns, rest: "" };
    let readings = Form::of_readings(&file, &compiled.readings).unwrap();
    let secrets = Form::of_secrets(&file, &compiled.secrets).unwrap();
    assert_eq!(Form::read(readings.bytes().to_vec(), FormKind::Readings).as_ref(), Some(&readings));
    let (whole, whole_places) = (told(readings.clone(), &text), places(secrets.clone(), &text));
    let mut change = change.bytes();
    let at = change.by_ref().take(3).fold(0, |at, byte| at * 256 + usize::from(byte));
    let by = change.next().unwrap_or_default();
    // A byte of the head makes it no form; of a program, that one is not followed.
    if let Some(torn) = torn(&readings, FormKind::Readings, at, by) {
        let line = told(torn, &text);
        assert!(by != 0 || line == whole);
    }
    if let Some(torn) = torn(&secrets, FormKind::Secrets, at, by) {
        assert!(places(torn, &text).len() <= whole_places.len() || by != 0);
    }
});

fn torn(form: &Form, kind: FormKind, at: usize, by: u8) -> Option<Form> {
    let mut bytes = form.bytes().to_vec();
    let at = at % bytes.len();
    bytes[at] ^= by;
    Form::read(bytes, kind)
}

/// The line that a reading tells.
fn told(form: Form, text: &str) -> Option<String> {
    let readings = Readings::of(form);
    let told = readings.told(text, |_| true);
    assert!(told.is_none_or(|told| text.contains(told.line) && told.object.is_none_or(|object| text.contains(object))));
    told.map(|told| told.line.to_owned())
}

/// The places of secrets.
fn places(form: Form, text: &str) -> Vec<(usize, usize)> {
    let secrets = Secrets::of(form);
    let places: Vec<(usize, usize)> =
        secrets.places(text).into_iter().map(|(place, _)| (place.start, place.end)).collect();
    assert!(places.windows(2).all(|pair| matches!(pair, [(_, end), (start, _)] if end <= start)));
    assert!(places.iter().all(|(start, end)| start < end && text.get(*start..*end).is_some()));
    places
}
