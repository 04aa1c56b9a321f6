//! Which calls of the planner's agents run without asking the person: one plain `failwise` command that works on the plan
//! and lifts nothing that stops it (docs/planning.md).

use crate::model::{ToolCall, ToolInput};
use crate::shell::{Command, Script};

/// How the client names the agents of the planner's plugin.
const PLANNER: &str = "failwise-planner:";
/// What the person may read about such a call.
pub const REASON: &str = "the planner's own command, which needs no permission";
/// The longest outline behind a command, in bytes.
const LONGEST_OUTLINE: usize = 64 * 1024;
/// The longest line that is looked at, in bytes. No word of a shorter one is cut off by the parser.
const LONGEST: usize = 480;

/// The commands that only read. Behind one of them may be `2>&1` and a pipe into a program that shortens what it prints.
const READING: &[&[&str]] = &[
    &["why"],
    &["diagnose", "--last"],
    &["kb", "show"],
    &["plan", "status"],
    &["plan", "show"],
    &["plan", "trace"],
    &["plan", "validate"],
    &["plan", "tree", "--print"],
    &["plan", "conflicts", "list"],
    &["plan", "conflicts", "show"],
];

/// Those that work on a plan. Missing are those that only people run: what lifts a stop (`plan thaw`, `plan undo`), what a
/// person has to choose (`plan init`, `plan conflicts resolve`), and everything that neither works on a plan nor is named
/// by a decision.
const WORKING: &[&[&str]] = &[
    &["decide"],
    &["recover"],
    &["arbitrate"],
    &["plan", "next"],
    &["plan", "claim"],
    &["plan", "done"],
    &["plan", "add"],
    &["plan", "edit"],
    &["plan", "promote"],
    &["plan", "set"],
    &["plan", "depend"],
    &["plan", "freeze"],
    &["plan", "replan"],
    &["plan", "conflicts", "scan"],
];

/// Those that take an outline: from the line itself, as the file of another name would be read without a question.
const OUTLINES: &[&[&str]] = &[&["plan", "tree"], &["plan", "expand"]];

/// The groups of commands whose help is read without a question.
const HELPED: [&str; 3] = ["diagnose", "kb", "plan"];

/// All of them.
pub fn commands() -> impl Iterator<Item = &'static [&'static str]> {
    [READING, WORKING, OUTLINES].into_iter().flatten().copied()
}

/// Their options. Missing are those that name another plan (`--plans`) or another agent (`--session`, `--agent`), that
/// change what binds or proves (`--constraint`, `--new`, `--drop-test-ref`), and that pass over a refusal (`--force`).
pub const OPTIONS: &[&str] = &[
    "--artifact",
    "--avoid",
    "--conflict",
    "--depends-on",
    "--drop",
    "--drop-artifact",
    "--dry-run",
    "--explain",
    "--format",
    "--help",
    "--history",
    "--id",
    "--intent",
    "--json",
    "--last",
    "--node",
    "--note",
    "--of",
    "--on",
    "--open",
    "--all",
    "--parent",
    "--print",
    "--probe",
    "--quiet",
    "--reason",
    "--story",
    "--test-ref",
    "-q",
];

