//! The program against the crate `regex`, and what a hostile form comes to.

#![expect(clippy::disallowed_methods, reason = "a test that tells how long something takes")]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::model::Category;

fn reading(pattern: &str, object: Option<Group>) -> WrittenReading {
    WrittenReading { pattern: pattern.to_owned(), category: Category::ServiceError, object, program: None, line: 1 }
}

fn secret(pattern: &str) -> WrittenSecret {
    WrittenSecret { pattern: pattern.to_owned(), kind: "own".to_owned(), line: 1 }
}

const FILE: OfSettings<'_> = OfSettings { fingerprint: "f", text: "text", rest: "rest" };

/// Readings and secrets as the hook has them: written, and read again.
struct Both {
    readings: Readings,
    secrets: Secrets,
}

fn both(readings: &[WrittenReading], secrets: &[WrittenSecret]) -> Both {
    let compiled = compile(readings, secrets);
    assert_eq!(compiled.problems, []);
    let [of_readings, of_secrets] =
        [Form::of_readings(&FILE, &compiled.readings), Form::of_secrets(&FILE, &compiled.secrets)].map(Option::unwrap);
    let again = |form: &Form, kind| Form::read(form.bytes().to_vec(), kind);
    assert_eq!(again(&of_readings, FormKind::Readings).as_ref(), Some(&of_readings));
    assert_eq!(again(&of_secrets, FormKind::Secrets).as_ref(), Some(&of_secrets));
    assert_eq!((again(&of_readings, FormKind::Secrets), again(&of_secrets, FormKind::Readings)), (None, None));
    let read = Both { readings: Readings::of(of_readings.clone()), secrets: Secrets::of(of_secrets.clone()) };
    let written = [Form::of_readings(&FILE, &read.readings), Form::of_secrets(&FILE, &read.secrets)];
    assert_eq!(written, [Some(of_readings), Some(of_secrets)]);
    read
}

const PATTERNS: &[&str] = &[
    r"LIC-(\d+)",
    r"lic[- ]?(\w+)? expired",
    r"(?i)licen[cs]e (?P<n>[a-z]+) expired",
    r"^err: (.+)$",
    r"(a*)*bcd",
    r"(a|aa)+bcd(x)?",
    r"(?:foo|fobar|qux)([0-9]{1,3})",
    r"x.*foo|barx",
    r"(x+x+)+yyy",
    r"\bab\b(c?)",
    r"([^ ]+)@ab",
    r"ab(?:(c)|d)*?e",
    r"a{2,4}(b{1,2})?cc",
    r"(é+)ab",
    r"..ab(.)",
    r"(?:)ab()",
    r"[A-Z]+AB(\s|$)",
    r"abc(?:d(e(f(g)?)?)?)?",
    r"(?s-u:[a-c])ab",
];

/// Each pattern as `regex` has it and as the hook does. Words are those of ASCII.
static FORMS: LazyLock<Vec<(&str, regex::Regex, Both)>> = LazyLock::new(|| {
    let as_both = |pattern: &&'static str| {
        let regex = regex::Regex::new(&pattern.replace("\\b", "(?-u:\\b)")).unwrap();
        let object = (regex.captures_len() > 1).then_some(Group::Number(1));
        (*pattern, regex, both(&[reading(pattern, object)], &[secret(pattern)]))
    };
    PATTERNS.iter().map(as_both).collect()
});

