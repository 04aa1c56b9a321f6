#!/usr/bin/env python3
"""Many processes append to one history while processes are killed: is any line torn, welded, lost or doubled?

Every event is one run of the true failwise-hook. An event is acknowledged when the hook exits 0 without a line on stderr.
A killed or unacknowledged event is sent again, as the client's batch event does, so that a doubled one would show.

    tests/durability/appends.py --hook PATH             short form, under 30 s
    tests/durability/appends.py --hook PATH --full      16 processes, 2,000 events each, ten rounds a scene
    tests/durability/appends.py --hook PATH --scenes disk --events 500

Scenes: one (one project), worktrees (two linked worktrees of one project), disk (a full disk, freed half-way; needs root).
Exits 1 when anything was lost, doubled, torn without a word, or when a hook ended with anything but 0. The last line counts
the scenes: `appends: N passed, 0 failed`.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FAILING = "Exit code 2\nmake: *** No rule to make target 'run-{n}'.  Stop."
TRIES = 50


class Sender:
    """One process: sends its events one after the other and notes what became of each."""

    def __init__(self, number, hook, env, cwd, share_node):
        self.number, self.hook, self.env, self.cwd = number, hook, env, cwd
        self.agent = "shared" if share_node else f"a{number}"
        self.child = None
        self.kills = 0
        self.out = os.memfd_create("out")
        self.err = os.memfd_create("err")
        signal.signal(signal.SIGUSR1, self.kill_child)

    def kill_child(self, *_):
        # A child that has ended but was not waited for keeps its number, so this never meets another process.
        if self.child is not None:
            self.kills += 1
            os.kill(self.child, signal.SIGKILL)

    def payload(self, n):
        call = {
            "session_id": "s-1", "agent_id": self.agent, "transcript_path": "", "cwd": str(self.cwd),
            "tool_name": "Bash", "tool_use_id": f"p{self.number}-{n}", "hook_event_name": "PostToolUse",
        }
        command = {"command": f"make run-{n % 7}"}
        if n % 2:
            return call | {"hook_event_name": "PostToolUseFailure", "tool_input": command,
                           "error": FAILING.format(n=n % 7) + "x" * (n * 37 % 3000), "is_interrupt": False}
        return call | {"tool_input": command, "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False}}

    def run(self, payload):
        """Starts the hook once: its exit status (negative for a signal), stdout and stderr."""
        stdin = os.memfd_create("in")
        os.write(stdin, payload)
        os.lseek(stdin, 0, os.SEEK_SET)
        for fd in (self.out, self.err):
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
        actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, self.out, 1), (os.POSIX_SPAWN_DUP2, self.err, 2)]
        self.child = os.posix_spawn(self.hook, [self.hook], self.env, file_actions=actions)
        os.close(stdin)
        os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOWAIT)
        pid, self.child = self.child, None
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return status, os.pread(self.out, 65536, 0), os.pread(self.err, 65536, 0)

    def send_all(self, events, half_way, again):
        told = collections.Counter()
        acknowledged, reported = [], []
        for n in range(events):
            if n == events // 2 and half_way:
                half_way.wait()
            payload = json.dumps(self.payload(n)).encode()
            for _ in range(TRIES):
                status, out, err = self.run(payload)
                told[outcome(status, out, err)] += 1
                if status == 0 and not err:
                    acknowledged.append(f"p{self.number}-{n}")
                    break
                if status == 0:
                    reported.append(f"p{self.number}-{n}")
                if status == 0 and not again:
                    break
        return acknowledged, reported, told, self.kills


def outcome(status, out, err):
    if status == -signal.SIGKILL:
        return "killed"
    if status != 0:
        return f"exit {status}"
    if out and not is_object(out):
        return "invalid stdout"
    return "reported" if err else "acknowledged"


def is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def work(connection, half_way, again, events, *arguments):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection.send(Sender(*arguments).send_all(events, half_way, again))


def disk_of(kilobytes, path):
    return ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", path]


def may_mount():
    """Whether a file system can be mounted here: by root, and where the system lets root."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return False
    with tempfile.TemporaryDirectory(prefix="failwise-appends-") as path:
        mounted = subprocess.run(disk_of(64, path), capture_output=True).returncode == 0
        return mounted and subprocess.run(["umount", path]).returncode == 0


