//! The tools: one table. Every byte of a name, a description and a schema stands in an agent's context, so each says only
//! what an agent needs to call it well.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::answer::ToolAnswer;
use crate::desk::Desk;

/// A tool.
pub(crate) struct ToolRow {
    /// Its name.
    pub(crate) name: &'static str,
    description: &'static str,
    /// Whether it changes nothing at all.
    only_reads: bool,
    /// Its arguments: the properties of their schema.
    arguments: fn() -> Value,
    /// The arguments that are required.
    required: &'static [&'static str],
    /// What it does.
    pub(crate) call: fn(&mut Desk, Map<String, Value>) -> ToolAnswer,
}

/// All of them, in the order in which clients list them.
pub(crate) const TOOLS: &[ToolRow] = &[
    ToolRow {
        name: "why_failed",
        description: "Say why the newest call failed. It gives the line that matters, the verdict, a form that works, and a plan \
            checked against the project. Ask this first.",
        only_reads: true,
        arguments: || {
            json!({
                "id": { "type": "string", "description": "Another failure: 4 or more characters of its ID" },
                "projectPath": project_path(),
            })
        },
        required: &[],
        call: crate::why::why_failed,
    },
    ToolRow {
        name: "argus_diagnose",
        description: "Diagnose a failed test case of a recorded run: category, known pattern, earlier fix and its confidence.",
        only_reads: false,
        arguments: || {
            json!({
                "projectPath": { "type": "string", "description": "Absolute path" },
                "runId": { "type": "string", "description": "Test run ID (from test_runs)" },
                "caseName": { "type": "string", "description": "Exact case name of the failed test" },
            })
        },
        required: &["projectPath", "runId", "caseName"],
        call: crate::diagnose::diagnose,
    },
    ToolRow {
        name: "report_fix",
        description: "Report a fix that you tried against a failed test case or known pattern, and whether it worked. \
            A fix that worked is suggested when the failure comes back.",
        only_reads: false,
        arguments: || {
            json!({
                "projectPath": project_path(),
                "runId": { "type": "string", "description": "With caseName: the failed case" },
                "caseName": { "type": "string" },
                "signature": { "type": "string", "description": "In place of both: a pattern's signature or id" },
                "fixDescription": { "type": "string", "description": "One sentence: what was done" },
                "success": { "type": "boolean", "default": true },
            })
        },
        required: &["fixDescription"],
        call: crate::report::report_fix,
    },
    ToolRow {
        name: "test_runs",
        description: "List recorded test runs, newest first, with the trend of pass rate and duration; with runId one \
            run and its failed cases.",
        only_reads: true,
        arguments: || {
            json!({
                "projectPath": project_path(),
                "runId": { "type": "string" },
                "status": { "enum": ["passed", "failed", "skipped"] },
                "since": { "type": "string", "description": "7d, 12h or a date" },
                "complete": { "type": "boolean", "description": "Only complete runs" },
                "offset": { "type": "integer", "minimum": 0 },
                "limit": limit(20, 100),
            })
        },
        required: &[],
        call: crate::runs::test_runs,
    },
    ToolRow {
        name: "flaky_tests",
        description: "List test cases that pass and fail by chance, with the evidence; with caseName the last results \
            of that case.",
        only_reads: true,
        arguments: || {
            json!({
                "projectPath": project_path(),
                "caseName": { "type": "string" },
                "suite": { "type": "string", "description": "Words of the suite's name" },
                "all": { "type": "boolean", "description": "Include recovered and broken ones" },
                "limit": limit(20, 100),
            })
        },
        required: &[],
        call: crate::runs::flaky_tests,
    },
    ToolRow {
        name: "compare_runs",
        description: "Compare two test runs: new failures, fixed, still failing, new and removed cases. By default \
            the last two complete runs.",
        only_reads: true,
        arguments: || {
            json!({
                "projectPath": project_path(),
                "baseRunId": { "type": "string" },
                "compareRunId": { "type": "string" },
            })
        },
        required: &[],
        call: crate::runs::compare_runs,
    },
    ToolRow {
        name: "known_failures",
        description: "List known failures of this project and their fixes: patterns of test cases (learned, built-in) \
            and failures of past sessions.",
        only_reads: true,
        arguments: || {
            json!({
                "projectPath": project_path(),
                "query": { "type": "string", "description": "Words in the failure or its fixes" },
                "category": { "type": "string" },
                "source": { "enum": ["learned", "built-in", "sessions"] },
                "sortBy": { "enum": ["occurrences", "confidence", "lastSeen"], "default": "occurrences" },
                "limit": limit(10, 50),
            })
        },
        required: &[],
        call: crate::known::known_failures,
    },
    ToolRow {
        name: "classify_failure",
        description: "Classify a command's output: whether it failed, why (category, class F1-F6), the next step \
            (retry, fix, replan, ask), and earlier fixes.",
        only_reads: true,
        arguments: || {
            json!({
                "command": { "type": "string" },
                "output": { "type": "string", "description": "Output, or its end" },
                "exitCode": { "type": "integer" },
                "cwd": { "type": "string", "description": "Absolute path" },
            })
        },
        required: &["command", "output"],
        call: crate::classify::classify_failure,
    },
    ToolRow {
        name: "plan_recovery",
        description: "Plan the recovery from a failed call: the cause in five whys, and ranked strategies whose steps are \
            checked against the project. Give toolCall and error, or command and output, or last.",
        only_reads: false,
        arguments: || {
            json!({
                "projectPath": project_path(),
                "toolCall": { "type": "object", "description": "{name, arguments} of the failed call" },
                "error": { "type": "object", "description": "{message, code, stderr}" },
                "command": { "type": "string", "description": "In place of toolCall: the shell command" },
                "output": { "type": "string" },
                "exitCode": { "type": "integer" },
                "cwd": { "type": "string", "description": "Absolute path" },
                "last": { "type": "boolean", "description": "The newest failure of the project's history" },
                "tools": { "type": "array", "items": { "type": "string" }, "description": "Your tools" },
                "tried": { "type": "array", "items": { "type": "string" }, "description": "Strategies that failed" },
                "probe": { "type": "boolean", "default": true, "description": "Examine the project, read-only" },
                "dropped": { "type": "boolean", "default": false, "description": "Name strategies that came close" },
                "record": { "type": "boolean", "default": false, "description": "Record the plan" },
            })
        },
        required: &[],
        call: crate::recovery::plan_recovery,
    },
];

