//! A node's file as bytes whose front matter is changed field by field. What is not the value of a changed field stays as
//! it is: line ends, a byte order mark, comments, blanks, unknown fields and the body.

use std::ops::Range;

use crate::front_matter::{key_of, length_to_fence};

/// A file with front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    bytes: Vec<u8>,
    /// The lines between the fences.
    block: Range<usize>,
}

/// Where a field is in a file.
struct FieldPlace {
    /// Its lines, without the blank lines and comments behind them.
    lines: Range<usize>,
    /// Its value: empty where there is none on the key's line.
    value: Range<usize>,
    /// The end of the key's line, its line end included.
    first_line_ends: usize,
}

impl Document {
    /// Takes a file. None where it does not begin with front matter, or its front matter is no UTF-8.
    pub(super) fn of(bytes: Vec<u8>) -> Option<Self> {
        let begins = bytes.iter().position(|byte| *byte == b'\n')? + 1;
        let first = str::from_utf8(bytes.get(..begins)?).ok()?;
        if first.trim_start_matches('\u{feff}').trim_end() != "---" {
            return None;
        }
        let rest = bytes.get(begins..)?;
        // The body may be in any encoding: only what comes before the first byte that is no UTF-8 is looked at.
        let valid = match str::from_utf8(rest) {
            Ok(text) => text,
            Err(error) => str::from_utf8(rest.get(..error.valid_up_to())?).ok()?,
        };
        let block = begins..begins + length_to_fence(valid)?;
        Some(Self { bytes, block })
    }

    /// The whole file.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Gives a field a value, in YAML as it is to be there. A field that is not there comes last.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        let value = &*value.replace('\n', self.line_end());
        let Some(place) = self.place(key) else {
            let space = if value.starts_with(['\r', '\n']) { "" } else { " " };
            let line = format!("{key}:{space}{value}{}", self.line_end());
            return self.replace(self.block.end..self.block.end, &line);
        };
        // What goes on in further lines goes with the value.
        self.replace(place.first_line_ends..place.lines.end, "");
        let is_joined = self.byte(place.value.start.wrapping_sub(1)) == Some(b':') && !value.starts_with(['\r', '\n']);
        let space = if is_joined { " " } else { "" };
        self.replace(place.value, &format!("{space}{value}"));
    }

    /// Takes a field away, with its lines.
    pub(super) fn remove(&mut self, key: &str) {
        if let Some(place) = self.place(key) {
            self.replace(place.lines, "");
        }
    }

    /// Puts a line into the body: behind the list below `heading`, or at the end with the heading before it.
    pub(super) fn append(&mut self, heading: &str, line: &str) {
        let end = self.line_end();
        let mut at = None;
        for range in self.body_lines() {
            let text = self.line(&range);
            if at.is_none() && text.trim_end() == heading || at.is_some() && text.starts_with(['-', ' ', '\t']) {
                at = Some(range.end);
            } else if at.is_some() {
                break;
            }
        }
        let is_whole = self.bytes.last() == Some(&b'\n');
        let joint = if is_whole { "" } else { end };
        let gap = if heading.starts_with('#') { end } else { "" };
        let (at, text) = match at {
            Some(at) if at < self.bytes.len() => (at, format!("{line}{end}")),
            Some(at) => (at, format!("{joint}{line}{end}")),
            None => (self.bytes.len(), format!("{joint}{gap}{heading}{end}{line}{end}")),
        };
        self.bytes.splice(at..at, text.bytes());
    }

    /// Takes lines out of the body; how many.
    pub(super) fn drop_lines(&mut self, is_it: impl Fn(&str) -> bool) -> usize {
        let lines: Vec<Range<usize>> = self.body_lines().into_iter().filter(|line| is_it(&self.line(line))).collect();
        for range in lines.iter().rev() {
            self.bytes.drain(range.clone());
        }
        lines.len()
    }

    /// The lines behind the front matter, with their ends.
    fn body_lines(&self) -> Vec<Range<usize>> {
        let mut at = self.block.end;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let lines = rest.split_inclusive(|byte| *byte == b'\n').map(|line| {
            at += line.len();
            at - line.len()..at
        });
        // The first one ends the front matter.
        lines.skip(1).collect()
    }

    fn line(&self, range: &Range<usize>) -> String {
        String::from_utf8_lossy(self.bytes.get(range.clone()).unwrap_or_default()).into_owned()
    }

    fn replace(&mut self, range: Range<usize>, text: &str) {
        self.block.end = self.block.end + text.len() - range.len();
        self.bytes.splice(range, text.bytes());
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn text(&self) -> &str {
        self.bytes.get(self.block.clone()).and_then(|block| str::from_utf8(block).ok()).unwrap_or_default()
    }

    fn line_end(&self) -> &'static str {
        let first = self.bytes.iter().position(|byte| *byte == b'\n').unwrap_or_default();
        if self.byte(first.wrapping_sub(1)) == Some(b'\r') { "\r\n" } else { "\n" }
    }

    /// The first field of this name.
    fn place(&self, key: &str) -> Option<FieldPlace> {
        let (text, begins) = (self.text(), self.block.start);
        let mut at = 0;
        let mut lines = text.split_inclusive('\n');
        let (line, key) = loop {
            let line = lines.next()?;
            match key_of(line) {
                Some(found) if line.get(found.clone()) == Some(key) => break (line, found),
                _ => at += line.len(),
            }
        };
        let (start, first_line_ends) = (at, at + line.len());
        let mut end = first_line_ends;
        let mut reached = first_line_ends;
        for more in lines.take_while(|line| key_of(line).is_none()) {
            reached += more.len();
            if goes_on(more) {
                end = reached;
            }
        }
        let value = value_in(line, key.end);
        Some(FieldPlace {
            lines: begins + start..begins + end,
            value: begins + start + value.start..begins + start + value.end,
            first_line_ends: begins + first_line_ends,
        })
    }
}

