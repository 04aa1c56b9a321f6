//! Services that do not answer as they should: proxies, other ports, waits that a program makes itself, logs.

use super::super::case::{Case, Offer, Offered, between, join};
use super::super::look::FileKind;
use super::super::step::{Deed, Step};
use super::lines::{Own, behind};
use crate::model::Category;
use crate::programs::base_name;
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

/// An address in the line.
struct Address<'c> {
    /// Its word.
    word: &'c PlacedWord,
    /// Its host.
    host: String,
    /// Its port, where it is known.
    port: Option<u16>,
    scheme: String,
}

impl Address<'_> {
    fn is_local(&self) -> bool {
        is_local(&self.host)
    }
}

/// Whether a host is this machine itself.
fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "[::1]" | "0.0.0.0" | "ip6-localhost") || host.starts_with("127.")
}

/// The addresses of the line. What `$(cat FILE)` puts into one is read from the file.
fn addresses<'c>(case: &'c Case<'_>) -> Vec<Address<'c>> {
    let words = case.words.iter().filter(|word| word.text.contains("://"));
    words
        .filter_map(|word| {
            let mut text = word.text.clone();
            if let Some((before, rest)) = word.text.split_once("$(cat ")
                && let Some((file, after)) = rest.split_once(')')
            {
                let held = case.looks.text(&case.at(file.trim().trim_start_matches("-- ")));
                text = format!("{before}{}{after}", held.as_deref().map_or("", str::trim));
            }
            let (scheme, rest) = text.split_once("://")?;
            let place = rest.split(['/', '?', '#']).next()?;
            let place = place.rsplit('@').next()?;
            let (host, port) = match place.rsplit_once(':') {
                Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
                _ => (place, None),
            };
            let scheme = scheme.rsplit(['\'', '"', '=', ' ']).next()?.to_owned();
            Some(Address { word, host: host.to_owned(), port, scheme })
        })
        .collect()
}

/// The address of this machine that the call asks.
fn local<'c>(case: &'c Case<'_>) -> Option<Address<'c>> {
    addresses(case).into_iter().find(Address::is_local)
}

/// What a connection was refused by, as the output names it.
fn refused(case: &Case<'_>) -> Option<(String, u16)> {
    case.text().lines().find_map(|line| {
        let lower = line.to_ascii_lowercase();
        let is_one = [
            "refused",
            "failed to connect",
            "couldn't connect",
            "could not connect",
            "econnrefused",
            "unable to connect",
        ];
        if !is_one.iter().any(|words| lower.contains(words)) {
            return None;
        }
        // `connect to 127.0.0.1 port 9`, `127.0.0.1:9`, `host='localhost', port=9`.
        let said = between(line, " port ", "").or_else(|| between(line, "port=", ""));
        let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u16>().ok();
        if let Some(port) = said.and_then(number) {
            let host = between(line, "connect to ", " port").or_else(|| between(line, "host='", "'"));
            return Some((host.unwrap_or_default().to_owned(), port));
        }
        line.split([' ', '(', ')', ',', '\'', '"']).find_map(|word| {
            let word = word.split_once("://").map_or(word, |(_, rest)| rest);
            let (host, port) = word.trim_end_matches([':', '.', ';']).rsplit_once(':')?;
            Some((host.to_owned(), number(port).filter(|_| host.contains('.') || is_local(host) || host == "::1")?))
        })
    })
}

/// What was refused; the address of the line itself, where the output names none.
fn refused_here(case: &Case<'_>) -> Option<(String, u16)> {
    let of_line = || {
        let address = local(case).filter(|_| case.says(&["connection refused", "econnrefused"]))?;
        Some((address.host.clone(), address.port?))
    };
    refused(case).or_else(of_line)
}

/// How a program is told to take no proxy; behind the program's word.
const AROUND: &[(&str, &str)] = &[("curl", "--noproxy \"*\""), ("wget", "--no-proxy")];

