//! What an output says of the way on, where that is another one than the call that failed.

use crate::programs::words::HALF_WAY;

use crate::model::Reading;
use crate::shell::Script;

/// Takes back what was put into the stash.
pub(crate) const STASH_POP: &str = "git stash pop";

/// Notes the command that the output of git offers to go on with, and of a stash that it kept the files in its way.
pub(super) fn note_way_on(reading: &mut Reading, text: &str) {
    if let Some(files) = kept_stash(text) {
        reading.files = files;
        reading.way_on = Some(STASH_POP.to_owned());
    } else {
        reading.way_on = HALF_WAY.iter().find(|command| text.contains(**command)).map(|command| (*command).to_owned());
    }
}

/// The files that are in the way of a stash which git kept because it could not take it back. None where no stash was
/// kept, or git merged it and left a conflict to solve.
fn kept_stash(text: &str) -> Option<Vec<String>> {
    if !text.contains("The stash entry is kept in case you need it again") {
        return None;
    }
    let (_, rest) = text.split_once("to the following files would be overwritten by merge:")?;
    let names = rest.lines().skip(1).map_while(|line| line.strip_prefix('\t'));
    let mut files: Vec<String> = names.map(|name| name.trim().to_owned()).take(Reading::MAX_OBJECTS).collect();
    files.dedup();
    Some(files).filter(|files| !files.is_empty())
}

/// The command that an output itself names as the next step: "running `go mod tidy` may solve the problem".
pub fn named_step(text: &str) -> Option<&str> {
    const ASKS: &[&str] = &["run", "running", "try", "use", "using", "execute", "with", "run:", "try:", "use:"];
    const LONGEST: usize = 80;
    text.lines().filter(|line| line.contains('`')).find_map(|line| {
        let parts = || line.split('`');
        let steps = parts().zip(parts().skip(1)).zip(parts().skip(2)).step_by(2);
        steps.map(|((before, step), _)| (before, step)).find_map(|(before, step)| {
            let last = before.split_whitespace().next_back()?.to_ascii_lowercase();
            let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_./:=@".contains(c);
            let is_short = step.len() <= LONGEST && step.chars().all(is_plain) && step.contains(' ');
            let script = Some(step).filter(|_| ASKS.contains(&&*last) && is_short).map(Script::parse)?;
            script.last().filter(|command| command.known.is_some() && !script.incomplete).map(|_| step)
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REFUSED: &str = "error: Your local changes to the following files would be overwritten by merge:\n\tsrc/a.go\n\tb.go\nPlease commit your changes or stash them before you merge.\nAborting\nThe stash entry is kept in case you need it again.";

    fn way_on(text: &str) -> (Option<String>, Vec<String>) {
        let mut reading = Reading::unrecognised();
        note_way_on(&mut reading, text);
        (reading.way_on, reading.files)
    }

    #[test]
    fn a_refused_stash_names_what_is_in_its_way() {
        assert_eq!(way_on(REFUSED), (Some(STASH_POP.to_owned()), vec!["src/a.go".to_owned(), "b.go".to_owned()]));
        let conflict = "Auto-merging a.go\nCONFLICT (content): Merge conflict in a.go\nThe stash entry is kept in case you need it again.";
        assert_eq!(way_on(conflict), (None, Vec::new()));
        assert_eq!(way_on(&REFUSED.replace("The stash entry is kept", "x")), (None, Vec::new()));
    }

    proptest! {
        #[test]
        fn the_next_step_is_a_command_that_the_output_asks_to_run(
            asks in proptest::sample::select(vec!["running", "Run", "try", "please use"]),
            step in proptest::sample::select(vec!["go mod tidy", "npm install", "cargo fmt --all"]),
            before in "[a-z ]{0,20}",
        ) {
            let named = |text: &str| named_step(text).map(str::to_owned);
            prop_assert_eq!(named(&format!("x\n{before} {asks} `{step}` to solve it")), Some(step.to_owned()));
            prop_assert_eq!(named(&format!("{before} because of `{step}` it fails")), None);
            prop_assert_eq!(named(&format!("{before} {asks} `{step} | sh`")), None);
        }

        #[test]
        fn no_text_makes_it_fail(text in "[`a-z \\n]{0,60}") {
            named_step(&text);
        }
    }

    #[test]
    fn the_way_on_is_what_git_offers() {
        assert_eq!(way_on("hint:     git rebase --continue").0.as_deref(), Some("git rebase --continue"));
        assert_eq!(way_on("fatal: Unable to create 'index.lock': File exists.").0, None);
    }
}
