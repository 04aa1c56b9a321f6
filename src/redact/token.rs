//! Tokens that are known by their own beginning.

use super::Secret;
use super::bytes::{
    JUDGED, goes_on, is_base64, is_word, judged_end, mark_close, mark_end, mark_start, mixes_digits, part, run_end,
    run_start,
};

/// A token that an issuer marks by its beginning.
struct Family {
    /// Its first two letters in one number: most rows are passed over by it.
    key: u16,
    kind: &'static str,
    prefix: &'static str,
    body: fn(u8) -> bool,
    shortest: usize,
    longest: usize,
}

const fn key_of(prefix: &str) -> u16 {
    let bytes = prefix.as_bytes();
    u16::from_be_bytes([bytes[0], bytes[1]])
}

const fn family(kind: &'static str, prefix: &'static str, body: fn(u8) -> bool, shortest: usize) -> Family {
    Family { key: key_of(prefix), kind, prefix, body, shortest, longest: usize::MAX }
}

const fn exact(kind: &'static str, prefix: &'static str, body: fn(u8) -> bool, length: usize) -> Family {
    Family { key: key_of(prefix), kind, prefix, body, shortest: length, longest: length }
}

/// The first row whose beginning and body fit decides. The length counts the body, without the beginning.
#[rustfmt::skip]
const FAMILIES: &[Family] = &[
    //     kind                  beginning        body    length
    exact ("aws_key",            "AKIA",          capital,   16),
    exact ("aws_key",            "ASIA",          capital,   16),
    exact ("aws_key",            "ABIA",          capital,   16),
    exact ("aws_key",            "ACCA",          capital,   16),
    exact ("google_key",         "AIza",          dashed,    35),
    family("google_token",       "ya29.",         dotted,    20),
    family("google_secret",      "GOCSPX-",       dashed,    20),
    family("github_token",       "ghp_",          is_word,   30),
    family("github_token",       "gho_",          is_word,   30),
    family("github_token",       "ghu_",          is_word,   30),
    family("github_token",       "ghs_",          is_word,   30),
    family("github_token",       "ghr_",          is_word,   30),
    family("github_token",       "github_pat_",   is_word,   22),
    family("gitlab_token",       "glpat-",        dashed,    20),
    family("gitlab_token",       "gldt-",         dashed,    20),
    family("gitlab_token",       "glrt-",         dashed,    20),
    family("gitlab_token",       "glptt-",        dashed,    20),
    family("gitlab_token",       "glcbt-",        dashed,    20),
    family("gitlab_token",       "gloas-",        dashed,    20),
    family("slack_token",        "xoxa-",         dashed,    10),
    family("slack_token",        "xoxb-",         dashed,    10),
    family("slack_token",        "xoxp-",         dashed,    10),
    family("slack_token",        "xoxr-",         dashed,    10),
    family("slack_token",        "xoxs-",         dashed,    10),
    family("slack_token",        "xoxe",          dotted,    20),
    family("slack_token",        "xapp-",         dashed,    20),
    family("slack_webhook",      "hooks.slack.com/services/", slashed, 20),
    family("discord_webhook",    "discord.com/api/webhooks/", slashed, 60),
    exact ("npm_token",          "npm_",          letter,    36),
    family("pypi_token",         "pypi-",         dashed,    50),
    family("anthropic_key",      "sk-ant-",       dashed,    20),
    family("openai_key",         "sk-proj-",      dashed,    20),
    family("openai_key",         "sk-svcacct-",   dashed,    20),
    family("openai_key",         "sk-admin-",     dashed,    20),
    family("openrouter_key",     "sk-or-",        dashed,    20),
    family("openai_key",         "sk-",           letter,    32),
    family("stripe_key",         "sk_live_",      is_word,   10),
    family("stripe_key",         "sk_test_",      is_word,   10),
    family("stripe_key",         "rk_live_",      is_word,   10),
    family("stripe_key",         "rk_test_",      is_word,   10),
    family("stripe_key",         "whsec_",        is_base64, 24),
    family("sendgrid_key",       "SG.",           dotted,    50),
    family("huggingface_token",  "hf_",           letter,    30),
    exact ("digitalocean_token", "dop_v1_",       hex,       64),
    exact ("digitalocean_token", "doo_v1_",       hex,       64),
    exact ("digitalocean_token", "dor_v1_",       hex,       64),
    exact ("shopify_token",      "shpat_",        hex,       32),
    exact ("shopify_token",      "shpca_",        hex,       32),
    exact ("shopify_token",      "shppa_",        hex,       32),
    exact ("shopify_token",      "shpss_",        hex,       32),
    family("vault_token",        "hvs.",          dashed,    20),
    family("vault_token",        "hvb.",          dashed,    20),
    exact ("databricks_token",   "dapi",          hex,       32),
    family("linear_key",         "lin_api_",      letter,    30),
    family("figma_token",        "figd_",         dashed,    30),
    family("docker_token",       "dckr_pat_",     dashed,    20),
    family("docker_token",       "dckr_oat_",     dashed,    20),
    family("groq_key",           "gsk_",          letter,    40),
    family("xai_key",            "xai-",          letter,    40),
    family("replicate_token",    "r8_",           letter,    30),
    family("perplexity_key",     "pplx-",         letter,    40),
    exact ("pulumi_token",       "pul-",          hex,       40),
    family("sentry_token",       "sntrys_",       is_base64, 40),
    family("sentry_token",       "sntryu_",       hex,       40),
    family("newrelic_key",       "NRAK-",         capital,   27),
    family("atlassian_token",    "ATATT3",        is_base64, 50),
    family("grafana_token",      "glsa_",         is_word,   32),
    family("supabase_token",     "sbp_",          hex,       40),
    family("planetscale_token",  "pscale_tkn_",   dotted,    30),
    family("planetscale_token",  "pscale_pw_",    dotted,    30),
    family("doppler_token",      "dp.pt.",        letter,    40),
    family("postman_key",        "PMAK-",         dashed,    50),
    exact ("twilio_key",         "SK",            hex,       32),
    exact ("mailgun_key",        "key-",          hex,       32),
    family("square_token",       "sq0atp-",       dashed,    22),
    family("square_token",       "sq0csp-",       dashed,    22),
    family("heroku_key",         "HRKU-",         dashed,    30),
    family("onepassword_token",  "ops_eyJ",       is_base64, 80),
    exact ("age_key",            "AGE-SECRET-KEY-1", capital, 58),
    exact ("crates_token",       "cio",           letter,    32),
    exact ("rubygems_key",       "rubygems_",     hex,       48),
    exact ("nuget_key",          "oy2",           small,     43),
    family("tailscale_key",      "tskey-",        dashed,    20),
    family("buildkite_token",    "bkua_",         hex,       40),
    family("circleci_token",     "CCIPAT_",       is_word,   30),
    family("netlify_token",      "nfp_",          letter,    36),
    family("notion_token",       "ntn_",          letter,    40),
    exact ("notion_token",       "secret_",       letter,    43),
    family("brevo_key",          "xkeysib-",      dashed,    64),
    family("contentful_token",   "CFPAT-",        dashed,    40),
];

