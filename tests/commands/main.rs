//! The commands as people start them.

#[path = "../sandbox/data_folder.rs"]
mod data_folder;
#[path = "../sandbox/feeding.rs"]
mod feeding;
#[path = "../sandbox/learning.rs"]
mod learning;
#[path = "../sandbox/trusting.rs"]
mod trusting;

mod analysis;
mod data;
mod episodes;
mod habits;
mod hosts;
mod install;
mod lessons;
mod money;
mod month;
mod named_errors;
mod own_commands;
mod render;
mod replay;
mod report;
mod result;
mod run;
mod sessions;
mod show;
mod watch;
mod why;
