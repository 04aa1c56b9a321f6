//! The questions that a program puts to whoever sits at its terminal. Where nobody sits there, the program goes on in the
//! same line with what it makes of the silence: a question counts whatever stands behind it.

use super::finding::findings_of_line;
use crate::model::FindingKind;
use crate::text::start;

/// The longest line that is looked at, and the most that a question may say before it closes.
const LONGEST: usize = 400;
const LONGEST_QUESTION: usize = 120;

/// The question that a line holds, up to the sign that closes it: what stands behind was said when nobody had answered.
///
/// ```text
/// Do you want to continue? [Y/n] Abort.
/// Enter passphrase for key 'id': Load key "id": incorrect passphrase
/// Country Name (2 letter code) [AU]:Error making certificate request
/// ```
pub fn question_in(line: &str) -> Option<&str> {
    let line = start(line.trim(), LONGEST);
    // Only these signs close a question.
    if !line.bytes().any(|byte| matches!(byte, b'?' | b':' | b']' | b')' | b'>')) {
        return press(line);
    }
    let asked = given_up(line).or_else(|| offers_answers(line));
    let asked = asked.or_else(|| asks_outright(line)).or_else(|| asks_for_value(line));
    // A quote that is open behind it: another question is told of.
    let is_quoted = |asked: &&str| asked.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
    asked.filter(|asked| !is_quoted(asked)).or_else(|| press(line))
}

/// The question of a line, where nothing behind it says that the other side was not reached: then no answer was missing.
pub fn unanswered_in(line: &str) -> Option<&str> {
    let asked = question_in(line)?;
    let behind = line.split_once(asked).map_or("", |(_, behind)| behind);
    let is_other = || findings_of_line(behind).iter().any(|found| found.kind == FindingKind::Unreachable);
    (behind.len() < 8 || !is_other()).then_some(asked)
}

/// Whether a program that still runs waits behind this line, which is its last one: a question, or what looks like one.
pub fn asks_at_end(line: &str) -> bool {
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    let asks = lower.ends_with(['?', ':', ']', ')', '>']);
    let is_request = || REQUESTS.iter().any(|request| lower.contains(request)) && !lower.starts_with("error");
    line.len() <= LONGEST
        && (question_in(line).is_some()
            || requests(line) && is_label(line) && names_secret(line, "")
            || is_request() && (asks || lower.ends_with("...") || lower.len() < 60)
            || names_default(line)
            // Libraries of prompts begin a question with a mark of their own.
            || line.starts_with("? ") && (asks || lower.contains("› ")))
}

/// What was asked where the last line says no more than that the program gave up. `lines`: the last one first, without blank
/// ones.
pub fn asked_before_end<'t>(mut lines: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    const GIVEN_UP: &[&str] = &["aborted", "cancelled", "canceled", "abort", "eof", "eoferror"];
    let (gave_up, asked) = (lines.next()?.trim_end_matches(['!', '.']), lines.next()?);
    let is_end = GIVEN_UP.iter().any(|word| gave_up.eq_ignore_ascii_case(word));
    (is_end && asked.ends_with([':', '?', ']', '>'])).then_some(asked)
}

/// Words of questions and requests that wait for an answer.
const REQUESTS: &[&str] = &[
    "are you sure",
    "[enter to continue]",
    "use arrow keys",
    "continue?",
    "proceed?",
    "confirm:",
    "please confirm",
    "overwrite?",
    "type 'yes'",
    "please enter ",
    "choose an option",
    "pick a ",
    "which ",
];

/// What was asked before a program gave up for want of an answer: `Name: Aborted!`, `Package name [tides]: Abort`.
fn given_up(line: &str) -> Option<&str> {
    let asked = ["Aborted!", "Aborted.", "Abort.", "Abort"].iter().find_map(|end| line.strip_suffix(end))?.trim_end();
    let label = asked.strip_suffix([':', '?', ']'])?;
    is_label(label).then_some(asked)
}

/// A question with the answers that it takes in brackets: `(y/n)`, `[Yn]`, `[y]es, [n]o`, `(yes/no/[fingerprint])`.
fn offers_answers(line: &str) -> Option<&str> {
    line.match_indices(['[', '(', '<']).find_map(|(at, open)| {
        let before = line.get(..at)?.trim_end();
        let close = match open {
            "[" => ']',
            "(" => ')',
            _ => '>',
        };
        let rest = line.get(at + 1..)?;
        let answers = start(rest, LONGEST_ANSWERS).split_once(close)?.0;
        let end = at + 1 + answers.len() + 1;
        let behind = line.get(end..)?;
        let is_spelt = open == "[" && answers.eq_ignore_ascii_case("y") && behind.starts_with("es");
        // One answer alone is the one that counts by itself.
        let is_default = before.ends_with('?') && matches!(&*answers.to_ascii_lowercase(), "y" | "n" | "yes" | "no");
        let is_offered = is_spelt || is_default || are_answers(answers);
        (is_offered && asks_before(before)).then(|| line.get(..end)).flatten()
    })
}

/// The longest list of answers.
const LONGEST_ANSWERS: usize = 48;

