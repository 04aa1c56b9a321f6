//! Names that say that their value is secret: `DB_PASSWORD`, `apiKey`, `client-secret`, `X-Auth-Token`.

use super::bytes::{goes_on_in_any_case, is_blank, is_quote, is_word, part, run_end, run_start};
use super::table::{Row, count_of, flat};

/// How much a value must look like a secret before it is taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// The name says it all: any value but a placeholder.
    None,
    /// The name is also a word of programs: a value of some length.
    Some,
    /// The name is a common word: a value of some length with digits or signs, or a long one.
    Much,
}

/// What a name ends with when its value is secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameRow {
    pub(super) ending: &'static str,
    pub(super) kind: &'static str,
    pub(super) doubt: Doubt,
    /// Whether something must be before the ending: `DB_PASS`, not `pass`.
    pub(super) compound: bool,
}

const fn name(ending: &'static str, kind: &'static str, doubt: Doubt) -> NameRow {
    NameRow { ending, kind, doubt, compound: false }
}

/// Endings in lower case without separators: `api_key`, `apiKey`, `API-KEY` and `api key` are one. The first that fits decides.
#[rustfmt::skip]
const ENDINGS: &[Row<(&str, Doubt, bool)>] = &[
    (("password", Doubt::None, false), &[
        "password", "passwd", "passphrase", "passcode", "pwd", "psw", "passwort", "bindpw", "rootpw",
    ]),
    (("password", Doubt::Some, false), &[
        "psk", "masterauth", "mnemonic", "securitycredentials", "seedphrase", "recoveryphrase",
    ]),
    (("password", Doubt::Some, true), &["pass", "pw"]),
    (("token", Doubt::Some, false), &[
        "sonarlogin", "accesstoken", "authtoken", "apitoken", "refreshtoken", "bottoken", "deploytoken", "sessiontoken",
        "securitytoken", "secrettoken", "authtok", "bwsession",
    ]),
    (("secret", Doubt::Some, false), &["secret", "credential", "erlangcookie", "authident"]),
    (("secret", Doubt::Much, false), &[
        "credentials", "creds", "authcode", "xamzsignature", "xgoogsignature", "sig", "signature", "secretid", "totp",
        "auth",
    ]),
    (("secret", Doubt::Much, true), &["cred", "salt"]),
    (("api_key", Doubt::Some, false), &["secretkeybase"]),
    (("token", Doubt::Much, false), &["token", "jwt"]),
    (("cookie", Doubt::Much, false), &["sessid", "sessionid", "connect.sid"]),
    (("bearer", Doubt::Much, false), &["bearer"]),
    (("token", Doubt::Much, true), &["pat", "tok"]),
    (("api_key", Doubt::Much, true), &["api"]),
    (("api_key", Doubt::Much, false), &["keystring"]),
    ((HEADER_OF_OWN_FORM, Doubt::Much, false), &["authorization", "cookie"]),
];

static ROWS: [NameRow; count_of(&[ENDINGS])] = {
    let endings: [_; count_of(&[ENDINGS])] = flat(&[ENDINGS]);
    let mut rows = [name("", "", Doubt::Much); count_of(&[ENDINGS])];
    let mut number = 0;
    while number < rows.len() {
        let (ending, (kind, doubt, compound)) = endings[number];
        rows[number] = NameRow { ending, kind, doubt, compound };
        number += 1;
    }
    rows
};

/// For each letter, which rows end with it: a bit a row.
const BY_LAST: [u64; 32] = {
    let mut rows = [0; 32];
    let mut row = 0;
    while row < ROWS.len() {
        let ending = ROWS[row].ending.as_bytes();
        rows[(ending[ending.len() - 1] & 31) as usize] |= 1 << row;
        row += 1;
    }
    rows
};

/// The kind of the headers whose value has a form of its own.
pub(super) const HEADER_OF_OWN_FORM: &str = "header";

