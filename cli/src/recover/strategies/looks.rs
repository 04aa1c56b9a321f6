//! Looks at the state that a failure comes from. They change nothing, and each is for categories of its own.

use super::super::case::{Case, Offer, Offered, braced, join, name_of};
use super::super::look::FileKind;
use super::super::step::{Deed, PlanStep};
use super::lines::Own;
use super::names::read_the_help;
use super::sources::is_of_script;
use super::time::{host_from_elsewhere, lock_of, port_of};
use super::vcs::{look_at_conflict, look_at_vcs_state};
use crate::model::Category::{
    self, AuthRequired, BadArguments, CiCheckFailed, CommitHookFailed, CompileError, ConfigOrState, DependencyMissing,
    LintError, MergeConflict, Network, PathNotFound, RateLimit, RemoteNotFound, ResourceBusy, RuntimeError,
    ScriptError, ServiceError, TestFailure, Unknown, VcsState,
};
use crate::model::{FindingKind as Kind, ObjectKind};
use crate::programs::Trait;
use crate::programs::words::SHOWS;
use crate::redact::{names_secrets, redact_printed};
use crate::shell::{PlacedWord, line_of};
use crate::text::quoted;

/// A look: the categories that it is for, how sure it is to help, what it does, and how.
type StateLook = (&'static [Category], f64, &'static str, fn(&Case<'_>) -> Offered);

/// Every look. The first that is offered is made.
#[rustfmt::skip]
const LOOKS: &[StateLook] = &[
    (&[RemoteNotFound, PathNotFound, CompileError, RuntimeError, ScriptError, Unknown], 0.7, "List what the archive contains", look_at_archive),
    (&[BadArguments, TestFailure, PathNotFound, Unknown], 0.75, "List the tests", look_at_tests),
    (&[ResourceBusy], 0.6, "Find the process that uses it", look_at_holder),
    (&[ServiceError, Network, RateLimit], 0.6, "Check whether the service is running", look_at_service),
    (&[DependencyMissing], 0.6, "Compare what is installed with the manifest", look_at_dependencies),
    (&[ConfigOrState], 0.6, "Read which settings are needed", look_at_settings),
    (&[AuthRequired], 0.6, "Check which account is logged in", look_at_login),
    (&[VcsState], 0.6, "Show the branch, the changes and the stash", look_at_vcs_state),
    (&[MergeConflict], 0.7, "Read the conflict", look_at_conflict),
    (&[RemoteNotFound], 0.6, "List what exists on the remote", look_at_remote),
    (&[CommitHookFailed], 0.6, "Read what the hook runs", read_the_hook),
    (&[CiCheckFailed], 0.8, "Read what the failed checks printed", look_at_failed_checks),
    (&[BadArguments], 0.7, "Read what the program takes", read_the_help),
    (&[ScriptError, RuntimeError, Unknown, BadArguments], 0.8, "List the tables and their columns", look_at_tables),
    (&[ScriptError, RuntimeError, Unknown], 0.8, "Read what was piped into it", look_at_what_is_fed),
    (&[PathNotFound], 0.6, "List what there is to work on", look_at_packages),
    (&[Unknown, RuntimeError, ScriptError, CompileError, LintError, TestFailure, PathNotFound, BadArguments], 0.4, "Show the working directory and its contents", look_around),
];

pub(in super::super) fn look_at_state(case: &Case<'_>) -> Offered {
    let category = case.category();
    let mut refused = "no look is known for this category";
    for (_, confidence, does, look) in LOOKS.iter().filter(|(categories, ..)| categories.contains(&category)) {
        match look(case) {
            Ok(offer) => {
                let does = offer.description.clone().unwrap_or_else(|| (*does).to_owned());
                return Ok(Offer { confidence: Some(*confidence), ..offer }.doing(does));
            }
            Err(reason) => refused = reason,
        }
    }
    Err(refused)
}

/// What shows the state of the program that failed, in its folder.
fn shown_by(case: &Case<'_>, category: Category) -> Option<String> {
    let name = case.command()?.name();
    let rows = || SHOWS.iter().filter(|row| row.0 == category);
    let (_, _, line) = rows().find(|row| row.1.contains(&name)).or_else(|| rows().find(|row| row.1.is_empty()))?;
    // In braces, so that the whole list runs there.
    Some(if case.folder().is_empty() { (*line).to_owned() } else { case.in_folder(&braced(line)) })
}

/// What the one archive of the call contains.
fn look_at_archive(case: &Case<'_>) -> Offered {
    if super::ask::is_asked(case) {
        return Err("a person is wanted, or a terminal");
    }
    let kind =
        |word: &&PlacedWord| matches!(case.kind(&word.text), Some(FileKind::Packed(_) | FileKind::Tar | FileKind::Zip));
    let own = case.command().and_then(|command| case.word_of(command)).ok_or("no command was run")?;
    let archive =
        case.arguments_of(own).find(kind).filter(|word| word.is_literal).ok_or("the call names no archive")?;
    let path = &*archive.text;
    let lists = if case.kind(path) == Some(FileKind::Zip) {
        line_of(["unzip", "-l", path])
    } else {
        line_of(["tar", "-tf", path])
    };
    let line = format!("{}; {lists} | head -n 100", line_of(["ls", "-l", "--", path]));
    let step = PlanStep::new(
        format!("List {}", quoted(path, 80)),
        Deed::Run(case.in_folder(&braced(&line))),
        "Its size and its names",
    );
    Ok(Offer::new(format!("nothing shows what {} contains", quoted(path, 80)), vec![step]))
}

/// The tests that there are, where none has the name that was asked for.
fn look_at_tests(case: &Case<'_>) -> Offered {
    let said = case.failed.text.to_ascii_lowercase();
    let is_none = ["no tests", "no test ", "deselected", "0 tests"].iter().any(|words| said.contains(words));
    if !is_none || case.finds(&[Kind::UnknownOption, Kind::MissingModule]) {
        return Err("the output does not say that no test was found");
    }
    let line = shown_by(case, TestFailure).ok_or("how this runner lists its tests is not known")?;
    let step = PlanStep::new("List the tests", Deed::Run(line), "The names of the tests");
    Ok(Offer::new("no test has the name that was asked for", vec![step]))
}

fn look_at_holder(case: &Case<'_>) -> Offered {
    let line = match (port_of(case), lock_of(case)) {
        (_, Some(lock)) => format!(
            "{}; {} 2>/dev/null; ps -eo pid,etime,comm | head -n 50",
            line_of(["ls", "-l", "--", lock]),
            line_of(["fuser", "-v", lock])
        ),
        (Some(port), None) => format!("ss -ltnp \"sport = :{port}\" 2>/dev/null || lsof -nP -iTCP:{port} -sTCP:LISTEN"),
        (None, None) => "ps -eo pid,etime,comm --sort=-etime | head -n 50".to_owned(),
    };
    Ok(Offer::new(
        "the output does not name the process that uses it",
        vec![PlanStep::new("Find the process that uses it", Deed::Run(line), "The process that uses it, or none")],
    ))
}

/// The certificate of the server that the line that tells of it, or the call, names.
fn look_at_certificate(case: &Case<'_>) -> Option<Offer> {
    let said = case.finding(Kind::UntrustedCertificate)?.line;
    let call = case.failed.line.as_deref().unwrap_or_default();
    let (_, rest) = [said, call].into_iter().find_map(|text| text.split_once("https://"))?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".-:".contains(c))).unwrap_or(rest.len());
    let (host, port) = rest.get(..end)?.trim_end_matches(':').split_once(':').unwrap_or((rest.get(..end)?, "443"));
    let port: u16 = port.parse().ok().filter(|_| !host.is_empty() && !host.starts_with('-'))?;
    let line = format!(
        "openssl s_client -connect {host}:{port} -servername {host} </dev/null 2>/dev/null | openssl x509 -noout -issuer \
         -subject -dates"
    );
    let step = PlanStep::new("Show the certificate", Deed::Run(line), "Who issued it, for which name, and until when");
    Some(
        Offer::new("the server was reached, and its certificate is not trusted here", vec![step])
            .doing("Show the certificate"),
    )
}

