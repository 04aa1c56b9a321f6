//! The table of working forms: every option, variable and subcommand in it stands in the recorded help text of its program.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads the recorded texts and fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use failwise::forms::{self, FORMS, FormChange, FormRow, WorkingForm};
use failwise::model::Mode;
use serde_json::Value;

/// What a help text has to say where the change itself holds no word to look for: call and change of the row.
const SHOWN: &[(&str, &str, &str)] = &[
    ("awk", "awk PROGRAM FILE", "standard input"),
    ("base64", "base64 FILE", "standard input"),
    ("cargo", "cargo +TOOLCHAIN ...", "+toolchain"),
    ("cat", "cat FILE", "standard input"),
    ("crontab", "crontab FILE", "file"),
    ("docker exec", "docker exec CONTAINER COMMAND", "COMMAND"),
    ("docker run", "docker run IMAGE COMMAND", "COMMAND"),
    ("docker run", "docker run OPTIONS IMAGE COMMAND", "[OPTIONS] IMAGE [COMMAND]"),
    ("gh issue view", "gh issue view", "--web"),
    ("gh pr view", "gh pr view", "--web"),
    ("git config", "git config NAME VALUE", "--edit"),
    ("grep", "grep PATTERN FILE", "standard input"),
    ("head", "head FILE", "standard input"),
    ("jq", "jq FILTER FILE", "files"),
    ("kubectl exec", "kubectl exec POD -- COMMAND", "kubectl exec"),
    ("node", "node FILE", "stdin"),
    ("passwd", "chpasswd < FILE", "standard input"),
    ("python", "python FILE", "stdin"),
    ("redis-cli", "redis-cli COMMAND", "cmd"),
    ("ruff check", "ruff check", "--watch"),
    ("sed", "sed SCRIPT FILE", "standard input"),
    ("sha256sum", "sha256sum FILE", "standard input"),
    ("sort", "sort FILE", "standard input"),
    ("sqlite3", "sqlite3 FILE \"...\"", "SQL"),
    ("tail", "tail FILE", "standard input"),
    ("tee", "COMMAND | tee FILE", "standard input"),
    ("tr", "tr SET1 SET2 < FILE", "standard input"),
    ("uniq", "uniq FILE", "standard input"),
    ("wc", "wc FILE", "standard input"),
];

/// Values of options that work and that no help text lists; each was run.
const TRIED: &[(&str, &str)] = &[("eslint", "json"), ("mypy", "json"), ("rspec", "json")];

#[test]
fn every_word_of_a_change_stands_in_a_recorded_help_text() {
    let texts = recorded();
    let wrong: Vec<String> = every().flat_map(|form| missing(form, &texts)).collect();
    assert!(wrong.is_empty(), "not in the recorded texts:\n{}", wrong.join("\n"));
}

#[test]
fn every_change_has_words_to_look_for() {
    let told: BTreeSet<_> = SHOWN.iter().map(|(call, text, _)| ((*call).to_owned(), *text)).collect();
    let empty: BTreeSet<_> = every().filter(|form| words(*form).is_empty()).map(row_of).collect();
    assert_eq!(told.len(), SHOWN.len(), "a row stands twice in SHOWN");
    assert_eq!(told, empty, "rows in SHOWN, and rows without a word of their own");
}

#[test]
fn every_recorded_text_is_used_by_a_row() {
    let texts = recorded();
    let used: BTreeSet<String> = every().flat_map(names).collect();
    let idle: Vec<&String> = texts.keys().filter(|name| !used.contains(*name)).collect();
    assert!(idle.is_empty(), "no row uses {idle:?}");
    let tried: Vec<_> = TRIED.iter().filter(|(program, _)| forms::rows_for(program).next().is_none()).collect();
    assert!(tried.is_empty(), "no row uses {tried:?}");
}

#[test]
fn every_recorded_text_says_what_it_is() {
    for (name, text) in recorded() {
        let first = text.lines().next().unwrap_or_default();
        let told = first.strip_prefix("# ").and_then(|told| told.split_once(": "));
        let (version, shown) = told.unwrap_or_else(|| panic!("{name}: {first:?} is not `# PROGRAM VERSION: COMMAND`"));
        assert!(version.bytes().any(|byte| byte.is_ascii_digit()) && !shown.is_empty(), "{name}: {first}");
        for folder in ["root", "tmp", "work"] {
            assert!(!text.contains(&format!("/{folder}/")), "{name} holds a path of a machine: /{folder}/");
        }
    }
}

