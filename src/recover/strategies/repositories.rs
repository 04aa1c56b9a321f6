//! A repository that lacks what the call takes for granted: history, branches, an address, an owner.

use super::super::case::{Case, Offer, Offered, between, join, name_of, parent};
use super::super::look::Refs;
use super::super::step::{Deed, Step};
use super::names::wrong_ref;
use super::vcs::git;
use crate::names::only_close;
use crate::shell::quoted_word;
use crate::text::quoted;

pub(in super::super) fn complete_the_repository(case: &Case<'_>) -> Offered {
    if !case.is_whole() {
        return Err("its command line is not whole");
    }
    skip_the_empty(case)
        .or_else(|| trust_the_owner(case))
        .or_else(|| whole_history(case))
        .or_else(|| fetch_the_name(case))
        .or_else(|| mend_the_address(case))
        .ok_or("nothing shows that the repository lacks something")
}

/// A commit that is picked and whose changes are here already: git names the word that goes on with the next one.
fn skip_the_empty(case: &Case<'_>) -> Option<Offer> {
    // With changes that are not committed it would not be clear whose they are.
    let is_clean = case.says(&["working tree clean", "nothing added to commit but untracked files present"]);
    if !is_clean || !case.runs("git cherry-pick") || !case.says(&["cherry-pick is now empty"]) {
        return None;
    }
    let skip = case.again_with(git(case, &["cherry-pick", "--skip"]))?;
    let state = "the changes of the picked commit are in this branch already";
    let steps = vec![Step::work("Leave the empty commit out, and go on", skip, "The other commits are picked")];
    Some(Offer::new(state, steps).doing("Leave the empty commit out").seen(state))
}

/// A folder that another user owns: git is told for this one call that it may be read, and no setting is changed.
fn trust_the_owner(case: &Case<'_>) -> Option<Offer> {
    let place = case.between("detected dubious ownership in repository at '", "'")?;
    let cwd = case.failed.cwd.as_deref()?.trim_end_matches('/');
    // Of a repository beside the folder that is worked in, nobody has said that it is trusted.
    let is_own = place.starts_with('/') && (place == cwd || below(cwd, place) || below(place, cwd));
    let line = case.failed.line.as_deref().filter(|_| is_own)?;
    let set =
        format!("export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0={}", quoted_word(place));
    let step = case.again_with(format!("{set} && {line}"))?;
    let state = format!("{} belongs to another user of this machine", quoted(place, 100));
    let steps = vec![Step::work("Trust the folder for this call", step, "git reads the repository")];
    Some(Offer::new(state.clone(), steps).doing("Trust the folder for this call alone").seen(state))
}

fn below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A clone without its history, where a tag, a commit or a common ancestor is not found.
fn whole_history(case: &Case<'_>) -> Option<Offer> {
    const SAYS: &[&str] = &[
        "cannot describe",
        "No tags can describe",
        "shallow update not allowed",
        "no merge base",
        "unrelated histories",
        "unknown revision",
        "bad revision",
        "bad object",
        "Not a valid object name",
        "Not a valid commit name",
        "invalid reference",
        "invalid upstream",
        "not something we can merge",
        "known to git",
        "Needed a single revision",
        "unable to read tree",
        "does not point to a commit",
        "shallow clone",
        "shallow repository",
    ];
    case.looks.kind(&case.at(".git/shallow")).filter(|_| case.says(SAYS))?;
    let remote = remote(case)?;
    let mut steps = Vec::new();
    // A shallow clone follows one branch: a name that is none of its commits may be another one.
    let refs = case.looks.refs(&case.folder());
    if wrong_ref(case).is_some_and(|name| unknown_end(name, &refs, &remote).is_some()) {
        steps.extend(follow_all(case, &remote));
    }
    steps.push(Step::new(
        "Fetch the whole history",
        Deed::Run(git(case, &["fetch", "--unshallow", "--tags", &remote])),
        "The commits and tags that the clone left out",
    ));
    steps.push(Step::work("Make the call again", case.again(), "It finds what it needs"));
    let state = "the clone is shallow: it holds the last commits of one branch";
    Some(Offer::new(state, steps).doing("Fetch the history that the clone left out").seen(state))
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
fn follow_all(case: &Case<'_>, remote: &str) -> Option<Step> {
    let config = case.looks.text(&case.at(".git/config"))?;
    let follows_all = section(&config, remote).any(|line| line.starts_with("fetch") && line.contains("refs/heads/*"));
    (!follows_all).then(|| {
        let line = git(case, &["remote", "set-branches", remote, "*"]);
        Step::new("Follow all branches of the remote", Deed::Run(line), "The clone was made of one branch")
    })
}

/// The lines of a remote in git's configuration.
fn section<'c>(config: &'c str, remote: &str) -> impl Iterator<Item = &'c str> {
    let head = format!("[remote \"{remote}\"]");
    let lines = config.lines().map(str::trim).skip_while(move |line| *line != head).skip(1);
    lines.take_while(|line| !line.starts_with('['))
}

