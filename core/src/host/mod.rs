//! The clients' JSON in and out. Nothing else knows wire names. What stands here is Claude Code's, or shared; each other
//! client has a folder.
//!
//! `sender` tells whose a payload is. `payload` reads one hook payload, and the commands' part of this room a line of a session
//! file. Both build their calls in `call`, which reads the client's own phrases by `phrases` and other agents' frames around an
//! output by `frame`; so the same call gives the same value live and replayed. `answer` writes what a hook says.

pub mod answer;
mod asked;
pub mod call;
pub mod codex;
mod copilot;
pub mod edited;
mod frame;
mod gemini;
pub mod id;
pub mod notification;
pub mod payload;
pub mod phrases;
mod qwen;
pub mod said;
mod sender;
pub mod wire;

pub use id::is_known_id;
pub use phrases::task_output;
