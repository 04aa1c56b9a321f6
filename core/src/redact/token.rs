//! Tokens that are known by their own beginning.

use super::Secret;
use super::bytes::{
    JUDGED, goes_on, goes_on_in_any_case, is_base64, is_word, judged_end, mark_close, mark_end, mark_start,
    mixes_digits, part, run_end, run_start,
};
use super::packages::PACKAGES;

/// A token that an issuer marks by its beginning.
pub(super) struct TokenFamily {
    kind: &'static str,
    pub(super) prefix: &'static str,
    body: fn(u8) -> bool,
    shortest: usize,
    longest: usize,
}

impl TokenFamily {
    const fn copy(&self) -> Self {
        Self { kind: self.kind, prefix: self.prefix, body: self.body, shortest: self.shortest, longest: self.longest }
    }
}

pub(super) const fn family(
    kind: &'static str,
    prefix: &'static str,
    body: fn(u8) -> bool,
    shortest: usize,
) -> TokenFamily {
    TokenFamily { kind, prefix, body, shortest, longest: usize::MAX }
}

const fn exact(kind: &'static str, prefix: &'static str, body: fn(u8) -> bool, length: usize) -> TokenFamily {
    TokenFamily { kind, prefix, body, shortest: length, longest: length }
}

/// The first row whose beginning and body fit decides. The length counts the body, without the beginning.
#[rustfmt::skip]
const OWN: &[TokenFamily] = &[
    //     kind                  beginning        body    length
    family("aws_key",            "AKIA",          capital,   16),
    family("aws_key",            "ASIA",          capital,   16),
    family("aws_key",            "ABIA",          capital,   16),
    family("aws_key",            "ACCA",          capital,   16),
    family("docker_token",       "SWMTKN-1-",     dashed,    40),
    family("hash",               "SCRAM-SHA-256$", scrambled, 40),
    family("braintree_token",    "access_token$production$", dollared, 24),
    family("braintree_token",    "access_token$sandbox$", dollared, 24),
    family("google_key",         "AIza",          dashed,    35),
    family("google_token",       "ya29.",         dotted,    20),
    family("google_secret",      "GOCSPX-",       dashed,    20),
    family("github_token",       "ghp_",          is_word,   30),
    family("github_token",       "gho_",          is_word,   30),
    family("github_token",       "ghu_",          is_word,   30),
    family("github_token",       "ghs_",          is_word,   30),
    family("github_token",       "ghr_",          is_word,   30),
    family("github_token",       "github_pat_",   is_word,   22),
    family("gitlab_token",       "glpat-",        dotted,    20),
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
    family("slack_token",        "xoxc-",         dashed,    10),
    family("slack_token",        "xoxd-",         percented, 20),
    family("minisign_key",       "RWRTY0Iy",      is_base64, 100),
    family("youtrack_token",     "perm:",         dotted,    40),
    family("youtrack_token",     "perm-",         dotted,    40),
    family("akamai_token",       "akab-",         dashed,    30),
    family("slack_token",        "xoxe",          dotted,    20),
    family("slack_token",        "xapp-",         dashed,    10),
    family("slack_webhook",      "hooks.slack.com/services/", slashed, 20),
    family("discord_webhook",    "discord.com/api/webhooks/", slashed, 60),
    exact ("npm_token",          "npm_",          is_word,   36),
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
    family("digitalocean_token", "dop_v1_",       hex,       64),
    family("digitalocean_token", "doo_v1_",       hex,       64),
    family("digitalocean_token", "dor_v1_",       hex,       64),
    family("shopify_token",      "shpat_",        letter,    32),
    family("shopify_token",      "shpca_",        letter,    32),
    family("shopify_token",      "shppa_",        letter,    32),
    family("shopify_token",      "shpss_",        letter,    32),
    family("vault_token",        "hvs.",          dashed,    20),
    family("vault_token",        "hvb.",          dashed,    20),
    family("databricks_token",   "dapi",          hex,       32),
    family("linear_key",         "lin_api_",      is_word,   30),
    family("figma_token",        "figd_",         dashed,    30),
    family("docker_token",       "dckr_pat_",     dashed,    20),
    family("docker_token",       "dckr_oat_",     dashed,    20),
    family("groq_key",           "gsk_",          letter,    40),
    family("xai_key",            "xai-",          letter,    40),
    family("replicate_token",    "r8_",           letter,    30),
    family("perplexity_key",     "pplx-",         letter,    40),
    family("pulumi_token",       "pul-",          hex,       40),
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
    family("age_key",            "AGE-SECRET-KEY-1", capital, 58),
    exact ("crates_token",       "cio",           letter,    32),
    family("rubygems_key",       "rubygems_",     hex,       48),
    exact ("nuget_key",          "oy2",           small,     43),
    family("tailscale_key",      "tskey-",        dashed,    20),
    family("buildkite_token",    "bkua_",         hex,       40),
    family("circleci_token",     "CCIPAT_",       is_word,   30),
    family("netlify_token",      "nfp_",          letter,    36),
    family("notion_token",       "ntn_",          letter,    40),
    exact ("notion_token",       "secret_",       letter,    43),
    family("brevo_key",          "xkeysib-",      dashed,    64),
    family("contentful_token",   "CFPAT-",        dashed,    40),
    family("adobe_secret",       "p8e-",          small,     32),
    family("adafruit_key",       "aio_",          letter,    28),
    family("aiven_token",        "AVNS_",         dashed,    16),
    family("alibaba_key",        "LTAI",          letter,    20),
    family("anyscale_token",     "esecret_",      letter,    20),
    family("apify_token",        "apify_api_",    letter,    30),
    family("artifactory_key",    "AKCp",          letter,    60),
    family("artifactory_token",  "cmVmdGtu",      is_base64, 50),
    family("aws_bedrock_key",    "ABSK",          is_base64, 109),
    family("bitbucket_token",    "ATBB",          letter,    28),
    family("cerebras_key",       "csk-",          small,     40),
    family("clojars_token",      "CLOJARS_",      small,     60),
    family("cloudflare_key",     "v1.0-",         dashed,    100),
    family("composer_token",     "packagist_",    is_word,   40),
    family("doppler_token",      "dp.st.",        dotted,    40),
    family("doppler_token",      "dp.ct.",        letter,    40),
    family("doppler_token",      "dp.sa.",        letter,    40),
    family("doppler_token",      "dp.scim.",      letter,    40),
    family("doppler_token",      "dp.audit.",     letter,    40),
    family("dropbox_token",      "sl.",           dashed,    100),
    family("duffel_token",       "duffel_",       dashed,    40),
    family("dynatrace_token",    "dt0",           dotted,    80),
    family("easypost_key",       "EZAK",          letter,    54),
    family("easypost_key",       "EZTK",          letter,    54),
    family("elastic_key",        "essu_",         is_base64, 40),
    family("facebook_token",     "EAA",           letter,    100),
    family("fireworks_key",      "fw_",           letter,    24),
    family("flutterwave_key",    "FLWSECK_TEST-", dashed,    30),
    family("flutterwave_key",    "FLWSECK-",      dashed,    30),
    family("fly_token",          "fm1_",          is_base64, 60),
    family("fly_token",          "fm2_",          is_base64, 60),
    family("fly_token",          "fo1_",          dashed,    40),
    family("gitea_token",        "gta_",          hex,       40),
    family("google_token",       "1//0",          dashed,    50),
    family("harness_token",      "pat.",          dotted,    60),
    family("harness_token",      "sat.",          dotted,    60),
    family("honeycomb_key",      "hcaik_",        small,     50),
    family("honeycomb_key",      "hcxik_",        small,     50),
    family("hubspot_token",      "pat-na1-",      dashed,    36),
    family("hubspot_token",      "pat-eu1-",      dashed,    36),
    family("huggingface_token",  "api_org_",      letter,    34),
    family("infracost_key",      "ico-",          letter,    32),
    family("infisical_token",    "st.",           dotted,    60),
    family("langfuse_key",       "sk-lf-",        dashed,    36),
    family("langsmith_key",      "lsv2_",         is_word,   40),
    family("launchdarkly_key",   "sdk-",          uuid,      36),
    family("launchdarkly_key",   "api-",          uuid,      36),
    family("linear_key",         "lin_oauth_",    hex,       64),
    exact ("lob_key",            "live_",         hex,       35),
    exact ("lob_key",            "test_",         hex,       35),
    family("mapbox_token",       "sk.eyJ",        dotted,    60),
    family("mercado_token",      "APP_USR-",      dashed,    60),
    family("newrelic_key",       "NRIQ-",         letter,    32),
    family("newrelic_key",       "NRII-",         dashed,    32),
    family("newrelic_key",       "NRJS-",         hex,       19),
    family("newrelic_key",       "NRRA-",         hex,       40),
    family("nvidia_key",         "nvapi-",        dashed,    50),
    family("octopus_key",        "API-",          capital,   26),
    family("openshift_token",    "sha256~",       dashed,    40),
    family("pinecone_key",       "pcsk_",         is_word,   50),
    family("plaid_token",        "access-sandbox-", uuid,    36),
    family("plaid_token",        "access-development-", uuid, 36),
    family("plaid_token",        "access-production-", uuid, 36),
    family("planetscale_token",  "pscale_oauth_", dotted,    30),
    family("posthog_key",        "phx_",          letter,    40),
    family("prefect_key",        "pnu_",          letter,    36),
    family("readme_key",         "rdme_",         small,     60),
    family("resend_key",         "re_",           is_word,   32),
    family("scalingo_token",     "tk-us-",        dashed,    40),
    family("shippo_token",       "shippo_",       is_word,   40),
    family("sonar_token",        "squ_",          hex,       40),
    family("sonar_token",        "sqp_",          hex,       40),
    family("sonar_token",        "sqa_",          hex,       40),
    family("sourcegraph_token",  "sgp_",          is_word,   40),
    family("square_token",       "EAAA",          dashed,    58),
    family("stripe_key",         "sk_org_",       is_word,   20),
    family("supabase_key",       "sb_secret_",    dashed,    20),
    family("tavily_key",         "tvly-",         dashed,    28),
    family("temporal_key",       "tmprl_",        is_word,   30),
    family("typeform_token",     "tfp_",          dashed,    40),
    family("yandex_key",         "AQVN",          dashed,    35),
    family("zuplo_key",          "zpka_",         is_word,   36),
    family("onepassword_key",    "A3-",           capital_dashed, 30),
    family("circleci_token",     "CCIPRJ_",       is_word,   30),
    family("firecrawl_key",      "fc-",           hex,       32),
    family("e2b_key",            "e2b_",          hex,       40),
    family("jina_key",           "jina_",         dashed,    50),
    family("paddle_key",         "pdl_",          is_word,   50),
    family("polar_token",        "polar_oat_",    letter,    40),
    family("expo_token",         "expo_",         letter,    40),
    family("render_key",         "rnd_",          letter,    28),
    family("turbo_token",        "vercel_blob_rw_", is_word, 30),
    family("buildkite_token",    "bkpat_",        is_word,   40),
    family("atlassian_token",    "ATCTT3",        is_base64, 50),
    family("facebook_token",     "EAACEdEose0cBA", letter,   20),
    family("dropbox_token",      "sl.u.",         dashed,    40),
    family("amazon_mws_token",   "amzn.mws.",     uuid,      30),
    family("postman_key",        "PMAT-",         dashed,    20),
    family("mailersend_token",   "mlsn.",         letter,    30),
    family("grafana_token",      "eyJrIjoi",      is_base64, 30),
    family("google_key",         "AQ.",           dashed,    30),
    family("cloudflare_token",   "cfut_",         is_word,   30),
    family("cloudflare_token",   "cfat_",         is_word,   30),
    family("tencent_key",        "AKID",          letter,    16),
    family("yandex_key",         "t1.",           dotted,    60),
    family("neon_key",           "napi_",         letter,    20),
    family("airtable_token",     "pat",           airtable,  70),
    family("conda_token",        "anaconda.org/t/", dashed,  20),
    family("bitcoin_key",        "xprv",          letter,    100),
    family("bitcoin_key",        "zprv",          letter,    100),
    family("ory_token",          "ory_at_",       dotted,    60),
    family("nostr_key",          "nsec1",         small,     50),
    family("nats_seed",          "SU",            capital,   56),
    family("nats_seed",          "SA",            capital,   56),
    exact ("ceph_key",           "AQ",            is_base64, 38),
    family("firebase_token",     "APA91b",        dashed,    60),
    family("fauna_key",          "fnA",           dashed,    36),
    family("clickup_token",      "pk_",           capital_scored, 36),
    family("voyage_key",         "pa-",           dashed,    43),
    family("twitter_token",      "AAAAAAAAAAAAAAAAAAAA", percented, 60),
    family("infura_key",         "infura.io/v3/", hex,       32),
    family("alchemy_key",        "alchemy.com/v2/", dashed,  30),
    family("zapier_hook",        "hooks.zapier.com/hooks/catch/", slashed, 12),
    family("password_hash",      "$apr1$",        crypt,     20),
    family("password_hash",      "$1$",           crypt,     20),
    family("password_hash",      "$5$",           crypt,     40),
    family("password_hash",      "$6$",           crypt,     60),
    family("password_hash",      "$y$",           crypt,     40),
    family("password_hash",      "$7$",           crypt,     40),
    family("password_hash",      "$2a$",          crypt,     50),
    family("password_hash",      "$2b$",          crypt,     50),
    family("password_hash",      "$2y$",          crypt,     50),
    family("password_hash",      "$argon2",       crypt,     40),
    family("password_hash",      "$scrypt$",      crypt,     40),
    family("password_hash",      "{SHA}",         is_base64, 27),
    family("password_hash",      "{SSHA}",        is_base64, 32),
    family("password_hash",      "pbkdf2_sha256$", crypt,    40),
];

