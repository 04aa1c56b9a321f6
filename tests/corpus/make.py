#!/usr/bin/env python3
"""Captures what real tools print, for tests/corpus.rs.

usage: make.py [--only PART] [--out FOLDER]

Each case of cases_*.py is a small project, a command and the label that a person gives it. The project is laid in
/home/dev/project, the command is run there by bash, and what a client would show (the exit code, then both streams
merged) becomes a row of a .jsonl file, in the form that `tests/reading/corpus.rs` reads. Tools that are absent are left
out, so rows of other machines stay: a case that cannot be captured keeps its old row. Loopback servers stand for
services that throttle, fault or hang up; they need `127.0.0.1 api.example.test` in /etc/hosts.

Needs a throw-away machine: it runs as root and removes /home/dev/project.
"""
import argparse, importlib, json, os, re, shutil, signal, socket, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = Path("/home/dev/project")
VENV, NODE = Path(os.environ.get("CORPUS_VENV", "/opt/corpus-venv")), Path(os.environ.get("CORPUS_NODE", "/opt/corpus-node"))
PORT = 8099
SIMPLE = {"OK": ("", ""), "NOT": ("", "")}


class Server(BaseHTTPRequestHandler):
    """Answers by the first part of the path: 429, 429after, 503, 404, drop, slow ..."""

    def do_GET(self):
        kind = self.path.strip("/").split("/")[0].split("?")[0]
        if kind == "drop":
            return self.connection.shutdown(socket.SHUT_RDWR)
        if kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return self.connection.close()
        if kind == "slow":
            threading.Event().wait(20)
        code = int(re.match(r"\d*", kind).group() or 200)
        body = b'{"items": [], "error": null}\n' if code == 200 else b'{"message": "status %d"}\n' % code
        if kind == "short":
            body = b"cut"
        if kind == "flaky":
            Server.flaky = getattr(Server, "flaky", 0) + 1
            code = 503 if Server.flaky % 2 else 200
        self.send_response(code)
        if kind.endswith("after"):
            self.send_header("Retry-After", "30")
        if code == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) + (100 if kind == "short" else 0)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_HEAD = do_PUT = do_GET

    def log_message(self, *_):
        pass


def serve():
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def scrub(text):
    """Machine paths, hosts and colours out; what stays is the tools' own words."""
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)
    for old, new in [(str(VENV), "/home/dev/.venv"), (str(NODE), "/home/dev/project"), (str(Path.home() / ".cargo"), "/home/dev/.cargo"),
                     (f"{Path.home()}/", "/home/dev/"), ("/tmp/corpus-", "/srv/"), ("/tmp/pytest-of-root/", "/srv/pytest/"), (socket.gethostname(), "devbox")]:
        text = text.replace(old, new)
    text = re.sub(r"/home/dev/\.pyenv/versions/[\w.]+", "/usr/local", text)
    text = re.sub(r"(index|static|files|registry)?\.?(pypi\.org|pythonhosted\.org|npmjs\.org|npmjs\.com|crates\.io)", "registry.example.org", text)
    text = re.sub(r"https?://(repo\.maven\.apache\.org|repo1?\.maven\.org)", "https://maven.example.org", text)
    text = re.sub(r"\b10\.\d+\.\d+\.\d+:53\b", "192.0.2.53:53", text)
    return "".join(c for c in text if c in "\n\t" or c.isprintable())


# Whoever runs this has the toolchains at home; the tools are told another one.
OWN = os.path.expanduser("~")


def environment():
    keep = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith(("CARGO_TARGET", "PIP_FIND"))}
    keep.update(HOME="/home/dev", LANG="C.UTF-8", TERM="dumb", NO_COLOR="1", PYTHONDONTWRITEBYTECODE="1", GIT_TERMINAL_PROMPT="0",
                GIT_PAGER="cat", PAGER="cat", GIT_CONFIG_NOSYSTEM="1", DEBIAN_FRONTEND="noninteractive", NEXT_TELEMETRY_DISABLED="1",
                CARGO_HOME=os.environ.get("CARGO_HOME", f"{OWN}/.cargo"), RUSTUP_HOME=os.environ.get("RUSTUP_HOME", f"{OWN}/.rustup"),
                npm_config_update_notifier="false", npm_config_fund="false", npm_config_audit="false",
                PATH=f"{VENV}/bin:{PROJECT}/node_modules/.bin:{PROJECT}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{OWN}/.cargo/bin")
    for name in ("FORCE_COLOR", "CI", "GIT_DIR", "RUST_BACKTRACE"):
        keep.pop(name, None)
    return keep


def lay(case):
    shutil.rmtree(PROJECT, ignore_errors=True)
    PROJECT.mkdir(parents=True)
    for name, text in case.get("files", {}).items():
        path = PROJECT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if text.startswith("#!"):
            path.chmod(0o755)
    if case.get("node"):
        os.symlink(NODE / "node_modules", PROJECT / "node_modules")
    env = environment()
    if case.get("git"):
        sh = "git init -q -b main . && git config user.name Dev && git config user.email dev@example.org && git add -A && git commit -q --allow-empty -m start"
        subprocess.run(["bash", "-c", sh], cwd=PROJECT, env=env, capture_output=True)
    if case.get("setup"):
        subprocess.run(["bash", "-c", case["setup"]], cwd=PROJECT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=240)


