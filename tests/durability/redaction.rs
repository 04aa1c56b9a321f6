//! How much of a corpus of secrets the hook lets through: hundreds of secrets, each where tools and people put such a
//! thing, given to the executable; what is searched is everything that it wrote and said.
//!
//! `cargo test --test durability redaction -- --nocapture` lists what stays in clear. `HOOK=<file>` measures that executable.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and reads what it wrote")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

#[path = "../secrets/contexts.rs"]
mod contexts;
#[path = "../secrets/shapes.rs"]
mod shapes;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::data_folder::data_folder;
use contexts::{Alphabet, CONTEXTS};
use failwise::redact::redact_printed;
use serde_json::{Value, json};
use shapes::SHAPES;

/// A stream of numbers without chance: every run plants the same secrets.
struct Dice(u64);

const ANY: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX: &str = "0123456789abcdef";
const SMALL: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const WEB64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz-_";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
const WORDS: &[&str] = &["lantern", "copper", "violin", "meadow", "granite", "pepper", "walnut", "harvest"];

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| self.sign(alphabet)).collect()
    }

    fn sign(&mut self, alphabet: &str) -> char {
        char::from(alphabet.as_bytes()[self.below(alphabet.len())])
    }

    /// A password of the alphabet; every third begins with a sign, every other has one within.
    fn secret(&mut self, alphabet: Alphabet, number: usize) -> String {
        let signs = match alphabet {
            Alphabet::Free => "!@#$%^&*()-_=+[]{};:,.<>/?~|",
            Alphabet::Word => "!@#%^*_=+?.:~,/$",
            Alphabet::Markup => "!@#$%^*()-_=+[]{};:,./?~|",
            Alphabet::Field => "!$*-_.~+^%",
            Alphabet::Base64 => return self.text(BASE64, 43),
            Alphabet::Hex => return self.text(HEX, 32),
            Alphabet::Plain => return self.text(ANY, 32),
            Alphabet::Words => return (0..4).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" "),
            Alphabet::Lines => return (0..5).map(|_| self.text(BASE64, 70)).collect::<Vec<_>>().join("\n"),
            Alphabet::Crypt => {
                let (salt, hash) = (self.text(ANY, 8), self.text(ANY, 22));
                return ["$apr1$", &salt, "$", &hash].concat();
            }
        };
        let mut secret = String::new();
        if number.is_multiple_of(3) {
            secret.push(self.sign(signs));
        }
        secret.push_str(&self.text(ANY, 8));
        if number.is_multiple_of(2) {
            secret.push(self.sign(signs));
        }
        secret + &self.text(ANY, 5)
    }

    fn token(&mut self, parts: &str) -> String {
        let mut token = String::new();
        for (number, piece) in parts.split('\'').enumerate() {
            if number % 2 == 1 {
                token.push_str(piece);
                continue;
            }
            for part in piece.split_inclusive(|c: char| c.is_ascii_digit()).fold(Vec::<String>::new(), runs) {
                let (class, length) = part.split_at(1);
                let alphabet = match class {
                    "a" => ANY,
                    "h" => HEX,
                    "A" => CAPITALS,
                    "n" => "0123456789",
                    "s" => SMALL,
                    _ => WEB64,
                };
                token.push_str(&self.text(alphabet, length.parse().unwrap()));
            }
        }
        token
    }
}

/// Puts a part's class and its digits together again.
fn runs(mut parts: Vec<String>, piece: &str) -> Vec<String> {
    match parts.last_mut() {
        Some(last) if piece.starts_with(|c: char| c.is_ascii_digit()) => last.push_str(piece),
        _ => parts.push(piece.to_owned()),
    }
    parts
}

/// A planted secret.
struct Planted {
    name: String,
    text: String,
    secret: String,
}

impl Planted {
    /// The text as it is, whatever hides the secret in it.
    fn hidden(mut self, how: &str, text: String) -> Self {
        self.name = format!("{}, {how}", self.name);
        self.text = text;
        self
    }
}

fn filled(template: &str, secret: &str) -> String {
    template.replace("{KEY}", "ATE KEY").replace("{}", secret)
}

/// How many secrets each context gets.
const EACH: usize = 4;

