//! Tokens to pipelines: lists, compound commands, and the scripts inside substitutions and `sh -c`.

use crate::programs;

use super::lexer::{Lexer, ShellToken, ShellWord};
use super::{
    At, Command, Dialect, Join, MAX_BYTES, MAX_COMMANDS, MAX_DEPTH, MAX_PIPELINES, MAX_WORDS, Nesting, Pipeline,
    Redirection, RedirectionKind, Script,
    wrappers::{Stripped, strip},
};

/// Pipelines that follow one another: the line itself, the inside of a compound command, an inner script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct List {
    pub(super) nesting: Nesting,
    /// The command that holds the list.
    pub(super) parent: Option<At>,
}

pub(super) fn parse(text: &str, dialect: Dialect) -> Script {
    let mut script = Script::default();
    // A bounded part, because the line comes from outside; what is missing is said, and nothing concluded from its end.
    let kept = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or(text);
    script.incomplete = kept.len() < text.len();
    let scope = ScriptScope { nesting: Nesting::Top, parent: None, options: Options::default(), depth: 0 };
    parse_into(&mut script, kept, dialect, scope);
    script
}

/// Shell options that decide which status survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Options {
    pub(super) pipefail: bool,
    pub(super) errexit: bool,
}

/// Where a script is.
#[derive(Clone, Copy)]
struct ScriptScope {
    nesting: Nesting,
    parent: Option<At>,
    options: Options,
    depth: usize,
}

fn parse_into(script: &mut Script, text: &str, dialect: Dialect, scope: ScriptScope) {
    let mut lexer = Lexer::new(text, dialect);
    let list = new_list(script, scope.nesting, scope.parent);
    let mut parser = Parser {
        script,
        options: scope.options,
        depth: scope.depth,
        frames: vec![Frame::new(CompoundKind::Outermost, list)],
        waiting: Vec::new(),
        inner: Vec::new(),
        function: false,
    };
    while let Some(token) = lexer.next() {
        if parser.is_full() {
            parser.script.incomplete = true;
            break;
        }
        let ends_line = token == ShellToken::Newline;
        parser.take(token);
        // The bodies of here-documents begin behind the line that announces them, whatever else is on it.
        if ends_line {
            parser.bodies(lexer.take_bodies());
        }
    }
    lexer.finish();
    parser.end();
    let inner = std::mem::take(&mut parser.inner);
    script.incomplete |= lexer.unclosed;
    for Inside { text, nesting, parent, options } in inner {
        if is_full(script) {
            script.incomplete = true;
            return;
        }
        let nested = ScriptScope { nesting, parent: Some(parent), options, depth: scope.depth + 1 };
        parse_into(script, &text, Dialect::Posix, nested);
    }
}

fn is_full(script: &Script) -> bool {
    script.pipelines.len() >= MAX_PIPELINES || script.commands >= MAX_COMMANDS
}

fn new_list(script: &mut Script, nesting: Nesting, parent: Option<At>) -> usize {
    script.lists.push(List { nesting, parent });
    script.lists.len() - 1
}

/// A script found inside a word, parsed once the line that holds it has ended.
struct Inside {
    text: String,
    nesting: Nesting,
    parent: At,
    options: Options,
}

/// Which compound command is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompoundKind {
    Outermost,
    Subshell,
    Braces,
    If,
    Loop,
    Case,
}

/// What the words of an open compound command mean just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordMode {
    Commands,
    /// `for x in a b c`, up to the line's end.
    ForHeader,
    /// `case word`, up to `in`.
    CaseHeader,
    /// The patterns of a case, up to `)`.
    CasePattern,
    /// Between `[[` and `]]`.
    Test,
}

struct Frame<'a> {
    kind: CompoundKind,
    mode: WordMode,
    list: usize,
    parent: Option<At>,
    pipeline: Option<usize>,
    command: Building<'a>,
    join: Join,
    negated: bool,
}

