//! What was printed, as one that is asked for what it names: a plan looks nothing up in the text itself.

use crate::programs::words::{HOOK_RUNS, WAYS_ON};

/// What was printed.
#[derive(Debug, Clone, Copy)]
pub struct Printed<'t> {
    pub(super) text: &'t str,
}

impl<'t> Printed<'t> {
    /// Of a text.
    pub fn of(text: &'t str) -> Self {
        Self { text }
    }

    /// Whether it says nothing, but for the status that the client puts in front.
    pub fn is_blank(self) -> bool {
        self.text.lines().all(|line| line.trim().is_empty() || line.starts_with("Exit code "))
    }

    /// Whether a name or path stands in it.
    pub fn names(self, name: &str) -> bool {
        !name.is_empty() && self.text.contains(name)
    }

    /// The files that git does not track and would write over.
    pub fn untracked_in_the_way(self) -> Vec<&'t str> {
        let is_said = |line: &str| line.contains("untracked working tree files would be overwritten by");
        let list = self.text.lines().skip_while(|line| !is_said(line)).skip(1);
        list.take_while(|line| line.starts_with(['\t', ' '])).map(str::trim).collect()
    }

    /// Whether bytes were not those of the encoding in which a file was read.
    pub fn stumbles_over_bytes(self) -> bool {
        self.text.contains("UnicodeDecodeError") || self.text.contains("invalid byte sequence")
    }

    /// Whether tabs stood where blanks were read.
    pub fn stumbles_over_tabs(self) -> bool {
        self.text.contains("TabError")
    }

    /// The function that a linker found in none of the libraries that it was given.
    pub fn unlinked_function(self) -> Option<&'t str> {
        let (_, rest) = self.text.split_once("undefined reference to ")?;
        rest.trim_start_matches(['`', '\'']).split(['\'', '\n', '(']).next()
    }

    /// The script and the line where the shell refused a variable that is not set: `deploy.sh: line 3: TARGET: ...`.
    pub fn asked_variable(self) -> Option<(&'t str, u64)> {
        let is_sign = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        self.text.lines().find_map(|own| {
            let (script, rest) = own.split_once(": line ")?;
            let (line, rest) = rest.split_once(": ")?;
            let (name, _) = rest.split_once(": ")?;
            (name.len() > 1 && name.chars().all(is_sign)).then_some((script, line.parse().ok()?))
        })
    }

    /// Whether a database has no table of the name that was asked for.
    pub fn misses_table(self) -> bool {
        self.text.contains("no such table")
    }

    /// Whether a table has no column of the name that was asked for.
    pub fn misses_column(self) -> bool {
        self.text.contains("no such column")
    }

    /// Whether a database could not be opened, whatever lies there.
    pub fn misses_database(self) -> bool {
        self.text.contains("unable to open database")
    }

    /// The text that the client could not find in a file.
    pub fn sought_text(self) -> Option<&'t str> {
        let (_, told) = self.text.split_once("\nString: ")?;
        Some(told.trim_end().trim_end_matches("</tool_use_error>"))
    }

    /// The words that may be paths of files.
    pub fn file_names(self) -> impl Iterator<Item = &'t str> {
        let signs = |c: char| c.is_whitespace() || "'\"`‘’(),:".contains(c);
        let words = self.text.split(signs).map(|word| word.trim_end_matches('.'));
        words.filter(|word| (3..=200).contains(&word.len()) && word.contains('.') && !word.contains("//")).take(200)
    }

    /// The number of the run of checks whose address is told.
    pub fn checks_run(self) -> Option<&'t str> {
        let (_, rest) = self.text.split_once("/actions/runs/")?;
        rest.split(|c: char| !c.is_ascii_digit()).next().filter(|id| !id.is_empty())
    }

    /// The agents that the client lists.
    pub fn agents(self) -> impl Iterator<Item = &'t str> {
        let (_, list) = self.text.split_once("Available agents:").unwrap_or_default();
        list.split([',', '\n']).map(str::trim)
    }

    /// The names below a line, one a line, behind the one that says what they are.
    pub fn listed_below(self, line: &str) -> Vec<&'t str> {
        let list = self.text.lines().skip_while(|own| *own != line).skip(2);
        list.map(str::trim).take_while(|name| !name.is_empty()).collect()
    }

    /// A command that the tool itself prints as the way on, and that does no more than was asked for.
    pub fn suggested_command(self) -> Option<&'t str> {
        let plain = |line: &&str| {
            line.len() <= 200 && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -_./:@=+,".contains(&byte))
        };
        let begun = |line: &'t str, beginning: &str| {
            let command = line.get(line.find(beginning.trim_end())?..)?;
            command.starts_with(beginning).then_some(command)
        };
        // A command within a sentence stands in quotes.
        let parts = self.text.lines().flat_map(|line| line.split(['"', '`']));
        let mut lines = parts.map(|line| line.trim().trim_end_matches(';')).filter(plain);
        lines.find_map(|line| WAYS_ON.iter().find_map(|beginning| begun(line, beginning)))
    }

    /// What a program says to run of its own before it can work: `Run "terraform init" to install all modules`. Its other
    /// hints, such as `npm fund`, prepare nothing.
    pub fn own_preparation(self, program: &str) -> Option<&'t str> {
        const PREPARES: &[&str] = &[
            "init",
            "install",
            "sync",
            "fetch",
            "configure",
            "setup",
            "restore",
            "generate",
            "lock",
            "bootstrap",
            "prepare",
        ];
        let is_plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let prepares = |told: &'t str| {
            let words: Vec<&str> = told.strip_prefix(program)?.strip_prefix(' ')?.split(' ').collect();
            let is_whole =
                words.len() <= 2 && words.iter().all(is_plain) && !words.iter().any(|word| word.starts_with('-'));
            (is_whole && words.first().is_some_and(|first| PREPARES.contains(first))).then_some(told)
        };
        self.text.lines().find_map(|line| {
            let parts: Vec<&str> = line.split(['"', '\'', '`']).collect();
            let says = |before: &str| {
                before.trim_end().rsplit(' ').next().is_some_and(|word| word.eq_ignore_ascii_case("run"))
            };
            parts.windows(2).find_map(|two| prepares(two[1]).filter(|_| says(two[0])))
        })
    }

    /// The command that a hook of version control ran and that failed, as it can be run alone: the hook's own words for it,
    /// the script of a package that it started, or what it says to run.
    pub fn hook_command(self) -> Option<String> {
        let is_plain = |text: &&str| {
            let signs = |byte: u8| byte.is_ascii_alphanumeric() || b" -_./:@=".contains(&byte);
            (2..=100).contains(&text.len()) && !text.starts_with('-') && text.bytes().all(signs)
        };
        let lines = || self.text.lines().map(str::trim);
        let by_id = |line: &'t str| {
            let found = HOOK_RUNS.iter().find_map(|(before, run)| Some((line.strip_prefix(before)?, run)));
            found.filter(|(id, _)| is_plain(id) && !id.contains(' ')).map(|(id, run)| format!("{run} {id}"))
        };
        // `> shop@1.0.0 lint`, as package managers begin the output of a script.
        let by_script = |line: &'t str| {
            let (package, script) = line.strip_prefix("> ")?.split_once(' ')?;
            let is_script = package.contains('@') && is_plain(&script) && !script.contains(' ');
            is_script.then(|| format!("npm run {script}"))
        };
        let told = |line: &'t str| {
            let quoted = line.split_once("run '").and_then(|(_, rest)| rest.split_once('\''));
            let quoted = quoted.or_else(|| line.split_once("run `")?.1.split_once('`'));
            quoted.map(|(text, _)| text).filter(|text| is_plain(text) && text.contains(' ')).map(str::to_owned)
        };
        lines().find_map(told).or_else(|| lines().find_map(by_id)).or_else(|| lines().filter_map(by_script).next_back())
    }

    /// The words behind a program's name in the call of its help that is told: `run 'tool help linters' to see`.
    pub fn told_help(self, program: &str) -> Option<&'t str> {
        /// The most words of such a call.
        const WORDS: usize = 5;
        let is_plain =
            |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
        let asks = |told: &'t str| {
            let rest = told.strip_prefix(program)?.strip_prefix(' ')?;
            let words: Vec<&str> = rest.split(' ').collect();
            let is_help = words.first() == Some(&"help") || words.last() == Some(&"--help");
            ((2..WORDS).contains(&words.len()) && words.iter().all(is_plain) && is_help).then_some(rest)
        };
        self.text.lines().flat_map(|line| line.split(['\'', '"', '`'])).find_map(asks)
    }
}
