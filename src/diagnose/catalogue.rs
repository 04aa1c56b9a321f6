//! The failure modes: numbers, titles, severities and places in the taxonomy of the CLI Agent Spec, version 1.6.

/// A failure mode of the taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Its number: §10 is 10.
    pub id: u8,
    /// Its title.
    pub title: &'static str,
    /// How much it costs an agent.
    pub severity: Severity,
    /// Where the taxonomy describes it, from the root of its repository.
    pub link: &'static str,
}

/// How much a failure mode costs an agent: the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It blocks, destroys or leaks: no retry before the workaround was applied.
    Critical,
    /// It costs many calls.
    High,
    /// It costs some.
    Medium,
}

impl Severity {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
        }
    }
}

/// The mode of this number; None for a number that is none, or that was merged into another.
pub fn mode(id: u8) -> Option<&'static Mode> {
    MODES.binary_search_by_key(&id, |mode| mode.id).ok().and_then(|at| MODES.get(at))
}

const fn row(id: u8, severity: Severity, title: &'static str, link: &'static str) -> Mode {
    Mode { id, title, severity, link }
}

use Severity::{Critical, High, Medium};

/// Every active mode, by number.
#[rustfmt::skip]
pub const MODES: &[Mode] = &[
    row(1, Critical, "Exit Codes & Status Signaling", "challenges/04-critical-output-and-parsing/01-critical-exit-codes.md"),
    row(2, Critical, "Output Format & Parseability", "challenges/04-critical-output-and-parsing/02-critical-output-format.md"),
    row(3, High, "Stderr vs Stdout Discipline", "challenges/04-critical-output-and-parsing/03-high-stderr-stdout.md"),
    row(4, Medium, "Verbosity & Token Cost", "challenges/04-critical-output-and-parsing/04-medium-verbosity.md"),
    row(5, High, "Pagination & Large Output", "challenges/04-critical-output-and-parsing/05-high-pagination.md"),
    row(6, Medium, "Command Composition & Piping", "challenges/04-critical-output-and-parsing/06-medium-command-composition.md"),
    row(7, Medium, "Output Non-Determinism", "challenges/04-critical-output-and-parsing/07-medium-output-nondeterminism.md"),
    row(8, High, "ANSI & Color Code Leakage", "challenges/04-critical-output-and-parsing/08-high-ansi-leakage.md"),
    row(9, High, "Binary & Encoding Safety", "challenges/04-critical-output-and-parsing/09-high-binary-encoding.md"),
    row(10, Critical, "Interactivity & TTY Requirements", "challenges/02-critical-execution-and-reliability/10-critical-interactivity.md"),
    row(11, Critical, "Timeouts & Hanging Processes", "challenges/02-critical-execution-and-reliability/11-critical-timeouts.md"),
    row(12, Critical, "Idempotency & Safe Retries", "challenges/02-critical-execution-and-reliability/12-critical-idempotency.md"),
    row(13, Critical, "Partial Failure & Atomicity", "challenges/02-critical-execution-and-reliability/13-critical-partial-failure.md"),
    row(14, High, "Argument Validation Before Side Effects", "challenges/02-critical-execution-and-reliability/14-high-arg-validation.md"),
    row(15, High, "Race Conditions & Concurrency", "challenges/02-critical-execution-and-reliability/15-high-race-conditions.md"),
    row(16, High, "Signal Handling & Graceful Cancellation", "challenges/02-critical-execution-and-reliability/16-high-signal-handling.md"),
    row(17, Medium, "Child Process Leakage", "challenges/02-critical-execution-and-reliability/17-medium-child-process-leakage.md"),
    row(18, High, "Error Message Quality", "challenges/06-high-errors-and-discoverability/18-high-error-quality.md"),
    row(19, High, "Retry Hints in Error Responses", "challenges/06-high-errors-and-discoverability/19-high-retry-hints.md"),
    row(20, Medium, "Environment & Dependency Discovery", "challenges/06-high-errors-and-discoverability/20-medium-dependency-discovery.md"),
    row(21, Medium, "Schema & Help Discoverability", "challenges/06-high-errors-and-discoverability/21-medium-schema-discoverability.md"),
    row(22, High, "Schema Versioning & Output Stability", "challenges/06-high-errors-and-discoverability/22-high-schema-versioning.md"),
    row(23, Critical, "Side Effects & Destructive Operations", "challenges/03-critical-security/23-critical-destructive-ops.md"),
    row(24, Critical, "Authentication & Secret Handling", "challenges/03-critical-security/24-critical-auth-secrets.md"),
    row(25, Critical, "Prompt Injection via Output", "challenges/03-critical-security/25-critical-prompt-injection.md"),
    row(26, High, "Stateful Commands & Session Management", "challenges/05-high-environment-and-state/26-high-session-management.md"),
    row(27, Medium, "Platform & Shell Portability", "challenges/05-high-environment-and-state/27-medium-platform-portability.md"),
    row(28, High, "Config File Shadowing & Precedence", "challenges/05-high-environment-and-state/28-high-config-shadowing.md"),
    row(29, Medium, "Working Directory Sensitivity", "challenges/05-high-environment-and-state/29-medium-working-directory.md"),
    row(30, Medium, "Undeclared Filesystem Side Effects", "challenges/05-high-environment-and-state/30-medium-filesystem-side-effects.md"),
    row(31, High, "Network Proxy Unawareness", "challenges/05-high-environment-and-state/31-high-network-proxy.md"),
    row(32, High, "Self-Update & Auto-Upgrade Behavior", "challenges/05-high-environment-and-state/32-high-self-update.md"),
    row(33, Medium, "Observability & Audit Trail", "challenges/07-medium-observability/33-medium-observability.md"),
    row(34, Critical, "Shell Injection via Agent-Constructed Commands", "challenges/01-critical-ecosystem-runtime-agent-specific/34-critical-shell-injection.md"),
    row(35, High, "Agent Hallucination Input Patterns", "challenges/01-critical-ecosystem-runtime-agent-specific/35-high-hallucination-inputs.md"),
    row(37, Critical, "REPL / Interactive Mode Accidental Triggering", "challenges/01-critical-ecosystem-runtime-agent-specific/37-critical-repl-triggering.md"),
    row(38, High, "Runtime Dependency Version Mismatch", "challenges/01-critical-ecosystem-runtime-agent-specific/38-high-dependency-version-mismatch.md"),
    row(40, High, "`parse()` vs `parseAsync()` Silent Race Condition", "challenges/01-critical-ecosystem-runtime-agent-specific/40-high-async-race-condition.md"),
    row(41, High, "Update Notifier Side-Channel Output Pollution", "challenges/01-critical-ecosystem-runtime-agent-specific/41-high-update-notifier.md"),
    row(42, Critical, "Debug / Trace Mode Secret Leakage", "challenges/01-critical-ecosystem-runtime-agent-specific/42-critical-debug-secret-leakage.md"),
    row(43, Critical, "Tool Output Result Size Unboundedness", "challenges/01-critical-ecosystem-runtime-agent-specific/43-critical-output-size-unboundedness.md"),
    row(44, Medium, "Agent Knowledge Packaging Absence", "challenges/01-critical-ecosystem-runtime-agent-specific/44-medium-knowledge-packaging.md"),
    row(45, Critical, "Headless Authentication / OAuth Browser Flow Blocking", "challenges/01-critical-ecosystem-runtime-agent-specific/45-critical-headless-auth.md"),
    row(46, High, "API Schema to CLI Flag Translation Loss", "challenges/01-critical-ecosystem-runtime-agent-specific/46-high-api-translation-loss.md"),
    row(47, High, "MCP Wrapper Schema Staleness", "challenges/01-critical-ecosystem-runtime-agent-specific/47-high-mcp-schema-staleness.md"),
    row(49, High, "Async Job / Polling Protocol Absence", "challenges/01-critical-ecosystem-runtime-agent-specific/49-high-async-job-polling.md"),
    row(50, Critical, "Stdin Consumption Deadlock", "challenges/01-critical-ecosystem-runtime-agent-specific/50-critical-stdin-deadlock.md"),
    row(51, High, "Shell Word Splitting and Glob Expansion Interference", "challenges/01-critical-ecosystem-runtime-agent-specific/51-high-glob-expansion.md"),
    row(52, Medium, "Recursive Command Tree Discovery Cost", "challenges/01-critical-ecosystem-runtime-agent-specific/52-medium-command-tree-discovery.md"),
    row(53, Critical, "Credential Expiry Mid-Session", "challenges/01-critical-ecosystem-runtime-agent-specific/53-critical-credential-expiry.md"),
    row(54, High, "Conditional / Dependent Argument Requirements", "challenges/01-critical-ecosystem-runtime-agent-specific/54-high-conditional-args.md"),
    row(55, High, "Silent Data Truncation", "challenges/01-critical-ecosystem-runtime-agent-specific/55-high-silent-truncation.md"),
    row(56, High, "Exit Code Masking in Shell Pipelines", "challenges/01-critical-ecosystem-runtime-agent-specific/56-high-pipeline-exit-masking.md"),
    row(57, Medium, "Locale-Dependent Error Messages", "challenges/01-critical-ecosystem-runtime-agent-specific/57-medium-locale-errors.md"),
    row(58, High, "Multi-Agent Concurrent Invocation Conflict", "challenges/01-critical-ecosystem-runtime-agent-specific/58-high-multiagent-conflict.md"),
    row(59, High, "High-Entropy String Token Poisoning", "challenges/01-critical-ecosystem-runtime-agent-specific/59-high-high-entropy-tokens.md"),
    row(60, Critical, "OS Output Buffer Deadlock", "challenges/01-critical-ecosystem-runtime-agent-specific/60-critical-output-buffer-deadlock.md"),
    row(61, Critical, "Bidirectional Pipe Payload Deadlock", "challenges/01-critical-ecosystem-runtime-agent-specific/61-critical-pipe-payload-deadlock.md"),
    row(62, Critical, "$EDITOR and $VISUAL Trap", "challenges/01-critical-ecosystem-runtime-agent-specific/62-critical-editor-trap.md"),
    row(63, Medium, "Terminal Column Width Output Corruption", "challenges/01-critical-ecosystem-runtime-agent-specific/63-medium-column-width-corruption.md"),
    row(64, Critical, "Headless Display and GUI Launch Blocking", "challenges/01-critical-ecosystem-runtime-agent-specific/64-critical-headless-gui.md"),
    row(65, High, "Global Configuration State Contamination", "challenges/01-critical-ecosystem-runtime-agent-specific/65-high-global-config-contamination.md"),
    row(66, High, "Symlink Loop and Recursive Traversal Exhaustion", "challenges/01-critical-ecosystem-runtime-agent-specific/66-high-symlink-loop.md"),
    row(67, High, "Agent-Generated Input Syntax Rejection", "challenges/01-critical-ecosystem-runtime-agent-specific/67-high-json5-input.md"),
    row(68, High, "Third-Party Library Stdout Pollution", "challenges/01-critical-ecosystem-runtime-agent-specific/68-high-stdout-pollution.md"),
    row(69, High, "Argument Order Ambiguity", "challenges/01-critical-ecosystem-runtime-agent-specific/69-high-argument-order-ambiguity.md"),
    row(70, High, "Single-Argument Arity Forcing Agent Loop Overhead", "challenges/01-critical-ecosystem-runtime-agent-specific/70-high-single-argument-arity.md"),
    row(71, Critical, "Non-Interactive Installation Absence", "challenges/01-critical-ecosystem-runtime-agent-specific/71-critical-noninteractive-installation.md"),
    row(72, High, "Integration Artifact Version Drift", "challenges/01-critical-ecosystem-runtime-agent-specific/72-high-integration-artifact-drift.md"),
    row(73, High, "Documentation Accuracy Drift", "challenges/01-critical-ecosystem-runtime-agent-specific/73-high-documentation-accuracy-drift.md"),
    row(74, Critical, "Credential Scope Declaration Absence", "challenges/03-critical-security/74-critical-credential-scope-declaration.md"),
    row(75, Critical, "Safe-Default Execution Mode Absent", "challenges/03-critical-security/75-critical-safe-default-execution.md"),
    row(76, High, "Streaming-Default JSONL Incompatibility", "challenges/04-critical-output-and-parsing/76-high-streaming-default-incompatibility.md"),
    row(77, High, "No Batch Command Dispatch", "challenges/02-critical-execution-and-reliability/77-high-no-batch-dispatch.md"),
];
