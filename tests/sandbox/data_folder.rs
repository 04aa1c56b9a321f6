//! Recorded sessions and labelled calls of third parties, which are no part of the project: tests read them where there
//! are any.

#![expect(clippy::disallowed_methods, reason = "the place of the data is given by the environment")]

use std::path::{Path, PathBuf};

/// The folder of the data, where there is one: that which `FAILWISE_DATA` names, else `../shared/data`.
pub(crate) fn data_folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    Some(std::env::var_os("FAILWISE_DATA").map_or_else(beside, PathBuf::from)).filter(|folder| folder.is_dir())
}
