//! The plan tree, read only.
