//! Secrets of each family, what is near them and is none, and what holds for any text.

use std::borrow::Cow;

use proptest::prelude::*;

use super::bytes::steps_of;
use super::{landmark, redact, redact_printed, redact_value};

/// A body of the wanted length with digits and letters of either case: token-shaped, and nobody's.
fn body(length: usize) -> String {
    "a1B2c3D4e5F6g7H8".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "0a1b2c3d4e5f6789".chars().cycle().take(length).collect()
}

fn capitals(length: usize) -> String {
    "A1B2C3D4E5F6G7H8".chars().cycle().take(length).collect()
}

fn joined(parts: &[&str]) -> String {
    parts.concat()
}

#[test]
fn a_password_of_which_only_the_end_was_seen_is_taken_out_once() {
    let long = format!("dev:{}", ":a".repeat(4_000));
    let text = format!("{long}:hunter2@tcp(db:3306)/shop");
    let once = redact(&text);
    assert!(once.contains("[redacted:connection_string]@tcp("), "{once}");
    assert_eq!(redact(&once), once);
}

#[test]
fn what_the_context_calls_a_secret_goes_however_plain() {
    for (text, secret) in [
        ("x-pass: &db !!str cobalt5marble\n", "cobalt5marble"),
        ("DbConfig(url=jdbc:x, user=app, password=thunder, pool=5)", "thunder"),
        ("user\tplugin\tpassword\njane\tnative\tginger", "ginger"),
        ("│ User │ Password   │\n├──────┼────────────┤\n│ jane │ kettle5falcon │\n", "kettle5falcon"),
        ("chpasswd:\n  list: |\n    root:island4willow\n", "island4willow"),
        ("enable password forest\n", "forest"),
        ("wg set wg0 preshared-key <(echo 'm/5no/ApYMze23sSsH89cJU6xG=')", "m/5no/ApYMze23sSsH89cJU6xG"),
        ("nsupdate -y hmac-sha256:ddns:UcMYhIGXf1IO8Le28LOjCw0Yczbu=", "UcMYhIGXf1IO8Le28LOjCw0Yczbu"),
        ("new mysqli(\"db1\", \"app\", \"anchor9biscuit\", \"shop\")", "anchor9biscuit"),
        ("$ cat auth.txt\njane\npepper\nerror: it is wrong", "pepper"),
        ("$ terraform output admin_password\n\"goblin\"\n", "goblin"),
        ("pdftk in.pdf output out.pdf user_pw kettle007", "kettle007"),
        ("ab -n 10 -A jane:island41willow http://10.4.2.17/", "island41willow"),
        ("odoo-bin -d metrics -r odoo -w sparky2022x -i base", "sparky2022x"),
        ("neo4j-admin dbms set-initial-password ginger.4243", "ginger.4243"),
        ("cluster:\n  erlangCookie: QWNJSMBCVWZVVJDCRFJT\n", "QWNJSMBCVWZVVJDCRFJT"),
    ] {
        assert!(!redact(text).contains(secret), "{}", redact(text));
    }
    for text in ["$password = $_POST['password'];", "curl 'https://x.lan/list?page_token=&limit=50'"] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn tokens_known_by_their_beginning_go() {
    #[rustfmt::skip]
    let tokens = [
        ("aws_key", joined(&["AK", "IA", &capitals(16)])),
        ("google_key", joined(&["AI", "za", &body(35)])),
        ("github_token", joined(&["gh", "p_", &body(36)])),
        ("github_token", joined(&["github", "_pat_", &body(40)])),
        ("gitlab_token", joined(&["gl", "pat-", &body(20)])),
        ("slack_token", joined(&["xo", "xb-", "123456789012-", &body(24)])),
        ("slack_webhook", joined(&["hooks.slack", ".com/services/T0", &body(8), "/B0", &body(8), "/", &body(24)])),
        ("npm_token", joined(&["np", "m_", &body(36)])),
        ("pypi_token", joined(&["py", "pi-AgEI", &body(60)])),
        ("anthropic_key", joined(&["sk-", "ant-", "api03-", &body(80)])),
        ("openai_key", joined(&["sk-", "proj-", &body(48)])),
        ("openai_key", joined(&["sk", "-", &body(48)])),
        ("stripe_key", joined(&["sk_", "live_", &body(24)])),
        ("sendgrid_key", joined(&["S", "G.", &body(22), ".", &body(43)])),
        ("huggingface_token", joined(&["h", "f_", &body(34)])),
        ("twilio_key", joined(&["S", "K", &hex(32)])),
        ("jwt", joined(&["ey", "J", &body(20), ".ey", "J", &body(30), ".", &body(43)])),
    ];
    for (kind, token) in tokens {
        let text = format!("error: rejected {token}, try again");
        assert_eq!(redact(&text), format!("error: rejected [redacted:{kind}], try again"));
    }
}

#[test]
fn values_of_secret_names_go() {
    let cases = [
        ("DB_PASSWORD=hunter2 make", "DB_PASSWORD=[redacted:password] make"),
        ("export PGPASSWORD='s3 cret'", "export PGPASSWORD='[redacted:password]'"),
        (
            "{\"user\": \"ann\", \"password\": \"pa\\\"ss\"}",
            "{\"user\": \"ann\", \"password\": \"[redacted:password]\"}",
        ),
        ("{\\\"apiKey\\\": \\\"abcdef1\\\"}", "{\\\"apiKey\\\": \\\"[redacted:api_key]\\\"}"),
        ("password: hunter2\nport: 5432", "password: [redacted:password]\nport: 5432"),
        ("client_secret = \"xyzzyx\"", "client_secret = \"[redacted:secret]\""),
        ("GET /v1?access_token=abc123def456&page=2 failed", "GET /v1?access_token=[redacted:token]&page=2 failed"),
        (
            "Server=db;User Id=sa;Password=Pa55word;Encrypt=true",
            "Server=db;User Id=sa;Password=[redacted:password];Encrypt=true",
        ),
        ("AccountName=a;AccountKey=abcd/efgh+12==;Suffix=x", "AccountName=a;AccountKey=[redacted:api_key];Suffix=x"),
        ("//registry.example/:_authToken=0a1b2c3d-4e5f", "//registry.example/:_authToken=[redacted:token]"),
        ("token := \"abcd1234efgh\"", "token := \"[redacted:token]\""),
        ("'password' => 'hunter2',", "'password' => '[redacted:password]',"),
        ("API key: 0123456789abcdef0123", "API key: [redacted:api_key]"),
        ("SMTP_PASS=x9;", "SMTP_PASS=[redacted:password];"),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact(text), wanted);
    }
}

