//! A line cut into words.

use crate::text::before;

use super::index::word_bucket;

/// A word of a line.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that a sign tells")]
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token<'l> {
    /// In lower case, without the signs around it.
    pub(super) word: String,
    /// Where indexes keep the phrases that begin with it.
    pub(super) bucket: usize,
    /// As written, without the signs around it.
    pub(super) written: &'l str,
    pub(super) is_path: bool,
    pub(super) is_flag: bool,
    /// It stands in quotes, or begins what does.
    pub(super) is_quoted: bool,
    /// It is part of a variable's name: `DEPLOY_HOST`.
    pub(super) is_setting: bool,
    /// What follows tells its name: a colon stands behind it.
    pub(super) names_next: bool,
    /// A sentence ends with it.
    pub(super) ends: bool,
}

/// How many words of a line are looked at.
const MOST: usize = 60;

const QUOTES: &[char] = &['\'', '"', '`', '‘', '“', '«', '’', '”', '»'];

/// The words of a line: contractions are written out, names made of several words (`FileNotFoundError`, `NOT_FOUND`) too.
pub(super) fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut quotation = None;
    for raw in line.split([' ', '\t', '\u{a0}', '\u{2009}', '\u{202f}', '=', '(', ')', '[', ']', '|', ',']) {
        let is_quoted = raw.starts_with(QUOTES);
        let written = raw.trim_matches(|c: char| QUOTES.contains(&c) || ":;,.!?{}<>*".contains(c));
        // Of what is quoted after a word only the beginning is kept, as a name: it may hold any sentence.
        if let Some(quote) = quotation {
            if raw.trim_end_matches([':', ',', '.', ';', '!', '?']).ends_with(quote) {
                quotation = None;
            }
            continue;
        }
        if written.is_empty() {
            continue;
        }
        quotation = closing_sign(raw).filter(|quote| follows_word(line, raw) && closes(line, raw, *quote));
        if all.len() >= MOST {
            break;
        }
        let is_flag = is_flag(raw.trim_start_matches(QUOTES));
        let is_path = !is_flag && is_path(written);
        let is_setting = is_setting(written);
        let plain = |word: String| Token {
            bucket: if is_path { 0 } else { word_bucket(word.as_bytes()) },
            word,
            written,
            is_path,
            is_flag,
            is_quoted,
            is_setting,
            names_next: false,
            ends: false,
        };
        if is_path || is_flag {
            all.push(plain(written.to_ascii_lowercase()));
        } else if is_one_part(written) {
            all.push(plain(written.to_owned()));
        } else {
            all.extend(word_parts(written).into_iter().map(plain));
        }
        if let Some(last) = all.last_mut() {
            last.names_next = raw.ends_with(':');
            last.ends = raw.ends_with(['.', ';', '!', '?']) || raw == "--";
        }
    }
    all
}

/// The sign that closes the quotation which a word opens and does not close.
fn closing_sign(raw: &str) -> Option<char> {
    let close = match raw.chars().next()? {
        quote @ ('\'' | '"' | '`') => quote,
        '‘' => '’',
        '“' => '”',
        '«' => '»',
        _ => return None,
    };
    let inside = raw.get(raw.chars().next()?.len_utf8()..)?;
    (!inside.contains(close)).then_some(close)
}

/// Whether a word stands before it: behind a colon or an equals sign stands what the program itself says.
fn follows_word(line: &str, raw: &str) -> bool {
    before(raw, line).trim_end_matches(' ').ends_with(|c: char| c.is_alphanumeric() || c == ':')
        && before(raw, line).ends_with(' ')
}

/// Whether the quotation ends in the line.
fn closes(line: &str, raw: &str, quote: char) -> bool {
    line.get(before(raw, line).len() + raw.len()..).is_some_and(|rest| rest.contains(quote))
}

/// Whether a word is in capitals and of several words: a variable's name, and none of the system's errors.
fn is_setting(word: &str) -> bool {
    word.contains('_')
        && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && !["ERR_", "E_", "ERROR_"].iter().any(|start| word.starts_with(start))
}

