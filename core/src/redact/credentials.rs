//! Credentials in URLs, connection strings and on command lines.

use super::Secret;
use super::bytes::{
    JUDGED, count, goes_on, is_blank, is_quote, is_visible, is_word, judged_end, mixes_digits, part, run_end, run_start,
};
use super::name::Named;
use super::neighbour::names_secret_file;
use super::table::Row;
use super::value::{self, SecretValue};
use crate::programs::{self, Trait};

/// How a program takes a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// As the next argument: `-p password`.
    Next,
    /// In the flag itself: `-ppassword`.
    Within,
    /// Behind the user: `-u user:password`.
    AfterUser,
    /// Behind a word of openssl: `pass:password`.
    AfterPass,
    /// As its last argument, where this flag or word is among the others.
    Last,
}

/// Flags that carry secrets, and how the programs' names begin that have them. Elsewhere the same letters mean something else.
#[rustfmt::skip]
const PROGRAMS: &[Row<&[(&str, Takes)]>] = &[
    (&[
        ("-u", Takes::AfterUser), ("--user", Takes::AfterUser), ("-U", Takes::AfterUser),
        ("--proxy-user", Takes::AfterUser), ("--cert", Takes::AfterUser), ("-E", Takes::AfterUser),
        ("-b", Takes::AfterUser), ("--cookie", Takes::AfterUser),
    ], &["curl"]),
    (&[("-p", Takes::Within), ("password", Takes::Last)], &["mysqladmin"]),
    (&[("-p", Takes::Within)], &["mysql", "mariadb", "7z"]),
    (&[("-p", Takes::Next), ("-p", Takes::Within)], &["sshpass", "mongo"]),
    (&[("-p", Takes::Next)], &[
        "login", "useradd", "usermod", "certutil", "supabase", "doveadm", "hydra", "beeline", "steghide", "nxc", "netexec",
    ]),
    (&[("-a", Takes::Next), ("auth", Takes::Last), ("AUTH", Takes::Last)], &["redis-cli"]),
    (&[("-s", Takes::Next), ("-a", Takes::Next), ("-w", Takes::Next)], &["ldappasswd", "slappasswd"]),
    (&[("-w", Takes::Next)], &["ldap", "kadmin", "odoo"]),
    (&[("user_pw", Takes::Next), ("owner_pw", Takes::Next)], &["pdftk"]),
    (&[("set-initial-password", Takes::Last)], &["neo4j-admin"]),
    (&[("-P", Takes::Next), ("-P", Takes::Within), ("password", Takes::Last)], &["ipmitool"]),
    (&[("-P", Takes::Next), ("-P", Takes::Within)], &["sqlcmd", "bcp", "unzip", "zip", "p4"]),
    (&[("using", Takes::Last)], &["db2"]),
    (&[("SET", Takes::Last)], &["hdbuserstore"]),
    (&[("-passwd", Takes::Last)], &["dscl"]),
    (&[("-m", Takes::Last)], &["mkpasswd"]),
    (&[("-a", Takes::Next)], &["hatch"]),
    (&[("-N", Takes::Next), ("-P", Takes::Next)], &["ssh-keygen"]),
    (&[("-b", Takes::Last)], &["htpasswd", "mosquitto_passwd"]),
    (&[
        ("-passin", Takes::AfterPass), ("-passout", Takes::AfterPass), ("-pass", Takes::AfterPass), ("-k", Takes::Next),
        ("-K", Takes::Next), ("passwd", Takes::Last),
    ], &["openssl"]),
    (&[("/add", Takes::Last), ("/ADD", Takes::Last), ("/user:", Takes::Last)], &["net"]),
    (&[("add_user", Takes::Last), ("change_password", Takes::Last), ("authenticate_user", Takes::Last)], &["rabbitmqctl"]),
    (&[("--body", Takes::Next), ("-b", Takes::Next), ("-b", Takes::Within), ("--value", Takes::Next)], &["secret"]),
    (&[("-b", Takes::Last), ("--totp", Takes::Last), ("--hotp", Takes::Last)], &["oathtool"]),
    (&[("-u", Takes::AfterUser)], &["lftp"]),
    (&[("--user", Takes::AfterUser)], &["etcdctl"]),
    (&[("-A", Takes::AfterUser)], &["ab"]),
    (&[("-n", Takes::AfterUser)], &["transmission-remote"]),
    (&[("-A", Takes::Next), ("-X", Takes::Next), ("-c", Takes::Next)], &["snmp"]),
    (&[("/p:", Takes::Within)], &["xfreerdp", "wfreerdp"]),
    (&[("--value", Takes::Next)], &["put-parameter", "keyvault"]),
    (&[("-k", Takes::Next), ("--api-key", Takes::Next), ("-p", Takes::Next)], &["nuget"]),
    (&[("--key", Takes::Next)], &["gem"]),
    (&[("-t", Takes::Next)], &["influx", "codecov", "frpc"]),
    (&[("-w", Takes::Next), ("-p", Takes::Next), ("-k", Takes::Next), ("-P", Takes::Next)], &["security"]),
    (&[("-hp", Takes::Within), ("-p", Takes::Within)], &["rar", "unrar"]),
    (&[("-a", Takes::AfterUser), ("--auth", Takes::AfterUser)], &["http"]),
    (&[("-a", Takes::Next), ("--auth", Takes::Next)], &["xh"]),
    (&[("/rp", Takes::Next)], &["schtasks"]),
    (&[("/p", Takes::Next)], &["signtool"]),
    (&[("--plaintext", Takes::Next)], &["caddy"]),
    (&[("-y", Takes::AfterUser)], &["nsupdate", "dig"]),
];

