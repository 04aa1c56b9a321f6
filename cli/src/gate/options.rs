//! Options and variables by the kind of their value: what may be told with it, what hides a secret, and what starts, fetches,
//! sends, configures or opens something.

use super::word::{is_harmless_value, is_random};
use super::{GateContext, GateReason, judged_value};
use crate::programs::{self, Trait, reach};

/// What an option takes, or does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionKind {
    /// A value of a harmless kind.
    Harmless,
    /// The same, where that is a name: a file in its place is code that is loaded.
    Loads,
    /// No value: whatever follows stands for itself.
    Switch,
    /// Nobody knows.
    Unknown,
    /// Letters, of which the last one may take a value.
    Letters,
    /// A secret.
    Secret,
    /// It does something that nobody is told of by itself.
    Acts(GateReason),
}

impl OptionKind {
    /// Whether the option alone may leave.
    pub(super) fn alone(self) -> Result<(), GateReason> {
        if let Self::Acts(why) = self { Err(why) } else { Ok(()) }
    }

    /// Whether a value of it may leave.
    pub(super) fn value(self, value: &str, context: &GateContext<'_>) -> Result<(), GateReason> {
        match self {
            Self::Acts(_) if is_random(value, context) => Err(GateReason::Random),
            Self::Acts(why) => Err(why),
            Self::Loads if is_loadable(value) => Err(GateReason::Starts),
            Self::Harmless | Self::Loads => judged_value(value, context),
            Self::Switch | Self::Unknown | Self::Letters if is_harmless_value(value) => Ok(()),
            Self::Switch | Self::Unknown | Self::Letters if context.knows(value) => judged_value(value, context),
            Self::Secret | Self::Switch | Self::Unknown | Self::Letters => Err(GateReason::UnknownValue),
        }
    }

    /// Whether the next word stands for itself: behind a switch, and behind letters of a program that is known.
    pub(super) fn is_flag(self, is_known: bool) -> bool {
        self == Self::Switch || is_known && matches!(self, Self::Unknown | Self::Letters)
    }

    /// Whether a small value of it says nothing: `CI=1`.
    pub(super) fn is_silent(self) -> bool {
        !matches!(self, Self::Secret | Self::Acts(_))
    }

    /// The value that is written behind the letter: `-n3`. None where there is none, or letters only.
    pub(super) fn attached(self, word: &str) -> Option<&str> {
        let rest = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        if !matches!(self, Self::Letters | Self::Harmless | Self::Unknown) || LONG_LETTERS.contains(&rest) {
            return None;
        }
        let value = rest.char_indices().nth(1).and_then(|(at, _)| rest.get(at..)).filter(|value| !value.is_empty())?;
        let is_cluster = rest.len() <= CLUSTER && rest.bytes().all(|byte| byte.is_ascii_alphabetic());
        (!is_cluster).then_some(value)
    }
}

/// The most letters that are written behind one dash.
const CLUSTER: usize = 4;

/// Words behind one dash that are no letters.
#[rustfmt::skip]
const LONG_LETTERS: &[&str] = &[
    "allowempty", "cmd", "configuration", "destination", "reconfigure", "scheme", "upgrade", "bench", "benchmem", "count",
    "cover", "coverprofile", "cpuprofile", "delete", "depth", "empty", "exec", "fuzz", "include", "iname", "ipath", "json",
    "maxdepth", "mindepth", "mmin", "mod", "mtime", "name", "newer", "not", "only", "parallel", "path", "perm", "print",
    "print0", "prune", "quiet", "race", "regex", "run", "short", "size", "skip", "tags", "timeout", "trimpath", "type",
    "verbose", "version", "help", "vet", "work", "cpu", "out", "var-file", "no-color", "target", "input", "lock",
    "refresh", "classpath", "source", "release", "Xlint", "std",
];

