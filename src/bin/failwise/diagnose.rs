//! `failwise diagnose`: which failure modes of its tools a trace has met, and what works against them.

mod apply;

use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use failwise::diagnose::result::{DiagnoseResult, without_secrets};
use failwise::diagnose::{TraceDiagnosis, diagnose, diagnose_last};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::host::trace::{self, ReadTrace as Given};
use failwise::llm;
use failwise::model::Trace;
use failwise::place::Place;
use failwise::recollect::{WantedFailure, failure_in, trace_to};

use crate::inputs::{open_named, read_bounded, read_named};
use crate::style::{Format, escaped, print_json, shown, text_page};

const AFTER_HELP: &str = "\
Input: single calls {\"command\", \"stdout\", \"stderr\", \"exit_code\"}, lists and lines of them, and plain text. Also \
Anthropic and OpenAI histories, LangSmith runs, Langfuse spans, hook payloads and logs of them, session files and \
history.jsonl. Output: one JSON object, as in schemas/diagnose-result.schema.json; text only where it is asked for.

Exit codes: 0 a failure mode was found, or with --last nothing has failed yet, 2 too little to diagnose (the object says what to add), 3 no failure mode, 64 \
wrong command line, 74 a file could not be read. With --jsonl: 0.

--llm needs ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL selects another API address.

Examples:
  failwise diagnose '{\"command\":\"git commit\",\"stderr\":\"EDITOR unset\"}'
  git commit 2>&1 | failwise diagnose --command 'git commit' --exit-code 1
  failwise diagnose --last --format text";

/// Diagnose failed calls: name the tool's trap, and a form of the command that works
#[derive(Debug, Default, clap::Args)]
#[command(after_help = AFTER_HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct DiagnoseArgs {
    /// The trace; by default read from stdin
    #[arg(value_name = "JSON")]
    trace: Option<String>,
    /// Read the trace from a file
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// The newest failure in this project's history; the calls of its session before it are context
    #[arg(long, conflicts_with_all = ["trace", "history", "command", "jsonl"])]
    last: bool,
    /// The command whose plain output is on stdin
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["trace", "history", "jsonl"])]
    command: Option<String>,
    /// Exit code of --command; unknown by default
    #[arg(long, value_name = "N", requires = "command", allow_negative_numbers = true)]
    exit_code: Option<i32>,
    /// Read a trace a line, and print a result a line in the same order
    #[arg(long, conflicts_with_all = ["trace", "format"])]
    jsonl: bool,
    /// Ask a model about weak evidence: needs a key in the environment, sends the redacted trace
    #[arg(long, conflicts_with = "jsonl")]
    llm: bool,
    /// The model that --llm asks
    #[arg(long, value_name = "NAME", requires = "llm", default_value = llm::MODEL)]
    model: String,
    /// Write the findings as rules for the client: shows the lines and asks (only people)
    #[arg(long, conflicts_with = "jsonl")]
    apply: bool,
    /// With --apply: into ~/.claude/rules instead of the project's .claude/rules
    #[arg(long, requires = "apply")]
    user: bool,
    /// With --apply: write without asking, including forms that have not run here
    #[arg(long, requires = "apply")]
    yes: bool,
    /// Output format; by default text on a terminal, JSON in a pipe
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print the parsed input and all evidence on stderr
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(args: &DiagnoseArgs) -> crate::CommandOutcome {
    if args.jsonl {
        return diagnose_lines(args);
    }
    let given = match given(args) {
        Ok(given) => given,
        Err(error) => return refuse(&error),
    };
    let (mut result, diagnosis) = answer(&given, if args.last { diagnose_last } else { diagnose });
    if args.llm && given.problem.is_none() {
        result = asked(args, &given, &diagnosis).unwrap_or(result);
    }
    if args.explain {
        explain(&given, &diagnosis);
    }
    print(&result, Format::for_scripts(args.format))?;
    if args.apply {
        apply::run(&apply::WantedRules { user: args.user, yes: args.yes }, &given, &diagnosis, &result)?;
    }
    // That nothing has failed yet is no mistake.
    Ok(if args.last && given.problem.is_some() { Exit::Ok } else { exit(&result) })
}

