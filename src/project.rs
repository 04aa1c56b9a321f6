//! What stands around a call: the settings of its project, its plan, and whose node it is. An edge that the hook and
//! `failwise classify` share.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::engine::Surroundings;
use crate::history::{is_session, session_node, session_parent};
use crate::host::payload::{Kind, Payload};
use crate::model::{PlanFacts, is_node_id};
use crate::place::{Env, Place};
use crate::plan::PlanTree;
use crate::redact::redact;
use crate::settings::{Problem, Settings};

/// What stands around a call.
pub struct Project<'a> {
    env: Env<'a>,
    place: Option<&'a Place>,
    /// The plan tree, where there is one.
    pub tree: Option<PlanTree>,
    /// Whether there is a history to read.
    pub has_history: bool,
    settings: OnceCell<Settings>,
}

impl<'a> Project<'a> {
    /// The project of a place, with a plan tree that may be another one than the place's own.
    pub fn new(env: Env<'a>, place: Option<&'a Place>, tree: Option<PlanTree>) -> Self {
        Self { env, place, tree, has_history: true, settings: OnceCell::new() }
    }

    /// The linked git worktree, outside the main one.
    pub fn worktree(&self) -> Option<Cow<'a, str>> {
        Some(self.place?.worktree.as_ref()?.to_string_lossy())
    }

    /// The node that a payload belongs to: the one that it names itself; of the plan the one that its session or subagent
    /// claimed, else the one that the environment names, else the active task; without all that the session or subagent.
    /// A subagent that claimed nothing works for who started it. `bound` tells what a session or subagent claimed.
    pub fn node_of(&self, payload: &Payload<'_>, bound: impl Fn(&str) -> Option<String>) -> String {
        let ids = &payload.ids;
        let of_agent = |agent: Option<&str>| session_node(ids.session.as_deref(), agent);
        let reported = match &payload.kind {
            Kind::Report(call) => call.reported.node.clone(),
            _ => None,
        };
        let in_plan = |tree: &PlanTree| {
            let bound_above = || ids.agent.as_ref().and_then(|_| bound(&of_agent(None)));
            let named = || (self.env)("FAILWISE_NODE")?.into_string().ok().filter(|id| is_node_id(id));
            let claimed = bound(&of_agent(ids.agent.as_deref())).or_else(bound_above);
            claimed.or_else(named).or_else(|| tree.active().map(str::to_owned))
        };
        let node = reported.or_else(|| self.tree.as_ref().and_then(in_plan));
        node.unwrap_or_else(|| of_agent(ids.agent.as_deref()))
    }
}

impl Surroundings for Project<'_> {
    fn settings(&self) -> &Settings {
        self.settings.get_or_init(|| settings_of(self.env, self.place).0)
    }

    fn plan(&self, node: &str, files: &[String]) -> PlanFacts {
        let facts = match &self.tree {
            Some(tree) if !is_session(node) => tree.facts_about(node, files),
            _ => PlanFacts {
                node: node.to_owned(),
                parent: session_parent(node).map(str::to_owned),
                ..PlanFacts::default()
            },
        };
        let root = self.place.and_then(|place| place.root().to_str());
        PlanFacts { root: root.map(|root| redact(root).into_owned()), ..facts }
    }

    fn has_history(&self) -> bool {
        self.has_history
    }
}

/// The settings of a place, and what could not be understood: of the environment, and of the project's file where it is
/// a small regular one.
pub fn settings_of(env: Env<'_>, place: Option<&Place>) -> (Settings, Vec<Problem>) {
    let file = place.and_then(Place::settings_file);
    Settings::resolve(&text_env(env), file.as_ref().map(|(path, text)| (path.as_path(), text.as_str())))
}

/// The environment's values that are text.
pub fn text_env(env: Env<'_>) -> impl Fn(&str) -> Option<String> {
    move |name| env(name).and_then(|value| value.into_string().ok())
}
