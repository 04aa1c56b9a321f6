//! A program that is missing, and tools that are.

use super::super::case::{Case, Offer, Offered, join, name_of};
use super::super::look::FileKind;
use super::super::step::{Deed, PlanStep};
use super::dependencies::project_interpreter;
use crate::model::{Category, FindingKind as Kind, ObjectKind};
use crate::names::{apart, only_close};
use crate::programs::Trait;
use crate::programs::stand_ins::{ALTERNATIVES, MAY_DO_AS_WELL};
use crate::programs::words::interpreter_of;
use crate::shell::{line_of, quoted_word};
use crate::text::quoted;

/// The program that was not found.
pub(in super::super) fn missing<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    let named = case.failed.object(ObjectKind::Program).or_else(|| case.named(Kind::MissingProgram));
    named.map(str::trim).filter(|name| !name.is_empty())
}

/// Whether the line starts what is missing inside a container, where this machine's programs are not.
pub(in super::super) fn runs_inside(case: &Case<'_>) -> bool {
    case.commands().any(|command| {
        let around = command.wrappers.iter().filter_map(|wrapper| crate::programs::find(wrapper.split(' ').next()?));
        // What would start the container is looked for here.
        let own = command.known.filter(|_| missing(case).is_none_or(|name| name != command.raw));
        around.chain(own).any(|program| program.has(Trait::Containers))
    })
}

/// A name as programs on `PATH` have: no path, no words.
fn bare<'c>(case: &'c Case<'_>) -> Result<&'c str, &'static str> {
    if runs_inside(case) {
        return Err("it is looked for in the container, and not on this machine");
    }
    let name = missing(case).ok_or("the output does not name the program")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    if name.len() <= 64 && name.chars().all(plain) && !name.starts_with(['-', '.']) {
        Ok(name)
    } else {
        Err("what is missing is no name of a program")
    }
}

/// Where package managers put a project's programs.
const PACKAGE_FOLDERS: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin", "env/bin", "vendor/bin"];
/// Where else a project keeps programs of its own.
const OWN_FOLDERS: &[&str] = &["bin", "scripts", "script", "tools", "target/debug", "."];

/// The program where the project keeps its own, in this folder or above it.
pub(in super::super) fn in_project(case: &Case<'_>, name: &str) -> Option<String> {
    let folder = case.folder();
    // What is on PATH was not found for another reason, and what lies above the project is nobody's own.
    if case.looks.programs().iter().any(|program| program == name) {
        return None;
    }
    let is_program = |path: &str| {
        let kind = case.looks.kind(path);
        matches!(kind, Some(FileKind::Script(_) | FileKind::Binary)) && case.looks.is_own(path)
    };
    let below = || {
        let found = case.looks.find(&|other| other == name);
        let mut programs = found.into_iter().filter(|path| is_program(path));
        programs.next().filter(|_| programs.next().is_none() && folder.is_empty())
    };
    ["", "..", "../..", "../../.."]
        .iter()
        .find_map(|up| {
            let mut paths = PACKAGE_FOLDERS.iter().chain(OWN_FOLDERS).map(|own| join(&join(up, own), name));
            paths.find(|path| is_program(&join(&folder, path)))
        })
        .or_else(below)
        .or_else(|| in_a_part(case, name))
}

/// The program that one folder of the project alone keeps, as a package of a workspace does.
fn in_a_part(case: &Case<'_>, name: &str) -> Option<String> {
    let folders = case.looks.names(".").into_iter().filter(|folder| folder.is_dir && case.folder().is_empty());
    let paths =
        folders.flat_map(|folder| PACKAGE_FOLDERS.iter().map(move |own| format!("{}/{own}/{name}", folder.name)));
    let mut found = paths.filter(|path| matches!(case.kind(path), Some(FileKind::Script(_) | FileKind::Binary)));
    found.next().filter(|path| found.next().is_none() && case.looks.is_own(path))
}

