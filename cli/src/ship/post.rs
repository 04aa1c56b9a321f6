//! One request to a receiver of OTLP logs: compressed, tried again where the other side is busy, its answer read.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

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
    /// The address or the headers are wrong, not the content: its status. Nothing passes before a person mends them.
    Misdirected(u16),
    /// It may pass later: why not now.
    Later(String),
}

/// Posts a request, and tries again until `until`.
///
/// # Errors
/// When it is refused for good, or did not pass in time.
pub fn post(
    address: &str,
    headers: &BTreeMap<String, String>,
    body: &str,
    until: Instant,
) -> Result<Posted, PostFault> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    let packed = packed.write_all(body.as_bytes()).and_then(|()| packed.finish());
    let packed = packed.map_err(|error| PostFault::Later(error.to_string()))?;
    let (mut wait, mut tries, mut unanswered) = (FIRST_WAIT, 0, 0);
    loop {
        let (why, asked) = match post_once(address, headers, &packed, until) {
            Ok(posted) => return Ok(posted),
            Err((PostFault::Later(why), asked)) => (why, asked),
            Err((refused, _)) => return Err(refused),
        };
        tries += 1;
        // A wait that is asked for is kept to, or this ends.
        let pause = asked.unwrap_or(wait).saturating_add(jitter(wait));
        unanswered = if why.starts_with(NO_ANSWER) { unanswered + 1 } else { 0 };
        if tries >= TRIES || unanswered >= UNANSWERED_TRIES || pause >= until.saturating_duration_since(Instant::now())
        {
            return Err(PostFault::Later(why));
        }
        std::thread::sleep(pause);
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Up to half of a wait, so that machines that were refused together do not come back together.
fn jitter(wait: Duration) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let part = (now.subsec_nanos() ^ std::process::id().wrapping_mul(2_654_435_761)) % 512;
    wait * part / 1024
}

fn post_once(
    address: &str,
    headers: &BTreeMap<String, String>,
    packed: &[u8],
    until: Instant,
) -> Result<Posted, (PostFault, Option<Duration>)> {
    let left = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(left.min(ONE_REQUEST)))
        .http_status_as_error(false)
        .max_redirects(0)
        // Variables of the environment say no address, and a project may set them for whatever the client starts.
        .proxy(None)
        .build();
    let mut request = ureq::Agent::new_with_config(config)
        .post(address)
        .header("content-type", "application/json")
        .header("content-encoding", "gzip");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let later = |why: String| (PostFault::Later(why), None);
    let mut response = request.send(packed).map_err(|error| later(format!("{NO_ANSWER}: {error}")))?;
    let status = response.status().as_u16();
    if matches!(status, 429 | 502 | 503 | 504) {
        let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        return Err((PostFault::Later(format!("it answered {status}")), asked.map(Duration::from_secs)));
    }
    if !(200..300).contains(&status) {
        // A redirection leads elsewhere, where nobody asked it to go.
        let why = match status {
            400 | 413 | 415 | 422 => PostFault::Refused(status),
            300..500 => PostFault::Misdirected(status),
            _ => PostFault::Later(format!("it answered {status}")),
        };
        return Err((why, None));
    }
    // An answer that is cut off or no JSON is an acceptance all the same: the status says so.
    let text = response.body_mut().with_config().limit(ANSWER_BYTES).read_to_string().unwrap_or_default();
    let answer: Value = serde_json::from_str(&text).unwrap_or_default();
    let partial = &answer["partialSuccess"];
    let refused = &partial["rejectedLogRecords"];
    let refused = refused.as_u64().or_else(|| refused.as_str()?.parse().ok()).unwrap_or_default();
    Ok(Posted { refused, words: partial["errorMessage"].as_str().unwrap_or_default().to_owned() })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A receiver that takes a connection and says nothing costs the time that is given, and no more.
    #[test]
    fn silence_ends_with_the_time_that_is_given() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1/logs", listener.local_addr().unwrap());
        let begun = Instant::now();
        let posted = post(&address, &BTreeMap::new(), "{}", begun + Duration::from_millis(700));
        assert!(matches!(posted, Err(PostFault::Later(_))), "{posted:?}");
        assert!((600..5000).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
    }
}
