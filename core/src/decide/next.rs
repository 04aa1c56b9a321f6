//! What to run next, as the client allows it: never waiting in the foreground, never in a loop without an end.

use super::Question;
use crate::model::{Class, NextCommand, is_node_id};
use crate::shell::{Join, Nesting, Script};
use crate::text::one_line;

/// The longest that the client lets a command run.
pub const LONGEST_RUN_MS: u64 = 600_000;
/// The longest wait that is put before a command: it leaves the command half of the client's time.
pub const LONGEST_SLEEP_MS: u64 = 300_000;
/// The longest reason that is put into a command, in characters.
const LONGEST_REASON: usize = 400;
/// From this many bytes on a recorded command may be cut: the history keeps 300.
const WHOLE: usize = 297;

/// The same call again, after a wait, in the background.
///
/// # Errors
/// Why it cannot be offered: a command that is not whole would do something else.
pub(super) fn again(command: Option<&str>, delay_ms: u64, why: &str) -> Result<NextCommand, &'static str> {
    let command = repeatable(command)?;
    if delay_ms > LONGEST_SLEEP_MS {
        return Err("the wait is longer than a command may take: repeat the call as it was, then");
    }
    let seconds = delay_ms.div_ceil(1000);
    let shell = if seconds == 0 { command.to_owned() } else { format!("sleep {seconds} && {command}") };
    let timeout_ms = Some(LONGEST_RUN_MS);
    Ok(NextCommand { shell: Some(shell), background: true, timeout_ms, ..NextCommand::to(why) })
}

fn repeatable(command: Option<&str>) -> Result<&str, &'static str> {
    const AS_IT_WAS: &str = "repeat the call as it was";
    let command = command.map(str::trim).filter(|command| !command.is_empty()).ok_or(AS_IT_WAS)?;
    if command.len() >= WHOLE || command.contains("[redacted:") {
        return Err("its command is not kept whole: repeat the call as it was");
    }
    let script = Script::parse(command);
    let odd = |nesting| matches!(nesting, Nesting::Loop | Nesting::Condition);
    let in_order = script.pipelines.iter().all(|line| line.join != Join::Background && !odd(line.nesting));
    // A wait before the first of several parallel or repeated commands would not be a wait before all.
    let ends_in_background = command.ends_with('&');
    if script.incomplete || ends_in_background || !in_order { Err(AS_IT_WAS) } else { Ok(command) }
}

/// A command of Failwise itself about a node or a conflict.
///
/// # Errors
/// Why there is none: an id that could be read as something else.
pub(super) fn own(words: &[&str], id: &str, why: &str) -> Result<NextCommand, &'static str> {
    if !is_offered_id(id) {
        return Err("its id cannot be put into a command");
    }
    let argv = ["failwise"].iter().chain(words).copied().chain([id]).map(str::to_owned).collect();
    Ok(NextCommand { argv, ..NextCommand::to(why) })
}

/// The same for a change of the plan, which needs a reason: what happened, because a person reads it a day later.
///
/// # Errors
/// As [`own`].
pub(super) fn change(word: &str, id: &str, question: &Question, why: &str) -> Result<NextCommand, &'static str> {
    let mut command = own(&["plan", word], id, why)?;
    let node = Some(question.node.as_str()).filter(|node| is_offered_id(node));
    let seen = question.evidence.first().map(|seen| plain_reason(seen)).filter(|seen| !seen.is_empty());
    let asked = || {
        let of = node.map(|node| format!(" of {node}")).unwrap_or_default();
        format!("{}{of}", question.class.map_or("a decision", Class::as_str))
    };
    command.argv.extend(["--reason".to_owned(), seen.unwrap_or_else(asked)]);
    if let Some(node) = node.filter(|_| word == "replan") {
        command.argv.extend(["--of".to_owned(), node.to_owned()]);
    }
    Ok(command)
}

/// Evidence as a reason that no shell reads as anything else, however it is quoted.
fn plain_reason(seen: &str) -> String {
    let plain: String = seen.chars().filter(|sign| !"`$\\\"'!".contains(*sign)).collect();
    one_line(&plain, LONGEST_REASON)
}

/// Why the last failure happened and what gets past it: that of a node of the plan, else the newest of the project.
///
/// # Errors
/// As [`own`].
pub(super) fn recovery(node: Option<&str>) -> Result<NextCommand, &'static str> {
    const WHY: &str = "its cause and ways past it, checked on this machine";
    let mut command = if let Some(node) = node {
        own(&["recover", "--node"], node, WHY)?
    } else {
        NextCommand { argv: ["failwise", "recover", "--last"].map(str::to_owned).into(), ..NextCommand::to(WHY) }
    };
    command.argv.extend(["--probe", "--format", "text"].map(str::to_owned));
    Ok(command)
}

/// Whether a command may name this node or conflict: as a word it must not pass for an option.
fn is_offered_id(id: &str) -> bool {
    is_node_id(id) && !id.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(command: &str, delay_ms: u64) -> Option<String> {
        again(Some(command), delay_ms, "").ok().and_then(|next| next.shell)
    }

    #[test]
    fn a_retry_waits_in_the_background() {
        let next = again(Some("npm ci"), 6_100, "again").unwrap();
        assert_eq!(next.shell.as_deref(), Some("sleep 7 && npm ci"));
        assert!(next.background);
        assert_eq!(next.timeout_ms, Some(LONGEST_RUN_MS));
        assert_eq!(offered("npm ci", 0).as_deref(), Some("npm ci"));
    }

    #[test]
    fn a_command_that_would_do_something_else_is_not_offered() {
        for command in [
            "",
            "curl -H 'Authorization: [redacted:bearer]' https://x",
            &format!("echo {}", "x".repeat(300)),
            "until curl -sf localhost; do sleep 1; done",
            "while true; do npm ci; done",
            "npm start & npm test",
            "npm start &",
            "echo 'a",
        ] {
            assert_eq!(offered(command, 1_000), None, "{command}");
        }
        assert!(again(None, 1_000, "").is_err());
        assert!(again(Some("npm ci"), LONGEST_SLEEP_MS + 1, "").is_err());
    }

    #[test]
    fn a_reason_means_nothing_to_a_shell() {
        let seen = "forbidden_commands of MISSION forbids `twine upload`: `twine upload $(x) \"a\" 'b' \\!` was run";
        assert_eq!(
            plain_reason(seen),
            "forbidden_commands of MISSION forbids twine upload: twine upload (x) a b was run"
        );
    }

    #[test]
    fn ids_stay_words() {
        for id in ["", "-f", "a b", "$(x)", "a;b", "session/x", &"x".repeat(65)] {
            assert!(own(&["arbitrate"], id, "").is_err(), "{id}");
        }
    }
}
