//! What the output of a step must be, so that the next step can use it.

use serde::de::IgnoredAny;

/// What the output of a step must be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OutputKind {
    /// Anything, also nothing.
    #[default]
    Any,
    /// A text that is not blank.
    Text,
    /// One JSON value, alone or as the only fenced block or value of an answer in words.
    Json,
    /// A path below the project's folder.
    Path,
    /// A name that git takes for a branch.
    Branch,
    /// An address of the web.
    Url,
    /// One of these words.
    OneOf(Vec<String>),
}

/// Why an output cannot be used: it completes "the answer ...".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected(pub String);

/// The longest branch that is taken, in bytes: file systems hold no longer file name.
const LONGEST_BRANCH: usize = 244;
/// The longest path and address that is taken, in bytes.
const LONGEST: usize = 4096;

impl OutputKind {
    /// The kind of a word: `text`, `json`, `path`, `branch`, `url`, `one_of:a,b`.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "any" => Self::Any,
            "text" => Self::Text,
            "json" => Self::Json,
            "path" => Self::Path,
            "branch" => Self::Branch,
            "url" => Self::Url,
            _ => {
                let words: Vec<String> =
                    word.strip_prefix("one_of:")?.split(',').map(|w| w.trim().to_owned()).collect();
                return words.iter().all(|word| !word.is_empty()).then_some(Self::OneOf(words));
            }
        })
    }

    /// What an agent is asked for, to complete "answer with ...".
    pub fn asks(&self) -> String {
        match self {
            Self::Any => "what was asked for".to_owned(),
            Self::Text => "the text that was asked for".to_owned(),
            Self::Json => "one JSON value and nothing else".to_owned(),
            Self::Path => "one path, relative to the project's folder, and nothing else".to_owned(),
            Self::Branch => "the name of one git branch and nothing else".to_owned(),
            Self::Url => "one address that begins with https:// and nothing else".to_owned(),
            Self::OneOf(words) => format!("one of {} and nothing else", words.join(", ")),
        }
    }

    /// The output as later steps get it: without the blanks around it.
    ///
    /// # Errors
    /// When it is not what the step must give.
    pub fn check(&self, text: &str) -> Result<String, Rejected> {
        let text = text.trim();
        let reject = |why: &str| Err(Rejected(why.to_owned()));
        if text.is_empty() && *self != Self::Any {
            return reject("is empty");
        }
        match self {
            Self::Any | Self::Text => {}
            Self::Json => return only_value(text).map(str::to_owned),
            Self::Path => only_line(text, LONGEST).and_then(is_path)?,
            Self::Branch => only_line(text, LONGEST_BRANCH).and_then(is_branch)?,
            Self::Url => only_line(text, LONGEST).and_then(is_url)?,
            Self::OneOf(words) if words.iter().any(|word| word == text) => {}
            Self::OneOf(words) => return Err(Rejected(format!("is none of {}", words.join(", ")))),
        }
        Ok(text.to_owned())
    }
}

/// The JSON value of an answer: all of it, else its only fenced block, else the only object or list in it.
fn only_value(text: &str) -> Result<&str, Rejected> {
    let Err(error) = serde_json::from_str::<IgnoredAny>(text) else { return Ok(text) };
    let mut found = fenced(text);
    if found.is_empty() {
        found = values(text);
    }
    match *found {
        [only] if serde_json::from_str::<IgnoredAny>(only).is_ok() => Ok(only),
        [] | [_] => Err(Rejected(format!("is not one JSON value: {error}"))),
        _ => Err(Rejected("has several JSON values".to_owned())),
    }
}

/// What stands in fences, each block without its blanks.
fn fenced(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split("```").collect();
    let blocks = parts.chunks_exact(2).filter_map(|pair| pair.last());
    // The word behind a fence names the language.
    blocks.map(|block| block.split_once('\n').map_or(*block, |(_, inside)| inside).trim()).collect()
}

/// The objects and lists that stand in a text, outside of one another; brackets of words are none.
fn values(text: &str) -> Vec<&str> {
    const MOST: usize = 64;
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..MOST {
        let rest = text.get(at..).unwrap_or_default();
        let Some(begin) = rest.find(['{', '[']) else { break };
        let here = rest.get(begin..).unwrap_or_default();
        let mut read = serde_json::Deserializer::from_str(here).into_iter::<IgnoredAny>();
        let length = match read.next() {
            Some(Ok(_)) => read.byte_offset(),
            _ => 0,
        };
        found.extend(here.get(..length).filter(|value| !value.is_empty()));
        at += begin + length.max(1);
    }
    found
}

/// One line without control characters.
fn only_line(text: &str, longest: usize) -> Result<&str, Rejected> {
    if text.contains('\n') {
        return Err(Rejected("has more than one line".to_owned()));
    }
    if text.len() > longest || text.contains(char::is_control) {
        return Err(Rejected("is too long, or has control characters".to_owned()));
    }
    Ok(text)
}

