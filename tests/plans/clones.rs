//! A plan in git: clones that work on different tasks merge without a conflict, and what they both did is settled by name.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts git and looks at the files that it leaves")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// Clones of one repository with a plan, on one machine.
struct Clones {
    dir: TempDir,
}

impl Clones {
    fn new(tasks: usize) -> Self {
        let clones = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(clones.root("a")).unwrap();
        clones.git("a", &["init", "-q", "-b", "main"]);
        clones.done("a", &["init", "--intent", "Water the greenhouse"]);
        clones.done("a", &["add", "feature", "--parent", "MISSION", "--intent", "Valves"]);
        let story = ["add", "story", "--parent", "FEAT-1", "--intent", "Open", "--test-ref", "tests/beds.rs::dry"];
        clones.done("a", &story);
        for task in 1..=tasks {
            clones.done("a", &["add", "task", "--parent", "STORY-0001", "--intent", &format!("Bed {task}")]);
        }
        clones.commit("a");
        for clone in ["b", "c"] {
            let (from, to) = (clones.root("a"), clones.root(clone));
            clones.git("a", &["clone", "-q", from.to_str().unwrap(), to.to_str().unwrap()]);
            crate::trusting::trust(&clones.dir.path().join("home"), &to);
        }
        clones
    }

    fn root(&self, clone: &str) -> PathBuf {
        self.dir.path().join(clone)
    }

    fn command(&self, program: &str, clone: &str) -> Command {
        let mut command = Command::new(program);
        let home = self.dir.path().join("home");
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", home).current_dir(self.root(clone));
        command
    }

