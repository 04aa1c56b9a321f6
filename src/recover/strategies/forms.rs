//! Words that a tool takes in another form, which the tool itself, the script or the files beside it tell: an option that
//! is spelt otherwise on this system, a pattern that the shell took, a file that is started as what it is not.

use std::ops::Range;

use super::super::case::{Case, Offer, Offered, join, name_of, parent};
use super::super::step::Step;
use super::manifests::manifest_of;
use super::syntax::Mended;
use crate::shell::{PlacedWord, Script, WordRole, line_of, quoted_word};
use crate::text::quoted;

/// Ways to mend a line, the surest first.
const WAYS: &[fn(&Case<'_>) -> Option<Mended>] = &[
    known_form,
    leading_dash,
    words_of_test,
    program_in_quotes,
    delimiter_of_sed,
    tab_as_separator,
    fields_by_words,
    loop_without_do,
    lines_of_python,
    date_of_bsd,
    stat_of_bsd,
    words_in_brackets,
    name_in_usage,
];

pub(in super::super) fn use_the_tools_form(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    offered(case, line, WAYS).ok_or("no word is known that the tool takes in another form")
}

/// The first way that mends the line into one that is whole.
pub(super) fn offered(case: &Case<'_>, line: &str, ways: &[fn(&Case<'_>) -> Option<Mended>]) -> Option<Offer> {
    let whole = |mended: &Mended| mended.line != line && !Script::parse(&mended.line).incomplete;
    let mended = ways.iter().find_map(|way| way(case).filter(whole))?;
    let step = case.again_with(mended.line)?;
    let steps = vec![Step::work(mended.does, step, "The tool takes the words")];
    Some(Offer::new(mended.why.clone(), steps).doing(mended.does).seen(mended.why))
}

/// A program of the failed line with its own words.
pub(super) struct Own<'c> {
    /// Its name without folder and version.
    pub(super) name: &'c str,
    pub(super) program: &'c PlacedWord,
    pub(super) args: Vec<&'c PlacedWord>,
}

impl<'c> Own<'c> {
    /// The first of the line that is one of these programs, also where it only starts another.
    pub(super) fn of(case: &'c Case<'_>, programs: &[&str]) -> Option<Self> {
        Self::all(case).find(|own| programs.contains(&own.name))
    }

    /// Every program of the line.
    fn all(case: &'c Case<'_>) -> impl Iterator<Item = Self> {
        let mut seen = None;
        case.words.iter().filter(|word| word.role == WordRole::Program).filter_map(move |program| {
            // What the first word starts, as a module of Python, belongs to its words.
            if seen.replace(program.command) == Some(program.command) {
                return None;
            }
            let name = crate::programs::base_name(&program.text);
            let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
            let is_own = |word: &&PlacedWord| {
                word.command == program.command
                    && word.range.start >= program.range.end
                    && matches!(word.role, WordRole::Argument | WordRole::Program)
            };
            Some(Self { name, program, args: case.words.iter().filter(is_own).collect() })
        })
    }
    /// Where its last word ends.
    pub(super) fn end(&self) -> usize {
        self.args.iter().map(|word| word.range.end).max().unwrap_or(self.program.range.end)
    }
}

/// The failed line with other texts at some places.
pub(super) fn with_texts(case: &Case<'_>, mut edits: Vec<(Range<usize>, String)>) -> Option<String> {
    let line = case.failed.line.as_deref()?;
    edits.sort_by_key(|(range, _)| range.start);
    let mut made = String::with_capacity(line.len() + 32);
    let mut at = 0;
    for (range, text) in edits {
        made.push_str(line.get(at..range.start)?);
        made.push_str(&text);
        at = range.end;
    }
    made.push_str(line.get(at..)?);
    Some(made)
}

/// A text behind a place of the line.
pub(super) fn behind(at: usize, text: &str) -> (Range<usize>, String) {
    (at..at, format!(" {text}"))
}

/// A word as it is written in the line.
fn raw<'c>(case: &'c Case<'_>, word: &PlacedWord) -> &'c str {
    case.failed.line.as_deref().and_then(|line| line.get(word.range.clone())).unwrap_or_default()
}

/// Words that a program takes in another form.
struct Form {
    program: &'static str,
    /// What it says, one of these.
    says: &'static [&'static str],
    /// The words as they were given, one behind the other; none where a word is lacking.
    given: &'static [&'static str],
    /// What is put in their place, or behind the program.
    put: &'static str,
    /// Why.
    why: &'static str,
}

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form { program: "find", says: &["-type"], given: &["-type", "file"], put: "-type f", why: "`-type` takes one letter" },
    Form { program: "find", says: &["-type"], given: &["-type", "dir"], put: "-type d", why: "`-type` takes one letter" },
    Form { program: "find", says: &["-type"], given: &["-type", "directory"], put: "-type d", why: "`-type` takes one letter" },
    Form { program: "find", says: &["-type"], given: &["-type", "link"], put: "-type l", why: "`-type` takes one letter" },
    Form { program: "xargs", says: &["unmatched single quote", "unmatched double quote"], given: &[], put: "-d '\\n'", why: "a line holds a quote, which `xargs` takes for its own" },
    Form { program: "mkdir", says: &["File exists"], given: &[], put: "-p", why: "the folder is there already" },
    Form { program: "node", says: &["Cannot use import statement outside a module", "await is only valid in async functions"], given: &["-e"], put: "--input-type=module -e", why: "the code is that of an ES module" },
    Form { program: "node", says: &["Cannot use import statement outside a module", "await is only valid in async functions"], given: &["-p"], put: "--input-type=module -p", why: "the code is that of an ES module" },
    Form { program: "cargo", says: &["no library targets found"], given: &["--lib"], put: "", why: "the package has no library" },
    Form { program: "tail", says: &["cannot open '+1' for"], given: &["+1"], put: "-n +1", why: "a first line is given behind `-n`" },
    Form { program: "tail", says: &["cannot open '+2' for"], given: &["+2"], put: "-n +2", why: "a first line is given behind `-n`" },
];