proptest! {

    #[test]
    fn a_program_finds_what_the_crate_finds(line in "(lic|LIC-|-| |ense|s|expired|err: |a|b|c|ab|bcd|foo|bar|x|y|yyy|é|1|23|@|A|AB|d|e|f|g|\\PC){0,14}") {
        for (pattern, regex, read) in FORMS.iter() {
            let expected = regex.captures(&line);
            let place = expected.as_ref().and_then(|captures| captures.get(0)).map(|whole| whole.range());
            let object = expected.map(|captures| captures.get(1).map(|group| group.as_str().to_owned()));
            let found = read.secrets.places(&line).first().map(|(place, _)| place.clone());
            prop_assert_eq!(found, place, "{} in {:?}", pattern, line);
            let told = read.readings.told(&line, |_| false).map(|told| told.object.map(str::to_owned));
            prop_assert_eq!(told, object, "{} in {:?}", pattern, line);
        }
    }

    #[test]
    fn what_is_no_form_is_none(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0..4000_usize, by in 1..=255_u8, cut in 0..4000_usize) {
        prop_assert_eq!(Form::read(bytes, FormKind::Readings), None);
        let compiled = compile(&[reading("LIC-([0-9]+)", Some(Group::Number(1)))], &[]);
        let whole = Form::of_readings(&FILE, &compiled.readings).unwrap().bytes().to_vec();
        prop_assert!(tells_nothing(whole[..cut % whole.len()].to_vec()));
        let mut torn = whole;
        let at = at % torn.len();
        torn[at] ^= by;
        prop_assert!(tells_nothing(torn));
    }

    #[test]
    fn any_program_ends(program in prop::collection::vec(prop::sample::select(vec![0_u8, 1, 2, 3, 4, 5, 6, 7, 97, 255]), 0..400), text in "(a|b|ab|\n){0,200}") {
        let before = Instant::now();
        let sum = crate::digest::checksum(&program);
        let mut file = b"ab".to_vec();
        file.extend(&program);
        let words = vec![pattern::Word { place: 0..2, rarest: 0 }];
        let pattern = pattern::OwnPattern { words: 0..1, before: None, program: 2..file.len(), sum };
        let patterns = pattern::Patterns { file, all: vec![pattern], words };
        let own = readings::OwnReading { category: Category::Timeout, program: None };
        Readings { patterns: patterns.clone(), all: vec![own] }.told(&text, |_| true);
        Secrets { patterns, kinds: vec!["k".to_owned()] }.places(&text);
        prop_assert!(before.elapsed() < Duration::from_secs(5));
    }
}

/// Whether nothing is told by what a file holds.
fn tells_nothing(bytes: Vec<u8>) -> bool {
    Form::read(bytes, FormKind::Readings).is_none_or(|form| Readings::of(form).told("LIC-77", |_| false).is_none())
}

#[test]
fn an_object_is_named_by_number_or_name() {
    for (object, name) in
        [(None, None), (Some(Group::Number(2)), Some("b7")), (Some(Group::Name("tail".to_owned())), Some("b7"))]
    {
        let read = both(&[reading("lock (a+)-(?P<tail>[a-z0-9]+) is held", object)], &[]);
        let told = read.readings.told("one\n  lock aa-b7 is held  \nlock a-b is held", |_| true).unwrap();
        assert_eq!((told.line, told.object), ("lock aa-b7 is held", name));
    }
}

#[test]
fn the_first_reading_that_matches_decides() {
    let mut late = reading("seat [0-9]+", None);
    late.category = Category::RateLimit;
    let mut of_make = reading("no seat", None);
    (of_make.program, of_make.category) = (Some("make".to_owned()), Category::Timeout);
    let read = both(&[of_make, reading("licence [a-z]+", None), late], &[]);
    let category = |text: &str, runs: bool| read.readings.told(text, |_| runs).map(|told| told.category);
    assert_eq!(category("seat 4\nlicence gone\nno seat", false), Some(Category::ServiceError));
    assert_eq!(category("seat 4\nlicence gone\nno seat", true), Some(Category::Timeout));
    assert_eq!(category("seat 4\nLicence 8\nno seat", false), Some(Category::RateLimit));
    assert_eq!(category("nothing", true), None);
}

