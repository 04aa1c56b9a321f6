//! Calls of which it matters what they do to whoever waits for them: a program, its words, and the options that make the
//! difference.

/// A call: its words as [`crate::shell::Command::runs`] takes them, and options that it has to have or may not have.
#[derive(Debug)]
pub struct Call {
    /// Each a program and its subcommand.
    pub words: &'static [&'static str],
    /// One of these is given; any call where there are none.
    pub with: &'static [&'static str],
    /// And one of these.
    pub also: &'static [&'static str],
    /// None of these is given.
    pub without: &'static [&'static str],
}

const fn calls(words: &'static [&'static str]) -> Call {
    Call { words, with: &[], also: &[], without: &[] }
}

impl Call {
    const fn with(mut self, options: &'static [&'static str]) -> Self {
        self.with = options;
        self
    }

    const fn also(mut self, options: &'static [&'static str]) -> Self {
        self.also = options;
        self
    }

    const fn without(mut self, options: &'static [&'static str]) -> Self {
        self.without = options;
        self
    }
}

const SCRIPTED: &[&str] = &["-es", "-Es", "--headless", "--batch", "-batch", "--script", "-s"];
const MESSAGES: &[&str] = &[
    "-m",
    "--message",
    "-F",
    "--file",
    "-C",
    "--reuse-message",
    "--no-edit",
    "--fixup",
    "--squash",
    "--dry-run",
    "-am",
    "-t",
];
const EDIT: &[&str] = &["-e", "--edit"];

/// Calls that open an editor.
pub const EDITS: &[Call] = &[
    calls(&["git commit"]).without(MESSAGES),
    calls(&["git rebase"]).with(&["-i", "--interactive"]),
    calls(&["git rebase --continue"]).without(&["--no-edit"]),
    calls(&["git tag"]).with(&["-a", "--annotate", "-s"]).without(&["-m", "--message", "-F", "--file"]),
    calls(&["git notes add"]).without(&["-m", "-F", "--message", "--file", "-C"]),
    calls(&["git revert"]).without(&["--no-edit", "-n", "--no-commit"]),
    calls(&["git merge"]).with(&["--no-ff", "--edit", "-e"]).without(&["--no-edit", "-m", "-F"]),
    calls(&["git config", "git add"]).with(EDIT),
    calls(&["git cherry-pick"]).with(EDIT),
    calls(&["git branch --edit-description"]),
    calls(&["crontab"]).with(&["-e"]),
    calls(&["visudo", "vipw", "vigr", "sudoedit", "oc edit"]),
    calls(&["kubectl edit", "systemctl edit", "ansible-vault edit", "ansible-vault create"]),
    calls(&["hg commit"]).without(&["-m", "--message", "-l"]),
    calls(&["svn commit"]).without(&["-m", "--message", "-F"]),
    calls(&["jj describe"]).without(&["-m", "--message", "--stdin"]),
    calls(&["code"]).with(&["--wait", "-w"]),
    calls(&["npm edit"]),
    calls(&["npm config edit", "rails credentials:edit"]),
    calls(&[
        "vi", "vim", "nvim", "nano", "emacs", "pico", "micro", "joe", "ed", "helix", "hx", "kak", "ne", "mcedit",
        "jed", "vimdiff", "nvi", "view", "ex",
    ])
    .without(SCRIPTED),
];

const NO_PAGE: &[&str] = &["--version", "--help", "-f", "-k", "-w", "-P", "--where", "-E", "-X", "-F", "-FX"];

/// Programs that show a page and wait for a key.
pub const PAGERS: &[Call] = &[calls(&["less", "more", "most", "man", "pg", "info", "perldoc", "lv"]).without(NO_PAGE)];

/// Programs that show what they print in a pager of their own.
pub const OWN_PAGERS: &[Call] = &[
    calls(&["journalctl"]).without(&["--no-pager", "-f", "--follow"]),
    calls(&["systemctl status", "systemctl list-units", "timedatectl"]).without(&["--no-pager"]),
];

/// Calls that open a window or a browser.
pub const WINDOWS: &[Call] = &[
    calls(&[
        "xdg-open",
        "open",
        "firefox",
        "chromium",
        "xterm",
        "gedit",
        "eog",
        "feh",
        "evince",
        "gnome-open",
        "xeyes",
        "xclock",
        "gimp",
        "inkscape",
        "display",
        "okular",
        "kate",
        "wslview",
        "start",
        "safari",
        "mousepad",
        "zathura",
        "mpv",
        "vlc",
        "gitk",
        "gitg",
        "wireshark",
        "meld",
        "webbrowser",
        "git gui",
        "npm docs",
        "npm repo",
        "npm bugs",
        "gh browse",
        "rustup doc",
    ]),
    calls(&[
        "google-chrome",
        "chromium-browser",
        "sensible-browser",
        "x-www-browser",
        "explorer.exe",
        "git difftool",
        "git mergetool",
        "cargo doc --open",
        "go tool pprof",
        "python -m webbrowser",
        "python -m turtledemo",
        "python -m idlelib",
        "playwright codegen",
        "playwright show-report",
        "cypress open",
    ]),
    calls(&["gh", "cargo", "vite", "storybook", "playwright", "jupyter"]).with(&["--web", "--open", "--browser"]),
];

