//! The machine that a command of a network program names.

use crate::programs::{self, Trait};

use super::{At, Script};

impl Script {
    /// The only host that the network programs of the script name; None where they name none or several.
    pub fn host(&self) -> Option<String> {
        // What `ssh` runs elsewhere names hosts of its own.
        let connects = |at: At| self.get(at).is_some_and(|command| command.is(Trait::Connects));
        let is_elsewhere = |at: At| self.around(at).skip(1).any(connects);
        let here = self.programs().filter(|(at, _)| connects(*at) && !is_elsewhere(*at));
        let mut hosts = here.flat_map(|(_, command)| {
            let own = command.own_args();
            let operands = programs::subcommands(command.known, own);
            operands.take(if command.inner_script().is_some() { 1 } else { own.len() }).filter_map(host_in)
        });
        let first = hosts.next()?;
        hosts.all(|other| other == first).then(|| first.to_ascii_lowercase())
    }
}

/// The host in a word: of an address with a scheme, of `user@host`, of `host:path`, and a name with dots or an address.
fn host_in(word: &str) -> Option<&str> {
    let behind_scheme = word.split_once("://").map(|(_, rest)| rest);
    let rest = behind_scheme.unwrap_or(word);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (is_user, host) = match authority.rsplit_once('@') {
        Some((_, host)) => (true, host),
        None => (false, authority),
    };
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let labels = || name.split('.');
    let is_name =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_address = labels().count() == 4 && labels().all(|label| label.parse::<u8>().is_ok());
    // A file is no host: `notes.txt`, `data/a.json`.
    let is_told = behind_scheme.is_some() || is_user || is_address && path.is_empty();
    (is_told && labels().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_host_is_found() {
        for (line, host) in [
            ("ssh -p 2222 root@10.1.2.3 'journalctl -u till | tail; curl http://10.9.9.9/'", Some("10.1.2.3")),
            ("ssh 10.1.2.3 uptime", Some("10.1.2.3")),
            ("curl -s https://Till.example:8443/api?x=a.b", Some("till.example")),
            ("scp notes.txt ops@10.1.2.3:/srv/notes.txt", Some("10.1.2.3")),
            ("nc -zv 10.1.2.3 22 && ping -c 1 10.1.2.3", Some("10.1.2.3")),
            ("curl https://a.example/ && curl https://b.example/", None),
            ("curl --version", None),
            ("cat 10.1.2.3", None),
            ("scp notes.txt data.json", None),
        ] {
            assert_eq!(Script::parse(line).host().as_deref(), host, "{line}");
        }
    }
}
