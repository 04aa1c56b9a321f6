//! A session through the rules again.

use std::sync::atomic::AtomicU64;

use super::group::Session;
use super::read::{FileRead, Item};
use crate::engine::News;
use crate::host::payload::PayloadKind;
use crate::host::transcript::{EntryNews, TranscriptEntry};
use crate::model::{Ids, Usage};
use crate::replay::Replay;

impl Session {
    /// Gives what the session tells to each of these replays, with what had to be left out. `counter` and the answer are
    /// those of [`Session::read`].
    pub fn play(&self, replays: &mut [Replay], counter: &AtomicU64) -> Vec<FileRead> {
        for replay in &mut *replays {
            self.files.iter().for_each(|file| replay.file(&file.name));
        }
        if replays.iter().any(Replay::asks_for_folder) {
            let folder = self.begins_in();
            for replay in &mut *replays {
                replay.begins(folder.as_deref());
            }
        }
        let name = |file: usize| self.files.get(file).map_or("", |file| file.name.as_str());
        let with_files = replays.iter().any(Replay::asks_for_files);
        let reads = self.read_with(with_files, counter, |item| {
            for replay in &mut *replays {
                match &item {
                    Item::Entry { file, entry } => {
                        replay.from_line(name(*file), entry.line as u64);
                        feed(replay, entry);
                    }
                    Item::Event { file, line, at, event } => {
                        replay.from_line(name(*file), *line as u64);
                        replay.event(event.as_ref().clone(), *at);
                    }
                }
            }
        });
        for (reason, count) in reads.iter().flat_map(|read| &read.skipped) {
            for replay in &mut *replays {
                replay.skipped(reason, *count);
            }
        }
        reads
    }

    /// Gives each answer of the model: whose it is, when it came, and what it cost.
    pub fn answers(&self, mut each: impl FnMut(&Ids, &str, Usage)) {
        self.read_with(false, &AtomicU64::new(0), |item| {
            let Item::Entry { entry, .. } = item else { return };
            if let EntryNews::Turn { turn, .. } = &entry.told {
                each(&entry.ids, entry.ts.as_deref().unwrap_or_default(), turn.usage);
            }
        });
    }
}

fn feed(replay: &mut Replay, entry: &TranscriptEntry) {
    let ts = entry.ts.as_deref().unwrap_or_default();
    let kind = match &entry.told {
        EntryNews::Event(kind) => kind.as_ref(),
        EntryNews::Turn { turn, before } => return replay.turn(&entry.ids, turn, *before, ts),
        EntryNews::File(news) => return replay.file_news(news),
        EntryNews::Words(words) => return replay.words(&entry.ids, words),
        EntryNews::Waited => return replay.waited(&entry.ids, ts),
        EntryNews::AgentCompleted { agent } => {
            let Some(agent) = agent else { return };
            return replay.agent_completed(entry.ids.session.as_deref(), agent);
        }
    };
    match kind {
        PayloadKind::Call(call) | PayloadKind::ApiError(call) | PayloadKind::Report(call) => {
            replay.call(call, entry.marked_error, ts);
        }
        PayloadKind::Batch(calls) => calls.iter().for_each(|call| replay.call(call, entry.marked_error, ts)),
        PayloadKind::Stop { already_held, last_words, .. } => {
            let last_words = last_words.as_deref();
            replay.news(News::Stop { already_held: *already_held, last_words }, &entry.ids, ts);
        }
        PayloadKind::Background { call, .. } => replay.background(call, ts),
        PayloadKind::Prompt { red_phase } => replay.prompt(&entry.ids, *red_phase, ts),
        PayloadKind::Before(_) | PayloadKind::SessionStart { .. } | PayloadKind::Other => {}
    }
}