/// A word that is in a row of the table.
fn known_form(case: &Case<'_>) -> Option<Mended> {
    FORMS.iter().filter(|form| case.says(form.says)).find_map(|form| {
        let own = Own::of(case, &[form.program])?;
        let edit = if form.given.is_empty() {
            let lacks = !own.args.iter().any(|word| form.put.split(' ').next() == Some(&*word.text));
            lacks.then(|| behind(own.program.range.end, form.put))?
        } else {
            let at = own.args.windows(form.given.len()).find(|words| {
                words.iter().zip(form.given).all(|(word, given)| word.text == **given && word.is_literal)
            })?;
            (at.first()?.range.start..at.last()?.range.end, form.put.to_owned())
        };
        let does = "Give the words in the form that the tool takes";
        Some(Mended { line: with_texts(case, vec![edit])?, why: form.why.to_owned(), does })
    })
}

/// A word that begins with a dash and is no option: a text of `printf`, a pattern of `grep`.
fn leading_dash(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["invalid option", "unrecognized option", "unknown option"]) {
        return None;
    }
    if let Some(own) = Own::of(case, &["printf"])
        && own.args.first().is_some_and(|word| word.text.starts_with('-') && word.text != "-v" && word.text != "--")
    {
        let why = "the text begins with a dash, and `printf` takes it for an option".to_owned();
        let line = with_texts(case, vec![behind(own.program.range.end, "--")])?;
        return Some(Mended { line, why, does: "Say that no option follows" });
    }
    let own = Own::of(case, &["grep", "egrep", "fgrep", "rg"])?;
    let is_pattern = |word: &&&PlacedWord| {
        let written = raw(case, word);
        word.text.starts_with('-')
            && (written.starts_with(['\'', '"']) || word.text.contains(['>', ' ', '<', '(', '|', '*']))
    };
    let word = own.args.iter().find(is_pattern)?;
    if own.args.iter().any(|word| matches!(&*word.text, "-e" | "--")) {
        return None;
    }
    let why = "the pattern begins with a dash, and the program takes it for an option".to_owned();
    let line = with_texts(case, vec![(word.range.start..word.range.start, "-e ".to_owned())])?;
    Some(Mended { line, why, does: "Say which word is the pattern" })
}

/// A variable in `[` that is nothing or several words.
fn words_of_test(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["unary operator expected", "binary operator expected", "too many arguments", "unexpected operator"])
    {
        return None;
    }
    let bare = |word: &&PlacedWord| {
        let written = raw(case, word);
        word.role == WordRole::Argument && written.starts_with('$') && !written.contains(['"', '\''])
    };
    let tests: Vec<usize> = case
        .words
        .iter()
        .filter(|word| word.role == WordRole::Program && matches!(&*word.text, "[" | "test"))
        .map(|word| word.command)
        .collect();
    let edits: Vec<_> = case
        .words
        .iter()
        .filter(|word| tests.contains(&word.command))
        .filter(bare)
        .map(|word| (word.range.clone(), format!("\"{}\"", raw(case, word))))
        .collect();
    let line = (!edits.is_empty()).then(|| with_texts(case, edits))??;
    let why = "the shell makes no word, or several, of a bare variable".to_owned();
    Some(Mended { line, why, does: "Quote the variable" })
}

/// A program for `awk` or `perl` that the shell read first: bare, or between double quotes.
fn program_in_quotes(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["syntax error", "unexpected newline", "unterminated", "missing }", "unexpected end of program"]) {
        return None;
    }
    let own = Own::of(case, &["awk", "gawk", "mawk", "perl"])?;
    let line = case.failed.line.as_deref()?;
    let why = "the shell read the program before the tool did".to_owned();
    let does = "Quote the program for the shell";
    let quoted = own.args.iter().find(|word| {
        let written = raw(case, word);
        written.len() > 2 && written.starts_with('"') && written.ends_with('"') && written.contains('$')
    });
    if let Some(word) = quoted {
        let written = raw(case, word);
        let inside = written.get(1..written.len() - 1)?;
        if inside.contains(['\'', '`']) {
            return None;
        }
        let inside = inside.replace("\\\"", "\"").replace("\\$", "$");
        let line = with_texts(case, vec![(word.range.clone(), format!("'{inside}'"))])?;
        return Some(Mended { line, why, does });
    }
    let first = own.args.iter().find(|word| raw(case, word).starts_with('{'))?;
    let last = own.args.iter().find(|word| word.range.start >= first.range.start && raw(case, word).ends_with('}'))?;
    let inside = line.get(first.range.start..last.range.end)?;
    if inside.contains('\'') {
        return None;
    }
    let line = with_texts(case, vec![(first.range.start..last.range.end, format!("'{inside}'"))])?;
    Some(Mended { line, why, does })
}

