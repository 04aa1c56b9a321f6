//! Names that were probably meant by one that is not there: those that are close to it, those that manifests declare, which
//! name of a failed call is missing, and which tracked path fits it.

mod alike;
mod manifests;
mod missing;
mod tracked;

pub use alike::{apart, is_other, only_begun, only_close, only_meant};
pub use manifests::{Declared, declared, lines_run_by, node_manifest};
pub use missing::{FailedLookup, MissingKind, MissingName, asked_for, missing, searched};
pub use tracked::Fitting;
