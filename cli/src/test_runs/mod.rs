//! Test runs: what a run and a case are, read from what runners write.

mod bounded;
mod case_line;
mod compare;
mod container;
mod failed_as;
mod flaky;
mod junit;
mod recorded;
mod run;
mod trend;

pub use case_line::{CaseCounts, CaseLine, LONGEST_NAME as LONGEST_CASE_NAME};
pub use compare::{ComparedCase, Comparison, SameCounts};
pub use failed_as::{BASE_BRANCHES, FailedAs, is_standing};
pub use flaky::{CaseDid, CaseHealth, Evidence, FlakyLevel, HealthFilter, HealthPage, QUIET_MS, WINDOW, health, sort};
pub use junit::{JunitRefusal, MOST_CASES, Report, read};
pub use recorded::{Recorded, Recorder};
pub use run::{CaseStatus, ContainerEnd, Origin, RunSource, TestCase, TestRun};
pub use trend::{Direction, TREND_MS, Trend, TrendChange, TrendDay};
