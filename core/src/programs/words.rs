//! What some words of a call mean to their program: where an option stands, what its value is, what a subcommand is for.

use super::{Trait, find};
use crate::model::Category::{
    self, AuthRequired, DependencyMissing, PathNotFound, RemoteNotFound, ServiceError, TestFailure,
};
use crate::text::file_name;

/// Options of whole programs that often stand behind the subcommand.
pub const GLOBAL: &[(&str, &str)] = &[
    ("docker", "-H"),
    ("docker", "--context"),
    ("flask", "--app"),
    ("celery", "-A"),
    ("celery", "--app"),
    ("git", "-C"),
    ("git", "-c"),
    ("git", "--git-dir"),
    ("terraform", "-chdir"),
    ("hg", "--cwd"),
    ("make", "-C"),
    ("npm", "--prefix"),
    ("poetry", "--directory"),
    ("kubectl", "--kubeconfig"),
    ("cargo", "--config"),
    ("pip", "--isolated"),
    ("mysql", "--defaults-file"),
    ("mysqladmin", "--defaults-file"),
    ("mysqldump", "--defaults-file"),
    ("mysqlimport", "--defaults-file"),
    ("mariadb", "--defaults-file"),
    ("mysql", "--defaults-extra-file"),
    ("mysqldump", "--defaults-extra-file"),
];

/// Options by which a program goes to another folder before it does anything.
pub const GOES_TO: &[(&str, &str)] = &[
    ("git", "-C"),
    ("make", "-C"),
    ("gmake", "-C"),
    ("ninja", "-C"),
    ("npm", "--prefix"),
    ("pnpm", "-C"),
    ("pnpm", "--dir"),
    ("yarn", "--cwd"),
    ("bun", "--cwd"),
    ("go", "-C"),
    ("uv", "--directory"),
];

/// Options that go past the hooks of version control.
pub const PAST_HOOKS: &[(&str, &str)] =
    &[("git commit", "--no-verify"), ("git commit", "-n"), ("git push", "--no-verify"), ("git merge", "--no-verify")];

/// What puts files into the next commit, and what makes it: each is one piece of work whatever its files and its message.
pub const STAGES: &str = "git add";
/// See [`STAGES`].
pub const COMMITS: &str = "git commit";

/// Commands that make something although they also find what a check finds.
pub const BUILDS: &[&str] = &["cargo build", "go build"];

/// Letters by which a program writes into the files that it else only shows.
pub const IN_PLACE: &[(&str, char)] = &[("sed", 'i')];

