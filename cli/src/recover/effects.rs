//! What a line of a plan would do besides looking, building and testing, also by the scripts and targets that it runs.

use super::case::{Case, join, named_folder};
use crate::decide;
use crate::names::{asked_for, lines_run_by};
use crate::programs::manifests::manifests_named;
use crate::programs::{Trait, base_name};
use crate::shell::{Command, Script, line_of};
use failwise_core::knowledge::never::{NAMED_IN_THE_CALL, of_line};

/// How deep scripts are followed that run others.
const DEEPEST: usize = 3;
/// The most lines of scripts that are read.
const MOST_LINES: usize = 2_000;

/// Parts of names of tasks, and of scripts, that publish or take away.
#[rustfmt::skip]
const TASKS: &[&str] = &[
    "deploy", "publish", "release", "push", "clean", "delete", "destroy", "remove", "reset", "drop", "purge", "prune",
    "wipe", "migrat", "seed", "upload", "uninstall", "apply", "rollback", "restore", "send",
];

/// Parts of a script in a language of its own that take something away.
#[rustfmt::skip]
const TAKES_AWAY: &[&str] = &[
    "rmtree", "rmsync", "unlink", "os.remove", "rmdir", ".delete(", "rm_rf", "delete from", "drop table", "drop database",
    "truncate table", "rm -r",
];

/// Whether the name of a task or script says that it publishes, takes away or changes something elsewhere.
pub(super) fn names_an_effect(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    TASKS.iter().any(|part| lower.contains(part))
}

/// Whether a line publishes, takes away or changes something elsewhere: by its programs, by the names of its tasks and
/// scripts, or by what these do as far as they can be read.
pub(super) fn has_effect(case: &Case<'_>, line: &str) -> bool {
    let mut read = EffectReader { case, left: MOST_LINES };
    read.line_acts(line, "", 0)
}

struct EffectReader<'c, 'a> {
    case: &'c Case<'a>,
    /// So many lines are still read.
    left: usize,
}

impl EffectReader<'_, '_> {
    fn line_acts(&mut self, line: &str, folder: &str, depth: usize) -> bool {
        let script = Script::parse(line);
        script.programs().any(|(at, command)| {
            let here = script.directories_before(at).iter().fold(folder.to_owned(), |path, part| join(&path, part));
            let here = named_folder(command).map_or(here.clone(), |own| join(&here, own));
            self.command_acts(command, &here, depth)
        })
    }

    fn command_acts(&mut self, command: &Command, here: &str, depth: usize) -> bool {
        // `sudo` and what else starts it belong to it.
        let around = command.wrappers.iter().flat_map(|wrapper| wrapper.split(' '));
        let words =
            line_of(around.chain(std::iter::once(&*command.raw)).chain(command.args.iter().map(String::as_str)));
        let has_manifest = !manifests_named(command.name()).is_empty() && !command.program_is(Trait::VersionControl);
        let is_task = command.is(Trait::Tasks) || has_manifest;
        // A program that nobody knows is what its name says, wherever it lies.
        let names = || {
            is_task && command.subcommands().take(8).any(names_an_effect)
                || command.known.is_none() && names_an_effect(base_name(&command.raw))
        };
        decide::may_have_taken_effect(&words)
            // What copies, renames or fills a file is how things are built.
            || of_line(&words, false, NAMED_IN_THE_CALL).is_some()
            || names()
            || self.task_acts(command, here, depth)
            || self.script_acts(command, here, depth)
    }

    /// What a script or target of a manifest runs.
    fn task_acts(&mut self, command: &Command, here: &str, depth: usize) -> bool {
        let name = asked_for(command);
        if depth >= DEEPEST {
            return false;
        }
        let read = |manifest: &&str| lines_run_by(manifest, &self.case.looks.text(&join(here, manifest))?, name);
        let lines = manifests_named(command.name()).iter().find_map(read).unwrap_or_default();
        self.lines_act(lines.iter().map(String::as_str), here, depth)
    }

    /// What a script that the command starts says.
    fn script_acts(&mut self, command: &Command, here: &str, depth: usize) -> bool {
        let is_read = command.is(Trait::Interpreter) || command.is(Trait::Shell);
        let script =
            if is_read { command.subcommands().next() } else { Some(&*command.raw).filter(|raw| raw.contains('/')) };
        let Some(script) = script else { return false };
        if names_an_effect(base_name(script)) {
            return true;
        }
        let Some(text) = self.case.looks.text(&join(here, script)).filter(|_| depth < DEEPEST) else { return false };
        let first = text.lines().next().unwrap_or_default();
        let is_shell = command.is(Trait::Shell) || first.ends_with("sh") || script.ends_with("sh");
        if is_shell {
            return self.lines_act(text.lines(), here, depth);
        }
        let lower = text.to_ascii_lowercase();
        TAKES_AWAY.iter().any(|part| lower.contains(part))
    }

    fn lines_act<'l>(&mut self, lines: impl Iterator<Item = &'l str>, here: &str, depth: usize) -> bool {
        let mut whole = String::new();
        for line in lines {
            if self.left == 0 {
                return true;
            }
            self.left -= 1;
            whole.push_str(line.trim());
            if whole.ends_with('\\') {
                whole.pop();
                continue;
            }
            let plain = plain_line(&std::mem::take(&mut whole));
            if self.line_acts(&plain, here, depth + 1) {
                return true;
            }
        }
        false
    }
}

/// A line of a manifest as a shell reads it: without what only the manifest's tool reads, variables by their names.
fn plain_line(line: &str) -> String {
    let mut line = line.trim_start_matches(['@', '-', '+', ' ']);
    line = line.strip_prefix("cmd:").unwrap_or(line).trim();
    let mut plain = String::new();
    // `$(RM) x` and `${RM} x` are `rm x`.
    while let Some((before, behind)) = line.split_once('$') {
        plain.push_str(before);
        let name = behind.strip_prefix(['(', '{']).and_then(|rest| rest.split_once([')', '}']));
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b"_0123456789".contains(&b))
        };
        if let Some((name, rest)) = name.filter(|(name, _)| is_name(name)) {
            plain.push_str(&name.to_ascii_lowercase());
            line = rest;
        } else {
            plain.push('$');
            line = behind;
        }
    }
    plain + line
}