/// What a program is called here, whose name has a version behind it: `node` for `nodejs18`.
pub(super) fn without_version<'c>(case: &'c Case<'_>, name: &str) -> Option<&'c str> {
    let programs = case.looks.programs();
    let own = |name: &str| programs.iter().map(String::as_str).find(|own| *own == name && own.len() > 1);
    let general = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let shorter =
        name.rsplit_once(['.', '-']).map(|(shorter, _)| shorter).filter(|shorter| shorter.starts_with(general));
    let others = ALTERNATIVES.iter().find(|(missing, _)| *missing == general && general != name);
    let same = others.into_iter().flat_map(|(_, others)| others.iter().copied());
    shorter.into_iter().chain([general]).filter(|shorter| *shorter != name).chain(same).find_map(own)
}

pub(in super::super) fn use_project_program(case: &Case<'_>) -> Offered {
    program_of_project(case).or_else(|reason| project_interpreter(case).map_err(|_| reason))
}

fn program_of_project(case: &Case<'_>) -> Offered {
    let name = bare(case)?;
    let in_project = in_project(case, name);
    let is_at_home = in_project.is_none();
    let at_home = || case.looks.program_at_home(name);
    let Some(path) = in_project.or_else(at_home) else { return module_of_project(case, name) };
    let place = if is_at_home { "there" } else { "in the project" };
    let shown = if path.contains('/') { path.clone() } else { format!("./{path}") };
    let state = format!("`{shown}` is {place}, and no `{name}` is on PATH");
    let step = if let Some(word) = case.program_word(name) {
        case.again_with_text(word, &if shown.starts_with('~') { shown.clone() } else { line_of([&shown]) })
    } else if is_at_home {
        return Err("another program looked for it");
    } else {
        // Another program looked for it: it finds what stands in PATH.
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
        let place = quoted_word(&join(&case.folder(), folder));
        case.again_with(format!("export PATH=\"$PWD\"/{place}:\"$PATH\" && {line}"))
    };
    let step = step.ok_or("its command line is not whole")?;
    let step = PlanStep::work(format!("Run {}", quoted(&shown, 60)), step, "The command runs");
    Ok(Offer::explained(state, vec![step]).doing(format!("Run `{shown}`, which is {place}")))
}

/// A package, target or script of the project with a name like a program's.
fn module_of_project(case: &Case<'_>, name: &str) -> Offered {
    let made = super::instead::as_module(case, name).ok_or("the project keeps no such program")?;
    let word = case.program_word(name).ok_or("the line does not start it once by this name")?;
    let step = case.again_with_text(word, &made).ok_or("its command line is not whole")?;
    let state = format!("`{name}` is of the project: {} starts it, and no program has the name", quoted(&made, 80));
    Ok(Offer::explained(state, vec![PlanStep::work(format!("Run it as `{made}`"), step, "The command runs")])
        .doing(format!("Run `{made}`, which the project has")))
}

/// Whether a name of a program is so close that a slip of the hand explains it: one letter, two of a long name, and the
/// first one right.
pub(super) fn is_slip(name: &str, near: &str) -> bool {
    let most = if name.len() >= 9 { 2 } else { 1 };
    let swapped = || {
        name.len() >= 2
            && near.starts_with(&name.chars().take(2).collect::<Vec<_>>().into_iter().rev().collect::<String>())
    };
    let is_first_right = name.chars().next() == near.chars().next() || swapped();
    is_first_right && apart(name, near).is_some_and(|letters| letters <= most)
}

pub(super) fn near_program(case: &Case<'_>) -> Offered {
    let name = bare(case)?;
    let programs = case.looks.programs();
    if ALTERNATIVES.iter().any(|(missing, _)| *missing == name) {
        return Err("what does the same under another name is known");
    }
    // `python3.13` where there is a `python3`.
    if let Some((own, word)) = without_version(case, name).zip(case.program_word(name)) {
        let step = case.again_replacing(&[(word, own)]).ok_or("its command line is not whole")?;
        let state = format!("no program `{name}` is on PATH, and `{own}` is");
        return Ok(Offer::explained(state, vec![PlanStep::work(format!("Run `{own}`"), step, "The command runs")]));
    }
    if crate::programs::find(name).is_some() {
        return Err("it is a program's name, and no slip of the hand");
    }
    let near =
        only_close(name, programs.iter().map(String::as_str)).ok_or("no single program on PATH has a close name")?;
    if name.len() < 3 || near.len() < 3 {
        return Err("the name is too short to guess the intended one");
    }
    if !is_slip(name, near) {
        return Err("the only program with a name like it may be another one");
    }
    let word = case.program_word(name).ok_or("the line does not start it once by this name")?;
    let step = case.again_replacing(&[(word, near)]).ok_or("its command line is not whole")?;
    let state = format!("no program `{name}` is on PATH, and `{near}` is");
    let step = PlanStep::work(format!("Run `{near}` in its place"), step, "The command runs");
    Ok(Offer::explained(state, vec![step]).doing(format!("Use `{near}`, the only program with a name like it")))
}

