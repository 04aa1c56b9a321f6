#!/usr/bin/env python3
"""Runs the forms of core/src/forms/table.rs against failures that they mend, and checks what came of it.

Each line of tests/forms_runs.jsonl is a run: `scene` makes a folder, `call` fails there (it waits until a limit, its status is
not 0, or `check` does not hold), and in a fresh folder of the same kind `works`, the call in the row's form, ends with 0 and
`check` holds. `how` says what standard input is: `null`, `open` (a pipe that nobody writes to) or `pty` (a terminal without a
person). `ran` is the program's version and the day of the last run that went well.

    scripts/forms_run.py              the runs of programs that are installed; 1 if one goes wrong
    scripts/forms_run.py git tar      those of these programs
    scripts/forms_run.py --within 50  no run begins after so many seconds; another day begins with other ones
    scripts/forms_run.py --record     also writes `ran`, here and into the rows of the table

Scenes are built below the folder for temporary files; only runs of package managers change anything elsewhere, and they are
left out unless --all is given.
"""

import datetime
import json
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = ROOT / "tests" / "forms_runs.jsonl"
TABLE = ROOT / "core" / "src" / "forms" / "table.rs"
# How long a call that fails is waited for, and one that works, in seconds.
FAILS_WITHIN, WORKS_WITHIN = 6, 60
# These change the machine.
MACHINE = {"apt", "apt-get", "dpkg", "passwd", "dnf"}
PROGRAMS = {"python": "python3", "bat": "batcat"}
VERSIONS = {
    "7z": "7z i", "erl": "dpkg-query -W -f '${Version}' erlang-base", "go": "go version", "gpg": "gpg --version",
    "ip": "ip -V", "kubectl": "kubectl version --client", "less": "less --version", "man": "man --version",
    "openssl": "openssl version", "passwd": "dpkg-query -W -f '${Version}' passwd", "ping": "ping -V",
    "restic": "restic version", "ssh-keygen": "ssh -V", "terraform": "terraform version", "tmux": "tmux -V",
    "top": "top -V", "unzip": "unzip -v", "lua": "lua -v", "keytool": "java --version", "lftp": "lftp --version",
    "R": "R --version", "ed": "ed --version", "deno": "deno --version", "clojure": "dpkg-query -W -f '${Version}' clojure",
    "ghc": "ghc --version", "iex": "elixir --version", "elixir": "elixir --version", "fzf": "fzf --version",
    "more": "more --version", "ts-node": "ts-node --version", "awk": "dpkg-query -W -f '${Version}' mawk",
}  # fmt: skip


def environment(home):
    kept = {name: os.environ[name] for name in ("PATH", "FORMS_TOOLS") if name in os.environ}
    real = pathlib.Path.home()
    return kept | {
        "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm", "EDITOR": "vi", "PAGER": "less",
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(real / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(real / ".rustup")),
        "NPM_CONFIG_GLOBALCONFIG": str(home / "npmrc"), "GIT_CONFIG_NOSYSTEM": "1", "CHECKPOINT_DISABLE": "1",
    }  # fmt: skip


def end_all_below(folder):
    """Ends what runs in a folder: what a call started stays when the call is ended."""
    for process in pathlib.Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.readlink(process / "cwd").startswith(str(folder)):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            pass


