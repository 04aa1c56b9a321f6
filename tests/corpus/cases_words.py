"""One call for each wording that no other case meets: shells, system programs, version control, compilers, package
managers, clients of clouds and clusters (against a loopback server)."""
from dsl import Cases

C = CASES = Cases()
T, K, R, D, L = "test_failure", "compile_error", "runtime_error", "dependency_missing", "lint_error"
P, B, S, CF, Y = "path_not_found", "bad_arguments", "script_error", "config_or_state", "shell_syntax"
PD, NF, A, RB, RX, RN = "permission_denied", "command_not_found", "auth_required", "resource_busy", "resource_exhausted", "remote_not_found"
SE, V, M, RT, N, TO = "service_error", "vcs_state", "merge_conflict", "rate_limit", "network", "timeout"
API = "http://api.example.test:8099"


def x(id, cat, tool, cmd, files=None, **k):
    C.f("w-" + id, tool, cat, cmd, files=files or {}, **k)


def t(id, cat, tool, cmd, files=None, **k):
    C.t("w-" + id, tool, cat, cmd, files=files or {}, **k)


def z(id, cat, cmd, files=None, **k):
    x("zsh-" + id, cat, "zsh", cmd, files, shell="zsh", **k)


# Shells.
z("assign", Y, "n=; 'PID='$n")
z("comment", Y, "\\# list the files")
z("math", Y, "echo $((3 + ))")
z("attr", Y, "ls *(z9)")
z("sort", Y, "ls *(oz)")
z("number", Y, "ls *(L)")
z("readonly", Y, "readonly pier=1; pier=2")
z("ident", Y, "export 1pier=2")
z("cond", Y, "[[ a b c ]]")
z("bracket", Y, "[ 1 = 1")
z("empty", Y, "''")
z("notfound", NF, "shelf-sort --all")
z("notdir", P, "cd a.txt", {"a.txt": "x"})
z("exists", B, "setopt noclobber; echo x > a.txt", {"a.txt": "x"})
z("denied", PD, "./run.txt", {"run.txt": "echo x\n"})
z("format", "config_or_state", "chmod +x a.bin; ./a.bin", {"a.bin": "\x01\x02\x00\x00"})
z("arglist", "too_large", "/bin/echo {1..400000} | wc -c; exit ${pipestatus[1]}")
x("bash-ambiguous", Y, "bash", "unset out; echo x > $out")
x("bash-binary", Y, "bash", "[ a b c ]")
x("bash-integer", Y, "bash", "[ pier -gt 1 ]")
x("bash-bracket", Y, "bash", "[ 1 = 1")
x("bash-cd", P, "bash", "cd absent-dir && ls")
x("bash-readonly-fs", P, "bash", "echo x > /proc/pier")
x("bash-binfmt", CF, "bash", "chmod +x a.bin; ./a.bin", {"a.bin": "\x7fELF\x02\x01\x01\x00" + "\x00" * 8 + "\x02\x00\xb7\x00\x01\x00\x00\x00" + "\x00" * 40})
x("dash-notfound", NF, "dash", "shelf-sort --all", shell="dash")
x("dash-open", P, "dash", "cat < absent.txt", shell="dash")
x("dash-create", P, "dash", "echo x > absent/a.txt", shell="dash")
x("dash-denied", PD, "dash", "./run.txt", {"run.txt": "echo x\n"}, shell="dash")
x("env-nofile", NF, "env", "env shelf-sort")
x("env-shebang", NF, "bash", "./a.sh", {"a.sh": "#!/usr/bin/env shelf-sort\n"})
x("fish-unknown", NF, "fish", "shelf-sort", shell="fish")
x("sed-option", Y, "sed", "sed 's/a/b/q9' a.txt", {"a.txt": "x"})
x("sed-unterminated", Y, "sed", "sed 's/a/b' a.txt", {"a.txt": "x"})
x("sed-extra", Y, "sed", "sed 'd x' a.txt", {"a.txt": "x"})
x("sed-unknown", Y, "sed", "sed '?' a.txt", {"a.txt": "x"})
x("sed-expects", Y, "sed", "sed '/a/a' a.txt", {"a.txt": "a"})
x("awk-syntax", Y, "gawk", "gawk '{ print $1' a.txt", {"a.txt": "x"})
x("awk-orig", Y, "original-awk", "original-awk '{ print ( }' a.txt", {"a.txt": "x"})
x("mawk", Y, "mawk", "mawk '{ print ( }' a.txt", {"a.txt": "x"})
x("busybox-awk", Y, "busybox", "busybox awk '{ print ( }' a.txt", {"a.txt": "x"})
x("grep-paren", Y, "grep", "grep -E '(a' a.txt", {"a.txt": "x"})
x("grep-bracket", Y, "grep", "grep '[a' a.txt", {"a.txt": "x"})
x("grep-invalid", Y, "grep", "grep -P '(?<x' a.txt", {"a.txt": "x"})
x("grep-braces", Y, "grep", "grep -E 'a{2,1}' a.txt", {"a.txt": "x"})
x("rg-parse", Y, "rg", "rg '(a' .")
x("jq-parse", Y, "jq", "jq '.a |' a.json", {"a.json": "{}"})
# System programs.
for id, cmd in [("missing-operand", "cp"), ("extra-operand", "basename a b c"), ("xargs-option", "ls --shelf"), ("short-option", "ls -@"),
                ("find-arg", "find . -name"), ("find-paths", "find . -name a b"), ("find-predicate", "find . -shelf"), ("bb-option", "busybox ls -@"), ("bb-illegal", "busybox sed -@"),
                ("chmod-mode", "chmod 999x a.txt"), ("chgrp", "chgrp shelfgroup a.txt"),
                ("chown", "chown shelfuser a.txt"), ("head-number", "head -n x a.txt"), ("tail-number", "tail -n x a.txt"), ("date", "date -d pier"), ("kill-none", "kill 999999"),
                ("bin-kill", "/bin/kill 999999"), ("rmdir", "rmdir d"), ("rm-dir", "rm d"), ("cat-dir", "cat d"), ("tar-not", "tar xf a.txt"), ("unzip-not", "unzip a.txt"),
                ("openssl-x", "openssl shelf"), ("gzip-not", "gzip -d < a.txt"), ("seq-x", "seq x"), ("sort-k", "sort -k x a.txt"), ("cut-none", "cut a.txt"), ("split-x", "split -b 3x a.txt"),
                ("truncate-x", "truncate -s x a.txt"), ("ssh-option", "ssh -@ pier"), ("ln-none", "ln"), ("nice-x", "nice -n x ls"), ("timeout-x", "timeout x ls")]:
    x("sys-" + id, B, "coreutils", cmd, {"a.txt": "x\n", "d/b.txt": "x\n"}, needs="ls")