pub(in super::super) fn go_around_the_proxy(case: &Case<'_>) -> Offered {
    let address = local(case).ok_or("the call asks no address of this machine")?;
    let names_proxy = case.says(&["proxy"]);
    let is_other = refused(case).is_some_and(|(host, port)| {
        address.port.is_some_and(|own| own != port) || !host.is_empty() && !is_local(&host) && host != "::1"
    });
    if !names_proxy && !is_other {
        return Err("nothing shows that a proxy stands between");
    }
    let command = case.command().ok_or("no command was run")?;
    let known = AROUND.iter().find(|(program, _)| *program == command.name());
    let step = if let Some(((_, words), word)) = known.zip(case.word_of(command)) {
        let at = word.range.end;
        case.again_edited(vec![(at..at, format!(" {words}"))])
    } else {
        let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
        case.again_with(format!("export no_proxy=\"*\" NO_PROXY=\"*\" && {line}"))
    };
    let step = step.ok_or("its command line is not whole")?;
    let state = "the address that did not answer is a proxy's, and what was asked for is on this machine";
    Ok(Offer::new(state, vec![Step::work("Ask this machine without a proxy", step, "The service answers")]).seen(state))
}

pub(in super::super) fn use_the_port_that_listens(case: &Case<'_>) -> Offered {
    let (_, port) = refused_here(case)
        .filter(|(host, _)| host.is_empty() || is_local(host) || host == "::1")
        .ok_or("no port of this machine refused")?;
    if case.looks.port(port).is_some() {
        return Err("somebody listens on that port");
    }
    let mut ports: Vec<u16> = case.looks.running().into_iter().flat_map(|running| running.ports).collect();
    ports.sort_unstable();
    ports.dedup();
    let [other] = ports.as_slice() else { return Err("no single port of the project's processes is listened on") };
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let text = port.to_string();
    let mut found = line.match_indices(&*text).filter(|(at, digits)| {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        !is_digit(line.get(..*at).and_then(|before| before.chars().next_back()))
            && !is_digit(line.get(at + digits.len()..).and_then(|after| after.chars().next()))
    });
    let (at, digits) = found.next().ok_or("the line does not name the port")?;
    if found.next().is_some() {
        return Err("the line names the port more than once");
    }
    let step =
        case.again_edited(vec![(at..at + digits.len(), other.to_string())]).ok_or("its command line is not whole")?;
    let state = format!("nobody listens on port {port}, and the project's own process listens on {other}");
    Ok(Offer::new(state.clone(), vec![Step::work(format!("Ask port {other}"), step, "The service answers")])
        .seen(state))
}

pub(in super::super) fn use_plain_http(case: &Case<'_>) -> Offered {
    const SAYS: &[&str] = &[
        "wrong version number",
        "gave HTTP response to HTTPS client",
        "packet length too long",
        "EPROTO",
        "first record does not look like a TLS handshake",
    ];
    if !case.says(SAYS) {
        return Err("the other side does not answer in plain text");
    }
    let address = local(case)
        .filter(|address| address.scheme == "https")
        .ok_or("no address of this machine is asked by https")?;
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    let raw = line.get(address.word.range.clone()).ok_or("its command line is not whole")?;
    let at = address.word.range.start + raw.find("https://").ok_or("the address is put together by the shell")?;
    let step = case.again_edited(vec![(at..at + 5, "http".to_owned())]).ok_or("its command line is not whole")?;
    let state = "the service on this machine speaks plain HTTP";
    Ok(Offer::new(state, vec![Step::work("Ask it by plain HTTP", step, "The service answers")]).seen(state))
}

/// How a program waits by itself: what the output says, and the words, behind the program's own.
struct Waits {
    program: &'static str,
    says: &'static [&'static str],
    words: &'static str,
}

const LATER: &[&str] = &[
    "error: 408",
    "error: 429",
    "error: 502",
    "error: 503",
    "error: 504",
    "Failed to connect",
    "Couldn't connect",
    "Empty reply",
    "Connection reset",
    "Recv failure",
    "Connection refused",
    "Operation timed out",
    "Could not resolve host",
];

