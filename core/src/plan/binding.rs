//! Which node an agent's own `failwise plan` command claimed or ended. The command knows the session but not the subagent
//! that ran it; the hook knows both, and reads it from the call.

use crate::model::is_node_id;
use crate::shell::Script;

/// What a command did to the binding of who ran it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// It claimed this node.
    Claimed(String),
    /// It ended or gave back this node.
    Left(String),
    /// It may have stopped the node that its agent works on.
    Stopped,
}

/// Options of these commands that take the next word.
const WITH_VALUE: &[&str] = &[
    "--format",
    "--plans",
    "--session",
    "--agent",
    "--reason",
    "--color",
    "--story",
    "--dropped",
    "--of",
    "--avoid",
    "--without-check",
];
/// The beginning of the line that a claim prints for people.
const CLAIMED: &str = "claimed ";

impl Binding {
    /// Reads a command that succeeded and what it printed. What it says still has to be held against the tree.
    pub fn of(command: &str, output: &str) -> Option<Self> {
        if !command.contains("failwise") || !["plan", "arbitrate"].iter().any(|word| command.contains(word)) {
            return None;
        }
        let script = Script::parse(command);
        let commands = script.pipelines.iter().flat_map(|pipeline| &pipeline.commands);
        let ours = commands.filter(|command| command.program == "failwise");
        ours.filter_map(|command| Self::of_words(&command.args, output)).next_back()
    }

    fn of_words(args: &[String], output: &str) -> Option<Self> {
        let mut words = Vec::new();
        let mut args = args.iter().map(String::as_str);
        while let Some(word) = args.next() {
            match word {
                // Who is bound by name is bound by the command itself.
                "--session" | "--dry-run" => return None,
                word if WITH_VALUE.contains(&word) => drop(args.next()),
                word if word.starts_with('-') => {}
                word => words.push(word),
            }
        }
        let node = |id: &str| is_node_id(id).then(|| id.to_owned());
        match words.as_slice() {
            ["plan", "claim", id] => node(id).map(Self::Claimed),
            ["plan", "next"] => printed(output).and_then(node).map(Self::Claimed),
            ["plan", "done", id] | ["plan", "set", id, _] => node(id).map(Self::Left),
            ["plan", "freeze" | "replan", _] | ["arbitrate", _] => Some(Self::Stopped),
            _ => None,
        }
    }
}

/// The node that a claim printed last: for people, as JSON, or taken out of the JSON by another program.
fn printed(output: &str) -> Option<&str> {
    output.lines().rev().map(str::trim).find_map(|line| {
        let told = line.strip_prefix(CLAIMED).and_then(|rest| rest.split_whitespace().next());
        let json = || line.split_once("\"node\":\"").and_then(|(_, rest)| rest.split('"').next());
        let alone = || Some(line.trim_matches('"')).filter(|word| is_node_id(word) && word.contains('-'));
        told.or_else(json).or_else(alone)
    })
}

#[cfg(test)]
mod tests {
    use super::Binding;

    fn claimed(command: &str, output: &str) -> Option<String> {
        match Binding::of(command, output) {
            Some(Binding::Claimed(id)) => Some(id),
            _ => None,
        }
    }

    #[test]
    fn a_claim_is_read_from_the_command_or_its_output() {
        let task = Some("TASK-00001".to_owned());
        for (command, output) in [
            ("failwise plan claim TASK-00001", "claimed TASK-00001  Sniff"),
            ("cd /p && /opt/failwise/bin/failwise plan --plans x claim --format json TASK-00001", ""),
            ("failwise plan next", "claimed TASK-00001  Sniff the dialect\n  TASK-00001  planned -> active"),
            ("failwise plan next --format json", r#"{"schema_version":1,"verb":"claim","node":"TASK-00001"}"#),
            ("failwise plan next --format json | jq -r .node", "TASK-00001\n"),
            ("failwise plan next --story STORY-0001", "claimed TASK-00001  Sniff"),
            (
                "failwise plan done TASK-00009 --json && failwise plan next --json",
                "{\"node\":\"TASK-00009\"}\n{\"node\":\"TASK-00001\"}",
            ),
        ] {
            assert_eq!(claimed(command, output), task, "{command}");
        }
    }

    #[test]
    fn what_claims_nothing_binds_nothing() {
        for (command, output) in [
            ("failwise plan next --dry-run", "ready TASK-00001  Sniff"),
            ("failwise plan next", "nothing is ready: failwise plan status shows what waits for what"),
            ("failwise plan next --format json", r#"{"schema_version":1,"verb":"claim","node":null}"#),
            ("failwise plan claim --session s-1 TASK-00001", "claimed TASK-00001"),
            ("failwise plan claim ../../etc", ""),
            ("echo failwise plan claim TASK-00001", "failwise plan claim TASK-00001"),
            ("grep -r 'failwise plan claim TASK-00001' docs", "docs/x: failwise plan claim TASK-00001"),
            ("failwise plan status", "claimed TASK-00001"),
        ] {
            assert_eq!(claimed(command, output), None, "{command}");
        }
    }

    #[test]
    fn an_end_is_read_from_the_command() {
        let left = Some(Binding::Left("TASK-00001".to_owned()));
        assert_eq!(Binding::of("failwise plan done TASK-00001 --dropped \"not needed\"", ""), left);
        assert_eq!(Binding::of("failwise plan done TASK-00001", ""), left);
        assert_eq!(Binding::of("failwise plan set TASK-00001 planned --reason \"gone away\"", ""), left);
        for stop in ["plan replan STORY-0001 --reason 'attempt 3' --of TASK-00001", "arbitrate CONFLICT-1 --json"] {
            assert_eq!(Binding::of(&format!("failwise {stop}"), ""), Some(Binding::Stopped));
        }
    }
}