impl Frame<'_> {
    fn new(kind: CompoundKind, list: usize) -> Self {
        Self {
            kind,
            mode: WordMode::Commands,
            list,
            parent: None,
            pipeline: None,
            command: Building::default(),
            join: Join::First,
            negated: false,
        }
    }
}

/// A command whose end is not reached yet.
#[derive(Default)]
struct Building<'a> {
    words: Vec<ShellWord<'a>>,
    redirections: Vec<Redirection>,
    /// The last redirection waits for its target.
    targetless: bool,
    /// The inside of a compound command is done; only redirections may follow.
    compound: Option<At>,
    inner: Vec<&'a str>,
}

impl Building<'_> {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.redirections.is_empty() && self.compound.is_none()
    }

    /// Whether the next word would be a program or keyword.
    fn at_start(&self) -> bool {
        self.words.is_empty() && self.compound.is_none() && !self.targetless
    }
}

struct Parser<'s, 'a> {
    script: &'s mut Script,
    options: Options,
    depth: usize,
    frames: Vec<Frame<'a>>,
    /// Here-documents whose body has not been read: the command, and which of its redirections.
    waiting: Vec<(At, usize)>,
    inner: Vec<Inside>,
    /// The next compound command is the body of a function.
    function: bool,
}

/// How many compound commands may be open at once.
const MAX_OPEN: usize = 64;