fn in_contexts(dice: &mut Dice) -> Vec<Planted> {
    let mut planted = Vec::new();
    for (name, template, alphabet) in CONTEXTS {
        for _ in 0..EACH {
            let secret = dice.secret(*alphabet, planted.len());
            planted.push(Planted { name: (*name).to_owned(), text: filled(template, &secret), secret });
        }
    }
    planted
}

const AROUND: &[&str] = &[
    "rejected {} again",
    "fatal: remote refused ({})",
    "using '{}' from the cache",
    "+ ship --with {} now",
    "{\"seen\":\"{}\",\"port\":80}",
    "key is {}.",
];

fn tokens(dice: &mut Dice) -> Vec<Planted> {
    let of_shape = |(number, shape): (usize, &shapes::Shape)| {
        let (name, first, second, parts) = *shape;
        let body = dice.token(parts);
        let text = AROUND[number % AROUND.len()].replace("{}", &[first, second, &body].concat());
        Planted { name: format!("token of {name}"), text, secret: body }
    };
    SHAPES.iter().enumerate().map(of_shape).collect()
}

/// Secrets beside a cut, with signs that nobody sees in them, and in UTF-16.
fn disguised(dice: &mut Dice) -> Vec<Planted> {
    let mut planted = Vec::new();
    let plain = |dice: &mut Dice, number: usize| {
        let token = dice.text(ANY, 36);
        match number % 3 {
            0 => Planted { name: "github token".to_owned(), text: ["gh", "p_", &token].concat(), secret: token },
            1 => Planted { name: "password".to_owned(), text: format!("DB_PASSWORD={token}"), secret: token },
            _ => Planted { name: "json".to_owned(), text: format!("{{\"secret\":\"{token}\"}}"), secret: token },
        }
    };
    for number in 0..40 {
        let whole = plain(dice, number);
        let at = whole.text.find(&whole.secret).unwrap() + 5 + number % 26;
        let (head, tail) = whole.text.split_at(at);
        let mark = "\n\n... [4295 characters truncated] ...\n\n";
        let text = match number % 4 {
            0 => format!("seen {head}{mark}an ordinary end"),
            1 => format!("an ordinary beginning{mark}{tail} again"),
            2 => format!("seen {head}{mark}{tail} again"),
            // What the hook leaves out itself, of a long output.
            _ => format!("{}{}{}", "compiling part\n".repeat(1090 + number), whole.text, "\nlinking".repeat(9000)),
        };
        planted.push(whole.hidden("cut", text));
    }
    for number in 0..INVISIBLE.len() * 4 {
        let whole = plain(dice, number);
        let step = 1 + number % 7;
        let text = INVISIBLE[number / 4](&whole.text, step);
        planted.push(whole.hidden(&format!("invisible {}", number / 4), format!("seen {text} again")));
    }
    for number in 0..25 {
        let whole = plain(dice, number);
        let units: Vec<u8> = whole.text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut text = String::from_utf8_lossy(&units).into_owned();
        if number % 2 == 0 {
            text = format!("\u{fffd}\u{fffd}{text}\r\0\n\0");
        }
        planted.push(whole.hidden("utf-16", format!("cat notes.txt\n{text}\nerror: no such key")));
    }
    planted
}

type Hide = fn(&str, usize) -> String;

/// Puts something between the letters.
fn between(text: &str, step: usize, what: &str) -> String {
    let letters = text.chars().enumerate();
    letters.map(|(at, c)| if at % step == step - 1 { format!("{c}{what}") } else { c.to_string() }).collect()
}

#[rustfmt::skip]
const INVISIBLE: &[Hide] = &[
    |text, step| between(text, step, "\u{200b}"),
    |text, step| between(text, step, "\u{feff}"),
    |text, step| between(text, step, "\u{ad}"),
    |text, step| between(text, step, "\u{2060}"),
    |text, step| between(text, step, "\u{202e}\u{202c}"),
    |text, step| between(text, step, "\0"),
    |text, step| between(text, step, "\u{1b}[1m"),
    |text, step| between(text, step, "\u{e0041}"),
    // As a pager prints bold and underlined text.
    |text, _| text.chars().flat_map(|c| [c, '\u{8}', c]).collect(),
    |text, _| text.chars().flat_map(|c| ['_', '\u{8}', c]).collect(),
    // A line that goes on: of a shell, and as mail and YAML fold it.
    |text, step| between(text, 20 + step, "\\\n"),
    |text, step| between(text, step, "\u{9b}1m"),
];

