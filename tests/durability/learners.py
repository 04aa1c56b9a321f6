#!/usr/bin/env python3
"""Learners and hooks at once, one of them killed every 100 ms: is the base whole, and the same as one learned in peace?

Sixteen processes play sessions through the true failwise-hook, each with failures and what mended them; sixteen run
`failwise kb learn` again and again. Every 100 ms one process is killed. Then a last learner runs in peace, and the base has
to be whole by SQLite's own check, equal to one that is learned from nothing, and equal to what `kb rebuild` makes.

    tests/durability/learners.py --hook PATH --failwise PATH             short form, 10 s
    tests/durability/learners.py --hook PATH --failwise PATH --full      60 s

Exits 1 when anything differs, or when a hook ended with anything but 0. The last line: `learners: N passed, M failed`.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

WORKERS = 16
FLAGS = ["--stat", "--summary", "--fast", "--long", "--deep"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hook", required=True, type=pathlib.Path)
    parser.add_argument("--failwise", required=True, type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    asked = parser.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix="failwise-learners."))
    try:
        faults = play(root, asked.hook.absolute(), asked.failwise.absolute(), 60 if asked.full else 10)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    for fault in faults:
        print(fault)
    print(f"learners: {int(not faults)} passed, {int(bool(faults))} failed")
    sys.exit(bool(faults))


def play(root, hook, failwise, seconds):
    (root / "home/shop/.git").mkdir(parents=True)
    env = {"HOME": str(root / "home"), "PATH": "/usr/bin:/bin"}
    counts = multiprocessing.Array("q", 4)
    children = multiprocessing.Array("q", 2 * WORKERS)
    stop = multiprocessing.Event()
    works = [(hooks, number, hook) for number in range(WORKERS)] + [(learners, number, failwise) for number in range(WORKERS)]
    processes = [
        multiprocessing.Process(target=work, args=(number, program, env, root / "home/shop", stop, counts, children, slot))
        for slot, (work, number, program) in enumerate(works)
    ]
    for process in processes:
        process.start()
    kills, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.1)
        kills += kill_one(children)
    stop.set()
    for process in processes:
        process.join()
    played, hook_faults, learned, learner_faults = counts
    print(f"{played} hooks, {learned} learners, {kills} killed")
    faults = [f"{hook_faults} hooks did not end with 0"] if hook_faults else []
    faults += [f"{learner_faults} learners failed"] if learner_faults else []
    return faults + compare(root, failwise, env)


def kill_one(children):
    """Kills one of the processes that run now, by its own number: nobody has waited for it, so nobody else has it."""
    with children.get_lock():
        running = [pid for pid in children if pid]
        if not running:
            return 0
        try:
            os.kill(random.choice(running), signal.SIGKILL)
        except ProcessLookupError:
            return 0
    return 1


def run(program, arguments, env, cwd, text, children, slot):
    """Ends with the exit status, negative for a signal."""
    with children.get_lock():
        child = subprocess.Popen([program, *arguments], env=env, cwd=cwd, stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        children[slot] = child.pid
    try:
        child.stdin.write(text)
        child.stdin.close()
    except BrokenPipeError:
        pass
    said = child.stderr.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    with children.get_lock():
        children[slot] = 0
        status = child.wait()
    return status, said


def hooks(number, hook, env, cwd, stop, counts, children, slot):
    session = 0
    while not stop.is_set():
        session += 1
        for payload in payloads(f"s{number}-{session}", session, cwd):
            status, said = run(hook, [], env, cwd, json.dumps(payload).encode(), children, slot)
            with counts.get_lock():
                counts[0] += 1
                counts[1] += int(status not in (0, -signal.SIGKILL))


def payloads(session, number, cwd):
    flag = FLAGS[number % len(FLAGS)]
    call = {"session_id": session, "cwd": str(cwd), "tool_name": "Bash"}
    yield {**call, "hook_event_name": "PostToolUseFailure", "tool_use_id": f"{session}-1", "is_interrupt": False,
           "tool_input": {"command": f"gh pr diff 104 {flag}"}, "error": f"Exit code 1\nunknown flag: {flag}"}
    yield {**call, "hook_event_name": "PostToolUse", "tool_use_id": f"{session}-2",
           "tool_input": {"command": "gh pr diff 104 --name-only"}, "tool_response": {"stdout": "ok", "stderr": ""}}


def learners(number, failwise, env, cwd, stop, counts, children, slot):
    while not stop.is_set():
        status, said = run(failwise, ["kb", "learn"], env, cwd, b"", children, slot)
        with counts.get_lock():
            counts[2] += 1
            if status not in (0, -signal.SIGKILL):
                counts[3] += 1
                print(said.decode(errors="replace").strip())


def compare(root, failwise, env):
    """What differs between the base that was learned under fire, one learned in peace, and one made anew."""
    cwd, base = root / "home/shop", root / "home/.local/state/failwise/base.sqlite"
    learn(failwise, ["kb", "learn"], env, cwd)
    check = sqlite3.connect(base).execute("PRAGMA integrity_check").fetchall()
    faults = [] if check == [("ok",)] else [f"integrity_check: {check}"]
    under_fire = rows(base)
    in_peace = root / "peace.sqlite"
    learn(failwise, ["kb", "learn"], {**env, "FAILWISE_BASE": str(in_peace)}, cwd)
    if under_fire != rows(in_peace):
        faults.append(f"{len(under_fire)} rows under fire, {len(rows(in_peace))} in peace: they differ")
    learn(failwise, ["kb", "rebuild"], env, cwd)
    if under_fire != rows(base):
        faults.append(f"{len(under_fire)} rows, {len(rows(base))} when made anew: they differ")
    print(f"{len(under_fire)} rows")
    return faults if under_fire else ["nothing was learned"]


def learn(failwise, arguments, env, cwd):
    subprocess.run([failwise, *arguments], env=env, cwd=cwd, check=True, capture_output=True)


def rows(base):
    asked = "SELECT s.path, l.project, l.kind, l.session, l.call, l.what, l.rank, l.body FROM lesson l JOIN source s ON s.id = l.source"
    return sorted(sqlite3.connect(base).execute(asked).fetchall())


if __name__ == "__main__":
    main()
