//! Text that people read is plain English in the words of the field: help, errors, advice and documents. A list of words at
//! which readers stumbled may not come back, help begins with a verb, and only clap wraps it.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads the sources and starts the command"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use regex::Regex;

/// Words that have a better one: said, reported; is; has, contains; fix; again, rebuild; next to, outside; continues;
/// exists; remote; database; characters, evidence; intended; found, seen.
const WORDS: &str = r"(?i)\b(told|stands|stood|holds|mend|mends|mended|anew|beside|goes on|the other side|base|signs|meant|met|is there)\b";

/// Where a word of the list is right, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("base-uri", "a directive of the page's policy"),
    ("merge base", "git's word"),
    ("base branch", "git's word"),
    ("[BASE]", "the name of an argument"),
    ("base.sqlite", "the name of a file"),
    ("# beside", "the name of a kind of advice"),
    ("ercent signs", "the name of a character"),
    ("you meant", "what programs print"),
];

/// Sources whose texts are what other programs print, or what other people type.
const FOREIGN: &[&str] = &[
    "cli/src/reading/",
    "core/src/reading/",
    "core/src/redact/",
    "core/src/programs/",
    "core/src/shell/",
    "core/src/names/",
    "core/src/host/phrases.rs",
    "core/src/engine/intent.rs",
];

/// Rooms whose texts still wait for their better words.
const WAITING: &[&str] = &["core/src/forms/"];

/// What the first word of a command's help may be.
const VERBS: &str = "Add Allow Arbitrate Claim Classify Compare Create Decide Delete Diagnose Drop Explain Export Find Forget Freeze \
    Import Keep Learn List Makes Mark Mention Plan Print Rebuild Rename Replay Report Resolve Resume Run Score Set Show Stop \
    Thaw Trust Undo Watch Check";

/// How wide clap makes help at most.
const WIDEST: usize = 100;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(ending.as_ref()) {
                found.push(path.strip_prefix(root()).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn starts_with_any(path: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| path.starts_with(start))
}

/// The texts in quotes of a source, without its test module: as they are printed, in their order.
fn literals(source: &str) -> Vec<String> {
    let own = source.split("#[cfg(test)]\nmod ").next().unwrap();
    // A comment, a character, a raw text, a text.
    let token = Regex::new(
        r##"(?s)//[^\n]*|'(?:\\[^']+|[^\\'\n])'|reason = "(?:\\.|[^"\\])*"|\br#"(?P<raw>.*?)"#|"(?P<text>(?:\\.|[^"\\])*)""##,
    );
    let continued = Regex::new(r"\\\n\s*").unwrap();
    let texts = token
        .unwrap()
        .captures_iter(own)
        .filter_map(|found| found.name("raw").or(found.name("text")).map(|it| it.as_str().to_owned()))
        .collect::<Vec<_>>();
    texts.iter().map(|text| continued.replace_all(text, "").into_owned()).collect()
}

/// At least three words with blanks between, and not SQL.
fn is_for_people(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let sql = ["SELECT ", "INSERT ", "DELETE ", "UPDATE ", "CREATE ", "JOIN ", "WHERE "];
    words >= 3 && !sql.iter().any(|word| text.contains(word))
}

/// Every text of the sources that people may see: file, text.
fn strings() -> Vec<(String, String)> {
    let sources = ["core/src", "cli/src", "src", "mcp/src"].iter().flat_map(|folder| files_below(folder, "rs"));
    let own = sources
        .filter(|path| !starts_with_any(path, FOREIGN) && !path.ends_with("/tests.rs") && !path.contains("/tests/"));
    own.flat_map(|path| {
        let all = literals(&text(&path)).into_iter().filter(|text| is_for_people(text));
        all.map(move |text| (path.clone(), text)).collect::<Vec<_>>()
    })
    .collect()
}

/// The prose of a page: of fenced blocks only the comments behind commands.
fn prose(page: &str) -> String {
    let mut is_fenced = false;
    let kept = page.lines().filter_map(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if is_fenced || is_fence { line.split_once("  # ").map(|(_, comment)| comment) } else { Some(line) }
    });
    kept.collect::<Vec<_>>().join("\n")
}

fn documents() -> Vec<(String, String)> {
    let single = ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    let folders = ["docs", "skills", "planner", "steps", "mcp/plugin", "rules", "examples"];
    let pages = folders.iter().flat_map(|folder| files_below(folder, "md"));
    single.into_iter().chain(pages).map(|path| (path.clone(), prose(&text(&path)))).collect()
}

