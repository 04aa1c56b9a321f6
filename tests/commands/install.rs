//! Runs `install.sh` in an empty home with the executables of this build and a stand-in for the client.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the installer and looks at the files it leaves")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Notes its arguments and agrees.
const WILLING_CLIENT: &str = r#"echo "$*" >>"$HOME/client.log""#;

/// Refuses a manifest with options, in the words of a client that does not know them.
const OLD_CLIENT: &str = r#"
echo "$*" >>"$HOME/client.log"
case $* in
  *install*) if grep -q userConfig "$HOME/.local/share/failwise/plugin/.claude-plugin/plugin.json"; then
    echo 'Validation errors: : Unrecognized key: "userConfig"'; exit 1; fi ;;
esac"#;

/// Cannot write its settings.
const STUCK_CLIENT: &str = r"
case $* in *install*) echo 'Invalid JSON syntax in settings file'; exit 1 ;; esac";

struct Home {
    dir: TempDir,
    tools: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), tools: tempfile::tempdir().unwrap() }
    }

    fn with_client(body: &str) -> Self {
        let home = Self::new();
        home.tool("claude", body);
        home
    }

    fn tool(&self, name: &str, body: &str) {
        program(&self.tools.path().join(name), body);
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn plugin(&self) -> PathBuf {
        self.path().join(".local/share/failwise/plugin")
    }

    fn link(&self) -> PathBuf {
        self.path().join(".local/bin/failwise")
    }

    fn manifest(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.plugin().join(".claude-plugin/plugin.json")).unwrap()).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let prebuilt = built().parent().unwrap().to_owned();
        self.command(&root().join("install.sh"), arguments).env("FAILWISE_PREBUILT", prebuilt).output().unwrap()
    }

    /// `failwise setup` of the executable in a folder.
    fn setup(&self, folder: &Path, arguments: &[&str]) -> Output {
        self.environment(Command::new(folder.join("failwise")).arg("setup").args(arguments)).output().unwrap()
    }

    fn command(&self, script: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        self.environment(command.arg(script).args(arguments));
        command
    }

    fn environment<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let path = format!("{}:/usr/bin:/bin", self.tools.path().display());
        command.env_clear().env("HOME", self.path()).env("PATH", path).stdin(Stdio::null())
    }

    /// What the client keeps of a marketplace and a plugin that it installed.
    fn client_knows(&self, marketplace: &str, source: &Value, plugin: Option<&str>) {
        let folder = self.path().join(".claude/plugins");
        fs::create_dir_all(&folder).unwrap();
        let known = serde_json::json!({ marketplace: { "source": source } });
        fs::write(folder.join("known_marketplaces.json"), known.to_string()).unwrap();
        let plugins =
            plugin.map(|id| (id.to_owned(), serde_json::json!([{ "scope": "user", "installPath": "/nowhere" }])));
        let installed = serde_json::json!({ "version": 2, "plugins": serde_json::Map::from_iter(plugins) });
        fs::write(folder.join("installed_plugins.json"), installed.to_string()).unwrap();
    }

    /// Every file and link below the home, without the stand-in's own log.
    fn files(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        collect(self.path(), self.path(), &mut found);
        found.remove("client.log");
        found
    }

    fn client_log(&self) -> String {
        fs::read_to_string(self.path().join("client.log")).unwrap_or_default()
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn built() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_failwise-hook"))
}

/// A folder with the executables of this build and a stand-in for the server.
fn executables() -> TempDir {
    let folder = tempfile::tempdir_in(built().parent().unwrap()).unwrap();
    for name in ["failwise", "failwise-hook"] {
        fs::hard_link(built().with_file_name(name), folder.path().join(name)).unwrap();
    }
    program(&folder.path().join("failwise-mcp"), "exit 0");
    folder
}

/// The same with another hook of the same version.
fn other_hook() -> TempDir {
    let folder = executables();
    fs::remove_file(folder.path().join("failwise-hook")).unwrap();
    program(&folder.path().join("failwise-hook"), concat!("echo failwise-hook ", env!("CARGO_PKG_VERSION")));
    folder
}

fn program(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn collect(dir: &Path, top: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(&path, top, found);
        } else {
            found.insert(path.strip_prefix(top).unwrap().display().to_string());
        }
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
}

#[test]
fn a_dry_run_changes_nothing() {
    let home = Home::with_client(WILLING_CLIENT);
    let output = home.run(&["--dry-run"]);
    assert_success(&output);
    assert_eq!(home.files(), BTreeSet::new());
    assert_eq!(home.client_log(), "", "the client was called");
    for step in ["would write the plugin", "would link", "claude plugin install failwise@failwise", "replay"] {
        assert!(said(&output).contains(step), "{step} is missing in: {}", said(&output));
    }
}

#[test]
fn it_installs_links_and_registers() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&[]));
    for file in ["hooks/hooks.json", "hooks/newer.json", "skills/why/SKILL.md", "bin/failwise"] {
        assert!(home.plugin().join(file).is_file(), "{file}");
    }
    assert_eq!(fs::read(home.plugin().join("bin/failwise-hook")).unwrap(), fs::read(built()).unwrap());
    assert_eq!(fs::read_link(home.link()).unwrap(), home.plugin().join("bin/failwise"));
    let log = home.client_log();
    let calls: Vec<&str> = log.lines().collect();
    let add = format!("plugin marketplace add {}", home.plugin().display());
    assert_eq!(
        calls,
        [
            add.as_str(),
            "plugin marketplace update failwise",
            "plugin install failwise@failwise",
            "plugin update failwise@failwise"
        ]
    );
}