/// Names that others begin with.
const SHORT: &[&str] = &["http", "rar", "gem", "xh", "net", "ab", "p4", "db2", "dig", "dscl"];

/// The flags that carry secrets of the program that this word calls.
fn secret_flags(word: &[u8]) -> Option<&'static [(&'static str, Takes)]> {
    let mut names = word.rsplit(|byte| !is_word(*byte) && !matches!(byte, b'-' | b'.'));
    let name = names.find(|name| !name.is_empty())?;
    // A short name is the whole one: `http`, and not `http-server`.
    let is_it = |known: &str| {
        name.starts_with(known.as_bytes())
            && name.len() < known.len() + 8
            && (known.len() > 4 || name.len() == known.len() || !SHORT.contains(&known))
    };
    PROGRAMS.iter().find(|(_, names)| names.iter().any(|known| is_it(known))).map(|(flags, _)| *flags)
}

/// Where a command line ends: at the first line's end without a backslash before it.
fn command_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        end = run_end(bytes, end, |byte| byte != b'\n');
        if !part(bytes, at, end).ends_with(b"\\") || end >= bytes.len() {
            return end;
        }
        end += 1;
    }
}

/// The secrets on the command line that names a program at `at`. Returns where that line ends.
pub(super) fn on_command_line(bytes: &[u8], at: usize, floor: usize, found: &mut Vec<Secret>) -> usize {
    let end = command_end(bytes, at);
    let line = part(bytes, 0, end);
    let mut program = None;
    let mut next = run_start(bytes, at, floor.max(at.saturating_sub(JUDGED)), |byte| byte != b'\n');
    let mut last = None;
    let mut marked = false;
    while let Some((start, stop)) = argument(line, next) {
        next = stop;
        let word = part(line, start, stop);
        let divides = matches!(word, b"|" | b"||" | b"&&" | b";" | b"&");
        if (divides || stop >= end) && marked {
            let final_word = if divides { last } else { Some((start, stop)) };
            found
                .extend(final_word.and_then(|(start, stop)| argument_secret(line, quote_start(line, start, stop, at))));
        }
        if divides {
            (program, marked) = (None, false);
            continue;
        }
        if let Some(flags) = secret_flags(word).filter(|_| !word.starts_with(b"-") && !is_switch(word)) {
            program = Some(flags);
            continue;
        }
        let Some(flags) = program else { continue };
        let start = start
            + usize::from(word.first().is_some_and(|byte| is_quote(*byte)) && matches!(word.get(1), Some(b'/' | b'-')));
        // `$(openssl passwd -6 X)`
        let ends_substitution = marked && word.contains(&b')') && !word.contains(&b'(');
        if ends_substitution {
            let close = run_end(line, start, |byte| byte != b')');
            found.extend(
                argument_secret(line, quote_start(line, start, close, at))
                    .map(|secret| Secret { end: secret.end.min(close), ..secret }),
            );
        }
        // "htpasswd -b f ann X" in a text: the mark behind it closes what is around the whole command.
        let close = word.last().copied().filter(|last| is_quote(*last) && word.first() != Some(last));
        let ends_text = marked && close.is_some_and(|quote| !part(line, at, start).contains(&quote));
        if ends_text {
            found.extend(argument_secret(line, start));
        }
        let closes = word.last() == Some(&b';') || ends_substitution || ends_text;
        for (flag, takes) in flags {
            let among = flag.len() == 2 && word.len() < 6 && word.iter().skip(1).all(u8::is_ascii_alphabetic);
            let is_in = among && word.starts_with(b"-") && word.contains(&flag.as_bytes()[1]);
            marked |= *takes == Takes::Last
                && (is_in
                    || word == flag.as_bytes()
                    || goes_on(word, flag.len(), b"=") && word.starts_with(flag.as_bytes()));
            found.extend(taken(line, (start, stop), flag, *takes, last));
        }
        if !word.starts_with(b"-") && !word.starts_with(b"/") {
            last = Some((start, stop));
        }
        marked &= !closes;
    }
    end
}

/// `/create`, as programs of Windows take their options.
fn is_switch(word: &[u8]) -> bool {
    word.starts_with(b"/") && !part(word, 1, word.len()).contains(&b'/')
}

/// The next word of a line. Blanks divide within quotation marks, too, as they may be around the whole command.
fn argument(line: &[u8], from: usize) -> Option<(usize, usize)> {
    let start = run_end(line, from, |byte| !is_visible(byte) || byte == b'\\');
    line.get(start)?;
    Some((start, run_end(line, start, is_visible)))
}

