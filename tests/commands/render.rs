//! `failwise render` through the executable: templates of both dialects and what becomes of them, and what holds for every
//! template. The rows of the dialect `claude` are asked anew of the real client by `real_client/templates.sh`.

#![expect(clippy::disallowed_methods, reason = "starts the executable")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::process::{Command, Output};

use crate::feeding::feed;
use failwise::stream::{Arguments, CommandFile, TemplateDialect};
use proptest::prelude::*;
use serde_json::Value;

fn render(args: &[&str], stdin: &str) -> Output {
    feed(Command::new(env!("CARGO_BIN_EXE_failwise")).arg("render").args(args), stdin)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|value| value.as_str().unwrap()).collect()
}

#[test]
fn templates_of_work_orders_become_what_is_written_beside_them() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../golden/render.json")).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let mut args = vec!["-"];
        args.extend(strings(&case["args"]));
        if case.get("dialect").is_none() {
            args.extend(["--dialect", "adw"]);
        }
        args.extend(strings(&case["vars"]).iter().flat_map(|var| ["--var", var]));
        let done = render(&args, case["body"].as_str().unwrap());
        assert_eq!(text(&done.stdout), case["expected"].as_str().unwrap(), "{name}: {}", text(&done.stderr));
        assert_eq!(done.status.code(), Some(0), "{name}");
        let told = text(&done.stderr);
        match case["stderr"].as_str() {
            Some(part) => assert!(told.contains(part), "{name}: {told}"),
            None => assert!(told.is_empty() || told.contains("no placeholder takes"), "{name}: {told}"),
        }
    }
}

#[test]
fn templates_of_the_client_become_what_the_client_made_of_them() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../real_client/templates.json")).unwrap();
    assert!(rows.len() >= 60);
    for row in &rows {
        let [body, typed, expected] = ["body", "arguments", "expected"].map(|name| row[name].as_str().unwrap());
        let rendered = CommandFile::parse(body).render(&Arguments::typed(typed), TemplateDialect::Claude);
        assert_eq!(rendered.text, expected, "{body:?} with {typed:?}");
    }
    let (body, typed) = ("$1 and $ARGUMENTS", "\"a b\" c");
    let done = render(&["-", "--arguments", typed], body);
    assert_eq!(text(&done.stdout), "c and \"a b\" c");
}

#[test]
fn words_of_the_command_line_are_arguments_already() {
    let done = render(&["-", "a b", "$0", ""], "[$0][$1][$2][$3] $ARGUMENTS");
    assert_eq!(text(&done.stdout), "[a b][$0][][$3] a b $0 ");
}

#[test]
fn a_command_file_and_an_argument_come_from_files_and_stdin() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("c.md");
    std::fs::write(&file, "---\ndialect: adw\n---\n<$1>\n").unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(text(&render(&[path, "-"], "one\ntwo\n").stdout), "<one\ntwo>\n");
    assert_eq!(text(&render(&[path, "--", "-x"], "").stdout), "<-x>\n");
    for (args, code) in [
        (&["-", "-"][..], 64),
        (&[path, "-", "-"], 64),
        (&[path, "--arguments", "x"], 64),
        (&[path, "x", "--dialect", "claude", "--var", "A=1"], 64),
        (&[path, "--var", "1A=1"], 64),
        (&[path, "--dialect", "other"], 64),
        (&["/nonexistent.md"], 74),
    ] {
        let done = render(args, "x");
        assert_eq!((done.status.code(), done.stdout.len()), (Some(code), 0), "{args:?}: {}", text(&done.stderr));
    }
    std::fs::write(&file, b"\xff $1").unwrap();
    assert_eq!(render(&[path, "x"], "").status.code(), Some(65));
    std::fs::write(&file, "---\ndialect: other\n---\n").unwrap();
    assert_eq!(render(&[path, "x"], "").status.code(), Some(65));
}

