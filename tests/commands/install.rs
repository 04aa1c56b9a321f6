//! Runs `install.sh` in an empty home with the executables of this build and a stand-in for the client.

#![cfg(all(unix, feature = "cli"))]
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
        let path = self.tools.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
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

    /// The same with small stand-ins for the executables, where it is copied many times.
    fn run_small(&self, arguments: &[&str]) -> Output {
        self.small(&root().join("install.sh"), arguments).output().unwrap()
    }

    fn small(&self, script: &Path, arguments: &[&str]) -> Command {
        for name in ["failwise", "failwise-hook"] {
            self.tool(name, "exit 0");
        }
        let mut command = self.command(script, arguments);
        command.env("FAILWISE_PREBUILT", self.tools.path());
        command
    }

    fn command(&self, script: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command
            .arg(script)
            .args(arguments)
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", format!("{}:/usr/bin:/bin", self.tools.path().display()))
            .stdin(Stdio::null());
        command
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
    for step in ["would copy", "would move", "ln -sf", "claude plugin install failwise@failwise", "replay"] {
        assert!(said(&output).contains(step), "{step} is missing in: {}", said(&output));
    }
}

#[test]
fn it_installs_links_and_registers() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&[]));
    for file in ["hooks/hooks.json", "hooks/newer.json", "skills/failure-classifier/SKILL.md", "bin/failwise"] {
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

#[test]
fn the_planner_is_registered_only_when_asked_for() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&["--planner"]));
    assert!(home.plugin().join("planner/agents/master-planner.md").is_file());
    let log = home.client_log();
    let planner: Vec<&str> = log.lines().filter(|call| call.contains("failwise-planner")).collect();
    assert_eq!(planner, ["plugin install failwise-planner@failwise", "plugin update failwise-planner@failwise"]);
}