#[test]
fn flags_urls_and_headers_lose_their_secret_and_keep_the_rest() {
    let cases = [
        ("tool login --user ann --password hunter2", "tool login --user ann --password [redacted:password]"),
        ("tool --api-key 'abc def'", "tool --api-key '[redacted:api_key]'"),
        ("tool --token=abc12345", "tool --token=[redacted:token]"),
        ("curl -s -u ann:hunter2 https://x.example", "curl -s -u ann:[redacted:password] https://x.example"),
        ("mysql -uroot -phunter2 shop", "mysql -uroot -p[redacted:password] shop"),
        ("sshpass -p hunter2 ssh box", "sshpass -p [redacted:password] ssh box"),
        ("postgres://app:hunter2@db:5432/shop", "postgres://app:[redacted:connection_string]@db:5432/shop"),
        ("https://ann:p@ss@x.example/a", "https://ann:[redacted:url_credentials]@x.example/a"),
        ("-H 'Authorization: Bearer abc.def-123456'", "-H 'Authorization: Bearer [redacted:bearer]'"),
        ("authorization: Basic YW5uOmh1bnRlcg==", "authorization: Basic [redacted:authorization]"),
        ("sent Bearer 0123456789abcdefghij to host", "sent Bearer [redacted:bearer] to host"),
        ("-H \"Cookie: sid=abc; theme=dark\" -v", "-H \"Cookie: [redacted:cookie]\" -v"),
        ("< set-cookie: sid=abc; HttpOnly\r\n< x: y", "< set-cookie: [redacted:cookie]\r\n< x: y"),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact(text), wanted);
    }
}

#[test]
fn programs_take_secrets_by_place_and_flag() {
    let cases = [
        ("htpasswd -b -c .htpasswd shop A7NhqTkv.B", "htpasswd -b -c .htpasswd shop [redacted:password]"),
        ("net user shop vSnsxb8X=g /add", "net user shop [redacted:password] /add"),
        ("openssl pkcs12 -passin pass:!a1 -out x", "openssl pkcs12 -passin pass:[redacted:password] -out x"),
        ("zip -P =a1b2 -r x.zip y && curl -p 80 z", "zip -P [redacted:password] -r x.zip y && curl -p 80 z"),
        ("echo '$aB1' | sudo -S id", "echo '[redacted:password]' | sudo -S id"),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact(text), wanted);
    }
}

