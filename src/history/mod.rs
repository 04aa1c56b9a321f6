//! The history as values: its events, the state they fold into, and the facts that rules read from that state.
//! Pure: the file itself belongs to `journal`.

mod event;
mod facts;
mod line;
mod state;

pub use event::{Effect, Event, EventKind};
pub use facts::{HistoryFacts, SiblingChange, Whereabouts, absolute, covers};
pub use line::{Line, parse};
pub use state::{Attempt, Background, Episode, Recent, State, seen_key};
