//! The workflows that come with Failwise.

/// The name of the workflow from an issue to a pull request.
pub const WORK_ORDER: &str = "work-order";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../steps/work-order/", $name)))),*]
    };
}

const DEFINITION: &str = include_str!("../../../steps/work-order/work-order.toml");

/// Its command files.
const COMMANDS: &[(&str, &str)] = files![
    "classifier.md",
    "planner_feature.md",
    "planner_bug.md",
    "planner_chore.md",
    "plan_finder.md",
    "implementor.md",
    "branch_generator.md",
    "committer.md",
    "pr_creator.md",
];

/// The definition of a workflow that comes with Failwise.
pub fn workflow_of(name: &str) -> Option<&'static str> {
    (name == WORK_ORDER).then_some(DEFINITION)
}

/// A command file of such a workflow.
pub fn command_of(file: &str) -> Option<&'static str> {
    COMMANDS.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
}
