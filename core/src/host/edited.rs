//! What an edit was asked to replace, read a second time from its payload: only a failed edit asks for it, so that no other
//! call pays for it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::id::settle;
use super::wire::{self, Lenient, ListOrText, Loose};
use crate::edits::TextEdit;

/// The edits of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedEdits {
    /// The file as given.
    pub path: String,
    /// The folder that a relative path is below.
    pub cwd: Option<String>,
    /// The edits, in their order.
    pub edits: Vec<TextEdit>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct EditPayload<'a> {
    #[serde(borrow)]
    cwd: Loose<'a>,
    tool_use_id: Loose<'a>,
    tool_input: Lenient<EditInput<'a>>,
    tool_calls: ListOrText<'a, EditEntry<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct EditEntry<'a> {
    #[serde(borrow)]
    tool_use_id: Loose<'a>,
    tool_input: Lenient<EditInput<'a>>,
}

/// What Edit or `MultiEdit` is given.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct EditInput<'a> {
    #[serde(borrow)]
    /// The file, as it is written.
    pub file_path: Loose<'a>,
    old_string: Loose<'a>,
    new_string: Loose<'a>,
    replace_all: Option<&'a RawValue>,
    edits: ListOrText<'a, OneEdit<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OneEdit<'a> {
    #[serde(borrow)]
    old_string: Loose<'a>,
    new_string: Loose<'a>,
    replace_all: Option<&'a RawValue>,
}

impl EditInput<'_> {
    /// Its edits in order; None where there is none.
    pub fn edits(self) -> Option<Vec<TextEdit>> {
        let edit = |old: Loose<'_>, new: Loose<'_>, everywhere| {
            let of = |text: Loose<'_>| text.0.map(Cow::into_owned);
            Some(TextEdit { old: of(old)?, new: of(new).unwrap_or_default(), everywhere: wire::is_true(everywhere) })
        };
        match self.edits {
            ListOrText::List(edits) if !edits.is_empty() => {
                edits.into_iter().map(|one| edit(one.old_string, one.new_string, one.replace_all)).collect()
            }
            _ => Some(vec![edit(self.old_string, self.new_string, self.replace_all)?]),
        }
    }
}

/// What the edit of this id was asked to replace; without an id the only call of the payload.
pub fn asked_edits(payload: &[u8], call: Option<&str>) -> Option<AskedEdits> {
    let text = std::str::from_utf8(payload.strip_prefix(b"\xef\xbb\xbf").unwrap_or(payload)).ok()?;
    let wire: EditPayload<'_> = serde_json::from_str(text).ok()?;
    let is_asked = |id: &Loose<'_>| {
        let mut id = id.owned();
        settle(&mut id);
        id.as_deref() == call
    };
    let input = match wire.tool_calls {
        ListOrText::List(entries) if !entries.is_empty() => {
            entries.into_iter().find(|entry| is_asked(&entry.tool_use_id))?.tool_input.0
        }
        _ if is_asked(&wire.tool_use_id) => wire.tool_input.0,
        _ => return None,
    };
    let path = input.file_path.owned()?;
    Some(AskedEdits { path, cwd: wire.cwd.owned(), edits: input.edits()? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_payload_is_too_odd(bytes in any::<Vec<u8>>(), odd in r#"[{}\[\]":,a-c0\\u]{0,40}"#) {
            let _ = asked_edits(&bytes, None);
            let input = format!(r#"{{"tool_use_id":"t","tool_input":{{"file_path":{odd},"old_string":"{odd}"}}}}"#);
            let _ = asked_edits(input.as_bytes(), Some("t"));
        }
    }

    #[test]
    fn edits_of_a_call_are_read_by_its_id() {
        let edit = TextEdit { old: "a\n".to_owned(), new: "b".to_owned(), everywhere: true };
        let one = r#"{"cwd":"/p","tool_use_id":"t1","tool_input":{"file_path":"a.rs","old_string":"a\n","new_string":"b","replace_all":true}}"#;
        let asked = asked_edits(one.as_bytes(), Some("t1")).unwrap();
        assert_eq!((&*asked.path, asked.cwd.as_deref(), &*asked.edits), ("a.rs", Some("/p"), &[edit.clone()][..]));
        assert_eq!(asked_edits(one.as_bytes(), Some("t2")), None);
        let batch = r#"{"tool_calls":[{"tool_use_id":"t1","tool_input":{"command":"x"}},{"tool_use_id":"t2",
            "tool_input":{"file_path":"a.rs","edits":[{"old_string":"a\n","new_string":"b","replace_all":true},{"old_string":"c"}]}}]}"#;
        let other = TextEdit { old: "c".to_owned(), ..TextEdit::default() };
        assert_eq!(asked_edits(batch.as_bytes(), Some("t2")).unwrap().edits, [edit, other]);
        assert_eq!(asked_edits(batch.as_bytes(), Some("t1")), None);
        for odd in ["", "[]", "{}", r#"{"tool_input":{"file_path":"a","old_string":3}}"#] {
            assert_eq!(asked_edits(odd.as_bytes(), None), None, "{odd}");
        }
    }
}
