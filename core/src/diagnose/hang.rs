//! Calls that wait: for a line of input, an editor, a key in a pager, a login, an answer, or for nothing at all. A hang
//! says little by itself; the command and what was printed before it tell what it waits for.

use crate::forms::FormRow;
use crate::programs::Trait;
use crate::programs::calls::{EDITS, FOLLOWS_LINKS, OWN_PAGERS, PAGERS, REPLS, STAY_OPEN, WAITS_ELSEWHERE, WINDOWS};
use crate::programs::input::{
    BUFFERING, INSTALLERS, READERS, READERS_BELOW, READERS_BY_VERB, Reads, SIGN_IN, TAKES_VALUES,
};
use crate::shell::{Command, RedirectionKind, Script};

use crate::model::{Category, Stream};
use crate::reading::clean::is_drawn;
use crate::reading::{asked_before_end, asks_at_end, question_in, unanswered_in};

use super::Mode as M;
use super::facts::{CallFacts, has_word, reads_elsewhere};
use super::row::{ModeRow, Seen, When, failed, finds, hung, passed};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::NoninteractiveInstall, 97, K::InstallerAsks).when(When::Hung),
    finds(M::NoninteractiveInstall, 95, K::InstallerAsks).only(installs),
    finds(M::Interactivity, 95, K::NoTerminal).when(When::Either).only(speaks_itself),
    finds(M::EditorTrap, 97, K::NoEditor).when(When::Either).only(speaks_itself),
    finds(M::HeadlessGui, 95, K::NoDisplay).when(When::Either).only(speaks_itself),
    finds(M::StdinDeadlock, 94, K::NoInput).when(When::Either).only(speaks_itself),
    // A person is wanted.
    hung(M::HeadlessAuth, 96, waits_for_login),
    hung(M::EditorTrap, 95, opens_editor),
    hung(M::EditorTrap, 97, shows_editor).when(When::Either),
    hung(M::EditorTrap, 86, asks_for_editing),
    hung(M::NoninteractiveInstall, 97, waits_in_installation),
    finds(M::SelfUpdate, 93, K::UpdateCheck).when(When::Hung),
    hung(M::Interactivity, 93, shows_pager),
    hung(M::Interactivity, 92, asks),
    hung(M::Interactivity, 87, fills_screen).last(),
    hung(M::Repl, 94, is_repl),
    hung(M::HeadlessGui, 93, opens_window),
    // Nobody is.
    hung(M::SymlinkLoop, 88, walks_links),
    hung(M::StdinDeadlock, 92, reads_input),
    hung(M::PipePayload, 90, sends_and_receives),
    hung(M::OutputBuffer, 88, buffers),
    hung(M::AsyncJob, 88, waits_for_job),
    hung(M::Timeouts, 85, hangs).last(),
    failed(M::Timeouts, 88, hit_a_limit),
    // Calls that failed because nobody was there.
    // A program that asks goes on with what it makes of the silence, which may look like anything else.
    failed(M::Interactivity, 96, asked_and_failed),
    failed(M::Interactivity, 90, shows_pager),
    passed(M::Interactivity, 88, left_in_pager),
    passed(M::Interactivity, 97, left_at_a_question),
    // Installers that ask.
    failed(M::NoninteractiveInstall, 97, waits_in_installation),
    // Editors.
    failed(M::EditorTrap, 97, editor_without_terminal),
    passed(M::EditorTrap, 88, left_in_editor),
    // Windows.
];

/// Whether the words are the command's own, and not of a file that it shows.
fn speaks_itself(facts: &CallFacts<'_>) -> bool {
    facts.command().is_none_or(|command| !command.is(Trait::Shows))
}

/// Words by which installers answer their own questions.
const YES: &[&str] = &[
    "-y",
    "--yes",
    "--assume-yes",
    "--assumeyes",
    "--noconfirm",
    "--non-interactive",
    "--noinput",
    "-qq",
    "--no-input",
    "-f",
];

