//! The fenced cases of a page.

use serde_json::Value;

/// The heading of cases that the page's rule or reading answers.
pub const FIRES: &str = "Fires";
/// The heading of near misses.
pub const SILENT: &str = "Stays silent";

/// One fenced case of a page.
#[derive(Debug, Clone)]
pub struct PageCase {
    /// The heading that it is under.
    pub heading: String,
    /// The sentence before it; some pages have none.
    pub sentence: String,
    /// The case.
    pub json: Value,
}

impl PageCase {
    /// What tells it from the others of its page, for people.
    pub fn title(&self) -> String {
        let sentence = self.sentence.trim_end_matches(':');
        let title = if sentence.is_empty() { self.json["command"].as_str().unwrap_or("a case") } else { sentence };
        format!("{}: {title}", self.heading)
    }
}

/// The cases of a page's text, in its order; the error says what is wrong with the page.
pub fn cases(text: &str) -> Result<Vec<PageCase>, String> {
    let (mut heading, mut sentence, mut fence) = (String::new(), String::new(), None::<String>);
    let mut found = Vec::new();
    for line in text.lines() {
        match &mut fence {
            Some(json) if line == "```" => {
                found.push(case(&heading, std::mem::take(&mut sentence), json)?);
                fence = None;
            }
            Some(json) => json.extend([line, "\n"]),
            None if line == "```json" => fence = Some(String::new()),
            None if line.starts_with("## ") => {
                line.trim_start_matches("## ").clone_into(&mut heading);
                sentence.clear();
            }
            None if line.is_empty() => {}
            None if sentence.is_empty() => line.clone_into(&mut sentence),
            None => sentence.extend([" ", line]),
        }
    }
    match (fence, found.is_empty()) {
        (Some(_), _) => Err("it ends inside a case".to_owned()),
        (None, true) => Err("it has no cases".to_owned()),
        (None, false) => Ok(found),
    }
}

/// Whether a part of a case has these fields alone.
pub(super) fn known(value: &Value, fields: &[&str]) -> Result<(), String> {
    let object = value.as_object().ok_or("a case is an object of objects")?;
    match object.keys().find(|key| !fields.contains(&key.as_str())) {
        Some(key) => Err(format!("a case has no field `{key}`")),
        None => Ok(()),
    }
}

fn case(heading: &str, sentence: String, json: &str) -> Result<PageCase, String> {
    if ![FIRES, SILENT].contains(&heading) {
        return Err(format!("there is a case under `{heading}`"));
    }
    let json = serde_json::from_str(json).map_err(|error| format!("{heading}, \"{sentence}\": {error}"))?;
    Ok(PageCase { heading: heading.to_owned(), sentence, json })
}

#[cfg(test)]
mod tests {
    use super::cases;

    #[test]
    fn a_case_has_its_heading_and_its_own_sentence() {
        let text = "# t\n\nAbout.\n\n## Fires\n\nOne thing\nhappens:\n\n```json\n{\n \"command\": \"a\"\n}\n```\n\n## Stays silent\n\n```json\n{ \"command\": \"b\" }\n```\n";
        let titles: Vec<String> = cases(text).unwrap().iter().map(super::PageCase::title).collect();
        assert_eq!(titles, ["Fires: One thing happens", "Stays silent: b"]);
        assert!(cases(&text.replace("## Fires", "## Notes")).is_err());
    }
}
