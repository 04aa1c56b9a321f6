//! What came with a project and may give orders: what a person said they trust, what counts without that, and the line
//! by which a history shows who began it. Values only; `place` reads and keeps them.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digest::hex;
use crate::programs::{self, Program};
use crate::text::file_name;

/// The most contents of a settings file that stay trusted: those of the branches that a person goes back and forth between.
const MOST_CONTENTS: usize = 16;
/// How long the id of a history is, in hexadecimal digits.
const ID_LENGTH: usize = 32;
/// The counts in a line of a team's file: by machine and month, or by commit.
const COUNTS: &[&str] = &["counts", "commits"];
/// The longest first line that is read of a history.
pub const LONGEST_OPENING: usize = 512;

/// What a person trusts of one folder: a project's own, a plan tree, or one that holds a history. Kept in their state
/// directory, where no repository writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Trusted {
    /// The folder, without links in its path.
    pub folder: String,
    /// Contents of the settings file, by [`fingerprint`], the last one last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
    /// The address of `origin`, by [`fingerprint`], whose default branch says what the team's files hold; None where the
    /// person is asked about each new line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_origin: Option<String>,
    /// Whether the plan tree in the folder binds agents, as long as the history in it is the one of `history`: another tree at
    /// the same place is another one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plan: bool,
    /// The id of the history in the folder, where this user's Failwise began it or took it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// Whether git tracked the records in the folder when that was looked at last: then they are not believed, and
    /// nothing is appended to them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tracked: bool,
    /// What the person was told to wait for their trust, by [`fingerprint`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

impl Trusted {
    /// Nothing, of a folder.
    pub fn nothing(folder: &str) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// What a file says of a folder; nothing where it speaks of another one or cannot be read.
    pub fn parse(text: &str, folder: &str) -> Self {
        let read: Option<Self> = serde_json::from_str(text).ok();
        read.filter(|read| read.folder == folder).unwrap_or_else(|| Self::nothing(folder))
    }

    /// The text of its file.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Whether a content of the settings file is trusted.
    pub fn holds(&self, content: &str) -> bool {
        !self.settings.is_empty() && self.settings.contains(&fingerprint(content))
    }

    /// Trusts a content of the settings file as well.
    pub fn add(&mut self, content: &str) {
        let new = fingerprint(content);
        self.settings.retain(|known| *known != new);
        self.settings.push(new);
        self.settings.drain(..self.settings.len().saturating_sub(MOST_CONTENTS));
    }

    /// Whether a history that begins with this line is the one that this user's Failwise began.
    pub fn began(&self, opening: &[u8]) -> bool {
        self.history.is_some() && begun_by(opening) == self.history
    }

    /// Whether anything is trusted.
    pub fn is_any(&self) -> bool {
        !self.settings.is_empty() || self.team_origin.is_some() || self.plan || self.history.is_some()
    }
}

/// The identity of a content: SHA-256 in hexadecimal digits.
pub fn fingerprint(content: &str) -> String {
    hex(&Sha256::digest(content.as_bytes()), 32)
}

/// What a line of a team's file says, by [`fingerprint`], whatever it counts: a person trusts words, and counts grow with
/// each export. None where it is no JSON object.
pub fn said_by(line: &str) -> Option<String> {
    let mut said: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    for counts in COUNTS {
        said.remove(*counts);
    }
    Some(fingerprint(&serde_json::to_string(&said).ok()?))
}

/// The id in the first line of a history; None where it does not say who began it.
pub fn begun_by(opening: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Opening {
        event: String,
        history_id: String,
    }
    let line = opening.split(|byte| *byte == b'\n').next()?;
    let Opening { event, history_id } = serde_json::from_slice(line).ok()?;
    (event == "history_begun" && is_history_id(&history_id)).then_some(history_id)
}

/// Whether a word is the id of a history.
pub fn is_history_id(word: &str) -> bool {
    word.len() == ID_LENGTH && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// What of a project's setting counts before a person trusts the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untrusted {
    /// Nothing: it silences, weakens or raises something.
    Nothing,
    /// Patterns that [`names_a_part`].
    NamedParts,
    /// Beginnings of commands that [`names_a_subcommand`].
    Subcommands,
    /// Everything: it changes shown numbers only.
    Everything,
}

impl Untrusted {
    /// Whether an entry of the setting counts.
    pub fn counts(self, entry: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::NamedParts => names_a_part(entry),
            Self::Subcommands => names_a_subcommand(entry),
            Self::Everything => true,
        }
    }
}

/// Whether a pattern of paths names a part of the project: a folder or file below the root by its name, or an ending.
/// One that may be everything names nothing.
pub fn names_a_part(pattern: &str) -> bool {
    let parts: Vec<&str> = pattern.trim_start_matches('/').trim_end_matches('/').split('/').collect();
    let named = |part: &&str| !part.is_empty() && !matches!(*part, "." | "..") && part.chars().all(is_literal);
    let leaves = parts.contains(&"..");
    let (first, last) = (parts.first(), parts.last());
    // `**/api` is any folder of that name.
    let somewhere = parts.iter().find(|part| **part != "**");
    !leaves && (first.is_some_and(named) || somewhere.is_some_and(named) || last.is_some_and(|last| is_ending(last)))
}

