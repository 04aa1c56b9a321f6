//! Words behind which a secret stands in its place: `vault login X`, `mc alias set NAME URL USER X`, `new PDO(URL, USER, X)`.

use super::Secret;
use super::bytes::{
    JUDGED, count, goes_on, is_base64, is_quote, is_visible, is_word, judged_end, mixes_digits, part, run_end,
    run_start,
};
use super::credentials::{argument_on_line, argument_secret, odd_argument, secret_argument};
use super::name::row_of;
use super::table::{Row, count_of, flat};
use super::value;

/// How a secret stands behind words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretPlace {
    /// As the argument of this number, options left out.
    Argument(usize),
    /// The same, whatever word it is: what is behind is always a secret.
    Chosen(usize),
    /// In each `name=X`.
    Pairs,
    /// The same, where it is long and of letters and digits.
    RandomPairs,
    /// Behind the sign `>` of a word.
    BehindSign,
    /// In a numbered list of keys: `(0) 0x...`.
    Listed,
    /// Behind the user and a slash: `user/X@place`.
    AfterSlash,
    /// Behind the user and a colon.
    AfterColon,
    /// Behind a word that is the name of one.
    BehindName,
    /// As the last text among the arguments of a call.
    LastText,
    /// As the argument of this number of a call, where that is a text.
    NumberedText(usize),
    /// As one of the first two arguments, where it is long and of letters and digits.
    Dense,
    /// As the last word of the bytes.
    Last,
    /// As the first text among the arguments of a call.
    Text,
    /// As the rest of an address, or of this part of it, where it is long and of letters and digits.
    Link,
    /// As four to eight digits.
    Code,
    /// As the parts of an address from the first that is random.
    Hook,
    /// As a long run of base64.
    Base64,
}

/// Words, each a landmark, and the place of the secret behind them.
#[rustfmt::skip]
const ROWS: &[Row<SecretPlace>] = &[
    (SecretPlace::Chosen(1), &[
        "requirepass ", "ConvertTo-SecureString ", "cargo login ", "vault login ", "snyk auth ", "bw unlock ",
        "rclone obscure ", "PRAGMA key = ", "snmp-server community ", "enable password ", "enable secret ",
        "rocommunity ", "rwcommunity ", "set passwd ", "set psksecret ", "server key ", "isakmp key ", "text-password-value ",
        "ascii-text ", " XAUTH ", " EAP ", "option key ", "-password password ", ";P:", "IDENTIFY ", "New value: ",
        "walletpassphrase ",
    ]),
    (SecretPlace::BehindSign, &["ACL SETUSER "]),
    (SecretPlace::Chosen(2), &["admins add ", "basic_auth ", "sp_addlogin ", "config set --secret ", "bw login ", "LOGIN ", "wpa_passphrase ", "Key Content  "]),
    (SecretPlace::Chosen(4), &["mc alias set ", "mc config host add "]),
    (SecretPlace::Chosen(3), &[
        "http-basic.", "createUser ", "com2sec ", "server host ", "SQLConnectInfo ", "isql ",
    ]),
    // Verbs of stores: whatever is in one of secrets, and what looks random where the name may be any.
    (SecretPlace::Pairs, &[
        "kv put ", "vault write ", "secrets set ", "secret set ", "secrets:set ", "secrets put ", "secrets add ",
        "secrets create ",
    ]),
    (SecretPlace::RandomPairs, &[
        "config:set ", "env:set ", "env set ", "variable set ", "variables set ", "variables --set ",
    ]),
    (SecretPlace::Dense, &[
        "publish -p ", "publish --pat ", "publish -t ", "credentials:edit --key ", "WebSocket-Protocol: ", "login ",
        "token revoke ", "nuget push ",
    ]),
    (SecretPlace::Argument(2), &[
        "CLIENT_RANDOM ", "TRAFFIC_SECRET ", "TRAFFIC_SECRET_0 ", "Unseal Key ",
        "user:password ", "+login ", "radtest ", "pypi-token.", "-oauth.", "\nuser ",
        "runas /",
    ]),
    (SecretPlace::Listed, &[") 0x"]),
    (SecretPlace::AfterSlash, &["sqlplus ", "sqlcl ", "rman target ", "expdp ", "impdp ", "microk8s join ", "oracle:thin:", "userid="]),
    (SecretPlace::BehindName, &["rclone config ", "nmcli "]),
    (SecretPlace::NumberedText(3), &["getConnection(", "onnect(", "new PDO(", "__construct(", "new mysqli(", "FTP(", "PlainAuth("]),
    (SecretPlace::NumberedText(1), &["crypt(", "SHA2(", "MD5("]),
    (SecretPlace::Argument(1), &[
        "unseal ", "encrypt_string ", "-hashes ", "IncomingWebhook/", "--encrypt ", "{PLAIN}", "--record --key ", "password ENC ", "-hmac ", "\" * ",
        "::add-mask::",
    ]),
    (SecretPlace::LastText, &[
        "login(", "Authentication(", "authenticate(", "Credentials::new(", "edential]::new(", "edential(", "login_user(",
        "eyStore.load(", "createHmac(", "pgp_sym_encrypt(", "pgp_sym_decrypt(",
        "AES_ENCRYPT(", "AES_DECRYPT(", "aes_encrypt(", "aes_decrypt(", "createUser(", "ks.load(",
    ]),
    (SecretPlace::AfterColon, &[
        "]:587 ", "]:465 ", "bundle config ", "-creds ", "-creds=", "--creds=", "--user ", "stats auth ", " login=", "\nuser=", "user = \"",
    ]),
    (SecretPlace::Argument(3), &["setairportnetwork "]),
    (SecretPlace::Base64, &["<D>", "encrypt\": \"", "encrypt = \"", "accounts: ['0x"]),
    (SecretPlace::Last, &["\"AUTH\" ", "reset-admin-password "]),
    (SecretPlace::Text, &["jwt.sign(", "jwt.verify(", "jwt.encode(", "cookieParser(", "Fernet(", "bcrypt.hash("]),
    (SecretPlace::Link, &[
        "sessionid=", "essionId=", "?code=", "&code=", "?t=", "&t=", "/reset/", "/invite/", "/invitation/", "/magic/",
        "/confirm/", "/confirm_email/", "/confirm-email/", "/verify/", "/activate/", "/unsubscribe/", "/key/",
    ]),
    (SecretPlace::Chosen(5), &["setcredentials "]),
    (SecretPlace::Code, &[
        "code is ", "code is: ", "code: ", "code = ", "PIN is ", "验证码是 ", "验证码：", "验证码: ", "PUK: ", "ne-time password: ", "PIN: ", "PIN=", "pin=", "otp=", "\"otp\":", "\"pin\":",
        "--token-code ", "--otp ", "--pin ",
    ]),
    (SecretPlace::Hook, &["webhook", "hooks/"]),
];

