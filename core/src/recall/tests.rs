#![expect(clippy::disallowed_methods, reason = "builds and spoils files")]

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::knowledge::Signs;
use crate::model::Category;

const NOW: &str = "2026-03-05T08:00:00.000Z";
/// Four days before.
const LAST: u64 = 1_772_352_000_000;

fn lesson(signature: &str, words: &str) -> RecallLesson {
    RecallLesson {
        id: "0123abcd".to_owned(),
        signature: signature.to_owned(),
        words: words.to_owned(),
        last_worked: LAST,
        sessions: vec!["taught".to_owned()],
        ..RecallLesson::default()
    }
}

fn sought<'a>(fine: &'a str, coarse: &'a str) -> Sought<'a> {
    Sought {
        asked: false,
        fine,
        coarse,
        category: Category::BadArguments,
        session: Some("later"),
        object: None,
        test: None,
        input: None,
        cwd: None,
        text: "",
        now: NOW,
    }
}

fn signature(number: u64) -> String {
    crate::digest::hex16(&[&number.to_string()])
}

struct Scene {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

impl Scene {
    fn of(lessons: &[RecallLesson]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/recall.bin");
        put(&path, "shop", lessons).unwrap();
        Self { _dir: dir, path }
    }

    fn words(&self, sought: &Sought<'_>) -> Option<String> {
        look_up(&self.path, "shop", sought, false).map(|found| found.words)
    }
}

#[test]
fn every_lesson_is_found_and_no_other() {
    for count in [1, 2, 127, 128, 129, 255, 1_000, 5_000] {
        let lessons: Vec<RecallLesson> = (0..count).map(|n| lesson(&signature(n), &format!("number {n}"))).collect();
        let scene = Scene::of(&lessons);
        for n in (0..count).step_by(usize::try_from(count / 97 + 1).unwrap()) {
            assert_eq!(scene.words(&sought(&signature(n), "")), Some(format!("number {n}")), "{n} of {count}");
        }
        for n in count..count + 50 {
            assert_eq!(scene.words(&sought(&signature(n), &signature(n))), None, "{n} of {count}");
        }
    }
}

#[test]
fn the_ends_of_the_order_are_found() {
    let ends = ["0000000000000000", "ffffffffffffffff"];
    let mut lessons: Vec<RecallLesson> = (0..300).map(|n| lesson(&signature(n), "x")).collect();
    lessons.extend(ends.map(|end| lesson(end, end)));
    let scene = Scene::of(&lessons);
    for end in ends {
        assert_eq!(scene.words(&sought(end, "")).as_deref(), Some(end));
    }
    for none in ["", "0", "zzzzzzzzzzzzzzzz", "00000000000000000", "+000000000000000"] {
        assert_eq!(scene.words(&sought(none, none)), None, "{none}");
    }
}

#[test]
fn the_same_failure_comes_before_the_same_kind() {
    let coarse = RecallLesson { is_coarse: true, ..lesson(&signature(2), "install {object}") };
    let scene = Scene::of(&[coarse, lesson(&signature(1), "fine")]);
    let (one, two, three) = (signature(1), signature(2), signature(3));
    assert_eq!(scene.words(&Sought { object: Some("left-pad"), ..sought(&one, &two) }).as_deref(), Some("fine"));
    let kind = |object| scene.words(&Sought { object, ..sought(&three, &two) });
    assert_eq!(kind(Some("left-pad")).as_deref(), Some("install left-pad"));
    // What a shell would take for its own, or an option, is no word of a sentence with a command in it.
    for object in [None, Some(""), Some("-rf"), Some("a b"), Some("a;b"), Some("$(x)"), Some("`x`"), Some("ä")] {
        assert_eq!(kind(object), None, "{object:?}");
    }
    assert_eq!(kind(Some(&"x".repeat(81))), None);
    // A coarse signature is no fine one.
    assert_eq!(scene.words(&sought(&two, &one)), None);
}

#[test]
fn a_session_does_not_hear_what_it_taught_and_nobody_what_they_do_not_want() {
    let team = RecallLesson { is_of_team: true, id: "aaaaaaaa".to_owned(), ..lesson(&signature(1), "the team's") };
    let scene = Scene::of(&[team, lesson(&signature(1), "own"), lesson(&signature(2), "other")]);
    let (one, two) = (signature(1), signature(2));
    assert_eq!(scene.words(&sought(&one, "")).as_deref(), Some("the team's"));
    let own_only = look_up(&scene.path, "shop", &sought(&one, ""), true).unwrap();
    assert_eq!((own_only.words.as_str(), own_only.id.as_str()), ("own", "0123abcd"));
    let taught = Sought { session: Some("taught"), ..sought(&two, "") };
    assert_eq!(scene.words(&taught), None);
    assert_eq!(scene.words(&Sought { session: None, ..taught }).as_deref(), Some("other"));
}

#[test]
fn a_sentence_is_about_calls_that_hold_what_it_speaks_of() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let signs = Signs { needed: words(&["--stat", "gh pr"]), done: words(&["--name-only"]), ..Signs::default() };
    let scene = Scene::of(&[RecallLesson { signs, ..lesson(&signature(1), "x") }]);
    let one = signature(1);
    let said = |input| scene.words(&Sought { input, ..sought(&one, "") });
    assert_eq!(said(Some("gh pr diff 104 --stat")).as_deref(), Some("x"));
    let others = [Some("gh pr diff 104"), Some("git --stat"), Some("gh pr --stat --name-only"), None];
    assert_eq!(others.map(said), [None, None, None, None]);
}

