//! What a recogniser is: a tool with the commands that run it, and a table of the lines that it prints.

use crate::model::{Category, ObjectKind, ToolKind};

/// A recogniser: whose output it is, and the lines that tell something.
pub(super) struct ToolTable {
    /// The runner's name in a reading.
    pub(super) name: &'static str,
    /// When its lines are believed.
    pub(super) scope: RowScope,
    /// What a failure of its programs is when no line tells.
    pub(super) usual: Category,
    /// Its lines. The order is the priority.
    pub(super) rows: &'static [ReadingRow],
}

/// When the lines of a recogniser are believed.
pub(super) enum RowScope {
    /// A shell command runs one of these beginnings (`go test`), or something at least this near could have run it.
    Runs(&'static [&'static str], Reach),
    /// One of these beginnings, or any program, task or hook ran, and no line of a nearer recogniser tells what failed.
    Last(&'static [&'static str]),
    /// A shell command ran at all.
    Shell,
    /// The call used a tool of one of these kinds.
    Kinds(&'static [ToolKind]),
}

/// How surely a command line runs a tool: nearer ones stand first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// The line names its program.
    Direct,
    /// A task runner or a script for tests, checks or builds may run it.
    Task,
    /// A task runner that compiles and tests by itself may run it too: what it says of its own work comes first.
    Beside,
    /// A hook of version control may run it.
    Hook,
    /// Some program or script of the project may run it.
    Loose,
    /// Nothing in the line runs it.
    Never,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Tells what failed.
    Finding,
    /// Tells what failed, but a run that passed prints it too: believed when the run is known to have failed.
    Weak,
    /// The runner's own result: failed.
    Failed,
    /// The runner's own result: passed.
    Passed,
    /// The runner had nothing to run: no result.
    Idle,
    /// Names a test that passed.
    TestPassed,
    /// Names a test that was skipped.
    TestSkipped,
    /// Names a file of the finding before it.
    Location,
    /// Says that something inside failed, never what.
    Wrapper,
}

/// One line that a tool prints. The pattern language is that of [`super::pattern`].
#[derive(Clone, Copy)]
pub(super) struct ReadingRow {
    pub(super) pattern: &'static str,
    /// The literal that is searched for, where the pattern's own literals are too short.
    pub(super) needle: Option<&'static str>,
    pub(super) role: Role,
    pub(super) category: Category,
    pub(super) kind: Option<ObjectKind>,
    /// Why an identical retry may pass.
    pub(super) transient: Option<&'static str>,
    /// Whether a task runner says it only where what it was to run failed or could not start.
    pub(super) stops: bool,
    /// What the line says of the program that prints it.
    pub(super) ends: Ends,
}

/// What a line says of how the program ends that prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Nothing.
    Unsaid,
    /// It fails, and its status says so.
    Failing,
    /// It did not do what it was asked for, and ends with 0 all the same.
    WithZero,
}

impl ReadingRow {
    const fn new(pattern: &'static str, role: Role, category: Category) -> Self {
        Self { pattern, needle: None, role, category, kind: None, transient: None, stops: false, ends: Ends::Unsaid }
    }

    /// The kind of object that the line names, where it is not the usual one of its category.
    pub(super) const fn kind(mut self, kind: ObjectKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// The literal to search for: at least four bytes that every such line holds.
    pub(super) const fn needle(mut self, literal: &'static str) -> Self {
        self.needle = Some(literal);
        self
    }

    /// An identical retry may pass.
    pub(super) const fn transient(mut self, hint: &'static str) -> Self {
        self.transient = Some(hint);
        self
    }

    /// What was to run failed, whatever else the output says.
    pub(super) const fn stops(mut self) -> Self {
        self.stops = true;
        self
    }

    /// The program that prints it fails.
    pub(super) const fn ends(mut self) -> Self {
        self.ends = Ends::Failing;
        self
    }

    /// The program that prints it did not do what it was asked for, and ends with 0.
    pub(super) const fn ends_with_zero(mut self) -> Self {
        self.ends = Ends::WithZero;
        self
    }

    /// The kind of object that the line names.
    pub(super) fn object_kind(&self) -> ObjectKind {
        self.kind.unwrap_or(kind_of_object(self.category))
    }
}

/// The kind of object that an error of a category is usually about.
pub(super) fn kind_of_object(category: Category) -> ObjectKind {
    match category {
        Category::TestFailure => ObjectKind::Test,
        Category::DependencyMissing => ObjectKind::Module,
        Category::PathNotFound
        | Category::PermissionDenied
        | Category::TooLarge
        | Category::MergeConflict
        | Category::EditNoMatch
        | Category::ReadBeforeEdit
        | Category::ResourceBusy => ObjectKind::File,
        Category::CommandNotFound | Category::ToolUnavailable => ObjectKind::Program,
        Category::BadArguments | Category::ConfigOrState => ObjectKind::Flag,
        Category::RemoteNotFound
        | Category::Network
        | Category::RateLimit
        | Category::ServiceError
        | Category::AuthRequired
        | Category::Timeout => ObjectKind::Remote,
        Category::CommitHookFailed | Category::CiCheckFailed => ObjectKind::Target,
        _ => ObjectKind::Symbol,
    }
}

/// A line that tells what failed.
pub(super) const fn finding(pattern: &'static str, category: Category) -> ReadingRow {
    ReadingRow::new(pattern, Role::Finding, category)
}

/// A line that tells what failed where the run is known to have failed.
pub(super) const fn weak(pattern: &'static str, category: Category) -> ReadingRow {
    ReadingRow::new(pattern, Role::Weak, category)
}

/// The runner's own failed result.
pub(super) const fn failed(pattern: &'static str, category: Category) -> ReadingRow {
    ReadingRow::new(pattern, Role::Failed, category)
}

/// The runner's own passed result.
pub(super) const fn passed(pattern: &'static str) -> ReadingRow {
    ReadingRow::new(pattern, Role::Passed, Category::Unknown)
}

/// The runner had nothing to run.
pub(super) const fn idle(pattern: &'static str) -> ReadingRow {
    ReadingRow::new(pattern, Role::Idle, Category::Unknown)
}

/// A test that passed.
pub(super) const fn test_passed(pattern: &'static str) -> ReadingRow {
    ReadingRow::new(pattern, Role::TestPassed, Category::Unknown)
}

/// A test that was skipped.
pub(super) const fn test_skipped(pattern: &'static str) -> ReadingRow {
    ReadingRow::new(pattern, Role::TestSkipped, Category::Unknown)
}

/// Where the finding before it lies.
pub(super) const fn location(pattern: &'static str) -> ReadingRow {
    ReadingRow::new(pattern, Role::Location, Category::Unknown)
}

/// Something inside failed.
pub(super) const fn wrapper(pattern: &'static str) -> ReadingRow {
    ReadingRow::new(pattern, Role::Wrapper, Category::Unknown)
}
