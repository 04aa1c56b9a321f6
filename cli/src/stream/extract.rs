//! From the bytes of a stream to its result: what the last line of the type `result` says, and what stood before it.
//!
//! Every line is a value of its own, and one that cannot be read costs nothing but itself. Once a line has shown that this
//! is a stream, only lines that may matter are looked at: they are found by words that they must hold, many gigabytes of
//! other lines are passed over as bytes.

use std::borrow::Cow;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use serde_json::value::RawValue;

use super::json::{is_null, is_truthy, members, string};
use crate::text::without_mark;

/// The most bytes of a document over several lines that are held; what is longer is read line by line.
const LONGEST_DOCUMENT: usize = 256 * 1024 * 1024;

/// Takes the lines of a stream in, and keeps what they say of its result.
#[derive(Default)]
pub struct Extractor {
    /// What lines that are objects said.
    lines: Findings,
    /// What the elements of lines that are arrays said: it counts where no line is an object of a stream.
    arrays: Findings,
    /// A document over several lines, as far as it is there.
    document: Option<Vec<u8>>,
    /// A line that is the beginning of a value, while it is not known what follows it.
    begun: Option<Vec<u8>>,
    has_begun: bool,
    has_text: bool,
    /// Whether the last line that is not blank was cut off within an object that names its type.
    cut: bool,
    needles: Needles,
}

/// What a stream said, in order.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) is_stream: bool,
    pub(super) session_id: Option<String>,
    pub(super) api_error: Option<ApiError>,
    pub(super) results: u64,
    pub(super) last: Option<ResultLine>,
}

/// An error of the model's API that stands in the stream as a message of the assistant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiError {
    /// The client's word for it: `rate_limit`, `overloaded`; empty where there is none.
    pub word: String,
    /// What the message says.
    pub text: String,
}

/// What a line of the type `result` says; values are as they were written.
#[derive(Debug, Default)]
pub(super) struct ResultLine {
    pub(super) result: Option<Box<RawValue>>,
    pub(super) structured_output: Option<Box<RawValue>>,
    pub(super) subtype: Option<String>,
    pub(super) is_error: Option<bool>,
    pub(super) terminal_reason: Option<String>,
    pub(super) api_error_status: Option<Box<RawValue>>,
    pub(super) api_error_type: Option<String>,
    pub(super) api_error: Option<String>,
    pub(super) errors: Vec<String>,
    pub(super) num_turns: Option<Box<RawValue>>,
    pub(super) cost_usd: Option<Box<RawValue>>,
    pub(super) usage: Option<Box<RawValue>>,
    pub(super) duration_ms: Option<f64>,
    pub(super) stop_reason: Option<String>,
    pub(super) permission_denials: Vec<Box<RawValue>>,
    /// Whether an error of the API was told before it.
    pub(super) after_api_error: bool,
}

/// What a whole stream said of its result.
#[derive(Debug)]
pub struct Extraction {
    pub(super) findings: Findings,
    /// Whether there was anything but blanks.
    pub(super) has_text: bool,
    /// Whether it ends within its first line.
    pub(super) cut: bool,
}

