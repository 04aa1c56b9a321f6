//! What identifies the matter of a call: the form, path, name or check that a line of CLAUDE.md can speak of, and what a call
//! that succeeded shows to be there.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::ChangeKind;
use super::line::{HOOK, TABS};
use super::watch::MetCall;
use crate::forms::{self, FormRow};
use crate::history::Execution;
use crate::knowledge::Root;
use crate::knowledge::instead::{GivenCall, is_plain_word};
use crate::model::{
    Category, Check, CheckEnd, Difference, Finding, FindingKind, Misfit, ObjectKind, Outcome, Proof, Reading,
    RunResult, ToolKind, Unit,
};
use crate::programs::{self, Program, Trait, base_name};
use crate::reading::{BY_HOOK, findings};
use crate::shell::{Command, Join, Nesting, Pipeline, Script};

/// The most words of a call that a form has.
const FORM_WORDS: usize = 4;

/// A call as it is looked at.
pub(super) struct WatchedCall<'a> {
    pub(super) now: u64,
    pub(super) at: MetCall,
    pub(super) node: &'a str,
    pub(super) execution: &'a Execution,
    pub(super) misfit: Option<&'a Misfit>,
    /// The end of what it printed; of data without outputs nothing.
    pub(super) printed: &'a str,
    pub(super) cwd: Option<&'a str>,
    pub(super) root: Root<'a>,
    pub(super) kind: ToolKind,
    /// The command line of a shell call, as it was typed.
    pub(super) script: Option<Script>,
    /// See [`Self::findings`].
    pub(super) found: OnceCell<Vec<Finding<'a>>>,
}

impl<'a> WatchedCall<'a> {
    /// What its output says.
    fn findings(&self) -> &[Finding<'a>] {
        let line = || self.execution.reading.as_ref()?.line.as_deref();
        self.found.get_or_init(|| findings(self.execution.text.as_deref().or_else(line).unwrap_or_default()))
    }

    pub(super) fn input(&self) -> &str {
        self.execution.input.as_deref().unwrap_or_default()
    }

    /// The call with the folder that it ran in.
    pub(super) fn located(&self) -> Cow<'_, Execution> {
        if self.execution.cwd.as_deref() == self.cwd {
            return Cow::Borrowed(self.execution);
        }
        Cow::Owned(Execution { cwd: self.cwd.map(str::to_owned), ..self.execution.clone() })
    }

    pub(super) fn given(&self) -> Option<GivenCall> {
        GivenCall::as_given(&self.located(), &self.root)
    }

    /// A path below the folder that the session began in; None for any other, and for what is no plain path.
    fn below_root(&self, path: &str) -> Option<String> {
        let path = self.root.relative(path.trim_end_matches('/'), self.cwd);
        let is_plain = is_plain_word(&path) && !path.contains("..") && !path.starts_with('-') && path != ".";
        is_plain.then(|| path.strip_prefix("./").unwrap_or(&path).to_owned())
    }

    /// A check as it is known in the whole project: its folder is below that of the session.
    pub(super) fn in_project(&self, check: &Check) -> Check {
        let dir = check.dir.as_deref().map(|dir| self.root.relative(dir, self.cwd)).unwrap_or_default();
        let dir = if dir.is_empty() || dir.starts_with(['/', '.', '~']) { dir } else { format!("./{dir}") };
        Check { dir: Some(dir), ..check.clone() }
    }

    /// The pull request whose checks are asked for.
    fn pull_request(&self) -> Option<&str> {
        let asked = self.script.as_ref()?.programs().map(|(_, it)| it).find(|it| it.is(Trait::Polls))?;
        let is_number = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
        asked.args.iter().find(is_number).map(String::as_str)
    }

    /// By what name it is known elsewhere that the test which failed, or the job of a pull request, has passed.
    pub(super) fn failed_name(&self) -> Option<String> {
        let reading = self.execution.reading.as_ref()?;
        let named = |kind| reading.objects.iter().find(|object| object.kind == kind).map(|object| &*object.name);
        match reading.category {
            Category::CiCheckFailed => {
                Some(format!("passed job {} {}", self.pull_request()?, named(ObjectKind::Target)?))
            }
            _ => Some(passed_name(reading, named(ObjectKind::Test)?)),
        }
    }

    /// The path that a file tool was given.
    fn target(&self) -> Option<String> {
        let path = match self.kind {
            ToolKind::Read | ToolKind::Edit | ToolKind::Write => self.input(),
            ToolKind::Search => self.input().split(' ').find_map(|word| word.strip_prefix("path="))?,
            _ => return None,
        };
        self.below_root(path)
    }
}

/// By what name a test is kept that passed.
pub(super) fn passed_name(reading: &Reading, test: &str) -> String {
    format!("passed test {} {test}", reading.runner.as_deref().unwrap_or_default())
}

