"""One situation: its file (docs/dev/real-client.md), and what playing it with the true client left behind."""

import json
import pathlib

from client import Home, give_to_user, json_lines, numbers
from scripted_model import MAIN, ScriptedModel, call_id

FOLDER = pathlib.Path(__file__).parent / "situations"
# Before this version the client loads a plugin's hooks while the model answers for the first time.
LOADS_HOOKS_FIRST = "2.1.119"
FIRST_ANSWER_AFTER_MS = 3000
KEYS = {
    "why", "since", "lingers", "planner", "mcp", "history", "allow", "arguments", "settings", "env", "files", "setup", "earlier",
    "pages", "turns", "lanes", "expect",
}  # fmt: skip


def load(name):
    """The situation of a file; a key that nothing reads is an error, or a misspelt expectation would pass."""
    situation = json.loads((FOLDER / f"{name}.json").read_text())
    unknown = set(situation) - KEYS
    if unknown:
        raise ValueError(f"{name}.json: no such key: {', '.join(sorted(unknown))}")
    return situation


def names():
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def names_for(version):
    """The situations that can occur with a version of the client."""
    return [name for name in names() if numbers(load(name).get("since", "0")) <= numbers(version)]


class Played:
    """A situation after its session: what the client printed, what the model was sent, what Failwise recorded."""

    def __init__(self, name, folder, executable, version, clone, executables):
        self.name = name
        self.here = clone / "tests" / "real_client"
        self.situation = load(name)
        self.model = ScriptedModel({MAIN: {"turns": []}}, self.situation.get("pages"))
        try:
            self.home = Home(folder, executable, version, self.model.url)
            more = [name for name in ("planner", "mcp") if self.situation.get(name)]
            self.home.install_plugin(clone, executables, more)
            self.prepare()
            prepared = len(json_lines(self.find_history()))
            lingers = self.situation.get("lingers", False)
            earlier = self.play_earlier() if "earlier" in self.situation else set()
            self.session = self.home.session(f"Play {name}.", self.arguments(), lingers)
            self.session.ids |= earlier
        finally:
            self.model.stop()
            requests = "".join(json.dumps(request) + "\n" for request in self.model.requests)
            pathlib.Path(folder, "requests.jsonl").write_text(requests)
        self.history_file = self.find_history()
        # What a person's commands recorded before the session is no part of it.
        self.history = json_lines(self.history_file)[prepared:]

    def filled(self, value):
        """The value with `${project}`, `${model}`, `${here}` and `${path}` put in."""
        text = json.dumps(value)
        known = {"project": str(self.home.project), "model": self.model.url, "here": str(self.here), "path": self.home.env["PATH"]}
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
        self.script(situation["turns"], situation.get("lanes", {}))

    def play_earlier(self):
        """Plays the session before this one as often as asked, and runs what a person runs after each; gives their ids.
        What the model was sent in them is looked at only as far as it went to subagents."""
        situation = self.filled(self.situation)
        earlier, ids = situation["earlier"], set()
        for time in range(earlier.get("times", 1)):
            turns = json.loads(json.dumps(earlier["turns"]))
            for call in (call for turn in turns for call in turn.get("calls", []) if time):
                call["id"] += str(time + 1)
            self.script(turns, earlier.get("lanes", {}))
            ids |= self.home.session("Play what came before.", self.arguments()).ids
            for line in earlier.get("then", []):
                self.home.must(["sh", "-c", line])
        self.model.requests[:] = [request for request in self.model.requests if request["lane"] in earlier.get("lanes", {})]
        self.script(situation["turns"], situation.get("lanes", {}))
        return ids

    def script(self, turns, lanes):
        if not self.home.is_at_least(LOADS_HOOKS_FIRST):
            turns[0]["after_ms"] = FIRST_ANSWER_AFTER_MS
        self.model.script({MAIN: {"turns": turns}, **lanes})

    def arguments(self):
        situation = self.filled(self.situation)
        allowed = situation.get("allow", ["Bash"])
        return [*(["--allowedTools", ",".join(allowed)] if allowed else []), *situation.get("arguments", [])]

    def find_history(self):
        if self.situation.get("history") != "default":
            return self.home.state / "history.jsonl"
        told = json.loads(self.home.must(["failwise", "doctor", "--format", "json"]))
        return pathlib.Path(told["history"])

    @property
    def plans(self):
        """The folder of the project's plan."""
        return self.home.project / ".claude" / "plans"

    def conversations(self):
        """The last request of each lane: a request repeats everything that was said before."""
        return {request["lane"]: request["body"]["messages"] for request in self.model.requests}

    def told_after(self, name):
        """What the model was sent in the first request that holds the result of a call."""
        for request in self.model.requests:
            if any(block.get("tool_use_id") == call_id(name) for block in blocks(request["body"]["messages"])):
                return request["body"]["messages"]
        return []


def blocks(messages):
    """The content blocks of a conversation, in order; a bare string is a text block."""
    for message in messages:
        if isinstance(message["content"], str):
            yield {"type": "text", "text": message["content"]}
        else:
            yield from message["content"]
