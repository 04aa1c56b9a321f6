//! Names that an output itself tells: the one that it takes for what was meant, and those that it lists as taken.

use super::Printed;

/// Words before a list of what is taken, each at the beginning of a word, in small letters.
const CUES: &[&str] = &[
    "choose",
    "choice",
    "possible",
    "valid",
    "allowed",
    "accept",
    "available",
    "known",
    "support",
    "permitted",
    "one of",
    "any of",
    "must be",
    "should be",
    "can be",
    "may be",
    "expect",
    "recogni",
    "registered",
    "existing",
    "defined",
    "declared",
    "configured",
    "legal",
    "not in ",
    "candidates",
    "options are",
    "options:",
    "use ",
];

/// The most names of a list: longer ones are no choice.
const MOST: usize = 80;

/// The longest line that is read, in bytes.
const LONGEST: usize = 4096;

impl<'t> Printed<'t> {
    /// All names that the output lists as those that are taken.
    pub fn listed_names(self) -> Vec<String> {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut found = Vec::new();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.len() <= LONGEST) {
            found.extend(Printed { text: line }.suggested_name());
            // A row of a help says what an option does.
            if line.trim_start().strip_prefix('-').is_some_and(|rest| !rest.starts_with(' ')) {
                continue;
            }
            for rest in behind_cues(line) {
                let opened = opened_list(rest);
                let names = if opened.trim().is_empty() { names_below(&lines[at + 1..]) } else { names_of(opened) };
                // One name alone is no choice.
                if (2..=MOST).contains(&names.len()) {
                    found.extend(names);
                }
            }
        }
        found
    }

    /// The names that a usage lists: `{build|check}`, `<start|stop>`, and the first words below `Commands:`.
    pub fn usage_names(self) -> Vec<&'t str> {
        if !says_usage(self.text, &["usage", "commands:"]) {
            return Vec::new();
        }
        let is_name = |name: &&str| {
            name.len() > 1
                && name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
        };
        let mut names: Vec<&str> = Vec::new();
        let mut is_list = false;
        for line in self.text.lines() {
            let lower = line.to_ascii_lowercase();
            for word in line.split([' ', '{', '}', '(', ')', '<', '>', '[', ']', ',']).filter(|word| word.contains('|'))
            {
                names.extend(word.split('|').filter(is_name));
            }
            let is_head = lower.trim_end().ends_with("commands:") || lower.trim_end().ends_with("subcommands:");
            if is_list && line.starts_with([' ', '\t']) {
                names.extend(line.split([' ', '\t', ',', ':']).find(|word| !word.is_empty()).filter(is_name));
            } else if !line.trim().is_empty() {
                is_list = is_head;
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the text shows how its program is called.
    pub fn shows_usage(self) -> bool {
        says_usage(self.text, &["usage:"])
    }

    /// The name that the output takes for the one that was meant.
    pub fn suggested_name(self) -> Option<String> {
        let mut lines = self.text.lines().peekable();
        while let Some(line) = lines.next() {
            let lower = line.to_ascii_lowercase();
            let Some(mark) = MEANT.iter().find(|mark| lower.contains(*mark)) else { continue };
            // The letters of ASCII fold in place: both lines have the same length.
            let at = lower.find(mark)? + mark.len();
            let rest = line.get(at..)?;
            let told = quoted_name(rest).or_else(|| plain_name(rest));
            let next = || {
                lines.peek().and_then(|next| {
                    plain_name(next).or_else(|| explained_name(next).filter(|_| rest.contains("this?")))
                })
            };
            if let Some(name) = told.or_else(next) {
                return Some(name);
            }
        }
        None
    }

    /// The long flags that a text names.
    pub fn long_flags(self) -> Vec<String> {
        let words = self.text.split(|c: char| c.is_whitespace() || ",[]()|=<>/\"'`".contains(c));
        let is_flag = |word: &&str| {
            word.len() > 3
                && word.len() <= 60
                && word.starts_with("--")
                && word[2..].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        let mut flags: Vec<String> = words.filter(is_flag).map(str::to_owned).collect();
        flags.sort();
        flags.dedup();
        flags
    }
}

fn says_usage(text: &str, words: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// What stands behind each cue of a line.
fn behind_cues(line: &str) -> Vec<&str> {
    // The letters of ASCII fold in place: both lines have the same length.
    let lower = line.to_ascii_lowercase();
    // `Commands: lint, format`
    let plurals = lower.match_indices("s: ").map(|(at, sign)| at + sign.len());
    let mut places: Vec<usize> = CUES
        .iter()
        .flat_map(|cue| lower.match_indices(cue).map(move |(at, _)| (at, at + cue.len())))
        .filter(|(at, _)| !lower.get(..*at).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric())))
        .map(|(_, end)| end)
        .chain(plurals)
        .collect();
    places.sort_unstable();
    places.iter().filter_map(|at| line.get(*at..)).collect()
}

/// The list behind a cue: behind a colon, in brackets, or behind a word that goes before lists.
fn opened_list(rest: &str) -> &str {
    /// Letters between a cue and its list: `values for the option are`.
    const BETWEEN: usize = 48;
    let near = |sign: &str| rest.find(sign).filter(|at| *at <= BETWEEN).map(|at| at + sign.len());
    // Behind a comma the list has begun already.
    let is_before_list = |at: &usize| *at <= BETWEEN && !rest.get(..*at).is_some_and(|before| before.contains(','));
    let sign = rest.find([':', '(', '[', '{', '\'', '"', '`', '‘', '“']).filter(is_before_list);
    let behind = match sign.and_then(|at| rest.get(at..)) {
        Some(list) if list.starts_with(['\'', '"', '`', '‘', '“']) => list,
        Some(list) => list.get(1..).unwrap_or_default(),
        None => {
            let word = [" from ", " of ", " are ", " is ", " be "].iter().filter_map(|word| near(word)).min();
            let list = word.and_then(|at| rest.get(at..)).unwrap_or(rest);
            // Words between blanks alone are a sentence.
            if list.contains([',', '|']) || list.contains(" or ") || list.trim().is_empty() { list } else { "." }
        }
    };
    // A colon may stand before a bracket: `one of: ['a', 'b']`.
    behind.trim_start_matches([' ', '[', '(', '{', ':'])
}

/// Names between commas, bars or blanks, up to what is none.
fn names_of(list: &str) -> Vec<String> {
    let list = list.replace(" (default)", "");
    let end = list.find(['(', ')', ']', '}', ';']).unwrap_or(list.len());
    let list = list.get(..end).unwrap_or_default();
    let list = list.split(". ").next().unwrap_or_default();
    let parts = list.replace(" or ", ",").replace(" and ", ",").replace(" | ", ",");
    let is_parted = parts.contains([',', '|']);
    let mut names = Vec::new();
    for part in parts.split(|c: char| c == ',' || c == '|' || !is_parted && c == ' ') {
        let part = part.trim();
        let part = part.strip_prefix("or ").or_else(|| part.strip_prefix("and ")).unwrap_or(part);
        if part.is_empty() {
            continue;
        }
        let name = part.split_whitespace().next().unwrap_or_default();
        let name =
            name.trim_matches(['\'', '"', '`', '‘', '’', '“', '”']).trim_end_matches(['.', '?', '!', ':', '\'', '"']);
        if !is_name(name) {
            break;
        }
        names.push(name.to_owned());
        // Behind the last name the sentence may go on.
        if is_parted && part.contains(' ') {
            break;
        }
    }
    names
}

/// The first words of the lines below, as far as they are set off or hold one word.
fn names_below(lines: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for line in lines {
        let own = line.trim();
        let is_set_off = line.starts_with([' ', '\t', '-', '*', '•']) || own.split_whitespace().count() == 1;
        if own.is_empty() && names.is_empty() {
            continue;
        }
        if own.is_empty() || !is_set_off {
            break;
        }
        let own = own.trim_start_matches(['-', '*', '•', ' ']);
        if own.contains(", ") {
            names.extend(names_of(own));
            continue;
        }
        let name = own.split_whitespace().next().unwrap_or_default();
        let name = name.trim_matches(['\'', '"', '`', ',', ':']);
        if is_name(name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// What tools say before a name that they take for the one that was meant, with what ends it.
const MEANT: &[&str] = &[
    "did you mean",
    "similar name exists",
    "similar argument exists",
    "similar subcommand exists",
    "some similar subcommands exist",
    "most similar command is",
    "most similar commands are",
    "perhaps you meant",
    "maybe you meant",
    "similar option is",
    "similarly named feature",
    "closest match",
];

fn quoted_name(text: &str) -> Option<String> {
    let from = text.find(['\'', '"', '`', '‘', '“'])?;
    let mut signs = text.get(from..)?.chars();
    let end = match signs.next()? {
        '‘' => '’',
        '“' => '”',
        sign => sign,
    };
    let name: String = signs.as_str().chars().take_while(|c| *c != end).collect();
    is_name(&name).then_some(name)
}

fn plain_name(text: &str) -> Option<String> {
    let text = text.trim_start_matches([' ', '\t', ':', '?']);
    let text = text.strip_prefix("this?").map_or(text, str::trim_start);
    let text = text.strip_prefix("one of these?").map_or(text, str::trim_start);
    let word = text.split_whitespace().next()?;
    let word = word.trim_end_matches(['?', '.', ',', ')']);
    // Of a whole command it is not told which word is meant.
    (is_name(word) && text.split_whitespace().count() <= 2).then(|| word.to_owned())
}

/// The last word of the only script that is meant, before what is said of it: `npm run test # run the "test" script`. In
/// `npm set # Set a value` it is a command of the program itself.
fn explained_name(text: &str) -> Option<String> {
    // Behind the program's own head, `npm error   `.
    let call = text.split_once(" # ")?.0.rsplit("  ").next()?;
    let word = call.split_whitespace().skip(2).last()?;
    is_name(word).then(|| word.to_owned())
}

/// Words that stand for a name behind a colon.
const FORMS: &[&str] = &["name", "value", "file", "path", "attr", "attribute", "function", "object"];

/// Whether a text can be the name of something: no sign of a sentence or a shell in it.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@+".contains(c) || c == '=' && name.starts_with('-');
    // `wsgi:name` says in which form a name is to be given.
    let is_form = name.rsplit_once([':', '=']).is_some_and(|(_, last)| FORMS.contains(&last));
    !name.is_empty() && name.len() <= 100 && name.chars().all(is_plain) && !is_form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_in_the_words_of_tools() {
        for (text, names) in [
            ("argument --mode: invalid choice: 'fats' (choose from 'fast', 'slow')", &["fast", "slow"][..]),
            ("argument --mode: invalid choice: 'fats' (choose from fast, slow)", &["fast", "slow"]),
            ("a.ini: unknown key 'x' in [build] (known keys: input_dir, minify)", &["input_dir", "minify"]),
            (
                "error: invalid value 'x' for '--color <C>'\n  [possible values: auto, always, never]",
                &["auto", "always", "never"],
            ),
            ("ValueError: bad solver: must be one of ['lbfgs', 'sag']", &["lbfgs", "sag"]),
            ("unknown variant `x`, expected `a1` or `b1`", &["a1", "b1"]),
            ("unknown field `x`, expected one of `name`, `version`, `size`", &["name", "version", "size"]),
            ("Input should be 'a1', 'b1' or 'c1' [type=literal_error]", &["a1", "b1", "c1"]),
            ("x is not one of 'a1', 'b1'.", &["a1", "b1"]),
            ("Allowed choices are a1, b1.", &["a1", "b1"]),
            ("Unknown env: x. Available environments: staging, production", &["staging", "production"]),
            ("unknown target x\navailable targets:\n  web\n  api   the service\n\nmore", &["web", "api"]),
            ("use json|yaml", &["json", "yaml"]),
            ("supported formats are: csv, json and xml", &["csv", "json", "xml"]),
            ("no such thing", &[]),
            ("no application in module 'wsgi'. Use 'wsgi:name' or 'wsgi:value' to specify one.", &[]),
        ] {
            let listed = Printed { text }.listed_names();
            assert!(
                names.is_empty() == listed.is_empty() && names.iter().all(|name| listed.iter().any(|own| own == name)),
                "{text}: {listed:?}"
            );
        }
    }

    #[test]
    fn programs_say_what_was_meant() {
        for (text, wanted) in [
            ("error: unexpected argument '--nmae' found\n\n  tip: a similar argument exists: '--name'", Some("--name")),
            (
                "git: 'stauts' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tstatus",
                Some("status"),
            ),
            ("error: no such command: `biuld`\n\nhelp: a command with a similar name exists: `build`", Some("build")),
            ("help: there is a similarly named feature: extra", Some("extra")),
            ("unknown command \"isue\" for \"gh\"\n\nDid you mean this?\n\tissue", Some("issue")),
            ("npm error Did you mean one of these?\nnpm error   npm run test # run the \"test\" package script", None),
            ("npm error Did you mean this?\nnpm error   npm set # Set a value in the npm configuration", None),
            ("npm error Did you mean this?\nnpm error   npm run test # run the \"test\" package script", Some("test")),
            ("nothing here", None),
        ] {
            assert_eq!(Printed { text }.suggested_name().as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn long_flags_of_a_help_are_listed() {
        let text = "  -n, --name <N>  the name\n  --dry-run[=X]";
        assert_eq!(Printed { text }.long_flags(), ["--dry-run", "--name"]);
    }
}
