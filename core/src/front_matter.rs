//! The YAML block at the head of a file, read field by field.
//!
//! The block is cut at the lines that begin a field, and only the fields that are asked for are parsed. So a field that
//! is no YAML (an unquoted colon in an intent, say) costs that field and no other, and a long block costs what is used.

use std::{ops::Range, sync::OnceLock};

use memchr::memchr;
use saphyr_parser::{Event, Parser, ScalarStyle};

/// The most fields of a block that are looked at.
const MOST_FIELDS: usize = 128;
/// The most values in one field.
const MOST_VALUES: usize = 2_048;
/// How deep the values of one field may be nested.
const DEEPEST: usize = 8;

/// What is wrong with a block or a field, and in which line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl Trouble {
    fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// A value as YAML states it. Scalars stay words: what they mean is up to the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlValue {
    /// Nothing.
    Null,
    /// A word, a number or a text, as it is written.
    Word(String),
    /// A list.
    List(Vec<YamlValue>),
    /// Keys and their values, in the order of the file.
    Map(Vec<(String, YamlValue)>),
}

impl YamlValue {
    /// The word, where this is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The value under a key, where this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(pairs) => pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The items of a list; a single value is a list of one, nothing is a list of none.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Null => &[],
            Self::List(items) => items,
            single => std::slice::from_ref(single),
        }
    }
}

/// A block; cut into fields when the first is asked for.
#[derive(Debug)]
pub struct FrontMatter {
    block: String,
    /// Before the fields a bit for each length that a key has: most keys that are asked for are not there.
    fields: OnceLock<(u64, Vec<FrontField>)>,
}

/// In 32 bits, as a plan has thousands of pages.
#[derive(Debug)]
struct FrontField {
    key: Range<u32>,
    text: Range<u32>,
    line: u32,
}

impl FrontMatter {
    /// The block between the first two lines of three dashes. The file must begin with the first.
    pub fn of(file: &str) -> Result<Self, Trouble> {
        let text = file.strip_prefix('\u{feff}').unwrap_or(file);
        let (_, rest) =
            first_line(text).filter(|(first, _)| is_fence(first)).ok_or_else(|| Trouble::new(1, "no front matter"))?;
        let length = length_to_fence(rest).ok_or_else(|| Trouble::new(1, "the front matter is not closed"))?;
        let block = rest.get(..length).unwrap_or_default().to_owned();
        Ok(Self { block, fields: OnceLock::new() })
    }

    /// A block that was cut out of its file already.
    pub fn of_block(block: &str) -> Self {
        let ended = if block.ends_with('\n') { "" } else { "\n" };
        Self { block: [block, ended].concat(), fields: OnceLock::new() }
    }

