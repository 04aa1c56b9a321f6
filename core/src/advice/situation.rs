//! What is said after a failure: a row for each situation, in the order in which they are looked for. One failure gets
//! one sentence, that of the first situation which is its own. `rules/advice/` has a page for each kind of sentence.

use super::agent::{EXCERPT, ToldFailure};
use super::commit::{KEPT_WHOLE, commits_of};
use super::edit_text;
use super::open::{failed_by_result, is_tried, without_hashes};
use super::working_form;
use crate::decide::RETRY;
use crate::history::{Episode, State};
use crate::knowledge::why_not_unasked;
use crate::model::{
    Basis, Category, Class, Decision, DecisionAction, MetMode, ObjectKind, Outcome, Reading, Tool, ToolKind, Topic,
};
use crate::programs::{Trait, fixes};
use crate::reading::{CheckKind, STASH_POP, named_step, own_limit, refused_commit};
use crate::shell::{At, Command, Script};
use crate::text::{file_name, many, quoted};
use crate::time::{duration, parse};

/// From this many unchanged retries the agent is told that it repeats itself.
pub(super) const REPEATS: u32 = 2;
/// The attempt at which the same failure is told to be the same.
const THIRD: u32 = 3;
/// A wait of more seconds is told in minutes.
const IN_SECONDS: u64 = 180;
/// A part of an output with more lines is no mere summary.
const SUMMARY: usize = 6;
/// The most files that a sentence names.
const NAMED: usize = 2;

/// One situation.
pub(super) struct Situation<'a> {
    /// What kind of sentence it asks for.
    pub(super) topic: Topic,
    /// Whether it is said where only what is pressing is said.
    pub(super) pressing: bool,
    /// Whether it is this situation.
    pub(super) applies: fn(&AdviceCase<'a>) -> bool,
    /// The sentence; None where nothing helps.
    pub(super) words: fn(&AdviceCase<'a>) -> Option<String>,
}

/// A failure in the state of its node before it.
#[derive(Clone, Copy)]
pub(super) struct AdviceCase<'a> {
    /// The failure.
    pub(super) failure: &'a ToldFailure<'a>,
    /// The node's state before the failure.
    pub(super) state: &'a State,
}

const fn row<'a>(
    topic: Topic,
    pressing: bool,
    applies: fn(&AdviceCase<'a>) -> bool,
    words: fn(&AdviceCase<'a>) -> Option<String>,
) -> Situation<'a> {
    Situation { topic, pressing, applies, words }
}

/// Every situation, in order: what stands in the file, then what worked before, then what gets out of a trap, then the form
/// that works, then what waits, then what the same failure a second time does not see, then what repeats, then what asks for
/// more than a local fix.
#[rustfmt::skip]
pub(super) const fn situations<'a>() -> [Situation<'a>; 28] {
    [
        //  kind                pressing  when                    words
        row(Topic::EditText,    false,    AdviceCase::is_misfit,        AdviceCase::edit_text),
        row(Topic::Known,       false,    AdviceCase::is_known,         AdviceCase::known),
        row(Topic::StashKept,   true,     AdviceCase::kept_a_stash,     AdviceCase::stash_kept),
        row(Topic::DeadTool,    true,     AdviceCase::is_dead_tool,     AdviceCase::dead_tool),
        row(Topic::Stopped,     true,     AdviceCase::stopped_half_way, AdviceCase::stopped),
        row(Topic::NoAnswer,    false,    AdviceCase::is_unreached,     AdviceCase::unreached),
        row(Topic::WorkingForm, true,     AdviceCase::has_a_form,       AdviceCase::working_form),
        row(Topic::Unanswered,  true,     AdviceCase::is_unanswered,    AdviceCase::unanswered),
        row(Topic::RetriesOver, false,    AdviceCase::has_no_retries,   AdviceCase::retries_over),
        row(Topic::CheckFirst,  false,    AdviceCase::is_to_be_checked, AdviceCase::check_first),
        row(Topic::LongWait,    false,    AdviceCase::waits_long,       AdviceCase::long_wait),
        row(Topic::TooEarly,    false,    AdviceCase::came_too_early,   AdviceCase::too_early),
        row(Topic::NoAnswer,    false,    AdviceCase::got_no_answer,    AdviceCase::no_answer),
        row(Topic::Locked,      false,    AdviceCase::is_locked,        AdviceCase::locked),
        row(Topic::Transient,   false,    AdviceCase::is_transient,     AdviceCase::transient),
        row(Topic::NearName,    false,    AdviceCase::is_near,          AdviceCase::near_name),
        row(Topic::Hidden,      true,     AdviceCase::is_handed_over,   AdviceCase::handed_over),
        row(Topic::SlowRun,     false,    AdviceCase::was_slow_and_cut, AdviceCase::slow_run),
        row(Topic::Untouched,   false,    AdviceCase::is_untouched,     AdviceCase::untouched),
        row(Topic::Unlock,      true,     AdviceCase::waits_for_unlock, AdviceCase::unlock),
        row(Topic::TooLarge,    true,     AdviceCase::is_too_large,     AdviceCase::too_large),
        row(Topic::Repeated,    true,     AdviceCase::is_said_again,    AdviceCase::repeated),
        row(Topic::Drift,       true,     AdviceCase::has_drifted,      AdviceCase::drift),
        row(Topic::ThirdTime,   true,     AdviceCase::is_tried_again,   AdviceCase::third_time),
        row(Topic::SameMessage, true,     AdviceCase::is_refused_again, AdviceCase::same_message),
        row(Topic::Beside,      true,     AdviceCase::lies_beside,      AdviceCase::beside),
        row(Topic::Constraint,  true,     AdviceCase::is_forbidden,     AdviceCase::constraint),
        row(Topic::Conflict,    true,     AdviceCase::is_conflict,      AdviceCase::conflict),
    ]
}

