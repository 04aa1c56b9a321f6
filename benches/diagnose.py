#!/usr/bin/env python3
"""How long `failwise diagnose` takes: a table in Markdown.

    benches/diagnose.py --failwise target/release/failwise [--runs 40] [--jsonl-mb 40]

One diagnosis against `failwise --version` and `python3 -c pass`, one large input of each kind at two sizes (twice the size
has to take about twice the time), and lines of single calls of four lengths in megabytes a second. Memory is the largest that the process
held.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time


def seconds(command, data=b"", runs=1):
    """The median of so many runs."""
    taken = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(command, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def peak(command, data):
    """Seconds and the most memory, in MB, of one run in a process of its own."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        begin = time.perf_counter()
        with open(file.name, "rb") as stdin:
            process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
        return time.perf_counter() - begin, usage.ru_maxrss / 1024


def call(number, text):
    return {"command": f"svc get item-{number}", "stdout": text, "stderr": f"error: item-{number} is locked\n", "exit_code": 1}


def lines(printed, size):
    """Calls a line each, of which no two are the same, and how long one is."""
    length = len(json.dumps(call(10_000, "fetching the list of items\n" * printed))) + 1
    calls = (call(10_000 + number, "fetching the list of items\n" * printed) for number in range(max(1, size // length)))
    return b"".join(json.dumps(one).encode() + b"\n" for one in calls), length


def history(messages):
    """Calls and results by turns."""
    told = []
    for number in range(messages // 2):
        told.append({"role": "assistant", "content": [
            {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"svc get item-{number}"}}]})
        told.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": number % 3 == 0, "content": f"Exit code 1\nitem-{number} is gone"}]})
    return json.dumps(told).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failwise", required=True)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--jsonl-mb", type=int, default=40)
    given = parser.parse_args()
    diagnose = [given.failwise, "diagnose"]
    one = json.dumps({"command": "git commit", "stdout": "", "stderr": "error: Terminal is dumb, but EDITOR unset\n", "exit_code": 1}).encode()
    version = seconds([given.failwise, "--version"], runs=given.runs)
    single = seconds(diagnose, one, given.runs)
    python = seconds(["python3", "-c", "pass"], runs=given.runs)
    print("| what | ms | against |\n| --- | ---: | --- |")
    print(f"| `failwise --version` | {version * 1e3:.2f} | |")
    print(f"| one diagnosis | {single * 1e3:.2f} | {single / version:.2f}x version, 1/{python / single:.0f} of python3 |")
    print(f"| `python3 -c pass` | {python * 1e3:.2f} | |\n")
    print("| input | ms | twice as large | MB held |\n| --- | ---: | ---: | ---: |")
    for name, make in [
        ("a line of 1 MB", lambda n: json.dumps(call(1, "x" * (n * 1_000_000))).encode()),
        ("a text of 10 MB", lambda n: ("the quick brown fox\n" * (n * 500_000)).encode()),
        ("10,000 messages", lambda n: history(n * 10_000)),
    ]:
        first, memory = peak(diagnose, make(1))
        second, _ = peak(diagnose, make(2))
        print(f"| {name} | {first * 1e3:.0f} | {second / first:.1f}x | {memory:.0f} |")
    print("\n| `--jsonl`, bytes a line | MB/s | MB held |\n| ---: | ---: | ---: |")
    for printed in (40, 145, 600, 37_000):
        data, length = lines(printed, given.jsonl_mb * 1_000_000)
        taken, memory = peak([*diagnose, "--jsonl"], data)
        print(f"| {length:,} | {len(data) / taken / 1e6:.0f} | {memory:.0f} |")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
