//! How answers are printed: as text or JSON, with colour on a terminal that wants it.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use failwise::exit::Exit;
use failwise::model::Class;
use failwise::text::{is_invisible, is_plain};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// The option that says how an answer is printed.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PrintArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

impl Format {
    /// What was asked for; else text for a person at a terminal, and JSON for programs.
    pub(crate) fn for_scripts(asked: Option<Self>) -> Self {
        asked.unwrap_or_else(|| if std::io::stdout().is_terminal() { Self::Text } else { Self::Json })
    }
}

/// When text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How every command speaks, beside its answer.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct SpeechArgs {
    /// Print only the answer and errors
    #[arg(short, long, global = true, display_order = 900)]
    quiet: bool,
    /// When to use colour: auto, always or never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        value_name = "WHEN",
        display_order = 901
    )]
    color: Colour,
}

static SPEECH: OnceLock<SpeechArgs> = OnceLock::new();

impl SpeechArgs {
    /// Holds from now on.
    pub(crate) fn hold(self) {
        let _ = SPEECH.set(self);
    }
}

/// Whether only answers and errors are wanted.
pub(crate) fn is_quiet() -> bool {
    SPEECH.get().is_some_and(|speech| speech.quiet)
}

/// Whether colour is wanted on stdout, which is a terminal or not.
pub(crate) fn wants_colour(is_terminal: bool) -> bool {
    match SPEECH.get().map_or(Colour::Auto, |speech| speech.color) {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let wanted = crate::env("NO_COLOR").is_none_or(|value| value.is_empty());
            let dumb = crate::env("TERM").is_some_and(|term| term == "dumb");
            wanted && !dumb && is_terminal
        }
    }
}

/// Whether and how text is coloured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    colour: bool,
    /// How wide the terminal is; None where nothing is wrapped.
    width: Option<usize>,
}

impl Style {
    /// Colour where it is wanted: by default on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    pub(crate) fn for_stdout() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        Self { colour: wants_colour(is_terminal), width: if is_terminal { columns() } else { None } }
    }

    /// No colour: for files.
    pub(crate) fn plain() -> Self {
        Self { colour: false, width: None }
    }

    /// A text that begins behind an indent, and goes on there where the terminal ends.
    pub(crate) fn hanging(self, text: &str, indent: usize) -> String {
        self.width.and_then(|width| broken(text, indent, indent, width)).unwrap_or_else(|| text.to_owned())
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// By who acts next.
    pub(crate) fn class(self, class: Class, text: &str) -> String {
        match class {
            Class::F1 => self.yellow(text),
            Class::F2 => self.bold(text),
            _ => self.red(text),
        }
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// How wide the terminal is.
fn columns() -> Option<usize> {
    ratatui::crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns))
}

/// Where less is left of a line, the terminal breaks it.
const NARROWEST: usize = 16;
/// The last column at which a line may go on below the text behind its name.
const LAST_COLUMN: usize = 24;

/// A text that begins in a column, broken at words to lines that go on in another one. None where these are too narrow.
fn broken(text: &str, begins: usize, indent: usize, width: usize) -> Option<String> {
    if width < indent + NARROWEST {
        return None;
    }
    let (mut out, mut used) = (String::new(), begins);
    let words: Vec<&str> = text.split(' ').collect();
    for (number, word) in words.iter().enumerate() {
        let long = cells(word);
        let unit = unit_behind(&words, number).map_or(0, |unit| 1 + cells(unit));
        let is_unit = number > 0 && unit_behind(&words, number - 1).is_some();
        if number > 0 && !is_unit && used + 1 + long + unit > width && used > indent {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if number > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += long;
    }
    Some(out)
}

/// The unit of the number that a word ends with: they stay on one line.
fn unit_behind<'t>(words: &[&'t str], number: usize) -> Option<&'t str> {
    const UNITS: &[&str] = &["%", "M", "h", "k", "min", "ms", "s"];
    let is_number = words.get(number)?.ends_with(|sign: char| sign.is_ascii_digit());
    let unit = words.get(number + 1).filter(|_| is_number)?;
    UNITS.contains(&unit.trim_end_matches([',', ';', ')', '.'])).then_some(*unit)
}

