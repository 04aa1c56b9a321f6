//! The hook as the client starts it: contract, sessions, hostile input, and the same answer as every other way in.

#[path = "../sandbox/data_folder.rs"]
mod data_folder;
#[path = "../sandbox/feeding.rs"]
mod feeding;
#[path = "../sandbox/tracking.rs"]
mod tracking;
#[path = "../sandbox/trusting.rs"]
mod trusting;

mod contract;
mod edit_text;
mod golden;
mod guard;
mod guard_replay;
mod hook_in_trouble;
mod hostile_input;
mod hosts;
mod hot_binary;
mod injection;
mod near_name;
mod one_engine;
mod only_people;
mod own;
mod quiet_commit;
