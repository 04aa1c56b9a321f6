//! Forms of a call that its program asks for, by its words or by what it printed: an option that is missing, a word of
//! another platform, a step that comes first. The plain ones are rows of `table.rs`.

mod patches;
mod table;
mod words;

use super::lines::{self, Mended, Own, behind, offered};
use crate::recover::case::{Case, Offer, Offered, join, name_of, parent};
use crate::recover::step::{Deed, Step};
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

use table::{Change, FORMS};

pub(in super::super) fn use_needed_form(case: &Case<'_>) -> Offered {
    let ways: &[fn(&Case<'_>) -> Option<Offer>] = &[
        configured,
        vendored,
        patches::as_patched,
        from_table,
        paths_behind,
        waiting_lock,
        own_upstream,
        near_submodule,
        own_branch,
        own_operation,
        |case| offered(case, case.failed.line.as_deref()?, words::WAYS),
    ];
    ways.iter().find_map(|way| way(case)).ok_or("the program does not say which form it needs")
}

fn once(deed: Deed, why: &str) -> Offer {
    Offer::new(why, vec![Step::work("Make the call in the form that is needed", deed, "The call passes")]).seen(why)
}

/// The first row of the table that changes the line.
fn from_table(case: &Case<'_>) -> Option<Offer> {
    offered(case, case.failed.line.as_deref()?, &[in_form])
}

fn in_form(case: &Case<'_>) -> Option<Mended> {
    FORMS.iter().filter(|form| case.says(form.says)).find_map(|form| {
        let mut names = form.program.split(' ');
        let (program, subcommand) = (names.next()?, names.next());
        // Of several calls of a program that with its subcommand.
        let is_it = |own: &Own<'_>| own.is(program) && subcommand.is_none_or(|name| own.word(name).is_some());
        let own = Own::all(case).find(is_it)?;
        let edit = match form.change {
            Change::Add(words) => {
                if words.split(' ').next().is_some_and(|first| own.word(first).is_some()) {
                    return None;
                }
                let after = subcommand.and_then(|name| own.word(name)).unwrap_or(own.program);
                behind(after.range.end, words)
            }
            Change::Put(given, words) => {
                let given: Vec<&str> = given.split(' ').collect();
                let is_given = |found: &&[&PlacedWord]| found.iter().zip(&given).all(|(word, own)| word.text == **own);
                let found = own.args.windows(given.len()).find(is_given)?;
                (found.first()?.range.start..found.last()?.range.end, words.to_owned())
            }
        };
        let does = "Make the call in the form that its program needs";
        Some(Mended { line: case.edited_line(vec![edit])?, why: form.why.to_owned(), does })
    })
}

/// A vendor folder of Go that does not fit, where the call asks for that folder.
fn vendored(case: &Case<'_>) -> Option<Offer> {
    if !case.says(&["inconsistent vendoring"]) || !case.failed.line.as_deref()?.contains("-mod=vendor") {
        return None;
    }
    let own = Own::of(case, &["go"])?;
    // Where its modules come from is the call's own affair.
    let is_set = |word: &&PlacedWord| {
        word.role == WordRole::Assignment && word.command == own.program.command && !word.text.starts_with("GOFLAGS=")
    };
    let set: Vec<&str> = case.words.iter().filter(is_set).map(|word| lines::raw(case, word)).collect();
    let line = [set.join(" "), "go mod vendor".to_owned()].join(" ");
    let make = Step::new(
        "Bring the vendor folder up to date, as Go tells",
        Deed::Run(case.in_folder(line.trim_start())),
        "It fits go.mod",
    );
    let why = "the vendored packages do not fit go.mod, and the call asks for them";
    Some(Offer::new(why, vec![make, Step::work("Make the call again", case.again(), "It passes")]).seen(why))
}

/// `flock -n` gives up at once where the lock is held; `-w` waits.
fn waiting_lock(case: &Case<'_>) -> Option<Offer> {
    let program = case.words.iter().find(|word| word.text == "flock")?;
    if case.failed.exit_code != Some(1) || !case.text().trim().is_empty() {
        return None;
    }
    let flag = case.arguments_of(program).find(|word| matches!(word.text.as_str(), "-n" | "--nonblock" | "--nb"))?;
    let deed = case.again_with_text(flag, "-w 60")?;
    Some(once(deed, "the lock is held by another process, and the call did not wait for it"))
}

/// A build folder that was never configured, or elsewhere.
fn configured(case: &Case<'_>) -> Option<Offer> {
    const NEVER: &[&str] =
        &["is not a directory", "could not load cache", "not a CMake build directory", "CMakeCache.txt"];
    let command = case.commands().find(|command| command.name() == "cmake" && command.has_arg("--build"))?;
    let is_moved = case.says(table::OTHER_PLACE);
    let folder = command.args.iter().skip_while(|arg| *arg != "--build").nth(1)?;
    let is_there = |sources: &&str| case.kind(&join(sources, "CMakeLists.txt")).is_some();
    let sources = [".", ".."].into_iter().find(is_there).filter(|_| is_moved || case.says(NEVER))?;
    let fresh = is_moved.then_some("--fresh");
    let words = ["cmake"].into_iter().chain(fresh).chain(["-S", sources, "-B", folder]);
    let steps = vec![
        Step::new(
            "Configure the build folder",
            Deed::Run(case.in_folder(&line_of(words))),
            "The build system is written",
        ),
        Step::work("Make the call again", case.again(), "It is built"),
    ];
    let how = if is_moved { "was configured elsewhere" } else { "was never configured" };
    let why = format!("{} {how}", quoted(folder, 80));
    Some(Offer::new(why.clone(), steps).seen(why))
}

/// The branch of the same name on the only remote, where a branch has no upstream to pull from.
fn own_upstream(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.runs("git pull"))?;
    if !case.says(&["no tracking information for the current branch"]) || command.subcommands().count() > 1 {
        return None;
    }
    let refs = case.looks.refs(&case.folder());
    let head = refs.head.filter(|head| refs.remote_branches.contains(head))?;
    let [remote] = refs.remotes.as_slice() else { return None };
    let last = case.arguments_of(case.word_of(command)?).last()?;
    let raw = case.failed.line.as_deref()?.get(last.range.clone())?;
    let deed = case.again_with_text(last, &format!("{raw} {}", line_of([remote, &head])))?;
    Some(once(deed, "the branch follows none, and the remote has one of its name"))
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
    const SAYS: &[&str] =
        &["no rebase in progress", "no cherry-pick or revert in progress", "no merge in progress", "There is no merge"];
    let git = Own::all(case).find(|own| own.is("git") && own.word("--continue").is_some())?;
    let asked =
        git.args.iter().find(|word| matches!(&*word.text, "rebase" | "cherry-pick" | "revert" | "merge" | "am"))?;
    let mut going = OPERATIONS.iter().filter(|(mark, _)| case.kind(&format!(".git/{mark}")).is_some());
    let (_, own) = going.next().filter(|(_, own)| *own != asked.text && case.says(SAYS))?;
    // The message that is there is taken as it is: nobody is there to edit it.
    let edits = vec![(asked.range.clone(), format!("-c core.editor=true {own}"))];
    let deed = case.again_with(case.edited_line(edits)?).filter(|_| going.next().is_none())?;
    let why = format!("what goes on here is a {own}, and no {}", asked.text);
    Some(once(deed, &why))
}

