//! Calls that lack a credential, hold one that is no longer good, lack a right, or show a secret.

use crate::model::{Category, Stream};
use crate::programs::Trait;

use super::Mode as M;
use super::facts::{Facts, has_word};
use super::row::{Pattern, Row, Seen, When, failed, means, passed, patterns, says};

/// The rows.
pub(super) const ROWS: &[Row] = &[
    // A right is missing: the scope is named.
    says(M::CredentialScope, 96, "*^(resource not accessible by) "),
    says(M::CredentialScope, 95, "*^(missing required scope)"),
    says(M::CredentialScope, 95, "*^(required scopes)"),
    says(M::CredentialScope, 95, "*^(requires) * ^(scope)"),
    says(M::CredentialScope, 95, "*^(without) `{word}` ^(scope)"),
    says(M::CredentialScope, 95, "*^(is not authorized to perform)"),
    says(M::CredentialScope, 94, "*AccessDenied"),
    says(M::CredentialScope, 94, "*PERMISSION_DENIED"),
    says(M::CredentialScope, 93, "*^(you do not have permission)"),
    says(M::CredentialScope, 93, "*^(cannot) {word} ^(resource) \"{object}\" in API group"),
    says(M::CredentialScope, 92, "*^(refusing to allow) * ^(without) *^(scope)"),
    // It was good and is not any more.
    says(M::CredentialExpiry, 96, "*^(token) *^(expired)"),
    says(M::CredentialExpiry, 96, "*^(credential)*^(expired)"),
    says(M::CredentialExpiry, 96, "*ExpiredToken"),
    says(M::CredentialExpiry, 96, "*^(session) *^(expired)"),
    says(M::CredentialExpiry, 96, "*^(sso session) *^(expired)"),
    says(M::CredentialExpiry, 95, "*^(no longer valid)")
        .only(|facts| facts.line_with(&["token", "credential", "session", "key", "login"]).is_some()),
    says(M::CredentialExpiry, 94, "*^(re-authenticate)"),
    says(M::CredentialExpiry, 94, "*invalid_grant"),
    says(M::CredentialExpiry, 93, "*^(authentication failed)").only(|facts| facts.line_with(LOGIN_WORDS).is_none()),
    failed(M::CredentialExpiry, 94, refused_after_success),
    failed(M::CredentialExpiry, 87, refused_by_status),
    // It was never there.
    says(M::HeadlessAuth, 97, "*^(api_token) ^(environment variable)"),
    says(M::HeadlessAuth, 97, "*{setting} ^(environment variable for)")
        .only(|facts| facts.line_with(&["token", "api_key", "secret"]).is_some()),
    failed(M::HeadlessAuth, 93, wants_login),
    says(M::HeadlessAuth, 95, "*^(interactive login) *^(non) "),
    failed(M::HeadlessAuth, 91, refused_before_any_success),
    failed(M::HeadlessAuth, 88, lacks_login).last(),
    // Too little to be a match: worth a question.
    means(M::CredentialScope, 50, &[Category::PermissionDenied]),
    means(M::CredentialExpiry, 45, &[Category::AuthRequired]),
    // It is shown.
    failed(M::DebugSecretLeakage, 99, shown_by_debugging).when(When::Either),
    says(M::AuthSecrets, 96, "*^(via the CLI is insecure)"),
    failed(M::AuthSecrets, 94, shows_secret).when(When::Either),
    passed(M::AuthSecrets, 92, shows_private_key),
];

/// What is said where nobody has signed in.
const LOGIN_WORDS: &[&str] = &[
    "not logged in",
    "not authenticated",
    "not logged into",
    "please log in",
    "please login",
    "please sign in",
    "must be logged in",
    "you are not logged",
    "log in first",
    "login required",
    "need to log in",
    "need to login",
    "run: login",
    "run login",
    "no api key",
    "api key is required",
    "api key not found",
    "missing api key",
    "api key not set",
    "no credentials",
    "unable to locate credentials",
    "could not find credentials",
    "credentials not found",
    "no credential",
    "credentials could not be loaded",
    "missing credentials",
    "could not load credentials",
    "could not load the default credentials",
    "default credentials were not found",
    "no active account",
    "auth login",
    "auth token",
    "no token",
    "token not found",
    "token is required",
    "missing token",
    "could not read username",
    "could not read password",
    "terminal prompts disabled",
    "prompts have been disabled",
    "permission denied (publickey",
    "authentication required",
    "requires authentication",
    "auth_required",
    "not_authenticated",
    "unauthenticated",
    "awaiting authentication",
    "no auth token",
    "requires login",
    "need to be logged in",
    "needauth",
    "eneedauth",
    "to authenticate",
    "login to",
    "log in to",
    "access token is missing",
    "no access token",
    "set the gh_token",
    "gh_token environment variable",
    "authorization required",
    "support for password authentication was removed",
    "no valid credential",
    "not been authenticated",
    "authenticate first",
    "please authenticate",
    "please run ",
    "you must authenticate",
    "no basic auth credentials",
    "anonymous caller",
    "no authentication",
    "no identity found",
    "browser to login",
    "browser to log in",
    "error loading sso token",
    "please provide an api key",
    "api_key must be set",
    "api key must be",
    "set api_key",
    "no login",
];

