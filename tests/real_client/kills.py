"""The one story of a plan, in sessions of which most are killed at a random moment: the plan ends as if nobody had been
killed. Started by kills.sh."""

import json
import pathlib
import random
import shlex
import shutil
import sys
import tempfile

from client import Home, json_lines, option_parser
from run import stage
from scripted_model import MAIN, ScriptedModel
from situation import Played, load

STORY = "planner-works-one-story"
# When a session is killed, in seconds after its start: from before its first call on.
EARLIEST_S, LATEST_S = 0.5, 7.0
# Who goes on after a kill cannot ask for what was given out already, and may lack the failure that a decision is about: what
# these calls are given in the story stands here in their place.
LITERAL = {
    "first": "claim TASK-00001",
    "second": "done TASK-00001; failwise plan claim TASK-00002",
    "replan1": "replan STORY-0001 --reason misfit --of TASK-00002",
    "third": "claim TASK-00016",
    "done16": "done TASK-00016; failwise plan claim TASK-00017",
    "done17": "done TASK-00017; failwise plan done STORY-0001; failwise plan claim TASK-00004",
    "freeze": "freeze TASK-00004 --reason forbidden",
    "stopped": "freeze STORY-0007 --reason replan_budget_exhausted",
    "settles": "conflicts arbitrate CONFLICT-a04bfdda",
    "other": "claim TASK-00004",
    "own": "claim TASK-00008",
    "claims": "claim TASK-00005",
    "ready": "claim TASK-00009",
    "left": "claim TASK-00005",
    "done5": "done TASK-00005; failwise plan claim TASK-00006",
}
# What a kill left undone: each open task is ended, and taken first where nobody has it.
WORKS = (
    "for turn in $(seq 40); do id=$(failwise plan status --format json "
    "| jq -r '[.nodes[] | select(.tier==4 and .status==\"active\") | .id][0] // empty'); "
    "test -n \"$id\" || id=$(failwise plan next --format json | jq -r '.node // empty'); "
    'test -n "$id" || break; failwise plan done $id; done'
)
TESTS = ("read", "check", "page", "send", "pack")
ENDS = "for id in STORY-0001 STORY-0002 STORY-0003 STORY-0004 STORY-0007 FEAT-1 FEAT-2 FEAT-3; do failwise plan done $id; done; true"


class KilledStory(Played):
    """The story in a home of its own, to be played in as many sessions as it takes."""

    def __init__(self, folder, options, clone, executables):
        self.here = clone / "tests" / "real_client"
        self.situation = load(STORY)
        self.situation["allow"] = ["Bash", *self.situation["allow"]]
        for part in (self.situation["earlier"], self.situation):
            for call in calls_of([*part["turns"], *(turn for lane in part["lanes"].values() for turn in lane["turns"])]):
                if call["id"] in LITERAL:
                    call.update(tool="Bash", input={"command": f"failwise plan {LITERAL[call['id']]}"})
                    call.pop("next_of", None)
                elif call["tool"] == "Write":
                    # A new session has not read what is there already.
                    written = call["input"]
                    line = f"printf %s {shlex.quote(written['content'])} > {written['file_path']}"
                    call.update(tool="Bash", input={"command": line})
        self.model = ScriptedModel({MAIN: {"turns": []}})
        self.home = Home(folder, options.executable, options.client, self.model.url)
        self.home.install_plugin(clone, executables, ["planner"])
        self.prepare()
        self.killed = self.sessions = 0

    def play(self, part, kills, moments):
        """Plays a part to its end, killed as often as is left; gives how often it was."""
        part = self.filled(part)
        self.script(part["turns"], part["lanes"])
        while True:
            moment = moments.uniform(EARLIEST_S, LATEST_S) if self.killed < kills else None
            ended = self.home.session("Play the story.", self.arguments(), kill_after_s=moment)
            self.sessions += 1
            if ended is not None:
                return
            self.killed += 1
            self.model.resume()

    def finish(self):
        """What a person and a last session do with what is left."""
        for node in self.nodes():
            if node["status"] == "frozen":
                self.home.run(["failwise", "plan", "thaw", node["id"]])
        commands = [WORKS, *(f"./pytest -q tests/{name}.py" for name in TESTS), ENDS]
        turns = [{"calls": [{"id": f"last{at}", "tool": "Bash", "input": {"command": line}}]} for at, line in enumerate(commands)]
        self.script([*turns, {"say": "All is done."}], {})
        self.home.session("End the story.", self.arguments())

    def nodes(self):
        return json.loads(self.home.must(["failwise", "plan", "status", "--format", "json"]))["nodes"]

    def problems(self):
        """Where the end is another one than that of the story that nobody kills."""
        nodes = {node["id"]: node for node in self.nodes()}
        wanted = self.situation["expect"]["plan"].items()
        yield from (f"there is no {id}" for id, _ in wanted if id not in nodes)
        for id, node in nodes.items():
            if node["status"] not in ("done", "discarded", None):
                refused = self.home.run(["failwise", "plan", "done", id])
                yield f"{id} is {node['status']}: {refused.stderr or refused.stdout}"
        # How often the stories with a budget were cut anew before their tasks were done depends on the kills.
        cut = ("STORY-0001", "STORY-0007")
        same = [(nodes[id], status) for id, status in wanted if id in nodes and nodes[id].get("parent") not in cut]
        yield from (f"{node['id']} is {node['status']}, not {status}" for node, status in same if node["status"] != status)
        checked = self.home.run(["failwise", "plan", "validate"])
        if checked.returncode != 0:
            yield f"validate: {checked.stdout}"
        lines = json_lines(self.home.state / "history.jsonl")
        # A client that is killed starts a hook and gives it nothing.
        errors = [line for line in lines if line["event"] == "hook_error" and line["message"] != "the payload is empty"]
        yield from (f"a hook error: {json.dumps(line)}" for line in errors)
        ends = [line["node"] for line in lines if line.get("message", "").endswith("-> done")]
        done = [id for id, node in nodes.items() if node["status"] == "done"]
        yield from (f"{id} was done {ends.count(id)} times" for id in done if ends.count(id) != 1)


def calls_of(turns):
    return (call for turn in turns for call in turn.get("calls", []))


def main():
    parser = option_parser("kills.sh")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    moments = random.Random(options.seed)
    print(f"seed {options.seed}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="failwise-kills."))
    story = None
    try:
        clone, executables = stage(folder, options.prebuilt)
        story = KilledStory(folder / "home", options, clone, executables)
        earlier = story.situation["earlier"]
        story.play(earlier, options.kills // 2, moments)
        for line in earlier["then"]:
            story.home.run(["sh", "-c", line])
        story.play(story.situation, options.kills, moments)
        story.finish()
        found = list(story.problems())
        if story.killed < options.kills:
            found.append(f"the story was at its end after {story.killed} kills")
    finally:
        if story:
            story.model.stop()
        shutil.rmtree(folder)
    print("".join(f"         {problem}\n" for problem in found), end="")
    print(f"kills: {story.killed} of {story.sessions} sessions, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
