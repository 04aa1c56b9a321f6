//! JSON of which any field may be missing, or be something else: what is there, and nothing of what is not.

use serde_json::Value;

/// Reads one value; None for text that is none, or is nested deeper than the parser goes.
pub(super) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// A JSON value, asked for what it holds.
pub(super) trait TreeNode {
    /// The field of this name, where it is there and not null.
    fn there(&self, name: &str) -> Option<&Value>;

    /// Whether there is a field of this name, whatever it holds.
    fn has(&self, name: &str) -> bool;

    /// A text that is there.
    fn text(&self) -> Option<&str>;

    /// The values of a list; none of anything else.
    fn items(&self) -> &[Value];

    /// A whole number, also one that is written as a text.
    fn whole(&self) -> Option<i64>;

    /// Whether it says yes.
    fn is_true(&self) -> bool;

    /// The first of the fields that is there.
    fn any(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.there(name))
    }

    /// The text of a field.
    fn text_of(&self, name: &str) -> Option<&str> {
        self.there(name)?.text()
    }

    /// The words of a list of texts.
    fn words(&self) -> Vec<&str> {
        self.items().iter().filter_map(TreeNode::text).collect()
    }
}

impl TreeNode for Value {
    fn there(&self, name: &str) -> Option<&Self> {
        self.get(name).filter(|value| !value.is_null())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn text(&self) -> Option<&str> {
        self.as_str()
    }

    fn items(&self) -> &[Self] {
        self.as_array().map_or(&[], Vec::as_slice)
    }

    fn whole(&self) -> Option<i64> {
        let of_float = || {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
            self.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15).map(|number| number as i64)
        };
        self.as_i64().or_else(of_float).or_else(|| self.as_str()?.trim().parse().ok())
    }

    fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }
}
