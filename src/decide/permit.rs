//! Which calls of the planner's agents run without asking the person: one plain `failwise` command that works on the plan
//! and lifts nothing that stops it (docs/planning.md).

use crate::model::{ToolCall, ToolInput};
use crate::shell::{Command, Script};

/// How the client names the agents of the planner's plugin.
const PLANNER: &str = "failwise-planner:";
/// What the person may read about such a call.
pub const REASON: &str = "the planner's own command, which needs no permission";
/// The longest line that is looked at, in bytes. No word of a shorter one is cut off by the parser.
const LONGEST: usize = 480;

/// The commands. Missing are those that only people run: what lifts a stop (`plan thaw`, `plan undo`), what a person has to
/// choose (`plan init`, `plan conflicts resolve`), and everything that neither works on a plan nor is named by a decision.
pub const COMMANDS: &[&[&str]] = &[
    &["decide"],
    &["recover"],
    &["arbitrate"],
    &["plan", "status"],
    &["plan", "show"],
    &["plan", "next"],
    &["plan", "claim"],
    &["plan", "done"],
    &["plan", "add"],
    &["plan", "set"],
    &["plan", "depend"],
    &["plan", "freeze"],
    &["plan", "replan"],
    &["plan", "validate"],
    &["plan", "conflicts", "scan"],
    &["plan", "conflicts", "list"],
    &["plan", "conflicts", "show"],
];

/// Their options. Missing are those that name another plan (`--plans`) or another agent (`--session`, `--agent`), that
/// change what binds the plan (`--constraint`), and that pass over a refusal (`--force`).
pub const OPTIONS: &[&str] = &[
    "--artifact",
    "--avoid",
    "--conflict",
    "--depends-on",
    "--drop",
    "--dry-run",
    "--explain",
    "--format",
    "--help",
    "--id",
    "--intent",
    "--last",
    "--node",
    "--of",
    "--on",
    "--open",
    "--all",
    "--parent",
    "--probe",
    "--reason",
    "--test-ref",
];

/// Whether the call of an agent of this type runs without asking. The call is as it will run, not redacted.
pub fn needs_no_permission(agent_type: &str, call: &ToolCall<'_>) -> bool {
    agent_type.starts_with(PLANNER)
        && match &call.input {
            ToolInput::Command { command, background: false } => is_plain(command) && is_of_the_plan(command),
            _ => false,
        }
}

/// Whether each character means itself to every shell: no variable, substitution, pattern, redirection, second command or
/// second line. Anything may be between single quotes, and what is no sign of the shell between double ones.
fn is_plain(line: &str) -> bool {
    let mut quote = None;
    let each = line.len() <= LONGEST
        && line.chars().all(|sign| match quote {
            None if matches!(sign, '\'' | '"') => {
                quote = Some(sign);
                true
            }
            None => sign.is_ascii_alphanumeric() || " -_./:,@%+=".contains(sign),
            Some(open) if sign == open => {
                quote = None;
                true
            }
            Some('"') => !sign.is_control() && !"$`\\!".contains(sign),
            Some(_) => !sign.is_control(),
        });
    each && quote.is_none()
}

fn is_of_the_plan(line: &str) -> bool {
    let script = Script::parse(line);
    let [pipeline] = script.pipelines.as_slice() else { return false };
    let [command] = pipeline.commands.as_slice() else { return false };
    !script.incomplete && !pipeline.negated && is_bare(command) && has_allowed_words(&command.args)
}

/// Whether the program is `failwise` by this very word, and nothing is around it.
fn is_bare(command: &Command) -> bool {
    command.raw == "failwise"
        && command.program == command.raw
        && command.wrappers.is_empty()
        && command.assignments.is_empty()
        && command.redirections.is_empty()
        && !command.globs
}