/// The next word of the call that goes on at `from`: none behind a line's end without a backslash before it.
pub(super) fn argument_on_line(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut start = from;
    loop {
        match bytes.get(start)? {
            b'\n' if !part(bytes, 0, start).ends_with(b"\\") => return None,
            byte if is_visible(*byte) && *byte != b'\\' => return Some((start, judged_end(bytes, start, is_visible))),
            _ => start += 1,
        }
    }
}

fn taken(
    line: &[u8],
    (start, stop): (usize, usize),
    flag: &str,
    takes: Takes,
    last: Option<(usize, usize)>,
) -> Option<Secret> {
    let word = part(line, start, stop);
    let flag = flag_in(word, flag, takes)?;
    let own = part(word, flag.len(), word.len());
    // `'-u', 'ann:X'`
    let own = if own.iter().all(|byte| is_quote(*byte) || *byte == b',') { &[] } else { own };
    let next = || argument(line, stop).filter(|_| own.is_empty()).map(|(start, _)| start);
    match takes {
        Takes::Next if own.starts_with(b"=") && flag.starts_with(b"--") => {
            argument_secret(line, start + flag.len() + 1)
        }
        Takes::Next if !own.is_empty() && flag.len() == 2 => odd_argument(line, start + 2),
        Takes::Next => argument_secret(line, next()?),
        Takes::Within if own.is_empty() || own.starts_with(b"=") => None,
        Takes::Within => argument_secret(line, start + flag.len()),
        Takes::AfterUser => {
            let from = next().unwrap_or(start + flag.len());
            let user = from + usize::from(line.get(from).is_some_and(|byte| is_quote(*byte) || *byte == b'='));
            let colon = user_end(line, user);
            // The user's name may be an address of mail.
            let mail = judged_end(line, colon, |byte| is_visible(byte) && byte != b':' && byte != b'/');
            let colon = if goes_on(line, colon, b"@") && goes_on(line, mail, b":") { mail } else { colon };
            let sign = if goes_on(line, colon, b":") {
                colon
            } else {
                judged_end(line, user, |byte| is_visible(byte) && !matches!(byte, b'%' | b',' | b'='))
            };
            let secret = rest_of(
                line,
                sign + 1,
                if user > from { line.get(from).copied().filter(|byte| is_quote(*byte)) } else { None },
            );
            // `KEY:X`: a key in the user's place.
            let key = part(line, user, sign);
            if part(line, sign, sign + 3).trim_ascii_end().len() <= 2
                && goes_on(line, sign, b":")
                && value::is_dense(key)
            {
                return Some(Secret { start: user, end: sign, kind: "password" });
            }
            secret.filter(|_| matches!(line.get(sign), Some(b':' | b'%' | b',' | b'=')))
        }
        Takes::AfterPass => {
            let from = next()?;
            let from = from + usize::from(line.get(from).is_some_and(|byte| is_quote(*byte)));
            if !goes_on(line, from, b"pass:") {
                return None;
            }
            argument_secret(line, from + b"pass:".len())
        }
        // `net user NAME X /add`: what was before the flag.
        Takes::Last if flag.starts_with(b"/") => {
            let share = last.is_some_and(|(start, stop)| part(line, start, stop).contains(&b'\\'));
            let behind = if share { argument(line, stop) } else { None };
            if let Some((start, stop)) = behind {
                return argument_secret(line, start).filter(|_| value::is_odd(part(line, start, stop)));
            }
            let (start, stop) = last.filter(|_| !share)?;
            (stop > start).then(|| argument_secret(line, start))?
        }
        Takes::Last => None,
    }
}

/// The flag as a word of a call begins with it: itself, or the last of several letters, `-sSfu ann:X`.
fn flag_in<'w>(word: &'w [u8], flag: &str, takes: Takes) -> Option<&'w [u8]> {
    if word.starts_with(flag.as_bytes()) {
        return Some(part(word, 0, flag.len()));
    }
    let letters = run_end(word, 1, |byte| byte.is_ascii_alphabetic());
    let is_cluster =
        takes == Takes::AfterUser && flag.len() == 2 && word.starts_with(b"-") && (3..8).contains(&letters);
    let is_last =
        word.get(letters - 1) == flag.as_bytes().last() && word.get(letters).is_none_or(|byte| is_quote(*byte));
    (is_cluster && is_last).then(|| part(word, 0, letters))
}

/// The rest of an argument, up to the quotation mark around it.
fn rest_of(line: &[u8], start: usize, quote: Option<u8>) -> Option<Secret> {
    let end = match quote {
        Some(quote) => value::quoted_end(line, start, quote),
        None => run_end(line, start, |byte| is_visible(byte) && !is_quote(byte)),
    };
    let text = part(line, start, end);
    (!value::is_placeholder(text) && !value::is_plain(text)).then_some(Secret { start, end, kind: "password" })
}

pub(super) fn argument_secret(line: &[u8], start: usize) -> Option<Secret> {
    secret_argument(line, start, "password", |_| true)
}

/// The same where the argument may be an ordinary word.
pub(super) fn odd_argument(line: &[u8], start: usize) -> Option<Secret> {
    secret_argument(line, start, "password", |text| value::is_odd(text) || value::is_phrase(text))
}

