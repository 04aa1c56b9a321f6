//! Whether a call did the work of a failed one in another form: another option, path, folder or program in front; and by
//! which words the two differ.

use super::place::{Root, is_path, is_same_name, last_part, replaces, stands_for, value_of};
use crate::history::Execution;
use crate::model::{Category, Operation, Reading, Tool, ToolKind};
use crate::programs::{self, Trait, base_name, known_call};
use crate::shell::{Command, Script};

/// What lies in how something is called, so that another form of the call may do the work.
pub const CATEGORIES: &[Category] = &[
    Category::BadArguments,
    Category::CommandNotFound,
    Category::PathNotFound,
    Category::ShellSyntax,
    Category::RemoteNotFound,
    Category::ToolUnavailable,
];
/// How many calls after the failure the other form may come.
pub const WITHIN: u64 = 5;
/// The same for a file of the same name elsewhere: its name alone says that it is the one which was wanted.
const WITHIN_BY_NAME: u64 = 10;

/// The most words of a failed call that its other form lacks, and the most that it adds.
const MOST_GONE: usize = 2;
const MOST_NEW: usize = 3;
/// The most words that stand in front of a program: a runner and its option, as in `python -m`.
const IN_FRONT: usize = 2;
/// The same in a lesson: `mise exec --`, `uv run --with httpx`.
const IN_FRONT_TOLD: usize = 4;

/// What stands in words for a number: pull requests and ports differ each time.
const NUMBER: &str = "{n}";

/// The words of a call, as other calls are compared with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenCall {
    words: Vec<String>,
    /// What starts the program and changes nothing of what it does, with its own words.
    around: Vec<String>,
    /// The variables that are set in front of it.
    variables: Vec<(String, String)>,
    is_file_tool: bool,
}

/// A failed call, as far as other forms of it are told by it.
#[derive(Debug, Clone)]
pub struct FailedForm {
    call: GivenCall,
    category: Category,
    error: String,
}

/// The words of a failed call that its other form lacks, and those that it has instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordDifference {
    /// The words that went, in their order.
    pub gone: Vec<String>,
    /// The words that came, in their order.
    pub new: Vec<String>,
}

impl FailedForm {
    /// A call whose failure lies in how it was called, by its operation; None for any other, and for more than one command.
    pub fn of(execution: &Execution) -> Option<Self> {
        let operation = execution.operation.as_ref()?;
        let is_file_tool = tool_and_target(operation, execution).is_some();
        Self::by(
            execution,
            GivenCall { words: words(operation, execution)?, around: Vec::new(), variables: Vec::new(), is_file_tool },
        )
    }

    /// The same by the words as they were given, which hold what the program was started by.
    pub fn as_given(execution: &Execution, root: &Root<'_>) -> Option<Self> {
        let call = GivenCall::as_given(execution, root)?;
        let target = call.words.iter().skip(1).filter(|_| call.is_file_tool).cloned().collect::<Vec<_>>().join("\n");
        let mut failed = Self::by(execution, call)?;
        // A file tool that misses its file need not say which: "File does not exist."
        if failed.category == Category::PathNotFound {
            failed.error = [failed.error, target].join("\n");
        }
        Some(failed)
    }

    fn by(execution: &Execution, call: GivenCall) -> Option<Self> {
        let reading = execution.reading.as_ref().filter(|reading| CATEGORIES.contains(&reading.category))?;
        Some(Self { call, category: reading.category, error: error(execution, reading) })
    }

    /// The call that failed.
    pub fn call(&self) -> &GivenCall {
        &self.call
    }

    /// Whether a call that succeeded does the same work in another form.
    pub fn is_replaced_by(&self, execution: &Execution) -> bool {
        let Some(operation) = execution.operation.as_ref() else { return false };
        let same_kind = self.call.is_file_tool == tool_and_target(operation, execution).is_some();
        same_kind && words(operation, execution).is_some_and(|words| self.is_done_by(&words))
    }