/// Whether the command installs something: by its program, or by its own name.
pub(super) fn installs(facts: &CallFacts<'_>) -> bool {
    let by_name = || {
        facts.command().is_some_and(|command| {
            let name = command.raw.rsplit('/').next().unwrap_or_default();
            let script = command
                .args
                .first()
                .filter(|_| command.is(Trait::Shell))
                .map_or("", |arg| arg.rsplit('/').next().unwrap_or_default());
            [name, script].iter().any(|name| {
                name.starts_with("install")
                    || name.ends_with("-installer")
                    || name.contains("installation")
                    || name.contains("rustup-init")
            })
        })
    };
    facts.runs(INSTALLERS)
        || by_name()
        || facts.command().is_some_and(|command| {
            command.known.is_none()
                && command.subcommands().next().is_some_and(|word| matches!(word, "install" | "setup"))
        })
        || facts.command().is_some_and(|command| command.wrappers.iter().any(|wrapper| wrapper == "npx"))
}

/// The same of a call that failed: what tests print of questions asked nobody, and whoever is to sign in is asked for that.
fn asked_and_failed(facts: &CallFacts<'_>) -> Option<Seen> {
    let asked = super::network::not_a_test(facts).then(|| asks(facts))??;
    let is_login = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.contains("browser") || LOGIN_WORDS.iter().any(|word| line.contains(word))
    };
    asked.line.as_ref().is_none_or(|(_, line)| !is_login(line)).then_some(asked)
}

/// A question at the end of a success, or the same one put again: nobody answered, and the program took that for a no.
fn left_at_a_question(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.displays() || facts.program().is_empty() || facts.is_fed() {
        return None;
    }
    let is_own = |line: &str| {
        let own = line.strip_prefix(facts.program()).and_then(|rest| rest.strip_prefix(": "));
        own.is_some_and(|question| question.ends_with('?') && question.len() < 200)
    };
    let is_open = |line: &str| line.ends_with([':', '?', ']', '>']);
    let is_last = |line: &str| is_open(line) && question_in(line).is_some_and(|asked| asked.len() + 1 >= line.len());
    let last = facts.ends().find(|(_, line)| is_own(line) || is_last(line));
    let is_again = |(stream, line): &(Stream, &str)| {
        let put = || facts.all_lines().iter().filter(|(own, other)| own == stream && other == line);
        question_in(line).is_some_and(|asked| asked.len() < line.len()) && put().count() > 1
    };
    let (stream, line) = last.or_else(|| facts.all_lines().iter().copied().find(is_again))?;
    Some(Seen::line(stream, line))
}

/// A question or request that what was printed ends with, or one that it goes on behind although nobody answered.
pub(super) fn asks(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.displays() && !facts.call.hang {
        return None;
    }
    let is_open = |line: &str| {
        facts.call.hang && line.len() < 400 && (line.ends_with('?') || line.ends_with("]:") || line.ends_with("):"))
    };
    let is_asked = |line: &str| asks_at_end(line) && (question_in(line).is_none() || unanswered_in(line).is_some());
    let last = facts.ends().find(|(_, line)| is_asked(line) || is_open(line));
    let before_end = || asked_before_end(facts.lines().rev().map(|(_, line)| line)).map(|line| (Stream::Either, line));
    let (stream, line) = last.or_else(|| unanswered(facts)).or_else(before_end)?;
    Some(Seen::line(stream, line))
}

/// A question that nobody can have answered: nothing was handed to the program that asks.
fn unanswered<'t>(facts: &CallFacts<'t>) -> Option<(Stream, &'t str)> {
    facts.lines().filter(|_| !facts.is_fed()).find(|(_, line)| unanswered_in(line).is_some())
}

fn waits_in_installation(facts: &CallFacts<'_>) -> Option<Seen> {
    if !installs(facts) {
        return None;
    }
    if let Some(seen) = asks(facts) {
        return Some(seen);
    }
    let quiet = facts.call.hang && facts.is_silent();
    let installer = facts.runs(INSTALLERS);
    let plain = ["pip", "npm", "cargo", "gem"].iter().any(|name| facts.is_program(&[name]));
    // A question that a shell script asks where there is no terminal is not printed.
    let own = facts.call.hang && !installer && facts.command().is_some_and(|command| command.is(Trait::Shell));
    let begun = own && facts.lines().count() <= GREETING && facts.line_with(WORKING).is_none();
    ((quiet && installer && !plain || begun) && !facts.has_word(YES))
        .then(|| Seen::words("the installer was started without a flag that answers its questions"))
}

