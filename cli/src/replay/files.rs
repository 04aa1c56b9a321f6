//! What the files of a session hold, as its own reads and writes tell: a transcript has no files.

use std::collections::VecDeque;

use serde::Serialize;

use crate::edits::{FileNews, MOST_TEXT, TextEdit, misfit_in};
use crate::model::Misfit;

/// The most files of a session that are known at a time.
const MOST_FILES: usize = 64;
/// The most that they hold together, in bytes.
const MOST_HELD: usize = 8 * MOST_TEXT;

/// Edits that did not find their text, and how many of them could be told where it stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct EditMoments {
    /// All of them.
    pub failed: u64,
    /// Of which the session does not tell what the file held.
    pub undecidable: u64,
    /// Whose text stands in exactly one place but for white space and typographic characters.
    pub one_place: u64,
    /// Of which the agent was told.
    pub told: u64,
    /// Of which it was not told again, because it had been in the same episode.
    pub told_before: u64,
}

impl EditMoments {
    /// Adds those of another session.
    pub fn add(&mut self, other: Self) {
        self.failed += other.failed;
        self.undecidable += other.undecidable;
        self.one_place += other.one_place;
        self.told += other.told;
        self.told_before += other.told_before;
    }
}

/// What files hold, those that were told of last at the end.
#[derive(Debug, Default)]
pub(super) struct KnownFiles {
    known: VecDeque<(String, String)>,
    /// The edit whose end comes next.
    asked: Option<(String, Vec<TextEdit>)>,
}

/// What is known of the file of a failed edit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum SeenFiles {
    /// Not what it held.
    #[default]
    Unknown,
    /// What it held, and where the text stands in it all the same.
    Known(Option<Misfit>),
}

impl KnownFiles {
    /// Takes what a call tells, before its end is taken.
    pub(super) fn hear(&mut self, news: &FileNews) {
        match news {
            FileNews::Holds { path, text } => self.keep(path, Some(text.clone())),
            FileNews::Changed { path } => self.keep(path, None),
            FileNews::Refused { path, edits } => self.asked = Some((path.clone(), edits.clone())),
            FileNews::Edited { path, original, edits } => {
                let before = original.clone().or_else(|| self.text(path).map(str::to_owned));
                let edited = |text: String, edit: &TextEdit| edit.applied(&text);
                let after = before.and_then(|text| edits.iter().try_fold(text, edited));
                self.keep(path, after.filter(|_| !edits.is_empty()));
            }
        }
    }

    /// Something may have changed any file.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// What is known of the file of the edit that ends now.
    pub(super) fn seen(&mut self) -> SeenFiles {
        let known = self.asked.take().and_then(|(path, edits)| Some((self.text(&path)?, edits)));
        known.map_or(SeenFiles::Unknown, |(text, edits)| SeenFiles::Known(misfit_in(text, &edits)))
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.known.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str())
    }

    fn keep(&mut self, path: &str, text: Option<String>) {
        self.known.retain(|(name, _)| name != path);
        self.known.extend(text.filter(|text| text.len() <= MOST_TEXT).map(|text| (path.to_owned(), text)));
        let held = |known: &VecDeque<(String, String)>| known.iter().map(|(_, text)| text.len()).sum::<usize>();
        while self.known.len() > MOST_FILES || held(&self.known) > MOST_HELD {
            self.known.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> FileNews {
        FileNews::Holds { path: "/a".to_owned(), text: text.to_owned() }
    }

    fn refused(old: &str) -> FileNews {
        FileNews::Refused {
            path: "/a".to_owned(),
            edits: vec![TextEdit { old: old.to_owned(), ..TextEdit::default() }],
        }
    }

    fn seen(all: &[FileNews]) -> SeenFiles {
        let mut files = KnownFiles::default();
        for news in all {
            files.hear(news);
        }
        files.seen()
    }

    #[test]
    fn what_was_read_written_and_edited_is_known() {
        let line = |seen| match seen {
            SeenFiles::Known(misfit) => misfit.map(|misfit| misfit.first),
            SeenFiles::Unknown => None,
        };
        assert_eq!(line(seen(&[holds("x\n\tif a {\n"), refused("    if a {")])), Some(2));
        let edits = vec![TextEdit { old: "x".to_owned(), new: "x\ny".to_owned(), everywhere: false }];
        let edited = |original| FileNews::Edited { path: "/a".to_owned(), original, edits: edits.clone() };
        assert_eq!(line(seen(&[holds("x\n\tif a {\n"), edited(None), refused("    if a {")])), Some(3));
        let original = Some("\tif a {\nx".to_owned());
        assert_eq!(line(seen(&[edited(original), refused("    if a {")])), Some(1));
    }

    #[test]
    fn what_may_have_changed_is_not_known() {
        assert_eq!(seen(&[refused("a")]), SeenFiles::Unknown);
        assert_eq!(seen(&[holds("a"), FileNews::Changed { path: "/a".to_owned() }, refused("b")]), SeenFiles::Unknown);
        let edits = vec![TextEdit { old: "x".to_owned(), ..TextEdit::default() }];
        let edited = FileNews::Edited { path: "/a".to_owned(), original: None, edits };
        assert_eq!(
            seen(&[holds("a"), edited, refused("b")]),
            SeenFiles::Unknown,
            "the edit found nothing in what was known"
        );
        let mut files = KnownFiles::default();
        files.hear(&holds("a"));
        files.forget();
        files.hear(&refused("b"));
        assert_eq!(files.seen(), SeenFiles::Unknown);
        assert_eq!(files.seen(), SeenFiles::Unknown, "an edit ends once");
    }

    #[test]
    fn no_more_than_so_much_is_held() {
        let mut files = KnownFiles::default();
        for number in 0..200 {
            files.hear(&FileNews::Holds { path: number.to_string(), text: "x".repeat(MOST_TEXT / 2) });
        }
        assert_eq!(files.known.len(), 16);
        files.hear(&holds(&"x".repeat(MOST_TEXT + 1)));
        assert_eq!(files.known.len(), 16);
    }
}
