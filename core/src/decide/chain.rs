//! What of a chain of commands has run when one of them failed, and what is left of it.

use std::borrow::Cow;

use super::offered;
use crate::history::Execution;
use crate::model::{FindingKind, ObjectKind, Reading};
use crate::programs::Trait;
use crate::reading::findings;
use crate::shell::{Command, Join, Nesting, Pipeline, Script, WordRole, placed_words};

/// What has run of a chain that failed: `b` failed in `a && b && c`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedChain<'f> {
    /// The parts that passed before it, but for what prepares the shell or only looks: `a`. Empty where the output does not
    /// tell which part failed.
    pub ran: Vec<&'f str>,
    /// The line up to the first part that may be the one that failed, where one is told apart.
    before: Option<&'f str>,
    /// What of it prepares the shell.
    prepares: String,
}

impl FailedChain<'_> {
    /// A form of the line without what has run: `b && c`. None where that is not known.
    pub fn left_of(&self, form: &str) -> Option<String> {
        self.surely_left_of(form).filter(|_| !self.ran.is_empty())
    }

    /// The same where several parts may have failed: what comes before all of them has run.
    fn surely_left_of(&self, form: &str) -> Option<String> {
        let rest = form.strip_prefix(self.before?)?;
        Some(format!("{}{rest}", self.prepares))
    }
}

/// What of the line's chain has run by now; None where nothing before the part that failed did anything, and where the line
/// is no plain chain.
pub fn failed_chain<'l>(line: &'l str, reading: &Reading, text: &str) -> Option<FailedChain<'l>> {
    let script = Script::parse(line);
    let parts = &script.pipelines;
    let is_whole = |part: &Pipeline| part.commands.iter().all(|command| !command.program.is_empty());
    let is_plain = |part: &Pipeline| part.nesting == Nesting::Top && is_whole(part);
    let is_chained = |part: &Pipeline| matches!(part.join, Join::And | Join::Then);
    if script.incomplete || !parts.iter().all(is_plain) || !parts.iter().skip(1).all(is_chained) {
        return None;
    }
    let words = placed_words(line)?;
    let begins = parts.iter().scan(0, |number, part| {
        let first = words.iter().find(|word| word.command == *number);
        *number += part.commands.len();
        Some(first.filter(|first| first.role != WordRole::Target).map(|first| first.range.start))
    });
    let begins: Vec<usize> = begins.collect::<Option<_>>()?;
    let ends = begins.iter().skip(1).copied().chain([line.len()]);
    let texts = begins.iter().zip(ends).filter_map(|(from, until)| line.get(*from..until));
    let texts = texts.map(|text| text.trim_end().trim_end_matches(['&', ';']).trim_end());
    // What goes into a file is done, whatever prints it.
    let all_are =
        |part: &Pipeline, own: Trait| part.commands.iter().all(|command| command.is(own) && !command.writes_a_file());
    let prepares = |part: &Pipeline| all_are(part, Trait::Prepares) || all_are(part, Trait::Enters);
    let only_shows = |part: &Pipeline| {
        let traits = [Trait::Looks, Trait::Displays, Trait::Harmless, Trait::Prints];
        traits.iter().any(|own| all_are(part, *own))
    };
    let texts: Vec<&str> = texts.collect();
    let until = |at: usize| parts.iter().zip(&texts).take(at);
    let ran = |at| -> Vec<&str> {
        until(at).filter(|(part, _)| !prepares(part) && !only_shows(part)).map(|(_, text)| *text).collect()
    };
    let found = failed_part(parts, reading, text);
    let is_told = found.is_some_and(|(_, is_only)| is_only);
    // Behind a `;` everything has run, whatever came of what is before it: only of the last such part is something left.
    let is_any = |part: &Pipeline| part.join == Join::Then;
    if parts.iter().any(is_any) && found.is_none_or(|(at, _)| !is_told || parts.iter().skip(at + 1).any(is_any)) {
        return None;
    }
    let ran = ran(found.filter(|_| is_told).map_or(parts.len().saturating_sub(1), |(at, _)| at));
    if ran.is_empty() {
        return None;
    }
    let Some((at, _)) = found else { return Some(FailedChain::default()) };
    Some(FailedChain {
        ran: if is_told { ran } else { Vec::new() },
        before: line.get(..*begins.get(at)?),
        prepares: until(at).filter(|(part, _)| prepares(part)).flat_map(|(_, text)| [*text, " && "]).collect(),
    })
}

