//! Changes of a source that a compiler or interpreter tells so exactly that they can be made.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::case::{Case, Offer, Offered, between};
use super::super::step::{Deed, Step};
use super::work::{Place, own_places, places};
use crate::names::only_close;
use crate::text::quoted;

/// The most lines that are changed: more is no slip.
const MOST: usize = 8;

/// What is done with a line of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Change {
    /// Lines in its place; none takes it away.
    Put(Vec<String>),
    /// Lines before it.
    Before(Vec<String>),
}

/// A change of a line, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    file: String,
    line: usize,
    change: Change,
}

/// What is told, and in which words a person hears it.
struct Mended {
    told: Vec<Told>,
    does: String,
}

pub(in super::super) fn apply_told_change(case: &Case<'_>) -> Offered {
    if !case.is_whole() {
        return Err("its command line is not whole");
    }
    if let Some(offer) = in_the_line(case) {
        return Ok(offer);
    }
    if !case.looks.is_looking() {
        return Err("the file was not looked at: --probe shows the place");
    }
    let ways: &[fn(&Case<'_>) -> Option<Mended>] = &[
        of_rust,
        unused_in_rust,
        of_headers,
        of_go_imports,
        of_python,
        of_kinds,
        constants,
        assignments_of_shell,
        of_node,
        of_semicolons,
        of_shellcheck,
        first_line_of_script,
    ];
    let mended = ways.iter().find_map(|way| way(case)).ok_or("the output tells no change of a line")?;
    if mended.told.is_empty() || mended.told.len() > MOST {
        return Err("more is wrong than a slip");
    }
    let mut steps = Vec::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for told in &mended.told {
        let path = case.at(&told.file);
        let is_read = texts.contains_key(&path);
        let text = match texts.get(&path) {
            Some(text) => text.clone(),
            None => case.looks.text(&path).ok_or("the file is not there")?,
        };
        let (old, new) = edit(&text, told).ok_or("the line is not the only one of its kind")?;
        if old == new {
            continue;
        }
        texts.insert(path.clone(), text.replacen(&old, &new, 1));
        if !is_read {
            let from = u64::try_from(told.line).unwrap_or(1).saturating_sub(15).max(1);
            let read_it = Deed::Read { path: path.clone(), from: Some(from) };
            steps.push(Step::new(
                format!("Read {}", quoted(&told.file, 80)),
                read_it,
                "The line that is to be changed",
            ));
        }
        steps.push(Step::new(mended.does.clone(), Deed::Edit { path, old, new }, "The line is as it was told"));
    }
    steps.push(Step::work("Make the call again", case.again(), "The error is gone"));
    let why = "the output tells the change itself";
    let state = format!("the output tells what is wrong in {}", quoted(&mended.told[0].file, 80));
    Ok(Offer::new(why, steps).doing(mended.does).seen(state))
}

/// The text of an edit and what comes in its place.
fn edit(text: &str, told: &Told) -> Option<(String, String)> {
    match &told.change {
        Change::Put(new) => edit_line(text, told.line, new),
        Change::Before(new) => {
            let own = text.lines().nth(told.line.checked_sub(1)?)?;
            edit_line(text, told.line, &[new.as_slice(), &[own.to_owned()]].concat())
        }
    }
}

/// An edit that puts lines in the place of one, none to take it away: as many lines before it as make it the only one.
pub(super) fn edit_line(text: &str, line: usize, new: &[String]) -> Option<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let at = line.checked_sub(1)?;
    let own = *lines.get(at)?;
    (0..=at.min(4)).find_map(|context| {
        let before = lines.get(at - context..at)?;
        let mut old = [before, &[own]].concat().join("\n");
        let mut made =
            before.iter().map(|line| (*line).to_owned()).chain(new.iter().cloned()).collect::<Vec<_>>().join("\n");
        // A line goes away with its end.
        if new.is_empty() {
            old.push('\n');
            made.push_str(if context > 0 { "\n" } else { "" });
        }
        (text.matches(&*old).count() == 1 && !old.trim().is_empty()).then_some((old, made))
    })
}

