//! What a command line does to the files of the work, besides checking them: puts them away, brings them back, changes them
//! or puts them back as they were.

use crate::history::{Execution, absolute, is_scratch};
use crate::model::{Stash, Status, ToolCall};
use crate::programs::words::{COPIES, GOES_TO, OUTPUTS};
use crate::programs::{self, Trait};
use crate::shell::{At, Command, Redirection, RedirectionKind, Script};
use crate::text::file_name;

/// What one command does to the files of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EngineDeed {
    /// It puts the work away: `git stash`.
    PutsAway,
    /// It brings the work back.
    BringsBack,
    /// It throws away what was put away.
    Drops,
    /// It puts files back as they were, or goes elsewhere in the history.
    Restores,
    /// It changes files, or copies them.
    Changes,
}

/// What a command does by its name.
pub(super) fn deed(command: &Command) -> Option<EngineDeed> {
    match command.name() {
        "git" => deed_of_git(command),
        "sed" | "perl" if command.has_letter('i') || command.has_arg("--in-place") => Some(EngineDeed::Changes),
        "cp" | "mv" if put_back(command).is_some() => Some(EngineDeed::Restores),
        "cp" | "mv" | "tee" => Some(EngineDeed::Changes),
        _ => None,
    }
}

fn deed_of_git(command: &Command) -> Option<EngineDeed> {
    let mut own = command.subcommands();
    match own.next()? {
        "stash" => match own.next() {
            None | Some("push" | "save") => Some(EngineDeed::PutsAway),
            Some("pop" | "apply" | "branch") => Some(EngineDeed::BringsBack),
            Some("drop" | "clear") => Some(EngineDeed::Drops),
            _ => None,
        },
        "checkout" | "restore" | "switch" => Some(EngineDeed::Restores),
        "reset" if command.has_arg("--hard") => Some(EngineDeed::Restores),
        _ => None,
    }
}

/// What a whole line did to the files of the work.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Deeds {
    /// Whether the work is put away after it, or is there again.
    pub(super) stash: Option<Stash>,
    /// The files that it put back as they were; a `.` is all of them.
    pub(super) restored: Vec<String>,
    /// The files that it changed.
    pub(super) changed: Vec<String>,
}

impl Deeds {
    /// What the line of a call did. `checks`: whether it also checked, so that its failure need not be that of a deed.
    pub(super) fn of(call: &ToolCall<'_>, script: Option<&Script>, checks: bool) -> Self {
        let mut deeds = Self::default();
        for (_, command) in script.into_iter().flat_map(Script::programs) {
            deeds.changed.extend(written_by(command));
            match deed(command) {
                Some(EngineDeed::PutsAway) if was_put_away(call, checks) => deeds.stash = Some(Stash::Away),
                Some(EngineDeed::BringsBack) if !is_kept(&call.text) => {
                    // What the line itself put away is as it was.
                    deeds.stash = if deeds.stash == Some(Stash::Away) { None } else { Some(Stash::Back) };
                }
                Some(EngineDeed::Drops) if deeds.stash.is_none() => deeds.stash = Some(Stash::Dropped),
                Some(EngineDeed::Restores) => deeds.restored.extend(restored_by(command)),
                Some(EngineDeed::Changes) => deeds.changed.extend(changed_by(command)),
                Some(EngineDeed::PutsAway | EngineDeed::BringsBack | EngineDeed::Drops) | None => {}
            }
        }
        if deeds.restored.iter().any(|file| file == ".") {
            deeds.restored = everything();
        }
        deeds.restored.truncate(Execution::CHECKS);
        deeds.changed.truncate(Execution::CHECKS);
        deeds
    }
}

fn everything() -> Vec<String> {
    vec![".".to_owned()]
}

/// Whether git took the work: with nothing to take it says so, and passes.
fn was_put_away(call: &ToolCall<'_>, checks: bool) -> bool {
    let ran = call.status == Status::Succeeded || checks;
    !call.text.contains("No local changes to save") && ran || call.text.contains("Saved working directory")
}

/// Whether git could not bring the work back, and kept it. With a conflict it is there all the same.
fn is_kept(text: &str) -> bool {
    text.contains("The stash entry is kept") && !text.contains("CONFLICT")
}

/// The files that a command of git, `cp` or `mv` puts back.
fn restored_by(command: &Command) -> Vec<String> {
    if let Some(file) = put_back(command).filter(|_| command.name() != "git") {
        return vec![file.to_owned()];
    }
    match command.subcommands().next() {
        Some("checkout" | "restore") if !command.has_arg("-b") => {
            let named = command.args.iter().skip_while(|word| *word != "checkout" && *word != "restore").skip(1);
            named.filter(|word| !word.starts_with('-')).take(Execution::CHECKS).cloned().collect()
        }
        Some("checkout") => Vec::new(),
        _ => everything(),
    }
}