def run(line, folder, env, how, seconds):
    """The status of a line, or None where it was still running, and what it printed."""
    said, until, status = bytearray(), time.monotonic() + seconds, None
    if how == "pty":
        child, end = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe("bash", ["bash", "-c", line], env)
        while time.monotonic() < until:
            ready, _, _ = select.select([end], [], [], 0.2)
            try:
                said += os.read(end, 65536) if ready else b""
            except OSError:
                break
        for _ in range(20):
            ended, code = os.waitpid(child, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(code)
                break
            time.sleep(0.1)
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        os.close(end)
        return status, bytes(said)
    source, held = os.pipe() if how == "open" else (subprocess.DEVNULL, None)
    output = tempfile.TemporaryFile()
    child = subprocess.Popen(["bash", "-c", line], cwd=folder, env=env, stdin=source, stdout=output,
                             stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
    try:
        status = child.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    if held is not None:
        os.close(source)
        os.close(held)
    output.seek(0)
    return status, output.read()


def attempt(row, line, seconds):
    """Whether a line ends well in a scene of its own, and why not."""
    above = pathlib.Path(tempfile.mkdtemp(prefix="form-"))
    folder = above / "tidepool"
    folder.mkdir()
    env = environment(above)
    try:
        made = subprocess.run(["bash", "-c", row["scene"]], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180)  # fmt: skip
        status, said = run(line, folder, env, row["how"], seconds)
        out = above / "out"
        out.write_bytes(said)
        if status is None:
            return False, "it was still running"
        if status != 0:
            return False, f"status {status}: {said[-300:].decode(errors='replace')} (scene: {made.stdout[-200:]!r})"
        checked = subprocess.run(["bash", "-c", row["check"]], cwd=folder, env=env | {"OUT": str(out)},
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        shown = f"{said[-300:].decode(errors='replace')} {checked.stdout[-200:].decode(errors='replace')}"
        return checked.returncode == 0, f"the check does not hold: {shown}"
    except (subprocess.TimeoutExpired, OSError) as error:
        return False, str(error)
    finally:
        end_all_below(above)
        shutil.rmtree(above, ignore_errors=True)


def version(program):
    line = VERSIONS.get(program, f"{PROGRAMS.get(program, program)} --version")
    env = environment(pathlib.Path(tempfile.gettempdir()))
    told = subprocess.run(["bash", "-c", line], capture_output=True, stdin=subprocess.DEVNULL, env=env, text=True,
                          errors="replace")  # fmt: skip
    found = re.search(r"\d+(?:\.\d+)+|\b\d{3}\b", told.stdout + told.stderr)
    return f"{program} {found[0] if found else '?'}"


def played(row):
    ends, _ = attempt(row, row["call"], FAILS_WITHIN)
    if ends:
        return "the call does not fail"
    works, why = attempt(row, row["works"], WORKS_WITHIN)
    return None if works else why


def record(rows):
    """Writes what was run into the runs, and into the rows of the table."""
    RUNS.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    lines = []
    for line in TABLE.read_text().splitlines():
        line = re.sub(r'\.ran\("[^"]*"\)', "", line)
        ran = next((row["ran"] for row in rows if row.get("ran") and is_row(line, row)), None)
        lines.append(f'{line[:-1]}.ran("{ran}"),' if ran else line)
    TABLE.write_text("\n".join(lines) + "\n")


def is_row(line, row):
    """Whether a line of the table is the row that was run."""
    head = re.match(r'\s+(flag|form|input|needed|variable)\("([^"]+)", (ANY|&\[("[^"]*")[^\]]*\]), &\[([^\]]*)\], "((?:[^"\\]|\\.)*)"', line)
    if not head:
        return False
    _, program, _, first, modes, text = head.groups()
    subcommand = (first or '""')[1:-1]
    own = (program, subcommand, text.replace('\\"', '"').replace("\\\\", "\\"))
    given = f'.instead("{row["instead"]}")' if "instead" in row else ""
    is_mode = not row.get("modes") or any(mode in modes.split(", ") for mode in row["modes"])
    return own == (row["program"], row["subcommand"], row["text"]) and is_mode and given in line


def main():
    words = sys.argv[1:]
    within = float(words.pop(words.index("--within") + 1)) if "--within" in words else float("inf")
    asked = [word for word in words if not word.startswith("-")]
    rows = [json.loads(line) for line in RUNS.read_text().splitlines()]
    path = os.environ["PATH"] + ":/usr/sbin"
    os.environ["PATH"] = path

    def is_wanted(row):
        program = row["program"]
        is_there = shutil.which(PROGRAMS.get(program, program)) is not None
        return is_there and (program in asked if asked else "--all" in sys.argv or program not in MACHINE)

    wanted = [row for row in rows if is_wanted(row)]
    began, left = time.monotonic(), "left out"
    if within < float("inf"):
        random.Random(datetime.date.today().isoformat()).shuffle(wanted)

    def in_time(row):
        return played(row) if time.monotonic() - began < within else left

    # Most of them wait: many go at a time.
    with ThreadPoolExecutor(24) as pool:
        results = list(pool.map(in_time, wanted))
    today = datetime.date.today().isoformat()
    wrong = 0
    for row, why in zip(wanted, results):
        if why == left:
            continue
        if why is None:
            row["ran"] = f"{version(row['program'])}, {today}"
        else:
            wrong += 1
            print(f"{row['program']} {row['subcommand']} {row['text']}: `{row['works']}`: {why}\n")
    ran = len(wanted) - results.count(left)
    print(f"{ran} of {len(rows)} runs, {ran - wrong} worked, {wrong} did not")
    if "--record" in sys.argv:
        record(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