fn look_at_service(case: &Case<'_>) -> Offered {
    if let Some(offer) = look_at_certificate(case) {
        return Ok(offer);
    }
    let line = match (shown_by(case, ServiceError), port_of(case)) {
        (Some(own), _) => own,
        (None, Some(port)) => format!("ss -ltnp 2>/dev/null | head -n 40; ss -ltn \"sport = :{port}\""),
        (None, None) => {
            "ss -ltn 2>/dev/null | head -n 40; env | cut -d= -f1 | grep -i proxy; getent hosts localhost".to_owned()
        }
    };
    let mut steps = vec![PlanStep::new(
        "Check whether the service is running",
        Deed::Run(line),
        "The process that listens, or none",
    )];
    if let Some(host) = host_from_elsewhere(case) {
        let deed = Deed::Search { text: host.to_owned(), folder: case.at(".") };
        steps.insert(
            0,
            PlanStep::new(format!("Find where {} is set", quoted(host, 80)), deed, "The file that names it"),
        );
    }
    Ok(Offer::new("the output does not show whether the service is running", steps))
}

fn look_at_dependencies(case: &Case<'_>) -> Offered {
    let line = shown_by(case, DependencyMissing).ok_or("nothing is known that lists what it has")?;
    Ok(Offer::new(
        "the manifest says what belongs to the project",
        vec![PlanStep::new(
            "Compare what is installed with the manifest",
            Deed::Run(line),
            "Whether the manifest names it",
        )],
    ))
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

fn look_at_settings(case: &Case<'_>) -> Offered {
    if case.finding(Kind::Untrusted).is_some() {
        return Err("only a person may trust a project's settings");
    }
    let told = TOLD.iter().map(|name| join(&case.folder(), name)).find(|path| case.looks.kind(path).is_some());
    let step = match told {
        Some(path) => PlanStep::new(
            format!("Read {}", quoted(&path, 60)),
            Deed::Read { path, from: None },
            "Which settings are needed, and their form",
        ),
        // Names only: values may be secrets.
        None => PlanStep::new(
            "List the settings by name",
            Deed::Run("env | cut -d= -f1 | sort; ls -A".to_owned()),
            "Whether the setting exists",
        ),
    };
    Ok(Offer::new("the project's files show which settings it needs", vec![step]))
}

fn look_at_login(case: &Case<'_>) -> Offered {
    if case.finding(Kind::CanNotSign).is_some() || super::ask::is_asked(case) {
        return Err("only a person has the key or the answer");
    }
    let line = shown_by(case, AuthRequired).ok_or("no command was run")?;
    Ok(Offer::new(
        "the output does not show which account is logged in",
        vec![PlanStep::new(
            "Check which account is logged in, without printing a secret",
            Deed::Run(line),
            "The account, or none",
        )],
    ))
}

fn look_at_remote(case: &Case<'_>) -> Offered {
    let line = shown_by(case, RemoteNotFound).ok_or("no command was run")?;
    Ok(Offer::new(
        "the remote lists its names",
        vec![PlanStep::new("List what exists", Deed::Run(line), "The names on the remote")],
    ))
}

fn look_at_failed_checks(case: &Case<'_>) -> Offered {
    let step = match case.printed().checks_run() {
        Some(id) => PlanStep::new(
            "Read what the failed jobs printed",
            Deed::Run(format!("{} | tail -n 120", line_of(["gh", "run", "view", id, "--log-failed"]))),
            "The error of the job",
        ),
        None => PlanStep::new(
            "Look which checks failed",
            Deed::Run("gh run list --status failure --limit 5".to_owned()),
            "The runs that failed, with their numbers",
        ),
    };
    Ok(Offer::new("the checks ran elsewhere, and their logs say why they failed", vec![step]))
}

/// Where a project says what its hooks run.
const HOOKS: &[&str] = &[
    ".pre-commit-config.yaml",
    ".husky/pre-commit",
    ".husky/commit-msg",
    "lefthook.yml",
    ".lefthook.yml",
    ".git/hooks/pre-commit",
    ".git/hooks/commit-msg",
];

fn read_the_hook(case: &Case<'_>) -> Offered {
    let found = HOOKS.iter().map(|name| join(&case.folder(), name)).find(|path| case.looks.kind(path).is_some());
    if let Some(own) = case.printed().hook_command() {
        let run = PlanStep::new("Run what failed in the hook", Deed::Run(case.in_folder(&own)), "What it complains of");
        return Ok(Offer::new(
            format!("in the hook {} failed: until it passes no commit does", quoted(&own, 100)),
            vec![run],
        ));
    }
    let step = match found {
        Some(path) => {
            PlanStep::new(format!("Read {}", quoted(&path, 60)), Deed::Read { path, from: None }, "What the hook runs")
        }
        None => PlanStep::new(
            "Look what the hook runs",
            Deed::Run("ls -A .husky .git/hooks 2>/dev/null; git diff --cached --stat".to_owned()),
            "The hook, and what is staged",
        ),
    };
    Ok(Offer::new("what the hook checks can be run without a commit", vec![step]))
}

/// What stands before the pipe into a program that reads data, where that was given other text.
pub(in super::super) fn fed_with_other_text<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    case.finding(Kind::BadSyntax).or(case.finding(Kind::NoInput))?;
    let script = case.script.as_ref()?;
    let [pipeline] = script.pipelines.as_slice() else { return None };
    let reader =
        pipeline.commands.last().filter(|reader| pipeline.commands.len() > 1 && !reader.is(Trait::Displays))?;
    let line = case.failed.line.as_deref()?;
    let program = case.words.iter().find(|word| word.command + 1 == pipeline.commands.len())?;
    let is_read = reader.is(Trait::Filters) || reader.program_is(Trait::TakesCode);
    let fed = line.get(..program.range.start)?.trim_end().trim_end_matches(['|', '&']).trim_end();
    is_read.then_some(fed)
}

