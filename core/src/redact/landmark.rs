//! The words and signs that a secret may be beside, and the pass that finds them in a text.
//!
//! Each landmark is known by three letters of it that stand together seldom. One look-up in a table for every two
//! neighbouring bytes passes over nearly all of a text.

use super::behind::BEHIND;
use super::bytes::goes_on_in_any_case;
use super::name::IN_OTHER_LANGUAGES;
use super::table::{Row, count_of, flat};
use super::token::FAMILIES;
use super::{Secret, credentials, manifest, neighbour, private_key, token};

/// What is looked for at a landmark.
#[derive(Debug, Clone, Copy)]
pub(super) enum Look {
    /// A token of an issuer: a row of [`FAMILIES`].
    Token(usize),
    /// The client's truncation mark.
    Cut,
    /// A name that says that its value is secret.
    Name,
    /// A name of a password in another language than English.
    Foreign,
    /// A program that takes secrets in short flags or by their place.
    Program,
    /// Words behind which a secret stands in its place: a row of [`BEHIND`].
    Behind(usize),
    /// A secret of another form: what finds it is given the place.
    One(fn(&[u8], usize) -> Option<Secret>),
    /// The same, where the landmark tells it by more than a name, which may stand within it.
    Own(fn(&[u8], usize) -> Option<Secret>),
    /// The same, which begins before the landmark, though not before a second place.
    From(fn(&[u8], usize, usize) -> Option<Secret>),
    /// What may be a word of a command in a list.
    List,
    /// Several secrets.
    Several(fn(&[u8], usize) -> Vec<Secret>),
    /// What tells the kind of a file: what reads the file says where it ends.
    Document(fn(&[u8], usize, &mut Vec<Secret>) -> usize),
}

impl Look {
    /// Whether it is looked at again without what tools put around it.
    pub(super) fn may_be_dressed(self) -> bool {
        matches!(self, Self::Program | Self::Behind(_) | Self::List | Self::Document(_))
    }

    /// Whether it is told by more than a name, which may stand within it.
    pub(super) fn has_own_form(self) -> bool {
        matches!(self, Self::Program | Self::Behind(_) | Self::Own(_) | Self::Several(_) | Self::Token(_) | Self::List)
    }
}

/// A word to be found: any case where `fold`.
#[derive(Clone, Copy)]
struct Landmark {
    word: &'static str,
    fold: bool,
    look: Look,
}

/// Words in any case, by what is looked for at them.
#[rustfmt::skip]
const ANY_CASE: &[Row<Look>] = &[
    (Look::One(token::bearer), &["bearer "]),
    (Look::Name, &[
        "passw", "phrase", "passcode", "_pass", "pw ", "creds:", "_creds ", "_creds=", "bearer:", "bearer=", "pw:", "pw=",
        "seed phrase", "recovery phrase", "pwd", "psw", "secret", "token", "key", "credential", "auth", "cookie",
        "jwt", "psk", "jsessionid", "phpsessid", "connect.sid", "sig=", "\"sig\"", "signature", "mnemonic",
        "sonar.login",
    ]),
    (Look::One(neighbour::behind_sign_in), &[
        "log in as ", "login with ", "connecting as ", "log in with ", "ugangsdaten:", "dentifiants", "redenciales:", "redenziali:",
        "redenciais:", "sign in as ", "login: ",
    ]),
    (Look::One(credentials::identified), &["identified "]),
    (Look::Foreign, IN_OTHER_LANGUAGES),
    (Look::One(neighbour::beside_mail), MAILS),
];

