//! The five whys and the words of a diagnosis, from what was seen. What is not known says so.

use super::case::Case;
use super::result::{ErrorClassification, RootCause, WhyChain};
use super::strategies::{paths, programs};
use crate::model::Category::{
    self, AuthRequired, BadArguments, CiCheckFailed, CommandNotFound, CommitHookFailed, CompileError, ConfigOrState,
    DependencyMissing, EditNoMatch, LintError, MergeConflict, Network, PathNotFound, PermissionDenied, RateLimit,
    ReadBeforeEdit, RemoteNotFound, ResourceBusy, ResourceExhausted, RuntimeError, ScriptError, ServiceError,
    ShellSyntax, TestFailure, Timeout, TooLarge, ToolUnavailable, Unknown, VcsState,
};
use crate::shell::line_of;
use crate::text::quoted;

/// The five whys. `state` is what explains the failure, where a strategy saw it.
pub(super) fn chain(case: &Case<'_>, state: Option<&str>) -> WhyChain {
    let failed = case.failed;
    let call = call_of(case);
    let status = match (failed.exit_code, failed.code.as_deref(), failed.category) {
        (Some(code), _, _) => format!("{call} ended with exit code {code}"),
        (None, Some(code), _) => format!("{call} failed with {}", quoted(code, 40)),
        (None, None, Timeout) => format!("{call} was ended at its time limit"),
        (None, None, _) => format!("{call} failed, and no status is known"),
    };
    let said = match failed.line_that_matters() {
        Some(line) => format!("It said {}", quoted(line, 240)),
        None => format!("Not known: {} printed nothing", quoted(&failed.tool, 40)),
    };
    let state = state.map_or_else(|| read_state(case), |state| format!("What was seen: {state}"));
    WhyChain { why1: status, why2: said, why3: state, why4: granted(case), why5: check(case) }
}

/// The call, for people.
pub(super) fn call_of(case: &Case<'_>) -> String {
    let failed = case.failed;
    if !failed.shown.is_empty() {
        return quoted(&failed.shown, 120);
    }
    match &failed.file {
        Some(file) => format!("{} of {}", quoted(&failed.tool, 40), quoted(file, 100)),
        None => quoted(&failed.tool, 60),
    }
}

/// What the output itself says of the environment.
fn read_state(case: &Case<'_>) -> String {
    let object = case.failed.reading.objects.first().map(|object| quoted(&object.name, 80));
    let said = match (case.category(), object) {
        (CommandNotFound, object) => {
            let name = programs::missing(case).map(|name| quoted(name, 60)).or(object);
            name.map(|name| format!("The shell found no program {name} on its PATH"))
        }
        (PathNotFound, _) => {
            paths::missing(case).map(|missing| format!("Nothing stands at {}", quoted(&missing.path, 100)))
        }
        (PermissionDenied, _) => {
            case.failed.file.as_deref().map(|file| format!("This user may not do that with {}", quoted(file, 100)))
        }
        (DependencyMissing, Some(name)) => Some(format!("{name} is not installed where the program looks")),
        (RateLimit | Network | ServiceError, _) => case
            .failed
            .reading
            .transient
            .as_ref()
            .map(|transient| format!("The other side was not ready ({})", transient.hint)),
        (TestFailure, Some(name)) => Some(format!("The test {name} saw another value than it wants")),
        (CompileError | LintError, Some(name)) => Some(format!("The source does not fit together at {name}")),
        (ToolUnavailable, _) => Some(format!(
            "The tools that are there: {}",
            case.tools.names.iter().take(8).map(|name| quoted(name, 30)).collect::<Vec<_>>().join(", ")
        )),
        (Timeout, _) => case.failed.limit_ms.map(|ms| format!("It had {} s", ms / 1000)),
        _ => None,
    };
    let hint = if case.looks.is_looking() { "" } else { "; --probe looks" };
    said.unwrap_or_else(|| {
        format!("Not known: the output of {} does not tell the state behind it{hint}", call_of(case))
    })
}

