#!/usr/bin/env python3
"""Makes each system call of the hook's append and state path fail, one at a time, and looks what became of the event.

An event is "written" (its lines stand in the history) or "reported" (a line on stderr). Never may it be lost without a
word, the hook end with anything but 0, print anything but one JSON object, or leave a history or a state that the next
hook does not heal. Needs strace, because the hook is a static executable, which a preloaded library cannot reach.

    tests/durability/faults.py --hook PATH              every scene, every call, every error
    tests/durability/faults.py --hook PATH --scenes usual --calls write,renameat
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

ERRORS = {
    "open": ["ENOSPC", "EIO", "EACCES", "EMFILE", "ENFILE", "EINTR", "EROFS"],
    "flock": ["EINTR", "ENOLCK", "EIO", "EAGAIN"],
    "stat": ["EIO", "EACCES", "EOVERFLOW"],
    "read": ["EIO", "EINTR", "EISDIR", "ESTALE"],
    "write": ["ENOSPC", "EIO", "EINTR", "EDQUOT", "EPIPE", "EBADF"],
    "lseek": ["EIO", "EINVAL"],
    "rename": ["ENOSPC", "EIO", "EACCES", "ENOENT"],
    "mkdir": ["ENOSPC", "EIO", "EACCES", "EROFS", "EEXIST"],
    "unlink": ["EIO", "EACCES"],
    "close": ["EIO", "EINTR", "EBADF"],
    "getdents64": ["EIO", "EINVAL"],
    "chmod": ["EPERM", "EIO"],
}
FAMILY = {
    "open": "open", "openat": "open", "flock": "flock", "fstat": "stat", "stat": "stat", "lstat": "stat",
    "newfstatat": "stat", "statx": "stat", "read": "read", "pread64": "read", "write": "write",
    "pwrite64": "write", "lseek": "lseek", "rename": "rename", "renameat": "rename", "renameat2": "rename",
    "mkdir": "mkdir", "mkdirat": "mkdir", "unlink": "unlink", "unlinkat": "unlink", "close": "close",
    "getdents64": "getdents64", "fchmod": "chmod", "ftruncate": "write", "fcntl": "lseek", "fsync": "write",
}
# A call that tells of less than was asked for, without doing it.
SHORT = {"read": [0], "write": [0, 1, 40]}
# From here on every call of the kind fails: the table of descriptors is full, the disk is gone.
LASTING = {"open": ["EMFILE", "EACCES", "EIO"], "stat": ["EIO"], "read": ["EIO"], "rename": ["ENOSPC"], "flock": ["ENOLCK"],
           "lseek": ["EIO"], "mkdir": ["EACCES"], "unlink": ["EACCES"], "getdents64": ["EIO"]}


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
            strace = ["strace", "-qq", "-f", "-o", str(log), "-e", "trace=" + ",".join(FAMILY), "-e", "signal=none"]
            strace += ["-e", f"inject={inject}"] if inject else []
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

    def states(self):
        return {path.name: parsed(path.read_bytes()) for path in self.folder.glob("state/*.json")}


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


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
    for path in bench.folder.glob("state/*.json"):
        path.write_bytes(b'{"v":1,"node":')


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
    "rotated": Scene(rotated),
}


def calls_of(log):
    """How often each system call was made in a clean run."""
    names = re.findall(r"^(?:\d+ +)?(\w+)\(", log.read_text(errors="replace"), re.MULTILINE)
    return collections.Counter(name for name in names if name in FAMILY)


def cases(counts, wanted):
    for name, count in sorted(counts.items()):
        if wanted and name not in wanted:
            continue
        family = FAMILY[name]
        for index in range(1, count + 1):
            yield from ((name, error, f"{name}:error={error}:when={index}") for error in ERRORS[family])
            yield from ((name, f"={value}", f"{name}:retval={value}:when={index}") for value in SHORT.get(family, []))
            yield from ((name, f"{error}+", f"{name}:error={error}:when={index}+") for error in LASTING.get(family, []))


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
        faults += heals(bench, lied=False)
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
    return bool(re.search(r"write\(2, .*\(INJECTED\)", log.read_text(errors="replace")))


def heals(bench, lied):
    """The next hooks run clean, leave whole lines, and keep the state that a rebuild gives.

    Where a write lied (it told of bytes that it did not write), the state of a node that these hooks do not meet may be
    damaged: whoever meets it makes it again.
    """
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
    kept = bench.states()
    shutil.rmtree(bench.folder / "state")
    bench.run(bench.payload("probe", agent="a3"))
    rebuilt = bench.states()
    strange = [name for name, state in kept.items() if rebuilt.get(name) != state and not (lied and state is None)]
    if strange:
        faults.append(f"state differs from the history: {strange}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hook", required=True, type=lambda path: str(pathlib.Path(path).resolve(strict=True)))
    parser.add_argument("--scenes", default=",".join([*SCENES, "short"]))
    parser.add_argument("--calls", default="", help="only these system calls")
    parser.add_argument("--jobs", type=int, default=max(2, (os.cpu_count() or 2)))
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("strace is not installed: nothing was tested")
        return 77
    wanted = set(filter(None, options.calls.split(",")))
    table, faults = collections.defaultdict(collections.Counter), []
    for scene in [scene for scene in options.scenes.split(",") if scene != "short"]:
        with tempfile.TemporaryDirectory(prefix="failwise-faults-") as base:
            stage = SCENES[scene]
            template, log = pathlib.Path(base, "template"), pathlib.Path(base, "log")
            stage.template(options.hook, template)
            bench = stage.put(options.hook, template, pathlib.Path(base, "clean"))
            bench.run(bench.payload("now", failed=stage.failed), log=log)
            todo = list(cases(calls_of(log), wanted))
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for name, _, became, wrong in pool.map(lambda case: play(options.hook, stage, template, case), todo):
                    table[scene, name][became] += 1
                    table[scene, name]["FAULTS"] += len(wrong)
                    faults += [f"{scene}: {fault}" for fault in wrong]
    if "short" in options.scenes.split(","):
        with tempfile.TemporaryDirectory(prefix="failwise-faults-") as template:
            SCENES["usual"].template(options.hook, template)
            for room in [*range(0, 60), *range(60, 4000, 97)]:
                became, wrong = play_short(options.hook, template, room)
                table["short", "write"][became] += 1
                table["short", "write"]["FAULTS"] += len(wrong)
                faults += [f"short: {fault}" for fault in wrong]
    show(table)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def show(table):
    columns = ["written", "written, reported", "reported", "not reached", "LOST", "FAULTS"]
    print("| scene | call | " + " | ".join(columns) + " |")
    print("| --- | --- |" + " ---: |" * len(columns))
    total = collections.Counter()
    for (scene, name), counts in table.items():
        total.update(counts)
        print(f"| {scene} | {name} | " + " | ".join(str(counts[column]) for column in columns) + " |")
    print("| all | | " + " | ".join(str(total[column]) for column in columns) + " |")


if __name__ == "__main__":
    sys.exit(main())
