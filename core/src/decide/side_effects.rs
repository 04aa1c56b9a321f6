//! Calls that may have taken effect although they failed: the answer got lost, the work may be done. They are looked
//! into before they are repeated. `rules/workflow/retry-policy.md` shows the tables.

use super::clients::{fed, handed_over, is_client};
use crate::model::NextCommand;
use crate::programs::{Fact, OutsideEffect, Trait};
use crate::shell::{Command, Script};
use crate::signature::LONGEST_OPERATION;
use crate::text::file_name;

/// What a call did that may have taken effect.
pub(super) struct Suspicion {
    pub(super) kind: &'static str,
    pub(super) look: &'static str,
    pub(super) check: Option<NextCommand>,
}

impl Suspicion {
    pub(super) fn without_check(kind: &'static str, look: &'static str) -> Self {
        Self { kind, look, check: None }
    }
}

/// What an operation may have changed elsewhere; None where a retry does no harm.
pub(super) fn of(operation: &str) -> Option<Suspicion> {
    if let Some(tool) = operation.strip_prefix("mcp__") {
        return of_tool(tool);
    }
    if is_file_tool(operation) {
        return None;
    }
    let script = Script::parse(operation);
    let found = script.programs().find_map(|(at, command)| of_command(command).or_else(|| fed(&script, at)));
    found.or_else(|| {
        // Four bytes: a cut never splits a character.
        let is_cut = operation.len() + 4 > LONGEST_OPERATION || script.incomplete;
        is_cut.then(|| Suspicion::without_check("unknown", "check the effects of the call"))
    })
}

/// The same before the identical call is made again, which is offered only for what reads, builds or checks: what a program
/// or a script does that nobody here knows is looked at first.
pub(super) fn before_a_retry(operation: &str) -> Option<Suspicion> {
    let strange = || Script::parse(operation).programs().find_map(|(_, command)| of_stranger(command));
    of(operation).or_else(|| if operation.starts_with("mcp__") || is_file_tool(operation) { None } else { strange() })
}

/// Whether this operation is looked into before the identical call is made again.
pub fn is_looked_into(operation: &str) -> bool {
    before_a_retry(operation).is_some()
}

/// Whether it is the operation of another tool than a shell: `Edit:src/a.rs`.
fn is_file_tool(operation: &str) -> bool {
    let name = operation.split_once(':').map(|(name, _)| name).unwrap_or_default();
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether repeating this operation might do something twice.
pub fn may_have_taken_effect(operation: &str) -> bool {
    of(operation).is_some()
}

/// What to look at before an operation that may have taken effect is repeated: in words, and as the words of a command
/// where one is known. None where a repetition does no harm.
pub fn check_before(operation: &str) -> Option<(&'static str, Option<Vec<String>>)> {
    let suspicion = of(operation)?;
    Some((suspicion.look, suspicion.check.map(|check| check.argv).filter(|argv| !argv.is_empty())))
}

fn of_command(command: &Command) -> Option<Suspicion> {
    if let Some((effect, words)) = command.effect() {
        return (!is_dry(effect, command)).then(|| suspicion(effect, command, &words));
    }
    let any = [of_anything, of_request, of_cloud, handed_over, of_task];
    any.iter().find_map(|rule| rule(command))
}

/// A command that only the shell knows: what a variable or another command names, and `eval`.
fn of_anything(command: &Command) -> Option<Suspicion> {
    let is_named_elsewhere = command.raw.starts_with(['$', '`']) || command.raw.contains("$(");
    (is_named_elsewhere || command.program == "eval")
        .then(|| Suspicion::without_check("unknown", "check the effects of the call"))
}

fn is_dry(effect: &OutsideEffect, command: &Command) -> bool {
    let pretends = effect.dry.iter().any(|option| is_on(command, option));
    pretends || !(effect.only_with.is_empty() || effect.only_with.iter().any(|option| is_on(command, option)))
}

fn suspicion(effect: &OutsideEffect, command: &Command, words: &str) -> Suspicion {
    let argv = check_argv(effect, command, words);
    let check = argv.map(|argv| NextCommand { argv, ..NextCommand::to(effect.look) });
    Suspicion { kind: effect.kind, look: effect.look, check }
}

/// The check with what the call says of its place: `git -C dir push` is checked by `git -C dir ls-remote`.
fn check_argv(effect: &OutsideEffect, command: &Command, words: &str) -> Option<Vec<String>> {
    let (program, rest) = effect.check.split_first()?;
    let mut argv = vec![(*program).to_owned()];
    if *program == command.name() {
        let first = words.split(' ').nth(1).unwrap_or_default();
        argv.extend(command.args.iter().take_while(|arg| *arg != first).cloned());
    }
    let named = command.subcommands().nth(words.split(' ').count() - 1);
    for word in rest {
        match *word {
            "{}" => argv.push(named?.to_owned()),
            "{?}" => argv.extend(named.map(str::to_owned)),
            word => argv.push(word.to_owned()),
        }
    }
    argv.iter().all(|word| is_plain(word)).then_some(argv)
}

/// Whether an option is given, alone or with a value that does not switch it off.
fn is_on(command: &Command, option: &str) -> bool {
    command.args.iter().any(|arg| match arg.strip_prefix(option) {
        Some("") => true,
        Some(value) => value.starts_with('=') && !matches!(value, "=none" | "=false"),
        None => false,
    })
}

/// A word that means the same whoever reads it: nothing redacted, shortened or expanded.
fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@=+,".contains(&byte);
    (1..=200).contains(&word.len()) && word.bytes().all(plain)
}