/// Lines that hold a login's words without meaning one.
fn is_login_line(words: &[&str], line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let please_run = lower.contains("please run ") && !(lower.contains("login") || lower.contains("auth"));
    let known = words.iter().filter(|words| lower.contains(*words)).count();
    known > 0 && !(please_run && known == 1) && line.len() < 600
}

/// The first line that asks for a login.
fn login_line<'t>(facts: &Facts<'t>) -> Option<(Stream, &'t str)> {
    let words = facts.possible_words(LOGIN_WORDS);
    if words.is_empty() {
        return None;
    }
    facts.lines().find(|(_, line)| is_login_line(&words, line))
}

fn wants_login(facts: &Facts<'_>) -> Option<Seen> {
    if facts.displays() {
        return None;
    }
    let (stream, line) = login_line(facts)?;
    Some(Seen::line(stream, line))
}

/// What a status says of a credential.
const STATUSES: &[Pattern] = patterns![
    "*{status:401}",
    "*{status:403}",
    "*401 Unauthorized",
    "*403 Forbidden",
    "*returned error: 401",
    "*returned error: 403",
    "*^(bad credentials)",
    "*^(HTTP) 401",
    "*^(HTTP) 403",
    "*^(error): 401",
    "*^(error): 403",
    "401$",
    "403$",
    "*^(forbidden)$",
    "*^(forbidden): ",
    "*^(forbidden) 403",
    "*^(invalid authentication token)",
    "*^(unauthorized)$",
    "*^(unauthorized): ",
];

fn status_line<'t>(facts: &Facts<'t>) -> Option<(Stream, &'t str)> {
    let is_code = facts
        .reading
        .as_ref()
        .is_some_and(|reading| matches!(reading.category, Category::TestFailure | Category::CompileError));
    if facts.displays() || is_code { None } else { facts.line_like(STATUSES, usize::MAX) }
}

fn refused_by_status(facts: &Facts<'_>) -> Option<Seen> {
    let (stream, line) = status_line(facts)?;
    Some(Seen::line(stream, line))
}

fn refused_after_success(facts: &Facts<'_>) -> Option<Seen> {
    let program = facts.program();
    if !facts.past.has_passed(program) {
        return None;
    }
    let (stream, line) = status_line(facts).or_else(|| login_line(facts))?;
    Some(Seen {
        words: Some(format!("`{program}` passed earlier in the trace")),
        line: Some((stream, line.to_owned())),
    })
}

/// A status that refuses, in a trace in which the program never passed.
fn refused_before_any_success(facts: &Facts<'_>) -> Option<Seen> {
    if facts.past.calls == 0 || facts.past.has_passed(facts.program()) {
        return None;
    }
    let (stream, line) = status_line(facts)?;
    Some(Seen::line(stream, line))
}

fn lacks_login(facts: &Facts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::AuthRequired)?;
    let line = reading.line.as_deref()?;
    Some(Seen::line(super::arguments::stream_of(facts, line), line))
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

fn shown_by_debugging(facts: &Facts<'_>) -> Option<Seen> {
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
fn shows_private_key(facts: &Facts<'_>) -> Option<Seen> {
    let begins = |line: &str| line.starts_with("-----BEGIN ") && line.ends_with("PRIVATE KEY-----");
    // A search for keys shows their first lines alone.
    let body = facts.stdout().lines().skip_while(|line| !begins(line)).nth(1)?;
    let is_body = body.len() >= 32 && body.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    is_body.then(|| Seen::words("a private key was printed"))
}

fn shows_secret(facts: &Facts<'_>) -> Option<Seen> {
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
