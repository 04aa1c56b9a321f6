//! Claude Code's JSON in and out. Nothing else knows wire names.