/// Words that are no token themselves and that something else of this module or its neighbours looks for.
const OTHER_WORDS: &[&str] = &[
    "eyJ",
    "Bearer",
    "bearer",
    "curl",
    "wget",
    "mysql",
    "mariadb",
    "sshpass",
    "docker",
    "redis",
    "machine",
    "characters",
];

/// For each pair of first letters, which third ones begin a family or a word of interest: one bit a letter, any case.
static GATE: [u32; 1024] = gate();

/// For each pair of first letters, the families that begin with it, in any case, lie in these rows: from, to.
static ROWS: [(u8, u8); 1024] = rows();

const fn rows() -> [(u8, u8); 1024] {
    let mut table = [(0, 0); 1024];
    let mut row = 0_u8;
    while (row as usize) < FAMILIES.len() {
        let prefix = FAMILIES[row as usize].prefix.as_bytes();
        let rows = &mut table[pair(prefix[0], prefix[1])];
        *rows = (if rows.1 == 0 { row } else { rows.0 }, row + 1);
        row += 1;
    }
    table
}

/// The families that begin with these two letters, in their order.
fn families(first: u8, second: u8) -> impl Iterator<Item = &'static Family> {
    let (from, to) = ROWS[pair(first, second)];
    let key = u16::from_be_bytes([first, second]);
    let rows = FAMILIES.get(usize::from(from)..usize::from(to)).unwrap_or_default();
    rows.iter().filter(move |family| family.key == key)
}

