//! Verdicts for a fleet: what failed, as OpenTelemetry log records, written out or posted to where the user's own or the
//! machine's settings say. An edge: no hook links it, and without such a setting it opens no connection.

#![expect(clippy::disallowed_methods, reason = "an edge: it reads the user's settings, keeps marks and posts")]

mod history;
mod mark;
mod post;
mod record;
mod repository;
mod settings;
mod unnamed;

pub use history::HistoryStep;
pub use mark::{RefusedRequest, SentMark, ShipMarks, marks_file, ship_files};
pub use post::{PostFault, Posted, Receiver};
pub use record::{LogsRequest, RecordMaker, RequestMaker, SharedAttributes, ShipContent, ShipRecord};
pub use repository::ProjectFacts;
pub use settings::{ShipSettings, ShipTo, ship_settings, unasked_settings};