/// Last words of options whose value is harmless: a name, a number, a choice, a path of the project.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "after", "age", "arch", "architecture", "base", "before", "bench", "bin", "branch", "bytes", "case", "cases",
    "category", "chdir", "class", "color", "colour", "column", "columns", "commit", "component", "concurrency",
    "container", "context", "count", "cov", "cwd", "database", "date", "days", "db", "dbname", "delay", "depth", "dest",
    "diff", "dir", "directory", "distribution", "edition", "encoding", "environment", "example", "exclude", "expr",
    "expression", "ext", "extensions", "feature", "features", "field", "fields", "file", "files", "filter", "fix",
    "folder", "format", "from", "generator", "glob", "goal", "grep", "group", "head", "height", "ignore", "include",
    "indent", "input", "interval", "iterations", "jobs", "json", "kind", "label", "labels", "lang", "language", "length",
    "level", "lib", "limit", "line", "lines", "locale", "match", "maxdepth", "maxfail", "maxdepth", "message", "method",
    "mindepth", "mode", "module", "modules", "name", "names", "namespace", "newer", "number", "offset", "omit", "only",
    "order", "out", "outdir", "outfile", "output", "outputs", "package", "packages", "page", "parallel", "parallelism",
    "path", "paths", "pattern", "pkg", "platform", "port", "precision", "prefix", "preset", "priority", "profile",
    "project", "projects", "purpose", "python", "range", "rate", "ref", "regexp", "region", "report", "reporter",
    "reporters", "repo", "retries", "retry", "rev", "revision", "root", "rootdir", "rule", "rules", "run", "runs", "scale",
    "schema", "scope", "section", "seed", "select", "selector", "service", "severity", "shard", "since", "size", "skip",
    "sort", "source", "spec", "src", "stage", "start", "state", "status", "std", "style", "suffix", "suite", "table",
    "tables", "tag", "tags", "target", "targets", "task", "template", "test", "tests", "theme", "threads", "threshold",
    "times", "timeout", "to", "tool", "toolchain", "top", "type", "unit", "until", "verbosity", "version", "wait", "watch",
    "width", "workers", "workspace", "workspaces", "years", "zone", "race", "std", "mtime", "perm", "iname", "regex",
    "cpu", "mod",
];

/// Last words of options whose value is a name that is looked up, or the file of code that is loaded in its place.
#[rustfmt::skip]
const LOADS: &[&str] = &[
    "environment", "format", "formatter", "generator", "parser", "preset", "provider", "renderer", "reporter", "reporters",
    "snapshot-resolver", "template", "theme", "transport", "watcher",
];

/// Options that take no value, besides all that begin with `no-`, `all`, `with-`, `dry`, `show-`, `print-` and `keep-`.
#[rustfmt::skip]
const SWITCHES: &[&str] = &[
    "abbrev-commit", "amend", "archived", "autostash", "bail", "bare", "benches", "bins", "brief", "build", "cached",
    "cached", "check", "ci", "clean", "coverage", "debug", "detach", "doc", "draft", "ease", "exact", "examples",
    "exclude-standard", "exit-code", "exit-status", "ff-only", "fixed-strings", "follow", "fresh", "frozen",
    "frozen-lockfile", "graph", "help", "hidden", "human-readable", "immutable", "initial", "inplace", "interactive",
    "invert-match", "lib", "list", "locked", "long", "merged", "name-only", "name-status", "noEmit", "noemit", "null",
    "numstat", "offline", "oneline", "others", "pass-with-no-tests", "patch", "porcelain", "prod", "production",
    "progress", "pull", "quiet", "rebase", "recurse-submodules", "recursive", "release", "remove-orphans", "runInBand",
    "save-dev", "serial", "shallow", "short", "shortstat", "silent", "single-run", "staged", "stat", "strict", "summary",
    "tests", "tree", "typecheck", "unified", "unshallow", "untracked", "update", "verbose", "version", "wait", "watch",
    "web", "word-regexp", "workspace", "yes",
];

