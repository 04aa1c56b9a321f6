//! `failwise result`: the clean text of a run, from the client's stream.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use failwise::client::Judge;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::sessions::LineReader;
use failwise::stream::{CommandExecution, Ending, Extractor, INLINE_STDOUT, OutsideCause, Turns, notes};

use crate::inputs::{open_named, warn};
use crate::render::is_stdin;
use crate::style::{Format, escaped, for_stdout, note_line, shown};

/// The longest line that is held, in bytes.
const LONGEST_LINE: usize = 1024 * 1024 * 1024;
/// The most of a text that is no stream, in bytes.
const LONGEST_TEXT: usize = 64 * 1024 * 1024;

const AFTER_HELP: &str = "\
The last line of the type `result` counts. A string is printed as it is, any other value as JSON. Unreadable lines are \
skipped. JSON lines, one object and an array of events are read alike.

Exit codes: 0 text printed, 1 the run failed, 4 no text (null, absent, or the stream was cut off), 64 wrong command \
line, 65 the input is not a stream, 74 a file could not be read or written. On any code but 0 stderr \
says why, and as text stdout is empty.

Examples:
  claude -p --output-format stream-json --verbose <prompt.md | \\
    failwise result --progress --save run.jsonl >plan.txt
  failwise result run.jsonl --format json | jq .verdict.class";

/// Print nothing but the answer of a run of `claude -p --output-format stream-json --verbose`
///
/// Reads the client's stream, and prints only the text of its result and one line end.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ResultArgs {
    /// The stream; stdin by default, or for -
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Output format: the text, or the whole run as one JSON object
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The client's exit code, if known: any but 0 is a failure
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    exit_code: Option<i32>,
    /// Accept plain text; without an exit code it may be an error message
    #[arg(long)]
    allow_text: bool,
    #[command(flatten)]
    shown: StreamArgs,
}

/// What is done with a stream besides reading its result.
#[derive(Debug, clap::Args)]
pub(crate) struct StreamArgs {
    /// Also fail on denied calls
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) fail_on: Option<FailOn>,
    /// Keep the raw stream in a file readable by you only
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Show turns, tools and retries on stderr
    #[arg(long)]
    pub(crate) progress: bool,
}

/// What else is a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A denied call
    Denied,
}

pub(crate) fn run(args: &ResultArgs) -> crate::CommandOutcome {
    let mut lines = LineReader::of_lines_up_to(input(args.file.as_deref())?, LONGEST_LINE);
    let mut save = args.shown.save.as_deref().map(SavedStream::begin).transpose()?;
    let mut extractor = Extractor::default();
    let mut stdout = Kept::new(if args.format == Format::Json { INLINE_STDOUT } else { 0 });
    let mut text = Kept::new(if args.allow_text { LONGEST_TEXT } else { 0 });
    let mut progress = args.shown.progress.then(Turns::default);
    while let Some(block) = lines.block()? {
        save.as_mut().map_or(Ok(()), |save| save.add(block))?;
        stdout.add(block);
        text.add(block);
        extractor.take(block);
        if extractor.is_stream() {
            text = Kept::new(0);
        }
        if let Some(turns) = &mut progress {
            block.split(|byte| *byte == b'\n').for_each(|line| show_progress(turns, line));
        }
    }
    let outside = OutsideCause {
        stdout: stdout.text().filter(|_| args.format == Format::Json),
        text: text.text().filter(|text| args.allow_text && !text.trim().is_empty()).map(without_line_end),
        exit_code: args.exit_code,
        ..OutsideCause::default()
    };
    let mut execution = CommandExecution::new(extractor.finish(), outside);
    execution.verdict = Judge::default().verdict(&execution, &crate::now());
    print(&execution, args.format, args.shown.fail_on, None)
}

/// The exit code that says what a run came to.
pub(crate) fn exit_of(execution: &CommandExecution, fail_on: Option<FailOn>) -> Exit {
    let fails_on_denied = fail_on == Some(FailOn::Denied) && !execution.permission_denials.is_empty();
    match execution.ending() {
        Ending::Failed => Exit::Differs,
        Ending::NoStream => Exit::Unreadable,
        Ending::NoText if !execution.success => Exit::NoText,
        _ if fails_on_denied => Exit::Differs,
        Ending::NoText => Exit::NoText,
        Ending::Text => Exit::Ok,
    }
}

