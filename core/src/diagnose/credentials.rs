//! Calls that lack a credential, hold one that is no longer good, lack a right, or show a secret.

use crate::model::Category;
use crate::programs::Trait;

use super::Mode as M;
use super::facts::{CallFacts, has_word};
use super::row::{ModeRow, Seen, When, failed, finds, means, passed};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::CredentialScope, 95, K::ScopeMissing),
    finds(M::CredentialExpiry, 96, K::AuthExpired),
    finds(M::HeadlessAuth, 97, K::TokenUnset),
    finds(M::AuthSecrets, 96, K::SecretOnLine),
    // It was good and is not any more.
    failed(M::CredentialExpiry, 94, refused_after_success),
    failed(M::CredentialExpiry, 87, refusal),
    // It was never there.
    finds(M::HeadlessAuth, 93, K::AuthMissing).only(|facts| !facts.displays() && !is_wrong_key(facts)),
    failed(M::HeadlessAuth, 91, refused_before_any_success),
    failed(M::HeadlessAuth, 88, lacks_login).last(),
    // Too little to be a match: worth a question.
    means(M::CredentialScope, 50, &[Category::PermissionDenied]),
    means(M::CredentialExpiry, 45, &[Category::AuthRequired]),
    // It is shown.
    failed(M::DebugSecretLeakage, 99, shown_by_debugging).when(When::Either),
    failed(M::AuthSecrets, 94, shows_secret).when(When::Either),
    passed(M::AuthSecrets, 92, shows_private_key),
];

/// What a status, or the words of one, say of a credential.
fn refusal(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.displays() || !is_no_code(facts) { None } else { facts.finding(K::AccessRefused) }
}

/// Whether no test or compiler speaks.
fn is_no_code(facts: &CallFacts<'_>) -> bool {
    !facts.is_of(&[Category::TestFailure, Category::CompileError])
}

fn refused_after_success(facts: &CallFacts<'_>) -> Option<Seen> {
    let program = facts.program();
    if !facts.past.has_passed(program) {
        return None;
    }
    let seen = refusal(facts).or_else(|| facts.finding(K::AuthMissing))?;
    Some(Seen { words: Some(format!("`{program}` passed earlier in the trace")), ..seen })
}

/// A status that refuses, in a trace in which the program never passed.
fn refused_before_any_success(facts: &CallFacts<'_>) -> Option<Seen> {
    let is_first = facts.past.calls > 0 && !facts.past.has_passed(facts.program());
    refusal(facts).filter(|_| is_first)
}

/// What a login is made with: without one of these, whoever is kept out may lack a right, or be another user.
const OF_LOGIN: &[&str] = &[
    "password",
    "passphrase",
    "token",
    "credential",
    "api key",
    "api_key",
    "apikey",
    "secret",
    "login",
    "logged in",
    "sign in",
    "signed in",
    "auth",
    "username",
    "session",
    "account",
    "401",
    "publickey",
];

/// Whether a password or key was given and opens nothing: another one is needed, and nobody to sign in.
fn is_wrong_key(facts: &CallFacts<'_>) -> bool {
    const WRONG: &[&str] = &[
        "wrong pass",
        "incorrect pass",
        "invalid pass",
        "bad pass",
        "no key found",
        "no identity matched",
        "bad decrypt",
        "decryption failed",
    ];
    facts.line_with(WRONG).is_some()
}

fn lacks_login(facts: &CallFacts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::AuthRequired)?;
    let line = reading.line.as_deref()?;
    let lower = line.to_ascii_lowercase();
    (!is_wrong_key(facts) && OF_LOGIN.iter().any(|noun| lower.contains(noun)))
        .then(|| Seen::line(super::arguments::stream_of(facts, line), line))
}

/// Options that make a program tell more.
const TELLING: &[&str] = &[
    "-v",
    "-vv",
    "-vvv",
    "--verbose",
    "--debug",
    "--trace",
    "-x",
    "--trace-ascii",
    "-d",
    "--log-level",
    "-vvvv",
    "--log-http",
    "--print-headers",
];

fn shown_by_debugging(facts: &CallFacts<'_>) -> Option<Seen> {
    let tells = facts.has_word(TELLING)
        || facts.call.command().is_some_and(|command| {
            command.contains("set -x")
                || command.contains("DEBUG=")
                || command.contains("TRACE=")
                || command.contains("--verbose")
        })
        || facts.command().is_some_and(|command| command.is(Trait::Shell) && command.has_letter('x'))
        || facts.secret_line().is_some_and(|(_, line)| line.starts_with("+ "));
    let (stream, line) = facts.secret_line().filter(|_| tells)?;
    Some(Seen { words: Some("diagnostics were switched on".to_owned()), line: Some((stream, line.to_owned())) })
}

/// A private key on standard output: it stays in the log of the session.
fn shows_private_key(facts: &CallFacts<'_>) -> Option<Seen> {
    let begins = |line: &str| line.starts_with("-----BEGIN ") && line.ends_with("PRIVATE KEY-----");
    // A search for keys shows their first lines alone.
    let body = facts.stdout().lines().skip_while(|line| !begins(line)).nth(1)?;
    let is_body = body.len() >= 32 && body.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    is_body.then(|| Seen::words("a private key was printed"))
}

fn shows_secret(facts: &CallFacts<'_>) -> Option<Seen> {
    if shown_by_debugging(facts).is_some() {
        return None;
    }
    // What the help calls an option's value is none.
    let of_usage =
        |line: &str| line.starts_with('[') && line.ends_with(']') && line.contains("--") && !line.contains('"');
    if let Some((stream, line)) = facts.secret_line().filter(|(_, line)| !facts.displays() && !of_usage(line)) {
        return Some(Seen::line(stream, line));
    }
    // A secret in the words of a call stands in the list of processes, too.
    let command = facts.command()?;
    let options = ["--password", "--token", "--api-key", "--secret", "--apikey", "--access-token", "--client-secret"];
    let literal = command
        .args
        .windows(2)
        .any(|pair| matches!(pair, [option, value] if options.contains(&option.as_str()) && is_literal(value)))
        || command.args.iter().any(|arg| {
            arg.split_once('=').is_some_and(|(option, value)| options.contains(&option) && is_literal(value))
        });
    let said = facts.line_with(&["token", "password", "credential", "secret", "api key"])?;
    (literal && has_word(command, &options) && !command.is(Trait::Looks)).then(|| Seen {
        words: Some("the command line contains a secret".to_owned()),
        line: Some((said.0, said.1.to_owned())),
    })
}

/// Whether a word is a secret itself and not the name of a variable that holds one.
fn is_literal(value: &str) -> bool {
    value.len() >= 8 && !value.starts_with('$') && !value.starts_with('-') && !value.contains("${")
}
