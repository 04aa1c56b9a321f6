//! A file of the call whose contents are not as its program reads them: the program gets them in the form that it reads, from a
//! pipe or a copy, and the file stays as it is.

use serde_json::Value;

use crate::programs::words::{TAKES_SORTED, interpreter_of};
use crate::recover::case::Case;
use crate::recover::look::FileKind;
use crate::recover::strategies::lines::{Mended, Own, behind, is_written};
use crate::shell::{PlacedWord, WordRole, quoted_word};
use crate::text::{file_name, quoted};

/// A program that prints a file in the form that is read, `{}` for its path, and what the file is.
struct Conversion {
    line: &'static str,
    is: String,
    /// The file that is read in the place of the one that the line names.
    path: Option<String>,
}

impl Conversion {
    fn of(line: &'static str, is: impl Into<String>) -> Option<Self> {
        Some(Self { line, is: is.into(), path: None })
    }

    fn on(&self, path: &str) -> String {
        self.line.replace("{}", &quoted_word(self.path.as_deref().unwrap_or(path)))
    }
}

/// Endings by which a name says that its file is packed.
pub(super) const PACKED: &[&str] = &[".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".lzma", ".Z"];

/// A file of the line that is converted on the way; of a script and of code a copy.
pub(super) fn converted(case: &Case<'_>) -> Option<Mended> {
    if !case.looks.is_looking() {
        return None;
    }
    of_words(case).or_else(|| of_code(case)).or_else(|| of_makefile(case))
}

fn of_words(case: &Case<'_>) -> Option<Mended> {
    let reads = |word: &&PlacedWord| word.is_literal && word.role != WordRole::Assignment && !is_written(case, word);
    let found = case.words.iter().filter(reads).filter(|word| !opens_packed(case, word));
    let mut found = found.filter_map(|word| Some((word, conversion(case, word, &word.text)?))).peekable();
    let (first, conversion) = found.peek()?;
    let why = format!("{} {}", quoted(&first.text, 80), conversion.is);
    let is_run = first.role == WordRole::Program || interpreter_of(&first.text).is_some();
    if is_run {
        let line = in_copy(case, first, conversion)?;
        return Some(Mended { line, why, does: "Run a copy in the form that is read" });
    }
    // The shell hands what stands in brackets on as a file.
    let edits = found.map(|(word, conversion)| (word.range.clone(), format!("<({})", conversion.on(&word.text))));
    let line = case.edited_line(edits.collect())?;
    Some(Mended { line, why, does: "Convert it on the way" })
}

/// Whether the program of a word knows packed files itself.
fn opens_packed(case: &Case<'_>, word: &PlacedWord) -> bool {
    let of_it = Own::all(case).find(|own| own.program.command == word.command);
    of_it.is_some_and(|own| {
        ["tar", "gzip", "gunzip", "zcat", "zgrep", "unzip", "file", "xz", "zstd", "bzip2"].contains(&own.name)
    })
}

/// The line with a copy of a script in its place.
fn in_copy(case: &Case<'_>, word: &PlacedWord, conversion: &Conversion) -> Option<String> {
    let copy = copy_of(case, &word.text)?;
    let runs = match case.kind(&word.text) {
        Some(FileKind::Script(words)) if word.role == WordRole::Program => {
            let named =
                words.iter().map(|word| file_name(word)).find(|name| *name != "env" && !name.starts_with('-'))?;
            format!("{} ", quoted_word(named.trim()))
        }
        _ if word.role == WordRole::Program => format!("{} ", interpreter_of(&word.text)?),
        _ => String::new(),
    };
    let made = format!("{runs}{}", quoted_word(&copy));
    let start = Own::all(case).find(|own| own.program.command == word.command)?.program.range.start;
    let first = format!("{} > {} && ", conversion.on(&word.text), quoted_word(&copy));
    if start == word.range.start {
        return case.edited_line(vec![(word.range.clone(), first + &made)]);
    }
    case.edited_line(vec![(start..start, first), (word.range.clone(), made)])
}

/// A name for a copy beside a file, where nothing has it.
fn copy_of(case: &Case<'_>, path: &str) -> Option<String> {
    let (stem, ending) = path.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && !ending.contains('/'))?;
    let copy = format!("{stem}.plain.{ending}");
    case.kind(&copy).is_none().then_some(copy)
}

/// A file whose name stands in code: the code gets a copy.
fn of_code(case: &Case<'_>) -> Option<Mended> {
    let line = case.failed.line.as_deref()?;
    let code = case.words.iter().filter(|word| word.role == WordRole::Argument && word.text.contains(['"', '\'']));
    let named = code.flat_map(|word| word.text.split(['"', '\'']).map(move |name| (word, name)));
    let is_plain =
        |name: &str| name.contains('.') && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    let mut named = named.filter(|(_, name)| is_plain(name) && line.matches(*name).count() == 1);
    let (word, path, conversion) = named.find_map(|(word, path)| Some((word, path, conversion(case, word, path)?)))?;
    let copy = copy_of(case, path)?;
    let start = Own::all(case).find(|own| own.program.command == word.command)?.program.range.start;
    let at = line.find(path)?;
    let first = format!("{} > {copy} && ", conversion.on(path));
    let line = case.edited_line(vec![(start..start, first), (at..at + path.len(), copy)])?;
    Some(Mended { line, why: format!("{} {}", quoted(path, 80), conversion.is), does: "Read a converted copy" })
}