/// The files that a command writes by its words: the last one of `cp` and `mv`, and what `mv` takes away; of an editor of
/// streams those after its script.
fn changed_by(command: &Command) -> Vec<String> {
    let words: Vec<&String> = command.args.iter().filter(|word| !word.starts_with('-')).collect();
    let files = match command.name() {
        "cp" => words.get(words.len().saturating_sub(1)..),
        "mv" | "tee" => words.get(..),
        _ => words.get(1..),
    };
    files.unwrap_or_default().iter().take(Execution::CHECKS).map(|word| (*word).clone()).collect()
}

/// The files that take the output of a command, scratch ones left out.
fn written_by(command: &Command) -> impl Iterator<Item = String> {
    let is_kept = |file: &&str| !file.starts_with("/dev/") && !is_scratch(file);
    // Asked once: a line may hold as many redirections as it has words.
    let writes = command.writes_a_file();
    let takes = move |redirection: &&Redirection| {
        use RedirectionKind::{Append, Both, Write};
        writes && matches!(redirection.kind, Write | Append | Both)
    };
    let targets = command.redirections.iter().filter(takes).map(|redirection| redirection.target.as_str());
    targets.filter(is_kept).map(str::to_owned)
}

/// The files that the commands of a line write, move or take away, as absolute paths where the working directory is known;
/// one that ends in `/` is a folder in which a command works. `is_of`: which commands count. A name that the shell makes is
/// none.
pub fn written_files(script: &Script, cwd: Option<&str>, mut is_of: impl FnMut(At) -> bool) -> Vec<String> {
    let mut files = Vec::new();
    for (at, command) in script.programs() {
        let named = touched_by(command);
        let mut own = written_by(command).chain(named).filter(|file| !file.contains(['$', '`'])).peekable();
        if own.peek().is_none() || !is_of(at) {
            continue;
        }
        let goes = GOES_TO.iter().filter(|(program, _)| *program == command.name());
        let goes = goes.filter_map(|(_, option)| option_value(command, option));
        let dirs = script.directories_before(at).into_iter().chain(goes);
        let dir = dirs.fold(cwd.map(str::to_owned), |dir, next| Some(absolute(next, dir.as_deref())));
        files.extend(own.take(MOST_WRITTEN).map(|file| {
            let folder = if file.ends_with('/') { "/" } else { "" };
            absolute(&file, dir.as_deref()) + folder
        }));
    }
    files.truncate(MOST_WRITTEN);
    files
}

/// The most files that one line is seen to write.
const MOST_WRITTEN: usize = 32;

/// The files that a command names and changes, makes or takes away, and the folders below which it does.
fn touched_by(command: &Command) -> Vec<String> {
    let words = || command.args.iter().filter(|word| !word.starts_with('-'));
    let name = command.name();
    let mut touched: Vec<String> = match name {
        _ if command.is(Trait::Alters) => altered_by(command),
        "find" if command.has_arg("-delete") => {
            command.args.iter().take_while(|word| !word.starts_with('-')).map(|word| format!("{word}/")).collect()
        }
        _ if COPIES.contains(&name) => {
            let words: Vec<&String> = words().collect();
            // One on another machine is no file of here.
            let Some((into, from)) = words.split_last().filter(|(into, _)| !into.contains(':')) else {
                return Vec::new();
            };
            // Into a folder they keep their names.
            let name_of = |file: &str| file_name(file.rsplit(':').next().unwrap_or(file)).to_owned();
            let inside = from.iter().filter(|_| from.len() > 1 || !reads_as_file(into));
            let inside = inside.map(|file| format!("{}/{}", into.trim_end_matches('/'), name_of(file)));
            let folder = if is_folder(into) || from.len() > 1 { "/" } else { "" };
            let moved = from.iter().filter(|_| name == "mv").map(|file| (*file).clone());
            std::iter::once(format!("{into}{folder}")).chain(inside).chain(moved).collect()
        }
        _ if deed(command) == Some(EngineDeed::Changes) => changed_by(command),
        _ if !command.is(Trait::Tasks) && programs::fixes(name, &command.args) => {
            let is_called =
                |word: &&str| command.known.is_some_and(|row| row.subcommands.iter().any(|own| own.words == *word));
            let named = command.subcommands().filter(|word| !is_called(word));
            named.map(|word| if reads_as_file(word) { word.to_owned() } else { format!("{word}/") }).collect()
        }
        _ => Vec::new(),
    };
    // An archive is also made of a folder that an option goes to.
    let puts = |option: &str| {
        option != "-C" || words().next().is_some_and(|letters| letters.contains('x')) || command.has_letter('x')
    };
    let own = OUTPUTS.iter().filter(|(programs, option, _)| programs.contains(&name) && puts(option));
    let own = own.filter_map(|(_, option, folder)| Some((option_value(command, option)?, *folder)));
    touched.extend(own.map(|(file, folder)| format!("{file}{}", if folder { "/" } else { "" })));
    touched
}

