//! What a commit hook wants, where its words and the project tell how it is given.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, Step};
use super::manifests::{declared_here, manifest_of};
use super::told::edit_line;
use super::vcs::git;
use super::work::{own_places, places};
use crate::shell::{PlacedWord, line_of};
use crate::text::{file_name, quoted, small};

/// The message of a commit, as a word of the line.
fn message<'c>(case: &'c Case<'_>) -> Option<&'c PlacedWord> {
    let command = case.commands().find(|command| command.runs("git commit"))?;
    let own: Vec<&PlacedWord> = case.arguments_of(case.word_of(command)?).collect();
    let at = own.iter().position(|word| {
        word.text == "--message"
            || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('m')
    })?;
    own.get(at + 1).copied().filter(|word| word.is_literal)
}

/// The kinds of changes that a message may begin with, where nothing lists them.
const TYPES: &[&str] = &["feat", "fix", "docs", "chore", "test", "refactor"];

/// The first words of messages, and the kind of change that they tell of.
const VERBS: &[(&str, &[&str])] = &[
    ("fix", &["fix", "fixes", "fixed", "correct", "repair", "mend", "resolve", "prevent"]),
    ("docs", &["document", "docs", "readme"]),
    ("test", &["test", "tests", "cover"]),
    ("refactor", &["refactor", "rename", "move", "extract", "simplify", "clean", "split"]),
    ("feat", &["add", "adds", "added", "implement", "introduce", "support", "allow", "create"]),
    ("perf", &["speed", "optimize", "optimise"]),
    ("ci", &["ci"]),
    ("build", &["bump", "upgrade"]),
];

/// The kinds that the output allows.
fn allowed<'c>(case: &'c Case<'_>) -> Vec<&'c str> {
    let listed = case
        .between("must be one of [", "]")
        .or_else(|| case.between("types: ", ""))
        .or_else(|| case.between("Types: ", ""));
    let words = listed
        .map(|list| list.split(';').next().unwrap_or(list).split([',', ' ', '|']).filter(|word| !word.is_empty()));
    let words: Vec<&str> =
        words.into_iter().flatten().filter(|word| word.chars().all(|c| c.is_ascii_lowercase())).collect();
    if words.is_empty() { TYPES.to_vec() } else { words }
}

pub(in super::super) fn use_wanted_message(case: &Case<'_>) -> Offered {
    if let Some(offer) = with_shorter_lines(case) {
        return Ok(offer);
    }
    let word = message(case).ok_or("the line gives no message")?;
    let made = of_kinds(case, &word.text)
        .or_else(|| with_ticket(case, &word.text))
        .ok_or("the form of message that the hook wants is not told")?;
    let step = case.again_replacing(&[(word, &made)]).ok_or("its command line is not whole")?;
    let state = "the message has not the form that the hook wants";
    Ok(Offer::new(
        "the hook tells the form of messages",
        vec![Step::work(format!("Commit as {}", quoted(&made, 100)), step, "The hook takes the message")],
    )
    .seen(state))
}

/// The message with its long lines broken, where commitlint names the limit.
fn with_shorter_lines(case: &Case<'_>) -> Option<Offer> {
    let most = case
        .between("body's lines must not be longer than ", " characters")
        .or_else(|| case.between("footer's lines must not be longer than ", " characters"))?;
    let most = most.parse::<usize>().ok().filter(|most| (20..=1000).contains(most))?;
    let command = case.commands().find(|command| command.runs("git commit"))?;
    let from = case.word_of(command)?.range.start;
    let line = case.failed.line.as_deref().filter(|_| case.is_whole())?;
    let (before, message) = (line.get(..from)?, line.get(from..)?);
    let mut is_broken = false;
    let lines: Option<Vec<String>> = message
        .split('\n')
        .map(|own| {
            if own.chars().count() <= most {
                return Some(own.to_owned());
            }
            is_broken = true;
            // What the shell reads of a line may not be broken.
            let is_text = !own.contains(['$', '`', '"', '\\', '\'']) && !own.trim_start().starts_with("git ");
            is_text.then(|| broken(own, most))?
        })
        .collect();
    let made = format!("{before}{}", lines?.join("\n"));
    let step = case.again_with(made).filter(|_| is_broken)?;
    let why = format!("lines of the message are longer than {most} characters");
    let steps = vec![Step::work("Commit with the long lines broken", step, "The hook takes the message")];
    Some(Offer::new(why.clone(), steps).doing("Break the long lines of the message").seen(why))
}