/// HTTP methods that change something.
pub const CHANGING_METHODS: &[&str] = &["POST", "PUT", "PATCH", "DELETE"];
const REQUEST: &str = "HTTP request";
const ASK_SERVER: &str = "ask the server for the state that the request changes";

/// Options that name the method.
const METHOD_OPTIONS: &[&str] = &["-X", "--request", "--method"];

fn of_request(command: &Command) -> Option<Suspicion> {
    request_changes(command)?.then(|| Suspicion::without_check(REQUEST, ASK_SERVER))
}

/// Whether it is a request that changes nothing, as its method and its body tell.
pub fn is_plain_request(command: &Command) -> bool {
    request_changes(command) == Some(false)
}

/// Whether it is a request of the web, whatever it does.
pub fn is_request(command: &Command) -> bool {
    command.is(Trait::Connects) && request_changes(command).is_some()
}

/// Whether a request changes something; None where the command makes none.
fn request_changes(command: &Command) -> Option<bool> {
    if command.is(Trait::AsksByWords) {
        return Some(changes_by_words(command));
    }
    let bodies = command.facts().find_map(|fact| match fact {
        Fact::Bodies(options) => Some(*options),
        _ => None,
    });
    // `-X POST` is a request in any program.
    let Some(bodies) = bodies else {
        return method_of(command).is_some_and(|method| CHANGING_METHODS.contains(&method)).then_some(true);
    };
    let changes = || changes_by_options(command, bodies);
    if command.is(Trait::Connects) {
        return Some(changes());
    }
    (command.subcommands().next() == Some("api")).then(|| changes() && !is_query(command))
}

fn changes_by_options(command: &Command, bodies: &[&str]) -> bool {
    if let Some(method) = method_of(command) {
        return CHANGING_METHODS.contains(&method.to_ascii_uppercase().as_str());
    }
    let has_body = command.args.iter().any(|arg| bodies.iter().any(|body| value_in(arg, body).is_some()));
    has_body && !command.has_arg("-G") && !command.has_arg("--get") && !command.has_letter('I')
}

/// What follows an option in its own word: `POST` in `-XPOST`, `-sXPOST` and `--request=POST`, nothing in `-X`. None for
/// another option.
fn value_in<'a>(arg: &'a str, option: &str) -> Option<&'a str> {
    if let Some(name) = option.strip_prefix("--") {
        let rest = arg.strip_prefix("--")?.strip_prefix(name)?;
        return if rest.is_empty() { Some(rest) } else { rest.strip_prefix('=') };
    }
    let cluster = arg.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'))?;
    let (before, rest) = cluster.split_once(option.trim_start_matches('-'))?;
    before.bytes().all(|flag| FLAGS.contains(&flag)).then_some(rest)
}