def run(command, shell):
    args = {"zsh": ["/bin/zsh", "-c"], "dash": ["/bin/dash", "-c"], "sh": ["/bin/sh", "-c"], "fish": ["/usr/bin/fish", "-c"]}.get(shell, ["/bin/bash", "-c"])
    process = subprocess.Popen(args + [command], cwd=PROJECT, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        out, _ = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    code = process.returncode
    return (128 - code if code < 0 else code), out.decode("utf-8", "replace")


def version(tool):
    """The first line that tells the tool's version, once a tool."""
    if tool not in version.known:
        flag = {"go": "version", "kubectl": "version --client", "java": "-version", "ssh": "-V", "openssl": "version"}.get(tool, "--version")
        try:
            p = subprocess.run(["bash", "-c", f"{tool} {flag}"], cwd="/", env=environment(), capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
            lines = (p.stdout + p.stderr).strip().splitlines()
            version.known[tool] = scrub(lines[0])[:60] if lines and p.returncode == 0 else ""
        except subprocess.TimeoutExpired:
            version.known[tool] = ""
    return version.known[tool]


version.known = {}


def row(case, command, want, name):
    if case.get("needs") and not all(shutil.which(n, path=f"{environment()['PATH']}:{NODE}/node_modules/.bin") for n in case["needs"].split()):
        return None
    lay(case)
    ended = run(command, case.get("shell"))
    if ended is None:
        print("took too long:", name)
        return None
    code, out = ended
    label, _, category = want.partition(":")
    masked = label in ("M", "OK")
    if masked != (code == 0):
        print(f"unexpected exit {code}: {name}: {command}\n   {out[-300:]!r}")
        return None
    text = scrub(out).rstrip("\n")[-12000:]
    if not masked:
        text = f"Exit code {code}\n{text}" if text else f"Exit code {code}"
    result = {"id": name, "tool": case["tool"], "version": version(case["tool"]), "tool_name": "Bash", "input": scrub(command), "error_text": text,
              "marked_failed": not masked, "class_single": {"M": "F2", "NOT": "NOTFAIL"}.get(label, label)}
    if category:
        result["root_cause"] = category
    if case.get("object") and label != "OK":
        result["object"] = case["object"]
    return result


TAILS = [("tail", "{} 2>&1 | tail -40"), ("true", "{} || true"), ("echo", '{}; echo "exit: $?"'), ("tee", "{} 2>&1 | tee run.log"),
         ("head", "{} 2>&1 | head -60"), ("cat", "set +e; {} 2>&1 | cat"), ("or", '{} 2>&1 || echo "done with errors"')]
GREP = ("grep", "{} 2>&1 | grep -iE 'fail|error|passed|warn|found'")


def said(case):
    label, _, category = case["want"].partition(":")
    result = {"id": case["id"], "tool": case["tool"], "tool_name": case["tool_name"], "input": case["command"], "error_text": case["text"],
              "marked_failed": label not in ("M", "OK"), "class_single": {"M": "F2", "NOT": "NOTFAIL"}.get(label, label)}
    return {**result, "root_cause": category} if category else result


def rows(case, number):
    name, command, want = case["id"], case["command"], case["want"]
    if "text" in case:
        yield said(case)
        return
    yield row(case, command, want, name)
    label, _, category = want.partition(":")
    if case.get("masks") and label in ("F2", "OK"):
        chosen = [TAILS[(number + k) % len(TAILS)] for k in range(case["masks"])]
        if case["masks"] > 1:
            chosen[-1] = GREP
        for ending, shape in chosen:
            found = row(case, shape.format(command), "M:" + category if label == "F2" else "OK", f"{name}|{ending}")
            # What the pipe left nothing of, nobody can judge.
            if found and found["error_text"].strip():
                yield found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--only", default="")
    options.add_argument("--case", default="")
    options.add_argument("--out", default=str(HERE))
    options = options.parse_args()
    sys.path.insert(0, str(HERE))
    serve()
    for path in sorted(HERE.glob("cases_*.py")):
        part = path.stem.removeprefix("cases_")
        if options.only and part not in options.only.split(","):
            continue
        target = Path(options.out) / f"{part}.jsonl"
        old = {}
        if target.exists():
            old = {r["id"]: r for r in map(json.loads, target.read_text().splitlines())}
        new, names = {}, []
        for number, case in enumerate(importlib.import_module(path.stem).CASES):
            names.append(case["id"])
            if options.case and not case["id"].startswith(options.case):
                continue
            for found in rows(case, number):
                if found:
                    new[found["id"]] = found
        merged = {**old, **new}
        order = {n: i for i, n in enumerate(names)}
        kept = sorted((r for r in merged.values() if r["id"].split("|")[0] in order), key=lambda r: (order[r["id"].split("|")[0]], r["id"]))
        target.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in kept))
        print(part, len(kept), "rows")


if __name__ == "__main__":
    main()