/// A replacement of `sed` whose texts hold the sign that parts them.
fn delimiter_of_sed(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["unknown option to `s'", "unknown option to 's'", "bad flag in substitute"]) {
        return None;
    }
    let own = Own::of(case, &["sed", "gsed"])?;
    let word = own.args.iter().find(|word| word.text.starts_with("s/"))?;
    let written = raw(case, word);
    let from = written.find("s/")?;
    let quote = written.get(..from)?;
    let body = written.get(from + 2..written.len() - quote.len())?;
    if body.contains(['|', '\n', '\\']) || quote.len() > 1 {
        return None;
    }
    let parts: Vec<&str> = body.split('/').collect();
    let (flags, inner) = parts.split_last()?;
    if !flags.chars().all(|c| c.is_ascii_alphanumeric()) || flags.len() > 3 {
        return None;
    }
    let files: Vec<String> = own
        .args
        .iter()
        .filter(|other| other.is_literal && other.range.start > word.range.start)
        .filter_map(|other| case.looks.text(&case.at(&other.text)))
        .collect();
    let cut: Vec<(String, String)> = (1..inner.len())
        .map(|at| (inner.get(..at).unwrap_or_default().join("/"), inner.get(at..).unwrap_or_default().join("/")))
        .filter(|(old, _)| !old.is_empty())
        .collect();
    let found: Vec<&(String, String)> =
        cut.iter().filter(|(old, _)| files.iter().any(|text| text.contains(old.as_str()))).collect();
    // With a variable in it the texts have just three signs, and only what the shell put in holds more.
    let (old, new) = match (found.as_slice(), cut.as_slice()) {
        (_, [only]) if body.contains('$') => only,
        // The longest text that stands in the file: its beginnings stand there, too.
        ([.., last], _) => *last,
        _ => return None,
    };
    let why = "the texts hold `/`, which parts them".to_owned();
    let line = with_texts(case, vec![(word.range.clone(), format!("{quote}s|{old}|{new}|{flags}{quote}"))])?;
    let needs_quotes = quote.is_empty();
    let line = if needs_quotes {
        with_texts(case, vec![(word.range.clone(), quoted_word(&format!("s|{old}|{new}|{flags}")))])?
    } else {
        line
    };
    Some(Mended { line, why, does: "Part the texts by another sign" })
}

/// A tab that is written as two letters.
fn tab_as_separator(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["multi-character tab", "delimiter must be a single character"]) {
        return None;
    }
    let own = Own::of(case, &["sort", "cut", "join", "paste", "column"])?;
    let edits = own.args.iter().filter_map(|word| {
        let option = word.text.strip_suffix("\\t")?;
        matches!(option, "" | "-t" | "-d" | "--delimiter=" | "--field-separator=")
            .then(|| (word.range.clone(), format!("{option}\"$(printf '\\t')\"")))
    });
    let edits: Vec<_> = edits.collect();
    let line = (!edits.is_empty()).then(|| with_texts(case, edits))??;
    let why = "`\\t` between plain quotes is two letters".to_owned();
    Some(Mended { line, why, does: "Give the tab itself" })
}

/// Fields that more than one sign parts, which `awk` can and `cut` cannot.
fn fields_by_words(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["delimiter must be a single character"]) {
        return None;
    }
    let own = Own::of(case, &["cut"])?;
    let mut words = own.args.iter();
    let (mut by, mut fields, mut files) = (None, None, Vec::new());
    while let Some(word) = words.next() {
        if !word.is_literal {
            return None;
        }
        let attached = |option: &str| word.text.strip_prefix(option).filter(|rest| !rest.is_empty());
        match &*word.text {
            "-d" | "--delimiter" => by = Some(words.next()?.text.clone()),
            "-f" | "--fields" => fields = Some(words.next()?.text.clone()),
            text => match (attached("-d"), attached("-f"), text.starts_with('-')) {
                (Some(rest), _, _) => by = Some(rest.to_owned()),
                (_, Some(rest), _) => fields = Some(rest.to_owned()),
                (None, None, true) => return None,
                (None, None, false) => files.push(text.to_owned()),
            },
        }
    }
    let (by, fields) = (by?, fields?);
    if by == "\\t" || by.contains(['\\', '|', '.', '*', '+', '?', '[', '(', '^', '$']) {
        return None;
    }
    let numbers: Option<Vec<u32>> = fields.split(',').map(|field| field.parse().ok()).collect();
    let columns: Vec<String> = numbers?.iter().map(|field| format!("${field}")).collect();
    let program = format!("{{ print {} }}", columns.join(", "));
    let ofs = format!("OFS={by}");
    let mut made = vec!["awk", "-F", &by, "-v", &ofs, &program];
    made.extend(files.iter().map(String::as_str));
    let line = with_texts(case, vec![(own.program.range.start..own.end(), line_of(made))])?;
    let why = "`cut` parts by one sign only".to_owned();
    Some(Mended { line, why, does: "Part the fields by `awk`" })
}

/// `for x in a b; echo` without its `do`.
fn loop_without_do(case: &Case<'_>) -> Option<Mended> {
    let word = case
        .between("syntax error near unexpected token `", "'")
        .or_else(|| case.between("Syntax error: word unexpected (expecting \"", "\")"))?;
    let line = case.failed.line.as_deref()?;
    let start = ["for ", "while ", "until "].iter().find_map(|word| line.find(word))?;
    let semicolon = line.get(start..)?.find(';')? + start + 1;
    let rest = line.get(semicolon..)?.trim_start();
    if rest.starts_with("do ") || !(rest.starts_with(word) || word == "do") || !line.contains("done") {
        return None;
    }
    let line = format!("{} do {rest}", line.get(..semicolon)?);
    let why = "the loop has no `do`".to_owned();
    Some(Mended { line, why, does: "Write the `do`" })
}

