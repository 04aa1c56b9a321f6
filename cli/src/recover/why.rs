//! The five whys and the words of a diagnosis, from what was seen. What is not known says so.

use super::case::Case;
use super::result::{ErrorClassification, RootCause, WhyChain};
use super::strategies::looks::fed_with_other_text;
use super::strategies::programs::runs_inside;
use super::strategies::time::port_of;
use super::strategies::{names, paths, programs};
use crate::diagnose::signal_of;
use crate::model::Category::{
    self, AuthRequired, BadArguments, CiCheckFailed, CommandNotFound, CommitHookFailed, CompileError, ConfigOrState,
    DependencyMissing, EditNoMatch, LintError, MergeConflict, Network, PathNotFound, PermissionDenied, RateLimit,
    ReadBeforeEdit, RemoteNotFound, ResourceBusy, ResourceExhausted, RuntimeError, ScriptError, ServiceError,
    ShellSyntax, TestFailure, Timeout, TooLarge, ToolUnavailable, Unknown, VcsState,
};
use crate::model::{Basis, FindingKind, MetMode, ObjectKind, Outcome, Unreached};
use crate::programs::Trait;
use crate::reading::{asked_before_end, asks_at_end, is_warning, own_limit, unanswered_in};
use crate::shell::{At, Command, Redirection, line_of};
use crate::text::quoted;

/// The five whys. `state` is what explains the failure, where a strategy saw it.
pub(super) fn chain(case: &Case<'_>, state: Option<&str>) -> WhyChain {
    let failed = case.failed;
    let call = call_of(case);
    let status = match (failed.exit_code, failed.code.as_deref(), failed.category) {
        (Some(code), _, _) => format!("{call} ended with exit code {code}"),
        (None, Some(code), _) => format!("{call} failed with {}", quoted(code, 40)),
        (None, None, Timeout) => format!("{call} reached its time limit"),
        (None, None, _) => format!("{call} failed with an unknown status"),
    };
    let said = match failed.line_that_matters() {
        Some(line) if own_limit(line).is_some() => format!("No line says why: it was {line}"),
        Some(line) => format!("It printed {}", quoted(line, 240)),
        None => format!("Unknown: {} printed nothing", quoted(&failed.tool, 40)),
    };
    // Where nothing was looked at, nothing was observed: what is known was printed.
    let from = if case.looks.is_looking() { "Observed" } else { "From the output" };
    let state = state.map_or_else(|| read_state(case), |state| format!("{from}: {state}"));
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
            paths::missing(case).map(|missing| format!("{} does not exist", quoted(&missing.path, 100)))
        }
        (PermissionDenied, _) => {
            case.failed.file.as_deref().map(|file| format!("Access to {} was refused", quoted(file, 100)))
        }
        (DependencyMissing, Some(name)) => Some(format!("{name} is not installed where the program looks")),
        (RateLimit | Network | ServiceError, _) => case
            .failed
            .reading
            .transient
            .as_ref()
            .map(|transient| format!("The remote service was not ready ({})", transient.hint)),
        (TestFailure, Some(name)) => Some(format!("The test {name} got a value that it does not expect")),
        (CompileError | LintError, Some(name)) => Some(format!("The compiler or linter rejects {name}")),
        (ToolUnavailable, _) => Some(format!(
            "The available tools: {}",
            case.tools.names.iter().take(8).map(|name| quoted(name, 30)).collect::<Vec<_>>().join(", ")
        )),
        (Timeout, _) => case.failed.limit_ms.map(|ms| format!("The limit was {} s", ms / 1000)),
        _ => None,
    };
    let hint = if case.looks.is_looking() { "" } else { "; run with --probe" };
    said.unwrap_or_else(|| format!("Unknown from the output of {}{hint}", call_of(case)))
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
            .map_or_else(|| "the named object".to_owned(), |object| quoted(&object.name, 80))
    };
    let file = || case.failed.file.as_deref().map_or_else(object, |file| quoted(file, 100));
    match case.category() {
        CommandNotFound => format!(
            "It assumed that {} is installed and on PATH",
            programs::missing(case).map_or_else(program, |name| quoted(name, 60))
        ),
        PathNotFound => format!(
            "It assumed that {} exists",
            paths::missing(case).map_or_else(object, |missing| quoted(&missing.path, 100))
        ),
        PermissionDenied => format!("It assumed that this user has permission for {}", file()),
        DependencyMissing => format!("It assumed that {} is installed for {}", object(), program()),
        ToolUnavailable => {
            format!("It assumed that a tool {} exists", quoted(programs::missing_tool(case), 60))
        }
        BadArguments => format!("It assumed that {} accepts these arguments", program()),
        ConfigOrState => format!("It assumed that {} is configured here", program()),
        AuthRequired => format!("It assumed that {} is logged in with sufficient rights", program()),
        RemoteNotFound => format!("It assumed that {} exists on the remote", object()),
        ServiceError | Network | RateLimit => {
            format!("It assumed that the service behind {} is ready", program())
        }
        ResourceExhausted => format!("It assumed enough space, memory and quota for {call}"),
        Timeout => format!("It assumed that {call} ends within its time limit"),
        ResourceBusy => format!("It assumed that no other process uses the resource of {}", program()),
        ShellSyntax => format!("It assumed that the shell parses {call} as intended"),
        EditNoMatch | ReadBeforeEdit => format!("It assumed that {} is unchanged", file()),
        TooLarge => format!("It assumed that {} can be read in one call", file()),
        VcsState | MergeConflict => {
            format!("It assumed that the repository is ready for {call}")
        }
        TestFailure | CompileError | LintError | CommitHookFailed | CiCheckFailed | ScriptError | RuntimeError => {
            format!("It assumed that {call} passes")
        }
        Unknown => format!("Unknown: nothing shows what {call} assumed"),
    }
}

