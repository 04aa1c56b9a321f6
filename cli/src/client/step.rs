//! One step: the client started as often as the policy of retries allows, until there is a result.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::attempt::{EndedAttempt, Launch, Watcher, follow};
use super::judge::Judge;
use super::signals::Signals;
use super::tree::{self, Family, Process};
use super::{keeper, stamp};
use crate::decide::{DecisionFacts, Question, RETRY, decide};
use crate::error::Error;
use crate::history::State;
use crate::model::{Class, Decision, DecisionAction, PlanFacts, Verdict};
use crate::stream::{CommandExecution, OutsideCause, Stopped};
use crate::time::duration;

/// What a step may use up, over all its attempts.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// How often the client is started again.
    pub retries: u32,
    /// How long all of it may take.
    pub timeout: Option<Duration>,
    /// How long the client may say nothing.
    pub idle: Option<Duration>,
    /// What all of it may cost, in dollars.
    pub max_cost_usd: Option<f64>,
}

/// A step to run.
#[derive(Debug)]
pub struct ClientStep<'a> {
    /// The client's executable.
    pub program: &'a Path,
    /// What the person adds to the client's arguments.
    pub flags: &'a [String],
    /// The prompt.
    pub prompt: &'a str,
    /// The session that goes on, instead of a new one.
    pub session: Option<&'a str>,
    /// The run's id.
    pub run: &'a str,
    /// What it may use up.
    pub limits: &'a Limits,
}

/// How a step ended.
#[derive(Debug)]
pub struct StepEnd {
    /// What its last attempt came to.
    pub execution: CommandExecution,
    /// The verdict on the last attempt that was tried again.
    pub retried: Option<Verdict>,
    /// How often the client was started.
    pub attempts: u32,
    /// What all attempts cost, in dollars, as far as they tell.
    pub cost_usd: Option<f64>,
    /// Why it is over.
    pub why: Why,
    /// Whether a tool was called in its session.
    pub called_a_tool: bool,
}

/// Why a step is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Its last attempt says it.
    Ended,
    /// Another attempt might have helped, but retries, time or cost are used up.
    Exhausted(String),
    /// Somebody asked for it, by this signal.
    Signal(i32),
}

/// What the client is told when it goes on where an error stopped it.
pub const GO_ON: &str = "The connection to the model failed while you worked on this. Your work until then is kept. \
    Check how far you came, continue from there, and end with the requested answer.";

/// Runs a step to its end. `retries` is what the project's history says of its retries.
///
/// # Errors
/// When the client cannot be started, or the watcher cannot keep the stream.
pub fn run(
    step: &ClientStep<'_>,
    project_retries: Option<State>,
    signals: &Signals,
    watcher: &mut dyn Watcher,
) -> Result<StepEnd, Error> {
    // What the client leaves behind becomes a child of this process, and is found by that.
    keeper::adopt();
    let now = Instant::now();
    let mut progress = Trying {
        step,
        signals,
        judge: Judge::default(),
        project_retries,
        began: now,
        deadline: step.limits.timeout.map(|timeout| now + timeout),
        attempts: 0,
        cost_usd: None,
        session: step.session.map(str::to_owned),
        called_a_tool: false,
        beginning: tree::own_beginning(),
        retried: None,
    };
    let (mut execution, why) = progress.all(watcher)?;
    execution.duration_seconds = Some(progress.began.elapsed().as_secs_f64());
    Ok(StepEnd {
        execution,
        retried: progress.retried,
        attempts: progress.attempts,
        cost_usd: progress.cost_usd,
        why,
        called_a_tool: progress.called_a_tool,
    })
}

/// Whether the client does not know the session that it was to go on with.
fn is_forgotten(execution: &CommandExecution) -> bool {
    execution.error_message.as_deref().is_some_and(|why| why.contains("No conversation found with session ID"))
}

struct Trying<'a> {
    step: &'a ClientStep<'a>,
    signals: &'a Signals,
    judge: Judge,
    project_retries: Option<State>,
    began: Instant,
    deadline: Option<Instant>,
    attempts: u32,
    cost_usd: Option<f64>,
    session: Option<String>,
    called_a_tool: bool,
    beginning: u64,
    retried: Option<Verdict>,
}