/// How many are asked for.
fn limit(default: u32, most: u32) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": most, "default": default })
}

/// The argument of every tool of ours: the client's project where it is left out.
fn project_path() -> Value {
    json!({ "type": "string", "description": "Absolute path; default: the client's" })
}

impl ToolRow {
    /// The tool of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The tool as clients hear of it.
    pub(crate) fn shown(&self) -> Tool {
        let input = json!({ "type": "object", "properties": (self.arguments)(), "required": self.required });
        let destroys = (!self.only_reads).then_some(false);
        let annotations = ToolAnnotations::from_raw(None, Some(self.only_reads), destroys, None, Some(false));
        // What a tool gives is in its answer: a schema of it would only fill the context.
        Tool::new(self.name, self.description, object(input)).with_annotations(annotations)
    }
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(if let Value::Object(object) = value { object } else { JsonObject::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most bytes that all tools together may take of an agent's context.
    const BUDGET: usize = 6_000;

    #[test]
    fn the_tools_fit_an_agents_context() {
        let shown: Vec<Tool> = TOOLS.iter().map(ToolRow::shown).collect();
        let bytes = serde_json::to_string(&shown).expect("JSON").len();
        println!("{bytes} bytes of {} tools", TOOLS.len());
        assert!(bytes <= BUDGET, "{bytes} bytes");
    }

    #[test]
    fn required_arguments_are_among_the_arguments() {
        for tool in TOOLS {
            for name in tool.required {
                assert!((tool.arguments)().get(name).is_some(), "{} {name}", tool.name);
            }
            assert!(tool.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{}", tool.name);
        }
    }
}
