//! Whether the status of one command of a line is the status of the whole line.

use super::{At, Command, Join, MAX_PIPELINES, Nesting, Pipeline, Script};
use crate::programs::Trait;

/// What becomes of a command's non-zero status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is the status of the whole line.
    Kept,
    /// The line may well report success.
    Lost(Loss),
}

/// How a status is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// A later stage of the pipeline reports instead.
    Pipe,
    /// `||` gives way to another command.
    Or,
    /// Another command follows.
    Followed,
    /// It runs in the background.
    Background,
    /// `!` turns it round.
    Negated,
    /// It decides a condition.
    Condition,
    /// It is in a substitution of another command's words.
    Substituted,
    /// Only one round of a loop.
    Loop,
    /// It is only defined, not run.
    Defined,
}

/// How the words of a shell name the status of the first command of a pipe.
const OF_FIRST: &[&str] = &[
    "${PIPESTATUS[0]}",
    "${pipestatus[1]}",
    "${PIPESTATUS[@]}",
    "${PIPESTATUS[*]}",
    "${pipestatus[@]}",
    "$PIPESTATUS",
];

/// Where a line prints the status of a command.
#[derive(Debug)]
pub struct PrintedStatus<'s> {
    /// The command that prints it.
    pub by: &'s Command,
    /// How the words of that name it: `$?`, `$rc`.
    pub name: String,
    /// Whether it is the status of that one command: in `a && b; echo $?` it is that of both.
    pub alone: bool,
}

impl Script {
    /// What becomes of a non-zero status of the command at this place. Of a place that does not exist: kept.
    pub fn status_of(&self, at: At) -> Fate {
        let mut at = at;
        // A parent always comes before its inside, so this ends; the bound makes that plain.
        for _ in 0..MAX_PIPELINES {
            let Some(loss) = self.loss_in_list(at) else {
                match self.parent_of(at) {
                    Ok(Some(parent)) => at = parent,
                    Ok(None) => return Fate::Kept,
                    Err(loss) => return Fate::Lost(loss),
                }
                continue;
            };
            return Fate::Lost(loss);
        }
        Fate::Kept
    }

    /// Whether a non-zero status of the command can be that of the line: the last round of a loop decides, too.
    pub fn may_decide(&self, at: At) -> bool {
        std::iter::once(at)
            .chain(
                self.around(at).filter(|at| self.nesting(*at) == Some(Nesting::Loop)).filter_map(|at| self.holder(at)),
            )
            .all(|at| matches!(self.status_of(at), Fate::Kept | Fate::Lost(Loss::Loop)))
    }

    fn nesting(&self, at: At) -> Option<Nesting> {
        self.pipelines.get(at.pipeline).map(|pipeline| pipeline.nesting)
    }

    fn holder(&self, at: At) -> Option<At> {
        self.lists.get(self.pipelines.get(at.pipeline)?.list)?.parent
    }

    /// The command that is tried instead when this one failed: the one after `||`.
    pub fn alternative(&self, at: At) -> Option<&Command> {
        self.after(at).find(|later| later.join != Join::And).filter(|later| later.join == Join::Or)?.commands.first()
    }

    /// The command that is tried when the one at this place failed, and whose status then takes the place of its own: the
    /// second of `a || b`.
    pub fn second_try(&self, at: At) -> Option<At> {
        let own = self.pipelines.get(at.pipeline)?;
        let decides = at.stage + 1 == own.commands.len() || own.options.pipefail;
        let (pipeline, next) =
            self.pipelines.iter().enumerate().skip(at.pipeline + 1).find(|(_, later)| later.list == own.list)?;
        let is_plain = decides && !own.background && !own.negated;
        (is_plain && next.join == Join::Or).then_some(At { pipeline, stage: 0 })
    }

    /// Whether the line waits for what it started in the background, with no status of that: `a & wait; b`.
    pub fn waits_for(&self, at: At) -> bool {
        let is_plain = |command: &Command| command.program == "wait" && command.args.is_empty();
        self.after(at).any(|later| later.commands.iter().any(is_plain))
    }

    /// Whether the command is in the body of a loop, however deep, that goes on after it passed.
    pub fn repeats(&self, at: At) -> bool {
        let body = self.around(at).find(|at| self.nesting(*at) == Some(Nesting::Loop));
        body.is_some_and(|body| !self.after(body).next().is_some_and(leaves_after_a_pass))
    }