fn corpus() -> Vec<Planted> {
    let mut dice = Dice(20_260_301);
    let mut planted = in_contexts(&mut dice);
    planted.extend(tokens(&mut dice));
    planted.extend(disguised(&mut dice));
    planted
}

/// The ways in which a text comes to the hook: what a program printed, a command, a tool's input, a run that failed
/// behind a status of 0.
const WAYS: usize = 4;

fn payload(text: &str, way: usize, project: &Path) -> Value {
    // A line that is taken out of its file has lost what told of it.
    let last = if text.trim_end().contains('\n') { "the file above" } else { text };
    let printed = format!("Exit code 1\n{text}\nerror: refused: {last}");
    let mut payload = match way {
        0 => json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": printed,
            "tool_input": {"command": "make ship"}}),
        1 => json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": printed,
            "tool_input": {"command": text}}),
        2 => json!({"hook_event_name": "PostToolUseFailure", "tool_name": "mcp__shop__run",
            "tool_input": {"note": text}, "error": format!("500: {text}")}),
        _ => {
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "pytest -q | tail"},
            "tool_response": {"stdout": format!("FAILED tests/test_a.py::test_b - {text}\n{text}\n=== 1 failed in 0.1s ==="),
                "stderr": "", "interrupted": false}})
        }
    };
    payload["session_id"] = json!("s1");
    payload["tool_use_id"] = json!("toolu_1");
    payload["cwd"] = json!(project);
    payload
}

/// All that the hook wrote and said of this text.
fn traces(text: &str, way: usize) -> String {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    let executable = std::env::var("HOOK").unwrap_or_else(|_| env!("CARGO_BIN_EXE_failwise-hook").to_owned());
    let mut command = Command::new(executable);
    command.env_clear().env("HOME", home.path()).current_dir(home.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload(text, way, &project).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let mut all = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let mut open = vec![home.path().to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            all.push_str(&path.to_string_lossy());
            if path.is_dir() {
                open.push(path);
            } else {
                all.push_str(&String::from_utf8_lossy(&fs::read(&path).unwrap()));
            }
        }
    }
    all
}

/// The length of a part that must not stand anywhere, of a secret of this length.
fn slice(secret: &str) -> usize {
    if secret.len() >= 20 { 12 } else { 6 }
}

/// Whether the text shows a part of the secret, however JSON writes it and whatever is between its letters.
fn shows(text: &str, secret: &str) -> bool {
    let quoted = serde_json::to_string(secret).unwrap();
    let quoted = &quoted[1..quoted.len() - 1];
    [secret, quoted].iter().any(|secret| {
        secret.as_bytes().windows(slice(secret)).any(|part| memchr::memmem::find(text.as_bytes(), part).is_some())
    })
}

/// The letters alone: what a reader sees of a text with invisible signs.
fn seen(text: &str) -> String {
    let plain = text.replace("\\u0000", "").replace("\\u0008", "").replace("\\u001b[1m", "").replace("\\\\\\n", "");
    plain.chars().filter(char::is_ascii).collect()
}

#[test]
fn few_secrets_of_the_corpus_stay_in_clear() {
    let corpus = corpus();
    assert!(corpus.len() >= 980, "{}", corpus.len());
    let in_clear: Vec<String> = corpus
        .iter()
        .enumerate()
        .filter_map(|(number, planted)| {
            let all = traces(&planted.text, number % WAYS);
            let leaks = shows(&all, &planted.secret) || shows(&seen(&all), &planted.secret);
            leaks.then(|| format!("way {}: {}: {:?}", number % WAYS, planted.name, shortened(&planted.text)))
        })
        .collect();
    println!("{} of {} stay in clear:\n{}", in_clear.len(), corpus.len(), in_clear.join("\n"));
    assert!(in_clear.len() * 100 <= corpus.len(), "{} of {} stay in clear", in_clear.len(), corpus.len());
}