/// Code for `python -c` that one line cannot hold, or that begins with blanks.
fn lines_of_python(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["File \"<string>\""]) {
        return None;
    }
    let own = Own::of(case, &["python"])?;
    let at = own.args.iter().position(|word| word.text == "-c")?;
    let word = own.args.get(at + 1).filter(|word| word.is_literal)?;
    let code = &word.text;
    let made = if case.says(&["IndentationError: unexpected indent"]) {
        dedented(code)?
    } else if case.says(&["SyntaxError: invalid syntax"]) && !code.contains('\n') {
        const BLOCKS: &[&str] = &["for ", "if ", "while ", "with ", "def ", "class ", "try:", "async "];
        let block = code.match_indices(';').find_map(|(at, _)| {
            let rest = code.get(at + 1..)?.trim_start();
            BLOCKS.iter().any(|block| rest.starts_with(block)).then(|| (at, rest.to_owned()))
        });
        let (at, rest) = block?;
        format!("{}\n{rest}", code.get(..at)?)
    } else {
        return None;
    };
    let line = with_texts(case, vec![(word.range.clone(), quoted_word(&made))])?;
    let why = "a block of Python begins a line of its own".to_owned();
    Some(Mended { line, why, does: "Give the code in lines" })
}

/// Code without the blanks that its first line begins with.
fn dedented(code: &str) -> Option<String> {
    let first = code.lines().find(|line| !line.trim().is_empty())?;
    let margin = first.get(..first.len() - first.trim_start().len())?;
    let lines: Option<Vec<&str>> =
        code.lines().map(|line| if line.trim().is_empty() { Some("") } else { line.strip_prefix(margin) }).collect();
    (!margin.is_empty()).then_some(())?;
    Some(lines?.join("\n").trim_matches('\n').to_owned())
}

/// `date -v-1d` of BSD.
fn date_of_bsd(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["invalid option -- 'v'"]) {
        return None;
    }
    let own = Own::of(case, &["date"])?;
    let mut edits = Vec::new();
    for word in own.args.iter().filter(|word| word.is_literal) {
        let Some(shift) = word.text.strip_prefix("-v") else { continue };
        let sign = shift.chars().next().filter(|sign| matches!(sign, '-' | '+'))?;
        let number = shift.get(1..shift.len() - 1)?.parse::<u32>().ok()?;
        let unit = match shift.chars().last()? {
            'y' => "years",
            'm' => "months",
            'w' => "weeks",
            'd' => "days",
            'H' => "hours",
            'M' => "minutes",
            'S' => "seconds",
            _ => return None,
        };
        edits.push((word.range.clone(), format!("-d '{sign}{number} {unit}'")));
    }
    // Of several the last would win.
    let line = (edits.len() == 1).then(|| with_texts(case, edits))??;
    let why = "this `date` shifts a date with `-d`".to_owned();
    Some(Mended { line, why, does: "Shift the date by `-d`" })
}

/// `stat -f %z` of BSD.
fn stat_of_bsd(case: &Case<'_>) -> Option<Mended> {
    const SIGNS: &[(&str, &str)] = &[
        ("%OLp", "%a"),
        ("%Lp", "%a"),
        ("%Su", "%U"),
        ("%Sg", "%G"),
        ("%Sm", "%y"),
        ("%Sp", "%A"),
        ("%z", "%s"),
        ("%m", "%Y"),
        ("%N", "%n"),
        ("%c", "%Z"),
        ("%u", "%u"),
        ("%i", "%i"),
    ];
    if !case.says(&["cannot read file system information", "invalid option -- '%'"]) {
        return None;
    }
    let own = Own::of(case, &["stat"])?;
    let flag = own.args.iter().position(|word| word.text == "-f" || word.text.starts_with("-f%"))?;
    let flag_word = own.args.get(flag)?;
    let (format_word, format) = match flag_word.text.strip_prefix("-f") {
        Some("") | None => own.args.get(flag + 1).map(|word| (*word, word.text.clone()))?,
        Some(attached) => (*flag_word, attached.to_owned()),
    };
    let mut made = String::new();
    let mut rest = format.as_str();
    while !rest.is_empty() {
        if let Some((theirs, ours)) = SIGNS.iter().find(|(theirs, _)| rest.starts_with(theirs)) {
            made.push_str(ours);
            rest = rest.get(theirs.len()..)?;
        } else if rest.starts_with('%') {
            return None;
        } else {
            let next = rest.char_indices().nth(1).map_or(rest.len(), |(at, _)| at);
            made.push_str(rest.get(..next)?);
            rest = rest.get(next..)?;
        }
    }
    let range = flag_word.range.start..format_word.range.end;
    let line = with_texts(case, vec![(range, format!("-c {}", quoted_word(&made)))])?;
    let why = "this `stat` takes a format behind `-c`, with signs of its own".to_owned();
    Some(Mended { line, why, does: "Give the format in the signs of this `stat`" })
}