/// A header of somebody's own that carries a secret: `X-Shop-Auth`.
static HEADER: NameRow = name("", "secret", Doubt::Some);
/// `PAYMENT_KEY`: a key in the environment.
static ENVIRONMENT_KEY: NameRow = name("key", "api_key", Doubt::Much);
/// Names of passwords in other languages, and behind [`ALSO_OTHER`] those that also mean something else.
#[rustfmt::skip]
pub(super) const IN_OTHER_LANGUAGES: &[&str] = &[
    "contraseña", "contrasena", "contrasenya", "contrasinal", "palavra-passe", "palavra passe", "kennwort", "mot de passe", "mot_de_passe",
    "mot-de-passe", "motdepasse", "mdp", "senha", "parola d'ordine", "parola", "parolă", "parool", "wachtwoord", "wagwoord", "passord", "lösenord",
    "losenord", "adgangskode", "kodeord", "salasana", "salasõna", "hasło", "haslo", "heslo", "geslo", "lozinka", "zaporka", "jelszó",
    "jelszo", "slaptažodis", "slaptazodis", "ifreniz", "ifre", "sifre", "Şifrə", "şifrə", "fjalëkalim", "fjalëkalimi", "parol", "гасло", "Гасло", "lykilorð", "aðgangsorð", "cyfrinair", "pasfhocal",
    "pasahitza", "pasvorto", "nenosiri", "nywila", "kata sandi", "kata laluan", "mật khẩu", "ароль", "арола", "озинка", "ұпия сөз", "ууц үг",
    "ωδικός", "υνθηματικό", "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر", "رمز عبور", "گذرواژه",
    "پاس ورڈ", "პაროლი", "աղտնաբառ", "पासवर्ड", "कूटशब्द", "পাসওয়ার্ড", "கடவுச்சொல்", "పాస్‌వర్డ్", "ಪಾಸ್‌ವರ್ಡ್", "പാസ്‌വേഡ്", "પાસવર્ડ",
    "ਪਾਸਵਰਡ", "මුරපදය", "รหัสผ่าน", "ລະຫັດຜ່ານ", "ពាក្យសម្ងាត់", "စကားဝှက်", "የይለፍ ቃል", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호",
    "clave", "schlüssel", "chiave segreta", "geheimnis", "geheim", "parole", "ифра", "zugangsschlüssel", "geheimschlüssel", "ключ", "Ключ", "токен", "Токен", "api anahtar", "jeton", "clé", "chave de", "chiave api", "klíč", "klucz", "מפתח", "مفتاح", "密钥", "密鑰",
    "令牌", "キー", "トークン", "토큰", "키",
];

/// Where in the table the names begin that also mean something else.
const ALSO_OTHER: &str = "clave";

static FOREIGN: NameRow = name("", "password", Doubt::None);
static AMBIGUOUS: NameRow = name("", "password", Doubt::Some);
static PASS: NameRow = name("pass", "password", Doubt::Some);
static KEY: NameRow = name("key", "api_key", Doubt::Some);

/// What is before `key` where a key is secret.
#[rustfmt::skip]
const SECRET_KEYS: &[&str] = &[
    "api", "access", "secret", "private", "signing", "encryption", "encrypt", "decryption", "master", "account",
    "service", "auth", "role", "app", "application", "license", "licence", "deploy", "webhook", "hmac", "aes", "rsa",
    "jwt", "shared", "preshared", "cookie", "functions", "function", "subscription", "consumer", "session", "cipher", "crypto",
    "ssh", "priv", "setup", "activation", "unlock", "join", "bootstrap", "unseal", "root", "client", "project", "write", "admin", "server", "backup", "recovery", "sas", "ingestion", "instrumentation", "validation", "fernet",
];

/// What is before `pass` without a separator.
#[rustfmt::skip]
const OF_PASS: &[&str] = &[
    "db", "user", "admin", "root", "remote", "login", "auth", "mail", "smtp", "ftp", "http", "proxy", "bind", "mysql", "pg", "imap",
    "pop", "require", "ldap", "ssh", "vpn", "wifi", "key", "store", "server", "ssl", "app", "service", "new", "old", "gpg", "sudo", "become", "smb",
];

/// What is before `key` where it is none: `PRIMARY_KEY`, `STORAGE_KEY`.
#[rustfmt::skip]
const OPEN_KEYS: &[&str] = &[
    "public", "pub", "primary", "foreign", "cache", "sort", "partition", "index", "storage", "query", "config", "lookup",
    "event", "object", "map", "route", "hot", "arrow", "meta", "group", "row", "column", "host", "unique", "shard",
    "message", "label", "id", "websocket", "surrogate", "routing", "s3", "blob", "bucket", "item", "state", "theme", "locale", "lang", "idempotency",
];

