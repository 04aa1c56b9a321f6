//! `report_fix`: what was tried against a failed case or a known pattern, and whether it worked.

use failwise::argus::{BuiltIn, confidence, learned_id, without_report_mark};
use failwise::history::{Body, CaseNote};
use failwise::redact::redact_printed;
use failwise::text::one_line;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::{Code, ToolAnswer, ToolError, through_gate};
use crate::arguments::read;
use crate::desk::Desk;
use crate::diagnose::{failed_case, note_of, recorded};
use crate::project::Project;

/// The longest description of a fix, in characters.
const LONGEST_FIX: usize = 500;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Reported {
    project_path: Option<String>,
    run_id: Option<String>,
    case_name: Option<String>,
    signature: Option<String>,
    fix_description: String,
    #[serde(default = "yes")]
    success: bool,
}

fn yes() -> bool {
    true
}

pub(crate) fn report_fix(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let reported: Reported = read(arguments)?;
    let words = one_line(&through_gate(&redact_printed(without_report_mark(&reported.fix_description))), LONGEST_FIX);
    if words.is_empty() {
        return Err(ToolError::new(Code::InvalidArguments, "fixDescription is empty: say in a sentence what was done"));
    }
    let project = Project::named_or_own(desk, reported.project_path.as_deref())?;
    let about = about(desk, &project, &reported)?;
    let note = CaseNote { fix: Some(words.clone()), success: Some(reported.success), ..of_built_in(about, &words) };
    let event = recorded(&project, Body::CaseFixReported { case: Box::new(note.clone()) })?;
    let fixed = desk.base()?.report_case_fix(&project.name, &event, &note)?;
    // Hooks hear of it from the file that this writes.
    desk.catch_up(&project.place)?;
    let id = BuiltIn::named(&note.signature).map_or_else(|| learned_id(&note.signature), |known| known.id.to_owned());
    let (resolutions, tried) = fixed.after;
    Ok(json!({
        "patternId": id,
        "category": note.category,
        "previousConfidence": fixed.before.map(|(worked, tried)| confidence(worked, tried)),
        "updatedConfidence": confidence(resolutions, tried),
        "occurrences": fixed.occurrences,
        "resolutions": resolutions,
        "fixRecordId": event.id,
        "isNewPattern": fixed.before.is_none(),
    }))
}

/// The case or the pattern that a report is about.
fn about(desk: &mut Desk, project: &Project, reported: &Reported) -> Result<CaseNote, ToolError> {
    match (&reported.run_id, &reported.case_name, &reported.signature) {
        (Some(run), Some(name), None) => {
            // A run in which it passed knows nothing of the failure that was worked on.
            Ok(note_of(run, &failed_case(desk, project, run, name)?))
        }
        (None, None, Some(signature)) => pattern(desk, project, signature),
        _ => {
            let why = "give runId and caseName, or signature (of argus_diagnose or known_failures)";
            Err(ToolError::new(Code::InvalidArguments, why))
        }
    }
}

fn pattern(desk: &mut Desk, project: &Project, signature: &str) -> Result<CaseNote, ToolError> {
    if let Some(built_in) = BuiltIn::named(signature) {
        return Ok(CaseNote {
            category: built_in.category.to_string(),
            signature: built_in.signature(),
            pattern: built_in.pattern.to_owned(),
            ..CaseNote::default()
        });
    }
    let found = desk.base()?.case_pattern(&project.name, signature)?;
    let row = found.ok_or_else(|| {
        let why = format!("No pattern '{signature}' in this project; known_failures lists those of test cases");
        ToolError::new(Code::PatternNotFound, &why)
    })?;
    Ok(CaseNote {
        category: row.category.to_string(),
        signature: row.signature,
        pattern: row.pattern,
        ..CaseNote::default()
    })
}

/// Who reports a built-in's own advice reports of the built-in.
fn of_built_in(note: CaseNote, words: &str) -> CaseNote {
    let built_in = BuiltIn::named(&format!("builtin::{}", note.category));
    match built_in.filter(|built_in| built_in.suggested_fix.eq_ignore_ascii_case(words)) {
        Some(built_in) => CaseNote { signature: built_in.signature(), pattern: built_in.pattern.to_owned(), ..note },
        None => note,
    }
}
