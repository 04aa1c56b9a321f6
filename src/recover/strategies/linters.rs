//! Linters and formatters that apply what they find, also where a script of the project calls them.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, Step};
use super::manifests::{asked_for, declared_here, manifest_of, node_script};
use crate::shell::{Command, PlacedWord, Script, WordRole, line_of, placed_words};

/// How a linter or formatter applies what it found: the words that only look, and those that stand in their place; without
/// words that only look, what is put behind the subcommand.
struct Fixer {
    program: &'static str,
    looks: &'static [&'static str],
    fixes: &'static str,
}

#[rustfmt::skip]
const FIXERS: &[Fixer] = &[
    Fixer { program: "eslint", looks: &["--max-warnings=0"], fixes: "--fix" },
    Fixer { program: "ruff format", looks: &["--check", "--diff"], fixes: "" },
    Fixer { program: "ruff check", looks: &["--diff"], fixes: "--fix" },
    Fixer { program: "ruff", looks: &["--diff"], fixes: "--fix" },
    Fixer { program: "black", looks: &["--check", "--diff"], fixes: "" },
    Fixer { program: "isort", looks: &["--check-only", "--check", "-c", "--diff"], fixes: "" },
    Fixer { program: "prettier", looks: &["--check", "-c", "--list-different", "-l"], fixes: "--write" },
    Fixer { program: "cargo fmt", looks: &["--check"], fixes: "" },
    Fixer { program: "rustfmt", looks: &["--check"], fixes: "" },
    Fixer { program: "gofmt", looks: &["-l", "-d"], fixes: "-w" },
    Fixer { program: "goimports", looks: &["-l", "-d"], fixes: "-w" },
    Fixer { program: "biome", looks: &[], fixes: "--write" },
    Fixer { program: "stylelint", looks: &[], fixes: "--fix" },
    Fixer { program: "oxlint", looks: &[], fixes: "--fix" },
    Fixer { program: "markdownlint", looks: &[], fixes: "--fix" },
    Fixer { program: "golangci-lint run", looks: &[], fixes: "--fix" },
    Fixer { program: "rubocop", looks: &[], fixes: "-a" },
    Fixer { program: "standard", looks: &[], fixes: "--fix" },
    Fixer { program: "clang-format", looks: &["--dry-run", "-n", "-Werror", "--Werror"], fixes: "-i" },
    Fixer { program: "terraform fmt", looks: &["-check", "-diff"], fixes: "" },
    Fixer { program: "mix format", looks: &["--check-formatted"], fixes: "" },
    Fixer { program: "shfmt", looks: &["-d", "-l"], fixes: "-w" },
    Fixer { program: "yapf", looks: &["--diff", "-d"], fixes: "-i" },
    Fixer { program: "deno fmt", looks: &["--check"], fixes: "" },
    Fixer { program: "just", looks: &["--check"], fixes: "" },
    Fixer { program: "gofumpt", looks: &["-l", "-d"], fixes: "-w" },
    Fixer { program: "autopep8", looks: &["--diff", "-d"], fixes: "--in-place" },
    Fixer { program: "autoflake", looks: &["--check", "-c"], fixes: "--in-place" },
    Fixer { program: "docformatter", looks: &["--check", "-c"], fixes: "--in-place" },
    Fixer { program: "djlint", looks: &["--check"], fixes: "--reformat" },
    Fixer { program: "sqlfluff lint", looks: &["lint"], fixes: "fix" },
    Fixer { program: "mdformat", looks: &["--check"], fixes: "" },
    Fixer { program: "codespell", looks: &[], fixes: "--write-changes" },
    Fixer { program: "typos", looks: &["--diff"], fixes: "--write-changes" },
    Fixer { program: "tofu fmt", looks: &["-check", "-diff"], fixes: "" },
    Fixer { program: "stylua", looks: &["--check"], fixes: "" },
    Fixer { program: "taplo fmt", looks: &["--check"], fixes: "" },
    Fixer { program: "dart format", looks: &["--set-exit-if-changed", "--output=none"], fixes: "" },
    Fixer { program: "swiftformat", looks: &["--lint"], fixes: "" },
    Fixer { program: "ktlint", looks: &[], fixes: "--format" },
    Fixer { program: "buildifier", looks: &["-mode=check", "--mode=check"], fixes: "" },
    Fixer { program: "cmake-format", looks: &["--check"], fixes: "-i" },
    Fixer { program: "php-cs-fixer fix", looks: &["--dry-run", "--diff"], fixes: "" },
    Fixer { program: "pint", looks: &["--test"], fixes: "" },
    Fixer { program: "nixfmt", looks: &["--check", "-c"], fixes: "" },
    Fixer { program: "alejandra", looks: &["--check", "-c"], fixes: "" },
    Fixer { program: "xo", looks: &[], fixes: "--fix" },
    Fixer { program: "dprint check", looks: &["check"], fixes: "fmt" },
];