/// Options whose value is a file that is written: then its folder is missing. Of a folder that is written into, itself.
pub const OUTPUTS: &[(&[&str], &str, bool)] = &[
    (&["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "as", "go"], "-o", false),
    (&["curl"], "-o", false),
    (&["curl"], "--output", false),
    (&["wget"], "-O", false),
    (&["sort", "openssl", "pandoc", "xmllint", "sass", "dot"], "-o", false),
    (&["openssl"], "-out", false),
    (&["tar"], "-C", true),
    (&["tar"], "cf", false),
    (&["tar"], "czf", false),
    (&["tar"], "-cf", false),
    (&["tar"], "-czf", false),
    (&["wget"], "-P", true),
    (&["javac"], "-d", true),
    (&["dd"], "of=", false),
    (&["unzip"], "-d", true),
    (&["split", "zip"], "", false),
];

/// Calls that put a patch into files: program and subcommand.
pub const PATCHERS: &[(&str, Option<&str>)] = &[("patch", None), ("git", Some("apply"))];

/// Calls whose words are revisions, and behind `--` paths.
pub const REVISION_READERS: &[&str] = &["git diff", "git log", "git rev-list"];

/// What a permission may be given for. Whoever adds one says that none of its options writes, runs or tells a secret: that a row of
/// `programs/` only looks is not enough, as `hg incoming --bundle FILE` shows.
pub const ONLY_READ: &[&str] = &[
    "docker compose logs",
    "docker compose ps",
    "docker images",
    "docker logs",
    "docker ps",
    "docker version",
    "gh issue list",
    "gh issue view",
    "gh pr checks",
    "gh pr diff",
    "gh pr list",
    "gh pr status",
    "gh pr view",
    "gh release list",
    "gh release view",
    "gh repo view",
    "gh run list",
    "gh run view",
    "gh run watch",
    "gh search",
    "git check-ignore",
    "git count-objects",
    "git describe",
    "git for-each-ref",
    "git ls-files",
    "git ls-tree",
    "git merge-base",
    "git name-rev",
    "git rev-parse",
    "git status",
    "git version",
    "git worktree list",
    "go version",
];

/// Subcommands that only look, and by an option or operand of theirs write a file, run a program, speak to whoever is named or
/// show a secret.
#[rustfmt::skip]
pub const BY_OPTION: &[&str] = &[
    "ast-grep run", "cargo metadata", "cargo search", "cargo tree", "docker inspect", "gh auth status", "git blame",
    "git cat-file", "git diff", "git grep", "git log", "git ls-remote", "git reflog", "git remote show", "git rev-list",
    "git shortlog", "git show", "git stash list", "git stash show", "git var", "git whatchanged", "go doc", "go env", "go list",
    "kubectl describe", "kubectl explain", "kubectl get", "kubectl logs", "kubectl top", "kubectl version", "npm list",
    "npm ls", "npm outdated", "npm view", "npm why", "systemctl is-active", "systemctl list-units", "systemctl status",
];

/// Programs whose first word is a pattern.
pub const SEARCHERS: &[&str] = &["egrep", "fgrep", "grep", "rg"];

/// Programs whose `--timeout` counts milliseconds.
pub const IN_MILLISECONDS: &[&str] = &["mocha", "ava", "playwright", "vitest", "jest", "bun", "lighthouse", "newman"];

/// Programs that listen on another port by an option, in which `PORT` is the number.
pub const PORT_OPTIONS: &[(&str, &str)] = &[
    ("python -m http.server", "PORT"),
    ("http.server", "PORT"),
    ("flask run", "--port PORT"),
    ("uvicorn", "--port PORT"),
    ("vite", "--port PORT"),
    ("next dev", "-p PORT"),
    ("next start", "-p PORT"),
    ("http-server", "-p PORT"),
    ("ng serve", "--port PORT"),
    ("rails server", "-p PORT"),
    ("hugo server", "-p PORT"),
    ("mkdocs serve", "-a 127.0.0.1:PORT"),
    ("redis-server", "--port PORT"),
];

/// How one test is run alone, by what begins the name of its runner or its call. In it `TEST` is the test, `NAME` the last
/// part of its name, `NODE` its name behind its file's, `METHOD` what stands in its name behind `#`, `PATTERN` one of its
/// first part alone and `PLACE` its name with the place that is printed behind it; of the failed call, `FILE` is the file of
/// tests, `SCRIPT` the script, `PACKAGE` the package, and `FLAGS` are the options of the build.
pub const ALONE: &[(&str, &str)] = &[
    ("cargo test", "cargo test TEST -- --exact --nocapture"),
    ("cargo nextest", "cargo nextest run TEST --no-capture"),
    ("pytest", "python3 -m pytest -x -vv NODE"),
    ("go test", "go test FLAGS -count=1 -v -run PATTERN PACKAGE"),
    ("vitest", "npx --no-install vitest run FILE -t NAME"),
    ("jest", "npx --no-install jest FILE -t NAME"),
    ("unittest", "python3 -m unittest -v PLACE"),
    ("ruby", "ruby SCRIPT -v -n METHOD"),
    ("rspec", "bundle exec rspec -e NAME"),
    ("phpunit", "vendor/bin/phpunit --filter NAME"),
    ("dotnet test", "dotnet test --filter TEST"),
];

/// How tests are run, known by a manifest above their file. Which files they are in, the program's row tells.
#[derive(Debug)]
pub struct RunnerCall {
    /// The manifests; the nearest one tells, and the tests are run in its folder.
    pub manifests: &'static [&'static str],
    /// Words of which one stands in the manifest; empty where its name tells enough.
    pub words: &'static [&'static str],
    /// The call for one test: `FILE` is the file, `FOLDER` its folder, `TEST` the file and the test, `NAME` the last part of
    /// the test's name.
    pub one: &'static str,
    /// The call for all tests of the file.
    pub all: &'static str,
}

