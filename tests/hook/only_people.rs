//! What only people do: in which spellings a call of it is refused, and what only looks like one.

use failwise::guard::{PEOPLE_COMMANDS, is_for_people, may_be_for_people};
use failwise::model::{Status, Tool, ToolCall, ToolInput};
use proptest::prelude::*;

fn refused(line: &str, background: bool) -> Option<&'static str> {
    let input = ToolInput::Command { command: line.to_owned().into(), background };
    let call = ToolCall::new(Tool::named("Bash"), input, Status::Succeeded);
    may_be_for_people(&call).then(|| is_for_people(&call)).flatten().map(|command| command.words)
}

#[test]
fn every_row_is_refused_in_many_spellings() {
    for row in PEOPLE_COMMANDS {
        let tail = match row.with {
            "FILE" => " notes.jsonl".to_owned(),
            "" => String::new(),
            option => format!(" {option}"),
        };
        let call = format!("{}{tail}", row.words);
        for spelling in [
            format!("failwise {call}"),
            format!("  failwise   {call} --yes"),
            format!("cd x && failwise {call}"),
            format!("failwise --color never {call}"),
            format!("failwise {}", call.replacen(' ', " --color never ", 1)),
            format!("/usr/local/bin/failwise {call}"),
            format!("~/.local/bin/failwise {call}"),
            format!("./bin/failwise {call}"),
            format!("\"failwise\" {call}"),
            format!("'failwise' {call}"),
            format!("\\failwise {call}"),
            format!("command failwise {call}"),
            format!("exec failwise {call}"),
            format!("env -u CLAUDECODE failwise {call} --yes"),
            format!("CLAUDECODE= failwise {call}"),
            format!("bash -c 'failwise {call}'"),
            format!("sh -c \"failwise {call} --yes\""),
            format!("eval failwise {call}"),
            format!("true | failwise {call}"),
            format!("(failwise {call})"),
            format!("if true; then failwise {call}; fi"),
            format!("timeout 5 failwise {call}"),
            format!("nohup failwise {call} &"),
            format!("echo x | xargs failwise {call}"),
            format!("f=failwise; $f {call}"),
            format!("script -qc 'failwise {call}' /dev/null"),
            format!("python3 -c \"import os; os.system('failwise {call}')\""),
        ] {
            assert_eq!(refused(&spelling, false), Some(row.words), "{spelling}");
            assert_eq!(refused(&spelling, true), Some(row.words), "{spelling}, in the background");
        }
    }
}

/// A word as somebody writes it of whom only the shell knows what it means.
fn respelt(word: &str, way: usize, at: usize) -> String {
    let at = 1 + at % (word.len() - 1);
    let (front, back) = word.split_at(at);
    let (sign, rest) = back.split_at(1);
    match way {
        0 => format!("{front}{{{back},}}"),
        1 => format!("{{{word},--color}}"),
        2 => format!("{front}\"\"{back}"),
        3 => format!("{front}\\{back}"),
        4 => format!("{front}?{rest}"),
        5 => format!("{front}*"),
        6 => format!("{front}[{sign}]{rest}"),
        7 => format!("{front}'{back}'"),
        8 => format!("{front}{{{sign}..{sign}}}{rest}"),
        9 => format!("{{{front}{{{back},y}},z}}"),
        10 => format!("$'{front}\\x{:02x}{rest}'", sign.as_bytes()[0]),
        _ => word.to_owned(),
    }
}

