//! An edit that does not find its text, or comes before the file was read.

use serde_json::Value;

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use crate::model::{FindingKind as Kind, ToolKind};
use crate::text::quoted;

fn edited<'c>(case: &'c Case<'_>) -> Result<&'c str, &'static str> {
    let is_edit = matches!(case.failed.kind, ToolKind::Edit | ToolKind::Write);
    case.failed.file.as_deref().filter(|_| is_edit).ok_or("no file was edited")
}

pub(in super::super) fn read_then_repeat(case: &Case<'_>) -> Offered {
    let file = edited(case)?;
    if !case.is_whole() {
        return Err("its arguments are not whole");
    }
    // The text as the file has it, where the call's would not be found once the file was read.
    let again = own_form(case, file).map_or_else(|_| case.again(), |(own, made)| changed(case, own, made));
    let steps = vec![
        PlanStep::read(file, "The file as it is now"),
        PlanStep::work("Make the same change", again, "The file is changed"),
    ];
    Ok(Offer::new("the client asks that the file is read first", steps)
        .seen(format!("{} changed since it was last read", quoted(file, 100))))
}

pub(in super::super) fn read_then_edit(case: &Case<'_>) -> Offered {
    let file = edited(case)?;
    // Several edits of one call are not told apart by its arguments: the client says which one it was.
    let old = case.failed.args.get("old_string").and_then(Value::as_str).or(case.printed().sought_text());
    let new = case.failed.args.get("new_string").and_then(Value::as_str).filter(|new| !new.trim().is_empty());
    let text = case.looks.text(file);
    let is_done = text.as_deref().zip(new).is_some_and(|(text, new)| text.contains(new));
    let line = text
        .as_deref()
        .zip(old)
        .and_then(|(text, old)| near_line(text, old).or_else(|| new.and_then(|new| near_line(text, new))));
    let from = line.map(|line| line.saturating_sub(20).max(1));
    if let Some(old) = old.filter(|_| case.finding(Kind::ManyMatches).is_some()) {
        return Ok(several(file, old));
    }
    let step = PlanStep::new(
        format!("Read the current contents of {}", quoted(file, 100)),
        Deed::Read { path: file.to_owned(), from },
        "The exact text of the file, to copy",
    );
    let why = if case.finding(Kind::ManyMatches).is_some() {
        "the text to replace occurs in the file more than once"
    } else if case.finding(Kind::NoChange).is_some() {
        "the new text is the old one: nothing would change"
    } else {
        "the text to replace is not in the file"
    };
    let offer = Offer::new(why, vec![step]);
    Ok(if is_done { offer.seen(format!("{} already contains the new text", quoted(file, 100))) } else { offer })
}

/// The text stands in the file more than once: all places are shown.
fn several(file: &str, old: &str) -> Offer {
    let first = old.lines().map(str::trim).max_by_key(|line| line.len()).unwrap_or_default();
    let steps = vec![
        PlanStep::new(
            "Look at each place",
            Deed::Search { text: first.to_owned(), folder: file.to_owned() },
            "The lines that hold it, with their numbers",
        ),
        PlanStep::read(
            file,
            "Lines around the intended place that make it unique, or `replace_all` if every place is intended",
        ),
    ];
    Offer::new("the text occurs in the file more than once", steps)
        .seen(format!("{} contains the text in several places", quoted(file, 100)))
}

/// The line that holds the longest line of a text, from 1.
fn near_line(text: &str, old: &str) -> Option<u64> {
    let wanted = old.lines().map(str::trim).max_by_key(|line| line.len()).filter(|line| line.len() >= 6)?;
    (1..).zip(text.lines()).find(|(_, line)| line.contains(wanted)).map(|(number, _)| number)
}

fn changed(case: &Case<'_>, own: String, made: String) -> Deed {
    case.again_changing(&[("old_string", Value::String(own)), ("new_string", Value::String(made))])
}

pub(in super::super) fn use_the_files_own_text(case: &Case<'_>) -> Offered {
    let file = edited(case)?;
    let (own, made) = own_form(case, file)?;
    let state = format!("{} contains the text with other white space or quotes", quoted(file, 100));
    Ok(Offer::explained(
        state,
        vec![PlanStep::work(
            "Make the change with the text as the file has it",
            changed(case, own, made),
            "The file is changed",
        )],
    ))
}