#[test]
fn a_check_names_what_is_left_over() {
    let check = |body: &str, args: &[&str]| {
        let done = render(&[&["-", "--check", "--dialect", "adw"], args].concat(), body);
        (text(&done.stdout), done.status.code().unwrap())
    };
    assert_eq!(check("$1 $ARGUMENTS", &["a", "b"]), (String::new(), 0));
    let (told, code) = check("$1 $3 ${NAME} $3", &["a", "b", "--var", "OTHER=1"]);
    assert_eq!(code, 1);
    let lines: Vec<&str> = told.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(lines, ["$3", "${NAME}", "argument 2", "OTHER"]);
    let done = render(&["-", "--check", "a"], "---\narguments: x y\n---\n$x $y $5");
    assert_eq!((text(&done.stdout).lines().count(), done.status.code()), (2, Some(1)));
}

#[test]
fn a_long_argument_is_put_in_whole() {
    let long = "x$1 ".repeat(50_000);
    let rendered = CommandFile::parse("<$1>").render(&Arguments::of_words(vec![long.clone()]), TemplateDialect::Adw);
    assert_eq!(rendered.text, format!("<{long}>"));
}

#[test]
fn what_is_put_in_can_neither_attach_a_file_nor_run_a_command() {
    let inert = |body: &str, arg: &str| {
        CommandFile::parse(body).render(&Arguments::of_words(vec![arg.to_owned()]), TemplateDialect::Adw).inert()
    };
    assert_eq!(inert("Issue: $1", "@.env"), "Issue: \\@.env");
    assert_eq!(inert("$1", "see\n@.env, \"@x\" and a@b.c"), "see\n\\@.env, \"@x\" and a@b.c");
    assert_eq!(inert("$1", "。@.env\u{a0}@x"), "。\\@.env\u{a0}\\@x");
    assert_eq!(inert("$1", "/clear"), "\n/clear");
    assert_eq!(inert("$1.env", "x @"), "x \\@.env");
    // What the author wrote stays as it is.
    assert_eq!(inert("/review @notes.md $1", "/x"), "/review @notes.md /x");
    assert_eq!(inert("@$1", "src/a.rs"), "@src/a.rs");
    assert_eq!(inert("($1)", "@.env"), "(@.env)");
}

fn template() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("$1".to_owned()),
        Just("$ARGUMENTS".to_owned()),
        Just("\\".to_owned()),
        Just("$".to_owned()),
        "[0-9]{1,2}",
        "[a-zA-Z_\\[\\] \n{}@/]{1,4}",
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn nothing_changes_outside_placeholders(text in "[^$]{0,60}", word in "\\PC{1,20}") {
        prop_assume!(!text.trim_start_matches('\u{feff}').starts_with("---"));
        let file = CommandFile::parse(&text);
        prop_assert_eq!(&file.render(&Arguments::of_words(vec![word.clone()]), TemplateDialect::Adw).text, &text);
        let client = file.render(&Arguments::of_words(vec![word.clone()]), TemplateDialect::Claude);
        prop_assert_eq!(client.text, format!("{text}\n\nARGUMENTS: {word}"));
    }

    #[test]
    fn what_is_put_in_is_not_looked_at_again(body in template(), word in template()) {
        // A mark that no template holds shows where the argument went. Nothing is no argument to the client.
        let word = format!("{word}.");
        for dialect in [TemplateDialect::Adw, TemplateDialect::Claude] {
            let with = |word: &str| CommandFile::parse(&body).render(&Arguments::of_words(vec![word.to_owned()]), dialect).text;
            prop_assert_eq!(with("\u{e000}").replace('\u{e000}', &word), with(&word));
        }
    }

    #[test]
    fn an_inert_prompt_only_gains_signs(body in template(), word in "[@/ a\n。]{0,8}") {
        let rendered = CommandFile::parse(&body).render(&Arguments::of_words(vec![word]), TemplateDialect::Adw);
        let inert = rendered.inert();
        prop_assert_eq!(inert.replace(['\\', '\n'], ""), rendered.text.replace(['\\', '\n'], ""));
    }

    #[test]
    fn any_text_splits_into_words(text in "[-a-z $(){}\\[\\]`'\"\\\\|&;<>#=!\n*~0-9é]{0,80}") {
        let _ = failwise::shell::argument_words(&text);
    }
}
