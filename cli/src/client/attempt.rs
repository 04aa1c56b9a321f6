//! One start of the client, followed to its end.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::signals::Signals;
use super::tree::{self, GRACE, ProcessEnding};
use crate::sessions::LineReader;
use crate::stream::{Extractor, INLINE_STDOUT, Stopped, Turns};
use crate::time::duration;

/// The most of the client's stderr that is kept, from its end.
const STDERR: usize = 64 * 1024;
/// The longest line of a stream that is held.
const LONGEST_LINE: usize = 256 * 1024 * 1024;
/// How long the stream may still give lines once the client has ended: others may hold it open.
const DRAIN: Duration = Duration::from_millis(500);
/// How often the client asks the model again by itself, and how often it shall: ten times, its own number, would multiply
/// with the retries of a run, out of sight.
const RETRIES: &str = "CLAUDE_CODE_MAX_RETRIES";
const OWN_RETRIES: &str = "2";
/// How often a signal or a time limit is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// How the client is started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Launch<'a> {
    /// The client's executable.
    pub(super) program: &'a Path,
    /// Its arguments.
    pub(super) args: &'a [String],
    /// What it reads on stdin.
    pub(super) prompt: &'a str,
    /// The run's id.
    pub(super) run: &'a str,
    /// How long it may say nothing.
    pub(super) idle: Option<Duration>,
    /// When it has to have ended.
    pub(super) deadline: Option<Instant>,
}

/// How a start of the client ended.
pub(super) struct EndedAttempt {
    /// What the stream said.
    pub(super) extractor: Extractor,
    /// The raw stream, up to [`INLINE_STDOUT`].
    pub(super) stdout: Option<String>,
    /// The end of what it wrote to stderr.
    pub(super) stderr: String,
    /// Its exit code; None after a signal.
    pub(super) exit_code: Option<i32>,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
    /// Why it was ended, where it did not end by itself.
    pub(super) stopped: Option<Stopped>,
    /// Whether a tool was called.
    pub(super) called_a_tool: bool,
}

/// Somebody who watches a run.
pub trait Watcher {
    /// A block of whole lines of the stream.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn lines(&mut self, block: &[u8]) -> io::Result<()>;
    /// Something that a person should know.
    fn say(&mut self, text: &str);
}

enum ClientNews {
    Lines(Vec<u8>),
    StreamEnded,
    Exited(Option<i32>),
}

/// Starts the client and follows it to its end. What it leaves running is for the caller.
///
/// # Errors
/// When it cannot be started, and when the watcher cannot keep what it is given.
pub(super) fn follow(launch: &Launch<'_>, signals: &Signals, watcher: &mut dyn Watcher) -> io::Result<EndedAttempt> {
    let mut child = start(launch)?;
    let pid = child.id().cast_signed();
    let (news, heard) = sync_channel(64);
    feed(child.stdin.take(), launch.prompt);
    read_lines(child.stdout.take(), news.clone());
    let stderr = read_tail(child.stderr.take());
    thread::spawn(move || news.send(ClientNews::Exited(child.wait().ok().and_then(|status| status.code()))));
    let mut following = Following::new(launch, signals, pid);
    let followed = following.run(&heard, watcher);
    if followed.is_err() {
        tree::end_one(pid, ProcessEnding::Killed);
    }
    followed?;
    // Whoever still holds the client's stderr may do so for long.
    let stderr = stderr.recv_timeout(DRAIN).unwrap_or_default();
    // The keeper gives both as a shell does.
    let ended = following.exit_code.filter(|_| following.stopped.is_none());
    let (code, signal) = (ended.filter(|code| *code <= 128), ended.filter(|code| *code > 128).map(|code| code - 128));
    Ok(EndedAttempt {
        extractor: following.extractor,
        stdout: following.stdout.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        exit_code: code,
        signal,
        stopped: following.stopped,
        called_a_tool: following.turns.called_a_tool,
    })
}

/// Starts the keeper, which starts the client.
fn start(launch: &Launch<'_>) -> io::Result<Child> {
    let own = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
    let keeper = ["keep", "--run", launch.run, "--"].map(OsString::from);
    let named = |error: io::Error| io::Error::new(error.kind(), format!("the client cannot be started: {error}"));
    let mut command = Command::new(own);
    if std::env::var_os(RETRIES).is_none() {
        command.env(RETRIES, OWN_RETRIES);
    }
    command
        .args(keeper)
        .arg(launch.program)
        .args(launch.args)
        .env(tree::RUN, launch.run)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(named)
}