/// The words of a command that changes, makes or takes away what they name.
fn altered_by(command: &Command) -> Vec<String> {
    let given = || command.args.iter().skip_while(|word| *word != "--").skip(1).cloned();
    let own = || command.subcommands().skip(usize::from(!command.program_is(Trait::Alters))).map(str::to_owned);
    match command.subcommands().next().filter(|_| !command.program_is(Trait::Alters)) {
        // What stands before the paths is a revision.
        Some("checkout") => given().chain(own().filter(|word| word == ".")).collect(),
        Some("clean") if command.has_letter('n') || command.has_arg("--dry-run") => Vec::new(),
        Some("clean") if own().next().is_none() => vec!["./".to_owned()],
        _ if matches!(command.name(), "mkdir" | "rmdir") => own().map(|folder| folder + "/").collect(),
        _ => own().collect(),
    }
}

/// Whether a word reads as the name of a file.
fn reads_as_file(word: &str) -> bool {
    file_name(word).trim_start_matches('.').contains('.')
}

/// Whether a word can only name a folder.
fn is_folder(word: &str) -> bool {
    word.ends_with('/') || matches!(file_name(word), "." | "..")
}

/// The value of an option: the word behind it, or what stands with it in one word.
fn option_value<'c>(command: &'c Command, option: &str) -> Option<&'c str> {
    let mut words = command.args.iter().map(String::as_str).filter(|_| !option.is_empty());
    while let Some(word) = words.next() {
        match word.strip_prefix(option) {
            Some("") if !option.ends_with('=') => return words.next(),
            Some(value) if option.ends_with('=') => return Some(value),
            Some(value) if value.starts_with('=') => return value.get(1..),
            _ => {}
        }
    }
    None
}