#[test]
fn secrets_are_hidden_one_by_one_and_never_halfway() {
    let read = both(&[], &[secret("ACME-[a-z0-9]+"), secret("(?i)pin [0-9]{4}")]);
    let secrets = &read.secrets;
    let places = |text: &str| -> Vec<String> {
        secrets.places(text).into_iter().map(|(place, _)| text[place].to_owned()).collect()
    };
    assert_eq!(places("ACME-a1 é PIN 1234 ACME-, ACME-b2\nACME-c3"), ["ACME-a1", "PIN 1234", "ACME-b2", "ACME-c3"]);
    // What goes on beyond what is looked at goes with it.
    let long = format!("x ACME-{}", "a".repeat(9000));
    assert_eq!(places(&long), [&long[2..]]);
    let read = both(&[], &[secret("[a-z]+-ACME")]);
    let long = format!("{}-ACME", "a".repeat(9000));
    let places: Vec<_> = read.secrets.places(&long).into_iter().map(|(place, _)| place).collect();
    assert!(matches!(places.as_slice(), [place] if *place == (0..long.len())));
}

#[test]
fn no_pattern_and_no_text_costs_more_than_a_bound() {
    let evil = ["(a*)*(a*)*(a*)*bcd", "(a|a)*(a|a)*(a?){60}bcd", "(?:.*.*.*)*bcd[^z]*z", "(a+)+(b+)+bcde?f?$"];
    let texts = [
        "a".repeat(80_000) + "bc",
        "bcd".repeat(27_000),
        "a".repeat(2000) + &"bcd ".repeat(20_000),
        ("a".repeat(300) + "bcd\n").repeat(260),
    ];
    for pattern in evil {
        let read = both(&[reading(pattern, None)], &[secret(pattern)]);
        for text in &texts {
            let before = Instant::now();
            read.readings.told(text, |_| true);
            read.secrets.places(text);
            assert!(before.elapsed() < Duration::from_secs(10), "{pattern}: {:?}", before.elapsed());
        }
    }
}

/// Where it is not known what is a secret, the line is not shown.
#[test]
fn what_was_not_looked_at_to_the_end_is_hidden() {
    let read = both(&[], &[secret("(a?){100}(b?){100}bcd[^z]{50}z")]);
    let text = ("a".repeat(1000) + "bcd" + &"y".repeat(60) + "\n").repeat(60);
    let secrets = &read.secrets;
    let places = secrets.places(&text);
    let last = &places.last().expect("some line was not looked at to its end").0;
    assert_eq!(text[last.clone()].trim_end().len(), 1063);
}

#[test]
fn a_pattern_that_cannot_be_used_is_told_why() {
    for (pattern, object, why) in [
        ("(unclosed", None, "unclosed group"),
        ("a{3,1}bc", None, "invalid repetition count range"),
        ("(?=look)ahead", None, "look-around"),
        (r"(a)\1bc", None, "backreferences"),
        (r"abc\n", None, "line break"),
        ("[0-9a-f]{32}", None, "no fixed part"),
        ("(a*)*$", None, "no fixed part"),
        ("foo|b+", None, "no fixed part"),
        ("   ", None, "no fixed part"),
        (r"abc\w{500}", None, "too large"),
        ("abc(x{1000}){1000}", None, "too large"),
        ("abc(d)", Some(Group::Number(2)), "no group 2"),
        ("abc(?P<d>d)", Some(Group::Name("e".to_owned())), "no group `e`"),
    ] {
        let compiled = compile(&[reading(pattern, object)], &[]);
        let [(1, told)] = compiled.problems.as_slice() else { panic!("{pattern}: {:?}", compiled.problems) };
        assert!(told.contains(why), "{pattern}: {told}");
        assert!(compiled.readings.is_empty());
    }
    let deep = format!("abc{}{}", "(".repeat(60), ")".repeat(60));
    assert!(compile(&[reading(&deep, None)], &[]).problems.len() == 1);
}

#[test]
fn fixed_words_are_found_in_any_case() {
    for (pattern, line) in [
        ("(?i)quota of [a-z]+ is gone", "x QUOTA OF abc IS GONE"),
        ("[Ee]rror 0x[0-9a-f]+", "Error 0x77"),
        ("(?:not|never) (?:ready|there)", "never there"),
        ("a?b?(?:(?:cde))+f?", "xxcdecde"),
        ("ſtrange (?i)task", "ſtrange TaſK"),
    ] {
        let read = both(&[reading(pattern, None)], &[]);
        assert!(read.readings.told(line, |_| true).is_some(), "{pattern}");
    }
}