/// One run of `failwise ... --help`, at a width of the terminal.
fn help(command: &[String], width: usize) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(command)
        .arg("--help")
        .env_clear()
        .env("COLUMNS", width.to_string())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The subcommands that a page of help lists, each with its line.
fn subcommands(page: &str) -> Vec<(String, String)> {
    let list = page.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let rows = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    rows.filter_map(|row| row.trim().split_once(' '))
        .map(|(name, about)| (name.to_owned(), about.trim().to_owned()))
        .collect()
}

static NARROW: LazyLock<Vec<(String, String)>> = LazyLock::new(|| help_pages(80));
static WIDE: LazyLock<Vec<(String, String)>> = LazyLock::new(|| help_pages(120));

/// Every page of help: its command, its text.
fn help_pages(width: usize) -> Vec<(String, String)> {
    let mut pages = Vec::new();
    // The help of all lists its commands in groups, and some only by name or not at all.
    let hidden = ["keep", "stats", "arbitrate"];
    let plumbing = "classify decide diagnose recover replay result render rules";
    let see = "why show report watch lessons kb tests allow trust setup doctor config data run workflow plan";
    let named = hidden.into_iter().chain(plumbing.split(' ')).chain(see.split(' '));
    let mut commands: Vec<Vec<String>> = named.map(|name| vec![name.to_owned()]).collect();
    commands.push(Vec::new());
    while let Some(command) = commands.pop() {
        let page = help(&command, width);
        commands.extend(subcommands(&page).into_iter().map(|(name, _)| [&command[..], &[name]].concat()));
        pages.push((format!("failwise {}", command.join(" ")), page));
    }
    assert!(pages.len() > 60, "only {} pages of help", pages.len());
    pages
}

/// What of a text is a word of the list.
fn stumbles(text: &str) -> Vec<String> {
    let code = Regex::new(r"`[^`]*`|\{[^}]*\}").unwrap();
    let exceptions = EXCEPTIONS.iter().map(|(words, _)| regex::escape(words)).collect::<Vec<_>>().join("|");
    let bare = code.replace_all(text, "`x`");
    let bare = Regex::new(&exceptions).unwrap().replace_all(&bare, "x").into_owned();
    let words = Regex::new(WORDS).unwrap();
    words
        .find_iter(&bare)
        .map(|found| {
            let from = bare[..found.start()].rfind(['\n', '.', '|']).map_or(0, |at| at + 1);
            let to = bare[found.end()..].find(['\n', '.', '|']).map_or(bare.len(), |at| found.end() + at);
            format!("{}: {}", found.as_str(), bare[from..to].trim())
        })
        .collect()
}

/// Lines that end although the next word had room, in mid-sentence.
fn broken_lines(page: &str, width: usize) -> Vec<String> {
    let lines: Vec<&str> = page.lines().collect();
    let examples = lines.iter().scan(false, |inside, line| {
        *inside = line.starts_with("Example") || (*inside && !line.is_empty());
        Some(*inside)
    });
    let rows = Regex::new(r"^\s*(- |\S+ {2,}|-\w, --|--|\[)|^Usage:|^\s*$").unwrap();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let pairs = lines.windows(2).zip(examples).filter(|(_, is_example)| !is_example).map(|(pair, _)| pair);
    let broken = pairs.filter(|pair| {
        let [line, next] = pair else { return false };
        let word = next.split_whitespace().next().unwrap_or_default();
        indent(line) == indent(next)
            && !rows.is_match(next)
            && !line.trim().is_empty()
            && !line.ends_with(['.', ':'])
            && line.chars().count() + 1 + word.chars().count() <= width
    });
    broken.map(|pair| pair.join(" / ")).collect()
}

