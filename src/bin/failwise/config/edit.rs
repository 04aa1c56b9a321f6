//! One key of a settings file changed, and every other byte as it was.

use std::ops::Range;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use toml::de::{DeTable, DeValue};

/// A key of a TOML file, at its top, set to a value in TOML's spelling; without a value taken out. None where the file is no
/// TOML.
pub(super) fn in_toml(text: &str, key: &str, value: Option<&str>) -> Option<String> {
    let table = DeTable::parse(text).ok()?.into_inner();
    let found = table.iter().find(|(name, _)| name.get_ref() == key);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    let (place, new) = match (found, value) {
        (Some((_, old)), Some(value)) => (old.span(), value.to_owned()),
        (Some((name, old)), None) => {
            let begin = text[..name.span().start].rfind('\n').map_or(0, |at| at + 1);
            (begin..line_end(old.span().end), String::new())
        }
        (None, None) => return Some(text.to_owned()),
        (None, Some(value)) => {
            // Behind the last key of the top, before the first table.
            let is_table = |value: &DeValue<'_>| match value {
                DeValue::Table(_) => true,
                DeValue::Array(entries) => entries.iter().any(|entry| matches!(entry.get_ref(), DeValue::Table(_))),
                _ => false,
            };
            let ends = table.values().filter(|value| !is_table(value.get_ref())).map(|value| value.span().end);
            let at = ends.max().map_or(0, line_end);
            let gap = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
            (at..at, format!("{gap}{key} = {value}\n"))
        }
    };
    let written = replaced(text, place, &new);
    DeTable::parse(&written).ok()?;
    Some(written)
}

/// What is at a path of keys of a JSON object set to a value in JSON's spelling; without a value taken out. None where the text
/// is no object, or something on the path is none.
pub(super) fn in_json(text: &str, path: &[&str], value: Option<&str>) -> Option<String> {
    let RawMembers(members) = serde_json::from_str(text).ok()?;
    let (key, rest) = path.split_first()?;
    let place = |raw: &RawValue| {
        let begin = raw.get().as_ptr().addr() - text.as_ptr().addr();
        begin..begin + raw.get().len()
    };
    let Some(at) = members.iter().position(|(name, _)| name == key) else {
        let Some(value) = value else { return Some(text.to_owned()) };
        let closed =
            rest.iter().rev().fold(value.to_owned(), |inner, key| format!("{{ {}: {inner} }}", in_quotes(key)));
        let member = format!("{}: {closed}", in_quotes(key));
        let open = text.find('{')? + 1;
        return Some(match members.last() {
            Some((_, last)) => {
                let end = place(last).end;
                let gap = &text[open..open + text[open..].find('"')?];
                replaced(text, end..end, &format!(",{gap}{member}"))
            }
            None => replaced(text, open..text.rfind('}')?, &format!("\n  {member}\n")),
        });
    };
    let own = place(members[at].1);
    if !rest.is_empty() {
        let inner = in_json(&text[own.clone()], rest, value)?;
        // An object that held nothing else goes with its last member.
        let is_left_empty = || serde_json::from_str(&inner).is_ok_and(|RawMembers(left)| left.is_empty());
        if value.is_some() || inner == text[own.clone()] || !is_left_empty() {
            return Some(replaced(text, own, &inner));
        }
    }
    let Some(value) = value else {
        if members.len() == 1 {
            return Some(replaced(text, text.find('{')? + 1..text.rfind('}')?, ""));
        }
        let before = at.checked_sub(1).and_then(|before| members.get(before)).map(|(_, before)| place(before).end);
        let begin = before.map_or_else(|| text.find('"'), Some)?;
        // The first of several takes its comma along.
        let end = if before.is_none() { own.end + text[own.end..].find('"')? } else { own.end };
        return Some(replaced(text, begin..end, ""));
    };
    Some(replaced(text, own, value))
}

/// A word in JSON's spelling, which TOML shares.
pub(super) fn in_quotes(word: &str) -> String {
    serde_json::Value::from(word).to_string()
}

fn replaced(text: &str, place: Range<usize>, new: &str) -> String {
    [&text[..place.start], new, &text[place.end..]].concat()
}

/// The members of an object in their order, each value as it is written.
struct RawMembers<'j>(Vec<(String, &'j RawValue)>);

impl<'de> Deserialize<'de> for RawMembers<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = RawMembers<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(RawMembers(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_toml_changes_alone() {
        let text =
            "# ours\nguard = \"warn\" # loud\npolling = [\n  \"gh run watch\", # slow\n]\n\n[[reading]]\nmatch = 'x'\n";
        let set = in_toml(text, "guard", Some("\"off\"")).unwrap();
        assert_eq!(set, text.replace("\"warn\"", "\"off\""));
        let added = in_toml(text, "advice", Some("\"quiet\"")).unwrap();
        assert_eq!(added, text.replace("]\n\n[[", "]\nadvice = \"quiet\"\n\n[["));
        assert_eq!(in_toml(&added, "advice", None).unwrap(), text);
        assert!(!in_toml(text, "polling", None).unwrap().contains("slow"));
        assert_eq!(in_toml("", "advice", Some("\"quiet\"")).unwrap(), "advice = \"quiet\"\n");
        assert_eq!(in_toml("a = 1", "b", Some("2")).unwrap(), "a = 1\nb = 2\n");
        assert_eq!(in_toml("[broken", "b", Some("2")), None);
    }

    #[test]
    fn a_value_of_json_changes_alone() {
        let path = ["pluginConfigs", "failwise@failwise", "options", "advice"];
        let text = "{\n    \"model\": \"opus\",\n    \"b\" : [1,  2],\n    \"a\": {\"x\": 1}\n}\n";
        let set = in_json(text, &path, Some("\"quiet\"")).unwrap();
        assert!(set.starts_with(
            "{\n    \"model\": \"opus\",\n    \"b\" : [1,  2],\n    \"a\": {\"x\": 1},\n    \"pluginConfigs\""
        ));
        let value: serde_json::Value = serde_json::from_str(&set).unwrap();
        assert_eq!(value["pluginConfigs"]["failwise@failwise"]["options"]["advice"], "quiet");
        let other = in_json(&set, &path, Some("\"off\"")).unwrap();
        assert_eq!(other, set.replace("quiet", "off"));
        assert_eq!(in_json(&set, &path, None).unwrap(), text, "nothing is left of it");
        let both = in_json(&set, &["pluginConfigs", "x"], Some("{}")).unwrap();
        let left = in_json(&both, &path, None).unwrap();
        assert!(
            left.contains("\"pluginConfigs\": {") && !left.contains("failwise") && left.contains("\"x\": {}"),
            "{left}"
        );
        let alone = in_json("{}\n", &["env", "FAILWISE"], Some("\"off\"")).unwrap();
        assert_eq!(in_json(&alone, &["env", "FAILWISE"], None).unwrap(), "{}\n");
        assert_eq!(in_json(text, &["model"], None).unwrap(), text.replace("\"model\": \"opus\",\n    ", ""));
        assert_eq!(in_json(text, &["a"], None).unwrap(), text.replace(",\n    \"a\": {\"x\": 1}", ""));
        assert_eq!(in_json(text, &["gone", "x"], None).unwrap(), text);
        assert!(serde_json::from_str::<serde_json::Value>(&in_json("{}", &path, Some("1")).unwrap()).is_ok());
        assert_eq!(in_json(text, &["model", "x"], Some("1")), None);
        assert_eq!(in_json("[1]", &path, Some("1")), None);
    }
}