    /// Whether any of these words is anywhere in the block.
    pub(crate) fn mentions(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.block.contains(word))
    }

    /// The first line of the file's head in which a merge left its marks.
    pub fn conflict(&self) -> Option<usize> {
        memchr::memchr2(b'<', b'>', self.block.as_bytes())?;
        let is_mark = |line: &str| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>");
        self.block.lines().position(is_mark).map(|at| at + 2)
    }

    /// The head of the file again, between its fences.
    pub fn page(&self) -> String {
        format!("---\n{}---\n", self.block)
    }

    /// A field's value; the first of its name counts. None when it is not there or says nothing.
    pub fn value(&self, key: &str) -> Result<Option<YamlValue>, Trouble> {
        let Some(field) = self.field(key) else { return Ok(None) };
        if let Some(value) = plain(self.after_key(field)) {
            return Ok(Some(value).filter(|value| *value != YamlValue::Null));
        }
        let line = field.line as usize;
        let YamlValue::Map(pairs) = parse(self.part(&field.text), line)? else {
            return Err(Trouble::new(line, format!("`{key}` is not a field")));
        };
        Ok(pairs.into_iter().next().map(|(_, value)| value).filter(|value| *value != YamlValue::Null))
    }

    /// The line in which a field begins.
    pub fn line(&self, key: &str) -> usize {
        self.field(key).map_or(1, |field| field.line as usize)
    }

    fn field(&self, key: &str) -> Option<&FrontField> {
        let bit = |length: usize| 1_u64 << length.min(63);
        let (lengths, all) = self.fields.get_or_init(|| {
            let all = cut(&self.block);
            (all.iter().fold(0, |bits, field| bits | bit(field.key.len())), all)
        });
        let is_it = |field: &&FrontField| field.key.len() == key.len() && self.part(&field.key) == key;
        if lengths & bit(key.len()) == 0 { None } else { all.iter().find(is_it) }
    }

    fn after_key(&self, field: &FrontField) -> &str {
        self.part(&(field.key.end..field.text.end)).trim_start_matches(['"', '\'']).trim_start()
    }

    fn part(&self, range: &Range<u32>) -> &str {
        self.block.get(range.start as usize..range.end as usize).unwrap_or_default()
    }
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// How long the block is, up to the line that ends it; None where none does.
pub fn length_to_fence(rest: &str) -> Option<usize> {
    let is_end = |at: &usize| {
        let rest = rest.get(*at..).unwrap_or_default();
        rest.starts_with("---") && is_fence(first_line(rest).map_or(rest, |(first, _)| first))
    };
    let begins = memchr::memmem::find_iter(rest.as_bytes(), b"\n---").map(|at| at + 1);
    std::iter::once(0).chain(begins).find(is_end)
}

/// A text's first line, and what is behind it; None where no line ends.
fn first_line(text: &str) -> Option<(&str, &str)> {
    let (line, rest) = text.split_at_checked(memchr(b'\n', text.as_bytes())?)?;
    Some((line, rest.get(1..)?))
}

/// Cuts a block at the lines that begin a field. The block's first line is line 2 of its file.
fn cut(block: &str) -> Vec<FrontField> {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut fields: Vec<FrontField> = Vec::with_capacity(16);
    let mut at = 0;
    for (line_number, line) in (2..).zip(block.split_inclusive('\n')) {
        let text = place(at)..place(at + line.len());
        match key_of(line) {
            Some(_) if fields.len() == MOST_FIELDS => break,
            Some(key) => {
                let key = place(at + key.start)..place(at + key.end);
                fields.push(FrontField { key, text, line: line_number });
            }
            None => fields.last_mut().into_iter().for_each(|field| field.text.end = text.end),
        }
        at += line.len();
    }
    fields
}

/// Where a line that begins a field has its key, without quotes.
pub fn key_of(line: &str) -> Option<Range<usize>> {
    let bytes = line.as_bytes();
    if matches!(bytes.first()?, b' ' | b'\t' | b'-' | b'#' | b'[' | b']' | b'{' | b'}' | b',' | b'\r' | b'\n') {
        return None;
    }
    let colon = bytes.iter().position(|byte| *byte == b':')?;
    if !matches!(bytes.get(colon + 1), None | Some(b' ' | b'\t' | b'\r' | b'\n')) {
        return None;
    }
    let bare = line.get(..colon)?.trim_end();
    let quoted = bare.len() >= 2 && bare.starts_with(['"', '\'']) && bare.ends_with(['"', '\'']);
    Some(if quoted { 1..bare.len() - 1 } else { 0..bare.len() })
}

/// The value of a field that is one plain word or a list of them in brackets, on one line, or a list of words and of
/// mappings to such values, one a line: most fields are, and for them the parser's answer is known. None for everything else.
fn plain(after_key: &str) -> Option<YamlValue> {
    let (line, rest) = first_line(after_key.strip_prefix(':')?)?;
    if rest.trim().is_empty() {
        return plain_value(line.strip_prefix(' ')?.trim());
    }
    if line.trim_matches(' ').is_empty() { plain_items(rest) } else { None }
}

fn plain_value(text: &str) -> Option<YamlValue> {
    match text.strip_prefix('[') {
        None => plain_word(text),
        Some(list) => plain_list(list.strip_suffix(']')?.trim()),
    }
}