/// The text as the file has it, and what comes in its place.
fn own_form(case: &Case<'_>, file: &str) -> Result<(String, String), &'static str> {
    let arg = |name: &str| case.failed.args.get(name).and_then(Value::as_str);
    let (old, new) = arg("old_string").zip(arg("new_string")).ok_or("the edit's texts are not known")?;
    if old == new || old.trim().is_empty() {
        return Err("the edit changes nothing");
    }
    let text = case.looks.text(file).ok_or("the file was not looked at")?;
    if text.contains(old) {
        return Err("the file contains the text");
    }
    let plain = |way: fn(&str) -> Option<String>| {
        let (old, new) = (way(old)?, way(new).unwrap_or_else(|| new.to_owned()));
        let stands = text.matches(&*old).count() == 1;
        if stands { Some((old, new)) } else { own_text(&text, &old, &new) }
    };
    let (own, made) = own_text(&text, old, new)
        .or_else(|| plain(without_numbers))
        .or_else(|| plain(without_entities))
        .or_else(|| plain(without_escapes))
        .or_else(|| with_blank_lines(&text, old, new))
        .or_else(|| with_other_blanks(&text, old, new))
        .ok_or("no single place of the file differs from the text by white space only")?;
    if own == made || text.matches(&*own).count() != 1 {
        return Err("the place is not the only one");
    }
    Ok((own, made))
}

/// Files that may hold a text that was moved, by their ending.
const MOST_FILES: usize = 40;

pub(in super::super) fn edit_where_it_stands(case: &Case<'_>) -> Offered {
    let file = edited(case)?;
    let arg = |name: &str| case.failed.args.get(name).and_then(Value::as_str);
    let (old, new) = arg("old_string").zip(arg("new_string")).ok_or("the edit's texts are not known")?;
    if old.trim().len() < 8
        || case.looks.text(file).is_some_and(|text| text.contains(old) || text.contains(new) && !new.trim().is_empty())
    {
        return Err("the text is too short to be unique, or the file already contains it");
    }
    let (_, ending) = crate::text::file_name(file).rsplit_once('.').ok_or("the file has no ending")?;
    let ending = format!(".{ending}");
    let found = case.looks.find(&|name| name.ends_with(&ending));
    let is_other = |path: &&String| !file.ends_with(&***path);
    let holds = |path: &&String| case.looks.text(path).is_some_and(|text| text.matches(old).count() == 1);
    let mut holders = found.iter().filter(is_other).take(MOST_FILES).filter(holds);
    let place = holders.next().ok_or("no other file contains the text")?;
    if holders.next().is_some() {
        return Err("several files contain the text");
    }
    let path = match &case.failed.cwd {
        Some(cwd) if file.starts_with('/') => super::super::case::join(cwd, place),
        _ => place.clone(),
    };
    let steps = vec![
        PlanStep::new(
            format!("Read {}", quoted(place, 100)),
            Deed::Read { path: path.clone(), from: None },
            "The file that contains the text",
        ),
        PlanStep::work(
            "Make the change there",
            case.again_changing(&[("file_path", Value::String(path))]),
            "The file is changed",
        ),
    ];
    let state = format!("the text is in {}, not in the file that was edited", quoted(place, 100));
    Ok(Offer::explained(state, steps))
}

/// The only place that has the same words with other blanks between them, also within a line.
fn with_other_blanks(text: &str, old: &str, new: &str) -> Option<(String, String)> {
    let words: Vec<&str> = old.split_whitespace().collect();
    let (first, rest) = words.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let ends = text.match_indices(first).filter_map(|(from, _)| {
        let mut at = from + first.len();
        for word in rest {
            let left = text.get(at..)?;
            let blanks = left.len() - left.trim_start().len();
            (blanks > 0 && left.trim_start().starts_with(word)).then_some(())?;
            at += blanks + word.len();
        }
        Some((from, at))
    });
    let ends: Vec<(usize, usize)> = ends.take(2).collect();
    let [(from, to)] = ends.as_slice() else { return None };
    Some((text.get(*from..*to)?.to_owned(), new.trim().to_owned()))
}

/// The text without the numbers that a listing puts before its lines.
fn without_numbers(text: &str) -> Option<String> {
    let plain = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let has_number = rest.len() < line.trim_start().len();
        rest.strip_prefix(['\t', '→', '|']).filter(|_| has_number).map(str::to_owned)
    };
    let lines: Option<Vec<String>> = text.lines().map(plain).collect();
    lines.filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"))
}

/// The text with the signs that stand for themselves on a page of the web.
fn without_entities(text: &str) -> Option<String> {
    const SIGNS: &[(&str, &str)] =
        &[("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")];
    let plain = SIGNS.iter().fold(text.to_owned(), |text, (written, sign)| text.replace(written, sign));
    (plain != text).then_some(plain)
}

/// The text with the ends of lines, tabs and quotes that were written as escapes.
fn without_escapes(text: &str) -> Option<String> {
    let plain = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
    (plain != text).then_some(plain)
}

