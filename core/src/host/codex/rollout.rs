//! The end of a rollout, the client's session file. It tells what events leave out: the status of a command, and the ends of
//! calls that have no event: a tool that failed, a call that was refused, a command that went on in the background.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::as_patch;
use crate::host::call::{self, GivenInput};
use crate::host::id;
use crate::host::wire::{self, Lenient, Loose, Read};
use crate::model::{Ids, Status, Tool, ToolCall, ToolInput, ToolKind};
use crate::text::is_plain_path;

/// How much of a rollout's end is read at first, in bytes: a command's status is among the last lines.
const LEAST: usize = 8 * 1024;
/// How much of it is read at most, in bytes.
const MOST: usize = 256 * 1024;
/// The most ends without an event that are told at once.
const MOST_ENDS: usize = 16;
/// How much of an output is kept, in bytes.
const OUTPUT: usize = 64 * 1024;

/// Whether a path may be that of a rollout. It comes from outside: nothing else is read.
pub fn is_rollout(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    is_plain_path(path) && name.starts_with("rollout-") && path.extension().is_some_and(|kind| kind == "jsonl")
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RolloutLine<'a> {
    #[serde(borrow)]
    payload: Lenient<RolloutEntry<'a>>,
}

/// What a line tells of a call.
#[derive(Deserialize, Default)]
#[serde(default)]
struct RolloutEntry<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    call_id: Loose<'a>,
    name: Loose<'a>,
    arguments: Loose<'a>,
    input: Loose<'a>,
    output: Option<&'a RawValue>,
    item: Lenient<RolloutItem<'a>>,
}

/// Something that ended, such as a command. The fields are as the client writes them.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct RolloutItem<'a> {
    /// What it is: [`COMMAND`], or something else.
    #[serde(borrow, rename = "type")]
    pub kind: Loose<'a>,
    /// The call.
    pub id: Loose<'a>,
    /// The process of a command that went on in the background.
    pub process_id: Loose<'a>,
    /// The words of the command.
    pub command: Option<&'a RawValue>,
    /// How it ended, in a word.
    pub status: Loose<'a>,
    /// What it printed.
    pub aggregated_output: Option<&'a RawValue>,
    /// The exit code of a command.
    pub exit_code: Option<&'a RawValue>,
    /// How long it took.
    pub duration: Lenient<ItemDuration<'a>>,
    /// What something else than a command gave.
    pub content: Option<&'a RawValue>,
}

/// How long an item took.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ItemDuration<'a> {
    #[serde(borrow)]
    secs: Option<&'a RawValue>,
    nanos: Option<&'a RawValue>,
}

impl ItemDuration<'_> {
    /// In milliseconds; None where that is not told.
    pub fn ms(&self) -> Option<u64> {
        let nanos = wire::number::<u64>(self.nanos).unwrap_or_default();
        wire::number::<u64>(self.secs).map(|secs| secs.saturating_mul(1000).saturating_add(nanos / 1_000_000))
    }
}

/// The kind of an item that is a command.
pub const COMMAND: &str = "CommandExecution";

impl RolloutItem<'_> {
    /// Writes into a call what is known of its end.
    fn settle(&self, call: &mut ToolCall<'_>) {
        let exit_code = wire::number::<i32>(self.exit_code).filter(|code| *code >= 0);
        let status = match (self.status.as_str(), exit_code) {
            ("declined", _) => Status::Denied,
            ("in_progress", _) => return,
            (_, Some(0)) => Status::Succeeded,
            (_, Some(_)) | ("failed", None) => Status::Failed,
            (_, None) => return,
        };
        (call.status, call.exit_code) = (status, exit_code);
        call.took_ms = self.duration.0.ms();
    }

    /// The command as a call of its own.
    fn call(&self, ids: &Ids, cwd: Option<&str>) -> Option<ToolCall<'static>> {
        let command = call::words_of_command(self.command?).ok()??.into_owned();
        let input = ToolInput::Command { command: Cow::Owned(command), background: false };
        let text = wire::text(self.aggregated_output).ok()?;
        let text = text.get(text.ceil_char_boundary(text.len().saturating_sub(OUTPUT))..).unwrap_or_default();
        let begun = call::begun(Tool::named("Bash"), input, ids.clone(), cwd.map(str::to_owned));
        let mut call = ToolCall { status: Status::Unstated, text: Cow::Owned(text.to_owned()), ..begun };
        self.settle(&mut call);
        (call.status != Status::Unstated).then_some(call)
    }
}