/// Secrets that were written by somebody who had not seen the tables, each in two halves so that no scanner takes the file
/// for a leak. At their first score 145 of 688 stayed in clear; of the second corpus, of which one in three is here, 146 of
/// 1,635 (208 by the tables of a day before). The third are those of 849 that stayed in clear when structures were written down
/// that no table had: siblings in objects, names in other languages, files of secrets, values beside an address of mail. The
/// fourth are those of 251 in 200 new shapes that stand alone in theirs; 16 of the 251 stayed in clear whole. What is left may
/// only fall.
#[test]
fn few_secrets_of_the_unseen_corpora_stay_in_clear() {
    for (corpus, rows, most) in [
        (include_str!("../secrets/unseen.jsonl"), 688, 10),
        (include_str!("../secrets/second.jsonl"), 545, 1),
        (include_str!("../secrets/third.jsonl"), 325, 73),
        (include_str!("../secrets/fourth.jsonl"), 151, 0),
    ] {
        let (mut all, mut in_clear) = (0, Vec::new());
        for row in corpus.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let secret =
                row["secret"].as_array().unwrap().iter().map(|half| half.as_str().unwrap()).collect::<String>();
            let text = row["text"].as_str().unwrap().replace("{SECRET}", &secret);
            all += 1;
            if shows(&redact_printed(&text), &secret) {
                in_clear.push(format!("{}: {:?}", row["shape"].as_str().unwrap(), shortened(&text)));
            }
        }
        println!("{} of {all} stay in clear:\n{}", in_clear.len(), in_clear.join("\n"));
        assert!(all == rows && in_clear.len() <= most, "{} of {all} stay in clear", in_clear.len());
    }
}

/// Lines that look a little like secrets, written by the same: at their first score 11 of 700 changed.
#[test]
fn plain_lines_of_the_unseen_corpora_stay_as_they_are() {
    let mut changed = Vec::new();
    for row in include_str!("../secrets/plain.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let text = row["text"].as_str().unwrap();
        let clean = redact_printed(text);
        if clean != text {
            changed.push(format!("{text}\n  -> {clean}"));
        }
    }
    println!("{}", changed.join("\n"));
    assert!(changed.len() <= 1, "{} changed", changed.len());
}

