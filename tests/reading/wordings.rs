//! One thing in many words: whoever reads an output takes it for the same. The category, the first failure mode and the
//! first strategy of a plan agree, whatever words a program has for it.

#![expect(clippy::disallowed_methods, reason = "starts the command")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::Write;
use std::process::{Command, Stdio};

use failwise::host::recovery::{Asked, read};
use failwise::model::{Category, FindingKind};
use failwise::reading::{findings, findings_of_line};
use failwise::recover::look::Blind;
use failwise::recover::{Failed, PlanPast, PlanQuestion, Tools, plan};
use serde_json::{Value, json};

/// What is meant, what every reader is to say of it, and the words.
pub(crate) struct Thing {
    kind: FindingKind,
    mode: u64,
    strategies: &'static [&'static str],
    /// The command that fails, its status, and what it prints.
    pub(crate) words: &'static [(&'static str, i32, &'static str)],
}

#[rustfmt::skip]
pub(crate) const THINGS: &[Thing] = &[
    Thing {
        kind: FindingKind::UnknownOption,
        mode: 14,
        strategies: &["look_at_state", "use_suggested_name", "use_needed_form"],
        words: &[
            ("acme build --fast", 2, "error: unexpected argument '--fast' found"),
            ("acme build --fast", 1, "Error: unknown flag: --fast"),
            ("acme build --fast", 2, "acme: unrecognized option '--fast'"),
            ("acme build --fast", 1, "acme: unknown option -- fast"),
            ("acme build --fast", 1, "Unknown argument: fast"),
            ("acme build --fast", 1, "error: unknown option '--fast'"),
            ("acme build --fast", 2, "acme: error: unrecognized arguments: --fast"),
            ("acme build --fast", 2, "Error: No such option: --fast"),
            ("acme build --fast", 2, "flag provided but not defined: -fast"),
            ("acme build --fast", 1, "acme: illegal option -- fast"),
            ("acme build --fast", 1, "Invalid option: --fast"),
            ("acme build --fast", 1, "The option \"--fast\" does not exist."),
            ("acme build --fast", 1, "invalid option: --fast"),
            ("acme build --fast", 1, "Option '--fast' is not recognized"),
            ("acme build --fast", 9, "bad option: --fast"),
            ("acme build -f", 1, "acme: invalid option -- 'f'"),
            ("acme build --fast", 1, "Unrecognized command line option: --fast"),
            ("acme build --fast", 2, "error: Found argument '--fast' which wasn't expected, or isn't valid in this context"),
            ("acme build --fast", 1, "Unsupported option: --fast"),
            ("acme build --fast", 1, "--fast is not a valid option"),
            ("acme build --fast", 129, "ERROR: unknown switch `--fast'"),
            ("acme build --fast", 1, "Unexpected option: --fast"),
            ("acme build --fast", 1, "unknown parameter --fast"),
            ("acme build --fast", 1, "There is no option --fast"),
        ],
    },
    Thing {
        kind: FindingKind::MissingModule,
        mode: 20,
        strategies: &["look_at_state", "install_project_dependencies", "use_project_program", "ask_user_for_setup"],
        words: &[
            ("python3 a.py", 1, "ModuleNotFoundError: No module named 'tides'"),
            ("node a.js", 1, "Error: Cannot find module 'tides'"),
            ("acme run", 1, "Could not resolve module \"tides\""),
            ("acme run", 1, "module tides not found"),
            ("ruby a.rb", 1, "cannot load such file -- tides (LoadError)"),
            ("perl a.pl", 2, "Can't locate Tides.pm in @INC (you may need to install the Tides module)"),
            ("lua a.lua", 1, "lua: a.lua:1: module 'tides' not found:"),
            ("Rscript a.R", 1, "Error in library(tides) : there is no package called ‘tides’"),
            ("acme run", 1, "error: package `tides` is not installed"),
            ("acme run", 1, "Cannot find package 'tides' imported from /srv/a.mjs"),
            ("acme run", 1, "Failed to resolve import \"tides\" from \"src/a.ts\""),
            ("acme run", 1, "Required package tides is missing"),
            ("acme run", 1, "unable to load library tides"),
            ("acme run", 1, "Missing dependency: tides"),
        ],
    },
    Thing {
        kind: FindingKind::PortTaken,
        mode: 17,
        strategies: &["look_at_state", "use_free_port"],
        words: &[
            ("acme serve", 1, "Error: listen EADDRINUSE: address already in use :::8080"),
            ("acme serve", 1, "Port 8080 is already in use"),
            ("acme serve", 1, "OSError: [Errno 98] Address already in use"),
            ("acme serve", 1, "bind: address already in use"),
            ("acme serve", 1, "listen tcp :8080: bind: address already in use"),
            ("acme serve", 1, "Something is already running on port 8080."),
            ("acme serve", 1, "Bind for 0.0.0.0:8080 failed: port is already allocated"),
            ("acme serve", 1, "Web server failed to start. Port 8080 was already in use."),
            ("acme serve", 1, "Only one usage of each socket address (protocol/network address/port) is normally permitted."),
            ("acme serve", 1, "Could not bind to port 8080: in use"),
            ("acme serve", 1, "Failed to listen on 127.0.0.1:8080 (reason: Address already in use)"),
        ],
    },
    Thing {
        kind: FindingKind::MissingProgram,
        mode: 20,
        strategies: &[
            "try_alternative_command", "use_alternative_tool", "use_project_program", "use_suggested_name", "ask_user_for_setup",
        ],
        words: &[
            ("frob --all", 127, "bash: frob: command not found"),
            ("frob --all", 127, "bash: line 1: frob: command not found"),
            ("frob --all", 127, "sh: 1: frob: not found"),
            ("frob --all", 127, "zsh: command not found: frob"),
            ("frob --all", 127, "/bin/sh: frob: not found"),
            ("frob --all", 1, "frob: The term 'frob' is not recognized as the name of a cmdlet, function, script file, or operable program."),
            ("frob --all", 1, "'frob' is not recognized as an internal or external command,\noperable program or batch file."),
            ("frob --all", 127, "fish: Unknown command: frob"),
            ("acme run", 1, "exec: \"frob\": executable file not found in $PATH"),
            ("acme run", 1, "Error: spawn frob ENOENT"),
            ("make all", 2, "make: frob: No such file or directory\nmake: *** [Makefile:2: all] Error 127"),
            ("env frob", 127, "env: 'frob': No such file or directory"),
            ("acme run", 1, "Could not find frob in PATH"),
        ],
    },
];