fn look_at_tables(case: &Case<'_>) -> Offered {
    let own = Own::of(case, &["sqlite"]).filter(|_| case.printed().misses_table() || case.printed().misses_column());
    let own = own.ok_or("no table or column is missing")?;
    let database = own.args.iter().find(|word| word.is_literal && !word.text.starts_with('-'));
    let database = database.ok_or("the line names no database")?;
    let line = line_of([&own.program.text, "-readonly", &database.text, ".schema"]);
    let step = PlanStep::new("List the tables", Deed::Run(case.in_folder(&line)), "The tables and their columns");
    Ok(Offer::new(format!("{} has no table or column of that name", quoted(&database.text, 80)), vec![step]))
}

fn look_at_what_is_fed(case: &Case<'_>) -> Offered {
    let fed = fed_with_other_text(case).ok_or("nothing was piped into it")?;
    if crate::decide::may_have_taken_effect(fed) {
        return Err("the call before the pipe may have taken effect");
    }
    let step = PlanStep::new(
        "Run the call before the pipe by itself",
        Deed::Run(format!("{} 2>&1 | head -c 2000", braced(fed))),
        "An error message, an empty answer, or text that is no data",
    );
    Ok(Offer::new("what it was given through the pipe is not what it reads", vec![step]))
}

fn look_at_packages(case: &Case<'_>) -> Offered {
    if case.finding(Kind::NoProject).is_none() {
        return Err("its folder is not what is missing");
    }
    let line = shown_by(case, PathNotFound).ok_or("nothing is known that lists what the program works on")?;
    let step = PlanStep::new("List what there is to work on", Deed::Run(line), "The folders to name in the call");
    Ok(Offer::new("the sources are in other folders: name one of them, or all", vec![step]))
}

