//! Where the text of a failed edit stands in its file, and by what white space it differs.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The only place of a file where the text that an edit did not find stands all the same, but for white space and
/// typographic characters. It holds no text of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misfit {
    /// The place's first line, from 1.
    pub first: u64,
    /// Its last line.
    pub last: u64,
    /// What makes the edit's text that of the file, in this order; nothing where that cannot be said in a few words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Whether typographic characters differ, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_signs: bool,
}

/// One way in which the file's text differs from that of the edit. Empty lines have no indentation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Difference {
    /// Its indentation has a tab for every so many spaces of the edit's.
    TabForSpaces {
        /// How many.
        spaces: usize,
    },
    /// Its indentation has so many spaces for every tab of the edit's.
    SpacesForTab {
        /// How many.
        spaces: usize,
    },
    /// Each line begins with more.
    Deeper {
        /// Of what.
        unit: Unit,
        /// How much more.
        count: usize,
        /// The lines of the file that do not.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        except: Vec<u64>,
    },
    /// Each line begins with less.
    Shallower {
        /// Of what.
        unit: Unit,
        /// How much less.
        count: usize,
        /// The lines of the file that do not.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        except: Vec<u64>,
    },
    /// Another character, wherever these lines of the edit have theirs.
    Sign {
        /// The file's.
        file: char,
        /// The edit's.
        given: char,
        /// The lines of the file; none for all of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lines: Vec<u64>,
    },
    /// White space ends a line.
    Trailing {
        /// The line of the file.
        line: u64,
        /// Of what.
        unit: Unit,
        /// How much.
        count: usize,
    },
    /// No white space ends its lines, as it does the edit's.
    NoTrailing,
    /// Its lines end in CRLF, the edit's in LF.
    Crlf,
    /// Its lines end in LF, the edit's in CRLF.
    Lf,
}

/// What white space is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A tab.
    Tab,
    /// A space.
    Space,
}

impl Unit {
    /// The character.
    pub const fn sign(self) -> char {
        match self {
            Self::Tab => '\t',
            Self::Space => ' ',
        }
    }

    /// What a text consists of, and how often; None where that is not one unit only.
    pub fn of(text: &str) -> Option<(Self, usize)> {
        let unit = if text.starts_with('\t') { Self::Tab } else { Self::Space };
        (!text.is_empty() && text.chars().all(|c| c == unit.sign())).then_some((unit, text.len()))
    }
}

impl Misfit {
    /// The edit's text with the differences taken out: the file's own where all of them are known.
    pub fn applied(&self, given: &str) -> String {
        let lead = given.len() - given.trim_start().len();
        let before = given.get(..lead).unwrap_or_default().matches('\n').count() as u64;
        let mut lines: Vec<Cow<'_, str>> = given.split('\n').map(Cow::Borrowed).collect();
        let mut end = "\n";
        for difference in &self.differences {
            if *difference == Difference::Crlf {
                end = "\r\n";
            }
            for (at, line) in (0_u64..).zip(&mut lines) {
                let number = (self.first + at).saturating_sub(before);
                *line = Cow::Owned(difference.applied(line, number));
            }
        }
        lines.join(end)
    }
}

impl Difference {
    /// A line of the edit with this difference taken out. `number` is its number in the file.
    fn applied(&self, line: &str, number: u64) -> String {
        let (indent, rest) = indentation(line);
        let is_blank = rest.trim().is_empty();
        match self {
            Self::TabForSpaces { .. } | Self::SpacesForTab { .. } if !is_blank => {
                self.converted(indent).map_or_else(|| line.to_owned(), |indent| indent + rest)
            }
            Self::Deeper { unit, count, except } if !is_blank && !except.contains(&number) => {
                unit.sign().to_string().repeat(*count) + line
            }
            Self::Shallower { unit, count, except } if !is_blank && !except.contains(&number) => {
                let less = unit.sign().to_string().repeat(*count);
                line.strip_prefix(&less).unwrap_or(line).to_owned()
            }
            Self::Sign { file, given, lines } if lines.is_empty() || lines.contains(&number) => {
                let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
                let body = rest.trim_end();
                let trail = rest.get(body.len()..).unwrap_or_default();
                [indent, &body.replace(*given, &file.to_string()), trail].concat()
            }
            Self::Trailing { line: at, unit, count } if *at == number => {
                line.to_owned() + &unit.sign().to_string().repeat(*count)
            }
            Self::NoTrailing => line.trim_end().to_owned(),
            Self::Lf => line.strip_suffix('\r').unwrap_or(line).to_owned(),
            _ => line.to_owned(),
        }
    }

    /// An indentation of the edit in the file's units; None where they do not go into one another.
    pub fn converted(&self, indent: &str) -> Option<String> {
        let spaces = indent.trim_start_matches('\t');
        let tabs = indent.len() - spaces.len();
        match self {
            Self::TabForSpaces { spaces: width } => {
                let is_whole = spaces.chars().all(|c| c == ' ') && spaces.len().is_multiple_of(*width);
                is_whole.then(|| "\t".repeat(tabs + spaces.len() / width))
            }
            Self::SpacesForTab { spaces: width } => (!spaces.contains('\t')).then(|| " ".repeat(tabs * width) + spaces),
            _ => None,
        }
    }
}

/// The tabs and spaces that a line begins with, and the rest of it.
pub fn indentation(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len())
}
