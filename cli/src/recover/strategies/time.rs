//! What took too long, what was busy, and what a short wait may cure.

use crate::programs::words::{IN_MILLISECONDS, PORT_OPTIONS};
use serde_json::Value;

use super::super::case::{Case, Offer, Offered, braced, join};
use super::super::look::FileKind;
use super::super::step::{Deed, PlanStep};
use super::manifests::{asked_for, declared_here};
use super::services::is_refused_here;
use super::sources::source;
use crate::decide::RETRY;
use crate::model::{Category, FindingKind as Kind, MetMode, TIMED_OUT};
use crate::programs::Trait;
use crate::shell::{WordRole, quoted_word};
use crate::text::quoted;

/// The limit in milliseconds that the contract's shell has where none is given.
const CONTRACT_LIMIT: u64 = 15_000;
/// The client's.
const CLIENT_LIMIT: u64 = 120_000;
/// The longest that the client lets a command run.
const LONGEST: u64 = crate::decide::LONGEST_RUN_MS;

fn limit_key(case: &Case<'_>) -> &'static str {
    if case.is_contract() { "timeout_ms" } else { "timeout" }
}

/// Twice the limit that ended it. The client's is never less than it gives where nobody names one; the contract's is twice
/// what was given.
fn longer(case: &Case<'_>) -> u64 {
    let given = case.failed.args.get(limit_key(case)).and_then(Value::as_u64);
    let usual = if case.is_contract() { CONTRACT_LIMIT } else { CLIENT_LIMIT };
    let least = if case.is_contract() { 1 } else { usual };
    given.or(case.failed.limit_ms).unwrap_or(usual).saturating_mul(2).clamp(least, LONGEST)
}

fn with_limit(case: &Case<'_>, deed: Option<Deed>) -> Option<Deed> {
    let Some(Deed::Again { tool, mut args }) = deed else { return deed };
    args.insert(limit_key(case).to_owned(), Value::from(longer(case)));
    Some(Deed::Again { tool, args })
}

/// The main source folders, in the order in which they are looked for.
const SOURCES: &[&str] = &["src", "lib", "app", "source"];

fn narrower(case: &Case<'_>, root: &str) -> Option<String> {
    let own = SOURCES.iter().map(|source| join(root, source));
    let found = own.into_iter().find(|path| case.kind(path) == Some(FileKind::Dir))?;
    Some(if found.starts_with('/') { found } else { format!("./{found}") })
}

pub(in super::super) fn reduce_scope(case: &Case<'_>) -> Offered {
    let command = case.command().ok_or("no command was run")?;
    let program = case.word_of(command).ok_or("its command line is not whole")?;
    let own: Vec<_> = case.arguments_of(program).collect();
    let (roots, deeper): (Vec<_>, Option<&str>) = match command.name() {
        "find" => {
            let roots = own.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).copied().collect();
            (roots, (!command.has_arg("-maxdepth")).then_some(" -maxdepth 3"))
        }
        "grep" | "rg" | "ag" | "fd" | "du" | "tree" => {
            let is_root = |word: &&&crate::shell::PlacedWord| {
                matches!(word.text.as_str(), "." | "./" | "..") || word.text.starts_with('/')
            };
            let deeper = match command.name() {
                "tree" => Some(" -L 3"),
                "du" => Some(" --max-depth=1"),
                "fd" => Some(" --max-depth 3"),
                "rg" => Some(" --max-depth 5"),
                _ => None,
            };
            (own.iter().filter(is_root).copied().collect(), deeper)
        }
        _ => return Err("no narrower form of this command is known"),
    };
    let root = roots.first().filter(|_| roots.len() == 1);
    let place = root.and_then(|root| narrower(case, &root.text).map(|place| (*root, place)));
    if place.is_none() && deeper.is_none() {
        return Err("no narrower folder is known");
    }
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let end = own.last().map_or(program.range.end, |word| word.range.end);
    let mut made = String::with_capacity(line.len() + 32);
    let head = line.get(..end).unwrap_or_default();
    match &place {
        Some((root, place)) => {
            made.push_str(head.get(..root.range.start).unwrap_or_default());
            made.push_str(&quoted_word(place));
            made.push_str(head.get(root.range.end..).unwrap_or_default());
        }
        None => made.push_str(head),
    }
    made.push_str(deeper.unwrap_or_default());
    made.push_str(line.get(end..).unwrap_or_default());
    let step = with_limit(case, case.again_with(made)).ok_or("its command line is not whole")?;
    let why = match &place {
        Some((_, place)) => format!("the sources stand in {}", quoted(place, 60)),
        None => "it looked through everything below the folder".to_owned(),
    };
    Ok(Offer::explained(
        why,
        vec![PlanStep::work("Retry with reduced scope", step, "Operation completes within timeout")],
    ))
}

