//! The canonical identity of a call: what it does, without how it was started and where its output went.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::digest::hex;
use crate::model::{Operation, ToolCall, ToolInput};
use crate::programs::Trait;
use crate::reading::is_inline;
use crate::redact::redact;
use crate::shell::{Command, Join, Nesting, Pipeline, RedirectionKind, Script};
use crate::text::file_name;

/// The most bytes of an operation. A longer one ends in a short hash of all of it, behind as many of its last commands as
/// [`LONGEST_END`] holds: what a line is for often stands at its end.
pub const LONGEST_OPERATION: usize = 512;
/// See [`LONGEST_OPERATION`], in bytes.
const LONGEST_END: usize = 160;

/// The longest word that is kept as it is; a message or script in the line is replaced by its short hash.
const LONGEST_WORD: usize = 120;

/// The canonical identity of a call that is redacted already: the normalised command line, `Edit:<path>`, or
/// `<tool>:<summary>`. `script` is its command line, parsed.
///
/// `cd /x && RUST_LOG=1 cargo test -p a 2>&1 | tail -20` is `cargo test -p a`.
pub fn operation(call: &ToolCall<'_>, script: Option<&Script>) -> Operation {
    Operation(short_operation(match (&call.input, script) {
        (ToolInput::Command { command, .. }, Some(script)) => normalised(command, script),
        (ToolInput::Command { command, .. }, None) => collapsed(command),
        (ToolInput::File { path, .. }, _) => format!("{}:{path}", call.tool.name),
        (ToolInput::Other { summary }, _) => format!("{}:{summary}", call.tool.name),
    }))
}

/// The operation of a POSIX command line: what a command that somebody wrote down is compared by.
pub fn operation_of_command(command: &str) -> Operation {
    let command = redact(command);
    Operation(short_operation(normalised(&command, &Script::parse(&command))))
}

fn short_operation(text: String) -> String {
    if text.len() <= LONGEST_OPERATION {
        return text;
    }
    let hash = short_hash(&text);
    let end = last_commands(&text);
    let begin = text.floor_char_boundary(LONGEST_OPERATION - end.len() - hash.len() - 1);
    format!("{}{end} {hash}", text.get(..begin).unwrap_or_default())
}

/// The last commands of a line, with what joins them to the one before; empty where there are none so short.
fn last_commands(text: &str) -> &str {
    let end = text.get(text.ceil_char_boundary(text.len() - LONGEST_END)..).unwrap_or_default();
    let first = [Join::And, Join::Or, Join::Then].into_iter().filter_map(|join| end.find(join_sign(join))).min();
    first.and_then(|at| end.get(at..)).unwrap_or_default()
}

/// `#` and eight hexadecimal digits.
fn short_hash(text: &str) -> String {
    format!("#{}", hex(&Sha256::digest(text.as_bytes()), 4))
}

fn normalised(command: &str, script: &Script) -> String {
    let lines = script.pipelines.iter().filter(|pipeline| pipeline.nesting != Nesting::Substitution);
    let steps: Vec<(Join, String)> = lines
        .clone()
        .filter(|pipeline| !is_preparation(pipeline))
        .map(|pipeline| (pipeline.join, stages(pipeline, script)))
        .filter(|(_, stages)| !stages.is_empty())
        .collect();
    if steps.is_empty() { collapsed(command) } else { joined_steps(&steps) }
}

/// White space as single blanks: for lines that only prepare or print, and those that are no commands.
fn collapsed(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn joined_steps(steps: &[(Join, String)]) -> String {
    let mut out = String::new();
    for (join, step) in steps {
        if !out.is_empty() {
            out.push_str(join_sign(*join));
        }
        out.push_str(step);
    }
    out
}

fn join_sign(join: Join) -> &'static str {
    match join {
        Join::And => " && ",
        Join::Or => " || ",
        Join::First | Join::Then => "; ",
        Join::Background => " & ",
    }
}

fn is_preparation(pipeline: &Pipeline) -> bool {
    match pipeline.commands.as_slice() {
        [command] => command.is(Trait::Prepares) && !command.writes_a_file(),
        [first, rest @ ..] => first.program == "echo" && rest.iter().all(is_display),
        [] => true,
    }
}

