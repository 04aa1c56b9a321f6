//! The words and signs that a secret may be beside, and the pass that finds them in a text.
//!
//! Each landmark is known by three letters of it that stand together seldom. One look-up in a table for every two
//! neighbouring bytes passes over nearly all of a text.

use super::behind::BEHIND;
use super::bytes::goes_on_in_any_case;
use super::name::IN_OTHER_LANGUAGES;
use super::token::FAMILIES;

/// What is looked for at a landmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A token of an issuer: a row of [`FAMILIES`].
    Token(usize),
    /// Three parts of base64, the first of which is JSON.
    WebToken,
    /// `Bearer TOKEN`.
    Bearer,
    /// The client's truncation mark.
    Cut,
    /// A name that says that its value is secret.
    Name,
    /// A program that takes secrets in short flags or by their place.
    Program,
    /// `://`, and the same escaped.
    Address,
    /// `:AA` of a chat bot's token.
    Bot,
    /// The marker of a private key.
    KeyMarker,
    /// The lines of a `PuTTY` key.
    KeyLines,
    /// `IDENTIFIED BY`.
    Identified,
    /// The kind of a manifest.
    Kind,
    /// The type of a key in JSON.
    WebKey,
    /// A connection string of Go: `user:password@tcp(`.
    GoAddress,
    /// A line of a `.pgpass`, by its port.
    PasswordFile,
    /// `--from-literal=name=`.
    Literal,
    /// A key of a mailing service, by its end: `-us12`.
    DataCentre,
    /// Words behind which a secret stands in its place: a row of [`BEHIND`].
    Behind(usize),
    /// A token that is known by what is within it.
    Within,
    /// What is written into a pipe.
    Fed,
    /// `<<`
    HereDocument,
    /// A line of a protocol that signs in.
    Wire,
    /// `Basic ` and base64.
    Basic,
    /// Signs within a secret of Azure.
    ClientSecret,
    /// The hash of an empty password, before that of another.
    Hashed,
    /// A command at a prompt whose answer is a secret.
    Answer,
    /// An option of one letter that takes a password where the call names its user.
    BesideUser,
    /// Codes and phrases that let one in again.
    Codes,
    /// What says that the value beside it is secret, in JSON.
    Beside,
    /// A section or a block of a file whose values are secrets.
    Section,
    /// A name of a password in another language than English.
    Foreign,
    /// The sign in an address of mail.
    Mail,
    /// A program that shows a file, and the heading of one.
    ShownFile,
    /// `log in as ann / X`.
    SignsIn,
}

impl Look {
    /// Whether it is told by more than a name, which may stand within it.
    pub(super) fn has_own_form(self) -> bool {
        matches!(
            self,
            Self::Program
                | Self::Wire
                | Self::Behind(_)
                | Self::Fed
                | Self::HereDocument
                | Self::Answer
                | Self::BesideUser
                | Self::Section
                | Self::ShownFile
                | Self::Beside
                | Self::Token(_)
        )
    }
}

/// A word to be found: any case where `fold`.
struct Landmark {
    word: &'static str,
    fold: bool,
    look: Look,
}

const fn exact(word: &'static str, look: Look) -> Landmark {
    Landmark { word, fold: false, look }
}

const fn any_case(word: &'static str, look: Look) -> Landmark {
    Landmark { word, fold: true, look }
}