/// The result with what a model confirmed; nothing where it could not be asked, which stderr tells.
fn asked(args: &DiagnoseArgs, given: &Given, diagnosis: &TraceDiagnosis) -> Option<DiagnoseResult> {
    if diagnosis.candidates.is_empty() {
        return None;
    }
    let text = |name: &str| crate::env(name)?.into_string().ok().filter(|value| !value.is_empty());
    let Some(key) = text("ANTHROPIC_API_KEY") else {
        say!("failwise: --llm needs ANTHROPIC_API_KEY: nothing was asked");
        return None;
    };
    let base_url = text("ANTHROPIC_BASE_URL").unwrap_or_else(|| llm::BASE_URL.to_owned());
    let service = llm::Service { key, base_url, model: args.model.clone(), patience: llm::Patience::default() };
    match llm::confirm(&service, &given.trace, &diagnosis.candidates) {
        Ok(confirmed) => Some(DiagnoseResult::of(diagnosis, &confirmed)),
        Err(problem) => {
            say!("failwise: --llm: {}; the result is the deterministic one", shown(&problem, 300));
            None
        }
    }
}

/// The object for a command line that is wrong, with a hint that names the mistake.
pub(crate) fn usage(message: &str) -> crate::CommandOutcome {
    refuse(&Error::usage(message))
}

/// An object all the same, whatever went wrong.
fn refuse(error: &Error) -> crate::CommandOutcome {
    let message = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    print(&DiagnoseResult::insufficient(&message), Format::Json)?;
    say!("failwise: {}", shown(&message, 1000));
    Ok(error.exit())
}

fn answer(given: &Given, diagnose: fn(&Trace<'_>) -> TraceDiagnosis) -> (DiagnoseResult, TraceDiagnosis) {
    let diagnosis = without_secrets(&given.trace, diagnose);
    let result = match &given.problem {
        Some(problem) => DiagnoseResult::insufficient(&format!("{problem}: {SHAPES}")),
        None => DiagnoseResult::of(&diagnosis, &[]),
    };
    (result, diagnosis)
}

/// What is said of the last call of a trace.
pub(crate) fn of_last(trace: Trace<'static>) -> DiagnoseResult {
    answer(&Given { trace, problem: None }, diagnose_last).0
}

const SHAPES: &str = "give a call as {\"command\", \"stdout\", \"stderr\", \"exit_code\"}, a list or lines of them, a message history, \
                      a session file, a hook payload or plain text";

fn exit(result: &DiagnoseResult) -> Exit {
    match (result.trace_insufficient, result.no_match) {
        (true, _) => Exit::Insufficient,
        (false, true) => Exit::NotFailure,
        (false, false) => Exit::Ok,
    }
}

/// The trace: from the file, the argument or stdin, in this order.
fn given(args: &DiagnoseArgs) -> Result<Given, Error> {
    if args.last {
        return last();
    }
    if let Some(file) = &args.history {
        return Ok(trace::read(&read_named(file)?));
    }
    if let Some(text) = &args.trace {
        let mut given = trace::read(text.as_bytes());
        if !text.trim_start().starts_with(['{', '[', '"']) && names_a_file(text) {
            given = Given {
                problem: Some(format!("`{text}` names a file: give it as --history {text}")),
                ..Given::default()
            };
        }
        return Ok(given);
    }
    if std::io::stdin().is_terminal() {
        let error = Error::usage("no trace: stdin is a terminal");
        return Err(error.hint("give the trace as an argument, by --history FILE, or on stdin"));
    }
    // A closed stdin is an empty one.
    let input = match read_bounded(std::io::stdin().lock(), "stdin") {
        Err(error) if error.exit() == Exit::Unreadable => return Err(error),
        input => input.unwrap_or_default(),
    };
    Ok(match &args.command {
        Some(command) => trace::printed(command, args.exit_code, &String::from_utf8_lossy(&input)),
        None => trace::read(&input),
    })
}

fn names_a_file(text: &str) -> bool {
    text.len() < 4096 && !text.contains('\n') && Path::new(text).is_file()
}

/// The newest failure of the project's history, with what came before it in its session.
fn last() -> Result<Given, Error> {
    let newest = |place: &Place| match failure_in(place, WantedFailure::Newest)? {
        Some(failure) => trace_to(place, &failure).map(|found| Some(found.trace)),
        None => Ok(None),
    };
    let trace = crate::found().map_or(Ok(None), |place| newest(&place))?;
    let problem = trace.is_none().then(|| "the history of this project has no failure".to_owned());
    Ok(Given { trace: trace.unwrap_or_default(), problem })
}

fn diagnose_lines(args: &DiagnoseArgs) -> crate::CommandOutcome {
    let mut out = std::io::stdout().lock();
    let input: Box<dyn Read> = match &args.history {
        Some(file) => match open_named(file) {
            Ok(file) => Box::new(file),
            Err(error) => return refuse(&error),
        },
        None => Box::new(std::io::stdin().lock()),
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut input = BufReader::with_capacity(BATCH_BYTES, input);
    let mut lines = Vec::new();
    while read_batch(&mut input, &mut lines)? {
        for results in answers_of(&lines, processors)? {
            out.write_all(results.as_bytes())?;
        }
        // Who writes a line and waits for its answer gets it.
        out.flush()?;
    }
    Ok(Exit::Ok)
}

/// How much of the lines that are there already is answered at once.
const BATCH_BYTES: usize = 1 << 20;

/// The longest line that is held, in bytes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Reads a line, and with it those that need not be waited for; false at the end of the input.
fn read_batch(input: &mut BufReader<Box<dyn Read>>, lines: &mut Vec<Vec<u8>>) -> std::io::Result<bool> {
    lines.clear();
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(!lines.is_empty());
        }
        lines.push(line);
        if !input.buffer().contains(&b'\n') {
            return Ok(true);
        }
    }
}