/// Words in brackets that `echo` is to print.
fn words_in_brackets(case: &Case<'_>) -> Option<Mended> {
    let line = case.failed.line.as_deref()?;
    if !case.says(&["syntax error near unexpected token `('", "Syntax error: \"(\" unexpected"])
        || !line.starts_with("echo ")
        || line.contains(['\'', '"', '`', '\\', ';', '&', '|', '$', '\n'])
    {
        return None;
    }
    let (text, rest) = line.find(" >").map_or((line, ""), |at| line.split_at(at));
    let text = text.strip_prefix("echo ")?;
    let made = format!("echo \"{text}\"{rest}");
    let why = "brackets are the shell's own signs".to_owned();
    (!text.starts_with('-')).then_some(Mended { line: made, why, does: "Quote the text" })
}

/// The names that a usage lists: `{build|check}`, `<start|stop>`, and the first words below `Commands:`.
fn usage_names(text: &str) -> Vec<&str> {
    let is_name = |name: &&str| {
        name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
    };
    let mut names: Vec<&str> = Vec::new();
    let mut is_list = false;
    for line in text.lines() {
        let lower = line.to_ascii_lowercase();
        for word in line.split([' ', '{', '}', '(', ')', '<', '>', '[', ']', ',']).filter(|word| word.contains('|')) {
            names.extend(word.split('|').filter(is_name));
        }
        let is_head = lower.trim_end().ends_with("commands:") || lower.trim_end().ends_with("subcommands:");
        if is_list && line.starts_with([' ', '\t']) {
            names.extend(line.split([' ', '\t', ',', ':']).find(|word| !word.is_empty()).filter(is_name));
        } else if !line.trim().is_empty() {
            is_list = is_head;
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// A subcommand that the printed usage has under a name like it, or without the dashes it was given with.
fn name_in_usage(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["usage", "commands:"]) {
        return None;
    }
    let names = usage_names(case.text());
    let own = Own::all(case).filter(|own| own.args.iter().any(|word| word.is_literal)).last()?;
    let found = own.args.iter().filter(|word| word.is_literal).find_map(|word| {
        let bare = word.text.trim_start_matches('-');
        if names.contains(&&*word.text) {
            return None;
        }
        let right = if bare == word.text {
            crate::names::only_close(bare, names.iter().copied())
        } else {
            names.iter().copied().find(|name| *name == bare)
        };
        right.map(|right| (*word, right))
    });
    let (word, right) = found?;
    let line = with_texts(case, vec![(word.range.clone(), quoted_word(right))])?;
    let why = format!("the usage lists {}, and no {}", quoted(right, 60), quoted(&word.text, 60));
    Some(Mended { line, why, does: "Use the name that the usage lists" })
}

/// Ways to start a program or a compiler as the files beside it tell.
const STARTS: &[fn(&Case<'_>) -> Option<Mended>] = &[
    module_of_package,
    tests_where_they_are,
    test_by_its_name,
    library_of_c,
    standard_of_c,
    source_beside,
    edition_of_rust,
    features_of_cargo,
    package_of_go,
    sources_of_java,
    script_of_node,
];

pub(in super::super) fn start_it_as_what_it_is(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    offered(case, line, STARTS).ok_or("nothing tells that it is to be started otherwise")
}

fn is_dotted(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.split('.').all(is_part)
}

/// A file of a package that is run as a script.
fn module_of_package(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["attempted relative import with no known parent package", "'__main__' is not a package"]) {
        return None;
    }
    let own = Own::of(case, &["python"])?;
    let script = own.args.iter().find(|word| !word.text.starts_with('-')).filter(|word| word.is_literal)?;
    let path = script.text.strip_suffix(".py")?.trim_start_matches("./");
    let why = "the file is a part of a package, and was started as a script".to_owned();
    let does = "Start it as a module of its package";
    if path.contains('/') {
        return None;
    }
    // From inside the package nothing else may be a path: it would be read from the folder above.
    let folder = case.folder();
    let inside = if folder.is_empty() { case.failed.cwd.as_deref()? } else { &*folder };
    let name = format!("{}.{path}", name_of(inside));
    if !is_dotted(&name) || own.args.iter().any(|word| word.range != script.range && word.text.contains(['/', '.'])) {
        return None;
    }
    let start = own.program.range.start;
    let edits = vec![(start..start, "cd .. && ".to_owned()), (script.range.clone(), format!("-m {name}"))];
    Some(Mended { line: with_texts(case, edits)?, why, does })
}

/// Tests of `unittest` that stand in a folder of another name.
fn tests_where_they_are(case: &Case<'_>) -> Option<Mended> {
    if !case.looks.is_looking()
        || !case.says(&["ModuleNotFoundError: No module named", "Start directory is not importable"])
    {
        return None;
    }
    let own = Own::of(case, &["python"])?;
    let at = own.args.iter().position(|word| word.text == "unittest")?;
    let why = "the tests stand in another folder";
    let does = "Run the tests where they stand";
    let folder_of = |found: Vec<String>| {
        let mut folders: Vec<String> = found.iter().map(|path| parent(path)).collect();
        folders.sort();
        folders.dedup();
        <[String; 1]>::try_from(folders).ok().map(|[folder]| folder)
    };
    if let Some(wrong) = case.between("Start directory is not importable: '", "'") {
        let word = own.args.iter().skip(at).find(|word| word.is_literal && name_of(&word.text) == name_of(wrong))?;
        let is_test = |name: &str| name.starts_with("test") && name.ends_with(".py");
        let folder = folder_of(case.looks.find(&is_test))?;
        let line = with_texts(case, vec![(word.range.clone(), quoted_word(&folder))])?;
        return Some(Mended { line, why: why.to_owned(), does });
    }
    let missing = case.between("ModuleNotFoundError: No module named '", "'")?;
    let word = own.args.iter().skip(at + 1).find(|word| {
        let dotted = word.text.trim_end_matches(".py").replace('/', ".");
        word.is_literal && (dotted.starts_with(&format!("{missing}.")) || dotted == missing)
    })?;
    let dotted = word.text.trim_end_matches(".py").replace('/', ".");
    let parts: Vec<&str> = dotted.split('.').collect();
    // The last part that is the name of a file: behind it stand class and method.
    let found = (0..parts.len()).rev().find_map(|at| {
        let file = format!("{}.py", parts.get(at)?);
        folder_of(case.looks.find(&|name| name == file)).map(|folder| (at, file, folder))
    });
    let (at, file, folder) = found?;
    let mut words = vec!["discover", "-s", &folder, "-p", &file];
    let method = parts.get(at + 1..)?.last();
    words.extend(method.iter().flat_map(|name| ["-k", **name]));
    let line = with_texts(case, vec![(word.range.clone(), line_of(words))])?;
    Some(Mended { line, why: format!("{} stands in {}", quoted(&file, 80), quoted(&folder, 80)), does })
}

/// A class or method of tests that is spelt otherwise.
fn test_by_its_name(case: &Case<'_>) -> Option<Mended> {
    let (wrong, word) = if let Some(wrong) = case.between("has no attribute '", "'") {
        let word = case.words.iter().find(|word| {
            word.role == WordRole::Argument && word.is_literal && word.text.split('.').any(|part| part == wrong)
        })?;
        (wrong.to_owned(), word)
    } else {
        let is_id = |word: &&PlacedWord| word.is_literal && word.text.contains(".py::");
        let word = case.words.iter().find(is_id).filter(|_| case.says(&["not found:", "no match in any of"]))?;
        (word.text.rsplit("::").next()?.split('[').next()?.to_owned(), word)
    };
    let path = if let Some((path, _)) = word.text.split_once("::") {
        path.to_owned()
    } else {
        let parts: Vec<&str> = word.text.split('.').collect();
        let at = parts.iter().position(|part| *part == wrong)?;
        let files = (1..=at).rev().filter_map(|end| Some(format!("{}.py", parts.get(..end)?.join("/"))));
        files.into_iter().find(|path| case.kind(path).is_some())?
    };
    let text = case.looks.text(&case.at(&path))?;
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            let line = line.trim_start().trim_start_matches("async ");
            let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "))?;
            rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
        })
        .collect();
    let right = crate::names::only_close(&wrong, names.iter().copied())?;
    let line = with_texts(case, vec![(word.range.clone(), quoted_word(&word.text.replace(&wrong, right)))])?;
    let why = format!("{} has no {}, and {} is there", quoted(&path, 80), quoted(&wrong, 60), quoted(right, 60));
    Some(Mended { line, why, does: "Use the name that is there" })
}