fn is_path(text: &str) -> Result<(), Rejected> {
    let parts = || text.split(['/', '\\']);
    let windows = text.as_bytes().get(1) == Some(&b':');
    let why = if text.starts_with(['/', '\\', '~']) || windows {
        "is no path relative to the project's folder"
    } else if parts().any(|part| part == "..") {
        "leaves the project's folder"
    } else if text.starts_with('-') || text.starts_with('@') || text.ends_with(['/', '\\']) {
        "is no path of a file"
    } else {
        return Ok(());
    };
    Err(Rejected(why.to_owned()))
}

/// The rules of `git check-ref-format --branch`.
fn is_branch(text: &str) -> Result<(), Rejected> {
    let forbidden = |c: char| c == ' ' || c.is_control() || "~^:?*[\\".contains(c);
    let bad_part = |part: &str| {
        part.is_empty()
            || part.starts_with('.')
            || std::path::Path::new(part).extension().is_some_and(|end| end == "lock")
    };
    let is_bad = text.contains(forbidden)
        || text.contains("..")
        || text.contains("@{")
        || text.starts_with('-')
        || text.ends_with('.')
        || matches!(text, "@" | "HEAD")
        || text.split('/').any(bad_part);
    if is_bad { Err(Rejected("is no name that git takes for a branch".to_owned())) } else { Ok(()) }
}

fn is_url(text: &str) -> Result<(), Rejected> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let is_good = host.is_some_and(|host| !host.is_empty()) && !text.contains(char::is_whitespace);
    if is_good { Ok(()) } else { Err(Rejected("is no address of the web".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(kind: &str, text: &str) -> bool {
        OutputKind::parse(kind).unwrap().check(text).is_ok()
    }

    #[test]
    fn the_shapes_of_a_work_order_are_taken() {
        for (kind, text) in [
            ("one_of:/feature,/bug,/chore", "/feature\n"),
            ("path", "specs/issue-42-wo-test-planner-feature.md"),
            ("path", "./0"),
            ("branch", "feat-issue-42-wo-test-add-feature"),
            ("text", "implementor: feat: add user authentication"),
            ("url", "https://github.com/owner/repo/pull/123"),
            ("any", ""),
            ("json", " {\"a\": [1]} "),
        ] {
            assert!(takes(kind, text), "{kind}: {text}");
        }
        assert_eq!(OutputKind::Text.check(" a b \n").unwrap(), "a b");
    }

    #[test]
    fn the_only_json_value_of_an_answer_is_taken() {
        for (text, value) in [
            ("```json\n{\"a\": 1}\n```", "{\"a\": 1}"),
            ("Here it is:\n\n```\n[1, 2]\n```\nDone.", "[1, 2]"),
            ("The verdict is {\"class\": \"F2\"}.", "{\"class\": \"F2\"}"),
            ("As asked [see above]: {\"a\": \"{}\"}", "{\"a\": \"{}\"}"),
            ("7", "7"),
        ] {
            assert_eq!(OutputKind::Json.check(text).unwrap(), value, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(OutputKind::Json.check(&deep).is_err());
    }

    #[test]
    fn what_a_next_step_could_not_use_is_rejected() {
        for (kind, text) in [
            ("one_of:/feature,/bug", "/Feature"),
            ("one_of:/feature,/bug", "It is a /bug"),
            ("one_of:a", "{\"type\":\"result\",\"result\":\"a\"}"),
            ("text", " \n"),
            ("json", "```json\n{}\n```\n```json\n[]\n```"),
            ("json", "```json\n{\"a\":\n```"),
            ("json", "{} {}"),
            ("json", "There are no values."),
            ("json", "Use [1] or {\"a\": 2}"),
            ("path", "/etc/passwd"),
            ("path", "specs/../../x"),
            ("path", "~/x"),
            ("path", "C:\\x"),
            ("path", "The plan is\nspecs/x.md"),
            ("path", "-rf"),
            ("path", "a\u{1b}[31m"),
            ("branch", "feat issue"),
            ("branch", "-x"),
            ("branch", "a..b"),
            ("branch", "a/.b"),
            ("branch", "a.lock"),
            ("branch", "a/"),
            ("branch", "a\nb"),
            ("branch", "HEAD"),
            ("branch", "a@{1}"),
            ("url", "github.com/a/b"),
            ("url", "https://"),
            ("url", "https://a b"),
            ("url", "file:///etc/passwd"),
        ] {
            assert!(!takes(kind, text), "{kind}: {text}");
        }
    }

    #[test]
    fn kinds_have_words() {
        assert_eq!(OutputKind::parse("one_of:a, b"), Some(OutputKind::OneOf(vec!["a".into(), "b".into()])));
        for none in ["one_of:", "one_of:a,,b", "number", ""] {
            assert_eq!(OutputKind::parse(none), None, "{none}");
        }
    }
}
