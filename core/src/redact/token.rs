//! Tokens that are known by their own beginning.

use super::Secret;
use super::bytes::{
    JUDGED, goes_on, goes_on_in_any_case, is_base64, is_visible, is_word, judged_end, mark_close, mark_end, mark_start,
    mixes_digits, part, run_end, run_start,
};
use super::name::row_of;
use super::packages::PACKAGES;
use super::table::{Row, count_of, flat};
use super::value::is_placeholder;

/// How a token of an issuer goes on behind its beginning.
#[derive(Clone, Copy)]
pub(super) struct TokenFamily {
    kind: &'static str,
    body: fn(u8) -> bool,
    shortest: usize,
    longest: usize,
}

pub(super) const fn family(kind: &'static str, body: fn(u8) -> bool, shortest: usize) -> TokenFamily {
    TokenFamily { kind, body, shortest, longest: usize::MAX }
}

const fn exact(kind: &'static str, body: fn(u8) -> bool, length: usize) -> TokenFamily {
    TokenFamily { longest: length, ..family(kind, body, length) }
}

/// The first row whose beginning and body fit decides. The length counts the body, without the beginning.
#[rustfmt::skip]
const OWN: &[Row<TokenFamily>] = &[
    (family("aws_key", capital, 16), &["AKIA", "ASIA", "ABIA", "ACCA"]),
    (family("hash", scrambled, 40), &["SCRAM-SHA-256$"]),
    (family("braintree_token", dollared, 24), &["access_token$production$", "access_token$sandbox$"]),
    (family("google_key", dashed, 30), &["AIza", "AQ."]),
    (family("google_token", dotted, 20), &["ya29."]),
    (family("google_secret", dashed, 20), &["GOCSPX-"]),
    (family("github_token", is_word, 30), &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]),
    (family("github_token", is_word, 22), &["github_pat_"]),
    (family("gitlab_token", dotted, 20), &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-"]),
    (family("slack_token", dashed, 10), &["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xapp-"]),
    (family("slack_token", percented, 20), &["xoxd-"]),
    (family("minisign_key", is_base64, 100), &["RWRTY0Iy"]),
    (family("youtrack_token", dotted, 40), &["perm:", "perm-"]),
    (family("akamai_token", dashed, 30), &["akab-"]),
    (family("slack_token", dotted, 20), &["xoxe"]),
    (family("slack_webhook", slashed, 20), &["hooks.slack.com/services/"]),
    (family("discord_webhook", slashed, 60), &["discord.com/api/webhooks/"]),
    (exact("npm_token", is_word, 36), &["npm_"]),
    (family("pypi_token", dashed, 50), &["pypi-"]),
    (family("anthropic_key", dashed, 20), &["sk-ant-"]),
    (family("openai_key", dashed, 20), &["sk-proj-", "sk-svcacct-", "sk-admin-"]),
    (family("openrouter_key", dashed, 20), &["sk-or-"]),
    (family("openai_key", letter, 32), &["sk-"]),
    (family("stripe_key", is_word, 10), &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_"]),
    (family("stripe_key", is_base64, 24), &["whsec_"]),
    (family("sendgrid_key", dotted, 50), &["SG."]),
    (family("huggingface_token", letter, 30), &["hf_", "api_org_"]),
    (family("digitalocean_token", hex, 64), &["dop_v1_", "doo_v1_", "dor_v1_"]),
    (family("shopify_token", letter, 32), &["shpat_", "shpca_", "shppa_", "shpss_"]),
    (family("vault_token", dashed, 20), &["hvs.", "hvb."]),
    (family("databricks_token", hex, 32), &["dapi"]),
    (family("linear_key", is_word, 30), &["lin_api_", "lin_oauth_"]),
    (family("figma_token", dashed, 30), &["figd_"]),
    (family("docker_token", dashed, 20), &["dckr_pat_", "dckr_oat_", "SWMTKN-1-", "SWMKEY-1-"]),
    (family("groq_key", letter, 40), &["gsk_"]),
    (family("xai_key", letter, 40), &["xai-"]),
    (family("replicate_token", letter, 30), &["r8_"]),
    (family("perplexity_key", letter, 40), &["pplx-"]),
    (family("pulumi_token", hex, 40), &["pul-"]),
    (family("sentry_token", is_base64, 40), &["sntrys_", "sntryu_"]),
    (family("newrelic_key", dashed, 19), &["NRAK-", "NRIQ-", "NRII-", "NRJS-", "NRRA-"]),
    (family("atlassian_token", is_base64, 50), &["ATATT3", "ATCTT3"]),
    (family("grafana_token", is_base64, 30), &["glsa_", "eyJrIjoi"]),
    (family("supabase_token", hex, 40), &["sbp_"]),
    (family("planetscale_token", dotted, 30), &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"]),
    (family("doppler_token", dotted, 40), &["dp.st.", "dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."]),
    (family("postman_key", dashed, 20), &["PMAK-", "PMAT-"]),
    (exact("twilio_key", hex, 32), &["SK"]),
    (exact("mailgun_key", hex, 32), &["key-"]),
    (family("square_token", dashed, 22), &["sq0atp-", "sq0csp-"]),
    (family("heroku_key", dashed, 30), &["HRKU-"]),
    (family("onepassword_token", is_base64, 80), &["ops_eyJ"]),
    (family("age_key", capital, 58), &["AGE-SECRET-KEY-1"]),
    (exact("crates_token", letter, 32), &["cio"]),
    (family("rubygems_key", hex, 48), &["rubygems_"]),
    (exact("nuget_key", small, 43), &["oy2"]),
    (family("tailscale_key", dashed, 20), &["tskey-"]),
    (family("buildkite_token", is_word, 40), &["bkua_", "bkpat_"]),
    (family("circleci_token", is_word, 30), &["CCIPAT_", "CCIPRJ_"]),
    (family("netlify_token", letter, 36), &["nfp_"]),
    (family("notion_token", letter, 40), &["ntn_"]),
    (exact("notion_token", letter, 43), &["secret_"]),
    (family("brevo_key", dashed, 64), &["xkeysib-"]),
    (family("contentful_token", dashed, 40), &["CFPAT-"]),
    (family("adobe_secret", small, 32), &["p8e-"]),
    (family("adafruit_key", letter, 28), &["aio_"]),
    (family("aiven_token", dashed, 16), &["AVNS_"]),
    (family("alibaba_key", letter, 20), &["LTAI"]),
    (family("anyscale_token", letter, 20), &["esecret_"]),
    (family("apify_token", letter, 30), &["apify_api_"]),
    (family("artifactory_key", letter, 60), &["AKCp"]),
    (family("artifactory_token", is_base64, 50), &["cmVmdGtu"]),
    (family("aws_bedrock_key", is_base64, 109), &["ABSK"]),
    (family("bitbucket_token", letter, 28), &["ATBB"]),
    (family("cerebras_key", small, 40), &["csk-"]),
    (family("clojars_token", small, 60), &["CLOJARS_"]),
    (family("cloudflare_key", dashed, 100), &["v1.0-"]),
    (family("composer_token", is_word, 40), &["packagist_"]),
    (family("dropbox_token", dashed, 100), &["sl."]),
    (family("duffel_token", dashed, 40), &["duffel_"]),
    (family("dynatrace_token", dotted, 80), &["dt0"]),
    (family("easypost_key", letter, 54), &["EZAK", "EZTK"]),
    (family("elastic_key", is_base64, 40), &["essu_"]),
    (family("facebook_token", letter, 100), &["EAA"]),
    (family("fireworks_key", letter, 24), &["fw_"]),
    (family("flutterwave_key", dashed, 30), &["FLWSECK_TEST-", "FLWSECK-"]),
    (family("fly_token", is_base64, 40), &["fm1_", "fm2_", "fo1_"]),
    (family("gitea_token", hex, 40), &["gta_"]),
    (family("google_token", dashed, 50), &["1//0"]),
    (family("harness_token", dotted, 60), &["pat.", "sat."]),
    (family("honeycomb_key", small, 50), &["hcaik_", "hcxik_"]),
    (family("hubspot_token", dashed, 36), &["pat-na1-", "pat-eu1-"]),
    (family("infracost_key", letter, 32), &["ico-"]),
    (family("infisical_token", dotted, 60), &["st."]),
    (family("langfuse_key", dashed, 36), &["sk-lf-"]),
    (family("langsmith_key", is_word, 40), &["lsv2_"]),
    (family("launchdarkly_key", uuid, 36), &["sdk-", "api-"]),
    (exact("lob_key", hex, 35), &["live_", "test_"]),
    (family("mapbox_token", dotted, 60), &["sk.eyJ"]),
    (family("mercado_token", dashed, 60), &["APP_USR-"]),
    (family("nvidia_key", dashed, 50), &["nvapi-"]),
    (family("octopus_key", capital, 26), &["API-"]),
    (family("openshift_token", dashed, 40), &["sha256~"]),
    (family("pinecone_key", is_word, 50), &["pcsk_"]),
    (family("plaid_token", uuid, 36), &["access-sandbox-", "access-development-", "access-production-"]),
    (family("posthog_key", letter, 40), &["phx_"]),
    (family("prefect_key", letter, 36), &["pnu_"]),
    (family("readme_key", small, 60), &["rdme_"]),
    (family("resend_key", is_word, 32), &["re_"]),
    (family("scalingo_token", dashed, 40), &["tk-us-"]),
    (family("shippo_token", is_word, 40), &["shippo_"]),
    (family("sonar_token", hex, 40), &["squ_", "sqp_", "sqa_"]),
    (family("sourcegraph_token", is_word, 40), &["sgp_"]),
    (family("square_token", dashed, 58), &["EAAA"]),
    (family("supabase_key", dashed, 20), &["sb_secret_"]),
    (family("tavily_key", dashed, 28), &["tvly-"]),
    (family("temporal_key", is_word, 30), &["tmprl_"]),
    (family("typeform_token", dashed, 40), &["tfp_"]),
    (family("yandex_key", dashed, 35), &["AQVN"]),
    (family("zuplo_key", is_word, 36), &["zpka_"]),
    (family("onepassword_key", capital_dashed, 30), &["A3-"]),
    (family("firecrawl_key", hex, 32), &["fc-"]),
    (family("e2b_key", hex, 40), &["e2b_"]),
    (family("jina_key", dashed, 50), &["jina_"]),
    (family("paddle_key", is_word, 50), &["pdl_"]),
    (family("polar_token", letter, 40), &["polar_oat_"]),
    (family("expo_token", letter, 40), &["expo_"]),
    (family("render_key", letter, 28), &["rnd_"]),
    (family("turbo_token", is_word, 30), &["vercel_blob_rw_"]),
    (family("facebook_token", letter, 20), &["EAACEdEose0cBA"]),
    (family("dropbox_token", dashed, 40), &["sl.u."]),
    (family("amazon_mws_token", uuid, 30), &["amzn.mws."]),
    (family("mailersend_token", letter, 30), &["mlsn."]),
    (family("cloudflare_token", is_word, 30), &["cfut_", "cfat_"]),
    (family("tencent_key", letter, 16), &["AKID"]),
    (family("yandex_key", dotted, 60), &["t1."]),
    (family("neon_key", letter, 20), &["napi_"]),
    (family("airtable_token", dotted, 70), &["pat"]),
    (family("conda_token", dashed, 20), &["anaconda.org/t/"]),
    (family("bitcoin_key", letter, 100), &["xprv", "zprv"]),
    (family("ory_token", dotted, 60), &["ory_at_"]),
    (family("nostr_key", small, 50), &["nsec1"]),
    (family("nats_seed", capital, 56), &["SU", "SA"]),
    (exact("ceph_key", is_base64, 38), &["AQ"]),
    (family("firebase_token", dashed, 60), &["APA91b"]),
    (family("fauna_key", dashed, 36), &["fnA"]),
    (family("clickup_token", capital_scored, 36), &["pk_"]),
    (family("voyage_key", dashed, 43), &["pa-"]),
    (family("twitter_token", percented, 60), &["AAAAAAAAAAAAAAAAAAAA"]),
    (family("infura_key", hex, 32), &["infura.io/v3/"]),
    (family("alchemy_key", dashed, 30), &["alchemy.com/v2/"]),
    (family("zapier_hook", slashed, 12), &["hooks.zapier.com/hooks/catch/"]),
    (family("aws_token", is_base64, 80), &["FwoGZXIvYXdz", "IQoJb3JpZ2lu"]),
    (family("assertion", percented, 100), &["PHNhbWxw", "PHNhbWw6", "PHNhbWwy"]),
    (family("paseto", dotted, 60), &["v1.local.", "v2.local.", "v3.local.", "v4.local."]),
    (family("discord_token", dotted, 50), &["MTA", "MTE", "MTI", "MTM", "MTQ"]),
    // How the DER of a private key begins, by its length.
    (family("private_key", is_base64, 40), &[
        "MIIEvQIBAD", "MIIEvgIBAD", "MIIEvwIBAD", "MIIJQgIBAD", "MIIJQwIBAD", "MIIJRAIBAD", "MIIEpAIBAA", "MIIEpQIBAA",
        "MIIEowIBAA", "MIIJKAIBAA", "MIIJKQIBAA", "MIICXAIBAA", "MIICXQIBAA", "MIICdgIBAD", "MIICdwIBAD", "MIGHAgEAMBMG",
    ]),
    (family("password_hash", crypt, 20), &["$apr1$", "$1$"]),
    (family("password_hash", crypt, 40), &["$5$", "$y$", "$7$", "$argon2", "$scrypt$", "pbkdf2_sha256$", "$6$", "$2a$", "$2b$", "$2y$"]),
    (family("password_hash", is_base64, 27), &["{SHA}", "{SSHA}"]),
];

/// All beginnings: the packages' behind those that are known here.
pub(super) static FAMILIES: [(&str, TokenFamily); count_of(&[OWN, PACKAGES])] = flat(&[OWN, PACKAGES]);

/// The token of a family that begins at `at`.
pub(super) fn of_family(number: usize, bytes: &[u8], at: usize) -> Option<Secret> {
    begins_word(bytes, at).then(|| FAMILIES.get(number).and_then(|(prefix, family)| fits(prefix, family, bytes, at)))?
}

/// Whether a word begins at `at`. The letter of an escape in quoted text is no part of the word after it.
pub(super) fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = part(bytes, at.saturating_sub(2), at);
    !before.last().is_some_and(|byte| is_word(*byte)) || matches!(before, [b'\\', b'n' | b'r' | b't'])
}

fn scrambled(byte: u8) -> bool {
    is_base64(byte) || matches!(byte, b'$' | b':')
}

fn dollared(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'$'
}

/// `Basic dXNlcjpwYXNz`: base64 of a user, a colon and a password.
pub(super) fn basic(bytes: &[u8], at: usize) -> Option<Secret> {
    let start = at + b"Basic ".len();
    let end = judged_end(bytes, start, is_base64);
    let text = part(bytes, start, end);
    (text.len() >= 8 && holds_a_login(text)).then_some(Secret { start, end, kind: "authorization" })
}

/// Whether base64 is that of text with a colon within.
fn holds_a_login(text: &[u8]) -> bool {
    let (mut bits, mut count, mut colon) = (0_u32, 0, false);
    for byte in text.iter().filter(|byte| **byte != b'=') {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            let letter = (bits >> count & 0xff) as u8;
            if letter < b' ' || letter == 0x7f {
                return false;
            }
            colon |= letter == b':';
        }
    }
    colon
}

