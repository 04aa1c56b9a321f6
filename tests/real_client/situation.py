"""One situation: its file, and what playing it with the true client left behind. docs/real-client.md describes the file."""

import json
import pathlib

from client import Home, give_to_user, json_lines
from scripted_model import MAIN, ScriptedModel, call_id

FOLDER = pathlib.Path(__file__).parent / "situations"
KEYS = {"why", "allow", "arguments", "settings", "env", "files", "setup", "pages", "turns", "lanes", "history", "expect"}


def load(name):
    """The situation of a file; a key that nothing reads is an error, or a misspelt expectation would pass."""
    situation = json.loads((FOLDER / f"{name}.json").read_text())
    unknown = set(situation) - KEYS
    if unknown:
        raise ValueError(f"{name}.json: no such key: {', '.join(sorted(unknown))}")
    return situation


def names():
    return sorted(path.stem for path in FOLDER.glob("*.json"))


class Played:
    """A situation after its session: what the client printed, what the model was sent, what Failwise recorded."""

    def __init__(self, name, folder, executable, version, clone, executables):
        self.name = name
        self.situation = load(name)
        self.model = ScriptedModel({MAIN: {"turns": []}}, self.situation.get("pages"))
        try:
            self.home = Home(folder, executable, version, self.model.url)
            self.home.install_plugin(clone, executables)
            self.prepare()
            self.session = self.home.session(f"Play {name}.", self.arguments())
        finally:
            self.model.stop()
        self.history_file = self.find_history()
        self.history = json_lines(self.history_file)

    def filled(self, value):
        """The value with `${project}`, `${model}` and `${here}` put in."""
        text = json.dumps(value)
        known = {"project": str(self.home.project), "model": self.model.url, "here": str(pathlib.Path(__file__).parent)}
        for key, word in known.items():
            text = text.replace("${" + key + "}", json.dumps(word)[1:-1])
        return json.loads(text)

    def prepare(self):
        situation = self.filled(self.situation)
        self.home.env.update(situation.get("env", {}))
        if situation.get("history") == "default":
            del self.home.env["FAILWISE_DIR"]
        files = dict(situation.get("files", {}))
        if "settings" in situation:
            files[".claude/settings.json"] = json.dumps(situation["settings"])
        for path, text in files.items():
            target = self.home.project / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        give_to_user(self.home.project)
        for line in situation.get("setup", []):
            self.home.must(["sh", "-c", line])
        self.model.script({MAIN: {"turns": situation["turns"]}, **situation.get("lanes", {})})

    def arguments(self):
        situation = self.filled(self.situation)
        return ["--include-hook-events", "--allowedTools", ",".join(situation.get("allow", ["Bash"])), *situation.get("arguments", [])]

    def find_history(self):
        if self.situation.get("history") != "default":
            return self.home.state / "history.jsonl"
        told = json.loads(self.home.must(["failwise", "doctor", "--format", "json"]))
        return pathlib.Path(told["history"])

    def requests(self, lane):
        return [request["body"] for request in self.model.requests if request["lane"] == lane]

    def first_request_with_result(self, name):
        """The first request in which the model is told what became of a call; with the lane it belongs to."""
        for request in self.model.requests:
            for message in request["body"].get("messages", []):
                blocks = message["content"] if isinstance(message["content"], list) else []
                if any(block.get("tool_use_id") == call_id(name) for block in blocks):
                    return request
        return None