/// What the call took for granted.
fn granted(case: &Case<'_>) -> String {
    let call = call_of(case);
    let program = || case.command().map_or_else(|| call.clone(), |command| quoted(&command.raw, 60));
    let object = || {
        case.failed
            .reading
            .objects
            .first()
            .map_or_else(|| "what it names".to_owned(), |object| quoted(&object.name, 80))
    };
    match case.category() {
        CommandNotFound => format!(
            "The call took for granted that {} is installed and on PATH",
            programs::missing(case).map_or_else(program, |name| quoted(name, 60))
        ),
        PathNotFound => format!(
            "The call took for granted that {} is there",
            paths::missing(case).map_or_else(object, |missing| quoted(&missing.path, 100))
        ),
        PermissionDenied => format!(
            "The call took for granted that this user may do it with {}",
            case.failed.file.as_deref().map_or_else(object, |file| quoted(file, 100))
        ),
        DependencyMissing => format!("The call took for granted that {} is installed for {}", object(), program()),
        ToolUnavailable => {
            format!("The call took for granted that there is a tool {}", quoted(programs::missing_tool(case), 60))
        }
        BadArguments => format!("The call took for granted that {} takes these words", program()),
        ConfigOrState => format!("The call took for granted that {} is set up here", program()),
        AuthRequired => format!("The call took for granted that {} is logged in, with the right to do it", program()),
        RemoteNotFound => format!("The call took for granted that {} is there on the other side", object()),
        ServiceError | Network | RateLimit => {
            format!("The call took for granted that the other side of {} answers at once", program())
        }
        ResourceExhausted => format!("The call took for granted that there is room for {call}"),
        Timeout => format!("The call took for granted that {call} ends in time"),
        ResourceBusy => format!("The call took for granted that nobody else holds what {} needs", program()),
        ShellSyntax => format!("The call took for granted that the shell reads {call} as it was meant"),
        EditNoMatch | ReadBeforeEdit => format!(
            "The call took for granted that {} holds what it held before",
            case.failed.file.as_deref().map_or_else(object, |file| quoted(file, 100))
        ),
        TooLarge => format!(
            "The call took for granted that {} can be read at once",
            case.failed.file.as_deref().map_or_else(object, |file| quoted(file, 100))
        ),
        VcsState | MergeConflict => {
            format!("The call took for granted that the repository is in a state in which {call} can be done")
        }
        TestFailure | CompileError | LintError | CommitHookFailed | CiCheckFailed | ScriptError | RuntimeError => {
            format!("The change before took for granted that {call} passes with it")
        }
        Unknown => format!("Not known: nothing says what {call} took for granted"),
    }
}

/// The check that would have shown it.
fn check(case: &Case<'_>) -> String {
    let shown = |line: String| format!("{} would have shown it", quoted(&line, 160));
    let program = || case.command().map_or_else(|| "it".to_owned(), |command| command.raw.clone());
    match case.category() {
        CommandNotFound => shown(line_of(["command", "-v", programs::missing(case).unwrap_or("program")])),
        PathNotFound => paths::missing(case).map_or_else(
            || format!("A listing of the folder that {} names would have shown it", call_of(case)),
            |missing| shown(line_of(["ls", "-ld", "--", &missing.path])),
        ),
        PermissionDenied => case.failed.file.as_deref().map_or_else(
            || format!("`ls -l` of what {} touches would have shown it", call_of(case)),
            |file| shown(line_of(["ls", "-ld", "--", &super::case::parent(file)])),
        ),
        BadArguments => format!("The help of {} would have shown it", quoted(&program(), 60)),
        ToolUnavailable => {
            format!("The list of tools would have shown that {} is not in it", quoted(programs::missing_tool(case), 60))
        }
        VcsState | MergeConflict => shown("git status --short --branch".to_owned()),
        ShellSyntax => {
            format!("`bash -n` on {} would have shown it, where the shell's own signs are wrong", call_of(case))
        }
        EditNoMatch | ReadBeforeEdit => format!(
            "Reading {} before would have shown it",
            case.failed.file.as_deref().map_or_else(|| "the file".to_owned(), |file| quoted(file, 100))
        ),
        TooLarge => case.failed.file.as_deref().map_or_else(
            || "The size of what was read would have shown it".to_owned(),
            |file| shown(line_of(["wc", "-c", "--", file])),
        ),
        ResourceBusy => format!("A look at who holds what {} needs would have shown it", quoted(&program(), 60)),
        ResourceExhausted => format!("`df -h .` and `ulimit -a` before {} would have shown it", call_of(case)),
        AuthRequired => format!("Asking as whom {} runs would have shown it", quoted(&program(), 60)),
        DependencyMissing => format!(
            "Looking into the manifest and the folder of packages of {} would have shown it",
            quoted(&program(), 60)
        ),
        Timeout => format!("A narrower run of {} would have shown how long it takes", quoted(&program(), 60)),
        RateLimit | Network | ServiceError | RemoteNotFound => {
            format!("One small request before {} would have shown it", call_of(case))
        }
        ConfigOrState => format!("The settings that {} reads would have shown it", quoted(&program(), 60)),
        TestFailure | CompileError | LintError | CommitHookFailed | CiCheckFailed => {
            format!("{} right after the change would have shown it", call_of(case))
        }
        ScriptError | RuntimeError => format!("A smaller input to {} would have shown it", call_of(case)),
        Unknown => format!("Not known: nothing says which check would have shown why {} failed", call_of(case)),
    }
}

