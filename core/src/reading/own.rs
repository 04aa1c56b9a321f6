//! What the project itself says of the lines that its tools print: before every table, and of failures only.

use super::clean::clean;
use super::involved::Involved;
use super::judge::{Judgement, expected_red, judge_script};
use super::resolve::RUNS;
use super::row::kind_of_object;
use crate::model::{Basis, Object, Reading, RunResult, ToolCall};
use crate::own::{OwnTold, Readings};
use crate::shell::Script;
use crate::text::cut;

/// Judges a call as [`judge_script`] does; where it failed, the project's own readings say what kind of error it is. They
/// are asked for only there.
pub fn judge_by_own<'o>(
    call: &ToolCall<'_>,
    script: Option<&Script>,
    red_phase: bool,
    own: impl FnOnce() -> Option<&'o Readings>,
) -> Judgement {
    let mut judgement = judge_script(call, script, false);
    if judgement.outcome.is_failure()
        && let Some(own) = own()
    {
        let text = clean(&call.text);
        let runs = |program: &str| match script {
            Some(script) => Involved::of(script).direct_words(program),
            None => call.tool.name == program,
        };
        if let Some(told) = own.told(&text, runs) {
            state(&mut judgement.reading, &told);
            judgement.evidence = vec![format!("a reading of the project: {}", told.line)];
        }
    }
    if red_phase { expected_red(judgement) } else { judgement }
}

/// What the project says is what the error is. The files that the output names stay.
fn state(reading: &mut Reading, told: &OwnTold<'_>) {
    if reading.category != told.category {
        (reading.transient, reading.way_on) = (None, None);
    }
    (reading.category, reading.basis, reading.likely) = (told.category, Some(Basis::Line), None);
    reading.line = Some(cut(told.line, 300));
    let name = told.object.map(str::trim).filter(|name| !name.is_empty());
    let object = name.map(|name| Object { kind: kind_of_object(told.category), name: cut(name, 200) });
    reading.objects = object.into_iter().collect();
    if RUNS.contains(&told.category) {
        reading.result = RunResult::Failed;
    }
}
