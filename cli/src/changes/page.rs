//! A project's own files with a change in them: values in, values out.

use serde_json::{Map, Value, json};

use super::{ChangeKind, ProjectChange};

/// Where lines go in CLAUDE.md.
const HEADING: &str = "## Learned from failures";

/// Whether a page such as CLAUDE.md says already what a change would say: the line itself, or every name of it in one line or
/// two, and of a single name that there is something wrong with it.
pub fn says_already(page: &str, change: &ProjectChange) -> bool {
    let Some(line) = &change.line else { return false };
    // By which command a hook refuses is an explanation.
    let is_name = |name: &&str| change.kind != ChangeKind::HookRule || *name != change.matter;
    let names: Vec<&str> = line.split('`').skip(1).step_by(2).filter(is_name).collect();
    let lines: Vec<&str> = page.lines().collect();
    page.contains(line.as_str())
        || (0..lines.len()).any(|at| {
            let near = lines.get(at..(at + 2).min(lines.len())).unwrap_or_default().join("\n");
            names.iter().all(|name| has_name(&near, name)) && (names.len() > 1 || says_wrong(&near))
        })
}

/// The line, from 1, in which a page tells to do what failed: it quotes the failing form, or the end of a path that is not
/// there, and says nothing of it being wrong. That line is what has to change.
pub fn says_otherwise(page: &str, change: &ProjectChange) -> Option<usize> {
    let is_form = matches!(change.kind, ChangeKind::Form | ChangeKind::Path | ChangeKind::Tool);
    let failing =
        change.matter.rsplit(' ').next().filter(|_| change.kind == ChangeKind::Tool).unwrap_or(&change.matter);
    let is_end_of_path = |text: &str| {
        let ends = || failing.strip_suffix(text).is_some_and(|rest| rest.ends_with('/'));
        change.kind == ChangeKind::Path && text.contains('/') && ends()
    };
    let is_named =
        |text: &str| text == failing || failing.contains(' ') && has_name(text, failing) || is_end_of_path(text);
    let is_told = |(at, text): (usize, &str)| at % 2 == 1 && is_named(text.trim_start_matches('/'));
    let tells = |text: &str| text.split('`').enumerate().any(is_told) && !says_wrong(text);
    page.lines().position(tells).filter(|_| is_form).map(|at| at + 1)
}

fn says_wrong(text: &str) -> bool {
    const WRONG: &[&str] =
        &["no", "not", "never", "don", "doesn", "isn", "missing", "avoid", "instead", "flaky", "large", "refuses"];
    let mut words = text.split(|sign: char| !sign.is_alphanumeric());
    words.any(|word| WRONG.contains(&word.to_ascii_lowercase().as_str()))
}

fn has_name(text: &str, name: &str) -> bool {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '/');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

/// The page with a line in its own section, which comes last where there is none.
pub fn with_line(page: &str, line: &str) -> String {
    let entry = format!("- {line}\n");
    let Some(section) = page.find(HEADING).filter(|at| *at == 0 || page[..*at].ends_with('\n')) else {
        let gap = match page {
            "" => "",
            page if page.ends_with("\n\n") => "",
            page if page.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return format!("{page}{gap}{HEADING}\n\n{entry}");
    };
    let behind = section + HEADING.len();
    let end = page[behind..].find("\n#").map_or(page.len(), |at| behind + at);
    let (head, rest) = page.split_at(end);
    let gap = if head.trim_end().ends_with(HEADING) { "\n\n" } else { "\n" };
    format!("{}{gap}{entry}{rest}", head.trim_end())
}

/// The settings with a rule among the allowed ones, every other sign as it was. None where they are no JSON object of the
/// known shape, or have the rule already.
pub fn with_rule(settings: &str, rule: &str) -> Option<String> {
    if settings.trim().is_empty() {
        let new = json!({ "permissions": { "allow": [rule] } });
        return Some(format!("{}\n", serde_json::to_string_pretty(&new).ok()?));
    }
    let known: Value = serde_json::from_str(settings).ok()?;
    let mut wanted = known.clone();
    let permissions = wanted.as_object_mut()?.entry("permissions").or_insert_with(|| Value::Object(Map::new()));
    let allowed = permissions.as_object_mut()?.entry("allow").or_insert_with(|| json!([])).as_array_mut()?;
    if allowed.iter().any(|known| known == rule) {
        return None;
    }
    allowed.insert(0, json!(rule));
    let rule = json!(rule).to_string();
    let (path, new): (&[&str], String) = match known.get("permissions") {
        Some(permissions) if permissions.get("allow").is_some() => (&["permissions", "allow"], rule),
        Some(_) => (&["permissions"], format!("\"allow\": [{rule}]")),
        None => (&[], format!("\"permissions\": {{ \"allow\": [{rule}] }}")),
    };
    let at = place_inside(settings, path)?;
    let (head, rest) = settings.split_at(at);
    let blank = rest.len() - rest.trim_start().len();
    let is_empty = rest.trim_start().starts_with([']', '}']);
    let written = if is_empty { format!("{head}{new}{rest}") } else { format!("{head}{}{new},{rest}", &rest[..blank]) };
    let is_right = serde_json::from_str::<Value>(&written).is_ok_and(|written| written == wanted);
    is_right.then_some(written)
}

/// The place just inside the object or list at this path of keys, in JSON that is known to be right.
fn place_inside(json: &str, path: &[&str]) -> Option<usize> {
    let bytes = json.as_bytes();
    let (mut depth, mut found, mut at) = (0_usize, 0_usize, 0_usize);
    let mut key: Option<&str> = None;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = end_of_text(bytes, at)?;
                key = json.get(at + 1..end);
                at = end;
            }
            b'{' | b'[' => {
                let is_next = depth == 0 || depth == found + 1 && key.is_some() && key == path.get(found).copied();
                found += usize::from(is_next && depth > 0);
                depth += 1;
                if is_next && found == path.len() {
                    return Some(at + 1);
                }
                key = None;
            }
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' => key = None,
            _ => {}
        }
        at += 1;
    }
    None
}

