"""One session with each of the clients other than Claude Code: twelve calls, what Failwise records of them, and what the model reads.

The plugin is put and registered by `failwise setup --host CLIENT`, of Qwen Code by the lines of docs/hosts.md. Each call is judged by
its outcome, exit code and category; the third of three equal failures is to be followed by advice in the model's next request, and
the fourth is to be refused. A warning of the client about a hook, a hook that failed and an event of no known client fail the test.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from model import Model

ROOT = Path(__file__).resolve().parents[2]
WRONG = "git comit -m x"
# How each shell call is to be recorded: command, outcome, exit code, category.
SHELL = [
    ("ls nosuchdir", "failed", 2, "path_not_found"),
    ("echo hello", "succeeded", 0, "unknown"),
    ("pytest nosuchfile.py | tail -3; true", "masked_failure", 0, None),
    (WRONG, "failed", 1, "bad_arguments"),
    (WRONG, "failed", 1, "bad_arguments"),
    (WRONG, "failed", 1, "bad_arguments"),
    ("true", "succeeded", 0, "unknown"),
    ("nosuchprogram", "failed", 127, "command_not_found"),
    ("kill -9 $$", "failed", 137, None),
    ("grep zzz a.txt", "benign_non_zero", 1, "unknown"),
]


class Client:
    """A client: how it is started, and what its tools are called."""

    def __init__(self, folder, home, model):
        self.bin, self.home, self.model, self.project = folder / "node_modules/.bin", home, model, home / "project"
        self.env = {"HOME": str(home), "PATH": f"{self.bin}:{os.environ['PATH']}", "LANG": "C.UTF-8", "TERM": "xterm-256color"}

    def shell(self, command):
        return {"tool": self.tool, "input": {"command": command, "description": "a step"}}

    def prepare(self):
        pass

    # What does not come from an exit code of the shell itself.
    expected = {}


class Codex(Client):
    word, tool = "codex", "exec_command"

    def shell(self, command):
        return {"tool": self.tool, "input": {"cmd": command}}

    def failed_edit(self):
        patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-zzz\n+y\n*** End Patch\n"
        return {"tool": "apply_patch", "text": patch}

    def failed_read(self):
        return {"tool": "view_image", "input": {"path": "nofile.png"}}

    def prepare(self):
        config = self.home / ".codex/config.toml"
        config.parent.mkdir()
        config.write_text(
            'model = "gpt-6.1-sol"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\n'
            f'base_url = "{self.model.address}/v1"\nwire_api = "responses"\nrequires_openai_auth = false\n'
        )

    def command(self):
        flags = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        return ["codex", "exec", *flags, "try it"]


class Copilot(Client):
    word, tool = "copilot", "bash"
    # Its own word for a shell that was killed.
    expected = {"kill -9 $$": None}

    def failed_edit(self):
        return {"tool": "edit", "input": {"path": str(self.project / "a.txt"), "old_str": "zzz", "new_str": "y"}}

    def failed_read(self):
        return {"tool": "view", "input": {"path": str(self.project / "nofile.txt")}}

    def prepare(self):
        self.env |= {
            "COPILOT_PROVIDER_BASE_URL": f"{self.model.address}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "mock",
        }

    def command(self):
        return ["copilot", "-p", "try it", "--allow-all-tools"]


class Gemini(Client):
    word, tool = "gemini", "run_shell_command"
    # It states a status only where it is not 0.
    expected = {"echo hello": None, "true": None, "pytest nosuchfile.py | tail -3; true": None}

    def failed_edit(self):
        given = {"file_path": str(self.project / "a.txt"), "old_string": "zzz", "new_string": "y", "instruction": "x"}
        return {"tool": "replace", "input": given}

    def failed_read(self):
        return {"tool": "read_file", "input": {"file_path": str(self.project / "nofile.txt")}}

    def prepare(self):
        self.env |= {
            "GOOGLE_GEMINI_BASE_URL": self.model.address,
            "GEMINI_API_KEY": "none",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }
        settings = self.home / ".gemini/settings.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))

    def command(self):
        return ["gemini", "-p", "try it", "--yolo"]


class Qwen(Client):
    word, tool = "qwen", "run_shell_command"

    def shell(self, command):
        return {"tool": self.tool, "input": {"command": command, "description": "a step", "is_background": False}}

    def failed_edit(self):
        given = {"file_path": str(self.project / "a.txt"), "old_string": "zzz", "new_string": "y"}
        return {"tool": "edit", "input": given}

    def failed_read(self):
        return {"tool": "read_file", "input": {"file_path": str(self.project / "nofile.txt")}}

    def prepare(self):
        self.env |= {"OPENAI_BASE_URL": f"{self.model.address}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "mock"}
        lines = re.search(r"```json\n(.*?)```", (ROOT / "docs/hosts.md").read_text(), re.DOTALL).group(1)
        plugin = self.home / ".local/share/failwise/plugin"
        settings = json.loads(lines.replace("PLUGIN", str(plugin)))
        settings["security"] = {"auth": {"selectedType": "openai"}}
        path = self.home / ".qwen/settings.json"
        path.parent.mkdir()
        path.write_text(json.dumps(settings))

    def command(self):
        return ["qwen", "-p", "try it", "--yolo"]


CLIENTS = [Codex, Copilot, Gemini, Qwen]


def turns(client):
    steps = [client.shell(command) for command, *_ in SHELL]
    after_wrong = max(at for at, row in enumerate(SHELL) if row[0] == WRONG) + 1
    # The fourth equal call is refused.
    steps.insert(after_wrong, client.shell(WRONG))
    return [*steps, client.failed_edit(), client.failed_read(), {"say": "Done."}]


def play(kind, clients, prebuilt):
    """The problems of a session."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        model = Model([])
        client = kind(clients, home, model)
        model.left = turns(client)
        client.project.mkdir()
        (client.project / "a.txt").write_text("hello\n")
        run = lambda *words: subprocess.run(
            words, cwd=client.project, env=client.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180
        )
        run("git", "init", "--quiet")
        client.prepare()
        put = run(str(prebuilt / "failwise"), "setup", "--host", client.word)
        if put.returncode != 0:
            return [f"setup: {put.stdout}{put.stderr}"]
        done = run(*client.command())
        return [*problems(client, model), *complaints(done)]


