//! Lenient JSON: strings that may be something else, raw values read on demand, repair of broken text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The result of reading a part of a document that is known to be well-formed JSON: what can still fail is a string
/// with half a surrogate pair, which the caller answers by repairing the whole document.
pub(super) type Read<T> = Result<T, serde_json::Error>;

/// A value that should be a string. Anything else is taken for absent: one odd field must not lose a payload.
#[derive(Debug, Default)]
pub(super) struct Loose<'a>(pub(super) Option<Cow<'a, str>>);

impl<'a> Loose<'a> {
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    pub(super) fn owned(&self) -> Option<String> {
        self.0.as_deref().map(str::to_owned)
    }

    /// The string, where it is there and not empty.
    pub(super) fn filled(self) -> Option<Cow<'a, str>> {
        self.0.filter(|text| !text.is_empty())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Loose(Some(Cow::Owned(text))))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Loose(None))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Loose(None))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Loose(None))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Loose(None))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Loose(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose(None))
    }
}

/// What kind of value a raw value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    String,
    Object,
    Array,
    Scalar,
    Null,
}

pub(super) fn shape(raw: &RawValue) -> Shape {
    match raw.get().as_bytes().first() {
        Some(b'"') => Shape::String,
        Some(b'{') => Shape::Object,
        Some(b'[') => Shape::Array,
        Some(b'n') | None => Shape::Null,
        Some(_) => Shape::Scalar,
    }
}

/// Reads a raw value as an object with known fields; anything else gives the default.
pub(super) fn object<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> Read<T> {
    match raw {
        Some(raw) if shape(raw) == Shape::Object => serde_json::from_str(raw.get()),
        _ => Ok(T::default()),
    }
}

/// The elements of an array, raw; none when it is not an array.
pub(super) fn elements(raw: Option<&RawValue>) -> Read<Vec<&RawValue>> {
    match raw {
        Some(raw) if shape(raw) == Shape::Array => serde_json::from_str(raw.get()),
        _ => Ok(Vec::new()),
    }
}

pub(super) fn string(raw: &RawValue) -> Read<Cow<'_, str>> {
    Ok(serde_json::from_str::<Loose<'_>>(raw.get())?.0.unwrap_or_default())
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow)]
    text: Loose<'a>,
}

/// The text of a string, or of the text blocks of a list, joined by line feeds; else nothing.
pub(super) fn text(raw: Option<&RawValue>) -> Read<Cow<'_, str>> {
    let Some(raw) = raw else { return Ok(Cow::Borrowed("")) };
    match shape(raw) {
        Shape::String => string(raw),
        Shape::Array => blocks(raw),
        _ => Ok(Cow::Borrowed("")),
    }
}

fn blocks(raw: &RawValue) -> Read<Cow<'_, str>> {
    let mut joined = Cow::Borrowed("");
    for element in elements(Some(raw))? {
        if let Some(text) = object::<Block<'_>>(Some(element))?.text.filled() {
            if joined.is_empty() {
                joined = text;
            } else {
                joined.to_mut().push('\n');
                joined.to_mut().push_str(&text);
            }
        }
    }
    Ok(joined)
}

pub(super) fn is_true(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// A whole number, also where it stands in quotes.
pub(super) fn number<T: std::str::FromStr>(raw: Option<&RawValue>) -> Option<T> {
    raw?.get().trim_matches('"').trim().parse().ok()
}

/// Document text in which every string can be decoded: bytes that are not UTF-8 and halves of surrogate pairs become
/// U+FFFD. None when there was nothing to repair.
pub(super) fn repaired(input: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(input);
    match without_lone_surrogates(&text) {
        Some(fixed) => Some(fixed),
        None if matches!(text, Cow::Owned(_)) => Some(text.into_owned()),
        None => None,
    }
}

const ESCAPE: usize = 6;

fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut fixed: Option<String> = None;
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        match surrogate(text, at) {
            Surrogate::Pair => at += 2 * ESCAPE,
            Surrogate::None => at += escape_len(text, at),
            Surrogate::Lone => {
                let out = fixed.get_or_insert_with(|| String::with_capacity(text.len()));
                out.push_str(text.get(copied..at).unwrap_or_default());
                out.push_str("\\ufffd");
                at += ESCAPE;
                copied = at;
            }
        }
    }
    if let Some(out) = &mut fixed {
        out.push_str(text.get(copied..).unwrap_or_default());
    }
    fixed
}

enum Surrogate {
    None,
    Lone,
    Pair,
}

fn surrogate(text: &str, at: usize) -> Surrogate {
    match unit(text, at) {
        Some(0xD800..=0xDBFF) if matches!(unit(text, at + ESCAPE), Some(0xDC00..=0xDFFF)) => Surrogate::Pair,
        Some(0xD800..=0xDFFF) => Surrogate::Lone,
        _ => Surrogate::None,
    }
}

/// The UTF-16 unit that a `\uXXXX` escape at this place stands for.
fn unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// How far to step over an escape: a backslash and the character that it escapes.
fn escape_len(text: &str, at: usize) -> usize {
    1 + text.get(at + 1..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        assert_eq!(repaired(br#""a\ud800b""#).as_deref(), Some(r#""a\ufffdb""#));
        assert_eq!(repaired(br#""\udc00\ud83d""#).as_deref(), Some(r#""\ufffd\ufffd""#));
        assert_eq!(repaired(br#""\ud83dA""#).as_deref(), Some(r#""\ufffdA""#));
    }

    #[test]
    fn pairs_and_escaped_backslashes_stay() {
        assert_eq!(repaired(br#""\ud83d\ude00 ok""#), None);
        assert_eq!(repaired(br#""C:\\ud800""#), None);
        assert_eq!(repaired(b"\"cut \\"), None);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(repaired(b"\"a\xffb\"").as_deref(), Some("\"a\u{fffd}b\""));
    }

    #[test]
    fn blocks_are_joined_and_odd_values_are_empty() {
        let read = |json: &str| text(Some(&raw(json))).unwrap().into_owned();
        assert_eq!(
            read(r#"[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]"#),
            "a\nb"
        );
        assert_eq!(read(r#""plain\n""#), "plain\n");
        assert_eq!(read(r#"{"text":"x"}"#), "");
        assert_eq!(read("[1,null,[]]"), "");
    }

    #[test]
    fn numbers_may_stand_in_quotes() {
        let read = |json: &str| number::<i64>(Some(&raw(json)));
        assert_eq!(read("7"), Some(7));
        assert_eq!(read("\"-1\""), Some(-1));
        assert_eq!(read("null"), None);
        assert_eq!(read("1.5"), None);
    }
}
