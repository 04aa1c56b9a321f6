//! What version control refuses for the state it is in.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use crate::model::FindingKind as Kind;
use crate::programs::Trait;
use crate::shell::{Command, WordRole, line_of};
use crate::text::quoted;

/// A line of git in the folder where the failed one ran.
pub(super) fn git(case: &Case<'_>, words: &[&str]) -> String {
    let folder = case.folder();
    let place: &[&str] = if folder.is_empty() { &[] } else { &["-C", &folder] };
    line_of(std::iter::once("git").chain(place.iter().copied()).chain(words.iter().copied()))
}

pub(in super::super) fn use_suggested_command(case: &Case<'_>) -> Offered {
    let own = || case.printed().own_preparation(case.command()?.name());
    let suggested = case.printed().suggested_command().or_else(own).ok_or("the output suggests no command")?;
    let words: Vec<&str> = suggested.split_whitespace().collect();
    if words.iter().skip(1).any(|word| word.starts_with("--") && !matches!(*word, "--set-upstream" | "--save-dev")) {
        return Err("the command that the output names has options of its own");
    }
    let own = line_of(&words);
    let line = case.in_folder(&own);
    let runs_it =
        case.commands().any(|command| command.runs(&words.iter().take(2).copied().collect::<Vec<_>>().join(" ")));
    let steps = if runs_it {
        let deed = case.again_with(line).ok_or("its command line is not whole")?;
        vec![PlanStep::work(format!("Run {}", quoted(&own, 120)), deed, "It passes")]
    } else if case.is_whole() {
        vec![
            PlanStep::new(format!("Run {}", quoted(&own, 120)), Deed::Run(line), "It passes"),
            PlanStep::work("Repeat the call", case.again(), "It finds what it needs"),
        ]
    } else {
        return Err("its arguments are not whole");
    };
    Ok(Offer::new("the tool itself names the command", steps)
        .doing(format!("Run {}, which the tool names", quoted(&own, 120))))
}

pub(in super::super) fn set_changes_aside(case: &Case<'_>) -> Offered {
    if case.finding(Kind::DirtyTree).is_none() {
        return Err("no uncommitted change is in the way");
    }
    // What is taken out of the stash would be what was just put there.
    if case.commands().any(|command| command.is(Trait::SetsAside)) {
        return Err("the stash itself is worked on");
    }
    if !case.is_whole() {
        return Err("its command line is not whole");
    }
    let untracked = case.printed().untracked_in_the_way();
    if !untracked.is_empty() {
        return renamed_aside(case, &untracked);
    }
    let why = "uncommitted changes are in the way";
    let steps = vec![
        PlanStep::new(
            "Stash the changes",
            Deed::Run(git(case, &["stash", "push", "--include-untracked", "-m", "set aside for the next step"])),
            "The working tree is clean, and the changes are stashed",
        ),
        PlanStep::work("Repeat the call", case.again(), "The call passes"),
        // By its message: where nothing was stashed, the newest entry is somebody else's. It stays in the list.
        PlanStep::new(
            "Apply the stash",
            Deed::Run(git(case, &["stash", "apply", "--index", "stash^{/set aside for the next step}"])),
            "The changes are back, staged ones as staged; where this fails they are in the stash, whose entry stays",
        ),
    ];
    Ok(Offer::explained(why, steps))
}

/// Files that git does not track and the call would write over: what comes in their place can never be unstashed over, so they
/// get another name.
fn renamed_aside(case: &Case<'_>, paths: &[&str]) -> Offered {
    /// More than a person reads before agreeing.
    const MOST: usize = 5;
    let old = |path: &str| format!("{path}.old");
    // Git names them from the root of the repository.
    let can_move = |path: &&str| case.kind(path).is_some() && case.kind(&old(path)).is_none();
    if paths.len() > MOST || !paths.iter().all(can_move) || case.printed().names("local changes") {
        return Err("untracked files are in the way, which a stash would not give back");
    }
    let mut steps: Vec<PlanStep> = paths
        .iter()
        .map(|path| {
            PlanStep::new(
                format!("Rename it to {}", quoted(&old(path), 80)),
                Deed::Run(case.in_folder(&line_of(["mv", "-n", "--", path, &old(path)]))),
                "Nothing of yours is in the way",
            )
        })
        .collect();
    steps.push(PlanStep::work("Repeat the call", case.again(), "The call passes; your own file has the other name"));
    let first = quoted(paths.first().copied().unwrap_or_default(), 80);
    let state = format!("{first} is not tracked here, and the call would write over it");
    Ok(Offer::explained(state, steps).doing(format!("Move {first} aside")))
}

pub(in super::super) fn bring_up_to_date(case: &Case<'_>) -> Offered {
    let push = case.commands().find(|command| command.is(Trait::Pushes)).ok_or("nothing was pushed")?;
    if case.finding(Kind::RemoteAhead).is_none() || !case.is_whole() {
        return Err("the remote branch is not ahead");
    }
    if push.args.iter().any(|arg| arg == "-f" || arg.starts_with("--force") || arg.starts_with('+')) {
        return Err("the push overwrites on purpose");
    }
    let mut operands = push.subcommands().skip(1);
    let remote = operands.next().unwrap_or("origin").to_owned();
    let branch = operands.next().map(|refs| refs.rsplit(':').next().unwrap_or(refs).to_owned());
    let branch = branch.or_else(|| case.named(Kind::RemoteAhead).map(str::to_owned));
    let mut pull = vec!["pull", "--rebase", &remote];
    let fetched = branch.as_deref().filter(|branch| *branch != "HEAD" && !branch.starts_with('-'));
    pull.extend(fetched);
    let state = "the remote branch has commits that the local one lacks";
    let ahead = format!("{} && {}", git(case, &["fetch", &remote]), git(case, &["status", "--short", "--branch"]));
    let steps = vec![
        PlanStep::new("Fetch and compare with the remote", Deed::Run(ahead), "How far the branches differ"),
        PlanStep::new("Rebase your commits onto the remote branch", Deed::Run(git(case, &pull)), "The branch has both"),
        PlanStep::work("Push again", push_alone(case, push).unwrap_or_else(|| case.again()), "The push succeeds"),
    ];
    Ok(Offer::explained(state, steps))
}

