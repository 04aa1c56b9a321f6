//! What must not be lost or let out: the history under damage and races, and secrets.

#[path = "../sandbox/data_folder.rs"]
mod data_folder;

mod hostile_ground;
mod journal;
mod redaction;
mod secrets;