/// Letters of request programs that take no value, so that another option may follow in the same word.
const FLAGS: &[u8] = b"sSfLkivgNqOJj#46";

/// The method that an option names: `-X PUT`, `-sXPUT`, `--request=PUT`, `--method PUT`.
fn method_of(command: &Command) -> Option<&str> {
    let mut args = command.args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match METHOD_OPTIONS.iter().find_map(|option| value_in(arg, option)) {
            Some("") => return args.next(),
            None => {}
            method => return method,
        }
    }
    None
}

/// A query of GraphQL is a POST that changes nothing.
fn is_query(command: &Command) -> bool {
    let body = |arg: &&String| arg.starts_with("query=");
    command.subcommands().nth(1) == Some("graphql")
        && command.args.iter().find(body).is_some_and(|arg| {
            let text = arg.trim_start_matches("query=").trim_start();
            text.starts_with("query") || text.starts_with('{')
        })
}

/// `http PUT url`, and `http url name=value`, which is a POST.
fn changes_by_words(command: &Command) -> bool {
    let mut words = command.args.iter().filter(|arg| !arg.starts_with('-'));
    let first = words.next().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
    if CHANGING_METHODS.contains(&first.as_str()) {
        return true;
    }
    let is_method = matches!(first.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE" | "CONNECT");
    !is_method && words.any(|word| word.contains('=') && !word.contains("=="))
}

/// Verbs of cloud programs that change something.
pub const CLOUD_VERBS: &[&str] = &[
    "create",
    "delete",
    "update",
    "deploy",
    "start",
    "stop",
    "restart",
    "reset",
    "reboot",
    "set",
    "put",
    "remove",
    "add",
    "import",
    "restore",
    "patch",
    "publish",
    "rollback",
    "scale",
    "resize",
    "enable",
    "disable",
    "purge",
    "run",
    "invoke",
    "send",
    "terminate",
    "attach",
    "detach",
    "modify",
    "register",
    "deregister",
    "tag",
    "untag",
    "authorize",
    "revoke",
    "execute",
    "associate",
    "disassociate",
    "cancel",
    "up",
];
/// Parts of cloud programs that change nothing but their own settings, or only wait and tell.
const CLOUD_LOCAL: &[&str] = &["config", "configure", "account", "auth", "login", "logout", "sso", "sts", "wait"];
const ASK_CLOUD: &str = "ask for it with the matching describe, show or list command";

fn of_cloud(command: &Command) -> Option<Suspicion> {
    if !command.is(Trait::Cloud) {
        return None;
    }
    let words: Vec<&str> = command.subcommands().take(6).collect();
    if words.iter().any(|word| CLOUD_LOCAL.contains(word)) || is_on(command, "--dry-run") || is_on(command, "--dryrun")
    {
        return None;
    }
    let verb =
        if words.contains(&"s3") { changes_bucket(&words) } else { words.iter().find_map(|word| cloud_verb(word)) };
    verb.map(|_| Suspicion::without_check("cloud", ASK_CLOUD))
}

fn cloud_verb(word: &str) -> Option<&'static str> {
    let first = word.split('-').next().unwrap_or_default();
    CLOUD_VERBS.iter().find(|verb| **verb == first).copied()
}

/// A copy from a bucket changes nothing there.
fn changes_bucket(words: &[&str]) -> Option<&'static str> {
    let mut words = words.iter().skip_while(|word| **word != "s3").skip(1);
    let verb = ["cp", "mv", "rm", "sync", "mb", "rb"].into_iter().find(|verb| words.clone().next() == Some(verb))?;
    let target = words.nth(2);
    let downloads = matches!(verb, "cp" | "sync") && target.is_some_and(|path| !path.starts_with("s3://"));
    (!downloads).then_some(verb)
}

