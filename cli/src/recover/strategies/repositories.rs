//! A repository that lacks what the call takes for granted: history, branches, an address, an owner.

use super::super::case::{Case, Offer, Offered, name_of};
use super::super::look::Refs;
use super::super::step::{Deed, PlanStep};
use super::names::wrong_ref;
use super::vcs::git;
use crate::model::FindingKind as Kind;
use crate::programs::Trait;
use crate::text::quoted;

pub(in super::super) fn complete_the_repository(case: &Case<'_>) -> Offered {
    if !case.is_whole() {
        return Err("its command line is not whole");
    }
    skip_the_empty(case)
        .or_else(|| whole_history(case))
        .or_else(|| fetch_the_name(case))
        .ok_or("nothing shows that the repository lacks something")
}

/// A commit that is picked and whose changes are here already: git names the word that goes on with the next one.
fn skip_the_empty(case: &Case<'_>) -> Option<Offer> {
    // With changes that are not committed it would not be clear whose they are.
    case.finding(Kind::CleanTree).and(case.finding(Kind::EmptyCommit))?;
    let skip = case.again_with(git(case, &["cherry-pick", "--skip"]))?;
    let state = "the changes of the picked commit are in this branch already";
    let steps = vec![PlanStep::work("Leave the empty commit out, and go on", skip, "The other commits are picked")];
    Some(Offer::explained(state, steps).doing("Leave the empty commit out"))
}

/// A clone without its history, where a tag, a commit or a common ancestor is not found.
fn whole_history(case: &Case<'_>) -> Option<Offer> {
    const KINDS: &[Kind] = &[Kind::MissingHistory, Kind::UnknownRef, Kind::UnknownPathspec, Kind::BrokenObject];
    case.looks.kind(&case.at(".git/shallow")).filter(|_| case.finds(KINDS))?;
    let remote = remote(case)?;
    let mut steps = Vec::new();
    // A shallow clone follows one branch: a name that is none of its commits may be another one.
    let refs = case.looks.refs(&case.folder());
    if wrong_ref(case).is_some_and(|name| unknown_end(name, &refs, &remote).is_some()) {
        steps.extend(follow_all(case, &remote));
    }
    steps.push(PlanStep::new(
        "Fetch the whole history",
        Deed::Run(git(case, &["fetch", "--unshallow", "--tags", &remote])),
        "The commits and tags that the clone left out",
    ));
    steps.push(PlanStep::work("Repeat the call", case.again(), "It finds what it needs"));
    let state = "the clone is shallow: it has the last commits of one branch";
    Some(Offer::explained(state, steps).doing("Fetch the history that the clone left out"))
}

/// The part of a revision or range that names what is neither a branch nor a tag here.
fn unknown_end<'n>(name: &'n str, refs: &Refs, remote: &str) -> Option<&'n str> {
    let is_one = |names: &[String], name: &str| names.iter().any(|own| own == name);
    let is_known = |name: &str| {
        let of_remote = name.strip_prefix(remote).and_then(|rest| rest.strip_prefix('/'));
        let is_own = is_one(&refs.branches, name) || is_one(&refs.tags, name);
        is_own || of_remote.is_some_and(|name| is_one(&refs.remote_branches, name))
    };
    // Behind `~`, `^`, `@` and `:` stands what is counted or read from a name.
    let ends = name.split("..").map(|end| end.trim_start_matches('.'));
    let mut names = ends.map(|end| end.split(['~', '^', '@', ':']).next().unwrap_or(end));
    names.find(|name| !name.is_empty() && !is_of_head(name) && !is_known(name))
}

/// Whether a revision only counts back from where the branch stands.
fn is_of_head(name: &str) -> bool {
    name.starts_with("HEAD") || name.starts_with('@')
}

/// The remote that is fetched from: the only one, else the one of the usual name.
fn remote(case: &Case<'_>) -> Option<String> {
    let remotes = case.looks.refs(&case.folder()).remotes;
    let mut named = remotes.iter().filter(|name| remotes.len() == 1 || *name == "origin");
    named.next().filter(|name| !name.starts_with('-')).cloned()
}

/// The step that lets a clone of one branch follow them all.
fn follow_all(case: &Case<'_>, remote: &str) -> Option<PlanStep> {
    let config = case.looks.text(&case.at(".git/config"))?;
    let follows_all = section(&config, remote).any(|line| line.starts_with("fetch") && line.contains("refs/heads/*"));
    (!follows_all).then(|| {
        let line = git(case, &["remote", "set-branches", remote, "*"]);
        PlanStep::new("Follow all branches of the remote", Deed::Run(line), "The clone was made of one branch")
    })
}

/// The lines of a remote in git's configuration.
fn section<'c>(config: &'c str, remote: &str) -> impl Iterator<Item = &'c str> {
    let head = format!("[remote \"{remote}\"]");
    let lines = config.lines().map(str::trim).skip_while(move |line| *line != head).skip(1);
    lines.take_while(|line| !line.starts_with('['))
}

/// A branch or tag that nobody has fetched yet.
fn fetch_the_name(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.program_is(Trait::VersionControl))?;
    let is_removed = ["-d", "-D", "--delete"].iter().any(|option| command.has_arg(option));
    if !command.is(Trait::NamesRevisions) || is_removed {
        return None;
    }
    let name = wrong_ref(case)?;
    let refs = case.looks.refs(&case.folder());
    let remote = remote(case)?;
    let unknown = unknown_end(name, &refs, &remote)?;
    let is_plain = |name: &str| {
        !name.starts_with('-') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./#+".contains(&byte))
    };
    if !is_plain(unknown) || is_name_of_file(unknown) {
        return None;
    }
    let is_version = unknown.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let mut fetch = vec!["fetch"];
    fetch.extend(is_version.then_some("--tags"));
    fetch.push(&remote);
    let mut steps: Vec<PlanStep> = follow_all(case, &remote).into_iter().collect();
    let known = "The branches and tags of the remote are known here";
    steps.push(PlanStep::new(format!("Fetch from {}", quoted(&remote, 60)), Deed::Run(git(case, &fetch)), known));
    steps.push(PlanStep::work("Repeat the call", case.again(), "The name is known if the remote has it"));
    let state = format!("{} is not known here, and may not have been fetched yet", quoted(unknown, 80));
    let mut offer = Offer::explained(state, steps).doing("Fetch from the remote");
    // A slip of the hand is likelier where a name like it is there.
    offer.confidence = Some(0.85);
    Some(offer)
}

/// Whether a word looks like the name of a file: a short ending of letters.
fn is_name_of_file(word: &str) -> bool {
    let ending = name_of(word).rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| (1..=4).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_lowercase()))
}
