//! Lenient JSON: strings that may be something else, raw values read on demand, repair of broken text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The result of reading a part of a document that is known to be well-formed JSON: what can still fail is a string
/// with half a surrogate pair, which the caller answers by repairing the whole document.
pub type Read<T> = Result<T, serde_json::Error>;

/// A value that should be a string. Anything else is taken for absent: one odd field must not lose a payload.
#[derive(Debug, Default)]
pub struct Loose<'a>(pub Option<Cow<'a, str>>);

impl<'a> Loose<'a> {
    /// The string; empty where there is none.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// The string as one of its own.
    pub fn owned(&self) -> Option<String> {
        self.0.as_deref().map(str::to_owned)
    }

    /// The string, where it is there and not empty.
    pub fn filled(self) -> Option<Cow<'a, str>> {
        self.0.filter(|text| !text.is_empty())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

/// A visitor's answers to values that are neither strings nor lists nor objects.
macro_rules! scalars_are_default {
    () => {
        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}

pub(super) use scalars_are_default;

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

    scalars_are_default!();

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        drained(seq)?;
        Ok(Loose(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        emptied(map)?;
        Ok(Loose(None))
    }
}

/// An object with known fields. Anything else is taken for an empty one.
#[derive(Debug, Default)]
pub struct Lenient<T>(pub T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor(PhantomData))
    }
}

struct LenientVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for LenientVisitor<T> {
    type Value = Lenient<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Lenient(T::default()))
    }

    scalars_are_default!();

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        drained(seq)?;
        Ok(Lenient(T::default()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Lenient)
    }
}

/// An object of which a few fields are read, each by its name; of two of a name the last counts. For shapes that would have
/// a type for one field or two.
#[derive(serde::Deserialize, Debug, Default)]
#[serde(transparent)]
pub struct RawFields<'a>(#[serde(borrow)] HashMap<Cow<'a, str>, &'a RawValue>);

impl<'a> RawFields<'a> {
    /// A field, where it is there and not null.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied().filter(|raw| shape(raw) != JsonShape::Null)
    }

    /// The string of a field.
    pub fn string(&self, name: &str) -> Read<Option<String>> {
        let string = self.get(name).filter(|raw| shape(raw) == JsonShape::String).map(string).transpose()?;
        Ok(string.map(Cow::into_owned))
    }

    /// The object of a field.
    pub fn object(&self, name: &str) -> Read<Self> {
        let object = self.get(name).map(|raw| serde_json::from_str::<Lenient<Self>>(raw.get())).transpose()?;
        Ok(object.unwrap_or_default().0)
    }

    /// The whole numbers of some fields, 0 where one is none.
    pub fn counts<const N: usize>(&self, names: [&str; N]) -> [u64; N] {
        names.map(|name| number(self.get(name)).unwrap_or_default())
    }
}

/// A list of objects with known fields, or a text. Anything else is taken for an empty list.
#[derive(Debug)]
pub enum ListOrText<'a, T> {
    /// Objects.
    List(Vec<T>),
    /// A text.
    Text(Cow<'a, str>),
}

impl<T> Default for ListOrText<'_, T> {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de> + Default> Deserialize<'de> for ListOrText<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListOrTextVisitor(PhantomData))
    }
}

struct ListOrTextVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for ListOrTextVisitor<T> {
    type Value = ListOrText<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(ListOrText::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(ListOrText::Text(Cow::Owned(text.to_owned())))
    }

    scalars_are_default!();

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Lenient(element)) = seq.next_element()? {
            list.push(element);
        }
        Ok(ListOrText::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        emptied(map)?;
        Ok(ListOrText::default())
    }
}

/// A block of which only the text matters.
#[derive(serde::Deserialize, Debug, Default)]
#[serde(default)]
pub struct TextBlock<'a> {
    #[serde(borrow)]
    text: Loose<'a>,
}

/// A string, or a list of blocks.
pub type Content<'a> = ListOrText<'a, TextBlock<'a>>;

impl<'a> Content<'a> {
    /// The string, or the texts of the blocks joined by line feeds.
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::List(blocks) => joined(blocks.into_iter().map(|block| block.text)),
        }
    }
}

/// The texts that are not empty, with line feeds between.
pub fn joined<'a>(texts: impl IntoIterator<Item = Loose<'a>>) -> Cow<'a, str> {
    let mut joined = Cow::Borrowed("");
    for text in texts.into_iter().filter_map(Loose::filled) {
        if joined.is_empty() {
            joined = text;
        } else {
            joined.to_mut().push('\n');
            joined.to_mut().push_str(&text);
        }
    }
    joined
}

