//! `failwise config`: every setting, its value and where it comes from.

use std::io::Write;
use std::path::Path;

use failwise::exit::Exit;
use failwise::journal::HISTORY;
use failwise::place::{Place, find};
use failwise::project;
use failwise::settings::{Problem, Settings, Weakening};

use crate::style::{Format, PrintArgs, Style, print_pretty, shown};

/// Show every setting, its value and where it comes from
///
/// Also compiles the trusted patterns of the project's file for the hook.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 a pattern of the project is unusable, 74 a file could not be read or written."
)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn run(args: &ConfigArgs) -> crate::CommandOutcome {
    let place = find(&crate::env, crate::here().ok().as_deref());
    let (settings, problems) = settings_of(place.as_ref());
    // Before anything is shown: whoever reads no further has what the hook needs.
    place.as_ref().map_or(Ok(()), |place| project::keep_compiled(&crate::env, place))?;
    let exit = if problems.iter().any(|problem| problem.is_own) { Exit::Differs } else { Exit::Ok };
    let history = place.as_ref().map(|place| (place.dir.join(HISTORY), place.reason));
    let mut out = std::io::stdout().lock();
    if args.print.format == Format::Json {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let rows: serde_json::Map<String, serde_json::Value> = settings
            .rows()
            .into_iter()
            .map(|(name, value, source)| {
                (name.to_owned(), serde_json::json!({"value": value, "source": source.to_string()}))
            })
            .collect();
        let history = history.map(|(path, reason)| serde_json::json!({"value": path, "source": reason}));
        let all = serde_json::json!({"settings": rows, "history": history, "problems": problems});
        print_pretty(&all)?;
        return Ok(exit);
    }
    let style = Style::for_stdout();
    for (name, value, source) in settings.rows() {
        let source = style.dim(&shown(&source.to_string(), 120));
        writeln!(out, "{name:<18} {:<24} {source}", style.bold(&shown(&value, 200)))?;
    }
    if let Some((path, reason)) = history {
        writeln!(out, "{:<18} {:<24} {}", "history", shown(&path.to_string_lossy(), 300), style.dim(reason))?;
    }
    for problem in problems {
        writeln!(out, "{} {}", style.yellow("warning:"), shown(&problem.to_string(), 300))?;
    }
    Ok(exit)
}

/// The settings of a place, and what could not be understood.
pub(crate) fn settings_of(place: Option<&Place>) -> (Settings, Vec<Problem>) {
    let (mut settings, mut problems) = project::settings_of(&crate::env, place);
    let unusable = place.map(|place| project::compiled_of(&crate::env, place).1).unwrap_or_default();
    let is_usable = |line: usize| !unusable.iter().any(|problem| problem.place.ends_with(&format!(":{line}")));
    settings.readings.value.retain(|reading| is_usable(reading.line));
    settings.secrets.value.retain(|secret| is_usable(secret.line));
    problems.extend(unusable);
    if let Some((path, _)) = place.and_then(Place::settings_file) {
        let waits =
            |one: &Weakening| format!("`{} = {}` waits for `failwise trust`, and does not count", one.key, one.value);
        let path = path.display().to_string();
        problems.extend(settings.waiting().map(|one| Problem::of(path.clone(), waits(one))));
    }
    problems.splice(0..0, unused_dir());
    (settings, problems)
}

/// A folder that is not used: the hook would look for it below its own working directory, which follows the agent's `cd`.
fn unused_dir() -> Option<Problem> {
    let dir = crate::env("FAILWISE_DIR").filter(|dir| !dir.is_empty() && Path::new(dir).is_relative())?;
    let text = format!("`{}` is no full path, so it is not used; write it from `/` on", dir.to_string_lossy());
    Some(Problem::of("FAILWISE_DIR".to_owned(), text))
}