fn is_flag(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    (1..=2).contains(&(word.len() - name.len())) && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Whether a word names a file: it holds a slash that stands for no alternative (`and/or`), or ends as a file does.
fn is_path(word: &str) -> bool {
    if word.contains("://") || !word.contains(|c: char| c.is_alphanumeric()) || matches!(word, "e.g" | "i.e") {
        return false;
    }
    let slashes = word.bytes().filter(|b| matches!(b, b'/' | b'\\')).count();
    let rooted = word.starts_with(['/', '~', '.']) && slashes > 0;
    rooted || slashes > 1 || has_ending(word)
}

/// The endings of files that are longer than five letters.
const LONG_ENDINGS: &[&str] =
    &["gradle", "sqlite", "sqlite3", "service", "properties", "config", "tfvars", "tfstate", "csproj"];

fn has_ending(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let letters =
        ending.bytes().all(|b| b.is_ascii_alphanumeric()) && ending.starts_with(|c: char| c.is_ascii_alphabetic());
    !stem.is_empty()
        && ((1..=5).contains(&ending.len()) || LONG_ENDINGS.contains(&ending))
        && letters
        && !stem.ends_with(')')
        && !word.contains("()")
}

/// Whether a word stands as it is, as most do.
fn is_one_part(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') && word != "cannot"
}

/// The words that a word is made of, in lower case.
fn word_parts(word: &str) -> Vec<String> {
    let bare = word.replace('’', "'");
    if let Some(stem) = bare.to_ascii_lowercase().strip_suffix("n't") {
        let stem = if stem == "ca" { "can" } else { stem };
        return vec![stem.to_owned(), "not".to_owned()];
    }
    if bare.eq_ignore_ascii_case("cannot") {
        return vec!["can".to_owned(), "not".to_owned()];
    }
    // Of `io.error.NotFound` and `errors::NotFound` each name counts.
    let mut all = Vec::new();
    for name in bare.split(['_', ':', '.']).filter(|name| !name.is_empty()) {
        push_humps(name, &mut all);
    }
    all
}

/// `FileNotFoundError` as `file`, `not`, `found`, `error`; what is no such name, as it is.
fn push_humps(name: &str, all: &mut Vec<String>) {
    let bytes = name.as_bytes();
    let is_word = bytes.iter().all(u8::is_ascii_alphabetic);
    let mut start = 0;
    if is_word {
        for (at, pair) in bytes.windows(2).enumerate() {
            if let [a, b] = pair
                && a.is_ascii_lowercase()
                && b.is_ascii_uppercase()
            {
                all.extend(name.get(start..=at).map(str::to_ascii_lowercase));
                start = at + 1;
            }
        }
    }
    all.extend(name.get(start..).map(str::to_ascii_lowercase));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        tokens(line).into_iter().map(|token| token.word).collect()
    }

    #[test]
    fn names_and_contractions_are_written_out() {
        assert_eq!(words("FileNotFoundError: can't open"), ["file", "not", "found", "error", "can", "not", "open"]);
        assert_eq!(words("net::ERR_CONNECTION_REFUSED"), ["net", "err", "connection", "refused"]);
        assert_eq!(words("it doesn’t cannot"), ["it", "does", "not", "can", "not"]);
        assert_eq!(words("a\u{2009}B\u{2009}"), ["a", "b"]);
    }

    #[test]
    fn kinds_of_words() {
        let kinds = |line: &str| tokens(line).iter().map(|t| (t.is_path, t.is_flag, t.is_quoted)).collect::<Vec<_>>();
        assert_eq!(
            kinds("themes/blue/x ./a 'b' --frob -x"),
            [
                (true, false, false),
                (true, false, false),
                (false, false, true),
                (false, true, false),
                (false, true, false)
            ]
        );
        for no in ["and/or", "1.2.3", "e.g.", "https://a.b/c.html", "--", "3.14"] {
            assert!(!tokens(no).iter().any(|token| token.is_path || token.is_flag), "{no}");
        }
        for yes in ["config.yaml", "src/a/b", "C:\\a\\b.txt", "~/x", "../y"] {
            assert!(tokens(yes).iter().any(|token| token.is_path), "{yes}");
        }
    }
}
