//! Sixty and more kinds of secrets: values of the right shape that are nobody's, put together when the test runs, so that
//! no file holds a text that looks like a token.

/// A secret as it stands in a command or in output.
pub(crate) struct Planted {
    /// What kind it is.
    pub(crate) kind: &'static str,
    /// The secret in the words that people and programs put around it.
    pub(crate) text: String,
    /// The parts that must stand nowhere.
    pub(crate) secret: Vec<String>,
}

/// A stream of digits without chance: every run plants the same values.
struct Dice(u64);

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        (0..length).map(|_| char::from(letters[usize::try_from(self.next() >> 33).unwrap() % letters.len()])).collect()
    }
}

/// Tokens that their issuers mark by a beginning, which stands here in two halves.
#[rustfmt::skip]
const MARKED: &[(&str, &str, &str, &str, usize)] = &[
    ("aws access key",        "AK",      "IA",          CAPITALS, 16),
    ("aws session key",       "AS",      "IA",          CAPITALS, 16),
    ("google api key",        "AI",      "za",          LETTERS,  35),
    ("google oauth token",    "ya",      "29.a0",       LETTERS,  60),
    ("google client secret",  "GOC",     "SPX-",        LETTERS,  28),
    ("github token",          "gh",      "p_",          LETTERS,  36),
    ("github app token",      "gh",      "s_",          LETTERS,  36),
    ("github fine token",     "github",  "_pat_",       LETTERS,  80),
    ("gitlab token",          "gl",      "pat-",        LETTERS,  20),
    ("gitlab runner token",   "gl",      "rt-",         LETTERS,  20),
    ("slack bot token",       "xo",      "xb-",         LETTERS,  40),
    ("slack app token",       "xa",      "pp-1-",       LETTERS,  60),
    ("npm token",             "np",      "m_",          LETTERS,  36),
    ("pypi token",            "py",      "pi-AgEI",     LETTERS,  80),
    ("crates token",          "ci",      "o",           LETTERS,  32),
    ("rubygems key",          "rubyg",   "ems_",        HEX,      48),
    ("nuget key",             "oy",      "2",           "abcdefghijklmnopqrstuvwxyz234567", 43),
    ("anthropic key",         "sk-",     "ant-api03-",  LETTERS,  90),
    ("openai project key",    "sk-",     "proj-",       LETTERS,  60),
    ("openai key",            "s",       "k-",          LETTERS,  48),
    ("openrouter key",        "sk-",     "or-v1-",      HEX,      64),
    ("groq key",              "gs",      "k_",          LETTERS,  52),
    ("xai key",               "xa",      "i-",          LETTERS,  80),
    ("huggingface token",     "h",       "f_",          LETTERS,  34),
    ("replicate token",       "r",       "8_",          LETTERS,  37),
    ("perplexity key",        "pp",      "lx-",         LETTERS,  48),
    ("stripe live key",       "sk",      "_live_",      LETTERS,  24),
    ("stripe webhook secret", "wh",      "sec_",        LETTERS,  32),
    ("sendgrid key",          "S",       "G.",          LETTERS,  66),
    ("twilio key",            "S",       "K",           HEX,      32),
    ("mailgun key",           "ke",      "y-",          HEX,      32),
    ("digitalocean token",    "do",      "p_v1_",       HEX,      64),
    ("shopify token",         "shp",     "at_",         HEX,      32),
    ("vault token",           "hv",      "s.",          LETTERS,  90),
    ("databricks token",      "da",      "pi",          HEX,      32),
    ("linear key",            "lin",     "_api_",       LETTERS,  40),
    ("figma token",           "fi",      "gd_",         LETTERS,  40),
    ("docker token",          "dckr",    "_pat_",       LETTERS,  27),
    ("pulumi token",          "pu",      "l-",          HEX,      40),
    ("sentry token",          "snt",     "rys_",        LETTERS,  64),
    ("newrelic key",          "NR",      "AK-",         CAPITALS, 27),
    ("grafana token",         "gl",      "sa_",         LETTERS,  41),
    ("age key",               "AGE-SEC", "RET-KEY-1",   CAPITALS, 58),
    ("tailscale key",         "tsk",     "ey-auth-",    LETTERS,  40),
    ("buildkite token",       "bk",      "ua_",         HEX,      40),
    ("circleci token",        "CCI",     "PAT_",        LETTERS,  60),
    ("netlify token",         "nf",      "p_",          LETTERS,  36),
    ("notion token",          "nt",      "n_",          LETTERS,  46),
    ("brevo key",             "xkey",    "sib-",        HEX,      64),
];

