//! `failwise allow`: a person lets a call run that the guard refused.

use chrono::Utc;
use failwise::digest::hex16;
use failwise::exit::Exit;
use failwise::history::{Body, Event, GuardedCall, Line, parse};
use failwise::journal::Journal;
use failwise::model::Ids;
use failwise::time::{Time, after, clock_name, minute, stamp, typed};
use serde_json::json;

use crate::people;
use crate::style::{Format, PrintArgs, Style, shown};

/// Allow a call that the guard refused in this project
///
/// Without a command it allows the call that was refused last. Only people can do this: it is refused inside Claude
/// Code, in a hook and without a terminal.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise allow                     the last refused call, for 10 minutes\n  \
                        failwise allow --for 1h make deploy --force")]
pub(crate) struct AllowArgs {
    /// Duration: a number with s, m or h; at most 24h
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = typed_duration)]
    time: u64,
    /// Skip the check for a terminal: for your own scripts
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    print: PrintArgs,
    /// The refused command, as typed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

/// The most of a history's end that is searched for refused calls, in bytes.
const SEARCHED: usize = 1024 * 1024;
/// The longest time, in milliseconds.
const LONGEST: u64 = 24 * 60 * 60 * 1000;

pub(crate) fn run(args: &AllowArgs) -> crate::CommandOutcome {
    people::only_people("allow", args.yes)?;
    let place = crate::place()?;
    let text = crate::inputs::end_of_history(&place.dir, SEARCHED)?;
    let now = Utc::now();
    let opened = opened(refused(&text, &args.command.join(" ")), args.time, now);
    if !opened.is_empty() {
        let ts = stamp(now);
        let mut events: Vec<Event> = opened.iter().map(|opened| event(opened, &ts)).collect();
        Journal::in_dir(&place.dir).begin()?.append(&mut events)?;
    }
    print(&opened, args.print.format)?;
    Ok(if opened.is_empty() { Exit::Differs } else { Exit::Ok })
}

/// A call that the guard held back, or lets through from now on.
struct Held {
    node: String,
    ids: Ids,
    call: GuardedCall,
}

/// The calls that were refused: those of a command, else the last one. Of each node and call the last refusal.
fn refused(history: &str, command: &str) -> Vec<Held> {
    let mut found: Vec<Held> = Vec::new();
    for line in history.lines() {
        let Line::Event(event) = parse(line.as_bytes()) else { continue };
        let ids = Ids { tool_use: None, ..event.ids() };
        if let Event { node, body: Body::CallRefused(call), .. } = *event
            && call.call.is_some()
        {
            found.retain(|earlier| (&earlier.node, &earlier.call.call) != (&node, &call.call));
            found.push(Held { node, ids, call: *call });
        }
    }
    if command.is_empty() {
        return found.pop().into_iter().collect();
    }
    let wanted: Vec<&str> = command.split_whitespace().collect();
    found.retain(|refused| {
        refused.call.input.as_deref().unwrap_or_default().split_whitespace().eq(wanted.iter().copied())
    });
    found
}

/// The same calls, let through for some time.
fn opened(refused: Vec<Held>, time: u64, now: Time) -> Vec<Held> {
    let until = after(now, time).map(stamp);
    let opened = |refused: Held| Held {
        call: GuardedCall { tool: None, reason: None, until: until.clone(), ..refused.call },
        ..refused
    };
    refused.into_iter().map(opened).collect()
}

fn event(opened: &Held, ts: &str) -> Event {
    let Held { node, ids, call } = opened;
    let id = hex16(&["guard_opened", node, call.call.as_deref().unwrap_or_default(), ts]);
    Event::new(id, ts, node, ids, Body::GuardOpened(Box::new(call.clone())))
}

fn print(opened: &[Held], format: Format) -> crate::CommandOutcome {
    let row = |Held { node, call, .. }: &Held| json!({ "command": call.input, "node": node, "until": call.until });
    let all = json!({ "schema_version": 1, "opened": opened.iter().map(row).collect::<Vec<_>>() });
    crate::kb::answer(format, &all, |out| {
        if opened.is_empty() {
            return writeln!(out, "The guard has refused no such call here.");
        }
        let style = Style::for_stdout();
        for Held { call, .. } in opened {
            let command = style.bold(&shown(call.input.as_deref().unwrap_or_default(), 200));
            let until = call.until.as_deref().map(minute).unwrap_or_default();
            writeln!(out, "{command} may run until {until} {}", clock_name())?;
        }
        Ok(())
    })
}

/// A time as a person types it, in milliseconds: `90s`, `10m`, `2h`.
fn typed_duration(text: &str) -> Result<u64, String> {
    match typed(text, "smh") {
        None => Err("write a whole number with s, m or h, such as 10m".to_owned()),
        Some(time) if (1..=LONGEST).contains(&time) => Ok(time),
        Some(_) => Err("from 1s to 24h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, seconds) in [("90s", 90), ("10m", 600), ("24h", 86_400)] {
            assert_eq!(typed_duration(text), Ok(seconds * 1_000), "{text}");
        }
        for text in ["", "m", "10", "0s", "25h", "-1m", "4294967295h", "1é", "1.5h"] {
            assert!(typed_duration(text).is_err(), "{text}");
        }
    }
}
