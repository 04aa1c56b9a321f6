//! What the project's own text says that a call can be told: options and variables that a script reads.

use super::super::case::{Case, Offer, Offered};
use super::super::look::FileKind;
use super::super::step::{Deed, Step};
use super::manifests::{asked_for, node_script};
use crate::names::MAKEFILES;
use crate::shell::{PlacedWord, WordRole, placed_words, quoted_word};
use crate::text::quoted;

/// The text of the project that a command runs.
pub(in super::super) struct Source {
    /// Its path, from the call's folder.
    pub(in super::super) path: String,
    /// What it holds.
    pub(in super::super) text: String,
    /// The number of the command in the line.
    number: usize,
    /// What stands before options that are handed on.
    handed: &'static str,
    /// Whether variables stand behind the program, as those of make do.
    is_make: bool,
}

/// A setting that a source reads.
pub(in super::super) enum Setting {
    /// An option, with its value behind it.
    Flag(String),
    /// A variable of the environment, or of make.
    Variable(String),
}

impl Setting {
    /// As it is written with a value.
    pub(in super::super) fn with(&self, value: &str) -> String {
        match self {
            Self::Flag(name) => format!("{name} {}", quoted_word(value)),
            Self::Variable(name) => format!("{name}={}", quoted_word(value)),
        }
    }
}

/// The script or Makefile of the project that the failed command runs.
pub(in super::super) fn source(case: &Case<'_>) -> Option<Source> {
    let command = case.command()?;
    let word = case.word_of(command)?;
    let number = word.command;
    let made = |path: String, handed, is_make| {
        let text = case.looks.text(&path)?;
        Some(Source { path, text, number, handed, is_make })
    };
    match command.name() {
        "make" | "gmake" => {
            let file = MAKEFILES.iter().find(|name| case.kind(name).is_some())?;
            made(case.at(file), "", true)
        }
        "npm" | "pnpm" | "yarn" | "bun" => {
            let line = node_script(case, &asked_for(case)?)?;
            let words = placed_words(&line)?;
            let file = words.iter().find(|word| word.role != WordRole::Target && is_script(case, &word.text))?;
            made(case.at(&file.text), if command.name() == "npm" { " --" } else { "" }, false)
        }
        _ => {
            let mut own = std::iter::once(word).chain(case.arguments_of(word)).filter(|word| word.is_literal);
            let script = own.find(|word| is_script(case, &word.text))?;
            made(case.at(&script.text), "", false)
        }
    }
}

/// Whether a word is a script of the project.
fn is_script(case: &Case<'_>, word: &str) -> bool {
    const ENDINGS: &[&str] = &["sh", "bash", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "go"];
    if word.starts_with('-') || word.len() > 1024 {
        return false;
    }
    match case.kind(word) {
        Some(FileKind::Script(_)) => true,
        Some(FileKind::Text) => word.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending)),
        _ => false,
    }
}

impl Source {
    /// The setting that the source reads: one of these options, else a variable of which this is true.
    pub(in super::super) fn setting(&self, flags: &[&str], is_it: &dyn Fn(&str) -> bool) -> Option<Setting> {
        let flag = flags.iter().find(|flag| !self.is_make && reads_option(&self.text, flag));
        let flag = flag.map(|flag| Setting::Flag((*flag).to_owned()));
        flag.or_else(|| self.variables().into_iter().find(|name| is_it(name)).map(Setting::Variable))
    }

    /// The variables that the source reads.
    fn variables(&self) -> Vec<String> {
        const READ: &[&str] = &[
            "process.env.",
            "process.env[",
            "os.environ[",
            "os.environ.get(",
            "os.getenv(",
            "getenv(",
            "ENV[",
            "ENV.fetch(",
            "env::var(",
            "Getenv(",
            "LookupEnv(",
            "${",
            "$ENV{",
            "$(",
            "Deno.env.get(",
        ];
        let mut found: Vec<String> = Vec::new();
        for mark in READ {
            for (at, _) in self.text.match_indices(mark) {
                let rest = self.text.get(at + mark.len()..).unwrap_or_default();
                let name = name_at(rest.trim_start_matches(['"', '\'']));
                if name.len() >= 3 {
                    found.push(name);
                }
            }
        }
        if self.is_make {
            let heads = self.text.lines().filter_map(|line| line.split_once("?=").or_else(|| line.split_once('=')));
            found.extend(
                heads
                    .map(|(name, _)| name.trim_end_matches([':', ' ']).to_owned())
                    .filter(|name| name_at(name) == *name),
            );
        }
        found
    }

