//! `failwise run`: one step of a pipeline: a command file made into a prompt, the client run to its end, the clean result.
//! And the keeper between the two.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::time::Duration;

use failwise::client::{self, ClientStep, Limits, Signals, StepEnd, Watcher, Why};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::stream::{Ending, Rendered, Turns};
use failwise::text::many;

use crate::inputs::warn;
use crate::render::{TemplateArgs, tell_unused};
use crate::result::{SavedStream, StreamArgs, exit_of, print, show_progress};
use crate::style::{Format, shown};

const AFTER_HELP: &str = "\
Transient failures are retried, by the table that also decides in sessions (rules/workflow/retry-policy.md). If a tool \
ran already, the session is resumed, not restarted. Login, credit, a wrong model and limits of turns or cost are left \
to people. When it returns, the client and every process it started have ended.

The client is CLAUDE_BIN, else `claude` on the path. It gets the prompt on stdin, FAILWISE_RUN=<id>, and \
CLAUDE_CODE_MAX_RETRIES=2 unless that is set, because its own retries would multiply these.

Exit codes: 0 text printed, 1 the run failed, or the client ended without a stream (its status or signal and its last \
lines are named), 4 no text, 64 wrong command line, 69 the client was not found, 74 a file could not be read or \
written, 75 stopped at its retries, time or cost: it may pass later, 130 and 143 ended by a signal.

Examples:
  failwise run classify.md \"$(gh issue view 42 --json title,body)\" >class.txt
  failwise run plan.md 42 --retries 2 --max-cost-usd 1.50 -- --model sonnet
  echo 'Say hello.' | failwise run - --progress --format json";

/// Run the client on a command file as one step; print its answer alone
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    template: TemplateArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Output format: the text, or the whole run as one JSON object
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Extra client flags, after --
    #[arg(last = true, value_name = "CLIENT FLAGS")]
    flags: Vec<String>,
}

/// How far a run may go, and what is shown and kept of it.
#[derive(Debug, clap::Args)]
pub(crate) struct PolicyArgs {
    /// Maximum number of retries of a transient failure; the policy allows up to 3
    #[arg(long, default_value_t = 3, value_name = "N")]
    retries: u32,
    /// Time limit of all attempts together: 90s, 20m, 2h, or seconds; 0 for no limit
    #[arg(long, default_value = "1h", value_name = "TIME", value_parser = span)]
    pub(crate) timeout: Span,
    /// Time limit of silence of the client; 0 for no limit
    #[arg(long, default_value = "30m", value_name = "TIME", value_parser = span)]
    idle_timeout: Span,
    /// Cost limit of all attempts together, in dollars
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    max_cost_usd: Option<f64>,
    /// Expand `@path` and a leading `/` in arguments: the client attaches the file, or runs the command
    #[arg(long)]
    allow_mentions: bool,
    #[command(flatten)]
    pub(crate) shown: StreamArgs,
}

/// A span of time; None for no limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span(pub(crate) Option<Duration>);

impl PolicyArgs {
    /// What a step may use up.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            retries: self.retries,
            timeout: self.timeout.0,
            idle: self.idle_timeout.0,
            max_cost_usd: self.max_cost_usd,
        }
    }

    /// The prompt as the client gets it: what was put in is data, unless it may act.
    pub(crate) fn prompt(&self, rendered: &Rendered) -> String {
        if self.allow_mentions { rendered.text.clone() } else { rendered.inert() }
    }
}

pub(crate) fn run(args: &RunArgs) -> crate::CommandOutcome {
    check_flags(&args.flags)?;
    let rendered = args.template.rendered()?;
    tell_unused(&rendered);
    let prompt = args.policy.prompt(&rendered);
    if prompt.trim().is_empty() {
        return Err(Error::usage("the prompt is empty").hint("the client takes no empty prompt").into());
    }
    let program = client::find_client(&crate::env)?;
    let signals = Signals::watch()?;
    let run = client::new_run();
    let limits = args.policy.limits();
    let flags = args.flags.as_slice();
    let (program, prompt) = (program.as_path(), prompt.as_str());
    let step = ClientStep { program, flags, prompt, session: None, run: &run, limits: &limits };
    let place = crate::found();
    let mut watcher = RunWatcher::new(&args.policy.shown)?;
    let end = client::run(&step, place.as_ref().and_then(client::project_retries), &signals, &mut watcher)?;
    let name = args.template.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(Err(error)) = place.as_ref().map(|place| client::record(place, &run, None, &name, &end)) {
        warn(&format!("the step is not in the history: {error}"));
    }
    let forced = forced_exit(&end);
    if let Why::Exhausted(why) = &end.why {
        warn(&format!("stopped after {}: {why}", many(end.attempts.into(), "attempt", "attempts")));
    }
    let outcome = print(&end.execution, args.format, args.policy.shown.fail_on, forced);
    place.as_ref().inspect(|place| crate::kb::learn_at_last(place));
    outcome
}