pub(in super::super) fn try_alternative_command(case: &Case<'_>) -> Offered {
    let name = bare(case)?;
    // Names that only the GNU programs have where others are the system's.
    let is_own = |plain: &&str| crate::programs::find(name).is_none() && crate::programs::find(plain).is_some();
    let plain = name.strip_prefix('g').filter(is_own);
    if let Some((plain, word)) =
        plain.filter(|plain| case.looks.programs().iter().any(|own| own == plain)).zip(case.program_word(name))
    {
        let step = case.again_with_text(word, plain).ok_or("its command line is not whole")?;
        let step = PlanStep::work(format!("Run it as `{plain}`"), step, "The command runs");
        return Ok(Offer::new(format!("`{plain}` is the same program here"), vec![step]));
    }
    let known = ALTERNATIVES.iter().find(|(missing, _)| *missing == name).map_or(&[][..], |(_, others)| others);
    let is_there = |other: &&&str| {
        let (program, subcommand) = other.split_once(' ').unwrap_or((other, ""));
        // What is a plugin need not be there, and then the help does not name it.
        let help = || case.looks.help(program, None);
        let is_named = || subcommand.is_empty() || help().is_none_or(|help| help.contains(subcommand));
        // A word of the shell itself is always there.
        !case.looks.is_looking()
            || program == "command"
            || case.looks.programs().iter().any(|own| own == program) && is_named()
    };
    if let Some((other, word)) = known.iter().find(is_there).zip(case.program_word(name)) {
        let step = case.again_with_text(word, other).ok_or("its command line is not whole")?;
        let step = PlanStep::work(format!("Run it as `{other}`"), step, "The command runs");
        return Ok(Offer::new(format!("`{other}` does the same"), vec![step]));
    }
    if let Some(((made, why), word)) = super::instead::translated(case, name).zip(case.program_word(name)) {
        let last = case.arguments_of(word).map(|word| word.range.end).max().unwrap_or(word.range.end);
        let step = case.again_edited(vec![(word.range.start..last, made.clone())]);
        let step = step.ok_or("its command line is not whole")?;
        return Ok(Offer::new(
            why,
            vec![PlanStep::work(format!("Run {}", quoted(&made, 120)), step, "The command runs")],
        )
        .seen(format!("{} does not exist", quoted(name, 60))));
    }
    if runs_inside(case) {
        return Err("it is looked for in the container, and not on this machine");
    }
    if known.iter().any(|other| other.contains(' ')) {
        return Err("what does the same is not there either");
    }
    let beside = MAY_DO_AS_WELL.iter().find(|(missing, _)| *missing == name).map_or(&[][..], |(_, others)| others);
    let look = if beside.is_empty() {
        let stem: String = name.chars().take_while(char::is_ascii_alphabetic).take(4).collect();
        let stem = if stem.len() < 2 { name.to_owned() } else { stem };
        let line = format!(
            "printf '%s\\n' \"$PATH\" | tr : '\\n' | while IFS= read -r dir; do ls -- \"$dir\" 2>/dev/null; done | sort -u | grep -iF -e {}",
            quoted_word(&stem)
        );
        PlanStep::new(
            format!("Look which programs have a name like {}", quoted(name, 60)),
            Deed::Run(line),
            "Names of available programs",
        )
    } else {
        let line = format!("for p in {}; do command -v \"$p\"; done; true", beside.join(" "));
        PlanStep::new(
            format!("Look which programs can do the work of {}", quoted(name, 60)),
            Deed::Run(line),
            "The paths of the available ones",
        )
    };
    Ok(Offer::new(format!("{} is not there under this name", quoted(name, 60)), vec![look]))
}

