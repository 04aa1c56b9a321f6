//! Modes that one call cannot show: what came before decides.

use crate::programs::words::MAY_BE_THERE;
use crate::programs::{Program, Trait};

use crate::model::Category;

use super::Mode as M;
use super::facts::CallFacts;
use super::row::{ModeRow, Seen, When, failed, finds, passed};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::Idempotency, 88, K::AlreadyThere).only(|facts| !facts.is_of(&[Category::TestFailure])),
    finds(M::Idempotency, 87, K::FileExists).only(makes),
    finds(M::SessionManagement, 95, K::NoContext).only(|facts| !names_context(facts)),
    // What is made twice.
    failed(M::Idempotency, 94, made_again),
    passed(M::Idempotency, 90, made_after_doubt).of_trace(),
    // What acts on something else than before.
    failed(M::SessionManagement, 91, switched_before),
    // What had to be asked or done one by one.
    passed(M::CommandTree, 86, asked_level_by_level).when(When::Any).of_trace(),
    passed(M::NoBatch, 86, done_one_by_one).when(When::Any).of_trace(),
    passed(M::Nondeterminism, 88, shown_otherwise),
];

/// Whether an option of the call names what is not there: nothing that another call switched decides then.
fn names_context(facts: &CallFacts<'_>) -> bool {
    let words = |line: &str, value: &str| line.split([' ', '(', ')', '"', '\'', '`']).any(|word| word == value);
    let is_named = |value: &str| facts.found(K::NoContext).any(|(_, found)| words(found.line, value));
    facts.command().is_some_and(|command| {
        let apart = command.args.windows(2).filter_map(|pair| match pair {
            [option, value] if option.starts_with('-') => Some(value.as_str()),
            _ => None,
        });
        let joined =
            command.args.iter().filter(|arg| arg.starts_with('-')).filter_map(|arg| Some(arg.split_once('=')?.1));
        { apart.chain(joined) }.any(|value| !value.starts_with('-') && is_named(value))
    })
}

/// Whether the command makes something that may be there already.
fn makes(facts: &CallFacts<'_>) -> bool {
    const VERBS: &[&str] = &[
        "create", "add", "init", "new", "mkdir", "branch", "tag", "publish", "clone", "worktree", "insert", "apply",
        "install", "generate", "remote", "checkout", "switch", "run", "import",
    ];
    facts.is_program(MAY_BE_THERE)
        || facts.operands().take(3).any(|word| VERBS.contains(&word))
        || facts.command().is_none()
}

/// Whether what the command does cannot be done twice without being done twice.
fn changes_state(facts: &CallFacts<'_>) -> bool {
    const VERBS: &[&str] = &[
        "create", "send", "post", "publish", "insert", "charge", "submit", "add", "deploy", "release", "invite",
        "transfer", "pay", "order", "import", "enqueue",
    ];
    let posts = facts.is_program(&["curl", "http", "wget", "xh"])
        && (facts.has_word(&["-d", "--data", "--data-raw", "--json", "-F", "--post-data"])
            || facts.has_word(&["POST", "-XPOST"]));
    let effect =
        facts.command().is_some_and(|command| command.effect().is_some_and(|(effect, _)| effect.kind != "push"));
    posts || effect || facts.operands().take(3).any(|word| VERBS.contains(&word))
}

/// What the call would make is there, and the same call failed before.
fn made_again(facts: &CallFacts<'_>) -> Option<Seen> {
    let (stream, line) = facts.line_with(&["already exists", "duplicate", "conflict", "alreadyexists", "eexist"])?;
    (facts.past.may_have_taken_effect(facts) || facts.past.has_failed_before(facts) && changes_state(facts)).then(
        || Seen { words: Some("the same call was made before".to_owned()), line: Some((stream, line.to_owned())) },
    )
}

/// A call that changes something and was made again although its first try may have taken effect.
fn made_after_doubt(facts: &CallFacts<'_>) -> Option<Seen> {
    (changes_state(facts)
        && facts.past.may_have_taken_effect(facts)
        && !facts.has_word(&["--idempotency-key", "--client-token", "--if-not-exists", "--force"]))
    .then(|| Seen::words("the same call failed before in a way that may have taken effect"))
}

/// A call that does not find its target after another call switched it.
fn switched_before(facts: &CallFacts<'_>) -> Option<Seen> {
    let switch = facts.past.switched()?;
    let (stream, line) = facts.line_with(&[
        "not found",
        "notfound",
        "does not exist",
        "no such",
        "forbidden",
        "unauthorized",
        "access denied",
    ])?;
    let program = facts.program();
    let same = !program.is_empty() && switch.contains(program);
    same.then(|| Seen {
        words: Some(format!("`{}` switched the target before", crate::text::start(switch, 60))),
        line: Some((stream, line.to_owned())),
    })
}

/// From how many calls for help on it is a walk through the tree of a program's commands.
const LEVELS: usize = 2;

fn asked_level_by_level(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command().filter(|_| facts.script.is_some_and(|script| script.programs().count() == 1))?;
    let asks = command.has_arg("--help")
        || command.subcommands().next() == Some("help")
        || command.args.last().is_some_and(|arg| arg == "-h");
    let asked = facts.past.help_of(command.name());
    let below = asked.iter().filter(|of| !of.is_empty()).count();
    (asks && below >= LEVELS && !command.is(Trait::Looks)).then(|| {
        Seen::words(format!("`{}` was asked for help {} times, once a subcommand", command.name(), asked.len()))
    })
}

/// From how many calls in a row on a command that takes many at once would have been worth it.
const IN_A_ROW: usize = 10;

fn done_one_by_one(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let one = facts.past.in_a_row() >= IN_A_ROW
        && !command.is(Trait::Looks)
        && !command.is(Trait::Tasks)
        && !command.is(Trait::Shell);
    let runs_work = command.is(Trait::Interpreter) || command.is(Trait::Closes);
    let builds = command.known.is_some_and(Program::tests_compile);
    (one && !runs_work && !builds).then(|| {
        Seen::words(format!(
            "{} calls of `{}` in a row differ in their values only",
            facts.past.in_a_row(),
            command.name()
        ))
    })
}

fn shown_otherwise(facts: &CallFacts<'_>) -> Option<Seen> {
    facts
        .past
        .shows_otherwise(facts)
        .then(|| Seen::words("the same call printed the same lines in another order or with other times"))
}
