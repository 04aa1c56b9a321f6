//! Which client an agent works in.

use super::{ToolKind, words};

words! {
    /// A client whose agents Failwise hears. What each of them says, writes and honours is in its folder of `host`.
    #[derive(Default)]
    pub enum Host {
        /// Claude Code.
        #[default]
        Claude = "claude",
        /// Codex CLI.
        Codex = "codex",
        /// GitHub Copilot CLI.
        Copilot = "copilot",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Qwen Code.
        Qwen = "qwen",
    }
}

impl Host {
    /// Its name, as people say it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "Copilot CLI",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
        }
    }

    /// It, where rows name it: all but the one that they mean without a name.
    pub fn named(self) -> Option<Self> {
        Some(self).filter(|host| !host.is_unnamed())
    }

    /// The file in a project in which its agents are given standing instructions.
    pub const fn instructions(self) -> &'static str {
        match self {
            Self::Claude => "CLAUDE.md",
            Self::Codex | Self::Copilot => "AGENTS.md",
            Self::Gemini => "GEMINI.md",
            Self::Qwen => "QWEN.md",
        }
    }

    /// The command that goes on with a session, `{}` in the place of its id.
    pub const fn resume(self) -> &'static str {
        match self {
            Self::Claude => "claude --resume {}",
            Self::Codex => "codex resume {}",
            Self::Copilot => "copilot --resume={}",
            Self::Gemini => "gemini --resume {}",
            Self::Qwen => "qwen --resume {}",
        }
    }

    /// A sentence that ends with the file of Claude Code's standing instructions, ending with this client's.
    #[must_use]
    pub fn fitted(self, sentence: String) -> String {
        match sentence.strip_suffix('.').and_then(|it| it.strip_suffix(Self::Claude.instructions())) {
            Some(before) => format!("{before}{}.", self.instructions()),
            None => sentence,
        }
    }

    /// Whether what works for a tool of this kind works for that of every other client: a command does. Their file tools have
    /// forms of their own.
    pub fn shares(self, kind: ToolKind) -> bool {
        self.is_unnamed() || kind == ToolKind::Shell
    }

    /// Whether it is the one that a row of the history does not name.
    pub fn is_unnamed(&self) -> bool {
        *self == Self::default()
    }
}

impl std::str::FromStr for Host {
    type Err = String;

    /// Reads the word of [`Host::as_str`]; an error names the known words.
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let known = || Self::ALL.map(Self::as_str).join(", ");
        Self::from_word(word).ok_or_else(|| format!("no such client; known: {}", known()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_the_clients_own_file() {
        let line = "`cat CLAUDE.md` failed: `failwise lessons` has a line for ";
        for host in Host::ALL {
            let fitted = host.fitted(format!("{line}CLAUDE.md."));
            assert_eq!(fitted, format!("{line}{}.", host.instructions()), "what was run stays as it was");
            assert_eq!(host.fitted(line.to_owned()), line);
        }
    }

    #[test]
    fn a_client_is_named_by_its_word() {
        for host in Host::ALL {
            assert_eq!(host.as_str().parse(), Ok(host));
            assert_eq!(serde_json::to_string(&host).unwrap(), format!("\"{host}\""));
        }
        assert_eq!(
            "cursor".parse::<Host>(),
            Err("no such client; known: claude, codex, copilot, gemini, qwen".to_owned())
        );
    }
}