/// The first part of a chain that the output can be of, and whether it is the only one.
fn failed_part(parts: &[Pipeline], reading: &Reading, text: &str) -> Option<(usize, bool)> {
    let first = |may_be: &dyn Fn(&Command) -> bool| {
        let mut found = parts.iter().enumerate().filter(|(_, part)| part.commands.iter().any(may_be));
        found.next().map(|(at, _)| (at, found.next().is_none()))
    };
    let named = reading.objects.iter().find(|object| object.kind == ObjectKind::Program);
    let runner = reading.runner.as_deref();
    let line = || text.lines().map(str::trim).find(|line| !line.is_empty());
    let said = reading.line.as_deref().or_else(line);
    // The shell names the script of whose line it speaks.
    let speaks = |command: &Command| {
        let behind = said.and_then(|line| line.strip_prefix(&*command.raw));
        behind.is_some_and(|rest| rest.starts_with(':'))
    };
    let is_named = |command: &Command| named.is_some_and(|it| command.raw == it.name || command.program == it.name);
    let runs = |command: &Command| runner.is_some_and(|own| command.runs(own) || command.name() == own);
    let is_ahead = || findings(text).iter().any(|found| found.kind == FindingKind::RemoteAhead);
    let pushes = || first(&|command| command.is(Trait::Pushes)).filter(|_| is_ahead());
    let ways = [first(&is_named), first(&runs), first(&speaks)];
    let only = ways.into_iter().flatten().find(|(_, is_only)| *is_only);
    only.or_else(|| pushes().filter(|(_, is_only)| *is_only)).or_else(|| ways.into_iter().flatten().next())
}

/// The command of a failed call as it may be offered again: without the parts of its chain that have run by now.
pub fn offered_again(failed: &Execution) -> Option<Cow<'_, str>> {
    let line = offered(failed)?;
    // Most lines are no chain, and cost no more than this look.
    let reading = failed.reading.as_ref().filter(|_| line.contains("&&"));
    let chain = reading.and_then(|it| failed_chain(line, it, failed.text.as_deref().unwrap_or_default()));
    Some(chain.and_then(|chain| chain.surely_left_of(line)).map_or(Cow::Borrowed(line), Cow::Owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surely_ran_is_not_offered_again() {
        let left = |line: &str, runner: &str| {
            let reading = Reading { runner: Some(runner.to_owned()), ..Reading::unrecognised() };
            let chain = failed_chain(line, &reading, "");
            chain.map(|chain| (chain.left_of(line), chain.surely_left_of(line)))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(left("make db && npm ci && ls", "npm"), Some((some("npm ci && ls"), some("npm ci && ls"))));
        // Which of the two it was is not told, and `make db` has run.
        let both = "cd web && make db && npm ci && npm test";
        assert_eq!(left(both, "npm"), Some((None, some("cd web && npm ci && npm test"))));
        assert_eq!(left("make db && npm ci", "cargo"), Some((None, None)));
        assert_eq!(left("npm ci && make db", "npm"), None, "nothing has run");
        assert_eq!(left("make db; npm ci && ls", "npm").map(|left| left.0), Some(some("npm ci && ls")));
        assert_eq!(left("echo row >> log && npm ci", "npm").map(|left| left.0), Some(some("npm ci")));
        for line in ["make db; npm ci; ls", "make db || npm ci", "(make db; npm ci)", "for a in b; do npm ci; done"] {
            assert_eq!(left(line, "npm"), None, "{line}: no plain chain, or all of it has run");
        }
    }
}
