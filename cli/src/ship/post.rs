//! Requests to a receiver of OTLP logs: compressed, tried again where the other side is busy, its answers read.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::time::{Duration, Instant, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::settings::ShipSettings;
use crate::journal::read_small_bytes;
use crate::place::Env;

/// The most that is read of an answer.
const ANSWER_BYTES: u64 = 64 * 1024;
/// How long one request may take.
const ONE_REQUEST: Duration = Duration::from_secs(20);
/// The first wait before another try, doubled each time, and the longest one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The most tries of one request, and the most in a row that nobody answers.
const TRIES: u32 = 8;
const UNANSWERED_TRIES: u32 = 3;
/// The most that is read of a file of certificates.
const LARGEST_CA: u64 = 4 * 1024 * 1024;

/// What a fault begins with where nobody answered.
const NO_ANSWER: &str = "no answer";

/// What a receiver took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Posted {
    /// How many records it refused, as it says.
    pub refused: u64,
    /// What it says of that.
    pub words: String,
}

/// Why a request did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostFault {
    /// The receiver refuses the content and will refuse it again: its status.
    Refused(u16),
    /// Address, headers or certificate are wrong, not the content: what was answered. Nothing passes before a person mends them.
    Misdirected(String),
    /// It may pass later: why not now.
    Later(String),
}

/// A receiver, and the way to it.
#[derive(Debug)]
pub struct Receiver {
    /// Its address.
    pub address: String,
    headers: BTreeMap<String, String>,
    agent: ureq::Agent,
}

impl Receiver {
    /// The one that settings name; `project` are the contents of its settings files.
    ///
    /// # Errors
    /// When no address is named, or the proxy or the certificates cannot be used.
    pub fn of(settings: &ShipSettings, env: Env<'_>, project: &[String]) -> Result<Self, String> {
        let (address, headers) = settings.target(env, project)?;
        let wrong = |what: &str| format!("{}: {what}", settings.file.display());
        let is_proxy = |text: &&String| text.starts_with("http://") || text.starts_with("https://");
        let proxy =
            settings.proxy.as_ref().map(|text| Some(text).filter(is_proxy).and_then(|it| ureq::Proxy::new(it).ok()));
        // It may hold a key, so it is not shown.
        let proxy =
            proxy.map(|it| it.ok_or("ship.proxy is no address such as http://proxy.example:3128")).transpose()?;
        let mut tls = TlsConfig::builder();
        if let Some(file) = &settings.ca_file {
            let pem = read_small_bytes(file, LARGEST_CA)
                .ok_or_else(|| wrong(&format!("ship.ca_file {} cannot be read", file.display())))?;
            let certificates = parse_pem(&pem).filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            });
            let certificates: Vec<_> = certificates.collect();
            if certificates.is_empty() {
                return Err(wrong(&format!("ship.ca_file {} has no certificate in PEM form", file.display())));
            }
            tls = tls.root_certs(RootCerts::from(certificates));
        }
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            // Variables of the environment name neither receiver nor proxy: a project may set them for whatever the client starts.
            .proxy(proxy)
            .tls_config(tls.build())
            .build();
        Ok(Self { address, headers, agent: ureq::Agent::new_with_config(config) })
    }

    /// Posts a request, and tries again until `until`.
    ///
    /// # Errors
    /// When it is refused for good, or did not pass in time.
    pub fn post(&self, body: &str, until: Instant) -> Result<Posted, PostFault> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = packed.write_all(body.as_bytes()).and_then(|()| packed.finish());
        let packed = packed.map_err(|error| PostFault::Later(error.to_string()))?;
        let (mut wait, mut tries, mut unanswered) = (FIRST_WAIT, 0, 0);
        loop {
            let (why, asked) = match self.post_once(&packed, until) {
                Ok(posted) => return Ok(posted),
                Err((PostFault::Later(why), asked)) => (why, asked),
                Err((refused, _)) => return Err(refused),
            };
            tries += 1;
            // A wait that is asked for is kept to, or this ends.
            let pause = asked.unwrap_or(wait).saturating_add(jitter(wait));
            unanswered = if why.starts_with(NO_ANSWER) { unanswered + 1 } else { 0 };
            let is_over = pause >= until.saturating_duration_since(Instant::now());
            if tries >= TRIES || unanswered >= UNANSWERED_TRIES || is_over {
                return Err(PostFault::Later(why));
            }
            std::thread::sleep(pause);
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn post_once(&self, packed: &[u8], until: Instant) -> Result<Posted, (PostFault, Option<Duration>)> {
        let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let mut request = self.agent.post(&self.address).config().timeout_global(Some(left.min(ONE_REQUEST))).build();
        request = request.header("content-type", "application/json").header("content-encoding", "gzip");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let later = |why: String| (PostFault::Later(why), None);
        let mut response = request.send(packed).map_err(|error| match error.to_string() {
            why if why.contains("peer certificate") => {
                (PostFault::Misdirected(format!("{why}; ship.ca_file names who vouches for it")), None)
            }
            why if why.starts_with("timeout") => {
                later(format!("{NO_ANSWER} within {} s", left.min(ONE_REQUEST).as_secs()))
            }
            why => later(format!("{NO_ANSWER}: {why}")),
        })?;
        let status = response.status().as_u16();
        if matches!(status, 429 | 502 | 503 | 504) {
            let asked =
                response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
            return Err((PostFault::Later(format!("it answered {status}")), asked.map(Duration::from_secs)));
        }
        if !(200..300).contains(&status) {
            // A redirection leads elsewhere, where nobody asked it to go.
            let why = match status {
                400 | 413 | 415 | 422 => PostFault::Refused(status),
                300..500 => PostFault::Misdirected(format!("it answered {status}")),
                _ => PostFault::Later(format!("it answered {status}")),
            };
            return Err((why, None));
        }
        let mut text = Vec::new();
        let read = response.body_mut().as_reader().take(ANSWER_BYTES).read_to_end(&mut text);
        read.map_err(|error| later(format!("{NO_ANSWER} to the end: {error}")))?;
        accepted(&String::from_utf8_lossy(&text)).ok_or_else(|| {
            let why = format!("it answered {status} with something else than OTLP, as a page to log in does");
            (PostFault::Misdirected(why), None)
        })
    }
}

