//! The made-up month of `examples/month`: its figures are the README's, and the same in all forms of a report.

#![cfg(all(unix, feature = "cli"))]
#![expect(clippy::disallowed_methods, reason = "writes sessions, starts the executable and reads the README")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

#[path = "../../examples/month/work.rs"]
mod work;

/// A home with the month that ends now.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for session in work::sessions(chrono::Utc::now()) {
        let path = home.path().join(".claude/projects").join(session.place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, session.text).unwrap();
    }
    home
}

fn says(home: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    let output = command.args(arguments).env_clear().env("HOME", home).current_dir(home).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_month_is_sixty_sessions_of_four_projects_and_the_same_ones_each_time() {
    let until = "2026-03-15T00:00:00Z".parse().unwrap();
    let (one, other) = (work::sessions(until), work::sessions(until));
    assert_eq!(one.len(), 60);
    assert!(one.iter().zip(&other).all(|(one, other)| one.text == other.text && one.place == other.place));
    let projects: BTreeSet<&str> = one.iter().filter_map(|session| Some(session.place.split_once('/')?.0)).collect();
    assert_eq!(projects.len(), 4);
}

#[test]
fn the_readme_shows_what_the_month_gives() {
    let home = home();
    let said = says(home.path(), &[]);
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let mut shown = 0;
    for line in said
        .lines()
        .filter(|line| ["  change ", "  read ", "  failed ", "  waste "].iter().any(|name| line.starts_with(name)))
    {
        assert!(readme.contains(&format!("\n{line}\n")), "the README does not show:\n{said}");
        shown += 1;
    }
    assert_eq!(shown, 6, "{said}");
}

/// A reader that went away has what it wanted.
#[test]
fn nobody_who_reads_the_rest_is_no_error() {
    let home = home();
    for format in ["csv", "json", "md", "html"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.args(["report", "--format", format]).env_clear().env("HOME", home.path()).current_dir(home.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{format}: {output:?}");
    }
}

#[test]
fn every_form_of_a_report_has_the_same_figures() {
    let home = home();
    let json: Value = serde_json::from_str(&says(home.path(), &["report", "--json"])).unwrap();
    let totals = &json["totals"];
    let number = |name: &str| totals[name].as_u64().unwrap();
    let (calls, failed) = (number("calls"), number("failed") + number("masked"));
    let grouped = failwise::text::count(calls);
    let bare: Value = serde_json::from_str(&says(home.path(), &["--json"])).unwrap();
    assert_eq!(&bare["totals"], totals);
    let text = format!("{failed} of {grouped} calls");
    assert!(says(home.path(), &[]).contains(&text), "{text}");
    assert!(says(home.path(), &["report"]).contains(&text), "{text}");
    let csv = says(home.path(), &["report", "--format", "csv"]);
    let failures = json["failures"].as_array().unwrap();
    assert_eq!(failures.len() as u64, failed);
    assert_eq!(csv.lines().filter(|line| line.contains("-home-robin-")).count() as u64, failed);
    let told = says(home.path(), &[]);
    let waste = told.lines().find_map(|line| line.trim().strip_prefix("waste")?.trim().split(' ').next()).unwrap();
    let markdown = says(home.path(), &["report", "--format", "md"]);
    assert!(waste.starts_with('$') && markdown.contains(&text) && markdown.contains(waste), "{waste}: {markdown}");
}

#[test]
fn what_is_shown_of_an_id_comes_from_what_was_read_before() {
    let home = home();
    let said = says(home.path(), &[]);
    let id = said.lines().find_map(|line| line.strip_prefix("  change ")?.rsplit_once('[')).unwrap().1;
    let change = says(home.path(), &["show", id.trim_end_matches(']')]);
    assert!(change.starts_with("change almanac: `python` is not on PATH; use `python3`."), "{change}");
    assert!(change.contains("13 failures in 11 sessions") && change.contains("failwise show "), "{change}");
    // As long and as old, and nothing behind its first line can be read.
    let session = change.lines().find_map(|line| line.split_once("  failwise show ")).unwrap().1;
    let files = fs::read_dir(home.path().join(".claude/projects")).unwrap();
    let is_it = |path: &std::path::PathBuf| path.to_string_lossy().contains(session);
    let file = files.flat_map(|it| fs::read_dir(it.unwrap().path()).unwrap()).map(|it| it.unwrap().path()).find(is_it);
    let file = file.unwrap();
    let meta = fs::metadata(&file).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let head = text.find('\n').unwrap() + 1;
    fs::write(&file, format!("{}{}", &text[..head], " ".repeat(text.len() - head))).unwrap();
    fs::File::options().append(true).open(&file).unwrap().set_modified(meta.modified().unwrap()).unwrap();
    let of_session = says(home.path(), &["show", session]);
    assert!(of_session.starts_with(&format!("session {session}, almanac, ")), "{of_session}");
    assert!(of_session.contains("python"), "{of_session}");
}