/// What options do, by their whole name or, with `*`, by its beginning. The first row that fits decides.
#[rustfmt::skip]
const ACTS: &[(GateReason, &[&str])] = &[
    (GateReason::Starts, &[
        "upload-pack", "receive-pack", "exec", "exec-*", "execpath", "execdir", "build-and-test", "ok", "okdir", "rsh", "rsh-*", "pager",
        "editor", "ext-diff", "extcmd", "open-files-in-pager", "init-file", "rcfile", "require", "import", "loader",
        "*-loader", "plugin", "plugin-*", "plugins", "*-plugin", "*-plugins", "preload", "load", "load-*", "eval",
        "script-shell", "shell", "node-options", "to-command", "checkpoint-action", "use-compress-program", "hook",
        "hook-*", "hooks-*", "*-hook", "on-*", "command", "cmd", "*-cmd", "*-command", "entrypoint", "interpreter",
        "browser", "viewer", "runner", "testrunner", "test-runner", "test-environment", "testenvironment", "resolver",
        "transform", "setup-file*", "setupfiles*", "global-setup", "globalsetup", "init-script", "javaagent", "agentpath",
        "agentlib", "rust-cmd", "wrapper", "*-wrapper", "proxycommand*", "oproxycommand*", "olocalcommand*", "pre",
        "opermitlocalcommand*", "code", "script", "fsmonitor", "ext", "extension", "load-extension", "compiler", "linker",
        "preprocess*", "filter-process", "run-command", "builder",
    ]),
    (GateReason::Fetches, &[
        "registry", "*-registry", "index-url", "extra-index-url", "default-index", "index", "find-links", "repository",
        "mirror", "*-mirror", "proxy", "*-proxy", "channel", "with", "with-*requirements", "url", "*-url", "uri", "*-uri",
        "download-*", "fetch-*", "remote-*", "templates-from", "install-url", "trusted-host", "add-source", "channels",
    ]),
    (GateReason::Uploads, &[
        "upload", "upload-*", "*-upload", "post-file", "post-data", "data", "data-*", "body-file", "form", "form-string",
        "push", "publish", "publish-*", "send", "send-*", "webhook*", "*-webhook", "endpoint", "*-endpoint", "host",
        "hostname", "server", "*-server", "address", "*-address", "bind", "listen", "report-to", "tunnel", "expose",
        "cache-to", "*-webhook-url",
    ]),
    (GateReason::Configures, &[
        "config", "config-*", "*-config", "configfile", "configuration", "kubeconfig", "kube-context", "settings",
        "settings-*", "*-settings", "userconfig", "globalconfig", "rc", "conf", "*-conf", "env", "env-file", "env-var",
        "setenv", "set", "define", "include-path", "git-dir", "work-tree", "template-dir", "core.*", "option", "override*",
        "inventory", "defaults-file", "defaults-extra-file", "alias", "mcp-config", "system-prompt*",
        "append-system-prompt", "prompt", "instructions", "policy", "chdir-root", "import-map", "values", "var-file",
    ]),
    (GateReason::Opens, &[
        "permission*", "dangerously*", "allow", "allow-*", "allowed*", "disallowed*", "add-dir", "yolo", "full-auto",
        "bypass*", "trust", "trust-*", "trusted*", "volume", "volumes", "volumes-from", "mount", "privileged", "cap-add",
        "cap-drop", "device", "devices", "pid", "network", "net", "ipc", "userns", "uts", "security-opt", "group-add",
        "cgroupns", "gpus", "no-sandbox", "disable-sandbox", "sandbox", "insecure*", "unsafe*", "as", "as-group",
        "impersonate*", "become*", "elevate*", "cors*", "approval*", "ask-for-approval", "auto-approve", "grant*", "acl",
        "chmod", "owner", "setuid", "skip-permission*", "share", "public", "no-verify*", "approval-mode", "accept-edits",
        "experimental-permission*",
    ]),
];

/// Options of one letter whose value is harmless, whatever the program.
const LETTERS: &str = "ABCEFLNOSTdfgijlmnorsx";
/// The same for programs that are known.
const LETTERS_OF_KNOWN: &str = "Dbhkpqtvwyz";

/// Parts of names whose value is a secret.
#[rustfmt::skip]
const SECRETS: &[&str] = &[
    "pass", "passwd", "password", "passphrase", "passcode", "pwd", "pw", "secret", "secrets", "token", "tokens", "key",
    "keys", "apikey", "auth", "authorization", "credential", "credentials", "cred", "creds", "cookie", "cookies",
    "session", "otp", "totp", "pin", "cert", "certificate", "signature", "sig", "salt", "seed-phrase", "mnemonic", "user",
    "username", "login", "account", "header", "headers", "value", "license", "licence", "dsn", "connection", "body",
    "bearer", "jwt", "code", "psk", "sshpass", "pgpassword", "client-id", "webhook", "invite", "recovery", "private",
];