/// Where an argument begins whose last word this is: `'some words of it'`.
fn quote_start(line: &[u8], start: usize, stop: usize, floor: usize) -> usize {
    let word = part(line, start, stop);
    let Some(quote) = word.last().copied().filter(|last| is_quote(*last) && word.first() != Some(last)) else {
        return start;
    };
    let before = part(line, floor.min(start), start);
    before.iter().rposition(|byte| *byte == quote).map_or(start, |at| floor.min(start) + at)
}

/// The password behind a flag whose name says it: `--password x`, on the next line where the line goes on.
pub(super) fn after_flag(bytes: &[u8], named: &Named<'_>) -> Option<Secret> {
    if !matches!(named.dashes, 1 | 2) || !bytes.get(named.end).is_some_and(|byte| is_blank(*byte)) {
        return None;
    }
    let mut start = run_end(bytes, named.end, is_blank);
    // In a usage text the option's meaning stands apart.
    if start > named.end + 2 && value::is_identifier(part(bytes, start, judged_end(bytes, start, is_visible))) {
        return None;
    }
    if goes_on(bytes, start, b"\\\n") {
        start = run_end(bytes, start + 2, is_blank);
    }
    // `ffmpeg -pass 1`
    let is_number = |text: &[u8]| text.len() < 4 && text.iter().all(u8::is_ascii_digit);
    let is_one = |text: &[u8]| !is_number(text) && (named.is_password() || !value::is_relative_path(text));
    secret_argument(bytes, start, named.row.kind, is_one)
}

/// Options that name the user of a call, and words of calls that sign in or up.
#[rustfmt::skip]
const OF_USER: &[&[u8]] = &[
    b"-u", b"-U", b"-l", b"-n", b"-x", b"-au", b"-xu", b"--user", b"--username", b"-user", b"-username", b"--login",
    b"login", b"auth", b"register", b"user", b"authenticate", b"/user",
];

/// The password behind an option of one letter, in a call that names its user: `-u ann -p X`, `register -r X`.
pub(super) fn beside_user(bytes: &[u8], at: usize) -> Option<Secret> {
    if !at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|before| is_blank(*before)) {
        return None;
    }
    let option = part(bytes, at, judged_end(bytes, at, is_visible));
    let is_one = |text: &[u8]| value::is_odd(text) || value::is_phrase(text) || value::is_chosen(text);
    let secret = secret_argument(bytes, run_end(bytes, at + option.len(), is_blank), "password", is_one)?;
    let text = part(bytes, secret.start, secret.end);
    // `-U ann%X`, as programs of Windows' shares take them.
    if option == b"-U" {
        let sign = text.iter().position(|byte| *byte == b'%').filter(|sign| *sign > 0 && text.len() > sign + 4)?;
        return Some(Secret { start: secret.start + sign + 1, ..secret });
    }
    if text.iter().any(|byte| matches!(byte, b'/' | b'=')) && !value::is_dense(text) {
        return None;
    }
    let of_password = matches!(option, b"-p" | b"-P" | b"-w");
    // `backup -p 'EngineLemon'`
    let is_shown = option == b"-p" && is_quote(bytes[secret.start - 1]) && value::is_humped_choice(text);
    let is_token = of_password || matches!(option, b"-k" | b"-t") && text.iter().any(u8::is_ascii_uppercase);
    if is_token && value::is_dense(text) || matches!(option, b"-ap" | b"-xp") || is_shown {
        return Some(secret);
    }
    let is_word = !(value::is_odd(text) || value::is_phrase(text));
    let in_call = |byte: u8| !matches!(byte, b'\n' | b';' | b'|' | b'&');
    let begin = run_start(bytes, at, at.saturating_sub(JUDGED), in_call);
    let call = part(bytes, begin, judged_end(bytes, at, in_call));
    let words: Vec<&[u8]> = call.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty()).collect();
    let sure = if option.starts_with(b"--") {
        matches!(option, b"--value" | b"--data")
            && words.iter().any(|word| word.windows(6).any(|part| matches!(part, b"secret" | b"sensit" | b"passwo")))
    } else {
        words.windows(2).enumerate().any(|(number, two)| {
            let elevates =
                number.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| *word == b"sudo");
            let names_user = || {
                of_password
                    && (two[0].ends_with(b"username")
                        || two[0].iter().all(|byte| matches!(byte, b'-' | b'u' | b'U' | b's' | b'e' | b'r')))
                    && two[1].first().is_some_and(u8::is_ascii_alphabetic)
                    && !two[1].iter().any(|byte| matches!(byte, b'/' | b':' | b'='))
                    && (two[1].contains(&b'@') || !two[1].contains(&b'.'))
            };
            !elevates
                && number > 0
                && OF_USER.contains(&two[0])
                && !two[1].starts_with(b"--")
                && (!is_word || names_user())
        })
    };
    sure.then_some(secret)
}

/// Words that follow a flag in a message about it.
const PROSE: &[&str] = &[
    "to", "is", "flag", "flags", "option", "options", "argument", "requires", "require", "must", "was", "and", "or",
    "for", "in", "with", "from", "not", "cannot", "can", "should", "has", "via", "on", "at", "of", "as", "value",
    "the", "a", "an", "if", "when", "found", "are", "be", "will", "expects", "needs", "string", "instead", "given",
    "missing",
];

