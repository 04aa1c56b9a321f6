//! Command files: their text with arguments put in, in one pass from left to right. What was put in is data: it is never
//! looked at again.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::front_matter::{FrontMatter, YamlValue};
use crate::shell::argument_words;

/// How placeholders are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateDialect {
    /// As Claude Code reads a user's commands: `$0` is the first argument.
    Claude,
    /// As agent work orders write them: `$1` is the first argument.
    Adw,
}

impl TemplateDialect {
    /// The dialect of a word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "claude" => Some(Self::Claude),
            "adw" => Some(Self::Adw),
            _ => None,
        }
    }
}

/// What is put in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The arguments as a person typed them, where they were one text.
    typed: Option<String>,
    words: Vec<String>,
    /// Values by name.
    vars: Vec<(String, String)>,
}

impl Arguments {
    /// Arguments that are words already.
    pub fn of_words(words: Vec<String>) -> Self {
        Self { words, ..Self::default() }
    }

    /// What a person types behind a command's name, split as the client splits it.
    pub fn typed(text: &str) -> Self {
        let text = trimmed(text);
        Self { words: argument_words(text), typed: Some(text.to_owned()), ..Self::default() }
    }

    /// The same with values by name.
    #[must_use]
    pub fn with_vars(self, vars: Vec<(String, String)>) -> Self {
        Self { vars, ..self }
    }

    fn all(&self, dialect: TemplateDialect) -> String {
        let between = if dialect == TemplateDialect::Adw { ", " } else { " " };
        self.typed.clone().unwrap_or_else(|| self.words.join(between))
    }

    fn var(&self, name: &str) -> Option<&str> {
        self.vars.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A prompt, and what became of placeholders and arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The prompt.
    pub text: String,
    /// Placeholders for which there was no argument, as they are written, each once.
    pub unfilled: Vec<String>,
    /// Arguments that no placeholder took, in words for people: `argument 2`, `ISSUE`.
    pub unused: Vec<String>,
    /// Whether the arguments were appended because no placeholder took one.
    pub appended: bool,
    /// The parts of the text that were put in.
    inserted: Vec<Range<usize>>,
}

/// A command file, taken apart.
#[derive(Debug)]
pub struct CommandFile<'t> {
    front: Option<FrontMatter>,
    text: &'t str,
}

impl<'t> CommandFile<'t> {
    /// Takes the front matter off a file.
    pub fn parse(file: &'t str) -> Self {
        let (front, text) = match front_of(file) {
            Some((block, text)) => (Some(FrontMatter::of_block(block)), text),
            None => (None, file),
        };
        Self { front, text }
    }

    /// The dialect that the file itself asks for, in its own word.
    pub fn dialect(&self) -> Option<String> {
        match self.front.as_ref()?.value("dialect") {
            Ok(Some(value)) => Some(value.word().unwrap_or_default().to_owned()),
            _ => None,
        }
    }

    /// The prompt.
    pub fn render(&self, arguments: &Arguments, dialect: TemplateDialect) -> Rendered {
        let text = match (dialect, &self.front) {
            // The client takes the blanks behind front matter off as well.
            (TemplateDialect::Claude, Some(_)) => self.text.trim_start_matches(is_white),
            (TemplateDialect::Adw, Some(_)) => self.text.split_once('\n').map_or("", |(_, next)| next),
            (_, None) => self.text,
        };
        let names = if dialect == TemplateDialect::Claude { self.names() } else { Vec::new() };
        let mut pass = Pass { arguments, dialect, names: &names, out: Rendered::default(), used: BTreeSet::new() };
        pass.run(text);
        pass.finish()
    }

    /// The names that the front matter gives to arguments, in order. Numbers and truth values are none.
    fn names(&self) -> Vec<String> {
        let value = self.front.as_ref().and_then(|front| front.value("arguments").ok().flatten());
        let names: Vec<String> = match value {
            Some(YamlValue::Word(words)) => words.split_whitespace().map(str::to_owned).collect(),
            Some(YamlValue::List(list)) => list.iter().filter_map(|name| name.word().map(str::to_owned)).collect(),
            _ => Vec::new(),
        };
        let is_name = |name: &String| {
            let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
            !is_number && !matches!(name.as_str(), "true" | "false")
        };
        names.into_iter().filter(is_name).collect()
    }
}

