//! `failwise doctor`: is the hook wired, do events arrive, what is wrong and how to fix it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use failwise::exit::Exit;
use failwise::journal::{HISTORY, Journal, read_end};
use failwise::place::{Place, data_root, real_path, trusted};
use failwise::project::{UNTRACK, Waiting};
use failwise::settings::{PROJECT_FILE, Power, Problem};
use failwise::store::{self, Base, StoreFault, TeamTrust};
use serde::Serialize;
use serde_json::Value;

use crate::setup::clients::{OTHERS, OtherClient, given_hosts};
use crate::style::{Format, PrintArgs, Style, print_pretty, shown, versioned};
use crate::wiring::Wiring;

/// Check that hooks are wired and events arrive; print fixes
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 no problem found, but for warnings, 1 problems found.\n\nExamples:\n  failwise doctor\n  failwise doctor --json"
)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Debug, Serialize)]
struct DoctorReport {
    version: &'static str,
    /// The history of the project that the person is in.
    history: Option<PathBuf>,
    healthy: bool,
    checks: Vec<DoctorCheck>,
}

/// One finding.
#[derive(Debug, Serialize)]
struct DoctorCheck {
    name: &'static str,
    state: Health,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "mend")]
    fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Ok,
    Warning,
    Fault,
}

impl DoctorCheck {
    fn ok(name: &'static str, says: impl Into<String>) -> Self {
        Self { name, state: Health::Ok, says: says.into(), fix: None }
    }

    fn warning(name: &'static str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: Health::Warning, says: says.into(), fix: Some(fix.into()) }
    }

    fn fault(name: &'static str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: Health::Fault, says: says.into(), fix: Some(fix.into()) }
    }
}

pub(crate) fn run(args: &DoctorArgs) -> crate::CommandOutcome {
    let place = crate::found();
    let wiring = Wiring::look(place.as_ref().map(|place| place.project.as_path()));
    let mut checks =
        vec![switched_on(place.as_ref()), hook_runs(&wiring), plugin(&wiring), wired_once(&wiring), policy(&wiring)];
    checks.extend(update(&wiring));
    checks.extend(settings(place.as_ref()));
    checks.extend([writable(place.as_ref()), events(place.as_ref())]);
    checks.extend(other_clients(place.as_ref()));
    checks.extend(memory_check());
    checks.extend(ship_check());
    checks.extend(place.iter().flat_map(trust));
    let healthy = checks.iter().all(|check| check.state != Health::Fault);
    let report = DoctorReport {
        version: env!("CARGO_PKG_VERSION"),
        history: place.map(|place| place.dir.join(HISTORY)),
        healthy,
        checks,
    };
    print(&report, args.print.format)?;
    Ok(if healthy { Exit::Ok } else { Exit::Differs })
}

fn print(report: &DoctorReport, format: Format) -> Result<(), crate::CommandFailure> {
    if format == Format::Json {
        return print_pretty(&versioned(report)?).map(drop);
    }
    let mut out = crate::style::text_page(Format::Text);
    let style = Style::for_stdout();
    writeln!(out, "{}", style.bold(&format!("failwise {}", report.version)))?;
    for check in &report.checks {
        let mark = match check.state {
            Health::Ok => style.green("ok     "),
            Health::Warning => style.yellow("warning"),
            Health::Fault => style.red("fault  "),
        };
        writeln!(out, "  {mark} {:<9} {}", check.name, shown(&check.says, 300))?;
        if let Some(fix) = &check.fix {
            writeln!(out, "  {:<17} {}", "", style.dim(&shown(fix, 200)))?;
        }
    }
    Ok(())
}

fn client_version() -> Option<String> {
    let output = Command::new("claude").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.split_whitespace().next().map(str::to_owned)
}

/// Where hooks do nothing: what says so, and what switches them on.
pub(crate) fn switched_off(place: Option<&Place>) -> Option<(String, &'static str)> {
    let power = Some(crate::config::settings_of(place).0.power).filter(|power| power.value == Power::Off)?;
    let is_here = crate::env("FAILWISE").is_some();
    let says = format!("the hook does nothing ({})", crate::config::source_of(&power.source, place));
    Some((says, if is_here { "unset FAILWISE in your shell" } else { "failwise config unset failwise" }))
}