/// The results of lines, a line each; blank ones have none. The work is done in as many parts as there are processors.
fn answers_of(lines: &[Vec<u8>], processors: usize) -> Result<Vec<String>, Error> {
    let parts = lines.chunks(lines.len().div_ceil(processors).max(1));
    std::thread::scope(|scope| {
        let works: Vec<_> = parts.map(|part| scope.spawn(|| answers(part))).collect();
        let died = |_| Error::io("a part of the lines could not be answered");
        works.into_iter().map(|work| work.join().map_err(died)?).collect()
    })
}

fn answers(lines: &[Vec<u8>]) -> Result<String, Error> {
    let mut results = String::new();
    // One buffer for all of them.
    let mut json = Vec::new();
    for line in lines.iter().filter(|line| !line.trim_ascii().is_empty()) {
        let (result, _) = answer(&trace::read(line), diagnose);
        json.clear();
        serde_json::to_writer(&mut json, &result).map_err(|error| Error::io(error.to_string()))?;
        let json = str::from_utf8(&json).map_err(|error| Error::io(error.to_string()))?;
        results.push_str(&escaped(json));
        results.push('\n');
    }
    Ok(results)
}

fn print(result: &DiagnoseResult, format: Format) -> Result<(), crate::CommandFailure> {
    match format {
        Format::Json => print_json(result).map(drop),
        Format::Text => Ok(text(result, &mut text_page(format))?),
    }
}

fn text(result: &DiagnoseResult, out: &mut impl Write) -> std::io::Result<()> {
    let style = crate::style::Style::for_stdout();
    writeln!(out, "{}", shown(&result.trace_summary, 300))?;
    for hint in &result.suggested_context {
        writeln!(out, "  {}", shown(hint, 600))?;
    }
    if result.no_match {
        writeln!(out, "No failure mode found: the failure is the application's own.")?;
    }
    for found in &result.matches {
        let head = format!("§{} {}", found.failure_mode_id, found.title);
        writeln!(out, "\n{}  {} {:.2}", style.bold(&head), found.severity, found.confidence)?;
        writeln!(out, "  {}", shown(&found.evidence, 600))?;
        if !found.limitation.is_empty() {
            writeln!(out, "  Limits: {}", shown(&found.limitation, 1000))?;
        }
        for line in found.workaround.lines() {
            writeln!(out, "  {}", shown(line, 1000))?;
        }
    }
    Ok(())
}

fn explain(given: &Given, diagnosis: &TraceDiagnosis) {
    say!("{} read", failwise::text::many(given.trace.calls.len() as u64, "call", "calls"));
    for finding in diagnosis.findings.iter().chain(&diagnosis.candidates) {
        let kind = if diagnosis.findings.contains(finding) { "match" } else { "candidate" };
        say!(
            "{kind} §{} {} {}%, call {}: {}",
            finding.mode.id(),
            finding.mode.title(),
            finding.percent,
            finding.call + 1,
            shown(&finding.evidence, 600)
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let called = ("[a-z]{1,8}", 0..3_i32, "(error|fatal|x): [a-z ]{0,20}").prop_map(|(name, status, said)| {
            format!(r#"{{"command":"{name} commit","stderr":"{said}","exit_code":{status}}}"#).into_bytes()
        });
        let any = prop_oneof![called, "\\PC{0,20}".prop_map(String::into_bytes), Just(b" \n".to_vec())];
        prop::collection::vec(any, 0..20)
    }

    proptest! {
        #[test]
        fn as_many_processors_as_there_are_give_the_same_results_in_the_same_order(lines in lines(), processors in 2..9_usize) {
            let alone: Vec<String> = lines.iter().map(|line| answers(std::slice::from_ref(line)).unwrap()).collect();
            prop_assert_eq!(answers_of(&lines, processors).unwrap().concat(), alone.concat());
        }
    }
}