/// The check that would have shown it.
fn check(case: &Case<'_>) -> String {
    let shown = |line: String| format!("{} shows it", quoted(&line, 160));
    let program = || case.command().map_or_else(|| "it".to_owned(), |command| command.raw.clone());
    match case.category() {
        CommandNotFound => shown(line_of(["command", "-v", programs::missing(case).unwrap_or("program")])),
        PathNotFound => paths::missing(case).map_or_else(
            || format!("List the folder before {}", call_of(case)),
            |missing| shown(line_of(["ls", "-ld", "--", &missing.path])),
        ),
        PermissionDenied => case.failed.file.as_deref().map_or_else(
            || format!("Run `ls -l` on the paths of {} first", call_of(case)),
            |file| shown(line_of(["ls", "-ld", "--", &super::case::parent(file)])),
        ),
        BadArguments => format!("Read the help of {} first", quoted(&program(), 60)),
        ToolUnavailable => {
            format!("Check the list of tools for {} first", quoted(programs::missing_tool(case), 60))
        }
        VcsState | MergeConflict => shown("git status --short --branch".to_owned()),
        ShellSyntax => {
            format!("Run `bash -n` on {} first", call_of(case))
        }
        EditNoMatch | ReadBeforeEdit => format!(
            "Read {} before editing",
            case.failed.file.as_deref().map_or_else(|| "the file".to_owned(), |file| quoted(file, 100))
        ),
        TooLarge => case
            .failed
            .file
            .as_deref()
            .map_or_else(|| "Check the size first".to_owned(), |file| shown(line_of(["wc", "-c", "--", file]))),
        ResourceBusy => format!("Check for other processes before {}", quoted(&program(), 60)),
        ResourceExhausted => format!("Run `df -h .` and `ulimit -a` before {}", call_of(case)),
        AuthRequired => format!("Check the account of {} first", quoted(&program(), 60)),
        DependencyMissing => {
            format!("Compare the manifest of {} with the installed packages first", quoted(&program(), 60))
        }
        Timeout => format!("Measure a narrower run of {} first", quoted(&program(), 60)),
        RateLimit | Network | ServiceError | RemoteNotFound => {
            format!("Send one small request before {}", call_of(case))
        }
        ConfigOrState => format!("Check the settings of {} first", quoted(&program(), 60)),
        TestFailure | CompileError | LintError | CommitHookFailed | CiCheckFailed => {
            format!("Run {} right after each change", call_of(case))
        }
        ScriptError | RuntimeError => format!("Try {} with a smaller input first", call_of(case)),
        Unknown => format!("Unknown: no check is known for {}", call_of(case)),
    }
}

/// What was printed says more exactly than the category what the cause is: of failures of these categories, by these kinds.
/// The first that is said counts.
const EXACT: &[(&[Category], &[FindingKind])] = {
    use FindingKind as K;
    &[
        (&[Network, ServiceError, DependencyMissing, ScriptError, RuntimeError], &[K::UntrustedCertificate]),
        (&[AuthRequired], &[K::HostKeyChanged]),
        (&[AuthRequired, PathNotFound], &[K::Sealed, K::CanNotSign]),
        (&[DependencyMissing], &[K::VersionsConflict]),
        (&[ServiceError], &[K::MissingService]),
        (&[PathNotFound, BadArguments], &[K::NotAFolder, K::FileExists, K::FolderExists]),
        (
            &[ConfigOrState, RuntimeError, ScriptError, PathNotFound, Unknown, AuthRequired],
            &[K::NoTerminal, K::NoEditor, K::NoDisplay],
        ),
        (&[VcsState], &[K::DirtyTree, K::InWorktree, K::NotMerged, K::BranchExists, K::Diverged, K::RemoteAhead]),
        (&[VcsState], &[K::Unmerged, K::DetachedHead, K::NoStash, K::MissingHistory, K::EmptyCommit]),
        (&[VcsState], &[K::NothingUnderway, K::NothingStaged, K::CleanTree]),
    ]
};