/// Completions and manual pages are where shells and `man` look; what is not ours there stays, and an update knows its own.
#[test]
fn completions_and_manual_pages_come_and_go_with_it() {
    let home = Home::with_client(WILLING_CLIENT);
    let data = home.path().join(".local/share");
    let foreign = data.join("man/man1/failwise-why.1");
    fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    fs::write(&foreign, "mine").unwrap();
    let executables = executables();
    for _ in 0..2 {
        let output = home.setup(executables.path(), &[]);
        assert_success(&output);
        assert!(said(&output).contains("failwise-why.1 exists and is not ours"), "{}", said(&output));
    }
    let bash = data.join("bash-completion/completions/failwise");
    let completed = |words: &str, at: usize| {
        let line = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={at}; \
             _failwise failwise \"${{COMP_WORDS[{at}]}}\" \"${{COMP_WORDS[{}]}}\"; echo \"${{COMPREPLY[@]}}\"",
            bash.display(),
            at - 1
        );
        said(&Command::new("bash").args(["--norc", "-c", &line]).output().unwrap())
    };
    assert_eq!(completed("failwise les", 1), "lessons\n");
    assert_eq!(completed("failwise hel", 1), "help\n");
    assert_eq!(completed("failwise report --host ''", 3), "claude codex copilot gemini qwen\n");
    assert_eq!(completed("failwise config get adv", 3), "advice\n");
    for old in ["stat", "arb", "kee"] {
        assert_eq!(completed(&format!("failwise {old}"), 1), "\n", "an old name is not offered");
    }
    assert!(completed("failwise plan ''", 2).contains("claim"));
    assert!(completed("failwise report --fo", 2).contains("--format"));
    let zsh = fs::read_to_string(data.join("zsh/site-functions/_failwise")).unwrap();
    assert!(
        zsh.starts_with("#compdef failwise\n") && !zsh.contains("--format=[text or json"),
        "it would hide `report --format`"
    );
    let values = zsh.lines().find(|line| line.contains(":values -- ")).unwrap();
    assert!(["block", "normal", "off"].iter().all(|word| values.contains(word)), "{values}");
    assert!(
        fs::read_to_string(data.join("fish/vendor_completions.d/failwise.fish"))
            .unwrap()
            .contains("complete -c failwise")
    );
    let page = fs::read_to_string(data.join("man/man1/failwise-plan-claim.1")).unwrap();
    assert!(page.contains(".TH failwise-plan-claim 1") && page.contains("failwise plan claim TASK"), "{page}");
    let page = fs::read_to_string(data.join("man/man1/failwise.1")).unwrap();
    let (_, notes) = page.split_once("\n.nf\n").unwrap();
    let (examples, rest) = notes.split_once(".fi\n.PP\n").unwrap();
    assert!(examples.lines().count() == 2 && rest.starts_with("Exit codes: 0 done"), "a line an example: {page}");

    assert_success(&home.setup(executables.path(), &["--remove"]));
    let left: Vec<String> = home.files().into_iter().filter(|file| file.starts_with(".local/share")).collect();
    assert_eq!(left, [".local/share/man/man1/failwise-why.1"]);
    assert!(!data.join("fish").exists() && !data.join("zsh").exists());
}

/// Notes its name and its arguments.
const OTHER_CLIENT: &str = r#"echo "$(basename "$0") $*" >>"$HOME/client.log""#;

#[test]
fn other_clients_are_given_the_plugin_by_their_own_commands() {
    let home = Home::with_client(WILLING_CLIENT);
    for name in ["codex", "copilot", "gemini", "qwen"] {
        home.tool(name, OTHER_CLIENT);
    }
    let executables = executables();
    let setup = |arguments: &[&str]| home.setup(executables.path(), arguments);
    let output = setup(&["--host", "codex"]);
    assert_success(&output);
    assert!(said(&output).contains("/hooks"), "{}", said(&output));
    let plugin = home.plugin().display().to_string();
    let add = |client: &str, word: &str| {
        format!("{client} plugin marketplace add {plugin}\n{client} plugin {word} failwise@failwise\n")
    };
    assert_eq!(home.client_log(), add("codex", "add"));
    for file in
        [".codex-plugin/plugin.json", ".github/plugin/plugin.json", "gemini/hooks/hooks.json", "hooks/codex.json"]
    {
        assert!(home.plugin().join(file).is_file(), "{file}");
    }
    let version =
        |file: &str| serde_json::from_str::<Value>(&fs::read_to_string(home.plugin().join(file)).unwrap()).unwrap();
    assert_eq!(version(".codex-plugin/plugin.json")["version"], home.manifest()["version"]);

    assert_success(&setup(&["--host", "all", "--dry-run"]));
    assert_eq!(home.client_log(), add("codex", "add"), "a dry run called a client");
    assert_success(&setup(&["--host", "all"]));
    let log = home.client_log();
    for call in [add("copilot", "install"), format!("gemini extensions link {plugin}/gemini --consent\n")] {
        assert!(log.contains(&call), "{call} is missing in {log}");
    }
    assert!(log.contains("\nplugin install failwise@failwise\n") && !log.contains("qwen"), "{log}");

    let mut doctor = Command::new(home.plugin().join("bin/failwise"));
    let told = said(&home.environment(doctor.args(["doctor", "--format", "json"])).output().unwrap());
    let checks: Value = serde_json::from_str(&told).unwrap();
    let state = |name: &str| {
        checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap()["state"].clone()
    };
    assert_eq!(
        (state("codex"), state("copilot"), state("qwen")),
        ("warning".into(), "warning".into(), "ok".into()),
        "{told}"
    );

    assert_success(&setup(&["--remove"]));
    let log = home.client_log();
    for call in [
        "codex plugin remove failwise@failwise\ncodex plugin marketplace remove failwise\n",
        "copilot plugin uninstall failwise@failwise\n",
        "gemini extensions uninstall failwise\n",
    ] {
        assert!(log.contains(call), "{call} is missing in {log}");
    }
    assert_eq!(home.files(), BTreeSet::new());
}

