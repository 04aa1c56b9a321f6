//! `history.jsonl`: one locked append, and the state kept beside it. The only module that writes files.

#![expect(clippy::disallowed_methods, reason = "an edge: the history is a file")]

mod doubt;
mod file;
mod follow;
#[cfg(feature = "cli")]
mod kept;
mod ledger;
mod lock;
mod origin;
#[cfg(feature = "cli")]
mod parts;
#[cfg(feature = "cli")]
mod readings;
mod segments;
mod states;
mod stock;
mod tidy;

pub(crate) use file::{make_private_dir, open_sized, read_all_at, read_small_bytes};
#[cfg(feature = "cli")]
pub(crate) use file::{named, open_append, open_lock, regular, wait_for};
pub use file::{read_end, read_lines, read_small};
pub use follow::{Followed, Follower};
#[cfg(feature = "cli")]
pub use kept::KeptSessions;
pub use ledger::{Journal, Ledger};
pub use lock::Lock;
#[cfg(feature = "cli")]
pub(crate) use origin::replace;
pub(crate) use origin::{opening, put_private};
#[cfg(feature = "cli")]
pub use parts::{HistoryParts, NewSessions};
#[cfg(feature = "cli")]
pub use readings::KeptReadings;
pub(crate) use states::STATE;
pub use stock::{Stored, StoredKind};

/// The history's file name inside its folder.
pub const HISTORY: &str = "history.jsonl";
/// The lock's file name beside it. What it holds tells how much of the history the states cover.
const LOCK: &str = "history.lock";