fn has_allowed_words(words: &[String]) -> bool {
    let begins =
        |command: &&[&str]| command.iter().enumerate().all(|(at, word)| words.get(at).is_some_and(|w| w == word));
    // zsh puts the path of a program in the place of `=program`.
    let none_expands = !words.iter().any(|word| word.starts_with('='));
    let mut options = words.iter().filter(|word| word.starts_with('-'));
    none_expands
        && COMMANDS.iter().any(begins)
        && options.all(|word| OPTIONS.contains(&word.split('=').next().unwrap_or(word)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Status, Tool};

    const AGENT: &str = "failwise-planner:master-planner";

    fn call(command: &str, background: bool) -> ToolCall<'static> {
        ToolCall::new(
            Tool::named("Bash"),
            ToolInput::Command { command: command.to_owned().into(), background },
            Status::Succeeded,
        )
    }

    fn runs(command: &str) -> bool {
        needs_no_permission(AGENT, &call(command, false))
    }

    #[test]
    fn the_planners_commands_need_no_permission() {
        for line in [
            "failwise decide --last",
            "failwise decide --node TASK-00001 --format=json",
            "failwise recover --node TASK-00001 --probe --format text",
            "  failwise plan status  ",
            "failwise plan next --format json",
            "failwise plan add task --parent STORY-0001 --intent \"It's read; (twice) & <once>\" --artifact src/a.rs",
            "failwise plan replan STORY-0001 --reason 'files are fixed width, costs $5' --avoid '`split`'",
            "failwise plan conflicts show CONFLICT-01e3cc11",
            "failwise arbitrate CONFLICT-01e3cc11",
        ] {
            assert!(runs(line), "{line}");
        }
    }

    #[test]
    fn only_the_planners_agents_are_let_through() {
        for agent in
            ["", "general-purpose", "master-planner", "failwise-planner", "x:failwise-planner:a", "Failwise-Planner:a"]
        {
            assert!(!needs_no_permission(agent, &call("failwise plan status", false)), "{agent}");
        }
        assert!(!needs_no_permission(AGENT, &call("failwise plan status", true)), "in the background");
    }

    #[test]
    fn what_lifts_a_stop_or_needs_a_choice_is_a_persons() {
        for line in [
            "failwise",
            "failwise allow",
            "failwise data purge --yes",
            "failwise plan",
            "failwise plan init --intent x",
            "failwise plan thaw STORY-0001",
            "failwise plan thaw STORY-0001 --force",
            "failwise plan undo STORY-0001",
            "failwise plan replan STORY-0001 --reason x --force",
            "failwise plan conflicts resolve CONFLICT-01e3cc11 escalate",
            "failwise plan claim TASK-00001 --session other",
            "failwise plan claim TASK-00001 --agent=other",
            "failwise plan next --plans /tmp/other",
            "failwise plan --plans /tmp/other next",
            "failwise plan status -x",
            "failwise plan add story --parent FEAT-1 --intent x --constraint forbidden_paths=src",
            "failwise decide -- --last",
            "failwise recover --last --sandbox /tmp",
            "failwise report",
        ] {
            assert!(!runs(line), "{line}");
        }
    }

    #[test]
    fn what_only_looks_like_one_of_them_asks() {
        for line in [
            "",
            "failwise plan status; rm -rf x",
            "failwise plan status;rm -rf x",
            "failwise plan status && touch x",
            "failwise plan status || touch x",
            "failwise plan status & touch x",
            "failwise plan status &",
            "failwise plan status\ntouch x",
            "failwise plan status\rtouch x",
            "failwise plan status \\\n; touch x",
            "failwise plan status | tee x",
            "failwise plan status > x",
            "failwise plan status 2>&1",
            "failwise decide < /etc/passwd",
            "failwise arbitrate <<EOF\n{}\nEOF",
            "failwise arbitrate <<< x",
            "failwise plan add task --intent \"$(id)\"",
            "failwise plan add task --intent \"`id`\"",
            "failwise plan add task --intent $HOME",
            "failwise plan add task --intent \"$HOME\"",
            "failwise plan add task --intent \"\\$(id)\"",
            "failwise plan add task --intent $'a'",
            "failwise plan add task --intent \"a!b\"",
            "failwise plan add task --artifact src/*.rs",
            "failwise plan add task --artifact src/{a,b}.rs",
            "failwise plan add task --artifact ~/a",
            "failwise plan add task --artifact src/[ab]",
            "failwise plan status =ls",
            "failwise plan add task --intent =ls",
            "failwise plan status # and more",
            "failwise plan status 'a",
            "failwise plan status \"a\nb\"",
            "failwise plan status\u{a0}x",
            "failwise\tplan\tstatus",
            "./failwise plan status",
            "/tmp/failwise plan status",
            "../failwise plan status",
            "failwise.exe plan status",
            "FAILWISE_DIR=/tmp failwise plan status",
            "PATH=. failwise plan status",
            "env failwise plan status",
            "env PATH=. failwise plan status",
            "sudo failwise plan status",
            "command failwise plan status",
            "time failwise plan status",
            "exec failwise plan status",
            "timeout 5 failwise plan status",
            "sh -c 'failwise plan status'",
            "eval 'failwise plan status'",
            "xargs failwise plan status",
            "(failwise plan status)",
            "{ failwise plan status; }",
            "! failwise plan status",
            "if failwise plan status",
            "echo failwise plan status",
            "'failwise plan' status",
            "failwise 'plan status'",
            "failwise-hook plan status",
            "Failwise plan status",
        ] {
            assert!(!runs(line), "{line:?}");
        }
        let long = format!("failwise plan status {}", "x ".repeat(LONGEST));
        assert!(!runs(&long), "too long to be looked at");
    }

    proptest! {
        /// Whatever is put behind a command outside quotes, it stays one command without a sign of the shell.
        #[test]
        fn nothing_gets_through_with_a_sign_of_the_shell(tail in "[ -z;&|<>$`\\\\(){}*?~!#\n\"']{0,40}") {
            let line = format!("failwise plan status {tail}");
            if runs(&line) {
                let script = Script::parse(&line);
                prop_assert_eq!(script.programs().count(), 1);
                prop_assert!(!line.contains('\n'));
                let unquoted: String = line.split(['"', '\'']).step_by(2).collect();
                prop_assert!(line.contains(['"', '\'']) || !unquoted.contains([';', '&', '|', '<', '>', '$', '`', '*', '~']));
            }
        }
    }
}
