"""Sessions with each of the clients other than Claude Code: what Failwise records of them, and what the model reads.

The plugin is put and registered by `failwise setup --host CLIENT`, of Qwen Code by the lines of docs/hosts.md. Of the first session
each call is judged by its outcome, exit code and category; the third of three equal failures is to be followed by advice in the
model's next request, and the fourth is to be refused; a replay of the client's session file has to give the verdicts of the hook. A
second session ends on a check that is red. Then all clients work in one project. A warning of the client about a hook, a hook that
failed and an event of no known client fail the test.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
from model import Model

ROOT = Path(__file__).resolve().parents[2]
WRONG = "git comit -m x"
# How each shell call is to be recorded: command, outcome, exit code, category.
SHELL = [
    ("ls nosuchdir", "failed", 2, "path_not_found"),
    ("echo hello", "succeeded", 0, "unknown"),
    ("ruff check nosuchfile.py | tail -3; true", "masked_failure", 0, None),
    (WRONG, "failed", 1, "bad_arguments"),
    (WRONG, "failed", 1, "bad_arguments"),
    (WRONG, "failed", 1, "bad_arguments"),
    ("true", "succeeded", 0, "unknown"),
    ("nosuchprogram", "failed", 127, "command_not_found"),
    ("kill -9 $$", "failed", 137, None),
    ("grep zzz a.txt", "benign_non_zero", 1, "unknown"),
]
# A test runner whose test fails.
RED = "#!/bin/sh\necho 'FAILED t.py::test_cart - assert 1 == 2'\necho '===== 1 failed in 0.10s ====='\nexit 1\n"
# What is wrong in one project whoever works there, and what is right.
GH = "#!/bin/sh\ncase $4 in --name-only) echo src/a.go ;; *) echo \"unknown flag: $4\" >&2; exit 1 ;; esac\n"
WORKED = "`--name-only` in its place worked"
# What a verdict holds that is neither an id nor a time.
OF_VERDICT = (
    "outcome class class_name confidence category basis rule evidence recommended_action operation signature attempt unchanged_retries"
).split()


class Client:
    """A client: how it is started, what its tools are called, and where it writes its sessions."""

    def __init__(self, folder, home, model):
        self.home, self.model, self.project = home, model, home / "project"
        path = f"{home}/bin:{folder}/node_modules/.bin:{os.environ['PATH']}"
        self.env = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm-256color"}

    def shell(self, command):
        return {"tool": self.tool, "input": {"command": command, "description": "a step"}}

    def prepare(self):
        pass

    def run(self, *words):
        return subprocess.run(
            words, cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180
        )

    def files(self):
        """The session files, the newest last."""
        return sorted(self.home.glob(self.sessions), key=lambda path: path.stat().st_mtime_ns)

    # What does not come from an exit code of the shell itself.
    expected = {}
    # Whether its agent goes on where Failwise holds it at the end of a turn.
    is_held = True


class Codex(Client):
    word, tool = "codex", "exec_command"
    sessions = ".codex/sessions/*/*/*/rollout-*.jsonl"

    def shell(self, command):
        return {"tool": self.tool, "input": {"cmd": command}}

    def new_file(self):
        return {"tool": "apply_patch", "text": "*** Begin Patch\n*** Add File: b.txt\n+y\n*** End Patch\n"}

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
    sessions = ".copilot/session-state/*/events.jsonl"
    # Its own word for a shell that was killed.
    expected = {"kill -9 $$": None}

    def new_file(self):
        return {"tool": "create", "input": {"path": str(self.project / "b.txt"), "file_text": "y\n"}}

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
    sessions = ".gemini/tmp/*/chats/session-*.jsonl"
    # It states a status only where it is not 0.
    expected = {"echo hello": None, "true": None, "ruff check nosuchfile.py | tail -3; true": None}

    def new_file(self):
        return {"tool": "write_file", "input": {"file_path": str(self.project / "b.txt"), "content": "y\n"}}

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
    sessions = ".qwen/projects/*/chats/*.jsonl"
    # It says of every end of a turn that a hook has held the agent already.
    is_held = False

    def shell(self, command):
        return {"tool": self.tool, "input": {"command": command, "description": "a step", "is_background": False}}

    def new_file(self):
        return {"tool": "write_file", "input": {"file_path": str(self.project / "b.txt"), "content": "y\n"}}

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
    return [*steps, client.new_file(), client.failed_edit(), client.failed_read(), {"say": "Done."}]


class Scene:
    """A home folder with a project in it, and clients that were given the plugin."""

    def __init__(self, folder, prebuilt, clients):
        self.home, self.prebuilt, self.clients = Path(folder).resolve(), prebuilt, clients
        (self.home / "project").mkdir()
        (self.home / "project/a.txt").write_text("hello\n")
        (self.home / "bin").mkdir()
        # A login shell, as Codex starts one, makes the path anew.
        (self.home / ".profile").write_text(f"PATH={self.home}/bin:$PATH\n")
        for name, text in [("pytest", RED), ("gh", GH)]:
            (self.home / "bin" / name).write_text(text)
            (self.home / "bin" / name).chmod(0o755)

    def client(self, kind):
        client = kind(self.clients, self.home, Model([]))
        if not (client.project / ".git").exists():
            client.run("git", "init", "--quiet")
        client.prepare()
        put = self.failwise(client, "setup", "--host", client.word)
        if put.returncode != 0:
            raise RuntimeError(f"setup: {put.stdout}{put.stderr}")
        return client

    def failwise(self, client, *words):
        return client.run(str(self.prebuilt / "failwise"), *words)

    def rows(self, client, path):
        """What a replay of a file says of each failure."""
        done = self.failwise(client, "replay", "--format", "jsonl", "--settings", "none", str(path))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def histories(self):
        return list((self.home / ".local/state/failwise/projects").glob("*/history.jsonl"))

    def events(self):
        return [json.loads(line) for path in self.histories() for line in path.read_text().splitlines()]


def play(kind, scene):
    """The problems of the sessions of one client."""
    client = scene.client(kind)
    client.model.left = turns(client)
    done = client.run(*client.command())
    found = [*problems(client, scene), *replayed(client, scene), *complaints(done)]
    return [*found, *held(client, scene)]


def problems(client, scene):
    events = scene.events()
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
    others = [event for event in ended if event.get("tool") != "Bash"]
    if [event["outcome"] for event in others] != ["succeeded", "failed", "failed"]:
        found.append(f"other tools: {others}")
    categories = [event["reading"]["category"] for event in others[1:]]
    # Qwen Code asks for a file to be read before it is changed.
    if categories not in (["edit_no_match", "path_not_found"], ["read_before_edit", "path_not_found"]):
        found.append(f"other tools failed by {categories}")
    if not any(event["event"] == "call_refused" for event in events):
        found.append("the fourth equal call was not refused")
    # The first of these requests ends with the masked failure, after which the four equal calls come.
    requests = [request for request in client.model.requests if "nosuchfile.py" in request]
    heard = {"Third identical failure": 3, "Not run by Failwise's guard": 4}
    for words, number in heard.items():
        first = next((at for at, request in enumerate(requests) if words in request), None)
        if first != number:
            found.append(f"the model read in request {first}, not {number}: {words}")
    return found


def replayed(client, scene):
    """A replay of the client's session file gives the verdicts that the hook recorded, in the same order."""
    recorded = [event["verdict"] for event in scene.events() if event["event"] == "failure_classified"]
    rows = [row for row in scene.rows(client, client.files()[-1]) if row["class"]]
    if len(rows) != len(recorded):
        return [f"replayed are {len(rows)} failures, recorded were {len(recorded)}"]
    pairs = [(name, row.get(name), verdict.get(name)) for row, verdict in zip(rows, recorded) for name in OF_VERDICT]
    return [f"replayed as {name} {row}, recorded was {verdict}" for name, row, verdict in pairs if row != verdict]


