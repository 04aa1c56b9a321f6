//! `failwise plan validate`: what must hold for the plan, and where it does not.

use std::io::Write;

use failwise::exit::Exit;
use failwise::plan::edit::{HeardClaims, Violation};
use failwise::text::many;
use serde_json::json;

use super::Site;
use crate::style::{Format, PrintArgs, Style, print_json, shown};

/// Check the plan for consistency
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 no problem found, 1 problems found.\n\nExamples:\n  failwise plan validate\n  failwise plan validate --json"
)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(super) print: PrintArgs,
}

pub(super) fn run(site: &Site, args: &ValidateArgs) -> crate::CommandOutcome {
    let tree = site.tree()?;
    let mut violations = tree.violations();
    let history = site.history()?;
    violations.extend(HeardClaims::of(&history, tree).doubled(tree));
    violations.extend(tree.gone(&history));
    let nodes = tree.nodes().count();
    let mut out = crate::style::text_page(args.print.format);
    if args.print.format == Format::Json {
        let rows: Vec<_> = violations.iter().map(row).collect();
        let answer = json!({"schema_version": 1, "trusted": site.warning().is_none(), "dir": tree.dir(), "nodes": nodes, "violations": rows});
        print_json(&answer)?;
    } else {
        let style = Style::for_stdout();
        if let Some(warning) = site.warning() {
            writeln!(out, "{} {}", style.yellow("warning:"), shown(&warning, 400))?;
        }
        for violation in &violations {
            let file = violation.file.strip_prefix(tree.dir()).unwrap_or(&violation.file);
            let place = format!("{}:{}", shown(&file.to_string_lossy(), 300), violation.line);
            let (node, what) = (shown(&violation.node, 64), shown(&violation.what, 300));
            writeln!(out, "{} {}: {node} {what}", style.bold(&place), style.red(violation.rule.as_str()))?;
            writeln!(out, "  {}", style.dim(&shown(&violation.fix, 300)))?;
        }
        let end =
            if violations.is_empty() { "no problem found".to_owned() } else { format!("{} to fix", violations.len()) };
        writeln!(out, "{}: {end}", many(nodes as u64, "node", "nodes"))?;
    }
    Ok(if violations.is_empty() { Exit::Ok } else { Exit::Differs })
}

fn row(violation: &Violation) -> serde_json::Value {
    json!({
        "rule": violation.rule.as_str(), "node": violation.node, "file": violation.file, "line": violation.line,
        "what": violation.what, "mend": violation.fix,
    })
}