/// A line of a message as lines of at most so many characters; those behind the first of a list's entry are set in. None where
/// a word alone is longer.
fn broken(line: &str, most: usize) -> Option<String> {
    let blanks = line.len() - line.trim_start().len();
    let is_entry = ["- ", "* "].iter().any(|mark| line.trim_start().starts_with(mark));
    let set_in = " ".repeat(if is_entry { blanks + 2 } else { blanks });
    let mut made = vec![" ".repeat(blanks)];
    let mut is_begun = false;
    for word in line.split_whitespace() {
        let own = made.last_mut()?;
        if is_begun && own.chars().count() + 1 + word.chars().count() > most {
            made.push(format!("{set_in}{word}"));
        } else {
            own.push_str(if is_begun { " " } else { "" });
            own.push_str(word);
        }
        is_begun = true;
    }
    made.iter().all(|own| own.chars().count() <= most).then(|| made.join("\n"))
}

/// The message with its kind in front, in small letters and without a full stop, as conventional commits have it.
fn of_kinds(case: &Case<'_>, message: &str) -> Option<String> {
    const SAYS: &[&str] = &[
        "<type>",
        "type may not be empty",
        "type must be one of",
        "subject may not be empty",
        "subject must not be",
        "subject may not end with full stop",
        "conventional commit",
        "Conventional Commit",
        "type(scope)",
        "type-enum",
    ];
    if !case.says(SAYS) {
        return None;
    }
    let (subject, body) = message.split_once('\n').map_or((message, None), |(subject, body)| (subject, Some(body)));
    let kinds = allowed(case);
    let own = subject
        .split_once(": ")
        .filter(|(kind, _)| kinds.contains(&kind.split('(').next().unwrap_or_default().trim_end_matches('!')));
    let text = own.map_or(subject, |(_, text)| text).trim().trim_end_matches('.');
    let kind = match own {
        Some((kind, _)) => kind.to_owned(),
        None => kind_of(text, &kinds)?.to_owned(),
    };
    let made = format!("{kind}: {}", small(text));
    let made = body.map_or_else(|| made.clone(), |body| format!("{made}\n{body}"));
    (made != message && !text.is_empty()).then_some(made)
}

fn kind_of<'k>(text: &str, kinds: &[&'k str]) -> Option<&'k str> {
    let has = |kind: &str| kinds.iter().copied().find(|own| *own == kind);
    let lower = text.to_ascii_lowercase();
    let first = lower.split_whitespace().next()?;
    let of_verb = VERBS.iter().find(|(_, verbs)| verbs.contains(&first)).and_then(|(kind, _)| has(kind));
    let of_object = || lower.contains("readme").then(|| has("docs")).flatten();
    of_verb.or_else(of_object).or_else(|| has("chore")).or_else(|| kinds.first().copied())
}

/// The message with the number of a ticket in front that the branch is named after.
fn with_ticket(case: &Case<'_>, message: &str) -> Option<String> {
    if !case.says(&["ticket", "jira", "issue key", "issue number", "[A-Z]"]) {
        return None;
    }
    let head = case.looks.refs(&case.folder()).head?;
    let key = head.split(['/', '_']).find_map(|part| {
        let mut halves = part.splitn(3, '-');
        let (letters, digits) = (halves.next()?, halves.next()?);
        let is_key = letters.len() >= 2
            && letters.bytes().all(|b| b.is_ascii_uppercase())
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit());
        is_key.then(|| format!("{letters}-{digits}"))
    })?;
    if message.contains(&key) {
        return None;
    }
    let bracketed = case.says(&[&format!("[{}-", key.split('-').next()?), "[ABC-", "[JIRA-", "[PROJ-"]);
    Some(if bracketed { format!("[{key}] {message}") } else { format!("{key}: {message}") })
}

pub(in super::super) fn mend_for_the_hook(case: &Case<'_>) -> Offered {
    if !case.is_whole() {
        return Err("its command line is not whole");
    }
    if !case.runs("git commit") {
        return without_listed_blanks(case);
    }
    without_blanks(case)
        .or_else(|| with_right_to_run(case))
        .or_else(|| by_named_command(case))
        .ok_or("the hook does not tell what mends it")
}

/// What checkers call blanks at the ends of lines.
const BLANKS: &[&str] =
    &[": trailing whitespace", ": space before tab", " trailing spaces", " W291 ", " W293 ", " Trailing whitespace"];