def problems(client, model):
    histories = list((client.home / ".local/state/failwise/projects").glob("*/history.jsonl"))
    if len(histories) != 1:
        return [f"{len(histories)} histories"]
    events = [json.loads(line) for line in histories[0].read_text().splitlines()]
    found = [f"recorded: {event}" for event in events if event.get("host") != client.word or event["event"] == "hook_error"]
    ended = [event for event in events if event["event"].startswith("execution_") and event["outcome"] != "denied"]
    shells = [event for event in ended if event.get("tool") == "Bash"]
    told = [(one["input"], one["outcome"], one.get("exit_code"), one.get("reading", {}).get("category")) for one in shells]
    for (command, outcome, exit_code, category), got in zip(SHELL, told, strict=False):
        known = client.expected.get(command, exit_code)
        is_right = got[:2] == (command, outcome) and (known is None or got[2] == known) and category in (None, got[3])
        if not is_right:
            found.append(f"{command}: recorded as {got}")
    if len(told) != len(SHELL):
        found.append(f"{len(told)} shell calls of {len(SHELL)}: {told}")
    others = {event["reading"]["category"] for event in ended if event.get("tool") != "Bash" and event["outcome"] == "failed"}
    # Qwen Code asks for a file to be read before it is changed.
    if not others & {"edit_no_match", "read_before_edit"} or "path_not_found" not in others:
        found.append(f"other tools failed by {others}")
    if not any(event["event"] == "call_refused" for event in events):
        found.append("the fourth equal call was not refused")
    for words in ["Third identical failure", "Not run by Failwise's guard"]:
        if not any(words in request for request in model.requests):
            found.append(f"the model did not read: {words}")
    return found


def complaints(done):
    """Lines in which the client itself speaks ill of a hook."""
    said = (done.stdout + done.stderr).splitlines()
    ill = re.compile(r"(?i)(hook.*(fail|error|invalid|unknown|timed out)|(fail|invalid|unknown).*hook)")
    # What Failwise says itself is meant.
    own = ("Failwise's guard", "Hook system message: Failwise: ", "Hook system message: Failwise is on; ")
    return [f"the client: {line[:200]}" for line in said if ill.search(line) and not any(words in line for words in own)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=Path, required=True)
    parser.add_argument("--prebuilt", type=Path)
    parser.add_argument("--only", choices=[kind.word for kind in CLIENTS])
    args = parser.parse_args()
    prebuilt = args.prebuilt and args.prebuilt.resolve()
    if prebuilt is None:
        # Offline: what cargo fetched before is enough.
        subprocess.run(["cargo", "build", "--offline", "--locked", "--bins"], cwd=ROOT, check=True)
        prebuilt = ROOT / "target/debug"
    bad = False
    for kind in CLIENTS:
        if args.only in (None, kind.word):
            found = play(kind, args.clients, prebuilt)
            print(f"{kind.word}: {'as expected' if not found else ''}")
            print("".join(f"  {problem}\n" for problem in found), end="")
            bad |= bool(found)
    sys.exit(bad)


main()