/// What tells a secret by its place, each with a text beside it that is like it and holds none: `X` is the secret.
#[test]
fn secrets_told_by_their_place_go_and_what_is_like_them_stays() {
    let random = ["q7Wd2LmZ9xTa", "4RkP8vNc3HsYb6J"].concat();
    let long = ["kX3mQ9vT", "2bLr7NwZ", "5cJf8HpS", "4dGy6KsV", "1aRtEuMo", "Y="].concat();
    let key = ["vJ3mQ9xT", "2bLr7NwZ", "5cJf8HpS", "4dGy6KsV", "1aRtEuMo", "Y3s="].concat();
    let single = ["eyJhIjoi", &long.replace('=', ""), &random, &random].concat();
    let assertion = ["PHNhbWx", "wOlJlc3Bv", &long.replace('=', ""), &long.replace('=', ""), &random].concat();
    let chosen = "kelder8Tulp".to_owned();
    #[rustfmt::skip]
    let goes: &[(&str, &String)] = &[
        // A quotation mark that nothing closes; a list of words whose first is a path from here.
        ("ACL SETUSER ann on >X '", &chosen),
        ("{\"argv\":[\"./app\",\"--password\",\"X\"]}", &chosen),
        // The value beside its name, whatever marks are around both.
        ("[{'secretValue': 'X', 'kind': 'text', 'name': 'DB_PASSWORD'}]", &chosen),
        // Words whose last is a number are a choice; those of a variable are not.
        ("user --name=ops --password=backupPw2291 --plaintext", &"backupPw2291".to_owned()),
        // A plan's old value; settings that hold words of a sentence.
        ("~ password = \"X\" -> \"other7Tulp\"", &chosen),
        ("[client]\npassword=\"mijn hond is 7 jaar\"\n", &"mijn hond is 7 jaar".to_owned()),
        // Codes that are typed once.
        ("Your Acme verification code is 674206. It expires soon.", &"674206".to_owned()),
        // Headings of several words; a sign for each gap.
        ("│ user │ initial password │\n├──────┼──────────────────┤\n│ ines │ X      │\n", &chosen),
        ("user;initial password\nines;X\n", &chosen),
        // What a command at a prompt was asked for.
        ("$ pwgen -s 11 2\naB3dE5gH7jK\nX\n", &chosen),
        ("$ wg genkey\nX\n", &key),
        // Below a user, in files that are written, in lines of an element.
        ("User joe@acme.test\nPass X\n", &chosen),
        ("printf 'jdoe\\nX\\n' > /etc/openvpn/auth.txt", &chosen),
        ("<auth-user-pass>\njdoe\nX\n</auth-user-pass>", &chosen),
        ("Access denied (using password: X)", &chosen),
        ("buildConfigField \"String\", \"API_KEY\", \"X\"", &random),
        ("Copy this token now. You will not see it again.\nX\n", &["aB3", &random, "dE5gH7"].concat()),
        // What a thing is made with, keys in base64, and what their block is called.
        ("co = cohere.Client('X')", &random),
        ("posthog.init('X', {host: 'x'})", &random),
        ("OTEL_HEADERS=\"x-team=X,x-dataset=shop\"", &random[..22].to_owned()),
        ("api:\n    signing: X\n", &key),
        ("api:\n  encryption:\n    key: \"X\"\n", &"q7Wd2LmZ9xTa".to_owned()),
        ("cloudflared service install X", &single),
        ("SAMLResponse=X&RelayState=%2Fhome", &assertion),
        ("https://acme.webhook.office.com/webhookb2/X", &"0f1e2d3c4b5a-6978@8c0cf633/IncomingWebhook/6d7e".to_owned()),
        ("https://chat.acme.test/hooks/X", &"k3m9q7w2z8x4c6v1b5n0a8s7d2".to_owned()),
    ];
    let open: Vec<String> = goes
        .iter()
        .map(|(form, secret)| (form.replace('X', secret), secret))
        .filter(|(text, secret)| redact_printed(text).contains(secret.as_str()))
        .map(|(text, _)| format!("{text}\n  -> {}", redact_printed(&text)))
        .collect();
    assert!(open.is_empty(), "{}", open.join("\n"));
    #[rustfmt::skip]
    let stays = [
        "const x = [\"./app\", \"--verbose\", \"Tulp8kelder\"]".to_owned(),
        "{'value': 'kelder8Tulp', 'name': 'shop'}".to_owned(),
        "APIKey:     PostHogAPIKey,".to_owned(),
        "password=\"Your password is too short\"".to_owned(),
        "exit code: 674206 at 12.674206".to_owned(),
        "Exit code 1\n674206 lines, code of 674206".to_owned(),
        "user;initial words\nines;kelder8Tulp\n".to_owned(),
        "$ ls -l\nkelder8Tulp\n$ gh auth status --show-token\ngithub.com\n".to_owned(),
        "Pass kelder8Tulp\n".to_owned(),
        "printf 'a\\nkelder8Tulp\\n' > notes.txt".to_owned(),
        "<tags>\njdoe\nkelder8Tulp\n</tags>".to_owned(),
        "login(user, password: hashedPassword)".to_owned(),
        "field \"String\", \"API_KEY\", \"shop\"".to_owned(),
        format!("expect('{random}')"),
        format!("golang.org/x/crypto v0.21.0/go.mod h1:{key}"),
        format!("  public key: {key}"),
        format!("password: ENC[AES256_GCM,data:5z==,iv:{key},tag:x,type:str]"),
        "cache:\n  key: deps-v2-linux\n".to_owned(),
        "https://docs.acme.test/webhooks/handling-2fa-webhook-deliveries".to_owned(),
        "src/hooks/useAuth2faSession.ts https://a.test/hooks/pre-commit".to_owned(),
        "charge ch_33gafeBtR7N0oN7tHmo2i7r0 for customer cus_aiq5rbV0gUeQmu4xRt2W succeeded".to_owned(),
        "\"bos_token\": \"<|begin_of_text|>\"".to_owned(),
        "REQUIRE_PASSWORD=true".to_owned(),
        "daemon:*:19600:0:99999:7:::".to_owned(),
        "ssh -i ~/.ssh/deploy_key deploy@web1".to_owned(),
        ["SLACK_BOT_TOKEN=xo", "xb-xxxx-xxxx-xxxx"].concat(),
        "- Two-pass processing:".to_owned(),
        "### Key Content to Preserve".to_owned(),
    ];
    let changed: Vec<String> = stays
        .iter()
        .filter(|text| redact_printed(text) != **text)
        .map(|text| format!("{text}\n  -> {}", redact_printed(text)))
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

fn shortened(text: &str) -> String {
    text.chars().take(160).collect()
}

/// The search would find what is stored: an ordinary word in the same places is.
#[test]
fn ordinary_words_in_the_same_places_are_stored() {
    for (number, (name, _, _)) in CONTEXTS.iter().enumerate() {
        let text = format!("the {name} holds lighthouse-keeper words");
        assert!(shows(&traces(&text, number % WAYS), "lighthouse-keeper"), "{name}");
    }
}

/// Every rule of the packages that the shapes come from is found, or it is said why not.
#[test]
fn every_shape_of_the_packages_is_found_or_left_out_for_a_reason() {
    let mut dice = Dice(7);
    let mut left_out = 0;
    for line in include_str!("../secrets/packages.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[package, version, pattern, shape, why] = columns.as_slice() else { panic!("{line}") };
        assert!(!package.is_empty() && !version.is_empty(), "{line}");
        if shape == "left out" {
            assert!(!why.is_empty(), "{pattern} of {package} is left out without a reason");
            left_out += 1;
            continue;
        }
        let &[begin, class, shortest] = shape.split(' ').collect::<Vec<_>>().as_slice() else { panic!("{line}") };
        let alphabet = if class == "hex" || begin == "dapi" { HEX } else { ANY };
        let body = dice.text(alphabet, shortest.parse().unwrap());
        let text = format!("refused: {begin}{body} now");
        assert!(!redact_printed(&text).contains(&body), "{pattern} of {package}: {text}");
    }
    // 29 at the versions named there; the number may only fall.
    assert!(left_out <= 29, "{left_out}");
}

/// Lines that people and tools wrote in real sessions: third-party text, read where it is and kept nowhere. `HITS=<file>`
/// lists what was taken, to be read: a secret that somebody planted in a test is none of the false hits.
#[test]
fn ordinary_lines_of_real_sessions_stay_as_they_are() {
    let Some(folder) = data_folder() else { return };
    let lines = real_lines(&folder);
    assert!(lines.len() >= 20_000, "{}", lines.len());
    let taken: Vec<String> = lines
        .iter()
        .filter(|line| redact_printed(line).matches("[redacted:").count() > line.matches("[redacted:").count())
        .map(|line| format!("{line}\n  -> {}\n", redact_printed(line)))
        .collect();
    println!("{} of {} lines lost something", taken.len(), lines.len());
    if let Ok(file) = std::env::var("HITS") {
        fs::write(file, taken.concat()).unwrap();
    }
    // 3 in 20,000, those included that are the made up secrets of somebody's test: most of them are.
    assert!(taken.len() * 7_000 <= lines.len(), "{}", taken.concat());
}

/// Every line of every text that a tool got or gave, once.
fn real_lines(folder: &Path) -> std::collections::BTreeSet<String> {
    let mut lines = std::collections::BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let Some(text) = text_of(&path) else { continue };
        for line in text.lines() {
            if let Ok(value) = serde_json::from_str::<Value>(line) {
                gather(&value, "", &mut lines);
            }
        }
    }
    lines
}

fn text_of(path: &Path) -> Option<String> {
    let bytes = fs::read(path).unwrap();
    match path.extension()?.to_str()? {
        "jsonl" => String::from_utf8(bytes).ok(),
        "gz" => {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut text).ok()?;
            Some(text)
        }
        _ => None,
    }
}

/// What the hook looks at of a line of a session: what tools printed, what they were called with.
const FIELDS: &[&str] = &["content", "stdout", "stderr", "error", "error_text", "command", "input", "text"];

fn gather(value: &Value, name: &str, lines: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::String(text) if FIELDS.contains(&name) => lines.extend(text.lines().map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| gather(item, name, lines)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| gather(value, name, lines)),
        _ => {}
    }
}
