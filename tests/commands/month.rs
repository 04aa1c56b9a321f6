//! The made-up month of `examples/month`: its figures are the README's, and the same in all forms of a report.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "writes sessions, starts the executable and reads the README")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use failwise::model::Money;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::data_folder::data_folder;

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
    assert_same_figures(home.path(), &[]);
    let bare: Value = serde_json::from_str(&says(home.path(), &["--json"])).unwrap();
    let json: Value = serde_json::from_str(&says(home.path(), &["report", "--json"])).unwrap();
    assert_eq!((&bare["totals"], &bare["account"]), (&json["totals"], &json["account"]));
    let words = |text: &str| text.lines().filter_map(|line| line.trim().strip_prefix("failed ")).collect::<String>();
    assert_eq!(words(&says(home.path(), &[])), words(&says(home.path(), &["report"])));
}

/// Every twentieth of the recorded sessions, where there are any.
#[test]
fn so_has_one_of_recorded_sessions() {
    let Some(folder) = data_folder().map(|data| data.join("sessions")).filter(|folder| folder.is_dir()) else { return };
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let some: Vec<&str> = files.iter().step_by(20).filter_map(|file| file.to_str()).collect();
    assert!(some.len() > 9, "{some:?}");
    assert_same_figures(tempfile::tempdir().unwrap().path(), &some);
}

/// A value of the page's data, as its script reads it.
fn unpacked(value: Value, texts: &mut Vec<Value>, known: &mut Vec<Vec<Value>>) -> Value {
    match value {
        Value::String(_) => texts.push(value.clone()),
        Value::Array(items) if !items.is_empty() => {
            let mut rest = items.into_iter();
            let head = rest.next().unwrap();
            let number = head.as_u64().map(|number| usize::try_from(number).unwrap());
            let names = match (head, number) {
                (Value::Array(names), _) => {
                    known.push(names.clone());
                    names
                }
                (_, Some(number)) if rest.len() == 0 => return texts[number].clone(),
                (_, Some(number)) => known[number].clone(),
                _ => return rest.map(|item| unpacked(item, texts, known)).collect(),
            };
            let fields = names.iter().zip(rest);
            return fields.map(|(name, it)| (name.as_str().unwrap().to_owned(), unpacked(it, texts, known))).collect();
        }
        _ => {}
    }
    value
}