/// A submodule whose address is a folder beside the project: git follows such a one only when told to.
fn near_submodule(case: &Case<'_>) -> Option<Offer> {
    let address = case.between("clone of '", "' into submodule path")?;
    let cwd = case.failed.cwd.as_deref()?;
    let is_near =
        address.starts_with(&format!("{cwd}/")) && !address.contains("..") && case.looks.kind(address).is_some();
    if !case.says(&["transport 'file' not allowed"]) || !is_near {
        return None;
    }
    let command = case.commands().find(|command| command.runs("git submodule"))?;
    let word = case.word_of(command)?;
    let deed = case.again_with_text(word, "git -c protocol.file.allow=always")?;
    Some(once(deed, "the submodule's address is a folder of this project, which git follows only when told to"))
}

/// The own branch that follows one of a remote, where `git switch` was given the remote's.
fn own_branch(case: &Case<'_>) -> Option<Offer> {
    let named = case.between("a branch is expected, got remote branch '", "'")?;
    let refs = case.looks.refs(&case.folder());
    let own = refs.remotes.iter().find_map(|remote| named.strip_prefix(&format!("{remote}/")))?;
    let command = case.commands().find(|command| command.runs("git switch"))?;
    let word = case.arguments_of(case.word_of(command)?).find(|word| word.is_literal && word.text == named)?;
    let deed = case.again_replacing(&[(word, own)])?;
    Some(once(deed, "`git switch` makes a branch of its own that follows the remote's"))
}

/// A path that is no longer there can be told from a revision only behind `--`.
fn paths_behind(case: &Case<'_>) -> Option<Offer> {
    let command = case
        .commands()
        .find(|command| command.runs("git log") || command.runs("git diff") || command.runs("git rev-list"))?;
    if command.has_arg("--") || !case.says(&["Use '--' to separate paths from revisions"]) {
        return None;
    }
    let named =
        case.between("ambiguous argument '", "'").filter(|name| name.contains(['/', '.']) && !name.contains(".."))?;
    // A branch of a remote, or one whose name has a stroke, is no path: it would be looked for in vain.
    let is_branch =
        case.looks.refs(&case.folder()).remotes.iter().any(|remote| named.starts_with(&format!("{remote}/")));
    let stood_there = name_of(named).contains('.') || case.kind(&parent(named)).is_some();
    if is_branch || case.looks.is_looking() && !stood_there {
        return None;
    }
    let word = case.arguments_of(case.word_of(command)?).find(|word| word.text == named)?;
    let deed = case.again_with_text(word, &format!("-- {}", quoted_word(named)))?;
    Some(once(deed, "git takes the name for a revision, and it is that of a file"))
}