/// Whether a line without a key belongs to the value before it: it is neither blank nor a comment.
fn goes_on(line: &str) -> bool {
    !matches!(line.trim_start().chars().next(), None | Some('#'))
}

/// Where the value is in the line of its key: without the blanks before it, a comment behind it, and the line end.
fn value_in(line: &str, key_ends: usize) -> Range<usize> {
    let bare = line.trim_end();
    let colon = bare.get(key_ends..).and_then(|rest| rest.find(':')).map_or(bare.len(), |at| key_ends + at + 1);
    let rest = bare.get(colon..).unwrap_or_default();
    let value = rest.trim_start();
    let begins = bare.len() - value.len();
    if value.is_empty() || value.starts_with('#') {
        return colon..colon;
    }
    begins..begins + length_of_value(value)
}

/// How long a value is that is followed by nothing but a comment.
fn length_of_value(value: &str) -> usize {
    let mut quote = None;
    let mut before = None;
    let mut escaped = false;
    for (at, c) in value.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (None, '#') if before.is_some_and(char::is_whitespace) => {
                return value.get(..at).map_or(at, |value| value.trim_end().len());
            }
            // Inside a plain word a quote is a letter.
            (None, '"' | '\'') if before.is_none_or(|before| matches!(before, ' ' | '\t' | '[' | '{' | ',' | ':')) => {
                quote = Some(c);
            }
            _ => {}
        }
        before = Some(c);
    }
    value.len()
}

/// A word as a YAML value: as it is where nothing in it means something to YAML, else quoted. Control characters become
/// blanks: a value takes one line.
pub(super) fn yaml(word: &str) -> String {
    let mut parts = word.split('-');
    let number_like = word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'x' | b'_'));
    let plain = word.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'-'))
        && !is_keyword(word);
    let stamp = parts.next().is_some_and(|year| year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit()))
        && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'T' | b'Z'));
    if plain || stamp || (number_like && word.parse::<u32>().is_ok()) {
        return word.to_owned();
    }
    let mut quoted = String::with_capacity(word.len() + 2);
    quoted.push('"');
    for c in word.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}') => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Words as a YAML list on one line.
pub(super) fn yaml_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(yaml).collect();
    format!("[{}]", words.join(", "))
}

fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Document, yaml, yaml_list};
    use crate::front_matter::{FrontMatter, YamlValue};

    fn edited(file: &str, key: &str, value: &str) -> String {
        let mut document = Document::of(file.as_bytes().to_vec()).unwrap();
        document.set(key, value);
        String::from_utf8(document.into_bytes()).unwrap()
    }

    fn removed(file: &str, key: &str) -> String {
        let mut document = Document::of(file.as_bytes().to_vec()).unwrap();
        document.remove(key);
        String::from_utf8(document.into_bytes()).unwrap()
    }

    #[test]
    fn only_the_value_changes() {
        for (line, after) in [
            ("status: planned", "status: done"),
            ("status:   planned   # why", "status:   done   # why"),
            ("status: planned\t\r", "status: done\t\r"),
            ("'status': \"plan # ned\" # why", "'status': done # why"),
            ("status:", "status: done"),
            ("status: # nothing yet", "status: done # nothing yet"),
            ("status: it's # so", "status: done # so"),
            ("status: \"a \\\" # b\" # c", "status: done # c"),
            ("status : x", "status : done"),
        ] {
            let file = |line: &str| format!("\u{feff}---\nid: A-1\n{line}\n# note\nother: [1]\n---\nstatus: body\n");
            assert_eq!(edited(&file(line), "status", "done"), file(after), "{line:?}");
        }
    }

    #[test]
    fn a_value_of_several_lines_is_replaced_as_a_whole() {
        let file = "---\ndeps:\n  - A\n  # why B\n  - B\n\n# about the next\nid: X\n---\n";
        assert_eq!(edited(file, "deps", "[C]"), "---\ndeps: [C]\n\n# about the next\nid: X\n---\n");
        assert_eq!(removed(file, "deps"), "---\n\n# about the next\nid: X\n---\n");
        let flow = "---\ndeps: [\n  A,\n]\nid: X\n---\n";
        assert_eq!(edited(flow, "deps", "[C]"), "---\ndeps: [C]\nid: X\n---\n");
        let last = "---\r\nid: X\r\nnote: |\r\n  a\r\n---\r\nbody";
        assert_eq!(removed(last, "note"), "---\r\nid: X\r\n---\r\nbody");
    }

    #[test]
    fn a_new_field_comes_last_with_the_line_end_of_the_file() {
        assert_eq!(edited("---\r\nid: X\r\n---\r\n", "status", "done"), "---\r\nid: X\r\nstatus: done\r\n---\r\n");
        assert_eq!(edited("---\n---\n", "status", "done"), "---\nstatus: done\n---\n");
    }

    #[test]
    fn the_first_of_two_fields_changes() {
        assert_eq!(edited("---\na: 1\na: 2\n---\n", "a", "3"), "---\na: 3\na: 2\n---\n");
    }

    #[test]
    fn a_body_in_another_encoding_stays() {
        let file = b"---\nid: X\n---\nna\xefve\n".to_vec();
        let mut document = Document::of(file).unwrap();
        document.set("id", "Y");
        assert_eq!(document.into_bytes(), b"---\nid: Y\n---\nna\xefve\n");
        assert_eq!(Document::of(b"---\nid: \xff\n---\n".to_vec()), None);
        assert_eq!(Document::of(b"id: X\n".to_vec()), None);
    }

    #[test]
    fn words_are_quoted_where_yaml_would_take_them_for_something_else() {
        assert_eq!(yaml("src/a-b.rs"), "src/a-b.rs");
        assert_eq!(yaml("TASK-00001"), "TASK-00001");
        assert_eq!(yaml("2026-09-02T08:14:11Z"), "2026-09-02T08:14:11Z");
        assert_eq!(yaml("3"), "3");
        for word in ["", "no", "null", "1.5", "a: b", "- a", "say \"x\"\\", "#1", "1e3"] {
            assert!(yaml(word).starts_with('"'), "{word}");
        }
        assert_eq!(yaml("two\nlines"), "\"two lines\"");
        assert_eq!(yaml_list(["A-1", "a b"]), "[A-1, \"a b\"]");
    }

    /// A value that begins somewhere between the fences: what is before and behind it, and the other fields.
    fn field() -> impl Strategy<Value = (String, String)> {
        let value = prop_oneof![
            "[A-Za-z][A-Za-z0-9 _./-]{0,10}x",
            Just("\"a # b: \\\" c\"".to_owned()),
            Just("'it''s # so'".to_owned()),
            Just("[A, 'b, c', \"d # e\"]".to_owned()),
            Just("{a: 1, b: [2]}".to_owned()),
            Just("\n  - A # one\n  - B".to_owned()),
            Just("|\n  text: # no\n  more".to_owned()),
            Just(String::new()),
        ];
        let end = prop_oneof![Just(""), Just("  "), Just(" # why"), Just("\n\n# alone")];
        ("[a-z]{1,6}", value, end).prop_map(|(key, value, end)| {
            let space = if value.is_empty() || value.starts_with('\n') { "" } else { " " };
            let end = if value.contains('\n') && !end.starts_with('\n') { "" } else { end };
            (key.clone(), format!("{key}:{space}{value}{end}"))
        })
    }

    proptest! {
        #[test]
        fn an_edit_leaves_the_rest_byte_for_byte(
            fields in prop::collection::vec(field(), 1..8), at in any::<prop::sample::Index>(), word in "\\PC{0,20}",
            windows in any::<bool>(), mark in any::<bool>(), body in "\\PC{0,20}",
        ) {
            let (key, _) = at.get(&fields);
            let block: Vec<&str> = fields.iter().map(|(_, text)| text.as_str()).collect();
            let file = format!("{}---\n{}\n---\n{body}\n", if mark { "\u{feff}" } else { "" }, block.join("\n"));
            let file = if windows { file.replace('\n', "\r\n") } else { file };
            let after = edited(&file, key, &yaml(&word));
            let (old, new) = (FrontMatter::of(&file).unwrap(), FrontMatter::of(&after).unwrap());
            let expected: String = word.chars().map(|c| if matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') { ' ' } else { c }).collect();
            prop_assert_eq!(new.value(key).unwrap(), Some(YamlValue::Word(expected)));
            for (other, _) in fields.iter().filter(|(other, _)| other != key) {
                prop_assert_eq!(new.value(other), old.value(other));
            }
            // One stretch changed, and it is in the field: all before it and all behind it is as it was.
            let (_, own) = fields.iter().find(|(other, _)| other == key).unwrap();
            let own = if windows { own.replace('\n', "\r\n") } else { own.clone() };
            let start = file.find(&format!("\n{own}")).unwrap() + 1;
            let behind = file.len() - start - own.len();
            prop_assert_eq!(&after[..start], &file[..start]);
            prop_assert_eq!(&after[after.len() - behind..], &file[file.len() - behind..]);
            let gone = removed(&after, key);
            prop_assert!(FrontMatter::of(&gone).unwrap().line(key) != old.line(key) || gone.len() < after.len());
        }
    }
}
