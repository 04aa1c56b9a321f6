//! `failwise setup`: puts the plugin into the user's data directory and registers it with the clients. The only code that
//! registers anything.

pub(crate) mod clients;
mod plugin;
mod shells;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use failwise::client::{find_client, in_path};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::read_small;
use failwise::model::Host;
use failwise::place::{data_root, home_of, real_path, state_root};
use failwise::project::WELCOMED;

use crate::config::without_empty_options;
use crate::style::{Style, is_quiet, shown, shown_path};
use crate::wiring::{NAME, Wiring, client_home};
use clients::{GIVEN, HostChoice, OTHERS, OtherClient, given_hosts};
use plugin::{PluginParts, VERSION, drop_options, executable, is_ours, remove_folder, server_in, stage_of, version_in};

/// Set up the plugin and register it with your client; again to update
///
/// It writes the plugin's folder, completions and manual pages, registers the plugin by the client's own command, and
/// replays an example. It links the command `failwise` unless it is on your PATH already. The executables are those next to this one. It edits no shell profile.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command line")]
#[command(
    after_help = "Examples:\n  failwise setup\n  failwise setup --host codex\n  failwise setup --remove\n  failwise setup --dry-run\n\n\
    Exit codes: 0 done, 1 refused, here or by the client, 69 an executable is missing, 74 a file could not be written."
)]
pub(crate) struct SetupArgs {
    /// The client: claude, codex, copilot, gemini, qwen, or all that are installed
    #[arg(long, value_name = "CLIENT", default_value = "claude", value_parser = HostChoice::of_word, conflicts_with_all = ["remove", "print_dir"])]
    host: HostChoice,
    /// Link `failwise` into DIR/bin [default: ~/.local, if `failwise` is not on PATH]
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Register the second plugin too: agents for plan trees
    #[arg(long)]
    planner: bool,
    /// Install the server failwise-mcp too, for agents without a shell; an update keeps it
    #[arg(long)]
    mcp: bool,
    /// Unregister and remove what was installed; recorded data stays, and its place is named
    #[arg(long, alias = "uninstall", conflicts_with_all = ["planner", "mcp", "print_dir"])]
    remove: bool,
    /// Write the plugin's folder, register nothing, and print its path: for marketplaces with the source `command`
    #[arg(long, conflicts_with_all = ["planner", "prefix"])]
    print_dir: bool,
    /// Print each step and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &SetupArgs) -> crate::CommandOutcome {
    let setup = Setup::of(args)?;
    if args.remove {
        setup.remove()?;
    } else if args.print_dir {
        setup.print_dir(args.mcp)?;
    } else {
        setup.install(args)?;
    }
    Ok(Exit::Ok)
}

/// What of the installed plugin is not as this command would have it, with the next step: one that another marketplace
/// brought, or that `setup` made of other files.
pub(crate) fn difference(wiring: &Wiring) -> Option<(String, &'static str)> {
    const BY_SETUP: &str = "failwise setup brings the plugin up to this command";
    let plugin = data_root(&crate::env)?.join("plugin");
    if !wiring.is_from(NAME, &plugin) || wiring.plugins().iter().any(|wired| wired.marketplace != NAME) {
        if is_ours(&plugin) {
            let says = format!("{} is not used any more: a plugin of another marketplace runs", plugin.display());
            return Some((says, "run: failwise setup --remove"));
        }
        let wired = wiring.plugins().into_iter().next()?;
        let version = version_in(&wired.root)?;
        if version.split('+').next() == Some(VERSION) {
            return None;
        }
        let differs = format!("the plugin {} is {}, this command is {VERSION}", wired.id, shown(&version, 60));
        return Some((differs, "update the older one: claude plugin update, or the way that this command came"));
    }
    let version = version_in(&plugin).filter(|_| is_ours(&plugin))?;
    let own = own_executable().ok()?;
    if real_path(&plugin.join(executable("bin/failwise"))).is_ok_and(|installed| installed == own) {
        return None;
    }
    let parts = PluginParts::of(&own, &plugin, false).ok()?;
    let wanted = parts.version();
    let differs = || format!("{} is {}, of this command it would be {wanted}", plugin.display(), shown(&version, 60));
    (wanted != version).then(|| (differs(), BY_SETUP))
}

