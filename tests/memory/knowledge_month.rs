//! A simulated month of failures: whether what is recalled first is what truly helps most, and whether what stops working
//! is told no longer.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers of a simulation"
)]

use std::collections::BTreeMap;

use failwise::history::{Body, Effect, Event, Execution};
use failwise::knowledge::{KnownFix, Learned, Learner, LessonIndex, PatternRow, Tried};
use failwise::model::{Category, Ids, Operation, Outcome, Proof, Reading, Signature};
use failwise::time::stamp_of;

const FAILURES: usize = 50_000;
const SIGNATURES: usize = 2_000;
const SESSIONS: usize = 3_000;
const MONTH_MS: u64 = 30 * 24 * 60 * 60 * 1000;
const BEGIN: u64 = 1_770_000_000_000;

/// Commands that agents run between two runs for reasons of their own, and how often.
const BYSTANDERS: &[(&str, f64)] =
    &[("docker compose up -d", 0.08), ("pnpm build", 0.12), ("make assets", 0.05), ("cargo xtask setup", 0.03)];
/// How often a failure passes by itself on the next run.
const BY_ITSELF: f64 = 0.15;

/// Numbers by chance that are the same in every run of the test.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.next() * bound as f64) as usize).min(bound - 1)
    }
}

fn pattern(number: usize) -> PatternRow {
    PatternRow {
        fine: format!("{number:016x}"),
        coarse: format!("c{:015x}", number % 40),
        version: Signature::VERSION,
        category: Category::DependencyMissing,
        runner: None,
        operation: format!("task-{number}"),
        line: None,
        placed: false,
    }
}

/// A fix of a signature that helps so often; from a moment on never, where it stops working.
struct Known {
    command: String,
    helps: f64,
    until: u64,
}

fn world(chance: &mut Chance) -> Vec<Vec<Known>> {
    let fix = |signature: usize, number: usize, chance: &mut Chance| Known {
        command: format!("prepare-{signature}-{number} run"),
        helps: 0.05 + 0.94 * chance.next(),
        until: if chance.next() < 0.1 { BEGIN + MONTH_MS / 2 } else { u64::MAX },
    };
    (0..SIGNATURES).map(|signature| (0..3).map(|number| fix(signature, number, chance)).collect()).collect()
}

/// Plays the month: each failure, what ran after it, and the next run.
fn month(chance: &mut Chance, world: &[Vec<Known>]) -> Learned {
    let mut learner = Learner::new(None);
    for number in 0..FAILURES {
        let at = BEGIN + (number as u64) * MONTH_MS / FAILURES as u64;
        // A few signatures come often, most of them seldom.
        let signature = (chance.next().powi(2) * SIGNATURES as f64) as usize;
        let session = format!("s{}", chance.below(SESSIONS));
        let fix = &world[signature][chance.below(3)];
        let bystanders = BYSTANDERS.iter().filter(|(_, often)| chance.next() < *often);
        let mut ran: Vec<&str> = bystanders.map(|(command, _)| *command).collect();
        let tries_the_fix = chance.next() < 0.8;
        if tries_the_fix {
            ran.push(&fix.command);
        }
        let helped = tries_the_fix && at < fix.until && chance.next() < fix.helps;
        let worked = helped || chance.next() < BY_ITSELF;
        let call = |step: usize| format!("{number}-{step}");
        learner.event(&event(&session, &call(0), at, &format!("task-{signature}"), Some(signature)), None);
        for (step, command) in ran.into_iter().enumerate() {
            learner.event(&event(&session, &call(step + 1), at, command, None), None);
        }
        let again = Some(signature).filter(|_| !worked);
        learner.event(&event(&session, &call(9), at, &format!("task-{signature}"), again), None);
        // What failed again is left then.
        learner.event(&event(&session, &call(10), at, &format!("task-{signature} --skip"), None), None);
    }
    learner.finish().learned
}

/// A shell call that succeeded, or failed with this signature.
fn event(session: &str, call: &str, at: u64, command: &str, failed: Option<usize>) -> Event {
    let category = if failed.is_some() { Category::DependencyMissing } else { Category::Unknown };
    let execution = Box::new(Execution {
        tool: Some("Bash".to_owned()),
        outcome: Some(if failed.is_some() { Outcome::Failed } else { Outcome::Succeeded }),
        operation: Some(Operation(command.to_owned())),
        input: Some(command.to_owned()),
        effect: Effect::Shell,
        reading: Some(Reading { category, proof: Proof::Status, ..Reading::unrecognised() }),
        signature: failed.map(|number| {
            let PatternRow { fine, coarse, version, .. } = pattern(number);
            Signature { fine, coarse, version, vague: false }
        }),
        ..Execution::default()
    });
    let body = if failed.is_some() { Body::ExecutionFailed(execution) } else { Body::ExecutionCompleted(execution) };
    let ts = stamp_of(i64::try_from(at).unwrap()).unwrap();
    let ids = Ids { session: Some(session.to_owned()), tool_use: Some(call.to_owned()), ..Ids::default() };
    Event::new(call.to_owned(), &ts, &format!("session/{session}"), &ids, body)
}