/// A look on the other machine, where the line ran there.
fn elsewhere(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.is(Trait::RunsElsewhere))?;
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
        vec![PlanStep::new(
            "Show the working directory and its contents",
            deed,
            "The folder on the other machine, and its names",
        )],
    ))
}

/// The place of a script of the project that prints what was printed.
fn where_it_is_said(case: &Case<'_>) -> Option<Offer> {
    let command = case.command()?;
    let is_script = |word: &&PlacedWord| word.is_literal && is_of_script(&word.text) && word.text.len() <= 1024;
    let program = case.word_of(command)?;
    let script = is_script(&program).then_some(program).or_else(|| case.arguments_of(program).find(is_script))?;
    let said = case.failed.line_that_matters()?.trim_matches(|c: char| !c.is_alphanumeric());
    // What varies is not written in the script: its first words up to a figure, a path or a quote are.
    let words = said.split(['"', '\'', '`', ':', '/', '(', '[', '=']).map(str::trim);
    let words = words.map(|part| part.trim_end_matches(|c: char| c.is_ascii_digit()).trim());
    let text = words.filter(|part| part.contains(' ') && part.len() >= 8).max_by_key(|part| part.len())?;
    case.looks.text(&case.at(&script.text)).filter(|script| script.contains(text))?;
    let deed = Deed::Search { text: text.to_owned(), folder: case.at(&script.text) };
    let shows = "The lines that say so, and what they ask for";
    let step = PlanStep::new(format!("Find where the script says {}", quoted(text, 60)), deed, shows);
    Some(Offer::new("the script itself says it", vec![step]))
}

