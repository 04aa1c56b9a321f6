//! The page: one file that holds its style, its script, its chart library and its data, and asks nothing of a network.

use std::cell::RefCell;
use std::io::{self, Write};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use sha2::{Digest, Sha256};

use super::{Inert, ReportLead};
use crate::replay::Analysis;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = concat!(include_str!("page/uplot.min.css"), include_str!("page/page.css"));
/// uPlot 1.6.32; `page/README.md` says where it comes from.
const LIBRARY: &str = include_str!("page/uplot.min.js");
const SCRIPT: &str = include_str!("page/page.js");

/// Writes the report as a page that a browser opens from a file.
///
/// # Errors
/// When it cannot be written.
pub fn html(analysis: &Analysis, lead: &ReportLead, mut out: impl Write) -> io::Result<()> {
    fill(PAGE, &mut out, |name, out| match name {
        "policy" => out.write_all(policy().as_bytes()),
        "style" => out.write_all(STYLE.as_bytes()),
        "data" => embedded(&Inert(analysis, lead, Some(&RefCell::default())), out),
        "library" => out.write_all(LIBRARY.as_bytes()),
        "script" => out.write_all(SCRIPT.as_bytes()),
        _ => Ok(()),
    })
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

/// Writes JSON that can stand inside a script element: no character of it can end the element or begin another.
fn embedded(data: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    Ok(data.serialize(&mut Serializer::with_formatter(out, InScript))?)
}

/// Writes what JSON may hold as it is and a script element may not as an escape.
struct InScript;

impl Formatter for InScript {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, text: &str) -> io::Result<()> {
        if !text.contains(['<', '>', '&']) {
            return out.write_all(text.as_bytes());
        }
        let text = text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        out.write_all(text.as_bytes())
    }
}

/// Writes a template, with what `put` writes at each `{{name}}`.
fn fill<W: Write>(template: &str, out: &mut W, mut put: impl FnMut(&str, &mut W) -> io::Result<()>) -> io::Result<()> {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.write_all(before.as_bytes())?;
        let Some((name, after)) = after.split_once("}}") else { break };
        put(name, out)?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::super::InertItem;
    use super::*;

    #[test]
    fn what_was_put_in_is_not_looked_at_again() {
        let mut out = Vec::new();
        let places = [("x", "{{y}}"), ("y", "2"), ("z", "")];
        fill("a{{x}}b{{y}}c{{z}}d", &mut out, |name, out| {
            let text = places.iter().find(|(place, _)| *place == name).unwrap().1;
            out.write_all(text.as_bytes())
        })
        .unwrap();
        assert_eq!(out, b"a{{y}}b2cd");
    }

    #[test]
    fn no_text_can_leave_the_data() {
        let text = "</script><script>alert(1)</script><!-- &amp; \u{2028}".to_owned();
        let mut json = Vec::new();
        embedded(&InertItem(&BTreeMap::from([("a", text)]), None), &mut json).unwrap();
        let json = String::from_utf8(json).unwrap();
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