/// The file that `cp` or `mv` writes from a copy of it: `cp sum.go.bak sum.go`, `mv sum.orig sum.go`, `cp /tmp/sum.go .`
fn put_back(command: &Command) -> Option<&str> {
    const COPIES: &[&str] = &[".bak", ".orig", ".old", ".backup", ".save", "~"];
    let mut words = command.args.iter().filter(|word| !word.starts_with('-'));
    let (copy, file) = (words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let (of_copy, of_file) = (file_name(copy), file_name(file));
    let is_copy = COPIES.iter().any(|ending| of_copy.ends_with(ending))
        || !of_file.is_empty() && of_copy.strip_prefix(of_file).is_some_and(|rest| rest.starts_with('.'))
        || is_scratch(copy) && of_copy.contains('.');
    (is_copy && !COPIES.iter().any(|ending| of_file.ends_with(ending)) && !is_scratch(file)).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_redirections_of_a_line_are_looked_at_once() {
        for sign in ["</", "< ", "<<< ", ">x "] {
            let script = Script::parse(&["echo ", &sign.repeat(3_000)].concat());
            let asked = || crate::shell::ASKED.with(std::cell::Cell::get);
            let before = asked();
            let written: usize = script.programs().map(|(_, command)| written_by(command).count()).sum();
            assert_eq!(asked() - before, script.programs().count(), "{sign}");
            assert_eq!(written > 0, sign.starts_with('>'), "{sign}");
        }
    }
    use crate::model::{Tool, ToolInput};

    #[test]
    fn the_files_that_a_line_writes_are_those_that_its_programs_write() {
        for (line, wanted) in [
            ("cat > a.py <<X\nb.py\nX", "/p/a.py"),
            ("cat a.py <<< b.py", ""),
            ("make 2>&1 | tee -a out/log", "/p/out/log"),
            ("cp a.py b.py", "/p/b.py"),
            ("cp a.py b.py lib/", "/p/lib/ /p/lib/a.py /p/lib/b.py"),
            ("mv a lib", "/p/lib /p/lib/a /p/a"),
            ("scp a.py host:lib/", ""),
            ("scp host:a.py .", "/p/ /p/a.py"),
            ("cd web && rm -rf dist", "/p/web/dist"),
            ("mkdir -p a/b", "/p/a/b/"),
            ("git -C web checkout main -- a.ts", "/p/web/a.ts"),
            ("git checkout topic", ""),
            ("git clean -fdx", "/p/"),
            ("git clean -ndx", ""),
            ("find lib -name '*.o' -delete", "/p/lib/"),
            ("find lib -name '*.o'", ""),
            ("tar -xzf a.tgz -C lib", "/p/lib/"),
            ("tar -czf a.tgz -C lib .", "/p/a.tgz"),
            ("curl -sS -o a.json https://x.example", "/p/a.json"),
            ("curl --output=a.json https://x.example", "/p/a.json"),
            ("openssl req -out a.csr", "/p/a.csr"),
            ("dd if=a of=b", "/p/b"),
            ("ruff check --fix lib a.py", "/p/lib/ /p/a.py"),
            ("ruff check lib", ""),
            ("black --check lib", ""),
            ("npm run format", ""),
            ("echo x > $OUT", ""),
        ] {
            let script = Script::parse(line);
            let files: Vec<String> = written_files(&script, Some("/p"), |_| true);
            assert_eq!(files.join(" "), wanted, "{line}");
        }
    }

    fn deeds(line: &str, status: Status, text: &str) -> Deeds {
        let input = ToolInput::Command { command: line.into(), background: false };
        let call = ToolCall { text: text.into(), ..ToolCall::new(Tool::named("Bash"), input, status) };
        Deeds::of(&call, Some(&Script::parse(line)), line.contains("test"))
    }

    #[test]
    fn the_stash_is_known_by_what_git_says() {
        use Stash::{Away, Back, Dropped};
        let saved = "Saved working directory and index state WIP on main: 1a2b3c4 sums";
        let kept = "error: Your local changes to the following files would be overwritten by merge:\n\tsum.go\n\
                    The stash entry is kept in case you need it again.";
        for (line, status, text, wanted) in [
            ("git stash", Status::Succeeded, saved, Some(Away)),
            ("git stash -q", Status::Succeeded, "", Some(Away)),
            ("git stash push -u -m wip", Status::Succeeded, saved, Some(Away)),
            ("git stash && go test ./...", Status::Failed, "FAIL", Some(Away)),
            ("git stash", Status::Succeeded, "No local changes to save", None),
            ("git stash", Status::Failed, "fatal: not a git repository", None),
            ("git stash list", Status::Succeeded, "stash@{0}: WIP on main", None),
            ("git stash pop", Status::Succeeded, "Dropped refs/stash@{0}", Some(Back)),
            ("git stash apply stash@{0}", Status::Succeeded, "", Some(Back)),
            ("git stash && go test ./...; git stash pop", Status::Succeeded, saved, None),
            ("git stash pop", Status::Failed, kept, None),
            ("git stash && go test ./...; git stash pop", Status::Failed, kept, Some(Away)),
            (
                "git stash pop",
                Status::Failed,
                "CONFLICT (content): sum.go\nThe stash entry is kept in case",
                Some(Back),
            ),
            ("git stash drop", Status::Succeeded, "Dropped refs/stash@{0}", Some(Dropped)),
            ("git stash apply && git stash drop", Status::Succeeded, "", Some(Back)),
            ("git status", Status::Succeeded, "", None),
        ] {
            assert_eq!(deeds(line, status, text).stash, wanted, "{line}: {text}");
        }
    }

    #[test]
    fn what_is_put_back_and_what_is_changed() {
        for (line, restored, changed) in [
            ("git checkout -- sums/sum.go", "sums/sum.go", ""),
            ("git restore sum.go mean.go", "sum.go mean.go", ""),
            ("git checkout .", ".", ""),
            ("git checkout main", "main", ""),
            ("git checkout -b topic", "", ""),
            ("git switch main", ".", ""),
            ("git reset --hard", ".", ""),
            ("git reset HEAD sum.go", "", ""),
            ("git stash pop", "", ""),
            ("cp sum.go.bak sum.go", "sum.go", ""),
            ("mv sum.bak sum.py", "sum.py", ""),
            ("mv sums/sum.go.orig sums/sum.go", "sums/sum.go", ""),
            ("cp /tmp/kept.go sums/sum.go", "sums/sum.go", ""),
            ("cp sum.go sum.go.bak && sed -i 's/+/-/' sum.go", "", "sum.go.bak sum.go"),
            ("sed -i.bak 's/a/b/' a.go b.go", "", "a.go b.go"),
            ("perl -pi -e 's/a/b/' a.go", "", "a.go"),
            ("mv sum.go sum.go.off", "", "sum.go sum.go.off"),
            ("sed 's/a/b/' a.go", "", ""),
            ("cp -r dist/ out/", "", "out/"),
        ] {
            let told = deeds(line, Status::Succeeded, "");
            assert_eq!((told.restored.join(" "), told.changed.join(" ")), (restored.into(), changed.into()), "{line}");
        }
    }
}
