//! Which tool a call used.

/// A tool by its name, and the kind of tool that the name stands for.
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

impl Tool {
    /// The name under which an error of the model's API is recorded.
    pub const MODEL_API: &'static str = "model_api";

    /// The tool that a client's name stands for.
    pub fn named(name: &str) -> Self {
        let (canonical, kind) = match name {
            "Bash" | "bash" | "shell" => ("Bash", ToolKind::Shell),
            "PowerShell" => ("PowerShell", ToolKind::Shell),
            "Read" | "read" => ("Read", ToolKind::Read),
            "Edit" | "edit" => ("Edit", ToolKind::Edit),
            "MultiEdit" => ("MultiEdit", ToolKind::Edit),
            "NotebookEdit" => ("NotebookEdit", ToolKind::Edit),
            "Write" | "write" => ("Write", ToolKind::Write),
            "Glob" | "glob" => ("Glob", ToolKind::Search),
            "Grep" | "grep" => ("Grep", ToolKind::Search),
            "WebFetch" => ("WebFetch", ToolKind::Web),
            "WebSearch" => ("WebSearch", ToolKind::Web),
            "Agent" | "Task" => ("Agent", ToolKind::Agent),
            Self::MODEL_API => (Self::MODEL_API, ToolKind::ModelApi),
            other if other.starts_with("mcp__") => (other, ToolKind::Mcp),
            other => (other, ToolKind::Other),
        };
        Self { name: canonical.to_owned(), kind }
    }
}