/// So many lines an installer may have said before its first question.
const GREETING: usize = 3;

/// What an installer says that is at work.
const WORKING: &[&str] = &["download", "fetch", "unpack", "extract", "compil", "building", "installing", "...", "%"];

/// What is said while a login waits for its person.
const LOGIN_WORDS: &[&str] = &[
    "one-time code",
    "device code",
    "verification code",
    "user code",
    "/login/device",
    "/device",
    "opening browser",
    "in your browser",
    "in a browser",
    "open the following",
    "open this url",
    "visit this url",
    "to sign in",
    "to authenticate",
    "to log in",
    "to login",
    "sign in to continue",
];

fn waits_for_login(facts: &CallFacts<'_>) -> Option<Seen> {
    // The name of an account is asked for before anything else.
    let asks_name = |line: &str| {
        let line = line.to_ascii_lowercase();
        ["email:", "e-mail:", "email address:", "username:", "user name:"].iter().any(|name| line.ends_with(name))
    };
    if let Some((stream, line)) = facts.ends().find(|(_, line)| asks_name(line))
        && facts.line_with(&["login", "log in", "sign in", "signin", "account"]).is_some()
    {
        return Some(Seen::line(stream, line));
    }
    if let Some((stream, line)) = facts.line_with(LOGIN_WORDS) {
        return Some(Seen::line(stream, line));
    }
    let by_words = facts.command().is_some_and(|command| {
        command.subcommands().take(3).any(|word| matches!(word, "login" | "signin" | "sso-login"))
            && !has_word(
                command,
                &["--token", "--with-token", "--password-stdin", "--password", "-p", "--service-principal", "--key"],
            )
    });
    if facts.runs(SIGN_IN) && !facts.has_word(&["--with-token", "--password-stdin", "--token"]) || by_words {
        return Some(Seen::words("the command needs a person to sign in"));
    }
    None
}

/// Whether the command opens an editor, and no variable or setting of its own names a program that does not wait.
pub(super) fn edits(command: &Command) -> bool {
    let by_variable = command.assignments.iter().filter(|(name, _)| name.contains("EDITOR")).map(|(_, value)| &**value);
    let by_setting = command.args.iter().filter_map(|arg| {
        let (name, value) = arg.split_once('=')?;
        matches!(name, "core.editor" | "sequence.editor").then_some(value)
    });
    let is_editor = |value: &str| Script::parse(value).programs().any(|(_, editor)| editor.is_one_of(EDITS));
    let mut named = by_variable.chain(by_setting).peekable();
    let waits = named.peek().is_none() || named.any(is_editor);
    !reads_elsewhere(command) && command.is_one_of(EDITS) && waits
}

/// An editor that says that it has no terminal.
fn editor_without_terminal(facts: &CallFacts<'_>) -> Option<Seen> {
    let (stream, line) =
        facts.line_with(&["not a tty", "not a terminal", "not from a terminal", "requires a terminal"])?;
    facts.command().is_some_and(edits).then(|| Seen::line(stream, line))
}

/// How a terminal is told to show another screen.
const OTHER_SCREEN: &str = "\u{1b}[?1049h";

/// Whether a program drew on a screen of its own.
fn has_screen(facts: &CallFacts<'_>) -> bool {
    let text = facts.call.output.merged();
    text.contains(OTHER_SCREEN) || is_drawn(&text)
}

