//! Which tool a call used.

/// A tool by its name, and the kind of tool that the name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The canonical name: `bash` of another client and `Task` of an older one become `Bash` and `Agent`.
    pub name: String,
    /// What the tool does.
    pub kind: ToolKind,
}

/// What a tool does. An unknown tool is [`ToolKind::Other`], never an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// Runs a command line: Bash, `PowerShell`.
    Shell,
    /// Reads a file.
    Read,
    /// Changes a file that exists: Edit, `MultiEdit`, `NotebookEdit`.
    Edit,
    /// Writes a whole file.
    Write,
    /// Searches names or contents: Glob, Grep.
    Search,
    /// Fetches from the web: `WebFetch`, `WebSearch`.
    Web,
    /// Starts a subagent.
    Agent,
    /// A tool of an MCP server.
    Mcp,
    /// The model's own API, whose errors end a turn.
    ModelApi,
    /// Any other tool.
    Other,
}

/// What clients call the tool that runs a command line.
const SHELLS: &[&str] = &[
    "Bash",
    "bash",
    "shell",
    "Shell",
    "shell_command",
    "local_shell",
    "exec_command",
    "execute_command",
    "execute_bash",
    "execute",
    "run_shell_command",
    "run_terminal_cmd",
    "run_terminal_command",
    "run_in_terminal",
    "run_command",
    "run_bash",
    "terminal",
    "developer__shell",
    "container.exec",
];

/// What clients call the tools that change a file in place.
const EDITS: &[&str] = &[
    "Edit",
    "edit",
    "edit_file",
    "replace",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "search_replace",
    "search_and_replace",
    "replace_in_file",
    "replace_string_in_file",
    "multi_replace_string_in_file",
    "insert_edit_into_file",
    "apply_patch",
    "apply_diff",
    "patch",
    "multiedit",
    "file_editor",
    "text_editor",
    "developer__text_editor",
];

impl Tool {
    /// The name under which an error of the model's API is recorded.
    pub const MODEL_API: &'static str = "model_api";
    /// The tool by which an agent asks a person.
    pub const QUESTION: &'static str = "AskUserQuestion";
    /// The tool by which an agent adds an item to its list.
    pub const NEW_ITEM: &'static str = "TaskCreate";
    /// Tools whose call lasts as long as somebody else takes: a person who answers, or work in the background.
    pub const WAITING: &'static [&'static str] = &[Self::QUESTION, "ExitPlanMode", "TaskOutput", "BashOutput"];

    /// The tool that a client's name means.
    pub fn named(name: &str) -> Self {
        let (canonical, kind) = match name {
            "Read" | "read" | "read_file" | "view" | "view_file" | "open_file" => ("Read", ToolKind::Read),
            "PowerShell" | "powershell" => ("PowerShell", ToolKind::Shell),
            shell if SHELLS.contains(&shell) => ("Bash", ToolKind::Shell),
            edit if EDITS.contains(&edit) => ("Edit", ToolKind::Edit),
            "MultiEdit" => ("MultiEdit", ToolKind::Edit),
            "NotebookEdit" => ("NotebookEdit", ToolKind::Edit),
            "Write" | "write" | "write_file" | "write_to_file" | "create_file" => ("Write", ToolKind::Write),
            "Glob" | "glob" | "find_files" | "file_search" => ("Glob", ToolKind::Search),
            "Grep" | "grep" | "grep_search" | "search_files" | "search_file_content" => ("Grep", ToolKind::Search),
            "LS" | "ls" | "list" | "list_dir" | "list_directory" | "list_files" => ("LS", ToolKind::Search),
            "WebFetch" | "webfetch" | "web_fetch" | "fetch_webpage" => ("WebFetch", ToolKind::Web),
            "WebSearch" | "websearch" | "web_search" | "google_web_search" => ("WebSearch", ToolKind::Web),
            "Agent" | "Task" | "task" => ("Agent", ToolKind::Agent),
            Self::MODEL_API => (Self::MODEL_API, ToolKind::ModelApi),
            other if other.starts_with("mcp__") => (other, ToolKind::Mcp),
            other => (other, ToolKind::Other),
        };
        Self { name: canonical.to_owned(), kind }
    }
}