/// The cells that a text takes, without its colours.
fn cells(text: &str) -> usize {
    without_colour(text).width()
}

fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default();
    parts.fold(first.to_owned(), |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// A line for a terminal of a width: it goes on below the text behind its name, else a little behind where it began.
fn wrapped(line: &str, width: usize) -> Option<String> {
    let plain = without_colour(line);
    if plain.width() <= width {
        return None;
    }
    let lead = plain.len() - plain.trim_start_matches(' ').len();
    let name = plain[lead..].find("  ").map(|at| lead + at);
    let column = name.map(|at| plain.len() - plain[at..].trim_start_matches(' ').len());
    let column = column.filter(|column| *column <= LAST_COLUMN && column + NARROWEST <= width).unwrap_or(lead + 2);
    let text = line.strip_prefix(&" ".repeat(lead)).unwrap_or(line);
    Some(format!("{}{}", &line[..line.len() - text.len()], broken(text, lead, column, width)?))
}

/// What is printed for people: on a terminal no line runs over, and all of them are broken by [`wrapped`].
pub(crate) struct TerminalPage {
    width: Option<usize>,
    /// What was written of the last line.
    line: Vec<u8>,
}

/// What an answer of a format is printed on: of JSON no line is broken.
pub(crate) fn text_page(format: Format) -> TerminalPage {
    TerminalPage { width: Style::for_stdout().width.filter(|_| format == Format::Text), line: Vec::new() }
}

impl Write for TerminalPage {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut out = std::io::stdout().lock();
        let Some(width) = self.width else { return out.write(bytes) };
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if let Some(line) = self.line.strip_suffix(b"\n") {
                let line = String::from_utf8_lossy(line);
                writeln!(out, "{}", wrapped(&line, width).as_deref().unwrap_or(&line))?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(&self.line)?;
        self.line.clear();
        out.flush()
    }
}

impl Drop for TerminalPage {
    fn drop(&mut self) {
        // What could not be written was told when its line ended.
        let _ = self.flush();
    }
}

/// Prints rows of a page: a name of that width, and what it says; none of what says nothing.
pub(crate) fn write_rows<'n>(
    out: &mut (impl Write + ?Sized),
    width: usize,
    rows: impl IntoIterator<Item = (&'n str, String)>,
) -> std::io::Result<()> {
    let mut said = rows.into_iter().filter(|(_, text)| !text.is_empty());
    said.try_for_each(|(name, text)| writeln!(out, "  {name:<width$} {text}"))
}

/// Says how many of a list were not shown, and where they are; nothing where all were.
pub(crate) fn write_more(
    out: &mut (impl Write + ?Sized),
    (indent, all, shown): (&str, usize, usize),
    place: &str,
) -> std::io::Result<()> {
    match all.saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "{indent}{}", Style::for_stdout().dim(&format!("and {more} more{place}"))),
    }
}

/// Prints a value as one line of JSON, as it may be shown on a terminal.
pub(crate) fn print_json(value: &impl Serialize) -> crate::CommandOutcome {
    writeln!(std::io::stdout().lock(), "{}", escaped(&serde_json::to_string(value)?))?;
    Ok(Exit::Ok)
}

/// The same over several lines, for values that people read.
pub(crate) fn print_pretty(value: &impl Serialize) -> crate::CommandOutcome {
    writeln!(std::io::stdout().lock(), "{}", escaped(&serde_json::to_string_pretty(value)?))?;
    Ok(Exit::Ok)
}

/// A value with the version of its shape, which is the first of all that do not name one; a list has it in each of its rows.
pub(crate) fn versioned(value: &impl Serialize) -> Result<serde_json::Value, serde_json::Error> {
    let mut value = serde_json::to_value(value)?;
    let rows = match &mut value {
        serde_json::Value::Array(rows) => rows.iter_mut().collect(),
        one => vec![one],
    };
    for row in rows.into_iter().filter_map(serde_json::Value::as_object_mut) {
        row.entry("schema_version").or_insert_with(|| 1.into());
    }
    Ok(value)
}

