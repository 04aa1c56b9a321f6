//! Why a run failed: what its stream states as a code, and the words beside it.

use super::extract::{ApiError, ResultLine};
use crate::model::Category;

/// Why a run failed. A code decides over words: the text of an answer may quote anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cause {
    /// The code that the stream states, where it is known here.
    pub code: Option<&'static Code>,
    /// The client's word for the failure; empty where it has none.
    pub word: String,
    /// What was told of it.
    pub text: String,
}

/// What a code of a stream means.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The words that mean it: `terminal_reason`, `subtype`, HTTP status, type of the API's error, the client's own.
    words: &'static [&'static str],
    /// What kind of error it is.
    pub category: Category,
    /// What says that it may pass by itself; None where it does not.
    pub transient: Option<&'static str>,
    /// Whether only a person can help: credit, login, a wrong model, limits that a person set.
    pub for_people: bool,
}

const fn passing(words: &'static [&'static str], category: Category, hint: &'static str) -> Code {
    Code { words, category, transient: Some(hint), for_people: false }
}

const fn for_people(words: &'static [&'static str], category: Category) -> Code {
    Code { words, category, transient: None, for_people: true }
}

/// The codes, as the client states them.
#[rustfmt::skip]
const CODES: &[Code] = &[
    for_people(&["max_turns", "error_max_turns"], Category::ResourceExhausted),
    for_people(&["budget_exhausted", "error_max_budget_usd"], Category::ResourceExhausted),
    for_people(&["prompt_too_long", "image_error", "max_output_tokens", "413", "request_too_large"], Category::TooLarge),
    for_people(&["error_max_structured_output_retries"], Category::BadArguments),
    for_people(&["401", "authentication_error", "authentication_failed", "oauth_org_not_allowed"], Category::AuthRequired),
    for_people(&["402", "billing_error"], Category::ResourceExhausted),
    for_people(&["403", "permission_error"], Category::AuthRequired),
    for_people(&["404", "not_found_error", "model_not_found"], Category::RemoteNotFound),
    for_people(&["refusal"], Category::ToolUnavailable),
    for_people(&["400", "invalid_request_error", "invalid_request"], Category::BadArguments),
    passing(&["408"], Category::Timeout, "server_timeout"),
    passing(&["429", "rate_limit_error", "rate_limit"], Category::RateLimit, "http_429"),
    passing(&["529", "overloaded_error", "overloaded"], Category::ServiceError, "overloaded"),
    passing(&["500", "502", "503", "504", "api_error", "server_error"], Category::ServiceError, "http_5xx"),
    passing(&["connection_failed"], Category::Network, "connect"),
];

/// A client that was ended because it took too long.
const HANG: Code = for_people(&[], Category::Timeout);

impl Cause {
    /// A failure of which only words are known.
    pub fn of_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A client that was ended because it took too long: the same again would take as long.
    pub(super) fn hang(text: String) -> Self {
        Self { code: Some(&HANG), word: "timeout".to_owned(), text }
    }

    /// What a stream says of its failure: its last result, and the error of the API before it.
    pub(super) fn of_stream(line: Option<&ResultLine>, api_error: Option<&ApiError>, text: &str) -> Self {
        let status = line.and_then(|line| Some(line.api_error_status.as_ref()?.get().to_owned()));
        // An API error ends many a run; which one, the other codes say.
        let reason = line.and_then(|line| line.terminal_reason.clone()).filter(|reason| reason != "api_error");
        let of_line = |member: fn(&ResultLine) -> &Option<String>| line.and_then(|line| member(line).clone());
        let words = [
            reason,
            of_line(|line| &line.subtype),
            status,
            of_line(|line| &line.api_error_type),
            of_line(|line| &line.api_error),
            of_line(|line| &line.stop_reason).filter(|reason| reason == "refusal"),
            api_error.map(|error| error.word.clone()),
        ];
        let words: Vec<String> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
        let code = words.iter().find_map(|word| code_of(word));
        let word = words.iter().find(|word| code_of(word).is_some());
        Self { code, word: word.or(words.last()).cloned().unwrap_or_default(), text: text.to_owned() }
    }
}

fn code_of(word: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_one_code() {
        let mut words: Vec<&str> = CODES.iter().flat_map(|code| code.words.iter().copied()).collect();
        words.sort_unstable();
        let count = words.len();
        words.dedup();
        assert_eq!(words.len(), count);
    }

    #[test]
    fn a_code_decides_over_words() {
        let line = ResultLine {
            terminal_reason: Some("api_error".to_owned()),
            api_error_type: Some("billing_error".to_owned()),
            ..ResultLine::default()
        };
        let cause = Cause::of_stream(Some(&line), None, "API Error: 529 Overloaded");
        assert_eq!(cause.code.map(|code| (code.category, code.for_people)), Some((Category::ResourceExhausted, true)));
        assert_eq!(Cause::of_text("429").code, None);
    }
}
