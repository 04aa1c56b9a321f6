//! What is read before the protocol: a message that is no JSON, too long or too deeply nested is replaced by a short one with
//! its id, so that its client gets an answer. Of one that is too long no more than the longest message is ever in memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, ReadBuf};

/// The longest message that is read, in bytes.
pub(crate) const LONGEST_MESSAGE: usize = 4 * 1024 * 1024;
/// The deepest nesting that is read: what the parser of JSON takes.
const DEEPEST: usize = 127;
/// The longest member of a message that may be its id, in bytes.
const LONGEST_ID: usize = 256;
/// How much is read at once, in bytes.
const PIECE: usize = 8 * 1024;
/// The method of what stands for a message that was not read; its `params.why` says why.
pub(crate) const UNREAD: &str = "failwise/unread";

/// Lines of an input, each one message.
pub(crate) struct MessageSieve<R> {
    input: R,
    /// What is read and not yet given, from `given` on.
    read: Vec<u8>,
    given: usize,
    line: LineState,
}

/// What is known of the line so far.
#[derive(Default)]
struct LineState {
    /// What was read of it; nothing more once it is refused.
    text: Vec<u8>,
    depth: usize,
    is_text: bool,
    is_escaped: bool,
    /// The beginning of the present member of the message's object.
    member: Vec<u8>,
    id: Option<Value>,
    /// Why the line is not read on.
    refused: Option<&'static str>,
}

impl LineState {
    fn take(&mut self, byte: u8) {
        let is_bracket = !self.is_text;
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_text => self.is_escaped = true,
            b'"' => self.is_text = !self.is_text,
            b'{' | b'[' if is_bracket => self.depth += 1,
            b'}' | b']' if is_bracket => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let ends_member = is_bracket && (byte == b',' && self.depth == 1 || byte == b'}' && self.depth == 0);
        if ends_member {
            self.id = self.id.take().or_else(|| id_in(&self.member));
            self.member.clear();
        } else if self.member.len() <= LONGEST_ID && !(byte == b'{' && self.depth == 1) {
            self.member.push(byte);
        }
        if self.refused.is_some() {
            return;
        }
        if self.text.len() == LONGEST_MESSAGE {
            self.refused = Some("the message is longer than 4 MiB");
        } else if self.depth > DEEPEST {
            self.refused = Some("the message is nested more than 127 deep");
        }
        if self.refused.is_some() { self.text = Vec::new() } else { self.text.push(byte) }
    }

    fn is_begun(&self) -> bool {
        !self.text.is_empty() || self.refused.is_some()
    }

    /// The line, or what stands for one that is not read: without an id no request, which gets an error without one.
    fn end(mut self) -> Vec<u8> {
        let text = self.text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.text).trim_ascii();
        let is_json = text.is_empty() || serde_json::from_slice::<Value>(text).is_ok();
        let Some(why) = self.refused.or((!is_json).then_some("the message is no JSON")) else { return self.text };
        let id = self.id.take().or_else(|| id_in(&self.member));
        let request = |id| json!({ "jsonrpc": "2.0", "id": id, "method": UNREAD, "params": { "why": why } });
        id.map_or_else(|| json!({}), request).to_string().into_bytes()
    }
}

/// The id that a member of a message's object is.
fn id_in(member: &[u8]) -> Option<Value> {
    let member = std::str::from_utf8(member).ok().filter(|member| member.len() <= LONGEST_ID)?;
    let member: Map<String, Value> = serde_json::from_str(&format!("{{{member}}}")).ok()?;
    member.get("id").filter(|id| id.is_i64() || id.is_string()).cloned()
}

