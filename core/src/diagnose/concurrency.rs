//! Calls that met another process or a signal, and work of which only a part was done.

#![expect(clippy::items_after_statements, reason = "a list of words stands where it is read")]

use crate::model::Category;

use super::Mode as M;
use super::facts::CallFacts;
use super::network::not_a_test;
use super::row::{ModeRow, Seen, When, failed, finds, means};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::MultiagentConflict, 96, K::RemoteAhead),
    finds(M::SignalHandling, 94, K::SignalEnded),
    finds(M::PartialFailure, 95, K::Conflict),
    finds(M::PartialFailure, 94, K::PartlyDone).only(not_a_test),
    finds(M::RaceConditions, 95, K::LockHeld).only(not_a_test),
    finds(M::ChildLeakage, 96, K::PortTaken),
    means(M::RaceConditions, 88, &[Category::ResourceBusy]).only(|facts| facts.finding(K::PortTaken).is_none()),
    finds(M::RaceConditions, 97, K::LockHeld).when(When::Hung).only(|facts| !facts.displays()),
    // A signal.
    failed(M::SignalHandling, 90, ended_by_signal).last(),
    // Only a part was done.
    failed(M::PartialFailure, 92, partly_ok),
    failed(M::PartialFailure, 91, failed_beside_others),
    failed(M::PartialFailure, 90, stopped_at_one),
    means(M::PartialFailure, 92, &[Category::MergeConflict]),
    failed(M::PartialFailure, 86, stopped_in_steps).last(),
];

fn ended_by_signal(facts: &CallFacts<'_>) -> Option<Seen> {
    let code = facts.call.exit_code?;
    let name = signal_of(code)?;
    // Git uses 129 for a wrong command line.
    let usage = code == 129 && !facts.is_silent() || facts.line_with(&["timed out"]).is_some();
    (!usage).then(|| Seen::words(format!("status {code} means that signal {name} ended it")))
}

/// The signal by which a program ended that left this status.
pub fn signal_of(code: i32) -> Option<&'static str> {
    const SIGNALS: &[(i32, &str)] = &[
        (129, "HUP"),
        (130, "INT"),
        (131, "QUIT"),
        (132, "ILL"),
        (134, "ABRT"),
        (135, "BUS"),
        (136, "FPE"),
        (137, "KILL"),
        (139, "SEGV"),
        (141, "PIPE"),
        (142, "ALRM"),
        (143, "TERM"),
    ];
    SIGNALS.iter().find(|(status, _)| *status == code).map(|(_, name)| *name)
}

/// An answer that says of several items that some went well.
fn partly_ok(facts: &CallFacts<'_>) -> Option<Seen> {
    let text = facts.stdout();
    // Most outputs hold no field at all.
    if !text.contains("\":") {
        return None;
    }
    let partial = text.contains("\"partial\":true") || text.contains("\"partial\": true");
    let ok = text.contains("\"ok\":true")
        || text.contains("\"ok\": true")
        || text.contains("\"success\":true")
        || text.contains("\"success\": true");
    let bad = text.contains("\"ok\":false")
        || text.contains("\"ok\": false")
        || text.contains("\"success\":false")
        || text.contains("\"success\": false");
    let several = text.contains("\"results\"")
        || text.contains("\"items\"")
        || text.trim_start().starts_with('[')
        || text.lines().filter(|l| l.starts_with('{')).count() > 1;
    (partial || ok && bad && several)
        .then(|| Seen::words("the answer tells of items that succeeded and items that failed"))
}

/// Jobs of a program that runs many and whose status counts those that failed.
fn failed_beside_others(facts: &CallFacts<'_>) -> Option<Seen> {
    let code = facts.call.exit_code?;
    let counts = facts.is_program(&["parallel"]) && (1..=100).contains(&code);
    let some = facts.is_program(&["xargs"]) && code == 123;
    ((counts || some) && !facts.stdout().trim().is_empty())
        .then(|| Seen::words(format!("status {code} means that some of the jobs failed, and others printed results")))
}

/// An object that failed after others of the same call were told as done.
fn stopped_at_one(facts: &CallFacts<'_>) -> Option<Seen> {
    const WORK: &[&str] = &[
        "converting",
        "converted",
        "processing",
        "processed",
        "updating",
        "updated",
        "writing",
        "wrote",
        "compressed",
    ];
    const FAULTS: &[&str] = &["no such file", "not found", "does not exist", "cannot ", "failed", "permission denied"];
    if facts.possible_words(WORK).is_empty() || !not_a_test(facts) {
        return None;
    }
    let objects: Vec<&str> =
        facts.command()?.args.iter().map(String::as_str).filter(|a| !a.starts_with('-') && a.len() > 2).collect();
    let about = |line: &str, words: &[&str]| {
        let lower = line.to_ascii_lowercase();
        let told = words.iter().any(|word| lower.contains(word));
        objects.iter().copied().find(|object| told && line.contains(object))
    };
    let (stream, line) = facts.lines().find(|(_, line)| about(line, FAULTS).is_some())?;
    let failed = about(line, FAULTS)?;
    let done = facts.lines().any(|(_, own)| own != line && about(own, WORK).is_some_and(|done| done != failed));
    done.then(|| Seen {
        words: Some("other objects of the call were done before".to_owned()),
        line: Some((stream, line.to_owned())),
    })
}

/// Steps that are told as done before the one that failed.
fn stopped_in_steps(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.possible_words(&["error", "failed"]).is_empty() || !not_a_test(facts) {
        return None;
    }
    const DONE: &[&str] = &[
        "created",
        "copied",
        "uploaded",
        "deployed",
        "applied",
        "sent",
        "deleted",
        "updated",
        "migrated",
        "installed",
        "configured",
        "written",
        "imported",
    ];
    let first = |line: &str| {
        line.split([' ', ':'])
            .next()
            .unwrap_or_default()
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_ascii_lowercase()
    };
    let done = facts.lines().filter(|(_, line)| {
        DONE.contains(&first(line).as_str())
            || line.ends_with(": ok")
            || line.ends_with("... ok")
            || line.ends_with(" done")
            || line.ends_with("... done")
    });
    let count = done.count();
    let fault = facts.lines().find(|(_, line)| {
        let lower = line.to_ascii_lowercase();
        lower.starts_with("error")
            || lower.starts_with("failed")
            || lower.contains(" failed")
            || lower.contains(": failed")
    })?;
    (count >= 1).then(|| Seen {
        words: Some("some steps were done before".to_owned()),
        line: Some((fault.0, fault.1.to_owned())),
    })
}