/// What `rustc` and `clippy` print as help in the form of changed lines.
fn of_rust(case: &Case<'_>) -> Option<Mended> {
    let mut told: Vec<Told> = Vec::new();
    let mut does = None;
    let is_head = |line: &str| line.starts_with("error") || line.starts_with("warning");
    let lines: Vec<&str> = case.text().lines().collect();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("error")) {
        let block: Vec<&str> = std::iter::once(lines[at])
            .chain(lines[at + 1..].iter().copied().take_while(|line| !is_head(line)))
            .collect();
        let place = block
            .iter()
            .find(|line| line.trim_start().starts_with("--> "))
            .and_then(|line| places(line).into_iter().next());
        let Some(place) = place else { continue };
        let shown = || {
            let source = case.looks.text(&case.at(&place.file))?;
            help_at_the_sign(&block, &source)
        };
        let Some((help, changes)) = help_of(&block).or_else(shown) else { continue };
        for (line, change) in changes {
            if !told.iter().any(|own| own.line == line && own.file == place.file) {
                told.push(Told { file: place.file.clone(), line, change });
            }
        }
        does.get_or_insert(help);
    }
    let does = format!("Do what the compiler tells: {}", quoted(&does?, 100));
    // From the end on, so that numbers of lines stay right.
    told.sort_by_key(|told| std::cmp::Reverse(told.line));
    Some(Mended { told, does })
}

/// An import that `rustc` finds unused where warnings are errors, and that has a line of its own.
fn unused_in_rust(case: &Case<'_>) -> Option<Mended> {
    let lines: Vec<&str> = case.text().lines().collect();
    let mut told = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix("error: unused import: `").and_then(|rest| rest.strip_suffix('`')) else {
            continue;
        };
        let place = lines.get(at + 1).and_then(|line| places(line).into_iter().next())?;
        let line = usize::try_from(place.line).ok()?;
        let text = case.looks.text(&case.at(&place.file))?;
        let own = text.lines().nth(line.checked_sub(1)?)?;
        if own.trim() != format!("use {name};") {
            return None;
        }
        told.push(Told { file: place.file, line, change: Change::Put(Vec::new()) });
    }
    told.sort_by_key(|told| std::cmp::Reverse(told.line));
    (!told.is_empty()).then(|| Mended { told, does: "Take the import away, which nothing uses".to_owned() })
}

/// A help that stands behind the signs below a line: what is to be in the place of what they mark.
fn help_at_the_sign(block: &[&str], source: &str) -> Option<(String, Vec<(usize, Change)>)> {
    block.windows(2).find_map(|pair| {
        let [line, below] = pair else { return None };
        let (marks, help) = below.split_once(" help: ")?;
        if help.contains("underscore") || help.contains("intentional") {
            return None;
        }
        let put = help.strip_suffix('`')?.rsplit_once(": `")?.1;
        let (_, marks) = marks.split_once("| ")?;
        let (number, sign, code) = numbered(line)?;
        let from = marks.find('^')?;
        let is_one = marks.get(from..)?.bytes().all(|byte| byte == b'^') && marks.get(..from)?.trim().is_empty();
        let own = source.lines().nth(number.checked_sub(1)?)?;
        // A tab is shown as several blanks: then columns do not count.
        if sign != '|' || !is_one || own != code || !own.is_ascii() {
            return None;
        }
        let made = format!("{}{put}{}", own.get(..from)?, own.get(marks.len()..)?);
        Some((help.split(": `").next()?.to_owned(), vec![(number, Change::Put(vec![made]))]))
    })
}

/// Signs of a help that leaves something for the reader to fill in.
const OPEN: &[&str] = &["/* ", "todo!(", "unimplemented!(", "..."];

/// The first help of a block that shows lines, and these.
fn help_of(block: &[&str]) -> Option<(String, Vec<(usize, Change)>)> {
    let heads = block.iter().enumerate().filter(|(_, line)| line.starts_with("help: "));
    for (at, head) in heads {
        // Of several the right one is not told.
        if head.contains("one of these") || head.contains("if this is intentional") || head.contains("underscore") {
            continue;
        }
        let below: Vec<&str> = block[at + 1..]
            .iter()
            .copied()
            .take_while(|line| !line.trim().is_empty() && !line.starts_with("help: "))
            .collect();
        let mut changes: Vec<(usize, Change)> = Vec::new();
        if below.iter().any(|line| OPEN.iter().any(|open| line.contains(open))) {
            continue;
        }
        // Lines are numbered as they will stand: what was put in before counts.
        let mut more = 0;
        let mut before = None;
        for (number, line) in below.iter().enumerate() {
            let Some((shown, sign, code)) = numbered(line) else { continue };
            let at = shown.checked_sub(more)?;
            let marked = below.get(number + 1).is_some_and(|next| {
                next.trim_start()
                    .strip_prefix('|')
                    .is_some_and(|marks| !marks.trim().is_empty() && marks.trim().chars().all(|c| "+~ ".contains(c)))
            });
            // Of several changed lines the first stands for the one that was there.
            let goes_on = before == Some((sign, shown.wrapping_sub(1))) && matches!(sign, '+' | '~');
            before = Some((sign, shown));
            let gone = changes.iter().position(|(own, change)| *own == at && *change == Change::Put(Vec::new()));
            match (sign, gone) {
                ('-', _) => changes.push((at, Change::Put(Vec::new()))),
                ('+' | '~', _) if goes_on => {
                    let Some((_, Change::Put(new) | Change::Before(new))) = changes.last_mut() else { continue };
                    new.push(code);
                    more += 1;
                }
                ('+', Some(gone)) => changes.get_mut(gone)?.1 = Change::Put(vec![code]),
                ('+', None) => {
                    changes.push((at, Change::Before(vec![code])));
                    more += 1;
                }
                ('~', _) => changes.push((at, Change::Put(vec![code]))),
                _ if marked => changes.push((at, Change::Put(vec![code]))),
                _ => {}
            }
        }
        if !changes.is_empty() {
            return Some((head.trim_start_matches("help: ").to_owned(), changes));
        }
    }
    None
}