/// `*.snap`, `*_pb2.py`, `*.{js,ts}`.
fn is_ending(part: &str) -> bool {
    let Some(ending) = part.strip_prefix('*') else { return false };
    let literal = |c: char| is_literal(c) || matches!(c, '{' | '}' | ',');
    ending.starts_with(['.', '_', '-'])
        && ending.chars().all(literal)
        && ending.chars().filter(char::is_ascii_alphanumeric).count() >= 1
        && !has_empty_choice(ending)
}

/// Whether braces hold a choice without a letter, so that the ending may be nothing at all.
fn has_empty_choice(ending: &str) -> bool {
    let choices = ending.split('{').skip(1).flat_map(|rest| rest.split('}').next().unwrap_or_default().split(','));
    choices.into_iter().any(|choice| !choice.contains(|c: char| c.is_ascii_alphanumeric()))
}

fn is_literal(c: char) -> bool {
    !matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\' | ',')
}

/// Whether the beginning of a command names a program and its subcommand: `gh run watch`, never `curl` or `bash -c`.
pub fn names_a_subcommand(beginning: &str) -> bool {
    let mut words = beginning.split_whitespace();
    let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte));
    let (Some(program), Some(subcommand)) = (words.next(), words.next()) else { return false };
    let name = file_name(program);
    plain(program)
        && !matches!(name, "eval" | "watch")
        && !programs::find(name).is_some_and(Program::runs_others)
        && plain(subcommand)
        && subcommand.starts_with(|first: char| first.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_may_be_everything_names_no_part() {
        for pattern in [
            "docs/**",
            "docs",
            "api/generated",
            "*.snap",
            "**/*.min.js",
            "web/*.{js,ts}",
            "*_pb2.py",
            "/docs/",
            "**/api/**",
        ] {
            assert!(names_a_part(pattern), "{pattern}");
        }
        for pattern in [
            "**",
            "*",
            "**/*",
            "*.*",
            "?*",
            "[a-z]*",
            "{**,docs}",
            "*/*",
            ".",
            "./**",
            "../x",
            "docs/../..",
            "/",
            "",
            "*.{rs,*}",
            "*{,.rs}",
            "*.{,rs}",
            "**/*.?",
            "*a*",
            "src*",
            "\\*",
            "!docs",
            "**/",
            "*/src",
        ] {
            assert!(!names_a_part(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_command_is_named_by_program_and_subcommand() {
        for beginning in ["gh run watch", "kubectl wait", "./tools/poll.sh status", "npm run wait-for-db"] {
            assert!(names_a_subcommand(beginning), "{beginning}");
        }
        for beginning in [
            "curl",
            "",
            "make",
            "bash -c",
            "env make",
            "sudo make",
            "curl -s",
            "/bin/sh x",
            "x $(y)",
            "* x",
            "a ;b",
            "python3 poll.py",
        ] {
            assert!(!names_a_subcommand(beginning), "{beginning}");
        }
    }

    #[test]
    fn a_history_is_told_by_its_first_line() {
        let id = "0123456789abcdef0123456789abcdef";
        let line = format!("{{\"v\":1,\"event\":\"history_begun\",\"history_id\":\"{id}\"}}\nrest");
        assert_eq!(begun_by(line.as_bytes()).as_deref(), Some(id));
        for other in [
            String::new(),
            line.replace("history_begun", "state_changed"),
            line.replace(id, "0123"),
            line.replace(id, &id.to_uppercase()),
            line.replace(id, &format!("../{}", &id[3..])),
            format!("\n{line}"),
            line[..40].to_owned(),
        ] {
            assert_eq!(begun_by(other.as_bytes()), None, "{other}");
        }
        let own = Trusted { history: Some(id.to_owned()), ..Trusted::default() };
        assert!(own.began(line.as_bytes()) && !own.began(b"{}\n") && !own.began(b""));
        assert!(!Trusted::default().began(b"{}"), "what nobody began is nobody's");
    }

    #[test]
    fn trust_is_of_a_content_and_a_folder() {
        let mut trusted = Trusted::nothing("/p");
        assert!(!trusted.holds("a") && !trusted.is_any());
        trusted.add("a");
        trusted.add("b");
        trusted.add("a");
        assert!(trusted.holds("a") && trusted.holds("b") && !trusted.holds("c"));
        assert_eq!(trusted.settings.len(), 2);
        assert_eq!(Trusted::parse(&trusted.to_text(), "/p"), trusted);
        assert_eq!(Trusted::parse(&trusted.to_text(), "/q"), Trusted::nothing("/q"));
        assert_eq!(Trusted::parse("nonsense", "/p"), Trusted::nothing("/p"));
        for number in 0..40 {
            trusted.add(&number.to_string());
        }
        assert!(trusted.settings.len() == MOST_CONTENTS && trusted.holds("39") && !trusted.holds("a"));
    }
}