#[test]
fn another_client_that_is_missing_unknown_or_unwilling_is_named() {
    let home = Home::new();
    let executables = executables();
    let setup = |arguments: &[&str]| home.setup(executables.path(), arguments);
    let missing = setup(&["--host", "gemini"]);
    assert_success(&missing);
    assert!(said(&missing).contains("the command `gemini` is not on PATH"), "{}", said(&missing));
    let unknown = setup(&["--host", "cursor"]);
    assert_eq!(unknown.status.code(), Some(64), "{}", said(&unknown));
    assert!(said(&unknown).contains("claude, codex, copilot, gemini, qwen, all"), "{}", said(&unknown));
    home.tool("codex", "echo 'no such marketplace'; exit 1");
    let unwilling = setup(&["--host", "codex"]);
    assert_eq!(unwilling.status.code(), Some(1));
    assert!(said(&unwilling).contains("Codex did not take the plugin: no such marketplace"), "{}", said(&unwilling));
}

#[test]
fn the_planner_is_registered_only_when_asked_for() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&["--planner"]));
    assert!(home.plugin().join("planner/agents/master-planner.md").is_file());
    let log = home.client_log();
    let planner: Vec<&str> = log.lines().filter(|call| call.contains("failwise-planner")).collect();
    assert_eq!(planner, ["plugin install failwise-planner@failwise", "plugin update failwise-planner@failwise"]);
}

/// The server is installed, linked and registered when it is asked for, and from then on by every update.
#[test]
fn the_server_is_installed_when_asked_for_and_stays() {
    let home = Home::with_client(WILLING_CLIENT);
    let executables = executables();
    let run = |arguments: &[&str]| assert_success(&home.setup(executables.path(), arguments));
    run(&[]);
    let server = home.plugin().join("mcp/plugin/bin/failwise-mcp");
    let link = home.path().join(".local/bin/failwise-mcp");
    assert!(home.plugin().join("mcp/plugin/.mcp.json").is_file(), "the marketplace offers it");
    assert!(!server.exists() && fs::symlink_metadata(&link).is_err() && !home.client_log().contains("failwise-mcp"));

    run(&["--mcp"]);
    assert!(server.is_file());
    assert_eq!(fs::read_link(&link).unwrap(), server);
    let registered = |log: &str| log.lines().filter(|call| call.contains("failwise-mcp")).count();
    assert_eq!(registered(&home.client_log()), 2);

    run(&[]);
    assert!(server.is_file(), "an update keeps it");
    assert_eq!(registered(&home.client_log()), 4);
    assert_success(&home.setup(&home.plugin().join("bin"), &[]));
    assert!(server.is_file(), "and so does one that the installed command makes of itself");

    run(&["--remove"]);
    assert!(!home.plugin().exists() && fs::symlink_metadata(&link).is_err());
    assert!(home.client_log().contains("plugin uninstall failwise-mcp@failwise"));
}

/// A client takes a changed plugin for an update only when its version differs.
#[test]
fn the_installed_version_follows_the_content() {
    let home = Home::new();
    assert_success(&home.run(&[]));
    let version = home.manifest()["version"].as_str().unwrap().to_owned();
    let (package, content) = version.split_once('+').unwrap();
    assert_eq!(package, env!("CARGO_PKG_VERSION"));
    assert!(content.len() == 8 && content.bytes().all(|byte| byte.is_ascii_hexdigit()), "{content}");

    let other = other_hook();
    assert_success(&home.run(&["--prebuilt", other.path().to_str().unwrap()]));
    assert_ne!(home.manifest()["version"], version.as_str());
}

#[test]
fn running_it_again_changes_nothing_and_clears_what_is_no_longer_part_of_it() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&[]));
    let (files, manifest) = (home.files(), home.manifest());
    fs::create_dir_all(home.plugin().join("skills/gone")).unwrap();
    fs::write(home.plugin().join("skills/gone/SKILL.md"), "old").unwrap();
    assert_success(&home.run(&[]));
    assert_eq!(home.files(), files);
    assert_eq!(home.manifest(), manifest);
    assert!(!home.plugin().join("skills/gone").exists());
}

/// A file that a session has open or runs keeps its content: the new one takes its place by a rename.
#[test]
fn an_update_replaces_files_instead_of_writing_into_them() {
    let home = Home::new();
    assert_success(&home.run(&[]));
    let hook = home.plugin().join("bin/failwise-hook");
    let held = home.path().join("held");
    fs::hard_link(&hook, &held).unwrap();
    let other = other_hook();
    assert_success(&home.run(&["--prebuilt", other.path().to_str().unwrap()]));
    assert_eq!(fs::read(&held).unwrap(), fs::read(built()).unwrap());
    assert_eq!(fs::read(&hook).unwrap(), fs::read(other.path().join("failwise-hook")).unwrap());
}