/// The place where the text stands with empty lines between its own, and the new text with them where it has the same lines.
fn with_blank_lines(text: &str, old: &str, new: &str) -> Option<(String, String)> {
    let wanted: Vec<&str> = old.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines: Vec<&str> = text.lines().collect();
    let (first, rest) = wanted.split_first()?;
    if rest.is_empty() {
        return None;
    }
    let ends: Vec<(usize, usize)> = (0..lines.len())
        .filter(|at| lines[*at] == *first)
        .filter_map(|from| {
            let mut at = from;
            for line in rest {
                at = (at + 1..lines.len()).find(|next| !lines[*next].trim().is_empty())?;
                (lines[at] == *line).then_some(())?;
            }
            Some((from, at))
        })
        .collect();
    let [(from, to)] = ends.as_slice() else { return None };
    let own = lines.get(*from..=*to)?;
    let mut made: Vec<&str> = Vec::new();
    let mut left = new.lines().filter(|line| !line.trim().is_empty());
    for line in own {
        if line.trim().is_empty() { made.push(line) } else { made.extend(left.next()) }
    }
    made.extend(left);
    Some((own.join("\n"), made.join("\n")))
}

/// The text of the file that is the same but for white space and the forms of quotes, and the new text in the file's own
/// white space. Lines are compared as wholes.
fn own_text(text: &str, old: &str, new: &str) -> Option<(String, String)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let wanted: Vec<String> = old.trim_matches('\n').lines().map(folded).collect();
    if wanted.is_empty() || wanted.len() > lines.len() {
        return None;
    }
    let mut places = lines
        .windows(wanted.len())
        .enumerate()
        .filter(|(_, window)| window.iter().zip(&wanted).all(|(line, wanted)| folded(line) == *wanted));
    let (_, window) = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let end = if window.last().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let own: String = window.concat();
    let own = own.strip_suffix(end).unwrap_or(&own).to_owned();
    let made: Vec<String> = new.trim_matches('\n').lines().map(|line| respaced(line, old, window)).collect();
    Some((own, made.join(end)))
}

/// A line without what an editor or a model may change: runs of white space are one blank, quotes are straight.
fn folded(line: &str) -> String {
    let straight = line.chars().map(|c| match c {
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '\u{a0}' => ' ',
        c => c,
    });
    straight.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A new line with the indentation of the file: that of the same line where it stays, else moved as the first line is.
fn respaced(line: &str, old: &str, window: &[&str]) -> String {
    if line.trim().is_empty() {
        return String::new();
    }
    let olds: Vec<&str> = old.trim_matches('\n').lines().collect();
    let same = olds.iter().zip(window).find(|(old, _)| **old == line || folded(old) == folded(line));
    if let Some((_, own)) = same {
        return own.trim_end_matches(['\r', '\n']).to_owned();
    }
    // The place whose indentation is known and nearest to the new line's.
    let indent = |line: &str| line.get(..line.len() - line.trim_start().len()).unwrap_or_default().to_owned();
    let pairs = || olds.iter().zip(window).filter(|(old, _)| !old.trim().is_empty());
    let own = indent(line);
    if let Some((_, as_file)) = pairs().find(|(old, _)| indent(old) == own) {
        return format!("{}{}", indent(as_file), line.trim_start());
    }
    let Some((first_old, first_own)) = pairs().next() else { return line.to_owned() };
    let (from, to) = (indent(first_old), indent(first_own));
    let deeper = own.strip_prefix(&*from).map(str::to_owned);
    let unit = |text: &str| {
        if to.contains('\t') {
            "\t".repeat(text.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum::<usize>().div_ceil(4))
        } else {
            text.to_owned()
        }
    };
    match deeper {
        Some(deeper) => format!("{to}{}{}", unit(&deeper), line.trim_start()),
        None => format!("{own}{}", line.trim_start()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_own_white_space_is_kept() {
        let text = "fn a() {\n\tlet x = 1;\n\tb();\n}\n";
        let (own, made) =
            own_text(text, "    let x = 1;\n    b();", "    let x = 2;\n    b();\n    if c {\n        d();\n    }")
                .unwrap();
        assert_eq!(own, "\tlet x = 1;\n\tb();");
        assert_eq!(made, "\tlet x = 2;\n\tb();\n\tif c {\n\t\td();\n\t}");
        let (own, made) = own_text("a  =  1\r\nb = 2\r\n", "a = 1", "a = 3").unwrap();
        assert_eq!((own.as_str(), made.as_str()), ("a  =  1", "a = 3"));
        assert_eq!(own_text("x\nx \n", "x", "y"), None, "two places");
        assert_eq!(own_text("let q = “a”;\n", "let q = \"a\";", "let q = \"b\";").unwrap().0, "let q = “a”;");
    }
}