    /// By which words a call that was given so differs from this one, where it does the same work and the difference may be
    /// told to somebody else. Asks for more than [`FailedForm::is_replaced_by`]: what only happened beside it is no lesson.
    pub fn difference(&self, call: &GivenCall) -> Option<WordDifference> {
        // Where a variable was set besides, nobody knows whether the words helped.
        let is_set = |variable: &(String, String)| !self.call.variables.contains(variable);
        if self.call.is_file_tool != call.is_file_tool || call.variables.iter().any(is_set) {
            return None;
        }
        let (own, others) = (self.words_as_named(), call.words.as_slice());
        let (gone, new) = (places_without(&own, others), places_without(others, &own));
        // What starts another program is counted apart: `mise exec --` is one thing.
        let front = in_front(others, &own);
        let added = new.iter().filter(|place| **place >= front).count();
        let is_close = 2 * (own.len() - gone.len()) >= own.len() && gone.len() <= MOST_GONE && added <= MOST_NEW;
        if !is_close || gone.is_empty() && new.is_empty() || !is_same_work(&own, others) {
            return None;
        }
        let words = |words: &[String], places: &[usize]| -> Vec<String> {
            places.iter().filter_map(|place| words.get(*place)).cloned().collect()
        };
        if self.category == Category::PathNotFound || call.is_file_tool {
            return self.other_path(&words(&own, &gone), &words(others, &new));
        }
        let change = WordChange { failed: self, own: &own, others, gone: &gone, new: &new };
        if !change.is_explained() {
            return None;
        }
        let mut difference = WordDifference { gone: words(&own, &gone), new: words(others, &new) };
        // A program that was not found was mended by what stands in front of it.
        if gone.is_empty() && front > 0 {
            difference.new = words(others, &(0..front).collect::<Vec<_>>());
        }
        // A number that went with a word is that word's: `timeout 60` in front.
        if difference.gone.iter().any(|word| word != NUMBER) {
            difference.gone.retain(|word| word != NUMBER);
        }
        Some(difference)
    }

    /// Of a path that is missing the lesson is the path: which options stood beside it is the agent's own matter.
    fn other_path(&self, gone: &[String], new: &[String]) -> Option<WordDifference> {
        if self.category != Category::PathNotFound {
            return None;
        }
        let paths = |words: &[String]| words.iter().filter(|word| is_path(word)).cloned().collect::<Vec<_>>();
        let (gone, new) = (paths(gone), paths(new));
        let replacing = |path: &String| new.iter().find(|other| replaces(path, other));
        if !gone.iter().all(|path| replacing(path).is_some()) {
            return None;
        }
        let path = gone.iter().find(|path| self.names(path))?;
        let other = replacing(path)?;
        Some(WordDifference { gone: vec![value_of(path).to_owned()], new: vec![value_of(other).to_owned()] })
    }

    /// The words, with what the program was started by where the error is about that: `timeout: command not found`.
    fn words_as_named(&self) -> Vec<String> {
        let named = self.category == Category::CommandNotFound
            && self.call.around.first().is_some_and(|word| has_word(&self.error, word));
        let around = self.call.around.iter().filter(|_| named);
        around.chain(&self.call.words).cloned().collect()
    }

    /// Whether the error names a word of the call, or the option in it: `invalid option -- P`.
    fn is_named(&self, word: &str) -> bool {
        let option = word.split_once('=').map_or(word, |(option, _)| option);
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let is_letter = |letters: &str| {
            let named = |letter: char| {
                [" -- ", "option '", "option -"].iter().any(|before| {
                    let at = self.error.find(&format!("{before}{letter}"));
                    at.is_some_and(|at| {
                        !self.error[at + before.len() + letter.len_utf8()..].starts_with(char::is_alphanumeric)
                    })
                })
            };
            letters.chars().filter(char::is_ascii_alphabetic).any(named)
        };
        let bare = option.trim_start_matches('-');
        // `-timout`, as programs of Go have them: the error says it with its dash.
        let is_long = if option.starts_with("--") {
            has_word(&self.error, bare)
        } else {
            bare.len() > 3 && option.starts_with('-') && has_word(&self.error, option)
        };
        is_long || letters.is_some_and(is_letter) || !word.starts_with('-') && has_word(&self.error, last_part(word))
    }

