//! What only people may do: inside the client, in hooks and without a terminal it is refused.

use std::io::{IsTerminal, Write};

use failwise::error::Error;
use failwise::guard::PEOPLE_COMMANDS;

/// Variables that the client sets in what it starts, for its tools as for its hooks.
const SET_BY_CLIENTS: &[&str] =
    &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"];
/// The next step of who was refused.
const OWN_TERMINAL: &str = "run it in a terminal of your own";

/// The variable that says that an agent asks.
pub(crate) fn agent() -> Option<&'static str> {
    SET_BY_CLIENTS.iter().copied().find(|name| crate::env(name).is_some())
}

/// Why somebody who asks for a command of the list that the hook has, too, is no person, and the next step; None for a person.
/// `words` names its row. `yes` is a script's word that it is a person's own.
pub(crate) fn refusal(words: &str, yes: bool) -> Option<(String, String)> {
    let may = PEOPLE_COMMANDS.iter().find(|command| command.words == words).map_or("do this", |command| command.may);
    if let Some(name) = agent() {
        let why = format!("only a person may {may}; {name} shows an agent is asking");
        return Some((why, OWN_TERMINAL.to_owned()));
    }
    if yes || std::io::stdin().is_terminal() {
        return None;
    }
    let why = format!("only a person may {may}, and there is no terminal");
    Some((why, format!("{OWN_TERMINAL}; a script of yours says --yes")))
}

/// Lets only people go on, by [`refusal`].
///
/// # Errors
/// When it is no person who asks.
pub(crate) fn only_people(words: &str, yes: bool) -> Result<(), Error> {
    refusal(words, yes).map_or(Ok(()), |(why, hint)| Err(Error::refused(why).hint(hint)))
}

/// Lets everybody but an agent go on: a script of a person's needs no terminal.
///
/// # Errors
/// When an agent asks.
pub(crate) fn not_for_agents(words: &str) -> Result<(), Error> {
    only_people(words, true)
}

/// Asks a person on the terminal; only `y` and `yes` agree.
///
/// # Errors
/// When the terminal cannot be read or written.
pub(crate) fn agrees(question: &str) -> Result<bool, Error> {
    let mut err = std::io::stderr().lock();
    write!(err, "{question} [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