pub(in super::super) fn increase_timeout(case: &Case<'_>) -> Offered {
    if is_endless(case) {
        return Err("it runs until it is stopped: more time does not help");
    }
    if case.failed.met.as_ref().is_some_and(MetMode::waits) {
        return Err("it waits for input: more time does not help");
    }
    if !case.is_whole() {
        return Err("its arguments are not whole");
    }
    let own = case
        .words
        .iter()
        .find(|word| word.role == WordRole::Program && crate::programs::base_name(&word.text) == "timeout");
    if let Some(own) = own.filter(|_| case.failed.exit_code == Some(TIMED_OUT)) {
        let word = case
            .arguments_of(own)
            .find(|word| word.text.starts_with(|c: char| c.is_ascii_digit()))
            .ok_or("the line's own limit is no number")?;
        let digits: String = word.text.chars().take_while(char::is_ascii_digit).collect();
        let unit = word.text.get(digits.len()..).unwrap_or_default();
        let seconds: u64 = digits.parse().map_err(|_| "the line's own limit is no number")?;
        // Of seconds it gets at least a minute: a limit that was too short is rarely short by little.
        let least = if matches!(unit, "" | "s") { 60 } else { 1 };
        let more = format!("{}{unit}", seconds.saturating_mul(4).max(least));
        let step = case.again_replacing(&[(word, &more)]).ok_or("its command line is not whole")?;
        let step = PlanStep::work(format!("Give it `{more}` of time"), step, "Operation completes within timeout");
        return Ok(Offer::new("the line's own `timeout` ended it", vec![step]));
    }
    if !case.is_shell() {
        return Err("the tool's limit cannot be raised");
    }
    // What the tool itself ended met no limit of the program's.
    let is_tools = case.finding(Kind::ClientLimit).is_some();
    if let Some((deed, more)) = own_limit(case).filter(|_| !is_tools) {
        let step = PlanStep::work(format!("Give it {more} of time"), deed, "Operation completes within timeout");
        return Ok(Offer::new("a limit of the call's own ended it", vec![step]));
    }
    if longer(case) <= case.failed.args.get(limit_key(case)).and_then(Value::as_u64).unwrap_or(0) {
        return Err("it has all the time that the client gives");
    }
    let step = with_limit(case, Some(case.again())).ok_or("its arguments are not whole")?;
    let step = PlanStep::work("Retry with more time", step, "Operation completes within timeout");
    Ok(Offer::new("the time limit ended it, and the output shows no sign that it hangs", vec![step]))
}

/// Options by which programs limit their own time, with how many of their units a minute has.
const LIMITS: &[(&str, u64)] = &[
    ("--max-time", 60),
    ("--timeout", 60),
    ("--time-limit", 60),
    ("--deadline", 60),
    ("--read-timeout", 60),
    ("--test-timeout", 60_000),
    ("--testTimeout", 60_000),
    ("--wait", 60),
];

