//! Completions for shells and pages for `man`, in the user's own data folders, where shells and `man` look for them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use failwise::error::Error;
use failwise::journal::read_small;
use failwise::model::Host;
use failwise::settings::SETTINGS;

use crate::wiring::NAME;

/// The file next to the plugin that lists what was written, a place below the data folder a line.
const LIST: &str = "shell-files";
/// The largest list that is read, in bytes.
const LARGEST_LIST: u64 = 256 * 1024;
/// The shells, each with the place of its completions below the data folder.
const COMPLETIONS: &[(Shell, &str)] = &[
    (Shell::Bash, "bash-completion/completions/failwise"),
    (Shell::Zsh, "zsh/site-functions/_failwise"),
    (Shell::Fish, "fish/vendor_completions.d/failwise.fish"),
];
/// The place of manual pages below the data folder.
const MANUAL: &str = "man/man1";

/// Every file with its text, by its place below the data folder.
fn shell_files() -> std::io::Result<Vec<(String, String)>> {
    let command = crate::whole_command();
    let help = Command::new("help").about("Show the help of a command");
    let mut completed = without_old_names(&command).subcommand(help);
    let mut files = Vec::new();
    for (shell, place) in COMPLETIONS {
        let mut text = Vec::new();
        generate(*shell, &mut completed, NAME, &mut text);
        files.push(((*place).to_owned(), String::from_utf8_lossy(&text).into_owned()));
    }
    pages(&command, NAME, &mut files)?;
    Ok(files)
}

/// A command with the subcommands that its help has.
fn without_old_names(command: &Command) -> Command {
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set()).map(without_old_names);
    let about = command.get_about().cloned().unwrap_or_default();
    // A name lives as long as the process: there are some eighty.
    let name: &'static str = command.get_name().to_owned().leak();
    // In zsh an option of all commands hides that of one, which may take other values.
    let is_own = |argument: &&Arg| name != NAME || !["format", "json"].contains(&argument.get_id().as_str());
    let arguments = command.get_arguments().filter(is_own).cloned().map(with_values);
    let bare = Command::new(name).about(about).version(env!("CARGO_PKG_VERSION")).args(arguments);
    bare.disable_help_flag(true).disable_version_flag(true).disable_help_subcommand(true).subcommands(shown)
}

/// An argument with the values that it takes, where the parser's own words for another one name them.
fn with_values(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "host" => argument.value_parser(Host::ALL.map(Host::as_str)),
        "key" => argument.value_parser(SETTINGS.iter().map(|setting| setting.key).collect::<Vec<_>>()),
        "values" => {
            let words = SETTINGS.iter().flat_map(|setting| setting.takes.split('`').skip(1).step_by(2));
            argument.value_parser(words.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>())
        }
        _ => argument,
    }
}

/// The notes and examples of a help, for `man`: what is indented is to be typed, and keeps its lines.
fn manual_notes(help: &str) -> String {
    let mut text = ".SH NOTES AND EXAMPLES\n".to_owned();
    let mut kept = false;
    for line in help.lines() {
        let is_kept = line.starts_with(' ') || line.is_empty() && kept;
        if is_kept != kept {
            text += if is_kept { ".PP\n.nf\n" } else { ".fi\n.PP\n" };
        } else if line.is_empty() {
            text += ".PP\n";
        }
        kept = is_kept;
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        text += if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        text += &(line + "\n");
    }
    text + if kept { ".fi\n" } else { "" }
}

/// The page of a command and those of its subcommands.
fn pages(command: &Command, name: &str, files: &mut Vec<(String, String)>) -> std::io::Result<()> {
    let mut text = Vec::new();
    let help = command.get_after_long_help().or_else(|| command.get_after_help()).map(ToString::to_string);
    let bare = command.clone().version(env!("CARGO_PKG_VERSION")).after_help(None).after_long_help(None);
    Man::new(bare).render(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned() + &manual_notes(&help.unwrap_or_default());
    files.push((format!("{MANUAL}/{name}.1"), text));
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help") {
        pages(inner, &format!("{name}-{}", inner.get_name()), files)?;
    }
    Ok(())
}

/// Writes them, takes away what an older version wrote beside, and gives the places that something else is in.
///
/// # Errors
/// When one cannot be written.
pub(super) fn put_files(base: &Path) -> Result<Vec<PathBuf>, Error> {
    let Some(data) = base.parent() else { return Ok(Vec::new()) };
    let before = own_places(base);
    let is_free =
        |place: &str| before.iter().any(|own| own == place) || fs_err::symlink_metadata(data.join(place)).is_err();
    let (own, foreign): (Vec<_>, Vec<_>) = shell_files()?.into_iter().partition(|(place, _)| is_free(place));
    let (kept, gone): (Vec<String>, Vec<String>) =
        before.iter().cloned().partition(|place| own.iter().any(|(new, _)| new == place));
    // The list comes first: what a killed run wrote is taken away, too.
    let new = own.iter().map(|(place, _)| place).filter(|place| !kept.contains(place));
    let list = |places: Vec<&String>| places.into_iter().fold(String::new(), |all, place| all + place + "\n");
    crate::outputs::replace(&base.join(LIST), &list(before.iter().chain(new).collect()))?;
    for (place, text) in &own {
        crate::outputs::put(&data.join(place), text)?;
    }
    remove_files(data, &gone);
    crate::outputs::replace(&base.join(LIST), &list(own.iter().map(|(place, _)| place).collect()))?;
    Ok(foreign.into_iter().map(|(place, _)| data.join(place)).collect())
}

/// Whether anything was written that is listed.
pub(super) fn has_files(base: &Path) -> bool {
    base.join(LIST).exists()
}

/// Removes what was written, and folders that are empty then.
pub(super) fn remove(base: &Path) {
    let Some(data) = base.parent() else { return };
    remove_files(data, &own_places(base));
    let _ = std::fs::remove_file(base.join(LIST));
}

/// What was written, by its place below the data folder.
fn own_places(base: &Path) -> Vec<String> {
    let text = read_small(&base.join(LIST), LARGEST_LIST).unwrap_or_default();
    let is_own = |line: &&str| {
        let page = line.strip_prefix(MANUAL).and_then(|page| page.strip_prefix('/'));
        COMPLETIONS.iter().any(|(_, place)| line == place)
            || page.is_some_and(|page| page.starts_with(NAME) && !page.contains('/'))
    };
    text.lines().filter(is_own).map(str::to_owned).collect()
}

fn remove_files(data: &Path, places: &[String]) {
    for path in places.iter().map(|place| data.join(place)) {
        let _ = std::fs::remove_file(&path);
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != data) {
            // One with something in it stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}
