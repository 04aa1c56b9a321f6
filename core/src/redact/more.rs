//! Secrets that only a project knows: what its settings file adds to the kinds that are known here.
//!
//! They belong to the process: whoever redacts anything hides them as well, so that no caller can forget it. They are set
//! before anything is read.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::without;
use crate::own::Secrets;

static MORE: RwLock<Vec<Secrets>> = RwLock::new(Vec::new());
/// Whether there are any, so that a process without them pays nothing.
static IS_ANY: AtomicBool = AtomicBool::new(false);

/// How a mark begins and ends, and how long one is at most.
const MARK: &[u8] = b"[redacted:";
const LONGEST_MARK: usize = 64;

/// From now on the process hides these secrets too.
pub fn also_redact(secrets: Secrets) {
    if !secrets.is_empty()
        && let Ok(mut more) = MORE.write()
    {
        more.push(secrets);
        IS_ANY.store(true, Ordering::Release);
    }
}

/// The text without the secrets that were added; borrowed when there is none.
pub(super) fn without_more(text: &str) -> Cow<'_, str> {
    if !IS_ANY.load(Ordering::Acquire) {
        return Cow::Borrowed(text);
    }
    let mut clean = Cow::Borrowed(text);
    for secrets in MORE.read().iter().flat_map(|more| more.iter()) {
        if let Some(hidden) = hidden_by(secrets, &clean) {
            clean = Cow::Owned(hidden);
        }
    }
    clean
}

/// The text without these secrets; None where it holds none.
pub fn hidden_by(secrets: &Secrets, text: &str) -> Option<String> {
    let mut places = secrets.places(text);
    places.retain(|(place, _)| !is_within_a_mark(text.as_bytes(), place));
    (!places.is_empty()).then(|| without(text, places.into_iter()))
}

/// Whether a place begins or ends within a mark: what a mark says is no secret.
fn is_within_a_mark(text: &[u8], place: &Range<usize>) -> bool {
    [place.start, place.end].into_iter().any(|at| {
        let from = at.saturating_sub(LONGEST_MARK);
        let to = text.len().min(at + MARK.len() - 1);
        let near = text.get(from..to).unwrap_or_default();
        let open = near.windows(MARK.len()).rposition(|window| window == MARK).map(|open| from + open);
        // A place at the very beginning of a mark, or right behind its end, is outside.
        open.is_some_and(|open| open < at && !text.get(open..at).unwrap_or_default().contains(&b']'))
    })
}