/// Whether these are a yes and a no, among others perhaps.
fn are_answers(answers: &str) -> bool {
    let lower = answers.to_ascii_lowercase();
    let parts = || lower.split(['/', '|', ',']).map(str::trim);
    let has = |word: &str| parts().any(|part| part == word || part.len() == 1 && word.starts_with(part));
    // `Yn`: the capital is the one that counts by itself.
    let is_pair = matches!(answers, "Yn" | "yN" | "YN" | "yn");
    is_pair || has("yes") && has("no") && parts().all(|part| part.len() <= 24)
}

/// Whether what stands before the answers is a sentence: in a usage an option's name does.
fn asks_before(before: &str) -> bool {
    let last = before.rsplit(' ').next().unwrap_or_default();
    let is_usage = start(before, 6).eq_ignore_ascii_case("usage:");
    !is_usage && !last.starts_with('-') && !last.ends_with(['=', '[', '(', '|'])
}

/// A sentence that asks for a yes by its first words.
fn asks_outright(line: &str) -> Option<&str> {
    const FIRST: &[&str] = &[
        "are you sure",
        "do you want to ",
        "do you wish to ",
        "would you like to ",
        "ok to ",
        "is this ok",
        "is this correct",
        "continue ",
        "proceed ",
        "really ",
        "overwrite ",
    ];
    let end = line.find('?')? + 1;
    let said = line.get(..end)?.to_ascii_lowercase();
    let sentence = said.rsplit([':', '.']).next().unwrap_or_default().trim_start();
    FIRST.iter().any(|first| sentence.starts_with(first)).then(|| line.get(..end)).flatten()
}

/// A request for a value, which a colon closes: by its verb, by the secret that it names, or by the value that counts
/// otherwise.
fn asks_for_value(line: &str) -> Option<&str> {
    let closing = line.match_indices(':').filter(|(at, _)| *at <= LONGEST_QUESTION);
    closing.filter_map(|(at, _)| Some((line.get(..at)?, line.get(at + 1..)?))).find_map(|(label, behind)| {
        // `https://`, `C:\`, `a::b`, `a := 1`, `[host]:22`
        let closes = !behind.starts_with(|c: char| "/\\:=".contains(c) || c.is_ascii_digit()) && !label.ends_with(':');
        (closes && is_label(label) && (requests(label) || names_secret(label, behind) || has_default(label)))
            .then(|| line.get(..=label.len()))
            .flatten()
    })
}

/// Whether a text names what is wanted and is no report.
fn is_label(label: &str) -> bool {
    const REPORTS: &[&str] = &[
        "error",
        "err",
        "fatal",
        "warning",
        "warn",
        "failed",
        "failure",
        "invalid",
        "incorrect",
        "wrong",
        "bad",
        "missing",
        "no",
        "not",
        "cannot",
        "could",
        "unable",
        "denied",
        "expired",
        "required",
        "unknown",
        "info",
        "debug",
        "must",
        "should",
        "usage",
    ];
    // A remark in brackets says how to answer: `Enter password (will not be echoed)`.
    let asked = label.split(" (").next().unwrap_or(label);
    let words = || asked.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let reports = |word: &str| REPORTS.iter().any(|own| word.eq_ignore_ascii_case(own)) || word.ends_with("n't");
    (1..=16).contains(&words().count()) && !words().any(reports)
}

/// Whether a label begins with a verb by which a value is asked for.
fn requests(label: &str) -> bool {
    const VERBS: &[&str] =
        &["enter", "re-enter", "reenter", "retype", "type", "input", "select", "choose", "pick", "repeat", "confirm"];
    let mut words = label.split(' ').map(|word| word.trim_start_matches(['?', '*', '>', '#', '(']));
    let first =
        words.by_ref().find(|word| !word.is_empty() && !word.eq_ignore_ascii_case("please")).unwrap_or_default();
    // A verb alone is a name of something, and one with a number a place in a list: `Input #0, wav, from 'a.wav':`.
    VERBS.iter().any(|verb| first.eq_ignore_ascii_case(verb)) && words.next().is_some() && !label.contains(" #")
}

/// Whether a label names a secret or who has it: `New Vault password`, `Password for user dev`, `[sudo] password for dev`. In
/// small letters and with a value behind it, a bare name is a field of a report.
fn names_secret(label: &str, behind: &str) -> bool {
    const SECRETS: &[&str] = &["password", "passphrase", "pass phrase", "passcode", "username", "login"];
    const ALONE: &[&str] = &["pin", "otp", "code", "token", "email", "e-mail", "email address", "user name"];
    let lower = label.to_ascii_lowercase();
    let (named, of) = lower.split_once(" for ").map_or((&*lower, None), |(named, of)| (named, Some(of)));
    let named = named.split(" (").next().unwrap_or(named).trim_end();
    let ends = |secret: &str| {
        named.strip_suffix(secret).is_some_and(|before| before.is_empty() || before.ends_with([' ', ']']))
    };
    let is_short = named.split(' ').count() <= 5 && of.is_none_or(|of| of.split(' ').count() <= 3);
    let is_last = behind.trim().is_empty();
    let is_asked =
        is_last || of.is_some() || label.starts_with(|c: char| c.is_ascii_uppercase()) || label.contains("'s ");
    let mut all = SECRETS.iter().chain(ALONE.iter().filter(|_| is_last));
    // Behind a colon stands what a program reports.
    is_short && is_asked && !lower.contains(": ") && all.any(|secret| ends(secret))
}

