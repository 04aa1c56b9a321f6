//! The gate of what leaves the history: lessons that are told, the team's file, exports, lines for CLAUDE.md, answers of the
//! server, requests to a model. Redaction takes out what is known as a secret; here only what is known as harmless passes.
//!
//! One call, its program first, as words or as a line; text for a reader:
//!
//! ```
//! use failwise::gate::{self, GateContext};
//! let context = GateContext::default();
//! assert_eq!(gate::may_leave(&["gh", "pr", "diff", "--name-only"], &context), Ok(()));
//! assert!(gate::line_may_leave("vault login correct-horse", &context).is_err());
//! assert_eq!(gate::prose("see Zq8wL0xR41bTn9 there", &context), "see … there");
//! ```
//!
//! [`GateContext::names`] holds what the project tracks, so that its own names are not taken for secrets; without it the gate is
//! stricter. [`reasons`] judges each word, for words that only some of are new. A reason that [`GateReason::hides`] says that
//! the words may hold a secret: they are never learned. Any other says that a person has to ask for it. Pure.

mod options;
mod word;

use std::borrow::Cow;

use self::options::{OptionKind, kind_of_variable, option_kind};
pub use self::word::KnownNames;
pub(crate) use self::word::is_harmless_value;
use self::word::{is_random, is_random_in_prose, names_a_login};
pub use crate::model::GateReason;
use crate::programs::reach::{self, ProgramReach};
use crate::programs::{self, Program, Trait, base_name};
use crate::shell::{WordRole, placed_words};
pub use failwise_core::knowledge::OBJECT;

/// How far words go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateReach {
    /// Agents and people of the same project.
    #[default]
    Home,
    /// Those of every other project: only what the tool itself explains.
    Elsewhere,
}

/// What is known where words are judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct GateContext<'a> {
    /// The project's own names, where they are known.
    pub names: Option<&'a KnownNames>,
    /// How far the words go.
    pub reach: GateReach,
}

impl GateContext<'_> {
    fn knows(&self, word: &str) -> bool {
        self.names.is_some_and(|names| names.has(word))
    }
}

/// Whether all words of a call may leave. The first one is the program.
///
/// # Errors
/// The reason of a word that may not: first of one that may hold a secret.
pub fn may_leave<S: AsRef<str>>(words: &[S], context: &GateContext<'_>) -> Result<(), GateReason> {
    first_of(&reasons(words, context).into_iter().flatten().collect::<Vec<_>>())
}

/// Of several reasons the one that hides, else the first.
fn first_of(reasons: &[GateReason]) -> Result<(), GateReason> {
    reasons.iter().find(|why| why.hides()).or(reasons.first()).map_or(Ok(()), |why| Err(*why))
}

/// Whether all words of a command line may leave, whatever programs it runs.
///
/// # Errors
/// The reason of the first word that may not; [`GateReason::Unreadable`] of a line that cannot be taken apart.
pub fn line_may_leave(line: &str, context: &GateContext<'_>) -> Result<(), GateReason> {
    let words = placed_words(line).ok_or(GateReason::Unreadable)?;
    let mut all = Vec::new();
    for command in words.chunk_by(|one, next| one.command == next.command) {
        if command.iter().any(|word| word.text.contains(['$', '`', '\n'])) {
            return Err(GateReason::Unreadable);
        }
        let (targets, own): (Vec<_>, Vec<_>) = command.iter().partition(|word| word.role == WordRole::Target);
        let own: Vec<&str> = own.iter().map(|word| word.text.as_str()).collect();
        all.extend(reasons(&own, context).into_iter().flatten());
        all.extend(targets.iter().filter_map(|word| judged_value(&word.text, context).err()));
    }
    first_of(&all)
}

/// A text for a reader with `…` for each word that looks random; borrowed where there is none.
pub fn prose<'t>(text: &'t str, context: &GateContext<'_>) -> Cow<'t, str> {
    let is_out = |word: &str| is_random_in_prose(word, context);
    if !text.split([' ', '\n', '\t']).any(is_out) {
        return Cow::Borrowed(text);
    }
    let each = text.split_inclusive([' ', '\n', '\t']).map(|part| {
        let word = part.trim_end_matches([' ', '\n', '\t']);
        let end = part.get(word.len()..).unwrap_or_default();
        if is_out(word) { ["…", end].concat() } else { part.to_owned() }
    });
    Cow::Owned(each.collect())
}

