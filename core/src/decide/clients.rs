//! Programs that are given in a word what another side is to do: databases, other machines, buckets.

use super::side_effects::Suspicion;
use crate::programs::Trait;
use crate::programs::words::COPIES;
use crate::shell::{At, Command, RedirectionKind, Script};

/// A database's program, and how statements reach it.
struct Database {
    programs: &'static [&'static str],
    /// Options whose value is statements.
    statements: &'static [&'static str],
    /// Options whose value is a file of statements, which nobody reads here.
    files: &'static [&'static str],
    /// How many words may stand before one that is a statement; none where words are no statements.
    words: Option<usize>,
    looks: fn(&str) -> bool,
}

#[rustfmt::skip]
const DATABASES: &[Database] = &[
    Database { programs: &["psql"],                   statements: &["-c", "--command"],        files: &["-f", "--file"],  words: None, looks: only_asks },
    Database { programs: &["mysql", "mariadb"],       statements: &["-e", "--execute"],        files: &[],                words: None, looks: only_asks },
    Database { programs: &["duckdb"],                 statements: &["-c", "-s"],               files: &["-f"],            words: None, looks: only_asks },
    Database { programs: &["cqlsh"],                  statements: &["-e", "--execute"],        files: &["-f", "--file"],  words: None, looks: only_asks },
    Database { programs: &["clickhouse-client"],      statements: &["-q", "--query"],          files: &["--queries-file"], words: None, looks: only_asks },
    Database { programs: &["sqlcmd"],                 statements: &["-Q", "-q"],               files: &["-i"],            words: None, looks: only_asks },
    Database { programs: &["mongosh", "mongo"],       statements: &["--eval"],                 files: &["-f", "--file"],  words: None, looks: only_finds },
    Database { programs: &["mycli", "litecli", "pgcli", "usql"], statements: &["-e", "-c", "--execute", "--command"], files: &["-f", "--file"], words: None, looks: only_asks },
    Database { programs: &["trino", "presto", "beeline", "hive", "snowsql", "impala-shell"], statements: &["-e", "-q", "--execute", "--query"], files: &["-f", "--file"], words: None, looks: only_asks },
    Database { programs: &["cypher-shell", "sqlplus", "isql", "tsql", "surreal", "cockroach"], statements: &["-e", "--execute"], files: &["-f", "--file"], words: None, looks: only_asks },
    Database { programs: &["sqlite3"],                statements: &[],                         files: &[],                words: Some(1), looks: only_asks },
    Database { programs: &["redis-cli", "valkey-cli"], statements: &[],                        files: &[],                words: Some(0), looks: only_asks },
];
/// Words with which a statement begins that asks and changes nothing.
pub const ASKING: &[&str] =
    &["select", "show", "describe", "desc", "explain", "with", "values", "table", "use", "help"];
/// Words that change something inside a statement that begins like a question.
const CHANGING: &[&str] = &["insert", "update", "delete", "merge", "into", "analyze"];
/// Parts of a script for `mongosh` that change something.
const CHANGING_METHODS: &[&str] =
    &["insert", "update", "delete", "remove", "drop", "create", "save", "replace", "write", "rename", "set"];
/// Commands of Redis that only look.
#[rustfmt::skip]
pub const REDIS_LOOKS: &[&str] = &[
    "get", "mget", "strlen", "exists", "type", "ttl", "pttl", "keys", "scan", "dbsize", "ping", "echo", "info", "time", "memory",
    "hget", "hgetall", "hmget", "hkeys", "hvals", "hlen", "hexists", "hscan", "llen", "lrange", "lindex", "smembers", "scard", "sismember",
    "sscan", "zrange", "zscore", "zcard", "zcount", "zrank", "zscan", "xlen", "xrange", "xinfo", "monitor", "slowlog", "lastsave", "role",
];

const ASK_DATABASE: &str = "ask the database for the rows that the statement was to change";
const ASK_MACHINE: &str = "look on the other machine what the command has done so far";
const ASK_BUCKET: &str = "list the bucket and compare its content";

