//! The one step: from a call that ended, or other news of a session, to the events that are kept and what is said.
//!
//! The hook, `failwise classify` and `failwise replay` all take it. What only they know, such as where settings, plan and
//! history lie, they answer through [`Surroundings`] and [`Past`], each only where a failure asks for it.

mod checks;
mod deeds;
mod intent;
mod observe;
mod past;
mod planned;
mod step;

pub use deeds::written_files;
pub use intent::{announces_failure, announces_red_phase};
pub use observe::{Examined, Scene, examine, failure_of, observe};
pub use past::{Past, States};
pub use step::{Engine, News, Observed, Step, Surroundings};