fn feed(stdin: Option<ChildStdin>, prompt: &str) {
    let prompt = prompt.to_owned();
    // A client that does not read its prompt says why on its own.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(prompt.as_bytes())));
}

fn read_lines(stdout: Option<ChildStdout>, news: SyncSender<ClientNews>) {
    thread::spawn(move || {
        if let Some(stdout) = stdout {
            let mut lines = LineReader::of_lines_up_to(stdout, LONGEST_LINE);
            while let Ok(Some(block)) = lines.block() {
                if news.send(ClientNews::Lines(block.to_vec())).is_err() {
                    return;
                }
            }
        }
        let _ = news.send(ClientNews::StreamEnded);
    });
}

/// Reads the client's stderr; its end is sent once it has ended.
fn read_tail(stderr: Option<ChildStderr>) -> Receiver<Vec<u8>> {
    let (ended, tail_of) = sync_channel(1);
    thread::spawn(move || {
        let mut tail = Vec::new();
        let mut buffer = [0; 8192];
        let Some(mut stderr) = stderr else { return };
        while let Ok(read @ 1..) = stderr.read(&mut buffer) {
            tail.extend_from_slice(buffer.get(..read).unwrap_or_default());
            let over = tail.len().saturating_sub(STDERR);
            tail.drain(..over);
        }
        let _ = ended.send(tail);
    });
    tail_of
}

/// The state of a client that is followed.
struct Following<'a> {
    launch: &'a Launch<'a>,
    signals: &'a Signals,
    keeper: i32,
    extractor: Extractor,
    stdout: Option<Vec<u8>>,
    turns: Turns,
    heard_at: Instant,
    has_exited: bool,
    exit_code: Option<i32>,
    stream_ended: bool,
    stopped: Option<Stopped>,
    /// When it was asked to end.
    asked_at: Option<Instant>,
}

impl<'a> Following<'a> {
    fn new(launch: &'a Launch<'a>, signals: &'a Signals, keeper: i32) -> Self {
        Self {
            launch,
            signals,
            keeper,
            extractor: Extractor::default(),
            stdout: Some(Vec::new()),
            turns: Turns::default(),
            heard_at: Instant::now(),
            has_exited: false,
            exit_code: None,
            stream_ended: false,
            stopped: None,
            asked_at: None,
        }
    }

    fn run(&mut self, heard: &Receiver<ClientNews>, watcher: &mut dyn Watcher) -> io::Result<()> {
        while !(self.stream_ended && self.has_exited) {
            match heard.recv_timeout(LOOK) {
                Ok(ClientNews::Lines(block)) => self.lines(&block, watcher)?,
                Ok(ClientNews::StreamEnded) => self.stream_ended = true,
                Ok(ClientNews::Exited(code)) => {
                    (self.has_exited, self.exit_code) = (true, code);
                    self.heard_at = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.has_exited && self.heard_at.elapsed() > DRAIN {
                return Ok(());
            }
            self.look();
        }
        Ok(())
    }

    fn lines(&mut self, block: &[u8], watcher: &mut dyn Watcher) -> io::Result<()> {
        self.heard_at = Instant::now();
        self.stdout = self.stdout.take().filter(|kept| kept.len() + block.len() <= INLINE_STDOUT);
        if let Some(kept) = &mut self.stdout {
            kept.extend_from_slice(block);
        }
        for line in block.split(|byte| *byte == b'\n') {
            self.turns.look(line);
        }
        self.extractor.take(block);
        watcher.lines(block)
    }

    /// Ends the client where its time is up or a signal asks for it; kills the keeper where that does not help.
    fn look(&mut self) {
        if let Some(asked) = self.asked_at {
            // The keeper takes its own time to end what it keeps.
            if asked.elapsed() > GRACE * 3 && !self.has_exited {
                tree::end_one(self.keeper, ProcessEnding::Killed);
            }
            return;
        }
        let now = Instant::now();
        let silent = self.launch.idle.filter(|idle| now.duration_since(self.heard_at) >= *idle);
        let is_late = self.launch.deadline.is_some_and(|deadline| now >= deadline);
        self.stopped = match (self.signals.seen(), silent) {
            (Some(signal), _) => Some(Stopped::Signal(signal)),
            (None, Some(idle)) => Some(Stopped::Silent(format!("the client said nothing for {}", spelt(idle)))),
            (None, None) if is_late => Some(Stopped::Late("the time for this run is up".to_owned())),
            _ => return,
        };
        if self.has_exited {
            self.stopped = None;
        } else {
            self.asked_at = Some(now);
            tree::end_one(self.keeper, ProcessEnding::Asked);
        }
    }
}

fn spelt(span: Duration) -> String {
    duration(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}
