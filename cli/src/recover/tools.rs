//! The tools that a plan may use, under the names that the input speaks: those of the client, or those of the inherited
//! contract. What a step does is written once, as a [`Deed`], and becomes a call of a tool that is there.

use serde_json::{Map, Value, json};

use super::step::Deed;
use crate::model::{Tool, ToolKind};
use crate::shell::{line_of, quoted_word};

/// Whose names the tools have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolDialect {
    /// The client's: Bash, Read, Edit, Write, Glob, Grep.
    Client,
    /// The inherited contract's: `run_bash`, `read_dir`, `read_file`, `write_file`.
    Contract,
}

/// The client's tools, in the order in which they are used.
pub const CLIENT: &[&str] = &["Bash", "Read", "Edit", "Write", "Glob", "Grep"];
/// The contract's.
pub const CONTRACT: &[&str] = &["run_bash", "read_dir", "read_file", "write_file"];

/// The tools that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// Whose names they have.
    pub dialect: ToolDialect,
    /// Their names, as the input writes them.
    pub names: Vec<String>,
    /// Whether they were listed: else the failed tool is one of them, too.
    pub is_given: bool,
}

/// A tool and its arguments.
pub(super) type ToolArgs = (String, Map<String, Value>);

/// What a step needs of its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ability {
    Shell,
    List,
    Read,
    Edit,
    Write,
    Find,
    Search,
}

impl Tools {
    /// The tools of an input. `failed` is the tool that failed; `given` is the list of those that are there, where one was
    /// given; `is_contract` says that the input has the contract's shape.
    pub fn of(failed: &str, given: Option<&[String]>, is_contract: bool) -> Self {
        let mut spoken = std::iter::once(failed).chain(given.unwrap_or_default().iter().map(String::as_str));
        let dialect = match spoken.find_map(dialect_of) {
            Some(dialect) => dialect,
            None if is_contract => ToolDialect::Contract,
            None => ToolDialect::Client,
        };
        let all = if dialect == ToolDialect::Contract { CONTRACT } else { CLIENT };
        let names = given.map_or_else(|| all.iter().map(|name| (*name).to_owned()).collect(), <[String]>::to_vec);
        Self { dialect, names, is_given: given.is_some() }
    }

    /// Whether a tool of this name is there.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// The calls that do a deed: the tool and its arguments. None for a question.
    ///
    /// # Errors
    /// The ability that no tool has.
    pub(super) fn call(&self, deed: &Deed) -> Result<Option<ToolArgs>, &'static str> {
        if matches!(deed, Deed::Ask(_)) {
            return Ok(None);
        }
        let forms = Self::forms(deed);
        let found = forms.into_iter().find_map(|(ability, args)| Some((self.tool(ability)?, args)));
        if let Deed::Again { tool, args } = deed {
            return if self.has(tool) || !self.is_given {
                Ok(Some((tool.clone(), args.clone())))
            } else {
                Err("the failed tool is not available")
            };
        }
        let lacking = match deed {
            Deed::Run(_) | Deed::Own(_) | Deed::Check(_) => "no shell is available",
            Deed::List(_) => "no available tool lists a folder",
            Deed::Read { .. } => "no available tool reads a file",
            Deed::Edit { .. } => "no available tool edits a file",
            Deed::Write { .. } => "no available tool writes a file",
            Deed::Find { .. } | Deed::Search { .. } => "no available tool searches",
            Deed::Again { .. } | Deed::Ask(_) => "",
        };
        let (tool, args) = found.ok_or(lacking)?;
        let Value::Object(args) = Self::args_of(&tool, args) else { return Err(lacking) };
        Ok(Some((tool, args)))
    }

    /// The name of the tool that has an ability.
    fn tool(&self, ability: Ability) -> Option<String> {
        self.names.iter().find(|name| abilities(name).contains(&ability)).cloned()
    }

    /// The forms of a deed, the plainest first.
    fn forms(deed: &Deed) -> Vec<(Ability, Args)> {
        let shell = |line: String| (Ability::Shell, Args::Shell(line));
        match deed {
            Deed::Run(line) | Deed::Own(line) => vec![shell(line.clone())],
            Deed::Check(line) => vec![shell(format!("bash -n -c {} || true", quoted_word(line)))],
            Deed::List(folder) => {
                vec![(Ability::List, Args::Folder(folder.clone())), shell(line_of(["ls", "-A", "--", folder]))]
            }
            Deed::Read { path, from } => vec![
                (Ability::Read, Args::Place(path.clone(), *from)),
                shell(match from {
                    None => line_of(["cat", "--", path]),
                    Some(from) => {
                        format!("sed -n {from},{}p -- {}", from + READ_LINES, quoted_word(path))
                    }
                }),
            ],
            Deed::Edit { path, old, new } => {
                vec![(Ability::Edit, Args::Change(path.clone(), old.clone(), new.clone()))]
            }
            Deed::Write { path, content } => {
                vec![(Ability::Write, Args::Whole(path.clone(), content.clone()))]
            }
            Deed::Find { name } => vec![
                (Ability::Find, Args::Pattern(format!("**/{}", glob_of(name)))),
                shell(line_of(["find", ".", "-not", "-path", "*/.git/*", "-name", &glob_of(name)])),
            ],
            Deed::Search { text, folder } => vec![
                (Ability::Search, Args::Words(text.clone(), folder.clone())),
                shell(line_of(["grep", "-rnF", "--exclude-dir=.git", "-e", text, "--", folder])),
            ],
            Deed::Again { .. } | Deed::Ask(_) => Vec::new(),
        }
    }

    fn args_of(tool: &str, args: Args) -> Value {
        let contract = CONTRACT.contains(&tool);
        let file = if contract { "file" } else { "file_path" };
        match args {
            Args::Shell(line) if contract => json!({ "script": line }),
            Args::Shell(line) => json!({ "command": line }),
            Args::Folder(folder) if contract => json!({ "dir": folder }),
            Args::Folder(folder) if abilities(tool) == [Ability::List] => json!({ "path": folder }),
            Args::Folder(folder) => json!({ "pattern": "*", "path": folder }),
            Args::Place(path, Some(from)) if !contract => {
                json!({ file: path, "offset": from, "limit": READ_LINES })
            }
            Args::Place(path, _) => json!({ file: path }),
            Args::Change(path, old, new) => json!({ file: path, "old_string": old, "new_string": new }),
            Args::Whole(path, content) => json!({ file: path, "content": content }),
            Args::Pattern(pattern) => json!({ "pattern": pattern }),
            Args::Words(text, folder) => {
                json!({ "pattern": escaped(&text), "path": folder, "output_mode": "content" })
            }
        }
    }
}