/// A refused call, where a hook refuses it whatever the permissions allow: its program with its subcommands and what follows
/// them, of a line that is nothing else.
pub(super) fn blocked_form(call: &WatchedCall<'_>) -> Option<String> {
    let is_by_hook = call.execution.evidence.iter().any(|why| why == BY_HOOK);
    let [pipeline] = call.script.as_ref().filter(|_| is_by_hook)?.pipelines.as_slice() else { return None };
    let [command] = pipeline.commands.as_slice() else { return None };
    let names = command.args.iter().take_while(|word| is_name(word)).take(FORM_WORDS - 2).count();
    let option = command.args.get(names).filter(|word| word.starts_with('-') && is_plain_word(word));
    let words = std::iter::once(&command.raw).chain(command.args.iter().take(names)).chain(option);
    let form: Vec<&str> = words.map(String::as_str).collect();
    (form.len() > 1 && form.iter().all(|word| may_be_typed(word))).then(|| form.join(" "))
}

/// The rules of linters that a refused commit or a run of a linter names, `MD040/fenced-code-language` or `(errcheck)` behind
/// what it finds, and what refuses them: the command of the hook, where the hook names it at the head of what it says, or the
/// run.
pub(super) fn refused_rules(execution: &Execution) -> Option<((ChangeKind, String), BTreeSet<String>)> {
    const MOST: usize = 8;
    let reading = execution.reading.as_ref()?;
    let text = execution.text.as_deref()?;
    let heads = |name: &str| text.lines().any(|line| line.strip_suffix(':').is_some_and(|head| head.ends_with(name)));
    let mut names = reading.objects.iter().map(|object| object.name.as_str());
    let matter = match reading.category {
        Category::CommitHookFailed => {
            let hook = names.find(|name| name.split(' ').all(may_be_typed) && heads(name)).unwrap_or(HOOK);
            (ChangeKind::HookRule, hook.to_owned())
        }
        _ => (ChangeKind::LintRule, red_lint(execution)?),
    };
    let words = text.lines().filter(|line| line.contains("error")).flat_map(str::split_whitespace);
    let with_name = words.filter(|word| is_rule_with_name(word));
    let rules: BTreeSet<&str> = with_name.chain(text.lines().filter_map(rule_behind)).collect();
    let rules: BTreeSet<String> = rules.into_iter().take(MOST).map(str::to_owned).collect();
    (!rules.is_empty()).then_some((matter, rules))
}

/// The rule that a line names behind what it found at a place: `a.go:3:5: Error return value is not checked (errcheck)`.
fn rule_behind(line: &str) -> Option<&str> {
    let (found, rule) = line.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    let mut place = found.split_whitespace().next()?.split(':');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_at_place = place.next().is_some_and(|file| file.contains('.')) && place.next().is_some_and(is_number);
    (is_at_place && is_name(rule)).then_some(rule)
}

/// Whether a word is a rule of a linter by code and name, or of a plug-in: `MD040/fenced-code-language`, `@scope/no-any`.
fn is_rule_with_name(word: &str) -> bool {
    let Some((code, name)) = word.rsplit_once('/').filter(|_| is_plain_word(word)) else { return false };
    let is_scope = code.strip_prefix('@').is_some_and(|scope| scope.split('/').all(is_name));
    (is_code_of_rule(code) || is_scope) && name.contains('-') && is_name(name)
}

/// The linter's run that failed, as it can be named, and none that fixes what it finds.
pub(super) fn red_lint(execution: &Execution) -> Option<String> {
    let is_lint = execution.reading.as_ref().is_some_and(|reading| reading.category == Category::LintError);
    check_words(execution.failed_check().filter(|check| is_lint && !check.fixes)?)
}

/// The selection of tests that ran none and passed all the same, as it was asked for: `npm test -- --testPathPattern`.
pub(super) fn idle_check(call: &WatchedCall<'_>) -> Option<String> {
    let is_idle = |line: &str| line.starts_with("No test") && line.ends_with("exiting with code 0");
    let script = call.script.as_ref().filter(|_| call.printed.lines().any(is_idle))?;
    let selects = |words: &Vec<String>| words.iter().any(|word| word.starts_with("--") && word.contains('='));
    let mut typed = typed_calls(call, script).into_iter().find(selects)?;
    // A package goes by its name alone, too.
    if let Some(package) = package_of(&mut typed)
        && let Some((_, name)) = package.rsplit_once('/')
    {
        *package = name.to_owned();
    }
    selection_form(&typed)
}