/// Whether a label closes with the value in brackets that counts otherwise: `Country Name (2 letter code) [AU]`. A number
/// there is that of a process or a place, and a level that of a log.
fn has_default(label: &str) -> bool {
    let Some((named, default)) = label.strip_suffix(']').and_then(|label| label.rsplit_once(" [")) else {
        return false;
    };
    let begins = named.starts_with(|c: char| c.is_ascii_uppercase());
    let is_number = default.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    begins && !named.contains([':', '[', '/']) && !is_number && default.len() <= 40 && !default.contains([':', '='])
}

/// Whether a line names a value that is wanted and, behind the colon, the one that counts otherwise: `package name: (tidepool)`.
fn names_default(line: &str) -> bool {
    let asked = line.strip_suffix(')').and_then(|line| line.rsplit_once(": ("));
    asked.is_some_and(|(what, default)| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.@/ ".contains(c);
        what.len() < 40 && what.chars().all(is_word) && default.chars().all(is_word)
    })
}

/// A request for a key: `Press RETURN to continue`, `Press any key ...`.
fn press(line: &str) -> Option<&str> {
    const KEYS: &[&str] = &["any key", "enter", "return", "a key", "[enter]", "<enter>", "space", "q "];
    let lower = start(line, LONGEST_QUESTION).to_ascii_lowercase();
    let at = lower
        .find("press ")
        .filter(|at| *at == 0 || lower.get(..*at).is_some_and(|before| before.ends_with(['?', '.', ' ', '('])))?;
    let rest = lower.get(at + "press ".len()..)?;
    let is_asked = KEYS.iter().any(|key| {
        rest.strip_prefix(key).is_some_and(|rest| rest.is_empty() || !rest.starts_with(char::is_alphanumeric))
    });
    is_asked.then_some(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Questions as programs put them.
    const QUESTIONS: &[&str] = &[
        "Do you want to continue? [Y/n]",
        "Overwrite (y/n)?",
        "File 'tone.flac' already exists. Overwrite? [y/N]",
        "The directory \"app\" already exists. Are you sure you want to continue? [Yn]",
        "replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename:",
        "Are you sure you want to continue connecting (yes/no/[fingerprint])?",
        "Skip this patch? [y]",
        "Ok to proceed? (y)",
        "Do you want to install 'webpack-cli' (yes/no):",
        "Enter a value:",
        "Enter passphrase for key '/home/dev/.ssh/id':",
        "Enter pass phrase for server.key:",
        "Enter new UNIX password:",
        "Select an option:",
        "Please choose a licence:",
        "Password:",
        "New Vault password:",
        "[sudo] password for dev:",
        "Password for user postgres:",
        "Username for 'https://example.com':",
        "Country Name (2 letter code) [AU]:",
        "Press RETURN to continue",
        "Press any key to continue...",
        "Continue creating array?",
        "Overwrite existing files?",
    ];

    /// What other lines say.
    const OTHERS: &[&str] = &[
        "usage: tides [yes/no] FILE",
        "  --confirm [yes/no]  asks before it starts",
        "error: password required: none was given",
        "Error: invalid password: too short",
        "systemd[1]: Starting tides",
        "Nov 26 02:01:36 host tides [1234]: done",
        "Server [error]: gone",
        "Select: 3 rows",
        "no such login: dev",
        "compressed data (gzip): a.gz",
        "see https://example.com/enter: it is all there",
        "username: dev",
        "src/enter.rs:3: Enter the pool",
        "pin: 1.95 not installed",
        "token: expired",
        "the button was pressed",
        "12 passed (3 suites)",
        "input := map[string]string{",
        "Input #0, wav, from 'a.wav':",
        "Host key for [localhost]:18022 has changed and you have requested strict checking.",
        "error: Aborted!",
    ];

    #[test]
    fn questions_are_told_from_reports() {
        for line in QUESTIONS {
            assert!(question_in(line).is_some() && asks_at_end(line), "{line}");
        }
        for line in ["Package name [tides]: Abort", "Name: Aborted!"] {
            assert!(question_in(line).is_some(), "{line}");
        }
        for line in OTHERS {
            assert_eq!(question_in(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_question_is_one_whatever_follows(at in 0..QUESTIONS.len(), behind in " ?[A-Z][ -~]{0,60}") {
            let line = format!("{}{behind}", QUESTIONS[at]);
            prop_assert!(question_in(&line).is_some(), "{}", line);
        }

        #[test]
        fn no_line_panics(line in "[a-zA-Zé:?\\[\\]()<>/| .'-]{0,200}") {
            prop_assert!(question_in(&line).is_none_or(|question| line.contains(question)));
            asks_at_end(&line);
        }
    }
}