/// Prints what a run came to, and gives the exit code that says it: `forced`, where the run as a whole ended otherwise.
pub(crate) fn print(
    execution: &CommandExecution,
    format: Format,
    fail_on: Option<FailOn>,
    forced: Option<Exit>,
) -> crate::CommandOutcome {
    let exit = forced.unwrap_or_else(|| exit_of(execution, fail_on));
    let mut out = std::io::stdout().lock();
    match (format, &execution.result_text) {
        (Format::Json, _) => writeln!(out, "{}", escaped(&serde_json::to_string(execution)?))?,
        (Format::Text, Some(text)) if exit == Exit::Ok => writeln!(out, "{}", for_stdout(text))?,
        (Format::Text, _) => {}
    }
    out.flush()?;
    drop(out);
    tell_denied(execution);
    tell_why_no_text(execution, exit);
    Ok(exit)
}

/// Names on stderr the tools whose calls were denied.
pub(crate) fn tell_denied(execution: &CommandExecution) {
    let denied = execution.denied();
    if !denied.is_empty() {
        warn(&format!("denied: {}", denied.join(", ")));
    }
}

/// Says on stderr why there is no text.
fn tell_why_no_text(execution: &CommandExecution, exit: Exit) {
    let why = execution.error_message.as_deref().unwrap_or_default();
    let hint = match execution.ending() {
        _ if exit == Exit::Ok => return,
        Ending::Text => return warn("calls were denied, and --fail-on denied is given"),
        Ending::Failed => {
            let verdict = execution.verdict.as_ref();
            let kind = verdict.map(|verdict| format!(" [{} {}]", verdict.class.as_str(), verdict.category.as_str()));
            return warn(&format!("the run failed: {why}{}", kind.unwrap_or_default()));
        }
        Ending::NoText => "",
        Ending::NoStream => {
            "\n  run `claude -p --output-format stream-json --verbose`; plain text passes with --allow-text"
        }
    };
    note_line(format_args!("failwise: {}{hint}", shown(why, 1000)));
}

/// One line of a stream, for a person who watches.
pub(crate) fn show_progress(turns: &mut Turns, line: &[u8]) {
    for line in notes(line).iter().filter_map(|note| turns.line(note)) {
        say!("{}", shown_indented(&line));
    }
}

/// A line that may begin with blanks.
fn shown_indented(line: &str) -> String {
    let blanks = line.len() - line.trim_start().len();
    format!("{:blanks$}{}", "", shown(line, 200))
}

fn input(file: Option<&Path>) -> Result<Box<dyn Read>, Error> {
    match file.filter(|file| !is_stdin(file)) {
        Some(file) => Ok(Box::new(open_named(file)?)),
        None if std::io::stdin().is_terminal() => {
            let error = Error::usage("there is no stream on stdin");
            Err(error.hint("pipe `claude -p --output-format stream-json --verbose` into it, or name a file"))
        }
        None => Ok(Box::new(std::io::stdin().lock())),
    }
}

/// A file that only its user can read, for a stream as it comes.
pub(crate) struct SavedStream(fs_err::File);

impl SavedStream {
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn begin(path: &Path) -> Result<Self, Error> {
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self(options.open(path)?))
    }

    /// # Errors
    /// When it cannot be written.
    pub(crate) fn add(&mut self, block: &[u8]) -> std::io::Result<()> {
        self.0.write_all(block)
    }
}

/// The beginning of what was read, where that is all of it.
pub(crate) struct Kept {
    bytes: Vec<u8>,
    most: usize,
    over: bool,
}

impl Kept {
    /// Keeps at most so many bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, over: false }
    }

    /// Takes more in.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        if self.over || self.bytes.len() + bytes.len() > self.most {
            self.over = true;
            self.bytes = Vec::new();
            return;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// All of it as text; None where there was more.
    pub(crate) fn text(self) -> Option<String> {
        (!self.over).then(|| String::from_utf8_lossy(&self.bytes).into_owned())
    }
}

/// A text without the line end that programs print behind one.
pub(crate) fn without_line_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.truncate(text.len() - if text.ends_with("\r\n") { 2 } else { 1 });
    }
    text
}
