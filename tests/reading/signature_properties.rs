//! What holds for every failure: a volatile part never changes the fine signature, the object always does.

use failwise::model::{Category, Reading, Signature};
use failwise::signature::{CallContext, coarse, fine, sign};
use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;

/// Lines as tools print them; `{}` is where something volatile stands, `{o}` the object.
const LINES: &[&str] = &[
    "error: {o} was lost at {} near the harbour",
    "[{}] ERROR cannot open {o}: no light",
    "fatal: {o}: bad wick ({})",
    "{o}.conf: error after {}, giving up",
    "Error: unexpected {o} ({}) in rig",
    "could not tie {o} to {}",
    "test harbour::{o} failed at {} again",
    "{} warn: '{o}' is not lit",
];

/// Two values of one volatile kind.
fn volatile() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        two(clock_and_date()),
        two(syslog_date()),
        two(duration()),
        two(uuid()),
        two("[0-9a-f]{6}[0-9][a-f][0-9a-f]{32}"),
        two("[a-f][0-9][0-9a-f]{5,10}"),
        two("0x[1-7][0-9a-f]{5,11}"),
        two(address()),
        two("2001:db8::[1-9a-f]{1,4}"),
        two("[0-9a-f]{2}(:[0-9a-f]{2}){5}"),
        two("pid [1-9][0-9]{0,5}"),
        two("line [1-9][0-9]{0,3}"),
        two("line [1-9][0-9]{0,3}, column [1-9][0-9]{0,2}"),
        two("port [1-9][0-9]{1,4}"),
        two("attempt [1-9]/9"),
        two("[1-9][0-9]{0,1}\\.[0-9]%"),
        two("[1-9][0-9]{0,2}(\\.[0-9])? (kB|MB|GiB|bytes)"),
        two("/tmp/tmp[a-z0-9]{4}[0-9][a-z0-9]{3}"),
        two("/tmp/tmp\\.[A-Za-z0-9]{9}[0-9]"),
        two("job [1-9][0-9]{0,6}"),
        two("[1-9][0-9]{9,12}"),
    ]
}

fn two(values: impl Into<Values>) -> BoxedStrategy<(String, String)> {
    let Values(values) = values.into();
    (values.clone(), values).boxed()
}

/// A regular expression or a strategy.
struct Values(BoxedStrategy<String>);

impl From<&'static str> for Values {
    fn from(regex: &'static str) -> Self {
        Self(regex.boxed())
    }
}

impl From<BoxedStrategy<String>> for Values {
    fn from(values: BoxedStrategy<String>) -> Self {
        Self(values)
    }
}

fn clock_and_date() -> BoxedStrategy<String> {
    let parts = (2000u32..2040, 1u32..13, 1u32..29, 0u32..24, 0u32..60, 0u32..60, 0u32..1000);
    let form = |(y, mo, d, h, m, s, ms)| format!("{y}-{mo:02}-{d:02}T{h:02}:{m:02}:{s:02}.{ms:03}Z");
    parts.prop_map(form).boxed()
}

fn syslog_date() -> BoxedStrategy<String> {
    let month = prop::sample::select(vec!["Jan", "Feb", "May", "Sep", "Dec"]);
    let parts = (month, 1u32..29, 0u32..24, 0u32..60, 0u32..60);
    parts.prop_map(|(month, d, h, m, s)| format!("{month} {d:2} {h:02}:{m:02}:{s:02}")).boxed()
}

fn duration() -> BoxedStrategy<String> {
    let unit = prop::sample::select(vec!["ms", "s", "µs", " seconds", "m"]);
    (1u32..90, unit).prop_map(|(number, unit)| format!("{number}{unit}")).boxed()
}

fn uuid() -> BoxedStrategy<String> {
    "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}".boxed()
}

fn address() -> BoxedStrategy<String> {
    (1u32..255, 0u32..255, 1u32..255).prop_map(|(a, b, c)| format!("10.{a}.{b}.{c}")).boxed()
}

/// A word that nothing takes for a number, an id or a keyword.
fn object() -> impl Strategy<Value = String> {
    "[g-z][g-z]{3,9}(_[g-z]{3,6})?"
}

fn filled(line: &str, object: &str, part: &str) -> String {
    line.replace("{o}", object).replace("{}", part)
}

fn signature(line: &str) -> Signature {
    let reading = Reading { category: Category::RuntimeError, line: Some(line.to_owned()), ..Reading::unrecognised() };
    sign(
        &CallContext { operation: "rig all", program: None, target: None, cwd: Some("/home/dev/project") },
        &reading,
        line,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn a_volatile_part_never_matters((a, b) in volatile(), object in object(), line in prop::sample::select(LINES)) {
        let (a, b) = (filled(line, &object, &a), filled(line, &object, &b));
        prop_assert_eq!(signature(&a), signature(&b), "{} | {}\n{} | {}", &a, &b, fine(&a), fine(&b));
    }

    #[test]
    fn the_object_always_matters((a, b) in volatile(), one in object(), other in object(), line in prop::sample::select(LINES)) {
        prop_assume!(one != other);
        let (a, b) = (filled(line, &one, &a), filled(line, &other, &b));
        prop_assert_ne!(signature(&a).fine, signature(&b).fine, "{} | {}", &a, &b);
    }

    #[test]
    fn the_place_of_a_checkout_never_matters(
        root in "(/srv|/builds|/home/[a-z]{3,8}|/Users/[a-z]{3,8})(/[a-z]{3,8}){1,3}", top in "(src|tests|packages|crates)",
        name in object(), line in 1u32..5000
    ) {
        let here = format!("{top}/deck/{name}.ts({line},7): error TS2304: Cannot find name 'Cork'.");
        let there = format!("{root}/{here}");
        prop_assume!(!root.split('/').any(|part| ["src", "test", "tests", "cmd", "pkg", "spec", "apps"].contains(&part)));
        prop_assert_eq!(fine(&there), fine(&here));
    }

    #[test]
    fn a_code_or_status_is_never_masked(a in 400u32..600, b in 400u32..600, word in "(exit code|status|HTTP|error|errno|signal)") {
        prop_assume!(a != b);
        let text = |number: u32| format!("rig: {word} {number} from harbour");
        prop_assert_ne!(signature(&text(a)).fine, signature(&text(b)).fine);
        prop_assert_ne!(signature(&text(a)).coarse, signature(&text(b)).coarse);
    }

    #[test]
    fn the_same_failure_is_of_the_same_kind((a, b) in volatile(), one in object(), line in prop::sample::select(LINES)) {
        let (a, b) = (signature(&filled(line, &one, &a)), signature(&filled(line, &one, &b)));
        prop_assert!(a.fine != b.fine || a.coarse == b.coarse);
    }

    #[test]
    fn quotes_of_any_depth_settle(text in "[\"'` a<>n]{0,60}", depth in 0usize..200, quote in "[\"'`]") {
        let quotes = quote.repeat(depth);
        let text = format!("no {quotes}{text}{quotes} here");
        let once = coarse(&text);
        prop_assert_eq!(coarse(&once), once);
    }

    #[test]
    fn long_numbers_in_names_never_matter(a in "[1-9][0-9]{7}", b in "[1-9][0-9]{8}") {
        prop_assert_eq!(fine(&format!("boat_{a} is gone")), fine(&format!("boat_{b} is gone")));
    }
}