pub(in super::super) fn apply_linter_fixes(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().filter(|_| case.is_whole()).ok_or("its command line is not whole")?;
    if case.says(&["context loading failed", "no go files to analyze"]) {
        return Err("the linter did not begin");
    }
    if fixes_nothing(case) {
        return Err("the output shows that most of what it found is mended by hand");
    }
    if let Some((fix, program)) = applying(line) {
        let fix = case.in_folder(&fix);
        return if fix == line {
            Err("the line applies what it finds already")
        } else {
            Ok(fixing(case, fix, program))
        };
    }
    if let Some(fix) = by_shellcheck(case) {
        return Ok(fixing(case, case.in_folder(&fix), "shellcheck"));
    }
    if let Some(offer) = files_that_are_named(case) {
        return Ok(offer);
    }
    script_that_fixes(case).or_else(|| inside_a_script(case)).ok_or("no linter that applies its findings was run")
}

/// The linters of golangci-lint that apply what they find (golangci-lint 2.5, `golangci-lint help linters`), less those that
/// do so for few of their findings.
const APPLIED_BY_GOLANGCI: &[&str] = &[
    "canonicalheader",
    "copyloopvar",
    "dupword",
    "errorlint",
    "exptostd",
    "gci",
    "godot",
    "gofmt",
    "gofumpt",
    "goimports",
    "golines",
    "importas",
    "intrange",
    "mirror",
    "misspell",
    "modernize",
    "nlreturn",
    "perfsprint",
    "protogetter",
    "sloglint",
    "swaggo",
    "tagalign",
    "testifylint",
    "usestdlibvars",
    "usetesting",
    "whitespace",
    "wsl",
    "wsl_v5",
];

/// Whether the output shows that a linter would apply nothing, or little, of what it found. False where it does not tell.
fn fixes_nothing(case: &Case<'_>) -> bool {
    let of_golangci: Vec<&str> = case
        .text()
        .lines()
        .filter(|line| line.contains(".go:"))
        .filter_map(|line| line.trim_end().strip_suffix(')')?.rsplit_once(" (").map(|(_, name)| name))
        .collect();
    let applied = of_golangci.iter().filter(|name| APPLIED_BY_GOLANGCI.contains(name)).count();
    let by_eslint = case.says(&["✖"])
        && case.says(&[" problems (", " problem ("])
        && !case.says(&["potentially fixable", "code style issues", "prettier/prettier"]);
    let by_ruff = case.text().lines().any(|line| {
        let count = line.strip_prefix("Found ").and_then(|rest| rest.split_once(" error")).map(|(count, _)| count);
        count.is_some_and(|count| count.bytes().all(|b| b.is_ascii_digit()))
    }) && case.runs("ruff")
        && !case.says(&["fixable with", "would reformat"]);
    let by_rubocop = case.says(&[" offense detected", " offenses detected"]) && !case.says(&["correctable", "--fix"]);
    applied * 2 < of_golangci.len() || by_eslint || by_ruff || by_rubocop
}

/// The linter of a line in the form that applies what it finds, and its name. None where no linter is called, or its words
/// are not known before the line runs.
fn applying(line: &str) -> Option<(String, &'static str)> {
    let script = Script::parse(line);
    let words = placed_words(line)?;
    let (command, fixer) = script.programs().find_map(|(_, command)| {
        FIXERS.iter().find(|fixer| command.runs(fixer.program)).map(|fixer| (command, fixer))
    })?;
    let number = number_of(&words, command)?;
    let own: Vec<&PlacedWord> = words
        .iter()
        .filter(|word| word.command == number && matches!(word.role, WordRole::Program | WordRole::Argument))
        .collect();
    if own.iter().any(|word| !word.is_literal && word.text.contains(['$', '`'])) {
        return None;
    }
    let mut made: Vec<&str> = Vec::new();
    let mut names = fixer.program.split(' ');
    let mut last = names.next()?;
    let mut next = names.next();
    let mut is_put = fixer.fixes.is_empty();
    let mut seen_program = false;
    for word in own {
        seen_program |= crate::programs::base_name(&word.text) == last || word.text == last;
        if seen_program && next == Some(word.text.as_str()) {
            last = next?;
            next = names.next();
        }
        // Patterns stay as they are written.
        if !fixer.looks.contains(&word.text.as_str()) {
            made.push(line.get(word.range.clone())?);
        }
        if seen_program && next.is_none() && !is_put {
            made.push(fixer.fixes);
            is_put = true;
        }
    }
    Some((made.join(" "), fixer.program))
}