/// The exit code of a run that did not simply end.
pub(crate) fn forced_exit(end: &StepEnd) -> Option<Exit> {
    match &end.why {
        Why::Ended => None,
        Why::Exhausted(_) => Some(Exit::Exhausted),
        Why::Signal(signal) if Signals::is_interrupt(*signal) => Some(Exit::Interrupted),
        Why::Signal(_) => Some(Exit::Terminated),
    }
}

/// The exit code of a step.
pub(crate) fn exit_of_step(end: &StepEnd, policy: &PolicyArgs) -> Exit {
    forced_exit(end).unwrap_or_else(|| exit_of(&end.execution, policy.shown.fail_on))
}

/// Whether a step gave a text that may be used.
pub(crate) fn gave_a_text(end: &StepEnd, exit: Exit) -> bool {
    end.execution.ending() == Ending::Text && exit == Exit::Ok
}

/// Flags that would take the stream away from who reads it.
const OWN_FLAGS: &[&str] = &["--output-format", "--input-format"];

/// Refuses what only Failwise may say to the client.
///
/// # Errors
/// When such a flag is given.
pub(crate) fn check_flags(flags: &[String]) -> Result<(), Error> {
    let is_own = |flag: &&String| OWN_FLAGS.iter().any(|own| flag.split('=').next() == Some(own));
    match flags.iter().find(is_own) {
        Some(flag) => Err(Error::usage(format!("`{}` is set by failwise", shown(flag, 60)))
            .hint("the stream is read here; --save FILE keeps it, --format json tells what it said")),
        None => Ok(()),
    }
}

/// Shows a run on stderr and keeps its stream.
pub(crate) struct RunWatcher {
    progress: Option<Turns>,
    save: Option<SavedStream>,
}

impl RunWatcher {
    /// Shows and keeps what was asked for. On a terminal it is told at once which step is at work.
    pub(crate) fn new(args: &StreamArgs) -> Result<Self, Error> {
        let save = args.save.as_deref().map(SavedStream::begin).transpose()?;
        let wanted = args.progress || io::stderr().is_terminal();
        Ok(Self { progress: wanted.then(Turns::default), save })
    }
}

impl Watcher for RunWatcher {
    fn lines(&mut self, block: &[u8]) -> io::Result<()> {
        if let Some(turns) = &mut self.progress {
            block.split(|byte| *byte == b'\n').for_each(|line| show_progress(turns, line));
        }
        self.save.as_mut().map_or(Ok(()), |save| save.add(block))
    }

    fn say(&mut self, text: &str) {
        warn(&failwise::redact::redact(text));
    }
}

/// A span as a person types it.
pub(crate) fn span(text: &str) -> Result<Span, String> {
    let seconds = text.parse::<u32>().ok().map(|seconds| u64::from(seconds) * 1000);
    let ms = seconds.or_else(|| failwise::time::typed(text, "smhd")).ok_or("write 90s, 20m or 2h; 0 for no limit")?;
    Ok(Span(Some(Duration::from_millis(ms)).filter(|span| !span.is_zero())))
}

fn dollars(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "write a number of dollars, such as 1.50".to_owned())?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("it must be more than 0".to_owned()) }
}

/// Run a program, and end it with its children when this process's parent ends
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct KeepArgs {
    /// The run's id
    #[arg(long)]
    run: String,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub(crate) fn keep(args: &KeepArgs) -> Result<ExitCode, Error> {
    let (program, rest) = args.command.split_first().ok_or_else(|| Error::usage("no program is named"))?;
    let code = client::keep(program, rest, &args.run)?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}