/// A secret of an application in Azure: `abc8Q~...`.
pub(super) fn client_secret(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let start = run_start(bytes, at, floor.max(at.saturating_sub(4)), is_word);
    let end = judged_end(bytes, at, |byte| is_word(byte) || matches!(byte, b'.' | b'~' | b'-'));
    (at - start >= 2 && end - at >= 30).then_some(Secret { start, end, kind: "azure_secret" })
}

/// The hash of a password behind that of an empty one, as dumps of Windows have them.
pub(super) fn hashed(bytes: &[u8], at: usize) -> Option<Secret> {
    let start = judged_end(bytes, at, |byte| byte.is_ascii_hexdigit()) + 1;
    let end = judged_end(bytes, start, |byte| byte.is_ascii_hexdigit());
    (start - at == 33 && goes_on(bytes, start - 1, b":") && end - start == 32).then_some(Secret {
        start,
        end,
        kind: "hash",
    })
}

/// The secret of Amazon's beside its key.
pub(super) fn beside_key(bytes: &[u8], key: Secret) -> Option<Secret> {
    if key.kind != "aws_key" {
        return None;
    }
    let near = part(bytes, 0, bytes.len().min(key.end + 120));
    let in_secret = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut end = key.end;
    while near.get(end).is_some_and(|byte| *byte != b'\n') {
        let start = run_end(near, end, |byte| !in_secret(byte) && byte != b'\n');
        end = run_end(near, start, in_secret);
        if end - start == 40 && mixes_digits(part(near, start, end)) {
            return Some(Secret { start, end, kind: "secret" });
        }
    }
    None
}

