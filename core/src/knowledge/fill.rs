//! What is put into a sentence only when it is said, and by what a test's sentence is found.

use crate::digest::checksum;
use crate::text::many;
use crate::time::stamp_at;

/// What stands in a sentence for the time since the fix worked last, which only who says it knows.
pub const AGO: &str = "{ago}";

/// What stands in words of a lesson for the name of the failure's object.
pub const OBJECT: &str = "{object}";

/// The longest name of an object that is put into a command, in bytes.
const LONGEST_OBJECT: usize = 80;

/// The sentence as it is said at a moment, in milliseconds since 1970. None where it needs the failure's object, and that
/// must not stand in a command.
pub fn fill(text: &str, object: Option<&str>, last_worked: Option<u64>, now: u64) -> Option<String> {
    let since = last_worked.map_or_else(
        || "not known".to_owned(),
        |last| month_alone(last).map_or_else(|| ago(now.saturating_sub(last)), |month| format!("in {month}")),
    );
    // Words of a lesson stand before the counts, and could hold the same signs.
    let text = match text.rfind(AGO) {
        Some(at) => [text.get(..at)?, &since, text.get(at + AGO.len()..)?].concat(),
        None => text.to_owned(),
    };
    if !text.contains(OBJECT) {
        return Some(text);
    }
    Some(text.replace(OBJECT, object.filter(|object| may_stand_in_a_command(object))?))
}

/// The month, `2026-03`, of a time that says no more: its very middle, as the counts of other machines have it.
pub fn month_alone(at: u64) -> Option<String> {
    Some(stamp_at(at)?.strip_suffix("-15T00:00:00.000Z")?.to_owned())
}

/// By what a test is found that a runner prints in one way and a report names in another: the same words in the same order,
/// whatever stands between them.
pub fn case_key(name: &str) -> u64 {
    let words: Vec<&str> = name.split([' ', '›', '>', '»']).filter(|word| !word.is_empty()).collect();
    checksum(words.join(" ").as_bytes())
}

/// By what a fix of a test is found.
pub fn case_fix_key(name: &str) -> u64 {
    case_key(&["fix of ", name].concat())
}

/// Whether the name of a failure's object is a plain word: a program printed it.
pub fn may_stand_in_a_command(object: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@:+".contains(&byte);
    (1..=LONGEST_OBJECT).contains(&object.len())
        && object.bytes().all(is_plain)
        && !object.starts_with(['-', '/', '.'])
        && !object.contains("..")
}

/// A span of the past in milliseconds, as it is spoken.
fn ago(ms: u64) -> String {
    const HOUR: u64 = 60 * 60 * 1000;
    match ms / HOUR {
        0 => "within the hour".to_owned(),
        hours @ 1..24 => format!("{} ago", many(hours, "hour", "hours")),
        hours => format!("{} ago", many(hours / 24, "day", "days")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_only_when_it_is_said_is_filled_in() {
        let hour = 60 * 60 * 1000;
        let text = "no such command. Here it passed after `pip install {object}` (2 of 2, last {ago}). [known x 3a91]";
        let at = |object, since: u64| fill(text, object, Some(10 * hour), (10 + since) * hour);
        assert!(at(Some("tide"), 0).unwrap().contains("`pip install tide` (2 of 2, last within the hour)"));
        assert!(at(Some("tide"), 1).unwrap().contains("last 1 hour ago"));
        assert!(at(Some("tide"), 95).unwrap().contains("last 3 days ago"));
        let middle = crate::time::since_1970("2026-11-15T00:00:00Z").unwrap();
        let of_team = fill(text, Some("tide"), Some(middle), middle + 11 * 24 * 3_600_000).unwrap();
        assert!(of_team.contains("last in 2026-11)"), "{of_team}");
        assert!(fill(text, Some("tide"), None, 0).unwrap().contains("last not known"));
        let long = "x".repeat(81);
        for hostile in ["-r", "../x", "/etc/passwd", "a b", "$(x)", "x;y", "a`b", "", "x\ny", &long] {
            assert_eq!(at(Some(hostile), 0), None, "{hostile}");
        }
        assert_eq!(at(None, 0), None);
        assert_eq!(
            fill("Here `{ago}` worked (last {ago}).", None, None, 0).unwrap(),
            "Here `{ago}` worked (last not known)."
        );
    }
}
