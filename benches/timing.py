#!/usr/bin/env python3
"""Times whole hook processes beside what they are compared with, and prints a Markdown table.

usage: timing.py HOOK [--rounds N] [--sizes 1K,22M,1G]

In each round every case runs once, each time in another order, so that a slow moment falls on all of them; what counts is
the median of the rounds' ratios. Needs a quiet machine, Node for its two rows, GNU time for the memory, and room for the
histories. HOOK is what `benches/build.sh` prints.
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import scene

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hook")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--sizes", default="1K,22M,1G")
    given = parser.parse_args()
    hook = os.path.abspath(given.hook)
    with tempfile.TemporaryDirectory(prefix="failwise-timing.") as work:
        root = pathlib.Path(work)
        cases = floors(root / "floor", hook)
        for size in given.sizes.split(","):
            cases += behind_history(root / size, hook, size)
        print_table(cases, times_of(cases, given.rounds))


def times_of(cases, rounds):
    """Seconds of each case by its name, a round each time in another order. The first round warms the caches and counts nothing."""
    times = {case.name: [] for case in cases}
    for number in range(rounds + 1):
        for case in random.sample(cases, len(cases)):
            took = case.run()
            if number:
                times[case.name].append(took)
    return times


class Case:
    """A program with its arguments, a payload on its standard input, and a session that it begins from."""

    def __init__(self, name, program, payload, env, session=None):
        self.name, self.program, self.payload, self.env, self.session = name, program, payload, env, session

    def run(self):
        """Seconds from the spawn to the end."""
        if self.session:
            self.session.reset()
        with open(self.payload, "rb") as given, open(os.devnull, "wb") as away:
            streams = [(os.POSIX_SPAWN_DUP2, given.fileno(), 0), (os.POSIX_SPAWN_DUP2, away.fileno(), 1)]
            began = time.perf_counter()
            child = os.posix_spawn(self.program[0], self.program, self.env, file_actions=streams)
            _, status = os.waitpid(child, 0)
            took = time.perf_counter() - began
        if status:
            sys.exit(f"timing.py: {self.name} ended with {status}")
        return took

    def memory(self):
        """The peak in KB. Not by `wait4`: a child counts the memory of the process that spawned it."""
        if not os.path.exists("/usr/bin/time"):
            return None
        if self.session:
            self.session.reset()
        with open(self.payload, "rb") as given:
            timed = ["/usr/bin/time", "-f", "%M", *self.program]
            ended = subprocess.run(timed, stdin=given, env=self.env, capture_output=True, text=True, check=True)
        return int(ended.stderr.splitlines()[-1])


class Session:
    """What a run changes. A call counts once, so each run begins where the session stood."""

    def __init__(self, root):
        self.history = next((root / "home").rglob("history.jsonl"))
        self.length = self.history.stat().st_size
        files = [self.history.with_name("history.lock"), *(self.history.parent / "state").iterdir()]
        self.kept = {file: file.read_bytes() for file in files}

    def reset(self):
        os.truncate(self.history, self.length)
        for file, content in self.kept.items():
            file.write_bytes(content)


def floors(root, hook):
    """What the hook is compared with, prepared as the hook is: who starts after a file was written starts later."""
    scene.make(root, pathlib.Path(hook), UNITS["K"])
    session = Session(root)
    env = {"HOME": str(root), "PATH": "/usr/bin:/bin"}
    payload = scene.PAYLOADS / "failure.json"
    programs = {"`/bin/true`": ["/bin/true"], "hook `--version`": [hook, "--version"]}
    node = shutil.which("node")
    if node:
        programs["`node -e 0`"] = [node, "-e", "0"]
        programs["Node hook"] = [node, str(scene.HERE / "node-hook.cjs")]
    return [Case(name, program, payload, env, session) for name, program in programs.items()]


def behind_history(root, hook, size):
    scene.make(root, pathlib.Path(hook), int(size[:-1]) * UNITS[size[-1]])
    env = scene.environment(root)
    session = Session(root)
    return [Case(f"{name}, {size}B", [hook], root / f"{name}.json", env, session) for name in scene.CASES]


def print_table(cases, times):
    floor, node = times["`/bin/true`"], times.get("Node hook")
    print("| case | median ms | x `/bin/true` | 1 / Node hook | peak memory KB |")
    print("| --- | --: | --: | --: | --: |")
    for case in cases:
        own = times[case.name]
        of_node = f"{ratio(node, own):.0f}" if node else "-"
        median = statistics.median(own) * 1000
        print(f"| {case.name} | {median:.2f} | {ratio(own, floor):.2f} | {of_node} | {case.memory() or '-'} |")


def ratio(own, other):
    return statistics.median(a / b for a, b in zip(own, other))


if __name__ == "__main__":
    main()