/// Answers that there is nothing to show yet, which is no mistake: one sentence.
pub(crate) fn nothing_yet(format: Format, reason: &str) -> crate::CommandOutcome {
    if format == Format::Json {
        return print_json(&serde_json::json!({ "schema_version": 1, "reason": reason }));
    }
    let mut letters = reason.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    writeln!(std::io::stdout(), "{first}{}.", letters.as_str())?;
    Ok(Exit::Ok)
}

/// JSON as it may be shown on a terminal: what a string must not hold raw becomes an escape.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    let hidden = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_invisible(c));
    if is_plain(json, b'\n') || !json.contains(hidden) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if hidden(c) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Text from outside as it may be shown on a terminal.
pub(crate) fn shown(text: &str, limit: usize) -> String {
    failwise::text::one_line(text, limit)
}

/// A path as it may be shown on a terminal.
pub(crate) fn shown_path(path: &std::path::Path) -> String {
    shown(&path.to_string_lossy(), 300)
}

/// A text of a model's as stdout gets it: as it is, and on a terminal without what would command that, or hide and reorder
/// its characters.
pub(crate) fn for_stdout(text: &str) -> Cow<'_, str> {
    let is_shown = |sign: &char| matches!(sign, '\n' | '\t') || !sign.is_control() && !is_invisible(*sign);
    if !std::io::stdout().is_terminal() || text.chars().all(|sign| is_shown(&sign)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(is_shown).collect())
}

/// Whether something could not be said on stderr.
static UNSAID: AtomicBool = AtomicBool::new(false);

/// The same of what is no error: nothing where only answers and errors are wanted.
pub(crate) fn note_line(line: std::fmt::Arguments<'_>) {
    if !is_quiet() {
        say_line(line);
    }
}

/// A line on stderr. A full disk behind it is no reason to stop, and is told by the exit code.
pub(crate) fn say_line(line: std::fmt::Arguments<'_>) {
    let width = if std::io::stderr().is_terminal() { columns() } else { None };
    let line = line.to_string();
    let broken =
        line.split('\n').map(|line| width.and_then(|width| wrapped(line, width)).unwrap_or_else(|| line.into()));
    let said = writeln!(std::io::stderr().lock(), "{}", broken.collect::<Vec<_>>().join("\n"));
    // A reader that went away has what it wanted.
    UNSAID.fetch_or(said.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe), Ordering::Relaxed);
}

/// Whether all was said that [`say_line`] was given.
pub(crate) fn all_was_said() -> bool {
    !UNSAID.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_hangs_where_the_terminal_ends() {
        let at = |width| Style { colour: false, width };
        let text = "one two three four five sixsixsixsixsixsix seven";
        assert_eq!(at(None).hanging(text, 4), text, "nothing is wrapped in a pipe");
        assert_eq!(at(Some(20)).hanging(text, 4), "one two three\n    four five\n    sixsixsixsixsixsix\n    seven");
        assert_eq!(at(Some(12)).hanging(text, 4), text, "a column of words is worse");
    }

    #[test]
    fn a_line_goes_on_below_its_text() {
        let at = |line, width| wrapped(line, width);
        assert_eq!(at("  why  one two three", 20), None);
        assert_eq!(at("  why  one two three four", 23).unwrap(), "  why  one two three\n       four");
        assert_eq!(
            at("  why  one two three four", 20).unwrap(),
            "  why  one two three\n    four",
            "a narrow column is worse"
        );
        assert_eq!(at("one two three four five", 20).unwrap(), "one two three four\n  five");
        assert_eq!(
            at("\u{1b}[1mone two\u{1b}[0m three four five", 20).unwrap(),
            "\u{1b}[1mone two\u{1b}[0m three four\n  five"
        );
        assert_eq!(
            at("    /a/very/long/path/that/no/line/holds now", 24).unwrap(),
            "    /a/very/long/path/that/no/line/holds\n      now"
        );
    }
}