fn is_display(command: &Command) -> bool {
    command.is(Trait::Displays)
}

/// The stages of a pipeline up to the last one that is more than a display.
fn stages(pipeline: &Pipeline, script: &Script) -> String {
    let kept = pipeline.commands.iter().rposition(|command| !is_display(command)).map_or(1, |last| last + 1);
    let stages = pipeline.commands.iter().take(kept).filter(|command| !hands_on(command, script));
    let stages: Vec<String> = stages.map(words).filter(|words| !words.is_empty()).collect();
    stages.join(" | ")
}

/// The program of a command by its name alone; of an interpreter the script that it runs. Code in the line itself is the
/// interpreter's, as it is another one each time.
pub fn program_name(command: &Command) -> &str {
    let runs_script = command.program_is(Trait::Interpreter) || command.program_is(Trait::TakesCode);
    let script = command.own_args().last().filter(|word| runs_script && !word.starts_with('-') && !is_inline(command));
    file_name(script.map_or(command.name(), String::as_str))
}

/// A shell whose script is in the line: its commands are in the list themselves.
fn hands_on(command: &Command, script: &Script) -> bool {
    (command.program == "eval" || command.is(Trait::Shell) && command.has_letter('c'))
        && script.pipelines.iter().any(|pipeline| pipeline.nesting == Nesting::Inner)
}

/// The program and its words in one quoting, and its files.
fn words(command: &Command) -> String {
    if command.program.is_empty() {
        return String::new();
    }
    let words =
        std::iter::once(Cow::Borrowed(program(command))).chain(command.args.iter().map(|word| in_one_quoting(word)));
    words.chain(files(command)).collect::<Vec<_>>().join(" ")
}

/// A script of the project by its path, any other program by its name. Where the path is the folder alone, it stays: without
/// it the shell would look for another program.
fn program(command: &Command) -> &str {
    let installed = !command.is_by_path() || command.raw.contains("/bin/");
    let short = command.raw.trim_start_matches("./");
    match installed {
        true => &command.program,
        false if short.contains('/') => short,
        false => &command.raw,
    }
}

fn in_one_quoting(word: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"-_./:=,@%+#~^*?$[]{}".contains(&byte);
    if word.len() > LONGEST_WORD || word.contains('\n') {
        Cow::Owned(short_hash(word))
    } else if !word.is_empty() && word.bytes().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{word}'"))
    }
}