const WORDS: &[Landmark] = &[
    exact("eyJ", Look::WebToken),
    any_case("bearer ", Look::Bearer),
    exact("characters truncated]", Look::Cut),
    any_case("passw", Look::Name),
    any_case("passphrase", Look::Name),
    any_case("passcode", Look::Name),
    any_case("_pass", Look::Name),
    exact("Pass", Look::Name),
    exact("pass:", Look::Name),
    exact("pass=", Look::Name),
    exact("pass =", Look::Name),
    exact("pass\"", Look::Name),
    exact("SSHPASS", Look::Name),
    exact("put-parameter", Look::Program),
    exact("keyvault", Look::Program),
    exact("nuget", Look::Program),
    exact("gem push", Look::Program),
    exact("influx", Look::Program),
    exact("security ", Look::Program),
    exact("rar ", Look::Program),
    exact("http -", Look::Program),
    exact("pass show", Look::Answer),
    exact("secret-tool lookup", Look::Answer),
    exact("UGFzc3dvcmQ6", Look::Answer),
    exact("\"SecureString\"", Look::Beside),
    exact("\"keyName\"", Look::Beside),
    exact("[admins]", Look::Section),
    exact("[users]", Look::Section),
    exact("[credentials]", Look::Section),
    exact("secrets:\n", Look::Section),
    exact("credentials:\n", Look::Section),
    exact("cat ", Look::ShownFile),
    exact("type ", Look::ShownFile),
    exact("head -", Look::ShownFile),
    exact("tail -", Look::ShownFile),
    exact("Get-Content ", Look::ShownFile),
    exact("==> ", Look::ShownFile),
    exact("certutil", Look::Program),
    exact("oathtool", Look::Program),
    exact(":pserver:", Look::Address),
    exact("\"special\":", Look::Beside),
    exact("\"name\": \"session", Look::Beside),
    exact("scratch code", Look::Codes),
    exact("AZDO", Look::Within),
    exact("_SALT", Look::Name),
    exact("_API=", Look::Name),
    exact("totp\":", Look::Name),
    any_case("log in as ", Look::SignsIn),
    any_case("login with ", Look::SignsIn),
    any_case("connecting as ", Look::SignsIn),
    any_case("ugangsdaten:", Look::SignsIn),
    any_case("dentifiants", Look::SignsIn),
    any_case("redenciales:", Look::SignsIn),
    any_case("redenziali:", Look::SignsIn),
    any_case("redenciais:", Look::SignsIn),
    any_case("pw ", Look::Name),
    any_case("sign in as ", Look::SignsIn),
    any_case("login: ", Look::SignsIn),
    any_case("creds:", Look::Name),
    any_case("bearer:", Look::Name),
    any_case("bearer=", Look::Name),
    exact("pass ", Look::Name),
    any_case("pw:", Look::Name),
    any_case("pw=", Look::Name),
    any_case("pw =", Look::Name),
    exact("pw\"", Look::Name),
    exact("pw'", Look::Name),
    exact("pass'", Look::Name),
    exact("[passwords]", Look::Section),
    exact("_PAT", Look::Name),
    exact("_TOK", Look::Name),
    exact("PASS=", Look::Name),
    exact("PASS =", Look::Name),
    exact("_pat:", Look::Name),
    exact("_pat=", Look::Name),
    exact("--value ", Look::BesideUser),
    exact("--data ", Look::BesideUser),
    exact("-r ", Look::BesideUser),
    exact("-p ", Look::BesideUser),
    exact("-P ", Look::BesideUser),
    exact("-U ", Look::BesideUser),
    exact("-ap ", Look::BesideUser),
    exact("-xp ", Look::BesideUser),
    exact("-w ", Look::BesideUser),
    exact("-k ", Look::BesideUser),
    exact("-K ", Look::BesideUser),
    exact("-t ", Look::BesideUser),
    exact("covery code", Look::Codes),
    exact("ackup code", Look::Codes),
    exact("covery key", Look::Codes),
    any_case("seed phrase", Look::Name),
    any_case("recovery phrase", Look::Name),
    exact("pass>", Look::Name),
    exact("BW_SESSION", Look::Name),
    any_case("pwd", Look::Name),
    any_case("psw", Look::Name),
    any_case("secret", Look::Name),
    any_case("token", Look::Name),
    any_case("key", Look::Name),
    any_case("credential", Look::Name),
    any_case("auth", Look::Name),
    any_case("cookie", Look::Name),
    any_case("jwt", Look::Name),
    any_case("psk", Look::Name),
    any_case("jsessionid", Look::Name),
    any_case("phpsessid", Look::Name),
    any_case("connect.sid", Look::Name),
    any_case("sig=", Look::Name),
    any_case("\"sig\"", Look::Name),
    any_case("signature", Look::Name),
    exact("curl", Look::Program),
    exact("mysql", Look::Program),
    exact("mariadb", Look::Program),
    exact("sshpass", Look::Program),
    exact("login", Look::Program),
    exact("redis-cli", Look::Program),
    exact("ldap", Look::Program),
    exact("sqlcmd", Look::Program),
    exact("bcp ", Look::Program),
    exact("unzip", Look::Program),
    exact("zip -", Look::Program),
    exact("7z", Look::Program),
    exact("ssh-keygen", Look::Program),
    // Without the letters that a name of a secret is found by: who comes first is looked at.
    exact("htpas", Look::Program),
    exact("openssl", Look::Program),
    exact("/add", Look::Program),
    exact("useradd", Look::Program),
    exact("usermod", Look::Program),
    exact("rabbitmqctl", Look::Program),
    exact("gh secret", Look::Program),
    exact("lftp", Look::Program),
    exact("snmp", Look::Program),
    exact("freerdp", Look::Program),
    exact("://", Look::Address),
    exact(":\\/\\/", Look::Address),
    exact(":AA", Look::Bot),
    exact("-----BEGIN", Look::KeyMarker),
    exact("-----END", Look::KeyMarker),
    exact("---- BEGIN ", Look::KeyMarker),
    exact("Private-Lines: ", Look::KeyLines),
    any_case("identified ", Look::Identified),
    exact("kind: Secret", Look::Kind),
    exact("\"kind\": \"Secret\"", Look::Kind),
    exact("\"kind\":\"Secret\"", Look::Kind),
    exact("\"kty\"", Look::WebKey),
    exact("@tcp(", Look::GoAddress),
    exact("@unix(", Look::GoAddress),
    exact(":5432:", Look::PasswordFile),
    exact(":5433:", Look::PasswordFile),
    exact(":6432:", Look::PasswordFile),
    exact(":*:", Look::PasswordFile),
    exact("--from-literal", Look::Literal),
    exact("-us", Look::DataCentre),
    exact(".atlasv1.", Look::Within),
    exact("echo ", Look::Fed),
    exact("printf ", Look::Fed),
    exact("<<", Look::HereDocument),
    exact("AUTH ", Look::Wire),
    exact("PASS ", Look::Wire),
    exact("send \"", Look::Wire),
    exact("send -- \"", Look::Wire),
    exact("sendline('", Look::Wire),
    exact("sendline(\"", Look::Wire),
    exact("op read ", Look::Answer),
    exact("base64 -d\n", Look::Answer),
    exact("find-generic-password", Look::Answer),
    exact("schtasks", Look::Program),
    exact("signtool", Look::Program),
    exact("codecov", Look::Program),
    exact("frpc ", Look::Program),
    exact("--plaintext", Look::Program),
    exact("Basic ", Look::Basic),
    exact("8Q~", Look::ClientSecret),
    exact("7Q~", Look::ClientSecret),
    exact("aad3b435b51404ee", Look::Hashed),
    exact("-field=", Look::Answer),
    exact("access-token\n", Look::Answer),
    exact("login-password", Look::Answer),
    any_case("mnemonic", Look::Name),
    any_case("sonar.login", Look::Name),
    exact("xh ", Look::Program),
    exact("net use", Look::Program),
];