/// A command as it is shown beside a lesson, with `…` for each word that may hold a secret; borrowed where there is none.
pub fn shown_line<'t>(line: &'t str, context: &GateContext<'_>) -> Cow<'t, str> {
    let words: Vec<&str> = line.split(' ').collect();
    let hidden: Vec<bool> = reasons(&words, context).iter().map(|why| why.is_some_and(GateReason::hides)).collect();
    if !hidden.contains(&true) {
        return prose(line, context);
    }
    let shown: Vec<&str> = words.iter().zip(hidden).map(|(word, hidden)| if hidden { "…" } else { *word }).collect();
    Cow::Owned(prose(&shown.join(" "), context).into_owned())
}

/// Why each word of a call may not leave, in their order; None for one that may. The first word is the program.
pub fn reasons<S: AsRef<str>>(words: &[S], context: &GateContext<'_>) -> Vec<Option<GateReason>> {
    let mut judge = WordJudge::new(context);
    words.iter().map(|word| judge.word(word.as_ref()).err()).collect()
}

/// What is known of a call up to a word.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of the words so far")]
struct WordJudge<'c> {
    context: &'c GateContext<'c>,
    /// The program, and the words so far that are no options: `git config`.
    called: String,
    /// How far a call of it reaches.
    reach: Option<&'static ProgramReach>,
    /// Whether the words behind are a secret's.
    is_behind_login: bool,
    /// Whether the words behind are handed over to a program that nobody knows: only names that are known pass.
    is_handed: bool,
    /// Whether the words behind may open a session or an account, whatever the program.
    is_entry: bool,
    /// The option whose value the next word may be.
    open: Option<OptionKind>,
    /// Whether the program is one whose options are known.
    is_known: bool,
    /// Whether the next word may be a program that this one starts.
    may_start: bool,
    /// How many words of a setting there were.
    settings: u32,
}

impl<'c> WordJudge<'c> {
    fn new(context: &'c GateContext<'c>) -> Self {
        Self {
            context,
            called: String::new(),
            reach: None,
            is_behind_login: false,
            is_handed: false,
            is_entry: false,
            open: None,
            is_known: false,
            may_start: false,
            settings: 0,
        }
    }

    fn word(&mut self, word: &str) -> Result<(), GateReason> {
        if self.is_behind_login && !is_joint(word) {
            return Err(GateReason::BehindLogin);
        }
        if is_joint(word) {
            *self = Self::new(self.context);
            return Ok(());
        }
        // The mark of an assignment that was hidden is no program.
        if word == "…" && self.called.is_empty() {
            return Ok(());
        }
        // A word with blanks is a line or a text of its own: `psql -c '...'`.
        if word.contains(' ') {
            self.open = None;
            return Err(GateReason::UnknownValue);
        }
        if word.contains("://") {
            self.open = None;
            return Err(if is_random(word, self.context) { GateReason::Random } else { GateReason::Fetches });
        }
        if let Some((name, value)) = named_value(word) {
            return self.assigned(name, value);
        }
        if self.called.is_empty() {
            return self.program(word);
        }
        if word.starts_with('-') && word.len() > 1 {
            return self.option(word);
        }
        self.operand(word)
    }

    /// `NAME=value`: before the program, or a word of one that takes such.
    fn assigned(&mut self, name: &str, value: &str) -> Result<(), GateReason> {
        let kind = kind_of_variable(name);
        self.open = None;
        if self.called.is_empty() && value.is_empty() {
            return Ok(());
        }
        if !self.called.is_empty() && self.installs().is_some() {
            return Err(GateReason::Fetches);
        }
        let own = if is_harmless_value(value) && kind.is_silent() { Ok(()) } else { kind.value(value, self.context) };
        own.and_then(|()| self.explained(name))
    }