/// Secrets that only the words around them tell: `{}` is the secret.
#[rustfmt::skip]
const NAMED: &[(&str, &str, &str, usize)] = &[
    ("password variable",     "DB_PASSWORD={}",                                   LETTERS, 18),
    ("shell export",          "export ADMIN_TOKEN='{}'",                          LETTERS, 24),
    ("aws secret key",        "aws_secret_access_key = {}",                       BASE64,  40),
    ("api key in yaml",       "api_key: {}",                                      LETTERS, 32),
    ("password in json",      "{\"password\": \"{}\"}",                           LETTERS, 16),
    ("flag",                  "deploy --password {} --verbose",                   LETTERS, 16),
    ("flag with sign",        "deploy --token={} now",                            LETTERS, 30),
    ("basic header",          "curl -H 'Authorization: Basic {}' https://api.harbour.example/v1", BASE64, 32),
    ("bearer header",         "Authorization: Bearer {}",                         LETTERS, 40),
    ("private token header",  "curl --header 'PRIVATE-TOKEN: {}' https://git.harbour.example", LETTERS, 26),
    ("api key header",        "X-Api-Key: {}",                                    LETTERS, 32),
    ("cookie header",         "Cookie: session_id={}; theme=dark",                LETTERS, 32),
    ("set-cookie header",     "< set-cookie: sid={}; HttpOnly; Path=/",           LETTERS, 32),
    ("postgres url",          "postgres://app:{}@db.harbour.example:5432/tides",  LETTERS, 20),
    ("mongodb url",           "mongodb+srv://root:{}@cluster0.harbour.example/x", LETTERS, 20),
    ("url credentials",       "git clone https://ann:{}@git.harbour.example/a/b", LETTERS, 20),
    ("token as user",         "https://{}@git.harbour.example/a/b.git",           LETTERS, 40),
    ("query parameter",       "GET /v1/tides?access_token={}&page=2",             LETTERS, 40),
    ("signed url",            "https://store.harbour.example/a?sv=2024&sig={}&se=1", LETTERS, 44),
    ("curl user",             "curl -s -u ann:{} https://api.harbour.example",    LETTERS, 20),
    ("mysql flag",            "mysql -uroot -p{} tides",                          LETTERS, 20),
    ("sshpass",               "sshpass -p {} ssh box",                            LETTERS, 20),
    ("redis flag",            "redis-cli -a {} ping",                             LETTERS, 20),
    ("connection string",     "Server=db;User Id=sa;Password={};Encrypt=true",    LETTERS, 20),
    ("storage key",           "AccountName=a;AccountKey={}==;EndpointSuffix=x",   BASE64,  86),
    ("npmrc",                 "//registry.harbour.example/:_authToken={}",        LETTERS, 36),
    ("netrc",                 "machine git.harbour.example login ann password {}", LETTERS, 24),
    ("client secret",         "client_secret = \"{}\"",                           LETTERS, 32),
    ("code",                  "const apiSecret = '{}';",                          LETTERS, 32),
    ("php array",             "'password' => '{}',",                              LETTERS, 16),
    ("datadog key",           "DD_API_KEY={} agent run",                          HEX,     32),
    ("session cookie",        "JSESSIONID={}",                                    LETTERS, 32),
    ("django key",            "SECRET_KEY = '{}'",                                LETTERS, 50),
];