/// A line of a help: its number, its sign, its code.
fn numbered(line: &str) -> Option<(usize, char, String)> {
    let line = line.trim_start();
    let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
    let rest = line.get(digits.len()..)?.strip_prefix(' ')?;
    let sign = rest.chars().next().filter(|sign| "-+~|".contains(*sign))?;
    let code = rest.get(1..)?.strip_prefix(' ').unwrap_or_default();
    Some((digits.parse().ok()?, sign, code.to_owned()))
}

/// A header that is not included, which the compiler names.
fn of_headers(case: &Case<'_>) -> Option<Mended> {
    const SAYS: &[&str] = &[
        "did you forget to ‘#include",
        "did you forget to '#include",
        "fixable by adding ‘#include",
        "or provide a declaration of",
        "or explicitly provide a declaration",
    ];
    let mut told: Vec<Told> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for line in case.text().lines().filter(|line| SAYS.iter().any(|words| line.contains(words))) {
        // The last one: the first may stand in the name of the type.
        let header = line.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(name, _)| name)?;
        let is_header = header.len() <= 60 && header.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./+".contains(&b));
        let place = places(line).into_iter().next()?;
        if is_header && !names.contains(&header) {
            names.push(header);
            told.push(Told { file: place.file, line: 1, change: Change::Before(vec![format!("#include <{header}>")]) });
        }
    }
    let first = told.first()?.file.clone();
    // All of them stand before the first line, in one change.
    let lines = names.iter().map(|name| format!("#include <{name}>")).collect();
    let does = format!("Include {}", quoted(&names.join(", "), 80));
    Some(Mended { told: vec![Told { file: first, line: 1, change: Change::Before(lines) }], does })
}

/// Packages of Go's own that are named by their last part.
const GO_PACKAGES: &[&str] = &[
    "bufio",
    "bytes",
    "context",
    "encoding/json",
    "errors",
    "flag",
    "fmt",
    "io",
    "log",
    "math",
    "math/rand",
    "net/http",
    "net/url",
    "os",
    "os/exec",
    "path/filepath",
    "reflect",
    "regexp",
    "sort",
    "strconv",
    "strings",
    "sync",
    "testing",
    "time",
    "unicode",
];

/// An import that Go does not use, or that is missing.
fn of_go_imports(case: &Case<'_>) -> Option<Mended> {
    let mut told = Vec::new();
    let mut does = None;
    for line in case.text().lines().filter(|line| line.contains(".go:")) {
        let Some(place) = places(line).into_iter().next() else { continue };
        let Some(text) = case.looks.text(&case.at(&place.file)) else { continue };
        let number = usize::try_from(place.line).ok()?;
        if line.contains("imported and not used") {
            let name = between(line, "\"", "\"")?;
            let own = text.lines().nth(number.checked_sub(1)?)?.trim();
            if own.trim_start_matches("import ").trim_end().ends_with(&format!("\"{name}\"")) {
                told.push(Told { file: place.file, line: number, change: Change::Put(Vec::new()) });
                does.get_or_insert(format!("Take the import of {} away, which nothing uses", quoted(name, 60)));
            }
        } else if let Some(name) = between(line, "undefined: ", "") {
            let Some(package) = GO_PACKAGES.iter().find(|package| crate::text::file_name(package) == name) else {
                continue;
            };
            let block = text.lines().position(|line| line.trim_end() == "import (");
            let head = text.lines().position(|line| line.starts_with("package "))?;
            let (line, new) = match block {
                Some(at) => (at + 2, vec![format!("\t\"{package}\"")]),
                None => (head + 2, vec![String::new(), format!("import \"{package}\"")]),
            };
            if !told.iter().any(|own: &Told| own.line == line && own.file == place.file) {
                told.push(Told { file: place.file, line, change: Change::Before(new) });
            }
            does.get_or_insert(format!("Import {}", quoted(package, 60)));
        }
    }
    // From the end on, so that numbers of lines stay right.
    told.sort_by_key(|told| std::cmp::Reverse(told.line));
    Some(Mended { told, does: does? })
}