#[test]
fn the_time_is_the_one_of_telling() {
    let scene = Scene::of(&[lesson(&signature(1), "worked (last {ago})")]);
    let one = signature(1);
    for (now, words) in [
        (NOW, "worked (last 4 days ago)"),
        ("2026-03-01T10:30:00.000Z", "worked (last 2 hours ago)"),
        ("2026-02-01T08:00:00.000Z", "worked (last within the hour)"),
    ] {
        assert_eq!(scene.words(&Sought { now, ..sought(&one, "") }).as_deref(), Some(words), "{now}");
    }
    assert_eq!(scene.words(&Sought { now: "never", ..sought(&one, "") }), None);
}

#[test]
fn a_file_that_was_torn_or_spoilt_says_nothing_but_what_was_written() {
    let lessons: Vec<RecallLesson> = (0..9).map(|n| lesson(&signature(n), &format!("number {n}"))).collect();
    let scene = Scene::of(&lessons);
    let whole = fs::read(&scene.path).unwrap();
    for length in 0..whole.len() {
        fs::write(&scene.path, &whole[..length]).unwrap();
        assert_eq!(scene.words(&sought(&signature(7), "")), None, "cut at {length}");
    }
    for at in 0..whole.len() {
        let mut other = whole.clone();
        other[at] ^= 0x55;
        fs::write(&scene.path, &other).unwrap();
        let found = scene.words(&sought(&signature(7), ""));
        assert!(found.is_none() || found.as_deref() == Some("number 7"), "byte {at}: {found:?}");
    }
    fs::write(&scene.path, [whole.as_slice(), b"x"].concat()).unwrap();
    assert_eq!(scene.words(&sought(&signature(7), "")), None, "longer than it says");
}

#[test]
fn what_is_anothers_or_of_another_version_says_nothing() {
    let scene = Scene::of(&[lesson(&signature(1), "one")]);
    let one = signature(1);
    assert_eq!(look_up(&scene.path, "another", &sought(&one, ""), false), None);
    let whole = fs::read(&scene.path).unwrap();
    for at in [8, 12] {
        let mut newer = whole.clone();
        newer[at] += 1;
        let sum = checksum(&newer[..HEADER - 8]).to_le_bytes();
        newer[HEADER - 8..HEADER].copy_from_slice(&sum);
        fs::write(&scene.path, &newer).unwrap();
        assert_eq!(scene.words(&sought(&one, "")), None, "version at {at}");
    }
    let mut many = whole.clone();
    many[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let sum = checksum(&many[..HEADER - 8]).to_le_bytes();
    many[HEADER - 8..HEADER].copy_from_slice(&sum);
    fs::write(&scene.path, &many).unwrap();
    assert_eq!(scene.words(&sought(&one, "")), None, "more entries than there is room for");
}

#[cfg(unix)]
#[test]
fn links_pipes_and_folders_say_nothing_and_are_not_waited_for() {
    let scene = Scene::of(&[lesson(&signature(1), "one")]);
    let one = signature(1);
    let moved = scene.path.with_file_name("moved");
    fs::rename(&scene.path, &moved).unwrap();
    assert_eq!(scene.words(&sought(&one, "")), None, "none there");
    std::os::unix::fs::symlink(&moved, &scene.path).unwrap();
    assert_eq!(scene.words(&sought(&one, "")), None, "a link");
    fs::remove_file(&scene.path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&scene.path).status().unwrap().success());
    let (done, is_done) = std::sync::mpsc::channel();
    let path = scene.path.clone();
    std::thread::spawn(move || done.send(look_up(&path, "shop", &sought(&signature(1), ""), false)));
    assert_eq!(is_done.recv_timeout(std::time::Duration::from_secs(5)), Ok(None), "a pipe");
    fs::remove_file(&scene.path).unwrap();
    fs::create_dir(&scene.path).unwrap();
    assert_eq!(scene.words(&sought(&one, "")), None, "a folder");
}

#[test]
fn no_lesson_is_no_file_and_the_same_lessons_are_the_same_file() {
    let scene = Scene::of(&[lesson(&signature(1), "one"), lesson(&signature(2), &"x".repeat(5_000))]);
    assert_eq!(scene.words(&sought(&signature(2), "")), None, "too long to be read again");
    let before = fs::metadata(&scene.path).unwrap().modified().unwrap();
    put(&scene.path, "shop", &[lesson(&signature(1), "one")]).unwrap();
    assert_eq!(fs::metadata(&scene.path).unwrap().modified().unwrap(), before);
    put(&scene.path, "shop", &[]).unwrap();
    assert!(!scene.path.exists());
    put(&scene.path, "shop", &[]).unwrap();
}

#[test]
fn a_fix_of_a_test_is_told_for_the_same_error_only() {
    let key = |key: u64| format!("{key:016x}");
    let fix = RecallLesson {
        is_coarse: true,
        signs: Signs { printed: vec!["the clock moved by".to_owned()], ..Signs::default() },
        ..lesson(&key(case_fix_key("test_ticks")), "it passed after this")
    };
    let flaky = RecallLesson { is_coarse: true, ..lesson(&key(case_key("test_zones")), "it is flaky") };
    let scene = Scene::of(&[fix, flaky]);
    let told = |test: &'static str, text: &'static str| {
        let sought = Sought { test: Some(test), text, ..sought("", "") };
        look_up(&scene.path, "shop", &sought, false).map(|recalled| recalled.words)
    };
    assert_eq!(told("test_ticks", "E  the clock moved by 31").as_deref(), Some("it passed after this"));
    assert_eq!(told("test_ticks", "E  no such zone"), None);
    assert_eq!(told("test_zones", "").as_deref(), Some("it is flaky"));
    assert!(is_flaky(&scene.path, "shop", "test_zones") && !is_flaky(&scene.path, "shop", "test_ticks"));
}
