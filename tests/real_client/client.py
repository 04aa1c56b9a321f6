"""The true Claude Code client: installing it, a fresh home with the plugin in it, one headless session.

`python3 client.py VERSION CACHE` installs the client where it is missing and prints the path of its executable.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

PACKAGE = "@anthropic-ai/claude-code"
# From here on the client can print what every hook answered; before, only of the session's start.
PRINTS_HOOK_EVENTS = "2.1.119"
# Where the test runs as root, the client runs as nobody: it refuses some modes to root, and nothing is denied to root.
NOBODY = 65534
LIMIT_S = 120
LINGER_S = 1
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_BUG_COMMAND": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "NO_PROXY": "127.0.0.1,localhost",
    "NO_COLOR": "1",
}


class SetupError(Exception):
    """The test could not be set up; its text says what to do."""


def install(version, cache):
    """The client's executable, from the cache or by npm."""
    folder = pathlib.Path(cache) / version
    found = _executable(folder)
    if found is None:
        if shutil.which("npm") is None:
            raise SetupError("npm is needed to install the client (Debian: apt-get install nodejs npm)")
        folder.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", f"{PACKAGE}@{version}"]
        subprocess.run(npm, check=True, stdout=sys.stderr, stdin=subprocess.DEVNULL)
        found = _executable(folder)
    if found is None:
        raise SetupError(f"no executable of client {version} runs here; remove {folder} to install it anew")
    return found


def _executable(folder):
    modules = folder / "node_modules"
    script = modules / PACKAGE / "cli.js"
    candidates = [modules / PACKAGE / "bin" / "claude.exe", *modules.glob(f"{PACKAGE}-*/claude")]
    if script.is_file():
        # Early versions are JavaScript.
        starter = folder / "claude"
        starter.write_text(f'#!/bin/sh\nexec node "{script}" "$@"\n')
        starter.chmod(0o755)
        candidates.insert(0, starter)
    return next((path for path in candidates if _runs(path)), None)


def _runs(path):
    if not path.is_file():
        return False
    env = {"PATH": SYSTEM_PATH, "HOME": "/nonexistent", **QUIET}
    try:
        return subprocess.run([path, "--version"], env=env, capture_output=True, **as_user()).returncode == 0
    except OSError:
        return False


def as_user():
    """The arguments of `subprocess` that make a process an ordinary user's."""
    if os.getuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def give_to_user(path):
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", path], check=True)


