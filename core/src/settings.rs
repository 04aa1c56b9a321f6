//! What can be set, where it can be set, and what holds when it is not.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use toml::de::{DeTable, DeValue};

use crate::model::{pattern_problem, words};
use crate::own::{self, WrittenReading, WrittenSecret, reading_of, secret_of};
use crate::prices::WrittenPrice;
use crate::trust::Untrusted;

/// The project's settings file, below the project's root.
pub const PROJECT_FILE: &str = ".claude/failwise.toml";
/// The largest settings file that is read.
const LARGEST_FILE: usize = 64 * 1024;
/// The most entries of a list.
const MOST_ENTRIES: usize = 64;
/// The longest entry of a list.
const LONGEST_ENTRY: usize = 300;

/// What a setting holds.
trait Kind: Sized {
    /// What it takes, in the words of the documentation.
    const TAKES: &'static str;

    /// The value that the strongest source sets which can be used.
    fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self>;

    /// The value as it is shown.
    fn shown(&self) -> String;
}

/// One word of a few; the word that holds when nobody sets it is behind the name.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident = $default:ident {
        $(#[$first_doc:meta])* $first:ident = $first_word:literal,
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)*
    }) => {
        words! {
            $(#[$doc])*
            pub enum $name { $(#[$first_doc])* $first = $first_word, $($(#[$variant_doc])* $variant = $word,)* }
        }

        impl Kind for $name {
            const TAKES: &'static str = concat!("`", $first_word, "`", $(", `", $word, "`",)*);

            fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self> {
                sources.choice(setting, &Self::ALL.map(|value| (value.as_str(), value)), Self::$default)
            }

            fn shown(&self) -> String {
                self.to_string()
            }
        }
    };
}

choices! {
    /// Whether Failwise does anything at all.
    Power = On {
        /// It does.
        On = "on",
        /// Hooks read nothing, store nothing and say nothing.
        Off = "off",
    }
}

choices! {
    /// How much the agent is advised.
    Advice = Normal {
        /// Only what costs most when unheard: the same failure for the third time, F3 to F6, a commit over a failed run.
        Quiet = "quiet",
        /// Whenever it helps.
        Normal = "normal",
        /// Nothing.
        Off = "off",
    }
}

choices! {
    /// What happens when an agent stops although a check last failed and never passed since.
    StopCheck = Tell {
        /// The agent hears of a check that fails and that its last words do not own up to; the person, too, if it stops.
        Tell = "tell",
        /// The agent is held once.
        Hold = "hold",
        /// Nothing.
        Off = "off",
    }
}

choices! {
    /// What happens to a call that failed three times in the same way and cannot pass.
    Guard = Block {
        /// It is not let run for a while.
        Block = "block",
        /// The agent is warned before it runs.
        Warn = "warn",
        /// Nothing.
        Off = "off",
    }
}

choices! {
    /// What happens to a command that the plan forbids.
    PlanGuard = Tell {
        /// Agent and person hear of it once it was run.
        Tell = "tell",
        /// It is not let run.
        Block = "block",
    }
}

choices! {
    /// What is told of what worked before.
    RecallFrom = On {
        /// What this user's sessions and the team's file know.
        On = "on",
        /// What this user's sessions know.
        Own = "own",
        /// Nothing, and nothing is learned.
        Off = "off",
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An environment variable.
    Environment(&'static str),
    /// The plugin's options, which reach hooks as this environment variable.
    Plugin(&'static str),
    /// The project's file.
    ProjectFile(PathBuf),
    /// Nobody set it.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Plugin(name) => write!(f, "plugin option {name}"),
            Self::ProjectFile(file) => write!(f, "{}", file.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub source: Source,
}

/// A setting that cannot be used, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it comes from: a variable, or a file and line.
    pub place: String,
    /// What is wrong and what to do.
    pub text: String,
    /// Whether nothing of the file can be used because of it.
    pub spoils_the_file: bool,
    /// Whether it is one of the project's own readings and secrets: what they should tell or hide stays untold or shown.
    pub is_own: bool,
}

impl Problem {
    /// A setting that cannot be used, of this place.
    pub fn of(place: String, text: String) -> Self {
        Self { place, text, spoils_the_file: false, is_own: false }
    }

    /// A reading or secret of the project that cannot be used.
    pub fn of_own(place: String, text: String) -> Self {
        Self { is_own: true, ..Self::of(place, text) }
    }

    fn of_file(place: String, text: String) -> Self {
        Self { spoils_the_file: true, ..Self::of(place, text) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// One setting, as the documentation lists it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name; in the project's file the key.
    pub key: &'static str,
    /// The environment variable that sets it.
    pub environment: Option<&'static str>,
    /// The variable by which the plugin's option reaches hooks.
    pub plugin: Option<&'static str>,
    /// Whether the project's file may set it.
    pub in_project_file: bool,
    /// What of the project's file counts before a person trusts it. What is not looked into: nothing.
    pub untrusted: Untrusted,
    /// What it takes.
    pub takes: &'static str,
    /// What it is for.
    pub meaning: &'static str,
}

/// A setting that environment, plugin and the project's file may set, but for its meaning.
const fn settable(key: &'static str, environment: &'static str, plugin: &'static str) -> Setting {
    Setting { key, environment: Some(environment), plugin: Some(plugin), ..PROJECT_FILE_ONLY }
}

/// A setting that only the project's file may set, but for its name and meaning.
const PROJECT_FILE_ONLY: Setting = Setting {
    key: "",
    environment: None,
    plugin: None,
    in_project_file: true,
    untrusted: Untrusted::Nothing,
    takes: "",
    meaning: "",
};

/// One row a setting: its field of [`Settings`], the kind of its value, and what is said of it. All else follows: what is
/// resolved, what `failwise config` shows, and what tests hold the documentation and the manifest to.
macro_rules! settings {
    ($($(#[$doc:meta])* $field:ident: $kind:ty { $($said:tt)* })*) => {
        /// Every setting, in the order of the documentation.
        pub const SETTINGS: &[Setting] = &[$(Setting { takes: <$kind>::TAKES, $($said)* },)*];

        /// All settings, each with its source.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Settings {
            $($(#[$doc])* pub $field: Sourced<$kind>,)*
            /// What the project's file sets that does not go without saying, whether it counts or waits for trust.
            pub weakening: Vec<Weakening>,
        }

        impl Settings {
            fn of(sources: &mut Sources<'_>) -> Self {
                Self {
                    $($field: <$kind>::resolved(sources, &Setting { takes: <$kind>::TAKES, $($said)* }),)*
                    weakening: std::mem::take(&mut sources.weakening),
                }
            }

            fn values(&self) -> impl Iterator<Item = (String, &Source)> {
                [$((self.$field.value.shown(), &self.$field.source),)*].into_iter()
            }
        }
    };
}

settings! {
    /// Whether Failwise does anything at all.
    power: Power {
        key: "failwise",
        environment: Some("FAILWISE"),
        plugin: None,
        in_project_file: false,
        untrusted: Untrusted::Nothing,
        meaning: "`off` silences every hook: nothing is read, stored or said",
    }
    /// How much the agent is advised.
    advice: Advice {
        meaning: "how much advice the agent gets: what helps (`normal`), only what is pressing (`quiet`), or nothing",
        ..settable("advice", "FAILWISE_ADVICE", "CLAUDE_PLUGIN_OPTION_ADVICE")
    }
    /// What happens when an agent stops too early.
    stop_check: StopCheck {
        meaning: "when an agent stops on a failing check or an open F3 to F6: tell the person, hold the agent \
                  once, or do nothing",
        ..settable("stop_check", "FAILWISE_STOP_CHECK", "CLAUDE_PLUGIN_OPTION_STOP_CHECK")
    }
    /// What happens to a call that repeats its failure.
    guard: Guard {
        meaning: "when a command failed three times and nothing changed: refuse it for a while, warn the \
                  agent, or do nothing",
        ..settable("guard", "FAILWISE_GUARD", "CLAUDE_PLUGIN_OPTION_GUARD")
    }
    /// What happens to a command that the plan forbids.
    plan_guard: PlanGuard {
        key: "plan_guard",
        environment: Some("FAILWISE_PLAN_GUARD"),
        meaning: "a command or edit that a plan forbids: report it, or refuse it",
        ..PROJECT_FILE_ONLY
    }
    /// What is told of what worked before.
    recall: RecallFrom {
        meaning: "for a failure seen in an earlier session: report its fix, leave out the team's file (`own`), or \
            neither learn nor report",
        ..settable("recall", "FAILWISE_RECALL", "CLAUDE_PLUGIN_OPTION_RECALL")
    }
    /// The user's program that is started when a person is needed.
    notify_command: Option<PathBuf> {
        key: "notify_command",
        environment: None,
        plugin: Some("CLAUDE_PLUGIN_OPTION_NOTIFY_COMMAND"),
        in_project_file: false,
        untrusted: Untrusted::Nothing,
        meaning: "your program that is started when a person is needed; it gets JSON on standard input",
    }
    /// Path patterns that the sibling rule ignores.
    ignored_paths: PathPatterns {
        key: "ignored_paths",
        meaning: "files that say nothing about a sibling's work",
        untrusted: Untrusted::NamedParts,
        ..PROJECT_FILE_ONLY
    }
    /// Path patterns of generated files, ignored as well.
    generated_paths: PathPatterns {
        key: "generated_paths",
        meaning: "files that a tool writes; they say nothing about a sibling's work either",
        untrusted: Untrusted::NamedParts,
        ..PROJECT_FILE_ONLY
    }
    /// Beginnings of commands whose non-zero exit status is an answer.
    expected_failures: Vec<String> {
        key: "expected_failures",
        meaning: "commands whose non-zero exit status is an answer",
        ..PROJECT_FILE_ONLY
    }
    /// Beginnings of commands that wait for something.
    polling: Vec<String> {
        key: "polling",
        meaning: "commands that wait for something: the guard never refuses them",
        untrusted: Untrusted::Subcommands,
        ..PROJECT_FILE_ONLY
    }
    /// What the project says of lines that its own tools print.
    readings: Vec<WrittenReading> {
        key: "reading",
        meaning: "lines that name the kind of error of a failing call ([below](#readings-and-secrets-of-your-own))",
        ..PROJECT_FILE_ONLY
    }
    /// Secrets that only the project knows.
    secrets: Vec<WrittenSecret> {
        key: "redact",
        meaning: "secrets that are hidden besides those that Failwise knows ([below](#readings-and-secrets-of-your-own))",
        ..PROJECT_FILE_ONLY
    }
    /// What models cost, where the known prices do not hold. The hook, which prices nothing, reads none.
    prices: Vec<WrittenPrice> {
        key: "prices",
        meaning: "what the tokens of a model cost ([below](#prices))",
        untrusted: Untrusted::Everything,
        ..PROJECT_FILE_ONLY
    }
}

/// The project's settings file as it was found.
#[derive(Debug, Clone, Copy)]
pub struct SettingsFile<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// What it holds.
    pub text: &'a str,
    /// Whether a person trusts this content: else only what [`Untrusted`] lets through counts.
    pub is_trusted: bool,
}

/// Something that the project's file sets and that only trust lets count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weakening {
    /// The setting.
    pub key: &'static str,
    /// What it is set to: a word, or an entry of a list.
    pub value: String,
    /// What that does, in a few words.
    pub effect: &'static str,
    /// Whether it waits for trust, so that it does not count.
    pub waits: bool,
}

/// What a setting of the project's file does, by its key and, where one word differs from the others, its value.
#[rustfmt::skip]
const EFFECTS: &[(&str, &str, &str)] = &[
    ("advice",            "off",    "the agent hears nothing"),
    ("advice",            "quiet",  "the agent hears less"),
    ("advice",            "normal", "the agent hears whatever helps"),
    ("stop_check",        "hold",   "the agent is kept from ending its turn while a check is failing"),
    ("stop_check",        "tell",   "an end with a failing check is reported"),
    ("stop_check",        "off",    "an end with a failing check is not reported"),
    ("guard",             "off",    "calls that cannot pass are let run again and again"),
    ("guard",             "warn",   "calls that cannot pass are let run again, with a warning"),
    ("guard",             "block",  "calls that cannot pass are refused for a while"),
    ("plan_guard",        "tell",   "what the plan forbids is let run, and reported"),
    ("plan_guard",        "block",  "what the plan forbids is refused"),
    ("recall",            "off",    "failures are neither learned nor recalled"),
    ("recall",            "own",    "the team's file is not used"),
    ("recall",            "on",     "known fixes are reported, including the team's"),
    ("ignored_paths",     "",       "what happens to these files counts for nothing"),
    ("generated_paths",   "",       "what happens to these files counts for nothing"),
    ("expected_failures", "",       "these commands never count as failed"),
    ("polling",           "",       "the guard never refuses these commands"),
    ("reading",           "",       "a failing call with such a line is of this category"),
    ("redact",            "",       "what matches is hidden from everybody"),
];

fn effect(key: &str, value: &str) -> &'static str {
    let row =
        EFFECTS.iter().find(|(of, word, _)| *of == key && (word.is_empty() || word.eq_ignore_ascii_case(value.trim())));
    row.map_or("it changes what Failwise does", |(_, _, effect)| effect)
}

impl Settings {
    /// Resolves every setting: environment, then the plugin's options, then the project's file, then the default. A value
    /// that cannot be used is a problem and counts as not set, and so does what waits for trust.
    pub fn resolve(
        env: &dyn Fn(&str) -> Option<String>,
        project_file: Option<SettingsFile<'_>>,
    ) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let file = project_file.and_then(|file| ProjectFile::parse(file, &mut problems));
        let mut sources = Sources { env, file, problems, weakening: Vec::new() };
        let settings = Self::of(&mut sources);
        (settings, sources.problems)
    }

    /// Whether hooks do anything at all: asked before anything else, so nothing else is resolved for it.
    pub fn is_off(env: &dyn Fn(&str) -> Option<String>) -> bool {
        let mut sources = Sources { env, file: None, problems: Vec::new(), weakening: Vec::new() };
        let power = SETTINGS.iter().find(|setting| setting.environment == Some("FAILWISE"));
        power.is_some_and(|setting| Power::resolved(&mut sources, setting).value == Power::Off)
    }

    /// What a settings file alone says, trusted by who named it, and what could not be understood.
    pub fn of_file(path: &Path, text: &str) -> (Self, Vec<Problem>) {
        Self::resolve(&|_| None, Some(SettingsFile { path, text, is_trusted: true }))
    }

    /// What of the project's file waits for trust.
    pub fn waiting(&self) -> impl Iterator<Item = &Weakening> {
        self.weakening.iter().filter(|weakening| weakening.waits)
    }

    /// Path patterns that the sibling rule ignores besides those that it always ignores: set ones and generated ones.
    pub fn ignored(&self) -> Vec<String> {
        self.ignored_paths.value.0.iter().chain(&self.generated_paths.value.0).cloned().collect()
    }

    /// Every setting's name, value and source, in the order of [`SETTINGS`].
    pub fn rows(&self) -> Vec<(&'static str, String, &Source)> {
        SETTINGS.iter().zip(self.values()).map(|(setting, (value, source))| (setting.key, value, source)).collect()
    }
}

/// Patterns of paths, all of which can be used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathPatterns(pub Vec<String>);

impl Kind for PathPatterns {
    const TAKES: &'static str = "path patterns";

    fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self> {
        let Sourced { value, source } = sources.list(setting, pattern_problem);
        Sourced { value: Self(value), source }
    }

    fn shown(&self) -> String {
        self.0.shown()
    }
}

impl Kind for Vec<String> {
    const TAKES: &'static str = "beginnings of commands";

    fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self> {
        sources.list(setting, |_| None)
    }

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl Kind for Vec<WrittenReading> {
    const TAKES: &'static str = "tables";

    fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self> {
        sources.tables(setting, reading_of, shown_reading)
    }

    fn shown(&self) -> String {
        format!("{:?}", self.iter().map(shown_reading).collect::<Vec<_>>())
    }
}

fn shown_reading(reading: &WrittenReading) -> String {
    format!("{} ({})", reading.pattern, reading.category.as_str())
}

impl Kind for Vec<WrittenSecret> {
    const TAKES: &'static str = "tables";

    fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self> {
        sources.tables(setting, secret_of, shown_secret)
    }

    fn shown(&self) -> String {
        format!("{:?}", self.iter().map(shown_secret).collect::<Vec<_>>())
    }
}

fn shown_secret(secret: &WrittenSecret) -> String {
    format!("{} ({})", secret.pattern, secret.kind)
}

impl Kind for Vec<WrittenPrice> {
    const TAKES: &'static str = "a table a model";

    fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self> {
        sources.of_file(setting, |file, problems| file.prices(setting, problems), |price| price.model.clone())
    }

    fn shown(&self) -> String {
        format!("{:?}", self.iter().map(|price| price.model.as_str()).collect::<Vec<_>>())
    }
}

/// A program by its full path. A relative one would be looked for in the agent's working directory.
impl Kind for Option<PathBuf> {
    const TAKES: &'static str = "the full path of a program";

    fn resolved(sources: &mut Sources<'_>, setting: &Setting) -> Sourced<Self> {
        for (place, word, source) in sources.words(setting) {
            let path = PathBuf::from(word.trim());
            if path.is_absolute() && !word.chars().any(char::is_control) {
                return Sourced { value: Some(path), source };
            }
            sources.problems.push(not_one_of(place, setting, &word));
        }
        Sourced { value: None, source: Source::Default }
    }

    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), |program| program.display().to_string())
    }
}

impl Default for Settings {
    /// What holds where nobody set anything.
    fn default() -> Self {
        Self::resolve(&|_| None, None).0
    }
}

/// The sources of one resolution, and what was wrong with them.
struct Sources<'a> {
    env: &'a dyn Fn(&str) -> Option<String>,
    file: Option<ProjectFile<'a>>,
    problems: Vec<Problem>,
    weakening: Vec<Weakening>,
}

impl Sources<'_> {
    fn choice<T: Copy>(&mut self, setting: &Setting, words: &[(&str, T)], default: T) -> Sourced<T> {
        for (place, word, source) in self.words(setting) {
            match words.iter().find(|(known, _)| known.eq_ignore_ascii_case(word.trim())) {
                Some((_, value)) => return Sourced { value: *value, source },
                None => self.problems.push(not_one_of(place, setting, &word)),
            }
        }
        Sourced { value: default, source: Source::Default }
    }

    /// What the sources say of a setting, strongest first. An empty variable counts as not set.
    fn words(&mut self, setting: &Setting) -> Vec<(String, String, Source)> {
        let mut found = Vec::new();
        let variables = [
            setting.environment.map(|name| (name, Source::Environment(name))),
            setting.plugin.map(|name| (name, Source::Plugin(name))),
        ];
        for (name, source) in variables.into_iter().flatten() {
            let set = (self.env)(name).filter(|value| !value.trim().is_empty());
            found.extend(set.map(|value| (name.to_owned(), value, source)));
        }
        if let Some(file) = self.file.as_ref().filter(|_| setting.in_project_file) {
            let word = file.word(setting, &mut self.problems);
            found.extend(word.filter(|(_, word, _)| file.lets(setting, word, &mut self.weakening)));
        }
        found
    }

    fn list(&mut self, setting: &Setting, problem_of: ProblemOf) -> Sourced<Vec<String>> {
        self.of_file(setting, |file, problems| file.list(setting, problem_of, problems), String::clone)
    }

    fn tables<T>(&mut self, setting: &Setting, read: ReadTable<T>, shown: fn(&T) -> String) -> Sourced<Vec<T>> {
        self.of_file(setting, |file, problems| file.tables(setting, read, problems), shown)
    }

    /// What the project's file lists of a setting and can be used, as far as it may bring it.
    fn of_file<T>(
        &mut self,
        setting: &Setting,
        read: impl FnOnce(&ProjectFile<'_>, &mut Vec<Problem>) -> Option<Vec<T>>,
        shown: fn(&T) -> String,
    ) -> Sourced<Vec<T>> {
        let set = self.file.as_ref().and_then(|file| {
            let mut entries = read(file, &mut self.problems)?;
            entries.retain(|entry| file.lets(setting, &shown(entry), &mut self.weakening));
            Some((entries, file.source()))
        });
        let (value, source) = set.unwrap_or((Vec::new(), Source::Default));
        Sourced { value, source }
    }
}

/// Reads a table that stands in a line, or says why it cannot be used.
type ReadTable<T> = fn(&DeTable<'_>, usize) -> Result<T, String>;

/// Says why an entry of a list cannot be used.
type ProblemOf = fn(&str) -> Option<String>;

/// The project's file, parsed.
struct ProjectFile<'a> {
    path: &'a Path,
    text: &'a str,
    is_trusted: bool,
    table: DeTable<'a>,
}

impl<'a> ProjectFile<'a> {
    fn parse(file: SettingsFile<'a>, problems: &mut Vec<Problem>) -> Option<Self> {
        let SettingsFile { path, text, is_trusted } = file;
        if text.len() > LARGEST_FILE {
            let text = format!("larger than {LARGEST_FILE} bytes, so none of it is used; make it shorter");
            problems.push(Problem::of_file(path.display().to_string(), text));
            return None;
        }
        match DeTable::parse(text) {
            Ok(table) => {
                let file = Self { path, text, is_trusted, table: table.into_inner() };
                problems.extend(file.unknown_keys());
                Some(file)
            }
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let what = format!("{}, so none of the file is used; fix the line", own::short_words(error.message()));
                problems.push(Problem::of_file(place(path, text, at), what));
                None
            }
        }
    }

    /// Whether a value counts; what does so by trust alone is noted.
    fn lets(&self, setting: &Setting, value: &str, weakening: &mut Vec<Weakening>) -> bool {
        if setting.untrusted.counts(value) {
            return true;
        }
        let (key, value, waits) = (setting.key, value.to_owned(), !self.is_trusted);
        weakening.push(Weakening { key, effect: effect(key, &value), value, waits });
        self.is_trusted
    }

    /// The tables of a setting that can be read; of the others it is noted why.
    fn tables<T>(&self, setting: &Setting, read: ReadTable<T>, problems: &mut Vec<Problem>) -> Option<Vec<T>> {
        let (key, value) = (setting.key, self.table.get(setting.key)?);
        let mut wrong = |at: usize, why: String| problems.push(Problem::of_own(self.place(at), why));
        let DeValue::Array(entries) = value.get_ref() else {
            wrong(value.span().start, format!("`{key}` is no list of tables; write `[[{key}]]`"));
            return None;
        };
        if let Some(beyond) = entries.get(own::MOST) {
            let text = format!("more than {} `[[{key}]]` entries: this one and the rest are not used", own::MOST);
            wrong(beyond.span().start, text);
        }
        let mut found = Vec::new();
        for entry in entries.iter().take(own::MOST) {
            let at = entry.span().start;
            let DeValue::Table(table) = entry.get_ref() else {
                wrong(at, format!("an entry of `{key}` is no table; write `[[{key}]]`"));
                continue;
            };
            match read(table, line_number(self.text, at)) {
                Ok(table) => found.push(table),
                Err(why) => wrong(at, format!("`[[{key}]]`: {why}")),
            }
        }
        Some(found)
    }

    /// The prices that can be used; of the others it is noted why.
    fn prices(&self, setting: &Setting, problems: &mut Vec<Problem>) -> Option<Vec<WrittenPrice>> {
        let (key, value) = (setting.key, self.table.get(setting.key)?);
        let mut wrong = |at: usize, why: String| problems.push(Problem::of(self.place(at), why));
        let DeValue::Table(models) = value.get_ref() else {
            wrong(value.span().start, format!("`{key}` is no table; write `[{key}.\"model\"]`"));
            return None;
        };
        if let Some((beyond, _)) = models.iter().nth(MOST_ENTRIES) {
            let text = format!("`{key}` has more than {MOST_ENTRIES} models: the rest are not used");
            wrong(beyond.span().start, text);
        }
        let mut found = Vec::new();
        for (model, price) in models.iter().take(MOST_ENTRIES) {
            let read = match price.get_ref() {
                DeValue::Table(table) => WrittenPrice::read(model.get_ref(), table),
                _ => Err("this is no table".to_owned()),
            };
            match read {
                Ok(price) => found.push(price),
                Err(why) => {
                    wrong(model.span().start, format!("`{key}.\"{}\"`: {why}", own::short_words(model.get_ref())));
                }
            }
        }
        Some(found)
    }

    fn source(&self) -> Source {
        Source::ProjectFile(self.path.to_owned())
    }

    fn place(&self, at: usize) -> String {
        place(self.path, self.text, at)
    }

    fn unknown_keys(&self) -> impl Iterator<Item = Problem> {
        let known = |key: &str| SETTINGS.iter().any(|setting| setting.in_project_file && setting.key == key);
        let unknown = self.table.iter().filter(move |(key, _)| !known(key.get_ref()));
        // A file of nothing but unknown keys must not fill the answer.
        unknown.take(MOST_ENTRIES).map(|(key, _)| {
            let text = format!("no setting `{}` here; docs/settings.md lists them", own::short_words(key.get_ref()));
            Problem::of(self.place(key.span().start), text)
        })
    }

    fn word(&self, setting: &Setting, problems: &mut Vec<Problem>) -> Option<(String, String, Source)> {
        let value = self.table.get(setting.key)?;
        let place = self.place(value.span().start);
        if let DeValue::String(word) = value.get_ref() {
            return Some((place, word.to_string(), self.source()));
        }
        problems.push(not_one_of(place, setting, value.get_ref().type_str()));
        None
    }

    fn list(&self, setting: &Setting, problem_of: ProblemOf, problems: &mut Vec<Problem>) -> Option<Vec<String>> {
        let value = self.table.get(setting.key)?;
        let DeValue::Array(entries) = value.get_ref() else {
            let text = format!("`{}` is not a list; write `{0} = [\"...\"]`", setting.key);
            problems.push(Problem::of(self.place(value.span().start), text));
            return None;
        };
        if let Some(beyond) = entries.get(MOST_ENTRIES) {
            let text = format!("`{}` has more than {MOST_ENTRIES} entries; join some by `*`", setting.key);
            problems.push(Problem::of(self.place(beyond.span().start), text));
        }
        let mut found = Vec::new();
        for entry in entries.iter().take(MOST_ENTRIES) {
            match usable_entry(setting, entry.get_ref(), problem_of) {
                Ok(word) => found.push(word),
                Err(text) => problems.push(Problem::of(self.place(entry.span().start), text)),
            }
        }
        Some(found)
    }
}

fn usable_entry(setting: &Setting, entry: &DeValue<'_>, problem_of: ProblemOf) -> Result<String, String> {
    let key = setting.key;
    let Some(word) = entry.as_str().filter(|word| is_usable(word)) else {
        return Err(format!("an entry of `{key}` is not a word of 1 to {LONGEST_ENTRY} characters; fix it"));
    };
    match problem_of(word) {
        None => Ok(word.to_owned()),
        Some(problem) => Err(format!("`{}` in `{key}` {problem}", own::short_words(word))),
    }
}

fn is_usable(word: &str) -> bool {
    !word.trim().is_empty() && word.len() <= LONGEST_ENTRY && !word.chars().any(char::is_control)
}

fn not_one_of(place: String, setting: &Setting, word: &str) -> Problem {
    let (key, takes) = (setting.key, setting.takes);
    let text = format!("`{}` is not a value of `{key}`, so it is not used; set one of {takes}", own::short_words(word));
    Problem::of(place, text)
}

fn place(path: &Path, text: &str, at: usize) -> String {
    format!("{}:{}", path.display(), line_number(text, at))
}

fn line_number(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// What a settings file says besides its readings, secrets and prices, as a settings file: the first two are in the compiled
/// form, and the hook need not read them again; it prices nothing. What could not be used there is left out.
pub fn without_own(text: &str) -> String {
    let Ok(table) = DeTable::parse(text) else { return String::new() };
    let table = table.get_ref();
    let is_other =
        |setting: &&Setting| setting.in_project_file && !["reading", "redact", "prices"].contains(&setting.key);
    let others = SETTINGS.iter().filter(is_other).filter_map(|setting| {
        let line = format!("{} = {}\n", setting.key, text.get(table.get(setting.key)?.span())?);
        // Words and lists of words stand in one piece; tables are of no use to the other settings.
        DeTable::parse(&line).is_ok().then_some(line)
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use proptest::prelude::*;

    use super::{
        Advice, EFFECTS, PROJECT_FILE, Power, SETTINGS, Setting, Settings, SettingsFile, Source, StopCheck, Untrusted,
        Weakening, without_own,
    };
    use crate::history::is_ignored;
    use crate::model::{Category, Operation};
    use crate::own::Group;

    fn resolve(env: &[(&str, &str)], file: Option<&str>) -> (Settings, Vec<String>) {
        let read = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let trusted = |text| SettingsFile { path: Path::new(PROJECT_FILE), text, is_trusted: true };
        let (settings, problems) = Settings::resolve(&read, file.map(trusted));
        (settings, problems.iter().map(ToString::to_string).collect())
    }

    fn only_problem(env: &[(&str, &str)], file: Option<&str>) -> String {
        let (_, problems) = resolve(env, file);
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems.concat()
    }

    #[test]
    fn defaults_hold_when_nothing_is_set() {
        let (settings, problems) = resolve(&[("FAILWISE_ADVICE", " ")], Some("# nothing\n"));
        assert_eq!(problems, [""; 0]);
        assert_eq!((settings.power.value, settings.advice.value), (Power::On, Advice::Normal));
        assert_eq!(settings.stop_check.value, StopCheck::Tell);
        assert!(settings.rows().into_iter().all(|(_, _, source)| *source == Source::Default));
    }

    #[test]
    fn the_strongest_source_decides_and_is_named() {
        let file = Some("advice = 'off'\nstop_check = 'hold'");
        let plugin = ("CLAUDE_PLUGIN_OPTION_ADVICE", "quiet");
        let (settings, _) = resolve(&[], file);
        assert_eq!(settings.advice.value, Advice::Off);
        assert_eq!(settings.advice.source, Source::ProjectFile(PathBuf::from(PROJECT_FILE)));
        let (settings, _) = resolve(&[plugin], file);
        assert_eq!(settings.advice.value, Advice::Quiet);
        assert_eq!(settings.advice.source.to_string(), "plugin option CLAUDE_PLUGIN_OPTION_ADVICE");
        assert_eq!(settings.stop_check.value, StopCheck::Hold);
        let (settings, _) = resolve(&[plugin, ("FAILWISE_ADVICE", "Normal")], file);
        assert_eq!(settings.advice.value, Advice::Normal);
        assert_eq!(settings.advice.source.to_string(), "environment FAILWISE_ADVICE");
    }

    #[test]
    fn what_nobody_trusts_waits_and_is_listed() {
        let text =
            "guard = 'off'\nadvice = 'shout'\npolling = ['curl', 'gh run watch']\nignored_paths = ['**', 'docs']";
        let file = |is_trusted| Some(SettingsFile { path: Path::new(PROJECT_FILE), text, is_trusted });
        let listed = |settings: &Settings| -> Vec<(String, bool)> {
            settings
                .weakening
                .iter()
                .map(|Weakening { key, value, waits, .. }| (format!("{key} {value}"), *waits))
                .collect()
        };
        let (settings, problems) = Settings::resolve(&|_| None, file(false));
        assert_eq!((settings.guard.value.to_string(), problems.len()), ("block".to_owned(), 0));
        assert_eq!(settings.guard.source, Source::Default);
        assert_eq!(
            (settings.polling.value.concat(), settings.ignored()),
            ("gh run watch".to_owned(), vec!["docs".to_owned()])
        );
        let all = ["advice shout", "guard off", "ignored_paths **", "polling curl"].map(str::to_owned);
        assert_eq!(listed(&settings), all.clone().map(|text| (text, true)));
        let (settings, problems) = Settings::resolve(&|_| None, file(true));
        assert_eq!((settings.guard.value.to_string(), problems.len()), ("off".to_owned(), 1));
        assert_eq!(listed(&settings), all.map(|text| (text, false)));
        assert_eq!(settings.waiting().count(), 0);
    }

    #[test]
    fn every_value_that_only_trust_lets_count_has_an_effect_in_words() {
        let may_wait = |setting: &&Setting| setting.in_project_file && setting.untrusted != Untrusted::Everything;
        for setting in SETTINGS.iter().filter(may_wait) {
            let words = setting.takes.split('`').skip(1).step_by(2);
            let words: Vec<&str> = if setting.takes.starts_with('`') { words.collect() } else { vec![""] };
            for word in words {
                assert!(EFFECTS.iter().any(|row| (row.0, row.1) == (setting.key, word)), "{} {word}", setting.key);
            }
        }
        let known = |key: &str| SETTINGS.iter().any(|setting| setting.in_project_file && setting.key == key);
        assert!(EFFECTS.iter().all(|(key, ..)| known(key)));
    }

    #[test]
    fn one_variable_switches_everything_off() {
        assert_eq!(resolve(&[("FAILWISE", "off")], None).0.power.value, Power::Off);
        let problem = only_problem(&[("FAILWISE", "maybe\u{7}")], None);
        assert_eq!(
            problem,
            "FAILWISE: `maybe ` is not a value of `failwise`, so it is not used; set one of `on`, `off`"
        );
        assert!(only_problem(&[], Some("failwise = 'off'")).contains("failwise.toml:1: no setting `failwise` here"));
    }

    #[test]
    fn a_bad_value_is_told_and_the_next_source_counts() {
        let (settings, problems) = resolve(&[("FAILWISE_STOP_CHECK", "shout")], Some("\nstop_check = 'hold'"));
        assert_eq!((settings.stop_check.value, problems.len()), (StopCheck::Hold, 1));
        let (settings, problems) = resolve(&[], Some("# why\nadvice = 3"));
        assert_eq!(settings.advice.value, Advice::Normal);
        assert!(problems.concat().starts_with(".claude/failwise.toml:2: `integer` is not"), "{problems:?}");
    }

    #[test]
    fn lists_are_read_and_their_bad_entries_told() {
        let (settings, problems) =
            resolve(&[], Some("ignored_paths = ['docs/**', '', 7, \"a\\nb\"]\ngenerated_paths = 'x'"));
        assert_eq!(settings.ignored_paths.value.0, ["docs/**"]);
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert!(problems.last().unwrap().contains("failwise.toml:2: `generated_paths` is not a list"));
        let many = format!("expected_failures = [{}]", "'x',".repeat(100));
        let (settings, problems) = resolve(&[], Some(&many));
        assert_eq!((settings.expected_failures.value.len(), problems.len()), (64, 1));
    }

    #[test]
    fn a_pattern_that_cannot_be_used_is_told_with_its_line_and_is_no_pattern() {
        let (settings, problems) =
            resolve(&[], Some("ignored_paths = [\n  '*.{js,ts}',\n  '!keep.js',\n  'src/[ab',\n]\npolling = ['! x']"));
        assert_eq!(settings.ignored_paths.value.0, ["*.{js,ts}"]);
        assert_eq!(settings.polling.value, ["! x"], "only patterns of paths are judged");
        let [negated, unclosed] = problems.as_slice() else { panic!("{problems:?}") };
        assert!(
            negated.starts_with(".claude/failwise.toml:3: `!keep.js` in `ignored_paths` begins with `!`"),
            "{negated}"
        );
        assert!(unclosed.starts_with(".claude/failwise.toml:4: `src/[ab` in `ignored_paths` "), "{unclosed}");
        assert!(unclosed.contains("unclosed character class"), "{unclosed}");
    }

    #[test]
    fn a_file_that_is_no_toml_changes_nothing() {
        assert!(only_problem(&[], Some("advice = 'off'\nadvice = = 1")).contains("failwise.toml:2: "));
        assert!(only_problem(&[], Some("advices = 'off'")).contains("no setting `advices` here"));
        assert!(only_problem(&[], Some(&"#".repeat(70_000))).contains("larger than"));
        let (settings, _) = resolve(&[], Some("advice = 'off'\n["));
        assert_eq!(settings.advice.value, Advice::Normal);
    }

    #[test]
    fn ignored_files_are_those_of_the_list_and_of_the_project() {
        let (settings, _) = resolve(&[], Some("ignored_paths = ['docs/*.md']\ngenerated_paths = ['api/generated']"));
        for path in ["Cargo.lock", "web/node_modules/x/index.js", "docs/a.md", "api/generated/v1/client.ts", "go.sum"] {
            assert!(is_ignored(path, &settings.ignored()), "{path}");
        }
        for path in ["src/lock.rs", "src/docs/a.md", "docs/a.txt", "api/generate.rs", "src/target.rs"] {
            assert!(!is_ignored(path, &settings.ignored()), "{path}");
        }
    }

    #[test]
    fn expected_failures_are_compared_by_words() {
        let (settings, _) = resolve(&[], Some("expected_failures = ['make -q', ' ./is-up  --now ']"));
        for command in ["make -q", "make  -q docs", "./is-up --now staging"] {
            assert!(expects(&settings, command), "{command}");
        }
        for command in ["make", "make -qp", "make all -q", "cd x && make -q", ""] {
            assert!(!expects(&settings, command), "{command}");
        }
    }

    fn expects(settings: &Settings, command: &str) -> bool {
        settings.expected_failures.value.iter().any(|beginning| Operation(command.to_owned()).begins_with(beginning))
    }

    fn documented((setting, default): (&Setting, String)) -> String {
        let file = match setting.untrusted {
            Untrusted::Nothing => "file",
            Untrusted::NamedParts => "file (untrusted: names of folders, and endings)",
            Untrusted::Subcommands => "file (untrusted: a program with a subcommand)",
            Untrusted::Everything => "file (untrusted: everything)",
        };
        let environment = setting.environment.map(|name| format!("`{name}`"));
        let option = setting.plugin.map(|_| "option".to_owned());
        let places = [environment, option, setting.in_project_file.then(|| file.to_owned())];
        let places = places.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let (key, takes, meaning) = (setting.key, setting.takes, setting.meaning);
        format!("| `{key}` | {places} | {takes} | `{default}` | {meaning} |")
    }

    #[test]
    fn the_documentation_lists_every_setting_and_no_other() {
        let page = include_str!("../../docs/settings.md");
        let table = page.split("\n\n").find(|part| part.starts_with("| setting |")).unwrap();
        let rows: Vec<&str> = table.lines().skip(2).collect();
        let defaults = resolve(&[], None).0;
        let defaults = defaults.rows().into_iter().map(|(_, value, _)| value);
        let expected: Vec<String> = SETTINGS.iter().zip(defaults).map(documented).collect();
        assert_eq!(rows, expected, "the table should be:\n{}", expected.join("\n"));
        let ignored =
            crate::history::ALWAYS_IGNORED.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(" ");
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&ignored), "the page should hold:\n{ignored}");
        assert!(page.contains(PROJECT_FILE));
        let categories = Category::ALL.iter().filter(|category| **category != Category::Unknown);
        let categories: Vec<String> = categories.map(|category| format!("`{}`", category.as_str())).collect();
        assert!(words.contains(&format!("The categories: {}.", categories.join(" "))), "{}", categories.join(" "));
    }

    #[test]
    fn readings_and_secrets_are_read_and_left_out_of_the_rest() {
        let page = include_str!("../../docs/settings.md");
        let example = page.split("```toml\n").nth(2).and_then(|rest| rest.split("```").next()).unwrap();
        let (settings, problems) = resolve(&[], Some(example));
        assert_eq!((problems.len(), settings.readings.value.len(), settings.secrets.value.len()), (0, 1, 1));
        let reading = &settings.readings.value[0];
        assert_eq!((reading.category, reading.line), (Category::ServiceError, 2));
        assert_eq!(
            (reading.program.as_deref(), reading.object.clone()),
            (Some("make solve"), Some(Group::Name("feature".to_owned())))
        );
        let others =
            "# why\nadvice = 'quiet' # more\npolling = [\n  'a b', # c\n  'd e',\n]\nguard = 3\nguards = 'x'\n";
        let rest = without_own(&format!("{others}{example}\n[[expected_failures]]\nx = 1\n"));
        assert!(!rest.contains("reading") && !rest.contains("redact"), "{rest}");
        let all = |text: &str| {
            let settings = resolve(&[], Some(text)).0;
            settings.rows().into_iter().map(|(key, value, _)| format!("{key} {value}")).collect::<Vec<_>>()
        };
        assert_eq!(all(&rest), all(others));
        assert_eq!(without_own("no = = toml"), "");
    }

    #[test]
    fn prices_need_no_trust_and_bad_ones_are_told() {
        let page = include_str!("../../docs/settings.md");
        let example = page.split("```toml\n").nth(3).and_then(|rest| rest.split("```").next()).unwrap();
        let file = |text, is_trusted| Some(SettingsFile { path: Path::new(PROJECT_FILE), text, is_trusted });
        let (settings, problems) = Settings::resolve(&|_| None, file(example, false));
        let models: Vec<&str> = settings.prices.value.iter().map(|price| price.model.as_str()).collect();
        assert_eq!((models.as_slice(), problems.len()), (["harbour-large"].as_slice(), 0), "{problems:?}");
        assert_eq!((settings.weakening.len(), without_own(example).as_str()), (0, ""));
        assert!(only_problem(&[], Some("prices = 3")).contains("`prices` is no table; write `[prices.\"model\"]`"));
        assert!(only_problem(&[], Some("prices.m = 3")).contains(":1: `prices.\"m\"`: this is no table"));
        let told = only_problem(&[], Some("\n[prices.\"a\\u0007b\"]\ninput = 1"));
        assert!(told.contains(":2: `prices.\"a b\"`: this is no name of a model"), "{told}");
        let many = (0..99).map(|n| format!("[prices.m{n}]\n")).collect::<Vec<_>>().concat();
        assert_eq!(resolve(&[], Some(&many)).1.len(), 65);
    }

    #[test]
    fn the_documented_example_has_no_problems() {
        let page = include_str!("../../docs/settings.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let (settings, problems) = resolve(&[], Some(example));
        assert_eq!((problems.len(), settings.advice.value), (0, Advice::Quiet), "{problems:?}");
        assert!(expects(&settings, "make -q docs") && is_ignored("web/api/generated/x.ts", &settings.ignored()));
    }

    #[test]
    fn option_names_follow_their_key() {
        for setting in SETTINGS {
            let upper = setting.key.to_uppercase();
            assert!(setting.plugin.is_none_or(|name| name == format!("CLAUDE_PLUGIN_OPTION_{upper}")));
            assert!(setting.environment.is_none_or(|name| name == "FAILWISE" || name == format!("FAILWISE_{upper}")));
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "([a-z_]{1,8} ?= ?|\\[|\\]|'|\"|\\{|\\}|\n|\\PC){0,60}") {
            resolve(&[], Some(&text));
        }
    }

    #[test]
    fn towers_end() {
        for tower in ["[", "a.", "{a=", "[[", "'''", "\"\\"] {
            resolve(&[], Some(&format!("advice = {}", tower.repeat(60_000 / tower.len()))));
            resolve(&[], Some(&tower.repeat(60_000 / tower.len())));
        }
        let keys = "a.".repeat(30_000);
        for deep in
            [format!("{keys}b = 1"), format!("[{keys}b]"), format!("[[{keys}b]]"), format!("a = {{{keys}b = 1}}")]
        {
            resolve(&[], Some(&deep));
        }
        let wide = (0..9_000).map(|n| format!("k{n}=1\n")).collect::<Vec<_>>().concat();
        assert!((1..=64).contains(&resolve(&[], Some(&wide)).1.len()));
    }
}
