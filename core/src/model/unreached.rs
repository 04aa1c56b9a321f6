//! A host to which no connection was made.

use serde::{Deserialize, Serialize};

/// A host to which no connection was made: nothing that was asked of it took effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreached {
    /// Its name or address as the output has it, in small letters.
    pub host: String,
    /// Whether it refused: it is there, and nothing listens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

impl Unreached {
    /// The longest name that is kept.
    pub const LONGEST: usize = 120;

    /// Whether it is this machine.
    pub fn is_here(&self) -> bool {
        self.host == "localhost" || self.host.starts_with("127.") || matches!(&*self.host, "::1" | "0.0.0.0")
    }

    /// Whether the host itself did not answer, as far as the output tells.
    pub fn is_silent(&self) -> bool {
        !self.refused && !self.is_here()
    }
}
