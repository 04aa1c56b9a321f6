//! Patches: the files of `apply_patch` are what its call is about.

use std::borrow::Cow;

use crate::model::{Reported, Tool, ToolCall, ToolInput, ToolKind};

/// The most files of a patch that are kept.
const MOST_FILES: usize = 16;
const FILE_LINES: &[&str] = &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
const BEGIN: &str = "*** Begin Patch";

/// The files of a patch, in its order.
fn patched_files(patch: &str) -> impl Iterator<Item = &str> {
    let lines = patch.lines().filter_map(|line| FILE_LINES.iter().find_map(|start| line.strip_prefix(start)));
    lines.map(str::trim).filter(|file| !file.is_empty()).take(MOST_FILES)
}

/// The call as an edit of the files of its patch, where `command` is one: given to the tool itself, or to the program of the
/// same name by a shell.
pub fn as_patch<'a>(call: ToolCall<'a>, command: Option<Cow<'_, str>>) -> ToolCall<'a> {
    let Some(command) = command.filter(|command| command.contains(BEGIN)) else { return call };
    let is_patch = match call.tool.kind {
        ToolKind::Edit => true,
        ToolKind::Shell => command.trim_start().starts_with("apply_patch"),
        _ => false,
    };
    let mut files = patched_files(&command).map(str::to_owned);
    let Some(path) = files.next().filter(|_| is_patch) else { return call };
    let reported = Reported { files_touched: files.collect(), ..call.reported };
    ToolCall { tool: Tool::named("apply_patch"), input: ToolInput::file(Cow::Owned(path)), reported, ..call }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;

    fn patched(tool: &str, command: &str) -> ToolCall<'static> {
        let input = ToolInput::Command { command: Cow::Owned(command.to_owned()), background: false };
        as_patch(ToolCall::new(Tool::named(tool), input, Status::Succeeded), Some(Cow::Borrowed(command)))
    }

    #[test]
    fn a_patch_is_an_edit_of_its_files() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** Add File: b.txt\n+*** Update File: c\n*** End Patch\n";
        for (tool, command) in
            [("apply_patch", patch.to_owned()), ("Bash", format!("apply_patch <<'EOF'\n{patch}EOF\n"))]
        {
            let call = patched(tool, &command);
            assert_eq!((call.tool.kind, call.file()), (ToolKind::Edit, Some("src/a.rs")));
            assert_eq!(call.reported.files_touched, ["b.txt"]);
        }
    }

    #[test]
    fn what_only_speaks_of_a_patch_stays_a_command() {
        for command in
            ["apply_patch --help", "cat p # *** Begin Patch\n*** Add File: a\n", "apply_patch '*** Begin Patch'"]
        {
            assert_eq!(patched("Bash", command).command(), Some(command));
        }
    }
}
