#!/usr/bin/env python3
"""Kills `failwise plan` at each of its system calls that touches the project, and looks what became of the plan.

After each kill `failwise plan validate` must find nothing to mend, and `status` must show every node as before the change or
every node as after it. The next command that changes the plan, here one that is refused, must leave it so, and the history must
tell of the change once if it was made. Needs strace, as faults.py beside it does.

    tests/durability/plan_faults.py --failwise PATH            every change, every call: about 2 minutes
    tests/durability/plan_faults.py --failwise PATH --short    every change, every third call
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from faults import calls_of, may_trace

MADE = [
    ["init", "--intent", "Water the greenhouse"],
    ["add", "feature", "--parent", "MISSION", "--intent", "Valves"],
    ["add", "story", "--parent", "FEAT-1", "--intent", "Open", "--test-ref", "tests/beds.rs::dry"],
    ["add", "task", "--parent", "STORY-0001", "--intent", "Find"],
    ["add", "task", "--parent", "STORY-0001", "--intent", "Turn"],
]
FREEZE = ["freeze", "FEAT-1", "--reason", "the valve is wrong"]
# A change, and what stands there before it.
CHANGES = {
    "next": ([], ["next"]),
    "freeze": ([["next"]], FREEZE),
    "thaw": ([FREEZE], ["thaw", "FEAT-1"]),
    "undo": ([["next"], FREEZE], ["undo", "FEAT-1"]),
    "replan": ([], ["replan", "STORY-0001", "--reason", "wrong cut"]),
    "add": ([], ["add", "task", "--parent", "STORY-0001", "--intent", "Close"]),
}


class Site:
    def __init__(self, failwise, base):
        self.failwise, self.base = failwise, pathlib.Path(base)
        self.project = self.base / "project"
        self.env = {"HOME": str(self.base / "home")}

    def make(self, before):
        (self.project / ".git").mkdir(parents=True)
        (self.project / "tests").mkdir()
        (self.project / "tests/beds.rs").touch()
        for arguments in [*MADE, *before]:
            self.run(arguments).check_returncode()
        return self

    def trusted(self):
        """The plan of a copied site stands at another place, and has to be trusted there."""
        command = [self.failwise, "trust", "--yes"]
        subprocess.run(command, cwd=self.project, env=self.env, capture_output=True, timeout=60).check_returncode()
        return self

    def run(self, arguments, strace=()):
        command = [*strace, self.failwise, "plan", *arguments]
        return subprocess.run(command, cwd=self.project, env=self.env, capture_output=True, timeout=60)

    def states(self):
        nodes = json.loads(self.run(["status", "--format", "json"]).stdout)["nodes"]
        return {node["id"]: (node["status"], node["revision"]) for node in nodes}

    def events(self):
        lines = (self.project / ".claude/plans/history.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        # A copied site is taken over once more.
        events = [event for event in events if event["event"] != "history_begun"]
        return sorted((event["event"], event["node"], event.get("message", "")) for event in events)


def play(failwise, template, change, expected, call):
    """One kill: what is wrong afterwards, and whether the change was made. None where the call was not reached."""
    name, index = call
    with tempfile.TemporaryDirectory(prefix="failwise-plan-faults-") as base:
        shutil.copytree(template, base, dirs_exist_ok=True, symlinks=True)
        site = Site(failwise, base).trusted()
        log = str(pathlib.Path(base, "log"))
        inject = f"inject={name}:signal=KILL:when={index}"
        strace = ["strace", "-qq", "-f", "-o", log, "-e", "signal=none", "-e", f"trace={name}", "-e", inject]
        if site.run(change, strace).returncode not in (-signal.SIGKILL, 128 + signal.SIGKILL):
            return None
        at, faults = f"{change[0]}, {name} number {index}", []
        validated = site.run(["validate"])
        if validated.returncode != 0:
            faults.append(f"{at}: {(validated.stdout + validated.stderr).decode()}")
        shown = site.states()
        site.run(["freeze", "TASK-99999", "--reason", "ends what was begun"])
        now = (site.states(), site.events())
        if shown != now[0]:
            faults.append(f"{at}: shown before it was ended: {shown}, then {now[0]}")
        if now not in expected:
            faults.append(f"{at}: neither before nor after: {now}")
        left = [path.name for path in site.project.rglob(".mutation.json")]
        return now == expected[1], faults + [f"{at}: {name} is left" for name in left]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failwise", required=True, type=lambda path: str(pathlib.Path(path).resolve(strict=True)))
    parser.add_argument("--changes", default=",".join(CHANGES))
    parser.add_argument("--short", action="store_true", help="every third call")
    parser.add_argument("--jobs", type=int, default=max(2, (os.cpu_count() or 2)))
    options = parser.parse_args()
    if not may_trace():
        print("no system call can be traced here: strace is missing, or ptrace is not permitted")
        print("plan_faults: 0 passed, 0 failed")
        return 0
    played, faults = 0, []
    for name in options.changes.split(","):
        before, change = CHANGES[name]
        with tempfile.TemporaryDirectory(prefix="failwise-plan-faults-") as base:
            template, clean, log = pathlib.Path(base, "template"), pathlib.Path(base, "clean"), pathlib.Path(base, "log")
            start = Site(options.failwise, template).make(before)
            shutil.copytree(template, clean, symlinks=True)
            done = Site(options.failwise, clean).trusted()
            done.run(change, ["strace", "-qq", "-f", "-y", "-o", str(log), "-e", "signal=none"]).check_returncode()
            calls = [(call, index) for call, index, _ in calls_of(log, clean)]
            expected = [(site.states(), site.events()) for site in (start, done)]
            todo = calls[::3] if options.short else calls
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                ends = list(pool.map(lambda call: play(options.failwise, template, change, expected, call), todo))
        reached = [end for end in ends if end]
        made = sum(made for made, _ in reached)
        print(f"{name}: {len(reached)} kills, the change was made {made} times and not at all {len(reached) - made} times")
        played += len(reached)
        faults += [fault for _, wrong in reached for fault in wrong]
    for fault in faults:
        print(fault)
    print(f"plan_faults: {played - len(faults)} passed, {len(faults)} failed")
    return 1 if faults or not played else 0


if __name__ == "__main__":
    sys.exit(main())