/// The lines of a rollout's end that may tell of a call, the last one first. The first may be cut, and tells nothing then.
fn entries(end: &str) -> impl Iterator<Item = RolloutEntry<'_>> {
    let speaks = |line: &&str| line.contains("call_id") || line.contains(COMMAND) || line.contains("task_started");
    let entry = |line| serde_json::from_str::<RolloutLine<'_>>(line).ok().map(|line| line.payload.0);
    end.rsplit('\n').filter(speaks).filter_map(entry)
}

/// Gives a command's call its status by the end of the rollout; a call that is not found there stays as it is. `read` gives
/// so many bytes of the end.
pub fn complete(call: &mut ToolCall<'_>, read: impl Fn(usize) -> Option<String>) {
    let Some(id) = call.ids.tool_use.clone().filter(|_| call.status == Status::Unstated) else { return };
    let own = |line: &&str| line.contains(COMMAND) && line.contains(&*id);
    for most in [LEAST, LEAST * 8, MOST] {
        let Some(end) = read(most) else { return };
        let lines = end.rsplit('\n').filter(own);
        let ends = lines.filter_map(|line| serde_json::from_str::<RolloutLine<'_>>(line).ok());
        let mut items = ends.map(|line| line.payload.0.item.0);
        if let Some(found) = items.find(|item| item.kind.as_str() == COMMAND && item.id.as_str() == id) {
            found.settle(call);
            return;
        }
        if end.len() < most {
            return;
        }
    }
}

/// The calls of this turn that ended without an event, in their order. `read` gives so many bytes of the rollout's end,
/// `knows` tells which calls' ends were recorded.
pub fn unended(
    read: impl Fn(usize) -> Option<String>,
    ids: &Ids,
    cwd: Option<&str>,
    knows: impl Fn(&str) -> bool,
) -> Vec<ToolCall<'static>> {
    for most in [LEAST * 2, MOST] {
        let Some(end) = read(most) else { break };
        let mut turn = TurnEnds { ids, cwd, knows: &knows, calls: Vec::new(), open: Vec::new() };
        let reached = entries(&end).any(|entry| turn.is_reached_by(&entry));
        if reached || end.len() < most || most == MOST {
            turn.calls.reverse();
            return turn.calls;
        }
    }
    Vec::new()
}

/// What a turn's last lines tell of calls without an event, read upwards.
struct TurnEnds<'e, 'k> {
    ids: &'k Ids,
    cwd: Option<&'k str>,
    knows: &'k dyn Fn(&str) -> bool,
    calls: Vec<ToolCall<'static>>,
    /// The outputs of which the calls' own lines are still to be found.
    open: Vec<(String, Cow<'e, str>)>,
}

impl<'e> TurnEnds<'e, '_> {
    /// Takes a line in, and says whether nothing before it matters.
    fn is_reached_by(&mut self, entry: &RolloutEntry<'e>) -> bool {
        if entry.kind.as_str() == "task_started" || self.calls.len() + self.open.len() >= MOST_ENDS {
            return true;
        }
        let is_command = entry.item.0.kind.as_str() == COMMAND;
        let mut ids =
            Ids { tool_use: if is_command { &entry.item.0.id } else { &entry.call_id }.owned(), ..self.ids.clone() };
        id::settle_ids(&mut ids);
        let Some(id) = ids.tool_use.clone() else { return false };
        match entry.kind.as_str() {
            "item_completed" if !(self.knows)(&id) => self.calls.extend(entry.item.0.call(&ids, self.cwd)),
            "function_call_output" | "custom_tool_call_output" if !(self.knows)(&id) => {
                let is_told = self.calls.iter().any(|call| call.ids.tool_use == ids.tool_use);
                let output = wire::text(entry.output).ok().filter(|output| !output.is_empty() && !is_told);
                self.open.extend(output.map(|output| (id, output)));
            }
            "function_call" | "custom_tool_call" => match self.open.iter().position(|(open, _)| *open == id) {
                Some(at) => {
                    let (_, output) = self.open.swap_remove(at);
                    self.calls.extend(without_event(entry, &output, ids, self.cwd).ok().flatten());
                }
                // Whatever came before it was looked at when its own end was recorded.
                None => return self.open.is_empty() && (self.knows)(&id),
            },
            _ => {}
        }
        false
    }
}

