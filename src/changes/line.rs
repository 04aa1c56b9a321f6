//! A change as a person would write it.

use super::ChangeKind;
use crate::time::duration;

/// The longest line, in characters.
pub const LONGEST_LINE: usize = 120;

/// The line for CLAUDE.md; None where it would be too long, or may not leave the history. `works` is the form that worked.
pub(super) fn line_of(
    kind: ChangeKind,
    matter: &str,
    works: Option<&str>,
    is_folder: bool,
    took_ms: u64,
) -> Option<String> {
    let lines = match kind {
        ChangeKind::Form => form_lines(matter, works),
        ChangeKind::Path => path_lines(matter, works, is_folder),
        ChangeKind::Tool => {
            let (noun, name) = matter.split_once(' ')?;
            vec![format!("There is no {noun} `{name}`; do not call it.")]
        }
        ChangeKind::Program => {
            let other = works.map(|form| format!("`{matter}` is not on PATH; use `{form}`."));
            other.into_iter().chain([format!("`{matter}` is not on PATH; ask before you need it.")]).collect()
        }
        ChangeKind::Variable => vec![format!("`{matter}` is not set; ask for it before you run what reads it.")],
        ChangeKind::Login => {
            vec![format!("`{matter}` can fail until a person unlocks a key or logs in; stop and ask for it.")]
        }
        ChangeKind::Size => vec![format!("`{matter}` is too large to read as a whole; search in it, or read parts.")],
        ChangeKind::SlowCheck => vec![format!(
            "Write the output of `{matter}` to a file once and read that; a run takes {}.",
            duration(took_ms - took_ms % 1000)
        )],
        ChangeKind::Flaky => vec![format!("`{matter}` is flaky; run it once more before you look for a cause.")],
        ChangeKind::Red => vec![format!("`{matter}` was red before any change; it is not yours to fix unasked.")],
        ChangeKind::Refusal => return None,
    };
    lines.into_iter().find(|line| line.chars().count() <= LONGEST_LINE).filter(|line| may_leave(line))
}

fn form_lines(matter: &str, works: Option<&str>) -> Vec<String> {
    let (call, last) = matter.rsplit_once(' ').unwrap_or((matter, ""));
    if last.starts_with('-') {
        let without = format!("`{call}` has no `{last}`.");
        return works
            .map(|new| match new {
                "" => format!("`{call}` has no `{last}`; it works without."),
                new => format!("`{call}` has no `{last}`; use `{new}`."),
            })
            .into_iter()
            .chain([without])
            .collect();
    }
    let with = works.map(|form| format!("{} `{form}`; `{matter}` does not exist.", purpose_of(form)));
    with.into_iter().chain([format!("`{matter}` does not exist.")]).collect()
}

fn path_lines(matter: &str, works: Option<&str>, is_folder: bool) -> Vec<String> {
    let noun = if is_folder { "folder" } else { "file" };
    let with = works.map(|path| {
        let verb = if is_folder { "look in" } else { "it is" };
        format!("There is no {noun} `{matter}`; {verb} `{path}`.")
    });
    with.into_iter().chain([format!("There is no {noun} `{matter}`.")]).collect()
}

/// What a call is for, as far as its last word says it.
fn purpose_of(form: &str) -> &'static str {
    match form.rsplit([' ', ':']).next().unwrap_or_default() {
        "test" | "tests" => "Run tests with",
        "lint" => "Lint with",
        "build" => "Build with",
        "typecheck" => "Check types with",
        _ => "Use",
    }
}

/// Whether a line may leave the history: printed, shown, written.
pub fn may_leave(line: &str) -> bool {
    let is_random = |word: &str| {
        let is_hex = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex && word.bytes().any(|byte| byte.is_ascii_digit())
    };
    !line.split(|sign: char| !sign.is_ascii_alphanumeric()).any(is_random)
        && !line.contains(['\n', '\r'])
        && !["/home/", "/Users/", "/root/"].iter().any(|home| line.contains(home))
}