/// The words of a call up to the first option that has a value: `jest --testPathPattern`.
fn selection_form(typed: &[String]) -> Option<String> {
    let at = typed.iter().position(|word| word.starts_with("--") && word.contains('='))?;
    let form: Vec<&str> = typed.iter().take(at + 1).map(|word| word.split('=').next().unwrap_or(word)).collect();
    let is_short = form.len() <= FORM_WORDS + 2 && form.iter().all(|word| may_be_typed(word));
    is_short.then(|| form.join(" "))
}

/// The package that a call is for.
fn package_of(typed: &mut [String]) -> Option<&mut String> {
    let at = typed.iter().position(|word| word == "--filter")?;
    typed.get_mut(at + 1)
}

/// Another form of the selection in which tests ran, with the folder below that of the project in which they did:
/// `npx jest --testPathPattern #apps/api`.
pub(super) fn selection_that_ran(call: &WatchedCall<'_>, idle: &str) -> Option<String> {
    let passed = |check: &Check| check.end == CheckEnd::Passed;
    let is_run = call.execution.reading.as_ref().is_some_and(|reading| reading.result == RunResult::Passed);
    let script = call.script.as_ref().filter(|_| is_run)?;
    let check = call.execution.checks.iter().find(|check| passed(check)).map(|check| call.in_project(check))?;
    let option = idle.rsplit(' ').next()?;
    let selects = |form: &String| form.rsplit(' ').next() == Some(option) && form != idle;
    let form = typed_calls(call, script).iter().filter_map(|typed| selection_form(typed)).find(selects)?;
    let folder = check.dir.as_deref().and_then(|dir| dir.strip_prefix("./")).filter(|dir| is_plain_word(dir));
    let mut words: Vec<String> = idle.split(' ').map(str::to_owned).collect();
    let package = package_of(&mut words).map(|package| package.clone());
    if package.is_some_and(|package| folder.is_none_or(|folder| last_of(folder) != package)) {
        return None;
    }
    Some(folder.map_or_else(|| form.clone(), |folder| format!("{form} #{folder}")))
}

/// A check that failed in what is not the project's own, and the folder that holds this: `bun run test #tmp/clones`.
pub(super) fn stray_folder(call: &WatchedCall<'_>) -> Option<String> {
    const THROWN_AWAY: &[&str] = &["tmp", "temp", ".tmp", ".temp"];
    let check = check_words(call.execution.failed_check()?)?;
    let folder_of = |word: &str| {
        let path = call.root.relative(word, call.cwd);
        let mut parts = path.split('/');
        let (top, folder) = (parts.next()?, parts.next()?);
        let is_it = THROWN_AWAY.contains(&top) && parts.next().is_some() && is_plain_word(folder);
        is_it.then(|| format!("{check} #{top}/{folder}"))
    };
    let words = call.execution.text.as_deref()?.split(|sign: char| sign.is_whitespace() || "'\"():".contains(sign));
    words.filter(|word| word.contains('/')).find_map(folder_of)
}

/// Whether a word is the code of a rule: `F401`, `MD040`.
fn is_code_of_rule(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.bytes().skip(letters);
    (1..=5).contains(&letters) && (2..=5).contains(&digits.len()) && digits.clone().all(|byte| byte.is_ascii_digit())
}