class Home:
    """A new user's machine: an empty home, an empty project, the client on the path."""

    def __init__(self, folder, executable, version, model_url):
        self.folder = pathlib.Path(folder)
        self.version = version
        self.home = self.folder / "home"
        self.project = self.folder / "project"
        self.state = self.folder / "state"
        self.bin = self.folder / "bin"
        for path in (self.home, self.project, self.bin, self.folder / "tmp"):
            path.mkdir(parents=True)
        # The first session on this machine is long past: no line greets it.
        welcomed = self.home / ".local/state/failwise/welcomed"
        welcomed.parent.mkdir(parents=True)
        welcomed.touch()
        (self.bin / "claude").symlink_to(executable)
        self.env = {
            **QUIET,
            "PATH": f"{self.bin}:{self.home / '.local/bin'}:{SYSTEM_PATH}",
            "HOME": str(self.home),
            "TMPDIR": str(self.folder / "tmp"),
            "USER": "dev",
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "ANTHROPIC_API_KEY": "sk-ant-dummy",
            # Also while the plugin is installed: without it each such command waits long for a network.
            "ANTHROPIC_BASE_URL": model_url,
            "FAILWISE_DIR": str(self.state),
        }
        give_to_user(self.folder)

    def is_at_least(self, version):
        return numbers(self.version) >= numbers(version)

    def run(self, argv, **more):
        """Runs a command of this user in the project, to its end."""
        return subprocess.run(
            argv,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            **as_user(),
            **more,
        )

    def must(self, argv):
        """The same; a failure ends the test."""
        done = self.run(argv)
        if done.returncode != 0:
            raise SetupError(f"{' '.join(map(str, argv))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def install_plugin(self, clone, executables, more=()):
        """Puts the plugin into this home as a person would, from a clone whose executables are built already; with it
        those of its other plugins that are named."""
        argv = ["sh", str(clone / "install.sh"), "--prebuilt", str(executables), "--prefix", str(self.home / ".local")]
        self.must([*argv, *(f"--{name}" for name in more)])
        listed = self.must(["claude", "plugin", "list"])
        for name in ["failwise@", *(f"failwise-{name}@" for name in more)]:
            if name not in listed:
                raise SetupError(f"install.sh ended well, but the client lists no plugin {name}: {listed}")

    def session(self, prompt, arguments, lingers=False, before=(), kill_after_s=None):
        """Plays one headless session. One that lingers stays open for a moment after its answer, as others do for a
        person's next words; else the client ends at once, and with it the hooks that it does not wait for. One that
        runs for longer than `kill_after_s` is killed, and leaves nothing to look at."""
        argv = [*before, "claude", "-p", "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5"]
        if self.is_at_least(PRINTS_HOOK_EVENTS):
            argv.append("--include-hook-events")
        argv += arguments
        argv += ["--input-format", "stream-json"] if lingers else ["--", prompt]
        started = time.monotonic()
        with open(self.folder / "stream.jsonl", "wb") as out, open(self.folder / "stderr.txt", "wb") as err:
            process = subprocess.Popen(
                argv,
                cwd=self.project,
                env=self.env,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                start_new_session=True,
                **as_user(),
            )
            try:
                if lingers:
                    self.linger(process, prompt)
                process.stdin.close()
                status = process.wait(kill_after_s or LIMIT_S)
            except subprocess.TimeoutExpired:
                if kill_after_s is not None:
                    os.killpg(process.pid, signal.SIGKILL)
                    return None
                raise SetupError(f"the session did not end within {LIMIT_S} s") from None
            finally:
                process.kill()
                process.wait()
        return Session(self, status, time.monotonic() - started)

    def linger(self, process, prompt):
        """Says the prompt on the client's input, which stays open until the answer is there and a little longer."""
        said = {"type": "user", "message": {"role": "user", "content": prompt}}
        process.stdin.write(json.dumps(said).encode() + b"\n")
        process.stdin.flush()
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline and process.poll() is None:
            if b'"type":"result"' in (self.folder / "stream.jsonl").read_bytes():
                time.sleep(LINGER_S)
                return
            time.sleep(0.05)


class Session:
    """What one session of the client left behind."""

    def __init__(self, home, status, seconds):
        self.status = status
        self.seconds = seconds
        self.stream = json_lines(home.folder / "stream.jsonl")
        self.stderr = (home.folder / "stderr.txt").read_text(errors="replace")
        projects = home.home / ".claude" / "projects"
        main = sorted(projects.glob("*/*.jsonl"))
        self.transcripts = main + sorted(projects.glob("*/*/subagents/*.jsonl"))
        self.ids = {line["session_id"] for line in self.stream if line.get("session_id")}

    def hook_answers(self):
        """What each hook answered, as the client saw it."""
        return [line for line in self.stream if line.get("subtype") == "hook_response"]


def numbers(version):
    """A version to compare."""
    return tuple(map(int, version.split(".")))


def json_lines(path):
    """The values of a file of JSON lines; none where there is no file. A line that is no JSON ends the test."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def option_parser(script):
    """Of what every script that plays with the client is given: `play` of prepare.sh finds it out."""
    parser = argparse.ArgumentParser(prog=script)
    parser.add_argument("--executable", type=pathlib.Path, required=True)
    parser.add_argument("--client", required=True)
    parser.add_argument("--prebuilt", type=pathlib.Path, required=True)
    return parser


if __name__ == "__main__":
    try:
        print(install(sys.argv[1], sys.argv[2]))
    except SetupError as error:
        sys.exit(f"client.py: {error}")