/// A check that finds blanks at the ends of lines and nothing else.
fn without_listed_blanks(case: &Case<'_>) -> Offered {
    // Of commits it is the commits that are checked, whatever the files hold.
    let of_commits = case.commands().any(|command| {
        command.name() == "git" && (!command.runs("git diff") || command.args.iter().any(|arg| arg.contains("..")))
    });
    let is_blank = |line: &&str| BLANKS.iter().any(|words| line.contains(words));
    let mut found = case.text().lines().filter(|line| !line.starts_with('+') && !places(line).is_empty());
    if of_commits || !found.all(|line| is_blank(&line)) {
        return Err("nothing was committed");
    }
    without_blanks(case).ok_or("no line is named that ends with blanks")
}

/// Scripts that begin as such and may not be run, as pre-commit's own hook names them.
fn with_right_to_run(case: &Case<'_>) -> Option<Offer> {
    let behind = ": has a shebang but is not marked executable";
    let named = case.text().lines().filter_map(|line| line.split_once(behind).map(|(file, _)| file.trim()));
    let mut files: Vec<&str> = named.filter(|file| is_plain_path(file) && case.kind(file).is_some()).collect();
    files.dedup();
    if files.is_empty() {
        return None;
    }
    let words: Vec<&str> = ["add", "--chmod=+x", "--"].into_iter().chain(files).collect();
    let steps = vec![
        Step::new("Mark them as programs", Deed::Run(git(case, &words)), "The commit marks them so"),
        Step::work("Commit again", case.again(), "The hook finds nothing more"),
    ];
    Some(Offer::new("the hook names the scripts", steps).seen("scripts that are staged are not marked as programs"))
}

/// Blanks at the ends of lines, which `git diff --check` lists.
fn without_blanks(case: &Case<'_>) -> Option<Offer> {
    let lines = case.text().lines().filter(|line| BLANKS.iter().any(|words| line.contains(words)));
    let found: Vec<_> = lines.filter_map(|line| places(line).into_iter().next()).take(8).collect();
    let mut steps = Vec::new();
    let mut files: Vec<String> = Vec::new();
    for place in found {
        let path = case.at(&place.file);
        let text = case.looks.text(&path)?;
        let number = usize::try_from(place.line).ok()?;
        let own = text.lines().nth(number.checked_sub(1)?)?;
        let (old, new) = edit_line(&text, number, &[own.trim_end().to_owned()]).filter(|(old, new)| old != new)?;
        if !files.contains(&place.file) {
            let read = Deed::Read { path: path.clone(), from: None };
            steps.push(Step::new(
                format!("Read {}", quoted(&place.file, 80)),
                read,
                "The lines with blanks at their ends",
            ));
            files.push(place.file.clone());
        }
        steps.push(Step::new(
            "Take the blanks away",
            Deed::Edit { path, old, new },
            "The line ends with its last sign",
        ));
    }
    let words: Vec<&str> = ["add", "--"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let is_staged = case.runs("git commit")
        || case.commands().any(|command| command.has_arg("--cached") || command.has_arg("--staged"));
    (!files.is_empty()).then(|| {
        if is_staged {
            steps.push(Step::new("Stage the files", Deed::Run(git(case, &words)), "The mended files are staged"));
        }
        steps.push(Step::work("Make the call again", case.again(), "The check finds nothing more"));
        Offer::new("the check lists the lines", steps).seen("lines end with blanks")
    })
}

/// A script or target of the project that the hook's words tell to run, and then what it changed is staged.
fn by_named_command(case: &Case<'_>) -> Option<Offer> {
    let line = named_command(case)?;
    let steps = vec![
        Step::new(
            format!("Run {}", quoted(&line, 80)),
            Deed::Run(case.in_folder(&line)),
            "It mends what the hook found",
        ),
        Step::new("Stage what it changed", Deed::Run(git(case, &["add", "--update"])), "The changes are staged"),
        Step::work("Commit again", case.again(), "The hook finds nothing more"),
    ];
    Some(
        Offer::new("the hook names the command", steps)
            .doing(format!("Run {}, which the hook names", quoted(&line, 80))),
    )
}

/// Commands that only mend the form of sources.
const FORMERS: &[&str] = &[
    "cargo fmt",
    "cargo fmt --all",
    "gofmt -w .",
    "go fmt ./...",
    "black .",
    "ruff format",
    "ruff format .",
    "isort .",
    "terraform fmt",
    "terraform fmt -recursive",
    "npx prettier --write .",
    "npm run format",
    "dart format .",
    "mix format",
];

/// The command that the output tells to run, where the project declares it or it is a known one.
pub(super) fn named_command(case: &Case<'_>) -> Option<String> {
    const MARKS: &[&str] = &[
        "run `",
        "run '",
        "run \"",
        "Run `",
        "Run '",
        "Run \"",
        "run: ",
        "Run: ",
        "please run ",
        "Please run ",
        "try `",
        "try running ",
        "run ",
        "Run ",
    ];
    for line in case.text().lines() {
        for mark in MARKS {
            let Some((_, rest)) = line.split_once(mark) else { continue };
            let end = mark.chars().next_back().filter(|sign| matches!(sign, '`' | '\'' | '"'));
            let told = match end {
                Some(sign) => rest.split(sign).next()?,
                None => rest.split([';', ',', '(', '`', '\'', '"']).next()?,
            };
            let told = told
                .split(" and ")
                .next()?
                .split(" to ")
                .next()?
                .split(" first")
                .next()?
                .split(" before")
                .next()?
                .trim()
                .trim_end_matches(['.', '!', ':']);
            if FORMERS.contains(&told) || is_declared(case, told) {
                return Some(told.to_owned());
            }
        }
    }
    None
}

/// Whether words run a script or target that the project's manifest declares, and that does not send or take anything away.
fn is_declared(case: &Case<'_>, told: &str) -> bool {
    const AWAY: &[&str] = &[
        "deploy",
        "publish",
        "release",
        "clean",
        "clobber",
        "reset",
        "drop",
        "destroy",
        "push",
        "upload",
        "purge",
        "delete",
        "remove",
        "uninstall",
    ];
    let words: Vec<&str> = told.split(' ').collect();
    let (program, name) = match words.as_slice() {
        [program @ ("npm" | "pnpm" | "yarn" | "bun"), "run", name]
        | [program @ ("yarn" | "pnpm" | "make" | "just" | "task" | "composer"), name] => (*program, *name),
        _ => return false,
    };
    let is_plain = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c))
            && !name.starts_with('-')
    };
    is_plain(name)
        && !AWAY.iter().any(|away| name.contains(away))
        && declared_here(case, program).iter().any(|own| own == name)
}