/// The look at what a call was given to read.
pub(super) fn input_look(step: PlanStep) -> Offer {
    Offer::new("what it was given to read is in that file", vec![step]).doing("Read the file that it was given")
}

/// The first lines of the one file of the project that the call names as data.
pub(super) fn beginning_of_the_input(case: &Case<'_>) -> Option<PlanStep> {
    let command = case.command().filter(|command| !command.is(Trait::TakesCode) && !command.is(Trait::Interpreter))?;
    // Of what holds a secret nothing is shown.
    let is_shown = |path: &str| {
        let text = case.looks.beginning(path).unwrap_or_default();
        !names_secrets(path) && redact_printed(&text) == text
    };
    let is_data = |word: &&PlacedWord| {
        let path = case.at(&word.text);
        let is_file = case.looks.kind(&path).is_some_and(|kind| kind != FileKind::Dir);
        word.is_literal && is_file && case.looks.is_own(&path) && is_shown(&path)
    };
    let mut files = case.arguments_of(case.word_of(command)?).filter(is_data);
    let (file, None) = (files.next()?, files.next()) else { return None };
    let is_text = case.kind(&file.text) == Some(FileKind::Text);
    let line = if is_text {
        format!("{} | cut -c1-200", line_of(["head", "-n", "20", "--", &file.text]))
    } else {
        let (kind, bytes) = (line_of(["file", "--", &file.text]), line_of(["head", "-c", "64", "--", &file.text]));
        format!("{kind} 2>/dev/null; {bytes} | od -c")
    };
    let line = case.in_folder(&line);
    let action = format!("Read the beginning of {}", quoted(&file.text, 80));
    Some(PlanStep::new(action, Deed::Run(line), "Whether it contains what the call asks for"))
}

/// What lists the files of the project whose path holds the name of the one that is missed.
fn named_like_it(case: &Case<'_>) -> Option<String> {
    let missed = [ObjectKind::File, ObjectKind::Module].into_iter().find_map(|kind| case.failed.object(kind))?;
    let name = name_of(missed).split('.').find(|part| part.len() > 2)?;
    let is_plain = name.len() <= 60 && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    let find = format!("; find . -ipath '*{name}*' -not -path '*/.git/*' -not -path '*/node_modules/*' | head -n 20");
    is_plain.then_some(find)
}

fn look_around(case: &Case<'_>) -> Offered {
    if super::ask::is_asked(case) {
        return Err("a person is wanted, or a terminal");
    }
    if !case.is_shell() && case.failed.file.is_none() {
        return Err("it ran in no folder");
    }
    if let Some(offer) = elsewhere(case).or_else(|| where_it_is_said(case)) {
        return Ok(offer);
    }
    if let Some(step) = beginning_of_the_input(case) {
        return Ok(input_look(step));
    }
    let name = case
        .command()
        .map(|command| command.raw.clone())
        .filter(|name| !name.is_empty() && !name.contains(['$', '`', '\n']) && name.len() <= 100);
    let asks = name.map(|name| format!("; {} || true", line_of(["command", "-v", &name]))).unwrap_or_default();
    let line = case.in_folder(&format!("pwd && ls -A{}{asks}", named_like_it(case).unwrap_or_default()));
    Ok(Offer::new(
        "the working directory and its contents are not known",
        vec![PlanStep::new(
            "Show the working directory and its contents",
            Deed::Run(line),
            "The working directory, its contents, and the program's path",
        )],
    ))
}
