//! A case of a rule's page: facts, and what the ruleset decides on them.

use serde_json::{Value, json};

use super::case::known;
use super::{FIRES, PageCase, SILENT};
use crate::classify::{Answer, Facts, RULESETS, Rule, Ruleset, classify, explain};
use crate::history::HistoryFacts;
use crate::model::{FailureEvent, PlanFacts, Signature};

/// The fields that a case may have.
const FIELDS: &[&str] = &["event", "history", "plan", "decided_by", "expect"];
/// Stands for the event's id.
const EVENT: &str = "0123456789abcdef";

/// What a case tells.
pub type CaseResult = (FailureEvent, HistoryFacts, PlanFacts);

/// Every rule with its ruleset, in order.
pub fn rules() -> impl Iterator<Item = (&'static Ruleset, &'static Rule)> {
    RULESETS.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)))
}

/// Whether the case of a rule's page is decided as it says; the error says what differs.
pub fn check(case: &PageCase, id: &str) -> Result<(), String> {
    let (set, rule) = rules().find(|(_, rule)| rule.id == id).ok_or("no rule has the name of the page")?;
    known(&case.json, FIELDS)?;
    let (event, history, plan) = facts(&case.json)?;
    let facts = Facts { event: &event, history: &history, plan: &plan };
    decided(case, &facts, set, rule)?;
    let answer = classify(&facts, set, Some(EVENT));
    let answer = serde_json::to_value(&answer).map_err(|error| error.to_string())?;
    expected(&case.json["expect"], &answer)
}

/// Whether the rule decides, or another one does that the case names.
fn decided(case: &PageCase, facts: &Facts<'_>, set: &Ruleset, rule: &Rule) -> Result<(), String> {
    let explained = explain(facts, set);
    let holds = explained.iter().any(|explained| explained.rule == rule.id && explained.holds);
    let decided = explained.iter().find(|explained| explained.holds).ok_or("no rule fires")?.rule;
    let named = case.json["decided_by"].as_str();
    match case.heading.as_str() {
        FIRES if decided != rule.id => return Err(format!("was decided by {decided}")),
        SILENT if decided == rule.id => return Err("the rule fired".to_owned()),
        SILENT if holds && named.is_none() => return Err(format!("it fires but is outranked by {decided}: say so")),
        _ => {}
    }
    if named.is_some_and(|named| named != decided) {
        return Err(format!("was decided by {decided}"));
    }
    match classify(facts, set, Some(EVENT)) {
        Answer::Verdict(verdict) if verdict.rule != decided => {
            Err(format!("explained as {decided}, decided by {}", verdict.rule))
        }
        _ => Ok(()),
    }
}

fn expected(expect: &Value, answer: &Value) -> Result<(), String> {
    for (field, wanted) in expect.as_object().into_iter().flatten() {
        if answer.get(field) != Some(wanted) {
            return Err(format!("{field} is {}, not {wanted}", answer.get(field).unwrap_or(&Value::Null)));
        }
    }
    Ok(())
}

/// The base facts, with a case laid over them. A field that the types do not have is a mistake of the page.
pub fn facts(case: &Value) -> Result<CaseResult, String> {
    let event = json!({
        "tool": "Bash", "outcome": "failed", "operation": "make check", "exit_code": 2, "text": "it did not work",
        "reading": { "result": "failed", "category": "unknown" },
        "signature": { "fine": "5d1c0a7be2f49836", "coarse": "71e8aa02c4b95d3f", "version": Signature::VERSION },
        "ids": { "session": "s1", "agent": null, "tool_use": "call-1" }, "node": "TASK-00007"
    });
    let history = json!({ "episode": "a1b2c3d4", "attempt": 1, "node_failures": 1 });
    let plan = json!({ "node": "TASK-00007", "parent": "STORY-0003" });
    Ok((read(event, &case["event"])?, read(history, &case["history"])?, read(plan, &case["plan"])?))
}

fn read<T: serde::de::DeserializeOwned + serde::Serialize>(mut base: Value, over: &Value) -> Result<T, String> {
    merge_into(&mut base, over);
    let value: T = serde_json::from_value(base).map_err(|error| error.to_string())?;
    let back = serde_json::to_value(&value).map_err(|error| error.to_string())?;
    match lost(over, &back) {
        Some(key) => Err(format!("there is no fact `{key}`")),
        None => Ok(value),
    }
}

/// The first field that was given and that no type took.
fn lost<'a>(given: &'a Value, taken: &Value) -> Option<&'a str> {
    given.as_object().into_iter().flatten().find_map(|(key, value)| match taken.get(key) {
        None => (!value.is_null()).then_some(key.as_str()),
        Some(taken) => lost(value, taken),
    })
}

fn merge_into(base: &mut Value, over: &Value) {
    match (base, over) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(key) {
                    Some(inner) if inner.is_object() && value.is_object() => merge_into(inner, value),
                    _ => drop(base.insert(key.clone(), value.clone())),
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
}
