//! The clients' JSON in and out. Nothing else knows wire names. What stands here is Claude Code's, or shared; each other
//! client has a folder.
//!
//! `sender` tells whose a payload is. `payload` reads one hook payload, `transcript` one line of a session file or of a stream capture. Both build their
//! calls in `call`, which reads the client's own phrases by `phrases` and other agents' frames around an output by `frame`;
//! so the same call gives the same value live and replayed. `answer` writes what a hook says. `labelled` makes a payload of
//! a call that a person labelled; `head` tells
//! what a line of an unknown file is.

pub mod answer;
mod asked;
mod call;
mod claude;
pub mod codex;
mod copilot;
pub mod edited;
mod files;
mod frame;
mod gemini;
pub mod head;
mod id;
mod joins;
mod messages;
mod notification;
pub mod payload;
mod phrases;
mod qwen;
mod sender;
mod single;
mod spans;
pub mod trace;
pub mod transcript;
mod tree;
pub mod wire;

pub use id::is_known_id;
pub use phrases::task_output;
