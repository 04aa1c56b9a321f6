//! What programs do with standard input and with their own output: who reads it where no file is named, who asks a person.

/// Programs that install things, with the words that do.
#[rustfmt::skip]
pub const INSTALLERS: &[&str] = &[
    "apt install", "apt upgrade", "apt remove", "apt full-upgrade", "apt-get install", "apt-get upgrade",
    "apt-get remove", "apt-get dist-upgrade", "apt-get autoremove", "apt-get purge", "apt purge", "apt autoremove",
    "aptitude install", "yum install", "yum update", "yum remove", "dnf install", "dnf upgrade", "dnf remove",
    "zypper install", "pacman", "apk add", "brew install", "brew upgrade", "snap install", "flatpak install",
    "pip install", "pip uninstall", "npm init", "npm create", "npm install", "npx", "yarn create", "pnpm create",
    "pnpm dlx", "bunx", "cargo install", "gem install", "choco install", "winget install", "conda install",
    "conda create", "conda update", "conda remove", "mamba install", "nix-env", "dpkg-reconfigure", "dpkg",
    "rustup-init", "npm exec", "opam install", "opam init", "sdk install", "asdf install", "composer create-project",
    "vcpkg install", "port install", "emerge", "cpan", "cpanm",
];

/// Subcommands that sign in.
#[rustfmt::skip]
pub const SIGN_IN: &[&str] = &[
    "gh auth login", "gh auth refresh", "az login", "gcloud auth login", "gcloud auth application-default login",
    "gcloud init", "npm login", "npm adduser", "aws sso login", "heroku login", "vercel login", "netlify login",
    "firebase login", "docker login", "wrangler login", "fly auth login", "flyctl auth login", "supabase login",
    "railway login", "cargo login", "stripe login", "doctl auth init", "glab auth login", "oc login", "pulumi login",
    "terraform login", "huggingface-cli login", "doppler login", "op signin", "snyk auth", "expo login", "eas login",
    "sentry-cli login", "claude login", "codex login",
];

/// Those whose words are no file to run: clients that connect first, and debuggers.
#[rustfmt::skip]
pub const TAKES_VALUES: &[&str] = &[
    "psql", "mysql", "mariadb", "redis-cli", "mongosh", "mongo", "ftp", "telnet", "sftp", "cqlsh", "clickhouse-client",
    "sqlcmd", "sqlplus", "gdb", "lldb", "duckdb",
];

/// When a program reads standard input, besides where a dash or an option asks for it.
#[derive(Debug, Clone, Copy)]
pub enum Reads {
    /// With so many words or fewer besides the values of these options, and none of the others.
    Files(usize, &'static [&'static str], &'static [&'static str]),
    /// Where one of these options asks for it.
    Asked(&'static [&'static str]),
}

use Reads::{Asked, Files};

/// Whatever its words are.
const ANY: usize = usize::MAX;
/// Options of filters that take a number or a list.
const COUNTS: &[&str] = &["-n", "-c", "-d", "-f", "-b", "-w", "-s", "-t", "-l", "-N", "-A", "-j"];
/// Options of a search that take a word. One that gives the pattern stands for its first word.
const SEARCHED: &[&str] = &["-g", "-t", "-T", "-A", "-B", "-C", "-m", "-j", "-M", "-r", "-d", "-E"];

/// Programs that read standard input where they are given no file, and when.
#[rustfmt::skip]
pub const READERS: &[(Reads, &[&str])] = &[
    (Files(0, &[], &[]), &[
        "cat", "tac", "sort", "uniq", "wc", "rev", "nl", "fmt", "expand", "md5sum", "sha1sum", "sha256sum", "sha512sum",
        "cksum", "hexdump", "gzip", "gunzip", "bzip2", "xz", "zstd", "gpg", "patch", "iconv", "pbcopy", "xclip", "m4",
        "shuf", "tsort", "cpio", "strings", "pandoc", "clang-format", "rustfmt", "gofmt", "gron", "pup", "json_pp",
        "json_reformat", "jsonlint", "html2text", "markdown", "cmark", "hexyl", "bat", "batcat", "b2sum", "sha224sum",
        "sha384sum", "sum", "base32", "basenc", "zcat", "bzcat", "xzcat", "zstdcat", "lz4", "brotli", "unxz", "bunzip2",
        "unexpand", "pr", "factor", "numfmt", "c++filt", "dos2unix", "unix2dos", "figlet", "cowsay", "qrencode", "pv",
        "csvlook", "csvstat", "csvjson", "ansifilter", "aha",
    ]),
    (Files(0, COUNTS, &[]), &["head", "tail", "cut", "column", "fold", "split", "base64", "paste", "xxd", "od"]),
    (Files(0, &["-o"], &[]), &["dot", "neato", "fdp", "sfdp", "twopi", "circo"]),
    (Files(1, &[], &[]), &["csvcut", "gojq", "jaq", "htmlq"]),
    (Files(1, &[], &["-r", "-R"]), &["grep", "egrep", "fgrep"]),
    (Files(1, &[], &["-f", "--file"]), &["sed", "awk", "gawk", "mawk"]),
    (Files(1, &[], &["-n", "--null-input"]), &["jq", "yq"]),
    (Files(1, SEARCHED, &["--files", "--type-list", "--generate"]), &["rg"]),
    (Files(ANY, &[], &[]), &[
        "tee", "xargs", "tr", "read", "envsubst", "sponge", "mail", "sendmail", "at", "batch", "ts", "vipe", "datamash",
    ]),
    (Files(ANY, &[], &["if"]), &["dd"]),
    (Asked(&["-i", "--interactive", "-it"]), &["docker"]),
    (Asked(&[]), &["tar", "kubectl", "psql", "prettier", "black", "ssh", "nc", "openssl"]),
];

/// Subcommands that take what they were not given from standard input, with the number of words up to which they do.
pub const READERS_BELOW: &[(&str, usize)] = &[
    ("etcdctl put", 2),
    ("git am", 1),
    ("git apply", 1),
    ("git fast-import", 1),
    ("git interpret-trailers", 1),
    ("git mailinfo", 1),
    ("git mktree", 1),
    ("git patch-id", 1),
    ("git stripspace", 1),
    ("git unpack-objects", 1),
    ("docker load", 1),
    ("openssl base64", 1),
    ("openssl dgst", 1),
    ("openssl enc", 1),
    ("openssl req", 1),
    ("openssl rsa", 1),
    ("openssl x509", 1),
    ("podman load", 1),
    ("gh secret set", 3),
    ("hg import", 1),
    ("task import", 1),
    ("vault write", 2),
];

/// Programs whose first words are a verb and its values, so that only the form of the last word says whether it is a file.
pub const READERS_BY_VERB: &[&str] = &["mlr", "xan", "xsv", "qsv", "csvsort", "csvgrep", "csvsql"];

/// Interpreters whose output stays in a buffer when it does not go to a terminal, and what turns that off.
pub const BUFFERING: &[(&str, &[&str])] = &[
    ("python", &["-u"]),
    ("perl", &[]),
    ("ruby", &[]),
    ("awk", &[]),
    ("gawk", &[]),
    ("java", &[]),
    ("php", &[]),
    ("node", &[]),
];
