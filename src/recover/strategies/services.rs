//! Services that do not answer as they should: proxies, other ports, waits that a program makes itself, logs.

use super::super::case::{Case, Offer, Offered, between};
use super::super::step::Step;

/// An address in the line.
struct Address {
    /// Its host.
    host: String,
    /// Its port, where it is known.
    port: Option<u16>,
}

impl Address {
    fn is_local(&self) -> bool {
        is_local(&self.host)
    }
}

/// Whether a host is this machine itself.
fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "[::1]" | "0.0.0.0" | "ip6-localhost") || host.starts_with("127.")
}

/// The addresses of the line. What `$(cat FILE)` puts into one is read from the file.
fn addresses(case: &Case<'_>) -> Vec<Address> {
    let words = case.words.iter().filter(|word| word.text.contains("://"));
    words
        .filter_map(|word| {
            let mut text = word.text.clone();
            if let Some((before, rest)) = word.text.split_once("$(cat ")
                && let Some((file, after)) = rest.split_once(')')
            {
                let held = case.looks.text(&case.at(file.trim().trim_start_matches("-- ")));
                text = format!("{before}{}{after}", held.as_deref().map_or("", str::trim));
            }
            let (_, rest) = text.split_once("://")?;
            let place = rest.split(['/', '?', '#']).next()?;
            let place = place.rsplit('@').next()?;
            let (host, port) = match place.rsplit_once(':') {
                Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
                _ => (place, None),
            };
            Some(Address { host: host.to_owned(), port })
        })
        .collect()
}

/// The address of this machine that the call asks.
fn local(case: &Case<'_>) -> Option<Address> {
    addresses(case).into_iter().find(Address::is_local)
}

/// What a connection was refused by, as the output names it.
fn refused(case: &Case<'_>) -> Option<(String, u16)> {
    case.text().lines().find_map(|line| {
        let lower = line.to_ascii_lowercase();
        let is_one = [
            "refused",
            "failed to connect",
            "couldn't connect",
            "could not connect",
            "econnrefused",
            "unable to connect",
        ];
        if !is_one.iter().any(|words| lower.contains(words)) {
            return None;
        }
        // `connect to 127.0.0.1 port 9`, `127.0.0.1:9`, `host='localhost', port=9`.
        let said = between(line, " port ", "").or_else(|| between(line, "port=", ""));
        let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u16>().ok();
        if let Some(port) = said.and_then(number) {
            let host = between(line, "connect to ", " port").or_else(|| between(line, "host='", "'"));
            return Some((host.unwrap_or_default().to_owned(), port));
        }
        line.split([' ', '(', ')', ',', '\'', '"']).find_map(|word| {
            let word = word.split_once("://").map_or(word, |(_, rest)| rest);
            let (host, port) = word.trim_end_matches([':', '.', ';']).rsplit_once(':')?;
            Some((host.to_owned(), number(port).filter(|_| host.contains('.') || is_local(host) || host == "::1")?))
        })
    })
}

/// What was refused; the address of the line itself, where the output names none.
fn refused_here(case: &Case<'_>) -> Option<(String, u16)> {
    let of_line = || {
        let address = local(case).filter(|_| case.says(&["connection refused", "econnrefused"]))?;
        Some((address.host.clone(), address.port?))
    };
    refused(case).or_else(of_line)
}

pub(in super::super) fn use_the_port_that_listens(case: &Case<'_>) -> Offered {
    let (_, port) = refused_here(case)
        .filter(|(host, _)| host.is_empty() || is_local(host) || host == "::1")
        .ok_or("no port of this machine refused")?;
    if case.looks.port(port).is_some() {
        return Err("somebody listens on that port");
    }
    let mut ports: Vec<u16> = case.looks.running().into_iter().flat_map(|running| running.ports).collect();
    ports.sort_unstable();
    ports.dedup();
    let [other] = ports.as_slice() else { return Err("no single port of the project's processes is listened on") };
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let text = port.to_string();
    let mut found = line.match_indices(&*text).filter(|(at, digits)| {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        !is_digit(line.get(..*at).and_then(|before| before.chars().next_back()))
            && !is_digit(line.get(at + digits.len()..).and_then(|after| after.chars().next()))
    });
    let (at, digits) = found.next().ok_or("the line does not name the port")?;
    if found.next().is_some() {
        return Err("the line names the port more than once");
    }
    let step =
        case.again_edited(vec![(at..at + digits.len(), other.to_string())]).ok_or("its command line is not whole")?;
    let state = format!("nobody listens on port {port}, and the project's own process listens on {other}");
    Ok(Offer::new(state.clone(), vec![Step::work(format!("Ask port {other}"), step, "The service answers")])
        .seen(state))
}

/// A folder as the command that runs in its own folder writes it.
fn below_folder(case: &Case<'_>, folder: String) -> Option<String> {
    let here = case.folder();
    if here.is_empty() { Some(folder) } else { folder.strip_prefix(&format!("{here}/")).map(str::to_owned) }
}

/// The folder of the project that holds packages of Python.
pub(in super::super) fn wheels(case: &Case<'_>) -> Option<String> {
    let found = case.looks.find(&|name| name.ends_with(".whl"));
    let folder = super::super::case::parent(found.first()?);
    below_folder(case, folder)
}
