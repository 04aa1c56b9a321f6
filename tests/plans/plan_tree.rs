//! Plan trees of both layouts on disk, and the facts that are read from them.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test builds its project on disk and fails by panicking"
)]

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use failwise::{
    model::{Constraint, ConstraintKind, ForeignArtifact, PlanFacts},
    place::plan_in,
    plan::{PlanError, PlanTree},
};
use tempfile::TempDir;

/// How the made-up project keeps its nodes.
#[derive(Debug, Clone, Copy)]
enum Layout {
    /// A task is a file, ids stand alone.
    Flat,
    /// Every node is a folder, named by id and slug.
    Folders,
}

impl Layout {
    const BOTH: [Self; 2] = [Self::Flat, Self::Folders];

    fn mission(self) -> &'static str {
        match self {
            Self::Flat => "mission.md",
            Self::Folders => "mission/mission.md",
        }
    }

    fn initiative(self, id: &str) -> String {
        match self {
            Self::Flat => format!("initiatives/{id}.md"),
            Self::Folders => format!("initiatives/{id}_greenhouse/initiative.md"),
        }
    }

    fn folder(self, id: &str) -> String {
        match self {
            Self::Flat => id.to_owned(),
            Self::Folders => format!("{id}_some-slug"),
        }
    }

    fn feature(self, id: &str) -> String {
        format!("features/{}/feature.md", self.folder(id))
    }

    fn story(self, feature: &str, id: &str) -> String {
        format!("features/{}/stories/{}/story.md", self.folder(feature), self.folder(id))
    }

    fn tasks(self, feature: &str, story: &str) -> String {
        format!("features/{}/stories/{}/tasks", self.folder(feature), self.folder(story))
    }

    fn task(self, feature: &str, story: &str, id: &str) -> String {
        let tasks = self.tasks(feature, story);
        match self {
            Self::Flat => format!("{tasks}/{id}.md"),
            Self::Folders => format!("{tasks}/{id}_water-the-beds/task.md"),
        }
    }
}

struct Project {
    root: TempDir,
    plans: PathBuf,
}

impl Project {
    fn new(place: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let plans = root.path().join(place);
        fs::create_dir_all(&plans).unwrap();
        Self { root, plans }
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.plans.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn node(&self, file: &str, block: &str) {
        self.write(file, &format!("---\n{block}\n---\n## Notes\nstatus: not this one\n"));
    }

    fn activate(&self, feature: &str, story: &str, task: &str, phase: &str) {
        let text = format!(
            r#"{{"schema_version":1,"active":{{"mission":"MISSION","initiative":"INIT-001","feature":"{feature}",
            "story":"{story}","task":"{task}"}},"blocked":[],"frozen":[],"context_anchors":{{"current_phase":"{phase}"}}}}"#
        );
        self.write("active.json", &text);
    }

    fn tree(&self) -> PlanTree {
        PlanTree::open(&self.plans).unwrap()
    }

    fn facts(&self, node: &str) -> PlanFacts {
        self.tree().facts(node)
    }
}