/// Last words of options that are no longer harmless alone, whatever their value: they leave something out of a check, take it
/// from elsewhere, name another place or person, or change more than what the call was for.
#[rustfmt::skip]
const REACHING: &[&str] = &[
    "amend", "clean", "context", "database", "db", "dbname", "environment", "exclude", "fix", "fresh", "from",
    "ignore", "initial", "inplace", "interactive", "module", "modules", "omit", "only", "package", "packages",
    "pass-with-no-tests", "prod", "production", "profile", "project", "projects", "pull", "rebase", "region",
    "remove-orphans", "repo", "rule", "rules", "save-dev", "service", "skip", "source", "template", "tool", "toolchain",
    "untracked", "update", "yes", "zone",
];

/// How options begin that only say what is shown, and what may stand behind `no-` in such ones.
const SHOWN: &[&str] = &["all-", "dry", "show-", "print-", "list-"];
#[rustfmt::skip]
const LEFT_OUT: &[&str] = &[
    "ansi", "banner", "bail", "browser", "build", "color", "colour", "daemon", "edit", "emit", "ext-diff", "fail-fast",
    "header", "heading", "incremental", "input", "install", "merges", "open", "pager", "patch", "progress", "renames",
    "restore", "stat", "stream", "summary", "trunc", "wait", "watch",
];
/// Letters that mean the same to nearly all programs: verbose, quiet, a number, a list, jobs, help.
const USUAL_LETTERS: &str = "vqnljh";

/// Words that say what a script, a target or a subcommand does to more than the project's own build.
#[rustfmt::skip]
const DEEDS: &[&str] = &[
    "admin", "bypass", "charge", "expose", "public", "trust", "unlock", "clean", "cleanup", "clear", "deploy", "destroy", "delete", "disable", "drop", "flush",
    "force", "insecure", "kill", "live", "notify", "nuke", "ours", "pay", "prod", "production", "prune", "publish", "purge",
    "release", "remove", "reset", "revert", "rollback", "send", "ship", "skip", "stop", "theirs", "truncate", "undo",
    "uninstall", "unpublish", "unsafe", "upload", "wipe",
];

/// Whether an option says no more than its call did: the tool's own help explains it so, or its name is of a harmless kind.
/// All others are a person's to tell.
pub(super) fn is_harmless_option(program: &str, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let bare = name.trim_start_matches('-');
    if bare.is_empty() || reach::explains(program, name) {
        return true;
    }
    let is_long = name.starts_with("--") || LONG_LETTERS.contains(&bare);
    if is_long {
        let words = kebab(bare);
        let last = words.rsplit('-').next().unwrap_or_default();
        let is_switch = [words.as_str(), bare].iter().any(|name| SWITCHES.contains(name) && !REACHING.contains(name));
        let is_shown = words == "all" || SHOWN.iter().any(|begin| words.starts_with(begin));
        return match words.strip_prefix("no-") {
            Some(rest) => LEFT_OUT.contains(&rest),
            None => is_switch || is_shown || HARMLESS.contains(&last) && !REACHING.contains(&last),
        };
    }
    let letters = bare.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let is_explained = reach::is_explained(program);
    // What stands behind the first letter may be its value.
    let has_value = letters.len() < bare.len();
    letters.chars().take(if has_value { 1 } else { CLUSTER }).all(|letter| {
        reach::explains(program, &format!("-{letter}")) || !is_explained && USUAL_LETTERS.contains(letter)
    }) && letters.len() <= CLUSTER
}

/// Whether a word of a call names a deed that reaches further than the project's own work: `test:skip`, `dbdrop`.
pub(super) fn is_deed(word: &str) -> bool {
    let is_one = |part: &str| {
        DEEDS.iter().any(|deed| part == *deed || deed.len() >= LONG_DEED && part.ends_with(deed) && part != "preset")
    };
    !word.contains(['/', '.', '=', '{']) && kebab(word).split(|sign: char| !sign.is_ascii_alphabetic()).any(is_one)
}

/// The shortest deed that is seen at the end of a longer word.
const LONG_DEED: usize = 4;

/// How options begin that take no value.
const BEGINNINGS: &[&str] = &["no-", "all", "without-", "dry", "show-", "print-", "keep-", "only-", "list-", "skip-"];

