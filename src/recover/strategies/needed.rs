//! Forms that a tool itself asks for: an option that is missing, a word of another platform, a step that comes first.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, Step};
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

/// What a call lacks, by what its program says.
struct Needed {
    /// The program, and its subcommand.
    program: &'static str,
    says: &'static [&'static str],
    change: Change,
    why: &'static str,
}

enum Change {
    /// Words behind the program and its subcommand.
    Add(&'static str),
    /// Words in the place of a word.
    Put(&'static str, &'static str),
}

const fn add(program: &'static str, says: &'static [&'static str], words: &'static str, why: &'static str) -> Needed {
    Needed { program, says, change: Change::Add(words), why }
}

const fn put(
    program: &'static str,
    says: &'static [&'static str],
    word: &'static str,
    words: &'static str,
    why: &'static str,
) -> Needed {
    Needed { program, says, change: Change::Put(word, words), why }
}

#[rustfmt::skip]
const NEEDED: &[Needed] = &[
    add("cp", &["omitting directory", "is a directory (not copied)"], "-r", "a folder is copied only with `-r`"),
    add("scp", &["not a regular file", "is a directory"], "-r", "a folder is copied only with `-r`"),
    add("grep", &["Is a directory"], "-r", "a folder is searched only with `-r`"),
    add("mkdir", &["No such file or directory"], "-p", "the folders above it are made only with `-p`"),
    add("rsync", &["mkdir \"", "mkdir: No such file"], "--mkpath", "the folders above it are made only with `--mkpath`"),
    add("sqlite3", &["database is locked"], "-cmd \".timeout 20000\"", "another process is writing, and it waits for that only when told to"),
    add("xargs", &["unmatched single quote", "unmatched double quote"], "-d '\\n'", "names hold quotes, and only lines are read as they are"),
    add("git pull", &["Need to specify how to reconcile divergent branches"], "--rebase", "both sides have commits, and git asks how to join them"),
    add("git commit", &["DCO", "Signed-off-by line", "missing Signed-off-by", "no Signed-off-by", "not signed off"], "--signoff", "the project wants each commit signed off"),
    add("git commit", &["no changes added to commit"], "--all", "the changes are not staged, and git names this way to commit them"),
    add("git revert", &["is a merge but no -m option was given"], "-m 1", "a merge is reverted against one of its parents"),
    add("git cherry-pick", &["is a merge but no -m option was given"], "-m 1", "a merge is picked against one of its parents"),
    put("git pull", &["Not possible to fast-forward"], "--ff-only", "--rebase", "both sides have commits, and a fast-forward takes only one"),
    put("git checkout", &["could be both a local file and a tracking branch"], "checkout", "switch", "`git switch` takes only branches"),
    put("npm ci", &["can only install with an existing package-lock.json", "can only install packages when your package.json and package-lock.json"], "ci", "install", "there is no lock file that fits, and `npm ci` needs one"),
    put("npm clean-install", &["can only install with an existing package-lock.json"], "clean-install", "install", "there is no lock file, and `npm ci` needs one"),
    put("base64", &["invalid option -- 'D'"], "-D", "-d", "`-D` is the option of another platform"),
];

pub(in super::super) fn use_needed_form(case: &Case<'_>) -> Offered {
    let ways: &[fn(&Case<'_>) -> Option<Offer>] = &[
        from_table,
        without_suffix,
        waiting_lock,
        own_environment,
        configured,
        paths_behind,
        in_revision,
        own_upstream,
        near_submodule,
    ];
    ways.iter().find_map(|way| way(case)).ok_or("the program does not say which form it needs")
}

fn once(case: &Case<'_>, deed: Deed, why: &str) -> Offer {
    let _ = case;
    Offer::new(why, vec![Step::work("Make the call in the form that is needed", deed, "The call passes")]).seen(why)
}

fn from_table(case: &Case<'_>) -> Option<Offer> {
    let row =
        NEEDED.iter().find(|row| case.says(row.says) && case.commands().any(|command| command.runs(row.program)))?;
    let command = case.commands().find(|command| command.runs(row.program))?;
    let subcommand = row.program.split(' ').nth(1);
    // Of several calls of a program that with its subcommand.
    let starts = |word: &&PlacedWord| word.role == WordRole::Program && word.text == command.raw;
    let has = |word: &&PlacedWord| subcommand.is_none_or(|name| case.arguments_of(word).any(|arg| arg.text == name));
    let program = case.words.iter().filter(starts).find(has)?;
    let deed = match row.change {
        Change::Add(words) => {
            if words.split(' ').next().is_some_and(|first| command.has_arg(first)) {
                return None;
            }
            let behind = match subcommand {
                Some(name) => case.arguments_of(program).find(|word| word.text == name)?,
                None => program,
            };
            let line = case.failed.line.as_deref()?;
            case.again_with_text(behind, &format!("{} {words}", line.get(behind.range.clone())?))?
        }
        Change::Put(wrong, words) => {
            let word = case.arguments_of(program).find(|word| word.text == wrong)?;
            case.again_with_text(word, words)?
        }
    };
    Some(once(case, deed, row.why))
}

/// `sed -i ''` is the form of another platform: here the empty word is the script.
fn without_suffix(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.name() == "sed")?;
    let own: Vec<&PlacedWord> = case.arguments_of(case.word_of(command)?).collect();
    let at = own.iter().position(|word| word.text == "-i")?;
    let empty = own.get(at + 1).filter(|word| word.text.is_empty())?;
    if !case.says(&["can't read"]) {
        return None;
    }
    let deed = case.again_with_text(empty, "")?;
    Some(once(case, deed, "`sed -i` takes no suffix as a word of its own here"))
}

/// `flock -n` gives up at once where the lock is held; `-w` waits.
fn waiting_lock(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.name() == "flock")?;
    let program = case.words.iter().find(|word| word.text == "flock")?;
    if case.failed.exit_code != Some(1) || !case.text().trim().is_empty() {
        return None;
    }
    let flag = case.arguments_of(program).find(|word| matches!(word.text.as_str(), "-n" | "--nonblock" | "--nb"))?;
    let deed = case.again_with_text(flag, "-w 60")?;
    let _ = command;
    Some(once(case, deed, "the lock is held by another process, and the call did not wait for it"))
}

