//! `failwise`: the command line for people, skills and scripts.

#![expect(clippy::disallowed_methods, reason = "an executable: environment and files are read here")]

/// A line on stderr, as of `eprintln!`, which would end the process where it cannot be written.
macro_rules! say {
    ($($words:tt)*) => { $crate::style::say_line(format_args!($($words)*)) };
}

mod allow;
mod arbitrate;
mod asked;
mod classify;
mod config;
mod data;
mod decide;
mod diagnose;
mod doctor;
mod habits;
mod init;
mod inputs;
mod kb;
mod lessons;
mod outputs;
mod people;
mod plan;
mod recover;
mod render;
mod replay;
mod report;
mod result;
mod rules;
mod run;
mod setup;
mod ship;
mod show;
mod stats;
mod style;
mod tests;
mod trust;
mod watch;
mod why;
mod wiring;
mod workflow;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use asked::AskedArgs;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::model::Ids;
use failwise::place::{self, Place};
use style::SpeechArgs;

/// Makes a coding agent wise about its failures.
///
/// Failwise reads the results of Claude Code's tool calls, decides by fixed rules whether a call really failed and why,
/// and remembers it. The hook does this while the agent works; these commands show it to people and scripts.
#[derive(Debug, Parser)]
#[command(
    name = "failwise",
    version,
    disable_help_subcommand = true,
    after_help = "Examples:\n  failwise --since 7d   what failed this week, and the changes that end it\n  \
        failwise help why     all about one command\n\
        Exit codes: 0 done, 1 a check failed, 64 wrong use; docs/commands.md has all."
)]
struct Cli {
    #[command(flatten)]
    bare: report::BareArgs,
    #[command(flatten)]
    speech: SpeechArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Defines the subcommands, and runs the one that was asked for: each a module with its arguments.
macro_rules! commands {
    ($($(#[$set:meta])* $name:ident = $module:ident::$args:ident,)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$set])* $name(AskedArgs<$module::$args>),)*
            Keep(AskedArgs<run::KeepArgs>),
        }

        fn run(command: Option<Command>, bare: &report::BareArgs) -> CommandOutcome {
            match command {
                None => report::bare(bare),
                $(Some(Command::$name(args)) => $module::run(&args),)*
                // It is answered before, because it ends with the code of another program.
                Some(Command::Keep(_)) => Ok(Exit::Ok),
            }
        }
    };
}

commands! {
    Why = why::WhyArgs,
    Report = report::ReportArgs,
    Show = show::ShowArgs,
    Watch = watch::WatchArgs,
    #[command(hide = true)]
    Stats = stats::StatsArgs,
    Setup = setup::SetupArgs,
    Doctor = doctor::DoctorArgs,
    Config = config::ConfigArgs,
    Allow = allow::AllowArgs,
    Lessons = lessons::LessonsArgs,
    Kb = kb::KbArgs,
    Tests = tests::TestsArgs,
    Trust = trust::TrustArgs,
    Data = data::DataArgs,
    Replay = replay::ReplayArgs,
    Classify = classify::ClassifyArgs,
    Decide = decide::DecideArgs,
    Diagnose = diagnose::DiagnoseArgs,
    Recover = recover::RecoverArgs,
    #[command(hide = true)]
    Arbitrate = arbitrate::ArbitrateArgs,
    Plan = plan::PlanArgs,
    Rules = rules::RulesArgs,
    Result = result::ResultArgs,
    Render = render::RenderArgs,
    Run = run::RunArgs,
    Workflow = workflow::WorkflowArgs,
    Ship = ship::ShipArgs,
}

fn main() -> ExitCode {
    let cli = match command_line() {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error),
    };
    cli.speech.hold();
    failwise::time::show_by(report::offset_at);
    if let Some(Command::Keep(args)) = &cli.command {
        return run::keep(args).unwrap_or_else(|error| failed(&error));
    }
    hide_own_secrets();
    match run(cli.command, &cli.bare) {
        Ok(Exit::Ok) if !style::all_was_said() => Exit::Io.into(),
        Ok(exit) => exit.into(),
        // A reader that went away (`| head`) has what it wanted.
        Err(CommandFailure::BrokenPipe) => Exit::Ok.into(),
        Err(CommandFailure::Error(error)) => failed(&error),
    }
}

/// The command line as it was asked for.
///
/// # Errors
/// Wrong use; and what is no error but printed the same way, such as help.
fn command_line() -> Result<Cli, clap::Error> {
    let mut command = habits::with_json(Cli::command()).color(habits::colour_of_help());
    let mut matches = command.try_get_matches_from_mut(habits::words())?;
    let cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
    if cli.command.is_some() && cli.bare.is_any() {
        return Err(command.error(ErrorKind::ArgumentConflict, habits::behind_command(&Cli::command())));
    }
    Ok(cli)
}

/// Answers a command line that asks for help, or is wrong.
fn unparsed(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && habits::words().get(1).is_some_and(|name| name == "diagnose") {
        return diagnose::usage(&error.to_string()).map_or_else(|_| Exit::Io.into(), Into::into);
    }
    if error.kind() == ErrorKind::DisplayHelp && is_of_all() {
        // A reader that went away has what it wanted.
        let _ = std::io::stdout().lock().write_all(help_of_all().as_bytes());
        return Exit::Ok.into();
    }
    if let Some(error) = habits::wrong_use(error, &whole_command()) {
        return failed(&error);
    }
    let _ = error.print();
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Ok.into() }
}

/// The whole command line with all arguments of all subcommands.
fn whole_command() -> clap::Command {
    asked::describe_all();
    let mut command = habits::with_json(Cli::command());
    command.build();
    command
}