class Disk:
    """A small file system that a filler keeps full until it is freed."""

    def __init__(self, base, kilobytes):
        self.path = pathlib.Path(base, "disk")
        self.path.mkdir()
        subprocess.run(disk_of(kilobytes, self.path), check=True)
        self.filler = self.path / "filler"

    def fill(self, spare):
        with open(self.filler, "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"\0" * 4096)
            except OSError:
                filler.truncate(filler.tell() - spare)

    def free(self):
        self.filler.unlink()

    def close(self):
        subprocess.run(["umount", self.path], check=True)


def projects(base, scene):
    """The working directories of a scene, all of one project."""
    main = base / "main"
    main.mkdir()
    if scene != "worktrees":
        (main / ".git").mkdir()
        return [main]
    git = ["git", "-C", main, "-c", "user.name=n", "-c", "user.email=n@example.invalid", "-c", "init.defaultBranch=main"]
    subprocess.run(git + ["init", "-q"], check=True)
    subprocess.run(git + ["commit", "-q", "--allow-empty", "-m", "first"], check=True)
    trees = [base / "left", base / "right"]
    for tree in trees:
        subprocess.run(git + ["worktree", "add", "-q", "--detach", tree], check=True)
    return trees


def play(scene, options, seed):
    base = pathlib.Path(tempfile.mkdtemp(prefix="failwise-appends-"))
    disk = None
    try:
        env = {"HOME": str(base / "home"), "XDG_STATE_HOME": str(base / "state")}
        if scene == "disk":
            disk = Disk(base, kilobytes=64 * 1024)
            env["XDG_STATE_HOME"] = str(disk.path)
            disk.fill(spare=200 * 1024)
        return round_of(scene, options, seed, env, projects(base, scene), disk)
    finally:
        if disk:
            disk.close()
        shutil.rmtree(base)


def round_of(scene, options, seed, env, cwds, disk):
    chance = random.Random(seed)
    # A worker inherits this: a signal that comes before it listens would end it.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    half_way = multiprocessing.Barrier(options.processes + 1) if disk else None
    workers = []
    for number in range(options.processes):
        mine, theirs = multiprocessing.Pipe(duplex=False)
        # A quarter of the processes share one node, as parallel calls of one agent do.
        sender = (number, options.hook, env, cwds[number % len(cwds)], number % 4 == 0)
        process = multiprocessing.Process(target=work, args=(theirs, half_way, not disk, options.events, *sender))
        process.start()
        theirs.close()
        workers.append((process, mine))
    if disk:
        half_way.wait()
        disk.free()
    else:
        kill_at_random(workers, chance, options.kill_every / 1000)
    results = [connection.recv() for _, connection in workers]
    for process, _ in workers:
        process.join()
    # A last clean event on each node: what was torn is healed now.
    last = Sender(options.processes, options.hook, env, cwds[0], True)
    results.append(last.send_all(1, None, False))
    histories = list(pathlib.Path(env["XDG_STATE_HOME"]).glob("failwise/projects/*/history.jsonl"))
    return judge(results, histories, is_disk=bool(disk))


def kill_at_random(workers, chance, every):
    while any(not connection.poll() and process.is_alive() for process, connection in workers):
        process, connection = chance.choice(workers)
        # The handler of a worker that is about to end may be gone; its result tells that it is done.
        if process.is_alive() and not connection.poll():
            os.kill(process.pid, signal.SIGUSR1)
        time.sleep(every)


def judge(results, histories, is_disk):
    counts, faults = collections.Counter(), collections.Counter()
    acknowledged, reported = set(), set()
    for acked, told, outcomes, kills in results:
        acknowledged.update(acked)
        reported.update(told)
        counts.update(outcomes)
        counts["kills sent"] += kills
    for name in [name for name in counts if name.startswith(("exit", "invalid"))]:
        faults[name] = counts[name]
    if counts["reported"] and not is_disk:
        faults["reported without cause"] = counts["reported"]
    faults["more than one history"] = max(0, len(histories) - 1)
    seen = collections.Counter()
    for history in histories:
        text = history.read_bytes()
        faults["no newline at the end"] += not text.endswith(b"\n")
        for line in text.splitlines():
            read_line(line, seen, counts, faults)
    failed = {key[0] for key in seen if key[1] == "execution_failed"}
    ended = {key[0] for key in seen if key[1].startswith("execution_")}
    classified = {key[0] for key in seen if key[1] == "failure_classified"}
    faults["acknowledged and lost"] = len(acknowledged - ended)
    # A process that was ended between its two lines leaves the first, and the call is not recorded again.
    counts["verdicts cut off"] = len((failed & acknowledged) - classified)
    faults["failure without its verdict"] = max(0, counts["verdicts cut off"] - counts["fragments"])
    faults["doubled"] = sum(count - 1 for count in seen.values())
    fragments_allowed = counts["killed"] + 2 * counts["reported"]
    faults["fragments without a cause"] = max(0, counts["fragments"] - fragments_allowed)
    counts["events written"] = len(ended)
    counts["distinct acknowledged"] = len(acknowledged)
    return counts, +faults


def read_line(line, seen, counts, faults):
    if not line:
        counts["empty lines"] += 1
        return
    try:
        event = json.loads(line)
    except ValueError:
        # What is left of a killed process's line, on a line of its own. A second beginning in it would be a weld.
        counts["fragments"] += 1
        faults["welded"] += line.count(b'{"v":1,"id":') > 1
        return
    counts["lines"] += 1
    counts["unlocked"] += event.get("unlocked", False)
    seen[event.get("tool_use_id"), event["event"], event.get("phase")] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hook", required=True, type=lambda path: str(pathlib.Path(path).resolve(strict=True)))
    parser.add_argument("--scenes", default="one,worktrees,disk")
    parser.add_argument("--full", action="store_true", help="2,000 events a process and ten rounds a scene")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--events", type=int, default=None, help="events a process")
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--kill-every", type=float, default=20, metavar="MS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.events = options.events or (2000 if options.full else 100)
    options.rounds = options.rounds or (10 if options.full else 1)
    passed = failed = 0
    for scene in options.scenes.split(","):
        if scene == "disk" and not may_mount():
            print("disk: left out, no file system can be mounted here")
            continue
        total, faults, started = collections.Counter(), collections.Counter(), time.monotonic()
        for number in range(options.rounds):
            counts, wrong = play(scene, options, options.seed + number)
            total.update(counts)
            faults.update(wrong)
        passed, failed = (passed, failed + 1) if faults else (passed + 1, failed)
        words = ", ".join(f"{total[name]:,} {name}" for name in sorted(total))
        print(f"{scene}: {options.rounds} rounds in {time.monotonic() - started:.0f} s: {words}")
        print(f"{scene}: " + (", ".join(f"{count} {name}" for name, count in faults.items()) or "no fault"), flush=True)
    print(f"appends: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
