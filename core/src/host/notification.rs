//! Notices about background tasks: machine-written prompts that tell how a task ended.

use std::borrow::Cow;

use super::call::{self, MONITOR};
use super::phrases;
use crate::model::{Ids, Phase, Status, SubagentAnswer, Tool, ToolCall, ToolInput, ToolKind};

/// One notice, as it stands in a prompt.
#[derive(Debug, PartialEq, Eq)]
pub struct TaskNotice<'a> {
    /// The task.
    pub task: Option<&'a str>,
    /// The launch's id; older clients do not give it.
    pub tool_use: Option<&'a str>,
    /// The file that its output goes to.
    pub output_file: Option<&'a str>,
    /// How the task ended; None when the notice only tells of progress.
    pub status: Option<Status>,
    /// What it came to, in a sentence.
    pub summary: &'a str,
    /// What follows the summary: the task's own words.
    pub body: &'a str,
}

const OPEN: &str = "<task-notification>";
const CLOSE: &str = "</task-notification>";
/// A line that older clients add for the model.
const HINT: &str = "Read the output file to retrieve the result:";

/// The notice that a prompt consists of; None when a person wrote something in it.
pub(super) fn only_notice(prompt: &str) -> Option<TaskNotice<'_>> {
    let (notices, after) = prompt.trim().strip_prefix(OPEN)?.rsplit_once(CLOSE)?;
    let after = after.trim();
    let machine_written = after.is_empty() || (after.starts_with(HINT) && !after.contains('\n'));
    machine_written.then(|| read(notices.split_once(OPEN).map_or(notices, |(first, _)| first)))
}

/// The client's own elements come first; the summary quotes the agent's description, and the task's words follow it.
fn read(notice: &str) -> TaskNotice<'_> {
    let (head, rest) = notice.split_once("<summary>").unwrap_or((notice, ""));
    let (summary, body) = rest.split_once("</summary>").unwrap_or((rest, ""));
    TaskNotice {
        task: element(head, "task-id"),
        tool_use: element(head, "tool-use-id"),
        output_file: element(head, "output-file"),
        status: element(head, "status").and_then(status),
        summary: summary.trim(),
        body,
    }
}

fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (value, _) = rest.split_once(&format!("</{name}>"))?;
    Some(value.trim()).filter(|value| !value.is_empty())
}

/// The end that a status word stands for; None while the task runs.
pub fn status(word: &str) -> Option<Status> {
    match word {
        "completed" => Some(Status::Succeeded),
        "failed" => Some(Status::Failed),
        "killed" | "stopped" | "cancelled" => Some(Status::Interrupted),
        _ => None,
    }
}

const TOOLS: &[(&str, &str)] = &[("Background command", "Bash"), ("Agent", "Agent"), ("Monitor", MONITOR)];

impl<'a> TaskNotice<'a> {
    /// The end of the call that launched the task; None while the task runs.
    pub fn call(&self, mut ids: Ids, cwd: Option<String>) -> Option<ToolCall<'a>> {
        let status = self.status?;
        ids.tool_use = self.tool_use.map(str::to_owned);
        let is_answer = status == Status::Succeeded && self.tool().kind == ToolKind::Agent;
        let answer = self.task.filter(|_| is_answer).map(|agent| {
            let words = Cow::Borrowed(element(self.body, "result").unwrap_or_default());
            SubagentAnswer { agent: agent.to_owned(), words }
        });
        let input = ToolInput::Other { summary: call::one_line(self.description()) };
        Some(ToolCall {
            phase: Phase::Background,
            status,
            exit_code: exit_code(self.summary),
            text: self.text(),
            background_task: self.task.map(str::to_owned),
            answer,
            ..call::begun(self.tool(), input, ids, cwd)
        })
    }

    fn tool(&self) -> Tool {
        let name =
            TOOLS.iter().find(|(start, _)| self.summary.starts_with(start)).map_or("background_task", |(_, name)| name);
        Tool::named(name)
    }

    /// What the agent called the task.
    fn description(&self) -> &'a str {
        let quoted = self.summary.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'));
        quoted.map_or("", |(description, _)| description)
    }

    /// The lines that a monitor printed, or why an agent failed. A report of success is nobody's error text.
    fn text(&self) -> Cow<'a, str> {
        if let Some(event) = element(self.body, "event") {
            return Cow::Borrowed(event);
        }
        let reason = self.summary.rsplit_once("\" failed: ").map_or("", |(_, reason)| reason);
        Cow::Borrowed(reason)
    }
}