impl<R> MessageSieve<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, read: Vec::with_capacity(PIECE), given: 0, line: LineState::default() }
    }

    /// Takes what was read next; nothing is the end of the input.
    fn sift(&mut self, piece: &[u8]) {
        for byte in piece {
            if *byte == b'\n' {
                self.end_line();
            } else {
                self.line.take(*byte);
            }
        }
        if piece.is_empty() && self.line.is_begun() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        self.read.extend(std::mem::take(&mut self.line).end());
        self.read.push(b'\n');
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MessageSieve<R> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.given == this.read.len() {
            this.read.clear();
            this.given = 0;
            let mut room = [0; PIECE];
            let mut piece = ReadBuf::new(&mut room);
            ready!(Pin::new(&mut this.input).poll_read(context, &mut piece))?;
            let is_end = piece.filled().is_empty();
            this.sift(piece.filled());
            if is_end {
                break;
            }
        }
        let left = this.read.get(this.given..).unwrap_or_default();
        let given = left.get(..left.len().min(out.remaining())).unwrap_or_default();
        out.put_slice(given);
        this.given += given.len();
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes through, in pieces of so many bytes.
    fn sifted(text: impl AsRef<[u8]>, piece: usize) -> Vec<String> {
        let mut sieve = MessageSieve::new(());
        text.as_ref().chunks(piece).for_each(|piece| sieve.sift(piece));
        sieve.sift(&[]);
        String::from_utf8_lossy(&sieve.read).lines().map(str::to_owned).collect()
    }

    fn deep(levels: usize, before: &str, behind: &str) -> String {
        format!("{{{before}\"x\":{}{}{behind}}}\n", "[".repeat(levels - 1), "]".repeat(levels - 1))
    }

    #[test]
    fn what_is_short_and_flat_comes_through_as_it_is() {
        let text = format!("{{\"id\":1,\"a\":\"}}[\\\"{{\"}}\n\n[1,2]\n{}", deep(DEEPEST, "\"id\":2,", ""));
        for piece in [1, 7, 100_000] {
            assert_eq!(sifted(&text, piece), text.lines().collect::<Vec<_>>(), "{piece}");
        }
    }

    #[test]
    fn what_is_not_read_is_stood_for_by_its_id_wherever_that_is() {
        let id = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone();
        for (before, behind, expected) in [
            ("\"id\": 7 ,", "", json!(7)),
            ("", ",\"jsonrpc\":\"2.0\",\"id\":\"a,\\\"}\"", json!("a,\"}")),
            ("\"p\":{\"id\":3},", ",\"id\":4", json!(4)),
            ("", "", Value::Null),
            ("\"id\":[1],", "", Value::Null),
        ] {
            let text = format!("{}3\n", deep(DEEPEST + 1, before, behind));
            for piece in [1, 13, 100_000] {
                let lines = sifted(&text, piece);
                assert_eq!((id(&lines[0]), lines[1].as_str()), (expected.clone(), "3"), "{piece} {lines:?}");
            }
        }
        for (text, expected) in [
            (&b"\xff\xfe{\"id\":8}\n"[..], Value::Null),
            (b"{\"id\":8,\"a\":\"\xe2\x82\"}\n", json!(8)),
            (b"{\"id\":8,\"a\":\"b\0\"}\n", json!(8)),
            (b"{\"id\":8,\"a\":\"\\ud800\"}\n", json!(8)),
            (b"{\"a\":1e999,\"id\":8}", json!(8)),
            (b"\0\n", Value::Null),
            (b"hello\n", Value::Null),
        ] {
            for piece in [1, 5, 100] {
                let lines = sifted(text, piece);
                assert_eq!((id(&lines[0]), lines.len()), (expected.clone(), 1), "{lines:?}");
            }
        }
        // A message that is whole before it is too long is no message either.
        let long = format!("{{\"id\":5}}{}\n", " ".repeat(LONGEST_MESSAGE));
        assert_eq!(id(&sifted(&long, 4096)[0]), 5);
        assert_eq!(id(&sifted(format!("{{\"id\":6,{}", "[".repeat(200_000)), 4096)[0]), 6, "it never ended");
    }
}