const PYTHON_MANIFESTS: &[&str] =
    &["pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.cfg", "tox.ini", "Pipfile"];

/// Rows before others are asked first.
#[rustfmt::skip]
pub const RUNNER_CALLS: &[RunnerCall] = &[
    RunnerCall { manifests: &["Cargo.toml"], words: &[], one: "cargo test NAME", all: "cargo test" },
    RunnerCall { manifests: &["go.mod"], words: &[], one: "go test -run NAME FOLDER", all: "go test FOLDER" },
    RunnerCall { manifests: &["pytest.ini"], words: &[], one: "pytest TEST", all: "pytest FILE" },
    RunnerCall { manifests: PYTHON_MANIFESTS, words: &["pytest"], one: "pytest TEST", all: "pytest FILE" },
    RunnerCall { manifests: &["package.json"], words: &["vitest"], one: "npx vitest run FILE -t NAME", all: "npx vitest run FILE" },
    RunnerCall { manifests: &["package.json"], words: &["jest"], one: "npx jest FILE -t NAME", all: "npx jest FILE" },
    RunnerCall { manifests: &["Gemfile"], words: &["rspec", "rspec-rails"], one: "bundle exec rspec FILE -e NAME", all: "bundle exec rspec FILE" },
    RunnerCall { manifests: &["composer.json"], words: &["phpunit/phpunit"], one: "vendor/bin/phpunit --filter NAME FILE", all: "vendor/bin/phpunit FILE" },
];

/// What shows the state that a failure of a category comes from, for these programs, or for every other one where none is
/// named. Nothing here changes anything, and no value of a secret is shown.
pub const SHOWS: &[(Category, &[&str], &str)] = &[
    (PathNotFound, &["go"], "go list ./..."),
    (TestFailure, &["pytest"], "pytest --collect-only -q | head -n 100"),
    (TestFailure, &["go"], "go test -list . ./... | head -n 100"),
    (TestFailure, &["cargo"], "cargo test -- --list | head -n 100"),
    (TestFailure, &["jest"], "npx --no-install jest --listTests | head -n 100"),
    (TestFailure, &["vitest"], "npx --no-install vitest list | head -n 100"),
    (AuthRequired, &["gh"], "gh api user --jq .login"),
    (AuthRequired, &["git"], "git remote -v; git config --get-all credential.helper; ls -A ~/.ssh 2>/dev/null"),
    (AuthRequired, &["ssh"], "ls -A ~/.ssh 2>/dev/null"),
    (AuthRequired, &["npm", "pnpm"], "npm whoami; npm config get registry"),
    (AuthRequired, &["aws"], "aws sts get-caller-identity"),
    (AuthRequired, &["gcloud"], "gcloud config list account"),
    (AuthRequired, &["az"], "az account show --output table"),
    (AuthRequired, &["docker"], "docker info --format {{.IndexServerAddress}}"),
    (AuthRequired, &["kubectl"], "kubectl config current-context"),
    (AuthRequired, &[], "env | cut -d= -f1 | grep -iE \"token|key|auth|user\" | sort"),
    (
        DependencyMissing,
        &["npm", "npx", "node", "pnpm", "yarn", "bun", "tsc", "jest", "vitest"],
        "ls -A; cat package.json 2>/dev/null | head -n 80; ls node_modules 2>/dev/null | head -n 40",
    ),
    (
        DependencyMissing,
        &["python", "python3", "pytest", "pip"],
        "ls -A; python3 -m pip list 2>/dev/null | head -n 60; cat requirements.txt pyproject.toml 2>/dev/null | head -n 60",
    ),
    (DependencyMissing, &["cargo"], "ls -A; cat Cargo.toml"),
    (DependencyMissing, &["go"], "ls -A; cat go.mod"),
    (
        RemoteNotFound,
        &["gh"],
        "git remote -v; gh repo view --json nameWithOwner,defaultBranchRef; gh pr list --limit 20",
    ),
    (RemoteNotFound, &["docker", "podman"], "docker images | head -n 40; docker ps -a | head -n 40"),
    (RemoteNotFound, &["git"], "git remote -v; git branch --all --verbose"),
    (RemoteNotFound, &[], "git remote -v; ls -A"),
    (ServiceError, &["docker", "docker-compose"], "docker version; docker context show"),
];