const WAITS: &[Waits] = &[
    Waits { program: "curl", says: LATER, words: "--retry 8 --retry-delay 2 --retry-max-time 60 --retry-connrefused" },
    Waits {
        program: "wget",
        says: &["Connection refused", "ERROR 429", "ERROR 502", "ERROR 503", "ERROR 504", "timed out"],
        words: "--tries=8 --waitretry=2 --retry-connrefused --retry-on-http-error=429,502,503,504",
    },
    Waits {
        program: "apt-get",
        says: &["Could not get lock", "is held by process", "Unable to acquire"],
        words: "-o DPkg::Lock::Timeout=60",
    },
    Waits {
        program: "apt",
        says: &["Could not get lock", "is held by process", "Unable to acquire"],
        words: "-o DPkg::Lock::Timeout=60",
    },
];

pub(in super::super) fn let_it_wait(case: &Case<'_>) -> Offered {
    if !case.is_whole() {
        return Err("its arguments are not whole");
    }
    let found = case.words.iter().filter(|word| word.role == WordRole::Program).find_map(|word| {
        let name = base_name(&word.text);
        WAITS.iter().find(|row| row.program == name && case.says(row.says)).map(|row| (row, word))
    });
    if let Some(offer) = of_flock(case) {
        return offer;
    }
    let (row, word) = found.ok_or("no wait of the program's own is known")?;
    let first = row.words.split([' ', '=']).next().unwrap_or_default();
    if case.arguments_of(word).any(|own| own.text.starts_with(first)) {
        return Err("it waits already");
    }
    let is_local = local(case).is_some();
    if is_local && refused(case).is_some() && case.looks.is_looking() && case.looks.running().is_empty() {
        return Err("nobody listens there on this machine, and nothing of the project runs: waiting starts no server");
    }
    if is_local && refused(case).is_some() && !case.looks.is_looking() {
        return Err("nobody listens there on this machine: waiting starts no server");
    }
    let sends = |own: &PlacedWord| {
        matches!(
            &*own.text,
            "-d" | "--data" | "--data-raw" | "--json" | "-F" | "-T" | "PUT" | "POST" | "PATCH" | "DELETE"
        )
    };
    if row.program == "curl" && case.arguments_of(word).any(sends) && refused(case).is_none() {
        return Err("what it sends may have been taken already");
    }
    let at = word.range.end;
    let step = case.again_edited(vec![(at..at, format!(" {}", row.words))]).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        format!("{} can wait by itself until the other side is ready", quoted(row.program, 40)),
        vec![Step::work(
            "Let the program wait, and try again by itself",
            step,
            "The call passes once the other side is ready",
        )],
    ))
}

/// `flock -n`, which gives up at once and says nothing.
fn of_flock(case: &Case<'_>) -> Option<Offered> {
    let flock = case.words.iter().find(|word| word.role == WordRole::Program && base_name(&word.text) == "flock")?;
    let word = case.arguments_of(flock).find(|word| matches!(&*word.text, "-n" | "--nb" | "--nonblock"))?;
    let step = case.again_edited(vec![(word.range.clone(), "-w 60".to_owned())])?;
    Some(Ok(Offer::new(
        "`flock` gives up at once where it is told not to wait",
        vec![Step::work("Let it wait up to a minute for the lock", step, "The lock is free, and the call passes")],
    )))
}

/// What is said where a process that goes on holds something.
const HELD: &[&str] = &[
    "database is locked",
    "text file busy",
    "etxtbsy",
    "resource busy",
    "used by another process",
    "resource temporarily unavailable",
    "is locked by",
    "locked by pid",
    "already running",
    "another instance",
    "another process",
];