/// The version of the plugin that the client runs.
pub(crate) fn plugin_version() -> Option<String> {
    Wiring::look(None).plugins().into_iter().find_map(|wired| version_in(&wired.root))
}

/// The file next to the plugin that keeps where the command was linked.
const LINK: &str = "link";
/// The variable by which the script of the npm package names itself.
const SHIM: &str = "FAILWISE_SHIM";

/// The places of an installation.
struct Setup {
    /// This executable, as it was before an update of itself.
    own: PathBuf,
    base: PathBuf,
    plugin: PathBuf,
    prefix: PathBuf,
    is_dry: bool,
}

/// What the client answered; an error holds its words.
type ClientAnswer = Result<(), String>;

impl Setup {
    fn of(args: &SetupArgs) -> Result<Self, Error> {
        let unknown = || Error::usage("HOME is not set to a directory").hint("set it, and run failwise setup again");
        let base = data_root(&crate::env).ok_or_else(unknown)?;
        let prefix = match &args.prefix {
            Some(prefix) => std::path::absolute(prefix)?,
            None => home_of(&crate::env).ok_or_else(unknown)?.join(".local"),
        };
        Ok(Self { own: own_executable()?, plugin: base.join("plugin"), base, prefix, is_dry: args.dry_run })
    }

    fn install(&self, args: &SetupArgs) -> Result<(), crate::CommandFailure> {
        let with_claude = args.host.includes(Host::Claude);
        if with_claude {
            self.only_one(&Wiring::look(None))?;
        }
        let parts = self.put(args.mcp, false)?;
        let command = self.link(args.prefix.is_some(), parts.has_server())?;
        let mut plugins = vec![NAME];
        plugins.extend(args.planner.then_some("failwise-planner"));
        plugins.extend(parts.has_server().then_some("failwise-mcp"));
        self.put_shell_files()?;
        let is_missing = with_claude && !self.register(&plugins)?;
        for client in OTHERS.iter().filter(|client| args.host.includes(client.host)) {
            self.register_other(client, args.host == HostChoice::All)?;
        }
        self.replay_example()?;
        if with_claude {
            self.offer_sessions(&command)?;
        }
        let mut out = std::io::stdout().lock();
        if self.is_dry {
            writeln!(out, "\nDry run: nothing was changed.")?;
        } else if is_missing {
            writeln!(out, "\nInstalled, and not registered: Claude Code's command `claude` is not on PATH.")?;
        } else {
            writeln!(
                out,
                "\nInstalled. New sessions{} use it; `{command} doctor` checks that events arrive.",
                if args.host == HostChoice::One(Host::Claude) { " of Claude Code" } else { "" }
            )?;
        }
        Ok(())
    }

    /// Refuses a second plugin: each event would be recorded twice.
    fn only_one(&self, wiring: &Wiring) -> Result<(), Error> {
        let is_own = wiring.is_from(NAME, &self.plugin);
        if let Some(other) = wiring.plugins().into_iter().find(|wired| wired.marketplace != NAME || !is_own) {
            let what = format!("{} of another marketplace is installed, and both would run", shown(other.id, 100));
            return Err(Error::refused(what).hint(format!("keep it, or run: {} && failwise setup", other.removal())));
        }
        if is_own {
            return Ok(());
        }
        let what = "Claude Code knows another marketplace by the name failwise, and this one would replace it";
        Err(Error::refused(what).hint("keep it, or run: claude plugin marketplace remove failwise && failwise setup"))
    }

    /// Puts the plugin into its folder; gives what it was made of.
    fn put(&self, with_server: bool, is_quiet: bool) -> Result<PluginParts, crate::CommandFailure> {
        if fs_err::symlink_metadata(&self.plugin).is_ok() && !is_ours(&self.plugin) {
            let what = format!("{} exists and was not made by failwise setup", shown_path(&self.plugin));
            return Err(Error::refused(what).hint("move it away, then run failwise setup again").into());
        }
        let parts = PluginParts::of(&self.own, &self.plugin, with_server)?;
        // Only the path goes to standard output where a program asked for it.
        if !is_quiet {
            step(&format!("installing the plugin into {}", shown_path(&self.plugin)))?;
        }
        self.change(&format!("would write the plugin {} to {}", parts.version(), shown_path(&self.plugin)), || {
            fs_err::create_dir_all(&self.base)?;
            let _lock = lock_folder(&self.base)?;
            parts.put(&self.plugin)
        })?;
        Ok(parts)
    }

