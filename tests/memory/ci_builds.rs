//! Builds of made projects through CI homes that are new each time: which failures fail a build, where the truth is known.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at their files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use failwise::time::stamp_at;
use serde_json::Value;

use crate::kb::Machine;
use crate::team::draw;

/// A made project: what its cases do, whatever anybody knows of them.
struct Project {
    seed: u64,
    /// How often the runner tries a failed case again.
    retries: usize,
    builds: usize,
    /// The commit of main, and of the topic that is worked on.
    main: usize,
    topic: Option<(usize, usize)>,
    /// What is broken on main and on the topic, until which build.
    broken: BTreeMap<String, (usize, bool)>,
    /// After which build a commit of main breaks for good a case that failed by chance, and whether it did.
    for_good: Option<(usize, bool)>,
}

/// The cases that fail by chance, each in one of so many attempts.
const BY_CHANCE: [(&str, usize); 3] = [("half", 2), ("fourth", 4), ("eighth", 8)];
/// The one of them that may break for good.
const BREAKS: &str = "fourth";
/// The one that fails from the beginning.
const RED: &str = "red";
const HOUR: u64 = 60 * 60 * 1000;

/// What a failure of a case is in truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Truth {
    /// The change under test broke it.
    New,
    /// Main has it broken.
    Old,
    Chance,
    /// It failed by chance before and is broken now.
    BrokenChance,
}

/// One build: its report, and the truth of what failed in it.
struct Build {
    report: String,
    commit: String,
    branch: String,
    truths: BTreeMap<String, Truth>,
}

impl Project {
    fn of(number: usize, builds: usize) -> Self {
        let mut seed = 0x5eed_0001 + number as u64 * 7919;
        let retries = [0, 0, 1, 2][draw(&mut seed, 4)];
        let for_good = (draw(&mut seed, 3) == 0).then_some((builds / 2, false));
        Self { seed, retries, builds, main: 0, topic: None, broken: BTreeMap::new(), for_good }
    }

    fn one_in(&mut self, of: usize) -> bool {
        draw(&mut self.seed, of) == 0
    }

    /// The next step of the work: main or a topic, a new commit or the same again, something broken or mended.
    fn build(&mut self, number: usize) -> Build {
        if self.topic.is_some() && self.one_in(3) {
            self.topic = None;
            self.broken.retain(|_, (_, on_main)| *on_main);
        }
        if self.topic.is_none() && number > 0 && self.one_in(2) {
            self.topic = Some((number, 0));
        }
        let on_main = self.topic.is_none();
        let mut fresh = None;
        // Two of three builds are of a commit that was built before: jobs side by side, and those that somebody starts again.
        if self.one_in(3) || number == 0 || self.topic.is_some_and(|(_, commit)| commit == 0) {
            // What is broken on main is mended by a commit of main.
            self.broken.retain(|_, (until, of_main)| *until > number || *of_main && !on_main);
            match &mut self.topic {
                Some((_, commit)) => *commit += 1,
                None => self.main += 1,
            }
            if let Some((after, is_broken)) = &mut self.for_good {
                *is_broken |= on_main && number > *after;
            }
            if self.one_in(3) {
                let name = format!("steady {number}");
                self.broken.insert(name.clone(), (number + 1 + draw(&mut self.seed, 4), on_main));
                fresh = Some(name);
            }
        }
        let (branch, commit) = match self.topic {
            Some((topic, commit)) => (format!("topic-{topic}"), format!("{topic:04x}{commit:04x}beef")),
            None => ("main".to_owned(), format!("{:08x}c0de", self.main)),
        };
        let mut truths = BTreeMap::new();
        let mut cases = String::new();
        let names: Vec<String> = (0..self.builds).map(|number| format!("steady {number}")).collect();
        for name in names.iter().map(String::as_str).chain([RED]).chain(BY_CHANCE.map(|(name, _)| name)) {
            let rate = BY_CHANCE.iter().find(|(chance, _)| *chance == name).map(|(_, of)| *of);
            let truth = match (rate, self.broken.get(name)) {
                (Some(_), _) if name == BREAKS && self.for_good.is_some_and(|(_, is_broken)| is_broken) => {
                    Truth::BrokenChance
                }
                (Some(_), _) => Truth::Chance,
                (None, Some((_, broken_on_main))) => {
                    // Of what main broke the build that broke it is the first to know.
                    if *broken_on_main && fresh.as_deref() != Some(name) { Truth::Old } else { Truth::New }
                }
                (None, None) if name == RED => {
                    if number == 0 {
                        Truth::New
                    } else {
                        Truth::Old
                    }
                }
                (None, None) => continue,
            };
            let mut attempts = 0;
            loop {
                let fails = truth != Truth::Chance || self.one_in(rate.unwrap_or(1));
                let inside = if fails { "<failure message=\"expected 1, got 2\"/>" } else { "" };
                let _ = write!(cases, "<testcase classname=\"made\" name=\"{name}\">{inside}</testcase>");
                attempts += 1;
                if !fails || attempts > self.retries {
                    if fails {
                        truths.insert(name.to_owned(), truth);
                    }
                    break;
                }
            }
        }
        for name in names.iter().filter(|name| !self.broken.contains_key(*name)) {
            let _ = write!(cases, "<testcase classname=\"made\" name=\"{name}\"></testcase>");
        }
        let at = stamp_at(1_772_000_000_000 + number as u64 * HOUR).unwrap_or_default();
        let report =
            format!("<testsuites><testsuite name=\"made\" timestamp=\"{at}\">{cases}</testsuite></testsuites>");
        Build { report, commit, branch, truths }
    }
}