/// Each of them.
pub(super) static BEHIND: [(&str, SecretPlace); count_of(&[ROWS])] = flat(&[ROWS]);

/// The most words that are looked at.
const MOST_WORDS: usize = 12;

/// Whoever has such a link is let in by it: `/reset-password/X`, `/invite?t=X`. A UUID mostly names a thing only.
pub(super) fn link(bytes: &[u8], start: usize) -> Option<Secret> {
    const SHORTEST: usize = 20;
    const HASH: usize = 32;
    // `?code=4/0A`
    let start = start + if goes_on(bytes, start, b"4/") { 2 } else { 0 };
    let end = judged_end(bytes, start, |byte| is_word(byte) || byte == b'-');
    let text = part(bytes, start, end);
    let has = |class: fn(&u8) -> bool| text.iter().any(class);
    let is_hex = text.len() >= HASH && text.iter().all(u8::is_ascii_hexdigit);
    let is_one = is_hex || text.len() >= SHORTEST && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    (is_one && mixes_digits(text)).then_some(Secret { start, end, kind: "link" })
}

fn is_uuid(word: &[u8]) -> bool {
    word.len() == 36 && count(word, b'-') == 4 && word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}

/// `(0) 0x` and the 64 digits of a private key.
fn listed_key(bytes: &[u8], at: usize, start: usize) -> Option<Secret> {
    let end = judged_end(bytes, start, |byte| byte.is_ascii_hexdigit());
    let before = part(bytes, at.saturating_sub(3), at);
    let is_numbered = before.last().is_some_and(u8::is_ascii_digit) && before.contains(&b'(');
    (is_numbered && end - start == 64).then_some(Secret { start: start - 2, end, kind: "private_key" })
}