    fn is_done_by(&self, words: &[String]) -> bool {
        let own = &self.call.words;
        if !has_program_of(own, words) {
            return false;
        }
        let (gone, new) = (without(own, words), without(words, own));
        // The same program by another path is no other word.
        let (gone, new) = (without_program(&gone, &new), without_program(&new, &gone));
        let kept = own.len() - gone.len();
        let is_close = 2 * kept >= own.len() && gone.len() <= MOST_GONE && new.len() <= MOST_NEW;
        let is_other = !(gone.is_empty() && new.is_empty() && own == words);
        is_close
            && is_other
            && (gone.is_empty() || gone.iter().any(|word| self.names(word)))
            && gone.iter().filter(|word| is_path(word)).all(|path| new.iter().any(|other| stands_for(path, other)))
    }

    /// Whether the error names a word of the call.
    fn names(&self, word: &str) -> bool {
        let (value, name) = (value_of(word), last_part(value_of(word)));
        [word, value, name].iter().any(|part| part.len() > 1 && self.error.contains(part))
    }
}

impl GivenCall {
    /// Its words, the program first.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// A single command, or another tool's call, as it was given; None where its end or a secret was taken out. Paths
    /// become relative to the root, numbers a mark.
    pub fn as_given(execution: &Execution, root: &Root<'_>) -> Option<Self> {
        let operation = execution.operation.as_ref()?;
        let cwd = execution.cwd.as_deref();
        let plain = |word: &String| masked(&root.relative_word(word, cwd));
        if let Some((tool, target)) = tool_and_target(operation, execution) {
            let is_file = matches!(Tool::named(tool).kind, ToolKind::Read | ToolKind::Edit | ToolKind::Write);
            let target: Vec<String> =
                if is_file { vec![target.to_owned()] } else { target.split_whitespace().map(str::to_owned).collect() };
            let words = std::iter::once(tool.to_owned()).chain(target.iter().map(plain)).collect();
            return Some(Self { words, around: Vec::new(), variables: Vec::new(), is_file_tool: true });
        }
        let input = execution.input.as_deref().filter(|_| !execution.input_altered)?;
        let script = Script::parse(input);
        let mut lines = script.pipelines.iter().filter(|pipeline| {
            !matches!(pipeline.commands.as_slice(), [only] if only.is(Trait::Prepares) && !only.writes_a_file())
        });
        let pipeline = lines.next().filter(|_| lines.next().is_none() && !script.incomplete)?;
        let (command, rest) = pipeline.commands.split_first()?;
        let is_single = rest.iter().all(|command| command.is(Trait::Displays)) && !command.raw.is_empty();
        let (around, front) = started_by(command, input)?;
        let words = front.iter().chain([&command.raw]).chain(&command.args).map(plain).collect();
        let (around, variables) = (around.iter().map(plain).collect(), command.assignments.clone());
        is_single.then_some(Self { words, around, variables, is_file_tool: false })
    }
}

impl WordDifference {
    /// How many calls after the failure it may come.
    pub fn within(&self) -> u64 {
        match (self.gone.as_slice(), self.new.as_slice()) {
            ([gone], [new]) if is_path(gone) && is_same_name(gone, new) => WITHIN_BY_NAME,
            _ => WITHIN,
        }
    }

    /// Whether all of it may be told to somebody else. A number that stood in the call is none of its words.
    pub(super) fn is_tellable(&self) -> bool {
        self.gone.iter().chain(&self.new).all(|word| is_plain_word(word))
    }
}

