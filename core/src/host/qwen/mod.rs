//! What Qwen Code honours. It sends what Gemini CLI does, by Claude Code's names.

use super::answer::{Honours, Said};

/// What each event honours.
pub(super) const HONOURED: &[Honours] = &[
    Honours { context: Said::Inside, ..Honours::of("PostToolUse") },
    Honours { context: Said::Inside, ..Honours::of("PostToolUseFailure") },
    Honours { context: Said::Inside, refusal: Said::Inside, ..Honours::of("PreToolUse") },
    Honours { context: Said::Inside, ..Honours::of("UserPromptSubmit") },
    Honours { context: Said::Inside, ..Honours::of("SessionStart") },
    Honours { context: Said::Decision("block"), block: Said::Decision("block"), ..Honours::of("Stop") },
];