/// What became of the failures of all builds.
#[derive(Debug, Default)]
struct Outcome {
    builds: usize,
    /// How often a failure of each truth was called new, flaky or red.
    called: BTreeMap<(Truth, String), usize>,
    /// Through how many builds that failed with it a case that broke for good was excused as flaky.
    excused: Vec<usize>,
    flaky_right: usize,
    flaky_wrong: Vec<String>,
}

/// Plays projects through five homes: each build begins in an empty one with what an earlier build saved, which is not always
/// the last one, and now and then nothing.
#[expect(clippy::print_stdout, reason = "figures for whoever asks")]
fn play(projects: usize, builds: usize) -> Outcome {
    let mut outcome = Outcome { builds: projects * builds, ..Outcome::default() };
    for number in 0..projects {
        let mut project = Project::of(number, builds);
        let mut saved: Vec<String> = Vec::new();
        let (mut excused, mut was_new) = (0, false);
        for build in 0..builds {
            let home = Machine::new();
            let Build { report, commit, branch, truths } = project.build(build);
            let behind = draw(&mut project.seed, 5) / 3;
            let known = saved.iter().rev().nth(behind).or(saved.last()).cloned();
            let known = known.filter(|_| draw(&mut project.seed, 17) != 0);
            if let Some(known) = &known {
                fs::write(home.project().join("cases.jsonl"), known).unwrap();
                home.asked(&["tests", "import", "cases.jsonl"]);
            }
            fs::write(home.project().join("junit.xml"), &report).unwrap();
            let words = ["tests", "import", "junit.xml", "--commit", &commit, "--branch", &branch];
            let output = home.failwise(&[&words[..], &["--fail-on", "new", "--format", "json"]].concat());
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            let failed = json["failed"].as_array().unwrap();
            assert_eq!(failed.len(), truths.len(), "project {number}, build {build}: {json}");
            let is_any_new = failed.iter().any(|case| case["as"] == "new");
            assert_eq!(output.status.code(), Some(i32::from(is_any_new)), "project {number}, build {build}");
            for case in failed {
                let (truth, called) = (truths[case["name"].as_str().unwrap()], case["as"].as_str().unwrap());
                let what = format!("project {number}, build {build}, {} retries: {case}", project.retries);
                assert!(truth != Truth::New || called == "new", "a new failure is called known: {what}");
                if truth == Truth::BrokenChance {
                    assert!(called != "flaky" || project.retries == 0, "it failed in every attempt: {what}");
                    was_new |= called == "new";
                    excused += usize::from(!was_new && called == "flaky");
                }
                *outcome.called.entry((truth, called.to_owned())).or_default() += 1;
            }
            saved.push(home.asked(&["tests", "export"]));
            if build + 1 == builds {
                let flaky = home.json(&["tests", "flaky", "--format", "json"]);
                let names: BTreeSet<&str> =
                    flaky["cases"].as_array().unwrap().iter().filter_map(|case| case["name"].as_str()).collect();
                let (right, wrong): (Vec<&str>, Vec<&str>) =
                    names.into_iter().partition(|name| BY_CHANCE.iter().any(|(chance, _)| chance == name));
                outcome.flaky_right += right.len();
                outcome.flaky_wrong.extend(wrong.into_iter().map(|name| format!("project {number}: {name}")));
            }
        }
        if project.for_good.is_some() && project.retries == 0 {
            outcome.excused.push(excused);
        }
    }
    println!("{outcome:#?}");
    outcome
}

fn judged(projects: usize, builds: usize) {
    let outcome = play(projects, builds);
    let called =
        |truth: Truth, called: &str| outcome.called.get(&(truth, called.to_owned())).copied().unwrap_or_default();
    assert_eq!(outcome.flaky_wrong, Vec::<String>::new(), "called flaky, and chance does not decide over it");
    assert!(called(Truth::New, "new") >= outcome.builds / 20, "builds break something");
    assert!(called(Truth::Old, "red") > called(Truth::Old, "new"), "what is red on main fails no build");
    // Before a case passed and failed on one commit nobody knows of it, nor after that was lost.
    let (excused, alarms) = (called(Truth::Chance, "flaky"), called(Truth::Chance, "new"));
    assert!(excused * 3 > alarms, "{excused} failures by chance excused, {alarms} called new");
    let excused = outcome.excused.iter().sum::<usize>();
    assert!(excused <= 2 * outcome.excused.len(), "broken for good: {:?}", outcome.excused);
}

#[test]
fn no_new_failure_of_made_projects_is_called_known() {
    judged(3, 20);
}

#[test]
#[ignore = "long: `.ci/run` plays it"]
fn no_new_failure_is_called_known_in_a_thousand_builds() {
    judged(50, 20);
}
