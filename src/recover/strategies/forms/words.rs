//! Words that a tool or the shell takes in another form: an option that is spelt otherwise on this system, a pattern that the
//! shell took, a block that one line cannot hold.

use crate::recover::case::Case;
use crate::recover::strategies::lines::{Mended, Own, behind, raw};
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

/// Ways to mend a line, the surest first.
pub(super) const WAYS: &[fn(&Case<'_>) -> Option<Mended>] = &[
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
    fields_of_gh,
    name_in_usage,
];

/// A word that begins with a dash and is no option: a text of `printf`, a pattern of `grep`.
fn leading_dash(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["invalid option", "unrecognized option", "unknown option"]) {
        return None;
    }
    if let Some(own) = Own::of(case, &["printf"])
        && own.args.first().is_some_and(|word| word.text.starts_with('-') && word.text != "-v" && word.text != "--")
    {
        let why = "the text begins with a dash, and `printf` takes it for an option".to_owned();
        let line = case.edited_line(vec![behind(own.program.range.end, "--")])?;
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
    let line = case.edited_line(vec![(word.range.start..word.range.start, "-e ".to_owned())])?;
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
    let line = (!edits.is_empty()).then(|| case.edited_line(edits))??;
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
        let line = case.edited_line(vec![(word.range.clone(), format!("'{inside}'"))])?;
        return Some(Mended { line, why, does });
    }
    let first = own.args.iter().find(|word| raw(case, word).starts_with('{'))?;
    let last = own.args.iter().find(|word| word.range.start >= first.range.start && raw(case, word).ends_with('}'))?;
    let inside = line.get(first.range.start..last.range.end)?;
    if inside.contains('\'') {
        return None;
    }
    let line = case.edited_line(vec![(first.range.start..last.range.end, format!("'{inside}'"))])?;
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
    let line = case.edited_line(vec![(word.range.clone(), format!("{quote}s|{old}|{new}|{flags}{quote}"))])?;
    let needs_quotes = quote.is_empty();
    let line = if needs_quotes {
        case.edited_line(vec![(word.range.clone(), quoted_word(&format!("s|{old}|{new}|{flags}")))])?
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
    let line = (!edits.is_empty()).then(|| case.edited_line(edits))??;
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
    let line = case.edited_line(vec![(own.program.range.start..own.end(), line_of(made))])?;
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
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(&made))])?;
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
    let line = (edits.len() == 1).then(|| case.edited_line(edits))??;
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
    let line = case.edited_line(vec![(range, format!("-c {}", quoted_word(&made)))])?;
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

/// A field of `gh ... --json` that this command has not: the one that is called nearly so, else the others alone.
fn fields_of_gh(case: &Case<'_>) -> Option<Mended> {
    let unknown = case.between("Unknown JSON field: \"", "\"")?;
    let own = Own::of(case, &["gh"])?;
    let at = own.args.iter().position(|word| word.text == "--json" || word.text.starts_with("--json="))?;
    let word = own.args.get(at).filter(|word| word.text.contains('=')).or_else(|| own.args.get(at + 1))?;
    let fields = word.text.strip_prefix("--json=").filter(|_| word.is_literal).or(Some(&*word.text))?;
    let (_, list) = case.text().split_once("Available fields:")?;
    let list: Vec<&str> = list.lines().skip(1).map(str::trim).take_while(|name| !name.is_empty()).collect();
    let near = crate::names::only_close(unknown, list.iter().copied());
    let mut kept: Vec<&str> = Vec::new();
    for field in fields.split(',') {
        let field = if list.contains(&field) { Some(field) } else { near.filter(|_| field == unknown) };
        kept.extend(field.filter(|field| !kept.contains(field)));
    }
    let option = if word.text.starts_with("--json=") { "--json=" } else { "" };
    let made = format!("{option}{}", kept.join(","));
    let line = (!kept.is_empty()).then(|| case.edited_line(vec![(word.range.clone(), quoted_word(&made))]))??;
    let why = format!("this command of gh has no field {}", quoted(unknown, 60));
    Some(Mended { line, why, does: "Ask for the fields that it has" })
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
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(right))])?;
    let why = format!("the usage lists {}, and no {}", quoted(right, 60), quoted(&word.text, 60));
    Some(Mended { line, why, does: "Use the name that the usage lists" })
}
