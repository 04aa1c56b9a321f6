#!/usr/bin/env python3
"""Many processes fail and pass in one project while processes are killed: is every verdict that a replay would not give
marked as one that did not know everything?

    tests/durability/verdicts.py --hook PATH --failwise PATH           short form, some 15 s
    tests/durability/verdicts.py --hook PATH --failwise PATH --full    16 processes, 4,000 events each

A quarter of the processes share one node, so that they count on each other's attempts; the others edit files that the
failures of all name. What no lock was had for, and what a killed process left, makes verdicts that miss something: each
of these must have a `verdict_in_doubt` behind it or say `history_truncated`, and at most one verdict in a hundred may.
Then a subagent fails in a folder of 20,000 states: it must not list it (needs strace). The last line counts the scenes:
`verdicts: N passed, 0 failed`.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import appends

OUTPUT = "Exit code 1\nsrc/part-{n}.py:{line}: error: Incompatible types in assignment  [assignment]\nFound 1 error in 1 file"


class Worker(appends.Sender):
    """Runs checks that fail several times before they pass, and edits files in between."""

    def payload(self, n):
        call = {
            "session_id": "s-1", "agent_id": self.agent, "transcript_path": "", "cwd": str(self.cwd),
            "tool_use_id": f"p{self.number}-{n}", "tool_name": "Bash", "hook_event_name": "PostToolUse",
        }
        part = n // 8 % 5
        if n % 8 == 3 and self.agent != "shared":
            target = f"{self.cwd}/src/part-{self.number}.py"
            return call | {"tool_name": "Edit", "tool_input": {"file_path": target, "old_string": "a", "new_string": "b"},
                           "tool_response": {"filePath": target}}
        command = {"command": f"mypy src/part-{part}.py"}
        if n % 8 == 7:
            out = "Success: no issues found in 1 source file"
            return call | {"tool_input": command, "tool_response": {"stdout": out, "stderr": "", "interrupted": False}}
        return call | {"hook_event_name": "PostToolUseFailure", "tool_input": command, "is_interrupt": False,
                       "error": OUTPUT.format(n=part, line=n % 3)}


def many_writers(options):
    appends.Sender = Worker
    with tempfile.TemporaryDirectory(prefix="failwise-verdicts-") as folder:
        base = pathlib.Path(folder)
        env = {"HOME": str(base / "home"), "XDG_STATE_HOME": str(base / "state")}
        counts, faults = appends.round_of("one", options, options.seed, env, appends.projects(base, "one"), None)
        history = next(base.glob("state/failwise/projects/*/history.jsonl"))
        told, wrong = compare(options.failwise, history, env)
        return counts + told, faults + wrong


def compare(failwise, history, env):
    """Verdicts that a replay of the history would not give, and those that say that they may be such."""
    verdicts, flagged = {}, set()
    for line in history.read_bytes().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event["event"] == "failure_classified":
            verdicts[event["verdict"]["history_ref"]] = event["id"]
            if event.get("history_truncated"):
                flagged.add(event["id"])
        elif event["event"] == "verdict_in_doubt":
            flagged.add(event["verdict_id"])
    command = [failwise, "replay", "--format", "jsonl", str(history)]
    rows = subprocess.run(command, env=env, capture_output=True, check=True).stdout.splitlines()
    differing = {}
    for row in map(json.loads, rows):
        if row.get("differs"):
            differing[verdicts[row["history_ref"]]] = [change["field"] for change in row["differs"]]
    counts = collections.Counter({"verdicts": len(verdicts), "flagged": len(flagged), "differing": len(differing)})
    faults = collections.Counter()
    faults["differing and not flagged"] = len(differing.keys() - flagged)
    for verdict in sorted(differing.keys() - flagged)[:5]:
        print(f"  {verdict} differs in {', '.join(differing[verdict])}", file=sys.stderr)
    if len(flagged) > len(verdicts) / 100:
        faults["flagged beyond one in a hundred"] = len(flagged)
    faults["no verdicts"] = int(not verdicts)
    return counts, +faults


def many_states(options):
    """How often a subagent's failing call lists a folder, in one with this many states."""
    counts, faults = collections.Counter(), collections.Counter()
    if not may_trace():
        print("states: left out, nothing may be traced here")
        return None
    with tempfile.TemporaryDirectory(prefix="failwise-verdicts-") as folder:
        base = pathlib.Path(folder)
        env = {"HOME": str(base / "home"), "XDG_STATE_HOME": str(base / "state")}
        cwd = appends.projects(base, "one")[0]
        for number in range(4):
            worker = Worker(number, options.hook, env, cwd, False)
            for n in range(2):
                worker.run(json.dumps(worker.payload(n)).encode())
        state = next(base.glob("state/failwise/projects/*/state"))
        # Of the same session by their names, as those of its subagents are.
        group = next(path.name.split("-")[0] for path in state.iterdir() if list(state.glob(path.name.split("-")[0] + "-*"))[1:])
        for number in range(options.states):
            (state / f"{group}-{number:016x}.json").write_text("{}\n")
        # One that is known, and one that begins.
        for number, n in ((1, 2), (99, 0)):
            payload = json.dumps(Worker(number, options.hook, env, cwd, False).payload(n)).encode()
            log = base / "trace"
            trace = ["strace", "-f", "-o", str(log), "-e", "trace=getdents64,openat", options.hook]
            ended = subprocess.run(trace, input=payload, env=env | {"PATH": os.environ["PATH"]}, capture_output=True)
            text = log.read_text()
            counts["hooks"] += 1
            counts["files opened"] += len(re.findall(r"/state/[0-9a-f]+-", text))
            faults["folder listed"] += text.count("getdents64(")
            faults["hook failed"] += int(ended.returncode != 0 or bool(ended.stderr))
        return counts, +faults


def may_trace():
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    executable = {"required": True, "type": lambda path: str(pathlib.Path(path).resolve(strict=True))}
    parser.add_argument("--hook", **executable)
    parser.add_argument("--failwise", **executable)
    parser.add_argument("--full", action="store_true", help="4,000 events a process")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--events", type=int, default=None, help="events a process")
    parser.add_argument("--states", type=int, default=20000)
    parser.add_argument("--kill-every", type=float, default=20, metavar="MS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.events = options.events or (4000 if options.full else 200)
    passed = failed = 0
    for name, scene in (("writers", many_writers), ("states", many_states)):
        started = time.monotonic()
        found = scene(options)
        if found is None:
            continue
        counts, faults = found
        passed, failed = (passed, failed + 1) if faults else (passed + 1, failed)
        words = ", ".join(f"{counts[word]:,} {word}" for word in sorted(counts))
        print(f"{name}: {time.monotonic() - started:.0f} s: {words}")
        print(f"{name}: " + (", ".join(f"{count} {word}" for word, count in faults.items()) or "no fault"), flush=True)
    print(f"verdicts: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