/// A Makefile whose recipes are indented by blanks.
fn of_makefile(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["make", "gmake"])?;
    let names = crate::programs::manifests::manifests_named("make");
    let file = names.iter().find(|name| case.kind(name).is_some())?;
    let text = case.looks.text(&case.at(file))?;
    let is_told = case.printed().names(&format!("{file}:"));
    let mut lines = text.lines().zip(text.lines().skip(1));
    let is_blank =
        lines.any(|(rule, recipe)| rule.contains(':') && !rule.starts_with([' ', '\t']) && recipe.starts_with("  "));
    if !is_told || !is_blank || own.word("-f").is_some() {
        return None;
    }
    let made = format!("-f <(sed \"s/^  */\\t/\" {file})");
    let line = case.edited_line(vec![behind(own.program.range.end, &made)])?;
    let why = format!("the recipes of {} are indented by blanks, and make reads tabs", quoted(file, 60));
    Some(Mended { line, why, does: "Let make read it with tabs" })
}

/// What makes the contents of a file what its program reads.
fn conversion(case: &Case<'_>, word: &PlacedWord, path: &str) -> Option<Conversion> {
    /// Endings of text: documents of many programs are archives.
    const PLAIN: &[&str] = &[".json", ".jsonl", ".csv", ".tsv", ".txt", ".yml", ".yaml", ".xml", ".sql", ".log", ".md"];
    if path.starts_with('-') || path.is_empty() || path.len() > 1024 {
        return None;
    }
    let Some(kind) = case.kind(path) else {
        return packed_beside(case, path).or_else(|| packed_beside(case, &case.link(path)?));
    };
    if let FileKind::Packed(packer) = kind {
        let is_told = PACKED.iter().any(|ending| path.ends_with(ending));
        let line = match packer {
            "gzip" => "gzip -dc {}",
            "bzip2" => "bzip2 -dc {}",
            "xz" => "xz -dc {}",
            _ => "zstd -dc {}",
        };
        return Conversion::of(line, format!("is compressed by `{packer}`, despite its name")).filter(|_| !is_told);
    }
    if kind == FileKind::Zip && PLAIN.iter().any(|ending| path.ends_with(ending)) {
        let is_single = case.looks.members(&case.at(path)).is_some_and(|names| names.len() == 1);
        return Conversion::of("unzip -p {}", "is a zip archive of one file, despite its name").filter(|_| is_single);
    }
    if !matches!(kind, FileKind::Text | FileKind::Other | FileKind::Script(_)) {
        return None;
    }
    let text = case.looks.beginning(&case.at(path))?;
    by_encoding(case, &text).or_else(|| by_form(case, word, path, &text))
}

/// A file that is not there, where a packed one of its name is.
fn packed_beside(case: &Case<'_>, path: &str) -> Option<Conversion> {
    const LINES: &[(&str, &str)] =
        &[(".gz", "gzip -dc {}"), (".bz2", "bzip2 -dc {}"), (".xz", "xz -dc {}"), (".zst", "zstd -dc {}")];
    case.finding(crate::model::FindingKind::MissingFile)?;
    let is_packed = |ending: &str| matches!(case.kind(&format!("{path}{ending}")), Some(FileKind::Packed(_)));
    let (ending, line) = LINES.iter().find(|(ending, _)| is_packed(ending))?;
    let packed = format!("{path}{ending}");
    Conversion::of(line, format!("is packed as {}", quoted(&packed, 80)))
        .map(|own| Conversion { path: Some(packed), ..own })
}

fn by_encoding(case: &Case<'_>, text: &str) -> Option<Conversion> {
    let start: Vec<char> = text.chars().take(200).collect();
    let zeros = |rest: usize| start.iter().skip(rest).step_by(2).filter(|c| **c == '\0').count();
    let strange = text.chars().filter(|c| *c == '\u{fffd}').count();
    // Samples and pixels have zeros at every second place, too: what a text has no other signs of than letters are control
    // characters, and a file of a known kind begins with its own letters.
    let is_control = |c: &char| c.is_control() && !matches!(c, '\0' | '\n' | '\r' | '\t');
    let begins_plain = start.iter().take(4).all(char::is_ascii_graphic);
    let is_wide =
        start.len() >= 4 && zeros(0).max(zeros(1)) * 5 > start.len() && !begins_plain && !start.iter().any(is_control);
    if is_wide && start.starts_with(&['\u{fffd}', '\u{fffd}']) {
        return Conversion::of("iconv -f UTF-16 -t UTF-8 {}", "is text of UTF-16");
    }
    if is_wide && zeros(1) > zeros(0) {
        return Conversion::of("iconv -f UTF-16LE -t UTF-8 {}", "is text of UTF-16");
    }
    if text.starts_with('\u{feff}') {
        return Conversion::of("tail -c +4 {}", "begins with the mark of UTF-8");
    }
    let is_text = !text.contains('\0') && strange > 0 && strange * 3 < text.chars().count().max(4);
    // Bytes that are no UTF-8 are the cause only where somebody stumbled over them.
    let stumbles = case.finds(&[crate::model::FindingKind::BadEncoding]) || case.printed().stumbles_over_bytes();
    if is_text && stumbles {
        return Conversion::of("iconv -f WINDOWS-1252 -t UTF-8 {}", "is text in another encoding than UTF-8");
    }
    None
}