/// A token of an issuer that is not known: small letters, a sign, and much that looks random. Ids and hashes look like it, too,
/// and say what they are.
pub(super) fn marked(bytes: &[u8], found: &mut Vec<Secret>) {
    #[rustfmt::skip]
    const OPEN: &[&[u8]] = &[
        b"sha", b"sha1", b"sha256", b"sha384", b"sha512", b"md5", b"h1", b"toolu", b"srvtoolu", b"msg", b"req", b"call", b"chatcmpl", b"resp",
        b"run", b"evt", b"acct", b"cus", b"pi", b"session", b"id", b"cse", b"trace", b"file", b"thread", b"asst", b"batch", b"org", b"dpl",
    ];
    let mut at = 0;
    // Only one byte in many is looked at where words are short: a body that is long enough covers one of these.
    while let Some(body) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BODY>) {
        if let Some(sign) = body.iter().rposition(|byte| !LETTER[usize::from(*byte)]) {
            at += sign + 1;
            continue;
        }
        let (start, end) = (at, run_end(bytes, at, letter));
        at = end + 1;
        let body = part(bytes, start, end);
        let is_small = bytes.get(start.wrapping_sub(1)) == Some(&b'_') && alternates(body);
        let is_joined = matches!(start.checked_sub(1).map(|before| bytes[before]), Some(b'_' | b'-' | b'.'));
        let may_be_labelled = (LABELLED..=SEEN).contains(&body.len());
        let is_hex = body.len() >= HEX && may_be_labelled && body.iter().all(|byte| hex(*byte)) && mixes_digits(body);
        if let Some(key) = padded(bytes, start, end) {
            found.push(key);
            continue;
        }
        let may_be_one =
            is_small || is_hex || (is_joined || may_be_labelled) && takes_turns(part(body, 0, body.len().min(JUDGED)));
        if !may_be_one || !ends_value(bytes, end) {
            continue;
        }
        let mark =
            run_start(bytes, start, start.saturating_sub(20), |byte| small(byte) || matches!(byte, b'_' | b'-' | b'.'));
        let words = part(bytes, mark, start);
        let is_mark = (2..=17).contains(&words.len())
            && words[0].is_ascii_lowercase()
            && !letter(words[words.len() - 1])
            && !words.split(|byte| !letter(*byte)).any(|word| word.len() > 10 || OPEN.contains(&word));
        let before = mark.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let begins = !letter(before)
            && before < 0x80
            && !matches!(before, b'/' | b'\\' | b'@' | b'#' | b'%' | b'+' | b'.' | b'_' | b'-');
        // `customer cus_X`: the mark is short for what the id is of.
        let kind = part(words, 0, run_end(words, 0, letter));
        let word = part(bytes, run_start(bytes, mark.saturating_sub(1), mark.saturating_sub(20), letter), mark);
        let is_id = kind.len() > 1
            && word.len() > kind.len() + 1
            && word.starts_with(kind)
            && row_of(word.trim_ascii_end()).is_none();
        if is_mark && begins && !is_hex && !is_id {
            found.push(Secret { start: mark, end, kind: "token" });
        } else if may_be_labelled
            && has_label(
                bytes,
                run_start(bytes, start, start.saturating_sub(2), |byte| matches!(byte, b'_' | b'-')),
                is_hex,
            )
        {
            found.push(Secret { start, end, kind: "token" });
        }
    }
}

