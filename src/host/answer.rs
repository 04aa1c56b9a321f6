//! Hook answers.
