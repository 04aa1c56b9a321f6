//! The fingerprint of an error.

use serde::{Deserialize, Serialize};

/// The fingerprint of an error: 16 hexadecimal digits of SHA-256 over its normalised form.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// Equal for "the same failure": keeps path, symbol, test and module.
    pub fine: String,
    /// Equal for "the same kind of failure": masks the object too.
    pub coarse: String,
    /// The version of the rules that it was made by: the first one that makes this signature. Those of different versions
    /// never equal each other, so that what older builds kept is compared as far as it says the same.
    pub version: u32,
    /// Whether it says only that tests failed, and not which: two of these are never the same failure, and nothing is to
    /// be learned from one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vague: bool,
}

impl Signature {
    /// The newest version that this build makes: 4 where the program counts whose words nobody knows, else 3.
    pub const VERSION: u32 = 4;
    /// The oldest version that this build makes.
    pub const OLDEST: u32 = 3;

    /// Whether this build makes signatures of this version, so that they can be met again.
    pub const fn is_made(version: u32) -> bool {
        Self::OLDEST <= version && version <= Self::VERSION
    }

    /// The signature of what has no error: equal to nothing that failed.
    pub fn none() -> Self {
        Self { fine: String::new(), coarse: String::new(), version: Self::VERSION, vague: false }
    }

    /// The beginning of a fine signature, to find it by in the history; nothing of a text that is none.
    pub fn tag(fine: &str) -> &str {
        fine.get(..4).filter(|tag| tag.bytes().all(|byte| byte.is_ascii_hexdigit())).unwrap_or_default()
    }
}