/// What may stand behind the word that says it: `SECRET_STRING`, `password2`, `client-key-data`, `TOKEN_PROD`.
#[rustfmt::skip]
const SUFFIXES: &[&str] = &[
    "value", "string", "text", "plain", "plaintext", "data", "hash", "base64", "b64", "raw", "prod", "production",
    "staging", "dev", "live", "old", "new",
];

/// A name as it is in the text.
pub(super) struct Named<'a> {
    pub(super) name: &'a [u8],
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) row: &'static NameRow,
    /// How many dashes are before it, as before a flag.
    pub(super) dashes: usize,
}

const LONGEST: usize = 64;

impl<'a> Named<'a> {
    /// The name that `at` is in.
    pub(super) fn around(bytes: &'a [u8], at: usize, floor: usize) -> Option<Self> {
        let is_name = |byte| is_word(byte) || matches!(byte, b'-' | b'.');
        let far = bytes.len().min(at + LONGEST);
        let end = run_end(part(bytes, 0, far), at, is_name);
        let end = run_start(bytes, end, at, |byte| matches!(byte, b'-' | b'.'));
        let end = second_word(bytes, end);
        let begin = run_start(bytes, at, floor.max(at.saturating_sub(LONGEST)), is_name);
        let begin = begin + escape(bytes, begin);
        let start = run_end(bytes, begin, |byte| matches!(byte, b'-' | b'.'));
        let name = part(bytes, start, end);
        let name = if name.eq_ignore_ascii_case(b"key") { with_word_before(bytes, start, end, floor) } else { name };
        let is_parameter = name == b"key" && matches!(bytes.get(start.wrapping_sub(1)), Some(b'?' | b'&'));
        // `{"username": "ann", "key": "X"}`
        let is_of_user = name == b"key"
            && bytes.get(start.wrapping_sub(1)) == Some(&b'"')
            && part(bytes, start.saturating_sub(LONGEST), start).windows(5).any(|word| word == b"\"user");
        if is_parameter || is_of_user || name == b"key" && is_below_kind(bytes, start) {
            return Some(Self { name, start, end, row: &ENVIRONMENT_KEY, dashes: 0 });
        }
        // A field of a connection string, not the shell's own variable.
        let is_field = name == b"PWD" && (start > 0 && bytes.get(start - 1) == Some(&b';') || is_set(bytes, name, end));
        // In capitals alone it is what a test runner says, but where a text is assigned.
        let row = match row_of(name) {
            _ if is_field => ROWS.iter().find(|row| row.ending == "pwd")?,
            Some(row) => row,
            // `-upw X`, `-userpw X`: the option of some user.
            None if name == b"PASS" && is_set(bytes, name, end) || begin < start && name.ends_with(b"pw") => &PASS,
            None => row_of_list(bytes, name, end)?,
        };
        Some(Self {
            name,
            start: end - name.len(),
            end,
            row,
            dashes: run_end(bytes, begin, |byte| byte == b'-').min(start) - begin
                + usize::from(is_slashed(bytes, end - name.len())),
        })
    }