#[test]
fn a_word_that_no_text_holds_is_missed() {
    let texts = recorded();
    assert!(!holds(&text_of("gh-pr-create", &texts), "--yes"), "gh pr create has no --yes");
    assert!(holds(&text_of("gh-pr-create", &texts), "--title"));
    assert!(!holds("  --json-lines  one a line", "--json") && !holds("pre--json", "--json"));
    assert!(holds("  --[no-]edit", "--no-edit") && holds("  --[no-]edit", "--edit"));
    assert!(holds("-s  silent\n-f  force\n", "-sf") && !holds("-s  silent\n", "-sf"));
    assert!(!holds("-Y  yes", "-y") && holds("prints JSON", "json"));
}

/// The words of the row that no recorded text of its program holds.
fn missing(form: WorkingForm, texts: &BTreeMap<String, String>) -> Vec<String> {
    let text: String = names(form).iter().map(|name| text_of(name, texts)).collect();
    let told = SHOWN.iter().find(|(call, text, _)| (*call, *text) == (&*form.call(), form.row.text));
    let told = told.map(|(_, _, told)| (*told).to_owned());
    let is_missing = |word: &String| !holds(&text, word) && !TRIED.contains(&(form.row.program, word.as_str()));
    let line = |word: String| format!("{}: {word} of `{}`", form.call(), form.row.text);
    words(form).into_iter().chain(told).filter(is_missing).map(line).collect()
}

fn row_of(form: WorkingForm) -> (String, &'static str) {
    (form.call(), form.row.text)
}

fn every() -> impl Iterator<Item = WorkingForm> {
    FORMS.iter().filter(|row| !row.modes.is_empty()).flat_map(FormRow::forms)
}

/// The texts by the names of their files, without `.txt`.
fn recorded() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forms_help");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect()
}

fn text_of(name: &str, texts: &BTreeMap<String, String>) -> String {
    texts.get(name).cloned().unwrap_or_default()
}

/// The names that the texts for a row may have: its program with each part of its subcommand. Where another form begins
/// with another program only the texts of that one count.
fn names(form: WorkingForm) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |program: &str, words: &[&str]| {
        for count in 0..=words.len() {
            let name = [&[program], &words[..count]].concat().join("-").replace(':', "-");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    };
    let subcommand: Vec<&str> = form.subcommand.split_ascii_whitespace().collect();
    let other = other(form);
    if other.as_ref().is_none_or(|(program, _)| *program == form.row.program) {
        add(form.row.program, &subcommand);
    }
    if let Some((program, behind)) = other {
        let plain: Vec<&str> = behind.into_iter().filter(|word| is_plain(word)).take(2).collect();
        add(program, &plain);
    }
    names
}

/// The program and the words of another form's last stage.
fn other(form: WorkingForm) -> Option<(&'static str, Vec<&'static str>)> {
    let stage = form.row.text.rsplit(" | ").next()?;
    let mut words = stage.split_ascii_whitespace();
    matches!(form.row.change, FormChange::Form | FormChange::Input).then_some((words.next()?, words.collect()))
}

/// The options, variables and subcommands of a row's change, and those that its working form adds beside them.
fn words(form: WorkingForm) -> Vec<String> {
    let call = form.call();
    let working = form.working(&call).unwrap_or_default();
    let mut known: Vec<&str> = call.split_ascii_whitespace().chain(["echo"]).collect();
    known.extend(other(form).map(|(program, _)| program));
    let mut found = Vec::new();
    for word in [form.row.text, &working].into_iter().flat_map(said) {
        if (word.starts_with('-') || !known.contains(&word.as_str())) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// The options, variables and plain words of a text, without what stands in quotes and what stands for something else.
fn said(text: &str) -> Vec<String> {
    let unquoted: String = text.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for word in unquoted.split_ascii_whitespace() {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let is_option = name.starts_with(['-', '+'])
            && name.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_alphanumeric());
        if is_option {
            found.push(name.to_owned());
            found.extend(value.filter(|value| is_plain(value)).map(str::to_owned));
        } else if value.is_some() && name != "NAME" && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            found.push(name.to_owned());
        } else if is_plain(word) {
            found.push(word.to_owned());
        }
    }
    found.retain(|word| word != "+TOOLCHAIN");
    found
}