/// Modules of Python's own.
pub(super) const PYTHON_MODULES: &[&str] = &[
    "argparse",
    "array",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "collections",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "gc",
    "getpass",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "locale",
    "logging",
    "math",
    "mimetypes",
    "multiprocessing",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "queue",
    "random",
    "re",
    "sched",
    "secrets",
    "select",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "smtplib",
    "socket",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sys",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "tomllib",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "xml",
    "zipfile",
    "zlib",
    "zoneinfo",
];

/// Names, and the modules of Python's own that have them.
#[rustfmt::skip]
const PYTHON_NAMES: &[(&str, &str)] = &[
    ("Path", "pathlib"), ("defaultdict", "collections"), ("Counter", "collections"), ("OrderedDict", "collections"),
    ("deque", "collections"), ("namedtuple", "collections"), ("Optional", "typing"), ("List", "typing"),
    ("Dict", "typing"), ("Any", "typing"), ("Union", "typing"), ("Callable", "typing"), ("Tuple", "typing"),
    ("Iterable", "typing"), ("Iterator", "typing"), ("TypeVar", "typing"), ("Literal", "typing"), ("Set", "typing"),
    ("dataclass", "dataclasses"), ("asdict", "dataclasses"), ("partial", "functools"), ("lru_cache", "functools"),
    ("wraps", "functools"), ("reduce", "functools"), ("Enum", "enum"), ("timedelta", "datetime"),
    ("timezone", "datetime"), ("Decimal", "decimal"), ("contextmanager", "contextlib"), ("suppress", "contextlib"),
    ("deepcopy", "copy"), ("chain", "itertools"), ("product", "itertools"), ("ABC", "abc"), ("abstractmethod", "abc"),
    ("sleep", "time"), ("StringIO", "io"), ("BytesIO", "io"), ("Thread", "threading"), ("Lock", "threading"),
    ("ThreadPoolExecutor", "concurrent.futures"), ("ProcessPoolExecutor", "concurrent.futures"),
    ("Mock", "unittest.mock"), ("MagicMock", "unittest.mock"), ("patch", "unittest.mock"),
    ("urlparse", "urllib.parse"), ("urlopen", "urllib.request"), ("uuid4", "uuid"), ("TemporaryDirectory", "tempfile"),
];

/// The import of something of Python's own that a line of code uses without importing it.
fn not_imported(case: &Case<'_>) -> Option<String> {
    let name = case.between("NameError: name '", "' is not defined")?;
    if name == "datetime" && !case.says(&["datetime.datetime", "datetime.timedelta", "datetime.date(", "datetime.time"])
    {
        return Some("from datetime import datetime".to_owned());
    }
    if PYTHON_MODULES.contains(&name) {
        return Some(format!("import {name}"));
    }
    PYTHON_NAMES.iter().find(|(own, _)| *own == name).map(|(_, module)| format!("from {module} import {name}"))
}

