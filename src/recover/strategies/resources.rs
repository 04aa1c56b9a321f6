//! Memory, disk and limits, and settings that are missing.

use super::super::case::{Case, Offer, Offered, join};
use super::super::step::{Deed, Step};
use super::long::shorter_call;
use super::sources::{Setting, limit_of_source, limiting_scripts};
use crate::model::Category;
use crate::shell::{Command, Nesting, PlacedWord, Script, WordRole, line_of};
use crate::text::quoted;

/// A limit that the project's own files set, where this is what was met.
fn set_by_a_script(case: &Case<'_>) -> Option<Offer> {
    let (files, marks) = limiting_scripts(case)?;
    let patterns = marks.iter().flat_map(|mark| ["-e", mark]);
    let words = ["grep", "-HnF", "-C", "3"].into_iter().chain(patterns).chain(["--"]);
    let line = line_of(words.chain(files.iter().map(String::as_str)));
    let why = format!("{} sets such a limit itself", quoted(files.first()?, 80));
    let step = Step::new("Show where the project sets the limit", Deed::Run(line), "The limit, and why it is set");
    Some(Offer { confidence: Some(0.9), ..Offer::new(why.clone(), vec![step]).seen(why) })
}

pub(in super::super) fn look_at_limits(case: &Case<'_>) -> Offered {
    if let Some(offer) = set_by_a_script(case) {
        return Ok(offer);
    }
    if case.category() != Category::ResourceExhausted {
        return Err("no file of the project sets a limit that was met");
    }
    let line = "df -h . \"${TMPDIR:-/tmp}\"; df -i . \"${TMPDIR:-/tmp}\"; ulimit -a; free -m 2>/dev/null";
    Ok(Offer::new(
        "which resource is used up decides",
        vec![Step::new("Look what is used up", Deed::Run(line.to_owned()), "The disk, memory or limit that is full")],
    ))
}

/// The setting by which what the call runs limits itself.
fn by_a_setting(case: &Case<'_>) -> Option<Offer> {
    let (source, setting, value) = limit_of_source(case)?;
    let what = match &setting {
        Setting::Flag(name) | Setting::Variable(name) => quoted(name, 60),
    };
    let state = format!("{} sets the limit itself, by {what}", quoted(&source.path, 80));
    let step =
        Step::work(format!("Raise it by {what}"), source.again(case, &[(setting, value)])?, "It ends within the limit");
    Some(Offer::new(state.clone(), vec![step]).seen(state))
}

pub(in super::super) fn raise_limit(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if let Some(offer) = own_limit(case).or_else(|| shorter_call(case, line)).or_else(|| by_a_setting(case)) {
        return Ok(offer);
    }
    let (setting, what) = if case.says(&["JavaScript heap out of memory", "Reached heap limit"]) {
        (
            "export NODE_OPTIONS=\"${NODE_OPTIONS:-} --max-old-space-size=4096\"",
            "the memory that Node takes for its heap",
        )
    } else if case.says(&["Too many open files", "EMFILE"]) {
        ("ulimit -n \"$(ulimit -H -n)\"", "the number of open files")
    } else if case.says(&["java.lang.OutOfMemoryError: Java heap space", "OutOfMemoryError: GC overhead"]) {
        ("export JAVA_TOOL_OPTIONS=\"${JAVA_TOOL_OPTIONS:-} -Xmx2g\"", "the memory that Java takes for its heap")
    } else if case.says(&["RecursionError", "maximum recursion depth", "Maximum call stack"]) {
        return Err("a recursion without an end fills every limit");
    } else {
        return Err("no limit that this user may raise is named");
    };
    if line.contains("max-old-space-size") || line.contains("ulimit") {
        return Err("the line raises the limit already");
    }
    let step = case.again_with(format!("{setting} && {line}")).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        format!("{what} is limited below what the machine has"),
        vec![Step::work(format!("Raise {what}"), step, "It ends within the limit")],
    )
    .seen(format!("{what} is used up")))
}

