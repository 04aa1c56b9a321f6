//! A JSON value that borrows its texts: for shapes of which any field may be missing, or be something else.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TreeNode<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<TreeNode<'a>>),
    Map(Vec<(Cow<'a, str>, TreeNode<'a>)>),
}

impl<'a> TreeNode<'a> {
    /// Reads one value; None for text that is none, or is nested deeper than the parser goes.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The field of this name, where it is there and not null. Of two the first counts.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Map(fields) = self else { return None };
        fields.iter().find(|(key, value)| key == name && *value != Self::Null).map(|(_, value)| value)
    }

    /// The first of the fields that is there.
    pub(super) fn any(&self, names: &[&str]) -> Option<&Self> {
        names.iter().find_map(|name| self.get(name))
    }

    /// Whether there is a field of this name, whatever it holds.
    pub(super) fn has(&self, name: &str) -> bool {
        matches!(self, Self::Map(fields) if fields.iter().any(|(key, _)| key == name))
    }

    /// A text that is there.
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The text of a field.
    pub(super) fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    /// The values of a list; none of anything else.
    pub(super) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// A whole number, also one that is written as a text.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Whether it says yes.
    pub(super) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// The words of a list of texts.
    pub(super) fn words(&self) -> Vec<&str> {
        self.items().iter().filter_map(Self::text).collect()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for TreeNode<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = TreeNode<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(TreeNode::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(TreeNode::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers of this size stand for nothing here")]
    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(TreeNode::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers of this size stand for nothing here")]
    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(TreeNode::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(TreeNode::Number(value))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(TreeNode::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(TreeNode::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(TreeNode::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(TreeNode::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some((TreeKey(key), value)) = map.next_entry()? {
            fields.push((key, value));
        }
        Ok(TreeNode::Map(fields))
    }
}

/// A key, borrowed where it holds no escapes.
struct TreeKey<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for TreeKey<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match TreeNode::deserialize(deserializer)? {
            TreeNode::Text(key) => Ok(Self(key)),
            _ => Ok(Self(Cow::Borrowed(""))),
        }
    }
}
