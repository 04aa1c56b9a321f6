//! `failwise rules list`: the rulesets row by row.

use std::io::Write;

use failwise::classify::RULESETS;
use failwise::exit::Exit;

use super::RulesFormat;
use crate::style::{Style, print_pretty, versioned};

pub(super) fn run(format: RulesFormat) -> crate::CommandOutcome {
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    let rows = RULESETS.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)));
    if format == RulesFormat::Json {
        let rows: Vec<serde_json::Value> = rows
            .map(|(set, rule)| {
                serde_json::json!({"ruleset": set.name, "rule": rule.id, "class": rule.class, "confidence": rule.confidence,
                    "recommended_action": rule.action, "asks": rule.asks})
            })
            .collect();
        return print_pretty(&versioned(&rows)?);
    }
    let mut shown = "";
    for (set, rule) in rows {
        if shown != set.name {
            writeln!(out, "{}", style.bold(set.name))?;
            shown = set.name;
        }
        let class = rule.class.map_or("--", failwise::model::Class::as_str);
        writeln!(out, "  {class}  {:<27} {:.2}  {}", rule.id, rule.confidence.value(), style.dim(rule.asks))?;
    }
    Ok(Exit::Ok)
}
