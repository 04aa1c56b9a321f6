//! The page: one file that holds its style, its script, its chart library and its data, and asks nothing of a network.

use base64::prelude::{BASE64_STANDARD, Engine};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::inert;
use crate::replay::Analysis;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = concat!(include_str!("page/uplot.min.css"), include_str!("page/page.css"));
/// uPlot 1.6.32; `page/README.md` says where it comes from.
const LIBRARY: &str = include_str!("page/uplot.min.js");
const SCRIPT: &str = include_str!("page/page.js");

/// The report as a page that a browser opens from a file.
///
/// # Errors
/// When the analysis cannot be written as JSON.
pub fn html(analysis: &Analysis) -> serde_json::Result<String> {
    let data = embedded(analysis)?;
    let policy = policy();
    Ok(fill(PAGE, &[("policy", &policy), ("style", STYLE), ("data", &data), ("library", LIBRARY), ("script", SCRIPT)]))
}

/// What the page may do: run these scripts, use this style, and nothing else.
fn policy() -> String {
    let (library, script, style) = (hash(LIBRARY), hash(SCRIPT), hash(STYLE));
    format!("default-src 'none'; script-src {library} {script}; style-src {style}; base-uri 'none'; form-action 'none'")
}

/// A source as a policy names it.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// JSON that can stand inside a script element: no character of it can end the element or begin another.
fn embedded(analysis: &impl Serialize) -> serde_json::Result<String> {
    let value: Value = inert(serde_json::to_value(analysis)?);
    let json = serde_json::to_string(&value)?;
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    Ok(out)
}

/// Puts texts into the places `{{name}}` of a template, in one pass: what was put in is not looked at again.
fn fill(template: &str, places: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + places.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        out.extend(places.iter().filter(|(place, _)| *place == name).map(|(_, text)| *text));
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_not_looked_at_again() {
        assert_eq!(fill("a{{x}}b{{y}}c{{z}}d", &[("x", "{{y}}"), ("y", "2")]), "a{{y}}b2cd");
    }

    #[test]
    fn no_text_can_leave_the_data() {
        let json =
            embedded(&serde_json::json!({"a": "</script><script>alert(1)</script><!-- &amp; \u{2028}"})).unwrap();
        assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a"], "</script><script>alert(1)</script><!-- &amp;");
    }

    #[test]
    fn the_library_is_the_one_that_was_checked() {
        let note = include_str!("page/README.md");
        let sums = [("uplot.min.js", LIBRARY), ("uplot.min.css", include_str!("page/uplot.min.css"))];
        for (name, text) in sums {
            let sum = format!("{:x}", Sha256::digest(text));
            assert!(note.contains(&format!("{sum}  {name}")), "{name} is {sum}");
        }
    }
}
