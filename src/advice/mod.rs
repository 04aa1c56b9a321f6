//! What the agent and the person hear, and what is open.

pub mod agent;
mod open;
pub mod person;