/// The block between the first line of three dashes and the next three dashes, and what follows them, as the client cuts
/// it: the second need not be on a line of their own.
fn front_of(file: &str) -> Option<(&str, &str)> {
    let behind = file.strip_prefix('\u{feff}').unwrap_or(file).strip_prefix("---")?;
    let start = behind.find(|c: char| !is_white(c)).unwrap_or(behind.len());
    let start = behind.get(..start)?.rfind('\n')? + 1;
    let (block, text) = behind.get(start..)?.split_once("---")?;
    Some((block, text))
}

fn is_white(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(is_white)
}

/// One pass over a template.
struct Pass<'a> {
    arguments: &'a Arguments,
    dialect: TemplateDialect,
    names: &'a [String],
    out: Rendered,
    /// The indexes of arguments that a placeholder took; those of vars behind them.
    used: BTreeSet<usize>,
}

/// A placeholder at the beginning of a text.
struct Placeholder {
    length: usize,
    /// The arguments that it stands for.
    means: Meaning,
    /// Whether a backslash before it is taken off.
    escapes: bool,
}

enum Meaning {
    /// All arguments.
    All,
    /// One argument, from 0. Where there is none, the placeholder stays.
    One(Option<usize>),
    /// One argument by its name. Where there is none, it becomes empty.
    Name(usize),
    /// A value by its name. Where there is none, the placeholder stays.
    Var(String),
    /// Nothing: only its escape is read.
    Nothing,
}

impl Pass<'_> {
    fn run(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let Some(placeholder) = self.placeholder(behind) else {
                self.out.text.push_str(before);
                self.out.text.push('$');
                rest = behind.get(1..).unwrap_or_default();
                continue;
            };
            let written = behind.get(..placeholder.length).unwrap_or_default();
            rest = behind.get(placeholder.length..).unwrap_or_default();
            // One backslash takes the meaning off; of two both stay, and mean nothing.
            let unescaped = before.strip_suffix('\\').filter(|before| !before.ends_with('\\') && placeholder.escapes);
            self.out.text.push_str(unescaped.unwrap_or(before));
            if unescaped.is_some() {
                self.out.text.push_str(written);
            } else {
                self.fill(&placeholder.means, written);
            }
        }
        self.out.text.push_str(rest);
    }

    fn placeholder(&self, text: &str) -> Option<Placeholder> {
        match self.dialect {
            TemplateDialect::Claude => self.of_client(text),
            TemplateDialect::Adw => self.of_work_order(text),
        }
    }

    /// `$name`, `$ARGUMENTS[N]`, `$N` with no word character behind them, and `$ARGUMENTS` wherever it stands.
    fn of_client(&self, text: &str) -> Option<Placeholder> {
        let behind = text.get(1..)?;
        let named = self.names.iter().enumerate().filter(|(_, name)| {
            let after = behind.strip_prefix(name.as_str());
            after.is_some_and(|after| !after.starts_with(|c: char| is_word(c) || c == '['))
        });
        // Of two names the longer; of two that are equal the first.
        if let Some((index, name)) = named.rev().max_by_key(|(_, name)| name.len()) {
            return Some(Placeholder { length: 1 + name.len(), means: Meaning::Name(index), escapes: true });
        }
        if let Some(behind) = behind.strip_prefix(ALL) {
            let index = behind.strip_prefix('[').and_then(|inside| inside.split_once(']'));
            let index = index.map(|(index, _)| index).filter(|index| is_number(index));
            return Some(match index {
                Some(index) => {
                    let means = Meaning::One(index.parse().ok());
                    Placeholder { length: 1 + ALL.len() + index.len() + 2, means, escapes: true }
                }
                None => Placeholder { length: 1 + ALL.len(), means: Meaning::All, escapes: true },
            });
        }
        let digits = digits(behind)?;
        let is_whole = !behind.get(digits.len()..)?.starts_with(is_word);
        let means = if is_whole { Meaning::One(digits.parse().ok()) } else { Meaning::Nothing };
        Some(Placeholder { length: 1 + digits.len(), means, escapes: true })
    }

    /// `$ARGUMENTS`, `$N` from 1 with all digits that follow, and `${NAME}`.
    fn of_work_order(&self, text: &str) -> Option<Placeholder> {
        let behind = text.get(1..)?;
        let has_arguments = !self.arguments.words.is_empty();
        if behind.starts_with(ALL) {
            return Some(Placeholder { length: 1 + ALL.len(), means: Meaning::All, escapes: has_arguments });
        }
        if let Some((name, _)) = behind.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            let is_known = self.arguments.var(name).is_some();
            return is_var_name(name).then(|| Placeholder {
                length: name.len() + 3,
                means: Meaning::Var(name.to_owned()),
                escapes: is_known,
            });
        }
        let digits = digits(behind).filter(|digits| !digits.starts_with('0'))?;
        let index = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        Some(Placeholder { length: 1 + digits.len(), means: Meaning::One(index), escapes: has_arguments })
    }

    fn fill(&mut self, means: &Meaning, written: &str) {
        let words = &self.arguments.words;
        match means {
            Meaning::All if self.dialect == TemplateDialect::Adw && words.is_empty() => self.stay(written),
            Meaning::All => {
                self.used.extend(0..words.len().max(1));
                self.insert(&self.arguments.all(self.dialect));
                if self.arguments.all(self.dialect).is_empty() && words.is_empty() {
                    self.note(written);
                }
            }
            Meaning::One(index) => match index.and_then(|index| Some((index, words.get(index)?))) {
                Some((index, word)) => {
                    self.used.insert(index);
                    self.insert(word);
                }
                None => self.stay(written),
            },
            Meaning::Name(index) => {
                self.used.insert(*index);
                match words.get(*index) {
                    Some(word) => self.insert(word),
                    None => self.note(written),
                }
            }
            Meaning::Var(name) => match self.arguments.var(name) {
                Some(value) => {
                    let index = self.arguments.vars.iter().rposition(|(known, _)| known == name).unwrap_or_default();
                    self.used.insert(words.len() + index);
                    self.insert(value);
                }
                None => self.stay(written),
            },
            Meaning::Nothing => self.out.text.push_str(written),
        }
    }

    fn insert(&mut self, text: &str) {
        let start = self.out.text.len();
        self.out.text.push_str(text);
        self.out.inserted.push(start..self.out.text.len());
    }

    fn stay(&mut self, written: &str) {
        self.out.text.push_str(written);
        self.note(written);
    }

    fn note(&mut self, written: &str) {
        if !self.out.unfilled.iter().any(|known| known == written) {
            self.out.unfilled.push(written.to_owned());
        }
    }

    fn finish(mut self) -> Rendered {
        let words = &self.arguments.words;
        let all = self.arguments.all(self.dialect);
        let unused = (0..words.len()).filter(|index| !self.used.contains(index));
        self.out.unused = unused.map(|index| format!("argument {}", index + 1)).collect();
        let vars = self.arguments.vars.iter().enumerate();
        let unused_vars = vars.filter(|(index, _)| !self.used.contains(&(words.len() + index)));
        self.out.unused.extend(unused_vars.map(|(_, (name, _))| name.clone()));
        if self.dialect == TemplateDialect::Claude && self.used.is_empty() && !all.is_empty() {
            self.out.text.push_str("\n\nARGUMENTS: ");
            self.insert(&all);
            self.out.appended = true;
        }
        self.out
    }
}

