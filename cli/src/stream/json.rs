//! JSON as it was written: members of an object, the text of a string, a value without the blanks around its parts.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The values of some members of an object, as written. Of one that stands twice the last counts, as it does for other
/// readers. None where the text is not one object.
pub(super) fn members<'t, const N: usize>(text: &'t str, names: &[&str; N]) -> Option<[Option<&'t RawValue>; N]> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let found = Members(names).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(found)
}

struct Members<'n, const N: usize>(&'n [&'n str; N]);

impl<'t, const N: usize> DeserializeSeed<'t> for Members<'_, N> {
    type Value = [Option<&'t RawValue>; N];

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'t, const N: usize> Visitor<'t> for Members<'_, N> {
    type Value = [Option<&'t RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(index) = map.next_key_seed(KnownName(self.0))? {
            match index.and_then(|index| found.get_mut(index)) {
                Some(place) => *place = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

/// The index of a member's name among those that are asked for.
struct KnownName<'n>(&'n [&'n str]);

impl<'t> DeserializeSeed<'t> for KnownName<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        // As bytes: a name may hold half a surrogate pair, which is no text.
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for KnownName<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }

    fn visit_bytes<E>(self, name: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| known.as_bytes() == name))
    }
}

/// Whether a value is `null`, or nothing at all.
pub(super) fn is_null(value: Option<&RawValue>) -> bool {
    value.is_none_or(|value| value.get() == "null")
}

/// The text of a string; None for any other value. Halves of surrogate pairs become U+FFFD.
pub(super) fn string(value: &RawValue) -> Option<String> {
    if !value.get().starts_with('"') {
        return None;
    }
    serde_json::from_str(value.get()).ok().or_else(|| {
        let bytes = serde_json::Deserializer::from_str(value.get()).deserialize_bytes(JsonBytes).ok()?;
        Some(without_halves(&bytes))
    })
}

struct JsonBytes;

impl Visitor<'_> for JsonBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(bytes.to_vec())
    }
}

/// Bytes that are UTF-8 but for halves of surrogate pairs, which take three bytes as other characters do.
fn without_halves(bytes: &[u8]) -> String {
    let mut whole = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, others @ ..] = rest {
        match others {
            [0xA0..=0xBF, _, behind @ ..] if *first == 0xED => {
                whole.extend_from_slice("\u{fffd}".as_bytes());
                rest = behind;
            }
            _ => {
                whole.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&whole).into_owned()
}

/// A value without the blanks between its parts; its order and its numbers stay as they were written.
pub(super) fn compact(value: &RawValue) -> String {
    let mut out = String::with_capacity(value.get().len());
    let (mut in_string, mut escaped) = (false, false);
    for c in value.get().chars() {
        if !in_string && matches!(c, ' ' | '\t' | '\r' | '\n') {
            continue;
        }
        out.push(c);
        match c {
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
    }
    out
}

/// Whether a value says yes in the way of scripting languages: not `false`, `null`, zero or an empty string.
pub(super) fn is_truthy(value: Option<&RawValue>) -> bool {
    let Some(value) = value else { return false };
    match value.get() {
        "false" | "null" | "\"\"" => false,
        number => !number.parse().is_ok_and(|number: f64| number == 0.0),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn members_are_given_as_written_and_the_last_of_two_counts() {
        let text = r#"{"a": 1.0, "b\ud800": [], "c": {"a": 2}, "a": "x", "t\u0079pe": null}"#;
        let [a, c, kind, gone] = members(text, &["a", "c", "type", "gone"]).unwrap();
        assert_eq!(a.unwrap().get(), "\"x\"");
        assert_eq!(c.unwrap().get(), r#"{"a": 2}"#);
        assert!(is_null(kind) && kind.is_some() && gone.is_none());
        for none in ["[1]", "1", "null", "{\"a\":1} {}", "{\"a\":1", ""] {
            assert!(members(none, &["a"]).is_none(), "{none}");
        }
    }

    #[test]
    fn halves_of_pairs_cost_one_character_each() {
        assert_eq!(string(&raw(r#""a\ud800b\udc00\ud83d\ude00é""#)).unwrap(), "a\u{fffd}b\u{fffd}😀é");
        assert_eq!(string(&raw("5")), None);
    }

    #[test]
    fn blanks_go_only_between_parts() {
        assert_eq!(
            compact(&raw("{ \"a b\" : [ 1.0 , 2e5 ] ,\n\"c\\\" \": \" \\\\\" }")),
            r#"{"a b":[1.0,2e5],"c\" ":" \\"}"#
        );
    }

    #[test]
    fn truth_is_what_scripts_take_for_it() {
        for (text, truth) in [
            ("true", true),
            ("false", false),
            ("0", false),
            ("0.0", false),
            ("1", true),
            ("\"x\"", true),
            ("\"\"", false),
            ("null", false),
            ("[]", true),
        ] {
            assert_eq!(is_truthy(Some(&raw(text))), truth, "{text}");
        }
        assert!(!is_truthy(None));
    }

    proptest! {
        #[test]
        fn a_compact_value_says_the_same(text in "\\PC{0,12}", number in any::<i64>()) {
            let value = serde_json::json!({"t": text, "n": [number, null, {"x y": true}]});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(compact(&raw(&pretty)), value.to_string());
        }
    }
}