/// What a program is started by, as it was typed: first what changes nothing of what it does. None where that cannot be
/// found in the line.
pub(super) fn started_by(command: &Command, input: &str) -> Option<(Vec<String>, Vec<String>)> {
    let Some(first) = command.wrappers.first() else { return Some(Default::default()) };
    let typed: Vec<&str> = input.split_whitespace().collect();
    let name = |word: &str| last_part(word).to_owned();
    let first = first.split(' ').next().unwrap_or_default();
    let is_first =
        |word: &&str| name(word) == first || programs::find(base_name(word)).is_some_and(|it| it.words == first);
    let from = typed.iter().position(is_first)?;
    let until = typed.iter().skip(from + 1).position(|word| *word == command.raw)? + from + 1;
    let words = typed.get(from..until)?;
    let is_transparent = |wrapper: &&String| programs::find(wrapper).is_some_and(|it| it.has(Trait::Transparent));
    let around = command.wrappers.iter().take_while(is_transparent).count();
    // The first wrapper that does change something begins the words that count.
    let split = match command.wrappers.get(around) {
        Some(wrapper) => words.iter().position(|word| name(word) == wrapper.split(' ').next().unwrap_or_default())?,
        None => words.len(),
    };
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Some((owned(words.get(..split)?), owned(words.get(split..)?)))
}

/// What changed between a failed call and one that did its work.
struct WordChange<'a> {
    failed: &'a FailedForm,
    own: &'a [String],
    others: &'a [String],
    gone: &'a [usize],
    new: &'a [usize],
}

impl WordChange<'_> {
    /// Whether the error explains every word that went, and every word that came stands for one of them.
    fn is_explained(&self) -> bool {
        let goes = self.gone.iter().all(|place| self.goes_for_a_reason(*place));
        let comes = self.new.iter().all(|place| self.comes_for_a_reason(*place));
        // A program that is not there, or a line that cannot be read, is not mended by one option more.
        let only_adds = self.gone.is_empty()
            && (in_front(self.others, self.own) > 0 || self.failed.category == Category::BadArguments);
        let named = self.gone.iter().any(|place| self.failed.is_named(word(self.own, *place)));
        goes && comes && (named || only_adds)
    }

    fn goes_for_a_reason(&self, place: usize) -> bool {
        let gone = word(self.own, place);
        let named = || self.failed.is_named(gone);
        match role(self.own, place) {
            _ if place < in_front(self.own, self.others) => true,
            WordPart::Program => is_same_program(gone, word(self.others, 0)) || is_joined_from(gone, self.others),
            WordPart::Value if self.gone.contains(&(place - 1)) => true,
            WordPart::Option | WordPart::Value => named(),
            WordPart::Path => named() && self.came().any(|new| replaces(gone, new)),
            WordPart::Plain => gone == NUMBER || named() && self.came().any(|new| is_akin(gone, new)),
        }
    }

    fn comes_for_a_reason(&self, place: usize) -> bool {
        let new = word(self.others, place);
        match role(self.others, place) {
            _ if place < in_front(self.others, self.own) => true,
            WordPart::Program | WordPart::Option | WordPart::Value => true,
            WordPart::Path => self.went().any(|gone| replaces(gone, new)),
            // The subcommand that was left out: `ruff src`, `ruff check src`.
            WordPart::Plain if self.gone.is_empty() && place == 1 => {
                let call = self.others.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" ");
                known_call(&call).is_some_and(|known| known == call)
            }
            // What stands beside a word that is akin to the one that went belongs to it: `exec tsc`.
            WordPart::Plain => self.went().any(|gone| self.came().any(|new| is_akin(gone, new))),
        }
    }

    fn went(&self) -> impl Iterator<Item = &str> {
        self.gone.iter().map(|place| word(self.own, *place))
    }

    fn came(&self) -> impl Iterator<Item = &str> {
        self.new.iter().map(|place| word(self.others, *place))
    }
}

/// What a word of a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordPart {
    Program,
    Option,
    /// What follows an option that is spelt out, and may be its value.
    Value,
    Path,
    Plain,
}

fn role(words: &[String], place: usize) -> WordPart {
    let own = word(words, place);
    match place.checked_sub(1).map(|before| word(words, before)) {
        None => WordPart::Program,
        Some(_) if own.starts_with('-') => WordPart::Option,
        Some(_) if is_path(own) => WordPart::Path,
        Some(before) if before.starts_with("--") && before.len() > 2 && !before.contains('=') => WordPart::Value,
        Some(_) => WordPart::Plain,
    }
}

fn word(words: &[String], place: usize) -> &str {
    words.get(place).map(String::as_str).unwrap_or_default()
}