/// A limit that the line itself sets, or the program's option for it.
fn own_limit(case: &Case<'_>) -> Option<Offer> {
    let offer = |deed: Deed, what: &str| {
        let step = Step::work(format!("Raise {what}"), deed, "It ends within the limit");
        Offer::new(format!("{what} is limited below what the machine has"), vec![step])
            .seen(format!("{what} is used up"))
    };
    if case.says(&["JavaScript heap out of memory", "Reached heap limit"]) {
        let word = case.words.iter().find(|word| word.is_literal && word.text.contains("--max-old-space-size="))?;
        let (before, after) = word.text.split_once("--max-old-space-size=")?;
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        let limit: u64 = after.get(..after.len() - rest.len())?.parse().ok()?;
        let made = format!("{before}--max-old-space-size=4096{rest}");
        let (name, value) = made.split_once('=')?;
        let text = match word.role {
            WordRole::Assignment => format!("{name}={}", crate::shell::quoted_word(value)),
            _ => crate::shell::quoted_word(&made),
        };
        return (limit < 4096)
            .then(|| case.again_with_text(word, &text))
            .flatten()
            .map(|deed| offer(deed, "the memory that Node takes for its heap"));
    }
    if case.says(&["OutOfMemoryError: Java heap space"]) {
        let word = case.words.iter().find(|word| word.is_literal && word.text.starts_with("-Xmx"))?;
        return case
            .again_replacing(&[(word, "-Xmx2g")])
            .map(|deed| offer(deed, "the memory that Java takes for its heap"));
    }
    if case.says(&["Allowed memory size of"]) {
        let command = case.commands().find(|command| command.name() == "php")?;
        let word = case.word_of(command)?;
        let own = case.arguments_of(word).find(|arg| arg.text.starts_with("memory_limit="));
        let deed = match own {
            Some(own) => case.again_replacing(&[(own, "memory_limit=1G")])?,
            None => case.again_with_text(word, &format!("{} -d memory_limit=1G", line_of([&word.text])))?,
        };
        return Some(offer(deed, "the memory that PHP takes"));
    }
    None
}

pub(in super::super) fn use_fewer_jobs(case: &Case<'_>) -> Offered {
    let command = case.command().ok_or("no command was run")?;
    let words = match command.name() {
        "cargo"
            if ["build", "test", "check", "run", "clippy", "bench", "install"]
                .iter()
                .any(|sub| command.subcommands().next() == Some(*sub)) =>
        {
            "-j 1"
        }
        "make" | "gmake" | "ninja" => "-j 1",
        "cmake" | "vitest" | "jest" | "playwright" | "xargs" | "parallel" => "",
        _ => return Err("it is not known to work in parallel"),
    };
    let place = case.word_of(command).ok_or("its command line is not whole")?;
    if command.args.iter().any(|arg| arg == "-j1" || arg == "--jobs=1") {
        return Err("it runs one job at a time already");
    }
    if let Some(edits) = fewer(case, place) {
        let step = case.again_edited(edits).ok_or("its command line is not whole")?;
        let step = Step::work("Run one job at a time", step, "It ends within the memory");
        return Ok(Offer::new("one job at a time takes the least memory", vec![step]));
    }
    if words.is_empty() {
        return Err("the line does not say how many jobs there are");
    }
    let behind = if command.name() == "cargo" {
        let subcommand = command.subcommands().next();
        case.words
            .iter()
            .find(|word| word.command == place.command && Some(&*word.text) == subcommand)
            .ok_or("its command line is not whole")?
    } else {
        place
    };
    let step = case
        .again_with_text(behind, &format!("{} {words}", line_of([&behind.text])))
        .ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "one job at a time takes the least memory",
        vec![Step::work("Run one job at a time", step, "It ends within the memory")],
    ))
}

/// Options that say how many jobs run at once.
const JOBS: &[&str] = &["-j", "--jobs", "--parallel", "--workers", "--maxWorkers", "--max-workers", "--test-threads"];