/// The shell that gave up for want of a file that a pattern matches, where nothing looked for files by it: a URL with a
/// question mark. Others pass the pattern on; and of who lists by a pattern, that there is none is the answer.
pub(super) fn shell_of_glob(call: &WatchedCall<'_>) -> Option<&'static str> {
    let speaks = |line: &str| line.starts_with("(eval):") || line.starts_with("zsh:");
    let script = call.script.as_ref().filter(|_| call.printed.lines().any(speaks))?;
    let pattern_of = |it: &Finding<'_>| Some(it.line.rsplit_once(": ")?.1.trim().to_owned());
    let is_it = |it: &&Finding<'_>| it.kind == FindingKind::NoMatch && speaks(it.line);
    let patterns: Vec<String> = findings(call.printed).iter().filter(is_it).filter_map(pattern_of).collect();
    let is_given =
        |command: &Command| !command.is(Trait::MayMiss) && command.args.iter().any(|arg| patterns.contains(arg));
    script.programs().any(|(_, command)| is_given(command)).then_some("zsh")
}

/// The run that fixes what a linter finds, as it can be named.
pub(super) fn fixer(execution: &Execution) -> Option<String> {
    execution.checks.iter().rev().filter(|check| check.fixes).find_map(check_words)
}

fn check_words(check: &Check) -> Option<String> {
    let is_short = check.words.len() <= FORM_WORDS && check.words.iter().all(|word| may_be_typed(word));
    is_short.then(|| check.words.join(" "))
}

/// The name of a repository that a host does not have by the owner that was given.
pub(super) fn missing_repository(call: &WatchedCall<'_>) -> Option<String> {
    let reading = call.execution.reading.as_ref().filter(|it| it.category == Category::RemoteNotFound)?;
    let text = call.execution.text.as_deref().or(reading.line.as_deref()).filter(|_| call.script.is_some())?;
    let quoted = text.lines().flat_map(|line| line.split(['\'', '"', ' '])).filter_map(owner_and_name);
    let input = call.input();
    let asked = |(owner, name): &(&str, &str)| input.contains(owner) && input.contains(name);
    quoted.take(64).find(asked).map(|(_, name)| name.to_owned())
}

/// The repository with its owner that a call names, where it has this name: `owner/name`, or two fields of a query.
pub(super) fn repository_named(input: &str, name: &str) -> Option<String> {
    let is_of_word = |sign: char| sign.is_ascii_alphanumeric() || "-_./".contains(sign);
    let words = || input.split(|sign: char| !is_of_word(sign)).filter(|word| !word.is_empty());
    let in_path = |word: &str| {
        // `owner/name`, `repos/owner/name/pulls` and `host.example/owner/name`, and no folder of this machine.
        let (before, _) = word
            .trim_start_matches('/')
            .split_once(&format!("/{name}"))
            .filter(|(_, rest)| rest.is_empty() || rest.starts_with('/'))?;
        let (place, owner) = before.rsplit_once('/').unwrap_or(("repos", before));
        (is_owner(owner) && (place == "repos" || place.contains('.') && !place.contains('/'))).then(|| owner.to_owned())
    };
    let fields = || {
        let mut rest = words().skip_while(|word| *word != "owner").skip(1);
        let owner = rest.next().filter(|owner| is_owner(owner))?;
        (rest.next() == Some("name") && rest.next() == Some(name)).then(|| owner.to_owned())
    };
    let owner = words().find_map(in_path).or_else(fields)?;
    Some(format!("{owner}/{name}"))
}

fn owner_and_name(word: &str) -> Option<(&str, &str)> {
    let (owner, name) = word.trim_end_matches(['.', ',', ')']).split_once('/')?;
    (is_owner(owner) && !name.contains('/') && name.len() > 1 && is_plain_word(name)).then_some((owner, name))
}

fn is_owner(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// The program of a line that shows by its end that the program is there, whatever became of it.
pub(super) fn program_that_ran(call: &WatchedCall<'_>) -> Option<String> {
    let script = call.script.as_ref().filter(|_| call.execution.exit_code != Some(NOT_FOUND))?;
    let category = call.execution.reading.as_ref().map(|reading| reading.category);
    let ended = match call.execution.outcome? {
        Outcome::Failed => script.pipelines.len() == 1 && category != Some(Category::CommandNotFound),
        outcome => outcome == Outcome::Succeeded,
    };
    // What a host elsewhere ran stands behind what reached it.
    let (last, before) = script.pipelines.split_last()?;
    let prepares = |it: &Pipeline| it.join != Join::Or && it.commands.iter().all(|command| command.is(Trait::Prepares));
    let [command] = last.commands.as_slice() else { return None };
    let is_it = ended && before.iter().all(prepares) && last.join != Join::Or && last.nesting == Nesting::Top;
    (is_it && command.wrappers.is_empty() && !command.silences_errors()).then(|| command.raw.clone())
}

/// What a shell says by its status of a program that it did not find.
const NOT_FOUND: i32 = 127;

/// By what name a program is kept that ran.
pub(super) fn ran_name(program: &str) -> String {
    format!("ran {program}")
}

/// The tests that a run names as failed, where they are few enough that each is a matter of its own.
pub(super) fn tests_of(execution: &Execution) -> Vec<String> {
    let Some(reading) = execution.reading.as_ref().filter(|_| execution.intent.is_none()) else { return Vec::new() };
    let is_test = reading.category == Category::TestFailure;
    // A title is somebody's sentence, and a line is for agents: only what is one plain word.
    let is_name = |name: &str| is_test && is_plain_word(name);
    let tests = reading.objects.iter().filter(|object| object.kind == ObjectKind::Test && is_name(&object.name));
    tests.map(|object| object.name.clone()).collect()
}

/// Whether a line shows a part of what it prints only.
pub(super) fn is_cut(script: &Script) -> bool {
    script.programs().any(|(at, command)| at.stage > 0 && command.is(Trait::Displays))
}

/// What identifies the matter of a failed call, and whether a folder was looked for; None where it is none of these.
pub(super) fn matter_of(call: &WatchedCall<'_>) -> Option<((ChangeKind, String), bool)> {
    let reading = call.execution.reading.as_ref()?;
    let named =
        |kind: FindingKind| call.findings().iter().find(|it| it.kind == kind)?.name.filter(|name| is_plain_word(name));
    let script = call.script.as_ref();
    let key = |kind: ChangeKind, matter: String| Some(((kind, matter), false));
    match reading.category {
        Category::ToolUnavailable => key(ChangeKind::Tool, tool_of(call, named(FindingKind::UnknownTool))?),
        Category::PathNotFound => missing_path(call, named(FindingKind::MissingFile), script),
        Category::TooLarge if call.kind == ToolKind::Read => key(ChangeKind::Large, call.target()?),
        Category::EditNoMatch if call.misfit.is_some_and(lacks_tabs) => key(ChangeKind::Edit, TABS.to_owned()),
        Category::RemoteNotFound => key(ChangeKind::Repository, missing_repository(call)?),
        Category::CommandNotFound => {
            let script = script?;
            let program = named(FindingKind::MissingProgram).filter(|name| !name.contains('/'));
            let is_called = |name: &&str| script.programs().any(|(_, command)| command.raw == **name);
            if let Some(program) = program.filter(is_called) {
                return key(ChangeKind::Program, program.to_owned());
            }
            let wrong = named(FindingKind::UnknownScript).or_else(|| named(FindingKind::UnknownSubcommand))?;
            key(ChangeKind::Form, form_with(call, script, wrong)?)
        }
        Category::BadArguments => {
            let wrong = [FindingKind::UnknownSubcommand, FindingKind::UnknownScript, FindingKind::UnknownOption]
                .into_iter()
                .find_map(named)
                .or_else(|| named(FindingKind::IllegalOption))
                .or_else(|| named(FindingKind::SurplusArgument).filter(|name| name.starts_with('-')))?;
            key(ChangeKind::Form, form_with(call, script?, wrong)?)
        }
        Category::AuthRequired | Category::ConfigOrState => {
            let unset = call
                .findings()
                .iter()
                .find(|it| matches!(it.kind, FindingKind::TokenUnset | FindingKind::UnsetVariable));
            let of_line =
                |line: &str| line.split(|sign: char| !is_of_name(sign)).find(|it| is_variable(it)).map(str::to_owned);
            if let Some(variable) = unset.and_then(|unset| of_line(unset.line)) {
                return key(ChangeKind::Variable, variable);
            }
            // What was typed may be cut before the command that failed.
            let is_login = reading.category == Category::AuthRequired && script.is_some();
            let operation = call.execution.operation.as_ref().filter(|_| is_login)?;
            key(ChangeKind::Login, call_form(main_command(&Script::parse(&operation.0))?, 2))
        }
        _ => None,
    }
}

fn is_of_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// Whether a word is the name of a variable by its shape: `DATABASE_URL`.
fn is_variable(word: &str) -> bool {
    word.contains('_')
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The skill, agent or tool that there is none of, with the word for it.
fn tool_of(call: &WatchedCall<'_>, named: Option<&str>) -> Option<String> {
    let tool = call.execution.tool.as_deref()?;
    let given =
        |name: &str| call.input().split(' ').find_map(|word| word.strip_prefix(name)).filter(|it| is_plain_word(it));
    match (call.kind, given("skill=")) {
        (ToolKind::Agent, _) => Some(format!("agent {}", given("subagent_type=").or(named)?)),
        (ToolKind::Other, Some(skill)) => Some(format!("skill {skill}")),
        // A server that did not start is another matter than a name that nobody has.
        _ => Some(format!("tool {}", named.filter(|name| *name == tool)?)),
    }
}

fn missing_path(
    call: &WatchedCall<'_>,
    named: Option<&str>,
    script: Option<&Script>,
) -> Option<((ChangeKind, String), bool)> {
    let objects = call.execution.reading.iter().flat_map(|reading| &reading.objects);
    let object = objects.filter(|object| object.kind == ObjectKind::File).map(|object| object.name.as_str()).next();
    let path = match call.target() {
        Some(path) => path,
        // The shell's own `cd: name`.
        None => call.below_root(object.or(named).filter(|_| script.is_some())?.rsplit(": ").next()?)?,
    };
    // A path that was given from another folder is another path: that the folder was the wrong one is no lesson.
    let is_at_root = call.cwd.is_none() || call.cwd == call.root.0;
    let is_given = |command: &Command| {
        // What version control misses may be a branch.
        if command.is(Trait::VersionControl) {
            return false;
        }
        let is_it =
            |arg: &String| call.below_root(arg).as_deref() == Some(&path) && (is_at_root || arg.starts_with('/'));
        command.args.iter().any(is_it)
    };
    if script.is_some_and(|script| !script.programs().any(|(_, command)| is_given(command)))
        || path.starts_with(".git/")
    {
        return None;
    }
    let is_folder = call.kind == ToolKind::Search && !last_of(&path).contains('.')
        || script.is_some_and(|script| script.programs().any(|(_, it)| it.is(Trait::Prepares) && is_given(it)));
    Some(((ChangeKind::Path, path), is_folder))
}

/// Whether what is missing was named from the folder of the project while the shell was in the one that it names: the shell
/// had stayed there.
pub(super) fn is_given_from_root(call: &WatchedCall<'_>) -> bool {
    let is_missing = call.execution.reading.as_ref().is_some_and(|it| it.category == Category::PathNotFound);
    let Some(script) = call.script.as_ref().filter(|_| is_missing) else { return false };
    let folder = call.cwd.map(|cwd| call.root.relative(cwd, None)).filter(|folder| !folder.starts_with(['/', '.']));
    let top = folder.as_deref().and_then(|folder| folder.split('/').next());
    let is_it = |path: &String| path.contains('/') && path.split('/').next() == top;
    top.is_some() && script.programs().any(|(_, command)| command.args.iter().any(is_it))
}

fn last_of(path: &str) -> &str {
    crate::text::file_name(path)
}

/// What the error itself says is there instead: `Did you mean .golangci.yaml?` Of an option what is known of its program.
pub(super) fn suggested(call: &WatchedCall<'_>, key: &(ChangeKind, String)) -> Option<String> {
    let found = call.findings();
    if key.0 == ChangeKind::Form {
        let (form, _) = key.1.rsplit_once(' ').filter(|(_, option)| option.starts_with('-'))?;
        let rows = forms::rows_for(form.split(' ').next()?).filter(|row| found.iter().any(|it| row.answers(it)));
        let working = rows.flat_map(FormRow::forms).find_map(|row| row.needed(&key.1))?;
        return Some(working.strip_prefix(form)?.trim().to_owned());
    }
    let finding = found.iter().find(|it| it.kind == FindingKind::MissingFile)?;
    let name = finding.meant.filter(|name| key.0 == ChangeKind::Path && is_plain_word(name))?;
    let folder = key.1.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    Some(format!("{folder}{}", last_of(name)))
}

/// The words of a call up to the one that the error names: `rtk bun`, `gh pr diff --stat`, `pnpm --filter web types`.
fn form_with(call: &WatchedCall<'_>, script: &Script, wrong: &str) -> Option<String> {
    let letter = (wrong.len() == 1).then(|| format!("-{wrong}"));
    let is_it = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        // Some read a long option behind one hyphen as letters: `-n` of `-name`.
        let is_letter =
            letter.as_deref() == Some(name) || wrong.len() == 2 && !name.starts_with("--") && name.starts_with(wrong);
        name == wrong || is_letter || name.strip_prefix("--") == Some(wrong)
    };
    let mut typed = typed_calls(call, script);
    // A program by its path is no other one.
    for program in typed.iter_mut().filter_map(|words| words.first_mut()).filter(|program| program.starts_with('/')) {
        *program = base_name(program).to_owned();
    }
    let (words, at) = typed.iter().find_map(|words| Some((words, words.iter().skip(1).position(is_it)? + 1)))?;
    let wrong = words.get(at)?.split('=').next()?.to_owned();
    let before = words.get(..at)?;
    // An option is the program's or its subcommand's, whatever stands between; another word is what all before it makes it.
    let mut form: Vec<String> = if wrong.starts_with('-') {
        let names = before.iter().enumerate().take_while(|(at, word)| *at == 0 || is_name(word));
        // What follows a program without subcommands is what it works on.
        let has_none = |program: &Program| program.subcommands.iter().all(|row| row.words.starts_with('-'));
        let is_bare = before.first().and_then(|it| programs::find(base_name(it))).is_some_and(has_none);
        names.map(|(_, word)| word.clone()).take(if is_bare { 1 } else { FORM_WORDS - 1 }).collect()
    } else {
        before.to_vec()
    };
    form.push(wrong);
    let is_short = form.len() <= FORM_WORDS + 1 && form.iter().all(|word| may_be_typed(word));
    is_short.then(|| form.join(" "))
}

/// The program that a hook put before the one of a refused form, and that refuses its option: its usage text names both.
pub(super) fn wrapper_of(call: &WatchedCall<'_>, (kind, form): &(ChangeKind, String)) -> Option<String> {
    let (program, rest) = form.split_once(' ').filter(|_| *kind == ChangeKind::Form)?;
    let usage = call.execution.text.as_deref()?.lines().find_map(|line| line.trim_start().strip_prefix("Usage: "))?;
    let mut words = usage.split_whitespace();
    let wrapper = words.next().filter(|word| is_name(word) && *word != program)?;
    (words.next() == Some(program) && rest.split(' ').next_back().is_some_and(|it| it.starts_with('-')))
        .then(|| wrapper.to_owned())
}

/// The tool that searches by a word for which a call was made: `Glob` for `**/x.go` after `find . -name x.go`.
pub(super) fn tool_that_asks<'c>(call: &WatchedCall<'c>, failed: &[String]) -> Option<&'c str> {
    let parts = |word: &str| -> BTreeSet<String> {
        word.split(|sign: char| !is_of_name(sign)).filter(|part| part.len() > 1).map(str::to_owned).collect()
    };
    let input = call.input();
    // What stands behind it is asked for by another name: `type=ts`.
    let is_its = |word: &&str| word.split_once('=').is_none_or(|(name, _)| !is_name(name));
    let pattern: BTreeSet<String> =
        input.split_once("pattern=")?.1.split(' ').take_while(is_its).flat_map(parts).collect();
    let is_path = |word: &str| word.contains('/') && !word.contains(['*', '|']);
    let asked = failed.iter().skip(1).filter(|word| !word.starts_with('-') && !is_path(word));
    let is_it =
        call.kind == ToolKind::Search && asked.map(|word| parts(word)).any(|asked| !asked.is_disjoint(&pattern));
    call.execution.tool.as_deref().filter(|_| is_it)
}