pub(super) fn secret_argument(
    bytes: &[u8],
    start: usize,
    kind: &'static str,
    is_one: impl Fn(&[u8]) -> bool,
) -> Option<Secret> {
    let quote = bytes.get(start).copied().filter(|byte| is_quote(*byte));
    let start = start + usize::from(quote.is_some());
    let close = quote.unwrap_or(b' ');
    let class =
        |byte: u8| if quote.is_some() { byte != close && byte != b'\n' } else { is_visible(byte) && !is_quote(byte) };
    let text = part(bytes, start, judged_end(bytes, start, class));
    let prose =
        quote.is_none() && (PROSE.iter().any(|word| word.as_bytes() == text) || matches!(text, b"\\" | b"|" | b"|]"));
    let flag = text.starts_with(b"--")
        || (text.starts_with(b"-") && text.len() < 3)
        || text.starts_with(b"-") && quote.is_none() && value::is_identifier(part(text, 1, text.len()));
    // An expression in brackets goes on behind the blank.
    let opens = quote.is_none() && text.starts_with(b"(") && !text.contains(&b')');
    let secret = !prose
        && !flag
        && !opens
        && !value::is_placeholder(text)
        && !value::is_path(text)
        && !value::is_value_name(text)
        && is_one(text);
    secret.then(|| Secret { start, end: run_end(bytes, start, class), kind })
}

/// Words in the call of a program by which it reads a secret from its standard input.
#[rustfmt::skip]
const READS_SECRETS: &[&[u8]] = &[
    b"secret", b"token", b"passw", b"login", b"-stdin", b"auth", b"unlock", b"kinit", b"cryptsetup", b"passphrase",
    b"keyring", b"keepass", b"wallet", b"realm", b"vpn", b"load-key", b"kubeseal",
];
/// Whether a text is a secret as the input of a call: by what the call says, or as a token or a seed phrase.
fn takes_secret(call: &[u8], text: &[u8]) -> bool {
    const SEED: usize = 11;
    let call = call.trim_ascii_start();
    let name = part(call, 0, run_end(call, 0, is_visible));
    let is_told = value::is_dense(text) || count(text, b' ') >= SEED && value::is_phrase(text);
    reads_a_secret(call) || is_told && !shows_what_it_reads(name) && !name.is_empty()
}

/// Whether a call reads a secret from its standard input.
fn reads_a_secret(call: &[u8]) -> bool {
    let mut words = call.split(|byte| !is_visible(*byte)).filter(|word| !word.is_empty());
    let Some(first) = words.next() else { return false };
    let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or(first);
    let elevates = first == b"sudo" || words.clone().any(|word| word == b"sudo");
    let says = |word: &[u8]| {
        let small = word.to_ascii_lowercase();
        READS_SECRETS.iter().any(|known| small.windows(known.len()).any(|part| part == *known))
            || [word, &small].iter().any(|word| super::name::row_of(word).is_some())
    };
    (!shows_what_it_reads(name)
        || name == b"read"
        || elevates
        || words.clone().any(|word| matches!(word, b"login" | b"keyring")))
        && (elevates && words.clone().any(|word| word == b"-S")
            || matches!(name, b"pass" | b"su")
            || says(name)
            || words.any(says))
}

/// Whether a program shows, changes or runs what it reads, whatever its words say.
fn shows_what_it_reads(name: &[u8]) -> bool {
    const DO: &[Trait] = &[
        Trait::Looks,
        Trait::Shows,
        Trait::Filters,
        Trait::Shell,
        Trait::Interpreter,
        Trait::TakesCode,
        Trait::Prints,
        Trait::VersionControl,
        Trait::Displays,
    ];
    let known = std::str::from_utf8(name).ok().and_then(programs::find);
    name == b"tee" || name == b"xargs" || known.is_some_and(|known| DO.iter().any(|own| known.has(*own)))
}

/// Whether the option whose value a command is says that what the command prints is secret.
fn names_secret_before(bytes: &[u8], at: usize) -> bool {
    let open = run_start(bytes, at, at.saturating_sub(2), |byte| is_quote(byte) || matches!(byte, b'(' | b'<'));
    let end = run_start(bytes, open, open.saturating_sub(2), |byte| matches!(byte, b'=' | b' '));
    let name =
        part(bytes, run_start(bytes, end, end.saturating_sub(JUDGED), |byte| is_word(byte) || byte == b'-'), end);
    open < at
        && [&b"pass"[..], b"secret", b"token", b"private-key"]
            .iter()
            .any(|word| name.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word)))
}

/// The most words that are looked at before the pipe: what is written into it is a secret's few.
const FED_WORDS: usize = 12;

