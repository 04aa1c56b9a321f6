//! A failure with what stands around it: what strategies look at, and how they change the failed call.

use serde_json::{Map, Value};

use super::failed::Failed;
use super::look::{FileKind, MachineLooks};
use super::past::LearnedFix;
use super::step::{Deed, PlanStep};
use super::tools::{ToolDialect, Tools};
use crate::forms::{LineEdit, with_edits};
use crate::model::{Category, Finding, FindingKind, Outcome};
use crate::programs::Trait;
use crate::programs::words::GOES_TO;
use crate::reading::{Printed, failed_command, findings};
use crate::shell::{Command, Fate, PlacedWord, Script, WordRole, line_of, placed_words, with_words};

/// A failure and its surroundings.
pub(super) struct Case<'a> {
    /// What failed.
    pub(super) failed: &'a Failed,
    /// The tools that are there.
    pub(super) tools: &'a Tools,
    /// What can be seen of the machine.
    pub(super) looks: &'a dyn MachineLooks,
    /// The command line taken apart.
    pub(super) script: Option<Script>,
    /// Its words; none of a line that is not whole.
    pub(super) words: Vec<PlacedWord>,
    /// What worked in earlier sessions, the best first.
    pub(super) learned: &'a [LearnedFix],
    /// What was printed says, by kind.
    findings: Vec<Finding<'a>>,
}

/// A strategy that can be offered here.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Offer {
    /// What it does here, where that says more than the table.
    pub(super) description: Option<String>,
    /// Its steps.
    pub(super) steps: Vec<PlanStep>,
    /// Why it is offered: what was seen.
    pub(super) why: String,
    /// What of the environment explains the failure, where this was seen.
    pub(super) state: Option<String>,
    /// How sure it is to help, where more is known of that than the table says.
    pub(super) confidence: Option<f64>,
    /// Whether its own record puts it first.
    pub(super) is_proven: bool,
    /// Whether a word of the call was replaced by another that nobody named.
    pub(super) is_guess: bool,
}

impl Offer {
    /// Steps, and why.
    pub(super) fn new(why: impl Into<String>, steps: Vec<PlanStep>) -> Self {
        Self { steps, why: why.into(), ..Self::default() }
    }

    /// Steps, and what was seen: it is why they are offered, and explains the failure.
    pub(super) fn explained(state: impl Into<String>, steps: Vec<PlanStep>) -> Self {
        let state = state.into();
        Self::new(state.clone(), steps).seen(state)
    }

    /// With what it does here.
    #[must_use]
    pub(super) fn doing(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// With a word in the place of one that the call gave.
    #[must_use]
    pub(super) fn guessing(mut self) -> Self {
        self.is_guess = true;
        self
    }

    /// With what explains the failure.
    #[must_use]
    pub(super) fn seen(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }
}

/// Why a strategy is not offered, or what it is.
pub(super) type Offered = Result<Offer, &'static str>;

/// A line in braces, as one part of a longer line. Where nothing in it needs a line end, all of it can be typed as one line.
pub(super) fn braced(line: &str) -> String {
    let line = line.trim_end();
    let line = if line.ends_with("\\;") { line } else { line.trim_end_matches(';') };
    let end = match line {
        // A comment and a here-document go on until the line's end.
        _ if line.contains(['#', '\n']) => "\n",
        _ if line.ends_with('&') => " ",
        _ => "; ",
    };
    format!("{{ {line}{end}}}")
}

impl<'a> Case<'a> {
    /// A failure with its surroundings.
    pub(super) fn new(
        failed: &'a Failed,
        tools: &'a Tools,
        looks: &'a dyn MachineLooks,
        learned: &'a [LearnedFix],
    ) -> Self {
        let script = (!failed.shown.is_empty()).then(|| Script::parse(failed.line.as_deref().unwrap_or(&failed.shown)));
        let words = failed.line.as_deref().and_then(placed_words).unwrap_or_default();
        let findings = findings(&failed.text);
        Self { failed, tools, looks, script, words, learned, findings }
    }

    /// The category that is acted on.
    pub(super) fn category(&self) -> Category {
        self.failed.kind_of_error()
    }

    /// Whether the failed call is a command line.
    pub(super) fn is_shell(&self) -> bool {
        self.failed.command_key.is_some()
    }

    /// Whether the input speaks the contract's names.
    pub(super) fn is_contract(&self) -> bool {
        self.tools.dialect == ToolDialect::Contract
    }

    /// What was printed, to be asked for what it names.
    pub(super) fn printed(&self) -> Printed<'a> {
        Printed::of(&self.failed.text)
    }

