//! What GitHub Copilot CLI sends and writes, and what it honours.
