//! The lists that stood in ten files before there was a table, and that it says the same.

use super::Trait::{
    Answers, Apart, AsksByWords, Checks, ChecksAlone, Closes, Cloud, CloudAsked, Displays, Elevates, Endless, Follows,
    HandsOn, HandsOver, Harmless, Hooks, Interpreter, Kills, Limits, ListsAlone, Looks, MayMiss, Modules, NamedScript,
    NamedTasks, OwnLetters, Polls, Prepares, RunsScript, RunsScripts, Shell, Shows, Speaks, Starts, TakesCode, Tasks,
    Waits, Works,
};
use super::{PROGRAMS, Trait};

#[rustfmt::skip]
const LISTS: &[(Trait, &[&str])] = &[
    (Looks, &[
        "ls", "cat", "bat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "ack", "wc", "stat",
        "file", "tree", "du", "df", "pwd", "cd", "pushd", "popd", "echo", "printf", "true", "false", ":", "test", "[",
        "[[", "which", "whereis", "type", "command", "basename", "dirname", "realpath", "readlink", "diff", "cmp",
        "comm", "cut", "tr", "uniq", "nl", "column", "fold", "rev", "tac", "paste", "join", "jq", "xxd", "od",
        "hexdump", "strings", "md5sum", "sha1sum", "sha256sum", "shasum", "cksum", "date", "whoami", "id", "uname",
        "hostname", "env", "printenv", "ps", "pgrep", "lsof", "free", "uptime", "sleep", "wait", "seq", "expr", "nm",
        "ldd", "otool", "objdump", "readelf", "tokei", "cloc", "exa", "eza", "fd", "fzf", "z", "man", "info", "history",
        "jobs", "read", "set", "shopt", "export", "local", "unset", "exit", "gh pr checks", "gh pr view",
        "gh pr status", "gh pr list", "gh pr diff", "gh issue view", "gh issue list", "gh run view", "gh run list",
        "gh run watch", "gh release list", "gh release view", "gh repo view", "gh auth status", "gh search",
        "kubectl get", "kubectl describe", "kubectl logs", "kubectl top", "kubectl version", "kubectl explain",
        "systemctl status", "systemctl is-active", "systemctl list-units", "npm ls", "npm list", "npm view",
        "npm outdated", "npm why", "docker ps", "docker inspect", "docker logs", "docker compose ps", "docker images",
        "docker compose logs", "docker version", "git status", "git ls-remote", "git log", "git diff", "git show",
        "git blame", "git grep", "git ls-files", "git ls-tree", "git rev-parse", "git rev-list", "git describe",
        "git shortlog", "git reflog", "git cat-file", "git merge-base", "git name-rev", "git for-each-ref",
        "git stash list", "git stash show", "git remote show", "git worktree list", "git check-ignore",
        "git whatchanged", "git count-objects", "git var", "git version", "go list", "go version", "go env", "go doc",
        "cargo tree", "cargo metadata", "cargo search",
    ]),
    (Apart, &[
        "ls", "cat", "bat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "ack", "wc", "stat",
        "file", "tree", "du", "df", "pwd", "cd", "pushd", "popd", "echo", "printf", "true", "false", ":", "test", "[",
        "[[", "which", "whereis", "type", "command", "basename", "dirname", "realpath", "readlink", "diff", "cmp",
        "comm", "cut", "tr", "uniq", "nl", "column", "fold", "rev", "tac", "paste", "join", "jq", "xxd", "od",
        "strings", "md5sum", "sha256sum", "shasum", "date", "whoami", "id", "uname", "hostname", "printenv", "ps",
        "pgrep", "lsof", "sleep", "wait", "seq", "expr", "tokei", "cloc", "fd", "read", "set", "export", "local",
        "unset", "exit", "zgrep", "sort", "tee", "yq", "sed", "awk", "gawk", "pkill", "kill", "killall", "mkdir", "rm",
        "rmdir", "cp", "mv", "ln", "touch", "chmod", "chown", "tar", "zip", "unzip", "gzip", "gunzip", "open", "source",
        ".", "declare", "gh", "glab", "curl", "wget", "scp", "rsync", "find", "sysctl", "crontab", "claude", "trap",
        "ulimit", "umask", "pbcopy", "pbpaste", "xclip", "psql", "sqlite3", "mysql", "redis-cli", "aws", "gcloud",
        "kubectl", "helm", "journalctl", "systemctl", "launchctl", "defaults", "plutil", "nvm", "rbenv", "pyenv",
    ]),
    (Tasks, &[
        "make", "gmake", "just", "task", "mise", "rake", "tox", "nox", "invoke", "inv", "poe", "nx", "turbo", "lerna",
        "moon", "rush", "bazel", "bazelisk", "buck2", "pants", "earthly", "dagger", "act", "pre-commit", "prek",
        "lefthook", "husky", "lint-staged", "npm-run-all", "run-s", "run-p", "concurrently", "wireit", "devenv", "nix",
        "hatch", "composer", "mage", "doit", "waf", "scons", "xtask", "npm", "pnpm", "yarn", "bun", "deno", "rtk",
        "docker", "docker-compose", "podman", "direnv", "watchexec", "entr", "script", "parallel", "trunk", "dotenv",
    ]),
    (NamedTasks, &[
        "make", "gmake", "just", "task", "mise", "rake", "invoke", "inv", "nx", "turbo", "composer", "mage", "npm",
        "pnpm", "yarn", "bun", "deno", "gradle", "gradlew", "mvn", "mvnw", "ant", "sbt", "lein", "fab", "cap",
    ]),
    (ChecksAlone, &[
        "make", "gmake", "just", "tox", "nox",
    ]),
    (Checks, &[
        "tox", "nox", "pre-commit", "lefthook", "lint-staged", "npm t",
    ]),
    (Hooks, &[
        "git commit", "git push", "git merge", "git rebase", "git cherry-pick", "git am", "git revert", "git pull",
    ]),
    (Works, &[
        "composer install", "npm install", "npm i", "npm ci", "pnpm install", "pnpm add", "yarn install", "yarn add",
        "docker build", "docker compose build", "docker buildx build", "podman build", "git commit", "git push",
        "git merge", "git rebase", "git cherry-pick", "git am", "git pull", "git stash pop", "git stash apply",
        "pip install", "pip3 install", "uv sync", "poetry install", "bundle install", "go get", "go install",
        "apt-get install", "apt install", "terraform apply", "terraform validate", "terraform init",
    ]),
    (Shell, &[
        "sh", "bash", "zsh", "dash", "ksh", "ash",
    ]),
    (RunsScript, &[
        "source", ".", "sh", "bash", "zsh", "dash",
    ]),
    (Interpreter, &[
        "bun", "deno", "sh", "bash", "zsh", "python", "python3", "py", "node", "ruby", "php", "perl", "tsx", "ts-node",
    ]),
    (NamedScript, &[
        "deno", "sh", "bash", "zsh", "python", "python3", "node", "ruby",
    ]),
    (HandsOn, &[
        "sh", "bash", "zsh", "dash", "eval",
    ]),
    (TakesCode, &[
        "jq", "awk", "bun", "deno", "python", "python3", "node", "ruby", "php", "perl", "tsx", "osascript",
    ]),
    (Modules, &[
        "python", "python3", "py", "python2",
    ]),
    (Waits, &[
        "sh", "bash", "python", "python3", "node", "irb",
    ]),
    (Endless, &[
        "less", "sleep", "wait", "man", "read", "claude", "psql", "sqlite3", "mysql", "watchexec", "entr", "top",
        "htop", "vim", "vi", "nano", "emacs", "ssh", "http.server", "uvicorn", "gunicorn", "flask", "nodemon", "air",
        "ngrok", "ping", "yes", "tmux", "screen", "telnet", "caddy", "nginx", "redis-server", "postgres", "mongod",
        "lldb", "gdb",
    ]),
    (Follows, &[
        "tail", "kubectl", "journalctl", "docker", "heroku", "fly",
    ]),
    (Starts, &[
        "gh", "kubectl", "make", "just", "task", "mise", "nx", "turbo", "npm", "pnpm", "yarn", "bun", "deno", "docker",
        "docker-compose", "podman", "trunk", "python", "python3", "php", "air", "npx", "next", "vite", "nuxt", "astro",
        "ng", "rails", "artisan", "manage.py", "hugo", "jekyll", "mkdocs", "cargo", "wrangler", "firebase", "supabase",
        "expo", "storybook", "mix", "dotnet", "gatsby", "remix", "tauri", "wails",
    ]),
    (OwnLetters, &[
        "grep", "rg", "wc", "sed", "perl",
    ]),
    (Limits, &[
        "timeout", "gtimeout",
    ]),
    (Kills, &[
        "pkill", "kill", "killall", "timeout", "gtimeout",
    ]),
    (Elevates, &[
        "sudo", "doas",
    ]),
    (RunsScripts, &[
        "hatch run", "pdm run", "rye run", "pipenv run", "pixi run",
    ]),
    (Answers, &[
        "grep", "egrep", "fgrep", "rg", "ag", "ack", "test", "[", "[[", "which", "whereis", "type", "command", "diff",
        "cmp", "pgrep", "lsof", "expr", "read", "zgrep", "pkill", "killall", "ugrep", "colordiff", "delta", "difft",
        "pidof", "hash", "fuser", "mountpoint", "getent", "let", "nc", "is-up",
    ]),
    (MayMiss, &[
        "ls", "cat", "head", "tail", "wc", "stat", "file", "du", "cd", "realpath", "readlink", "jq", "rm", "find",
        "sysctl", "launchctl", "defaults", "npm", "git", "pip", "brew", "dpkg",
    ]),
    (Harmless, &[
        "ls", "cat", "head", "tail", "wc", "cd", "echo", "printf", "true", ":", "cut", "tr", "uniq", "sort", "sed",
    ]),
    (Speaks, &[
        "ls", "cat", "tail", "echo", "printf", "true", ":", "git status",
    ]),
    (Prepares, &[
        "pwd", "cd", "pushd", "popd", "echo", "printf", "true", ":", "date", "sleep", "wait", "set", "shopt", "export",
        "unset", "exit", "source", ".", "umask", "clear", "setopt",
    ]),
    (Displays, &[
        "cat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "wc", "uniq", "sort", "tee", "sed",
        "out-string", "select-string", "select-object",
    ]),
    (Shows, &[
        "cat", "head", "tail", "less", "grep", "rg", "sed", "awk",
    ]),
    (ListsAlone, &[
        "git branch", "git tag", "git remote",
    ]),
    (Polls, &[
        "test", "[", "[[", "ps", "pgrep", "lsof", "uptime", "sleep", "wait", "jobs", "gh run", "gh pr checks",
        "gh pr view", "gh pr status", "gh workflow", "gh api", "glab ci", "glab pipeline", "glab mr view", "glab api",
        "curl", "wget", "redis-cli", "kubectl get", "kubectl describe", "kubectl wait", "kubectl rollout",
        "kubectl logs", "kubectl top", "kubectl cluster-info", "helm status", "helm list", "journalctl",
        "systemctl status", "systemctl is-active", "systemctl is-failed", "systemctl show",
        "systemctl is-system-running", "docker ps", "docker inspect", "docker logs", "docker wait", "docker info",
        "docker container", "docker compose ps", "podman ps", "podman inspect", "podman logs", "podman wait",
        "podman info", "git status", "git ls-remote", "git fetch", "ping", "tmux capture-pane", "tmux has-session",
        "tmux list-sessions", "tmux ls", "telnet", "heroku ps", "heroku releases", "fly status", "pidof", "nc", "watch",
        "ncat", "dig", "host", "nslookup", "http", "xh", "grpc_health_probe", "grpcurl", "pg_isready", "mysqladmin",
        "wait-for-it", "wait-for-it.sh", "wait-for", "wait-on", "dockerize", "inotifywait", "ss", "netstat", "squeue",
        "sacct", "oc get", "oc describe", "oc wait", "oc rollout", "oc logs", "argocd app wait", "argocd app get",
        "flux get", "supervisorctl status", "pm2 status", "pm2 list", "pm2 ls", "pm2 describe", "vercel inspect",
        "vercel ls", "flyctl status", "nomad status", "nomad job status", "nomad alloc", "adb devices",
        "adb wait-for-device",
    ]),
    (Cloud, &[
        "aws", "gcloud", "az", "doctl", "hcloud", "oci", "ibmcloud",
    ]),
    (CloudAsked, &[
        "aws", "gcloud", "az", "doctl",
    ]),
    (AsksByWords, &[
        "http", "xh", "https", "xhs",
    ]),
    (Closes, &[
        "pytest", "jest", "vitest",
    ]),
    (HandsOver, &[
        "gh pr create", "gh pr merge", "git commit", "git push", "jj commit", "jj git push",
    ]),
];

#[test]
fn the_table_says_what_the_lists_said() {
    for (asked, list) in LISTS {
        let mut listed: Vec<String> = list.iter().map(|words| (*words).to_owned()).collect();
        let mut found: Vec<String> = Vec::new();
        for program in PROGRAMS {
            found.extend(program.has(*asked).then(|| program.words.to_owned()));
            let inner = program.subcommands.iter().filter(|row| row.has(*asked));
            found.extend(inner.map(|row| format!("{} {}", program.words, row.words)));
        }
        listed.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, listed, "{asked:?}");
    }
}
