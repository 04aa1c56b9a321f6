//! A command, what it printed and what its files hold, three parts between NUL bytes: a plan holds together, with and without
//! a look; and whatever stands in place of a question is a plan's question or an error.
#![no_main]

use failwise::host::recovery::{Asked, read};
use failwise::recover::look::{Blind, FileKind, MachineLooks, Name, Refs};
use failwise::recover::result::RecoveryPlan;
use failwise::recover::{Failed, LIMIT, PlanPast, PlanQuestion, Tools, plan, text};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

/// Every path is a file with this text, and its words are all names that there are.
struct Everything {
    text: String,
    words: Vec<String>,
}

impl MachineLooks for Everything {
    fn is_looking(&self) -> bool {
        true
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        Some(if path.len() % 2 == 0 { FileKind::Text } else { FileKind::Dir })
    }

    fn names(&self, _: &str) -> Vec<Name> {
        self.words.iter().map(|name| Name { name: name.clone(), is_dir: name.len() % 2 == 1 }).collect()
    }

    fn text(&self, _: &str) -> Option<String> {
        Some(self.text.clone())
    }

    fn find(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        self.words.iter().filter(|name| wanted(name)).cloned().collect()
    }

    fn programs(&self) -> &[String] {
        &self.words
    }

    fn free_port(&self, from: u16) -> Option<u16> {
        from.checked_add(1)
    }

    fn refs(&self, _: &str) -> Refs {
        Refs { branches: self.words.clone(), remotes: self.words.clone(), ..Refs::default() }
    }
}

fn holds(plan: &RecoveryPlan, failed: &Failed) {
    assert_eq!(plan.has_recovery_plan, plan.primary_strategy.is_some());
    assert_eq!(plan.has_recovery_plan, plan.reason.is_none());
    let mut seen = Vec::new();
    for strategy in plan.primary_strategy.iter().chain(&plan.fallback_strategies) {
        assert!(!strategy.steps.is_empty() && (0.0..=1.0).contains(&strategy.confidence));
        assert!(!seen.contains(&&strategy.name), "twice: {}", strategy.name);
        assert!(!strategy.description.contains('\n') && !strategy.why.contains('\n'));
        let first = &strategy.steps[0];
        assert!(first.tool.as_deref() != Some(&failed.tool) || first.args != failed.args, "the call as it was");
        seen.push(&strategy.name);
    }
    assert!(seen.len() <= LIMIT);
    assert!(text(plan).ends_with('\n'));
}

fuzz_target!(|input: &[u8]| {
    let _ = read(input);
    let given = String::from_utf8_lossy(input);
    let mut parts = given.splitn(3, '\0');
    let mut part = || parts.next().unwrap_or_default();
    let (command, printed, held) = (part(), part(), part());
    let payload = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/app", "tool_use_id": "t",
        "tool_name": "Bash", "tool_input": { "command": command }, "error": format!("Exit code 1\n{printed}"),
    });
    let Ok(Asked::Calls(calls)) = read(payload.to_string().as_bytes()) else { return };
    let Some(failed) = calls.first().and_then(Failed::asked) else { return };
    let tools = Tools::of(&failed.tool, None, false);
    let words = held.split_whitespace().take(1_000).map(str::to_owned).collect();
    let everything = Everything { text: held.to_owned(), words };
    for looks in [&Blind as &dyn MachineLooks, &everything] {
        let question = PlanQuestion {
            failed: &failed,
            tools: &tools,
            looks,
            past: &PlanPast::default(),
            now: "2026-01-01T00:00:00.000Z",
            limit: LIMIT,
        };
        holds(&plan(&question), &failed);
    }
});
