//! Fingerprints of errors and the canonical identity of calls.