/// The screen of an editor: what it says of its file, or its name.
fn shows_editor(facts: &CallFacts<'_>) -> Option<Seen> {
    if !has_screen(facts) {
        return None;
    }
    let text = facts.call.output.merged();
    let counts = |line: &str| {
        let rest = line.rsplit_once("\" ").map_or("", |(_, rest)| rest);
        let letters: String = rest.chars().take(24).filter(|c| !c.is_ascii_digit()).collect();
        letters.starts_with("L, B") && rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let named = ["GNU nano", "Launching 'vi", "Launching 'nano", "[New File]", "[New]"];
    (text.lines().any(counts) || named.iter().any(|name| text.contains(name)))
        .then(|| Seen::words("the output contains the screen of an editor"))
}

/// A command that never ended and whose words ask for editing.
fn asks_for_editing(facts: &CallFacts<'_>) -> Option<Seen> {
    let own = facts.command()?.own_args();
    let edits = own.iter().filter(|word| !word.starts_with('-')).take(3).any(|word| word == "edit")
        || facts.has_word(&["--edit"]);
    (edits && (facts.is_silent() || has_screen(facts)))
        .then(|| Seen::words("the command is asked to edit, which opens an editor"))
}

/// A program that draws a whole screen and waits for keys.
fn fills_screen(facts: &CallFacts<'_>) -> Option<Seen> {
    has_screen(facts).then(|| Seen::words("the program fills the screen of a terminal and waits for keys"))
}

fn opens_editor(facts: &CallFacts<'_>) -> Option<Seen> {
    let mut commands = facts.script.into_iter().flat_map(Script::programs);
    commands.any(|(_, command)| edits(command)).then(|| Seen::words("the command opens an editor"))
}

/// Whether the command shows its output in a pager and waits for a key.
pub(super) fn pages(command: &Command) -> bool {
    command.is_one_of(PAGERS)
}

fn shows_pager(facts: &CallFacts<'_>) -> Option<Seen> {
    const SCREENS: &[&str] =
        &["(end)", "--more--", "summary of less commands", "press return to continue", "manual page "];
    const BARE: &[&str] = &[":", "More", "(END)", "--More--"];
    let bare = facts.call.hang && facts.last_line().is_some_and(|(_, line)| BARE.contains(&line));
    let screen = facts.ends().find(|(_, line)| {
        let line = line.to_ascii_lowercase();
        SCREENS.iter().any(|screen| line.starts_with(screen) || line.ends_with(screen)) && line.len() < 200
    });
    if let Some((stream, line)) = screen.filter(|_| facts.call.hang || !facts.displays()) {
        return Some(Seen::line(stream, line));
    }
    if bare {
        return facts.last_line().map(|(stream, line)| Seen::line(stream, line));
    }
    let paging = facts.script.into_iter().flat_map(Script::programs).any(|(_, command)| pages(command));
    if facts.call.hang && paging {
        return Some(Seen::words("the output goes into a pager that waits for a key"));
    }
    if facts.call.hang && facts.prints() && facts.runs_one_of(OWN_PAGERS) {
        return Some(Seen::words("the program shows long output in a pager of its own"));
    }
    None
}

/// A screen of a pager that was left in a success.
fn left_in_pager(facts: &CallFacts<'_>) -> Option<Seen> {
    let end = facts.stdout().trim_end();
    let shown = end.ends_with("(END)") && (end.contains("\u{1b}[7m(END)") || end.ends_with("\n(END)"))
        || end.ends_with("--More--") && end.contains('\n');
    let (stream, line) = facts.last_line()?;
    (shown && !facts.displays()).then(|| Seen::line(stream, line))
}

/// A screen of an editor that was left in a success.
fn left_in_editor(facts: &CallFacts<'_>) -> Option<Seen> {
    let screen = facts.stdout().contains("\u{1b}[?1049h") && facts.stdout().contains("\n~\u{1b}")
        || facts.stdout().contains("Vim: Warning: Output is not to a terminal");
    screen.then(|| Seen::words("the output contains the screen of an editor"))
}

/// Banners and prompts of interpreters.
const BANNERS: &[&str] = &[
    "type \"help\", \"copyright\"",
    "welcome to node.js",
    "ipython ",
    "type \"help\" for help.",
    "welcome to the mysql monitor",
    "enter \".help\" for usage hints",
    "irb(main)",
    "interactive elixir",
    "eshell v",
    "for help, type \"help\"",
    "this is sbcl",
];
const PROMPTS: &[&str] = &[">>>", "mariadb [(none)]>", "(gdb)", "(pdb)", "in [1]:", ">", "?-", "#", "*", "user=>"];

/// Whether the command drops into a prompt of its own.
pub(super) fn is_prompting(command: &Command) -> bool {
    let name = command.name();
    let Some((_, given)) = REPLS.iter().find(|(repl, _)| *repl == name) else { return false };
    let interactive = has_word(command, &["-i", "--interactive", "-a"]) && !command.is(Trait::OwnLetters);
    let own = command.own_args();
    let words = own.iter().filter(|arg| !arg.starts_with('-')).count();
    let bare = match name {
        // A second word is the statement.
        "sqlite3" | "duckdb" => words <= 1,
        "redis-cli" => {
            words == 0
                || command
                    .args
                    .iter()
                    .all(|arg| arg.starts_with('-') || arg.contains('.') || arg.parse::<u32>().is_ok())
        }
        _ if TAKES_VALUES.contains(&name) => true,
        _ => words == 0,
    };
    let clustered = |option: &&&str| {
        option.len() == 2 && !option.starts_with("--") && command.has_letter(option.chars().nth(1).unwrap_or('-'))
    };
    let is_given = has_word(command, given) || given.iter().any(|option| clustered(&option)) && name != "node";
    let is_fed = own.iter().any(|arg| arg == "-") || reads_elsewhere(command);
    !is_fed && (interactive || bare && !is_given)
}

/// Whether the last line of a hang is a prompt: a known one, or one that begins with the program's name, as in `lftp
/// 127.0.0.1:~>`.
fn is_prompt(line: &str, program: &str) -> bool {
    let own = || {
        let rest = line.strip_prefix(&program.to_ascii_lowercase()).filter(|_| !program.is_empty());
        rest.is_some_and(|rest| {
            rest.ends_with('>') && rest.len() < 60 && !rest.starts_with(|c: char| c.is_alphanumeric())
        })
    };
    // `octave:1>`, `[1]>`, `prelude>`: one word.
    let word = || {
        let name = line.strip_suffix('>').unwrap_or_default();
        !name.is_empty()
            && name.len() < 24
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:@()[]*#".contains(&b))
    };
    PROMPTS.contains(&line) || own() || word()
}

/// Whether the command waits for commands although it was given a file.
fn stays_open(command: &Command) -> bool {
    let ending = STAY_OPEN.iter().find(|(name, _)| *name == command.name());
    // Commands of an option that end with leaving: `lftp -e "ls; bye"`.
    let leaves = |arg: &String| {
        let last = arg.trim_end_matches([';', ' ']).rsplit([';', ' ']).next();
        arg.contains([';', ' ']) && last.is_some_and(|last| matches!(last, "bye" | "exit" | "quit"))
    };
    let ends = |ends: &[&str]| has_word(command, ends) || command.args.iter().any(leaves);
    ending.is_some_and(|(_, words)| !ends(words)) && !reads_elsewhere(command)
}

fn is_repl(facts: &CallFacts<'_>) -> Option<Seen> {
    let banner = facts.line_with(BANNERS).filter(|_| !facts.displays());
    let prompt = || facts.ends().find(|(_, line)| is_prompt(&line.to_ascii_lowercase(), facts.program()));
    if let Some((stream, line)) = banner.or_else(prompt) {
        return Some(Seen::line(stream, line));
    }
    let command = facts.command()?;
    (!facts.is_fed() && (is_prompting(command) || stays_open(command)))
        .then(|| Seen::words(format!("`{}` without code or a query waits for commands", command.name())))
}

fn opens_window(facts: &CallFacts<'_>) -> Option<Seen> {
    let headless = facts.has_word(&["--headless", "--headless=new", "--version", "--help", "-nographic", "--no-gui"]);
    let opens = facts.runs_one_of(WINDOWS);
    (opens && !headless).then(|| Seen::words("the command opens a window or a browser"))
}

/// Whether the command walks a tree and follows links in it.
fn walks_links(facts: &CallFacts<'_>) -> Option<Seen> {
    let follows = facts.command()?.is_one_of(FOLLOWS_LINKS);
    follows.then(|| Seen::words("the walk follows symbolic links"))
}

fn reads_input(facts: &CallFacts<'_>) -> Option<Seen> {
    let script = facts.script?;
    // The first stage of the pipe is the one that nobody feeds.
    let unfed = script.programs().filter(|(at, command)| at.stage == 0 && !reads_elsewhere(command));
    let reads = unfed.map(|(_, command)| command).find(|command| reads_standard_input(command));
    let named = |command: &Command| format!("`{}` was given no file and reads standard input", command.name());
    if let Some(command) = reads.filter(|_| facts.call.output.is_blank()) {
        return Some(Seen::words(named(command)));
    }
    None
}

/// Whether the command waits for standard input as it stands.
fn reads_standard_input(command: &Command) -> bool {
    let words = command.args.iter().filter(|arg| !arg.starts_with('-') || arg.as_str() == "-").count();
    let dash = has_word(
        command,
        &[
            "-",
            "/dev/stdin",
            "--stdin",
            "--with-token",
            "--password-stdin",
            "--stdin-filepath",
            "--stdin-filename",
            "--from-stdin",
        ],
    );
    let given = has_word(command, &["-f", "--file", "-i", "--input", "--body", "-b", "-in"]);
    let answers = has_word(command, &["--version", "--help", "-V"]);
    let by_nature = command.is(Trait::Modules) && has_word(command, &["json.tool"]) && words == 1
        || READERS_BELOW.iter().any(|(subcommand, most)| command.runs(subcommand) && words <= *most)
            && !given
            && !answers
        || READERS_BY_VERB.contains(&command.name())
            && words > 0
            && !command.args.last().is_some_and(|last| last.contains(['.', '/']));
    if by_nature || dash && command.is(Trait::TakesCode) {
        return true;
    }
    match reads(command) {
        Some(Reads::Files(before, values, unless)) => {
            let is_file = || words > before.saturating_add(values_of(command, values));
            !answers && !unless.iter().any(|option| command.has_option(option)) && (dash || !is_file())
        }
        Some(Reads::Asked(options)) => dash || has_word(command, options),
        None => dash,
    }
}

/// When the program of a command reads standard input; None where it is not known to.
fn reads(command: &Command) -> Option<Reads> {
    READERS.iter().find(|(_, names)| names.contains(&command.name())).map(|(reads, _)| *reads)
}

/// How many words of a command are the values of such options.
fn values_of(command: &Command, options: &[&str]) -> usize {
    let is_value = |pair: &&[String]| matches!(pair, [option, value] if options.contains(&option.as_str()) && !value.starts_with('-'));
    command.args.windows(2).filter(is_value).count()
}

/// The most that a program can be sent before it has read any of it.
const PIPE_BYTES: usize = 64 * 1024;

fn sends_and_receives(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let from_file =
        command.redirections.iter().any(|r| r.kind == RedirectionKind::Read && !r.target.starts_with("/dev/"));
    let large = command.redirections.iter().any(|r| {
        matches!(r.kind, RedirectionKind::HereDocument | RedirectionKind::HereString) && r.target.len() > PIPE_BYTES / 2
    });
    let script = facts.script?;
    let at = facts.at()?;
    let taken = command.writes_a_file() || script.readers(at).next().is_some();
    let fed_by_file = || {
        at.stage > 0
            && script
                .programs()
                .any(|(other, c)| other.pipeline == at.pipeline && other.stage == 0 && c.is(Trait::Shows))
    };
    let own = !command.is(Trait::Looks) && reads(command).is_none();
    (facts.is_silent() && own && (large || taken && (from_file || fed_by_file())))
        .then(|| Seen::words("it is sent a payload and its answer is taken through a pipe or file at the same time"))
}

fn buffers(facts: &CallFacts<'_>) -> Option<Seen> {
    let script = facts.script?;
    let piped = script.programs().find_map(|(at, command)| {
        let own =
            command.is_by_path() && command.known.is_none() && script.readers(at).any(|reader| reader.name() == "tee");
        let off = match BUFFERING.iter().find(|(name, _)| *name == command.name()) {
            Some((_, off)) => *off,
            None if own => &[],
            None => return None,
        };
        let runs_file = own || command.args.iter().any(|arg| !arg.starts_with('-'));
        let unbuffered = off.iter().any(|option| command.has_option(option))
            || command.assignments.iter().any(|(name, _)| name == "PYTHONUNBUFFERED")
            || command.wrappers.iter().any(|w| w.starts_with("stdbuf") || w.starts_with("unbuffer"));
        let taken = script.readers(at).next().is_some() || command.writes_a_file();
        (runs_file && taken && !unbuffered && !reads_elsewhere(command)).then_some(command)
    });
    let piped = piped?;
    facts
        .is_silent()
        .then(|| Seen::words(format!("what `{}` printed into the pipe stayed in its buffer", piped.name())))
}

fn waits_for_job(facts: &CallFacts<'_>) -> Option<Seen> {
    let waits = facts.runs_one_of(WAITS_ELSEWHERE)
        || facts.has_word(&["--wait", "--watch-status", "--wait-for-completion"])
            && !facts.is_program(&["code", "npm", "tsc", "jest"]);
    waits.then(|| Seen::words("the command waits for work that runs elsewhere"))
}

/// A hang of which nothing tells what it waits for.
#[expect(clippy::unnecessary_wraps, reason = "a shape answers with it")]
fn hangs(facts: &CallFacts<'_>) -> Option<Seen> {
    let endless = facts.command().is_some_and(|command| command.is(Trait::Endless) || command.follows());
    let words = match facts.call.limit_ms {
        _ if endless => "the command never ends by itself".to_owned(),
        Some(limit) if limit > 0 => format!("it was still running after {} s", limit.div_ceil(1000)),
        _ => "a time limit ended it".to_owned(),
    };
    match facts.last_line() {
        Some((stream, line)) => Some(Seen { words: Some(words), line: Some((stream, line.to_owned())) }),
        None => Some(Seen::words(words)),
    }
}

/// A program that says that its own limit was over.
fn hit_a_limit(facts: &CallFacts<'_>) -> Option<Seen> {
    facts.finding(K::TimedOut).filter(|_| !facts.displays() && !facts.is_of(&[Category::TestFailure]))
}

/// Whether what was seen proves that the form changes how this call ends: the words of the call make it wait, or the output
/// shows the question that the form answers. Of a sign-in, a network, a limit and whatever else may end otherwise the next
/// time nothing is proven.
pub(super) fn is_decided_by(mode: M, row: &FormRow, facts: &CallFacts<'_>) -> bool {
    let is_hung = facts.call.hang;
    let some = |waits: fn(&Command) -> bool| {
        facts.script.is_some_and(|script| script.programs().any(|(_, command)| waits(command)))
    };
    let proven = match mode {
        M::Interactivity => is_hung && some(pages) || !ANSWERS_YES.contains(&row.text) && shows_question(facts),
        M::Timeouts => is_hung && facts.command().is_some_and(Command::follows),
        M::Repl => {
            is_hung
                && !facts.is_fed()
                && facts.command().is_some_and(|command| proves_waiting(command) == Some(M::Repl))
        }
        M::StdinDeadlock => is_hung && reads_input(facts).is_some(),
        M::EditorTrap => some(edits),
        M::NoninteractiveInstall => unanswered(facts).is_some(),
        _ => false,
    };
    proven && !row.only_ends
}

/// Whether a call that was still running shows an editor, or ends with a question that is none of the work's.
pub(super) fn shows_waiting(mode: M, facts: &CallFacts<'_>) -> bool {
    let shows = |kind| facts.finding(kind).is_some() && speaks_itself(facts);
    let asks = || !facts.displays() && facts.ends().any(|(_, line)| question_in(line) == Some(line));
    facts.call.hang
        && match mode {
            M::EditorTrap => shows_editor(facts).is_some() || shows(K::NoEditor),
            M::Interactivity => shows(K::NoTerminal) || asks(),
            _ => false,
        }
}

/// Forms that answer a question with yes: what it asks may be whether to replace or destroy something, and nobody is told to do
/// so unasked.
const ANSWERS_YES: &[&str] =
    &["-f", "-o", "-y", "--yes", "--force", "--clear", "-auto-approve", "-noprompt", "--noconfirm"];

/// Whether what was printed shows the question, or that there is no terminal for it.
fn shows_question(facts: &CallFacts<'_>) -> bool {
    facts.finding(K::NoTerminal).is_some() || asked_and_failed(facts).is_some()
}

/// Whether the shape of the command alone proves that it waits for a person at a terminal: an editor, a pager, the message
/// of a commit, an interpreter without code. Never a login, a network (as a client of a database has one) or a hang of
/// unknown kind: a person may have answered it.
pub(super) fn proves_waiting(command: &Command) -> Option<M> {
    if edits(command) {
        Some(M::EditorTrap)
    } else if pages(command) {
        Some(M::Interactivity)
    } else if is_prompting(command) && !TAKES_VALUES.contains(&command.name()) {
        Some(M::Repl)
    } else {
        None
    }
}