/// What a client of a store is fed by a file, a here-document or a pipe, and nobody reads here: `mysql db <a.sql`. What a
/// statement in its words says decides where there is one, and what is printed into it where the line shows it.
pub(super) fn fed(script: &Script, at: At) -> Option<Suspicion> {
    let command = script.get(at)?;
    let program = command.program.as_str();
    let row = DATABASES.iter().find(|row| row.programs.contains(&program))?;
    let has_words = row.words.is_some_and(|words| command.subcommands().count() > words);
    if has_words || row.statements.iter().any(|option| values(command, option).next().is_some()) {
        return None;
    }
    let own = command.redirections.iter().rfind(|redirection| {
        matches!(redirection.kind, RedirectionKind::Read | RedirectionKind::HereDocument | RedirectionKind::HereString)
    });
    let before = at.stage.checked_sub(1).and_then(|stage| script.get(At { stage, ..at }));
    let is_piped =
        before.is_some_and(|before| !(before.program_is(Trait::Prints) && only_asks(&before.args.join(" "))));
    let is_fed = own.map_or(is_piped, |own| own.target != "/dev/null");
    is_fed.then(|| Suspicion::without_check("database", ASK_DATABASE))
}

/// What a command handed to another side, where that may change something there.
pub(super) fn handed_over(command: &Command) -> Option<Suspicion> {
    of_database(command).or_else(|| of_machine(command)).or_else(|| of_bucket(command)).or_else(|| of_copy(command))
}

fn of_database(command: &Command) -> Option<Suspicion> {
    let program = command.program.as_str();
    let changes = match program {
        "redis-cli" | "valkey-cli" => redis_writes(command),
        // The database, then statements.
        "sqlite3" => command.args.iter().filter(|arg| !arg.starts_with('-')).skip(1).any(|sql| !only_asks(sql)),
        _ => {
            let row = DATABASES.iter().find(|row| row.programs.contains(&program))?;
            let runs_a_file = row.files.iter().any(|option| values(command, option).next().is_some());
            runs_a_file
                || command.subcommands().any(|word| {
                    word.starts_with('@') || word.rsplit_once('.').is_some_and(|(_, ending)| ending == "js")
                })
                || row.statements.iter().flat_map(|option| values(command, option)).any(|text| !(row.looks)(text))
        }
    };
    changes.then(|| Suspicion::without_check("database", ASK_DATABASE))
}

/// The values of an option: `-c x`, `-cx`, `--command x`, `--command=x`.
fn values<'a>(command: &'a Command, option: &'a str) -> impl Iterator<Item = &'a str> {
    let is_long = option.starts_with("--");
    let next = command.args.iter().skip(1).map(String::as_str).chain([""]);
    command.args.iter().zip(next).filter_map(move |(arg, next)| match arg.strip_prefix(option)? {
        "" => Some(next),
        rest if is_long => rest.strip_prefix('='),
        rest => Some(rest),
    })
}

/// Whether every statement only asks. A long text is kept as its hash alone, so that nobody knows.
fn only_asks(sql: &str) -> bool {
    sql.split(';').map(str::trim).filter(|statement| !statement.is_empty()).all(|statement| {
        // Commands of the program itself: `\d`, `.schema`.
        if let Some(own) = statement.strip_prefix(['\\', '.']) {
            let changes = ["i", "copy", "gexec", "import", "read", "restore", "load"];
            return !changes.contains(&own.split_whitespace().next().unwrap_or_default());
        }
        let statement = statement.to_ascii_lowercase();
        let mut words =
            statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let asks = words.next().is_some_and(|first| ASKING.contains(&first));
        asks && !statement.starts_with('#') && !words.any(|word| CHANGING.contains(&word))
    })
}

fn only_finds(script: &str) -> bool {
    let script = script.to_ascii_lowercase();
    !script.starts_with('#') && !CHANGING_METHODS.iter().any(|method| script.contains(method))
}

fn redis_writes(command: &Command) -> bool {
    let mut words = command.subcommands().map(str::to_ascii_lowercase);
    let Some(first) = words.next() else { return command.has_arg("--eval") };
    let asks_settings = matches!(first.as_str(), "config" | "client" | "cluster" | "command" | "acl")
        && words
            .next()
            .is_some_and(|second| matches!(second.as_str(), "get" | "list" | "info" | "nodes" | "count" | "whoami"));
    !(asks_settings || REDIS_LOOKS.contains(&first.as_str()))
}