/// The server is built, linked and registered when it is asked for, and from then on by every update.
#[test]
fn the_server_is_installed_when_asked_for_and_stays() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run_small(&[]));
    let server = home.plugin().join("mcp/plugin/bin/failwise-mcp");
    let link = home.path().join(".local/bin/failwise-mcp");
    assert!(home.plugin().join("mcp/plugin/.mcp.json").is_file(), "the marketplace offers it");
    assert!(!server.exists() && fs::symlink_metadata(&link).is_err() && !home.client_log().contains("failwise-mcp"));

    home.tool("failwise-mcp", "exit 0");
    assert_success(&home.run_small(&["--mcp"]));
    assert!(server.is_file());
    assert_eq!(fs::read_link(&link).unwrap(), server);
    let registered = |log: &str| log.lines().filter(|call| call.contains("failwise-mcp")).count();
    assert_eq!(registered(&home.client_log()), 2);

    assert_success(&home.run_small(&[]));
    assert!(server.is_file(), "an update keeps it");
    assert_eq!(registered(&home.client_log()), 4);

    assert_success(&home.run_small(&["--uninstall"]));
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

    let other = tempfile::tempdir().unwrap();
    for name in ["failwise-hook", "failwise"] {
        fs::write(other.path().join(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(other.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
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
    let other = tempfile::tempdir().unwrap();
    for name in ["failwise-hook", "failwise"] {
        fs::write(other.path().join(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(other.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_success(&home.run(&["--prebuilt", other.path().to_str().unwrap()]));
    assert_eq!(fs::read(&held).unwrap(), fs::read(built()).unwrap());
    assert_eq!(fs::read(&hook).unwrap(), b"#!/bin/sh\n");
}

#[test]
fn uninstalling_leaves_recorded_data_and_says_where_it_is() {
    let home = Home::with_client(WILLING_CLIENT);
    assert_success(&home.run(&["--prefix", home.path().join("elsewhere").to_str().unwrap()]));
    assert!(home.path().join("elsewhere/bin/failwise").is_symlink());
    let history = home.path().join(".local/state/failwise/projects/p-1/history.jsonl");
    fs::create_dir_all(history.parent().unwrap()).unwrap();
    fs::write(&history, "{}\n").unwrap();

    // Without --prefix: the place of the link is remembered.
    let output = home.run(&["--uninstall"]);
    assert_success(&output);
    let left: Vec<String> = home.files().into_iter().collect();
    assert_eq!(left, [".local/state/failwise/projects/p-1/history.jsonl"]);
    assert!(said(&output).contains(".local/state/failwise"), "{}", said(&output));
    let log = home.client_log();
    assert!(log.ends_with("plugin uninstall failwise@failwise\nplugin marketplace remove failwise\n"), "{log}");

    assert_success(&home.run(&["--uninstall"]));
}

#[test]
fn without_a_client_it_says_how_to_register_later() {
    let home = Home::new();
    if Path::new("/usr/bin/claude").exists() || Path::new("/bin/claude").exists() {
        return;
    }
    let output = home.run(&[]);
    assert_success(&output);
    assert!(said(&output).contains("claude plugin marketplace add \""), "{}", said(&output));
    assert!(said(&output).contains("claude plugin install failwise@failwise"), "{}", said(&output));
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
    assert_success(&home.run(&["--uninstall"]));
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
    for option in ["--prefix", "--no-register", "--uninstall", "--dry-run", "--prebuilt"] {
        assert!(said(&help).contains(option), "{option}");
    }
    assert_eq!(home.files(), BTreeSet::new());
}

/// A stand-in for a tool that kills the script when it is called for this time, before or after its work.
fn kills(home: &Home, tool: &str, time: usize, does_its_work: bool) {
    let calls = home.tools.path().join("calls");
    let _ = fs::remove_file(&calls);
    let (calls, path) = (calls.display(), format!("/usr/bin:/bin:{}", std::env::var("PATH").unwrap()));
    let work = if does_its_work { "PATH=$path \"$tool\" \"$@\"; " } else { "" };
    let body = format!(
        "tool={tool} path='{path}'; echo >>'{calls}'\n\
         if [ \"$(wc -l <'{calls}')\" -eq {time} ]; then {work}kill -9 \"$PPID\"; exit 1; fi\n\
         PATH=$path exec \"$tool\" \"$@\""
    );
    home.tool(tool, &body);
}

fn spares(home: &Home, tool: &str) {
    fs::remove_file(home.tools.path().join(tool)).unwrap();
}

/// Wherever an earlier run was killed, at the first installation or at an update, the next one leaves what a run that
/// nobody disturbed leaves; and nothing is in the way of taking it away.
#[test]
#[ignore = "long: `.ci/run` plays it"]
fn what_a_killed_run_left_is_removed() {
    let undisturbed = Home::new();
    assert_success(&undisturbed.run_small(&[]));
    let points = [("cp", 1), ("cp", 8), ("chmod", 2), ("mv", 1), ("mv", 3), ("mv", 6)];
    let mut litter = 0;
    for (tool, time) in points {
        for (is_update, does_its_work) in [(false, false), (false, true), (true, false), (true, true)] {
            let home = Home::new();
            if is_update {
                assert_success(&home.run_small(&[]));
            }
            let what = format!("killed at {tool} {time}, {is_update} {does_its_work}");
            kills(&home, tool, time, does_its_work);
            if home.run_small(&[]).status.success() {
                assert!(!is_update && tool == "mv", "{what}: it was not killed");
            }
            spares(&home, tool);
            litter += usize::from(home.files().iter().any(|file| file.contains("plugin.new.")));
            assert_success(&home.run_small(&[]));
            assert_eq!(home.files(), undisturbed.files(), "{what}");
            assert_eq!(home.manifest()["version"], undisturbed.manifest()["version"], "{what}");
            kills(&home, tool, time, does_its_work);
            home.run_small(&[]);
            spares(&home, tool);
            assert_success(&home.run(&["--uninstall"]));
            assert_eq!(home.files(), BTreeSet::new(), "{what}, then taken away");
            assert!(!home.path().join(".local/share/failwise").exists(), "{what}, then taken away");
        }
    }
    assert!(litter > 12, "the runs were killed too late or too early: {litter}");
}

/// What belongs to a run that still works stays, and so does what only looks like it.
#[test]
fn what_others_use_is_not_removed() {
    let home = Home::new();
    assert_success(&home.run_small(&[]));
    let base = home.path().join(".local/share/failwise");
    let own = format!("plugin.new.{}", std::process::id());
    for name in [own.as_str(), "plugin.new.", "plugin.new.old", "plugin.new.7x", "plugin.news"] {
        fs::create_dir(base.join(name)).unwrap();
        fs::write(base.join(name).join("kept"), "").unwrap();
    }
    let before = home.files();
    assert_success(&home.run_small(&[]));
    assert_eq!(home.files(), before);
}

#[test]
fn a_killed_build_leaves_nothing_in_the_clone() {
    let home = Home::new();
    let clone = tempfile::tempdir().unwrap();
    fs::copy(root().join("install.sh"), clone.path().join("install.sh")).unwrap();
    symlink(root().join("examples"), clone.path().join("examples")).unwrap();
    let run = || home.small(&clone.path().join("install.sh"), &["--no-register"]).output();
    for (tool, time) in [("cp", 1), ("cp", 2), ("chmod", 1), ("chmod", 2), ("mv", 1), ("mv", 2)] {
        kills(&home, tool, time, tool == "cp");
        assert!(!run().unwrap().status.success(), "{tool} {time}");
        spares(&home, tool);
        assert_success(&run().unwrap());
        let mut left = BTreeSet::new();
        collect(&clone.path().join("bin"), clone.path(), &mut left);
        assert_eq!(left, ["bin/failwise", "bin/failwise-hook"].map(str::to_owned).into(), "{tool} {time}");
    }
}