/// What makes a file of locked versions anew without changing what is asked for.
const LOCKS: &[(&str, &str)] = &[
    ("package-lock.json", "npm install --package-lock-only"),
    ("pnpm-lock.yaml", "pnpm install --lockfile-only"),
    ("Cargo.lock", "cargo update --workspace"),
    ("go.sum", "go mod tidy"),
    ("composer.lock", "composer update --lock"),
    ("uv.lock", "uv lock"),
    ("Gemfile.lock", "bundle lock"),
    ("bun.lock", "bun install --lockfile-only"),
];

pub(in super::super) fn make_it_anew(case: &Case<'_>) -> Offered {
    let files: Vec<&str> = case
        .text()
        .lines()
        .filter_map(|line| line.split_once("Merge conflict in ").map(|(_, file)| file.trim()))
        .collect();
    let [file] = files.as_slice() else { return Err("not one file alone conflicts") };
    if !is_plain_path(file) {
        return Err("the file's name is not plain");
    }
    let lock = LOCKS.iter().find(|(name, _)| *name == file_name(file));
    let line = match lock {
        Some((_, line)) => (*line).to_owned(),
        None => generator(case, file).ok_or("nothing says that the file is made from others")?,
    };
    let finish = if case.runs("git rebase") || case.runs("git pull") && case.says(&["could not apply"]) {
        "git -c core.editor=true rebase --continue"
    } else if case.runs("git cherry-pick") {
        "git -c core.editor=true cherry-pick --continue"
    } else {
        "git commit --no-edit"
    };
    let mut steps = Vec::new();
    if lock.is_some() {
        // The tool does not read a file with the marks of a conflict.
        steps.push(Step::new(
            "Take one side as it is",
            Deed::Run(git(case, &["checkout", "--ours", file])),
            "The file has no marks",
        ));
    }
    steps.push(Step::new(
        format!("Make {} anew", quoted(file, 80)),
        Deed::Run(case.in_folder(&line)),
        "It is made from both sides",
    ));
    // Where it was not made after all, both sides and the marks between them would be committed.
    let no_marks = format!("! {}", line_of(["grep", "-n", "^<<<<<<< ", &case.at(file)]));
    let adding = format!("{no_marks} && {}", git(case, &["add", "--", file]));
    steps.push(Step::new("Stage it, if no mark is left", Deed::Run(adding), "The conflict is resolved"));
    steps.push(Step::work("Finish", Deed::Own(case.in_folder(finish)), "The merge is done"));
    let state = format!("{} is made from other files, and only it conflicts", quoted(file, 80));
    Ok(Offer::new(state.clone(), steps).seen(state))
}