/// The cause in words.
pub(super) fn root_cause(case: &Case<'_>) -> RootCause {
    let object = case.failed.reading.objects.first().map(|object| quoted(&object.name, 80));
    let named = |text: &str| object.as_ref().map_or_else(|| text.to_owned(), |name| format!("{text}: {name}"));
    let description = match case.category() {
        CommandNotFound => format!(
            "{} is not installed in the execution environment",
            programs::missing(case).map_or_else(|| "The program".to_owned(), |name| quoted(name, 60))
        ),
        PermissionDenied if case.failed.file.is_some() => "Write attempted outside what this user may write".to_owned(),
        PermissionDenied => named("The system does not let this user do it"),
        PathNotFound => paths::missing(case).map_or_else(
            || named("A path is not there"),
            |missing| format!("There is no {}", quoted(&missing.path, 100)),
        ),
        DependencyMissing => named("A package or module is not installed"),
        ConfigOrState => named("A setting is missing or wrong"),
        AuthRequired => named("A login or right is missing"),
        RemoteNotFound => named("What is asked for is not there on the other side"),
        ServiceError => named("A service does not answer as it should"),
        ResourceExhausted => named("Space, memory or a limit is used up"),
        Timeout => "It was not done when its time was up".to_owned(),
        Network => named("The connection failed"),
        RateLimit => "The other side asks for fewer calls".to_owned(),
        ResourceBusy => named("Another process holds what it needs"),
        TestFailure => named("A test failed"),
        CompileError => named("The source is not accepted"),
        LintError => named("A linter or formatter found something"),
        ScriptError => named("The code in the call is wrong"),
        RuntimeError => named("A program of the project failed"),
        CommitHookFailed => named("A commit hook stopped the commit"),
        CiCheckFailed => named("A check failed elsewhere"),
        ShellSyntax => "The shell or a program inside the line does not understand it".to_owned(),
        EditNoMatch if case.finding(crate::model::FindingKind::ManyMatches).is_some() => {
            "The text to be replaced stands in the file more than once".to_owned()
        }
        EditNoMatch => "The text to be replaced is not in the file as it was given".to_owned(),
        ReadBeforeEdit => "The file was not read since it changed last".to_owned(),
        BadArguments => named("The tool does not take these arguments"),
        TooLarge => "It is larger than the tool reads at once".to_owned(),
        ToolUnavailable => format!("There is no tool {}", quoted(programs::missing_tool(case), 60)),
        VcsState => "Version control refuses it in the state it is in".to_owned(),
        MergeConflict => named("Two sides changed the same place"),
        Unknown => case
            .failed
            .line_that_matters()
            .map_or_else(|| "Not known".to_owned(), |line| format!("Not known; it said {}", quoted(line, 160))),
    };
    RootCause { category: case.category().as_str().to_owned(), description, confidence: case.failed.confidence }
}

/// Folders at the root that belong to the system, or to who administers it.
const SYSTEM: &[&str] = &["bin", "boot", "dev", "etc", "proc", "root", "sbin", "sys", "usr", "var"];

/// The failure in the contract's words.
pub(super) fn classification(case: &Case<'_>, can_recover: bool) -> ErrorClassification {
    let category = case.category();
    let system = |path: &str| {
        let below = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        below.is_some_and(|(folder, _)| SYSTEM.contains(&folder))
    };
    let named = || case.failed.file.as_deref().or(case.failed.object(crate::model::ObjectKind::File));
    let is_systems = category == PermissionDenied && named().is_some_and(system);
    let needs_person = matches!(category, AuthRequired | ResourceExhausted) || is_systems;
    let severity = if needs_person { "user_action_required" } else { "recoverable" };
    ErrorClassification { kind: inherited(category).to_owned(), severity: severity.to_owned(), can_recover }
}

/// The contract's word for a category.
pub fn inherited(category: Category) -> &'static str {
    match category {
        CommandNotFound => "command_not_found",
        PermissionDenied => "permission_denied",
        Timeout => "timeout",
        ToolUnavailable => "tool_not_found",
        PathNotFound => "file_not_found",
        BadArguments | EditNoMatch | ReadBeforeEdit => "invalid_arguments",
        ShellSyntax | ScriptError | CompileError | LintError => "syntax_error",
        Network | ServiceError | RemoteNotFound => "network_error",
        RateLimit => "rate_limited",
        ResourceExhausted => "disk_full",
        TooLarge => "output_too_large",
        DependencyMissing | ConfigOrState | AuthRequired => "environment_missing",
        Unknown | TestFailure | RuntimeError | CommitHookFailed | CiCheckFailed | VcsState | MergeConflict
        | ResourceBusy => "unknown",
    }
}