    fn print_dir(&self, with_server: bool) -> Result<(), crate::CommandFailure> {
        let is_present = || {
            let parts = PluginParts::of(&self.own, &self.plugin, with_server).ok()?;
            Some(is_ours(&self.plugin) && version_in(&self.plugin)? == parts.version())
        };
        if is_present() != Some(true) {
            self.put(with_server, true)?;
        }
        writeln!(std::io::stdout(), "{}", self.plugin.display())?;
        Ok(())
    }

    /// Links the commands, and gives the word by which `failwise` is called. A command that is on PATH already needs no link.
    fn link(&self, is_asked: bool, with_server: bool) -> Result<String, crate::CommandFailure> {
        let shim = self.replace_shim();
        let path = crate::env("PATH").unwrap_or_default();
        let on_path = in_path(executable(NAME).as_ref(), &path).and_then(|found| real_path(&found).ok());
        let is_own = |found: &PathBuf| *found == self.own || Some(found) == shim.as_ref();
        let is_here = on_path.is_some_and(|found| is_own(&found) && !found.starts_with(&self.plugin));
        let mut command = NAME.to_owned();
        if cfg!(windows) {
            // No link there without a right of its own, and a copy would be another program after the next update.
            let folder = self.plugin.join("bin");
            if !is_here && !is_in(&folder, &path) {
                command = shown_path(&folder.join(NAME));
                writeln!(
                    std::io::stdout(),
                    "    `failwise` is not on your PATH; add this folder to it:\n      {}",
                    shown_path(&folder)
                )?;
            }
            return Ok(command);
        }
        if is_asked || !is_here {
            let link = self.prefix.join("bin").join(NAME);
            if self.put_link(&self.plugin.join(executable("bin/failwise")), &link)? {
                self.change("would remember the link", || {
                    Ok(fs_err::write(self.base.join(LINK), link.as_os_str().as_encoded_bytes())?)
                })?;
                let folder = self.prefix.join("bin");
                if !is_in(&folder, &path) {
                    command = shown_path(&link);
                    let mut out = std::io::stdout();
                    writeln!(out, "    `failwise` is not on your PATH; add this line to your shell's profile:")?;
                    writeln!(out, "      export PATH=\"{}:$PATH\"", shown_path(&folder))?;
                }
            }
        }
        if with_server {
            self.put_link(&server_in(&self.plugin), &self.prefix.join("bin/failwise-mcp"))?;
        }
        Ok(command)
    }