    /// The name in another language that begins at `at`, with what is joined to it.
    pub(super) fn foreign(bytes: &'a [u8], at: usize, floor: usize) -> Option<Self> {
        let begins = |word: &&&str| goes_on_in_any_case(bytes, at, word.as_bytes());
        let word = IN_OTHER_LANGUAGES.iter().filter(begins).max_by_key(|word| word.len())?;
        let is_other = IN_OTHER_LANGUAGES.iter().skip_while(|name| **name != ALSO_OTHER).any(|name| name == word);
        let letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().filter(u8::is_ascii_alphabetic);
        let humps = |before: u8, next: u8| before.is_ascii_lowercase() && next.is_ascii_uppercase();
        let end = at + word.len();
        if word.is_ascii() && letter(at.checked_sub(1)).is_some_and(|before| !humps(before, bytes[at]))
            || letter(Some(end)).is_some_and(|next| !humps(bytes[end - 1], next))
        {
            return None;
        }
        let in_name = |byte| is_word(byte) || byte == b'-';
        let end = run_end(part(bytes, 0, bytes.len().min(end + LONGEST)), end, in_name);
        // `La contraseña temporal es: X`, `Токен доступа: X`: a label goes on for a few words.
        let in_label = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b' ' | b'\'');
        let label = run_end(part(bytes, 0, bytes.len().min(end + LONGEST / 2)), end, in_label);
        let end =
            if matches!(bytes.get(label), Some(b':' | b'=')) { run_start(bytes, label, end, is_blank) } else { end };
        let start = run_start(bytes, at, floor.max(at.saturating_sub(LONGEST)), |byte| is_word(byte) || byte >= 0x80);
        let dashes = start - run_start(bytes, start, floor.max(start.saturating_sub(3)), |byte| byte == b'-');
        Some(Self {
            name: part(bytes, start, end),
            start,
            end,
            row: if is_other { &AMBIGUOUS } else { &FOREIGN },
            dashes,
        })
    }

    /// Whether it is a word of another language.
    pub(super) fn is_foreign(&self) -> bool {
        self.says_password() || std::ptr::eq(self.row, &raw const AMBIGUOUS)
    }

    /// Whether it is a word of another language that means nothing but a password.
    pub(super) fn says_password(&self) -> bool {
        std::ptr::eq(self.row, &raw const FOREIGN)
    }

    /// `/password:X`, as programs of Windows take it.
    pub(super) fn is_slashed(&self, bytes: &[u8]) -> bool {
        is_slashed(bytes, self.start)
    }

    /// Whether it is written as variables of an environment are.
    pub(super) fn is_environment(&self) -> bool {
        self.name.len() > 2
            && self.name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
    }

    /// Whether an element of XML begins with it.
    pub(super) fn is_element(&self, bytes: &[u8]) -> bool {
        part(bytes, 0, self.start).ends_with(b"<")
    }

    /// Whether a user and a password may stand behind it.
    pub(super) fn names_login(&self) -> bool {
        matches!(self.row.ending, "credential" | "credentials" | "creds" | "cred" | "auth")
    }

    pub(super) fn is_password(&self) -> bool {
        self.row.kind == "password"
    }

    /// The quotation mark that is before it, where there is one.
    pub(super) fn quote(&self, bytes: &[u8]) -> Option<u8> {
        self.start.checked_sub(1).and_then(|before| bytes.get(before)).copied().filter(|byte| is_quote(*byte))
    }

    /// Whether only marks of lists and quotations are before it on its line.
    pub(super) fn begins_line(&self, bytes: &[u8]) -> bool {
        let opens = |byte| {
            is_blank(byte)
                || is_quote(byte)
                || matches!(byte, b'-' | b'{' | b',' | b'+' | b'|' | b'>' | b'<' | b'[' | b'*')
        };
        let floor = self.start.saturating_sub(LONGEST);
        let start = run_start(bytes, self.start, floor, opens);
        start == 0
            || matches!(bytes.get(start - 1), Some(b'\n' | b'\r' | b';'))
            || (start >= 2 && matches!(part(bytes, start - 2, start), b"\\n"))
    }
}

/// `encryption:` and `key: X` below, `"api": {"key": "X"}`: whether what the key is in says that keys of it are secret.
fn is_below_kind(bytes: &[u8], start: usize) -> bool {
    let floor = start.saturating_sub(LONGEST);
    let end = run_start(bytes, start, floor, |byte| !is_word(byte));
    let between = part(bytes, end, start);
    let opens = between.contains(&b'{') || [&b":\n"[..], b"]\n"].iter().any(|sign| between.starts_with(sign));
    let word = part(bytes, run_start(bytes, end, floor, is_word), end);
    opens && SECRET_KEYS.iter().any(|kind| word.eq_ignore_ascii_case(kind.as_bytes()))
}

/// `PASS = "velrut77"`, `PASS=velrut77`; for `PWD`, which is the shell's own variable where it is set to a path.
fn is_set(bytes: &[u8], name: &[u8], end: usize) -> bool {
    let sign = run_end(part(bytes, 0, bytes.len().min(end + 2)), end, is_blank);
    let start = run_end(part(bytes, 0, bytes.len().min(sign + 3)), sign + 1, is_blank);
    let near = part(bytes, 0, bytes.len().min(start + LONGEST));
    let text = part(near, start, run_end(near, start, |byte| !byte.is_ascii_whitespace()));
    let first = text.first().copied().unwrap_or(b'0');
    let is_one = match name {
        b"PWD" => text.len() >= 6 && text.iter().all(|byte| is_word(*byte) || *byte == b';'),
        b"PASS" => is_quote(first) || start == end + 1 && !first.is_ascii_digit(),
        _ => false,
    };
    bytes.get(sign) == Some(&b'=') && is_one
}