pub(in super::super) fn wait_for_the_holder(case: &Case<'_>) -> Offered {
    if !case.says(HELD) {
        return Err("nothing says that a process holds it");
    }
    let line = case.failed.line.as_deref().filter(|_| case.is_whole()).ok_or("its command line is not whole")?;
    let is_data = |name: &str| [".db", ".sqlite", ".sqlite3", ".lock", ".pid"].iter().any(|end| name.ends_with(end));
    let named = case.words.iter().filter(|word| word.is_literal).map(|word| case.at(&word.text));
    let is_file = |path: &String| !matches!(case.looks.kind(path), None | Some(FileKind::Dir));
    let paths = named.chain(case.looks.find(&is_data)).filter(is_file).take(12);
    let mut holders = paths.filter_map(|path| {
        let holder = case.looks.lock(&path)?;
        Some((path, holder.pid.filter(|_| holder.is_alive)?, holder.name))
    });
    // The output may say itself which process it is.
    let told = || {
        let number = |mark: &str| {
            case.between(mark, "").map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>())
        };
        let pid: u32 = ["pid ", "PID ", "pid: ", "PID: ", "pid=", "process "]
            .iter()
            .find_map(|mark| number(mark)?.parse().ok())?;
        (case.looks.kind(&format!("/proc/{pid}")) == Some(FileKind::Dir)).then(|| ("it".to_owned(), pid, None))
    };
    let (path, pid, name) = holders.next().or_else(told).ok_or("no living process is seen to hold it")?;
    let made = format!(
        "n=0; while [ -e /proc/{pid} ] && [ \"$n\" -lt 60 ]; do sleep 1; n=$((n+1)); done; {{ {}\n}}",
        line.trim_end().trim_end_matches(';')
    );
    let step = case.again_with(made).ok_or("its command line is not whole")?;
    let name = name.map_or_else(|| "a process".to_owned(), |name| quoted(&name, 40));
    let state = format!("{} is held by {name} (process {pid}), which is alive", quoted(&path, 100));
    Ok(Offer::new(
        state.clone(),
        vec![Step::work("Wait up to a minute until it has ended, then make the call", step, "The call passes")],
    )
    .seen(state))
}

/// The most logs that are shown.
const MOST_LOGS: usize = 3;

pub(in super::super) fn read_the_log(case: &Case<'_>) -> Offered {
    if case.category() != Category::ServiceError || local(case).is_none() && refused(case).is_none() {
        return Err("no service of this machine failed");
    }
    let is_log = |name: &str| name.ends_with(".log") || name.ends_with(".err");
    let logs: Vec<String> = case
        .looks
        .find(&is_log)
        .into_iter()
        .filter(|path| !path.contains("node_modules/") && case.looks.kind(path) != Some(FileKind::Dir))
        .take(MOST_LOGS)
        .collect();
    if logs.is_empty() {
        return Err("the project has no log");
    }
    let words = line_of(["tail", "-n", "40", "--"].into_iter().chain(logs.iter().map(String::as_str)));
    let step = Step::new(
        "Read the end of the project's logs",
        Deed::Run(format!("{words} | cut -c 1-500")),
        "What the service itself says",
    );
    Ok(Offer::new("the service runs on this machine, and the project has logs", vec![step]))
}

/// Words of curl that say where the answer goes, with how many words they take.
const INTO: &[(&str, usize)] =
    &[("-o", 2), ("--output", 2), ("-O", 1), ("--remote-name", 1), ("-J", 1), ("--fail-with-body", 1)];

pub(in super::super) fn show_the_answer(case: &Case<'_>) -> Offered {
    if !case.says(&["The requested URL returned error: 4", "The requested URL returned error: 5"]) || !case.is_whole() {
        return Err("no answer of the other side was held back");
    }
    let command =
        case.command().filter(|command| command.name() == "curl").ok_or("no answer of the other side was held back")?;
    let word = case.word_of(command).ok_or("its command line is not whole")?;
    let own: Vec<&PlacedWord> = case.arguments_of(word).collect();
    let sends = own.iter().any(|word| {
        word.text.starts_with("-d")
            || word.text.starts_with("--data")
            || matches!(&*word.text, "-X" | "--request" | "-F" | "-T" | "--json")
    });
    if sends && !case.says(&["error: 4"]) {
        return Err("what it sends may have been taken already");
    }
    let mut edits = vec![(word.range.end..word.range.end, " -i".to_owned())];
    for (at, word) in own.iter().enumerate() {
        if let Some((_, many)) = INTO.iter().find(|(name, _)| *name == word.text) {
            edits.extend(own.iter().skip(at).take(*many).map(|word| (word.range.clone(), String::new())));
        }
    }
    let end = own.last().map_or(word.range.end, |word| word.range.end);
    edits.push((end..end, " --no-fail".to_owned()));
    let step = case.again_edited(edits).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "`curl` was told not to show what the other side says of the error",
        vec![Step::new("Ask again, and show the whole answer", step, "Why the other side refuses")],
    ))
}