/// The push of a line that did other things before it, which are done.
fn push_alone(case: &Case<'_>, push: &Command) -> Option<Deed> {
    let line = case.failed.line.as_deref()?;
    let subcommand = push.subcommands().next()?;
    let programs = case.words.iter().filter(|word| word.role == WordRole::Program && word.text == push.raw);
    let push = programs.rev().find(|word| case.arguments_of(word).any(|arg| arg.text == subcommand))?;
    let end = case.arguments_of(push).map(|arg| arg.range.end).max()?;
    let alone = line.get(push.range.start..end)?;
    (alone.trim() != line.trim()).then(|| case.again_with(case.in_folder(alone))).flatten()
}

pub(in super::super) fn switch_to_existing(case: &Case<'_>) -> Offered {
    let name = case.named(Kind::BranchExists).ok_or("no branch of that name exists")?;
    let creates = case.commands().any(|command| command.is(Trait::GoesToBranch));
    if !creates
        || name.starts_with('-')
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
    {
        return Err("no branch was to be made and switched to");
    }
    let state = format!("the branch {} already exists", quoted(name, 80));
    let steps = vec![
        PlanStep::new(
            "Show its last commits",
            Deed::Run(git(case, &["log", "--oneline", "-n", "5", name, "--"])),
            "Its last commits",
        ),
        PlanStep::work("Switch to it", Deed::Run(git(case, &["switch", name])), "It is checked out"),
    ];
    Ok(Offer::explained(state, steps))
}

pub(super) fn look_at_vcs_state(case: &Case<'_>) -> Offered {
    let branch = case.named(Kind::NotMerged).filter(|name| !name.starts_with('-'));
    if let Some(branch) = branch {
        let lost = git(case, &["log", "--oneline", branch, "--not", "HEAD", "--"]);
        let state = format!("{} has commits that are nowhere else", quoted(branch, 80));
        let look =
            PlanStep::new("Look which commits would be lost", Deed::Run(lost), "The commits that only this branch has");
        return Ok(
            Offer::new("look at the commits that would be lost before deleting the branch", vec![look]).seen(state)
        );
    }
    let special: &[(Kind, &[&str], &str)] = &[
        (Kind::InWorktree, &["worktree", "list"], "The worktrees and their branches"),
        (Kind::Unmerged, &["diff", "--name-only", "--diff-filter=U"], "The files that still conflict"),
        (Kind::DetachedHead, &["branch", "--all", "--contains", "HEAD"], "The branches that hold this commit"),
        (Kind::FolderExists, &["remote", "-v"], "What the folder was cloned from"),
        (Kind::BrokenObject, &["fsck", "--no-dangling"], "The objects that are missing or broken"),
        (Kind::NoStash, &["stash", "list"], "What is set aside"),
        (Kind::BranchExists, &["branch", "-vv"], "The branches, and where each ends"),
        (
            Kind::NothingStaged,
            &["diff", "--stat"],
            "The changes, of which those that belong to this commit are to be staged",
        ),
    ];
    let special = special.iter().find(|(kind, _, _)| case.finding(*kind).is_some());
    // What failed is not looked at once more.
    let asks =
        |command: &Command| command.program_is(Trait::VersionControl) && command.subcommands().next() == Some("status");
    let state = (!case.commands().any(asks)).then(|| git(case, &["status", "--short", "--branch"]));
    let mut lines: Vec<String> = state.into_iter().collect();
    lines.extend(special.map(|(_, words, _)| git(case, words)));
    lines.extend([git(case, &["log", "--oneline", "-n", "5"]), git(case, &["stash", "list"])]);
    let shows = special.map_or("The branch, the changes and the stash", |(_, _, shows)| shows);
    let is_unstaged = case.finding(Kind::NothingStaged).is_some();
    let why = if is_unstaged {
        "nothing is staged: choose the files that belong to this commit"
    } else {
        "the output does not show the state of the repository"
    };
    Ok(Offer::new(why, vec![PlanStep::new("Show the state", Deed::Run(lines.join("; ")), shows)]))
}

pub(super) fn look_at_conflict(case: &Case<'_>) -> Offered {
    let files = git(case, &["diff", "--name-only", "--diff-filter=U"]);
    let diff = git(case, &["diff"]);
    let mut steps = vec![
        PlanStep::new("Look which files conflict", Deed::Run(files), "Their names"),
        PlanStep::new("Read the conflict", Deed::Run(format!("{diff} | head -n 300")), "The conflicting places"),
    ];
    if let Some(file) = case.named(Kind::Conflict) {
        steps.push(PlanStep::new(
            format!("Read {}", quoted(file, 80)),
            Deed::Read { path: case.at(file), from: None },
            "The file with its conflict markers, to be merged by hand",
        ));
    }
    Ok(Offer::new("both branches changed the same place, and no rule decides which is right", steps))
}