/// The same of words in this case only.
#[rustfmt::skip]
const EXACT: &[Row<Look>] = &[
    (Look::One(token::web_token), &["eyJ"]),
    (Look::Cut, &["characters truncated]"]),
    (Look::List, &["['", "[\"", "'-", "\"-", "ommand\": [", "args\": [", "Cmd\": [", "ommand:\n", "args:\n", "KEY-----\" +", "\\\n"]),
    (Look::Name, &[
        "Pass", "pass:", "pass=", "pass\"", "SSHPASS", "_SALT", "_API=", "totp\":", "pass ", "pw\"", "pw'",
        "pass'", "pass]", "_PAT", "_TOK", "PASS=", "PASS =", "_pat:", "_pat=", "pass>", "BW_SESSION",
    ]),
    // `htpas`, without the letters that a name of a secret is found by: who comes first is looked at.
    (Look::Program, &[
        "put-parameter", "keyvault", "nuget", "gem push", "influx", "security ", "rar ", "http -", "certutil",
        "oathtool", "curl", "mysql", "mariadb", "sshpass", "login", "redis-cli", "ldap", "sqlcmd", "bcp ", "unzip",
        "zip -", "7z", "ssh-keygen", "htpas", "openssl", "/add", "useradd", "usermod", "rabbitmqctl", "gh secret",
        "lftp", "snmp", "freerdp", "etcdctl", "mongo", "supabase", "db2 ", "hdbuserstore", "slapp", "kadmin", "dscl ", "steghide", "nxc ", "netexec", "odoo", "pdftk", "neo4j-admin", "dig ", "p4 -",
        "hatch ", "quitto_pas", "mkpas", "doveadm", "ipmitool", "hydra", "beeline", "ab -", "transmission-remote", "schtasks", "signtool", "codecov", "frpc ", "--plaintext", "xh ", "net use", "nsupdate",
    ]),
    (Look::Own(neighbour::answer_to_mail), &["UGFzc3dvcmQ6"]),
    (Look::Own(neighbour::value_near), &["\"SecureString\"", "\"keyName\"", "\"special\":", "\"name\": \"session"]),
    (Look::Several(neighbour::section_values), &["[admins]", "[users]", "[credentials]", "secrets:\n", "credentials:\n", "chpasswd:\n", "[passwords]"]),
    (Look::Several(neighbour::shown_secrets_below), &["\n$ ", "~$ ", "~# ", "~ % ", "cat ", "type ", "head -", "tail -", "Get-Content ", "==> "]),
    (Look::From(credentials::address), &[":pserver:", "://", ":\\/\\/"]),
    (Look::Several(neighbour::recovery_codes), &["scratch code", "covery code", "ackup code", "covery key"]),
    (Look::From(token::around), &["AZDO", ".atlasv1."]),
    (Look::Own(credentials::beside_user), &[
        "--value ", "--data ", "-r ", "-p ", "-P ", "-U ", "-ap ", "-xp ", "-w ", "-k ", "-K ", "-t ",
    ]),
    (Look::From(token::bot_token), &[":AA"]),
    (Look::From(private_key::at), &["-----BEGIN", "-----END", "---- BEGIN "]),
    (Look::One(manifest::of_lines), &["Private-Lines: "]),
    (Look::Document(manifest::of_manifest), &["kind: Secret", "\"kind\": \"Secret\"", "\"kind\":\"Secret\""]),
    (Look::Document(manifest::of_web_key), &["\"kty\""]),
    (Look::From(credentials::go_address), &["@tcp(", "@unix("]),
    (Look::From(credentials::password_line), &[":5432:", ":5433:", ":6432:", ":*:"]),
    (Look::One(credentials::literal), &["--from-literal"]),
    (Look::From(credentials::piped_text), &["| ConvertTo-Secure"]),
    (Look::From(token::of_data_centre), &["-us"]),
    (Look::Own(credentials::fed), &["echo ", "printf "]),
    (Look::Own(credentials::here_document), &["<<"]),
    (Look::Own(credentials::on_the_wire), &["AUTH ", "PASS ", "send \"", "send -- \"", "sendline('", "sendline(\""]),
    (Look::One(token::basic), &["Basic "]),
    (Look::From(token::client_secret), &["8Q~", "7Q~"]),
    (Look::One(token::hashed), &["aad3b435b51404ee"]),
];

/// How addresses of mail go on behind their sign.
#[rustfmt::skip]
const MAILS: &[&str] = &[
    "@a", "@b", "@c", "@d", "@e", "@f", "@g", "@h", "@i", "@j", "@k", "@l", "@m", "@n", "@o", "@p", "@q", "@r", "@s", "@t",
    "@u", "@v", "@w", "@x", "@y", "@z", "@1",
];

static FOLDED: [(&str, Look); count_of(&[ANY_CASE])] = flat(&[ANY_CASE]);
static PLAIN: [(&str, Look); count_of(&[EXACT])] = flat(&[EXACT]);

const COUNT: usize = FAMILIES.len() + PLAIN.len() + BEHIND.len() + FOLDED.len();

/// All landmarks, those of one table behind those of another.
static LANDMARKS: [Landmark; COUNT] = {
    let mut all = [Landmark { word: "", fold: false, look: Look::Cut }; COUNT];
    let mut number = 0;
    while number < COUNT {
        let (words, behind) = (FAMILIES.len(), FAMILIES.len() + PLAIN.len());
        let folded = behind + BEHIND.len();
        let (word, look) = match number {
            _ if number < words => (FAMILIES[number].0, Look::Token(number)),
            _ if number < behind => PLAIN[number - words],
            _ if number < folded => (BEHIND[number - behind].0, Look::Behind(number - behind)),
            _ => FOLDED[number - folded],
        };
        all[number] = Landmark { word, fold: number >= folded, look };
        number += 1;
    }
    all
};

/// The words of all landmarks.
#[cfg(test)]
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    LANDMARKS.iter().map(|landmark| landmark.word)
}

/// The first letter of each.
static FIRSTS: [u8; COUNT] = {
    let mut table = [0; COUNT];
    let mut number = 0;
    while number < COUNT {
        table[number] = LANDMARKS[number].word.as_bytes()[0];
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
        let bytes = LANDMARKS[number].word.as_bytes();
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
        let Landmark { word, fold, .. } = LANDMARKS[number];
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
        let bytes = LANDMARKS[number].word.as_bytes();
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
    let bytes = LANDMARKS[number].word.as_bytes();
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
        let landmark = LANDMARKS.get(number)?;
        let (rest, word) = (bytes.get(start..)?, landmark.word.as_bytes());
        let found = if landmark.fold { goes_on_in_any_case(rest, 0, word) } else { rest.starts_with(word) };
        found.then_some((start, landmark.look))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever adds a landmark need not think of the tables: each is found wherever it stands.
    #[test]
    fn every_landmark_is_found_wherever_it_stands() {
        for Landmark { word, fold, .. } in LANDMARKS {
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