/// What a README says of who may ask: the header before its hole, and the file that fills it.
fn told_header(case: &Case<'_>) -> Option<(String, String)> {
    let readme = ["README.md", "README", "README.rst", "README.txt", "docs/README.md", "CONTRIBUTING.md"];
    let text = readme.iter().find_map(|file| case.looks.text(file))?;
    let head = text.split(['`', '"', '\'']).find_map(|part| {
        let (head, _) = part.split_once(['<', '$'])?;
        let (name, _) = head.split_once(": ")?;
        let is_plain = head.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_: ".contains(&byte));
        (is_plain && head.len() <= 80 && !name.contains(' ')).then(|| head.to_owned())
    })?;
    let lines = text.lines().filter(|line| {
        let lower = line.to_ascii_lowercase();
        ["token", "key", "secret", "password", "credential"].iter().any(|word| lower.contains(word))
    });
    let words = lines.flat_map(|line| line.split([' ', '`', '(', ')', '"', '\'', ',', ';']));
    let mut paths = words
        .map(|word| word.trim_end_matches(['.', ':']))
        .filter(|word| word.contains(['/', '.']) && !word.contains("://"));
    let is_own = |path: &str| !path.starts_with(['/', '~', '-']) && !path.contains("..");
    let file = paths.find(|path| is_own(path) && case.looks.kind(path) == Some(FileKind::Text) && !is_source(path))?;
    Some((head, file.to_owned()))
}

fn is_source(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    matches!(ending, "py" | "js" | "ts" | "go" | "rs" | "rb" | "sh" | "md" | "java" | "php")
}

pub(in super::super) fn do_as_the_readme_says(case: &Case<'_>) -> Offered {
    if local(case).is_none() {
        return Err("no service of this machine is asked");
    }
    if let Some((head, file)) = told_header(case)
        && let Some(command) = case.command().filter(|command| command.name() == "curl")
        && let Some(word) = case.word_of(command)
    {
        let at = word.range.end;
        // The secret stays in its file.
        let step = case.again_edited(vec![(at..at, format!(" -H \"{head}$(cat {})\"", quoted_word(&file)))]);
        let step = step.ok_or("its command line is not whole")?;
        let state = format!("the README says that who asks shows what is in {}", quoted(&file, 80));
        return Ok(Offer::new(
            state.clone(),
            vec![Step::work("Ask with what the README names", step, "The service answers")],
        )
        .seen(state));
    }
    let found = case.looks.find(&|name| name.to_ascii_lowercase().starts_with("readme"));
    let readme = found.first().ok_or("the project has no README")?;
    let line = format!(
        "grep -niE \"token|auth|login|password|api.?key|credential\" -- {} | cut -c 1-300 || true",
        quoted_word(readme)
    );
    Ok(Offer::new(
        "the service runs on this machine, and the project has a README",
        vec![Step::new("Look what the README says of logins", Deed::Run(line), "How one shows who asks")],
    ))
}

/// How a program does with what is on this machine: behind the program and its subcommands.
const OFFLINE: &[(&str, &str)] = &[
    ("cargo build", "--offline"),
    ("cargo test", "--offline"),
    ("cargo check", "--offline"),
    ("cargo run", "--offline"),
    ("cargo clippy", "--offline"),
    ("cargo doc", "--offline"),
    ("cargo metadata", "--offline"),
    ("cargo update", "--offline"),
    ("npm ci", "--offline"),
    ("npm install", "--offline"),
    ("npm i", "--offline"),
    ("npx", "--offline"),
    ("yarn install", "--offline"),
    ("pnpm install", "--offline"),
    ("mvn", "-o"),
    ("gradle", "--offline"),
    ("gradlew", "--offline"),
    ("uv sync", "--offline"),
    ("uv run", "--offline"),
    ("uv pip install", "--offline"),
    ("bundle install", "--local"),
];