    /// Whether git did it.
    fn git_does(&self, clone: &str, words: &[&str]) -> bool {
        let mut git = self.command("git", clone);
        git.args(["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]).args(words);
        git.output().unwrap().status.success()
    }

    fn git(&self, clone: &str, words: &[&str]) {
        assert!(self.git_does(clone, words), "git {words:?} in {clone}");
    }

    fn plan(&self, clone: &str, words: &[&str]) -> (Option<i32>, String) {
        let output = self.command(env!("CARGO_BIN_EXE_failwise"), clone).arg("plan").args(words).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code(), text)
    }

    fn done(&self, clone: &str, words: &[&str]) -> String {
        let (code, text) = self.plan(clone, words);
        assert_eq!(code, Some(0), "{words:?} in {clone}: {text}");
        text
    }

    fn commit(&self, clone: &str) {
        self.git(clone, &["add", "-A"]);
        self.git_does(clone, &["commit", "-q", "-m", "work"]);
    }

    /// Merges another clone's work; the pages in conflict.
    fn merge(&self, into: &str, from: &str) -> Vec<String> {
        self.git(into, &["fetch", "-q", self.root(from).to_str().unwrap(), "main"]);
        if self.git_does(into, &["merge", "-q", "--no-edit", "FETCH_HEAD"]) {
            return Vec::new();
        }
        let output = self.command("git", into).args(["diff", "--name-only", "--diff-filter=U"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    fn status(&self, clone: &str, id: &str) -> String {
        let status: Value = serde_json::from_str(&self.done(clone, &["status", "--format", "json"])).unwrap();
        let nodes = status["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["id"] == id).unwrap()["status"].as_str().unwrap().to_owned()
    }
}

fn task_of(page: &str) -> String {
    let folder = Path::new(page).parent().unwrap().file_name().unwrap().to_str().unwrap();
    folder.split('_').next().unwrap().to_owned()
}

#[test]
fn clones_that_claim_different_tasks_merge_without_a_conflict() {
    let clones = Clones::new(3);
    clones.done("a", &["next"]);
    clones.done("b", &["claim", "TASK-00002"]);
    for clone in ["a", "b"] {
        clones.commit(clone);
    }
    assert_eq!(clones.merge("a", "b"), [""; 0]);
    for id in ["TASK-00001", "TASK-00002", "STORY-0001", "FEAT-1"] {
        assert_eq!(clones.status("a", id), "active", "{id}");
    }
    assert!(clones.done("a", &["validate"]).contains("no problem found"));
    assert!(clones.done("a", &["next"]).starts_with("claimed TASK-00003"));
}

/// Whoever claimed it there cannot be heard here, so that no time frees it.
#[test]
fn a_claim_of_another_machine_is_given_to_nobody_by_itself() {
    let clones = Clones::new(1);
    clones.done("a", &["claim", "TASK-00001", "--session", "s-ann"]);
    let page = "features/FEAT-1_valves/stories/STORY-0001_open/tasks/TASK-00001_bed-1/task.md";
    let page = clones.root("a").join(".claude/plans").join(page);
    let text = fs::read_to_string(&page).unwrap();
    let dated = |line: &str| match line.split_once(": ") {
        Some(("started_at", _)) => "started_at: \"2020-01-01T10:00:00.000Z\"\n".to_owned(),
        Some(("updated_at", _)) => "updated_at: \"2020-01-01T10:05:00.000Z\"\n".to_owned(),
        _ => format!("{line}\n"),
    };
    let text: String = text.lines().map(dated).collect();
    fs::write(&page, text).unwrap();
    clones.commit("a");
    assert_eq!(clones.merge("b", "a"), [""; 0]);
    let status = clones.done("b", &["status"]);
    let why = "claimed on another machine by session/s-ann since 2020-01-01T10:00:00.000Z, last change of its page \
               2020-01-01T10:05:00.000Z";
    assert!(status.contains(&format!("TASK-00001 may be left: {why}")), "{status}");
    for _ in 0..2 {
        assert_eq!(clones.plan("b", &["next"]).0, Some(1), "it is given out a second time");
    }
    let taken = clones.done("b", &["claim", "TASK-00001"]);
    assert!(taken.contains("taken over: claimed on another machine"), "{taken}");
}

#[test]
fn one_task_claimed_in_two_clones_is_one_conflict_in_its_page() {
    for side in ["--mine", "--theirs"] {
        let clones = Clones::new(2);
        clones.done("a", &["claim", "TASK-00001", "--session", "s-ann"]);
        clones.done("b", &["claim", "TASK-00001", "--session", "s-ben"]);
        for clone in ["a", "b"] {
            clones.commit(clone);
        }
        let pages = clones.merge("a", "b");
        assert_eq!(pages.iter().map(|page| task_of(page)).collect::<Vec<_>>(), ["TASK-00001"]);
        let status = clones.done("a", &["status"]);
        assert!(status.contains("mine is active by session/s-ann, theirs is active by session/s-ben"), "{status}");
        assert!(clones.done("a", &["next"]).starts_with("claimed TASK-00002"), "the others are worked");
        assert!(clones.plan("a", &["next"]).1.contains("failwise plan claim TASK-00001 --mine or --theirs"));
        clones.done("a", &["claim", "TASK-00001", side]);
        let shown: Value = serde_json::from_str(&clones.done("a", &["show", "task-1", "--format", "json"])).unwrap();
        assert_eq!(shown["claimed_by"], if side == "--mine" { "session/s-ann" } else { "session/s-ben" });
        clones.commit("a");
        assert!(clones.done("a", &["validate"]).contains("no problem found"));
        assert_eq!(clones.plan("a", &["claim", "TASK-00001", side]).0, Some(1), "it is settled");
    }
}

/// The side that is behind is taken without taking a revision back.
#[test]
fn a_side_that_is_behind_is_taken_and_the_plan_holds() {
    let clones = Clones::new(1);
    for clone in ["a", "b"] {
        clones.done(clone, &["claim", "TASK-00001", "--session", clone]);
    }
    clones.done("a", &["done", "TASK-00001"]);
    for clone in ["a", "b"] {
        clones.commit(clone);
    }
    assert_eq!(clones.merge("a", "b").len(), 1);
    clones.done("a", &["claim", "TASK-00001", "--theirs"]);
    assert!(clones.done("a", &["status"]).contains("TASK-00001  active"));
    assert!(clones.done("a", &["validate"]).contains("no problem found"));
    clones.done("a", &["done", "TASK-00001"]);
    assert!(clones.done("a", &["validate"]).contains("no problem found"));
}

#[test]
fn one_number_given_in_two_clones_is_named_and_given_anew() {
    let clones = Clones::new(1);
    for (clone, intent) in [("a", "Find the valve"), ("b", "Read the sensor")] {
        clones
            .done(clone, &["add", "story", "--parent", "FEAT-1", "--intent", intent, "--test-ref", "tests/beds.rs::x"]);
        clones.done(clone, &["add", "task", "--parent", "STORY-0002", "--intent", intent]);
        clones.commit(clone);
    }
    assert_eq!(clones.merge("a", "b"), [""; 0]);
    let (code, told) = clones.plan("a", &["validate"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("unique_id: STORY-0002") && told.contains("failwise plan renumber STORY-0002"), "{told}");
    assert!(clones.done("a", &["renumber", "STORY-0002"]).contains("renumbered STORY-0003"));
    assert!(clones.done("a", &["renumber", "TASK-00002"]).contains("renumbered TASK-00003"));
    assert!(clones.done("a", &["validate"]).contains("no problem found"));
    let shown: Value = serde_json::from_str(&clones.done("a", &["show", "TASK-00003", "--format", "json"])).unwrap();
    assert_eq!((&shown["parent"], &shown["intent"]), (&"STORY-0003".into(), &"Read the sensor".into()));
    assert!(shown["file"].as_str().unwrap().contains("STORY-0003_read-the-sensor"), "{shown}");
    // One that is there once takes all its references with it.
    clones.done("a", &["depend", "TASK-00001", "--on", "TASK-00003"]);
    clones.done("a", &["renumber", "TASK-00003"]);
    let shown: Value = serde_json::from_str(&clones.done("a", &["show", "TASK-00001", "--format", "json"])).unwrap();
    assert_eq!(shown["depends_on"], serde_json::json!(["TASK-00004"]));
    assert!(clones.done("a", &["validate"]).contains("no problem found"));
}

/// What two clones planned each for itself stays together when one of them gets other numbers.
#[test]
fn a_dependency_follows_the_node_of_its_own_clone() {
    for apart in [true, false] {
        let clones = Clones::new(1);
        for (clone, name) in [("a", "P"), ("b", "Q")] {
            let story = ["add", "story", "--parent", "FEAT-1", "--test-ref", "tests/beds.rs::x", "--intent", name];
            clones.done(clone, &story);
            let story = if apart { "STORY-0002" } else { "STORY-0001" };
            let outline = format!("# Task: First {name}\n# Task: Second {name}\n- after: First {name}\n");
            fs::write(clones.root(clone).join("o.md"), outline).unwrap();
            clones.done(clone, &["expand", story, "o.md"]);
            fs::remove_file(clones.root(clone).join("o.md")).unwrap();
            clones.commit(clone);
        }
        assert_eq!(clones.merge("a", "b"), [""; 0]);
        for id in ["STORY-0002", "TASK-00002", "TASK-00003"] {
            clones.done("a", &["renumber", id]);
        }
        assert!(clones.done("a", &["validate"]).contains("no problem found"), "{apart}");
        let status: Value = serde_json::from_str(&clones.done("a", &["status", "--format", "json"])).unwrap();
        let node =
            |intent: &str| status["nodes"].as_array().unwrap().iter().find(|node| node["intent"] == intent).unwrap();
        for name in ["P", "Q"] {
            let on = &node(&format!("Second {name}"))["depends_on"];
            assert_eq!(on, &serde_json::json!([node(&format!("First {name}"))["id"]]), "{name} {apart}");
        }
    }
}

/// What is found out in two clones is kept, whichever side of the page is taken.
#[test]
fn what_two_clones_found_out_is_kept() {
    for side in ["--mine", "--theirs"] {
        let clones = Clones::new(2);
        for (clone, task, note) in [("a", "TASK-00001", "dates are UTC"), ("b", "TASK-00002", "amounts are cents")] {
            clones.done(clone, &["promote", task, "--note", note]);
            clones.commit(clone);
        }
        assert_eq!(clones.merge("a", "b").len(), 1);
        clones.done("a", &["claim", "FEAT-1", side]);
        let shown = clones.done("a", &["show", "TASK-00001"]);
        assert!(shown.contains("dates are UTC") && shown.contains("amounts are cents"), "{side}: {shown}");
        assert!(clones.done("a", &["validate"]).contains("no problem found"));
    }
}

/// Ten agents in three clones, merges in between: no plan vanishes, no task is done twice, and a conflict is of one task.
/// An agent that works in one of two clones.
struct Agent {
    clone: &'static str,
    session: String,
    holds: Option<String>,
}

/// Ten agents in two clones, and what they did.
struct Crew {
    clones: Clones,
    agents: Vec<Agent>,
    /// Who took a task, by clone.
    took: BTreeMap<String, BTreeSet<&'static str>>,
    /// How often a task was ended.
    ended: BTreeMap<String, usize>,
    /// The tasks whose pages were in conflict.
    met: BTreeSet<String>,
    dice: u64,
}

impl Crew {
    const TASKS: usize = 100;
    const SIDES: [&str; 2] = ["a", "b"];

    fn new(seed: u64) -> Self {
        let agent =
            |number: usize| Agent { clone: Self::SIDES[number % 2], session: format!("s-{number}"), holds: None };
        let (took, ended, met) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self {
            clones: Clones::new(Self::TASKS),
            agents: (0..10).map(agent).collect(),
            took,
            ended,
            met,
            dice: seed | 1,
        }
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        usize::try_from(self.dice % sides as u64).unwrap()
    }

    /// The next step of an agent: it ends its task, or takes one, the next or one of its choice. Whether it did anything.
    fn step(&mut self, number: usize) -> bool {
        let (choice, task) = (self.roll(2), self.roll(Self::TASKS) + 1);
        let agent = &mut self.agents[number];
        if let Some(task) = agent.holds.take() {
            self.clones.done(agent.clone, &["done", &task]);
            *self.ended.entry(task).or_default() += 1;
            return true;
        }
        let task = format!("TASK-{task:05}");
        let words = if choice == 0 { vec!["next"] } else { vec!["claim", &task] };
        let words = [&words[..], &["--session", &agent.session, "--format", "json"]].concat();
        let (code, text) = self.clones.plan(agent.clone, &words);
        assert!(!text.contains("no plan"), "{text}");
        if code != Some(0) {
            return false;
        }
        let taken: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let task = taken["node"].as_str().unwrap().to_owned();
        self.took.entry(task.clone()).or_default().insert(agent.clone);
        agent.holds = Some(task);
        true
    }

    /// One clone takes the other's work; a page in conflict is settled by chance, and who lost a task lets it go.
    fn merge(&mut self, into: usize) {
        let (into, from) = (Self::SIDES[into], Self::SIDES[1 - into]);
        self.clones.commit(into);
        self.clones.commit(from);
        for page in self.clones.merge(into, from) {
            let task = task_of(&page);
            assert_eq!(self.took[&task].len(), 2, "{page} is in conflict, and one clone alone took it");
            let side = ["--mine", "--theirs"][self.roll(2)];
            self.clones.done(into, &["claim", &task, side]);
            self.met.insert(task);
        }
        self.clones.commit(into);
        let text = self.clones.done(into, &["status", "--format", "json"]);
        let status: Value = serde_json::from_str(&text).unwrap();
        let nodes = status["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), Self::TASKS + 3, "no node vanishes");
        for agent in self.agents.iter_mut().filter(|agent| agent.clone == into) {
            let is_mine = |task: &String| {
                let node = nodes.iter().find(|node| node["id"] == **task).unwrap();
                node["status"] == "active" && node["claimed_by"] == format!("session/{}", agent.session)
            };
            agent.holds = agent.holds.take().filter(is_mine);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn ten_agents_in_two_clones_lose_no_plan_and_do_no_task_twice(seed in any::<u64>()) {
        let mut crew = Crew::new(seed);
        for _ in 0..180 {
            if crew.roll(12) == 0 {
                let into = crew.roll(2);
                crew.merge(into);
            } else {
                let number = crew.roll(10);
                crew.step(number);
            }
        }
        // The rest is worked off with what the other clone did at hand.
        let mut at_work = true;
        while at_work {
            (0..2).for_each(|into| crew.merge(into));
            at_work = (0..10).filter(|number| crew.step(*number)).count() > 0;
        }
        for clone in Crew::SIDES {
            for task in 1..=Crew::TASKS {
                let task = format!("TASK-{task:05}");
                prop_assert!(crew.ended[&task] == 1 || crew.met.contains(&task), "{task} was done twice, and nobody said so");
            }
            let text = crew.clones.done(clone, &["validate"]);
            prop_assert!(text.contains("no problem found"), "{text}");
            let status: Value = serde_json::from_str(&crew.clones.done(clone, &["status", "--format", "json"])).unwrap();
            let open = |node: &&Value| node["id"].as_str().unwrap().starts_with("TASK") && node["status"] != "done";
            let open: Vec<&Value> = status["nodes"].as_array().unwrap().iter().filter(open).collect();
            prop_assert!(open.is_empty(), "{open:?}");
        }
    }
}
