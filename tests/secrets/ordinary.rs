//! Lines as tools print them every day, with much that looks random and nothing that is secret.

/// A stream of digits without chance.
struct Dice(u64);

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
const HEX: &str = "0123456789abcdef";
const WORDS: &[&str] = &[
    "harbour", "tide", "ship", "cargo", "pilot", "anchor", "buoy", "chart", "crane", "berth", "token", "secret", "key",
    "password", "auth", "session", "cookie", "parser", "client", "server", "index", "stream", "buffer", "handler",
];

impl Dice {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap()
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() % end
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        (0..length).map(|_| char::from(letters[self.below(letters.len())])).collect()
    }

    fn hex(&mut self, length: usize) -> String {
        self.text(HEX, length)
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|length| self.hex(length)).join("-")
    }

    fn version(&mut self) -> String {
        format!("{}.{}.{}", self.below(12), self.below(40), self.below(20))
    }
}

type Line = fn(&mut Dice) -> String;

/// One row a kind of line. Words like `token` and `password` stand among the names on purpose.
const LINES: &[Line] = &[
    // Version control.
    |d| format!("commit {} (HEAD -> {}, origin/{})", d.hex(40), d.word(), d.word()),
    |d| format!("{} {} {}: mend the {}", d.hex(7), d.word(), d.word(), d.word()),
    |d| format!("index {}..{} 100644", d.hex(10), d.hex(10)),
    |d| format!("   {}..{}  {} -> {}", d.hex(9), d.hex(9), d.word(), d.word()),
    |d| format!("diff --git a/src/{}.rs b/src/{}.rs", d.word(), d.word()),
    |d| format!("fatal: ambiguous argument '{}': unknown revision or path not in the working tree.", d.hex(12)),
    |d| format!("-    pub(crate) fn {}_{}(&self, {}: &str) -> Result<{}> {{", d.word(), d.word(), d.word(), d.word()),
    // Identifiers and digests.
    |d| format!("request {} took {} ms", d.uuid(), d.below(9000)),
    |d| format!("{}  dist/{}-{}.tar.gz", d.hex(64), d.word(), d.version()),
    |d| format!("sha256:{} {}:{}", d.hex(64), d.word(), d.version()),
    |d| format!("Digest: sha256:{}", d.hex(64)),
    |d| format!("Status: Downloaded newer image for {}/{}:{}", d.word(), d.word(), d.version()),
    |d| format!("etag: \"{}\"", d.hex(32)),
    |d| format!("trace_id={} span_id={} parent={}", d.hex(32), d.hex(16), d.hex(16)),
    |d| {
        format!(
            "{} pod/{}-{}-{} 0/1 CrashLoopBackOff {}",
            d.word(),
            d.word(),
            d.hex(10),
            d.text("bcdfghjklmnpqrstvwxz2456789", 5),
            d.below(90)
        )
    },
    // Images and packed data.
    |d| format!("<img src=\"data:image/png;base64,iVBORw0KGgo{}\">", d.text(BASE64, 120)),
    |d| format!("src: url(data:font/woff2;base64,d09GMgAB{}) format('woff2')", d.text(BASE64, 200)),
    |d| format!("//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ{}", d.text(BASE64, 4)),
    |d| {
        format!(
            "{:08x}  {}  |{}|",
            d.below(1 << 30),
            (0..16).map(|_| d.hex(2)).collect::<Vec<_>>().join(" "),
            d.text(LETTERS, 16)
        )
    },
    |d| d.text(BASE64, 76),
    // Lock files.
    |d| format!("      \"integrity\": \"sha512-{}==\",", d.text(BASE64, 86)),
    |d| {
        format!(
            "  resolved \"https://registry.harbour.example/{0}/-/{0}-{1}.tgz#{2}\"",
            d.word(),
            d.version(),
            d.hex(40)
        )
    },
    |d| format!("checksum = \"{}\"", d.hex(64)),
    |d| format!("{} v{}/go.mod h1:{}=", ["example.org", d.word()].join("/"), d.version(), d.text(BASE64, 43)),
    |d| format!("    --hash=sha256:{} \\", d.hex(64)),
    |d| format!("name = \"{}-{}\"", d.word(), d.word()),
    // Build and package logs.
    |d| format!("   Compiling {}-{} v{} (/srv/{})", d.word(), d.word(), d.version(), d.word()),
    |d| format!("error[E0{}]: cannot find value `{}_{}` in this scope", 100 + d.below(600), d.word(), d.word()),
    |d| format!("  --> src/{}/{}.rs:{}:{}", d.word(), d.word(), d.below(900), d.below(80)),
    |d| format!("npm ERR! code E404 {}@{} is not in this registry", d.word(), d.version()),
    |d| format!("npm warn deprecated {}@{}: use {} instead", d.word(), d.version(), d.word()),
    |d| format!("added {} packages, and audited {} packages in {}s", d.below(900), d.below(2000), d.below(60)),
    |d| format!("Collecting {}=={} (from -r requirements.txt (line {}))", d.word(), d.version(), d.below(50)),
    |d| {
        format!("Downloading {}-{}-cp311-cp311-manylinux_2_17_x86_64.whl ({} kB)", d.word(), d.version(), d.below(9000))
    },
    |d| {
        format!("gcc -O2 -D_{}=1 -I/usr/include/{} -c {}.c -o {}.o", d.text("ABCDEFG", 5), d.word(), d.word(), d.word())
    },
    |d| format!("ld: {}.o: undefined reference to `_ZN{}{}{}E'", d.word(), d.below(20), d.word(), d.text(LETTERS, 12)),
    |d| format!("tests/{}_{}.py::test_{}_{} PASSED [{}%]", d.word(), d.word(), d.word(), d.word(), d.below(100)),
    |d| {
        format!(
            "src/{}.ts({},{}): error TS2339: Property '{}' does not exist on type '{}'.",
            d.word(),
            d.below(900),
            d.below(80),
            d.word(),
            d.word()
        )
    },
    // Stack traces.
    |d| {
        format!(
            "    at {}.{} (/app/node_modules/{}/dist/{}.js:{}:{})",
            d.word(),
            d.word(),
            d.word(),
            d.word(),
            d.below(900),
            d.below(80)
        )
    },
    |d| format!("  File \"/srv/{}/{}.py\", line {}, in {}_{}", d.word(), d.word(), d.below(900), d.word(), d.word()),
    |d| format!("\tat org.{}.{}Handler.{}({}.java:{})", d.word(), d.word(), d.word(), d.word(), d.below(900)),
    |d| format!("  {}: 0x{} - {}::{}::h{}", d.below(40), d.hex(16), d.word(), d.word(), d.hex(16)),
    |d| format!("thread '{}' panicked at src/{}.rs:{}:{}:", d.word(), d.word(), d.below(900), d.below(80)),
    // Packed scripts.
    |d| {
        format!(
            "!function(e,t){{var n={{}};function r(o){{if(n[o])return n[o].{}}}r.{}={},r.token=n}}([]);",
            d.word(),
            d.word(),
            d.below(900)
        )
    },
    |d| {
        format!(
            "const {}=require('{}'),{}={}=>{}.{}({})||null;",
            d.text("abcdef", 1),
            d.word(),
            d.text("ghij", 1),
            d.word(),
            d.word(),
            d.word(),
            d.word()
        )
    },
    |d| {
        format!(
            "{{\"version\":3,\"mappings\":\"{};{},{}\",\"names\":[\"{}\"]}}",
            d.text(LETTERS, 24),
            d.text(LETTERS, 6),
            d.text(LETTERS, 8),
            d.word()
        )
    },
    // Environments and settings that name a place instead of holding a value.
    |d| format!("DB_PASSWORD=${}_PASSWORD API_TOKEN=${{{}_TOKEN}}", d.text("ABCDE", 4), d.text("ABCDE", 4)),
    |d| format!("          NPM_TOKEN: ${{{{ secrets.{}_TOKEN }}}}", d.text("ABCDE", 4)),
    |d| format!("password: <your {} password>", d.word()),
    |d| format!("SECRET_FILE=/run/secrets/{} TOKEN_PATH=/var/run/{}/token", d.word(), d.word()),
    |d| format!("secretKeyRef: {{name: {}-credentials, key: {}}}", d.word(), d.word()),
    |d| format!("export PATH=/usr/{}/bin:/opt/{}/{}:$PATH", d.word(), d.word(), d.version()),
    |d| format!("PWD=/srv/{} OLDPWD=/srv/{} SHLVL={}", d.word(), d.word(), d.below(5)),
    // Programs and messages about secrets.
    |d| format!("SyntaxError: Unexpected token '{}', \"{}\" is not valid JSON", d.text("<>{}", 1), d.word()),
    |d| format!("const token = await {}.getToken({{ {}: true }});", d.word(), d.word()),
    |d| format!("  password: string; // at least {} characters", d.below(20)),
    |d| format!("error: the following required arguments were not provided: --token <{}>", d.text("ABCDE", 5)),
    |d| format!("psql: error: FATAL: password authentication failed for user \"{}\"", d.word()),
    |d| format!("if (!user.password || password !== {}.password) return {};", d.word(), d.below(500)),
    |d| format!("usage: {} [--password PASSWORD] [--token-file FILE] {}", d.word(), d.word()),
    |d| format!("max_tokens: {}, prompt_tokens={} completion_tokens={}", d.below(9000), d.below(9000), d.below(9000)),
    |d| {
        format!(
            "{{\"input_tokens\":{},\"output_tokens\":{},\"cache_key\":\"{}\"}}",
            d.below(9000),
            d.below(900),
            d.word()
        )
    },
    |d| format!("tokenizer: {} tokens, vocabulary {} ({})", d.below(90000), d.below(90000), d.word()),
    |d| format!("The secret {} in namespace {} was not found", d.word(), d.word()),
    |d| format!("let key = map.get(&{}).expect(\"a {} key\");", d.word(), d.word()),
    |d| format!("PRIMARY KEY ({}_id), FOREIGN KEY (session_id) REFERENCES {}(id)", d.word(), d.word()),
    |d| format!("cookie: {} not set; session: none", d.word()),
    |d| format!("author: {} <{}@harbour.example>", d.word(), d.word()),
    |d| {
        format!("WWW-Authenticate: Bearer realm=\"https://auth.harbour.example/{}\",service=\"{}\"", d.word(), d.word())
    },
    |d| format!("HTTP/1.1 401 Unauthorized ({}: invalid or expired token)", d.word()),
    |d| format!("<input type=\"password\" name=\"{}\" autocomplete=\"current-password\">", d.word()),
    // Places.
    |d| {
        format!(
            "GET https://api.harbour.example/v1/{}/{}?page={}&sort={} {}",
            d.word(),
            d.uuid(),
            d.below(90),
            d.word(),
            200 + d.below(300)
        )
    },
    |d| format!("postgres://localhost:5432/{} is not reachable", d.word()),
    |d| format!("git@git.harbour.example:{}/{}.git", d.word(), d.word()),
    |d| {
        format!(
            "/nix/store/{}-{}-{}/bin/{}",
            d.text("0123456789abcdfghijklmnpqrsvwxyz", 32),
            d.word(),
            d.version(),
            d.word()
        )
    },
    |d| format!("/var/folders/{}/{}/T/tmp.{}", d.text(LETTERS, 2), d.text(LETTERS, 30), d.text(LETTERS, 10)),
    |d| format!("-rw-r--r-- 1 ann staff {} Mar  1 08:0{} {}.{}", d.below(90000), d.below(9), d.word(), d.word()),
    |d| {
        format!(
            "2026-03-01T08:0{}:11.{}Z INFO {}::{}: accepted id={} key={}",
            d.below(9),
            d.below(1000),
            d.word(),
            d.word(),
            d.below(9000),
            d.word()
        )
    },
    |d| format!("cache key: {}-{}-{} (restored)", d.word(), d.text("abc", 3), d.hex(64)),
    |d| format!("Cache restored from key: Linux-cargo-{}", d.hex(64)),
    |d| format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} ann@harbour", d.text(BASE64, 43)),
    |d| format!("SHA256:{} (ED25519)", d.text(BASE64, 43)),
    |d| format!("Merkle root {} height {}", d.hex(64), d.below(90000)),
    |d| format!("build-id: {} section .note", d.hex(40)),
];

/// So many lines, every kind of line about as often.
pub(crate) fn lines(count: usize) -> Vec<String> {
    let mut dice = Dice(0x0dd_ba11);
    (0..count).map(|number| LINES[number % LINES.len()](&mut dice)).collect()
}
