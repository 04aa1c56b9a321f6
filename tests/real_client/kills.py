"""Sessions that work a plan, most of them killed at a random moment: the plan ends as if nobody had been killed. Started by
kills.sh."""

import json
import pathlib
import random
import shutil
import sys
import tempfile

from client import Home, json_lines, option_parser
from run import stage
from scripted_model import MAIN, ScriptedModel

TASKS = 150
CALLS = 40
# When a session is killed, in seconds after its start: from before its first call on.
EARLIEST_S, LATEST_S = 0.5, 7.0
# A worker ends what the one before it had begun, and goes on.
WORKS = (
    "for id in $(failwise plan status --format json | jq -r '.nodes[] | select(.tier==4 and .status==\"active\") | .id'); "
    "do failwise plan done $id; done; "
    "id=$(failwise plan next --format json | jq -r '.node // empty'); test -z \"$id\" || failwise plan done $id"
)


def outline():
    tasks = "".join(f"#### Task: Part {number}\n- file: part{number}.py\n" for number in range(1, TASKS + 1))
    return f"# Mission: Books\n## Feature: Import\n### Story: Read\n- test: tests/read.py::reads\n{tasks}"


def turns(session):
    calls = [{"id": f"s{session}c{number}", "tool": "Bash", "input": {"command": WORKS}} for number in range(CALLS)]
    return [*({"calls": [call]} for call in calls), {"say": "That is all for now."}]


def tasks_of(home):
    nodes = json.loads(home.must(["failwise", "plan", "status", "--format", "json"]))["nodes"]
    return {node["id"]: node["status"] for node in nodes if node["tier"] == 4}


def problems(home):
    tasks = tasks_of(home)
    if len(tasks) != TASKS:
        yield f"{len(tasks)} tasks are there, not {TASKS}"
    yield from (f"{task} is {status}" for task, status in tasks.items() if status != "done")
    checked = home.run(["failwise", "plan", "validate"])
    if checked.returncode != 0:
        yield f"validate: {checked.stdout}"
    lines = json_lines(home.state / "history.jsonl")
    # A client that is killed starts a hook and gives it nothing.
    errors = [line for line in lines if line["event"] == "hook_error" and line["message"] != "the payload is empty"]
    yield from (f"a hook error: {json.dumps(line)}" for line in errors)
    ends = [line["node"] for line in lines if line.get("message", "").endswith("-> done")]
    yield from (f"{task} was done {ends.count(task)} times" for task in tasks if ends.count(task) != 1)


def main():
    parser = option_parser("kills.sh")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    moments = random.Random(options.seed)
    print(f"seed {options.seed}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="failwise-kills."))
    model = ScriptedModel({MAIN: {"turns": []}}, None)
    try:
        clone, executables = stage(folder, options.prebuilt)
        home = Home(folder / "home", options.executable, options.client, model.url)
        home.install_plugin(clone, executables)
        for line in ("mkdir tests && touch tests/read.py", "git init -q", "failwise plan init --intent Books"):
            home.must(["sh", "-c", line])
        home.must(["sh", "-c", f"failwise plan tree - <<'OUTLINE'\n{outline()}OUTLINE"])
        killed = session = 0
        while "done" != "".join(set(tasks_of(home).values())):
            model.script({MAIN: {"turns": turns(session)}})
            moment = moments.uniform(EARLIEST_S, LATEST_S) if killed < options.kills else None
            ended = home.session("Work the plan.", ["--allowedTools", "Bash"], kill_after_s=moment)
            killed += ended is None
            session += 1
        found = list(problems(home))
        if killed < options.kills:
            found.append(f"the plan was at its end after {killed} kills")
    finally:
        model.stop()
        shutil.rmtree(folder)
    print("".join(f"         {problem}\n" for problem in found), end="")
    print(f"kills: {killed} of {session} sessions, {TASKS} tasks, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
