//! What a transcript's lines tell of the contents of files: read where a replay asks for it, beside the calls.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::edited::EditInput;
use super::wire::{self, JsonShape, Lenient, ListOrText, Loose, RawFields};
use crate::edits::{FileNews, TextEdit};
use crate::model::{Tool, ToolKind};

/// The most calls without a result that are remembered.
const MAX_OPEN: usize = 256;

/// Reads the lines of a transcript for what they tell of files, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct FileLines {
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

#[derive(Deserialize, Default)]
#[serde(default)]
struct FileLine<'a> {
    #[serde(borrow)]
    message: Lenient<FileMessage<'a>>,
    #[serde(rename = "toolUseResult", alias = "tool_use_result")]
    result: Option<&'a RawValue>,
    /// Around a subagent's own line.
    data: Lenient<RawFields<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FileMessage<'a> {
    #[serde(borrow)]
    content: ListOrText<'a, ContentBlock<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ContentBlock<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    id: Loose<'a>,
    name: Loose<'a>,
    input: Option<&'a RawValue>,
    tool_use_id: Loose<'a>,
    is_error: Option<&'a RawValue>,
}

/// What the client says of a file call that went well.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct FileResponse<'a> {
    #[serde(borrow)]
    file: Lenient<RawFields<'a>>,
    original_file: Loose<'a>,
    old_string: Loose<'a>,
    new_string: Loose<'a>,
    user_modified: Option<&'a RawValue>,
}

impl FileLines {
    /// What the next line tells, by the ids of its calls. A line that cannot be read tells nothing.
    pub(super) fn line(&mut self, line: &str) -> Vec<(String, FileNews)> {
        if !self.waiting.is_empty()
            || [r#""Edit""#, r#""MultiEdit""#, r#""Write""#, r#""Read""#].iter().any(|name| line.contains(name))
        {
            self.read(line, true).unwrap_or_default()
        } else {
            Vec::new()
        }
    }

    fn read(&mut self, line: &str, is_outer: bool) -> Option<Vec<(String, FileNews)>> {
        let line: FileLine<'_> = serde_json::from_str(line).ok()?;
        if let Some(inner) = line.data.0.get("message").filter(|_| is_outer) {
            return self.read(inner.get(), false);
        }
        let ListOrText::List(blocks) = line.message.0.content else { return None };
        let results = blocks.iter().filter(|block| block.kind.as_str() == "tool_result").count();
        let response = line.result.filter(|response| results == 1 && wire::shape(response) == JsonShape::Object);
        let mut told = Vec::new();
        for block in &blocks {
            match block.kind.as_str() {
                "tool_use" => self.asked(block),
                "tool_result" => told.extend(self.ended(block, response)),
                _ => {}
            }
        }
        Some(told)
    }

    fn asked(&mut self, block: &ContentBlock<'_>) {
        let kind = Tool::named(block.name.as_str()).kind;
        if !matches!(kind, ToolKind::Edit | ToolKind::Write | ToolKind::Read) {
            return;
        }
        let Some((path, edits, content)) = block.input.and_then(|input| given_edits(kind, input)) else { return };
        if self.waiting.len() == MAX_OPEN {
            self.waiting.pop_front();
        }
        self.waiting.push_back(OpenFileCall { id: block.id.as_str().to_owned(), kind, path, edits, content });
    }

    fn ended(&mut self, block: &ContentBlock<'_>, response: Option<&RawValue>) -> Option<(String, FileNews)> {
        let at = self.waiting.iter().position(|waiting| waiting.id == block.tool_use_id.as_str())?;
        let OpenFileCall { id, kind, path, edits, content } = self.waiting.remove(at)?;
        let is_error = wire::is_true(block.is_error);
        let response = response.and_then(|raw| serde_json::from_str::<FileResponse<'_>>(raw.get()).ok());
        let news = match (kind, is_error) {
            (ToolKind::Edit, true) => FileNews::Refused { path, edits },
            (ToolKind::Edit, false) => edited(path, edits, &response.unwrap_or_default()),
            (ToolKind::Write, false) => FileNews::Holds { path, text: content? },
            (_, true) => return None,
            (_, false) => FileNews::Holds { path, text: whole(&response?.file.0)? },
        };
        Some((id, news))
    }
}

fn given_edits(kind: ToolKind, input: &RawValue) -> Option<(String, Vec<TextEdit>, Option<String>)> {
    if kind == ToolKind::Edit {
        let input: EditInput<'_> = serde_json::from_str(input.get()).ok()?;
        let path = input.file_path.owned()?;
        return Some((path, input.edits().unwrap_or_default(), None));
    }
    let input: RawFields<'_> = serde_json::from_str(input.get()).ok()?;
    Some((input.string("file_path").ok()??, Vec::new(), input.string("content").ok()?))
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
    FileNews::Edited { path, original: response.original_file.owned(), edits }
}

/// What a file holds, where all of it was read.
fn whole(shown: &RawFields<'_>) -> Option<String> {
    let number = |name| wire::number::<u64>(shown.get(name));
    let is_whole = number("startLine") == Some(1) && number("numLines")? == number("totalLines")?;
    shown.string("content").ok()?.filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> Vec<FileNews> {
        let mut files = FileLines::default();
        lines.iter().flat_map(|line| files.line(line)).map(|(_, news)| news).collect()
    }

    fn asked(tool: &str, input: &str) -> String {
        format!(r#"{{"message":{{"content":[{{"type":"tool_use","id":"t1","name":"{tool}","input":{input}}}]}}}}"#)
    }

    fn ended(is_error: bool, response: &str) -> String {
        format!(
            r#"{{"message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","is_error":{is_error}}}]}},"toolUseResult":{response}}}"#
        )
    }

    #[test]
    fn what_is_read_whole_or_written_is_held() {
        let read = asked("Read", r#"{"file_path":"/a"}"#);
        let whole = r#"{"type":"text","file":{"content":"x\n","startLine":1,"numLines":2,"totalLines":2}}"#;
        let holds = |text: &str| vec![FileNews::Holds { path: "/a".to_owned(), text: text.to_owned() }];
        assert_eq!(told(&[&read, &ended(false, whole)]), holds("x\n"));
        assert_eq!(told(&[&read, &ended(false, &whole.replace("\"totalLines\":2", "\"totalLines\":9"))]), []);
        assert_eq!(told(&[&read, &ended(true, "\"Error\"")]), []);
        let write = asked("Write", r#"{"file_path":"/a","content":"y"}"#);
        assert_eq!(told(&[&write, &ended(false, "{}")]), holds("y"));
        assert_eq!(told(&[&write, &ended(true, "\"Error\"")]), []);
    }

    #[test]
    fn edits_tell_what_they_changed_or_would_have() {
        let edit = asked("Edit", r#"{"file_path":"/a","old_string":"o","new_string":"n"}"#);
        let edits = |old: &str| vec![TextEdit { old: old.to_owned(), new: "n".to_owned(), everywhere: false }];
        let path = || "/a".to_owned();
        let done = r#"{"originalFile":"xo","oldString":"p","newString":"n","userModified":false}"#;
        let edited = FileNews::Edited { path: path(), original: Some("xo".to_owned()), edits: edits("p") };
        assert_eq!(told(&[&edit, &ended(false, done)]), [edited]);
        let by_a_person = done.replace("false", "true");
        assert_eq!(told(&[&edit, &ended(false, &by_a_person)]), [FileNews::Changed { path: path() }]);
        let refused = FileNews::Refused { path: path(), edits: edits("o") };
        assert_eq!(told(&[&edit, &ended(true, "\"Error\"")]), [refused]);
    }
}