    /// What was printed says of this kind, the first where it says it more than once.
    pub(super) fn finding(&self, kind: FindingKind) -> Option<&Finding<'a>> {
        self.findings.iter().find(|finding| finding.kind == kind)
    }

    /// Whether what was printed says one of these.
    pub(super) fn finds(&self, kinds: &[FindingKind]) -> bool {
        self.findings.iter().any(|finding| kinds.contains(&finding.kind))
    }

    /// What it is about that was printed of a kind, the first that names it.
    pub(super) fn named(&self, kind: FindingKind) -> Option<&'a str> {
        self.findings.iter().filter(|finding| finding.kind == kind).find_map(|finding| finding.name)
    }

    /// What was printed says, in its order.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding<'a>> {
        self.findings.iter()
    }

    /// The commands of the line.
    pub(super) fn commands(&self) -> impl Iterator<Item = &Command> {
        self.script.iter().flat_map(|script| script.programs().map(|(_, command)| command))
    }

    /// The command that failed, as [`failed_command`] tells it.
    pub(super) fn command(&self) -> Option<&Command> {
        let script = self.script.as_ref()?;
        let is_lost = self.failed.outcome == Outcome::MaskedFailure;
        let could = |at| (script.status_of(at) == Fate::Kept) != is_lost;
        script.get(failed_command(script, Some(&self.failed.reading), &[&self.failed.text], could)?)
    }

    /// The folder that the failed command ran in, as the line's own `cd` names it, relative to the call's.
    pub(super) fn folder(&self) -> String {
        let Some(script) = &self.script else { return String::new() };
        let wanted = self.command();
        // Where the folder that was entered is there, it is what runs in it that failed.
        let entered = wanted.filter(|wanted| wanted.is(Trait::Enters)).and_then(|_| {
            let (at, _) = script.programs().find(|(_, command)| !command.is(Trait::Enters))?;
            let folder = script.directories_before(at).iter().fold(String::new(), |path, part| join(&path, part));
            (self.looks.kind(&folder) == Some(FileKind::Dir)).then_some(folder)
        });
        if let Some(folder) = entered {
            return folder;
        }
        let at = script.programs().find(|(_, command)| wanted.is_some_and(|wanted| std::ptr::eq(*command, wanted)));
        let own = at.and_then(|(_, command)| named_folder(command));
        let folder = at
            .map(|(at, _)| script.directories_before(at))
            .unwrap_or_default()
            .iter()
            .fold(String::new(), |path, part| join(&path, part));
        // What the option names is gone to only where it is there.
        let named = own.map(|own| join(&folder, own));
        let is_there = |named: &String| !self.looks.is_looking() || self.looks.kind(named) == Some(FileKind::Dir);
        named.filter(is_there).unwrap_or(folder)
    }

    /// A path of the failed command as one that is looked at from the call's folder.
    pub(super) fn at(&self, path: &str) -> String {
        join(&self.folder(), path)
    }

    /// A line to be run in the folder where the failed command ran.
    pub(super) fn in_folder(&self, line: &str) -> String {
        match self.folder() {
            folder if folder.is_empty() => line.to_owned(),
            folder => format!("{} && {line}", line_of(["cd", &folder])),
        }
    }

    /// The word that starts a command, the first where several are alike.
    pub(super) fn word_of(&self, command: &Command) -> Option<&PlacedWord> {
        self.words.iter().find(|word| word.role == WordRole::Program && word.text == command.raw)
    }

    /// The arguments of the command that a word belongs to.
    pub(super) fn arguments_of(&self, word: &PlacedWord) -> impl Iterator<Item = &PlacedWord> {
        let command = word.command;
        self.words.iter().filter(move |other| other.command == command && other.role == WordRole::Argument)
    }

    /// The program's own word, where the line has it once.
    pub(super) fn program_word(&self, program: &str) -> Option<&PlacedWord> {
        let is_it = |word: &&PlacedWord| word.role == WordRole::Program && word.is_literal && word.text == program;
        let mut found = self.words.iter().filter(is_it);
        let word = found.next()?;
        found.next().is_none().then_some(word)
    }

    /// The failed call with another command line: its other arguments stay.
    pub(super) fn again_with(&self, line: String) -> Option<Deed> {
        let line = self.failed.chain().and_then(|chain| chain.left_of(&line)).unwrap_or(line);
        let key = self.failed.command_key.clone()?;
        let mut args = self.failed.args.clone();
        // The old description is of the old line.
        args.remove("description");
        args.insert(key, Value::String(line));
        Some(Deed::Again { tool: self.failed.tool.clone(), args })
    }

    /// The failed call with some words of its line replaced.
    pub(super) fn again_replacing(&self, replaced: &[(&PlacedWord, &str)]) -> Option<Deed> {
        let line = self.failed.line.as_deref()?;
        let mut replaced = replaced.to_vec();
        replaced.sort_by_key(|(word, _)| word.range.start);
        self.again_with(with_words(line, &replaced))
    }

    /// The failed call with one word of its line replaced by a text that may be several words already quoted.
    pub(super) fn again_with_text(&self, word: &PlacedWord, text: &str) -> Option<Deed> {
        self.again_edited(vec![(word.range.clone(), text.to_owned())])
    }

    /// The failed call with other texts in the place of some parts of its line. The texts are words that are quoted already;
    /// where one is empty, the blank before it goes, too.
    pub(super) fn again_edited(&self, edits: Vec<LineEdit>) -> Option<Deed> {
        self.again_with(self.edited_line(edits)?)
    }

    /// The failed line with other texts at some places.
    pub(super) fn edited_line(&self, edits: Vec<LineEdit>) -> Option<String> {
        with_edits(self.failed.line.as_deref()?, edits)
    }

    /// The failed call with other arguments.
    pub(super) fn again_changing(&self, changes: &[(&str, Value)]) -> Deed {
        let mut args: Map<String, Value> = self.failed.args.clone();
        for (name, value) in changes {
            args.insert((*name).to_owned(), value.clone());
        }
        Deed::Again { tool: self.failed.tool.clone(), args }
    }

    /// What is left of the failed line, where a part of it has run by now.
    pub(super) fn left(&self) -> Option<String> {
        self.failed.chain()?.left_of(self.failed.line.as_deref()?)
    }

    /// The failed call, but for what of it has run by now.
    pub(super) fn again(&self) -> Deed {
        if let Some(deed) = self.left().and_then(|left| self.again_with(left)) {
            return deed;
        }
        Deed::Again { tool: self.failed.tool.clone(), args: self.failed.args.clone() }
    }

    /// Whether the failed call can be made again from what is known: its arguments are whole.
    pub(super) fn is_whole(&self) -> bool {
        !self.failed.args.is_empty() && (!self.is_shell() || self.failed.line.is_some())
    }

    /// Whether a script refused to begin, because one of the variables that it asks for first is not set.
    pub(super) fn refuses_unset(&self) -> bool {
        let asked = self.printed().asked_variable();
        asked.is_some_and(|(script, line)| line <= FIRST_LINES && self.looks.is_own(&self.at(script)))
    }

    /// What a link of the failed command leads to.
    pub(super) fn link(&self, path: &str) -> Option<String> {
        self.looks.link(&self.at(path)).filter(|_| self.folder().is_empty())
    }

    /// What stands at a path of the failed command.
    pub(super) fn kind(&self, path: &str) -> Option<FileKind> {
        self.looks.kind(&self.at(path))
    }
}

