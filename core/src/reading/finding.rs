//! What an output says, by kind: found here once, for everything that comes after.

use crate::model::Finding;

use super::sentences::{finding_in, findings_in};

/// The most lines of a text that are looked at, from its end.
const MOST_LINES: usize = 400;

/// What the lines of a text say, each by its kind, in the order of the text.
pub fn findings(text: &str) -> Vec<Finding<'_>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(MOST_LINES);
    lines.get(from..).unwrap_or_default().iter().filter_map(|line| finding_in(line)).collect()
}

/// All that one line says, each kind once.
pub fn findings_of_line(line: &str) -> Vec<Finding<'_>> {
    findings_in(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::FindingKind as K;

    /// Sentences of real programs, with `NAME` where they name what is wrong.
    const WORDINGS: &[(K, &[&str])] = &[
        (
            K::UnknownOption,
            &[
                "Found argument 'NAME' which wasn't expected",
                "unexpected argument 'NAME'",
                "unexpected argument `NAME`",
                "unrecognized command-line option ‘NAME’",
                "unrecognized command line option ‘NAME’",
                "unrecognized command-line option 'NAME'",
                "unrecognized option 'NAME'",
                "unrecognized option ‘NAME’",
                "unrecognized argument: NAME",
                "unknown argument: 'NAME'",
                "bad option: NAME",
                "Unknown option or message digest: NAME",
                "unrecognized option `NAME'",
                "unrecognized option: NAME",
                "unknown option 'NAME'",
                "unknown option `NAME'",
                "unknown option: NAME",
                "unknown option NAME",
                "Unknown option: NAME",
                "Unknown option NAME",
                "invalid option -- 'NAME'",
                "unknown flag: NAME",
                "flag provided but not defined: NAME",
                "unrecognized arguments: NAME",
                "No such option: NAME",
                "no such option: NAME",
                "Unknown argument: NAME",
                "option NAME: is unknown",
                "unknown predicate `NAME'",
                "invalid option: NAME",
                "Unrecognized arguments: NAME",
            ],
        ),
        (
            K::UnknownSubcommand,
            &[
                "unrecognized subcommand 'NAME'",
                "no such command: `NAME`",
                "no such subcommand: `NAME`",
                "git: 'NAME' is not a git command",
                "unknown command \"NAME\"",
                "unknown command: \"NAME\"",
                "Unknown command: \"NAME\"",
                "unknown command 'NAME'",
                "unknown command: NAME",
                "go NAME: unknown command",
                "Invalid command 'NAME'",
                "invalid command 'NAME'",
                "unknown subcommand 'NAME'",
                "unknown subcommand: NAME",
                "docker: 'NAME' is not a docker command",
                "No such command 'NAME'",
                "Unknown subcommand: NAME",
            ],
        ),
        (
            K::UnknownScript,
            &[
                "Missing script: \"NAME\"",
                "missing script: NAME",
                "Command \"NAME\" not found",
                "Couldn't find a script named \"NAME\"",
                "Script not found \"NAME\"",
                "No rule to make target 'NAME'",
                "No rule to make target `NAME'",
                "justfile does not contain recipe `NAME`",
                "Justfile does not contain recipe `NAME`",
                "Don't know how to build task 'NAME'",
                "Task \"NAME\" does not exist",
                "task: Task \"NAME\" does not exist",
                "Command \"NAME\" is not defined",
            ],
        ),
        (
            K::UnknownRef,
            &[
                "invalid reference: NAME",
                "src refspec NAME does not match any",
                "ambiguous argument 'NAME'",
                "bad revision 'NAME'",
                "Remote branch NAME not found in upstream",
                "branch 'NAME' not found",
                "invalid upstream 'NAME'",
                "unknown revision or path not in the working tree: NAME",
                "fatal: 'NAME' is not a commit and a branch",
                "not a valid object name: 'NAME'",
                "Not a valid object name NAME",
                "merge: NAME - not something we can merge",
            ],
        ),
        (K::UnknownPathspec, &["pathspec 'NAME' did not match"]),
        (K::UnknownRemoteRef, &["couldn't find remote ref NAME"]),
        (
            K::UnknownRemote,
            &[
                "fatal: 'NAME' does not appear to be a git repository",
                "No such remote 'NAME'",
                "No such remote: 'NAME'",
            ],
        ),
        (
            K::InvalidValue,
            &[
                "invalid choice: 'NAME'",
                "invalid value 'NAME'",
                "no test target named `NAME`",
                "no bin target named `NAME`",
                "no example target named `NAME`",
                "package ID specification `NAME`",
                "does not contain this feature: NAME",
                "the package 'a' does not contain this feature: NAME",
                "does not have the feature `NAME`",
                "no bench target named `NAME`",
                "unknown workspace NAME",
            ],
        ),
    ];

    fn name_for(kind: K) -> BoxedStrategy<String> {
        match kind {
            K::UnknownOption => "--[a-z]{3,9}(-[a-z]{3,5})?".boxed(),
            _ => "[a-z]{2,3}q[a-z]{2,5}".boxed(),
        }
    }

    proptest! {
        #[test]
        fn what_is_wrong_is_named(
            (kind, wording, name) in (0..WORDINGS.len(), any::<prop::sample::Index>()).prop_flat_map(|(row, at)| {
                let (kind, wordings) = WORDINGS[row];
                (Just(kind), Just(*at.get(wordings)), name_for(kind))
            })
        ) {
            let line = wording.replace("NAME", &name);
            let found = finding_in(&line);
            prop_assert_eq!(found.map(|found| (found.kind, found.name)), Some((kind, Some(&*name))), "{}", line);
        }
    }

    #[test]
    fn what_only_the_kind_tells_is_told_from_its_like() {
        for (kind, lines) in [
            (
                K::UntrustedCertificate,
                &[
                    "curl: (60) SSL certificate problem: unable to get local issuer certificate",
                    "ERROR: The certificate of ‘tides.example’ is not trusted.",
                    "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed",
                    "  [cause]: Error: self-signed certificate",
                    "tls: failed to verify certificate: x509: certificate signed by unknown authority",
                    "invalid peer certificate: UnknownIssuer",
                ][..],
            ),
            (K::HostKeyChanged, &["Host key for [tides]:22 has changed and you have requested strict checking."]),
            (K::VersionsConflict, &["npm error code ERESOLVE", "error: failed to select a version for `tides`."]),
            (
                K::NotAFolder,
                &[
                    "mkdir: cannot create directory ‘tides’: Not a directory",
                    "ENOTDIR: not a directory, open '/tide/b'",
                ],
            ),
            (K::NoTerminal, &["gpg: cannot open '/dev/tty': No such device or address"]),
        ] {
            for line in lines {
                assert_eq!(finding_in(line).map(|found| found.kind), Some(kind), "{line}");
            }
        }
        for line in ["certificate written to tides.pem", "the key of the table has changed", "resolved 3 versions"] {
            assert_eq!(finding_in(line).map(|found| found.kind), None, "{line}");
        }
    }

    #[test]
    fn every_wording_is_found() {
        let mut wrong = Vec::new();
        for (kind, wordings) in WORDINGS {
            let name = if *kind == K::UnknownOption { "--tides" } else { "tides" };
            for wording in *wordings {
                let line = wording.replace("NAME", name);
                let found = finding_in(&line).map(|found| (found.kind, found.name));
                if found != Some((*kind, Some(name))) {
                    wrong.push(format!("{line}: {found:?}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