/// Parts of the names of tasks, scripts, modules and subcommands that change something elsewhere.
#[rustfmt::skip]
pub const TASKS: &[&str] = &[
    "deploy", "publish", "migrate", "mail", "mails", "email", "emails", "charge", "charges", "refund", "refunds", "payout", "payouts",
    "seed", "seeds", "send", "sends", "sender", "pay", "pays", "payment", "payments", "notify", "notifier", "notification", "notifications",
    "broadcast", "announce", "submit", "invoice", "invoices", "mailer", "mailers", "transfer", "transfers", "dispatch", "tweet", "tweets",
    "sms", "push", "upload",
];
/// First parts that do.
pub const FIRST_TASKS: &[&str] = &["release", "ship", "rollout"];
/// Parts that say that such a task only looks.
#[rustfmt::skip]
pub const LOOKING: &[&str] = &[
    "dry", "plan", "preview", "status", "check", "test", "tests", "spec", "lint", "diff", "list", "verify", "notes", "show", "get", "help", "print",
    "template", "render",
];
/// Parts of the names of unknown programs, scripts and subcommands that read, build or check: these may run again.
#[rustfmt::skip]
pub const READING: &[&str] = &[
    "bench", "build", "cat", "clone", "compile", "describe", "doctor", "download", "fetch", "find", "fmt", "format", "info", "inspect",
    "install", "log", "logs", "ls", "ping", "pull", "query", "read", "report", "scan", "search", "typecheck", "validate", "version", "view", "wait",
];
const ASK_OTHER_SIDE: &str = "check how far it came: the state of the remote, and the last lines of its output";

fn of_task(command: &Command) -> Option<Suspicion> {
    let named = |name: &&str| changes_elsewhere(name);
    let name = if command.is(Trait::Tasks) {
        command.subcommands().take(8).find(named)
    } else if command.known.is_none() {
        // A program of the project, a module, or a tool that nobody knows and its subcommand.
        let words = command.subcommands().take(2).filter(|word| is_subcommand(word));
        [file_name(&command.raw), command.program.as_str()].into_iter().chain(words).find(named)
    } else {
        script_name(command).into_iter().chain(said_to_script(command)).chain(run_names(command)).find(named)
    };
    let dry = ["--dry-run", "-n", "--check", "--help"].iter().any(|option| is_on(command, option));
    name.filter(|_| !dry).map(|_| Suspicion::without_check("task", ASK_OTHER_SIDE))
}

/// A program that nobody here knows, and a script of the project. Its name and its first words may say that it only reads,
/// builds or checks.
fn of_stranger(command: &Command) -> Option<Suspicion> {
    // Whose effects a table knows was judged by it.
    let is_in_a_table = command.effect().is_some() || is_client(&command.program);
    let is_dry = ["--dry-run", "-n", "--check", "--help"].iter().any(|option| is_on(command, option));
    // `model_api:rate_limit` is no program.
    let is_program = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
    if is_in_a_table || is_dry || !file_name(&command.raw).bytes().all(is_program) {
        return None;
    }
    let own = match command.known {
        None => file_name(&command.raw),
        Some(program) if program.has(Trait::Interpreter) => script_name(command)?,
        Some(_) => return None,
    };
    let words = command.subcommands().take(2).chain(said_to_script(command)).chain([own, &*command.program]);
    let asks = command.args.first().map(|first| first.trim_start_matches('-'));
    let is_harmless = |part: &String| READING.contains(&part.as_str()) || LOOKING.contains(&part.as_str());
    let reads = words.chain(asks).any(|word| parts_of(word).iter().any(is_harmless));
    (!reads && !own.is_empty()).then(|| Suspicion::without_check("unknown", ASK_OTHER_SIDE))
}

fn is_subcommand(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':'))
}

/// The name of a script of the project, without its folder.
fn script_name(command: &Command) -> Option<&str> {
    let path = if command.is(Trait::Interpreter) {
        command.subcommands().next()?
    } else if command.is(Trait::TakesCode) && !command.is(Trait::Looks) {
        command.subcommands().next().filter(|word| word.contains('.'))?
    } else {
        command.is_by_path().then_some(command.raw.as_str())?
    };
    Some(file_name(path))
}

/// The subcommand that is said to a script: `python manage.py send_emails`, `php artisan invoices:send`.
fn said_to_script(command: &Command) -> Option<&str> {
    let script = command.subcommands().next().filter(|_| command.is(Trait::Interpreter))?;
    let next = command.args.iter().skip_while(|arg| *arg != script).nth(1)?;
    is_subcommand(next).then_some(next)
}

