//! Forms of calls, by what their programs say.

/// A form that a program needs.
pub(super) struct Form {
    /// The program, and its subcommand.
    pub(super) program: &'static str,
    /// What it says, one of these, in whatever case.
    pub(super) says: &'static [&'static str],
    pub(super) change: Change,
    /// Why the call failed, for people.
    pub(super) why: &'static str,
}

/// How a line is changed.
pub(super) enum Change {
    /// Words behind the program and its subcommand, where the first of them is not there yet.
    Add(&'static str),
    /// Words, or none, in the place of words.
    Put(&'static str, &'static str),
}

const fn add(program: &'static str, says: &'static [&'static str], words: &'static str, why: &'static str) -> Form {
    Form { program, says, change: Change::Add(words), why }
}

const fn put(
    program: &'static str,
    says: &'static [&'static str],
    given: &'static str,
    words: &'static str,
    why: &'static str,
) -> Form {
    Form { program, says, change: Change::Put(given, words), why }
}

pub(super) const OTHER_PLACE: &[&str] = &[
    "is different than the directory",
    "does not match the source",
    "does not match the generator",
    "CMakeCache.txt is different",
];
const OLD_LOCK: &[&str] = &[
    "are in sync",
    "not up to date with",
    "needs to be updated",
    "lockfile would have been modified",
    "needs to be updated but --locked",
];
const LOCK: &str = "the lock does not fit the manifest";
const VENDOR: &str = "the vendored packages do not fit go.mod";
const MODULE: &[&str] = &["Cannot use import statement outside a module", "await is only valid in async functions"];
const TYPE: &str = "`-type` takes one letter";
const FIRST_LINE: &str = "a first line is given behind `-n`";

/// Every form, in the order in which they are tried.
#[rustfmt::skip]
pub(super) const FORMS: &[Form] = &[
    // Files and folders.
    add("cp", &["omitting directory", "is a directory (not copied)"], "-r", "a folder is copied only with `-r`"),
    add("scp", &["not a regular file", "is a directory"], "-r", "a folder is copied only with `-r`"),
    add("grep", &["Is a directory"], "-r", "a folder is searched only with `-r`"),
    add("mkdir", &["No such file or directory"], "-p", "the folders above it are made only with `-p`"),
    add("mkdir", &["File exists"], "-p", "the folder is there"),
    add("rsync", &["mkdir \"", "mkdir: No such file"], "--mkpath", "the folders above it are made only with `--mkpath`"),
    add("install", &["cannot create regular file"], "-D", "the folder that is written to is not there"),
    add("curl", &["Failed to open the file", "Failure writing output", "client returned ERROR on write"], "--create-dirs", "the folder that is written to is not there"),
    put("find", &["-type"], "-type file", "-type f", TYPE),
    put("find", &["-type"], "-type dir", "-type d", TYPE),
    put("find", &["-type"], "-type directory", "-type d", TYPE),
    put("find", &["-type"], "-type link", "-type l", TYPE),
    put("tail", &["cannot open '+1' for"], "+1", "-n +1", FIRST_LINE),
    put("tail", &["cannot open '+2' for"], "+2", "-n +2", FIRST_LINE),
    add("xargs", &["unmatched single quote", "unmatched double quote"], "-d '\\n'", "a line holds a quote, which `xargs` takes for its own"),
    put("cat", &["illegal option -- A"], "-A", "-vet", "`-A` is the option of another platform"),
    put("base64", &["invalid option -- 'D'"], "-D", "-d", "`-D` is the option of another platform"),
    add("sqlite3", &["database is locked"], "-cmd \".timeout 20000\"", "another process is writing, and it waits for that only when told to"),
    // git.
    add("git pull", &["Need to specify how to reconcile divergent branches"], "--rebase", "both sides have commits, and git asks how to join them"),
    put("git pull", &["Not possible to fast-forward"], "--ff-only", "--rebase", "both sides have commits, and a fast-forward takes only one"),
    add("git commit", &["DCO", "Signed-off-by line", "missing Signed-off-by", "no Signed-off-by", "not signed off"], "--signoff", "the project wants each commit signed off"),
    add("git commit", &["no changes added to commit"], "--all", "the changes are not staged, and git names this way to commit them"),
    add("git revert", &["is a merge but no -m option was given"], "-m 1", "a merge is reverted against one of its parents"),
    add("git cherry-pick", &["is a merge but no -m option was given"], "-m 1", "a merge is picked against one of its parents"),
    add("git switch", &["a branch is expected, got tag", "a branch is expected, got commit"], "--detach", "`git switch` goes to what is no branch only when told to"),
    add("git apply", &["patch does not apply"], "--3way", "the lines are others by now, and the patch names the ones that it was made from"),
    put("git checkout", &["could be both a local file and a tracking branch"], "checkout", "switch", "`git switch` takes only branches"),
    // Locks of packages. The usage of npm is longer than what is kept of an output: what it says first may be cut.
    put("npm ci", &["can only install with an existing package-lock.json", "can only install packages when your package.json and package-lock.json", "Run \"npm help ci\" for more info"], "ci", "install", "there is no lock file that fits, and `npm ci` needs one"),
    put("npm clean-install", &["can only install with an existing package-lock.json"], "clean-install", "install", "there is no lock file, and `npm ci` needs one"),
    put("cargo", &["needs to be updated but --locked", "because --locked was passed"], "--locked", "", LOCK),
    put("cargo", &["because --frozen was passed", "needs to be updated but --frozen"], "--frozen", "--offline", LOCK),
    put("yarn", OLD_LOCK, "--frozen-lockfile", "", LOCK),
    put("yarn", OLD_LOCK, "--immutable", "", LOCK),
    put("bun", &["lockfile had changes, but lockfile is frozen"], "--frozen-lockfile", "", LOCK),
    put("uv", &["needs to be updated, but `--locked`"], "--locked", "", LOCK),
    add("go build", &["inconsistent vendoring"], "-mod=mod", VENDOR),
    add("go test", &["inconsistent vendoring"], "-mod=mod", VENDOR),
    add("go run", &["inconsistent vendoring"], "-mod=mod", VENDOR),
    add("go vet", &["inconsistent vendoring"], "-mod=mod", VENDOR),
    add("go list", &["inconsistent vendoring"], "-mod=mod", VENDOR),
    // Languages and builds.
    put("node", MODULE, "-e", "--input-type=module -e", "the code is that of an ES module"),
    put("node", MODULE, "-p", "--input-type=module -p", "the code is that of an ES module"),
    put("cargo", &["no library targets found"], "--lib", "", "the package has no library"),
    add("cmake", OTHER_PLACE, "--fresh", "the cache of the build folder was made elsewhere"),
    add("ruby", &["invalid byte sequence in UTF-8"], "-E ISO-8859-1:UTF-8", "the text is in another encoding"),
];
