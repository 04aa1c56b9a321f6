//! What Codex CLI sends and writes, and what it honours.
