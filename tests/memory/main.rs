//! What sessions teach: lessons, test runs, and the state that histories fold into.

#[path = "../sandbox/data_folder.rs"]
mod data_folder;
#[path = "../sandbox/feeding.rs"]
mod feeding;
#[path = "../sandbox/trusting.rs"]
mod trusting;

mod ci_builds;
mod flakiness;
mod fold;
mod gate;
mod junit;
mod kb;
mod knowledge_data;
mod knowledge_month;
mod leaving;
mod ship;
mod standing;
mod team;
mod test_runs;