    /// The failed call with settings of the source.
    pub(in super::super) fn again(&self, case: &Case<'_>, settings: &[(Setting, String)]) -> Option<Deed> {
        let mut edits = Vec::new();
        let own = |word: &&PlacedWord| word.command == self.number && word.role != WordRole::Target;
        let end = case.words.iter().filter(own).map(|word| word.range.end).max()?;
        let start =
            case.words.iter().find(|word| word.command == self.number && word.role == WordRole::Program)?.range.start;
        let has_end = case.words.iter().any(|word| word.command == self.number && word.text == "--");
        for (setting, value) in settings {
            let made = setting.with(value);
            match setting {
                Setting::Flag(_) if has_end => edits.push((end..end, format!(" {made}"))),
                Setting::Flag(_) => edits.push((end..end, format!("{} {made}", self.handed))),
                Setting::Variable(_) if self.is_make => edits.push((end..end, format!(" {made}"))),
                Setting::Variable(_) => edits.push((start..start, format!("{made} "))),
            }
        }
        case.again_edited(edits)
    }
}

/// The name of a variable that a text begins with: capitals, digits and `_`.
fn name_at(text: &str) -> String {
    let name: String = text.chars().take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_').collect();
    if name.starts_with(|c: char| c.is_ascii_uppercase()) { name } else { String::new() }
}