#[test]
fn uninstalling_leaves_recorded_data_and_says_where_it_is() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&["--prefix", home.path().join("elsewhere").to_str().unwrap()]));
    assert!(home.path().join("elsewhere/bin/failwise").is_symlink());
    let history = home.path().join(".local/state/failwise/projects/p-1/history.jsonl");
    fs::create_dir_all(history.parent().unwrap()).unwrap();
    fs::write(&history, "{}\n").unwrap();
    fs::write(home.path().join(".local/state/failwise/welcomed"), "").unwrap();

    let settings = home.path().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let others = r#""other@failwise": {}, "failwise-mcp@failwise": { "options": { "guard": "warn" } }"#;
    let text = |own: &str| format!("{{\n  \"pluginConfigs\": {{ {own}{others} }}\n}}\n");
    fs::write(&settings, text(r#""failwise@failwise": { "options": {  } }, "#)).unwrap();

    // Without --prefix: the place of the link is remembered.
    let output = home.run(&["--uninstall"]);
    assert_success(&output);
    let left: Vec<String> = home.files().into_iter().collect();
    assert_eq!(left, [".claude/settings.json", ".local/state/failwise/projects/p-1/history.jsonl"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), text(""), "what is set, and what is another's, stays");
    assert!(said(&output).contains(".local/state/failwise"), "{}", said(&output));
    let log = home.client_log();
    assert!(log.ends_with("plugin uninstall failwise@failwise\nplugin marketplace remove failwise\n"), "{log}");

    let again = home.run(&["--uninstall"]);
    assert!(said(&again).contains("nothing is installed"), "{}", said(&again));
    assert_success(&home.setup(built().parent().unwrap(), &["--remove"]));
}

#[test]
fn without_a_client_it_says_how_to_register_later() {
    let home = Home::new();
    if Path::new("/usr/bin/claude").exists() || Path::new("/bin/claude").exists() {
        return;
    }
    let output = home.run(&[]);
    assert_success(&output);
    assert!(said(&output).contains("run failwise setup again"), "{}", said(&output));
    assert!(home.plugin().join("bin/failwise-hook").is_file());
}

#[test]
fn a_client_that_knows_no_options_gets_a_manifest_without_them() {
    let home = Home::with_client(OLD_CLIENT);
    assert_success(&home.run(&[]));
    let manifest = home.manifest();
    assert_eq!(manifest.get("userConfig"), None);
    assert_eq!(manifest["name"], "failwise");
    assert_eq!(manifest["hooks"], "./hooks/newer.json");
}

#[test]
fn a_client_that_refuses_for_another_reason_is_quoted() {
    let home = Home::with_client(STUCK_CLIENT);
    let output = home.run(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("Invalid JSON syntax in settings file"), "{}", said(&output));
    assert!(home.manifest().get("userConfig").is_some(), "the options were taken out for nothing");
}

#[test]
fn what_it_did_not_make_stays_as_it_is() {
    let home = Home::with_client(WILLING_CLIENT);
    fs::create_dir_all(home.plugin()).unwrap();
    fs::write(home.plugin().join("mine"), "kept").unwrap();
    assert_eq!(home.run(&[]).status.code(), Some(1));
    assert_success(&home.setup(built().parent().unwrap(), &["--remove"]));
    assert_eq!(fs::read_to_string(home.plugin().join("mine")).unwrap(), "kept");
    fs::remove_dir_all(home.plugin()).unwrap();

    fs::create_dir_all(home.link().parent().unwrap()).unwrap();
    fs::write(home.link(), "another program").unwrap();
    let output = home.run(&[]);
    assert_success(&output);
    assert!(said(&output).contains("left alone"), "{}", said(&output));
    assert_success(&home.run(&["--uninstall"]));
    assert_eq!(fs::read_to_string(home.link()).unwrap(), "another program");
}

#[test]
fn without_registering_only_the_clone_changes() {
    let home = Home::with_client(WILLING_CLIENT);
    let clone = tempfile::tempdir().unwrap();
    fs::copy(root().join("install.sh"), clone.path().join("install.sh")).unwrap();
    for part in [".claude-plugin", "hooks", "examples"] {
        symlink(root().join(part), clone.path().join(part)).unwrap();
    }
    let prebuilt = built().parent().unwrap().to_str().unwrap();
    let script = clone.path().join("install.sh");
    let output = home.command(&script, &["--no-register", "--prebuilt", prebuilt]).output().unwrap();
    assert_success(&output);
    assert!(clone.path().join("bin/failwise-hook").is_file());
    assert!(clone.path().join("bin/failwise").is_file());
    assert_eq!(home.files(), BTreeSet::new());
    assert_eq!(home.client_log(), "");
}

#[test]
fn sessions_of_the_person_are_offered_for_replay() {
    let home = Home::new();
    assert!(!said(&home.run(&[])).contains("sessions of your own"));
    let project = home.path().join(".claude/projects/-home-robin-tidepool");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join("s.jsonl"), "").unwrap();
    let output = home.run(&[]);
    assert!(said(&output).contains(".claude/projects"), "{}", said(&output));
}

/// Runs a command on a terminal of its own, types an answer behind the first question, and prints what the terminal shows.
const ON_A_TERMINAL: &str = r"
import os, pty, signal, sys
signal.alarm(120)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown, answer = b'', sys.argv[1].encode()
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if answer and b'[Y/n] ' in shown:
        os.write(terminal, answer)
        answer = b''
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";