#[test]
fn what_stands_below_its_name_goes_though_it_is_a_word() {
    let cases = [
        ("Enter your API key:\n\nmarigoldtrain\nPress enter", "Enter your API key:\n\n[redacted:api_key]\nPress enter"),
        ("The initial admin password is\nmarigoldtrain\nx", "The initial admin password is\n[redacted:password]\nx"),
        ("AWS_SECRET_ACCESS_KEY\nmarigoldtrain\nx", "AWS_SECRET_ACCESS_KEY\n[redacted:api_key]\nx"),
        ("secret_key = [\n  '8f14e45fceea167a5a36dedd4bea2543'\n]", "secret_key = [\n  '[redacted:api_key]'\n]"),
        ("ALTER USER app IDENTIFIED BY\n'tigerbalm42'", "ALTER USER app IDENTIFIED BY\n'[redacted:password]'"),
        ("wmiexec -hashes :e7561475c310febfef9cd6f2c1ba6f9c corp", "wmiexec -hashes [redacted:password] corp"),
        (
            "iscsiadm --name node.session.auth.password --value mN4bX2ILLJBTbwxy",
            "iscsiadm --name node.session.auth.password --value [redacted:password]",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact(text), wanted);
    }
    for open in [
        "Enter your API key:\nauthentication\n",
        "AWS_SECRET_ACCESS_KEY\nAWS_SESSION_NAME\nx",
        "missing: DB_PASSWORD\nconfiguration",
        "rake 'secret:rotate'",
        "ffmpeg -pass 1 -i a.mp4",
        "password: ((vault.db_password))",
        "token:\n  kubernetes: x",
    ] {
        assert_eq!(redact(open), open);
    }
}

#[test]
fn phrases_that_sign_and_what_a_sentence_says_first_go() {
    let cases = [
        ("jwt.signing.phrase=N3c74r&47\njwt.ttl=3600", "jwt.signing.phrase=[redacted:api_key]\njwt.ttl=3600"),
        ("JWT_SIGNING_PHRASE: Walnut7meadow", "JWT_SIGNING_PHRASE: [redacted:api_key]"),
        ("use Walnut7meadow as the password.", "use [redacted:password] as the password."),
        ("set 'tulip walnut meadow' as your passphrase for it", "set '[redacted:password]' as your passphrase for it"),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact(text), wanted);
    }
    for open in [
        "phrase=Walnut7meadow",
        "search.phrase=Walnut7meadow",
        "use argon2id as the password hash",
        "use your email as the password",
        "see utf8.rs as a password-free example",
        "pass DB_PASSWORD as the password",
    ] {
        assert_eq!(redact(open), open);
    }
}