/// A here-document is known by its short hash, a file that is read by its name, and what only fills a file by that file.
fn files(command: &Command) -> impl Iterator<Item = Cow<'_, str>> {
    let fills = matches!(command.program.as_str(), "cat" | "echo" | "printf");
    command.redirections.iter().filter_map(move |redirection| match redirection.kind {
        RedirectionKind::HereDocument | RedirectionKind::HereString => {
            Some(Cow::Owned(format!("<<{}", short_hash(&redirection.target))))
        }
        RedirectionKind::Read => Some(Cow::Owned(format!("<{}", in_one_quoting(&redirection.target)))),
        RedirectionKind::Write | RedirectionKind::Append if fills && !redirection.target.starts_with("/dev/") => {
            Some(Cow::Owned(format!(">{}", in_one_quoting(&redirection.target))))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::{LONGEST_OPERATION, Script, operation, operation_of_command};
    use crate::model::{Status, Tool, ToolCall, ToolInput};

    fn call<'a>(tool: &str, input: ToolInput<'a>) -> ToolCall<'a> {
        ToolCall::new(Tool::named(tool), input, Status::Failed)
    }

    fn shell(command: &str) -> String {
        operation_of_command(command).0
    }

    #[test]
    fn a_program_is_the_same_through_wrappers_and_paths() {
        let name = |line: &str| {
            let script = Script::parse(line);
            super::program_name(script.programs().last().unwrap().1).to_owned()
        };
        for line in [
            "./tide --fast",
            "/srv/app/tide",
            "timeout 5 ./tide",
            "bash tools/tide",
            "sudo -n ./tide",
            "env A=1 ./tide",
            "bash -x ./tide a b",
        ] {
            assert_eq!(name(line), "tide", "{line}");
        }
        for (line, wanted) in [
            ("python3 tools/moon.py --all", "moon.py"),
            ("uv run python tools/moon.py", "moon.py"),
            ("python3 -c 'print(1)'", "python"),
            ("node -e 'x()'", "node"),
            ("python3 -m harbour.moon x", "harbour.moon"),
        ] {
            assert_eq!(name(line), wanted, "{line}");
        }
    }

    #[test]
    fn how_it_was_started_and_where_its_output_went_is_left_out() {
        let cases = [
            ("cd /x && RUST_LOG=1 cargo test -p a 2>&1 | tail -20", "cargo test -p a"),
            ("cargo  test   -p \"a\"", "cargo test -p a"),
            ("cd /x; sudo timeout 60 nohup make -j4 all > log.txt 2>&1", "make -j4 all"),
            ("time npm test | tee out.txt | grep -v ok | head -5 || true", "npm test"),
            ("pytest -q; echo \"exit: $?\"", "pytest -q"),
            ("set -o pipefail; export A=1 && go test ./... | tail -3", "go test ./..."),
            ("bash -lc 'cd x && pytest -q | tail -3'", "pytest -q"),
            ("cargo build && cargo test", "cargo build && cargo test"),
            ("(cd web && npm ci) | tee log", "npm ci"),
            ("./scripts/check.sh --all", "scripts/check.sh --all"),
            ("/usr/bin/git status", "git status"),
            ("psql -f x.sql < in.txt", "psql -f x.sql <in.txt"),
            ("git log --format='%h  %s'", "git log '--format=%h  %s'"),
            ("cat a | sort | head -2", "cat a"),
            ("echo x >> notes.txt 2>/dev/null", "echo x >notes.txt"),
            ("cd /x", "cd /x"),
            ("  echo   hi ", "echo hi"),
        ];
        for (command, wanted) in cases {
            assert_eq!(shell(command), wanted, "{command}");
        }
    }

    #[test]
    fn another_target_or_body_is_another_operation() {
        assert_ne!(shell("cargo test -p a"), shell("cargo test -p b"));
        let python = |body: &str| shell(&format!("cd /x && python3 - <<'EOF' 2>&1 | head\n{body}\nEOF\n"));
        assert_eq!(python("print(1)"), python("print(1)"));
        assert_ne!(python("print(1)"), python("print(2)"));
        assert!(python("print(1)").starts_with("python3 - <<#"), "{}", python("print(1)"));
        let commit = |message: &str| shell(&format!("git commit -m \"$(cat <<'EOF'\n{message}\n\nmore\nEOF\n)\""));
        assert!(commit("a").starts_with("git commit -m #") && commit("a") != commit("b"), "{}", commit("a"));
    }

    #[test]
    fn secrets_never_stay() {
        assert_eq!(shell("curl -u ann:hunter2 https://x.example"), "curl -u ann:[redacted:password] https://x.example");
    }

    #[test]
    fn other_tools_are_known_by_their_target() {
        let edit = call("Edit", ToolInput::file(Cow::Borrowed("/srv/a.rs")));
        assert_eq!(operation(&edit, None).0, "Edit:/srv/a.rs");
        let fetch = call("WebFetch", ToolInput::Other { summary: "url=https://x.example".to_owned() });
        assert_eq!(operation(&fetch, None).0, "WebFetch:url=https://x.example");
    }

    proptest! {
        #[test]
        fn any_line_has_a_bounded_operation(line in any::<String>(), repeat in 1usize..40) {
            prop_assert!(shell(&line.repeat(repeat)).len() <= LONGEST_OPERATION);
        }

        #[test]
        fn prefixes_and_displays_never_matter(words in "[a-z]{2,8}( [a-z0-9./-]{1,8}){0,4}", dir in "/[a-z]{1,8}", lines in 1u8..99) {
            let bare = shell(&format!("make {words}"));
            prop_assert_eq!(shell(&format!("cd {dir} && A=b make {words} 2>&1 | tail -{lines}")), bare);
        }
    }
}
