//! Forms of a call that its program asks for, by its words or by what lies here: an option that is missing, a step that comes
//! first. The plain ones are rows of the room of forms.

mod contents;
mod converted;
mod order;
mod patches;
mod scripts;
mod search_paths;
mod variables;
mod words;

use super::lines::{self, Mended, Own, offered};
use super::vcs::git;
use crate::diagnose::form_against;
use crate::forms::{self, FormRow};
use crate::model::{Category, Finding, FindingKind as K, MetMode};
use crate::programs::words::REVISION_READERS;
use crate::recover::case::{Case, Offer, Offered, join, name_of, parent};
use crate::recover::look::FileKind;
use crate::recover::step::{Deed, PlanStep};
use crate::redact::names_secrets;
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

pub(in super::super) fn use_needed_form(case: &Case<'_>) -> Offered {
    let ways: &[fn(&Case<'_>) -> Option<Offer>] = &[
        configured,
        patches::as_patched,
        own_branch,
        from_its_remote,
        |case| offered(case, case.failed.line.as_deref()?, &[in_form]),
        paths_behind,
        waiting_lock,
        own_operation,
        staged_alone,
        without_waiting,
        |case| offered(case, case.failed.line.as_deref()?, words::WAYS).map(Offer::guessing),
        |case| offered(case, case.failed.line.as_deref()?, contents::WAYS),
    ];
    ways.iter().find_map(|way| way(case)).ok_or("the program does not say which form it needs")
}

fn once(deed: Deed, why: &str) -> Offer {
    Offer::explained(why, vec![PlanStep::work("Make the call in the form that is needed", deed, "The call passes")])
}

/// The first form that answers what was printed and changes the line.
fn in_form(case: &Case<'_>) -> Option<Mended> {
    let line = case.failed.line.as_deref()?;
    // A program that starts another, such as `xargs`, has forms of its own.
    let written = case.words.iter().filter(|word| word.role == WordRole::Program).map(|word| word.text.as_str());
    let programs = case.commands().map(|command| command.program.as_str()).chain(written);
    let rows = programs.flat_map(forms::rows_for);
    // What is there may be a file in the place of the folder.
    let is_folder = |word: &PlacedWord| word.is_literal && case.looks.kind(&word.text) == Some(FileKind::Dir);
    let of_line = |line: &str| case.words.iter().any(|word| line.contains(&word.text) && is_folder(word));
    let is_seen = |finding: &Finding<'_>| finding.kind != K::FileExists || of_line(finding.line);
    let is_asked = |row: &&FormRow| case.findings().any(|finding| row.answers(finding) && is_seen(finding));
    rows.filter(is_asked).flat_map(FormRow::forms).find_map(|form| {
        let does = "Make the call in the form that its program needs";
        Some(Mended { line: form.needed(line)?, why: form.row.note.to_owned(), does })
    })
}

/// `flock -n` gives up at once where the lock is held, and `-w 1` soon; `-w 60` waits.
fn waiting_lock(case: &Case<'_>) -> Option<Offer> {
    let program = case.words.iter().find(|word| word.text == "flock")?;
    if case.failed.exit_code != Some(1) || !case.printed().is_blank() && case.finding(K::LockHeld).is_none() {
        return None;
    }
    let args: Vec<&PlacedWord> = case.arguments_of(program).collect();
    let at = |names: &[&str]| args.iter().position(|word| names.contains(&word.text.as_str()));
    let is_held = || {
        let lock = args.iter().find(|word| case.kind(&word.text).is_some_and(|kind| kind != FileKind::Dir));
        lock.and_then(|lock| case.looks.lock(&case.at(&lock.text))).is_some_and(|holder| holder.is_alive)
    };
    let edit = if let Some(flag) = at(&["-n", "--nonblock", "--nb"]) {
        (args.get(flag)?.range.clone(), "-w 60".to_owned())
    } else {
        // What it runs may end so, too: only who holds the lock tells.
        let seconds = at(&["-w", "--wait", "--timeout"]).filter(|_| is_held())?;
        (args.get(seconds + 1)?.range.clone(), "60".to_owned())
    };
    let deed = case.again_edited(vec![edit])?;
    Some(once(deed, "the lock is held by another process, and the call did not wait long enough for it"))
}

/// A build folder that was never configured, or elsewhere.
fn configured(case: &Case<'_>) -> Option<Offer> {
    let is_moved = case.finding(K::ForeignCache).is_some();
    case.finding(K::NotConfigured).filter(|_| !is_moved).or_else(|| case.finding(K::ForeignCache))?;
    let command = case.commands().find(|command| command.has_arg("--build"))?;
    let folder = command.args.iter().skip_while(|arg| *arg != "--build").nth(1)?;
    let is_there = |sources: &&str| case.kind(&join(sources, "CMakeLists.txt")).is_some();
    let sources = [".", ".."].into_iter().find(is_there)?;
    let fresh = is_moved.then_some("--fresh");
    let words = ["cmake"].into_iter().chain(fresh).chain(["-S", sources, "-B", folder]);
    let steps = vec![
        PlanStep::new(
            "Configure the build folder",
            Deed::Run(case.in_folder(&line_of(words))),
            "The build system is written",
        ),
        PlanStep::work("Make the call again", case.again(), "It is built"),
    ];
    let how = if is_moved { "was configured elsewhere" } else { "was never configured" };
    let why = format!("{} {how}", quoted(folder, 80));
    Some(Offer::explained(why, steps))
}

/// The only changed file, where a commit finds nothing staged. Of several the person or the agent says which belong to it.
fn staged_alone(case: &Case<'_>) -> Option<Offer> {
    case.finding(K::NothingStaged)?;
    let call = Own::all(case).find(|own| own.word("commit").is_some())?;
    let adds = Own::all(case).any(|own| own.word("add").is_some() || own.word("stage").is_some());
    let names_files = call.args.iter().any(|word| word.text == "--" || case.kind(&word.text).is_some());
    let (_, unstaged) = case.failed.text.split_once("Changes not staged for commit:")?;
    // Until the empty line: a part of the list says nothing of the rest.
    let (unstaged, _) = unstaged.split_once("\n\n")?;
    let mut changed = unstaged.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('('));
    let path = changed.next()?.strip_prefix("modified:")?.trim();
    let is_plain = !path.starts_with('"') && !path.ends_with(')') && !may_hold_secret(path);
    if adds || names_files || !is_plain || changed.next().is_some() || !case.is_whole() {
        return None;
    }
    let add = Deed::Run(git(case, &["add", "--", path]));
    let steps = vec![
        PlanStep::new(format!("Stage {}", quoted(path, 100)), add, "Its changes are staged"),
        PlanStep::work("Repeat the commit", case.again(), "It is committed"),
    ];
    let why = format!("nothing is staged, and {} is the only changed file", quoted(path, 100));
    Some(Offer::explained(why, steps).doing("Stage the only changed file, then commit"))
}