/// A manager's locks or manifests, the words that install what they name, and the programs that need it.
#[rustfmt::skip]
pub const INSTALLS_BY: &[(&[&str], &str, &[&str])] = &[
    (&["pnpm-lock.yaml"], "pnpm install --frozen-lockfile", OF_NODE),
    (&["bun.lockb", "bun.lock"], "bun install --frozen-lockfile", OF_NODE),
    (&["yarn.lock"], "yarn install --frozen-lockfile", OF_NODE),
    (&["package-lock.json", "npm-shrinkwrap.json"], "npm ci", OF_NODE),
    (&["package.json"], "npm install", OF_NODE),
    (&["uv.lock"], "uv sync", OF_PYTHON),
    (&["poetry.lock"], "poetry install", OF_PYTHON),
    (&["Pipfile.lock"], "pipenv sync", OF_PYTHON),
    (&["go.mod"], "go mod download", &["go"]),
    (&["Gemfile.lock"], "bundle install", &["ruby", "rake", "bundle", "rspec", "rails"]),
    (&["composer.lock"], "composer install", &["php", "composer", "phpunit", "artisan"]),
    (&["mix.lock"], "mix deps.get", &["mix", "elixir"]),
];

#[rustfmt::skip]
const OF_NODE: &[&str] = &[
    "npm", "npx", "pnpm", "yarn", "bun", "node", "tsc", "jest", "vitest", "eslint", "next", "vite", "tsx", "ts-node", "prettier",
];
const OF_PYTHON: &[&str] = &["python", "python3", "pytest", "uv", "poetry", "pipenv", "mypy", "ruff"];

/// What runs a script, by the endings of its name.
const INTERPRETERS: &[(&[&str], &str)] = &[
    (&["sh"], "sh"),
    (&["bash"], "bash"),
    (&["zsh"], "zsh"),
    (&["py", "pyz"], "python3"),
    (&["js", "mjs", "cjs"], "node"),
    (&["rb"], "ruby"),
    (&["pl"], "perl"),
    (&["php", "phar"], "php"),
    (&["lua"], "lua"),
    (&["tcl"], "tclsh"),
    (&["jar"], "java -jar"),
    (&["awk"], "awk -f"),
];

/// What runs the script at a path.
pub fn interpreter_of(path: &str) -> Option<&'static str> {
    let (_, ending) = file_name(path).rsplit_once('.')?;
    INTERPRETERS.iter().find(|(endings, _)| endings.contains(&ending)).map(|(_, interpreter)| *interpreter)
}

/// Programs that put their other words where the last one says.
pub const COPIES: &[&str] = &["cp", "mv", "ln", "install", "rsync", "scp"];

/// Programs that make or fill the files that their words name.
pub const FILLS: &[&str] = &["touch", "tee"];

/// Beginnings of commands that a tool prints as the way on, and that do no more than was asked for.
pub const WAYS_ON: &[&str] = &[
    "git push --set-upstream ",
    "go get ",
    "go mod download",
    "go mod tidy",
    "npm install --save-dev ",
    "pnpm approve-builds",
    "pnpm install",
    "npx playwright install",
];

/// What programs print before a command that a hook of version control has run, and the program that runs it alone.
pub const HOOK_RUNS: &[(&str, &str)] = &[("- hook id: ", "pre-commit run")];

/// Version control's own commands that only keep house.
pub const HOUSEKEEPING: &[&str] = &[
    "git add",
    "git commit",
    "git checkout",
    "git switch",
    "git stash",
    "git fetch",
    "git push",
    "git branch",
    "git tag",
    "git config",
    "git worktree",
    "git remote",
    "git notes",
    "git status",
    "git mv",
];

/// Programs that write or move files: what passes then passes by their contents.
pub const MOVES: &[&str] = &["cp", "mv", "ln", "tee", "patch", "install", "rsync", "unzip", "tar"];