/// A kind, the mode that it shows, and the words of as many programs.
pub(crate) type Wording = (FindingKind, u64, &'static [&'static str]);

#[rustfmt::skip]
pub(crate) const WORDINGS: &[Wording] = &[
    (FindingKind::DiskFull, 30, &[
        "write error: No space left on device", "OSError: [Errno 28] No space left on device", "ENOSPC: no space left, write",
        "fatal: cannot write: Disk quota exceeded",
    ]),
    (FindingKind::ReadOnlyDisk, 30, &["touch: Read-only file system", "Error: EROFS: read-only file system, open 'a'"]),
    (FindingKind::LinkLoop, 66, &["a: Too many levels of symbolic links", "Error: ELOOP: too many symbolic links, stat 'a'"]),
    (FindingKind::RateLimited, 19, &[
        "Error: API rate limit exceeded", "429 Too Many Requests", "ThrottlingException: Rate exceeded", "HTTP 429",
    ]),
    (FindingKind::Unreachable, 31, &[
        "curl: (7) Failed to connect to a.test port 80: Connection refused", "Error: connect ECONNREFUSED 10.0.0.1:5432",
        "getaddrinfo ENOTFOUND a.test", "ssh: connect to host a.test port 22: Network is unreachable",
        "curl: (60) SSL certificate problem: self-signed certificate", "read: Connection reset by peer",
    ]),
    (FindingKind::AuthExpired, 53, &[
        "Error: the token has expired", "ExpiredToken: The security token included in the request is expired",
        "Your session has expired", "error: invalid_grant", "The SSO session associated with this profile has expired",
    ]),
    (FindingKind::AuthMissing, 45, &[
        "You are not logged in", "error: no credentials found", "Unable to locate credentials", "Please log in first",
        "npm error code ENEEDAUTH", "Error: login required", "missing API key",
    ]),
    (FindingKind::WrongVersion, 38, &[
        "requires rustc 1.80 or newer", "ERROR: Package 'a' requires a different Python: 3.8.1 not in '>=3.9'",
        "error a@1.0.0: The engine \"node\" is incompatible with this module.", "java.lang.UnsupportedClassVersionError: A",
    ]),
    (FindingKind::NoProject, 29, &[
        "fatal: not a git repository (or any of the parent directories): .git", "error: could not find `Cargo.toml` in `/srv`",
        "npm error enoent Could not read package.json", "Could not locate Gemfile", "error: No justfile found",
    ]),
    (FindingKind::NoProject, 29, &[
        "Error: This command is not available when running outside a workspace.",
        "Error: this can only be run in a service directory", "This command should be run from the root of your project.",
    ]),
    (FindingKind::InvalidValue, 14, &[
        "acme: -: invalid field specification 'run'", "error: the argument '--json' cannot be used with '--count'",
        "error: --ids and --group are mutually exclusive", "acme: error: argument --pdb: not allowed with argument -n",
        "Conflicting options: --restart and --rm.", "acme: You may not specify more than one of '-c' and '-x'",
        "--all and --one can not be used together", "-a and -b cannot be combined",
    ]),
    (FindingKind::MissingArgument, 54, &[
        "acme: missing destination file operand after 'run'", "acme: error: argument --filters: expected at least one argument",
        "- provide the argument `--zone` on the command line", "did you forget to specify a data file?",
    ]),
    (FindingKind::SurplusArgument, 54, &["\"acme run\" requires exactly 2 arguments."]),
    (FindingKind::UnknownSubcommand, 52, &["acme has no command named \"run\".", "Unknown lifecycle phase \"run\"."]),
    (FindingKind::AlreadyThere, 12, &[
        "Error response from daemon: network with name web already exists", "you made the named bucket and already own it",
        "a volume of that name already exists", "the container with name web already exists",
        "cannot re-use a name that is still in use",
    ]),
    (FindingKind::NoTerminal, 10, &["Error opening terminal: unknown."]),
    (FindingKind::NoDisplay, 64, &[
        "Looks like you launched a headed browser without having a XServer running.",
        "acme: no method available for opening 'report.html'",
    ]),
    (FindingKind::ScopeMissing, 74, &[
        "This operation needs the \"admin:public_key\" scope.", "denied: requested access to the resource is denied",
    ]),
    (FindingKind::BadConfig, 28, &[
        "fatal: bad config line 3 in file .git/config", "Failed to load config \"a\" to extend from.", "Invalid configuration",
    ]),
    (FindingKind::WrongPlatform, 27, &["bash: ./a: cannot execute binary file: Exec format error", "npm error code EBADPLATFORM"]),
    (FindingKind::RemoteAhead, 58, &[
        " ! [rejected]        main -> main (fetch first)", "hint: Updates were rejected because of a non-fast-forward",
    ]),
    (FindingKind::BadEncoding, 9, &[
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff", "error: stream did not contain valid UTF-8",
    ]),
];

