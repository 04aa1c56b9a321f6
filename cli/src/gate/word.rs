//! Whether a word looks random, and the names that do not although they mix letters and digits.

use std::collections::BTreeSet;

use super::GateContext;
use crate::programs;

/// Names of the project that are not random however they look: what git tracks, part by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNames(BTreeSet<String>);

impl FromIterator<String> for KnownNames {
    fn from_iter<T: IntoIterator<Item = String>>(paths: T) -> Self {
        let mut names = Self::default();
        paths.into_iter().for_each(|path| names.see(&path));
        names
    }
}

/// The most names that are kept.
const MOST_NAMES: usize = 200_000;

impl KnownNames {
    /// Takes in a path: its folders, its file, and that without its endings.
    pub fn see(&mut self, path: &str) {
        for part in path.split('/') {
            if !part.is_empty() && self.0.len() < MOST_NAMES && !self.0.contains(part) {
                self.0.insert(part.to_owned());
                self.0.extend(part.split('.').filter(|stem| !stem.is_empty()).map(str::to_owned));
            }
        }
    }

    /// Whether each part of a word is such a name.
    pub fn has(&self, word: &str) -> bool {
        let mut parts = word.split(['/', ':', '=', ',', '@']).filter(|part| !matches!(*part, "" | "." | ".." | "..."));
        let mut is_any = false;
        parts.all(|part| {
            is_any = true;
            self.0.contains(part)
        }) && is_any
    }
}

/// Names of techniques and units that end in a number, without it.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "a", "amd", "android", "api", "arm", "base", "bench", "blake", "c", "case", "chapter", "crc", "d", "day", "debian",
    "demo", "e", "ec", "ed", "es", "example", "f", "file", "g", "go", "gpt", "h", "html", "http", "i", "int", "ios", "ip",
    "ipv", "iso", "item", "java", "jdk", "jest", "json", "junit", "k", "lab", "level", "libc", "log", "m", "md", "module",
    "mp", "mysql", "net", "next", "node", "nr", "o", "oauth", "p", "page", "part", "patch", "pep", "pg", "phase", "php",
    "pip", "postgres", "pq", "py", "python", "q", "r", "react", "release", "rev", "round", "ruby", "rust", "s", "section",
    "sha", "spec", "sprint", "sqlite", "stage", "step", "suite", "t", "task", "tar", "test", "tls", "topic", "u", "ubuntu",
    "uint", "unit", "utf", "v", "version", "vite", "vue", "w", "web", "week", "win", "wave", "x", "xml", "y", "z",
];

/// Names that hold a number, and are none of [`STEMS`].
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "a11y", "b64", "c14n", "cp1252", "e2e", "g11n", "h264", "h265", "i18n", "i386", "i586", "i686", "k3s", "k6", "k8s",
    "l10n", "latin1", "log4j", "m1", "m2", "mp3", "mp4", "n8n", "o11y", "p12", "p2p", "p8", "ppc64le", "s3", "s390x",
    "secp256k1", "sqlite3", "t9n", "w3c", "win32", "win64", "x509", "x64", "x86", "base64url", "d3", "h5py", "neo4j", "p5",
    "pkcs11", "pkcs12", "pkcs8", "s3cmd", "sqlite3dump", "three", "x11", "ed25519", "aarch64", "curve25519",
];

/// Which letters follow a letter in words of languages and programs, in the order of the first ones.
#[rustfmt::skip]
const FOLLOW: [&str; 26] = [
    "bcdfgiklmnprstuvwxy", "abceilorstuy", "acdehiklmoprstuy", "abdefgilmorsuvy",
    "abcdefghiklmnopqrstuvwxy", "adefilorstuy", "aeghilmnorsu", "aeioprstu",
    "abcdefgklmnoprstvxz", "aeosu", "adeinstu", "acdefiklopstuvy",
    "abdeiklmopstuy", "abcdefghiklmnoprstuvwy", "abcdefgijklmnoprstuvwxy", "adeghiklmoprstuy",
    "lu", "abcdefgiklmnoprstuvwy", "acefhiklmnopqrstuvwy", "acdefhilmoprstuwy",
    "abcdefgilmnoprst", "aeio", "aehinors", "aceiptx",
    "eilmnopst", "eiz",
];

/// The shortest run of letters that is judged by their order.
const LONG: usize = 8;
/// The longest run of digits that is a number of something: a port, a year.
const DIGITS: usize = 6;
/// The longest run of consonants in words.
const CONSONANTS: usize = 6;

/// Whether a word, or a part of it, looks random.
pub(super) fn is_random(word: &str, context: &GateContext<'_>) -> bool {
    if !word.is_ascii() {
        return word.split(|sign: char| !sign.is_ascii()).any(|part| is_random(part, context));
    }
    let parts = || word.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    (parts().any(is_random_part) || is_jumbled(word)) && programs::find(word).is_none() && !context.knows(word)
}