/// `ssh host 'cmd'`: the command runs there, whether or not its end is seen here.
fn of_machine(command: &Command) -> Option<Suspicion> {
    if !command.is(Trait::RunsElsewhere) {
        return None;
    }
    let host = command.subcommands().next()?;
    let words: Vec<&str> = command.args.iter().map(String::as_str).skip_while(|arg| *arg != host).skip(1).collect();
    let line = words.join(" ");
    let only_looks = line.is_empty() || Script::parse(&line).is_read_only();
    (!only_looks).then(|| Suspicion::without_check("another machine", ASK_MACHINE))
}

/// A copy to another machine: `rsync -a dist/ web:/srv`, not one from there.
fn of_copy(command: &Command) -> Option<Suspicion> {
    let target = command.subcommands().last().filter(|_| COPIES.contains(&command.name()))?;
    let is_far =
        command.is(Trait::Connects) && has_colon(target) && !command.has_letter('n') && !command.has_arg("--dry-run");
    is_far.then(|| Suspicion::without_check("another machine", ASK_MACHINE))
}

/// A program of buckets: its verbs, and how a place in a bucket is told from a file.
struct Buckets {
    program: &'static str,
    /// Words before the verb.
    within: &'static [&'static str],
    /// Verbs that copy to the last word, which may be a file.
    copies: &'static [&'static str],
    /// Verbs that always change the bucket.
    changes: &'static [&'static str],
    is_remote: fn(&str) -> bool,
}

#[rustfmt::skip]
const BUCKETS: &[Buckets] = &[
    Buckets { program: "gsutil", within: &[],          copies: &["cp", "mv", "rsync"],                 changes: &["rm", "mb", "rb", "setmeta", "acl"], is_remote: has_scheme },
    Buckets { program: "gcloud", within: &["storage"], copies: &["cp", "mv", "rsync"],                 changes: &["rm"],                               is_remote: has_scheme },
    Buckets { program: "az",     within: &["storage"], copies: &[],                                    changes: &["upload", "upload-batch", "copy", "sync"], is_remote: has_scheme },
    Buckets { program: "azcopy", within: &[],          copies: &["copy", "cp", "sync"],                changes: &["remove", "rm", "make"],             is_remote: has_scheme },
    Buckets { program: "s3cmd",  within: &[],          copies: &["sync", "cp", "mv"],                  changes: &["put", "del", "rm", "mb", "rb"],     is_remote: has_scheme },
    Buckets { program: "s5cmd",  within: &[],          copies: &["sync", "cp", "mv"],                  changes: &["rm", "mb", "rb", "pipe"],           is_remote: has_scheme },
    Buckets { program: "rclone", within: &[],          copies: &["copy", "copyto", "move", "moveto", "sync", "bisync"], changes: &["delete", "purge", "rcat", "mkdir"], is_remote: has_colon },
    Buckets { program: "mc",     within: &[],          copies: &["cp", "mv", "mirror"],                changes: &["rm", "put", "mb", "rb"],            is_remote: is_alias },
];

fn has_scheme(word: &str) -> bool {
    word.contains("://")
}

fn has_colon(word: &str) -> bool {
    word.contains(':')
}

/// `store/bucket`, never `./file` or `/file`.
fn is_alias(word: &str) -> bool {
    word.contains('/') && !word.starts_with(['.', '/'])
}

/// Whether it is one of these programs, so that its words say what it does.
pub(super) fn is_client(program: &str) -> bool {
    database_programs().chain(bucket_programs()).any(|own| own == program)
}

/// The programs whose copies are known: for the page that shows them.
pub fn bucket_programs() -> impl Iterator<Item = &'static str> {
    BUCKETS.iter().map(|row| row.program)
}

/// The programs of databases: for the page that shows them.
pub fn database_programs() -> impl Iterator<Item = &'static str> {
    DATABASES.iter().flat_map(|row| row.programs).copied()
}

fn of_bucket(command: &Command) -> Option<Suspicion> {
    let row = BUCKETS.iter().find(|row| row.program == command.program)?;
    let words: Vec<&str> = command.subcommands().collect();
    let words = words.get(row.within.len()..).filter(|_| words.starts_with(row.within))?;
    let verb = words.iter().find(|word| row.copies.contains(word) || row.changes.contains(word))?;
    let changes = row.changes.contains(verb) || words.last().is_some_and(|target| (row.is_remote)(target));
    let pretends = ["-n", "--dry-run", "--dryrun"].iter().any(|option| command.has_arg(option));
    (changes && !pretends).then(|| Suspicion::without_check("bucket", ASK_BUCKET))
}