fn end_of_text(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::changes::ChangeEvidence;

    #[test]
    fn a_line_goes_into_its_own_section() {
        let once = with_line("# Project\nText", "One.");
        assert_eq!(once, "# Project\nText\n\n## Learned from failures\n\n- One.\n");
        assert_eq!(with_line(&once, "Two."), "# Project\nText\n\n## Learned from failures\n\n- One.\n- Two.\n");
        let between = "## Learned from failures\n\n- One.\n\n## More\n";
        assert_eq!(with_line(between, "Two."), "## Learned from failures\n\n- One.\n- Two.\n\n## More\n");
        assert_eq!(with_line("", "One."), "## Learned from failures\n\n- One.\n");
    }

    fn change(kind: ChangeKind, matter: &str) -> ProjectChange {
        ProjectChange {
            id: String::new(),
            project: String::new(),
            kind,
            act: kind.act(),
            line: None,
            rule: None,
            evidence: ChangeEvidence::default(),
            is_waste: true,
            matter: matter.to_owned(),
            failed_calls: Vec::new(),
            project_key: String::new(),
        }
    }

    #[test]
    fn a_hooks_rules_are_said_by_their_names() {
        let line = "The commit hook (`markdownlint --fix`) refuses `MD040/fenced`; check for it before you commit.";
        let met = ProjectChange { line: Some(line.to_owned()), ..change(ChangeKind::HookRule, "markdownlint --fix") };
        assert!(says_already("- The commit hook refuses `MD040/fenced`; check for it.", &met));
        assert!(!says_already("- The commit hook refuses `MD036/emphasis`; check for it.", &met));
        assert!(!says_already("MD040/fenced is on.", &met));
    }

    #[test]
    fn a_line_that_names_the_end_of_a_missing_path_is_wrong() {
        let commands = change(ChangeKind::Path, "cmd/mill/cli/commands");
        let page = "# Mill\n- `mill/cli/commands`: the commands\n";
        assert_eq!(says_otherwise(page, &commands), Some(2));
        assert_eq!(says_otherwise("- `commands`: the commands", &commands), None, "one word names many things");
        assert_eq!(says_otherwise("- there is no `mill/cli/commands`", &commands), None);
        let form = change(ChangeKind::Form, "mill run/cli");
        assert_eq!(says_otherwise("Run `run/cli`.", &form), None);
    }

    #[test]
    fn a_rule_changes_nothing_else() {
        let rule = "Bash(gh pr view:*)";
        for (before, after) in [
            (r#"{"z": 1, "a": 2}"#, r#"{"permissions": { "allow": ["Bash(gh pr view:*)"] },"z": 1, "a": 2}"#),
            ("{}", r#"{"permissions": { "allow": ["Bash(gh pr view:*)"] }}"#),
            (r#"{"permissions": {}}"#, r#"{"permissions": {"allow": ["Bash(gh pr view:*)"]}}"#),
            (
                "{\n  \"hooks\": {\"allow\": []},\n  \"permissions\": {\n    \"allow\": [\n      \"Read\"\n    ]\n  }\n}\n",
                "{\n  \"hooks\": {\"allow\": []},\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(gh pr view:*)\",\n      \"Read\"\n    ]\n  }\n}\n",
            ),
        ] {
            assert_eq!(with_rule(before, rule).as_deref(), Some(after));
            assert_eq!(with_rule(after, rule), None, "a second time");
        }
        for strange in ["[]", "{", r#"{"permissions": []}"#, r#"{"permissions": {"allow": {}}}"#, "// comment\n{}"] {
            assert_eq!(with_rule(strange, rule), None, "{strange}");
        }
    }

    proptest! {
        #[test]
        fn any_settings_keep_what_they_had(keys in prop::collection::vec("[a-z\"\\\\{}\\[\\],:]{0,6}", 0..4), allow in any::<bool>()) {
            let mut settings = Map::new();
            for key in &keys {
                settings.insert(key.clone(), json!({ "permissions": { "allow": [key] }, "x": [key, { "allow": [] }] }));
            }
            if allow {
                settings.insert("permissions".to_owned(), json!({ "deny": keys, "allow": keys }));
            }
            let text = serde_json::to_string_pretty(&settings).unwrap();
            let written: Value = serde_json::from_str(&with_rule(&text, "R").unwrap()).unwrap();
            prop_assert_eq!(&written["permissions"]["allow"][0], "R");
            for key in keys.iter().filter(|key| *key != "permissions") {
                prop_assert_eq!(&written[key], &settings[key]);
            }
        }
    }
}
