//! What two runs of a failure may differ in, what two failures must differ in, and what holds for any text.

use proptest::prelude::*;

use super::cursor::count;
use super::{Context, LONGEST, coarse, fine, fine_in};

#[test]
fn what_stands_beside_a_made_up_word_settles() {
    for text in [
        "x r_ZHe00qX3K9Q2M4N6P8R0S2[gw3] y",
        "port 8081.1p23Exi3Zf00dead152s d 4711",
        "00 \u{fffd}\u{fffd} #L18]21 r_ZHe00qX3K9Q2M4N6P8R0S2[gw3] #L12",
    ] {
        let once = fine(text);
        assert_eq!(fine(&once), once);
    }
}

/// A text longer than is read ends with a whole word, wherever the end of what is read falls.
#[test]
fn long_texts_are_read_to_a_whole_word() {
    for unit in ["/srv/app/x.py:12: ", "password=abc ", "x", "é ", "word \u{1b}[31m", "a\n"] {
        for shift in 0..unit.len() + 2 {
            let text = format!("{}{}", "-".repeat(shift), unit.repeat(20_000 / unit.len()));
            let once = fine(&text);
            assert!(once.len() <= LONGEST);
            assert_eq!(fine(&once), once, "{unit:?}");
            assert!(coarse(&text).len() <= LONGEST);
        }
    }
}

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
        (concat!("in /", "root/x/a.rs and /", "roots/a.rs"), "in ~/x/a.rs and /roots/a.rs"),
        ("C:\\Users\\ann\\x\\a.rs", "~\\x\\a.rs"),
        ("C:\\Users\\ann\\AppData\\Local\\Temp\\tmp1234\\a", "<tmp>\\a"),
        ("user_17080123456 is gone", "user_<n> is gone"),
        ("./src/a.rs is bad", "src/a.rs is bad"),
        ("#7 0.312 make: no rule", "#<n> make: no rule"),
        ("#12 ERROR: lost", "#<n> ERROR: lost"),
        ("Deck.java:[12,9] cannot find symbol", "Deck.java:[<n>,<n>] cannot find symbol"),
        ("rig.ts#L12-L18 and rig.go:3-19", "rig.ts#L<n> and rig.go:<n>"),
        ("[gw3] lost, [nio-8080-exec-1] too", "[<n>] lost, [<n>] too"),
        ("E0203 04:05:06.123456    812 watch.go:41] oil", "<time> watch.go:<n>] oil"),
        ("03.02.2026 04:05:06 oil", "<time> oil"),
        ("from 00:1a:2b:3c:4d:5e and [2001:db8::12]:80", "from <hex> and [<ip>]:<n>"),
        ("req_01HZX3K9Q2M4N6P8R0S2T4V6W8 lost", "<hex> lost"),
        ("pod lamp-7d9f8b6c5d-x2x9k is gone", "pod lamp-<hex> is gone"),
        ("/srv/w/9/src/a.rs and ~/w/tests/b.rs", "src/a.rs and tests/b.rs"),
        ("/proj/x/.venv/lib/python3.11/site-packages/lamp/a.py", "site-packages/lamp/a.py"),
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
        "ORA-00942: no table",
        "error TS2345 and E0308 and [E0308]",
        "HRESULT 0x80070005 and 0xC0000005",
        "/usr/src/app and /etc/lamp/main.conf",
        "https://example.test/a/src/b.rs",
        "std::a1 and fe::b and [py311]",
        "shouldParseUtf8AndIso8859AndMore stays",
        "#lamp and step #7",
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
        ("lost node_A8 and R23-M0-N4, core.2275", "lost <name> and <name>, <name>"),
        ("10.1.2.3:5050 answers on ib0", "<ip> answers on <name>"),
        ("Stack v6.1.7601.23505 in C:\\Windows\\sets\\a.dll", "Stack <name> in <path>"),
        ("src/a.c:3:4: error: no", "<path>: error: no"),
        ("E0308 and SQLSTATE[42P01] and Http2Error stay", "E0308 and SQLSTATE[42P01] and Http2Error stay"),
        ("got \"no such table here\", not 'a b c'", "got \"no such table here\", not <name>"),
    ];
    for (text, wanted) in cases {
        assert_eq!(coarse(text), wanted, "{text:?}");
    }
}