/// What Python tells of a line: an import that is missing, a colon, the brackets of `print`.
fn of_python(case: &Case<'_>) -> Option<Mended> {
    let place = own_places(case).into_iter().next_back()?;
    let text = case.looks.text(&case.at(&place.file))?;
    let number = usize::try_from(place.line).ok()?;
    let own = text.lines().nth(number.checked_sub(1)?)?;
    if let Some(import) = not_imported(case) {
        let is_import =
            |line: &str| (line.starts_with("import ") || line.starts_with("from ")) && !line.contains("__future__");
        let first = text.lines().position(is_import);
        let code = || {
            text.lines()
                .position(|line| !line.starts_with('#') && !line.trim().is_empty() && !line.contains("__future__"))
        };
        let told =
            Told { file: place.file, line: first.or_else(code)? + 1, change: Change::Before(vec![import.clone()]) };
        return Some(Mended { told: vec![told], does: format!("Write {}", quoted(&import, 60)) });
    }
    if let Some(made) = case.says(&["was never closed"]).then(|| closed_line(case, &text, number)).flatten() {
        let told = Told { file: place.file, line: number, change: Change::Put(vec![made]) };
        return Some(Mended { told: vec![told], does: "Close the bracket at the end of its line".to_owned() });
    }
    if case.says(&["SyntaxError: f-string"]) {
        let told = Told { file: place.file, line: number, change: Change::Put(vec![other_quotes(own)?]) };
        return Some(Mended { told: vec![told], does: OTHER_QUOTES.to_owned() });
    }
    if case.says(&["SyntaxError: expected ':'"]) && !own.contains('#') {
        let told = Told { file: place.file, line: number, change: Change::Put(vec![format!("{}:", own.trim_end())]) };
        return Some(Mended { told: vec![told], does: "Write the colon at the end of the line".to_owned() });
    }
    if case.says(&["Missing parentheses in call to 'print'"]) {
        let lines = (1..).zip(text.lines()).filter_map(|(line, own)| {
            let value = own.trim_start().strip_prefix("print ")?.trim_end();
            let is_plain = !value.starts_with(['(', '>']) && !value.ends_with(',') && !value.contains('#');
            let indent = own.get(..own.len() - own.trim_start().len())?;
            let change = Change::Put(vec![format!("{indent}print({value})")]);
            is_plain.then(|| Told { file: place.file.clone(), line, change })
        });
        return Some(Mended { told: lines.collect(), does: "Call `print` with brackets".to_owned() });
    }
    None
}

/// A line that lacks one closing bracket at its end, where the next statement begins below it.
fn closed_line(case: &Case<'_>, text: &str, number: usize) -> Option<String> {
    let sign = case.between("SyntaxError: '", "' was never closed")?;
    let end = match sign {
        "(" => ')',
        "[" => ']',
        "{" => '}',
        _ => return None,
    };
    let own = text.lines().nth(number.checked_sub(1)?)?.trim_end();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let next = text.lines().skip(number).find(|line| !line.trim().is_empty());
    let begins_anew =
        next.is_none_or(|next| indent(next) <= indent(own) && !next.trim_start().starts_with([')', ']', '}']));
    let is_one = own.matches(sign).count() == own.matches(end).count() + 1;
    let goes_on = own.ends_with([',', '+', '-', '*', '/', '(', '[', '{', '\\', ':', '=']) || own.contains(['#', '\'']);
    (begins_anew && is_one && !goes_on).then(|| format!("{own}{end}"))
}

