//! A plan tree whose task, conflicts and `active.json` are the input, in this order, apart by a NUL.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use failwise::plan::PlanTree;
use libfuzzer_sys::fuzz_target;

static TREE: OnceLock<tempfile::TempDir> = OnceLock::new();

const ACTIVE: &[u8] = br#"{"active": {"mission": "M", "feature": "F-1", "story": "S-1", "task": "T-1"}}"#;

fn tree() -> PathBuf {
    let dir = TREE.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("mission")).unwrap();
        fs::create_dir_all(dir.path().join("features/F-1_a/stories/S-1_b/tasks/T-1_c")).unwrap();
        dir
    });
    dir.path().to_owned()
}

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(3, |byte| *byte == 0);
    let (task, conflicts) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let active = parts.next().unwrap_or(ACTIVE);
    let dir = tree();
    fs::write(dir.join("mission/mission.md"), task).unwrap();
    fs::write(dir.join("features/F-1_a/feature.md"), task).unwrap();
    fs::write(dir.join("features/F-1_a/stories/S-1_b/tasks/T-1_c/task.md"), task).unwrap();
    fs::write(dir.join("conflicts.jsonl"), conflicts).unwrap();
    fs::write(dir.join("active.json"), active).unwrap();
    let Ok(tree) = PlanTree::open(&dir) else { return };
    let node = tree.active().unwrap_or("T-1").to_owned();
    let facts = tree.facts_about(&node, &["src/a.rs".to_owned()]);
    assert!(facts.siblings.len() <= 32 && facts.artifacts.len() <= 32 && facts.constraints.len() <= 32);
    assert!(facts.depends_on.len() <= 16 && facts.foreign_artifacts.len() <= 64);
    assert!(facts.conflict.iter().all(|conflict| conflict.id.len() <= 64));
    assert!(facts.siblings.iter().all(|id| id.len() <= 64 && id.is_ascii()));
    assert!(serde_json::to_string(&facts).unwrap().len() <= 256 * 1024 + 64 * task.len());
});
