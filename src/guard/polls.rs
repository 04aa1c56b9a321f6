//! Commands that ask for a state until it is as wished: a status, a probe, a wait. They fail many times before they pass.

use crate::shell::{Nesting, Script};

/// Programs that ask or wait, whatever their words.
pub const PROGRAMS: &[&str] = &[
    "sleep",
    "wait",
    "watch",
    "test",
    "[",
    "[[",
    "ping",
    "nc",
    "ncat",
    "telnet",
    "dig",
    "host",
    "nslookup",
    "curl",
    "wget",
    "http",
    "xh",
    "grpc_health_probe",
    "grpcurl",
    "pg_isready",
    "mysqladmin",
    "redis-cli",
    "wait-for-it",
    "wait-for-it.sh",
    "wait-for",
    "wait-on",
    "dockerize",
    "inotifywait",
    "ps",
    "pgrep",
    "pidof",
    "lsof",
    "ss",
    "netstat",
    "jobs",
    "journalctl",
    "squeue",
    "sacct",
    "uptime",
];

/// Subcommands that ask or wait.
pub const SUBCOMMANDS: &[(&str, &[&[&str]])] = &[
    ("git", &[&["ls-remote"], &["fetch"], &["status"]]),
    ("gh", &[&["run"], &["pr", "checks"], &["pr", "view"], &["pr", "status"], &["workflow"], &["api"]]),
    ("glab", &[&["ci"], &["pipeline"], &["mr", "view"], &["api"]]),
    ("docker", &[&["ps"], &["inspect"], &["logs"], &["wait"], &["info"], &["container"], &["compose", "ps"]]),
    ("podman", &[&["ps"], &["inspect"], &["logs"], &["wait"], &["info"]]),
    ("kubectl", &[&["get"], &["describe"], &["wait"], &["rollout"], &["logs"], &["top"], &["cluster-info"]]),
    ("oc", &[&["get"], &["describe"], &["wait"], &["rollout"], &["logs"]]),
    ("helm", &[&["status"], &["list"]]),
    ("argocd", &[&["app", "wait"], &["app", "get"]]),
    ("flux", &[&["get"]]),
    ("systemctl", &[&["status"], &["is-active"], &["is-failed"], &["show"], &["is-system-running"]]),
    ("supervisorctl", &[&["status"]]),
    ("pm2", &[&["status"], &["list"], &["ls"], &["describe"]]),
    ("tmux", &[&["capture-pane"], &["has-session"], &["list-sessions"], &["ls"]]),
    ("vercel", &[&["inspect"], &["ls"]]),
    ("fly", &[&["status"]]),
    ("flyctl", &[&["status"]]),
    ("heroku", &[&["ps"], &["releases"]]),
    ("nomad", &[&["status"], &["job", "status"], &["alloc"]]),
    ("adb", &[&["devices"], &["wait-for-device"]]),
];

/// Programs of clouds: a word in them makes a question, wherever it stands.
pub const CLOUDS: &[&str] = &["aws", "gcloud", "az", "doctl"];
/// Those words, also as the beginning of a subcommand: `describe-instances`.
pub const CLOUD_WORDS: &[&str] = &["describe", "get", "list", "show", "wait", "status", "logs", "tail"];

/// Whether a line asks for a state that changes by itself, or waits for one.
pub(super) fn is_poll(script: &Script) -> bool {
    let loops = script.pipelines.iter().any(|pipeline| pipeline.nesting == Nesting::Loop);
    loops || script.programs().any(|(_, command)| asks(command))
}

fn asks(command: &crate::shell::Command) -> bool {
    let program = command.program.as_str();
    if PROGRAMS.contains(&program) {
        return true;
    }
    if CLOUDS.contains(&program) {
        let is_question = |word: &str| CLOUD_WORDS.contains(&word.split('-').next().unwrap_or_default());
        return command.subcommands().any(is_question);
    }
    SUBCOMMANDS.iter().filter(|(name, _)| *name == program).any(|(_, questions)| {
        questions.iter().any(|words| {
            let mut own = command.subcommands();
            words.iter().all(|word| own.next() == Some(word))
        })
    })
}
