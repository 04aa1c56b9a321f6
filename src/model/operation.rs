//! The canonical identity of a call.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The canonical identity of a call: tool and normalised command, or tool and target file. Two calls with the same
/// operation do the same thing again; made by `signature::operation`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Operation(pub String);

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