fn drained<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

fn emptied<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// What kind of value a raw value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonShape {
    /// A string.
    String,
    /// An object.
    Object,
    /// A list.
    Array,
    /// A number or a truth value.
    Scalar,
    /// `null`, or nothing.
    Null,
}

/// What a value is, by its first byte.
pub fn shape(raw: &RawValue) -> JsonShape {
    match raw.get().as_bytes().first() {
        Some(b'"') => JsonShape::String,
        Some(b'{') => JsonShape::Object,
        Some(b'[') => JsonShape::Array,
        Some(b'n') | None => JsonShape::Null,
        Some(_) => JsonShape::Scalar,
    }
}

/// The strings of a list that are not empty.
pub fn strings(raw: Option<&RawValue>) -> Read<Vec<String>> {
    let Some(raw) = raw.filter(|raw| shape(raw) == JsonShape::Array) else { return Ok(Vec::new()) };
    let elements: Vec<Loose<'_>> = serde_json::from_str(raw.get())?;
    Ok(elements.into_iter().filter_map(Loose::filled).map(Cow::into_owned).collect())
}

/// The text of a string, or of the text blocks of a list; else nothing.
pub fn text(raw: Option<&RawValue>) -> Read<Cow<'_, str>> {
    Ok(raw.map(|raw| serde_json::from_str::<Content<'_>>(raw.get())).transpose()?.unwrap_or_default().text())
}

/// The value of a raw string; anything else is empty.
pub fn string(raw: &RawValue) -> Read<Cow<'_, str>> {
    Ok(serde_json::from_str::<Loose<'_>>(raw.get())?.0.unwrap_or_default())
}

/// The beginning of a raw string, about `bytes` long.
pub fn head(raw: &RawValue, bytes: usize) -> Read<Cow<'_, str>> {
    if raw.get().len() <= bytes || shape(raw) != JsonShape::String {
        return string(raw);
    }
    let text = raw.get();
    let end = text.floor_char_boundary(bytes);
    let tail = text.floor_char_boundary(bytes.saturating_sub(2 * ESCAPE));
    // An escape, or a pair of them, must not be cut.
    let cut = text.get(tail..end).and_then(|tail| tail.find('\\')).map_or(end, |found| tail + found);
    let short = format!("{}\"", text.get(..cut).unwrap_or_default());
    match serde_json::from_str::<String>(&short) {
        Ok(head) => Ok(Cow::Owned(head)),
        Err(_) => string(raw),
    }
}

/// Whether a value is `true`.
pub fn is_true(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// A whole number, also where it stands in quotes.
pub fn number<T: std::str::FromStr>(raw: Option<&RawValue>) -> Option<T> {
    raw?.get().trim_matches('"').trim().parse().ok()
}

/// Document text in which every string can be decoded: bytes that are not UTF-8 and halves of surrogate pairs become
/// U+FFFD. None when there was nothing to repair.
pub fn repaired(input: &[u8]) -> Option<String> {
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
    match utf16_unit(text, at) {
        Some(0xD800..=0xDBFF) if matches!(utf16_unit(text, at + ESCAPE), Some(0xDC00..=0xDFFF)) => Surrogate::Pair,
        Some(0xD800..=0xDFFF) => Surrogate::Lone,
        _ => Surrogate::None,
    }
}

/// The UTF-16 unit that a `\uXXXX` escape at this place stands for.
fn utf16_unit(text: &str, at: usize) -> Option<u16> {
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
    fn beginnings_are_cut_between_characters_and_escapes() {
        for filler in ["a", "é", "\\n", "\\u00e9", "\\\\", "\\ud83d\\ude00"] {
            for lead in 0..14 {
                let raw = raw(&format!("\"{}{}\"", "x".repeat(lead), filler.repeat(40)));
                let (head, whole) = (head(&raw, 30).unwrap(), string(&raw).unwrap());
                assert!(whole.starts_with(&*head) && !head.is_empty(), "{filler} {lead}: {head}");
            }
        }
        let long = raw(&format!("\"{}\"", "x".repeat(100)));
        assert_eq!(head(&long, 30).unwrap().len(), 29);
        assert_eq!(head(&raw("\"short\\n\""), 100).unwrap(), "short\n");
        assert_eq!(head(&raw("[1,2,3]"), 3).unwrap(), "");
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