/// Calls that wait for work that runs elsewhere.
pub const WAITS_ELSEWHERE: &[Call] = &[
    calls(&["cdk deploy", "fly deploy"]),
    calls(&[
        "gh run watch",
        "gh pr checks --watch",
        "kubectl wait",
        "kubectl rollout status",
        "argocd app wait",
        "aws cloudformation wait",
        "aws ec2 wait",
        "aws ecs wait",
        "aws rds wait",
        "gcloud builds submit",
        "oc rollout status",
        "docker wait",
        "helm install --wait",
        "helm upgrade --wait",
        "az deployment",
        "az acr build",
        "nomad job run",
        "flyctl deploy",
    ]),
];

/// Calls that destroy what cannot be had again.
pub const DESTROYS: &[Call] = &[
    calls(&["rm"]).with(&["-rf", "-fr", "-Rf", "-fR", "--recursive"]),
    calls(&["git clean"]),
    calls(&["git reset --hard"]),
    calls(&["git push"]).with(&["--force", "-f", "--delete", "--mirror"]),
    calls(&["oc delete", "dropdb", "shred", "wipefs", "mkfs"]),
    calls(&[
        "kubectl delete",
        "terraform destroy",
        "tofu destroy",
        "pulumi destroy",
        "cdk destroy",
        "docker prune",
        "docker system prune",
        "docker volume prune",
        "docker image prune",
        "docker container prune",
        "podman system prune",
        "podman volume prune",
        "redis-cli flushall",
        "redis-cli flushdb",
    ]),
];

/// Calls that walk a tree and follow the links in it.
pub const FOLLOWS_LINKS: &[Call] = &[
    calls(&["find"]).with(&["-L", "-follow"]),
    calls(&["grep", "egrep", "fgrep"]).with(&["-R", "--dereference-recursive"]),
    calls(&["ls"]).with(&["-R"]).also(&["-L"]),
    calls(&["cp"]).with(&["-r", "-R"]).also(&["-L"]),
    calls(&["du"]).with(&["-L"]),
    calls(&["tree"]).with(&["-l"]),
    calls(&["rsync"]).with(&["-L", "--copy-links"]),
    calls(&["rg", "fd", "ag"]).with(&["-L", "--follow"]),
    calls(&["tar"]).with(&["-h", "--dereference"]),
    calls(&["zip"]).with(&["-r"]).without(&["-y", "--symlinks"]),
];

/// Calls that only show what they would run, by words of their own.
pub const DRY_RUNS: &[Call] = &[calls(&["make"]).with(&["-n", "--just-print"])];

/// Calls that empty a whole database.
pub const EMPTIES: &[Call] = &[calls(&["redis-cli"]).with(&["flushall", "flushdb", "FLUSHALL", "FLUSHDB"])];

const READS: &[&str] = &[
    "--get",
    "--get-all",
    "--get-regexp",
    "--list",
    "-l",
    "get",
    "list",
    "--show-origin",
    "--unset",
    "--local",
    "unset",
    "--project",
    "--location=project",
    "-L",
];

/// Calls that write a setting of the user, which every later session meets.
pub const SETS_FOR_ALL: &[Call] = &[
    calls(&["git config"]).with(&["--global", "--system"]).without(READS),
    calls(&["npm set", "go env -w", "nvm alias"]).without(READS),
    calls(&[
        "composer config --global",
        "npm config set",
        "pip config set",
        "aws configure set",
        "gcloud config set",
        "docker context use",
        "gh config set",
        "conda config",
        "yarn config set",
        "pnpm config set",
        "poetry config",
        "kubectl config set",
        "kubectl config use-context",
        "az configure",
        "az config set",
        "flutter config",
        "brew analytics",
        "rustup default",
        "git lfs install",
        "helm repo add",
        "dotnet nuget add",
        "gem sources",
        "bundle config set",
        "pyenv global",
    ])
    .without(READS),
];

/// Calls that switch what later ones act on.
pub const SWITCHES: &[Call] = &[
    calls(&["kubectx", "nvm use"]),
    calls(&[
        "kubectl config use-context",
        "kubectl config set-context",
        "gcloud config set",
        "gcloud config configurations activate",
        "aws sso login",
        "az account set",
        "docker context use",
        "gh auth switch",
        "terraform workspace select",
        "pyenv global",
        "rustup default",
        "firebase use",
        "heroku accounts:set",
    ]),
];