/// The call with a limit that its own line sets raised to four times, and at least a minute.
fn own_limit(case: &Case<'_>) -> Option<(Deed, String)> {
    case.finding(Kind::TimedOut)?;
    let words = &case.words;
    let mut found = words.iter().enumerate().filter_map(|(at, word)| {
        let (name, joined) = word.text.split_once('=').map_or((&*word.text, None), |(name, value)| (name, Some(value)));
        let program = words.iter().find(|own| own.command == word.command && own.role == WordRole::Program)?;
        let runs = words.iter().filter(|own| own.command == word.command);
        let is_curl = crate::programs::base_name(&program.text) == "curl" && name == "-m";
        let is_go = crate::programs::base_name(&program.text) == "go" && name == "-timeout";
        let row = LIMITS.iter().find(|(option, _)| *option == name).map(|(_, minute)| *minute);
        let is_fine = runs.into_iter().any(|own| IN_MILLISECONDS.contains(&crate::programs::base_name(&own.text)));
        let minute = match row {
            Some(_) if is_fine => 60_000,
            Some(minute) => minute,
            None if is_curl || is_go => 60,
            None => return None,
        };
        let value = match joined {
            Some(_) => word,
            None => words.get(at + 1).filter(|next| next.command == word.command)?,
        };
        let text = joined.unwrap_or(&value.text);
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let unit = text.get(digits.len()..)?;
        let number: u64 = digits.parse().ok().filter(|number| *number > 0)?;
        let least = match unit {
            "" => minute,
            "s" => 60,
            "ms" => 60_000,
            "m" | "h" => 1,
            _ => return None,
        };
        let more = format!("{}{unit}", number.saturating_mul(4).max(least));
        let made = joined.map_or_else(|| more.clone(), |_| format!("{name}={more}"));
        Some((value, made, more))
    });
    let (value, made, more) = found.next()?;
    let deed = (value.is_literal && found.next().is_none()).then(|| case.again_replacing(&[(value, &made)]))??;
    Some((deed, more))
}

/// Words behind a program that starts what they name, and that goes on with these.
const SERVES: &[&str] = &["dev", "serve", "server", "start", "preview", "watch"];

/// What a source says that listens until it is ended.
const LISTENS: &[&str] = &[
    "serve_forever(",
    ".listen(",
    "app.run(",
    "uvicorn.run(",
    "run_app(",
    "ListenAndServe(",
    "run_forever(",
    "web.run_app(",
];

/// Whether what a script of the manifest starts goes on until it is ended: by the script's name, and what it runs.
fn serves_by_script(case: &Case<'_>) -> bool {
    let listens = || source(case).is_some_and(|source| listens(&source.text) && !is_test(&source.path));
    let Some(name) = asked_for(case) else { return listens() };
    let first = name.split([':', '-', '_']).next().unwrap_or_default();
    // A script of this name that ends by itself is none of these.
    let is_single = ["once", "build", "ci"].iter().any(|end| name.ends_with(end));
    SERVES.contains(&first) && !is_single || listens()
}

fn listens(text: &str) -> bool {
    LISTENS.iter().any(|words| text.contains(words))
}

fn is_test(path: &str) -> bool {
    path.contains("test") || path.contains("spec")
}

fn is_endless(case: &Case<'_>) -> bool {
    serves_by_script(case)
        || case.commands().any(|command| {
            let serves = || command.subcommands().next().is_none_or(|word| SERVES.contains(&word));
            crate::reading::is_endless(command) && command.name() != "sleep"
                || command.program_is(Trait::Starts) && serves()
        })
}

