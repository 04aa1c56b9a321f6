//! The failure modes: numbers, titles, severities and places in the taxonomy of the CLI Agent Spec, version 1.6.

use crate::model::words;

words! {
    /// How much a failure mode costs an agent: the worst first.
    pub enum Severity {
        /// It blocks, destroys or leaks: no retry before the workaround was applied.
        Critical = "critical",
        /// It costs many calls.
        High = "high",
        /// It costs some.
        Medium = "medium",
    }
}

/// Writes the list of modes out: each is named, numbered and described in one place.
macro_rules! modes {
    ($($name:ident = $id:literal, $severity:ident, $title:literal, $link:literal;)*) => {
        /// A failure mode of the taxonomy, in the order of the numbers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Mode {
            $(#[doc = $title] $name = $id,)*
        }

        /// Every active mode, by number.
        pub const MODES: &[Mode] = &[$(Mode::$name),*];

        impl Mode {
            /// Its title.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// How much it costs an agent.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Where the taxonomy describes it, from the root of its repository.
            pub fn link(self) -> &'static str {
                match self { $(Self::$name => concat!("challenges/", $link),)* }
            }
        }
    };
}

impl Mode {
    /// Its number: §10 is 10.
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// The mode of this number; None for a number that is none, or that was merged into another.
    pub fn of(id: u8) -> Option<Self> {
        MODES.iter().copied().find(|mode| mode.id() == id)
    }
}