pub(in super::super) fn work_offline(case: &Case<'_>) -> Offered {
    if let Some(offer) = kept_here(case) {
        return Ok(offer);
    }
    let command = case.command().ok_or("no command was run")?;
    let word = case.word_of(command).ok_or("its command line is not whole")?;
    let (row, told) =
        OFFLINE.iter().find(|(row, _)| command.runs(row)).ok_or("no form that works without a network is known")?;
    if case.arguments_of(word).any(|own| own.text == *told) {
        return Err("it works without a network already");
    }
    let last = row.split(' ').next_back().unwrap_or_default();
    let place = case.arguments_of(word).find(|own| own.text == last).unwrap_or(word);
    let at = place.range.end;
    let step = case.again_edited(vec![(at..at, format!(" {told}"))]).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "what it needs may be on this machine already",
        vec![Step::work("Do it with what is on this machine", step, "It passes without the network")],
    ))
}

/// The same call with the packages that the project keeps itself.
fn kept_here(case: &Case<'_>) -> Option<Offer> {
    let (deed, folder) = from_wheels(case).or_else(|| from_vendored(case)).or_else(|| from_archive(case))?;
    let state = format!("the project keeps packages in {}", quoted(&folder, 80));
    let step = Step::work("Take the project's own packages", deed, "They are found");
    // What is needed was seen: no log says more.
    Some(Offer { confidence: Some(0.95), ..Offer::new(state.clone(), vec![step]).seen(state) })
}

type Kept = (Deed, String);

/// The package that pip is to install, as the names of packages are compared.
fn plain_name(word: &str) -> String {
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(word.len());
    word.get(..end).unwrap_or_default().to_ascii_lowercase().replace(['-', '.'], "_")
}

/// pip, where the project keeps the packages that are named.
fn from_wheels(case: &Case<'_>) -> Option<Kept> {
    let own = Own::of(case, &["pip", "python", "uv"])?;
    let at = own.args.iter().position(|word| word.text == "install")?;
    let is_pip = own.is("pip") || own.args.iter().take(at).any(|word| word.text == "pip");
    if !is_pip || own.args.iter().any(|word| word.text.starts_with("--find-links") || word.text == "-f") {
        return None;
    }
    let rest = own.args.get(at + 1..)?;
    let by_list = rest.iter().any(|word| matches!(&*word.text, "-r" | "--requirement") || word.text.starts_with("-r"));
    let is_named = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase().replace(['-', '.'], "_");
        rest.iter().any(|word| {
            let wanted = plain_name(&word.text);
            !wanted.is_empty() && name.strip_prefix(&*wanted).is_some_and(|rest| rest.starts_with('_'))
        })
    };
    let found = case.looks.find(&|name| name.ends_with(".whl") || name.ends_with(".tar.gz") && is_named(name));
    let file = found.iter().find(|path| by_list && path.ends_with(".whl") || is_named(path))?;
    let folder = below_folder(case, super::super::case::parent(file))?;
    let end = own.args.get(at)?.range.end;
    let deed = case.again_edited(vec![(end..end, format!(" --no-index --find-links {}", quoted_word(&folder)))])?;
    Some((deed, folder))
}

/// A folder as the command that runs in its own folder writes it.
fn below_folder(case: &Case<'_>, folder: String) -> Option<String> {
    let here = case.folder();
    if here.is_empty() { Some(folder) } else { folder.strip_prefix(&format!("{here}/")).map(str::to_owned) }
}

