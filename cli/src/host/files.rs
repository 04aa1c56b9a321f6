//! What a transcript's calls tell of the contents of files, where a replay asks for it.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::edited::EditInput;
use super::wire::{self, JsonShape, Lenient, Loose, RawFields};
use crate::edits::{FileNews, TextEdit};
use crate::model::{Tool, ToolKind};

/// The most calls without a result that are remembered.
const MAX_OPEN: usize = 256;

/// The calls of file tools that wait for their results.
#[derive(Debug, Default)]
pub(super) struct FileCalls {
    waiting: VecDeque<OpenFileCall>,
}

#[derive(Debug)]
struct OpenFileCall {
    id: String,
    kind: ToolKind,
    path: String,
    edits: Vec<TextEdit>,
    content: Option<String>,
}

/// What the client says of a file call that went well.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct FileResponse<'a> {
    #[serde(borrow)]
    file: Lenient<RawFields<'a>>,
    original_file: Option<&'a RawValue>,
    old_string: Loose<'a>,
    new_string: Loose<'a>,
    user_modified: Option<&'a RawValue>,
}

impl FileCalls {
    /// A call was made.
    pub(super) fn asked(&mut self, id: &str, tool: &str, input: &RawValue) {
        let kind = Tool::named(tool).kind;
        if !matches!(kind, ToolKind::Edit | ToolKind::Write | ToolKind::Read) {
            return;
        }
        let Some((path, edits, content)) = given_edits(kind, input) else { return };
        if self.waiting.len() == MAX_OPEN {
            self.waiting.pop_front();
        }
        self.waiting.push_back(OpenFileCall { id: id.to_owned(), kind, path, edits, content });
    }

    /// What a call tells by its end.
    pub(super) fn ended(&mut self, id: &str, is_error: bool, response: Option<&RawValue>) -> Option<FileNews> {
        let at = self.waiting.iter().position(|waiting| waiting.id == id)?;
        let OpenFileCall { kind, path, edits, content, .. } = self.waiting.remove(at)?;
        let response = response.filter(|raw| !is_error && wire::shape(raw) == JsonShape::Object);
        let response = response.and_then(|raw| serde_json::from_str::<FileResponse<'_>>(raw.get()).ok());
        Some(match (kind, is_error) {
            (ToolKind::Edit, true) => FileNews::Refused { path, edits },
            (ToolKind::Edit, false) => edited(path, edits, &response.unwrap_or_default()),
            (ToolKind::Write, false) => FileNews::Holds { path, json: content? },
            (_, true) => return None,
            (_, false) => FileNews::Holds { path, json: whole(&response?.file.0)? },
        })
    }
}

fn given_edits(kind: ToolKind, input: &RawValue) -> Option<(String, Vec<TextEdit>, Option<String>)> {
    if kind == ToolKind::Edit {
        let input: EditInput<'_> = serde_json::from_str(input.get()).ok()?;
        let path = input.file_path.owned()?;
        return Some((path, input.edits().unwrap_or_default(), None));
    }
    let input: RawFields<'_> = serde_json::from_str(input.get()).ok()?;
    Some((input.string("file_path").ok()??, Vec::new(), raw_text(input.get("content"))))
}

/// An edit that went well. What the client says was replaced counts, as it may take the file's own quotes; where a person
/// changed it on the way, nobody knows what the file holds.
fn edited(path: String, mut edits: Vec<TextEdit>, response: &FileResponse<'_>) -> FileNews {
    if wire::is_true(response.user_modified) {
        return FileNews::Changed { path };
    }
    if let [edit] = edits.as_mut_slice()
        && let (Some(old), Some(new)) = (response.old_string.owned(), response.new_string.owned())
    {
        (edit.old, edit.new) = (old, new);
    }
    FileNews::Edited { path, json: raw_text(response.original_file), edits }
}

/// What a file holds, where all of it was read.
fn whole(shown: &RawFields<'_>) -> Option<String> {
    let number = |name| wire::number::<u64>(shown.get(name));
    let is_whole = number("startLine") == Some(1) && number("numLines")? == number("totalLines")?;
    raw_text(shown.get("content")).filter(|_| is_whole)
}

/// A text as JSON writes it.
fn raw_text(raw: Option<&RawValue>) -> Option<String> {
    raw.filter(|raw| wire::shape(raw) == JsonShape::String).map(|raw| raw.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn told(tool: &str, input: &str, is_error: bool, response: &str) -> Option<FileNews> {
        let mut files = FileCalls::default();
        files.asked("t1", tool, &raw(input));
        files.ended("t1", is_error, Some(&raw(response)))
    }

    #[test]
    fn what_is_read_whole_or_written_is_held() {
        let read = |is_error, response: &str| told("Read", r#"{"file_path":"/a"}"#, is_error, response);
        let whole = r#"{"type":"text","file":{"content":"x\n","startLine":1,"numLines":2,"totalLines":2}}"#;
        let holds = |json: &str| Some(FileNews::Holds { path: "/a".to_owned(), json: json.to_owned() });
        assert_eq!(read(false, whole), holds(r#""x\n""#));
        assert_eq!(read(false, &whole.replace("\"totalLines\":2", "\"totalLines\":9")), None);
        assert_eq!(read(true, "\"Error\""), None);
        let write = r#"{"file_path":"/a","content":"y"}"#;
        assert_eq!(told("Write", write, false, "{}"), holds("\"y\""));
        assert_eq!(told("Write", write, true, "\"Error\""), None);
    }

    #[test]
    fn edits_tell_what_they_changed_or_would_have() {
        let edit = |is_error, response: &str| {
            told("Edit", r#"{"file_path":"/a","old_string":"o","new_string":"n"}"#, is_error, response)
        };
        let edits = |old: &str| vec![TextEdit { old: old.to_owned(), new: "n".to_owned(), everywhere: false }];
        let path = || "/a".to_owned();
        let done = r#"{"originalFile":"xo","oldString":"p","newString":"n","userModified":false}"#;
        let edited = FileNews::Edited { path: path(), json: Some("\"xo\"".to_owned()), edits: edits("p") };
        assert_eq!(edit(false, done), Some(edited));
        let by_a_person = done.replace("false", "true");
        assert_eq!(edit(false, &by_a_person), Some(FileNews::Changed { path: path() }));
        assert_eq!(edit(true, "\"Error\""), Some(FileNews::Refused { path: path(), edits: edits("o") }));
    }
}