/// The edits that let a command with so many jobs run one.
fn fewer(case: &Case<'_>, program: &PlacedWord) -> Option<Vec<(std::ops::Range<usize>, String)>> {
    let own: Vec<&PlacedWord> = case.arguments_of(program).collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    own.iter().enumerate().find_map(|(at, word)| {
        if let Some((name, _)) = word.text.split_once('=').filter(|(name, _)| JOBS.contains(name)) {
            return Some(vec![(word.range.clone(), format!("{name}=1"))]);
        }
        if word.text.strip_prefix("-j").is_some_and(is_number) {
            return Some(vec![(word.range.clone(), "-j1".to_owned())]);
        }
        if !JOBS.contains(&word.text.as_str()) {
            return None;
        }
        Some(match own.get(at + 1).filter(|next| is_number(&next.text)) {
            Some(number) => vec![(number.range.clone(), "1".to_owned())],
            None => vec![(word.range.end..word.range.end, " 1".to_owned())],
        })
    })
}

/// Files in which a project says what it is to be set up with.
const TOLD: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    "config.example.toml",
    "config.example.yaml",
    "config.example.json",
    "README.md",
];

pub(in super::super) fn look_at_settings(case: &Case<'_>) -> Offered {
    if case.says(&["not trusted", "is untrusted", "is blocked", "direnv allow"]) {
        return Err("what a project brings is trusted only by a person");
    }
    let told = TOLD.iter().map(|name| join(&case.folder(), name)).find(|path| case.looks.kind(path).is_some());
    let step = match told {
        Some(path) => Step::new(
            format!("Read {}", quoted(&path, 60)),
            Deed::Read { path, from: None },
            "What is to be set, and how",
        ),
        // Names only: values may be secrets.
        None => Step::new(
            "Look which settings are there, by name",
            Deed::Run("env | cut -d= -f1 | sort; ls -A".to_owned()),
            "Whether the setting is there",
        ),
    };
    Ok(Offer::new("the project says what it needs to be set", vec![step]))
}

pub(in super::super) fn show_what_was_hidden(case: &Case<'_>) -> Offered {
    if super::ask::is_sealed(case) {
        return Err("only the password or key opens it, which a person has");
    }
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if crate::decide::may_have_taken_effect(line) {
        return Err("making it again might do something twice");
    }
    let reads = |word: &PlacedWord| line.get(..word.range.start).is_some_and(|head| head.trim_end().ends_with('<'));
    let is_null = |word: &&PlacedWord| word.role == WordRole::Target && word.text == "/dev/null" && !reads(word);
    let script = case.script.as_ref().ok_or("no command was run")?;
    if let Some(made) = without_display(case, script, line) {
        let step = case.again_with(made).ok_or("its command line is not whole")?;
        let why = "a pipe showed only a part of what was printed";
        return Ok(Offer::new(
            why,
            vec![Step::work("Make the call with all of its output", step, "The error's own words")],
        ));
    }
    let nulls: Vec<_> = case.words.iter().filter(is_null).map(|word| (word, "/dev/stdout")).collect();
    if nulls.is_empty() {
        return Err("nothing of its output was hidden");
    }
    let step = case.again_replacing(&nulls).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "its errors were thrown away",
        vec![Step::work("Make the call with its errors shown", step, "The error's own words")],
    ))
}

/// The line without the stages at its end that only show a part of what the stage before them prints.
fn without_display(case: &Case<'_>, script: &Script, line: &str) -> Option<String> {
    let shows = |command: &Command| matches!(command.name(), "tail" | "head" | "grep");
    let last = script.pipelines.last()?;
    let is_plain = script.pipelines.iter().all(|pipeline| {
        pipeline.nesting == Nesting::Top && pipeline.commands.iter().all(|command| !command.program.is_empty())
    });
    if !is_plain || last.commands.len() < 2 || !last.commands.iter().skip(1).all(shows) {
        return None;
    }
    let number: usize = script.pipelines.iter().rev().skip(1).map(|pipeline| pipeline.commands.len()).sum();
    let end = case.words.iter().filter(|word| word.command == number).map(|word| word.range.end).max()?;
    let head = line.get(..end)?.trim_end().trim_end_matches("2>&1").trim_end();
    Some(format!("{head} 2>&1"))
}