/// The row of the one where a list of them follows: `"api_keys": ["X"]`, `unseal_keys_b64: [X]`.
fn row_of_list(bytes: &[u8], name: &[u8], end: usize) -> Option<&'static NameRow> {
    let singular = name.strip_suffix(b"_b64").unwrap_or(name).strip_suffix(b"s")?;
    let near = part(bytes, 0, bytes.len().min(end + 8));
    let sign = run_end(near, end, is_quote);
    let open = run_end(near, sign + 1, |byte| byte.is_ascii_whitespace());
    (matches!(near.get(sign), Some(b':' | b'=')) && near.get(open) == Some(&b'[')).then(|| row_of(singular))?
}

fn is_slashed(bytes: &[u8], start: usize) -> bool {
    let before = part(bytes, start.saturating_sub(2), start);
    matches!(before, [b' ', b'/'])
}

/// `\npassword`: the letter of an escape before the name.
fn escape(bytes: &[u8], begin: usize) -> usize {
    usize::from(
        begin > 0 && bytes.get(begin - 1) == Some(&b'\\') && matches!(bytes.get(begin), Some(b'n' | b'r' | b't')),
    )
}

/// `Secret Key: ...`, `Secret ID = ...`: where the second word of a name ends.
fn second_word(bytes: &[u8], end: usize) -> usize {
    const SECOND: &[&[u8]] = &[b" key", b" id", b" phrase"];
    let ended = SECOND.iter().find(|word| goes_on_in_any_case(bytes, end, word)).map(|word| end + word.len());
    ended.filter(|end| matches!(bytes.get(*end), Some(b':' | b'=' | b' ' | b'\n'))).unwrap_or(end)
}

/// `API key: ...`: the name of a key may be two words.
fn with_word_before(bytes: &[u8], start: usize, end: usize, floor: usize) -> &[u8] {
    if start <= floor + 1 || bytes[start - 1] != b' ' || !is_word(bytes[start - 2]) {
        return part(bytes, start, end);
    }
    let from = run_start(bytes, start - 1, floor.max(start.saturating_sub(LONGEST)), is_word);
    part(bytes, from, end)
}

/// The row of a name.
pub(super) fn row_of(name: &[u8]) -> Option<&'static NameRow> {
    // The shell's own variables for directories end like a password's name, and some name where a secret lies.
    if matches!(name, b"PWD" | b"OLDPWD" | b"INIT_CWD") || name.starts_with(b"existing") {
        return None;
    }
    exact_row(name).or_else(|| exact_row(without_suffix(name)?))
}

fn exact_row(name: &[u8]) -> Option<&'static NameRow> {
    // As a whole name it is a password's; in capitals alone it is what a test runner says.
    let joined = || strip_word(name, b"pass").map(|end| part(name, 0, end));
    let of = |before: &[u8]| OF_PASS.iter().any(|word| spelled_from(before, word.as_bytes()).is_some());
    if matches!(name, b"pass" | b"Pass" | b"pw" | b"Pw" | b"PW")
        || name.last().is_some_and(|last| *last | 0x20 == b's') && joined().is_some_and(of)
    {
        return Some(&PASS);
    }
    let last = name.last()?.to_ascii_lowercase();
    let row = || {
        let mut rows = BY_LAST[usize::from(last & 31)];
        while rows > 0 {
            let row = &ROWS[rows.trailing_zeros() as usize];
            if ends_with(name, row) {
                return Some(row);
            }
            rows &= rows - 1;
        }
        None
    };
    header_row(name).or_else(row).or_else(|| key_row(name, last))
}