for id, cmd in [("stat", "stat absent.txt"), ("wc", "wc -l absent.txt"), ("cp", "cp absent.txt b.txt"), ("mkdir", "mkdir absent/deep"), ("touch", "touch absent/a.txt"), ("ln", "ln -s a absent/b"),
                ("mv", "mv a.txt absent/b.txt"), ("tee", "echo x | tee absent/a.txt; exit ${PIPESTATUS[1]}"), ("ln-failed", "ln a.txt absent/b.txt"), 
                ("openssl", "openssl x509 -in absent.pem -noout"), ("patch", "patch -p1 < absent.diff"), ("patch-i", "patch -p1 -i absent.diff"), ("diff3", "diff3 a.txt b.txt c.txt"), ("dd", "dd if=absent.img of=b.img"), ("install", "install -D absent.txt b/c.txt")]:
    x("sys-nofile-" + id, P, "coreutils", cmd, {"a.txt": "x\n"}, needs="ls")
NOBODY = "chmod 755 /home /home/dev . && chmod 700 own && setpriv --reuid=65534 --regid=65534 --clear-groups bash -c '{}'"
for id, cmd in [("ls", "ls own"), ("mkdir", "mkdir own/x"), ("touch", "touch own/x"), ("ln", "ln -s a own/x"), ("cat", "cat own/a.txt"), ("write", "echo x > own/a.txt"), ("rm", "rm -f own/a.txt"), ("kill", "kill 1"), ("chown", "chown root a.txt"), ("find", "find own -name x"), ("mknod", "mknod a c 1 1")]:
    x("sys-denied-" + id, PD, "coreutils", NOBODY.format(cmd), {"a.txt": "x\n", "own/a.txt": "x\n"}, needs="ls setpriv")
x("sys-nofiles", RX, "bash", "ulimit -n 3; ls . | cat; python3 -c 'open(\"a.txt\")'", {"a.txt": "x"})
x("sys-forks", RX, "python3", "python3 -c 'import resource; resource.setrlimit(resource.RLIMIT_AS, (60_000_000, 60_000_000)); import os; bytearray(10**9)'")
x("patch-garbage", B, "patch", "patch -p1 < a.diff", {"a.diff": "nothing here\n"})
x("patch-malformed", B, "patch", "patch -p1 < a.diff", {"a.txt": "x\n", "a.diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n x\n+y\n"})
x("patch-nofile", P, "patch", "patch -p1 --batch < a.diff", {"a.diff": "--- a/absent.txt\n+++ b/absent.txt\n@@ -1 +1 @@\n-x\n+y\n"})
# Version control.
GITS = [("badrev", B, "git diff absent-tag --"), ("badobj", B, "git show 1234567890123456789012345678901234567890"), ("notvalid", B, "git cat-file -p absent:a.txt"), ("invalidname", B, "git ls-tree absent"),
        ("pathexists", P, "git show HEAD:b.txt"), ("blame", P, "git blame absent.txt"), ("noremote", RN, "git remote set-url upstream x"), ("noremote2", V, "git remote remove upstream"), ("geturl", RN, "git remote get-url upstream"),
        ("clone-branch", RN, "git clone -q -b absent . ../shelf-clone"), ("chdir", P, "git -C absent-dir status"), ("unknown-switch", B, "git commit --shelf"), ("unknown-short", B, "git status -@"), ("unrecognized", B, "git log --shelf"),
        ("cannot-delete", V, "git branch -D main"), ("norebase", V, "git rebase --continue"), ("notcommit", B, "git checkout -b x absent"), ("apply-none", P, "git apply absent.patch"), ("am-none", P, "git am absent.patch"), ("commitfile", P, "git commit -F absent.txt"),
        ("corrupt", B, "printf -- '--- a/a.txt\\n+++ b/a.txt\\n@@ -1,9 +1,9 @@\\n x\\n' | git apply"), ("nograft", V, "git cherry-pick --continue"), ("worktree-dirty", V, "git worktree add -q ../shelf-wt HEAD~0 && touch ../shelf-wt/new.txt; git worktree remove ../shelf-wt; c=$?; git worktree remove -f ../shelf-wt; exit $c"),
        ("whitespace", L, "printf 'x\\n\\n\\n' > a.txt; git diff --check"), ("conflict-marker", M, "printf 'x\\n<<<<<<< HEAD\\n' > a.txt; git diff --check"), ("submodule", P, "printf 'x' > .gitmodules; git submodule update --init lib"), ("switch-absent", B, "git switch absent"),
        ("mustspecify", V, "git branch -m"), ("reset-file", B, "git reset absent-tag"), ("detached-pull", V, "git checkout -q --detach; git pull"), ("push-detached", CF, "git checkout -q --detach; git push"), ("stash-none", V, "git stash pop"), ("tag-exists", V, "git tag v1; git tag v1"), ("push-delete", RN, "git init -q --bare ../shelf-bare; git push -q ../shelf-bare main; git push ../shelf-bare --delete absent; c=$?; rm -rf ../shelf-bare; exit $c"),
        ("merge-unmerged", M, "git checkout -q -b x; echo y > a.txt; git commit -qam y; git checkout -q main; echo z > a.txt; git commit -qam z; git merge x >/dev/null; git merge x"), ("pick-unmerged", M, "git checkout -q -b x; echo y > a.txt; git commit -qam y; git checkout -q main; echo z > a.txt; git commit -qam z; git merge x >/dev/null; git cherry-pick x"),
        ("loadkey", A, "git config gpg.format ssh; git config user.signingkey ./absent-key; git commit -S --allow-empty -m x"), ("agent", A, "ssh-keygen -q -t ed25519 -N '' -f k; git config gpg.format ssh; git config user.signingkey \"key::$(cat k.pub)\"; env -u SSH_AUTH_SOCK git commit -S --allow-empty -m x"),
        ("hook-commit-msg", "commit_hook_failed", "printf '#!/bin/sh\\necho subject is too short; exit 1\\n' > .git/hooks/commit-msg; chmod +x .git/hooks/commit-msg; git commit --allow-empty -m x"), ("hook-declined", V, "git init -q --bare ../shelf-bare; printf '#!/bin/sh\\nexit 1\\n' > ../shelf-bare/hooks/pre-receive; chmod +x ../shelf-bare/hooks/pre-receive; git push ../shelf-bare main; c=$?; rm -rf ../shelf-bare; exit $c"),
        ("hook-push", "commit_hook_failed", "git init -q --bare ../shelf-bare; printf '#!/bin/sh\\necho the shelf is locked; exit 1\\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push; git push ../shelf-bare main; c=$?; rm -rf ../shelf-bare; exit $c"), ("restore", P, "git restore absent.txt"), ("notgitdir", P, "cd /; git --git-dir=/srv/none log"), ("lsremote", V, "git ls-remote"), ("date", B, "git log --format")]
for id, cat, cmd in GITS:
    x("git-" + id, cat, "git", cmd, {"a.txt": "x\n"}, git=True, setup="touch b.txt")
for code, cat in [("401", A), ("403", A)]:
    x("git-http-" + code, cat, "git", f"git clone {API}/{code}/pier.git")