/// Whether a text names an option as a whole word.
pub(super) fn reads_option(text: &str, flag: &str) -> bool {
    text.match_indices(flag).any(|(at, _)| {
        let after = text.get(at + flag.len()..).and_then(|rest| rest.chars().next());
        let before = text.get(..at).and_then(|rest| rest.chars().next_back());
        !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// What holds a program to less than it needs, and the words by which a script sets it.
const LIMITS: &[(&[&str], &[&str])] = &[
    (&["Too many open files", "EMFILE"], &["ulimit -n", "ulimit -Sn", "ulimit -Hn", "RLIMIT_NOFILE"]),
    (&["heap out of memory", "Reached heap limit"], &["max-old-space-size", "max_old_space_size"]),
    (&["OutOfMemoryError", "Java heap space"], &["-Xmx"]),
    (
        &["MemoryError", "Cannot allocate memory", "out of memory", "bad_alloc", "memory exhausted"],
        &["ulimit -v", "ulimit -Sv", "ulimit -m", "RLIMIT_AS", "memory", "MEMORY"],
    ),
    (&["File size limit", "File too large", "SIGXFSZ"], &["ulimit -f", "ulimit -Sf", "RLIMIT_FSIZE"]),
    (&["CPU time limit", "SIGXCPU"], &["ulimit -t", "ulimit -St", "RLIMIT_CPU"]),
    (
        &["Resource temporarily unavailable", "EAGAIN", "can't start new thread"],
        &["ulimit -u", "ulimit -Su", "RLIMIT_NPROC"],
    ),
    (&["Segmentation fault", "stack overflow", "Stack overflow"], &["ulimit -s", "ulimit -Ss", "RLIMIT_STACK"]),
];

/// The files of the project that set what was used up themselves, with the words by which they do.
pub(in super::super) fn limiting_scripts(case: &Case<'_>) -> Option<(Vec<String>, &'static [&'static str])> {
    const ENDINGS: &[&str] = &[".sh", ".bash", ".py", ".js", ".mjs", ".mk", ".env", ".yml", ".yaml", ".json", ".rb"];
    let (_, marks) = LIMITS.iter().find(|(says, _)| case.says(says))?;
    let own = source(case).map(|source| source.path);
    let is_one = |name: &str| ENDINGS.iter().any(|end| name.ends_with(end)) || MAKEFILES.contains(&name);
    let sets = |path: &String| {
        let marks = marks.iter().filter(|mark| mark.contains([' ', '_', '-']));
        case.looks.text(path).is_some_and(|text| marks.into_iter().any(|mark| text.contains(mark)))
    };
    let mut found: Vec<String> = own.into_iter().chain(case.looks.find(&is_one)).take(60).filter(sets).collect();
    found.dedup();
    (!found.is_empty() && found.len() <= 4).then_some((found, *marks))
}

/// How much more than the script's own number a limit is raised to.
const MORE: u64 = 16;

/// The setting by which the script itself limits what was used up, with a number that is enough.
pub(in super::super) fn limit_of_source(case: &Case<'_>) -> Option<(Source, Setting, String)> {
    let (_, marks) = LIMITS.iter().find(|(says, _)| case.says(says))?;
    let source = source(case)?;
    let variables = source.variables();
    let marked: Vec<&str> = source.text.lines().filter(|line| marks.iter().any(|mark| line.contains(mark))).collect();
    // What a limit is set to may be put together in a line of its own.
    let names = |line: &str| {
        let (name, _) = line.trim_start().split_once('=')?;
        let is_used = |marked: &&str| {
            marked.contains(&format!("${name}"))
                || marked.contains(&format!("${{{name}}}"))
                || marked.contains(&format!("({name},"))
        };
        (name.len() >= 2 && marked.iter().any(is_used)).then_some(())
    };
    let lines = source.text.lines().filter(|line| marked.contains(line) || names(line).is_some());
    let found = lines.into_iter().find_map(|line| {
        let name = variables.iter().find(|name| line.contains(&***name))?;
        let (_, behind) = line.split_once(&**name)?;
        let digits = behind.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
        let number: u64 = digits.parse().ok().filter(|number| *number > 0)?;
        Some((name.clone(), number.saturating_mul(MORE).to_string()))
    });
    let (name, value) = found?;
    Some((source, Setting::Variable(name), value))
}

/// The encoding of a text that is not UTF-8, as Python names it, by what the error says of it.
fn encoding(case: &Case<'_>) -> Option<&'static str> {
    let byte = case.between("can't decode byte 0x", " ").and_then(|hex| u8::from_str_radix(hex, 16).ok());
    let at_start = case.says(&["in position 0:"]);
    match byte {
        Some(0xff | 0xfe) if at_start => Some("utf-16"),
        Some(0x80..=0x9f) => Some("cp1252"),
        Some(_) => Some("latin-1"),
        None if case.says(&["Unexpected UTF-8 BOM", "utf-8-sig"]) => Some("utf-8-sig"),
        None if case.says(&[
            "invalid byte sequence in UTF-8",
            "stream did not contain valid UTF-8",
            "invalid utf-8",
            "malformed UTF-8",
        ]) =>
        {
            Some("latin-1")
        }
        None => None,
    }
}

pub(in super::super) fn set_the_encoding(case: &Case<'_>) -> Offered {
    let encoding = encoding(case).ok_or("no text is in another encoding")?;
    let source = source(case);
    let flags = ["--encoding", "--input-encoding", "--source-encoding", "--charset", "--in-encoding"];
    let setting = source.as_ref().and_then(|source| {
        source.setting(&flags, &|name| {
            name.ends_with("ENCODING") && name != "PYTHONIOENCODING" || name.ends_with("CHARSET")
        })
    });
    if let Some((source, setting)) = source.as_ref().zip(setting) {
        let what = match &setting {
            Setting::Flag(name) | Setting::Variable(name) => name.clone(),
        };
        let step = source.again(case, &[(setting, encoding.to_owned())]).ok_or("its command line is not whole")?;
        let state = format!("the text is {encoding}, and {} reads `{what}`", quoted(&source.path, 80));
        return Ok(Offer::new(
            state.clone(),
            vec![Step::work(format!("Say that it is {encoding}"), step, "The text is read")],
        )
        .seen(state));
    }
    // The script takes UTF-8 alone: it is given that.
    let own = source.as_ref().map(|source| source.path.clone());
    let mut texts = case.words.iter().filter(|word| {
        let is_text = case.kind(&word.text) == Some(FileKind::Text) && case.looks.text(&case.at(&word.text)).is_none();
        word.is_literal && word.role == WordRole::Argument && Some(case.at(&word.text)) != own && is_text
    });
    let word = texts.next().ok_or("the line names no text that is not UTF-8")?;
    if texts.next().is_some() {
        return Err("the line names several texts that are not UTF-8");
    }
    let (name, ending) = word.text.rsplit_once('.').ok_or("the text has no ending")?;
    let made = format!("{name}.utf8.{ending}");
    if case.kind(&made).is_some() {
        return Err("the text was converted already");
    }
    let again = case.again_replacing(&[(word, &made)]).ok_or("its command line is not whole")?;
    let Deed::Again { args, .. } = &again else { return Err("its command line is not whole") };
    let key = case.failed.command_key.as_deref().unwrap_or("command");
    let line = args.get(key).and_then(serde_json::Value::as_str).ok_or("its command line is not whole")?;
    let from = match encoding {
        "latin-1" => "ISO-8859-1",
        "utf-8-sig" => return Err("the mark at the beginning is to be taken out"),
        other => other,
    };
    let line = format!("iconv -f {from} -t UTF-8 {} > {} && {line}", quoted_word(&word.text), quoted_word(&made));
    let step = case.again_with(line).ok_or("its command line is not whole")?;
    let state = format!("{} is not UTF-8", quoted(&word.text, 80));
    Ok(Offer::new(state.clone(), vec![Step::work("Convert a copy to UTF-8, and take that", step, "The text is read")])
        .seen(state))
}