/// Words of which a line must hold one to matter.
struct Needles([Finder<'static>; 6]);

impl Default for Needles {
    /// A letter may be written as an escape: then none of the words is there as such.
    fn default() -> Self {
        Self(["\"result\"", "is_api_error_message", "isApiErrorMessage", "\\u006", "\\u007", SESSION].map(Finder::new))
    }
}

/// The word of lines that name the session: the last needle, of no interest once the first is found.
const SESSION: &str = "\"session_id\"";

impl Extractor {
    /// Takes whole lines in; the last of a stream may lack its end.
    pub fn take(&mut self, block: &[u8]) {
        let mut rest = if std::mem::replace(&mut self.has_begun, true) { block } else { without_mark(block) };
        while !rest.is_empty() {
            if self.lines.is_stream {
                return self.skim(rest);
            }
            let end = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let (line, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            self.line(line);
            rest = behind;
        }
    }

    /// Whether a line has shown by now that this is a stream.
    pub fn is_stream(&self) -> bool {
        self.lines.is_stream || self.arrays.is_stream
    }

    /// What the stream said, now that it has ended.
    pub fn finish(mut self) -> Extraction {
        if let Some(line) = self.begun.take() {
            self.foreign(&line);
        }
        if let Some(document) = self.document.take() {
            self.document(&document);
        }
        let findings = if self.lines.is_stream { self.lines } else { self.arrays };
        Extraction { cut: self.cut && !findings.is_stream, findings, has_text: self.has_text }
    }

    /// Looks only at lines that hold one of the words, in their order.
    fn skim(&mut self, block: &[u8]) {
        let Needles(needles) = std::mem::take(&mut self.needles);
        let mut at = 0;
        let mut next: [Option<usize>; 6] = [Some(0); 6];
        loop {
            let used = if self.lines.session_id.is_some() { needles.len() - 1 } else { needles.len() };
            for (needle, next) in needles.iter().zip(&mut next).take(used) {
                if next.is_some_and(|next| next <= at) {
                    let rest = block.get(at..).unwrap_or_default();
                    *next = needle.find(rest).map(|found| at + found);
                }
            }
            let Some(hit) = next.iter().take(used).filter_map(|next| *next).min() else { break };
            let start = block.get(at..hit).and_then(|before| memrchr(b'\n', before)).map_or(at, |end| at + end + 1);
            let end = block.get(hit..).and_then(|behind| memchr(b'\n', behind)).map_or(block.len(), |end| hit + end);
            if let Some(line) = block.get(start..end) {
                self.lines.object(&text_of(line));
            }
            at = end;
        }
        self.needles = Needles(needles);
    }

    /// A line while it is not known yet whether this is a stream.
    fn line(&mut self, line: &[u8]) {
        if let Some(document) = &mut self.document {
            document.extend_from_slice(line);
            if document.len() > LONGEST_DOCUMENT {
                self.give_up_document();
            }
            return;
        }
        if line.trim_ascii().is_empty() {
            return;
        }
        self.has_text = true;
        if let Some(mut begun) = self.begun.take() {
            let first = begun.len();
            begun.extend_from_slice(line);
            if is_beginning(&begun) || is_whole(&begun) {
                self.document = Some(begun);
                return;
            }
            self.foreign(begun.get(..first).unwrap_or_default());
        }
        let text = text_of(line);
        if self.lines.object(&text) || self.array(&text) {
            return;
        }
        if text.trim_start().starts_with(['{', '[']) && is_beginning(line) {
            self.begun = Some(line.to_vec());
        }
    }

    /// The elements of a line that is an array.
    fn array(&mut self, text: &str) -> bool {
        let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) else { return false };
        for element in elements {
            self.arrays.object(element.get());
        }
        true
    }

    /// A line that is no value: whether it was cut off within an object of a stream.
    fn foreign(&mut self, line: &[u8]) {
        let text = text_of(line);
        self.cut = text.trim_start().starts_with(['{', '[']) && text.contains("\"type\"");
    }

    /// A document over several lines. What is none after all is read as lines.
    fn document(&mut self, document: &[u8]) {
        let text = text_of(document);
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<&RawValue>();
        if let Some(Ok(value)) = values.next() {
            let behind = text.get(values.byte_offset()..).unwrap_or_default();
            let _ = self.lines.object(value.get()) || self.array(value.get());
            return self.lines_of(behind.as_bytes());
        }
        let found = begun_elements(&text);
        if found.is_empty() {
            self.foreign(document);
            return self.lines_of(document);
        }
        for element in found {
            self.arrays.object(element.get());
        }
    }

    fn give_up_document(&mut self) {
        if let Some(document) = self.document.take() {
            self.lines_of(&document);
        }
    }

    /// Lines of what was taken for a document.
    fn lines_of(&mut self, document: &[u8]) {
        for line in document.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            let text = text_of(line);
            let _ = self.lines.object(&text) || self.array(&text);
        }
    }
}

impl Findings {
    /// Takes in what may be an object of a stream; tells whether it is one.
    fn object(&mut self, text: &str) -> bool {
        let names = ["type", "session_id", "is_api_error_message", "isApiErrorMessage"];
        let Some([kind, session, snake, camel]) = members(text, &names) else { return false };
        let Some(kind) = kind.and_then(string) else { return false };
        self.is_stream = true;
        if self.session_id.is_none() {
            self.session_id = session.and_then(string).filter(|id| !id.is_empty());
        }
        if kind == "result" {
            self.results += 1;
            self.last = ResultLine::of(text, self.api_error.is_some());
        } else if is_truthy(snake) || is_truthy(camel) {
            self.api_error = Some(ApiError::of(text));
        }
        true
    }
}

impl ApiError {
    fn of(text: &str) -> Self {
        let Some([error, message]) = members(text, &["error", "message"]) else { return Self::default() };
        let content = message.and_then(|message| members(message.get(), &["content"])).and_then(|[content]| content);
        Self { word: error.and_then(string).unwrap_or_default(), text: content.map(spoken).unwrap_or_default() }
    }
}

/// The text of a message's content: a string, or blocks of which some are text.
pub(super) fn spoken(content: &RawValue) -> String {
    if let Some(text) = string(content) {
        return text;
    }
    let blocks: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    let texts = blocks.iter().filter_map(|block| members(block.get(), &["text"])?[0].and_then(string));
    texts.collect::<Vec<_>>().join("\n")
}

/// The members of a result that are looked at.
const RESULT: [&str; 15] = [
    "result",
    "structured_output",
    "subtype",
    "is_error",
    "terminal_reason",
    "api_error_status",
    "api_error_type",
    "api_error",
    "errors",
    "num_turns",
    "total_cost_usd",
    "usage",
    "duration_ms",
    "permission_denials",
    "stop_reason",
];

impl ResultLine {
    fn of(text: &str, after_api_error: bool) -> Option<Self> {
        let found = members(text, &RESULT)?;
        let of = |name: &str| RESULT.iter().zip(found).find(|(known, _)| **known == name)?.1;
        let kept = |value: Option<&RawValue>| value.filter(|value| !is_null(Some(value))).map(ToOwned::to_owned);
        let number = |value: Option<&RawValue>| kept(value.filter(|value| value.get().parse::<f64>().is_ok()));
        let object = |value: Option<&RawValue>| kept(value.filter(|value| value.get().starts_with('{')));
        Some(Self {
            result: kept(of("result")),
            structured_output: kept(of("structured_output")),
            subtype: of("subtype").and_then(string),
            is_error: of("is_error").map(|value| is_truthy(Some(value))),
            terminal_reason: of("terminal_reason").and_then(string),
            api_error_status: number(of("api_error_status")),
            api_error_type: of("api_error_type").and_then(string),
            api_error: of("api_error").and_then(string),
            errors: of("errors").map(strings).unwrap_or_default(),
            num_turns: number(of("num_turns")),
            cost_usd: number(of("total_cost_usd")),
            usage: object(of("usage")),
            duration_ms: of("duration_ms").and_then(|value| value.get().parse().ok()).filter(|ms: &f64| ms.is_finite()),
            stop_reason: of("stop_reason").and_then(string),
            permission_denials: of("permission_denials").map(elements).unwrap_or_default(),
            after_api_error,
        })
    }
}

/// The strings of a list.
fn strings(list: &RawValue) -> Vec<String> {
    elements(list).iter().filter_map(|element| string(element)).collect()
}

/// The elements of a list; of anything else none.
fn elements(list: &RawValue) -> Vec<Box<RawValue>> {
    serde_json::from_str(list.get()).unwrap_or_default()
}

/// The elements of an array that ends too early, as far as they are whole.
fn begun_elements(text: &str) -> Vec<&RawValue> {
    let Some(mut rest) = text.trim_start().strip_prefix('[') else { return Vec::new() };
    let mut found = Vec::new();
    loop {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let Some(Ok(element)) = values.next() else { return found };
        found.push(element);
        let behind = rest.get(values.byte_offset()..).unwrap_or_default().trim_start();
        let Some(next) = behind.strip_prefix(',') else { return found };
        rest = next;
    }
}

/// Whether more text could make this one JSON value.
fn is_beginning(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

fn is_whole(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// A line's text; bytes that are no UTF-8 cost themselves.
fn text_of(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line)
}