pub(in super::super) fn run_in_background(case: &Case<'_>) -> Offered {
    if case.category() == Category::Unknown && matches!(case.failed.exit_code, Some(1 | 2)) {
        return Err("it ended by itself");
    }
    if !is_endless(case) && case.failed.reading.transient.as_ref().is_none_or(|transient| transient.hint != "server") {
        return Err("the program ends by itself");
    }
    if case.is_contract() || !case.is_whole() {
        return Err("the available shell has no background");
    }
    if let Some(offer) = run_once(case) {
        return Ok(offer);
    }
    let step = case.again_changing(&[("run_in_background", Value::Bool(true)), ("timeout", Value::from(LONGEST))]);
    let step = PlanStep::work("Start it in the background", step, "It runs in the background");
    Ok(Offer::new("it runs until it is stopped", vec![step]).seen("the program runs until it is stopped"))
}

/// The script that runs once, where one that watches was asked for: `test` for `test:watch`.
fn run_once(case: &Case<'_>) -> Option<Offer> {
    let name = asked_for(case)?;
    let once = name.strip_suffix(":watch").or_else(|| name.strip_suffix("-watch"))?;
    let word = case.words.iter().find(|word| word.role == WordRole::Argument && word.text == name)?;
    let is_there = declared_here(case, case.command()?.name()).iter().any(|own| own == once);
    let deed = is_there.then(|| case.again_replacing(&[(word, once)]))??;
    let why = format!("{} watches until it is stopped, and {} runs once", quoted(&name, 60), quoted(once, 60));
    let step = PlanStep::work(format!("Run {}", quoted(once, 60)), deed, "It ends by itself");
    Some(Offer::explained(why, vec![step]).doing(format!("Run {}, which ends by itself", quoted(once, 60))))
}

/// Whether a name is one that only a private network knows: by its end (RFC 2606, 6761, 6762, 8375 and common use), by a
/// part that says so, or since it has no dot.
fn is_private(host: &str) -> bool {
    const ENDS: &[&str] =
        &["local", "lan", "internal", "intranet", "corp", "home", "private", "invalid", "test", "localdomain", "arpa"];
    let host = host.to_ascii_lowercase();
    let mut parts = host.split('.').rev();
    let last = parts.next().unwrap_or_default();
    !host.contains('.') || ENDS.contains(&last) || parts.any(|part| matches!(part, "corp" | "internal" | "intranet"))
}

/// So many seconds are waited for another process of this machine.
const LOCAL_WAIT: u64 = 10;

