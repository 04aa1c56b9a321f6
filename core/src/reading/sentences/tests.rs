use super::*;

fn category(text: &str) -> Option<C> {
    told(text, false).map(|told| told.category)
}

#[test]
fn sentences_of_programs_that_nobody_knows() {
    for (text, wanted) in [
        ("gizmo: 'buidl' is not a gizmo command. See 'gizmo --help'", C::BadArguments),
        ("Error: Theme folder does not exist: themes/blue", C::PathNotFound),
        ("\nUsage:  docker [OPTIONS] COMMAND\n\nA self-sufficient runtime", C::BadArguments),
        ("running\n2/9 TESTS FAILED", C::TestFailure),
        ("ssh: connect to host example.org port 22: Operation timed out", C::Network),
        ("Aborting commit due to empty commit message.", C::BadArguments),
        ("fatal: Unable to create '/w/.git/index.lock': Operation not permitted", C::PermissionDenied),
        ("weld: HTTP 503: Service Unavailable (https://example.org/api)", C::ServiceError),
        ("ERROR: server returned error (429)", C::RateLimit),
        ("error: plugin 'weld-x' could not be found", C::DependencyMissing),
        ("weld: you are not logged in", C::AuthRequired),
        ("weldd must be running", C::ConfigOrState),
        ("Error: failed to start the weld daemon", C::ServiceError),
        ("nginx: configuration file /etc/x.conf test failed", C::ConfigOrState),
        ("a.md:3:1 - line too long\n\n1 problem found", C::LintError),
        ("open a.txt: no such file or directory", C::PathNotFound),
        ("[Errno 13] Permission denied: '/x'", C::PermissionDenied),
        ("weld: error: option --frob requires a value", C::BadArguments),
    ] {
        assert_eq!(category(text), Some(wanted), "{text}");
    }
}

#[test]
fn what_says_nothing_is_not_read() {
    for text in ["", "the vault did not open", "building\ndone in 3 s", "Error: it broke", "✗ weld"] {
        assert_eq!(category(text), None, "{text}");
    }
}

#[test]
fn a_message_counts_before_its_type() {
    let of = |line| told_by_exception(line).map(|told| told.category);
    assert_eq!(of("weld.ThemeError: theme folder does not exist: a/b"), Some(C::PathNotFound));
    assert_eq!(of("Error: connect ECONNREFUSED 127.0.0.1:1"), Some(C::ServiceError));
    assert_eq!(of("TypeError: missing 1 required positional argument: 'x'"), None);
    assert_eq!(of("Error: it broke"), None);
}

#[test]
fn every_phrase_is_of_words_that_tokens_make() {
    for row in ROWS {
        for phrase in row.says {
            let words: Vec<String> = tokens(phrase).into_iter().map(|token| token.word).collect();
            let plain = phrase.replace("* ", "").replace("# ", "");
            assert_eq!(words.join(" ").replace("# ", ""), plain, "is cut otherwise");
        }
    }
}

#[test]
fn no_phrase_stands_twice_in_a_row() {
    for row in ROWS {
        for (at, phrase) in row.says.iter().enumerate() {
            assert!(!row.says[..at].contains(phrase), "{phrase}");
        }
    }
}