/// Hosts whose archives are known: what stands between the project's address and the branch, and the ending.
const ARCHIVES: &[(&str, &str, &str)] = &[
    ("github.com", "/archive/refs/heads/", ".tar.gz"),
    ("codeberg.org", "/archive/", ".tar.gz"),
    ("gitea.com", "/archive/", ".tar.gz"),
];

pub(in super::super) fn curl_download_and_extract(case: &Case<'_>) -> Offered {
    let clone = case.commands().find(|command| command.is(Trait::BeginsRepository)).ok_or("nothing is cloned")?;
    if missing(case) != Some(&clone.raw) {
        return Err("what clones is not what is missing");
    }
    let address = clone.args.iter().find(|arg| arg.starts_with("https://") || arg.starts_with("http://"));
    let address = address.ok_or("the address is none of the web")?;
    let (host, owner, name) =
        repository(address).ok_or("the address names no repository of a host whose archives are known")?;
    let (_, middle, ending) = ARCHIVES.iter().find(|row| row.0 == host).ok_or("the host's archives are not known")?;
    let branch = option_of(&clone.args, &["-b", "--branch"]).unwrap_or("main");
    if !branch.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte)) || branch.starts_with('-') {
        return Err("the branch cannot stand in an address");
    }
    let scheme = if address.starts_with("https://") { "https" } else { "http" };
    let archive = format!("{name}.tar.gz");
    let folder = format!("{name}-{}", branch.replace('/', "-"));
    let fetch =
        line_of(["curl", "-L", &format!("{scheme}://{host}/{owner}/{name}{middle}{branch}{ending}"), "-o", &archive]);
    let wanted = clone.args.iter().skip_while(|arg| *arg != address).nth(1).filter(|arg| !arg.starts_with('-'));
    let (extract, place) = match wanted {
        Some(place) => {
            let make = line_of(["mkdir", "-p", "--", place]);
            let place_word = if place.starts_with('/') { place.clone() } else { format!("./{place}") };
            let unpack = line_of(["tar", "-xzf", &archive, "--strip-components=1", "-C", &place_word]);
            (format!("{make} && {unpack}"), place_word)
        }
        None => (line_of(["tar", "-xzf", &archive]), format!("./{folder}")),
    };
    Ok(Offer::new(
        format!("the repository is on {host}, which hands it out as an archive"),
        vec![
            PlanStep::new(
                format!("Download repository tarball from {}", if host == "github.com" { "GitHub" } else { host }),
                Deed::Run(fetch),
                format!("{archive} file created"),
            ),
            PlanStep::work("Extract tarball contents", Deed::Run(extract), "Repository files extracted"),
            PlanStep::new("Verify extraction", Deed::List(place), "Directory listing shows repository structure"),
        ],
    ))
}

fn option_of<'c>(args: &'c [String], names: &[&str]) -> Option<&'c str> {
    let at = args.iter().position(|arg| names.contains(&arg.as_str()))?;
    args.get(at + 1).map(String::as_str)
}

/// Host, owner and name of a repository by its address; None for anything else.
fn repository(address: &str) -> Option<(&str, &str, &str)> {
    let rest = address.split_once("://")?.1.trim_end_matches('/');
    let mut parts = rest.split('/');
    let (host, owner, name) = (parts.next()?, parts.next()?, parts.next()?);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let plain = |part: &str| {
        !part.is_empty()
            && part.len() <= 100
            && !part.starts_with(['-', '.'])
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    (parts.next().is_none() && [host, owner, name].into_iter().all(plain)).then_some((host, owner, name))
}

/// The tool that does not exist: the name that was called, or the one that the output tells.
pub(in super::super) fn missing_tool<'c>(case: &'c Case<'_>) -> &'c str {
    let named = case.named(Kind::UnknownTool).and_then(|name| name.split('<').next());
    named.filter(|name| !name.is_empty()).unwrap_or(&case.failed.tool)
}

/// What the name of a tool suggests that it does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meant {
    Listing,
    Searching,
    Finding,
    Running,
    Reading,
    Writing,
    Changing,
    Nothing,
}

