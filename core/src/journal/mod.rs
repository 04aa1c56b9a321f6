//! `history.jsonl`: one locked append, and the state kept beside it. The only module that writes files.

#![expect(clippy::disallowed_methods, reason = "an edge: the history is a file")]

mod doubt;
mod file;
mod follow;
mod ledger;
mod lock;
mod origin;
mod segments;
mod states;
mod stock;
mod tidy;

pub use file::{make_private_dir, open_sized, private, read_all_at, read_small_bytes};
pub use file::{named, open_append, open_lock, regular, remove, wait_for};
pub use file::{read_end, read_lines, read_small};
pub use follow::{Followed, Follower};
pub use ledger::{Journal, Ledger};
pub use lock::Lock;
pub use origin::replace;
pub use origin::{opening, put_private};
pub(crate) use states::STATE;
pub use stock::{Stored, StoredKind};

/// The history's file name inside its folder.
pub const HISTORY: &str = "history.jsonl";
/// The lock's file name beside it. What it holds tells how much of the history the states cover.
const LOCK: &str = "history.lock";
