//! Signals that ask a run to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

#[cfg(unix)]
const ENDING: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDING: [i32; 2] = [SIGINT, SIGTERM];

/// Remembers whether somebody asked this process to end.
#[derive(Debug, Clone)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Begins to listen: from now on these signals no longer end the process by themselves. One that whoever started the
    /// process told it to ignore, as `nohup` does, stays ignored.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn watch() -> io::Result<Self> {
        let seen = Arc::new(AtomicUsize::new(0));
        for signal in ENDING.into_iter().filter(|signal| !is_ignored(*signal)) {
            flag::register_usize(signal, Arc::clone(&seen), usize::try_from(signal).unwrap_or_default())?;
        }
        Ok(Self(seen))
    }

    /// The signal that came last; None where none did.
    pub fn seen(&self) -> Option<i32> {
        i32::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|signal| *signal != 0)
    }

    /// Whether it was Ctrl-C.
    pub fn is_interrupt(signal: i32) -> bool {
        signal == SIGINT
    }
}

/// Whether this process was started to ignore a signal, where the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
