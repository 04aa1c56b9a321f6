//! Names that were probably meant by one that is not there: those that are close to it, and those that manifests declare.

mod alike;
mod manifests;

pub use alike::only_close;
pub use manifests::{MAKEFILES, declared};