/// Subcommands that only need a name to be known here.
const READS_A_NAME: &[&str] = &[
    "checkout",
    "switch",
    "merge",
    "rebase",
    "log",
    "diff",
    "show",
    "merge-base",
    "rev-parse",
    "rev-list",
    "describe",
    "cherry-pick",
    "worktree",
    "branch",
    "tag",
    "blame",
    "archive",
    "range-diff",
    "shortlog",
];

/// A branch or tag that nobody has fetched yet.
fn fetch_the_name(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.name() == "git")?;
    let subcommand = command.subcommands().next()?;
    let is_removed = ["-d", "-D", "--delete"].iter().any(|option| command.has_arg(option));
    if !READS_A_NAME.contains(&subcommand) || is_removed || case.says(&["couldn't find remote ref", "known to git, or"])
    {
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
    let mut steps: Vec<Step> = follow_all(case, &remote).into_iter().collect();
    let known = "What the other side has is known here";
    steps.push(Step::new(format!("Fetch from {}", quoted(&remote, 60)), Deed::Run(git(case, &fetch)), known));
    steps.push(Step::work("Make the call again", case.again(), "The name is known, if the other side has it"));
    let state = format!("{} is not known here, and may not have been fetched yet", quoted(unknown, 80));
    let mut offer = Offer::new(state.clone(), steps).doing("Fetch what the other side has").seen(state);
    // A slip of the hand is likelier where a name like it is there.
    offer.confidence = Some(0.85);
    Some(offer)
}

/// Whether a word looks like the name of a file: a short ending of letters.
fn is_name_of_file(word: &str) -> bool {
    let ending = name_of(word).rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| (1..=4).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// A remote whose address is a folder that is not there, beside the one repository with a name like it.
fn mend_the_address(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.name() == "git")?;
    // What is sent to another repository than the one that was meant is not taken back.
    let subcommand = command.subcommands().next()?;
    if !matches!(subcommand, "clone" | "fetch" | "pull" | "ls-remote" | "remote") {
        return None;
    }
    let says = |line| {
        between(line, "fatal: '", "' does not appear to be a git repository")
            .or_else(|| between(line, "repository '", "' does not exist"))
    };
    let address = case.text().lines().find_map(says).filter(|address| is_path(address))?;
    let folder = parent(address);
    let is_repository = |name: &str| {
        let at = case.at(&join(&folder, name));
        ["HEAD", ".git"].iter().any(|own| case.looks.kind(&join(&at, own)).is_some())
    };
    let names = case.looks.names(&case.at(&folder));
    let repositories: Vec<&str> =
        names.iter().filter(|name| name.is_dir && is_repository(&name.name)).map(|name| &*name.name).collect();
    let name = name_of(address);
    let bare = name.strip_suffix(".git");
    let other_form = bare.map_or_else(|| format!("{name}.git"), str::to_owned);
    let near = repositories.iter().copied().find(|own| *own == other_form);
    let near = near.or_else(|| only_close(name, repositories.iter().copied()))?;
    let right = if address.starts_with("./") { format!("./{near}") } else { join(&folder, near) };
    let state = format!("{} is not there, and {} is", quoted(address, 100), quoted(&right, 100));
    if subcommand == "clone" {
        let word = case.words.iter().find(|word| word.is_literal && word.text == address)?;
        let step = case.again_replacing(&[(word, &right)])?;
        let steps = vec![Step::work("Clone the repository that is there", step, "It is cloned")];
        return Some(Offer::new(state.clone(), steps).doing("Correct the address").seen(state));
    }
    let config = case.looks.text(&case.at(".git/config"))?;
    let refs = case.looks.refs(&case.folder());
    let has_it = |remote: &&String| {
        section(&config, remote)
            .any(|line| line.split_once('=').is_some_and(|(key, value)| key.trim() == "url" && value.trim() == address))
    };
    let remote = refs.remotes.iter().find(has_it).filter(|remote| !remote.starts_with('-'))?;
    let steps = vec![
        Step::new(
            format!("Give {} the address that is there", quoted(remote, 60)),
            Deed::Run(git(case, &["remote", "set-url", remote, &right])),
            "The remote is the repository beside",
        ),
        Step::work("Make the call again", case.again(), "The other side answers"),
    ];
    Some(Offer::new(state.clone(), steps).doing("Correct the address of the remote").seen(state))
}

fn is_path(address: &str) -> bool {
    address.contains('/') && !address.contains(':') && !address.starts_with(['-', '~'])
}