/// The subcommands by what they are for, as the help of all lists them. Old names are in none: they work, hidden.
const GROUPS: &[(&str, &[&str])] = &[
    ("See", &["why", "show", "report", "watch"]),
    ("Teach", &["lessons", "kb", "tests", "allow", "trust"]),
    ("Set up", &["setup", "doctor", "config", "data"]),
    ("Run in CI", &["run", "workflow"]),
    ("Plans", &["plan"]),
];

/// Subcommands for scripts, which the help of all only names.
const PLUMBING: &[&str] = &["classify", "decide", "diagnose", "recover", "replay", "result", "render", "rules", "ship"];

/// Whether the help of all commands is asked for.
fn is_of_all() -> bool {
    habits::words().get(1).is_some_and(|word| word == "--help" || word == "-h")
}

fn help_of_all() -> String {
    let mut command = Cli::command().color(habits::colour_of_help());
    let mut groups = String::new();
    for (name, members) in GROUPS {
        let _ = writeln!(groups, "{name}:");
        for member in *members {
            let about = command.find_subcommand(member).and_then(clap::Command::get_about);
            let _ = writeln!(groups, "  {member:<9} {}", about.map(ToString::to_string).unwrap_or_default());
        }
    }
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Scripts: {}\n\n{{options}}{{after-help}}\n",
        PLUMBING.join(" ")
    );
    // A page of its own, which is no shorter one of another.
    command = command.long_about(None::<&str>).help_template(template);
    command.render_help().to_string()
}

/// Hides what the project says is secret, as far as the person trusts it, in whatever a command reads, keeps or shows.
fn hide_own_secrets() {
    if let Ok(place) = place() {
        failwise::redact::also_redact(failwise::project::compiled_of(&env, &place).0.secrets);
    }
}

fn failed(error: &Error) -> ExitCode {
    // The words of the error may name a file that somebody else named.
    let lines: Vec<String> = error.to_string().lines().map(|line| style::shown(line, 1000)).collect();
    style::say_line(format_args!("failwise: {}", lines.join("\n  ")));
    error.exit().into()
}

/// What a subcommand ends with.
type CommandOutcome = Result<Exit, CommandFailure>;

/// Why a subcommand could not end well.
enum CommandFailure {
    /// Nobody reads what it prints any more.
    BrokenPipe,
    /// Anything that the person should know of.
    Error(Error),
}

impl From<Error> for CommandFailure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<failwise::store::StoreFault> for CommandFailure {
    fn from(fault: failwise::store::StoreFault) -> Self {
        Self::Error(fault.into())
    }
}

impl From<std::io::Error> for CommandFailure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe { Self::BrokenPipe } else { Self::Error(error.into()) }
    }
}

impl From<serde_json::Error> for CommandFailure {
    fn from(error: serde_json::Error) -> Self {
        std::io::Error::from(error).into()
    }
}

/// The environment, where a library function asks for it.
fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Who calls, as far as a command can know: the session that the client names in the environment of its shell calls. It says
/// nothing of a subagent.
fn caller() -> Ids {
    let session = env("CLAUDE_CODE_SESSION_ID").and_then(|id| id.into_string().ok());
    Ids { session: session.filter(|id| failwise::host::is_known_id(id)), ..Ids::default() }
}

/// The time, for events that a command appends.
fn now() -> String {
    failwise::time::stamp(chrono::Utc::now())
}

/// The project that a person is in, where one or a home folder is known.
fn found() -> Option<Place> {
    place::find(&env, here().ok().as_deref())
}

/// The same.
///
/// # Errors
/// When none is known.
fn place() -> Result<Place, Error> {
    let unknown = || Error::usage("neither a project nor a home folder is known");
    found().ok_or_else(|| unknown().hint("go to the project's folder, or set HOME"))
}

/// The project of a folder that was named, else the one that a person is in.
fn place_of(folder: Option<&Path>) -> Result<Place, Error> {
    let Some(folder) = folder else { return place() };
    let word = folder.to_string_lossy();
    let is_one = |path: &PathBuf| path.is_dir();
    let found = place::real_path(folder).ok().filter(is_one).or_else(|| kb::root_called(&word).filter(is_one));
    let Some(folder) = found else {
        let known = inputs::some_of(&inputs::project_folders().into_iter().map(|(name, _)| name).collect());
        let hint = if known.is_empty() { String::new() } else { format!("; recorded so far: {known}") };
        let error = Error::refused(format!("no project is {}", style::shown(&word, 200)));
        return Err(error.hint(format!("give the project's folder{hint}")));
    };
    // What the client says of its own project is not meant where another folder is named.
    let env = |name: &str| if name == "CLAUDE_PROJECT_DIR" { None } else { env(name) };
    let unknown = || Error::usage("that is no project").hint("name a folder with files of a project");
    place::find(&env, Some(&folder)).ok_or_else(unknown)
}

/// The folder that a person is in, for commands about "this project".
fn here() -> std::io::Result<PathBuf> {
    std::env::current_dir()
        .map_err(|error| std::io::Error::new(error.kind(), format!("the working directory: {error}")))
}

#[cfg(test)]
mod grouping {
    use super::*;

    #[test]
    fn each_command_is_in_one_group() {
        let mut named: Vec<&str> = GROUPS.iter().flat_map(|(_, members)| *members).chain(PLUMBING).copied().collect();
        named.sort_unstable();
        let command = Cli::command();
        let mut known: Vec<&str> =
            command.get_subcommands().filter(|it| !it.is_hide_set()).map(clap::Command::get_name).collect();
        known.sort_unstable();
        assert_eq!(named, known);
    }
}
