//! What two runs of a failure may differ in, what two failures must differ in, and what holds for any text.

use proptest::prelude::*;

use super::{Context, LONGEST, coarse, fine, fine_in};

#[test]
fn what_varies_between_runs_is_masked() {
    let cases = [
        ("\u{1b}[31merror\u{1b}[0m: \u{1b}]8;;x\u{7}no\u{1b}]8;;\u{7}", "error: no"),
        ("fetch 10%\rfetch 90%\rerror: lost\r\n  again", "error: lost again"),
        ("a\n\n... [4295 characters truncated] ...\n\nb", "a <cut> b"),
        ("at 2024-01-02T03:04:05.678Z it broke", "at <time> it broke"),
        ("2024/01/02 12:38:57 INFO x", "<time> INFO x"),
        ("2024-01-02 03:04:05,123 +0000 UTC m", "<time> m"),
        ("[Nest] 59956 - 02/21/2026, 1:38:10 AM LOG", "[Nest] <n> - <time> LOG"),
        ("Jan  2 15:04:05 host sshd[812]: bye", "<time> host sshd[<n>]: bye"),
        ("Mon, 02 Jan 2006 15:04:05 GMT; x", "<time>; x"),
        ("[04:48:28.682] INFO (3180): up", "[<time>] INFO (<n>): up"),
        ("took 12ms, 1.23s, 2m 0.0s, 30.686µs and 5 seconds", "took <dur>, <dur>, <dur>, <dur> and <dur>"),
        ("3 failed, 20 passed in 0.04s", "3 failed, <n> passed in <dur>"),
        ("src/x.rs:12:5: bad", "src/x.rs:<n>:<n>: bad"),
        ("src/x.ts(12,5): error TS2305: no", "src/x.ts(<n>,<n>): error TS2305: no"),
        ("12:5  error  no-undef", "<n>:<n> error no-undef"),
        ("File \"a.py\", line 12, in f", "File \"a.py\", line <n>, in f"),
        ("line 1 column 212 (char 211)", "line <n> column <n> (char <n>)"),
        ("thread 'main' (42) panicked at src/a.rs:1:2:", "thread 'main' (<n>) panicked at src/a.rs:<n>:<n>:"),
        ("SIGSEGV at 0x7ffe12ab +0x1d", "SIGSEGV at <hex> +<hex>"),
        ("id 123e4567-e89b-12d3-a456-426614174000.", "id <uuid>."),
        ("commit 846598d and 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "commit <hex> and <hex>"),
        ("connect 127.0.0.1:3000 or [::1]:3001", "connect <ip>:<n> or [<ip>]:<n>"),
        ("listen EADDRINUSE :::3000 at localhost:3000", "listen EADDRINUSE <ip> at localhost:<n>"),
        ("pid 123, pid=4567 goroutine 12 [running]", "pid <n>, pid=<n> goroutine <n> [running]"),
        ("2.6MB of 256 KB, 118 bytes, 97.5%", "<size> of <size>, <size>, <n>%"),
        ("Rebasing (429/1241) [3/9]", "Rebasing (<n>/<n>) [<n>/<n>]"),
        ("open '/tmp/xyz123/a.rs'", "open '<tmp>/a.rs'"),
        ("open /tmp/tmp.AbCdEfGhIj: no", "open <tmp>: no"),
        ("/var/folders/gz/h7sjhv0000gn/T/TestName3099/001/x.json", "<tmp>/x.json"),
        ("under T/TestName123456/001 now", "under <tmp> now"),
        ("run /tmp/check1.py", "run <tmp>.py"),
        ("open '/srv/a.json.tmp.4711.0a1b2c'", "open '/srv/a.json.<tmp>'"),
        ("in /home/ann/x/a.rs and /Users/bob/a.rs", "in ~/x/a.rs and ~/a.rs"),
        ("C:\\Users\\ann\\x\\a.rs", "~\\x\\a.rs"),
        ("C:\\Users\\ann\\AppData\\Local\\Temp\\tmp1234\\a", "<tmp>\\a"),
        ("user_17080123456 is gone", "user_<n> is gone"),
        ("./src/a.rs is bad", "src/a.rs is bad"),
    ];
    for (text, wanted) in cases {
        assert_eq!(fine(text), wanted, "{text:?}");
    }
}

#[test]
fn what_tells_failures_apart_stays() {
    let texts = [
        "error[E0599]: no method `from_bytes` found for struct `Image` in src/image.rs",
        "error TS2305: Module '\"@x/ai\"' has no exported member 'mess'",
        "Process exited with exit code 101, status 12345",
        "MCP error -32603: Invalid group",
        "HRESULT 0x80070005 denied",
        "--- FAIL: TestRewind/manual-commit",
        "test tests::parse_v2 ... FAILED",
        "expected 3, got 4",
        "pkg@1.2.3 needs node v24.13.0",
        "make: *** [Makefile: all] Error 2",
        "deadbeef and ed25519 and facade are words",
        "/tmp/build/a.rs and /srv/app/x.rs",
        "error: unexpected argument '--frobnicate' found",
        "a::b::c is private",
        "HTTP 404 for /v1/items",
        "foo(1,2) differs",
    ];
    for text in texts {
        assert_eq!(fine(text), text);
    }
}

#[test]
fn a_project_is_the_same_wherever_it_lies() {
    let at = |cwd, text| fine_in(text, &Context { cwd: Some(cwd) });
    assert_eq!(at("/home/u/proj", "bad /home/u/proj/src/a.rs:3"), at("/w/x", "bad src/a.rs:9"));
    assert_eq!(at("/home/u/proj/", "cd /home/u/proj: no"), "cd .: no");
    assert_eq!(at("/home/u/proj", "/home/u/project/a.rs"), "~/project/a.rs");
    assert_eq!(at("/tmp/w1", "(/private/tmp/w1/a.rs)"), "(a.rs)");
    assert_eq!(at("C:\\w\\p", "C:\\w\\p\\src\\a.cs(3,4): error CS0103"), "src\\a.cs(<n>,<n>): error CS0103");
}

#[test]
fn coarse_keeps_the_kind_only() {
    let cases = [
        (
            "error TS2305: Module '\"@x/ai\"' has no exported member 'mess'.",
            "error TS2305: Module <name> has no exported member <name>.",
        ),
        ("src/a/x.ts(3,4): error TS2305: no", "<path>(<n>,<n>): error TS2305: no"),
        ("ls: cannot access /srv/x: No such file", "ls: cannot access <path>: No such file"),
        ("--- FAIL: TestRewind (0.9s)", "--- FAIL: <test> (<dur>)"),
        ("test net::tests::reads ... FAILED", "test <name> ... FAILED"),
        ("expected 3, got 4; exit code 101", "expected <n>, got <n>; exit code 101"),
        ("I/O error, see https://x.example/a?b=1.", "I/O error, see <url>."),
        ("don't know what's `foo`", "don't know what's <name>"),
        ("<error>no such tool</error> // no path", "<error>no such tool</error> // no path"),
        ("No module named x in a.py", "No module named x in <path>"),
    ];
    for (text, wanted) in cases {
        assert_eq!(coarse(text), wanted, "{text:?}");
    }
}

#[test]
fn long_texts_are_bounded_and_cost_their_length() {
    for row in ["a ", "x", "12:", "/tmp/a1", "\u{1b}[", "0a1b2c3", "\r", "::", "1s", "(1/", "../", "2024-", "\u{e9}"] {
        let text = row.repeat(1_000_000 / row.len());
        assert!(fine(&text).len() <= LONGEST && coarse(&text).len() <= LONGEST, "{row:?}");
    }
}

/// Pieces whose every order must be survived.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "1",
        "12",
        "123",
        "12345",
        "1234567",
        "0a1b2c3d",
        "2024-01-02",
        "T",
        "03:04:05",
        ":",
        ".",
        ",",
        "-",
        "/",
        "\\",
        " ",
        "  ",
        "\n",
        "\r",
        "\u{1b}[1m",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "<n>",
        "<time>",
        "<tmp>",
        "<path>",
        "<name>",
        "'",
        "\"",
        "`",
        "=",
        "%",
        "ms",
        "s",
        "m",
        "kB",
        "line",
        "pid",
        "port",
        "code",
        "error",
        "passed",
        "/tmp/",
        "/home/",
        "/Users/",
        "/root/",
        "/w/p",
        "/private",
        "/var/folders/",
        "C:\\Users\\",
        "tmp",
        ".tmp.",
        "::",
        "./",
        "../",
        "Jan",
        "Mon",
        "UTC",
        "Z",
        "+01:00",
        "AM",
        "a",
        "Test",
        "TestX",
        "test_",
        "x.rs",
        "src",
        "0x",
        "e",
        "T/Test",
        "... [",
        " characters truncated] ...",
        "é",
        "µs",
        "|",
        "https://",
        "127.0.0.1",
        "::1",
        "123e4567-e89b-12d3-a456-426614174000",
        "I/O",
        "*",
        "@",
        "#",
        "~",
    ]);
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