/// The same in text that tells something: there codes of errors, numbers and short names stand, too.
pub(super) fn is_random_in_prose(word: &str, context: &GateContext<'_>) -> bool {
    let word = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
    let parts = word.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|part| part.len() > 4);
    let is_random = |part: &&str| !is_error_code(part) && !is_all_digits(part) && is_random_part(part);
    let random: Vec<&str> = parts.filter(is_random).collect();
    let is_odd = |part: &&str| {
        let has = |is: fn(&u8) -> bool| part.as_bytes().iter().any(is);
        part.len() >= LONG || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
    };
    // One short part may be a code of something; two are a secret with a sign in it.
    let is_mixed = |part: &&&str| part.bytes().any(|byte| byte.is_ascii_digit());
    let is_odd_here = random.iter().any(is_odd) || random.iter().filter(is_mixed).count() > 1 || is_jumbled(word);
    is_odd_here && programs::find(word).is_none() && !context.knows(word)
}

/// Small letters, capitals and digits by turns, whatever signs divide them: what base64 looks like.
fn is_jumbled(word: &str) -> bool {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    };
    let classes: Vec<u8> = word.bytes().filter(u8::is_ascii_alphanumeric).map(class).collect();
    let turns = classes.windows(2).filter(|two| two[0] != two[1]).count();
    let has_all = (0..3).all(|class| classes.contains(&class));
    classes.len() >= JUMBLED && has_all && turns * 3 > classes.len()
}

/// The shortest word that is judged so, in letters and digits.
const JUMBLED: usize = 12;

/// `TS2304`, `ORA12154`: capitals, then digits.
fn is_error_code(part: &str) -> bool {
    let letters = part.bytes().take_while(u8::is_ascii_uppercase).count();
    (1..=4).contains(&letters)
        && part.len() - letters <= 5
        && part.bytes().skip(letters).all(|byte| byte.is_ascii_digit())
}

fn is_all_digits(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_random_part(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    match digits {
        0 => is_disordered(part),
        all if all == part.len() => all > DIGITS,
        _ => part.len() > 1 && !is_numbered(part),
    }
}

/// A name with a number at one of its ends: `sha256`, `v2`, `60s`.
fn is_numbered(part: &str) -> bool {
    #[rustfmt::skip]
    const UNITS: &[&str] = &[
        "ms", "p", "q", "s", "m", "h", "d", "w", "k", "kb", "mb", "gb", "g", "b", "x", "px", "st", "nd", "rd", "th", "min",
        "sec", "n", "c",
    ];
    let lower = part.to_ascii_lowercase();
    if NAMES.contains(&lower.as_str()) {
        return true;
    }
    let stem = lower.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let ends = lower.len() - stem.len();
    let most = if stem == "es" || stem == "rev" { 4 } else { 3 };
    if (1..=most).contains(&ends) && (STEMS.contains(&stem) || stem.len() > 1 && programs::find(stem).is_some()) {
        // What a person writes so has one case, or one capital at its beginning.
        return part.get(1..).is_some_and(|rest| !rest.bytes().any(|byte| byte.is_ascii_uppercase()))
            || part.bytes().all(|byte| !byte.is_ascii_lowercase());
    }
    let unit = lower.trim_start_matches(|sign: char| sign.is_ascii_digit());
    lower.len() - unit.len() <= 4 && UNITS.contains(&unit)
}

/// Letters that no language and no programmer puts in this order.
fn is_disordered(part: &str) -> bool {
    let bytes = part.as_bytes();
    let humps = bytes.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    let lows = bytes.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let is_mixed = humps > 0 && lows > 0;
    // `getURLs` and `dbPassword` change seldom for their length.
    if is_mixed && bytes.len() >= 6 && (humps + 1) * 3 > bytes.len() {
        return true;
    }
    if bytes.len() < LONG || programs::find(part).is_some() {
        return false;
    }
    let vowel = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let is_rare = |two: &&[u8]| {
        let place = |byte: u8| usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a'));
        let is_hump = two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase();
        let next = char::from(two[1].to_ascii_lowercase());
        !is_hump && FOLLOW.get(place(two[0])).is_some_and(|follow| !follow.contains(next))
    };
    let rare = bytes.windows(2).filter(is_rare).count();
    let consonants = bytes.split(|byte| vowel(byte)).map(<[u8]>::len).max().unwrap_or_default();
    let one = bytes.first().is_some_and(|first| bytes.iter().all(|byte| byte == first));
    !one && (rare > 2 && rare * 4 + 1 >= bytes.len() || consonants > CONSONANTS && !is_mixed)
}

/// A value that says nothing of its own: a switch, a small number, a word of choices.
pub(crate) fn is_harmless_value(value: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "true", "false", "yes", "no", "on", "off", "auto", "always", "never", "all", "none", "default", "error", "warn",
        "info", "debug", "test", "development", "production", "plain", "json", "text", "short", "long", "full", "brief",
        "list",
    ];
    WORDS.contains(&value.to_ascii_lowercase().as_str())
        || (1..=3).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
        || value == "{n}"
}

/// `user:password@host`, `user/password@place`.
pub(super) fn names_a_login(value: &str) -> bool {
    let Some((before, _)) = value.rsplit_once('@') else { return false };
    let before = before.trim_start_matches('@');
    before.contains([':', '%']) || before.contains('/') && !value.starts_with('@') && !before.contains("github.com")
}