/// Compilers of C and C++.
const COMPILERS: &[&str] = &["gcc", "g++", "cc", "c++", "clang", "clang++"];

/// Functions, and the words that link the library that has them.
const LIBRARIES: &[(&[&str], &str)] = &[
    (
        &[
            "sqrt", "pow", "sin", "cos", "tan", "exp", "log", "log10", "log2", "floor", "ceil", "fabs", "fmod",
            "round", "atan", "atan2", "asin", "acos", "hypot", "cbrt", "sqrtf", "powf", "sinf", "cosf", "tanh", "sinh",
            "cosh", "lround", "trunc", "fmax", "fmin", "ldexp", "frexp", "erf", "tgamma", "lgamma",
        ],
        "-lm",
    ),
    (&["pthread_create", "pthread_join", "pthread_mutex_lock", "sem_init", "sem_wait", "sem_post"], "-pthread"),
    (&["dlopen", "dlsym", "dlclose", "dlerror"], "-ldl"),
    (&["clock_gettime", "shm_open", "shm_unlink", "timer_create", "mq_open"], "-lrt"),
    (&["deflate", "inflate", "compress", "uncompress", "crc32", "gzopen", "deflateInit_", "inflateInit_"], "-lz"),
    (&["sqlite3_open", "sqlite3_exec", "sqlite3_close", "sqlite3_prepare_v2"], "-lsqlite3"),
    (&["curl_easy_init", "curl_easy_setopt", "curl_easy_perform"], "-lcurl"),
    (&["initscr", "endwin", "printw", "getch", "wrefresh"], "-lncurses"),
    (&["readline", "add_history"], "-lreadline"),
    (&["crypt"], "-lcrypt"),
    (&["uuid_generate"], "-luuid"),
];