/// What a shell writes into such a program by a pipe: `echo X | kinit`.
pub(super) fn fed(bytes: &[u8], at: usize) -> Option<Secret> {
    let (mut next, mut last) = (judged_end(bytes, at, is_visible), None);
    for _ in 0..FED_WORDS {
        let start = run_end(bytes, next, |byte| is_blank(byte) || byte == b'\\');
        let word = *bytes.get(start)?;
        // `--password-command "echo X"`, `private-key <(echo X)`
        if last.is_some() && matches!(word, b')' | b'"' | b'\'') && names_secret_before(bytes, at) {
            return argument_secret(bytes, last?);
        }
        if word == b'|' {
            let behind = judged_end(bytes, start + 1, |byte| !matches!(byte, b'|' | b';' | b'&' | b'\n'));
            let secret = argument_secret(bytes, last?)?;
            return takes_secret(part(bytes, start + 1, behind), part(bytes, secret.start, secret.end))
                .then_some(secret);
        }
        // `echo X > auth.txt`
        if word == b'>' {
            let path = judged_end(bytes, start, |byte| matches!(byte, b'>' | b' '));
            let is_one = |text: &[u8]| value::is_odd(text) || value::is_phrase(text) || value::is_chosen(text);
            return names_secret_file(part(bytes, path, judged_end(bytes, path, is_visible)))
                .then(|| secret_argument(bytes, last?, "password", is_one))?;
        }
        let is_continued = word == b'\n' && bytes.get(start - 1) == Some(&b'\\');
        if matches!(word, b';' | b'&' | b')' | b'`') || word == b'\n' && !is_continued {
            return None;
        }
        let stop = if is_quote(word) {
            value::quoted_end(part(bytes, 0, bytes.len().min(start + JUDGED)), start + 1, word) + 1
        } else {
            judged_end(bytes, start, |byte| is_visible(byte) && !is_quote(byte) && !matches!(byte, b'|' | b';' | b')'))
        };
        let text = part(bytes, start, stop);
        // `printf '%s\n' X X | passwd ann`: each is taken, one a round.
        let is_taken = goes_on(bytes, at, b"printf")
            && (text.starts_with(b"[redacted:") || text.contains(&b'%'))
            && last.is_some();
        if !(is_continued || is_taken || text.starts_with(b"-") && text.len() < 4) {
            last = Some(start);
        }
        next = stop.max(start + 1);
    }
    None
}

/// `'X' | ConvertTo-SecureString`: the text before the pipe.
pub(super) fn piped_text(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let end = run_start(bytes, at, floor, is_blank).checked_sub(1)?;
    let quote = bytes.get(end).copied().filter(|byte| is_quote(*byte))?;
    let start = run_start(bytes, end, floor.max(end.saturating_sub(JUDGED)), |byte| byte != quote && byte != b'\n');
    let is_open = start > 0 && bytes.get(start - 1) == Some(&quote);
    (is_open && !value::is_placeholder(part(bytes, start, end))).then_some(Secret { start, end, kind: "password" })
}

/// What a here-document or here-string gives to such a program.
pub(super) fn here_document(bytes: &[u8], at: usize) -> Option<Secret> {
    if at.checked_sub(1).is_some_and(|before| bytes.get(before) == Some(&b'<')) {
        return None;
    }
    let secret = if goes_on(bytes, at, b"<<<") {
        argument_secret(bytes, run_end(bytes, at + 3, is_blank))?
    } else {
        let mark = run_end(bytes, at + 2, |byte| is_blank(byte) || is_quote(byte) || byte == b'-');
        let mark = part(bytes, mark, judged_end(bytes, mark, is_word));
        let start = judged_end(bytes, at, |byte| byte != b'\n') + 1;
        if mark.is_empty() || !goes_on(bytes, start - 1, b"\n") {
            return None;
        }
        let end = judged_end(bytes, start, |byte| byte != b'\n');
        let text = part(bytes, start, end);
        // A new password is typed twice.
        let twice = end + 1 + text.len();
        let is_twice = goes_on(bytes, end + 1, text) && goes_on(bytes, twice, b"\n");
        let end = if is_twice { twice } else { end };
        if !goes_on(bytes, end + 1, mark) || text.is_empty() || value::is_placeholder(text) {
            return None;
        }
        Secret { start, end, kind: "password" }
    };
    let begin = run_start(bytes, at, at.saturating_sub(JUDGED), |byte| !matches!(byte, b'\n' | b';' | b'|' | b'&'));
    takes_secret(part(bytes, begin, at), part(bytes, secret.start, secret.end)).then_some(secret)
}