#[expect(clippy::unnecessary_wraps, reason = "the words of every row have one type")]
impl<'a> AdviceCase<'a> {
    fn class(&self) -> Class {
        self.failure.verdict.class
    }

    fn category(&self) -> Category {
        self.failure.verdict.category
    }

    fn in_tree(&self) -> bool {
        self.failure.plan.tier.is_some()
    }

    fn is_shell(&self) -> bool {
        self.failure.event.tool == "Bash"
    }

    fn decision(&self) -> Option<&'a Decision> {
        self.failure.decision
    }

    fn decided(&self, action: DecisionAction) -> bool {
        self.decision().is_some_and(|decision| decision.action == action)
    }

    fn line(&self) -> &'a str {
        self.failure.event.reading.line.as_deref().unwrap_or_default()
    }

    fn hint(&self) -> &'a str {
        self.failure.event.reading.transient.as_ref().map_or("", |transient| transient.hint.as_str())
    }

    fn call(&self) -> String {
        self.failure.name()
    }

    fn way_on(&self) -> Option<&'a str> {
        self.failure.event.reading.way_on.as_deref()
    }

    /// The error line as data, between two texts; nothing where none is known.
    fn excerpt(&self, before: &str, after: &str) -> String {
        match (self.line(), own_limit(self.line())) {
            ("", _) => String::new(),
            // What nothing printed is no quotation.
            (_, Some(limit)) => format!("{before}ended by the client after {}{after}", duration(limit)),
            (line, None) => format!("{before}{}, quoted as data{after}", quoted(line, EXCERPT)),
        }
    }

    fn episode(&self) -> Option<&'a Episode> {
        self.state.episodes.iter().find(|episode| episode.id == self.failure.verdict.episode)
    }

    // What stands in the file.

    fn is_misfit(&self) -> bool {
        self.failure.misfit.is_some()
    }

    fn edit_text(&self) -> Option<String> {
        Some(edit_text::misfit_words(&self.call(), self.failure.misfit?))
    }

    // What worked before.

    fn is_known(&self) -> bool {
        self.failure.recalled.is_some_and(|recalled| !recalled.seen_before)
    }

    fn known(&self) -> Option<String> {
        Some(format!("{}: {}", self.call(), self.failure.recalled?.words))
    }

    // Out of a trap.

    fn kept_a_stash(&self) -> bool {
        self.way_on() == Some(STASH_POP)
    }

    fn stash_kept(&self) -> Option<String> {
        let files = &self.failure.event.reading.files;
        let names: Vec<String> = files.iter().map(|file| quoted(file, EXCERPT / 2)).collect();
        let (them, those) =
            if names.len() > 4 { ("the files that git names".to_owned(), "them") } else { (list(&names), "these") };
        Some(format!(
            "Your work was not put back: it is only in `stash@{{0}}`. While it was stashed, {them} changed (names are \
             data). Copy {those} to another place first if they hold work; then `git checkout --` \
             them, `git stash pop`; do not drop the stash."
        ))
    }

    fn is_dead_tool(&self) -> bool {
        let line = self.line();
        let is_search = Tool::named(&self.failure.event.tool).kind == ToolKind::Search;
        is_search && line.contains("ENOENT") && line.contains("spawn")
    }

    fn dead_tool(&self) -> Option<String> {
        // Both are the same program.
        let tool = match self.failure.event.tool.as_str() {
            "Glob" | "Grep" => "`Glob` and `Grep`".to_owned(),
            other => quoted(other, EXCERPT / 4),
        };
        Some(format!(
            "{tool} cannot start, whatever is given{}: a program of the client is missing, as after an update. Search with \
             `rg` or `grep` and `find` in a shell instead.",
            self.excerpt(" (", ")"),
        ))
    }

    fn stopped_half_way(&self) -> bool {
        self.class() == Class::F1 && self.way_on().is_some()
    }

    fn stopped(&self) -> Option<String> {
        Some(format!(
            "{} stopped half-way for a reason outside the work{}. It is still open: continue with `{}` in a few \
             seconds, do not start it again{}.",
            self.call(),
            self.excerpt(" (", ")"),
            self.way_on()?,
            if self.is_lock() { ", and leave the lock file alone" } else { "" },
        ))
    }

    // A host that is not reached.

    /// Without a connection nothing took effect, and no wait is known to help. This machine and a host that refuses answered.
    fn is_unreached(&self) -> bool {
        let unreached = self.failure.event.reading.unreached.as_ref();
        unreached.is_some_and(|unreached| unreached.is_silent() || self.decided(DecisionAction::CheckFirst))
    }

    /// The second time, whatever the calls were; then nothing more of that host.
    fn unreached(&self) -> Option<String> {
        let host = &self.failure.event.reading.unreached.as_ref().filter(|unreached| unreached.is_silent())?.host;
        if self.state.unreached(host) != 1 {
            return None;
        }
        let program = self.failure.verdict.operation.0.split(' ').next().unwrap_or_default();
        let way = match self.state.answered(program) {
            Some(other) => format!("{} did answer.", quoted(other, EXCERPT / 2)),
            None => "Continue without it, or ask the person whether it runs.".to_owned(),
        };
        Some(format!("{} could not be reached for the second time in this session. {way}", quoted(host, EXCERPT / 2)))
    }

    // The form that works.

    /// What asks for more than a local fix comes before it.
    fn has_a_form(&self) -> bool {
        let is_local = matches!(self.class(), Class::F1 | Class::F2);
        let helps = |met: &MetMode| met.decided && !self.state.has_met(met);
        is_local && self.failure.met.is_some_and(helps)
    }

    fn working_form(&self) -> Option<String> {
        working_form::sentence(self.failure.met?, &self.call(), self.failure.line())
    }

    /// A failure behind a status of 0 whose line is a question is nothing else.
    fn is_unanswered(&self) -> bool {
        let event = self.failure.event;
        event.outcome == Outcome::MaskedFailure
            && self.category() == Category::ConfigOrState
            && self.line().ends_with('?')
    }

    fn unanswered(&self) -> Option<String> {
        Some(format!(
            "{} exited 0 and did nothing: it asked {}, and nobody sits at a terminal.",
            self.call(),
            quoted(self.line(), EXCERPT),
        ))
    }

    // What waits.

    fn is_transient(&self) -> bool {
        self.class() == Class::F1
    }

    /// Whose fault it is, where that is known: a time limit may have ended the work's own code.
    fn reason(&self) -> &'static str {
        if self.category() == Category::Timeout { "" } else { " for a reason outside the work" }
    }

    fn has_no_retries(&self) -> bool {
        self.is_transient() && self.failure.verdict.attempt > RETRY.retries
    }

    fn retries_over(&self) -> Option<String> {
        Some(format!(
            "{} failed {} times{}{}. Waiting has not helped: try another way, or tell the \
             person.",
            self.call(),
            self.failure.verdict.attempt,
            self.reason(),
            self.excerpt(": ", ""),
        ))
    }

    fn is_to_be_checked(&self) -> bool {
        self.is_transient() && self.decided(DecisionAction::CheckFirst)
    }

    fn check_first(&self) -> Option<String> {
        let look = self
            .decision()?
            .next_commands
            .first()
            .map(|next| format!(" ({})", quoted(&next.argv.join(" "), EXCERPT / 2)));
        Some(format!(
            "{} failed{}{}. It may have taken effect anyway: check before you repeat it{}.",
            self.call(),
            self.reason(),
            self.excerpt(": ", ""),
            look.unwrap_or_default(),
        ))
    }

    fn waits_long(&self) -> bool {
        self.is_transient() && self.decided(DecisionAction::Escalate)
    }

    fn long_wait(&self) -> Option<String> {
        Some(format!(
            "{} failed{}{}. A retry can pass in {} at the earliest: continue with other \
             work, and tell the person.",
            self.call(),
            self.reason(),
            self.excerpt(": ", ""),
            span_words(self.decision()?.delay_ms.div_ceil(1000)),
        ))
    }

    /// Seconds that are left of the wait that was told before.
    fn left(&self) -> Option<u64> {
        let until = self.state.last_decision(&self.failure.verdict.episode)?.not_before.as_deref().and_then(parse)?;
        let left = (until - parse(self.failure.now)?).num_milliseconds();
        u64::try_from(left).ok().map(|left| left.div_ceil(1000)).filter(|left| *left > 0)
    }

    fn came_too_early(&self) -> bool {
        self.is_transient() && self.decided(DecisionAction::Retry) && self.left().is_some()
    }

    fn too_early(&self) -> Option<String> {
        let asked = self.failure.verdict.retry_after_ms.map_or(0, |ms| ms.div_ceil(1000));
        let wait = self.left()?.max(asked);
        Some(format!(
            "{} was run again too early: {} of the wait are left. {}.",
            self.call(),
            span_words(wait),
            self.again(wait)
        ))
    }

    fn got_no_answer(&self) -> bool {
        self.is_transient() && self.failure.verdict.attempt >= 2 && matches!(self.hint(), "dns" | "connect")
    }

    fn no_answer(&self) -> Option<String> {
        Some(format!(
            "{} got no answer the second time either{}. A host that never answers is not busy: check its name and \
             whether it runs, or continue without it.",
            self.call(),
            self.excerpt(" (", ")"),
        ))
    }

    fn is_locked(&self) -> bool {
        self.is_transient() && self.is_lock()
    }

    /// Whether another git process has a lock.
    fn is_lock(&self) -> bool {
        matches!(self.hint(), "index_lock" | "index_write" | "ref_lock" | "config_lock")
    }

    fn locked(&self) -> Option<String> {
        Some(format!(
            "{} found a lock of another git process{}. Run it again in a few seconds, and leave the lock file alone.",
            self.call(),
            self.excerpt(" (", ")"),
        ))
    }

    fn transient(&self) -> Option<String> {
        let verdict = self.failure.verdict;
        let (next, retries) = (verdict.attempt + 1, RETRY.retries);
        let (call, cause) = (self.call(), self.excerpt(": ", ""));
        if verdict.category == Category::Timeout {
            // The loop of code that was written for this call may be what never ended.
            let runs_code = |line| Script::parse(line).programs().any(|(_, it)| it.takes_code_word());
            if self.failure.line().is_some_and(runs_code) {
                return None;
            }
            let or = if self.is_shell() { " or in the background" } else { "" };
            return Some(format!(
                "{call} was ended by a time limit{cause}. It may pass with a larger limit{or} (try {next} of {retries}); \
                 the code is not known to be the cause."
            ));
        }
        let wait = self.decision().map_or(0, |decision| decision.delay_ms.div_ceil(1000));
        Some(format!(
            "{call} failed for a reason outside the work{cause}. The code is not the cause. {} (try {next} of {retries}).",
            self.again(wait),
        ))
    }

    /// How the call is made again after so many seconds: as a command, where it can be shown as it is.
    fn again(&self, wait: u64) -> String {
        let offered = self.decision().and_then(|decision| decision.next_commands.first()?.shell.as_deref());
        let command =
            offered.map(|shell| match shell.strip_prefix("sleep ").and_then(|rest| rest.split_once(" && ")) {
                Some((_, command)) => format!("sleep {wait} && {command}"),
                None => shell.to_owned(),
            });
        match command.map(|command| (quoted(&command, EXCERPT), command)) {
            _ if wait == 0 => "A retry may pass in a few seconds".to_owned(),
            Some((shown, command)) if command.len() <= EXCERPT / 2 && shown.trim_matches('`') == command => {
                format!("A retry may pass in {}: {shown}, as a background call", span_words(wait))
            }
            Some((_, command)) if self.is_only_left(&command) => {
                let left = command.split_once(" && ").map_or(&*command, |(_, left)| left);
                let from = quoted(left, EXCERPT / 3);
                format!("Parts of it have run: in {} run it again only from {from} on", span_words(wait))
            }
            Some(_) => format!("Put `sleep {wait} &&` before it and run it as a background call"),
            None => format!("The same call may pass in {}", span_words(wait)),
        }
    }

    /// Whether a command is what is left of the call, and no more the call itself.
    fn is_only_left(&self, command: &str) -> bool {
        self.failure.input.is_some_and(|input| !command.ends_with(input.trim()))
    }

    // What is not there.

    /// What the output or the call itself names is seen by the agent.
    fn is_near(&self) -> bool {
        let texts = [&*self.failure.event.text, self.failure.input.unwrap_or_default()];
        self.failure.near.is_some_and(|near| !texts.into_iter().any(|text| near.is_in(text)))
    }

    fn near_name(&self) -> Option<String> {
        let near = self.failure.near?;
        let again =
            near.place.as_ref().map(|_| format!("{} failed again in the same way: ", self.call())).unwrap_or_default();
        Some(format!("{again}{}.", near.words()))
    }

    // What was handed over.

    /// A check failed behind a status of 0, and the same line commits or pushes after it.
    fn is_handed_over(&self) -> bool {
        let is_check = failed_by_result(self.category(), true, self.failure.event.check.as_ref()).is_some();
        let is_wanted = self.failure.intent.is_some() || self.failure.plan.red_phase;
        // Most lines hold no word of a commit, push or pull request, and are not taken apart for one.
        let may_hand_over = || {
            let operation = &self.failure.verdict.operation.0;
            ["commit", "push", "create", "merge"].iter().any(|word| operation.contains(word))
        };
        is_check
            && !is_wanted
            && self.failure.verdict.outcome == Outcome::MaskedFailure
            && may_hand_over()
            && self.hand_over().is_some()
    }

    /// The words of the commit or push that stands behind the check in the line, and no other of its kind or fixer between: a
    /// test that passes after a build that failed may have run what was built before.
    fn hand_over(&self) -> Option<String> {
        let operation = without_hashes(&self.failure.verdict.operation.0);
        let whole = self.failure.line().filter(|line| line.len() < KEPT_WHOLE);
        let line = whole.unwrap_or(&operation);
        let check = self.failure.event.check.as_ref()?;
        let (checked, subject) = check.words.split_first()?;
        let is_it = |it: &Command| {
            let is_same = it.name() == checked && subject.first().is_none_or(|word| it.args.contains(word));
            is_same && fixes(it.name(), &it.args) == check.fixes
        };
        let script = Script::parse(line);
        let (at, _) = script.programs().filter(|(_, command)| is_it(command)).last()?;
        let mut behind = script.programs().filter(|(later, _)| later.stage == 0 && later.pipeline > at.pipeline);
        let words =
            |command: &Command| [std::slice::from_ref(&command.program), command.args.as_slice()].concat().join(" ");
        let kind = CheckKind::of_words(&check.words.join(" ")).filter(|kind| *kind != CheckKind::Any);
        let is_of_kind = |other: CheckKind| other == CheckKind::Any || kind.is_none_or(|kind| kind == other);
        // What passes after an edit in the line says of the check that it would pass now.
        let mut is_edited = false;
        let mut settles = |it: &Command| {
            is_edited |=
                !it.only_looks() && (it.is(Trait::Displays) || it.is(Trait::Interpreter) || it.writes_a_file());
            let of_words = CheckKind::of_words(&words(it));
            of_words.is_some_and(|kind| is_edited || is_of_kind(kind)) || fixes(it.name(), &it.args)
        };
        let (place, next) = behind.find(|(_, it)| it.is(Trait::HandsOver) || settles(it))?;
        // `a && git commit` was not reached where `a` failed; an operation does not tell it from `a | tail && git commit`.
        let is_reached = || whole.is_none() || !script.leads_to(at, place);
        let is_made = || is_reached() && refused_commit(&script, &self.failure.event.text).is_none();
        if next.is(Trait::HandsOver) && is_made() { commits_of(line, self.failure.cwd) } else { None }
    }

    fn handed_over(&self) -> Option<String> {
        let words = quoted(&self.hand_over()?, EXCERPT);
        Some(format!(
            "{} failed though its call exited 0{}; {words} followed in the same call.",
            self.call(),
            self.excerpt(" (", ")"),
        ))
    }

    // What was cut away.

    /// A long check whose output went through a filter that left no cause. What its result says of no place, test or
    /// name is none; of many lines one may be the cause, though it is not known for it.
    fn was_slow_and_cut(&self) -> bool {
        let (event, verdict) = (self.failure.event, self.failure.verdict);
        let Reading { objects, files, basis, category, .. } = &event.reading;
        let is_result = matches!(category, Category::TestFailure | Category::CompileError | Category::LintError);
        if *category == Category::Timeout {
            return false;
        }
        let names_cause = *basis == Some(Basis::Line) && !is_result;
        // A package that failed is no place in it.
        let is_place = |file: &String| file_name(file).contains('.');
        let names_what = files.iter().any(is_place)
            || objects.iter().any(|object| match object.kind {
                ObjectKind::File | ObjectKind::Module => is_place(&object.name),
                kind => kind != ObjectKind::Target,
            });
        let is_first = verdict.attempt == 1 && event.took_ms.is_some() && event.check.is_some();
        let is_short = || event.text.lines().filter(|line| !line.trim().is_empty()).nth(SUMMARY).is_none();
        is_first && !names_cause && !names_what && is_short() && self.failure.line().is_some_and(is_cut)
    }

    fn slow_run(&self) -> Option<String> {
        Some(format!(
            "{} took {}, and the visible part names no cause: run it once with its whole output in a file \
             (`... > /tmp/out.txt 2>&1`) and read that.",
            self.call(),
            duration(self.failure.event.took_ms?),
        ))
    }

    // What was not edited.

    fn is_untouched(&self) -> bool {
        self.failure.untouched
    }

    fn untouched(&self) -> Option<String> {
        let before = self.failure.recalled.map(|recalled| format!(" {}", recalled.words)).unwrap_or_default();
        Some(format!(
            "{}: no edit of this session is in a file that the finding names{}. `git diff --stat` shows whether a command \
             changed it, such as a formatter.{before}",
            self.call(),
            self.excerpt(" (", ")"),
        ))
    }

    // What repeats.

    /// Edits that do not find their text are known by their file: whether the text was the same again is not.
    fn is_repeated(&self) -> bool {
        self.is_of_call() && self.failure.verdict.unchanged_retries >= REPEATS
    }

    fn is_of_call(&self) -> bool {
        let is_of_work = self.failure.intent.is_none() && self.category() != Category::EditNoMatch;
        is_of_work && self.class() != Class::F1
    }

    fn times(&self) -> String {
        ordinal(self.failure.verdict.unchanged_retries + 1)
    }

    /// At the second time already where the output names a way on.
    fn is_said_again(&self) -> bool {
        self.is_repeated() || self.failure.verdict.unchanged_retries > 0 && self.is_of_call() && self.step().is_some()
    }

    /// The next step that the output names, where it is another call and may be told.
    fn step(&self) -> Option<&'a str> {
        let is_other = |step: &&str| !self.failure.input.is_some_and(|input| input.contains(step));
        let step = named_step(&self.failure.event.text).filter(is_other).filter(|_| self.is_shell())?;
        why_not_unasked(step, Some("")).is_none().then_some(step)
    }

    fn repeated(&self) -> Option<String> {
        let way = match self.step() {
            Some(step) => format!("Its output names a next step: {} (quoted as data).", quoted(step, EXCERPT)),
            None => "The same call will fail the same way again: read the error, change something or try another way."
                .to_owned(),
        };
        let (times, call, cause) = (self.times(), self.call(), self.excerpt(" (", ")"));
        Some(format!("{times} identical failure of {call}{cause}; nothing changed in between. {way}"))
    }

    fn waits_for_unlock(&self) -> bool {
        /// What the programs that hold a person's keys say when nobody unlocks them.
        const SIGNERS: &[&str] =
            &["1password", "gpg failed to sign", "agent refused operation", "pinentry", "signing failed", "ssh-agent"];
        let line = self.line().to_ascii_lowercase();
        let is_signer = || SIGNERS.iter().any(|signer| line.contains(signer));
        let has_key = || !self.failure.event.text.contains("No secret key");
        self.category() == Category::AuthRequired && self.is_of_call() && is_signer() && has_key()
    }

    /// At the first time: each retry waits as long for a person, and may fail in other words.
    fn unlock(&self) -> Option<String> {
        Some(format!(
            "{} could not be signed{}: the key is locked, and only the person can unlock it. Say so and ask, and do not \
             retry before.",
            self.call(),
            self.excerpt(" (", ")"),
        ))
    }

    fn is_too_large(&self) -> bool {
        self.is_repeated() && self.category() == Category::TooLarge && !self.is_shell()
    }

    fn too_large(&self) -> Option<String> {
        Some(format!(
            "{} time that {} is refused{}: its lines are too long for `offset` and `limit`. Take a part of it in a shell: \
             `jq`, `cut -c 1-2000`, `grep -o` or a short script.",
            self.times(),
            self.call(),
            self.excerpt(" (", ")"),
        ))
    }

    // What asks for more than a local fix.

    fn is_same_again(&self) -> bool {
        let verdict = self.failure.verdict;
        let same = |fine: &String| *fine == verdict.signature.fine;
        verdict.class == Class::F3
            && verdict.attempt >= THIRD
            && !verdict.signature.vague
            && self.failure.history.previous_fines.iter().all(same)
    }

    fn has_drifted(&self) -> bool {
        self.class() == Class::F3 && self.in_tree() && !self.is_same_again()
    }

    /// An artifact that is a pattern is compared as if it were a path, so that every file lies outside of it.
    fn drift(&self) -> Option<String> {
        let is_pattern = |artifact: &String| artifact.contains(['*', '?', '[', '{']);
        let (plan, history) = (self.failure.plan, self.failure.history);
        (!plan.artifacts.iter().any(is_pattern)).then(|| {
            format!(
                "{} of the {} files changed so far are not in the plan of {}: go back to its artifacts.{}",
                history.changed_outside,
                history.changed,
                quoted(&plan.node, 40),
                self.what_was_decided(),
            )
        })
    }

    fn is_tried_again(&self) -> bool {
        self.is_same_again() && is_tried(self.failure.verdict.kind()) && !self.is_meant_to_fail() && !self.is_cut_test()
    }

    /// Whether of a failed test only the title is seen, in a part of the output: it stands there for another failure, too.
    fn is_cut_test(&self) -> bool {
        let reading = &self.failure.event.reading;
        let title = reading.primary_object().map(|object| object.name.as_str());
        let is_title = title.zip(reading.line.as_deref()).is_some_and(|(title, line)| line.contains(title));
        self.category() == Category::TestFailure && is_title && self.failure.line().is_some_and(is_cut)
    }

    /// Whether the plan, this call or the failure before it says that it is to fail.
    fn is_meant_to_fail(&self) -> bool {
        self.failure.plan.red_phase
            || self.failure.intent.is_some()
            || self.episode().is_some_and(|episode| episode.intent.is_some())
    }

    fn third_time(&self) -> Option<String> {
        let since = self.episode()?.last_at;
        let edited =
            self.state.changes.iter().filter(|(_, at)| *at > since).map(|(path, _)| quoted(file_name(path), 60));
        let edited: Vec<String> = edited.collect();
        if edited.is_empty() && !self.in_tree() {
            return None;
        }
        let edits = if edited.is_empty() {
            "the changes in between did not help".to_owned()
        } else {
            format!("edits to {} did not change it", list(&edited))
        };
        let object = self.failure.event.reading.primary_object();
        let object = object.map(|object| format!(" ({})", quoted(&object.name, EXCERPT / 2))).unwrap_or_default();
        Some(format!(
            "{} time the same: {}{object}; {edits}{}.{}",
            ordinal(self.failure.verdict.attempt),
            self.call(),
            self.excerpt(": ", ""),
            self.what_was_decided(),
        ))
    }

    fn is_refused_again(&self) -> bool {
        let refused = matches!(self.category(), Category::BadArguments | Category::ToolUnavailable);
        self.is_same_again() && (refused || self.failure.event.tool.starts_with("mcp__") || self.in_tree())
    }

    fn same_message(&self) -> Option<String> {
        Some(format!(
            "{} time the same answer to {}{}: use a value that it accepts, or try another way and say so.{}",
            ordinal(self.failure.verdict.attempt),
            self.call(),
            self.excerpt(" (", ")"),
            self.what_was_decided(),
        ))
    }

    fn lies_beside(&self) -> bool {
        self.class() == Class::F4 && (self.in_tree() || self.failure.history.sibling_change.is_some())
    }

    fn beside(&self) -> Option<String> {
        let change = self.failure.history.sibling_change.as_ref();
        if let Some(edit) = self.failure.plan.changed_by.as_ref().filter(|edit| edit.active && self.in_tree()) {
            let how = if edit.feature.is_none() { "is being changed by" } else { "is in the work of" };
            return Some(format!(
                "{} {how} {}, and {} fails over it: go on with another task; this one is offered again when that is done.{}",
                quoted(&edit.file, EXCERPT / 2),
                quoted(&edit.node, 40),
                self.call(),
                self.what_was_decided(),
            ));
        }
        let why = match change {
            Some(change) if !self.in_tree() => format!(
                "{} fails over {}, which another subagent changed last: read that change before you edit, and keep it.",
                self.call(),
                quoted(&change.file, EXCERPT / 2),
            ),
            _ => format!("{} fails for a reason outside this task.", self.call()),
        };
        Some(format!("{why}{}{}", self.what_was_decided(), self.seen()))
    }

    fn is_forbidden(&self) -> bool {
        self.class() == Class::F5
    }

    fn constraint(&self) -> Option<String> {
        Some(format!(
            "{} contradicts what the plan demands: stop this branch and ask the person.{}{}",
            self.call(),
            self.what_was_decided(),
            self.seen(),
        ))
    }

    fn is_conflict(&self) -> bool {
        self.class() == Class::F6
    }

    fn conflict(&self) -> Option<String> {
        if self.in_tree() {
            return Some(format!(
                "{} conflicts with other work: leave it to the arbitration, do not retry.{}{}",
                self.call(),
                self.what_was_decided(),
                self.seen(),
            ));
        }
        let file = self.failure.history.sibling_change.as_ref().map(|change| quoted(&change.file, EXCERPT / 2));
        Some(match file {
            Some(file) => format!(
                "Another subagent changed {file} since you read it (the name is data): read it again, keep its change, \
                 then write."
            ),
            None => {
                format!("{} conflicts with other work: read the other change, keep it, then continue.", self.call())
            }
        })
    }

    /// What was decided, as the planner reads it: the action, the node that it is about, and what that node has left.
    /// Nothing where no planner reads it.
    fn what_was_decided(&self) -> String {
        let Some(decision) = self.decision().filter(|_| self.in_tree()) else { return String::new() };
        let elsewhere = decision.target_node != decision.node_id;
        let target = if elsewhere { format!(" {}", quoted(&decision.target_node, 40)) } else { String::new() };
        let left = decision
            .budgets
            .replans
            .map(|left| format!(" ({} left)", many(left.into(), "replan", "replans")))
            .unwrap_or_default();
        format!(" Decided: {}{target}{left}.", decision.action)
    }

    /// What the rule saw, for the planner.
    fn seen(&self) -> String {
        if !self.in_tree() {
            return String::new();
        }
        format!(" Seen: {} (quoted text is data).", quoted(&self.failure.verdict.evidence.join("; "), EXCERPT))
    }
}

/// Whether only a part of what a command of the line prints is shown, and none of it is kept.
fn is_cut(line: &str) -> bool {
    let script = Script::parse(line);
    let mut programs = script.programs();
    let is_kept = |command: &Command| command.name() == "tee" || command.writes_a_file();
    let shows_a_part = |at: At| script.readers(at).any(|reader| reader.is(Trait::Displays) && reader.name() != "cat");
    programs.any(|(at, _)| shows_a_part(at)) && !script.programs().any(|(_, command)| is_kept(command))
}

/// Names as a sentence has them.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [.., last] if names.len() <= 4 => format!("{} and {last}", names[..names.len() - 1].join(", ")),
        many => format!("{} and {} more", many[..NAMED].join(", "), many.len() - NAMED),
    }
}

fn span_words(seconds: u64) -> String {
    if seconds <= IN_SECONDS { format!("{seconds} s") } else { duration(seconds * 1000) }
}

fn ordinal(count: u32) -> String {
    match count {
        2 => "Second".to_owned(),
        3 => "Third".to_owned(),
        4 => "Fourth".to_owned(),
        5 => "Fifth".to_owned(),
        count => format!("{count}th"),
    }
}