/// The names that the linker did not find.
fn undefined(case: &Case<'_>) -> Vec<String> {
    let mut names: Vec<String> = case
        .text()
        .lines()
        .filter_map(|line| {
            let rest = line.split_once("undefined reference to ").or_else(|| line.split_once("undefined symbol: "))?.1;
            Some(rest.trim_matches(['`', '\'', '‘', '’', '"']).to_owned())
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A library that is not linked, or a linker that is not that of the language.
fn library_of_c(case: &Case<'_>) -> Option<Mended> {
    let names = undefined(case);
    let of_cpp = names.iter().any(|name| {
        ["std::", "operator new", "operator delete", "__cxa_", "__gxx_"].iter().any(|part| name.contains(part))
    });
    let linked =
        |name: &String| LIBRARIES.iter().find(|(own, _)| own.contains(&name.as_str())).map(|(_, words)| *words);
    let mut words: Vec<&str> = names.iter().filter_map(linked).collect();
    words.sort_unstable();
    words.dedup();
    if let Some(own) = Own::of(case, COMPILERS) {
        let other = match own.name {
            "gcc" => Some("g++"),
            "cc" => Some("c++"),
            "clang" => Some("clang++"),
            _ => None,
        };
        if let (true, Some(other)) = (of_cpp, other) {
            let why = "the source is C++, and the linker of C was called".to_owned();
            let line = with_texts(case, vec![(own.program.range.clone(), other.to_owned())])?;
            return Some(Mended { line, why, does: "Compile it as C++" });
        }
        let why = "the library with these functions is not linked".to_owned();
        let line = (!words.is_empty()).then(|| with_texts(case, vec![behind(own.end(), &words.join(" "))]))??;
        return Some(Mended { line, why, does: "Link the library" });
    }
    let own = Own::of(case, &["make", "gmake"])?;
    let makefile = manifest_of(case, "make")?;
    let has_rule = makefile.contains("LDLIBS") || !makefile.contains(" -o ");
    let why = "the library with these functions is not linked".to_owned();
    let given = own.args.iter().any(|word| word.text.starts_with("LDLIBS="));
    let line = (!words.is_empty() && has_rule && !given)
        .then(|| with_texts(case, vec![behind(own.end(), &format!("LDLIBS={}", quoted_word(&words.join(" "))))]))??;
    Some(Mended { line, why, does: "Link the library" })
}

/// A standard of the language that the compiler names.
fn standard_of_c(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, COMPILERS)?;
    let text = case.text();
    let named = text
        .split("‘-std=")
        .nth(1)
        .or_else(|| text.split("'-std=").nth(1))
        .and_then(|rest| rest.split(['’', '\'']).next())
        .map(str::to_owned);
    let only = || {
        let rest = text.split("is only available from C++").nth(1)?;
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("c++{number}"))
    };
    let lower = || {
        let extension = case.between("is a C++", " extension").filter(|number| number.len() == 2)?;
        Some(format!("c++{extension}"))
    };
    let standard = named.or_else(only).or_else(lower)?;
    let is_plain = standard.len() <= 12 && standard.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+');
    let given = own.args.iter().find(|word| word.text.starts_with("-std="));
    // GNU's own additions stay where they were asked for, and where nothing was.
    let standard = if given.is_none_or(|word| word.text.starts_with("-std=gnu")) && !standard.starts_with("gnu") {
        standard.replacen('c', "gnu", 1)
    } else {
        standard
    };
    let put = format!("-std={standard}");
    let edit = match given {
        Some(word) if word.text == put => return None,
        Some(word) => (word.range.clone(), put),
        None => behind(own.program.range.end, &put),
    };
    let line = is_plain.then(|| with_texts(case, vec![edit]))??;
    let why = "the source uses what a newer standard of the language has".to_owned();
    Some(Mended { line, why, does: "Compile by the standard that the compiler names" })
}

/// A function that another source of the folder has.
fn source_beside(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, COMPILERS)?;
    let names = undefined(case);
    let is_source = |name: &str| {
        name.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "c" | "cc" | "cpp" | "cxx" | "m" | "s" | "S"))
    };
    let given: Vec<&str> =
        own.args.iter().filter(|word| word.is_literal && is_source(&word.text)).map(|word| &*word.text).collect();
    let folder = parent(given.first()?);
    let ending = given.first()?.rsplit_once('.')?.1;
    let defines = |text: &str, name: &str| {
        let call = format!("{}(", name.split('(').next().unwrap_or(name));
        text.lines().any(|line| {
            let is_defined =
                line.contains(&call) && !line.trim_end().ends_with(';') && !line.starts_with([' ', '\t', '#']);
            is_defined && !line.contains('=')
        })
    };
    let beside: Vec<String> = case
        .looks
        .names(&case.at(&folder))
        .into_iter()
        .filter(|name| !name.is_dir && name.name.rsplit_once('.').is_some_and(|(_, own)| own == ending))
        .map(|name| join(&folder, &name.name))
        .filter(|path| !given.contains(&path.as_str()))
        .filter(|path| {
            let text = case.looks.text(&case.at(path)).unwrap_or_default();
            // A second `main` would stand in the way.
            names.iter().any(|name| defines(&text, name)) && !defines(&text, "main")
        })
        .collect();
    let (false, true) = (beside.is_empty(), beside.len() <= 4) else { return None };
    let last = own.args.iter().filter(|word| given.contains(&&*word.text)).map(|word| word.range.end).max()?;
    let line =
        with_texts(case, vec![behind(last, &beside.iter().map(|p| quoted_word(p)).collect::<Vec<_>>().join(" "))])?;
    let why = "another source beside it has what is not defined".to_owned();
    Some(Mended { line, why, does: "Compile it together with the source that has it" })
}

/// Source of a newer edition than the compiler takes by itself.
fn edition_of_rust(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["in Rust 2015", "--edition 20", "switch to Rust 2018", "edition 2015", "Rust 2018 or later"]) {
        return None;
    }
    let own = Own::of(case, &["rustc", "rustfmt", "rustdoc", "clippy-driver"])?;
    if own.args.iter().any(|word| word.text.starts_with("--edition")) {
        return None;
    }
    let source = own.args.iter().find(|word| word.text.ends_with(".rs"))?;
    let mut folder = parent(&source.text);
    let mut declared = None;
    for _ in 0..8 {
        if let Some(text) = case.looks.text(&case.at(&join(&folder, "Cargo.toml"))) {
            declared = text.lines().find_map(|line| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == "edition").then(|| value.trim().trim_matches('"').to_owned())
            });
            break;
        }
        if folder == "." || folder == "/" {
            break;
        }
        folder = parent(&folder);
    }
    let edition = declared.filter(|year| year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()));
    let edition = edition.unwrap_or_else(|| "2021".to_owned());
    let line = with_texts(case, vec![behind(own.program.range.end, &format!("--edition {edition}"))])?;
    let why = "without an edition it takes the source for one of 2015".to_owned();
    Some(Mended { line, why, does: "Name the edition of the source" })
}

