//! `failwise config`: every setting, its value and where it comes from; and one of them set.

mod edit;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::HISTORY;
use failwise::place::Place;
use failwise::project;
use failwise::settings::{PROJECT_FILE, Problem, SETTINGS, Setting, Settings, Source, Weakening};
use failwise::store::TeamTrust;

use crate::inputs::own_text;
use crate::people;
use crate::style::{Format, PrintArgs, Style, print_pretty, shown, shown_path};
use crate::wiring::{NAME, Wiring, client_home};

/// Show every setting with its source; get, set or unset one
///
/// Without a command it shows all of them, and compiles the trusted patterns of the project's file for the hook.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 done, 1 a pattern of the project is unusable, or an agent asked for a change, 64 wrong \
        command line, 65 a file cannot be changed by a command, 74 a file could not be read or written.\n\n\
        Examples:\n  failwise config\n  failwise config get guard\n  failwise config set advice quiet\n  \
        failwise config set --project polling \"gh run watch\"\n  failwise config set failwise off"
)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    task: Option<ConfigCommand>,
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    Get(ConfigGetArgs),
    Set(ConfigSetArgs),
    Unset(ConfigUnsetArgs),
}

/// Print the value of one setting
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise config get guard\n  failwise config get advice --json")]
struct ConfigGetArgs {
    /// The setting, as `failwise config` names it
    #[arg(value_name = "SETTING", default_value = "", hide_default_value = true)]
    key: String,
    #[command(flatten)]
    print: PrintArgs,
}

/// Set one setting for yourself or for this project; only for people
///
/// Your own settings are written to Claude Code's settings.json, those of a project to its .claude/failwise.toml. Every
/// other line of the file stays as it is. New sessions use the value.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise config set advice quiet\n  \
    failwise config set --project expected_failures \"make -q\" ./is-deployed")]
struct ConfigSetArgs {
    /// The setting, as `failwise config` names it
    #[arg(value_name = "SETTING")]
    key: String,
    /// Its value; a list takes several
    #[arg(value_name = "VALUE", required = true)]
    values: Vec<String>,
    #[command(flatten)]
    level: LevelArgs,
}

/// Forget one setting, so that its default value or another source counts; only for people
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise config unset advice\n  failwise config unset --project guard")]
struct ConfigUnsetArgs {
    /// The setting, as `failwise config` names it
    #[arg(value_name = "SETTING")]
    key: String,
    #[command(flatten)]
    level: LevelArgs,
}

#[derive(Debug, clap::Args)]
struct LevelArgs {
    /// For you, in all projects: the default where that is possible
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// For everybody in this project, after `failwise trust`
    #[arg(long)]
    project: bool,
}

pub(crate) fn run(args: &ConfigArgs) -> crate::CommandOutcome {
    match &args.task {
        None => show(args.print.format),
        Some(ConfigCommand::Get(args)) => get(args),
        Some(ConfigCommand::Set(args)) => {
            people::not_for_agents("config set")?;
            set_or_unset(&args.key, Some(&args.values), &args.level)
        }
        Some(ConfigCommand::Unset(args)) => {
            people::not_for_agents("config unset")?;
            set_or_unset(&args.key, None, &args.level)
        }
    }
}

/// The version of what is printed as JSON.
const SCHEMA_VERSION: u32 = 1;

fn show(format: Format) -> crate::CommandOutcome {
    let place = crate::found();
    let (settings, problems) = settings_of(place.as_ref());
    // Before anything is shown: whoever reads no further has what the hook needs.
    place.as_ref().map_or(Ok(()), |place| project::keep_compiled(&crate::env, place))?;
    let exit = if problems.iter().any(|problem| problem.is_own) { Exit::Differs } else { Exit::Ok };
    let history = place.as_ref().map(|place| (place.dir.join(HISTORY), place.reason));
    let team = place.as_ref().map(|place| TeamTrust::of(&crate::env, &place.project));
    let team = team.filter(|team| !matches!(team, TeamTrust::Asked));
    let mut out = crate::style::text_page(format);
    if format == Format::Json {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let rows: serde_json::Map<String, serde_json::Value> = settings
            .rows()
            .into_iter()
            .map(|(name, value, source)| {
                (name.to_owned(), serde_json::json!({"value": value, "source": source_of(source, place.as_ref())}))
            })
            .collect();
        let history = history.map(|(path, reason)| serde_json::json!({"value": path, "source": reason}));
        let all = serde_json::json!({"schema_version": SCHEMA_VERSION, "settings": rows, "history": history,
            "ship": crate::ship::ship_state(), "team": team.map(|team| team.words().0), "problems": problems});
        print_pretty(&all)?;
        return Ok(exit);
    }
    let style = Style::for_stdout();
    for (name, value, source) in settings.rows() {
        let source = style.dim(&shown(&source_of(source, place.as_ref()), 120));
        writeln!(out, "{name:<18} {:<24} {source}", style.bold(&shown(&value, 200)))?;
    }
    if let Some((path, reason)) = history {
        writeln!(out, "{:<18} {:<24} {}", "history", shown_path(&path), style.dim(reason))?;
    }
    if let Some(ship) = crate::ship::ship_state() {
        writeln!(out, "{:<18} {}", "ship", shown(&ship.line(), 300))?;
    }
    if let Some((says, next)) = team.map(|team| team.words()) {
        let next = next.map(|next| format!("; {next}")).unwrap_or_default();
        writeln!(out, "{:<18} {}", "team", shown(&format!("{says}{next}"), 300))?;
    }
    for problem in problems {
        writeln!(out, "{} {}", style.yellow("warning:"), shown(&problem.to_string(), 300))?;
    }
    Ok(exit)
}

