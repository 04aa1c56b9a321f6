//! Words that start another program: `sudo`, `env`, `npx`, `uv run`, `python -m` ...

use super::parser::assignment;

/// A word or words after which the real program follows.
struct Wrapper {
    words: &'static [&'static str],
    /// Its options that take the next word.
    value_options: &'static [&'static str],
    /// How many words of its own stand between its options and the program.
    own_words: usize,
}

const fn wrapper(words: &'static [&'static str], value_options: &'static [&'static str], own_words: usize) -> Wrapper {
    Wrapper { words, value_options, own_words }
}

/// Longer beginnings stand before shorter ones of the same program.
const WRAPPERS: &[Wrapper] = &[
    wrapper(&["sudo"], &["-u", "-g", "-C", "-p", "-h", "--user"], 0),
    wrapper(&["doas"], &["-u", "-C"], 0),
    wrapper(&["env"], &["-u", "--unset", "-C", "--chdir", "-S"], 0),
    wrapper(&["cross-env"], &[], 0),
    wrapper(&["time"], &["-f", "-o"], 0),
    wrapper(&["gtime"], &["-f", "-o"], 0),
    wrapper(&["command"], &[], 0),
    wrapper(&["builtin"], &[], 0),
    wrapper(&["exec"], &["-a"], 0),
    wrapper(&["noglob"], &[], 0),
    wrapper(&["nohup"], &[], 0),
    wrapper(&["setsid"], &[], 0),
    wrapper(&["nice"], &["-n"], 0),
    wrapper(&["ionice"], &["-c", "-n", "-p"], 0),
    wrapper(&["stdbuf"], &["-i", "-o", "-e"], 0),
    wrapper(&["unbuffer"], &[], 0),
    wrapper(&["caffeinate"], &["-t", "-w"], 0),
    wrapper(&["xvfb-run"], &["-s", "-n", "-e", "-f"], 0),
    wrapper(&["arch"], &[], 0),
    wrapper(&["timeout"], &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper(&["gtimeout"], &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper(&["xargs"], &["-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a"], 0),
    wrapper(&["npx"], &["-p", "--package", "--prefix", "-w"], 0),
    wrapper(&["bunx"], &["-p"], 0),
    wrapper(&["pnpx"], &[], 0),
    wrapper(&["uvx"], &["--from", "--with", "-p", "--python"], 0),
    wrapper(&["pipx", "run"], &["--spec"], 0),
    wrapper(&["npm", "exec"], &["-p", "--package", "-w", "--workspace", "--prefix"], 0),
    wrapper(&["pnpm", "exec"], &[], 0),
    wrapper(&["pnpm", "dlx"], &[], 0),
    wrapper(&["yarn", "exec"], &[], 0),
    wrapper(&["yarn", "dlx"], &[], 0),
    wrapper(&["bun", "x"], &[], 0),
    wrapper(
        &["uv", "run"],
        &["--with", "--extra", "--group", "-p", "--python", "--project", "--directory", "--package", "--env-file"],
        0,
    ),
    wrapper(&["poetry", "run"], &[], 0),
    wrapper(&["pipenv", "run"], &[], 0),
    wrapper(&["pdm", "run"], &["-p"], 0),
    wrapper(&["rye", "run"], &[], 0),
    wrapper(&["hatch", "run"], &[], 0),
    wrapper(&["pixi", "run"], &["-e"], 0),
    wrapper(&["conda", "run"], &["-n", "-p"], 0),
    wrapper(&["bundle", "exec"], &[], 0),
    wrapper(&["mise", "exec"], &[], 0),
    wrapper(&["mise", "x"], &[], 0),
    wrapper(&["asdf", "exec"], &[], 0),
    wrapper(&["direnv", "exec"], &[], 1),
    wrapper(&["rustup", "run"], &[], 1),
    wrapper(&["doppler", "run"], &[], 0),
    wrapper(&["op", "run"], &[], 0),
    wrapper(&["dotenvx", "run"], &["-f"], 0),
    wrapper(&["dotenv"], &["-e", "-f"], 0),
    wrapper(&["coverage", "run"], &["--source", "--rcfile", "--omit"], 0),
    wrapper(&["docker", "compose", "exec"], &["-u", "-e", "-w", "--index"], 1),
    wrapper(&["docker", "compose", "run"], &["-u", "-e", "-w", "-v", "--entrypoint", "--name"], 1),
    wrapper(&["docker-compose", "exec"], &["-u", "-e", "-w"], 1),
    wrapper(&["docker-compose", "run"], &["-u", "-e", "-w", "-v", "--entrypoint", "--name"], 1),
    wrapper(&["docker", "exec"], &["-u", "-e", "-w", "--user", "--env", "--workdir"], 1),
    wrapper(&["podman", "exec"], &["-u", "-e", "-w"], 1),
];

/// Wrappers whose program stands behind a certain word, whatever comes before it.
const AFTER_WORD: &[(&[&str], &[&str])] = &[
    (&["nix", "develop"], &["-c", "--command"]),
    (&["nix", "shell"], &["-c", "--command"]),
    (&["kubectl", "exec"], &["--"]),
    (&["oc", "exec"], &["--"]),
];

/// Interpreters whose `-m` names a program.
const PYTHONS: &[&str] = &["python", "python3", "python2", "py"];

/// Modules behind `python -m` that are no programs of their own: the interpreter stays the program.
const PLAIN_MODULES: &[&str] = &["json.tool", "http.server", "site", "this"];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash"];

/// How many wrappers are taken off one command.
const MAX_WRAPPERS: usize = 8;

/// A command's words without its wrappers.
pub(super) struct Stripped {
    pub(super) words: Vec<String>,
    pub(super) wrappers: Vec<String>,
}

pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// The last part of a path, without a Windows program's ending.
pub(super) fn base_name(raw: &str) -> &str {
    let name = raw.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(raw);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Takes the wrappers off; the assignments they carry join the others.
pub(super) fn strip(mut words: Vec<String>, assignments: &mut Vec<(String, String)>) -> Stripped {
    let mut wrappers = Vec::new();
    for _ in 0..MAX_WRAPPERS {
        let Some((name, length)) = wrapper_at(&words) else { break };
        let own = inner_assignments(words.get(length..).unwrap_or(&[]), assignments);
        if length + own >= words.len() {
            break;
        }
        wrappers.push(name);
        words.drain(..length + own);
    }
    Stripped { words, wrappers }
}

/// How many assignments stand before the program.
fn inner_assignments(words: &[String], assignments: &mut Vec<(String, String)>) -> usize {
    let found = words.iter().map_while(|word| assignment(word));
    let before = assignments.len();
    assignments.extend(found);
    assignments.len() - before
}

/// The wrapper that the words begin with, and how many words belong to it.
fn wrapper_at(words: &[String]) -> Option<(String, usize)> {
    let program = base_name(words.first()?);
    if PYTHONS.contains(&program) || program.starts_with("python3.") {
        return python_module(words);
    }
    let table = WRAPPERS.iter().find(|w| begins(words, program, w.words));
    if let Some(found) = table {
        if found.words == ["command"] && words.get(1).is_some_and(|w| w == "-v" || w == "-V") {
            return None;
        }
        return Some((found.words.join(" "), length_of(found, words)));
    }
    let (start, marks) = AFTER_WORD.iter().find(|(start, _)| begins(words, program, start))?;
    let mark = words.iter().position(|word| marks.contains(&word.as_str()))?;
    Some((start.join(" "), mark + 1))
}

fn begins(words: &[String], program: &str, start: &[&str]) -> bool {
    let Some((first, rest)) = start.split_first() else { return false };
    program == *first
        && words.get(1..=rest.len()).is_some_and(|own| own.iter().zip(rest).all(|(word, wanted)| word == wanted))
}

fn length_of(wrapper: &Wrapper, words: &[String]) -> usize {
    let mut at = wrapper.words.len();
    let mut own = wrapper.own_words;
    while let Some(word) = words.get(at) {
        if word == "--" {
            return at + 1 + own;
        } else if wrapper.value_options.contains(&word.as_str()) {
            at += 2;
        } else if word.starts_with('-') && word.len() > 1 {
            at += 1;
        } else if own > 0 {
            own -= 1;
            at += 1;
        } else {
            break;
        }
    }
    // `mise exec node@22 -- npm test`: tools stand before the double dash.
    if wrapper.words.first() == Some(&"mise") {
        return words.iter().position(|word| word == "--").map_or(at, |dash| dash + 1);
    }
    at
}

fn python_module(words: &[String]) -> Option<(String, usize)> {
    let at = words.iter().position(|word| word == "-m")?;
    let only_options = words.get(1..at)?.iter().all(|word| word.starts_with('-'));
    let module = words.get(at + 1)?;
    let plain = PLAIN_MODULES.contains(&module.as_str());
    (only_options && !plain).then(|| ("python -m".to_owned(), at + 1))
}

#[cfg(test)]
mod tests {
    use super::super::Script;

    fn effective(text: &str) -> (String, Vec<String>) {
        let command = Script::parse(text).pipelines[0].commands[0].clone();
        (command.program, command.wrappers)
    }

    #[test]
    fn the_program_behind_wrappers_is_found() {
        for (text, program, wrappers) in [
            (
                "sudo -u web env A=1 timeout -k 5 30 nice -n 5 pytest -q",
                "pytest",
                vec!["sudo", "env", "timeout", "nice"],
            ),
            ("npx --yes tsc --noEmit", "tsc", vec!["npx"]),
            ("pnpm exec vitest run", "vitest", vec!["pnpm exec"]),
            ("uv run --with httpx python -m pytest -x", "pytest", vec!["uv run", "python -m"]),
            ("docker compose exec -T web bundle exec rspec", "rspec", vec!["docker compose exec", "bundle exec"]),
            ("nix develop .#ci -c cargo test", "cargo", vec!["nix develop"]),
            ("mise exec node@22 -- npm test", "npm", vec!["mise exec"]),
            ("find . -name x", "find", vec![]),
            ("/usr/local/bin/python3.12 -m unittest", "unittest", vec!["python -m"]),
            ("kubectl exec -it web-0 -- ls /", "ls", vec!["kubectl exec"]),
        ] {
            let (found, stripped) = effective(text);
            assert_eq!(
                (found.as_str(), stripped),
                (program, wrappers.iter().map(ToString::to_string).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_wrapper_alone_stays_the_program() {
        for text in ["sudo", "env", "npx", "command -v rg", "time", "poetry run", "python -m json.tool"] {
            assert!(effective(text).1.is_empty(), "{text}");
        }
    }

    #[test]
    fn assignments_of_env_are_kept() {
        let command = Script::parse("A=1 env B=2 make").pipelines[0].commands[0].clone();
        let names: Vec<&str> = command.assignments.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!((command.program.as_str(), names), ("make", vec!["A", "B"]));
    }
}