/// A call that ended without an event, where it failed.
fn without_event(
    entry: &RolloutEntry<'_>,
    output: &str,
    ids: Ids,
    cwd: Option<&str>,
) -> Read<Option<ToolCall<'static>>> {
    // The frame of a command that goes on, or of which the end has a line of its own.
    if output.starts_with("Chunk ID: ") || output.starts_with("Wall time: ") || output.starts_with("Exit code: ") {
        return Ok(None);
    }
    let tool = Tool::named(entry.name.as_str());
    let patch = entry.input.0.clone();
    let given: GivenInput<'_> = serde_json::from_str(entry.arguments.0.as_deref().unwrap_or("{}"))?;
    let command = match patch {
        Some(patch) => Some(patch),
        None => given.string("cmd")?.or(given.string("command")?),
    };
    let input = given.input(tool.kind)?.into_owned();
    // Of these tools the client gives an event for each call that passed.
    let tells_passes =
        matches!(tool.kind, ToolKind::Shell | ToolKind::Edit | ToolKind::Mcp) || entry.name.as_str() == "view_image";
    let call = as_patch(call::begun(tool, input, ids, cwd.map(str::to_owned)), command);
    let text = || Cow::Owned(output.to_owned());
    let told = call::unstated(call.clone(), text());
    let told = if told.status == Status::Succeeded && tells_passes { call::failed(call, text()) } else { told };
    Ok((told.status != Status::Succeeded).then(|| told.into_owned()))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// What is read of a rollout that is so long and ends so, in bytes at a time.
    fn reads(length: usize, end: &str) -> (Vec<usize>, Status) {
        let asked = RefCell::new(Vec::new());
        let read = |most: usize| {
            let bytes = most.min(length);
            asked.borrow_mut().push(bytes);
            Some(["x".repeat(bytes.saturating_sub(end.len())), end.to_owned()].concat())
        };
        let ids = Ids { tool_use: Some("call_1".to_owned()), ..Ids::default() };
        let input = ToolInput::Command { command: "make".into(), background: false };
        let mut call = ToolCall::new(Tool::named("Bash"), input, Status::Unstated);
        call.ids = ids.clone();
        complete(&mut call, read);
        assert!(unended(read, &ids, None, |_| true).is_empty());
        (asked.into_inner(), call.status)
    }

    #[test]
    fn a_long_session_costs_no_more_than_a_short_one() {
        let (kilobytes, megabytes) = (100 * 1024, 100 * 1024 * 1024);
        let item =
            r#"{"payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"call_1","exit_code":2}}}"#;
        let start = r#"{"payload":{"type":"task_started","call_id":""}}"#;
        let end = format!("\n{start}\n{item}\n");
        assert_eq!(reads(megabytes, &end), reads(kilobytes, &end));
        assert_eq!(reads(megabytes, &end), (vec![LEAST, LEAST * 2], Status::Failed));
        // Where nothing is found, what is read is bounded.
        let (asked, status) = reads(megabytes, "\n");
        assert_eq!((asked.iter().max(), status), (Some(&MOST), Status::Unstated));
        assert!(asked.iter().sum::<usize>() < 3 * MOST, "{asked:?}");
    }
}