/// Programs that make what may be there already: a second call says so.
pub const MAY_BE_THERE: &[&str] = &[
    "mkdir",
    "ln",
    "createdb",
    "createuser",
    "useradd",
    "groupadd",
    "mkfifo",
    "virtualenv",
    "cp",
    "mv",
    "tmux",
    "psql",
    "sqlite3",
    "mysql",
    "curl",
    "http",
    "cargo",
    "npm",
    "git",
];

/// Operations of git that stop half-way and are gone on with.
pub const HALF_WAY: &[&str] = &[
    "git rebase --continue",
    "git merge --continue",
    "git cherry-pick --continue",
    "git revert --continue",
    "git am --continue",
];

/// Programs that only print where they are asked for help, with the words that ask all of it; `--help` of the others. What
/// starts something else, opens a window or a connection, or is a shell is none of them.
const PRINTS_HELP: &[(&str, &[&str])] = &[
    ("curl", &["--help", "all"]),
    ("ffmpeg", &["-h"]),
    ("npm", &["help"]),
    ("openssl", &["help"]),
    ("ps", &["--help", "all"]),
    ("sqlite3", &["-help"]),
    ("unzip", &["-hh"]),
    ("zip", &["-h2"]),
    ("", &["--help"]),
];

/// Programs without a row of their own that print their help as those with [`Trait::AnswersHelp`] do.
const ALSO_ANSWER_HELP: &[&str] = &[
    "ansible", "base64", "black", "bzip2", "cmake", "convert", "dd", "ffmpeg", "iconv", "pandoc", "patch", "rustc",
    "shuf", "split", "xz", "zstd",
];

/// The words by which a program that only prints its help is asked for it.
pub fn help_call<'w>(program: &str, subcommand: Option<&'w str>) -> Option<Vec<&'w str>> {
    let is_plain =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-');
    let answers = ALSO_ANSWER_HELP.contains(&program) || find(program).is_some_and(|row| row.has(Trait::AnswersHelp));
    if !answers || subcommand.is_some_and(|word| !is_plain(word)) {
        return None;
    }
    let (_, own) = PRINTS_HELP.iter().find(|(name, _)| *name == program || name.is_empty())?;
    Some(subcommand.map_or_else(|| own.to_vec(), |word| vec![word, "--help"]))
}

/// Names that stand for something on every machine: signals, encodings.
pub const EVERYWHERE: &[&str] = &[
    "HUP",
    "INT",
    "QUIT",
    "KILL",
    "TERM",
    "USR1",
    "USR2",
    "STOP",
    "CONT",
    "PIPE",
    "ALRM",
    "CHLD",
    "WINCH",
    "SIGHUP",
    "SIGINT",
    "SIGKILL",
    "SIGTERM",
    "SIGUSR1",
    "SIGUSR2",
    "UTF-8",
    "UTF-16",
    "UTF-16LE",
    "UTF-16BE",
    "ASCII",
    "US-ASCII",
    "LATIN1",
    "ISO-8859-1",
    "ISO-8859-15",
    "WINDOWS-1252",
    "CP1252",
    "CP437",
    "SHIFT_JIS",
    "EUC-JP",
    "GBK",
    "GB18030",
    "BIG5",
    "KOI8-R",
    "localhost",
];

/// Names of one thing: a repository has one of them.
pub const SAME_BRANCH: &[&[&str]] = &[&["main", "master", "trunk"], &["dev", "devel", "develop", "development"]];

/// Where the words of programs lie that shells complete.
pub const COMPLETIONS: &str = "/usr/share/bash-completion/completions";

/// Where a program looks for parts of what it runs or builds.
#[derive(Debug)]
pub struct SearchPath {
    /// Names of programs, without figures.
    pub programs: &'static [&'static str],
    /// The variable of the environment that names more folders.
    pub variable: &'static str,
    /// Its value, in which `{}` is the folder.
    pub value: &'static str,
    /// The files that the part is looked for in, in which `{}` is its name.
    pub files: &'static [&'static str],
    /// Whether only the first part of a name with dots is a file or folder.
    pub is_top: bool,
    /// Whether the name is a path, whose dots are no folders.
    pub is_path: bool,
    /// The endings of which the name has one; none where it needs none.
    pub ends: &'static [&'static str],
    /// Whether a script's own folder is searched, and not the one where it runs.
    pub looks_beside: bool,
}