/// A greenhouse that waters itself: two features, two stories in the first, three tasks in its first story.
fn greenhouse(layout: Layout) -> Project {
    let project = Project::new(".claude/plans");
    project.activate("FEAT-1", "STORY-0001", "TASK-00002", "P3_GREEN");
    project.node(layout.mission(), "id: MISSION\ntier: 0\nconstraints: {required_checks: [make check]}");
    project.node(
        &layout.initiative("INIT-001"),
        "id: INIT-001\ntier: 1\nparent: MISSION\n\
         constraints:\n  forbidden_dependencies: [left-pad]\n  forbidden_commands:\n    - git push",
    );
    project.node(
        &layout.feature("FEAT-1"),
        "id: FEAT-1\ntier: 2\nparent: INIT-001\nstatus: active\n\
         constraints:\n  forbidden_paths: [firmware/**]\n  protected_files:\n  - calibration.toml",
    );
    project.node(&layout.feature("FEAT-2"), "id: FEAT-2\ntier: 2\nparent: INIT-001\nstatus: planned");
    project.node(&layout.story("FEAT-1", "STORY-0001"), "id: STORY-0001\ntier: 3\nparent: FEAT-1\nstatus: active");
    project.node(&layout.story("FEAT-1", "STORY-0002"), "id: STORY-0002\ntier: 3\nparent: FEAT-1\nstatus: planned");
    project.node(&layout.story("FEAT-2", "STORY-0003"), "id: STORY-0003\ntier: 3\nparent: FEAT-2\nstatus: planned");
    let task = |feature: &str, story: &str, id: &str, status: &str, rest: &str| {
        let block = format!("id: {id}\ntier: 4\nparent: {story}\nstatus: {status}\n{rest}");
        project.node(&layout.task(feature, story, id), &block);
    };
    task("FEAT-1", "STORY-0001", "TASK-00001", "done", "artifacts: [src/sensor.rs, src/lib.rs]");
    task(
        "FEAT-1",
        "STORY-0001",
        "TASK-00002",
        "active",
        "intent: \"Open: the valve\"\ndepends_on: [TASK-00001, TASK-00099]\n\
         artifacts:\n  - path: src/valve.rs\n    functions: [open, close]\n  - path: ./src/lib.rs\n\
         revision: 5\nrevision_at_status_active: 2\ncontext_budget: 2000\nactual_tokens: 3000\nfailed_attempts: 2",
    );
    task("FEAT-1", "STORY-0001", "TASK-00003", "planned", "artifacts: [{path: src/schedule.rs}]");
    task("FEAT-1", "STORY-0002", "TASK-00004", "planned", "artifacts: [src/shared.rs]");
    task("FEAT-2", "STORY-0003", "TASK-00005", "planned", "artifacts: [web/chart.ts, src/shared.rs]");
    task("FEAT-2", "STORY-0003", "TASK-00006", "discarded", "artifacts: [web/old.ts]");
    project
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn a_task_has_the_same_facts_in_both_layouts() {
    for layout in Layout::BOTH {
        let project = greenhouse(layout);
        let tree = project.tree();
        assert_eq!(tree.active(), Some("TASK-00002"), "{layout:?}");
        let facts = tree.facts("TASK-00002");
        assert_eq!(facts.parent.as_deref(), Some("STORY-0001"));
        assert_eq!((facts.tier, facts.status.as_deref()), (Some(4), Some("active")));
        assert_eq!(sorted(facts.siblings), ["TASK-00001", "TASK-00003"]);
        assert_eq!(facts.artifacts, ["src/valve.rs", "src/lib.rs"]);
        assert_eq!((facts.failed_attempts, facts.revisions, facts.token_overrun), (Some(2), Some(3), Some(0.5)));
        assert!(!facts.red_phase);
        assert_eq!(facts.conflict, None);
    }
}

#[test]
fn constraints_come_from_all_ancestors_nearest_first() {
    let constraint =
        |from: &str, kind, value: &str| Constraint { from: from.to_owned(), kind, value: value.to_owned() };
    let expected = [
        constraint("FEAT-1", ConstraintKind::ForbiddenPath, "firmware/**"),
        constraint("FEAT-1", ConstraintKind::ProtectedFile, "calibration.toml"),
        constraint("INIT-001", ConstraintKind::ForbiddenDependency, "left-pad"),
        constraint("INIT-001", ConstraintKind::ForbiddenCommand, "git push"),
        constraint("MISSION", ConstraintKind::RequiredCheck, "make check"),
    ];
    for layout in Layout::BOTH {
        let project = greenhouse(layout);
        assert_eq!(project.facts("TASK-00002").constraints, expected, "{layout:?}");
        assert_eq!(project.facts("FEAT-1").constraints, expected, "{layout:?}");
        assert_eq!(project.facts("TASK-00005").constraints, expected[2..], "{layout:?}");
    }
}

#[test]
fn the_nodes_above_tell_what_they_have_left() {
    let above = |facts: PlanFacts| -> Vec<(String, u8, Option<String>, u32)> {
        facts.ancestors.into_iter().map(|above| (above.id, above.tier, above.status, above.replans_left)).collect()
    };
    let node = |id: &str, tier, status: Option<&str>, left| (id.to_owned(), tier, status.map(str::to_owned), left);
    let expected = [
        node("STORY-0001", 3, Some("active"), 3),
        node("FEAT-1", 2, Some("active"), 2),
        node("INIT-001", 1, None, 0),
        node("MISSION", 0, None, 0),
    ];
    for layout in Layout::BOTH {
        let project = greenhouse(layout);
        assert_eq!(above(project.facts("TASK-00002")), expected, "{layout:?}");
        assert_eq!(above(project.facts("STORY-0001")), expected, "a story can be replanned itself");
        assert_eq!(above(project.facts("FEAT-1")), expected[1..], "{layout:?}");
        let long =
            format!("id: FEAT-1\ntier: 2\nparent: INIT-001\nstatus: {}\nreplan_budget_remaining: 1", "x".repeat(200));
        project.node(&layout.feature("FEAT-1"), &long);
        assert_eq!(above(project.facts("TASK-00002"))[1], node("FEAT-1", 2, None, 1), "{layout:?}");
    }
}

#[test]
fn dependencies_tell_status_and_files() {
    for layout in Layout::BOTH {
        let facts = greenhouse(layout).facts("TASK-00002");
        let told: Vec<_> = facts.depends_on.iter().map(|one| (one.id.as_str(), one.status.as_str())).collect();
        assert_eq!(told, [("TASK-00001", "done"), ("TASK-00099", "unknown")], "{layout:?}");
        assert_eq!(facts.depends_on[0].artifacts, ["src/sensor.rs", "src/lib.rs"]);
    }
}

fn planned(feature: &str, path: &str, task: &str) -> ForeignArtifact {
    ForeignArtifact { feature: feature.to_owned(), path: path.to_owned(), task: task.to_owned(), active: false }
}

#[test]
fn foreign_files_are_those_that_only_other_features_plan() {
    for layout in Layout::BOTH {
        let foreign = greenhouse(layout).facts("TASK-00002").foreign_artifacts;
        // What another story of the own feature plans is told, too; another feature's share of it is not.
        let shared = planned("FEAT-1", "src/shared.rs", "TASK-00004");
        assert_eq!(foreign, [shared, planned("FEAT-2", "web/chart.ts", "TASK-00005")], "{layout:?}");
    }
}

#[test]
fn a_failure_is_compared_with_the_foreign_files_that_it_names() {
    for layout in Layout::BOTH {
        let project = greenhouse(layout);
        let tree = project.tree();
        let about = |file: &str| tree.facts_about("TASK-00002", &[file.to_owned()]).foreign_artifacts;
        let chart = planned("FEAT-2", "web/chart.ts", "TASK-00005");
        for file in ["web/chart.ts", "/home/me/greenhouse/web/chart.ts", "chart.ts"] {
            assert_eq!(about(file), std::slice::from_ref(&chart), "{layout:?} {file}");
        }
        for file in ["web/old.ts", "web/chart.tsx", "art.ts", "FEAT-2", ""] {
            assert_eq!(about(file), [], "{layout:?} {file}");
        }
        let all = tree.facts("TASK-00002");
        let none = tree.facts_about("TASK-00002", &[]);
        assert_eq!(PlanFacts { foreign_artifacts: all.foreign_artifacts.clone(), ..none }, all);
    }
}

#[test]
fn siblings_share_the_parent_not_only_the_folder() {
    for layout in Layout::BOTH {
        let project = greenhouse(layout);
        let moved = "id: TASK-00007\nparent: STORY-0002\nstatus: planned";
        project.node(&layout.task("FEAT-1", "STORY-0001", "TASK-00007"), moved);
        fs::create_dir(project.plans.join(layout.tasks("FEAT-1", "STORY-0001")).join("scratch")).unwrap();
        assert_eq!(sorted(project.facts("TASK-00002").siblings), ["TASK-00001", "TASK-00003"], "{layout:?}");
        assert_eq!(project.facts("STORY-0001").siblings, ["STORY-0002"], "{layout:?}");
        assert_eq!(project.facts("FEAT-2").siblings, ["FEAT-1"], "{layout:?}");
    }
}

#[test]
fn a_node_without_a_parent_field_belongs_to_the_folder_around_it() {
    for layout in Layout::BOTH {
        let project = greenhouse(layout);
        project.node(&layout.task("FEAT-1", "STORY-0001", "TASK-00008"), "id: TASK-00008\nstatus: planned");
        let facts = project.facts("TASK-00008");
        assert_eq!(facts.parent.as_deref(), Some("STORY-0001"), "{layout:?}");
        assert_eq!(facts.tier, Some(4));
        assert_eq!(facts.siblings.len(), 3);
        assert_eq!((facts.failed_attempts, facts.revisions, facts.token_overrun), (None, None, None));
    }
}

#[test]
fn measures_that_cannot_be_taken_are_not_there() {
    let project = greenhouse(Layout::Folders);
    let task = Layout::Folders.task("FEAT-1", "STORY-0001", "TASK-00002");
    let measures = |fields: &str| {
        project.node(&task, &format!("id: TASK-00002\n{fields}"));
        let facts = project.facts("TASK-00002");
        (facts.revisions, facts.token_overrun)
    };
    assert_eq!(measures("revision: 1\nactual_tokens: 10"), (None, None));
    assert_eq!(
        measures("revision: 1\nrevision_at_status_active: 2\nactual_tokens: 9\ncontext_budget: 0"),
        (None, None)
    );
    let within = "revision: 2\nrevision_at_status_active: 2\nactual_tokens: 9\ncontext_budget: 10";
    assert_eq!(measures(within), (Some(0), Some(0.0)));
}

#[test]
fn subfeatures_are_part_of_their_feature() {
    let project = greenhouse(Layout::Folders);
    let sub = "features/FEAT-1_some-slug/subfeatures/FEAT-9_pumps";
    let block = "id: FEAT-9\ntier: 2\nparent: FEAT-1\nconstraints: {forbidden_paths: [old]}";
    project.node(&format!("{sub}/feature.md"), block);
    project.node(&format!("{sub}/stories/STORY-0009_a/story.md"), "id: STORY-0009\ntier: 3\nparent: FEAT-9");
    project.node(
        &format!("{sub}/stories/STORY-0009_a/tasks/TASK-00090_b/task.md"),
        "id: TASK-00090\ntier: 4\nparent: STORY-0009\nartifacts: [src/pump.rs]",
    );
    let facts = project.facts("TASK-00090");
    assert_eq!(facts.parent.as_deref(), Some("STORY-0009"));
    let from: Vec<_> = facts.constraints.iter().map(|constraint| constraint.from.as_str()).collect();
    assert_eq!(from, ["FEAT-9", "FEAT-1", "FEAT-1", "INIT-001", "INIT-001", "MISSION"]);
    let elsewhere: Vec<_> = facts.foreign_artifacts.iter().filter(|one| !facts.is_below(&one.feature)).collect();
    assert_eq!(elsewhere.len(), 1);
    assert!(
        project
            .facts("TASK-00002")
            .foreign_artifacts
            .iter()
            .all(|one| one.feature == "FEAT-1" || one.path != "src/pump.rs")
    );
}

#[test]
fn the_red_phase_is_the_active_nodes_or_its_own() {
    let project = greenhouse(Layout::Folders);
    project.activate("FEAT-1", "STORY-0001", "TASK-00002", "P2_RED");
    assert!(project.facts("TASK-00002").red_phase);
    assert!(!project.facts("TASK-00003").red_phase);
    project.node(&Layout::Folders.task("FEAT-1", "STORY-0001", "TASK-00003"), "id: TASK-00003\nphase: P2_RED");
    assert!(project.facts("TASK-00003").red_phase);
}

const DETECTED: &str = r#"{"conflict_id":"CONFLICT-00003","detected_at":"2031-02-01T08:00:00.000Z","layer":"L1","type":"file_overlap","participants":[{"task":"TASK-00002","role":"proposed"},{"task":"TASK-00003","role":"pending-confirm"}],"resolution":null,"resolved_at":null}"#;
const RESOLVED: &str =
    r#"{"ts":"2031-02-01T09:00:00Z","conflict_id":"CONFLICT-00003","resolution":"sequential","resolved_by":"user"}"#;

#[test]
fn conflicts_are_those_of_the_log_and_of_frozen_nodes() {
    let project = greenhouse(Layout::Folders);
    let told = |node: &str| project.facts(node).conflict.map(|conflict| (conflict.id, conflict.with));
    let with = |other: &str| Some(("CONFLICT-00003".to_owned(), Some(other.to_owned())));
    project.write("conflicts.jsonl", &format!("{DETECTED}\n"));
    assert_eq!(told("TASK-00002"), with("TASK-00003"));
    assert_eq!(told("TASK-00003"), with("TASK-00002"));
    assert_eq!(told("TASK-00001"), None);

    project.write("conflicts.jsonl", &format!("{DETECTED}\n{RESOLVED}\n"));
    assert_eq!(told("TASK-00002"), None);

    let task = Layout::Folders.task("FEAT-1", "STORY-0001", "TASK-00002");
    project.node(&task, "id: TASK-00002\nparent: STORY-0001\nstatus: frozen\nconflict_id: CONFLICT-00003");
    assert_eq!(told("TASK-00002"), None, "the conflict is over, whatever the node still says");
    project.write("conflicts.jsonl", &format!("{DETECTED}\n"));
    assert_eq!(told("TASK-00002"), with("TASK-00003"));
    project.write("conflicts.jsonl", "");
    assert_eq!(told("TASK-00002"), Some(("CONFLICT-00003".to_owned(), None)), "the log forgot it");
    project.node(&task, "id: TASK-00002\nparent: STORY-0001\nstatus: planned\nconflict_id: CONFLICT-00003");
    assert_eq!(told("TASK-00002"), None);
}

#[test]
fn only_the_end_of_a_long_conflict_log_is_read() {
    let project = greenhouse(Layout::Flat);
    let pad = format!("{{\"conflict_id\":\"CONFLICT-00009\",\"note\":\"{}\"}}", "x".repeat(300_000));
    project.write("conflicts.jsonl", &format!("{DETECTED}\n{pad}\n"));
    assert_eq!(project.facts("TASK-00002").conflict, None);
    project.write("conflicts.jsonl", &format!("{pad}\n{DETECTED}"));
    assert_eq!(project.facts("TASK-00002").conflict.unwrap().id, "CONFLICT-00003");
}

#[test]
fn the_plan_is_found_by_its_mission() {
    const MISSION: &str = "---\nid: MISSION\ntier: 0\n---\n";
    let old = Project::new(".aura/plans");
    assert_eq!(plan_in(old.root.path(), None), None);
    assert!(matches!(PlanTree::open(&old.plans), Err(PlanError::Unreadable { .. })));
    old.write("mission.md", MISSION);
    assert_eq!(plan_in(old.root.path(), None).as_deref(), Some(old.plans.as_path()));

    let new = old.root.path().join(".claude/plans");
    fs::create_dir_all(new.join("mission")).unwrap();
    assert_eq!(plan_in(old.root.path(), None).as_deref(), Some(old.plans.as_path()));
    fs::write(new.join("mission/mission.md"), MISSION).unwrap();
    assert_eq!(plan_in(old.root.path(), None), Some(new));

    let elsewhere = Project::new("elsewhere");
    assert_eq!(plan_in(old.root.path(), Some(&elsewhere.plans)), None);
    elsewhere.write("mission.md", MISSION);
    assert_eq!(plan_in(old.root.path(), Some(&elsewhere.plans)).as_deref(), Some(elsewhere.plans.as_path()));
    assert_eq!(
        plan_in(elsewhere.root.path(), Some(Path::new("elsewhere"))).as_deref(),
        Some(elsewhere.plans.as_path())
    );
}

#[test]
fn what_was_active_is_not_known_where_its_file_is_lost() {
    let project = greenhouse(Layout::Flat);
    assert!(PlanTree::open(&project.plans).unwrap().active().is_some());
    for text in
        ["{\n\"active\": 7}", "<<<<<<< HEAD\n{}", &format!("{{\"active\":{{}},\"pad\":\"{}\"}}", "x".repeat(70_000))]
    {
        project.write("active.json", text);
        assert_eq!(PlanTree::open(&project.plans).unwrap().active(), None, "{}", &text[..10]);
    }
}

#[test]
fn broken_front_matter_costs_its_field_alone() {
    let project = greenhouse(Layout::Folders);
    let task = Layout::Folders.task("FEAT-1", "STORY-0001", "TASK-00002");
    let broken = "id: TASK-00002\nparent: STORY-0001\nartifacts: [a.rs, b.rs\nrevision: many\nfailed_attempts: 3";
    project.node(&task, &format!("{broken}\nrevision_at_status_active: 1"));
    let facts = project.facts("TASK-00002");
    assert_eq!((facts.artifacts.len(), facts.revisions, facts.failed_attempts), (0, None, Some(3)));

    project.write(&task, "no front matter at all");
    let facts = project.facts("TASK-00002");
    assert_eq!((facts.parent.as_deref(), facts.status), (Some("STORY-0001"), None));
}

#[test]
fn unknown_nodes_and_hostile_ids_have_no_facts() {
    let project = greenhouse(Layout::Folders);
    for node in ["session-7c", "TASK-0000", "../..", "", "TASK-00002/../TASK-00001", "*"] {
        let facts = project.facts(node);
        assert_eq!(facts, PlanFacts { node: node.to_owned(), ..PlanFacts::default() }, "{node}");
    }
}

#[test]
fn a_folder_that_states_another_id_is_another_node() {
    let project = greenhouse(Layout::Folders);
    let tasks = Layout::Folders.tasks("FEAT-1", "STORY-0001");
    project.node(&format!("{tasks}/TASK-1_a/task.md"), "id: TASK-1_a\nstatus: planned");
    project.node(&format!("{tasks}/TASK-1_b/task.md"), "id: TASK-1\nstatus: active");
    assert_eq!(project.facts("TASK-1").status.as_deref(), Some("active"));
    assert_eq!(project.facts("TASK-1_a").status.as_deref(), Some("planned"));
}

#[test]
fn circles_of_parents_end() {
    let project = greenhouse(Layout::Folders);
    project.node(&Layout::Folders.story("FEAT-1", "STORY-0001"), "id: STORY-0001\nparent: TASK-00002");
    let constraints = project.facts("TASK-00002").constraints;
    assert_eq!(constraints.iter().map(|one| one.from.as_str()).collect::<Vec<_>>(), ["MISSION"]);
    project.node(Layout::Folders.mission(), "id: MISSION\nparent: MISSION");
    assert_eq!(project.facts("MISSION").parent.as_deref(), Some("MISSION"));
}

#[test]
fn bombs_and_towers_cost_little() {
    let project = greenhouse(Layout::Folders);
    let task = Layout::Folders.task("FEAT-1", "STORY-0001", "TASK-00002");
    let mut bomb = String::from("id: TASK-00002\nparent: STORY-0001\nartifacts:\n  a0: &a0 [x, x]\n");
    for level in 1..40 {
        writeln!(bomb, "  a{level}: &a{level} [*a{0}, *a{0}]", level - 1).unwrap();
    }
    project.node(&task, &bomb);
    assert_eq!(project.facts("TASK-00002").artifacts.len(), 0);
    for tower in ["[", "{a: ", "- ", "? ", "!!a &b ", "\"", "|\n  ", "a: ", "[a]: ", " ", "\n ", "# ", "x, "] {
        project.node(&task, &format!("id: TASK-00002\nartifacts: {}", tower.repeat(60_000 / tower.len())));
        let start = Instant::now();
        assert_eq!(project.facts("TASK-00002").node, "TASK-00002");
        // Far above what linear time takes even in a debug build on a busy machine, far below quadratic time.
        assert!(start.elapsed() < Duration::from_secs(5), "{tower}: {:?}", start.elapsed());
    }
}

#[test]
fn large_files_are_as_if_without_fields() {
    let project = greenhouse(Layout::Folders);
    let task = Layout::Folders.task("FEAT-1", "STORY-0001", "TASK-00002");
    project.node(&task, &format!("id: TASK-00002\nstatus: active\nintent: {}", "x".repeat(70_000)));
    assert_eq!(project.facts("TASK-00002").status, None);
}

#[test]
fn a_crowd_of_folders_hides_no_active_node() {
    let project = greenhouse(Layout::Folders);
    for crowd in 0..60 {
        for story in 0..40 {
            let folder = format!("features/FEAT-0{crowd:02}_crowd/stories/STORY-{crowd:02}{story:02}_x");
            fs::create_dir_all(project.plans.join(folder)).unwrap();
        }
    }
    let facts = project.facts("TASK-00002");
    assert_eq!(facts.parent.as_deref(), Some("STORY-0001"));
    assert_eq!(facts.siblings.len(), 2);
    let from: Vec<_> = facts.constraints.iter().map(|constraint| constraint.from.as_str()).collect();
    assert_eq!(from, ["FEAT-1", "FEAT-1", "INIT-001", "INIT-001", "MISSION"]);
}

#[test]
fn lists_are_bounded() {
    let project = greenhouse(Layout::Flat);
    let many = |what: &str, most: usize| (0..most).map(|n| format!("{what}-{n}")).collect::<Vec<_>>().join(", ");
    for n in 0..80 {
        let own = format!("id: TASK-1{n:03}\ndepends_on: [{}]\nartifacts: [{}]", many("T", 40), many("a", 60));
        project.node(&Layout::Flat.task("FEAT-1", "STORY-0001", &format!("TASK-1{n:03}")), &own);
        let other = format!("id: TASK-2{n:03}\nartifacts: [f-{n}]");
        project.node(&Layout::Flat.task("FEAT-2", "STORY-0003", &format!("TASK-2{n:03}")), &other);
    }
    let constraints = format!("id: FEAT-1\nconstraints: {{forbidden_paths: [{}]}}", many("p", 90));
    project.node(&Layout::Flat.feature("FEAT-1"), &constraints);
    let facts = project.facts("TASK-1000");
    let lengths = [
        facts.siblings.len(),
        facts.artifacts.len(),
        facts.constraints.len(),
        facts.depends_on.len(),
        facts.foreign_artifacts.len(),
    ];
    assert_eq!(lengths, [32, 32, 32, 16, 64]);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_tree_are_not_followed() {
    use std::os::unix::fs::symlink;

    let project = greenhouse(Layout::Folders);
    let outside = Project::new("outside");
    outside.node("TASK-00050_x/task.md", "id: TASK-00050\nparent: STORY-0001\nstatus: active");
    outside.node("secret.md", "id: TASK-00051\nparent: STORY-0001\nstatus: active");
    let tasks = project.plans.join(Layout::Folders.tasks("FEAT-1", "STORY-0001"));
    symlink(outside.plans.join("TASK-00050_x"), tasks.join("TASK-00050_x")).unwrap();
    fs::create_dir(tasks.join("TASK-00051_y")).unwrap();
    symlink(outside.plans.join("secret.md"), tasks.join("TASK-00051_y/task.md")).unwrap();
    outside.node("mission.md", "id: MISSION\nconstraints: {required_checks: [outside]}");
    fs::remove_dir_all(project.plans.join("mission")).unwrap();
    symlink(&outside.plans, project.plans.join("mission")).unwrap();
    assert!(project.facts("TASK-00002").constraints.iter().all(|constraint| constraint.value != "outside"));
    assert_eq!(project.facts("TASK-00050").status, None);
    assert_eq!(project.facts("TASK-00051").status, None);
    assert_eq!(sorted(project.facts("TASK-00002").siblings), ["TASK-00001", "TASK-00003"]);
}
