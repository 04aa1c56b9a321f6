#!/usr/bin/env python3
"""How long `failwise plan conflicts scan` takes on one story of 75 to 600 tasks: a table in Markdown.

    benches/conflicts.py --failwise target/release/failwise [--files 300] [--tasks 75,150,300,600] [--answers DIR]

In each task's plan stand so many files of its own, and one that it shares with the task after it: so every task is in two
conflicts. `all` is the hardest plan: every task names one file. A dry run finds; the other one records what it found.
`--answers` keeps what each scan printed, so that two builds can be compared with `diff -r`.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

STATES = ("planned", "active", "blocked")


def make(root, tasks, artifacts):
    """A tree of one story. `artifacts` says what a task plans, by its number."""
    plans = root / ".claude/plans"
    story = plans / "features/FEAT-1/stories/STORY-0001"
    (story / "tasks").mkdir(parents=True)
    (root / ".git").mkdir()
    names = [f"TASK-{number:05}" for number in range(tasks)]
    for number, name in enumerate(names):
        planned = "".join(f"\n  - {path}" for path in artifacts(number))
        (story / f"tasks/{name}.md").write_text(
            f"---\nid: {name}\ntier: 4\nparent: STORY-0001\nstatus: {STATES[number % 3]}\nrevision: 1\nintent: A part\n"
            f"depends_on: []\nartifacts:{planned}\n---\n")
    (story / "story.md").write_text(
        f"---\nid: STORY-0001\ntier: 3\nparent: FEAT-1\nstatus: active\nchildren: [{', '.join(names)}]\nrevision: 1\n---\n")
    (plans / "features/FEAT-1/feature.md").write_text(
        "---\nid: FEAT-1\ntier: 2\nparent: MISSION\nstatus: active\nchildren: [STORY-0001]\nrevision: 1\n---\n")
    (plans / "mission.md").write_text("---\nid: MISSION\ntier: 0\nchildren: [FEAT-1]\n---\n")
    counters = {"FEAT": 1, "STORY": 1, "TASK": tasks}
    (plans / ".counters.json").write_text(json.dumps({"schema_version": 1, "counters": counters}))
    (plans / "active.json").write_text(json.dumps({"schema_version": 1, "active": {"mission": "MISSION"}}))


def neighbours(files):
    """Each task shares one file with the next."""
    return lambda number: [f"src/shared_{number}.rs", f"src/shared_{number + 1}.rs"] + [
        f"src/part_{number}/file_{file}.rs" for file in range(files - 2)]


def everybody(_):
    """Each task shares one file with all."""
    return ["src/lib.rs"]


def scan(failwise, root, *arguments):
    """The seconds that it took, and what it printed."""
    env = {"HOME": str(root / "home"), "PATH": os.environ["PATH"]}
    begin = time.perf_counter()
    ended = subprocess.run([failwise, "plan", "conflicts", "scan", "--format", "json", *arguments],
                           cwd=root, env=env, capture_output=True)
    seconds = time.perf_counter() - begin
    if ended.returncode not in (0, 1):
        raise SystemExit(f"{arguments}: exit {ended.returncode}\n{ended.stderr.decode()}")
    return seconds, ended.stdout.decode()


def row(failwise, name, tasks, artifacts, answers):
    with tempfile.TemporaryDirectory(prefix="failwise-conflicts-") as folder:
        root = pathlib.Path(folder)
        make(root, tasks, artifacts)
        env = {"HOME": str(root / "home"), "PATH": os.environ["PATH"]}
        subprocess.run([failwise, "trust", "--yes"], cwd=root, env=env, capture_output=True, check=True)
        dry, answer = scan(failwise, root, "--dry-run")
        recorded, _ = scan(failwise, root)
        again, _ = scan(failwise, root)
    if answers:
        answers.mkdir(parents=True, exist_ok=True)
        (answers / f"{name}-{tasks}.json").write_text(re.sub(r'"detected_at": "[^"]*"', '"detected_at": ""', answer))
    found = len(json.loads(answer)["conflicts"])
    print(f"| {name} | {tasks} | {found} | {dry:.2f} | {recorded:.2f} | {again:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failwise", required=True)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--tasks", default="75,150,300,600")
    parser.add_argument("--answers", type=pathlib.Path)
    given = parser.parse_args()
    failwise = str(pathlib.Path(given.failwise).resolve())
    print("| shared with | tasks | conflicts | found, s | recorded, s | found again, s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for tasks in map(int, given.tasks.split(",")):
        row(failwise, "the next", tasks, neighbours(given.files), given.answers)
    for tasks in map(int, given.tasks.split(",")):
        row(failwise, "all", tasks, everybody, given.answers)


if __name__ == "__main__":
    main()
