//! Calls that met a machine other than they needed: a missing program, another version, shell or folder, a full disk, a
//! setting that outranks the one that was asked for.

use crate::model::{Category, ObjectKind};
use crate::programs::calls::{OTHER_OPTIONS, OTHER_PROGRAMS, OTHER_SYSTEMS, SETS_FOR_ALL};
use crate::programs::words::IN_PLACE;
use crate::programs::{self, Trait};
use crate::reading::begins_with_name;
use crate::shell::Script;
use crate::text::file_name;

use super::Mode as M;
use super::arguments::stream_of;
use super::facts::{CallFacts, has_word};
use super::network::{is_of_the_work, not_a_test};
use super::row::{ModeRow, Seen, failed, finds, means, passed};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::VersionMismatch, 95, K::WrongVersion),
    finds(M::PlatformPortability, 95, K::WrongShell),
    finds(M::PlatformPortability, 95, K::CarriageReturn),
    finds(M::PlatformPortability, 95, K::WrongPlatform),
    finds(M::PlatformPortability, 95, K::IllegalOption).only(differs_by_system),
    finds(M::DependencyDiscovery, 94, K::MissingProgram),
    finds(M::DependencyDiscovery, 93, K::MissingModule).only(|facts| !facts.is_of(&[Category::LintError])),
    finds(M::DependencyDiscovery, 93, K::MissingLibrary),
    finds(M::DependencyDiscovery, 96, K::MissingService),
    finds(M::DependencyDiscovery, 91, K::UnsetVariable),
    finds(M::WorkingDirectory, 95, K::NoProject).only(|facts| !names_its_file(facts)),
    // Where the call says itself what is written, nothing is written unasked.
    finds(M::FilesystemSideEffects, 96, K::DiskFull)
        .only(|facts| facts.command().is_none_or(|command| !command.writes_a_file())),
    finds(M::FilesystemSideEffects, 95, K::ReadOnlyDisk),
    finds(M::FilesystemSideEffects, 94, K::RefusedCache),
    finds(M::SymlinkLoop, 95, K::LinkLoop),
    finds(M::ConfigShadowing, 95, K::NoDestination),
    finds(M::ConfigShadowing, 95, K::BadConfig),
    finds(M::ConfigShadowing, 98, K::ShadowedSetting),
    finds(M::LocaleErrors, 95, K::OtherLanguage).only(is_said_here),
    finds(M::LocaleErrors, 93, K::UnfitLocale).only(is_said_here),
    // The shell and the system.
    failed(M::PlatformPortability, 97, of_another_system),
    // What is missing.
    means(M::DependencyDiscovery, 90, &[Category::CommandNotFound]),
    means(M::DependencyDiscovery, 88, &[Category::DependencyMissing]),
    failed(M::DependencyDiscovery, 90, lacks_program),
    failed(M::DependencyDiscovery, 86, lacks_setting).last(),
    failed(M::DependencyDiscovery, 84, silent_127).last(),
    // The folder.
    failed(M::WorkingDirectory, 91, lacks_project_file),
    failed(M::WorkingDirectory, 82, missing_relative_path).last(),
    // Too little to be a match: worth a question.
    means(M::WorkingDirectory, 60, &[Category::PathNotFound]),
    means(M::ConfigShadowing, 55, &[Category::ConfigOrState]),
    means(M::DependencyDiscovery, 45, &[Category::ConfigOrState, Category::ToolUnavailable]),
    means(M::FilesystemSideEffects, 40, &[Category::PermissionDenied, Category::ResourceExhausted]),
    // What outranks what was asked for.
    failed(M::ConfigShadowing, 95, options_from_file),
    failed(M::ConfigShadowing, 86, refused_setting).last(),
    passed(M::GlobalConfig, 88, changes_everything),
];

/// Whether the call itself names the file that is not there: in another folder it would not be there, either.
fn names_its_file(facts: &CallFacts<'_>) -> bool {
    let is_file = |arg: &str| arg.contains('/') && file_name(arg).trim_matches('.').contains('.');
    let is_named = |line: &str| {
        facts.command().is_some_and(|own| own.args.iter().any(|arg| is_file(arg) && line.contains(&**arg)))
    };
    facts.found(K::NoProject).any(|(_, found)| is_named(found.line))
}