/// JSON, text, Markdown, CSV and the page tell the same calls, failures, waste and development loops.
fn assert_same_figures(home: &Path, paths: &[&str]) {
    let report = |format: &str| says(home, &[&["report", "--format", format], paths].concat());
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let number = |of: &Value| of.as_u64().unwrap();
    let (totals, account) = (&json["totals"], &json["account"]);
    let failed = number(&totals["failed"]);
    let group = failwise::text::count;
    let (text, markdown, page) = (report("text"), report("md"), report("html"));
    let told = format!("{} of {} calls", group(failed), group(number(&totals["calls"])));
    let cost = |part: &str| serde_json::from_value::<Money>(account[part]["money"].clone()).unwrap().to_string();
    let loops = format!("{} checks failed", group(number(&account["development"]["episodes"])));
    let spent = format!("of {} spent", cost("all"));
    let masked = format!("{} of them behind an exit status of 0", group(number(&totals["masked"])));
    let turns = |part: &str| failwise::text::many(number(&account[part]["turns"]), "turn", "turns");
    let time = |part: &str| failwise::time::duration(number(&account[part]["wall_ms"]));
    for said in [&masked, &turns("waste"), &turns("development"), &time("waste"), &time("development")] {
        assert!(text.contains(said.as_str()) && markdown.contains(said.as_str()), "{said}: {text}\n{markdown}");
    }
    let project = |it: &Value| {
        json["sessions"].as_array().unwrap().iter().find(|of| of["id"] == it["session"]).unwrap()["project"].clone()
    };
    let episodes = json["episodes"].as_array().unwrap();
    let left = episodes.iter().filter(|it| it["ended"] == "open" || it["ended"] == "put_aside");
    let left =
        left.map(|it| (project(it).to_string(), it["operation"].to_string())).collect::<BTreeSet<_>>().len() as u64;
    let parted = episodes.iter().filter(|it| it["parts"].as_array().unwrap().contains(&"open".into())).count();
    assert_eq!(parted as u64, left, "the page lists what the text counts");
    assert!(left == 0 || text.contains(&format!("unresolved  {} ", group(left))), "{left}: {text}");
    assert!(markdown.contains(&format!("| checks not seen to pass | {} |", group(left))), "{left}: {markdown}");
    for said in [&told, &spent, &cost("waste"), &cost("development"), &loops] {
        assert!(text.contains(said.as_str()) && markdown.contains(said.as_str()), "{said}: {text}\n{markdown}");
    }
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let Value::Object(packed) = serde_json::from_str(data).unwrap() else { panic!("{data}") };
    let (mut texts, mut known) = (Vec::new(), Vec::new());
    let opened = packed.into_iter().map(|(name, value)| (name, unpacked(value, &mut texts, &mut known)));
    // What calls printed is on the page alone.
    let opened = opened.filter(|(name, _)| name != "calls").collect();
    assert_eq!(Value::Object(opened), json);
    let csv = report("csv");
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let columns = csv.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!((rows.len() as u64, json["failures"].as_array().unwrap().len() as u64), (failed, failed));
    let sum = |name: &str| {
        let column = columns.iter().position(|known| known == name).unwrap();
        rows.iter().filter_map(|row| row[column].parse::<f64>().ok()).sum::<f64>()
    };
    let usd = totals["money_in_failure"].as_f64().unwrap();
    assert!((sum("usd") - usd).abs() < 0.001 && usd > 0.0, "{} of {usd}", sum("usd"));
}

#[test]
fn the_time_before_a_date_stands_beside_that_after_it_in_every_form() {
    let home = home();
    let json: Value = serde_json::from_str(&says(home.path(), &["report", "--compare", "14d", "--json"])).unwrap();
    let compared = &json["comparison"];
    let sessions = |side: &str| compared[side]["failed"]["sessions"].as_u64().unwrap();
    assert!(sessions("before") > 9 && sessions("after") > 9, "{compared}");
    let counted = |side: &str| {
        let of = |part: &str| compared[side][part]["right"].as_u64().unwrap();
        (of("failed"), of("wasted"), compared[side]["failed"]["all"].as_u64().unwrap())
    };
    let after = |session: &&Value| session["started"].as_str() >= compared["at"].as_str();
    let sums = json["sessions"].as_array().unwrap().iter().filter(after);
    let sum = sums.fold((0, 0), |sum, it| {
        let of = |name: &str| it[name].as_u64().unwrap();
        (sum.0 + of("failed"), sum.1 + of("calls"))
    });
    assert_eq!((counted("after").0, counted("after").2), sum);
    assert!(counted("after").1 > 0 && counted("after").1 <= counted("after").0, "{compared}");
    assert_eq!(compared["failed"], "no_difference_shown", "a month of the same habits: {compared}");
    let text = says(home.path(), &["report", "--compare", "14d"]);
    let markdown = says(home.path(), &["report", "--compare", "14d", "--format", "md"]);
    for line in
        text.lines().filter(|line| ["  before ", "  after ", "  compared "].iter().any(|it| line.starts_with(it)))
    {
        let (name, said) = line.trim().split_once(' ').unwrap();
        let said = said.trim().replace('[', "\\[").replace(']', "\\]");
        assert!(markdown.contains(&format!("- {name}: {said}")), "{line}: {markdown}");
    }
    let said = "failed calls and waste: no difference shown; waste cost $";
    assert!(text.contains(said), "{text}");
    // At the minute in which a session ended it was going on: it is on neither side, and that is said.
    let sessions = json["sessions"].as_array().unwrap();
    let ended = |it: &Value| it["ended"].as_str().unwrap()[..16].to_owned();
    let long = sessions.iter().rev().find(|it| it["started"].as_str().unwrap()[..16] < *ended(it)).unwrap();
    let at = ended(long).replace('T', " ");
    let split = says(home.path(), &["report", "--compare", &at, "--json"]);
    let split = serde_json::from_str::<Value>(&split).unwrap()["comparison"].clone();
    let across = split["across"].as_u64().unwrap();
    assert!(across > 0, "{split}");
    let text = says(home.path(), &["report", "--compare", &at]);
    let across = failwise::text::many(across, "session", "sessions");
    assert!(text.contains(&format!("; {across} across that moment on neither side")), "{text}");
    // Two days hold too few of anything.
    let few = says(home.path(), &["report", "--compare", "2d..1d"]);
    assert!(few.contains("  compared    failed calls and waste: too few sessions or failures to tell"), "{few}");
}