/// A line of a protocol that signs in: `AUTH X\r\n`, and what a script types where it was asked: `send "X\r"`.
pub(super) fn on_the_wire(bytes: &[u8], at: usize) -> Option<Secret> {
    let is_typed = goes_on(bytes, at, b"send");
    if !is_typed && let Some(told) = told_in_clear(bytes, at) {
        return Some(told);
    }
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let asked = || {
        part(bytes, at.saturating_sub(JUDGED), at)
            .windows(6)
            .any(|six| six.eq_ignore_ascii_case(b"assword"[..6].as_ref()))
    };
    if if is_typed { !asked() } else { before.is_some_and(|byte| !is_quote(byte) && byte != b'\n' && byte != b' ') } {
        return None;
    }
    let from = if is_typed { run_end(bytes, at, |byte| !is_quote(byte)) + 1 } else { at + 5 };
    let end = judged_end(bytes, from, |byte| !is_quote(byte) && !matches!(byte, b'\\' | b'\r' | b'\n'));
    let is_ended = goes_on(bytes, at, b"sendline")
        || goes_on(bytes, end, b"\\r")
        || goes_on(bytes, end, b"\r")
        || goes_on(bytes, end, b"\\\\r")
        || [&b"\n-ERR"[..], b"\n-WRONG", b"\n-NOAUTH", b"\n+OK"].iter().any(|answer| goes_on(bytes, end, answer));
    let last = || part(bytes, from, end).iter().rposition(|byte| *byte == b' ').map_or(0, |blank| blank + 1);
    let is_whole = is_typed && value::is_chosen(part(bytes, from, end));
    let start = from + if is_whole { 0 } else { last() };
    let text = part(bytes, start, end);
    (is_ended && text.len() >= 4 && !value::is_placeholder(text)).then_some(Secret { start, end, kind: "password" })
}

/// `AUTH PLAIN X`, and `PASS X` below `USER ops`: what protocols of mail and files sign in by.
fn told_in_clear(bytes: &[u8], at: usize) -> Option<Secret> {
    let line = at.checked_sub(1).is_none_or(|before| bytes.get(before) == Some(&b'\n'));
    let asked = part(bytes, at.saturating_sub(80), at);
    let typed = part(bytes, run_start(bytes, at, at.saturating_sub(80), |byte| byte != b'\n'), at);
    let start = if goes_on(bytes, at, b"AUTH PLAIN ") {
        at + b"AUTH PLAIN ".len()
    } else if goes_on(bytes, at, b"AUTH LOGIN\n") {
        // The user and the password, a line each, perhaps with the server's questions between.
        let near = part(bytes, 0, bytes.len().min(at + JUDGED));
        let mut line = at;
        for _ in 0..2 {
            line = run_end(near, line, |byte| byte != b'\n') + 1;
            line = if goes_on(near, line, b"334") { run_end(near, line, |byte| byte != b'\n') + 1 } else { line };
        }
        line
    } else if goes_on(bytes, at, b"AUTH ") && (typed.ends_with(b"> ") || typed.starts_with(b"redis-cli")) {
        let end = judged_end(bytes, at, |byte| byte != b'\n');
        run_start(bytes, run_start(bytes, end, at, is_blank), at, is_visible)
    } else if (line || typed == b"quote " || typed.ends_with(b"> "))
        && goes_on(bytes, at, b"PASS ")
        && [&b"USER "[..], b"331 "].iter().any(|word| asked.windows(word.len()).any(|part| part == *word))
    {
        at + b"PASS ".len()
    } else {
        return None;
    };
    let end = judged_end(bytes, start, is_visible);
    let text = part(bytes, start, end);
    let is_path = text.contains(&b'/') && !(text.len() >= 20 && mixes_digits(text));
    (text.len() >= 6 && !value::is_placeholder(text) && !is_path).then_some(Secret { start, end, kind: "password" })
}

/// `IDENTIFIED BY 'X'`, `IDENTIFIED WITH plugin BY 'X'`, `IDENTIFIED BY X`.
pub(super) fn identified(bytes: &[u8], at: usize) -> Option<Secret> {
    let near = part(bytes, at, bytes.len().min(at + 96));
    let is_by = |word: &[u8]| word[..3].eq_ignore_ascii_case(b" by") && word[3].is_ascii_whitespace();
    let by = near.windows(4).position(is_by)?;
    let start = run_end(bytes, at + by + 4, |byte| byte.is_ascii_whitespace());
    let start = start
        + if bytes.get(start..start + 9).is_some_and(|word| word.eq_ignore_ascii_case(b"PASSWORD ")) { 9 } else { 0 };
    let value = SecretValue::read(bytes, start);
    let text = value.text(bytes);
    let of_user =
        part(bytes, at.saturating_sub(48), at).windows(4).any(|word| matches!(word, b"USER" | b"LINK" | b"ROLE"));
    let prose = value.quote == Some(b'`')
        || value.quote.is_none()
            && !of_user
            && (!part(bytes, at, start).contains(&b'B')
                || value::is_identifier(text) && text.iter().all(u8::is_ascii_lowercase));
    let name = part(bytes, at, at + by).split(|byte| *byte == b' ').count() > 3;
    (!prose && !name && !value::is_placeholder(text)).then(|| Secret {
        start: value.start,
        end: value.whole_end(bytes),
        kind: "password",
    })
}

/// `--from-literal=name=X`.
pub(super) fn literal(bytes: &[u8], at: usize) -> Option<Secret> {
    let from = at + b"--from-literal".len() + 1;
    let from = from + usize::from(bytes.get(from).is_some_and(|byte| is_quote(*byte)));
    let sign = judged_end(bytes, from, |byte| is_word(byte) || matches!(byte, b'-' | b'.'));
    if !goes_on(bytes, sign, b"=") {
        return None;
    }
    let around = bytes.get(from - 1).copied().filter(|byte| is_quote(*byte));
    let value = if around.is_some() {
        SecretValue { start: sign + 1, end: value::quoted_end(bytes, sign + 1, around?), quote: around }
    } else {
        SecretValue::read(bytes, sign + 1)
    };
    let text = value.text(bytes);
    (!value::is_placeholder(text)).then(|| Secret { start: value.start, end: value.whole_end(bytes), kind: "secret" })
}