/// A Python that belongs to the system takes no packages: they go into an environment of the project's own.
fn own_environment(case: &Case<'_>) -> Option<Offer> {
    if !case.says(&["externally-managed-environment"]) {
        return None;
    }
    let command = case.commands().find(|command| matches!(command.name(), "pip" | "pip3"))?;
    let is_module = command.raw == "-m" || command.wrappers.iter().any(|wrapper| wrapper.contains("-m"));
    let word = if is_module {
        return None;
    } else {
        case.word_of(command)?
    };
    let make = Step::new(
        "Make an environment of the project's own",
        Deed::Run(case.in_folder("python3 -m venv .venv")),
        "`.venv` is there",
    );
    let install = case.again_with_text(word, "./.venv/bin/pip")?;
    let why = "this Python belongs to the system, and takes no packages";
    let steps = vec![make, Step::work("Install into it", install, "The packages are installed there")];
    Some(Offer::new(why, steps).seen(why))
}

/// A build folder that was never configured.
fn configured(case: &Case<'_>) -> Option<Offer> {
    let command = case.commands().find(|command| command.name() == "cmake" && command.has_arg("--build"))?;
    // A cache that was made elsewhere is made anew.
    if case.says(&["is different than the directory", "does not match the source"])
        || !case.says(&["is not a directory", "could not load cache", "not a CMake build directory", "CMakeCache.txt"])
    {
        return None;
    }
    let folder = command.args.iter().skip_while(|arg| *arg != "--build").nth(1)?;
    let sources = [".", ".."]
        .into_iter()
        .find(|sources| case.kind(&super::super::case::join(sources, "CMakeLists.txt")).is_some())?;
    let steps = vec![
        Step::new(
            "Configure the build folder",
            Deed::Run(case.in_folder(&line_of(["cmake", "-S", sources, "-B", folder]))),
            "The build system is written",
        ),
        Step::work("Make the call again", case.again(), "It is built"),
    ];
    let why = format!("{} was never configured", quoted(folder, 80));
    Some(Offer::new(why.clone(), steps).seen(why))
}

/// A path that a revision has under another name: `main:src/a.c`.
fn in_revision(case: &Case<'_>) -> Option<Offer> {
    let path = case.between("path '", "' does not exist in").or_else(|| case.between("exists, but not '", "'"))?;
    let word = case
        .words
        .iter()
        .find(|word| word.is_literal && word.text.split_once(':').is_some_and(|(_, own)| own == path))?;
    let (revision, _) = word.text.split_once(':')?;
    let whole = case.between("' exists, but not", "").and_then(|_| case.between("fatal: path '", "' exists"));
    let near = whole.map(str::to_owned).or_else(|| super::paths::named_alike(case, path))?;
    let deed = case.again_replacing(&[(word, &format!("{revision}:{near}"))])?;
    Some(once(case, deed, "the revision has the file under another name"))
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
    Some(once(case, deed, "the branch follows none, and the remote has one of its name"))
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
    Some(once(case, deed, "the submodule's address is a folder of this project, which git follows only when told to"))
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
    let word = case.arguments_of(case.word_of(command)?).find(|word| word.text == named)?;
    let deed = case.again_with_text(word, &format!("-- {}", quoted_word(named)))?;
    Some(once(case, deed, "git takes the name for a revision, and it is that of a file"))
}