t("git-http-500", SE, "git", f"git clone {API}/500/pier.git")
t("git-http-502", SE, "git", f"git clone {API}/502/pier.git")
t("git-ssh-dns", N, "git ssh", "git clone git@host.invalid:dev/pier.git")
x("git-ssh-refused", SE, "git ssh", "git clone ssh://git@127.0.0.1:1/dev/pier.git")
# Network.
for code, cat in [("401", A), ("403", A), ("404", RN), ("410", RN)]:
    x("curl-" + code, cat, "curl", f"curl -fsS {API}/{code}")
    x("wget-" + code, cat, "wget", f"wget -O a.out {API}/{code}")
for code, cat in [("408", TO), ("425", SE), ("429", RT), ("500", SE), ("502", SE), ("503", SE), ("504", SE)]:
    t("curl-" + code, cat, "curl", f"curl -fsS {API}/{code}")
    if code not in ("408", "425", "504"):
        t("wget-" + code, cat, "wget", f"wget --tries 1 -O a.out {API}/{code}")
t("curl-head-503", SE, "curl", f"curl -sSI {API}/503; exit 22")
t("curl-head-429", RT, "curl", f"curl -sSI {API}/429; exit 22")
x("curl-badopt", B, "curl", "curl -sS --max-time x http://127.0.0.1")
x("curl-nofile", P, "curl", f"curl -sS -T absent.txt {API}/200")
x("curl-file", P, "curl", "curl -sS file:///absent.txt")
x("curl-write", PD, "curl", f"curl -sS -o absent/a.txt {API}/200")
x("curl-zero", SE, "curl", "curl -sS http://0.0.0.0:1/")
x("curl-tls-version", N, "curl", f"curl -sS https://api.example.test:8099/drop")
x("wget-nodata", SE, "wget", f"wget --tries 1 -O a.out {API}/drop")
t("wget-dns", N, "wget", "wget --tries 1 -O a.out http://host.invalid/")
t("ssh-dns", N, "ssh", "ssh -o BatchMode=yes dev@host.invalid true")
x("ssh-refused", SE, "ssh", "ssh -o BatchMode=yes -o ConnectTimeout=3 -i absent dev@127.0.0.1 -p 1 true")
x("rsync-none", P, "rsync", "rsync -a absent/ b/")
# Compilers and builders.
x("gcc-option", B, "gcc", "gcc --shelf a.c", {"a.c": "int main(void) { return 0; }\n"})
x("gcc-nofile", P, "gcc", "gcc absent.c")
x("clang-option", B, "clang", "clang -fshelf a.c", {"a.c": "int main(void) { return 0; }\n"})
x("clang-nofile", P, "clang", "clang absent.c")
x("clang-errors", K, "clang", "clang a.c", {"a.c": "int main(void) { return a + b; }\n"})
x("ld-lib", D, "gcc", "gcc a.c -lshelf", {"a.c": "int main(void) { return 0; }\n"})
x("protoc-none", P, "protoc", "protoc --python_out=. absent.proto")
x("protoc-import", K, "protoc", "protoc --python_out=. a.proto", {"a.proto": 'syntax = "proto3";\nimport "absent.proto";\n'})
x("pkgconfig", D, "pkg-config", "pkg-config --libs shelf")
x("cmake-generator", B, "cmake", "cmake -G Shelf .", {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\n"})
x("cmake-find", D, "cmake", "cmake .", {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(x C)\nfind_package(GTest REQUIRED)\n"})
x("ninja-missing", P, "ninja", "ninja", {"build.ninja": "rule c\n command = cp $in $out\nbuild b.txt: c absent.txt\n"})
x("ninja-target", B, "ninja", "ninja shelf", {"build.ninja": "rule c\n command = cp $in $out\nbuild b.txt: c a.txt\n", "a.txt": "x"})
x("make-goal", B, "make", "make shelf", {"Makefile": "all:\n\ttrue\n"})
x("go-redeclared", K, "go", "go build ./...", {"go.mod": "module pier\n\ngo 1.19\n", "a.go": "package pier\n\nfunc Count() int { return 1 }\n\nfunc Count() int { return 2 }\n"})
x("go-method", K, "go", "go build ./...", {"go.mod": "module pier\n\ngo 1.19\n", "a.go": "package pier\n\ntype Rope struct{}\n\nfunc (Rope) Pull() {}\nfunc (Rope) Pull() {}\n"})
x("go-field", K, "go", "go build ./...", {"go.mod": "module pier\n\ngo 1.19\n", "a.go": "package pier\n\ntype Rope struct{}\n\nvar R = Rope{}.Length\n"})
x("go-setup", D, "go", "go test ./...", {"go.mod": "module pier\n\ngo 1.19\n", "a_test.go": "package pier\n\nimport \"pier/absent\"\n"})
x("go-std", D, "go", "go build ./...", {"go.mod": "module pier\n\ngo 1.19\n", "a.go": "package pier\n\nimport _ \"shelf\"\n"})
x("go-cycle", K, "go", "go build ./...", {"go.mod": "module pier\n\ngo 1.19\n", "a/a.go": "package a\n\nimport _ \"pier/b\"\n", "b/b.go": "package b\n\nimport _ \"pier/a\"\n"})
x("go-nomain", B, "go", "go run ./rope", {"go.mod": "module pier\n\ngo 1.19\n", "rope/a.go": "package rope\n"})
x("go-nofiles", P, "go", "go build .", {"go.mod": "module pier\n\ngo 1.19\n"})
x("go-constraints", K, "go", "go build ./rope", {"go.mod": "module pier\n\ngo 1.19\n", "rope/a.go": "//go:build windows\n\npackage rope\n"})
x("go-tool", NF, "go", "go tool shelf")
x("go-version", D, "go", "go get example.org/rope@vx", {"go.mod": "module pier\n\ngo 1.19\n"}, setup="true")
x("go-newer", D, "go", "go build ./...", {"go.mod": "module pier\n\ngo 1.19\n\nrequire example.org/rope v1.0.0\n", "a.go": "package pier\n\nimport _ \"example.org/rope\"\n"})
x("go-gofmt", K, "gofmt", "gofmt -l a.go", {"a.go": "package pier\n\nfunc Count( {\n"}, needs="go")
x("go-run-file", P, "go", "go run absent.go", {"go.mod": "module pier\n\ngo 1.19\n"})
t("go-proxy-500", SE, "go", f"GOFLAGS=-mod=mod GONOSUMDB=* GOPROXY={API}/500 go get example.org/rope", {"go.mod": "module pier\n\ngo 1.19\n"})
x("go-refused", SE, "go", "GOFLAGS=-mod=mod GONOSUMDB=* GOPROXY=http://127.0.0.1:1 go get example.org/rope", {"go.mod": "module pier\n\ngo 1.19\n"})
t("go-eof", N, "go", f"GOFLAGS=-mod=mod GONOSUMDB=* GOPROXY={API}/drop go get example.org/rope", {"go.mod": "module pier\n\ngo 1.19\n"})
x("go-panicked-test", T, "go", "go test ./...", {"go.mod": "module pier\n\ngo 1.19\n", "a_test.go": "package pier\n\nimport \"testing\"\n\nfunc TestRope(t *testing.T) { t.Fatal(\"slack\") }\n"})
CT = {"Cargo.toml": '[package]\nname = "pier"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": "pub fn f() {}\n"}
x("cargo-sub", NF, "cargo", "cargo shelf", CT)
x("cargo-test-target", B, "cargo", "cargo test --test absent", CT)
x("cargo-manifest", P, "cargo", "cargo build --manifest-path absent/Cargo.toml")
x("cargo-feature", B, "cargo", "cargo build --features x", {"Cargo.toml": '[workspace]\nmembers = ["a"]\n', "a/Cargo.toml": CT["Cargo.toml"], "a/src/lib.rs": ""})
x("cargo-locked", CF, "cargo", "cargo build --locked --offline", {**CT, "Cargo.toml": CT["Cargo.toml"] + '\n[dependencies]\nrope = { path = "rope" }\n', "Cargo.lock": 'version = 3\n\n[[package]]\nname = "pier"\nversion = "0.1.0"\n', "rope/Cargo.toml": CT["Cargo.toml"].replace("pier", "rope"), "rope/src/lib.rs": ""})
x("cargo-nopkg", D, "cargo", "cargo build --offline", {**CT, "Cargo.toml": CT["Cargo.toml"] + '\n[dependencies]\nrope = { path = "rope" }\n', "rope/Cargo.toml": CT["Cargo.toml"].replace("pier", "line"), "rope/src/lib.rs": ""})
x("cargo-source", D, "cargo", "cargo build --offline", {**CT, "Cargo.toml": CT["Cargo.toml"] + '\n[dependencies]\nrope = { git = "file:///srv/absent" }\n'})
x("cargo-linker", NF, "cargo", "RUSTFLAGS='-C linker=shelf-ld' cargo build", {**CT, "src/main.rs": "fn main() {}\n"})
x("cargo-toolchain", D, "cargo", "cargo +shelf build", CT)
x("rustc-crate", D, "rustc", "rustc a.rs", {"a.rs": "extern crate shelf;\nfn main() {}\n"})
x("rustc-undeclared", K, "cargo", "cargo build", {**CT, "src/lib.rs": "pub fn f() { shelf::g(); }\n"})
x("rustc-nofile", P, "rustc", "rustc absent.rs")
x("rustfmt-diff", L, "rustfmt", "rustfmt --check a.rs", {"a.rs": "fn main(){}\n"})
x("clippy-cli", L, "cargo", "cargo clippy -- -D clippy::unwrap_used", {**CT, "src/lib.rs": "pub fn f(a: Option<u8>) -> u8 { a.unwrap() }\n"})
for id, body in [("denied", 'std::fs::write("/proc/1/x", "x").unwrap()'), ("inuse", 'let a = std::net::TcpListener::bind("127.0.0.1:0").unwrap(); std::net::TcpListener::bind(a.local_addr().unwrap()).map(|_| ()).unwrap()'), ("full", 'std::fs::write("/dev/full", "x").unwrap()')]:
    x("rust-panic-" + id, {"denied": P, "inuse": RB, "full": RX}[id], "cargo", "cargo run -q", {"Cargo.toml": CT["Cargo.toml"], "src/main.rs": "fn main() { " + body + " }\n"})
x("javac-none", P, "javac", "javac Absent.java")
x("javac-release", CF, "javac", "javac --release 99 A.java", {"A.java": "class A {}\n"})
JAVA = "public class A {{ public static void main(String[] a) throws Exception {{ {} }} }}\n"
for id, cat, body in [("nofile", P, 'new java.io.FileInputStream("absent.txt");'), ("denied", P, 'java.nio.file.Files.readString(java.nio.file.Path.of("absent.txt"));'), ("refused", SE, 'new java.net.Socket("127.0.0.1", 1);'), ("dns", N, 'new java.net.Socket("host.invalid", 80);'),
                      ("bind", RB, 'var s = new java.net.ServerSocket(0); new java.net.ServerSocket(s.getLocalPort());'), ("noclass", D, 'Class.forName("pier.Absent");'), ("exception", R, 'throw new IllegalStateException("slack");')]:
    (t if id == "dns" else x)("java-" + id, cat, "java", "java A.java", {"A.java": JAVA.format(body)})
x("kotlin-nofile", K, "kotlinc", "kotlinc a.kt -d a.jar", {"a.kt": "fun main() { pull(rope) }\n"})
x("scala-import", D, "scalac", "scalac a.scala", {"a.scala": "import pier.rope.Knot\nobject A\n"})
x("ghc-module", D, "ghc", "ghc A.hs", {"A.hs": "import Pier.Rope\nmain = pure ()\n"})
x("runghc", D, "runghc", "runghc A.hs", {"A.hs": "import Pier.Rope\nmain = pure ()\n"})
x("runghc-type", K, "runghc", "runghc A.hs", {"A.hs": "main = putStrLn 3\n"})
x("ocaml-exc", R, "ocaml", "ocaml a.ml", {"a.ml": 'let () = failwith "slack"\n'})
x("ocaml-native", R, "ocamlfind", "ocamlopt a.ml -o a && ./a", {"a.ml": 'let () = failwith "slack"\n'}, needs="ocamlopt")
x("dune-rule", B, "dune", "dune build shelf.exe", {"dune-project": "(lang dune 2.0)\n"})
x("fpc", K, "fpc", "fpc a.pas", {"a.pas": "program a;\nuses shelf;\nbegin\nend.\n"})
x("erlc", K, "erlc", "erlc a.erl", {"a.erl": "-module(a).\n-export([f/0]).\nf() -> g(.\n"})
x("latex", K, "pdflatex", "pdflatex -interaction=nonstopmode a.tex", {"a.tex": "\\documentclass{article}\n\\begin{document}\n\\rope\n\\end{document}\n"})
x("latex-sty", D, "pdflatex", "pdflatex -interaction=nonstopmode a.tex", {"a.tex": "\\documentclass{article}\n\\usepackage{shelfrope}\n\\begin{document}\nx\n\\end{document}\n"})
x("latex-env", K, "pdflatex", "pdflatex -interaction=nonstopmode a.tex", {"a.tex": "\\documentclass{article}\n\\begin{document}\n\\begin{rope}\n\\end{document}\n"})
x("tcl", R, "tclsh", "tclsh a.tcl", {"a.tcl": "pull rope\n"})
x("r-package", D, "Rscript", "Rscript -e 'library(shelf)'")
x("mix-none", B, "mix", "mix shelf")
x("elixir-token", K, "elixir", "elixir a.exs", {"a.exs": "defmodule A do\n  def f( do\nend\n"})
x("elixir-missing", K, "elixir", "elixir a.exs", {"a.exs": "defmodule A do\n  def f do\n    1\n"})
x("php-parse", K, "php", "php a.php", {"a.php": "<?php\nfunction f( {\n"})
x("php-lint", K, "php", "php -l a.php", {"a.php": "<?php\nfunction f( {\n"})
x("php-uncaught", R, "php", "php a.php", {"a.php": "<?php\nthrow new Exception('slack');\n"})
t("ruby-reset", N, "ruby", "ruby -rsocket -e 's = TCPServer.new(0); Thread.new { c = s.accept; c.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack(\"ii\")); c.close }; c = TCPSocket.new(\"127.0.0.1\", s.addr[1]); sleep 0.2; c.read'")
x("ruby-404", RN, "ruby", f"ruby -ropen-uri -e 'URI.open(\"{API}/404\")'")
t("ruby-429", RT, "ruby", f"ruby -ropen-uri -e 'URI.open(\"{API}/429\")'")
t("ruby-503", SE, "ruby", f"ruby -ropen-uri -e 'URI.open(\"{API}/503\")'")
t("ruby-dns", N, "ruby", "ruby -rsocket -e 'TCPSocket.new(\"host.invalid\", 80)'")
x("perl-syntax", R, "perl", "perl a.pl", {"a.pl": "my $x = ;\n"})
x("lua", R, "lua5.4", "lua5.4 a.lua", {"a.lua": "error('slack')\n"})
x("lua-plain", R, "lua", "lua a.lua", {"a.lua": "pull(rope)\n"})
x("rspec-nested", T, "rspec", "rspec a_spec.rb", {"a_spec.rb": "RSpec.describe 'rope' do\n  context 'wet' do\n    it('holds') { expect(1).to eq 2 }\n  end\nend\n"})
x("minitest", T, "ruby", "ruby a_test.rb", {"a_test.rb": "require 'minitest/autorun'\nclass A < Minitest::Test\n  def test_rope; assert_equal 1, 2; end\nend\n"})
x("minitest-error", T, "ruby", "ruby a_test.rb", {"a_test.rb": "require 'minitest/autorun'\nclass A < Minitest::Test\n  def test_rope; raise 'slack'; end\nend\n"})
x("rubocop-syntax", L, "rubocop", "rubocop a.rb", {"a.rb": "def f(\n"})
x("bundle-gem", D, "bundle", "bundle exec rake", {"Gemfile": "source 'http://127.0.0.1:1'\ngem 'shelf-rope'\n"})
x("composer-req", D, "composer", "composer install --no-interaction", {"composer.json": '{"require": {"pier/rope": "1.0"}, "repositories": [{"packagist.org": false}]}'})
x("behave", T, "behave", "behave", {"features/a.feature": "Feature: rope\n  Scenario: holds\n    Given a rope\n", "features/steps/a.py": "from behave import given\n\n@given('a rope')\ndef f(c):\n    assert 1 == 2\n"})
# Package managers.
x("apt-locate", D, "apt-get", "apt-get install -y shelf-rope")
x("apt-candidate", D, "apt-get", "apt-get install -y mail-transport-agent-shelf")
t("apt-503", SE, "apt-get", f"mkdir -p l/partial; printf 'deb [trusted=yes] {API}/503 pier main\\n' > a.list; apt-get update -o Dir::Etc::sourcelist=$PWD/a.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/l -o Acquire::Retries=0 -o APT::Update::Error-Mode=any")
x("apt-404", RN, "apt-get", f"mkdir -p l/partial; printf 'deb [trusted=yes] {API}/404 pier main\\n' > a.list; apt-get update -o Dir::Etc::sourcelist=$PWD/a.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/l -o APT::Update::Error-Mode=any")
t("apt-429", RT, "apt-get", f"mkdir -p l/partial; printf 'deb [trusted=yes] {API}/429 pier main\\n' > a.list; apt-get update -o Dir::Etc::sourcelist=$PWD/a.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/l -o Acquire::Retries=0 -o APT::Update::Error-Mode=any")
t("apt-dns", N, "apt-get", "mkdir -p l/partial; printf 'deb [trusted=yes] http://host.invalid/x pier main\\n' > a.list; apt-get update -o Dir::Etc::sourcelist=$PWD/a.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/l -o APT::Update::Error-Mode=any")
PK = {"package.json": '{"name": "pier", "version": "1.0.0", "scripts": {"build": "exit 3"}}'}
NPM = "npm --fetch-retries 0 "
x("npm-cached", D, "npm", NPM + "install --offline left-shelf", PK)
for code, cat, kind in [("401", A, x), ("403", A, x), ("404", D, x), ("429", RT, t), ("500", SE, t), ("503", SE, t)]:
    kind("npm-" + code, cat, "npm", NPM + f"install --registry {API}/{code} left-shelf", PK)
    kind("bun-" + code, cat, "bun", f"BUN_CONFIG_REGISTRY={API}/{code} bun add left-shelf", PK, needs="bun")
t("npm-timeout", TO, "npm", NPM + f"install --fetch-timeout 800 --registry {API}/slow left-shelf", PK)
t("bun-drop", N, "bun", f"BUN_CONFIG_REGISTRY={API}/drop bun add left-shelf", PK, needs="bun")
x("pnpm-engine", CF, "pnpm", "pnpm install --engine-strict", {"package.json": '{"name": "pier", "engines": {"node": ">=99"}}', ".npmrc": "engine-strict=true\n"}, needs="pnpm")
x("pnpm-nomanifest", P, "pnpm", "pnpm install", needs="pnpm")
x("pnpm-nomanifest-run", P, "pnpm", "pnpm run build", needs="pnpm")
x("pnpm-recursive", R, "pnpm", "pnpm -r run build", {"package.json": '{"name": "pier"}', "pnpm-workspace.yaml": "packages:\n  - a\n", "a/package.json": '{"name": "a", "scripts": {"build": "exit 3"}}'}, needs="pnpm")
x("pnpm-exec", NF, "pnpm", "pnpm exec shelf-sort", PK, needs="pnpm")
x("pnpm-noscript", B, "pnpm", "pnpm -r run absent", {"package.json": '{"name": "pier"}', "pnpm-workspace.yaml": "packages:\n  - a\n", "a/package.json": '{"name": "a"}'}, needs="pnpm")
x("bun-script", R, "bun", "bun run build", PK, needs="bun")
x("bun-frozen", CF, "bun", "bun install --frozen-lockfile", {"package.json": '{"name": "pier", "dependencies": {"rope": "file:./rope"}}', "rope/package.json": '{"name": "rope", "version": "1.0.0"}', "bun.lock": '{"lockfileVersion": 1, "workspaces": {"": {"name": "pier"}}, "packages": {}}'}, needs="bun")
x("pip-both", D, "pip", "pip install --no-index ./a ./b", {"a/pyproject.toml": '[project]\nname = "a"\nversion = "1"\ndependencies = ["c==1"]\n', "b/pyproject.toml": '[project]\nname = "b"\nversion = "1"\n'})
x("pip-notpkg", P, "pip", "pip install ./a", {"a/a.txt": "x"})
t("pip-503", SE, "pip", f"pip install --retries 0 --trusted-host api.example.test {API}/503/rope-1.0-py3-none-any.whl")
x("pip-refused", SE, "pip", "pip install --retries 1 --index-url http://127.0.0.1:1/simple rope-shelf")
x("uv-spawn", NF, "uv", "uv run --no-project shelf-sort")
x("poetry-solve", D, "poetry", "poetry lock --no-interaction", {"pyproject.toml": '[tool.poetry]\nname = "pier"\nversion = "1.0"\ndescription = ""\nauthors = []\npackage-mode = false\n\n[tool.poetry.dependencies]\npython = ">=3.9"\nrope = {path = "rope"}\n', "rope/pyproject.toml": '[project]\nname = "rope"\nversion = "1"\nrequires-python = ">=3.99"\n'})
# Programs in Python and Node.
PY = "python3 a.py"
HTTP = {"urllib": "import urllib.request\nurllib.request.urlopen('{}')\n", "requests": "import requests\nrequests.get('{}').raise_for_status()\n", "httpx": "import httpx\nhttpx.get('{}').raise_for_status()\n"}
for code, cat, kind in [("401", A, x), ("403", A, x), ("404", RN, x), ("408", TO, t), ("429", RT, t), ("500", SE, t), ("503", SE, t)]:
    for lib, body in HTTP.items():
        kind(f"py-{lib}-{code}", cat, "python3", PY, {"a.py": body.format(f"{API}/{code}")})
    if code != "408":
        kind(f"node-fetch-{code}", cat, "node", "node a.mjs", {"a.mjs": f"const r = await fetch('{API}/{code}');\nif (!r.ok) throw new Error(`fetch of the shelf failed: ${{r.status}} ${{r.statusText}}`);\n"})
for id, cat, body, kind in [("drop", N, f"import httpx\nhttpx.get('{API}/drop')\n", t), ("slow", TO, f"import urllib.request\nurllib.request.urlopen('{API}/slow', timeout=1)\n", t), ("httpx-dns", N, "import httpx\nhttpx.get('http://host.invalid/')\n", t), ("slow-httpx", TO, f"import httpx\nhttpx.get('{API}/slow', timeout=1)\n", t),
                            ("import", D, "from shelf import rope\n", x), ("token", CF, "import os\nos.environ['PIER_TOKEN']\n", x), ("host", CF, "import os\nos.environ['PIER_HOST']\n", x), ("short", N, f"import urllib.request\nurllib.request.urlopen('{API}/short').read()\n", t),
                            ("json", R, "import json\njson.loads('{} x')\n", x), ("assert", R, "assert 1 == 2\n", x), ("locked", RB, "import sqlite3\na = sqlite3.connect('a.db')\na.execute('create table t(x)')\na.execute('begin exclusive')\nsqlite3.connect('a.db', timeout=0).execute('insert into t values (1)')\n", t), ("refused", SE, "import redis\nredis.Redis(port=1).ping()\n", x),
                            ("pg", SE, "import psycopg2\npsycopg2.connect(host='127.0.0.1', port=1)\n", x), ("oom", RX, "import resource\nresource.setrlimit(resource.RLIMIT_AS, (200_000_000,) * 2)\nbytearray(10**9)\n", x)]:
    kind("py-" + id, cat, "python3", PY, {"a.py": body})
CLICK = {"a.py": "import click\n\n@click.group()\ndef cli(): pass\n\n@cli.command()\n@click.argument('rope')\n@click.option('--size', type=int, required=True)\ndef pull(rope, size): pass\n\ncli()\n"}
TYPER = {"a.py": "import typer\n\napp = typer.Typer()\n\n@app.command()\ndef pull(rope: str, size: int = typer.Option(...)): pass\n\n@app.command()\ndef push(): pass\n\napp()\n"}
ARGP = {"a.py": "import argparse\n\np = argparse.ArgumentParser(prog='pier')\ns = p.add_subparsers(dest='cmd', required=True)\nq = s.add_parser('pull')\nq.add_argument('rope')\nq.add_argument('--size', type=int)\np.parse_args()\n"}
for lib, files in [("click", CLICK), ("typer", TYPER), ("argparse", ARGP)]:
    for id, args in [("option", "pull x --shelf"), ("extra", "pull x y --size 1"), ("value", "pull x --size y"), ("command", "shelf"), ("argument", "pull --size 1"), ("required", "pull x --bare")]:
        x(f"{lib}-{id}", B, "python3", f"{PY} {args}", files)
for id, cat, body in [("isdir", "bad_arguments", "require('fs').readFileSync('.')"), ("uncaught", R, "Promise.reject(new RangeError('slack'))"), ("string", R, "throw 'slack'"), ("mod", D, "require('shelf-rope')"), ("badport", SE, "fetch('http://127.0.0.1:1/').catch(e => { throw e })"), ("opened", P, "require('fs').openSync('absent.txt')"), ("reason", N, "require('http').get('http://host.invalid/')")]:
    (t if id == "reason" else x)("node-" + id, cat, "node", "node a.js", {"a.js": body + "\n"})
x("node-options", B, "node", "NODE_OPTIONS=--shelf node -e 1")
x("node-esm", P, "node", "node a.mjs", {"a.mjs": "import './absent.mjs'\n"})
# Clusters and clouds: a loopback server answers.
STATUS = '{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "MESSAGE", "reason": "REASON", "code": CODE}'
KUBE = "import http.server, sys\n\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        b = open('answer.json', 'rb').read()\n        code = int(open('code').read())\n        self.send_response(code)\n        self.send_header('Content-Type', open('kind').read())\n        self.send_header('Content-Length', str(len(b)))\n        self.end_headers()\n        self.wfile.write(b if self.command != 'HEAD' else b'')\n    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET\n    def log_message(self, *a): pass\n\nhttp.server.ThreadingHTTPServer(('127.0.0.1', 8101), H).serve_forever()\n"


def served(id, cat, tool, cmd, code, body, kind="application/json", transient=False):
    (t if transient else x)(id, cat, tool, cmd, {"serve.py": KUBE, "answer.json": body, "code": str(code), "kind": kind}, setup="fuser -k 8101/tcp 2>/dev/null; sleep 0.1; setsid python3 serve.py </dev/null >/dev/null 2>&1 & sleep 0.6")


for reason, code, cat, message, late in [("NotFound", 404, RN, 'pods \\"rope\\" not found', False), ("Forbidden", 403, A, 'pods is forbidden: User \\"dev\\" cannot list', False), ("TooManyRequests", 429, RT, "too many requests, please try again later", True), ("ServiceUnavailable", 503, SE, "the server is starting", True),
                                         ("Timeout", 504, TO, "request timed out", True), ("BadRequest", 400, B, "the field is wrong", False), ("AlreadyExists", 409, CF, "already there", False), ("Conflict", 409, CF, "the object has been modified", False)]:
    served("kubectl-" + reason.lower(), cat, "kubectl", "kubectl --server http://127.0.0.1:8101 get --raw /api/v1/pods/rope", code, STATUS.replace("MESSAGE", message).replace("REASON", reason).replace("CODE", str(code)), transient=late)
x("kubectl-flag", B, "kubectl", "kubectl get pods --shelf")
x("kubectl-command", B, "kubectl", "kubectl shelf")
x("kubectl-context", CF, "kubectl", "kubectl config use-context absent")
x("kubectl-current", CF, "kubectl", "kubectl config current-context")
x("kubectl-refused", SE, "kubectl", "kubectl --server http://127.0.0.1:1 get pods")
t("kubectl-dns", N, "kubectl", "kubectl --server http://host.invalid get pods")
x("kubectl-path", P, "kubectl", "kubectl apply -f absent.yaml")
x("kubectl-kustomize", P, "kubectl", "kubectl kustomize absent")
AWS = "AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_MAX_ATTEMPTS=1 aws --region eu-west-1 --endpoint-url http://127.0.0.1:8101 "
for code, name, cat, late in [(404, "DoesNotExistException", RN, False), (400, "InvalidClientTokenId", A, False), (403, "SignatureDoesNotMatch", A, False), (403, "UnrecognizedClientException", A, False), (400, "LimitExceededException", RX, False), (400, "ResourceInUseException", CF, False), (400, "MissingParameter", B, False),
                              (400, "MalformedPolicyDocument", B, False), (400, "ValidationException", B, False), (400, "ThrottlingException", RT, True), (400, "RequestLimitExceeded", RT, True), (503, "ServiceUnavailable", SE, True), (403, "UnauthorizedOperation", A, False), (404, "ResourceNotFoundException", RN, False), (400, "ExpiredToken", A, False)]:
    served("aws-" + name.lower(), cat, "aws", AWS + "dynamodb list-tables", code, '{"__type": "com.example#NAME", "message": "not now"}'.replace("NAME", name), "application/x-amz-json-1.0", late)
served("aws-slowdown", RT, "aws", AWS + "s3api list-objects --bucket pier", 503, "<Error><Code>SlowDown</Code><Message>Reduce your request rate</Message></Error>", "application/xml", True)
served("aws-head-404", RN, "aws", AWS + "s3api head-object --bucket pier --key rope", 404, "", "application/xml")
served("aws-head-403", A, "aws", AWS + "s3api head-object --bucket pier --key rope", 403, "", "application/xml")
t("aws-refused", N, "aws", "AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_MAX_ATTEMPTS=1 aws --region eu-west-1 --endpoint-url http://127.0.0.1:1 dynamodb list-tables")
x("aws-region", CF, "aws", "AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b aws dynamodb list-tables")
x("aws-parameter", B, "aws", AWS + "s3api get-object --bucket x --key '' a.txt")
x("aws-path", P, "aws", AWS + "s3 cp absent.txt s3://pier/a")
x("docker-command", B, "docker", "docker shelf")
x("docker-flag", B, "docker", "docker ps --shelf")
x("docker-daemon", SE, "docker", "DOCKER_HOST=tcp://127.0.0.1:1 docker ps")
x("docker-inspect", SE, "docker", "DOCKER_HOST=unix:///srv/none.sock docker inspect rope")
TF = {"main.tf": 'variable "rope" {}\n\noutput "rope" {\n  value = var.rope\n}\n'}
x("tf-undeclared", B, "terraform", "terraform plan -input=false -var rope=1 -var shelf=2", TF, setup="terraform init")
x("tf-varfile", P, "terraform", "terraform plan -input=false -var-file absent.tfvars", TF, setup="terraform init")
x("tf-workspace", CF, "terraform", "terraform workspace select absent", TF, setup="terraform init")
x("tf-stale", CF, "terraform", "terraform apply -auto-approve -input=false -var rope=1 && terraform plan -out p -var rope=2 >/dev/null && terraform apply -auto-approve -var rope=3 >/dev/null; terraform apply p", TF, setup="terraform init")
x("tf-core", CF, "terraform", "terraform init", {"main.tf": 'terraform {\n  required_version = "< 0.12"\n}\n'})
x("tf-provider", D, "terraform", "terraform init", {"main.tf": 'terraform {\n  required_providers {\n    rope = { source = "pier/rope" }\n  }\n}\n'})
x("tf-module", D, "terraform", "terraform validate", {"main.tf": 'module "rope" {\n  source = "./rope"\n}\n', "rope/main.tf": ""})
x("tf-reference", K, "terraform", "terraform validate", {"main.tf": 'output "a" {\n  value = rope\n}\n'}, setup="terraform init")
x("tf-argument", K, "terraform", "terraform validate", {"main.tf": 'output "a" {\n}\n'}, setup="terraform init")
x("tf-fmt", K, "terraform", "terraform fmt -check", {"main.tf": 'output "a" {\n'})
x("ansible-none", P, "ansible-playbook", "ansible-playbook absent.yml")
x("ansible-host", N, "ansible-playbook", "ansible-playbook -i host.invalid, a.yml", {"a.yml": "- hosts: all\n  gather_facts: false\n  tasks:\n    - ping:\n"})
SQL = "redis-server --port 6401 --requirepass rope --daemonize yes >/dev/null; sleep 0.5; {}; c=$?; redis-cli -p 6401 -a rope shutdown nosave 2>/dev/null; exit $c"
x("redis-wrong", A, "redis-cli", SQL.format("redis-cli -e -p 6401 --user dev --pass wrong get a"))
x("sqlite-line", S, "sqlite3", "sqlite3 a.db < a.sql", {"a.sql": "create table t(x);\nselect y from t;\n"})
x("sqlite-open", P, "sqlite3", "sqlite3 absent/a.db 'select 1'")
x("sqlite-cmd", S, "sqlite3", "sqlite3 a.db 'select y'")
x("mysql-none", SE, "mysql", "mysql -h 127.0.0.1 -P 1 -e 'select 1'")
ALE = {"alembic.ini": "[alembic]\nscript_location = m\nsqlalchemy.url = sqlite:///a.db\n"}
x("alembic-none", CF, "alembic", "alembic upgrade head")
x("alembic-behind", CF, "alembic", "alembic revision --autogenerate -m x", setup="alembic init m && sed -i 's|^sqlalchemy.url.*|sqlalchemy.url = sqlite:///a.db|' alembic.ini && alembic revision -m a")
for code, cat, late in [(401, A, False), (403, A, False), (404, RN, False), (422, B, False), (429, RT, True), (502, SE, True)]:
    (t if late else x)(f"gh-{code}", cat, "gh", "GH_TOKEN=x GH_HOST=127.0.0.1:8102 SSL_CERT_FILE=$PWD/c.pem gh api repos/dev/pier", {"serve.py": KUBE.replace("http.server.ThreadingHTTPServer(('127.0.0.1', 8101), H).serve_forever()", "import ssl\ns = http.server.ThreadingHTTPServer(('127.0.0.1', 8102), H)\nc = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\nc.load_cert_chain('c.pem', 'k.pem')\ns.socket = c.wrap_socket(s.socket, server_side=True)\ns.serve_forever()"), "answer.json": '{"message": "not now"}', "code": str(code), "kind": "application/json"},
      setup="fuser -k 8102/tcp 2>/dev/null; openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 9 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1; setsid python3 serve.py </dev/null >/dev/null 2>&1 & sleep 2")
x("gh-flag", B, "gh", "gh pr list --shelf")
x("gh-command", B, "gh", "gh shelf")
x("gh-args", B, "gh", "gh repo view a b")
x("gh-short", B, "gh", "gh pr list -@")
x("gh-auth", A, "gh", "gh pr list", git=True)
x("gh-norepo", P, "gh", "GH_TOKEN=x gh pr list")
# Linters and formatters.
x("shellcheck-error", L, "shellcheck", "shellcheck a.bash", {"a.bash": "#!/bin/bash\necho $[1+2]\nif [ $1 == x ]; then echo x\nfi\n[[ x =~ \"y\" ]]\nrm -rf \"$1/\"\nread a\n"})
x("shellcheck-gcc", L, "shellcheck", "shellcheck -f gcc a.sh", {"a.sh": "#!/bin/sh\nx=(1 2)\necho $1\n"})
x("ruff-syntax", K, "ruff", "ruff check --output-format concise a.py", {"a.py": "def f(:\n"})
x("ruff-format", L, "ruff", "ruff format --check a.py", {"a.py": "x = { 'a':1 }\n"})
x("ruff-format-syntax", K, "ruff", "ruff format a.py", {"a.py": "def f(:\n"})
x("ruff-fixed", L, "ruff", "ruff check --fix a.py", {"a.py": "import os\nprint(y)\n"})
x("flake8-syntax", K, "flake8", "flake8 a.py", {"a.py": "def f(:\n"})
x("pydocstyle", L, "pydocstyle", "pydocstyle a.py", {"a.py": "def f():\n    pass\n\n\nclass A:\n    def _g(self):\n        pass\n"})
x("pytest-indent", K, "pytest", "pytest -q", {"test_a.py": "def test_a():\nassert 1\n"})
x("pycompile-indent", K, "python3", "python3 -m py_compile a.py", {"a.py": "def f():\nreturn 1\n"})
x("pycompile-tab", K, "python3", "python3 -m py_compile a.py", {"a.py": "def f():\n        x = 1\n\treturn x\n"})
x("prettier-config", CF, "prettier", "prettier --check a.js", {"a.js": "x\n", ".prettierrc": "{ x"}, needs="prettier", node=True)
x("biome-parse", L, "biome", "biome check a.js", {"a.js": "function f( {\n"}, needs="biome", node=True)
x("eslint-rule", L, "eslint", "eslint a.js", {"a.js": "var a = 1;\n", "eslint.config.js": "module.exports = [{ rules: { 'shelf/rope': 'error' } }];\n"}, needs="eslint", node=True)
x("eslint-none", B, "eslint", "eslint absent.js", {"eslint.config.js": "module.exports = [];\n"}, needs="eslint", node=True)
x("stylelint-config", CF, "stylelint", "stylelint a.css", {"a.css": "a{}\n"}, needs="stylelint", node=True)
x("commitlint", L, "commitlint", "echo Bad | commitlint", {"commitlint.config.js": "module.exports = { rules: { 'type-empty': [2, 'never'] } };\n"}, needs="commitlint", node=True)
x("tsc-option", B, "tsc", "tsc --shelf a.ts", {"a.ts": "export {}\n"}, needs="tsc", node=True)
x("tsc-nofile", P, "tsc", "tsc absent.ts", needs="tsc", node=True)
x("tsc-types", D, "tsc", "tsc -p .", {"tsconfig.json": '{"compilerOptions": {"types": ["rope"], "noEmit": true}, "files": ["a.ts"]}', "a.ts": "export {}\n"}, needs="tsc", node=True)
x("tsc-pretty", D, "tsc", "tsc --pretty --noEmit a.ts", {"a.ts": "import x from 'rope-shelf';\nx;\n"}, needs="tsc", node=True)
x("esbuild", K, "esbuild", "esbuild a.js --bundle", {"a.js": "let x = ;\n"}, needs="esbuild", node=True)
x("esbuild-two", K, "esbuild", "esbuild a.ts", {"a.ts": "let x = ;\nlet x: = 2\n"}, needs="esbuild", node=True)
x("rollup", K, "rollup", "rollup a.js -d out", {"a.js": "let x = ;\n"}, needs="rollup", node=True)
x("sass-use", K, "sass", "sass a.scss", {"a.scss": "@use 'rope';\n"}, needs="sass", node=True)
x("jest-multi", CF, "jest", "jest", {"package.json": '{"jest": {}}', "jest.config.js": "module.exports = {};\n"}, needs="jest", node=True)
x("jest-kinds", T, "jest", "jest", {"a.test.jsx": "test('a', () => { expect(1).toBe(2) })\n", "b.test.js": "test('b', () => { expect(1).toBe(2) })\n", "package.json": "{}"}, needs="jest", node=True)
x("node-test-nested", T, "node", "node --test", {"a.test.js": "const t = require('node:test'); t('rope', async c => { await c.test('wet', () => { throw new Error('slack') }) });\n"})
x("bats", T, "bats", "bats a.bats", {"a.bats": "@test 'rope' {\n  false\n}\n"})
x("ctest", T, "ctest", "cmake . >/dev/null && make >/dev/null && ctest", {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(x C)\nadd_executable(a a.c)\nadd_test(NAME a COMMAND a)\nenable_testing()\n", "a.c": "int main(void) { int *p = 0; return *p; }\n"}, needs="ctest")
x("phpunit", T, "phpunit", "phpunit ATest.php", {"ATest.php": "<?php\nfinal class ATest extends PHPUnit\\Framework\\TestCase { function testRope(): void { $this->assertSame(1, 2); } }\n"})
NIX = "nix --extra-experimental-features 'nix-command flakes' "
x("nix-feature", CF, "nix", "nix flake show")
x("nix-path", P, "nix", NIX + "eval --impure --expr 'import ./absent.nix'")
x("clap-value", B, "cargo", "cargo build --message-format shelf", CT)
x("clap-subcommand", B, "uv", "uv shelf")
x("clap-argument", B, "uv", "uv init --shelf")
x("commander-option", B, "markdownlint", "markdownlint --shelf", needs="markdownlint", node=True)
x("git-remote-auth", A, "git", f"git ls-remote {API}/401/pier.git")