/// Features that a target needs, as cargo names them.
fn features_of_cargo(case: &Case<'_>) -> Option<Mended> {
    let named = case.between("by passing, e.g., `--features=\"", "\"`")?;
    let is_plain = named.chars().all(|c| c.is_ascii_alphanumeric() || "-_/ ,".contains(c));
    let own = Own::of(case, &["cargo"])?;
    let subcommand = own.args.iter().find(|word| !word.text.starts_with(['-', '+']))?;
    let put = format!("--features {}", quoted_word(named));
    let line = is_plain.then(|| with_texts(case, vec![behind(subcommand.range.end, &put)]))??;
    let why = "the target needs features that were not asked for".to_owned();
    Some(Mended { line, why, does: "Ask for the features that it needs" })
}

/// A file of a Go package that is run without the others.
fn package_of_go(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["go"])?;
    let name = case.text().lines().find_map(|line| line.split_once(": undefined: ").map(|(_, name)| name.trim()))?;
    let files: Vec<&&PlacedWord> =
        own.args.iter().filter(|word| word.is_literal && word.text.ends_with(".go")).collect();
    let [file] = files.as_slice() else { return None };
    let folder = parent(&file.text);
    let forms = [format!("func {name}("), format!("type {name} "), format!("var {name} "), format!("const {name} ")];
    let has_it = case.looks.names(&case.at(&folder)).into_iter().any(|other| {
        other.name.ends_with(".go")
            && !other.name.ends_with("_test.go")
            && other.name != name_of(&file.text)
            && case
                .looks
                .text(&case.at(&join(&folder, &other.name)))
                .is_some_and(|text| forms.iter().any(|form| text.contains(form)))
    });
    let put = if folder == "." { ".".to_owned() } else { format!("./{folder}") };
    // Without a module a package cannot be named.
    let mut above = vec![".".to_owned(), folder.clone()];
    above.dedup();
    let in_module = above.iter().any(|folder| case.kind(&join(folder, "go.mod")).is_some());
    let edit = if in_module {
        (file.range.clone(), quoted_word(&put))
    } else {
        let all = case.looks.names(&case.at(&folder)).into_iter().map(|own| own.name);
        let all: Vec<String> = all
            .filter(|name| name.ends_with(".go") && !name.ends_with("_test.go"))
            .map(|name| quoted_word(&join(&folder, &name)))
            .collect();
        (file.range.clone(), all.join(" "))
    };
    let line = has_it.then(|| with_texts(case, vec![edit]))??;
    let why = format!("{} stands in another file of the package", quoted(name, 60));
    Some(Mended { line, why, does: "Take the whole package" })
}

/// A class of Java whose source stands where the compiler does not look.
fn sources_of_java(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["javac", "java"])?;
    let name = case.between("symbol:   class ", "").or_else(|| case.between("symbol:   variable ", ""))?;
    if own.args.iter().any(|word| matches!(&*word.text, "-sourcepath" | "--source-path" | "-cp" | "-classpath")) {
        return None;
    }
    let file = format!("{name}.java");
    let found = case.looks.find(&|other| other == file);
    let [path] = found.as_slice() else { return None };
    let text = case.looks.text(path)?;
    let package = text.lines().find_map(|line| line.trim().strip_prefix("package ")).unwrap_or_default();
    let package = package.split(';').next()?.trim().replace('.', "/");
    let folder = parent(path);
    let root = match folder.strip_suffix(&package) {
        _ if package.is_empty() => folder.clone(),
        Some("") => ".".to_owned(),
        Some(root) => root.trim_end_matches('/').to_owned(),
        None => return None,
    };
    let put = line_of(["-sourcepath", &root]);
    let line = case.folder().is_empty().then(|| with_texts(case, vec![behind(own.program.range.end, &put)]))??;
    let why = format!("{} stands below {}, where the compiler does not look", quoted(&file, 80), quoted(&root, 80));
    Some(Mended { line, why, does: "Let the compiler look for sources there" })
}

/// A script of `require` in a package of ES modules.
fn script_of_node(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["require is not defined in ES module scope", "module is not defined in ES module scope"]) {
        return None;
    }
    let own = Own::of(case, &["node"])?;
    let script = own.args.iter().find(|word| !word.text.starts_with('-')).filter(|word| word.is_literal)?;
    // Read from its input, what it loads is looked for from the folder of the call.
    if script.text.trim_start_matches("./").contains('/') || case.failed.line.as_deref()?.contains(['<', '|']) {
        return None;
    }
    let edits = vec![
        (script.range.clone(), "--input-type=commonjs -".to_owned()),
        behind(own.end(), &format!("< {}", quoted_word(&script.text))),
    ];
    let why = "the package is one of ES modules, and the script is not".to_owned();
    Some(Mended { line: with_texts(case, edits)?, why, does: "Run it as CommonJS" })
}
