#!/usr/bin/env python3
"""Times `failwise result` on a large stream beside what it is compared with, and prints Markdown tables.

usage: result.py FAILWISE [--megabytes N] [--rounds N] [--keep DIR]

The stream is made for the purpose: messages and tool results of the sizes that sessions have, and a result at the end. In
each round every case runs once, each time in another order; the fastest time counts. The limit is `wc -l`, which reads the
bytes and counts their lines; jq and Python look for the same result. Then come the start of `result` and `render` on a small
input beside `failwise --version`, and what `run` adds to a client that answers at once. Needs a quiet machine, GNU time and
room for the file, which is read from memory after the first round.
"""
import argparse
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SESSION = "0f3a1c52-6a1e-4c53-9d0a-2f6f1f0a7b11"
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "/feature", "session_id": SESSION}
CLIENT = """#!/bin/sh
cat >/dev/null
echo '{"type":"result","subtype":"success","is_error":false,"result":"x"}'
"""
PYTHON = """
import json, sys
last = None
for line in open(sys.argv[1], "rb"):
    try:
        value = json.loads(line)
    except ValueError:
        continue
    if isinstance(value, dict) and value.get("type") == "result":
        last = value.get("result")
print(last)
"""
JQ = 'reduce (inputs | select(.type? == "result")) as $line (null; $line.result)'


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("failwise", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    failwise = given.failwise.resolve()
    with tempfile.TemporaryDirectory(prefix="failwise-result.") as work:
        folder = given.keep or pathlib.Path(work)
        folder.mkdir(parents=True, exist_ok=True)
        large(failwise, folder, given)
        small(failwise, folder, given.rounds)


def large(failwise, folder, given):
    stream = folder / "stream.jsonl"
    longest = write_stream(stream, given.megabytes * 1_000_000)
    size = stream.stat().st_size
    cases = {
        "wc -l": ["wc", "-l", str(stream)],
        "failwise result": [str(failwise), "result", str(stream)],
        "failwise result --format json": [str(failwise), "result", "--format", "json", str(stream)],
        "Python": [sys.executable, "-c", PYTHON, str(stream)],
    }
    if shutil.which("jq"):
        cases["jq"] = ["jq", "-n", "-r", JQ, str(stream)]
    best, memory = {}, {}
    for number in range(given.rounds):
        names = list(cases)
        random.Random(number).shuffle(names)
        for name in names:
            if number > 0 and name in ("jq", "Python"):
                continue
            seconds, kilobytes = timed(cases[name], folder)
            best[name] = min(seconds, best.get(name, seconds))
            memory[name] = max(kilobytes, memory.get(name, 0))
    print(f"{size / 1e9:.2f} GB in lines of up to {longest / 1e3:.0f} KB\n")
    print("| case | s | GB/s | times wc -l | MB resident |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, seconds in sorted(best.items(), key=lambda case: case[1]):
        speed = f"{size / 1e9 / seconds:.2f} | {best['wc -l'] / seconds:.2f}"
        print(f"| {name} | {seconds:.2f} | {speed} | {memory[name] / 1000:.1f} |")


def write_stream(path, size):
    """Lines as sessions have them; gives the length of the longest."""
    chance = random.Random(7)
    words = [f"{chance.randrange(16**6):06x}" for _ in range(4000)]
    lines = []
    for number in range(400):
        text = "\\n".join(" ".join(chance.choices(words, k=12)) for _ in range(int(chance.paretovariate(0.9)) % 400 + 1))
        block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text, "is_error": number % 9 == 0}
        kind = "user" if number % 2 else "assistant"
        lines.append(json.dumps({"type": kind, "message": {"id": f"msg_{number}", "content": [block]}, "session_id": SESSION}))
    batch = ("\n".join(lines) + "\n").encode()
    with open(path, "wb") as out:
        out.write(json.dumps({"type": "system", "subtype": "init", "session_id": SESSION}).encode() + b"\n")
        for _ in range(max(1, size // len(batch))):
            out.write(batch)
        out.write(json.dumps(RESULT).encode() + b"\n")
    return max(map(len, lines))


def timed(argv, folder):
    """Seconds and kilobytes of one run."""
    usage = folder / "usage"
    started = time.perf_counter()
    subprocess.run(["time", "-f", "%M", "-o", str(usage), *argv], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started, int(usage.read_text().split()[-1])


def small(failwise, folder, rounds):
    template, stream, client = folder / "c.md", folder / "small.jsonl", folder / "claude"
    template.write_text("Plan $0: $ARGUMENTS")
    stream.write_text(json.dumps(RESULT) + "\n")
    client.write_text(CLIENT)
    client.chmod(0o755)
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "CLAUDE_BIN": str(client)}
    cases = {
        "failwise --version": [failwise, "--version"],
        "failwise result": [failwise, "result", stream],
        "failwise render": [failwise, "render", template, "a", "b"],
        "the client alone": [client],
        "failwise run": [failwise, "run", template, "a", "b"],
    }
    times = {name: [] for name in cases}
    for _ in range(rounds * 20):
        for name, argv in cases.items():
            started = time.perf_counter()
            subprocess.run(argv, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
            times[name].append((time.perf_counter() - started) * 1000)
    print("\n| small input | ms, median | ms, least |")
    print("| --- | ---: | ---: |")
    for name, values in times.items():
        print(f"| {name} | {statistics.median(values):.2f} | {min(values):.2f} |")


if __name__ == "__main__":
    main()
