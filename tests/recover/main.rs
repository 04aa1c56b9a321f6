//! Recovery plans: what they propose, what becomes of it, and what hostile names do to them.

#[path = "../sandbox/data_folder.rs"]
mod data_folder;
#[path = "../sandbox/executor.rs"]
mod executor;
#[path = "../sandbox/feeding.rs"]
mod feeding;

mod hostile_plans;
mod plan_effects;
mod plan_sweep;
mod plans_properties;
mod plans_remember;
mod really_done;
mod recover;