#[test]
fn nobody_stumbles_over_a_word() {
    let strings = strings();
    let documents = documents();
    assert!(strings.len() > 700 && documents.len() > 200, "{} strings, {} pages", strings.len(), documents.len());
    let all = WIDE.iter().chain(&strings).chain(&documents).filter(|(place, _)| !starts_with_any(place, WAITING));
    let found: Vec<String> =
        all.flat_map(|(place, text)| stumbles(text).into_iter().map(move |line| format!("{place}: {line}"))).collect();
    assert!(
        found.is_empty(),
        "{} words of the list in text for people; WORDS names better ones:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// All help and all strings in one file below `target/`, for a reader who compares those of two builds.
#[test]
fn all_strings_are_in_one_file() {
    let line = |(place, text): (String, String)| format!("{place}: {}\n", text.replace('\n', "\n    "));
    let list: Vec<String> = WIDE.iter().cloned().chain(strings()).map(line).collect();
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("strings.txt");
    fs::write(&file, list.concat()).unwrap();
    println!("{}", file.display());
}

#[test]
fn help_begins_with_a_verb() {
    let verbs: BTreeSet<&str> = VERBS.split_whitespace().collect();
    let first = |page: &str| page.split_whitespace().next().unwrap_or_default().trim_end_matches(',').to_owned();
    let wrong: Vec<String> = WIDE
        .iter()
        .filter(|(_, page)| !verbs.contains(first(page).as_str()))
        .map(|(command, page)| format!("{command}: {}", page.lines().next().unwrap_or_default()))
        .collect();
    assert!(wrong.is_empty(), "help begins with a verb (a new one goes into VERBS):\n{}", wrong.join("\n"));
}

/// The most lines of the help of all, and the most commands that it describes.
const TOP_HELP: (usize, usize) = (40, 20);

#[test]
fn the_first_help_fits_a_screen() {
    for pages in [&NARROW, &WIDE] {
        let (_, page) = pages.iter().find(|(command, _)| command == "failwise ").unwrap();
        let described =
            page.lines().filter(|line| line.starts_with("  ") && !line.starts_with("  -") && !line.starts_with("   "));
        let described = described.filter(|line| !line.starts_with("  failwise")).count();
        assert!(page.lines().count() <= TOP_HELP.0, "{} lines", page.lines().count());
        assert!((10..=TOP_HELP.1).contains(&described), "{described}");
    }
}

#[test]
fn help_is_never_wrapped_by_hand() {
    for (width, pages) in [(80, &NARROW), (120, &WIDE)] {
        let broken: Vec<String> = pages
            .iter()
            .flat_map(|(command, page)| {
                broken_lines(page, width.min(WIDEST)).into_iter().map(move |line| format!("{command}: {line}"))
            })
            .collect();
        assert!(
            broken.is_empty(),
            "at {width} columns; let clap wrap: no line ends in `after_help`:\n{}",
            broken.join("\n")
        );
    }
}

/// The most words of a sentence.
const LONGEST_SENTENCE: usize = 25;

/// The sentences of a text that are longer. Examples and codes of the exit are lists; code and values count as one word.
fn long_sentences(text: &str) -> Vec<String> {
    static PATTERNS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        [
            r"`[^`]*`|\{[^}]*\}",
            r"(?s)(?:^|\n)(?:Examples?|Exit codes):.*?(?:\n\n|$)",
            r"\n\s*\n|\n\s*- |\n\s*-\w, --|\n\s*--|\n {2,}\S+ {2,}|[.!?](?:\s|$)",
        ]
        .map(|pattern| Regex::new(pattern).unwrap())
    });
    let [code, list, begins] = &*PATTERNS;
    let bare = code.replace_all(text, "x");
    // A list that ends where the next begins shares its blank line.
    let bare = list.replace_all(&bare, "\n\n").replace("\n\n", "\n\n\n");
    let bare = list.replace_all(&bare, "\n\n").into_owned();
    let is_long = |sentence: &&str| {
        let words = sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
        words.count() > LONGEST_SENTENCE
    };
    begins.split(&bare).filter(is_long).map(|sentence| sentence.trim().to_owned()).collect()
}

#[test]
fn no_sentence_is_too_long() {
    let strings = strings();
    let found: Vec<String> = WIDE
        .iter()
        .chain(&strings)
        .flat_map(|(place, text)| long_sentences(text).into_iter().map(move |line| format!("{place}: {line}")))
        .collect();
    assert!(found.is_empty(), "{} sentences of more than {LONGEST_SENTENCE} words:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_stumble_a_broken_line_and_a_long_sentence_are_found() {
    let long = "a ".repeat(LONGEST_SENTENCE + 1);
    assert_eq!(long_sentences(&format!("Short. {long}")).len(), 1);
    assert_eq!(long_sentences(&format!("Exit codes: {long}\n\nExamples:\n{long}")).len(), 0);
    assert_eq!(long_sentences(&"a ".repeat(LONGEST_SENTENCE)).len(), 0);
    assert_eq!(stumbles("a lock that it met. `met` is code"), ["met: a lock that it met"]);
    assert_eq!(stumbles("the database, the merge base and a meeting"), [""; 0]);
    let page = "Exit codes: 0 done, 65 unreadable input,\n74 a file could not be read.\nExamples:\n  failwise\n  failwise kb\n";
    assert_eq!(broken_lines(page, 80).len(), 1);
    let source = "fn f() {\n    // \"no text\"\n    say('\"', \"two \\\n     words\", r#\"a \"raw\" one\"#);\n}\n#[cfg(test)]\nmod tests { \"x\" }";
    assert_eq!(literals(source), ["two words", "a \"raw\" one"]);
}