/// What the body of an acceptance says: nothing, or the protocol's answer; None of anything else, as a page that stands before
/// the network answers 200 as well.
fn accepted(text: &str) -> Option<Posted> {
    if text.trim().is_empty() {
        return Some(Posted::default());
    }
    let Value::Object(answer) = serde_json::from_str(text).ok()? else { return None };
    let partial = match answer.get("partialSuccess") {
        None | Some(Value::Null) => return Some(Posted::default()),
        Some(partial) => partial.as_object()?,
    };
    let refused = partial.get("rejectedLogRecords");
    let refused = refused.and_then(|it| it.as_u64().or_else(|| it.as_str()?.parse().ok())).unwrap_or_default();
    let words = partial.get("errorMessage").and_then(Value::as_str).unwrap_or_default();
    Some(Posted { refused, words: words.to_owned() })
}

/// Up to half of a wait, so that machines that were refused together do not come back together.
fn jitter(wait: Duration) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let part = (now.subsec_nanos() ^ std::process::id().wrapping_mul(2_654_435_761)) % 512;
    wait * part / 1024
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::ship::ShipTo;

    /// A receiver that takes a connection and says nothing costs the time that is given, and no more.
    #[test]
    fn silence_ends_with_the_time_that_is_given() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = Some(ShipTo::Address(format!("http://{}/v1/logs", listener.local_addr().unwrap())));
        let receiver = Receiver::of(&ShipSettings { to, ..ShipSettings::default() }, &|_| None, &[]).unwrap();
        let begun = Instant::now();
        let posted = receiver.post("{}", begun + Duration::from_millis(700));
        assert!(matches!(posted, Err(PostFault::Later(_))), "{posted:?}");
        assert!((600..5000).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
    }

    #[test]
    fn only_the_protocols_answer_is_an_acceptance() {
        for (text, refused) in [
            ("", Some(0)),
            (" \n", Some(0)),
            ("{}", Some(0)),
            (r#"{"partialSuccess":null}"#, Some(0)),
            (r#"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"x"}}"#, Some(3)),
            (r#"{"partialSuccess":{"rejectedLogRecords":3}}"#, Some(3)),
            (r#"{"partialSuccess":"no"}"#, None),
            ("<html>Log in</html>", None),
            ("OK", None),
            ("[]", None),
            ("null", None),
            (r#"{"partialSuccess""#, None),
        ] {
            assert_eq!(accepted(text).map(|posted| posted.refused), refused, "{text}");
        }
    }
}