/// Parts of names, and what they suggest; the first that fits.
const SUGGESTS: &[(Meant, &[&str])] = &[
    (Meant::Changing, &["replace", "edit", "patch", "modify"]),
    (Meant::Writing, &["write", "create_file", "createfile", "save", "new_file"]),
    (Meant::Searching, &["search", "grep"]),
    (Meant::Finding, &["find", "glob", "locate"]),
    (Meant::Running, &["run", "exec", "shell", "terminal", "command"]),
    (Meant::Listing, &["list", "tree", "dir", "explor"]),
    (Meant::Reading, &["read", "view", "open_file", "show", "get_file"]),
    (Meant::Listing, &["browse"]),
];

fn meant(name: &str) -> Meant {
    let name = name.to_ascii_lowercase();
    let row = SUGGESTS.iter().find(|(_, words)| words.iter().any(|word| name.contains(word)));
    row.map_or(Meant::Nothing, |(meant, _)| *meant)
}

pub(in super::super) fn use_alternative_tool(case: &Case<'_>) -> Offered {
    if case.category() == Category::CommandNotFound {
        let line = super::tools::search_by_shell(case).ok_or("the tool exists")?;
        let step = PlanStep::work("Search by the shell", Deed::Run(line), "The places or names that were asked for");
        let why = "the program that the client searches with is not there";
        return Ok(Offer::explained(why, vec![step]).doing("Search by the shell"));
    }
    let name = missing_tool(case);
    let others: Vec<&str> =
        case.tools.names.iter().map(String::as_str).filter(|other| *other != name).take(3).collect();
    if others.is_empty() {
        return Err("no other tool is available");
    }
    let agents = match &*case.failed.tool {
        "Agent" | "Task" => Some(".claude/agents"),
        "Skill" => Some(".claude/skills"),
        _ => None,
    };
    let listed = case.failed.tool == "Agent" || case.failed.tool == "Task";
    let is_listed = case.printed().agents().any(|name| name == "general-purpose");
    if listed && is_listed && case.is_whole() && case.failed.args.contains_key("subagent_type") {
        let deed = case.again_changing(&[("subagent_type", "general-purpose".into())]);
        let step = PlanStep::work("Give the task to the agent for everything", deed, "The agent works");
        return Ok(
            Offer::new("the output lists the available agents", vec![step]).doing("Use the agent `general-purpose`")
        );
    }
    let steps = match agents {
        Some(folder) => {
            vec![PlanStep::new(
                "List what the project brings of them",
                Deed::List(folder.to_owned()),
                "The existing names",
            )]
        }
        None => instead_of_tool(case, meant(name)).ok_or("no available tool does what its arguments ask for")?,
    };
    let offer = Offer::new(format!("there is no tool {} here", quoted(name, 60)), steps);
    Ok(offer.doing(format!("Try using: {}", others.join(", "))))
}

