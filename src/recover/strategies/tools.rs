//! A tool that is not there, whose arguments say what it was to do: the same by the tools that are.

use serde_json::Value;

use super::super::case::Case;
use super::super::step::{Deed, Step};
use crate::shell::{line_of, quoted_word};
use crate::text::{file_name, quoted};

/// Names under which tools take the same thing.
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "file",
    "filename",
    "filepath",
    "target_file",
    "relative_path",
    "absolute_path",
    "relative_workspace_path",
    "uri",
];
const MANY: &[&str] = &["paths", "files", "file_paths", "filenames"];
const FOLDERS: &[&str] = &["path", "dir", "directory", "folder", "relative_workspace_path", "root", "dir_path"];
const OLD: &[&str] = &["old_str", "old_string", "old_text", "oldText", "search", "find", "old"];
const NEW: &[&str] = &["new_str", "new_string", "new_text", "newText", "replace", "replacement", "new"];
const WHOLE: &[&str] = &["content", "contents", "file_text", "text", "code_content"];
const LINES: &[&str] = &["command", "cmd", "script", "shell_command", "command_line"];
const CODE: &[&str] = &["code", "source", "snippet"];
const QUERIES: &[&str] =
    &["query", "pattern", "regex", "text", "search", "q", "search_term", "searchTerm", "glob", "glob_pattern"];
const BASES: &[&str] = &["db_path", "database", "db", "database_path", "db_file", "path"];
const ADDRESSES: &[&str] = &["url", "uri", "address"];

fn text_of<'c>(case: &'c Case<'_>, keys: &[&str]) -> Option<&'c str> {
    keys.iter().find_map(|key| case.failed.args.get(*key)?.as_str()).filter(|text| !text.is_empty())
}

fn number_of(case: &Case<'_>, keys: &[&str]) -> Option<u64> {
    keys.iter().find_map(|key| case.failed.args.get(*key)?.as_u64())
}

/// The texts of a list, or of a list of objects that hold a path each.
fn list_of(case: &Case<'_>, keys: &[&str]) -> Vec<String> {
    let list = keys.iter().find_map(|key| case.failed.args.get(*key)?.as_array());
    let texts = list.into_iter().flatten().filter_map(|value| {
        value.as_str().or_else(|| PATHS.iter().find_map(|key| value.get(*key)?.as_str())).map(str::to_owned)
    });
    texts.take(20).collect()
}

/// A patch in the form that some agents write: files, and their lines with ` `, `-` and `+`.
fn of_patch(case: &Case<'_>) -> Option<Vec<Step>> {
    let patch = text_of(case, &["patch", "input", "diff"])?;
    let mut steps = Vec::new();
    let (mut file, mut old, mut new) = (String::new(), Vec::new(), Vec::new());
    for line in patch.lines().chain(["*** End Patch"]) {
        let begins = line.starts_with("*** ") || line.starts_with("@@");
        if begins && old != new {
            let change = Deed::Edit { path: file.clone(), old: old.join("\n"), new: new.join("\n") };
            steps.push(work(format!("Make the change in {}", quoted(&file, 80)), change, "The new text stands there"));
        }
        if begins {
            old.clear();
            new.clear();
        }
        if let Some(path) = line.strip_prefix("*** Update File: ") {
            path.trim().clone_into(&mut file);
            let deed = Deed::Read { path: file.clone(), from: None };
            steps.push(Step::new(format!("Read {}", quoted(&file, 100)), deed, "What it holds"));
        } else if line.starts_with("*** Add") || line.starts_with("*** Delete") || line.starts_with("*** Move") {
            return None;
        } else if !begins && !file.is_empty() {
            match line.chars().next() {
                Some('-') => old.push(&line[1..]),
                Some('+') => new.push(&line[1..]),
                _ => {
                    let same = line.strip_prefix(' ').unwrap_or(line);
                    old.push(same);
                    new.push(same);
                }
            }
        }
    }
    (steps.len() > 1).then_some(steps)
}