/// A look on the other machine, where the line ran there.
fn elsewhere(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.name() == "ssh")?;
    let script = case.arguments_of(case.word_of(command)?).last().filter(|arg| arg.text.contains(' '))?;
    let folder = script
        .text
        .strip_prefix("cd ")
        .and_then(|rest| rest.split([' ', ';', '&']).next())
        .filter(|folder| !folder.contains(['$', '`', '"', '\'']));
    let look = folder
        .map_or_else(|| "pwd && ls -A".to_owned(), |folder| format!("{} && pwd && ls -A", line_of(["cd", folder])));
    let line = case.failed.line.as_deref()?;
    let made = format!("{}{}", line.get(..script.range.start)?, crate::shell::quoted_word(&look));
    let start = case.word_of(command)?.range.start;
    let deed = case.again_with(made.get(start..)?.to_owned())?;
    Some(Offer::new(
        "it ran on another machine",
        vec![Step::new("Look what is there", deed, "The folder on the other machine, and its names")],
    ))
}

/// The place of a script of the project that prints what was printed.
fn where_it_is_said(case: &Case<'_>) -> Option<Offer> {
    let command = case.command()?;
    let is_script = |word: &&PlacedWord| {
        let ending = word.text.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_named =
            matches!(ending, "sh" | "bash" | "zsh" | "py" | "rb" | "pl" | "js" | "mjs" | "cjs" | "ts" | "php");
        word.is_literal && is_named && word.text.len() <= 1024
    };
    let program = case.word_of(command)?;
    let script = is_script(&program).then_some(program).or_else(|| case.arguments_of(program).find(is_script))?;
    let said = case.failed.line_that_matters()?.trim_matches(|c: char| !c.is_alphanumeric());
    // What varies is not written in the script: its first words up to a figure, a path or a quote are.
    let words = said.split(['"', '\'', '`', ':', '/', '(', '[', '=']).map(str::trim);
    let words = words.map(|part| part.trim_end_matches(|c: char| c.is_ascii_digit()).trim());
    let text = words.filter(|part| part.contains(' ') && part.len() >= 8).max_by_key(|part| part.len())?;
    let deed = Deed::Search { text: text.to_owned(), folder: case.at(&script.text) };
    let shows = "The lines that say so, and what they ask for";
    let step = Step::new(format!("Find where the script says {}", quoted(text, 60)), deed, shows);
    Some(Offer::new("the script itself says it", vec![step]))
}

/// What a checker of Go could not load does not build: the compiler says why. A circle of imports is told by its packages.
fn what_does_not_build(case: &Case<'_>) -> Option<Offer> {
    let line = if case.says(&["failed to load packages", "could not load export data", "failed to load package"]) {
        "go build ./... 2>&1 | head -n 60"
    } else if case.says(&["build constraints exclude all Go files"]) {
        "grep -rnE \"^//go:build \" --include=*.go . | head -n 100"
    } else if case.says(&["no Go files in", "no packages loaded from"]) {
        "go list ./... | head -n 100"
    } else if case.says(&["import cycle not allowed"]) {
        "go list -e -f '{{.ImportPath}}: {{join .Imports \" \"}}' ./... | head -n 100"
    } else {
        return None;
    };
    let look = Step::new(
        "Let Go say which packages it cannot build",
        Deed::Run(case.in_folder(line)),
        "The packages, and what they import or lack",
    );
    Some(Offer::new("the packages do not fit together", vec![look]))
}

pub(in super::super) fn look_around(case: &Case<'_>) -> Offered {
    if super::ask::is_sealed(case) {
        return Err("only the password or key opens it, which a person has");
    }
    if !case.is_shell() && case.failed.file.is_none() {
        return Err("it ran in no folder");
    }
    if let Some(offer) = elsewhere(case).or_else(|| what_does_not_build(case)).or_else(|| where_it_is_said(case)) {
        return Ok(offer);
    }
    let name = case
        .command()
        .map(|command| command.raw.clone())
        .filter(|name| !name.is_empty() && !name.contains(['$', '`', '\n']) && name.len() <= 100);
    let asks = name.map(|name| format!("; {} || true", line_of(["command", "-v", &name]))).unwrap_or_default();
    let line = case.in_folder(&format!("pwd && ls -A{asks}"));
    Ok(Offer::new(
        "where it ran, and what is there, is not known",
        vec![Step::new(
            "Look where it ran and what is there",
            Deed::Run(line),
            "The folder, its names, and where the program is",
        )],
    ))
}