/// The cause by what was printed on other lines than warnings.
fn said_cause(case: &Case<'_>) -> Option<String> {
    let category = case.category();
    let kinds = EXACT.iter().filter(|(categories, _)| categories.contains(&category)).flat_map(|(_, kinds)| *kinds);
    let said = |kind: &FindingKind| case.findings().find(|said| said.kind == *kind && !is_warning(said.line));
    let Some(finding) = { kinds }.find_map(said) else { return cause_by_status(case) };
    let meaning = finding.kind.meaning().trim_end_matches('.');
    let object = case.failed.reading.objects.first().map(|object| object.name.as_str());
    let object = object.filter(|name| name.len() > 2 && finding.line.contains(name));
    let name = finding.name.or(object).map(|name| format!(": {}", quoted(name, 80)));
    Some(format!("{meaning}{}", name.unwrap_or_default()))
}

/// What the status alone says: of a program that was to print nothing, or that crashed without a word.
fn cause_by_status(case: &Case<'_>) -> Option<String> {
    let code = case.failed.exit_code?;
    if matches!(case.category(), Network | ServiceError) && case.commands().any(|command| command.distrusts_by(code)) {
        return Some(FindingKind::UntrustedCertificate.meaning().trim_end_matches('.').to_owned());
    }
    let signal = signal_of(code).filter(|_| case.category() == RuntimeError && case.failed.reading.line.is_none())?;
    Some(format!("It crashed: status {code} means that signal {signal} ended it"))
}

/// The question that nobody answered: one was printed, and nothing is handed to a program of the line.
pub(super) fn open_question<'a>(case: &Case<'a>) -> Option<&'a str> {
    const TOLD_OTHERWISE: &[Category] = &[DependencyMissing, Network, RateLimit, ServiceError, VcsState, MergeConflict];
    let category = case.category();
    let is_fed = |(at, command): (At, &Command)| {
        at.stage > 0 && !command.is(Trait::Displays) || command.redirections.iter().any(Redirection::is_input)
    };
    let script = case.script.as_ref().filter(|script| !script.programs().any(is_fed))?;
    let shows = script.programs().any(|(_, command)| command.is(Trait::Shows) || command.is(Trait::Looks));
    let is_other = category.is_of_check() || TOLD_OTHERWISE.contains(&category) || shows;
    let mut lines = case.failed.text.lines().rev().map(str::trim).filter(|line| !line.is_empty() && !is_other);
    // What a program asks last it asks in any words.
    let is_hidden = case.failed.outcome == Outcome::MaskedFailure;
    let is_open = |line: &str| {
        asks_at_end(line) || line.ends_with("]:") || line.ends_with("):") || is_hidden && line.ends_with('?')
    };
    let last = lines.clone().next().filter(|line| is_open(line));
    let before_end = asked_before_end(lines.clone());
    lines.find_map(unanswered_in).or(last).or(before_end)
}

/// Whether the call was to fetch or install what is missing.
fn fetches(case: &Case<'_>) -> bool {
    const FETCHES: &[&str] = &["install", "add", "download", "view", "info", "show", "create", "init", "i"];
    let command = case.command();
    command.and_then(|own| own.subcommands().next()).is_some_and(|word| FETCHES.contains(&word))
}

/// The data file of the call that is none of its format.
fn broken_data<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    const DATA: &[&str] = &["json", "yaml", "yml", "toml", "xml", "csv"];
    case.finding(FindingKind::BadSyntax)?;
    let is_data = |arg: &&str| arg.rsplit_once('.').is_some_and(|(_, ending)| DATA.contains(&ending));
    case.command()?.args.iter().map(String::as_str).rfind(is_data)
}