#[test]
fn learning_from_past_sessions_is_asked_on_a_terminal_and_done_as_answered() {
    if !Path::new("/usr/bin/python3").exists() {
        eprintln!("SKIPPED: there is no /usr/bin/python3 to make a terminal with");
        return;
    }
    let home = Home::with_client(WILLING_CLIENT);
    let sessions = home.path().join(".claude/projects/-srv-shop");
    fs::create_dir_all(&sessions).unwrap();
    fs::copy(root().join("examples/session.jsonl"), sessions.join("a.jsonl")).unwrap();
    let base = home.path().join(".local/state/failwise/base.sqlite");
    let later = "kb learn --transcripts";
    let quiet = home.run(&[]);
    assert_success(&quiet);
    assert!(said(&quiet).contains(later) && !said(&quiet).contains("[Y/n]"), "no terminal: {}", said(&quiet));
    assert!(!base.exists(), "nobody was asked");
    // The end of the input is no consent.
    for (answer, learns) in [("n\n", false), ("\u{4}", false), ("\n", true), ("y\n", true)] {
        let _ = fs::remove_file(&base);
        let installer = home.command(&root().join("install.sh"), &[]);
        let mut command = Command::new("/usr/bin/python3");
        command.args(["-c", ON_A_TERMINAL, answer, "sh"]).args(installer.get_args()).env_clear();
        command.envs(installer.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
        let output = command.env("FAILWISE_PREBUILT", built().parent().unwrap()).output().unwrap();
        let shown = said(&output);
        assert_success(&output);
        let (asked, after) = shown.split_once("[Y/n] ").unwrap_or_else(|| panic!("nothing was asked: {shown}"));
        assert!(asked.contains("It stays on this machine"), "{shown}");
        assert_eq!(base.exists(), learns, "{answer:?}: {shown}");
        assert_eq!(after.contains("1 sources looked at"), learns, "{answer:?}: {shown}");
        assert_eq!(after.contains(later), !learns, "{answer:?}: {shown}");
    }
}

#[test]
fn an_old_compiler_is_named_with_the_version_needed() {
    let home = Home::new();
    home.tool("cargo", "exit 1");
    home.tool("rustc", "echo 'rustc 1.60.0 (7737e0b5c 2022-04-04)'");
    let output = home.command(&root().join("install.sh"), &["--no-register"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    assert!(said.contains("rustc 1.60.0 is too old") && said.contains("rustup update"), "{said}");
    assert!(said.contains(env!("CARGO_PKG_RUST_VERSION")), "{said}");
}

#[test]
fn a_build_that_fails_says_so_and_installs_nothing() {
    let home = Home::with_client(WILLING_CLIENT);
    home.tool("cargo", "exit 101");
    home.tool("rustc", "case $1 in -vV) echo 'host: riscv64gc-unknown-none-elf' ;; *) echo 'rustc 9.9.9 (x)' ;; esac");
    let output = home.command(&root().join("install.sh"), &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("could not build"), "{}", said(&output));
    assert_eq!(home.files(), BTreeSet::new());
    assert_eq!(home.client_log(), "");
}

#[test]
fn wrong_use_is_answered_with_the_way_to_the_help() {
    let home = Home::new();
    for arguments in [&["--bogus"][..], &["--prefix"], &["--prebuilt"]] {
        let output = home.run(arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        assert!(said(&output).contains("--help"), "{arguments:?}");
    }
    let help = home.run(&["--help"]);
    assert_success(&help);
    for option in ["--prefix", "--no-register", "--uninstall", "--dry-run", "--prebuilt", "--from-source"] {
        assert!(said(&help).contains(option), "{option}");
    }
    assert_eq!(home.files(), BTreeSet::new());
}

/// Wherever an earlier run was killed, at the first installation or at an update, the next one leaves what a run that
/// nobody disturbed leaves; and nothing is in the way of removing it.
#[test]
#[ignore = "long: `.ci/run` plays it"]
fn what_a_killed_run_left_is_removed() {
    if !Path::new("/usr/bin/strace").exists() {
        eprintln!("SKIPPED: there is no /usr/bin/strace to kill a run at a call");
        return;
    }
    let executables = executables();
    let undisturbed = Home::new();
    assert_success(&undisturbed.setup(executables.path(), &[]));
    let killed = |home: &Home, call: &str, time: usize, arguments: &[&str]| {
        let inject = format!("inject={call}:signal=KILL:when={time}");
        let mut command = Command::new("/usr/bin/strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", &inject]).arg(executables.path().join("failwise"));
        let output = home.environment(command.arg("setup").args(arguments)).output().unwrap();
        assert!(!output.status.success(), "it was not killed at {call} {time}: {}", said(&output));
    };
    let mut litter = 0;
    // Collecting: a folder, an executable. Putting in its place: the first file, one in the middle, the manifest.
    for (call, time) in [("mkdir", 3), ("fchmod", 1), ("rename", 1), ("rename", 9), ("rename", 22)] {
        for is_update in [false, true] {
            if call == "rename" && time > 1 && !is_update {
                continue;
            }
            let home = Home::new();
            if is_update {
                assert_success(&home.setup(executables.path(), &[]));
                fs::write(home.plugin().join("skills/old.md"), "old").unwrap();
            }
            let what = format!("killed at {call} {time}, {is_update}");
            killed(&home, call, time, &[]);
            litter += usize::from(home.files().iter().any(|file| file.contains("plugin.new")));
            assert_success(&home.setup(executables.path(), &[]));
            assert_eq!(home.files(), undisturbed.files(), "{what}");
            assert_eq!(home.manifest()["version"], undisturbed.manifest()["version"], "{what}");
            killed(&home, "mkdir", 3, &[]);
            assert_success(&home.setup(executables.path(), &["--remove"]));
            assert_eq!(home.files(), BTreeSet::new(), "{what}, then removed");
            assert!(!home.path().join(".local/share/failwise").exists(), "{what}, then removed");
        }
    }
    assert!(litter > 5, "the runs were killed too late or too early: {litter}");
}

/// Two at a time leave what one leaves.
#[test]
fn two_runs_at_a_time_leave_what_one_leaves() {
    let (home, one) = (Home::new(), Home::new());
    let folder = built().parent().unwrap();
    assert_success(&one.setup(folder, &[]));
    std::thread::scope(|scope| {
        let runs = [(); 3].map(|()| scope.spawn(|| home.setup(folder, &[])));
        for run in runs {
            assert_success(&run.join().unwrap());
        }
    });
    assert_eq!(home.files(), one.files());
    assert_eq!(home.manifest(), one.manifest());
}

/// From wherever it is started, `setup` leaves the same plugin.
#[test]
fn every_way_ends_with_the_same_plugin() {
    let (by_script, by_command) = (Home::new(), Home::new());
    assert_success(&by_script.run(&[]));
    assert_success(&by_command.setup(built().parent().unwrap(), &[]));
    assert_eq!(by_script.files(), by_command.files());
    for file in by_script.files().iter().filter(|file| !file.contains("/bin/") && !file.ends_with("/link")) {
        let read = |home: &Home| fs::read(home.path().join(file)).unwrap();
        assert_eq!(read(&by_script), read(&by_command), "{file}");
    }
}

/// A command that is on PATH needs no link, and shows when it was updated and the plugin was not.
#[test]
fn a_command_on_the_path_is_not_linked_and_notices_an_update() {
    let home = Home::with_client(WILLING_CLIENT);
    let folder = executables();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(folder.path().join("failwise"));
        home.environment(command.args(arguments));
        let path = format!("{}:{}:/usr/bin:/bin", home.tools.path().display(), folder.path().display());
        command.env("PATH", path).current_dir(home.path()).output().unwrap()
    };
    let output = run(&["setup"]);
    assert_success(&output);
    assert!(said(&output).contains("make chart"), "it replays the example: {}", said(&output));
    assert!(fs::symlink_metadata(home.link()).is_err(), "{}", said(&output));
    let source = serde_json::json!({ "source": "directory", "path": home.plugin() });
    home.client_knows("failwise", &source, Some("failwise@failwise"));
    assert!(!said(&run(&["doctor"])).contains("setup brings the plugin up"), "{}", said(&run(&["doctor"])));

    fs::remove_file(folder.path().join("failwise-hook")).unwrap();
    program(&folder.path().join("failwise-hook"), concat!(": newer\necho failwise-hook ", env!("CARGO_PKG_VERSION")));
    assert!(said(&run(&["doctor"])).contains("setup brings the plugin up"), "{}", said(&run(&["doctor"])));
    let quiet = run(&["setup", "-q"]);
    assert_success(&quiet);
    assert!(!said(&quiet).contains("make chart"), "{}", said(&quiet));
    assert!(!said(&run(&["doctor"])).contains("setup brings the plugin up"), "{}", said(&run(&["doctor"])));
}

/// Two plugins would record each event twice: the second one is refused, with the command that removes the first.
#[test]
fn a_plugin_of_another_marketplace_is_not_joined_by_a_second_one() {
    let folder = built().parent().unwrap();
    for (marketplace, plugin, way_out) in [
        ("corp", Some("failwise@corp"), "claude plugin uninstall failwise@corp && failwise setup"),
        (
            "failwise",
            Some("failwise@failwise"),
            "claude plugin uninstall failwise@failwise && claude plugin marketplace remove failwise && failwise setup",
        ),
        ("failwise", None, "claude plugin marketplace remove failwise && failwise setup"),
    ] {
        let home = Home::with_client(WILLING_CLIENT);
        let source = serde_json::json!({ "source": "github", "repo": "someone/failwise" });
        home.client_knows(marketplace, &source, plugin);
        let before = home.files();
        let output = home.setup(folder, &[]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(way_out), "{marketplace} {plugin:?}: {}", said(&output));
        assert_eq!((home.files(), home.client_log()), (before, String::new()), "{marketplace}");
        if marketplace == "failwise" {
            // What another marketplace installed is not ours to remove.
            assert_success(&home.setup(folder, &["--remove"]));
            assert_eq!(home.client_log(), "");
        }
    }
}

#[test]
fn the_folder_alone_is_printed_for_a_program() {
    let home = Home::with_client(WILLING_CLIENT);
    for _ in 0..2 {
        let output = home.setup(built().parent().unwrap(), &["--print-dir"]);
        assert_success(&output);
        assert_eq!(said(&output), format!("{}\n", home.plugin().display()));
    }
    assert!(home.plugin().join("bin/failwise-hook").is_file());
    assert_eq!(home.client_log(), "");
    assert!(fs::symlink_metadata(home.link()).is_err());
}

#[test]
fn a_hook_that_is_missing_or_of_another_version_is_named() {
    let home = Home::with_client(WILLING_CLIENT);
    let folder = executables();
    program(&folder.path().join("other"), "");
    fs::rename(folder.path().join("other"), folder.path().join("failwise-hook")).unwrap();
    program(&folder.path().join("failwise-hook"), "echo failwise-hook 0.0.1");
    let output = home.setup(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(69));
    assert!(said(&output).contains("failwise-hook 0.0.1"), "{}", said(&output));
    fs::remove_file(folder.path().join("failwise-hook")).unwrap();
    assert_eq!(home.setup(folder.path(), &[]).status.code(), Some(69));
    assert_eq!(home.files(), BTreeSet::new());
}

// --- archives ---

/// An archive as a release has it, and its checksums, in a folder of their own.
struct Release {
    folder: TempDir,
    archive: PathBuf,
}

impl Release {
    fn of(executables: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = concat!("failwise-", env!("CARGO_PKG_VERSION"), "-x86_64-unknown-linux-musl");
        let bin = folder.path().join(top).join("bin");
        fs::create_dir_all(&bin).unwrap();
        for name in ["failwise", "failwise-hook"] {
            fs::copy(executables.join(name), bin.join(name)).unwrap();
        }
        let archive = folder.path().join(format!("{top}.tar.xz"));
        // Not compressed: `tar` sees for itself what it is.
        let made = Command::new("tar").arg("-C").arg(folder.path()).arg("-cf").arg(&archive).arg(top).status().unwrap();
        assert!(made.success());
        fs::remove_dir_all(folder.path().join(top)).unwrap();
        let release = Self { folder, archive };
        release.sum();
        release
    }

    fn name(&self) -> &str {
        self.archive.file_name().unwrap().to_str().unwrap()
    }

    fn sums(&self) -> PathBuf {
        self.folder.path().join("SHA256SUMS")
    }

    fn sum(&self) {
        use sha2::Digest as _;
        let digest = sha2::Sha256::digest(fs::read(&self.archive).unwrap());
        let digest = failwise::digest::hex(&digest, 32);
        fs::write(self.sums(), format!("{:064}  other.tar.xz\n{digest}  {}\n", 0, self.name())).unwrap();
    }

    /// Installs it into a home; gives the one sentence with which that was refused.
    fn refusal(&self, home: &Home) -> String {
        let output = home.run(&["--prebuilt", self.archive.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert_eq!((home.files(), home.client_log()), (BTreeSet::new(), String::new()), "{}", said(&output));
        let errors = String::from_utf8(output.stderr).unwrap();
        let (first, _) = errors.split_once('\n').unwrap();
        assert_eq!(errors.lines().filter(|line| !line.starts_with("  ")).count(), 1, "{errors}");
        first.to_owned()
    }
}

#[test]
fn an_archive_is_installed_from_a_file_and_from_an_address() {
    let release = Release::of(built().parent().unwrap());
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&["--prebuilt", release.archive.to_str().unwrap()]));
    assert_eq!(fs::read(home.plugin().join("bin/failwise-hook")).unwrap(), fs::read(built()).unwrap());
    assert!(home.client_log().contains("plugin install failwise@failwise"));

    let server = Server::of(release.folder.path());
    for arguments in [vec!["--prebuilt", ""], vec![]] {
        let home = Home::with_client(WILLING_CLIENT);
        let address = format!("{}/{}", server.url, release.name());
        let arguments: Vec<&str> =
            arguments.into_iter().map(|word| if word.is_empty() { &address } else { word }).collect();
        let mut command = home.command(&root().join("install.sh"), &arguments);
        let output = command.env("FAILWISE_RELEASE_URL", &server.url).output().unwrap();
        assert_success(&output);
        assert!(home.plugin().join("bin/failwise").is_file(), "{}", said(&output));
    }
}

#[test]
fn what_is_wrong_with_an_archive_is_said_in_one_sentence_before_anything_is_installed() {
    let home = Home::with_client(WILLING_CLIENT);
    let tools = executables();
    for name in ["failwise", "failwise-hook"] {
        fs::remove_file(tools.path().join(name)).unwrap();
        program(&tools.path().join(name), "exit 0");
    }
    let release = Release::of(tools.path());
    let whole = fs::read(&release.archive).unwrap();

    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    fs::write(&release.archive, &flipped).unwrap();
    assert!(release.refusal(&home).contains("is not what SHA256SUMS says"));
    fs::write(&release.archive, &whole[..whole.len() / 2]).unwrap();
    assert!(release.refusal(&home).contains("is not what SHA256SUMS says"));

    fs::write(&release.archive, &whole).unwrap();
    let sums = fs::read_to_string(release.sums()).unwrap();
    fs::write(release.sums(), sums.lines().next().unwrap()).unwrap();
    assert!(release.refusal(&home).contains("SHA256SUMS has no line for"));
    fs::remove_file(release.sums()).unwrap();
    assert!(release.refusal(&home).contains("there is no SHA256SUMS"));

    // Right to the last byte, and for another machine.
    fs::write(tools.path().join("failwise-hook"), b"\x7fELF\x02\x01\x01 of another machine").unwrap();
    assert!(Release::of(tools.path()).refusal(&home).contains("is of another platform"));
}

#[test]
fn a_release_that_does_not_answer_is_one_line_and_a_build() {
    let home = Home::with_client(WILLING_CLIENT);
    home.tool("cargo", "exit 101");
    home.tool("rustc", "case $1 in -vV) echo 'host: riscv64gc-unknown-none-elf' ;; *) echo 'rustc 9.9.9 (x)' ;; esac");
    let mut command = home.command(&root().join("install.sh"), &[]);
    let output = command.env("FAILWISE_RELEASE_URL", "http://127.0.0.1:9").output().unwrap();
    let said = said(&output);
    assert_eq!(said.lines().filter(|line| line.contains("127.0.0.1:9")).count(), 1, "{said}");
    assert!(said.contains("does not answer") && said.contains("building from source"), "{said}");
    assert!(said.contains("could not build"), "{said}");
    assert_eq!(home.files(), BTreeSet::new());
}

/// While a build takes long, a line every few seconds says how far it is; the hook's first verdict comes before the rest.
#[test]
fn no_ten_seconds_pass_without_a_line() {
    let home = Home::with_client(WILLING_CLIENT);
    let clone = tempfile::tempdir().unwrap();
    for part in ["install.sh", "examples", "Cargo.toml"] {
        symlink(root().join(part), clone.path().join(part)).unwrap();
    }
    fs::create_dir(clone.path().join("scripts")).unwrap();
    let script = clone.path().join("install.sh");
    fs::remove_file(&script).unwrap();
    fs::copy(root().join("install.sh"), &script).unwrap();
    let built = built().parent().unwrap().display();
    let slow = format!("echo {built}; echo '   Compiling serde v1.0.0' >&2; sleep 17");
    program(&clone.path().join("scripts/build.sh"), &slow);
    home.tool("cargo", "printf 'serde v1\\nlog v1\\n'");
    home.tool("rustc", "case $1 in -vV) echo 'host: none' ;; *) echo 'rustc 9.9.9 (x)' ;; esac");
    let mut command = home.command(&script, &["--from-source"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let began = std::time::Instant::now();
    let mut lines = Vec::new();
    for line in std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap())) {
        lines.push((began.elapsed().as_secs_f64(), line.unwrap()));
    }
    assert!(child.wait().unwrap().success(), "{lines:?}");
    let gaps = lines.windows(2).map(|pair| pair[1].0 - pair[0].0);
    assert!(gaps.fold(0.0, f64::max) < 10.0, "{lines:?}");
    let at = |words: &str| {
        lines.iter().position(|(_, line)| line.contains(words)).unwrap_or_else(|| panic!("{words}: {lines:?}"))
    };
    assert!(
        at("minutes on") < at("[F1 rate_limit")
            && at("[F1 rate_limit") < at("1 of 2 compiled or begun, the last one serde")
    );
    assert!(at("the rest is reused") < at("Installed."));
}

// --- a plugin for all systems ---

/// The script in the hook's place starts this system's executable, puts a link to it in its own place once, and says at the
/// start of a session that there is none.
#[test]
fn the_starter_makes_way_for_the_executable_of_this_system() {
    let folder = tempfile::tempdir().unwrap();
    let hook = folder.path().join("failwise-hook");
    let place = |name: &Path| fs::copy(root().join("packages/starter.sh"), name).map(drop).unwrap();
    let start = |event: &str| {
        let mut command = Command::new(&hook);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let payload = format!("{{\"session_id\":\"s\",\"hook_event_name\":\"{event}\"}}");
        let _ = std::io::Write::write_all(child.stdin.as_mut().unwrap(), payload.as_bytes());
        let output = child.wait_with_output().unwrap();
        assert_success(&output);
        String::from_utf8(output.stdout).unwrap()
    };
    place(&hook);
    let sentence: Value = serde_json::from_str(&start("SessionStart")).unwrap();
    assert!(sentence["systemMessage"].as_str().unwrap().contains("is not there for"), "{sentence}");
    assert_eq!(start("PostToolUse"), "");
    assert!(!hook.is_symlink());

    let processor = if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" };
    let system = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let own = folder.path().join(format!("{system}-{processor}"));
    fs::create_dir(&own).unwrap();
    program(&own.join("failwise-hook"), "echo started");
    // Several sessions begin at once: each of them is answered, and one link is left.
    std::thread::scope(|scope| {
        for thread in [(); 8].map(|()| scope.spawn(|| start("SessionStart"))) {
            assert_eq!(thread.join().unwrap(), "started\n");
        }
    });
    assert!(hook.is_symlink());
    assert_eq!(fs::canonicalize(&hook).unwrap(), fs::canonicalize(own.join("failwise-hook")).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    assert_eq!(start("PostToolUse"), "started\n");

    // A plugin that has the hooks alone: the commands are named, and called once they are installed.
    place(&folder.path().join("failwise"));
    let elsewhere = tempfile::tempdir().unwrap();
    let ask = || {
        let path = format!("{}:{}:/usr/bin:/bin", folder.path().display(), elsewhere.path().display());
        Command::new(folder.path().join("failwise")).arg("why").env("PATH", path).output().unwrap()
    };
    let output = ask();
    assert_eq!(output.status.code(), Some(69));
    assert!(said(&output).contains("install it: npm install -g failwise"), "{}", said(&output));
    symlink("/bin/echo", elsewhere.path().join("failwise")).unwrap();
    assert_eq!(said(&ask()), "why\n");
}

/// The npm package's script runs each command in a person's terminal until `setup` replaces it: it stays short.
#[test]
fn the_script_of_the_npm_package_is_short_and_known_to_setup() {
    let script = fs::read_to_string(root().join("packages/failwise.js")).unwrap();
    assert!(script.lines().count() < 20);
    assert!(script.contains("FAILWISE_SHIM"), "setup knows the script by it");
}

/// A web server of this machine with the files of a folder.
struct Server {
    url: String,
}

impl Server {
    fn of(folder: &Path) -> Self {
        use std::io::{BufRead as _, BufReader, Write as _};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let folder = folder.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut asked = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let name = asked.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().replace('/', "");
                // What else it asks for is read, or the answer would be cut off.
                let _ = asked.take_while(|line| !line.is_empty()).count();
                let (status, body) = match fs::read(folder.join(name)) {
                    Ok(body) => ("200 OK", body),
                    Err(_) => ("404 Not Found", Vec::new()),
                };
                let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            }
        });
        Self { url }
    }
}