#[test]
fn what_a_program_says_in_many_words_is_of_one_kind() {
    let mut wrong = Vec::new();
    for (kind, mode, words) in WORDINGS {
        let payloads: Vec<Value> = words.iter().map(|text| payload("acme run", 1, text)).collect();
        for (text, told) in words.iter().zip(modes(&payloads)) {
            let found: Vec<FindingKind> = findings_of_line(text).iter().map(|finding| finding.kind).collect();
            if told != Some(*mode) || !found.contains(kind) {
                wrong.push(format!("{kind:?}: `{text}`: {found:?}, §{told:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn payload(command: &str, code: i32, text: &str) -> Value {
    json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/app", "tool_name": "Bash",
        "tool_use_id": "t", "tool_input": { "command": command }, "error": format!("Exit code {code}\n{text}"),
    })
}

/// The first failure mode of each call.
fn modes(payloads: &[Value]) -> Vec<Option<u64>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    command.args(["diagnose", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let text: String = payloads.iter().map(|payload| payload.to_string() + "\n").collect();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let first = |line: &str| serde_json::from_str::<Value>(line).unwrap()["matches"][0]["failure_mode_id"].as_u64();
    answers.lines().map(first).collect()
}

/// The category, and the first strategy of a plan.
fn planned(payload: &Value) -> (Category, String) {
    let Asked::Calls(calls) = read(payload.to_string().as_bytes()).unwrap() else { panic!("{payload}") };
    let failed = Failed::asked(&calls[0]).unwrap();
    let (tools, past) = (Tools::of("Bash", None, false), PlanPast::default());
    let now = "2026-03-01T09:00:00.000Z";
    let made = plan(&PlanQuestion { failed: &failed, tools: &tools, looks: &Blind, past: &past, now, limit: 3 });
    (failed.reading.category, made.primary_strategy.map(|primary| primary.name).unwrap_or_default())
}

#[test]
fn everybody_takes_one_thing_for_the_same() {
    let mut wrong = Vec::new();
    for thing in THINGS {
        let payloads: Vec<Value> =
            thing.words.iter().map(|(command, code, text)| payload(command, *code, text)).collect();
        for ((payload, mode), (_, _, text)) in payloads.iter().zip(modes(&payloads)).zip(thing.words) {
            let (category, strategy) = planned(payload);
            let other = findings(text).into_iter().find(|found| found.kind != thing.kind);
            let agrees = Some(category) == thing.kind.category()
                && mode == Some(thing.mode)
                && thing.strategies.contains(&&*strategy)
                && other.is_none();
            if !agrees {
                wrong.push(format!("{:?}: `{text}`: {category:?}, §{mode:?}, {strategy}, {other:?}", thing.kind));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
