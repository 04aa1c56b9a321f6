//! What only commands read or make of the clients' JSON: `transcript` reads one line of a session file or of a stream capture,
//! by the file that is named as its client; `head` tells what a line of an unknown file is, `trace` reads the calls of one;
//! `recovery` reads what a plan is asked for.

mod claude;
mod codex;
mod copilot;
mod files;
mod gemini;
pub mod head;
mod joins;
mod messages;
mod qwen;
pub mod recovery;
mod single;
mod spans;
pub mod trace;
pub mod transcript;
mod tree;

pub use failwise_core::host::{
    answer, call, edited, id, is_known_id, notification, payload, phrases, task_output, wire,
};