/// How many words stand in front of the program that others begin with.
fn in_front(words: &[String], others: &[String]) -> usize {
    let program = last_part(word(others, 0));
    let front = words.iter().skip(1).take(IN_FRONT_TOLD).position(|word| last_part(word) == program);
    match front {
        Some(at) if last_part(word(words, 0)) != program => at + 1,
        _ => 0,
    }
}

fn is_same_work(own: &[String], others: &[String]) -> bool {
    is_same_program(word(own, 0), word(others, 0))
        || is_joined_from(word(own, 0), others)
        || in_front(own, others) > 0
        || in_front(others, own) > 0
}

/// Whether a program became a subcommand: `docker-compose`, `docker compose`.
fn is_joined_from(program: &str, others: &[String]) -> bool {
    let two = others.split_at_checked(2).map(|(two, _)| two.join("-"));
    two.is_some_and(|two| last_part(program) == two)
}

/// Whether two names are of one program: `python`, `python3`.
fn is_same_program(one: &str, other: &str) -> bool {
    let known = |name: &str| programs::find(base_name(name)).map(|program| program.words);
    last_part(one) == last_part(other) || known(one).is_some() && known(one) == known(other)
}

/// Words for one purpose, of which a project has one and not another.
const AKIN: &[&[&str]] = &[
    &["typecheck", "tsc", "types", "mypy", "pyright", "typescript"],
    &["lint", "eslint", "clippy", "golangci", "ruff", "biome", "linter", "check"],
    &["test", "tests", "jest", "vitest", "pytest", "spec", "mocha"],
    &["format", "fmt", "prettier", "rustfmt", "gofmt"],
    &["build", "compile", "bundle"],
    &["dev", "start", "serve"],
    &["master", "main", "trunk", "develop"],
    &["generate", "gen", "codegen"],
    &["docs", "doc"],
];

/// The shortest beginning that makes two words akin.
const AKIN_BEGINNING: usize = 4;

/// Whether a word may be meant by another one: spelt much alike, or for the same purpose.
fn is_akin(one: &str, other: &str) -> bool {
    if one.starts_with('-') || other.starts_with('-') {
        return false;
    }
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
        parts.map(str::to_ascii_lowercase).collect()
    };
    let (parts_of_one, parts_of_other) = (parts(one), parts(other));
    let shared = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let has = |parts: &[String], words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
    // `unit`, `test:unit`
    let has_part = parts_of_one.iter().any(|part| part.len() >= AKIN_BEGINNING && parts_of_other.contains(part));
    shared >= AKIN_BEGINNING.min(one.len()).min(other.len()).max(3)
        || has_part
        || AKIN.iter().any(|words| has(&parts_of_one, words) && has(&parts_of_other, words))
}

/// Whether a text holds a word and not only letters of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    word.len() > 1
        && text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

/// The places of the words that others lack, each as often as it is missing.
fn places_without(words: &[String], others: &[String]) -> Vec<usize> {
    let mut left: Vec<&String> = others.iter().collect();
    let mut places = Vec::new();
    for (place, word) in words.iter().enumerate() {
        match left.iter().position(|other| *other == word) {
            Some(index) => drop(left.swap_remove(index)),
            None => places.push(place),
        }
    }
    places
}

/// The word with a mark for each number that only names something: all of it, or what has three digits and more.
fn masked(word: &str) -> String {
    let number = word.strip_prefix('#').unwrap_or(word).trim_end_matches(['s', 'm', 'h', 'd']);
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return NUMBER.to_owned();
    }
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(start) = rest.find(|sign: char| sign.is_ascii_digit()) {
        let digits = rest[start..].bytes().take_while(u8::is_ascii_digit).count();
        let (before, after) = (&rest[..start], &rest[start + digits..]);
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let joins = before.ends_with(is_name) || after.starts_with(is_name);
        out.push_str(before);
        out.push_str(if digits >= 3 && !joins { NUMBER } else { &rest[start..start + digits] });
        rest = after;
    }
    out + rest
}