/// How addresses of mail go on behind their sign.
#[rustfmt::skip]
const MAILS: &[&str] = &[
    "@a", "@b", "@c", "@d", "@e", "@f", "@g", "@h", "@i", "@j", "@k", "@l", "@m", "@n", "@o", "@p", "@q", "@r", "@s", "@t",
    "@u", "@v", "@w", "@x", "@y", "@z", "@1",
];

const COUNT: usize = FAMILIES.len() + WORDS.len() + BEHIND.len() + IN_OTHER_LANGUAGES.len() + MAILS.len();

/// The word of a landmark and whether case matters not.
const fn word(number: usize) -> (&'static str, bool) {
    let Some(other) = number.checked_sub(FAMILIES.len()) else { return (FAMILIES[number].prefix, false) };
    let Some(row) = other.checked_sub(WORDS.len()) else { return (WORDS[other].word, WORDS[other].fold) };
    let Some(name) = row.checked_sub(BEHIND.len()) else { return (BEHIND[row].0, false) };
    match name.checked_sub(IN_OTHER_LANGUAGES.len()) {
        None => (IN_OTHER_LANGUAGES[name], true),
        Some(letter) => (MAILS[letter], true),
    }
}

/// The words of all landmarks.
#[cfg(test)]
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    (0..COUNT).map(|number| word(number).0)
}

/// The first letter of each.
static FIRSTS: [u8; COUNT] = {
    let mut table = [0; COUNT];
    let mut number = 0;
    while number < COUNT {
        table[number] = word(number).0.as_bytes()[0];
        number += 1;
    }
    table
};