#[test]
fn log_lines_of_a_kind_share_their_coarse_form() {
    let groups: &[&[&str]] = &[
        &[
            "Stored block blk_-4411223344556677889 of size 4096 from /10.1.2.3",
            "Stored block blk_99887766554433221 of size 67108864 from /10.20.30.40",
        ],
        &[
            "10.1.2.3:50010:Lost a peer while sending blk_77665544 to /10.9.8.7:",
            "10.4.5.6:50010:Lost a peer while sending blk_-1234567 to /10.3.2.1:",
        ],
        &[
            "Rejected key for captain from 10.1.2.3 port 22 ssh2",
            "Rejected key for captain from 10.9.8.7 port 51022 ssh2",
        ],
        &["reap() found worker 6725 in board slot 10", "reap() found worker 81 in board slot 6"],
        &["Link lost for id 188978561024, my id = 1, error =", "Link lost for id 7, my id = 3, error ="],
        &["cache parity error corrected", "cache parity error corrected"],
        &[
            "rail: uid=0 euid=0 tty=ssh rhost=10.1.2.3 user=root",
            "rail: uid=12 euid=3 tty=ops rhost=deck.example user=ann",
        ],
        &[
            "Progress of task_1445062781_0011_m_000001_0 is : 0.13",
            "Progress of task_1445062781_0012_m_000007_1 is : 0.9",
        ],
        &["Kept block rdd_2_1 here", "Kept block rdd_42_17 here"],
        &["Running step 0.0 in stage 3.0 (TID 12)", "Running step 17.0 in stage 4.0 (TID 340)"],
        &["deck.example.test:5070 close, 451 bytes sent", "mast.example.test:443 close, 1022 bytes sent"],
        &[
            "Opened session 0x14f05578bd80018 with a limit of 10000 for /10.1.2.3:58913",
            "Opened session 0x1 with a limit of 40000 for /10.9.8.7:1",
        ],
        &["writing core.2275", "writing core.811"],
        &["CE sym 2, at 0x0b85eee0, mask 0x05", "CE sym 13, at 0x1438f9e0, mask 0x40"],
        &[
            "GET \"/v2/54fadb412c4e40cd/ships\" len: 1893 time: 0.2477829",
            "GET \"/v2/99adb412c4e40cd1/crew\" len: 12 time: 0.0001",
        ],
        &["sea.Deck$Watch@1b6d3586 has gone", "sea.Deck$Watch@4554617c has gone"],
    ];
    let forms: Vec<String> = groups.iter().map(|lines| coarse(lines.first().unwrap())).collect();
    for (lines, form) in groups.iter().zip(&forms) {
        for line in *lines {
            assert_eq!(&coarse(line), form, "{line}");
        }
    }
    for (at, form) in forms.iter().enumerate() {
        assert!(!forms[..at].contains(form), "{form}");
    }
}

/// What a hostile text may be made of: each was or could be read again and again.
const ROWS: &[&str] = &[
    "a ",
    "x",
    "12:",
    "/tmp/a1",
    "\u{1b}[",
    "0a1b2c3",
    "\r",
    "::",
    "1s",
    "(1/",
    "../",
    "2024-",
    "\u{e9}",
    "a:",
    "a::",
    "a.b",
    ".tmp.",
    "/src",
    "/a/",
    "~/a",
    "[a-1",
    "a_",
    "a-",
    "fe80::",
    "00:1a:",
    "#L1-L",
    "\"",
    "'a",
    "a=b",
    "a@1",
    "--a",
    "T/Test1",
    "E0203 ",
    "Jan 1 ",
    "1.2.",
    "https://a",
    "<n>",
    "=<",
    "127.0.0.1.",
    "aB1",
];

/// The bytes that normalising reads, a byte of the text.
fn visits(text: &str) -> f64 {
    count::take();
    assert!(fine(text).len() <= LONGEST && coarse(text).len() <= LONGEST);
    let template = super::template_of(fine(text));
    assert!(template.len() <= LONGEST);
    let visits = u32::try_from(count::take()).unwrap();
    f64::from(visits) / f64::from(u32::try_from(text.len()).unwrap())
}

#[test]
fn every_byte_is_read_a_bounded_number_of_times() {
    for row in ROWS {
        let [short, long] = [1 << 11, 1 << 13].map(|bytes| visits(&row.repeat(bytes / row.len())));
        assert!(short < 400.0 && long < 1.5 * short.max(40.0), "{row:?}: {short} and {long} times");
    }
}

#[test]
fn ten_megabytes_in_a_line_cost_what_is_kept_of_them() {
    for row in ["a ", "x", "12:", "\u{1b}[", "\r", "\"", "a:", "\u{1b}]"] {
        let times = visits(&row.repeat(10_000_000 / row.len()));
        assert!(times < 1.0, "{row:?}: {times}");
    }
}

/// Pieces whose every order must be survived: these, and what a hostile text may be made of.
fn pieces() -> impl Strategy<Value = String> {
    let plain = [
        "1",
        "12345",
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
        "\n",
        "\u{1b}[1m",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "<time>",
        "<path>",
        "=",
        "%",
        "ms",
        "kB",
        "line",
        "passed",
        "/home/",
        concat!("/", "root", "/"),
        "/w/p",
        "/var/folders/",
        "C:\\Users\\",
        "UTC",
        "AM",
        "x.rs",
        "0x",
        "... [",
        " characters truncated] ...",
        "µs",
        "123e4567-e89b-12d3-a456-426614174000",
        "~",
    ];
    let piece = prop::sample::select([&plain[..], ROWS].concat());
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
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
}