/// Whether a file may hold a secret, by its name.
fn may_hold_secret(path: &str) -> bool {
    const PARTS: &[&str] = &["secret", "passw", "credential", "token", "private", ".env", "key"];
    let lower = path.to_ascii_lowercase();
    names_secrets(path) || PARTS.iter().any(|part| lower.contains(part))
}

/// The form that does not wait, where a call waited for input until the limit, or asked and got no answer. One with a text
/// that is still to be chosen is said in the question.
fn without_waiting(case: &Case<'_>) -> Option<Offer> {
    let is_sure = |met: &MetMode| met.waits() && (case.category() == Category::Timeout || met.decided);
    let form = form_against(case.failed.met.as_ref().filter(|met| is_sure(met))?)?;
    let line = form.working(case.failed.line.as_deref()?).filter(|_| !form.row.only_ends && !form.is_to_be_filled())?;
    let is_over = case.category() == Category::Timeout;
    let why = if is_over {
        "it waited for input until the time limit"
    } else {
        "it asked a question that nobody answers here"
    };
    Some(once(case.again_with(line)?, why).doing(form.row.note.trim_end_matches('.')))
}

/// What goes on in the repository, where another was to be continued: `git rebase --continue` within a cherry-pick.
fn own_operation(case: &Case<'_>) -> Option<Offer> {
    const OPERATIONS: &[(&str, &str)] = &[
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
    ];
    case.finding(K::NothingUnderway)?;
    let call = Own::all(case).find(|own| own.word("--continue").is_some())?;
    let is_operation = |word: &&&PlacedWord| OPERATIONS.iter().any(|(_, own)| *own == word.text) || word.text == "am";
    let asked = call.args.iter().find(is_operation)?;
    let mut going = OPERATIONS.iter().filter(|(mark, _)| case.kind(&format!(".git/{mark}")).is_some());
    let (_, own) = going.next().filter(|(_, own)| *own != asked.text)?;
    // The message that is there is taken as it is: nobody is there to edit it.
    let edits = vec![(asked.range.clone(), format!("-c core.editor=true {own}"))];
    let deed = case.again_edited(edits).filter(|_| going.next().is_none())?;
    let why = format!("a {own} is in progress here, and no {}", asked.text);
    Some(once(deed, &why))
}