fn number_of(words: &[PlacedWord], command: &Command) -> Option<usize> {
    let starts = |word: &&PlacedWord| {
        let is_wrapper = || command.wrappers.iter().any(|wrapper| wrapper.split(' ').next() == Some(&word.text));
        word.role == WordRole::Program && (word.text == command.raw || is_wrapper())
    };
    words.iter().find(starts).map(|word| word.command)
}

fn fixing(case: &Case<'_>, fix: String, program: &str) -> Offer {
    let steps = vec![
        Step::new("Let the tool apply what it can", Deed::Run(fix), "It says what it changed"),
        Step::work("Make the check again", case.again(), "It finds nothing more, or only what a hand must change"),
    ];
    Offer::new(format!("`{program}` applies its findings itself"), steps)
}

/// What `shellcheck` finds and writes a difference for.
const MENDED_BY_SHELLCHECK: &[&str] =
    &["SC2086", "SC2046", "SC2006", "SC2164", "SC2162", "SC2231", "SC2248", "SC2250", "SC2166", "SC2004"];

/// The difference that `shellcheck` writes, applied. Its own form shows the lines, which are written one by one.
fn by_shellcheck(case: &Case<'_>) -> Option<String> {
    let line = case.failed.line.as_deref()?;
    if case.says(&["Did you mean:"]) || !case.says(MENDED_BY_SHELLCHECK) {
        return None;
    }
    let program = case.program_word("shellcheck")?;
    let mut own = case.arguments_of(program);
    let mut words = vec!["shellcheck", "-f", "diff"];
    while let Some(word) = own.next() {
        match word.text.as_str() {
            "-f" | "--format" => {
                own.next();
            }
            text if text.starts_with("-f") || text.starts_with("--format=") => {}
            _ => words.push(line.get(word.range.clone())?),
        }
    }
    Some(format!("{} | patch -p1", words.join(" ")))
}

/// A formatter that names the files it would change, one in a line.
struct Naming {
    program: &'static str,
    /// What says that it is this one, one of them.
    says: &'static [&'static str],
    /// What stands before and behind a name.
    around: (&'static str, &'static str),
    /// The words that change files, to which their names are added.
    writes: &'static [&'static str],
}

const NAMING: &[Naming] = &[
    Naming {
        program: "prettier",
        says: &["Run Prettier with --write to fix", "Run Prettier to fix"],
        around: ("[warn] ", ""),
        writes: &["prettier", "--write", "--"],
    },
    Naming {
        program: "black",
        says: &["would be reformatted"],
        around: ("would reformat ", ""),
        writes: &["black", "--"],
    },
    Naming {
        program: "ruff",
        says: &["would be reformatted"],
        around: ("Would reformat: ", ""),
        writes: &["ruff", "format", "--"],
    },
    Naming {
        program: "isort",
        says: &["Imports are incorrectly sorted"],
        around: ("ERROR: ", " Imports are incorrectly sorted and/or formatted."),
        writes: &["isort", "--"],
    },
];

/// The files that a formatter names, in whatever script, chain or hook it ran, written by it and nothing besides.
fn files_that_are_named(case: &Case<'_>) -> Option<Offer> {
    /// More files are not what the call was about.
    const MOST: usize = 40;
    if !case.is_whole() {
        return None;
    }
    NAMING.iter().filter(|row| case.says(row.says)).find_map(|row| {
        let (before, behind) = row.around;
        let cwd = case.failed.cwd.as_deref().map(|cwd| format!("{}/", cwd.trim_end_matches('/')));
        let own = |name: &str| cwd.as_deref().and_then(|cwd| name.strip_prefix(cwd)).unwrap_or(name).to_owned();
        let is_file = |name: &String| {
            let is_below = !name.starts_with('/') && !name.split('/').any(|part| part == "..");
            is_below
                && name.contains('.')
                && !name.contains(' ')
                && (!case.looks.is_looking() || case.kind(name).is_some())
        };
        let named = case.text().lines().filter_map(|line| line.trim().strip_prefix(before)?.strip_suffix(behind));
        let mut files: Vec<String> = named.map(|name| own(name.trim())).filter(is_file).collect();
        files.sort();
        files.dedup();
        if files.is_empty() || files.len() > MOST {
            return None;
        }
        let runner: &[&str] = if row.program == "prettier" { &["npx", "--no-install"] } else { &[] };
        let written = || files.iter().map(String::as_str);
        let fix = line_of(runner.iter().chain(row.writes).copied().chain(written()));
        let mut offer = fixing(case, case.in_folder(&fix), row.program);
        if case.runs("git commit") {
            let add = case.in_folder(&line_of(["git", "add", "--"].into_iter().chain(written())));
            offer.steps.insert(1, Step::new("Stage what it changed", Deed::Run(add), "The files are staged"));
        }
        Some(offer)
    })
}