#[test]
fn what_is_behind_the_label_of_a_password_goes_whatever_it_looks_like() {
    let labels = [
        "password: X",
        "  password: X",
        "+password: X",
        "Generated password: X",
        "ann@box's password: X",
        "senha: X",
        "jelsz\u{f3}: X",
        "password = X",
        "{\"password\": \"X\"}",
        "tool --password 'X' go",
        "DB_PASSWORD='X' make",
        "expect \"password:\"; send \"X\\r\"",
    ];
    let values =
        ["gopherquartz", "GopherQuartz", "Harbour marble 19!", "harbour otter dahlia", "Xyl_8gobl._", "do7taj9"];
    for (label, value) in labels.iter().flat_map(|label| values.map(|value| (label, value))) {
        let text = label.replace('X', value);
        assert!(!redact(&text).contains(value), "{text}");
    }
    let words = [
        "auth: {password: X}",
        "tool --senha=X",
        "tool --mot-de-passe X",
        "plink -pw X ann@box",
        "mount -o username=ann,password=X,vers=3.0 //n /m",
        "machine h\nlogin ann\npassword X\n",
        "redis-cli CONFIG SET requirepass X",
        "redis-cli ACL SETUSER app on '>X' '~*'",
        "&{Host:db User:ann Password:X Port:5432}",
        "{default_pass,<<\"X\">>}",
        "ENV DATABASE_PASSWORD X",
        "The admin password has been set to X",
        "cvs -d :pserver:ann:X@cvs:/r login",
        "fly secrets set MAILER=X --app shop",
        "rdesktop -u ann -p X host",
        "rpcclient -U ann%X dc1",
        "curl -sSfu ann:X https://h.example",
        "smtp.login('ann', 'X')",
        "new PDO(\"mysql:host=db\",\"ann\",\"X\")",
        "SET PASSWORD FOR 'ann'@'%' = PASSWORD('X')",
        "a1 LOGIN ann X",
        "  [user] => ann\n  [password] => X\n",
        "account mail\nuser ann\npassword X",
        "name     | ann\npassword | X",
        "{\"passwords\": [\"X\"]}",
        "{\"password\": \"+X\"}",
        "1) \"requirepass\"\n2) \"X\"",
        "PASS = \"X\"",
        "Your password has been reset to: X",
        "Initial login: ann / X",
        "heslo: X",
        "La contrase\u{f1}a temporal es: X",
        "Palavra-passe: X",
        "javax.naming.security.credentials=X",
        "crudini --set F S password X",
        "cf set-env shop DB_PASS X",
        "reg add K /v Password /d X",
        "mysqladmin -u root password 'X'",
        "fill_in 'Password', with: 'X'",
        "PasswordCredentials [username: ann, password: X]",
        "pdftotext -upw X a.pdf",
        "\u{41b}\u{43e}\u{437}\u{438}\u{43d}\u{43a}\u{430}: X",
    ];
    for (label, value) in words.iter().flat_map(|label| ["gopherquartz", "GopherQuartz"].map(|value| (label, value))) {
        let text = label.replace('X', value);
        assert!(!redact(&text).contains(value), "{text}");
    }
}

#[test]
fn what_looks_random_goes_where_something_takes_or_names_it() {
    let value = "hR4k9TzW2bQx7Lm3Vc8NpD5s";
    for text in [
        "read -r TOKEN <<< X",
        "echo X | deliver --from-stdin",
        "{\"api_keys\": [\"X\", \"X\"]}",
        "{\"oauth\": {\"git.example\": \"X\"}}",
        "password: ${MAIL_PW:X}",
        "export DEPLOY_TOK=X",
        "const key = process.env.API_KEY || 'X'",
        "untrusted comment: secret key\nXXX",
        "Access token\nX\n",
        "Your new API key is: X\nStore it now.",
        "csrf_token -> X",
        "signature mismatch: secret used X",
        "secrets:\n  cookie: X\n  csrf: x",
        "enter this setup key: X",
        "pepper: 'X'",
        "variable:create --sensitive true --value X",
        "$ cat ipsec.secrets\n# of the box\nann : EAP \"X\"",
        "ops:X@mail.example refused",
        "\u{a0}API \u{5bc6}\u{94a5}: X",
    ] {
        let text = text.replace('X', value);
        assert!(!redact(&text).contains(value), "{text}");
    }
}

#[test]
fn what_is_said_of_a_password_stays() {
    for ordinary in [
        "PASS: tests/walk_12.sh",
        "that extraction might obscure meaning",
        "password: ${DB_PASSWORD:?not set}",
        "python -u train.py -p resnet",
        "connect(signal, \"clicked\", \"pressed\")",
        "npm ERR! peer walk:lib@4.2.0",
        "password: string",
        "  password: SecretString,",
        "password: Zeroizing;",
        "Password: Login incorrect",
        "error: password: cannot be blank",
        "password: too short (minimum is 8 characters)",
        "contraseña: incorrecta",
        "password = getpass.getpass()",
        "pwd = os.getcwd()",
        "  valid_hashed_pass = hmac.HMAC(",
        "passwd:         files systemd",
        "{ email: email, password: hashedPassword }",
        "your password is compromised",
        "| DB_PASSWORD | required | the database password |",
        "gpg:                using RSA key 3FEF9748469ADBE15DA7CA80AC2D62742012EA22",
        "config:set NODE_ENV=production REGION=us-east-1",
        "cargo publish -p harbour-core",
        "SHA256:9f8Yc3QkLr2Wv7TxZb5Nn1Mm4Pp6Ss0AaDd is the fingerprint",
        "toolu_01A2b3C4d5E6f7G8h9J0k1L2 failed",
        "the password is alphanumeric",
        "the password is insufficiently complex",
        "error: password is case-sensitive",
        "Das Passwort ist erforderlich",
        "la contrase\u{f1}a es demasiado corta",
        "log(\"password:\", \"ok\")",
        "log(\"password:\", password)",
        "npm ERR! peer walk:librarywidget@sha256:1",
        "  stats auth enabled",
        "reg add K /v Port /d 8080",
        "secrets:\n  db_password:\n    file: ./db_password.txt",
        "credentials:\n  name: prod-db-readonly-2024",
        "this setup key: see docs",
        "token -> Option<String>",
    ] {
        assert_eq!(redact(ordinary), ordinary);
    }
}