/// Interpreters and clients that read commands until their input ends, and the options by which they are given them.
pub const REPLS: &[(&str, &[&str])] = &[
    ("python", &["-c", "-m", "--version", "-V", "--help", "-h"]),
    ("ipython", &["-c", "--version"]),
    ("node", &["-e", "--eval", "-p", "--print", "-v", "--version", "-c", "--check", "--test"]),
    ("deno", &["eval", "run", "test", "--version"]),
    ("irb", &["--version"]),
    ("pry", &["-e", "--version"]),
    ("psql", &["-c", "--command", "-f", "--file", "-l", "--list", "--version", "-V"]),
    ("mysql", &["-e", "--execute", "--version", "-V"]),
    ("mariadb", &["-e", "--execute", "--version"]),
    ("sqlite3", &["-version", "-cmd", "--version"]),
    ("redis-cli", &["--version", "--scan", "--eval", "-x"]),
    ("mongosh", &["--eval", "-f", "--file", "--version"]),
    ("mongo", &["--eval", "--version"]),
    ("ghci", &["-e", "--version"]),
    ("scala", &["-e", "--version"]),
    ("julia", &["-e", "--eval", "-E", "--version"]),
    ("R", &["-e", "-f", "--file", "--version", "--no-save-run"]),
    ("lua", &["-e", "-v"]),
    ("iex", &["-e", "--version"]),
    ("erl", &["-noshell", "-eval", "-version"]),
    ("clj", &["-e", "-M", "-X", "-T"]),
    ("jshell", &["-s", "--version"]),
    ("gdb", &["-batch", "--batch", "--version"]),
    ("lldb", &["-b", "--batch", "--version"]),
    ("pdb", &[]),
    ("bc", &["--version"]),
    ("dc", &["-e", "-f", "--version"]),
    ("ftp", &["--version"]),
    ("sftp", &["-b"]),
    ("telnet", &["--version"]),
    ("tclsh", &[]),
    ("gnuplot", &["-e", "--version"]),
    ("octave", &["--eval", "--version"]),
    ("cqlsh", &["-e", "-f", "--version"]),
    ("clickhouse-client", &["-q", "--query", "--version"]),
    ("duckdb", &["-c", "-s", "--version"]),
    ("sqlcmd", &["-Q", "-q", "-i"]),
    ("sqlplus", &["-V"]),
    ("bash", &["-c", "--version"]),
    ("sh", &["-c"]),
    ("zsh", &["-c", "--version"]),
    ("fish", &["-c", "--version"]),
    ("php", &["-r", "-f", "-v", "-l", "-i", "-m"]),
    ("ruby", &["-e", "-v", "--version"]),
    ("guile", &["-c", "-s", "--version"]),
    ("ocaml", &["-version", "-e"]),
    ("swipl", &["-g", "-t", "--version"]),
    ("racket", &["-e", "--version"]),
    ("clisp", &["-x", "--version"]),
    ("sbcl", &["--eval", "--script", "--version"]),
    ("perl", &["-e", "-E", "-n", "-p", "-v", "-V"]),
];

/// Interpreters that load the file they are given and then wait for commands, and the options with which they end.
pub const STAY_OPEN: &[(&str, &[&str])] = &[
    ("sbcl", &["--script", "--non-interactive", "--quit", "--version", "--help"]),
    ("ghci", &["-e", "--version", "--help"]),
    ("swipl", &["-g", "-t", "-c", "--version", "--help"]),
    ("gforth", &["-e", "--version", "--help"]),
    ("iex", &["--version", "--help"]),
    ("lftp", &["-c", "-f", "--version", "--help"]),
    ("gdb", &["-batch", "--batch", "--version", "--help"]),
];

/// The system's own programs, whose options differ from one system to the next.
pub const OTHER_OPTIONS: &[&str] =
    &["sh", "set", "read", "echo", "date", "sed", "readlink", "stat", "ls", "xargs", "grep", "dash"];
/// Options that only one family of systems knows, by program.
pub const OTHER_SYSTEMS: &[(&str, &str)] = &[
    ("date", "-v"),
    ("date", "-j"),
    ("base64", "-D"),
    ("xargs", "-J"),
    ("sed", "-l"),
    ("stat", "-f"),
    ("readlink", "-m"),
    ("ls", "-G@"),
    ("ps", "-G"),
    ("du", "-d1"),
    ("grep", "-P"),
    ("tar", "--no-mac-metadata"),
    ("mktemp", "-t"),
    ("sort", "-R"),
    ("cp", "-c"),
    ("find", "-E"),
    ("tail", "-r"),
    ("netstat", "-v"),
    ("top", "-l"),
    ("pgrep", "-q"),
    ("md5sum", "-r"),
];
/// Programs of one system.
pub const OTHER_PROGRAMS: &[&str] = &[
    "pbcopy",
    "pbpaste",
    "sw_vers",
    "launchctl",
    "defaults",
    "osascript",
    "say",
    "open",
    "networksetup",
    "scutil",
    "dscl",
    "softwareupdate",
    "gsed",
    "gdate",
    "greadlink",
    "gtimeout",
    "xcode-select",
    "xcrun",
    "ipconfig",
    "findstr",
    "cls",
    "dir",
    "tasklist",
    "taskkill",
    "powershell",
    "pwsh",
    "cmd",
    "wslpath",
    "reg",
];
