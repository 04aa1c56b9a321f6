//! `active.json`: what the plan says is being worked on.

use serde::Deserialize;

use crate::model::is_node_id;

/// The file's name.
pub const ACTIVE: &str = "active.json";
/// The phase of test-first work in which a new test is meant to fail.
const RED: &str = "P2_RED";

/// What is being worked on: an id a tier, deepest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Active {
    ids: [Option<String>; 5],
    red: bool,
}

#[derive(Deserialize)]
struct File {
    active: ActiveIds,
    #[serde(default)]
    context_anchors: Option<Anchors>,
}

#[derive(Deserialize)]
struct ActiveIds {
    #[serde(default)]
    mission: Option<String>,
    #[serde(default)]
    initiative: Option<String>,
    #[serde(default)]
    feature: Option<String>,
    #[serde(default)]
    story: Option<String>,
    #[serde(default)]
    task: Option<String>,
}

#[derive(Deserialize, Default)]
struct Anchors {
    #[serde(default)]
    current_phase: Option<String>,
}

impl Active {
    /// Reads the file's text. An id outside the class of ids is no id.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let File { active, context_anchors } = serde_json::from_str(text)?;
        let ids = [active.mission, active.initiative, active.feature, active.story, active.task];
        Ok(Self {
            ids: ids.map(|id| id.filter(|id| is_node_id(id))),
            red: context_anchors.and_then(|anchors| anchors.current_phase).is_some_and(|phase| is_red(&phase)),
        })
    }

    /// The active task.
    pub fn task(&self) -> Option<&str> {
        self.ids[4].as_deref()
    }

    /// The ids of everything that is active.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().flatten().map(String::as_str)
    }

    /// Whether the deepest active node is `id` and is in the red phase. The anchors speak of that node alone.
    pub fn is_red_for(&self, id: &str) -> bool {
        self.red && self.ids().last() == Some(id)
    }
}

/// Whether a phase's name is the red phase's.
pub fn is_red(phase: &str) -> bool {
    phase.trim().eq_ignore_ascii_case(RED)
}

#[cfg(test)]
mod tests {
    use super::Active;

    #[test]
    fn the_active_path_is_read() {
        let text = r#"{"schema_version":1,"updated_at":"2031-01-05T10:00:00Z","active":{"mission":"MISSION","initiative":null,
            "feature":"FEAT-2","story":"STORY-0004","task":"TASK-00009"},"blocked":[],"frozen":[],
            "context_anchors":{"current_phase":"P2_RED","more":[1]}}"#;
        let active = Active::parse(text).unwrap();
        assert_eq!(active.task(), Some("TASK-00009"));
        assert_eq!(active.ids().collect::<Vec<_>>(), ["MISSION", "FEAT-2", "STORY-0004", "TASK-00009"]);
        assert!(active.is_red_for("TASK-00009"));
        assert!(!active.is_red_for("STORY-0004"));
    }

    #[test]
    fn an_idle_plan_is_valid() {
        let active = Active::parse(r#"{"active":{"mission":"MISSION","task":null}}"#).unwrap();
        assert_eq!(active.task(), None);
        assert!(!active.is_red_for("MISSION"));
    }

    #[test]
    fn an_id_that_would_leave_the_tree_is_no_id() {
        let active = Active::parse(r#"{"active":{"story":"../../etc","task":".."}}"#).unwrap();
        assert_eq!(active.ids().count(), 0);
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for text in ["", "[]", "{}", r#"{"active":null}"#, r#"{"active":{"task":7}}"#, r#"{"active":{}"#, "nonsense"] {
            assert!(Active::parse(text).is_err(), "{text}");
        }
    }
}