/// Search paths of programs.
#[rustfmt::skip]
pub const SEARCH_PATHS: &[SearchPath] = &[
    SearchPath { programs: &["python", "pytest", "ipython"], variable: "PYTHONPATH", value: "{}", files: &["{}/__init__.py", "{}.py", "{}"], is_top: true, is_path: false, ends: &[], looks_beside: true },
    SearchPath { programs: &["node"], variable: "NODE_PATH", value: "{}", files: &["{}/package.json", "{}/index.js", "{}.js"], is_top: false, is_path: true, ends: &[], looks_beside: false },
    SearchPath { programs: &["perl"], variable: "PERL5LIB", value: "{}", files: &["{}"], is_top: false, is_path: true, ends: &[".pm", ".pl"], looks_beside: false },
    SearchPath { programs: &["ruby"], variable: "RUBYLIB", value: "{}", files: &["{}.rb"], is_top: false, is_path: true, ends: &[], looks_beside: false },
    SearchPath { programs: &["lua"], variable: "LUA_PATH", value: "{}/?.lua;;", files: &["{}.lua"], is_top: false, is_path: false, ends: &[], looks_beside: false },
    SearchPath { programs: &["java"], variable: "CLASSPATH", value: "{}", files: &["{}.class"], is_top: false, is_path: false, ends: &[], looks_beside: false },
    SearchPath { programs: &["gcc", "g++", "cc", "c++", "clang", "clang++", "make"], variable: "CPATH", value: "{}", files: &["{}"], is_top: false, is_path: true, ends: &[".h", ".hh", ".hpp", ".hxx", ".inc"], looks_beside: false },
    SearchPath { programs: &["gcc", "g++", "cc", "c++", "clang", "clang++", "make", "ld"], variable: "LIBRARY_PATH", value: "{}", files: &["lib{}.so", "lib{}.a"], is_top: false, is_path: true, ends: &[], looks_beside: false },
    SearchPath { programs: &["pkg-config"], variable: "PKG_CONFIG_PATH", value: "{}", files: &["{}.pc"], is_top: false, is_path: true, ends: &[], looks_beside: false },
];

/// Programs that compare files whose lines are sorted.
pub const TAKES_SORTED: &[&str] = &["join", "comm"];

/// Compilers of C, each with that of C++ from the same makers.
pub const C_COMPILERS: &[(&str, &str)] = &[("gcc", "g++"), ("clang", "clang++"), ("cc", "c++")];

/// Programs that take a script of their own language behind `-f`, whose files end in their names.
pub const SCRIPT_BY_OPTION: &[&str] = &["sed", "awk", "jq"];

/// Programs that write what they make of one file into the one that is named last.
pub const CONVERTERS: &[&str] = &["convert", "cwebp", "ffmpeg", "magick", "pdftotext"];

/// Libraries that a linker takes by an option, each with how its functions begin.
pub const LINKED: &[(&str, &[&str])] = &[
    ("-lm", &["sqrt", "pow", "sin", "cos", "tan", "exp", "log", "floor", "ceil", "fmod", "round", "hypot", "atan"]),
    ("-pthread", &["pthread_", "sem_"]),
    ("-ldl", &["dlopen", "dlsym", "dlclose"]),
    ("-lz", &["inflate", "deflate", "compress", "uncompress", "gzopen", "crc32"]),
    ("-lsqlite3", &["sqlite3_"]),
    ("-lcurl", &["curl_"]),
    ("-lcrypto", &["EVP_", "SHA256", "RAND_"]),
    ("-lncurses", &["initscr", "endwin", "wgetch", "printw"]),
    ("-lreadline", &["readline", "add_history"]),
];

/// Shells that know nothing of what bash adds.
pub const PLAIN_SHELLS: &[&str] = &["sh", "dash"];