/// The file by which a program knows its project, which the call does not name: it is looked for where the call ran.
fn lacks_project_file(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    if !not_a_test(facts) || [Trait::Interpreter, Trait::Shell, Trait::TakesCode].into_iter().any(|w| command.is(w)) {
        return None;
    }
    // With a folder before it, a name is that of another place.
    let is_project_file = |word: &str| {
        let word = word.trim_matches(|c: char| "'\"`:;,.()[]".contains(c)).trim_start_matches("./");
        let is_named = word.ends_with("file") && word.starts_with(|c: char| c.is_ascii_uppercase()) && word.len() > 5;
        let of_build = word.split_once('.').is_some_and(|(stem, ending)| {
            matches!(&*stem.to_ascii_lowercase(), "build" | "package" | "project" | "pom" | "meson") && ending.len() < 8
        });
        (is_named || of_build || is_settings_file(word))
            && !word.contains(['/', '\\', '=', '<', '*'])
            && !facts.holds_word(word)
    };
    let missing = [K::MissingFile, K::NotThere, K::NoProject].into_iter().flat_map(|kind| facts.found(kind));
    let (stream, found) = { missing }.find(|(_, found)| found.line.split_whitespace().any(is_project_file))?;
    Some(Seen::line(stream, found.line))
}

/// An option or a program of another system.
fn of_another_system(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let refused = facts.line_with(&["invalid option", "illegal option", "unknown option", "unrecognized option"]);
    if let Some((stream, line)) = refused
        && OTHER_SYSTEMS.iter().any(|(program, option)| {
            let named = command.name() == *program || begins_with_name(line, program);
            named
                && facts.call.command().is_some_and(|line| line.split_whitespace().any(|word| word.starts_with(option)))
        })
    {
        return Some(Seen {
            words: Some("the option is one of another system's program".to_owned()),
            line: Some((stream, line.to_owned())),
        });
    }
    if let Some((stream, line)) = facts.line_with(&["command not found", ": not found"]) {
        let cmdlet = |name: &str| {
            name.split_once('-').is_some_and(|(verb, noun)| {
                verb.starts_with(|c: char| c.is_ascii_uppercase()) && noun.starts_with(|c: char| c.is_ascii_uppercase())
            })
        };
        let named = facts.script.into_iter().flat_map(Script::programs).find(|(_, c)| {
            line.contains(&c.program) && (OTHER_PROGRAMS.contains(&c.program.as_str()) || cmdlet(&c.program))
        });
        return named.map(|(_, c)| Seen {
            words: Some(format!("`{}` is a program of another system", crate::text::start(&c.program, 40))),
            line: Some((stream, line.to_owned())),
        });
    }
    let empty_suffix = IN_PLACE.iter().any(|(program, letter)| {
        let is_it = |option: &str| option.chars().eq(['-', *letter]);
        command.name() == *program
            && command.args.windows(2).any(|pair| matches!(pair, [option, empty] if is_it(option) && empty.is_empty()))
    });
    let (stream, line) = facts.line_with(&["can't read"]).filter(|_| empty_suffix)?;
    Some(Seen {
        words: Some("`-i ''` is how another system's sed is called".to_owned()),
        line: Some((stream, line.to_owned())),
    })
}

fn silent_127(facts: &CallFacts<'_>) -> Option<Seen> {
    (facts.call.exit_code == Some(127)).then(|| Seen::words("status 127 means that a program was not found"))
}

/// Options that a file adds to the call.
fn options_from_file(facts: &CallFacts<'_>) -> Option<Seen> {
    facts.finding(K::UnknownOption)?;
    facts.finding(K::SettingsFile)
}

/// Programs of the system whose options differ from one system to the next.
fn differs_by_system(facts: &CallFacts<'_>) -> bool {
    facts.is_program(OTHER_OPTIONS)
}

/// A setting or service that the reading names.
fn lacks_setting(facts: &CallFacts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::ConfigOrState)?;
    let line = reading.line.as_deref()?;
    let missing =
        ["not set", "not found", "missing", "not configured", "unset", "undefined", "is required", "not defined"];
    let lower = line.to_ascii_lowercase();
    let is_config = ["config", "conf ", ".yaml", ".toml", ".json"].iter().any(|word| lower.contains(word));
    (missing.iter().any(|word| lower.contains(word)) && !is_config).then(|| Seen::line(stream_of(facts, line), line))
}