fn get(args: &ConfigGetArgs) -> crate::CommandOutcome {
    let key = setting_of(&args.key)?.key;
    let place = crate::found();
    let (settings, _) = settings_of(place.as_ref());
    let row = settings.rows().into_iter().find(|(name, ..)| *name == key);
    let (_, value, source) = row.ok_or_else(|| unknown(&args.key))?;
    if args.print.format == Format::Json {
        let source = source_of(source, place.as_ref());
        return print_pretty(
            &serde_json::json!({"schema_version": SCHEMA_VERSION, "setting": key, "value": value, "source": source}),
        );
    }
    writeln!(std::io::stdout(), "{}", shown(&value, 2000))?;
    Ok(Exit::Ok)
}

fn setting_of(key: &str) -> Result<&'static Setting, Error> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| unknown(key))
}

fn unknown(key: &str) -> Error {
    let known = SETTINGS.iter().map(|setting| setting.key).collect::<Vec<_>>().join(", ");
    let error = match key {
        "" => Error::usage("no setting is named"),
        key => Error::usage(format!("there is no setting `{}`", shown(key, 60))),
    };
    error.hint(format!("known: {known}"))
}

/// The largest settings file that is changed, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Sets a setting where its level has it, or takes it out there, and names the file.
fn set_or_unset(key: &str, values: Option<&[String]>, level: &LevelArgs) -> crate::CommandOutcome {
    let setting = setting_of(key)?;
    let is_users = setting.plugin.or(setting.environment).is_some();
    let is_project = level.project || !level.user && !is_users;
    if is_project && !setting.in_project_file {
        let why = format!("a project cannot set {key}");
        return Err(Error::usage(why).hint(format!("leave out --project: failwise config set {key} VALUE")).into());
    }
    if !is_project && !is_users {
        let why = format!("{key} is a matter of a project");
        return Err(Error::usage(why).hint(format!("failwise config set --project {key} VALUE")).into());
    }
    let (path, before, after) = if is_project { of_project(setting, values)? } else { of_user(setting, values)? };
    let mut out = std::io::stdout();
    if before == after {
        let said = if values.is_some() { "has that value already" } else { "is not set" };
        writeln!(out, "{key} {said} in {}", shown_path(&path))?;
        return Ok(Exit::Ok);
    }
    crate::outputs::put(&path, &after)?;
    writeln!(out, "written: {}", shown_path(&path))?;
    let of_project = if is_project { "--project " } else { "" };
    if let Some(values) = values {
        let value = shown(&values.join(" "), 100);
        writeln!(out, "{key} is {value} in new sessions; undo: failwise config unset {of_project}{key}")?;
    }
    let (settings, _) = settings_of(crate::found().as_ref());
    if is_project && settings.waiting().any(|waiting| waiting.key == key) {
        writeln!(out, "It counts after: failwise trust")?;
    }
    Ok(Exit::Ok)
}

/// A file, its text, and its text with the change.
pub(crate) type SettingsChange = (PathBuf, String, String);

fn unusable(path: &Path, why: &str) -> Error {
    Error::unreadable(format!("{}: {why}", shown_path(path))).hint("change it by hand")
}

fn of_project(setting: &Setting, values: Option<&[String]>) -> Result<SettingsChange, Error> {
    let place = crate::place()?;
    let path = place.root().join(PROJECT_FILE);
    let before = own_text(place.root(), &path, LARGEST)?.unwrap_or_default();
    let value = match (values, setting.environment) {
        (None, _) => None,
        _ if setting.takes.contains("table") => return Err(unusable(&path, "tables are not set by a command")),
        (Some([one]), Some(_)) => Some(edit::in_quotes(one)),
        (Some(_), Some(_)) => return Err(one_word(setting)),
        (Some(all), None) => {
            Some(format!("[{}]", all.iter().map(|one| edit::in_quotes(one)).collect::<Vec<_>>().join(", ")))
        }
    };
    let after =
        edit::in_toml(&before, setting.key, value.as_deref()).ok_or_else(|| unusable(&path, "it is no TOML"))?;
    let problems =
        |text: &str| Settings::of_file(&path, text).1.into_iter().map(|problem| problem.text).collect::<Vec<_>>();
    let known = problems(&before);
    if let Some(new) = problems(&after).into_iter().find(|problem| !known.contains(problem)) {
        return Err(Error::usage(shown(&new, 300)).hint("docs/settings.md says what each setting takes"));
    }
    Ok((path, before, after))
}

