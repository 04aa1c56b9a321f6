//! The client's own search, as a line of the shell.

use serde_json::Value;

use super::super::case::Case;
use crate::model::FindingKind;
use crate::shell::line_of;
use crate::text::file_name;

/// What the client's own search was to do, as a line of the shell, where the client could not start the program that it
/// searches with.
pub(super) fn search_by_shell(case: &Case<'_>) -> Option<String> {
    case.finding(FindingKind::MissingProgram)?;
    let args = &case.failed.args;
    let text = |key: &str| args.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let pattern = text("pattern")?;
    let folder = text("path").unwrap_or(".");
    match &*case.failed.tool {
        "Grep" => {
            let mut words = vec!["grep".to_owned(), "-rE".to_owned(), "--exclude-dir=.git".to_owned()];
            words.push(match text("output_mode") {
                Some("content") => "-n".to_owned(),
                Some("count") => "-c".to_owned(),
                _ => "-l".to_owned(),
            });
            if args.get("-i").and_then(Value::as_bool) == Some(true) {
                words.push("-i".to_owned());
            }
            // Grep's option takes the names of files only.
            words.extend(text("glob").map(|glob| format!("--include={}", file_name(glob))));
            words.extend(["-e", pattern, "--", folder].map(str::to_owned));
            Some(line_of(words.iter().map(String::as_str)))
        }
        "Glob" => {
            let (below, name) = pattern.rsplit_once('/').unwrap_or((".", pattern));
            let is_deep = below.split('/').any(|part| part == "**");
            let below: Vec<&str> = below.split('/').take_while(|part| *part != "**").collect();
            let root = super::super::case::join(folder, &below.join("/"));
            let root = if root.is_empty() { "." } else { &root };
            // What stands between is a pattern itself.
            if root.contains(['*', '?', '[', '{']) || name.contains('{') {
                return None;
            }
            let depth: &[&str] = if is_deep { &[] } else { &["-maxdepth", "1"] };
            let rest = ["-not", "-path", "*/.git/*", "-name", name];
            Some(line_of(["find", root].iter().chain(depth).chain(&rest).copied()))
        }
        _ => None,
    }
}
