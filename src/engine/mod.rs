//! From a tool call to what the history keeps of it: the one path that the hook, `failwise classify` and replay share.

mod observe;

pub use observe::{Decided, Observation, Scene, classified_event, decide, failure_of, observe};
