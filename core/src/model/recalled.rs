//! What worked before where the same failure was met in an earlier session.

use super::Category;

/// A failure, as far as what worked before is looked for by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sought<'a> {
    /// The fine signature: "the same failure".
    pub fine: &'a str,
    /// The coarse signature: "the same kind of failure", for what holds with any object.
    pub coarse: &'a str,
    /// What kind of error it is.
    pub category: Category,
    /// The client's session. What it taught itself is not told to it.
    pub session: Option<&'a str>,
    /// The failure's object, where it names one: it takes the place of `{object}`.
    pub object: Option<&'a str>,
    /// The test that failed, where it was only one: what is known of a case holds in whatever way it fails.
    pub test: Option<&'a str>,
    /// The call's command or target as given, redacted.
    pub input: Option<&'a str>,
    /// The folder that it ran in.
    pub cwd: Option<&'a str>,
    /// What it printed, redacted.
    pub text: &'a str,
    /// When it failed, RFC 3339 UTC.
    pub now: &'a str,
    /// Whether the agent asks: then it also hears what others found in their next call, and nothing that mends nothing.
    pub asked: bool,
}

/// What worked before, as the agent is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// The fix: 8 hexadecimal digits, the name by which it is counted and found.
    pub id: String,
    /// The sentence behind the call's own name and a colon.
    pub words: String,
    /// Whether it only says that earlier sessions met the same finding. That is no sentence of its own.
    pub seen_before: bool,
}
