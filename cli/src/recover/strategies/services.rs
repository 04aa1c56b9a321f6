//! Services that do not answer as they should: proxies, other ports, waits that a program makes itself, logs.

use super::super::case::{Case, Offer, Offered};
use super::super::step::PlanStep;
use crate::model::FindingKind as Kind;

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

/// The address that refused, as the output names it, else that of the line.
fn refusing_address(case: &Case<'_>) -> Option<(String, u16)> {
    let of_name = |name: &str| {
        let at = name.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        let host = name.split([' ', '\'']).next().unwrap_or_default();
        let host = if at == 0 { "" } else { host.split_once("://").map_or(host, |(_, host)| host) };
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        Some((host.to_owned(), name.get(at..)?.parse().ok()?))
    };
    let of_line = || {
        let address = addresses(case).into_iter().find(Address::is_local)?;
        Some((address.host.clone(), address.port?))
    };
    case.finding(Kind::ConnectionRefused)?;
    case.named(Kind::ConnectionRefused).and_then(of_name).or_else(of_line)
}

/// Whether this machine itself refused: waiting starts no server.
pub(super) fn is_refused_here(case: &Case<'_>) -> bool {
    refusing_address(case).is_some_and(|(host, _)| is_local(&host)) || addresses(case).iter().any(Address::is_local)
}

pub(in super::super) fn use_the_port_that_listens(case: &Case<'_>) -> Offered {
    let (_, port) = refusing_address(case)
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
    Ok(Offer::explained(state, vec![PlanStep::work(format!("Ask port {other}"), step, "The service answers")]))
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