/// The target or script that makes a file, where the project says that it is made.
fn generator(case: &Case<'_>, file: &str) -> Option<String> {
    let texts = ["README.md", "CONTRIBUTING.md", "Makefile", "package.json", file];
    let name = file_name(file);
    let is_told = texts.iter().filter_map(|path| case.looks.text(&case.at(path))).any(|text| {
        let lower = text.to_ascii_lowercase();
        lower.contains("generated") && (text.contains(name) || lower.contains("do not edit"))
    });
    if !is_told {
        return None;
    }
    // What the project's words name beside the file goes before a target of its name.
    let told = texts.iter().filter_map(|path| case.looks.text(&case.at(path))).find_map(|text| {
        let line = text.lines().find(|line| line.contains(name) && line.contains('`'))?;
        let mut quoted = line.split('`').skip(1).step_by(2);
        quoted.find(|words| is_declared(case, words)).map(str::to_owned)
    });
    let stem = name.split('.').next().unwrap_or(name);
    let targets = declared_here(case, "make");
    // The merge has just written the file: by its time it is newer than what it is made from.
    let anew = |line: String| line.strip_prefix("make ").map_or_else(|| line.clone(), |rest| format!("make -B {rest}"));
    told.map(anew).or_else(|| {
        [file, name, stem]
            .into_iter()
            .find(|name| targets.iter().any(|own| own == name))
            .map(|target| line_of(["make", "-B", target]))
    })
}

/// A source that the project makes from others, and that lacks what another one uses of it.
pub(in super::super) fn make_source_anew(case: &Case<'_>) -> Offered {
    const SAYS: &[&str] =
        &["no member named", "undeclared", "undefined", "not declared", "unknown type name", "no field"];
    if !case.says(SAYS) || !case.is_whole() || case.runs("make") {
        return Err("nothing is missing in a source that is made from others");
    }
    let places = own_places(case);
    let place = places.first().ok_or("the output names no file of the project")?;
    let text = case.looks.text(&case.at(&place.file)).ok_or("the file that the output names is not there")?;
    let makefile = manifest_of(case, "make").ok_or("no Makefile says how sources are made")?;
    let included = text.lines().filter_map(|line| {
        let (_, name) = line.trim_start().strip_prefix("#include")?.split_once('"')?;
        name.split('"').next()
    });
    let mut made = included.filter(|name| is_plain_path(name));
    let found = made.find_map(|name| target_that_makes(&makefile, name).map(|target| (name, target)));
    let (name, target) = found.ok_or("no source that it includes is made from others")?;
    let state = format!("{} is made from other files by the Makefile", quoted(name, 80));
    let steps = vec![
        Step::new(
            format!("Make {} anew", quoted(name, 80)),
            Deed::Run(case.in_folder(&line_of(["make", target]))),
            "It is as new as what it is made from",
        ),
        Step::work("Make the call again", case.again(), "The error is gone"),
    ];
    Ok(Offer::new(state.clone(), steps).seen(state))
}

/// The target whose rule is for a file, or whose recipe writes it.
fn target_that_makes<'m>(makefile: &'m str, name: &str) -> Option<&'m str> {
    let mut target = None;
    for line in makefile.lines() {
        if line.starts_with('\t') {
            let writes = [format!("> {name}"), format!(">{name}"), format!("-o {name}")];
            if target.is_some() && writes.iter().any(|write| line.trim_end().ends_with(write)) {
                return target;
            }
        } else if let Some((head, from)) = line.split_once(':') {
            target = Some(head.trim()).filter(|head| is_plain_path(head) && !from.starts_with('='));
            if target == Some(name) && !from.trim().is_empty() {
                return target;
            }
        }
    }
    None
}

fn is_plain_path(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte)) && !name.starts_with(['-', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_its_kind() {
        for (text, kind) in [
            ("Fix typo in the readme", "fix"),
            ("Add a page", "feat"),
            ("Update the readme", "docs"),
            ("Wave", "chore"),
        ] {
            assert_eq!(kind_of(text, TYPES), Some(kind), "{text}");
        }
    }
}