/// The cause in words.
pub(super) fn root_cause(case: &Case<'_>) -> RootCause {
    // What the call asks its program for is no object of the failure: `npm ci`.
    let asked_for = case.command().and_then(|command| command.subcommands().next());
    let mut objects = case.failed.reading.objects.iter();
    let object = objects.find(|object| Some(&*object.name) != asked_for).map(|object| quoted(&object.name, 80));
    let named = |text: &str| object.as_ref().map_or_else(|| text.to_owned(), |name| format!("{text}: {name}"));
    let asked = open_question(case).map(|question| format!("It asks {}, and nobody answers", quoted(question, 100)));
    let description = asked.or_else(|| said_cause(case)).unwrap_or_else(|| match case.category() {
        CommandNotFound => {
            let name = programs::missing(case);
            let is_there = name.is_some_and(|name| case.looks.programs().iter().any(|program| program == name));
            let said = if is_there {
                "is on PATH here, and the call did not find it"
            } else if runs_inside(case) {
                "is not installed in the container, whatever this machine has"
            } else {
                "is not installed in the execution environment"
            };
            format!("{} {said}", name.map_or_else(|| "The program".to_owned(), |name| quoted(name, 60)))
        }
        PermissionDenied if case.failed.file.is_some() => "Write attempted without permission".to_owned(),
        PermissionDenied => named("Access was refused"),
        PathNotFound if case.finding(FindingKind::NoProject).is_some() => {
            let folder =
                case.failed.object(ObjectKind::File).map_or_else(|| "The folder".to_owned(), |own| quoted(own, 100));
            let program = case.command().map_or_else(|| "the program".to_owned(), |command| quoted(&command.raw, 60));
            format!("{folder} has none of the files that {program} needs")
        }
        PathNotFound => paths::missing(case).map_or_else(
            || named("A path does not exist"),
            |missing| format!("{} does not exist", quoted(&missing.path, 100)),
        ),
        ScriptError | RuntimeError | Unknown if case.failed.met.as_ref().is_some_and(MetMode::waits) => {
            "It needs a terminal or an answer, and nobody sits at one".to_owned()
        }
        ScriptError | RuntimeError | Unknown if let Some(fed) = fed_with_other_text(case) => {
            format!("What {} printed is not the data that is read from it", quoted(fed, 120))
        }
        ScriptError | RuntimeError | Unknown if let Some(data) = broken_data(case) => {
            format!("{} is not of the format that it is read as", quoted(data, 100))
        }
        DependencyMissing if fetches(case) => named("No such package or version was found"),
        DependencyMissing => named("A package or module is not installed"),
        ConfigOrState => named("A setting is missing or wrong"),
        AuthRequired => named("A login or right is missing"),
        RemoteNotFound => named("The requested object does not exist on the remote"),
        ServiceError | Network if case.failed.reading.unreached.as_ref().is_some_and(Unreached::is_here) => {
            "Nothing listens there on this machine: the service is not started, or listens on another port".to_owned()
        }
        ServiceError => named("A service gave an error"),
        ResourceExhausted => named("Space, memory or a quota is exhausted"),
        Timeout => "The time limit ended the call".to_owned(),
        Network => named("The connection failed"),
        RateLimit => "The service limits the rate of calls".to_owned(),
        ResourceBusy if case.finding(FindingKind::PortTaken).is_some() => port_of(case).map_or_else(
            || "Another process listens on the address".to_owned(),
            |port| format!("Another process listens on port {port}"),
        ),
        ResourceBusy => named("Another process uses the resource"),
        TestFailure => named("A test failed"),
        CompileError => named("The compiler rejects the source"),
        LintError => named("A linter or formatter found something"),
        ScriptError => named("The code in the call has an error"),
        RuntimeError if let Some(own) = case.command().filter(|own| own.known.is_none() && !own.is_by_path()) => {
            format!("{} failed with an error of its own", quoted(&own.raw, 60))
        }
        RuntimeError => named("A program of the project failed"),
        CommitHookFailed => named("A commit hook stopped the commit"),
        CiCheckFailed => named("A CI check failed"),
        ShellSyntax => "The shell or a program cannot parse the line".to_owned(),
        EditNoMatch if case.finding(FindingKind::ManyMatches).is_some() => {
            "The text to replace occurs in the file more than once".to_owned()
        }
        EditNoMatch => "The text to replace is not in the file".to_owned(),
        ReadBeforeEdit if case.finding(FindingKind::NotRead).is_some() => "The file was not read before".to_owned(),
        ReadBeforeEdit => "The file changed since it was last read".to_owned(),
        BadArguments if let Some(lacking) = names::lacking_subcommand(case) => {
            format!("The program has no subcommand {} on this machine", quoted(lacking, 60))
        }
        BadArguments => named("The tool does not accept these arguments"),
        TooLarge => "It is larger than the tool reads in one call".to_owned(),
        ToolUnavailable => format!("The tool {} does not exist", quoted(programs::missing_tool(case), 60)),
        VcsState if case.failed.reading.basis == Some(Basis::Line) => {
            "The state of the repository prevents it".to_owned()
        }
        MergeConflict => named("Both branches changed the same place"),
        VcsState | Unknown => case
            .failed
            .line_that_matters()
            .map_or_else(|| "Not known".to_owned(), |line| format!("Unknown; it printed {}", quoted(line, 160))),
    });
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
    let named = || case.failed.file.as_deref().or(case.failed.object(ObjectKind::File));
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