fn name() -> impl Strategy<Value = String> {
    "[g-z][g-z_]{3,12}[g-z]"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn normalising_twice_changes_nothing(text in pieces()) {
        let context = Context { cwd: Some("/w/p") };
        let once = fine_in(&text, &context);
        prop_assert_eq!(fine_in(&once, &context), once.clone());
        let once = fine(&text);
        prop_assert_eq!(fine(&once), once.clone());
        let once = coarse(&text);
        prop_assert_eq!(coarse(&once), once.clone());
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        let once = fine(&text);
        prop_assert_eq!(fine(&once), once.clone());
        prop_assert!(coarse(&once).len() <= LONGEST);
    }

    #[test]
    fn volatile_parts_never_matter(a in 0u32..100_000, b in 0u32..100_000, c in 0u32..60, d in 0u32..60) {
        let text = |n: u32, m: u32| format!(
            "2024-05-{:02} 10:11:{m:02} pid {n} src/a.rs:{n}:{m}: bad {n}ms in /tmp/x{n}/b, 0x{n:x} {n:07x}a{m:02}d, {n} bytes, ({n}/9)", 1 + m % 28
        );
        prop_assert_eq!(fine(&text(a, c)), fine(&text(b, d)));
    }

    #[test]
    fn the_object_always_matters(a in name(), b in name()) {
        prop_assume!(a != b);
        for text in ["--- FAIL: {}", "src/{}.rs:3:4: bad", "undefined: {}", "cannot find `{}`", "test {}::x ... FAILED", "/srv/{}/x"] {
            prop_assert_ne!(fine(&text.replace("{}", &a)), fine(&text.replace("{}", &b)));
        }
    }
}