/// A key of 30 bytes or more in base64 that `=` ends, around a part of it, where no public one or hash is named before it.
fn padded(bytes: &[u8], start: usize, end: usize) -> Option<Secret> {
    const OPEN: [&[u8]; 5] = [b"public", b"peer", b"sha", b"sum", b"finger"];
    let in_base64 = |byte: u8| letter(byte) || matches!(byte, b'+' | b'/');
    let stop = judged_end(bytes, end, in_base64);
    if !goes_on(bytes, stop, b"=") || !takes_turns(part(bytes, start, end.min(start + JUDGED))) {
        return None;
    }
    let start = run_start(bytes, start, start.saturating_sub(SEEN), in_base64);
    let end = judged_end(bytes, stop, |byte| byte == b'=');
    let fits = (40..=92).contains(&(end - start)) && (end - start).is_multiple_of(4) && (1..3).contains(&(end - stop));
    let before = part(bytes, run_start(bytes, start, start.saturating_sub(SEEN), |byte| byte != b'\n'), start);
    let is_open = |word: &&[u8]| before.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    let label = run_start(bytes, start, start.saturating_sub(8), |byte| !is_word(byte));
    let fits = fits && part(bytes, label.saturating_sub(3), label).iter().all(u8::is_ascii_alphabetic);
    (fits && !OPEN.iter().any(is_open) && has_label(bytes, start, false)).then_some(Secret {
        start,
        end,
        kind: "token",
    })
}