/// What a tool of a language runs: `go run ./cmd/notify`, `cargo run --bin x`.
fn run_names(command: &Command) -> impl Iterator<Item = &str> {
    const NAMES: &[&str] = &["--bin", "--example"];
    let is_run = command.subcommands().next() == Some("run");
    let behind_run = command.subcommands().skip(1).take(usize::from(is_run));
    let named = command.args.windows(2).filter(|two| NAMES.contains(&two[0].as_str())).map(|two| two[1].as_str());
    behind_run.chain(named).map(file_name)
}

fn changes_elsewhere(name: &str) -> bool {
    let parts = parts_of(name);
    let is_one_of = |part: &String, words: &[&str]| words.contains(&part.as_str());
    let is_task = parts.first().is_some_and(|first| is_one_of(first, FIRST_TASKS))
        || parts.iter().any(|part| is_one_of(part, TASKS));
    is_task && !parts.iter().any(|part| is_one_of(part, LOOKING))
}

fn parts_of(name: &str) -> Vec<String> {
    name.split([':', '-', '_', '.', '/']).flat_map(humps).collect()
}

/// The words of a name that are told apart by capitals, in small letters: `sendInvoices`.
fn humps(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_low = false;
    for letter in name.chars() {
        if was_low && letter.is_ascii_uppercase() {
            words.push(String::new());
        }
        was_low = letter.is_ascii_lowercase();
        words.last_mut().into_iter().for_each(|word| word.push(letter.to_ascii_lowercase()));
    }
    words
}

/// Verbs with which the name of a tool of a server begins, where it changes something.
#[rustfmt::skip]
pub const TOOL_VERBS: &[&str] = &[
    "create", "delete", "update", "send", "post", "publish", "deploy", "merge", "push", "add", "remove", "insert", "write", "submit",
    "pay", "charge", "refund", "transfer", "close", "move", "apply", "trigger", "fork", "upload", "set", "edit",
];

fn of_tool(tool: &str) -> Option<Suspicion> {
    let name = tool.split(':').next().unwrap_or(tool);
    let name = name.rsplit("__").next().unwrap_or(name);
    let verb = name.split(['_', '-']).next().unwrap_or_default();
    TOOL_VERBS.contains(&verb).then(|| Suspicion::without_check("tool of a server", ASK_SERVER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operation: &str) -> Option<String> {
        Some(of(operation)?.check?.argv.join(" "))
    }

    #[test]
    fn a_check_keeps_the_place_of_the_call() {
        assert_eq!(check("git push").as_deref(), Some("git ls-remote"));
        assert_eq!(check("git -C web push -u origin main").as_deref(), Some("git -C web ls-remote origin"));
        assert_eq!(check("docker push tides/app:3").as_deref(), Some("docker manifest inspect tides/app:3"));
        assert_eq!(check("terraform -chdir=infra apply").as_deref(), Some("terraform -chdir=infra plan"));
        assert_eq!(check("npx prisma migrate deploy").as_deref(), Some("npx prisma migrate status"));
    }

    #[test]
    fn a_check_is_made_of_plain_words_only() {
        for operation in
            ["git push 'https://[redacted:url]@x'", "docker push '$(reboot)'", "docker push", "git -C 'a b' push"]
        {
            assert_eq!(check(operation), None, "{operation}");
            assert!(may_have_taken_effect(operation), "{operation}");
        }
    }

    #[test]
    fn what_cannot_be_read_whole_may_have_done_anything() {
        assert!(may_have_taken_effect(&format!("cat {}", "a ".repeat(400))));
        assert!(may_have_taken_effect("echo 'a"));
        assert!(!may_have_taken_effect("cat a"));
    }

    #[test]
    fn files_are_no_commands() {
        for operation in ["Edit:/srv/git push", "Write:deploy.sh", "Read:publish", "WebFetch:https://x/POST"] {
            assert!(!may_have_taken_effect(operation), "{operation}");
        }
    }
}
