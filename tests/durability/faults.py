#!/usr/bin/env python3
"""Makes each system call of the hook's append and state path fail, one at a time, and looks what became of the event.

An event is "written" (its lines stand in the history) or "reported" (a line on stderr). Never may it be lost without a
word, the hook end with anything but 0, print anything but one JSON object, or leave a history or a state that the next
hook does not heal. Needs strace, because the hook is a static executable, which a preloaded library cannot reach.

Which system calls there are is found by tracing a clean run: each that names a file of the project or of the history, or
uses one that is open. What stands beside the history is not known by name, but by what the next verdict says with it and
without it.

    tests/durability/faults.py --hook PATH              every scene, every call, every error: about 3 minutes
    tests/durability/faults.py --hook PATH --short      every scene, every call, one error each: about 30 s
    tests/durability/faults.py --hook PATH --scenes usual --calls write,renameat2

The last line counts the cases: `faults: N passed, 0 failed`.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

# What a call of a name with such a part may fail with, the first part that fits; what no row names gets ANY.
ERRORS = {
    "open": ["ENOSPC", "EIO", "EACCES", "EMFILE", "ENFILE", "EINTR", "EROFS"],
    "lock": ["EINTR", "ENOLCK", "EIO", "EAGAIN"],
    "stat": ["EIO", "EACCES", "EOVERFLOW"],
    "readlink": ["EIO", "EACCES"],
    "read": ["EIO", "EINTR", "EISDIR", "ESTALE"],
    "write": ["ENOSPC", "EIO", "EINTR", "EDQUOT", "EPIPE", "EBADF"],
    "seek": ["EIO", "EINVAL"],
    "rename": ["ENOSPC", "EIO", "EACCES", "ENOENT"],
    "link": ["EIO", "EACCES", "EEXIST"],
    "mkdir": ["ENOSPC", "EIO", "EACCES", "EROFS", "EEXIST"],
    "close": ["EIO", "EINTR", "EBADF"],
    "getdents": ["EIO", "EINVAL"],
    "chmod": ["EPERM", "EIO"],
    "mmap": ["ENOMEM", "EACCES"],
}
ANY = ["EIO", "ENOSPC", "EACCES", "EINTR"]
# Of the start of any executable: its failure is not the hook's.
OF_THE_START = {"execve"}
# A call that tells of less than was asked for, without doing it.
SHORT = {"read": [0], "pread64": [0], "write": [0, 1, 40], "pwrite64": [0, 1, 40]}
# From here on every call of the name fails: the table of descriptors is full, the disk is gone.
LASTING = {"open": ["EMFILE", "EACCES", "EIO"], "lock": ["ENOLCK"], "stat": ["EIO"], "readlink": ["EIO"], "read": ["EIO"],
           "seek": ["EIO"], "rename": ["ENOSPC"], "link": ["EACCES"], "mkdir": ["EACCES"], "getdents": ["EIO"]}


def fitting(table, name, otherwise):
    return next((row for part, row in table.items() if part in name), otherwise)


KILLED = "killed"
# What became of an event.
BECAME = ["written", "written, reported", "reported", KILLED, "not reached", "LOST"]


class Bench:
    """A project with a history, in a folder of its own."""

    def __init__(self, hook, base):
        self.hook, self.base = hook, pathlib.Path(base)
        self.folder = self.base / "history"
        self.history = self.folder / "history.jsonl"
        (self.base / "project/.git").mkdir(parents=True, exist_ok=True)
        self.env = {"HOME": str(self.base / "home"), "FAILWISE_DIR": str(self.folder),
                    "CLAUDE_PROJECT_DIR": str(self.base / "project")}

    def payload(self, name, agent="a1", failed=True):
        call = {"session_id": "s-1", "agent_id": agent, "transcript_path": "", "cwd": str(self.base / "project"),
                "tool_name": "Bash", "tool_input": {"command": "make run-runner"}, "tool_use_id": name}
        if failed:
            call |= {"hook_event_name": "PostToolUseFailure", "is_interrupt": False,
                     "error": "Exit code 2\nmake: *** No rule to make target 'run-runner'.  Stop."}
        else:
            call |= {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "ok", "stderr": ""}}
        return json.dumps(call).encode()

    def run(self, payload, inject=None, log=None):
        strace = []
        if log:
            strace = ["strace", "-qq", "-f", "-y", "-o", str(log), "-e", "signal=none"]
            # A call's number counts those of its own name only, so the others need no trace.
            strace += ["-e", f"trace={inject.split(':')[0]}", "-e", f"inject={inject}"] if inject else []
        return subprocess.run([*strace, self.hook], input=payload, env=self.env, capture_output=True, timeout=30)

    def events(self):
        """Lines that are events by call, and how many lines are no event."""
        events, fragments = collections.Counter(), 0
        for line in self.history.read_bytes().splitlines() if self.history.exists() else []:
            try:
                event = json.loads(line) if line else None
            except ValueError:
                fragments += 1
                continue
            if event:
                events[event.get("tool_use_id"), event["event"]] += 1
        return events, fragments

    def beside(self):
        """What the hook keeps beside the history, under whatever names."""
        files = [path for path in self.folder.rglob("*") if path.is_file() and not is_history(path)]
        return [path for path in files if path.stat().st_size > 0]

    def verdicts(self, names):
        """What the next hooks decide, but for what time makes of it."""
        for name, agent in names.items():
            self.run(self.payload(name, agent))
        lines = [json.loads(line) for line in self.history.read_bytes().splitlines() if line.endswith(b"}")]
        return [timeless(line) for line in lines if line.get("tool_use_id") in names]


def is_history(path):
    return path.name.startswith("history") and path.suffix == ".jsonl"


def timeless(event):
    verdict, decision = dict(event.get("verdict") or {}), dict(event.get("decision") or {})
    for part in (verdict, decision):
        for field in ("history_ref", "retry_after_ms", "not_before"):
            part.pop(field, None)
    # A reason may name an event, whose id is made of its time.
    decision["reasons"] = [reason for reason in decision.get("reasons", []) if not reason.startswith("history:")]
    return {**event, "id": None, "ts": None, "verdict": verdict, "decision": decision}


def usual(bench):
    """Two nodes with two failures each."""
    for name in ["first", "second"]:
        bench.run(bench.payload(name))
        bench.run(bench.payload(f"{name}-beside", agent="a2"))


def as_is(_bench):
    """Nothing else happened."""


def torn(bench):
    with open(bench.history, "ab") as history:
        history.write(b'{"v":1,"id":"0123456789abcdef","ts":"2026-03-01T10:0')


def gap(bench):
    line = bench.history.read_bytes().splitlines(keepends=True)[0].replace(b'"first"', b'"by-hand"')
    with open(bench.history, "ab") as history:
        history.write(line)


def damaged(bench):
    for path in bench.beside():
        path.write_bytes(b'{"v":1,"node":')


def cut(bench):
    for path in bench.beside():
        os.truncate(path, path.stat().st_size // 2)


def rotated(bench):
    bench.history.rename(bench.folder / "history-20260301T100000Z.jsonl")


class Scene:
    """What stands there before the hook whose calls fail."""

    def __init__(self, then=as_is, failed=True, with_history=True, settled=True):
        self.then, self.failed, self.with_history, self.settled = then, failed, with_history, settled

    def template(self, hook, path):
        bench = Bench(hook, path)
        if self.with_history:
            usual(bench)

    def put(self, hook, template, path):
        """A copy to work in. A clean hook takes to the copied history first, as to any other file in its place."""
        shutil.copytree(template, path, dirs_exist_ok=True, symlinks=True)
        bench = Bench(hook, path)
        if self.settled:
            bench.run(bench.payload("settling", agent="a4"))
        self.then(bench)
        return bench


SCENES = {
    "new": Scene(with_history=False, settled=False),
    "usual": Scene(),
    "success": Scene(failed=False),
    "another": Scene(settled=False),
    "torn": Scene(torn),
    "gap": Scene(gap),
    "damaged": Scene(damaged),
    "cut": Scene(cut),
    "rotated": Scene(rotated),
}


def calls_of(log, base):
    """The system calls of a clean run that use a file under `base`, or standard input and output: name, number, result."""
    made = collections.Counter()
    for line in log.read_text(errors="replace").splitlines():
        match = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
        if not match or match[1] in OF_THE_START:
            continue
        name, rest = match.groups()
        made[name] += 1
        if str(base) in rest or re.match("[012]<", rest):
            yield name, made[name], int(match[1]) if (match := re.search(r"= (\d+)", line.rpartition(")")[2])) else 0


def cases(calls, wanted, short):
    """What is injected; the short form takes the errors of a name in turn."""
    for number, (name, index, result) in enumerate(calls):
        if wanted and name not in wanted:
            continue
        at = f"{name}:{{}}:when={index}"
        errors = fitting(ERRORS, name, ANY)
        once = [(name, error, at.format(f"error={error}")) for error in errors]
        lies = [(name, f"={value}", at.format(f"retval={value}")) for value in SHORT.get(name, []) if value < result]
        lasting = [(name, f"{error}+", at.format(f"error={error}") + "+") for error in fitting(LASTING, name, [])]
        every = once + lies + lasting + [(name, KILLED, at.format("signal=KILL"))]
        yield from [every[number % len(every)]] if short else every


def play(hook, scene, template, case):
    """One call fails: what became of the event, and what is wrong."""
    name, error, inject = case
    failed = scene.failed
    with tempfile.TemporaryDirectory(prefix="failwise-faults-") as base:
        bench = scene.put(hook, template, base)
        log = pathlib.Path(base, "log")
        ended = bench.run(bench.payload("now", failed=failed), inject, log)
        if not log.exists():
            return name, error, "not reached", [f"{inject}: strace: {ended.stderr.decode(errors='replace')}"]
        if error == KILLED and ended.returncode < 0:
            return name, error, KILLED, [f"{inject}: {fault}" for fault in heals(bench)]
        if "(INJECTED)" not in log.read_text(errors="replace"):
            return name, error, "not reached", []
        lied = error.startswith("=")
        # Of an answer of which the system only pretended to take the beginning, the rest is no object.
        faults = manners(ended, with_stdout=not (lied and name == "write"))
        events, _ = bench.events()
        written = is_written(events, "now", failed)
        reported = bool(ended.stderr)
        became = "written" if written else "reported" if reported else "LOST"
        if written and reported:
            became = "written, reported"
        if became == "LOST" and not is_told_in_vain(log):
            faults.append("lost without a word")
        faults += heals(bench, lied)
        return name, error, became, [f"{inject}: {fault}" for fault in faults]


def play_short(hook, template, room):
    """The disk takes only so many bytes of the line."""
    with tempfile.TemporaryDirectory(prefix="failwise-faults-") as base:
        bench = SCENES["usual"].put(hook, template, base)
        limit = bench.history.stat().st_size + room

        def limited():
            # With the signal ignored, a write beyond the limit is cut short, and the next one fails.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        ended = subprocess.run([hook], input=bench.payload("now"), env=bench.env, capture_output=True, timeout=30,
                               preexec_fn=limited)
        faults = manners(ended)
        events, _ = bench.events()
        written = is_written(events, "now", True)
        became = "LOST"
        if written or ended.stderr:
            became = "written, reported" if written and ended.stderr else "written" if written else "reported"
        else:
            faults.append("lost without a word")
        faults += heals(bench)
        return became, [f"room for {room}: {fault}" for fault in faults]


def manners(ended, with_stdout=True):
    faults = [] if ended.returncode == 0 else [f"exit {ended.returncode}"]
    if ended.stdout and with_stdout:
        try:
            faults += [] if isinstance(json.loads(ended.stdout), dict) else ["stdout is no object"]
        except ValueError:
            faults.append(f"invalid stdout {ended.stdout[:60]!r}")
    return faults


def is_written(events, name, failed):
    if failed:
        return events[name, "execution_failed"] > 0 and events[name, "failure_classified"] > 0
    return events[name, "execution_completed"] > 0


def is_told_in_vain(log):
    """Whether the injected failure was that of the line on stderr itself."""
    return bool(re.search(r"write\(2<.*\(INJECTED\)", log.read_text(errors="replace")))


def heals(bench, lied=False):
    """The next hooks run clean, leave whole lines, and keep the state that a rebuild gives."""
    faults = []
    before, _ = bench.events()
    # The call once more, as the event of the whole batch brings it, and another one.
    for name in ["now", "next"]:
        ended = bench.run(bench.payload(name))
        faults += [f"then {fault}" for fault in manners(ended)]
        if ended.stderr:
            faults.append(f"then {ended.stderr.decode(errors='replace')}")
    events, fragments = bench.events()
    faults += [f"{key} doubled" for key, count in events.items() if count > 1 and key[0] != "by-hand"]
    faults += [f"{key} vanished" for key in before if key not in events]
    if not is_written(events, "next", True):
        faults.append("the next event is not written")
    if fragments > 2:
        faults.append(f"{fragments} fragments")
    if not bench.history.read_bytes().endswith(b"\n"):
        faults.append("no newline at the end")
    return faults + agreement(bench, lied)


def agreement(bench, lied=False):
    """With what is kept beside the history the next verdicts are those that the history alone gives.

    Where a write lied (it told of bytes that it did not write), what is kept of a node may be damaged until that node is
    met again, and so long it is nobody's sibling.
    """
    probes = {"probe": "a1", "probe-beside": "a2"}
    with tempfile.TemporaryDirectory(prefix="failwise-faults-") as base:
        alone = Bench(bench.hook, base)
        shutil.copytree(bench.folder, alone.folder)
        for path in alone.beside():
            path.unlink()
        # The project is the same one, or its path would tell them apart.
        alone.env = {**bench.env, "FAILWISE_DIR": str(alone.folder)}
        alone.payload = bench.payload
        kept, rebuilt = bench.verdicts(probes), alone.verdicts(probes)
    for event in kept + rebuilt if lied else []:
        event.get("plan", {}).pop("siblings", None)
    judged = [event for event in kept if event["event"] == "failure_classified"]
    if kept == rebuilt and len(judged) == len(probes):
        return []
    return [f"the state differs from the history: {json.dumps(kept)} {json.dumps(rebuilt)}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hook", required=True, type=lambda path: str(pathlib.Path(path).resolve(strict=True)))
    parser.add_argument("--scenes", default=",".join([*SCENES, "short"]))
    parser.add_argument("--calls", default="", help="only these system calls")
    parser.add_argument("--short", action="store_true", help="one error a call, and fewer lengths of a short write")
    parser.add_argument("--jobs", type=int, default=max(2, (os.cpu_count() or 2)))
    options = parser.parse_args()
    if not may_trace():
        print("no system call can be traced here: strace is missing, or ptrace is not permitted")
        print("faults: 0 passed, 0 failed")
        return 0
    wanted = set(filter(None, options.calls.split(",")))
    table, faults = collections.defaultdict(collections.Counter), []
    for scene in [scene for scene in options.scenes.split(",") if scene != "short"]:
        with tempfile.TemporaryDirectory(prefix="failwise-faults-") as base:
            stage = SCENES[scene]
            template, log = pathlib.Path(base, "template"), pathlib.Path(base, "log")
            stage.template(options.hook, template)
            bench = stage.put(options.hook, template, pathlib.Path(base, "clean"))
            bench.run(bench.payload("now", failed=stage.failed), log=log)
            todo = list(cases(calls_of(log, bench.base), wanted, options.short))
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for name, _, became, wrong in pool.map(lambda case: play(options.hook, stage, template, case), todo):
                    table[scene, name][became] += 1
                    table[scene, name]["BROKEN"] += bool(wrong)
                    faults += [f"{scene}: {fault}" for fault in wrong]
    if "short" in options.scenes.split(","):
        with tempfile.TemporaryDirectory(prefix="failwise-faults-") as template:
            SCENES["usual"].template(options.hook, template)
            for room in lengths(options.short):
                became, wrong = play_short(options.hook, template, room)
                table["short", "write"][became] += 1
                table["short", "write"]["BROKEN"] += bool(wrong)
                faults += [f"short: {fault}" for fault in wrong]
    show(table)
    for fault in faults:
        print(fault)
    broken = sum(counts["BROKEN"] for counts in table.values())
    played = sum(sum(counts[column] for column in BECAME) for counts in table.values())
    print(f"faults: {played - broken} passed, {broken} failed")
    return 1 if faults or not played else 0


def may_trace():
    """Whether strace is there and the system lets it trace."""
    try:
        return subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def lengths(short):
    """How many bytes of a line the disk takes: all at its beginning, then some."""
    return range(0, 4000, 211) if short else [*range(0, 60), *range(60, 4000, 97)]


def show(table):
    columns = [*BECAME, "BROKEN"]
    print("| scene | call | " + " | ".join(columns) + " |")
    print("| --- | --- |" + " ---: |" * len(columns))
    total = collections.Counter()
    for (scene, name), counts in table.items():
        total.update(counts)
        print(f"| {scene} | {name} | " + " | ".join(str(counts[column]) for column in columns) + " |")
    print("| all | | " + " | ".join(str(total[column]) for column in columns) + " |")


if __name__ == "__main__":
    sys.exit(main())