/// The same by tools that are there, as far as the arguments tell it.
fn instead_of_tool(case: &Case<'_>, meant: Meant) -> Option<Vec<PlanStep>> {
    let arg = |keys: &[&str]| {
        keys.iter().find_map(|key| case.failed.args.get(*key)?.as_str()).filter(|text| !text.is_empty())
    };
    let path = arg(&["file_path", "path", "file", "filename", "target_file", "target", "uri"]);
    let folder = arg(&["path", "dir", "directory", "folder", "cwd"]).unwrap_or(".").to_owned();
    let text = arg(&["query", "pattern", "text", "search", "q", "regex"]);
    let read = |path: &str| Deed::Read { path: path.to_owned(), from: None };
    // What is fetched from elsewhere is no file of the project.
    if path.is_none() && arg(&["url", "href"]).is_some() {
        return None;
    }
    let work = |action: String, deed: Deed, expected: &str| Some(vec![PlanStep::work(action, deed, expected)]);
    match meant {
        Meant::Searching => {
            let text = text?;
            work(
                format!("Search for {}", quoted(text, 60)),
                Deed::Search { text: text.to_owned(), folder },
                "The places that hold it",
            )
        }
        Meant::Finding => {
            let name = crate::text::file_name(arg(&["name", "pattern", "query", "glob", "filename"])?);
            work(format!("Find {}", quoted(name, 60)), Deed::Find { name: name.to_owned() }, "Its path")
        }
        Meant::Running => {
            let line = arg(&["command", "script", "cmd", "code", "input"])?;
            work("Run the command in the available shell".to_owned(), Deed::Own(line.to_owned()), "The command runs")
        }
        Meant::Reading => match path {
            Some(path) if case.looks.kind(path) != Some(FileKind::Dir) => {
                work(format!("Read {}", quoted(path, 80)), read(path), "The contents of the file")
            }
            _ => work("List the folder".to_owned(), Deed::List(folder), "The names in the folder"),
        },
        Meant::Writing => {
            let (path, content) = path.zip(arg(&["content", "contents", "text", "file_text", "body", "data"]))?;
            let deed = Deed::Write { path: path.to_owned(), content: content.to_owned() };
            // A file that is there is written over only by who knows what it holds.
            if case.looks.kind(path).is_some() {
                return None;
            }
            work(format!("Write {}", quoted(path, 80)), deed, "The file is written")
        }
        Meant::Changing => {
            let old = arg(&["old_string", "old_str", "old_text", "search", "find", "old"])?;
            let new = ["new_string", "new_str", "new_text", "replace", "replacement", "new"];
            let new = new.iter().find_map(|key| case.failed.args.get(*key)?.as_str())?;
            let path = path?;
            let deed = Deed::Edit { path: path.to_owned(), old: old.to_owned(), new: new.to_owned() };
            Some(vec![
                PlanStep::new(format!("Read {}", quoted(path, 80)), read(path), "The text that is to be changed"),
                PlanStep::work(format!("Change {}", quoted(path, 80)), deed, "The file is changed"),
            ])
        }
        // What another service is asked for does not stand in a listing, and only perhaps in a file of its name.
        Meant::Nothing | Meant::Listing if missing_tool(case).starts_with("mcp__") && path.is_none() => {
            let key = arg(&["key", "id", "name", "title", "issue", "ticket", "slug"]).filter(|key| key.len() >= 4)?;
            let is_it = |name: &str| name == key || name.rsplit_once('.').is_some_and(|(stem, _)| stem == key);
            let found = case.looks.find(&is_it);
            let [path] = found.as_slice() else { return None };
            work(format!("Read {}", quoted(path, 80)), read(path), "What the project itself keeps of it")
        }
        Meant::Listing | Meant::Nothing => {
            work("List the folder".to_owned(), Deed::List(folder), "The names in the folder")
        }
    }
}

pub(in super::super) fn decompose_to_basic_tools(case: &Case<'_>) -> Offered {
    let name = missing_tool(case);
    // A tool of another service lists and searches what is not in the project.
    if name.starts_with("mcp__") || !matches!(meant(name), Meant::Listing | Meant::Searching) {
        return Err("the tool's name does not say what it would have done");
    }
    let shows = "Names, two folders deep";
    Ok(Offer::new(
        "what the tool would have done is made of listing and reading",
        vec![
            PlanStep::new("List the project", Deed::List(".".to_owned()), "The names at its top"),
            PlanStep::new(
                "Look into its folders",
                Deed::Run("find . -maxdepth 2 -not -path \"*/.git/*\"".to_owned()),
                shows,
            ),
        ],
    ))
}

/// How a script is started without its own right to run.
pub(in super::super) fn interpreter(case: &Case<'_>, path: &str) -> Option<&'static str> {
    let by_line = |words: &[String]| {
        let names = words.iter().map(|word| name_of(word.trim_end_matches('\r')));
        let name = names.into_iter().find(|name| *name != "env" && !name.starts_with('-'))?;
        ["bash", "sh", "zsh", "dash", "python3", "python", "node", "ruby", "perl", "php"]
            .into_iter()
            .find(|known| *known == name)
    };
    match case.kind(path) {
        Some(FileKind::Script(words)) => by_line(&words).or_else(|| interpreter_of(path)),
        _ => interpreter_of(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_address_of_a_repository_is_one() {
        assert_eq!(repository("https://github.com/a/b.git/"), Some(("github.com", "a", "b")));
        for address in [
            "https://github.com/a",
            "https://github.com/a/b\";",
            "https://github.com/a/b/c",
            "https://github.com/-a/b",
            "https://x/a/$(b)",
        ] {
            assert_eq!(repository(address), None, "{address}");
        }
    }
}