const fn gate() -> [u32; 1024] {
    let mut table = [0; 1024];
    let mut row = 0;
    while row < FAMILIES.len() {
        open(&mut table, FAMILIES[row].prefix.as_bytes());
        row += 1;
    }
    row = 0;
    while row < OTHER_WORDS.len() {
        open(&mut table, OTHER_WORDS[row].as_bytes());
        row += 1;
    }
    table
}

/// A beginning of two letters is followed by hexadecimal digits.
const fn open(table: &mut [u32; 1024], word: &[u8]) {
    table[pair(word[0], word[1])] |= if word.len() > 2 { 1 << (word[2] & 31) } else { HEX };
}

/// The bits of the hexadecimal digits.
const HEX: u32 = 0b11_1111_1111 << 16 | 0b111_1110;

const fn pair(first: u8, second: u8) -> usize {
    ((first & 31) as usize) << 5 | (second & 31) as usize
}

/// Whether the word that begins here may be of interest at all.
pub(super) fn may_begin(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..at + 3) {
        Some([first, second, third]) => GATE[pair(*first, *second)] >> (third & 31) & 1 == 1,
        _ => false,
    }
}

/// The token that begins at the start of a word.
pub(super) fn at(bytes: &[u8], at: usize) -> Option<Secret> {
    families(*bytes.get(at)?, *bytes.get(at + 1)?)
        .find_map(|family| fits(family, bytes, at))
        .or_else(|| web_token(bytes, at))
        .or_else(|| bearer(bytes, at))
        .or_else(|| machine(bytes, at))
        .or_else(|| end_behind_mark(bytes, at))
}

fn fits(family: &Family, bytes: &[u8], at: usize) -> Option<Secret> {
    let prefix = family.prefix.as_bytes();
    if !goes_on(bytes, at, prefix) {
        return None;
    }
    let start = at + family.prefix.len();
    let length = judged_end(bytes, start, family.body) - start;
    if length > family.longest {
        return None;
    }
    let end = body_end(bytes, start, family.body);
    let length = end - start;
    let whole = (family.shortest..=family.longest).contains(&length) && !bytes.get(end).is_some_and(|b| is_word(*b));
    let cut = length < family.shortest && is_cut(bytes, start, end);
    (whole || cut).then_some(Secret { start: at, end, kind: family.kind })
}

/// A body ends before the dot that ends its sentence.
fn body_end(bytes: &[u8], start: usize, class: fn(u8) -> bool) -> usize {
    let end = run_end(bytes, start, class);
    let dots = part(bytes, start, end).iter().rev().take_while(|byte| **byte == b'.').count();
    end - dots
}

/// A token that the client's truncation mark cut off: too short, yet no word of a language.
fn is_cut(bytes: &[u8], start: usize, end: usize) -> bool {
    let body = part(bytes, start, end);
    let random = body.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    random && mark_end(bytes, end).is_some()
}

/// What is behind the truncation mark that follows a secret is the secret's rest.
pub(super) fn rest_behind_mark(bytes: &[u8], head: Secret) -> Option<Secret> {
    let start = mark_end(bytes, head.end)?;
    let end = run_end(bytes, start, dense).max(random_end(bytes, start));
    (end > start).then_some(Secret { start, end, kind: head.kind })
}

/// The end of a secret whose beginning the client cut out: what is behind a mark and looks like no text. `at` is
/// where the mark's words begin.
fn end_behind_mark(bytes: &[u8], at: usize) -> Option<Secret> {
    let start = mark_close(bytes, at)?;
    let end = random_end(bytes, start);
    (end > start).then_some(Secret { start, end, kind: "cut_secret" })
}

/// Where the runs that look random end: one of a token, several of a key's lines.
fn random_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    let mut next = start;
    loop {
        let stop = run_end(bytes, next, dense);
        if !is_random(part(bytes, next, stop)) {
            return end;
        }
        end = stop;
        next = run_end(bytes, stop, |byte| byte.is_ascii_whitespace());
        next += if goes_on(bytes, next, b"\\n") { 2 } else { 0 };
        if next == stop {
            return end;
        }
    }
}

fn dense(byte: u8) -> bool {
    is_base64(byte) || matches!(byte, b'.' | b'~' | b'%')
}

/// The shortest run that is taken for the end of a secret.
const RANDOM: usize = 12;

