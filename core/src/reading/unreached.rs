//! The host to which no connection was made, where a line of the output names it.

use crate::model::{Category, Unreached};

/// What stands before the host in a line about a connection that was not made, in small letters. What ends the host is
/// the same in all: a blank, a quote, a bracket, a comma or the port.
const BEFORE: &[&str] = &[
    "connect to host ",
    "failed to connect to ",
    "could not connect to ",
    "couldn't connect to ",
    "connecting to ",
    "connection to server at ",
    "connect to server on ",
    "connect to redis at ",
    "connect to ",
    "resolve hostname ",
    "resolve host: ",
    "resolve host address ",
    "resolve host ",
    "translate host name ",
    "dial tcp: lookup ",
    "dial tcp ",
    "getaddrinfo enotfound ",
    "getaddrinfo eai_again ",
    "connect etimedout ",
    "connect ehostunreach ",
    "connect econnrefused ",
    "connection to ",
    "no route to host ",
    "(host=",
];

/// What says that no connection was made: by a name that leads nowhere, by silence, or by a refusal.
const WITHOUT: &[&str] = &[
    "resolve host",
    "translate host name",
    "no such host",
    "enotfound",
    "eai_again",
    "name or service not known",
    "connection timed out",
    "operation timed out",
    "connect timed out",
    "timeout was reached",
    "connection timeout",
    "i/o timeout",
    "etimedout",
    "timeout expired",
    "no route to host",
    "ehostunreach",
    "is unreachable",
    "could not connect to server",
    "couldn't connect to server",
    "failed to establish a new connection",
    "max retries exceeded",
    REFUSED,
    "econnrefused",
];
const REFUSED: &str = "connection refused";

/// The longest line that is looked at, and how many lines from the end of the output.
const LONGEST: usize = 400;
const LINES: usize = 40;

/// The host to which no connection was made, by the last line that names one. Only of a failure that is one of the
/// network: what a test prints of its own server is not looked at.
pub(super) fn unreached(category: Category, text: &str) -> Option<Unreached> {
    if !matches!(category, Category::Network | Category::Timeout | Category::ServiceError) {
        return None;
    }
    text.lines().rev().take(LINES).filter(|line| line.len() <= LONGEST).find_map(host_of_line)
}

fn host_of_line(line: &str) -> Option<Unreached> {
    let lower = line.to_ascii_lowercase();
    if !WITHOUT.iter().any(|sign| lower.contains(sign)) {
        return None;
    }
    let host = BEFORE.iter().find_map(|before| {
        let at = lower.find(before)? + before.len();
        host_at(lower.get(at..)?)
    })?;
    let refused = lower.contains(REFUSED) || lower.contains("econnrefused");
    Some(Unreached { host, refused })
}

/// The host that a text begins with: without quotes and port. A word is one only with a dot or a colon in it, or where the
/// port stands behind it, so that "connect to the server" names none.
fn host_at(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['"', '\'', '`']);
    let (host, rest) = if let Some(inner) = text.strip_prefix('[') {
        inner.split_once(']')?
    } else {
        let ends = |sign: char| sign.is_whitespace() || "\"'`,;()[]/|".contains(sign);
        text.split_at(text.find(ends).unwrap_or(text.len()))
    };
    let host = host.trim_end_matches([':', '.']);
    let (host, has_port) = match host.split_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, true),
        _ => (host, rest.trim_start_matches(['"', '\'']).trim_start().starts_with("port ")),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
    let is_host = (1..=Unreached::LONGEST).contains(&host.len()) && host.bytes().all(is_name);
    (is_host && (has_port || host.contains(['.', ':']) || host == "localhost")).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn host(text: &str) -> Option<(String, bool)> {
        unreached(Category::Network, text).map(|found| (found.host, found.refused))
    }

    #[test]
    fn the_host_is_what_the_line_names() {
        for (line, expected) in [
            ("ssh: connect to host 10.1.2.3 port 22: Connection timed out", Some(("10.1.2.3", false))),
            ("ssh: connect to host build port 22: No route to host", Some(("build", false))),
            ("ssh: connect to host 10.1.2.3 port 22: Connection refused", Some(("10.1.2.3", true))),
            ("ssh: Could not resolve hostname till.example: Name or service not known", Some(("till.example", false))),
            ("curl: (6) Could not resolve host: till.example", Some(("till.example", false))),
            (
                "curl: (7) Failed to connect to 10.1.2.3 port 443 after 3 ms: Could not connect to server",
                Some(("10.1.2.3", false)),
            ),
            ("dial tcp 10.0.0.5:443: i/o timeout", Some(("10.0.0.5", false))),
            ("dial tcp [2001:db8::5]:443: connect: connection refused", Some(("2001:db8::5", true))),
            ("dial tcp: lookup till.example on 10.0.0.2:53: no such host", Some(("till.example", false))),
            ("Error: getaddrinfo ENOTFOUND till.example", Some(("till.example", false))),
            ("Error: connect ECONNREFUSED 127.0.0.1:5432", Some(("127.0.0.1", true))),
            (
                "psql: error: connection to server at \"db.till.example\" (10.1.2.3), port 5432 failed: Connection timed out",
                Some(("db.till.example", false)),
            ),
            ("nc: connect to 10.1.2.3 port 5432 (tcp) failed: Connection timed out", Some(("10.1.2.3", false))),
            ("could not connect to the server: i/o timeout", None),
            ("Operation timed out", None),
            ("connected to 10.1.2.3", None),
        ] {
            let expected = expected.map(|(name, refused)| (name.to_owned(), refused));
            assert_eq!(host(line), expected, "{line}");
        }
        assert_eq!(unreached(Category::TestFailure, "connect ECONNREFUSED 127.0.0.1:5432"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_fail(text in ".{0,200}") {
            let _ = host(&text);
            let _ = host(&format!("connect to {text}: Connection timed out"));
        }

        /// What the words around it say and how it is written does not change which host it is.
        #[test]
        fn the_same_host_is_found_in_every_program_s_words(name in "[a-z]{2,9}(\\.[a-z]{2,5}){1,3}", port in 1_u16..) {
            for line in [
                format!("ssh: connect to host {name} port {port}: Connection timed out"),
                format!("curl: (28) Failed to connect to {name} port {port} after 1 ms: Timeout was reached"),
                format!("Get \"https://{name}/\": dial tcp {name}:{port}: i/o timeout"),
                format!("Error: connect ETIMEDOUT {name}:{port}"),
                format!("connection to server at \"{name}\", port {port} failed: timeout expired"),
            ] {
                prop_assert_eq!(host(&line), Some((name.clone(), false)), "{}", line);
            }
        }
    }
}