/// Whether a word may be told: short, of letters and the signs of options, names and paths, and about no one occasion.
pub fn is_plain_word(word: &str) -> bool {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./:=,@%+~".contains(sign);
    let is_elsewhere =
        word.starts_with(['/', '~']) || value_of(word).starts_with(['/', '~']) || word.contains("worktrees/");
    !word.is_empty() && word.len() <= LONGEST_WORD && word.chars().all(is_plain) && !is_elsewhere
}

/// The longest word that is told, in bytes.
const LONGEST_WORD: usize = 100;

/// The words of a single command, or those of another tool's call: its name and what it was given.
fn words(operation: &Operation, execution: &Execution) -> Option<Vec<String>> {
    if let Some((tool, target)) = tool_and_target(operation, execution) {
        return Some(std::iter::once(tool).chain(target.split_whitespace()).map(str::to_owned).collect());
    }
    let script = Script::parse(&operation.0);
    let [pipeline] = script.pipelines.as_slice() else { return None };
    let [command] = pipeline.commands.as_slice() else { return None };
    let words = std::iter::once(&command.raw).chain(&command.args).cloned();
    Some(words.collect()).filter(|_| !script.incomplete && !command.raw.is_empty())
}

/// The tool and what it was given, of a call that is no shell command.
fn tool_and_target<'a>(operation: &'a Operation, execution: &Execution) -> Option<(&'a str, &'a str)> {
    operation.0.split_once(':').filter(|(tool, _)| execution.tool.as_deref() == Some(tool))
}

fn error(execution: &Execution, reading: &Reading) -> String {
    let objects = reading.objects.iter().map(|object| object.name.as_str());
    let texts = reading.line.as_deref().into_iter().chain(execution.text.as_deref()).chain(objects);
    texts.collect::<Vec<_>>().join("\n")
}

/// Whether both run the same program, or one of them behind a word or two in front.
fn has_program_of(words: &[String], others: &[String]) -> bool {
    let name = |words: &[String]| words.first().map(|word| last_part(word).to_owned());
    let behind = |words: &[String], of: &Option<String>| {
        words.iter().skip(1).take(IN_FRONT).any(|word| of.as_deref() == Some(last_part(word)))
    };
    let (program, other) = (name(words), name(others));
    program == other || behind(words, &other) || behind(others, &program)
}

/// The words that others lack, each as often as it is missing.
fn without<'a>(words: &'a [String], others: &[String]) -> Vec<&'a str> {
    places_without(words, others).into_iter().map(|place| word(words, place)).collect()
}