pub(in super::super) fn retry_with_backoff(case: &Case<'_>) -> Offered {
    let reading = &case.failed.reading;
    let category = case.category();
    let is_busy = matches!(category, Category::RateLimit | Category::ResourceBusy);
    if reading.transient.is_none() && !is_busy {
        return Err("nothing says that it would pass later");
    }
    if is_refused_here(case) {
        return Err("nothing listens there on this machine: waiting starts no server");
    }
    if case.named(Kind::UnresolvedHost).is_some_and(is_private) {
        return Err("the name is one of a private network: a wait does not connect to it");
    }
    if case.finding(Kind::PortTaken).is_some() {
        return Err("waiting will not free the port");
    }
    if !case.is_whole() {
        return Err("its arguments are not whole");
    }
    let holder = lock_of(case).and_then(|lock| case.looks.lock(&case.at(lock)));
    if holder.is_some_and(|holder| !holder.is_alive) {
        return Err("no running process has the lock: waiting will not remove it");
    }
    let told = reading.transient.as_ref().and_then(|transient| transient.retry_after_ms);
    let planned = case.failed.wait_ms.or(told).unwrap_or_else(|| RETRY.ceiling_ms(category, case.failed.attempt));
    // Who holds something on this machine holds it for as long as a small piece of work takes.
    let least = if category == Category::ResourceBusy { LOCAL_WAIT } else { 1 };
    let seconds = planned.div_ceil(1000).max(least);
    if seconds * 1000 > crate::decide::LONGEST_SLEEP_MS {
        return Err("the wait is longer than a command may take");
    }
    let mut steps = Vec::new();
    let left = case.left();
    if left.is_none() && case.failed.chain().is_some() {
        return Err("which part of the line failed is not known, and those before it would run again");
    }
    if let Some(line) = left.as_deref().or(case.failed.line.as_deref()).filter(|_| case.is_shell()) {
        let script = crate::shell::Script::parse(line);
        if script.incomplete || line.trim_end().ends_with('&') {
            return Err("a wait cannot be put before this line");
        }
        let mut step = case.again_with(format!("sleep {seconds} && {}", braced(line)));
        // A plain line needs no braces, which keep a list whole.
        if script.pipelines.len() == 1 && (left.is_some() || case.words.iter().all(|word| word.command == 0)) {
            step = case.again_with(format!("sleep {seconds} && {line}"));
        }
        let Some(Deed::Again { tool, mut args }) = step else { return Err("its arguments are not whole") };
        if case.is_contract() {
            args.insert("timeout_ms".to_owned(), Value::from(seconds * 1000 + longer(case)));
        } else {
            args.insert("run_in_background".to_owned(), Value::Bool(true));
            args.insert("timeout".to_owned(), Value::from(LONGEST));
        }
        steps.push(PlanStep::work(
            match left {
                Some(_) => format!("Wait {seconds} s, then make what is left of the call once"),
                None => format!("Wait {seconds} s, then make the same call once"),
            },
            Deed::Again { tool, args },
            "The call passes",
        ));
    } else {
        steps.push(PlanStep::new(
            format!("Wait {seconds} s"),
            Deed::Run(format!("sleep {seconds}")),
            "The time is over",
        ));
        steps.push(PlanStep::work("Make the same call once", case.again(), "The call passes"));
    }
    Ok(Offer::new(format!("it may pass in {seconds} s: nothing in the call is the cause"), steps))
}

/// The lock file that the output names.
/// The lock that is there as long as it is held; those of package managers are there for ever.
pub(super) fn lock_of<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    let is_file = |name: &&str| [".lock", ".pid", ".lck"].iter().any(|end| name.ends_with(end));
    case.findings().filter(|found| found.kind == Kind::LockHeld).filter_map(|found| found.name).find(is_file)
}

pub(in super::super) fn wait_for_the_lock(case: &Case<'_>) -> Offered {
    let lock = lock_of(case).ok_or("the output names no lock file")?;
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let holder = case.looks.lock(&case.at(lock));
    let mut why = format!("{} exists", quoted(lock, 100));
    if let Some(holder) = &holder {
        if !holder.is_alive {
            return Err("no running process has the lock: only a person may remove it");
        }
        if let Some(name) = &holder.name {
            why = format!("the running process {} has the lock {}", quoted(name, 40), quoted(lock, 100));
        }
    }
    let file = quoted_word(lock);
    let made = format!(
        "n=0; while [ -e {file} ] && [ \"$n\" -lt 60 ]; do sleep 1; n=$((n+1)); done; [ ! -e {file} ] && {}",
        braced(line)
    );
    let step = case.again_with(made).ok_or("its command line is not whole")?;
    Ok(Offer::explained(
        why,
        vec![PlanStep::work(
            "Wait up to a minute until the lock is gone, then make the call",
            step,
            "The lock goes, and the call passes",
        )],
    ))
}

