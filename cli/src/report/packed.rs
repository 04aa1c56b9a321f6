//! Values of a report in fewer bytes, for the page's own script: most are names and texts that were written before.

use std::collections::HashMap;

use serde_json::Value;

/// Packs values, to be unpacked in the same order. A text that was written before becomes `[its number]`, an object `[its names,
/// values]` or, where one had the same names, `[the number of these names, values]`, and a list `[-1, items]`. What is empty
/// stays.
#[derive(Debug, Default)]
pub(super) struct Packer {
    texts: HashMap<String, usize>,
    names: HashMap<Vec<String>, usize>,
}

impl Packer {
    pub(super) const LIST: i8 = -1;
    pub(super) fn pack(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => {
                let next = self.texts.len();
                let number = *self.texts.entry(text.clone()).or_insert(next);
                if number == next { Value::String(text) } else { Value::Array(vec![number.into()]) }
            }
            Value::Array(items) if !items.is_empty() => self.packed(Self::LIST.into(), items),
            Value::Object(fields) if !fields.is_empty() => {
                let (names, values): (Vec<String>, Vec<Value>) = fields.into_iter().unzip();
                let next = self.names.len();
                let number = *self.names.entry(names.clone()).or_insert(next);
                self.packed(if number == next { names.into() } else { number.into() }, values)
            }
            plain => plain,
        }
    }

    fn packed(&mut self, head: Value, values: Vec<Value>) -> Value {
        std::iter::once(head).chain(values.into_iter().map(|value| self.pack(value))).collect()
    }
}