    /// Completions and manual pages. An installation is whole without them.
    fn put_shell_files(&self) -> Result<(), crate::CommandFailure> {
        if cfg!(windows) {
            return Ok(());
        }
        step("writing completions for bash, zsh and fish, and manual pages")?;
        let data = self.base.parent().unwrap_or(&self.base);
        self.change(&format!("would write them below {}", shown_path(data)), || {
            for path in shells::put_files(&self.base)? {
                writeln!(std::io::stdout(), "    {} exists and is not ours: left alone", shown_path(&path))?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The script of the npm package that started this command, where one did: a link to the executable takes its place, so that
    /// no Node starts from then on. Where the package cannot be written, the script stays.
    fn replace_shim(&self) -> Option<PathBuf> {
        let shim = real_path(crate::env(SHIM)?.as_ref()).ok()?;
        let is_one = read_small(&shim, 4096).is_some_and(|text| text.contains(SHIM));
        if !is_one || shim.file_name()? != "failwise.js" {
            return None;
        }
        if cfg!(unix) && !self.is_dry {
            let beside = shim.with_extension("new");
            let _ = std::fs::remove_file(&beside);
            let _ = make_link(&self.own, &beside).and_then(|()| Ok(fs_err::rename(&beside, &shim)?));
        }
        Some(shim)
    }

    /// Whether it could be linked.
    fn put_link(&self, to: &Path, link: &Path) -> Result<bool, Error> {
        step(&format!("linking {}", shown_path(link)))?;
        if fs_err::symlink_metadata(link).is_ok() && !self.is_own_link(link) {
            let mut out = std::io::stdout();
            writeln!(
                out,
                "    {} exists and is not ours: left alone. Choose another place with --prefix DIR",
                shown_path(link)
            )?;
            return Ok(false);
        }
        self.change(&format!("would link {} to {}", shown_path(link), shown_path(to)), || {
            if let Some(folder) = link.parent() {
                fs_err::create_dir_all(folder)?;
            }
            let _ = std::fs::remove_file(link);
            make_link(to, link)
        })?;
        Ok(true)
    }

    /// Whether a link is one that this command made.
    fn is_own_link(&self, link: &Path) -> bool {
        std::fs::read_link(link).is_ok_and(|to| to.starts_with(&self.plugin))
    }

    /// Registers the plugin with Claude Code; false where its command is not there.
    fn register(&self, plugins: &[&str]) -> Result<bool, crate::CommandFailure> {
        step("registering the plugin with Claude Code")?;
        let Ok(client) = find_client(&crate::env) else {
            let mut out = std::io::stdout();
            writeln!(out, "    the command `claude` is not on PATH. Once it is, run failwise setup again")?;
            return Ok(false);
        };
        let Err(said) = self.tell_client(&client, plugins) else { return Ok(true) };
        // Clients that do not know plugin options refuse a manifest that has some; Failwise then uses their defaults.
        if said.contains("userConfig") {
            drop_options(&self.plugin)?;
            if self.tell_client(&client, plugins).is_ok() {
                writeln!(
                    std::io::stdout(),
                    "    this client does not know plugin options; Failwise uses their default values"
                )?;
                return Ok(true);
            }
        }
        let hint =
            format!("fix that and run failwise setup again; all else is installed in {}", shown_path(&self.plugin));
        Err(Error::refused(format!("Claude Code did not take the plugin: {said}")).hint(hint).into())
    }

    /// Registers the plugin with another client. `is_one_of_all`: nobody asked for this one by name.
    fn register_other(&self, client: &OtherClient, is_one_of_all: bool) -> Result<(), crate::CommandFailure> {
        let (title, program) = (client.host.title(), client.program());
        let Some(executable) = client.executable() else {
            if !is_one_of_all {
                step(&format!("registering the plugin with {title}"))?;
                let again = format!("Once it is, run failwise setup --host {} again", client.host);
                writeln!(std::io::stdout(), "    the command `{program}` is not on PATH. {again}")?;
            }
            return Ok(());
        };
        step(&format!("registering the plugin with {title}"))?;
        let mut last = Ok(());
        for command in client.register {
            last = self.run_client(&executable, program, &OtherClient::words(command, &self.plugin));
        }
        if let Err(said) = last {
            let hint = format!("fix that and run failwise setup --host {} again", client.host);
            return Err(Error::refused(format!("{title} did not take the plugin: {}", shown(&said, 500)))
                .hint(hint)
                .into());
        }
        if !client.register.is_empty() {
            self.change("would remember the client", || {
                let mut known = given_hosts(&self.base);
                known.insert(client.host);
                let words: Vec<&str> = known.iter().map(|host| host.as_str()).collect();
                Ok(fs_err::write(self.base.join(GIVEN), words.join("\n"))?)
            })?;
        }
        writeln!(std::io::stdout(), "    next: {}", client.then)?;
        Ok(())
    }

    fn tell_client(&self, client: &Path, plugins: &[&str]) -> ClientAnswer {
        let folder = self.plugin.to_string_lossy();
        // Adding is refused by old clients when the marketplace is known, so only the rest decides.
        let added = self.client(client, &["marketplace", "add", &folder]);
        self.client(client, &["marketplace", "update", NAME])
            .map_err(|said| format!("{} {said}", added.err().unwrap_or_default()))?;
        for plugin in plugins {
            let id = format!("{plugin}@{NAME}");
            self.client(client, &["install", &id])?;
            self.client(client, &["update", &id])?;
        }
        Ok(())
    }

    /// Runs `claude plugin ...` without a terminal, so that it can ask nothing.
    fn client(&self, client: &Path, words: &[&str]) -> ClientAnswer {
        let words: Vec<String> = ["plugin"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        self.run_client(client, "claude", &words)
    }

    fn run_client(&self, client: &Path, name: &str, words: &[String]) -> ClientAnswer {
        if self.is_dry {
            let _ = writeln!(std::io::stdout(), "    would run: {name} {}", words.join(" "));
            return Ok(());
        }
        let mut command = Command::new(client);
        command.args(words).env("DISABLE_AUTOUPDATER", "1").stdin(Stdio::null());
        let output = command.output().map_err(|error| format!("{}: {error}", client.display()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].concat();
        Err(String::from_utf8_lossy(&said).trim().to_owned())
    }

    fn replay_example(&self) -> Result<(), crate::CommandFailure> {
        step("replaying an example session")?;
        let example = self.plugin.join("examples/session.jsonl");
        self.change(&format!("would run: failwise report {}", shown_path(&example)), || {
            let mut replay = Command::new(self.plugin.join(executable("bin/failwise")));
            if is_quiet() {
                replay.stdout(Stdio::null());
            }
            match replay.arg("report").arg(&example).status() {
                Ok(status) if status.success() => Ok(()),
                _ => Err(Error::refused("the example could not be replayed").hint("run: failwise doctor")),
            }
        })?;
        Ok(())
    }

    /// What past sessions know helps on the first day. They are read once, giving way to everything else and within a limit; the
    /// next learner continues from there.
    fn offer_sessions(&self, command: &str) -> Result<(), crate::CommandFailure> {
        let projects = client_home().map(|home| home.join("projects"));
        let is_session = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
        let mut files =
            projects.iter().flat_map(|folder| walkdir::WalkDir::new(folder).max_depth(2)).filter_map(Result::ok);
        let Some(projects) = projects.as_deref().filter(|_| files.any(|file| is_session(file.path()))) else {
            return Ok(());
        };
        let mut out = std::io::stdout();
        writeln!(out, "\nThere are sessions of your own. To see what failed in them (this only reads):")?;
        writeln!(out, "  {command} report \"{}\"", shown_path(projects))?;
        let later = format!("{command} kb learn --transcripts");
        if self.is_dry || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            writeln!(
                out,
                "\nTo learn from them what worked when something failed (it stays on this machine):\n  {later}"
            )?;
            return Ok(());
        }
        // Where the terminal is: the rest of what is said may go to a file.
        let mut err = std::io::stderr();
        write!(err, "\nLearn from them what worked when something failed? It stays on this machine. [Y/n] ")?;
        err.flush()?;
        let mut answer = String::new();
        // The end of the input is no consent.
        let is_said = std::io::stdin().read_line(&mut answer)? > 0;
        if !is_said || !matches!(answer.trim(), "" | "y" | "Y" | "yes") {
            writeln!(out, "Nothing was learned. To do it later: {later}")?;
            return Ok(());
        }
        let mut learner = Command::new(self.plugin.join(executable("bin/failwise")));
        learner.args(["kb", "learn", "--transcripts", "--nice", "--within", "180"]);
        if !learner.status().is_ok_and(|status| status.success()) {
            writeln!(out, "Nothing was learned; try: {later}")?;
        }
        Ok(())
    }

    fn remove(&self) -> Result<(), crate::CommandFailure> {
        let mut out = std::io::stdout();
        let is_ours = is_ours(&self.plugin);
        let plugins = ["failwise-mcp", "failwise-planner", NAME].map(|part| format!("{part}@{NAME}"));
        // A plugin of another marketplace is none of ours.
        if Wiring::look(None).is_from(NAME, &self.plugin)
            && let Ok(client) = find_client(&crate::env)
        {
            step("unregistering the plugin from Claude Code")?;
            for plugin in &plugins {
                self.unregister(&client, &["uninstall", plugin])?;
            }
            self.unregister(&client, &["marketplace", "remove", NAME])?;
        }
        if let Some((path, _, after)) = without_empty_options(&plugins) {
            let would = format!("would take the plugin's options, none of which is set, out of {}", shown_path(&path));
            self.change(&would, || Ok(crate::outputs::replace(&path, &after)?))?;
        }
        let given = given_hosts(&self.base);
        for client in OTHERS.iter().filter(|client| given.contains(&client.host)) {
            let Some(executable) = client.executable() else { continue };
            step(&format!("unregistering the plugin from {}", client.host.title()))?;
            for command in client.unregister {
                let words = OtherClient::words(command, &self.plugin);
                if let Err(said) = self.run_client(&executable, client.program(), &words) {
                    writeln!(out, "    {} {} answered: {}", client.program(), words.join(" "), shown(&said, 500))?;
                }
            }
        }
        let remembered = read_small(&self.base.join(LINK), 4096).map(PathBuf::from);
        let links = [Some(self.prefix.join("bin").join(NAME)), remembered].into_iter().flatten();
        let links: BTreeSet<PathBuf> = links
            .flat_map(|link| [link.with_file_name("failwise-mcp"), link])
            .filter(|it| self.is_own_link(it))
            .collect();
        for link in links {
            step(&format!("removing {}", shown_path(&link)))?;
            self.change(&format!("would remove {}", shown_path(&link)), || Ok(fs_err::remove_file(&link)?))?;
        }
        if let Some(data) = self.base.parent().filter(|_| shells::has_files(&self.base)) {
            self.change(&format!("would remove completions and manual pages below {}", shown_path(data)), || {
                shells::remove(&self.base);
                Ok(())
            })?;
        }
        if is_ours {
            step(&format!("removing {}", shown_path(&self.plugin)))?;
        } else if self.plugin.exists() {
            writeln!(out, "    {} was not made by failwise setup: left alone", shown_path(&self.plugin))?;
        }
        self.change(&format!("would remove {}", shown_path(&self.plugin)), || {
            remove_folder(&stage_of(&self.plugin))?;
            if is_ours {
                remove_folder(&self.plugin)?;
                let _ = std::fs::remove_file(self.base.join(LINK));
                let _ = std::fs::remove_file(self.base.join(GIVEN));
            }
            // With something of others in it, it stays.
            let _ = std::fs::remove_dir(&self.base);
            Ok(())
        })?;
        let state = state_root(&crate::env).unwrap_or_default();
        self.change(&format!("would remove {}", shown_path(&state.join(WELCOMED))), || {
            let _ = std::fs::remove_file(state.join(WELCOMED));
            // With records in it, it stays.
            let _ = std::fs::remove_dir(&state);
            Ok(())
        })?;
        writeln!(
            out,
            "\nRecorded failures stay in {}, in .claude/failwise of projects that have it, and in plan trees",
            shown_path(&state)
        )?;
        writeln!(out, "(history.jsonl). Delete those to forget them too. What you adopted stays in CLAUDE.md.")?;
        Ok(())
    }

    /// What is gone already is as it should be; any other answer is for the person to read.
    fn unregister(&self, client: &Path, words: &[&str]) -> Result<(), crate::CommandFailure> {
        if let Err(said) = self.client(client, words)
            && !said.contains("not found")
            && !said.contains("not installed")
        {
            writeln!(std::io::stdout(), "    claude plugin {} answered: {}", words.join(" "), shown(&said, 500))?;
        }
        Ok(())
    }

    /// Every change goes through here, so that a dry run cannot make one.
    fn change(&self, would: &str, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        if self.is_dry {
            writeln!(std::io::stdout(), "    {would}")?;
            return Ok(());
        }
        work()
    }
}

fn step(text: &str) -> std::io::Result<()> {
    if is_quiet() {
        return Ok(());
    }
    writeln!(std::io::stdout(), "{} {text}", Style::for_stdout().bold("==>"))
}

/// Whether a folder is one of `PATH`.
fn is_in(folder: &Path, path: &OsStr) -> bool {
    std::env::split_paths(path).any(|known| known == folder)
}

fn own_executable() -> std::io::Result<PathBuf> {
    real_path(&std::env::current_exe()?)
}

/// Two runs at a time would write into one folder. The lock ends with its process.
fn lock_folder(folder: &Path) -> Result<Option<std::fs::File>, Error> {
    // Windows opens no folder as a file; there the second run fails on the first one's files.
    if cfg!(windows) {
        return Ok(None);
    }
    let file = std::fs::File::open(folder)?;
    file.lock()?;
    Ok(Some(file))
}

#[cfg(unix)]
fn make_link(to: &Path, link: &Path) -> Result<(), Error> {
    Ok(std::os::unix::fs::symlink(to, link)?)
}

/// Nothing is linked here: npm's own starter stays, and the command is called in its folder.
#[cfg(not(unix))]
fn make_link(_: &Path, _: &Path) -> Result<(), Error> {
    Err(Error::unavailable("this system has no links for everybody"))
}