    /// Whether the command surely ran, where the status of the line is 0: nothing that the line decides stands before it.
    pub fn surely_ran(&self, at: At) -> bool {
        self.around(at).all(|at| {
            let Some(pipeline) = self.pipelines.get(at.pipeline) else { return false };
            let last = At { stage: pipeline.commands.len().saturating_sub(1), ..at };
            let ran = match pipeline.join {
                Join::First | Join::Then | Join::Background => true,
                Join::And => self.status_of(last) == Fate::Kept,
                Join::Or => false,
            };
            ran && matches!(pipeline.nesting, Nesting::Top | Nesting::Subshell | Nesting::Inner)
        })
    }

    /// The place of this command and of those that hold it, the nearest first.
    pub fn around(&self, at: At) -> impl Iterator<Item = At> {
        std::iter::successors(Some(at), |at| self.holder(*at)).take(MAX_PIPELINES)
    }

    /// The commands that what this one prints goes through, the nearest first.
    pub fn readers(&self, at: At) -> impl Iterator<Item = &Command> {
        self.around(at).flat_map(|at| {
            let pipeline = self.pipelines.get(at.pipeline);
            pipeline.into_iter().flat_map(move |pipeline| pipeline.commands.iter().skip(at.stage + 1))
        })
    }

    /// Whether what the command prints becomes words of another one, and is not shown as it is: `out=$(cmd); echo "$out"`
    /// shows it.
    pub fn is_substituted(&self, at: At) -> bool {
        let list = |at: At| self.pipelines.get(at.pipeline).and_then(|pipeline| self.lists.get(pipeline.list));
        let parents = std::iter::successors(list(at), |held| held.parent.and_then(list));
        parents
            .take(MAX_PIPELINES)
            .any(|held| held.nesting == Nesting::Substitution && !held.parent.is_some_and(|at| self.is_value_shown(at)))
    }

    /// Whether the command at this place only sets a variable that a later one prints.
    fn is_value_shown(&self, at: At) -> bool {
        let Some(command) = self.get(at).filter(|command| command.program.is_empty()) else { return false };
        let prints = |by: &Command, name: &str| {
            let is_it = |arg: &String| {
                let bare = arg.trim_start_matches(['$', '{']).trim_end_matches('}');
                arg.starts_with('$') && bare == name
            };
            by.is(Trait::Prints) && by.args.iter().any(is_it)
        };
        command
            .assignments
            .iter()
            .any(|(name, _)| self.after(at).any(|later| later.commands.first().is_some_and(|by| prints(by, name))))
    }

    /// Whether the later command of one chain ran only because this one passed: the first of `a && b && c` for the last.
    pub fn leads_to(&self, at: At, later: At) -> bool {
        let stages = self.pipelines.get(at.pipeline).map_or(0, |pipeline| pipeline.commands.len());
        let mut between = self.after(at).take_while(|next| next.join == Join::And);
        let reached = self.pipelines.get(later.pipeline);
        at.stage + 1 == stages && reached.is_some_and(|wanted| between.any(|next| std::ptr::eq(next, wanted)))
    }

