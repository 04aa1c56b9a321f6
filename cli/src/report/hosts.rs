//! Sessions by the client that they were sessions of.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::BriefLine;
use crate::model::Host;
use crate::replay::{Analysis, Counters};
use crate::text::{many, share};

/// What the sessions of one client come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostTotals {
    /// The client.
    pub host: Host,
    /// Its name.
    title: &'static str,
    /// The file of its standing instructions.
    instructions: &'static str,
    /// The command that goes on with a session of it, `{}` in the place of the session's id.
    resume: &'static str,
    /// How many sessions.
    pub sessions: u64,
    /// Their counters.
    pub totals: Counters,
}

impl HostTotals {
    fn of(host: Host) -> Self {
        let (title, instructions, resume) = (host.title(), host.instructions(), host.resume());
        Self { host, title, instructions, resume, sessions: 0, totals: Counters::default() }
    }
}

/// What the sessions of each client come to, those with most calls first. The sums are those of the listed sessions.
pub fn hosts(analysis: &Analysis) -> Vec<HostTotals> {
    let mut hosts: BTreeMap<Host, HostTotals> = BTreeMap::new();
    for session in &analysis.sessions {
        let host = session.host.unwrap_or_default();
        let known = hosts.entry(host).or_insert_with(|| HostTotals::of(host));
        known.sessions += 1;
        known.totals.add(&session.counters);
    }
    let mut hosts: Vec<HostTotals> = hosts.into_values().collect();
    hosts.sort_by_key(|it| Reverse(it.totals.calls));
    hosts
}

/// The clients beside each other; None where there is one.
pub(super) fn clients(analysis: &Analysis) -> Option<BriefLine> {
    let hosts = hosts(analysis);
    let said = |it: &HostTotals| {
        let HostTotals { host, totals, .. } = it;
        format!("{} {} of {}", host.title(), share(totals.failed, totals.calls), many(totals.calls, "call", "calls"))
    };
    (hosts.len() > 1).then(|| ("clients", format!("failed: {}", hosts.iter().map(said).collect::<Vec<_>>().join(", "))))
}
