//! What a time limit means: a slow command may pass when it gets more time, a server or a watcher never ends.

use crate::shell::{Command, Script};

/// Words of a task or subcommand that starts something which does not end.
const ENDLESS_WORDS: &[&str] = &[
    "dev",
    "start",
    "serve",
    "server",
    "watch",
    "preview",
    "up",
    "runserver",
    "port-forward",
    "attach",
    "storybook",
    "develop",
    "tunnel",
    "repl",
    "console",
    "daemon",
];

const ENDLESS_OPTIONS: &[&str] =
    &["--watch", "-w", "--watchAll", "--follow", "--interactive", "--inspect-brk", "-it", "-i", "--ui"];

/// Modules behind an interpreter that serve.
const ENDLESS_MODULES: &[&str] = &["http.server"];

const ENDLESS_PROGRAMS: &[&str] = &[
    "sleep",
    "wait",
    "top",
    "htop",
    "less",
    "vim",
    "vi",
    "nano",
    "emacs",
    "man",
    "read",
    "ssh",
    "http.server",
    "uvicorn",
    "gunicorn",
    "flask",
    "nodemon",
    "air",
    "watchexec",
    "entr",
    "ngrok",
    "ping",
    "yes",
    "tmux",
    "screen",
    "telnet",
    "caddy",
    "nginx",
    "redis-server",
    "postgres",
    "mongod",
    "lldb",
    "gdb",
    "sqlite3",
    "psql",
    "mysql",
    "claude",
];

/// Whether more time may let the line pass.
pub(super) fn may_pass_with_more_time(script: &Script) -> bool {
    script.programs().next().is_some()
        && !script.programs().any(|(_, command)| is_endless(command) || is_limited(command))
}

/// Whether the agent set the limit itself.
pub(super) fn is_limited(command: &Command) -> bool {
    command.wrappers.iter().any(|w| w == "timeout" || w == "gtimeout")
}

fn is_endless(command: &Command) -> bool {
    let program = command.program.as_str();
    let follows =
        matches!(program, "tail" | "docker" | "kubectl" | "journalctl" | "heroku" | "fly") && command.has_letter('f');
    let detached = command.has_arg("-d") || command.has_arg("--detach");
    let names_endless =
        command.subcommands().take(3).any(|word| word.split([':', '-']).any(|part| ENDLESS_WORDS.contains(&part)));
    ENDLESS_PROGRAMS.contains(&program)
        || follows
        || ENDLESS_MODULES.iter().any(|module| command.has_arg(module))
        || ENDLESS_OPTIONS.iter().any(|o| command.has_arg(o))
            && !matches!(program, "grep" | "sed" | "rg" | "wc" | "perl")
        || names_endless && !detached && is_starter(program)
        || matches!(program, "node" | "python" | "python3" | "bash" | "sh" | "irb")
            && command.args.is_empty()
            && !command.reads_here_document()
}

/// Programs whose first words name what is started.
fn is_starter(program: &str) -> bool {
    matches!(
        program,
        "npm"
            | "pnpm"
            | "yarn"
            | "bun"
            | "deno"
            | "npx"
            | "next"
            | "vite"
            | "nuxt"
            | "astro"
            | "ng"
            | "make"
            | "just"
            | "task"
            | "mise"
            | "rails"
            | "bin/rails"
            | "php"
            | "artisan"
            | "python"
            | "python3"
            | "manage.py"
            | "hugo"
            | "jekyll"
            | "mkdocs"
            | "docker"
            | "docker-compose"
            | "podman"
            | "cargo"
            | "trunk"
            | "kubectl"
            | "wrangler"
            | "gh"
            | "firebase"
            | "supabase"
            | "expo"
            | "storybook"
            | "turbo"
            | "nx"
            | "mix"
            | "dotnet"
            | "gatsby"
            | "remix"
            | "tauri"
            | "air"
            | "wails"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_and_endless_are_told_apart() {
        for text in [
            "cargo build",
            "npm test",
            "nix fmt | tail; git status",
            "npm run build",
            "docker compose up -d",
            "pytest -x",
        ] {
            assert!(may_pass_with_more_time(&Script::parse(text)), "{text}");
        }
        for text in [
            "npm run dev",
            "timeout 20 make",
            "tail -f log",
            "npm start",
            "python -m http.server 8000",
            "vitest --watch",
            "sleep 500",
            "docker compose up",
            "docker logs -f web",
            "gh run watch 5",
            "cargo watch -x test",
            "",
        ] {
            assert!(!may_pass_with_more_time(&Script::parse(text)), "{text}");
        }
    }
}
