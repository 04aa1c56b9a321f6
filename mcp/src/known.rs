//! `known_failures`: what is known to fail here and what helped: built-ins and patterns of test cases, and what sessions
//! taught.

use failwise::argus::{BUILT_IN, FailureCategory, KnownPattern};
use failwise::knowledge::Known;
use failwise::store::{CaseSort, Memory, PatternFilter};
use failwise::text::quoted;
use failwise::time::stamp_at;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::answer::{ToolAnswer, data};
use crate::arguments::read;
use crate::desk::{Desk, now};
use crate::project::Project;

/// How many are given where nobody says, and the most that are.
const LIMIT: u64 = 10;
const MOST: u64 = 50;
/// The longest line, in characters.
const LONGEST_LINE: usize = 200;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Asked {
    project_path: Option<String>,
    query: Option<String>,
    category: Option<String>,
    source: Option<Source>,
    #[serde(default)]
    sort_by: SortBy,
    limit: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Source {
    BuiltIn,
    Learned,
    Sessions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum SortBy {
    #[default]
    Occurrences,
    Confidence,
    LastSeen,
}

/// A known failure as it is listed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Listed {
    id: String,
    source: Source,
    category: String,
    /// What fails: the case and its line, or the operation and its line.
    what: String,
    suggested_fix: Option<String>,
    confidence: Option<f64>,
    occurrences: u64,
    resolutions: u64,
    last_seen_at: Option<String>,
}

pub(crate) fn known_failures(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let asked: Asked = read(arguments)?;
    let project = Project::named_or_own(desk, asked.project_path.as_deref())?;
    desk.catch_up(&project.place)?;
    let limit = asked.limit.unwrap_or(LIMIT).clamp(1, MOST);
    let wants = |source| asked.source.is_none_or(|wanted| wanted == source);
    let (mut listed, mut total) = (Vec::new(), 0);
    if wants(Source::BuiltIn) {
        listed.extend(built_ins(desk, &project, &asked)?);
    }
    if wants(Source::Sessions) {
        listed.extend(of_sessions(desk, &project, &asked)?);
    }
    total += listed.len() as u64;
    if wants(Source::Learned) {
        let (learned, count) = learned(desk, &project, &asked, limit)?;
        listed.extend(learned);
        total += count;
    }
    if !project.tells_fixes() {
        for known in &mut listed {
            (known.suggested_fix, known.confidence) = (None, None);
        }
    }
    listed.sort_by(|a, b| match asked.sort_by {
        SortBy::Occurrences => b.occurrences.cmp(&a.occurrences),
        SortBy::Confidence => b.confidence.unwrap_or_default().total_cmp(&a.confidence.unwrap_or_default()),
        SortBy::LastSeen => b.last_seen_at.cmp(&a.last_seen_at),
    });
    listed.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    data(&json!({ "failures": listed, "total": total }))
}

impl Asked {
    /// Whether these texts hold what is looked for.
    fn fits(&self, category: &str, texts: &[&str]) -> bool {
        let is_of_category = self.category.as_ref().is_none_or(|wanted| wanted == category);
        let query = self.query.as_ref().map(|query| query.to_lowercase());
        is_of_category && query.is_none_or(|query| texts.iter().any(|text| text.to_lowercase().contains(&query)))
    }
}

fn built_ins(desk: &mut Desk, project: &Project, asked: &Asked) -> Result<Vec<Listed>, crate::answer::ToolError> {
    let mut listed = Vec::new();
    for built_in in BUILT_IN {
        if asked.fits(built_in.category.as_str(), &[built_in.pattern, built_in.description, built_in.suggested_fix]) {
            let counts = desk.base()?.case_category(&project.name, built_in.category)?;
            listed.push(of_pattern(KnownPattern::built_in(built_in, &counts), Source::BuiltIn));
        }
    }
    Ok(listed)
}

fn learned(
    desk: &mut Desk,
    project: &Project,
    asked: &Asked,
    limit: u64,
) -> Result<(Vec<Listed>, u64), crate::answer::ToolError> {
    let category = asked.category.as_deref().map(FailureCategory::from_word);
    if category == Some(None) {
        return Ok((Vec::new(), 0));
    }
    let filter = PatternFilter {
        category: category.flatten(),
        words: asked.query.clone(),
        sort: match asked.sort_by {
            SortBy::Occurrences => CaseSort::Occurrences,
            SortBy::Confidence => CaseSort::Confidence,
            SortBy::LastSeen => CaseSort::LastSeen,
        },
        limit,
    };
    let page = desk.base()?.case_patterns(&project.name, &filter)?;
    let listed = page.patterns.into_iter().map(|pattern| of_pattern(pattern, Source::Learned));
    Ok((listed.collect(), page.total))
}

fn of_pattern(pattern: KnownPattern, source: Source) -> Listed {
    Listed {
        id: pattern.id,
        source,
        category: pattern.category.to_string(),
        what: pattern.description,
        suggested_fix: pattern.suggested_fix,
        confidence: pattern.confidence,
        occurrences: pattern.occurrences,
        resolutions: pattern.resolutions,
        last_seen_at: pattern.last_seen_at,
    }
}

fn of_sessions(desk: &mut Desk, project: &Project, asked: &Asked) -> Result<Vec<Listed>, crate::answer::ToolError> {
    let memory = Memory::read(desk.base()?, Some(&project.name), project.tells_own_only(), now())?;
    let is_told = |known: &&Known| !memory.muted.contains(&known.pattern.fine);
    let fits = |known: &&Known| {
        let pattern = &known.pattern;
        let line = pattern.line.as_deref().unwrap_or_default();
        let fixes: Vec<String> =
            known.fixes.iter().filter(|fix| fix.tellable()).map(|fix| fix.fix.words.line()).collect();
        let texts = [pattern.operation.as_str(), line].into_iter().chain(fixes.iter().map(String::as_str));
        asked.fits(pattern.category.as_str(), &texts.collect::<Vec<_>>())
    };
    Ok(memory.known.iter().filter(is_told).filter(fits).map(of_session).collect())
}

fn of_session(known: &Known) -> Listed {
    let pattern = &known.pattern;
    let line = pattern.line.as_deref().map(|line| format!(": {}", quoted(line, LONGEST_LINE)));
    let best = known.best();
    Listed {
        id: pattern.fine.get(..8).unwrap_or(&pattern.fine).to_owned(),
        source: Source::Sessions,
        category: pattern.category.as_str().to_owned(),
        what: format!("{}{}", quoted(&pattern.operation, LONGEST_LINE), line.unwrap_or_default()),
        suggested_fix: best.map(|fix| fix.fix.words.line()).filter(|words| !words.is_empty()),
        confidence: best.map(|fix| fix.confidence),
        occurrences: known.occurrences,
        resolutions: known.fixes.iter().map(|fix| fix.worked).sum(),
        last_seen_at: stamp_at(known.last_seen),
    }
}