/// Every kind once.
pub(crate) fn all() -> Vec<Planted> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut planted: Vec<Planted> = Vec::new();
    for (kind, first, second, alphabet, length) in MARKED {
        let body = dice.text(alphabet, *length);
        planted.push(Planted { kind, text: [first, second, body.as_str()].concat(), secret: vec![body] });
    }
    for (kind, around, alphabet, length) in NAMED {
        // A digit and letters of both cases are in every generated password.
        let body = format!("{}7gQ", dice.text(alphabet, length - 3));
        planted.push(Planted { kind, text: around.replace("{}", &body), secret: vec![body] });
    }
    planted.extend(composed(&mut dice));
    planted
}

fn composed(dice: &mut Dice) -> Vec<Planted> {
    let [head, claims, sign] = [20, 60, 43].map(|length| dice.text(LETTERS, length));
    let jwt = ["ey", "J", &head, ".ey", "J", &claims, ".", &sign].concat();
    let hook = dice.text(LETTERS, 24);
    let slack = ["https://hooks.sl", "ack.com/services/T0", "AB12CD3/B0EF45GH6/", &hook].concat();
    let bot = dice.text(LETTERS, 33);
    let telegram = ["https://api.telegram.example/bot", "123456789", ":A", "A", &bot, "/send"].concat();
    let mut planted = vec![
        Planted { kind: "signed web token", text: format!("token is {jwt}"), secret: vec![claims, sign] },
        Planted { kind: "slack webhook", text: slack, secret: vec![hook] },
        Planted { kind: "chat bot token", text: telegram, secret: vec![bot] },
    ];
    for (kind, label) in
        [("rsa private key", "RSA PRIV"), ("openssh private key", "OPENSSH PRIV"), ("private key", "PRIV")]
    {
        let lines: Vec<String> = (0..6).map(|_| dice.text(BASE64, 64)).collect();
        let text = ["-----BEGIN ", label, "ATE KEY-----\n", &lines.join("\n"), "\n-----END ", label, "ATE KEY-----"];
        planted.push(Planted { kind, text: text.concat(), secret: lines });
    }
    let lines: Vec<String> = (0..4).map(|_| dice.text(BASE64, 64)).collect();
    let text = [
        "{\"private_key\": \"-----BEGIN PRIV",
        "ATE KEY-----\\n",
        &lines.join("\\n"),
        "\\n-----END PRIV",
        "ATE KEY-----\\n\"}",
    ];
    planted.push(Planted { kind: "service account", text: text.concat(), secret: lines });
    planted
}

/// The ways in which a secret stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Quoted,
    Json,
    Lines,
    Coloured,
    CutInside,
    CutAfter,
    CutBefore,
}

impl Form {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Plain,
        Self::Quoted,
        Self::Json,
        Self::Lines,
        Self::Coloured,
        Self::CutInside,
        Self::CutAfter,
        Self::CutBefore,
    ];

    /// The secret in this form.
    pub(crate) fn of(self, planted: &Planted) -> String {
        let text = &planted.text;
        let (head, tail) = text.split_at(middle(planted));
        match self {
            Self::Plain => format!("rejected {text} again"),
            Self::Quoted => format!("sent \"{text}\" and '{text}'"),
            Self::Json => serde_json::json!({ "note": text, "port": 80 }).to_string(),
            Self::Lines => format!("first line\n  {text}\n\nlast line"),
            // As a search shows what it found.
            Self::Coloured => format!("seen \u{1b}[01;31m\u{1b}[K{head}\u{1b}[m\u{1b}[K{tail}"),
            Self::CutInside => format!("rejected {head}{MARK}{tail} again"),
            Self::CutAfter => format!("rejected {head}{MARK}an ordinary end"),
            Self::CutBefore => format!("an ordinary beginning{MARK}{tail} again"),
        }
    }
}

/// What a client puts where it cut.
const MARK: &str = "\n\n... [4295 characters truncated] ...\n\n";

/// The middle of the secret part.
fn middle(planted: &Planted) -> usize {
    let part = &planted.secret[planted.secret.len() / 2];
    planted.text.find(part.as_str()).unwrap() + part.len() / 2
}
