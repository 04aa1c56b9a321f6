//! The ten categories of the contract.

use crate::model::words;

words! {
    /// What kind of failure a test case met, in the words of the contract.
    pub enum FailureCategory {
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
}
