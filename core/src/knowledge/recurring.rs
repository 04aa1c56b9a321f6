//! What a person is told of failures that come back.

/// What is to be told to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurringLine {
    /// One line, safe to show.
    pub text: String,
    /// The lessons that it is about, by names that stay the same: told once, they are not told again.
    pub lessons: Vec<String>,
}

impl RecurringLine {
    /// Both as one line.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { text: format!("{} {}", self.text, other.text), lessons: [self.lessons, other.lessons].concat() }
    }
}