fn switched_on(place: Option<&Place>) -> DoctorCheck {
    match switched_off(place) {
        Some((says, fix)) => DoctorCheck::warning("switch", says, fix),
        None => DoctorCheck::ok("switch", "the hook is switched on"),
    }
}

/// The folder of the plugin that runs.
fn plugin_root(wiring: &Wiring) -> Option<PathBuf> {
    wiring.plugins().into_iter().next().map(|wired| wired.root)
}

/// The hook of the plugin, or next to this executable.
fn hook_path(wiring: &Wiring) -> Option<PathBuf> {
    let name = format!("failwise-hook{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok().and_then(|exe| real_path(&exe).ok());
    let own = own.and_then(|exe| exe.parent().map(|dir| dir.join(&name)));
    let installed = plugin_root(wiring).map(|root| root.join("bin").join(&name));
    installed.into_iter().chain(own).find(|path| path.is_file())
}

fn hook_runs(wiring: &Wiring) -> DoctorCheck {
    let Some(path) = hook_path(wiring) else {
        return DoctorCheck::fault("hook", "failwise-hook is not installed", "run: failwise setup");
    };
    let answer = Command::new(&path).arg("--version").output();
    let version = answer.ok().filter(|output| output.status.success());
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let wanted = concat!("failwise-hook ", env!("CARGO_PKG_VERSION"));
    match version {
        Some(version) if version == wanted => DoctorCheck::ok("hook", format!("{} runs ({version})", path.display())),
        Some(version) => DoctorCheck::warning(
            "hook",
            format!("{} is {version}, this is {wanted}", path.display()),
            "run failwise setup with the newer one, so that both are of one version",
        ),
        None => DoctorCheck::fault("hook", format!("{} does not run", path.display()), "run: failwise setup"),
    }
}

/// Whether plugin and command are of one version and one place.
fn update(wiring: &Wiring) -> Option<DoctorCheck> {
    crate::setup::difference(wiring).map(|(says, fix)| DoctorCheck::warning("update", says, fix))
}

fn plugin(wiring: &Wiring) -> DoctorCheck {
    let version = client_version();
    if version.is_none() && wiring.installed.is_null() {
        let fix = "install Claude Code, then run: failwise setup";
        return DoctorCheck::warning("plugin", "Claude Code was not found", fix);
    }
    let version = version.as_deref().unwrap_or("unknown");
    match (plugin_root(wiring), wiring.enabled()) {
        (Some(root), Some(true) | None) => {
            DoctorCheck::ok("plugin", format!("installed at {}, client {version}", root.display()))
        }
        (Some(_), Some(false)) => {
            DoctorCheck::fault("plugin", "installed, but disabled", "run: claude plugin enable failwise@failwise")
        }
        (None, _) => DoctorCheck::fault("plugin", "not installed in Claude Code", "run: failwise setup"),
    }
}

fn wired_once(wiring: &Wiring) -> DoctorCheck {
    let by_hand = wiring.hooked_by_hand();
    let plugins = wiring.plugins();
    if let [first, .., last] = plugins.as_slice() {
        let says = format!("{} and {} are both installed: every event arrives twice", first.id, last.id);
        return DoctorCheck::fault("wiring", says, format!("run: {}", last.removal()));
    }
    match by_hand.first() {
        Some(path) if !plugins.is_empty() => DoctorCheck::fault(
            "wiring",
            format!("{} runs the hook besides the plugin: every event arrives twice", path.display()),
            "take the failwise-hook entries out of that file",
        ),
        Some(path) => DoctorCheck::ok("wiring", format!("wired by hand in {}", path.display())),
        None if plugins.is_empty() => DoctorCheck::ok("wiring", "no event arrives twice"),
        None => DoctorCheck::ok("wiring", "the plugin alone runs the hook"),
    }
}

fn policy(wiring: &Wiring) -> DoctorCheck {
    if let Some(path) = wiring.broken.first() {
        return DoctorCheck::fault(
            "policy",
            format!("{} is not JSON, so the client ignores it", path.display()),
            "fix that file",
        );
    }
    let set_in = |key: &str| {
        let set = |settings: &Value| settings.get(key).and_then(Value::as_bool) == Some(true);
        wiring.settings.iter().find(|(_, settings)| set(settings)).map(|(path, _)| path.display().to_string())
    };
    if let Some(path) = set_in("disableAllHooks") {
        return DoctorCheck::fault("policy", format!("{path} disables all hooks"), "take disableAllHooks out of it");
    }
    if let Some(path) = set_in("allowManagedHooksOnly") {
        return DoctorCheck::fault(
            "policy",
            format!("{path} allows managed hooks only"),
            "ask your administrator to allow the plugin failwise",
        );
    }
    let home = wiring.home.as_ref().map(|home| home.display().to_string()).unwrap_or_default();
    DoctorCheck::ok("policy", format!("no setting below {home} or the project disables hooks"))
}

/// The first setting that is not understood, and every reading and secret of the project that cannot be used.
fn settings(place: Option<&Place>) -> Vec<DoctorCheck> {
    let problems = crate::config::settings_of(place).1;
    let (own, others): (Vec<Problem>, Vec<Problem>) = problems.into_iter().partition(|problem| problem.is_own);
    let warning = |problem: &Problem| {
        DoctorCheck::warning("settings", problem.to_string(), "see docs/settings.md for the values")
    };
    let checks: Vec<DoctorCheck> = others.first().into_iter().chain(&own).map(warning).collect();
    if checks.is_empty() { vec![DoctorCheck::ok("settings", "every setting is understood")] } else { checks }
}

/// What of the project does not count, what it weakens although or because a person trusts it, and what stands in the way.
fn trust(place: &Place) -> Vec<DoctorCheck> {
    let waiting = Waiting::of(&crate::env, place);
    let mut checks = Vec::new();
    if let Some(link) = place.link() {
        let says = format!("{} is a link, so what is behind it counts as absent", link.display());
        checks.push(DoctorCheck::warning("link", says, "put a folder or file of the project's own in its place"));
    }
    for dir in place.own_histories(&crate::env) {
        if trusted(&crate::env, &dir).tracked {
            let says =
                format!("git tracks the records in {}, so they are kept in {}", dir.display(), place.dir.display());
            checks.push(DoctorCheck::warning("records", says, UNTRACK));
        }
    }
    let told = |what: String| DoctorCheck::warning("trust", what, "failwise trust shows it and asks");
    for one in crate::config::settings_of(Some(place)).0.weakening {
        let says = format!("{} = {}: {}", one.key, one.value, one.effect);
        if one.waits {
            checks.push(told(format!("waits, and does not count: {says}")));
        } else {
            let fix = "failwise trust --revoke takes it back";
            checks.push(DoctorCheck::warning("trust", format!("trusted in {PROJECT_FILE}: {says}"), fix));
        }
    }
    checks.extend(
        waiting.plan.map(|dir| told(format!("the plan in {} is not yours, so it binds no agent", dir.display()))),
    );
    if !waiting.team.is_empty() {
        checks.push(told("lines of the team's files that are new here are not read".to_owned()));
    }
    let (says, next) = TeamTrust::of(&crate::env, &place.project).words();
    checks.extend(next.map(|next| DoctorCheck::warning("team", format!("the team's files: {says}"), next)));
    for dir in &waiting.histories {
        checks.push(told(format!("the records in {} are not this user's own, so no hook reads them", dir.display())));
    }
    if checks.is_empty() {
        checks.push(DoctorCheck::ok("trust", "nothing of this project waits for your trust"));
    }
    checks
}

/// Whether the base of what was learned can be read, where there is one.
fn memory_check() -> Option<DoctorCheck> {
    let path = store::path(&crate::env).filter(|path| path.exists())?;
    Some(match Base::open(&path).and_then(|base| base.integrity()) {
        Ok(whole) if whole == "ok" => DoctorCheck::ok("memory", format!("{} can be read", path.display())),
        Err(fault @ StoreFault::Newer { .. }) => DoctorCheck::warning(
            "memory",
            fault.to_string(),
            "update Failwise; hooks continue with their present files",
        ),
        Err(fault @ StoreFault::Io(_)) => {
            DoctorCheck::fault("memory", fault.to_string(), "fix its permissions, or set FAILWISE_BASE")
        }
        Err(fault) => DoctorCheck::fault("memory", fault.to_string(), "failwise kb rebuild rebuilds the database"),
        Ok(_) => {
            let says = format!("{} is damaged", path.display());
            DoctorCheck::fault("memory", says, "failwise kb rebuild rebuilds the database")
        }
    })
}

/// Where verdicts are sent, where the user's own or the machine's settings say so.
fn ship_check() -> Option<DoctorCheck> {
    let state = crate::ship::ship_state()?;
    let says = state.line();
    Some(match &state.problem {
        Some(_) if state.to.is_none() => DoctorCheck::fault("ship", says, state.next),
        Some(problem) => DoctorCheck::warning("ship", format!("{says}; {problem}"), state.next),
        None => DoctorCheck::ok("ship", says),
    })
}

fn writable(place: Option<&Place>) -> DoctorCheck {
    let Some(place) = place else {
        return DoctorCheck::fault("history", "no project and no home folder is known", "set FAILWISE_DIR or HOME");
    };
    let path = place.dir.join(HISTORY);
    let written = if place.dir.is_dir() { Journal::in_dir(&place.dir).begin().map(|_| ()) } else { probe(&place.dir) };
    match written {
        Ok(()) => DoctorCheck::ok("history", format!("{} can be written ({})", path.display(), place.reason)),
        Err(error) => DoctorCheck::fault("history", error.to_string(), "fix its permissions, or set FAILWISE_DIR"),
    }
}

/// Whether a folder could be made: looking must not leave a history behind.
fn probe(dir: &Path) -> std::io::Result<()> {
    let there = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(dir);
    let probe = there.join(format!(".failwise-doctor-{}", std::process::id()));
    fs_err::write(&probe, "")?;
    fs_err::remove_file(&probe)
}

/// The last events of the project.
fn last_events(place: Option<&Place>) -> Vec<Value> {
    let end = place.and_then(|place| read_end(&place.dir.join(HISTORY), 64 * 1024).ok()).unwrap_or_default();
    end.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn word(event: &Value, key: &str) -> String {
    event.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Of each other client that is installed: whether it has the plugin, and whether its events arrive.
fn other_clients(place: Option<&Place>) -> Vec<DoctorCheck> {
    let given = data_root(&crate::env).map(|base| given_hosts(&base)).unwrap_or_default();
    let events = last_events(place);
    let found = OTHERS.iter().filter(|client| client.executable().is_some());
    let check = |client: &OtherClient| {
        let name = client.host.as_str();
        let seen = events.iter().rev().find(|event| word(event, "host") == name);
        match seen {
            Some(event) => DoctorCheck::ok(name, format!("the last event arrived at {}", word(event, "ts"))),
            None if given.contains(&client.host) => {
                DoctorCheck::warning(name, "has the plugin, and no event of it is among the last ones", client.then)
            }
            None => DoctorCheck::ok(name, format!("is installed without the plugin: failwise setup --host {name}")),
        }
    };
    found.map(check).collect()
}

fn events(place: Option<&Place>) -> DoctorCheck {
    let fix = "work in a new Claude Code session of this project, then look again";
    let events = last_events(place);
    if let Some(error) = events.iter().rev().take(20).find(|event| word(event, "event") == "hook_error") {
        let says = format!("a hook failed at {}: {}", word(error, "ts"), word(error, "message"));
        return DoctorCheck::warning("events", says, "if it comes again, please report it");
    }
    match events.last() {
        Some(event) => DoctorCheck::ok("events", format!("the last one arrived at {}", word(event, "ts"))),
        None => DoctorCheck::warning("events", "none has arrived for this project yet", fix),
    }
}
