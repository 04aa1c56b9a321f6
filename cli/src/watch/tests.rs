use super::*;
use crate::history::EventKind;
use crate::model::{Category, Host, Outcome};

const SESSION: &str = "5d0c1f8e-3a64-4b1e-9b57-2f6c90e7a114";

fn now() -> Time {
    crate::time::parse("2026-03-14T10:00:00Z").unwrap()
}

fn parsed(value: &serde_json::Value) -> Event {
    serde_json::from_value(value.clone()).unwrap()
}

/// A history that the screens are drawn from too.
fn stored() -> Vec<Event> {
    let lines = include_str!("../../../tests/screens/history.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Folds events in, one place a line.
fn folded(watch: &mut Watch, events: &[Event]) -> Vec<WatchEntry> {
    events.iter().enumerate().flat_map(|(at, event)| watch.event(event, at as u64)).collect()
}

#[test]
fn a_failure_and_its_verdict_are_one_entry() {
    let mut watch = Watch::new(None);
    let entries = folded(&mut watch, &stored());
    let chart: Vec<&WatchEntry> = entries.iter().filter(|entry| entry.text == "make chart").collect();
    let seen: Vec<_> = chart.iter().map(|entry| (entry.mark(), entry.attempt, entry.unchanged)).collect();
    let failure = EntryMark::Failure;
    assert_eq!(seen, [(failure(Class::F2), 1, 0), (failure(Class::F2), 2, 1), (failure(Class::F3), 3, 2)]);
    assert!(entries.iter().all(|entry| entry.event != EventKind::ExecutionFailed));
    assert!(watch.settle().is_empty());
    assert_eq!(watch.tally(), StatsCounts { calls: 11, failures: 7, masked: 1, refused: 1, ..StatsCounts::default() });
}

#[test]
fn a_failure_whose_verdict_never_comes_is_shown_all_the_same() {
    let events: Vec<Event> = stored().into_iter().filter(|event| event.verdict().is_none()).collect();
    let mut watch = Watch::new(None);
    let mut entries = folded(&mut watch, &events);
    entries.extend(watch.settle());
    let without = entries.iter().filter(|entry| entry.mark() == EntryMark::Unclassified).count();
    assert_eq!(without, 7);
    assert!(watch.settle().is_empty(), "once");
}

#[test]
fn a_pass_tells_how_many_failures_it_ended() {
    let entries = folded(&mut Watch::new(None), &stored());
    let ended: Vec<_> =
        entries.iter().filter(|entry| entry.ended > 0).map(|entry| (&*entry.text, entry.ended)).collect();
    assert_eq!(ended, [("cargo test", 1)]);
}

#[test]
fn repeats_come_first_and_decisions_stand_beside_them() {
    let mut watch = Watch::new(None);
    folded(&mut watch, &stored());
    let open = watch.open(now(), true);
    let first = &open[0];
    assert_eq!((&*first.open.call, first.open.unchanged, first.class), ("make chart", 2, Some(Class::F3)));
    let retry = open.iter().find(|row| row.open.category == Category::RateLimit).unwrap();
    assert!(retry.next.as_ref().is_some_and(|next| next.starts_with("retry in 40 s, ")), "{:?}", retry.next);
    let masked = open.iter().find(|row| row.open.masked).unwrap();
    assert_eq!(masked.open.category, Category::TestFailure);
}

#[test]
fn a_session_is_picked_by_the_beginning_of_its_id() {
    let mut watch = Watch::new(Some("5d0c"));
    folded(&mut watch, &stored());
    let agents: Vec<String> = watch.agents(now(), true).into_iter().map(|row| row.name).collect();
    assert_eq!(agents, ["5d0c1f", "5d0c1f/af31c0"]);
    watch.restart();
    assert_eq!(watch.tally(), StatsCounts::default());
    folded(&mut watch, &stored());
    assert_eq!(watch.agents(now(), true).len(), 2, "the choice outlives a restart");
}

#[test]
fn a_client_is_picked_by_its_name() {
    let of_codex: Vec<Event> = stored().into_iter().map(|event| Event { host: Host::Codex, ..event }).collect();
    for (host, events, agents) in [(Host::Claude, stored(), 3), (Host::Codex, stored(), 0), (Host::Codex, of_codex, 3)]
    {
        let mut watch = Watch::new(None).of_host(Some(host));
        watch.restart();
        folded(&mut watch, &events);
        assert_eq!(watch.agents(now(), true).len(), agents, "{host}");
    }
}

#[test]
fn agents_that_are_quiet_for_an_hour_are_left_out() {
    let mut watch = Watch::new(None);
    folded(&mut watch, &stored());
    let at = |text: &str| crate::time::parse(text).unwrap();
    assert_eq!(watch.agents(at("2026-03-14T10:01:00Z"), false).len(), 3);
    assert_eq!(watch.agents(at("2026-03-14T10:01:40Z"), false).len(), 1);
    assert_eq!(watch.agents(at("2026-03-14T10:02:01Z"), false).len(), 0);
    assert_eq!(watch.agents(at("2026-03-15T00:00:00Z"), true).len(), 3);
    assert!(watch.open(at("2026-03-15T00:00:00Z"), false).is_empty());
}

#[test]
fn only_so_many_agents_are_kept_the_newest_ones() {
    let mut watch = Watch::new(None);
    let events: Vec<Event> = (0..2 * KEPT)
        .map(|number| {
            let node = format!("session/{number}");
            let prompt = serde_json::json!({"v": 1, "id": "x", "ts": "2026-03-14T09:59:59Z", "event": "state_changed",
                "node": node, "session": number.to_string(), "message": "prompt"});
            parsed(&prompt)
        })
        .collect();
    folded(&mut watch, &events);
    assert_eq!((watch.nodes.len(), watch.agents.len()), (KEPT, KEPT));
    assert_eq!(watch.agents(now(), false)[0].last.session, Some((2 * KEPT - 1).to_string()));
}

#[test]
fn what_other_hands_wrote_shows_no_secret_and_no_escape() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = format!("\u{1b}[2Jpush with {token}\u{202e}\nnow");
    let refused = serde_json::json!({"v": 1, "id": "x", "ts": "t", "event": "call_refused", "node": text, "session": SESSION,
        "agent": text, "reason": text});
    let entry = Watch::new(None).event(&parsed(&refused), 0).pop().unwrap();
    let shown = serde_json::to_string(&entry).unwrap();
    assert!(!shown.contains("a1B2c3D4") && !shown.contains("\\u001b") && !shown.contains('\u{202e}'), "{shown}");
    assert!(entry.text.contains("push with"), "{shown}");
}

#[test]
fn calls_that_did_not_fail_are_quiet_and_say_their_outcome() {
    let denied = serde_json::json!({"v": 1, "id": "x", "ts": "t", "event": "execution_completed", "node": "n",
        "outcome": "denied", "input": "git push --force"});
    let entry = Watch::new(None).event(&parsed(&denied), 0).pop().unwrap();
    assert_eq!(
        (entry.mark(), entry.word().as_str(), entry.outcome),
        (EntryMark::Quiet, "denied", Some(Outcome::Denied))
    );
    assert_eq!(entry.name, "n");
}