/// Whether the call of an agent of this type runs without asking. The call is as it will run, not redacted.
pub fn needs_no_permission(agent_type: &str, call: &ToolCall<'_>) -> bool {
    agent_type.starts_with(PLANNER)
        && match &call.input {
            ToolInput::Command { command, background: false } => is_of_the_plan(command),
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

/// A list of plain commands of the plan, joined by `&&`, or one with its outline behind it.
fn is_of_the_plan(line: &str) -> bool {
    if let Some(head) = before_outline(line) {
        let words = plain_command("failwise", head).unwrap_or_default();
        let named: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "-").collect();
        return named.len() + 1 == words.len()
            && OUTLINES.iter().any(|command| named.starts_with(command))
            && has_allowed_options(&words);
    }
    line.len() <= LONGEST && split_outside_quotes(line, "&&").is_some_and(|steps| steps.into_iter().all(is_step))
}

/// One command, where it only reads with a pipe behind it that shortens what it prints.
fn is_step(step: &str) -> bool {
    let Some(sides) = split_outside_quotes(step, "|") else { return false };
    let (command, filter) = match sides.as_slice() {
        [command] => (*command, None),
        [command, filter] => (*command, Some(*filter)),
        _ => return false,
    };
    let bare = command.trim_end_matches(' ').strip_suffix(" 2>&1");
    let words = plain_command("failwise", bare.unwrap_or(command)).unwrap_or_default();
    let begins = |own: &&[&str]| own.iter().enumerate().all(|(at, word)| words.get(at).is_some_and(|w| w == word));
    let reads = READING.iter().any(begins)
        || words.first().is_some_and(|word| word == "help")
        || words.iter().any(|word| word == "--help");
    let is_known = READING.iter().chain(WORKING).any(begins) && has_allowed_options(&words);
    // Only outlines that a line brings are made: a file's first line would be shown.
    let first = words.first().map(String::as_str);
    let is_helped = first == Some("help")
        || words.last().is_some_and(|word| word == "--help") && first.is_some_and(|word| HELPED.contains(&word));
    (is_known || is_helped) && ((bare.is_none() && filter.is_none()) || reads) && filter.is_none_or(shortens)
}

/// The parts of a line between a sign that stands outside quotes. None where a quote never ends.
fn split_outside_quotes<'a>(line: &'a str, sign: &str) -> Option<Vec<&'a str>> {
    let (mut found, mut from, mut at, mut quote) = (Vec::new(), 0, 0, None);
    while let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) {
        match quote {
            None if matches!(c, '\'' | '"') => quote = Some(c),
            Some(open) if c == open => quote = None,
            None if line.get(at..)?.starts_with(sign) => {
                found.push(line.get(from..at)?);
                at += sign.len();
                from = at;
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    found.push(line.get(from..)?);
    quote.is_none().then_some(found)
}

/// The command before an outline that the line brings: `... - <<'END'`, the outline, `END`, and nothing behind it. In
/// quotes its end is the first line that is that word, and nothing in it means anything to the shell.
fn before_outline(line: &str) -> Option<&str> {
    let (head, body) = line.split_once('\n')?;
    let (head, end) = head.strip_suffix('\'')?.split_once(" <<'")?;
    let is_word = !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let rest = body.lines().skip_while(|line| *line != end).skip(1).collect::<Vec<_>>();
    let ends = body.lines().any(|line| line == end) && rest.is_empty() && !body.contains('\r');
    (is_word && ends && body.len() <= LONGEST_OUTLINE).then_some(head)
}

/// The words of one plain command of a program that is named by this very word, with nothing around it.
fn plain_command(program: &str, line: &str) -> Option<Vec<String>> {
    if !is_plain(line) {
        return None;
    }
    let script = Script::parse(line);
    let [pipeline] = script.pipelines.as_slice() else { return None };
    let [command] = pipeline.commands.as_slice() else { return None };
    // zsh puts the path of a program in the place of `=program`.
    let none_expands = !command.args.iter().any(|word| word.starts_with('='));
    let is_one = !script.incomplete && !pipeline.negated && is_bare(program, command) && none_expands;
    is_one.then(|| command.args.clone())
}

/// Whether the words of a program let it do nothing but shorten what it reads: no file is read or written, nothing runs.
type Harmless = fn(&[&str]) -> bool;

/// The programs that shorten what they read.
const SHORTENING: [(&str, Harmless); 4] =
    [("head", counts_lines), ("tail", counts_lines), ("grep", finds_words), ("jq", picks_values)];

fn shortens(line: &str) -> bool {
    SHORTENING.iter().any(|(program, is_harmless)| {
        let words = plain_command(program, line);
        words.is_some_and(|words| is_harmless(&words.iter().map(String::as_str).collect::<Vec<_>>()))
    })
}

fn counts_lines(words: &[&str]) -> bool {
    let is_number = |word: &str| is_made_of(word, "0123456789");
    match words {
        [] => true,
        ["-n", count] => is_number(count.strip_prefix('+').unwrap_or(count)),
        [one] => one.strip_prefix('-').is_some_and(|count| is_number(count.strip_prefix('n').unwrap_or(count))),
        _ => false,
    }
}

fn finds_words(words: &[&str]) -> bool {
    let Some((pattern, options)) = words.split_last() else { return false };
    let counts =
        |signs: &str| signs.strip_prefix(['A', 'B', 'C', 'm']).is_some_and(|count| is_made_of(count, "0123456789"));
    let takes =
        |word: &&str| word.strip_prefix('-').is_some_and(|signs| is_made_of(signs, "ivncEFow") || counts(signs));
    !pattern.starts_with('-') && options.iter().all(takes)
}

fn picks_values(words: &[&str]) -> bool {
    matches!(words, [filter] | ["-r" | "-c" | "-e" | "-rc" | "-cr", filter] if only_picks(filter))
}

fn is_made_of(word: &str, signs: &str) -> bool {
    !word.is_empty() && word.chars().all(|sign| signs.contains(sign))
}

/// Whether a filter of jq picks from its input alone: it names no variable, and no function but these, of which none
/// reads the environment or a file.
fn only_picks(filter: &str) -> bool {
    const FUNCTIONS: [&str; 14] = [
        "select",
        "map",
        "length",
        "keys",
        "has",
        "contains",
        "test",
        "startswith",
        "join",
        "first",
        "last",
        "not",
        "and",
        "or",
    ];
    if filter.starts_with('-') || filter.contains(['$', '\\', '@', '*']) {
        return false;
    }
    // Outside of its strings.
    filter.split('"').step_by(2).all(|code| {
        let mut before = ' ';
        let mut word = String::new();
        let mut is_known = true;
        for sign in code.chars().chain([' ']) {
            if sign.is_alphanumeric() || sign == '_' {
                word.push(sign);
                continue;
            }
            let is_field = before == '.' || word.chars().all(|sign| sign.is_ascii_digit());
            is_known &= is_field || FUNCTIONS.contains(&&*word);
            word.clear();
            before = sign;
        }
        is_known
    })
}

/// Whether the program is called by this very word, and nothing is around it.
fn is_bare(program: &str, command: &Command) -> bool {
    command.raw == program
        && command.program == command.raw
        && command.wrappers.is_empty()
        && command.assignments.is_empty()
        && command.redirections.is_empty()
        && !command.globs
}

fn has_allowed_options(words: &[String]) -> bool {
    let mut options = words.iter().filter(|word| word.starts_with('-') && *word != "-");
    options.all(|word| OPTIONS.contains(&word.split('=').next().unwrap_or(word)))
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
            "failwise plan show TASK-00001 --history",
            "failwise why",
            "failwise diagnose --last --format json",
            "failwise kb show 8146",
            "failwise plan replan --help",
            "failwise plan tree --help",
            "failwise plan done TASK-00001 && failwise plan next --format json",
            "failwise plan done TASK-00001 && failwise plan status 2>&1 | head -20",
            "failwise plan status 2>&1",
            "failwise plan status | tail -n 3",
            "failwise plan status --format json | jq '.nodes[] | select(.status == \"planned\") | .id'",
            "failwise plan status --format json 2>&1 | jq -r '.nodes | map(.id) | first'",
            "failwise plan validate | grep -in 'depends on'",
            "failwise plan validate --json | grep -i -A2 depends",
            "failwise plan status -q | tail -n +3",
            "failwise diagnose --help",
            "failwise kb --help | head",
            "failwise help plan",
            "failwise plan next --help | head -n5",
            "failwise plan edit TASK-00001 --artifact src/a.rs --drop-artifact src/b.rs",
            "failwise plan promote TASK-00001 --note 'the bank sends Latin-1'",
            "failwise plan tree --print | head",
            "failwise plan tree - <<'END'\n# Feature: $(id) `id`\n- file: a\nEND",
            "failwise plan tree - --dry-run <<'END'\n# Feature: A\nEND\n",
            "failwise plan expand STORY-0001 - <<'END'\n# Task: A\nEND\n",
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
            "failwise plan tree plan.md",
            "failwise plan tree ~/.netrc",
            "failwise plan tree - --new <<'END'\n# Feature: A\nEND",
            "failwise plan expand STORY-0001 tasks.md",
            "failwise plan edit STORY-0001 --drop-test-ref tests/a.rs",
            "failwise plan edit FEAT-1 --constraint forbidden_paths=src",
            "failwise diagnose trace.json",
            "failwise kb forget 8146",
            "failwise lessons --write",
            "failwise allow --help",
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
            "failwise plan status && ",
            "failwise plan status &&& failwise plan next",
            "failwise plan status | head | head",
            "failwise plan status || failwise plan next",
            "failwise plan status |& head",
            "failwise plan status 2>&1 > x",
            "failwise plan status 2>&1x",
            "failwise plan status 2>&1\n",
            "failwise plan status 2>x",
            "failwise plan next | head",
            "failwise plan done TASK-00001 2>&1",
            "failwise plan status | head x",
            "failwise plan status | head -n 3 x",
            "failwise plan status | head -c 3",
            "failwise plan status | tail -f",
            "failwise plan status | /tmp/head",
            "failwise plan status | LESS=x head",
            "failwise plan status | sudo head",
            "failwise plan status | jq -f x",
            "failwise plan status | jq . x",
            "failwise plan status | jq env",
            "failwise plan status | jq '.a | env'",
            "failwise plan status | jq '$ENV'",
            "failwise plan status | jq 'include \"x\"; .'",
            "failwise plan status | jq 'import \"x\" as f; .'",
            "failwise plan status | jq '\"\\(env)\"'",
            "failwise plan status | jq input_filename",
            "failwise plan status | jq '\"x\" * 1000000000'",
            "failwise plan - <<'END'\n# Feature: A\nEND",
            "failwise plan status | jq '[.[] | env]'",
            "failwise plan status | grep -f x",
            "failwise plan status | grep -r x",
            "failwise plan status | grep x /etc/passwd",
            "failwise plan status | grep -e x",
            "failwise plan status | grep",
            "failwise plan status | xargs x",
            "failwise plan status | sed s/a/b/w",
            "failwise plan status | sort -o x",
            "failwise plan tree - <<END\n# Feature: $(id)\nEND",
            "failwise plan tree - <<'END'\n# Feature: A\nEND\nid",
            "failwise plan tree - <<'END'\n# Feature: A\nEND\n\nid",
            "failwise plan tree - <<'END'\n# Feature: A\n",
            "failwise plan tree - <<'END'; id\n# Feature: A\nEND",
            "failwise plan tree - <<'END' | sh '\nid\nEND",
            "failwise plan tree <<'END'\n# Feature: A\nEND",
            "failwise plan tree - - <<'END'\n# Feature: A\nEND",
            "failwise plan tree $(id) - <<'END'\n# Feature: A\nEND",
            "failwise plan next - <<'END'\n# Feature: A\nEND",
            "sh - <<'END'\nid\nEND",
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
        /// Whatever is put behind a command, every program of the line is one that may run, and none writes a file.
        #[test]
        fn nothing_gets_through_with_a_sign_of_the_shell(tail in "( |[a-z]|&&|\\||failwise plan next|head|2>&1|[-;&|<>$`\\\\(){}*?~!#\n\"']){0,12}") {
            let line = format!("failwise plan status {tail}");
            if runs(&line) {
                let script = Script::parse(&line);
                let known = |name: &str| ["failwise", "head", "tail", "grep", "jq"].contains(&name);
                prop_assert!(script.programs().all(|(_, command)| known(&command.raw) && !command.writes_a_file()));
                prop_assert!(!line.contains('\n'));
            }
        }
    }
}
