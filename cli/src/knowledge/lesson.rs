//! What a lesson is: the kind of it, its words, and what it is known by.

use serde::{Deserialize, Serialize};

use super::row::PatternRow;
use crate::digest::hex16;
use crate::model::words;

words! {
    /// The kinds of lesson.
    pub enum LessonKind {
        /// Another form of the call passed; the lesson is the difference of words.
        Instead = "instead",
        /// The same operation passed in another folder.
        Folder = "folder",
        /// What ran between a failure and the pass, with no file edited.
        Command = "command",
        /// A test passed on an unchanged rerun.
        Flaky = "flaky",
        /// A check that failed in several sessions and never passed: it was there before.
        Standing = "standing",
        /// A person's words.
        Note = "note",
    }
}

/// What a lesson says, as the fields that its sentence is built from. Redacted; paths are relative to the folder that the
/// session began in; numbers that name something (pull requests, ports) are masked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    /// Words of the failed call that the other form lacks, and those that it has in their place; one of both may be empty.
    Instead {
        /// The words that went.
        gone: Vec<String>,
        /// The words that came.
        new: Vec<String>,
    },
    /// The folder, relative to the one that the session began in; `.` is that one.
    Folder(String),
    /// The commands, in their order, as operations.
    Command(Vec<String>),
    /// Nothing: the same call again.
    Flaky,
    /// Nothing: leave it.
    Standing,
    /// What a person wrote.
    Note(String),
}

impl Words {
    /// The kind of lesson that has such words.
    pub fn kind(&self) -> LessonKind {
        match self {
            Self::Instead { .. } => LessonKind::Instead,
            Self::Folder(_) => LessonKind::Folder,
            Self::Command(_) => LessonKind::Command,
            Self::Flaky => LessonKind::Flaky,
            Self::Standing => LessonKind::Standing,
            Self::Note(_) => LessonKind::Note,
        }
    }

    /// All of it as one line, for lists and for the field `words` of JSON: `--stat -> --name-only`, `pnpm api:generate`.
    pub fn line(&self) -> String {
        match self {
            Self::Instead { gone, new } => format!("{} -> {}", gone.join(" "), new.join(" ")).trim().to_owned(),
            Self::Folder(text) | Self::Note(text) => text.clone(),
            Self::Command(commands) => commands.join(" && "),
            Self::Flaky | Self::Standing => String::new(),
        }
    }
}

/// Something tried against a failure.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fix {
    /// 8 hexadecimal digits of the kind, the words and the signature that it is counted on.
    pub id: String,
    /// What it says.
    pub words: Words,
    /// Whether the failure's object stands in the words as [`Fix::OBJECT`], so that it is counted on the coarse signature: a
    /// missing module teaches the next.
    pub object: bool,
}

impl Fix {
    /// What stands in the words for the name of the failure's object.
    pub const OBJECT: &'static str = crate::gate::OBJECT;

    /// A fix of a failure.
    pub fn new(words: Words, object: bool, pattern: &PatternRow) -> Self {
        let key = if object { &pattern.coarse } else { &pattern.fine };
        let words_text = serde_json::to_string(&words).unwrap_or_default();
        let mut id = hex16(&[words.kind().as_str(), &words_text, key]);
        id.truncate(8);
        Self { id, words, object }
    }

    /// The kind of lesson.
    pub fn kind(&self) -> LessonKind {
        self.words.kind()
    }
}