/// `- word` or `- key: value`, and below the latter more of its keys.
fn plain_items(lines: &str) -> Option<YamlValue> {
    let indent = lines.len() - lines.trim_start_matches(' ').len();
    let mut items = Vec::new();
    for line in lines.split_terminator('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches(' ');
        let (before, line) = line.split_at_checked(indent)?;
        if !before.bytes().all(|byte| byte == b' ') {
            return None;
        }
        if let Some(item) = line.strip_prefix("- ") {
            items.push(match plain_pair(item) {
                Some(pair) => YamlValue::Map(vec![pair]),
                None => plain_word(item)?,
            });
        } else {
            let YamlValue::Map(pairs) = items.last_mut()? else { return None };
            pairs.push(plain_pair(line.strip_prefix("  ")?)?);
        }
    }
    Some(YamlValue::List(items))
}

fn plain_pair(text: &str) -> Option<(String, YamlValue)> {
    let (key, value) = text.split_once(':').and_then(|(key, rest)| Some((key, rest.strip_prefix(' ')?)))?;
    let YamlValue::Word(key) = plain_word(key).filter(|_| !key.starts_with('"') && !key.ends_with(' '))? else {
        return None;
    };
    Some((key, plain_value(value.trim_start_matches(' '))?))
}

fn plain_list(words: &str) -> Option<YamlValue> {
    if words.is_empty() {
        return Some(YamlValue::List(Vec::new()));
    }
    words.split(',').map(|word| plain_word(word.trim())).collect::<Option<_>>().map(YamlValue::List)
}

/// Words that YAML could not read differently: they begin with a letter or digit and go on without signs that mean
/// something to YAML, or are in quotes without any sign that means something there.
fn plain_word(word: &str) -> Option<YamlValue> {
    if let Some(quoted) = word.strip_prefix('"') {
        let inner = quoted.strip_suffix('"')?;
        let is_plain = inner.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'));
        return is_plain.then(|| scalar(inner, ScalarStyle::DoubleQuoted));
    }
    let begins = word.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b'_' | b'/' | b'-');
    (begins && word.bytes().all(is_plain)).then(|| scalar(word, ScalarStyle::Plain))
}

/// Parses one field. Aliases are refused, not followed: an alias of an alias is how a small file becomes a large value.
fn parse(text: &str, line: usize) -> Result<YamlValue, Trouble> {
    let mut tree = ValueTree::default();
    for (count, event) in Parser::new_from_str(text).enumerate() {
        let (event, span) = event
            .map_err(|error| Trouble::new(line + error.marker().line().saturating_sub(1), error.info().to_owned()))?;
        let here = line + span.start.line().saturating_sub(1);
        if count > MOST_VALUES {
            return Err(Trouble::new(here, "too many values"));
        }
        tree.take(event).map_err(|what| Trouble::new(here, what))?;
    }
    Ok(tree.root.unwrap_or(YamlValue::Null))
}

/// A value while its events arrive.
#[derive(Default)]
struct ValueTree {
    open: Vec<OpenValue>,
    root: Option<YamlValue>,
}

enum OpenValue {
    List(Vec<YamlValue>),
    Map(Vec<(String, YamlValue)>, Option<String>),
}

impl ValueTree {
    fn take(&mut self, event: Event<'_>) -> Result<(), &'static str> {
        match event {
            Event::Scalar(word, style, ..) => self.put(scalar(&word, style)),
            Event::SequenceStart(..) => self.enter(OpenValue::List(Vec::new())),
            Event::MappingStart(..) => self.enter(OpenValue::Map(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => self.leave(),
            Event::Alias(_) => Err("aliases are not read"),
            _ => Ok(()),
        }
    }

    fn enter(&mut self, open: OpenValue) -> Result<(), &'static str> {
        if self.open.len() >= DEEPEST {
            return Err("nested too deep");
        }
        self.open.push(open);
        Ok(())
    }

    fn leave(&mut self) -> Result<(), &'static str> {
        match self.open.pop() {
            Some(OpenValue::List(items)) => self.put(YamlValue::List(items)),
            Some(OpenValue::Map(pairs, _)) => self.put(YamlValue::Map(pairs)),
            None => Ok(()),
        }
    }

    fn put(&mut self, value: YamlValue) -> Result<(), &'static str> {
        match self.open.last_mut() {
            Some(OpenValue::List(items)) => items.push(value),
            Some(OpenValue::Map(pairs, key)) => match key.take() {
                Some(key) => pairs.push((key, value)),
                None => *key = Some(key_word(value)?),
            },
            None => self.root = self.root.take().or(Some(value)),
        }
        Ok(())
    }
}