/// A script of package.json that fixes, beside the one that only looks.
fn script_that_fixes(case: &Case<'_>) -> Option<Offer> {
    let wanted = asked_for(case)?;
    let command = case.command()?;
    let names = declared_here(case, "npm");
    let fixes = [format!("{wanted}:fix"), format!("{wanted}-fix"), format!("fix:{wanted}")];
    let name = fixes
        .into_iter()
        .find(|name| names.contains(name))
        .or_else(|| (wanted.contains("format") && names.iter().any(|n| n == "format")).then(|| "format".to_owned()))?;
    let line = case.in_folder(&line_of([&*command.raw, "run", &name]));
    Some(fixing(case, line, &name))
}

/// A linter that a script, a target or a script of package.json calls.
fn inside_a_script(case: &Case<'_>) -> Option<Offer> {
    let (fix, program) = inner_lines(case)?.iter().find_map(|line| applying(line).or_else(|| asked_by_test(line)))?;
    let name = program.split(' ').next()?;
    let is_in_path = case.looks.programs().iter().any(|own| own == name);
    let is_installed = case.kind(&format!("node_modules/.bin/{name}")).is_some();
    let fix =
        if is_installed && !is_in_path && fix.starts_with(name) { format!("npx --no-install {fix}") } else { fix };
    Some(fixing(case, case.in_folder(&fix), program))
}

/// What a test of the shell asks: `test -z "$(gofmt -l .)"`.
fn asked_by_test(line: &str) -> Option<(String, &'static str)> {
    let (_, inside) = line.split_once("$(")?;
    let (inside, _) = inside.split_once(')')?;
    applying(inside)
}

/// The lines that the failed call ran by a name: of a recipe, of a script of package.json, of a script of the shell.
fn inner_lines(case: &Case<'_>) -> Option<Vec<String>> {
    if let Some(line) = case.failed.line.as_deref().filter(|line| line.contains("$(")) {
        return Some(vec![line.to_owned()]);
    }
    let command = case.command()?;
    if let Some(wanted) = asked_for(case) {
        if matches!(command.name(), "make" | "gmake" | "just") {
            let text = manifest_of(case, command.name())?;
            let heads = [format!("{wanted}:"), format!("{wanted} ")];
            let recipe = text
                .lines()
                .skip_while(|line| !heads.iter().any(|head| line.starts_with(head)))
                .skip(1)
                .take_while(|line| line.starts_with(['\t', ' ']));
            return Some(recipe.map(|line| line.trim_start().trim_start_matches(['@', '-']).to_owned()).collect());
        }
        let script = node_script(case, &wanted)?;
        return Some(script.split("&&").map(|part| part.trim().to_owned()).collect());
    }
    let is_shell = matches!(command.name(), "sh" | "bash" | "dash" | "zsh");
    let script = if is_shell { command.args.iter().find(|arg| !arg.starts_with('-'))? } else { &command.raw };
    let text = case.looks.text(&case.at(script)).filter(|text| is_shell || text.starts_with("#!"))?;
    Some(text.lines().map(|line| line.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linter_applies_what_it_finds() {
        for (line, fix) in [
            ("black --check src", Some("black src")),
            ("npx eslint --max-warnings=0 'src/**/*.ts'", Some("npx eslint --fix 'src/**/*.ts'")),
            ("cargo +nightly fmt --all -- --check", Some("cargo +nightly fmt --all --")),
            ("ruff check --diff .", Some("ruff check --fix .")),
            ("sqlfluff lint a.sql", Some("sqlfluff fix a.sql")),
            ("black --check $FILES", None),
            ("ls src", None),
        ] {
            assert_eq!(applying(line).map(|(fix, _)| fix).as_deref(), fix, "{line}");
        }
    }
}