/// A code that is typed once, or a number that opens something: `--otp=946584`, `PIN: 8893`.
fn code(bytes: &[u8], at: usize, from: usize) -> Option<Secret> {
    const CODES: &[&[u8]] =
        &[b"ication ", b"ne-time ", b"ecurity ", b"login ", b"PIN ", b"2FA ", b"OTP ", b"ccess ", b"airing "];
    let is_part = at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphabetic);
    let is_part = is_part && bytes.get(at).is_some_and(|byte| matches!(byte, b'p' | b'o' | b'P' | b'O'));
    let is_other = goes_on(bytes, at, b"code") && !CODES.iter().any(|word| part(bytes, 0, at).ends_with(word));
    let is_part = is_part || is_other;
    let start = judged_end(bytes, from, |byte| is_quote(byte) || byte == b' ');
    let end = judged_end(bytes, start, |byte| byte.is_ascii_digit());
    let goes_on_behind = goes_on(bytes, end, b".") && bytes.get(end + 1).is_some_and(|byte| is_word(*byte));
    let is_ended = !goes_on_behind && !bytes.get(end).is_some_and(|byte| is_word(*byte) || matches!(byte, b':' | b'-'));
    (!is_part && (4..=8).contains(&(end - start)) && is_ended).then_some(Secret { start, end, kind: "otp" })
}

/// `https://acme.webhook.office.com/webhookb2/X`: whoever has such an address may post there.
fn hook(bytes: &[u8], at: usize) -> Option<Secret> {
    let in_link = |byte: u8| is_visible(byte) && !is_quote(byte) && !matches!(byte, b'<' | b'>' | b')' | b'?' | b'#');
    let begin = run_start(bytes, at, at.saturating_sub(JUDGED), in_link);
    let end = judged_end(bytes, at, in_link);
    let is_random =
        |step: &[u8]| step.split(|byte| !byte.is_ascii_alphanumeric()).any(|run| run.len() >= 12 && mixes_digits(run));
    let is_address = part(bytes, begin, at).windows(3).any(|sign| sign == b"://");
    let mut start = at + part(bytes, at, end).iter().position(|byte| *byte == b'/').filter(|_| is_address)? + 1;
    while start < end {
        let next = run_end(part(bytes, 0, end), start, |byte| byte != b'/');
        if is_random(part(bytes, start, next)) {
            return Some(Secret { start, end, kind: "webhook" });
        }
        start = next + 1;
    }
    None
}

/// A text among the arguments of a call whose brackets open at `open`: with others before it, any that was chosen.
fn text_of_call(bytes: &[u8], place: SecretPlace, open: usize) -> Option<Secret> {
    if place == SecretPlace::NumberedText(1) {
        let is_one = |text: &[u8]| value::is_odd(text) || value::is_chosen(text);
        return bytes
            .get(open + 1)
            .filter(|byte| is_quote(**byte))
            .and_then(|_| secret_argument(bytes, open + 1, "password", is_one));
    }
    let arguments = super::neighbour::call_arguments(bytes, open)?;
    let number = if let SecretPlace::NumberedText(number) = place { number } else { arguments.len() };
    let value = (*arguments.get(number.checked_sub(1)?)?)?;
    let text = value.text(bytes);
    // What else connects things is called with their names, too.
    let is_login =
        number > 1 && (!goes_on(bytes, open - 6, b"onnect") || arguments.iter().take(number).all(Option::is_some));
    let is_one = value::is_odd(text) || is_login && value::is_chosen(text);
    (is_one && !value::is_placeholder(text)).then_some(Secret { start: value.start, end: value.end, kind: "password" })
}

/// The key in base64 that begins at `start`.
fn base64_key(bytes: &[u8], start: usize) -> Option<Secret> {
    let end = judged_end(bytes, start, is_base64);
    (end - start > 42 && mixes_digits(part(bytes, start, end))).then_some(Secret { start, end, kind: "private_key" })
}

