//! What Claude Code writes. Its payloads and answers stand beside this folder.

pub(super) mod session;
