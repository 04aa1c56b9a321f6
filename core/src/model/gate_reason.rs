//! Why words of a lesson do not leave the history by themselves.

use super::word::words;

words! {
    /// Why words do not leave by themselves.
    pub enum GateReason {
        /// Letters and digits mixed, or letters in no order of a language.
        Random = "a word of it looks random",
        /// A value behind an option or a name of which nobody knows what kind it is.
        UnknownValue = "it has a value of an unknown kind",
        /// It stands behind a word that takes a secret.
        BehindLogin = "it comes after a login",
        /// It starts a program.
        Starts = "it starts another program",
        /// It fetches.
        Fetches = "it fetches something",
        /// It sends.
        Uploads = "it sends something elsewhere",
        /// It changes settings.
        Configures = "it changes how a program is set up",
        /// It opens rights.
        Opens = "it opens rights",
        /// No kind that is known as harmless; for another project: nothing that the tool itself explains.
        Unexplained = "its tool does not explain it",
        /// It names a place outside the project.
        Outside = "it names a place outside the project",
        /// The line cannot be taken apart.
        Unreadable = "its words cannot be read to their end",
    }
}

impl GateReason {
    /// Whether the words may hold a secret, so that nobody keeps them as a lesson.
    pub fn hides(self) -> bool {
        matches!(self, Self::Random | Self::UnknownValue | Self::BehindLogin | Self::Unreadable)
    }
}
