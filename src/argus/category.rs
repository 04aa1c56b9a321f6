//! The ten categories of the contract.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! categories {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// What kind of failure a test case met, in the words of the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum FailureCategory {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)*
        }

        impl FailureCategory {
            /// Every category, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

categories! {
    /// An expectation did not hold.
    AssertionMismatch = "ASSERTION_MISMATCH",
    /// A server answered 4xx or 5xx.
    HttpError = "HTTP_ERROR",
    /// A time limit passed.
    Timeout = "TIMEOUT",
    /// Nobody listens there.
    ConnectionRefused = "CONNECTION_REFUSED",
    /// A container used up its memory.
    ContainerOom = "CONTAINER_OOM",
    /// A container ended.
    ContainerCrash = "CONTAINER_CRASH",
    /// A mock saw a request that it has no route for.
    MockMismatch = "MOCK_MISMATCH",
    /// A configuration, schema or document is not valid.
    ConfigError = "CONFIG_ERROR",
    /// Another trouble of the network.
    NetworkError = "NETWORK_ERROR",
    /// Nothing of these.
    Unknown = "UNKNOWN",
}

impl FailureCategory {
    /// The category that a word of the wire names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|category| category.as_str() == word)
    }
}

impl fmt::Display for FailureCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