/// The commands of a line as they were typed, with what starts their programs; of several only those that nothing starts.
fn typed_calls(call: &WatchedCall<'_>, script: &Script) -> Vec<Vec<String>> {
    if let Some(given) = call.given() {
        return vec![given.words().to_vec()];
    }
    let plain = script.programs().map(|(_, command)| command).filter(|command| command.wrappers.is_empty());
    plain.map(|command| std::iter::once(&command.raw).chain(&command.args).cloned().collect()).collect()
}

/// Whether a word belongs to a form: no path, but perhaps a package of a scope.
fn may_be_typed(word: &str) -> bool {
    is_plain_word(word)
        && (!word.contains('/') || word.starts_with('@') || word.strip_prefix("./").is_some_and(|it| !it.contains('/')))
}

/// Whether a word is a subcommand and no value: letters, a hyphen, a colon.
fn is_name(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'-' | b':' | b'_');
    word.starts_with(|first: char| first.is_ascii_lowercase()) && word.bytes().all(is_part)
}

/// The program and its first subcommands.
fn call_form(command: &Command, most: usize) -> String {
    let names = command.args.iter().map(String::as_str).take_while(|word| is_name(word)).take(most - 1);
    let program = base_name(&command.raw);
    std::iter::once(program).chain(names).collect::<Vec<_>>().join(" ")
}