/// Whether capitals, small letters and digits take turns as they do in no language. Asked beside a cut only: names of
/// files and types may look like it, too.
fn is_random(run: &[u8]) -> bool {
    let class = |byte: &u8| match byte {
        b'A'..=b'Z' => 1_u8,
        b'a'..=b'z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let letters: Vec<u8> = run.iter().map(class).filter(|class| *class > 0).take(JUDGED).collect();
    let turns = letters.windows(2).filter(|two| two[0] != two[1]).count();
    let mut digits = letters.iter().filter(|class| **class == 3);
    let some_digits = digits.nth(1).is_some();
    letters.len() >= RANDOM && (turns * 3 >= letters.len() || (some_digits && turns * 8 >= letters.len()))
}

/// The beginning of a secret whose end the client cut out: what is before the mark whose words begin at `at`, and
/// looks like no text.
pub(super) fn beginning_before_mark(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let open = mark_start(bytes, at, floor)?;
    let end = run_start(bytes, open, floor, |byte| byte.is_ascii_whitespace());
    let start = run_start(bytes, end, floor, dense);
    is_random(part(bytes, start, end)).then_some(Secret { start, end, kind: "cut_secret" })
}

/// The password of a `.netrc` entry: `machine HOST login USER password SECRET`.
fn machine(bytes: &[u8], at: usize) -> Option<Secret> {
    if !goes_on(bytes, at, b"machine ") {
        return None;
    }
    let entry = part(bytes, at, bytes.len().min(at + JUDGED));
    let login = entry.windows(LOGIN.len()).position(|words| words == LOGIN)?;
    let word = entry.get(login..)?.windows(PASSWORD.len()).position(|words| words == PASSWORD)?;
    let start = at + login + word + PASSWORD.len();
    let end = run_end(bytes, start, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
    let known = goes_on(bytes, start, b"[redacted") || goes_on(bytes, start, b"$") || goes_on(bytes, start, b"<");
    (end > start && !known).then_some(Secret { start, end, kind: "password" })
}

const LOGIN: &[u8] = b" login ";
const PASSWORD: &[u8] = b" password ";

/// Three parts of base64, the first of which is JSON: signed tokens of the web.
fn web_token(bytes: &[u8], at: usize) -> Option<Secret> {
    if !goes_on(bytes, at, b"eyJ") {
        return None;
    }
    let judged = part(bytes, at, judged_end(bytes, at, dotted));
    let whole = judged.len() >= 30 && judged.windows(2).any(|two| matches!(two, [b'.', next] if dashed(*next)));
    if !whole && judged.len() == JUDGED {
        return None;
    }
    let end = body_end(bytes, at, dotted);
    (whole || is_cut(bytes, at + 3, end)).then_some(Secret { start: at, end, kind: "jwt" })
}

/// `Bearer TOKEN` outside a header's own line. In prose the word after it is a short one without digits.
fn bearer(bytes: &[u8], at: usize) -> Option<Secret> {
    let start = at + b"Bearer ".len();
    if !goes_on(bytes, at + 1, b"earer ") {
        return None;
    }
    let end = body_end(bytes, start, |byte| is_base64(byte) || matches!(byte, b'.' | b'~' | b'%'));
    let token = part(bytes, start, end);
    let value = token.len() >= 20 || (token.len() >= 8 && mixes_digits(token));
    let named = bytes.get(end) == Some(&b'=')
        || token.iter().position(|byte| *byte == b'=').is_some_and(|at| at + 3 < token.len());
    (value && !named).then_some(Secret { start, end, kind: "bearer" })
}

fn capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn small(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn dashed(byte: u8) -> bool {
    letter(byte) || matches!(byte, b'-' | b'_')
}

fn dotted(byte: u8) -> bool {
    dashed(byte) || byte == b'.'
}

fn slashed(byte: u8) -> bool {
    dashed(byte) || byte == b'/'
}

fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// A chat bot's token: a number, a colon and 35 characters of which the first two are `AA`.
pub(super) fn bot_token(bytes: &[u8], colon: usize, floor: usize) -> Option<Secret> {
    if !goes_on(bytes, colon + 1, b"AA") {
        return None;
    }
    let start = run_start(bytes, colon, floor, |byte| byte.is_ascii_digit());
    let end = run_end(bytes, colon + 1, dashed);
    let fits = (8..=10).contains(&(colon - start)) && end - colon == 36;
    fits.then_some(Secret { start: colon + 1, end, kind: "bot_token" })
}
