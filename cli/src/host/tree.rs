//! JSON of which any field may be missing, or be something else: what is there, and nothing of what is not.

use serde_json::Value;

/// Reads one value; None for text that is none, or is nested deeper than the parser goes.
pub(super) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// A JSON value, asked for what it holds.
pub(super) trait TreeNode {
    fn value(&self) -> &Value;

    /// The field of this name, where it is there and not null.
    fn there(&self, name: &str) -> Option<&Value> {
        self.value().get(name).filter(|value| !value.is_null())
    }

    /// Whether there is a field of this name, whatever it holds.
    fn has(&self, name: &str) -> bool {
        self.value().get(name).is_some()
    }

    /// A text that is there.
    fn text(&self) -> Option<&str> {
        self.value().as_str()
    }

    /// The values of a list; none of anything else.
    fn items(&self) -> &[Value] {
        self.value().as_array().map_or(&[], Vec::as_slice)
    }

    /// A whole number, also one that is written as a text.
    fn whole(&self) -> Option<i64> {
        let value = self.value();
        let of_float = || {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
            value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15).map(|number| number as i64)
        };
        value.as_i64().or_else(of_float).or_else(|| value.as_str()?.trim().parse().ok())
    }

    /// Whether it says yes.
    fn is_true(&self) -> bool {
        *self.value() == Value::Bool(true)
    }

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
    fn value(&self) -> &Self {
        self
    }
}