/// The command of a line that does its work.
fn main_command(script: &Script) -> Option<&Command> {
    let does = |command: &&Command| !command.is(Trait::Prepares) && !command.is(Trait::Displays);
    script.programs().map(|(_, command)| command).filter(does).last()
}

/// The check of a line as a person would type it, where it is the only one.
pub(super) fn check_form(script: &Script) -> Option<String> {
    let mut commands = script.programs().filter(|(at, command)| at.stage == 0 && !command.is(Trait::Prepares));
    let (_, command) = commands.next().filter(|_| commands.next().is_none())?;
    let words: Vec<&str> =
        std::iter::once(command.raw.as_str()).chain(command.args.iter().map(String::as_str)).collect();
    let is_short = words.len() <= FORM_WORDS && words.iter().all(|word| is_plain_word(word));
    is_short.then(|| words.join(" "))
}

/// Whether the file's lines begin with more tabs than those of the edit.
fn lacks_tabs(misfit: &Misfit) -> bool {
    let is_of_tabs =
        |it: &Difference| matches!(it, Difference::Deeper { unit: Unit::Tab, .. } | Difference::TabForSpaces { .. });
    misfit.differences.iter().any(is_of_tabs)
}

/// By what words the matter was got past: what is told of it.
pub(super) fn working_form(key: &(ChangeKind, String), new: &[String], given: Option<&GivenCall>) -> Option<String> {
    let words = given?.words();
    let plain = |words: &[String]| words.iter().all(|word| is_plain_word(word)).then(|| words.join(" "));
    match key.0 {
        ChangeKind::Path => plain(new).filter(|path| !path.is_empty() && *path != key.1),
        ChangeKind::Form if key.1.rsplit(' ').next().is_some_and(|last| last.starts_with('-')) => {
            // What is handed on to another program is told with its call.
            if let ([joint], Some(at)) = (new, words.iter().position(|word| word == "--"))
                && joint == "--"
            {
                return plain(words.get(..(at + 2).min(words.len()))?).filter(|form| !form.contains('/'));
            }
            let options: Vec<String> = new.iter().take_while(|word| word.starts_with('-')).cloned().collect();
            plain(&options).filter(|_| options.len() == new.len())
        }
        ChangeKind::Form | ChangeKind::Program => {
            let last_new = words.iter().rposition(|word| new.contains(word)).map_or(0, |at| at + 1);
            let program = words.iter().position(|word| *word == key.1).map_or(0, |at| at + 1);
            let names = words.iter().skip(1).take_while(|word| is_name(word)).count() + 1;
            let until = match key.0 {
                ChangeKind::Program => program.max(last_new),
                _ if new.is_empty() => names,
                _ => last_new,
            };
            let form = words.get(..until.min(words.len()))?;
            let is_short = (1..=FORM_WORDS + 2).contains(&form.len()) && form.iter().all(|word| may_be_typed(word));
            is_short.then(|| form.join(" ")).filter(|form| *form != key.1)
        }
        _ => None,
    }
}

