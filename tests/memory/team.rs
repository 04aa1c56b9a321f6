//! What a team shares in git: ten homes with clones of one repository, whose exports merge by themselves.

#![cfg(all(unix, feature = "cli"))]
#![expect(clippy::disallowed_methods, reason = "starts the executables and git, and looks at their files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::data_folder::data_folder;
use crate::feeding::feed;
use crate::kb::Machine;

const KNOWN: &str = ".claude/failwise-known.jsonl";
const MARKS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// Git in a folder, with nothing of the machine's own settings.
fn git_output(folder: &Path, arguments: &[&str]) -> Output {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]);
    git.args(arguments).current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    git.output().unwrap()
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = git_output(folder, arguments);
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository that all clone.
pub(crate) fn shared_repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    git(root.path(), &["init", "-q", "--bare", "shop.git"]);
    git(root.path(), &["clone", "-q", "shop.git", "first"]);
    fs::write(root.path().join("first/README"), "a shop\n").unwrap();
    commit(&root.path().join("first"), "first");
    git(&root.path().join("first"), &["push", "-q", "origin", "HEAD:main"]);
    root
}

pub(crate) fn commit(folder: &Path, what: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", what]);
}

/// A machine whose project is a clone.
pub(crate) fn clone_of(root: &Path) -> Machine {
    let machine = Machine::new();
    fs::remove_dir_all(machine.project()).unwrap();
    git(root, &["clone", "-q", "shop.git", machine.project().to_str().unwrap()]);
    machine
}

/// The sessions of one real project, where there are any.
fn real_sessions() -> Vec<PathBuf> {
    let Some(data) = data_folder() else { return Vec::new() };
    let files = fs::read_dir(data.join("sessions")).into_iter().flatten().flatten().map(|entry| entry.path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut files: Vec<PathBuf> = files.filter(|path| name(path).starts_with("ts-rust-")).collect();
    files.sort();
    files
}

/// Numbers that look random, the same at each run.
fn draw(seed: &mut u64, below: usize) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed % below as u64).unwrap()
}

/// Ten homes teach, export and commit; their branches are merged in any order, a hundred times.
#[test]
fn ten_homes_exports_merge_in_any_order_to_the_same_lines() {
    let root = shared_repository();
    let sessions = real_sessions();
    for number in 0..10_usize {
        let machine = clone_of(root.path());
        // All meet one failure and some of them a second one, so that machines speak of the same fixes.
        machine.mends("a");
        if number % 3 == 0 {
            machine.mends("b");
        }
        let dealt: Vec<&str> = sessions.iter().skip(number).step_by(10).map(|path| path.to_str().unwrap()).collect();
        if !dealt.is_empty() {
            machine.asked(&[&["kb", "learn"][..], &dealt].concat());
        }
        let output = machine.failwise(&["kb", "export", "--team"]);
        assert!(output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(".gitattributes: git merges failwise-known.jsonl by itself; commit both"), "{said}");
        let again = String::from_utf8(machine.failwise(&["kb", "export", "--team"]).stderr).unwrap();
        assert!(!again.contains(".gitattributes"), "said once: {again}");
        commit(&machine.project(), "what failed here");
        git(&machine.project(), &["push", "-q", "origin", &format!("HEAD:m{number}")]);
    }
    let team = clone_of(root.path());
    let folder = team.project();
    let (mut seed, mut first) = (0x5eed_u64, None);
    for round in 0..100 {
        git(&folder, &["checkout", "-q", "-B", "all", "origin/main"]);
        let mut left: Vec<usize> = (0..10).collect();
        while !left.is_empty() {
            let next = left.swap_remove(draw(&mut seed, left.len()));
            let merged = git_output(&folder, &["merge", "-q", "--no-edit", &format!("origin/m{next}")]);
            assert!(merged.status.success(), "round {round}: {}", String::from_utf8_lossy(&merged.stdout));
        }
        let text = fs::read_to_string(folder.join(KNOWN)).unwrap();
        assert!(!text.lines().any(|line| MARKS.iter().any(|mark| line.starts_with(mark))), "{text}");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        let first = first.get_or_insert_with(|| lines.join("\n"));
        assert!(lines.join("\n") == *first, "other lines in round {round}");
    }
    let first = first.unwrap();
    let machines = |line: &str| serde_json::from_str::<Value>(line).unwrap()["counts"].as_object().unwrap().len();
    assert!(first.lines().all(|line| machines(line) == 1), "a line is of one machine");
    assert!(first.lines().count() >= 10, "{first}");
    println!("{} sessions, {} lines, {} bytes", sessions.len(), first.lines().count(), first.len());
    team.asked(&["trust", "--yes"]);
    let known = team.json(&["kb", "list", "--format", "json"]);
    let known = known["patterns"].as_array().unwrap().iter().find(|it| it["operation"] == "gh pr diff 104 --stat");
    let shared = &known.unwrap()["shared"];
    assert_eq!((&shared["sessions"], &shared["machines"]), (&14.into(), &10.into()));
    assert!(team.asked(&["kb"]).contains("in 14 sessions on 10 machines, never here"));
}

/// Where git knew of no union, its conflict is read with both sides, and mended by the next export.
#[test]
fn a_conflict_in_the_teams_file_is_read_repaired_and_said() {
    let root = shared_repository();
    let (one, other) = (clone_of(root.path()), clone_of(root.path()));
    for machine in [&one, &other] {
        machine.mends("a");
        machine.asked(&["kb", "export", "--team"]);
        fs::remove_file(machine.project().join(".claude/.gitattributes")).unwrap();
        commit(&machine.project(), "without attributes");
    }
    git(&one.project(), &["push", "-q", "origin", "HEAD:main"]);
    git(&other.project(), &["fetch", "-q", "origin"]);
    assert!(!git_output(&other.project(), &["merge", "-q", "origin/main"]).status.success(), "a conflict");
    let file = other.project().join(KNOWN);
    assert!(fs::read_to_string(&file).unwrap().contains("<<<<<<<"));
    let shown = String::from_utf8(other.failwise(&["trust", "--show"]).stdout).unwrap();
    assert!(shown.contains("1 fixes;") && !shown.contains("cannot be read"), "{shown}");
    let said = String::from_utf8(other.failwise(&["kb", "export", "--team"]).stderr).unwrap();
    assert!(said.contains("the file had a merge conflict: its lines of both sides are kept"), "{said}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.lines().count() == 2 && !text.contains("<<<<<<<"), "{text}");
    let said = String::from_utf8(other.failwise(&["kb", "export", "--team"]).stderr).unwrap();
    assert!(!said.contains("conflict"), "{said}");
}

/// A CI begins each run in an empty home: all of its runs are one machine.
#[test]
fn all_runs_of_a_ci_are_one_machine() {
    let lines: Vec<String> = (0..2)
        .map(|_| {
            let machine = Machine::new();
            machine.mends("a");
            let output =
                feed(machine.command(env!("CARGO_BIN_EXE_failwise")).env("CI", "true").args(["kb", "export"]), "");
            assert!(!machine.state().join("machine").exists());
            String::from_utf8(output.stdout).unwrap()
        })
        .collect();
    assert!(lines[0] == lines[1] && lines[0].lines().count() == 1, "{lines:?}");
}