    fn program(&mut self, word: &str) -> Result<(), GateReason> {
        let name = base_name(word);
        let known = programs::find(name);
        self.is_known = known.is_some() && !reach::TAKE_SECRETS.contains(&name);
        // `pip3.11` is `pip`.
        known.map_or(name, |known| known.words).clone_into(&mut self.called);
        self.reach = reach::of(&self.called);
        self.may_start = known.is_some_and(Program::runs_others);
        self.is_behind_login = options::takes_a_secret(name);
        if !self.is_known && is_random(word, self.context) {
            return Err(GateReason::Random);
        }
        if known.is_some_and(|known| known.has(Trait::Elevates)) {
            return Err(GateReason::Opens);
        }
        // A name that is called by a path lies in the project, and is nobody's tool.
        let is_explained = self.context.reach == GateReach::Home || reach::explains(name, name) && !word.contains('/');
        match self.reach.filter(|reach| !reach.only_named) {
            Some(reach) => Err(reach.reason),
            None if known.is_none() && options::is_deed(name) => Err(GateReason::Starts),
            None if !is_explained => Err(GateReason::Unexplained),
            None => Ok(()),
        }
    }

    fn option(&mut self, word: &str) -> Result<(), GateReason> {
        let kind = option_kind(&self.called, word);
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        self.open = None;
        self.may_start |= word == "--";
        // `python -m pip`: the next word is a program.
        if word == "-m" && programs::find(&self.called).is_some_and(|known| known.has(Trait::Modules)) {
            self.may_start = true;
            return Ok(());
        }
        if is_random(name, self.context) && kind != OptionKind::Letters && !reach::explains(&self.called, name) {
            return Err(GateReason::Random);
        }
        if let Some(value) = value {
            kind.value(value, self.context)?;
            return self.explained_option(name);
        }
        // `-timout` of a program that is known for words behind one dash holds no value.
        let is_word = self.is_known && reach::explains(self.program_called(), "-timeout");
        if let Some(attached) = kind.attached(word).filter(|_| !is_word || !is_lower_word(word)) {
            kind.value(attached, self.context)?;
            return self.explained_option(name);
        }
        kind.alone()?;
        self.open = Some(kind).filter(|_| word != "--");
        self.explained_option(name)
    }

    fn operand(&mut self, word: &str) -> Result<(), GateReason> {
        let context = self.context;
        if let Some(kind) = self.open.take()
            && !kind.is_flag(self.is_known)
        {
            kind.value(word, context)?;
            // Whether an option has a value nobody knows: behind `--build-from-source` stands a package, and behind `-r` what
            // is done.
            if let Some(reach) = self.installs().filter(|_| !is_manifest(word) && !names_own(word, context)) {
                return Err(reach.reason);
            }
            let deed = reach::of_deed(self.program_called(), word).filter(|_| self.is_known);
            self.reach = self.reach.or(deed);
            if !self.is_known && !self.is_own(word) {
                return Err(GateReason::UnknownValue);
            }
            return self.explained(word);
        }
        let starts_named = self.reach.is_some_and(|reach| reach.only_named && reach.runs);
        if starts_named && !names_tool(word, context) {
            return judged_value(word, context).and(Err(self.reach.map_or(GateReason::Fetches, |reach| reach.reason)));
        }
        if (self.may_start || starts_named) && (programs::find(word).is_some() || reach::of(word).is_some()) {
            return self.program(word);
        }
        // What a program that nobody knows is handed may be any word: `tide:open[X]` hands over one, too.
        let (word, handed) = word.strip_suffix(']').and_then(|word| word.split_once('[')).unwrap_or((word, ""));
        let is_strict = self.is_entry || !self.is_known;
        let is_strange = is_strict && (self.is_handed || names_a_pair(word)) && !self.is_own(word);
        if is_strange || !handed.split(',').all(|word| word.is_empty() || self.is_own(word)) {
            return Err(GateReason::BehindLogin);
        }
        self.is_handed = true;
        self.is_entry |= options::is_entry(word);
        self.may_start = matches!(word, "run" | "exec" | "x" | "dlx");
        self.is_behind_login = options::takes_a_secret(word);
        let settled = self.reach;
        // `cargo +nightly` is `cargo`.
        if settled.is_none() && self.called.len() < MOST_CALLED && !word.starts_with('+') {
            self.called = [self.called.as_str(), " ", word].concat();
            self.reach = reach::of(&self.called).or_else(|| reach::of_deed(self.program_called(), word));
        }
        // Behind a setting's name stands its value.
        if settled.is_some_and(|reach| reach.reason == GateReason::Configures) && !options::is_subcommand(word) {
            self.settings += 1;
            if self.settings > 1 {
                return Err(GateReason::UnknownValue);
            }
        }
        judged_value(word, context)?;
        match (settled, self.reach) {
            // What the subcommand does is said of it, and of all that stands behind it.
            (None, Some(reach)) if !reach.only_named => Err(reach.reason),
            (Some(reach), _) if !reach.only_named || !reach.runs && !names_own(word, context) => Err(reach.reason),
            _ if options::is_deed(word) && !reach::explains(self.program_called(), word) => {
                Err(GateReason::Unexplained)
            }
            _ => self.explained(word),
        }
    }