fn key_word(value: YamlValue) -> Result<String, &'static str> {
    match value {
        YamlValue::Word(word) => Ok(word),
        YamlValue::Null => Ok(String::new()),
        _ => Err("a key must be a word"),
    }
}

fn scalar(word: &str, style: ScalarStyle) -> YamlValue {
    match word {
        "" | "~" | "null" | "Null" | "NULL" if style == ScalarStyle::Plain => YamlValue::Null,
        word => YamlValue::Word(word.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FrontMatter, YamlValue};

    fn value(block: &str, key: &str) -> Option<YamlValue> {
        FrontMatter::of(&format!("---\n{block}\n---\nbody: no\n")).unwrap().value(key).unwrap()
    }

    fn trouble(block: &str, key: &str) -> (usize, String) {
        let trouble = FrontMatter::of(&format!("---\n{block}\n---\n")).unwrap().value(key).unwrap_err();
        (trouble.line, trouble.what)
    }

    fn word(word: &str) -> YamlValue {
        YamlValue::Word(word.to_owned())
    }

    #[test]
    fn a_list_of_mappings_needs_no_parser() {
        let lines = ":\n  - path: src/a.rs\n    functions: [run, stop]\n  - path: \"b c\"\n  - d.rs\n";
        let pair = |key: &str, value| (key.to_owned(), value);
        let functions = YamlValue::List(vec![word("run"), word("stop")]);
        let items = vec![
            YamlValue::Map(vec![pair("path", word("src/a.rs")), pair("functions", functions)]),
            YamlValue::Map(vec![pair("path", word("b c"))]),
            word("d.rs"),
        ];
        assert_eq!(super::plain(lines), Some(YamlValue::List(items)));
    }

    #[test]
    fn a_field_is_found_by_its_key() {
        let block = "id: TASK-1\nintent: \"Weigh: a parcel\"\n'tier': 4\nparent: ~\nempty:\nnote: 'null'";
        assert_eq!(value(block, "id"), Some(word("TASK-1")));
        assert_eq!(value(block, "intent"), Some(word("Weigh: a parcel")));
        assert_eq!(value(block, "tier"), Some(word("4")));
        assert_eq!(value(block, "parent"), None);
        assert_eq!(value(block, "empty"), None);
        assert_eq!(value(block, "note"), Some(word("null")));
        assert_eq!(value(block, "body"), None);
        assert_eq!(value(block, "ID"), None);
    }

    #[test]
    fn lists_have_three_forms() {
        for block in ["a: [x, y]", "a:\n  - x\n  - y", "a:\n- x\n- y", "a: [\n  x,\n  y\n ]", "a: [x, y] # why\n# more"]
        {
            assert_eq!(value(block, "a"), Some(YamlValue::List(vec![word("x"), word("y")])), "{block}");
        }
        let maps = YamlValue::List(vec![YamlValue::Map(vec![("path".into(), word("x"))])]);
        assert_eq!(value("a: [{path: x}]", "a"), Some(maps.clone()));
        assert_eq!(value("a:\n  - path: x\nb: 1", "a"), Some(maps));
    }

    #[test]
    fn the_first_of_two_fields_counts() {
        assert_eq!(value("status: active\nstatus: done", "status"), Some(word("active")));
    }

    #[test]
    fn carriage_returns_are_line_ends() {
        let file = "\u{feff}---\r\nid: A-1\r\nlist:\r\n  - x\r\n---\r\n";
        let block = FrontMatter::of(file).unwrap();
        assert_eq!(block.value("id").unwrap(), Some(word("A-1")));
        assert_eq!(block.value("list").unwrap(), Some(YamlValue::List(vec![word("x")])));
    }

    #[test]
    fn a_broken_field_spoils_no_other() {
        let block = "id: A-1\nintent: Mend: the scale\nartifacts: [a, b\nstatus: active";
        assert_eq!(value(block, "id"), Some(word("A-1")));
        assert_eq!(value(block, "status"), Some(word("active")));
        assert_eq!(trouble(block, "intent").0, 3);
        assert!((4..=5).contains(&trouble(block, "artifacts").0));
    }

    #[test]
    fn bombs_and_towers_are_refused() {
        let (line, what) = trouble("id: A\na: &x [1]\nb:\n  - *x\n  - *x", "b");
        assert_eq!((line, what.is_empty()), (5, false));
        assert_eq!(trouble("a: [&x [1], *x]", "a").1, "aliases are not read");
        let tower = format!("a: {}1{}", "[".repeat(9), "]".repeat(9));
        assert_eq!(trouble(&tower, "a").1, "nested too deep");
        let wide = format!("a: [{}]", "1,".repeat(3_000));
        assert_eq!(trouble(&wide, "a").1, "too many values");
        assert_eq!(trouble("a:\n  [x]: y", "a").1, "a key must be a word");
    }

    #[test]
    fn blocks_without_fences_are_told() {
        assert_eq!(FrontMatter::of("id: A\n---\n").unwrap_err().what, "no front matter");
        assert_eq!(FrontMatter::of("").unwrap_err().what, "no front matter");
        assert_eq!(FrontMatter::of("---\nid: A\n").unwrap_err().what, "the front matter is not closed");
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(---\n)?([a-z:\\[\\]{}&*!|>'\"#, \n-]|\\PC){0,200}(\n---\n)?", key in "[a-z]{1,2}") {
            if let Ok(block) = FrontMatter::of(&text) {
                let _ = block.value(&key);
                for field in super::cut(&block.block) {
                    let _ = block.value(block.part(&field.key));
                }
            }
        }

        #[test]
        fn a_plain_list_says_what_the_parser_says(after_key in ": ?\n(( |  )?(- )?(- |  )(path|a b|null|\"a\"|-|x)?(: | :|:)?(null|~|\\[a, b\\]|\"a: \"|src/a.rs|a -|#| x|\t)? ?\r?\n){0,4}( x\n)?") {
            if let Some(value) = super::plain(&after_key) {
                let parsed = super::parse(&format!("key{after_key}"), 2);
                prop_assert_eq!(parsed, Ok(YamlValue::Map(vec![("key".to_owned(), value)])));
            }
        }

        #[test]
        fn the_short_way_says_what_the_parser_says(after_key in ":( |  )?\\[?( ?[A-Za-z0-9][A-Za-z0-9._/-]{0,6} ?,?| ?null|~| ?\"a\"| ?\"[a: #,'-]{0,4}\"|#|- |: |&|\t){0,4}\\]?[ \r]?\n{1,2}( x\n)?") {
            if let Some(value) = super::plain(&after_key) {
                let parsed = super::parse(&format!("key{after_key}"), 2);
                prop_assert_eq!(parsed, Ok(YamlValue::Map(vec![("key".to_owned(), value)])));
            }
        }

        #[test]
        fn plain_words_come_back(pairs in prop::collection::btree_map("[a-z][a-z_]{0,8}", "[A-Za-z0-9./-]{1,12}x", 1..12)) {
            let lines: Vec<String> = pairs.iter().map(|(key, word)| format!("{key}: {word}")).collect();
            let block = lines.join("\n");
            for (key, text) in &pairs {
                prop_assume!(!text.starts_with('-'));
                prop_assert_eq!(value(&block, key), Some(word(text)));
            }
        }
    }
}