/// Last words of variables that start programs or load code: `LD_PRELOAD`, `NODE_OPTIONS`, `PAGER`.
const STARTS: &[&str] =
    &["preload", "options", "opts", "command", "cmd", "pager", "editor", "shell", "browser", "path"];

/// What an option of a call is; `called` are the program and its words so far.
pub(super) fn option_kind(called: &str, word: &str) -> OptionKind {
    let program = called.split(' ').next().unwrap_or_default();
    let name = word.split('=').next().unwrap_or(word);
    let bare = name.trim_start_matches('-');
    let is_long = name.starts_with("--") || LONG_LETTERS.contains(&bare) || bare.len() > CLUSTER && !is_count(bare);
    if bare.is_empty() {
        return OptionKind::Switch;
    }
    if !is_long {
        return kind_of_letters(program, bare);
    }
    let words = kebab(bare);
    if let Some((why, _)) = ACTS.iter().find(|(_, names)| names.iter().any(|row| fits_row(row, &words))) {
        return OptionKind::Acts(*why);
    }
    let loads = words.rsplit('-').next().is_some_and(|last| LOADS.contains(&last));
    if loads {
        return OptionKind::Loads;
    }
    if words.split('-').any(|part| SECRETS.contains(&part)) {
        return if words.starts_with("no-") { OptionKind::Switch } else { OptionKind::Secret };
    }
    if SWITCHES.contains(&words.as_str()) || BEGINNINGS.iter().any(|begin| words.starts_with(begin)) {
        // Some are both: a value that is written with the sign is one.
        return if word.contains('=') && is_harmless(&words) { OptionKind::Harmless } else { OptionKind::Switch };
    }
    if name.starts_with("--") || LONG_LETTERS.contains(&bare) {
        return if is_harmless(&words) { OptionKind::Harmless } else { OptionKind::Unknown };
    }
    OptionKind::Letters
}

fn is_harmless(words: &str) -> bool {
    let last = words.rsplit('-').next().unwrap_or_default();
    HARMLESS.contains(&last) || HARMLESS.iter().any(|kind| kind.len() > 4 && last.ends_with(kind))
}

/// Whether a value leads to a file of code.
fn is_loadable(value: &str) -> bool {
    #[rustfmt::skip]
    const ENDINGS: &[&str] =
        &[
        ".js", ".cjs", ".mjs", ".ts", ".mts", ".py", ".rb", ".so", ".dll", ".dylib", ".php", ".lua", ".sh", ".jar",
    ];
    value.contains('/') || ENDINGS.iter().any(|ending| value.ends_with(ending))
}

fn is_count(bare: &str) -> bool {
    bare.bytes().skip(1).all(|byte| byte.is_ascii_digit())
}

fn kind_of_letters(program: &str, bare: &str) -> OptionKind {
    let program = programs::find(program).map_or(program, |known| known.words);
    if let Some(why) = reach::of_letters(program, bare) {
        return OptionKind::Acts(why);
    }
    let is_known = programs::find(program).is_some_and(|known| !known.has(Trait::Elevates))
        && !reach::TAKE_SECRETS.contains(&program);
    match bare.chars().next() {
        // Behind several letters the last one may take a value, and nobody knows which.
        _ if bare.len() > 1 => OptionKind::Letters,
        Some(letter) if LETTERS.contains(letter) && !reach::TAKE_SECRETS.contains(&program) => OptionKind::Harmless,
        Some(letter) if is_known && LETTERS_OF_KNOWN.contains(letter) => OptionKind::Harmless,
        _ => OptionKind::Letters,
    }
}