/// The shortest body that is judged.
const BODY: usize = 20;

const LETTER: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// The shortest and the longest value that is taken for a token because something names it, and the shortest of hexadecimal
/// digits.
const LABELLED: usize = 20;
const HEX: usize = 32;
const SEEN: usize = 64;

fn ends_value(bytes: &[u8], end: usize) -> bool {
    let goes_on_behind = |byte: &u8| letter(*byte) || *byte == b'.';
    match bytes.get(end) {
        Some(b'\\') => matches!(bytes.get(end + 1), Some(b'"' | b'n')),
        Some(b'(' | b'<' | b':' | b'@' | b'%') => false,
        Some(b'.') => !bytes.get(end + 1).is_some_and(goes_on_behind),
        next => !next.is_some_and(|byte| is_base64(*byte)),
    }
}

/// Whether a name that is none of an id or a hash is before the value at `at`: `salt=X`, `"api": "X"`.
fn has_label(bytes: &[u8], at: usize, is_hex: bool) -> bool {
    #[rustfmt::skip]
    const OPEN: &[&[u8]] = &[
        b"id", b"hash", b"sum", b"digest", b"integrity", b"etag", b"rev", b"ref", b"cursor", b"src", b"data", b"file", b"path", b"url",
        b"base64", b"name", b"body", b"content", b"cid", b"fingerprint", b"version", b"commit", b"build", b"public", b"address",
        b"sha1", b"sha256", b"sha384", b"sha512", b"md5", b"mappings",
    ];
    // What else a hash is of.
    #[rustfmt::skip]
    const HASHED: &[&[u8]] = &[
        b"sha", b"nonce", b"expected", b"actual", b"got", b"want", b"received", b"left", b"right",
        b"head", b"from", b"to", b"tree", b"parent", b"object", b"oid", b"image", b"container", b"layer", b"node", b"key", b"tag", b"blob",
        b"resolved", b"trace", b"span", b"request", b"base", b"hex", b"before", b"after", b"thumbprint", b"uid", b"block", b"root", b"cache",
    ];
    let floor = at.saturating_sub(HEX);
    let sign = run_start(bytes, at, floor, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'`'));
    let close = run_start(bytes, sign.saturating_sub(1), floor, |byte| matches!(byte, b' ' | b'"' | b'\''));
    let label = part(bytes, run_start(bytes, close, floor, is_word), close);
    let last = label.rsplit(|byte| *byte == b'_').next().unwrap_or_default();
    let is_open = |word: &&[u8]| {
        let joined = *word != b"id" || last.ends_with(b"Id") || last.ends_with(b"ID") || last == *word;
        joined && goes_on_in_any_case(last, last.len().saturating_sub(word.len()), word) || label.starts_with(word)
    };
    let is_signed = match sign.checked_sub(1).and_then(|sign| bytes.get(sign)) {
        // `Client('X')`, `posthog.init('X')`: what a thing is made with.
        Some(b'(') => sign < at && (label.first().is_some_and(u8::is_ascii_uppercase) || label == b"init"),
        before => matches!(before, Some(b':' | b'=')),
    };
    is_signed
        && label.iter().any(u8::is_ascii_alphabetic)
        && !OPEN.iter().any(is_open)
        && !(is_hex && (label.len() < 3 || HASHED.iter().any(is_open)))
}