    /// How far the call reaches, where it fetches what its words name.
    fn installs(&self) -> Option<&'static ProgramReach> {
        self.reach.filter(|reach| reach.only_named && !reach.runs)
    }

    /// Whether a word is a path or a file, or somebody knows it: this project, the tool, or whoever knows tools, part by part.
    fn is_own(&self, word: &str) -> bool {
        let is_common = |part: &str| part.is_empty() || options::is_common(part);
        word.contains(OBJECT)
            || word.contains(['/', '.'])
            || self.context.knows(word)
            || reach::explains(self.program_called(), word)
            || word.split([':', '-', '_', '@']).all(is_common)
    }

    fn program_called(&self) -> &str {
        self.called.split(' ').next().unwrap_or_default()
    }

    /// Whether an option is of a kind that is known as harmless, or what the tool itself explains.
    fn explained_option(&self, name: &str) -> Result<(), GateReason> {
        if !options::is_harmless_option(self.program_called(), name) {
            return Err(GateReason::Unexplained);
        }
        self.explained(name)
    }

    /// Whether the tool itself explains a word, where that is asked for.
    fn explained(&self, word: &str) -> Result<(), GateReason> {
        if self.context.reach == GateReach::Home || reach::explains(self.program_called(), word) {
            return Ok(());
        }
        Err(GateReason::Unexplained)
    }
}

/// `-timout`: a dash and small letters.
fn is_lower_word(word: &str) -> bool {
    word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
}

/// `ann:walnutkettle`, where neither part is a common word: a user and a password as well as any two names.
fn names_a_pair(word: &str) -> bool {
    let is_name = |part: &str| {
        part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !options::is_common(part)
    };
    word.split_once(':').is_some_and(|(user, rest)| is_name(user) && is_name(rest))
}

/// The longest beginning of a call that is compared with rows, in bytes.
const MOST_CALLED: usize = 80;

/// What divides two commands.
fn is_joint(word: &str) -> bool {
    matches!(word, "&&" | "||" | ";" | "|" | "&")
}

/// Whether a word of an installer names what is the project's own: its path, or here the failure's object. A name alone is
/// whoever's registered it, also where the project has a folder of that name.
fn names_own(word: &str, context: &GateContext<'_>) -> bool {
    let is_here = context.reach == GateReach::Home && word.contains(OBJECT);
    is_here || word.starts_with('.') || word.contains('/') && context.knows(word)
}

/// Whether a word of what starts what it names is a tool that this project has, or that everybody knows.
fn names_tool(word: &str, context: &GateContext<'_>) -> bool {
    names_own(word, context) || word.contains(OBJECT) || context.knows(word) || programs::find(word).is_some()
}

/// Whether a value of an installer's option is a version, or a file that lists what is installed.
fn is_manifest(value: &str) -> bool {
    let is_version = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_version || [".txt", ".toml", ".yml", ".yaml"].iter().any(|ending| value.ends_with(ending))
}

/// `NAME=value`, `key=value`.
fn named_value(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/');
    (!name.is_empty() && !name.starts_with('-') && name.bytes().all(is_name)).then_some((name, value))
}

/// Whether a value that stands for itself may leave.
fn judged_value(value: &str, context: &GateContext<'_>) -> Result<(), GateReason> {
    if is_random(value, context) {
        return Err(GateReason::Random);
    }
    if names_a_login(value) {
        return Err(GateReason::UnknownValue);
    }
    let is_outside = value.starts_with(['/', '~']) || value.split(['/', '=', ':']).any(|part| part == "..");
    // The null device is nobody's place, and a folder above is told only at home.
    let is_far =
        is_outside && value != "/dev/null" && (context.reach == GateReach::Elsewhere || !value.starts_with('.'));
    if is_far { Err(GateReason::Outside) } else { Ok(()) }
}