/// A constant of JavaScript that is assigned again: the one that is declared by its name.
fn constants(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["TypeError: Assignment to constant variable"]) {
        return None;
    }
    let read = |place: Place| Some((case.looks.text(&case.at(&place.file))?, place));
    let (text, place) = own_places(case).into_iter().find_map(read)?;
    let own = text.lines().nth(usize::try_from(place.line).ok()?.checked_sub(1)?)?.trim_start();
    let is_sign = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name = own.split(|c: char| !is_sign(c)).next().filter(|name| !name.is_empty())?;
    let declares = |line: &str| {
        let rest = line.trim_start().strip_prefix("const ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| declares(line));
    let (line, own) = lines.next().filter(|_| lines.next().is_none())?;
    let change = Change::Put(vec![own.replacen("const ", "let ", 1)]);
    let does = format!("Declare {} by `let`, for it is assigned again", quoted(name, 40));
    Some(Mended { told: vec![Told { file: place.file, line, change }], does })
}

/// An assignment with blanks around its sign, in a script of the shell.
fn assignments_of_shell(case: &Case<'_>) -> Option<Mended> {
    let said =
        case.text().lines().find(|line| line.ends_with(": command not found") || line.ends_with(": not found"))?;
    let (file, rest) = said.split_once(": line ").or_else(|| said.split_once(": "))?;
    let (number, rest) = rest.split_once(": ")?;
    let name = rest.split(": ").next()?;
    let number: usize = number.trim().parse().ok()?;
    let text = case.looks.text(&case.at(file))?;
    let own = text.lines().nth(number.checked_sub(1)?)?;
    let (before, value) = own.split_once('=')?;
    let indent = own.get(..own.len() - own.trim_start().len())?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name || before.trim() != name || !(before.ends_with(' ') || value.starts_with(' ')) || value.starts_with('=')
    {
        return None;
    }
    let change = Change::Put(vec![format!("{indent}{name}={}", value.trim())]);
    let told = Told { file: file.to_owned(), line: number, change };
    Some(Mended { told: vec![told], does: "Assign without blanks".to_owned() })
}

const OTHER_QUOTES: &str = "Quote otherwise inside the braces";

/// Code of Python whose f-strings hold their own quotes within braces, with the other quotes there: before 3.12 such a text
/// ends at the first. None where nothing is to be changed, or the other quotes are in use, too.
fn other_quotes(code: &str) -> Option<String> {
    let mut made = String::with_capacity(code.len());
    let mut signs = code.chars().peekable();
    let mut before = ' ';
    while let Some(c) = signs.next() {
        made.push(c);
        let quote = signs.peek().copied().filter(|next| matches!(next, '"' | '\''));
        if let Some(quote) = quote.filter(|_| matches!(c, 'f' | 'F') && !before.is_alphanumeric() && before != '_') {
            signs.next();
            made.push(quote);
            in_text(&mut signs, quote, &mut made)?;
        }
        before = c;
    }
    (made != code).then_some(made)
}

/// The rest of an f-string up to its end.
fn in_text(signs: &mut std::iter::Peekable<std::str::Chars<'_>>, quote: char, made: &mut String) -> Option<()> {
    let other = if quote == '"' { '\'' } else { '"' };
    let mut depth = 0_usize;
    while let Some(c) = signs.next() {
        match c {
            '\\' => return None,
            '{' if depth == 0 && signs.peek() == Some(&'{') => {
                signs.next();
                made.push('{');
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            c if c == other && depth > 0 => return None,
            _ => {}
        }
        let is_inner = c == quote && depth > 0;
        made.push(if is_inner { other } else { c });
        if c == quote && depth == 0 {
            return Some(());
        }
    }
    None
}

/// Kinds of values, and what programs say where a setting is of another.
const KINDS: &[(Kind, &[&str])] = &[
    (
        Kind::Number,
        &[
            "a number",
            "an integer",
            "an int",
            "a numeric",
            "expected int",
            "expected number",
            "expected integer",
            "expected u",
            "expected i",
            "expected f64",
            "expected float",
            "type 'integer'",
            "type 'number'",
            "valid integer",
            "be int",
            "be number",
            "be integer",
            "be numeric",
            "be a positive",
            "be of type int",
            "be of type number",
        ],
    ),
    (
        Kind::Boolean,
        &[
            "a boolean",
            "a bool",
            "expected bool",
            "type 'boolean'",
            "be boolean",
            "be bool",
            "true or false",
            "valid boolean",
            "of type bool",
        ],
    ),
    (
        Kind::Text,
        &["a string", "expected string", "type 'string'", "be string", "be str", "valid string", "of type str"],
    ),
    (
        Kind::List,
        &[
            "a list",
            "an array",
            "expected list",
            "expected array",
            "type 'array'",
            "a sequence",
            "be list",
            "valid list",
            "of type list",
        ],
    ),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Boolean,
    Text,
    List,
}

/// A setting whose value says the same in the kind that is asked for: `"8080"` where a number is.
fn of_kinds(case: &Case<'_>) -> Option<Mended> {
    let (said, kind) = case.text().lines().filter(|line| line.len() <= 2048).find_map(|line| {
        let lower = line.to_ascii_lowercase();
        // What was found is named behind what is asked for.
        let asked =
            [", got", " but got", ", found", ", not ", " (got", "; got"].iter().find_map(|mark| lower.split_once(mark));
        let asked = asked.map_or(&*lower, |(asked, _)| asked);
        let is_check = ["must be", "should be", "expect", "is not a", "not of type", "valid "]
            .iter()
            .any(|word| asked.contains(word));
        let kind = KINDS.iter().filter(|_| is_check).filter_map(|(kind, words)| {
            let at = words.iter().filter_map(|word| asked.rfind(word)).max()?;
            Some((at, *kind))
        });
        Some((line, kind.max_by_key(|(at, _)| *at)?.1))
    })?;
    let words: Vec<&str> = super::choices::bare_words(said).iter().flat_map(|word| word.rsplit(['.', '/'])).collect();
    let files = [super::choices::named_files(case), super::choices::settings(case)].concat();
    let mut found: Option<Told> = None;
    for file in files {
        let Some(text) = case.looks.text(&file) else { continue };
        if !super::choices::is_settings(&file)
            || found.as_ref().is_some_and(|told| case.at(&told.file) == case.at(&file))
        {
            continue;
        }
        for (line, own) in (1..).zip(text.lines()) {
            for (at, _) in own.match_indices([':', '=']) {
                let key = own.get(..at)?.trim_end().trim_end_matches(['"', '\'']);
                let key = key.rsplit(|c: char| c.is_whitespace() || "{,\"'".contains(c)).next()?;
                let place = value_behind(own, at + 1);
                let value = own.get(place.clone())?;
                let is_named = words.contains(&key) || words.contains(&value.trim_matches(['"', '\'']));
                let Some(made) = in_kind(value, kind).filter(|_| is_named) else { continue };
                let made = format!("{}{made}{}", own.get(..place.start)?, own.get(place.end..)?);
                let told = Told { file: file.clone(), line, change: Change::Put(vec![made]) };
                if found.replace(told).is_some() {
                    return None;
                }
            }
        }
    }
    found.map(|told| Mended { told: vec![told], does: "Write the value in the kind that is asked for".to_owned() })
}

/// Where the value stands that a line has behind a colon or sign of equality.
fn value_behind(line: &str, from: usize) -> Range<usize> {
    let rest = line.get(from..).unwrap_or_default();
    let value = rest.trim_start();
    let start = from + rest.len() - value.len();
    let quote = value.chars().next().filter(|sign| matches!(sign, '"' | '\''));
    let end = match quote {
        Some(quote) => value.get(1..).and_then(|inner| inner.find(quote)).map_or(value.len(), |at| at + 2),
        None => value.find([',', '}', ' ', '#']).unwrap_or(value.len()),
    };
    start..start + end
}

/// A value of a settings file in another kind, where it says the same there.
fn in_kind(value: &str, kind: Kind) -> Option<String> {
    let sign = value.chars().next().filter(|sign| matches!(sign, '"' | '\''));
    let inner = sign.and_then(|sign| value.strip_prefix(sign)?.strip_suffix(sign));
    let is_number = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && text.parse::<f64>().is_ok()
            && (text == "0" || !text.starts_with('0') || text.starts_with("0."))
    };
    match kind {
        Kind::Number => inner.filter(|inner| is_number(inner)).map(str::to_owned),
        Kind::Boolean => match inner.unwrap_or(value).to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some("true".to_owned()),
            "false" | "no" | "off" => Some("false".to_owned()),
            _ => None,
        }
        .filter(|made| made != value),
        Kind::Text => (inner.is_none() && is_number(value)).then(|| format!("\"{value}\"")),
        Kind::List => inner.filter(|inner| !inner.is_empty()).map(|_| format!("[{value}]")),
    }
}

