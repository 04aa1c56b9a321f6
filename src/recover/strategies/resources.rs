//! Memory, disk and limits, and settings that are missing.

use super::super::case::{Case, Offer, Offered, join};
use super::super::step::{Deed, Step};
use super::settings::{Setting, own_limit};
use crate::shell::{Command, Nesting, PlacedWord, Script, WordRole, line_of};
use crate::text::quoted;

pub(in super::super) fn look_at_limits(_: &Case<'_>) -> Offered {
    let line = "df -h . \"${TMPDIR:-/tmp}\"; df -i . \"${TMPDIR:-/tmp}\"; ulimit -a; free -m 2>/dev/null";
    Ok(Offer::new(
        "which resource is used up decides",
        vec![Step::new("Look what is used up", Deed::Run(line.to_owned()), "The disk, memory or limit that is full")],
    ))
}

pub(in super::super) fn raise_limit(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if let Some((source, setting, value)) = own_limit(case) {
        let what = match &setting {
            Setting::Flag(name) | Setting::Variable(name) => quoted(name, 60),
        };
        let state = format!("{} sets the limit itself, by {what}", quoted(&source.path, 80));
        let step = source.again(case, &[(setting, value)]).ok_or("its command line is not whole")?;
        let step = Step::work(format!("Raise it by {what}"), step, "It ends within the limit");
        return Ok(Offer::new(state.clone(), vec![step]).seen(state));
    }
    if case.says(&["Java heap space"])
        && let Some(word) = case.words.iter().find(|word| word.text.starts_with("-Xmx"))
    {
        let step = case.again_replacing(&[(word, "-Xmx2g")]).ok_or("its command line is not whole")?;
        let what = "the memory that Java takes for its heap is limited by the line";
        return Ok(Offer::new(what, vec![Step::work("Raise it", step, "It ends within the memory")]).seen(what));
    }
    let (setting, what) = if case.says(&["JavaScript heap out of memory", "Reached heap limit"]) {
        (
            "export NODE_OPTIONS=\"${NODE_OPTIONS:-} --max-old-space-size=4096\"",
            "the memory that Node takes for its heap",
        )
    } else if case.says(&["Too many open files", "EMFILE"]) {
        ("ulimit -n \"$(ulimit -H -n)\"", "the number of open files")
    } else if case.says(&["RecursionError", "maximum recursion depth", "Maximum call stack"]) {
        return Err("a recursion without an end fills every limit");
    } else {
        return Err("no limit that this user may raise is named");
    };
    if line.contains("max-old-space-size") || line.contains("ulimit -n") {
        return Err("the line raises the limit already");
    }
    let step = case.again_with(format!("{setting} && {line}")).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        format!("{what} is limited below what the machine has"),
        vec![Step::work(format!("Raise {what}"), step, "It ends within the limit")],
    )
    .seen(format!("{what} is used up")))
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
        .again_with_text(behind, &format!("{} {words}", crate::shell::quoted_word(&behind.text)))
        .ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "one job at a time takes the least memory",
        vec![Step::work("Run one job at a time", step, "It ends within the memory")],
    ))
}

pub(in super::super) fn call_in_portions(case: &Case<'_>) -> Offered {
    if !case.says(&["argument list too long", "E2BIG"]) {
        return Err("its words are not too many");
    }
    let line = case.failed.line.as_deref().filter(|_| case.is_whole()).ok_or("its command line is not whole")?;
    let has_pattern = |word: &&PlacedWord| !word.is_literal && word.text.contains(['*', '?']) && !word.text.contains(['$', '`']);
    let mut patterns = case.words.iter().filter(|word| word.role == WordRole::Argument).filter(has_pattern);
    let pattern = patterns.next().ok_or("no pattern of the line stands for the names")?;
    if patterns.next().is_some() {
        return Err("several patterns of the line stand for names");
    }
    let is_program = |word: &&PlacedWord| word.command == pattern.command && word.role == WordRole::Program;
    let program = case.words.iter().find(is_program).ok_or("its command line is not whole")?;
    let own: Vec<&PlacedWord> = case.arguments_of(program).collect();
    let raw = |word: &PlacedWord| line.get(word.range.clone()).unwrap_or_default().to_owned();
    let mut words = vec![raw(program)];
    words.extend(own.iter().filter(|word| word.range.start < pattern.range.start).map(|word| raw(word)));
    let behind: Vec<&&PlacedWord> = own.iter().filter(|word| word.range.start > pattern.range.start).collect();
    match behind.as_slice() {
        [] => {}
        [target] if matches!(&*program.text, "cp" | "ln" | "install") => words.extend(["-t".to_owned(), raw(target)]),
        _ => return Err("words stand behind the names"),
    }
    let end = behind.last().map_or(pattern.range.end, |word| word.range.end);
    let made = format!("printf \"%s\\0\" {} | xargs -0 {}", raw(pattern), words.join(" "));
    let step = case.again_edited(vec![(program.range.start..end, made)]).ok_or("its command line is not whole")?;
    let state = format!("{} stands for more names than one call takes", quoted(&pattern.text, 60));
    Ok(Offer::new(state.clone(), vec![Step::work("Hand the names over in portions", step, "Each call takes what fits")]).seen(state))
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
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if crate::decide::may_have_taken_effect(line) {
        return Err("making it again might do something twice");
    }
    let is_null = |word: &&PlacedWord| word.role == WordRole::Target && word.text == "/dev/null";
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

pub(in super::super) fn look_around(case: &Case<'_>) -> Offered {
    if !case.is_shell() && case.failed.file.is_none() {
        return Err("it ran in no folder");
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
