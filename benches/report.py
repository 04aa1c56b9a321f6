#!/usr/bin/env python3
"""How much memory and time `failwise report` takes on 10,000 to 80,000 failures: a table in Markdown.

    benches/report.py --failwise target/release/failwise [--failures 10000,20000,40000,80000] [--in-session 1000]

Half of the failures are of kinds that come again and again, half are met once. Every third is followed by a pass of the same
call. Needs GNU time.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

FORMATS = ("text", "html", "json", "csv", "md")


def line(kind, session, minute, block):
    stamp = f"2031-01-{1 + minute // 1440 % 28:02}T{minute // 60 % 24:02}:{minute % 60:02}:00.000Z"
    return json.dumps({"type": kind, "sessionId": session, "timestamp": stamp, "cwd": "/srv/project",
                       "uuid": f"u-{session}-{minute}-{kind}", "message": {"role": kind, "content": [block]}}) + "\n"


def call(session, number, command, text):
    """A call and its result; without a text it passed."""
    use = f"toolu_{session}_{number}"
    result = {"type": "tool_result", "tool_use_id": use, "content": text or "ok"}
    if text:
        result["is_error"] = True
    return (line("assistant", session, number, {"type": "tool_use", "id": use, "name": "Bash", "input": {"command": command}})
            + line("user", session, number, result))


def failing(number):
    """A command and what it prints when it fails."""
    if number % 2:
        module = f"module_{number % 40}"
        return (f"cargo test {module}", f"Exit code 101\nrunning 12 tests\ntest {module}::holds ... FAILED\n\n"
                f"---- {module}::holds stdout ----\nassertion `left == right` failed\n  left: {number}\n right: 7\n"
                + "note: run with `RUST_BACKTRACE=1`\n" * 8 + "test result: FAILED. 11 passed; 1 failed\n")
    return (f"python3 tools/convert_{number}.py --input data/part_{number}.csv",
            f"Exit code 1\nTraceback (most recent call last):\n  File \"tools/convert_{number}.py\", line {number % 90}, in main\n"
            + "    frame = read(path)\n" * 12 + f"ValueError: column amount_{number} is missing in data/part_{number}.csv\n")


def make(folder, failures, in_session):
    for first in range(0, failures, in_session):
        session = f"session-{first:07}"
        with open(folder / f"{session}.jsonl", "w", encoding="utf-8") as out:
            for number in range(first, min(first + in_session, failures)):
                command, text = failing(number)
                out.write(call(session, 2 * number, command, text))
                if number % 3 == 0:
                    out.write(call(session, 2 * number + 1, command, None))


def measure(failwise, folder, form, output):
    """Seconds and peak resident memory in MB."""
    with tempfile.NamedTemporaryFile("r") as peak:
        begin = time.perf_counter()
        ended = subprocess.run(
            ["time", "-f", "%M", "-o", peak.name, failwise, "report", str(folder), "--settings", "none",
             "--format", form, "-o", str(output)],
            capture_output=True, env={"HOME": str(folder), "PATH": os.environ["PATH"]})
        seconds = time.perf_counter() - begin
        if ended.returncode != 0:
            raise SystemExit(f"exit {ended.returncode}\n{ended.stderr.decode()}")
        return seconds, int(peak.read().split()[-1]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failwise", required=True)
    parser.add_argument("--failures", default="10000,20000,40000,80000")
    parser.add_argument("--in-session", type=int, default=1000)
    parser.add_argument("--keep", type=pathlib.Path, help="keep what is written here, to compare two builds with `diff -r`")
    given = parser.parse_args()
    failwise = str(pathlib.Path(given.failwise).resolve())
    print("| failures | input, MB | " + " | ".join(f"{form}, s | {form}, MB" for form in FORMATS) + " |")
    print("| ---: | ---: |" + " ---: |" * 2 * len(FORMATS))
    for failures in map(int, given.failures.split(",")):
        with tempfile.TemporaryDirectory(prefix="failwise-report-") as work:
            folder = pathlib.Path(work) / "sessions"
            folder.mkdir()
            make(folder, failures, given.in_session)
            size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
            outputs = given.keep or pathlib.Path(work)
            outputs.mkdir(parents=True, exist_ok=True)
            cells = [measure(failwise, folder, form, outputs / f"{failures}.{form}") for form in FORMATS]
        print(f"| {failures} | {size:.0f} | " + " | ".join(f"{s:.1f} | {mb:.0f}" for s, mb in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