/// So many lines of a script only set it up.
const FIRST_LINES: u64 = 8;

/// The folder that an option of a command names, to which it goes before it does anything.
pub(super) fn named_folder(command: &Command) -> Option<&str> {
    let options = GOES_TO.iter().filter(|(program, _)| *program == command.name());
    let mut named = options.filter_map(|(_, option)| {
        let at = command.args.iter().position(|arg| arg == option)?;
        command.args.get(at + 1)
    });
    named.next().map(String::as_str).filter(|folder| !folder.contains(['$', '`']))
}

/// A path below a folder: the path itself where it is absolute or the folder is empty.
pub(super) fn join(folder: &str, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    match folder {
        _ if path.starts_with(['/', '~']) => path.to_owned(),
        "" | "." => path.to_owned(),
        folder if path.is_empty() || path == "." => folder.to_owned(),
        folder => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}

/// The folder of a path: `.` for a bare name, `/` for what stands there.
pub(super) fn parent(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
        None if path.starts_with('/') => "/".to_owned(),
        None => ".".to_owned(),
    }
}

/// The name at the end of a path, whatever it ends in.
pub(super) fn name_of(path: &str) -> &str {
    crate::text::file_name(path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_braces_is_whole_and_stays_one_line_where_it_can() {
        for (line, wanted) in [
            ("git add . && git pull;", "{ git add . && git pull; }"),
            ("find . -exec ls {} \\;", "{ find . -exec ls {} \\;; }"),
            ("serve & ", "{ serve & }"),
            ("make # all", "{ make # all\n}"),
            ("cat <<E\na\nE", "{ cat <<E\na\nE\n}"),
        ] {
            assert_eq!(braced(line), wanted);
            assert!(!Script::parse(wanted).incomplete, "{wanted}");
        }
    }

    #[test]
    fn paths_are_taken_apart_by_their_letters() {
        for (path, folder, name) in [
            ("config.yaml", ".", "config.yaml"),
            ("/x", "/", "x"),
            ("a/b/c.rs", "a/b", "c.rs"),
            ("/a/b/", "/a", "b"),
            ("/", "/", ""),
        ] {
            assert_eq!((parent(path).as_str(), name_of(path)), (folder, name), "{path}");
        }
        for (folder, path, joined) in
            [("", "./a", "a"), ("web", "a", "web/a"), ("web", "/a", "/a"), ("web/", ".", "web/"), (".", "a", "a")]
        {
            assert_eq!(join(folder, path), joined);
        }
    }
}