proptest! {
    #[test]
    fn a_row_is_refused_however_the_shell_is_made_to_write_it(
        row in 0..PEOPLE_COMMANDS.len(),
        ways in prop::array::uniform3((0_usize..12, 0_usize..8)),
        path in prop::sample::select(vec!["", "./bin/", "~/.local/bin/", "b?n/"]),
    ) {
        let row = &PEOPLE_COMMANDS[row];
        let words = std::iter::once("failwise").chain(row.words.split(' ')).zip(ways);
        // Only the last word may leave others behind it.
        let count = 1 + row.words.split(' ').count();
        let spelt = words.enumerate().map(|(number, (word, (way, at)))| {
            let way = if number + 1 < count && matches!(way, 0 | 1 | 9) { 2 } else { way };
            respelt(word, way, at)
        });
        let tail = if row.with == "FILE" { "notes.jsonl" } else { row.with };
        let line = format!("{path}{} {tail}", spelt.collect::<Vec<_>>().join(" "));
        prop_assert_eq!(refused(&line, false), Some(row.words), "{}", line);
    }

    #[test]
    fn no_line_breaks_it(line in "[a-z{},.*?\\[\\]$'\"\\\\ |<]{0,60}", times in 1_usize..400) {
        let _ = refused(&line.repeat(times), false);
        let _ = refused(&format!("{}failwise trust", line.repeat(times)), false);
        // One word, as long as a line may be: no sign of it is looked at for each of the others.
        let signs: String = line.chars().filter(|sign| !sign.is_whitespace()).collect();
        let _ = refused(&signs.repeat(times * 4), false);
    }
}

#[test]
fn what_the_shell_makes_of_a_line_is_what_counts() {
    for line in [
        "{failwise,trust,--yes}",
        "failwise {trust,--yes}",
        "env {failwise,trust} --yes",
        "{./bin/failwise,trust,--yes}",
        "fail?ise trust",
        "./target/*/fail* trust --yes",
        "~/.local/bin/[f]ailwise trust",
        "fail$x trust",
        "fail${x}ise trust",
        "`which failwise` trust",
        "\"$(command -v failwise)\" trust",
        "failwise $(echo trust)",
        "failwise `echo trust`",
        "w=trust; failwise $w",
        "bash <<< 'failwise trust'",
        "echo failwise trust --yes | sh",
        "echo 'failwise trust --yes' | bash -s",
        "printf 'failwise trust\\n' | tee a | bash",
        "cat <<'E' | bash\nfailwise trust\nE",
        "xargs {failwise,trust}",
    ] {
        assert_eq!(refused(line, false), Some("trust"), "{line}");
    }
    assert_eq!(refused("failwise diagnose --appl{y,}", false), Some("diagnose"));
    assert_eq!(refused("failwise data pur?e --all", false), Some("data purge"));
}

#[test]
fn what_shows_or_speaks_of_it_is_let_through() {
    for line in [
        "ls fail?ise",
        "ls -d fail{wise,x} trust",
        "echo {trust,--yes}",
        "echo {failwise,trust,--yes}",
        "echo fail* trust",
        "rm fail* trust",
        "git add fail?ise init",
        "mkdir -p {failwise,allow}",
        "tar cf a.tar fail* trust",
        "$EDITOR init",
        "\"$BIN\" init",
        "./scripts/*.sh init",
        "for f in *; do $f allow; done",
        "terraform init",
        "failwise kb $x",
        "failwise kb {list,--all}",
        "failwise {trust,--show}",
        "failwise report > a; cat trust | sh",
        "echo 'failwise kb list' | sh",
        "grep -rn fail?ise docs | sort",
        "cargo build && ./target/debug/failwise --version",
        "echo failwise allow",
        "grep -rn 'failwise trust' docs",
        "failwise trust --show",
        "failwise trust --help",
        "failwise kb learn --nice",
        "failwise kb learn",
        "failwise kb export --team",
        "failwise kb list --match trust",
        "failwise data show",
        "failwise diagnose --last",
        "failwise lessons",
        "failwise config",
        "git allow failwise",
        "cargo run --bin failwise",
        "git commit -m 'docs: say what failwise trust asks'",
        "git commit -am 'failwise trust --yes'",
        "gh pr create --title x --body 'run failwise trust --yes once'",
        "sed -i 's/failwise allow/failwise allow it/' a.md",
    ] {
        assert_eq!(refused(line, false), None, "{line}");
    }
}