    /// Where the line prints the status of the command at this place: `cmd; echo "exit: $?"`, `cmd || echo $?`,
    /// `cmd | tail; echo ${PIPESTATUS[0]}`, `cmd; rc=$?; echo "rc=$rc"`.
    pub fn status_printed_by(&self, at: At) -> Option<PrintedStatus<'_>> {
        let pipeline = self.pipelines.get(at.pipeline)?;
        let joined = self.after(at).next().is_some_and(|later| later.join == Join::And);
        let Some(next) = self.after(at).find(|later| later.join != Join::And) else {
            // `{ cmd; }; echo $?`
            let whole = self.parent_of(at).ok()??;
            return self.status_printed_by(whole).filter(|_| self.loss_in_list(at).is_none());
        };
        let is_last = at.stage + 1 == pipeline.commands.len() || pipeline.options.pipefail;
        let is_first = at.stage == 0 && !joined;
        let is_its = |name: &str| is_last && name == "$?" || is_first && OF_FIRST.contains(&name);
        let command = next.commands.first().filter(|_| next.commands.len() == 1)?;
        let printed = |command: &'_ Command, name: &str| {
            command.is(Trait::Prints) && command.args.iter().any(|arg| arg.contains(name))
        };
        let (by, name) = if let Some((name, _)) = command.assignments.iter().find(|(_, value)| is_its(value)) {
            let names = [format!("${name}"), format!("${{{name}}}")];
            let later = self.after(at).filter(|later| later.commands.len() == 1).flat_map(|later| &later.commands);
            later
                .flat_map(|by| names.iter().map(move |name| (by, name.clone())))
                .find(|(by, name)| printed(by, name))?
        } else {
            let names = std::iter::once(&"$?").chain(OF_FIRST).filter(|name| is_its(name));
            (command, (*names.into_iter().find(|name| printed(command, name))?).to_owned())
        };
        let told = matches!(next.join, Join::Then | Join::Or) && !pipeline.background && !pipeline.negated;
        told.then(|| PrintedStatus { by, name, alone: self.is_alone_in_chain(at) })
    }

    /// Whether no other command of its `&&` chain can have the status that the chain ends with.
    fn is_alone_in_chain(&self, at: At) -> bool {
        let own = |later: &&Pipeline| self.pipelines.get(at.pipeline).is_some_and(|own| later.list == own.list);
        let prepares = |chained: &Pipeline| chained.commands.iter().all(|command| command.is(Trait::Prepares));
        let mut before = self.pipelines.get(..=at.pipeline).unwrap_or_default().iter().rev().filter(own).peekable();
        while let Some(chained) = before.next() {
            let is_joined = matches!(chained.join, Join::And | Join::Or);
            if is_joined && !before.peek().is_some_and(|earlier| chained.join == Join::And && prepares(earlier)) {
                return false;
            }
            if !is_joined {
                break;
            }
        }
        self.after(at).take_while(|later| later.join == Join::And).all(prepares)
    }

    /// The command that holds the list of this one, where the list's status becomes that command's.
    fn parent_of(&self, at: At) -> Result<Option<At>, Loss> {
        let Some(pipeline) = self.pipelines.get(at.pipeline) else { return Ok(None) };
        let parent = self.lists.get(pipeline.list).and_then(|list| list.parent);
        match pipeline.nesting {
            Nesting::Top | Nesting::Subshell | Nesting::Block | Nesting::Inner => Ok(parent),
            Nesting::Loop => Err(Loss::Loop),
            Nesting::Condition => Err(Loss::Condition),
            Nesting::Function => Err(Loss::Defined),
            Nesting::Substitution => match parent.and_then(|at| self.get(at)) {
                // `x=$(cmd)` alone reports the status of cmd; `export x=$(cmd)` does not.
                Some(command) if command.program.is_empty() && !command.assignments.is_empty() => Ok(parent),
                _ => Err(Loss::Substituted),
            },
        }
    }

    fn loss_in_list(&self, at: At) -> Option<Loss> {
        let pipeline = self.pipelines.get(at.pipeline)?;
        let last_stage = at.stage + 1 >= pipeline.commands.len();
        if pipeline.background {
            return Some(Loss::Background);
        }
        if pipeline.negated {
            return Some(Loss::Negated);
        }
        if self.exits_with_it(at) {
            return None;
        }
        if !last_stage && !pipeline.options.pipefail {
            return Some(Loss::Pipe);
        }
        self.loss_after(at, pipeline)
    }

    fn loss_after(&self, at: At, pipeline: &Pipeline) -> Option<Loss> {
        let mut in_chain = false;
        for later in self.after(at) {
            match later.join {
                Join::And => in_chain = true,
                Join::Or if gives_up(later) => return None,
                Join::Or => return Some(Loss::Or),
                // errexit ends the shell, unless the command was not the last of its `&&` chain.
                Join::Then if pipeline.options.errexit && !in_chain => return None,
                Join::Then | Join::Background => return Some(Loss::Followed),
                Join::First => return None,
            }
        }
        None
    }

    /// The pipelines after this one in its own list.
    fn after(&self, at: At) -> impl Iterator<Item = &Pipeline> {
        let list = self.pipelines.get(at.pipeline).map(|p| p.list);
        self.pipelines.iter().skip(at.pipeline + 1).filter(move |p| Some(p.list) == list)
    }

    /// Whether the status is saved and handed on: `cmd; rc=$?; ...; exit $rc`, `cmd | tee log; exit ${PIPESTATUS[0]}`.
    fn exits_with_it(&self, at: At) -> bool {
        let Some(next) = self.after(at).next() else { return false };
        let Some(last) = self.after(at).last().and_then(|p| p.commands.first()) else { return false };
        let Some(code) = last.args.first().filter(|_| last.program == "exit" || last.program == "return") else {
            return false;
        };
        let saved = next.commands.first().and_then(|c| c.assignments.iter().find(|(_, v)| holds_status(v)));
        let one_stage = self.pipelines.get(at.pipeline).is_some_and(|p| p.commands.len() == 1);
        match saved {
            Some((name, value)) => code.contains(name.as_str()) && (one_stage || value != "$?"),
            None => {
                std::ptr::eq(next.commands.first().unwrap_or(last), last)
                    && holds_status(code)
                    && (one_stage || code != "$?")
            }
        }
    }
}