/// `signing_key`, `jwt.signing.phrase`.
fn key_row(name: &[u8], last: u8) -> Option<&'static NameRow> {
    let end = match last {
        b'y' => strip_word(name, b"key")?,
        b'e' => strip_word(name, b"phrase")?,
        _ => return None,
    };
    let before = part(name, 0, end);
    if SECRET_KEYS.iter().any(|word| strip_word(before, word.as_bytes()).is_some()) {
        return Some(&KEY);
    }
    let upper = !before.is_empty() && name.ends_with(b"_KEY") && !name.iter().any(u8::is_ascii_lowercase);
    // A header: `Fastly-Key`.
    let upper = upper || !before.is_empty() && name.ends_with(b"-Key") && name[0].is_ascii_uppercase();
    (upper && !OPEN_KEYS.iter().any(|word| strip_word(before, word.as_bytes()).is_some())).then_some(&ENVIRONMENT_KEY)
}

/// Where what is before the word ends, if the name ends with the word; separators between them are left out.
fn strip_word(name: &[u8], word: &[u8]) -> Option<usize> {
    spelled_from(name, word).map(|start| run_start(name, start, 0, is_separator))
}

fn header_row(name: &[u8]) -> Option<&'static NameRow> {
    let own = name.get(..2)?.eq_ignore_ascii_case(b"x-");
    let says = [&b"key"[..], b"token", b"auth", b"secret"].iter().any(|word| spelled_from(name, word).is_some());
    (own && says).then_some(&HEADER)
}

/// The name without digits at its end, or without a word that qualifies it.
fn without_suffix(name: &[u8]) -> Option<&[u8]> {
    let digits = run_start(name, name.len(), 0, |byte| byte.is_ascii_digit());
    let bare = part(name, 0, run_start(name, digits, 0, is_separator));
    if bare.len() < name.len() && !name.ends_with(b"64") {
        return Some(bare);
    }
    SUFFIXES.iter().find_map(|suffix| {
        let start = spelled_from(name, suffix.as_bytes())?;
        let separated = part(name, 0, start).last().is_some_and(|byte| is_separator(*byte));
        (separated || *suffix == "value" || starts_hump(name, start))
            .then(|| part(name, 0, run_start(name, start, 0, is_separator)))
    })
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b' ')
}

fn ends_with(name: &[u8], row: &NameRow) -> bool {
    let Some(start) = spelled_from(name, row.ending.as_bytes()) else { return false };
    let rest = part(name, 0, start);
    !row.compound || rest.last().is_some_and(|byte| is_separator(*byte) || starts_hump(name, start))
}

/// Where the wanted letters begin that a name ends with, any case, one separator between each two aside.
fn spelled_from(name: &[u8], wanted: &[u8]) -> Option<usize> {
    wanted.iter().rev().try_fold(name.len(), |end, wanted| before(name, end, *wanted))
}

/// `dbPass`: a capital after a small letter begins a word of its own.
fn starts_hump(name: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| name.get(before));
    before.is_some_and(u8::is_ascii_lowercase) && name.get(at).is_some_and(u8::is_ascii_uppercase)
}

/// Where the wanted letter is before `end`, one separator aside.
fn before(name: &[u8], end: usize, wanted: u8) -> Option<usize> {
    let last = end.checked_sub(1)?;
    let byte = name.get(last)?.to_ascii_lowercase();
    if byte == wanted {
        return Some(last);
    }
    let further = last.checked_sub(1)?;
    let skips = is_separator(byte) && name.get(further)?.to_ascii_lowercase() == wanted;
    skips.then_some(further)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_by_their_endings() {
        let secret = [
            "dbPassword",
            "smtp_passwd",
            "PASSWORD_PROD",
            "password2",
            "secret_string",
            "SecretString",
            "client-key-data",
            "X-Shop-Auth",
            "x-functions-key",
            "PAYMENT_KEY",
            "Api-Key",
            "dbPass",
            "accessToken",
            "PresharedKey",
            "private.key",
            "RAILS_MASTER_KEY",
        ];
        for name in secret {
            assert!(row_of(name.as_bytes()).is_some(), "{name}");
        }
        let open = [
            "PASS",
            "compass",
            "key",
            "monkey",
            "primary_key",
            "CACHE_KEY",
            "password_file",
            "tokenizer",
            "keys",
            "author",
            "X-Request-Id",
            "keyboard",
            "publicKey",
        ];
        for name in open {
            assert!(row_of(name.as_bytes()).is_none(), "{name}");
        }
    }
}
