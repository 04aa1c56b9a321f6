//! What outputs say: captures of tools, labelled calls, signatures and failure modes.

#[path = "../sandbox/data_folder.rs"]
mod data_folder;

mod corpus;
mod diagnose;
mod forms;
mod host_payloads;
mod host_sessions;
mod labelled;
mod passed_pairs;
mod precedence;
mod rows;
mod score;
mod signature_pairs;
mod signature_properties;
mod signature_stable;
mod tune_data;
mod wordings;