/// So many lines are read around a place in a file.
const READ_LINES: u64 = 60;

/// What the arguments of a call are made from.
enum Args {
    Shell(String),
    Folder(String),
    Place(String, Option<u64>),
    Change(String, String, String),
    Whole(String, String),
    Pattern(String),
    Words(String, String),
}

fn dialect_of(name: &str) -> Option<ToolDialect> {
    if CONTRACT.contains(&name) {
        Some(ToolDialect::Contract)
    } else if CLIENT.contains(&name) || matches!(name, "MultiEdit" | "NotebookEdit" | "PowerShell" | "LS") {
        Some(ToolDialect::Client)
    } else {
        None
    }
}

fn abilities(name: &str) -> &'static [Ability] {
    match name {
        "read_dir" => return &[Ability::List],
        "read_file" => return &[Ability::Read],
        "write_file" => return &[Ability::Write],
        _ => {}
    }
    let tool = Tool::named(name);
    match (tool.kind, &*tool.name) {
        // What is written here is for POSIX shells.
        (ToolKind::Shell, "PowerShell") => &[],
        (ToolKind::Shell, _) => &[Ability::Shell],
        (ToolKind::Read, _) => &[Ability::Read],
        (ToolKind::Edit, "Edit") if name == "Edit" => &[Ability::Edit],
        (ToolKind::Write, "Write") => &[Ability::Write],
        (ToolKind::Search, "Glob") => &[Ability::List, Ability::Find],
        (ToolKind::Search, "Grep") => &[Ability::Search],
        (ToolKind::Search, "LS") => &[Ability::List],
        _ => &[],
    }
}

/// A file name as a pattern that matches just this name.
fn glob_of(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '\\' => pattern.push('?'),
            c => pattern.push(c),
        }
    }
    pattern
}

/// A text as a regular expression that matches just this text.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_stay_those_of_the_input() {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(Tools::of("Bash", None, false).names, CLIENT);
        assert_eq!(Tools::of("run_bash", None, true).names, CONTRACT);
        assert_eq!(Tools::of("repo_browser", None, true).dialect, ToolDialect::Contract);
        assert_eq!(Tools::of("x", Some(&owned(&["Read", "Bash"])), true).dialect, ToolDialect::Client);
    }

    #[test]
    fn a_deed_becomes_the_plainest_call_that_is_there() {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let call = |names: &[&str], deed: &Deed| {
            Tools::of("x", Some(&owned(names)), false)
                .call(deed)
                .map(|call| call.map(|(tool, args)| (tool, Value::Object(args))))
        };
        let list = Deed::List("a b".to_owned());
        assert_eq!(call(&["read_dir", "run_bash"], &list), Ok(Some(("read_dir".into(), json!({"dir": "a b"})))));
        assert_eq!(call(&["Bash"], &list), Ok(Some(("Bash".into(), json!({"command": "ls -A -- \"a b\""})))));
        assert_eq!(call(&["Bash", "Glob"], &list), Ok(Some(("Glob".into(), json!({"pattern": "*", "path": "a b"})))));
        assert!(call(&["Write"], &list).is_err());
        let read = Deed::Read { path: "a.rs".to_owned(), from: Some(7) };
        assert_eq!(call(&["Bash"], &read), Ok(Some(("Bash".into(), json!({"command": "sed -n 7,67p -- a.rs"})))));
    }
}