#[test]
fn keys_and_tokens_of_unknown_issuers_go() {
    let random = "Atiw7Wzw7KtDj4zCyDJH";
    let long = "JLIjzIxAUHAtYRPzGM5YUYKNT8bbV7sn";
    for (text, secret) in [
        (format!("refused: tr_prod_{random} now"), random),
        (format!("s.{random} expired"), random),
        (format!("api: {long}\n"), long),
        (format!("\"sid\": \"{long}\""), long),
        (format!("heroku config:set STRIPE_SIGNING={long} DEBUG=1"), long),
        ("Backup codes:\n1. 3493 8079\n".to_owned(), "3493 8079"),
        ("Recovery key: ZVVF 7Y3Y IP7I GCRA\n".to_owned(), "7Y3Y IP7I"),
        ("Password:\n  634539-684141-812967-670512\n".to_owned(), "634539-684141"),
        (format!("(0) 0x{}\n", hex(64)), &hex(64)),
        (format!("String HMAC = \"{}\";", hex(32)), &hex(32)),
        (format!("CLIENT_RANDOM {} {}", hex(64), "e1".repeat(48)), &"e1".repeat(48)),
        (format!("-----BEGIN OpenVPN Static key V1-----\n{}\n-----END OpenVPN Static key V1-----", hex(32)), &hex(32)),
    ] {
        assert!(!redact(&text).contains(secret), "{text}");
    }
}

#[test]
fn the_kind_in_a_mark_is_no_name() {
    let once = "DB_PASSWORD=[redacted:password] :ju7x2b9q";
    assert_eq!(redact(once), once);
}

#[test]
fn signs_outside_ascii_end_a_word() {
    let token = joined(&["gh", "p_", &body(36)]);
    for (before, after) in [("“", "”"), ("…", "…"), ("→", "é"), ("令牌", "。")] {
        assert_eq!(redact(&format!("{before}{token}{after}")), format!("{before}[redacted:github_token]{after}"));
    }
}

#[test]
fn a_token_in_place_of_a_user_goes_too() {
    let token = joined(&["gh", "o_", &body(36)]);
    let text = format!("fatal: https://{token}:x-oauth-basic@host/a.git");
    assert_eq!(redact(&text), "fatal: https://[redacted:github_token]:[redacted:url_credentials]@host/a.git");
}

fn block(lines: usize) -> String {
    let body: String = (0..lines).map(|_| body(64) + "\n").collect();
    joined(&["-----BEGIN RSA PRIV", "ATE KEY-----\n", &body, "aB3=\n-----END RSA PRIV", "ATE KEY-----"])
}

#[test]
fn private_keys_go_whole_and_cut() {
    let whole = block(3);
    assert_eq!(redact(&format!("key:\n{whole}\nbad")), "key:\n[redacted:private_key]\nbad");
    let escaped = whole.replace('\n', "\\n");
    assert_eq!(redact(&format!("{{\"k\":\"{escaped}\"}}")), "{\"k\":\"[redacted:private_key]\"}");
    let begun: String = whole.lines().take(3).map(|line| line.to_owned() + "\n").collect();
    assert_eq!(redact(&format!("{begun}error: cut\n")), "[redacted:private_key]\nerror: cut\n");
    let ended: String = whole.lines().skip(2).map(|line| line.to_owned() + "\n").collect();
    assert_eq!(redact(&format!("reading key\n{ended}done")), "reading key\n[redacted:private_key]\ndone");
}

#[test]
fn a_token_split_by_the_truncation_mark_goes_on_both_sides() {
    let text = joined(&["token gh", "p_a1B2c3", "\n\n... [4295 characters truncated] ...\n\n", "d4E5f6 end"]);
    let wanted = "token [redacted:github_token]\n\n... [4295 characters truncated] ...\n\n[redacted:github_token] end";
    assert_eq!(redact(&text), wanted);
}