/// The user's own settings are the client's: the options of its plugin, and for what has no option a variable.
fn of_user(setting: &Setting, values: Option<&[String]>) -> Result<SettingsChange, Error> {
    let unknown = || Error::usage("no home folder is known").hint("set HOME, or CLAUDE_CONFIG_DIR");
    let path = client_home().ok_or_else(unknown)?.join("settings.json");
    let before = own_text(&path, &path, LARGEST)?.unwrap_or_else(|| "{}\n".to_owned());
    let word = match values {
        None => None,
        Some([word]) => Some(word),
        Some(_) => return Err(one_word(setting)),
    };
    if let Some(word) = word {
        let name = setting.plugin.or(setting.environment);
        let env = |asked: &str| (Some(asked) == name).then(|| word.clone());
        if let Some(problem) = Settings::resolve(&env, None).1.into_iter().next() {
            return Err(Error::usage(shown(&problem.text, 300)).hint("docs/settings.md says what each setting takes"));
        }
    }
    let wiring = Wiring::look(None);
    let id = wiring.plugins().first().map_or_else(|| format!("{NAME}@{NAME}"), |plugin| plugin.id.to_owned());
    let keys = match (setting.plugin, setting.environment) {
        (None, Some(variable)) => vec!["env", variable],
        _ => vec!["pluginConfigs", &id, "options", setting.key],
    };
    let after = edit::in_json(&before, &keys, word.map(|word| edit::in_quotes(word)).as_deref());
    Ok((path.clone(), before, after.ok_or_else(|| unusable(&path, "it is no settings file of the known form"))?))
}

fn one_word(setting: &Setting) -> Error {
    Error::usage(format!("{} takes one value", setting.key)).hint(format!("one of {}", setting.takes))
}

/// The settings of a place, and what could not be understood.
pub(crate) fn settings_of(place: Option<&Place>) -> (Settings, Vec<Problem>) {
    let wiring = Wiring::look(place.map(|place| place.project.as_path()));
    let (mut settings, mut problems) = project::settings_of(&|name| in_sessions(&wiring, name), place);
    let unusable = place.map(|place| project::compiled_of(&crate::env, place).1).unwrap_or_default();
    let is_usable = |line: usize| !unusable.iter().any(|problem| problem.place.ends_with(&format!(":{line}")));
    settings.readings.value.retain(|reading| is_usable(reading.line));
    settings.secrets.value.retain(|secret| is_usable(secret.line));
    problems.extend(unusable);
    if let Some((path, _)) = place.and_then(Place::settings_file) {
        let waits =
            |one: &Weakening| format!("`{} = {}` waits for `failwise trust`, and does not count", one.key, one.value);
        let path = path.display().to_string();
        problems.extend(settings.waiting().map(|one| Problem::of(path.clone(), waits(one))));
    }
    problems.splice(0..0, unused_dir());
    (settings, problems)
}

/// Where a value comes from: of what the client sets for hooks, the file of its settings.
pub(crate) fn source_of(source: &Source, place: Option<&Place>) -> String {
    match source {
        Source::Environment(name) | Source::Plugin(name) if crate::env(name).is_none() => {
            let wiring = Wiring::look(place.map(|place| place.project.as_path()));
            wiring.set(name).map_or_else(|| source.to_string(), |(path, _)| path.display().to_string())
        }
        _ => source.to_string(),
    }
}

/// The user's settings without options of plugins that are taken away, where no option of theirs is set: the file, its text, and
/// its text then. None where nothing is left of them.
pub(crate) fn without_empty_options(plugins: &[String]) -> Option<SettingsChange> {
    let path = client_home()?.join("settings.json");
    let before = own_text(&path, &path, LARGEST).ok()??;
    let settings: serde_json::Value = serde_json::from_str(&before).ok()?;
    let mut after = before.clone();
    for (id, own) in settings.get("pluginConfigs")?.as_object()? {
        let is_empty = |value: &serde_json::Value| value.as_object().is_some_and(serde_json::Map::is_empty);
        let holds_none = own.as_object()?.iter().all(|(key, value)| key == "options" && is_empty(value));
        if plugins.contains(id) && holds_none {
            after = edit::in_json(&after, &["pluginConfigs", id], None)?;
        }
    }
    (after != before).then_some((path, before, after))
}

/// A folder that is not used: the hook would look for it below its own working directory, which follows the agent's `cd`.
fn unused_dir() -> Option<Problem> {
    let dir = crate::env("FAILWISE_DIR").filter(|dir| !dir.is_empty() && Path::new(dir).is_relative())?;
    let text = format!("`{}` is no full path, so it is not used; write it from `/` on", dir.to_string_lossy());
    Some(Problem::of("FAILWISE_DIR".to_owned(), text))
}

/// A variable as hooks see it: the person's own, else one that the client sets for them.
fn in_sessions(wiring: &Wiring, name: &str) -> Option<OsString> {
    crate::env(name).or_else(|| Some(wiring.set(name)?.1.into()))
}