/// How often the run passes after a fix: by it, or by itself.
fn truth(fix: &Known) -> f64 {
    fix.helps + (1.0 - fix.helps) * BY_ITSELF
}

#[test]
fn what_is_recalled_first_is_what_helps_most_and_what_stops_working_is_gone() {
    let mut chance = Chance(0x5eed_0015);
    let world = world(&mut chance);
    let learned = month(&mut chance, &world);
    let now = BEGIN + MONTH_MS;
    let index = LessonIndex::of(&learned);
    let (mut pairs, mut in_order, mut beyond, mut told, mut bystanders) = (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    let (mut of_intervals, mut inside) = (0_u32, 0_u32);
    for (signature, fixes) in world.iter().enumerate() {
        let Some(known) = index.known(&pattern(signature).fine, now) else { continue };
        let true_of: BTreeMap<String, &Known> = fixes.iter().map(|fix| (fix.command.clone(), fix)).collect();
        let own: Vec<_> = known
            .fixes
            .iter()
            .filter(|fix| fix.tellable())
            .filter_map(|fix| Some((fix, *true_of.get(&fix.fix.words.line())?)))
            .filter(|(_, fix)| fix.until == u64::MAX)
            .collect();
        if let Some(best) = known.best() {
            told += 1;
            bystanders += u32::from(!fixes.iter().any(|fix| best.fix.words.line().contains(&fix.command)));
        }
        for (at, (first, better)) in own.iter().enumerate() {
            // Two standard deviations of the posterior, and the half-life's share of it.
            let error = |fix: &KnownFix| {
                let confidence = fix.confidence;
                2.0 * (confidence * (1.0 - confidence) / (fix.tried as f64 * 0.8 + 3.0)).sqrt()
            };
            of_intervals += 1;
            inside += u32::from((first.confidence - truth(better)).abs() <= error(first));
            for (second, worse) in &own[at + 1..] {
                pairs += 1;
                in_order += u32::from(truth(better) >= truth(worse));
                beyond += u32::from(truth(worse) - truth(better) > error(first) + error(second));
            }
        }
    }
    println!("{told} signatures with something to tell, {bystanders} of them a bystander alone");
    println!("{in_order} of {pairs} pairs in the order of their true success; {beyond} beyond the posterior's error");
    println!("{inside} of {of_intervals} confidences within two standard deviations of the true success");
    assert!(pairs > 500 && told > 1_000, "too little was simulated");
    // Two independent estimates that are each off by more than two deviations in opposite directions.
    assert!(f64::from(beyond) <= 0.005 * f64::from(pairs), "{beyond} of {pairs}");
    assert!(f64::from(in_order) >= 0.65 * f64::from(pairs), "{in_order} of {pairs}");
    // Only what worked half of the time is told, so that the lucky ones are over-represented.
    assert!(f64::from(inside) >= 0.85 * f64::from(of_intervals), "{inside} of {of_intervals}");
    assert!(f64::from(bystanders) <= 0.02 * f64::from(told), "{bystanders} of {told}");
    let (stopped, told_after) = stopped(&learned, &index, now);
    println!("{stopped} fixes failed the last two times; {told_after} of them are still told");
    assert!(stopped > 100, "too little was simulated");
    assert_eq!(told_after, 0);
}

/// Fixes that failed twice in a row, and how many of them would still be told.
fn stopped(learned: &Learned, index: &LessonIndex<'_>, now: u64) -> (u32, u32) {
    let (mut stopped, mut told_after) = (0, 0);
    let mut by_fix: BTreeMap<&str, Vec<&Tried>> = BTreeMap::new();
    for tried in &learned.tried {
        by_fix.entry(&tried.fix.id).or_default().push(tried);
    }
    for tries in by_fix.values().filter(|tries| tries.len() >= 3) {
        let last = &tries[tries.len() - 2..];
        if last.iter().any(|tried| tried.worked) {
            continue;
        }
        let known = index.known(&last[0].fine, now).unwrap();
        let fix = known.fixes.iter().find(|fix| fix.fix.id == last[0].fix.id).unwrap();
        stopped += 1;
        told_after += u32::from(fix.tellable());
    }
    (stopped, told_after)
}
