//! Failures that are really built in scratch folders with real tools: a plan is asked for with what really was printed, its
//! first strategy is executed literally, and the goal is looked at. A failure whose tool is not on this machine is left out,
//! which the end of the test tells.

#![cfg(all(unix, feature = "cli"))]
#![expect(clippy::disallowed_methods, reason = "tests start programs and make folders")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

mod executor;

use std::collections::BTreeSet;
use std::path::Path;

use executor::{Bash, Scene};
use serde_json::{Value, json};

/// A failure: how its folder is made, the call that fails, and what is to hold when the plan was followed.
struct Failure {
    name: &'static str,
    /// Programs that must be there.
    needs: &'static [&'static str],
    /// Lines that make the folder.
    scene: &'static str,
    /// The call that fails.
    call: Call,
    /// A line that passes once the goal is reached, in the same folder; what the plan's steps printed is in `$PRINTED`.
    goal: &'static str,
    /// Whether the plan can only look or ask, and the goal is that it looks at the right place.
    looks: bool,
}

enum Call {
    Shell(&'static str),
    /// A command with a limit in milliseconds, at which the client ends it.
    Limited(&'static str, u64),
    Read(&'static str),
    Edit(&'static str, &'static str, &'static str),
    /// An edit of a file that was not read before.
    Unread(&'static str, &'static str, &'static str),
    Other(&'static str, &'static str),
}

const fn shell(
    name: &'static str,
    needs: &'static [&'static str],
    scene: &'static str,
    line: &'static str,
    goal: &'static str,
) -> Failure {
    Failure { name, needs, scene, call: Call::Shell(line), goal, looks: false }
}

const fn tool(name: &'static str, scene: &'static str, call: Call, goal: &'static str) -> Failure {
    Failure { name, needs: &[], scene, call, goal, looks: false }
}

const fn looking(mut failure: Failure) -> Failure {
    failure.looks = true;
    failure
}

const GIT: &str = "git init -q -b main . && git config user.name t && git config user.email t@example.com && echo one > a.txt && git add a.txt && git commit -qm one";

#[rustfmt::skip]
const FAILURES: &[Failure] = &[
    // command_not_found
    shell("a program of node_modules", &[], "mkdir -p node_modules/.bin && printf '#!/bin/sh\\necho built \"$@\" > out\\n' > node_modules/.bin/bundleit && chmod +x node_modules/.bin/bundleit && echo '{}' > package.json", "bundleit --all", "grep -q 'built --all' out"),
    shell("a program of .venv", &[], "mkdir -p .venv/bin && printf '#!/bin/sh\\necho ok > out\\n' > .venv/bin/checkit && chmod +x .venv/bin/checkit", "checkit", "test -s out"),
    shell("a program of .venv that make looks for", &["make"], "mkdir -p .venv/bin && printf '#!/bin/sh\\necho ok > out\\n' > .venv/bin/checkit && chmod +x .venv/bin/checkit && printf 'check:\\n\\tcheckit\\n' > Makefile", "make check", "test -s out"),
    shell("letters that changed places", &["git"], GIT, "gti log --oneline", "printf %s \"$PRINTED\" | grep -q one"),
    shell("python by its other name", &["python3"], "if command -v python; then exit 77; fi; echo 'open(\"out\",\"w\").write(\"x\")' > a.py", "python a.py", "test -s out"),
    shell("a script of the folder without its path", &[], "mkdir scripts && printf '#!/bin/sh\\necho ran > out\\n' > scripts/releaseit && chmod +x scripts/releaseit", "releaseit", "test -s out"),
    // permission_denied
    shell("a script without the right to run", &[], "printf '#!/bin/sh\\necho ran > out\\n' > go.sh", "./go.sh", "test -s out && test ! -x go.sh"),
    shell("a script of Python without the right to run", &["python3"], "printf '#!/usr/bin/env python3\\nopen(\"out\",\"w\").write(\"x\")\\n' > tool", "./tool", "test -s out"),
    // path_not_found
    shell("a letter of a path", &[], "mkdir src && echo hello > src/main.rs && echo x > src/lib.rs", "cat src/mian.rs", "printf %s \"$PRINTED\" | grep -q hello"),
    shell("a file in another folder", &[], "mkdir -p config && echo 'a: 1' > config/settings.yaml", "grep a settings.yaml", "printf %s \"$PRINTED\" | grep -q 'a: 1'"),
    tool("a file that the tool does not find", "mkdir -p conf && echo secretless > conf/app.toml", Call::Read("app.toml"), "printf %s \"$PRINTED\" | grep -q secretless"),
    shell("a folder that is not there to write into", &[], "true", "echo done > logs/today/run.txt", "grep -q done logs/today/run.txt"),
    shell("a folder of another name", &[], "mkdir frontend && echo x > frontend/index.html", "cd frontned && cat index.html > ../out", "grep -q x out"),
    shell("a script in another folder", &["python3"], "mkdir -p tools && echo 'open(\"out\",\"w\").write(\"x\")' > tools/gen.py", "python3 gen.py", "test -s out"),
    // the manifest in another folder
    shell("the Makefile below", &["make"], "mkdir -p services/app && printf 'test:\\n\\techo passed > ok\\n' > services/app/Makefile", "make test", "test -s services/app/ok"),
    shell("the package below", &["npm"], "mkdir web && echo '{\"name\":\"w\",\"version\":\"1.0.0\",\"scripts\":{\"hello\":\"echo hi > out\"}}' > web/package.json", "npm run hello", "test -s web/out"),
    shell("the crate below", &["cargo"], "mkdir -p crates/a/src && printf '[package]\\nname = \"a\"\\nversion = \"0.1.0\"\\nedition = \"2021\"\\n' > crates/a/Cargo.toml && echo 'fn main() {}' > crates/a/src/main.rs", "cargo metadata --offline --no-deps --format-version 1", "printf %s \"$PRINTED\" | grep -q crates/a"),
    shell("the repository below", &["git"], "mkdir repo && cd repo && git init -q -b main . && git config user.name t && git config user.email t@example.com && git commit -q --allow-empty -m first", "git log --oneline", "printf %s \"$PRINTED\" | grep -q first"),
    shell("the module below", &["go"], "mkdir svc && cd svc && printf 'module svc\\n\\ngo 1.20\\n' > go.mod && printf 'package main\\n\\nfunc main() {}\\n' > main.go", "go build -o out .", "test -e svc/out"),
    // bad_arguments, config_or_state: names
    shell("a script of package.json", &["npm"], "echo '{\"name\":\"w\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"echo t > out\",\"build\":\"true\"}}' > package.json", "npm run tset", "test -s out"),
    shell("a target of a Makefile", &["make"], "printf 'build:\\n\\techo b > out\\n\\nlint:\\n\\ttrue\\n' > Makefile", "make biuld", "test -s out"),
    shell("an option of grep", &["grep"], "echo hello > a.txt", "grep --line-nubmer hello a.txt", "printf %s \"$PRINTED\" | grep -q hello"),
    shell("an option of sort", &["sort"], "printf '10\n9\n' > n.txt", "sort --numeric-srot n.txt", "test \"$(printf %s \"$PRINTED\" | head -1)\" = 9"),
    shell("a subcommand of git", &["git"], GIT, "git stauts --short --branch", "printf %s \"$PRINTED\" | grep -q main"),
    shell("a subcommand of cargo", &["cargo"], "mkdir src && printf '[package]\\nname = \"a\"\\nversion = \"0.1.0\"\\nedition = \"2021\"\\n' > Cargo.toml && echo 'fn main() {}' > src/main.rs", "cargo biuld --offline", "test -e target/debug/a"),
    shell("an option of cargo", &["cargo"], "mkdir src && printf '[package]\\nname = \"a\"\\nversion = \"0.1.0\"\\nedition = \"2021\"\\n' > Cargo.toml && echo 'fn main() {}' > src/main.rs", "cargo check --ofline", "test -d target"),
    shell("a choice of a Python program", &["python3"], "printf 'import argparse\\np=argparse.ArgumentParser()\\np.add_argument(\"--mode\",choices=[\"fast\",\"slow\"])\\nprint(p.parse_args().mode)\\n' > cli.py", "python3 cli.py --mode fats", "printf %s \"$PRINTED\" | grep -q fast"),
    tool("a folder that is read as a file", "mkdir sub && echo x > sub/inside.txt", Call::Read("sub"), "printf %s \"$PRINTED\" | grep -q inside.txt"),
    shell("a folder that is shown as a file", &[], "mkdir sub && echo x > sub/inside.txt", "cat sub", "printf %s \"$PRINTED\" | grep -q inside.txt"),
    shell("an archive that is not compressed", &["tar"], "echo x > inner.txt && tar -cf data.tar.gz inner.txt && rm inner.txt", "tar -xzf data.tar.gz", "test -s inner.txt"),
    shell("a tar that is called a zip", &["tar", "unzip"], "echo x > inner.txt && tar -czf data.tar.gz inner.txt && rm inner.txt", "unzip data.tar.gz", "test -s inner.txt"),
    shell("a script of bash run by Python", &["python3"], "printf '#!/bin/bash\\nset -e\\necho ran > out\\n' > run", "python3 run", "test -s out"),
    shell("a script of bash run by sh", &["bash", "dash"], "printf '#!/bin/bash\\nitems=(a b)\\necho ${#items[@]} > out\\n' > count", "dash count", "grep -q 2 out"),
    // dependency_missing
    shell("a module of .venv", &["python3"], "python3 -m venv --without-pip .venv && d=$(ls -d .venv/lib/python*/site-packages) && echo 'value = 42' > $d/tidepool.py && echo 'import tidepool; open(\"out\",\"w\").write(str(tidepool.value))' > app.py", "python3 app.py", "grep -q 42 out"),
    shell("a module below src", &["python3"], "mkdir -p src/tidepool && echo 'value = 42' > src/tidepool/__init__.py && echo 'import tidepool; open(\"out\",\"w\").write(str(tidepool.value))' > run.py", "python3 run.py", "grep -q 42 out"),
    shell("a local dependency of npm", &["npm", "node"], "mkdir dep && echo '{\"name\":\"dep\",\"version\":\"1.0.0\"}' > dep/package.json && echo 'module.exports=42' > dep/index.js && echo '{\"name\":\"w\",\"version\":\"1.0.0\",\"dependencies\":{\"dep\":\"file:dep\"}}' > package.json && echo 'require(\"fs\").writeFileSync(\"out\",String(require(\"dep\")))' > app.js", "node app.js", "grep -q 42 out"),
    shell("an archive of npm without a registry", &["npm"], "mkdir -p kept package && echo '{\"name\":\"tidepool-calc\",\"version\":\"1.2.0\",\"main\":\"i.js\"}' > package/package.json && echo 'module.exports=42' > package/i.js && tar -czf kept/tidepool-calc-1.2.0.tgz package && rm -r package && echo '{\"name\":\"w\",\"version\":\"1.0.0\"}' > package.json && printf 'registry=http://127.0.0.1:9/\\nfetch-retries=0\\nupdate-notifier=false\\n' > .npmrc", "npm install tidepool-calc", "node -e 'process.exit(require(\"tidepool-calc\") === 42 ? 0 : 1)'"),
    shell("a first line of another machine", &["node"], "mkdir tools && printf '#!/opt/node18/bin/node18\\nrequire(\"fs\").writeFileSync(\"out\", String(6 * 7));\\n' > tools/answer && chmod +x tools/answer", "tools/answer", "grep -qx 42 out"),
    shell("a folder that Node runs", &["node"], "mkdir -p tool/lib && echo 'module.exports=42' > tool/lib/n.js && echo 'require(\"fs\").writeFileSync(process.argv[2], String(require(\"./lib/n\")))' > tool/index.js", "./tool out", "grep -qx 42 out"),
    shell("migrations of a base that has no table", &["sqlite3"], "mkdir sql && echo 'create table a(n int);' > sql/01_a.sql && echo 'insert into a values (40);' > sql/02_seed.sql && echo 'create table b as select n + 2 as n from a;' > sql/03_b.sql && sqlite3 app.db 'pragma user_version = 1'", "sqlite3 app.db 'select n from b' > out", "grep -qx 42 out"),
    // edits
    tool("an edit with blanks for tabs", "printf 'func a() int {\\n\\treturn 1\\n}\\n' > a.go", Call::Edit("a.go", "    return 1", "    return 2"), "grep -q \"$(printf '\\treturn 2')\" a.go"),
    tool("an edit with other quotes", "printf 'title = \\342\\200\\234one\\342\\200\\235\\n' > a.txt", Call::Edit("a.txt", "title = \"one\"", "title = \"two\""), "grep -q two a.txt"),
    tool("an edit of a file that was not read", "echo one > a.txt", Call::Unread("a.txt", "one", "two"), "grep -q two a.txt"),
    looking(tool("an edit of what is not there", "echo one > a.txt", Call::Edit("a.txt", "three", "two"), "printf %s \"$PRINTED\" | grep -q one")),
    // too_large
    tool("a file that is too large", "seq 1 200000 > big.txt", Call::Read("big.txt"), "printf %s \"$PRINTED\" | grep -q 100"),
    shell("a program of Python that is one long word", &["python3"], "{ seq -f 'x%.0f = 6' 1 20000; echo 'open(\"out\", \"w\").write(str(x7 * 7))'; } > long.py", "python3 -c \"$(cat long.py)\"", "grep -qx 42 out"),
    shell("a pattern that stands for too many names", &["seq"], "mkdir from to && cd from && seq -f 'a-name-that-is-long-enough-to-fill-the-line-of-a-call-%.0f.txt' 1 40000 | xargs touch", "cp from/*.txt to/", "test \"$(ls to | wc -l)\" = 40000"),
    // tool_unavailable
    tool("a tool that does not exist", "echo x > found.txt", Call::Other("repo_browser", "{}"), "printf %s \"$PRINTED\" | grep -q found.txt"),
    // timeout
    Failure { name: "a limit that is too short", needs: &[], scene: "true", call: Call::Limited("sleep 1; echo x > out", 700), goal: "test -s out", looks: false },
    shell("the line's own limit", &["timeout"], "printf 'sleep 0.4\\necho x > out\\n' > slow.sh", "timeout 0.2 sh slow.sh", "true"),
    shell("the line's own limit in seconds", &["timeout"], "printf 'sleep 2\\necho x > out\\n' > slow.sh", "timeout 1 sh slow.sh", "test -s out"),
    // resource_busy
    shell("a port that is taken", &["python3"], "printf 'import http.server,sys,threading\\ns=http.server.HTTPServer((\"127.0.0.1\",int(sys.argv[1])),http.server.SimpleHTTPRequestHandler)\\nopen(\"out\",\"w\").write(\"up\")\\n' > serve.py && python3 -c \"import socket,time,os;s=socket.socket();s.bind(('127.0.0.1',18431));s.listen();open('held','w').close();time.sleep(8)\" >/dev/null 2>&1 & for n in 1 2 3 4 5 6 7 8 9 10; do [ -e held ] && break; sleep 0.2; done", "python3 serve.py 18431", "grep -q up out"),
    shell("a lock that another git holds", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && echo one > a.txt && git add a.txt && sh -c 'exec 9>.git/index.lock; sleep 3; rm -f .git/index.lock' >/dev/null 2>&1 & for n in 1 2 3 4 5 6 7 8 9 10; do [ -e .git/index.lock ] && break; sleep 0.2; done", "git commit -qm first", "git log --oneline | grep -q first"),
    shell("a copy over a program that runs", &["tail"], "mkdir run && cp \"$(type -P tail)\" run/feed && printf '#!/bin/sh\\necho second\\n' > next && chmod +x next && : > log && (setsid timeout 20 run/feed -f log >/dev/null 2>&1 &) && sleep 0.3", "cp next run/feed", "run/feed | grep -q second"),
    // vcs_state
    shell("a branch of another spelling", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && git commit -q --allow-empty -m one && git branch feature-login", "git checkout feature-lgoin", "git branch --show-current | grep -q feature-login"),
    shell("changes in the way of a checkout", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && seq 1 30 > a && git add . && git commit -qm one && git checkout -q -b topic && sed -i s/^2$/two/ a && git commit -qam two && git checkout -q main && sed -i s/^29$/mine/ a", "git checkout topic", "git branch --show-current | grep -q topic && grep -q mine a && grep -q two a"),
    shell("a branch without an upstream", &["git"], "git init -q --bare remote.git && git init -q -b main work && cd work && git config user.name t && git config user.email t@example.com && git config push.default simple && git remote add origin ../remote.git && git commit -q --allow-empty -m one", "cd work && git push", "git -C remote.git log --oneline main | grep -q one"),
    shell("a push that comes late", &["git"], "git init -q --bare -b main remote.git && git clone -q remote.git a 2>/dev/null && git clone -q remote.git b 2>/dev/null && for d in a b; do git -C $d config user.name t; git -C $d config user.email t@example.com; git -C $d checkout -q -b main; done && cd a && echo 1 > x && git add x && git commit -qm x && git push -q origin main && cd ../b && git fetch -q && git reset -q --hard origin/main && cd ../a && echo 2 >> x && git commit -qam x2 && git push -q origin main && cd ../b && echo 1 > y && git add y && git commit -qm y", "cd b && git push origin main", "git -C remote.git log --oneline main | grep -q ' y'"),
    shell("a branch that is there already", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && git commit -q --allow-empty -m one && git branch topic", "git checkout -b topic", "git branch --show-current | grep -q topic"),
    // remote_not_found
    shell("a remote of another spelling", &["git"], "git init -q --bare -b main remote.git && git init -q -b main work && cd work && git config user.name t && git config user.email t@example.com && git remote add origin ../remote.git && git commit -q --allow-empty -m one && git push -q origin main", "cd work && git fetch orgin", "git -C work log --oneline origin/main | grep -q one"),
    shell("a remote branch of another spelling", &["git"], "git init -q --bare -b main remote.git && git init -q -b main work && cd work && git config user.name t && git config user.email t@example.com && git remote add origin ../remote.git && git commit -q --allow-empty -m one && git push -q origin main && git fetch -q", "cd work && git pull origin mian", "true"),
    // shell_syntax
    shell("an apostrophe in single quotes", &["bash"], "true", "echo 'don't stop' > out", "grep -q \"don't stop\" out"),
    shell("brackets of a path", &["bash"], "mkdir -p 'app/(auth)' && echo page > 'app/(auth)/page.tsx'", "cat app/(auth)/page.tsx > out", "grep -q page out"),
    shell("a block that is not closed", &["bash"], "true", "if true; then echo yes > out", "grep -q yes out"),
    shell("a pattern with one bracket", &["grep"], "echo 'call(x)' > a.txt", "grep 'call\\(' a.txt > out", "grep -q call out"),
    // lint_error
    shell("rustfmt that only looks", &["rustfmt"], "printf 'fn main(){let x=1;}\\n' > a.rs", "rustfmt --check a.rs", "rustfmt --check a.rs"),
    shell("cargo fmt that only looks", &["cargo", "rustfmt"], "mkdir src && printf '[package]\\nname = \"a\"\\nversion = \"0.1.0\"\\nedition = \"2021\"\\n' > Cargo.toml && printf 'fn main(){let _x=1;}\\n' > src/main.rs", "cargo fmt --check", "cargo fmt --check"),
    // compile_error, runtime_error, script_error
    shell("a name that the compiler knows better", &["gcc"], "printf 'int main(void){int counter=0;\\n  countr++;\\n  return counter-1;}\\n' > main.c", "gcc main.c -o main", "./main"),
    shell("a name that rustc knows better", &["rustc"], "printf 'fn main() {\\n    let counter = 1;\\n    println!(\"{}\", countr);\\n}\\n' > main.rs", "rustc main.rs -o main", "./main | grep -q 1"),
    shell("a name that Python knows better", &["python3"], "printf 'counter = 1\\nprint(countr)\\n' > a.py", "python3 a.py", "python3 a.py"),
    shell("a name in the call itself", &["python3"], "true", "python3 -c 'counter = 1; open(\"out\", \"w\").write(str(countr))'", "test -s out"),
    // test_failure, commit_hook_failed, resource_exhausted, auth_required, merge_conflict, unknown: looks
    looking(shell("a test that fails", &["python3"], "printf 'import unittest\\nclass T(unittest.TestCase):\\n    def test_sum(self):\\n        self.assertEqual(1 + 1, 3)\\n' > test_a.py", "python3 -m unittest", "printf %s \"$PRINTED\" | grep -q 'test_sum\\|assertEqual'")),
    shell("a hook that mends files", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && printf '#!/bin/sh\\nif grep -q \" $\" a.txt; then sed -i \"s/ *$//\" a.txt; echo \"trim trailing whitespace....Failed\"; echo \"- hook id: trailing-whitespace\"; echo \"- files were modified by this hook\"; exit 1; fi\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && printf 'x \\n' > a.txt && git add a.txt", "git commit -qm first", "git log --oneline | grep -q first"),
    looking(shell("a hook that refuses", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && printf '#!/bin/sh\\necho \"husky - pre-commit script failed (code 1)\"\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && echo x > a.txt && git add a.txt", "git commit -qm first", "printf %s \"$PRINTED\" | grep -q husky")),
    looking(shell("two sides of a merge", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && echo 1 > a && git add a && git commit -qm one && git checkout -q -b topic && echo 2 > a && git commit -qam two && git checkout -q main && echo 3 > a && git commit -qam three", "git merge topic", "printf %s \"$PRINTED\" | grep -q '<<<<<<<\\|^a$'")),
    looking(shell("errors that were thrown away", &[], "printf 'echo reason >&2; exit 3\n' > build.sh", "sh build.sh 2>/dev/null", "printf %s \"$PRINTED\" | grep -q reason")),
    // what tools, texts and the project tell
    shell("a package of the project that is run by its name", &[], "mkdir -p mytool && echo 'open(\"out\",\"w\").write(\"x\")' > mytool/__main__.py", "mytool", "test -s out"),
    shell("a finder that is not there", &[], "mkdir -p a/b && touch a/b/needle.txt", "fd needle", "printf %s \"$PRINTED\" | grep -q needle.txt"),
    shell("a lister that is not there", &[], "mkdir -p a/b && touch a/b/needle.txt", "tree a", "printf %s \"$PRINTED\" | grep -q needle.txt"),
    shell("letters that changed places behind a pipe", &[], "echo x > a.txt", "ls | xagrs wc -l", "printf %s \"$PRINTED\" | grep -q 1"),
    shell("a program of vendor", &[], "mkdir -p vendor/bin && printf '#!/bin/sh\\necho ok > out\\n' > vendor/bin/phpstan && chmod +x vendor/bin/phpstan", "phpstan analyse", "test -s out"),
    shell("another ending of a file", &[], "mkdir src && echo 'x=1' > src/config.yml", "cat src/config.yaml", "printf %s \"$PRINTED\" | grep -q x=1"),
    shell("a folder that is not there to unpack into", &[], "echo hi > a.txt && tar -cf a.tar a.txt && rm a.txt", "tar -xf a.tar -C out/dir", "grep -q hi out/dir/a.txt"),
    shell("a folder that is not there to compile into", &["gcc"], "echo 'int main(){return 0;}' > m.c", "gcc m.c -o build/m", "test -x build/m"),
    shell("a folder that is not there to fetch into", &["curl"], "echo hi > a.txt", "curl -sS -o dl/a.txt file://$PWD/a.txt", "grep -q hi dl/a.txt"),
    shell("a folder that a program writes into", &[], "echo 'open(\"out/x.txt\",\"w\").write(\"hi\")' > g.py", "python3 g.py", "grep -q hi out/x.txt"),
    shell("a folder that is not there to copy into", &[], "echo hi > a.txt", "cp a.txt build/out/a.txt", "grep -q hi build/out/a.txt"),
    shell("a file in another folder that is changed in its place", &[], "mkdir etc && echo a=1 > etc/app.conf", "sed -i s/a=1/a=2/ app.conf", "grep -q a=2 etc/app.conf"),
    shell("a database in another folder", &["sqlite3"], "mkdir data && sqlite3 data/app.db 'create table t(x); insert into t values(42)'", "sqlite3 -readonly app.db 'select x from t'", "printf %s \"$PRINTED\" | grep -q 42"),
    shell("the sources of CMake below", &["cmake"], "mkdir proj && printf 'cmake_minimum_required(VERSION 3.10)\\nproject(x NONE)\\n' > proj/CMakeLists.txt", "cmake -S . -B build", "test -d build -o -d proj/build"),
    shell("the build of ninja below", &["ninja"], "mkdir build && printf 'rule t\\n command = touch out\\nbuild out: t\\n' > build/build.ninja", "ninja", "test -e build/out"),
    shell("a script of a workspace", &["npm"], "mkdir -p packages/ui && echo '{\"name\":\"root\",\"private\":true,\"workspaces\":[\"packages/*\"]}' > package.json && echo '{\"name\":\"ui\",\"version\":\"1.0.0\",\"scripts\":{\"build\":\"echo ok > out\"}}' > packages/ui/package.json", "npm run build", "test -s packages/ui/out"),
    shell("the only program of a module", &["go"], "mkdir -p cmd/app && printf 'module svc\\n\\ngo 1.19\\n' > go.mod && printf 'package main\\n\\nimport \"os\"\\n\\nfunc main() { os.WriteFile(\"out\", []byte(\"x\"), 0o644) }\\n' > cmd/app/main.go", "go run .", "test -s out"),
    shell("the Makefile above", &["make"], "mkdir -p src/deep && printf 'hello:\\n\\techo hi > out\\n' > Makefile", "cd src/deep && make hello", "test -s out"),
    shell("an option of curl", &["curl"], "echo hi > a.txt", "curl --silnet file://$PWD/a.txt", "printf %s \"$PRINTED\" | grep -q hi"),
    shell("a standard that the compiler does not know", &["gcc"], "echo 'int main(){return 0;}' > m.c", "gcc -std=c71 m.c -o m", "test -x m"),
    shell("a subcommand of go", &["go"], "printf 'module svc\\n\\ngo 1.19\\n' > go.mod && printf 'package main\\n\\nfunc main() {}\\n' > main.go", "go biuld -o out .", "test -e out"),
    shell("an option of git log", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@e.com && echo one > a.txt && git add a.txt && git commit -qm one", "git log --onelin", "printf %s \"$PRINTED\" | grep -q one"),
    shell("an option of rsync", &["rsync"], "mkdir a && echo x > a/f", "rsync --achrive a/ b/", "test -s b/f"),
    shell("a feature of a crate", &["cargo"], "mkdir -p src && printf '[package]\\nname=\"a\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n[features]\\nextra=[]\\n' > Cargo.toml && echo 'fn main(){}' > src/main.rs", "cargo build --offline --features extar", "test -e target/debug/a"),
    shell("an option that the usage lists", &[], "printf 'import argparse\\np=argparse.ArgumentParser()\\np.add_argument(\"--output\")\\np.add_argument(\"--verbose\",action=\"store_true\")\\na=p.parse_args()\\nopen(a.output,\"w\").write(\"x\")\\n' > cli.py", "python3 cli.py --ouptut out", "test -s out"),
    shell("an option of node", &["node"], "echo 'require(\"fs\").writeFileSync(\"out\",\"x\")' > a.js", "node --trace-warnigns a.js", "test -s out"),
    shell("a folder copied as a file", &[], "mkdir d && echo x > d/x", "cp d e", "grep -q x e/x"),
    shell("a folder searched as a file", &[], "mkdir d && echo needle > d/x", "grep needle d", "printf %s \"$PRINTED\" | grep -q needle"),
    shell("folders below others that are not there", &[], "true", "mkdir a/b/c", "test -d a/b/c"),
    shell("the suffix of another platform's sed", &[], "echo a > f.txt", "sed -i '' s/a/b/ f.txt", "grep -q b f.txt"),
    shell("a script with carriage returns", &[], "printf '#!/bin/bash\\r\\necho hi > out\\r\\n' > run.sh && chmod +x run.sh", "./run.sh", "ls | grep -q out"),
    shell("a file of a package run alone", &[], "mkdir -p app && touch app/__init__.py && echo 'V=42' > app/conf.py && echo 'from .conf import V; open(\"out\",\"w\").write(str(V))' > app/run.py", "python3 app/run.py", "grep -q 42 out"),
    shell("a library of Ruby below lib", &["ruby"], "mkdir lib && echo 'V=42' > lib/conf.rb && echo 'require \"conf\"; File.write(\"out\",V.to_s)' > run.rb", "ruby run.rb", "grep -q 42 out"),
    shell("a module of Perl below lib", &["perl"], "mkdir lib && printf 'package Conf;\\nour $V=42;\\n1;\\n' > lib/Conf.pm && echo 'use Conf; open(F,\">out\"); print F $Conf::V;' > run.pl", "perl run.pl", "grep -q 42 out"),
    shell("a header below include", &["gcc"], "mkdir include && echo '#define V 42' > include/conf.h && printf '#include \"conf.h\"\\n#include <stdio.h>\\nint main(){printf(\"%%d\",V);return 0;}\\n' > m.c", "gcc m.c -o m", "test -x m"),
    shell("a class below out", &["javac"], "mkdir -p out && printf 'public class Main { public static void main(String[] a) throws Exception { java.nio.file.Files.writeString(java.nio.file.Path.of(\"res\"),\"x\"); } }' > Main.java && javac -d out Main.java && rm Main.java", "java Main", "test -s res"),
    shell("a module of Python that is misspelt", &[], "true", "python3 -c 'import jsno; open(\"out\",\"w\").write(jsno.dumps(1))'", "test -s out"),
    shell("a key with a dash", &["jq"], "echo '{\"a-b\":42}' > a.json", "jq .a-b a.json", "printf %s \"$PRINTED\" | grep -q 42"),
    shell("a program of awk that is not closed", &[], "echo 'a b' > f", "awk '{print $2' f", "printf %s \"$PRINTED\" | grep -q b"),
    shell("a command of sed that is not closed", &[], "echo a > f", "sed 's/a/b' f", "printf %s \"$PRINTED\" | grep -q b"),
    shell("brackets of a name", &[], "echo hi > 'a(1).txt'", "cat a(1).txt", "printf %s \"$PRINTED\" | grep -q hi"),
    shell("a name with blanks", &[], "echo hi > 'my file.txt'", "cat my file.txt", "printf %s \"$PRINTED\" | grep -q hi"),
    shell("a pattern whose bracket is a letter", &[], "echo 'foo(bar' > f", "grep -E 'foo(' f", "printf %s \"$PRINTED\" | grep -q foo"),
    shell("a database that is written to", &["sqlite3"], "sqlite3 a.db 'create table t(x)'; python3 -c \"import sqlite3,time;c=sqlite3.connect('a.db',isolation_level=None);c.execute('begin exclusive');open('held','w').close();time.sleep(3)\" >/dev/null 2>&1 & for n in 1 2 3 4 5 6 7 8 9 10; do [ -e held ] && break; sleep 0.2; done", "sqlite3 a.db 'insert into t values(1)'", "test \"$(sqlite3 a.db 'select count(*) from t')\" = 1"),
    shell("a lock that is not waited for", &["flock"], "touch l; flock l sleep 3 >/dev/null 2>&1 & sleep 0.3", "flock -n l sh -c 'echo x > out'", "test -s out"),
    shell("changes that are not staged", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@e.com && echo one > a.txt && git add a.txt && git commit -qm one && echo two > a.txt", "git commit -m two", "git log --oneline | grep -q two"),
    shell("a branch called master", &["git"], "git init -q --bare r.git -b main && git init -q -b main w && cd w && git config user.name t && git config user.email t@e.com && git remote add origin ../r.git && git commit -q --allow-empty -m one", "cd w && git push origin master", "git -C r.git log --oneline main | grep -q one"),
    shell("a file of git in another folder", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@e.com && echo one > a.txt && git add a.txt && git commit -qm one && mkdir src && echo x > src/util.js", "git add util.js", "git diff --cached --name-only | grep -q util.js"),
    shell("a semicolon of C", &["gcc"], "printf 'int main(){int a=1\\nreturn a;}\\n' > m.c", "gcc m.c -o m", "test -x m"),
    shell("a header of C++ that is not included", &["g++"], "printf 'int main(){std::string s;return 0;}\\n' > m.cpp", "g++ m.cpp -o m", "test -x m"),
    shell("an import of Rust", &["cargo"], "mkdir src && printf '[package]\\nname=\"a\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > Cargo.toml && printf 'fn main(){let m: HashMap<u8,u8> = HashMap::new();println!(\"{}\",m.len());}\\n' > src/main.rs", "cargo build --offline", "test -e target/debug/a"),
    shell("a binding of Rust that changes", &["cargo"], "mkdir src && printf '[package]\\nname=\"a\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > Cargo.toml && printf 'fn main(){let x=1;x=2;println!(\"{}\",x);}\\n' > src/main.rs", "cargo build --offline", "test -e target/debug/a"),
    shell("an import of Go that nothing uses", &["go"], "printf 'module svc\\n\\ngo 1.19\\n' > go.mod && printf 'package main\\n\\nimport \"fmt\"\\nimport \"os\"\\n\\nfunc main() { fmt.Println(1) }\\n' > main.go", "go build -o out .", "test -e out"),
    shell("a recipe without a tab", &["make"], "printf 'all:\\n    echo hi > out\\n' > Makefile", "make", "test -s out"),
    shell("a name of Ruby", &["ruby"], "printf 'count=1\\nFile.write(\"out\",cuont.to_s)\\n' > a.rb", "ruby a.rb", "test -s out"),
    shell("a variable that .env sets", &[], "printf 'import os\\nopen(\"out\",\"w\").write(os.environ[\"API_MODE\"])\\n' > a.py && echo API_MODE=test > .env", "python3 a.py", "grep -q test out"),
    // what the project, its processes and git themselves say
    Failure { name: "a log that is followed", needs: &[], scene: "mkdir log; seq 1 50 > log/a.log", call: Call::Limited("tail -F log/a.log", 700), goal: "printf %s \"$PRINTED\" | grep -q ^50", looks: false },
    Failure { name: "a command that is made again and again", needs: &["watch"], scene: "echo hi > x", call: Call::Limited("watch -n 1 cat x", 700), goal: "printf %s \"$PRINTED\" | grep -q hi", looks: false },
    Failure { name: "tests that watch", needs: &["npm"], scene: "mkdir -p node_modules/.bin; printf \"#!/bin/sh\\ncase \\\"\\$*\\\" in *--watch*) sleep 30;; esac\\necho ran > out\\n\" > node_modules/.bin/jest; chmod +x node_modules/.bin/jest; echo '{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"jest --watch\"}}' > package.json", call: Call::Limited("npm test", 3000), goal: "grep -q ran out", looks: false },
    Failure { name: "a script beside the one that watches", needs: &["npm"], scene: "echo '{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node w.js --watch\",\"test:ci\":\"node w.js\"}}' > package.json; echo \"if(process.argv[2])setInterval(()=>0,1000);else require('fs').writeFileSync('out','x')\" > w.js", call: Call::Limited("npm test", 3000), goal: "test -s out", looks: false },
    shell("a base that another process writes", &[], "printf 'import sqlite3,time\\nc=sqlite3.connect(\"app.db\",isolation_level=None)\\nc.execute(\"create table t(x)\")\\nc.execute(\"begin exclusive\")\\nopen(\"held\",\"w\").close()\\ntime.sleep(3)\\nc.execute(\"commit\")\\n' > hold.py; printf 'import sqlite3\\nc=sqlite3.connect(\"app.db\",timeout=0.2)\\nc.execute(\"insert into t values(1)\")\\nc.commit()\\nopen(\"out\",\"w\").write(\"x\")\\n' > ins.py; setsid python3 hold.py </dev/null >/dev/null 2>&1 & for i in $(seq 50); do [ -e held ] && break; sleep .05; done", "python3 ins.py", "test -s out"),
    shell("a lock that is not waited for", &["flock"], "setsid flock lk sleep 3 </dev/null >/dev/null 2>&1 & sleep 0.3", "flock -n lk sh -c \"echo x > out\"", "test -s out"),
    shell("a port that a server reads from its environment", &["node"], "cat > server.js <<'X'\nconst p=process.env.PORT||18533;require('http').createServer().listen(p,'127.0.0.1',()=>{require('fs').writeFileSync('out',''+p);process.exit()})\nX\npython3 -c \"import socket,time;s=socket.socket();s.bind(('127.0.0.1',18533));s.listen();open('held','w').close();time.sleep(8)\" </dev/null >/dev/null 2>&1 & for i in $(seq 50); do [ -e held ] && break; sleep .05; done", "node server.js", "test -s out"),
    shell("a port of an npm script", &["node", "npm"], "cat > server.js <<'X'\nconst p=process.env.PORT||18534;require('http').createServer().listen(p,'127.0.0.1',()=>{require('fs').writeFileSync('out',''+p);process.exit()})\nX\necho '{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"start\":\"node server.js\"}}' > package.json\npython3 -c \"import socket,time;s=socket.socket();s.bind(('127.0.0.1',18534));s.listen();open('held','w').close();time.sleep(8)\" </dev/null >/dev/null 2>&1 & for i in $(seq 50); do [ -e held ] && break; sleep .05; done", "npm start", "test -s out"),
    shell("a port that the Makefile sets", &["make"], "cat > s.py <<'X'\nimport socket,sys\ns=socket.socket();s.bind(('127.0.0.1',int(sys.argv[1])));open('out','w').write('x')\nX\nprintf 'PORT ?= 18535\\nserve:\\n\\tpython3 s.py $(PORT)\\n' > Makefile\npython3 -c \"import socket,time;s=socket.socket();s.bind(('127.0.0.1',18535));s.listen();open('held','w').close();time.sleep(8)\" </dev/null >/dev/null 2>&1 & for i in $(seq 50); do [ -e held ] && break; sleep .05; done", "make serve", "test -s out"),
    shell("a library of Ruby in the project", &["ruby"], "mkdir -p lib/acme; echo 'module Acme; def self.x; 42; end; end' > lib/acme/core.rb; echo 'require \"acme/core\"; File.write(\"out\", Acme.x.to_s)' > run.rb", "ruby run.rb", "grep -q 42 out"),
    shell("a header below a folder of the project", &["gcc"], "mkdir -p third_party/inc/acme; echo '#define V 7' > third_party/inc/acme/v.h; printf '#include <acme/v.h>\\nint main(void){return V-7;}\\n' > a.c", "gcc a.c -o app", "./app"),
    shell("a shared library that was built here", &["gcc"], "mkdir build; echo 'int f(void){return 0;}' > f.c; gcc -shared -fPIC f.c -o build/libf.so; printf 'int f(void);int main(void){return f();}' > a.c; gcc a.c -Lbuild -lf -o app", "./app > out && echo fine >> out", "grep -q fine out"),
    shell("a package that is installed in another part", &["node"], "mkdir -p packages/api/node_modules/tide; echo 'module.exports=42' > packages/api/node_modules/tide/index.js; echo 'require(\"fs\").writeFileSync(\"out\",String(require(\"tide\")))' > gen.js", "node gen.js", "grep -q 42 out"),
    shell("an environment of a part of the project", &[], "mkdir -p backend; python3 -m venv --without-pip backend/.venv; echo 'v=42' > $(ls -d backend/.venv/lib/python*/site-packages)/tidepool.py; echo 'import tidepool; open(\"out\",\"w\").write(str(tidepool.v))' > a.py", "python3 a.py", "grep -q 42 out"),
    shell("a module of a package that is run as a file", &[], "mkdir -p acme/report; touch acme/__init__.py acme/report/__init__.py; echo 'X=1' > acme/report/base.py; printf 'from .base import X\\nopen(\"out\",\"w\").write(str(X))\\n' > acme/report/build.py", "python3 acme/report/build.py", "grep -q 1 out"),
    shell("a module of Perl in the project", &["perl"], "mkdir lib; printf 'package Acme;sub x{42}1;' > lib/Acme.pm; printf 'use Acme;open(F,\">out\");print F Acme::x();' > t.pl", "perl t.pl", "grep -q 42 out"),
    shell("a target that is called as a program", &["make"], "printf 'all:\\n\\ttrue\\nlint:\\n\\techo l > out\\n' > Makefile", "lint", "test -s out"),
    shell("a program that pyproject.toml declares", &[], "mkdir -p src/acme; touch src/acme/__init__.py; printf 'import sys\\ndef main():\\n  open(\"out\",\"w\").write(\" \".join(sys.argv[1:]))\\n' > src/acme/cli.py; printf '[project]\\nname=\"acme\"\\n[project.scripts]\\nacme-sync = \"acme.cli:main\"\\n' > pyproject.toml", "acme-sync --all now", "grep -q -- \"--all now\" out"),
    shell("a program that package.json declares", &["node"], "echo '{\"name\":\"hx\",\"version\":\"1.0.0\",\"bin\":{\"hxtool\":\"cli.js\"}}' > package.json; echo 'require(\"fs\").writeFileSync(\"out\",process.argv[2])' > cli.js", "hxtool build", "grep -q build out"),
    shell("a program in the user's own folder", &[], "mkdir -p .home/.local/bin; printf '#!/bin/sh\\necho ok > out\\n' > .home/.local/bin/mytool; chmod +x .home/.local/bin/mytool", "mytool x", "test -s out"),
    shell("a manager of packages that is not there", &["npm"], "echo '{\"name\":\"hx\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node b.js\"}}' > package.json; echo 'require(\"fs\").writeFileSync(\"out\",\"x\")' > b.js", "pnpm test", "test -s out"),
    shell("a script without its ending", &[], "mkdir scripts; printf 'echo ran $1 > out\\n' > scripts/deploydocs.sh", "deploydocs now", "grep -q \"ran now\" out"),
    shell("a command of a Go module", &["go"], "mkdir -p cmd/hxgo; printf 'module hx\\n\\ngo 1.18\\n' > go.mod; printf 'package main\\nimport \"os\"\\nfunc main(){os.WriteFile(\"out\",[]byte(os.Args[1]),0644)}\\n' > cmd/hxgo/main.go", "hxgo build", "grep -q build out"),
    shell("a script that was written on Windows", &[], "mkdir sub; printf '#!/bin/bash\\r\\necho ran > out\\r\\n' > go.sh; chmod +x go.sh", "./go.sh", "ls | grep -q ^out"),
    tool("a path without its first folder", "mkdir -p apps/web/src apps/api/src; echo one > apps/web/src/index.ts; echo two > apps/api/src/index.ts", Call::Read("web/src/index.ts"), "printf %s \"$PRINTED\" | grep -q one"),
    shell("a script that is run from elsewhere", &[], "mkdir -p backend/config backend/tools; echo v > backend/config/app.yml; printf 'open(\"out.txt\",\"w\").write(open(\"config/app.yml\").read())\\n' > backend/tools/x.py", "python3 backend/tools/x.py", "grep -q v backend/out.txt"),
    shell("a file that stands there packed", &["gzip"], "mkdir data; echo 'a,b' > data/x.csv; gzip data/x.csv", "wc -l data/x.csv", "test -s data/x.csv"),
    shell("a build that was not made yet", &["npm"], "echo '{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"build\":\"node b.js\",\"start\":\"node dist/server.js\"}}' > package.json; echo 'require(\"fs\").mkdirSync(\"dist\");require(\"fs\").writeFileSync(\"dist/server.js\",\"require(\\\"fs\\\").writeFileSync(\\\"out\\\",\\\"x\\\")\")' > b.js", "npm start", "test -s out"),
    shell("a program that make builds", &["make"], "printf 'bin/app:\\n\\tmkdir -p bin; printf \"#!/bin/sh\\\\necho x > out\\\\n\" > bin/app; chmod +x bin/app\\n' > Makefile", "./bin/app", "test -s out"),
    shell("a file that a script of the project writes", &[], "mkdir tools; printf 'import json\\njson.dump({},open(\"schema.json\",\"w\"))\\n' > tools/gen_schema.py; printf 'import json\\nopen(\"out\",\"w\").write(str(json.load(open(\"schema.json\"))))\\n' > use.py", "python3 use.py", "test -s out"),
    looking(tool("a file that a commit took away", "git init -q -b main . && git config user.name t && git config user.email t@e.com; mkdir a; echo secretword > a/old.txt; git add .; git commit -qm x; git rm -q a/old.txt; git commit -qm 'drop old'", Call::Read("a/old.txt"), "printf %s \"$PRINTED\" | grep -q secretword")),
    shell("a folder that the linker writes to", &["gcc"], "echo 'int main(void){return 0;}' > a.c", "gcc a.c -o build/app", "build/app"),
    shell("folders on the way", &[], "true", "mkdir a/b/c", "test -d a/b/c"),
    shell("a setting file with another ending", &[], "mkdir conf; echo 'k=v' > conf/app.toml", "cat conf/app.json", "printf %s \"$PRINTED\" | grep -q k=v"),
    shell("a base without its schema", &["make", "sqlite3"], "printf 'import sqlite3\\nc=sqlite3.connect(\"a.db\")\\nc.execute(\"insert into users values(1)\")\\nc.commit()\\nopen(\"out\",\"w\").write(\"x\")\\n' > seedit.py; printf 'migrate:\\n\\tsqlite3 a.db \"create table users(id)\"\\n' > Makefile", "python3 seedit.py", "test -s out"),
    shell("a copy of a file with a letter wrong", &[], "mkdir src; echo x > src/settings.py", "cp src/setings.py copy.py", "test -s copy.py"),
    shell("a service on another port", &["curl"], "cat > srv.py <<'X'\nimport http.server,threading,os\nclass H(http.server.BaseHTTPRequestHandler):\n    def log_message(self,*a):pass\n    def do_GET(self):\n        self.send_response(200);b=b\"hello\";self.send_header(\"Content-Length\",str(len(b)));self.end_headers();self.wfile.write(b)\n\ns=http.server.HTTPServer((\"127.0.0.1\",18641),H)\nopen(\"up\",\"w\").close()\nthreading.Timer(12,os._exit,(0,)).start()\ns.serve_forever()\nX\nsetsid python3 srv.py </dev/null >/dev/null 2>&1 &\nfor i in $(seq 60); do [ -e up ] && break; sleep .05; done", "curl -fsS http://localhost:18640/x -o out", "grep -q hello out"),
    shell("a service that is not up yet", &["curl"], "cat > srv.py <<'X'\nimport http.server,threading,os\nclass H(http.server.BaseHTTPRequestHandler):\n    def log_message(self,*a):pass\n    def do_GET(self):\n        self.send_response(200);b=b\"hello\";self.send_header(\"Content-Length\",str(len(b)));self.end_headers();self.wfile.write(b)\nimport time;time.sleep(3)\ns=http.server.HTTPServer((\"127.0.0.1\",18642),H)\nopen(\"up\",\"w\").close()\nthreading.Timer(12,os._exit,(0,)).start()\ns.serve_forever()\nX\nsetsid python3 srv.py </dev/null >/dev/null 2>&1 &\nsleep .3", "curl -fsS http://127.0.0.1:18642/x -o out", "grep -q hello out"),
    shell("https where plain HTTP is spoken", &["curl"], "cat > srv.py <<'X'\nimport http.server,threading,os\nclass H(http.server.BaseHTTPRequestHandler):\n    def log_message(self,*a):pass\n    def do_GET(self):\n        self.send_response(200);b=b\"hello\";self.send_header(\"Content-Length\",str(len(b)));self.end_headers();self.wfile.write(b)\n\ns=http.server.HTTPServer((\"127.0.0.1\",18643),H)\nopen(\"up\",\"w\").close()\nthreading.Timer(12,os._exit,(0,)).start()\ns.serve_forever()\nX\nsetsid python3 srv.py </dev/null >/dev/null 2>&1 &\nfor i in $(seq 60); do [ -e up ] && break; sleep .05; done", "curl -fsS https://127.0.0.1:18643/x -o out", "grep -q hello out"),
    looking(shell("an answer that was held back", &["curl"], "cat > srv.py <<'X'\nimport http.server,threading,os\nclass H(http.server.BaseHTTPRequestHandler):\n    def log_message(self,*a):pass\n    def do_GET(self):\n        self.send_response(400);b=b\"field qty is missing\";self.send_header(\"Content-Length\",str(len(b)));self.end_headers();self.wfile.write(b)\n\ns=http.server.HTTPServer((\"127.0.0.1\",18645),H)\nopen(\"up\",\"w\").close()\nthreading.Timer(12,os._exit,(0,)).start()\ns.serve_forever()\nX\nsetsid python3 srv.py </dev/null >/dev/null 2>&1 &\nfor i in $(seq 60); do [ -e up ] && break; sleep .05; done", "curl -fsS http://127.0.0.1:18645/x -o out", "printf %s \"$PRINTED\" | grep -q \"qty is missing\"")),
    shell("a proxy that is not there", &["curl"], "cat > srv.py <<'X'\nimport http.server,threading,os\nclass H(http.server.BaseHTTPRequestHandler):\n    def log_message(self,*a):pass\n    def do_GET(self):\n        self.send_response(200);b=b\"hello\";self.send_header(\"Content-Length\",str(len(b)));self.end_headers();self.wfile.write(b)\n\ns=http.server.HTTPServer((\"127.0.0.1\",18646),H)\nopen(\"up\",\"w\").close()\nthreading.Timer(12,os._exit,(0,)).start()\ns.serve_forever()\nX\nsetsid python3 srv.py </dev/null >/dev/null 2>&1 &\nfor i in $(seq 60); do [ -e up ] && break; sleep .05; done", "http_proxy=http://127.0.0.1:9 curl -fsS http://127.0.0.1:18646/x -o out", "grep -q hello out"),
    shell("a variable that .env has", &[], "echo 'DATABASE_URL=sqlite:///x.db' > .env; printf 'import os,sys\\nif not os.environ.get(\"DATABASE_URL\"): sys.exit(\"error: DATABASE_URL is not set\")\\nopen(\"out\",\"w\").write(os.environ[\"DATABASE_URL\"])\\n' > a.py", "python3 a.py", "grep -q sqlite out"),
    shell("a comma too many in package.json", &["npm"], "printf '{\\n  \"name\": \"a\",\\n  \"version\": \"1.0.0\",\\n  \"scripts\": {\"hello\": \"echo hi > out\",}\\n}\\n' > package.json", "npm run hello", "test -s out"),
    shell("a comma too few in a settings file", &[], "printf '{\\n  \"a\": 1\\n  \"b\": 2\\n}\\n' > conf.json; printf 'import json\\nopen(\"out\",\"w\").write(str(json.load(open(\"conf.json\"))))\\n' > a.py", "python3 a.py", "test -s out"),
    shell("a Makefile with blanks for tabs", &["make"], "printf 'build:\\n    echo hi > out\\n    echo ho >> out\\n' > Makefile", "make build", "grep -q ho out"),
    shell("a lock that does not fit its manifest", &["npm"], "mkdir dep; echo '{\"name\":\"dep\",\"version\":\"1.0.0\"}' > dep/package.json; echo '{\"name\":\"w\",\"version\":\"1.0.0\",\"dependencies\":{\"dep\":\"file:dep\"}}' > package.json; echo '{\"name\":\"w\",\"version\":\"1.0.0\",\"lockfileVersion\":3,\"packages\":{\"\":{\"name\":\"w\",\"version\":\"1.0.0\"}}}' > package-lock.json", "npm ci", "test -e node_modules/dep"),
    shell("a lock of cargo that does not fit", &["cargo"], "printf '[package]\\nname=\"a\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n[dependencies]\\nb={path=\"b\"}\\n' > Cargo.toml; mkdir -p src b/src; echo 'fn main(){}' > src/main.rs; printf '[package]\\nname=\"b\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > b/Cargo.toml; touch b/src/lib.rs; printf 'version = 3\\n[[package]]\\nname = \"a\"\\nversion = \"0.1.0\"\\n' > Cargo.lock", "cargo build --locked --offline -q", "test -e target/debug/a"),
    shell("a text that is not UTF-8", &[], "printf 'import sys\\nopen(\"out\",\"w\").write(open(sys.argv[1]).read())\\n' > a.py; printf 'M\\374ller\\n' > n.txt", "python3 a.py n.txt", "grep -q Müller out"),
    shell("a limit that a script sets by a variable", &[], "printf 'NOFILE=${MAX_OPEN:-20}\\nulimit -n $NOFILE\\npython3 o.py\\n' > go.sh; printf 'f=[open(\"o.py\") for i in range(100)]\\nopen(\"out\",\"w\").write(\"x\")\\n' > o.py", "bash go.sh", "test -s out"),
    tool("a tool of several edits", "echo \"MAX = 3\" > a.py", Call::Other("MultiEdit", "{\"file_path\": \"a.py\", \"edits\": [{\"old_string\": \"MAX\", \"new_string\": \"MIN\"}, {\"old_string\": \"3\", \"new_string\": \"5\"}]}"), "grep -q \"MIN = 5\" a.py"),
    shell("a setting that is spelt otherwise", &["node"], "printf '{\\n  \"colour\": \"red\",\\n  \"width\": 3\\n}\\n' > theme.json; echo 'const c = JSON.parse(require(\"fs\").readFileSync(\"theme.json\")), known = [\"color\", \"width\"]; for (const k in c) if (!known.includes(k)) { console.error(`theme.json: unknown setting \"${k}\" (supported: ${known.join(\", \")})`); process.exit(1); } require(\"fs\").writeFileSync(\"out\", c.color)' > paint.js", "node paint.js", "grep -qx red out"),
    shell("a mode by its short name in a variable", &["bash"], "printf 'case $MODE in development|production) echo $MODE > out;; *) echo \"MODE: unknown mode \\x27$MODE\\x27, valid modes are development, production\" >&2; exit 3;; esac\\n' > up.sh", "MODE=dev bash up.sh", "grep -qx development out"),
    shell("an option of another subcommand of git", &["git"], GIT, "git switch -b topic", "git branch --show-current | grep -qx topic"),
    shell("a message that no quotes hold together", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && echo one > a.txt && git add a.txt", "git commit -m add the first text", "git log -1 --format=%s | grep -qx 'add the first text'"),
    shell("an option of a parser before its subcommand", &["python3"], "printf 'import argparse\\np = argparse.ArgumentParser()\\np.add_argument(\"--root\")\\ns = p.add_subparsers(dest=\"what\")\\ns.add_parser(\"scan\")\\na = p.parse_args()\\nopen(\"out\", \"w\").write(a.root + a.what)\\n' > inv.py", "python3 inv.py scan --root lib", "grep -qx libscan out"),
    shell("a constant that is assigned again", &["node"], "printf 'const total = 0;\\nfor (const n of [1, 2]) {\\n  total += n;\\n}\\nrequire(\"fs\").writeFileSync(\"out\", String(total));\\n' > sum.js", "node sum.js", "grep -qx 3 out"),
    tool("a tool that writes", "true", Call::Other("create_file", "{\"path\": \"a/b.txt\", \"content\": \"hello\"}"), "grep -q hello a/b.txt"),
    tool("a tool that reads several files", "echo x > a; echo yy > b", Call::Other("read_multiple_files", "{\"paths\": [\"a\", \"b\"]}"), "printf %s \"$PRINTED\" | grep -q yy"),
    tool("a tool that runs commands", "true", Call::Other("execute_command", "{\"command\": \"echo hi > out\", \"cwd\": \".\"}"), "test -s out"),
    tool("a tool that finds files", "mkdir src; echo \"x\" > src/deep.spec.ts", Call::Other("file_search", "{\"query\": \"**/*.spec.ts\"}"), "printf %s \"$PRINTED\" | grep -q deep.spec.ts"),
    tool("a tool of git", "git init -q . && git config user.name t && git config user.email t@e.com; echo x > q; git add q; git commit -qm 'first one'", Call::Other("mcp__git__git_log", "{\"repo_path\": \".\", \"max_count\": 3}"), "printf %s \"$PRINTED\" | grep -q \"first one\""),
    tool("a tool that runs Python", "true", Call::Other("execute_python", "{\"code\": \"print(6*7)\"}"), "printf %s \"$PRINTED\" | grep -q 42"),
    shell("sudo that is not there", &["make"], "printf 'all:\\n\\techo x > out\\n' > Makefile", "sudo -E make all", "test -s out"),
    shell("a script without a first line", &[], "printf 'echo x > out\\n' > gradlew", "./gradlew build", "test -s out"),
    shell("more names than one call takes", &[], "mkdir d; cd d; for i in $(seq 1 3000); do : > aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$i.log; done; echo needle > z.log", "ulimit -s 256; cat d/*.log > out", "grep -q needle out"),
    tool("one long line", "python3 -c \"import json;json.dump({'items':[{'id':i} for i in range(60000)],'version':'v9'},open('b.json','w'))\"", Call::Read("b.json"), "[ ${#PRINTED} -lt 40000 ] && printf %s \"$PRINTED\" | grep -q items"),
    // forms, starts, what is named: bad_arguments, shell_syntax, script_error, compile_error, lint_error, test_failure, runtime_error
    shell("a long word for one letter of find", &["find"], "mkdir d; echo x > d/a", "find d -type file", "printf %s \"$PRINTED\" | grep -q d/a"),
    shell("a tab that sort takes as two letters", &["sort"], "printf 'b\\t2\\na\\t1\\n' > t", "sort -t '\\t' -k2 t", "printf %s \"$PRINTED\" | grep -q a"),
    shell("fields that two signs part", &["cut", "awk"], "printf 'b, 2\\n' > t", "cut -d ', ' -f2 t > out", "grep -qx 2 out"),
    shell("a text of printf that begins with a dash", &["bash"], "true", "printf '- item\\n' > out", "grep -q -- '- item' out"),
    shell("a pattern that begins with a dash", &["grep"], "echo 'p->x = 1' > m.c", "grep -n '->x' m.c", "printf %s \"$PRINTED\" | grep -q 'p->x'"),
    shell("a format of another stat", &["stat"], "printf 12345 > m", "stat -f%z m > out", "grep -qx 5 out"),
    shell("a date of another platform", &["date"], "true", "date -v-1d +%F > out", "test \"$(cat out)\" = \"$(date -d '1 day ago' +%F)\""),
    shell("a folder that is there already", &["mkdir"], "mkdir build", "mkdir build && echo x > build/a", "test -s build/a"),
    shell("a package without a library", &["cargo"], "mkdir src; printf '[package]\\nname=\"a\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > Cargo.toml; echo 'fn main(){}' > src/main.rs", "cargo check --offline --lib", "test -d target/debug"),
    shell("a target that needs features", &["cargo"], "mkdir src; printf '[package]\\nname=\"a\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n[features]\\ncli=[]\\n[[bin]]\\nname=\"tool\"\\npath=\"src/main.rs\"\\nrequired-features=[\"cli\"]\\n' > Cargo.toml; echo 'fn main(){println!(\"hi\")}' > src/main.rs", "cargo run --offline --bin tool", "printf %s \"$PRINTED\" | grep -q hi"),
    shell("a name of a script's own usage", &["sh"], "printf '#!/bin/sh\\ncase $1 in build|check) echo ran $1;; *) echo \"Usage: $0 {build|check|clean}\" >&2; exit 2;; esac\\n' > ctl; chmod +x ctl", "./ctl biuld", "printf %s \"$PRINTED\" | grep -q 'ran build'"),
    shell("a subcommand that was given as an option", &["sh"], "printf '#!/bin/sh\\ncase $1 in version) echo v1.2;; *) printf \"unknown flag: %s\\nUsage:\\n  tool [command]\\n\\nAvailable Commands:\\n  build   builds\\n  version  prints the version\\n\" $1 >&2; exit 1;; esac\\n' > tool; chmod +x tool", "./tool --version", "printf %s \"$PRINTED\" | grep -q v1.2"),
    shell("a loop without its do", &["bash"], "true", "for i in 1 2; echo $i >> out; done", "grep -q 2 out"),
    shell("a program of awk between double quotes", &["awk"], "echo 'a b' > t", "awk \"{print $1, $2}\" t > out", "grep -q 'a b' out"),
    shell("a program of awk without quotes", &["awk"], "echo 'a b' > t", "awk {print $2} t > out", "grep -q b out"),
    shell("a replacement of paths", &["sed"], "echo 'dir=/usr/local' > c", "sed -i 's/dir=/usr/local/dir=/opt/' c", "grep -qx 'dir=/opt' c"),
    shell("a replacement by a folder", &["sed"], "echo 'dir=DIR' > c", "sed -i \"s/DIR/$PWD/\" c", "grep -q \"$PWD\" c"),
    shell("a quote in a name for xargs", &["xargs"], "echo \"it's\" > n", "cat n | xargs echo", "printf %s \"$PRINTED\" | grep -q it.s"),
    shell("brackets in a text", &["bash"], "true", "echo hello (world) > out", "grep -q 'hello (world)' out"),
    shell("a variable of two words in a test", &["bash"], "true", "f='a b'; [ $f = 'a b' ] && echo same > out", "grep -q same out"),
    shell("a loop of Python on one line", &["python3"], "true", "python3 -c 'import os; for x in [1]: print(\"got\", x)'", "printf %s \"$PRINTED\" | grep -q got"),
    shell("code of Python that begins with blanks", &["python3"], "true", "python3 -c '  print(\"got\")'", "printf %s \"$PRINTED\" | grep -q got"),
    shell("a class of Python that is not imported", &["python3"], "printf '\"\"\"Doc.\"\"\"\\nimport os\\nprint(Path(\"x\").name)\\n' > j.py", "python3 j.py", "python3 j.py"),
    shell("a relative import from inside the package", &["python3"], "mkdir -p app; touch app/__init__.py; echo 'N=1' > app/conf.py; printf 'from .conf import N\\nprint(\"n\",N)\\n' > app/cli.py", "cd app && python3 cli.py", "printf %s \"$PRINTED\" | grep -q 'n 1'"),
    shell("a file in another encoding", &["python3"], "printf 'name\\nM\\374ller\\n' > k.csv; printf 'import argparse\\np=argparse.ArgumentParser()\\np.add_argument(\"f\")\\np.add_argument(\"--encoding\",default=\"utf-8\")\\na=p.parse_args()\\nprint(open(a.f,encoding=a.encoding).read())\\n' > r.py", "python3 r.py k.csv", "printf %s \"$PRINTED\" | grep -q ller"),
    shell("tests in a folder of another name", &["python3"], "mkdir test; printf 'import unittest\\nclass M(unittest.TestCase):\\n    def test_a(self): print(\"ran money\")\\n' > test/test_money.py", "python3 -m unittest tests.test_money", "printf %s \"$PRINTED\" | grep -q 'ran money'"),
    shell("tests that are looked for in a wrong folder", &["python3"], "mkdir checks; printf 'import unittest\\nclass M(unittest.TestCase):\\n    def test_sum(self): print(\"ran money\")\\n' > checks/test_money.py", "python3 -m unittest discover -s tests", "printf %s \"$PRINTED\" | grep -q 'ran money'"),
    shell("a test that is spelt otherwise", &["python3"], "printf 'import unittest\\nclass M(unittest.TestCase):\\n    def test_sum(self): print(\"ran money\")\\n' > test_money.py", "python3 -m unittest test_money.M.test_summ", "printf %s \"$PRINTED\" | grep -q 'ran money'"),
    shell("a library that is not linked", &["gcc"], "printf '#include <math.h>\\nint main(int c,char**v){return (int)sqrt(c+0.0)-1;}\\n' > l.c", "gcc l.c -o l", "./l"),
    shell("a library that make does not link", &["gcc", "make"], "printf '#include <math.h>\\nint main(int c,char**v){return (int)sqrt(c+0.0)-1;}\\n' > l.c; printf 'l: l.o\\n' > Makefile", "make", "./l"),
    shell("a standard of C that is too old", &["gcc"], "printf 'int main(void){for(int i=0;i<3;i++);return 0;}\\n' > f.c", "gcc -std=c89 f.c -o f", "./f"),
    shell("a standard of C++ that is too old", &["g++"], "printf '#include <optional>\\nint main(){std::optional<int> x;return 0;}\\n' > o.cpp", "g++ -std=c++14 o.cpp -o o", "./o"),
    shell("C++ that the linker of C links", &["gcc", "g++"], "printf '#include <iostream>\\nint main(){std::cout<<1;}\\n' > o.cpp", "gcc o.cpp -o o", "./o"),
    shell("a function of the source beside it", &["gcc"], "printf 'int helper(void){return 0;}\\n' > h.c; printf 'int helper(void);\\nint main(void){return helper();}\\n' > m.c", "gcc m.c -o m", "./m"),
    shell("a text that rustc would make a string of", &["rustc"], "cat > r.rs <<'EOF'\nfn main(){\n    let s: String = \"abc\";\n    println!(\"{s}\");\n}\nEOF", "rustc --edition 2021 r.rs -o r", "rustc --edition 2021 --emit=metadata r.rs"),
    shell("a suffix of a number that rustc corrects", &["rustc"], "cat > r.rs <<'EOF'\nfn main(){\n    let q: i32 = 5u8;\n    println!(\"{q}\");\n}\nEOF", "rustc --edition 2021 r.rs -o r", "rustc --edition 2021 --emit=metadata r.rs"),
    shell("an import that nothing uses", &["cargo"], "mkdir -p src; printf '[package]\\nname=\"a\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > Cargo.toml; printf 'use std::fmt;\\nfn main() {}\\n' > src/main.rs", "RUSTFLAGS='-D warnings' cargo check --offline", "RUSTFLAGS='-D warnings' cargo check --offline"),
    shell("a file of a package that is run alone", &["go"], "printf 'module m\\n\\ngo 1.19\\n' > go.mod; printf 'package main\\n\\nfunc main() { println(helper()) }\\n' > main.go; printf 'package main\\n\\nfunc helper() int { return 1 }\\n' > helper.go", "go run main.go", "printf %s \"$PRINTED\" | grep -q 1"),
    shell("a formatter that a script of the shell asks", &["gofmt"], "printf 'module m\\n\\ngo 1.19\\n' > go.mod; printf 'package main\\nfunc main() {\\nx:=1\\n_ = x }\\n' > main.go; printf '#!/bin/sh\\ntest -z \"$(gofmt -l .)\" || { gofmt -l .; exit 1; }\\n' > lint.sh", "sh lint.sh", "sh lint.sh"),
    shell("a formatter that npm runs", &["npm", "npx"], "mkdir -p node_modules/.bin; printf '#!/bin/sh\\ncase \"$1\" in --check) [ -e fixed ] && exit 0; echo \"Checking formatting...\"; echo \"[warn] a.js\"; echo \"[warn] Code style issues found in the above file. Run Prettier with --write to fix.\"; exit 1;; --write) touch fixed;; esac\\n' > node_modules/.bin/prettier; chmod +x node_modules/.bin/prettier; echo '{\"name\":\"x\",\"version\":\"1.0.0\",\"scripts\":{\"lint\":\"prettier --check .\"}}' > package.json", "npm run lint", "test -e fixed"),
    shell("a formatter that make runs", &["make", "rustfmt"], "echo 'fn main(){let _x=1;}' > a.rs; printf 'lint:\\n\\trustfmt --check a.rs\\n' > Makefile", "make lint", "rustfmt --check a.rs"),
    shell("a module of Node that is not loaded", &["node"], "echo 'console.log(fs.existsSync(\"a.js\"))' > a.js", "node a.js", "printf %s \"$PRINTED\" | grep -q true"),
    shell("a script of CommonJS among ES modules", &["node"], "echo '{\"type\":\"module\"}' > package.json; echo 'const fs = require(\"fs\"); console.log(fs.existsSync(\"a.js\"))' > a.js", "node a.js", "printf %s \"$PRINTED\" | grep -q true"),
    shell("what shellcheck writes a difference for", &["shellcheck", "patch"], "mkdir s; printf '#!/bin/bash\\ncd /tmp\\ncp $1 $2\\n' > s/a.sh", "shellcheck -f gcc s/a.sh", "shellcheck s/a.sh"),
    shell("a script that does not name its shell", &["shellcheck"], "printf 'echo hi\\n' > a.sh", "shellcheck a.sh", "shellcheck a.sh"),
    shell("a class beside it", &["javac"], "mkdir -p src/p; printf 'package p; public class Main { public static void main(String[] a) { Util.hi(); } }\\n' > src/p/Main.java; printf 'package p; public class Util { static void hi() {} }\\n' > src/p/Util.java", "javac src/p/Main.java -d out", "test -e out/p/Main.class"),
    looking(shell("two files that are not the same", &["diff"], "mkdir out golden; echo a > out/i.csv; echo b > golden/i.csv; printf 'echo \"FAIL: out/i.csv differs from golden/i.csv\"; exit 1\\n' > check.sh", "sh check.sh", "printf %s \"$PRINTED\" | grep -q '^.a'")),
    looking(shell("a report that the output names", &["python3"], "mkdir reports; echo '<testcase name=\"x\"><failure message=\"boom\"/></testcase>' > reports/junit.xml; printf 'print(\"3 run, 1 failed - see reports/junit.xml\"); raise SystemExit(1)\\n' > run_tests.py", "python3 run_tests.py", "printf %s \"$PRINTED\" | grep -q boom")),
    looking(shell("a log that the output names", &[], "printf 'mkdir -p logs; echo \"deep reason\" > logs/build.log; echo \"build failed, details in logs/build.log\"; exit 1\\n' > b.sh", "sh b.sh", "printf %s \"$PRINTED\" | grep -q 'deep reason'")),
    looking(shell("data that cannot be read", &["jq"], "printf '{\"a\": 1,\\n \"b\": }\\n' > a.json", "jq . a.json", "printf %s \"$PRINTED\" | grep -q 'b.:'")),
    shell("a range that a shallow clone does not hold", &["git"], "mkdir up && cd up && git init -q -b main . && git config user.name t && git config user.email t@example.com && git commit -q --allow-empty -m one && git tag v1.0 && git commit -q --allow-empty -m two && git commit -q --allow-empty -m three && cd .. && git clone -q --depth 1 \"file://$PWD/up\" w", "cd w && git log --oneline v1.0..HEAD", "printf %s \"$PRINTED\" | grep -q two"),
    shell("a branch that nobody has fetched", &["git"], "mkdir up && cd up && git init -q -b main . && git config user.name t && git config user.email t@example.com && git commit -q --allow-empty -m one && git tag v1.0 && git commit -q --allow-empty -m two && git commit -q --allow-empty -m three && cd .. && git clone -q up w && git -C up branch topic/x", "git -C w switch topic/x", "test \"$(git -C w branch --show-current)\" = topic/x"),
    shell("an address of a clone with letters that changed places", &["git"], "mkdir srv && git init -q --bare -b main srv/ledger.git", "git clone -q srv/legder.git out", "test -d out/.git"),
    shell("a program of a hook that only node has", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && echo one > a.txt && git add a.txt && git commit -qm one && mkdir -p node_modules/.bin .githooks && printf \"#!/bin/sh\\nexit 0\\n\" > node_modules/.bin/standardlint && printf \"#!/bin/sh\\nstandardlint src\\n\" > .githooks/pre-commit && chmod +x node_modules/.bin/standardlint .githooks/pre-commit && git config core.hooksPath .githooks && echo two > b.txt && git add b.txt", "git commit -m 'Add b'", "git log -1 --format=%s | grep -qx \"Add b\""),
    shell("a hook that writes files and does not name them", &["git"], "git init -q -b main . && git config user.name t && git config user.email t@example.com && echo one > a.txt && git add a.txt && git commit -qm one && printf \"#!/bin/sh\\ngrep -q \\\"  \\\" x.js || exit 0\\nsed \\\"s/  / /\\\" x.js > x.new && mv x.new x.js\\necho \\\"Files were formatted, please stage the changes and commit again\\\"; exit 1\\n\" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && echo \"a  = 1\" > x.js && git add x.js", "git commit -qm 'Add x'", "git show HEAD:x.js | grep -qx \"a = 1\""),
    shell("paths of a patch that begin in another folder", &["patch"], "mkdir src && printf \"a\\nb\\n\" > src/x.txt && printf -- \"--- a/src/x.txt\\n+++ b/src/x.txt\\n@@ -1,2 +1,2 @@\\n a\\n-b\\n+c\\n\" > fix.patch", "patch -p0 < fix.patch", "grep -qx c src/x.txt"),
    looking(shell("the source of what a test calls", &["go"], "printf \"module a\\n\\ngo 1.20\\n\" > go.mod && printf \"package a\\n\\nfunc Twice(n int) int {\\n\\treturn n + 2\\n}\\n\" > a.go && printf \"package a\\n\\nimport \\\"testing\\\"\\n\\nfunc TestTwice(t *testing.T) {\\n\\tif got := Twice(4); got != 8 {\\n\\t\\tt.Errorf(\\\"got %%d, want 8\\\", got)\\n\\t}\\n}\\n\" > a_test.go", "go test ./...", "printf %s \"$PRINTED\" | grep -q \"n + 2\"")),
    looking(shell("a division in a file of awk", &["awk"], "echo '1 0' > d; echo '{print $1/$2}' > p.awk", "awk -f p.awk d", "printf %s \"$PRINTED\" | grep -q 'print'")),
    shell("a header that is made from others", &["gcc", "make"], "mkdir gen && echo 'struct job { int id; };' > gen/job.h && printf '.PHONY: gen\\ngen:\\n\\techo \"struct job { int id; int retries; };\" > gen/job.h\\n' > Makefile && printf '#include \"gen/job.h\"\\nint main(void) {\\n  struct job j = { .id = 4, .retries = 0 };\\n  return j.retries;\\n}\\n' > job.c", "gcc -o job job.c", "./job"),
];

fn payload(failure: &Failure, scene: &Scene) -> Option<Value> {
    let (name, input, error) = match failure.call {
        Call::Shell(line) => {
            let ran = scene.bash(line, 60_000);
            let text = match ran {
                Bash::Ended(0, _) => return None,
                Bash::Ended(code, text) => format!("Exit code {code}\n{text}"),
                Bash::TimedOut(text) => format!("Command timed out after 1m 0s\n{text}"),
            };
            ("Bash", json!({ "command": line }), text)
        }
        Call::Limited(line, limit) => {
            let Bash::TimedOut(text) = scene.bash(line, limit) else { return None };
            (
                "Bash",
                json!({ "command": line, "timeout": limit }),
                format!("Command timed out after {}s\n{text}", limit.div_ceil(1000)),
            )
        }
        Call::Read(path) => {
            let input = json!({ "file_path": scene.path(path) });
            let error = scene.call("Read", &input).err()?;
            ("Read", input, error)
        }
        Call::Edit(path, old, new) => {
            let input = json!({ "file_path": scene.path(path), "old_string": old, "new_string": new });
            scene.note_read(path);
            let error = scene.call("Edit", &input).err()?;
            ("Edit", input, error)
        }
        Call::Unread(path, old, new) => {
            let input = json!({ "file_path": scene.path(path), "old_string": old, "new_string": new });
            let error = scene.call("Edit", &input).err()?;
            ("Edit", input, error)
        }
        Call::Other(name, args) => {
            let input: Value = serde_json::from_str(args).unwrap();
            (name, input.clone(), scene.call(name, &input).err()?)
        }
    };
    Some(json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": scene.folder(), "tool_name": name,
        "tool_input": input, "tool_use_id": "toolu_1", "error": error,
    }))
}

/// What became of a failure: its category, or why it does not count.
enum Tried {
    Done(String),
    LeftOut(String),
    Wrong(String),
}

fn attempt(failure: &Failure) -> Tried {
    if let Some(lacking) = failure.needs.iter().find(|program| !executor::is_on_path(program)) {
        return Tried::LeftOut(format!("{}: no `{lacking}` here", failure.name));
    }
    let scene = Scene::new();
    match scene.bash(failure.scene, 60_000) {
        Bash::Ended(0, _) => {}
        Bash::Ended(77, _) => return Tried::LeftOut(format!("{}: this machine does not fail so", failure.name)),
        other => return Tried::Wrong(format!("{}: its folder cannot be made: {other:?}", failure.name)),
    }
    let Some(payload) = payload(failure, &scene) else {
        return Tried::LeftOut(format!("{}: it does not fail here", failure.name));
    };
    let plan = scene.recover(&payload);
    let category = plan["rootCause"]["category"].as_str().unwrap_or_default().to_owned();
    let primary = &plan["primaryStrategy"];
    let about = || format!("{}: {category}: {} for {payload}", failure.name, primary["name"]);
    let mut printed = String::new();
    for step in primary["steps"].as_array().into_iter().flatten() {
        let Some(tool) = step["tool"].as_str() else {
            return Tried::Wrong(format!("{}: it only asks: {plan}", about()));
        };
        match scene.call(tool, &step["args"]) {
            Ok(text) => printed.push_str(&text),
            // What only looks may show the failure once more.
            Err(text) if failure.looks && tool == "Bash" => printed.push_str(&text),
            Err(error) => return Tried::Wrong(format!("{}: step {} failed: {error}", about(), step["args"])),
        }
    }
    match scene.bash_with(failure.goal, 60_000, &[("PRINTED", &printed)]) {
        Bash::Ended(0, _)
            if failure.looks
                || primary["steps"]
                    .as_array()
                    .is_some_and(|steps| steps.iter().any(|step| step["performs"] == "operation")) =>
        {
            Tried::Done(category)
        }
        Bash::Ended(0, _) => Tried::Wrong(format!("{}: no step performs the operation", about())),
        other => Tried::Wrong(format!(
            "{}: the goal is not reached: {other:?}; steps {}; printed {printed}",
            about(),
            primary["steps"]
        )),
    }
}

#[test]
fn plans_get_past_real_failures() {
    let (mut done, mut left_out, mut wrong) = (0, Vec::new(), Vec::new());
    let mut categories = BTreeSet::new();
    for failure in FAILURES {
        match attempt(failure) {
            Tried::Done(category) => {
                done += 1;
                categories.insert(category);
            }
            Tried::LeftOut(why) => left_out.push(why),
            Tried::Wrong(why) => wrong.push(why),
        }
    }
    println!(
        "{done} of {} got past, {} left out, {} categories: {categories:?}",
        FAILURES.len(),
        left_out.len(),
        categories.len()
    );
    for why in &left_out {
        println!("left out: {why}");
    }
    assert!(wrong.is_empty(), "{} went wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    // A machine without compilers and package managers runs fewer.
    assert!(done > 0 && Path::new("/").is_dir());
}
