//! Names that were probably meant by one that is not there: those that are close to it, those that manifests declare, and
//! which name of a failed call is missing.

mod alike;
mod manifests;
mod missing;

pub use alike::{apart, only_close, only_meant};
pub use manifests::{Declared, MAKEFILES, declared, node_manifest};
pub use missing::{Failing, Missing, Named, NearName, asked_for, missing};