/// How common a byte is in text: the landmark's letters that are looked at first are its rarest.
const fn commonness(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' if !byte.is_ascii_uppercase() => 9,
        b'l' | b'c' | b'd' | b'p' | b'u' | b'm' if !byte.is_ascii_uppercase() => 7,
        b'-' | b'.' | b'/' | b':' | b'"' => 6,
        b'_' => 8,
        b'h' | b'g' | b'b' | b'f' | b'y' | b'v' | b'w' | b'k' if !byte.is_ascii_uppercase() => 4,
        b'j' | b'x' | b'q' | b'z' => 1,
        _ => 3,
    }
}

/// Letters that stand together more often than each alone lets expect.
const COMMON: &[u8] = b"th he in er an re on at en nd ti es or te of ed is it al ar st nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur pa ct us pe mp pr op ss fi ck ex to ns if cr ch t. e. s. .c .s ho sh ev sk ke un pa == -- ba l_ 64 g  r ";

/// For each letter, which ones follow it commonly: one bit a letter.
static FOLLOWERS: [u128; 128] = {
    let mut table = [0; 128];
    let mut at = 0;
    while at + 1 < COMMON.len() {
        table[COMMON[at] as usize] |= 1 << COMMON[at + 1];
        at += 3;
    }
    table
};

const fn is_common(first: u8, second: u8) -> bool {
    first.is_ascii() && second.is_ascii() && FOLLOWERS[first as usize] >> second & 1 == 1
}

/// Where in each landmark its rarest letters stand.
#[expect(clippy::cast_possible_truncation, reason = "a landmark is a short word")]
static OFFSETS: [u8; COUNT] = {
    let mut table = [0; COUNT];
    let mut number = 0;
    while number < COUNT {
        let bytes = word(number).0.as_bytes();
        let (mut best, mut least, mut at) = (0, u32::MAX, 0);
        while at + 2 <= bytes.len() {
            // Without a third letter every place of the two is looked at.
            let common = commonness(bytes[at])
                * commonness(bytes[at + 1])
                * if is_common(bytes[at], bytes[at + 1]) { 4 } else { 1 }
                * if at + 2 == bytes.len() && at > 0 { 3 } else { 1 };
            if common < least {
                (best, least) = (at, common);
            }
            at += 1;
        }
        table[number] = best as u8;
        number += 1;
    }
    table
};

/// Which two bytes the rare letters of some landmark begin with.
static PAIRS: [bool; 1 << 16] = {
    let mut table = [false; 1 << 16];
    let mut number = 0;
    while number < COUNT {
        let (word, fold) = word(number);
        let (first, second) =
            (word.as_bytes()[OFFSETS[number] as usize], word.as_bytes()[OFFSETS[number] as usize + 1]);
        table[pair(first, second)] = true;
        if fold {
            table[pair(first.to_ascii_uppercase(), second.to_ascii_uppercase())] = true;
            table[pair(first.to_ascii_uppercase(), second)] = true;
            table[pair(first, second.to_ascii_uppercase())] = true;
        }
        number += 1;
    }
    table
};

/// Two bytes as they stand in memory, so that one load is the place in the table.
const fn pair(first: u8, second: u8) -> usize {
    u16::from_le_bytes([first, second]) as usize
}

/// The last five bits of a byte, the same for a letter in either case.
const fn folded(first: u8, second: u8) -> usize {
    ((first & 31) as usize) << 5 | (second & 31) as usize
}

/// For each two rare letters, folded, which third ones follow: one bit a letter.
static THIRDS: [u32; 1024] = {
    let mut table = [0; 1024];
    let mut number = 0;
    while number < COUNT {
        let bytes = word(number).0.as_bytes();
        let at = OFFSETS[number] as usize;
        let bit = if at + 2 < bytes.len() { 1 << (bytes[at + 2] & 31) } else { u32::MAX };
        table[folded(bytes[at], bytes[at + 1])] |= bit;
        number += 1;
    }
    table
};

/// The landmarks in the order of their rare letters, and where those of each two letters end there.
static ORDER: ([u16; COUNT], [u16; 1024]) = order();