/// `&& break`
fn leaves_after_a_pass(pipeline: &Pipeline) -> bool {
    let leaves = |c: &Command| matches!(c.program.as_str(), "break" | "exit" | "return");
    pipeline.join == Join::And && pipeline.commands.first().is_some_and(leaves)
}

fn holds_status(value: &str) -> bool {
    value == "$?" || value.contains("PIPESTATUS") || value.contains("pipestatus")
}

/// Whether the command after `||` ends the line as a failure itself.
fn gives_up(pipeline: &Pipeline) -> bool {
    pipeline.commands.first().is_some_and(|c| {
        let code = c.args.first().map(String::as_str);
        c.program == "false" || matches!(c.program.as_str(), "exit" | "return") && code.is_some_and(|code| code != "0")
    })
}

#[cfg(test)]
mod tests {
    use super::super::Script;
    use super::{Fate, Loss};

    fn fate(text: &str, program: &str) -> Fate {
        let script = Script::parse(text);
        let at = script.programs().find(|(_, c)| c.program == program).unwrap().0;
        script.status_of(at)
    }

    #[test]
    fn kept() {
        for text in [
            "make",
            "cd a && make && ls",
            "set -o pipefail; make | tail",
            "set -euo pipefail\nmake | tail\nls",
            "bash -c 'cd x && make'",
            "bash -o pipefail -c 'make | tail'",
            "x=$(make)",
            "(cd a; make)",
            "make || exit 1; ls",
            "make; rc=$?; echo $rc; exit $rc",
            "make | tee log; exit ${PIPESTATUS[0]}",
            "if true; then make; fi",
            "{ make; }",
        ] {
            assert_eq!(fate(text, "make"), Fate::Kept, "{text}");
        }
    }

    #[test]
    fn rounds_and_alternatives() {
        let repeats = |text: &str| {
            let script = Script::parse(text);
            let at = script.programs().find(|(_, c)| c.program == "make").unwrap().0;
            script.repeats(at)
        };
        assert!(repeats("for d in a b; do (cd $d && make | tail); done"));
        assert!(repeats("for d in a b; do make; done"));
        assert!(!repeats("for i in 1 2 3; do make && break; sleep 1; done"));
        assert!(!repeats("(cd a; make | tail)"));
        let second = |text: &str| {
            let script = Script::parse(text);
            let first = script.programs().next().unwrap().0;
            script.second_try(first).and_then(|at| script.get(at)).map(|command| command.program.clone())
        };
        assert_eq!(second("make a || ls").as_deref(), Some("ls"));
        for text in ["make a | tail || ls", "make a; ls", "make a && ls || ls", "! make a || ls", "make a"] {
            assert_eq!(second(text), None, "{text}");
        }
        let script = Script::parse("make && ls || echo no");
        let at = script.programs().next().unwrap().0;
        assert_eq!(script.alternative(at).map(|c| c.program.as_str()), Some("echo"));
        assert_eq!(Script::parse("make; ls || echo no").alternative(at), None);
    }

    #[test]
    fn lost() {
        for (text, loss) in [
            ("make | tail -5", Loss::Pipe),
            ("(cd a; make) | tail -5", Loss::Pipe),
            ("bash -c 'make | tail'", Loss::Pipe),
            ("set -o pipefail; bash -c 'make | tail'", Loss::Pipe),
            ("make || true", Loss::Or),
            ("make || echo failed", Loss::Or),
            ("make; echo $?", Loss::Followed),
            ("make && ls; echo done", Loss::Followed),
            ("make\nls", Loss::Followed),
            ("make &", Loss::Background),
            ("make & wait", Loss::Background),
            ("! make", Loss::Negated),
            ("if make; then ls; fi", Loss::Condition),
            ("echo $(make)", Loss::Substituted),
            ("export x=$(make)", Loss::Substituted),
            ("for i in 1 2; do make; done", Loss::Loop),
            ("f() { make; }; f", Loss::Defined),
            ("make; rc=$?; echo $rc", Loss::Followed),
            ("make | tee log; rc=$?; exit $rc", Loss::Pipe),
        ] {
            assert_eq!(fate(text, "make"), Fate::Lost(loss), "{text}");
        }
    }
}