/// All rows: the packages' behind those that are known here.
pub(super) const FAMILIES: [TokenFamily; OWN.len() + PACKAGES.len()] = {
    let mut all = [const { OWN[0].copy() }; OWN.len() + PACKAGES.len()];
    let mut row = 0;
    while row < all.len() {
        all[row] = if row < OWN.len() { OWN[row].copy() } else { PACKAGES[row - OWN.len()].copy() };
        row += 1;
    }
    all
};

/// The token of a family that begins at `at`.
pub(super) fn of_family(number: usize, bytes: &[u8], at: usize) -> Option<Secret> {
    begins_word(bytes, at).then(|| FAMILIES.get(number).and_then(|family| fits(family, bytes, at)))?
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
        if is_mark && begins && !is_hex {
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
const LABELLED: usize = 24;
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
    matches!(sign.checked_sub(1).and_then(|sign| bytes.get(sign)), Some(b':' | b'='))
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
    turns * 12 > body.len() * 5 && classes[0] > 2 && classes[1] > 2 && classes[2] > usize::from(body.len() < HEX)
}

/// How long a beginning is that no word has by chance.
const LONG: usize = 5;

fn fits(family: &TokenFamily, bytes: &[u8], at: usize) -> Option<Secret> {
    let start = at + family.prefix.len();
    let judged = part(bytes, start, judged_end(bytes, start, family.body));
    let likely = family.prefix.len() >= LONG
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

/// An id, a dot and 64 digits.
fn airtable(byte: u8) -> bool {
    letter(byte) || byte == b'.'
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