/// A program that the call does not name and that is not there: one that is known, or that the output says to install.
fn lacks_program(facts: &CallFacts<'_>) -> Option<Seen> {
    if !not_a_test(facts) {
        return None;
    }
    // With a capital it begins a sentence.
    let is_plain =
        |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_+".contains(&b));
    let is_program = |name: &str| {
        let installs = || format!("install {name}");
        programs::find(name).is_some() || facts.line_with(&[&installs()]).is_some()
    };
    let missing = facts.found(K::NotThere).filter_map(|(stream, found)| Some((stream, found.line, found.name?)));
    let (stream, line, _) = { missing }
        .find(|(_, _, name)| name.len() > 1 && is_plain(name) && !facts.names_in_call(name) && is_program(name))?;
    Some(Seen::line(stream, line))
}

/// Whether a word names a file of settings.
pub(super) fn is_settings_file(word: &str) -> bool {
    const ENDINGS: &[&str] =
        &[".conf", ".cfg", ".config", ".ini", ".toml", ".yaml", ".yml", ".json", ".jsonc", ".properties", ".rc"];
    let name = file_name(word.trim_matches(|c: char| "'\"`:;,.()[]".contains(c)));
    // What a package manager wrote sets nothing.
    if name.contains("lock") {
        return false;
    }
    let is_rc = name.len() > 3 && name.starts_with('.') && name.ends_with("rc");
    is_rc || ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// What the reading says of a configuration that lies in a file, which the call does not name.
fn refused_setting(facts: &CallFacts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::ConfigOrState)?;
    let line = reading.line.as_deref()?;
    let lower = line.to_ascii_lowercase();
    let is_setting = ["config", "conf ", "setting", ".yaml", ".toml"].iter().any(|word| lower.contains(word));
    let mut words = facts.lines().take(MOST_NEAR).flat_map(|(_, line)| line.split_whitespace());
    let in_file = is_setting && words.any(|word| is_settings_file(word) && !facts.names_in_call(word));
    in_file.then(|| Seen::line(stream_of(facts, line), line))
}

/// So many lines are looked at for the name of a file.
const MOST_NEAR: usize = 60;

/// A file that was named from the folder the call ran in.
fn missing_relative_path(facts: &CallFacts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::PathNotFound)?;
    let line = reading.line.as_deref()?;
    let object = reading
        .objects
        .iter()
        .find(|object| object.kind == ObjectKind::File)
        .map(|o| o.name.as_str())
        .or(reading.files.first().map(String::as_str))?;
    let command = facts.command()?;
    let named = command.args.iter().any(|arg| arg.trim_start_matches("./") == object.trim_start_matches("./"));
    // A script or manifest that is run from the wrong folder; what only looks is answered by its own line.
    let runs = command.is(Trait::Interpreter) || command.is(Trait::RunsScript) || command.is(Trait::Tasks);
    (named && runs && !object.starts_with(['/', '~'])).then(|| Seen::line(stream_of(facts, line), line))
}

/// Whether the words are the program's own, not those of what it shows.
fn is_said_here(facts: &CallFacts<'_>) -> bool {
    !is_of_the_work(facts) && (!facts.displays() || facts.call.exit_code.is_some_and(|code| code != 0))
}

/// Commands that write a setting which outlives the task, and the words with which they only read or stay local.
fn changes_everything(facts: &CallFacts<'_>) -> Option<Seen> {
    let writes = facts.command().is_some_and(|command| {
        let words = command.args.iter().filter(|arg| !arg.starts_with('-')).count();
        // A name without a value is read.
        command.is_one_of(SETS_FOR_ALL) && (words >= 3 || !has_word(command, &["--global", "--system"]))
    });
    let isolated = facts.command().is_some_and(|command| {
        command.assignments.iter().any(|(name, _)| {
            matches!(
                name.as_str(),
                "HOME"
                    | "GIT_CONFIG_GLOBAL"
                    | "XDG_CONFIG_HOME"
                    | "KUBECONFIG"
                    | "NPM_CONFIG_USERCONFIG"
                    | "AWS_CONFIG_FILE"
                    | "CLOUDSDK_CONFIG"
            )
        })
    });
    (writes && !isolated)
        .then(|| Seen::words("the command writes a setting of the user, which every later session meets"))
}
