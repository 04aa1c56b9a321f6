//! What the agent and the person hear, and what is open.

pub mod agent;
mod commit;
mod open;
pub mod person;
mod situation;