#[test]
fn what_is_left_of_a_token_beside_a_cut_goes() {
    let mark = "\n\n... [4295 characters truncated] ...\n\n";
    let text = format!("beginning{mark}{} end", body(16));
    assert_eq!(redact(&text), format!("beginning{mark}[redacted:cut_secret] end"));
    let text = format!("x-id: {}{mark}(end)", body(16));
    assert_eq!(redact(&text), format!("x-id: [redacted:cut_secret]{mark}(end)"));
    for ordinary in ["AssertionError: 3", "src/parser_test.rs:12", "node_modules", "someFunctionName(a)"] {
        let text = format!("{ordinary}{mark}{ordinary}");
        assert_eq!(redact(&text), text);
    }
}

#[test]
fn the_password_of_a_netrc_entry_goes() {
    let text = "machine git.example login ann password hunter2x\nmachine b";
    assert_eq!(redact(text), "machine git.example login ann password [redacted:password]\nmachine b");
    for ordinary in ["machine learning login page password reset", "machine x login y password $P"] {
        assert_eq!(redact(ordinary).contains("[redacted"), ordinary.ends_with("reset"), "{ordinary}");
    }
}

#[test]
fn values_are_judged_by_their_names() {
    assert_eq!(redact_value("password", "correct horse \"battery\" staple 1"), "[redacted:password]");
    assert_eq!(redact_value("note", "correct horse"), "correct horse");
    assert_eq!(redact_value("", "x"), "x");
    assert_eq!(redact_value("token", "$TOKEN"), "$TOKEN");
}

#[test]
fn colours_hide_no_token() {
    let token = joined(&["\u{1b}[31mgh", "p_\u{1b}[m", &body(36)]);
    assert_eq!(redact_printed(&token), "[redacted:github_token]");
}

#[test]
fn what_only_looks_like_a_secret_stays_and_is_borrowed() {
    let commit = hex(40);
    let texts = [
        format!("HEAD is now at {commit} fix"),
        format!("expected: {commit}\n  actual: \"{commit}\"\n-head = {commit}\n+zh: {commit}"),
        format!("image: {commit}\ncache key: {commit}\nresolved = '{commit}'\nnonce={commit}"),
        "id 123e4567-e89b-12d3-a456-426614174000 not found".to_owned(),
        "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA\"".to_owned(),
        "integrity sha512-a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8==".to_owned(),
        "FATAL: password authentication failed for user ann".to_owned(),
        "Password: must be at least 8 characters".to_owned(),
        "{\"errors\":{\"password\":\"is too short\",\"token\":\"string\"}}".to_owned(),
        "DB_PASSWORD=$DB_PASSWORD TOKEN=${{ secrets.TOKEN }} run".to_owned(),
        "password=<your password> secret=*** api_key=".to_owned(),
        "password_file=/run/secrets/db TOKEN=/etc/token".to_owned(),
        "the --token flag and --password to set it, --password <PASSWORD>".to_owned(),
        "SyntaxError: Unexpected token: punc (;)".to_owned(),
        "docker run -u 1000:1000 -p 8080:80 image".to_owned(),
        "const token = request.headers.token; login(user, password=password)".to_owned(),
        "token::Parser == token, if password == \"x\"".to_owned(),
        "PWD=/srv/app OLDPWD=/srv".to_owned(),
        "max_tokens: 4096, tokens=12 bypass: true tests_pass: 5".to_owned(),
        "www-authenticate: Bearer realm=\"registry.example\"".to_owned(),
        "error at http://localhost:3000/a@b, ssh git@host:a/b.git".to_owned(),
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----".to_owned(),
        "npm_config_registry sk-learn sk_test AKIA AIza pypi-server".to_owned(),
        "  password: string;\n  password: String,\n  token: Option<String>,".to_owned(),
        "secret: db-credentials not found".to_owned(),
        "example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...'".to_owned(),
        "session_id=test-session-1 privateKey: Uint8Array;".to_owned(),
    ];
    for text in texts {
        assert!(matches!(redact(&text), Cow::Borrowed(_)), "{text:?} became {:?}", redact(&text));
    }
}