impl Trying<'_> {
    fn all(&mut self, watcher: &mut dyn Watcher) -> Result<(CommandExecution, Why), Error> {
        let mut prompt = self.step.prompt;
        loop {
            self.attempts += 1;
            let ended = self.start(prompt, watcher)?;
            let called_a_tool = ended.called_a_tool;
            self.called_a_tool |= called_a_tool;
            let stopped = ended.stopped.clone();
            let mut execution = execution_of(ended);
            if let Some(cost) = execution.cost() {
                *self.cost_usd.get_or_insert(0.0) += cost;
            }
            self.clean_up(watcher);
            if let Some(Stopped::Signal(signal)) = stopped {
                return Ok((execution, Why::Signal(signal)));
            }
            let Some(verdict) = self.judge.verdict(&execution, &stamp()) else { return Ok((execution, Why::Ended)) };
            let decision = self.decide(&verdict);
            execution.verdict = Some(verdict);
            if stopped.is_some() {
                let why = execution.error_message.clone().unwrap_or_default();
                return Ok((execution, Why::Exhausted(why)));
            }
            if let Some(why) = self.over(&decision, &execution) {
                return Ok((execution, why));
            }
            if is_forgotten(&execution) {
                // The client ended before it wrote the session down: there is nothing to go on from.
                (self.session, self.called_a_tool, prompt) = (None, false, self.step.prompt);
            } else if self.called_a_tool && self.session.is_none() {
                self.session.clone_from(&execution.session_id);
            }
            if self.called_a_tool && self.session.is_some() {
                prompt = GO_ON;
            }
            self.wait(&decision, &execution, watcher);
            self.retried = execution.verdict.take();
            if let Some(signal) = self.signals.seen() {
                execution.verdict = self.retried.take();
                return Ok((execution, Why::Signal(signal)));
            }
        }
    }

    fn start(&self, prompt: &str, watcher: &mut dyn Watcher) -> Result<EndedAttempt, Error> {
        let mut args: Vec<String> = ["-p", "--output-format", "stream-json", "--verbose"].map(str::to_owned).to_vec();
        if let Some(most) = self.step.limits.max_cost_usd {
            args.extend(["--max-budget-usd".to_owned(), format!("{:.4}", most - self.cost_usd.unwrap_or(0.0))]);
        }
        args.extend(self.step.flags.iter().cloned());
        if let Some(session) = &self.session {
            args.extend(["--resume".to_owned(), session.clone()]);
        }
        let launch = Launch {
            program: self.step.program,
            args: &args,
            prompt,
            run: self.step.run,
            idle: self.step.limits.idle,
            deadline: self.deadline,
        };
        Ok(follow(&launch, self.signals, watcher)?)
    }

    /// Ends what an attempt left running.
    fn clean_up(&self, watcher: &mut dyn Watcher) {
        let own = std::process::id().cast_signed();
        let family = Family { run: self.step.run, adopter: Some((own, self.beginning)) };
        for Process { pid, command, .. } in tree::end(&family) {
            watcher.say(&format!("ended a leftover process: {pid} {command}"));
        }
    }

    fn decide(&self, verdict: &Verdict) -> Decision {
        let state = self.judge.state();
        let plan = PlanFacts { node: verdict.node_id.clone(), ..PlanFacts::default() };
        let others: Vec<State> = self.project_retries.iter().cloned().collect();
        let facts =
            DecisionFacts { plan: &plan, state: &state, others: &others, command: None, deviation: None, flaky: false };
        decide(&Question::from(verdict), &facts, &stamp()).decision
    }

    /// Why no further attempt is made; None where one is.
    fn over(&self, decision: &Decision, execution: &CommandExecution) -> Option<Why> {
        use DecisionAction::{Retry, SingleRetry, SingleRetryThenEscalate};
        let exhausted = |why: String| Some(Why::Exhausted(why));
        let is_budget = execution.subtype.as_deref() == Some("error_max_budget_usd");
        if let Some(most) = self.step.limits.max_cost_usd.filter(|most| is_budget || self.cost_usd >= Some(*most)) {
            return exhausted(format!("the {most} dollars of --max-cost-usd are used up"));
        }
        // A failure that may pass ends at the policy's limits, any other with a person.
        let is_passing = decision.class == Some(Class::F1);
        let ended = |why: String| if is_passing { exhausted(why) } else { Some(Why::Ended) };
        let is_tried = matches!(decision.action, Retry | SingleRetry | SingleRetryThenEscalate);
        if !is_tried || !is_passing && execution.repeats() && !is_forgotten(execution) {
            return ended(decision.reasons.join("; "));
        }
        if self.attempts > self.step.limits.retries {
            return ended(format!("all {} retries are used up", self.step.limits.retries));
        }
        let wait = Duration::from_millis(decision.delay_ms);
        if self.deadline.is_some_and(|deadline| Instant::now() + wait >= deadline) {
            let needed = duration(decision.delay_ms);
            return exhausted(format!("the next try has to wait {needed}, and the time for this run is up before"));
        }
        if self.called_a_tool && self.session.is_none() && execution.session_id.is_none() {
            return exhausted("tools ran already, and the stream names no session to resume".to_owned());
        }
        None
    }

    /// Waits in sight of whoever watches.
    fn wait(&self, decision: &Decision, execution: &CommandExecution, watcher: &mut dyn Watcher) {
        let why = execution.error_message.as_deref().unwrap_or_default();
        let kind = execution.verdict.as_ref().map(|verdict| verdict.category.as_str()).unwrap_or_default();
        let class = decision.class.map(Class::as_str).unwrap_or_default();
        let (next, most) = (self.attempts + 1, self.step.limits.retries.min(RETRY.retries) + 1);
        let wait =
            if decision.delay_ms == 0 { "now".to_owned() } else { format!("in {}", duration(decision.delay_ms)) };
        watcher.say(&format!("{why}; try {next} of {most} {wait} [{class} {kind}]"));
        let until = Instant::now() + Duration::from_millis(decision.delay_ms);
        while self.signals.seen().is_none() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(Duration::from_millis(50)));
        }
    }
}

/// What an attempt came to. Text that is no stream counts only from a client that ended well, and if no line of it is JSON.
fn execution_of(ended: EndedAttempt) -> CommandExecution {
    let is_plain = |text: &&String| {
        let is_json = |line: &str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
        ended.exit_code == Some(0) && !text.trim().is_empty() && !text.lines().any(is_json)
    };
    let text = ended.stdout.as_ref().filter(is_plain).map(|text| text.trim_end_matches(['\r', '\n']).to_owned());
    let outside = OutsideCause {
        text,
        stdout: ended.stdout,
        stderr: Some(ended.stderr),
        exit_code: ended.exit_code,
        signal: ended.signal,
        duration_seconds: None,
        stopped: ended.stopped,
    };
    CommandExecution::new(ended.extractor.finish(), outside)
}
