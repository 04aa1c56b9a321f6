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
    known: VecDeque<KnownFile>,
    /// The edit whose end comes next.
    asked: Option<(String, Vec<TextEdit>)>,
}

/// What a file holds: a text as JSON writes it, and what was replaced in it since.
#[derive(Debug)]
struct KnownFile {
    path: String,
    json: String,
    edits: Vec<TextEdit>,
}

impl KnownFile {
    fn text(&self) -> Option<String> {
        let text: String = serde_json::from_str(&self.json).ok()?;
        self.edits.iter().try_fold(text, |text, edit| edit.applied(&text)).filter(|text| text.len() <= MOST_TEXT)
    }
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
            FileNews::Holds { path, json } => self.keep(path, Some(json.clone()), &[]),
            FileNews::Changed { path } => self.keep(path, None, &[]),
            FileNews::Refused { path, edits } => self.asked = Some((path.clone(), edits.clone())),
            FileNews::Edited { path, json, edits } => {
                let before = json.clone().or_else(|| serde_json::to_string(&self.text(path)?).ok());
                self.keep(path, before.filter(|_| !edits.is_empty()), edits);
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
        known.map_or(SeenFiles::Unknown, |(text, edits)| SeenFiles::Known(misfit_in(&text, &edits)))
    }

    fn text(&self, path: &str) -> Option<String> {
        self.known.iter().find(|known| known.path == path)?.text()
    }

    fn keep(&mut self, path: &str, json: Option<String>, edits: &[TextEdit]) {
        self.known.retain(|known| known.path != path);
        let new = json.filter(|json| json.len() <= 2 * MOST_TEXT);
        self.known.extend(new.map(|json| KnownFile { path: path.to_owned(), json, edits: edits.to_vec() }));
        let of_edits = |edits: &[TextEdit]| edits.iter().map(|edit| edit.old.len() + edit.new.len()).sum::<usize>();
        let held = |all: &VecDeque<KnownFile>| all.iter().map(|it| it.json.len() + of_edits(&it.edits)).sum::<usize>();
        while self.known.len() > MOST_FILES || held(&self.known) > MOST_HELD {
            self.known.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(text: &str) -> FileNews {
        FileNews::Holds { path: "/a".to_owned(), json: json!(text).to_string() }
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
        let edited = |json| FileNews::Edited { path: "/a".to_owned(), json, edits: edits.clone() };
        assert_eq!(line(seen(&[holds("x\n\tif a {\n"), edited(None), refused("    if a {")])), Some(3));
        let original = Some(json!("\tif a {\nx").to_string());
        assert_eq!(line(seen(&[edited(original), refused("    if a {")])), Some(1));
    }

    #[test]
    fn what_may_have_changed_is_not_known() {
        assert_eq!(seen(&[refused("a")]), SeenFiles::Unknown);
        assert_eq!(seen(&[holds("a"), FileNews::Changed { path: "/a".to_owned() }, refused("b")]), SeenFiles::Unknown);
        let edits = vec![TextEdit { old: "x".to_owned(), ..TextEdit::default() }];
        let edited = FileNews::Edited { path: "/a".to_owned(), json: None, edits };
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
            files.hear(&FileNews::Holds { path: number.to_string(), json: "x".repeat(MOST_TEXT / 2) });
        }
        assert_eq!(files.known.len(), 16);
        files.hear(&holds(&"x".repeat(2 * MOST_TEXT)));
        assert_eq!(files.known.len(), 16);
    }
}