/// What the client's own search was to do, as a line of the shell, where the client could not start the program that it
/// searches with.
pub(super) fn search_by_shell(case: &Case<'_>) -> Option<String> {
    if !case.says(&["spawn"]) || !case.says(&["ENOENT"]) {
        return None;
    }
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

/// The steps that do what the tool was to do; None where its arguments do not say.
pub(super) fn steps_for(case: &Case<'_>, name: &str) -> Option<Vec<Step>> {
    let name = name.to_ascii_lowercase();
    let words: Vec<&str> = name.split(['_', '-', '.', ' ']).filter(|word| !word.is_empty()).collect();
    let is = |any: &[&str]| {
        words.iter().any(|word| any.contains(word)) || any.iter().any(|part| part.len() > 4 && name.contains(part))
    };
    // An agent or a skill is no tool that could be done by hand.
    if matches!(&*case.failed.tool, "Agent" | "Task" | "Skill") {
        return None;
    }
    edits(case)
        .or_else(|| by_action(case))
        .or_else(|| of_patch(case))
        .or_else(|| of_git(case, &words))
        .or_else(|| {
            let list = list_of(case, MANY);
            let is_read = !is(&["write", "delete", "remove", "edit"]);
            (!list.is_empty() && is_read).then(|| list.iter().map(|path| read(path, None)).collect())
        })
        .or_else(|| queries_a_base(case, &name))
        .or_else(|| {
            let (path, text) = (text_of(case, PATHS)?, text_of(case, WHOLE)?);
            is(&["write", "create", "save", "replace", "put", "new"]).then(|| write(path, text))
        })
        .or_else(|| {
            let address = text_of(case, ADDRESSES).filter(|url| url.starts_with("http"))?;
            is(&["fetch", "http", "get", "curl", "download", "browse", "web", "url", "request"]).then(|| {
                vec![work(
                    "Fetch the page by curl",
                    Deed::Run(line_of(["curl", "-fsSL", address])),
                    "What stands there",
                )]
            })
        })
        .or_else(|| runs(case, &is))
        .or_else(|| folders(case, &is))
        .or_else(|| searches(case, &is))
        .or_else(|| {
            let path = text_of(case, PATHS)?;
            let reads = is(&["read", "cat", "view", "open", "get", "show", "fetch", "load"]);
            (reads && !is(&["info", "stat"]))
                .then(|| vec![read(path, number_of(case, &["offset", "start_line", "line_start", "start"]))])
        })
}

fn work(action: impl Into<String>, deed: Deed, expected: &str) -> Step {
    Step::work(action, deed, expected)
}

fn read(path: &str, from: Option<u64>) -> Step {
    work(format!("Read {}", quoted(path, 100)), Deed::Read { path: path.to_owned(), from }, "What it holds")
}

fn write(path: &str, text: &str) -> Vec<Step> {
    let deed = Deed::Write { path: path.to_owned(), content: text.to_owned() };
    vec![work(format!("Write {}", quoted(path, 100)), deed, "It holds the text")]
}

/// A replacement in a file, or several.
fn edits(case: &Case<'_>) -> Option<Vec<Step>> {
    let path = text_of(case, PATHS)?;
    let text = |value: &Value, keys: &[&str]| keys.iter().find_map(|key| value.get(*key)?.as_str()).map(str::to_owned);
    let own = Value::Object(case.failed.args.clone());
    let mut pairs: Vec<(String, String)> = Vec::new();
    let list = ["edits", "changes", "replacements"].iter().find_map(|key| case.failed.args.get(*key)?.as_array());
    for value in list.into_iter().flatten().chain([&own]) {
        if let Some((old, new)) =
            text(value, OLD).zip(text(value, NEW)).filter(|(old, new)| !old.is_empty() && old != new)
        {
            pairs.push((old, new));
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let look = Step::new(
        format!("Read {}", quoted(path, 100)),
        Deed::Read { path: path.to_owned(), from: None },
        "What it holds",
    );
    let change = |(old, new): (String, String)| {
        work(
            format!("Make the change in {}", quoted(path, 80)),
            Deed::Edit { path: path.to_owned(), old, new },
            "The new text stands there",
        )
    };
    Some(std::iter::once(look).chain(pairs.into_iter().map(change)).collect())
}

/// A tool of several deeds, which an argument names: view, create, insert.
fn by_action(case: &Case<'_>) -> Option<Vec<Step>> {
    let action = text_of(case, &["command", "action", "operation", "op"])?;
    let path = text_of(case, PATHS)?;
    match action {
        "view" | "read" | "cat" | "open" => {
            let range = case.failed.args.get("view_range").and_then(|range| range.get(0)?.as_u64());
            match case.kind(path) {
                Some(super::super::look::FileKind::Dir) => Some(vec![work(
                    format!("List {}", quoted(path, 100)),
                    Deed::List(path.to_owned()),
                    "The names in the folder",
                )]),
                _ => Some(vec![read(path, range)]),
            }
        }
        "create" | "write" => Some(write(path, text_of(case, WHOLE)?)),
        "list" | "ls" => Some(vec![work(
            format!("List {}", quoted(path, 100)),
            Deed::List(path.to_owned()),
            "The names in the folder",
        )]),
        "insert" => {
            let at = usize::try_from(number_of(case, &["insert_line", "line"])?).ok()?;
            let put = text_of(case, &["new_str", "insert_text", "text", "content"])?;
            let text = case.looks.text(path)?;
            let line = text
                .lines()
                .nth(at.saturating_sub(1))
                .filter(|line| !line.is_empty() && text.matches(line).count() == 1)?;
            let put = put.trim_end_matches('\n');
            let new = if at == 0 { format!("{put}\n{line}") } else { format!("{line}\n{put}") };
            let change = Deed::Edit { path: path.to_owned(), old: line.to_owned(), new };
            Some(vec![
                Step::new(
                    format!("Read {}", quoted(path, 100)),
                    Deed::Read { path: path.to_owned(), from: None },
                    "What it holds",
                ),
                work(format!("Put the text into {}", quoted(path, 80)), change, "The text stands there"),
            ])
        }
        _ => None,
    }
}

/// A look by git: `git_status`, `mcp__git__git_log`.
fn of_git(case: &Case<'_>, words: &[&str]) -> Option<Vec<Step>> {
    const LOOKS: &[&str] = &["status", "log", "diff", "show", "blame", "branch"];
    if !words.contains(&"git") {
        return None;
    }
    let subcommand = LOOKS.iter().find(|word| words.last() == Some(word) || words.contains(word))?;
    let mut line = vec!["git".to_owned()];
    if let Some(folder) =
        text_of(case, &["repo_path", "repo", "cwd", "path", "directory"]).filter(|folder| *folder != ".")
    {
        line.extend(["-C".to_owned(), folder.to_owned()]);
    }
    line.push((*subcommand).to_owned());
    match *subcommand {
        "log" => {
            let many = number_of(case, &["max_count", "limit", "n", "count"]).unwrap_or(20);
            line.extend(["-n".to_owned(), many.to_string()]);
        }
        "branch" => line.extend(["--all".to_owned(), "--list".to_owned()]),
        "status" => line.extend(["--short".to_owned(), "--branch".to_owned()]),
        _ => {}
    }
    if words.contains(&"staged") || case.failed.args.get("staged").and_then(Value::as_bool) == Some(true) {
        line.push("--cached".to_owned());
    }
    let plain = |text: &&str| !text.starts_with('-');
    line.extend(text_of(case, &["target", "revision", "commit", "ref"]).filter(plain).map(str::to_owned));
    if *subcommand == "blame" {
        line.extend(["--".to_owned(), text_of(case, &["file", "file_path"])?.to_owned()]);
    }
    Some(vec![work(format!("Ask git for its {subcommand}"), Deed::Run(line_of(&line)), "What git says")])
}

/// A query and a base of SQLite. What changes the base is a call that an agent makes itself.
fn queries_a_base(case: &Case<'_>, name: &str) -> Option<Vec<Step>> {
    let query = text_of(case, &["query", "sql", "statement"])?;
    let first =
        query.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_uppercase();
    if !matches!(&*first, "SELECT" | "WITH" | "PRAGMA" | "EXPLAIN" | "VALUES") {
        return None;
    }
    let is_base = |path: &str| [".db", ".sqlite", ".sqlite3", ".db3"].iter().any(|end| path.ends_with(end));
    let found = || {
        let found = case.looks.find(&is_base);
        <[String; 1]>::try_from(found).ok().map(|[path]| path)
    };
    let named = text_of(case, BASES).filter(|path| is_base(path) || name.contains("sqlite")).map(str::to_owned);
    let base =
        named.or_else(|| found().filter(|_| name.contains("sql") || name.contains("quer") || name.contains("db")))?;
    let line = line_of(["sqlite3", "-readonly", "-header", &base, query]);
    Some(vec![work(format!("Ask {} by sqlite3", quoted(&base, 80)), Deed::Run(line), "The rows")])
}

/// A command line, or code of a language.
fn runs(case: &Case<'_>, is: &dyn Fn(&[&str]) -> bool) -> Option<Vec<Step>> {
    if let Some(line) = text_of(case, LINES) {
        let args = list_of(case, &["args", "arguments"]);
        let line = if args.is_empty() {
            line.to_owned()
        } else {
            line_of(std::iter::once(line).chain(args.iter().map(String::as_str)))
        };
        let folder =
            text_of(case, &["cwd", "workdir", "working_directory", "directory"]).filter(|folder| *folder != ".");
        let line = folder.map_or_else(|| line.clone(), |folder| format!("{} && {line}", line_of(["cd", folder])));
        return Some(vec![work("Run the command in the shell that is there", Deed::Own(line), "The command runs")]);
    }
    let list = list_of(case, &["command", "cmd", "argv"]);
    if !list.is_empty() {
        return Some(vec![work(
            "Run the command in the shell that is there",
            Deed::Own(line_of(&list)),
            "The command runs",
        )]);
    }
    let code = text_of(case, CODE)?;
    let language = text_of(case, &["language", "lang"]).unwrap_or_default();
    let program = if is(&["python", "py", "jupyter", "ipython", "interpreter"]) || language.starts_with("py") {
        ["python3", "-c"]
    } else if is(&["node", "javascript", "js", "repl"]) || language.starts_with('j') {
        ["node", "-e"]
    } else if is(&["bash", "shell", "sh"]) || language.ends_with("sh") {
        return Some(vec![work("Run it in the shell that is there", Deed::Own(code.to_owned()), "It runs")]);
    } else {
        return None;
    };
    Some(vec![work(
        "Run the code in the shell that is there",
        Deed::Own(line_of([program[0], program[1], code])),
        "The code runs",
    )])
}

fn folders(case: &Case<'_>, is: &dyn Fn(&[&str]) -> bool) -> Option<Vec<Step>> {
    let folder = text_of(case, FOLDERS).unwrap_or(".").to_owned();
    let is_folder = is(&["directory", "dir", "folder"]);
    let path = text_of(case, FOLDERS);
    if is_folder
        && is(&["create", "make", "new"])
        && let Some(path) = path
    {
        return Some(vec![work(
            format!("Make {}", quoted(path, 100)),
            Deed::Run(line_of(["mkdir", "-p", "--", path])),
            "The folder is there",
        )]);
    }
    if is(&["tree"]) {
        let line = format!(
            "find {} -maxdepth 3 -not -path \"*/.git/*\" -not -path \"*/node_modules/*\"",
            quoted_word(&dashed(&folder))
        );
        return Some(vec![work("Show the folder with what is below it", Deed::Run(line), "Names, three folders deep")]);
    }
    if is(&["info", "stat", "metadata"])
        && let Some(path) = text_of(case, PATHS)
    {
        return Some(vec![work(
            format!("Look at {}", quoted(path, 100)),
            Deed::Run(line_of(["ls", "-ld", "--", path])),
            "Its size, rights and time",
        )]);
    }
    let lists = is(&["list", "ls", "browse", "explore"])
        && text_of(case, QUERIES).is_none()
        && text_of(case, FOLDERS).is_some();
    lists.then(|| {
        vec![work(format!("List {}", quoted(&folder, 100)), Deed::List(folder.clone()), "The names in the folder")]
    })
}

/// A path that no program takes for an option.
fn dashed(path: &str) -> String {
    if path.starts_with('-') { format!("./{path}") } else { path.to_owned() }
}

/// A search for names, or in texts.
fn searches(case: &Case<'_>, is: &dyn Fn(&[&str]) -> bool) -> Option<Vec<Step>> {
    if !is(&["search", "grep", "find", "glob", "codebase", "ripgrep", "lookup", "locate", "rg"]) {
        return None;
    }
    let text = text_of(case, QUERIES)?;
    let folder = text_of(case, &["path", "dir", "directory", "folder", "root"]).unwrap_or(".").to_owned();
    let has_star = text.contains('*') && !text.contains(".*") || text.starts_with("**/") || text.contains("*.");
    let by_name = has_star
        || is(&["glob", "locate"])
        || is(&["file"]) && !is(&["grep", "content", "code", "text"]) && text.contains('.') && !text.contains(' ');
    if !by_name {
        return Some(vec![work(
            format!("Search for {}", quoted(text, 60)),
            Deed::Search { text: text.to_owned(), folder },
            "The places that hold it",
        )]);
    }
    let name = file_name(text);
    let line = format!(
        "find {} -not -path \"*/.git/*\" -not -path \"*/node_modules/*\" -name {}",
        quoted_word(&dashed(&folder)),
        quoted_word(name)
    );
    Some(vec![work(format!("Find files named {}", quoted(name, 60)), Deed::Run(line), "Where they stand")])
}