/// Modules of Node's own that code calls by their names.
const NODE_MODULES: &[&str] = &[
    "assert", "crypto", "dns", "events", "fs", "http", "https", "net", "os", "path", "readline", "stream", "url",
    "util", "zlib",
];

/// A module of Node's own that is not loaded.
fn of_node(case: &Case<'_>) -> Option<Mended> {
    let name = case.between("ReferenceError: ", " is not defined").filter(|name| NODE_MODULES.contains(name))?;
    let place = own_places(case).into_iter().next()?;
    let text = case.looks.text(&case.at(&place.file))?;
    let is_module = place.file.ends_with(".mjs")
        || text.lines().any(|line| line.starts_with("import ") || line.starts_with("export "));
    let put = if is_module {
        format!("import {name} from 'node:{name}';")
    } else {
        format!("const {name} = require('node:{name}');")
    };
    let head = text.lines().take_while(|line| line.starts_with("#!") || line.contains("use strict")).count();
    let does = format!("Load {}", quoted(name, 40));
    let told = Told { file: place.file, line: head + 1, change: Change::Before(vec![put]) };
    Some(Mended { told: vec![told], does })
}

/// A script of the shell that does not say which shell reads it.
fn first_line_of_script(case: &Case<'_>) -> Option<Mended> {
    let at = case.text().lines().position(|line| line.contains("SC2148"))?;
    let file = case.text().lines().take(at).filter_map(|line| between(line, "In ", " line 1:")).last()?;
    let text = case.looks.text(&case.at(file))?;
    let is_bash = ["[[", "=(", "function ", "<<<", "source ", "<(", "local "].iter().any(|sign| text.contains(sign));
    let put = if is_bash { "#!/usr/bin/env bash" } else { "#!/bin/sh" };
    let told = Told { file: file.to_owned(), line: 1, change: Change::Before(vec![put.to_owned()]) };
    Some(Mended { told: vec![told], does: format!("Begin the script with {}", quoted(put, 40)) })
}