/// What stands for all arguments, behind its `$`.
const ALL: &str = "ARGUMENTS";

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits at the beginning, all of them.
fn digits(text: &str) -> Option<&str> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..length).filter(|digits| !digits.is_empty())
}

/// Whether this can be the name of a value: letters, digits and `_`, no digit first.
pub fn is_var_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty() && name.chars().all(is_word)
}

impl Rendered {
    /// The prompt in which nothing that was put in can make the client act: it would attach the file that `@path` names
    /// and run the command that a leading `/` names.
    pub fn inert(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + 16);
        if self.inserted.iter().any(|range| range.start == 0 && self.text.get(range.clone()).is_some_and(is_command)) {
            // Behind a line's end the client takes a slash for text.
            out.push('\n');
        }
        let mut inserted = self.inserted.iter().peekable();
        let mut before = None;
        for (at, c) in self.text.char_indices() {
            while inserted.next_if(|range| range.end <= at).is_some() {}
            let is_inserted = inserted.peek().is_some_and(|range| range.contains(&at));
            if c == '@' && is_inserted && before.is_none_or(may_begin_a_mention) {
                out.push('\\');
            }
            out.push(c);
            before = Some(c);
        }
        out
    }
}

fn is_command(text: &str) -> bool {
    text.starts_with('/')
}

/// Whether the client may read a mention behind this character. It does behind blanks, and behind signs of some other
/// scripts: so behind everything but what was seen to be safe.
fn may_begin_a_mention(before: char) -> bool {
    !before.is_ascii_graphic()
}