/// A word that stands for itself: a subcommand, or the value of an option.
fn is_plain(word: &str) -> bool {
    let mut bytes = word.bytes();
    word.len() > 1
        && bytes.next().is_some_and(|byte| byte.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b':' | b'-'))
}

/// Whether a help text holds a word. `--[no-]edit` holds `--edit` and `--no-edit`; letters that share a dash may stand apart.
/// Options and names in capitals are looked for as they are, other words in either case.
fn holds(text: &str, word: &str) -> bool {
    let forms = [text.replace("[no-]", "").replace("[no]", ""), text.replace("[no-]", "no-")];
    let is_there = |word: &str| forms.iter().any(|text| holds_word(text, word));
    let letters = word
        .strip_prefix('-')
        .filter(|rest| (2..=3).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_alphabetic()));
    is_there(word) || letters.is_some_and(|letters| letters.chars().all(|letter| is_there(&format!("-{letter}"))))
}

fn holds_word(text: &str, word: &str) -> bool {
    let is_exact = word.starts_with(['-', '+']) || !word.bytes().any(|byte| byte.is_ascii_lowercase());
    let (text, word) = if is_exact {
        (text.to_owned(), word.to_owned())
    } else {
        (text.to_ascii_lowercase(), word.to_ascii_lowercase())
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(&word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// A question before something is overwritten, deleted or published is a person's: only calls that make something new are
/// answered in advance.
#[test]
fn no_form_answers_a_question_that_protects_something() {
    const ANSWERS: &[&str] = &[
        "-A",
        "-auto-approve",
        "-f",
        "-noprompt",
        "-o",
        "-sfn",
        "-y",
        "--approve",
        "--assume-yes",
        "--auto-approve",
        "--clear",
        "--confirm",
        "--delete",
        "--force",
        "--force-with-lease",
        "--merge",
        "--noconfirm",
        "--overwrite",
        "--quiet",
        "--rm",
        "--yes",
    ];
    const NEW: &[&str] = &[
        "apt install",
        "apt-get install",
        "create-next-app",
        "dnf install",
        "npm create",
        "npm exec",
        "npm init",
        "npx",
    ];
    let waits = [Mode::Interactivity, Mode::NoninteractiveInstall, Mode::Idempotency, Mode::MultiagentConflict];
    for form in FORMS.iter().flat_map(FormRow::forms).filter(|form| !NEW.contains(&&*form.call())) {
        // With a value behind it a letter is another option: `-f FILE`.
        let words: Vec<&str> = form.row.text.split(' ').collect();
        let is_last = |at: usize| words.get(at + 1).is_none_or(|next| next.starts_with('-'));
        let answer = words.iter().enumerate().find(|(at, word)| ANSWERS.contains(word) && is_last(*at));
        assert!(answer.is_none() || !form.row.modes.iter().any(|mode| waits.contains(mode)), "{form:?}");
    }
}

/// A form works where `scripts/forms_run.py` ran it against a failure that it mends: the row names the program's version and the
/// day, and the run that says so is recorded.
#[test]
fn what_is_said_to_work_was_run() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forms_runs.jsonl");
    let runs: Vec<Value> =
        fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_of = |run: &Value, row: &FormRow| {
        run["program"] == row.program
            && run["text"] == row.text
            && row.subcommands.first().is_some_and(|first| run["subcommand"] == **first)
            && run["ran"] == row.ran
    };
    let works = || FORMS.iter().filter(|row| !row.ran.is_empty());
    let unrun: Vec<_> = works().filter(|row| !runs.iter().any(|run| is_of(run, row))).collect();
    assert!(unrun.is_empty(), "nobody ran {unrun:?}");
    let idle: Vec<_> = runs.iter().filter(|run| !works().any(|row| is_of(run, row))).collect();
    assert!(idle.is_empty(), "no row says what {idle:?} shows");
    println!("{} rows, {} were run and worked", FORMS.len(), works().count());
}

#[test]
#[ignore = "long: runs every form whose program is installed"]
fn what_works_works_here() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/forms_run.py");
    assert!(std::process::Command::new("python3").arg(script).status().unwrap().success());
}