/// What a variable's value is.
pub(super) fn kind_of_variable(name: &str) -> OptionKind {
    /// Variables that may be told with their value.
    #[rustfmt::skip]
    const TOLD: &[&str] = &[
        "ci", "node-env", "rust-backtrace", "rust-log", "force-color", "no-color", "debian-frontend", "python-path",
        "pythonpath", "tz", "lang", "lc-all", "cargo-incremental", "goos", "goarch", "goflags", "cgo-enabled", "term",
        "columns", "rails-env", "rack-env", "app-env", "django-settings-module", "flask-app", "flask-env", "mix-env",
        "env", "debug", "verbose", "cargo-target-dir", "pythonunbuffered", "pytest-addopts", "stage", "target", "profile",
        "mode", "arch", "platform", "cargo-term-color", "no-update-notifier", "make", "v", "fast", "test", "tests",
        "build-type", "release", "update",
    ];
    let words = kebab(name);
    let last = words.rsplit('-').next().unwrap_or_default();
    if words.split('-').any(|part| SECRETS.contains(&part)) {
        return OptionKind::Secret;
    }
    if TOLD.contains(&words.as_str()) {
        return OptionKind::Harmless;
    }
    match last {
        last if STARTS.contains(&last) => OptionKind::Acts(GateReason::Starts),
        "proxy" | "registry" | "url" | "host" | "mirror" => OptionKind::Acts(GateReason::Fetches),
        "config" | "kubeconfig" | "home" | "rc" | "fsmonitor" => OptionKind::Acts(GateReason::Configures),
        _ => OptionKind::Unknown,
    }
}

/// Words behind which everything may be a secret.
pub(super) fn takes_a_secret(word: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "login", "log-in", "signin", "sign-in", "auth", "authenticate", "authorize", "unlock", "unseal", "token", "tokens",
        "passwd", "password", "secret", "secrets", "credential", "credentials", "apikey", "api-key", "set-password", "otp",
        "enroll", "activate-license", "set-token", "set-secret", "set-key", "add-key", "add_user", "change_password",
        "adduser", "useradd", "requirepass", "authtoken", "add-authtoken", "signup", "connect-token", "set-hash",
        "putsecret",
    ];
    let last = word.rsplit([':', '/']).next().unwrap_or(word).to_ascii_lowercase();
    (WORDS.contains(&word.to_ascii_lowercase().as_str())) || word.contains(':') && WORDS.contains(&last.as_str())
}

/// Whether a word of a call begins a session or joins something: what stands behind it may be what lets one in.
pub(super) fn is_entry(word: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "activate", "attach", "claim", "connect", "enroll", "enter", "init", "join", "link", "open", "pair", "redeem", "register",
        "session", "subscribe",
    ];
    word.split([':', '-', '_']).any(|part| WORDS.contains(&part))
}

/// Whether a word is one of calls and settings, and no secret of somebody's.
pub(super) fn is_common(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    is_subcommand(&word)
        || is_harmless_value(&word)
        || [HARMLESS, SWITCHES, DEEDS, SCRIPTS].iter().any(|words| words.contains(&word.as_str()))
        || programs::find(&word).is_some()
}

/// Words of scripts, targets and subcommands.
#[rustfmt::skip]
const SCRIPTS: &[&str] = &[
    "api", "app", "assets", "bootstrap", "bundle", "ci", "codegen", "compile", "create", "data", "dev", "dist", "doc", "docs", "down",
    "e2e", "export", "fetch", "fmt", "format", "gen", "generate", "image", "index", "init", "install", "integration", "lint", "load",
    "local", "main", "migrate", "open", "packages", "prepare", "proto", "prebuild", "restart", "scripts", "seed", "serve", "server", "setup",
    "style", "sync", "tools", "types", "typecheck", "up", "use", "validate", "verify", "web",
];

/// Words that name what is done with settings, and are no values of one.
pub(super) fn is_subcommand(word: &str) -> bool {
    matches!(word, "set" | "get" | "list" | "add" | "delete" | "unset" | "edit")
}

/// Words of a name in small letters with dashes between: `testNamePattern`, `LD_PRELOAD`.
fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut was_small = false;
    for sign in name.chars() {
        if sign == '_' || sign == '.' && !out.is_empty() && !name.starts_with("core.") {
            out.push('-');
        } else {
            if sign.is_ascii_uppercase() && was_small {
                out.push('-');
            }
            out.push(sign.to_ascii_lowercase());
        }
        was_small = sign.is_ascii_lowercase() || sign.is_ascii_digit();
    }
    out
}

/// Whether a name fits a row: as a whole, by its beginning or by its end.
fn fits_row(row: &str, name: &str) -> bool {
    match (row.strip_prefix('*'), row.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(beginning)) => name.starts_with(beginning),
        _ => row == name,
    }
}