#[expect(clippy::cast_possible_truncation, reason = "the landmarks are some hundreds")]
const fn order() -> ([u16; COUNT], [u16; 1024]) {
    let mut ends = [0_u16; 1024];
    let mut number = 0;
    while number < COUNT {
        ends[bucket(number)] += 1;
        number += 1;
    }
    let mut bucket_number = 1;
    while bucket_number < 1024 {
        ends[bucket_number] += ends[bucket_number - 1];
        bucket_number += 1;
    }
    let mut order = [0_u16; COUNT];
    let mut next = ends;
    while number > 0 {
        number -= 1;
        let of = bucket(number);
        next[of] -= 1;
        order[next[of] as usize] = number as u16;
    }
    (order, ends)
}

const fn bucket(number: usize) -> usize {
    let bytes = word(number).0.as_bytes();
    let at = OFFSETS[number] as usize;
    folded(bytes[at], bytes[at + 1])
}

/// The next place where rare letters of a landmark stand.
pub(super) fn next(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    // Eight pairs at a time ask only once whether the text goes on.
    while let Some(nine) = bytes.get(at..).and_then(<[u8]>::first_chunk::<9>) {
        for near in 0..8 {
            if PAIRS[pair(nine[near], nine[near + 1])] && leads_on(bytes, at + near) {
                return Some(at + near);
            }
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let found =
        rest.windows(2).enumerate().position(|(near, two)| PAIRS[pair(two[0], two[1])] && leads_on(bytes, at + near));
    found.map(|near| at + near)
}

fn leads_on(bytes: &[u8], at: usize) -> bool {
    let Some([first, second]) = bytes.get(at..).and_then(<[u8]>::first_chunk::<2>) else { return false };
    let thirds = THIRDS[folded(*first, *second)];
    match bytes.get(at + 2) {
        Some(third) => thirds >> (third & 31) & 1 == 1,
        None => thirds == u32::MAX,
    }
}

/// The landmarks whose rare letters stand at `at`: where each begins, and what to look for there.
pub(super) fn here(bytes: &[u8], at: usize) -> impl Iterator<Item = (usize, Look)> {
    let of = match bytes.get(at..at + 2) {
        Some(two) => folded(two[0], two[1]),
        None => 0,
    };
    let (order, ends) = &ORDER;
    let from = if of == 0 { 0 } else { ends[of - 1] };
    let numbers = order.get(usize::from(from)..usize::from(ends[of])).unwrap_or_default();
    numbers.iter().filter_map(move |number| {
        let number = usize::from(*number);
        let start = at.checked_sub(usize::from(*OFFSETS.get(number)?))?;
        // Nearly all are told apart by their first letter already.
        if (bytes.get(start)? ^ FIRSTS.get(number)?) & 31 != 0 {
            return None;
        }
        let rest = bytes.get(start..)?;
        let Some(other) = number.checked_sub(FAMILIES.len()) else {
            return rest.starts_with(FAMILIES.get(number)?.prefix.as_bytes()).then_some((start, Look::Token(number)));
        };
        let (word, fold, look) = match other.checked_sub(WORDS.len()) {
            None => WORDS.get(other).map(|landmark| (landmark.word, landmark.fold, landmark.look))?,
            Some(row) if row < BEHIND.len() => (BEHIND.get(row)?.0, false, Look::Behind(row)),
            Some(row) => match IN_OTHER_LANGUAGES.get(row - BEHIND.len()) {
                Some(name) => (*name, true, Look::Foreign),
                None => (*MAILS.get(row - BEHIND.len() - IN_OTHER_LANGUAGES.len())?, true, Look::Mail),
            },
        };
        let word = word.as_bytes();
        let found = if fold { goes_on_in_any_case(rest, 0, word) } else { rest.starts_with(word) };
        found.then_some((start, look))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever adds a landmark need not think of the tables: each is found wherever it stands.
    #[test]
    fn every_landmark_is_found_wherever_it_stands() {
        for number in 0..COUNT {
            let (word, fold) = word(number);
            let forms = if fold { vec![word.to_owned(), word.to_ascii_uppercase()] } else { vec![word.to_owned()] };
            for (form, before) in forms.iter().flat_map(|form| (0..20).map(move |before| (form, before))) {
                let text = format!("{}{form}", "~".repeat(before));
                let mut at = 0;
                let mut found = false;
                while let Some(place) = next(text.as_bytes(), at) {
                    found |= here(text.as_bytes(), place).any(|(start, _)| start == before);
                    at = place + 1;
                }
                assert!(found, "{form} behind {before}");
            }
        }
    }
}