/// The secrets behind the words of a row that begin at `at`.
pub(super) fn secrets_of(bytes: &[u8], row: usize, at: usize) -> Vec<Secret> {
    let mut found = Vec::new();
    let Some((words, place)) = BEHIND.get(row) else { return found };
    let (mut next, mut number) = (at + words.len(), 0);
    let one = match place {
        SecretPlace::Base64 => Some(base64_key(bytes, next)),
        SecretPlace::Link => Some(link(bytes, next)),
        SecretPlace::Listed => Some(listed_key(bytes, at, next)),
        SecretPlace::Hook => Some(hook(bytes, next - 1)),
        SecretPlace::Code => Some(code(bytes, at, next)),
        SecretPlace::LastText | SecretPlace::NumberedText(_) => Some(text_of_call(bytes, *place, next - 1)),
        _ => None,
    };
    if let Some(one) = one {
        return one.into_iter().collect();
    }
    let mut is_named = false;
    for _ in 0..MOST_WORDS {
        let Some((start, stop)) = argument_on_line(bytes, next) else { break };
        let quote = bytes.get(start).copied().filter(|byte| is_quote(*byte));
        let near = part(bytes, 0, bytes.len().min(start + JUDGED));
        let stop = quote.map_or(stop, |quote| stop.max(value::quoted_end(near, start + 1, quote) + 1).min(bytes.len()));
        next = stop;
        let word = part(bytes, start, stop);
        if matches!(word, b"|" | b"||" | b"&&" | b";" | b"&" | b">" | b"<" | b"#") {
            break;
        }
        if word.starts_with(b"-") {
            continue;
        }
        number += 1;
        match place {
            SecretPlace::Argument(wanted) if number == *wanted => {
                found.extend(odd_argument(bytes, start));
                break;
            }
            SecretPlace::Chosen(wanted) if number == *wanted => {
                // A call ends behind it, or goes on with options; a sentence goes on with words.
                let closes = word.len() > 1 && word.last().is_some_and(|last| is_quote(*last));
                let ends =
                    closes || argument_on_line(bytes, stop).is_none_or(|(next, _)| !bytes[next].is_ascii_lowercase());
                let may_be = |text: &[u8]| ends && (value::is_phrase(text) || value::is_chosen(text));
                found.extend(secret_argument(bytes, start, "password", |text| value::is_odd(text) || may_be(text)));
                break;
            }
            SecretPlace::BehindSign => {
                let sign = start + usize::from(is_quote(word[0]));
                let is_set = bytes.get(sign) == Some(&b'>') && (sign > start || word.len() > 2);
                let end = judged_end(bytes, sign, |byte| is_visible(byte) && !is_quote(byte));
                found.extend(is_set.then_some(Secret { start: sign + 1, end, kind: "password" }));
            }
            SecretPlace::Last if argument_on_line(bytes, stop).is_some() => {}
            SecretPlace::Last => found.extend(argument_secret(bytes, start)),
            SecretPlace::Text if !word.first().is_some_and(|byte| is_quote(*byte)) => {}
            SecretPlace::Text => {
                found.extend(odd_argument(bytes, start));
                break;
            }
            SecretPlace::Dense => {
                let is_one = value::is_dense(word) || is_uuid(word);
                found.extend(if is_one { argument_secret(bytes, start) } else { None });
                if is_one || number > 1 {
                    break;
                }
            }
            SecretPlace::Pairs | SecretPlace::RandomPairs => {
                let sign = word.iter().position(|byte| *byte == b'=');
                let is_any =
                    |text: &[u8]| *place == SecretPlace::Pairs && (value::is_odd(text) || value::is_chosen(text));
                let is_one = |text: &[u8]| value::is_dense(text) || is_any(text);
                found.extend(sign.and_then(|sign| secret_argument(bytes, start + sign + 1, "secret", is_one)));
            }
            SecretPlace::BehindName => {
                found.extend(if is_named { argument_secret(bytes, start) } else { None });
                is_named = !is_named && row_of(word).is_some();
            }
            SecretPlace::AfterColon => {
                let colon = word.iter().position(|byte| *byte == b':').filter(|colon| *colon > 0);
                let user = colon.map(|colon| part(word, usize::from(is_quote(word[0])), colon)).unwrap_or_default();
                let is_one = |text: &[u8]| {
                    value::is_odd(text)
                        || value::is_phrase(text)
                        || text.len() > 5 && text != user && value::is_chosen(text)
                };
                let start = colon.map(|colon| start + colon + 1);
                found.extend(start.and_then(|start| secret_argument(bytes, start, "password", is_one)));
                if colon.is_some() || number > 2 {
                    break;
                }
            }
            SecretPlace::AfterSlash => {
                let slash = word.iter().position(|byte| *byte == b'/').filter(|slash| *slash > 0);
                let end = start + word.iter().rposition(|byte| *byte == b'@').unwrap_or(word.len());
                let secret = slash.map(|slash| (start + slash + 1, end)).filter(|(from, end)| from < end);
                found.extend(secret.map(|(start, end)| Secret { start, end, kind: "password" }));
                break;
            }
            _ => {}
        }
    }
    found
}