fn by_form(case: &Case<'_>, word: &PlacedWord, path: &str, text: &str) -> Option<Conversion> {
    let own = Own::all(case).find(|own| own.program.command == word.command)?;
    let lower = path.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|end| lower.ends_with(end));
    if TAKES_SORTED.contains(&own.name) && !text.lines().zip(text.lines().skip(1)).all(|(one, next)| one <= next) {
        return Conversion::of("sort {}", "is not sorted");
    }
    // A script of this kind is read otherwise: see `fix_syntax`.
    let is_script = word.role == WordRole::Program || interpreter_of(path).is_some();
    let is_told = case.printed().names("\r") || case.printed().names("\\r");
    if !is_script && text.contains('\r') && is_told {
        return Conversion::of("tr -d \"\\r\" < {}", "has the ends of lines of Windows");
    }
    if ends(&[".yml", ".yaml"]) && text.lines().any(|line| line.starts_with('\t')) {
        return Conversion::of("expand -t 2 {}", "is indented by tabs, which YAML does not take");
    }
    let is_mixed =
        || text.lines().any(|line| line.starts_with('\t')) && text.lines().any(|line| line.starts_with("  "));
    if ends(&[".py"]) && case.printed().stumbles_over_tabs() && is_mixed() {
        return Conversion::of("expand {}", "is indented by tabs and by blanks");
    }
    if own.is("base64") && own.args.iter().any(|arg| matches!(&*arg.text, "-d" | "--decode" | "-D")) {
        return of_base64(text);
    }
    if ends(&[".json"]) || own.name == "jq" && word.role == WordRole::Argument && path.contains('.') {
        return of_json(text, case.printed().is_blank());
    }
    None
}

/// What makes plain base64 of a text in its other alphabet, with blanks between, or with lines around it.
fn of_base64(text: &str) -> Option<Conversion> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let framed = lines().any(|line| line.starts_with("-----"));
    let of_web = lines().all(|line| line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte)));
    if framed {
        return Conversion::of("grep -v \"^-----\" {}", "has lines around its base64");
    }
    if of_web && text.contains(['-', '_']) {
        return Conversion::of("tr -- \"-_\" \"+/\" < {}", "is base64 in the alphabet of the web");
    }
    let has_blanks = text.lines().any(|line| line.contains([' ', '\t', '\r']));
    has_blanks.then(|| Conversion::of("tr -d \"[:blank:]\\r\" < {}", "has blanks in its base64")).flatten()
}

/// What makes JSON of a text that is nearly so.
fn of_json(text: &str, is_silent: bool) -> Option<Conversion> {
    let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
    if is_silent || text.trim().is_empty() || is_json(text) {
        return None;
    }
    let bare: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let bare = bare.join("\n");
    if is_json(&bare) {
        return Conversion::of("grep -v \"^ *//\" {}", "has comments, which JSON does not take");
    }
    let mut less = String::with_capacity(bare.len());
    let signs: Vec<char> = bare.chars().collect();
    for (at, sign) in signs.iter().enumerate() {
        let next = signs.iter().skip(at + 1).find(|c| !c.is_whitespace());
        if *sign != ',' || !matches!(next, Some('}' | ']')) {
            less.push(*sign);
        }
    }
    if is_json(&less) {
        let line = "sed -E \"/^ *\\/\\//d\" {} | sed -zE \"s/,([[:space:]]*[]}])/\\1/g\"";
        return Conversion::of(line, "has a comma behind the last value, which JSON does not take");
    }
    if !text.contains('"') && is_json(&text.replace('\'', "\"")) {
        return Conversion::of("tr \"'\" '\"' < {}", "has single quotes, which JSON does not take");
    }
    let values: Vec<_> = serde_json::Deserializer::from_str(text).into_iter::<Value>().take(1000).collect();
    let are_lines =
        values.len() > 1 && values.iter().all(Result::is_ok) && values.iter().flatten().all(|v| !v.is_number());
    if are_lines {
        return Conversion::of("jq -s . {}", "has a value a line");
    }
    let is_yaml = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).all(|line| {
        let own = line.trim_start();
        own.starts_with("- ")
            || own.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains(['{', '"']))
    });
    is_yaml.then(|| Conversion::of("yq . {}", "is YAML")).flatten()
}