/// Every landmark and every sign of a shell's grammar, repeated: four times the text, four times the walks, and no more of
/// them than so many a byte.
#[test]
fn hostile_lengths_cost_their_length() {
    let rows = [
        "token=$",
        "eyJ-",
        "AIza-",
        "cookie: a=$",
        "--token '$",
        ",-p$",
        "A1\\n",
        "-----END PRIVATE KEY-----\n",
        "a://b:$",
        "Authorization: ",
        "curl -u ",
        "echo x|",
        "echo x ",
        "echo \"",
        "printf '",
        "a|",
        "a;",
        "a&&",
        "$(",
        "`",
        "\\\n",
        "cat <<x\n",
        "x <<<y ",
        "[[ ",
        "2>&1 ",
        "password | ",
        "\"password\", ",
        "<password ",
        "USER  TOKEN  ",
        "aaaaaaaaaa.atlasv1.",
    ];
    let landmarks = landmark::words().flat_map(|word| [word.to_owned(), format!("{word} "), format!("{word}x\n")]);
    let costs = |row: String| {
        let steps = |bytes: usize| {
            let text = "mysql ".to_owned() + &row.repeat(bytes / row.len());
            steps_of(|| assert!(redact(&text).len() <= text.len() * 8, "{row:?}"))
        };
        let (short, long) = (steps(4_000), steps(16_000));
        (long > short * 6 + 64_000 || long > 16_000 * 1_200).then(|| format!("{row:?}: {short} and {long} steps"))
    };
    let dear: Vec<String> = rows.into_iter().map(str::to_owned).chain(landmarks).filter_map(costs).collect();
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}

/// Pieces whose every order must be survived: openings, separators, values and marks.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "password",
        "DB_PASSWORD",
        "token",
        "api_key",
        "Authorization",
        "Cookie",
        "Bearer ",
        "Basic ",
        ":",
        "=",
        ": ",
        " = ",
        "\"",
        "'",
        "\\\"",
        "\\n",
        "\n",
        " ",
        "--password ",
        "curl ",
        "-u ",
        "mysql -p",
        "https://",
        "postgres://",
        "@",
        "/",
        "hunter2",
        "a1B2c3D4e5F6g7H8a1B2c3D4",
        "0123456789abcdef",
        "$X",
        "<x>",
        "***",
        ";",
        "&",
        ",",
        "(",
        ")",
        "[",
        "]",
        "[redacted:token]",
        "... [12 characters truncated] ...",
        "\n\n... [12 characters truncated] ...\n\n",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "ghp_",
        "sk-",
        "eyJ",
        ".",
        "-",
        "AKIA",
        "A1B2C3D4E5F6G7H8",
        "é",
        "12345678:AA",
        "string",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn redacting_twice_changes_nothing(text in pieces()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn a_planted_token_never_stays(before in pieces(), after in pieces()) {
        let token = joined(&["gh", "p_", &body(36)]);
        let text = format!("{before} {token} {after}");
        prop_assert!(!redact(&text).contains(&token));
    }
}

