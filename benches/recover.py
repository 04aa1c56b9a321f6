#!/usr/bin/env python3
"""Times `failwise recover` beside `failwise --version`, and prints a Markdown table.

usage: recover.py FAILWISE [--rounds N] [--files 20000] [--programs 2000]

Plans without a look at the machine, and with `--probe` in a project of so many files, with so many programs on PATH. In each
round every case runs once, each time in another order, so that a slow moment falls on all of them; what counts is the
median of the rounds' ratios. The 9th tenth tells how long a slow run takes.
"""
import argparse
import json
import os
import pathlib
import statistics
import tempfile

from timing import Case, ratio, times_of

# What fails, by what a plan has to look for: the command, its status, what it printed.
FAILURES = {
    "a script": ("npm run tets", 1, 'npm error Missing script: "tets"'),
    "a target of another folder": ("make tset", 2, "make: *** No rule to make target 'tset'.  Stop."),
    "a file": ("cat src/part_17/mian_3.rs", 1, "cat: src/part_17/mian_3.rs: No such file or directory"),
    "a file that is nowhere": ("cat src/qqqq.rs", 1, "cat: src/qqqq.rs: No such file or directory"),
    "a program": ("toool_17 --all", 127, "bash: line 1: toool_17: command not found"),
    "an option": ("asks --nmae x", 2, "asks: unrecognized option '--nmae'"),
    "a module": ("python3 app.py", 1, "Traceback (most recent call last):\n  File \"app.py\", line 1, in <module>\n    import yaml\n"
                 "ModuleNotFoundError: No module named 'yaml'"),
    "a port": ("node server.js", 1, "Error: listen EADDRINUSE: address already in use :::3000"),
    "a lock": ("git commit -m x", 128, "fatal: Unable to create '.git/index.lock': File exists."),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("failwise")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--programs", type=int, default=2_000)
    given = parser.parse_args()
    failwise = os.path.abspath(given.failwise)
    with tempfile.TemporaryDirectory(prefix="failwise-recover.") as work:
        root = pathlib.Path(work)
        project = make_project(root, given.files)
        env = {"HOME": str(root / "home"), "PATH": f"{make_programs(root, given.programs)}:/usr/bin:/bin"}
        cases = [Case("`failwise --version`", [failwise, "--version"], os.devnull, env)]
        for looks in ([], ["--probe"]):
            for name, failure in FAILURES.items():
                payload = root / f"{len(cases)}.json"
                payload.write_text(payload_of(project, *failure))
                cases.append(Case(f"{name}{', `--probe`' if looks else ''}", [failwise, "recover", *looks], payload, env))
        print_table(cases, times_of(cases, given.rounds))


def payload_of(project, command, status, printed):
    return json.dumps({
        "session_id": "s-1", "cwd": str(project), "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "t1", "error": f"Exit code {status}\n{printed}", "is_interrupt": False,
    })


def make_project(root, files):
    """A hundred files a folder, three folders deep; a lock that nobody holds."""
    project = root / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git/index.lock").touch()
    (project / "package.json").write_text(json.dumps({"scripts": {"test": "true", "lint": "true", "build": "true"}}))
    (project / "services/app").mkdir(parents=True)
    (project / "services/app/Makefile").write_text("test:\n\ttrue\n")
    for number in range(max(1, files // 100)):
        folder = project / f"src/part_{number}" / ("deep" if number % 2 else "") / ("er" if number % 4 == 3 else "")
        folder.mkdir(parents=True)
        for file in range(100):
            (folder / f"main_{file}.rs").touch()
    return project


def make_programs(root, programs):
    """Programs that nobody starts, and one that is asked for its help."""
    folder = root / "bin"
    folder.mkdir()
    (root / "home").mkdir()
    for number in range(programs):
        program = folder / f"tool_{number}"
        program.touch()
        program.chmod(0o755)
    asks = folder / "asks"
    asks.write_text("#!/bin/sh\necho 'usage: asks [options]'\necho '  -n, --name NAME   whom'\necho '  --all'\n")
    asks.chmod(0o755)
    return folder


def print_table(cases, times):
    floor = times[cases[0].name]
    print("| what is looked for | median ms | 9th tenth ms | x `failwise --version` |")
    print("| --- | --: | --: | --: |")
    for case in cases:
        own = times[case.name]
        slow = statistics.quantiles(own, n=10)[-1] if len(own) > 1 else own[0]
        print(f"| {case.name} | {statistics.median(own) * 1e3:.2f} | {slow * 1e3:.2f} | {ratio(own, floor):.2f} |")


if __name__ == "__main__":
    main()
