//! Verdicts for a fleet: what failed, as OpenTelemetry log records, written out or posted to where the user's own or the
//! machine's settings say. An edge: no hook links it, and without such a setting it opens no connection.

#![expect(clippy::disallowed_methods, reason = "an edge: it reads the user's settings, keeps marks and posts")]

mod mark;
mod post;
mod record;
mod settings;

pub use mark::{SentMark, ShipMarks, marks_file};
pub use post::{PostFault, Posted, post};
pub use record::{RecordMaker, ShipContent, ShipRecord, envelope, split};
pub use settings::{ShipSettings, ShipTo, ship_settings};
