//! Whether a lesson is about a failed call.

use crate::text::holds_word;

/// What of a failed call tells whether a lesson is about it: short words, to be looked for as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signs {
    /// What has to stand in the command or target.
    pub needed: Vec<String>,
    /// What says that the call does it already: in its command, or at the end of the folder that it ran in.
    pub done: Vec<String>,
    /// What the error itself may offer, so that nobody has to be told.
    pub offered: Vec<String>,
    /// What the error has to say.
    pub printed: Vec<String>,
}

impl Signs {
    /// Whether the lesson is to be told of this call: its command or target, its folder, and what was printed.
    pub fn fit(&self, input: &str, cwd: Option<&str>, text: &str) -> bool {
        let is_done = |word: &String| holds_word(input, word) || cwd.is_some_and(|cwd| ends_in(cwd, word));
        self.needed.iter().all(|word| input.contains(word.as_str()))
            && !self.done.iter().any(is_done)
            && self.printed.iter().all(|word| text.contains(word.as_str()))
            && !self.is_offered_in(text)
    }

    /// Whether an error offers the way out: `Did you mean .golangci.yaml?`. That it stands in a list of everything there is
    /// does not count, but a command in full does.
    fn is_offered_in(&self, text: &str) -> bool {
        if self.offered.is_empty() {
            return false;
        }
        let is_command = |word: &String| word.contains(' ');
        if self.offered.iter().all(is_command) {
            return self.offered.iter().all(|command| text.contains(command.as_str()));
        }
        let offers = text.match_indices('\n').map(|(at, _)| at + 1).chain([0]).filter(|start| {
            let line = text[*start..].lines().next().unwrap_or_default().to_ascii_lowercase();
            OFFERS.iter().any(|words| line.contains(words))
        });
        let near = |start: usize| text[start..].lines().take(OFFERED).collect::<Vec<_>>();
        let has_all = |lines: &[&str]| self.offered.iter().all(|word| lines.iter().any(|line| holds_word(line, word)));
        offers.map(near).any(|lines| has_all(&lines))
    }
}

/// Words with which a program offers something else, and how many lines the offer may take.
const OFFERS: &[&str] = &["did you mean", "do you mean", "similar", "instead", "perhaps", "maybe", "try ", "suggest"];
const OFFERED: usize = 4;

fn ends_in(folder: &str, part: &str) -> bool {
    folder.trim_end_matches('/').strip_suffix(part).is_some_and(|rest| rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::Signs;

    #[test]
    fn a_longer_word_is_another_one() {
        let words = |word: &str| vec![word.to_owned()];
        let signs =
            Signs { needed: words("--fix-all"), done: words("--fix"), offered: words("--fix"), ..Signs::default() };
        let error = "Invalid option '--fix-all' - perhaps you meant something else";
        assert!(signs.fit("eslint --fix-all src", None, error));
        assert!(!signs.fit("eslint --fix --fix-all src", None, error));
        assert!(!signs.fit("eslint --fix-all src", None, "Invalid option. Did you mean --fix?"));
    }
}