impl<'a> Parser<'_, 'a> {
    fn is_full(&self) -> bool {
        is_full(self.script) || self.frames.len() > MAX_OPEN
    }

    /// The innermost open frame. The outermost is never closed, so there is one.
    fn top(&mut self) -> Option<&mut Frame<'a>> {
        self.frames.last_mut()
    }

    fn mode(&self) -> WordMode {
        self.frames.last().map_or(WordMode::Commands, |f| f.mode)
    }

    fn set_mode(&mut self, mode: WordMode) {
        if let Some(frame) = self.top() {
            frame.mode = mode;
        }
    }

    fn take(&mut self, token: ShellToken<'a>) {
        match self.mode() {
            WordMode::Commands => self.in_commands(token),
            WordMode::ForHeader => {
                if matches!(token, ShellToken::Semicolon | ShellToken::Newline) {
                    self.set_mode(WordMode::Commands);
                } else if let ShellToken::Word(word) = token {
                    self.substituted(word.inner);
                }
            }
            WordMode::CaseHeader => {
                if matches!(&token, ShellToken::Word(word) if word.text == "in") {
                    self.set_mode(WordMode::CasePattern);
                }
            }
            WordMode::CasePattern => match token {
                ShellToken::Close => {
                    self.new_list_here(Nesting::Block);
                    self.set_mode(WordMode::Commands);
                }
                ShellToken::Word(word) if word.text == "esac" => self.close(CompoundKind::Case),
                _ => {}
            },
            WordMode::Test => self.in_test(token),
        }
    }

    fn in_test(&mut self, token: ShellToken<'a>) {
        if let ShellToken::Word(word) = token {
            let ends = word.text == "]]";
            if let Some(frame) = self.top() {
                frame.command.words.push(word);
            }
            if ends {
                self.set_mode(WordMode::Commands);
            }
        } else if token == ShellToken::Newline {
            self.set_mode(WordMode::Commands);
            self.in_commands(token);
        }
    }

    fn in_commands(&mut self, token: ShellToken<'a>) {
        match token {
            ShellToken::Word(word) => self.word(word),
            ShellToken::Redirect(descriptor, kind) => self.redirect(descriptor, kind),
            ShellToken::And => self.separate(Join::And),
            ShellToken::Or => self.separate(Join::Or),
            ShellToken::Semicolon | ShellToken::Newline => self.separate(Join::Then),
            ShellToken::Ampersand => self.separate(Join::Background),
            ShellToken::CaseEnd => {
                self.separate(Join::Then);
                if self.frames.last().is_some_and(|f| f.kind == CompoundKind::Case) {
                    self.set_mode(WordMode::CasePattern);
                }
            }
            ShellToken::Pipe => self.finish_command(),
            ShellToken::Open => self.open_paren(),
            ShellToken::Close => {
                if !self.function {
                    self.close(CompoundKind::Subshell);
                }
            }
            ShellToken::Arithmetic => self.compound_done(),
        }
    }

    /// `((...))` is a compound command without an inside.
    fn compound_done(&mut self) {
        if let Some(at) = self.place_compound()
            && let Some(frame) = self.top()
        {
            frame.command.compound = Some(at);
        }
    }

    fn redirect(&mut self, descriptor: Option<u8>, kind: RedirectionKind) {
        if let Some(frame) = self.top() {
            frame.command.redirections.push(Redirection { descriptor, kind, target: String::new() });
            frame.command.targetless = kind != RedirectionKind::HereDocument;
        }
    }

    fn word(&mut self, word: ShellWord<'a>) {
        let at_start = self.frames.last().is_some_and(|f| f.command.at_start());
        if at_start && !word.quoted && self.keyword(&word.text) {
            return;
        }
        let Some(frame) = self.top() else { return };
        let command = &mut frame.command;
        if command.targetless {
            command.targetless = false;
            command.inner.extend(word.inner);
            if let Some(last) = command.redirections.last_mut() {
                last.target = word.text;
            }
        } else if command.compound.is_none() && command.words.len() < MAX_WORDS {
            command.words.push(word);
        }
    }

    /// Acts on a reserved word at the start of a command; false when it is none.
    fn keyword(&mut self, text: &str) -> bool {
        match text {
            "if" => self.open(CompoundKind::If, Nesting::Condition),
            "then" | "else" => self.branch(Nesting::Block),
            "elif" => self.branch(Nesting::Condition),
            "fi" => self.close(CompoundKind::If),
            "while" | "until" => self.open(CompoundKind::Loop, Nesting::Condition),
            "for" | "select" => {
                self.open(CompoundKind::Loop, Nesting::Condition);
                self.set_mode(WordMode::ForHeader);
            }
            "do" => self.branch(Nesting::Loop),
            "done" => self.close(CompoundKind::Loop),
            "case" => {
                self.open(CompoundKind::Case, Nesting::Block);
                self.set_mode(WordMode::CaseHeader);
            }
            "esac" => self.close(CompoundKind::Case),
            "{" => self.open(CompoundKind::Braces, Nesting::Block),
            "}" => self.close(CompoundKind::Braces),
            "!" => {
                if let Some(frame) = self.top() {
                    frame.negated = true;
                }
            }
            "function" => self.function = true,
            "[[" => {
                if let Some(frame) = self.top() {
                    frame.mode = WordMode::Test;
                    frame.command.words.push(ShellWord { text: "[[".to_owned(), ..ShellWord::default() });
                }
            }
            _ => return false,
        }
        true
    }

    fn open_paren(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let command = &mut frame.command;
        let is_name = matches!(command.words.as_slice(), [name] if !name.quoted && !name.text.contains('='));
        let is_time = matches!(command.words.as_slice(), [name] if name.text == "time");
        if is_time || command.at_start() {
            command.words.clear();
            self.open(CompoundKind::Subshell, Nesting::Subshell);
        } else if is_name {
            command.words.clear();
            self.function = true;
        }
    }

    /// Opens a compound command: it becomes a stage of the current pipeline, and its inside a list of its own.
    fn open(&mut self, kind: CompoundKind, nesting: Nesting) {
        let Some(parent) = self.place_compound() else { return };
        let nesting = if std::mem::take(&mut self.function) { Nesting::Function } else { nesting };
        let list = new_list(self.script, nesting, Some(parent));
        let mut frame = Frame::new(kind, list);
        frame.parent = Some(parent);
        self.frames.push(frame);
    }

    fn place_compound(&mut self) -> Option<At> {
        self.finish_command();
        let pipeline = self.pipeline()?;
        self.put(pipeline, Command::default())
    }

    fn put(&mut self, pipeline: usize, command: Command) -> Option<At> {
        let commands = &mut self.script.pipelines.get_mut(pipeline)?.commands;
        commands.push(command);
        self.script.commands += 1;
        Some(At { pipeline, stage: commands.len() - 1 })
    }

    /// The next part of the open compound command: another list of the same parent.
    fn branch(&mut self, nesting: Nesting) {
        if self.frames.len() > 1 {
            self.new_list_here(nesting);
        }
    }

    fn new_list_here(&mut self, nesting: Nesting) {
        self.finish_pipeline();
        let Some(parent) = self.frames.last().and_then(|f| f.parent) else { return };
        let list = new_list(self.script, nesting, Some(parent));
        if let Some(frame) = self.top() {
            frame.list = list;
            frame.join = Join::First;
        }
    }

    /// Closes the innermost compound command when it is of this kind; a stray closing word is ignored.
    fn close(&mut self, kind: CompoundKind) {
        if self.frames.len() < 2 || self.frames.last().is_none_or(|f| f.kind != kind) {
            return;
        }
        self.finish_pipeline();
        let parent = self.frames.pop().and_then(|f| f.parent);
        if let Some(frame) = self.top() {
            frame.command.compound = parent;
        }
    }

    fn separate(&mut self, join: Join) {
        self.function &= self.frames.last().is_some_and(|f| f.command.is_empty());
        self.finish_command();
        let Some(frame) = self.top() else { return };
        let Some(pipeline) = frame.pipeline.take() else {
            return;
        };
        frame.join = join;
        frame.negated = false;
        if join == Join::Background
            && let Some(pipeline) = self.script.pipelines.get_mut(pipeline)
        {
            pipeline.background = true;
        }
    }

    /// The open pipeline of the innermost list, begun when there is none.
    fn pipeline(&mut self) -> Option<usize> {
        let options = self.options;
        let next = self.script.pipelines.len();
        let frame = self.frames.last_mut()?;
        if let Some(open) = frame.pipeline {
            return Some(open);
        }
        frame.pipeline = Some(next);
        let nesting = self.script.lists.get(frame.list)?.nesting;
        self.script.pipelines.push(Pipeline {
            commands: Vec::new(),
            join: frame.join,
            negated: frame.negated,
            nesting,
            options,
            background: false,
            list: frame.list,
        });
        Some(next)
    }

    fn finish_pipeline(&mut self) {
        self.separate(Join::Then);
    }

    fn finish_command(&mut self) {
        let Some(frame) = self.top() else { return };
        if frame.command.is_empty() {
            return;
        }
        let building = std::mem::take(&mut frame.command);
        if let Some(at) = building.compound {
            self.redirect_compound(at, building.redirections);
            return;
        }
        let Some(pipeline) = self.pipeline() else { return };
        let (command, inner) = built_command(building);
        self.options_from(&command);
        let Some(at) = self.put(pipeline, command) else { return };
        self.wait_for_bodies(at);
        self.keep_inner(at, inner);
    }

    fn redirect_compound(&mut self, at: At, redirections: Vec<Redirection>) {
        if let Some(command) = self.command_mut(at) {
            command.redirections = redirections;
        }
        self.wait_for_bodies(at);
    }

    fn command_mut(&mut self, at: At) -> Option<&mut Command> {
        self.script.pipelines.get_mut(at.pipeline)?.commands.get_mut(at.stage)
    }

    fn wait_for_bodies(&mut self, at: At) {
        let Some(command) = self.script.get(at) else { return };
        let documents =
            command.redirections.iter().enumerate().filter(|(_, r)| r.kind == RedirectionKind::HereDocument);
        self.waiting.extend(documents.map(|(index, _)| (at, index)));
    }

    fn bodies(&mut self, bodies: Vec<&'a str>) {
        let waiting = std::mem::take(&mut self.waiting);
        for ((at, index), body) in waiting.into_iter().zip(bodies) {
            if let Some(redirection) = self.command_mut(at).and_then(|c| c.redirections.get_mut(index)) {
                body.clone_into(&mut redirection.target);
            }
            let script = self.script.get(at).filter(|c| c.redirections.len() == 1).and_then(Command::inner_script);
            if script.is_some_and(|script| script == body) {
                let owned = body.to_owned();
                self.keep(owned, Nesting::Inner, at);
            }
        }
    }

    fn keep_inner(&mut self, at: At, substitutions: Vec<&'a str>) {
        for text in substitutions {
            self.keep(text.to_owned(), Nesting::Substitution, at);
        }
        let Some(command) = self.script.get(at) else { return };
        if let Some(text) = command.inner_script().filter(|text| !text.is_empty()).map(str::to_owned) {
            self.keep(text, Nesting::Inner, at);
        }
    }

    fn keep(&mut self, text: String, nesting: Nesting, parent: At) {
        if self.depth + 1 < MAX_DEPTH + 1 {
            let options = if nesting == Nesting::Inner { self.inner_options(parent) } else { self.options };
            self.inner.push(Inside { text, nesting, parent, options });
        } else {
            self.script.incomplete = true;
        }
    }

    /// A new shell begins without the options of this one, save those on its own command line.
    fn inner_options(&self, at: At) -> Options {
        let Some(command) = self.script.get(at) else { return Options::default() };
        if command.program == "eval" {
            return self.options;
        }
        let short = |letter: char| command.args.iter().take_while(|a| a.starts_with('-')).any(|a| a.contains(letter));
        Options { pipefail: command.has_arg("pipefail"), errexit: short('e') }
    }

    /// Substitutions outside a command's words: the list of a `for`.
    fn substituted(&mut self, inner: Vec<&'a str>) {
        let Some(parent) = self.frames.last().and_then(|f| f.parent) else { return };
        for text in inner {
            self.keep(text.to_owned(), Nesting::Substitution, parent);
        }
    }

    fn options_from(&mut self, command: &Command) {
        if command.program != "set" && command.program != "setopt" {
            return;
        }
        let mut on = true;
        for arg in &command.args {
            on = if arg.starts_with('+') { false } else { !arg.starts_with('-') && on || arg.starts_with('-') };
            let letters = arg.starts_with(['-', '+']) && !arg.starts_with("--");
            if arg.eq_ignore_ascii_case("pipefail") || arg.eq_ignore_ascii_case("pipe_fail") {
                self.options.pipefail = on;
                self.script.pipefail |= on && self.depth == 0;
            } else if arg == "errexit" || letters && arg.contains('e') {
                self.options.errexit = on;
            }
        }
    }

    /// Ends what is still open.
    fn end(&mut self) {
        self.script.incomplete |= self.frames.len() > 1;
        while self.frames.len() > 1 {
            self.finish_pipeline();
            self.frames.pop();
        }
        self.finish_pipeline();
    }
}

fn built_command(building: Building<'_>) -> (Command, Vec<&str>) {
    let Building { words, redirections, mut inner, .. } = building;
    let mut globs = false;
    let mut plain = Vec::with_capacity(words.len());
    let mut assignments = Vec::new();
    for word in words {
        inner.extend(word.inner);
        if let Some(pair) = plain.is_empty().then(|| assignment(&word.text)).flatten() {
            assignments.push(pair);
        } else {
            globs |= word.glob && !plain.is_empty();
            plain.push(word.text);
        }
    }
    let stripped = strip(plain, &mut assignments);
    let mut args = stripped.words.into_iter();
    let raw = args.next().unwrap_or_default();
    let program = programs::base_name(&raw).to_owned();
    let Stripped { wrappers, known, .. } = stripped;
    (Command { program, raw, args: args.collect(), assignments, redirections, wrappers, globs, known }, inner)
}

/// The name and value of an assignment word.
pub(super) fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let mut letters = name.chars();
    let first = letters.next()?;
    let is_name =
        (first.is_ascii_alphabetic() || first == '_') && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), value.to_owned()))
}
