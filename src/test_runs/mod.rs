//! Test runs: what a run and a case are, read from what runners write.

mod run;

pub use run::{CaseRun, CaseStatus, ContainerEnd, RunSource, TestCase, TestRun};