/// cargo and Go, where the sources of what is needed stand in the project.
fn from_vendored(case: &Case<'_>) -> Option<Kept> {
    let own = Own::of(case, &["cargo", "go"])?;
    let subcommand = own.args.iter().find(|word| !word.text.starts_with(['-', '+']))?;
    if own.is("go") {
        let builds = matches!(&*subcommand.text, "build" | "test" | "run" | "vet" | "list" | "install");
        let is_told = case.failed.line.as_deref()?.contains("-mod=");
        let is_there = case.kind("vendor/modules.txt").is_some();
        let deed = (builds && is_there && !is_told)
            .then(|| case.again_edited(vec![behind(subcommand.range.end, "-mod=vendor")]))??;
        return Some((deed, "vendor".to_owned()));
    }
    if own.args.iter().any(|word| word.text == "--config") {
        return None;
    }
    let wanted = case
        .between("no matching package named `", "`")
        .or_else(|| case.between("searched package name: `", "`"))
        .or_else(|| case.between("failed to get `", "`"));
    let is_crate =
        |folder: &str, name: &str| case.kind(&join(folder, &format!("{name}/.cargo-checksum.json"))).is_some();
    let holds = |folder: &str| {
        let names = case.looks.names(&case.at(folder));
        let fits = |name: &str| wanted.is_none_or(|wanted| name == wanted || name.starts_with(&format!("{wanted}-")));
        names.iter().any(|name| name.is_dir && fits(&name.name) && is_crate(folder, &name.name))
    };
    let tops = case.looks.names(&case.at(".")).into_iter().filter(|name| name.is_dir).map(|name| name.name);
    let nested = ["third_party/vendor", "third-party/vendor", "third_party/rust"].map(str::to_owned);
    let folder = tops.chain(nested).find(|folder| holds(folder))?;
    let source = format!("source.vendored.directory=\"{folder}\"");
    let is_plain = folder.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
    let replace = "source.crates-io.replace-with=\"vendored\"";
    let told = line_of(["--config", replace, "--config", &source]);
    let deed = is_plain.then(|| case.again_edited(vec![behind(subcommand.range.end, &told)]))??;
    Some((deed, folder))
}

/// Programs that install a package from its archive: the endings of archives, and what stands between name and version.
const ARCHIVES: &[(&str, &str, char)] = &[
    ("npm", ".tgz", '-'),
    ("pnpm", ".tgz", '-'),
    ("yarn", ".tgz", '-'),
    ("gem", ".gem", '-'),
    ("luarocks", ".rock", '-'),
];

/// The archive of the only package that is named, where it lies in the project.
fn from_archive(case: &Case<'_>) -> Option<Kept> {
    let own = Own::of(case, &["npm", "pnpm", "yarn", "gem", "luarocks"])?;
    let (_, ending, sign) = ARCHIVES.iter().find(|(program, _, _)| own.is(program))?;
    let at = own.args.iter().position(|word| matches!(&*word.text, "install" | "i" | "add"))?;
    let named = own.args.get(at + 1..)?.iter().filter(|word| !word.text.starts_with('-') && word.is_literal);
    let kept = |word: &PlacedWord| {
        let name = word.text.trim_start_matches('@').replace('/', "-");
        let name = name.split('@').next().filter(|name| name.len() >= 2)?;
        let is_it = |file: &str| {
            file.strip_suffix(ending)
                .and_then(|stem| stem.strip_prefix(name)?.strip_prefix(*sign))
                .is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
        };
        let vendored = ["vendor", "vendor/cache"].iter().flat_map(|folder| {
            let inside = case.looks.names(&case.at(folder)).into_iter().filter(|name| is_it(&name.name));
            inside.map(|name| case.at(&join(folder, &name.name))).collect::<Vec<_>>()
        });
        let files: Vec<String> = case.looks.find(&is_it).into_iter().chain(vendored).collect();
        <[String; 1]>::try_from(files).ok().map(|[file]| file)
    };
    let mut found = named.filter_map(|word| Some((word, kept(word)?)));
    let (Some((word, file)), None) = (found.next(), found.next()) else { return None };
    let folder = below_folder(case, super::super::case::parent(&file))?;
    let path = join(&folder, super::super::case::name_of(&file));
    let path = if path.starts_with(['/', '.']) { path } else { format!("./{path}") };
    let local = if own.is("gem") { " --local" } else { "" };
    let deed = case.again_edited(vec![(word.range.clone(), format!("{}{local}", quoted_word(&path)))])?;
    Some((deed, folder))
}

/// The folder of the project that holds packages of Python.
pub(in super::super) fn wheels(case: &Case<'_>) -> Option<String> {
    let found = case.looks.find(&|name| name.ends_with(".whl"));
    let folder = super::super::case::parent(found.first()?);
    below_folder(case, folder)
}