/// Without the first word where others begin with the same program by another path.
fn without_program<'a>(words: &[&'a str], others: &[&str]) -> Vec<&'a str> {
    let same = words.first().zip(others.first()).is_some_and(|(word, other)| {
        (word.contains('/') || other.contains('/')) && last_part(word) == last_part(other) && !word.contains('.')
    });
    words.iter().skip(usize::from(same)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Outcome;
    use crate::signature::operation_of_command;

    fn shell(command: &str) -> Execution {
        Execution {
            tool: Some("Bash".to_owned()),
            operation: Some(operation_of_command(command)),
            outcome: Some(Outcome::Succeeded),
            ..Execution::default()
        }
    }

    fn tool(name: &str, target: &str) -> Execution {
        let operation = Some(Operation(format!("{name}:{target}")));
        Execution { tool: Some(name.to_owned()), operation, ..Execution::default() }
    }

    fn failed(execution: Execution, category: Category, error: &str) -> Option<FailedForm> {
        let reading = Reading { category, line: Some(error.to_owned()), ..Reading::unrecognised() };
        FailedForm::of(&Execution { reading: Some(reading), ..execution })
    }

    #[test]
    fn another_form_of_the_call_does_its_work() {
        use Category as C;
        for (call, category, error, other) in [
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr diff 104 --name-only"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr diff 104"),
            ("rg x src/a.rs", C::PathNotFound, "src/a.rs: No such file", "rg x lib/a.rs"),
            ("rg x src/deep/er", C::PathNotFound, "src/deep/er: No such file", "rg x src/deep"),
            ("cat .golangci.yml", C::PathNotFound, "cat: .golangci.yml: No such file", "cat .golangci.yaml"),
            ("beds check a.py", C::CommandNotFound, "beds: command not found", "garden beds check a.py"),
            ("beds check a.py", C::CommandNotFound, "beds: command not found", "./tools/beds check a.py"),
            ("head --lines 3 notes.txt", C::BadArguments, "illegal option --lines", "head -n 3 notes.txt"),
        ] {
            let failed = failed(shell(call), category, error).unwrap();
            assert!(failed.is_replaced_by(&shell(other)), "{call} -> {other}");
        }
        let read = failed(tool("Read", "/srv/logging/logging.go"), C::PathNotFound, "File does not exist.").unwrap();
        assert!(!read.is_replaced_by(&tool("Read", "/srv/logging/logger.go")), "neither stem nor name nor folder");
        let named = "File does not exist: /srv/commands/resume.go";
        let read = failed_read(named);
        assert!(read.is_replaced_by(&tool("Read", "/srv/resume.go")));
    }

    fn failed_read(error: &str) -> FailedForm {
        failed(tool("Read", "/srv/commands/resume.go"), Category::PathNotFound, error).unwrap()
    }

    #[test]
    fn a_subcommand_is_a_form_and_a_variable_in_front_makes_it_none() {
        let root = Root(None);
        let as_run = |line: &str| Execution { input: Some(line.to_owned()), ..shell(line) };
        let between = |fails: &str, error: &str, category, passes: &str| {
            let reading = Reading { category, line: Some(error.to_owned()), ..Reading::unrecognised() };
            let failed = FailedForm::as_given(&Execution { reading: Some(reading), ..as_run(fails) }, &root).unwrap();
            let found = failed.difference(&GivenCall::as_given(&as_run(passes), &root).unwrap())?;
            Some((found.gone.join(" "), found.new.join(" ")))
        };
        let some = |gone: &str, new: &str| Some((gone.to_owned(), new.to_owned()));
        let not_found = "docker-compose: command not found";
        let compose = between("docker-compose ps", not_found, Category::CommandNotFound, "docker compose ps");
        assert_eq!(compose, some("docker-compose", "docker compose"));
        let unknown = "error: unrecognized subcommand 'src'";
        assert_eq!(between("ruff src", unknown, Category::BadArguments, "ruff check src"), some("", "check"));
        assert_eq!(between("ruff src", unknown, Category::BadArguments, "ruff chekc src"), None);
        let option = "Error: unknown option --prod";
        assert_eq!(between("./x --prod", option, Category::BadArguments, "STAGE=blue ./x"), None);
        assert_eq!(between("A=1 ./x --prod", option, Category::BadArguments, "A=1 ./x"), some("--prod", ""));
    }

    #[test]
    fn what_only_looks_like_another_form_does_not() {
        use Category as C;
        for (call, category, error, other) in [
            // The word that went is not the one that the error names.
            ("make chart FAST=1", C::BadArguments, "No rule to make target 'chart'", "make chart SLOW=1"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr view 104 --json x --jq y"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "gh pr diff 104 && gh pr view"),
            ("gh pr diff 104 --stat", C::BadArguments, "unknown flag: --stat", "git diff --name-only"),
            ("rg x src/a.rs", C::PathNotFound, "src/a.rs: No such file", "rg x lib/b.rs"),
            ("rg x src/a.rs", C::PathNotFound, "src/a.rs: No such file", "rg x src/a.rs"),
            ("cat a b c d", C::PathNotFound, "cat: a: No such file", "cat e f g d"),
        ] {
            let failed = failed(shell(call), category, error).unwrap();
            assert!(!failed.is_replaced_by(&shell(other)), "{call} -> {other}");
        }
        assert!(failed(shell("cargo test"), C::TestFailure, "a").is_none(), "a check is no matter of words");
        assert!(failed(shell("cd x; ls a && ls b"), C::PathNotFound, "ls: a").is_none(), "two commands");
        assert!(!failed_read("File does not exist: /srv/commands/resume.go").is_replaced_by(&shell("cat resume.go")));
    }
}