/// The port that the output tells of.
pub(in super::super) fn port_of(case: &Case<'_>) -> Option<u16> {
    let line = case.finding(Kind::PortTaken).or_else(|| case.finding(Kind::ConnectionRefused))?.line;
    let starts_port = |at: usize| {
        line.get(..at)
            .is_some_and(|before| before.ends_with([':', '.']) || before.ends_with("port ") || before.ends_with("', "))
    };
    let in_line = |port: &u16| case.words.iter().any(|word| word.text.contains(&port.to_string()));
    let mut ports: Vec<u16> = Vec::new();
    for part in line.split(|c: char| !c.is_ascii_digit()).filter(|part| part.len() > 1) {
        let at = crate::text::offset_in(part, line).unwrap_or_default();
        // A figure of an address is no port.
        let mut behind = line.get(at + part.len()..).unwrap_or_default().chars();
        if behind.next() == Some('.') && behind.next().is_some_and(|next| next.is_ascii_digit()) {
            continue;
        }
        ports.extend(part.parse::<u16>().ok().filter(|port| *port >= 80 && (starts_port(at) || in_line(port))));
    }
    ports.iter().copied().find(in_line).or_else(|| ports.last().copied()).or_else(|| {
        // Some say only that the address is taken.
        let mut words = case.words.iter().filter_map(|word| word.text.rsplit([':', '=']).next()?.parse::<u16>().ok());
        words.find(|port| *port >= 1024)
    })
}

pub(in super::super) fn use_free_port(case: &Case<'_>) -> Offered {
    if case.finding(Kind::PortTaken).is_none() {
        return Err("no port is taken");
    }
    let port = port_of(case).ok_or("the port is not known")?;
    let text = port.to_string();
    let is_port =
        |word: &str| word.split([':', '=']).any(|part| part == text) || word.strip_prefix("-p") == Some(&*text);
    let mut words = case.words.iter().filter(|word| word.is_literal && is_port(&word.text));
    let Some(word) = words.next() else { return port_besides(case, port) };
    if words.next().is_some() {
        return Err("the line names the port more than once");
    }
    let free = case.looks.free_port(port.saturating_add(1)).ok_or("no free port is known")?;
    let (before, after) = word.text.split_once(&text).ok_or("the line does not name the port")?;
    let step =
        case.again_replacing(&[(word, &format!("{before}{free}{after}"))]).ok_or("its command line is not whole")?;
    let holder = case.looks.port(port).and_then(|holder| Some((holder.name?, holder.pid?)));
    let state = match holder {
        Some((name, pid)) => format!("port {port} is held by {} (process {pid})", quoted(&name, 40)),
        None => format!("port {port} is taken"),
    };
    let step = PlanStep::work(format!("Use port {free}, which is free"), step, format!("It listens on port {free}"));
    Ok(Offer::explained(state, vec![step]))
}

/// Another port for a line that does not name its own: by the program's option, else by the variable of the environment that
/// the project's own script reads.
fn port_besides(case: &Case<'_>, port: u16) -> Offered {
    let free = case.looks.free_port(port.saturating_add(1)).ok_or("no free port is known")?;
    let by_option = PORT_OPTIONS.iter().find_map(|(program, option)| {
        let command = case.commands().find(|command| command.runs(program))?;
        let words = case.words.iter().filter(|word| word.role == WordRole::Argument || word.role == WordRole::Program);
        let last = program.rsplit(' ').next()?;
        let word = words.rev().find(|word| word.text == last || word.text == command.raw)?;
        let raw = case.failed.line.as_deref()?.get(word.range.clone())?;
        case.again_with_text(word, &format!("{raw} {}", option.replace("PORT", &free.to_string())))
    });
    let by_variable = || {
        source(case).filter(|source| source.text.contains("PORT"))?;
        case.again_with(format!("export PORT={free} && {}", case.failed.line.as_deref()?))
    };
    let deed = by_option.or_else(by_variable).ok_or("neither the line nor the script that it runs names the port")?;
    let state = format!("port {port} is taken");
    let step = PlanStep::work(format!("Use port {free}, which is free"), deed, format!("It listens on port {free}"));
    Ok(Offer::explained(state, vec![step]))
}

/// The host that could not be resolved, where the line does not name it: a file of the project does.
pub(super) fn host_from_elsewhere<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    let host = case.named(Kind::UnresolvedHost)?;
    let is_host = host.contains('.')
        && host.len() <= 253
        && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    let line = case.failed.line.as_deref().filter(|_| is_host)?;
    (!line.contains(host)).then_some(host)
}