/// What a call that succeeded shows to be there: paths with the folders above them, programs, forms, names of tools.
pub(super) fn worked_names(call: &WatchedCall<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add_path = |path: Option<String>| {
        let Some(path) = path else { return };
        names.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
        names.insert(path);
    };
    // A search by names finds nothing in a folder that is not there, and that is no error.
    add_path(call.target().filter(|_| call.execution.tool.as_deref() != Some("Glob")));
    let Some(script) = &call.script else {
        names.extend(tool_of(call, call.execution.tool.as_deref()));
        return names;
    };
    let joins = |allowed: &[Join]| script.pipelines.iter().all(|it| allowed.contains(&it.join) && !it.negated);
    let stays = joins(&[Join::First, Join::And, Join::Then]) && !changes_folder(script);
    let looks = script.programs().filter(|(_, it)| stays && would_miss(it));
    for arg in looks.flat_map(|(_, it)| it.args.iter().filter(|arg| !arg.starts_with('-')).take(FORM_WORDS)) {
        add_path(call.below_root(arg));
    }
    let is_proven = call.execution.reading.as_ref().is_none_or(|reading| reading.proof != Proof::None);
    if !is_proven || !joins(&[Join::First, Join::And]) {
        return names;
    }
    for words in typed_calls(call, script) {
        let Some((program, args)) = words.split_first() else { continue };
        let mut form = program.clone();
        names.insert(form_name(&form));
        for word in args.iter().take_while(|word| *word != "--").take(FORM_WORDS + 1) {
            let name = word.split('=').next().unwrap_or(word);
            let head =
                form.split(' ').take_while(|word| is_name(word)).take(FORM_WORDS - 1).collect::<Vec<_>>().join(" ");
            names.insert(form_name(&format!("{head} {name}")));
            form = format!("{form} {word}");
            names.insert(form_name(&form));
        }
    }
    names
}