def held(client, scene):
    """The agent ends its turn on a red test: held once where the client lets it be, and the turn ends after that."""
    client.model.requests, client.model.left = [], [client.shell("pytest -q"), {"say": "Done."}, {"say": "Ended."}]
    client.env["FAILWISE_STOP_CHECK"] = "hold"
    done = client.run(*client.command())
    reasons = sum("of your checks failed last" in request for request in client.model.requests)
    found = complaints(done)
    if reasons != client.is_held:
        found.append(f"the agent was held in {reasons} of {len(client.model.requests)} requests: {done.stdout[-300:]}")
    return found


def together(scene):
    """The problems of all clients in one project: one history, sums that add up, and what one learned is told in the others."""
    found = []
    for number, kind in enumerate(CLIENTS):
        client = scene.client(kind)
        # A form that is found at once is worth no word.
        lines = [f"gh pr diff {number} --stat", "true", f"gh pr diff {number} --name-only"]
        client.model.left = [client.shell(line) for line in lines]
        found += complaints(client.run(*client.command()))
        if number > 0 and not any(WORKED in request for request in client.model.requests):
            found.append(f"{client.word} was not told what worked in {CLIENTS[0].word}")
        scene.failwise(client, "kb", "learn")
    if len(scene.histories()) != 1:
        found.append(f"{len(scene.histories())} histories")
    report = json.loads(scene.failwise(client, "report", "--format", "json").stdout)
    sums = {of["host"]: (of["totals"]["calls"], of["totals"]["failed"]) for of in report["hosts"]}
    if sums != {kind.word: (3, 1) for kind in CLIENTS} or report["totals"]["calls"] != 3 * len(CLIENTS):
        found.append(f"reported are {sums}, in all {report['totals']}")
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
    passed = bad = 0
    scenes = [(kind.word, lambda scene, kind=kind: play(kind, scene)) for kind in CLIENTS if args.only in (None, kind.word)]
    scenes += [("together", together)] if args.only is None else []

    def played(scene):
        with tempfile.TemporaryDirectory() as folder:
            return scene[0], scene[1](Scene(folder, prebuilt, args.clients))

    # A client waits more than it works.
    for name, found in ThreadPoolExecutor(max_workers=3).map(played, scenes):
        print(f"{name}: {'as expected' if not found else ''}")
        print("".join(f"  {problem}\n" for problem in found), end="", flush=True)
        passed, bad = passed + (not found), bad + bool(found)
    print(f"hosts: {passed} passed, {bad} failed")
    sys.exit(bad > 0)


main()