modes! {
    ExitCodes = 1, Critical, "Exit Codes & Status Signaling", "04-critical-output-and-parsing/01-critical-exit-codes.md";
    OutputFormat = 2, Critical, "Output Format & Parseability", "04-critical-output-and-parsing/02-critical-output-format.md";
    StreamDiscipline = 3, High, "Stderr vs Stdout Discipline", "04-critical-output-and-parsing/03-high-stderr-stdout.md";
    Verbosity = 4, Medium, "Verbosity & Token Cost", "04-critical-output-and-parsing/04-medium-verbosity.md";
    Pagination = 5, High, "Pagination & Large Output", "04-critical-output-and-parsing/05-high-pagination.md";
    Composition = 6, Medium, "Command Composition & Piping", "04-critical-output-and-parsing/06-medium-command-composition.md";
    Nondeterminism = 7, Medium, "Output Non-Determinism", "04-critical-output-and-parsing/07-medium-output-nondeterminism.md";
    AnsiLeakage = 8, High, "ANSI & Color Code Leakage", "04-critical-output-and-parsing/08-high-ansi-leakage.md";
    BinaryEncoding = 9, High, "Binary & Encoding Safety", "04-critical-output-and-parsing/09-high-binary-encoding.md";
    Interactivity = 10, Critical, "Interactivity & TTY Requirements", "02-critical-execution-and-reliability/10-critical-interactivity.md";
    Timeouts = 11, Critical, "Timeouts & Hanging Processes", "02-critical-execution-and-reliability/11-critical-timeouts.md";
    Idempotency = 12, Critical, "Idempotency & Safe Retries", "02-critical-execution-and-reliability/12-critical-idempotency.md";
    PartialFailure = 13, Critical, "Partial Failure & Atomicity", "02-critical-execution-and-reliability/13-critical-partial-failure.md";
    ArgValidation = 14, High, "Argument Validation Before Side Effects", "02-critical-execution-and-reliability/14-high-arg-validation.md";
    RaceConditions = 15, High, "Race Conditions & Concurrency", "02-critical-execution-and-reliability/15-high-race-conditions.md";
    SignalHandling = 16, High, "Signal Handling & Graceful Cancellation", "02-critical-execution-and-reliability/16-high-signal-handling.md";
    ChildLeakage = 17, Medium, "Child Process Leakage", "02-critical-execution-and-reliability/17-medium-child-process-leakage.md";
    ErrorQuality = 18, High, "Error Message Quality", "06-high-errors-and-discoverability/18-high-error-quality.md";
    RetryHints = 19, High, "Retry Hints in Error Responses", "06-high-errors-and-discoverability/19-high-retry-hints.md";
    DependencyDiscovery = 20, Medium, "Environment & Dependency Discovery", "06-high-errors-and-discoverability/20-medium-dependency-discovery.md";
    SchemaDiscoverability = 21, Medium, "Schema & Help Discoverability", "06-high-errors-and-discoverability/21-medium-schema-discoverability.md";
    SchemaStability = 22, High, "Schema Versioning & Output Stability", "06-high-errors-and-discoverability/22-high-schema-versioning.md";
    DestructiveOps = 23, Critical, "Side Effects & Destructive Operations", "03-critical-security/23-critical-destructive-ops.md";
    AuthSecrets = 24, Critical, "Authentication & Secret Handling", "03-critical-security/24-critical-auth-secrets.md";
    PromptInjection = 25, Critical, "Prompt Injection via Output", "03-critical-security/25-critical-prompt-injection.md";
    SessionManagement = 26, High, "Stateful Commands & Session Management", "05-high-environment-and-state/26-high-session-management.md";
    PlatformPortability = 27, Medium, "Platform & Shell Portability", "05-high-environment-and-state/27-medium-platform-portability.md";
    ConfigShadowing = 28, High, "Config File Shadowing & Precedence", "05-high-environment-and-state/28-high-config-shadowing.md";
    WorkingDirectory = 29, Medium, "Working Directory Sensitivity", "05-high-environment-and-state/29-medium-working-directory.md";
    FilesystemSideEffects = 30, Medium, "Undeclared Filesystem Side Effects", "05-high-environment-and-state/30-medium-filesystem-side-effects.md";
    NetworkProxy = 31, High, "Network Proxy Unawareness", "05-high-environment-and-state/31-high-network-proxy.md";
    SelfUpdate = 32, High, "Self-Update & Auto-Upgrade Behavior", "05-high-environment-and-state/32-high-self-update.md";
    Observability = 33, Medium, "Observability & Audit Trail", "07-medium-observability/33-medium-observability.md";
    ShellInjection = 34, Critical, "Shell Injection via Agent-Constructed Commands", "01-critical-ecosystem-runtime-agent-specific/34-critical-shell-injection.md";
    HallucinationInputs = 35, High, "Agent Hallucination Input Patterns", "01-critical-ecosystem-runtime-agent-specific/35-high-hallucination-inputs.md";
    Repl = 37, Critical, "REPL / Interactive Mode Accidental Triggering", "01-critical-ecosystem-runtime-agent-specific/37-critical-repl-triggering.md";
    VersionMismatch = 38, High, "Runtime Dependency Version Mismatch", "01-critical-ecosystem-runtime-agent-specific/38-high-dependency-version-mismatch.md";
    AsyncRace = 40, High, "`parse()` vs `parseAsync()` Silent Race Condition", "01-critical-ecosystem-runtime-agent-specific/40-high-async-race-condition.md";
    UpdateNotifier = 41, High, "Update Notifier Side-Channel Output Pollution", "01-critical-ecosystem-runtime-agent-specific/41-high-update-notifier.md";
    DebugSecretLeakage = 42, Critical, "Debug / Trace Mode Secret Leakage", "01-critical-ecosystem-runtime-agent-specific/42-critical-debug-secret-leakage.md";
    OutputSize = 43, Critical, "Tool Output Result Size Unboundedness", "01-critical-ecosystem-runtime-agent-specific/43-critical-output-size-unboundedness.md";
    KnowledgePackaging = 44, Medium, "Agent Knowledge Packaging Absence", "01-critical-ecosystem-runtime-agent-specific/44-medium-knowledge-packaging.md";
    HeadlessAuth = 45, Critical, "Headless Authentication / OAuth Browser Flow Blocking", "01-critical-ecosystem-runtime-agent-specific/45-critical-headless-auth.md";
    ApiTranslationLoss = 46, High, "API Schema to CLI Flag Translation Loss", "01-critical-ecosystem-runtime-agent-specific/46-high-api-translation-loss.md";
    McpStaleness = 47, High, "MCP Wrapper Schema Staleness", "01-critical-ecosystem-runtime-agent-specific/47-high-mcp-schema-staleness.md";
    AsyncJob = 49, High, "Async Job / Polling Protocol Absence", "01-critical-ecosystem-runtime-agent-specific/49-high-async-job-polling.md";
    StdinDeadlock = 50, Critical, "Stdin Consumption Deadlock", "01-critical-ecosystem-runtime-agent-specific/50-critical-stdin-deadlock.md";
    GlobExpansion = 51, High, "Shell Word Splitting and Glob Expansion Interference", "01-critical-ecosystem-runtime-agent-specific/51-high-glob-expansion.md";
    CommandTree = 52, Medium, "Recursive Command Tree Discovery Cost", "01-critical-ecosystem-runtime-agent-specific/52-medium-command-tree-discovery.md";
    CredentialExpiry = 53, Critical, "Credential Expiry Mid-Session", "01-critical-ecosystem-runtime-agent-specific/53-critical-credential-expiry.md";
    ConditionalArgs = 54, High, "Conditional / Dependent Argument Requirements", "01-critical-ecosystem-runtime-agent-specific/54-high-conditional-args.md";
    SilentTruncation = 55, High, "Silent Data Truncation", "01-critical-ecosystem-runtime-agent-specific/55-high-silent-truncation.md";
    PipelineMasking = 56, High, "Exit Code Masking in Shell Pipelines", "01-critical-ecosystem-runtime-agent-specific/56-high-pipeline-exit-masking.md";
    LocaleErrors = 57, Medium, "Locale-Dependent Error Messages", "01-critical-ecosystem-runtime-agent-specific/57-medium-locale-errors.md";
    MultiagentConflict = 58, High, "Multi-Agent Concurrent Invocation Conflict", "01-critical-ecosystem-runtime-agent-specific/58-high-multiagent-conflict.md";
    HighEntropy = 59, High, "High-Entropy String Token Poisoning", "01-critical-ecosystem-runtime-agent-specific/59-high-high-entropy-tokens.md";
    OutputBuffer = 60, Critical, "OS Output Buffer Deadlock", "01-critical-ecosystem-runtime-agent-specific/60-critical-output-buffer-deadlock.md";
    PipePayload = 61, Critical, "Bidirectional Pipe Payload Deadlock", "01-critical-ecosystem-runtime-agent-specific/61-critical-pipe-payload-deadlock.md";
    EditorTrap = 62, Critical, "$EDITOR and $VISUAL Trap", "01-critical-ecosystem-runtime-agent-specific/62-critical-editor-trap.md";
    ColumnWidth = 63, Medium, "Terminal Column Width Output Corruption", "01-critical-ecosystem-runtime-agent-specific/63-medium-column-width-corruption.md";
    HeadlessGui = 64, Critical, "Headless Display and GUI Launch Blocking", "01-critical-ecosystem-runtime-agent-specific/64-critical-headless-gui.md";
    GlobalConfig = 65, High, "Global Configuration State Contamination", "01-critical-ecosystem-runtime-agent-specific/65-high-global-config-contamination.md";
    SymlinkLoop = 66, High, "Symlink Loop and Recursive Traversal Exhaustion", "01-critical-ecosystem-runtime-agent-specific/66-high-symlink-loop.md";
    InputSyntax = 67, High, "Agent-Generated Input Syntax Rejection", "01-critical-ecosystem-runtime-agent-specific/67-high-json5-input.md";
    StdoutPollution = 68, High, "Third-Party Library Stdout Pollution", "01-critical-ecosystem-runtime-agent-specific/68-high-stdout-pollution.md";
    ArgumentOrder = 69, High, "Argument Order Ambiguity", "01-critical-ecosystem-runtime-agent-specific/69-high-argument-order-ambiguity.md";
    SingleArity = 70, High, "Single-Argument Arity Forcing Agent Loop Overhead", "01-critical-ecosystem-runtime-agent-specific/70-high-single-argument-arity.md";
    NoninteractiveInstall = 71, Critical, "Non-Interactive Installation Absence", "01-critical-ecosystem-runtime-agent-specific/71-critical-noninteractive-installation.md";
    ArtifactDrift = 72, High, "Integration Artifact Version Drift", "01-critical-ecosystem-runtime-agent-specific/72-high-integration-artifact-drift.md";
    DocumentationDrift = 73, High, "Documentation Accuracy Drift", "01-critical-ecosystem-runtime-agent-specific/73-high-documentation-accuracy-drift.md";
    CredentialScope = 74, Critical, "Credential Scope Declaration Absence", "03-critical-security/74-critical-credential-scope-declaration.md";
    SafeDefault = 75, Critical, "Safe-Default Execution Mode Absent", "03-critical-security/75-critical-safe-default-execution.md";
    JsonlDefault = 76, High, "Streaming-Default JSONL Incompatibility", "04-critical-output-and-parsing/76-high-streaming-default-incompatibility.md";
    NoBatch = 77, High, "No Batch Command Dispatch", "02-critical-execution-and-reliability/77-high-no-batch-dispatch.md";
}
