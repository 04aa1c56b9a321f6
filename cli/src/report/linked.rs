//! What the page shows of a failed call behind its link: what it printed, and what its agent called next.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{ReportLead, dearest, returning, unresolved};
use crate::model::Outcome;
use crate::replay::{Analysis, EpisodeSummary, SessionCall};
use crate::text::{head, tail};

/// A failed call, with its output and the calls after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkedCall {
    node: String,
    tool_use_id: String,
    output: Vec<String>,
    /// When each ended, its tool, itself, and what became of it.
    next: Vec<(String, String, String, Outcome)>,
}

/// How much of an output is shown in its first lines, and how much in its last, in bytes.
const FIRST: usize = 400;
const LAST: usize = 1_100;
/// How many calls after the failed one are shown, and within how many of all agents.
const NEXT: usize = 4;
const WITHIN: usize = 64;
/// How many items of a list the page shows, and how many calls of each come before those of other episodes.
const LISTED: usize = 200;
const OF_EACH: usize = 4;
/// The most that all of them come to on a page, in bytes: it is to be sent, and to open at once.
const MOST: usize = 800_000;

impl LinkedCall {
    /// The failed ones of a session's calls.
    pub fn of(calls: &[SessionCall]) -> Vec<Self> {
        let linked = |(number, call): (usize, &SessionCall)| {
            let later = calls.iter().skip(number + 1).take(WITHIN).filter(|it| it.node == call.node);
            Some(Self {
                node: call.node.clone(),
                tool_use_id: call.tool_use_id.clone().filter(|_| call.outcome.is_failure())?,
                output: ends(call.output.as_deref().unwrap_or_default()),
                next: later
                    .take(NEXT)
                    .map(|it| (it.ts.clone(), it.tool.clone(), it.call.clone(), it.outcome))
                    .collect(),
            })
        };
        calls.iter().enumerate().filter_map(linked).collect()
    }

    /// Those that fit a page: first what its lists lead to, then the newest.
    pub(super) fn fitting<'l>(analysis: &Analysis, lead: &'l ReportLead) -> Vec<&'l Self> {
        let recurring: BTreeSet<_> = returning(analysis).iter().take(LISTED).map(|it| &it.signature).collect();
        let again = analysis.episodes.iter().rev().filter(|it| recurring.contains(&it.signature));
        let listed = unresolved(analysis).into_iter().take(LISTED).chain(dearest(analysis).into_iter().take(LISTED));
        let ids = |it: &'_ EpisodeSummary| it.tool_use_ids.iter().take(OF_EACH).cloned().collect::<Vec<_>>();
        let changes = lead.lessons.iter().flat_map(|it| it.calls.iter().cloned());
        let from_lists: BTreeSet<String> = changes.chain(listed.chain(again).flat_map(ids)).collect();
        let mut calls: Vec<&Self> = lead.calls.iter().rev().collect();
        calls.sort_by_key(|call| !from_lists.contains(&call.tool_use_id));
        let mut room = MOST;
        calls.retain(|call| {
            let left = room.checked_sub(call.size());
            room = left.unwrap_or(0);
            left.is_some()
        });
        calls
    }

    fn size(&self) -> usize {
        let next = self.next.iter().map(|(ts, tool, call, _)| ts.len() + tool.len() + call.len());
        self.output.iter().map(String::len).chain(next).sum::<usize>() + self.node.len() + self.tool_use_id.len()
    }
}

/// The first lines of an output and its last, with a mark between them where some are left out.
fn ends(output: &str) -> Vec<String> {
    let cut = [head(output, FIRST), "…", tail(output, LAST)];
    let parts = if output.len() <= FIRST + LAST { &[output][..] } else { &cut };
    let lines = parts.iter().flat_map(|part| part.lines()).filter(|line| !line.trim().is_empty());
    lines.map(str::to_owned).collect()
}