#[test]
fn a_comparison_without_two_sides_is_refused() {
    let home = home();
    for asked in ["2999-01-01", "1d..2d", "soon", "..", "2026-01-01.."] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        let output =
            command.args(["report", "--compare", asked]).env_clear().env("HOME", home.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(64), "{asked}: {said}");
        assert!(said.lines().count() > 1, "{asked}: {said}");
    }
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
    let (line, episode) = change.lines().find_map(|line| line.split_once("  failwise show ")).unwrap();
    assert!(says(home.path(), &["show", episode]).starts_with(&format!("episode {episode}: ")), "{change}");
    let session = line.rsplit_once('/').unwrap().1.split_once(".jsonl:").unwrap().0;
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
    assert!(of_session.contains("python scripts/stations.py"), "{of_session}");
}

/// What a command prints on a terminal of so many columns; None where `script` is missing.
fn on_columns(home: &Path, columns: usize, words: &str) -> Option<String> {
    let line = format!("stty cols {columns} rows 40; exec \"{}\" -q {words}", env!("CARGO_BIN_EXE_failwise"));
    let mut script = Command::new("script");
    script.env("HOME", home).env("NO_COLOR", "1").env("TERM", "xterm").current_dir(home).stdin(Stdio::null());
    let output = script.args(["-qec", &line, "/dev/null"]).output().ok()?;
    Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
}

#[test]
fn no_line_runs_over_the_terminal() {
    let home = home();
    let said = says(home.path(), &[]);
    let id = said.lines().find_map(|line| line.strip_prefix("  change ")?.rsplit_once('[')).unwrap().1;
    let show = format!("show {}", id.trim_end_matches(']'));
    let asked = [
        "",
        "lessons --all-projects",
        "report",
        "report --last",
        &show,
        "why --format text",
        "watch --once",
        "kb",
        "show nothing",
    ];
    for (columns, words) in [40, 80].into_iter().flat_map(|columns| asked.map(|words| (columns, words))) {
        let Some(said) = on_columns(home.path(), columns, words) else { return };
        assert!(said.lines().count() > 1 || words == "watch --once", "{words}: {said}");
        for line in said.lines() {
            let has_room = line.trim_start().split(' ').all(|word| word.chars().count() < columns / 2);
            assert!(line.chars().count() <= columns || !has_room, "{words} at {columns}: {line:?}");
        }
        // The title of the change begins the line below itself at a word.
        let plain = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!words.is_empty() || plain.contains("`python` is not on PATH; use `python3`; 13 failures"), "{said}");
    }
}

/// `tests/browser/run.sh --screenshots` makes the pictures in docs/, and writes down what they were made of.
#[test]
fn the_pictures_are_of_this_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shows = ["page/page.html", "page/page.css", "page/page.js", "brief.rs"];
    let shows: Vec<u8> =
        shows.iter().flat_map(|name| fs::read(root.join("cli/src/report").join(name)).unwrap()).collect();
    let sum = format!("{:x}\n", Sha256::digest(shows));
    let made = fs::read_to_string(root.join("tests/browser/screenshots.sha256")).unwrap();
    assert_eq!(made, sum, "run tests/browser/run.sh --screenshots");
}