/// Small letters, none of hexadecimal digits only, and digits by turns.
fn alternates(body: &[u8]) -> bool {
    let turns = body.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    body.len() <= JUDGED
        && turns * 4 > body.len()
        && body.iter().all(|byte| small(*byte))
        && !body.iter().all(|byte| hex(*byte))
}

/// Capitals, small letters and digits by turns, as no name of words has them.
fn takes_turns(body: &[u8]) -> bool {
    let (mut turns, mut classes, mut was) = (0, [0_usize; 3], 3);
    for byte in body {
        let class = if byte.is_ascii_lowercase() { 0 } else { 1 + usize::from(byte.is_ascii_digit()) };
        turns += usize::from(class != was);
        classes[class] += 1;
        was = class;
    }
    let holds_word = || body.windows(6).any(|six| six.iter().all(u8::is_ascii_lowercase));
    turns * 12 > body.len() * 5
        && (body.len() > 23 || !holds_word())
        && classes[0] > 2
        && classes[1] > 2
        && classes[2] > usize::from(body.len() < HEX)
}

/// How long a beginning is that no word has by chance.
const LONG: usize = 5;

fn fits(prefix: &str, family: &TokenFamily, bytes: &[u8], at: usize) -> Option<Secret> {
    let start = at + prefix.len();
    let judged = part(bytes, start, judged_end(bytes, start, family.body));
    let likely = prefix.len() >= LONG
        || judged.len() >= 16 && judged.iter().all(u8::is_ascii_uppercase)
        || mixes_digits(judged)
        || is_random(judged);
    if judged.len() > family.longest || judged.len() == JUDGED && !likely {
        return None;
    }
    let end = body_end(bytes, start, family.body);
    let length = end - start;
    let whole =
        (family.shortest..=family.longest).contains(&length) && !bytes.get(end).is_some_and(|b| is_word(*b)) && likely;
    let cut = length < family.shortest && is_cut(bytes, start, end);
    (whole && !is_placeholder(part(bytes, start, end)) || cut).then_some(Secret { start: at, end, kind: family.kind })
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

/// What a long secret goes on with on the next line, where it was wrapped.
pub(super) fn rest_below(bytes: &[u8], head: Secret) -> Option<Secret> {
    const WRAPPED: usize = 40;
    const REST: usize = 16;
    let text = part(bytes, head.start, head.end);
    if text.len() < WRAPPED || !goes_on(bytes, head.end, b"\n") || !text.iter().all(|byte| is_base64(*byte)) {
        return None;
    }
    let start = run_end(part(bytes, 0, bytes.len().min(head.end + 8)), head.end + 1, |byte| byte == b' ');
    let end = run_end(bytes, start, is_base64);
    let rest = part(bytes, start, end);
    let is_ended = bytes.get(end).is_none_or(u8::is_ascii_whitespace);
    (rest.len() >= REST && mixes_digits(rest) && is_ended).then_some(Secret { start, end, kind: head.kind })
}

/// The end of a secret whose beginning the client cut out: what is behind a mark and looks like no text. `at` is
/// where the mark's words begin.
pub(super) fn end_behind_mark(bytes: &[u8], at: usize) -> Option<Secret> {
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
pub(super) fn is_random(run: &[u8]) -> bool {
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

/// Three parts of base64, the first of which is JSON: signed tokens of the web.
pub(super) fn web_token(bytes: &[u8], at: usize) -> Option<Secret> {
    if !begins_word(bytes, at) {
        return None;
    }
    // A word of its own: `cloudflared service install X`.
    let stop = run_end(bytes, at, is_base64);
    let is_apart = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_none_or(|byte| !is_visible(*byte));
    if stop - at > 80 && is_apart(at.checked_sub(1)) && is_apart(Some(stop)) {
        return Some(Secret { start: at, end: stop, kind: "jwt" });
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
pub(super) fn bearer(bytes: &[u8], at: usize) -> Option<Secret> {
    let start = at + b"Bearer ".len();
    if !begins_word(bytes, at) {
        return None;
    }
    let end = body_end(bytes, start, |byte| is_base64(byte) || matches!(byte, b'.' | b'~' | b'%'));
    let token = part(bytes, start, end);
    let value = token.len() >= 20 || (token.len() >= 8 && mixes_digits(token));
    let named = bytes.get(end) == Some(&b'=')
        || token.iter().position(|byte| *byte == b'=').is_some_and(|at| at + 3 < token.len());
    (value && !named).then_some(Secret { start, end, kind: "bearer" })
}

pub(super) fn capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(super) fn letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

pub(super) fn small(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

pub(super) fn dashed(byte: u8) -> bool {
    letter(byte) || matches!(byte, b'-' | b'_')
}

pub(super) fn dotted(byte: u8) -> bool {
    dashed(byte) || byte == b'.'
}

pub(super) fn slashed(byte: u8) -> bool {
    dashed(byte) || byte == b'/'
}

/// A byte of what a password is hashed to, with its parameters.
fn crypt(byte: u8) -> bool {
    letter(byte) || matches!(byte, b'.' | b'/' | b'$' | b'=' | b'+' | b',' | b'_' | b'-')
}

/// A byte of an identifier in five parts.
fn uuid(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b'-'
}

fn capital_scored(byte: u8) -> bool {
    capital(byte) || byte == b'_'
}

fn percented(byte: u8) -> bool {
    is_base64(byte) || byte == b'%'
}

fn capital_dashed(byte: u8) -> bool {
    capital(byte) || byte == b'-'
}

pub(super) fn hex(byte: u8) -> bool {
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

/// Hexadecimal digits that end in the name of a data centre: `0123...-us12`. `at` is where that begins.
pub(super) fn of_data_centre(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let start = run_start(bytes, at, floor.max(at.saturating_sub(33)), hex);
    let end = run_end(bytes, at + b"-us".len(), |byte| byte.is_ascii_digit());
    let fits = at - start == 32 && end > at + 3 && !bytes.get(end).is_some_and(|byte| is_word(*byte));
    fits.then_some(Secret { start, end, kind: "mailchimp_key" })
}

/// A token that its issuer marks in its middle, at `at`.
pub(super) fn around(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let start = run_start(bytes, at, floor.max(at.saturating_sub(JUDGED)), letter);
    if goes_on(bytes, at, b"AZDO") {
        let end = judged_end(bytes, at, letter);
        let is_one = end - start >= 52 && is_random(part(bytes, start, end));
        return is_one.then_some(Secret { start, end, kind: "azure_token" });
    }
    let long = at - start >= 10 && judged_end(bytes, at, dotted) - at >= 40;
    long.then(|| Secret { start, end: run_end(bytes, at, dotted), kind: "terraform_token" })
}