/// `user:password@tcp(host)` of Go, by its `@`.
pub(super) fn go_address(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let begin = run_start(bytes, at, floor.max(at.saturating_sub(JUDGED)), |byte| is_visible(byte) && !is_quote(byte));
    let colon = begin + part(bytes, begin, at).iter().position(|byte| *byte == b':')?;
    let text = part(bytes, colon + 1, at);
    // Of a very long run only the end is seen at first: what was taken out of it stays as it is.
    let is_told = text.ends_with(b"]")
        && text.iter().rposition(|byte| *byte == b'[').is_some_and(|mark| goes_on(text, mark, b"[redacted:"));
    (!value::is_placeholder(text) && !is_told).then_some(Secret {
        start: colon + 1,
        end: at,
        kind: "connection_string",
    })
}

/// `host:port:database:user:password`, by the port.
pub(super) fn password_line(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    let begin = run_start(bytes, at, floor.max(at.saturating_sub(JUDGED)), |byte| is_visible(byte) && !is_quote(byte));
    let host = part(bytes, begin, at);
    let near = part(bytes, 0, bytes.len().min(at + JUDGED));
    let is_field = |byte: u8| is_visible(byte) && !is_quote(byte) && byte != b':';
    let database = run_end(near, at + 1, is_field) + 1;
    let user = run_end(near, database, is_field);
    let password = run_end(near, user + 1, is_field);
    let fields = host.iter().all(|byte| is_word(*byte) || matches!(byte, b'.' | b'-' | b'*'))
        && !host.is_empty()
        && user > database
        && part(bytes, user + 1, password).iter().any(u8::is_ascii_alphabetic)
        && goes_on(bytes, user, b":")
        && goes_on(bytes, password, b":");
    if !fields {
        return None;
    }
    let start = password + 1;
    let end = run_end(bytes, start, |byte| is_visible(byte) && !is_quote(byte));
    let text = part(bytes, start, end);
    let ends = bytes.get(end).is_none_or(|byte| !is_blank(*byte));
    (ends && !value::is_placeholder(text)).then_some(Secret { start, end, kind: "password" })
}

/// Schemes of stores and brokers: their URLs are connection strings.
#[rustfmt::skip]
const STORES: &[&str] = &[
    "postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "redis", "rediss", "amqp", "amqps", "mssql",
    "sqlserver", "clickhouse", "cockroachdb", "jdbc", "nats", "kafka", "ldap", "ldaps", "smtp", "smtps", "couchdb",
];

/// `scheme://user:password@host`, or a token in place of the user. `slashes` are how the address goes on: `//`, `\/\/`.
pub(super) fn address(bytes: &[u8], colon: usize, floor: usize) -> Option<Secret> {
    // `:pserver:ann:X@host`, `:\/\/`
    let is_cvs = goes_on(bytes, colon, b":pserver:");
    let bytes = if is_cvs { part(bytes, 0, bytes.len().min(colon + JUDGED)) } else { bytes };
    let start = colon + if goes_on(bytes, colon, b"://") { 3 } else { 5 + if is_cvs { 4 } else { 0 } };
    // A password may hold what would end the host.
    let place = |end: usize| part(bytes, start, end).iter().rposition(|byte| *byte == b'@');
    let end = run_end(bytes, start, is_authority);
    let whole = || {
        let end = judged_end(bytes, start, |byte| is_authority(byte) || matches!(byte, b'#' | b'?'));
        part(bytes, start, end).contains(&b':').then(|| place(end))?
    };
    let host = start + place(end).or_else(whole)?;
    let user = user_end(bytes, start);
    let secret = if user < host { (user + 1, host) } else { (start, host) };
    let value = part(bytes, secret.0, secret.1);
    let alone = user >= host && (value.len() < 20 || !mixes_digits(value));
    if alone || value::is_placeholder(value) || value::is_value_name(value) {
        return None;
    }
    let from = floor.max(colon.saturating_sub(32));
    let scheme = part(bytes, run_start(bytes, colon, from, |byte| is_word(byte) || byte == b'+'), colon);
    let store = STORES.iter().any(|store| scheme.eq_ignore_ascii_case(store.as_bytes()));
    Some(Secret { start: secret.0, end: secret.1, kind: if store { "connection_string" } else { "url_credentials" } })
}

/// Where the user before a `:` or `@` ends. A mark in place of the user holds a colon of its own.
fn user_end(bytes: &[u8], start: usize) -> usize {
    let is_user = |byte| is_visible(byte) && !is_quote(byte) && !matches!(byte, b':' | b'@');
    let mut end = start;
    loop {
        end = run_end(bytes, end, is_user);
        if !part(bytes, start, end).ends_with(b"[redacted") || !goes_on(bytes, end, b":") {
            return end;
        }
        end += 1;
    }
}

fn is_authority(byte: u8) -> bool {
    is_visible(byte) && !is_quote(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'<' | b'>' | b'\\' | b';')
}