/// Passwords that people choose, behind names that are known, in the shapes in which code stands, too; and what stands on
/// another line, in another's words, or is typed once. `X` is the secret.
#[test]
fn a_chosen_word_is_a_secret_wherever_its_name_says_so() {
    let chosen = [
        "Server=db1;User ID=sa;Password=X;Database=x",
        "Config(user='ana', password=X)",
        "User{name=ana, password=X}",
        "db: { user: app, password: X, host: db1 }",
        "password: X, user: ana",
        "password = X",
        "DB_PASSWORD: X",
        "mot de passe : X",
        "senha: X",
        "PWD=X",
        "root password was set to 'X'",
        "a:1:{s:8:\"password\";s:9:\"X\";}",
        "password: Optional(\"X\")",
        "auth { password { value: \"X\" } }",
        "Content-Disposition: form-data; name=\"password\"\r\n\r\nX\r\n--b--",
        "passwd ana <<EOF\nX\nX\nEOF",
    ];
    for form in chosen {
        for value in ["Tarnwolke83", "tarnwolke83", "Tarn.Wolke83", "Tarn_Wolke83"] {
            let text = form.replace('X', value);
            if form.contains("PWD") && value.contains('.') {
                continue;
            }
            assert!(!redact_printed(&text).contains(value), "{text}: {}", redact_printed(&text));
        }
    }
    for form in [
        "{user: ana, password: X, host: db1}",
        "User ID=sa;Password=X;Database=x",
        "senha: X",
        "пароль: X",
        "PWD=X",
        "the password for staging is X, as before",
        "Das Passwort f\u{fc}r den Testserver lautet X",
        "la contrase\u{f1}a es X para el usuario ana",
        "the pass is X",
        "The admin password: X (change it)",
        "login ann, password X",
        "sftp ann:X@h",
        "log(\"password:\", \"X\")",
        "  stats auth admin:X",
    ] {
        let text = form.replace('X', "gopherquartz");
        assert!(!redact_printed(&text).contains("gopherquartz"), "{text}: {}", redact_printed(&text));
    }
    let token = body(40);
    for form in [
        "API_KEY=X\n2c038759b749f01a758bc4c9\nerror: bad key",
        "api_key = \"\"\"\nX\n\"\"\"",
        "[\"token\":protected]=>\n  string(40) \"X\"",
        "[token:protected] => X",
        "\"User name\",\"Secret access key\"\n\"ana\",\"X\"",
        "assert cfg.api_key == 'X'",
        "https://app.example.net/reset-password/X",
        "https://app.example.net/invite?t=X",
    ] {
        let text = form.replace('X', &token);
        let clean = redact_printed(&text).into_owned();
        assert!(!clean.contains(&token) && !clean.contains("2c038759b749"), "{text}: {clean}");
    }
    for text in
        ["npm publish --otp=623526", "{\"otp\":\"623526\"}", "Your verification code is 623526", "Enter PIN: 623526"]
    {
        assert!(!redact_printed(text).contains("623526"), "{text}");
    }
    let codes = "Backup codes (keep them safe):\n9092 5637\n3152 9720\nerror: could not save";
    assert_eq!(redact_printed(codes).matches("[redacted").count(), 2, "{}", redact_printed(codes));
}

#[test]
fn code_and_prose_behind_such_names_stay() {
    for text in [
        "  password: string;",
        "password: userPassword1, salt",
        "connect(user=user, password=password2)",
        "{ user: string, password: string, host: string }",
        "password = self.cleaned_data[\"password\"]",
        "token: Token2;",
        "password = config.db.password2",
        "password: SecretString256,",
        "senha: incorreta",
        "PWD=/home/ana/src/app",
        "GPIO pin: 27",
        "spin=1000",
        "exit code: 137",
        "/home/ana/key/readme.md",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\n1a410efbd13591db07496601ebc7a059dd55cfe9",
    ] {
        assert_eq!(redact_printed(text), text);
    }
}

#[test]
fn what_tools_put_around_a_text_hides_no_secret() {
    for (text, secret) in [
        ("conf/app.yml:12:  password: sunflower", "sunflower"),
        ("db-1  | password: sunflower", "sunflower"),
        ("2026-11-27T10:00:00.123Z admin password: sunflower", "sunflower"),
        ("[INFO] Password: sunflower", "sunflower"),
        ("# Password: sunflower", "sunflower"),
        ("12:machine git.example\n13:login jane\n14:password sunflower", "sunflower"),
        ("Command '['curl', '-u', 'jane:tiger7harbor', 'https://x.example']' returned", "tiger7harbor"),
        ("{\"args\": [\"redis-cli\", \"-a\", \"tiger7harbor\", \"ping\"]}", "tiger7harbor"),
        ("    args:\n    - --requirepass\n    - tiger7harbor", "tiger7harbor"),
        ("<failure>{&quot;password&quot;:&quot;tiger7harbor&quot;}</failure>", "tiger7harbor"),
        ("body=user%3Djane%26password%3Dtiger7harbor", "tiger7harbor"),
        ("{\\u0022password\\u0022:\\u0022tiger7harbor\\u0022}", "tiger7harbor"),
        ("bash -c 'echo '\"'\"'jane:tiger7harbor'\"'\"' | sudo chpasswd'", "tiger7harbor"),
        ("twine upload \\\n  -u jane \\\n  -p tiger7harbor dist/*", "tiger7harbor"),
        ("out=$(gcloud sql users set-password root --password=feather); echo", "feather"),
        ("sed -i 's/password: .*/password: sunflower/' values.yaml", "sunflower"),
    ] {
        let once = redact(text);
        assert!(!once.contains(secret), "{once}");
        assert_eq!(redact(&once), once);
    }
    let sentence = "error: command `rabbitmqctl add_user worker marble` exited with 1";
    assert_eq!(redact(sentence), sentence.replace("marble", "[redacted:password]"));
}