/// The own branch that follows one of a remote, where `git switch` was given the remote's.
fn own_branch(case: &Case<'_>) -> Option<Offer> {
    let named = case.finding(K::NotABranch)?.name?;
    let refs = case.looks.refs(&case.folder());
    let own = refs.remotes.iter().find_map(|remote| named.strip_prefix(&format!("{remote}/")))?;
    let word =
        case.words.iter().find(|word| word.role == WordRole::Argument && word.is_literal && word.text == named)?;
    let deed = case.again_replacing(&[(word, own)])?;
    Some(once(deed, "`git switch` makes a branch of its own that follows the remote's"))
}

/// A pull of a branch that follows none, where the only remote has one of its name.
fn from_its_remote(case: &Case<'_>) -> Option<Offer> {
    let own = Own::of(case, &["git"])?;
    let pull = own.word("pull").filter(|pull| own.args.last().is_some_and(|last| std::ptr::eq(*last, *pull)))?;
    let refs = case.looks.refs(&case.folder());
    let head = refs.head.filter(|head| refs.remote_branches.contains(head))?;
    let [remote] = refs.remotes.as_slice() else { return None };
    let deed = case.again_edited(vec![lines::behind(pull.range.end, &line_of([remote, &head]))])?;
    case.failed
        .text
        .contains("no tracking information")
        .then(|| once(deed, "the branch has no upstream, and the remote has a branch of the same name"))
}

/// A path that is no longer there can be told from a revision only behind `--`.
fn paths_behind(case: &Case<'_>) -> Option<Offer> {
    let named = case.finding(K::UnknownRef)?.name?;
    let command = case.commands().find(|command| REVISION_READERS.iter().any(|call| command.runs(call)))?;
    if command.has_arg("--") || !named.contains(['/', '.']) || named.contains("..") {
        return None;
    }
    // A branch of a remote, or one whose name has a stroke, is no path: it would be looked for in vain.
    let remotes = case.looks.refs(&case.folder()).remotes;
    let is_branch = remotes.iter().any(|remote| named.starts_with(&format!("{remote}/")));
    // An ending of letters is that of a file, one of figures a version's.
    let ends = |(_, ending): (&str, &str)| ending.starts_with(|c: char| c.is_ascii_alphabetic());
    let stood_there =
        name_of(named).rsplit_once('.').is_some_and(ends) || named.contains('/') && case.kind(&parent(named)).is_some();
    if is_branch || case.looks.is_looking() && !stood_there {
        return None;
    }
    let word = case.arguments_of(case.word_of(command)?).find(|word| word.text == named)?;
    let deed = case.again_with_text(word, &format!("-- {}", quoted_word(named)))?;
    Some(once(deed, "git takes the name for a revision, and it is that of a file"))
}
