//! Many sessions at once, in an order that does not depend on the number of threads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use super::Session;

/// How far work may run ahead of what was handed over: results wait in memory.
const AHEAD: usize = 64;

/// Calls `work` for every session, on up to `threads` threads, and `done` with each result in the order of the sessions.
/// When `done` breaks, no further session is begun.
pub fn each<T: Send>(
    sessions: &[Session],
    threads: usize,
    work: impl Fn(&Session) -> T + Sync,
    mut done: impl FnMut(&Session, T) -> ControlFlow<()>,
) {
    if threads <= 1 || sessions.len() <= 1 {
        for session in sessions {
            if done(session, work(session)).is_break() {
                return;
            }
        }
        return;
    }
    let queue = Queue::new(sessions.iter().map(|session| session.bytes).collect());
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.min(sessions.len()) {
            let sender = sender.clone();
            let (queue, work) = (&queue, &work);
            scope.spawn(move || {
                while let Some((number, session)) = queue.take().and_then(|n| Some((n, sessions.get(n)?))) {
                    if sender.send((number, work(session))).is_err() {
                        return;
                    }
                }
            });
        }
        // Only the threads' own senders are left, so that the loop below ends with the last of them.
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut handed = 0;
        for (number, result) in results {
            waiting.insert(number, result);
            while let Some((session, result)) = sessions.get(handed).zip(waiting.remove(&handed)) {
                handed += 1;
                if done(session, result).is_break() {
                    return queue.stop();
                }
            }
            queue.handed_over(handed);
        }
    });
}

/// Which session is next: the largest of those near the front, so that no large one is left for the end.
struct Queue {
    state: Mutex<QueueState>,
    moved: Condvar,
}

struct QueueState {
    /// The size of each session that nobody took.
    sizes: Vec<Option<u64>>,
    handed: usize,
    stopped: bool,
}

impl Queue {
    fn new(sizes: Vec<u64>) -> Self {
        let sizes = sizes.into_iter().map(Some).collect();
        Self { state: Mutex::new(QueueState { sizes, handed: 0, stopped: false }), moved: Condvar::new() }
    }

    /// The number of the next session; waits while work is too far ahead, None when there is nothing left.
    fn take(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            if state.stopped || state.sizes.iter().skip(state.handed).all(Option::is_none) {
                return None;
            }
            let near = state.sizes.iter().enumerate().skip(state.handed).take(AHEAD);
            let largest = near.filter_map(|(n, size)| size.map(|size| (size, std::cmp::Reverse(n)))).max();
            if let Some((_, std::cmp::Reverse(number))) = largest {
                if let Some(size) = state.sizes.get_mut(number) {
                    *size = None;
                }
                return Some(number);
            }
            // A poisoned lock holds plain numbers that stay right; the panic itself comes up at the end of the scope.
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn handed_over(&self, handed: usize) {
        self.state().handed = handed;
        self.moved.notify_all();
    }

    fn stop(&self) {
        self.state().stopped = true;
        self.moved.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
