#!/usr/bin/env python3
"""How long the commands take on a plan of 5,000 nodes: milliseconds for status, next, show and validate, the best and the
median; and how long one that changes the plan holds the lock of the history, which hooks wait for.

    benches/plan.py --failwise target/release/failwise [--nodes 5000] [--runs 20] [--flat]

The tree is made in a temporary folder. `next` claims a task each time, so it is measured with its writes; `next --dry-run`
without them. The lock is tried again and again while `claim` and `set` run; `--lock-under MS` ends with 1 where it was
held for longer.
"""

import argparse
import fcntl
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

PER_STORY, PER_FEATURE = 6, 5


def page(fields, body=""):
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "---\n" + body


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def make(root, nodes, flat):
    """A tree of so many nodes: features of five stories of six tasks."""
    plans = root / ".claude/plans"
    (root / ".git").mkdir(parents=True)
    write(root / "tests/all.rs", "")
    name = (lambda node: node) if flat else (lambda node: f"{node}_some-slug-of-usual-length")
    left, features, stories, tasks = nodes - 1, [], 0, 0
    while left > 0:
        feature = f"FEAT-{len(features) + 1}"
        features.append(feature)
        left -= 1
        own_stories = []
        for _ in range(PER_FEATURE):
            if left <= 0:
                break
            stories, left = stories + 1, left - 1
            story = f"STORY-{stories:04}"
            own_stories.append(story)
            own_tasks = []
            folder = plans / "features" / name(feature) / "stories" / name(story)
            for number in range(min(PER_STORY, left)):
                tasks, left = tasks + 1, left - 1
                task = f"TASK-{tasks:05}"
                depends = own_tasks[-1:] if number % 2 else []
                own_tasks.append(task)
                fields = {"id": task, "tier": 4, "parent": story, "status": "planned", "revision": 1,
                          "intent": f'"Do part {number} of the story: all of it"', "agent": "backend",
                          "depends_on": f"[{', '.join(depends)}]",
                          "artifacts": f"\n  - path: src/part_{tasks}.rs\n    functions: [run]\n  - path: src/more_{tasks}.rs",
                          "context_budget": 2000, "created_at": "2031-01-05T10:00:00Z"}
                file = folder / "tasks" / (f"{task}.md" if flat else f"{name(task)}/task.md")
                write(file, page(fields, "## Notes\n" + "What was found on the way.\n" * 20))
            fields = {"id": story, "tier": 3, "parent": feature, "status": "active", "revision": 1, "intent": "A story",
                      "children": f"[{', '.join(own_tasks)}]", "replan_budget_remaining": 3, "replan_budget_total": 3}
            write(folder / "story.md", page(fields, "acceptance:\n- test_ref: tests/all.rs::it\n"))
        fields = {"id": feature, "tier": 2, "parent": "MISSION", "status": "active", "revision": 1, "intent": "A feature",
                  "children": f"[{', '.join(own_stories)}]"}
        write(plans / "features" / name(feature) / "feature.md", page(fields))
    mission = page({"id": "MISSION", "tier": 0, "intent": "All of it", "children": f"[{', '.join(features)}]"})
    write(plans / ("mission.md" if flat else "mission/mission.md"), mission)
    counters = {"FEAT": len(features), "STORY": stories, "TASK": tasks}
    write(plans / ".counters.json", json.dumps({"schema_version": 1, "counters": counters}))
    write(plans / "active.json", json.dumps({"schema_version": 1, "active": {"mission": "MISSION"}}))


def measure(failwise, root, arguments, runs):
    env = {"HOME": str(root / "home"), "PATH": os.environ["PATH"]}
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        ended = subprocess.run([failwise, "plan", *arguments], cwd=root, env=env, capture_output=True)
        times.append((time.perf_counter() - begin) * 1000)
        if ended.returncode != 0:
            raise SystemExit(f"{arguments}: exit {ended.returncode}\n{ended.stdout.decode()[:500]}{ended.stderr.decode()}")
    return min(times), statistics.median(times)


def held(failwise, root, runs):
    """The longest times for which a change of the plan kept everybody else from the lock, in milliseconds."""
    env = {"HOME": str(root / "home"), "PATH": os.environ["PATH"]}
    changes = (["claim", "TASK-00001"], ["set", "TASK-00001", "planned", "--reason", "given back"])
    times = []
    with open(root / ".claude/plans/history.lock", "a") as lock:
        for arguments in changes * runs:
            command = subprocess.Popen([failwise, "plan", *arguments], cwd=root, env=env, stdout=subprocess.DEVNULL)
            longest = 0.0
            begin = None
            while command.poll() is None:
                now = time.perf_counter()
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    fcntl.flock(lock, fcntl.LOCK_UN)
                    longest = max(longest, now - begin if begin else 0.0)
                    begin = None
                    time.sleep(0.0001)
                except BlockingIOError:
                    begin = begin or now
            if command.returncode != 0:
                raise SystemExit(f"{arguments}: exit {command.returncode}")
            times.append(longest * 1000)
    return max(times), statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failwise", required=True)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--flat", action="store_true", help="the layout of releases before 3.7.3")
    parser.add_argument("--lock-under", type=float, metavar="MS", help="ends with 1 where the lock was held for longer")
    given = parser.parse_args()
    failwise = str(pathlib.Path(given.failwise).resolve())
    with tempfile.TemporaryDirectory(prefix="failwise-plan-") as folder:
        root = pathlib.Path(folder)
        make(root, given.nodes, given.flat)
        env = {"HOME": str(root / "home"), "PATH": os.environ["PATH"]}
        subprocess.run([failwise, "trust", "--yes"], cwd=root, env=env, capture_output=True, check=True)
        print(f"{given.nodes} nodes, {given.runs} runs: best and median in ms")
        for arguments in (["status"], ["status", "--format", "json"], ["show", "TASK-00007"], ["validate"],
                          ["next", "--dry-run"], ["next"]):
            best, median = measure(failwise, root, arguments, given.runs)
            print(f"{' '.join(arguments):<22} {best:7.1f} {median:7.1f}")
        subprocess.run([failwise, "plan", "set", "TASK-00001", "planned", "--reason", "measured"], cwd=root, env=env,
                       capture_output=True)
        longest, median = held(failwise, root, given.runs)
        print(f"{'lock held, longest':<22} {longest:7.1f} {median:7.1f}")
        if given.lock_under is not None and longest > given.lock_under:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