/// A semicolon that is missing, where the compiler points at its place.
fn of_semicolons(case: &Case<'_>) -> Option<Mended> {
    const SAYS: &[&str] = &[
        "expected ‘;’",
        "expected ‘,’ or ‘;’",
        "expected ';'",
        "';' expected",
        "expected `;`",
        "expecting \",\" or \";\"",
        "expecting \";\"",
    ];
    let lines: Vec<&str> = case.text().lines().collect();
    let at = lines.iter().position(|line| SAYS.iter().any(|words| line.contains(words)))?;
    let (place, column) = if lines[at].contains("on line ") {
        let (before, number) = lines[at].rsplit_once(" on line ")?;
        let file = before.rsplit_once(" in ")?.1;
        (Place { file: file.to_owned(), line: number.trim().parse().ok()? }, Some(1))
    } else {
        let place = lines[at..].iter().take(2).find_map(|line| places(line).into_iter().next())?;
        let told = lines[at..].iter().take(2).find_map(|line| {
            let rest = line.split_once(&format!("{}:{}:", crate::text::file_name(&place.file), place.line))?.1;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        });
        // javac points with a sign below the line.
        let caret = || lines.get(at + 2).and_then(|line| line.find('^')).map(|at| at + 1);
        (place, told.or_else(caret))
    };
    let text = case.looks.text(&case.at(&place.file))?;
    let number = usize::try_from(place.line).ok()?;
    let own = text.lines().nth(number.checked_sub(1)?)?;
    let column = column?.checked_sub(1)?;
    let (before, after) = (own.get(..column.min(own.len()))?, own.get(column.min(own.len())..)?);
    let (line, made) = if before.trim().is_empty() {
        let (line, above) =
            (1..).zip(text.lines()).take(number - 1).filter(|(_, line)| !line.trim().is_empty()).last()?;
        (line, format!("{};", above.trim_end()))
    } else if case.says(&["expected ‘,’ or ‘;’ before"]) && !before.ends_with(' ') && column < own.trim_end().len()
    {
        return None;
    } else {
        (number, format!("{};{after}", before.trim_end()))
    };
    let told = Told { file: place.file, line, change: Change::Put(vec![made]) };
    Some(Mended { told: vec![told], does: "Write the semicolon that is missing".to_owned() })
}

/// What shellcheck prints as the line that was probably meant.
fn of_shellcheck(case: &Case<'_>) -> Option<Mended> {
    let mut told = Vec::new();
    let mut place = None;
    let mut lines = case.text().lines();
    while let Some(line) = lines.next() {
        if let Some(number) = between(line, " line ", ":").filter(|_| line.starts_with("In ")) {
            let file = between(line, "In ", " line ")?;
            place = number.parse::<usize>().ok().map(|number| (file.to_owned(), number));
        } else if line.trim() == "Did you mean:" {
            let (file, line) = place.clone()?;
            let text = case.looks.text(&case.at(&file))?;
            let own = text.lines().nth(line.checked_sub(1)?)?;
            let indent = own.get(..own.len() - own.trim_start().len())?;
            let change = Change::Put(vec![format!("{indent}{}", lines.next()?.trim_start())]);
            told.push(Told { file, line, change });
        }
    }
    (!told.is_empty()).then(|| Mended { told, does: "Write the line as shellcheck means it".to_owned() })
}

/// The same in code that stands in the line itself.
fn in_the_line(case: &Case<'_>) -> Option<Offer> {
    if !case.says(&["File \"<string>\""]) {
        return None;
    }
    let command = case.command()?;
    let mut own = case.arguments_of(case.word_of(command)?).skip_while(|word| word.text != "-c");
    let code = own.nth(1).filter(|code| code.is_literal)?;
    if case.says(&["SyntaxError: f-string"]) {
        let does = OTHER_QUOTES;
        let made = other_quotes(&code.text)?;
        let deed = case.again_replacing(&[(code, &made)])?;
        let state = "a text of the code ends at its first inner quote";
        return Some(Offer::new(state, vec![Step::work(does, deed, "The code runs")]).doing(does).seen(state));
    }
    let import = not_imported(case)?;
    let deed = case.again_replacing(&[(code, &format!("{import}\n{}", code.text))])?;
    let does = format!("Begin the code with {}", quoted(&import, 60));
    let state = format!("the code lacks {}", quoted(&import, 60));
    Some(Offer::new(state.clone(), vec![Step::work(does.clone(), deed, "The code runs")]).doing(does).seen(state))
}

/// The module of Python's own that was meant.
pub(super) fn python_module(wrong: &str) -> Option<&'static str> {
    (wrong.len() > 3).then(|| only_close(wrong, PYTHON_MODULES.iter().copied())).flatten()
}