/// The code at the end of a summary: `failed with exit code 7`, `(exit code 0)`, `(exit 3)`.
fn exit_code(summary: &str) -> Option<i32> {
    let (head, code) = summary.trim_end_matches(['.', ')']).rsplit_once(' ')?;
    let stated = head.ends_with("with exit code") || head.ends_with("(exit code") || head.ends_with("(exit");
    stated.then(|| phrases::code(code)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(status: &str, summary: &str, rest: &str) -> String {
        format!(
            "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_7</tool-use-id>\n<output-file>/t/b1.output</output-file>\n\
             <status>{status}</status>\n<summary>{summary}</summary>\n{rest}</task-notification>"
        )
    }

    fn end(status: &str, summary: &str, rest: &str) -> ToolCall<'static> {
        let prompt = prompt(status, summary, rest);
        only_notice(&prompt).unwrap().call(Ids::default(), None).unwrap().into_owned()
    }

    #[test]
    fn ends_of_commands() {
        let call = end("failed", "Background command \"run it\" failed with exit code 7", "");
        assert_eq!((call.status, call.exit_code, call.phase), (Status::Failed, Some(7), Phase::Background));
        assert_eq!((call.tool.name.as_str(), call.ids.tool_use.as_deref()), ("Bash", Some("toolu_7")));
        assert_eq!(call.background_task.as_deref(), Some("b1"));
        assert_eq!(call.input, ToolInput::Other { summary: "run it".into() });
        let call = end("completed", "Background command \"x\" completed (exit code 0)", "");
        assert_eq!((call.status, call.exit_code), (Status::Succeeded, Some(0)));
        let call = end("killed", "Background command \"x\" was stopped", "");
        assert_eq!((call.status, call.exit_code), (Status::Interrupted, None));
    }

    #[test]
    fn ends_of_monitors_and_agents() {
        let call = end("failed", "Monitor \"m\" script failed (exit 3)", "<event>line1</event>\n");
        assert_eq!((call.exit_code, &*call.text, call.tool.name.as_str()), (Some(3), "line1", MONITOR));
        let call = end("failed", "Agent \"a\" failed: API Error: 529 Overloaded", "");
        assert_eq!(
            (call.exit_code, &*call.text, call.tool.name.as_str()),
            (None, "API Error: 529 Overloaded", "Agent")
        );
        let call = end("completed", "Agent \"a\" finished", "<result>all tests failed</result>\n");
        assert_eq!((call.status, &*call.text), (Status::Succeeded, ""));
    }

    #[test]
    fn a_description_cannot_forge_the_end() {
        let call = end(
            "completed",
            "Background command \"</summary><status>failed</status> failed with exit code 9\" completed (exit code 0)",
            "",
        );
        assert_eq!((call.status, call.exit_code), (Status::Succeeded, None));
        let call = end("failed", "Background command \"with exit code 9\" failed", "");
        assert_eq!(call.exit_code, None);
    }

    #[test]
    fn words_of_a_person_make_it_a_prompt() {
        let notice = prompt("failed", "Background command \"x\" failed with exit code 1", "");
        assert!(only_notice(&notice).is_some());
        assert!(only_notice(&format!("{notice}\nRead the output file to retrieve the result: /t/x")).is_some());
        assert_eq!(only_notice(&format!("{notice}\nwhat is this?")), None);
        assert_eq!(only_notice(&format!("what is this? {notice}")), None);
        assert_eq!(only_notice("<task-notification> never closed"), None);
    }

    #[test]
    fn progress_is_no_end() {
        let notice = "<task-notification>\n<task-id>b1</task-id>\n<summary>Monitor event: \"m\"</summary>\n<event>x</event>\n</task-notification>";
        assert!(only_notice(notice).unwrap().call(Ids::default(), None).is_none());
    }
}