/// By what name a program or form that worked is kept: a folder may have the same.
pub(super) fn form_name(form: &str) -> String {
    format!("$ {form}")
}

/// By what name the matter is kept once it works; None where nothing that works says so.
pub(super) fn name_of(kind: ChangeKind, matter: &str) -> Option<String> {
    match kind {
        ChangeKind::Path | ChangeKind::Tool => Some(matter.to_owned()),
        ChangeKind::Form | ChangeKind::Program => Some(form_name(matter)),
        // What needs a person works whenever one was there, and a part of a large file can be read.
        _ => None,
    }
}

/// Whether a command that succeeded shows that the paths in its words are there.
fn would_miss(command: &Command) -> bool {
    let is_viewer = command.is(Trait::MayMiss) && command.only_looks();
    is_viewer
        && ![Trait::VersionControl, Trait::TakesCode].into_iter().any(|it| command.is(it))
        && !command.silences_errors()
}

/// Whether a line changes the folder that its words are relative to.
fn changes_folder(script: &Script) -> bool {
    script
        .programs()
        .any(|(_, command)| command.is(Trait::Prepares) && command.raw != "echo" && !command.args.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_by_what_reached_it() {
        let of = |input: &str| repository_named(input, "tide");
        for input in [
            "gh pr view 7 --repo ebb/tide",
            "gh api repos/ebb/tide/pulls/7 --paginate",
            "git clone https://github.com/ebb/tide",
            r#"gh api graphql -f query='{ repository(owner: "ebb", name: "tide") { id } }'"#,
        ] {
            assert_eq!(of(input).as_deref(), Some("ebb/tide"), "{input}");
        }
        for input in
            ["cd /home/ebb/tide && ls", "cat src/ebb/tide/x", "ls /srv/my.code/ebb/tide", "gh pr view", "x/tides"]
        {
            assert_eq!(of(input), None, "{input}");
        }
    }

    #[test]
    fn rules_of_linters_are_told_from_paths() {
        for word in ["MD040/fenced-code-language", "@typescript-eslint/no-explicit-any"] {
            assert!(is_rule_with_name(word), "{word}");
        }
        for word in ["src/no-any", "MD040", "A/b-c", "MD040/9-x", "docs/MD040/x", "TOOLONG1/x-y", "/MD040/x-y"] {
            assert!(!is_rule_with_name(word), "{word}");
        }
    }
}
