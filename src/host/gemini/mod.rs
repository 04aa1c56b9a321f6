//! What Gemini CLI sends and writes, and what it honours.
